"""Helpers of the bitwuzla wrapper for what one expression cannot say: options, limits, values,
models and scripts. The file imports only bitwuzla and the standard library.

Bitwuzla has no resource limit. It asks a terminator again and again whether it should stop, and how
often it asks depends on nothing but what it does. So the limit of a check is a number of questions.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import bitwuzla
from bitwuzla import Kind, OptionInfo, OptionInfoKind, Result, RoundingMode
from printed import Printed

_ANSWERS = {Result.SAT: "sat", Result.UNSAT: "unsat", Result.UNKNOWN: "unknown"}
_MODES = {
    RoundingMode.RNE: "rne",
    RoundingMode.RNA: "rna",
    RoundingMode.RTN: "rtn",
    RoundingMode.RTP: "rtp",
    RoundingMode.RTZ: "rtz",
}
_KINDS = {
    OptionInfoKind.BOOL: "bool",
    OptionInfoKind.NUMERIC: "int",
    OptionInfoKind.MODE: "choice",
}


# -- solvers, whose checks count steps


class Steps:
    """A terminator that counts how often it is asked, and stops a check at the limit."""

    def __init__(self) -> None:
        self.limit = 0  # of a check; 0 for none
        self.left = 0
        self.spent = 0

    def __call__(self) -> bool:
        self.spent += 1
        self.left -= 1
        return self.left < 0 < self.limit


class Options(bitwuzla.Options):
    """The options of a solver, with the steps that its checks may take."""

    def __init__(self) -> None:
        super().__init__()
        self.steps = Steps()


def new_solver(manager: Any, options: Options) -> Any:
    """A solver that counts its steps."""
    solver = bitwuzla.Bitwuzla(manager, options)
    solver.configure_terminator(options.steps)
    return solver


def set_option(options: Any, name: str, value: str) -> None:
    """Set an option to a value that is given as text."""
    option = options.option(name)
    if options.is_bool(option):
        options.set(name, value == "true")
    else:
        options.set(name, int(value) if options.is_numeric(option) else value)


def set_limit(options: Options, limit: int) -> None:
    """Set the limit of each check."""
    options.steps.limit = limit


def check(solver: Any, options: Options, *assumptions: Any) -> str:
    """`sat`, `unsat` or `unknown`."""
    options.steps.left = options.steps.limit
    return _ANSWERS[solver.check_sat(*assumptions)]


def solver_options() -> list[dict[str, Any]]:
    """The options of this release with their names, types, values and ranges."""
    options = bitwuzla.Options()
    found = []
    for option in bitwuzla.Option:
        info = OptionInfo(options, option)
        entry: dict[str, Any] = {"name": info.lng(), "type": _KINDS.get(info.kind(), "text")}
        if entry["type"] == "choice":
            entry["values"] = sorted(info.modes())
        if entry["type"] == "int":
            entry |= {"min": info.min(), "max": info.max()}
        if entry["type"] in _KINDS.values():
            entry["default"] = info.dflt()
        # the options for whom a program that uses the solver has no reason
        entry["category"] = "expert" if option.name.startswith("DBG_") else "regular"
        found.append(entry)
    return found


def from_bools(manager: Any, bools: Sequence[Any]) -> Any:
    """The bit-vector of some Booleans; the first Boolean is the lowest bit."""
    bit = manager.mk_bv_sort(1)
    one, zero = manager.mk_bv_one(bit), manager.mk_bv_zero(bit)
    bits = [manager.mk_term(Kind.ITE, [term, one, zero]) for term in reversed(bools)]
    return bits[0] if len(bits) == 1 else manager.mk_term(Kind.BV_CONCAT, bits)


def done(value: Any) -> None:
    """None, whatever the argument is. An own action that finds nothing broken gives None."""


def accessors(term: Any) -> None:
    """Ask a term for everything that it tells."""
    done((term.kind(), term.id(), term.num_children(), term.symbol(), str(term), hash(term)))
    done((term.indices(), term.num_indices(), str(term.sort()), term.sort().id(), term.is_value()))


# -- values and models


def read_value(term: Any) -> tuple[Any, ...] | None:
    """A value of a standard sort as plain data; None for any other term."""
    if term.kind() != Kind.VALUE:
        return None
    found = term.sort()
    if found.is_bool():
        return ("bool", term.value())
    if found.is_bv():
        return ("bv", found.bv_size(), int(term.value(2), 2))
    if found.is_rm():
        return ("rm", _MODES[term.value()])
    if not found.is_fp():
        return None
    bits = None if term.is_fp_value_nan() else int("".join(term.value(2)), 2)
    return ("fp", found.fp_exp_size(), found.fp_sig_size(), bits)


def read_model(solver: Any, constants: Sequence[Any]) -> dict[str, Any]:
    """The values of constants and functions in the solver's model."""
    return read_values([solver.get_value(constant) for constant in constants])


