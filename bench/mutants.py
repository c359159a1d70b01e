"""Mutants for the benches: made without a campaign, in children, and judged by what a bench wants
to know of them.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import json
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import common
from children import Outcome, Write, run_all

from murxpy.data import load_wrapper
from murxpy.data.folders import data_folder
from murxpy.data.wrappers import merge_profile
from murxpy.fuzzers.seeds import collect_seeds
from murxpy.fuzzers.setups import proved_rules
from murxpy.machine.generate.swarm import Profile
from murxpy.machine.random import Stream, mix
from murxpy.smtlib.printing.chains import ChainPrinter
from murxpy.smtlib.printing.terms import Unsayable
from murxpy.sources.mutation.corpus import Corpus, Pairing
from murxpy.sources.mutation.implications.book import Book
from murxpy.sources.mutation.registry import FUZZERS
from murxpy.sources.mutation.term_store import TermStore, store_of
from murxpy.sources.mutation.workshop import Mutant, Mutants, MutationSession, Seed, Workshop
from murxpy.worker.session import Session

# mutants of one run; the original STORM makes 1,000 of a seed
WALKS = {
    name: {"storm": 100, "diver": 100}.get(name, 25)
    for name, entry in FUZZERS.items()
    if entry.command
}
CHUNK = 50  # mutants of one child's task
WALL = 30.0  # seconds for one mutant, after which a task is killed
PATIENCE = 3  # mutants of a run in a row that do not count
USE = "use "  # begins the counts of what was used
LOST = "lost: "  # begins the counts of tasks that gave nothing
_MADE = re.compile(
    r"(?:opfuzz|typefuzz|diver|skeleton): \w+ to (\w+(?: of \w+)*)|fusion: ([a-z0-9-]+) of|janus: (\S+),"
)


class Solvers:
    """The solvers' own parsers in this process, by name; each takes a script and a limit in
    milliseconds.
    """

    def __init__(self, limit: float) -> None:
        sys.path.insert(0, str(data_folder("wrappers")))
        self._limit = limit
        self._z3, self._cvc5 = importlib.import_module("z3"), importlib.import_module("cvc5")
        self._scripts = {
            name: importlib.import_module(f"{name}_scripts") for name in ("z3", "cvc5")
        }
        self._context = self._z3.Context()

    def z3(self, text: str) -> str:
        return str(self._scripts["z3"].run_script(self._context, text, int(1800 * self._limit)))

    def cvc5(self, text: str) -> str:
        return str(
            self._scripts["cvc5"].run_script(
                self._cvc5.InputParser, self._cvc5.TermManager(), text, int(300 * self._limit)
            )
        )


_BELOW = re.compile(r"^diver: .* below (\w+)")


def below(step: str) -> list[str]:
    """The operator whose backward rule gave the range of the place that DIVER changed."""
    return [f"below {kind}" for kind in _BELOW.findall(step)]


def used(step: str) -> list[str]:
    """The operators that a step put in, or its fusion function, or its rule of implication; what it
    only moved is none.
    """
    found = [next(filter(None, some)) for some in _MADE.findall(step)]
    return [*[one for made in found for one in made.split(" of ")], *below(step)]


Judge = Callable[[Solvers, Mutant, str], str]


def made(
    shop: MutationSession,
    corpus: Corpus,
    name: str,
    seed: int,
    ask: Callable[[str], str | None],
    choices: dict[str, Any],
) -> Iterator[tuple[Mutant, str]]:
    """The mutants of one run, and their texts."""
    stream = Stream(mix(seed, 77))
    seeds = drawn(corpus, stream, name, choices)
    if not seeds:
        return
    workshop = Workshop(shop, stream, seeds, ask, choices)
    printer = ChainPrinter(workshop.tables, shop.dialect)
    for mutant, _ in zip(chain(FUZZERS[name].mutants(workshop)), range(WALKS[name]), strict=False):
        try:
            yield mutant, printer.text(mutant.script)
        except Unsayable:
            continue


def drawn(corpus: Corpus, stream: Stream, name: str, choices: dict[str, Any]) -> list[Seed]:
    """The seeds of one run, drawn uniformly. Two seeds have something in common, as in a campaign."""
    entry = FUZZERS[name]
    pairing = Pairing(entry, corpus.seeds, choices)
    pools = pairing.paired([corpus.labelled(label) for label in entry.labels(choices)])
    if not all(pools):
        return []
    numbers = [stream.choose(pool) for pool in pools[:1]]
    numbers += [stream.choose(pairing.partners(numbers[0], pool)) for pool in pools[1:]]
    return [corpus.seeds[number] for number in numbers]


def chain(mutants: Mutants) -> Iterator[Mutant]:
    """The mutants of a run in which all checks are decided."""
    mutant = None
    with contextlib.suppress(Unsayable):  # a question about the seed, in the solver's dialect
        mutant = next(mutants, None)
    while mutant is not None:
        yield mutant
        with contextlib.suppress(StopIteration, Unsayable):
            mutant = mutants.send(mutant.expected or ("sat",))
            continue
        return


def shop_of(session: Session, dialect: str) -> MutationSession:
    """What the runs have in common: with the standard's dialect, mutants are for z3 and cvc5."""
    profile = session.profile
    if dialect == "standard":
        profile = Profile(merge_profile(profile.data, load_wrapper("cvc5")["profile"]))
    kinds = session.swarm.available().values()
    shop = MutationSession(
        session.catalogue, frozenset(kind for some in kinds for kind in some), dialect, profile
    )
    shop.book = Book(proved_rules(), shop.catalogue, shop.operators)
    return shop


