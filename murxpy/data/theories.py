"""The theories of `fsm/theories`: sorts, operators and their signatures, as plain data."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Literal

from murxpy.data.convert import Strict, convert, plain
from murxpy.data.folders import data_folder
from murxpy.data.yamlfile import Document, Place, read_document
from murxpy.errors import InputError, nearest
from murxpy.logic.signature import parse_signature

Plain = dict[str, Any]

_FIRST = "core"  # the file whose theory all others build on
_NAMES = {"sorts": re.compile(r"SORT_[A-Z0-9_]+"), "operators": re.compile(r"OP_[A-Z0-9_]+")}


class SortKind(Strict, frozen=True):
    """A sort kind: its SMT-LIB name, the kinds of its parameters, the names of its special values."""

    smtlib: str
    params: list[str] = []
    special: list[str] = []


class Operator(Strict, frozen=True):
    """An operator kind: its SMT-LIB name and signature, and what generator and checker must know
    beside.
    """

    smtlib: str
    sig: str
    aliases: list[str] = []
    nonlinear: Literal["product", "quotient", "always"] | None = None
    feature: str | None = None
    typing: (
        Literal["constructor", "selector", "tester", "updater", "match", "match-case"] | None
    ) = None


class Syntax(Strict, frozen=True):
    """A form that scripts have and no binding has a call for."""

    smtlib: str


class Theory(Strict, frozen=True):
    """A file of `fsm/theories`."""

    theory: str
    smtlib: str
    always: bool = False
    requires: list[str] = []
    sorts: dict[str, SortKind] = {}
    operators: dict[str, Operator] = {}
    extensions: dict[str, Operator] = {}
    syntax: dict[str, Syntax] = {}


def load_catalogue(folder: Path | None = None) -> Plain:
    """All theories of `folder` (the shipped ones), the core first and then by file name.

    Gives `{"theories": [{"name", "smtlib", "always", "requires", "sorts", "operators",
    "syntax"}]}`; `sorts` and `operators` are dicts by kind, and operators of the section
    `extensions` have `"extension": True`. Raises InputError.
    """
    folder = data_folder("fsm") / "theories" if folder is None else folder
    files = sorted(folder.glob("*.yaml"), key=lambda path: (path.stem != _FIRST, path.stem))
    if not files:
        raise InputError("expected *.yaml files with theories in it", file=str(folder))
    documents = [read_document(path) for path in files]
    theories = [convert(document, Theory) for document in documents]
    _check_names(documents, theories)
    _check_signatures(documents, theories)
    return {"theories": [_as_plain(theory) for theory in theories]}


def _as_plain(theory: Theory) -> Plain:
    data: Plain = plain(theory)
    standard, extensions = data.pop("operators"), data.pop("extensions")
    operators = {kind: entry | {"extension": False} for kind, entry in standard.items()}
    operators |= {kind: entry | {"extension": True} for kind, entry in extensions.items()}
    return {"name": data.pop("theory"), **data, "operators": operators}


def _check_names(documents: list[Document], theories: list[Theory]) -> None:
    """Raise InputError where a name stands twice, has not the form of its kind, or requires what is
    not there.
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
    """Raise InputError where a signature cannot be read."""
    for document, theory in zip(documents, theories, strict=True):
        for section in ("operators", "extensions"):
            for kind, operator in getattr(theory, section).items():
                try:
                    parse_signature(operator.sig, kind)
                except InputError as error:
                    raise document.error((section, kind, "sig"), error.reason) from None


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
