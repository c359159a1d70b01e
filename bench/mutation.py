"""The mutation fuzzers: mutants made and tests decided a second, and whether mutants are well-typed
and sound by construction.

`python bench/mutation.py z3 --seeds SEEDS` adds a row to `bench/results/mutation-rates.md`, with
`--typed N` to `bench/results/mutation-typed.md`, with `--sound N` to
`bench/results/mutation-sound.md`, with `--uses N` to `bench/results/mutation-uses.md`, and with
`--rule-uses N` to `bench/results/mutation-rule-uses.md`.

`rates`: for each fuzzer and logic, mutants made a CPU second without solving (their text included,
and reading the seeds); with one worker, whose seeds are drawn as in a campaign, tests and decided
tests a second of wall time, decided tests a second of its CPU time, and the share of the wall time
that went into mutants of which no check was decided, and into runs that had to be killed; and for
DIVER, of the terms that were drawn, the shares that came into a mutant with and without wrapping.
Whether Janus and DIVER decide enough is said of CPU seconds, which a busy machine changes least; the
share of these that the solver takes says how many there could be if making mutants took no time.
Beside them the figures of the published programs, and the floor: the seeds themselves, one after another,
in one z3 with `(reset)` between. `typed`: mutants of all logics that z3's and cvc5's own parsers
take. `sound`: mutants of STORM, Fusion, DIVER and Janus that both solvers decide alike, against what
they must answer. `uses`: how often each operator and fusion function came, of those that can come where the
seeds' sorts are. `rule-uses`: the same for the rules of implication in Janus, and for the backward rules
of operators in DIVER, in mutants for z3 and for cvc5 together.
"""

from __future__ import annotations

import argparse
import re
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import common
from children import Outcome, Write, run_all
from common import percent, table, verdict
from mutants import LOST, USE, WALKS, Solvers, judged, made, shop_of

from murxpy.errors import InputError, MurxpyError
from murxpy.fuzzers.seeds import SeedFiles, collect_seeds
from murxpy.fuzzers.setups import Mutation, sources_setup
from murxpy.machine.script import answers_of
from murxpy.semantics.ranges.backward import RULES as BACKWARD
from murxpy.smtlib.reading.scripts import read_script
from murxpy.sources.mutation.corpus import Corpus
from murxpy.sources.mutation.functions.inversions import ANY, NUMBERS, RULES, WIDTHS
from murxpy.sources.mutation.registry import FUZZERS
from murxpy.sources.mutation.terms import Pool
from murxpy.sources.mutation.workshop import Mutant, MutationSession
from murxpy.steering.seeds import Steering
from murxpy.worker.session import Session

# mutants and tests a second of the published programs on the same machine (QF_LRA or QF_SLIA seeds)
PEERS = {
    "opfuzz": (436.0, 45.0),
    "fusion": (64.0, 48.0),
    "typefuzz": (51.0, 27.0),
    "storm": (442.0, 45.0),
    "diver": (1.9, 1.9),
    "janus": (15.0, 15.0),
}
# aims: times the peers' figures, and the share of time in checks that are not decided; for a fuzzer in
# AIMS, mutants made a CPU second and decided tests a second
GENERATION, DECIDED, WAITING = 10, 5, 0.20
AIMS = {"diver": (2000.0, 200.0), "janus": (1500.0, 150.0)}
WALL = 2.0  # seconds after which a mutant is killed, as the fuzzers' --wall has it
ROUND = 16  # runs between two looks at what came of seeds; a campaign looks after each
LEAST = 20  # uses of each operator and fusion function
SOLVERS = ("z3", "cvc5")  # in whose dialects rules are counted
MADE = 6.0  # seconds of making mutants, at most
TAKEN, AGREED, UNDECIDED = "taken by both", "agreed", "not decided by both"
_CHECKS = re.compile(r"^\(check-sat.*\)\n", re.M)


