"""The mutation fuzzers: mutants made and tests decided a second, and whether mutants are well-typed and sound by construction.

`rates`: for each fuzzer and logic, mutants made a CPU second without solving, tests decided a second of wall time with one worker, and
the share of the solver's time that went into checks that were not decided; beside them the figures of the published programs, and
the floor: the seeds themselves, one after another, in one z3 with `(reset)` between. `typed`: mutants of all logics that z3's and cvc5's
own parsers take. `sound`: STORM and Fusion mutants that both solvers decide alike, against what they must answer. `uses`: how
often each operator and fusion function came.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import re
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import common
from children import Write, run_all
from common import percent, table, verdict

from murxpy.data.folders import data_folder
from murxpy.errors import MurxpyError
from murxpy.fuzzers.mutation import Mutation, sources_setup
from murxpy.fuzzers.seeds import SeedFiles, collect_seeds
from murxpy.machine.random import Stream, mix
from murxpy.machine.script import answers_of
from murxpy.mutation.corpus import Corpus
from murxpy.mutation.fuzzers import FUZZERS
from murxpy.mutation.workshop import Mutant, Mutants, Shop, Workshop
from murxpy.smtlib.chain import ChainPrinter
from murxpy.smtlib.printer import Unsayable
from murxpy.worker.session import Session

PEERS = {  # mutants and tests a second of the published programs on the same machine (QF_LRA or QF_SLIA seeds)
    "opfuzz": (436.0, 45.0), "fusion": (64.0, 48.0), "typefuzz": (51.0, 27.0), "storm": (442.0, 45.0),
}  # fmt: skip
GENERATION, DECIDED, WAITING = 10, 5, 0.20  # aims: times the peers' figures, and the share of time in checks that are not decided
WALKS = {"opfuzz": 25, "fusion": 25, "typefuzz": 25, "storm": 100}  # mutants of one run; the original STORM makes 1,000 of a seed
CHUNK = 50  # mutants of one child's task
_CHECKS = re.compile(r"^\(check-sat.*\)\n", re.M)
_CLASS = re.compile(r"opfuzz: \w+ to (\w+)|fusion: ([a-z-]+) of")


class Solvers:
    """The solvers' own parsers in this process, by name; each takes a script and a limit in milliseconds."""

    def __init__(self, limit: float) -> None:
        sys.path.insert(0, str(data_folder("wrappers")))
        self._limit = limit
        self._z3, self._cvc5 = importlib.import_module("z3"), importlib.import_module("cvc5")
        self._scripts = {name: importlib.import_module(f"{name}_scripts") for name in ("z3", "cvc5")}
        self._context = self._z3.Context()

    def z3(self, text: str) -> str:
        return str(self._scripts["z3"].run_script(self._context, text, int(1800 * self._limit)))

    def cvc5(self, text: str) -> str:
        return str(self._scripts["cvc5"].run_script(self._cvc5.TermManager(), text, int(300 * self._limit)))


def made(
    shop: Shop, corpus: Corpus, name: str, seed: int, ask: Callable[[str], str | None], choices: dict[str, Any]
) -> Iterator[tuple[Mutant, str]]:
    """The mutants of one run, and their texts."""
    stream = Stream(mix(seed, 77))
    seeds = [corpus.seeds[number] for number in corpus.sample(stream, FUZZERS[name].labels(choices))]
    if not seeds:
        return
    workshop = Workshop(shop, stream, seeds, ask, choices)
    printer = ChainPrinter(workshop.tables, shop.dialect)
    for mutant, _ in zip(_chain(FUZZERS[name].mutants(workshop)), range(WALKS[name]), strict=False):
        try:
            yield mutant, printer.text(mutant.script)
        except Unsayable:
            continue


def _chain(mutants: Mutants) -> Iterator[Mutant]:
    """The mutants of a run in which all checks are decided."""
    mutant = next(mutants, None)
    while mutant is not None:
        yield mutant
        with contextlib.suppress(StopIteration):
            mutant = mutants.send(mutant.expected or ("sat",))
            continue
        return


def shop_of(session: Session, dialect: str) -> Shop:
    """What the runs have in common."""
    kinds = session.swarm.available().values()
    return Shop(session.catalogue, frozenset(kind for some in kinds for kind in some), dialect)


def generated(session: Session, files: SeedFiles, name: str, seconds: float) -> tuple[int, float]:
    """Mutants made in so many CPU seconds, and these, without the time in which a solver gave models."""
    solvers, asked = Solvers(200.0), [0.0]

    def ask(text: str) -> str | None:
        start = time.process_time()
        try:
            return solvers.z3(text)
        except Exception:
            return None
        finally:
            asked[0] += time.process_time() - start

    shop, corpus = shop_of(session, "z3"), Corpus(files.files)
    count, seed, start = 0, 0, time.process_time()
    while (spent := time.process_time() - start - asked[0]) < seconds and time.process_time() - start < 4 * seconds:
        seed += 1
        count += sum(1 for _ in made(shop, corpus, name, seed, ask, {}))
    return count, spent


