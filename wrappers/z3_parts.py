"""Parts of z3py that runs seldom need, called rightly: each answer is compared with what Python calculates, or with a
claim that z3 must not refute. Each function gives None, or a str that says which promise is broken. The file imports
only z3 and the standard library.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import z3
from z3 import z3num, z3poly, z3rcf, z3util
from z3_actions import constants

_PART_LIMIT = 20000  # the resource limit of each check

Told = list[tuple[str, Any, Any]]  # a question, what is told, and what should be told


def part(use: Callable[[Any, int], Told], term: Any) -> str | None:
    """Use a part of the binding with a number that depends on the size of a term."""
    figure, seen, todo = 0, set[int](), [term]
    while todo and figure < 30:
        one = todo.pop()
        if one.get_id() not in seen:
            seen.add(one.get_id())
            figure += 1
            todo.extend(one.children())
    for question, told, wanted in use(term.ctx, figure):
        if told != wanted:
            return f"{question} gives {told} instead of {wanted}"
    return None


def _not_refuted(ctx: Any, claims: Sequence[Any]) -> Told:
    """Claims for which z3 has no model of the negation."""
    found: Told = []
    for claim in claims:
        there = z3.SimpleSolver(ctx=ctx)
        there.set("rlimit", _PART_LIMIT)
        there.add(z3.Not(claim))
        found.append((f"a model of the negation of {claim}", str(there.check()) == "sat", False))
    return found


def _called(calls: Sequence[tuple[str, Callable[[], Any], Any]]) -> Told:
    """What calls give; that an operator does not take such operands is also told."""
    found: Told = []
    for name, call, wanted in calls:
        try:
            told = str(call()).strip('"')
        except (AttributeError, NameError, TypeError) as error:
            told = f"{type(error).__name__}: {error}"
        found.append((name, told, str(wanted)))
    return found


def _as_simplified(pairs: Sequence[tuple[Any, Any]]) -> Told:
    return [(f"simplify({one})", str(z3.simplify(one)), str(wanted)) for one, wanted in pairs]


# ----------------------------------------------------------------------
# Exact numbers.


def use_algebraic(ctx: Any, figure: int) -> Told:
    one, other = Fraction(figure, 3), Fraction(-figure - 1, 2)
    a, b = (z3num.Numeral(str(number), ctx) for number in (one, other))
    root, whole = z3num.Numeral(figure, ctx).root(2), math.isqrt(figure) ** 2 == figure
    x = z3.RealVar(0, ctx)
    roots = z3num.isolate_roots(x * x - figure)
    return [
        ("the sum", (a + b).as_fraction(), one + other),
        ("the difference", (a - b).as_fraction(), one - other),
        ("the product", (a * b).as_fraction(), one * other),
        ("the quotient", (a / b).as_fraction(), one / other),
        ("the power", a.power(3).as_fraction(), one**3),
        ("the order", (a < b, a <= b, a > b, a >= b, a == b), (False, False, True, True, False)),
        ("the signs", (a.sign(), b.sign(), a.is_pos(), b.is_neg()), (1, -1, True, True)),
        ("is_zero", ((a - a).is_zero(), a.is_zero()), (True, False)),
        ("is_integer", a.is_integer(), one.denominator == 1),
        ("is_rational", (a.is_rational(), root.is_rational()), (True, whole)),
        ("is_irrational", root.is_irrational(), not whole),
        ("the square of a root", root.power(2) == figure, True),
        ("lower and upper", root.lower(8) <= root.upper(8), True),
        ("approx", abs(root.approx(8).as_fraction() ** 2 - figure) < Fraction(1, 1000), True),
        (
            "isolate_roots",
            [r == s for r, s in zip(roots, (-1 * root, root), strict=True)],
            [True] * 2,
        ),
        ("eval_sign_at", z3num.eval_sign_at(x * x - figure, [root]), 0),
        ("subresultants", len(z3poly.subresultants(x * x - figure, x - 1, x)) > 0, True),
    ]


def use_real_closed(ctx: Any, figure: int) -> Told:
    roots = z3rcf.MkRoots([-figure, 0, 1], ctx)
    small, pi, e = z3rcf.MkInfinitesimal("eps", ctx), z3rcf.Pi(ctx), z3rcf.E(ctx)
    third = z3rcf.RCFNum(Fraction(figure, 3), ctx)
    return [
        ("the roots", [root.power(2) == figure for root in roots], [True, True]),
        (
            "an infinitesimal",
            (small > 0, small * 1000 < third, small.power(2) < small),
            (True,) * 3,
        ),
        ("Pi and E", (pi > 3, pi < 4, e > 2, e < 3, pi > e), (True,) * 5),
        ("arithmetic", third * 3 - figure == 0, True),
        ("texts", all((pi.compact_str(), pi.decimal(3))), True),
        ("decimal", (pi.decimal(3)[:4], e.decimal(3)[:4]), ("3.14", "2.71")),
        ("split", len(third.split()), 2),
    ]


def use_quotients(ctx: Any, figure: int) -> Told:
    """The operator `/` of numbers, from both sides."""
    closed, plain = z3rcf.RCFNum(figure, ctx), z3num.Numeral(figure, ctx)
    return _called(
        [
            ("Numeral / int", lambda: plain / figure == 1, True),
            ("int / Numeral", lambda: figure / plain == 1, True),
            ("RCFNum / int", lambda: closed / figure == 1, True),
            ("int / RCFNum", lambda: figure / closed == 1, True),
        ]
    )


def use_compared_texts(ctx: Any, figure: int) -> Told:
    """Python's texts as operands of the operators of strings."""
    text = z3.StringVal("b" * figure, ctx)
    return _called(
        [
            ("StringVal + str", lambda: z3.simplify(text + "a"), "b" * figure + "a"),
            ("StringVal == str", lambda: z3.simplify(text == "a"), False),
            ("StringVal < str", lambda: z3.simplify(text < "a"), False),
            ("StringVal >= str", lambda: z3.simplify(text >= "a"), True),
        ]
    )


