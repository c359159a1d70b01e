"""The two pools of STORM: the fragments of a seed, and the formulas that are built of them, each with
its truth in one assignment.

Mansur et al., FSE 2020, algorithm 1 and section 4.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from murxpy.logic.terms import Term
from murxpy.machine.random import Stream
from murxpy.smtlib.building import Tables
from murxpy.smtlib.printed_models import Model, declared
from murxpy.smtlib.script import Assert, CheckSat, CheckSatUsing, Command, Pop, Push, Script
from murxpy.sources.mutation.assignments import (
    QUANTIFIERS,
    Assignment,
    Depths,
    alone,
    answered,
    best,
    fragments,
    fresh_prefix,
    models,
    opened,
)
from murxpy.sources.mutation.entry import DROP_OPTIONS, Entry, Setting
from murxpy.sources.mutation.preparing import core_of, declaring, prepared, views
from murxpy.sources.mutation.workshop import Mutant, Mutants, Workshop

MOST_DEPTH = 64
MOST_FRAGMENTS = 2000  # more are sampled
MOST_OPENED = 64  # quantified formulas whose bodies are opened, at most
INITIAL = 0.3  # the chance of a fragment rather than a constructed formula
AND = 0.5  # the chance of a conjunction rather than a negation
TRIES = 8  # tries to build a formula within the bound of depth, for each that is wanted
# the other connectives, and the chance of one of them in place of a conjunction, with the switch
MORE = ("OP_OR", "OP_IMPLIES", "OP_XOR")
MORE_CHANCE = 0.5

Known = tuple[Term, bool]


def known_fragments(
    workshop: Workshop, script: Script, models: Sequence[Model], most_depth: int
) -> dict[Term, bool]:
    """The fragments of a script up to a depth, with their truth in one assignment. A fragment whose
    truth cannot be said is left out; of a quantified formula the body then serves, with constants
    for its variables.
    """
    depths = Depths(workshop.catalogue)
    found = [
        term
        for term in fragments(workshop.catalogue, script.assertions())
        if depths.of(term) <= most_depth
    ]
    if len(found) > MOST_FRAGMENTS:
        found = workshop.stream.sample(found, MOST_FRAGMENTS)
        found.sort(key=lambda term: term.serial)
    assignment = best(workshop, script, found, models)
    if assignment is None:
        return {}
    if models:  # a solver that does not decide the seed takes long for its formulas, too
        unknown = [term for term in found if term not in assignment.truths]
        assignment.truths.update(answered(workshop, script, unknown))
    _open(workshop, script, assignment, found, depths, most_depth)
    return assignment.truths


def _open(
    workshop: Workshop,
    script: Script,
    assignment: Assignment,
    found: Sequence[Term],
    depths: Depths,
    most_depth: int,
) -> None:
    """Judge the bodies of quantified formulas whose truth is not known, with new constants for their
    variables. The constants have values of their own, so the assignment stays one.
    """
    fresh = fresh_prefix(script.tables, declared(script))
    unknown = [term for term in found if _undecided(assignment, term)]
    seen = dict.fromkeys(unknown)
    for _ in range(MOST_OPENED):
        if not unknown or len(assignment.truths) >= MOST_FRAGMENTS:
            return
        body, constants = opened(script.tables, unknown.pop(0), fresh)
        for constant in constants:
            assignment.give(constant)
        inner = fragments(workshop.catalogue, [body])
        assignment.judge(term for term in inner if depths.of(term) <= most_depth)
        more = [term for term in inner if term not in seen and _undecided(assignment, term)]
        seen.update(dict.fromkeys(more))
        unknown += more


def _undecided(assignment: Assignment, term: Term) -> bool:
    return term.op in QUANTIFIERS and term not in assignment.truths


class Pools:
    """Fragments and constructed formulas, each with its truth, none deeper than `most_depth`. With
    `more`, formulas are also built by disjunction, implication and exclusive disjunction.
    """

    def __init__(
        self,
        stream: Stream,
        tables: Tables,
        initial: Mapping[Term, bool],
        most_depth: int,
        more: bool = False,
    ) -> None:
        self._stream = stream
        self._tables = tables
        self._depths = Depths(tables.catalogue)
        self._most_depth = most_depth
        self._more = more
        self.initial: list[Known] = list(initial.items())
        self.constructed: list[Known] = []
        self._sure = next((term for known in self.initial if (term := self._true(known))), None)

    @property
    def empty(self) -> bool:
        """Whether no formula can be asserted."""
        return self._sure is None

    def construct(self, count: int) -> None:
        """Build this number of formulas, or fewer if most would be too deep."""
        for _ in range(TRIES * count):
            if len(self.constructed) >= count:
                return
            built = self._built()
            if self._depths.of(built[0]) <= self._most_depth:
                self.constructed.append(built)

    def draw(self) -> Known:
        """A formula of either pool."""
        fragment = not self.constructed or self._stream.chance(INITIAL)
        return self._stream.choose(self.initial if fragment else self.constructed)

    def _built(self) -> Known:
        first, truth = self.draw()
        if not self._stream.chance(AND):
            return self._tables.apply("OP_NOT", first), not truth
        second, other = self.draw()
        kind = "OP_AND"
        if self._more and self._stream.chance(MORE_CHANCE):
            kind = self._stream.choose(MORE)
        return self._tables.apply(kind, first, second), _MEANING[kind](truth, other)

    def asserted(self) -> Term:
        """A formula that is true in the assignment: one of the pools, or the negation of a false
        one. The pools must not be empty.
        """
        for _ in range(TRIES):
            term = self._true(self.draw())
            if term is not None:
                return term
        assert self._sure is not None
        return self._sure

    def _true(self, known: Known) -> Term | None:
        """The formula, or its negation if it is false; None if that would be too deep."""
        term, truth = known
        if truth:
            return term
        if self._depths.of(term) < self._most_depth:
            return self._tables.apply("OP_NOT", term)
        return term.args[0] if term.op == "OP_NOT" else None


_MEANING: dict[str, Any] = {
    "OP_AND": lambda first, second: first and second,
    "OP_OR": lambda first, second: first or second,
    "OP_IMPLIES": lambda first, second: second or not first,
    "OP_XOR": lambda first, second: first is not second,
}


# ----------------------------------------------------------------------
# STORM: scripts that are satisfiable by construction. The formulas of a seed are recombined,
# so that all of them hold in a model of the seed. Mansur, Christakis, Wüstholz, Zhang:
# "Detecting critical bugs in SMT solvers using blackbox mutational fuzzing", FSE 2020. Our
# evaluator decides which formulas hold in the model, never the solver under test. New here:
# formulas below negation, implication and `ite` are fragments, too; and with `unsat`, instances
# keep a core of an unsatisfiable seed.


MOST_ASSERTIONS = 64
# the numbers of formulas that are built for a seed, and of the instances that are made of them: the
# least, the most, and how many for each fragment
CONSTRUCTED, PER_FRAGMENT = (200, 1500), 5
INSTANCES, INSTANCES_PER_FRAGMENT = (300, 1000), 3
INCREMENTAL = 0.5  # the share of runs whose instances have scopes
TACTICS = 0.5  # the share of instances whose checks use a tactic, for solvers that have tactics


def labels(choices: Mapping[str, Any]) -> Sequence[str]:
    """The label that the seed must have."""
    return ("unsat",) if choices.get("unsat") else ("",)


def mutants(workshop: Workshop) -> Mutants:
    """Instances that are made of the formulas of one seed."""
    script = workshop.script()
    if script is None:
        return
    question = _question(workshop, script)
    script = prepared(script)
    if question is None:
        return
    if workshop.choices.get("unsat"):
        yield from _unsatisfiable(workshop, script, question)
        return
    builder = _Builder(workshop, script, question)
    if builder.pools.empty:
        return
    incremental = workshop.stream.chance(INCREMENTAL)
    for _ in range(builder.instances):
        yield builder.instance(incremental)


def _question(workshop: Workshop, script: Script) -> Sequence[Term] | None:
    """The assertions whose model or contradiction is used: all of them, or those of one check if
    there are several. The text is empty if there are no questions.
    """
    if not script.incremental:
        return script.assertions()
    found = views(script)
    if workshop.choices.get("unsat"):
        found = [view for view in found if view.label == "unsat"]
    return workshop.stream.choose(found).asserted if found else None


def _unsatisfiable(workshop: Workshop, script: Script, asserted: Sequence[Term]) -> Mutants:
    """Instances with a core of `asserted`, partly in conjunctions, some of the other assertions,
    and other formulas of the seed.
    """
    parts = fragments(workshop.catalogue, script.assertions())
    tables, stream = script.tables, workshop.stream
    core = core_of(workshop, script, asserted)
    kept = set(core)
    rest = [term for term in asserted if term not in kept]
    while True:
        formulas = [
            tables.apply("OP_AND", term, stream.choose(parts)) if stream.chance(0.3) else term
            for term in core
        ]
        more = [stream.choose(parts) for _ in range(stream.below(8))]
        formulas += [tables.apply("OP_NOT", term) if stream.chance(0.5) else term for term in more]
        formulas += [term for term in rest if stream.chance(0.5)]
        stream.shuffle(formulas)
        yield Mutant(
            alone(script, formulas),
            (f"storm: {len(formulas) - len(core)} formulas around a core of {len(core)}",),
            ("unsat",),
        )


class _Builder:
    """Makes instances of formulas that are true in one assignment."""

    def __init__(self, workshop: Workshop, script: Script, asserted: Sequence[Term]) -> None:
        self._stream = workshop.stream
        self._tables = workshop.tables
        self._script = script
        choices = workshop.choices
        most_depth = int(choices.get("max_depth") or MOST_DEPTH)
        self._most_assertions = int(choices.get("max_assertions") or MOST_ASSERTIONS)
        self._tactics = workshop.catalogue.dialect(workshop.shop.dialect).tactics
        initial = known_fragments(workshop, script, models(workshop, script, asserted), most_depth)
        self.pools = Pools(
            workshop.stream,
            workshop.tables,
            initial,
            most_depth,
            bool(choices.get("more_connectives")),
        )
        self.instances = _within(INSTANCES, INSTANCES_PER_FRAGMENT * len(initial))
        if not self.pools.empty:
            most = int(choices.get("max_formulas") or CONSTRUCTED[1])
            self.pools.construct(min(most, _within(CONSTRUCTED, PER_FRAGMENT * len(initial))))
        self._head = declaring(script)
        self._asserted: dict[Term, Assert] = {}

    def instance(self, incremental: bool) -> Mutant:
        """A script of formulas that are true in the assignment."""
        stream = self._stream
        count = stream.between(1, self._most_assertions)
        formulas = [self._assert(self.pools.asserted()) for _ in range(count)]
        check: Command = CheckSat()
        if self._tactics and stream.chance(TACTICS):
            check = CheckSatUsing(stream.choose(self._tactics))
        if incremental:
            return self._incremental(formulas, check)
        return self._mutant([*formulas, check], f"storm: {count} formulas", 1)

    def _assert(self, term: Term) -> Assert:
        """The assertion of a formula, made once for each."""
        made = self._asserted.get(term)
        if made is None:
            made = self._asserted[term] = Assert(term)
        return made

    def _mutant(self, commands: Sequence[Command], step: str, checks: int) -> Mutant:
        script = Script(self._script.name, self._tables, [*self._head, *commands])
        return Mutant(script, (step,), ("sat",) * checks)

    def _incremental(self, formulas: Sequence[Assert], check: Command) -> Mutant:
        """The same formulas in scopes of equal length, each with a check at its end; some scopes
        are left again. The last scope may be shorter.
        """
        stream = self._stream
        step = stream.between(1, max(1, len(formulas) // 2))
        commands: list[Command] = []
        checks = level = 0
        for at in range(0, len(formulas), step):
            if at:
                commands.append(check)
                checks += 1
                leave = stream.between(0, level)
                commands += [Pop(leave)] if leave else []
                level -= leave
            commands += [Push(1), *formulas[at : at + step]]
            level += 1
        commands.append(check)
        return self._mutant(
            commands, f"storm: {len(formulas)} formulas in scopes of {step}", checks + 1
        )


def _within(bounds: tuple[int, int], wanted: int) -> int:
    return min(bounds[1], max(bounds[0], wanted))


ENTRY = Entry(
    "storm",
    "Fuzz with formulas of scripts, put together satisfiable.",
    "Fuzz with formulas of scripts, recombined so that a model of the seed is a model of "
    "them.\n\nSEEDS are SMT-LIB scripts and folders of them.",
    mutants,
    labels,
    asks=True,
    settings=(
        DROP_OPTIONS,
        Setting("unsat", "Make unsatisfiable instances, of seeds that are labelled so."),
        Setting(
            "more-connectives",
            "Build formulas also by or, implication and xor, not only by and and not.",
        ),
        Setting(
            "max-depth",
            "Connectives above an atom, at most, in parts of the seed and in all that is built.",
            "number",
            least=1,
            most=10_000,
            default=MOST_DEPTH,
        ),
        Setting(
            "max-assertions",
            "Assertions of an instance, at most.",
            "number",
            least=1,
            most=10_000,
            default=MOST_ASSERTIONS,
        ),
        Setting(
            "max-formulas",
            "Formulas put together for a seed, at most.",
            "number",
            least=1,
            most=1_000_000,
            default=CONSTRUCTED[1],
        ),
    ),
)
