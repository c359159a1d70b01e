"""What users of cvc5's pythonic layer call at a prompt, with what it promises: `prove`, `solve` and their like, models, values
without a solver, applications taken apart, and proofs. Each function gives None, or a str that says which promise is
broken. The file imports only cvc5 and the standard library.
"""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable, Sequence
from typing import Any

from cvc5 import Kind
from cvc5.pythonic import cvc5_pythonic as P
from cvc5_helpers import _subterms
from cvc5_objects import _first_wrong
from cvc5_values import read_value

_PROMPT_LIMIT = 20_000  # the resource limit of each check, a few dozen milliseconds
_PROOF_NODES = 200  # steps of a proof that are asked
_OPTIONS = ("arrays-exp", "fp-exp", "sets-exp", "strings-exp")


class _Limited(P.Solver):  # type: ignore[misc, name-defined, unused-ignore]
    """The solver that the functions for a prompt make, with a limit and all theories."""

    def initFromLogic(self) -> None:
        super().initFromLogic()
        self.set("reproducible-resource-limit", _PROMPT_LIMIT)
        for name in _OPTIONS:
            self.set(name, True)


def _within_limit(call: Callable[[], Any]) -> Any:
    """The result of a call whose own solvers are limited."""
    kept, P.Solver = P.Solver, _Limited
    try:
        return call()
    finally:
        P.Solver = kept


def _said(call: Callable[[], Any]) -> str:
    """The first line that a call prints."""
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        _within_limit(call)
    return printed.getvalue().partition("\n")[0]


def _answered(*formulas: Any) -> str:
    solver = _Limited()
    solver.add(*formulas)
    return str(solver.check())


def prompted(formula: Any) -> str | None:
    """ "It tries to prove `claim` by showing the negation is unsatisfiable"; "Solve the constraints"; and
    the two functions that print nothing.
    """
    negation = P.Not(formula)
    answer, opposite = _answered(formula), _answered(negation)
    found = []
    if opposite == "unsat":
        found += [("prove", _said(lambda: P.prove(formula)), "proved")]
        found += [("is_tautology", _within_limit(lambda: P.is_tautology(formula)), True)]
    elif opposite == "sat":
        found += [("prove", _said(lambda: P.prove(formula)), "counterexample")]
        found += [("is_tautology", _within_limit(lambda: P.is_tautology(formula)), False)]
    if answer == "unsat":
        found += [("solve", _said(lambda: P.solve(formula)), "no solution")]
        found += [("solve_using", _said(lambda: P.solve_using(_Limited(), formula)), "no solution")]
    elif answer == "sat":
        line = _said(lambda: P.solve(formula))
        found += [("solve", "a model" if line.startswith("[") else line, "a model")]
    if answer != "unknown":
        found += [("is_sat", _within_limit(lambda: P.is_sat(formula)), answer == "sat")]
    return _first_wrong(found)


def _free(expressions: Sequence[Any]) -> dict[int, Any]:
    """The constants and functions in expressions, by their number."""
    inside = _subterms(*(one.ast for one in expressions))
    return {term.getId(): term for term in inside if term.getKind() == Kind.CONSTANT}


def told_model(solver: Any) -> str | None:
    """ "the free constants in an assertion", "the number of constant and function declarations", and the
    interpretation of each, "using position or the actual declaration".
    """
    model, free = solver.model(), _free(solver.assertions())
    decls = model.decls()
    found = [
        ("vars", sorted(one.get_id() for one in model.vars()), sorted(free)),
        ("len", len(model), len(free)),
        ("the names", [str(one) for one in decls], sorted(str(one) for one in decls)),
    ]
    for at, one in enumerate(decls):
        found += [
            (f"position {at}", model[at].eq(one), True),
            (f"the value of {one}", model[one].ast, solver.solver.getValue(one.ast)),
        ]
    return _first_wrong(found)


def valued(expression: Any) -> str | None:
    """An expression without constants has one value, however it is asked for."""
    sort = expression.ast.getSort()
    if _free([expression]) or P.is_quantifier(expression) or sort.isRegExp():
        return None
    simple = _within_limit(lambda: P.simplify(expression))
    wanted = read_value(simple.ast)
    if wanted is None:
        return None
    asked = {
        "evaluate": lambda: P.evaluate(expression),
        "EmptyModel": lambda: P.EmptyModel().evaluate(expression),
        "Model": lambda: P.Model().evaluate(expression),
    }
    return _first_wrong(
        [(how, read_value(_within_limit(call).ast), wanted) for how, call in asked.items()]
    )


