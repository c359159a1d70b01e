"""Laws of terms, asked of terms that runs made: what is taken apart is put together again, predicates
agree with the kind of a term, getters of literals with its bits, and what is printed is read back.
Each function gives None, or a str that says which promise is broken. The file imports only z3 and the
standard library.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import z3
from z3_actions import constants
from z3_reread import reread
from z3_values import read_value

_TERM_LIMIT = 20000  # the resource limit of a check
_OTHER = "gives another term instead of the one that was taken apart"
_BACK = "there and back gives another term instead of the first one"


def apart(term: Any) -> str | None:
    """Take a term apart and put it together again: `decl` is "the Z3 function declaration associated
    with a Z3 application", and `update` gives "a new expression with the same function declaration and
    updated arguments".
    """
    if z3.is_quantifier(term):
        return _binder(term)
    if not z3.is_app(term):
        return None
    parts, declaration = term.children(), term.decl()
    if len(parts) != term.num_args() or any(
        not part.eq(term.arg(at)) for at, part in enumerate(parts)
    ):
        return "children gives other terms instead of those of arg"
    if hasattr(term, "update") and parts and not term.update(*parts).eq(term):
        return f"update {_OTHER}"
    if not declaration.range().eq(term.sort()) or len(declaration.params()) > 10**6:
        return "range of a declaration gives another sort instead of that of its term"
    fits = declaration.arity() == len(parts) and all(
        declaration.domain(at).eq(part.sort()) for at, part in enumerate(parts)
    )
    if not fits or not parts:
        return None
    again = declaration(*parts)
    if not again.eq(term):
        return f"decl {_OTHER}"
    same = hash(again) == hash(term) and again.get_id() == term.get_id()
    return None if same else "hash or get_id of equal terms gives two numbers instead of one"


def _binder(term: Any) -> str | None:
    """Put constants in the place of the variables of a binder, and bind them again."""
    kinds = [term.is_forall(), term.is_exists(), term.is_lambda()].count(True)
    if kinds != 1:
        return f"a binder asked for its kind gives {kinds} instead of one"
    if len(term.children()) != 1 or not term.children()[0].eq(term.body()):
        return "children gives other terms instead of the body of a binder"
    fresh = [z3.FreshConst(term.var_sort(at)) for at in range(term.num_vars())]
    if any(not str(term.var_name(at)) for at in range(term.num_vars())):
        return "var_name gives an empty text instead of a name"
    put = fresh[::-1]
    body = z3.substitute_vars(term.body(), *put)
    if term.is_lambda():
        again = z3.Lambda(fresh, body)
    else:
        patterns = [term.pattern(at) for at in range(term.num_patterns())]
        others = [term.no_pattern(at) for at in range(term.num_no_patterns())]
        if not all(z3.is_pattern(one) for one in patterns) or len(others) > 64:
            return "pattern gives another term instead of a pattern"
        make = z3.ForAll if term.is_forall() else z3.Exists
        again = make(fresh, body, weight=term.weight())
        for name, found, wanted in (
            ("weight", again.weight(), term.weight()),
            ("is_forall", again.is_forall(), term.is_forall()),
        ):
            if found != wanted:
                return f"a quantifier made anew: {name} gives {found} instead of {wanted}"
    return None if _alike(again.body(), term.body()) else f"a binder made anew {_OTHER}"


def _alike(one: Any, other: Any) -> bool:
    """Whether two terms are one, or what z3 simplifies both to is: a substitution drops a case of a condition that
    is a literal, and no text promises that it does not.
    """
    return bool(one.eq(other) or z3.simplify(one).eq(z3.simplify(other)))


# ----------------------------------------------------------------------
# Predicates. z3 documents each as "Return True if a is an expression of the form b + c", or the like.


def asked(term: Any) -> str | None:
    """Ask what a term is: each predicate must agree with the kind of its declaration, or of its sort."""
    for name, found, expected in [*_forms(term), *_sorts(term), *_literals(term)]:
        if bool(found) != expected:
            return f"{name} gives {bool(found)} instead of {expected}"
    return None


def _kind(term: Any) -> int:
    return int(term.decl().kind()) if z3.is_app(term) else -1


def _forms(term: Any) -> list[tuple[str, Any, bool]]:
    kind = _kind(term)
    return [
        (name, found, kind == expected)
        for name, found, expected in (
            ("is_add", z3.is_add(term), z3.Z3_OP_ADD),
            ("is_mul", z3.is_mul(term), z3.Z3_OP_MUL),
            ("is_sub", z3.is_sub(term), z3.Z3_OP_SUB),
            ("is_div", z3.is_div(term), z3.Z3_OP_DIV),
            ("is_idiv", z3.is_idiv(term), z3.Z3_OP_IDIV),
            ("is_mod", z3.is_mod(term), z3.Z3_OP_MOD),
            ("is_le", z3.is_le(term), z3.Z3_OP_LE),
            ("is_lt", z3.is_lt(term), z3.Z3_OP_LT),
            ("is_ge", z3.is_ge(term), z3.Z3_OP_GE),
            ("is_gt", z3.is_gt(term), z3.Z3_OP_GT),
            ("is_is_int", z3.is_is_int(term), z3.Z3_OP_IS_INT),
            ("is_to_real", z3.is_to_real(term), z3.Z3_OP_TO_REAL),
            ("is_to_int", z3.is_to_int(term), z3.Z3_OP_TO_INT),
            ("is_true", z3.is_true(term), z3.Z3_OP_TRUE),
            ("is_false", z3.is_false(term), z3.Z3_OP_FALSE),
            ("is_and", z3.is_and(term), z3.Z3_OP_AND),
            ("is_or", z3.is_or(term), z3.Z3_OP_OR),
            ("is_implies", z3.is_implies(term), z3.Z3_OP_IMPLIES),
            ("is_not", z3.is_not(term), z3.Z3_OP_NOT),
            ("is_eq", z3.is_eq(term), z3.Z3_OP_EQ),
            ("is_distinct", z3.is_distinct(term), z3.Z3_OP_DISTINCT),
            ("is_select", z3.is_select(term), z3.Z3_OP_SELECT),
            ("is_store", z3.is_store(term), z3.Z3_OP_STORE),
            ("is_K", z3.is_K(term), z3.Z3_OP_CONST_ARRAY),
            ("is_const_array", z3.is_const_array(term), z3.Z3_OP_CONST_ARRAY),
            ("is_map", z3.is_map(term), z3.Z3_OP_ARRAY_MAP),
            ("is_default", z3.is_default(term), z3.Z3_OP_ARRAY_DEFAULT),
            ("is_as_array", z3.is_as_array(term), z3.Z3_OP_AS_ARRAY),
        )
    ]


def _sorts(term: Any) -> list[tuple[str, Any, bool]]:
    sort = term.sort()
    kind = sort.kind()
    number = kind in (z3.Z3_INT_SORT, z3.Z3_REAL_SORT)
    return [
        ("is_sort", z3.is_sort(sort), True),
        ("is_ast", z3.is_ast(term), True),
        ("is_expr", z3.is_expr(term), True),
        ("is_func_decl", z3.is_func_decl(term), False),
        ("is_probe", z3.is_probe(term), False),
        ("is_bool", z3.is_bool(term), kind == z3.Z3_BOOL_SORT),
        ("is_arith", z3.is_arith(term), number),
        ("is_int", z3.is_int(term), kind == z3.Z3_INT_SORT),
        ("is_real", z3.is_real(term), kind == z3.Z3_REAL_SORT),
        ("is_arith_sort", z3.is_arith_sort(sort), number),
        ("is_bv", z3.is_bv(term), kind == z3.Z3_BV_SORT),
        ("is_bv_sort", z3.is_bv_sort(sort), kind == z3.Z3_BV_SORT),
        ("is_fp", z3.is_fp(term), kind == z3.Z3_FLOATING_POINT_SORT),
        ("is_fp_sort", z3.is_fp_sort(sort), kind == z3.Z3_FLOATING_POINT_SORT),
        ("is_fprm", z3.is_fprm(term), kind == z3.Z3_ROUNDING_MODE_SORT),
        ("is_fprm_sort", z3.is_fprm_sort(sort), kind == z3.Z3_ROUNDING_MODE_SORT),
        ("is_seq", z3.is_seq(term), kind == z3.Z3_SEQ_SORT),
        ("is_re", z3.is_re(term), kind == z3.Z3_RE_SORT),
        ("is_finite_domain", z3.is_finite_domain(term), kind == z3.Z3_FINITE_DOMAIN_SORT),
        ("is_finite_domain_sort", z3.is_finite_domain_sort(sort), kind == z3.Z3_FINITE_DOMAIN_SORT),
    ]


_FLOATS = ("NUM", "PLUS_INF", "MINUS_INF", "NAN", "PLUS_ZERO", "MINUS_ZERO")


def _literals(term: Any) -> list[tuple[str, Any, bool]]:
    kind, sort = _kind(term), term.sort().kind()
    number = kind == z3.Z3_OP_ANUM
    floats = [getattr(z3, f"Z3_OP_FPA_{name}") for name in _FLOATS]
    return [
        ("is_int_value", z3.is_int_value(term), number and sort == z3.Z3_INT_SORT),
        ("is_rational_value", z3.is_rational_value(term), number and sort == z3.Z3_REAL_SORT),
        ("is_algebraic_value", z3.is_algebraic_value(term), kind == z3.Z3_OP_AGNUM),
        ("is_bv_value", z3.is_bv_value(term), kind == z3.Z3_OP_BNUM),
        ("is_fp_value", z3.is_fp_value(term), kind in floats),
        ("is_finite_domain_value", z3.is_finite_domain_value(term), kind == z3.Z3_OP_FD_CONSTANT),
    ]


# ----------------------------------------------------------------------
# Literals.


def literal(term: Any) -> str | None:
    """Read a literal in all ways; other terms have nothing to read. The Python values of strings and
    floating-point numbers are read in contract mode only, because z3py gives others for most of them.
    """
    if read_value(term) is None or isinstance(term, z3.SeqRef):
        return None
    if isinstance(term, z3.FPNumRef):
        return _float(term)
    wrong = _rational(term) if isinstance(term, z3.RatNumRef) else None
    return wrong or reread(term)


def _rational(term: Any) -> str | None:
    above, below = term.numerator_as_long(), term.denominator_as_long()
    for name, found, wanted in (
        ("numerator", term.numerator().as_long(), above),
        ("denominator", term.denominator().as_long(), below),
        ("is_int_value", term.is_int_value(), below == 1),
        ("is_real", term.is_real(), True),
        ("is_int", term.is_int(), False),
    ):
        if found != wanted:
            return f"{name} gives {found} instead of {wanted}"
    digits, _, rest = term.as_decimal(6).rstrip("?").partition(".")
    whole = abs(above) // below
    if int(digits.lstrip("-") or 0) != whole or len(rest) > 6:
        return f"as_decimal(6) gives {term.as_decimal(6)} instead of the whole part of the literal"
    return None


def _float(term: Any) -> str | None:
    """The class and the fields of a floating-point literal, "without the hidden bit or normalization"."""
    _, ebits, sbits, bits = read_value(term) or ("fp", 0, 0, None)
    if bits is None:
        wrong = "isInf gives True instead of False" if term.isInf() else None
        return wrong if term.isNaN() else "isNaN gives False instead of True"
    fraction = bits & ((1 << (sbits - 1)) - 1)
    exponent = (bits >> (sbits - 1)) & ((1 << ebits) - 1)
    negative, top = bool(bits >> (ebits + sbits - 1)), (1 << ebits) - 1
    expected = {
        "isNaN": (term.isNaN(), False),
        "isInf": (term.isInf(), exponent == top),
        "isZero": (term.isZero(), exponent == 0 and fraction == 0),
        "isSubnormal": (term.isSubnormal(), exponent == 0 and fraction != 0),
        "isNormal": (term.isNormal(), 0 < exponent < top),
        "isNegative": (term.isNegative(), negative),
        "isPositive": (term.isPositive(), not negative),
        "sign": (term.sign(), negative),
        "sign_as_bv": (term.sign_as_bv().as_long(), int(negative)),
    }
    if 0 < exponent < top:
        bias = (1 << (ebits - 1)) - 1
        expected["exponent_as_bv"] = (term.exponent_as_bv().as_long(), exponent)
        expected["significand_as_bv"] = (term.significand_as_bv().as_long(), fraction)
        if ebits < 60 and sbits <= 60:
            expected["exponent_as_long"] = (term.exponent_as_long(), exponent)
            expected["unbiased"] = (term.exponent_as_long(biased=False), exponent - bias)
            expected["exponent"] = (int(term.exponent(biased=False)), exponent - bias)
            expected["significand_as_long"] = (term.significand_as_long(), fraction)
    for name, (found, wanted) in expected.items():
        if found != wanted:
            return f"{name} gives {found} instead of {wanted}"
    return None


# ----------------------------------------------------------------------
# Vectors, maps, substitutions.


def collected(term: Any) -> str | None:
    """Put a term and its arguments into a vector and a map, and find them there."""
    parts = [term, *term.children()[:3]]
    vector, table = z3.AstVector(ctx=term.ctx), z3.AstMap(ctx=term.ctx)
    for part in parts:
        vector.push(part)
        table[part] = term
    if len(vector) != len(parts) or any(
        not vector[at].eq(part) or part not in vector for at, part in enumerate(parts)
    ):
        return "AstVector gives other terms instead of its own"
    vector.resize(len(parts) + 1)
    vector[len(parts)] = term
    if not vector[len(parts)].eq(term) or not next(iter(vector)).eq(term) or not vector.sexpr():
        return "AstVector gives other terms after resize instead of its own"
    found = {part.get_id() for part in parts}
    keys = table.keys()
    if len(table) != len(found) or {key.get_id() for key in keys} != found:
        return "AstMap gives other keys instead of its own"
    if any(part not in table or not table[part].eq(term) for part in parts) or not repr(table):
        return "AstMap gives other values instead of its own"
    table.erase(term)
    if term in table or len(table) != len(found) - 1:
        return "AstMap gives a term after erase instead of none"
    table.reset()
    return f"AstMap after reset gives {len(table)} keys instead of none" if len(table) else None


def replaced(term: Any) -> str | None:
    """Replace a constant or function by a fresh one, and back. "Every occurrence ... of the function
    from is replaced with the expression to".
    """
    for one in constants([term], 60)[:2]:
        fresh = z3.FreshConst(one.sort())
        there = z3.substitute(term, (one, fresh))
        if not _alike(z3.substitute(there, (fresh, one)), term):
            return f"substitute {_BACK}"
        if any(found.eq(one) for found in constants([there], 400)):
            return "substitute gives a term with the replaced constant instead of one without"
    function = _function(term)
    if function is None or not hasattr(z3, "substitute_funs"):
        return None
    domain = [function.domain(at) for at in range(function.arity())]
    fresh = z3.FreshFunction(*domain, function.range())
    # the first argument is variable 0
    variables = [z3.Var(at, sort) for at, sort in enumerate(domain)]
    there = z3.substitute_funs(term, (function, fresh(*variables)))
    back = z3.substitute_funs(there, (fresh, function(*variables)))
    return None if _alike(back, term) else f"substitute_funs {_BACK}"


def _function(term: Any) -> Any:
    """The first uninterpreted function in a term, among a few nodes; None for none."""
    todo = [term]
    for _ in range(60):
        if not todo:
            return None
        one = todo.pop()
        if z3.is_app(one):
            if one.num_args() and one.decl().kind() == z3.Z3_OP_UNINTERPRETED:
                return one.decl()
            todo.extend(one.children())
    return None


# ----------------------------------------------------------------------
# Text.


def printed_again(term: Any) -> str | None:
    """What a solver prints of a formula about the term is read again: it must mean the same."""
    formula = term if z3.is_bool(term) else term == z3.FreshConst(term.sort(), "read")
    writer = z3.SimpleSolver(ctx=term.ctx)
    try:
        writer.add(formula)
        found = list(z3.parse_smt2_string(writer.to_smt2(), ctx=term.ctx))
    except z3.Z3Exception:
        return None
    again = found[0] if len(found) == 1 else z3.And([z3.BoolVal(True, term.ctx), *found])
    if again.eq(formula):
        return None
    return _told_apart(formula, again)


def _told_apart(one: Any, other: Any) -> str | None:
    """Whether a model makes one formula true and the other false, by z3's own evaluation."""
    solver = z3.SimpleSolver(ctx=one.ctx)
    solver.set("rlimit", _TERM_LIMIT)
    try:
        solver.add(z3.Xor(one, other))
        if solver.check() != z3.sat:
            return None
        model = solver.model()
        values = [z3.simplify(model.eval(part, model_completion=True)) for part in (one, other)]
    except z3.Z3Exception:
        return None
    told = [z3.is_true(value) or z3.is_false(value) for value in values]
    if all(told) and not values[0].eq(values[1]):
        return "a formula that is printed and read again gives another one instead of its equal"
    return None


