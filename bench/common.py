"""What the benches share: arguments, the session, commands, tables, and the files under `bench/results/`."""

from __future__ import annotations

import argparse
import json
import os
import platform
import sqlite3
import subprocess
import sys
import time
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "bench" / "results"
sys.path.insert(0, str(ROOT))  # what is measured is this checkout, whatever is installed

from murxpy import __version__  # noqa: E402
from murxpy.data import (  # noqa: E402
    load_catalogue,
    load_machine,
    load_profile,
    load_wrapper,
    merge_profile,
)
from murxpy.errors import MurxpyError  # noqa: E402
from murxpy.worker.session import Session  # noqa: E402

GOLDEN = 0x9E3779B97F4A7C15
FINE = (0, 1, 3)  # exit codes of a command that did what it should
UNSHOWN = 2  # of `bisect`, of a finding that no release shows


def parser(about: str | None, runs: int | None) -> argparse.ArgumentParser:
    """A parser with the options that all benches have; `runs` is the default number of runs, None
    for none.
    """
    made = argparse.ArgumentParser(
        description=about, formatter_class=argparse.ArgumentDefaultsHelpFormatter
    )
    made.add_argument("solver", help="z3 or cvc5, or the YAML file of a wrapper")
    made.add_argument(
        "--theories", default="all", help="theories with commas, such as BV,FP; all of the solver's"
    )
    made.add_argument("--seed", type=int, default=1, help="seed of the whole measurement")
    if runs is not None:
        made.add_argument("--runs", type=int, default=runs, help="random runs")
        made.add_argument("--jobs", type=int, default=2, help="processes at a time")
        made.add_argument(
            "--wall", type=float, default=2.0, help="seconds after which a run is killed"
        )
    made.add_argument("--machine", default="default", help="state machine: its name or file")
    made.add_argument("--profile", help="file of a profile that is merged over the wrapper's")
    made.add_argument(
        "--no-swarm", action="store_true", help="give every run all theories and operators"
    )
    made.add_argument("--no-save", action="store_true", help="write nothing under bench/results")
    return made


def murxpy(*words: str, python: str = "", fine: Collection[int] = FINE) -> str:
    """What a command prints, of this checkout or of the one that `python` has. Exits with its error."""
    command = [python or sys.executable, "-m", "murxpy", *words]
    cwd = Path(python).parent if python else ROOT  # not where another murxpy lies
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    if done.returncode not in fine:
        raise SystemExit(f"murxpy {' '.join(words)}: {done.stderr.strip()}")
    return done.stdout


def bisected(trace: Path, tries: int) -> dict[str, Any]:
    """What `murxpy bisect` says of the releases that show a finding; empty where none does."""
    printed = murxpy("bisect", str(trace), "--tries", str(tries), "--json", fine=(*FINE, UNSHOWN))
    return next(iter(json.loads(printed or "{}").values()), {})


@contextmanager
def stored(campaign: Path) -> Iterator[sqlite3.Connection]:
    """The database of a campaign, which also another checkout may have written."""
    file = f"file:{campaign / 'campaign.sqlite'}?mode=ro"
    with closing(sqlite3.connect(file, uri=True)) as store:
        yield store


def counted(campaign: Path) -> tuple[dict[str, int], tuple[str, str]]:
    """The counters of a campaign, and its solver with the version."""
    with stored(campaign) as store:
        counts = dict(store.execute("SELECT name, value FROM counters"))
        return counts, store.execute("SELECT solver, version FROM targets").fetchone()


def setup(args: argparse.Namespace) -> dict[str, Any]:
    """The setup of a session, as plain data. Exits with one line on bad input."""
    try:
        wrapper = load_wrapper(args.solver)
        if args.profile:
            profile = merge_profile(wrapper["profile"], load_profile(args.profile))
            wrapper = {**wrapper, "profile": profile}
        return {
            "catalogue": load_catalogue(),
            "machine": load_machine(args.machine),
            "wrapper": wrapper,
            "theories": None if args.theories == "all" else args.theories.split(","),
            "swarm": not args.no_swarm,
        }
    except MurxpyError as error:
        raise SystemExit(f"error: {error}") from None


def load(args: argparse.Namespace) -> Session:
    """The session, whose solver is loaded in this process; runs belong into children."""
    data = setup(args)
    try:
        return Session(data)
    except MurxpyError as error:
        raise SystemExit(f"error: {error}") from None


def seeds(args: argparse.Namespace) -> list[int]:
    """The seeds of the runs: spread over 32 bits, and a function of `--seed` alone."""
    return [((args.seed * 1_000_003 + i) * GOLDEN >> 16) & 0xFFFFFFFF for i in range(args.runs)]


