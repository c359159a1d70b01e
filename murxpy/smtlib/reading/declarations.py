"""The state that the readers of commands share: the tokens, the reader of terms, and the open
levels with their declarations.
"""

from __future__ import annotations

from collections.abc import Sequence

from murxpy.errors import InputError
from murxpy.logic.sorts import Constructor, Datatype, Sort, well_founded
from murxpy.logic.terms import FUNCTION, Term
from murxpy.smtlib.building import Tables
from murxpy.smtlib.lexer import Source, key, key_of, symbol
from murxpy.smtlib.reading.forms import bind, sorted_variables
from murxpy.smtlib.reading.heads import ConstructorHead, FieldHead, whole_application
from murxpy.smtlib.reading.sorts import Maker, defined, fixed
from murxpy.smtlib.reading.terms import TermReader
from murxpy.smtlib.reading.vocabulary import finite_set_words, vocabulary
from murxpy.smtlib.script import (
    Command,
    DeclareDatatypes,
    DeclareFun,
    DeclareSort,
    DefineFun,
    DefineFunsRec,
    DefineSort,
)


class ScriptContext:
    """The state of the reader of a script. With `finite_sets`, a set that may be one of either theory
    of sets is a finite set, whatever else the script says.
    """

    def __init__(self, source: Source, tables: Tables, finite_sets: bool = False) -> None:
        self.source = source
        self.tables = tables
        finite_sets |= not finite_set_words(tables.catalogue).isdisjoint(source.tokens)
        self.words = vocabulary(tables.catalogue, finite_sets)
        self.terms = TermReader(source, tables, self.words)
        self.global_declarations = False
        self._levels: list[int] = []
        self.instances: list[Sort] = []

    def need_sort(self, sort: Sort) -> None:
        """Note that an instance of a sort with parameters is used. If it was not declared before,
        it is declared before the command that is being read.
        """
        if sort not in self.instances and sort not in self.terms.scope.instances:
            self.instances.append(sort)

    def boolean(self) -> Term:
        """Read a Boolean term. Raises InputError for a term of another sort."""
        term = self.terms.read()
        if term.sort is not self.tables.bool:
            raise InputError(f"expected a Boolean term, found one of {term.sort}")
        return term

    # -- levels

    def begin(self) -> None:
        """Forget all declarations."""
        self.terms.begin()
        self._levels.clear()

    @property
    def levels(self) -> int:
        """Return how many levels are open."""
        return len(self._levels)

    def push(self, levels: int) -> None:
        """Open levels. Declarations on them end with them."""
        for _ in range(levels):
            self._levels.append(self.terms.scope.mark())

    def pop(self, levels: int) -> None:
        """Close levels. Raises InputError if fewer are open."""
        if levels > len(self._levels):
            raise InputError(f"cannot pop {levels} levels of {len(self._levels)}")
        for _ in range(levels):
            mark = self._levels.pop()
            if not self.global_declarations:
                self.terms.scope.undo(mark)


# ----------------------------------------------------------------------
# Reads the commands that declare and define symbols: SMT-LIB 2.7, section 4.2.3.


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
    return _declare_again(r, token, domain, r.terms.sorts.read())


def declare_const(r: ScriptContext) -> Command:
    """Read `(declare-const c S)`."""
    token = r.source.symbol("the name of a constant")
    return _declare_again(r, token, [], r.terms.sorts.read())


def _declare_again(r: ScriptContext, token: str, domain: list[Sort], result: Sort) -> DeclareFun:
    """Declare a symbol that may have been declared before."""
    constant = r.terms.declared(token, function_sort(r, domain, result))
    r.terms.define(token, constant)
    return DeclareFun(constant)


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


# ----------------------------------------------------------------------
# Reads `declare-datatypes` and `declare-datatype`, in the syntax of SMT-LIB 2.6 and in that of
# 2.0, which z3 still reads.


def declare_datatypes(r: ScriptContext) -> Command:
    """Read `(declare-datatypes ((D n) ...) (declaration ...))`, or in the old syntax
    `(declare-datatypes (X ...) ((D constructor ...) ...))`.
    """
    source = r.source
    source.take("(", "before the datatypes")
    if source.peek() == "(":
        return _declare_new(r)
    parameters = []
    while not source.skip(")"):
        parameters.append(source.symbol("a parameter"))
    if source.tokens[source.at : source.at + 2] == ["(", ")"] and not parameters:
        raise InputError("expected a datatype, found none")
    return _declare_old(r, parameters)


def declare_datatype(r: ScriptContext) -> Command:
    """Read `(declare-datatype D declaration)`."""
    token = r.source.symbol("the name of a datatype")
    arity = 0
    tokens, at = r.source.tokens, r.source.at
    if tokens[at : at + 2] == ["(", "par"]:
        arity = tokens.index(")", at) - at - 3
    (datatype,) = _names(r, [(token, arity)])
    _declaration(r, datatype, arity)
    return _finish(r, [datatype])


def _declare_new(r: ScriptContext) -> Command:
    source = r.source
    heads = []
    while not source.skip(")"):
        source.take("(", "before a datatype")
        token = source.symbol("the name of a datatype")
        heads.append((token, source.arity("the number of its parameters")))
        source.take(")", "behind it")
    block = _names(r, heads)
    source.take("(", "before the declarations")
    for datatype, (_, arity) in zip(block, heads, strict=True):
        _declaration(r, datatype, arity)
    source.take(")", "behind the declarations")
    return _finish(r, block)


