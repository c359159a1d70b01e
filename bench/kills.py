"""`kill -9` at random moments: of the supervisor, of a warm parent, of a worker, and of the process that
reduces findings, while each kind of campaign and study runs on fake solvers.

`python bench/kills.py --rounds 400` adds a row to `bench/results/kills.md`.

In each round one process of a command is killed. Where that ends the command, it is started again in the
same folder. What was told before must be in the folder, no bucket may be told as new twice, the end must be
that of a command that was left in peace, and no process and no temporary folder may stay behind.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
import uuid
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import common
import pytest
from common import table, verdict

sys.path.insert(0, str(common.ROOT / "tests" / "judging"))
sys.path.insert(0, str(common.ROOT / "tests" / "studies"))
sys.path.insert(0, str(common.ROOT / "tests" / "support"))

import test_bisect
import test_matrix
import test_perf
import test_stability
from campaigns import FAKES
from commands import WRAPPER
from wheels import offer

from murxpy import __version__
from murxpy.findings.store import FILE

PATIENCE = 300.0  # seconds; a guard against a command that hangs
BRIEF = 30.0  # seconds in which all that a killed command started must end
BOOT, BEHIND = "worker/boot.py", "murxpy.campaign.behind"
VICTIMS = ("supervisor", "warm parent", "worker", "process behind the runs")
PROBLEMS = ("lost", "told twice", "another end", "left behind")
SEED = "(set-info :status sat)(declare-const a Bool)(declare-const b Bool){}(check-sat)"
SEEDS = ("(assert (and a b))", "(assert (or a b))(assert (or a (not b)))", "(assert (= a b))")
RUNS = 12  # of the campaigns that take long
RIGHT = """

def run_script(text: str) -> str:
    return "sat\\n" * text.count("(check-sat)")
