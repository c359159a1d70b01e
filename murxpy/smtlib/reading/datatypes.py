"""Reads `declare-datatypes` and `declare-datatype`, in the syntax of SMT-LIB 2.6 and in that of
2.0, which z3 still reads.
"""

from __future__ import annotations

from collections.abc import Sequence

from murxpy.errors import InputError
from murxpy.logic.sorts import Constructor, Datatype, Sort, well_founded
from murxpy.smtlib.commands import Command, DeclareDatatypes
from murxpy.smtlib.reading.declarations import close_parameters, open_parameters
from murxpy.smtlib.reading.heads import ConstructorHead, FieldHead
from murxpy.smtlib.reading.script_context import ScriptContext
from murxpy.smtlib.syntax.lexer import key, key_of, symbol


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
    """Return the names of the datatypes of a block in the old syntax. They are looked up before the
    block is read.
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
