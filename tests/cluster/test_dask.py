"""A real cluster of Dask: what only it can show. Tests with more than two nodes are slow."""

from __future__ import annotations

import os
import pickle
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from campaigns import run

pytest.importorskip("distributed")
from distributed.security import Security

from murxpy.cluster import dask_link, local, wire
from murxpy.cluster.dask_link import DaskLink, _Client, started_link
from murxpy.cluster.local import StartedCluster
from murxpy.cluster.places import Place, read_hosts
from murxpy.cluster.service import Answered, Cut, Event, Failed, Host, Joined, Left
from murxpy.errors import TargetError

FAULTS = {"every": {"segfault": 25, "exception": 20}, "lines": 3}
pytestmark = pytest.mark.slow


def until(link: DaskLink, kind: type[Event], seconds: float = 60.0) -> Any:
    """The first event of a kind."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        for event in link.receive(0.5):
            if isinstance(event, kind):
                return event
    raise AssertionError(f"no {kind} within {seconds} s")


def no_ssh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, does: str) -> None:
    """Put a program in the place of SSH."""
    program = tmp_path / "bin" / "ssh"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\n{does}\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")


@pytest.fixture
def cluster() -> Iterator[StartedCluster]:
    with closing(StartedCluster(1)) as started:
        yield started


def test_a_message_reaches_the_node_and_its_answer_comes_back(cluster: StartedCluster) -> None:
    with closing(DaskLink(cluster.address)) as link:
        node = until(link, Joined).node
        link.send(7, node, wire.encode(wire.Block("nobody's", [], [], [])))
        answered = until(link, Answered)
        assert answered.ticket == 7
        assert wire.decode_answer(answered.data) == wire.Unknown()


def test_a_message_that_cannot_be_sent_is_told(
    cluster: StartedCluster, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """The scheduler can be lost between the choice of a node and the message to it."""

    def submit(*_: Any, **__: Any) -> Any:
        raise OSError("the client is closed")

    monkeypatch.setattr(_Client, "submit", submit)
    with closing(DaskLink(cluster.address)) as link:
        link.send(3, until(link, Joined).node, b"")
        assert until(link, Failed) == Failed(3, "the client is closed")
    assert "Traceback" not in capfd.readouterr().err


def test_a_killed_node_is_told(cluster: StartedCluster) -> None:
    with closing(DaskLink(cluster.address)) as link:
        node = until(link, Joined).node
        os.kill(cluster.pids[1], signal.SIGKILL)
        assert until(link, Left).node == node


def test_what_ends_of_a_cluster_of_ones_own_is_started_again() -> None:
    with closing(started_link(1)) as link:
        until(link, Joined)
        os.kill(link._cluster.pids[1], signal.SIGKILL)
        until(link, Left)
        until(link, Joined)
        os.kill(link._cluster.pids[0], signal.SIGKILL)
        until(link, Cut)
        until(link, Joined)


def test_a_cluster_of_ones_own_whose_nodes_end_at_each_start_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    no_ssh(tmp_path, monkeypatch, "exit 255")
    monkeypatch.setattr(local, "_LONGEST", 0.0)
    with (
        closing(started_link(0, [Host("one", "python3")])) as link,
        pytest.raises(TargetError, match="each node of the cluster ended whenever it was started"),
    ):
        until(link, Joined)


def test_a_frozen_node_is_told_and_comes_back(cluster: StartedCluster) -> None:
    with closing(DaskLink(cluster.address, frozen=3.0)) as link:
        node = until(link, Joined).node
        os.kill(cluster.pids[1], signal.SIGSTOP)
        left = until(link, Left)
        assert left == Left(node, "no sign of life for 3 s")
        os.kill(cluster.pids[1], signal.SIGCONT)
        assert until(link, Joined) == Joined(node)


def explode(file: str, pid: int) -> None:
    """Make a file, in the process of this number."""
    if os.getpid() == pid:
        Path(file).touch()


class Bomb:
    """Unpickling it in the process of the test makes a file."""

    def __init__(self, file: str, pid: int) -> None:
        self.where = file, pid

    def __reduce__(self) -> Any:
        return explode, self.where


def bomb(file: str, pid: int) -> Any:
    return Bomb(file, pid)


def bomb_thrown(file: str, pid: int) -> Any:
    raise RuntimeError(Bomb(file, pid))


@pytest.mark.parametrize("function", [bomb, bomb_thrown], ids=["value", "error"])
def test_nothing_of_a_node_is_unpickled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, function: Any
) -> None:
    """A node that lies returns a pickle, as the value of a task or as its error."""
    path = os.pathsep.join([str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")])
    monkeypatch.setenv("PYTHONPATH", path)
    file = tmp_path / "made"
    with closing(StartedCluster(1)) as theirs, closing(DaskLink(theirs.address)) as link:
        node = until(link, Joined).node
        monkeypatch.setattr(_Client, "submit", submits(_Client.submit, function, str(file)))
        link.send(1, node, b"")
        assert until(link, Failed).ticket == 1
    assert not file.exists()
    pickle.loads(pickle.dumps(Bomb(str(file), os.getpid())))
    assert file.exists(), "otherwise the bomb is none"


def submits(submit: Any, function: Any, file: str) -> Any:
    """A way to submit another task than was asked for."""

    def submitted(self: Any, _: Any, data: bytes, **more: Any) -> Any:
        return submit(self, function, file, os.getpid(), **more)

    return submitted


def test_nobody_at_the_address() -> None:
    with closing(socket.socket()) as one:
        one.bind(("127.0.0.1", 0))
        port = one.getsockname()[1]
    dask_link._REACHED, before = 2.0, dask_link._REACHED
    try:
        with pytest.raises(TargetError, match=f"the cluster at tcp://127.0.0.1:{port} cannot be"):
            DaskLink(f"tcp://127.0.0.1:{port}")
    finally:
        dask_link._REACHED = before


@pytest.mark.usefixtures("bare_findings")
def test_nodes_that_ssh_starts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program in the place of SSH starts the command on this machine."""
    no_ssh(tmp_path, monkeypatch, 'while [ "$1" != -- ]; do shift; done\nshift 2\nexec sh -c "$1"')
    hosts = tmp_path / "hosts.txt"
    hosts.write_text("one\nme@two\nthree\n")
    opener = Place(hosts=read_hosts(hosts)).opener()
    campaign, events = run(tmp_path / "out", FAULTS, runs=200, cluster=opener)
    assert events[-1].snapshot.counts["run:total"] == 200  # type: ignore[union-attr]
    assert campaign.buckets


