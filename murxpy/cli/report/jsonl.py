"""The events of a campaign as JSON, one object a line; `docs/events.md` describes the fields."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, TextIO

from murxpy.cli.report.plain_lines import Lines
from murxpy.cli.report.seeds import seed_counts_data, seeds_data
from murxpy.cli.report.text import replay_command, seed_text, trace_path
from murxpy.records.events import (
    Alike,
    Bisected,
    Ended,
    Event,
    Found,
    Notice,
    Overstayed,
    Reproduced,
    RunEnded,
    RunsEnded,
    Started,
    Target,
    Tick,
    WorkerLost,
)
from murxpy.records.snapshot import BucketView, NodeView, Snapshot, WorkerView

VERSION = 1  # of the schema; it grows when a field changes its meaning or goes
EVERY = 1.0  # seconds between two status objects
_LONGEST = 20_000  # characters at most of standard error and of a backtrace


class JsonLines(Lines):
    """Writes each event as a JSON object on a line of its own, and nothing else."""

    def __init__(self, stream: TextIO) -> None:
        super().__init__(stream)
        self._next = 0.0
        self._out = ""

    def line(self, event: Event) -> str | None:
        """The event as JSON; None for a status that comes too early."""
        data = self._data(event)
        return None if data is None else json.dumps(data, allow_nan=False)

    def _data(self, event: Event) -> dict[str, Any] | None:
        match event:
            case Started():
                self._out = event.out
                return _started(event)
            case Tick() if event.elapsed >= self._next:
                self._next = event.elapsed + EVERY
                left = event.snapshot.left
                finishing = None if left is None else asdict(left)
                return {"event": "status", "finishing": finishing, **_snapshot(event.snapshot)}
            case Ended():
                return self._ended(event)
            case Tick():
                return None
        return _small(event)

    def _ended(self, event: Ended) -> dict[str, Any]:
        snapshot = event.snapshot
        return {
            "event": "ended",
            "reason": event.reason,
            "exit_code": event.exit_code,
            "left": asdict(event.left),
            "unjudged_runs": event.left.runs,
            "unsolved_disagreements": event.left.disagreements,
            "unkept": event.unkept,
            "stored_findings": event.stored_findings,
            "stored_buckets": event.stored_buckets,
            "late_buckets": event.late,
            **_snapshot(snapshot),
            "bucket_list": [_bucket(bucket, self._out) for bucket in snapshot.buckets],
            "seeds": seeds_data(event.seeds),
            "seed_counts": seed_counts_data(event.seeds, event.offered),
            "counts": dict(sorted(snapshot.counts.items())),
        }


def _started(event: Started) -> dict[str, Any]:
    return {
        "event": "started",
        "schema": VERSION,
        "time": event.time,
        "targets": [_target(target) for target in event.targets],
        "out": event.out,
        "seed": event.seed,
        "machine": event.machine,
        "jobs": event.jobs,
        "time_limit": event.time_limit,
        "run_limit": event.run_limit,
    }


def _target(target: Target) -> dict[str, Any]:
    return {"name": target.name, "solver": target.solver, "version": target.version}


def _small(event: Event) -> dict[str, Any] | None:
    match event:
        case RunEnded():
            return {
                "event": "run-ended",
                "worker": event.worker,
                "seed": seed_text(event.seed),
                **_answers(event.report["counts"]),
            }
        case RunsEnded():
            return {
                "event": "runs-ended",
                "worker": event.worker,
                "runs": event.runs,
                **_answers(event.counts),
            }
        case Overstayed():
            return {
                "event": "overstayed",
                "worker": event.worker,
                "seed": seed_text(event.seed),
                "action": event.action,
                "operator": event.operator,
            }
        case WorkerLost():
            return {"event": "worker-lost", "worker": event.worker, "reason": event.reason}
        case Found():
            return _found(event)
        case Reproduced():
            forms = [asdict(form) for form in event.forms]
            return {
                "event": "reproduced",
                "bucket": event.bucket,
                "before": event.before,
                "after": event.after,
                "reproducers": forms,
            }
        case Bisected() | Alike():
            return {"event": type(event).__name__.lower(), **asdict(event)}
        case Notice():
            return {"event": "notice", "text": event.text}
    return None


def _answers(counts: Mapping[str, int]) -> dict[str, Any]:
    return {
        "decided": counts.get("check:decided", 0),
        "answers": {
            name: counts.get(f"answer:{name}", 0)
            for name in ("sat", "unsat", "unknown", "over-limit")
        },
    }


def _found(event: Found) -> dict[str, Any]:
    found, verdict = event.finding, event.finding.verdict
    call = verdict.call
    return {
        "event": "found",
        "bucket": event.bucket,
        "new": event.new,
        "known": event.known,
        "kind": verdict.kind,
        "tier": verdict.tier,
        "severity": found.severity,
        "solver": found.solver,
        "version": found.version,
        "options": [list(option) for option in found.options],
        "seed": seed_text(found.seed),
        "history": [seed_text(job.seed) for job in found.history],
        "action": call.action,
        "operator": call.operator,
        "spelling": call.spelling,
        "signal": verdict.signal,
        "message": verdict.message,
        "against": verdict.against,
        "confirmed": found.confirmed,
        "lines": found.lines,
        "stderr": found.outcome.output[-_LONGEST:],
        "backtrace": found.backtrace[:_LONGEST],
    }


def _snapshot(snapshot: Snapshot) -> dict[str, Any]:
    mutants = snapshot.part("mutator:")
    return {
        "elapsed": round(snapshot.elapsed, 3),
        "running": round(snapshot.running, 3),
        "runs": snapshot.runs,
        "runs_per_second": round(snapshot.runs_per_second, 3),
        "decided": snapshot.decided,
        "decided_per_second": round(snapshot.decided_per_second, 3),
        "solver_share": None if snapshot.solver_share is None else round(snapshot.solver_share, 4),
        "answers": snapshot.answers,
        "mutants": {**mutants, **(snapshot.traits if mutants else {})},
        "judged": snapshot.judged,
        "confirmed_share": None
        if snapshot.confirmed_share is None
        else int(10_000 * snapshot.confirmed_share) / 10_000,
        "judges_share": None if snapshot.judges_share is None else round(snapshot.judges_share, 4),
        "refusals": snapshot.refusals,
        "overstayed": snapshot.overstayed,
        "workers_lost": snapshot.lost,
        "findings": snapshot.findings,
        "buckets": len(snapshot.buckets),
        "new_buckets": len(snapshot.new_buckets),
        "cpu": {name: round(seconds, 3) for name, seconds in snapshot.cpu.items()},
        "since_new": None if snapshot.since_new is None else round(snapshot.since_new, 3),
        "workers": [_worker(view, snapshot.elapsed) for view in snapshot.workers],
        **({"nodes": [_node(view) for view in snapshot.nodes]} if snapshot.nodes else {}),
    }


def _node(view: NodeView) -> dict[str, Any]:
    return {
        "node": view.name,
        "host": view.host,
        "runs": view.runs,
        "state": view.state,
        "seconds": round(view.silent, 3),
        "refused": view.refused,
    }


def _worker(view: WorkerView, elapsed: float) -> dict[str, Any]:
    return {
        "worker": view.worker,
        "target": view.target,
        "runs": view.runs,
        "seed": None if view.seed is None else seed_text(view.seed),
        "state": view.state,
        "seconds": round(max(0.0, elapsed - view.since), 3),
    }


def _bucket(bucket: BucketView, out: str) -> dict[str, Any]:
    path = trace_path(out, bucket)
    return {
        "bucket": bucket.key,
        "kind": bucket.kind,
        "tier": bucket.tier,
        "severity": bucket.severity,
        "solver": bucket.solver,
        "version": bucket.version,
        "message": bucket.message,
        "new": bucket.new,
        "known": bucket.known,
        "confirmed": bucket.confirmed,
        "count": bucket.count,
        "lines": bucket.lines,
        "trace": path,
        "replay": None if path is None else replay_command(path),
        "same": bucket.same,
    }
