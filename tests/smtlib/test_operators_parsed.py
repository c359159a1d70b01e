"""Each dialect claims what its solvers read: every operator of the catalogue, printed, goes through
the solvers' own parsers, and back.
"""

from __future__ import annotations

from functools import cache

import pytest
from alpha import Shapes
from parsers import PARSERS
from toy import catalogue

from murxpy.data import load_wrapper
from murxpy.logic.catalogue import Operator
from murxpy.logic.signature import Binding, Linear, Pattern
from murxpy.logic.sorts import Constructor, Datatype, Sort
from murxpy.logic.terms import Term
from murxpy.smtlib.building import Tables
from murxpy.smtlib.printing.scripts import print_script
from murxpy.smtlib.printing.terms import OnlyDefined, Printer, Unsayable
from murxpy.smtlib.reading.scripts import read_script
from murxpy.smtlib.script import Assert, CheckSat, Script, SetLogic

CATALOGUE = catalogue()
SHAPES = Shapes(CATALOGUE)
# of the variables in signatures; others are 4, too
NUMBERS = {"e": 5, "s": 11, "d": 8, "t": 24, "p": 7, "n": 4}
SOLVERS = {"standard": ("cvc5", "z3"), **{name: (name,) for name in PARSERS}}


class Sampler:
    """Applications of operators to constants."""

    def __init__(self) -> None:
        self.tables = Tables(CATALOGUE)
        self.sorts = {"a": self.tables.int, "b": self.tables.bool, "c": self.tables.real}
        self._constants: dict[tuple[Sort, int], Term] = {}
        self.datatype = Datatype("D")
        self.record = self.tables.sort("SORT_DT", self.datatype)
        self.datatype.constructors += [
            Constructor("leaf"),
            Constructor("node", [("size", self.tables.int), ("rest", self.record)]),
        ]

    def constant(self, sort: Sort, number: int) -> Term:
        """A constant."""
        known = self._constants.get((sort, number))
        return known or self._constants.setdefault(
            (sort, number), self.tables.constant(f"x{len(self._constants)}", sort)
        )

    def application(self, operator: Operator) -> Term:
        """The operator applied."""
        if operator.typing is not None:
            return self._of_datatype(operator)
        if operator.signature.binder:
            return self._binder(operator)
        signature = operator.signature
        env: Binding = {}
        for pattern in (*signature.args, signature.result):
            self._bind(pattern, env)
        sorts = [sort for pattern in signature.args for sort in self._built(pattern, env)]
        indices: list[int] = []
        for index in signature.indices:
            if index.many:
                # the Boolean of (INT, BOOL), and of (BOOL, BOOL)
                indices = [1, 0] if signature.columns else [0]
                env[index.name] = tuple(indices)  # type: ignore[assignment]
                continue
            low = (
                NUMBERS.get(index.name, 1)
                if index.low is None
                else max(index.low.value({**env, "arity": len(sorts)}) or 0, 0)
            )
            low = max(low, 1) if index.high is not None and "max" in index.high.names() else low
            low = 3 if operator.kind == "OP_INT_IS_DIV" else low
            env[index.name] = low
            indices += [low] * (len(sorts) if index.each else 1)
        wanted = signature.result.build(env, self.tables.sorts) if signature.as_sort else None
        args = [self.constant(sort, at) for at, sort in enumerate(sorts)]
        return self.tables.apply(operator.kind, *args, indices=tuple(indices), wanted=wanted)

    def _built(self, pattern: Pattern, env: Binding) -> tuple[Sort, ...]:
        bound = env.get(pattern.name) if pattern.star else None
        return bound if isinstance(bound, tuple) else (pattern.build(env, self.tables.sorts),)

    def _bind(self, pattern: Pattern | Linear, env: Binding) -> None:
        if isinstance(pattern, Linear):
            env.update({name: NUMBERS.get(name, 4) for name in pattern.names() if name not in env})
        elif pattern.kind is not None:
            for param in pattern.params:
                self._bind(param, env)
        elif pattern.pick is None:
            sort = self.sorts.get(pattern.name, self.tables.int)
            env.setdefault(pattern.name, (sort, self.tables.bool) if pattern.star else sort)

    def _binder(self, operator: Operator) -> Term:
        variable = self.tables.variable("v", self.tables.int)
        body = self.tables.apply("OP_INT_LT", variable, self.constant(self.tables.int, 0))
        more = {"OP_SET_COMPREHENSION": (variable,)}.get(operator.kind, ())
        if operator.kind.endswith("_PATTERN"):
            more = (
                self.tables.apply(
                    "OP_UF_APPLY",
                    self.constant(
                        self.tables.sort("SORT_FUN", self.tables.int, self.tables.int), 0
                    ),
                    variable,
                ),
            )
        return self.tables.apply(operator.kind, variable, body, *more)

    def _of_datatype(self, operator: Operator) -> Term:
        tables, one, number = (
            self.tables,
            self.constant(self.record, 0),
            self.constant(self.tables.int, 0),
        )
        case = tables.apply("OP_DT_MATCH_CASE", number, indices=("leaf",), wanted=self.record)
        variables = (tables.variable("s", tables.int), tables.variable("r", self.record))
        other = tables.apply(
            "OP_DT_MATCH_BIND_CASE", *variables, variables[0], indices=("node",), wanted=self.record
        )
        if operator.kind.startswith("OP_DT_MATCH"):
            return tables.apply("OP_DT_MATCH", one, case, other)
        args = {"constructor": (number, one), "updater": (one, number)}.get(
            operator.typing or "", (one,)
        )
        indices = ("node", "size") if operator.typing in ("selector", "updater") else ("node",)
        return tables.apply(
            operator.kind,
            *args,
            indices=indices,
            wanted=self.record if operator.typing == "constructor" else None,
        )