def generated(
    session: Session, files: SeedFiles, name: str, seconds: float
) -> tuple[int, float, Counter[str]]:
    """Mutants made in so many CPU seconds, these, without the time in which a solver gave models, and
    how many mutants had which trait.
    """
    solvers, asked, traits = Solvers(200.0), [0.0], Counter[str]()

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
    while (
        spent := time.process_time() - start - asked[0]
    ) < seconds and time.process_time() - start < 4 * seconds:
        seed += 1
        for mutant, _ in made(shop, corpus, name, seed, ask, {}):
            count += 1
            traits.update(mutant.traits)
    return count, spent, traits


def accepted(traits: Counter[str]) -> dict[str, float]:
    """Of the terms that DIVER drew with and without wrapping, the shares that came into a mutant."""
    ways = [way for way in ("plain", "wrapping") if traits[f"{way}-draws"]]
    return {f"{way} accepted": traits[way] / traits[f"{way}-draws"] for way in ways}


def tested(args: argparse.Namespace, files: SeedFiles, name: str) -> dict[str, float]:
    """Runs of one worker with seeds drawn as in a campaign: tests a second, and the share of time
    in what was not decided.
    """
    sources = sources_setup(Mutation(((name, 1.0),), (), WALKS[name], args.limit), files)
    session = Session({**common.setup(args), "sources": sources})
    steering, counts, ended = Steering(args.seed, sources), Counter[str](), Counter[str]()

    def task(session: Session, seed: int, write: Write) -> dict[str, Any]:
        return session.walk(seed, write)["counts"]  # type: ignore[no-any-return]

    def learn(index: int, outcome: Outcome) -> None:
        of = outcome.result or {f"mutator:{name}:timeouts": 1}
        counts.update(of)
        ended[outcome.status] += 1
        steering.count(index, of)
        steering.done(index)

    start, index = time.monotonic(), 0
    while time.monotonic() - start < args.seconds:
        seeds = [steering.seed_of(number) for number in range(index, index + ROUND)]
        for number, outcome in enumerate(
            run_all(session, seeds, task, jobs=1, wall=WALL, by_line=True), index
        ):
            learn(number, outcome)
        index += ROUND
    wall = time.monotonic() - start
    of = {
        key: counts[f"mutator:{name}:{key}"] for key in ("made", "accepted", "decided", "unknown")
    }
    rates = {"tests/s": of["accepted"] / wall, "decided/s": of["decided"] / wall}
    rates["decided/CPU s"] = of["decided"] / max(1, counts["time-ns:run"]) * 1e9
    rates["in the solver"] = counts["time-ns:solver"] / max(1, counts["time-ns:run"])
    waiting = (counts["time-ns:undecided"] / 1e9 + WALL * ended["overstayed"]) / wall
    return {**of, **rates, "waiting": waiting, "lost": ended["died"] + ended["overstayed"]}


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
            if name not in args.fuzzers.split(","):
                continue
            count, spent, traits = generated(session, files, name, min(MADE, args.seconds))
            test = tested(args, files, name)
            rate, shares = count / spent if spent else 0.0, accepted(traits)
            found[f"{logic} {name}"] = {"made/s": rate, "floor/s": low, **test, **shares}
            least = AIMS.get(name, (GENERATION * peer_made, DECIDED * peer_tested))
            aims = (
                rate >= least[0],
                test["decided/CPU s" if name in AIMS else "decided/s"] >= least[1],
                test["waiting"] < WAITING,
            )
            rows.append(
                (
                    f"{logic} {name}",
                    rate,
                    peer_made,
                    test["tests/s"],
                    test["decided/s"],
                    test["decided/CPU s"],
                    percent(test["in the solver"], 1),
                    peer_tested,
                    low,
                    percent(test["waiting"], 1),
                    test["lost"],
                    ", ".join(f"{percent(share, 1)} {way}" for way, share in shares.items()) or "-",
                    " ".join(map(verdict, aims)),
                )
            )
    table(
        "rates",
        (
            "seeds, fuzzer",
            "made/s",
            "peer",
            "tests/s",
            "decided/s",
            "decided/CPU s",
            "in the solver",
            "peer",
            "z3 (reset)/s",
            "undecided",
            "lost",
            "draws",
            "made, decided, undecided",
        ),
        rows,
    )
    return found


