"""Judging the cost of a script that may cost no more than another: by the solver's own count towards its
resource limit, and never by a clock.

Such a script says so itself, in a `set-info` command: against what its cost is measured, and the
largest cost that is no finding.
"""

from __future__ import annotations

import re

from murxpy.machine.outcomes import Stopped
from murxpy.machine.run import Run
from murxpy.smtlib.syntax.fingerprint import theories

KIND = "slow"
SIZE, REFERENCE, PARENT = "size", "reference", "parent"
# What the cost of a script is measured against, in the words of messages.
AGAINST = {
    SIZE: "scripts of its size",
    REFERENCE: "another solver",
    PARENT: "the script that it was made from",
}
_PREFIX = "(set-info :slow-against-"
_MARK = re.compile(rf"^{re.escape(_PREFIX)}({'|'.join(AGAINST)}) (\d{{1,18}})\)\n?", re.M)


def marked(text: str, against: str, bound: int) -> str:
    """The script with the mark: more than `bound` units of the solver are a finding. `against` is a
    name of `AGAINST`.
    """
    return f"{_PREFIX}{against} {bound})\n{text}"


def mark_of(text: str) -> str:
    """The mark of a script; empty where it has none."""
    found = _MARK.search(text) if _PREFIX in text else None
    return found[0] if found else ""


def cost_of_scripts(run: Run) -> int | None:
    """What the solver has counted until now in the scripts of a run; None where it does not tell."""
    spellings = run.wrapper.set("readers", "script-cost")
    if spellings is None:
        return None
    try:
        counted = spellings.spellings[0].call((), (), run.frame)
    except Exception:  # a release without these figures
        return None
    return counted if isinstance(counted, int) else None


class Costs:
    """Measures the one script that runs between `Costs(run, text)` and `judge`. Only a script with a
    mark is measured, so that no other has a call beside its own.
    """

    def __init__(self, run: Run, text: str) -> None:
        found = _MARK.search(text) if _PREFIX in text else None
        self._run, self._text, self._found = run, text, found
        self._before = cost_of_scripts(run) if found else None

    def judge(self, spelling: str) -> None:
        """Raise Stopped if the script cost more than it says."""
        after = cost_of_scripts(self._run) if self._found else None
        if self._found is None or self._before is None or after is None:
            return
        against, bound, cost = self._found[1], int(self._found[2]), after - self._before
        self._run.counts[f"check-cost:{'slow' if cost > bound else 'ok'}"] += 1
        if cost > bound:
            message = (
                f"cost {cost} units of the solver, expected at most {bound} by {AGAINST[against]}"
            )
            about = "+".join(theories(self._text))
            found = self._run.finding(KIND, "solver", message, "run-script", about, spelling)
            raise Stopped({**found, "against": against})
