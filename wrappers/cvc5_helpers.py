"""What the cvc5 wrapper cannot say in one expression: lifecycle, datatypes, pythonic layer, values, self-checks.

Imports cvc5 and the standard library only. Before release 1.2 there is no TermManager: the Solver is the manager too.
"""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any

import cvc5
from cvc5 import Kind
from cvc5.pythonic import cvc5_pythonic as P

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
    """The pythonic Context of a manager; it becomes the main one, since parts of that layer never ask for another."""
    main = P._main_ctx
    if main is not None and main.murxpy_manager is ctx:
        return main
    context = P.Context.__new__(P.Context)
    context.vars = {}
    context.var_names = set()
    context.next_fresh_var = 0
    context.murxpy_manager = ctx
    context.tm = ctx
    # until 1.2 a Context holds a solver, which makes the terms
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
    """The pythonic sort of a sort."""
    return P._to_sort_ref(obj, py(ctx))


# -- datatypes


def datatypes(ctx: Any, decls: list[Any], direct: bool = False) -> list[Any]:
    """The sorts of a block of declarations `(name, [parameter], [(constructor, [(selector, sort)])])`.

    `direct`: a field of another datatype of the block is added by its name, not by an unresolved sort, where it can be.
    """
    return list(ctx.mkDatatypeSorts([_declaration(ctx, decl, direct) for decl in decls]))


def single_datatype(ctx: Any, decls: list[Any]) -> list[Any]:
    """As `datatypes`, through `mkDatatypeSort` where there is one declaration."""
    return datatypes(ctx, decls, True) if len(decls) != 1 else [ctx.mkDatatypeSort(_declaration(ctx, decls[0], True))]


def declared_datatype(ctx: Any, solver: Any, decls: list[Any]) -> list[Any]:
    """As `datatypes`, through `Solver.declareDatatype` where there is one declaration without parameters."""
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
    return unresolved.instantiate([_field_sort(ctx, owner, bound, a) for a in args]) if args else unresolved


def constructor(datatype: Any, name: str) -> Any:
    """The constructor term of a datatype sort, instantiated where the sort is."""
    found = datatype.getDatatype().getConstructor(name)
    if not datatype.getDatatype().isParametric():
        return found.getTerm()
    instantiate = getattr(found, "getInstantiatedTerm", None) or found.getInstantiatedConstructorTerm
    return instantiate(datatype)


def constructor_index(datatype: Any, name: str) -> int:
    """The position of a constructor in its datatype."""
    declaration = datatype.getDatatype()
    return next(k for k in range(declaration.getNumConstructors()) if declaration[k].getName() == name)


def selector_index(datatype: Any, constructor_name: str, name: str) -> int:
    """The position of a selector in its constructor."""
    declaration = datatype.getDatatype()[constructor_index(datatype, constructor_name)]
    return next(k for k in range(declaration.getNumSelectors()) if declaration[k].getName() == name)


def selector(datatype: Any, constructor_name: str, name: str) -> Any:
    """A selector of a datatype sort."""
    return datatype.getDatatype().getConstructor(constructor_name).getSelector(name)


def match_case(ctx: Any, datatype: Any, names: list[str], variables: list[Any], body: Any) -> Any:
    """A case of a match that binds; `names` holds the constructor, or nothing if the pattern is one variable."""
    bound = ctx.mkTerm(Kind.VARIABLE_LIST, *variables)
    if not names:
        return ctx.mkTerm(Kind.MATCH_BIND_CASE, bound, variables[0], body)
    pattern = ctx.mkTerm(Kind.APPLY_CONSTRUCTOR, constructor(datatype, names[0]), *variables)
    return ctx.mkTerm(Kind.MATCH_BIND_CASE, bound, pattern, body)


def plain_datatype(args: list[Any], indices: tuple[Any, ...], result: str | None) -> bool:
    """Guard: the first argument is a datatype without parameters, which the pythonic layer does not instantiate."""
    return "," not in args[0]["sort"]


def plain_result(args: list[Any], indices: tuple[Any, ...], result: str | None) -> bool:
    """Guard: the result is a datatype without parameters."""
    return "," not in (result or ",")


# -- guards


def from_1_2(args: list[Any], indices: tuple[Any, ...], result: str | None) -> bool:
    """Guard: release 1.2 or later (ints of any size for bit-vectors, bases of field elements, a flag of `simplify`)."""
    return HAS_MANAGER


