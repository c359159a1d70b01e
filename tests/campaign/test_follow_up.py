"""What is done with findings beside the runs of a campaign: when, and in which order."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from campaigns import config, plan, run
from plants import EXAMPLE, NEED_NOT, long_trace, planted

from murxpy.campaign.behind import process
from murxpy.campaign.behind.orders import FollowUp
from murxpy.campaign.behind.process import bisected, waiting
from murxpy.campaign.behind.queue import Lane, Queue
from murxpy.campaign.behind.requests import Answer, Request
from murxpy.findings.archive import Archive
from murxpy.findings.buckets import Bucket, Kept, Known
from murxpy.findings.folder import Folder
from murxpy.findings.store import Store
from murxpy.judging.bisection import Answer as ReleaseAnswer
from murxpy.judging.defects import Asked
from murxpy.machine.trace.finished import Call
from murxpy.oracles.crash import Outcome, Verdict
from murxpy.processes.handles import Job, end_group
from murxpy.processes.parents import cpu_of
from murxpy.records import events
from murxpy.records.config import Budget, tree_cpu
from murxpy.records.events import Ended
from murxpy.records.finding import Finding, Reproducer


def test_a_budget_is_open_while_its_share_is_not_used_up() -> None:
    budget = Budget(0.15)
    assert not budget.open, "nobody has worked yet"
    budget.passed(14.9, 100.0)
    assert budget.open
    assert budget.affords(0.1) and not budget.affords(0.2)
    budget.passed(15.0, 100.0)
    assert not budget.open
    budget.unbounded = True
    assert budget.open and budget.affords(1000.0)
    budget = Budget(0.0)
    budget.passed(0.0, 1000.0)
    assert not budget.open


def test_the_worst_findings_come_first_and_nothing_begins_without_a_budget(tmp_path: Path) -> None:
    done: list[str] = []

    def answered(request: Request, answer: Answer) -> None:
        assert answer.error, "there is no such trace"
        done.append(request.key)

    budget = Budget(0.5)
    queue = Queue((plan(),), 0, budget, answered)
    for key, rank in (("crash", 15), ("unsat", 0), ("model", 3), ("unsat-too", 0)):
        missing = str(tmp_path / f"{key}.trace")
        queue.add(Request(key, key, "", missing, 0, False, rank=rank))
    queue.poll()
    assert queue.busy and not done
    budget.unbounded = True
    while queue.busy:
        queue.poll()
        time.sleep(0.01)
    queue.stop()
    assert done == ["unsat", "unsat-too", "model", "crash"]
    assert queue.cpu > 0


def test_a_process_waits_before_its_next_step_while_the_share_is_spent() -> None:
    lane, steps = Lane(), list[int]()
    wait = waiting(lane.gate)
    wait()
    lane.pause(True)

    def work() -> None:
        for step in range(3):
            wait()
            steps.append(step)

    worker = threading.Thread(target=work)
    worker.start()
    worker.join(0.05)
    assert steps == []
    lane.pause(False)
    worker.join()
    lane.close()
    assert steps == [0, 1, 2]


def test_the_time_of_a_process_is_that_of_all_below_it_while_they_live() -> None:
    spin = "while True: pass"
    code = f"import subprocess, sys; subprocess.call([sys.executable, '-c', {spin!r}])"
    spinning = subprocess.Popen([sys.executable, "-c", code], start_new_session=True)
    while tree_cpu(spinning.pid) - cpu_of(spinning.pid) < 0.2:
        assert spinning.poll() is None
    end_group(spinning)
    assert tree_cpu(spinning.pid) == 0


def test_a_bisection_goes_on_where_it_was_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "1.trace"
    file.write_text("# murxpy-trace 1\n# solver fake 5.0.0\n# finds crash\n1 new\n")
    releases = tuple(f"{number}.0.0" for number in range(6))
    asked: list[str] = []

    def ask(self: Asked, solver: str, release: str) -> ReleaseAnswer:
        asked.append(release)
        if len(asked) == 3:
            raise OSError("the process is ended here")
        return ReleaseAnswer("shows" if release >= "3" else "gone")

    monkeypatch.setattr(Asked, "release", ask)
    request = Request("k", "crash", "", str(file), 0, False, releases=releases)
    with pytest.raises(OSError):
        bisected(request, plan())
    ended = list(asked)
    assert bisected(request, plan()).releases == "3.0.0..5.0.0"
    assert ended[2] in asked[3:] and not set(ended[:2]) & set(asked[3:])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["1.trace", "range.json"]


def test_a_campaign_says_how_long_its_parts_took(tmp_path: Path) -> None:
    _, events = run(tmp_path / "out", {}, runs=20)
    ended = events[-1]
    assert isinstance(ended, Ended)
    spent = {name: value for name, value in ended.snapshot.counts.items() if "cpu-ns:" in name}
    assert set(spent) >= {"cpu-ns:runs", "cpu-ns:targets", "cpu-ns:supervisor", "cpu-ns:gdb"}
    assert spent["cpu-ns:runs"] > 0 < spent["cpu-ns:targets"] and spent["cpu-ns:gdb"] == 0


@dataclass
class Shelf:
    """The buckets of a campaign, whose traces are all in files."""

    buckets: dict[str, Bucket] = field(default_factory=dict)

    def add(self, key: str, kind: str, solver: str = "fake") -> None:
        """Take a confirmed bucket."""
        made = Bucket(
            key, kind, "solver", "high", solver, "", "", "", "", "", "confirmed", 0.0, 0.0
        )
        made.traces = [Kept(f"{key}/1.trace", 1, 3, 30, True)]
        self.buckets[key] = made

    @property
    def changed(self) -> tuple[str, ...]:
        return tuple(self.buckets)

    def waits(self, kept: Kept) -> bool:
        return False

    held: dict[str, str] = field(default_factory=dict)

    def set_reproducers(self, key: str, forms: tuple[Reproducer, ...]) -> None:
        self.buckets[key].reproducers = forms

    def pending_trace(self, kept: Kept) -> str | None:
        return None


def looking(
    out: Path,
    shelf: Shelf | Archive,
    told: list[events.Event],
    alike: Mapping[str, tuple[str, ...]] | None = None,
    **known: Any,
) -> FollowUp:
    """What looks after the findings in `shelf`; `told` gets its events. `alike` are the buckets that show
    the defect of a bucket.
    """
    options = config(out, {"wrapper": {}}, **known)
    same = alike or {}
    return FollowUp(
        options,
        shelf,  # type: ignore[arg-type]
        Budget(0.0),
        told.append,
        lambda: None,
        lambda key: "",
        lambda key: same.get(key, ()),
    )


def test_wrong_answers_are_made_smaller_at_the_end_where_they_can_be_one_defect(
    tmp_path: Path,
) -> None:
    shelf, told = Shelf(), list[events.Event]()
    shelf.add("model", "invalid-model")
    shelf.add("crash", "crash")
    shelf.add("judge", "invalid-model", "other")
    follow_up = looking(tmp_path, shelf, told)
    follow_up.look()
    assert follow_up.queue.telling == 1, "there may be time for it while runs are made"
    follow_up.hurry()
    assert follow_up.queue.busy and follow_up.queue.telling == 0 and told == []
    shelf.add("core", "invalid-core")
    follow_up.look()
    assert follow_up.queue.telling == 2


_BROKEN = {
    "trifle": "AttributeError: 'NoneType' object has no attribute 'ctx' in f (z3.py)",
    "promise": "a number is taken for another; 9 for 1",
}


def test_a_first_finding_of_each_defect_comes_before_a_second_one(tmp_path: Path) -> None:
    """The traces are missing, so each request ends at once."""
    shelf, told = Shelf(), list[events.Event]()
    (tmp_path / "several").mkdir()
    (tmp_path / "several/1.history").write_text("")
    for key in ("several", "a", "b", "c"):
        shelf.add(key, "crash")
    shelf.add("d", "exception")
    shelf.buckets["several"].traces[0] = Kept("several/1.trace", 1, 3, 30, False)
    for key in ("trifle", "promise"):
        shelf.add(key, "contract")
        shelf.buckets[key].message = f"class C: {_BROKEN[key]}"
    alike = dict.fromkeys("ab", ("a", "b"))
    follow_up = looking(tmp_path, shelf, told, alike, minimize=True)
    follow_up.look()
    follow_up._budget.unbounded = True
    while follow_up.queue.busy:
        follow_up.poll()
        time.sleep(0.01)
    follow_up.close()
    done = [event for event in told if isinstance(event, events.Notice | events.Reproduced)]
    texts = [event.text if isinstance(event, events.Notice) else event.bucket for event in done]
    assert [text.partition(":")[0] for text in texts] == [
        *("a", "c", "several", "d", "promise", "b", "trifle")
    ]


def test_a_defect_that_a_program_shows_needs_no_second_one(tmp_path: Path) -> None:
    shelf, told = Shelf(), list[events.Event]()
    for key, kind in (("crash", "crash"), ("raised", "exception"), ("model", "invalid-model")):
        shelf.add(key, kind)
    alike = {key: tuple(shelf.buckets) for key in shelf.buckets}
    follow_up = looking(tmp_path, shelf, told, alike, minimize=True)
    follow_up.look()
    assert follow_up.left.reductions == 3
    forms = [Reproducer(form, f"crash/1.{form}", True) for form in ("trace", "min.trace")]
    crash = shelf.buckets["crash"]
    crash.reproducers = (*forms, Reproducer("python", "crash/1.py", False))
    assert follow_up.left.reductions == 3, "its program does not show it"
    crash.reproducers = (*forms, Reproducer("python", "crash/1.py", True))
    assert [request.key for request in follow_up.queue.left] == ["crash", "model"], (
        "a wrong model is worse than a crash, and an exception is not"
    )
    follow_up.look()
    assert follow_up.left.reductions == 2


@pytest.mark.parametrize(
    ("mark", "counts"),
    [
        ("fake is wrong on [] (f)", 1),
        ("fake invalid-model of (OP_X) []", 1),
        ("fake invalid-core of (OP_X) []", 0),
        ("other is wrong on [] (f)", 0),
    ],
)
def test_a_wrong_answer_is_made_smaller_to_compare_it_with_known_ones(
    tmp_path: Path, mark: str, counts: int
) -> None:
    shelf, told = Shelf(), list[events.Event]()
    shelf.add("model", "invalid-model")
    follow_up = looking(tmp_path, shelf, told, known_marks={mark: "older"})
    follow_up.hurry()
    assert follow_up.queue.telling == counts
    assert [event.text for event in told if isinstance(event, events.Notice)] == counts * [
        "findings are still made smaller, to see which are one defect (1 left); Ctrl-C leaves that to the next session"
    ]


def test_several_processes_do_requests_when_the_workers_have_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    done: list[str] = []
    budget = Budget(0.5)
    budget.unbounded = True
    queue = Queue((plan(),), 0, budget, lambda request, answer: done.append(request.key))
    queue.widen(2)
    for key in "ab":
        queue.add(Request(key, key, "", str(tmp_path / "1.trace"), 0, False, telling=True))
    queue.poll()
    queue.add(Request("c", "c", "", str(tmp_path / "1.trace"), 0, False))
    assert queue.telling == 2 and [queue.has(key) for key in "abcd"] == [True, True, True, False]
    while queue.busy:
        queue.poll()
        time.sleep(0.01)
    left = tmp_path / "murxpy-workers-00000000"  # of a process that was killed in between
    left.mkdir()
    (left / ".owner").touch()
    queue.stop()
    assert sorted(done) == ["a", "b", "c"] and not left.exists()


def test_a_trace_stays_until_its_reproducers_are_made(tmp_path: Path) -> None:
    """Smaller traces of the same defect come while the process beside the campaign reads it."""
    told: list[events.Event] = []
    with closing(Folder(tmp_path)) as folder, closing(Store(tmp_path)) as store:
        archive = Archive(folder, store, Known(), lambda text: None)

        def shown(seed: int, lines: int) -> Finding:
            verdict = Verdict("crash", "solver", "SIGSEGV", "SIGSEGV", Call("mk-term"))
            trace = f"# fake run {seed:x}\n" + "1 mk-const s1 x\n" * lines
            outcome = Outcome("died", trace=trace)
            found = Finding(0, "fake", "1", Job(seed, 1.0), (), outcome, verdict, "key-00000000")
            archive.count(found, "fake", 1.0)
            archive.keep(found)
            archive.settle(found.settled(True))
            return found

        shown(1, 30)
        archive.flush(())
        follow_up = looking(tmp_path, archive, told, minimize=True)
        follow_up.look()
        (request,) = follow_up.queue.left
        for seed in range(2, 6):
            shown(seed, 30 - seed)
            archive.flush(())
        assert Path(request.trace).is_file()
        assert len(archive.buckets["key-00000000"].traces) == 3
        follow_up._done(request, Answer((Reproducer("trace", request.trace, True),)))
        shown(6, 2)
        archive.flush(())
        assert Path(request.trace).is_file(), "its reproducers lie beside it"
        assert not archive.held


def test_a_reduction_ends_with_the_best_so_far_when_its_processor_time_is_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each look at the time finds another second of all processors gone."""
    seconds = count()
    monkeypatch.setattr(process, "tree_cpu", lambda pid: float(next(seconds)))
    file = tmp_path / "1.trace"
    file.write_text(long_trace(NEED_NOT, EXAMPLE, 7, 60))
    key = "crash-sigsegv-toy-check-sat-assuming"
    asked = Request(key, "crash", "SIGSEGV", str(file), 0, minimize=True)
    sizes = []
    for cpu, ended in ((1.0, "time"), (9.0, "time")):
        answered = process.answer(replace(asked, cpu=cpu), planted(**NEED_NOT))
        assert answered.ended == ended and not answered.error
        small = next(form for form in answered.reproducers if form.form == "min.trace")
        assert small.reproduces and Path(small.file).is_file(), "it is kept, and gone on from"
        sizes.append(answered.after)
    assert answered.before >= 60 and sizes[0] > sizes[1]


def test_it_is_said_that_a_finding_took_all_its_processor_time(tmp_path: Path) -> None:
    shelf, told = Shelf(), list[events.Event]()
    shelf.add("model", "invalid-model")
    with closing(Folder(tmp_path)) as folder, closing(Store(tmp_path)) as store:
        archive = Archive(folder, store, Known(), lambda text: None)
        archive.buckets.update(shelf.buckets)
        follow_up = looking(tmp_path, archive, told, minimize=True)
        follow_up.look()
        (request,) = follow_up.queue.left
        made = tuple(Reproducer(form, request.trace, True) for form in ("trace", "min.trace"))
        follow_up._done(request, Answer(made, 300, 90, "time"))
        _, again = follow_up.queue.left  # the first one is not taken out here
        assert again.cpu > request.cpu and again.rank > request.rank
        assert not any(isinstance(event, events.Notice) for event in told)
        follow_up._done(again, Answer(made, 300, 41, "time"))
    assert [event.text for event in told if isinstance(event, events.Notice)] == [
        "model: 300 lines to 41 in the 180 s of CPU time that a finding gets; 'murxpy minimize' makes it smaller still"
    ]
