"""Choosing sorts: kinds by weight, parameters by distribution, datatypes with their constructors
and selectors.
"""

from __future__ import annotations

from murxpy.logic.sorts import Constructor, Datatype, Sort, well_founded
from murxpy.machine.database import SortEntry
from murxpy.machine.generate.base import Generator, sort_entry
from murxpy.machine.generate.leaves import plant_sort
from murxpy.machine.make import instantiate_sort, make_datatypes, make_sort

SIMPLE = ("SORT_BOOL", "SORT_INT", "SORT_REAL", "SORT_RM", "SORT_STRING", "SORT_REGLAN")
ELEMENT_CONTEXT = {
    "SORT_SEQ": "seq-element",
    "SORT_SET": "set-element",
    "SORT_FINITE_SET": "set-element",
    "SORT_BAG": "bag-element",
}
REUSE = 0.65  # the chance that a parameter sort is a sort of the run, and not a new one
# Sorts in a sort of the run that becomes a parameter. Without a bound, sorts of sorts of sorts
# doubled in a walk until one had more than 1,000 parts, which no solver handles in time.
_PARTS = 200


def make_random_sort(gen: Generator) -> bool:
    """`mk-sort` of a kind by weight; False where nothing could be made."""
    run, kinds = gen.run, gen.swarm.sort_kinds
    if not kinds.items:
        return False
    kind = gen.stream.weighted(kinds)
    if kind == "SORT_DT":
        return _make_datatypes(gen)
    sort = draw_sort_of(gen, kind, gen.settings.number("sort-depth", gen.stream))
    if sort is None:
        return False
    if sort.kind == "SORT_UNINTERPRETED":
        plant_sort(gen, make_sort(run, sort, (), run.line_seed()))
        return True
    params = [sort_entry(gen, p) for p in sort.sorts()]
    make_sort(run, sort, params, run.line_seed())
    return True


def draw_sort_of(gen: Generator, kind: str, depth: int) -> Sort | None:
    """A sort of this kind that the wrapper can spell. The parameters of the sort are drawn, often
    from the sorts of the run. The result is None if there is no such sort.
    """
    for _ in range(4):
        sort = _draw(gen, kind, depth)
        if sort is not None and spellable(gen, sort):
            return sort
    return None


def spellable(gen: Generator, sort: Sort) -> bool:
    """True if the wrapper has a spelling for a sort with these numbers."""
    spellings = gen.run.wrapper.set("sorts", sort.kind)
    frame = gen.run.frame.fill(result=sort)
    return spellings is not None and spellings.pick(0.0, frame) is not None


def _draw(gen: Generator, kind: str, depth: int) -> Sort | None:
    get, stream, settings = gen.run.sorts.get, gen.stream, gen.settings
    if kind in SIMPLE:
        return get(kind)
    if kind == "SORT_BV":
        return get(kind, min(settings.number("bv-width", stream), settings.limit("bv-width")))
    if kind == "SORT_FP":
        return get(kind, *_format(gen))
    if kind == "SORT_FF":
        return get(kind, settings.number("ff-prime", stream))
    if kind == "SORT_UNINTERPRETED":
        return get(kind, gen.run.symbol("u"))
    if depth < 1:
        return None
    contexts = _parameter_contexts(gen, kind)
    params = [draw_sort(gen, context, depth - 1) for context in contexts]
    return (
        None if any(p is None for p in params) else get(kind, *[p for p in params if p is not None])
    )


def admissible(gen: Generator, sort: Sort) -> bool:
    """True if the profile allows each part of `sort` at its position."""
    known = gen.admissible.get(sort)
    if known is None:
        inner = sort.sorts()
        known = gen.admissible[sort] = all(
            gen.profile.allows(context, part) and admissible(gen, part)
            for context, part in zip(_contexts(sort), inner, strict=False)
        )
    return known


def _contexts(sort: Sort) -> list[str]:
    """The positions of the parameter sorts, in their order, by the names that profiles use."""
    count = len(sort.sorts())
    if sort.kind == "SORT_ARRAY":
        return ["array-index", "array-element"]
    if sort.kind == "SORT_FUN":
        return ["fun-domain"] * (count - 1) + ["fun-codomain"]
    return [{**ELEMENT_CONTEXT, "SORT_TUPLE": "tuple-element"}.get(sort.kind, "sort-param")] * count


def _parameter_contexts(gen: Generator, kind: str) -> list[str]:
    if kind == "SORT_ARRAY":
        return ["array-index", "array-element"]
    if kind == "SORT_FUN":
        return ["fun-domain"] * gen.settings.number("fun-arity", gen.stream) + ["fun-codomain"]
    if kind == "SORT_TUPLE":
        return ["tuple-element"] * gen.settings.number("tuple-arity", gen.stream)
    return [ELEMENT_CONTEXT.get(kind, "sort-param")]