"""
NEWER = """
_PLANTED["and"] = "segfault"
"""
# Times and places, which differ between two commands that come to the same end.
_VARIABLE = re.compile(r"\d+(?:\.\d+)? ?(?:ms|s|min)\b|/\S+")


@dataclass(frozen=True)
class Scenario:
    """A command, with `OUT` in the place of its folder. `same` gives what of its folder and of its
    output must be as it was in peace. In a `campaign` the events on standard output tell what was found.
    """

    name: str
    words: tuple[str, ...]
    same: Callable[[Path, str], object]
    campaign: bool = False
    victims: tuple[str, ...] = VICTIMS[:3]
    env: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class End:
    """How a command ended: its exit code, what it printed, and how many seconds it took."""

    code: int
    out: str
    seconds: float


class Command:
    """A command in processes of its own, which all have a mark in their environment."""

    def __init__(self, scenario: Scenario, out: Path, temporary: Path) -> None:
        self._mark = f"MURXPY_BENCH={uuid.uuid4()}"
        name, _, value = self._mark.partition("=")
        env = {**os.environ, **scenario.env, name: value, "TMPDIR": str(temporary)}
        words = [str(out) if word == "OUT" else word for word in scenario.words]
        self._out = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the command
        self._began = time.monotonic()
        self.process = subprocess.Popen(
            [sys.executable, "-m", "murxpy", *words],
            cwd=common.ROOT,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=self._out,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )

    def processes(self) -> dict[int, str]:
        """The processes that live of it, with their names."""
        found: dict[int, tuple[int, str]] = {}
        for path in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):
                if self._mark.encode() in (path / "environ").read_bytes():
                    words = (path / "stat").read_text().rpartition(")")[2].split()
                    if words[0] not in "ZX":
                        line = (path / "cmdline").read_bytes().decode(errors="replace")
                        found[int(path.name)] = (int(words[1]), line)
        forked = {
            pid
            for pid, (parent, line) in found.items()
            if _boots(found.get(parent)) and BOOT in line
        }
        return {pid: _name(pid, line, self.process.pid, forked) for pid, (_, line) in found.items()}

    def kill(self, victim: str, rng: random.Random) -> bool:
        """Kill a process of this name as soon as there is one. Returns False where the command ended
        before.
        """
        while self.process.poll() is None:
            found = [pid for pid, name in sorted(self.processes().items()) if name == victim]
            if found:
                with suppress(ProcessLookupError):
                    os.kill(rng.choice(found), signal.SIGKILL)
                    return True
            time.sleep(0.01)
        return False

    def end(self) -> End:
        """Wait for its end."""
        code = self.process.wait(PATIENCE)
        self._out.seek(0)
        out = self._out.read().decode(errors="replace")
        return End(code, out, time.monotonic() - self._began)

    def left(self) -> list[str]:
        """The names of its processes that are still there after a while."""
        deadline = time.monotonic() + BRIEF
        while (found := self.processes()) and time.monotonic() < deadline:
            time.sleep(0.05)
        for pid in found:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        return sorted(found.values())


def _boots(process: tuple[int, str] | None) -> bool:
    return process is not None and BOOT in process[1]


def _name(pid: int, line: str, supervisor: int, forked: set[int]) -> str:
    if pid == supervisor:
        return "supervisor"
    if BOOT in line:
        return "worker" if pid in forked else "warm parent"
    return "process behind the runs" if BEHIND in line else line.replace("\0", " ").strip()


# What must be the same.


def printed(out: Path, text: str) -> object:
    """What was printed, without times and places."""
    return _VARIABLE.sub("", text)


def journal(out: Path, text: str) -> object:
    """The scripts of a search for slow ones."""
    return (out / "perf.jsonl").read_text()


def tested(out: Path, text: str) -> object:
    """The buckets of an enumeration. Where a judge disagrees, the rest of the block is a run of its own, and
    how many of these there are depends on how fast the judge is.
    """
    with common.stored(out) as store:
        return sorted(store.execute("SELECT DISTINCT bucket FROM findings"))


def compared(out: Path, text: str) -> object:
    """The findings of the runs that also a campaign in peace makes."""
    with common.stored(out) as store:
        found = store.execute("SELECT bucket, run, seed FROM findings WHERE run < ?", (RUNS,))
        return sorted(found)


def over(out: Path, text: str) -> object:
    """Whether the runs are all over. Which calls a walk draws less often depends on when a bucket was
    found, so that two campaigns find the same only by chance.
    """
    return "all runs done" in text


# What was found.


def told(text: str) -> Iterator[dict[str, Any]]:
    """The findings in the events on standard output. The last line may be torn."""
    for line in text.splitlines():
        with suppress(ValueError):
            event = json.loads(line)
            if event.get("event") == "found":
                yield event


def lost(out: Path, texts: list[str]) -> list[str]:
    """What was told and is not in the folder, and what is in its database and not in its files."""
    found = []
    if not (out / FILE).is_file():  # it was killed before it had a database
        events = [event for text in texts for event in told(text)]
        return [f"{event['bucket']} of run {event['seed']} is nowhere" for event in events]
    with common.stored(out) as store:
        rows = {
            (key, int(seed, 16)) for key, seed in store.execute("SELECT bucket, seed FROM findings")
        }
        buckets = store.execute("SELECT key, count, data FROM buckets").fetchall()
        counts = Counter(key for (key,) in store.execute("SELECT bucket FROM findings"))
    for text in texts:
        for event in told(text):
            if (event["bucket"], int(event["seed"], 16)) not in rows:
                found.append(f"{event['bucket']} of run {event['seed']} is not in the database")
    for key, count, data in buckets:
        if count != counts[key]:
            found.append(f"{key} has {counts[key]} findings and counts {count}")
        for file in [kept[0] for kept in json.loads(data)["traces"]]:
            if not (out / file).is_file():
                found.append(f"{file} is not there")
    return found


def twice(texts: list[str]) -> list[str]:
    """The buckets that were told as new more than once."""
    new = Counter(event["bucket"] for text in texts for event in told(text) if event["new"])
    return [f"{key} was told as new {count} times" for key, count in new.items() if count > 1]


def round_of(
    scenario: Scenario, victim: str, rng: random.Random, folder: Path, peace: tuple[End, object]
) -> tuple[bool, dict[str, list[str]]]:
    """Kill a process of a command, and let the command come to its end. Returns whether there was such a
    process, and what was wrong.
    """
    out, temporary = folder / "out", folder / "tmp"
    temporary.mkdir(parents=True)
    wrong: dict[str, list[str]] = {name: [] for name in PROBLEMS}
    command = Command(scenario, out, temporary)
    try:
        time.sleep(rng.uniform(0.1, 0.95) * peace[0].seconds)
        killed = command.kill(victim, rng)
        ends = [command.end()]
        wrong["left behind"] += command.left()
        if killed and victim == "supervisor":
            if scenario.campaign and (out / "campaign.sqlite").is_file():
                wrong["lost"] += lost(out, [ends[0].out])
            command = Command(scenario, out, temporary)
            ends.append(command.end())
            wrong["left behind"] += command.left()
    finally:
        command.left()
    texts = [end.out for end in ends]
    if scenario.campaign:
        wrong["lost"] += lost(out, texts)
        wrong["told twice"] += twice(texts)
    codes = (0, 1) if scenario.campaign and len(ends) > 1 else (peace[0].code,)
    if ends[-1].code not in codes:
        wrong["another end"].append(f"exit code {ends[-1].code}, not {peace[0].code}")
    elif (same := scenario.same(out, texts[-1])) != peace[1]:
        wrong["another end"].append(f"{_short(same)} and not {_short(peace[1])}")
    wrong["left behind"] += [str(file.name) for file in temporary.iterdir()]
    wrong["left behind"] += [file.name for file in folder.rglob("*.part")]
    return killed, wrong


def _short(value: object) -> str:
    return repr(value)[-300:]


def scenarios(folder: Path) -> list[Scenario]:
    """All commands, with their fake solvers under `folder`."""
    for name, more in (("wrong", ""), ("right", RIGHT), ("newer", NEWER)):
        package = folder / name / "fakesolver"
        package.mkdir(parents=True)
        source = (FAKES / "fakesolver" / "__init__.py").read_text()
        (package / "__init__.py").write_text(source + more)
        (folder / name / "faults.py").write_text((FAKES / "faults.py").read_text())
    (folder / "seeds").mkdir()
    for number, text in enumerate(SEEDS):
        (folder / "seeds" / f"{number}.smt2").write_text(SEED.format(text))
    wrong, right = f"fake@{folder / 'wrong'}", f"fake@{folder / 'right'}"
    scripts = str(FAKES / "scripts.yaml")
    own = ("--wrapper", scripts, "--json", "--jobs", "2")
    twelve = (*own, "--seed", "1", "--runs", str(RUNS), "--out", "OUT")
    grammar = test_matrix.grammar(folder)
    # The target is wrong about exclusive or, so that an enumeration finds something.
    mixed = folder / "mixed.yaml"
    mixed.write_text(Path(grammar).read_text().replace("{and or}", "{and or xor}"))
    (folder / "perf").mkdir()
    (folder / "stability").mkdir()
    (folder / "matrix").mkdir()
    perf = test_perf.perf(folder / "perf", "--steps", "36", *test_perf.NEVER_SLOW)
    stable = test_stability.target(folder / "stability", "orderly")
    trace = folder / "crash.trace"
    trace.write_text(test_bisect.TRACE.replace("# solver", "# finds crash\n# solver"))
    followed = (
        "matrix",
        "fake",
        "--releases",
        "1.0..latest",
        "--first",
        "60",
        "--grammar",
        grammar,
    )
    return [
        Scenario(
            "walks",
            ("fuzz", wrong, *own, "--seed", "1", "--runs", "40", "--out", "OUT"),
            over,
            campaign=True,
            victims=VICTIMS,
            env={"FAKESOLVER_FAULT": "and:segfault,or:abort"},
        ),
        Scenario(
            "mix, judges, --minimize",
            (
                *("fuzz", wrong, str(folder / "seeds"), "--mix", "api:1,opfuzz:2"),
                *("--cross-check", right, "--minimize", *twelve),
            ),
            over,
            campaign=True,
            victims=VICTIMS,
        ),
        Scenario(
            "enumerate",
            (
                *("enumerate", wrong, *own, "--grammar", str(mixed), "--first", "300"),
                *("--cross-check", right, "--check", "none", "--out", "OUT"),
            ),
            tested,
            campaign=True,
            victims=VICTIMS,
        ),
        Scenario(
            "--compare",
            ("fuzz", right, f"fake@{folder / 'newer'}", "--compare", *twelve),
            compared,
            campaign=True,
        ),
        Scenario(
            "matrix",
            (*followed, "--wrapper", test_matrix.wrapper(folder / "matrix"), "--out", "OUT"),
            printed,
        ),
        Scenario(
            "perf",
            tuple(
                "OUT" if str(word) == str(folder / "perf" / "out") else str(word) for word in perf
            ),
            journal,
        ),
        Scenario("bisect", ("bisect", str(trace), "--wrapper", str(WRAPPER), "--json"), printed),
        Scenario("stability", ("stability", *stable, "--variants", "40", "--out", "OUT"), printed),
    ]


def install(folder: Path, patch: pytest.MonkeyPatch) -> None:
    """Offer releases of the fake solver for the commands that follow releases, and install them."""
    bugs = {"1.0": "right", "1.1": "unsound", "1.2": "wrong-model", "1.3": "right"}
    crashing = {"1.2", "1.3"}
    files = {
        name: {
            "__init__.py": test_matrix.source(bug)["__init__.py"]
            + (test_bisect.CRASHING if name in crashing else "")
        }
        for name, bug in bugs.items()
    }
    offer(folder, patch, files)
    common.murxpy("releases", str(WRAPPER), "--add", ",".join(bugs))


def main() -> None:
    """Run it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.ArgumentDefaultsHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=16, help="rounds in all")
    parser.add_argument("--only", default="", help="part of the name of the commands that are run")
    parser.add_argument("--seed", type=int, default=1, help="seed of the moments and the victims")
    parser.add_argument("--no-save", action="store_true", help="write nothing under bench/results")
    args = parser.parse_args()
    rng = random.Random(args.seed)
    rounds: Counter[tuple[str, str]] = Counter()
    wrong: dict[tuple[str, str], Counter[str]] = {}
    with tempfile.TemporaryDirectory() as name, pytest.MonkeyPatch.context() as patch:
        folder = Path(name)
        install(folder / "index", patch)
        every = scenarios(folder)
        places = [
            (scenario, victim)
            for scenario in every
            if args.only in scenario.name
            for victim in scenario.victims
        ]
        if not places:
            names = "; ".join(scenario.name for scenario in every)
            parser.error(f"--only {args.only}: expected a part of one of these: {names}")
        peace: dict[str, tuple[End, object]] = {}
        for number in range(args.rounds):
            scenario, victim = places[number % len(places)]
            if scenario.name not in peace:
                (folder / f"tmp-{len(peace)}").mkdir()
                out = folder / f"peace-{len(peace)}"
                end = Command(scenario, out, folder / f"tmp-{len(peace)}").end()
                peace[scenario.name] = (end, scenario.same(out, end.out))
                print(
                    f"{scenario.name}: in peace exit code {end.code}, {end.seconds:.1f} s",
                    flush=True,
                )
            killed, found = round_of(
                scenario, victim, rng, folder / f"round-{number}", peace[scenario.name]
            )
            place = (scenario.name, victim)
            rounds[place] += killed
            counts = wrong.setdefault(place, Counter())
            for problem, texts in found.items():
                counts[problem] += bool(texts)
                for text in texts:
                    print(
                        f"round {number}: {scenario.name}, {victim}: {problem}: {text}", flush=True
                    )
    report(args, rounds, wrong)


def report(
    args: argparse.Namespace,
    rounds: Counter[tuple[str, str]],
    wrong: dict[tuple[str, str], Counter[str]],
) -> None:
    """Print the table, and keep it."""
    header = ("command", "killed", "rounds", *PROBLEMS)
    rows = [
        (*place, rounds[place], *(counts[name] for name in PROBLEMS))
        for place, counts in wrong.items()
    ]
    table("Rounds with something wrong", header, rows)
    total = sum(wrong.values(), Counter[str]())
    print("\n" + verdict(not total.total()))
    args.theories = "none"
    common.save(
        "kills",
        args,
        common.circumstances(args) | {"solver": "fake", "version": __version__},
        {"rounds": [dict(zip(header, row, strict=True)) for row in rows]},
        {"kills": rounds.total(), **{name: total[name] for name in PROBLEMS}},
    )


if __name__ == "__main__":
    main()
