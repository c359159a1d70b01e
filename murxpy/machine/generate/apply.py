"""Choosing an application: argument sorts that fit the rank, arguments from the database, indices
in range.
"""

from __future__ import annotations

from typing import Any

from murxpy.logic.catalogue import Operator
from murxpy.logic.signature import Binding, Index, Linear, Pattern
from murxpy.logic.sorts import IllSorted, Sort
from murxpy.logic.typing import tuple_arity
from murxpy.machine.database import Entry
from murxpy.machine.generate.base import Generator, sort_entry
from murxpy.machine.generate.leaves import leaf, literal_argument
from murxpy.machine.generate.sorts import admissible, draw_format, draw_sort, draw_sort_of
from murxpy.machine.make import make_term
from murxpy.machine.outcomes import Refused

TRIES = 4


class Unfit(Exception):
    """The operator cannot be applied now, because there are no arguments for it."""


def apply(gen: Generator, operator: Operator, fixed: Entry | None = None) -> Entry | None:
    """Apply `operator` once, with `fixed` among its arguments if it is given; None where this is
    not possible.
    """
    try:
        return _apply(gen, operator, fixed)
    except (Unfit, Refused, IllSorted):
        return None


def _apply(gen: Generator, operator: Operator, fixed: Entry | None) -> Entry:
    signature = operator.signature
    env: Binding = {"max": gen.settings.limit("bv-width")}
    patterns = list(signature.args)
    if operator.variadic:
        patterns += [patterns[-1]] * _extra(gen, operator)
    position = _fix(gen, operator, patterns, fixed, env)
    wants_format = (
        signature.indices and signature.indices[0].low is None and signature.indices[0].name == "e"
    )
    if wants_format or (operator.kind == "OP_FP_FP" and "e" not in env):
        env["e"], env["s"] = draw_format(gen).params  # type: ignore[assignment]
    args = _arguments(gen, operator, patterns, env, {} if fixed is None else {position: fixed})
    if _trivial(operator, args) and not gen.settings.chance("trivial-term", gen.stream):
        raise Unfit
    env["arity"] = len(args)
    indices: tuple[Any, ...] = ()
    if signature.indices:
        tuple_arity(signature, env)
        indices = draw_indices(gen, operator, env, len(args))
    wanted = _wanted(gen, operator, env) if signature.as_sort else None
    _check_size(gen, operator, args, indices, wanted)
    return gen_term(gen, operator, args, indices, wanted)


def _arguments(
    gen: Generator,
    operator: Operator,
    patterns: list[Pattern],
    env: Binding,
    fixed: dict[int | None, Entry],
) -> list[Entry]:
    """One argument for each pattern, and any number of arguments for a pattern with a star. `fixed`
    gives arguments by their positions. Neighbours that share one pattern get the same sort.
    """
    args: list[Entry] = []
    previous: Pattern | None = None
    for at, pattern in enumerate(patterns):
        if at in fixed:
            args.append(fixed[at])
        elif pattern.star:
            args.extend(
                argument(gen, operator, sort, len(args)) for sort in _star(gen, pattern, env)
            )
        else:
            if pattern is not previous:
                sort = _argument_sort(gen, operator, pattern, env)
                previous = pattern
            args.append(argument(gen, operator, sort, at))
    return args


def _trivial(operator: Operator, args: list[Entry]) -> bool:
    """True if simplification alone can compute the result: all arguments are the same term, or all
    are literals.
    """
    languages = operator.theory == "STRING" and operator.signature.result.kind == "SORT_REGLAN"
    # Regular languages and constant arrays are usually made of literals, so they do not count as
    # trivial.
    if languages or operator.signature.as_sort:
        return False
    if not args:
        return False
    first = args[0].term
    ground, same = first.ground, len(args) > 1
    for entry in args:
        ground = ground and entry.term.ground
        same = same and entry.term is first
    return ground or same


def gen_term(
    gen: Generator,
    operator: Operator,
    args: list[Entry],
    indices: tuple[Any, ...] = (),
    wanted: Sort | None = None,
) -> Entry:
    """Make the term and count it."""
    entry = make_term(gen.run, operator, args, indices, gen.run.line_seed(), wanted)
    gen.made += 1
    return entry


def _extra(gen: Generator, operator: Operator) -> int:
    limit = gen.settings.limit("arguments") - operator.minimum
    arity = gen.profile.arity(operator)
    if arity is not None:
        return gen.settings.within(
            "extra-arguments", gen.stream, arity[0] - operator.minimum, arity[1] - operator.minimum
        )
    return min(gen.settings.number("extra-arguments", gen.stream), limit)