def numeric(args: list[Any], indices: tuple[Any, ...], result: str | None) -> bool:
    """Guard: the arguments are of a sort whose literals the pythonic layer makes of Python numbers."""
    return str(args[0]["sort"]).startswith(("INT", "REAL", "BV"))


def predicate(args: list[Any], indices: tuple[Any, ...], result: str | None) -> bool:
    """Guard: a function sort whose result is Boolean."""
    return str(result).endswith("BOOL)")


# -- answers and what follows them


def answer(result: Any) -> str:
    """`sat`, `unsat` or `unknown`; asks for the reason of the last too."""
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
    """Nothing, whatever was done: what an action of our own gives where nothing is broken."""


def several(first: Any, another: Any) -> None:
    """Asks for two more abducts or interpolants after a `first` one that exists."""
    for _ in range(2):
        if not first.isNull():
            first = another()


def proof(solver: Any, component: Any, style: Any) -> None:
    """Walks through the first steps of the proofs of a component and prints them in a format."""
    for root in solver.getProof(component):
        stack = [root]
        for _ in range(200):
            if stack:
                step = stack.pop()
                done((step.getRule(), step.getResult(), step.getArguments()))
                stack.extend(step.getChildren())
        done(solver.proofToString(root, style))


def accessors(term: Any) -> None:
    """Asks a term for all that it says of itself: kind, operator and indices, id, symbol, text."""
    done((term.getKind(), term.getId(), term.getNumChildren(), str(term), str(term.getSort())))
    if term.hasOp():
        op = term.getOp()
        done((op.getKind(), str(op), [op[k] for k in range(op.getNumIndices())]))
    if term.hasSymbol():
        done(term.getSymbol())


