"""Judging translations: a printed script or program runs in a process of its own, and its answers
are compared with the trace's.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from scripts import READERS, Reading, flat, forked

from murxpy.data import load_wrapper
from murxpy.errors import InputError
from murxpy.logic.catalogue import Catalogue
from murxpy.machine.trace.grammar import Trace, parse_trace
from murxpy.translate.dry import plain_text
from murxpy.translate.murxla import to_murxla
from murxpy.translate.python import to_python
from murxpy.translate.smtlib import to_smtlib
from murxpy.worker.session import Session

SECONDS = 10.0
# no fault of the translation
SETTLED = ("same", "partly", "timeout", "unsupported", "disputed", "died")
# What a command is refused for when the check before it ran out of resources in the one and not in
# the other.
_STATE = re.compile(r"resource limit|not available|unless|cannot get|Cannot get|canceled")
# What a script leaves out and no other solver's script needs: the API's own actions, options, what
# had no call.
_LEFT_OUT = re.compile(
    r"^; line \d+: (?P<action>\S+): (?P<what>.*has no name in.*|.*cvc5-block-model.*)$",
    re.MULTILINE,
)


@dataclass(frozen=True)
class Verdict:
    """What came of a translation.

    - `same`; `differs`; `refused`; `miscounted`: not as many assertions were read as printed.
    - `partly`: a script or trace of Murxla left out terms that have no words there; `detail` names the first.
    - `unsupported`: another solver than the trace's has no procedure for it.
    - `disputed`: the solver contradicts itself, it answers as was recorded when the check stands alone.
    - `died`: the solver crashed on what did not crash it before. `timeout`.
    """

    status: str
    detail: str = ""


def judge_smtlib(trace: Trace, catalogue: Catalogue, dialect: str | None = None) -> Verdict:
    """Run the trace as a script in a dialect, its own solver's unless named; one of `standard` in
    all solvers.

    What only an API can say is left out, so are options of z3.
    """
    dialect = dialect or trace.solver
    script = to_smtlib(trace, catalogue, dialect, lossy=True, by_definition=True)
    verdicts = [
        judge_script(script, trace, solver, dialect)
        for solver in ([dialect] if dialect in READERS else READERS)
    ]
    return min(verdicts, key=lambda one: one.status in SETTLED)


def judge_script(script: str, trace: Trace, solver: str, dialect: str) -> Verdict:
    """Run a script in a solver."""
    foreign = dialect != trace.solver  # the options that the trace's solver had are left out
    read = READERS[solver](script, SECONDS, 1000 if foreign else 0)
    error = next((e for e in read.errors if not _STATE.search(e)), None)
    if error is not None:
        unsupported = foreign and any(re.search(pattern, error) for pattern in _unsupported(solver))
        return Verdict("unsupported" if unsupported else "refused", f"{solver}: {error}")
    if read.late:
        return Verdict("timeout")
    seen, recorded = read.answers, answers(trace)
    left_out = _LEFT_OUT.search(script)
    if left_out:
        return Verdict("partly", left_out["what"])
    if read.signal:
        alike = seen == recorded and crashes(trace)
        return Verdict("same" if alike else "died", f"{solver}: signal {read.signal}")
    found = _counted(read, script, solver) or compare(seen, recorded, solver)
    if found.status == "differs" and _disputed(script, seen, recorded, solver):
        return Verdict("disputed", found.detail)
    return found


def _disputed(script: str, seen: Sequence[str], recorded: Sequence[str], solver: str) -> bool:
    """True if each check that is answered otherwise than recorded gets the recorded answer, or
    none, when it stands alone.
    """
    decided = ("sat", "unsat")
    wrong = [
        k
        for k, (a, b) in enumerate(zip(seen, recorded, strict=False))
        if a != b and a in decided and b in decided
    ]
    return bool(wrong) and all(
        READERS[solver](flat(script, k), SECONDS, 5000).answers in ([recorded[k]], ["unknown"], [])
        for k in wrong
    )


@cache
def _unsupported(solver: str) -> list[str]:
    """What a solver says where it has no procedure, as its wrapper knows it."""
    return [
        entry["message"]
        for entry in load_wrapper(solver)["refusals"]
        if entry["class"] == "unsupported" and "message" in entry
    ]


def _counted(read: Reading, script: str, solver: str) -> Verdict | None:
    """A verdict where not as many assertions were read as were printed."""
    printed = len(re.findall(r"^\(assert ", script, re.MULTILINE))
    if read.assertions in (None, printed):
        return None
    return Verdict("miscounted", f"{solver}: {printed} assertions printed, {read.assertions} read")


def judge_python(
    trace: Trace, catalogue: Catalogue, wrapper: dict[str, Any], file: Path
) -> Verdict:
    """Run the trace as a Python program, written to `file`."""
    try:
        file.write_text(to_python(trace, catalogue, wrapper), encoding="utf-8")
    except InputError as error:
        return Verdict("refused", str(error))
    try:
        command = [sys.executable, "-I", str(file)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return Verdict("timeout")
    if done.returncode < 0:
        return Verdict("same" if crashes(trace) else "died", f"signal {-done.returncode}")
    if done.returncode == 0 or (done.returncode == 1 and not done.stderr):
        return Verdict("same")
    rows = [
        row for row in done.stdout.splitlines() if "recorded" in row
    ] + done.stderr.splitlines()[-1:]
    return Verdict("differs" if done.returncode == 2 else "refused", rows[0] if rows else "")


def judge_murxla(trace: Trace, session: Session) -> Verdict:
    """Replay the trace in Murxla's grammar with the session of its solver."""
    text = to_murxla(trace, session.catalogue, lossy=True)

    def task(write: int) -> None:
        report = session.replay(text, trace.name, lambda row: os.write(write, row.encode()))
        if report["status"] == "error":
            os.write(write, f"\n# error {report}".encode())

    data, killed, late = forked(task, SECONDS)
    replayed = data.decode()
    if late:
        return Verdict("timeout")
    if "\n# error" in replayed or not replayed:
        return Verdict("refused", replayed.partition("\n# error")[2] or "no line replayed")
    left_out = re.search(r"^# line \d+: mk-\S+: (.*has no name.*)", text, re.MULTILINE)
    if left_out:
        return Verdict("partly", left_out[1])
    if killed:
        return Verdict("same" if crashes(trace) else "died", f"signal {killed}")
    return compare(answers(parse_trace(replayed, trace.name)), answers(trace), session.wrapper.name)


def answers(trace: Trace) -> list[str]:
    """The recorded answers of all checks."""
    return [plain_text(words[0]) for line in trace.lines if (words := line.result("answer"))]


def crashes(trace: Trace) -> bool:
    """True if the last call may not have returned."""
    return not trace.lines[-1].results and trace.lines[-1].action != "delete"


def compare(seen: Sequence[str], recorded: Sequence[str], solver: str) -> Verdict:
    """Position by position; what one of the two did not decide within its limit is left aside."""
    alike = all(a == b or "unknown" in (a, b) for a, b in zip(seen, recorded, strict=False))
    # the last check may not have returned
    if alike and len(recorded) <= len(seen) <= len(recorded) + 1:
        return Verdict("same")
    return Verdict(
        "differs", f"{solver}: recorded {' '.join(recorded)}, found {' '.join(seen)}"[:200]
    )
