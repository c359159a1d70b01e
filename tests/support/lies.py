"""For each law, a lie that breaks it: what lies of the binding, and how. A lie is the source of a function that gets the real
thing and its arguments. The first word of a row is the line of a trace that checks the law, and the others are its operands.
"""

from __future__ import annotations

from itertools import product

# A trace with more lines than a law needs, which then states one law.
START = """new
mk-sort SORT_BOOL
 return s1
mk-sort SORT_INT
 return s2
mk-sort SORT_BV 4
 return s3
mk-sort SORT_UNINTERPRETED "U"
 return s4
mk-const s1 "p"
 return t1 s1
mk-const s1 "q"
 return t2 s1
mk-const s2 "x"
 return t3 s2
mk-const s2 "y"
 return t4 s2
mk-const s3 "b"
 return t5 s3
mk-term OP_INT_LT SORT_BOOL 2 t3 t4
 return t6 s1
mk-term OP_INT_ADD SORT_INT 2 t3 t4
 return t7 s2
mk-term OP_OR SORT_BOOL 2 t1 t2
 return t8 s1
mk-term OP_NOT SORT_BOOL 1 t2
 return t9 s1
mk-value s2 "3"
 return t10 s2
mk-term OP_INT_LT SORT_BOOL 2 t10 t7
 return t11 s1
mk-const s3 "c"
 return t12 s3
mk-term OP_EQUAL SORT_BOOL 2 t5 t12
 return t13 s1
mk-term OP_NOT SORT_BOOL 1 t1
 return t14 s1
mk-term OP_INT_ADD SORT_INT 2 t10 t10
 return t15 s2
mk-const s4 "u"
 return t16 s4
mk-const s4 "v"
 return t17 s4
mk-term OP_DISTINCT SORT_BOOL 2 t16 t17
 return t18 s1
mk-term OP_OR SORT_BOOL 2 t1 t14
 return t19 s1
mk-term OP_NOT SORT_BOOL 1 t13
 return t20 s1
mk-term OP_DISTINCT SORT_BOOL 2 t3 t4
 return t21 s1
push 1
assert-formula t9
pop 1
assert-formula t8
assert-formula t18
"""
_LESS, _ALIKE = "assert-formula t6\n", "assert-formula t13\n"
_UNSAT = _LESS + "assert-formula t14\nassert-formula t9\n"


def _excluded() -> str:
    """Each combination of values of four constants is excluded, which a solver finds out by search."""
    rows, literals = list[str](), [("t1", "t14"), ("t2", "t9"), ("t30", "t31"), ("t32", "t33")]
    for at in (30, 32):
        rows.append(f'mk-const s1 "r{at}"\n return t{at} s1')
        rows.append(f"mk-term OP_NOT SORT_BOOL 1 t{at}\n return t{at + 1} s1")
    for at, clause in enumerate(product(*literals)):
        rows.append(f"mk-term OP_OR SORT_BOOL 4 {' '.join(clause)}\n return t{40 + at} s1")
        rows.append(f"assert-formula t{40 + at}")
    return "\n".join([*rows, ""])