@cache
def sampled() -> tuple[Sampler, dict[str, Term]]:
    """The sampler and an application of each operator."""
    sampler = Sampler()
    return sampler, {
        operator.kind: sampler.application(operator) for operator in CATALOGUE.operators.values()
    }


def script_of(kinds: list[str]) -> Script:
    """A script with these operators, each in an assertion of its own."""
    sampler, terms = sampled()
    tables = sampler.tables
    return Script(
        "operators",
        tables,
        [
            SetLogic("HO_ALL"),
            *(Assert(asserted(tables, terms[kind])) for kind in kinds),
            CheckSat(),
        ],
    )


def said(kind: str, dialect: str) -> str | None:
    """A script with the operator; None where the dialect has no words for it."""
    try:
        return print_script(script_of([kind]), dialect)
    except Unsayable:
        return None


def asserted(tables: Tables, term: Term) -> Term:
    """A formula with the term in it."""
    return (
        term
        if term.sort is tables.bool
        else tables.apply("OP_EQUAL", tables.constant("result", term.sort), term)
    )


# Read as another operator, of the same meaning: what a dialect has no name of its own for, beside
# what is printed by definition. It is the equivalence everywhere, and these more.
SUGAR = {
    "standard": ("OP_ARRAY_LAMBDA",),
    "z3": ("OP_LAMBDA", "OP_SEQ_FOLDL"),
}


@pytest.mark.parametrize("dialect", SOLVERS)
def test_the_solvers_read_every_operator_that_the_dialect_claims(dialect: str) -> None:
    kinds = [kind for kind in CATALOGUE.operators if said(kind, dialect) is not None]
    whole = print_script(script_of(kinds), dialect)
    refused = {}
    for solver in SOLVERS[dialect]:
        if PARSERS[solver](whole) is not None:
            texts = {kind: said(kind, dialect) or "" for kind in kinds}
            refused.update(
                {
                    (solver, kind): (text, PARSERS[solver](text))
                    for kind, text in texts.items()
                    if PARSERS[solver](text)
                }
            )
            assert refused, PARSERS[solver](whole)
    assert not refused, refused


@pytest.mark.parametrize("dialect", CATALOGUE.dialects)
def test_what_is_printed_is_read_as_the_same_operators(dialect: str) -> None:
    sampler, terms = sampled()
    other = {}
    for kind in CATALOGUE.operators:
        text = said(kind, dialect)
        sugar = ("OP_IFF", *SUGAR.get(dialect, ()))
        if text is None or kind in sugar or kind in CATALOGUE.dialect(dialect).expanded:
            continue
        made = Script(kind, sampler.tables, [Assert(asserted(sampler.tables, terms[kind]))])
        again = read_script(text, kind, CATALOGUE, dialect=dialect)
        if [s for s in SHAPES.script(again) if s[0] == "Assert"] != SHAPES.script(made):
            other[kind] = text
    assert not other, other


@pytest.mark.parametrize("dialect", CATALOGUE.dialects)
def test_only_what_is_said_to_be_a_definition_is_one(dialect: str) -> None:
    """Without leave to define, an operator is printed as itself, or said to have no name."""
    _, terms = sampled()
    printer = Printer(CATALOGUE, dialect, lambda term: False)
    for kind, term in terms.items():
        if kind in CATALOGUE.dialect(dialect).expanded:
            with pytest.raises(
                OnlyDefined, match=f"{kind} has no name in SMT-LIB's dialect '{dialect}'"
            ):
                printer.term(term)


@pytest.mark.parametrize("solver", SOLVERS["standard"])
def test_spellings_that_are_definitions_are_in_the_wrapper(solver: str) -> None:
    spelled = load_wrapper(solver)["operators"]
    for kind, names in CATALOGUE.dialect(solver).as_spelled.items():
        assert [name for name in names if name not in spelled[kind]] == [], kind
