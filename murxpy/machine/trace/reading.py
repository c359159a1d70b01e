"""The state of a replay: the line at hand, readers for its words, and the objects that ids name."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from murxpy.errors import InputError, nearest
from murxpy.logic.sorts import (
    MAX_ORDER,
    MAX_WIDTH,
    Constructor,
    Datatype,
    Sort,
    components,
    order_of_field,
)
from murxpy.machine.database import Entry, SortEntry
from murxpy.machine.outcomes import STATE, Refused
from murxpy.machine.run import Run
from murxpy.machine.tokens import FieldSort, Quoted, Ref, Token
from murxpy.machine.trace.grammar import Line, Trace


class Skipped(Exception):
    """The line needs an object that an earlier line should have returned, but did not."""


class Reading:
    """The run, the trace, the line at hand, and the ids that refused lines should have returned.

    In our own traces an id of the file is the id in the run's database. Murxla returns one id twice
    if its solver takes two terms for equal. For Murxla's traces the ids of the file are therefore
    kept apart, and the first line that returns an id says what it names.
    """

    def __init__(self, run: Run, trace: Trace) -> None:
        self.run = run
        self.trace = trace
        self.line = Line("")
        self.missing: set[Ref] = set()
        self.lenient = False  # carry the line out although the state does not allow it
        self._terms: dict[int, Entry] | None = None
        self._sorts: dict[int, SortEntry] | None = None
        # options, limits and own actions belong to another solver
        self.foreign = trace.solver not in ("", run.wrapper.name)
        self.start()

    def start(self) -> None:
        """Reserve the ids that the trace names for the lines that return them."""
        highest = dict.fromkeys("stx", 0)
        for line in self.trace.lines:
            for token in line.result("return") or ():
                if isinstance(token, Ref) and token.letter in highest:
                    highest[token.letter] = max(highest[token.letter], token.number)
        if self.trace.murxla:
            self._terms, self._sorts = {}, {}
        else:
            self.run.db.reserve(highest["s"], highest["t"])
        self.run.objects.reserve(highest["x"])

    @property
    def terms(self) -> dict[int, Entry]:
        """The terms by their ids in the file."""
        return self.run.db.terms if self._terms is None else self._terms

    @property
    def sorts(self) -> dict[int, SortEntry]:
        """The sorts by their ids in the file."""
        return self.run.db.sorts if self._sorts is None else self._sorts

    @property
    def seed(self) -> int:
        """The line's seed; 0 where it has none."""
        return self.line.seed or 0

    # -- errors

    def error(self, message: str) -> InputError:
        """An InputError that names the line at hand."""
        return InputError(message, file=self.trace.name, line=self.line.number)

    def require(self, condition: bool, what: str) -> None:
        """Raise Refused where the line cannot be carried out in this state, say after another
        answer to a check.
        """
        if not condition and not self.lenient:
            raise Refused(STATE, what)

    def require_spelling(self, there: bool, what: str) -> None:
        """Raise Refused where this release has no spelling of `what`."""
        if not there and not self.lenient:
            raise Refused("unsupported", f"no spelling of {what}")

    # -- ids

    def known(self, ref: Ref) -> bool:
        """True if the id names something."""
        if ref.letter == "x":
            return ref.number in self.run.objects.alive
        return ref.number in (self.sorts if ref.letter == "s" else self.terms)

    def lost(self) -> None:
        """Note that the line at hand returned nothing, so lines that use its ids are skipped."""
        for token in self.line.result("return") or ():
            if isinstance(token, Ref) and not self.known(token):
                self.missing.add(token)

    def returned(self, letter: str) -> list[int]:
        """The ids of kind `letter` that the line says it returned."""
        return [
            t.number
            for t in self.line.result("return") or ()
            if isinstance(t, Ref) and t.letter == letter
        ]

    def new_ids(self, letter: str) -> list[int]:
        """The ids that the line returned for new objects; none in Murxla's dialect. Raises InputError
        if an id is taken.
        """
        if self.trace.murxla:
            return []
        ids = self.returned(letter)
        for at, number in enumerate(ids):
            if (
                Ref(letter, number) in self.missing
                or self.known(Ref(letter, number))
                or number in ids[:at]
            ):
                raise self.error(f"id {letter}{number} is returned twice")
        return ids

    def new_id(self, letter: str) -> int | None:
        """The first id that the line returned for a new object; None where there is none."""
        ids = self.new_ids(letter)
        return ids[0] if ids else None

    def sort_id(self) -> int | None:
        """The id that the line returned for the sort of its term; the sort need not be new."""
        ids = [] if self.trace.murxla else self.returned("s")
        return ids[0] if ids else None

    def made_term(self, entry: Entry) -> None:
        """Let the ids of the line name the term that it made and its sort. Raises InputError where
        the id of the sort names another one.
        """
        sort = entry.term.sort
        if sort.kind == "SORT_CASE":  # Murxla gives a case the sort of its body
            sort = sort.sort(1)
        sorts = self.returned("s")[:1]
        if self._terms is not None and self._sorts is not None:
            for number in self.returned("t")[:1]:
                self._terms.setdefault(number, entry)
            for number in sorts:
                self._sorts.setdefault(number, self.run.db.sort_entries[sort][0])
        for number in sorts:
            if number in self.sorts and self.sorts[number].sort is not sort:
                raise self.error(
                    f"the sort of {entry} is {sort}, but s{number} is {self.sorts[number].sort}"
                )

    def made_sorts(self, entries: list[SortEntry]) -> None:
        """Let the ids of the line name the sorts that it made."""
        if self._sorts is not None:
            for number, entry in zip(self.returned("s"), entries, strict=False):
                self._sorts.setdefault(number, entry)

    # -- spellings

    def spelling(self, section: str, *keys: str) -> str | None:
        """The spelling that the line names. Raises InputError if no release has it; spellings in
        foreign traces are ignored.
        """
        name = self.line.spelling
        if name is None or self.foreign or self.trace.murxla:
            return None
        entries = self.run.wrapper.facts.forms.get(section) or {}
        forms: Any = next((entries[key] for key in keys if key in entries), {})
        if isinstance(forms, str) or "is" in forms:
            forms = {"default": forms}
        if name not in forms:
            raise self.error(f"unknown spelling '{name}' of {keys[0]}{nearest(name, forms)}")
        return name

    # -- words

    def word(self, at: int, what: str) -> Token:
        """The word at `at`. Raises InputError where the line ends before it."""
        if at >= len(self.line.args):
            raise self.error(
                f"expected {what} at word {at + 1} of '{self.line.action}', found the end of the line"
            )
        return self.line.args[at]

    def text(self, at: int, what: str) -> str:
        """The word at `at`, a quoted text or a bare word."""
        word = self.word(at, what)
        if isinstance(word, Quoted):
            return word.text
        if isinstance(word, str):
            return word
        if isinstance(word, bool):
            return str(word).lower()
        if isinstance(word, (int, Ref)):
            return str(word)
        raise self.error(f"expected {what}, found '{word}'")

    def number(self, at: int, what: str) -> int:
        """The number at `at`."""
        word = self.word(at, what)
        if isinstance(word, bool) or not isinstance(word, int):
            raise self.error(f"expected {what}, found '{word}'")
        return word

    def end(self, at: int) -> None:
        """Raise InputError unless the line has just `at` words."""
        if len(self.line.args) > at:
            raise self.error(
                f"'{self.line.action}' takes {at} words here, found {len(self.line.args)}"
            )

    def sort(self, at: int, parametric: bool = False) -> SortEntry:
        """The sort with the id at `at`. Raises Skipped where a refused line should have returned
        it.
        """
        word = self.word(at, "a sort")
        if not isinstance(word, Ref) or word.letter != "s":
            raise self.error(f"expected a sort such as s1, found '{word}'")
        entry = self.sorts.get(word.number)
        if entry is None:
            raise self._unknown(word, "sort")
        sort = entry.sort
        if (
            sort.kind == "SORT_DT" and len(sort.sorts()) < len(sort.datatype.params)
        ) is not parametric:
            expected = (
                "a datatype with parameters"
                if parametric
                else "a sort whose parameters are filled in"
            )
            raise self.error(f"expected {expected}, {word} is {sort}")
        return entry

    def term(self, at: int, closed: bool = False) -> Entry:
        """The term with the id at `at`. Raises Skipped where a refused line should have returned
        it.
        """
        word = self.word(at, "a term")
        if not isinstance(word, Ref) or word.letter != "t":
            raise self.error(f"expected a term such as t1, found '{word}'")
        entry = self.terms.get(word.number)
        if entry is None:
            raise self._unknown(word, "term")
        if closed and entry.term.free:
            raise self.error(f"{word} has free variables, expected a closed term")
        return entry

    def object(self, ref: Ref) -> None:
        """Check that the id at `at` names an object that a public callable returned. Raises Skipped
        where a refused line should have done so.
        """
        if not self.known(ref):
            raise self._unknown(ref, "object")

    def boolean(self, at: int) -> Entry:
        """The closed Boolean term whose id is at `at`."""
        entry = self.term(at, closed=True)
        if entry.term.sort.kind != "SORT_BOOL":
            raise self.error(f"{self.line.args[at]} must be Boolean, it is {entry.term.sort}")
        return entry

    def values(self, *sorts: Sort) -> None:
        """Raise Refused where functions are used as values, as in higher-order logic, and the
        binding cannot express that.
        """
        functions = any(inner.kind == "SORT_FUN" for sort in sorts for inner in components(sort))
        self.require(
            not functions or self.run.wrapper.facts.function_terms,
            "no terms of a function's sort here",
        )

    def _unknown(self, ref: Ref, what: str) -> Exception:
        if ref in self.missing:
            return Skipped()
        return self.error(f"unknown {what} {ref}, expected one that an earlier line returned")

    def count(self, at: int, what: str) -> int:
        """The count at `at` of the words behind it. Raises InputError if there are fewer words."""
        count = self.number(at, f"a number of {what}")
        left = len(self.line.args) - at - 1
        if not 0 <= count <= left:
            raise self.error(f"expected {count} {what} behind the count, found {left}")
        return count

    def counted_terms(self, at: int, closed: bool = False) -> list[Entry]:
        """The terms behind the count at `at`."""
        return [self.term(at + 1 + k, closed) for k in range(self.count(at, "terms"))]


