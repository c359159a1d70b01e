"""Campaigns on a cluster of Dask, with a fake solver: whether they are the same as on one machine, what
survives `kill -9` and a cut network, and what a cluster costs.

`python bench/cluster.py same` compares 1, 2 and 4 nodes with one machine. `kill --victim worker`, `scheduler` or
`supervisor` kills that process at random moments, so often as `--kills` says, `cut` has a proxy keep all bytes
of the network to itself for `--seconds`, and `clock` has the clocks of supervisor, scheduler and nodes jump; the end
must be that of the campaign on one machine. `overhead` compares two nodes of one process with `--jobs 2`. `cost` has
nodes that answer at once, and measures what a block costs the supervisor, from which follows how many nodes it can
serve. `memory` measures supervisor and scheduler in a long campaign, and `store` the store of campaigns with few and
with many buckets. Each adds a row to `bench/results/cluster.md`.
"""

from __future__ import annotations

import argparse
import asyncio
import multiprocessing
import os
import random
import signal
import socket
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from typing import Any

import common
from common import table, verdict

sys.path.insert(0, str(common.ROOT / "tests" / "support"))

from campaigns import config
from distributed import Scheduler, Worker
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
PARTS = ("same", "kill", "cut", "clock", "overhead", "cost", "memory", "store")
# Campaigns of the command with a real solver, by what their runs are.
KINDS = {
    "walks": ["--theories", "BV,UF"],
    "guided": ["--theories", "BV,UF", "--guide", "bandit"],
    "mix": [str(common.ROOT / "seeds"), "--mix", "api:2,storm:1,opfuzz:1,typefuzz:1"],
}
VICTIMS = ("worker", "scheduler", "supervisor")
FROZEN = (
    15.0  # seconds without a sign of life after which a node counts as lost in these measurements
)
# Scheduler, workers and supervisors are forked from a process that has loaded all modules: loading takes three seconds,
# in which killing shows little.
FORKS = multiprocessing.get_context("forkserver")
DAY = 86400.0


