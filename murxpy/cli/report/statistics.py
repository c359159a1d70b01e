"""The tables of a campaign: mutants, seeds, operators, states, actions and refusals."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime

from rich.console import Console
from rich.text import Text

from murxpy.campaign.statistics import Reach
from murxpy.cli.report.seeds import ENDS, seed_sections
from murxpy.cli.report.tables import COUNT, TEXT, Section, Table, kinds
from murxpy.cli.report.text import one_line
from murxpy.records.snapshot import YIELD, NodeSum, Snapshot
from murxpy.records.yields import Offered, Yield
from murxpy.solvers.exceptions import REFUSALS
from murxpy.sources.mutation.variants import METHODS
from murxpy.sources.mutation.varied import TIMES

_LATEST = 253402300799.0  # seconds since the epoch that a date can show
_MESSAGES = 10  # messages shown of each class of refusals


def print_statistics(
    console: Console,
    snapshot: Snapshot,
    theories: Mapping[str, Sequence[str]],
    seeds: Mapping[str, Sequence[Yield]],
    offered: Mapping[str, Offered],
) -> None:
    """Print the tables of a campaign. `theories` has the operators that were to be executed, by
    theory; `seeds` has, by target, the yield of each seed of the mutation fuzzers, and
    `offered` how many seeds they can use.
    """
    for section in statistics_sections(snapshot, theories, seeds, offered):
        section.print(console)


def statistics_sections(
    snapshot: Snapshot,
    theories: Mapping[str, Sequence[str]],
    seeds: Mapping[str, Sequence[Yield]],
    offered: Mapping[str, Offered],
    most: int = ENDS,
) -> Iterator[Section]:
    """The tables of a campaign, with the `most` best and worst seeds."""
    yield from sources_section(snapshot)
    if snapshot.part("mutator:"):
        yield mutants_section(snapshot)
        yield from seed_sections(seeds, offered, most)
    if snapshot.part("stability:"):
        yield _stability(snapshot)
    if snapshot.part("op:") or not snapshot.part("mutator:"):
        yield from operator_sections(snapshot, theories)
        yield Section("States visited", [_listed(snapshot.part("state:"))])
    yield from _actions(snapshot)
    yield _refusals(snapshot)
    if snapshot.kept_nodes:
        yield nodes_section(snapshot.kept_nodes)


def nodes_section(nodes: Sequence[NodeSum]) -> Section:
    """The nodes of a cluster, those with most runs first."""
    table = Table({**kinds(["node", "machine"]), **kinds([], ["runs", "lost"]), "last seen": TEXT})
    for node in sorted(nodes, key=lambda one: -one.runs):
        seen = f"{datetime.fromtimestamp(min(max(node.seen, 0.0), _LATEST), UTC):%Y-%m-%d %H:%M:%S}"
        table.add(one_line(node.name), one_line(node.host), node.runs, node.losses, f"{seen} UTC")
    return Section("Nodes", [table])


def reach_sections(reaches: Mapping[str, Reach]) -> Iterator[Section]:
    """By target, how many public callables of its binding walks called, contract mode alone, and
    nothing, with the reason.
    """
    for target, found in reaches.items():
        table = _table("called by", "callables", "%")
        rows = {"walks": len(found.walks), "contract mode only": len(found.contract)}
        rows["nothing in this campaign"] = len(found.unreached)
        rows.update({f"never: {why}": number for why, number in found.skipped.items()})
        for name, number in rows.items():
            table.add(name, number, round(100 * number / (found.total or 1)))
        yield Section(f"Public callables of {target}: {found.total:,}", [table])


def _table(name: str, *counted: str) -> Table:
    return Table(kinds([name], counted, COUNT), whole=True)


def sources_section(snapshot: Snapshot) -> Iterator[Section]:
    """What each source of a mix cost and gave: its runs, their part of the time of the processor, the
    checks that they decided, and the findings that they showed. Nothing where there is one source.
    """
    counts = snapshot.part("source:")
    names = list(dict.fromkeys(key.split(":")[0] for key in counts))
    if len(names) < 2:
        return
    whole = sum(counts.get(f"{name}:cpu-ns", 0) for name in names) or 1
    table = _table("source", "runs", "CPU s", "CPU %", "decided", "decided a CPU s", "findings")
    for name in names:
        runs, cpu, decided, found = (
            counts.get(f"{name}:{word}", 0) for word in ("runs", "cpu-ns", "decided", "findings")
        )
        rate = round(1e9 * decided / cpu) if cpu else 0
        table.add(name, runs, round(cpu / 1e9), round(100 * cpu / whole), decided, rate, found)
    yield Section("Sources", [table])


def mutants_section(snapshot: Snapshot) -> Section:
    """The number of mutants of each mutation fuzzer, and their results."""
    counts = snapshot.part("mutator:")
    columns = list(dict.fromkeys([*YIELD, *(key.partition(":")[2] for key in counts)]))
    table = _table("fuzzer", *columns)
    for name in dict.fromkeys(key.split(":")[0] for key in counts):
        table.add(name, *(counts.get(f"{name}:{column}", 0) for column in columns))
    return Section("Mutants", [table])


def _stability(snapshot: Snapshot) -> Section:
    """The results for the variants of mutants, by the method that made them."""
    counts = snapshot.part("stability:")
    words = ("asked", "decided", "lost", "gained", *(f"x{times}" for times in TIMES))
    table = _table("method", *words)
    for method in METHODS:
        if f"{method}:asked" in counts:
            table.add(method, *(counts.get(f"{method}:{word}", 0) for word in words))
    return Section("Variants of mutants that mean the same", [table])


def operator_sections(
    snapshot: Snapshot, theories: Mapping[str, Sequence[str]]
) -> Iterator[Section]:
    """The operators that were tried, by theory, and the operators that were never executed."""
    tried, good = snapshot.part("op:"), snapshot.part("op-ok:")
    refused = snapshot.part("op-refused:")
    used = [name for name in REFUSALS if any(key.endswith(f":{name}") for key in refused)]
    listed = {kind for known in theories.values() for kind in known}
    groups = {**theories, "other": [kind for kind in tried if kind not in listed]}
    table = _table("operator", "tried", "ok", *used)
    for theory, known in groups.items():
        rows = [kind for kind in sorted(known) if kind in tried]
        if rows:
            done = sum(kind in good for kind in known)
            table.add(f"{theory}: {done} of {len(known)} executed", style="bold")
        for kind in rows:
            numbers = (refused.get(f"{kind}:{name}", 0) for name in used)
            table.add(f"  {kind}", tried[kind], good.get(kind, 0), *numbers)
    yield Section("Operators", [table])
    missing = list(_missing(theories, tried, good))
    yield Section("Operators never executed", missing or ["none"])


def _missing(
    theories: Mapping[str, Sequence[str]], tried: Mapping[str, int], good: Mapping[str, int]
) -> Iterator[str]:
    for theory, known in theories.items():
        missing = [
            f"{kind} (tried {tried[kind]:,})" if kind in tried else kind
            for kind in known
            if kind not in good
        ]
        if missing:
            yield f"{theory}: {', '.join(missing)}"


def _listed(amounts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {number:,}" for name, number in amounts.items()) or "none"


def _actions(snapshot: Snapshot) -> Iterator[Section]:
    tried, good = snapshot.part("action:"), snapshot.part("action-ok:")
    if not tried:
        return
    table = _table("action", "tried", "ok")
    for name, number in tried.items():
        table.add(name, number, good.get(name, 0))
    yield Section("Actions", [table])


def _refusals(snapshot: Snapshot) -> Section:
    """The refusals of each class by message, the most frequent message first."""
    messages = snapshot.part("refusal-message:")
    table = Table({"count": COUNT, **kinds(["class", "message"])})
    for name in REFUSALS:
        prefix = f"{name}:"
        own = [
            (n, key.removeprefix(prefix)) for key, n in messages.items() if key.startswith(prefix)
        ]
        own.sort(key=lambda pair: (-pair[0], pair[1]))
        for number, message in own[:_MESSAGES]:
            table.add(number, name, one_line(message, 200))
        if len(own) > _MESSAGES:
            rest = sum(number for number, _ in own[_MESSAGES:])
            table.add(rest, name, Text(f"({len(own) - _MESSAGES} other messages)", "dim"))
    return Section("Refusals", [table if table.rows else "none"])
