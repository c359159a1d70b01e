"""Choosing a term: a theory by its weight, an operator by its weight, and then its arguments.
Binders get terms that are made in their scope.
"""

from __future__ import annotations

from murxpy.logic.catalogue import Operator
from murxpy.logic.sorts import Sort
from murxpy.machine.database import Entry
from murxpy.machine.generate.apply import Unfit, apply, argument, gen_term
from murxpy.machine.generate.base import Generator, sort_entry
from murxpy.machine.generate.sorts import draw_sort
from murxpy.machine.make import make_function, make_variable
from murxpy.machine.outcomes import Refused

ATTEMPTS = 6
DAMPED = 0.1  # the share of draws that is left for operators that known findings are about


def random_term(gen: Generator) -> bool:
    """Make one term with an operator, and the arguments that it needs. False if a few tries gave no
    term.
    """
    swarm = gen.swarm
    if not swarm.theory_choice.items:
        return False
    for _ in range(ATTEMPTS):
        theory = gen.stream.weighted(swarm.theory_choice)
        operator = gen.stream.weighted(swarm.operators[theory])
        if application(gen, operator) is not None:
            return True
    return False


def application(gen: Generator, operator: Operator, fixed: Entry | None = None) -> Entry | None:
    """An application of `operator`, chosen in the way that its signature needs; None if there is
    none.
    """
    if operator.kind in gen.damped and gen.stream.random() >= DAMPED:
        return None
    if operator.typing is not None:
        return datatype_term(gen, operator, fixed)
    if operator.signature.binder:
        return quantify(gen, operator)
    if operator.kind == "OP_ARRAY_STORE" and fixed is None:
        return _stores(gen, operator)
    return apply(gen, operator, fixed)


def _stores(gen: Generator, operator: Operator) -> Entry | None:
    """A `store` on an array, often at the end of a chain of stores."""
    entry = apply(gen, operator)
    for _ in range(gen.settings.number("store-chain", gen.stream)):
        if entry is None:
            break
        entry = apply(gen, operator, entry) or entry
    return entry


def random_binder(gen: Generator) -> bool:
    """One binder (quantifier, lambda, comprehension) over new variables. False if the run has no
    binders.
    """
    binders = [
        op
        for choice in gen.swarm.operators.values()
        for op in choice.items
        if op.signature.binder and not op.typing
    ]
    return bool(binders) and application(gen, gen.stream.choose(binders)) is not None


# -- Boolean terms of others

CONNECTIVES = ("OP_OR", "OP_OR", "OP_AND", "OP_XOR", "OP_IMPLIES", "OP_EQUAL", "OP_DISTINCT")
STEPS = 3


def to_bool(gen: Generator, entry: Entry) -> Entry | None:
    """A Boolean term that contains `entry`: the entry itself, or predicates and observers applied to
    it. The result is None if there is none.
    """
    for _ in range(STEPS):
        sort = entry.term.sort
        if sort.kind == "SORT_BOOL":
            return entry
        predicate = _predicate(gen, entry)
        if predicate is not None:
            return predicate
        observed = _observe(gen, entry)
        if observed is None:
            return None
        entry = observed
    return entry if entry.term.sort.kind == "SORT_BOOL" else None


def _predicate(gen: Generator, entry: Entry) -> Entry | None:
    predicates = gen.swarm.predicates
    own, general = predicates.get(entry.term.sort.kind, []), predicates.get("any", [])
    for _ in range(3):
        pool = own if own and (not general or gen.stream.random() < 0.6) else general
        if not pool:
            break
        found = apply(gen, gen.stream.choose(pool), entry)
        if found is not None:
            return found
    return apply(gen, gen.catalogue.operators["OP_EQUAL"], entry)


def _observe(gen: Generator, entry: Entry) -> Entry | None:
    """An operator that takes a term of a sort without predicates (a function, a regular language)
    and gives a sort that has some.
    """
    names = {
        "SORT_FUN": "OP_UF_APPLY",
        "SORT_REGLAN": "OP_STR_IN_RE",
        "SORT_DT": "OP_DT_APPLY_TESTER",
    }
    name = names.get(entry.term.sort.kind)
    if name is None or not gen.run.wrapper.set("operators", name):
        return None
    return application(gen, gen.catalogue.operators[name], entry)


def combine(gen: Generator, parts: list[Entry]) -> Entry:
    """One Boolean term that contains all of `parts`, which are one or more. Raises Refused."""
    if len(parts) == 1:
        return parts[0]
    spelled = [
        gen.catalogue.operators[name]
        for name in CONNECTIVES
        if gen.run.wrapper.set("operators", name)
    ]
    left = parts[0]
    for right in parts[1:]:
        left = gen_term(gen, gen.stream.choose(spelled), [left, right])
    return left


