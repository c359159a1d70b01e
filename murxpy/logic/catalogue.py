"""Theories, sorts and operators as the data folder defines them. Each signature is defined there
and nowhere else.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from murxpy.logic.dialects import STANDARD, Dialect, Standard, build_dialects
from murxpy.logic.orders import Monotone, Order, order_of, parse_monotone
from murxpy.logic.signature import Signature, parse_signature


@dataclass(frozen=True, eq=False)
class Operator:
    """An operator: its name in traces, its name in SMT-LIB, its signature, and what the generator
    and the printer must know of it.

    These fields are about scripts. `form` is how scripts write an application, if the name before
    the arguments does not do. `definition` is an expression of the standard with the same meaning,
    and `uses` are the sorts that it needs beside those of the arguments. `also` are other names
    that a script may use. If `by_bits` is set, the operator is printed as `by_bits` applied to all
    bits of its argument. `in_scripts` says that scripts of the standard have the operator, although
    it is an extension. `binary` says that scripts take two arguments, although the operator is
    chainable.
    """

    kind: str
    theory: str
    smtlib: str
    signature: Signature
    # the rule of murxpy.logic.typing that types it, if its signature cannot say that
    typing: str | None = None
    # when an application is nonlinear: `product`, `quotient` or `always`
    nonlinear: str | None = None
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

    @property
    def standard(self) -> bool:
        """Return whether scripts of the standard have it."""
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
        """Return the dialect of a solver. A solver without a dialect of its own is spoken to in the
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
    )
    for alias in aliases:
        catalogue.aliases[alias] = kind