def tested(args: argparse.Namespace, files: SeedFiles, name: str) -> dict[str, float]:
    """Runs of one worker as a campaign does them: decided tests a second, and the share of the solver's time in the others."""
    mutation = Mutation(((name, 1.0),), (), WALKS[name], args.limit)
    session = Session({**common.setup(args), "sources": sources_setup(mutation, files)})
    counts: Counter[str] = Counter()

    def task(session: Session, seed: int, write: Write) -> dict[str, Any]:
        return session.walk(seed, write)["counts"]  # type: ignore[no-any-return]

    seeds = common.seeds(argparse.Namespace(seed=args.seed, runs=1_000_000))
    start, ended = time.monotonic(), Counter[str]()
    outcomes = run_all(session, seeds, task, jobs=1, wall=5.0)
    for outcome in outcomes:
        counts.update(outcome.result)
        ended[outcome.status] += 1
        if time.monotonic() - start >= args.seconds:
            break
    wall = time.monotonic() - start
    outcomes.close()
    of = {key: counts[f"mutator:{name}:{key}"] for key in ("made", "accepted", "decided", "unknown")}
    waiting = counts["time-ns:undecided"] / max(1, counts["time-ns:solver"])
    lost = ended["died"] + ended["overstayed"]
    return {**of, "tests/s": of["accepted"] / wall, "decided/s": of["decided"] / wall, "waiting": waiting, "lost": lost}


def floor(files: SeedFiles, seconds: float, limit: float) -> float:
    """Seeds a second that z3 answers one after another, in one context with `(reset)` between."""
    solvers, done, start = Solvers(limit), 0, time.monotonic()
    while time.monotonic() - start < seconds:
        text = files.files[done % len(files.files)][1]
        try:
            solvers.z3(text)
        except Exception:
            files.files.pop(done % len(files.files))
            continue
        done += 1
    return done / (time.monotonic() - start)


def rates(args: argparse.Namespace, session: Session) -> dict[str, Any]:
    """The table of `rates`."""
    rows, found = [], {}
    for logic in args.logics.split(","):
        files = collect_seeds([args.seeds / logic], args.size)
        low = floor(SeedFiles(list(files.files)), args.seconds / 2, args.limit)
        for name, (peer_made, peer_tested) in PEERS.items():
            count, spent = generated(session, files, name, args.seconds)
            test = tested(args, files, name)
            rate = count / spent if spent else 0.0
            found[f"{logic} {name}"] = {"made/s": rate, "floor/s": low, **test}
            aims = (rate >= GENERATION * peer_made, test["decided/s"] >= DECIDED * peer_tested, test["waiting"] < WAITING)
            rows.append((f"{logic} {name}", rate, peer_made, test["tests/s"], test["decided/s"], peer_tested, low,
                         percent(test["waiting"], 1), test["lost"], " ".join(map(verdict, aims))))  # fmt: skip
    table("rates", ("seeds, fuzzer", "made/s", "peer", "tests/s", "decided/s", "peer", "z3 (reset)/s", "undecided", "lost",
                    "made, decided, undecided"), rows)  # fmt: skip
    return found


