"""Whether murxpy still does, byte for byte, what it did: record it at one commit, and compare at
another.

    python bench/same.py record                 # writes bench/results/same.txt
    python bench/same.py compare                # records again, and exits with 1 where something differs
    python bench/same.py compare --only walks,translations --runs 50

The record covers the traces of random walks (z3 and cvc5; the default machine, the incremental one,
and contract mode), the traces of each mutation fuzzer on the shipped seeds, the reduced form of
each kept regression, and translations of traces. It has a line for each item: its name, how it
ended, and the beginning of the SHA-256 of its text. An item that a limit of wall time ended, in
either record, is counted and not compared. `--keep FOLDER` also writes the texts, so that a
difference can be looked at. Of a Python program the syntax tree is compared, since it contains
functions of murxpy's own source as they are formatted there.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import hashlib
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import common
from children import run_all, walked
from common import RESULTS, ROOT

from murxpy.data import load_catalogue, load_wrapper
from murxpy.errors import InputError, MurxpyError
from murxpy.fuzzers.setups import CHECKS, Mutation, RunOptions
from murxpy.logic.catalogue import build_catalogue
from murxpy.machine.trace.grammar import Trace, parse_trace, read_trace
from murxpy.processes.plans import Request, make_plans
from murxpy.sources.mutation.registry import FUZZERS
from murxpy.translate.murxla import to_murxla
from murxpy.translate.python import to_python
from murxpy.translate.smtlib import to_smtlib
from murxpy.worker.session import Session

SOLVERS = ("z3", "cvc5")
MACHINES = ("default", "incremental", "contract")
WALKS = 500  # walks of each solver on each machine
MUTATIONS = 200  # runs of each mutation fuzzer
MUTANTS = 10  # of one run
TRANSLATED = 300  # traces
WALL = 20.0  # seconds after which a run is ended, and not compared
REDUCTION = 120  # seconds after which a reduction is ended, and not compared
CHUNK = 50  # runs of one child process
APART = ("overstayed", "out-of-time")  # how an item ends that is not compared
Item = tuple[str, str, str]  # name, how it ended, text


def walks(args: argparse.Namespace) -> Iterator[Item]:
    """The traces of random walks."""
    for solver in SOLVERS:
        for machine in MACHINES:
            session = _session(
                Request((solver,), machine=machine, run_options=RunOptions(checks=CHECKS))
            )
            yield from _runs(f"walk/{solver}/{machine}", session, args.runs or WALKS, args.jobs)


def mutants(args: argparse.Namespace) -> Iterator[Item]:
    """The traces of each mutation fuzzer, with the mutants in them."""
    for solver in SOLVERS:
        for name in FUZZERS:
            mutation = Mutation(((name, 1.0),), ("seeds",), walk=MUTANTS)
            session = _session(Request((solver,), mutation=mutation))
            yield from _runs(f"mutants/{solver}/{name}", session, args.runs or MUTATIONS, args.jobs)


def _session(request: Request) -> Session:
    return Session(make_plans(request)[0].setup)


def _runs(name: str, session: Session, runs: int, jobs: int) -> Iterator[Item]:
    def task(session: Session, seed: int, write: Callable[[str], None]) -> dict[str, Any]:
        return {"trace": walked(session, seed, write)}

    seeds = common.seeds(argparse.Namespace(seed=12, runs=runs))
    for outcome in run_all(session, seeds, task, jobs, WALL, CHUNK):
        ended = " ".join(filter(None, (outcome.status, outcome.cause))).replace(" ", "-")
        yield f"{name}/{outcome.seed:08x}", ended, outcome.result.get("trace", outcome.trace)


def reduced(args: argparse.Namespace) -> Iterator[Item]:
    """What `murxpy minimize` makes of each kept regression, on the solver that is installed."""
    traces = sorted((ROOT / "traces" / "regressions").rglob("*.trace"))[: args.runs or None]
    with ThreadPoolExecutor(args.jobs) as pool:
        yield from pool.map(_reduced, traces)


def _reduced(trace: Path) -> Item:
    solver = trace.parent.name.partition("-")[0]
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "small.trace"
        command = [
            sys.executable,
            "-m",
            "murxpy",
            "minimize",
            str(trace),
            "--solver",
            solver,
            "-o",
            str(out),
            "--time",
            f"{REDUCTION}s",
        ]
        began = time.monotonic()
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        ended = (
            "out-of-time" if time.monotonic() - began >= REDUCTION else f"exit-{done.returncode}"
        )
        text = out.read_text(encoding="utf-8") if out.exists() else ""
    return f"reduced/{trace.parent.name}/{trace.stem}", ended, text


def translations(args: argparse.Namespace) -> Iterator[Item]:
    """Traces as SMT-LIB in each dialect, as Murxla's traces and as Python programs."""
    catalogue = build_catalogue(load_catalogue())
    for name, trace in _traces(args.runs or TRANSLATED):
        wrapper = load_wrapper(trace.solver if trace.solver in SOLVERS else SOLVERS[0])
        ways: dict[str, Callable[[Trace], str]] = {
            **{
                f"{dialect}{'-lossy' * lossy}": lambda t, d=dialect, x=lossy: to_smtlib(
                    t, catalogue, d, lossy=x
                )
                for dialect in ("standard", *SOLVERS)
                for lossy in (False, True)
            },
            "murxla": lambda t: to_murxla(t, catalogue, lossy=True),
            "python": lambda t, w=wrapper: unformatted(to_python(t, catalogue, w)),
        }  # type: ignore[dict-item]
        for way, translate in ways.items():
            try:
                yield f"translation/{name}/{way}", "ok", translate(trace)
            except InputError as error:
                yield f"translation/{name}/{way}", "refused", str(error)


