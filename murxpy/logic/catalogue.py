"""Dialects of SMT-LIB: what a solver's parser calls operators, sorts and special values, and how it
differs from the standard. The names of a solver stand in its file of `wrappers/`, those of the
standard in `fsm/theories`.

A spelling is a name, or an expression with placeholders: `{0}` is an argument, `{*}` all of them,
`{i0}` an index, `{sort}` the sort of the result, `{sort0}` that of an argument, `{elem0}` its first
parameter and `{width0}` its width, `{p0}` a number of the sort of the result. `KIND/0` is the
spelling of an application without arguments.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from murxpy.errors import InputError, nearest
from murxpy.logic.signature import Signature, parse_signature

STANDARD = "standard"


@dataclass(frozen=True, slots=True, eq=False)
class Dialect:
    """A dialect. The defaults are what the standard says; `docs/wrappers.md` explains each key.

    `says` are the operators that can be printed. `operators` are the spellings of operators that
    have another name here than in `fsm/theories`, and `same` are the extensions that have the same
    name. `defined` are the operators that are printed by their definition in `fsm/theories`.
    `expanded` are all operators that are printed by an expression with the same meaning, because
    the dialect has no name for them. `lacks` are the sorts and operators of the standard that the
    solver does not have.
    """

    name: str = STANDARD
    says: frozenset[str] = frozenset()
    operators: Mapping[str, str] = field(default_factory=dict)
    same: frozenset[str] = frozenset()
    defined: frozenset[str] = frozenset()
    expanded: frozenset[str] = frozenset()
    lacks: frozenset[str] = frozenset()
    sorts: Mapping[str, str] = field(default_factory=dict)
    special_values: Mapping[str, str] = field(default_factory=dict)
    special_also: Mapping[str, str] = field(default_factory=dict)
    as_spelled: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    options: Mapping[str, str] = field(default_factory=dict)
    commands: Mapping[str, str] = field(default_factory=dict)
    option_prefix: str | None = None
    tactics: tuple[str, ...] = ()
    constant_arrays: str = "literals"
    testers: str = "match"
    fp_of_one_bit: bool = False
    variables_apply: bool = False
    functions_are_arrays: bool = False
    sets_are_arrays: bool = False
    declarations_last: bool = False
    global_declarations: bool = True
    incremental_option: bool = False
    string_options: bool = False
    higher_order_logics: bool = True
    composed_logics: bool = False
    only_all: tuple[str, ...] = ()
    logics: tuple[str, ...] = ()
    lenient: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Standard:
    """The part of `fsm/theories` that is about scripts: the operators that are no extensions, how
    operators are written or defined, and the spellings of special values.

    `by_bits` are the operators that are printed bit by bit. `scripted` are the extensions that
    every script of the standard may use.
    """

    kinds: frozenset[str]
    forms: Mapping[str, str]
    definitions: Mapping[str, str]
    by_bits: frozenset[str]
    scripted: frozenset[str]
    special: Mapping[str, str]


def build_dialects(standard: Standard, data: Mapping[str, Any]) -> dict[str, Dialect]:
    """Return the standard and the dialects in the decoded `data`, by name."""
    entries = {STANDARD: {"same": standard.scripted}, **data}
    return {name: _dialect(name, standard, dict(entry)) for name, entry in entries.items()}


def _dialect(name: str, standard: Standard, data: dict[str, Any]) -> Dialect:
    data.pop("unsaid", None)  # the reasons are for people and for tests
    own = data.pop("definitions", {})
    spelled = {**data.pop("operators", {}), **own}
    same = frozenset(data.pop("same", ()))
    lacks = frozenset(data.pop("lacks", ()))
    special = {**standard.special, **data.pop("special-values", {})}
    definitions = standard.definitions
    defined = frozenset(kind for kind in definitions if kind not in same and kind not in spelled)
    expressions = [kind for kind in defined if definitions[kind][0] in "({"]
    operators = {**standard.forms, **definitions, **spelled}
    return Dialect(
        name,
        standard.kinds.union(same, operators) - lacks,
        operators,
        same,
        defined,
        standard.by_bits.union(own, expressions),
        lacks,
        special_values=special,
        **{key.replace("-", "_"): _frozen(value) for key, value in data.items()},
    )


def _frozen(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _frozen(entry) for key, entry in value.items()}
    return tuple(value) if isinstance(value, list) else value


# ----------------------------------------------------------------------
# Orders of values, and operators that keep them: `monotone` of an operator in `fsm/theories`. int+
# int- -> int says that a greater first argument or a smaller second one gives a greater result or
# the same. `_` stands for an argument without a known order, and `*` for any order, the same one
# throughout.


ANY_ORDER = "*"
_NOTHING = "_"


@dataclass(frozen=True, slots=True)
class Order:
    """An order of the values of a kind of sorts: `leq` says of `x` and `y` that `x` is at most `y`,
    for all values of the variables `for_all`, which it gives with their sorts. If no formula without
    them says it, `join` is the least value that is at least `x` and `y`.
    """

    name: str
    sort: str
    leq: str
    for_all: Mapping[str, str] = field(default_factory=dict)
    join: str = ""


@dataclass(frozen=True, slots=True)
class Monotone:
    """For each argument the order and 1 or -1, or None if the file says nothing; and the order of the
    result.
    """

    args: tuple[tuple[str, int] | None, ...]
    result: str

    def at(self, attribute: str | None, count: int) -> Iterator[tuple[int, str, int]]:
        """The positions of the arguments that the result depends on in this way, each with its order
        and sign, if the operator with this attribute has `count` arguments.
        """
        for position in range(count):
            found = self._at(attribute, count, position)
            if found is not None:
                yield position, *found

    def _at(self, attribute: str | None, count: int, position: int) -> tuple[str, int] | None:
        if count <= len(self.args) or attribute is None:
            return self.args[position] if position < len(self.args) else None
        first, second = self.args[0], self.args[-1]
        if attribute == "nary":
            return self.args[min(position, len(self.args) - 1)]
        if attribute == "right-assoc":  # all but the last stand alone
            first, second, position = second, first, count - 1 - position
        if attribute in ("left-assoc", "right-assoc"):
            below, levels = (first, count - 1) if position == 0 else (second, count - 1 - position)
            if position == 0:
                levels -= 1
            if below is None or (levels and first is None):
                return None
            return below[0], below[1] * (first[1] ** levels if first and levels else 1)
        ends = {0: first, count - 1: second}  # chainable: those between stand on both sides
        return ends.get(position) if attribute == "chainable" else None


def order_of(name: str, entry: Mapping[str, Any]) -> Order:
    """The order that a theory's file describes by `entry`."""
    joined = str(entry.get("join") or "")
    return Order(name, entry["sort"], entry["leq"], dict(entry.get("for-all") or {}), joined)


