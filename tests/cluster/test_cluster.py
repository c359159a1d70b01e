"""Campaigns whose runs are made by the nodes of a cluster, with the fake session."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import yaml
from campaigns import run
from commands import error, outcome
from hypothesis import given
from hypothesis import strategies as st
from links import HereLink, Sent, runs_in

from murxpy.campaign.campaign import Campaign
from murxpy.cluster import service, wire
from murxpy.cluster.places import Place, parse_place
from murxpy.cluster.service import LOSSES, Answered, Failed, Host, Joined, differences
from murxpy.errors import InputError, TargetError
from murxpy.findings.store import Changes, Store
from murxpy.oracles.crash import Outcome
from murxpy.processes.handles import Job
from murxpy.processes.pool import Result
from murxpy.records.events import Ended, Event, Notice
from murxpy.records.snapshot import NodeSum

FAULTS = {"every": {"segfault": 25, "exception": 20}, "lines": 3}
RUNS = 150
pytestmark = pytest.mark.usefixtures("bare_findings")


def on_nodes(
    out: Path, count: int, sent: Sent = lambda *_: True, **options: Any
) -> tuple[Campaign, list[Event], HereLink]:
    """A campaign on nodes in this process, which `sent` may disturb."""
    links: list[HereLink] = []

    def link() -> HereLink:
        links.append(HereLink(count, sent))
        return links[-1]

    campaign, events = run(out, FAULTS, **{"runs": RUNS, "cluster": link, **options})
    return campaign, events, links[-1]


def loses_a_node(lost: list[str]) -> Sent:
    """Loses the node to which the third block is sent, whichever is the faster, and adds its name to `lost`."""
    blocks = []

    def sent(link: HereLink, node: str, request: wire.Request) -> bool:
        if isinstance(request, wire.Block):
            blocks.append(node)
            if len(blocks) == 3:
                lost.append(node)
                link.lose(node)
        return True

    return sent


def figures(campaign: Campaign, events: list[Event]) -> Mapping[str, Any]:
    """What must be the same however many nodes there are. A bucket keeps three of its smallest traces, the
    first that come of those of the same size.
    """
    (ended,) = [event for event in events if isinstance(event, Ended)]
    counts = ended.snapshot.counts
    return {
        "reason": ended.reason,
        "buckets": sorted((bucket.key, bucket.count, bucket.state) for bucket in campaign.buckets),
        "counts": {name: n for name, n in counts.items() if "-ns:" not in name},
        "stored": stored(campaign.config.out),
    }


def stored(out: Path) -> dict[str, int]:
    """The counters of the folder but for those of times."""
    store = Store(out)
    try:
        return {name: n for name, n in store.counters().items() if "-ns:" not in name}
    finally:
        store.close()


def notices(events: list[Event]) -> list[str]:
    return [event.text for event in events if isinstance(event, Notice)]


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Any]:
    """The figures of the campaign on one machine."""
    out = tmp_path_factory.mktemp("alone") / "out"
    campaign, events = run(out, FAULTS, runs=RUNS, jobs=2)
    return figures(campaign, events)


@pytest.mark.parametrize("count", [1, 2])
def test_a_cluster_makes_the_runs_of_one_machine(
    tmp_path: Path, alone: Mapping[str, Any], count: int
) -> None:
    campaign, events, link = on_nodes(tmp_path / "out", count)
    assert figures(campaign, events) == alone
    assert len({node for node, _ in link.done}) == count
    assert {index for _, index in link.done} == set(range(RUNS))


def test_the_work_of_a_lost_node_is_done_by_others_once(
    tmp_path: Path, alone: Mapping[str, Any]
) -> None:
    names: list[str] = []
    campaign, events, _ = on_nodes(tmp_path / "out", 2, loses_a_node(names))
    assert figures(campaign, events) == alone
    (name,) = names
    ends = "is done by others", "waits for a node: there is none now"  # the other may still start
    said = [f"{name} is lost: killed; its work {end}" for end in ends]
    assert any(text.endswith(tuple(said)) for text in notices(events))
    (ended,) = [event for event in events if isinstance(event, Ended)]
    used, lost = sorted(ended.snapshot.nodes, key=lambda node: node.state, reverse=True)
    assert (used.state, lost.name, lost.state) == ("used", name, "lost")
    assert used.runs + lost.runs == RUNS


def test_without_any_node_the_campaign_says_that_it_waits(
    tmp_path: Path, alone: Mapping[str, Any]
) -> None:
    lost = []

    def sent(link: HereLink, node: str, request: wire.Request) -> bool:
        if isinstance(request, wire.Block) and not lost:
            lost.append(node)
            link.lose(node)
            link.join()
        return True

    campaign, events, _ = on_nodes(tmp_path / "out", 1, sent)
    assert figures(campaign, events) == alone
    (told,) = [text for text in notices(events) if "is lost" in text]
    assert told.endswith("its work waits for a node: there is none now")


def test_after_a_lost_scheduler_the_campaign_goes_on(
    tmp_path: Path, alone: Mapping[str, Any]
) -> None:
    seen = []

    def sent(link: HereLink, node: str, request: wire.Request) -> bool:
        if isinstance(request, wire.Block):
            seen.append(node)
            if len(seen) in (3, 9):
                link.cut()
        return True

    campaign, events, _ = on_nodes(tmp_path / "out", 2, sent)
    assert figures(campaign, events) == alone
    assert len([text for text in notices(events) if "cannot be reached" in text]) == 2


def test_a_run_that_loses_each_node_is_set_aside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is told apart from its neighbours, is alone on three nodes, and again on one at the end."""
    monkeypatch.setattr(service, "_DISTANCE", 0.01)
    alone = []

    def sent(link: HereLink, node: str, request: wire.Request) -> bool:
        if isinstance(request, wire.Block):
            runs = runs_in(request)
            if 17 in runs:
                alone.append(len(runs) == 1)
                link.lose(node)
                link.join()
        return True

    _, events, _ = on_nodes(tmp_path / "out", 2, sent)
    assert alone.count(True) >= LOSSES + 1 and alone[-LOSSES - 1 :] == [True] * (LOSSES + 1)
    (told,) = [text for text in notices(events) if "set aside" in text]
    ended = events[-1]
    assert isinstance(ended, Ended) and ended.reason == "all runs done", told
    counters = stored(tmp_path / "out")
    assert counters["run:total"] + counters["run:aside"] == RUNS and counters["run:aside"] == 1