def draw_sort(gen: Generator, context: str, depth: int) -> Sort | None:
    """A sort that the profile allows at the position `context`: a sort of the run, or a new one. The
    result is None if there is no such sort.
    """
    profile, stream, run = gen.profile, gen.stream, gen.run
    if stream.random() < REUSE or depth < 0:
        there = [s for s in run.db.sort_entries if s.parts <= _PARTS and profile.allows(context, s)]
        if there:
            return stream.choose(there)
    kinds = gen.swarm.sort_kinds
    for _ in range(6):
        kind = stream.weighted(kinds)
        if not profile.allows_kind(context, kind):
            continue
        if kind in ("SORT_DT", "SORT_UNINTERPRETED"):
            there = [s for s in run.db.sort_entries if s.kind == kind]
            if there:
                return stream.choose(there)
            continue
        sort = draw_sort_of(gen, kind, depth)
        if sort is not None:
            return sort
    return run.sorts.get("SORT_BOOL") if profile.allows_kind(context, "SORT_BOOL") else None


def _format(gen: Generator) -> tuple[int, int]:
    settings, stream = gen.settings, gen.stream
    text = settings.draw("fp-format", stream)
    if text == "any":
        return settings.number("fp-exponent", stream), settings.number("fp-significand", stream)
    exponent, significand = str(text).split()
    return int(exponent), int(significand)


def draw_format(gen: Generator) -> Sort:
    """A floating-point sort: a sort of the run, or a new one."""
    there = [s for s in gen.run.db.sort_entries if s.kind == "SORT_FP"]
    if there and gen.stream.random() < REUSE:
        return gen.stream.choose(there)
    return draw_sort_of(gen, "SORT_FP", 0) or gen.run.sorts.get("SORT_FP", 5, 11)


def _make_datatypes(gen: Generator) -> bool:
    run, stream, settings = gen.run, gen.stream, gen.settings
    count = settings.number("datatypes", stream)
    parameters = settings.number("datatype-parameters", stream)
    block = []
    for _ in range(count):
        block.append(Datatype(run.symbol("dt"), [run.symbol("p") for _ in range(parameters)]))
    recursive = count > 1 and settings.chance("mutual-recursion", stream)
    left = settings.limit("datatype-fields")
    for datatype in block:
        for _ in range(settings.number("constructors", stream)):
            fields = min(settings.number("selectors", stream), left)
            left -= fields
            constructor = Constructor(run.symbol("c"))
            for _ in range(fields):
                sort = _field_sort(gen, datatype, block if recursive else [datatype])
                if sort is not None:
                    constructor.fields.append((run.symbol("sel"), sort))
            datatype.constructors.append(constructor)
    _found(gen, block)
    make_datatypes(run, block, run.line_seed())
    return True


def _found(gen: Generator, block: list[Datatype]) -> None:
    """Give a constructor without fields to a datatype that has no finite values: such a datatype
    would be ill-formed.
    """
    for datatype in block:
        if datatype not in well_founded(block):
            datatype.constructors.append(Constructor(gen.run.symbol("c")))


def _field_sort(gen: Generator, datatype: Datatype, block: list[Datatype]) -> Sort | None:
    stream, sorts = gen.stream, gen.run.sorts
    if stream.random() < gen.settings.probabilities["self-reference"]:
        other = datatype if len(block) == 1 or stream.random() < 0.4 else stream.choose(block)
        # A datatype refers to another one of its block with that one's own parameters in order.
        arguments = [sorts.get("SORT_PARAM", p) for p in datatype.params]
        return (
            sorts.get("SORT_DT", other, *arguments)
            if datatype.params
            else sorts.get("SORT_DT", other)
        )
    if datatype.params and stream.random() < 0.4:
        return sorts.get("SORT_PARAM", stream.choose(datatype.params))
    sort = draw_sort(gen, "datatype-field", 0)
    if sort is not None:
        sort_entry(gen, sort)
    return sort


def instantiate_random(gen: Generator) -> bool:
    """`instantiate-sort`: a parametric datatype with drawn sorts for its parameters. False if the
    run has no parametric datatype.
    """
    run = gen.run
    if not run.db.datatypes:
        return False
    parametric = gen.stream.choose(run.db.datatypes)
    params: list[SortEntry] = []
    for _ in parametric.sort.datatype.params:
        sort = draw_sort(gen, "sort-param", 0)
        if sort is None:
            return False
        params.append(sort_entry(gen, sort))
    instantiate_sort(run, parametric, params, run.line_seed())
    return True