def parse_monotone(text: str, known: Collection[str] | None = None) -> Monotone:
    """Read what an operator says of orders. Raises InputError for another text, and for an order that
    is not `known`.
    """
    args, arrow, result = text.partition("->")
    found: list[tuple[str, int] | None] = []
    for word in args.split():
        if word != _NOTHING and word[-1] not in "+-":
            raise InputError(f"expected {_NOTHING} or an order with + or -, found '{word}'")
        found.append(None if word == _NOTHING else (word[:-1], 1 if word[-1] == "+" else -1))
    made = Monotone(tuple(found), result.strip())
    if not arrow or not made.result or not found:
        raise InputError(
            f"expected what an operator keeps, such as 'int+ int- -> int', found '{text}'"
        )
    for name in (made.result, *(one[0] for one in found if one is not None)):
        if known is not None and name not in known:
            raise InputError(f"unknown order '{name}'{nearest(name, known)}")
    return made


# ----------------------------------------------------------------------
# Theories, sorts and operators as the data folder defines them. Each signature is defined there
# and nowhere else.


@dataclass(frozen=True, eq=False)
class Operator:
    """An operator: its name in traces, its name in SMT-LIB, its signature, and what the generator
    and the printer must know of it.

    The following fields are about scripts. `form` is how scripts write an application, if the name
    before the arguments does not do. `definition` is an expression of the standard with the same
    meaning, and `uses` are the sorts that it needs beside those of the arguments.
    `in_formulas` is an expression for the formulas of traces only: some applications cannot be said
    by it, or it has a symbol of its own. `also` are other
    names that a script may use. If `by_bits` is set, the operator is printed as `by_bits` applied to
    all bits of its argument. `in_scripts` says that scripts of the standard have the operator,
    although it is an extension. `binary` says that scripts take two arguments, although the operator
    is chainable.
    """

    kind: str
    theory: str
    smtlib: str
    signature: Signature
    # the rule of murxpy.logic.typing that types it, if its signature cannot say that
    typing: str | None = None
    # when an application is nonlinear: `product`, `quotient` or `always`
    nonlinear: str | None = None
    # no solver claims to decide formulas with it, because the problem is undecidable or nearly so
    undecided: bool = False
    # whether its last two arguments can be exchanged
    commutative: bool = False
    # for which orders of its arguments the result is ordered, too
    monotone: tuple[Monotone, ...] = ()
    feature: str | None = None
    extension: bool = False
    aliases: tuple[str, ...] = ()
    form: str = ""
    definition: str = ""
    uses: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    by_bits: str = ""
    in_scripts: bool = False
    binary: bool = False
    in_formulas: str = ""

    @property
    def standard(self) -> bool:
        """Return whether scripts of the standard have the operator."""
        return self.in_scripts or not self.extension

    @property
    def minimum(self) -> int:
        """Return the least number of arguments, without the variables of a binder."""
        return sum(1 for p in self.signature.args if not p.star)

    @property
    def variadic(self) -> bool:
        """Return whether it takes more arguments than the least number."""
        return self.signature.attribute is not None


