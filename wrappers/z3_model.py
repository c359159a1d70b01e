"""The model reader of the z3 wrapper. It gives values as rows of plain data, which
murxpy/machine/witnesses/reading.py reads.

A row is a tuple of a tag and its parts; a row is named by its position in the list. docs/oracles.md
lists the tags.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import z3
from z3_values import read_value

Row = tuple[Any, ...]


def read_model(solver: Any, constants: Sequence[Any]) -> dict[str, Any]:
    """The values of constants and functions in the solver's model, and its values of partial
    operators at open points.
    """
    model = solver.model()
    rows = Rows(model)
    roots = [
        rows.function(c)
        if isinstance(c, z3.FuncDeclRef)
        else rows.add(model.eval(c, model_completion=True))
        for c in constants
    ]
    own = [d for d in model.decls() if d.name() in _PARTIAL and d.kind() != z3.Z3_OP_UNINTERPRETED]
    partial = {_instance(d): rows.function(d) for d in own}
    return {"rows": rows.rows, "roots": roots, "partial": partial}


def read_bounds(optimizer: Any, at: int) -> list[tuple[int, int, int, int] | None]:
    """The bounds of the objective at place `at`, the lower one first: z3 documents "three coefficients
    a, b, c" of "a * infinity + b + c * epsilon". Each bound is the sign of a, numerator and denominator
    of b, and the sign of c; None for one that is no rational number.
    """
    objective = objectives(optimizer)[at]
    return [_bound(optimizer.lower_values(objective)), _bound(optimizer.upper_values(objective))]


def objectives(optimizer: Any) -> list[Any]:
    """The handles of all objectives, in the order in which they were added."""
    count = len(optimizer.objectives())
    return [z3.OptimizeObjective(optimizer, at, False) for at in range(count)]


def _bound(coefficients: Sequence[Any]) -> tuple[int, int, int, int] | None:
    found = [read_value(z3.simplify(one)) for one in coefficients]
    if any(one is None for one in found):
        return None
    infinite, finite, infinitesimal = (Fraction(*one[1:]) for one in found if one is not None)
    return (_sign(infinite), finite.numerator, finite.denominator, _sign(infinitesimal))


def _sign(number: Fraction) -> int:
    return (number > 0) - (number < 0)


def read_values(solver: Any, values: Sequence[Any]) -> dict[str, Any]:
    """Values that the solver's model gave, as rows."""
    rows = Rows(solver.model())
    return {"rows": rows.rows, "roots": [rows.add(value) for value in values]}


def read_domain(solver: Any, sort: Any) -> list[str] | None:
    """The names of the elements of an uninterpreted sort in the model; None if the model lists
    none.
    """
    universe = solver.model().get_universe(sort)
    return None if universe is None else [element.decl().name() for element in universe]


def find_constants(solver: Any, names: Sequence[str]) -> list[Any]:
    """The constants and functions of these names in the assertions; None for a name that has no
    constant or several.
    """
    found: dict[str, dict[int, Any]] = {name: {} for name in names}
    stack, seen = list(solver.assertions()), set()
    while stack:
        term = stack.pop()
        if term.get_id() not in seen:
            seen.add(term.get_id())
            stack.extend([term.body()] if z3.is_quantifier(term) else term.children())
            if (
                z3.is_app(term)
                and term.decl().kind() == z3.Z3_OP_UNINTERPRETED
                and term.decl().name() in found
            ):
                one = term.decl() if term.num_args() else term
                found[term.decl().name()][one.get_id()] = one
    return [next(iter(ones.values())) if len(ones) == 1 else None for ones in found.values()]


def read_core(solver: Any, formulas: Sequence[Any], names: Sequence[str | None]) -> list[int | str]:
    """The positions of a core's elements among `formulas`, by the formulas themselves or by the
    names of their trackers; the text of any other element.
    """
    places = {formula.get_id(): k for k, formula in enumerate(formulas) if formula is not None}
    trackers = {name: k for k, name in enumerate(names) if name is not None}
    named = [(e, e.decl().name() if z3.is_const(e) else None) for e in solver.unsat_core()]
    return [places.get(e.get_id(), trackers.get(name, e.sexpr())) for e, name in named]


