"""Semantic Fusion: two scripts of known status become one script of known status, whose constants
are connected by fusion functions.

Winterer, Zhang, Su, PLDI 2020: satisfiable scripts become a conjunction, unsatisfiable ones a
disjunction with the fusion constraints. Mixed fusion is that of Winterer's thesis, section 3.2.3.
Functions, sorts and datatypes of both scripts are kept under different names. New here: seeds with
several checks, whose scopes are kept in half of the mutants.
"""

from __future__ import annotations

import functools
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from murxpy.errors import InputError
from murxpy.logic.terms import CONSTANT, Term
from murxpy.machine.random import Stream
from murxpy.mutation.entry import Entry, Setting
from murxpy.mutation.functions.composed import LITERALS, composed
from murxpy.mutation.functions.inversions import RULES, Maker, Rule, rules_of
from murxpy.mutation.functions.user_functions import user_rules
from murxpy.mutation.occurrences import Holding, Occurrences
from murxpy.mutation.views import views
from murxpy.mutation.workshop import Mutant, Mutants, Seed, Workshop
from murxpy.smtlib.commands import (
    CHECKS,
    Assert,
    CheckSat,
    CheckSatAssuming,
    Command,
    DeclareDatatypes,
    DeclareSort,
    DefineFunsRec,
    Other,
    Pop,
    Push,
    Reset,
    ResetAssertions,
    SetLogic,
)
from murxpy.smtlib.script import Script
from murxpy.smtlib.tables import Tables

PAIRS = 3  # the largest number of pairs of constants that are fused in a mutant
NESTED = 0.5  # the share of mutants of an incremental seed that keep its scopes and checks
MOST_REPLACED = 12  # the largest number of occurrences of one constant that are replaced
_SECOND = "_2"
_KEPT = (DeclareSort, DeclareDatatypes, DefineFunsRec)
_SORT = r"[^\s()]+|\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)"
_CONSTANT = re.compile(
    rf"\(\s*declare-(?:const|fun)\s+(?:\|[^|]*\||[^\s()|]++)\s*+(?:\(\s*\)\s*+)?({_SORT})\s*\)"
)
_UNFUSED = ("RegLan",)
LABELS = {"sat": ("sat", "sat"), "unsat": ("unsat", "unsat"), "mixed": ("sat", "unsat")}


def labels(choices: Mapping[str, Any]) -> Sequence[str]:
    """The labels that the two seeds must have."""
    return LABELS[str(choices.get("oracle", "sat"))]


def mutants(workshop: Workshop) -> Mutants:
    """Fusions of the two seeds. Each one begins with the seeds again."""
    try:
        first = workshop.read(workshop.seeds[0])
        workshop.tables.suffix = _SECOND
        second = workshop.read(workshop.seeds[1])
    except InputError:
        return
    if any(isinstance(c, Other) for script in (first, second) for c in script.commands):
        return
    fuser = _Fuser(workshop, (first, second))
    if not fuser.fitting:
        return
    while (mutant := fuser.mutant()) is not None:
        yield mutant


def _both(first: str, second: str) -> str:
    """The status of two sets of assertions together, from the status of each."""
    if "unsat" in (first, second):
        return "unsat"
    return "sat" if first == second == "sat" else "unknown"


def fit(first: Seed, second: Seed) -> bool:
    """Whether two seeds have constants that can be fused, by their declarations: two constants of
    one sort, in any of the seeds.
    """
    here, there = _declared(first.text), _declared(second.text)
    return len({*here, *there}) < len(here) + len(there)


@functools.cache
def _declared(text: str) -> tuple[str, ...]:
    """The sorts of the constants that a script declares, as they are written; each sort at most
    twice.
    """
    sorts = [" ".join(sort.split()) for sort in _CONSTANT.findall(text)]
    return tuple(
        sort
        for sort in dict.fromkeys(sorts)
        if sort not in _UNFUSED
        for _ in range(min(2, sorts.count(sort)))
    )


def _several(constants: Sequence[Term]) -> list[Term]:
    """The constants that are not the only one of their sort."""
    counts = Counter(c.sort for c in constants)
    return [c for c in constants if counts[c.sort] > 1]