def facts(session: Session, args: argparse.Namespace) -> dict[str, Any]:
    """Under what circumstances the figures of a solver were measured."""
    return {"solver": session.wrapper.name, "version": session.version, **circumstances(args)}


def circumstances(args: argparse.Namespace) -> dict[str, Any]:
    """When, where and with what a figure was measured."""
    return {
        "command": " ".join(["python", f"bench/{Path(sys.argv[0]).name}", *sys.argv[1:]]),
        "commit": _commit(),
        "date": time.strftime("%Y-%m-%d %H:%M"),
        "murxpy": __version__,
        "python": platform.python_version(),
        "theories": args.theories,
        "machine": f"{_processor()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}",
    }


def _commit() -> str:
    def git(*words: str) -> str:
        return subprocess.run(
            ["git", "-C", str(ROOT), *words], capture_output=True, text=True, check=False
        ).stdout.strip()

    changed = git("status", "--porcelain", "--", "murxpy", "fsm", "wrappers")
    return (git("rev-parse", "--short", "HEAD") or "unknown") + (" with changes" if changed else "")


def _processor() -> str:
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        for line in file:
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.machine()


def table(title: str, header: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print a table: the first column to the left, the others to the right unless they are the last
    and text.
    """
    cells = [list(header), *([_cell(value) for value in row] for row in rows)]
    widths = [max(len(row[k]) for row in cells) for k in range(len(header))]
    print(f"\n{title}")
    for row in cells:
        shown = [
            row[0].ljust(widths[0]),
            *(c.rjust(w) for c, w in zip(row[1:-1], widths[1:-1], strict=True)),
        ]
        print("  " + "  ".join([*shown, row[-1] if len(row) > 1 else ""]).rstrip())


def _cell(value: object) -> str:
    return (
        f"{value:,.4g}"
        if isinstance(value, float)
        else f"{value:,}"
        if isinstance(value, int)
        else str(value)
    )


def percent(part: float, whole: float) -> str:
    """A share as text, `-` of nothing."""
    return f"{100 * part / whole:.1f} %" if whole else "-"


def verdict(fine: bool) -> str:
    """How a figure compares with its aim."""
    return "reached" if fine else "MISSED"


def save(
    name: str,
    args: argparse.Namespace,
    about: dict[str, Any],
    figures: dict[str, Any],
    row: dict[str, Any],
) -> None:
    """Write `<name>-<solver>-<theories>.json`, and add a row to `<name>.md`."""
    if args.no_save:
        return
    RESULTS.mkdir(parents=True, exist_ok=True)
    file = RESULTS / f"{name}-{about['solver']}-{args.theories.replace(',', '+')}.json"
    file.write_text(
        json.dumps({**about, **figures}, indent=1, ensure_ascii=False) + "\n", encoding="utf-8"
    )
    columns = {"solver": f"{about['solver']} {about['version']}", "theories": args.theories, **row}
    add_row(name, columns, about)
    print(f"\nwritten: bench/results/{file.name}, a row in bench/results/{name}.md")


def save_page(
    name: str,
    args: argparse.Namespace,
    title: str,
    header: Sequence[str],
    rows: Iterable[Sequence[str]],
    detail: str = "",
) -> None:
    """Write `<name>.md` anew: a title, the command, when and where it ran with a `detail`, and a table."""
    if args.no_save:
        return
    about = circumstances(argparse.Namespace(theories="all"))
    lines = ["| " + " | ".join(row) + " |" for row in [header, ["---"] * len(header), *rows]]
    measured = ", ".join(
        filter(None, [about["date"], f"commit {about['commit']}", about["machine"], detail])
    )
    text = f"# {title}\n\n    {about['command']}\n\n{measured}.\n\n" + "\n".join(lines) + "\n"
    (RESULTS / f"{name}.md").write_text(text, encoding="utf-8")


def add_row(name: str, row: dict[str, Any], about: dict[str, Any]) -> None:
    """Add a row to `<name>.md`, with date, commit, machine and command behind its figures."""
    columns = row | {key: about[key] for key in ("date", "commit", "machine")}
    columns |= {"command": f"`{about['command']}`"}
    summary = RESULTS / f"{name}.md"
    text = summary.read_text(encoding="utf-8") if summary.exists() else ""
    header = f"| {' | '.join(columns)} |\n"
    if not text.endswith("\n") or header not in text:
        text += f"{header}|{'---|' * len(columns)}\n"
    summary.write_text(
        text + f"| {' | '.join(_cell(v) for v in columns.values())} |\n", encoding="utf-8"
    )