# Laws whose traces need most of what is asserted.
SEARCHED = {"z3-propagator@pop", "cvc5-plugin@clause"}
# What a law needs to be asserted and checked; and the options that it needs.
_OPTIMAL = 'assert-formula t11\nminimize t7\nassert-soft t14 "2" "g"\ncheck-sat\n'
_ASSERTED = {
    "check-model": _LESS + "check-sat\n",
    "check-values": _LESS + "check-sat\n",
    "check-core": 'assert-tracked t6 "n1"\nassert-tracked t1 "n2"\nassert-tracked t14 "n3"\ncheck-sat\n',
    "check-assumptions": _LESS + "check-sat-assuming 3 t6 t1 t14\n",
    "check-optimum": _OPTIMAL,
    "check-box": _OPTIMAL,
    "check-pareto": _OPTIMAL,
    "check-proof": _UNSAT + "check-sat\n",
    "check-interpolant": "assert-formula t1\nassert-formula t14\ncheck-sat\n",
    "check-abduct": "assert-formula t11\ncheck-sat\n",
    "check-blocked": _LESS + "check-sat\n",
    "check-elimination": """mk-var s2 "i"
 return t30 s2
mk-term OP_INT_LT SORT_BOOL 2 t30 t3
 return t31 s1
mk-term OP_EXISTS SORT_BOOL 2 t30 t31
 return t32 s1
""",
    "z3-model": _LESS + _ALIKE + "check-sat\n",
    "z3-propagator@pop": _excluded(),
    "z3-propagator@diseq": "assert-formula t20\n",
    "cvc5-get-difficulty": _LESS + "check-sat\n",
    "cvc5-told@lemmas": _UNSAT,
    "cvc5-plugin@clause": _excluded(),
    "cvc5-plugin@lemma": "assert-formula t21\n",
    "cvc5-pythonic-model": _LESS + "check-sat\n",
    "cvc5-pythonic-proof": _UNSAT + "check-sat\n",
}
_OPTIONS = {
    "check-model": "produce-models",
    "check-values": "produce-models",
    "check-blocked": "produce-models",
    "check-core": "produce-unsat-cores",
    "check-assumptions": "produce-unsat-assumptions",
    "cvc5-get-difficulty": "produce-difficulty",
    "cvc5-pythonic-model": "produce-models",
    "cvc5-pythonic-proof": "produce-proofs",
}


def trace_of(law: str, solver: str) -> str:
    """A trace that states a law of `LAWS` behind lines that it mostly does not need."""
    name = law.split()[0]
    options = [_OPTIONS[name]] if name in _OPTIONS else []
    options += ["incremental"] if solver != "z3" else []
    rows = "".join(f"set-option {option} true\n" for option in options)
    first = "new@optimizer" if _ASSERTED.get(name) == _OPTIMAL else "new"
    made = START.replace("new\n", f"{first}\n{rows}", 1)
    return f"{made}{_ASSERTED.get(name, _LESS + _ALIKE)}{law}\n"


# Actions whose spellings state one law of many names.
SHARED = {"z3-tactic"}
# Laws that the releases here break themselves, so that no lie is needed; where it is given, it is broken in another way, too.
BROKEN = {
    "z3-part@functions-of-sets t11", "z3-part@python-sets t11", "z3-part@quotients t11", "z3-part@compared-texts t11",
    "z3-query@ground t6 t11 t8 t11", "z3-misfit@few", "z3-misfit@doubled", "z3-misfit@no-constant", "z3-misfit@value",
    "cvc5-pythonic@reset t11", "cvc5-pythonic@unknown t11", "cvc5-pythonic@literals t11", "cvc5-pythonic@decimals t11",
    "cvc5-misfit@fun-free", "cvc5-misfit@rec-free", "cvc5-misfit@recs-free", "cvc5-pythonic-part@reset", "cvc5-pythonic-part@unknown",
    "cvc5-pythonic-part@literals", "cvc5-pythonic-part@decimals", "cvc5-pythonic-part@arguments", "cvc5-pythonic-part@complements",
    "cvc5-pythonic-part@languages", "cvc5-pythonic-part@texts",
}  # fmt: skip
# What only calls, and promises nothing that it checks: an exception or a death of the solver is its finding.
CALLS = {
    "z3": {
        "z3-cube", "z3-units", "z3-trail", "z3-proof", "z3-copy@copy", "z3-copy@deepcopy", "z3-parse", "z3-hint",
        "z3-optimize@early", "z3-optimize@popped", "z3-fixedpoint@dropped", "z3-fixedpoint@again", "z3-fixedpoint@asserted",
        "z3-fixedpoint@datalog",
    },
    "cvc5": {
        "cvc5-print@str", "cvc5-print@repr", "cvc5-print@py-sexpr", "cvc5-accessors", "cvc5-sort-substitute", "cvc5-block-model@literals",
        "cvc5-block-model@values", "cvc5-block-model-values", "cvc5-get-model-domain-elements", "cvc5-is-model-core-symbol",
        "cvc5-get-interpolant@one", "cvc5-get-interpolant@next", "cvc5-get-abduct@one", "cvc5-get-abduct@next",
        "cvc5-get-learned-literals@input", "cvc5-get-learned-literals@all", "cvc5-get-quantifier-elimination@full",
        "cvc5-get-quantifier-elimination@disjunct", "cvc5-get-instantiations", "cvc5-get-proof@full", "cvc5-get-proof@full-alethe",
        "cvc5-get-proof@full-dot", "cvc5-get-proof@preprocess", "cvc5-get-proof@sat", "cvc5-get-proof@theory-lemmas",
    },
    "cvc5-pythonic": {
        "cvc5-pythonic-print@text", "cvc5-pythonic-print@sexpr", "cvc5-pythonic-print@solver", "cvc5-pythonic-print@script",
    },
}  # fmt: skip

