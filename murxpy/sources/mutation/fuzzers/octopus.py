"""Unsatisfiable seeds put together again from their cores.

After Octopus. The core of an unsatisfiable seed stays unsatisfiable in any company, and when its constants
are replaced by other terms. So the cores of several seeds, taken apart and put together by connectives,
scopes and assumptions, make scripts that must be unsat, and of which the solver has to find out why.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product, zip_longest

from murxpy.errors import InputError
from murxpy.logic.sorts import Sort
from murxpy.logic.terms import CONSTANT, FUNCTION, Term
from murxpy.logic.walks import subterms
from murxpy.smtlib.building import substituted
from murxpy.smtlib.script import (
    Assert,
    CheckSat,
    CheckSatAssuming,
    Command,
    DeclareSort,
    DefineFunsRec,
    Pop,
    Push,
    Script,
    SetLogic,
)
from murxpy.sources.mutation.assignments import fragments, fresh_prefix
from murxpy.sources.mutation.entry import DROP_OPTIONS, Entry
from murxpy.sources.mutation.fuzzers.fusion import KEPT, lacks, own_command
from murxpy.sources.mutation.preparing import core_of, prepared, views
from murxpy.sources.mutation.tieable import declared_sorts
from murxpy.sources.mutation.workshop import Mutant, Mutants, Workshop

SEEDS = 3  # seeds of a run
LARGEST = 40  # formulas of a core that is taken apart, at most
PAIRS = 100  # pairs of formulas of two cores, at most
REPLACED = 0.6  # the chance that a constant becomes a term of another core
NOISE = 6  # other formulas of the seeds in one script, at most

Made = tuple[list[Command], list[str]]
"""Commands, and what their checks must answer."""


def mutants(workshop: Workshop) -> Mutants:
    """Scripts of the cores of the seeds, each put together in another way."""
    scripts = _scripts(workshop)
    if not scripts:
        return
    builder = _Builder(workshop, scripts)
    if not builder.cores:
        return
    while True:
        yield builder.mutant()


def _scripts(workshop: Workshop) -> list[Script]:
    """The scripts of the seeds, in tables of their own names, except for uninterpreted sorts of one name,
    which are one sort. A seed that cannot be read is left out.
    """
    found, tables, seen = list[Script](), workshop.tables, dict[str, None]()
    for number, seed in enumerate(workshop.seeds):
        if seed.text in seen:
            continue
        seen[seed.text] = None
        tables.suffix = f"_{number + 1}" if number else ""
        tables.shared = declared_sorts(workshop.seeds[0].text) if number else frozenset()
        try:
            script = workshop.read(seed)
        except InputError:
            continue
        finally:
            tables.suffix, tables.shared = "", frozenset()
        if not own_command(script):
            found.append(script)
    return found


class _Builder:
    """Puts cores together."""

    def __init__(self, workshop: Workshop, scripts: Sequence[Script]) -> None:
        self._workshop = workshop
        self._tables = workshop.tables
        self._stream = workshop.stream
        self._name = scripts[0].name
        self.cores: list[list[Term]] = []
        self._fixed: list[bool] = []  # the cores whose constants stay
        self._others: list[Term] = []
        for script in scripts:
            unsat = [view for view in views(script, self._label(script)) if view.label == "unsat"]
            if not unsat:
                continue
            plain = prepared(script)
            core = core_of(workshop, plain, self._stream.choose(unsat).asserted)
            if len(core) <= LARGEST:
                self.cores.append(core)
                self._fixed.append(_fixed(plain, core))
            self._others += fragments(workshop.catalogue, plain.assertions())
        kept = [c for script in scripts for c in script.commands if isinstance(c, KEPT)]
        sorts = dict.fromkeys(c for c in kept if isinstance(c, DeclareSort))
        others = [c for c in kept if not isinstance(c, DeclareSort)]
        self._head: list[Command] = [SetLogic("ALL"), *sorts, *others]
        constants = [t for t in subterms(self._others) if t.op == CONSTANT]
        self._guards = fresh_prefix(self._tables, constants, "arm_")

    def _label(self, script: Script) -> str:
        return next(s.label for s in self._workshop.seeds if s.name == script.name)

    def mutant(self) -> Mutant:
        """A script of two cores or three, or of one that is taken apart."""
        stream = self._stream
        order = stream.sample(range(len(self.cores)), stream.between(1, SEEDS))
        first = self.cores[order[0]]
        arms = [first, *(self._joined(at, first) for at in order[1:])]
        if len(arms) == 1:  # a core beside itself, with other terms for its constants
            arms.append(self._joined(order[0], first))
        way, make = stream.choose(list(_WAYS.items()))
        commands, expected = make(self, arms)
        noise = [self._noise() for _ in range(stream.below(NOISE + 1) if self._others else 0)]
        script = Script(self._name, self._tables, [*self._head, *map(Assert, noise), *commands])
        sizes = " and ".join(str(len(arm)) for arm in arms)
        step = f"octopus: {way}, cores of {sizes}, {len(noise)} other formulas"
        return Mutant(script, (step,), tuple(expected))

    def _noise(self) -> Term:
        term = self._stream.choose(self._others)
        return self._tables.apply("OP_NOT", term) if self._stream.chance(0.5) else term

    def _joined(self, number: int, other: Sequence[Term]) -> list[Term]:
        """A core, some of whose constants are replaced by terms of another one."""
        core = self.cores[number]
        if self._fixed[number]:
            return core
        terms: dict[Sort, list[Term]] = {}
        closed = [t for t in subterms(other) if not t.free and t.op != FUNCTION]
        for term in sorted(closed, key=lambda term: term.serial):
            terms.setdefault(term.sort, []).append(term)
        constants = [t for t in subterms(core) if t.op == CONSTANT and t.sort.kind != "SORT_FUN"]
        new = {
            constant: self._stream.choose(terms[constant.sort])
            for constant in sorted(constants, key=lambda term: term.serial)
            if constant.sort in terms and self._stream.chance(REPLACED)
        }
        return [substituted(self._tables, formula, new) for formula in core]

    def _guard(self, number: int) -> Term:
        return self._tables.constant(f"{self._guards}{number}", self._tables.bool)

    def together(self, arms: Sequence[list[Term]]) -> Made:
        """All formulas in one conjunction, of some cores without one of them: one core is whole."""
        whole = self._stream.below(len(arms))
        formulas = []
        for at, arm in enumerate(arms):
            gone = -1 if at == whole else self._stream.below(len(arm) + 1)
            formulas += [formula for place, formula in enumerate(arm) if place != gone]
        self._stream.shuffle(formulas)
        return [*map(Assert, formulas), CheckSat()], ["unsat"]

    def either(self, arms: Sequence[list[Term]]) -> Made:
        """The disjunction of the cores."""
        parts = [self._tables.conjunction(list(arm)) for arm in arms]
        return [Assert(self._tables.apply("OP_OR", *parts)), CheckSat()], ["unsat"]

    def pairs(self, arms: Sequence[list[Term]]) -> Made:
        """The disjunction of two cores, multiplied out."""
        if len(arms[0]) * len(arms[1]) > PAIRS:
            return self.either(arms)
        formulas = [self._tables.apply("OP_OR", *pair) for pair in product(*arms[:2])]
        self._stream.shuffle(formulas)
        return [*map(Assert, formulas), CheckSat()], ["unsat"]

    def cases(self, arms: Sequence[list[Term]]) -> Made:
        """A new Boolean constant chooses between the formulas of two cores."""
        tables, guard = self._tables, self._guard(0)
        formulas = [
            tables.apply("OP_ITE", guard, one, other)
            for one, other in zip_longest(*arms[:2], fillvalue=tables.true)
        ]
        return [*map(Assert, formulas), CheckSat()], ["unsat"]

    def scopes(self, arms: Sequence[list[Term]]) -> Made:
        """The cores one after another, each with some formulas outside its scope and the rest within."""
        commands, expected = list[Command](), list[str]()
        for arm in arms:
            cut = self._stream.between(0, len(arm) - 1)
            commands += [Push(1), *map(Assert, arm[:cut]), Push(1), *map(Assert, arm[cut:])]
            commands += [CheckSat(), Pop(1), *map(Assert, arm[cut:]), CheckSat(), Pop(1)]
            expected += ["unsat", "unsat"]
        return commands, expected

    def assumptions(self, arms: Sequence[list[Term]]) -> Made:
        """The formulas of each core behind a new Boolean constant, which the checks assume."""
        guards = [self._guard(number) for number in range(len(arms))]
        commands: list[Command] = [
            Assert(self._tables.apply("OP_IMPLIES", guard, formula))
            for guard, arm in zip(guards, arms, strict=True)
            for formula in arm
        ]
        commands += [CheckSatAssuming((guard,)) for guard in guards]
        return [*commands, CheckSatAssuming(tuple(guards))], ["unsat"] * (len(guards) + 1)


def _fixed(script: Script, core: Sequence[Term]) -> bool:
    """Whether the constants of a core must stay: those of recursive definitions mean something outside the
    core, and those in patterns cannot become any term.
    """
    patterns = any(term.op.endswith("_PATTERN") for term in subterms(core))
    return patterns or any(isinstance(c, DefineFunsRec) for c in script.commands)


_WAYS: dict[str, Callable[[_Builder, Sequence[list[Term]]], Made]] = {
    "together": _Builder.together,
    "either": _Builder.either,
    "pairs": _Builder.pairs,
    "cases": _Builder.cases,
    "scopes": _Builder.scopes,
    "assumptions": _Builder.assumptions,
}


ENTRY = Entry(
    "octopus",
    "Fuzz with the cores of scripts, put together unsatisfiable.",
    "Fuzz with the cores of unsatisfiable scripts, put together so that the answer stays unsat.\n\n"
    "SEEDS are SMT-LIB scripts and folders of them, labelled unsat by (set-info :status ...), or by a "
    "folder unsat.",
    mutants,
    lambda settings: ("unsat",) * SEEDS,
    lacks=lacks,
    asks=True,
    settings=(DROP_OPTIONS,),
)