# ----------------------------------------------------------------------
# Readers for `mk-sort` lines: the parameters of a sort, and blocks of datatypes.


MAX_COUNT = 10_000
MAX_DEPTH = 32

_NUMBER = re.compile(r"[1-9][0-9]{0,3999}")
_LEAST = {"SORT_FP": 2, "SORT_FF": 2}


def read_sort(r: Reading, kind: str) -> tuple[Sort, list[SortEntry]]:
    """Read the sort of a `mk-sort` line that declares no datatype; gives also its parameter sorts.
    Raises InputError.
    """
    shape = r.run.catalogue.sorts[kind].params
    count = len(r.line.args) - 1
    get = r.run.sorts.get
    if shape == ("name",):
        name = r.text(1, "a symbol")
        r.end(2)
        return get(kind, name), []
    if shape and shape[0].startswith("sort"):
        if shape[0] != "sort+":
            r.end(1 + len(shape))
        entries = [r.sort(1 + k) for k in range(count if shape[0] == "sort+" else len(shape))]
        if kind == "SORT_FUN" and len(entries) < 2:
            raise r.error("a function sort needs a domain and a codomain")
        return get(kind, *(e.sort for e in entries)), entries
    r.end(1 + len(shape))
    return get(kind, *(_number(r, kind, 1 + k, name) for k, name in enumerate(shape))), []