def typed(args: argparse.Namespace, session: Session) -> dict[str, Any]:
    """Whether both parsers take the mutants, without their checks."""

    def judge(solvers: Solvers, mutant: Mutant, text: str) -> str:
        bare, complaints = _CHECKS.sub("", text), []
        for name, run in (("z3", solvers.z3), ("cvc5", solvers.cvc5)):
            try:
                run(bare)
            except Exception as error:
                complaints.append(f"{name} {_short(error)}")
        return "; ".join(complaints) or TAKEN

    found = judged(args, session, args.typed, judge, tuple(args.fuzzers.split(",")), "standard")
    return _told("typed", "fuzzer: what the parsers said", found)


def _short(error: Exception) -> str:
    """The beginning of what a solver said, without numbers, so that it can be counted."""
    return re.sub(r"[0-9]+", "_", f"{type(error).__name__}: {error}")[:90]


def sound(args: argparse.Namespace, session: Session) -> dict[str, Any]:
    """Whether what two solvers agree on is what a mutant must answer. cvc5 is asked where z3 had an
    answer.
    """

    def judge(solvers: Solvers, mutant: Mutant, text: str) -> str:
        both = []
        for name, run in (("z3", solvers.z3), ("cvc5", solvers.cvc5)):
            try:
                both.append(answers_of(run(text)))
            except Exception as error:
                return f"{name} {_short(error)}"
            if set(both[-1]) <= {"unknown"}:
                return UNDECIDED
        pairs = [
            (a, expected)
            for a, b, expected in zip(*both, mutant.expected, strict=False)
            if a == b != "unknown"
        ]
        if any({a, expected} == {"sat", "unsat"} for a, expected in pairs):
            return f"CONTRADICTED: {' / '.join(mutant.steps)[:100]}"
        return AGREED if pairs else UNDECIDED

    knowing = tuple(name for name in WALKS if not FUZZERS[name].chained)
    names = tuple(name for name in knowing if name in args.fuzzers.split(","))
    found = judged(args, session, args.sound, judge, names, "standard", UNDECIDED)
    return _told("sound", "fuzzer: both solvers", found)


def uses(args: argparse.Namespace, session: Session) -> dict[str, Any]:
    """How often each operator came in OpFuzz and TypeFuzz together, and each fusion function, the
    rarest first.
    """
    found = _used(args, session, args.uses, ("opfuzz", "typefuzz", "fusion"))
    counts = found["opfuzz"] + found["typefuzz"]
    counts.update({f"fusion {name}": n for name, n in found["fusion"].items()})
    sorts = _sorts(session, collect_seeds([args.seeds], args.size))
    operators = [
        op
        for op in map(
            session.catalogue.operators.__getitem__, sorted(shop_of(session, "z3").operators)
        )
        if op.typing is None and not op.signature.binder
    ]
    ranks = {
        op.kind: {pattern.kind for pattern in (*op.signature.args, op.signature.result)} - {None}
        for op in operators
    }
    wanted = [kind for kind, kinds in ranks.items() if kinds <= sorts]
    functions = [name for kind, rules in RULES.items() if kind in sorts for name in rules] + list(
        ANY
    )
    if {"SORT_INT", "SORT_REAL"} <= sorts:
        functions += NUMBERS
    if "SORT_BV" in sorts:
        functions += WIDTHS
    wanted += [f"fusion {name}" for name in functions]
    return {**_rare("operator or fusion function", wanted, counts), "counts": dict(counts)}


