"""Dialects of SMT-LIB: what a solver's parser calls operators, sorts and special values, and how it
differs from the standard. The names of a solver stand in its file of `wrappers/`, those of the
standard in `fsm/theories`.

A spelling is a name, or an expression with placeholders: `{0}` is an argument, `{*}` all of them,
`{i0}` an index, `{sort}` the sort of the result, `{sort0}` that of an argument, `{elem0}` its first
parameter and `{width0}` its width, `{p0}` a number of the sort of the result. `KIND/0` is the
spelling of an application without arguments.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

STANDARD = "standard"


@dataclass(frozen=True, slots=True, eq=False)
class Dialect:
    """A dialect. The defaults are what the standard says; `docs/wrappers.md` explains each key.

    `says` are the operators that can be printed. `operators` are the spellings of operators that
    have another name here than in `fsm/theories`, and `same` are the extensions that have the same
    name. `defined` are the operators that are printed by their definition in `fsm/theories`.
    `expanded` are all operators that are printed by an expression with the same meaning, because
    the dialect has no name for them.
    """

    name: str = STANDARD
    says: frozenset[str] = frozenset()
    operators: Mapping[str, str] = field(default_factory=dict)
    same: frozenset[str] = frozenset()
    defined: frozenset[str] = frozenset()
    expanded: frozenset[str] = frozenset()
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
    higher_order_logics: bool = True
    composed_logics: bool = False
    only_all: tuple[str, ...] = ()
    lenient: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Standard:
    """What `fsm/theories` says about scripts: the operators that are no extensions, how operators
    are written or defined, and the spellings of special values.

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
    special = {**standard.special, **data.pop("special-values", {})}
    definitions = standard.definitions
    defined = frozenset(kind for kind in definitions if kind not in same and kind not in spelled)
    expressions = [kind for kind in defined if definitions[kind].startswith("(")]
    operators = {**standard.forms, **definitions, **spelled}
    return Dialect(
        name,
        standard.kinds.union(same, operators),
        operators,
        same,
        defined,
        standard.by_bits.union(own, expressions),
        special_values=special,
        **{key.replace("-", "_"): _frozen(value) for key, value in data.items()},
    )


def _frozen(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _frozen(entry) for key, entry in value.items()}
    return tuple(value) if isinstance(value, list) else value