def figures(out: Path) -> dict[str, Any]:
    """What must be the same: counters without times, and findings."""
    with closing(Store(out, read_only=True)) as store:
        counters = store.counters()
        state = next(iter(store.targets().values()))
        return {
            "counters": {
                name: n
                for name, n in counters.items()
                if "-ns" not in name and name != "worker:lost"
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
    setup = {**({} if args.no_faults else FAULTS), "idle": args.idle}
    options = {"runs": args.runs, "jobs": 1, "seed": args.seed, **options}
    made = Campaign(config(out, setup, **options))
    for event in made:
        watch(made)
        if isinstance(event, Notice) and "set aside" in event.text:
            print(event.text)
    return figures(out), time.monotonic() - begun


class Clock:
    """A clock that can be changed, of one process or of several."""

    def __init__(self) -> None:
        self.ahead = FORKS.Value("d", 0.0)

    def wear(self) -> None:
        """Give this process the clock, in all modules that it has loaded."""
        real, ahead = time.time, self.ahead

        def told() -> float:
            return real() + float(ahead.value)

        for module in [*sys.modules.values()]:
            for name in [name for name, value in vars(module).items() if value is real]:
                setattr(module, name, told)


def _scheduler(port: int, clock: Clock | None) -> None:
    async def live() -> None:
        async with Scheduler(host="127.0.0.1", port=port, dashboard=False) as scheduler:
            await scheduler.finished()

    _be(live(), clock)


def _worker(address: str, folder: str, clock: Clock | None) -> None:
    async def live() -> None:
        own: dict[str, Any] = {"host": "127.0.0.1", "nthreads": 1, "local_directory": folder}
        async with Worker(address, death_timeout=20, dashboard=False, **own) as worker:
            await worker.finished()

    _be(live(), clock)


def _be(life: Any, clock: Clock | None) -> None:
    """Be a process of a cluster, which prints nothing."""
    for stream in (1, 2):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream)
    if clock is not None:
        clock.wear()
    asyncio.run(life)


class Net:
    """A scheduler at a port of its own, and Dask workers, which have the `clocks` if there are any. Whatever of
    them ends is started again, as the manager of jobs of a computing centre does.
    """

    def __init__(self, count: int, clocks: Sequence[Clock] = ()) -> None:
        with closing(socket.socket()) as one:
            one.bind(("127.0.0.1", 0))
            self.port = int(one.getsockname()[1])
        self.address = f"tcp://127.0.0.1:{self.port}"
        self._folder = tempfile.TemporaryDirectory(prefix="bench-cluster-net-")
        self._clocks = clocks or [None] * (1 + count)
        self._processes = [self._start(place) for place in range(1 + count)]
        self._wait()
        self._closed = threading.Event()
        self._keeper = threading.Thread(target=self._keep, daemon=True)
        self._keeper.start()

    def _start(self, place: int) -> Any:
        clock = self._clocks[place]
        process = (
            FORKS.Process(target=_worker, args=(self.address, self._folder.name, clock))
            if place
            else FORKS.Process(target=_scheduler, args=(self.port, clock))
        )
        process.start()
        return process

    def _wait(self) -> None:
        """Wait until the scheduler listens, at most a minute."""
        end = time.monotonic() + 60.0
        while time.monotonic() < end:
            with suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 1.0):
                return
            time.sleep(0.1)
        raise SystemExit("the scheduler does not listen")

    def _keep(self) -> None:
        while not self._closed.wait(0.1):
            for place, process in enumerate(self._processes):
                if not process.is_alive():
                    self._processes[place] = self._start(place)

    @property
    def scheduler(self) -> int:
        """The number of the process of the scheduler."""
        return int(self._processes[0].pid)

    def kill(self, role: str, chance: random.Random) -> None:
        """Kill a process of this role."""
        some = self._processes[:1] if role == "scheduler" else self._processes[1:]
        chance.choice(some).kill()

    def close(self) -> None:
        self._closed.set()
        self._keeper.join()
        for process in self._processes:
            process.kill()
            process.join()
        self._folder.cleanup()


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
    """The figures of a campaign of the command with a real solver, and its seconds. The limits of wall time, which
    depend on the clock, are far away.
    """
    begun = time.monotonic()
    words = [
        "fuzz",
        args.solver,
        *KINDS[args.kind],
        "--runs",
        str(args.runs),
        "--seed",
        str(args.seed),
    ]
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
        "kind": f"{args.kind} of {args.solver}",
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
    """Kill a process again and again: three times of four when the campaign has gone on since the last time,
    and else, when it may not have recovered yet.
    """
    over, kills, runs = threading.Event(), 0, 0

    def killing() -> None:
        nonlocal kills
        while kills < most and not over.wait(chance.uniform(0.2, args.pause)):
            net.kill(args.victim, chance)
            kills, before, patience = kills + 1, runs, time.monotonic() + 30.0
            if chance.random() < 0.75:
                while runs == before and time.monotonic() < patience and not over.wait(0.05):
                    pass

    def watch(made: Campaign) -> None:
        nonlocal runs
        runs = made.runs

    thread = threading.Thread(target=killing)
    thread.start()
    campaign(out, args, watch, cluster=lambda: DaskLink(net.address, frozen=FROZEN))
    over.set()
    thread.join()
    return kills


def _killed_supervisors(
    net: Net, args: argparse.Namespace, out: Path, chance: random.Random, most: int
) -> int:
    kills = 0
    while True:
        process = FORKS.Process(target=supervise, args=(args, out, net.address))
        process.start()
        process.join(chance.uniform(0.2, args.pause) if kills < most else None)
        process.kill()
        process.join()
        if process.exitcode == 0:
            return kills
        if process.exitcode != -signal.SIGKILL:
            raise SystemExit(f"a supervisor ended with {process.exitcode}")
        kills += 1