def _fix(
    gen: Generator, operator: Operator, patterns: list[Pattern], fixed: Entry | None, env: Binding
) -> int:
    """The position at which `fixed` can stand, after its sort is matched with the pattern there; -1
    if there is no `fixed`.
    """
    if fixed is None:
        return -1
    places = []
    for at, pattern in enumerate(patterns):
        if (
            not pattern.star
            and gen.profile.literal(operator, at) is None
            and pattern.match(fixed.term.sort, dict(env))
        ):
            places.append(at)
    if not places or not gen.profile.operator_takes(operator, fixed.term.sort):
        raise Unfit
    at = gen.stream.choose(places)
    patterns[at].match(fixed.term.sort, env)
    return at


def _star(gen: Generator, pattern: Pattern, env: Binding) -> tuple[Sort, ...]:
    """The sorts for which the pattern `a*` stands. An argument before it has bound them, or they
    are drawn (the components of a tuple).
    """
    bound = env.get(pattern.name)
    if isinstance(bound, tuple):
        return bound
    count = gen.settings.number("tuple-arity", gen.stream)
    sorts = [draw_sort(gen, "tuple-element", 0) for _ in range(count)]
    chosen = tuple(s for s in sorts if s is not None)
    env[pattern.name] = chosen
    return chosen


def _argument_sort(gen: Generator, operator: Operator, pattern: Pattern, env: Binding) -> Sort:
    """A sort for this argument that agrees with the variables bound so far. The other variables of
    the pattern are bound by it.
    """
    if pattern.kind is not None and not pattern.params:
        return gen.run.sorts.get(pattern.kind)
    if pattern.ground(env):
        sort = pattern.build(env, gen.run.sorts)
        _positive(sort)
        if not admissible(gen, sort):
            raise Unfit
        return sort
    there = _candidates(gen, pattern)
    for _ in range(TRIES):
        if not there:
            break
        sort = gen.stream.choose(there)
        trial = dict(env)
        if pattern.match(sort, trial) and gen.profile.operator_takes(operator, sort):
            env.update(trial)
            return sort
    return _new_sort(gen, operator, pattern, env)


def _candidates(gen: Generator, pattern: Pattern) -> list[Sort]:
    by_kind = gen.run.db.by_kind
    if pattern.kind is not None:
        return by_kind.get(pattern.kind, [])
    kinds = [k for k, sorts in by_kind.items() if sorts]
    if "SORT_BOOL" in kinds and len(kinds) > 1 and gen.stream.random() < 0.7:
        kinds.remove("SORT_BOOL")
    return by_kind[gen.stream.choose(kinds)] if kinds else []


def _new_sort(gen: Generator, operator: Operator, pattern: Pattern, env: Binding) -> Sort:
    """Make a sort for this argument, because the run has no term of a fitting sort."""
    if pattern.kind is None or pattern.kind not in gen.swarm.sort_kinds.items:
        raise Unfit
    for _ in range(TRIES):
        sort = _drawn(gen, pattern, env)
        trial = dict(env)
        fits = (
            sort is not None
            and admissible(gen, sort)
            and gen.profile.operator_takes(operator, sort)
        )
        if sort is not None and fits and pattern.match(sort, trial):
            env.update(trial)
            return sort
    raise Unfit


def _drawn(gen: Generator, pattern: Pattern, env: Binding) -> Sort | None:
    """A sort of the pattern's kind. The pattern's nested patterns are filled with what is bound, and
    otherwise drawn.
    """
    assert pattern.kind is not None
    if not any(isinstance(p, Pattern) for p in pattern.params):
        return draw_sort_of(gen, pattern.kind, 1)
    local = dict(env)
    for inner in pattern.params:
        if isinstance(inner, Linear):
            return None
        if inner.star:
            local.setdefault(inner.name, _some_sorts(gen))
        elif not inner.ground(local):
            sort = (
                draw_sort(gen, "sort-param", 0) if inner.kind is None else _drawn(gen, inner, local)
            )
            if sort is None or not inner.match(sort, local):
                return None
    return pattern.build(local, gen.run.sorts)


def _some_sorts(gen: Generator) -> tuple[Sort, ...]:
    sorts = [
        draw_sort(gen, "fun-domain", 0) for _ in range(gen.settings.number("fun-arity", gen.stream))
    ]
    return tuple(s for s in sorts if s is not None)