def rule_uses(args: argparse.Namespace, session: Session) -> dict[str, Any]:
    """How often each rule of implication came in Janus, and the backward rule of each operator in
    DIVER, the rarest first. The mutants for all SOLVERS count together, since each has operators that
    others lack.
    """
    counts, rules, operators = Counter[str](), dict[str, None](), dict[str, None]()
    for solver in SOLVERS:
        own = argparse.Namespace(**{**vars(args), "solver": solver})
        if args.keep is not None:
            own.keep = args.keep.with_name(f"{solver}-{args.keep.name}")
        session = session if session.wrapper.name == solver else common.load(own)
        for some in _used(own, session, args.rule_uses, ("janus", "diver")).values():
            counts.update(some)
        shop = shop_of(session, solver)
        assert shop.book is not None, "the bench gives all rules"
        rules.update({f"{use.rule.book}:{use.rule.name}": None for use in shop.book.all})
        operators.update({f"below {kind}": None for kind in BACKWARD if _has_places(shop, kind)})
    summary = {}
    for what, names in (("rule of implication", [*rules]), ("backward rule", [*operators])):
        summary[what] = _rare(what, names, counts)
    return {**summary, "counts": dict(counts)}


def _has_places(shop: MutationSession, kind: str) -> bool:
    """Whether a solver has an operator, and takes anything but literals as some argument of it."""
    if kind not in shop.operators:
        return False
    operator = shop.catalogue.operators[kind]
    arguments = range(len(operator.signature.args))
    return any(shop.profile.literal(operator, at) is None for at in arguments)


def _told(title: str, header: str, found: dict[str, Counter[str]]) -> dict[str, Any]:
    """Print what came of the mutants of each fuzzer."""
    rows = [
        (f"{name}: {what}", n)
        for name, counts in found.items()
        for what, n in counts.most_common()
        if not what.startswith(USE)
    ]
    table(title, (header, "mutants"), rows)
    return {name: dict(counts) for name, counts in found.items()}


def _used(
    args: argparse.Namespace, session: Session, count: int, names: tuple[str, ...]
) -> dict[str, Counter[str]]:
    """How often something was used in so many mutants of each fuzzer, in the solver's own dialect."""
    dialect = session.wrapper.name
    found = judged(args, session, count, lambda solvers, mutant, text: "made", names, dialect)
    return {
        name: Counter(
            {key.removeprefix(USE): n for key, n in found[name].items() if key.startswith(USE)}
        )
        for name in names
    }


def _rare(what: str, names: Sequence[str], counts: Counter[str]) -> dict[str, Any]:
    """Print what of `names` came seldom, the rarest first."""
    rare = [(n, counts[n]) for n in sorted(names, key=counts.__getitem__) if counts[n] < LEAST]
    table(f"uses below {LEAST}", (what, "times"), rare or [("none", 0)])
    print(f"  {len(names)} could come, {len(rare)} of them came fewer than {LEAST} times")
    return {"could": len(names), "rare": dict(rare)}


def _sorts(session: Session, files: SeedFiles) -> set[str | None]:
    """The kinds of sorts that terms of the seeds have."""
    found: set[str | None] = set()
    for name, text, _ in files.files:
        try:
            found.update(
                sort.kind
                for sort in Pool(
                    session.catalogue, read_script(text, name, session.catalogue).assertions()
                ).sorts
            )
        except InputError:
            continue
    return found


