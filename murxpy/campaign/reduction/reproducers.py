"""The translations of a finding's trace into a Python program and an SMT-LIB script, and whether
each of them shows the finding again.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

from murxpy.campaign.finding import Reproducer
from murxpy.campaign.findings.folder import write_atomically
from murxpy.campaign.findings.keys import bucket_key, normalise
from murxpy.campaign.findings.range_file import with_range
from murxpy.campaign.reduction.programs import run_program
from murxpy.campaign.reduction.refuting import refuted
from murxpy.campaign.reduction.script_cut import cut_behind_wrong_model
from murxpy.campaign.reduction.script_sights import Shown
from murxpy.campaign.reduction.script_writer import ScriptWriter
from murxpy.campaign.reduction.scripted import recorded_answers
from murxpy.campaign.workers.limits import Limits
from murxpy.campaign.workers.targets import Plan
from murxpy.errors import MurxpyError
from murxpy.logic.catalogue import Catalogue, build_catalogue
from murxpy.machine.script import OWN_CHECK
from murxpy.oracles.crash import INVALID_MODEL, Outcome, judge
from murxpy.oracles.disagreement import KIND as DISAGREEMENT
from murxpy.trace.grammar import Trace, parse_trace
from murxpy.translate.frame import UNSATISFIED
from murxpy.translate.programs.claim import Claim, sentence
from murxpy.translate.programs.program import DEADLINE, last_script, programs
from murxpy.translate.programs.undecided import asking_why
from murxpy.translate.python import to_python

HANG = "hang"
SECONDS = 20.0  # that a program gets; a program that does not end by then hangs

_COMPARED = re.compile(r"^expected .+ got ", re.M)  # what a plain program prints when it was asked
_RELEASE = re.compile(r"\d+(?:\.\d+)+")
_DEFECT = re.compile(r"^line \d+: (.*)$", re.M)


def base_of(trace: Path) -> Path:
    """The path of the reproducers beside a trace, without their endings."""
    name = trace.name
    for ending in (".trace", ".history", ".min"):
        name = name.removesuffix(ending)
    return trace.with_name(name)


def plain_programs(
    trace: Trace, catalogue: Catalogue, wrapper: dict[str, Any], kind: str, message: str
) -> Iterator[str]:
    """The texts of the programs that could show the finding of a trace, the plainest first."""
    answer = next(iter(recorded_answers(trace)[-1:]), "")
    told = sentence(trace.header.get("solver", ""), kind, message, answer)
    asked = asking_why(trace, kind)
    for program in programs(asked, catalogue, wrapper, Claim(kind, message, told)):
        yield program.text


def write_programs(
    plan: Plan,
    trace: Path,
    text: str,
    shown: Shown,
    limits: Limits | None = None,
    forms: Sequence[str] = ("python", "smt2"),
) -> list[Reproducer]:
    """Write the translations of `text`, the trace in the file `trace`, beside it, and try them.

    Gives the Python program and the SMT-LIB script, those of them that `forms` names; nothing where
    the target has no wrapper. Raises OSError.
    """
    if "wrapper" not in plan.setup or "catalogue" not in plan.setup:
        return []
    work = _Programs(plan, trace, text, shown, limits or Limits())
    made = {"python": work.python, "smt2": work.script}
    return [make() for form, make in made.items() if form in forms]


class _Programs:
    """The translations of one trace."""

    def __init__(self, plan: Plan, trace: Path, text: str, shown: Shown, limits: Limits) -> None:
        self._plan, self._shown, self._limits = plan, shown, limits
        self._base, self._text = base_of(trace), text
        self._catalogue = build_catalogue(plan.setup["catalogue"])
        given = _with_release(parse_trace(text, trace.name), plan)
        file = self._base.with_name(f"{self._base.name}.smt2")
        self._trace = cut_behind_wrong_model(
            plan, given, self._catalogue, file, shown, self._limits
        )

    @cached_property
    def _refuted(self) -> Trace | None:
        """The trace with a model that refutes its answer, where the finding is such an answer."""
        if self._shown.kind != DISAGREEMENT:
            return None
        return refuted(self._plan, self._trace, self._catalogue, self._limits)

    def python(self) -> Reproducer:
        """Write the plainest program that shows the finding. If none does, write all lines of the
        trace as a program.
        """
        file = self._base.with_name(f"{self._base.name}.py")
        for text in self._plain():
            write_atomically(file, with_range(text, file))
            outcome = self._run(file)
            if _exit_code(outcome) == 1 and _COMPARED.search(outcome.output):
                return Reproducer("python", str(file), True)
        try:
            written = dict.fromkeys(map(self._long, (last_script(self._trace), self._trace)))
        except MurxpyError as error:
            file.unlink(missing_ok=True)
            return Reproducer("python", "", None, str(error))
        shows, note = False, ""
        for text in written:
            write_atomically(file, with_range(text, file))
            shows, note = self._python(file)
            if shows:
                break
        return Reproducer("python", str(file), shows, note)

    def _long(self, trace: Trace) -> str:
        """A program with all lines of a trace."""
        deadline = DEADLINE if self._shown.kind == HANG else 0
        return to_python(trace, self._catalogue, dict(self._plan.setup["wrapper"]), deadline)

    def _plain(self) -> Iterator[str]:
        """The texts of the programs that could show the finding, the plainest first."""
        wrapper, shown = dict(self._plan.setup["wrapper"]), self._shown
        for trace in filter(None, (self._refuted, self._trace)):
            yield from plain_programs(trace, self._catalogue, wrapper, shown.kind, shown.message)

    def script(self) -> Reproducer:
        """Write the trace as a script."""
        file = self._base.with_name(f"{self._base.name}.smt2")
        asked = asking_why(self._trace, self._shown.kind)
        writer = ScriptWriter(
            self._plan, asked, self._catalogue, file, self._shown, self._text, self._limits
        )
        writer.refuted = self._refuted
        return writer.write()

    def _python(self, file: Path) -> tuple[bool, str]:
        """Whether the program shows the finding, and a note."""
        shown, outcome = self._shown, self._run(file)
        ended = self._ended(outcome)
        if ended is not None:
            return ended
        if shown.kind == HANG:
            late = _exit_code(outcome) == 1 and "Timeout (" in outcome.output
            return (True, "") if late else (False, _exit_words(outcome))
        defects = _DEFECT.findall(outcome.output)
        if _exit_code(outcome) == 1 and defects and "Traceback" not in outcome.output:
            recorded, seen = _bare(shown.message), _bare(defects[-1])
            same = normalise(recorded) == normalise(seen) or recorded in seen or seen in recorded
            # the program asks a fresh solver in place of our evaluator
            same = same or (shown.kind == INVALID_MODEL and seen == UNSATISFIED)
            same = same or (recorded.startswith(OWN_CHECK) and recorded[len(OWN_CHECK) :] in seen)
            return (True, "") if same else (False, f"it shows: {defects[-1]}")
        return False, _exit_words(outcome)

    def _run(self, file: Path, *words: str) -> Outcome:
        return run_program(self._plan, file, words, self._text, SECONDS, self._limits)

    def _ended(self, outcome: Outcome) -> tuple[bool, str] | None:
        """Whether the end of the process is the finding; None where the program exited by itself."""
        if outcome.cause == "wall":
            hangs = self._shown.kind == HANG
            return hangs, "" if hangs else f"no end within {SECONDS:g} s"
        verdict = judge(outcome)
        key = "" if verdict is None else bucket_key(self._plan.target.family, verdict)
        if key == self._shown.key:
            return True, ""
        code = _exit_code(outcome)
        return None if code is not None and code >= 0 else (False, f"it shows {key}")


def _with_release(trace: Trace, plan: Plan) -> Trace:
    """The trace with the release of its target in the header, where it names none and the target is
    a release.
    """
    _, _, release = plan.target.name.partition("@")
    named = " " in trace.header.get("solver", "")
    if named or not _RELEASE.fullmatch(release):
        return trace
    return replace(trace, header={**trace.header, "solver": f"{plan.target.family} {release}"})


def _bare(message: str) -> str:
    """The message without the quotes that Python prints around texts."""
    return re.sub(r"\bb?(['\"])(.*)\1", r"\2", message)


def _exit_code(outcome: Outcome) -> int | None:
    """The exit code, negative for a signal; None where the process was killed."""
    return None if outcome.status is None else os.waitstatus_to_exitcode(outcome.status)


def _exit_words(outcome: Outcome) -> str:
    rows = [row for row in outcome.output.splitlines() if row.strip()]
    last = f": {rows[-1][:200]}" if rows else ""
    return f"it ends with exit code {_exit_code(outcome)}{last}"
