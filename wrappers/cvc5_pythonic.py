"""What cvc5's pythonic layer tells of expressions, sorts and literals, and its constants and solvers, called rightly: each
answer is compared with the object of the base layer, or with what Python calculates. Each function gives None, or a
str that says which promise is broken. The file imports only cvc5 and the standard library.
"""

from __future__ import annotations

import decimal
from collections.abc import Callable
from typing import Any

from cvc5.pythonic import cvc5_pythonic as P
from cvc5_helpers import expr, py
from cvc5_objects import _first_wrong
from cvc5_values import read_value

# By the name of a kind, the predicates "Return `True` if `a` is an expression of the form b + c", or the like.
_FORMS = {
    "is_add": "ADD",
    "is_mul": "MULT",
    "is_sub": "SUB",
    "is_div": "DIVISION",
    "is_idiv": "INTS_DIVISION",
    "is_mod": "INTS_MODULUS",
    "is_le": "LEQ",
    "is_lt": "LT",
    "is_ge": "GEQ",
    "is_gt": "GT",
    "is_is_int": "IS_INTEGER",
    "is_to_real": "TO_REAL",
    "is_to_int": "TO_INTEGER",
    "is_and": "AND",
    "is_or": "OR",
    "is_implies": "IMPLIES",
    "is_xor": "XOR",
    "is_not": "NOT",
    "is_eq": "EQUAL",
    "is_distinct": "DISTINCT",
    "is_select": "SELECT",
    "is_store": "STORE",
    "is_update": "STORE",
    "is_K": "CONST_ARRAY",
    "is_const_array": "CONST_ARRAY",
    "is_var": "VARIABLE",
    "is_bv_value": "CONST_BITVECTOR",
    "is_int_value": "CONST_INTEGER",
    "is_fp_value": "CONST_FLOATINGPOINT",
    "is_fprm_value": "CONST_ROUNDINGMODE",
    "is_ff_value": "CONST_FINITE_FIELD",
    "is_string_value": "CONST_STRING",
    "is_bool_value": "CONST_BOOLEAN",
    "is_rational_value": "CONST_RATIONAL",
}
_OF_SORT = {
    "is_bool": "isBoolean",
    "is_int": "isInteger",
    "is_real": "isReal",
    "is_bv": "isBitVector",
    "is_array": "isArray",
    "is_fp": "isFloatingPoint",
    "is_fprm": "isRoundingMode",
    "is_ff": "isFiniteField",
    "is_string": "isString",
}
_SORT_ITSELF = {
    "is_bv_sort": "isBitVector",
    "is_array_sort": "isArray",
    "is_fp_sort": "isFloatingPoint",
    "is_fprm_sort": "isRoundingMode",
    "is_ff_sort": "isFiniteField",
    "is_func_sort": "isFunction",
}


def expression(ctx: Any, term: Any) -> str | None:
    """Each predicate of an expression agrees with the kind or the sort of its term, and its parts are
    those of the term.
    """
    one, sort, kind = expr(ctx, term), term.getSort(), term.getKind().name
    if sort.isRegExp() or sort.isFunction():
        return None
    number = sort.isInteger() or sort.isReal()
    found = [(name, getattr(P, name)(one), kind == of) for name, of in _FORMS.items()]
    found += [(name, getattr(P, name)(one), getattr(sort, of)()) for name, of in _OF_SORT.items()]
    made = one.sort()
    found += [
        (name, getattr(P, name)(made), getattr(sort, of)()) for name, of in _SORT_ITSELF.items()
    ]
    found += [
        ("is_true", P.is_true(one), kind == "CONST_BOOLEAN" and str(term) == "true"),
        ("is_false", P.is_false(one), kind == "CONST_BOOLEAN" and str(term) == "false"),
        ("is_arith", P.is_arith(one), number),
        ("is_arith_sort", P.is_arith_sort(made), number),
        ("is_app_of", P.is_app_of(one, term.getKind()), True),
        ("is_expr", (P.is_expr(one), P.is_ast(one), P.is_sort(made)), (True, True, True)),
        ("is_app", (P.is_app(one), P.is_app(made)), (True, False)),
        ("is_func_decl", P.is_func_decl(one), False),
        ("is_quantifier", P.is_quantifier(one), kind in ("FORALL", "EXISTS", "LAMBDA")),
        ("eq", (one.eq(one), P.eq(one, one), made.eq(made)), (True, True, True)),
        ("as_ast", (one.as_ast(), made.as_ast()), (term, sort)),
        ("get_id", one.get_id(), term.getId()),
        ("is_seq", P.is_seq(one), sort.isSequence() or sort.isString()),
        ("is_re", P.is_re(one), False),
        ("cast", made.cast(one).eq(one), True),
    ]
    return _first_wrong([*found, *_bound(one, term, kind), *_literal(one, term)])


