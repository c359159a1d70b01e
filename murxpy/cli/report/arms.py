"""The yield of each arm of a campaign with guidance: a table by kind of arm, and JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from rich.console import Console

from murxpy.cli.report.tables import COUNT, MEAN, NUMBER, RATIO, TEXT, Kind, Section, Table
from murxpy.cli.report.text import amount
from murxpy.learning.arms import KINDS, parse_arm
from murxpy.records.yields import PLAIN, ArmYield

MOST = 20  # arms of a kind that are shown
FEW = 5  # runs, below which a ratio says nothing
_RATIOS = ("findings", "wrong", "news")  # what is compared with the runs without an arm of the kind
_COLUMNS: dict[str, Kind] = {
    "arm": TEXT,
    "runs": NUMBER,
    "new": COUNT,
    **{word: kind for name in _RATIOS for word, kind in ((name, COUNT), (f"x {name}", RATIO))},
    "decided": NUMBER,
    "killed": COUNT,
    "chance": MEAN,
}


def print_arms(
    console: Console,
    arms: Mapping[str, Sequence[ArmYield]],
    kinds: Sequence[str] = KINDS,
    most: int = MOST,
) -> None:
    """Print the `most` best arms of each kind, for each target."""
    for section in arms_sections(arms, kinds, most):
        section.print(console)


def arms_sections(
    arms: Mapping[str, Sequence[ArmYield]],
    kinds: Sequence[str] = KINDS,
    most: int = MOST,
) -> Iterator[Section]:
    """The `most` best arms of each kind, for each target."""
    for target, entries in arms.items():
        for kind in kinds:
            mine = [entry for entry in entries if _of(entry, kind)]
            if mine:
                base = baseline(entries, kind)
                named = f"{kind} arms of {target}".capitalize()
                title = f"{named}: {amount(len(mine), 'arm')} used"
                yield Section(title, [_table(ranked(mine, base), base, most)])


def baseline(entries: Sequence[ArmYield], kind: str) -> ArmYield:
    """The runs with which those with an arm of this kind are compared: guided runs without such an
    arm, and if there are none, runs without any arm.
    """
    named = {entry.arm: entry for entry in entries}
    return named.get(f"{kind}:") or named.get(PLAIN) or ArmYield(PLAIN)


def ratio(entry: ArmYield, base: ArmYield, name: str) -> float | None:
    """The ratio between the share of runs of an arm that show something and the same share of `base`;
    None if either has too few runs, or neither shows anything.
    """
    mine, usual = getattr(entry, name), getattr(base, name)
    if entry.runs < FEW or base.runs < FEW or not mine + usual:
        return None
    # half a case for each side, so that what nobody saw yet has a ratio, too
    rate: float = (mine + 0.5) / (entry.runs + 1)
    return rate / float((usual + 0.5) / (base.runs + 1))


def ranked(entries: Sequence[ArmYield], base: ArmYield) -> list[ArmYield]:
    """The arms, best first: by new buckets, wrong answers, findings, and news a run."""

    def worth(entry: ArmYield) -> tuple[Any, ...]:
        news = ratio(entry, base, "news") or 0.0
        return (-entry.new, -entry.wrong, -entry.findings, -news, entry.arm)

    return sorted(entries, key=worth)


def _of(entry: ArmYield, kind: str) -> bool:
    """Whether the entry is that of an arm of this kind, and not of runs without one."""
    arm = parse_arm(entry.arm)
    return arm.kind == kind and bool(arm.name)


def _table(entries: Sequence[ArmYield], base: ArmYield, most: int) -> Table:
    table = Table(_COLUMNS)
    if base.runs:
        table.add("(none)", *_cells(base, None))
    for entry in entries[:most]:
        table.add(parse_arm(entry.arm).name, *_cells(entry, base))
    if len(entries) > most:
        table.add(f"({len(entries) - most:,} more)")
    return table


def _cells(entry: ArmYield, base: ArmYield | None) -> list[Any]:
    cells: list[Any] = [entry.runs, entry.new]
    for name in _RATIOS:
        cells += [getattr(entry, name), None if base is None else ratio(entry, base, name)]
    checks = entry.decided + entry.undecided
    decided = f"{100 * entry.decided / checks:.0f} %" if checks else "-"
    return [*cells, decided, entry.killed, None if base is None else entry.chance]


def arms_data(arms: Mapping[str, Sequence[ArmYield]]) -> dict[str, Any]:
    """The yield of each arm as plain data: the sums, the ratios to runs without an arm of its kind,
    and the chance to pay as far as it is known. Of the rows with an empty name those of a kind are
    guided runs without such an arm, and that of the kind `plain` are runs without any.
    """
    rows = []
    for target, entries in arms.items():
        for entry in entries:
            arm = parse_arm(entry.arm or "plain:")
            base = baseline(entries, arm.kind)
            times = {
                f"times-{name}": None if found is None or entry is base else round(found, 3)
                for name in _RATIOS
                for found in [ratio(entry, base, name)]
            }
            sums = {name: value for name, value in asdict(entry).items() if name != "arm"}
            own = {"target": target, "kind": arm.kind, "name": arm.name}
            rows.append({**own, **sums, **times, "chance": round(entry.chance, 4)})
    return {"arms": rows}