class Rows:
    """Rows of values. Each value gets one row, and no function recurs on the depth of a value."""

    def __init__(self, model: Any) -> None:
        self.rows: list[Row] = []
        self._model = model
        self._known: dict[int, int] = {}
        self._functions: dict[int, int] = {}
        # z3 can give the id of a term to another term after the first one is gone
        self._kept: list[Any] = []

    def add(self, root: Any) -> int:
        """The position of a term's row."""
        stack = [root]
        while stack:
            term = stack[-1]
            key = term.get_id()
            if key not in self._known:
                parts = _parts(term)
                missing = [part for part in parts if part.get_id() not in self._known]
                if missing:
                    stack.extend(missing)
                    continue
                self._kept.append(term)
                self.rows.append(self._row(term, [self._known[part.get_id()] for part in parts]))
                self._known[key] = len(self.rows) - 1
            stack.pop()
        return self._known[root.get_id()]

    def function(self, declaration: Any) -> int:
        """The position of a function's row: its entries, and its value at all other points."""
        key = declaration.get_id()
        if key not in self._functions:
            self._kept.append(declaration)
            self.rows.append(("unknown", f"the function {declaration.name()} within itself"))
            at = self._functions[key] = len(self.rows) - 1
            self.rows[at] = self._function(declaration)
        return self._functions[key]

    def _function(self, declaration: Any) -> Row:
        if not self._declared(declaration):
            # Any function is right; model completion chooses one.
            arguments = [z3.FreshConst(declaration.domain(k)) for k in range(declaration.arity())]
            self._model.eval(declaration(*arguments), model_completion=True)
            if not self._declared(declaration):
                return ("unfixed", declaration.arity())
        found = self._model.get_interp(declaration)
        entries = [found.entry(k) for k in range(found.num_entries())]
        read = [
            (tuple(self.add(e.arg_value(k)) for k in range(e.num_args())), self.add(e.value()))
            for e in entries
        ]
        default = found.else_value()
        itself = default is None or (
            z3.is_app(default)
            and default.num_args()
            and default.decl().name() == declaration.name()
        )
        return ("function", declaration.arity(), tuple(read), None if itself else self.add(default))

    def _declared(self, declaration: Any) -> bool:
        """True if the model has the function. A question for another function gives a null pointer,
        and not None.
        """
        return bool(
            z3.Z3_model_has_interp(self._model.ctx.ref(), self._model.model, declaration.ast)
        )

    def _row(self, term: Any, parts: list[int]) -> Row:
        if z3.is_var(term):
            return ("var", z3.get_var_index(term))
        if z3.is_quantifier(term):
            return (
                ("lambda", term.num_vars(), parts[0])
                if term.is_lambda()
                else ("unknown", "a quantifier")
            )
        literal = read_value(term)
        if literal is not None:
            return literal
        kind = term.decl().kind()
        if kind in _PLAIN:
            return (_PLAIN[kind], *parts)
        special = _SPECIAL.get(kind)
        return special(self, term, parts) if special else ("unknown", str(term.decl().name()))

    def _constant(self, term: Any, parts: list[int]) -> Row:
        if parts:
            return ("apply", self.function(term.decl()), *parts)
        uninterpreted = term.sort_kind() == z3.Z3_UNINTERPRETED_SORT
        return (
            ("element", term.decl().name())
            if uninterpreted
            else ("unknown", "a constant without a value")
        )

    def _as_array(self, term: Any, parts: list[int]) -> Row:
        return ("as-array", self.function(z3.get_as_array_func(term)))

    def _algebraic(self, term: Any, parts: list[int]) -> Row:
        return ("algebraic", *_algebraic(term))


