"""Subspace cuts: a seed with a model, and formulas that say on which side of the model's values some of its
terms are.

After Canary. A cut says that a term equals a value of a model, differs from it, or lies on one side of it, by
any predicate of the table of operators. Where the model is within all cuts, the script stays satisfiable, so
a wrong `unsat` is found without another solver. The script of a seed that is unsatisfiable stays so within
all cuts.
"""

from __future__ import annotations

from collections.abc import Sequence

from murxpy.logic.catalogue import Operator
from murxpy.logic.sorts import IllSorted, Sort
from murxpy.logic.terms import FUNCTION, Term
from murxpy.logic.walks import subterms
from murxpy.machine.random import Weighted
from murxpy.semantics.registry import Unknown
from murxpy.smtlib.printed_models import declared
from murxpy.smtlib.printing.scripts import print_script
from murxpy.smtlib.script import (
    Assert,
    CheckSat,
    CheckSatAssuming,
    Command,
    Pop,
    Push,
    Script,
)
from murxpy.sources.mutation.assignments import alone, fresh_prefix
from murxpy.sources.mutation.diving.conditions import Conditions
from murxpy.sources.mutation.diving.seed_models import (
    MODELS,
    Witness,
    drawn,
    negated,
    witnesses,
)
from murxpy.sources.mutation.entry import DROP_OPTIONS, Entry, Setting
from murxpy.sources.mutation.preparing import View, declaring, prepared, views
from murxpy.sources.mutation.terms import Fitting, operators_of
from murxpy.sources.mutation.workshop import Mutant, Mutants, MutationSession, Workshop

CUTS = 4  # cuts of one subspace, at most
SUBSPACES = 4  # subspaces of one script, at most
TERMS = 60  # terms of a seed, other than constants, that are cut, at most
TRIES = 20  # draws until a cut is found
WITHIN = 0.8  # the share of subspaces in which a model is kept
EITHER = 0.2  # the share of cuts that are disjunctions of two
SIDES = 4  # how much more often a predicate is drawn that tells the same, another or a larger value
_SAME = ("OP_EQUAL", "OP_DISTINCT")
_FORMS = ("assertions", "scopes", "assumptions")


def mutants(workshop: Workshop) -> Mutants:
    """Scripts of one seed, each with subspaces of its own."""
    script = workshop.script()
    seen = views(script, workshop.seeds[0].label) if script is not None else []
    if script is None or not seen:
        return
    view, script = workshop.stream.choose(seen), prepared(script)
    unsat = view.label == "unsat"
    begun = _unsat(workshop, script, view) if unsat else _sat(workshop, script, view)
    if begun is None:
        return
    cutter = _Cutter(workshop, *begun, unsat)
    while (mutant := cutter.mutant()) is not None:
        yield mutant


Begun = tuple[Script, Sequence[Term], list[Witness]]
"""A script, which of its formulas are asserted, and interpretations whose values the cuts have."""


def _unsat(workshop: Workshop, script: Script, view: View) -> Begun | None:
    """A seed that is labelled unsat, and drawn values; None if the solver does not call it unsat, too."""
    text = print_script(alone(script, view.asserted), workshop.shop.dialect)
    if not (workshop.ask(text) or "").startswith("unsat"):
        return None
    witness = drawn(workshop, script)
    return None if witness is None else (script, view.asserted, [witness])


def _sat(workshop: Workshop, script: Script, view: View) -> Begun | None:
    """A seed and its models. Where the solver gives none in which all is true, the assertions are those
    that hold in drawn values, and the negations of the others.
    """
    found = [
        witness
        for witness in witnesses(workshop, script, view.asserted)
        if all(map(witness.holds, view.asserted))
    ]
    if found:
        return script, view.asserted, found
    other = negated(workshop, script)
    return None if other is None else (other[0], other[0].assertions(), other[1])


