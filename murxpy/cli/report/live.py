"""The live view as lines of text. The screen depends on the campaign's figures and the size of the
terminal, and on nothing else.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Self

from rich.console import Console, ConsoleOptions, RenderResult
from rich.live import Live
from rich.text import Text

from murxpy.cli.report.findings import STATUS_STYLES
from murxpy.cli.report.tables import Table, kinds
from murxpy.cli.report.text import (
    amount,
    brief,
    clock,
    cut,
    judged_word,
    one_line,
    percent,
    rate,
    seed_text,
    target_names,
)
from murxpy.records.events import Ended, Event, Notice, Started, Tick
from murxpy.records.snapshot import BucketView, Left, Snapshot, WorkerView
from murxpy.solvers.exceptions import ILL_FORMED, UNDOCUMENTED

LABEL = 10  # columns of the labels at the left side
ANSWER_STYLES = {"sat": "green", "unsat": "blue", "unknown": "yellow", "over-limit": "magenta"}
_STATE_STYLES = {"starting": "dim", "running": "", "confirming": "bold magenta", "waiting": "dim"}
_BAR = {"sat": "█", "unsat": "▓", "unknown": "▒", "over-limit": "░"}
_ASCII_BAR = {"sat": "#", "unsat": "=", "unknown": "-", "over-limit": "."}
_HINT = "Ctrl-C ends the campaign; findings are kept"


@dataclass(frozen=True, slots=True)
class Screen:
    """The place where the view is drawn: its columns, its rows, and whether it shows only ASCII."""

    width: int
    height: int
    ascii: bool = False


def view_lines(
    started: Started, snapshot: Snapshot, notices: Sequence[str], screen: Screen
) -> list[Text]:
    """The whole view: at most `screen.height` lines of at most `screen.width` columns.

    Where rows are scarce, blank lines go first, then workers and old buckets. The last row always
    says how to end the campaign.
    """
    head = _title(started, screen) + figures(started, snapshot, screen)
    room = screen.height - len(head) - 1
    spaced = room >= len(snapshot.workers) + min(len(snapshot.buckets), 3) + 4
    gap = [Text()] if spaced else []
    workers = [*gap, *_workers(snapshot, screen, (room - 2 * len(gap)) * 2 // 3)]
    below = room - len(workers) - 2 * len(gap)
    foot = [_cut(Text(one_line(text), "yellow"), screen) for text in notices[-1:] if below > 2]
    buckets = _buckets(snapshot, screen, below - len(foot))
    body = [*head, *workers, *(gap if buckets else []), *buckets, *gap, *foot]
    body = (body + [Text()] * screen.height)[: max(0, screen.height - 1)]
    return [*body, _cut(Text(_HINT, "dim"), screen)]


def _title(started: Started, screen: Screen) -> list[Text]:
    title = Text.assemble(("murxpy", "bold"), "  ", (target_names(started), "bold cyan"))
    rest = f"seed {started.seed}   out {started.out}"
    rule = Text(("-" if screen.ascii else "─") * screen.width, "dim")
    if title.cell_len + 3 + len(rest) <= screen.width:
        title.append(" " * (screen.width - title.cell_len - len(rest)) + rest, "dim")
        return [title, rule]
    return [_cut(title, screen), _cut(Text(rest, "dim"), screen), rule]


def figures(started: Started, snapshot: Snapshot, screen: Screen) -> list[Text]:
    """The figures of the campaign: a line for each label with its values, or more where the screen
    is narrow.
    """
    return [
        *_flow("time", _time(started, snapshot), screen),
        *(_flow("finishing", _finishing(snapshot.left), screen) if snapshot.left else []),
        *_flow("runs", _runs(snapshot), screen),
        *(_flow("nodes", _nodes(snapshot), screen) if snapshot.nodes else []),
        *_flow("decided", _decided(snapshot), screen),
        *_flow("answers", _amounts(snapshot.answers, ANSWER_STYLES), screen),
        *_bar(snapshot.answers, screen),
        *(_flow("mutants", _mutants(snapshot), screen) if snapshot.mutants else []),
        *(_flow("judges", _judged(snapshot), screen) if snapshot.judged else []),
        *_flow(
            "refused",
            _amounts(snapshot.refusals, {ILL_FORMED: "bold red", UNDOCUMENTED: "red"}),
            screen,
        ),
        *_flow("findings", _findings(snapshot), screen),
    ]


def _time(started: Started, snapshot: Snapshot) -> Iterable[Text]:
    limit = "" if started.time_limit is None else f" of {clock(started.time_limit)}"
    yield Text.assemble((clock(snapshot.elapsed), "bold"), limit)
    yield Text(f"{percent(snapshot.solver_share)} of it in the solver")


def _finishing(left: Left) -> Iterable[Text]:
    """The work that is still done after the last run."""
    for words in left.words().split(", "):
        yield Text(words, "bold magenta")


def _runs(snapshot: Snapshot) -> Iterable[Text]:
    yield Text(f"{snapshot.runs:,}", "bold")
    yield Text(f"{rate(snapshot.recent_runs)} now, {rate(snapshot.runs_per_second)} mean")
    if snapshot.overstayed:
        yield Text(f"{snapshot.overstayed:,} overstayed")
    if snapshot.lost:
        yield Text(f"{amount(snapshot.lost, 'worker')} lost")


def _nodes(snapshot: Snapshot) -> Iterable[Text]:
    """How many nodes there are by state, and of those that are used the one that is silent longest."""
    states = Counter(node.state for node in snapshot.nodes)
    yield Text(f"{states['used']:,} used", "bold")
    for state in ("joining", "refused", "lost"):
        if states[state]:
            yield Text(f"{states[state]:,} {state}", "" if state == "joining" else "red")
    used = [node for node in snapshot.nodes if node.state == "used"]
    if used:
        last = max(used, key=lambda node: node.silent)
        yield Text(f"{last.host}: no answer for {brief(last.silent)}")


def _decided(snapshot: Snapshot) -> Iterable[Text]:
    yield Text(f"{snapshot.decided:,}", "bold")
    yield Text(f"{rate(snapshot.recent_decided)} now, {rate(snapshot.decided_per_second)} mean")


def _amounts(amounts: dict[str, int], styles: dict[str, str]) -> Iterable[Text]:
    for name, number in amounts.items():
        style = styles.get(name, "") if number else "dim"
        yield Text.assemble(("over limit" if name == "over-limit" else name, style), f" {number:,}")


# In the order of `murxpy.campaign.statistics.YIELD`.
_YIELD_STYLES = {
    "accepted": "",
    "decided": "",
    "unknown": "",
    "timeouts": "yellow",
    "findings": "bold red",
}


def _mutants(snapshot: Snapshot) -> Iterable[Text]:
    """The number of mutants of each fuzzer, and their results."""
    counts = snapshot.mutants
    for name in dict.fromkeys(key.rpartition("-")[0] for key in counts):
        yield Text.assemble((name, "bold"), f" {counts[f'{name}-made']:,}")
        for word, style in _YIELD_STYLES.items():
            number = counts[f"{name}-{word}"]
            yield Text.assemble((word, style if number else "dim"), f" {number:,}")
        for trait, number in snapshot.traits.items():
            if trait.startswith(f"{name}:"):
                yield Text(f"{trait.removeprefix(f'{name}:')} {number:,}", "" if number else "dim")


def _judged(snapshot: Snapshot) -> Iterable[Text]:
    """The answers of the judges to the checks that they were asked."""
    for name, number in snapshot.judged.items():
        yield Text(
            f"{number:,} {judged_word(name)}",
            "bold red" if name == "disagreed" and number else "" if number else "dim",
        )
    yield Text(f"{percent(snapshot.confirmed_share)} of the judged checks confirmed")
    yield Text(f"{percent(snapshot.judges_share)} of the time")


def _findings(snapshot: Snapshot) -> Iterable[Text]:
    new = len(snapshot.new_buckets)
    known = sum(bucket.known for bucket in snapshot.buckets)
    yield Text(f"{snapshot.findings:,} in {amount(len(snapshot.buckets), 'bucket')}")
    yield Text(f"{new} new", "bold red" if new else "dim")
    yield Text(f"{known} known", "" if known else "dim")
    if snapshot.since_new is not None:
        yield Text(f"last new {clock(snapshot.since_new)} ago")


def _bar(answers: dict[str, int], screen: Screen) -> list[Text]:
    """The shares of the answers as one bar. An answer that was given at least once has at least one
    column.
    """
    total = sum(answers.values())
    width = min(screen.width - LABEL, 60)
    if not total or width < len(answers):
        return []
    columns = {name: max(1, round(width * n / total)) for name, n in answers.items() if n}
    largest = max(columns, key=lambda name: columns[name])
    columns[largest] += width - sum(columns.values())
    marks = _ASCII_BAR if screen.ascii else _BAR
    parts = ((marks[name] * columns[name], ANSWER_STYLES[name]) for name in columns)
    return [Text.assemble(" " * LABEL, *parts)]


def _flow(label: str, items: Iterable[Text], screen: Screen) -> list[Text]:
    """A label and its items, three blanks between two items, on as many lines as the width needs."""
    lines = [Text(label.ljust(LABEL), "cyan")]
    used = LABEL
    for item in items:
        if used > LABEL and used + 3 + item.cell_len > screen.width:
            lines.append(Text(" " * LABEL))
            used = LABEL
        gap = 3 if used > LABEL else 0
        lines[-1] = Text.assemble(lines[-1], " " * gap, item)
        used += gap + item.cell_len
    return [_cut(line, screen) for line in lines]


def _workers(snapshot: Snapshot, screen: Screen, room: int) -> list[Text]:
    """A line for each worker under a heading, in `room` lines. Workers that do not fit are counted by
    state.
    """
    views = snapshot.workers
    if not views or room < 2:
        return []
    shown = views if len(views) < room else views[: max(0, room - 2)]
    lines = _worker_lines(snapshot, screen)[: len(shown) + 1]
    if len(shown) < len(views):
        rest = views[len(shown) :]
        states = sorted({view.state for view in rest})
        tally = ", ".join(
            f"{sum(view.state == state for view in rest)} {state}" for state in states
        )
        lines.append(Text(f"and {len(rest)} more: {tally}", "dim"))
    return [_cut(line, screen) for line in lines]


def _worker_lines(snapshot: Snapshot, screen: Screen) -> list[Text]:
    """A line for each worker below a header. Columns stand closer on a narrow screen; that of targets is
    left out where there is only one target, or where the screen is too narrow.
    """
    views = snapshot.workers
    several = len({view.target for view in views}) > 1
    for named, gap in ((several, 2), (several, 1), (False, 2), (False, 1)):
        columns = kinds(["worker", *["target"] * named], [" runs"])
        table = Table({**columns, **kinds(["run     ", "state     "], ["   for"])})
        for view in views:
            cells = [view.runs, _seed(view), view.state, brief(snapshot.elapsed - view.since)]
            name = [view.target[:24]] * named
            table.add(str(view.worker), *name, *cells, style=_STATE_STYLES[view.state])
        lines = table.lines(gap)
        if len(lines[0]) <= screen.width:
            break
    return lines


def _seed(view: WorkerView) -> str:
    return "-" if view.seed is None else seed_text(view.seed)


def _buckets(snapshot: Snapshot, screen: Screen, room: int) -> list[Text]:
    """The newest buckets under a heading, one a line, the newest first, in `room` lines."""
    if room < 2 or not snapshot.buckets:
        return []
    newest = sorted(
        (bucket for bucket in snapshot.buckets if not bucket.same), key=lambda bucket: -bucket.first
    )[: room - 1]
    table = Table({**kinds([], [" first seen"]), **kinds(["     "], ["count"])})
    for bucket in newest:
        seen = f"{clock(snapshot.elapsed - bucket.first)} ago"
        table.add(seen, Text(bucket.status, STATUS_STYLES[bucket.status]), bucket.count)
    head, *lines = table.lines()
    return [
        _cut(head.append("  newest buckets", "cyan"), screen),
        *(_bucket(line, bucket, screen) for line, bucket in zip(lines, newest, strict=True)),
    ]


def _bucket(text: Text, bucket: BucketView, screen: Screen) -> Text:
    """The line of a bucket, behind `text`, which says when it was seen first and how often."""
    text.append(f"  {bucket.key}", "bold" if bucket.status == "new" else "")
    if not bucket.confirmed:
        text.append("  not confirmed", "yellow")
    if screen.width - text.cell_len >= 22:
        text.append("  " + one_line(bucket.message), "dim")
    return _cut(text, screen)


def _cut(text: Text, screen: Screen) -> Text:
    return cut(text, screen.width, "..." if screen.ascii else "…")


# ----------------------------------------------------------------------
# The live view on a terminal: it redraws the figures of a campaign in place, at most four times a
# second. The view uses the alternate screen, so that it follows every change of size and leaves the
# shell's text as it was. The display draws only when an event comes and starts no thread, because
# the supervisor that calls it forks.


PERIOD = 0.25  # least seconds between two drawings


@dataclass(frozen=True, slots=True)
class StatusView:
    """The view in the form that rich draws, in the size that the terminal has at that moment."""

    started: Started
    snapshot: Snapshot
    notices: Sequence[str] = ()

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        height = options.height or console.height
        screen = Screen(options.max_width, height, options.ascii_only)
        lines = view_lines(self.started, self.snapshot, self.notices, screen)
        yield Text("\n", no_wrap=True, end="").join(lines)


class LiveStatus:
    """Shows the live view from the event `Started` to the end of the `with` block. Afterwards it
    prints the notices once more, since the view is gone.
    """

    def __init__(self, console: Console) -> None:
        self._console = console
        self._live: Live | None = None
        self._started: Started | None = None
        self._notices: list[str] = []
        self._drawn = 0.0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._stop()

    def consume(self, event: Event) -> None:
        """Take in an event, and redraw the view if it is time for that. Raises BrokenPipeError when
        the terminal is gone.
        """
        match event:
            case Started():
                self._started = event
                self._draw(event, Snapshot(0.0, {}))
            case Notice():
                self._notices.append(event.text)
            case Tick() if (
                self._started is not None and event.elapsed >= self._drawn + PERIOD - 0.02
            ):
                self._drawn = event.elapsed
                self._draw(self._started, event.snapshot)
            case Ended():
                self._stop()

    def _draw(self, started: Started, snapshot: Snapshot) -> None:
        view = StatusView(started, snapshot, tuple(self._notices))
        if self._live is None:
            self._live = Live(
                view,
                console=self._console,
                screen=True,
                auto_refresh=False,
                redirect_stdout=False,
                redirect_stderr=False,
            )
            self._live.start(refresh=True)
        else:
            self._live.update(view, refresh=True)

    def _stop(self) -> None:
        if self._live is None:
            return
        # After some changes of size, tmux keeps what is left on the alternate screen in its history.
        self._console.clear()
        self._live.stop()
        self._live = None
        for notice in self._notices:
            self._console.print(Text(f"notice: {notice}", "yellow"))
