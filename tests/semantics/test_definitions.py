"""Every definition of the catalogue means what the operator means: on many values, by our evaluator
and by the solver whose dialect prints the definition.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from functools import cache
from itertools import product, zip_longest
from pathlib import Path

import pytest
from typed_terms import catalogue, evaluator

from murxpy.logic.catalogue import Operator
from murxpy.logic.signature import Binding, Linear, Pattern
from murxpy.logic.sorts import IllSorted, Sort
from murxpy.logic.terms import Term
from murxpy.semantics.values import CannotSay, Value
from murxpy.smtlib.building import Tables
from murxpy.smtlib.printing.terms import Printer, Unsayable
from murxpy.smtlib.printing.values import ValueTerms
from murxpy.smtlib.reading.scripts import read_script

sys.path.insert(0, str(Path(__file__).parents[2] / "bench"))

from scripts import READERS

CATALOGUE = catalogue()
DIALECTS = list(CATALOGUE.dialects)
SOLVERS = [("standard", "z3"), ("standard", "cvc5"), *((name, name) for name in READERS)]
DEFINED = sorted(
    {kind for dialect in CATALOGUE.dialects.values() for kind in dialect.expanded}
    | {operator.kind for operator in CATALOGUE.operators.values() if operator.in_formulas}
)
# the corners of each kind of sorts
INTS = (0, 1, -1, 2, 3, -3, 7, 8, -8, 5, 64, 65)
VALUES: dict[str, tuple[Value, ...]] = {
    "SORT_BOOL": (False, True),
    "SORT_INT": INTS,
    "SORT_REAL": INTS[:8],
    "SORT_STRING": ("", "a", "ab", "aba", "abab", "ba", "aa"),
}
NUMBERS = (1, 2, 3, 4)
EACH = 60  # applications of an operator


class Sampler:
    """Applications of one operator to literals, and terms that are made of them."""

    def __init__(self, operator: Operator, seed: int) -> None:
        self.operator = operator
        self.tables = Tables(CATALOGUE)
        self.terms = ValueTerms(self.tables.terms, self.tables.sorts)
        self.random = random.Random(seed)

    def applications(self) -> Iterator[Term]:
        """Yield random applications."""
        for _ in range(EACH):
            try:
                yield self.application()
            except IllSorted:
                continue

    def application(self) -> Term:
        """Return a random application. Raises IllSorted if the numbers do not fit."""
        tables, signature = self.tables, self.operator.signature
        env: Binding = {}
        shape = list(signature.args)
        if signature.attribute == "nary":
            shape += shape[-1:] * self.random.randrange(3)
        for pattern in shape:
            self.bind(pattern, env)
        indices = []
        for index in signature.indices:
            for _ in range(len(shape) if index.each else 1):
                low = 1 if index.low is None else index.low.value(env) or 0
                high = index.high.value(env) if index.high is not None else None
                indices.append(self.random.randint(low, min(high or low + 3, low + 8)))
        args = [self.value(pattern.build(env, tables.sorts)) for pattern in shape]
        return tables.apply(self.operator.kind, *args, indices=tuple(indices))

    def bind(self, pattern: Pattern | Linear, env: Binding) -> None:
        """Bind the variables of a pattern."""
        if isinstance(pattern, Linear):
            env.update({n: self.random.choice(NUMBERS) for n in pattern.names() if n not in env})
        elif pattern.kind is None:
            env.setdefault(pattern.name, self.tables.int)
        for param in pattern.params if not isinstance(pattern, Linear) else ():
            self.bind(param, env)

    def value(self, sort: Sort) -> Term:
        """Return a random value."""
        choose, tables = self.random.choice, self.tables
        if sort.kind in VALUES:
            return tables.value(sort, choose(VALUES[sort.kind]))
        if sort.kind == "SORT_BV":
            return tables.value(sort, self.random.randrange(1 << sort.width))
        members = [self.value(sort.sorts()[-1]) for _ in range(self.random.randrange(4))]
        if sort.kind == "SORT_SEQ":
            units = [tables.apply("OP_SEQ_UNIT", member) for member in members]
            if not units:
                return tables.special(sort, "seq.empty")
            return units[0] if len(units) == 1 else tables.apply("OP_SEQ_CONCAT", *units)
        if sort.kind == "SORT_SET":
            made = tables.special(sort, "set.empty")
            for member in members:
                made = tables.apply("OP_SET_INSERT", member, made)
            return made
        if sort.kind == "SORT_ARRAY":
            made = tables.apply("OP_CONST_ARRAY", self.value(sort.sort(1)), wanted=sort)
            for member in members:
                made = tables.apply("OP_ARRAY_STORE", made, self.value(sort.sort(0)), member)
            return made
        raise IllSorted(f"no values of {sort}")


@cache
def sampled(kind: str, dialect: str) -> list[tuple[Term, Value, str]]:
    """Applications of an operator with their values, each with its text in a dialect. Applications
    with several possible values are left out, and those that the dialect cannot say.
    """
    sampler = Sampler(CATALOGUE.operators[kind], DEFINED.index(kind))
    printer = Printer(CATALOGUE, dialect)
    printer.formulas = True
    found = []
    for term in sampler.applications():
        try:
            found.append((term, evaluator().value(term), printer.term(term)))
        except (CannotSay, Unsayable):
            continue
    return found


def declared(kind: str) -> str:
    """The declaration of the function that stands for the values at open points."""
    operator = CATALOGUE.operators[kind]
    opened = "{open}" in operator.in_formulas
    return f"(declare-fun {operator.smtlib}!0 (Int) Int)\n" if opened else ""


def test_each_definition_is_sampled() -> None:
    missing = [kind for kind in DEFINED if not any(sampled(kind, name) for name in DIALECTS)]
    assert missing == ["OP_DT_APPLY_UPDATER"]  # whose text has the names of one datatype


@pytest.mark.parametrize(("kind", "dialect"), list(product(DEFINED, DIALECTS)))
def test_a_definition_has_the_value_of_the_operator(kind: str, dialect: str) -> None:
    for term, value, text in sampled(kind, dialect):
        script = f"{declared(kind)}(assert (distinct {text} {text}))"
        read = read_script(script, kind, CATALOGUE, dialect=dialect).assertions()[0].args[0]
        try:
            assert evaluator().value(read) == value, (term, text)
        except CannotSay as reason:  # the solvers say it in the next test
            assert str(reason) == "a quantifier over INT"


@pytest.mark.parametrize(("dialect", "solver"), SOLVERS)
def test_the_solver_gives_a_definition_the_value_of_the_operator(dialect: str, solver: str) -> None:
    """The solver reads it by its name or by the definition, whichever the dialect has. Each operator
    has a level of its own in one script.
    """
    levels = [level(kind, dialect) for kind in DEFINED]
    read = READERS[solver]("\n".join(["(set-logic ALL)", *levels, ""]), 60.0, 5000)
    answers = dict(zip_longest(DEFINED, read.answers))
    wrong = [kind for kind, answer in answers.items() if answer != "sat"]
    assert not read.errors and not wrong, (read.errors, wrong)


def level(kind: str, dialect: str) -> str:
    """Assertions that applications of an operator have their values, and a check, in a level."""
    equations = []
    for term, value, text in sampled(kind, dialect)[:40]:
        if kind == "OP_REAL_POW" and term.args[1].indices[0] < 0:
            continue  # which no product is, and cvc5 has no such power
        tables = Tables(CATALOGUE)
        shown = Printer(CATALOGUE, dialect).term(
            ValueTerms(tables.terms, tables.sorts).term(value, term.sort)
        )
        equations.append(f"(assert (= {text} {shown}))")
    return "\n".join(["(push 1)", declared(kind), *equations, "(check-sat)", "(pop 1)"])