def read_values(values: Sequence[Any]) -> dict[str, Any]:
    """Values that the solver's model gave, as rows."""
    rows = Rows()
    return {"rows": rows.rows, "roots": [rows.add(value) for value in values], "partial": {}}


_PLAIN = {
    Kind.ARRAY_STORE: "store",
    Kind.CONST_ARRAY: "const",
    Kind.ITE: "ite",
    Kind.EQUAL: "=",
    Kind.IFF: "=",
    Kind.AND: "and",
    Kind.OR: "or",
    Kind.NOT: "not",
}


class Rows:
    """Rows of values. Each value gets one row, and no function recurs on the depth of a value."""

    def __init__(self) -> None:
        self.rows: list[tuple[Any, ...]] = []
        self._known: dict[int, int] = {}
        # the variables of the function that is being read, by their number
        self._bound: dict[int, int] = {}

    def add(self, root: Any) -> int:
        """The position of a term's row. The model gives a function as a lambda of lambdas."""
        variables = []
        while root.kind() == Kind.LAMBDA:
            *inner, root = root.children()
            variables += inner
        count = len(variables)
        self._bound = {variable.id(): count - 1 - k for k, variable in enumerate(variables)}
        if not variables:
            return self._add(root)
        self._known = {}
        return self._append(("lambda", count, self._add(root)))

    def _append(self, row: tuple[Any, ...]) -> int:
        self.rows.append(row)
        return len(self.rows) - 1

    def _add(self, root: Any) -> int:
        stack = [root]
        while stack:
            term = stack[-1]
            if term.id() not in self._known:
                parts = term.children() if term.kind() in _PLAIN else []
                missing = [part for part in parts if part.id() not in self._known]
                if missing:
                    stack.extend(missing)
                    continue
                row = self._row(term, [self._known[part.id()] for part in parts])
                self._known[term.id()] = self._append(row)
            stack.pop()
        return self._known[root.id()]

    def _row(self, term: Any, parts: list[int]) -> tuple[Any, ...]:
        if term.kind() == Kind.VARIABLE and term.id() in self._bound:
            return ("var", self._bound[term.id()])
        if term.kind() in _PLAIN:
            return (_PLAIN[term.kind()], *parts)
        if term.kind() == Kind.VALUE and term.sort().is_uninterpreted():
            return ("element", str(term))
        return read_value(term) or ("unknown", f"{term.kind().name.lower()} {str(term)[:60]}")


def read_core(core: Sequence[Any], formulas: Sequence[Any]) -> list[int | str]:
    """The positions of a core's elements among `formulas`; the text of any element that is not
    there.
    """
    places = {formula.id(): k for k, formula in enumerate(formulas) if formula is not None}
    return [places.get(element.id(), str(element)) for element in core]


def find_constants(terms: Sequence[Any], names: Sequence[str]) -> list[Any]:
    """The constants and functions of these names in the terms; None for a name that has no constant
    or several.
    """
    found: dict[str, dict[int, Any]] = {name: {} for name in names}
    for term in _subterms(*terms):
        if term.is_const() and term.symbol() in found:
            found[term.symbol()][term.id()] = term
    return [next(iter(ones.values())) if len(ones) == 1 else None for ones in found.values()]