def unformatted(program: str) -> str:
    """A Python program in one format, without its comments and docstrings."""
    tree = ast.parse(program)
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if (
            isinstance(body, list)
            and body
            and isinstance(body[0], ast.Expr)
            and isinstance(body[0].value, ast.Constant)
        ):
            body[:1] = [] if len(body) > 1 else [ast.Pass()]
    return ast.unparse(tree)


def _traces(count: int) -> Iterator[tuple[str, Trace]]:
    """The traces that are shipped, and walks of both solvers up to `count`."""
    shipped = sorted((ROOT / "traces").rglob("*.trace"))[:count]
    for file in shipped:
        with contextlib.suppress(InputError):
            yield (
                file.relative_to(ROOT / "traces").as_posix(),
                parse_trace(read_trace(file), file.name),
            )
    for solver in SOLVERS:
        session = _session(Request((solver,)))
        for name, ended, text in _runs(
            solver, session, max(0, count - len(shipped)) // len(SOLVERS), 1
        ):
            if ended == "ok":
                yield name, parse_trace(text, name)


PARTS: dict[str, Callable[[argparse.Namespace], Iterator[Item]]] = {
    "walks": walks,
    "mutants": mutants,
    "reduced": reduced,
    "translations": translations,
}


def recorded(args: argparse.Namespace) -> Iterator[tuple[str, str]]:
    """The items: each with its name, and how it ended with the hash of its text."""
    for part in args.only.split(","):
        for name, ended, text in PARTS[part](args):
            if args.keep:
                file = args.keep / name
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text, encoding="utf-8", errors="surrogatepass")
            yield (
                name,
                f"{ended} {hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}",
            )


def record(args: argparse.Namespace) -> int:
    """Write the record."""
    head = [
        f"# {key}: {value}"
        for key, value in common.circumstances(argparse.Namespace(theories="all")).items()
        if key != "theories"
    ]
    items = [f"{name} {what}" for name, what in recorded(args)]
    args.file.write_text("\n".join([*head, *items]) + "\n", encoding="utf-8")
    print(f"{len(items):,} items recorded in {args.file.name}")
    return 0


def compare(args: argparse.Namespace) -> int:
    """Record again and compare; gives the exit code."""
    lines = [
        line
        for line in args.file.read_text(encoding="utf-8").splitlines()
        if not line.startswith("#")
    ]
    before = {name: what for name, _, what in (line.partition(" ") for line in lines)}
    counts: Counter[str] = Counter()
    for name, what in recorded(args):
        was = before.get(name)
        apart = was is not None and any(one.split()[0] in APART for one in (was, what))
        verdict = (
            "new" if was is None else "apart" if apart else "same" if was == what else "different"
        )
        counts[verdict] += 1
        if verdict in ("new", "different"):
            print(f"{verdict}: {name}: {was}, now {what}", flush=True)
    print(", ".join(f"{count:,} {what}" for what, count in counts.items()))
    return int(counts["different"] > 0 or counts["new"] > 0)


def main() -> int:
    """Record or compare."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=("record", "compare"))
    parser.add_argument(
        "file",
        type=Path,
        nargs="?",
        default=RESULTS / "same.txt",
        help="the record  [default: bench/results/same.txt]",
    )
    parser.add_argument(
        "--only", default=",".join(PARTS), help=f"parts with commas: {', '.join(PARTS)}"
    )
    parser.add_argument("--runs", type=int, help="so many of each, in place of the usual numbers")
    parser.add_argument("--jobs", type=int, default=2, help="processes at a time")
    parser.add_argument("--keep", type=Path, help="folder for the texts")
    args = parser.parse_args()
    os.chdir(ROOT)  # names of files in traces are then the same in each checkout
    try:
        return record(args) if args.what == "record" else compare(args)
    except MurxpyError as error:
        raise SystemExit(f"error: {error}") from None


if __name__ == "__main__":
    sys.exit(main())
