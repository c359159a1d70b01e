"""How small the ways to reduce a finding of STORM make it: `--strategy regenerate` (the paper's own),
`delete`, `both`, and ddSMT, which is no part of murxpy (`pip install ddsmt`, named by --ddsmt).

`python bench/minimizers.py OUT...` prints the table of `bench/results/minimizers.md`, and writes no
file there.

    python bench/minimizers.py OUT... --time 60 --ddsmt ~/ddsmt/bin/ddsmt

Each OUT is the folder of a campaign, whose findings of storm are reduced on the release that showed
them. The size of a script is its characters and its assertions. A wrong answer is lost if the
smaller script has another answer by the solvers of this environment, so that the answer is right.
"""

from __future__ import annotations

import argparse
import contextlib
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import common
from mutants import Solvers

from murxpy.findings.scripted import scripted, trace_of
from murxpy.machine.script import answers_of
from murxpy.machine.trace.grammar import Trace, parse_trace, read_trace
from murxpy.processes.environments import cache_folder

STRATEGIES = ("regenerate", "delete", "both")


@dataclass(frozen=True)
class Reduced:
    """What a way made of a finding: characters, assertions, seconds, and what was lost."""

    characters: int
    assertions: int
    seconds: float
    lost: str

    def __str__(self) -> str:
        return f"{self.characters:,} / {self.assertions} / {self.seconds:.0f} s{self.lost and ', ' + self.lost}"


def findings(folders: list[Path]) -> Iterator[tuple[Path, Trace]]:
    """The traces of storm in the folders of campaigns, each bucket once."""
    seen: dict[str, None] = {}
    for folder in folders:
        for path in sorted((folder / "findings").glob("*/*.trace")):
            trace = parse_trace(read_trace(path), str(path))
            fresh = path.parent.name not in seen and ".min" not in path.name
            if fresh and trace.header.get("source") == "storm" and scripted(trace) is not None:
                seen[path.parent.name] = None
                yield path, trace


def measured(text: str, seconds: float, kind: str, solvers: Solvers) -> Reduced:
    """The figures of a smaller trace, or `none` if there is none."""
    script = scripted(parse_trace(text, "small")) if text else None
    if script is None:
        return Reduced(0, 0, seconds, "none")
    lost = ""
    if kind == "wrong-answer":
        answers = [answers_of(run(script.text))[-1:] for run in (solvers.z3, solvers.cvc5)]
        lost = "" if [script.expected[-1]] in answers else "the right answer is lost"
    return Reduced(len(script.text), script.text.count("(assert "), seconds, lost)


def by_murxpy(path: Path, strategy: str, seconds: float) -> tuple[str, float]:
    """The smaller trace of `murxpy minimize`, and the time that it took."""
    with tempfile.TemporaryDirectory() as folder:
        out, start = Path(folder) / "small.trace", time.monotonic()
        command = [sys.executable, "-m", "murxpy", "minimize", str(path), "--strategy", strategy]
        command += ["--time", f"{seconds:g}s", "-o", str(out)]
        subprocess.run(command, capture_output=True, cwd=common.ROOT, check=False)
        return out.read_text() if out.exists() else "", time.monotonic() - start


_RUN = """import sys
sys.path[:0] = [{wrappers!r}, {packages!r}]
import {family}_scripts as scripts
text = open(sys.argv[1]).read()
if {family!r} == "z3":
    import z3
    print(scripts.run_script(z3.Context(), text, {limit}))
else:
    import cvc5
    print(scripts.run_script(cvc5.InputParser, cvc5.TermManager(), text, {limit}))
"""


def by_ddsmt(path: Path, trace: Trace, ddsmt: str, seconds: float) -> tuple[str, float]:
    """The same of ddSMT, which keeps how a process of the release ends, and what it prints."""
    script = scripted(trace)
    assert script is not None
    family, release = trace.header["solver"].split()
    packages = next(cache_folder().glob(f"{family}*-{release}-*/lib/python*/site-packages"))
    with tempfile.TemporaryDirectory() as folder:
        small, runs = Path(folder) / "small.smt2", Path(folder) / "runs.py"
        (Path(folder) / "in.smt2").write_text(script.text)
        wrappers = str(common.ROOT / "wrappers")
        runs.write_text(
            _RUN.format(
                wrappers=wrappers, packages=str(packages), family=family, limit=script.limit
            )
        )
        start = time.monotonic()
        command = [ddsmt, "-j", "1", "in.smt2", "small.smt2", sys.executable, "-S", str(runs)]
        with contextlib.suppress(subprocess.TimeoutExpired):
            subprocess.run(command, capture_output=True, cwd=folder, timeout=seconds, check=False)
        spent = time.monotonic() - start
        if not small.exists():
            return "", spent
        made = type(script)(small.read_text(), script.expected, script.limit)
        return trace_of(made, family), spent


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", nargs="+", type=Path, help="folders of campaigns")
    parser.add_argument("--time", type=float, default=60.0, help="seconds for each reduction")
    parser.add_argument("--ddsmt", default="", help="program of ddSMT; without it, it is left out")
    parser.add_argument("--most", type=int, default=10, help="findings that are reduced, at most")
    args = parser.parse_args()
    solvers, rows = Solvers(200.0), []
    ways = [*STRATEGIES, *(["ddSMT"] if args.ddsmt else [])]
    print(f"| finding | script | {' | '.join(ways)} |\n|---|---|{'---|' * len(ways)}")
    for (path, trace), _ in zip(findings(args.out), range(args.most), strict=False):
        kind = next(k for k in ("wrong-answer", path.parent.name) if path.parent.name.startswith(k))
        row: dict[str, Any] = {}
        for way in ways:
            made = (
                by_ddsmt(path, trace, args.ddsmt, args.time)
                if way == "ddSMT"
                else by_murxpy(path, way, args.time)
            )
            row[way] = measured(*made, kind, solvers)
        script = scripted(trace)
        assert script is not None
        first = f"{len(script.text):,} / {script.text.count('(assert ')}"
        rows.append(row)
        name = path.parent.name.rpartition("-")[0]
        print(f"| {name} | {first} | {' | '.join(map(str, row.values()))} |", flush=True)


if __name__ == "__main__":
    main()