def use_complex(ctx: Any, figure: int) -> Told:
    z = z3.ComplexVal(figure, 2, ctx)
    u, v = z3.Complexes("murxpy-u murxpy-v", ctx)
    claims = [
        u + v == v + u,
        z3.RealPart(u + v) == u.real_part() + v.real_part(),
        u - u == z3.ComplexVal(0, 0, ctx),
    ]
    kinds = z3.is_complex(u), z3.is_complex_sort(z3.ComplexSort(ctx)), z3.is_complex(u.real_part())
    parts = [
        (z3.RealPart(z), figure),
        (z3.ImagPart(z), 2),
        ((z * z).real_part(), figure * figure - 4),
        ((z * z).imag_part(), 4 * figure),
    ]
    named = ("the names", str(z3.Complex("murxpy-u", ctx)), str(u))
    return [
        ("kinds", kinds, (True, True, False)),
        named,
        *_as_simplified(parts),
        *_not_refuted(ctx, claims),
    ]


# ----------------------------------------------------------------------
# Sets, characters, sequences, vectors.


def use_sets(ctx: Any, figure: int) -> Told:
    integer = z3.IntSort(ctx)
    sort = z3.FiniteSetSort(integer)
    empty, one = z3.FiniteSetEmpty(sort), z3.Singleton(z3.IntVal(figure, ctx))
    a, b = (z3.Const(f"murxpy-{name}", sort) for name in "ab")
    k = z3.Int("murxpy-k", ctx)
    inside = z3.FiniteSetMember
    union, both = z3.FiniteSetUnion(a, b), z3.FiniteSetIntersect(a, b)
    without = z3.FiniteSetDifference(a, b)
    claims = [
        z3.Not(z3.In(k, empty)),
        inside(k, one) == (k == figure),
        inside(k, union) == z3.Or(inside(k, a), inside(k, b)),
        inside(k, both) == z3.And(inside(k, a), inside(k, b)),
        inside(k, without) == z3.And(inside(k, a), z3.Not(inside(k, b))),
        z3.FiniteSetSubset(both, a),
        z3.FiniteSetSize(empty) == 0,
        z3.FiniteSetSize(one) == 1,
    ]
    kinds = z3.is_finite_set(a), z3.is_finite_set_sort(sort), sort.element_sort() == integer
    never = sort.is_array(), sort.is_datatype(), sort.is_bv(), sort.subsort(sort)
    return [
        ("kinds", kinds, (True,) * 3),
        ("kinds", never, (False,) * 4),
        *_not_refuted(ctx, claims),
    ]


def use_python_sets(ctx: Any, figure: int) -> Told:
    """A set of Python that is cast to a sort of finite sets, as a list or an int is elsewhere."""
    sort = z3.FiniteSetSort(z3.IntSort(ctx))
    wanted = z3.FiniteSetUnion(z3.FiniteSetEmpty(sort), z3.Singleton(z3.IntVal(figure, ctx)))
    try:
        told = sort.cast({figure})
    except TypeError as error:
        told = f"TypeError: {error}"
    return [("cast", str(told), str(wanted)), ("cast", sort.cast(set()), z3.FiniteSetEmpty(sort))]