def reparse(parser_class: Any, ctx: Any, term: Any) -> str | None:
    """Prints a term and reads it with a parser of its own; says so where the result prints differently.

    Leaves out what no script can carry: symbols that are no identifiers, sorts that must be declared first, operators
    without concrete syntax. Fractions and negative numbers are read as terms, which share and so print differently.
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
    back = str(parser.nextTerm())
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
    """True of a free symbol that is an identifier, and of what has no bound name in it, of a standard sort."""
    kind, found = term.getKind(), term.getSort()
    if kind == Kind.CONSTANT:
        return term.hasSymbol() and term.getSymbol().isidentifier() and _standard(found)
    return kind not in (Kind.VARIABLE, Kind.SKOLEM) and not found.isFunction() and _standard(found)


def _standard(found: Any) -> bool:
    if found.isFunction():
        return all(map(_standard, [*found.getFunctionDomainSorts(), found.getFunctionCodomainSort()]))
    if found.isArray():
        return _standard(found.getArrayIndexSort()) and _standard(found.getArrayElementSort())
    return any(
        getattr(found, f"is{name}")()
        for name in ("Boolean", "Integer", "Real", "BitVector", "String", "RegExp", "FloatingPoint", "RoundingMode")
    )


# -- values as plain data

_MODES = {
    "ROUND_NEAREST_TIES_TO_EVEN": "rne",
    "ROUND_NEAREST_TIES_TO_AWAY": "rna",
    "ROUND_TOWARD_POSITIVE": "rtp",
    "ROUND_TOWARD_NEGATIVE": "rtn",
    "ROUND_TOWARD_ZERO": "rtz",
}


def read_value(term: Any) -> tuple[Any, ...] | None:
    """A value of a standard sort as plain data, None for anything else."""
    found = term.getSort()
    for is_sort, is_value, read in _READERS:
        if getattr(found, is_sort)():
            return read(term) if getattr(term, is_value)() else None
    return None


def _read_fp(term: Any) -> tuple[Any, ...]:
    exponent, significand, bits = term.getFloatingPointValue()
    return ("fp", exponent, significand, None if term.isFloatingPointNaN() else int(bits.getBitVectorValue(2), 2))


def _read_bv(term: Any) -> tuple[Any, ...]:
    return ("bv", term.getSort().getBitVectorSize(), int(term.getBitVectorValue(2), 2))


def _read_real(term: Any) -> tuple[Any, ...]:
    value = Fraction(term.getRealValue())
    return ("real", value.numerator, value.denominator)


def _read_ff(term: Any) -> tuple[Any, ...]:
    size = int(term.getSort().getFiniteFieldSize())
    return ("ff", size, int(term.getFiniteFieldValue()) % size)


_READERS: list[tuple[str, str, Any]] = [
    ("isBoolean", "isBooleanValue", lambda t: ("bool", t.getBooleanValue())),
    ("isBitVector", "isBitVectorValue", _read_bv),
    ("isInteger", "isIntegerValue", lambda t: ("int", int(t.getIntegerValue()))),
    ("isReal", "isRealValue", _read_real),
    ("isFloatingPoint", "isFloatingPointValue", _read_fp),
    ("isRoundingMode", "isRoundingModeValue", lambda t: ("rm", _MODES[t.getRoundingModeValue().name])),
    ("isString", "isStringValue", lambda t: ("string", t.getStringValue())),
]
if hasattr(cvc5.Sort, "isFiniteField"):
    _READERS.append(("isFiniteField", "isFiniteFieldValue", _read_ff))


# -- self-checks: each gives None, or says what is broken

_PREDICATES = {
    "SORT_ARRAY": "isArray",
    "SORT_BAG": "isBag",
    "SORT_BOOL": "isBoolean",
    "SORT_BV": "isBitVector",
    "SORT_DT": "isDatatype",
    "SORT_FF": "isFiniteField",
    "SORT_FP": "isFloatingPoint",
    "SORT_FUN": "isFunction",
    "SORT_INT": "isInteger",
    "SORT_REAL": "isReal",
    "SORT_REGLAN": "isRegExp",
    "SORT_RM": "isRoundingMode",
    "SORT_SEQ": "isSequence",
    "SORT_SET": "isSet",
    "SORT_STRING": "isString",
    "SORT_TUPLE": "isTuple",
    "SORT_UNINTERPRETED": "isUninterpretedSort",
}
_SIZES = {
    "SORT_BV": ("getBitVectorSize",),
    "SORT_FP": ("getFloatingPointExponentSize", "getFloatingPointSignificandSize"),
    "SORT_FF": ("getFiniteFieldSize",),
}
_PARAMETERS: dict[str, Any] = {
    "SORT_ARRAY": lambda s: [s.getArrayIndexSort(), s.getArrayElementSort()],
    "SORT_BAG": lambda s: [s.getBagElementSort()],
    "SORT_FUN": lambda s: [*s.getFunctionDomainSorts(), s.getFunctionCodomainSort()],
    "SORT_SEQ": lambda s: [s.getSequenceElementSort()],
    "SORT_SET": lambda s: [s.getSetElementSort()],
    "SORT_TUPLE": lambda s: s.getTupleSorts(),
}


def check_sort(obj: Any, facts: dict[str, Any]) -> str | None:
    """Predicates, sizes and parameter sorts of a sort are what was asked for."""
    kind, params = facts["kind"], facts["params"]
    for other, predicate in _PREDICATES.items():
        expected = other == kind or (kind == "SORT_TUPLE" and other == "SORT_DT")
        if hasattr(obj, predicate) and getattr(obj, predicate)() is not expected:
            return f"{predicate}() is {not expected} for a sort of kind {kind}"
    for getter, param in zip(_SIZES.get(kind, ()), params, strict=False):
        if int(getattr(obj, getter)()) != int(param):
            return f"{getter}() is {getattr(obj, getter)()}, expected {param}"
    if kind == "SORT_UNINTERPRETED" and (not obj.hasSymbol() or obj.getSymbol() != params[0]):
        return f"the symbol of an uninterpreted sort is not {params[0]!r}"
    return _identity(obj, "sort") or _check_parameters(obj, kind, params)


def _check_parameters(obj: Any, kind: str, params: list[Any]) -> str | None:
    if kind not in _PARAMETERS:
        return None
    inner = _PARAMETERS[kind](obj)
    if len(inner) != len(params):
        return f"{kind} has {len(inner)} parameter sorts, expected {len(params)}"
    for found, expected in zip(inner, params, strict=True):
        broken = check_sort(found, expected)
        if broken is not None:
            return broken
    return None


def _identity(obj: Any, what: str) -> str | None:
    if obj.isNull():
        return f"isNull() of a {what} that exists"
    equal = (obj == obj, obj <= obj, obj >= obj)
    unequal = (obj != obj, obj < obj, obj > obj)
    if not all(equal) or any(unequal):
        return f"a {what} does not compare as equal to itself"
    if hash(obj) != hash(obj):
        return f"the hash of a {what} changes"
    return None if str(obj) and repr(obj) else f"a {what} prints as nothing"


def check_term(obj: Any, facts: dict[str, Any], ctx: Any) -> str | None:
    """The sort of a term, its children, and the term made anew of its operator and children."""
    broken = check_sort(obj.getSort(), facts) or _identity(obj, "term")
    if broken is not None:
        return broken
    children = list(obj)
    if len(children) != obj.getNumChildren() or any(obj[k] != child for k, child in enumerate(children)):
        return "iteration, indexing and getNumChildren() of a term disagree"
    if any(child.isNull() for child in children):
        return "a term has a null child"
    return _check_operator(obj, children, ctx)


def _check_operator(obj: Any, children: list[Any], ctx: Any) -> str | None:
    if not obj.hasOp():
        return "a term with children has no operator" if children else None
    op = obj.getOp()
    if obj.getKind() == Kind.INTERNAL_KIND:
        return "a term that was made with a kind has the kind INTERNAL_KIND"
    if op.getKind() != obj.getKind():
        return f"the operator of a term of kind {obj.getKind()} has kind {op.getKind()}"
    if op.isIndexed() != (op.getNumIndices() > 0):
        return "isIndexed() and getNumIndices() of an operator disagree"
    if op != obj.getOp() or hash(op) != hash(obj.getOp()):
        return "the operator of a term is not equal to itself"
    return None if ctx.mkTerm(op, *children) == obj else "a term made anew of its operator and children is another one"


def check_value(obj: Any, facts: dict[str, Any]) -> str | None:
    """A literal reads back as what it was made of, in every form."""
    broken = check_sort(obj.getSort(), facts)
    if broken is not None or facts["value"] is None:
        return broken
    wanted, got = _expected(facts), read_value(obj)
    if got != wanted:
        return f"a literal made as {wanted} reads back as {got}"
    return _check_forms(obj, facts)


def _expected(facts: dict[str, Any]) -> tuple[Any, ...]:
    kind, params, value = facts["kind"], facts["params"], facts["value"]
    if kind == "SORT_REAL":
        return ("real", value.numerator, value.denominator)
    if kind == "SORT_FP":
        exponent, significand = params
        fraction = significand - 1
        nan = value >> fraction & (1 << exponent) - 1 == (1 << exponent) - 1 and value & (1 << fraction) - 1
        return ("fp", exponent, significand, None if nan else value)
    if kind in ("SORT_BV", "SORT_FF"):
        return (kind[5:].lower(), int(params[0]), value)
    return (kind[5:].lower(), value)


def _check_forms(obj: Any, facts: dict[str, Any]) -> str | None:
    kind, value = facts["kind"], facts["value"]
    if kind == "SORT_BV":
        forms = [int(obj.getBitVectorValue(base), base) for base in (2, 10, 16)]
        if forms != [value] * 3 or obj.toPythonObj() != value:
            return f"getBitVectorValue in bases 2, 10, 16 gives {forms} for {value}"
    elif kind in ("SORT_BOOL", "SORT_INT", "SORT_REAL", "SORT_STRING"):
        if obj.toPythonObj() != value:
            return f"toPythonObj() gives {obj.toPythonObj()!r} for {value!r}"
    elif kind == "SORT_FP":
        return _check_fp_class(obj, facts["params"], value)
    if kind in ("SORT_INT", "SORT_REAL") and obj.getRealOrIntegerValueSign() != (value > 0) - (value < 0):
        return f"getRealOrIntegerValueSign() gives {obj.getRealOrIntegerValueSign()} for {value}"
    return None


def _check_fp_class(obj: Any, params: list[int], value: int) -> str | None:
    exponent, significand = params
    top = 1 << exponent + significand - 1
    infinity = (1 << exponent) - 1 << significand - 1
    wanted = {
        "isFloatingPointNaN": value % top > infinity,
        "isFloatingPointPosInf": value == infinity,
        "isFloatingPointNegInf": value == top + infinity,
        "isFloatingPointPosZero": value == 0,
        "isFloatingPointNegZero": value == top,
    }
    wrong = [name for name, expected in wanted.items() if getattr(obj, name)() is not expected]
    return f"{wrong[0]}() is wrong for the bits {value:b}" if wrong else None


def check_eq(obj: Any, facts: dict[str, Any]) -> str | None:
    """A term equals itself and what is read from it, and no child of it."""
    if obj.getSort() != obj.getSort() or hash(obj.getSort()) != hash(obj.getSort()) or obj.getId() != obj.getId():
        return "two reads of a term's sort or id differ"
    for child in list(obj):
        equal, unequal = child == obj, child != obj
        if equal or not unequal or (child < obj) == (obj < child):
            return "a term and its child do not compare as different"
    return _identity(obj, "term")