class _Cutter:
    """Makes scripts with subspaces."""

    def __init__(
        self,
        workshop: Workshop,
        script: Script,
        asserted: Sequence[Term],
        witnesses: list[Witness],
        unsat: bool,
    ) -> None:
        self._tables = workshop.tables
        self._stream = workshop.stream
        self._script = script
        self._witnesses = witnesses
        self._unsat = unsat
        self._head: list[Command] = [*declaring(script), *map(Assert, asserted)]
        self._fitting = Fitting(workshop.shop, asserted)
        self._relations = Relations(workshop.shop)
        self._prefix = fresh_prefix(script.tables, declared(script), "cut_")
        self._values = self._values_of(workshop, asserted)
        self._terms = list(self._values)
        # the literals that the terms of each sort have in the models
        self._literals: dict[Sort, dict[Term, None]] = {}
        for term, literals in self._values.items():
            self._literals.setdefault(term.sort, {}).update(dict.fromkeys(literals))

    def _values_of(
        self, workshop: Workshop, asserted: Sequence[Term]
    ) -> dict[Term, dict[Term, None]]:
        """The constants and some other closed terms, each with literals of its values in the models."""
        conditions = Conditions(self._tables)
        lacking = workshop.catalogue.operators.keys() - workshop.shop.operators
        closed = [
            term
            for term in subterms(asserted)
            if term.args and not term.free and term.op != FUNCTION and not term.ground
        ]
        closed.sort(key=lambda term: term.serial)
        some = self._stream.sample(closed, TERMS)
        found: dict[Term, dict[Term, None]] = {}
        for term in [*declared(self._script), *some]:
            if term.sort.kind in ("SORT_FUN", "SORT_REGLAN", "SORT_CASE"):
                continue
            for witness in self._witnesses:
                value = witness.value(term)
                if type(value) is Unknown:
                    continue
                literal = conditions.literal(value, term.sort)
                if literal is not None and operators_of(literal).isdisjoint(lacking):
                    found.setdefault(term, {})[literal] = None
        return found

    def mutant(self) -> Mutant | None:
        """A script with subspaces; None if no cut can be made."""
        form = self._stream.choose(_FORMS)
        count = 1 if form == "assertions" else self._stream.between(1, SUBSPACES)
        spaces = [space for _ in range(count) if (space := self._space())]
        if not spaces:
            return None
        if form == "assertions":
            commands: list[Command] = [*map(Assert, spaces[0]), CheckSat()]
            expected = [self._status(spaces[0])]
        elif form == "scopes":
            commands, expected = self._scopes(spaces)
        else:
            commands, expected = self._assumptions(spaces)
        script = Script(self._script.name, self._tables, [*self._head, *commands])
        told = ", ".join(
            f"{len(s)} cuts {status}" for s, status in zip(spaces, expected, strict=False)
        )
        return Mutant(script, (f"canary: {told}, as {form}",), tuple(expected))

    def _scopes(self, spaces: Sequence[list[Term]]) -> tuple[list[Command], list[str]]:
        """Each subspace in a scope of its own, and the whole space at the end. Some scopes stay open, so
        that the next ones are within them.
        """
        commands, expected, within = list[Command](), list[str](), list[list[Term]]()
        for space in spaces:
            commands += [Push(1), *map(Assert, space), CheckSat()]
            within.append(space)
            expected.append(self._status([cut for outer in within for cut in outer]))
            if self._stream.chance(0.7):
                commands.append(Pop(1))
                within.pop()
        if within:
            commands.append(Pop(len(within)))
        return [*commands, CheckSat()], [*expected, self._status(())]

    def _assumptions(self, spaces: Sequence[list[Term]]) -> tuple[list[Command], list[str]]:
        """Each cut behind a new Boolean constant, and checks that assume those of a subspace."""
        tables, commands, checks, expected = (
            self._tables,
            list[Command](),
            list[Command](),
            list[str](),
        )
        number = 0
        for space in spaces:
            guards = []
            for cut in space:
                guards.append(tables.constant(f"{self._prefix}{number}", tables.bool))
                commands.append(Assert(tables.apply("OP_IMPLIES", guards[-1], cut)))
                number += 1
            checks.append(CheckSatAssuming(tuple(guards)))
            expected.append(self._status(space))
        return [*commands, *checks], expected

    def _status(self, space: Sequence[Term]) -> str:
        """What is known of the answer within these cuts."""
        if self._unsat:
            return "unsat"
        kept = any(all(w.value(cut) is True for cut in space) for w in self._witnesses)
        return "sat" if kept else "unknown"

    def _space(self) -> list[Term]:
        """The cuts of a subspace. In most of them, one of the models is kept."""
        witness = self._stream.choose(self._witnesses) if self._stream.chance(WITHIN) else None
        count = self._stream.between(1, CUTS)
        found = [cut for _ in range(count) if (cut := self._cut(witness)) is not None]
        return list(dict.fromkeys(found))

    def _cut(self, witness: Witness | None) -> Term | None:
        """A cut, which is true in this model; None if none is found."""
        for _ in range(TRIES if self._terms else 0):
            cut = self._plain()
            if cut is not None and self._stream.chance(EITHER):
                other = self._plain()
                cut = cut if other is None else self._tables.apply("OP_OR", cut, other)
            if cut is None:
                continue
            if witness is not None:
                value = witness.value(cut)
                if value is False:
                    cut = self._tables.apply("OP_NOT", cut)
                elif value is not True:
                    continue
            if self._fitting.fits(cut):
                return cut
        return None

    def _plain(self) -> Term | None:
        """That a term is in a relation to a literal, which is mostly one of its own values."""
        term = self._stream.choose(self._terms)
        own = self._stream.chance(0.7)
        literal = self._stream.choose(
            list(self._values[term] if own else self._literals[term.sort])
        )
        if term.sort is self._tables.bool:
            return term if literal is self._tables.true else self._tables.apply("OP_NOT", term)
        kinds = self._relations.of(term.sort, self._script)
        if not kinds.items:
            return None
        return self._tables.apply(self._stream.weighted(kinds), term, literal)