def argument(gen: Generator, operator: Operator, sort: Sort, position: int) -> Entry:
    """An argument of `sort`: a term that the run has, or a new leaf. Raises Unfit or Refused."""
    rule = gen.profile.literal(operator, position)
    if rule is not None:
        found = literal_argument(gen, sort, rule)
    else:
        chances, stream, db = gen.settings.probabilities, gen.stream, gen.run.db
        found = None
        if db.size(sort) >= 2 and stream.random() >= chances["new-leaf"]:
            closed = len(db.scopes) > 1 and stream.random() < chances["closed-argument"] * 0.5
            found = db.pick(sort, stream, chances["recent-argument"], closed)
        elif db.has(sort) and stream.random() < 0.6:
            found = db.pick(sort, stream, chances["recent-argument"])
        if found is None:
            found = leaf(gen, sort)
    if found is None:
        raise Unfit
    return found


def draw_indices(gen: Generator, operator: Operator, env: Binding, arity: int) -> tuple[Any, ...]:
    """Indices within the operator's ranges, the profile's and the machine's limits. Raises Unfit."""
    indices: list[int] = []
    for at, spec in enumerate(operator.signature.indices):
        if spec.low is None:
            bound = env.get(spec.name)
            if not isinstance(bound, int):
                raise Unfit
            indices.append(bound)
            continue
        for _ in range(arity if spec.each else 1):
            number = _index(gen, operator, spec, at, env)
            env[spec.name] = number
            indices.append(number)
    return tuple(indices)


def _index(gen: Generator, operator: Operator, spec: Index, position: int, env: Binding) -> int:
    low = spec.low.value(env) if spec.low is not None else 0
    high = spec.high.value(env) if spec.high is not None else 1 << 32
    tight = gen.profile.index_range(operator, position)
    if low is None or high is None:
        raise Unfit
    if tight is not None:
        low, high = max(low, tight[0]), min(high, tight[1])
    if low > high:
        raise Unfit
    if operator.signature.result.kind == "SORT_BV" and spec.name == "n":
        return gen.settings.within("bv-width", gen.stream, low, high)
    if operator.theory == "STRING":
        return gen.settings.within("regex-repeat", gen.stream, low, high)
    if high - low < 64:
        return gen.stream.between(low, high)
    return gen.settings.within("index", gen.stream, low, high)


def _wanted(gen: Generator, operator: Operator, env: Binding) -> Sort:
    """The sort of the result, for an operator whose arguments do not determine it. Free variables of
    the sort are drawn, and its entry is made.
    """
    result = operator.signature.result
    if not result.ground(env):
        for inner in result.params:
            if isinstance(inner, Pattern) and not inner.ground(env):
                context = "array-index" if result.kind == "SORT_ARRAY" else "sort-param"
                sort = draw_sort(gen, context, 0)
                if sort is None or not inner.match(sort, env):
                    raise Unfit
    sort = result.build(env, gen.run.sorts)
    if not admissible(gen, sort):
        raise Unfit
    sort_entry(gen, sort)
    return sort


def _bits(sort: Sort) -> int:
    if sort.kind == "SORT_BV":
        return sort.width
    return sort.number(0) + sort.number(1) if sort.kind == "SORT_FP" else 0


def _positive(sort: Sort) -> None:
    if any(isinstance(p, int) and p < 1 for p in sort.params):
        raise Unfit


def _check_size(
    gen: Generator,
    operator: Operator,
    args: list[Entry],
    indices: tuple[Any, ...],
    wanted: Sort | None,
) -> None:
    """Raise Unfit if the result would be wider than the limits allow, is excluded by the profile,
    or costs more time than a run should often spend.
    """
    sort = gen.run.checker.result(operator, tuple(e.term.sort for e in args), indices, wanted)
    if sort.kind == "SORT_BV" and sort.width > gen.settings.limit("bv-width"):
        raise Unfit
    if not admissible(gen, sort):
        raise Unfit
    if operator.nonlinear is None:
        return
    if (
        gen.swarm.linear
        and operator.nonlinear == "product"
        and sum(not e.term.literal for e in args) > 1
    ):
        raise Unfit
    bits = max((_bits(e.term.sort) for e in args), default=0)
    if bits > gen.settings.limit("nonlinear-bits") and not gen.settings.chance(
        "wide-nonlinear", gen.stream
    ):
        raise Unfit