def _bound(one: Any, term: Any, kind: str) -> list[tuple[str, Any, Any]]:
    """The variables and the body of a quantifier."""
    if kind not in ("FORALL", "EXISTS") or not hasattr(one, "num_vars"):
        return []
    variables = list(term[0])
    return [
        ("is_forall", (one.is_forall(), one.is_exists()), (kind == "FORALL", kind == "EXISTS")),
        ("is_lambda", one.is_lambda(), False),
        ("num_vars", one.num_vars(), len(variables)),
        ("var_sort", one.var_sort(0).as_ast(), variables[0].getSort()),
        ("var_name", str(one.var_name(0)), str(variables[0])),
        ("body", one.body().as_ast(), term[1]),
    ]


def _literal(one: Any, term: Any) -> list[tuple[str, Any, Any]]:
    """A literal read in all ways."""
    value = read_value(term)
    if isinstance(one, P.BitVecNumRef) and value:
        _, width, number = value
        signed = number - (1 << width) if number >> (width - 1) else number
        told = one.as_long(), one.as_signed_long(), int(one.as_binary_string(), 2), one.size()
        return [("a bit-vector", told, (number, signed, number, width))]
    if isinstance(one, P.RatNumRef) and value:
        fraction = one.numerator_as_long(), one.denominator_as_long()
        return [("a rational number", fraction, tuple(value[-2:]))]
    if isinstance(one, P.FPNumRef) and value:
        _, exponent, significand, bits = value
        sizes = ("ebits and sbits", (one.ebits(), one.sbits()), (exponent, significand))
        return [sizes, ("isNaN", one.isNaN(), bits is None), *_float_class(one, value)]
    return []


def _float_class(one: Any, value: Any) -> list[tuple[str, Any, Any]]:
    _, exponent, significand, bits = value
    if bits is None:
        return []
    fraction = bits & ((1 << (significand - 1)) - 1)
    biased, top = bits >> (significand - 1) & ((1 << exponent) - 1), (1 << exponent) - 1
    negative = bool(bits >> (exponent + significand - 1))
    return [
        ("sign", one.sign(), negative),
        ("isInf", one.isInf(), biased == top),
        ("isZero", one.isZero(), biased == 0 and fraction == 0),
        ("isNegative", one.isNegative(), negative),
        ("isPositive", one.isPositive(), not negative),
        *_normal(one, biased, fraction),
    ]


def _normal(one: Any, biased: int, fraction: int) -> list[tuple[str, Any, Any]]:
    """The exponent and the significand "missing the 1", of a float that has such a 1."""
    exponent, significand = one.ebits(), one.sbits()
    if biased in (0, (1 << exponent) - 1):
        return []
    power, scale = biased - (1 << (exponent - 1)) + 1, 1 << (significand - 1)
    return [
        ("exponent", (one.exponent(), one.exponent_as_long()), (power, power)),
        ("significand_as_long", one.significand_as_long(), fraction),
        ("significand", one.significand(), 1.0 + fraction / scale),
    ]


def pythonic(ctx: Any, use: Callable[[], list[tuple[str, Any, Any]]]) -> str | None:
    """Use a part of the pythonic layer in the context of a manager."""
    py(ctx)
    return _first_wrong(use())


