"""Merges the folders of the shards of a campaign into one folder.

The merged folder depends only on the shards that are named, not on their order, and not on what was
merged before. So a merge that is repeated, or made again with more shards, counts nothing twice.
"""

from __future__ import annotations

import itertools
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, TypeVar

from murxpy import __version__
from murxpy.errors import InputError
from murxpy.findings.buckets import KEPT, Bucket
from murxpy.findings.folder import CAMPAIGN, Folder, read_below, write_below
from murxpy.findings.store import FILE, MERGED, Changes, FindingRow, Store, TargetState
from murxpy.records.yields import ArmYield, Learnt, Yield

T = TypeVar("T", Yield, ArmYield)
_STATES = ("confirmed", "unconfirmed", "known", "pending")  # the one that says most first
# named values that say the same in each shard
_SHARED = ("operators", "pair", "enumerated")


@dataclass(frozen=True, eq=False)
class _Shard:
    """The folder of a shard: its number of as many as `of`, and its store."""

    folder: Path
    store: Store
    meta: dict[str, Any]
    number: int
    of: int

    def text(self, file: str) -> str:
        """The text of a file that the store names. Raises InputError where it is gone."""
        text = read_below(self.folder, file)
        if text is None:
            raise InputError(
                "the store names this file, which is gone: 'murxpy repair' says what is left",
                file=str(self.folder / file),
            )
        return text


@dataclass(frozen=True, slots=True)
class Merged:
    """What was merged: the shards that are there, of how many, their runs, findings and buckets."""

    shards: tuple[int, ...]
    of: int
    runs: int
    findings: int
    buckets: int


def merge(parts: Sequence[Path], out: Path) -> Merged:
    """Merge the folders `parts` into the folder `out`, which is made anew. Raises InputError where they are
    no shards of one campaign, where one of them is damaged or of another release of murxpy, and
    where `out` is anything else than what a merge of some of them left.
    """
    with ExitStack() as stack:
        folders = {path.resolve(): path for path in parts}
        found = [_shard(path, stack) for path in folders.values()]
        shards = sorted(found, key=lambda shard: shard.number)
        _check(shards)
        _check_out(out, shards)
        out.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=f".{out.name}-", dir=out.parent) as scratch:
            made = Path(scratch, "merged")
            made.mkdir()
            merged = _write(shards, made)
            if out.exists():
                out.rename(Path(scratch, "before"))
            shutil.move(made, out)
        return merged


def _shard(path: Path, stack: ExitStack) -> _Shard:
    store = stack.enter_context(closing(Store(path, read_only=True)))
    meta = store.meta()
    shard = meta.get("shard")
    if shard == MERGED or shard is None or shard[1] == 1:
        raise InputError(
            "this is no folder of a shard: expected one of a campaign that was begun with a shard",
            file=str(path),
        )
    release = meta.get("release", "")
    if release != __version__:
        raise InputError(
            f"it was written by murxpy {release}, and this is murxpy {__version__}: merge with the release that "
            "wrote it",
            file=str(path / FILE),
        )
    number, of = shard
    return _Shard(path, store, meta, number, of)


def _check(shards: Sequence[_Shard]) -> None:
    """Raise InputError unless these are different shards of one campaign."""
    first = shards[0]
    for shard in shards[1:]:
        for name, own, other in (
            ("seed", first.meta["seed"], shard.meta["seed"]),
            ("number of shards", first.of, shard.of),
            ("lag", first.meta["lag"], shard.meta["lag"]),
        ):
            if own != other:
                raise InputError(
                    f"it is a shard of another campaign than {first.folder}: its {name} is {other} instead of {own}",
                    file=str(shard.folder),
                )
    for one, other in itertools.pairwise(shards):
        if one.number == other.number:
            raise InputError(
                f"it is shard {one.number}/{one.of}, and so is {other.folder}: leave one of them out",
                file=str(one.folder),
            )


def _check_out(out: Path, shards: Sequence[_Shard]) -> None:
    """Raise InputError where `out` has anything that would be lost."""
    if not out.exists() or (out.is_dir() and not any(out.iterdir())):
        return
    if not (out / FILE).is_file():
        raise InputError(
            "the folder is not empty: choose another one with --out, or remove it", file=str(out)
        )
    with closing(Folder(out, CAMPAIGN)), closing(Store(out, read_only=True)) as store:
        meta, sessions = store.meta(), {started for started, *_ in store.sessions()}
    if meta.get("shard") != MERGED:
        raise InputError(
            "this is the folder of a campaign: choose another one with --out", file=str(out)
        )
    lacking = set(meta["parts"]) - {shard.number for shard in shards}
    if lacking:
        named = ", ".join(map(str, sorted(lacking)))
        raise InputError(
            f"shard {named} was merged here before and is not named now: name all shards, or choose another folder "
            "with --out",
            file=str(out),
        )
    if sessions - {started for shard in shards for started, *_ in shard.store.sessions()}:
        raise InputError(
            "'murxpy finish' has worked in this folder since it was merged: choose another one with --out",
            file=str(out),
        )