def _chunks(args: argparse.Namespace, session: Session, count: int, judge: Callable[[Mutant, str], str], names: tuple[str, ...],
            dialect: str) -> dict[str, Counter[str]]:  # fmt: skip
    """What `judge` says of `count` mutants of each fuzzer, over all logics, made in children."""
    files = collect_seeds([args.seeds], args.size)
    shop, corpus = shop_of(session, dialect), Corpus(files.files)
    choices = [{}, {"oracle": "unsat"}, {"oracle": "mixed"}, {"generate": 3}, {"unsat": True}]
    found: dict[str, Counter[str]] = {}

    def task(_: Session, seed: int, write: Write) -> dict[str, Any]:
        counts: Counter[str] = Counter()
        solvers = Solvers(args.limit)

        def ask(text: str) -> str | None:
            try:
                return solvers.z3(text)
            except Exception:
                return None

        for run in range(max(1, CHUNK // WALKS[name])):
            for mutant, text in made(shop, corpus, name, mix(seed, run), ask, choices[(seed + run) % len(choices)]):
                counts[judge(mutant, text)] += 1
                counts.update(f"use {a or b}" for step in mutant.steps for a, b in _CLASS.findall(step))
        return dict(counts)

    for name in names:
        counts = found[name] = Counter()
        outcomes = run_all(session, common.seeds(argparse.Namespace(seed=args.seed, runs=1_000_000)), task, jobs=args.jobs, wall=120.0)
        for outcome in outcomes:
            counts.update(outcome.result if outcome.status == "ok" else {f"lost: {outcome.status}": 1})
            if sum(n for key, n in counts.items() if not key.startswith("use ")) >= count:
                break
        outcomes.close()
    return found


def typed(args: argparse.Namespace, session: Session) -> dict[str, Any]:
    """Whether both parsers take the mutants, without their checks."""
    def judge(mutant: Mutant, text: str) -> str:
        solvers, bare, said = Solvers(0.0), _CHECKS.sub("", text), []
        for name, run in (("z3", solvers.z3), ("cvc5", solvers.cvc5)):
            try:
                run(bare)
            except Exception as error:
                said.append(f"{name}: {re.sub(r'[0-9]+', '_', str(error))[:70]}")
        return "; ".join(said) or "taken by both"

    found = _chunks(args, session, args.typed, judge, tuple(FUZZERS), "standard")
    rows = [(f"{name}: {what}", n) for name, counts in found.items() for what, n in counts.most_common() if not what.startswith("use ")]
    table("typed", ("fuzzer: what the parsers said", "mutants"), rows)
    return {name: dict(counts) for name, counts in found.items()}


def sound(args: argparse.Namespace, session: Session) -> dict[str, Any]:
    """Whether what two solvers agree on is what a mutant must answer."""
    def judge(mutant: Mutant, text: str) -> str:
        solvers = Solvers(args.limit)
        try:
            both = [answers_of(run(text)) for run in (solvers.z3, solvers.cvc5)]
        except Exception:
            return "refused"
        pairs = [(a, expected) for a, b, expected in zip(*both, mutant.expected, strict=False) if a == b != "unknown"]
        if any({a, expected} == {"sat", "unsat"} for a, expected in pairs):
            return f"CONTRADICTED: {' / '.join(mutant.steps)[:100]}"
        return "agreed" if pairs else "not decided by both"

    found = _chunks(args, session, args.sound, judge, ("storm", "fusion"), "standard")
    rows = [(f"{name}: {what}", n) for name, counts in found.items() for what, n in counts.most_common() if not what.startswith("use ")]
    table("sound", ("fuzzer: both solvers", "mutants"), rows)
    return {name: dict(counts) for name, counts in found.items()}


def uses(found: dict[str, Any]) -> None:
    """How often each operator and fusion function came, the rarest first."""
    counts = Counter({key.removeprefix("use "): n for some in found.values() for key, n in some.items() if key.startswith("use ")})
    rare = [(key, n) for key, n in sorted(counts.items(), key=lambda pair: pair[1]) if n < 20]
    table("uses below 20", ("operator or fusion function", "times"), rare or [("none", 0)])
    print(f"  {len(counts)} came, {len(rare)} of them fewer than 20 times")


def main() -> None:
    parser = common.parser(__doc__, None)
    parser.add_argument("--seeds", type=Path, required=True, help="folder with a folder of labelled scripts for each logic")
    parser.add_argument("--logics", default="QF_SLIA,QF_LRA,LIA,QF_BV", help="those whose rates are measured")
    parser.add_argument("--seconds", type=float, default=10.0, help="of each rate; 0: measure none")
    parser.add_argument("--limit", type=float, default=50.0, help="of a check, in milliseconds")
    parser.add_argument("--size", type=int, default=20_000, help="largest seed in bytes")
    parser.add_argument("--typed", type=int, default=0, metavar="N", help="mutants of each fuzzer that both parsers are given")
    parser.add_argument("--sound", type=int, default=0, metavar="N", help="mutants of STORM and Fusion that both solvers answer")
    parser.add_argument("--jobs", type=int, default=2, help="processes at a time for --typed and --sound")
    args = parser.parse_args()
    session = common.load(args)
    figures: dict[str, Any] = {}
    try:
        figures["rates"] = rates(args, session) if args.seconds else {}
        figures["typed"] = typed(args, session) if args.typed else {}
        figures["sound"] = sound(args, session) if args.sound else {}
    except MurxpyError as error:
        raise SystemExit(f"error: {error}") from None
    if args.typed:
        uses(figures["typed"])
    row = {key: f"{one['made/s']:.0f} made/s, {one['decided/s']:.0f} decided/s" for key, one in figures["rates"].items()}
    refused = sum(n for some in figures["typed"].values() for key, n in some.items() if not key.startswith(("use ", "taken", "lost")))
    wrong = sum(n for some in figures["sound"].values() for key, n in some.items() if key.startswith("CONTRADICTED"))
    row |= {"typed": f"{args.typed} each, {refused} refused", "sound": f"{args.sound} each, {wrong} contradicted"}
    common.save("mutation", args, common.facts(session, args), figures, row)


if __name__ == "__main__":
    main()
