"""A made-up campaign for the tests of the reports; `python -m tests.support.report_demo [json]` shows it on
the terminal.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Iterator

from murxpy.campaign.statistics import Statistics
from murxpy.machine.trace.finished import Call
from murxpy.oracles.crash import Outcome, Verdict
from murxpy.processes.handles import Job
from murxpy.records.events import (
    Ended,
    Event,
    Found,
    Notice,
    Overstayed,
    RunEnded,
    Started,
    Target,
    Tick,
    WorkerLost,
)
from murxpy.records.finding import Finding
from murxpy.records.snapshot import WorkerState

KINDS = ("OP_AND", "OP_NOT", "OP_BV_ADD", "OP_BV_UDIV", "OP_BV_CONCAT", "OP_FP_FMA")
THEORIES = {
    "CORE": ("OP_AND", "OP_NOT", "OP_XOR"),
    "BV": ("OP_BV_ADD", "OP_BV_UDIV", "OP_BV_CONCAT", "OP_BV_SMULO"),
    "FP": ("OP_FP_FMA",),
}
CRASHES = (
    (
        "crash",
        "sigsegv",
        "OP_BV_UDIV",
        "udiv",
        "segmentation fault in smt::theory_bv::internalize_udiv",
    ),
    (
        "assertion",
        "assert",
        "OP_FP_FMA",
        "fma",
        "ASSERTION VIOLATION\nFile: ast.cpp\nUNEXPECTED CODE WAS REACHED.",
    ),
    (
        "exception",
        "undocumented",
        "OP_BV_CONCAT",
        "raw",
        "index out of bounds: 'Ω' \x1b[31m in mk_concat",
    ),
)


def started(targets: int = 1, jobs: int = 2) -> Started:
    """The begin of the made-up campaign."""
    both = (Target("z3", "z3", "4.15.0"), Target("cvc5@envs/old", "cvc5", "1.2.1"))
    return Started(
        1_700_000_000.0, both[:targets], "murxpy-out", 7, "default", jobs, time_limit=60.0
    )


def counts(rng: random.Random) -> dict[str, int]:
    """The counters of one run."""
    made: dict[str, int] = {
        "run:total": 1,
        "check:total": 3,
        "check:asserted": 3,
        "check:decided": 2,
    }
    made |= {
        "answer:sat": rng.randint(0, 2),
        "answer:unsat": 1,
        "answer:unknown": int(rng.random() < 0.1),
    }
    made |= {"answer:over-limit": int(rng.random() < 0.05), "sat:total": 1, "sat:model-read": 1}
    made |= {
        "time-ns:run": 9_000_000,
        "time-ns:solver": 7_000_000,
        "time-ns:choose": 900_000,
        "time-ns:trace": 400_000,
    }
    made |= {
        "state:create": 1,
        "state:assert": 4,
        "state:check": 3,
        "term:made": 30,
        "term:useful": 27,
    }
    made |= {"action:mk-term": 30, "action-ok:mk-term": 30, "action:get-unsat-core": 1}
    for kind in KINDS:
        made |= {f"op:{kind}": 5, f"op-ok:{kind}": 5}
    if rng.random() < 0.1:
        made |= {
            "op-ok:OP_FP_FMA": 4,
            "op-refused:OP_FP_FMA:unsupported": 1,
            "refusal:unsupported": 1,
        }
        made |= {"refusal-message:unsupported:fma is not in this build": 1}
    return made


def finding(number: int, seed: int) -> Finding:
    """The finding of one of the planted defects."""
    kind, signal, operator, spelling, message = CRASHES[number]
    bucket = f"z3-{kind}-{signal}-mk-term-{operator}@{spelling}"
    verdict = Verdict(
        kind,
        "solver" if number < 2 else "binding",
        message,
        "SIGSEGV" if number == 0 else "",
        Call("mk-term", operator, spelling),
    )
    trace = "1 set-option rlimit 10000\n".ljust(65 + seed % 7, "\n")
    return Finding(
        0,
        "z3",
        "4.15.0",
        Job(seed, 1.0),
        (),
        Outcome("died", trace=trace),
        verdict,
        bucket,
        "unconfirmed" if number == 2 else "confirmed",
    )


def campaign(seconds: float, *, targets: int = 1, jobs: int = 2, seed: int = 7) -> Iterator[Event]:
    """The events of a campaign of `seconds`, ten ticks a second, always the same for the same
    arguments.
    """
    rng = random.Random(seed)
    begin = started(targets, jobs)
    statistics = Statistics()
    yield begin
    yield Notice("z3 4.15.0 has no finite fields: FF is left out")
    for tick in range(1, int(seconds * 10) + 1):
        now = tick / 10
        for event in _tenth(rng, jobs, tick):
            statistics.add(event, now)
            yield event
        for worker in range(jobs):
            state: WorkerState = "confirming" if rng.random() < 0.1 else "running"
            target = begin.targets[worker % targets].name
            statistics.worker(worker, target, state, rng.getrandbits(64), now - rng.random() / 10)
        yield Tick(now, statistics.snapshot(now))
    yield Ended("time limit", statistics.snapshot(seconds), 1, stored_findings=9, stored_buckets=4)


def _tenth(rng: random.Random, jobs: int, tick: int) -> Iterator[Event]:
    for run in range(10):
        yield RunEnded(run % jobs, rng.getrandbits(64), {"counts": counts(rng)})
    if tick % 20 == 15:
        number = tick // 20 % len(CRASHES)
        found = finding(number, rng.getrandbits(20))
        trace = "" if number == 1 else f"findings/{found.bucket}/{found.seed:x}.trace"
        yield Found(found.bucket, tick < 60, number == 1, found, trace)
        yield WorkerLost(0, "signal 11")
    if tick % 50 == 0:
        yield Overstayed(1, 0xABC, "check-sat", "")


def main() -> None:
    """Show the campaign as `murxpy fuzz` would, in real time."""
    from murxpy.cli.campaigns import make_reporter
    from murxpy.cli.report.console import make_console, quiet_pipe
    from murxpy.cli.report.findings import unread
    from murxpy.cli.report.summary import print_summary

    words = sys.argv[1:]
    jobs = next((int(word) for word in words if word.isdigit()), 2)
    with quiet_pipe():
        with make_reporter(json="json" in words) as reporter:
            for event in campaign(600.0 if "long" in words else 12.0, targets=2, jobs=jobs):
                reporter.consume(event)
                if isinstance(event, Tick) and "fast" not in words:
                    time.sleep(0.1)
        if isinstance(event, Ended) and "json" not in words:
            print_summary(make_console(), started(2), event, unread(event.snapshot.buckets))


if __name__ == "__main__":
    main()
