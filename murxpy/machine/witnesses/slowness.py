"""Judging the cost of a script that may cost no more than another: by the solver's own count towards its
resource limit, and never by a clock.

Such a script says so itself, in a `set-info` command: against what its cost is measured, and the
largest cost that is no finding.
"""

from __future__ import annotations

import re

from murxpy.machine.outcomes import SLOW, Stopped
from murxpy.machine.run import Run
from murxpy.smtlib.logics import theories

KIND = SLOW
SIZE, REFERENCE, PARENT = "size", "reference", "parent"
# The words of messages for the thing that the cost of a script is measured against.
AGAINST = {
    SIZE: "scripts of its size",
    REFERENCE: "another solver",
    PARENT: "the script that it was made from",
}
_PREFIX = "(set-info :slow-against-"
_CAUSE = r"(?:\(set-info :slow-cause \|([^|\\\n]*)\|\)\n)?"
_MARK = re.compile(rf"^{_CAUSE}{re.escape(_PREFIX)}({'|'.join(AGAINST)}) (\d{{1,18}})\)\n?", re.M)


def marked(text: str, against: str, bound: int, cause: str = "") -> str:
    """The script with the mark: more than `bound` units of the solver are a finding. `against` is a
    name of `AGAINST`. A `cause` tells findings apart in place of the theories of the script.
    """
    head = f"(set-info :slow-cause |{cause}|)\n" if cause else ""
    return f"{head}{_PREFIX}{against} {bound})\n{text}"


def is_marked(text: str) -> bool:
    """Whether a script, or a trace that runs one, may have the mark."""
    return _PREFIX in text


def mark_of(text: str) -> str:
    """The mark of a script; empty where it has none."""
    found = _MARK.search(text) if is_marked(text) else None
    return found[0] if found else ""


def unmarked(text: str) -> tuple[str, int]:
    """The script without its mark, and the cost that it may have; 0 if it has no mark."""
    found = _MARK.search(text)
    return (_MARK.sub("", text), int(found[3])) if found else (text, 0)


def cost_of_scripts(run: Run) -> int | None:
    """Return the solver's count until now in the scripts of a run; None if the solver has no such
    count.
    """
    spellings = run.wrapper.set("readers", "script-cost")
    if spellings is None:
        return None
    try:
        counted = spellings.spellings[0].call((), (), run.frame)
    except Exception:  # a release without these figures
        return None
    return counted if isinstance(counted, int) else None


class Spending:
    """The costs of a run's scripts, one after another."""

    def __init__(self, run: Run) -> None:
        self._run, self._before = run, cost_of_scripts(run)

    def passed(self) -> int | None:
        """Return the cost of the scripts since the last call; None if the solver has no such count."""
        before, self._before = self._before, cost_of_scripts(self._run)
        return None if before is None or self._before is None else self._before - before


class Costs:
    """Measures the one script that runs between `Costs(run, text)` and `judge`. Only a script with a
    mark is measured, so that no other has a call beside its own.
    """

    def __init__(self, run: Run, text: str) -> None:
        self._run, self._text = run, text
        self._found = _MARK.search(text) if is_marked(text) else None
        self._spending = Spending(run) if self._found else None

    def judge(self, spelling: str) -> None:
        """Raise Stopped if the script cost more than it says."""
        cost = self._spending.passed() if self._spending else None
        if self._found is None or cost is None:
            return
        cause, against, bound = self._found[1], self._found[2], int(self._found[3])
        self._run.counts[f"check-cost:{KIND if cost > bound else 'ok'}"] += 1
        if cost > bound:
            message = (
                f"cost {cost} units of the solver, expected at most {bound} by {AGAINST[against]}"
            )
            about = cause or "+".join(theories(self._text))
            found = self._run.finding(KIND, "solver", message, "run-script", about, spelling)
            raise Stopped({**found, "against": against})
