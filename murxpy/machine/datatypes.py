"""Datatype declarations: as the words of a trace line, and as the plain data that a wrapper's
helper takes.
"""

from __future__ import annotations

from typing import Any

from murxpy.logic.sorts import Constructor, Datatype, Sort
from murxpy.machine.run import Run
from murxpy.machine.tokens import FieldSort, quote


def datatype_words(run: Run, block: list[Datatype]) -> list[str]:
    """The words of `mk-sort SORT_DT` behind the kind."""
    words = [str(len(block))]
    for datatype in block:
        words += [quote(datatype.name), str(len(datatype.params))]
        words += [f"s{quote(p)}" for p in datatype.params]
        words.append(str(len(datatype.constructors)))
        for constructor in datatype.constructors:
            words += [quote(constructor.name), str(len(constructor.fields))]
            for selector, sort in constructor.fields:
                words += [quote(selector), *_field_words(run, sort, datatype, block)]
    return words


def _field_words(run: Run, sort: Sort, owner: Datatype, block: list[Datatype]) -> list[str]:
    if sort.kind == "SORT_PARAM":
        return [str(FieldSort("param", str(sort.params[0])))]
    if sort.kind == "SORT_DT" and sort.datatype in block:
        if sort.datatype is owner:
            return ["s(nil)"]
        words = [str(FieldSort("other", sort.datatype.name)), str(len(sort.sorts()))]
        for argument in sort.sorts():
            words += _field_words(run, argument, owner, block)
        return words
    return [str(run.db.sort_entries[sort][0])]


def declarations(run: Run, block: list[Datatype]) -> list[Any]:
    """(name, [parameter], [(constructor, [(selector, sort)])]) with sorts as objects or
    `("self",)`, `("param", p)`, `("ref", d, [..])`.
    """
    return [
        (d.name, list(d.params), [_constructor(run, c, d, block) for c in d.constructors])
        for d in block
    ]


def _constructor(
    run: Run, constructor: Constructor, owner: Datatype, block: list[Datatype]
) -> tuple[str, list[Any]]:
    return constructor.name, [
        (selector, _field(run, sort, owner, block)) for selector, sort in constructor.fields
    ]


def _field(run: Run, sort: Sort, owner: Datatype, block: list[Datatype]) -> Any:
    if sort.kind == "SORT_PARAM":
        return ("param", sort.params[0])
    if sort.kind == "SORT_DT" and sort.datatype in block:
        if sort.datatype is owner:
            return ("self",)
        return ("ref", sort.datatype.name, [_field(run, s, owner, block) for s in sort.sorts()])
    return run.sort_object(sort)
