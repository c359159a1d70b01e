"""The theories of `fsm/theories` as plain data: sorts, operators and their signatures."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

from murxpy.data.folders import data_folder, remembered
from murxpy.data.yamlfile import Document, Place, Strict, convert, convert_at, plain, read_document
from murxpy.errors import InputError, nearest
from murxpy.logic.catalogue import ANY_ORDER, parse_monotone
from murxpy.logic.signature import parse_signature

Plain = dict[str, Any]

_FIRST = "core"  # the file of the theory on which all others build
_added: list[Path] = []  # files of the user, see `added_theories`
_HOLE = re.compile(r"\{([^{}]*)\}")
_OPERATOR_HOLE = re.compile(
    r"[*0-9]|(sort|elem|width)[0-9]|[ip][0-9]|sort|count|weighed|bits|product|open|tested|rebuilt|selector"
)
_NAMES = {"sorts": re.compile(r"SORT_[A-Z0-9_]+"), "operators": re.compile(r"OP_[A-Z0-9_]+")}


class SortKind(Strict, frozen=True):
    """A kind of sorts: its name in SMT-LIB, the kinds of its parameters, the names of its special
    values, and how scripts write them.
    """

    smtlib: str
    params: list[str] = []
    special: list[str] = []
    extension: bool = False
    short: dict[str, list[int]] = {}
    special_forms: dict[str, str] = {}
    special_also: dict[str, str] = {}


class Operator(Strict, frozen=True):
    """An operator: its name in SMT-LIB, its signature, how scripts write it, and what generator and
    type checker must know of it.
    """

    smtlib: str
    sig: str
    aliases: list[str] = []
    nonlinear: Literal["product", "quotient", "always"] | None = None
    undecided: bool = False
    commutative: bool = False
    monotone: list[str] = []
    feature: str | None = None
    form: str | None = None
    definition: str | None = None
    in_formulas: str | None = None
    uses: list[str] = []
    also: list[str] = []
    by_bits: str | None = None
    in_scripts: bool = False
    binary: bool = False
    typing: (
        Literal["constructor", "selector", "tester", "updater", "match", "match-case"] | None
    ) = None


class Order(Strict, frozen=True):
    """An order of the values of a kind of sorts: `leq` says of `x` and `y` that `x` is at most `y`,
    for all values of the variables `for_all`. `join` is the least value that is at least both.
    """

    sort: str
    leq: str
    for_all: dict[str, str] = {}
    join: str = ""


class Syntax(Strict, frozen=True):
    """A form that scripts have and for which no binding has a call."""

    smtlib: str


class Theory(Strict, frozen=True):
    """A file of `fsm/theories`. If it is `undecided`, all its operators are."""

    theory: str
    smtlib: str
    always: bool = False
    undecided: bool = False
    requires: list[str] = []
    sorts: dict[str, SortKind] = {}
    operators: dict[str, Operator] = {}
    extensions: dict[str, Operator] = {}
    syntax: dict[str, Syntax] = {}
    orders: dict[str, Order] = {}


def load_theories(folder: Path | None = None) -> Plain:
    """Return all theories of `folder`, by default the shipped ones, and behind them those of the
    user's files that `added_theories` names. The core comes first, the others follow by file name.

    The result is `{"theories": [{"name", "smtlib", "always", "requires", "sorts", "operators",
    "syntax"}]}`. `sorts` and `operators` are dicts by kind. Operators of the section `extensions`
    have `"extension": True`. Raises InputError.
    """
    return _load(theory_files(folder))


def theory_files(folder: Path | None = None) -> tuple[Path, ...]:
    """Return the files that `load_theories` reads, in their order. Raises InputError."""
    shipped = folder is None
    folder = data_folder("fsm") / "theories" if folder is None else folder
    files = sorted(folder.glob("*.yaml"), key=lambda path: (path.stem != _FIRST, path.stem))
    if not files:
        raise InputError("expected *.yaml files with theories in it", file=str(folder))
    return (*files, *(_added if shipped else ()))


@remembered
def _load(files: tuple[Path, ...]) -> Plain:
    documents = [read_document(path) for path in files]
    theories = [convert(document, Theory) for document in documents]
    _check_names(documents, theories)
    _check_signatures(documents, theories)
    _check_scripts(documents, theories)
    _check_orders(documents, theories)
    return {"theories": [_as_plain(theory) for theory in theories]}


def _check_orders(documents: list[Document], theories: list[Theory]) -> None:
    """Raise InputError for what an operator is said to be monotone in, if it is no order."""
    known = [ANY_ORDER, *(name for theory in theories for name in theory.orders)]
    for document, theory in zip(documents, theories, strict=True):
        for section in ("operators", "extensions"):
            for kind, operator in getattr(theory, section).items():
                for text in operator.monotone:
                    try:
                        parse_monotone(text, known)
                    except InputError as error:
                        raise document.error((section, kind, "monotone"), error.reason) from None


@contextmanager
def added_theories(files: Sequence[Path]) -> Iterator[None]:
    """Add the theories in these files to the shipped ones, up to the end of the block. Raises
    InputError for a file that is no theory, or that defines a name of another theory again.
    """
    before = list(_added)
    _added[:] = [*before, *(path for path in files if path not in before)]
    try:
        if files:
            load_theories()
        yield
    finally:
        _added[:] = before


def _as_plain(theory: Theory) -> Plain:
    data: Plain = plain(theory)
    standard, extensions = data.pop("operators"), data.pop("extensions")
    operators = {kind: entry | {"extension": False} for kind, entry in standard.items()}
    operators |= {kind: entry | {"extension": True} for kind, entry in extensions.items()}
    if data.pop("undecided"):
        operators = {kind: entry | {"undecided": True} for kind, entry in operators.items()}
    return {"name": data.pop("theory"), **data, "operators": operators}


def _check_names(documents: list[Document], theories: list[Theory]) -> None:
    """Raise InputError for a name that stands twice or does not have the form of its kind, and for
    a required theory that does not exist.
    """
    seen: dict[str, str] = {}
    for document, theory in zip(documents, theories, strict=True):
        _claim(seen, document, theory.theory, ("theory",))
        for section in ("sorts", "operators", "extensions", "syntax"):
            for kind, entry in getattr(theory, section.replace("-", "_")).items():
                _check_form(document, section, kind)
                _claim(seen, document, kind, (section, kind))
                for alias in getattr(entry, "aliases", ()):
                    _claim(seen, document, alias, (section, kind, "aliases"))
    names = [theory.theory for theory in theories]
    for document, theory in zip(documents, theories, strict=True):
        for position, name in enumerate(theory.requires):
            if name not in names:
                raise document.error(
                    ("requires", position), f"unknown theory '{name}'{nearest(name, names)}"
                )


def _check_signatures(documents: list[Document], theories: list[Theory]) -> None:
    """Raise InputError for a signature that cannot be read."""
    for document, theory in zip(documents, theories, strict=True):
        for section in ("operators", "extensions"):
            for kind, operator in getattr(theory, section).items():
                try:
                    parse_signature(operator.sig, kind)
                except InputError as error:
                    raise document.error((section, kind, "sig"), error.reason) from None


def _check_scripts(documents: list[Document], theories: list[Theory]) -> None:
    """Raise InputError if the section about scripts names a sort or value that does not exist."""
    sorts = [kind for theory in theories for kind in theory.sorts]
    for document, theory in zip(documents, theories, strict=True):
        for section in ("operators", "extensions"):
            for kind, operator in getattr(theory, section).items():
                place: Place = (section, kind)
                arguments = len(parse_signature(operator.sig, kind).args)
                for text in (operator.form, operator.definition, operator.in_formulas):
                    check_form(document, place, text or "", None, arguments)
                for used in operator.uses:
                    if used not in sorts:
                        raise document.error(
                            place, f"unknown sort kind '{used}'{nearest(used, sorts)}"
                        )
        for kind, sort in theory.sorts.items():
            for name in (*sort.special_forms, *sort.special_also.values()):
                if name not in sort.special:
                    raise document.error(
                        ("sorts", kind),
                        f"{kind} has no special value '{name}'{nearest(name, sort.special)}",
                    )


def check_form(
    document: Document, place: Place, text: str, known: re.Pattern[str] | None, arguments: int = 10
) -> None:
    """Raise InputError for a placeholder in a spelling of scripts that stands for nothing: one that
    `known` does not match, or an argument beyond the last one. Without `known`, the placeholders of
    operators are known.
    """
    for hole in _HOLE.findall(text):
        if not (known or _OPERATOR_HOLE).fullmatch(hole):
            raise document.error(place, f"the placeholder {{{hole}}} stands for nothing here")
        number = hole.lstrip("sortelmwidh")
        if hole[0] not in "pi" and number.isdecimal() and int(number) >= arguments:
            raise document.error(
                place,
                f"the placeholder {{{hole}}} stands for an argument that the operator does not have",
            )


def _check_form(document: Document, section: str, kind: str) -> None:
    pattern = _NAMES["sorts" if section == "sorts" else "operators"]
    if not pattern.fullmatch(kind):
        raise document.error(
            (section, kind), f"'{kind}' is no name of a kind: expected one like {pattern.pattern}"
        )


def _claim(seen: dict[str, str], document: Document, name: str, place: Place) -> None:
    if name in seen:
        raise document.error(
            place, f"'{name}' is defined already, at {seen[name]}: names are unique"
        )
    seen[name] = f"{document.file}:{document.line(place)}"


# ----------------------------------------------------------------------
# The section `dialect` of a wrapper says what the solver calls operators, sorts and special
# values in scripts. It is decoded, checked and handed on as plain data.


SECTION = "dialect"
_PLACE: Place = (SECTION,)
_SORT_HOLE = re.compile(r"[*0-9]|p[0-9]")
_VALUE_HOLE = re.compile(r"sort|p[0-9]")
_COMMAND_HOLE = re.compile(r"[*0-9v]|name")


class Dialect(Strict, frozen=True, omit_defaults=True):
    """The section `dialect`. A dialect follows the standard in everything that it does not mention.
    `docs/wrappers.md` explains each key.
    """

    same: list[str] = []
    operators: dict[str, str] = {}
    definitions: dict[str, str] = {}
    unsaid: dict[str, str] = {}
    lacks: list[str] = []
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
    string_options: bool | None = None
    higher_order_logics: bool | None = None
    composed_logics: bool | None = None
    only_all: list[str] = []
    logics: list[str] = []
    lenient: list[str] = []


def decode_dialect(document: Document) -> Plain | None:
    """Return the dialect in a wrapper, or None if it has no such section. Names and placeholders of
    the dialect are checked against the theories. Raises InputError.

    `option-prefix` is what the names of the solver's options begin with in scripts, and `lacks` are
    the sorts and operators of the standard that the solver does not have.
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
    prefix = str(document.data.get("script-option-prefix") or "")
    lacks = [*_lacking(document, section, theories), *section.get("lacks", ())]
    return section | {"option-prefix": prefix, "lacks": lacks}


