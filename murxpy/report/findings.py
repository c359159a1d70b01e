"""The findings of an output folder, one bucket for each defect: for people, as JSON, and as a file
of known bugs.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path, PurePath
from typing import Any

from rich.console import Console
from rich.text import Text

from murxpy.campaign.findings.buckets import MARK, Bucket
from murxpy.campaign.findings.range_file import kept_range
from murxpy.campaign.snapshot import BucketView
from murxpy.foreign import escaped
from murxpy.oracles.documented import TIER as DOCUMENTED
from murxpy.report.text import amount, form_word, one_line, replay_command, table_csv

_INLINE = 24  # columns that must be left on the line of a bucket for its message
# The fields of a bucket in JSON that stand before its trace.
_FIELDS = (
    "key",
    "kind",
    "tier",
    "severity",
    "count",
    "solver",
    "version",
    "confirmed",
    "status",
)
STATUS_STYLES = {"new": "bold red", "again": "yellow", "known": "dim"}


def bucket_view(bucket: Bucket, version: str, out: str, same: str) -> BucketView:
    """A stored bucket with whole paths. `same` is an older bucket of the same defect, or empty."""
    kept = bucket.smallest()
    forms = tuple(
        replace(form, file=str(PurePath(out, form.file)) if form.file else "")
        for form in bucket.reproducers
    )
    return BucketView(
        bucket.key,
        bucket.kind,
        bucket.tier,
        bucket.severity,
        bucket.solver,
        version,
        bucket.message,
        None,
        bucket.known,
        bucket.state == "confirmed",
        bucket.count,
        kept.seed if kept else 0,
        kept.lines if kept else 0,
        bucket.first,
        str(PurePath(out, kept.file)) if kept else "",
        same,
        forms,
        bucket.triage,
        kept_range(Path(out, "findings", bucket.key)),
        bucket.against,
    )


def shown(rows: Sequence[BucketView]) -> list[BucketView]:
    """The buckets that need nothing that the solver documents as experimental. A list shows only
    these, unless the user asks for all.
    """
    return [row for row in rows if row.tier != DOCUMENTED]


def print_findings(console: Console, rows: Sequence[BucketView], every: bool = False) -> None:
    """Print the buckets for people: for each a line of figures, the key, and the command that shows
    the finding again.

    Buckets of tier `documented` are only counted, unless `every` is set.
    """
    listed = list(rows) if every else shown(rows)
    limit = console.width if console.is_terminal else None
    for line in finding_lines(listed, limit) if listed else [Text("no findings")]:
        console.print(line, soft_wrap=True)
    if len(listed) < len(rows):
        hidden = amount(len(rows) - len(listed), "bucket")
        console.print(
            f"{hidden} hidden: need what the solver documents as internal, unsupported or experimental ('murxpy findings --all')",
            soft_wrap=True,
        )


def finding_lines(rows: Sequence[BucketView], width: int | None) -> Iterator[Text]:
    """The lines of `print_findings`. Messages are cut to `width` columns, unless that is None; keys
    and commands are never cut.
    """
    kinds = max(4, *(len(row.kind) for row in rows))
    solvers = max(6, *(len(_solver(row)) for row in rows))
    tiers = max(7, *(len(row.tier) for row in rows))
    yield Text(
        f"{'count':>7}  {'status':<6}  {'kind':<{kinds}}  {'tier':<{tiers}}  {'solver':<{solvers}}  {'lines':>5}  message",
        "cyan",
    )
    for row, others in _defects(rows):
        lines = row.lines or "-"
        text = Text(f"{row.count:>7,}  ").append(
            f"{row.status:<6}", STATUS_STYLES.get(row.status, "")
        )
        text.append(
            f"  {row.kind:<{kinds}}  {row.tier:<{tiers}}  {_solver(row):<{solvers}}  {lines:>5}  "
        )
        message = one_line(("" if row.confirmed else "(not confirmed) ") + first_line(row.message))
        yield from _with_message(text, message, width)
        yield Text(f"         {row.key}", "bold" if row.status == "new" else "")
        if row.range:
            yield Text(f"         releases that show it: {row.range}", "dim")
        if row.trace:
            yield Text(f"         {replay_command(row.trace)}", "green")
        if row.reproducers:
            forms = ", ".join(f"{form.form} {form_word(form)}" for form in row.reproducers)
            yield Text(f"         shows it again: {forms}", "dim")
        if others:
            times = amount(sum(other.count for other in others), "time")
            yield Text(
                f"         the same defect: {amount(len(others), 'more bucket')}, {times} (--json lists them)",
                "dim",
            )


def _defects(rows: Sequence[BucketView]) -> Iterator[tuple[BucketView, list[BucketView]]]:
    """The buckets by defect: for each the bucket with the shortest confirmed trace, and the others."""
    groups: dict[str, list[BucketView]] = {}
    for row in rows:
        groups.setdefault(row.same or row.key, []).append(row)
    for group in groups.values():
        best = min(group, key=lambda row: (not row.confirmed, row.lines))
        yield best, [row for row in group if row is not best]


def _with_message(text: Text, message: str, width: int | None) -> Iterator[Text]:
    if width is None:
        yield text.append(message)
    elif width - text.cell_len >= _INLINE:
        yield text.append(_cut(message, width - text.cell_len))
    else:
        yield text
        yield Text(f"         {_cut(message, max(_INLINE, width - 9))}")


def _cut(message: str, columns: int) -> str:
    text = Text(message)
    if text.cell_len > columns:
        text.truncate(columns - 3, overflow="crop")
        text.append("...")
    return text.plain


def _solver(row: BucketView) -> str:
    return f"{row.solver} {row.version}"


def first_line(message: str) -> str:
    """The first line of `message` that is not blank; empty if all are."""
    return next((line.strip() for line in message.splitlines() if line.strip()), "")


def findings_json(rows: Sequence[BucketView]) -> str:
    """The buckets as a JSON array, each with the command that shows it again, which is null where no
    trace is kept.
    """
    return json.dumps([bucket_data(row) for row in rows], indent=2)


def bucket_data(row: BucketView) -> dict[str, Any]:
    """A bucket as plain data."""
    return {
        **{name: getattr(row, name) for name in _FIELDS},
        "trace": row.trace or None,
        "lines": row.lines,
        "message": row.message,
        "reproducers": [asdict(form) for form in row.reproducers],
        "triage": row.triage,
        "same": row.same,
        "range": row.range,
        "against": row.against,
        "replay": replay_command(row.trace) if row.trace else None,
    }


def findings_csv(rows: Sequence[BucketView]) -> str:
    """The buckets as lines of values with commas between them, below a line of names."""
    columns = (*_FIELDS, "lines", "same", "releases", "program", "script", "message")
    return table_csv(columns, map(_csv_row, rows))


def _csv_row(row: BucketView) -> list[object]:
    forms = {form.form: form_word(form) for form in row.reproducers}
    return [
        *(getattr(row, name) for name in _FIELDS),
        *(row.lines, row.same, row.range),
        *(forms.get(name, "untried") for name in ("python", "smt2")),
        row.message,
    ]


def findings_known(rows: Sequence[BucketView], marks: Mapping[str, str]) -> str:
    """The buckets as a file for `--known`, below a comment each that says what it is: the marks of
    their defects, where they have some, and else their keys. A key alone would hide other defects.
    """
    lines = [
        "# Known bugs, for `murxpy fuzz --known FILE`: a bucket key, a pattern of keys, or a mark of a defect a line; "
        "delete what is to count."
    ]
    own: dict[str, list[str]] = {}
    for mark, key in marks.items():
        own.setdefault(key, []).append(f"{MARK}{key} {mark}")
    marked = set(own)
    for row in rows:
        message = one_line(first_line(row.message), 160)
        lines.append(f"# {_solver(row)}, {amount(row.count, 'time')}: {message}".rstrip(": "))
        lines += own.get(row.key, [row.key] if row.key not in marked and not row.same else [])
    return "".join(f"{escaped(line)}\n" for line in lines)
