"""Reads the commands that declare and define symbols: SMT-LIB 2.7, section 4.2.3."""

from __future__ import annotations

from collections.abc import Sequence

from murxpy.errors import InputError
from murxpy.logic.sorts import Sort
from murxpy.logic.terms import FUNCTION, Term
from murxpy.smtlib.commands import (
    Command,
    DeclareFun,
    DeclareSort,
    DefineFun,
    DefineFunsRec,
    DefineSort,
)
from murxpy.smtlib.reading.forms import bind, sorted_variables
from murxpy.smtlib.reading.heads import whole_application
from murxpy.smtlib.reading.script_context import ScriptContext
from murxpy.smtlib.reading.sorts import Maker, defined, fixed
from murxpy.smtlib.syntax.lexer import key, key_of, symbol


def sorts_in_parentheses(r: ScriptContext) -> list[Sort]:
    """Read `(S ...)`."""
    r.source.take("(", "before the sorts of arguments")
    found = []
    while not r.source.skip(")"):
        found.append(r.terms.sorts.read())
    return found


def declare_fun(r: ScriptContext) -> Command:
    """Read `(declare-fun f (S ...) S)`."""
    token = r.source.symbol("the name of a function")
    domain = sorts_in_parentheses(r)
    return _declare(r, token, domain, r.terms.sorts.read())


def declare_const(r: ScriptContext) -> Command:
    """Read `(declare-const c S)`."""
    token = r.source.symbol("the name of a constant")
    return _declare(r, token, [], r.terms.sorts.read())


def _declare(r: ScriptContext, token: str, domain: list[Sort], result: Sort) -> DeclareFun:
    constant = r.tables.constant(symbol(token), function_sort(r, domain, result))
    r.terms.define(token, constant)
    return DeclareFun(constant)


def function_sort(r: ScriptContext, domain: Sequence[Sort], result: Sort) -> Sort:
    """Return the sort of a function. If it takes no arguments, that is the sort of its result."""
    if not domain:
        return result
    tail = result.sorts() if result.kind == "SORT_FUN" else (result,)
    return r.tables.sorts.get("SORT_FUN", *domain, *tail)


def define_fun(r: ScriptContext) -> Command:
    """Read `(define-fun f ((x S) ...) S t)`."""
    token = r.source.symbol("the name of a function")
    mark = r.terms.scope.mark()
    variables = sorted_variables(r.terms, 0)
    sort = r.terms.sorts.read()
    body = r.terms.applier.need(r.terms.read(), sort, f"a value of '{symbol(token)}'")
    r.terms.scope.undo(mark)
    return _define(r, token, variables, body)


def define_const(r: ScriptContext) -> Command:
    """Read `(define-const c S t)`."""
    token = r.source.symbol("the name of a constant")
    sort = r.terms.sorts.read()
    return _define(
        r, token, [], r.terms.applier.need(r.terms.read(), sort, f"a value of '{symbol(token)}'")
    )


def _define(r: ScriptContext, token: str, variables: list[Term], body: Term) -> DefineFun:
    name, function = symbol(token), None
    if variables:
        # (define-fun f ((x S)) (-> T U) t) is (define-fun f ((x S) (y T)) U (t y))
        if body.sort.kind == "SORT_FUN":
            more = [r.tables.variable("y", sort) for sort in body.sort.sorts()[:-1]]
            variables, body = [*variables, *more], whole_application(r.terms, body, [*more])
        sort = function_sort(r, [v.sort for v in variables], body.sort)
        function = r.tables.terms.apply(
            FUNCTION, (*variables, body), (name,), sort, tuple(variables)
        )
    r.terms.define(token, function or body)
    return DefineFun(name, tuple(variables), body, function)


def define_fun_rec(r: ScriptContext) -> Command:
    """Read `(define-fun-rec f ((x S) ...) S t)`."""
    token = r.source.symbol("the name of a function")
    mark = r.terms.scope.mark()
    variables = sorted_variables(r.terms, 0)
    result = r.terms.sorts.read()
    r.terms.scope.undo(mark)
    constant = _declare(r, token, [v.sort for v in variables], result).constant
    body = _rec_body(r, variables, result)
    return DefineFunsRec((constant,), (tuple(variables),), (body,))


