"""`murxpy perf`: scripts on which a solver is slow."""

from __future__ import annotations

import json
import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from murxpy.cli.options import (
    SCRIPTS,
    TARGETS,
    Grouped,
    count_option,
    jobs_option,
    json_option,
    listed,
    memory_option,
    out_option,
    seed_option,
    time_option,
    wrapper_option,
)
from murxpy.cli.params import began, duration, goes_on, judge_names
from murxpy.cli.report.console import Pace, say
from murxpy.cli.report.studies import Report
from murxpy.cli.report.svg import Chart
from murxpy.cli.report.tables import Table, kinds
from murxpy.cli.report.text import amount
from murxpy.cli.shapes import shape_of, shape_options
from murxpy.learning.bandit import DECAY
from murxpy.processes import interrupts
from murxpy.processes.environments import installing, print_notice
from murxpy.processes.limits import Limits
from murxpy.studies.performance.campaign import (
    BEST,
    CONFIRMED,
    FILE,
    PerfCampaign,
    SearchTotals,
    Wanted,
    entries,
)
from murxpy.studies.performance.solvers import DECIDED

OUT = "murxpy-perf"


def _perf(
    targets: tuple[str, ...],
    references: tuple[str, ...],
    *,
    seconds: float | None,
    steps: int | None,
    seed: int,
    out: Path,
    query: float,
    stale: int,
    jobs: int,
    no_learning: bool,
    decay: float,
    one_agent: bool,
    memory: int,
    bisect: bool,
    as_json: bool,
    wrapper: str | None,
    **shape: Any,
) -> int:
    """Search for scripts on which the targets are slower than the references, by BanditFuzz: what
    makes a script slower is learnt while scripts are made.

    Costs are counted in the solvers' own units, so that the same seed gives the same search. Without
    --reference a script counts by what it costs the target.
    """
    wanted = Wanted(
        targets,
        references,
        shape_of(shape),
        seed,
        1000 * query,
        stale,
        not no_learning,
        wrapper,
        bisect,
        jobs,
        decay,
        one_agent,
    )
    with interrupts.kept(), goes_on(out):
        campaign = PerfCampaign(
            wanted,
            out,
            Limits(memory=memory),
            print_notice,
            _Teller(as_json).tell,
            interrupts.early,
        )
        try:
            until = None if seconds is None else began() + installing() + seconds
            told = campaign.run(seconds, steps, until)
        finally:
            campaign.close()
        interrupted = interrupts.exit_code() if interrupts.early() else None
    if as_json:
        click.echo(json.dumps({"event": "ended", **asdict(told)}))
    else:
        for line in outcome_lines(told, out):
            say(line)
    return int(told.new > 0) if interrupted is None else interrupted


class _Teller:
    """Tells how far the search is, now and then: on standard error, or as JSON on standard output."""

    def __init__(self, as_json: bool) -> None:
        self._as_json = as_json
        self._pace = Pace()
        self._found: int | None = None

    def tell(self, told: SearchTotals) -> None:
        """Tell it if the last line is some time ago, and each finding."""
        if self._found is None:  # those of earlier sessions are told at the end
            self._found = len(told.found)
        while self._found < len(told.found):
            entry = told.found[self._found]
            self._found += 1
            self._say({"event": "found", **entry}, _found_line(entry))
        if self._pace.due():
            self._say({"event": "status", **_figures(told)}, _status_line(told))

    def _say(self, event: dict[str, Any], line: str) -> None:
        if self._as_json:
            click.echo(json.dumps(event))
        else:
            print_notice(line)


def _figures(told: SearchTotals) -> dict[str, Any]:
    return {name: value for name, value in asdict(told).items() if name != "found"}


# ----------------------------------------------------------------------
# What a search tells people.


def reported(folder: Path) -> Report:
    """What the search in a folder found, asking no solver. Raises InputError."""
    return Report(
        lambda: _text(folder),
        lambda: [entry for entry in entries(folder, CONFIRMED) if entry["confirmed"]],
        lambda: _slow_table(folder),
        {"margins.svg": lambda: _margins(folder), "cactus.svg": lambda: _cactus(folder)},
        0,
    )


