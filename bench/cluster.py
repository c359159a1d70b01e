"""Campaigns on a cluster of Dask, with a fake solver: whether they are the same as on one machine, what
survives `kill -9` and a cut network, and what a cluster costs.

`python bench/cluster.py same` compares 1, 2 and 4 nodes with one machine. `kill --victim worker`, `scheduler` or
`supervisor` kills that process at random moments, so often as `--kills` says, and `cut` has a proxy keep all bytes
of the network to itself for `--seconds`; the end must be that of the campaign on one machine. `overhead` compares two
nodes of one process with `--jobs 2`. `cost` has nodes that answer at once, and measures what a block costs the
supervisor, from which follows how many nodes it can serve. `memory` measures the supervisor in a long campaign of this kind.
Each adds a row to `bench/results/cluster.md`.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import resource
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from typing import Any

import common
from common import table, verdict

sys.path.insert(0, str(common.ROOT / "tests" / "support"))

from campaigns import config
from links import AtOnce

from murxpy import __version__
from murxpy.campaign.behind.queue import Queue
from murxpy.campaign.campaign import Campaign
from murxpy.cluster.dask_link import DaskLink
from murxpy.cluster.places import parse_place
from murxpy.cluster.service import BLOCKS, LARGEST, SECONDS
from murxpy.findings.store import Store
from murxpy.records.events import Notice

FAULTS = {"every": {"segfault": 200, "exception": 150}, "lines": 3}
PARTS = ("same", "kill", "cut", "overhead", "cost", "memory")
# Campaigns of the command with z3, by what their runs are.
KINDS = {
    "walks": ["--theories", "BV,UF"],
    "guided": ["--theories", "BV,UF", "--guide", "bandit"],
    "mix": [str(common.ROOT / "seeds"), "--mix", "api:2,storm:1,opfuzz:1,typefuzz:1"],
}
VICTIMS = ("worker", "scheduler", "supervisor")
FROZEN = (
    15.0  # seconds without a sign of life after which a node counts as lost in these measurements
)


def figures(out: Path) -> dict[str, Any]:
    """What must be the same: counters without times, and findings."""
    with closing(Store(out, read_only=True)) as store:
        counters = store.counters()
        state = next(iter(store.targets().values()))
        return {
            "counters": {
                name: n
                for name, n in counters.items()
                if "-ns:" not in name and name != "worker:lost"
            },
            "findings": sorted(row[:7] for row in store.findings()),
            "runs": (state.next, state.open),
        }


def campaign(
    out: Path,
    args: argparse.Namespace,
    watch: Callable[[Campaign], None] = lambda campaign: None,
    **options: Any,
) -> tuple[dict[str, Any], float]:
    """The figures of a campaign with the fake solver, and its seconds. `watch` is called at each event."""
    begun = time.monotonic()
    setup = {**FAULTS, "idle": args.idle}
    options = {"runs": args.runs, "jobs": 1, "seed": args.seed, **options}
    made = Campaign(config(out, setup, **options))
    for event in made:
        watch(made)
        if isinstance(event, Notice) and "set aside" in event.text:
            print(event.text)
    return figures(out), time.monotonic() - begun


class Net:
    """A scheduler at a port of its own, and Dask workers. Whatever of them ends is started again, as the
    manager of jobs of a computing centre does.
    """

    def __init__(self, count: int) -> None:
        with closing(socket.socket()) as one:
            one.bind(("127.0.0.1", 0))
            self.port = int(one.getsockname()[1])
        self.address = f"tcp://127.0.0.1:{self.port}"
        self._roles = ["scheduler", *["worker"] * count]
        self._processes = [self._start(role) for role in self._roles]
        self._wait()
        self._closed = threading.Event()
        self._keeper = threading.Thread(target=self._keep, daemon=True)
        self._keeper.start()

    def _start(self, role: str) -> subprocess.Popen[bytes]:
        words = [sys.executable, "-m", f"distributed.cli.dask_{role}", "--no-dashboard"]
        own = ["--host", "127.0.0.1", "--port", str(self.port)]
        more = [self.address, "--nthreads", "1", "--no-nanny", "--death-timeout", "20"]
        words += own if role == "scheduler" else more
        return subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def _wait(self) -> None:
        """Wait until the scheduler listens, at most a minute."""
        end = time.monotonic() + 60.0
        while time.monotonic() < end:
            with suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 1.0):
                return
            time.sleep(0.1)
        raise SystemExit("the scheduler does not listen")

    def _keep(self) -> None:
        while not self._closed.wait(0.5):
            for place, process in enumerate(self._processes):
                if process.poll() is not None:
                    self._processes[place] = self._start(self._roles[place])

    def kill(self, role: str, chance: random.Random) -> None:
        """Kill a process of this role."""
        some = [p for p, own in zip(self._processes, self._roles, strict=True) if own == role]
        chance.choice(some).kill()

    def close(self) -> None:
        self._closed.set()
        self._keeper.join()
        for process in self._processes:
            process.kill()
            process.wait()


class Proxy:
    """A network between `port` and the scheduler at `target`, which can be cut."""

    def __init__(self, target: int) -> None:
        self._target = target
        self._open = asyncio.Event()
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self.port = 0
        threading.Thread(target=self._live, daemon=True).start()
        self._ready.wait()

    def _live(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_until_complete(self._serve())

    async def _serve(self) -> None:
        self._open.set()
        server = await asyncio.start_server(self._carry, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        self._ready.set()
        await server.serve_forever()

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            theirs, ours = await asyncio.open_connection("127.0.0.1", self._target)
        except OSError:  # whoever asks must not wait for a scheduler that is not there
            writer.close()
            return
        await asyncio.gather(self._pump(reader, ours), self._pump(theirs, writer))

    async def _pump(self, source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            while data := await source.read(1 << 16):
                await self._open.wait()
                sink.write(data)
                await sink.drain()
        sink.close()

    def cut(self, seconds: float) -> None:
        """Keep all bytes back for so many seconds."""
        self._loop.call_soon_threadsafe(self._open.clear)
        time.sleep(seconds)
        self._loop.call_soon_threadsafe(self._open.set)


def commanded(
    out: Path, args: argparse.Namespace, jobs: int, place: str = ""
) -> tuple[dict[str, Any], float]:
    """The figures of a campaign of the command with z3, and its seconds. The limits of wall time, which
    depend on the clock, are far away.
    """
    begun = time.monotonic()
    words = ["fuzz", "z3", *KINDS[args.kind], "--runs", str(args.runs), "--seed", str(args.seed)]
    words += ["--wall", "60s", "--no-minimize", "--jobs", str(jobs), "--out", str(out)]
    common.murxpy(*words, *(["--cluster", place] if place else []))
    return figures(out), time.monotonic() - begun


def same(args: argparse.Namespace, folder: Path) -> dict[str, Any]:
    """The campaign on one machine, and on 1, 2 and 4 nodes."""
    if args.kind != "fake":
        return _same_of_command(args, folder)
    alone, seconds = campaign(folder / "alone", args, jobs=2)
    rows: list[tuple[object, ...]] = [("--jobs 2", seconds, len(alone["findings"]), "")]
    wrong = 0
    for nodes in args.places:
        opener = parse_place(f"local:{nodes}").opener()
        found, seconds = campaign(folder / str(nodes), args, cluster=opener)
        wrong += found != alone
        rows.append((f"local:{nodes}", seconds, len(found["findings"]), _differing(alone, found)))
    table("Campaigns", ("where", "seconds", "findings", "differs"), rows)
    print("\n" + verdict(not wrong))
    return {"runs": args.runs, "campaigns": len(args.places), "differ": wrong}


def _same_of_command(args: argparse.Namespace, folder: Path) -> dict[str, Any]:
    alone, seconds = commanded(folder / "alone", args, 2)
    print(f"--jobs 2: {seconds:.0f} s, {len(alone['findings'])} findings", flush=True)
    wrong = 0
    for nodes in args.places:
        found, seconds = commanded(folder / str(nodes), args, 1, f"local:{nodes}")
        wrong += found != alone
        print(f"local:{nodes}: {seconds:.0f} s, differs: {_differing(alone, found)}", flush=True)
    print("\n" + verdict(not wrong))
    return {
        "kind": args.kind,
        "runs": args.runs,
        "findings": len(alone["findings"]),
        "campaigns": len(args.places),
        "differ": wrong,
    }


def _differing(alone: dict[str, Any], found: dict[str, Any]) -> str:
    if found["counters"] != alone["counters"]:
        changed = {*alone["counters"].items()} ^ {*found["counters"].items()}
        print(f"counters that differ: {sorted(changed)}")
    return ", ".join(name for name, value in alone.items() if found[name] != value) or "nothing"


def kill(args: argparse.Namespace, folder: Path) -> dict[str, Any]:
    """Campaigns in which a process is killed again and again."""
    alone, _ = campaign(folder / "alone", args, jobs=2)
    chance, kills, wrong, rounds = random.Random(args.seed), 0, 0, 0
    with closing(Net(args.nodes)) as net:
        while kills < args.kills:
            out, rounds = folder / f"round{rounds}", rounds + 1
            if args.victim == "supervisor":
                kills += _killed_supervisors(net, args, out, chance, args.kills - kills)
            else:
                kills += _killed_others(net, args, out, chance, args.kills - kills)
            differs = _differing(alone, figures(out))
            wrong += differs != "nothing"
            print(f"round {rounds}: {kills} kills, differs: {differs}", flush=True)
    print("\n" + verdict(not wrong))
    return {"killed": args.victim, "kills": kills, "campaigns": rounds, "differ": wrong}


def _killed_others(
    net: Net, args: argparse.Namespace, out: Path, chance: random.Random, most: int
) -> int:
    over, kills = threading.Event(), 0

    def killing() -> None:
        nonlocal kills
        while kills < most and not over.wait(chance.uniform(0.5, args.pause)):
            net.kill(args.victim, chance)
            kills += 1

    thread = threading.Thread(target=killing)
    thread.start()
    campaign(out, args, cluster=lambda: DaskLink(net.address, frozen=FROZEN))
    over.set()
    thread.join()
    return kills


def _killed_supervisors(
    net: Net, args: argparse.Namespace, out: Path, chance: random.Random, most: int
) -> int:
    kills = 0
    own = ["--runs", str(args.runs), "--idle", str(args.idle), "--seed", str(args.seed)]
    while True:
        words = [sys.executable, __file__, "supervise", *own, "--out", str(out)]
        process = subprocess.Popen([*words, "--address", net.address])
        try:
            process.wait(chance.uniform(1.0, args.pause) if kills < most else None)
        except subprocess.TimeoutExpired:
            process.kill()
            kills += 1
        if process.wait() != -signal.SIGKILL:
            return kills


def supervise(args: argparse.Namespace) -> None:
    """A supervisor that is killed: it makes what is left of the runs."""
    out, made = Path(args.out), 0
    with suppress(Exception), closing(Store(out, read_only=True)) as store:
        made = sum(state.next - len(state.numbers()) for state in store.targets().values())
    campaign(
        out,
        argparse.Namespace(**{**vars(args), "runs": args.runs - made}),
        cluster=lambda: DaskLink(args.address, frozen=FROZEN),
    )


def cut(args: argparse.Namespace, folder: Path) -> dict[str, Any]:
    """A campaign whose network to the scheduler is cut once."""
    alone, _ = campaign(folder / "alone", args, jobs=2)
    with closing(Net(args.nodes)) as net:
        proxy = Proxy(net.port)
        thread = threading.Thread(target=proxy.cut, args=(args.seconds,), daemon=True)

        def watch(made: Campaign) -> None:
            """Cut the network when a quarter of the runs is made."""
            if thread.ident is None and made.runs > args.runs // 4:
                print("the network is cut", flush=True)
                thread.start()

        address = f"tcp://127.0.0.1:{proxy.port}"
        found, seconds = campaign(
            folder / "cut", args, watch, cluster=lambda: DaskLink(address, frozen=FROZEN)
        )
        thread.join()
    print(f"{seconds:.0f} s, differs: {_differing(alone, found)}")
    return {"cut": args.seconds, "seconds": seconds, "differ": int(found != alone)}


def overhead(args: argparse.Namespace, folder: Path) -> dict[str, Any]:
    """Two nodes of one process, and two processes of one machine, in turn."""
    shares = []
    for number in range(args.rounds):
        _, alone = campaign(folder / f"a{number}", args, jobs=2)
        opener = parse_place("local:2").opener()
        begun = time.monotonic()
        link = opener()  # the nodes are there when the campaign begins
        starting = time.monotonic() - begun
        _, nodes = campaign(folder / f"b{number}", args, cluster=lambda one=link: one)
        shares.append(alone / nodes)
        print(
            f"--jobs 2: {alone:.1f} s; local:2: {nodes:.1f} s, begun in {starting:.1f} s",
            flush=True,
        )
    share = sorted(shares)[len(shares) // 2]
    print(f"\n{100 * share:.1f} % of the runs, {verdict(share >= 0.95)}")
    return {"share": round(100 * share, 1)}


def cost(args: argparse.Namespace, folder: Path) -> dict[str, Any]:
    """What a block costs the supervisor, with nodes in this process that answer at once. A node of two
    processes of 5 ms a run makes 4,000 runs in a block, so each node gets blocks of the greatest size, and one run in
    `--unusual` is told by itself.
    """
    rows = []
    for nodes in (1, 16, 64, 256, 1000):
        links: list[AtOnce] = []
        runs = 4 * LARGEST * max(nodes, 64)

        def opener(count: int = nodes, made: list[AtOnce] = links) -> AtOnce:
            made.append(AtOnce(count, args.unusual))
            return made[0]

        before = time.process_time()
        campaign(folder / str(nodes), args, cluster=opener, lag=BLOCKS * LARGEST * nodes, runs=runs)
        (link,) = links
        spent = time.process_time() - before - link.cpu
        rows.append((nodes, link.blocks, 1000 * spent / link.blocks, 1e6 * spent / runs))
    table("The supervisor", ("nodes", "blocks", "ms a block", "us a run"), rows)
    # Least squares: the cost of a block is a constant and a part for each node.
    mean = sum(row[0] for row in rows) / len(rows)
    middle = sum(row[2] for row in rows) / len(rows)
    slope = sum((row[0] - mean) * (row[2] - middle) for row in rows) / sum(
        (row[0] - mean) ** 2 for row in rows
    )
    base = middle - slope * mean
    # n nodes send n blocks in SECONDS, so it saturates where n * (base + slope * n) ms are that long
    full = 1000 * SECONDS
    most = full / base if slope <= 0 else ((base**2 + 4 * slope * full) ** 0.5 - base) / (2 * slope)
    print(
        f"{base:.2f} ms a block and {1000 * slope:.2f} us more for each node: "
        f"it saturates at {most:.0f} nodes with blocks of {SECONDS:g} s"
    )
    return {
        "ms_a_block": round(rows[-1][2], 2),
        "us_a_run": round(rows[-1][3], 2),
        "base_ms": round(base, 2),
        "us_for_each_node": round(1000 * slope, 2),
        "saturates_at": int(most),
    }


def memory(args: argparse.Namespace, folder: Path) -> dict[str, Any]:
    """The memory of the supervisor in a long campaign, whose nodes answer at once."""
    seen: list[tuple[int, int]] = []
    over = threading.Event()

    def watch() -> None:
        pages = os.sysconf("SC_PAGE_SIZE")
        while not over.wait(5.0):
            resident = int(Path("/proc/self/statm").read_text().split()[1]) * pages >> 20
            seen.append((int(time.monotonic()), resident))

    thread = threading.Thread(target=watch)
    thread.start()
    found, seconds = campaign(folder / "out", args, cluster=lambda: AtOnce(64), lag=8192)
    over.set()
    thread.join()
    size = (folder / "out" / "campaign.sqlite").stat().st_size >> 10
    middle = seen[len(seen) // 2][1] if seen else 0
    last = seen[-1][1] if seen else 0
    print(
        f"{args.runs:,} runs in {seconds:.0f} s; {middle} MiB in the middle, {last} MiB at the end"
    )
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
    return {
        "runs": args.runs,
        "middle_mib": middle,
        "end_mib": last,
        "peak_mib": peak,
        "store_kib": size,
        "findings": len(found["findings"]),
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.ArgumentDefaultsHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=2000, help="runs of a campaign")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--no-save", action="store_true", help="write nothing under bench/results")
    parser.add_argument("part", choices=(*PARTS, "supervise"), help="what is measured")
    parser.add_argument("--idle", type=float, default=0.005, help="seconds of a run")
    parser.add_argument("--nodes", type=int, default=2)
    parser.add_argument("--kind", choices=("fake", *KINDS), default="fake", help="runs of same")
    parser.add_argument(
        "--places", type=int, nargs="+", default=[1, 2, 4], help="numbers of nodes of same"
    )
    parser.add_argument("--victim", choices=VICTIMS, default="worker")
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--pause", type=float, default=6.0, help="seconds between kills at most")
    parser.add_argument("--seconds", type=float, default=60.0, help="of a cut network")
    parser.add_argument(
        "--unusual", type=int, default=1000, help="of so many runs of cost, one is told by itself"
    )
    parser.add_argument("--rounds", type=int, default=3, help="of overhead")
    parser.add_argument("--out", help=argparse.SUPPRESS)
    parser.add_argument("--address", help=argparse.SUPPRESS)
    args = parser.parse_args()
    Queue.add = lambda self, request: None  # type: ignore[method-assign]
    if args.part == "supervise":
        supervise(args)
        return
    parts: dict[str, Callable[[argparse.Namespace, Path], dict[str, Any]]] = {
        "same": same,
        "kill": kill,
        "cut": cut,
        "overhead": overhead,
        "cost": cost,
        "memory": memory,
    }
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="bench-cluster-")))
        found = parts[args.part](args, folder)
    args.theories = "none"
    about = common.circumstances(args) | {"solver": "fake", "version": __version__}
    common.save("cluster", args, about, found, {"part": args.part, "figures": _words(found)})


def _words(found: dict[str, Any]) -> str:
    return ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in found.items())


if __name__ == "__main__":
    main()
