"""`murxpy matrix`: a solver followed over its releases with every small script."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from murxpy.cli.options import (
    CHECK_LIMIT,
    JUDGES,
    check_span,
    format_option,
    jobs_option,
    judges_option,
    memory_option,
    out_option,
    span_options,
    time_option,
    wrapper_option,
)
from murxpy.cli.params import Guarded, names
from murxpy.cli.report.studies import Report, asked
from murxpy.cli.report.svg import Chart
from murxpy.cli.report.tables import Table, kinds
from murxpy.findings.folder import MATRIX
from murxpy.fuzzers.setups import SCRIPT_CHECKS, all_checked
from murxpy.processes.environments import package_of
from murxpy.processes.inquiries import wrapper_of
from murxpy.processes.limits import Limits
from murxpy.processes.releases import short, span
from murxpy.processes.targets import grant_target, releases_of
from murxpy.sources.enumeration.answering import CORE_RIGHT, CORE_UNSURE, TRUE, UNSURE
from murxpy.studies.matrix import (
    ALL_VALUES,
    JUDGE,
    KINDS,
    MODEL,
    TRIGGERS,
    WRONG,
    Cell,
    Matrix,
    Trigger,
    Triggers,
    find,
)
from murxpy.studies.study import Store

FIRST = 51_000
_MOST = 10**9  # scripts of a grammar; the seeds of runs have room for their places
_WRITTEN_OUT = 10**15  # larger numbers of scripts are not read digit by digit
_SHOWN = 20  # rows of triggers
_STEP = 2  # powers of two between the columns of a table


@dataclass(frozen=True, slots=True, kw_only=True)
class MatrixOptions:
    """The options of a study. `out` is None where none is given."""

    span: str | None
    grammars: tuple[str, ...]
    first: int | None
    at: int | None
    take: int | None
    step: int | None
    out: Path | None
    judges: tuple[str, ...]
    jobs: int
    check_limit: float
    wall: float
    memory: int
    own_checks: bool
    checks: tuple[str, ...]
    wrapper: str | None

    def of_studies(self) -> bool:
        """Whether the command line has an option that a report on a folder does not take."""
        words = (self.span, self.grammars, self.step, self.out, self.judges, self.checks)
        return any((*words, self.first, self.at, self.take))


@click.command()
@click.argument("what", metavar="SOLVER|FOLDER")
@click.option(
    "--releases",
    "span",
    cls=Guarded,
    metavar="RELEASES",
    help="Releases that are followed, such as 4.8.7..latest.",
)
@click.option(
    "--grammar",
    "grammars",
    cls=Guarded,
    type=names(),
    default="",
    metavar="NAMES",
    help="Grammars whose scripts are asked: names from 'murxpy grammars', and files of your own.",
)
@span_options("Ask", FIRST)
@click.option(
    "--step",
    type=click.IntRange(1, 2**16 - 1),
    metavar="S",
    help="Ask only every S-th of these scripts, to see far with few of them.  [default: 1]",
)
@out_option("Folder for the answers.")
@judges_option(
    f"{JUDGES}: each script; their answers tell which release is wrong.",
    default="",
)
@jobs_option("Processes at a time.")
@time_option("--check-limit", "20ms", f"{CHECK_LIMIT}.")
@time_option("--wall", "10s", "Wall time of a script, after which its answer is 'timeout'.")
@memory_option
@click.option(
    "--model-validate",
    "own_checks",
    is_flag=True,
    help="Also have the solver check its own models, by the options that its wrapper names.",
)
@click.option(
    "--check",
    "checks",
    type=names([*SCRIPT_CHECKS, "all"]),
    default="",
    metavar="NAMES",
    help="What scripts are asked for and what is then checked: models of sat answers, cores of unsat answers, or all. "
    "With both, every other script asks for a core.  [default: models]",
)
@wrapper_option
@format_option("What is printed.")
def matrix(what: str, form: str, **given: Any) -> int:
    """Ask each release of a solver every small script of grammars, and tell which releases are wrong on
    how many; or print again what the study in a FOLDER found, asking no solver.

    The answers are kept in the folder. A study that was stopped goes on where it was, and one with
    more scripts, grammars or releases asks only what is new. The exit code is 1 where the newest
    release is wrong on a script.

    \b
    Examples:
      murxpy matrix z3 --releases 4.8.7..latest --grammar arrays,ints --first 2000 --out m
      murxpy matrix cvc5 --releases 1.1.2,latest --grammar strings --cross-check z3 --out n
      murxpy matrix z3 --releases 4.13.0,5.4.1 --grammar ints5 --first 2000 --check all --out c
      murxpy matrix m --format csv
    """
    options = MatrixOptions(**given)
    if not options.span and (Path(what).is_dir() or "/" in what):
        if options.of_studies():
            raise click.UsageError("a folder is only reported on: leave the options of a study out")
        return reported(Path(what)).show(form, Path(what))
    if not options.of_studies():
        raise click.UsageError(
            f"there is no folder '{what}'; a study needs --releases, --grammar and --out"
        )
    if not (options.span and options.grammars and options.out):
        raise click.UsageError(
            "a study needs --releases, --grammar and --out; a report needs the folder of a study"
        )
    check_span(options.first, options.at, options.take)
    if (options.take or options.first or 0) > _MOST:
        raise click.UsageError(
            f"--first and --take: expected at most {_MOST:,}, which --step thins out"
        )
    study = _study(_targets(what, options.span, options.wrapper), options)
    return _report(asked(study, options.out)).show(form, options.out)


def _study(targets: Sequence[str], options: MatrixOptions) -> Matrix:
    return Matrix(
        targets=targets,
        judges=options.judges,
        grammars=all_checked(options.grammars),
        at=options.at or 0,
        take=options.take or options.first or FIRST,
        step=options.step or 1,
        check_ms=1000 * options.check_limit,
        own_checks=options.own_checks,
        checks=_checks(options.checks),
        limits=Limits(wall=options.wall, memory=options.memory, by_line=True),
        jobs=options.jobs,
        wrapper=options.wrapper,
    )


def _checks(named: Sequence[str]) -> list[str]:
    """What scripts are asked for, in the order of all checks."""
    if "all" in named:
        return [*SCRIPT_CHECKS]
    return [name for name in SCRIPT_CHECKS if name in (named or SCRIPT_CHECKS[:1])]


def _targets(solver: str, releases: str, wrapper: str | None) -> list[str]:
    """The releases that are followed, oldest first. Raises InputError, TargetError."""
    package = package_of(wrapper_of(solver, wrapper))
    named = span(releases, releases_of(package.name), package.name)
    targets = [f"{solver}@{short(one)}" for one in named]
    for target in targets:
        grant_target(target)
    return targets


# ----------------------------------------------------------------------
# What the study found, as tables, plain data and drawings.


def reported(folder: Path) -> Report:
    """What a study in a folder found, asking no solver. Raises InputError."""
    with closing(Store(folder, MATRIX, read_only=True)) as answers:
        return _report(find(answers))


def _report(found: Triggers) -> Report:
    return Report(
        lambda: _text(found),
        lambda: study_data(found),
        lambda: study_table(found),
        {"triggers.svg": lambda: heat_map(found), "solved.svg": lambda: solved_lines(found)},
        int(any(found.whole(one.number).kinds[kind] for one in found.newest for kind in WRONG)),
    )


def _text(found: Triggers) -> Iterator[str | Table]:
    yield "Triggers: unsound / invalid model / crash"
    yield triggers_table(found)
    yield from ("", "Answers", answers_table(found))
    yield from ("", "Decided at a cost of at most 2^k resource units", solved_table(found))
    yield from ("", "Costs of the scripts that all releases decide, and time", costs_table(found))
    triggers = shown_triggers(found)
    if triggers.rows:
        yield ""
        yield "The triggers by the targets that show them, with the first script of each row"
        yield triggers
    yield ""
    yield from evidence(found)


def triggers_table(found: Triggers) -> Table:
    """A row for each target, with its triggers by grammar: unsound / invalid model / crash."""
    names = [found.grammars[number] for number in found.grammars]
    table = Table(kinds(["target"], ["scripts", *names, "all"]))
    for one in found.targets:
        cells = [found.cells.get((one.number, number)) for number in found.grammars]
        whole = found.whole(one.number)
        name = f"{one.name} (judge)" if one.judge else one.name
        table.add(name, whole.asked, *map(_triggers, cells), _triggers(whole))
    return table


def _triggers(cell: Cell | None) -> str:
    if cell is None:
        return "-"
    numbers = [cell.kinds[kind] for kind in TRIGGERS]
    return "/".join(map(str, numbers)) if any(numbers) else "."


def answers_table(found: Triggers) -> Table:
    """A row for each target: how often each answer came, and what was said of its models."""
    answers = ["unknown", "error", "timeout"]
    columns = ["decided", *answers, "models right", "cores right", "not judged", *KINDS]
    table = Table(kinds(["target"], columns))
    for one in found.targets:
        whole = found.whole(one.number)
        numbers = [whole.answers[answer] for answer in answers]
        numbers += [whole.models[TRUE], whole.models[CORE_RIGHT]]
        numbers += [whole.models[UNSURE] + whole.models[CORE_UNSURE]]
        table.add(one.name, whole.decided, *numbers, *(whole.kinds[kind] for kind in KINDS))
    return table


def powers(found: Triggers) -> range:
    """The powers of two between the lowest and the highest cost of a decided script."""
    least = [n for one in found.releases for n in found.whole(one.number).costs]
    return range(min(least, default=0), max(least, default=0) + 1)


def solved_table(found: Triggers) -> Table:
    """A row for each release: the scripts that it decides at a cost of at most 2^k."""
    shown = [*powers(found)][::-1][::_STEP][::-1]
    table = Table(kinds(["release"], [f"2^{power}" for power in shown]))
    for one in found.releases:
        table.add(one.name, *map(found.whole(one.number).solved, shown))
    return table


def costs_table(found: Triggers) -> Table:
    """A row for each release: how many scripts all releases of the solver decide, what these cost it in
    its own units, and how fast it answers all of its scripts. Work that a solver does not count, such as
    that of a slower hash table, stands in the time alone.
    """
    columns = ["jointly decided", "their cost", "scripts", "CPU s", "scripts/CPU s"]
    table = Table(kinds(["release"], columns))
    for one in found.releases:
        scripts, cost = found.joint.get(one.number, (0, 0))
        seconds, asked = found.cpu.get(one.number, (0.0, 0))
        rate = f"{asked / seconds:.1f}" if seconds else "-"
        table.add(one.name, scripts, cost, asked, f"{seconds:.1f}", rate)
    return table


def evidence(found: Triggers) -> Iterator[str]:
    """Sentences that say what told the right answers."""
    whole = Counter[str]()
    for counts in found.truths.values():
        whole.update(counts)
    number = sum(whole.values())
    if not number:
        return
    yield (
        f"Of {number:,} scripts the right answer is known of {number - whole['nothing']:,}: "
        f"{whole[ALL_VALUES]:,} because our evaluator went through all values of the constants, "
        f"{whole[MODEL]:,} because our evaluator found a model of some target right, "
        f"{whole[JUDGE]:,} because the judges say so; nothing tells it for {whole['nothing']:,}."
    )
    differing = {(one.grammar, one.place) for one in found.triggers if one.kind == "differs"}
    if differing:
        yield (
            f"On {len(differing):,} scripts targets answer differently and nothing tells which is wrong (differs)."
        )


def shown_triggers(found: Triggers) -> Table:
    """A row for each kind of trigger, grammar, and set of releases on which scripts show it: how many
    scripts, and of the first one its number, itself, and what says that a release is wrong. The rows
    of the newest releases stand first.
    """
    columns = kinds(["trigger", "shown by", "grammar"], ["scripts", "first"])
    table = Table({**columns, **kinds(["script", "why"])})
    rows = _by_releases(found)
    for (kind, grammar, targets), triggers in rows[:_SHOWN]:
        one = triggers[0]
        script = " ".join(one.script.split())
        number = f"{found.at + one.place:,}" if found.at < _WRITTEN_OUT else f"--at + {one.place:,}"
        place = found.grammars[grammar], len(triggers), number
        table.add(kind, _span(found, targets), *place, script, one.words)
    return table


def _by_releases(found: Triggers) -> list[tuple[tuple[str, int, tuple[int, ...]], list[Trigger]]]:
    scripts: dict[tuple[str, int, int], list[Trigger]] = {}
    for one in found.triggers:
        scripts.setdefault((one.kind, one.grammar, one.place), []).append(one)
    rows: dict[tuple[str, int, tuple[int, ...]], list[Trigger]] = {}
    for (kind, grammar, _), triggers in scripts.items():
        key = kind, grammar, tuple(one.target for one in triggers)
        rows.setdefault(key, []).append(triggers[-1])
    order = [one.number for one in found.targets]

    def rank(row: tuple[tuple[str, int, tuple[int, ...]], list[Trigger]]) -> tuple[int, ...]:
        _, grammar, targets = row[0]
        return (-max(map(order.index, targets)), KINDS.index(row[1][0].kind), grammar, len(targets))

    return sorted(rows.items(), key=rank)


def _span(found: Triggers, targets: tuple[int, ...]) -> str:
    """The names of targets, `A..B` for those that were named in a row."""
    spans: list[list[str]] = []
    before = False
    for one in found.targets:
        shows = one.number in targets
        if shows and before and not one.judge:
            spans[-1] = [spans[-1][0], one.name]
        elif shows:
            spans.append([one.name])
        before = shows and not one.judge
    return ", ".join("..".join(span) for span in spans)


def study_data(found: Triggers) -> dict[str, Any]:
    """All figures as plain data."""
    names = {one.number: one.name for one in found.targets}
    return {
        "targets": [
            {
                "name": one.name,
                "judge": one.judge,
                "joint": dict(
                    zip(("scripts", "cost"), found.joint.get(one.number, ()), strict=False)
                ),
                "cpu": dict(
                    zip(("seconds", "scripts"), found.cpu.get(one.number, ()), strict=False)
                ),
                "grammars": {
                    name: _cell_data(found.cells[one.number, number])
                    for number, name in found.grammars.items()
                    if (one.number, number) in found.cells
                },
            }
            for one in found.targets
        ],
        "triggers": [
            {
                "target": names[one.target],
                "grammar": found.grammars[one.grammar],
                "place": one.place,
                "kind": one.kind,
                "words": one.words,
                "script": one.script,
            }
            for one in found.triggers
        ],
        "truth": {found.grammars[number]: dict(counts) for number, counts in found.truths.items()},
    }


def _cell_data(cell: Cell) -> dict[str, Any]:
    top = max(cell.costs, default=0)
    return {
        "scripts": cell.asked,
        "answers": dict(sorted(cell.answers.items())),
        "models": dict(sorted(cell.models.items())),
        "triggers": {kind: cell.kinds[kind] for kind in KINDS},
        "solved": {str(power): cell.solved(power) for power in range(top + 1)},
    }


def study_table(found: Triggers) -> Table:
    """A row for each target and grammar, with all figures."""
    answers = ("sat", "unsat", "unknown", "error", "timeout")
    shown = powers(found)
    columns = ["scripts", *answers, *KINDS, *(f"solved 2^{n}" for n in shown)]
    table = Table(kinds(["target", "grammar"], columns))
    for one in found.targets:
        for number, name in found.grammars.items():
            cell = found.cells.get((one.number, number))
            if cell is not None:
                numbers = [cell.asked, *(cell.answers[answer] for answer in answers)]
                numbers += [cell.kinds[kind] for kind in KINDS]
                table.add(one.name, name, *numbers, *map(cell.solved, shown))
    return table


def heat_map(found: Triggers) -> str:
    """A panel for each kind of triggers, with a row for each release and a column for each grammar."""
    releases, panel = found.releases, len(found.grammars) + 1
    columns, rows = len(TRIGGERS) * panel, len(releases)
    chart = Chart(
        "Triggers by release and grammar", (0, columns), (rows, 0), 62 * columns, 20 * rows
    )
    chart.y_axis({row + 0.5: one.name for row, one in enumerate(releases)}, grid=False)
    for at, kind in enumerate(TRIGGERS):
        chart.heading(at * panel, kind)
        for column, (number, name) in enumerate(found.grammars.items(), at * panel):
            chart.x_axis({column + 0.5: name[:9]}, above=True, grid=False)
            for row, one in enumerate(releases):
                cell = found.cells.get((one.number, number))
                if cell is not None:
                    count = cell.kinds[kind]
                    chart.cell(column, row, count, f"{one.name}, {name}: {count} {kind}")
    return chart.text()


def solved_lines(found: Triggers) -> str:
    """A line for each release: the share of its scripts that it decides at a cost of at most 2^k."""
    shown = powers(found)
    title = "Scripts decided at a cost of at most 2^k resource units"
    chart = Chart(title, (shown[0], shown[-1]), (0, 100))
    chart.x_axis({power: str(power) for power in shown})
    chart.y_axis({percent: f"{percent} %" for percent in range(0, 101, 20)})
    for one in found.releases:
        whole = found.whole(one.number)
        share = 100 / max(1, whole.asked)
        chart.curve(one.name, [(power, share * whole.solved(power)) for power in shown])
    return chart.text()
