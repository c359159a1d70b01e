"""Helpers of the yices wrapper for what one expression cannot say: configurations, checks and
terms. The file imports only yices and the standard library.

The terms and types of Yices are numbers in tables that the whole process shares. `reset` empties the
tables between two runs, so that a run gets the numbers that it would get in a new process.

The functions of the low level return -1 and set an error where they fail. The classes of the package
`yices` raise YicesException then, except for some functions, for which helpers here do so.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import yices_api
from yices import Config, Context, Parameters, Status, Terms, Types, Yices
from yices.YicesException import YicesException
from yices_model import read_value

_ANSWERS = {
    Status.SAT: "sat",
    Status.UNSAT: "unsat",
    Status.UNKNOWN: "unknown",
    Status.INTERRUPTED: "unknown",
}
_MOST = 2**63 - 1


def reset() -> None:
    """Empty the tables of terms and types, and make what the package makes when it is loaded."""
    Yices.reset()
    for width in (8, 16, 32, 64):
        Types.bv_type(width)
    for number in (1, -1):
        Terms.integer(number)


# -- contexts


class Options:
    """The logic, the configuration, the switches and the search parameters of a context."""

    def __init__(self) -> None:
        self.config = Config()
        self.parameters = Parameters()
        self.switches: dict[str, bool] = {}
        self.searching = False  # a parameter was set, so that the defaults do not hold
        self._chosen: dict[str, str] = {}  # of the configuration
        self._moved = False

    def set_logic(self, logic: str) -> None:
        """Take the configuration that Yices recommends for a logic. For a logic that it does not know,
        the solver is MCSAT if there are products, and the default otherwise.
        """
        try:
            self.config.default_config_for_logic(logic)
        except YicesException:
            if "N" in logic.removeprefix("QF_"):
                self.config.set_config("solver-type", "mcsat")

    def set(self, name: str, value: str) -> None:
        """Set an option to a value that is given as text."""
        if name == "incremental":
            self._configure("mode", "push-pop" if value == "true" else "one-shot")
        elif name in _CONFIGURATION:
            self._configure(name, value)
        elif name in _SWITCHES:
            self.switches[name] = value == "true"
        else:
            self.parameters.set_param(name, value)
            self.searching = True

    def _configure(self, name: str, value: str) -> None:
        self.config.set_config(name, value)
        self._chosen[name] = value

    def to_mcsat(self) -> bool:
        """Choose MCSAT, in the place of a logic; False if that was done, or another is chosen."""
        if self._moved or self._chosen.get("solver-type") == "dpllt":
            return False
        self._moved = True
        self.config = Config()
        for name, value in [*self._chosen.items(), ("solver-type", "mcsat")]:
            self._configure(name, value)
        return True


_CONFIGURATION = ("arith-solver", "mode", "model-interpolation", "solver-type")
_SWITCHES = (
    "var-elim",
    "arith-elim",
    "bvarith-elim",
    "eager-arith-lemmas",
    "flatten",
    "learn-eq",
    "keep-ite",
    "break-symmetries",
    "assert-ite-bounds",
)


class Scoped(Context):
    """A context that keeps its assertions by their levels.

    Yices refuses to push a context whose assertions are unsatisfiable. What is asserted above is
    unsatisfiable, too, so these levels are only counted. A context that refused a formula has parts of
    it, and takes the same formula without a word the next time, with wrong answers: it is made anew.
    """

    def __init__(self, options: Options) -> None:
        self._options = options
        self._levels: list[list[int]] = [[]]
        self._read = [0]  # how many formulas of each level Yices looked at
        self._idle = 0  # the levels of Yices that are missing
        self._lent = False  # the last level holds the assumptions of the last check
        self.assumed: Sequence[int] = ()  # by the last check
        self._make()

    def _make(self) -> None:
        super().__init__(self._options.config)
        for name, value in self._options.switches.items():
            (self.enable_option if value else self.disable_option)(name)

    def anew(self) -> None:
        """Make the context of Yices again, with the same assertions."""
        self.dispose()
        self._make()
        levels, self._levels, self._read, self._idle = self._levels, [[]], [0], 0
        for depth, formulas in enumerate(levels):
            self.push(1 if depth else 0)
            for formula in formulas:
                self.assert_formula(formula)

    def assertions(self) -> list[int]:
        """The formulas that were asserted, and that are not popped."""
        levels = self._levels[:-1] if self._lent else self._levels
        return [formula for level in levels for formula in level]

    def assert_formula(self, term: int) -> None:
        """Assert a formula."""
        self.settle()
        self._assert(super().assert_formula, term)

    def assert_formulas(self, python_array_or_tuple: Sequence[int]) -> None:
        """Assert formulas."""
        self.settle()
        self._assert(super().assert_formulas, python_array_or_tuple)

    def _assert(self, function: Any, formulas: Any) -> None:
        # Yices does not look at what is asserted where all is unsatisfiable without assumptions
        unread = self._idle or (self.status() == Status.UNSAT and not self.assumed)
        try:
            function(formulas)
        except YicesException as error:
            self.anew()
            # MCSAT alone takes products
            if "non-linear" not in str(error) or not self._options.to_mcsat():
                raise error from None
            self.anew()
            self._assert(function, formulas)
            return
        self._levels[-1] += formulas if isinstance(formulas, list) else [formulas]
        if not unread:
            self._read[-1] = len(self._levels[-1])

    def push(self, count: int = 1) -> None:
        """Push some levels."""
        self.settle()
        for _ in range(count):
            self._levels.append([])
            self._read.append(0)
            if not self._idle:
                try:
                    super().push()
                    continue
                except YicesException:
                    if self.status() != Status.UNSAT:
                        raise
            self._idle += 1

    def pop(self, count: int = 1) -> None:
        """Pop some levels; none if there are not so many."""
        self.settle()
        if count >= len(self._levels) > 1:
            raise YicesException(msg=f"the context state does not allow to pop {count} levels")
        for _ in range(count):
            if self._idle:
                self._idle -= 1
            else:
                super().pop()
            self._levels.pop()
            self._read.pop()

    def reset_context(self) -> None:
        """Forget all assertions and levels."""
        super().reset_context()
        self._levels, self._read, self._idle, self._lent = [[]], [0], 0, False

    def assume(self, formulas: Sequence[int]) -> None:
        """Assert the assumptions of the next check on a level of their own, which is popped before
        anything else is asserted, pushed, popped or checked.
        """
        self.push()
        try:
            self._assert(super().assert_formulas, list(formulas))
        finally:
            self._lent = True

    def settle(self) -> None:
        """Pop the level of assumptions, if there is one."""
        if self._lent:
            self._lent = False
            self.pop()

    def core(self) -> list[int]:
        """An unsat core of the assertions and the assumptions of the last check. Yices has cores of
        assumptions only, so all of them are assumptions of a new context.
        """
        if self.is_mcsat():
            raise YicesException(msg="MCSAT does not support unsat cores")
        read = [f for at, level in enumerate(self._levels) for f in level[: self._read[at]]]
        formulas = list(dict.fromkeys([*read, *self.assumed]))
        parameters = self._options.parameters.params if self._options.searching else None
        context = Scoped(self._options)
        try:
            try:
                status = context.check_context_with_assumptions(parameters, formulas)
            except YicesException as error:
                if "non-linear" not in str(error):
                    raise
                # a product of a constant whose value another assertion fixes
                return read + (list(super().get_unsat_core()) if self.assumed else [])
            answer = _answer(status, "yices_check_context_with_assumptions")
            if answer != "unsat":
                raise YicesException(msg=f"the assertions are {answer} as assumptions")
            return list(context.get_unsat_core())
        finally:
            context.dispose()

    def get_unsat_core(self) -> list[int]:
        """The assumptions of the last check that are unsat together with the assertions."""
        if self.is_mcsat():
            raise YicesException(msg="MCSAT does not support unsat cores")
        return list(super().get_unsat_core())

    def is_mcsat(self) -> bool:
        """True if the solver of the context is MCSAT. Only MCSAT has an order of variables."""
        nothing = yices_api.make_term_array([])
        order = getattr(
            yices_api.libyices, "yices_mcsat_set_fixed_var_order", None
        )  # from 2.6.5 on
        return order is not None and order(yices_api.context_t(self.context), 0, nothing) == 0


def check(context: Scoped, options: Options) -> str:
    """`sat`, `unsat` or `unknown`."""
    context.settle()
    parameters = options.parameters if options.searching else None
    context.assumed = ()
    return _answer(context.check_context(parameters), "yices_check_context")


def check_assuming(context: Scoped, options: Options, assumptions: Sequence[int]) -> str:
    """`sat`, `unsat` or `unknown` for the assertions and some assumptions."""
    if context.is_mcsat():
        # it answers all the same, sometimes wrongly, and then has neither a model nor a core
        raise YicesException(msg="MCSAT does not support checks with assumptions")
    context.settle()
    parameters = options.parameters.params if options.searching else None
    context.assumed = assumptions
    try:
        status = context.check_context_with_assumptions(parameters, assumptions)
    except YicesException as error:
        context.anew()
        # MCSAT alone takes products
        if "non-linear" not in str(error) or not options.to_mcsat():
            raise error from None
        context.anew()
        return check_asserting(context, options, assumptions)
    return _answer(status, "yices_check_context_with_assumptions")


def check_asserting(context: Scoped, options: Options, assumptions: Sequence[int]) -> str:
    """The same by a level on which the assumptions are asserted."""
    context.settle()
    context.assumed = assumptions
    context.assume(assumptions)
    parameters = options.parameters if options.searching else None
    return _answer(context.check_context(parameters), "yices_check_context")


def _answer(status: int, function: str) -> str:
    if status not in _ANSWERS:
        raise YicesException(function)
    return _ANSWERS[status]


# -- terms


def _made(term: int, function: str) -> int:
    if term == Terms.NULL_TERM:
        raise YicesException(function)
    return term


def xor(terms: Sequence[int]) -> int:
    """The exclusive or of Booleans; Terms.xor does not tell of errors."""
    return _made(Terms.xor(terms), "yices_xor")


def least(term: int) -> int:
    """The least signed number of a term's width."""
    return Terms.bvconst_from_array([0] * (Terms.bitsize(term) - 1) + [1])