def named_constants() -> list[tuple[str, Any, Any]]:
    """Constants by their names, one or several, and fresh ones."""
    made = [
        P.Bools("a b"),
        P.Ints("a b"),
        P.Reals("a b"),
        P.Strings("a b"),
        P.BitVecs("a b", 4),
        P.Consts("a b", P.IntSort()),
        P.FPs("a b", P.Float32()),
        P.FiniteFieldElems("a b", P.FiniteFieldSort(7)),
    ]
    single = [P.Bool("a"), P.Int("a"), P.Real("a"), P.String("a"), P.BitVec("a", 4)]
    single += [P.Const("a", P.IntSort()), P.FP("a", P.Float32())]
    single += [P.FiniteFieldElem("a", P.FiniteFieldSort(7))]
    fresh = [P.FreshBool(), P.FreshInt(), P.FreshReal(), P.FreshConst(P.IntSort())]
    vectors = [P.BoolVector("v", 3), P.IntVector("v", 3), P.RealVector("v", 3)]
    return [
        ("the names", [[str(one) for one in names] for names in made], [["a", "b"]] * len(made)),
        (
            "one constant",
            [one.eq(names[0]) for one, names in zip(single, made, strict=True)],
            [True] * 8,
        ),
        ("fresh constants", len({str(one) for one in fresh}), 4),
        ("vectors", [len(vector) for vector in vectors], [3, 3, 3]),
        ("a fresh function", P.FreshFunction(P.IntSort(), P.BoolSort()).arity(), 1),
        ("an array", P.Array("m", P.IntSort(), P.BoolSort()).domain().eq(P.IntSort()), True),
        ("a set", P.Set("s", P.IntSort()).sort().domain().eq(P.IntSort()), True),
        (
            "subsort",
            (P.IntSort().subsort(P.RealSort()), P.RealSort().subsort(P.IntSort())),
            (True, False),
        ),
        (
            "formats",
            [(s.ebits(), s.sbits()) for s in (P.FloatHalf(), P.FloatDouble(), P.Float128())],
            _FORMATS,
        ),
    ]


_FORMATS = [(5, 11), (11, 53), (15, 113)]


def made_values() -> list[tuple[str, Any, Any]]:
    """Rounding modes and floats by their names, values that are cast to a sort, and sums of sorts."""
    single, x = P.Float32(), P.Int("murxpy-x")
    modes = [
        (P.RoundNearestTiesToEven(), P.RNE()),
        (P.RoundNearestTiesToAway(), P.RNA()),
        (P.RoundTowardPositive(), P.RTP()),
        (P.RoundTowardNegative(), P.RTN()),
        (P.RoundTowardZero(), P.RTZ()),
    ]
    zero, infinity = P.fpZero(single, True), P.fpInfinity(single, False)
    sums = P.DisjointSum("murxpy-sum", [P.IntSort(), P.BoolSort()])
    total = x + 2
    return [
        ("the rounding modes", [one.eq(other) for one, other in modes], [True] * 5),
        ("a negative zero", (zero.isZero(), zero.isNegative()), (True, True)),
        ("an infinity", (infinity.isInf(), infinity.isPositive()), (True, True)),
        ("fpNEQ", str(P.simplify(P.fpNEQ(zero, infinity))), "True"),
        ("a sum of sorts", (sums[0].num_constructors(), len(sums[1])), (2, 2)),
        ("num_args and arg", (total.num_args(), total.arg(0).eq(x)), (2, True)),
        ("cast of 7", P.IntSort().cast(7).as_long(), 7),
        ("cast to bits", P.BitVecSort(4).cast(7).as_long(), 7),
        ("cast to a Boolean", P.is_true(P.BoolSort().cast(True)), True),
        ("cast to a text", P.is_string_value(P.StringSort().cast("a")), True),
        ("elem_sort", P.SeqSort(P.IntSort()).elem_sort().eq(P.IntSort()), True),
        *_calculated(),
    ]