def _instance(declaration: Any) -> str:
    """The operator whose open points a function of the model describes, with its indices and the
    sorts of its arguments.
    """
    kind = _PARTIAL[declaration.name()]
    sorts = [_sort(declaration.domain(k)) for k in range(declaration.arity())]
    indices = [str(declaration.range().size())] if kind in ("OP_FP_TO_UBV", "OP_FP_TO_SBV") else []
    return " ".join([kind, *indices, f"({','.join(sorts)})"])


def _sort(sort: Any) -> str:
    """A sort as murxpy prints it."""
    if isinstance(sort, z3.BitVecSortRef):
        return f"BV({sort.size()})"
    if isinstance(sort, z3.FPSortRef):
        return f"FP({sort.ebits()},{sort.sbits()})"
    if isinstance(sort, z3.SeqSortRef):
        return "STRING" if sort.is_string() else f"SEQ({_sort(sort.basis())})"
    if isinstance(sort, z3.ArraySortRef):
        return f"ARRAY({_sort(sort.domain())},{_sort(sort.range())})"
    return "RM" if isinstance(sort, z3.FPRMSortRef) else str(sort.name()).upper()


def _parts(term: Any) -> list[Any]:
    if z3.is_quantifier(term):
        return [term.body()] if term.is_lambda() else []
    return term.children() if z3.is_app(term) else []


def _algebraic(term: Any) -> Row:
    """The coefficients of a polynomial, lowest first, and an interval of rationals with the root in
    it and no other.
    """
    coefficients = tuple((c.numerator_as_long(), c.denominator_as_long()) for c in term.poly())
    bounds = []
    for end in (z3.Z3_get_algebraic_number_lower, z3.Z3_get_algebraic_number_upper):
        bound = z3.RatNumRef(end(term.ctx_ref(), term.as_ast(), 40), term.ctx)
        bounds.append((bound.numerator_as_long(), bound.denominator_as_long()))
    return (coefficients, *bounds)


# The functions of a model that give its values at open points.
_PARTIAL = {
    "div0": "OP_INT_DIV",
    "mod0": "OP_INT_MOD",
    "rem0": "OP_INT_REM",
    "/0": "OP_REAL_DIV",
    "seq.nth_u": "OP_SEQ_NTH",
    "fp.to_ubv": "OP_FP_TO_UBV",
    "fp.to_sbv": "OP_FP_TO_SBV",
    "fp.to_real": "OP_FP_TO_REAL",
}
# The operators of values, and the operators without arithmetic in the bodies of lambdas and
# functions.
_PLAIN = {
    z3.Z3_OP_STORE: "store",
    z3.Z3_OP_CONST_ARRAY: "const",
    z3.Z3_OP_SELECT: "select",
    z3.Z3_OP_ITE: "ite",
    z3.Z3_OP_EQ: "=",
    z3.Z3_OP_AND: "and",
    z3.Z3_OP_OR: "or",
    z3.Z3_OP_NOT: "not",
    z3.Z3_OP_SEQ_EMPTY: "seq",
    z3.Z3_OP_SEQ_UNIT: "seq",
    z3.Z3_OP_SEQ_CONCAT: "concat",
    **(
        {
            z3.Z3_OP_FINITE_SET_EMPTY: "set",
            z3.Z3_OP_FINITE_SET_SINGLETON: "set",
            z3.Z3_OP_FINITE_SET_UNION: "union",
            z3.Z3_OP_FINITE_SET_RANGE: "range",
        }
        if hasattr(z3, "Z3_OP_FINITE_SET_EMPTY")
        else {}
    ),
}
_SPECIAL = {
    z3.Z3_OP_UNINTERPRETED: Rows._constant,
    z3.Z3_OP_AS_ARRAY: Rows._as_array,
    z3.Z3_OP_AGNUM: Rows._algebraic,
    **(
        {z3.Z3_OP_CHAR_CONST: lambda rows, term, parts: ("char", term.params()[0])}
        if hasattr(z3, "Z3_OP_CHAR_CONST")
        else {}
    ),
    z3.Z3_OP_DT_CONSTRUCTOR: lambda rows, term, parts: ("constructor", term.decl().name(), *parts),
}
