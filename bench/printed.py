"""The bugs that the papers print, asked of releases again.

`python bench/printed.py z3@4.8.12 z3 cvc5@1.1.2 cvc5` writes `bench/results/printed.md`.

`bench/printed` has the samples of figures 6.8, 7.1 and 7.7 of Winterer's thesis and of figure 2 of DIVER's
paper as scripts: each says where it is printed, the right answer, and which solver answered it wrongly
or not at all. Each is given to the releases of that solver, as a script, with the same limit. A release
that is a program is named with its solver: `'cvc5=smt2:/usr/bin/cvc5 --strings-exp'`. Figure 2 of
BanditFuzz's paper prints an example of its generator, which shows no bug. In figure 7.7d, three stores
lack an operand: `et-7.7d` has for these what shows the bug. The releases get the scripts without their
status, because old ones of z3 refuse to go on where they answer otherwise.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import common

import murxpy
from murxpy.data.wrappers import load_wrapper
from murxpy.errors import MurxpyError
from murxpy.machine.tokens import quote

FOLDER = Path(__file__).parent / "printed"
_INFO = re.compile(r"\(set-info :(source|shows|status) \|?([^|)]*)\|?\)")
_STATUS = re.compile(r"\(set-info :status \w+\)\n")
_ANSWER = re.compile(r"^ +answer (\w+)$", re.M)
_WALL = 3  # times the limit, by the clock


@dataclass(frozen=True, slots=True)
class Sample:
    """A printed script: its right answer, the solvers that showed a bug on it, and which."""

    name: str
    text: str
    source: str
    status: str
    solvers: tuple[str, ...]
    shows: str

    def judged(self, answer: str) -> str:
        """What an answer says of a release."""
        if answer in ("sat", "unsat"):
            return "right" if answer == self.status else "WRONG"
        return answer


def samples() -> list[Sample]:
    """All samples, in the order of their names."""
    found = []
    for file in sorted(FOLDER.glob("*.smt2")):
        text = file.read_text(encoding="utf-8")
        info = dict(_INFO.findall(text))
        *solvers, shows = info["shows"].split()
        found.append(Sample(file.stem, text, info["source"], info["status"], tuple(solvers), shows))
    return found


def named(target: str) -> tuple[str, str]:
    """The solver of a release, and the target that is asked: `cvc5=smt2:COMMAND` is a program of cvc5."""
    solver, found, program = target.partition("=smt2:")
    return (solver, f"smt2:{program}") if found else (target.partition("@")[0], target)


def answered(sample: Sample, target: str, seconds: float) -> str:
    """The answer of a release, or how it ended."""
    family = target.partition(":" if target.startswith("smt2:") else "@")[0]
    unit = float(load_wrapper(family)["limit-per-ms"])
    limit = f"{int(1000 * seconds * unit)} {int(1000 * _WALL * seconds)}"
    asked = _STATUS.sub("", sample.text)
    lines = f"1 new\n1 set-limit {limit}\n1 run-script {quote(asked)}\n"
    trace = f"# murxpy-trace 1\n# solver {family}\n{lines}"
    try:
        replay = murxpy.replay(trace, target, wall=2 * _WALL * seconds)
    except MurxpyError as error:
        return f"refused ({error})"
    answers = _ANSWER.findall(replay.trace)
    refused = "refused" if "\n      refused " in replay.trace else "no answer"
    return answers[0] if answers else replay.kind or refused


def rows(targets: Sequence[str], seconds: float) -> list[list[str]]:
    """A row for each sample: what each release of its solvers says."""
    found = []
    for sample in samples():
        cells = [
            sample.judged(answered(sample, asked, seconds)) if solver in sample.solvers else "-"
            for solver, asked in map(named, targets)
        ]
        shown = {"WRONG"} if sample.shows == "wrong" else {"unknown", "WRONG"}
        again = [target for target, cell in zip(targets, cells, strict=True) if cell in shown]
        found.append(
            [sample.name, sample.shows, *cells, ", ".join(again) or "on none of these releases"]
        )
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("targets", nargs="+", help="solvers and releases, such as z3@4.8.12")
    parser.add_argument("--seconds", type=float, default=3.0, help="limit of a check")
    parser.add_argument("--no-save", action="store_true", help="write nothing")
    args = parser.parse_args()
    header = ["sample", "printed as", *args.targets, "shows again"]
    table = rows(args.targets, args.seconds)
    common.table("Printed bugs", header, table)
    title = "The bugs that the papers print, on releases of today"
    common.save_page("printed", args, title, header, table, f"{args.seconds:g} s a check")


if __name__ == "__main__":
    main()