_OPPOSITE = "lambda real, *a: z3.unsat if real(*a) == z3.sat else z3.sat"
_NOT = "lambda real, *a: not real(*a)"
_NEGATED = "lambda real, *a: z3.Not(real(*a))"
_FIRST = "lambda real, *a: a[0]"
_FEWER = "lambda real, *a: real(*a)[:-1]"
_NOTHING = "lambda real, *a: None"
_QUIET = "lambda real, *a: real(*a[:-1], _quiet(a[-1]))"  # an exception of a callback is lost
_QUIET_METHOD = "lambda real, made, *a: (real(made, *a), setattr(made, {0!r}, _quiet(made.{0})))[0]"
_FALSE = "lambda real, made, *a: made.add(z3.BoolVal(False, made.ctx))"
_WORSE = "lambda real, o, t: (o.add(t > 9), real(o, t))[1]"
_OTHER_SOFT = "lambda real, o, formula, *a: real(o, z3.Not(formula), *a)"
_STUCK = (
    "lambda real, ctx: (real(ctx), _put(z3.Solver, 'check', "
    "lambda check, s, *a: z3.unsat if s.ctx is ctx else check(s, *a)))[0]"
)
_SELF = "lambda real, s: (lambda t: (real(s), {t: t})[1])(s.getTermManager().mkTrue())"
_FALSE_QUANTIFIER = (
    "lambda real, m, kind, *a: m.mkFalse() if kind == cvc5.Kind.FORALL else real(m, kind, *a)"
)
_DEFINED = (
    "lambda real, made, name, variables, sort, body: (lambda m: m.mkConst(m.mkFunctionSort("
    "[m.getIntegerSort()] * {}, m.getIntegerSort()), name))(made.getTermManager())"
)
_ENDED = "lambda real, made, plugin: made.assertFormula(made.getTermManager().mkFalse())"
_QUIET_PLUGIN = "lambda real, made, p: (setattr(p, {0!r}, _quiet(p.{0}, {1!r})), real(made, p))[1]"