def use_functions_of_sets(ctx: Any, figure: int) -> Told:
    """Functions of sets that ask whether their set is a finite one."""
    sort = z3.FiniteSetSort(z3.IntSort(ctx))
    one, member = z3.Singleton(z3.IntVal(figure, ctx)), z3.IntVal(figure + 1, ctx)
    single = z3.Singleton(member)
    calls: list[tuple[str, Callable[[], Any], Any]] = [
        ("SetUnion", lambda: z3.SetUnion(one, single), one | single),
        ("SetIntersect", lambda: z3.SetIntersect(one, single), one & single),
        ("SetDifference", lambda: z3.SetDifference(one, single), one - single),
        ("EmptySet", lambda: z3.EmptySet(sort), z3.FiniteSetEmpty(sort)),
        ("IsMember", lambda: z3.IsMember(member, one), z3.FiniteSetMember(member, one)),
        ("IsSubset", lambda: z3.IsSubset(one, single), z3.FiniteSetSubset(one, single)),
        ("SetAdd", lambda: z3.SetAdd(one, member), single | one),
        ("SetDel", lambda: z3.SetDel(one, member), one - single),
    ]
    return _called(calls)


def use_characters(ctx: Any, figure: int) -> Told:
    code = 32 + figure
    one = z3.CharVal(code, ctx)
    digit = z3.is_true(z3.simplify(one.is_digit()))
    bits = z3.CharToBv(one)
    return [
        ("is_digit", digit, chr(code).isdigit()),
        ("CharIsDigit", z3.is_true(z3.simplify(z3.CharIsDigit(one))), digit),
        ("the sort", one.sort(), z3.CharSort(ctx)),
        *_as_simplified([(z3.CharToInt(one), code), (one.to_int(), code)]),
        *_not_refuted(
            ctx,
            [
                z3.CharFromBv(bits) == one,
                one.to_bv() == code,
                one <= z3.CharVal(chr(code + 1), ctx),
            ],
        ),
    ]


def use_vectors(ctx: Any, figure: int) -> Told:
    count = 1 + figure % 4
    made = [make("murxpy-v", count, ctx) for make in (z3.BoolVector, z3.IntVector, z3.RealVector)]
    names = [[str(one) for one in vector] for vector in made]
    fresh = [make(ctx=ctx) for make in (z3.FreshBool, z3.FreshInt, z3.FreshReal) for _ in range(2)]
    sorts = [one.sort() for one in fresh]
    free = z3.RealVarVector(count, ctx)
    wanted = [s for s in (z3.BoolSort(ctx), z3.IntSort(ctx), z3.RealSort(ctx)) for _ in range(2)]
    return [
        ("the names", names, [[f"murxpy-v__{at}" for at in range(count)]] * 3),
        ("the fresh constants", len({one.get_id() for one in fresh}), 6),
        ("their sorts", sorts, wanted),
        ("the free variables", [z3.get_var_index(one) for one in free], list(range(count))),
    ]


# ----------------------------------------------------------------------
# Relations, datatypes, sorts.


def use_orders(ctx: Any, figure: int) -> Told:
    sort = z3.DeclareSort("murxpy-place", ctx)
    x, y, z = (z3.Const(f"murxpy-{name}", sort) for name in "xyz")
    claims: list[Any] = []
    for make in (z3.PartialOrder, z3.LinearOrder, z3.TreeOrder, z3.PiecewiseLinearOrder):
        before = make(sort, figure)
        claims.append(before(x, x))
        claims.append(z3.Implies(z3.And(before(x, y), before(y, x)), x == y))
        claims.append(z3.Implies(z3.And(before(x, y), before(y, z)), before(x, z)))
        if make is z3.LinearOrder:
            claims.append(z3.Or(before(x, y), before(y, x)))
    edge = z3.Function("murxpy-edge", sort, sort, z3.BoolSort(ctx))
    path = z3.TransitiveClosure(edge)
    claims.append(z3.Implies(z3.And(edge(x, y), edge(y, z)), path(x, z)))
    claims.append(z3.Implies(edge(x, y), path(x, y)))
    return _not_refuted(ctx, claims)