@dataclass
class _Fused:
    """The assertions of both seeds, with constants replaced, and what belongs to the replacements.

    `ties` define the new constants, `also` are conditions on further new constants, and `steps`
    describe the replacements to readers.
    """

    sides: list[list[Term]]
    ties: list[Term] = field(default_factory=list)
    also: list[Term] = field(default_factory=list)
    steps: list[str] = field(default_factory=list)


class _Fuser:
    """Fuses two scripts whose terms are in the same tables. In a script with several checks, each
    check with the right label counts as a seed of its own.
    """

    def __init__(self, workshop: Workshop, scripts: tuple[Script, Script]) -> None:
        self._catalogue = workshop.catalogue
        self._tables: Tables = workshop.tables
        self._stream: Stream = workshop.stream
        self._labels = labels(workshop.choices)
        self._occurrences: dict[Term, Occurrences] = {}
        self._holding = Holding(term for script in scripts for term in script.constants())
        links = int(workshop.choices.get("generate") or 0)
        self._composed = composed(links) if links else None
        workshop.tables.suffix = ""
        functions = str(workshop.choices.get("functions") or "")
        self._own = list(user_rules(functions, workshop.tables)) if functions else []
        self._scripts = scripts
        self._views = [
            views(script, seed.label) for script, seed in zip(scripts, workshop.seeds, strict=True)
        ]
        self._sides = [
            [v.asserted for v in found if v.label == label]
            for found, label in zip(self._views, self._labels, strict=True)
        ]
        self.fitting = all(self._sides)
        self._incremental = [at for at, script in enumerate(scripts) if script.incremental]
        self._constants = [
            [c for c in script.constants() if c.op == CONSTANT and rules_of(c.sort)]
            for script in scripts
        ]
        self._head: list[Command] = [
            SetLogic("ALL"),
            *(c for s in scripts for c in s.commands if isinstance(c, _KEPT)),
        ]

    def mutant(self) -> Mutant | None:
        """One fusion; None if no two constants have the same sort."""
        inner = (
            self._stream.choose(self._incremental)
            if self._incremental and self._stream.chance(NESTED)
            else None
        )
        sides = [
            self._scripts[at].assertions() if at == inner else self._side(at) for at in range(2)
        ]
        fused = self._fuse(sides)
        if not fused.ties:
            return None
        if inner is not None:
            return self._nested(fused, inner)
        return self._put_together(fused)

    def _fuse(self, sides: list[list[Term]]) -> _Fused:
        """Fuse some pairs of constants of these assertions, and change the assertions for it."""
        fused = _Fused(sides)
        maker = Maker(self._tables, self._stream)
        used: dict[Term, None] = {}
        for number in range(self._stream.between(1, PAIRS)):
            pair = self._pair(used)
            if pair is None:
                break
            used.update(dict.fromkeys(pair))
            name, rule = self._rule(pair[0])
            fusion = rule(maker, *pair)
            value = maker.new(f"z{number}_", fusion.value.sort)
            fused.ties.append(self._tables.apply("OP_EQUAL", value, fusion.value))
            fused.also += fusion.also
            first, second = (
                self._replace(sides, pair[0], fusion.first(value)),
                self._replace(sides, pair[1], fusion.second(value)),
            )
            fused.steps.append(
                f"fusion: {name} of {pair[0].indices[0]} ({first} replaced) and {pair[1].indices[0]} ({second} replaced)"
            )
        return fused

    def _side(self, at: int) -> list[Term]:
        """The assertions at one of the checks of a seed that have the right label."""
        sides = self._sides[at]
        return list(sides[0] if len(sides) == 1 else self._stream.choose(sides))

    def _rule(self, x: Term) -> tuple[str, Rule]:
        """A fusion function for terms of the sort of `x`: one of the user's functions if there are
        any; otherwise one of the program's, or now and then a composed one.
        """
        own = [(name, rule) for name, sort, rule in self._own if sort is x.sort]
        if own:
            return self._stream.choose(own)
        if (
            self._composed is not None
            and x.sort.kind in LITERALS
            and x.sort.kind in RULES
            and self._stream.chance(0.5)
        ):
            return "composed", self._composed
        return self._stream.choose(list(rules_of(x.sort).items()))

    def _pair(self, used: Mapping[Term, None]) -> tuple[Term, Term] | None:
        """Two constants of one sort that are not fused yet. If possible they are of different
        seeds.
        """
        first, second = ([c for c in constants if c not in used] for constants in self._constants)
        there = {c.sort for c in second}
        fitting = [c for c in first if c.sort in there]
        alone = [(c, constants) for constants in (first, second) for c in _several(constants)]
        if fitting and (not alone or self._stream.chance(0.9)):
            x, among = self._stream.choose(fitting), second
        elif alone:
            x, among = self._stream.choose(alone)
        else:
            return None
        return x, self._stream.choose([c for c in among if c.sort is x.sort and c is not x])

    def _replace(self, sides: list[list[Term]], constant: Term, new: Term) -> int:
        """Replace some occurrences of a constant, in both seeds, by `new`. The result is how many
        were replaced.
        """
        occurrences = self._occurrences.get(constant)
        if occurrences is None:
            within = self._holding.test(constant)
            occurrences = self._occurrences[constant] = Occurrences(
                self._catalogue, lambda term: term is constant, within
            )
        counts = [
            (side, at, occurrences.count(term)) for side in sides for at, term in enumerate(side)
        ]
        total = sum(count for _, _, count in counts)
        wanted = min(self._stream.between(0, total), MOST_REPLACED)
        drawn: dict[int, None] = {}
        while len(drawn) < wanted:
            drawn[self._stream.below(total)] = None
        numbers, first = sorted(drawn), 0
        for side, at, count in counts:
            there = [number - first for number in numbers if first <= number < first + count]
            if there:
                side[at] = occurrences.replace(self._tables, side[at], there, new)
            first += count
        return wanted

    def _put_together(self, fused: _Fused) -> Mutant:
        sides, ties, steps = fused.sides, fused.ties, fused.steps
        if self._labels == ("sat", "sat"):
            asserted, expected = [*sides[0], *sides[1]], "sat"
        elif self._labels == ("unsat", "unsat"):
            asserted, expected = [self._either(sides), *ties], "unsat"
        elif self._stream.chance(0.5):
            asserted, expected = [self._either(sides)], "sat"
            steps.append("fusion: either")
        else:
            asserted, expected = [*sides[0], *sides[1], *ties], "unsat"
            steps.append("fusion: both")
        commands = [*self._head, *map(Assert, [*asserted, *fused.also]), CheckSat()]
        return Mutant(Script("fusion", self._tables, commands), tuple(steps), (expected,))

    def _nested(self, fused: _Fused, inner: int) -> Mutant:
        """One seed with all its scopes and checks, together with the assertions at a check of the
        other seed.

        A check is sat if both seeds are sat there. It is unsat if one seed is unsat and the ties
        hold, because the ties make the replacements equal to what they replace.
        """
        outer, asserted = self._labels[1 - inner], iter(fused.sides[inner])
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
                commands.append(command if isinstance(command, CheckSatAssuming) else CheckSat())
                expected.append(_both(outer, next(labelled).label))
        tied = fused.ties if "unsat" in expected else []
        around = [*fused.sides[1 - inner], *fused.also, *tied]
        commands = [*self._head, *map(Assert, around), *commands]
        steps = (*fused.steps, f"fusion: in scopes, {len(expected)} checks")
        return Mutant(Script("fusion", self._tables, commands), steps, tuple(expected))

    def _either(self, sides: list[list[Term]]) -> Term:
        return self._tables.apply("OP_OR", *map(self._tables.conjunction, sides))


ENTRY = Entry(
    "fusion",
    "Fuzz with pairs of scripts made one, whose answer is known.",
    "Fuzz with pairs of scripts made one, tied together so that the answer is known.\n\n"
    "SEEDS are SMT-LIB scripts and folders of them, labelled by (set-info :status ...), or by a "
    "folder sat or unsat.",
    mutants,
    labels,
    fit,
    settings=(
        Setting(
            "oracle",
            "Fuse satisfiable scripts, unsatisfiable ones, or one of each.",
            "choice",
            choices=tuple(LABELS),
            default="sat",
        ),
        Setting(
            "functions",
            "Your own fusion functions, SMT-LIB definitions; z3 and cvc5 check their laws first.",
            "functions",
            metavar="FILE",
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
    ),
)