def _lacking(document: Document, section: Plain, theories: list[Plain]) -> list[str]:
    """Return the sorts that the solver does not have, and the operators of the theories that it does
    not have or that are about such a sort, unless the dialect spells them.
    """
    known = document.data.get("theories")
    if not isinstance(known, list):
        return []
    absent = [t for t in theories if not t.get("always") and t["name"] not in known]
    sorts = [kind for theory in absent for kind in theory["sorts"]]
    sorts += [
        kind for group in document.data.get("unspelled", ()) for kind in group.get("sorts", ())
    ]
    words = frozenset(kind.removeprefix("SORT_") for kind in sorts)
    spelled = {
        *section.get("same", ()),
        *section.get("operators", {}),
        *section.get("definitions", {}),
    }
    operators = [
        kind
        for theory in theories
        for kind, operator in theory["operators"].items()
        if kind not in spelled
        and (
            theory in absent
            or words.intersection(_WORD.findall(operator["sig"]))
            or not set(sorts).isdisjoint(operator.get("uses", ()))
        )
    ]
    return [*(sort for sort in sorts if sort not in section.get("sorts", {})), *operators]


_WORD = re.compile(r"[A-Z]+")


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
    spelled = {
        *section.get("same", ()),
        *section.get("operators", ()),
        *section.get("definitions", ()),
    }
    for kind in section.get("unsaid", ()):
        _check(document, ("unsaid", kind), "operator", kind, known)
        if kind in spelled:
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