def _subterms(*terms: Any) -> list[Any]:
    seen: dict[int, Any] = {}
    stack = list(terms)
    while stack:
        term = stack.pop()
        if term.id() not in seen:
            seen[term.id()] = term
            stack.extend(term.children())
    return list(seen.values())


def interpolant(manager: Any, limit: int, goal: Any, *assertions: Any) -> Any:
    """A formula that the assertions imply and that implies the goal; None where the solver does not
    show that there is one.
    """
    options = Options()
    options.set("produce-interpolants", True)
    set_limit(options, limit)
    solver = new_solver(manager, options)
    for assertion in [*assertions, manager.mk_term(Kind.NOT, [goal])]:
        solver.assert_formula(assertion)
    if check(solver, options) != "unsat":
        return None
    found = solver.get_interpolant(list(assertions))
    return None if found.is_null() else found


def read_symbols(formula: Any, constants: Sequence[Any]) -> list[int | str | None]:
    """The positions of a formula's symbols among the constants; the texts of others."""
    places = {constant.id(): k for k, constant in enumerate(constants)}
    symbols = [term for term in _subterms(formula) if term.is_const()]
    return [places.get(symbol.id(), str(symbol)) for symbol in symbols]


def read_statistics(solver: Any, options: Options) -> tuple[int, list[tuple[str, int]]]:
    """The steps that the checks took, and the integers among the solver's statistics."""
    pairs = [(key, int(text)) for key, text in solver.statistics().items() if text.isdigit()]
    return options.steps.spent, [pair for pair in pairs if not _TIME.search(pair[0])]


_TIME = re.compile("time|memory", re.I)


# -- self-checks: each gives None, or says what is broken


_PREDICATES = {
    "SORT_ARRAY": "is_array",
    "SORT_BOOL": "is_bool",
    "SORT_BV": "is_bv",
    "SORT_FP": "is_fp",
    "SORT_FUN": "is_fun",
    "SORT_RM": "is_rm",
    "SORT_UNINTERPRETED": "is_uninterpreted",
}
_SIZES = {"SORT_BV": ("bv_size",), "SORT_FP": ("fp_exp_size", "fp_sig_size")}
_PARAMETERS: dict[str, Any] = {
    "SORT_ARRAY": lambda s: [s.array_index(), s.array_element()],
    "SORT_FUN": lambda s: [*s.fun_domain(), s.fun_codomain()],
}


def check_sort(obj: Any, facts: dict[str, Any]) -> str | None:
    """The predicates, sizes and parameter sorts of a sort are those that were asked for."""
    kind, params = facts["kind"], facts["params"]
    for other, predicate in _PREDICATES.items():
        if getattr(obj, predicate)() is not (other == kind):
            return f"{predicate}() is {other != kind} for a sort of kind {kind}"
    for getter, param in zip(_SIZES.get(kind, ()), params, strict=False):
        if getattr(obj, getter)() != param:
            return f"{getter}() is {getattr(obj, getter)()}, expected {param}"
    if kind == "SORT_UNINTERPRETED" and obj.uninterpreted_symbol() != params[0]:
        return f"the symbol of an uninterpreted sort is not {params[0]!r}"
    inner = _PARAMETERS[kind](obj) if kind in _PARAMETERS else []
    if inner and len(inner) != len(params):
        return f"{kind} has {len(inner)} parameter sorts, expected {len(params)}"
    broken = [check_sort(found, expected) for found, expected in zip(inner, params, strict=False)]
    return next((text for text in broken if text), None) or _identity(obj, "sort")


def _identity(obj: Any, what: str) -> str | None:
    if obj.is_null():
        return f"is_null() of a {what} that exists"
    again = obj
    if obj != again or hash(obj) != hash(again) or obj.id() != again.id():
        return f"a {what} does not compare as equal to itself"
    return None if str(obj) else f"a {what} prints as nothing"