def _number(r: Reading, kind: str, at: int, name: str) -> int:
    text = r.text(at, f"the parameter {name}")
    least = _LEAST.get(kind, 1)
    number = int(text) if _NUMBER.fullmatch(text) else 0
    if number < least or (number > MAX_WIDTH and kind != "SORT_FF"):
        limit = f"{least} to {MAX_WIDTH}" if kind != "SORT_FF" else "a prime"
        raise r.error(f"expected {limit} for {name}, found '{text[:40]}'")
    if kind == "SORT_FF" and not order_of_field(number):
        raise r.error(
            f"expected a prime below 2^{MAX_ORDER.bit_length() - 1} for {name}, found '{text[:40]}'"
        )
    return number


class _Block:
    def __init__(self, reading: Reading) -> None:
        self.r = reading
        self.at = 1
        self.by_name: dict[str, Datatype] = {}

    def count(self, what: str) -> int:
        number = self.r.number(self.at, f"a number of {what}")
        if not 0 <= number <= MAX_COUNT:
            raise self.r.error(f"{number} {what}, expected 0 to {MAX_COUNT}")
        self.at += 1
        return number

    def name(self, what: str) -> str:
        text = self.r.text(self.at, what)
        self.at += 1
        return text


def read_datatypes(r: Reading) -> list[Datatype]:
    """Read the declarations of a `mk-sort SORT_DT` line. Raises InputError."""
    block = _Block(r)
    datatypes = [_declare(block) for _ in range(block.count("datatypes"))]
    # A field may name a datatype that comes later, so the line is read twice: for names, then
    # for fields.
    block.at = 2
    for datatype in datatypes:
        _read_constructors(block, datatype)
    r.end(block.at)
    if not datatypes:
        raise r.error("expected at least one datatype")
    constructors = [c for d in datatypes for c in d.constructors]
    _distinct(r, "datatype", (d.name for d in datatypes))
    _distinct(r, "constructor", (c.name for c in constructors))
    _distinct(r, "selector", (name for c in constructors for name, _ in c.fields))
    return datatypes


