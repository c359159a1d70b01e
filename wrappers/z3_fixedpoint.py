"""Laws of z3's fixed points: what its engines answer to queries agrees with rules that are unrolled, and what
they tell of an answer holds. Each function gives None, or a str that says which promise is broken.

The rules are made of terms of the run. Its constants are the variables of a relation of states: a formula says
where paths begin, another one when they go on, a term is the next value of a variable, and a third formula is
what is looked for. The file imports only z3 and the standard library.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import z3
from z3_actions import constants
from z3_patience import patience

_UNROLLED_LIMIT = 20000  # the resource limit of each check of unrolled rules
_ENGINE_LIMIT = 60000  # that of a query
_QUERY_PATIENCE = 60  # milliseconds of the processor's time for a query, of which engines spend some beyond the limit
_STEPS = 4  # the longest path that is looked at
_NODES = 60  # of terms; engines seldom answer for larger ones
_VARIABLES = 5
_SORTS = (z3.Z3_BOOL_SORT, z3.Z3_INT_SORT, z3.Z3_REAL_SORT, z3.Z3_BV_SORT)
_WHOLE = {"xform.slice": False, "xform.inline_linear": False, "xform.inline_eager": False}

# Operators with points that a model may fill in as it likes, or without engines that decide them.
_LEFT_OUT = (
    z3.Z3_OP_DIV,
    z3.Z3_OP_IDIV,
    z3.Z3_OP_MOD,
    z3.Z3_OP_REM,
    z3.Z3_OP_POWER,
    z3.Z3_OP_AGNUM,
)


class System:
    """Rules of states, as formulas over the variables of one state. `after` has the next value of each
    variable.
    """

    def __init__(
        self, first: Any, goes_on: Any, wanted: Any, variables: list[Any], after: list[Any]
    ) -> None:
        self.first, self.goes_on, self.wanted = first, goes_on, wanted
        self.variables, self.after = variables, after
        sorts = [one.sort() for one in variables]
        self.relation = z3.Function("murxpy-state", *sorts, z3.BoolSort(first.ctx))
        self.found = z3.Bool("murxpy-found", first.ctx)

    def state(self, steps: int) -> list[tuple[Any, Any]]:
        """Each variable with its value after some steps, in terms of the first state."""
        values = self.variables
        for _ in range(steps):
            now = list(zip(self.variables, values, strict=True))
            values = [z3.substitute(one, *now) for one in self.after]
        return list(zip(self.variables, values, strict=True))

    def at(self, formula: Any, steps: int) -> Any:
        """A formula about the state after some steps."""
        return z3.substitute(formula, *self.state(steps))

    def path(self, steps: int) -> list[Any]:
        """There is a path of so many steps, from anywhere."""
        return [self.at(self.goes_on, step) for step in range(steps)]


def system(first: Any, goes_on: Any, wanted: Any, value: Any) -> System | None:
    """The rules that terms make, or None if they have parts that no engine takes. Where no variable has
    the sort of the value, the variables of a sort take each other's values in turn.
    """
    terms = [first, goes_on, wanted]
    if value.sort().kind() in _SORTS:
        terms.append(value)
    variables = constants(terms)
    if not variables or len(variables) > _VARIABLES or not _taken(terms):
        return None
    changed = next((one for one in variables if one.sort() == value.sort()), None)
    after = [value if one is changed else one for one in variables]
    if changed is None:
        after = [_turned(one, variables) for one in variables]
    return System(first, goes_on, wanted, variables, after)


def _turned(variable: Any, variables: Sequence[Any]) -> Any:
    alike = [one for one in variables if one.sort() == variable.sort()]
    at = next(at for at, one in enumerate(alike) if one is variable)
    return alike[(at + 1) % len(alike)]


def _taken(terms: Sequence[Any]) -> bool:
    seen: dict[int, bool] = {}
    todo = list(terms)
    while todo:
        term = todo.pop()
        if term.get_id() in seen:
            continue
        seen[term.get_id()] = True
        if not z3.is_app(term) or term.sort().kind() not in _SORTS or len(seen) > _NODES:
            return False
        kind = term.decl().kind()
        if kind in _LEFT_OUT or (kind == z3.Z3_OP_UNINTERPRETED and term.num_args()):
            return False
        parts = term.children()
        if kind == z3.Z3_OP_MUL and sum(map(_varies, parts)) > 1:
            return False
        todo.extend(parts)
    return True


def _varies(term: Any) -> bool:
    number = z3.simplify(term)
    return not (z3.is_int_value(number) or z3.is_rational_value(number))


def rules(made: System, engine: str, options: dict[str, Any] | None = None) -> Any:
    """A fixed point with the rules."""
    ctx = made.first.ctx
    fixed = z3.Fixedpoint(ctx=ctx)
    fixed.set(engine=engine, rlimit=_ENGINE_LIMIT, **(options or {}))
    fixed.register_relation(made.relation, made.found.decl())
    fixed.declare_var(*made.variables)
    here, there = made.relation(*made.variables), made.relation(*made.after)
    fixed.rule(here, [made.first], "first")
    fixed.add_rule(there, [here, made.goes_on], "step")
    fixed.rule(made.found, [here, made.wanted], "end")
    return fixed


# ----------------------------------------------------------------------
# What is known without an engine.


def _solved(ctx: Any, formulas: Sequence[Any]) -> str:
    """The answer of a simple solver. A model counts if z3's own evaluation confirms it."""
    there = z3.SimpleSolver(ctx=ctx)
    there.set("rlimit", _UNROLLED_LIMIT)
    there.add(list(formulas))
    answer = str(there.check())
    if answer == "sat":
        model = there.model()
        if not all(z3.is_true(model.eval(one, model_completion=True)) for one in formulas):
            return "unknown"
    return answer


