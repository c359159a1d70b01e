"""Laws of parts of cvc5 beside the check: syntax-guided synthesis, timeout cores, difficulties, learned literals and
the elements of finite models. Each function gives None, or a str that says which promise is broken, with a solver
of its own. The file imports only cvc5 and the standard library.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import cvc5
from cvc5 import Kind
from cvc5_helpers import _subterms
from cvc5_values import SKOLEM
from user_loops import looped

_LAW_LIMIT = "20000"  # the resource limit of each check
# The kinds of terms that only cvc5 gives a meaning to, such as those that stand for all instances of a variable.
_OWN = (SKOLEM, Kind.VARIABLE, Kind.INTERNAL_KIND)
_FEATURES = {"arrays-exp": "true", "fp-exp": "true", "sets-exp": "true", "strings-exp": "true"}
# A search ends by its size, or by the clock, because no resource limit ends it.
_SYNTHESIS = {"sygus": "true", "sygus-abort-size": "4", "tlimit-per": "200"}
_SYNTHESIS_NODES = 30
_SYNTHESIS_SYMBOLS = 4


def _own_solver(ctx: Any, options: dict[str, str], formulas: Sequence[Any] = ()) -> Any:
    solver = cvc5.Solver(ctx)
    for name, value in {"reproducible-resource-limit": _LAW_LIMIT, **options}.items():
        solver.setOption(name, value)
    for formula in formulas:
        solver.assertFormula(formula)
    return solver


def _has_model(ctx: Any, formulas: Sequence[Any]) -> bool:
    """Whether a solver finds a model in which each formula is true by its own evaluation."""
    solver = _own_solver(ctx, {**_FEATURES, "produce-models": "true"}, formulas)
    if not solver.checkSat().isSat():
        return False
    return all(str(solver.getValue(formula)) == "true" for formula in formulas)


def _has_none(ctx: Any, formulas: Sequence[Any]) -> bool:
    return bool(_own_solver(ctx, _FEATURES, formulas).checkSat().isUnsat())


# ----------------------------------------------------------------------
# Syntax-guided synthesis.


def _symbols(terms: Sequence[Any]) -> list[Any] | None:
    """The constants in terms; None if the terms have parts for which no function is looked for."""
    inside = _subterms(*terms)
    if len(inside) > _SYNTHESIS_NODES or not all(map(_synthesizable, inside)):
        return None
    found = [one for one in inside if one.getKind() == Kind.CONSTANT]
    return found if 0 < len(found) <= _SYNTHESIS_SYMBOLS else None


def _synthesizable(term: Any) -> bool:
    sort = term.getSort()
    if not (sort.isBoolean() or sort.isInteger() or sort.isBitVector()):
        return False
    return term.getKind() not in _NOT_SYNTHESIZED


# Binders, functions, and operators with a point that has any value.
_NOT_SYNTHESIZED = (
    Kind.VARIABLE,
    Kind.FORALL,
    Kind.EXISTS,
    Kind.APPLY_UF,
    Kind.INTS_DIVISION,
    Kind.INTS_MODULUS,
    SKOLEM,
)


def synthesized(ctx: Any, how: str, first: Any, second: Any) -> str | None:
    """Look for a function by which formulas become true for all values of the other constants."""
    symbols = _symbols([first, second])
    if symbols is None:
        return None
    beside = _subterms(second)
    symbols.sort(key=lambda one: one in beside)  # a function of what an assumption speaks of
    try:
        if how == "invariant":
            return _invariant(ctx, symbols, first, second)
        return _function(ctx, how, symbols, first, second)
    except RuntimeError as error:
        if "Maximum term size" in str(error):
            return None
        raise


def _function(ctx: Any, how: str, symbols: list[Any], formula: Any, assumed: Any) -> str | None:
    """A function for the first constant, of all others."""
    options = _SYNTHESIS | ({"incremental": "true"} if how == "next" else {})
    solver, sort, others = _own_solver(ctx, options), symbols[0].getSort(), symbols[1:]
    universal = [
        solver.declareSygusVar(f"murxpy-x{at}", one.getSort()) for at, one in enumerate(others)
    ]
    bound = [ctx.mkVar(one.getSort(), f"murxpy-v{at}") for at, one in enumerate(others)]
    grammar = [_grammar(ctx, solver, bound, sort)] if how == "grammar" else []
    function = solver.synthFun("murxpy-f", bound, sort, *grammar)
    applied = ctx.mkTerm(Kind.APPLY_UF, function, *universal) if others else function
    constraint = formula.substitute(symbols, [applied, *universal])
    solver.addSygusConstraint(constraint)
    if not solver.getSygusConstraints():  # a conjunction is several constraints
        return "getSygusConstraints gives none instead of what was added"
    assumptions = []
    if how == "assume" and symbols[0] not in _subterms(assumed):
        assumptions = [assumed]
        solver.addSygusAssume(assumed.substitute(others, universal) if others else assumed)
        if not solver.getSygusAssumptions():
            return "getSygusAssumptions gives none instead of what was added"
    result = solver.checkSynth()
    answers = [result.hasSolution(), result.hasNoSolution(), result.isUnknown()]
    if sum(answers) != 1:
        return f"the answers of {result} are {sum(answers)} instead of one"
    if result.hasNoSolution() and _has_none(ctx, [*assumptions, formula.notTerm()]):
        return "checkSynth gives no solution instead of any function"
    for _ in range(2 if how == "next" else 1):
        if not result.hasSolution():
            return None
        found = solver.getSynthSolution(function)
        if solver.getSynthSolutions([function]) != [found]:
            return "getSynthSolutions gives another solution instead of that of getSynthSolution"
        body = _body(found, others)
        if grammar and not _in_grammar(body, sort):
            return f"getSynthSolution gives {found} instead of a function of its grammar"
        wrong = formula.substitute(symbols[0], body).notTerm()
        if _has_model(ctx, [*assumptions, wrong]):
            return f"getSynthSolution gives {found} instead of what makes the constraint true"
        result = solver.checkSynthNext() if how == "next" else result
    return None


def _grammar(ctx: Any, solver: Any, bound: list[Any], sort: Any) -> Any:
    """A grammar with any variable of the sort, any constant, and an operator."""
    start = ctx.mkVar(sort, "murxpy-start")
    grammar = solver.mkGrammar(bound, [start])
    if sort.isBoolean():
        grammar.addRules(start, [ctx.mkTrue(), ctx.mkTerm(Kind.NOT, start)])
    else:
        grammar.addAnyConstant(start)
    grammar.addRule(start, ctx.mkTerm(_operator(sort), start, start))
    if any(one.getSort() == sort for one in bound):
        grammar.addAnyVariable(start)
    return grammar


def _operator(sort: Any) -> Any:
    if sort.isBoolean():
        return Kind.AND
    return Kind.ADD if sort.isInteger() else Kind.BITVECTOR_ADD


def _in_grammar(body: Any, sort: Any) -> bool:
    """Whether a solution has no other parts than its grammar."""
    kinds = {_operator(sort), Kind.CONSTANT, Kind.VARIABLE, Kind.NOT} | {
        Kind.CONST_BOOLEAN,
        Kind.CONST_INTEGER,
        Kind.CONST_BITVECTOR,
    }
    return all(term.getKind() in kinds for term in _subterms(body))


def _body(function: Any, arguments: Sequence[Any]) -> Any:
    """A function with its variables replaced by arguments."""
    if function.getKind() != Kind.LAMBDA:
        return function
    return function[1].substitute(list(function[0]), list(arguments))


def _invariant(ctx: Any, symbols: list[Any], before: Any, after: Any) -> str | None:
    """A predicate that holds in the first states, is kept when constants of a sort take each other's
    values, and implies another formula.
    """
    solver = _own_solver(ctx, _SYNTHESIS)
    sorts, truth = [one.getSort() for one in symbols], ctx.getBooleanSort()
    here, there = (
        [ctx.mkVar(sort, f"murxpy-{name}{at}") for at, sort in enumerate(sorts)] for name in "vw"
    )
    turned = [_in_turn(one, symbols) for one in symbols]
    pairs = zip(there, turned, strict=True)
    moves = [ctx.mkTerm(Kind.EQUAL, one, other.substitute(symbols, here)) for one, other in pairs]
    move = moves[0] if len(moves) == 1 else ctx.mkTerm(Kind.AND, *moves)
    invariant = solver.synthFun("murxpy-inv", here, truth)
    first = solver.defineFun("murxpy-pre", here, truth, before.substitute(symbols, here))
    step = solver.defineFun("murxpy-trans", [*here, *there], truth, move)
    last = solver.defineFun("murxpy-post", here, truth, after.substitute(symbols, here))
    solver.addSygusInvConstraint(invariant, first, step, last)
    result = solver.checkSynth()
    if result.hasNoSolution() and _has_none(ctx, [before]):
        return "checkSynth gives no solution instead of an invariant of no first state"
    if not result.hasSolution():
        return None
    found = solver.getSynthSolution(invariant)
    now, then = _body(found, symbols), _body(found, turned)
    for formulas, rule in (
        ([before, now.notTerm()], "first states"),
        ([now, then.notTerm()], "steps"),
        ([now, after.notTerm()], "what follows from it"),
    ):
        if _has_model(ctx, formulas):
            return f"getSynthSolution gives {found} instead of what keeps the rule of {rule}"
    return None


def _in_turn(symbol: Any, symbols: Sequence[Any]) -> Any:
    alike = [one for one in symbols if one.getSort() == symbol.getSort()]
    return alike[(alike.index(symbol) + 1) % len(alike)]


# ----------------------------------------------------------------------
# What is told of a check.


def difficulties(found: Any, asserted: Sequence[Any]) -> str | None:
    """Judge a map "from (a subset of) the input assertions to a real value"."""
    for formula, value in found.items():
        if formula not in asserted:
            return f"getDifficulty gives {formula} instead of an assertion"
        if not (value.isIntegerValue() or value.isRealValue()):
            return f"getDifficulty gives {value} instead of a number"
        if value.getRealOrIntegerValueSign() < 0:
            return f"getDifficulty gives {value} instead of a number from 0"
    return None


def told(ctx: Any, solver: Any, law: Callable[[Any, list[Any]], str | None]) -> str | None:
    """Check the assertions of a solver in another one, and judge what it tells besides the answer."""
    return law(ctx, list(solver.getAssertions()))


def learned(ctx: Any, formulas: list[Any]) -> str | None:
    """Literals "that are entailed by the current set of assertions"."""
    solver = _own_solver(ctx, {**_FEATURES, "produce-learned-literals": "true"}, formulas)
    solver.checkSat()
    known = [one for one in _subterms(*formulas) if one.getKind() == Kind.CONSTANT]
    for kind in cvc5.LearnedLitType:
        for literal in solver.getLearnedLiterals(kind)[:4]:
            inside = _subterms(literal)
            if any(one.getKind() in _OWN for one in inside):
                continue
            if any(one.getKind() == Kind.CONSTANT and one not in known for one in inside):
                continue
            if _has_model(ctx, [*formulas, literal.notTerm()]):
                return f"getLearnedLiterals({kind.name}) gives {literal} instead of what follows"
    return None


def timeout_core(ctx: Any, formulas: list[Any]) -> str | None:
    """If the answer is unsat, the formulas are an unsat core of the assertions; if it is sat, there are
    none.
    """
    options = {**_FEATURES, "produce-unsat-cores": "true", "timeout-core-timeout": "50"}
    result, core = _own_solver(ctx, options, formulas).getTimeoutCore()
    return _judged_core(ctx, result, core, formulas, [])


def timeout_assumptions(ctx: Any, formulas: list[Any]) -> str | None:
    """The same of assumptions, beside what is asserted."""
    half = len(formulas) // 2
    asserted, assumed = formulas[:half], formulas[half:]
    if not assumed:
        return None
    options = {**_FEATURES, "produce-unsat-cores": "true", "timeout-core-timeout": "50"}
    solver = _own_solver(ctx, options, asserted)
    result, core = solver.getTimeoutCoreAssuming(*assumed)
    return _judged_core(ctx, result, core, assumed, asserted)


def _judged_core(
    ctx: Any, result: Any, core: list[Any], formulas: list[Any], beside: list[Any]
) -> str | None:
    if any(formula not in formulas for formula in core):
        return "a timeout core gives other formulas instead of asserted ones"
    if result.isSat() and core:
        return f"a timeout core after sat gives {len(core)} formulas instead of none"
    if result.isSat() and _has_none(ctx, [*beside, *formulas]):
        return "a timeout core answers sat instead of unsat"
    if result.isUnsat() and _has_model(ctx, [*beside, *core]):
        return "a timeout core answers unsat instead of sat"
    return None


def lemmas(ctx: Any, formulas: list[Any]) -> str | None:
    """The theory lemmas behind an answer unsat. Most have symbols of cvc5's own; where one has none, no
    model makes it false.
    """
    options = {**_FEATURES, "produce-unsat-cores": "true", "unsat-cores-mode": "sat-proof"}
    solver = _own_solver(ctx, options, formulas)
    if not solver.checkSat().isUnsat():
        return None
    for lemma in solver.getUnsatCoreLemmas()[:4]:
        if any(one.getKind() in _OWN for one in _subterms(lemma)):
            continue
        if _has_model(ctx, [lemma.notTerm()]):
            return f"getUnsatCoreLemmas gives {lemma} instead of a valid lemma"
    return None


def elements(ctx: Any, formulas: list[Any]) -> str | None:
    """The model "interprets s as the finite sort whose domain elements are given": each constant of the
    sort has one of them as its value, and they are distinct.
    """
    solver = _own_solver(ctx, {**_FEATURES, "produce-models": "true"}, formulas)
    if not solver.checkSat().isSat():
        return None
    for one in _subterms(*formulas):
        if one.getKind() != Kind.CONSTANT or not one.getSort().isUninterpretedSort():
            continue
        elements = solver.getModelDomainElements(one.getSort())
        if len(elements) != len(set(elements)):
            return "getModelDomainElements gives an element twice instead of once"
        if solver.getValue(one) not in elements:
            return f"getValue of {one} gives another value instead of an element of its sort"
    return None


class _Kept:
    """An incremental solver of cvc5 for a loop over models, scopes or cores."""

    def __init__(self, ctx: Any, formulas: Sequence[Any]) -> None:
        needed = {"incremental": "true", "produce-models": "true"}
        needed |= {"produce-unsat-assumptions": "true"}
        self.ctx, self.solver = ctx, _own_solver(ctx, {**_FEATURES, **needed}, formulas)
        self.add, self.push, self.pop = (
            self.solver.assertFormula,
            self.solver.push,
            self.solver.pop,
        )
        self.core = self.solver.getUnsatAssumptions

    def check(self, *names: Any) -> str:
        found = self.solver.checkSatAssuming(*names) if names else self.solver.checkSat()
        return "sat" if found.isSat() else "unsat" if found.isUnsat() else "unknown"

    def value(self, term: Any) -> bool | None:
        return {"true": True, "false": False}.get(str(self.solver.getValue(term)))

    def either(self, formulas: Sequence[Any]) -> Any:
        return self.ctx.mkTerm(Kind.OR, *formulas) if len(formulas) > 1 else formulas[0]

    def literal(self, term: Any, value: bool) -> Any:
        return term if value else term.notTerm()

    def name(self, at: int, term: Any) -> Any:
        made = self.ctx.mkConst(self.ctx.getBooleanSort(), f"murxpy-name{at}")
        self.add(self.ctx.mkTerm(Kind.IMPLIES, made, term))
        return made

    def constants(self, terms: Sequence[Any]) -> list[Any]:
        inside = [one for one in _subterms(*terms) if one.getKind() == Kind.CONSTANT]
        return [one for one in inside if one.getSort().isBoolean()]

    def put(self, term: Any, constants: Sequence[Any], by: Sequence[Any]) -> Any:
        terms = [self.ctx.mkBoolean(one) if isinstance(one, bool) else one for one in by]
        return term.substitute(list(constants), terms)

    def every(self, constants: Sequence[Any], formula: Any) -> Any:
        sort = self.ctx.getBooleanSort()
        bound = [self.ctx.mkVar(sort, f"murxpy-bound{at}") for at, _ in enumerate(constants)]
        variables = self.ctx.mkTerm(Kind.VARIABLE_LIST, *bound)
        return self.ctx.mkTerm(Kind.FORALL, variables, self.put(formula, constants, bound))

    def fresh(self, at: int) -> Any:
        return self.ctx.mkConst(self.ctx.getBooleanSort(), f"murxpy-fresh{at}")


def user_loop(ctx: Any, solver: Any, how: str, *terms: Any) -> str | None:
    """A loop over the values of terms, as programs make one, with what a solver asserts."""
    asserted = list(solver.getAssertions())
    return looped(how, lambda: _Kept(ctx, asserted), terms)
