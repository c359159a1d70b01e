"""The replay service: in which process a job is done, and what happens to the job when a process is lost."""

from __future__ import annotations

import gc
import os
import signal
import weakref
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from campaigns import plan

from murxpy.processes import handles, inquiries
from murxpy.processes.handles import Job
from murxpy.processes.limits import MIB, Limits
from murxpy.processes.pool import Pool
from murxpy.processes.service import KILLINGS, Fresh, Future, Group, Replays

LIMITS = Limits(wall=5.0, memory=300 * MIB)


@pytest.fixture
def opened() -> Iterator[Any]:
    """Opens services on the fake solver, and closes them at the end."""
    pools: list[Pool] = []

    def open_service(limits: Limits = LIMITS, spares: tuple[int, ...] = ()) -> Replays:
        pools.append(Pool([plan()], limits))
        pools[-1].warm()
        return Replays(pools[-1], spares)

    yield open_service
    for pool in pools:
        pool.close()


def trace(fault: str = "") -> Job:
    """The replay of a trace of one line, with a fault where one is named."""
    line = f"00001 mk-term@{fault} OP_FAULT SORT_BOOL 1 t1\n" if fault else "00001 mk-const s1 x\n"
    return Job(0, 5.0, text=line, name="trace")


def wait(replays: Replays, *futures: Future) -> None:
    while not all(future.over for future in futures):
        replays.step()


def causes(future: Future) -> list[str]:
    return [outcome.cause for outcome in future.outcomes]


def pid(future: Future) -> int | None:
    assert future.worker is not None
    return future.worker.pid


def test_fresh_process_does_all_jobs_of_a_submission_and_ends(opened: Any) -> None:
    replays = opened()
    told: list[Future] = []
    future = replays.submit([trace(), trace(), trace("segfault")], Fresh(), told.append)
    wait(replays, future)
    assert causes(future) == ["report", "report", "died"] and told == [future]
    assert [len(result.past) for result in future.results] == [0, 1, 2]
    assert not replays.pool.workers


def test_a_process_whose_end_is_told_late_died_of_its_own_signal(opened: Any) -> None:
    """Its channel closes when it dies, which on a busy machine may be seen long before the end is told."""
    replays = opened()
    future = replays.submit([trace("sleep")], Fresh())
    while future.worker is None or future.worker.pid is None or not future.worker.running():
        replays.step()
    future.worker.killed = "channel"
    os.kill(future.worker.pid, signal.SIGSEGV)
    wait(replays, future)
    assert causes(future) == ["died"]


@pytest.mark.parametrize("on", ["fresh", "pooled", "once"])
@pytest.mark.parametrize("killings", [2, 3])
def test_a_job_whose_process_somebody_killed_is_done_again(
    on: str, killings: int, tmp_path: Path
) -> None:
    """Twice; then it is the job that kills its process. The runs of a campaign are none of these."""
    setup = {"killed-replays": killings, "once": str(tmp_path / "done")}
    with closing(Pool([plan(**setup)], LIMITS)) as pool:
        pool.warm()
        replays, told = Replays(pool), list[Future]()
        place = Fresh() if on == "fresh" else Group(again=on == "pooled")
        future = replays.submit([trace()], place, told.append)
        wait(replays, future)
    done_again = on != "once" and killings == 2
    assert causes(future) == ["report" if done_again else "died"] and told == [future]


def test_spare_process_is_used_and_followed_by_another(opened: Any) -> None:
    replays = opened(spares=(0,))
    first = replays.submit([trace()], Fresh())
    wait(replays, first)
    (spare,) = replays.pool.workers.values()
    second = replays.submit([trace()], Fresh())
    assert second.worker is spare
    wait(replays, second)
    assert len(replays.pool.workers) == 1


def test_pooled_process_is_replaced_after_enough_replays(opened: Any) -> None:
    replays, group = opened(Limits(wall=5.0, memory=300 * MIB, recycle=2)), Group()
    futures = [replays.submit([trace()], group) for _ in range(5)]
    wait(replays, *futures)
    assert [len(future.results[0].past) for future in futures] == [0, 1, 0, 1, 0]


def test_pooled_jobs_go_to_the_process_with_the_fewest(opened: Any) -> None:
    replays, group = opened(), Group(places=(4, 7), ahead=2)
    futures = [replays.submit([trace()], group) for _ in range(5)]
    slots = [future.worker.slot if future.worker else None for future in futures]
    assert slots == [4, 7, 4, 7, None] and not replays.room(group)
    wait(replays, *futures)
    assert replays.room(group) and all(causes(future) == ["report"] for future in futures)


def test_death_is_the_answer_and_jobs_behind_it_are_done_again(opened: Any) -> None:
    replays, group = opened(), Group(ahead=3)
    futures = [replays.submit([trace(fault)], group) for fault in ("segfault", "", "")]
    wait(replays, *futures)
    assert [causes(future) for future in futures] == [["died"], ["report"], ["report"]]
    assert [len(future.results[0].past) for future in futures] == [0, 0, 1]
    assert all(future.losses == 0 for future in futures)


def test_jobs_behind_a_death_are_given_back_where_the_group_says_so(opened: Any) -> None:
    replays, group = opened(), Group(ahead=2, again=False)
    futures = [replays.submit([trace(fault)], group) for fault in ("segfault", "")]
    wait(replays, *futures)
    assert [causes(future) for future in futures] == [["died"], []]


