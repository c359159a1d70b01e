"""The archive of findings: buckets in memory, their traces in files, and the database as a mirror.

Where the folder cannot be written any more, the archive writes what it has in memory to another one.
"""

from __future__ import annotations

import contextlib
import json
import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from murxpy.errors import FolderLost
from murxpy.findings.buckets import KEPT, TRIALS, Bucket, Kept, Known, new_bucket, say
from murxpy.findings.defects import FILE as DEFECTS
from murxpy.findings.defects import Defect, defects_text
from murxpy.findings.folder import CAMPAIGN, Files, Folder, rescued, write_below
from murxpy.findings.ranges import kept_range
from murxpy.findings.store import Changes, Store, TargetState, finding_row
from murxpy.oracles.crash import Tier
from murxpy.records.finding import Finding, Reproducer
from murxpy.records.snapshot import NodeSum
from murxpy.records.timeline import Point
from murxpy.steering.guidance import Guidance
from murxpy.steering.seeds import Steering

_NAMED = 5  # files at most that the message about a full disk names


class Archive:
    """Counts findings into buckets and keeps their smallest traces. `notice` gets the texts that the
    user should read.
    """

    def __init__(
        self, folder: Folder, store: Store, known: Known, notice: Callable[[str], None]
    ) -> None:
        self._folder = folder
        self._store = store
        self._known = known
        self._notice = notice
        self.buckets = {bucket.key: bucket for bucket in store.buckets()}
        self.meta = store.meta()  # the named values of earlier sessions
        # No exit code reported these buckets: the sessions that opened them were killed.
        self.untold = tuple(store.untold())
        # The files that the database names, by bucket: these must not go before their names do.
        self._named = {
            bucket.key: [kept.file for kept in bucket.traces] for bucket in store.buckets()
        }
        self._relabel()
        self._dirty: dict[str, Bucket] = dict(self.buckets)
        self._changes = Changes()
        self._unsaved: set[tuple[str, str, int]] = set()  # bucket, target and run of its rows
        self._programs: set[str] = set()  # the buckets whose programs this session wrote
        self._files = Files(folder)
        self._doomed: list[str] = []
        # By bucket, the trace of which reproducers or a range are being made: it stays until then.
        self.held: dict[str, str] = {}
        self._targets: Sequence[TargetState] = ()
        self._defects = ""

    def _relabel(self) -> None:
        """Apply the present list of known bugs, also to the buckets of earlier sessions."""
        for bucket in self.buckets.values():
            if bucket.key in self._known:
                bucket.state = "known"
            elif bucket.state == "known":
                bucket.state, bucket.told = "pending", False

    def count(self, found: Finding, target: str, now: float) -> bool:
        """Count a finding of the target called `target`, at `now` (seconds since the epoch), and
        return whether it opened its bucket.

        A run counts once in a bucket, also where it is made again because the supervisor was killed
        after it had counted the finding, and before the run was done.
        """
        bucket = self.buckets.get(found.bucket)
        new = bucket is None
        if bucket is not None and self._counted(found.bucket, target, found.job.index):
            return False
        if bucket is None:
            known = found.bucket in self._known
            bucket = self.buckets[found.bucket] = new_bucket(
                found.bucket, found.solver, found.verdict, known=known, now=now
            )
        bucket.count += 1
        bucket.last = now
        self._changes.rows.append(finding_row(found, target, now))
        self._unsaved.add((found.bucket, target, found.job.index))
        self._dirty[found.bucket] = bucket
        return new

    def _counted(self, bucket: str, target: str, run: int) -> bool:
        """Whether the run of this index of a target was counted in a bucket. A database that cannot be
        read does not matter here: the next flush says so.
        """
        if (bucket, target, run) in self._unsaved:
            return True
        with contextlib.suppress(sqlite3.Error):
            return self._store.has(bucket, target, run)
        return False

    def keep(self, found: Finding) -> bool:
        """Keep the trace of `found` if it is among the smallest of its bucket, and return whether it
        was kept: then it is worth a replay.
        """
        bucket = self.buckets[found.bucket]
        size = len(found.trace)
        if (
            bucket.known
            or bucket.tried >= TRIALS
            or any(kept.seed == found.seed for kept in bucket.traces)
        ):
            return False
        if len(bucket.traces) >= KEPT and size >= max(kept.size for kept in bucket.traces):
            return False
        stem = f"findings/{found.bucket}/{found.seed:016x}{found.label}"
        bucket.tried += 1
        bucket.traces.append(Kept(f"{stem}.trace", found.seed, found.lines, size))
        self._write(f"{stem}.trace", found.trace)
        self._write(f"findings/{found.bucket}/stderr.txt", found.outcome.output)
        while len(bucket.traces) > KEPT:
            # A trace goes last if reproducers were made of it, which lie beside it, or are being made; and
            # the smallest that shows the finding stays, since what was not replayed yet may not show it.
            spared = [form.file for form in bucket.reproducers]
            spared += [self.held[bucket.key]] if bucket.key in self.held else []
            spared += [kept.file for kept in self._showing(bucket)[:1]]
            self._drop(
                bucket, max(bucket.traces, key=lambda kept: (kept.file not in spared, kept.size))
            )
        return True

    def shows(self, key: str) -> bool:
        """Whether a trace that bucket `key` keeps shows its finding, alone or behind the runs of its history."""
        return bool(self._showing(self.buckets[key]))

    def _showing(self, bucket: Bucket) -> list[Kept]:
        """The traces that show the finding, those that do so alone first, then by size."""
        there = [
            kept
            for kept in bucket.traces
            if kept.confirmed or self._files.read(_history_of(kept)) is not None
        ]
        return sorted(there, key=lambda kept: (not kept.confirmed, kept.size))

    def settle(self, found: Finding) -> None:
        """Note whether a finding whose trace was kept showed again."""
        bucket = self._changed(found.bucket)
        kept = next((kept for kept in bucket.traces if kept.seed == found.seed), None)
        if kept is not None:
            kept.confirmed = found.by_trace
        if found.confirmed:
            bucket.state = "confirmed"
            if not bucket.message:  # only the trace was left of it
                say(bucket, found.verdict)
        elif bucket.state == "pending":
            bucket.state = "unconfirmed"
            bucket.reproducers = () if kept is None else (Reproducer("trace", kept.file, False),)
        if found.history and kept is not None:
            self._write(_history_of(kept), _history(found))
        elif kept is not None and not found.confirmed and self.shows(found.bucket):
            self._drop(bucket, kept)

    def tell(self, key: str) -> bool:
        """Note that an event reports bucket `key`, and return whether it is the first one."""
        bucket = self._changed(key)
        first, bucket.told = not bucket.told, True
        return first

    def set_backtrace(self, key: str, text: str) -> None:
        """Note the native frames of bucket `key`."""
        self._changed(key).backtrace = text
        self._write(f"findings/{key}/backtrace.txt", text)

    def shown_by(self, key: str) -> str | Path | None:
        """The file of the program that shows the finding of bucket `key`, where this session wrote it, else the
        text of its smaller trace; None where there is neither. The caller runs the program, and what
        an earlier session left may come from a stranger.
        """
        bucket = self.buckets.get(key)
        forms = () if bucket is None else bucket.reproducers
        files = {one.form: one.file for one in forms if one.reproduces and one.file}
        if "python" in files and key in self._programs:
            return self._folder.path.absolute() / files["python"]
        return self.text(files["min.trace"]) if "min.trace" in files else None

    def set_reproducers(self, key: str, forms: tuple[Reproducer, ...]) -> None:
        """Note the forms in which the finding of bucket `key` was written, each with whether it shows
        the finding.
        """
        self._changed(key).reproducers = forms
        self._programs.add(key)

    def set_triage(self, found: Finding) -> None:
        """Note the triage of a finding. The first triage of a bucket stays, unless it was undecided
        and `found` is confirmed.
        """
        bucket = self.buckets[found.bucket]
        if not bucket.triage or (found.confirmed and bucket.triage.get("verdict") == "undecided"):
            bucket.triage = dict(found.triage)

    def set_tier(self, key: str, tier: Tier) -> None:
        """Note whose fault the defect of bucket `key` is."""
        self._changed(key).tier = tier

    @property
    def changed(self) -> tuple[str, ...]:
        """The buckets that changed since they were written to the database."""
        return tuple(self._dirty)

    def _changed(self, key: str) -> Bucket:
        """The bucket `key`, which the next flush writes."""
        bucket = self._dirty[key] = self.buckets[key]
        return bucket

    def add(self, counts: Mapping[str, int]) -> None:
        """Add the counters of runs that ended."""
        self._changes.counters.update(counts)

    def note(self, **meta: object) -> None:
        """Set named values of the campaign."""
        self._changes.meta.update(meta)

    def steered(self, target: str, steering: Steering) -> None:
        """Note what the seeds of `target` gave since the last call."""
        changed = {(target, key): entry for key, entry in steering.changed.items()}
        self._changes.yields.update(changed)
        steering.changed.clear()
        self._changes.meta[f"steering:{target}"] = steering.state()

    def guided(self, target: str, guidance: Guidance) -> None:
        """Note what the guidance of `target` learnt since the last call."""
        guidance.hand_over(target, self._changes.learnt)
        self._changes.meta[f"guidance:{target}"] = guidance.state()

    def nodes(self, nodes: Iterable[NodeSum]) -> None:
        """Add to what is kept of the nodes of a cluster."""
        self._changes.nodes += nodes

    def point(self, point: Point) -> None:
        """Note the figures of this session at one moment."""
        self._changes.points.append(point)

    def session(
        self,
        started: float,
        arguments: object,
        ended: float | None = None,
        reason: str | None = None,
    ) -> None:
        """Note this session of the campaign."""
        given = json.dumps(arguments, default=str)
        self._changes.session = (started, ended, reason, given)

    def pending_trace(self, kept: Kept) -> str | None:
        """The text of a kept trace; None when its file is gone."""
        return self._files.read(kept.file)

    def text(self, file: str) -> str | None:
        """The text of a file under the campaign's folder; None when it is gone."""
        return self._files.read(file)

    def range(self, key: str) -> str:
        """The releases that show bucket `key`, as far as 'murxpy bisect' found them out."""
        return kept_range(self._folder.path / "findings" / key)

    def keep_defects(self, defects: Sequence[Defect]) -> None:
        """Keep which buckets are one defect."""
        text = defects_text(defects)
        if defects and text != self._defects:
            self._defects = text
            self._write(DEFECTS, text)

    def waits(self, kept: Kept) -> bool:
        """Whether a kept trace is not written yet, because the disk is full."""
        return kept.file in self._files.waiting

    def rescue(self, lost: FolderLost) -> FolderLost:
        """Write what the folder does not take any more to another folder, with all that can still be
        read of the old one. The result is the error that also says where the work was written.
        """
        place = rescued(self._folder.path, self._write_all)
        if place is not None:
            files = sum(len(bucket.traces) for bucket in self.buckets.values())
            there = sum(1 for _ in place.glob("findings/*/*.trace"))
            gone = f" ({files - there} of {files} traces are gone)" if there < files else ""
            return FolderLost(lost.folder, lost.why, f"what was found is in {place}{gone}")
        rows, names = len(self._changes.rows), sorted(self._files.waiting)
        more = ", ..." if len(names) > _NAMED else ""
        losses = ["no other folder can be written"]
        losses += [f"{rows:,} findings are not in the database"] * bool(rows)
        losses += ["the database lacks the last counts"] * bool(self._dirty and not rows)
        losses += [f"not written: {', '.join(names[:_NAMED])}{more} ({len(names)} in all)"] * bool(
            names
        )
        return FolderLost(lost.folder, lost.why, "; ".join(losses))

    def _write_all(self, place: Path) -> None:
        """Write everything to the new folder `place`, small files first."""
        for name in self._files.by_size():
            write_below(place, name, self._files.waiting[name])
        forms = [
            form.file
            for bucket in self.buckets.values()
            for form in bucket.reproducers
            if form.file
        ]
        traces = [kept.file for bucket in self.buckets.values() for kept in bucket.traces]
        for name in dict.fromkeys([*traces, *forms]):
            text = None if name in self._files.waiting else self._files.read(name)
            if text is not None:
                write_below(place, name, text)
        with contextlib.suppress(sqlite3.Error):  # of a database that cannot be read
            self._store.copy_to(place)
        with contextlib.closing(Store(place, rebuild=True)) as store:
            there = [
                replace(b, traces=[kept for kept in b.traces if (place / kept.file).is_file()])
                for b in self.buckets.values()
            ]
            store.save(replace(self._changes, targets=self._targets, buckets=there))

    def _drop(self, bucket: Bucket, kept: Kept) -> None:
        bucket.traces.remove(kept)
        files = [kept.file, _history_of(kept)]
        if kept.file in self._named.get(bucket.key, ()):
            self._doomed += files  # removed when the database does not name them any more
        else:
            self._remove(files)

    def _remove(self, files: Sequence[str]) -> None:
        for file in files:
            self._files.drop(file)

    def _write(self, name: str, text: str) -> None:
        self._files.write(name, text)

    def flush(self, targets: Sequence[TargetState]) -> None:
        """Bring files and database up to date; `targets` says how far each target has come. Raises
        FolderLost when something cannot be written: then `rescue` writes it elsewhere.

        Files are written first, the small ones before the large ones, so that each file that the
        database names is there.
        """
        self._targets = targets
        self._folder.check(CAMPAIGN)
        for name in self._files.retry():
            self._dirty.update(
                {key: self.buckets[key] for key in name.split("/")[1:2] if key in self.buckets}
            )
        buckets = [self._as_written(bucket) for bucket in self._dirty.values()]
        try:
            self._store.save(replace(self._changes, targets=targets, buckets=buckets))
        except (OSError, sqlite3.DatabaseError) as error:
            why = getattr(error, "strerror", None) or str(error)
            raise FolderLost(self._folder.path, why) from error
        self._named.update(
            {bucket.key: [kept.file for kept in bucket.traces] for bucket in buckets}
        )
        self._dirty = {}
        self._changes = Changes(session=self._changes.session)
        self._unsaved = set()
        self._remove(self._doomed)
        self._doomed = []
        if self._files.waiting:
            raise FolderLost(self._folder.path, self._files.reason)

    def _as_written(self, bucket: Bucket) -> Bucket:
        """The bucket with the traces that are in their files: the database names no others."""
        return replace(bucket, traces=[kept for kept in bucket.traces if not self.waits(kept)])


def _history_of(kept: Kept) -> str:
    """The file beside a trace that names the runs before it, where it needs them."""
    return kept.file.removesuffix(".trace") + ".history"


def _history(found: Finding) -> str:
    """The runs that show the finding in one process, one a line: the seed and the damped calls."""
    runs = [*found.history, found.job]
    head = "# The runs that show this finding when one process does them one after another: seed, damped calls.\n"
    return head + "".join(f"{job.seed:x} {json.dumps(job.damp)}\n" for job in runs)