# -- binders

# where the sorts of the variables stand in a profile, by the sort that the binder makes
CONTEXTS = {"SORT_ARRAY": "array-index", "SORT_SET": "set-element"}
# the share of defined functions with a Boolean body, which can use every term that was made for it
BOOLEAN_BODY = 0.5


def quantify(gen: Generator, operator: Operator) -> Entry | None:
    """A quantifier, lambda or comprehension over new variables; None if it cannot be made."""
    if gen.depth >= gen.settings.limit("binder-depth"):
        return None
    result = operator.signature.result.kind
    count = 1 if result == "SORT_ARRAY" or operator.kind == "OP_SET_COMPREHENSION" else 0
    try:
        variables = _variables(gen, count, CONTEXTS.get(result or "", "var"))
        gen.depth += 1
        gen.run.db.open_scope(variables)
        try:
            return _bind(gen, operator, variables)
        finally:
            gen.run.db.close_scope()
            gen.depth -= 1
    except (Unfit, Refused):
        return None


def _bind(gen: Generator, operator: Operator, variables: list[Entry]) -> Entry:
    shape = operator.signature.args
    boolean = shape[1].kind == "SORT_BOOL"
    build_terms(gen, 5 if boolean else 2)
    if boolean:
        args = [*variables, body(gen, variables)]
    else:
        inner = open_term(gen, variables)
        context = "array-element" if operator.theory == "ARRAY" else "fun-codomain"
        if inner.term.sort.kind == "SORT_FUN" or not gen.profile.allows(context, inner.term.sort):
            raise Unfit  # a function whose result is a function has more arguments instead
        args = [*variables, inner]
    if len(shape) > 2 and shape[2].name == "pattern":
        pattern = _pattern(gen, variables)
        if pattern is None:  # no term can be a pattern: the quantifier has none
            operator = gen.catalogue.operators[operator.kind.removesuffix("_PATTERN")]
        else:
            args.append(pattern)
    elif len(shape) > 2:
        args.append(_element(gen, variables))
    return gen_term(gen, operator, args)


def _variables(gen: Generator, count: int, context: str) -> list[Entry]:
    count = count or gen.settings.number("binder-variables", gen.stream)
    variables = []
    for _ in range(count):
        sort = draw_sort(gen, context, 0)
        if sort is None:
            raise Unfit
        variables.append(
            make_variable(gen.run, sort_entry(gen, sort), gen.run.symbol("v"), gen.run.line_seed())
        )
    return variables


def build_terms(gen: Generator, most: int) -> None:
    """Make one to `most` terms in the scope that was just opened; only few if just one of them can
    be the body.
    """
    for _ in range(gen.stream.between(1, most)):
        random_term(gen)


def body(gen: Generator, variables: list[Entry]) -> Entry:
    """A Boolean body from all terms of the scope that nothing uses yet. Raises Unfit."""
    parts = []
    for root in gen.run.db.roots()[:8]:
        if root.uses == 0:
            part = to_bool(gen, root)
            if part is not None:
                parts.append(part)
    if not parts:
        part = to_bool(gen, gen.stream.choose(variables))
        if part is None:
            raise Unfit
        parts.append(part)
    return combine(gen, parts)


def open_term(gen: Generator, variables: list[Entry]) -> Entry:
    """The newest term of the scope that nothing uses; if there is none, a variable."""
    roots = gen.run.db.roots()
    return roots[-1] if roots else gen.stream.choose(variables)


def _pattern(gen: Generator, variables: list[Entry]) -> Entry | None:
    """An application of an uninterpreted function, or an array read, in which all the variables
    occur; None if there is none.
    """
    wanted = {v.term for v in variables}
    for pool in gen.run.db.scopes[-1].pools.values():
        for entry in (*pool.fresh, *pool.used):
            if entry.term.op in ("OP_UF_APPLY", "OP_ARRAY_SELECT") and wanted <= set(
                entry.term.free
            ):
                return entry
    return None


def _element(gen: Generator, variables: list[Entry]) -> Entry:
    """The element of a comprehension: a term over the variable whose sort sets may have, or the
    variable itself.
    """
    entry = open_term(gen, variables)
    return entry if gen.profile.allows("set-element", entry.term.sort) else variables[0]