def unrolled(made: System) -> tuple[str, str]:
    """Whether what is wanted is reached, and why: by a path, because no path is longer, or by
    induction over as many steps. The answer is unknown where none of them tells.
    """
    ctx = made.first.ctx
    for steps in range(_STEPS):
        path = made.path(steps)
        answer = _solved(ctx, [made.first, *path, made.at(made.wanted, steps)])
        if answer == "sat":
            return "sat", f"a path of {steps} steps reaches it"
        if answer != "unsat":
            break
        longer = made.path(steps + 1)
        if _solved(ctx, [made.first, *longer]) == "unsat":
            return "unsat", f"no path has more than {steps} steps, and none reaches it"
        without = [z3.Not(made.at(made.wanted, step)) for step in range(steps + 1)]
        if _solved(ctx, [*longer, *without, made.at(made.wanted, steps + 1)]) == "unsat":
            return "unsat", f"induction over {steps + 1} steps shows that none reaches it"
    return "unknown", ""


def _contradicted(answer: str, made: System, what: str) -> str | None:
    """A contradiction between the answer to a query and the unrolled rules. z3 documents of a query: it
    is satisfiable if there is a derivation for it, and unsatisfiable if there is none.
    """
    known, why = unrolled(made)
    if {answer, known} != {"sat", "unsat"}:
        return None
    return f"{what} answers {answer} instead of {known}: {why}"


# ----------------------------------------------------------------------
# Queries.


def queried(way: Callable[[System], str | None], *terms: Any) -> str | None:
    """Query rules that are made of terms, in one of the ways below."""
    made = system(*terms)
    if made is None:
        return None
    try:
        return way(made)
    except z3.Z3Exception as error:
        if "unreachable" in str(error):  # a check inside of z3 failed
            raise
        return None


def _query(fixed: Any, query: Any) -> str:
    with patience(fixed.ctx, _QUERY_PATIENCE):
        return str(fixed.query(query))


def by_spacer(made: System) -> str | None:
    """With all its transformations. If nothing is derived, the answer is an interpretation of the
    relations which all rules keep.
    """
    fixed = rules(made, "spacer")
    answer = _query(fixed, made.found)
    wrong = _contradicted(answer, made, "spacer")
    return wrong or (_kept(made, fixed.get_answer()) if answer == "unsat" else None)


def by_relation(made: System) -> str | None:
    """The relation itself is queried, in the place of a formula."""
    return _contradicted(_query(rules(made, "auto-config"), made.found.decl()), made, "auto-config")


def by_bmc(made: System) -> str | None:
    """Bounded model checking, which finds paths only."""
    fixed = rules(made, "bmc", {"bmc.linear_unrolling_depth": 2 * _STEPS})
    answer = _query(fixed, made.found)
    return _contradicted(answer, made, "bmc")