def main() -> None:
    parser = common.parser(__doc__, None)
    parser.add_argument(
        "--seeds",
        type=Path,
        required=True,
        help="folder with a folder of labelled scripts for each logic",
    )
    parser.add_argument(
        "--logics", default="QF_SLIA,QF_LRA,LIA,QF_BV", help="those whose rates are measured"
    )
    parser.add_argument("--seconds", type=float, default=10.0, help="of each rate; 0: measure none")
    parser.add_argument("--limit", type=float, default=50.0, help="of a check, in milliseconds")
    parser.add_argument("--size", type=int, default=20_000, help="largest seed in bytes")
    parser.add_argument(
        "--typed",
        type=int,
        default=0,
        metavar="N",
        help="mutants of each fuzzer that both parsers are given",
    )
    parser.add_argument("--fuzzers", default=",".join(WALKS), help="those that are measured")
    parser.add_argument(
        "--sound",
        type=int,
        default=0,
        metavar="N",
        help="mutants of STORM, Fusion, DIVER and Janus, of each, that both solvers decide",
    )
    parser.add_argument(
        "--uses",
        type=int,
        default=0,
        metavar="N",
        help="mutants of OpFuzz, TypeFuzz and Fusion whose steps are counted",
    )
    parser.add_argument(
        "--rule-uses",
        type=int,
        default=0,
        metavar="N",
        help="mutants of Janus and DIVER, of each for z3 and for cvc5, whose rules are counted",
    )
    parser.add_argument(
        "--jobs", type=int, default=2, help="processes at a time for --typed, --sound and --uses"
    )
    parser.add_argument(
        "--keep",
        type=Path,
        metavar="FILE",
        help="keep the counts of --typed, --sound or --uses in FILE, and go on with those in it",
    )
    args = parser.parse_args()
    session = common.load(args)
    asked = {"rates": args.seconds, "typed": args.typed, "sound": args.sound, "uses": args.uses}
    asked["rule-uses"] = args.rule_uses
    kept = (args.typed, args.sound, args.uses, args.rule_uses)
    if args.keep is not None and sum(map(bool, kept)) != 1:
        raise SystemExit("error: --keep takes one of --typed, --sound, --uses and --rule-uses")
    parts = {
        "rates": (rates, _rates_row),
        "typed": (typed, _typed_row),
        "sound": (sound, _sound_row),
        "uses": (uses, _uses_row),
        "rule-uses": (rule_uses, _rules_row),
    }
    for part, (measure, row) in parts.items():
        if not asked[part]:
            continue
        try:
            figures = measure(args, session)
        except MurxpyError as error:
            raise SystemExit(f"error: {error}") from None
        common.save(
            f"mutation-{part}", args, common.facts(session, args), {part: figures}, row(figures)
        )


def _rates_row(figures: dict[str, Any]) -> dict[str, Any]:
    return {
        key: f"{one['made/s']:.0f} made/s, {one['decided/s']:.0f} decided/s, "
        f"{one['decided/CPU s']:.0f} decided/CPU s, {percent(one['in the solver'], 1)} in the solver, "
        f"{percent(one['waiting'], 1)} undecided"
        + "".join(
            f", {percent(share, 1)} {way}"
            for way, share in one.items()
            if way.endswith("accepted") and " " in way
        )
        for key, one in figures.items()
    }


def _typed_row(figures: dict[str, Any]) -> dict[str, Any]:
    return {
        name: f"{counts.get(TAKEN, 0):,} taken, {_others(counts, TAKEN)} refused{_lost(counts)}"
        for name, counts in figures.items()
    }


def _sound_row(figures: dict[str, Any]) -> dict[str, Any]:
    return {
        name: f"{counts.get(AGREED, 0):,} agreed, {_others(counts, AGREED, UNDECIDED)} contradicted or refused{_lost(counts)}"
        for name, counts in figures.items()
    }


def _others(counts: dict[str, int], *fine: str) -> int:
    return sum(
        n for key, n in counts.items() if not key.startswith((USE, LOST)) and key not in fine
    )


def _lost(counts: dict[str, int]) -> str:
    """How many tasks of children were lost, most of them to the limit of wall time."""
    lost = sum(n for key, n in counts.items() if key.startswith(LOST))
    return f", {lost} chunks lost to the wall" if lost else ""


def _uses_row(figures: dict[str, Any]) -> dict[str, Any]:
    return {"could come": figures["could"], f"below {LEAST}": len(figures["rare"])}


def _rules_row(figures: dict[str, Any]) -> dict[str, Any]:
    return {
        what: f"{one['could']} could come, {len(one['rare'])} below {LEAST}"
        for what, one in figures.items()
        if "could" in one
    }


if __name__ == "__main__":
    main()