def _text(folder: Path) -> Iterator[str | Table]:
    about, *lines = list(entries(folder, FILE)) or [{}]
    yield "What is searched"
    settings = Table(kinds(["setting", "value"]))
    for name, value in about.items():
        settings.add(name, value if isinstance(value, str) else json.dumps(value))
    yield settings
    rounds = [line for line in lines if "round" in line]
    confirmed = list(entries(folder, CONFIRMED))
    slow = sum(bool(entry["confirmed"]) for entry in confirmed)
    yield (
        f"{len(lines) - len(rounds):,} scripts weighed in {amount(len(rounds), 'finished round')}: "
        f"{amount(slow, 'slow script')}, {len(confirmed) - slow} not slow by the clock"
    )
    if slow:
        yield "Slow scripts, by the clock"
        yield _slow_table(folder)


def _slow_table(folder: Path) -> Table:
    """A row for each script that is slow by the clock, with what each solver took."""
    table = Table(kinds(["step", "operators", "what it took", "releases", "buckets"]))
    for entry in entries(folder, CONFIRMED):
        if entry["confirmed"]:
            costs = ", ".join(map(_took, entry["costs"]))
            operators = " ".join(entry["operators"])
            buckets = ", ".join(entry.get("buckets", ()))
            table.add(str(entry["step"]), operators, costs, entry.get("since", ""), buckets)
    return table