def define_funs_rec(r: ScriptContext) -> Command:
    """Read `(define-funs-rec ((f ((x S) ...) S) ...) (t ...))`."""
    source = r.source
    source.take("(", "before the functions")
    heads: list[tuple[Term, list[Term], Sort]] = []
    while not source.skip(")"):
        source.take("(", "before a function")
        token = source.symbol("the name of a function")
        mark = r.terms.scope.mark()
        variables = sorted_variables(r.terms, 0)
        result = r.terms.sorts.read()
        r.terms.scope.undo(mark)
        source.take(")", "behind a function")
        heads.append(
            (_declare(r, token, [v.sort for v in variables], result).constant, variables, result)
        )
    source.take("(", "before the bodies")
    bodies = tuple(_rec_body(r, variables, result) for _, variables, result in heads)
    source.take(")", "behind the bodies")
    return DefineFunsRec(
        tuple(c for c, _, _ in heads), tuple(tuple(v) for _, v, _ in heads), bodies
    )


def _rec_body(r: ScriptContext, variables: list[Term], result: Sort) -> Term:
    mark = r.terms.scope.mark()
    for variable in variables:
        bind(r.terms, key_of(str(variable.indices[0])), variable)
    body = r.terms.applier.need(r.terms.read(), result, "the value of a function")
    r.terms.scope.undo(mark)
    return body


# -- sorts


def declare_sort(r: ScriptContext) -> Command | None:
    """Read `(declare-sort S n)`. The number may be missing, as in z3."""
    token = r.source.symbol("the name of a sort")
    arity = 0 if r.source.peek() == ")" else r.source.arity("the number of parameters")
    name = symbol(token)
    _check_sort(r, token)
    if arity == 0:
        sort = r.tables.uninterpreted(name)
        r.terms.sorts.declare(token, fixed(name, sort))
        return DeclareSort(sort)
    r.terms.sorts.declare(token, lambda params: _instance(r, name, arity, params))
    return None


def _check_sort(r: ScriptContext, token: str) -> None:
    if key(token) in r.words.sorts and r.words.sorts[key(token)] in (
        "SORT_BOOL",
        "SORT_INT",
        "SORT_REAL",
        "SORT_BV",
        "SORT_ARRAY",
    ):
        raise InputError(
            f"'{symbol(token)}' is a sort of the standard's theories, expected another name"
        )


def _instance(r: ScriptContext, name: str, arity: int, params: Sequence[Sort]) -> Sort:
    """Return an instance of a declared sort with parameters. Each instance is a sort of its own,
    which is declared before its first use.
    """
    if len(params) != arity:
        raise InputError(f"the sort '{name}' takes {arity} parameters, found {len(params)}")
    if any(p.kind == "SORT_PARAM" for p in params):
        raise InputError(
            f"the sort '{name}' is applied to a parameter, expected sorts without parameters in them"
        )
    sort = r.tables.uninterpreted(f"({name} {' '.join(map(str, params))})")
    r.need_sort(sort)
    return sort


def define_sort(r: ScriptContext) -> Command:
    """Read `(define-sort S (X ...) sort)`."""
    source = r.source
    token = source.symbol("the name of a sort")
    _check_sort(r, token)
    source.take("(", "before the parameters")
    parameters = []
    while not source.skip(")"):
        parameters.append(source.symbol("a parameter"))
    names = tuple(map(symbol, parameters))
    hidden = open_parameters(r, parameters)
    sort = r.terms.sorts.read()
    close_parameters(r, hidden)
    r.terms.sorts.declare(token, defined(symbol(token), names, sort, r.tables.sorts))
    return DefineSort(symbol(token), names, sort)


Hidden = dict[str, "Maker | None"]


def open_parameters(r: ScriptContext, tokens: list[str]) -> Hidden:
    """Let symbols stand for parameters of sorts. Return what they stood for before."""
    declared = r.terms.sorts.declared
    hidden = {key(token): declared.pop(key(token), None) for token in tokens}
    for token in tokens:
        declared[key(token)] = fixed(symbol(token), r.tables.sorts.get("SORT_PARAM", symbol(token)))
    return hidden


def close_parameters(r: ScriptContext, hidden: Hidden) -> None:
    """Let symbols stand again for what they stood for before they were parameters."""
    for name, maker in hidden.items():
        r.terms.sorts.declared.pop(name, None)
        if maker is not None:
            r.terms.sorts.declared[name] = maker
