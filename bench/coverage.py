"""How much of a solver its seeds reach, and how much mutants of them reach beside: lines, functions and branches
of a build with gcov.

`python bench/coverage.py z3@BUILD/python --gcov BUILD --source SOURCES --seeds SEEDS --keep FOLDER` writes
`bench/results/coverage.md`.

The seeds are `--most` of the scripts in SEEDS, evenly spread over the folders. `murxpy stability` gives each of
them to the solver as text, and once more with another random seed. Then a campaign of each fuzzer begins with
the counters of the seeds, so that its row has what seeds and mutants reach together. It gets `--cpu` seconds of
all its processes. Mutants set no options, and nobody is asked for models and cores but the model of a seed of
STORM and DIVER. `walks` are random calls, which need no seeds. A source with `+` in it is no campaign: it has
what its parts reach together.

The campaigns stay in `--keep`, and the same command goes on where it was stopped; a larger `--cpu` gives each what
it lacks.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import common
from common import murxpy
from known_bugs import WALKS, fuzz

from murxpy.fuzzers.seeds import script_files
from murxpy.processes.gcov import COUNTED, FOLDER, watch

SEEDS = "seeds"
TOGETHER = "+"
HEADER = ("source", "tests", "CPU s", "lines", "functions", "branches")
FUZZERS = f"storm,fusion,fusion --concat-only,opfuzz,typefuzz,typefuzz{TOGETHER}opfuzz,{WALKS}"


def sample(seeds: Path, most: int, into: Path) -> Path:
    """Copy so many of the scripts below `seeds` to a new folder, evenly spread, with the folders that
    are their labels.
    """
    if not into.is_dir():
        scripts = sorted(script_files([seeds]))
        for at in range(min(most, len(scripts))):
            script = scripts[at * len(scripts) // min(most, len(scripts))]
            place = into / script.relative_to(seeds)
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(script, place)
    return into


def folder(args: argparse.Namespace, source: str) -> Path:
    """The folder of a source."""
    return args.keep.resolve() / source.replace(" --", "-")


def ask_seeds(args: argparse.Namespace, scripts: Path) -> None:
    """Have the solver answer the seeds alone. Answers that are there are not asked again."""
    out = folder(args, SEEDS)
    words = ["stability", args.solver, str(scripts), "--methods", "seed", "--variants", "1"]
    command = [sys.executable, "-m", "murxpy", *words, "--out", str(out / "answers")]
    environment = {**os.environ, **watch(out, args.gcov)}
    done = subprocess.run(command, cwd=common.ROOT, env=environment, stdout=subprocess.DEVNULL)
    if done.returncode not in common.FINE:
        raise SystemExit(f"murxpy {' '.join(words)}: exit code {done.returncode}")


def command(args: argparse.Namespace, source: str, scripts: Path) -> list[str]:
    """The command of a campaign."""
    name, *options = shlex.split(source)
    words = [sys.executable, "-m", "murxpy", "fuzz" if name == WALKS else name, args.solver]
    words += [] if name == WALKS else [str(scripts), "--check", "none"]
    words += ["--options", "none", "--wall", f"{args.wall:g}s", "--gcov", str(args.gcov.resolve())]
    words += ["--seed", str(args.seed), "--jobs", "1", "--no-minimize", "--json", *options]
    return [*words, "--out", str(folder(args, source))]


def join(args: argparse.Namespace, source: str) -> None:
    """Put the counters of the parts of a source together, in a folder of its own."""
    first, *others = (str(folder(args, part) / FOLDER) for part in source.split(TOGETHER))
    into = folder(args, source) / FOLDER
    into.parent.mkdir(exist_ok=True)
    for other in others:
        subprocess.run(["gcov-tool", "merge", first, other, "--output", str(into)], check=True)
        first = str(into)


def reached(args: argparse.Namespace, source: str) -> Mapping[str, Any]:
    """The figures of `murxpy coverage`, without those of the files; they are kept."""
    kept = folder(args, source) / f"reached-{args.cpu:g}.json"
    if not kept.is_file():
        words = ("coverage", str(args.gcov.resolve()), str(folder(args, source)))
        found = json.loads(murxpy(*words, "--source", str(args.source.resolve()), "--json"))
        del found["files"]
        kept.write_text(json.dumps(found))
    figures: Mapping[str, Any] = json.loads(kept.read_text())
    return figures


def tests(out: Path) -> tuple[str, str]:
    """The mutants or walks of a campaign, and its CPU seconds."""
    counts, _ = common.counted(out)
    mutants = [n for key, n in counts.items() if key.endswith(":accepted")]
    cpu = json.loads((out / "cpu.json").read_text())
    return f"{sum(mutants) or counts.get('run:total', 0):,}", f"{cpu:.0f}"


def measured(args: argparse.Namespace, scripts: Path) -> Iterator[list[str]]:
    """The row of the seeds, and then that of each source."""
    ask_seeds(args, scripts)
    low, amount = reached(args, SEEDS), sum(1 for _ in script_files([scripts]))
    yield [SEEDS, f"{amount:,}", "", *cells(low, low)]
    for source in args.fuzzers.split(","):
        out, amounts = folder(args, source), ("", "")
        if TOGETHER in source:
            join(args, source)
        else:
            if not (out / FOLDER).is_dir():
                shutil.copytree(folder(args, SEEDS) / FOLDER, out / FOLDER)
            fuzz(command(args, source, scripts), out, args.cpu)
            amounts = tests(out)
        yield [source, *amounts, *cells(reached(args, source), low)]


def cells(found: Mapping[str, Any], low: Mapping[str, Any]) -> Iterator[str]:
    """What was reached of lines, functions and branches, and how much more than by the seeds."""
    for what in COUNTED:
        number, more = (one[f"{what}_covered"] for one in (found, low))
        share = common.percent(number, found[f"{what}_total"])
        yield f"{number:,} ({share})" + (f", +{number - more:,}" if found is not low else "")


def main() -> None:
    """Run it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.ArgumentDefaultsHelpFormatter
    )
    parser.add_argument("solver", help="a build, such as z3@BUILD/python")
    parser.add_argument("--gcov", type=Path, required=True, help="folder of the compiler's notes")
    parser.add_argument("--source", type=Path, required=True, help="folder of the source files")
    parser.add_argument(
        "--seeds", type=Path, default=common.ROOT / "seeds", help="folder of seed scripts"
    )
    parser.add_argument("--most", type=int, default=200, help="seeds at most")
    parser.add_argument("--fuzzers", default=FUZZERS, help="with commas, with options for variants")
    parser.add_argument("--seed", type=int, default=1, help="seed of the campaigns")
    parser.add_argument("--cpu", type=float, default=60.0, help="CPU seconds of each campaign")
    parser.add_argument("--wall", type=float, default=10.0, help="seconds of a mutant or walk")
    parser.add_argument("--keep", type=Path, required=True, help="folder of the campaigns")
    parser.add_argument("--no-save", action="store_true", help="write nothing under bench/results")
    args: Any = parser.parse_args()
    args.keep.mkdir(parents=True, exist_ok=True)
    scripts = sample(args.seeds.resolve(), args.most, args.keep.resolve() / "scripts")
    rows: list[list[str]] = []
    for row in measured(args, scripts):
        rows.append(row)
        print(" | ".join(row), flush=True)
    title = "What seeds reach of a solver, and mutants beside them"
    common.save_page("coverage", args, title, HEADER, rows, f"{args.cpu:g} CPU s each")


if __name__ == "__main__":
    main()