def test_whoever_ends_nodes_again_and_again_costs_no_run(
    tmp_path: Path, alone: Mapping[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run is lost with nodes five times, but the last time that it is alone on one, it is not."""
    monkeypatch.setattr(service, "_DISTANCE", 0.01)
    seen = []

    def sent(link: HereLink, node: str, request: wire.Request) -> bool:
        if not isinstance(request, wire.Block) or len(seen) == 5:
            return True
        if 17 in runs_in(request):
            seen.append(node)
            link.lose(node)
            link.join()
        return True

    campaign, events, _ = on_nodes(tmp_path / "out", 2, sent)
    assert len(seen) == 5 and figures(campaign, events) == alone


def test_a_node_gets_the_same_contents_once(
    tmp_path: Path, alone: Mapping[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another campaign with the same solver finds on the node what it needs."""
    kinds: list[type[wire.Request]] = []
    links: list[HereLink] = []

    def sent(link: HereLink, node: str, request: wire.Request) -> bool:
        kinds.append(type(request))
        return True

    def link() -> HereLink:
        """A link to the node of the first campaign, which stays when that is over."""
        links.append(HereLink(0 if links else 1, sent))
        if len(links) > 1:
            links[-1].nodes = links[0].nodes
            links[-1].tell(Joined("node-1"))
        return links[-1]

    close = HereLink.close
    monkeypatch.setattr(HereLink, "close", lambda self: None)
    for name, sends in (("one", 1), ("two", 0)):
        kinds.clear()
        campaign, events = run(tmp_path / name, FAULTS, runs=RUNS, cluster=link)
        assert figures(campaign, events) == alone
        assert kinds.count(wire.Contents) == sends and kinds.count(wire.Hello) == 1 + sends
    close(links[0])


def test_a_clock_that_jumps_changes_nothing(
    tmp_path: Path, alone: Mapping[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The clock of supervisor and nodes is changed again and again, by up to 45 minutes forwards and a day
    backwards.
    """
    now, chance = time.time, random.Random(1)
    monkeypatch.setattr(time, "time", lambda: now() + chance.uniform(-86400, 2700))
    campaign, events, _ = on_nodes(tmp_path / "out", 2)
    assert figures(campaign, events) == alone


def test_the_folder_keeps_what_each_node_did(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Names are strangers' text, and there may be very many."""
    out = tmp_path / "out"
    lost: list[str] = []
    on_nodes(out, 2, loses_a_node(lost))
    on_nodes(out, 1, runs=20, seed=None)
    with closing(Store(out)) as store:
        one, two = store.nodes()
        assert (one.name, two.name) == ("node-1", "node-2")
        assert {node.name: node.losses for node in (one, two) if node.losses} == {lost[0]: 1}
        assert one.runs + two.runs == RUNS + 20 and one.host and one.seen > 1e9
        monkeypatch.setattr("murxpy.findings.store._MOST_NODES", 3)
        strange = [
            NodeSum(f"{number}\x1b[2J" + "x" * 500, "\ud800", 5, 0, 1.0) for number in range(4)
        ]
        store.save(Changes(nodes=strange))
        assert [(node.name[:11], node.runs) for node in store.nodes()] == [
            ("0\x1b[2Jxxxxxx", 5),
            ("node-1", one.runs),
            ("node-2", two.runs),
            ("other nodes", 15),
        ]
    code, text, _ = outcome(capsys, "statistics", str(out))
    assert code == 0 and "node-2" in text and "other nodes" in text and "\x1b" not in text


def test_a_killed_supervisor_goes_on_in_its_folder(
    tmp_path: Path, alone: Mapping[str, Any]
) -> None:
    out = tmp_path / "out"
    on_nodes(out, 2, runs=60)
    campaign, events, link = on_nodes(out, 1, runs=RUNS - 60, seed=None)
    assert min(index for _, index in link.done) == 60
    assert stored(out)["run:total"] == alone["stored"]["run:total"] == RUNS
    assert [(bucket.key, bucket.count) for bucket in campaign.buckets] == [
        (key, count) for key, count, _ in alone["buckets"]
    ]
    assert events[-1].__class__ is Ended


@pytest.mark.parametrize(
    "answer",
    [
        b"\xc1",
        wire.encode(wire.Done([], [], [], [], {})),
        wire.encode(wire.Unknown()),
    ],
    ids=["junk", "too-few-ends", "unknown"],
)
def test_a_node_that_answers_wrongly_is_not_used_any_more(
    tmp_path: Path, alone: Mapping[str, Any], answer: bytes
) -> None:
    wrong = []

    def sent(link: HereLink, node: str, request: wire.Request) -> bool:
        if isinstance(request, wire.Block) and node == "node-2" and not wrong:
            wrong.append(node)
            link.tell(Answered(link.last, answer))
            return False
        return True

    campaign, events, _ = on_nodes(tmp_path / "out", 2, sent)
    assert figures(campaign, events) == alone
    if answer != wire.encode(wire.Unknown()):  # it was started again, which is no fault
        assert any("node node-2 is not used" in text for text in notices(events))


def test_a_task_that_fails_costs_its_node(tmp_path: Path, alone: Mapping[str, Any]) -> None:
    seen = []

    def sent(link: HereLink, node: str, request: wire.Request) -> bool:
        if isinstance(request, wire.Hello) and node == "node-2":
            seen.append(node)
            link.tell(Failed(link.last, "there is no module named murxpy"))
            return False
        return True

    campaign, events, link = on_nodes(tmp_path / "out", 2, sent)
    assert figures(campaign, events) == alone
    assert {node for node, _ in link.done} == {"node-1"}
    assert any("no module named murxpy" in text for text in notices(events))


def test_a_cluster_of_ones_own_none_of_whose_nodes_can_be_used_ends_the_campaign(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody else will join it."""

    def sent(link: HereLink, node: str, request: wire.Request) -> bool:
        link.tell(Failed(link.last, "there is no module named murxpy"))
        return False

    monkeypatch.setattr(HereLink, "started", 2)
    with pytest.raises(TargetError, match="no node of the cluster can be used: there is no module"):
        on_nodes(tmp_path / "out", 2, sent)


def test_another_lag_is_refused_in_a_folder_that_has_one(tmp_path: Path) -> None:
    out = tmp_path / "out"
    run(out, FAULTS, runs=5, lag=64)
    run(out, FAULTS, runs=5)
    with pytest.raises(InputError, match="has lag 64, not 128; leave --lag out"):
        run(out, FAULTS, runs=5, lag=128)


# ----------------------------------------------------------------------
# What travels.


JOB = Job(
    2**256 - 1, 2.0, 7, "a \ud800 trace", "x.trace", (("a", "b", "c"),), "decided", {"n": 2**70}
)


def sent_result(outcome: Outcome, past: tuple[Job, ...] = ()) -> tuple[Outcome, tuple[Job, ...]]:
    """The result of a job after its way from a node to the supervisor."""

    class Seat:
        slot = 3

    damps = wire.Damps()
    end = wire.end_of(Result(Seat(), JOB, outcome, past), 0, damps)
    done = wire.decode_answer(wire.encode(wire.Done([[end]], damps.lists, [], [], {})))
    assert isinstance(done, wire.Done)
    (((travelled,),), theirs) = done.ends, wire.Damps(done.damps)
    assert travelled.slot == 3
    return wire.outcome_of(travelled), wire.past_of(travelled, theirs)


def test_a_job_travels_unchanged() -> None:
    damps = wire.Damps()
    where = wire.Where(1, (0, 2), 2, False, "runs")
    block = wire.Block("k", damps.lists, [where], [wire.Ask(0, [wire.task_of(JOB, damps)])])
    there = wire.decode_request(wire.encode(block))
    assert isinstance(there, wire.Block) and there.where == [where]
    assert wire.job_of(there.asks[0].jobs[0], wire.Damps(there.damps)) == JOB


def test_an_outcome_travels_unchanged_and_brings_its_past_if_it_is_a_finding() -> None:
    died = Outcome("died", None, "trace \udcff", "out\x00put", 139, 5, 1.5, False, 6, 0.25, 7)
    assert sent_result(died, (JOB, JOB)) == (died, (JOB, JOB))
    fine = Outcome("report", {"status": "ok", "counts": {"a": 1}, "big": 2**80}, "")
    assert sent_result(fine, (JOB,)) == (fine, ())


@given(st.binary(max_size=60))
def test_bytes_that_are_no_message_are_refused_in_one_way(data: bytes) -> None:
    for decode in (wire.decode_answer, wire.decode_request):
        try:
            decode(data)
        except InputError:
            continue


@pytest.mark.parametrize(
    "report", [b"[]", b"{", b'{"counts": {"a": -1}}', b'{"counts": {"a": true}}', b"[" * 100_000]
)
def test_a_report_that_no_session_makes_is_refused(report: bytes) -> None:
    end = wire.End(0, 0, "report", report, b"", b"", None, 0, 0.0, False, 0, 0.0, 0, [])
    with pytest.raises(InputError):
        wire.outcome_of(end)


def test_what_differs_is_named() -> None:
    own = wire.Facts("1.0", "abc", "3.12.1", "", ("4.13.0",))
    assert differences(own, own) == ""
    other = wire.Facts("1.0", "abd", "3.12.2", "", ("4.13.1",))
    assert differences(own, other) == (
        "it has murxpy's code abd instead of abc, Python 3.12.2 instead of 3.12.1, solvers 4.13.1 instead of 4.13.0"
    )


# ----------------------------------------------------------------------
# The command line.


def test_the_names_of_clusters() -> None:
    assert parse_place("local:4") == Place(local=4)
    assert parse_place("tcp://head:8786") == Place(address="tcp://head:8786")
    assert parse_place("tls://[::1]:1") == Place(address="tls://[::1]:1")


@pytest.mark.parametrize(
    "name",
    ["local", "local:0", "local:x", "local:99999999999", "head:8786", "tcp://h", "tcp://h:0", ""],
)
def test_another_name_is_refused(name: str) -> None:
    with pytest.raises(InputError, match="names no cluster: expected local:N"):
        parse_place(name)


def test_the_hosts_of_a_file(tmp_path: Path) -> None:
    file = tmp_path / "hosts.txt"
    file.write_text("# ours\nme@one\n\ntwo /opt/murxpy/bin/python  # bigger\n")
    assert parse_place(f"ssh:{file}").hosts == (
        Host("me@one", sys.executable),
        Host("two", "/opt/murxpy/bin/python"),
    )
    for text, words in (
        ("one\n-oProxyCommand=evil\n", r"hosts.txt:2: expected a host"),
        ("one two three\n", r"hosts.txt:1: expected a host"),
        ("# none\n", "there is no host in it"),
    ):
        file.write_text(text)
        with pytest.raises(InputError, match=words):
            parse_place(f"ssh:{file}")


@pytest.mark.parametrize("kind", ["slurm", "ssh", "kubernetes"])
def test_the_files_that_start_nodes(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    words = ("cluster", kind, "--nodes", "3", "--jobs", "4", "--head", "h.lan")
    code, text, _ = outcome(capsys, *words, "--print")
    assert code == 0 and "tcp://h.lan:8786" in text and "--jobs 4 --lag 12288" in text
    assert outcome(capsys, *words)[0] == 0
    (file,) = tmp_path.iterdir()
    assert file.read_text() == text and f"{file.name}" in text
    assert error(capsys, *words) == (
        2,
        f"{file.name}: it is there already: give --print, or remove it",
    )
    if kind == "kubernetes":
        assert [one["kind"] for one in yaml.safe_load_all(text)] == [
            *("Deployment", "Service", "Deployment")
        ]
    else:
        assert subprocess.run(["bash", "-n", file], check=False).returncode == 0
    assert error(capsys, "cluster", kind, "--head", "x; rm -r .")[0] == 2


def test_without_the_extra_one_line_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "murxpy.cluster.dask_link", None)
    with pytest.raises(InputError, match=r"pip install 'murxpy\[cluster\]'"):
        Place(local=1).opener()


def test_dask_does_the_same(tmp_path: Path, alone: Mapping[str, Any]) -> None:
    pytest.importorskip("distributed")
    opener: Callable[[], Any] = parse_place("local:2").opener()
    campaign, events = run(tmp_path / "out", FAULTS, runs=RUNS, cluster=opener)
    assert figures(campaign, events) == alone
