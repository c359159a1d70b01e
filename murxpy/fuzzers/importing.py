"""Seeds of the regression suite that a solver ships: its scripts are read, labelled, and split by logic;
of scripts that have the same shape one is kept. Nothing of them runs.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from murxpy.errors import InputError
from murxpy.fuzzers.seeds import SIZE_LIMIT, folder_label, label_of, new_seed_file, script_text
from murxpy.logic.catalogue import Catalogue
from murxpy.logic.sorts import Datatype, Sort
from murxpy.logic.terms import CONSTANT, VALUE, VARIABLE, Term
from murxpy.logic.walks import backwards, bottom_up
from murxpy.smtlib.logics import known
from murxpy.smtlib.problems import HORN
from murxpy.smtlib.reading.scripts import read_script
from murxpy.smtlib.script import (
    CHECKS,
    Assert,
    CheckSatAssuming,
    DefineFunsRec,
    Other,
    Pop,
    Push,
    Script,
    SetOption,
)
from murxpy.sources.mutation.preparing import Logics, prepared

UNKNOWN, SEVERAL = (
    "unknown",
    "several",
)  # folders of scripts without labels, and with different ones


@dataclass(frozen=True, slots=True)
class Imported:
    """What came of a file: where its seed was written, or the reason why there is none. `fault` is the
    whole message for a file that cannot be read.
    """

    path: Path
    seed: Path | None = None
    logic: str = ""
    label: str = ""
    reason: str = ""
    fault: str = ""


UNREADABLE, DUPLICATE = "not readable", "the same shape and labels as another script"


class Importer:
    """Writes seeds to a folder, `LOGIC/LABEL/NAME.smt2`. A file larger than `size_limit` bytes is left
    out, because the fuzzers would leave it out.
    """

    def __init__(self, folder: Path, catalogue: Catalogue, size_limit: int = SIZE_LIMIT) -> None:
        self.folder = folder
        self._catalogue = catalogue
        self._size_limit = size_limit
        self._known: set[bytes] = set()

    def take(self, path: Path) -> Imported:
        """Import a file. Raises OSError where the folder takes no files."""
        try:
            text = self._text(path)
            script = read_script(text, str(path), self._catalogue)
        except _LeftOut as left_out:
            return Imported(path, reason=str(left_out))
        except InputError as error:
            return Imported(path, reason=UNREADABLE, fault=str(error))
        labels = label_of(text) or (folder_label(path) if not script.incremental else "")
        reason = self._unfit(script, labels)
        if reason:
            return Imported(path, reason=reason)
        label = SEVERAL if " " in labels else labels or UNKNOWN
        logic = _logic_of(script)
        file = new_seed_file(self.folder, logic, label, path.stem)
        file.write_text(text, encoding="utf-8")
        return Imported(path, file, logic, label)

    def _text(self, path: Path) -> str:
        """The text of the script in a file. Raises InputError, and _LeftOut."""
        if any("\ud800" <= char <= "\udfff" for char in str(path)):
            raise _LeftOut("a name that is not UTF-8")
        try:
            size = path.stat().st_size
        except OSError as error:
            raise InputError(f"cannot be read: {error.strerror}", file=str(path)) from None
        if size > self._size_limit:
            raise _LeftOut(f"larger than {self._size_limit:,} bytes")
        return script_text(path)

    def _unfit(self, script: Script, labels: str) -> str:
        """Why a script is no new seed; empty if it is one."""
        if not any(isinstance(command, CHECKS) for command in script.commands):
            return "no check-sat"
        if not script.assertions():
            return "nothing is asserted"
        digest = hashlib.blake2b(f"{labels}\n".encode(), digest_size=16)
        for part in shape(script):
            digest.update(f"{part}\n".encode())
        if digest.digest() in self._known:
            return DUPLICATE
        self._known.add(digest.digest())
        return ""


class _LeftOut(Exception):
    """A file that is not read, with the reason."""


def _logic_of(script: Script) -> str:
    """The logic that a script sets, or the smallest one that contains it where it sets none, one that is
    not known, or ALL.
    """
    logic = script.logic or ""
    if logic == HORN or (known(logic) and logic not in ("", "ALL")):
        return logic
    return Logics(script).of(prepared(script))


# ----------------------------------------------------------------------
# The shape of a script: all of it but names, literals, and what only describes it. Two scripts with one
# shape differ in names and literals alone, and a fuzzer that changes operators or literals makes one of
# the other.


def shape(script: Script) -> Iterator[str]:
    """The parts of the shape of a script: equal for two scripts that become equal when their names and
    literals are replaced. Definitions without recursion count as what they stand for.
    """
    shapes, terms = _Shapes(), list[Term]()
    yield script.logic or ""
    for command in script.commands:
        match command:
            case SetOption(name, value):
                yield f"{name} {value}"
                continue
            case Push(levels) | Pop(levels):
                yield f"{type(command).__name__} {levels}"
                continue
            case Assert(term):
                terms = [term]
            case CheckSatAssuming(assumptions):
                terms = list(assumptions)
            case DefineFunsRec():
                terms = list(command.bodies)
            case Other(text, parts):
                terms = [part for part in parts if isinstance(part, Term)]
                if not parts:
                    yield text
            case _ if isinstance(command, CHECKS):
                terms = []
            case _:
                continue
        yield f"{type(command).__name__} {[shapes.of(term) for term in terms]}"
    yield from shapes.entries


class _Shapes:
    """Numbers the terms of a script by their shapes, in the order in which they come."""

    def __init__(self) -> None:
        self.entries: dict[str, int] = {}  # the shapes of terms, each with its number
        self._terms: dict[Term, int] = {}
        self._sorts: dict[Sort, str] = {}
        self._names: dict[object, int] = {}

    def of(self, root: Term) -> int:
        """The number of the shape of a term."""
        for term in bottom_up(root, self._terms, backwards):
            entry = self._entry(term)
            self._terms[term] = self.entries.setdefault(entry, len(self.entries))
        return self._terms[root]

    def _entry(self, term: Term) -> str:
        sort = self._sort(term.sort)
        if term.op == VALUE:
            return f"literal {sort}"
        if term.op in (CONSTANT, VARIABLE):
            return f"{term.op} {self._name(term)} {sort}"
        indices = [self._name(i) if isinstance(i, str) else i for i in term.indices]
        return f"{term.op} {indices} {[self._terms[arg] for arg in term.args]} {sort}"

    def _name(self, named: object) -> str:
        return f"#{self._names.setdefault(named, len(self._names))}"

    def _sort(self, root: Sort) -> str:
        for sort in bottom_up(root, self._sorts, Sort.sorts):
            self._sorts[sort] = f"{sort.kind} {[self._param(param) for param in sort.params]}"
        return self._sorts[root]

    def _param(self, param: object) -> str:
        if isinstance(param, Sort):
            return self._sorts[param]
        if isinstance(param, Datatype):
            fields = [[sort.kind for _, sort in one.fields] for one in param.constructors]
            return f"{self._name(param)} {fields}"
        return self._name(param) if isinstance(param, str) else str(param)
