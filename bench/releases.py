"""Each release of a solver, tried once: whether it can be used, what it lacks, and what runs and kept
findings show on it.

`python bench/releases.py z3 cvc5` prints the table of `bench/results/releases.md`.

    python bench/releases.py z3 cvc5                         # all releases, oldest first
    python bench/releases.py z3 --releases 4.13.0..latest --runs 200 --regressions 20

Releases are installed in the cache of 'murxpy releases'. What is known is kept after each release in
bench/results/releases.json, and a later call goes on from there. The table is printed at the end.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import common
from common import RESULTS, ROOT, table

from murxpy.data import load_wrapper
from murxpy.processes.environments import package_of
from murxpy.processes.releases import short, span
from murxpy.processes.targets import releases_of

WALL = 900  # seconds that one command may take
COLUMNS = (
    "release",
    "usable",
    "operators",
    "missing",
    "runs",
    "decided",
    "refused",
    "buckets",
    "ours",
    "shows",
    "untestable",
)


def command(*words: str) -> tuple[int, str, str]:
    """Exit code, standard output and standard error of a command of murxpy."""
    done = subprocess.run(
        [sys.executable, "-m", "murxpy", *words],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=WALL,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


def tried(solver: str, release: str, runs: int, regressions: int) -> dict[str, Any]:
    """What one release shows."""
    target = f"{solver}@{release}"
    code, printed, message = command("doctor", target, "--runs", "20", "--json")
    looked = json.loads(printed)["targets"][0] if printed else {"usable": False, "error": message}
    if not looked["usable"]:
        return {"usable": False, "error": looked["error"]}
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "out"
        words = ("--runs", str(runs), "--jobs", "1", "--seed", "1", "--out", str(out), "--json")
        code, printed, message = command("fuzz", target, *words)
        ended = json.loads(printed.splitlines()[-1]) if printed else {}
        _, printed, _ = command("findings", str(out), "--all", "--json")
        buckets = json.loads(printed or "[]")
    return {
        "usable": True,
        "version": looked["version"],
        "operators": sum(map(len, looked["operators"].values())),
        "missing": len(looked["missing"]),
        "runs": ended.get("runs", 0),
        "decided": ended.get("decided", 0),
        "refusals": ended.get("refusals", {}),
        "exit-code": code,
        "buckets": [
            {key: bucket[key] for key in ("key", "kind", "tier", "status", "count", "message")}
            for bucket in buckets
        ],
        "regressions": regressed(solver, target, regressions),
    }


def regressed(solver: str, target: str, count: int) -> dict[str, str]:
    """What so many kept findings of the solver are on the target, spread over all there are."""
    traces = sorted((ROOT / "traces" / "regressions").glob(f"{solver}-*/*.trace"))
    chosen = [str(traces[at * len(traces) // count]) for at in range(min(count, len(traces)))]
    _, printed, message = command("regress", *chosen, "--solver", target, "--json")
    if not printed:
        return {"error": message}
    return {row["name"].rpartition("/")[2]: row["status"] for row in json.loads(printed)}


def row(release: str, found: dict[str, Any]) -> tuple[str, ...]:
    """The line of a release in the table."""
    if not found["usable"]:
        return (release, f"no: {found['error'][:60]}", *[""] * (len(COLUMNS) - 2))
    counts = found["refusals"]
    ours = [one for one in found["buckets"] if one["tier"] == "murxpy"]
    statuses = list(found["regressions"].values())
    figures = (
        found["operators"],
        found["missing"],
        found["runs"],
        found["decided"],
        counts.get("ill-formed", 0) + counts.get("undocumented", 0),
        len(found["buckets"]),
        len(ours),
        statuses.count("shows") + statuses.count("back"),
        statuses.count("untestable"),
    )
    return (release, "yes", *map(str, figures))


def main() -> int:
    """Try the releases."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("solvers", nargs="+")
    parser.add_argument("--releases", help="only these, such as 4.13.0..latest")
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--regressions", type=int, default=20)
    parser.add_argument("--file", type=Path, default=RESULTS / "releases.json")
    args = parser.parse_args()
    known = json.loads(args.file.read_text()) if args.file.is_file() else {}
    for solver in args.solvers:
        package = package_of(load_wrapper(solver))
        there = releases_of(package.name)
        names = span(args.releases, there, package.name) if args.releases else package.usable(there)
        found = known.setdefault(solver, {})
        for release in map(short, names):
            if release not in found:
                found[release] = tried(solver, release, args.runs, args.regressions)
                known["circumstances"] = common.circumstances(argparse.Namespace(theories="all"))
                args.file.write_text(json.dumps(known, indent=1) + "\n")
                print(" ".join(row(release, found[release])), flush=True)
        table(f"Releases of {solver}", COLUMNS, [row(one, found[one]) for one in found])
    return 0


if __name__ == "__main__":
    sys.exit(main())
