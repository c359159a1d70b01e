"""Make seeds for input-level fuzzers: the checks of random traces as small scripts of the standard,
labelled by z3 and cvc5.

It writes files of `seeds/`, and no table.

A check becomes a script of its own: what was asserted and assumed, with the smallest logic that has
all that it uses. It is kept where z3 and cvc5, each in a process of its own, give the same answer.
A folder is filled up to `--each` files.
"""

from __future__ import annotations

import argparse
import contextlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

import common
from common import ROOT, table
from scripts import READERS, flat
from translation import walks

from murxpy.errors import InputError
from murxpy.logic.catalogue import Catalogue
from murxpy.machine.trace.grammar import Trace
from murxpy.smtlib.logics import smallest
from murxpy.smtlib.printing.terms import Printer
from murxpy.smtlib.reading.scripts import read_script
from murxpy.smtlib.script import Assert
from murxpy.translate.smtlib import Declarations, to_smtlib

SECONDS = 5.0
PER_CHECK = 1000  # milliseconds


def candidates(trace: Trace, catalogue: Catalogue, most: int) -> Iterator[tuple[str, str]]:
    """A logic and a script without it, for each check of a trace that the standard can say in at
    most `most` bytes.
    """
    script = to_smtlib(trace, catalogue, "standard", lossy=True, by_definition=True)
    for number in range(len(re.findall(r"^\(check-sat", script, re.MULTILINE))):
        with contextlib.suppress(InputError):
            made = alone(flat(script, number), catalogue)
            if made is not None and len(made[1]) <= most:
                yield made


def alone(text: str, catalogue: Catalogue, dialect: str = "standard") -> tuple[str, str] | None:
    """The smallest logic of a script, and its declarations and assertions in a dialect; None where it
    asserts nothing that has a constant.
    """
    read = read_script(text, "check", catalogue)
    printer = Printer(catalogue, dialect)
    rows: list[str] = []
    declarations = Declarations(printer, rows)
    terms = list(
        dict.fromkeys(command.term for command in read.commands if isinstance(command, Assert))
    )
    if not terms or all(term.ground for term in terms):
        return None
    asserted = [f"(assert {declarations.term(term)})" for term in terms]
    return smallest(declarations.demands()), "\n".join([*rows, *asserted])


def label(script: str, solvers: Iterable[str] = READERS) -> str | None:
    """What these solvers all answer: `sat` or `unsat`; None where they do not, or one of them
    complains.
    """
    found = []
    for solver in solvers:
        reading = READERS[solver](script, SECONDS, PER_CHECK)
        if reading.errors or len(reading.answers) != 1 or reading.answers[0] == "unknown":
            return None
        found.append(reading.answers[0])
    return found[0] if len(set(found)) == 1 else None


def seed_file(logic: str, status: str, body: str, made: str) -> str:
    """The text of a seed."""
    about = [
        "(set-info :smt-lib-version 2.7)",
        '(set-info :category "random")',
        f"(set-info :status {status})",
    ]
    return "\n".join(
        [
            f"; made by murxpy {made}",
            *about,
            f"(set-logic {logic})",
            body,
            "(check-sat)",
            "(exit)",
            "",
        ]
    )


def main() -> None:
    """Fill the folders."""
    parser = common.parser(__doc__, 50)
    parser.add_argument("--into", type=Path, default=ROOT / "seeds", help="folder of the seeds")
    parser.add_argument("--each", type=int, default=4, help="most files of one logic and status")
    parser.add_argument("--bytes", type=int, default=2500, help="most bytes of a script")
    args = parser.parse_args()
    session = common.load(args)
    known = {
        file.read_text(encoding="utf-8").partition("(set-logic")[2]
        for file in args.into.rglob("*.smt2")
    }
    counts: Counter[tuple[str, str]] = Counter()
    for trace in walks(session, args):
        for logic, body in candidates(trace, session.catalogue, args.bytes):
            counts += keep(
                args,
                logic,
                body,
                known,
                f"from a trace of {session.wrapper.name} {session.version}",
            )
    rows = [[logic, status, files] for (logic, status), files in sorted(counts.items())]
    table(
        f"Seeds from {args.runs} runs of {session.wrapper.name}", ["logic", "status", "files"], rows
    )


def keep(
    args: argparse.Namespace, logic: str, body: str, known: set[str], made: str
) -> Counter[tuple[str, str]]:
    """Write a check as a seed where there is room for it; what was written."""
    folders = {status: args.into / logic / status for status in ("sat", "unsat")}
    room = {
        status: args.each - len(list(folder.glob("*.smt2"))) for status, folder in folders.items()
    }
    text = seed_file(logic, "unknown", body, made)
    key = text.partition("(set-logic")[2]
    status = label(text) if key not in known and max(room.values()) > 0 else None
    if status is None or room[status] <= 0:
        return Counter()
    known.add(key)
    folders[status].mkdir(parents=True, exist_ok=True)
    number = 1 + args.each - room[status]
    (folders[status] / f"{number:03}.smt2").write_text(
        seed_file(logic, status, body, made), encoding="utf-8"
    )
    return Counter({(logic, status): 1})


if __name__ == "__main__":
    main()
