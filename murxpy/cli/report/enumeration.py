"""Grammars as tables and text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from murxpy.cli.report.tables import Kind, Section, Table, kinds
from murxpy.machine.script import UNKNOWN
from murxpy.machine.witnesses.unknowns import GAVE_UP
from murxpy.sources.enumeration.blocks import (
    AGREED,
    CONFIRMED,
    COUNTED,
    DIFFERS,
    FINDING,
    JUDGED,
    KILLED,
    LEFT,
    NOT_RUN,
    TWIN,
)
from murxpy.sources.enumeration.call_sequences import NO_CHECK, NOT_ALLOWED
from murxpy.sources.enumeration.grammar import Grammar
from murxpy.sources.enumeration.source import EQUAL

SIZES = 8  # that a table shows


def counts_table(grammars: Sequence[Grammar]) -> Table:
    """The number of scripts of each size, a row for each grammar."""
    sizes = [str(size) for size in range(1, SIZES + 1)]
    table = Table({**kinds(["grammar"], sizes), **kinds(["scripts"])})
    for grammar in grammars:
        table.add(grammar.name, *(grammar.of_size(int(size)) for size in sizes), grammar.about)
    return table


def productions(grammar: Grammar) -> Iterator[str]:
    """The grammar as text, a line for each production."""
    yield ""
    yield grammar.head
    for name, texts in grammar.plain["rules"].items():
        yield f"\n{name}: {grammar.plain['sorts'][name]}"
        for text, _ in texts:
            yield f"  {text}"
    yield "\nscript:"
    for text, _ in grammar.plain["script"]:
        yield f"  {text}"


# ----------------------------------------------------------------------
# The guarantee that an enumeration gives: the number of tested scripts of each grammar and size,
# and their results.


_ANSWERS = {"sat", "unsat", EQUAL}
_DIGITS = 9  # of the size of a script, at most


@dataclass(frozen=True, slots=True)
class Tested:
    """The scripts of a grammar and a size: how many there are, how many are to be tested, and how
    many had which outcome.
    """

    grammar: str
    size: int
    scripts: int
    wanted: int
    came: Mapping[str, int] = field(default_factory=dict)
    confirmed: Mapping[str, int] = field(
        default_factory=dict
    )  # decided scripts, by what confirms them

    @property
    def run(self) -> int:
        """The number of scripts that were tested."""
        return sum(self.came.values())

    @property
    def whole(self) -> bool:
        """Whether all scripts of this size were tested."""
        return self.run >= self.scripts

    def of(self, *names: str) -> int:
        """The number of scripts with one of these outcomes."""
        return sum(self.came.get(name, 0) for name in names)

    @property
    def decided(self) -> int:
        """The number of scripts all of whose checks were answered."""
        return _decided(self.came)

    @property
    def refused(self) -> int:
        """The number of scripts that the solver did not take."""
        return self.run - self.decided - self.of(UNKNOWN, FINDING, KILLED, TWIN)


def _decided(came: Mapping[str, int]) -> int:
    return sum(n for name, n in came.items() if set(name.split("+")) <= _ANSWERS)


def tested(
    grammars: Sequence[Grammar], at: int, take: int, counts: Mapping[str, int]
) -> list[Tested]:
    """The test results of `take` scripts of each grammar from index `at` on, by the counters of a
    campaign.
    """
    found = _by_size(counts, COUNTED)
    confirmed = _by_size(counts, CONFIRMED)
    return [
        Tested(
            grammar.name,
            size,
            scripts,
            wanted,
            found.get((grammar.name, size), {}),
            confirmed.get((grammar.name, size), {}),
        )
        for grammar in grammars
        for size, scripts, wanted in _sizes(grammar, at, take)
    ]


def _by_size(counts: Mapping[str, int], prefix: str) -> dict[tuple[str, int], dict[str, int]]:
    """The counters whose names are this prefix, a grammar, a size and a word, by grammar and size."""
    found: dict[tuple[str, int], dict[str, int]] = {}
    for name, n in counts.items():
        if name.startswith(prefix):
            grammar, size, word = name.removeprefix(prefix).split(":", 2)
            found.setdefault((grammar, int(size)), {})[word] = n
    return found


def _sizes(grammar: Grammar, at: int, take: int) -> Iterator[tuple[int, int, int]]:
    """The sizes with scripts among those from `at` on, each with the number of all its scripts and of
    the scripts that are asked.
    """
    end = at + take if grammar.number is None else min(at + take, grammar.number)
    while at < end:
        size = grammar.size_at(at)
        behind = min(end, grammar.up_to(size))
        yield size, grammar.of_size(size), behind - at
        at = behind


def tested_so_far(counts: Mapping[str, int]) -> Iterator[Section]:
    """The scripts that an enumeration has tested, by grammar and size; nothing for other campaigns. How
    many there are is not told, since a campaign may have had a grammar of the user's.
    """
    found: dict[tuple[str, int], dict[str, int]] = {}
    for name, n in counts.items():
        grammar, _, rest = name.removeprefix(COUNTED).partition(":")
        size, _, came = rest.partition(":")
        if name.startswith(COUNTED) and size.isdecimal() and len(size) < _DIGITS:
            found.setdefault((grammar, int(size)), {})[came] = n
    table = Table(
        kinds(
            ["grammar"], ["size", "tested", "decided", "unknown", "refused", "findings", "killed"]
        )
    )
    for (grammar, number), outcomes in sorted(found.items()):
        row = Tested(grammar, number, 0, 0, outcomes)
        ended = row.decided, row.of(UNKNOWN), row.refused, row.of(FINDING), row.of(KILLED)
        table.add(grammar, number, row.run - row.of(TWIN), *ended)
    if table.rows:
        yield Section("Enumerated scripts", [table])


def guarantee_table(rows: Sequence[Tested]) -> Table:
    """A row for each grammar and size."""
    numbers = ["size", "scripts", "tested", "decided", "unknown", "refused", "findings", "killed"]
    twins = [TWIN] if any(row.of(TWIN) for row in rows) else []
    columns = kinds(["grammar"], numbers, EXACT)
    table = Table(columns | {f"{name}s": Kind(number_text, right=False) for name in twins})
    for row in rows:
        ended = row.decided, row.of(UNKNOWN), row.refused, row.of(FINDING), row.of(KILLED)
        run = row.run - row.of(TWIN)
        table.add(row.grammar, row.size, row.scripts, run, *ended, *map(row.of, twins))
    return table


def number_text(number: int) -> str:
    """A number in full, or as a power of ten where nobody reads its digits."""
    digits = str(number)
    return f"{number:,}" if len(digits) <= 15 else f"{digits[0]}.{digits[1:3]}e{len(digits) - 1}"


EXACT = Kind(number_text)


def whole_sizes(rows: Sequence[Tested]) -> list[Tested]:
    """The rows of each grammar from its first size on, up to the last of which all scripts were
    tested.
    """
    found = []
    for name in dict.fromkeys(row.grammar for row in rows):
        own = [row for row in rows if row.grammar == name]
        found += [row for row in own[: _first_part(own)] if row.scripts]
    return found


def guarantee(rows: Sequence[Tested], solver: str) -> list[str]:
    """A sentence for each grammar: up to which size all its scripts were tested."""
    sentences = []
    for name in dict.fromkeys(row.grammar for row in rows):
        own = [row for row in rows if row.grammar == name]
        whole = whole_sizes(own)
        if not whole:
            run, wanted = sum(row.run for row in own), sum(row.wanted for row in own)
            sentences.append(
                f"{name}: {run:,} of {wanted:,} scripts were tested, not all of any size"
            )
            continue
        scripts, decided = sum(r.scripts for r in whole), sum(r.decided for r in whole)
        wrong = sum(row.of(FINDING, KILLED) for row in whole)
        twins = sum(row.of(TWIN) for row in whole)
        other = scripts - decided - wrong - twins
        but = f" but {twins:,} that are twins of others" if twins else ""
        sentences.append(
            f"{name}: all {scripts:,} scripts up to size {whole[-1].size}{but} were tested on {solver}: "
            f"{decided:,} were decided without a finding{_confirmations(whole)}, {other:,} were not decided, "
            f"{wrong:,} {'ends' if wrong == 1 else 'end'} in a finding or were killed"
        )
    return sentences


def _confirmations(rows: Sequence[Tested]) -> str:
    """Who confirms the decided scripts of the rows, in brackets."""
    decided = sum(row.decided for row in rows)
    by: Counter[str] = Counter()
    for row in rows:
        by.update(row.confirmed)
    parts = [f"{n:,} confirmed by {name}" for name, n in by.items()]
    alone = decided - sum(by.values())
    return f" ({', '.join([*parts, f'{alone:,} by nobody'])})" if decided else ""


def _first_part(rows: Sequence[Tested]) -> int:
    """The number of rows, from the first size on, that are whole."""
    for place, row in enumerate(rows):
        if not row.whole:
            return place
    return len(rows)


# ----------------------------------------------------------------------
# The results of all sequences of calls, as a table and as sentences.


def _parts(row: Tested) -> list[int]:
    """The sequences of a row that ran to their end, up to a call that is not allowed, up to a call that
    the release does not have, with an unknown answer, with a finding, and killed.
    """
    ended = row.decided + row.of(NO_CHECK)
    refused = row.run - ended - row.of(NOT_ALLOWED, UNKNOWN, FINDING, KILLED)
    others = [row.of(NOT_ALLOWED), refused, row.of(UNKNOWN), row.of(FINDING), row.of(KILLED)]
    return [ended, *others]


def calls_table(rows: Sequence[Tested]) -> Table:
    """A row for each number of calls."""
    parts = ["to the end", "not allowed", "refused", "unknown", "findings", "killed"]
    table = Table(kinds(["pool"], ["calls", "sequences", "made", *parts], EXACT))
    for row in rows:
        table.add(row.grammar, row.size - 1, row.scripts, row.run, *_parts(row))
    return table


def calls_guarantee(rows: Sequence[Tested], solver: str) -> list[str]:
    """A sentence that says up to which number of calls all sequences were made, and with which
    results.
    """
    whole = whole_sizes(rows)
    if not whole:
        return ["not all sequences of any number of calls were made"]
    ended, barred, refused, unknown, found, killed = map(sum, zip(*map(_parts, whole), strict=True))
    return [
        f"{whole[0].grammar}: all {sum(row.scripts for row in whole):,} sequences of up to {whole[-1].size - 1} calls were "
        f"made on {solver}: {ended:,} to their end, {barred:,} up to a call that the answer before does not allow, "
        f"{refused:,} up to a call that {solver} does not have, {unknown:,} with an unknown answer, "
        f"{found + killed:,} with a finding or killed"
    ]


# ----------------------------------------------------------------------
# The answers of the judges to the scripts that the target of an enumeration decided.


_SAID = (AGREED, UNKNOWN, GAVE_UP, DIFFERS, NOT_RUN)


@dataclass(frozen=True, slots=True)
class JudgedScripts:
    """The decided scripts of a grammar and a size, by what one judge says of them."""

    grammar: str
    size: int
    judge: str
    said: Mapping[str, int]

    def of(self, name: str) -> int:
        """The number of scripts of which the judge says this."""
        return self.said.get(name, 0)


def judged(counts: Mapping[str, int]) -> list[JudgedScripts]:
    """The answers of the judges, by the counters of a campaign; sorted by grammar, judge and size. Scripts
    that still wait for a judge when the campaign ends count as not asked.
    """
    found: dict[tuple[str, str, int], dict[str, int]] = {}
    for name, n in counts.items():
        if name.startswith(JUDGED):
            grammar, size, answer, judge = name.removeprefix(JUDGED).split(":", 3)
            found.setdefault((grammar, judge, int(size)), {})[answer] = n
    came = _by_size(counts, COUNTED)
    for (of, _, number), said in found.items():
        waiting = _decided(came.get((of, number), {})) - sum(said.values())
        if waiting > 0:
            said[NOT_RUN] = said.get(NOT_RUN, 0) + waiting
    return [
        JudgedScripts(grammar, size, judge, answer)
        for (grammar, judge, size), answer in sorted(found.items(), key=lambda item: item[0])
    ]


def judged_table(rows: Sequence[JudgedScripts]) -> Table:
    """A row for each grammar, judge and size."""
    numbers = ["size", "agrees", "unknown", "gives up", "differs", "not asked"]
    table = Table(kinds(["grammar", "judge"], numbers))
    for row in rows:
        table.add(row.grammar, row.judge, row.size, *map(row.of, _SAID))
    return table


def judged_lines(rows: Sequence[JudgedScripts], whole: Sequence[Tested]) -> list[str]:
    """A sentence for each grammar and judge about the sizes of which all scripts were tested."""
    sizes = {(row.grammar, row.size) for row in whole}
    sentences = []
    for grammar, judge in dict.fromkeys((row.grammar, row.judge) for row in rows):
        own = [
            row
            for row in rows
            if (row.grammar, row.judge) == (grammar, judge) and (grammar, row.size) in sizes
        ]
        if own:
            agreed, unknown, lost, differs, left = (
                sum(row.of(name) for row in own) for name in _SAID
            )
            sentences.append(
                f"{grammar}: of the decided scripts up to size {max(row.size for row in own)}, {judge} answers "
                f"{agreed:,} likewise, does not decide {unknown + lost:,} (it gives up {lost:,} of them), answers {differs:,} otherwise, "
                f"and was not asked about {left:,}"
            )
    return sentences


@dataclass(frozen=True, slots=True)
class GivenUpScripts:
    """The scripts of a grammar that one of target and judge decides and on which the other gives up for one
    cause, which is named by operators (empty if the scripts have nothing but connectives and equality): how
    many, what they cost judge and target in the mean, in milliseconds of a usual machine, and the one with
    the least index.
    """

    grammar: str
    judge: str
    cause: str
    scripts: int
    judge_ms: float
    target_ms: float
    first: str


def given_up(
    grammars: Sequence[Grammar], kept: Sequence[Sequence[Any]], scripts: range
) -> list[GivenUpScripts]:
    """The causes for which judges or the target gave up, by what an enumeration of `scripts` stores; sorted by
    grammar and judge, the causes with few operators first. Scripts with all operators of a smaller cause belong to
    that one. A cause of other scripts, which a folder of a stranger may have, is left out.
    """
    merged: dict[tuple[str, str, str], list[int]] = {}
    named = {grammar.name: grammar for grammar in grammars}
    for grammar, judge, cause, *figures in sorted(kept, key=_by_cause):
        number = named[grammar].number if grammar in named else 0
        if figures[3] not in scripts or (number is not None and figures[3] >= number):
            continue
        own = set(cause.split())
        smaller = [
            known
            for known in merged
            if known[2] and known[:2] == (grammar, judge) and set(known[2].split()) <= own
        ]
        key = smaller[0] if smaller else (grammar, judge, cause)
        sums = merged.setdefault(key, [0, 0, 0, figures[3]])
        merged[key] = [*map(sum, zip(sums[:3], figures[:3], strict=True)), min(sums[3], figures[3])]
    return [
        GivenUpScripts(
            grammar,
            judge,
            cause,
            scripts,
            round(judge_us / scripts / 1000, 3),
            round(target_us / scripts / 1000, 3),
            " ".join(named[grammar].at(first).split()),
        )
        for (grammar, judge, cause), (scripts, judge_us, target_us, first) in merged.items()
    ]


def _by_cause(row: Sequence[Any]) -> tuple[str, str, int, str]:
    grammar, judge, cause = row[:3]
    return grammar, judge, len(cause.split()), cause


def given_up_table(rows: Sequence[GivenUpScripts]) -> Table:
    """A row for each grammar, judge and cause."""
    table = Table(
        kinds(["grammar", "judge", "operators"], ["scripts", "judge ms", "target ms"])
        | kinds(["first script"])
    )
    for row in rows:
        numbers = (row.scripts, f"{row.judge_ms:.2f}", f"{row.target_ms:.2f}")
        table.add(row.grammar, row.judge, row.cause or "-", *numbers, row.first)
    return table


# ----------------------------------------------------------------------
# What the baseline says of the scripts that the target of an enumeration leaves unknown.


_LEFT_WORDS = ("left", "asked", "decided", "lost", "slow")


@dataclass(frozen=True, slots=True)
class LeftUnknown:
    """The scripts of a grammar and a size that the target left unknown: how many, how many of them the
    baseline was asked about and decided, and on how many of these the target gives up, or is slow.
    """

    grammar: str
    size: int
    left: int
    asked: int
    decided: int
    lost: int
    slow: int


def left_unknown(counts: Mapping[str, int]) -> list[LeftUnknown]:
    """What came of the scripts that the target left unknown, by the counters of a campaign; sorted by
    grammar and size.
    """
    found = _by_size(counts, LEFT)
    return [
        LeftUnknown(grammar, size, *[words.get(word, 0) for word in _LEFT_WORDS])
        for (grammar, size), words in sorted(found.items(), key=lambda item: item[0])
    ]


def left_table(rows: Sequence[LeftUnknown]) -> Table:
    """A row for each grammar and size."""
    numbers = ["size", "unknown", "asked", "decided", "gives up", "slow"]
    table = Table(kinds(["grammar"], numbers))
    for row in rows:
        table.add(row.grammar, row.size, row.left, row.asked, row.decided, row.lost, row.slow)
    return table