def define_function(gen: Generator) -> bool:
    """`mk-fun`: variables, terms over them and a body. False if no function can be defined."""
    run = gen.run
    if (
        gen.depth > 0
        or "UF" not in gen.swarm.theories
        or not run.wrapper.set("functions", "mk-fun")
    ):
        return False
    try:
        variables = _variables(gen, gen.settings.number("fun-arity", gen.stream), "define-domain")
    except (Unfit, Refused):
        return False
    gen.depth += 1
    run.db.open_scope(variables)
    try:
        build_terms(gen, gen.settings.number("fun-terms", gen.stream))
        inner = (
            body(gen, variables)
            if gen.stream.random() < BOOLEAN_BODY
            else open_term(gen, variables)
        )
        if inner.term.sort.kind == "SORT_FUN" or not gen.profile.allows(
            "define-codomain", inner.term.sort
        ):
            return False
        make_function(run, run.symbol("f"), variables, inner, run.line_seed())
        return True
    except (Unfit, Refused):
        return False
    finally:
        run.db.close_scope()
        gen.depth -= 1


def match(gen: Generator, operator: Operator) -> Entry | None:
    """`match`: one case for each constructor; the last case may be a variable that takes all others.
    The result is None if the term cannot be made.
    """
    run = gen.run
    datatypes = run.db.by_kind.get("SORT_DT") or []
    if not datatypes or gen.depth >= gen.settings.limit("binder-depth"):
        return None
    sort = gen.stream.choose(datatypes)
    targets = [
        s
        for kind, sorts in run.db.by_kind.items()
        for s in sorts
        if gen.profile.allows("match-result", s)
    ]
    if not targets:
        return None
    try:
        scrutinee = argument(gen, operator, sort, 0)
        cases = _cases(gen, sort, gen.stream.choose(targets))
        return gen_term(gen, operator, [scrutinee, *cases])
    except (Unfit, Refused):
        return None


def _cases(gen: Generator, sort: Sort, target: Sort) -> list[Entry]:
    constructors = sort.datatype.constructors
    catch_all = gen.settings.chance("match-variable", gen.stream)
    covered = constructors[: gen.stream.below(len(constructors))] if catch_all else constructors
    cases = []
    for constructor in covered:
        fields = gen.run.sorts.field_sorts(sort, constructor)
        cases.append(_case(gen, sort, (constructor.name,), fields, target))
    if catch_all:
        cases.append(_case(gen, sort, (), [sort], target))
    return cases


def _case(
    gen: Generator, sort: Sort, indices: tuple[str, ...], fields: list[Sort], target: Sort
) -> Entry:
    run, operators = gen.run, gen.catalogue.operators
    bind = operators["OP_DT_MATCH_BIND_CASE"]
    if not fields:
        inner = argument(gen, bind, target, 1)
        return gen_term(gen, operators["OP_DT_MATCH_CASE"], [inner], indices, sort)
    variables = [
        make_variable(run, sort_entry(gen, f), run.symbol("v"), run.line_seed()) for f in fields
    ]
    gen.depth += 1
    run.db.open_scope(variables)
    try:
        build_terms(gen, 2)
        inner = argument(gen, bind, target, 1)
        return gen_term(gen, bind, [*variables, inner], indices, sort)
    finally:
        run.db.close_scope()
        gen.depth -= 1


def datatype_term(gen: Generator, operator: Operator, fixed: Entry | None = None) -> Entry | None:
    """An application of a constructor, selector, tester or updater; None where it cannot be made."""
    if operator.typing in ("match", "match-case"):
        return (
            match(gen, gen.catalogue.operators["OP_DT_MATCH"])
            if operator.typing == "match"
            else None
        )
    sorts = [s for s in gen.run.db.sort_entries if s.kind == "SORT_DT"]
    if fixed is not None and fixed.term.sort.kind == "SORT_DT":
        sorts = [fixed.term.sort]
    if not sorts:
        return None
    sort = gen.stream.choose(sorts)
    try:
        return _datatype_term(gen, operator, sort, fixed)
    except (Unfit, Refused):
        return None


def _datatype_term(gen: Generator, operator: Operator, sort: Sort, fixed: Entry | None) -> Entry:
    constructor = gen.stream.choose(sort.datatype.constructors)
    fields = gen.run.sorts.field_sorts(sort, constructor)
    if operator.typing == "constructor":
        args = [argument(gen, operator, f, at) for at, f in enumerate(fields)]
        return gen_term(gen, operator, args, (constructor.name,), sort)
    subject = (
        fixed if fixed is not None and fixed.term.sort is sort else argument(gen, operator, sort, 0)
    )
    if operator.typing == "tester":
        return gen_term(gen, operator, [subject], (constructor.name,))
    if not fields:
        raise Unfit
    at = gen.stream.below(len(fields))
    indices = (constructor.name, constructor.fields[at][0])
    if operator.typing == "selector":
        return gen_term(gen, operator, [subject], indices)
    return gen_term(gen, operator, [subject, argument(gen, operator, fields[at], 1)], indices)
