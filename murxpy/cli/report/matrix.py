"""The results of a study of releases, as tables and as plain data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from math import log10
from typing import Any

from murxpy.cli.report.svg import picture, stroke, words
from murxpy.cli.report.tables import Table, kinds
from murxpy.cli.report.text import xml_text
from murxpy.studies.matrix import ALL_VALUES, JUDGE, KINDS, MODEL, TRIGGERS, Cell, Trigger, Triggers

_WRITTEN_OUT = 10**15  # larger numbers of scripts are not read digit by digit
_SHOWN = 20  # rows of triggers
_STEP = 2  # powers of two between the columns of a table


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
    """A row for each target: how often each answer came, and the verdicts on its models."""
    answers = ["unknown", "error", "timeout"]
    columns = ["decided", *answers, "models right", "not judged", *KINDS]
    table = Table(kinds(["target"], columns))
    for one in found.targets:
        whole = found.whole(one.number)
        numbers = [whole.answers[answer] for answer in answers]
        numbers += [whole.models["true"], whole.models["unsure"]]
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


def evidence(found: Triggers) -> Iterator[str]:
    """Sentences about the evidence for the right answers."""
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


# ----------------------------------------------------------------------
# The drawings of a study of releases, as the text of SVG files: a heat map of triggers, and
# lines of scripts solved by cost.


_LEFT, _TOP, _CELL, _ROW, _GAP = 120, 64, 62, 20, 24  # pixels
_WIDE, _HIGH = 640, 360  # of the plot of lines
_LINES = ("#1b6ca8", "#c0392b", "#27814b", "#8e5ea2", "#b9770e", "#17808a", "#7f5539", "#5b6775")
_DASHES = ("", "6 3", "2 3")


def heat_map(found: Triggers) -> str:
    """A panel for each kind of triggers, with a row for each release and a column for each grammar."""
    releases, grammars = found.releases, found.grammars
    panel = len(grammars) * _CELL + _GAP
    width = _LEFT + len(TRIGGERS) * panel
    height = _TOP + len(releases) * _ROW + _GAP
    parts = [words(12, 22, "Triggers by release and grammar", "bold")]
    for row, one in enumerate(releases):
        parts.append(words(12, _TOP + row * _ROW + 14, one.name))
    for at, kind in enumerate(TRIGGERS):
        left = _LEFT + at * panel
        parts.append(words(left, 40, kind, "bold"))
        for column, (number, name) in enumerate(grammars.items()):
            x = left + column * _CELL
            parts.append(words(x + 2, 56, name[:9]))
            for row, one in enumerate(releases):
                cell = found.cells.get((one.number, number))
                count = None if cell is None else cell.kinds[kind]
                title = f"{one.name}, {name}: {count} {kind}"
                parts += _square(x, _TOP + row * _ROW, count, title)
    return picture(width, height, parts)


def _square(x: int, y: int, count: int | None, title: str) -> Iterator[str]:
    if count is None:
        return
    heat = min(1.0, log10(1 + count) / 4)
    colour = "#f1f4f7" if not count else _mix((255, 226, 178), (178, 24, 43), heat)
    yield (
        f'<g><title>{xml_text(title)}</title><rect x="{x}" y="{y}" width="{_CELL - 2}" height="{_ROW - 2}" '
        f'fill="{colour}"/>'
    )
    ink = "#ffffff" if heat > 0.6 else "#26303c"
    yield (
        f"{words(x + _CELL - 8, y + 13, f'{count:,}', ink=ink, anchor='end')}</g>"
        if count
        else "</g>"
    )


def _mix(low: Sequence[int], high: Sequence[int], share: float) -> str:
    mixed = [round(a + (b - a) * share) for a, b in zip(low, high, strict=True)]
    return "#{:02x}{:02x}{:02x}".format(*mixed)


def solved_lines(found: Triggers) -> str:
    """A line for each release: the share of its scripts that it decides at a cost of at most 2^k."""
    shown = powers(found)
    parts = [words(12, 22, "Scripts decided at a cost of at most 2^k resource units", "bold")]
    span = max(1, len(shown) - 1)
    for power in shown:
        x = _LEFT + (power - shown[0]) * _WIDE / span
        parts.append(stroke([(x, _TOP), (x, _TOP + _HIGH)], "#e3e8ee"))
        parts.append(words(x, _TOP + _HIGH + 16, f"{power}", anchor="middle"))
    for percent in range(0, 101, 20):
        y = _TOP + _HIGH * (1 - percent / 100)
        parts.append(stroke([(_LEFT, y), (_LEFT + _WIDE, y)], "#e3e8ee"))
        parts.append(words(_LEFT - 8, y + 4, f"{percent} %", anchor="end"))
    for row, one in enumerate(found.releases):
        whole = found.whole(one.number)
        colour = _LINES[row % len(_LINES)]
        dashes = _DASHES[row // len(_LINES) % len(_DASHES)]
        points = [
            (
                _LEFT + (power - shown[0]) * _WIDE / span,
                _TOP + _HIGH * (1 - whole.solved(power) / max(1, whole.asked)),
            )
            for power in shown
        ]
        parts.append(stroke(points, colour, 1.8, dashes, one.name))
        y = _TOP + row * 16
        legend = _LEFT + _WIDE + 20
        parts.append(stroke([(legend, y), (legend + 22, y)], colour, 1.8, dashes))
        parts.append(words(legend + 28, y + 4, one.name))
    height = max(_TOP + _HIGH + 40, _TOP + 16 * len(found.releases) + 20)
    return picture(_LEFT + _WIDE + 180, height, parts)
