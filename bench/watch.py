"""What `murxpy watch` costs with many viewers: its share of a processor while nothing changes, while a
store is written once a second as a campaign does, and while a campaign of z3 runs.

    python bench/watch.py --viewers 20 --seconds 40

adds a row for each to `bench/results/watch.md`. The aim is 2 % of a core.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit

import common
from common import add_row, circumstances, table, verdict
from report import make_up

from murxpy.findings.store import Changes, Store

AIM = 0.02
_SETTLING = 12.0  # seconds until the first readings, which are of all the page, are done


@contextmanager
def watched(out: Path) -> Iterator[tuple[int, str]]:
    """The process that serves the page of a campaign, and the link to the page."""
    command = [sys.executable, "-m", "murxpy", "watch", str(out), "--port", "0"]
    with subprocess.Popen(
        command, cwd=common.ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        assert process.stdout is not None
        try:
            yield process.pid, process.stdout.readline().strip()
        finally:
            process.send_signal(signal.SIGINT)


class Viewer(threading.Thread):
    """Looks at a page, and counts the parts that it gets."""

    def __init__(self, link: str) -> None:
        super().__init__(daemon=True)
        self._link = urlsplit(link)
        self.parts = 0

    def run(self) -> None:
        """Read the page and then the events, until the server is gone."""
        server = HTTPConnection(self._link.hostname or "", self._link.port)
        server.request("GET", f"/?{self._link.query}")
        server.getresponse().read()
        server.request("GET", f"/events?{self._link.query}")
        events = server.getresponse()
        while line := events.readline():
            self.parts += line.startswith(b"event:")


def spent(pid: int) -> float:
    """The seconds of the processor that a process has taken."""
    stat = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(stat[11]) + int(stat[12])) / os.sysconf("SC_CLK_TCK")


def share(
    out: Path, viewers: int, seconds: float, each: Callable[[], object]
) -> tuple[float, float]:
    """The share of a processor that the server takes, and the parts that a viewer gets in a minute;
    `each` is called once a second.
    """
    with watched(out) as (pid, link):
        looking = [Viewer(link) for _ in range(viewers)]
        for viewer in looking:
            viewer.start()
        for _ in range(int(_SETTLING)):
            each()
            time.sleep(1)
        began, before = time.monotonic(), spent(pid)
        parts = sum(viewer.parts for viewer in looking)
        while time.monotonic() < began + seconds:
            each()
            time.sleep(1)
        took = time.monotonic() - began
        told = sum(viewer.parts for viewer in looking) - parts
        return (spent(pid) - before) / took, 60 * told / took / viewers


def written(out: Path) -> Callable[[], None]:
    """A function that writes to a store what a campaign writes in a second: counters, a bucket, and the
    figures of the moment.
    """
    with closing(Store(out)) as store:
        bucket, last = store.buckets()[0], store.timeline()[-1]
    now = last.elapsed

    def write() -> None:
        nonlocal bucket, now
        now += 1.0
        bucket = replace(bucket, count=bucket.count + 1)
        counters = Counter({"run:total": 40, "check:total": 120, "check:decided": 90})
        counters.update({f"op:OP_{n}": 3 for n in range(200)})
        with closing(Store(out)) as store:
            point = replace(last, elapsed=now, runs=int(40 * now))
            store.save(Changes(buckets=[bucket], counters=counters, points=[point]))

    return write


def main() -> None:
    """Run it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--viewers", type=int, default=20, help="browsers that look at the page")
    parser.add_argument("--seconds", type=float, default=40, help="seconds of each measurement")
    parser.add_argument("--no-save", action="store_true", help="write nothing under bench/results")
    args = parser.parse_args()
    args.theories = "-"
    rows: list[tuple[str, float, float]] = []
    for buckets in (30, 5000):
        with tempfile.TemporaryDirectory() as scratch:
            out = Path(scratch)
            make_up(out, buckets)
            rows.append(
                (f"{buckets:,} buckets, still", *share(out, args.viewers, args.seconds, str))
            )
            rows.append(
                (
                    f"{buckets:,} buckets, written",
                    *share(out, args.viewers, args.seconds, written(out)),
                )
            )
    with tempfile.TemporaryDirectory() as scratch:
        out = Path(scratch) / "out"
        limit = f"{int(args.seconds + _SETTLING + 5)}s"
        command = [sys.executable, "-m", "murxpy", "fuzz", "z3", "--time", limit, "--out", str(out)]
        with subprocess.Popen(
            command, cwd=common.ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        ) as process:
            rows.append(("a campaign of z3", *share(out, args.viewers, args.seconds, str)))
            process.wait()
    shown = [
        (name, args.viewers, round(100 * part, 2), round(parts, 1), verdict(part <= AIM))
        for name, part, parts in rows
    ]
    header = ("campaign", "viewers", "% of a core", "parts a minute and viewer", "2 %")
    table("What the live page costs", header, shown)
    if not args.no_save:
        about = circumstances(args)
        for row in shown:
            add_row("watch", dict(zip(header, row, strict=True)), about)


if __name__ == "__main__":
    main()