@pytest.mark.parametrize("on", [Fresh(), Group()], ids=["fresh", "pooled"])
def test_process_lost_before_it_began_is_replaced(opened: Any, on: Fresh | Group) -> None:
    replays = opened()
    for _ in range(
        20
    ):  # on a busy machine a process may begin its job, or do it, before it is killed
        future = replays.submit([trace()], on)
        if future.worker is not None:  # in a group that lost its process it may wait for the next
            future.worker.kill("channel")
        wait(replays, future)
        if future.losses:
            break
        assert causes(future) in (["report"], ["channel"])
    assert (future.losses, causes(future)) == (1, ["report"])


def test_fresh_process_whose_parent_others_killed_gets_a_private_one(opened: Any) -> None:
    replays = opened()
    guilty, victim = (replays.submit([trace("kill-parent")], Fresh()) for _ in range(2))
    wait(replays, guilty, victim)
    assert causes(guilty) == causes(victim) == ["parent"]
    assert guilty.worker.parent.private and victim.worker.parent.private


@pytest.mark.parametrize("on", [Fresh(), Group()], ids=["fresh", "pooled"])
def test_a_job_that_kills_its_warm_parent_each_time_is_the_answer(
    opened: Any, on: Fresh | Group
) -> None:
    replays = opened()
    future = replays.submit([trace("kill-parent")], on)
    wait(replays, future)
    assert causes(future) == ["parent"] and future.killings == KILLINGS


@pytest.mark.parametrize("on", [Fresh(), Group()], ids=["fresh", "pooled"])
def test_a_job_whose_warm_parent_somebody_killed_is_done_again(
    opened: Any, on: Fresh | Group
) -> None:
    replays = opened()
    future = replays.submit([replace(trace("sleep"), wall=60.0)], on)
    assert future.worker is not None
    while not future.worker.running():
        replays.step()
    future.worker.parent.kill()
    while not future.killings:
        replays.step()
    assert not future.over and future.killings == 1


def test_cancelled_future_is_never_told(opened: Any) -> None:
    replays, group = opened(), Group()
    told: list[Future] = []
    futures = [replays.submit([trace()], on, told.append) for on in (Fresh(), group, group)]
    for future in futures:
        replays.cancel(future)
    last = replays.submit([trace()], group, told.append)
    wait(replays, last)
    assert told == [last]


def test_process_with_cancelled_work_holds_no_place(opened: Any) -> None:
    replays, group = opened(), Group()
    slow = replace(trace("sleep"), wall=60.0)
    first = replays.submit([slow], group)
    replays.cancel(first)
    second = replays.submit([slow], group)
    assert second.worker is not first.worker and first.worker.killed is None
    replays.cancel(second)
    third = replays.submit([trace()], group)
    assert first.worker.killed == "stopped" and second.worker.killed is None
    wait(replays, third)
    assert causes(third) == ["report"]


def test_end_of_a_group_ends_its_futures_without_an_outcome(opened: Any) -> None:
    replays, group = opened(), Group()
    futures = [replays.submit([trace("sleep")], group) for _ in range(3)]
    replays.end(group)
    wait(replays, *futures)
    assert [causes(future) for future in futures] == [[], [], []]


def test_a_replay_is_stopped_by_the_time_of_the_processor_that_it_takes() -> None:
    with closing(inquiries.Tester(plan(), LIMITS)) as replays:
        replays.wall = 60.0
        replays.limit_cpu(0.2)
        (spun,) = replays.fresh(trace("spin"))
        assert spun.cause == "cpu"
        assert replays.fresh(trace())[0].cause == "report"


@pytest.mark.parametrize(("ready", "least"), [(False, 0.2), (True, 1.0)])
def test_a_run_that_waits_for_a_processor_gets_longer(
    opened: Any, monkeypatch: pytest.MonkeyPatch, ready: bool, least: float
) -> None:
    monkeypatch.setattr(handles, "runnable", lambda pid: ready)
    replays = opened()
    future = replays.submit([replace(trace("sleep"), wall=0.2)], Fresh())
    wait(replays, future)
    assert causes(future) == ["wall"] and future.outcomes[0].seconds >= least


def test_only_runs_of_a_campaign_keep_their_texts_when_they_are_over(opened: Any) -> None:
    """A judge's process does up to 500 jobs, whose texts took most of the supervisor's memory."""
    replays, group = opened(), Group()
    for _ in range(3):
        future = replays.submit((trace(),), group)
        wait(replays, future)
    assert [job.text for job in future.results[-1].worker.past] == [None] * 3
    run = replace(trace(), index=7)  # a history of runs may be made again
    future = replays.submit((run,), group)
    wait(replays, future)
    assert future.results[-1].worker.past[-1].text == run.text


def test_a_future_that_is_over_needs_no_collector(opened: Any) -> None:
    """Its owner, which it tells of its end, keeps it."""

    class Owner:
        def __init__(self) -> None:
            self.asked = replays.submit((trace(),), Group(), self.told)

        def told(self, future: Future) -> None:
            assert future.over

    replays = opened()
    owner = Owner()
    wait(replays, owner.asked)
    gone = weakref.ref(owner)
    gc.disable()
    try:
        del owner
        assert gone() is None
    finally:
        gc.enable()


def test_a_tester_has_the_loaded_solver_of_the_one_before_and_nothing_else_of_it() -> None:
    one = plan()
    loaded: list[int] = []
    with closing(inquiries.Warm()) as warm:
        for of in (one, one):
            replays = inquiries.Tester(of, LIMITS, warm=warm)
            assert replays.fresh(trace())[0].cause == "report"
            pool = replays._pool
            assert pool.limits == LIMITS, "a limit of the one before holds no more"
            loaded.append(pool._parent(0).pid)
            replays.limit_cpu(0.2)
            begun = replays._service.submit([replace(trace("sleep"), wall=60.0)], Fresh())
            replays.close()
            assert not pool.workers and not begun.over, (
                "what it began is killed, and nobody waits for it"
            )
    assert loaded[0] == loaded[1]