def _calculated() -> list[tuple[str, Any, Any]]:
    """Functions that stand for operators, and terms without constants that are evaluated."""
    x, y, r = P.Int("murxpy-x"), P.Bool("murxpy-y"), P.Real("murxpy-r")
    three, five = P.FiniteFieldVal(3, 7), P.FiniteFieldVal(5, 7)
    f, g = P.FPs("murxpy-f murxpy-g", P.Float32())
    listed = P.Sexpr(y, x)
    return [
        ("UMinus", P.UMinus(x).eq(-x), True),
        ("Sqrt", P.Sqrt(r).eq(r ** P.Q(1, 2)), True),
        ("Cbrt", P.Cbrt(r).eq(r ** P.Q(1, 3)), True),
        ("FFSub", P.simplify(P.FFSub(three, five)).as_long() % 7, 5),
        ("Sexpr", (listed.num_args(), listed.arg(1).eq(x)), (2, True)),
        ("Model", P.Model().evaluate(P.BitVecVal(1, 8) + 2).as_long(), 3),
        ("EmptyModel", P.EmptyModel().evaluate(P.IntVal(1) + 2).as_long(), 3),
        ("the sort of a float", P.FPVal(2.5).sort().eq(P.get_default_fp_sort()), True),
        ("the rounding", (f + g).arg(0).eq(P.get_default_rounding_mode()), True),
    ]


def asked_solver() -> list[tuple[str, Any, Any]]:
    """A solver, its assertions, scopes and models."""
    x, p = P.Int("murxpy-x"), P.Bool("murxpy-p")
    found: list[tuple[str, Any, Any]] = []
    for solver in (P.SimpleSolver(), P.SolverFor("QF_LIA")):
        solver.assert_exprs(x > 3)
        solver.insert(x < 5)
        answer = str(solver.check())
        model = solver.model()
        found += [
            ("the assertions", len(solver.assertions()), 2),
            ("the answer", answer, "sat"),
            ("eval", (model.eval(x).as_long(), model.evaluate(x + 1).as_long()), (4, 5)),
            ("decls", [str(one) for one in model.decls()], ["murxpy-x"]),
        ]
        scopes = solver.num_scopes()
        solver.push()
        found.append(("num_scopes", solver.num_scopes(), scopes + 1))
    return [
        *found,
        ("is_tautology", (P.is_tautology(P.Or(p, P.Not(p))), P.is_tautology(p)), (True, False)),
        ("is_sat", (P.is_sat(p), P.is_sat(P.And(p, P.Not(p)))), (True, False)),
        ("mk_not", P.mk_not(P.Not(p)).eq(p), True),
        *_explained(),
    ]


def _explained() -> list[tuple[str, Any, Any]]:
    """What a solver tells of an answer: an unsat core, its statistics, and the answer by its name."""
    p, q, solver = P.Bool("murxpy-p"), P.Bool("murxpy-q"), P.SolverFor("QF_UF")
    solver.set("produce-unsat-cores", "true")
    solver.add(P.Not(p))
    answer, core = solver.check(p, q), solver.unsat_core()
    told = solver.statistics()
    solver.initFromLogic()
    return [
        ("CheckSatResultLiteral", answer == P.CheckSatResultLiteral("unsat"), True),
        ("unsat_core", sorted(map(str, core)), ["Not(murxpy-p)", "murxpy-p"]),
        ("statistics", set(told.get()) <= set(told.get(True, True)), True),
        ("initFromLogic", solver.solver.getLogic(), "QF_UF"),
        ("the constraints after initFromLogic", solver.solver.getAssertions(), []),
    ]


def unknown() -> list[tuple[str, Any, Any]]:
    """ "Return a string describing why the last `check()` returned `unknown`"."""
    a, b, c = P.Ints("murxpy-a murxpy-b murxpy-c")
    solver = P.Solver()
    solver.set("reproducible-resource-limit", 1)
    solver.add(a * a * a + b * b * b == c * c * c, a > 1, b > 1, c > 1)
    if solver.check() != P.unknown:
        return []
    reason = solver.reason_unknown()
    return [] if isinstance(reason, str) else [("reason_unknown", repr(reason), "a text")]


def literals() -> list[tuple[str, Any, Any]]:
    """ "Return `True` if `a` is SMT constant/variable expression", which includes "literal" values."""
    made = {
        "an integer": P.IntVal(1),
        "a constant": P.Int("murxpy-x"),
        "a string": P.StringVal("a"),
        "a field element": P.FiniteFieldVal(3, 7),
        "a rounding mode": P.RNE(),
    }
    return [(f"is_const of {name}", P.is_const(one), True) for name, one in made.items()] + [
        ("is_const of a sum", P.is_const(P.Int("murxpy-x") + 1), False)
    ]


