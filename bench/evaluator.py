"""Agreement of the reference evaluator with a solver: random applications of every operator, and
what we say they are.

`python bench/evaluator.py z3 --count 2000` adds a row to `bench/results/evaluator.md`.

Each application is asserted to equal the value that the evaluator gives, or one of those that it
may have; many such equations are one check. Where it is not sat, the equations are halved until the
one is found that the solver denies.

    python bench/evaluator.py z3 --theories BV,INT --count 20000
    python bench/evaluator.py cvc5 --operators OP_BV_UDIV,OP_INT_DIV --count 500 --no-save
    python bench/evaluator.py z3 --rate        # operations a second on small bit-vector terms, no solver
"""

from __future__ import annotations

import argparse
import random
import sys
import time
import traceback
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from typing import Any

import children
import common
from applications import Maker
from common import percent, table, verdict

from murxpy.data import load_catalogue
from murxpy.logic.catalogue import Catalogue, build_catalogue
from murxpy.logic.sorts import IllSorted, Sort, SortTable
from murxpy.logic.terms import Term, TermTable
from murxpy.machine import solve
from murxpy.machine.database import Entry
from murxpy.machine.outcomes import Refused, Stopped
from murxpy.machine.random import Stream, mix
from murxpy.machine.run import Run
from murxpy.semantics.evaluator import Evaluator
from murxpy.semantics.exact.algebraic import Algebraic
from murxpy.semantics.values import CannotSay, Interpretation, Value
from murxpy.worker.session import Session

# equations a check, by theory
BATCH = {"BV": 500, "INT": 500, "REAL": 500, "BOOL": 100, "FP": 200, "STRING": 200}
SMALL = 25  # of the others
MILLISECONDS = 3_000  # of a check, in the solver's own steps
WALL = 40.0  # seconds for a batch
AIM = 0.05  # share of "cannot say" in a theory
EXEMPT = ("QUANT", "TRANSCENDENTAL")
# What constant arrays, universal sets and formats of floating point beside the two common ones
# need.
OPTIONS = {"cvc5": (("arrays-exp", "true"), ("sets-exp", "true"), ("fp-exp", "true"))}
TEXTS = ("", "a", "b", "ab", "0", "aab", "b0")