# The checks of what a solver promises with an answer.
_CHECKED_BY_Z3 = [
    (
        "check-model",
        "z3.Solver.model",
        "lambda real, s: (lambda o: (o.check(), real(o))[1])(z3.SimpleSolver(ctx=s.ctx))",
    ),
    (
        "check-values 2 t7 t6",
        "z3.ModelRef.eval",
        "lambda real, m, t, *a, **k: z3.Not(real(m, t, *a, **k)) if z3.is_bool(t) else real(m, t, *a, **k)",
    ),
    ("check-core", "z3.Solver.unsat_core", "lambda real, s: list(real(s))[1:]"),
    ("check-assumptions", "z3.Solver.unsat_core", "lambda real, s: list(real(s))[1:]"),
    (
        "check-simplify t11",
        "z3.simplify",
        "lambda real, t, *a, **k: z3.Not(t) if z3.is_bool(t) else real(t, *a, **k)",
    ),
    (
        "check-substitute t11 t3 t4",
        "z3.substitute",
        "lambda real, t, *a: z3.Not(t) if z3.is_bool(t) else real(t, *a)",
    ),
    ("check-optimum", "z3.Optimize.minimize", _WORSE),
    ("check-box", "z3.Optimize.minimize", _WORSE),
    ("check-pareto", "z3.Optimize.add_soft", _OTHER_SOFT),
    ("check-proof", "z3.Solver.proof", "lambda real, s: real(s).arg(0)"),
]
_CHECKED_BY_CVC5 = [
    (
        "check-model",
        "cvc5.Solver.getValue",
        "lambda real, s, t: s.getTermManager().mkInteger(0) if t.getSort().isInteger() else real(s, t)",
    ),
    (
        "check-values 2 t7 t6",
        "cvc5.Solver.getValue",
        "lambda real, s, t: real(s, t.notTerm() if t.getSort().isBoolean() else t)",
    ),
    ("check-core", "cvc5.Solver.getUnsatCore", "lambda real, s: real(s)[1:]"),
    ("check-assumptions", "cvc5.Solver.getUnsatAssumptions", "lambda real, s: real(s)[1:]"),
    (
        "check-simplify t11",
        "cvc5.Solver.simplify",
        "lambda real, s, t, *a: real(s, t.notTerm() if t.getSort().isBoolean() else t, *a)",
    ),
    (
        "check-substitute t11 t3 t4",
        "cvc5.Term.substitute",
        "lambda real, t, *a: real(t, *a).notTerm()",
    ),
    (
        "check-interpolant t14",
        "cvc5.Solver.getInterpolant",
        "lambda real, s, *a: s.getTermManager().mkFalse()",
    ),
    (
        "check-abduct t8",
        "cvc5.Solver.getAbduct",
        "lambda real, s, *a: s.getTermManager().mkFalse()",
    ),
    (
        "check-elimination t32",
        "cvc5.Solver.getQuantifierElimination",
        "lambda real, s, *a: real(s, *a).notTerm()",
    ),
    ("check-blocked 1 t3", "cvc5.Solver.blockModelValues", "lambda real, s, *a: None"),
    ("check-proof", "cvc5.Solver.getProof", "lambda real, s, *a: []"),
]