def overflows(what: str, left: int, right: int) -> int:
    """True if a sum, difference or product does not fit the width of its operands: the result in a
    width that suffices is not the extension of its lowest bits.
    """
    width = Terms.bitsize(left)
    extend = Terms.sign_extend if what[0] == "s" else Terms.zero_extend
    function = {"add": Terms.bvadd, "sub": Terms.bvsub, "mul": Terms.bvmul}[what[1:]]
    more = width if what[1:] == "mul" else 1
    exact = function(extend(left, more), extend(right, more))
    return Terms.bvneq_atom(exact, extend(Terms.bvextract(exact, 0, width - 1), more))


def children(term: int) -> list[int]:
    """The children of a term that is an application, of others none."""
    if not Terms.is_composite(term):
        return []
    return [Terms.child(term, at) for at in range(Terms.num_children(term))]


def scalars(args: Any, indices: Any, sort: Any) -> bool:
    """True if the first argument is no array."""
    return not args[0]["sort"].startswith("ARRAY")


def no_zeros(args: Any, indices: Any, sort: Any) -> bool:
    """True if no argument behind the first is the literal zero."""
    return all(term["value"] is None or term["value"] != 0 for term in args[1:])


def whole_digits(args: Any, indices: Any, sort: Any) -> bool:
    """True if the width of a bit-vector sort is a number of hexadecimal digits."""
    return int(re.sub(r"[^0-9]", "", sort)) % 4 == 0