# ----------------------------------------------------------------------
# Goals: probes by their descriptions, and the names of tactics, probes and simplifiers.


def probed(solver: Any) -> str | None:
    """The values of probes are what their descriptions say of the assertions as a goal, such as "number
    of assertions in the given goal".
    """
    goal = z3.Goal(ctx=solver.ctx)
    goal.add(solver.assertions())
    kept = [goal.get(at) for at in range(goal.size())]
    found = constants(kept, 4000)
    sorts = [one.sort().kind() for one in found]
    expected = {
        "size": len(kept),
        "num-bool-consts": sorts.count(z3.Z3_BOOL_SORT),
        "num-arith-consts": sorts.count(z3.Z3_INT_SORT) + sorts.count(z3.Z3_REAL_SORT),
        "num-bv-consts": sorts.count(z3.Z3_BV_SORT),
    }
    for name, wanted in expected.items() if _plain(kept) else ():
        value = z3.Probe(name, solver.ctx)(goal)
        if value != wanted:
            return f"the probe {name} gives {value} instead of {wanted}"
    if z3.Probe("size", solver.ctx)(goal) != len(goal) or goal.depth() < 0:
        return "the probe size gives another number instead of that of the formulas of the goal"
    for name, found, wanted in (
        ("inconsistent", goal.inconsistent(), any(z3.is_false(one) for one in kept)),
        ("precision", goal.precision(), z3.Z3_GOAL_PRECISE),
        ("prec", goal.prec(), z3.Z3_GOAL_PRECISE),
    ):
        if found != wanted:
            return f"{name} gives {found} instead of {wanted}"
    return None


def _plain(terms: Sequence[Any]) -> bool:
    """Whether terms have no binders, and few nodes."""
    seen: set[int] = set()
    todo = list(terms)
    while todo and len(seen) < 4000:
        term = todo.pop()
        if term.get_id() not in seen:
            seen.add(term.get_id())
            if not z3.is_app(term):
                return False
            todo.extend(term.children())
    return not todo


def listed(ctx: Any) -> str | None:
    """Tactics, probes and simplifiers by their names: each has a description."""
    found = [(name, z3.tactic_description(name, ctx)) for name in z3.tactics(ctx)]
    found += [(name, z3.probe_description(name, ctx)) for name in z3.probes(ctx)]
    for at in range(z3.num_simplifiers(ctx) if hasattr(z3, "num_simplifiers") else 0):
        name = z3.simplifier_name(at, ctx)
        found.append((name, z3.simplifier_description(name, ctx)))
    nameless = [name for name, text in found if not name or not text]
    return (
        f"'{nameless[0]}' gives nothing instead of a name and a description" if nameless else None
    )