def _margins(folder: Path) -> str:
    """A line through the margins of the best scripts of the rounds that ended."""
    found = [
        (int(line["round"]), float(line["margin"]) / 1000)
        for line in entries(folder, FILE)
        if "round" in line
    ]
    last, most = (
        max([number for number, _ in found], default=1),
        max([m for _, m in found], default=1),
    )
    chart = Chart("Margin of the best script of each round, in seconds", (0, last), (0, most))
    chart.x_axis({number: str(number) for number in range(0, last + 1, max(1, last // 8))})
    chart.y_axis({most * part / 4: f"{most * part / 4:.2f}" for part in range(5)})
    chart.curve("margin", found)
    return chart.text()


def _cactus(folder: Path) -> str:
    """A line for each solver: how many of the best scripts of the rounds it solves, each within so many
    milliseconds of a usual machine. Of these scripts, all solvers were asked with the whole limit.
    """
    about, *lines = list(entries(folder, FILE)) or [{}]
    names = [*about.get("targets", ()), *about.get("references", ())]
    solved: dict[str, list[float]] = {str(name): [] for name in names}
    for weights in best_of_rounds(lines):
        for name, (answer, ms, _) in zip(solved, weights, strict=False):
            if answer in DECIDED:
                solved[name].append(float(ms))
    most = max([1, *map(len, solved.values())])
    longest = max([1.0, *[ms for each in solved.values() for ms in each]])
    chart = Chart("Best scripts of rounds solved, each within so many ms", (0, most), (0, longest))
    chart.x_axis({count: str(count) for count in range(0, most + 1, max(1, most // 8))})
    chart.y_axis({longest * part / 4: f"{longest * part / 4:.0f}" for part in range(5)})
    for name, each in solved.items():
        chart.curve(name, list(enumerate(sorted(each), 1)))
    return chart.text()


def best_of_rounds(lines: Sequence[Mapping[str, Any]]) -> list[Sequence[Any]]:
    """The weights of the best script of each round, by solver, also of the round that is not over."""
    found = list[Sequence[Any]]()
    now = dict[int, Mapping[str, Any]]()  # the steps of a round
    for line in lines:
        if "round" not in line:
            now[line["step"]] = line
            continue
        if line["step"] in now:
            found.append(now[line["step"]]["weights"])
        now = {}
    # a script on which a target gives up is never the best one
    open_ = [
        s for s in now.values() if s["margin"] and "unknown" not in [w[0] for w in s["weights"]]
    ]
    if open_:
        found.append(max(open_, key=lambda step: float(step["margin"]))["weights"])
    return found


def _status_line(told: SearchTotals) -> str:
    """How far a search is."""
    found = amount(len(told.found), "slow script")
    doing = f"; {told.doing}" if told.doing else ""
    return (
        f"so far {told.steps:,} scripts weighed, {found}, round {told.rounds + 1} with a best margin of "
        f"{told.best / 1000:.3f} s{doing}"
    )


def _found_line(entry: Mapping[str, Any]) -> str:
    """A slow script: what each solver took for it, and its operators."""
    rows = [_took(row) for row in entry["costs"]]
    since = f"; releases that show it: {entry['since']}" if entry.get("since") else ""
    kept = f" ({', '.join(entry['buckets'])})" if entry.get("buckets") else ""
    operators = " ".join(kind.removeprefix("OP_").lower() for kind in entry["operators"])
    return f"slow: {', '.join(rows)}; {operators}{since}{kept}"


def _took(row: Mapping[str, Any]) -> str:
    seconds = statistics.median(row["took-ms"]) / 1000
    if row["answer"] in ("sat", "unsat"):
        return f"{row['solver']} {row['version']} {row['answer']} in {seconds:.3f} s"
    return f"{row['solver']} {row['version']} undecided after {seconds:.1f} s"


def outcome_lines(told: SearchTotals, out: Path) -> Iterator[str]:
    """What a search found, in all its sessions."""
    for entry in told.found:
        yield _found_line(entry)
    yield (
        f"{told.steps:,} scripts weighed in {amount(told.rounds, 'finished round')}: "
        f"{amount(len(told.found), 'slow script')} ({told.new} new findings), {told.again} more of known operators, "
        f"{told.unconfirmed} not slow by the clock; {told.refused} refused, unknown or dead, "
        f"{told.late} ended by the clock"
    )
    if told.best > 0:
        yield (
            f"round {told.rounds + 1} is not over; its best script has a margin of {told.best / 1000:.3f} s, and "
            "the same command goes on with it"
        )
    if told.greatest:
        rows = told.greatest["costs"]
        yield (
            f"greatest margin: {told.greatest['margin-ms'] / 1000:.3f} s at step {told.greatest['step']}; the script "
            f"and what it cost are in {out / BEST}"
        )
        for row in rows:
            yield (
                f"  {row['solver']} {row['version']}: {row['answer']}, {row['ms'] / 1000:.3f} s of at most "
                f"{row['limit-ms'] / 1000:.1f} s, {row['memory-mib']:.0f} MiB"
            )
    if told.given_up:
        yield (
            f"on {amount(told.given_up, 'script')} a target gives up and the references do not: what is not "
            "documented is kept as incompleteness"
        )
    if told.left_to_targets:
        yield (
            f"on {amount(told.left_to_targets, 'script')} a reference gives up and the targets do not: 'murxpy perf' with "
            "that solver as its target keeps what is not documented"
        )
    if told.differ or told.died:
        yield (
            f"{amount(told.differ, 'script')} with opposite answers of two solvers, "
            f"{amount(told.died, 'script')} of which a solver died"
        )
    if (out / "findings").is_dir():  # what is documented or does not show again is not there
        yield f"in {out}: findings/ for 'murxpy findings {out}'"
    if told.found:
        loose = not all(entry.get("buckets") for entry in told.found)
        yield f"in {out}: scripts/{' (those without a bucket are no findings)' if loose else ''}"


# ----------------------------------------------------------------------
# The options of the command.


_OWN = [
    click.Argument(["targets"], metavar="SOLVER[@PLACE]...", nargs=-1, required=True),
    *listed(
        click.option(
            "--reference",
            "references",
            type=judge_names,
            default="",
            metavar=TARGETS,
            help="Solvers that the targets are compared with.",
        ),
        click.option(
            "--time", "seconds", type=duration, metavar="TIME", help="Stop after this time."
        ),
        count_option("--steps", "Stop after so many scripts in all."),
        seed_option("Seed of the search.", "1"),
        out_option("Folder for the scripts; a search that was stopped goes on in it.", OUT),
        time_option("--query", "5s", "What a script may cost a solver, on a usual machine."),
        count_option("--stale", "Look for another script after so many that were no better.", 100),
        jobs_option(
            "Scripts that solvers are asked at a time; the same seed and N give the same search."
        ),
        click.option("--no-learning", is_flag=True, help="Make each script anew, at random."),
        click.option(
            "--one-agent",
            is_flag=True,
            help="New scripts and mutants take turns; only the operators of mutants are learnt.",
        ),
        click.option(
            "--decay",
            type=click.FloatRange(0.0, 1.0, min_open=True),
            default=DECAY,
            show_default=True,
            help="What an arm keeps of its gains each time that it is drawn.",
        ),
        memory_option,
        click.option(
            "--bisect",
            is_flag=True,
            help="For each finding, ask the releases in the cache since when it shows.",
        ),
        json_option,
        wrapper_option,
    ),
]
COMMAND = Grouped(
    "perf",
    callback=_perf,
    params=[*_OWN, *shape_options()],
    help=_perf.__doc__,
    under={"theories": SCRIPTS},
    examples=[
        ("murxpy perf z3 --reference cvc5 --theories BV --time 30m", "slower than cvc5"),
        ("murxpy perf cvc5 --theories FP --widths 16 --time 10m", "slow at all"),
        ("murxpy perf z3 cvc5 --reference yices --theories INT --decay 0.99", "two targets"),
    ],
)
