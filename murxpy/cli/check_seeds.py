"""`murxpy check-seeds`: which SMT-LIB scripts cannot be read, and which have a wrong label."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import asdict
from pathlib import Path

import click

from murxpy.cli.options import (
    CHECK_LIMIT,
    JUDGES,
    jobs_option,
    json_option,
    judges_option,
    theory_option,
    time_option,
)
from murxpy.cli.params import MISSING_SEEDS, Existing, Target
from murxpy.cli.report.console import Progress, print_json, say
from murxpy.cli.report.text import amount
from murxpy.data import load_catalogue
from murxpy.errors import InputError
from murxpy.fuzzers.seeds import script_files
from murxpy.judging import seeds as seedcheck
from murxpy.judging.judged_solver import JudgedSolver
from murxpy.judging.operators import make_judges
from murxpy.judging.seeds import DECIDED, FAULTS, VERDICTS, Checked, split, write_seeds
from murxpy.logic.catalogue import Catalogue, build_catalogue
from murxpy.processes.limits import Limits
from murxpy.processes.plans import Request, make_plans


@click.command("check-seeds")
@click.argument("seeds", metavar="SEEDS...", nargs=-1, required=True, type=Existing(MISSING_SEEDS))
@click.option(
    "--solver",
    type=Target(),
    metavar="SOLVER[@PLACE]",
    default="z3",
    show_default=True,
    help="Solver that runs the scripts.",
)
@judges_option(f"{JUDGES}: all scripts.", default="")
@time_option("--check-limit", "1s", f"{CHECK_LIMIT}.")
@time_option("--wall", "5s", "Wall time of a script on each solver.")
@jobs_option(
    "Number of scripts that run at a time.  [default: one for each usable CPU]", default=None
)
@click.option(
    "--write",
    "into",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Write the seeds to a new folder, DIR/LOGIC/sat and DIR/LOGIC/unsat: a script for each check"
    " whose label and answers agree, if there are two of them. Needs --cross-check.",
)
@theory_option
@json_option
def check_seeds(
    seeds: tuple[Path, ...],
    solver: str,
    judges: tuple[str, ...],
    check_limit: float,
    wall: float,
    jobs: int | None,
    into: Path | None,
    as_json: bool,
) -> int:
    """Read SEEDS, SMT-LIB scripts, traces or folders of them, run each script, and compare the answers with
    its (set-info :status ...), or with the name of its folder, sat or unsat.

    A label that one solver alone contradicts is doubted. It is wrong if two solvers contradict it, or
    if murxpy's evaluator finds all assertions true in the model of a solver that contradicts "unsat".

    Exits with 1 when a script cannot be read, when solvers answer otherwise than its label says, or
    when solvers contradict each other. Ctrl-C prints the totals of the scripts that were checked.
    """
    written = None if into is None else _Written(into, judges)
    paths = list(script_files(seeds))
    if not paths:
        raise InputError(f"no scripts (*.smt2) or traces (*.trace) in {', '.join(map(str, seeds))}")
    request = Request((solver,))
    (plan,) = make_plans(request)
    others = make_judges(request, [plan], judges) if judges else ()
    catalogue = build_catalogue(load_catalogue())
    found: list[Checked] = []
    try:
        with closing(JudgedSolver(plan, others, Limits(wall=wall))) as judged:
            jobs = jobs or len(os.sched_getaffinity(0))
            results = seedcheck.check_seeds(paths, judged, catalogue, int(check_limit * 1000), jobs)
            for checked in _shown(results, len(paths), as_json):
                found.append(checked)
                if written is not None:
                    written.take(checked, catalogue, plan.target.family)
    except KeyboardInterrupt as error:
        _print_counts(found, as_json, written)
        error.add_note(f"{len(found):,} of {amount(len(paths), 'script')} checked")
        raise
    _print_counts(found, as_json, written)
    return int(any(checked.verdict in FAULTS for checked in found))


def _shown(results: Iterator[Checked], count: int, as_json: bool) -> Iterator[Checked]:
    """The results one after another. Progress is shown, and each fault is printed."""
    with Progress("checking", count) as progress:
        for checked in results:
            progress.step()
            if checked.verdict in FAULTS and not as_json:
                by = f" by {checked.doubted_by}" if checked.doubted_by else ""
                progress.say(f"{checked.verdict}{by}: {_line(checked)}")
            yield checked


class _Written:
    """Writes seeds to a new folder, and counts them by label."""

    def __init__(self, folder: Path, judges: tuple[str, ...]) -> None:
        if not judges:
            raise InputError("--write needs a second solver; name one with --cross-check")
        if folder.exists() and any(folder.iterdir()):
            raise InputError(f"--write: the folder {folder} is not empty; expected a new one")
        self.folder = folder
        self.counts = dict.fromkeys(DECIDED, 0)

    def take(self, checked: Checked, catalogue: Catalogue, dialect: str) -> None:
        """Write the seeds that come of a script."""
        seeds = list(split(checked, catalogue, dialect))
        try:
            write_seeds(self.folder, Path(checked.path), seeds)
        except OSError as error:
            raise InputError(f"--write: {self.folder}: {error.strerror}") from None
        for seed in seeds:
            self.counts[seed.label] += 1


def _print_counts(found: list[Checked], as_json: bool, written: _Written | None) -> None:
    """Print how many scripts have each verdict; as JSON with all scripts."""
    counts = Counter(checked.verdict for checked in found)
    if as_json:
        data: dict[str, object] = {"counts": counts, "seeds": [asdict(one) for one in found]}
        if written is not None:
            data["written"] = written.counts
        print_json(data)
        return
    for verdict in VERDICTS:
        if counts[verdict]:
            say(f"{counts[verdict]:>7,}  {verdict}")
    if written is not None:
        amounts = ", ".join(f"{number:,} {label}" for label, number in written.counts.items())
        say(f"seeds written to {written.folder}: {amounts}")


def _line(checked: Checked) -> str:
    return (
        checked.reason if checked.verdict == "unreadable" else f"{checked.path}: {checked.reason}"
    )
