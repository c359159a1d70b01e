"""A campaign that is killed at random moments, in all its processes, and gone on with, is in the
end the same as one left in peace.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path

import pytest
from campaigns import run, started_by
from supervised import PATIENCE, ROOT, Command

from murxpy.findings.store import FILE, Store

SETUP = {
    "every": {"segfault": 7, "abort": 11, "exception": 9, "spawn": 13},
    "idle": 0.004,
    "lines": 30,
}
SCRIPT = """
import sys
from pathlib import Path
sys.path[:0] = [{tests!r}, {root!r}]
from campaigns import run
from murxpy.records.events import Found

def announce(campaign, event):
    if isinstance(event, Found):
        with open(sys.argv[2], "a") as file:
            file.write(f"{{event.bucket}} {{event.finding.seed}}\\n")

run(Path(sys.argv[1]), {setup!r}, announce, time=float(sys.argv[3]), jobs=2)
"""


@dataclass
class Chaos:
    """A campaign in `out`, in processes of its own, to which things happen that `rng` draws.
    `announced` is what it told of.
    """

    out: Path
    temporary: Path
    announced: Path
    rng: random.Random
    disk: Path | None = None

    def begin(self, seconds: float) -> Command:
        script = SCRIPT.format(tests=str(ROOT / "tests" / "support"), root=str(ROOT), setup=SETUP)
        mark = str(uuid.uuid4())
        env = {**os.environ, "MURXPY_TEST": mark, "TMPDIR": str(self.temporary)}
        process = subprocess.Popen(
            [sys.executable, "-c", script, str(self.out), str(self.announced), str(seconds)],
            env=env,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        return Command(process, f"MURXPY_TEST={mark}", self.temporary, self.out)

    def round(self) -> None:
        """Something happens to a session, up to three times, and then it ends."""
        command = self.begin(60.0)
        for _ in range(self.rng.randrange(3)):
            time.sleep(self.rng.uniform(0.1, 0.8))
            self.disturb(command)
        time.sleep(self.rng.uniform(0.05, 1.2))
        command.process.send_signal(
            self.rng.choice([signal.SIGKILL, signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
        )
        command.process.communicate(timeout=PATIENCE)
        command.wait_for(lambda: not command.alive())

    def disturb(self, command: Command) -> None:
        what = self.rng.choice(
            ["worker", "parent", "disk"] if self.disk is not None else ["worker", "parent"]
        )
        if what == "disk":
            self.fill()
            return
        parents = started_by(command.process.pid)
        victims = (
            parents
            if what == "parent"
            else [pid for parent in parents for pid in started_by(parent)]
        )
        if victims:
            with suppress(ProcessLookupError):
                os.kill(self.rng.choice(victims), signal.SIGKILL)

    def fill(self) -> None:
        """Nothing can be written for a while; then there is room again, and time to use it."""
        assert self.disk is not None
        ballast = self.disk / "ballast"
        with ballast.open("wb", buffering=0) as file, suppress(OSError):
            while True:
                file.write(b"x" * 4096)
        time.sleep(self.rng.uniform(0.1, 0.8))
        ballast.unlink()
        time.sleep(2.5)


def survive(chaos: Chaos, rounds: int, peace: Path) -> None:
    """Rounds of disasters, a session in peace, and the comparison with a campaign that had nothing
    but peace.
    """
    for _ in range(rounds):
        chaos.round()
    last = chaos.begin(1.0)
    _, said = last.process.communicate(timeout=PATIENCE)
    assert last.process.returncode == 0, said.decode()
    assert not last.alive() and not list(chaos.temporary.iterdir())
    with closing(Store(chaos.out, read_only=True)) as store:
        (state,) = store.targets().values()
        done = set(range(state.next)) - set(state.numbers())
        buckets, counters = store.buckets(), store.counters()
        rows = {
            (bucket.key, index, seed)
            for bucket in buckets
            for _, index, seed in store.rows(bucket.key)
        }
    run(peace, {**SETUP, "idle": 0}, runs=state.next, jobs=2)
    with closing(Store(peace, read_only=True)) as store:
        expected = {
            (bucket.key, index, seed)
            for bucket in store.buckets()
            for _, index, seed in store.rows(bucket.key)
        }
    assert rows == {row for row in expected if row[1] in done}
    assert sum(bucket.count for bucket in buckets) == len(rows)
    assert counters["run:total"] == len(done)
    announced = {tuple(line.split()) for line in chaos.announced.read_text().splitlines()}
    assert announced <= {(key, str(seed)) for key, _, seed in rows}
    assert {kept.file for bucket in buckets for kept in bucket.traces} == {
        str(path.relative_to(chaos.out)) for path in chaos.out.glob("findings/*/*.trace")
    }
    assert not list(chaos.out.rglob("*.part")) and (chaos.out / FILE).is_file()


def chaos_in(tmp_path: Path, seed: int, disk: Path | None = None) -> Chaos:
    (tmp_path / "tmp").mkdir()
    (tmp_path / "announced").touch()
    return Chaos(
        (disk or tmp_path) / "out",
        tmp_path / "tmp",
        tmp_path / "announced",
        random.Random(seed),
        disk,
    )


@pytest.mark.slow
def test_few_disasters(tmp_path: Path) -> None:
    survive(chaos_in(tmp_path, 1), 3, tmp_path / "peace")


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path | None]:
    """A small file system where one can be mounted."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = not subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=2m", "none", str(folder)], capture_output=True
    ).returncode
    yield folder if mounted else None
    if mounted:
        subprocess.run(["umount", str(folder)], check=True)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2, 14))
def test_many_disasters(seed: int, tmp_path: Path, disk: Path | None) -> None:
    survive(chaos_in(tmp_path, seed, disk), 12, tmp_path / "peace")
