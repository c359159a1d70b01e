"""The tables of a campaign: mutants, seeds, operators, states, actions and refusals."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence

from rich.console import Console
from rich.text import Text

from murxpy.campaign.statistics import Reach
from murxpy.cli.report.seeds import print_seeds
from murxpy.cli.report.tables import COUNT, Table, kinds
from murxpy.cli.report.text import heading, one_line
from murxpy.records.snapshot import YIELD, Snapshot
from murxpy.records.yields import Offered, Yield
from murxpy.solvers.exceptions import REFUSALS
from murxpy.sources.mutation.variants import METHODS
from murxpy.sources.mutation.varied import TIMES

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
    print_sources(console, snapshot)
    if snapshot.part("mutator:"):
        print_mutants(console, snapshot)
        print_seeds(console, seeds, offered)
    if snapshot.part("stability:"):
        _print_stability(console, snapshot)
    if snapshot.part("op:") or not snapshot.part("mutator:"):
        _print_operators(console, snapshot, theories)
        _print_list(console, "States visited", snapshot.part("state:"))
    _print_actions(console, snapshot)
    _print_refusals(console, snapshot)


def print_reach(console: Console, reaches: Mapping[str, Reach]) -> None:
    """Print, by target, how many public callables of its binding walks called, contract mode alone,
    and nothing, with the reason.
    """
    for target, found in reaches.items():
        table = _table("called by", "callables", "%")
        rows = {"walks": len(found.walks), "contract mode only": len(found.contract)}
        rows["nothing in this campaign"] = len(found.unreached)
        rows.update({f"never: {why}": number for why, number in found.skipped.items()})
        for name, number in rows.items():
            table.add(name, number, round(100 * number / (found.total or 1)))
        _print(console, f"Public callables of {target}: {found.total:,}", table)


def _table(name: str, *counted: str) -> Table:
    return Table(kinds([name], counted, COUNT), whole=True)


def _print(console: Console, title: str, table: Table) -> None:
    heading(console, title)
    table.print(console)


def print_sources(console: Console, snapshot: Snapshot) -> None:
    """Print what each source of a mix cost and gave: its runs, their part of the time of the processor,
    the checks that they decided, and the findings that they showed.
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
    _print(console, "Sources", table)


def print_mutants(console: Console, snapshot: Snapshot) -> None:
    """Print the number of mutants of each mutation fuzzer, and their results."""
    counts = snapshot.part("mutator:")
    columns = list(dict.fromkeys([*YIELD, *(key.split(":")[1] for key in counts)]))
    table = _table("fuzzer", *columns)
    for name in dict.fromkeys(key.split(":")[0] for key in counts):
        table.add(name, *(counts.get(f"{name}:{column}", 0) for column in columns))
    _print(console, "Mutants", table)


def _print_stability(console: Console, snapshot: Snapshot) -> None:
    """Print the results for the variants of mutants, by the method that made them."""
    counts = snapshot.part("stability:")
    words = ("asked", "decided", "lost", "gained", *(f"x{times}" for times in TIMES))
    table = _table("method", *words)
    for method in METHODS:
        if f"{method}:asked" in counts:
            table.add(method, *(counts.get(f"{method}:{word}", 0) for word in words))
    _print(console, "Variants of mutants that mean the same", table)


def _print_operators(
    console: Console, snapshot: Snapshot, theories: Mapping[str, Sequence[str]]
) -> None:
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
    _print(console, "Operators", table)
    _print_missing(console, theories, tried, good)


def _print_missing(
    console: Console,
    theories: Mapping[str, Sequence[str]],
    tried: Mapping[str, int],
    good: Mapping[str, int],
) -> None:
    heading(console, "Operators never executed")
    none = True
    for theory, known in theories.items():
        missing = [
            f"{kind} (tried {tried[kind]:,})" if kind in tried else kind
            for kind in known
            if kind not in good
        ]
        if missing:
            none = False
            _print_wrapped(console, f"{theory}: {', '.join(missing)}")
    if none:
        console.print("none")


def _print_wrapped(console: Console, text: str) -> None:
    wrapper = textwrap.TextWrapper(
        max(20, console.width),
        subsequent_indent="  ",
        break_long_words=False,
        break_on_hyphens=False,
    )
    for line in wrapper.wrap(text):
        console.print(Text(line), soft_wrap=True)


def _print_list(console: Console, title: str, amounts: Mapping[str, int]) -> None:
    heading(console, title)
    _print_wrapped(
        console, ", ".join(f"{name} {number:,}" for name, number in amounts.items()) or "none"
    )


def _print_actions(console: Console, snapshot: Snapshot) -> None:
    tried, good = snapshot.part("action:"), snapshot.part("action-ok:")
    if not tried:
        return
    table = _table("action", "tried", "ok")
    for name, number in tried.items():
        table.add(name, number, good.get(name, 0))
    _print(console, "Actions", table)


def _print_refusals(console: Console, snapshot: Snapshot) -> None:
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
    if table.rows:
        _print(console, "Refusals", table)
    else:
        _print_list(console, "Refusals", {})
