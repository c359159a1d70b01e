"""Running SMT-LIB scripts in z3 and cvc5, each in a process of its own: answers, errors, and how
many assertions were read.
"""

from __future__ import annotations

import itertools
import json
import os
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

_ANSWER = re.compile(r"^(sat|unsat|unknown)\b", re.MULTILINE)
_ERROR = re.compile(r"\(error .*")
# z3 exits then, by no signal
_BROKEN = re.compile(r"^(ASSERTION VIOLATION|UNEXPECTED CODE WAS REACHED)", re.MULTILINE)
_DECLARES = ("(declare", "(define", "(assert ", "(set-logic")


@dataclass(frozen=True)
class Reading:
    """What a solver made of a script. `signal` is what killed it, 0 for none; `late` that it had
    not ended in time.

    `assertions` is None where the solver did not come to count them.
    """

    answers: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    assertions: int | None = None
    signal: int = 0
    late: bool = False


def forked(task: Callable[[int], None], seconds: float) -> tuple[bytes, int, bool]:
    """What `task` wrote to the descriptor that it got, in a child; the signal it died of, and if it
    was killed as too late.
    """
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(read)
        null = os.open(os.devnull, os.O_RDWR)
        for descriptor in (0, 1, 2):
            os.dup2(null, descriptor)
        try:
            task(write)
        finally:
            os._exit(0)
    os.close(write)
    end, data, late = time.monotonic() + seconds, b"", False
    while True:
        if not select.select([read], [], [], max(0.0, end - time.monotonic()))[0]:
            late = True
            os.kill(pid, signal.SIGKILL)
            break
        part = os.read(read, 1 << 16)
        if not part:
            break
        data += part
    os.close(read)
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    return data, 0 if late else max(0, -status), late


def read_cvc5(script: str, seconds: float, per_check: int = 0) -> Reading:
    """The script in cvc5, through its InputParser.

    `per_check` milliseconds limit a check, and what is experimental is switched on; 0 for nothing
    but what the script says.
    """
    import cvc5  # loaded once, before the fork

    def task(write: int) -> None:
        solver = cvc5.Solver(cvc5.TermManager())
        if per_check:
            solver.setOption("tlimit-per", str(per_check))
            for name in ("arrays-exp", "fp-exp", "strings-exp", "sets-exp"):
                solver.setOption(name, "true")
        parser = cvc5.InputParser(solver)
        parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, script, "script")
        symbols = parser.getSymbolManager()
        try:
            while not (command := parser.nextCommand()).isNull():
                row = [command.getCommandName(), str(command.invoke(solver, symbols))]
                os.write(write, json.dumps(row).encode() + b"\n")
        except Exception as error:
            os.write(
                write, json.dumps(["", "(error " + " ".join(str(error).split())]).encode() + b"\n"
            )

    data, killed, late = forked(task, seconds)
    rows: list[list[str]] = [json.loads(row) for row in data.splitlines() if row.endswith(b"]")]
    output = "\n".join(text for _, text in rows)
    asserted = sum(name == "assert" for name, _ in rows)
    complete = not killed and not late
    return Reading(
        _ANSWER.findall(output),
        _ERROR.findall(output),
        asserted if complete else None,
        killed,
        late,
    )


def read_z3(script: str, seconds: float, per_check: int = 0) -> Reading:
    """The script in z3's program; `parse_smt2_string` counts the assertions."""
    command = [
        str(Path(sys.executable).parent / "z3"),
        "-in",
        *([f"-t:{per_check}"] if per_check else []),
    ]
    try:
        done = subprocess.run(
            command, input=script, capture_output=True, text=True, timeout=seconds, check=False
        )
    except subprocess.TimeoutExpired:
        return Reading(late=True)
    killed = (
        signal.SIGABRT if _BROKEN.search(done.stdout + done.stderr) else max(0, -done.returncode)
    )
    counted = None if killed else count_z3(script, seconds)
    return Reading(_ANSWER.findall(done.stdout), _ERROR.findall(done.stdout), counted, killed)


def count_z3(script: str, seconds: float) -> int | None:
    """How many assertions `parse_smt2_string` reads, levels and checks left out; None where it does
    not end, or dies.
    """
    import z3

    def task(write: int) -> None:
        count = 0
        for part in script.split("\n(reset)\n"):
            kept = "\n".join(row for row in part.splitlines() if row.startswith(_DECLARES))
            count += len(z3.parse_smt2_string(kept, ctx=z3.Context()))
        os.write(write, b"%d" % count)

    data, _, _ = forked(task, seconds)
    return int(data) if data else None


READERS: dict[str, Callable[[str, float, int], Reading]] = {"z3": read_z3, "cvc5": read_cvc5}


def flat(script: str, check: int) -> str:
    """The check with this number, from 0, alone: all that was declared before it, what was asserted
    then, its assumptions.
    """
    declared: list[str] = []
    levels: list[list[str]] = [[]]
    seen = 0
    for row in script.splitlines():
        if row.startswith(("(declare", "(define", "(set-logic")):
            declared.append(row)
        elif row.startswith("(assert "):
            levels[-1].append(row)
        elif row.startswith("(push "):
            levels += [[] for _ in range(int(row[6:-1]))]
        elif row.startswith("(pop "):
            levels = levels[: len(levels) - int(row[5:-1])]
        elif row.startswith("(reset"):
            levels = [[]]
            declared = [] if row == "(reset)" else declared
        elif row.startswith("(check-sat"):
            if seen == check:
                assumed = re.match(r"\(check-sat-assuming \((.*)\)\)", row)
                literals = _literals(assumed[1]) if assumed else []
                rows = [
                    *declared,
                    *itertools.chain(*levels),
                    *(f"(assert {literal})" for literal in literals),
                ]
                return "\n".join([*rows, "(check-sat)", ""])
            seen += 1
    raise IndexError(check)


def _literals(text: str) -> list[str]:
    """Symbols, perhaps negated."""
    return re.findall(r"\(not (?:\|[^|]*\||[^\s()|]+)\)|\|[^|]*\||[^\s()|]+", text)
