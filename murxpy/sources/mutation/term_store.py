"""A store of the terms of many scripts by their sorts, in a file. TypeFuzz takes arguments from it.

The store of terms is the database of data-driven type-aware mutation: Winterer's thesis, section 5.6.
A term is stored as a script that declares what the term needs and then defines it, so that it can be
read into the tables of any run. Terms of datatypes and uninterpreted sorts, and terms with free
variables, are not stored, because they mean nothing without the rest of their script.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

from murxpy.errors import InputError
from murxpy.logic.catalogue import Catalogue
from murxpy.logic.sorts import Sort
from murxpy.logic.terms import FUNCTION, Term
from murxpy.logic.walks import backwards, bottom_up
from murxpy.machine.random import Stream
from murxpy.smtlib.building import Tables
from murxpy.smtlib.printing.scripts import print_script
from murxpy.smtlib.printing.terms import Unsayable
from murxpy.smtlib.reading.scripts import read_script
from murxpy.smtlib.script import DefineFun, Script
from murxpy.sources.mutation.workshop import Seed

LONGEST = 1000  # characters of a stored term with its declarations; most terms of seeds are shorter
_FORMAT = 1  # of the file; another one is another file
_CREATE = """
    CREATE TABLE terms (sort TEXT, number INTEGER, seed INTEGER, script TEXT,
                        PRIMARY KEY (sort, number)) WITHOUT ROWID
"""
_UNKNOWN = ("SORT_DT", "SORT_UNINTERPRETED", "SORT_PARAM", "SORT_CASE")
_NAME = "t"


def store_of(seeds: Sequence[Seed], catalogue: Catalogue, dialect: str, folder: Path) -> Path:
    """The file in `folder` with the terms of the seeds. If it is not there, it is written first. The
    name of the file depends on the texts of the seeds, so that other seeds have another file.
    """
    digest = hashlib.blake2b(f"{_FORMAT} {dialect}".encode(), digest_size=12)
    for seed in seeds:
        digest.update(f"\0{seed.text}".encode())
    path = folder / f"{digest.hexdigest()}.sqlite"
    if not path.is_file():
        folder.mkdir(parents=True, exist_ok=True)
        part = folder / f"{path.name}.{os.getpid()}"
        part.unlink(missing_ok=True)
        try:
            _write(part, seeds, catalogue, dialect)
            part.replace(path)
        finally:
            part.unlink(missing_ok=True)
    return path


def _write(path: Path, seeds: Sequence[Seed], catalogue: Catalogue, dialect: str) -> None:
    counts: dict[str, int] = {}
    known: set[tuple[str, str]] = set()
    with closing(sqlite3.connect(path)) as file, file:
        file.execute(_CREATE)
        for number, seed in enumerate(seeds):
            for sort, script in _scripts(seed, catalogue, dialect):
                if (sort, script) not in known:
                    known.add((sort, script))
                    place = counts[sort] = counts.get(sort, 0) + 1
                    row = (sort, place - 1, number, script)
                    file.execute("INSERT INTO terms VALUES (?, ?, ?, ?)", row)


def _scripts(seed: Seed, catalogue: Catalogue, dialect: str) -> Iterator[tuple[str, str]]:
    """The sorts and scripts of the terms of a seed; nothing of a seed that is no SMT-LIB."""
    try:
        script = read_script(seed.text, seed.name, catalogue)
    except InputError:
        return
    for term in _closed(script.assertions()):
        made = Script(seed.name, script.tables, [DefineFun(_NAME, (), term, None)])
        try:
            text = print_script(made, dialect)
        except Unsayable:
            continue
        if len(text) <= LONGEST:
            yield repr(term.sort), text


def _closed(roots: Iterable[Term]) -> Iterator[Term]:
    """The terms without free variables in `roots`, each once, that mean something elsewhere."""
    alone: dict[Term, bool] = {}
    for root in roots:
        for term in bottom_up(root, alone, backwards):
            alone[term] = _builtin(term.sort) and all(alone[arg] for arg in term.args)
            kept = alone[term] and not term.free and term.op != FUNCTION
            if kept and term.sort.kind != "SORT_FUN":
                yield term


def _builtin(sort: Sort) -> bool:
    return sort.kind not in _UNKNOWN and all(map(_builtin, sort.sorts()))


class TermStore:
    """Reads a file that `store_of` has written. Each process opens the file for itself, because
    SQLite does not allow a connection to be used behind a fork.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self._file: sqlite3.Connection | None = None
        self._process = 0
        counted = "SELECT sort, count(*) FROM terms GROUP BY sort ORDER BY sort"
        with closing(self._open()) as file:
            self.counts: dict[str, int] = dict(file.execute(counted))

    def _open(self) -> sqlite3.Connection:
        return sqlite3.connect(f"file:{quote(self._path)}?mode=ro&immutable=1", uri=True)

    def _row(self, sort: str, number: int) -> tuple[int, str]:
        """The number of the seed and the script of a term."""
        if self._file is None or self._process != os.getpid():
            self._file, self._process = self._open(), os.getpid()
        query = "SELECT seed, script FROM terms WHERE sort = ? AND number = ?"
        seed, script = self._file.execute(query, (sort, number)).fetchone()
        return int(seed), str(script)

    def draw(
        self, sort: str, most: int, stream: Stream, tables: Tables, names: dict[str, Term]
    ) -> list[Term]:
        """Up to `most` different random terms of a sort, in the tables of a run.

        The constants of the terms have the number of their seed behind their names. `names` are the
        constants of the run by name; a term with another constant of one of these names is left out,
        and the constants of the others are added.
        """
        count = self.counts.get(sort, 0)
        places = dict.fromkeys(stream.between(0, count - 1) for _ in range(most if count else 0))
        found = []
        for place in places:
            seed, script = self._row(sort, place)
            tables.suffix = f"_{seed + 2}"
            try:
                read = read_script(script, f"term {place} of {sort}", tables.catalogue, tables)
            except InputError:
                continue
            finally:
                tables.suffix = ""
            constants = {str(constant.indices[0]): constant for constant in read.constants()}
            if all(names.get(name, constant) is constant for name, constant in constants.items()):
                names.update(constants)
                found += [c.body for c in read.commands if isinstance(c, DefineFun)]
        return found
