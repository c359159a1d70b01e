"""The defects of an output folder: for people, as JSON, and as a table with commas."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.text import Text

from murxpy.campaign.findings.buckets import Bucket
from murxpy.campaign.findings.defects import Defect, grouping, same
from murxpy.campaign.findings.files import read_if_there
from murxpy.campaign.findings.ranking import worst_first
from murxpy.campaign.snapshot import BucketView
from murxpy.oracles.documented import TIER as DOCUMENTED
from murxpy.report.findings import STATUS_STYLES, bucket_data, bucket_view, first_line
from murxpy.report.sentences import sentence
from murxpy.report.text import amount, form_word, one_line, replay_command, table_csv
from murxpy.trace.finished import read_rows

_INDENT = "    "
_LEAST = 40  # columns into which a sentence is folded on the narrowest screen
_COLUMNS = (
    *("defect", "kind", "tier", "solver", "versions", "status", "findings", "buckets", "evidence"),
    *("lines", "smallest", "releases", "program", "script", "first", "wrong"),
)


@dataclass(frozen=True, slots=True)
class DefectView:
    """A defect as a list shows it: `shown` is the bucket that shows it best, and `buckets` are all.

    `wrong` says what is wrong. `smallest` are the lines of its smallest trace, 0 where it was not
    made smaller. `marks` are what the buckets have in common.
    """

    shown: BucketView
    buckets: tuple[BucketView, ...]
    versions: tuple[str, ...]
    wrong: str
    rank: int
    evidence: str
    smallest: int
    marks: tuple[str, ...]

    @property
    def count(self) -> int:
        """The number of findings in all buckets."""
        return sum(bucket.count for bucket in self.buckets)

    @property
    def first(self) -> float:
        """When the first finding was made, in seconds since the epoch."""
        return min(bucket.first for bucket in self.buckets)

    @property
    def status(self) -> str:
        """`known` where the user knows any of the buckets, else `open`."""
        return "known" if any(bucket.known for bucket in self.buckets) else self.shown.status

    @property
    def range(self) -> str:
        """The releases that show it, as far as they were looked for."""
        return next((bucket.range for bucket in self.buckets if bucket.range), "")

    def form(self, name: str) -> str:
        """Whether any bucket has a program (`python`) or script (`smt2`) that shows it: `yes`, `no`,
        `none` or `untried`.
        """
        words = [
            form_word(form) for b in self.buckets for form in b.reproducers if form.form == name
        ]
        return next((word for word in ("yes", "no", "none") if word in words), "untried")


def defect_views(
    buckets: Sequence[Bucket], versions: Mapping[str, str], out: str
) -> list[DefectView]:
    """The defects of the stored buckets of the campaign in folder `out`, the worst first."""
    found = grouping(Path(out)).defects(buckets)
    by_key = {bucket.key: bucket for bucket in buckets}
    older = same(found)
    views = [_view(defect, by_key, versions, older, out) for defect in found]
    return sorted(views, key=lambda view: (view.rank, view.first, view.shown.key))


def _view(
    defect: Defect,
    by_key: Mapping[str, Bucket],
    versions: Mapping[str, str],
    older: Mapping[str, str],
    out: str,
) -> DefectView:
    buckets = [by_key[key] for key in defect.buckets]
    best = min(buckets, key=_showing)
    views = {
        bucket.key: bucket_view(
            bucket, versions.get(bucket.key, ""), out, older.get(bucket.key, "")
        )
        for bucket in buckets
    }
    named = dict.fromkeys(versions.get(key, "") for key in defect.buckets)
    return DefectView(
        views[best.key],
        tuple(views.values()),
        tuple(filter(None, named)),
        sentence(best),
        worst_first(best),
        evidence(best),
        _smallest(best, out),
        defect.marks,
    )


def _showing(bucket: Bucket) -> tuple[object, ...]:
    """A key by which the bucket comes first that shows the defect best."""
    kept = bucket.smallest()
    alone = kept is not None and bool(kept.confirmed)
    size = kept.lines if kept is not None else 0
    shows = bucket.known or bucket.state == "confirmed"
    return (not shows, bucket.tier == DOCUMENTED, worst_first(bucket), not alone, size)


def evidence(bucket: Bucket) -> str:
    """How the finding was confirmed."""
    if bucket.state == "known":
        return "known"
    if bucket.state != "confirmed":
        return "not confirmed"
    kept = bucket.smallest()
    if kept is not None and kept.confirmed:
        return "its trace shows it again"
    forms = {form.form for form in bucket.reproducers if form.reproduces}
    return "it needs earlier runs" if "history" in forms else "its run shows it again"


def _smallest(bucket: Bucket, out: str) -> int:
    files = [f.file for f in bucket.reproducers if f.form == "min.trace" and f.reproduces]
    text = read_if_there(Path(out, files[0])) if files else None
    return sum(1 for _ in read_rows(text)) if text else 0


def of_session(views: Sequence[DefectView], buckets: Sequence[BucketView]) -> list[DefectView]:
    """The defects that a session of a campaign found, from all defects of its folder. `buckets` are
    those in which the session had findings; only these findings are counted.
    """
    found = {bucket.key: bucket for bucket in buckets}
    views_found = []
    for view in views:
        own = tuple(found[bucket.key] for bucket in view.buckets if bucket.key in found)
        if own:
            # the oldest comes first; one that is the same as a bucket elsewhere is known from there
            new = own[0].key == view.buckets[0].key and bool(own[0].new)
            keys = {bucket.key for bucket in view.buckets}
            elsewhere = any(bucket.same and bucket.same not in keys for bucket in own)
            known = elsewhere or view.shown.known
            own = tuple(replace(bucket, known=bucket.known or elsewhere) for bucket in own)
            shown = replace(view.shown, new=new, known=known)
            views_found.append(replace(view, shown=shown, buckets=own))
    return views_found


def unread(buckets: Sequence[BucketView]) -> list[DefectView]:
    """The buckets as defects of their own, for a campaign whose folder cannot be read."""
    return [
        DefectView(
            bucket,
            (bucket,),
            (bucket.version,),
            one_line(first_line(bucket.message)) or bucket.kind,
            0,
            "its run shows it again" if bucket.confirmed else "not confirmed",
            0,
            (),
        )
        for bucket in buckets
    ]


def print_defects(console: Console, views: Sequence[DefectView]) -> None:
    """Print the defects for people, each as a short paragraph. Sentences are folded to the width of
    the screen; keys and commands are never cut.
    """
    width = max(_LEAST, console.width)
    for view in views:
        for line in (*_head(view, width), *_rest(view, width)):
            console.print(line, soft_wrap=True)


def print_worst(console: Console, views: Sequence[DefectView], most: int) -> int:
    """Print the first of the defects, each without its evidence and commands, in about `most` lines
    of the screen; at least one of them. Returns how many were printed.
    """
    width = max(_LEAST, console.width)
    used = 0
    for number, view in enumerate(views):
        lines = [*_head(view, width), Text(_INDENT + view.shown.key, "bold")]
        used += sum(-(-line.cell_len // width) for line in lines)
        if number and used > most:
            return number
        for line in lines:
            console.print(line, soft_wrap=True)
    return len(views)


def _head(view: DefectView, width: int) -> Iterator[Text]:
    """What was found how often, and what is wrong."""
    shown = view.shown
    versions = ", ".join(view.versions) or shown.version
    fresh = view.status in ("open", "new")
    head = Text(shown.kind, STATUS_STYLES["new"] if fresh else "dim")
    head.append(f"  {shown.solver} {versions}  {amount(view.count, 'finding')}", "")
    head.append(f" in {amount(len(view.buckets), 'bucket')}" if len(view.buckets) > 1 else "")
    notes = [view.status if view.status != "open" else "", f"tier {shown.tier}"]
    notes += ["not confirmed"] if view.evidence == "not confirmed" else []
    head.append(f"  {', '.join(filter(None, notes))}", "dim")
    yield head
    for line in textwrap.wrap(view.wrong, width - len(_INDENT), break_on_hyphens=False):
        yield Text(_INDENT + line)


def _rest(view: DefectView, width: int) -> Iterator[Text]:
    """The evidence, the key and the command that shows it again."""
    for line in textwrap.wrap(_facts(view), width - len(_INDENT)):
        yield Text(_INDENT + line, "dim")
    yield Text(_INDENT + view.shown.key, "bold")
    if view.shown.trace:
        yield Text(_INDENT + replay_command(view.shown.trace), "green")


def _facts(view: DefectView) -> str:
    lines = f"{view.shown.lines} lines" if view.shown.lines else "no trace is kept"
    lines += f", the smallest trace {view.smallest}" if view.smallest else ""
    releases = f"releases {view.range}; " if view.range else ""
    forms = f"program {view.form('python')}, script {view.form('smt2')}"
    return f"{view.evidence}; {releases}{lines}; {forms}"


def defects_json(views: Sequence[DefectView]) -> str:
    """The defects as a JSON array. Each has the fields of the bucket that shows it best, and all its
    buckets.
    """
    return json.dumps([_data(view) for view in views], indent=2)


def _data(view: DefectView) -> dict[str, Any]:
    return {
        **bucket_data(view.shown),
        "count": view.count,
        "status": view.status,
        "same": "",
        "range": view.range,
        "wrong": view.wrong,
        "evidence": view.evidence,
        "smallest": view.smallest,
        "versions": list(view.versions),
        "marks": list(view.marks),
        "buckets": [bucket_data(bucket) for bucket in view.buckets],
    }


def defects_csv(views: Sequence[DefectView]) -> str:
    """The defects as lines of values with commas between them, below a line of names."""
    return table_csv(_COLUMNS, map(_row, views))


def _row(view: DefectView) -> list[object]:
    shown = view.shown
    first = datetime.fromtimestamp(view.first, UTC).isoformat(timespec="seconds")
    return [
        *(shown.key, shown.kind, shown.tier, shown.solver, " ".join(view.versions), view.status),
        *(view.count, len(view.buckets), view.evidence, shown.lines, view.smallest or ""),
        *(view.range, view.form("python"), view.form("smt2"), first, view.wrong),
    ]