def by_trace(made: System) -> str | None:
    """ "Obtain the list of rules along the counterexample trace": rules that are applied in this order
    reach what is wanted. Of rules that are simplified before, a trace may leave some out.
    """
    fixed = rules(made, "spacer", _WHOLE)
    answer = _query(fixed, made.found)
    wrong = _contradicted(answer, made, "spacer without transformations")
    if wrong or answer != "sat":
        return wrong
    names = [name for name in fixed.get_rule_names_along_trace() if name != "<null>"]
    if len(fixed.get_rules_along_trace()) < len(names):
        return f"get_rule_names_along_trace gives {len(names)} names instead of one for each rule"
    steps = len(names) - 2
    if names != ["end", *["step"] * steps, "first"] or steps > 2 * _STEPS:
        return None
    path = [made.first, *made.path(steps), made.at(made.wanted, steps)]
    if _solved(made.first.ctx, path) == "unsat":
        return f"get_rules_along_trace gives {steps} steps instead of a path to what is wanted"
    return None


def by_ground(made: System) -> str | None:
    """ "Retrieve a bottom-up (from query) sequence of ground facts", after an answer sat."""
    fixed = rules(made, "spacer", _WHOLE)
    if _query(fixed, made.found) != "sat":
        return None
    facts = fixed.get_ground_sat_answer()
    if z3.is_false(facts):
        return "get_ground_sat_answer after sat gives False instead of ground facts that hold"
    return None


def by_text(made: System) -> str | None:
    """What is printed is read again, with the query. Its answer must be no other one."""
    fixed = rules(made, "spacer")
    text = fixed.to_string([made.found])
    again = z3.Fixedpoint(ctx=fixed.ctx)
    again.set(engine="spacer", rlimit=_ENGINE_LIMIT)
    queries = list(again.parse_string(text))
    if len(queries) != 1 or len(again.get_rules()) != len(fixed.get_rules()):
        return (
            f"parse_string gives {len(queries)} queries or other rules instead of what was printed"
        )
    wrong = _contradicted(
        _query(again, queries[0]), made, "a fixed point that is printed and read again"
    )
    more = len(fixed.get_assertions())
    return wrong or (f"get_assertions gives {more} formulas instead of none" if more else None)


def by_cover(made: System) -> str | None:
    """ "Retrieve properties known about predicate for the level'th unfolding. -1 is treated as the
    limit": the first states of paths have what is known of all states. A property that was shown of all
    states is given to the engine, and changes no answer.
    """
    fixed = rules(made, "spacer", _WHOLE)
    answer, relation = _query(fixed, made.found), made.relation
    wrong = _contradicted(answer, made, "spacer without transformations")
    if wrong or answer == "unknown":
        return wrong
    with patience(fixed.ctx, _QUERY_PATIENCE):
        later = str(fixed.query_from_lvl(fixed.get_num_levels(relation), made.found))
    if {answer, later} == {"sat", "unsat"}:
        return f"query_from_lvl answers {later} instead of {answer}"
    known = z3.substitute_vars(fixed.get_cover_delta(-1, relation), *made.variables)
    for steps in range(_STEPS):
        outside = z3.Not(made.at(known, steps))
        if _solved(fixed.ctx, [made.first, *made.path(steps), outside]) == "sat":
            return f"get_cover_delta gives what fails after {steps} steps instead of what all states have"
    if unrolled(made)[0] != "unsat":
        return None
    other, positions = rules(made, "spacer", _WHOLE), range(len(made.variables))
    numbered = [
        (one, z3.Var(at, one.sort())) for at, one in zip(positions, made.variables, strict=True)
    ]
    other.add_cover(-1, relation, z3.substitute(z3.Not(made.wanted), *numbered))
    return _contradicted(_query(other, made.found), made, "spacer that is told an invariant")


def _kept(made: System, answer: Any) -> str | None:
    """An interpretation of the relations that all rules keep, and in which nothing is found, as z3's
    guide calls an inductive invariant.
    """
    meaning = _interpretation(made, answer)
    if meaning is None:
        return None
    ctx, inside = made.first.ctx, meaning
    outside = z3.Not(z3.substitute(inside, *made.state(1)))
    for formulas, rule in (
        ([made.first, z3.Not(inside)], "first"),
        ([inside, made.goes_on, outside], "step"),
        ([inside, made.wanted], "end"),
    ):
        if _solved(ctx, formulas) == "sat":
            return f"get_answer gives what breaks the rule '{rule}' instead of an invariant"
    return None


