"""Helpers of the yices wrapper that read values and models. The file imports only yices and the
standard library.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import yices_api
from yices import Constructor, Context, Model, Terms, Yval
from yices.YicesException import YicesException


def value(context: Context, term: int) -> int:
    """The value of a term in the model, as a term."""
    model = Model.from_context(context, 1)
    try:
        found = model.get_value_as_term(term)
        if found == Terms.NULL_TERM:
            raise YicesException("yices_get_value_as_term")
        return int(found)
    finally:
        model.dispose()


def print_model(context: Context) -> None:
    """Let Yices print the model to a text."""
    model = Model.from_context(context, 1)
    model.to_string(80, 100, 0)
    model.dispose()


# -- own actions: each gives None, or says which promise is broken


def truth(context: Context, formula: int) -> str | None:
    """Both ways to ask whether a formula is true in the model agree."""
    model = Model.from_context(context, 1)
    said, known = model.formula_true_in_model(formula), model.get_bool_value(formula)
    model.dispose()
    return None if said is known else f"formula_true_in_model() is {said}, the value is {known}"


def implicant(context: Context, formula: int) -> str | None:
    """The literals of an implicant of a formula that is true in the model are true, too."""
    model = Model.from_context(context, 1)
    true = model.formula_true_in_model(formula)
    literals = model.implicant_for_formula(formula) if true else []
    false = [literal for literal in literals if not model.formula_true_in_model(literal)]
    model.dispose()
    return f"{len(false)} of {len(literals)} literals of an implicant are false" if false else None


def support(context: Context, term: int) -> str | None:
    """The terms that fix the value of a term in the model are uninterpreted."""
    model = Model.from_context(context, 1)
    terms = model.support_for_term(term)
    model.dispose()
    wrong = [t for t in terms if Terms.constructor(t) != Constructor.UNINTERPRETED_TERM]
    return "the support of a term has a term that is not uninterpreted" if wrong else None


def accessors(term: int) -> str | None:
    """A composite term has children, an atomic one has none, and each child can be read."""
    count = Terms.num_children(term)
    children = [Terms.child(term, at) for at in range(count)] if Terms.is_composite(term) else []
    if Terms.is_atomic(term) and count:
        return f"an atomic term has {count} children"
    return "a composite term has no children" if Terms.is_composite(term) and not children else None


# -- values and models


def read_value(term: int) -> tuple[Any, ...] | None:
    """A value of a standard sort as plain data; None for any other term."""
    kind = Terms.constructor(term)
    if kind == Constructor.BOOL_CONSTANT:
        return ("bool", bool(Terms.bool_const_value(term)))
    if kind == Constructor.BV_CONSTANT:
        return ("bv", Terms.bitsize(term), _number(Terms.bv_const_value(term)))
    if kind == Constructor.ARITH_CONSTANT:
        return _rational(Fraction(Terms.to_string(term, 100_000, 1, 0)))
    return None


def _number(bits: Sequence[int]) -> int:
    return sum(bit << at for at, bit in enumerate(bits))


def _rational(found: Fraction) -> tuple[Any, ...]:
    # to Yices each integer is a real, so a whole number may be the value of either
    if found.denominator == 1:
        return ("int", found.numerator)
    return ("real", found.numerator, found.denominator)


def read_model(context: Context, constants: Sequence[int]) -> dict[str, Any]:
    """The values of constants and functions in the context's model."""
    model = Model.from_context(context, 1)
    try:
        rows = Rows(model)
        return {"rows": rows.rows, "roots": [rows.of_term(t) for t in constants], "partial": {}}
    finally:
        model.dispose()


def read_values(values: Sequence[int]) -> dict[str, Any]:
    """Values that the context's model gave, as rows."""
    rows = [read_value(term) or ("unknown", Terms.to_string(term)[:60]) for term in values]
    return {"rows": rows, "roots": list(range(len(rows))), "partial": {}}


def _gmp(name: str, result: Any = None) -> Any:
    """A function of GMP on rational numbers, of the GMP that is in the library of Yices."""
    function = getattr(yices_api.libyices, f"__gmpq_{name}")
    function.restype = result
    return function


class Rows:
    """The rows of values in a model. A value that Yices cannot tell, such as that of a lambda, gets a
    row all the same.
    """

    def __init__(self, model: Model) -> None:
        self.rows: list[tuple[Any, ...]] = []
        self._model = model

    def of_term(self, term: int) -> int:
        """The position of the row of a term's value."""
        found = yices_api.yval_t()
        if yices_api.yices_get_value(self._model.model, term, found) == -1:
            return self._append(("unknown", yices_api.yices_error_string()))
        return self._add(found)

    def _append(self, row: tuple[Any, ...]) -> int:
        self.rows.append(row)
        return len(self.rows) - 1

    def _add(self, found: Any) -> int:
        tag, model = found.node_tag, self._model
        if tag == Yval.BOOL:
            return self._append(("bool", model.get_value_from_bool_yval(found)))
        if tag == Yval.BV:
            bits = model.get_value_from_bv_yval(found)
            return self._append(("bv", len(bits), _number(bits)))
        if tag == Yval.RATIONAL:
            return self._append(_rational(self._fraction(found)))
        if tag == Yval.SCALAR:
            element = model.get_value_from_scalar_yval(found)
            return self._append(("element", Terms.to_string(element)))
        if tag == Yval.FUNCTION:
            return self._function(found)
        return self._append(("unknown", f"a value with the tag {tag}"))

    def _fraction(self, found: Any) -> Fraction:
        """The number of a value. The methods of the package round one of more than 64 bits."""
        number = ctypes.pointer(yices_api.mpq_t())
        _gmp("init")(number)
        code = yices_api.libyices.yices_val_get_mpq(
            yices_api.model_t(self._model.model), ctypes.byref(found), number
        )
        if code == -1:
            raise YicesException("yices_val_get_mpq")
        written = _gmp("get_str", ctypes.c_void_p)(None, 10, number)
        text = ctypes.string_at(written).decode()
        ctypes.CDLL(None).free(ctypes.c_void_p(written))
        _gmp("clear")(number)
        return Fraction(text)

    def _function(self, found: Any) -> int:
        arity = yices_api.yices_val_function_arity(self._model.model, found)
        default, mappings = yices_api.yval_t(), yices_api.yval_vector_t()
        yices_api.yices_init_yval_vector(mappings)
        try:
            code = yices_api.yices_val_expand_function(self._model.model, found, default, mappings)
            if code == -1:
                raise YicesException("yices_val_expand_function")
            entries = [self._entry(mappings.data[at], arity) for at in range(mappings.size)]
        finally:
            yices_api.yices_delete_yval_vector(mappings)
        known = default.node_tag != Yval.UNKNOWN  # or else any value will do
        row = self._append(("function", arity, entries, self._add(default) if known else None))
        # a function with one parameter may be an array
        return self._append(("as-array", row)) if arity == 1 else row

    def _entry(self, mapping: Any, arity: int) -> tuple[list[int], int]:
        args, result = yices_api.make_empty_yval_array(arity), yices_api.yval_t()
        code = yices_api.yices_val_expand_mapping(self._model.model, mapping, args, result)
        if code == -1:
            raise YicesException("yices_val_expand_mapping")
        return [self._add(args[at]) for at in range(arity)], self._add(result)


def read_core(core: Sequence[int], formulas: Sequence[int | None]) -> list[int | str]:
    """The positions of a core's elements among `formulas`; the text of any element that is not
    there.
    """
    places = {formula: k for k, formula in enumerate(formulas) if formula is not None}
    return [places.get(element, Terms.to_string(element)) for element in core]