def taken_apart(expression: Any) -> str | None:
    """An application tells its arguments in one order, and its declaration applied to them is the
    application.
    """
    parts = expression.children()
    found: list[tuple[str, Any, Any]] = [("sort", expression.sort().ast, expression.ast.getSort())]
    known = P.is_array(expression) and not P.is_K(expression)  # see `arguments`
    if not P.is_quantifier(expression) and P.is_app(expression) and not known:
        count = expression.num_args()
        found += [
            ("num_args", count, len(parts)),
            ("arg", [expression.arg(at).ast for at in range(count)], [one.ast for one in parts]),
        ]
    if P.is_app_of(expression, Kind.APPLY_UF):
        again = expression.decl()(*parts)
        found += [("the application of decl", again.eq(expression), True)]
    return _first_wrong(found)


def arguments() -> list[tuple[str, Any, Any]]:
    """ "Return argument `idx` of the application `self`", which a store is."""
    array = P.Array("murxpy-a", P.IntSort(), P.IntSort())
    stored = P.Store(array, 0, 7)
    rows = P.Array("murxpy-r", P.IntSort(), P.ArraySort(P.IntSort(), P.IntSort()))
    return [
        ("arg of a store", stored.arg(0).eq(array), True),
        ("the text of an element that is an array", bool(str(rows[0])), True),
    ]


def complements() -> list[tuple[str, Any, Any]]:
    """ "The complement of set s", which has the operators of a set."""
    number = P.Singleton(7)
    complement = P.SetComplement(number)
    if not isinstance(complement, P.SetRef):  # what follows would raise a TypeError
        return [("the class of a complement", type(complement).__name__, "SetRef")]
    return [
        ("a union with a complement", P.is_expr(complement | number), True),
        ("a member of a complement", P.is_false(P.simplify(complement[7])), True),
    ]


def languages() -> list[tuple[str, Any, Any]]:
    """The sort of a regular language, of which `Empty` makes one, and a choice between two, which
    is one.
    """
    one, other = P.Re("a"), P.Re("b")
    choice = P.If(P.Bool("murxpy-p"), one, other)
    if not P.is_re(choice):  # then `Empty` raises an AttributeError
        return [("the class of a choice of languages", type(choice).__name__, "ReRef")]
    return [
        ("Empty of the sort of a language", P.is_re(P.Empty(one.sort())), True),
    ]


def texts() -> list[tuple[str, Any, Any]]:
    """Each expression that a function of the layer makes has a text."""
    bits, text, number = (
        P.BitVec("murxpy-b", 8),
        P.String("murxpy-s"),
        P.FP("murxpy-f", P.Float32()),
    )
    made = {
        "BVRedAnd": P.BVRedAnd(bits),
        "BVRedOr": P.BVRedOr(bits),
        "Int2BV": P.Int2BV(P.Int("murxpy-x"), 8),
        "fpToUBV": P.fpToUBV(P.RNE(), number, P.BitVecSort(8)),
        "fpToSBV": P.fpToSBV(P.RNE(), number, P.BitVecSort(8)),
        "fpToReal": P.fpToReal(number),
        "PrefixOf": P.PrefixOf(text, text),
        "SuffixOf": P.SuffixOf(text, text),
        "Contains": P.Contains(text, text),
        "IndexOf": P.IndexOf(text, text, 0),
        "AllChar": P.AllChar(),
        "Diff": P.Diff(P.Re("a"), P.Re("b")),
    }
    return [(f"the text of {name}", bool(str(one)), True) for name, one in made.items()]


# What `texts` makes, which the printer of release 1.4.2 does not know.
_UNPRINTED = {
    "BITVECTOR_REDAND",
    "BITVECTOR_REDOR",
    "INT_TO_BITVECTOR",
    "FLOATINGPOINT_TO_UBV",
    "FLOATINGPOINT_TO_SBV",
    "FLOATINGPOINT_TO_REAL",
    "STRING_PREFIX",
    "STRING_SUFFIX",
    "STRING_CONTAINS",
    "STRING_INDEXOF",
    "REGEXP_ALLCHAR",
    "REGEXP_DIFF",
}


def printed_texts(*objects: Any) -> None:
    """Print expressions; what `texts` and `arguments` ask for is left out."""
    for one in objects:
        if not any(map(_unprinted, _subterms(one.ast))):
            str(one), repr(one)


def _unprinted(term: Any) -> bool:
    kind = term.getKind().name
    return kind in _UNPRINTED or (kind == "SELECT" and term.getSort().isArray())


def told_proof(solver: Any) -> str | None:
    """The conclusion of the proof of a refutation without its assumptions is their negation, and each step
    has a rule, a conclusion and premises.
    """
    steps = [solver.proof()]
    for step in steps:
        if len(steps) > _PROOF_NODES:
            break
        steps += step.getChildren()
    asked = [(step.getRule(), step.getResult(), step.getArguments()) for step in steps]
    return _first_wrong(
        [("a conclusion that is a formula", P.is_bool(result), True) for _, result, _ in asked]
    )
