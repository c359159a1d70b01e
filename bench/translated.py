"""Judging translations: a printed script or program runs in a process of its own, and its answers are compared with the trace's."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from murxpy.logic.catalogue import Catalogue
from murxpy.trace.grammar import Trace
from murxpy.trace.translate.dry import plain_text
from murxpy.trace.translate.python import to_python
from murxpy.trace.translate.smtlib import to_smtlib

SECONDS = 30
_ANSWER = re.compile(r"^(sat|unsat|unknown)\b", re.MULTILINE)
_ERROR = re.compile(r"\(error .*|^parse error: .*", re.MULTILINE)
# What a command is refused for when the check before it ran out of resources in the one and not in the other.
_STATE = re.compile(r"not available|unless|cannot get|Cannot get|canceled")
_CVC5 = """
import sys, cvc5
solver = cvc5.Solver(cvc5.TermManager())
parser = cvc5.InputParser(solver)
parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, sys.stdin.read(), "script")
symbols = parser.getSymbolManager()
try:
    while not (command := parser.nextCommand()).isNull():
        print(command.invoke(solver, symbols), end="", flush=True)
except Exception as error:
    print("parse error:", " ".join(str(error).split()))
"""


@dataclass(frozen=True)
class Verdict:
    """What came of a translation: `same`, `differs`, `refused`, `died`, `timeout`, and for scripts `partly` where it left out terms."""

    status: str
    detail: str = ""


def judge_smtlib(trace: Trace, catalogue: Catalogue) -> Verdict:
    """Run the trace as a script in its solver's dialect. What only an API can say is left out, so are options of z3."""
    script = to_smtlib(trace, catalogue, trace.solver, lossy=True)
    command = [sys.executable, "-c", _CVC5]
    if trace.solver == "z3":
        command = [str(Path(sys.executable).parent / "z3"), "-in"]
    done = run(command, script)
    if done is None:
        return Verdict("timeout")
    error = next((e for e in _ERROR.findall(done.stdout) if not _STATE.search(e)), None)
    if error is not None:
        return Verdict("refused", error)
    seen, recorded = _ANSWER.findall(done.stdout), answers(trace)
    if re.search(r"^; line.* has no name in", script, re.MULTILINE):
        return Verdict("partly")
    if done.returncode < 0:
        return Verdict("same" if seen == recorded and crashes(trace) else "died", f"signal {-done.returncode}")
    return compare(seen, recorded)


def judge_python(trace: Trace, catalogue: Catalogue, wrapper: dict[str, Any], file: Path) -> Verdict:
    """Run the trace as a Python program, written to `file`."""
    file.write_text(to_python(trace, catalogue, wrapper), encoding="utf-8")
    done = run([sys.executable, str(file)], "")
    if done is None:
        return Verdict("timeout")
    if done.returncode < 0:
        return Verdict("same" if crashes(trace) else "died", f"signal {-done.returncode}")
    if done.returncode == 0 or (done.returncode == 1 and not done.stderr):
        return Verdict("same")
    rows = [row for row in done.stdout.splitlines() if "recorded" in row] + done.stderr.splitlines()[-1:]
    return Verdict("differs" if done.returncode == 2 else "refused", rows[0] if rows else "")


def run(command: Sequence[str], text: str) -> subprocess.CompletedProcess[str] | None:
    """The command's outcome with `text` on its standard input; None after half a minute."""
    try:
        return subprocess.run(command, input=text, capture_output=True, text=True, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return None


def answers(trace: Trace) -> list[str]:
    """The recorded answers of all checks."""
    return [plain_text(words[0]) for line in trace.lines if (words := line.result("answer"))]


def crashes(trace: Trace) -> bool:
    """True if the last call may not have returned."""
    return not trace.lines[-1].results and trace.lines[-1].action != "delete"


def compare(seen: Sequence[str], recorded: Sequence[str]) -> Verdict:
    """Position by position; what one of the two did not decide within its limit is left aside."""
    alike = all(a == b or "unknown" in (a, b) for a, b in zip(seen, recorded, strict=False))
    if alike and len(recorded) <= len(seen) <= len(recorded) + 1:  # the last check may not have returned
        return Verdict("same")
    return Verdict("differs", f"recorded {' '.join(recorded)}, found {' '.join(seen)}"[:200])
