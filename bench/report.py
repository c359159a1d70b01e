"""What `murxpy report` costs for a campaign with many findings: seconds by the clock and of a processor,
and megabytes of each form.

    python bench/report.py --buckets 5000

makes up such a campaign, with a smaller trace, a script or a program of each finding, and adds a row for
each form to `bench/results/report.md`. The aims are 3 seconds of a processor, which is what the clock says
on a machine that does nothing else, and 5 MB for the page.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import closing
from pathlib import Path

import common
from common import add_row, circumstances, table, verdict

from murxpy.findings.buckets import Bucket, Kept
from murxpy.findings.folder import CAMPAIGN
from murxpy.findings.store import Changes, Store, TargetState
from murxpy.records.config import reaped_cpu
from murxpy.records.finding import Reproducer
from murxpy.records.timeline import Point

SECONDS, SIZE = 3.0, 5_000_000
FORMS = ("html", "markdown", "junit", "sarif")
_HEAD = "# murxpy-trace 1\n# solver z3 5.4.1\n"
_OPERATORS = ("AND", "OR", "XOR", "BVADD", "BVMUL", "BVSUB", "BVUDIV", "BVSHL", "BVXOR", "BVNEG")
_STARTED = 1_795_000_000.0


def _script(number: int) -> str:
    rows = [f"(declare-const c{at} (_ BitVec {8 + number % 56}))" for at in range(4)]
    rows += [f"(assert (= (bvadd c{at} c{(at + number) % 4}) #x{number:02x}))" for at in range(6)]
    return "\n".join(["(set-logic QF_BV)", *rows, "(check-sat) ; unsat", ""])


def _trace(number: int) -> str:
    script = _script(number).replace("\n", "\\n")
    return f'{_HEAD}new\nrun-script 0 "{script}"\n' + "return unsat\n" * (number % 7)


def bucket_of(out: Path, number: int) -> Bucket:
    """A finding of a campaign: by turns a wrong answer, a crash and an exception."""
    kind = ("wrong-unsat", "crash", "exception")[number % 3]
    key = f"{kind}-z3-check-sat-{number:08x}"
    folder = out / "findings" / key
    folder.mkdir(parents=True)
    texts = {"trace": _trace(number) * 4, "min.trace": _trace(number)}
    texts |= {"smt2": _script(number)} if kind == "wrong-unsat" else {}
    texts |= {"python": f"import z3\n# {number}\n" * 20} if kind != "wrong-unsat" else {}
    forms = []
    for form, text in texts.items():
        name = f"{number:016x}.{'py' if form == 'python' else form}"
        (folder / name).write_text(text)
        forms.append(Reproducer(form, f"findings/{key}/{name}", True))
    frames = "\n".join(f"#{at} 0x1 in f{number}_{at} () from libz3.so" for at in range(20))
    operator = f"OP_{_OPERATORS[number % len(_OPERATORS)]}" if kind == "exception" else ""
    return Bucket(
        *(key, kind, "solver", "high" if kind == "wrong-unsat" else "medium", "z3"),
        "SIGSEGV" if kind == "crash" else "",
        f"unexpected code {number} was reached in module m{number}",
        *("check-sat", operator, "", "confirmed", _STARTED + number, _STARTED + number, 3, 1),
        frames if kind == "crash" else "",
        [Kept(forms[0].file, number, 40, 4000, True)],
        {"evidence": [f"an evaluation of the model says so ({number})"]},
        reproducers=tuple(forms),
    )


def make_up(out: Path, buckets: int) -> None:
    """A campaign in folder `out` with so many buckets."""
    made = [bucket_of(out, number) for number in range(buckets)]
    rows = [
        (b.key, "z3", number, f"{number:x}", "5.4.1", 40, "[]", b.first)
        for number, b in enumerate(made)
    ]
    points = [
        Point(_STARTED, float(at), *(at * n for n in (30, 90, 60, 5, 10**9, 8 * 10**8)))
        for at in range(800)
    ]
    counters = Counter({"run:total": 24_000, "check:total": 72_000, "check:decided": 48_000})
    counters.update({f"op:OP_{n}": 100 for n in range(500)})
    counters.update({f"refusal-message:unsupported:no operator {n}": n for n in range(2_000)})
    with closing(Store(out, rebuild=True)) as store:
        store.save(
            Changes(
                [TargetState("z3", "z3", "5.4.1")],
                made,
                rows,
                counters,
                session=(_STARTED, _STARTED + 800, "time limit", "{}"),
                points=points,
            )
        )


def measured(out: Path, form: str) -> tuple[float, float, int]:
    """The seconds that a report of folder `out` in a form takes, by the clock and of a processor, and its
    bytes.
    """
    file = out / f"report.{form}"
    command = [sys.executable, "-m", "murxpy", "report", str(out), f"--{form}", str(file)]
    began, before = time.perf_counter(), reaped_cpu()
    subprocess.run(command, cwd=common.ROOT, check=True, capture_output=True)
    return time.perf_counter() - began, reaped_cpu() - before, os.path.getsize(file)


def main() -> None:
    """Run it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--buckets", type=int, default=5000, help="buckets of the campaign")
    parser.add_argument("--keep", type=Path, help="make the campaign in this folder, and leave it")
    parser.add_argument("--no-save", action="store_true", help="write nothing under bench/results")
    args = parser.parse_args()
    args.theories = "-"
    with tempfile.TemporaryDirectory() as scratch:
        out = args.keep or Path(scratch)
        if not (out / CAMPAIGN).exists():
            make_up(out, args.buckets)
        rows = [(form, *measured(out, form)) for form in FORMS]
    shown = [
        (
            form,
            round(clock, 2),
            round(cpu, 2),
            round(size / 1e6, 2),
            verdict(cpu <= SECONDS and size <= SIZE),
        )
        for form, clock, cpu, size in rows
    ]
    header = ("form", "seconds", "CPU s", "MB", "3 s, 5 MB")
    table(f"Reports of {args.buckets:,} buckets", header, shown)
    if not args.no_save:
        about = circumstances(args)
        for row in shown:
            named = dict(zip(header, row, strict=True))
            add_row("report", {"buckets": args.buckets, **named}, about)


if __name__ == "__main__":
    main()