def use_datatypes(ctx: Any, figure: int) -> Told:
    integer, truth = z3.IntSort(ctx), z3.BoolSort(ctx)
    new = str(z3.FreshInt("murxpy", ctx))  # a sort can be declared once in a context
    names = [f"{new}-{at}" for at in range(2 + figure % 3)]
    enum, values = z3.EnumSort(f"{new}-enum", names, ctx)
    pair, make, (first, second) = z3.TupleSort(f"{new}-pair", [integer, truth], ctx)
    either, ((left, got), (right, _)) = z3.DisjointSum(f"{new}-either", [integer, truth], ctx)
    k, p = z3.Int("murxpy-k", ctx), z3.Bool("murxpy-p", ctx)
    claims = [
        z3.Distinct(*values),
        z3.Or(*(z3.Const("murxpy-c", enum) == one for one in values)),
        first(make(k, p)) == k,
        second(make(k, p)) == p,
        got(left(k)) == k,
        left(k) != right(p),
    ]
    sizes = enum.num_constructors(), pair.num_constructors(), either.num_constructors()
    return [("the constructors", sizes, (len(names), 1, 2)), *_not_refuted(ctx, claims)]


def use_sorts(ctx: Any, figure: int) -> Told:
    integer, real, truth = z3.IntSort(ctx), z3.RealSort(ctx), z3.BoolSort(ctx)
    array, bits = z3.ArraySort(integer, truth), z3.BitVecSort(1 + figure, ctx)
    constant = z3.Const("murxpy-array", array)
    function = z3.Function("murxpy-f", integer, integer)
    mapped = z3.Map(function, z3.Array("murxpy-b", integer, integer))
    return [
        ("subsort", (integer.subsort(real), truth.subsort(integer)), (True, True)),
        ("subsort", (real.subsort(integer), bits.subsort(integer)), (False, False)),
        ("domain_n", (array.domain_n(0), constant.domain_n(0)), (integer, integer)),
        ("is_array", (z3.is_array(constant), z3.is_array_sort(constant)), (True, True)),
        ("is_array", z3.is_array(z3.Int("murxpy-k", ctx)), False),
        ("get_map_func", z3.get_map_func(mapped), function),
        ("AsArray", z3.is_as_array(z3.AsArray(function)), True),
        ("is_fprm_value", z3.is_fprm_value(z3.RNE(ctx)), True),
        ("versions", z3.get_version_string() in z3.get_full_version(), True),
    ]


# ----------------------------------------------------------------------
# Utilities, some of which work in the default context only.


def use_utilities(ctx: Any, figure: int) -> Told:
    p, q = z3.Bools("murxpy-p murxpy-q")
    x = z3.Int("murxpy-x")
    valid, never = z3.Or(p, z3.Not(p)), z3.And(p, z3.Not(p))
    solver = z3.Solver()
    solver.add(x >= 0, x < figure % 4)
    return [
        ("is_tautology", (z3util.is_tautology(valid), z3util.is_tautology(p)), (True, False)),
        (
            "is_contradiction",
            (z3util.is_contradiction(never), z3util.is_contradiction(p)),
            (True, False),
        ),
        (
            "exact_one_model",
            (z3util.exact_one_model(z3.And(p, q)), z3util.exact_one_model(z3.Or(p, q))),
            (True, False),
        ),
        (
            "get_models",
            (z3util.get_models(never, 2), len(z3util.get_models(z3.Or(p, q), 2))),
            (False, 2),
        ),
        ("get_vars", len(z3util.get_vars(z3.And(p, z3.Or(q, p), x > 1))), 3),
        ("is_expr_var", (z3util.is_expr_var(x), z3util.is_expr_var(x + 1)), (True, False)),
        ("is_expr_val", (z3util.is_expr_val(z3.IntVal(7)), z3util.is_expr_val(x)), (True, False)),
        (
            "solutions",
            sorted(one.as_long() for one in solver.solutions(x)),
            list(range(figure % 4)),
        ),
        ("deserialize", z3.deserialize((x > figure).serialize()).eq(x > figure), True),
        *_not_refuted(
            p.ctx,
            [
                z3util.myAnd(p, q) == z3.And(p, q),
                z3util.myOr(p, q) == z3.Or(p, q),
                z3util.myImplies(p, q) == z3.Implies(p, q),
                z3util.Iff([p, q]) == (p == q),
            ],
        ),
    ]