@dataclass(frozen=True)
class SortKind:
    """A kind of sorts: its theory, its name in SMT-LIB, the kinds of its parameters, and the names
    of its special values.

    `extension` says that the standard has no such sort. `short` are names of instances with their
    numbers, such as `Float32`. `special_forms` are the standard's spellings of special values, and
    `special_also` are further names of special values that a script may use.
    """

    kind: str
    theory: str
    smtlib: str
    params: tuple[str, ...] = ()
    special: tuple[str, ...] = ()
    extension: bool = False
    short: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    special_forms: Mapping[str, str] = field(default_factory=dict)
    special_also: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Theory:
    """A theory: its name, its name in the standard, and the theories that it needs."""

    name: str
    smtlib: str
    always: bool
    requires: tuple[str, ...]


@dataclass(eq=False)
class Catalogue:
    """All theories, kinds of sorts and operators, in the order of the data folder, and the dialects
    of SMT-LIB by the names of the solvers.
    """

    theories: dict[str, Theory] = field(default_factory=dict)
    sorts: dict[str, SortKind] = field(default_factory=dict)
    operators: dict[str, Operator] = field(default_factory=dict)
    aliases: dict[str, str] = field(default_factory=dict)
    dialects: dict[str, Dialect] = field(default_factory=dict)
    orders: dict[str, Order] = field(default_factory=dict)

    def dialect(self, name: str) -> Dialect:
        """Return the dialect of a solver. A solver without a dialect of its own gets scripts in the
        standard.
        """
        return self.dialects.get(name) or self.dialects[STANDARD]

    def as_spelled(self, kind: str) -> list[str]:
        """Return those spellings of an operator's API call that make the expression by which
        scripts say the operator. The script is then the same formula as the one that the solver
        got.
        """
        known = self.dialects.values()
        return [name for dialect in known for name in dialect.as_spelled.get(kind, ())]

    def of_theory(self, name: str) -> list[Operator]:
        """Return the operators of a theory."""
        return [op for op in self.operators.values() if op.theory == name]

    def commuting(self) -> dict[str, int]:
        """Return the names in SMT-LIB that only commutative operators have, each with the number of
        arguments.
        """
        named: dict[str, list[Operator]] = {}
        for operator in self.operators.values():
            named.setdefault(operator.smtlib, []).append(operator)
        return {
            name: some[0].minimum
            for name, some in named.items()
            if all(one.commutative and one.minimum == some[0].minimum for one in some)
        }


def build_catalogue(data: dict[str, Any]) -> Catalogue:
    """Return the catalogue of decoded theory files. Raises InputError for a signature that cannot
    be read.
    """
    catalogue = Catalogue()
    for theory in data["theories"]:
        name = theory["name"]
        catalogue.theories[name] = Theory(
            name,
            theory.get("smtlib", "-"),
            bool(theory.get("always")),
            tuple(theory.get("requires") or ()),
        )
        for kind, sort in (theory.get("sorts") or {}).items():
            catalogue.sorts[kind] = SortKind(
                kind,
                name,
                sort["smtlib"],
                tuple(sort.get("params") or ()),
                tuple(sort.get("special") or ()),
                bool(sort.get("extension")),
                {short: tuple(numbers) for short, numbers in (sort.get("short") or {}).items()},
                sort.get("special-forms") or {},
                sort.get("special-also") or {},
            )
        for kind, entry in (theory.get("operators") or {}).items():
            _add_operator(catalogue, name, kind, entry)
        for order, entry in (theory.get("orders") or {}).items():
            catalogue.orders[order] = order_of(order, entry)
    catalogue.dialects = build_dialects(_standard(catalogue), data.get("dialects") or {})
    return catalogue


def _standard(catalogue: Catalogue) -> Standard:
    operators = catalogue.operators.values()
    return Standard(
        frozenset(op.kind for op in operators if not op.extension),
        {op.kind: op.form for op in operators if op.form},
        {op.kind: op.definition for op in operators if op.definition},
        frozenset(op.kind for op in operators if op.by_bits),
        frozenset(op.kind for op in operators if op.in_scripts),
        {
            name: text
            for sort in catalogue.sorts.values()
            for name, text in sort.special_forms.items()
        },
    )


def _add_operator(catalogue: Catalogue, theory: str, kind: str, entry: dict[str, Any]) -> None:
    aliases = tuple(entry.get("aliases") or ())
    catalogue.operators[kind] = Operator(
        kind,
        theory,
        entry["smtlib"],
        parse_signature(entry["sig"], kind),
        entry.get("typing"),
        entry.get("nonlinear"),
        bool(entry.get("undecided")),
        bool(entry.get("commutative")),
        tuple(parse_monotone(text) for text in entry.get("monotone") or ()),
        entry.get("feature"),
        bool(entry.get("extension")),
        aliases,
        entry.get("form") or "",
        entry.get("definition") or "",
        tuple(entry.get("uses") or ()),
        tuple(entry.get("also") or ()),
        entry.get("by-bits") or "",
        bool(entry.get("in-scripts")),
        bool(entry.get("binary")),
        entry.get("in-formulas") or "",
    )
    for alias in aliases:
        catalogue.aliases[alias] = kind
