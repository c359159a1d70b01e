"""Helpers of the cvc5 wrapper for what one expression cannot say: lifecycle, pythonic layer,
datatypes and actions. The file imports only cvc5 and the standard library.

Releases before 1.2 have no TermManager: there the Solver is the manager, too.
"""

from __future__ import annotations

import re
from typing import Any

import cvc5
from cvc5 import Kind
from cvc5.pythonic import cvc5_pythonic as P
from cvc5_values import SKOLEM

HAS_MANAGER = hasattr(cvc5, "TermManager")


def new_context() -> Any:
    """A fresh term manager (a Solver in releases that have no term manager)."""
    P._main_ctx = None
    return cvc5.TermManager() if HAS_MANAGER else cvc5.Solver()


def new_solver(ctx: Any) -> Any:
    """A solver over the manager `ctx`."""
    return cvc5.Solver(ctx) if HAS_MANAGER else ctx


def release() -> str:
    """The release, as text."""
    version = new_solver(new_context()).getVersion()
    return version.decode() if isinstance(version, bytes) else str(version)


# -- the pythonic layer: its expressions are a Term and a Context, and a Context can stand for any manager


def py(ctx: Any) -> Any:
    """The pythonic Context of a manager. It becomes the main Context, because parts of the pythonic
    layer always use the main one.
    """
    main = P._main_ctx
    # otherwise a public callable made it
    if main is not None and getattr(main, "murxpy_manager", None) is ctx:
        return main
    context = P.Context.__new__(P.Context)
    context.vars = {}
    context.var_names = set()
    context.next_fresh_var = 0
    context.murxpy_manager = ctx
    context.tm = ctx
    # until release 1.2 a Context holds a solver, and that solver makes the terms
    context.solver = cvc5.Solver(ctx) if HAS_MANAGER and not hasattr(P.Context(), "tm") else ctx
    P._main_ctx = context
    return context


def expr(ctx: Any, term: Any) -> Any:
    """The pythonic expression of a term."""
    context, found = py(ctx), term.getSort()
    if found.isRegExp() or found.isFunction():
        return (P.ReRef if found.isRegExp() else P.FuncDeclRef)(term, context)
    return P._to_expr_ref(term, context)


def exprs(ctx: Any, *terms: Any) -> list[Any]:
    """The pythonic expressions of terms."""
    return [expr(ctx, term) for term in terms]


def sort(ctx: Any, obj: Any) -> Any:
    """The pythonic sort of a sort. Until release 1.3 the pythonic layer asks for the class of a
    datatype by its name.
    """
    return P.DatatypeSortRef(obj, py(ctx)) if obj.isDatatype() else P._to_sort_ref(obj, py(ctx))


def from_bools(ctx: Any, bools: list[Any]) -> Any:
    """The bit-vector of some Booleans; the first Boolean is the lowest bit."""
    one, zero = ctx.mkBitVector(1, 1), ctx.mkBitVector(1, 0)
    bits = [ctx.mkTerm(Kind.ITE, term, one, zero) for term in reversed(bools)]
    return bits[0] if len(bits) == 1 else ctx.mkTerm(Kind.BITVECTOR_CONCAT, *bits)


# -- datatypes


def datatypes(ctx: Any, decls: list[Any], direct: bool = False) -> list[Any]:
    """The sorts of a block of declarations `(name, [parameter], [(constructor, [(selector,
    sort)])])`.

    With `direct`, a field whose sort is another datatype of the block names it directly, if
    possible, and has no unresolved sort.
    """
    return list(ctx.mkDatatypeSorts([_declaration(ctx, decl, direct) for decl in decls]))


def single_datatype(ctx: Any, decls: list[Any]) -> list[Any]:
    """As `datatypes`, but a single declaration is made by `mkDatatypeSort`."""
    return (
        datatypes(ctx, decls, True)
        if len(decls) != 1
        else [ctx.mkDatatypeSort(_declaration(ctx, decls[0], True))]
    )


def declared_datatype(ctx: Any, solver: Any, decls: list[Any]) -> list[Any]:
    """As `datatypes`, but a single declaration without parameters is made by
    `Solver.declareDatatype`.
    """
    if len(decls) != 1 or decls[0][1]:
        return datatypes(ctx, decls)
    name, _, constructors = decls[0]
    made = [_constructor_decl(ctx, decls[0], {}, entry, True) for entry in constructors]
    return [solver.declareDatatype(name, *made)]


def _declaration(ctx: Any, decl: Any, direct: bool) -> Any:
    name, params, constructors = decl
    bound = {p: ctx.mkParamSort(p) for p in params}
    made = ctx.mkDatatypeDecl(name, list(bound.values())) if params else ctx.mkDatatypeDecl(name)
    for entry in constructors:
        made.addConstructor(_constructor_decl(ctx, decl, bound, entry, direct))
    return made