def use_parsers(ctx: Any, figure: int) -> Told:
    sort, x = z3.DeclareSort("murxpy-sort", ctx), z3.Int("murxpy-x", ctx)
    parser = z3.ParserContext(ctx)
    parser.add_sort(sort)
    parser.add_decl(x.decl())
    text = f"(declare-const a murxpy-sort)(assert (= a a))(assert (> murxpy-x {figure}))"
    found = parser.from_string(text)
    simplifier = z3.Simplifier("simplify", ctx).using_params("elim_and", True)
    solver = simplifier.add(z3.SimpleSolver(ctx=ctx))
    solver.add(x > figure, x < figure + 2)
    params = z3.args2params(["elim_and", True], {}, ctx)
    params.validate(z3.Tactic("simplify", ctx).param_descrs())
    with_params = z3.WithParams(z3.Tactic("simplify", ctx), params)
    goal = z3.Goal(ctx=ctx)
    goal.add(x > figure, x > figure)
    return [
        ("the parsed formulas", (len(found), found[len(found) - 1].eq(x > figure)), (2, True)),
        ("a simplified solver", str(solver.check()) == "unsat", False),
        ("WithParams", len(with_params(goal)), 1),
        ("the parameters of simplify", z3.simplify_param_descrs().size() > 0, True),
    ]


# ----------------------------------------------------------------------
# What a solver and its model tell of the search.


def told_of_search(solver: Any) -> str | None:
    """Congruences of a simple solver behind an answer sat: where two terms have one root, the
    explanation implies that they are equal.
    """
    ctx, asserted = solver.ctx, list(solver.assertions())
    there = z3.SimpleSolver(ctx=ctx)
    there.set("rlimit", _PART_LIMIT)
    there.add(asserted)
    if str(there.check()) != "sat":
        return None
    trail, levels = there.trail_levels()
    if len(trail) != len(levels):
        return f"trail_levels gives {len(levels)} levels instead of {len(trail)}"
    found = constants(asserted)[:6]
    return (
        _congruent(there, found)
        or _projected(there.model(), asserted)
        or _modelled(there, asserted)
    )


def _congruent(there: Any, found: Sequence[Any]) -> str | None:
    for at, one in enumerate(found):
        for other in found[:at]:
            if one.sort() != other.sort() or not there.congruence_root(one).eq(
                there.congruence_root(other)
            ):
                continue
            reason = there.congruence_explain(one, other)
            wrong = z3.SimpleSolver(ctx=there.ctx)
            wrong.set("rlimit", _PART_LIMIT)
            wrong.add(reason, z3.Not(one == other))
            if str(wrong.check()) == "sat":
                return f"congruence_explain gives {reason.sexpr()[:80]} instead of what implies it"
        if there.congruence_next(one).sort() != one.sort():
            return "congruence_next gives a term of another sort instead of a congruent one"
    return None


def _projected(model: Any, asserted: Sequence[Any]) -> str | None:
    """A projection of a formula that is true in a model: "vars do not occur free in fml_p, fml_p is true
    in the model".
    """
    for formula in asserted[:2]:
        whole = [one for one in constants([formula]) if z3.is_int(one) or z3.is_bool(one)][:1]
        if not whole or not z3.is_true(model.eval(formula, model_completion=True)):
            continue
        found = model.project(whole, formula)
        if any(one.eq(whole[0]) for one in constants([found])):
            return f"project gives a formula with {whole[0]} instead of one without"
        if z3.is_false(model.eval(found, model_completion=True)):
            return f"project gives {found.sexpr()[:80]} instead of what is true in the model"
    return None


def _modelled(there: Any, asserted: Sequence[Any]) -> str | None:
    """A model after one of its values was set; and the initial value of a variable, which is a hint."""
    model = there.model()
    if [model.get_sort(at) for at in range(model.num_sorts())] != model.sorts():
        return "get_sort gives other sorts by their numbers instead of those of sorts"
    for one in constants(asserted)[:3]:
        if not z3.is_int(one) and not z3.is_bool(one):
            continue
        value = z3.IntVal(41, one.ctx) if z3.is_int(one) else z3.BoolVal(True, one.ctx)
        hinted = z3.SimpleSolver(ctx=there.ctx)
        hinted.set("rlimit", _PART_LIMIT)
        hinted.add(asserted)
        hinted.set_initial_value(one, value)
        if str(hinted.check()) == "unsat":
            return "a check after set_initial_value answers unsat instead of sat"
        model.update_value(one, value)
        if not model.eval(one).eq(value):
            return f"eval after update_value gives {model.eval(one)} instead of {value}"
    return None
