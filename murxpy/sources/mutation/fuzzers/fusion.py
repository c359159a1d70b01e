"""Semantic Fusion: two scripts of known status become one script of known status, whose constants
are connected by fusion functions.

Winterer, Zhang, Su, PLDI 2020, and chapter 3 of Winterer's thesis "Solidifying Modern SMT Solvers",
ETH Zurich 2024: satisfiable scripts become a conjunction (section 3.2.1), unsatisfiable ones a
disjunction with the fusion constraints (3.2.2), and one of each is fused as in section 3.2.3.
Functions, sorts and datatypes of both scripts are kept under different names. New here: seeds with
several checks, whose scopes are kept in half of the mutants.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from murxpy.errors import InputError
from murxpy.logic.terms import Term
from murxpy.machine.random import Stream
from murxpy.smtlib.building import Tables
from murxpy.smtlib.script import (
    CHECKS,
    Assert,
    CheckSat,
    CheckSatUsing,
    Command,
    DeclareDatatypes,
    DeclareSort,
    DefineFunsRec,
    Other,
    Pop,
    Push,
    Reset,
    ResetAssertions,
    Script,
    SetLogic,
)
from murxpy.sources.mutation.entry import DROP_OPTIONS, Entry, Setting
from murxpy.sources.mutation.functions.choosing import convert, serve
from murxpy.sources.mutation.preparing import views
from murxpy.sources.mutation.tieable import NUMBER, declared, declared_sorts, group, unbounded
from murxpy.sources.mutation.tying import Divisors, Tied, Tying, nonzero
from murxpy.sources.mutation.workshop import Mutant, Mutants, MutationSession, Seed, Workshop

NESTED = 0.5  # the share of mutants of an incremental seed that keep its scopes and checks
PLAIN = 0.5  # the share of mutants whose inverses divide without a case for 0, where that is sound
_TRIES = 10  # tries until something is replaced
_SECOND = "_2"
KEPT = (DeclareSort, DeclareDatatypes, DefineFunsRec)
LABELS = {"sat": ("sat", "sat"), "unsat": ("unsat", "unsat"), "mixed": ("sat", "unsat")}
ANY = "any"  # two satisfiable seeds in some runs, and two unsatisfiable ones in others
EITHER, BOTH = "either", "both"  # a disjunction or a conjunction of the two scripts


def labels(choices: Mapping[str, Any]) -> Sequence[str]:
    """The labels that the two seeds can have."""
    oracle = str(choices.get("oracle") or "sat")
    return ("sat unsat",) * 2 if oracle == ANY else LABELS[oracle]


def groups(place: int, seed: Seed, choices: Mapping[str, Any]) -> frozenset[str]:
    """The names of groups of seeds that can be tied: two seeds with a group in common fit together.
    With the oracle `any`, two seeds fit only if they have a label in common.
    """
    if choices.get("oracle") != ANY:
        return _tieable(place, seed, choices, labels(choices))
    return frozenset(
        f"{label} {name}"
        for label in seed.label.split()
        for name in _tieable(place, seed, choices, LABELS[label])
    )


def _tieable(
    place: int, seed: Seed, choices: Mapping[str, Any], wanted: Sequence[str]
) -> frozenset[str]:
    """The sorts of the constants of a seed, and the groups of sorts that can be converted, where the
    seeds have the `wanted` labels. Some groups hold at one place of a run only.
    """
    if choices.get("concat_only"):
        return frozenset(["any"])
    known = declared(seed.text)
    common = known.unbounded or wanted == LABELS["unsat"]
    only = choices.get("functions_only") or ()
    sorts = known.sorts(common)
    found = {sort for sort in sorts if serve(only, sort)}
    for sort in sorts:
        name = group(sort)
        if name == NUMBER and convert(only, name):
            other = "Real" if sort == "Int" else "Int"
            found.add(" and ".join((other, sort) if place else (sort, other)))
        elif name is not None and convert(only, name):
            found.add(name)
    if choices.get("within"):
        # A seed that can be tied within itself at one place fits any seed at the other place.
        found.add(f"beside {1 - place}")
        if any(number > 1 and serve(only, sort) for sort, number in sorts.items()):
            found.add(f"beside {place}")
    return frozenset(found)


def mutants(workshop: Workshop) -> Mutants:
    """Fusions of the two seeds. Each one begins with the seeds again."""
    tables, wanted = workshop.tables, _wanted(workshop)
    try:
        first = workshop.read(workshop.seeds[0])
        tables.suffix, tables.shared = _SECOND, _shared(workshop, wanted)
        second = workshop.read(workshop.seeds[1])
    except InputError:
        return
    if any(map(own_command, (first, second))):
        return
    tables.suffix = ""
    fuser = _Fuser(workshop, (first, second), wanted)
    if not fuser.fitting:
        return
    while (mutant := fuser.mutant()) is not None:
        yield mutant
        if workshop.choices.get("concat_only"):
            return


def _wanted(workshop: Workshop) -> Sequence[str]:
    """The labels that the two seeds of a run have at the checks that are fused. With the oracle `any`,
    one of the labels that the seeds have in common is drawn for both.
    """
    if workshop.choices.get("oracle") != ANY:
        return labels(workshop.choices)
    first, second = (seed.label.split() for seed in workshop.seeds[:2])
    common = [label for label in first if label in second]
    return LABELS[workshop.stream.choose(common) if common else "sat"]


def own_command(script: Script) -> str:
    """Return the first command that only some solvers have; empty if there is none."""
    return next((c.text.split()[0] for c in script.commands if isinstance(c, Other)), "")


def lacks(shop: MutationSession, script: Script, seed: Seed) -> str:
    """Return why a seed cannot be fused; empty if it can."""
    word = own_command(script)
    return f"it has the command '{word}', which only some solvers know" if word else ""


def _shared(workshop: Workshop, wanted: Sequence[str]) -> frozenset[str]:
    """The uninterpreted sorts that both seeds have in common. Satisfiable seeds have them in common
    only if nothing bounds the number of their elements; a model of both is then infinite.
    """
    texts = [seed.text for seed in workshop.seeds[:2]]
    if wanted != LABELS["unsat"] and not all(map(unbounded, texts)):
        return frozenset()
    return declared_sorts(texts[0]) & declared_sorts(texts[1])


def _tactics(script: Script) -> list[str]:
    """The tactics by which a script checks, each as often as it does."""
    return [c.tactic for c in script.commands if isinstance(c, CheckSatUsing)]


def _status(first: str, second: str) -> str:
    """The status of two sets of assertions together, from the status of each."""
    if "unsat" in (first, second):
        return "unsat"
    return "sat" if first == second == "sat" else "unknown"


class _Fuser:
    """Fuses two scripts whose terms are in the same tables. In a script with several checks, each
    check with the right label counts as a seed of its own.
    """

    def __init__(
        self, workshop: Workshop, scripts: tuple[Script, Script], wanted: Sequence[str]
    ) -> None:
        self._tables: Tables = workshop.tables
        self._stream: Stream = workshop.stream
        self._labels = wanted
        self._concat = bool(workshop.choices.get("concat_only"))
        self._constrained = bool(workshop.choices.get("all_constraints"))
        self._tying = Tying(
            workshop.catalogue, self._tables, self._stream, scripts, workshop.choices
        )
        self._scripts = scripts
        self._views = [
            views(script, seed.label) for script, seed in zip(scripts, workshop.seeds, strict=True)
        ]
        self._sides = [
            [v.asserted for v in found if v.label == label]
            for found, label in zip(self._views, self._labels, strict=True)
        ]
        self.fitting = all(self._sides)
        kept_checks = workshop.keeps_options and workshop.shop.tactics
        self._tactics = [_tactics(script) if kept_checks else [] for script in scripts]
        self._incremental = [at for at, script in enumerate(scripts) if script.incremental]
        kept = [c for script in scripts for c in script.commands if isinstance(c, KEPT)]
        sorts = dict.fromkeys(c for c in kept if isinstance(c, DeclareSort))
        others = [c for c in kept if not isinstance(c, DeclareSort)]
        self._head: list[Command] = [SetLogic("ALL"), *sorts, *others]

    def mutant(self) -> Mutant | None:
        """One fusion; None if no two constants can be tied."""
        for _ in range(_TRIES):
            inner = (
                self._stream.choose(self._incremental)
                if self._incremental and self._stream.chance(NESTED)
                else None
            )
            sides = [
                self._scripts[at].assertions() if at == inner else self._side(at) for at in range(2)
            ]
            if inner is not None:
                tied = self._tied(sides, Divisors())
                made = self._nested(tied, inner)
            else:
                kind = self._kind()
                tied = self._tied(sides, self._divisors(kind, sides))
                made = self._put_together(tied, kind)
            if self._concat or tied.replaced:
                return made
            if not tied.ties:
                return None
        return None

    def _tied(self, sides: list[list[Term]], divisors: Divisors) -> Tied:
        return Tied(sides) if self._concat else self._tying.tied(sides, divisors)

    def _side(self, at: int) -> list[Term]:
        """The assertions at one of the checks of a seed that have the right label."""
        sides = self._sides[at]
        return list(sides[0] if len(sides) == 1 else self._stream.choose(sides))

    def _check(self) -> Command:
        """The check of two scripts put together: by a tactic of a seed where one of the two has some."""
        tactics = [tactic for found in self._tactics for tactic in found]
        return CheckSatUsing(self._stream.choose(tactics)) if tactics else CheckSat()

    def _kind(self) -> str:
        """The way in which the two scripts are put together."""
        if self._labels == LABELS["mixed"]:
            return EITHER if self._stream.chance(0.5) else BOTH
        return BOTH if self._labels == LABELS["sat"] else EITHER

    def _expected(self, kind: str) -> str:
        if self._labels != LABELS["mixed"]:
            return self._labels[0]
        return "sat" if kind == EITHER else "unsat"

    def _divisors(self, kind: str, sides: Sequence[Sequence[Term]]) -> Divisors:
        """The constants that can be divisors without a case for 0.

        Divisors that satisfiable assertions keep from being 0 can always be different from 0. Of an
        unsatisfiable mutant, each constant can be: either the inversions are asserted, or that the
        constant is not 0. Of one satisfiable seed in a disjunction, the constants of the other seed
        can be, because the model is free to choose them.
        """
        own = [script.constants() for script in self._scripts]
        if self._expected(kind) == "unsat":
            if self._constrained:
                return Divisors((*own[0], *own[1]))
            return Divisors((), (*own[0], *own[1]) if self._plain() else ())
        if not self._plain():
            return Divisors()
        if kind == EITHER:
            return Divisors(nonzero(sides[0]), own[1])
        return Divisors(nonzero((*sides[0], *sides[1])))

    def _plain(self) -> bool:
        return self._stream.chance(PLAIN)

    def _put_together(self, tied: Tied, kind: str) -> Mutant:
        sides, expected = tied.sides, self._expected(kind)
        asserted = [*sides[0], *sides[1]]
        if kind == EITHER:
            asserted = [self._tables.apply("OP_OR", *map(self._tables.conjunction, sides))]
        if expected == "unsat":
            asserted += tied.ties
        steps = tied.steps or ["fusion: nothing tied"]
        if self._labels == LABELS["mixed"]:
            steps = [*steps, f"fusion: {kind}"]
        commands = [*self._head, *map(Assert, [*asserted, *tied.also]), self._check()]
        return self._made(commands, steps, (expected,), tied)

    def _nested(self, tied: Tied, inner: int) -> Mutant:
        """One seed with all its scopes and checks, together with the assertions at a check of the
        other seed.

        A check is sat if both seeds are sat there. The result is unsat if one seed is unsat and the
        ties hold, because the ties make the replacements equal to what they replace.
        """
        outer, asserted = self._labels[1 - inner], iter(tied.sides[inner])
        labelled = iter(self._views[inner])
        commands: list[Command] = []
        expected: list[str] = []
        for command in self._scripts[inner].commands:
            if isinstance(command, Reset | ResetAssertions):
                break
            if isinstance(command, Assert):
                commands.append(Assert(next(asserted)))
            elif isinstance(command, Push | Pop):
                commands.append(command)
            elif isinstance(command, CHECKS):
                by_tactic = isinstance(command, CheckSatUsing) and not self._tactics[inner]
                commands.append(CheckSat() if by_tactic else command)
                expected.append(_status(outer, next(labelled).label))
        ties = tied.ties if "unsat" in expected else []
        around = [*tied.sides[1 - inner], *tied.also, *ties]
        commands = [*self._head, *map(Assert, around), *commands]
        steps = (*tied.steps, f"fusion: in scopes, {len(expected)} checks")
        return self._made(commands, steps, tuple(expected), tied)

    def _made(
        self, commands: list[Command], steps: Sequence[str], expected: tuple[str, ...], tied: Tied
    ) -> Mutant:
        script = Script("fusion", self._tables, commands)
        return Mutant(script, tuple(steps), expected, tuple(tied.traits))


ENTRY = Entry(
    "fusion",
    "Fuzz with pairs of scripts made one, whose answer is known.",
    "Fuzz with pairs of scripts made one, tied together so that the answer is known.\n\n"
    "SEEDS are SMT-LIB scripts and folders of them, labelled by (set-info :status ...), or by a "
    "folder sat or unsat.",
    mutants,
    labels,
    groups,
    lacks,
    settings=(
        DROP_OPTIONS,
        Setting(
            "oracle",
            "Fuse two satisfiable scripts, two unsatisfiable ones, either of these (any), or one of each "
            "(mixed).",
            "choice",
            choices=(ANY, *LABELS),
            default=ANY,
        ),
        Setting(
            "functions",
            "Your own fusion functions, SMT-LIB definitions or the blocks of YinYang's configuration;"
            " z3 and cvc5 check their laws first.",
            "functions",
            metavar="FILE",
        ),
        Setting(
            "functions-only",
            "Use only these fusion functions, built-in ones (int-mul, string-parts, ...) or your own.",
            "function-names",
            metavar="NAMES",
        ),
        Setting(
            "generate",
            "Make fusion functions at random, of up to N links on each side.",
            "number",
            least=0,
            most=20,
            default=0,
            metavar="N",
        ),
        Setting(
            "max-pairs",
            "Largest number of pairs of constants that a mutant ties; 0 for no bound.",
            "number",
            least=0,
            most=100_000,
            default=0,
            metavar="N",
        ),
        Setting(
            "max-replaced",
            "Largest number of occurrences of one constant that are replaced; 0 for no bound."
            "  [default: 12, in a tenth of the mutants no bound]",
            "number",
            least=0,
            most=100_000,
            metavar="N",
        ),
        Setting("within", "Also tie two constants of the same script."),
        Setting(
            "all-constraints",
            "Assert the inversions of unsatisfiable mutants beside the values of the new constants.",
        ),
        Setting("concat-only", "Tie nothing: only put the two scripts together (ConcatFuzz)."),
    ),
)
