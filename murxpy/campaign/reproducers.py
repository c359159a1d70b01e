"""A finding in all its forms: its trace, a Python program, an SMT-LIB script; and whether each shows it again."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from murxpy.campaign.buckets import Reproducer, bucket_key, normalise
from murxpy.campaign.folder import write_atomically
from murxpy.campaign.limits import Limits
from murxpy.campaign.programs import run_program
from murxpy.campaign.targets import Plan
from murxpy.errors import MurxpyError
from murxpy.logic.catalogue import build_catalogue
from murxpy.oracles.crash import Outcome, judge
from murxpy.smtlib.dialects import DIALECTS
from murxpy.trace.grammar import Trace, parse_trace
from murxpy.trace.translate.python import to_python
from murxpy.trace.translate.smtlib import to_smtlib

SECONDS = 20.0  # that a program gets; what does not end by then hangs
NO_SCRIPTS = 77  # exit code of a runner whose solver reads no scripts

_SUFFIX = {"python": ".py", "smt2": ".smt2"}
_DEFECT = re.compile(r"^line \d+: (.*)$", re.M)


@dataclass(frozen=True, slots=True)
class Shown:
    """What a finding is: its kind, the key of its bucket, its message."""

    kind: str
    key: str
    message: str


def base_of(trace: Path) -> Path:
    """What the reproducers beside a trace are called, without the endings."""
    name = trace.name
    for ending in (".trace", ".history", ".min"):
        name = name.removesuffix(ending)
    return trace.with_name(name)


def write_programs(plan: Plan, trace: Path, text: str, shown: Shown, limits: Limits | None = None) -> list[Reproducer]:
    """Write the translations of `text`, the trace in the file `trace`, beside it, and see whether each shows the finding.

    Gives the Python program and the SMT-LIB script; nothing where the target has no wrapper. Raises OSError.
    """
    if "wrapper" not in plan.setup or "catalogue" not in plan.setup:
        return []
    limits = limits or Limits()
    catalogue = build_catalogue(plan.setup["catalogue"])
    wrapper: dict[str, Any] = dict(plan.setup["wrapper"])
    family = plan.target.family
    dialect = family if family in DIALECTS else "standard"
    translators: dict[str, Callable[[Trace], str]] = {
        "python": lambda parsed: to_python(parsed, catalogue, wrapper),
        "smt2": lambda parsed: to_smtlib(parsed, catalogue, dialect),
    }
    made = []
    for form, translate in translators.items():
        file = base_of(trace).with_name(base_of(trace).name + _SUFFIX[form])
        try:
            written = translate(parse_trace(text, trace.name))
        except MurxpyError as error:
            file.unlink(missing_ok=True)
            made.append(Reproducer(form, "", None, str(error)))
            continue
        write_atomically(file, written)
        seen, note = _python(plan, file, text, shown, limits) if form == "python" else _script(plan, file, text, shown, limits)
        made.append(Reproducer(form, str(file), seen, note))
    return made


def _python(plan: Plan, file: Path, text: str, shown: Shown, limits: Limits) -> tuple[bool, str]:
    outcome = run_program(plan, file, (), text, SECONDS, limits)
    ended = _ended(plan, outcome, shown)
    if ended is not None:
        return ended
    defects = _DEFECT.findall(outcome.output)
    if _exit_code(outcome) == 1 and defects and "Traceback" not in outcome.output:
        same = normalise(shown.message) == normalise(defects[-1]) or shown.message in defects[-1] or defects[-1] in shown.message
        return (True, "") if same else (False, f"it shows: {defects[-1]}")
    return False, _exit_words(outcome)


def _script(plan: Plan, file: Path, text: str, shown: Shown, limits: Limits) -> tuple[bool | None, str]:
    runner = plan.setup["wrapper"].get("script-runner")
    if not runner:
        return None, "the wrapper does not say how its solver reads a script"
    with tempfile.TemporaryDirectory(prefix="murxpy-script-") as folder:
        program = Path(folder) / "run.py"
        program.write_text(runner, encoding="utf-8")
        outcome = run_program(plan, program, (str(file.absolute()),), text, SECONDS, limits)
    ended = _ended(plan, outcome, shown)
    if ended is not None:
        return ended
    if _exit_code(outcome) == NO_SCRIPTS:
        return None, "this release's Python API reads no scripts"
    if shown.message and normalise(shown.message.partition(": ")[2] or shown.message) in normalise(outcome.output):
        return True, ""
    return False, _exit_words(outcome)


def _ended(plan: Plan, outcome: Outcome, shown: Shown) -> tuple[bool, str] | None:
    """Whether the end of the process is the finding; None where the program ended by itself."""
    if outcome.cause == "wall":
        return shown.kind == "hang", "" if shown.kind == "hang" else f"no end within {SECONDS:g} s"
    code = _exit_code(outcome)
    if code is not None and code >= 0 and shown.kind != "exit":
        return None
    verdict = judge(outcome)
    if verdict is None:
        return False, ""
    key = bucket_key(plan.target.family, verdict)
    return key == shown.key, "" if key == shown.key else f"it shows {key}"


def _exit_code(outcome: Outcome) -> int | None:
    """The exit code, negative for a signal; None where it did not end by itself."""
    return None if outcome.status is None else os.waitstatus_to_exitcode(outcome.status)


def _exit_words(outcome: Outcome) -> str:
    rows = [row for row in outcome.output.splitlines() if row.strip()]
    last = f": {rows[-1][:200]}" if rows else ""
    return f"it ends with exit code {_exit_code(outcome)}{last}"