def _declaration(r: ScriptContext, datatype: Datatype, arity: int) -> None:
    """Read `(constructor ...)` or `(par (X ...) (constructor ...))`."""
    source = r.source
    source.take("(", f"before the constructors of '{datatype.name}'")
    if not source.skip("par"):
        if arity:
            raise InputError(f"'{datatype.name}' has {arity} parameters, expected (par (...) ...)")
        _constructors(r, datatype)
        return
    source.take("(", "before the parameters")
    tokens = []
    while not source.skip(")"):
        tokens.append(source.symbol("a parameter"))
    if len(tokens) != arity:
        raise InputError(f"'{datatype.name}' has {arity} parameters, found {len(tokens)}")
    datatype.params = [symbol(t) for t in tokens]
    hidden = open_parameters(r, tokens)
    source.take("(", f"before the constructors of '{datatype.name}'")
    _constructors(r, datatype)
    close_parameters(r, hidden)
    source.take(")", "behind the constructors")


def _declare_old(r: ScriptContext, parameters: list[str]) -> Command:
    source = r.source
    source.take("(", "before the datatypes")
    heads = [(token, len(parameters)) for token in _old_names(r)]
    # In the declaration, a name without parameters stands for the datatype with the parameters of
    # the whole block.
    block = _names(r, heads)
    hidden = open_parameters(r, parameters)
    own = [r.tables.sorts.get("SORT_PARAM", symbol(p)) for p in parameters]
    makers = {key(token): r.terms.sorts.declared[key(token)] for token, _ in heads}
    for datatype, (token, _) in zip(block, heads, strict=True):
        datatype.params = [symbol(p) for p in parameters]
        sort = r.tables.sorts.get("SORT_DT", datatype, *own)
        r.terms.sorts.declared[key(token)] = lambda params, sort=sort: sort  # type: ignore[misc]
    for datatype in block:
        source.take("(", "before a datatype")
        source.symbol("the name of a datatype")
        _constructors(r, datatype)
    source.take(")", "behind the datatypes")
    r.terms.sorts.declared.update(makers)
    close_parameters(r, hidden)
    return _finish(r, block)


def _old_names(r: ScriptContext) -> list[str]:
    """Return the names of the datatypes of a block in the old syntax. The old names are looked up
    before the block is read.
    """
    tokens, at, depth = r.source.tokens, r.source.at, 0
    names = []
    while at + 1 < len(tokens) and depth >= 0:
        if tokens[at] == "(":
            if depth == 0:
                names.append(tokens[at + 1])
            depth += 1
        elif tokens[at] == ")":
            depth -= 1
        at += 1
    return names


def _names(r: ScriptContext, heads: list[tuple[str, int]]) -> list[Datatype]:
    """Return new datatypes, whose names can be used as sorts from now on. Raises InputError if a
    name is taken.
    """
    if not heads:
        raise InputError("expected a datatype, found none")
    block = []
    for token, arity in heads:
        datatype = Datatype(symbol(token), [str(k) for k in range(arity)])
        r.terms.sorts.declare(token, r.terms.sorts.datatype(symbol(token), datatype, arity))
        block.append(datatype)
    return block


def _constructors(r: ScriptContext, datatype: Datatype) -> None:
    """Read constructors up to a parenthesis: `C` or `(C (selector S) ...)`."""
    source = r.source
    while not source.skip(")"):
        if not source.skip("("):
            datatype.constructors.append(Constructor(symbol(source.symbol("a constructor"))))
            continue
        constructor = Constructor(symbol(source.symbol("a constructor")))
        while not source.skip(")"):
            source.take("(", "before a selector")
            selector = symbol(source.symbol("a selector"))
            constructor.fields.append((selector, r.terms.sorts.read()))
            source.take(")", "behind the selector's sort")
        datatype.constructors.append(constructor)
    if not datatype.constructors:
        raise InputError(f"the datatype '{datatype.name}' has no constructor")


def _finish(r: ScriptContext, block: list[Datatype]) -> DeclareDatatypes:
    """Declare the constructors, selectors and testers of datatypes. Raises InputError if a datatype
    has no finite value.
    """
    founded = well_founded(block)
    missing = next((d for d in block if d not in founded), None)
    if missing is not None:
        raise InputError(
            f"the datatype '{missing.name}' has no finite value, expected a constructor that does not need another one"
        )
    _declare_constructors(r, block)
    return DeclareDatatypes(tuple(block))


def known_datatypes(r: ScriptContext, block: Sequence[Datatype]) -> None:
    """Declare datatypes that another script with the same tables declared."""
    for datatype in block:
        r.terms.sorts.declare(
            key_of(datatype.name),
            r.terms.sorts.datatype(datatype.name, datatype, len(datatype.params)),
        )
    _declare_constructors(r, block)


def _declare_constructors(r: ScriptContext, block: Sequence[Datatype]) -> None:
    for datatype in block:
        sort = None if datatype.params else r.tables.sorts.get("SORT_DT", datatype)
        for constructor in datatype.constructors:
            _declare_constructor(r, datatype, constructor, sort)


def _declare_constructor(
    r: ScriptContext, datatype: Datatype, constructor: Constructor, sort: Sort | None
) -> None:
    terms, name = r.terms, constructor.name
    terms.define_head(key_of(name), ConstructorHead(datatype, constructor, sort))
    terms.define_field(f"is-{name}", FieldHead("OP_DT_APPLY_TESTER", datatype, (name,)))
    for selector, _ in constructor.fields:
        head = FieldHead("OP_DT_APPLY_SEL", datatype, (name, selector))
        terms.define_head(key_of(selector), head)
        terms.define_field(selector, head)