def decimals() -> list[tuple[str, Any, Any]]:
    """ "in decimal notation using at most `prec` decimal places", which keeps the places before the
    point.
    """
    with decimal.localcontext():  # `as_decimal` sets the precision of the process
        return [
            ("as_decimal(3) of 1/5", P.Q(1, 5).as_decimal(3), "0.2"),
            ("as_decimal(3) of 12345", P.RealVal(12345).as_decimal(3), "12345"),
        ]


def reset() -> list[tuple[str, Any, Any]]:
    """A solver that is fully reset has none of its constraints, and lists none."""
    x, solver = P.Int("murxpy-x"), P.Solver()
    solver.assert_exprs(x > 3, x < 3)
    solver.reset()
    return [
        ("check after reset", str(solver.check()), "sat"),
        ("the number of assertions after reset", len(solver.assertions()), 0),
    ]


def declared() -> list[tuple[str, Any, Any]]:
    """Datatypes that are declared, with what their constructors, selectors and recognizers tell."""
    lists = P.Datatype("murxpy-L")
    lists.declare("cons", ("head", P.IntSort()), ("tail", lists))
    lists.declare("nil")
    made = lists.create()
    cons, is_cons, head = made.constructor(0), made.recognizer(0), made.accessor(0, 0)
    pair, make, _ = P.TupleSort("murxpy-pair", [P.IntSort(), P.BoolSort()])
    return [
        ("num_constructors", made.num_constructors(), 2),
        ("a constructor", (cons.arity(), cons.domain(0).eq(P.IntSort())), (2, True)),
        ("a recognizer", (is_cons.arity(), is_cons.domain(0).eq(made)), (1, True)),
        ("a selector", (head.arity(), head.domain(0).eq(made)), (1, True)),
        ("a tuple", make.range().eq(pair), True),
        *_mutual(),
        *_functions(),
    ]


def _mutual() -> list[tuple[str, Any, Any]]:
    """Datatypes that name each other, and one that names itself by its sort."""
    trees, forests = P.Datatype("murxpy-T"), P.Datatype("murxpy-F")
    trees.declare("leaf", ("value", P.IntSort()))
    trees.declare("node", ("forest", forests))
    forests.declare("empty")
    forests.declare_core("grow", "is-grow", ("first", trees), ("rest", forests))
    tree, forest = P.CreateDatatypes(trees, forests)
    chain = P.Datatype("murxpy-N")
    chain.declare("last")
    chain.declare("next", ("after", P.DatatypeSort("murxpy-N")))
    made = chain.create()
    return [
        ("CreateDatatypes", (tree.num_constructors(), forest.num_constructors()), (2, 2)),
        ("a selector of another datatype", forest.accessor(1, 0).range().eq(tree), True),
        ("a selected value", P.simplify(tree.value(tree.leaf(10))).as_long(), 10),
        ("DatatypeSort", made.accessor(1, 0).range().eq(made), True),
    ]


def _functions() -> list[tuple[str, Any, Any]]:
    """Functions, their sorts and applications, and the names that a context gives."""
    function = P.Function("murxpy-f", P.IntSort(), P.RealSort(), P.BoolSort())
    sorts = [function.sort().domain_n(at) for at in range(2)]
    applied, ctx = function(P.Int("murxpy-x"), P.Real("murxpy-r")), P.main_ctx()
    taken = {ctx.next_fresh("murxpy-k"), ctx.next_fresh("murxpy-k")}
    return [
        ("domain_n", [one.eq(P.IntSort()) for one in sorts], [True, False]),
        ("is_func_sort", P.is_func_sort(function.sort()), True),
        ("decl", applied.decl().eq(function), True),
        ("next_fresh", len(taken), 2),
        ("get_var", ctx.get_var("murxpy-x", P.IntSort()), P.Int("murxpy-x").as_ast()),
    ]