class Tally:
    """Counts of each fuzzer, and the seeds of the tasks that gave them; with a file, which has them
    after each task, a measurement that was stopped goes on.
    """

    def __init__(self, file: Path | None) -> None:
        there = json.loads(file.read_text()) if file is not None and file.is_file() else {}
        self._file = file
        self._done: dict[str, list[int]] = there.get("done", {})
        kept: dict[str, dict[str, int]] = there.get("counts", {})
        self.counts: dict[str, Counter[str]] = {name: Counter(kept[name]) for name in kept}

    def left(self, name: str, seeds: list[int]) -> list[int]:
        """Those of `seeds` whose task is still to be done."""
        done = frozenset(self._done.setdefault(name, []))
        self.counts.setdefault(name, Counter())
        return [seed for seed in seeds if seed not in done]

    def add(self, name: str, outcome: Outcome) -> None:
        """Count what a task gave."""
        for line in outcome.trace.splitlines():  # of a task that did not end: what it had counted
            self.counts[name].update(json.loads(line))
        fine = outcome.status == "ok"
        lost = f"{LOST}{outcome.status} {outcome.cause}".rstrip()
        self.counts[name].update(outcome.result if fine else {lost: 1})
        self._done[name].append(outcome.seed)
        if self._file is not None:
            fresh = self._file.with_suffix(".new")
            fresh.write_text(json.dumps({"done": self._done, "counts": self.counts}))
            fresh.replace(self._file)

    def judged(self, name: str, without: str) -> int:
        """The mutants that count."""
        counts = self.counts[name].items()
        apart = (USE, LOST)
        return sum(n for what, n in counts if not what.startswith(apart) and what != without)


def judged(
    args: argparse.Namespace,
    session: Session,
    count: int,
    judge: Judge,
    names: tuple[str, ...],
    dialect: str,
    without: str = "",
) -> dict[str, Counter[str]]:
    """What `judge` says of `count` mutants of each fuzzer, over all logics, made in children.

    Mutants of which it says `without` do not count, and a run ends at the third of them in a row.
    """
    files = collect_seeds([args.seeds], args.size)
    shop, corpus = shop_of(session, dialect), Corpus(files.files)
    folder = tempfile.TemporaryDirectory(prefix="murxpy-terms-")  # it is gone with this call
    stored = store_of(corpus.seeds, session.catalogue, dialect, Path(folder.name))
    shop.terms = TermStore(str(stored))
    choices: list[dict[str, Any]] = [
        {},
        {"oracle": "unsat", "corpus": 3},
        {"oracle": "mixed", "corpus": 10},
        {"generate": 3, "corpus": 50},
        {"unsat": True},
    ]
    tally = Tally(args.keep)

    def task(_: Session, seed: int, write: Write) -> dict[str, Any]:
        counts: Counter[str] = Counter()
        solvers = Solvers(args.limit)

        def ask(text: str) -> str | None:
            try:
                return solvers.cvc5(text) if dialect == "cvc5" else solvers.z3(text)
            except Exception:
                return None

        for run in range(max(1, CHUNK // WALKS[name])):
            vain = 0
            for mutant, text in made(
                shop, corpus, name, mix(seed, run), ask, choices[(seed + run) % len(choices)]
            ):
                answers = judge(solvers, mutant, text)
                one = Counter([answers])
                vain = vain + 1 if answers == without else 0
                if vain < PATIENCE:
                    one.update(f"{USE}{kind}" for step in mutant.steps for kind in used(step))
                write(f"{json.dumps(one)}\n")
                counts += one
                if vain == PATIENCE:
                    break
        return dict(counts)

    for name in names:
        seeds = tally.left(name, common.seeds(argparse.Namespace(seed=args.seed, runs=1_000_000)))
        if tally.judged(name, without) >= count:
            continue
        outcomes = run_all(session, seeds, task, jobs=args.jobs, wall=WALL, by_line=True)
        for outcome in outcomes:
            tally.add(name, outcome)
            if tally.judged(name, without) >= count:
                break
        outcomes.close()
    return tally.counts