LAWS: dict[str, list[tuple[str, str, str]]] = {
    "z3": [
        *_CHECKED_BY_Z3,
        ("z3-consequences", "z3.Solver.consequences", "lambda real, s, *a: (z3.sat, [z3.BoolVal(False, s.ctx)])"),
        (
            "z3-translate",
            "z3.Solver.translate",
            "lambda real, s, ctx: _with(real(s, ctx), z3.BoolVal(not hasattr(s, 'there'), ctx))",
        ),
        ("z3-model", "z3.ModelRef.decls", _FEWER),
        ("z3-goal", "z3.Goal.as_expr", _FIRST),
        ("z3-tactic@simplify", "z3.Goal.get", _NEGATED),
        ("z3-term@apart t11", "z3.FuncDeclRef.__call__", "lambda real, *a: a[1]"),
        ("z3-term@asked t11", "z3.is_sub", _NOT),
        ("z3-term@literal t10", "z3.IntNumRef.as_long", "lambda real, a: real(a) + 1"),
        ("z3-term@collected t11", "z3.AstMap.keys", _FEWER),
        ("z3-term@replaced t11", "z3.substitute", _FIRST),
        ("z3-term@printed t11", "z3.parse_smt2_string", "lambda real, *a, **k: [z3.Not(one) for one in real(*a, **k)]"),
        ("z3-probe@values", "z3.Goal.inconsistent", _NOT),
        ("z3-probe@names", "z3.tactic_description", "lambda real, *a: ''"),
        ("z3-combined@then", "z3.Goal.get", _NEGATED),
        ("z3-combined@and-then", "z3.Goal.get", _NEGATED),
        ("z3-combined@or-else", "z3.Goal.get", _NEGATED),
        ("z3-combined@repeat", "z3.Goal.get", _NEGATED),
        ("z3-combined@with", "z3.Goal.get", _NEGATED),
        ("z3-combined@cond", "z3.Goal.get", _NEGATED),
        ("z3-combined@when", "z3.Goal.get", _NEGATED),
        ("z3-combined@fail-if", "z3.Goal.get", _NEGATED),
        ("z3-query@spacer t6 t11 t8 t11", "z3.Fixedpoint.query", "lambda real, *a: z3.unsat"),
        ("z3-query@relation t6 t11 t8 t11", "z3.Fixedpoint.query", "lambda real, *a: z3.unsat"),
        ("z3-query@bmc t6 t11 t8 t11", "z3.Fixedpoint.query", "lambda real, *a: z3.unsat"),
        ("z3-query@trace t6 t11 t8 t11", "z3.Fixedpoint.get_rules_along_trace", "lambda real, *a: []"),
        ("z3-query@ground t6 t11 t8 t11", "z3.Fixedpoint.get_ground_sat_answer", "lambda real, f: z3.BoolVal(False, f.ctx)"),
        ("z3-query@printed t6 t11 t8 t11", "z3.Fixedpoint.to_string", "lambda real, f, *a: f.sexpr()"),
        ("z3-query@covered t6 t11 t8 t11", "z3.Fixedpoint.query_from_lvl", "lambda real, *a: z3.unsat"),
        ("z3-datalog@edges t11", "z3.Fixedpoint.query", "lambda real, *a: z3.unsat"),
        ("z3-datalog@paths t11", "z3.Fixedpoint.query", "lambda real, *a: z3.unsat"),
        ("z3-datalog@bits t11", "z3.Fixedpoint.query", "lambda real, *a: z3.unsat"),
        ("z3-loop@models t6 t1", "z3.Not", _FIRST),
        ("z3-loop@scopes t6 t1 t2", "z3.Solver.pop", _FIRST),
        ("z3-loop@cores t8 t1", "z3.Implies", _NEGATED),
        ("z3-loop@optimum t6 t1 t2", "z3.Not", _FIRST),
        ("z3-loop@soft t8 t1", "z3.Implies", _NEGATED),
        ("z3-loop@instances t19 t1", "z3.ForAll", "lambda real, names, body: z3.BoolVal(False, body.ctx)"),
        ("z3-loop@steps t6 t1 t2", "z3.Or", _FIRST),
        ("z3-propagator-law@at-most t6 t1 t2", "z3.UserPropagateBase.conflict", _NOTHING),
        ("z3-propagator-law@propagated t6 t1 t2", "z3.UserPropagateBase.propagate", _NOTHING),
        ("z3-propagator-law@parity t6 t1 t2", "z3.UserPropagateBase.conflict", _NOTHING),
        ("z3-propagator-law@distinct t6 t1 t2", "z3.UserPropagateBase.conflict", _NOTHING),
        ("z3-propagator-law@decided t6 t1 t2", "z3.UserPropagateBase.conflict", _NOTHING),
        ("z3-propagator-law@created t8 t1 t2", "z3.PropagateFunction", "lambda real, *a: z3.Function(*a)"),
        ("z3-part@algebraic t11", "z3num.Numeral.__mul__", _FIRST),
        ("z3-part@real-closed t11", "z3rcf.RCFNum.__lt__", _NOT),
        ("z3-part@complex t11", "z3.is_complex", _NOT),
        ("z3-part@sets t11", "z3.FiniteSetUnion", _FIRST),
        ("z3-part@functions-of-sets t11", "z3.SetUnion", _FIRST),
        ("z3-part@quotients t11", "z3num.Numeral.__truediv__", _FIRST),
        ("z3-part@compared-texts t11", "z3.SeqRef.__add__", _FIRST),
        ("z3-part@python-sets t11", "z3.FiniteSetSortRef.cast", "lambda real, *a: None"),
        ("z3-part@characters t11", "z3.CharRef.is_digit", _NEGATED),
        ("z3-part@vectors t11", "z3.RealVarVector", _FEWER),
        ("z3-part@orders t11", "z3.TransitiveClosure", _FIRST),
        ("z3-part@datatypes t11", "z3.EnumSort", "lambda real, *a: (lambda s, v: (s, v[:1] * len(v)))(*real(*a))"),
        ("z3-part@sorts t11", "z3.is_array_sort", _NOT),
        ("z3-part@utilities t11", "z3util.myImplies", _FIRST),
        ("z3-part@parsers t11", "z3.ParserContext.from_string", "lambda real, *a: list(real(*a))[:-1]"),
        ("z3-part@puzzle t11", "z3.Distinct", _NEGATED),
        ("z3-search@told", "z3.ModelRef.project", _NEGATED),
        ("z3-prove@programs t3 t7", "z3.BitVecRef.__and__", _FIRST),
        ("z3-prove@overflow t3 t7", "z3.BitVecRef.__sub__", _FIRST),
        ("z3-prove@words t3 t7", "z3.Concat", "lambda real, *a: a[1]"),
        ("z3-prove@numbers t3 t7", "z3.ArithRef.__ge__", _NEGATED),
        ("z3-threads@told", "z3.Solver.check", "lambda real, *a: real(*a) if _alone() else z3.unsat"),
        ("z3-translate-term t11", "z3.AstRef.translate", _NEGATED),
        ("z3-on-clause@first", "z3.OnClause.__init__", _QUIET),
        ("z3-on-clause@later", "z3.OnClause.__init__", _QUIET),
        ("z3-propagator@push", "z3.UserPropagateBase.__init__", _QUIET_METHOD.format("push")),
        ("z3-propagator@pop", "z3.UserPropagateBase.__init__", _QUIET_METHOD.format("pop")),
        ("z3-propagator@fixed", "z3.UserPropagateBase.add_fixed", _QUIET),
        ("z3-propagator@final", "z3.UserPropagateBase.add_final", _QUIET),
        ("z3-propagator@eq", "z3.UserPropagateBase.add_eq", _QUIET),
        ("z3-propagator@diseq", "z3.UserPropagateBase.add_diseq", _QUIET),
        ("z3-propagator@created", "z3.UserPropagateBase.add_created", _QUIET),
        ("z3-on-model@first", "z3.Optimize.set_on_model", _QUIET),
        ("z3-on-model@later", "z3.Optimize.set_on_model", _QUIET),
        ("z3-optimize@kept", "z3.Optimize.check", _OPPOSITE),
        ("z3-optimize@dropped", "z3.Optimize.check", _OPPOSITE),
        ("z3-optimize@printed", "z3.Optimize.check", _OPPOSITE),
        *((f"z3-misfit@{how}", "z3.RecAddDefinition", _NOTHING)
          for how in ("few", "many", "doubled", "no-constant", "value", "other-sort", "other-result")),
        ("z3-read-back@sexpr", "z3.Solver.from_string", _FALSE),
        ("z3-read-back@smt2", "z3.Solver.from_string", _FALSE),
        ("z3-read-back@optimize", "z3.Optimize.from_string", _FALSE),
        ("z3-interrupt@thread", "z3.Context.interrupt", _STUCK),
    ],
    "cvc5": [
        *_CHECKED_BY_CVC5,
        ("cvc5-reparse t11", "cvc5.InputParser.nextTerm", "lambda real, p: cvc5.Term()"),
        ("cvc5-get-difficulty", "cvc5.Solver.getDifficulty", _SELF),
        ("cvc5-synthesis@plain t6 t11", "cvc5.SynthResult.isUnknown", _NOT),
        ("cvc5-synthesis@grammar t6 t11", "cvc5.Solver.getSygusConstraints", "lambda real, s: []"),
        ("cvc5-synthesis@next t6 t11", "cvc5.Solver.getSynthSolutions", "lambda real, *a: []"),
        ("cvc5-synthesis@assume t6 t11", "cvc5.Solver.getSynthSolutions", "lambda real, *a: []"),
        ("cvc5-synthesis@invariant t6 t11", "cvc5.Solver.addSygusInvConstraint", _FIRST),
        ("cvc5-told@learned", "cvc5.Solver.getLearnedLiterals", "lambda real, s, *a: [s.getTermManager().mkFalse()]"),
        ("cvc5-told@timeout-core", "cvc5.Result.isUnsat", _NOT),
        ("cvc5-told@timeout-assumptions", "cvc5.Result.isUnsat", _NOT),
        ("cvc5-told@lemmas", "cvc5.Solver.getUnsatCoreLemmas", "lambda real, s: [s.getTermManager().mkFalse()]"),
        ("cvc5-told@elements", "cvc5.Solver.getModelDomainElements", "lambda real, *a: []"),
        ("cvc5-loop@models t8 t1", "cvc5.Term.notTerm", _FIRST),
        ("cvc5-loop@scopes t6 t1 t2", "cvc5.Solver.pop", _NOTHING),
        ("cvc5-loop@cores t14 t1", "cvc5.Solver.getUnsatAssumptions", "lambda real, s: []"),
        ("cvc5-loop@optimum t6 t1 t2", "cvc5.Term.notTerm", _FIRST),
        ("cvc5-loop@soft t14 t1", "cvc5.Solver.checkSatAssuming", "lambda real, s, *a: s.checkSat()"),
        ("cvc5-loop@instances t19 t1", "cvc5.TermManager.mkTerm", _FALSE_QUANTIFIER),
        ("cvc5-loop@steps t14 t1", "cvc5.Solver.pop", _NOTHING),
        ("cvc5-prove@programs t3 t7", "cvc5.Term.notTerm", _FIRST),
        ("cvc5-prove@overflow t3 t7", "cvc5.Result.isSat", _NOT),
        ("cvc5-prove@words t3 t7", "cvc5.Term.notTerm", _FIRST),
        ("cvc5-prove@numbers t3 t7", "cvc5.Term.notTerm", _FIRST),
        ("cvc5-prove@puzzle t3 t7", "cvc5.Result.isSat", _NOT),
        ("cvc5-asked@sort t11", "cvc5.Sort.isFiniteField", _NOT),
        ("cvc5-asked@term t11", "cvc5.Term.isSkolem", _NOT),
        ("cvc5-asked@made-sorts t11", "cvc5.Sort.isPredicate", _NOT),
        ("cvc5-asked@made-terms t11", "cvc5.Sort.getNullableElementSort", _FIRST),
        ("cvc5-part@heap", "cvc5.Solver.getValueSepHeap", "lambda real, s: s.getTermManager().mkSepEmp()"),
        ("cvc5-part@nil", "cvc5.Solver.getValueSepNil", "lambda real, s: real(s).notTerm()"),
        ("cvc5-part@root", "cvc5.Term.getRealValue", "lambda real, t: real(t) + 9"),
        ("cvc5-part@names", "cvc5.SymbolManager.getDeclaredSorts", _FEWER),
        ("cvc5-part@members", "cvc5.RoundingMode.__class__.__getitem__", "lambda real, kind, name: None"),
        ("cvc5-part@enumerated", "cvc5.Solver.findSynthNext", "lambda real, s: cvc5.Term()"),
        ("cvc5-part@settings", "cvc5.Solver.getOption", "lambda real, s, name: 'false'"),
        ("cvc5-pythonic@expression t11", "P.is_xor", _NOT),
        ("cvc5-pythonic@constants t11", "P.Strings", _FEWER),
        ("cvc5-pythonic@values t11", "P.FFSub", _FIRST),
        ("cvc5-pythonic@solver t11", "P.ModelRef.decls", _FEWER),
        ("cvc5-pythonic@reset t11", "P.Solver.reset", _NOTHING),
        ("cvc5-pythonic@unknown t11", "P.Solver.reason_unknown", "lambda real, s: 3"),
        ("cvc5-pythonic@literals t11", "P.is_const", "lambda real, one: False"),
        ("cvc5-pythonic@decimals t11", "P.RatNumRef.as_decimal", "lambda real, one, prec: '0.1'"),
        ("cvc5-pythonic@datatypes t11", "P.ExprRef.decl", _FIRST),
        ("cvc5-plugin@check", "cvc5.Solver.addPlugin", _QUIET_PLUGIN.format("check", [])),
        ("cvc5-plugin@no-lemma", "cvc5.Solver.addPlugin", _ENDED),
        ("cvc5-plugin@no-list", "cvc5.Solver.addPlugin", _ENDED),
        ("cvc5-plugin@clause", "cvc5.Solver.addPlugin", _QUIET_PLUGIN.format("notifySatClause", None)),
        ("cvc5-plugin@lemma", "cvc5.Solver.addPlugin", _QUIET_PLUGIN.format("notifyTheoryLemma", None)),
        ("cvc5-plugin@name", "cvc5.Solver.addPlugin", _QUIET_PLUGIN.format("getName", "lie")),
        ("cvc5-plugin@no-name", "cvc5.Solver.addPlugin", _ENDED),
        *((f"cvc5-misfit@fun-{how}", "cvc5.Solver.defineFun", _DEFINED.format(count))
          for how, count in (("free", 1), ("doubled", 2), ("few", 2), ("constant", 1), ("other-sort", 1), ("other-result", 1))),
        *((f"cvc5-misfit@{kind}-{how}", f"cvc5.Solver.{call}", _NOTHING)
          for kind, call in (("rec", "defineFunRec"), ("recs", "defineFunsRec"))
          for how in ("free", "doubled", "few", "constant", "other-sort", "other-result")),
    ],
    "cvc5-pythonic": [
        ("cvc5-pythonic-prompt t6", "P.is_sat", _NOT),
        ("cvc5-pythonic-model", "P.ModelRef.vars", "lambda real, m: set()"),
        ("cvc5-pythonic-value t15", "P.evaluate", "lambda real, one: P.IntVal(1)"),
        ("cvc5-pythonic-apart t11", "P.ExprRef.arg", _FIRST),
        ("cvc5-pythonic-proof", "P.is_bool", _NOT),
        ("cvc5-pythonic-asked@law t11", "P.is_xor", _NOT),
        ("cvc5-pythonic-part@constants", "P.Strings", _FEWER),
        ("cvc5-pythonic-part@values", "P.FFSub", _FIRST),
        ("cvc5-pythonic-part@solver", "P.ModelRef.decls", _FEWER),
        ("cvc5-pythonic-part@datatypes", "P.ExprRef.decl", _FIRST),
        ("cvc5-pythonic-part@reset", "P.Solver.reset", _NOTHING),
        ("cvc5-pythonic-part@unknown", "P.Solver.reason_unknown", "lambda real, s: 3"),
        ("cvc5-pythonic-part@literals", "P.is_const", "lambda real, one: False"),
        ("cvc5-pythonic-part@decimals", "P.RatNumRef.as_decimal", "lambda real, one, prec: '0.1'"),
        ("cvc5-pythonic-part@arguments", "", ""),
        ("cvc5-pythonic-part@complements", "", ""),
        ("cvc5-pythonic-part@languages", "", ""),
        ("cvc5-pythonic-part@texts", "", ""),
    ],
}  # fmt: skip
