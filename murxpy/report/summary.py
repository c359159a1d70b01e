"""The summary that a campaign prints at its end: operators, states, results, refusals, findings and
the exit code.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from rich.console import Console
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from murxpy.campaign.events import Ended, Started
from murxpy.campaign.snapshot import YIELD, Snapshot
from murxpy.report.findings import print_findings
from murxpy.report.seeds import print_seeds
from murxpy.report.text import (
    amount,
    clock,
    judged_word,
    one_line,
    percent,
    rate,
    target_names,
    trace_path,
)

EXIT_MEANING = {
    0: "nothing new found",
    1: "new findings",
    2: "usage or bad input",
    3: "internal error, or not all that was found could be kept",
    4: "the solver cannot be used",
}
CLASSES = ("unsupported", "resources", "ill-formed", "undocumented")
_MESSAGES = 10  # messages shown of each class of refusals


def print_summary(
    console: Console, started: Started, ended: Ended, theories: Mapping[str, Sequence[str]]
) -> None:
    """Print the tables of the campaign. `theories` has the operators that were to be executed, by
    theory.
    """
    snapshot = ended.snapshot
    if snapshot.part("mutator:"):
        _print_mutators(console, snapshot)
        print_seeds(console, ended.seeds)
    if snapshot.part("op:") or not snapshot.part("mutator:"):
        _print_operators(console, snapshot, theories)
        _print_list(console, "States visited", snapshot.part("state:"))
    _print_actions(console, snapshot)
    _print_results(console, snapshot)
    _print_refusals(console, snapshot)
    _heading(console, "Findings")
    buckets = [
        replace(bucket, trace=trace_path(started.out, bucket) or "") for bucket in snapshot.buckets
    ]
    print_findings(console, buckets)
    console.print()
    for line in _verdict(started, ended):
        console.print(line, soft_wrap=True)


def _heading(console: Console, text: str) -> None:
    console.print()
    console.print(Text(text, "bold"))


def _table(*names: str) -> Table:
    """A table whose first column is text and whose other columns are numbers."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="cyan")
    table.add_column(names[0], overflow="fold")
    for name in names[1:]:
        table.add_column(name, justify="right", no_wrap=True)
    return table


def _print_whole(console: Console, table: Table) -> None:
    """Print a table of short cells in its natural width. The terminal may fold its lines, but no
    name is cut off.
    """
    natural = Measurement.get(console, console.options.update(width=1000), table).maximum
    console.print(table, width=natural, crop=False, soft_wrap=True)


def _print_mutators(console: Console, snapshot: Snapshot) -> None:
    """How many mutants each mutation fuzzer made, and what came of them."""
    counts = snapshot.part("mutator:")
    names = list(dict.fromkeys(key.split(":")[0] for key in counts))
    known = YIELD
    more = list(
        dict.fromkeys(key.split(":")[1] for key in counts if key.split(":")[1] not in known)
    )
    table = _table("fuzzer", *known, *more)
    table.columns[0].no_wrap = True
    for name in names:
        table.add_row(
            Text(name), *(_number(counts.get(f"{name}:{column}", 0)) for column in (*known, *more))
        )
    _heading(console, "Mutants")
    _print_whole(console, table)


def _print_operators(
    console: Console, snapshot: Snapshot, theories: Mapping[str, Sequence[str]]
) -> None:
    """The operators that were tried, by theory, and the operators that were never executed."""
    tried, good = snapshot.part("op:"), snapshot.part("op-ok:")
    refused = snapshot.part("op-refused:")
    used = [name for name in CLASSES if any(key.endswith(f":{name}") for key in refused)]
    listed = {kind for kinds in theories.values() for kind in kinds}
    groups = {**theories, "other": [kind for kind in tried if kind not in listed]}
    table = _table("operator", "tried", "ok", *used)
    for theory, kinds in groups.items():
        rows = [kind for kind in sorted(kinds) if kind in tried]
        if rows:
            done = sum(kind in good for kind in kinds)
            table.add_row(Text(f"{theory}: {done} of {len(kinds)} executed", "bold"))
        for kind in rows:
            numbers = (
                tried[kind],
                good.get(kind, 0),
                *(refused.get(f"{kind}:{name}", 0) for name in used),
            )
            table.add_row(Text(f"  {kind}"), *map(_number, numbers))
    _heading(console, "Operators")
    _print_whole(console, table)
    _print_missing(console, theories, tried, good)


def _print_missing(
    console: Console,
    theories: Mapping[str, Sequence[str]],
    tried: Mapping[str, int],
    good: Mapping[str, int],
) -> None:
    _heading(console, "Operators never executed")
    none = True
    for theory, kinds in theories.items():
        missing = [
            f"{kind} (tried {tried[kind]:,})" if kind in tried else kind
            for kind in kinds
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


def _number(number: int) -> Text:
    return Text(f"{number:,}") if number else Text("-", "dim")


def _print_list(console: Console, title: str, amounts: Mapping[str, int]) -> None:
    _heading(console, title)
    _print_wrapped(
        console, ", ".join(f"{name} {number:,}" for name, number in amounts.items()) or "none"
    )


def _print_actions(console: Console, snapshot: Snapshot) -> None:
    tried, good = snapshot.part("action:"), snapshot.part("action-ok:")
    if not tried:
        return
    table = _table("action", "tried", "ok")
    for name, number in tried.items():
        table.add_row(Text(name), _number(number), _number(good.get(name, 0)))
    _heading(console, "Actions")
    _print_whole(console, table)


def _print_results(console: Console, snapshot: Snapshot) -> None:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), show_header=False)
    table.add_column(style="cyan", no_wrap=True)
    table.add_column(overflow="fold")
    for label, values in _results(snapshot):
        table.add_row(label, values)
    _heading(console, "Results")
    console.print(table)


