"""Datatype declarations: as the words of a trace line, and as the plain data that a wrapper's
helper takes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from murxpy.logic.catalogue import Operator
from murxpy.logic.sorts import Constructor, Datatype, Sort
from murxpy.logic.terms import CONSTANT, FUNCTION, SPECIAL, VALUE
from murxpy.logic.values import read_value
from murxpy.machine.database import Entry, SortEntry
from murxpy.machine.outcomes import Refused
from murxpy.machine.run import Run
from murxpy.machine.tokens import FieldSort, Quoted, Token, print_token, quote


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


# ----------------------------------------------------------------------
# Actions that make objects. Each function writes one line, makes one call, and enters what the
# call returned. `number` and `sort_number` are the ids that a replayed trace gives to the
# results; with None the next free ids are used.


def make_sort(
    run: Run,
    sort: Sort,
    params: Sequence[SortEntry],
    seed: int,
    spelling: str | None = None,
    number: int | None = None,
) -> SortEntry:
    """`mk-sort KIND parameters`: a sort whose parameter sorts are the objects of `params`."""
    run.frame.fill(
        result=sort, name=str(sort.params[0]) if sort.kind == "SORT_UNINTERPRETED" else ""
    )
    chosen = run.choose(run.wrapper.set("sorts", sort.kind), seed, spelling, sort.kind)
    run.begin(seed, "mk-sort", chosen.name, " ".join([sort.kind, *_sort_words(sort, params)]))
    obj = run.call(chosen, [p.obj for p in params], (), "mk-sort")
    entry = run.db.add_sort(sort, obj, number)
    run.result(f"return s{entry.id}")
    return entry


def _sort_words(sort: Sort, params: Sequence[SortEntry]) -> list[str]:
    if sort.kind == "SORT_UNINTERPRETED":
        return [quote(str(sort.params[0]))]
    if sort.kind == "SORT_FF":
        return [quote(str(sort.params[0]))]
    return [str(p) for p in params] if params else [str(p) for p in sort.params]


def make_datatypes(
    run: Run,
    block: list[Datatype],
    seed: int,
    spelling: str | None = None,
    numbers: Sequence[int] = (),
) -> list[SortEntry]:
    """`mk-sort SORT_DT ...`: a block of datatypes, which may refer to each other. The result has
    one sort for each.
    """
    sorts = [run.sorts.get("SORT_DT", d) for d in block]
    run.frame.fill(value=declarations(run, block))
    run.frame.block = block
    chosen = run.choose(run.wrapper.set("sorts", "SORT_DT"), seed, spelling, "SORT_DT")
    run.begin(seed, "mk-sort", chosen.name, " ".join(["SORT_DT", *datatype_words(run, block)]))
    objects = run.call(chosen, (), (), "mk-sort")
    entries = [
        run.db.add_sort(sort, obj, number)
        for sort, obj, number in zip(sorts, objects, [*numbers, *[None] * len(block)], strict=False)
    ]
    run.result("return " + " ".join(f"s{e.id}" for e in entries))
    return entries


def instantiate_sort(
    run: Run,
    parametric: SortEntry,
    params: Sequence[SortEntry],
    seed: int,
    spelling: str | None = None,
    number: int | None = None,
) -> SortEntry:
    """`instantiate-sort sP s..`: a parametric datatype with sorts for its parameters."""
    sort = run.sorts.get("SORT_DT", parametric.sort.datatype, *(p.sort for p in params))
    run.frame.fill(result=sort)
    chosen = run.choose(
        run.wrapper.set("sorts", "instantiate-sort"), seed, spelling, "instantiate-sort"
    )
    run.begin(seed, "instantiate-sort", chosen.name, " ".join(map(str, [parametric, *params])))
    obj = run.call(chosen, [parametric.obj, *(p.obj for p in params)], (), "instantiate-sort")
    entry = run.db.add_sort(sort, obj, number)
    run.result(f"return s{entry.id}")
    return entry


def make_constant(
    run: Run,
    sort: SortEntry,
    name: str,
    seed: int,
    spelling: str | None = None,
    number: int | None = None,
) -> Entry:
    """`mk-const s "symbol"`: a free constant, or an uninterpreted function."""
    run.frame.fill(result=sort.sort, name=name)
    chosen = run.choose(
        run.wrapper.sort_set("constants", sort.sort.kind),
        seed,
        spelling,
        f"constants of {sort.sort}",
    )
    run.begin(seed, "mk-const", chosen.name, f"{sort} {quote(name)}")
    obj = run.call(chosen, (), (), "mk-const")
    return run.term_entry(run.terms.leaf(CONSTANT, (name,), sort.sort), obj, number, sort.id)


def make_variable(
    run: Run,
    sort: SortEntry,
    name: str,
    seed: int,
    spelling: str | None = None,
    number: int | None = None,
) -> Entry:
    """`mk-var s "symbol"`: a variable that a later line will bind. This function opens no scope."""
    run.frame.fill(result=sort.sort, name=name)
    chosen = run.choose(
        run.wrapper.sort_set("variables", sort.sort.kind),
        seed,
        spelling,
        f"variables of {sort.sort}",
    )
    run.begin(seed, "mk-var", chosen.name, f"{sort} {quote(name)}")
    obj = run.call(chosen, (), (), "mk-var")
    return run.term_entry(run.terms.variable(name, sort.sort), obj, number, sort.id, pooled=False)


def make_value(
    run: Run,
    sort: SortEntry,
    words: Sequence[Token],
    seed: int,
    spelling: str | None = None,
    number: int | None = None,
) -> Entry:
    """`mk-value s words`: a literal. Raises BadValue where the sort has no such literal."""
    value = read_value(sort.sort, [w.text if isinstance(w, Quoted) else w for w in words])
    run.frame.fill(result=sort.sort, value=value)
    chosen = run.choose(
        run.wrapper.set("values", sort.sort.kind), seed, spelling, f"values of {sort.sort}"
    )
    run.begin(seed, "mk-value", chosen.name, " ".join([str(sort), *map(print_token, words)]))
    obj = run.call(chosen, (), (), "mk-value")
    return run.term_entry(run.terms.leaf(VALUE, (value,), sort.sort), obj, number, sort.id)


def make_special(
    run: Run,
    sort: SortEntry,
    name: str,
    seed: int,
    spelling: str | None = None,
    number: int | None = None,
) -> Entry:
    """`mk-special-value s "kind"`: NaN, the empty sequence, a rounding mode and the like."""
    run.frame.fill(result=sort.sort)
    chosen = run.choose(run.wrapper.set("special-values", name), seed, spelling, name)
    run.begin(seed, "mk-special-value", chosen.name, f"{sort} {quote(name)}")
    obj = run.call(chosen, (), (), "mk-special-value")
    return run.term_entry(run.terms.leaf(SPECIAL, (name,), sort.sort), obj, number, sort.id)


def make_term(
    run: Run,
    operator: Operator,
    args: Sequence[Entry],
    indices: tuple[Any, ...],
    seed: int,
    wanted: Sort | None = None,
    spelling: str | None = None,
    number: int | None = None,
    sort_number: int | None = None,
) -> Entry:
    """`mk-term KIND SORT_KIND n t.. [m idx..]`: an application. Raises IllSorted before anything is
    called.
    """
    terms = tuple([e.term for e in args])
    sort = run.checker.result(operator, tuple([t.sort for t in terms]), indices, wanted)
    bound = bound_variables(operator, len(args))
    kind = operator.kind
    frame = run.frame.fill(
        terms, indices, wanted if operator.typing == "match-case" else sort, "", None, bound
    )
    run.counts[f"op:{kind}"] += 1
    chosen = run.choose(run.wrapper.spellings["operators"].get(kind), seed, spelling, kind)
    run.begin(seed, "mk-term", chosen.name, _term_words(run, operator, args, indices, sort, wanted))
    obj = run.call(chosen, [e.obj for e in args], indices, "mk-term", kind)
    run.counts[f"op-ok:{kind}"] += 1
    use = run.db.use
    for entry in args:
        use(entry)
    term = run.terms.apply(kind, frame.terms, indices, sort, frame.terms[:bound])
    return run.term_entry(term, obj, number, sort_number, pooled=sort.kind != "SORT_CASE")


def bound_variables(operator: Operator, count: int) -> int:
    """Return how many of `count` arguments are variables that the operator binds; the variables come
    first.
    """
    if not operator.signature.binder:
        return 0
    if operator.typing == "match-case":
        return count - 1
    return count - len(operator.signature.args) + 1


def _term_words(
    run: Run,
    operator: Operator,
    args: Sequence[Entry],
    indices: tuple[Any, ...],
    sort: Sort,
    wanted: Sort | None,
) -> str:
    shown = sort.sort(1) if sort.kind == "SORT_CASE" else sort
    words = [operator.kind, shown.kind]
    if wanted is not None:
        words.append(f"s{sort_id(run, wanted)}")
    if operator.typing is not None and (indices or operator.typing != "match"):
        words.append(f"{len(indices)} " + " ".join(quote(i) for i in indices) if indices else "0")
    words.append(f"{len(args)}" + "".join([f" t{e.id}" for e in args]))
    if indices and operator.typing is None:
        words.append(f"{len(indices)} " + " ".join(map(str, indices)))
    return " ".join(words)


def sort_id(run: Run, sort: Sort) -> int:
    """The id of the first line that returned this sort. Raises Refused if no line made the sort."""
    entries = run.db.sort_entries.get(sort)
    if not entries:
        raise Refused("unsupported", f"the sort {sort!r} has no id yet")
    return entries[0].id


def make_function(
    run: Run,
    name: str,
    variables: Sequence[Entry],
    body: Entry,
    seed: int,
    spelling: str | None = None,
    number: int | None = None,
    sort_number: int | None = None,
) -> Entry:
    """`mk-fun "name" n v.. body`: a defined function."""
    sort = run.sorts.get("SORT_FUN", *(v.term.sort for v in variables), body.term.sort)
    args = [*variables, body]
    terms = tuple(e.term for e in args)
    run.frame.fill(terms, (), sort, name, None, len(variables))
    chosen = run.choose(run.wrapper.set("functions", "mk-fun"), seed, spelling, "mk-fun")
    run.begin(
        seed, "mk-fun", chosen.name, f"{quote(name)} {len(variables)} " + " ".join(map(str, args))
    )
    obj = run.call(chosen, [e.obj for e in args], (), "mk-fun")
    for entry in args:
        run.db.use(entry)
    term = run.terms.apply(FUNCTION, terms, (name,), sort, terms[:-1])
    return run.term_entry(term, obj, number, sort_number)