class Relations:
    """The predicates of two terms of one sort. Equality and those that follow the order of their arguments
    are drawn more often than others, such as overflow.
    """

    def __init__(self, shop: MutationSession) -> None:
        self._operators = [
            operator
            for operator in shop.catalogue.operators.values()
            if operator.kind in shop.operators
            and operator.signature.result.kind == "SORT_BOOL"
            and len(operator.signature.args) == 2
            and not (operator.signature.indices or operator.signature.binder or operator.typing)
        ]
        self._known: dict[Sort, Weighted[str]] = {}

    def of(self, sort: Sort, script: Script) -> Weighted[str]:
        """The kinds of the predicates on a sort of a script, with their weights."""
        if sort not in self._known:
            taken = [one for one in self._operators if _takes(script, one, sort)]
            self._known[sort] = Weighted(
                [(one.kind, SIDES if one.monotone or one.kind in _SAME else 1) for one in taken]
            )
        return self._known[sort]


def _takes(script: Script, operator: Operator, sort: Sort) -> bool:
    try:
        script.checker.result(operator, (sort, sort), (), None)
    except IllSorted:
        return False
    return True


ENTRY = Entry(
    "canary",
    "Fuzz with scripts cut into subspaces by their models.",
    "Fuzz with scripts that are cut into subspaces by the values of their models, so that the answer is "
    "known.\n\n"
    "SEEDS are SMT-LIB scripts and folders of them. A subspace that has a model must be sat; one of a "
    "seed that is labelled unsat must be unsat.",
    mutants,
    asks=True,
    settings=(
        DROP_OPTIONS,
        Setting(
            "models",
            "Models of a seed, whose values the cuts have.",
            "number",
            least=1,
            most=100,
            default=MODELS,
        ),
    ),
)
