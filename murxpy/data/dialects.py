"""The section `dialect` of a wrapper says what the solver calls operators, sorts and special values
in scripts. It is decoded, checked and handed on as plain data.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, Literal

from murxpy.data.convert import Strict, convert_at, plain
from murxpy.data.theories import Plain, check_form, load_theories
from murxpy.data.yamlfile import Document, Place
from murxpy.errors import nearest
from murxpy.logic.signature import parse_signature

SECTION = "dialect"
_PLACE: Place = (SECTION,)
_SORT_HOLE = re.compile(r"[*0-9]|p[0-9]")
_VALUE_HOLE = re.compile(r"sort|p[0-9]")
_COMMAND_HOLE = re.compile(r"[*0-9]")


class Dialect(Strict, frozen=True, omit_defaults=True):
    """The section `dialect`. Whatever it does not say is as in the standard. `docs/wrappers.md`
    explains each key.
    """

    same: list[str] = []
    operators: dict[str, str] = {}
    definitions: dict[str, str] = {}
    unsaid: dict[str, str] = {}
    as_spelled: dict[str, list[str]] = {}
    sorts: dict[str, str] = {}
    special_values: dict[str, str] = {}
    special_also: dict[str, str] = {}
    options: dict[str, str] = {}
    commands: dict[str, str] = {}
    tactics: list[str] = []
    constant_arrays: Literal["any", "values", "literals"] | None = None
    testers: Literal["match", "ranked", "plain"] | None = None
    fp_of_one_bit: bool | None = None
    variables_apply: bool | None = None
    functions_are_arrays: bool | None = None
    sets_are_arrays: bool | None = None
    declarations_last: bool | None = None
    global_declarations: bool | None = None
    incremental_option: bool | None = None
    higher_order_logics: bool | None = None
    composed_logics: bool | None = None
    only_all: list[str] = []
    lenient: list[str] = []


def decode_dialect(document: Document) -> Plain | None:
    """Return the dialect in a wrapper, or None if it has no such section. Its names and
    placeholders are checked against the theories. Raises InputError.

    `option-prefix` is what the names of the solver's options begin with in scripts.
    """
    if not isinstance(document.data, dict) or document.data.get(SECTION) is None:
        return None
    section: Plain = plain(convert_at(document, Dialect, _PLACE))
    theories = load_theories()["theories"]
    operators = {kind: op for theory in theories for kind, op in theory["operators"].items()}
    sorts = {kind: sort for theory in theories for kind, sort in theory["sorts"].items()}
    _check_operators(document, section, operators)
    _check_sorts(document, section, sorts)
    for name, text in section.get("commands", {}).items():
        check_form(document, (*_PLACE, "commands", name), text, _COMMAND_HOLE)
    return section | {"option-prefix": str(document.data.get("script-option-prefix") or "")}


def _check_operators(document: Document, section: Plain, known: Mapping[str, Any]) -> None:
    for position, kind in enumerate(section.get("same", ())):
        _check(document, ("same", position), "operator", kind, known)
        if not known[kind]["extension"]:
            raise document.error(
                (*_PLACE, "same", position),
                f"{kind} is an operator of the standard, which every dialect has: leave it out",
            )
    for key in ("operators", "definitions"):
        for name, text in section.get(key, {}).items():
            kind = name.removesuffix("/0")
            _check(document, (key, name), "operator", kind, known)
            arguments = len(parse_signature(known[kind]["sig"], kind).args)
            check_form(document, (*_PLACE, key, name), text, None, arguments)
    said = {
        *section.get("same", ()),
        *section.get("operators", ()),
        *section.get("definitions", ()),
    }
    for kind in section.get("unsaid", ()):
        _check(document, ("unsaid", kind), "operator", kind, known)
        if kind in said:
            raise document.error(
                (*_PLACE, "unsaid", kind),
                f"{kind} has a spelling in this dialect: leave it out here",
            )
    for kind in section.get("as-spelled", ()):
        _check(document, ("as-spelled", kind), "operator", kind, known)


def _check_sorts(document: Document, section: Plain, known: Mapping[str, Any]) -> None:
    special = [name for sort in known.values() for name in sort["special"]]
    for name, text in section.get("sorts", {}).items():
        _check(document, ("sorts", name), "sort kind", name.removesuffix("/0"), known)
        check_form(document, (*_PLACE, "sorts", name), text, _SORT_HOLE)
    for name, text in section.get("special-values", {}).items():
        _check(document, ("special-values", name), "special value", name, special)
        check_form(document, (*_PLACE, "special-values", name), text, _VALUE_HOLE)
    for name, meant in section.get("special-also", {}).items():
        _check(document, ("special-also", name), "special value", meant, special)
    for kind in section.get("options", ()):
        _check(document, ("options", kind), "sort kind", kind, known)
    for position, kind in enumerate(section.get("only-all", ())):
        _check(document, ("only-all", position), "sort kind", kind, known)


def _check(document: Document, place: Place, what: str, name: str, known: Iterable[str]) -> None:
    known = list(known)
    if name not in known:
        raise document.error((*_PLACE, *place), f"unknown {what} '{name}'{nearest(name, known)}")
