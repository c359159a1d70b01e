"""What a study of releases found, as tables and as plain data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from murxpy.campaign.matrix.triggers import (
    ALL_VALUES,
    JUDGE,
    KINDS,
    MODEL,
    TRIGGERS,
    Cell,
    Found,
    Trigger,
)
from murxpy.report.tables import Table

_WRITTEN_OUT = 10**15  # larger numbers of scripts are not read digit by digit
_SHOWN = 20  # rows of triggers
_STEP = 2  # powers of two between the columns of a table


def triggers_table(found: Found) -> Table:
    """A row for each target, with its triggers by grammar: unsound / invalid model / crash."""
    names = [found.grammars[number] for number in found.grammars]
    columns = [*names, "all"]
    table = Table(["target", "scripts", *columns], right=["scripts", *columns])
    for one in found.targets:
        cells = [found.cells.get((one.number, number)) for number in found.grammars]
        whole = found.whole(one.number)
        name = f"{one.name} (judge)" if one.judge else one.name
        table.add(name, f"{whole.asked:,}", *map(_triggers, cells), _triggers(whole))
    return table


def _triggers(cell: Cell | None) -> str:
    if cell is None:
        return "-"
    numbers = [cell.kinds[kind] for kind in TRIGGERS]
    return "/".join(map(str, numbers)) if any(numbers) else "."


def answers_table(found: Found) -> Table:
    """A row for each target: how often each answer came, and what was said of its models."""
    columns = ["decided", "unknown", "error", "timeout", "models right", "not judged", *KINDS]
    table = Table(["target", *columns], right=columns)
    for one in found.targets:
        whole = found.whole(one.number)
        numbers = [
            whole.decided,
            *(whole.answers[answer] for answer in ("unknown", "error", "timeout")),
            *(whole.models[verdict] for verdict in ("true", "unsure")),
            *(whole.kinds[kind] for kind in KINDS),
        ]
        table.add(one.name, *(f"{number:,}" for number in numbers))
    return table


def powers(found: Found) -> range:
    """The powers of two between the lowest and the highest cost of a decided script."""
    least = [n for one in found.releases for n in found.whole(one.number).costs]
    return range(min(least, default=0), max(least, default=0) + 1)


def solved_table(found: Found) -> Table:
    """A row for each release: the scripts that it decides at a cost of at most 2^k."""
    shown = [*powers(found)][::-1][::_STEP][::-1]
    columns = [f"2^{power}" for power in shown]
    table = Table(["release", *columns], right=columns)
    for one in found.releases:
        whole = found.whole(one.number)
        table.add(one.name, *(f"{whole.solved(power):,}" for power in shown))
    return table


def evidence(found: Found) -> Iterator[str]:
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


def shown_triggers(found: Found) -> Table:
    """A row for each kind of trigger, grammar, and set of releases on which scripts show it: how many
    scripts, and of the first one its number, itself, and what says that a release is wrong. The rows
    of the newest releases stand first.
    """
    columns = ["trigger", "shown by", "grammar", "scripts", "first", "script", "why"]
    table = Table(columns, right=["scripts", "first"])
    rows = _by_releases(found)
    for (kind, grammar, targets), triggers in rows[:_SHOWN]:
        one = triggers[0]
        script = " ".join(one.script.split())
        number = f"{found.at + one.place:,}" if found.at < _WRITTEN_OUT else f"--at + {one.place:,}"
        name = found.grammars[grammar]
        size = f"{len(triggers):,}"
        table.add(kind, _span(found, targets), name, size, number, script, one.words)
    return table


def _by_releases(found: Found) -> list[tuple[tuple[str, int, tuple[int, ...]], list[Trigger]]]:
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


def _span(found: Found, targets: tuple[int, ...]) -> str:
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


def study_data(found: Found) -> dict[str, Any]:
    """All figures as plain data."""
    names = {one.number: one.name for one in found.targets}
    return {
        "targets": [
            {
                "name": one.name,
                "judge": one.judge,
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


def csv_rows(found: Found) -> Iterator[list[str]]:
    """A header, and a row for each target and grammar."""
    answers = ("sat", "unsat", "unknown", "error", "timeout")
    shown = powers(found)
    yield ["target", "grammar", "scripts", *answers, *KINDS, *(f"solved 2^{n}" for n in shown)]
    for one in found.targets:
        for number, name in found.grammars.items():
            cell = found.cells.get((one.number, number))
            if cell is not None:
                numbers = [
                    cell.asked,
                    *(cell.answers[answer] for answer in answers),
                    *(cell.kinds[kind] for kind in KINDS),
                    *(cell.solved(power) for power in shown),
                ]
                yield [one.name, name, *map(str, numbers)]
