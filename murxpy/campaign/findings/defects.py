"""Defects: a second level over buckets. The key of a bucket is fixed at discovery; which buckets are
one defect is found out again whenever more is known of them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from packaging.version import InvalidVersion, Version

from murxpy.campaign.findings.buckets import Bucket
from murxpy.campaign.findings.files import read_if_there
from murxpy.campaign.findings.marks import MARKED, Marks, Read, marks
from murxpy.campaign.findings.range_file import kept_range
from murxpy.campaign.findings.store import read_buckets

FILE = "defects.json"  # in the folder of the campaign
_VERSION = 1

Ranges = Callable[[str], str]  # by the key of a bucket: the releases that show it, empty if unknown
Span = tuple[Version | None, Version | None]  # the first and the last release; None for no end


@dataclass(frozen=True, slots=True)
class Defect:
    """Buckets that show one defect, the oldest first. `marks` are those that they have in common."""

    buckets: tuple[str, ...]
    marks: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """The name of the defect: the key of its oldest bucket."""
        return self.buckets[0]


class Grouping:
    """Groups buckets to defects. `read` gives the text of a file that a bucket names, and `ranges`
    the releases that show a bucket.

    What is read of a bucket is remembered until the bucket has other frames or other reproducers.
    """

    def __init__(self, read: Read, ranges: Ranges) -> None:
        self._read = read
        self._ranges = ranges
        self._known: dict[str, tuple[object, Marks]] = {}

    def marks(self, bucket: Bucket) -> Marks:
        """The marks of a bucket. A bucket that nobody confirmed has none."""
        if bucket.state not in MARKED:
            return Marks()
        told = (bucket.backtrace, bucket.reproducers)
        known = self._known.get(bucket.key)
        if known is None or known[0] != told:
            known = self._known[bucket.key] = (told, marks(bucket, self._read))
        return known[1]

    def defects(self, buckets: Iterable[Bucket]) -> list[Defect]:
        """The defects of the buckets, in the order in which they were first found."""
        groups = _Groups(self._ranges)
        for bucket in sorted(buckets, key=lambda bucket: (bucket.first, bucket.key)):
            groups.add(bucket.key, self.marks(bucket))
        groups.join_explained()
        return groups.defects()


def grouping(out: Path) -> Grouping:
    """What groups the buckets of the campaign in folder `out`."""
    return Grouping(
        lambda file: read_if_there(out / file),
        lambda key: kept_range(out / "findings" / key),
    )


def known_of(out: Path, only: Collection[str] | None = None) -> tuple[list[str], dict[str, str]]:
    """What another campaign knows by the campaign in folder `out`, or by the buckets `only` of it: the
    keys of its buckets without marks, and all marks of the others, each with the oldest bucket that
    has it. Raises InputError when no campaign is there.
    """
    group = grouping(out)
    keys: list[str] = []
    found: dict[str, str] = {}
    for bucket in read_buckets(out):
        if only is not None and bucket.key not in only:
            continue
        own = group.marks(bucket).own
        keys += [] if own else [bucket.key]
        for mark in own:
            found.setdefault(mark, bucket.key)
    return keys, found


def same(defects: Iterable[Defect]) -> dict[str, str]:
    """For each bucket whose defect an older bucket shows, the key of the oldest one."""
    return {key: defect.key for defect in defects for key in defect.buckets[1:]}


class _Groups:
    """Groups of buckets with a mark in common, none of which are known to be different defects."""

    def __init__(self, ranges: Ranges) -> None:
        self._ranges = ranges
        self._marks: dict[str, Marks] = {}
        self._having: dict[str, list[str]] = {}  # the buckets by their marks
        self._group: dict[str, list[str]] = {}  # the group of each bucket

    def add(self, key: str, marks: Marks) -> None:
        """Put a bucket into a group of its own, with all groups that it has a mark in common with."""
        self._marks[key] = marks
        self._group[key] = [key]
        for other in [other for mark in marks.own for other in self._having.get(mark, ())]:
            self._join(other, key)
        for mark in marks.own:
            self._having.setdefault(mark, []).append(key)

    def join_explained(self) -> None:
        """Put a bucket whose smaller trace has several telling operators into the one group that shows
        the same kind of finding by one of these operators alone. Where two groups do, either may be
        the defect, and the bucket stays where it is.
        """
        alone: dict[str, list[str]] = {}
        for key, own in self._marks.items():
            if own.alone:
                alone.setdefault(own.alone, []).append(key)
        for keys in alone.values():
            for other in keys[1:]:
                self._join(keys[0], other)
        for key, own in self._marks.items():
            first = [alone[mark][0] for mark in own.within if mark in alone]
            groups = {min(self._group[other]): other for other in first}
            if not own.alone and len(groups) == 1:
                self._join(first[0], key)

    def _join(self, one: str, other: str) -> None:
        group, own = self._group[one], self._group[other]
        if group is not own and not self._apart(group, own):
            whole = [*group, *own]
            self._group.update(dict.fromkeys(whole, whole))

    def _apart(self, one: Sequence[str], other: Sequence[str]) -> bool:
        return any(disjoint(self._ranges(a), self._ranges(b)) for a in one for b in other)

    def defects(self) -> list[Defect]:
        """The groups as defects."""
        order = {key: at for at, key in enumerate(self._marks)}
        groups = [
            group for key, group in self._group.items() if key == min(group, key=order.__getitem__)
        ]
        found = [
            Defect(tuple(sorted(group, key=order.__getitem__)), self._common(group))
            for group in groups
        ]
        return sorted(found, key=lambda defect: order[defect.key])

    def _common(self, group: Sequence[str]) -> tuple[str, ...]:
        """The marks of at least two buckets; of a single bucket all."""
        counts: dict[str, int] = {}
        for key in group:
            for mark in (*self._marks[key].own, *self._marks[key].within):
                counts[mark] = counts.get(mark, 0) + 1
        return tuple(mark for mark, count in counts.items() if count >= min(2, len(group)))


def disjoint(one: str, other: str) -> bool:
    """Whether no release is in both ranges, such as `4.8.7..4.8.12` and `4.13.0..`. A range that is
    not known may hold any release.
    """
    if not one or not other:
        return False
    return not any(_overlap(a, b) for a in _spans(one) for b in _spans(other))


def _spans(text: str) -> list[Span]:
    """The spans of a range. Words that are no releases may stand for any release."""
    found: list[Span] = []
    for part in text.split(","):
        first, dots, last = (word.strip() for word in part.partition(".."))
        found.append((_release(first), _release(last if dots else first)))
    return found


def _release(name: str) -> Version | None:
    try:
        return Version(name)
    except InvalidVersion:
        return None


def _overlap(one: Span, other: Span) -> bool:
    firsts = [first for first, _ in (one, other) if first is not None]
    lasts = [last for _, last in (one, other) if last is not None]
    return not firsts or not lasts or max(firsts) <= min(lasts)


def defects_text(defects: Sequence[Defect]) -> str:
    """The defects as the text of their file."""
    told = [{"defect": d.key, "buckets": d.buckets, "marks": d.marks} for d in defects]
    rows = ",\n".join(f"  {json.dumps(one)}" for one in told)
    return f'{{\n "version": {_VERSION},\n "defects": [\n{rows}\n ]\n}}\n'
