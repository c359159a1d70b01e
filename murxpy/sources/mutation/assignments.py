"""The fragments of a seed: the closed formulas in its assertions, down to atoms.

Mansur et al., FSE 2020, section 3.1. New here: formulas below any operator are fragments, such as
the condition of an `ite` between numbers; and the body of a quantifier can be opened.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from fractions import Fraction
from typing import Any

from murxpy.logic.catalogue import Catalogue
from murxpy.logic.sorts import Sort
from murxpy.logic.terms import CONSTANT, FUNCTION, VALUE, Term
from murxpy.logic.walks import bottom_up, occurrences, preorder
from murxpy.machine.generate.leaves import Drawing, draw
from murxpy.machine.planted import DOMAIN, TOO_LARGE, WORLDS, Judged, element
from murxpy.machine.random import Stream
from murxpy.semantics.domains import samples
from murxpy.semantics.exact.floats import Format
from murxpy.semantics.registry import LITERALS
from murxpy.semantics.values import CannotSay, Interpretation, Value
from murxpy.smtlib.building import Tables, substituted
from murxpy.smtlib.printed_models import Model, Valuation, declared, read_printed_model
from murxpy.smtlib.printing.scripts import print_script
from murxpy.smtlib.script import Ask, Assert, CheckSat, DefineFunsRec, Script, SetOption
from murxpy.sources.mutation.occurrences import binds
from murxpy.sources.mutation.preparing import declaring
from murxpy.sources.mutation.workshop import Workshop

QUANTIFIERS = ("OP_FORALL", "OP_FORALL_PATTERN", "OP_EXISTS", "OP_EXISTS_PATTERN")


class Depths:
    """The depth of formulas: the number of connectives on the longest path down to an atom. An atom
    has depth 0, and so has a quantified formula, whatever is in it.
    """

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        self._known: dict[Term, int] = {}

    def of(self, formula: Term) -> int:
        """The depth of a formula."""
        known = self._known
        for term in bottom_up(formula, known, self._inner):
            known[term] = 1 + max(map(known.__getitem__, self._inner(term)), default=-1)
        return known[formula]

    def _inner(self, term: Term) -> tuple[Term, ...]:
        """The arguments of an operator of formulas that gives a formula."""
        return term.args if connects(self._catalogue, term) else ()


def connects(catalogue: Catalogue, term: Term) -> bool:
    """Whether the term is an operator of formulas that gives a formula."""
    formulas = all(part.sort.kind == "SORT_BOOL" for part in (term, *term.args))
    return formulas and bool(term.args) and not binds(catalogue, term)


def fragments(catalogue: Catalogue, roots: Iterable[Term]) -> list[Term]:
    """The closed formulas in `roots`, each once, outer ones before those within them."""
    found = preorder(list(roots), lambda term: _inner(catalogue, term))
    return [term for term in found if term.sort.kind == "SORT_BOOL" and not term.free]


def _inner(catalogue: Catalogue, term: Term) -> Sequence[Term]:
    """The arguments in which fragments can be: not the function of an application, variables and
    patterns.
    """
    if term.op == FUNCTION:
        return ()
    first = 1 if term.op == "OP_UF_APPLY" else len(binds(catalogue, term))
    return term.args[first : len(term.args) - term.op.endswith("_PATTERN")]


def opened(tables: Tables, formula: Term, fresh: str) -> tuple[Term, list[Term]]:
    """The body of a quantified formula with new constants in place of its variables, and these
    constants. The names of these constants begin with `fresh`, which no other symbol does.
    """
    variables = binds(tables.catalogue, formula)
    constants = [
        tables.constant(f"{fresh}{variable.indices[1]}", variable.sort) for variable in variables
    ]
    body = formula.args[len(variables)]
    return substituted(tables, body, dict(zip(variables, constants, strict=True))), constants


def unfixed(roots: Iterable[Term]) -> dict[Term, bool]:
    """For each term in `roots`, whether it has constants or functions in it, whose meaning an
    interpretation fixes.
    """
    known: dict[Term, bool] = {}
    for root in roots:
        for term in bottom_up(root, known):
            known[term] = term.op == CONSTANT or any(known[arg] for arg in term.args)
    return known


def fresh_prefix(tables: Tables, constants: Sequence[Term], prefix: str = "open_") -> str:
    """The beginning of names that none of the constants has: `prefix`, with more underscores if one
    has it.
    """
    names = [str(constant.indices[0]) for constant in constants]
    while any(name.startswith(prefix) for name in names):
        prefix += "_"
    return prefix


# ----------------------------------------------------------------------
# Questions to the solver under test about a seed: for a model of it, and for the truth of formulas
# without constants.


MOST_ASKED = 4  # formulas that the solver is asked about in one run; each costs two checks


def models(workshop: Workshop, script: Script, asserted: Sequence[Term]) -> list[Model]:
    """The solver's model of the assertions; if they are unsatisfiable, a model of their negation. The
    list is empty if the solver gives no model.
    """
    flat = alone(script, asserted)
    output = workshop.ask(asking(flat, workshop.shop.dialect))
    if output is not None and output.startswith("unsat"):
        negated = script.tables.apply("OP_NOT", script.tables.conjunction(list(asserted)))
        flat = alone(script, [negated])
        output = workshop.ask(asking(flat, workshop.shop.dialect))
    if output is None or not output.startswith("sat"):
        return []
    return [read_printed_model(output, flat)]


def asking(script: Script, dialect: str) -> str:
    """The text of a script that also asks for the model."""
    commands = [SetOption("produce-models", "true"), *script.commands, Ask("get-model")]
    return print_script(Script(script.name, script.tables, commands), dialect)


def alone(script: Script, formulas: Sequence[Term]) -> Script:
    """The declarations of a script, these assertions, and a check."""
    return Script(
        script.name, script.tables, [*declaring(script), *map(Assert, formulas), CheckSat()]
    )


def answered(workshop: Workshop, script: Script, formulas: Sequence[Term]) -> dict[Term, bool]:
    """The truth of those quantified formulas that have no constants in them, so that they are true
    or false whatever the assignment is, and of which the solver says which.

    The solver must call a formula satisfiable and its negation unsatisfiable, or the opposite. A
    solver that answers an instance otherwise therefore contradicts itself.
    """
    quantified = [formula for formula in formulas if formula.op in QUANTIFIERS]
    symbols, found = unfixed(quantified), {}
    for formula in [one for one in quantified if not symbols[one]][:MOST_ASKED]:
        answer = _answer(workshop, script, formula)
        if answer not in ("sat", "unsat"):
            break  # the next ones would take as long
        negation = script.tables.apply("OP_NOT", formula)
        if {answer, _answer(workshop, script, negation)} == {"sat", "unsat"}:
            found[formula] = answer == "sat"
    return found


def _answer(workshop: Workshop, script: Script, formula: Term) -> str:
    output = workshop.ask(print_script(alone(script, [formula]), workshop.shop.dialect))
    return (output or "").strip()


# ----------------------------------------------------------------------
# Assignments to the constants of a seed, and what is true in them: a solver's model, or values
# that are drawn at random. Mansur et al., FSE 2020, section 3.1: any assignment serves, if the
# truth of each formula in it is known. Our exact evaluator says what is true, so a wrong model
# of a solver does no harm.


SIZES = (1, 4, 16, 1 << 16)  # the largest number in each random assignment, small ones first
AGAIN = 0.3  # the chance that a constant has the value of another one: then more formulas are true
FROM_SEED = 0.5  # the chance of a literal of the seed, if it has one of the sort
PARTS = 3  # parts of a drawn structure, at most
ELEMENTS = 3  # elements of an uninterpreted sort, at most
# An evaluation of quantifiers ends after this many bodies: a domain of eight bits is just tried. On
# seeds of BV, 2,048 took ten times as long and decided no more fragments.
_LIMITS = {"domain": DOMAIN, "worlds": WORLDS, "bodies": 1 << 9}


class Assignment:
    """Values of the constants of a script: those of a model, and drawn ones for all others.

    `size` is the largest number that is drawn. Without a model, uninterpreted sorts have few
    elements, so that quantifiers over them can be evaluated.
    """

    def __init__(
        self, workshop: Workshop, script: Script, literals: Literals, size: int, model: Model | None
    ) -> None:
        self._stream, self._sorts = workshop.stream, script.tables.sorts
        self._literals, self._size = literals, size
        self._judged = Judged(workshop.shop.solvers_own)
        self._valuation = Valuation(script, model or Model(), limits=_LIMITS)
        self.truths: dict[Term, bool] = {}
        if model is None:
            self._draw_elements(literals.sorts)
        fixed = model.definitions if model is not None else {}
        defined = recursive(script)
        for constant in declared(script):
            if constant not in fixed and constant not in defined:
                self.give(constant)

    def _draw_elements(self, sorts: Iterable[Sort]) -> None:
        domains = self._valuation.evaluator.interpretation.domains
        for sort in sorts:
            count = self._stream.between(1, ELEMENTS)
            domains.setdefault(sort, tuple(map(element, range(count))))

    def give(self, constant: Term) -> None:
        """Draw the value of a constant that has none. If its sort has no values that can be drawn,
        formulas with it have no known truth.
        """
        values = self._valuation.evaluator.interpretation.constants
        known = [value for other, value in values.items() if other.sort is constant.sort]
        if known and self._stream.chance(AGAIN):
            values[constant] = self._stream.choose(known)
            return
        drawing = Drawing(
            self._stream,
            self._sorts,
            self._valuation.evaluator,
            self._literal,
            lambda: self._stream.below(PARTS + 1),
        )
        with suppress(CannotSay, KeyError, *TOO_LARGE):
            values[constant] = draw(drawing, constant.sort)

    def _literal(self, sort: Sort) -> Value:
        known = self._literals.of(sort)
        if known and self._stream.chance(FROM_SEED):
            return self._stream.choose(known)
        if sort.kind == "SORT_FP" and self._stream.chance(FROM_SEED):
            return self._stream.choose(samples(sort, self._valuation.evaluator))
        value: Value = _SMALL[sort.kind](sort, self._size, self._stream)
        return value

    @property
    def interpretation(self) -> Interpretation:
        """The values of the constants, and the elements of uninterpreted sorts."""
        return self._valuation.evaluator.interpretation

    def value(self, constant: Term) -> Value:
        """The value of a constant. Raises CannotSay."""
        return self._valuation.value(constant)

    def judge(self, formulas: Iterable[Term]) -> None:
        """Enter the truth of those formulas whose truth is known."""
        for formula in formulas:
            truth = self._truth(formula)
            if truth is not None:
                self.truths[formula] = truth

    def _truth(self, formula: Term) -> bool | None:
        if not self._judged(formula):
            return None
        try:
            return self._valuation.holds(formula)
        except (CannotSay, *TOO_LARGE):
            return None


class Literals:
    """The values that a seed names, by sort, and its uninterpreted sorts."""

    def __init__(self, roots: Sequence[Term]) -> None:
        self._values: dict[Sort, dict[Value, None]] = {}
        seen: dict[Term, None] = {}
        sorts: dict[Sort, None] = {}
        for root in roots:
            for term in bottom_up(root, seen):
                seen[term] = None
                sorts[term.sort] = None
                if term.op == VALUE:
                    reader = LITERALS.get(term.sort.kind)
                    value = term.indices[0]
                    known = value if reader is None else reader(term.sort, value)
                    self._values.setdefault(term.sort, {})[known] = None
        inner = [part for sort in sorts for part in occurrences([sort], Sort.sorts)]
        self.sorts = dict.fromkeys(one for one in inner if one.kind == "SORT_UNINTERPRETED")

    def of(self, sort: Sort) -> list[Value]:
        """The values of a sort."""
        return list(self._values.get(sort, ()))


def recursive(script: Script) -> list[Term]:
    """The recursive functions of a script, whose definitions say what they are."""
    return [f for c in script.commands if isinstance(c, DefineFunsRec) for f in c.functions]


def best(
    workshop: Workshop, script: Script, formulas: Sequence[Term], models: Iterable[Model]
) -> Assignment | None:
    """An assignment in which the truth of many of the formulas is known: the first of the models,
    and then of drawn assignments with larger and larger values, in which it is known of half of
    them; or else the best of all.

    The result is None if there is no model, and none can be drawn, because recursive functions may
    have no meaning at all.
    """
    literals, found = Literals([*script.assertions(), *declared(script)]), []
    first = min(workshop.stream.below(len(SIZES)), workshop.stream.below(len(SIZES)))
    sizes = SIZES[first:] if not recursive(script) else ()
    for model, size in [*((model, SIZES[1]) for model in models), *((None, n) for n in sizes)]:
        found.append(Assignment(workshop, script, literals, size, model))
        found[-1].judge(formulas)
        if 2 * len(found[-1].truths) >= len(formulas):
            return found[-1]
    return max(found, key=lambda one: len(one.truths), default=None)


def _int(sort: Sort, size: int, stream: Stream) -> int:
    return stream.between(-size, size)


def _float(sort: Sort, size: int, stream: Stream) -> int:
    number = stream.between(-size, size)
    form = Format(sort.number(0), sort.number(1))
    return form.round("RNE", int(number < 0), abs(number), 0) if number else 0


def _text(sort: Sort, size: int, stream: Stream) -> str:
    return "".join(stream.choose("ab0") for _ in range(stream.below(min(size, 8) + 1)))


_SMALL: dict[str, Callable[[Sort, int, Stream], Any]] = {
    "SORT_BOOL": lambda sort, size, stream: stream.chance(0.5),
    "SORT_INT": _int,
    "SORT_REAL": lambda sort, size, stream: Fraction(
        _int(sort, size, stream), stream.between(1, 3)
    ),
    "SORT_BV": lambda sort, size, stream: _int(sort, size, stream) % (1 << sort.width),
    "SORT_FF": lambda sort, size, stream: _int(sort, size, stream) % sort.width,
    "SORT_FP": _float,
    "SORT_STRING": _text,
}