def _constructor_decl(ctx: Any, owner: Any, bound: dict[str, Any], entry: Any, direct: bool) -> Any:
    name, fields = entry
    made = ctx.mkDatatypeConstructorDecl(name)
    for selector, field in fields:
        kind = field[0] if isinstance(field, tuple) else None
        if kind == "self":
            made.addSelectorSelf(selector)
        elif direct and kind == "ref" and not field[2]:
            made.addSelectorUnresolved(selector, field[1])
        else:
            made.addSelector(selector, _field_sort(ctx, owner, bound, field))
    return made


def _field_sort(ctx: Any, owner: Any, bound: dict[str, Any], field: Any) -> Any:
    if not isinstance(field, tuple):
        return field
    if field[0] == "param":
        return bound[field[1]]
    name, args = (owner[0], list(bound.values())) if field[0] == "self" else field[1:]
    unresolved = ctx.mkUnresolvedDatatypeSort(name, len(args))
    return (
        unresolved.instantiate([_field_sort(ctx, owner, bound, a) for a in args])
        if args
        else unresolved
    )


def constructor(datatype: Any, name: str) -> Any:
    """The term of a constructor of a datatype sort. It is instantiated if the sort is an instance."""
    found = datatype.getDatatype().getConstructor(name)
    if not datatype.getDatatype().isParametric():
        return found.getTerm()
    instantiate = (
        getattr(found, "getInstantiatedTerm", None) or found.getInstantiatedConstructorTerm
    )
    return instantiate(datatype)


def constructor_index(datatype: Any, name: str) -> int:
    """The position of a constructor in its datatype."""
    declaration = datatype.getDatatype()
    return next(
        k for k in range(declaration.getNumConstructors()) if declaration[k].getName() == name
    )


def selector_index(datatype: Any, constructor_name: str, name: str) -> int:
    """The position of a selector in its constructor."""
    declaration = datatype.getDatatype()[constructor_index(datatype, constructor_name)]
    return next(k for k in range(declaration.getNumSelectors()) if declaration[k].getName() == name)


def selector(datatype: Any, constructor_name: str, name: str) -> Any:
    """A selector of a datatype sort."""
    return datatype.getDatatype().getConstructor(constructor_name).getSelector(name)


def match_case(ctx: Any, datatype: Any, names: list[str], variables: list[Any], body: Any) -> Any:
    """A case of a match that binds variables. `names` has the constructor; it is empty if the
    pattern is one variable.
    """
    bound = ctx.mkTerm(Kind.VARIABLE_LIST, *variables)
    if not names:
        return ctx.mkTerm(Kind.MATCH_BIND_CASE, bound, variables[0], body)
    pattern = ctx.mkTerm(Kind.APPLY_CONSTRUCTOR, constructor(datatype, names[0]), *variables)
    return ctx.mkTerm(Kind.MATCH_BIND_CASE, bound, pattern, body)


def plain_datatype(args: list[Any], indices: tuple[Any, ...], result: str | None) -> bool:
    """Guard: the first argument is a datatype without parameters. The pythonic layer does not
    instantiate other datatypes.
    """
    return "," not in args[0]["sort"]


def plain_result(args: list[Any], indices: tuple[Any, ...], result: str | None) -> bool:
    """Guard: the result is a datatype without parameters."""
    return "," not in (result or ",")


# -- guards


def from_1_2(args: list[Any], indices: tuple[Any, ...], result: str | None) -> bool:
    """Guard: release 1.2 or later (ints of any size for bit-vectors, bases of field elements, a
    flag of `simplify`).
    """
    return HAS_MANAGER


def numeric(args: list[Any], indices: tuple[Any, ...], result: str | None) -> bool:
    """Guard: the arguments have a sort for which the pythonic layer makes literals from Python
    numbers.
    """
    return str(args[0]["sort"]).startswith(("INT", "REAL", "BV"))


def predicate(args: list[Any], indices: tuple[Any, ...], result: str | None) -> bool:
    """Guard: a function sort whose result is Boolean."""
    return str(result).endswith("BOOL)")


def joined(args: list[Any], indices: tuple[Any, ...], result: str | None) -> bool:
    """Guard: components are left after a join. cvc5 does not join two relations of one component
    each.
    """
    return result != "SET(TUPLE)"


# -- answers and what follows them


def answer_of(result: Any) -> str:
    """`sat`, `unsat` or `unknown`. For unknown, the reason is asked for, too."""
    if result.isSat():
        return "sat"
    if result.isUnsat():
        return "unsat"
    result.getUnknownExplanation()
    return "unknown" if result.isUnknown() else str(result)


def model(solver: Any) -> Any:
    """The printed model of all free symbols and uninterpreted sorts of the assertions."""
    symbols = [t for t in _subterms(*solver.getAssertions()) if t.getKind() == Kind.CONSTANT]
    sorts: list[Any] = []
    for symbol in symbols:
        found = symbol.getSort()
        if found.isUninterpretedSort() and not any(found == known for known in sorts):
            sorts.append(found)
    return solver.getModel(sorts, symbols)


def done(value: Any) -> None:
    """None, whatever the argument is. An own action that finds nothing broken gives None."""


def several(first: Any, another: Any) -> None:
    """Ask for two more abducts or interpolants after the first one, `first`."""
    for _ in range(2):
        if not first.isNull():
            first = another()


