"""The parts of a call that a spelling can use: the context and the solver of the run, our view of
arguments and result, and the literal.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from murxpy.logic.sorts import Datatype, Sort
from murxpy.logic.terms import SPECIAL, VALUE, Term
from murxpy.logic.values import special_value, to_codes
from murxpy.smtlib.logics import known_by_name
from murxpy.smtlib.printing.applications import Applications


def literal_value(term: Term) -> Any:
    """Return the Python value of a literal term, or None if the value is no number, Boolean or
    string.
    """
    if term.op == VALUE:
        return term.indices[0]
    if term.op == SPECIAL:
        return special_value(term.indices[0], term.sort)
    return None


class Frame:
    """The operands of a call. A run has one such object, which is refilled for each call.
    Spellings read it, and nothing keeps it.
    """

    __slots__ = (
        "_make",
        "_solver",
        "bad",
        "block",
        "bound",
        "ctx",
        "indices",
        "name",
        "options",
        "printer",
        "result",
        "sort_object",
        "terms",
        "value",
    )

    def __init__(
        self,
        sort_object: Callable[[Sort], Any],
        printer: Callable[[], Applications] | None = None,
    ) -> None:
        self.printer = printer
        self.ctx: Any = None
        self.options: Any = (
            None  # of the solver that is to be made; some bindings have no such object
        )
        self._solver: Any = None
        self._make: Callable[[], Any] | None = None
        self.sort_object = sort_object
        self.terms: tuple[Term, ...] = ()
        self.indices: tuple[Any, ...] = ()
        self.result: Sort | None = None
        self.name = ""
        self.value: Any = None
        self.block: Sequence[Datatype] = ()  # the datatypes that are declared
        self.bound: int = 0  # how many of the first arguments are bound variables
        self.bad: Any = None  # what replaces an operand in a misuse

    def fill(
        self,
        terms: tuple[Term, ...] = (),
        indices: tuple[Any, ...] = (),
        result: Sort | None = None,
        name: str = "",
        value: Any = None,
        bound: int = 0,
    ) -> Frame:
        """Set the operands of the next call."""
        self.terms = terms
        self.indices = indices
        self.result = result
        self.name = name
        self.value = value
        self.bound = bound
        return self

    @property
    def solver(self) -> Any:
        """Return the solver of the run. A solver that is to be made later is made now."""
        if self._make is not None:
            self._solver = self._make()
            self._make = None
        return self._solver

    @solver.setter
    def solver(self, solver: Any) -> None:
        self._solver = solver
        self._make = None

    def make_later(self, make: Callable[[], Any]) -> None:
        """Let `make` give the solver when it is used for the first time."""
        self._solver = None
        self._make = make

    @property
    def has_solver(self) -> bool:
        """Return whether there is a solver, or one that is to be made later."""
        return self._solver is not None or self._make is not None

    @property
    def sort(self) -> Any:
        """Return the solver's object of the result's sort."""
        return self.sort_object(self._result())

    def _result(self) -> Sort:
        if self.result is None:
            raise TypeError("this call has no result sort")
        return self.result

    def sort_param(self, position: int) -> Any:
        """Return the solver's object of the sort that is the parameter of the result's sort at
        `position`.
        """
        return self.sort_object(self._result().sorts()[position])

    def sort_params(self) -> list[Any]:
        """Return the solver's objects of all sorts that are parameters of the result's sort."""
        return [self.sort_object(s) for s in self._result().sorts()]

    def arg_sort(self, position: int) -> Any:
        """Return the solver's object of the sort of the argument at `position`."""
        return self.sort_object(self.terms[position].sort)

    def arg_sort_param(self, position: int, param: int) -> Any:
        """Return the solver's object of parameter `param` of the sort of the argument at
        `position`.
        """
        return self.sort_object(self.terms[position].sort.sorts()[param])

    def variables(self, args: list[Any]) -> list[Any]:
        """Return the bound variables among the arguments."""
        return args[: self.bound]

    def number(self, position: int) -> Any:
        """Return the number of the literal argument at `position`: an int if it is whole, else a
        Fraction.
        """
        value = literal_value(self.terms[position])
        return value.numerator if isinstance(value, Fraction) and value.denominator == 1 else value

    def smtlib(self, name: str) -> str:
        """Return what SMT-LIB calls a thing of this call: the result's `sort`, the literal's `value`,
        a new `symbol` for its name, the declaration of its `datatypes`, the `logic` that solvers know,
        or else the application of the operator or the special value called `name`. Raises Unsayable.
        """
        if name == "logic":
            return known_by_name(str(self.value))
        if self.printer is None:
            raise TypeError("this call has no printer of SMT-LIB")
        printer = self.printer()
        if name == "symbol":
            return printer.symbol(self.name)
        if name == "datatypes":
            return printer.datatypes([*self.block])
        sort = self._result()
        if name == "sort" or name in printer.catalogue.sorts:
            return printer.sort(sort)
        if name == "value":
            return printer.literal(sort, self.value)
        if name in printer.catalogue.operators:
            return printer.application(name, self.terms, self.indices, sort, self.bound)
        return printer.special(name, sort)

    def form(self, name: str) -> Any:
        """Return the literal in the form that a template asks for with `{v:name}`."""
        return FORMS[name](self.value, self._result())


def _fields(value: int, sort: Sort) -> tuple[int, int, int]:
    exponent, significand = sort.number(0), sort.number(1) - 1
    return (
        value >> (exponent + significand),
        (value >> significand) % (1 << exponent),
        value % (1 << significand),
    )


def _signed(value: int, sort: Sort) -> int:
    return value - (1 << sort.width) if value >> (sort.width - 1) else value


def _decimal(value: Any, sort: Sort) -> str:
    """Return a finite decimal expansion with a point. The guard `decimal` says that there is one."""
    number = Fraction(value)
    digits = 0
    while (number * 10**digits).denominator != 1:
        digits += 1
    whole = abs(int(number * 10**digits))
    text = str(whole).rjust(digits + 1, "0")
    point = f"{text[: len(text) - digits]}.{text[len(text) - digits :] or '0'}"
    return f"-{point}" if number < 0 else point


def _float(value: int, sort: Sort) -> float:
    import struct

    return float(struct.unpack(">d", value.to_bytes(8, "big"))[0])


def _bits(value: int, sort: Sort) -> int:
    return sort.width if sort.kind == "SORT_BV" else sort.number(0) + sort.number(1)


FORMS: dict[str, Callable[[Any, Sort], Any]] = {
    "bin": lambda v, s: format(v, f"0{_bits(v, s)}b"),
    "dec": lambda v, s: str(v),
    "hex": lambda v, s: format(v, f"0{-(-_bits(v, s) // 4)}x"),
    "signed": _signed,
    "sdec": lambda v, s: str(_signed(v, s)),
    "frac": lambda v, s: f"{Fraction(v).numerator}/{Fraction(v).denominator}",
    "num": lambda v, s: Fraction(v).numerator,
    "den": lambda v, s: Fraction(v).denominator,
    "dec10": _decimal,
    "smt": lambda v, s: to_codes(v),
    "codes": lambda v, s: [ord(c) for c in v],
    "sign": lambda v, s: _fields(v, s)[0],
    "exp": lambda v, s: _fields(v, s)[1],
    "sig": lambda v, s: _fields(v, s)[2],
    "float": _float,
    "bits": lambda v, s: v,
}