class Batch:
    """Equations of one operator in one run."""

    def __init__(
        self, session: Session, kind: str, number: int, write: Callable[[str], None]
    ) -> None:
        self.operator = session.catalogue.operators[kind]
        self.run = Run(session.wrapper, session.catalogue, number, write)
        solve.new(self.run, 0)
        for name, value in OPTIONS.get(session.wrapper.name, ()):
            solve.set_option(self.run, name, value, 0)
        if session.wrapper.set("actions", "set-limit") is not None:
            solve.set_limit(
                self.run, MILLISECONDS * int(session.wrapper.data.get("limit-per-ms", 1)), 0
            )
        self.maker = Maker(
            self.run, session.settings, session.profile, Stream(mix(number, hash_of(kind)))
        )
        self.evaluator: Evaluator | None = None
        self.equations: list[tuple[Entry, Entry, tuple[Value, ...]]] = []
        self.counts: Counter[str] = Counter()
        self.messages: dict[str, str] = {}

    def add(self) -> None:
        """One application, evaluated, and the equation that says so."""
        try:
            entry = self._observed(self.maker.application(self.operator))
        except (Refused, IllSorted) as error:
            self._note("refused", str(error))
            return
        try:
            values = self._evaluate(entry.term)
        except CannotSay as reason:
            self._note("cannot say", str(reason))
            return
        try:
            equation = self._equation(entry, values)
        except (Refused, IllSorted) as error:
            self._note("unspelled", str(error))
            return
        self.equations.append((equation, entry, values))
        if len(values) == 1:
            self.maker.pool.setdefault(entry.term.sort, []).append(entry)

    def _observed(self, entry: Entry) -> Entry:
        """What of a term can be compared: a language by a string, a function by its value at a
        point.
        """
        sort, maker = entry.term.sort, self.maker
        if sort.kind == "SORT_REGLAN":
            text = maker.build(self.run.sorts.get("SORT_STRING"), maker.stream.choose(TEXTS))
            return maker.apply("OP_STR_IN_RE", text, entry)
        if sort.kind == "SORT_FUN":
            args = [maker.build(s, maker.random_value(s)) for s in sort.sorts()[:-1]]
            return maker.apply("OP_UF_APPLY", entry, *args)
        return entry

    def _evaluate(self, term: Term) -> tuple[Value, ...]:
        if self.evaluator is None or len(self.evaluator.interpretation.constants) < len(
            self.maker.elements
        ):
            self.evaluator = Evaluator(
                self.run.catalogue, Interpretation(self.maker.elements, {}, self.maker.domains)
            )
        start = time.perf_counter_ns()
        try:
            return self.evaluator.possible(term)
        finally:
            self.counts["ns"] += time.perf_counter_ns() - start

    def _equation(self, entry: Entry, values: tuple[Value, ...]) -> Entry:
        maker, sort = self.maker, entry.term.sort
        parts = [
            maker.isolated(entry, value)
            if isinstance(value, Algebraic)
            else maker.apply("OP_EQUAL", entry, maker.build(sort, value))
            for value in values
        ]
        return parts[0] if len(parts) == 1 else maker.apply("OP_OR", *parts)

    def _note(self, what: str, message: str) -> None:
        self.counts[what] += 1
        self.messages.setdefault(what, message[:200])

    def judge(self) -> list[str]:
        """Check all; gives a description of each equation that the solver denies."""
        for fact in self.maker.facts:
            solve.assert_formula(self.run, fact, 0)
        denied: list[str] = []
        work = [self.equations] if self.equations else []
        while work:
            part = work.pop()
            answer = self._check([equation for equation, _, _ in part])
            if answer == "sat":
                self.counts["agree"] += len(part)
            elif len(part) > 1:
                work += [part[: len(part) // 2], part[len(part) // 2 :]]
            elif answer == "unsat":
                denied.append(self._describe(*part[0]))
            else:
                self._note("solver unknown", show(part[0][1].term))
        return denied

    def _check(self, entries: Sequence[Entry]) -> str:
        solve.push(self.run, 1, 0)
        for entry in entries:
            solve.assert_formula(self.run, entry, 0)
        try:
            answer = solve.check_sat(self.run, 0)
        except Refused as refused:
            answer = "refused"
            self._note("check refused", str(refused))
        solve.pop(self.run, 1, 0)
        return answer

    def _describe(self, equation: Entry, entry: Entry, values: tuple[Value, ...]) -> str:
        ours = " or ".join(map(repr, values))
        theirs = "?"
        try:
            if solve.check_sat(self.run, 0) == "sat":
                theirs = str(solve.get_value(self.run, [entry], "get-value", 0)[0])
        except (Refused, Stopped) as error:
            theirs = f"? ({error})"
        return f"{show(entry.term)} is {ours}, solver: {theirs}"


def hash_of(text: str) -> int:
    """A number for a name, the same in every process."""
    return int.from_bytes(text.encode()[-8:], "big")


def show(term: Term) -> str:
    """A small term as text, with its sorts."""
    if not term.args:
        return f"{term.indices[0] if term.indices else term.op}:{term.sort}"
    head = " ".join([term.op.removeprefix("OP_"), *map(str, term.indices)])
    return f"({head} {' '.join(map(show, term.args))}):{term.sort}"[:600]


def task(kinds: list[str], count: int) -> children.Task:
    """What a child does for one seed: batch `seed // len(kinds)` of operator `seed % len(kinds)`."""

    def work(session: Session, seed: int, write: Callable[[str], None]) -> dict[str, Any]:
        kind, number = kinds[seed % len(kinds)], seed // len(kinds)
        batch = Batch(session, kind, number, write)
        stopped = ""
        denied: list[str] = []
        try:
            for _ in range(size_of(kind, count, session.catalogue)):
                batch.add()
            denied = batch.judge()
        except Stopped as stop:
            stopped = str(stop)
        except Refused as refused:
            stopped = f"refused: {refused}"
        except Exception as error:  # a fault of ours, which must not pass for a death of the solver
            at = traceback.extract_tb(error.__traceback__)[-1]
            stopped = f"{type(error).__name__} at {at.filename}:{at.lineno}: {error}"
        batch.run.flush()
        batch.run.forget()
        return {
            "kind": kind,
            "counts": dict(batch.counts),
            "messages": batch.messages,
            "denied": denied,
            "stopped": stopped,
        }

    return work


class Tally:
    """What came of all batches, by operator."""

    def __init__(self) -> None:
        self.counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self.messages: defaultdict[str, dict[str, str]] = defaultdict(dict)
        self.denied: defaultdict[str, list[str]] = defaultdict(list)

    def add(self, kinds: list[str], outcome: children.Outcome) -> None:
        """Enter one batch."""
        kind = kinds[outcome.seed % len(kinds)]
        if outcome.status != "ok":
            self.counts[kind][outcome.status] += 1
            self.messages[kind].setdefault(
                outcome.status, f"{outcome.cause} at {outcome.last_call}"
            )
            return
        result = outcome.result
        self.counts[kind].update(result["counts"])
        for what, message in result["messages"].items():
            self.messages[kind].setdefault(what, message)
        if result["stopped"]:
            self.counts[kind]["stopped"] += 1
            self.messages[kind].setdefault("stopped", result["stopped"])
        self.denied[kind] += result["denied"]


def operators_of(args: argparse.Namespace, session: Session) -> list[str]:
    """The operators to be tried, in the order of the catalogue."""
    asked = args.operators.split(",") if args.operators else None
    kinds = [kind for names in session.swarm.available().values() for kind in names]
    wanted = args.theories.split(",") if args.theories != "all" else None
    return [
        kind
        for kind in kinds
        if (asked is None or kind in asked)
        and (wanted is None or session.catalogue.operators[kind].theory in wanted)
    ]


def size_of(kind: str, count: int, catalogue: Catalogue) -> int:
    """How many equations of an operator are one check."""
    return min(count, BATCH.get(catalogue.operators[kind].theory, SMALL))


def batches(kinds: list[str], args: argparse.Namespace, catalogue: Catalogue) -> list[int]:
    """The seeds of all batches: operator, and number of the batch, in one int."""
    numbers = [
        (b, k)
        for k, kind in enumerate(kinds)
        for b in range(-(-args.count // size_of(kind, args.count, catalogue)))
    ]
    return [(args.seed * 1_000_000 + b) * len(kinds) + k for b, k in sorted(numbers)]


def report(tally: Tally, kinds: list[str], catalogue: Catalogue) -> dict[str, Any]:
    """Print the tables; gives the figures."""
    theories: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for kind in kinds:
        theories[catalogue.operators[kind].theory].update(tally.counts[kind])
        theories[catalogue.operators[kind].theory]["denied"] += len(tally.denied[kind])
    rows = []
    for name, counts in theories.items():
        total = counts["agree"] + counts["denied"] + counts["solver unknown"] + counts["unspelled"]
        share = counts["cannot say"] / max(1, total + counts["cannot say"])
        fine = "" if name in EXEMPT else verdict(share <= AIM)
        rows.append(
            (
                name,
                counts["agree"],
                counts["denied"],
                counts["solver unknown"],
                counts["refused"],
                counts["unspelled"],
                percent(share, 1),
                fine,
            )
        )
    table(
        "Agreement",
        ("theory", "agree", "denied", "unknown", "refused", "unspelled", "cannot say", ""),
        rows,
    )
    columns = (
        "cannot say",
        "refused",
        "unspelled",
        "solver unknown",
        "check refused",
        "stopped",
        "died",
        "overstayed",
    )
    odd = [
        (
            kind,
            what,
            tally.counts[kind][what],
            tally.counts[kind]["agree"],
            tally.messages[kind].get(what, "")[:150],
        )
        for kind in kinds
        for what in columns
        if tally.counts[kind][what]
    ]
    table("Not compared", ("operator", "what", "number", "agree", "for example"), odd)
    for kind in kinds:
        for text in tally.denied[kind][:3]:
            print(f"  DENIED {text}")
    figures = {
        key: sum(c[key] for c in theories.values())
        for key in ("agree", "denied", "solver unknown", "cannot say", "refused")
    }
    return {
        **figures,
        "operators": len(kinds),
        "least agree": min((tally.counts[k]["agree"] for k in kinds), default=0),
    }


def rate(seconds: float = 3.0) -> float:
    """Operations a second of CPU on random terms of bit-vectors of 8 bits, 100,000 terms an
    evaluation.
    """
    sorts, terms, stream = SortTable(), TermTable(), random.Random(1)
    catalogue = build_catalogue(load_catalogue())
    sort = sorts.get("SORT_BV", 8)
    leaves = [terms.leaf("OP_VALUE", (k,), sort) for k in range(32)]
    root = _nest(terms, sort, leaves, stream)
    done, start = 0, time.process_time()
    while time.process_time() - start < seconds:
        Evaluator(catalogue, Interpretation()).value(root)
        done += 100_000
    return done / (time.process_time() - start)


def _nest(terms: TermTable, sort: Sort, leaves: list[Term], stream: random.Random) -> Term:
    kinds = [
        "OP_BV_ADD",
        "OP_BV_MULT",
        "OP_BV_AND",
        "OP_BV_SHL",
        "OP_BV_UDIV",
        "OP_BV_SUB",
        "OP_BV_XOR",
        "OP_BV_NOT",
    ]
    made = list(leaves)
    for _ in range(100_000):
        kind = stream.choice(kinds)
        args = tuple(stream.choice(made[-500:]) for _ in range(1 if kind == "OP_BV_NOT" else 2))
        made.append(terms.apply(kind, args, (), sort))
    return terms.apply("OP_BV_XOR", tuple(made), (), sort)


def main() -> None:
    """Run it."""
    parser = common.parser(__doc__, None)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--count", type=int, default=2_000, help="applications of each operator")
    parser.add_argument("--operators", default="", help="only these operators, with commas")
    parser.add_argument("--jobs", type=int, default=2, help="processes at a time")
    parser.add_argument(
        "--seconds",
        type=float,
        default=float("inf"),
        help="stop after this time with what there is",
    )
    parser.add_argument("--rate", action="store_true", help="only measure operations a second")
    args = parser.parse_args()
    if args.rate:
        print(f"{rate():,.0f} operations a second")
        return
    session = common.load(args)
    kinds = operators_of(args, session)
    if not kinds:
        sys.exit("error: no such operators in this release")
    tally = Tally()
    seeds = batches(kinds, args, session.catalogue)
    end = time.monotonic() + args.seconds
    for outcome in children.run_all(
        session, seeds, task(kinds, args.count), args.jobs, WALL, 4 * len(kinds)
    ):
        tally.add(kinds, outcome)
        if time.monotonic() > end:
            break
    figures = report(tally, kinds, session.catalogue)
    figures["operations a second"] = round(rate())
    print(f"\n{figures}")
    operators = {
        k: {
            **{w: n for w, n in tally.counts[k].items() if w != "ns"},
            "denied": tally.denied[k][:10],
        }
        for k in kinds
    }
    data = {"figures": figures, "by operator": operators}
    common.save(
        "evaluator",
        args,
        common.facts(session, args),
        data,
        {"asked an operator": args.count, **figures},
    )


if __name__ == "__main__":
    main()