def rational(numerator: int, denominator: int) -> int:
    """A rational number; one that does not fit two machine words is made of its text."""
    if max(abs(numerator), denominator) <= _MOST:
        return Terms.rational_from_fraction(Fraction(numerator, denominator))
    return Terms.parse_rational(f"{numerator}/{denominator}")


# -- self-checks: each gives None, or says what is broken


_PREDICATES = {
    "SORT_ARRAY": Types.is_function,
    "SORT_BOOL": Types.is_bool,
    "SORT_BV": Types.is_bitvector,
    "SORT_FUN": Types.is_function,
    "SORT_INT": Types.is_int,
    "SORT_REAL": Types.is_arithmetic,
    "SORT_UNINTERPRETED": Types.is_uninterpreted,
}


def check_sort(obj: int, facts: dict[str, Any]) -> str | None:
    """The kind, size and parameter sorts of a type are those that were asked for. A real may be known
    to be an integer.
    """
    kind, params = facts["kind"], facts["params"]
    for other, predicate in _PREDICATES.items():
        expected = predicate is _PREDICATES[kind] or (kind, other) == ("SORT_INT", "SORT_REAL")
        if (kind, other) != ("SORT_REAL", "SORT_INT") and predicate(obj) is not expected:
            return f"{predicate.__name__}() is {not expected} for a type of kind {kind}"
    if kind == "SORT_BV" and Types.bvtype_size(obj) != params[0]:
        return f"bvtype_size() is {Types.bvtype_size(obj)}, expected {params[0]}"
    if kind in ("SORT_ARRAY", "SORT_FUN"):
        inner = [Types.child(obj, at) for at in range(Types.num_children(obj))]
        if len(inner) != len(params):
            return f"{kind} has {len(inner)} parameter types, expected {len(params)}"
        found = [check_sort(one, expected) for one, expected in zip(inner, params, strict=True)]
        return next((text for text in found if text), None)
    return None


def check_term(obj: int, facts: dict[str, Any]) -> str | None:
    """The type of a term is right, and its predicates agree with it."""
    kind = Terms.type_of_term(obj)
    broken = check_sort(kind, facts)
    if broken is not None:
        return broken
    for name in ("is_bool", "is_int", "is_arithmetic", "is_bitvector", "is_function"):
        if getattr(Terms, name)(obj) is not getattr(Types, name)(kind):
            return f"{name}() of a term and of its type disagree"
    return None if Terms.to_string(obj) else "a term prints as nothing"


def check_value(obj: int, facts: dict[str, Any]) -> str | None:
    """A literal reads back as the value that it was made of."""
    broken = check_sort(Terms.type_of_term(obj), facts)
    if broken is not None or facts["value"] is None:
        return broken
    got = read_value(obj)
    if got is None:
        return f"a literal of {facts['value']} is no value"
    found = Fraction(got[1], got[2]) if got[0] == "real" else got[-1]
    if found != facts["value"]:
        return f"a literal made as {facts['value']} of {facts['kind']} reads back as {got}"
    return None