def _write(shards: Sequence[_Shard], out: Path) -> Merged:
    buckets, rows = _buckets(shards, out), [r for shard in shards for r in shard.store.findings()]
    counters = Counter[str]()
    for shard in shards:
        counters.update(shard.store.counters())
    meta: dict[str, Any] = {name: v for shard in shards[::-1] for name, v in _shared(shard).items()}
    meta |= {"seed": shards[0].meta["seed"], "lag": shards[0].meta["lag"], "release": __version__}
    meta |= {"shard": MERGED, "parts": [shard.number for shard in shards]}
    suspects = [name for shard in shards for name in shard.meta.get("suspects", ())]
    meta["suspects"] = list(dict.fromkeys(suspects))
    changes = Changes(
        _targets(shards),
        buckets,
        rows,
        counters,
        meta,
        yields=_yields(shards),
        learnt=_learnt(shards),
    )
    changes.points += [point for shard in shards for point in shard.store.timeline()]
    changes.nodes += [node for shard in shards for node in shard.store.nodes()]
    with closing(Folder(out, CAMPAIGN)), closing(Store(out, rebuild=True)) as store:
        store.save(changes)
        store.insert("sessions", [row for shard in shards for row in shard.store.session_rows()])
    numbers = tuple(shard.number for shard in shards)
    return Merged(numbers, shards[0].of, counters["run:total"], len(rows), len(buckets))


def _shared(shard: _Shard) -> dict[str, Any]:
    return {
        name: value
        for name, value in shard.meta.items()
        if name in _SHARED or name.startswith("callables:")
    }


def _targets(shards: Sequence[_Shard]) -> list[TargetState]:
    """The targets; what runs are open is known in the folders of the shards."""
    states: dict[str, TargetState] = {}
    for shard in shards:
        for name, state in shard.store.targets().items():
            before = states.get(name, state)
            states[name] = replace(state, next=max(state.next, before.next), open=())
    return list(states.values())


def _summed(kind: type[T], entries: Sequence[T]) -> T:
    """The sums of all entries; what is no number is that of the first."""
    values = {}
    for field in fields(kind):
        parts = [getattr(entry, field.name) for entry in entries]
        values[field.name] = sum(parts) if isinstance(parts[0], int | float) else parts[0]
    return kind(**values)


def _by(entries: Sequence[tuple[Any, T]]) -> dict[Any, list[T]]:
    found: dict[Any, list[T]] = {}
    for key, entry in entries:
        found.setdefault(key, []).append(entry)
    return found


def _yields(shards: Sequence[_Shard]) -> dict[tuple[str, tuple[str, str]], Yield]:
    entries = [
        ((target, entry.key), entry)
        for shard in shards
        for target, yields in shard.store.yields().items()
        for entry in yields
    ]
    return {key: _summed(Yield, some) for key, some in _by(entries).items()}


def _learnt(shards: Sequence[_Shard]) -> Learnt:
    entries = [
        ((target, entry.arm), entry)
        for shard in shards
        for target, arms in shard.store.arms().items()
        for entry in arms
    ]
    learnt = Learnt({key: _summed(ArmYield, some) for key, some in _by(entries).items()})
    for shard in shards:
        for target in shard.store.targets():
            learnt.news.update(((target, pair), None) for pair in shard.store.news(target))
    return learnt


def _buckets(shards: Sequence[_Shard], out: Path) -> list[Bucket]:
    """The buckets of all shards, the oldest first. Their files are written."""
    found: dict[str, list[tuple[_Shard, Bucket]]] = {}
    for shard in shards:
        for bucket in shard.store.buckets():
            found.setdefault(bucket.key, []).append((shard, bucket))
    counts = Counter(row[0] for shard in shards for row in _rows(shard))
    merged = [_bucket(some, counts[key], out) for key, some in found.items()]
    return sorted(merged, key=lambda bucket: (bucket.first, bucket.key))


def _rows(shard: _Shard) -> list[FindingRow]:
    return shard.store.findings()


def _bucket(some: Sequence[tuple[_Shard, Bucket]], count: int, out: Path) -> Bucket:
    """The bucket of several shards: what it says, and its smaller forms, are those of the shard that knows
    most of it, and it keeps the smallest traces of all.
    """
    shard, best = min(some, key=lambda one: (_rank(one[1]), one[0].number))
    traces = sorted(
        ((owner, kept) for owner, bucket in some for kept in bucket.traces),
        key=lambda one: (not one[1].confirmed, one[1].size, one[1].seed),
    )[:KEPT]
    for owner, kept in traces:
        write_below(out, kept.file, owner.text(kept.file))
    for form in best.reproducers:
        if form.file:
            write_below(out, form.file, shard.text(form.file))
    for name in ("stderr.txt", "backtrace.txt", "range.json", "bisection.json"):
        file = f"findings/{best.key}/{name}"
        text = read_below(shard.folder, file)
        if text is not None:
            write_below(out, file, text)
    return replace(
        best,
        count=count,
        first=min(bucket.first for _, bucket in some),
        last=max(bucket.last for _, bucket in some),
        tried=_most(some, lambda bucket: bucket.tried),
        told=any(bucket.told for _, bucket in some),
        traces=[kept for _, kept in traces],
    )


def _most(some: Sequence[tuple[_Shard, Bucket]], of: Callable[[Bucket], int]) -> int:
    return max(of(bucket) for _, bucket in some)


def _rank(bucket: Bucket) -> tuple[int, bool, bool, int]:
    smallest = bucket.smallest()
    return (
        _STATES.index(bucket.state),
        not bucket.reproducers,
        not bucket.triage,
        smallest.size if smallest else 0,
    )
