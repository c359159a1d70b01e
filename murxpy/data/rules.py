"""Rules of implication as plain data: files of `fsm/rules`, files of the user, and the proofs that
are kept beside them.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Annotated, Literal

from msgspec import Meta

from murxpy.data.lookup import Named
from murxpy.data.theories import Plain
from murxpy.data.yamlfile import MAX_BYTES, Document, Strict, convert, plain, read_document
from murxpy.errors import InputError, nearest
from murxpy.foreign import read_text

Name = Annotated[str, Meta(pattern=r"^[A-Za-z][A-Za-z0-9_.-]*$")]
Variable = Annotated[str, Meta(pattern=r"^[A-Za-z][A-Za-z0-9]*$")]
Letter = Annotated[str, Meta(pattern=r"^[A-Za-z]$")]

PROOFS = ".proofs.json"


class Rule(Strict, frozen=True):
    """One rule: `strong` implies `weak`, or is below it in `order`, for all values of `vars` for
    which `where` holds.

    `vars` are metavariables with their sorts, in which a small letter is a number and a capital
    letter any sort. `either` are the sorts or names that a capital letter stands for, if these are not all sorts.
    `datatypes` are the constructors of sample datatypes, whose names stand for those of any datatype.
    `indices` are the ranges of numbers that are indices. `chain` names two metavariables if the rule
    also holds for chains of more arguments. `directions` are the directions in which it is used. An
    `equivalent` rule holds the other way round, too. `argument` says why the rule holds for widths
    and datatypes that were not checked. `published` is the name of a rule that was published.
    """

    strong: str
    weak: str
    vars: dict[Variable, str] = {}
    either: dict[Letter, list[str]] = {}
    datatypes: dict[Letter, str] = {}
    indices: dict[Letter, str] = {}
    where: str = ""
    order: str = "bool"
    chain: list[Variable] = []
    directions: Literal["weaken", "strengthen", "both"] = "both"
    equivalent: bool = False
    argument: str = ""
    published: str = ""


class Book(Strict, frozen=True):
    """A file of `fsm/rules`: the rules of one theory by name."""

    book: Name
    about: str
    rules: dict[Name, Rule]


BOOKS = Named("rules", "rules")


def load_book(path: Path) -> list[Plain]:
    """The rules in a file, each with its `name`, `book`, `file` and `line`. Raises InputError."""
    document = read_document(path)
    book = convert(document, Book)
    if not book.rules:
        raise document.error(("rules",), "expected at least one rule, found none")
    return [_plain(document, book, name) for name in book.rules]


def _plain(document: Document, book: Book, name: str) -> Plain:
    rule = book.rules[name]
    for variable in rule.chain:
        if variable not in rule.vars:
            raise document.error(
                ("rules", name, "chain"),
                f"'{variable}' is no metavariable of the rule{nearest(variable, rule.vars)}",
            )
    if len(rule.chain) not in (0, 2):
        raise document.error(("rules", name, "chain"), "expected the names of two metavariables")
    return {
        "name": name,
        "book": book.book,
        "file": document.file,
        "line": document.line(("rules", name)),
        **plain(rule),
    }


def fingerprint(rule: Plain) -> str:
    """A text that changes with everything that a rule says, but not with its name or its place."""
    facts = {
        key: value
        for key, value in sorted(rule.items())
        if key
        not in ("name", "book", "file", "line", "published", "argument", "proved", "generated")
        and value
    }
    return hashlib.blake2b(json.dumps(facts, sort_keys=True).encode(), digest_size=8).hexdigest()


def proofs_path(book: Path) -> Path:
    """The file in which the proofs of the rules in a file are kept."""
    return book.with_name(book.stem + PROOFS)


def read_proofs(path: Path) -> Plain:
    """The kept proofs by the name of their rule; none if there is no such file. Raises InputError."""
    try:
        found = json.loads(read_text(path, "table of proofs", MAX_BYTES)) if path.exists() else {}
    except ValueError as error:
        raise InputError(
            f"expected proofs that murxpy has written: {error}", file=str(path)
        ) from None
    if not isinstance(found, dict):
        raise InputError("expected proofs that murxpy has written", file=str(path))
    return found


def write_proofs(path: Path, proofs: Plain) -> None:
    """Keep proofs, one line for each rule. Raises InputError if the proofs cannot be written."""
    lines = [f"{json.dumps(name)}: {json.dumps(proof)}" for name, proof in proofs.items()]
    try:
        path.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    except OSError as error:
        raise InputError(f"the proofs cannot be kept: {error.strerror}", file=str(path)) from None