def _results(snapshot: Snapshot) -> Iterator[tuple[str, str]]:
    """The figures of the runs, each with its label."""
    yield "runs", _runs(snapshot)
    yield "checks", _checks(snapshot)
    answers = snapshot.answers
    for answer, read, what in (("sat", "model", "a model"), ("unsat", "core", "a core")):
        share = _share(snapshot, f"{answer}:{read}-read", f"{answer}:total")
        yield answer, f"{answers[answer]:,}, {what} read after {share}"
    yield "unknown", f"{answers['unknown']:,}"
    yield "over limit", f"{answers['over-limit']:,}"
    if snapshot.judged:
        yield "judges", _judges(snapshot)
        yield "confirmed", _confirmed(snapshot)
    terms = snapshot.counts.get("term:made", 0)
    yield "terms", f"{terms:,}, {_share(snapshot, 'term:useful', 'term:made')} in a check"
    parts = (("solver and binding", "solver"), ("choosing", "choose"), ("trace", "trace"))
    shares = [f"{name} {_share(snapshot, f'time-ns:{key}', 'time-ns:run')}" for name, key in parts]
    yield "time", ", ".join(shares)


def _runs(snapshot: Snapshot) -> str:
    unchecked = _share(snapshot, "run:no-check", "run:total")
    return (
        f"{snapshot.runs:,} ({rate(snapshot.runs_per_second)}), {unchecked} without a check, "
        f"{snapshot.overstayed:,} overstayed, {amount(snapshot.lost, 'worker')} lost"
    )


def _checks(snapshot: Snapshot) -> str:
    asserted = _share(snapshot, "check:asserted", "check:total")
    return (
        f"{snapshot.counts.get('check:total', 0):,}, {asserted} with something asserted, "
        f"{snapshot.decided:,} decided ({rate(snapshot.decided_per_second)})"
    )


def _judges(snapshot: Snapshot) -> str:
    said = ", ".join(
        f"{number:,} {judged_word(name)}"
        for name, number in snapshot.judged.items()
        if name != "lost"
    )
    runs = amount(snapshot.counts["judge:runs"], "run")
    return f"{runs}: of the checks {said}; {snapshot.judged['lost']:,} lost"


def _confirmed(snapshot: Snapshot) -> str:
    return (
        f"{percent(snapshot.confirmed_share)} of "
        f"{amount(snapshot.counts['check:judged'], 'judged check')}, "
        f"in {percent(snapshot.judges_share)} of the time of runs and judges"
    )


def _share(snapshot: Snapshot, part: str, whole: str) -> str:
    total = snapshot.counts.get(whole, 0)
    return percent(snapshot.counts.get(part, 0) / total if total else None)


def _print_refusals(console: Console, snapshot: Snapshot) -> None:
    """The refusals of each class by message, the most frequent message first."""
    _heading(console, "Refusals")
    messages = snapshot.part("refusal-message:")
    table = _table("count", "class", "message")
    table.columns[0].justify, table.columns[0].no_wrap = "right", True
    table.columns[1].justify = "left"
    table.columns[2].justify, table.columns[2].no_wrap, table.columns[2].overflow = (
        "left",
        False,
        "fold",
    )
    for name in CLASSES:
        prefix = f"{name}:"
        own = [
            (n, key.removeprefix(prefix)) for key, n in messages.items() if key.startswith(prefix)
        ]
        own.sort(key=lambda pair: (-pair[0], pair[1]))
        for number, message in own[:_MESSAGES]:
            table.add_row(f"{number:,}", name, Text(one_line(message, 200)))
        if len(own) > _MESSAGES:
            rest = sum(number for number, _ in own[_MESSAGES:])
            table.add_row(
                f"{rest:,}", name, Text(f"({len(own) - _MESSAGES} other messages)", "dim")
            )
    console.print(table if table.row_count else Text("none"))


def _verdict(started: Started, ended: Ended) -> Iterator[Text]:
    snapshot = ended.snapshot
    after = snapshot.elapsed - snapshot.running
    grace = f" and {clock(after)} for what was left" if after >= 1 else ""
    yield Text(
        f"{target_names(started)}, seed {started.seed}: {amount(snapshot.runs, 'run')} in {clock(snapshot.running)}{grace} "
        f"({ended.reason}); {amount(snapshot.findings, 'finding')} in {amount(len(snapshot.buckets), 'bucket')}, "
        f"{len(snapshot.new_buckets)} new; {'not ' * bool(ended.unkept)}all in {started.out}"
    )
    meaning = EXIT_MEANING.get(ended.exit_code, "")
    if ended.unkept:
        yield Text(f"lost: {ended.unkept}", "bold red")
    if ended.unjudged or ended.unsolved:
        yield Text(
            f"not judged: {amount(ended.unjudged, 'run')}, and {amount(ended.unsolved, 'known disagreement')} not looked into; "
            f"the next session in {started.out} does that",
            "bold red" if ended.unsolved else "yellow",
        )
    yield Text(
        f"exit code {ended.exit_code}: {meaning}", "bold red" if ended.exit_code else "bold green"
    )