def _distinct(r: Reading, what: str, names: Iterable[str]) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise r.error(f"two times a {what} '{name}' in this line")
        seen.add(name)


def _declare(block: _Block) -> Datatype:
    datatype = Datatype(block.name("the name of a datatype"))
    for _ in range(block.count("parameters")):
        word = block.r.word(block.at, "a parameter")
        if not isinstance(word, FieldSort) or word.form != "param":
            raise block.r.error(f"expected a parameter such as s\"p\", found '{word}'")
        datatype.params.append(word.name)
        block.at += 1
    block.by_name[datatype.name] = datatype
    for _ in range(block.count("constructors")):
        block.name("a constructor")
        for _ in range(block.count("selectors")):
            block.name("a selector")
            _skip_field(block)
    return datatype


def _skip_field(block: _Block, depth: int = 0) -> None:
    if depth > MAX_DEPTH:
        raise block.r.error(f"sorts nested more than {MAX_DEPTH} deep")
    word = block.r.word(block.at, "a sort")
    block.at += 1
    if isinstance(word, FieldSort) and word.form == "other":
        for _ in range(block.count("sorts")):
            _skip_field(block, depth + 1)


def _read_constructors(block: _Block, datatype: Datatype) -> None:
    block.at += 2 + len(datatype.params)
    for _ in range(block.count("constructors")):
        constructor = Constructor(block.name("a constructor"))
        for _ in range(block.count("selectors")):
            selector = block.name("a selector")
            constructor.fields.append((selector, _field(block, datatype)))
        datatype.constructors.append(constructor)


def _field(block: _Block, owner: Datatype) -> Sort:
    r = block.r
    get = r.run.sorts.get
    word = r.word(block.at, "a sort")
    if not isinstance(word, FieldSort):
        sort = r.sort(block.at).sort
        block.at += 1
        return sort
    block.at += 1
    if word.form == "param":
        if word.name not in owner.params:
            raise r.error(f"{owner.name} has no parameter {word}")
        return get("SORT_PARAM", word.name)
    other = owner if word.form == "self" else block.by_name.get(word.name)
    if other is None:
        raise r.error(f"expected a datatype that this line declares, found {word}")
    if word.form == "self":
        return get("SORT_DT", owner, *(get("SORT_PARAM", p) for p in owner.params))
    arguments = [_field(block, owner) for _ in range(block.count("sorts"))]
    if len(arguments) != len(other.params):
        raise r.error(f"{other.name} has {len(other.params)} parameters, found {len(arguments)}")
    return get("SORT_DT", other, *arguments)