def supervise(args: argparse.Namespace, out: Path, address: str) -> None:
    """A supervisor that is killed: it makes what is left of the runs."""
    _simplify()
    made = 0
    with suppress(Exception), closing(Store(out, read_only=True)) as store:
        made = sum(state.next - len(state.numbers()) for state in store.targets().values())
    campaign(
        out,
        argparse.Namespace(**{**vars(args), "runs": args.runs - made}),
        cluster=lambda: DaskLink(address, frozen=FROZEN),
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


def clock(args: argparse.Namespace, folder: Path) -> dict[str, Any]:
    """A campaign in which the clocks of supervisor, scheduler and nodes jump, each on its own, by up to a day."""
    alone, _ = campaign(folder / "alone", args, jobs=2)
    chance, over, jumps = random.Random(args.seed), threading.Event(), 0
    clocks = [Clock() for _ in range(2 + args.nodes)]

    def jumping() -> None:
        nonlocal jumps
        while not over.wait(chance.uniform(0.2, args.pause)):
            chance.choice(clocks).ahead.value += chance.uniform(-DAY, DAY)
            jumps += 1

    with closing(Net(args.nodes, clocks[1:])) as net:
        clocks[0].wear()
        thread = threading.Thread(target=jumping)
        thread.start()
        opener = lambda: DaskLink(net.address, frozen=FROZEN)  # noqa: E731
        found, seconds = campaign(folder / "jumps", args, cluster=opener)
        over.set()
        thread.join()
    differs = _differing(alone, found)
    print(f"{seconds:.0f} s, {jumps} jumps, differs: {differs}\n{verdict(found == alone)}")
    return {"jumps": jumps, "seconds": seconds, "differ": int(found != alone)}


def overhead(args: argparse.Namespace, folder: Path) -> dict[str, Any]:
    """Two nodes of one process, and two processes of one machine, in turns. What counts are the seconds from the
    first run that ended: a start takes the same, however long a campaign is.
    """
    rows = []
    for number in range(args.rounds):
        row = {}
        for where in ("jobs", "nodes")[:: 1 if number % 2 else -1]:  # who begins changes
            began: list[float] = []

            def watch(made: Campaign, began: list[float] = began) -> None:
                if made.runs and not began:
                    began.append(time.monotonic())

            options = (
                {"jobs": 2} if where == "jobs" else {"cluster": parse_place("local:2").opener()}
            )
            begun = time.monotonic()
            _, seconds = campaign(folder / f"{where}{number}", args, watch, **options)
            row[where] = seconds - (began[0] - begun), began[0] - begun
        rows.append((number, *row["jobs"], *row["nodes"], 100 * row["jobs"][0] / row["nodes"][0]))
        print(f"{rows[-1][-1]:.1f} %", flush=True)
    header = ("round", "--jobs 2", "first run at", "local:2", "first run at", "%")
    table("Seconds", header, rows)
    shares = [row[-1] for row in rows]
    middle, first = statistics.median(shares), statistics.median(row[4] for row in rows)
    print(f"\n{middle:.1f} % of the runs, {verdict(middle >= 95.0)}")
    return {
        "share": round(middle, 1),
        "least": round(min(shares), 1),
        "most": round(max(shares), 1),
        "first_run_at": round(first, 1),
    }


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
    """The memory of supervisor and scheduler and the size of the store in a long campaign, at each twentieth of
    the runs. With `--nodes 0`, 64 nodes in this process answer at once, and there is no scheduler.
    """
    out, seen = folder / "out", list[tuple[int, int, int, int]]()
    with ExitStack() as stack:
        net = stack.enter_context(closing(Net(args.nodes))) if args.nodes else None

        def watch(made: Campaign) -> None:
            if made.runs * 20 >= args.runs * (1 + len(seen)):
                size = sum(file.stat().st_size for file in out.glob("campaign.sqlite*"))
                pids = os.getpid(), net.scheduler if net else os.getpid()
                seen.append((made.runs, *map(_resident, pids), size >> 10))
                print(*seen[-1], flush=True)

        opener = lambda: DaskLink(net.address, frozen=FROZEN) if net else AtOnce(64)  # noqa: E731
        found, seconds = campaign(out, args, watch, cluster=opener, lag=args.lag)
    table("Memory", ("runs", "supervisor MiB", "scheduler MiB", "store KiB"), seen)
    print(f"{args.runs:,} runs in {seconds:.0f} s")
    early, middle, last = seen[1], seen[len(seen) // 2], seen[-1]
    rows: dict[str, Any] = {"runs": args.runs, "seconds": round(seconds)}
    for place, what in enumerate(("supervisor_mib", "scheduler_mib", "store_kib"), 1):
        if what == "scheduler_mib" and not args.nodes:
            continue
        rows[what] = f"{early[place]} at a tenth {middle[place]} at a half {last[place]} at the end"
    return rows | {"findings": len(found["findings"])}


def _resident(pid: int) -> int:
    """The MiB of memory that a process has."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") >> 20


def store(args: argparse.Namespace, folder: Path) -> dict[str, Any]:
    """The size of the store of campaigns with the same number of runs and of findings, in more and more buckets."""
    rows = []
    for planted in (1, 10, 20, 40, 80):
        out, every = folder / str(planted), 100 * planted
        setup = {"every": {f"segfault+{n}": every for n in range(planted)}, "lines": 3}
        opener = parse_place(f"local:{args.nodes}").opener()
        options: dict[str, Any] = {"runs": args.runs, "jobs": 1, "seed": args.seed}
        for _ in Campaign(config(out, setup, cluster=opener, **options)):
            pass
        with closing(Store(out, read_only=True)) as stored:
            buckets = len(stored.buckets())
            found = len(list(stored.findings()))
        rows.append((buckets, found, (out / "campaign.sqlite").stat().st_size / 1024))
        print(rows[-1], flush=True)
    table("The store", ("buckets", "findings", "KiB"), rows)
    slope, base = statistics.linear_regression([r[0] for r in rows], [r[2] for r in rows])
    most = max(abs(base + slope * row[0] - row[2]) for row in rows)
    print(f"{base:.0f} KiB and {slope:.2f} KiB a bucket, {most:.0f} KiB beside that at most")
    return {
        "runs": args.runs,
        "buckets": rows[-1][0],
        "base_kib": round(base),
        "kib_a_bucket": round(slope, 2),
        "most_beside_kib": round(most, 1),
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.ArgumentDefaultsHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=2000, help="runs of a campaign")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--no-save", action="store_true", help="write nothing under bench/results")
    parser.add_argument("part", choices=PARTS, help="what is measured")
    parser.add_argument("--idle", type=float, default=0.005, help="seconds of a run")
    parser.add_argument("--nodes", type=int, default=2)
    parser.add_argument("--kind", choices=("fake", *KINDS), default="fake", help="runs of same")
    parser.add_argument("--solver", default="z3", help="of the other kinds")
    parser.add_argument(
        "--places", type=int, nargs="+", default=[1, 2, 4], help="numbers of nodes of same"
    )
    parser.add_argument("--victim", choices=VICTIMS, default="worker")
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument(
        "--pause", type=float, default=4.0, help="seconds between kills or jumps at most"
    )
    parser.add_argument("--seconds", type=float, default=60.0, help="of a cut network")
    parser.add_argument(
        "--unusual", type=int, default=1000, help="of so many runs of cost, one is told by itself"
    )
    parser.add_argument("--rounds", type=int, default=3, help="of overhead")
    parser.add_argument(
        "--no-faults", action="store_true", help="have the fake solver do all right"
    )
    parser.add_argument("--lag", type=int, default=8192, help="of memory")
    args = parser.parse_args()
    # What other processes load is this checkout, too.
    os.environ["PYTHONPATH"] = os.pathsep.join(map(str, (common.ROOT, common.ROOT / "bench")))
    _simplify()
    parts: dict[str, Callable[[argparse.Namespace, Path], dict[str, Any]]] = {
        "same": same,
        "kill": kill,
        "cut": cut,
        "clock": clock,
        "overhead": overhead,
        "cost": cost,
        "memory": memory,
        "store": store,
    }
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="bench-cluster-")))
        found = parts[args.part](args, folder)
    args.theories = "none"
    about = common.circumstances(args) | {"solver": "fake", "version": __version__}
    common.save("cluster", args, about, found, {"part": args.part, "figures": _words(found)})


def _simplify() -> None:
    """Have nothing made smaller in this process, which is not what is measured."""
    Queue.add = lambda self, request: None  # type: ignore[method-assign]


def _words(found: dict[str, Any]) -> str:
    return ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in found.items())


if __name__ == "__main__":
    main()