def check_term(obj: Any, facts: dict[str, Any], manager: Any) -> str | None:
    """The sort and the children of a term are right, and the term that is made again from its kind,
    children and indices is the same.
    """
    broken = check_sort(obj.sort(), facts) or _identity(obj, "term")
    if broken is not None:
        return broken
    children = obj.children()
    if len(children) != obj.num_children() or any(obj[k] != c for k, c in enumerate(children)):
        return "indexing, children() and num_children() of a term disagree"
    if len(obj.indices()) != obj.num_indices():
        return "indices() and num_indices() of a term disagree"
    if not children or obj.kind() == Kind.CONST_ARRAY:
        return None
    again = manager.mk_term(obj.kind(), children, obj.indices())
    return None if again == obj else "a term made anew of its kind and children is another one"


def check_value(obj: Any, facts: dict[str, Any]) -> str | None:
    """A literal reads back as the value that it was made of."""
    broken = check_sort(obj.sort(), facts)
    if broken is not None or facts["value"] is None:
        return broken
    kind, params, value = facts["kind"], facts["params"], facts["value"]
    got = read_value(obj)
    if got is None or got[-1] is None:
        return None if kind == "SORT_FP" and got else f"a literal of {value} is no value"
    if got[-1] != value:
        return f"a literal made as {value} of {kind} {params} reads back as {got}"
    if kind == "SORT_BV" and [int(obj.value(base), base) for base in (10, 16)] != [value] * 2:
        return f"value() in the bases 10 and 16 gives another number than {value}"
    return None


def check_eq(obj: Any, facts: dict[str, Any]) -> str | None:
    """A term equals itself and the results of reading it, and none of its children."""
    if obj.sort() != obj.sort() or hash(obj.sort()) != hash(obj.sort()):
        return "two reads of a term's sort differ"
    if any(child == obj for child in obj.children()):
        return "a term and its child do not compare as different"
    return _identity(obj, "term")


# -- scripts, which Bitwuzla's own parser reads and runs


_SPENT = [0]  # see `spent`
_COMMAND_PART = re.compile(r'"[^"]*"|\|[^|]*\||;[^\n]*|[()]')


def run_script(text: str, limit: int, wall_ms: int = 0) -> str:
    """The output of Bitwuzla for a script, with terms of its own; each check has the limit `limit`,
    and that of `wall_ms` milliseconds.

    Raises BitwuzlaException with the first error. The message begins with `script error: `, or with
    `check error: ` if the script was read up to a check and this check failed.
    """
    options = Options()
    if wall_ms:
        options.set("time-limit-per", wall_ms)
    options.steps.limit = limit
    parser = bitwuzla.Parser(bitwuzla.TermManager(), options)
    parser.configure_terminator(options.steps)
    with Printed() as printed:
        for command in _steps(text):
            options.steps.left = limit
            try:
                parser.parse(command, False, False)
            except bitwuzla.BitwuzlaException as error:
                solving = "check" if command.startswith("(check-sat") else "script"
                message = f"{solving} error: {error}"
                raise bitwuzla.BitwuzlaException(message) from None
            finally:
                _SPENT[0] += options.steps.spent
                options.steps.spent = 0
    return printed.text


def _steps(text: str) -> list[str]:
    """The script up to `(exit)`, cut before and behind each check. Options hold only in the first
    part, so no other command may be a part of its own.
    """
    parts, depth, start = [""], 0, 0
    for found in _COMMAND_PART.finditer(text):
        depth += {"(": 1, ")": -1}.get(found[0], 0)
        if found[0] == "(" and depth == 1:
            parts[-1] += text[start : found.start()]
            start = found.start()
        if found[0] == ")" and depth == 0:
            command, start = text[start : found.end()], found.end()
            if re.match(r"\(\s*exit", command):
                start = len(text)
                break
            if re.match(r"\(\s*check-sat", command):
                parts += [command, ""]
            else:
                parts[-1] += command
    return [part for part in [*parts[:-1], parts[-1] + text[start:]] if part.strip()]


def spent() -> int:
    """The steps that all scripts of this process took."""
    return _SPENT[0]


def run_alone(text: str, limit: int, wall_ms: int) -> tuple[str, int]:
    """The output of Bitwuzla for a script, and the steps that its checks took."""
    before = _SPENT[0]
    output = run_script(text, limit, wall_ms)
    return output, _SPENT[0] - before