def _interpretation(made: System, answer: Any) -> Any:
    """What an answer says of the relation of states, or None: equations `relation == formula` under a
    binder.
    """
    for part in answer.children() if z3.is_and(answer) else [answer]:
        body = part.body() if z3.is_quantifier(part) and part.is_forall() else part
        if not z3.is_eq(body) or not z3.is_app(body.arg(0)):
            continue
        left, right = body.children()
        if left.decl() != made.relation or not all(z3.is_var(one) for one in left.children()):
            continue
        by_index = {z3.get_var_index(one): at for at, one in enumerate(left.children())}
        if sorted(by_index) != list(range(len(made.variables))):
            continue
        values = [made.variables[by_index[index]] for index in range(len(made.variables))]
        return z3.substitute_vars(right, *values)
    return None


# ----------------------------------------------------------------------
# Datalog, by the graph of a term.

_GRAPH = 24  # nodes of a term


def closed(how: str, term: Any) -> str | None:
    """Datalog rules for the paths in a term, from a term to its parts. "The returned answer is a
    disjunction of conjuncts. Each conjunct encodes values of the bound variables of the query that are
    satisfied".
    """
    edges, count = _edges(term)
    if not edges:
        return None
    try:
        return _paths(how, edges, count, term.ctx)
    except z3.Z3Exception:
        return None


def _edges(term: Any) -> tuple[list[tuple[int, int]], int]:
    """The parts of each part of a term, by numbers."""
    numbers, nodes, edges = {term.get_id(): 0}, [term], list[tuple[int, int]]()
    for node in nodes:
        for part in node.children():
            if part.get_id() not in numbers and len(nodes) < _GRAPH:
                numbers[part.get_id()] = len(nodes)
                nodes.append(part)
            if part.get_id() in numbers:
                edges.append((numbers[node.get_id()], numbers[part.get_id()]))
    return edges, len(nodes)


def _paths(how: str, edges: Sequence[tuple[int, int]], count: int, ctx: Any) -> str | None:
    bits = how == "bits"
    sort = (
        z3.BitVecSort(5, ctx)
        if bits
        else z3.FiniteDomainSort(z3.to_symbol(f"murxpy-{count}", ctx), count, ctx)
    )
    value = [
        z3.BitVecVal(at, sort) if bits else z3.FiniteDomainVal(at, sort) for at in range(count)
    ]
    edge, path = (
        z3.Function(f"murxpy-{name}-{count}", sort, sort, z3.BoolSort(ctx))
        for name in ("edge", "path")
    )
    x, y, z = (z3.Const(f"murxpy-{name}-{count}", sort) for name in "xyz")
    fixed = z3.Fixedpoint(ctx=ctx)
    fixed.set(engine="datalog", rlimit=_ENGINE_LIMIT)
    fixed.register_relation(edge, path)
    for one, other in edges:
        fixed.fact(edge(value[one], value[other]))
    first = edge(x, y) if how == "edges" else path(x, y)
    fixed.rule(z3.ForAll([x, y], z3.Implies(edge(x, y), path(x, y))))
    further = edge(y, z) if how == "bits" else path(y, z)
    fixed.rule(z3.ForAll([x, y, z], z3.Implies(z3.And(first, further), path(x, z))))
    for start in dict.fromkeys([0, count // 2, count - 1]):
        reached = _reached(edges, start)
        answer = _query(fixed, z3.Exists([y], path(value[start], y)))
        if answer != "unknown" and (answer == "sat") != bool(reached):
            return f"datalog answers {answer} instead of {'sat' if reached else 'unsat'}"
        if answer == "sat" and (told := _named_parts(fixed.get_answer(), value)) not in (
            None,
            reached,
        ):
            return f"datalog gives the parts {told} instead of {reached}"
    for other in (0, count - 1):
        answer = _query(fixed, path(value[0], value[other]))
        right = "sat" if other in _reached(edges, 0) else "unsat"
        if answer not in ("unknown", right):
            return f"datalog of one part answers {answer} instead of {right}"
    return None


def _reached(edges: Sequence[tuple[int, int]], start: int) -> list[int]:
    found, todo = list[int](), [start]
    while todo:
        at = todo.pop()
        new = [other for one, other in edges if one == at and other not in found]
        found.extend(dict.fromkeys(new))
        todo.extend(dict.fromkeys(new))
    return sorted(found)


def _named_parts(answer: Any, value: Sequence[Any]) -> list[int] | None:
    """The values of the bound variable that an answer names; None if it has another form."""
    found = []
    for part in answer.children() if z3.is_or(answer) else [answer]:
        sides = part.children() if z3.is_eq(part) else []
        at = [at for at, one in enumerate(value) if any(one.eq(side) for side in sides)]
        if len(at) != 1 or not any(z3.is_var(side) for side in sides):
            return None
        found.append(at[0])
    return sorted(found)
