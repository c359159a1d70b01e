"""The yield of each seed in each mutation fuzzer: the best and the worst seeds as a table, all of
them as JSON.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import PurePath
from typing import Any

from rich.text import Text

from murxpy.cli.report.tables import COUNT, MEAN, Part, Section, Table, kinds
from murxpy.cli.report.text import amount
from murxpy.foreign import escaped
from murxpy.fuzzers.seeds import is_script
from murxpy.records.yields import FIGURES, Offered, Yield, seed_counts

ENDS = 5  # how many of the best seeds are shown, and how many of the worst
NAMED = 5  # words in which reasons differ that are named
_COLUMNS = ("runs", *FIGURES, "findings", "new")


def ranked(entries: Iterable[Yield]) -> list[Yield]:
    """The entries, best first: by new buckets, then by weight, which is decided checks by cost."""
    return sorted(entries, key=lambda entry: (-entry.new, -entry.weight, -entry.decided, entry.key))


def used_sections(
    seeds: Mapping[str, Sequence[Yield]],
    offered: Mapping[str, Offered],
    most: int = ENDS,
) -> Iterator[Section]:
    """How many seeds each target used, what came of the seeds of each fuzzer, and which seeds are at
    fault.
    """
    for target, entries in seeds.items():
        title = _title(target, entries, len(seeds) > 1)
        parts = [*_counts(entries, offered.get(target, {})), *_faults(entries, most)]
        yield Section(title, parts)


def _counts(entries: Iterable[Yield], offered: Offered) -> Iterator[Part]:
    """How many seeds of each fuzzer gave mutants, and why the others cannot be used."""
    table = Table(
        kinds(["fuzzer"], ["gave mutants", "gave none", "not drawn yet", "cannot be used"], COUNT)
    )
    reasons: dict[tuple[str, int], list[str]] = {}
    for counts in seed_counts(entries, offered):
        unusable = sum(counts.unusable.values())
        table.add(counts.fuzzer, counts.gave, counts.gave_none, counts.waiting, unusable)
        for reason, number in _alike(counts.unusable):
            reasons.setdefault((reason, number), []).append(counts.fuzzer)
    if offered:
        yield table
    for (reason, number), fuzzers in sorted(reasons.items(), key=lambda entry: -entry[0][1]):
        yield Text(
            f"{amount(number, 'seed')} cannot be used by {', '.join(fuzzers)}: {escaped(reason)}"
        )


def _alike(reasons: Mapping[str, int]) -> Iterator[tuple[str, int]]:
    """The reasons with the numbers of their seeds; those that differ in the last word alone, such as an
    operator that a dialect lacks, are one.
    """
    words: dict[str, list[str]] = {}
    for reason in reasons:
        beginning, _, last = reason.rpartition(" ")
        words.setdefault(beginning, []).append(last)
    for beginning, ends in words.items():
        more = f" and {len(ends) - NAMED} more" if len(ends) > NAMED else ""
        number = sum(reasons[f"{beginning} {end}".lstrip()] for end in ends)
        yield f"{beginning} {', '.join(ends[:NAMED])}{more}".lstrip(), number


def seed_sections(
    seeds: Mapping[str, Sequence[Yield]],
    offered: Mapping[str, Offered],
    most: int = ENDS,
) -> Iterator[Section]:
    """What came of the seeds of each fuzzer, and the `most` best and the `most` worst seeds of each
    target. Where there are several targets, their names stand in the titles.
    """
    for target, entries in seeds.items():
        counts = _counts(entries, offered.get(target, {}))
        ends = _table(ranked(entries), most)
        title = _title(target, entries, len(seeds) > 1)
        yield Section(title, [*counts, ends, *_faults(entries, most)])


def _title(target: str, entries: Sequence[Yield], named: bool) -> str:
    files = len({entry.seed for entry in entries})
    new = sum(entry.new > 0 for entry in entries)
    summary = f"{amount(files, 'file')} used, {new} with a new finding"
    return f"Seeds of {target}: {summary}" if named else f"Seeds: {summary}"


def _faults(entries: Sequence[Yield], most: int) -> Iterator[Text]:
    left_out = dict.fromkeys(entry.seed for entry in entries if entry.unreadable)
    foreign = [file for file in left_out if is_script(file)]
    reason = "left out, with operators that murxpy does not write for this solver"
    yield from _left_out(reason, foreign, most)
    unread = [file for file in left_out if file not in foreign]
    reason = "could not be read, 'murxpy check-seeds' says why"
    yield from _left_out(reason, unread, most)
    denied = dict.fromkeys(entry.seed for entry in entries if entry.mislabelled)
    reason = "answered against the label, 'murxpy check-seeds --cross-check' says who is right"
    yield from _left_out(reason, list(denied), most)


def _left_out(reason: str, files: Sequence[str], most: int) -> Iterator[Text]:
    if files:
        named = ", ".join(files[:most]) + (", ..." if len(files) > most else "")
        yield Text(f"{amount(len(files), 'file')} {reason}: {escaped(named)}")


def _table(entries: Sequence[Yield], most: int) -> Table:
    table = Table({**kinds(["seed", "fuzzer"], _COLUMNS, COUNT), "weight": MEAN})
    short = _shortened([entry.seed for entry in entries])
    shown = list(entries) if len(entries) <= 2 * most else [*entries[:most], *entries[-most:]]
    for at, entry in enumerate(shown):
        if at == most and len(entries) > 2 * most:
            table.add(f"({len(entries) - 2 * most:,} more)")
        figures = (getattr(entry, name) for name in _COLUMNS)
        table.add(short[entry.seed], entry.source, *figures, entry.weight)
    return table


def _shortened(files: Sequence[str]) -> dict[str, str]:
    """The paths without the folders that all of them share."""
    parts = [PurePath(file).parts[:-1] for file in files]
    common = 0
    while parts and all(len(part) > common and part[common] == parts[0][common] for part in parts):
        common += 1
    return {file: str(PurePath(*PurePath(file).parts[common:])) for file in files}


def seeds_data(seeds: Mapping[str, Sequence[Yield]]) -> list[dict[str, Any]]:
    """An object for each target, seed and fuzzer; the best entries of a target come first."""
    rows = [(target, entry) for target, entries in seeds.items() for entry in ranked(entries)]
    return [
        {"target": target, **asdict(entry), "weight": round(entry.weight, 4)}
        for target, entry in rows
    ]


def seed_counts_data(
    seeds: Mapping[str, Sequence[Yield]], offered: Mapping[str, Offered]
) -> list[dict[str, Any]]:
    """An object for each target and fuzzer, with the numbers of its seeds by what came of them."""
    return [
        {"target": target, **asdict(counts), "unusable": dict(counts.unusable)}
        for target, entries in seeds.items()
        for counts in seed_counts(entries, offered.get(target, {}))
    ]
