"""Readers for `mk-sort` lines: the parameters of a sort, and blocks of datatypes."""

from __future__ import annotations

import re
from collections.abc import Iterable

from murxpy.logic.sorts import MAX_ORDER, MAX_WIDTH, Constructor, Datatype, Sort, order_of_field
from murxpy.machine.database import SortEntry
from murxpy.machine.tokens import FieldSort
from murxpy.trace.reading import Reading

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