@pytest.mark.usefixtures("bare_findings")
def test_tls(tmp_path: Path) -> None:
    """Scheduler, nodes and supervisor show a certificate of their own authority to each other."""
    key, certificate = tmp_path / "key.pem", tmp_path / "cert.pem"
    words = [
        "openssl",
        "req",
        "-x509",
        "-newkey",
        "rsa:2048",
        "-nodes",
        "-days",
        "2",
        "-subj",
        "/CN=x",
    ]
    try:
        done = subprocess.run(
            [*words, "-keyout", str(key), "-out", str(certificate)], capture_output=True
        )
    except FileNotFoundError:
        pytest.skip("openssl makes the certificates, and is not here")
    assert done.returncode == 0
    options = ["--tls-ca-file", str(certificate), "--tls-cert", str(certificate)]
    options += ["--tls-key", str(key), "--no-dashboard"]
    with closing(socket.socket()) as one:
        one.bind(("127.0.0.1", 0))
        address = f"tls://127.0.0.1:{one.getsockname()[1]}"
    roles = {
        "scheduler": ["--host", "tls://127.0.0.1", "--port", address.rpartition(":")[2]],
        "worker": [address, "--nthreads", "1", "--no-nanny"],
    }
    processes = [
        subprocess.Popen(
            [sys.executable, "-m", f"distributed.cli.dask_{role}", *own, *options],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for role, own in roles.items()
    ]
    own = Security(
        tls_ca_file=str(certificate),
        tls_client_cert=str(certificate),
        tls_client_key=str(key),
        require_encryption=True,
    )
    try:
        _, events = run(
            tmp_path / "out", FAULTS, runs=40, cluster=lambda: DaskLink(address, security=own)
        )
        assert events[-1].snapshot.counts["run:total"] == 40  # type: ignore[union-attr]
    finally:
        for process in processes:
            process.kill()
            process.wait()


def test_a_scheduler_that_never_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dask_link, "_REACHED", 2.0)
    with closing(socket.socket()) as deaf:
        deaf.bind(("127.0.0.1", 0))
        deaf.listen()
        with pytest.raises(TargetError, match="cannot be used"):
            DaskLink(f"tcp://127.0.0.1:{deaf.getsockname()[1]}")