def proof(solver: Any, component: Any, style: Any) -> None:
    """Walk through the first steps of the proofs of a component, and print them in a format."""
    for root in solver.getProof(component):
        stack = [root]
        for _ in range(200):
            if stack:
                step = stack.pop()
                done((step.getRule(), step.getResult(), step.getArguments()))
                stack.extend(step.getChildren())
        done(solver.proofToString(root, style))


def accessors(term: Any) -> None:
    """Ask a term for everything that it tells: kind, operator and indices, id, symbol, text."""
    done((term.getKind(), term.getId(), term.getNumChildren(), str(term), str(term.getSort())))
    if term.hasOp():
        op = term.getOp()
        done((op.getKind(), str(op), [op[k] for k in range(op.getNumIndices())]))
    if term.hasSymbol():
        done(term.getSymbol())


def reparse(parser_class: Any, ctx: Any, term: Any) -> str | None:
    """Print a term and read the text with a parser of its own. The result is a str if the read term
    prints differently.

    Terms that no script can contain are left out: symbols that are no identifiers, sorts that must
    be declared first, operators without concrete syntax. Fractions and negative numbers are left
    out, too, because they are read as terms, and then print differently.
    """
    inside, text = _subterms(term), str(term)
    symbols = [t for t in inside if t.getKind() == Kind.CONSTANT]
    if _NO_SYNTAX.search(text) or not all(map(_plain, inside)):
        return None
    solver, names = cvc5.Solver(ctx), cvc5.SymbolManager(ctx)
    parser = parser_class(solver, names)
    parser.setIncrementalStringInput(cvc5.InputLanguage.SMT_LIB_2_6, "murxpy")
    parser.appendIncrementalStringInput("(set-logic ALL)" + "".join(map(_command, symbols)))
    while not (command := parser.nextCommand()).isNull():
        command.invoke(solver, names)
    parser.appendIncrementalStringInput(text)
    found = parser.nextTerm()
    if found.isNull() and not HAS_MANAGER:
        return None  # release 1.1 reads nothing that is appended after the end of its input
    back = str(found)
    return None if back == text else f"{text[:300]} reads back as {back[:300]}"


_NO_SYNTAX = re.compile(r"@|\(/ |\(- \d|\(bv[us]ltbv ")


def _subterms(*terms: Any) -> list[Any]:
    seen: dict[int, Any] = {}
    stack = list(terms)
    while stack:
        inner = stack.pop()
        if inner.getId() not in seen:
            seen[inner.getId()] = inner
            stack.extend(inner)
    return list(seen.values())


def _command(symbol: Any) -> str:
    found = symbol.getSort()
    if not found.isFunction():
        return f"(declare-const {symbol} {found})"
    domain = " ".join(map(str, found.getFunctionDomainSorts()))
    return f"(declare-fun {symbol} ({domain}) {found.getFunctionCodomainSort()})"


def _plain(term: Any) -> bool:
    """True for a free symbol that is an identifier, and for any other term without bound names
    whose sort is a standard one.
    """
    kind, found = term.getKind(), term.getSort()
    if kind == Kind.CONSTANT:
        return term.hasSymbol() and term.getSymbol().isidentifier() and _standard(found)
    return kind not in (Kind.VARIABLE, SKOLEM) and not found.isFunction() and _standard(found)


def _standard(found: Any) -> bool:
    if found.isFunction():
        return all(
            map(_standard, [*found.getFunctionDomainSorts(), found.getFunctionCodomainSort()])
        )
    if found.isArray():
        return _standard(found.getArrayIndexSort()) and _standard(found.getArrayElementSort())
    return any(
        getattr(found, f"is{name}")()
        for name in (
            "Boolean",
            "Integer",
            "Real",
            "BitVector",
            "String",
            "RegExp",
            "FloatingPoint",
            "RoundingMode",
        )
    )


def solver_options() -> list[dict[str, Any]]:
    """The options of this release with their names, types, values, ranges and categories. An option
    of type `text` takes a text, or an action of the command line.
    """
    solver = new_solver(new_context())
    found = []
    for name in map(_text, solver.getOptionNames()):
        info = solver.getOptionInfo(name)
        entry = {"name": name, "type": _OPTION_TYPES.get(info["type"], "text")}
        if "category" in info:  # releases before 1.3 do not tell it
            entry["category"] = info["category"].name.lower()
        if _text(info["name"]) != name:
            entry["alias-of"] = _text(info["name"])
        entry["aliases"] = [*map(_text, info.get("aliases") or ())]
        if info["type"] == "mode":
            entry["values"] = [*map(_text, info["modes"])]
        elif entry["type"] in ("int", "float"):
            told = {"default": "default", "min": "minimum", "max": "maximum"}
            entry |= {key: info[of] for key, of in told.items() if info.get(of) is not None}
        found.append(entry)
    return found


_OPTION_TYPES = {bool: "bool", int: "int", float: "float", "mode": "choice"}


def _text(value: Any) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)
