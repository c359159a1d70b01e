"""What cvc5 tells of its sorts, terms and datatypes, and parts of its API that runs seldom need: each answer is
compared with the object that it is about. Each function gives None, or a str that says which promise is broken. The
file imports only cvc5 and the standard library.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import cvc5
from cvc5 import Kind

_PART_LIMIT = "20000"  # the resource limit of each check


def _first_wrong(found: Sequence[tuple[str, Any, Any]]) -> str | None:
    """What the first of some questions is told in the place of what it should be told."""
    for name, told, wanted in found:
        if told != wanted:
            return f"{name} gives {told} instead of {wanted}"
    return None


# ----------------------------------------------------------------------
# Sorts.

# By kind, the predicate that holds for sorts of this kind only. A tuple and a nullable are datatypes, too.
_OF_KIND = {
    "ABSTRACT_SORT": "isAbstract",
    "ARRAY_SORT": "isArray",
    "BAG_SORT": "isBag",
    "BOOLEAN_SORT": "isBoolean",
    "BITVECTOR_SORT": "isBitVector",
    "FINITE_FIELD_SORT": "isFiniteField",
    "FLOATINGPOINT_SORT": "isFloatingPoint",
    "FUNCTION_SORT": "isFunction",
    "INTEGER_SORT": "isInteger",
    "NULLABLE_SORT": "isNullable",
    "REAL_SORT": "isReal",
    "REGLAN_SORT": "isRegExp",
    "ROUNDINGMODE_SORT": "isRoundingMode",
    "SEQUENCE_SORT": "isSequence",
    "SET_SORT": "isSet",
    "STRING_SORT": "isString",
    "TUPLE_SORT": "isTuple",
}
_NEVER = (
    "isDatatypeConstructor",
    "isDatatypeSelector",
    "isDatatypeTester",
    "isDatatypeUpdater",
    "isUninterpretedSortConstructor",
    "isRecord",
)


def asked_sort(ctx: Any, sort: Any) -> str | None:
    """Each predicate of a sort agrees with its kind, and each getter with what the sort is made of."""
    kind = sort.getKind().name
    found = [(name, getattr(sort, name)(), kind == of) for of, name in _OF_KIND.items()]
    found += [(name, getattr(sort, name)(), False) for name in _NEVER]
    if kind != "INTERNAL_SORT_KIND":  # that of an instance of a parametric datatype
        datatype = kind in ("DATATYPE_SORT", "TUPLE_SORT", "NULLABLE_SORT")
        found.append(("isDatatype", sort.isDatatype(), datatype))
    return _first_wrong([*found, *_parts_of_sort(ctx, sort)])


def _parts_of_sort(ctx: Any, sort: Any) -> list[tuple[str, Any, Any]]:
    """A sort that is made again from its parts is the same."""
    if sort.isFloatingPoint():
        sizes = sort.getFloatingPointExponentSize(), sort.getFloatingPointSignificandSize()
        return [("mkFloatingPointSort", ctx.mkFloatingPointSort(*sizes), sort)]
    if sort.isFunction():
        domain, result = sort.getFunctionDomainSorts(), sort.getFunctionCodomainSort()
        return [
            ("getFunctionArity", sort.getFunctionArity(), len(domain)),
            ("isPredicate", sort.isPredicate(), result.isBoolean()),
            ("mkFunctionSort", ctx.mkFunctionSort(domain, result), sort),
        ]
    if sort.isTuple():
        parts = sort.getTupleSorts()
        return [
            ("getTupleLength", sort.getTupleLength(), len(parts)),
            ("mkTupleSort", ctx.mkTupleSort(*parts), sort),
        ]
    if sort.isNullable():
        return [("mkNullableSort", ctx.mkNullableSort(sort.getNullableElementSort()), sort)]
    return _parts_of_datatype(sort, sort.getDatatype()) if sort.isDatatype() else []


def _parts_of_datatype(sort: Any, datatype: Any) -> list[tuple[str, Any, Any]]:
    """The sorts of constructors, selectors and testers of a datatype are functions from and to it."""
    found = [
        ("isTuple", datatype.isTuple(), sort.isTuple()),
        ("isRecord", datatype.isRecord(), sort.isRecord()),
        ("isCodatatype", datatype.isCodatatype(), False),
        ("isWellFounded", datatype.isWellFounded(), True),
    ]
    if datatype.isParametric():
        arity = len(datatype.getParameters())
        return [
            *found,
            ("getDatatypeArity", sort.getDatatypeArity(), arity),
            ("isInstantiated", sort.isInstantiated(), True),
            ("getInstantiatedParameters", len(sort.getInstantiatedParameters()), arity),
        ]
    endless = any(
        selector.getCodomainSort() == sort for constructor in datatype for selector in constructor
    )
    found.append(("isFinite", datatype.isFinite() and endless, False))
    for constructor in datatype:
        made, tested = constructor.getTerm().getSort(), constructor.getTesterTerm().getSort()
        fields = [selector.getCodomainSort() for selector in constructor]
        found += [
            ("isDatatypeConstructor", made.isDatatypeConstructor(), True),
            ("getDatatypeConstructorArity", made.getDatatypeConstructorArity(), len(fields)),
            ("getDatatypeConstructorDomainSorts", made.getDatatypeConstructorDomainSorts(), fields),
            ("getDatatypeConstructorCodomainSort", made.getDatatypeConstructorCodomainSort(), sort),
            ("isDatatypeTester", tested.isDatatypeTester(), True),
            ("getDatatypeTesterDomainSort", tested.getDatatypeTesterDomainSort(), sort),
            (
                "getDatatypeTesterCodomainSort",
                tested.getDatatypeTesterCodomainSort().isBoolean(),
                True,
            ),
        ]
        for selector, field in zip(constructor, fields, strict=True):
            read, written = selector.getTerm().getSort(), selector.getUpdaterTerm().getSort()
            found += [
                ("isDatatypeSelector", read.isDatatypeSelector(), True),
                ("getDatatypeSelectorDomainSort", read.getDatatypeSelectorDomainSort(), sort),
                ("getDatatypeSelectorCodomainSort", read.getDatatypeSelectorCodomainSort(), field),
                ("isDatatypeUpdater", written.isDatatypeUpdater(), True),
            ]
    return found


def made_sorts(ctx: Any, sort: Any) -> str | None:
    """Sorts that are made of a sort, and what they tell of it."""
    record = ctx.mkRecordSort(("murxpy-left", sort), ("murxpy-right", sort))
    predicate = ctx.mkPredicateSort(sort)
    maker = ctx.mkUninterpretedSortConstructorSort(2, "murxpy-maker")
    made = maker.instantiate([sort, sort])
    abstract = ctx.mkAbstractSort(cvc5.SortKind.BITVECTOR_SORT)
    return _first_wrong(
        [
            ("isRecord", record.isRecord(), True),
            ("isRecord of the datatype", record.getDatatype().isRecord(), True),
            ("isPredicate", predicate.isPredicate(), True),
            ("getFunctionArity", predicate.getFunctionArity(), 1),
            ("isUninterpretedSortConstructor", maker.isUninterpretedSortConstructor(), True),
            ("its arity", maker.getUninterpretedSortConstructorArity(), 2),
            ("isInstantiated", made.isInstantiated(), True),
            ("getInstantiatedParameters", made.getInstantiatedParameters(), [sort, sort]),
            ("getUninterpretedSortConstructor", made.getUninterpretedSortConstructor(), maker),
            ("isAbstract", abstract.isAbstract(), True),
            ("getAbstractedKind", abstract.getAbstractedKind(), cvc5.SortKind.BITVECTOR_SORT),
        ]
    )


# ----------------------------------------------------------------------
# Terms.

_VALUES = {
    "CONST_BOOLEAN": "isBooleanValue",
    "CONST_BITVECTOR": "isBitVectorValue",
    "CONST_FINITE_FIELD": "isFiniteFieldValue",
    "CONST_FLOATINGPOINT": "isFloatingPointValue",
    "CONST_ROUNDINGMODE": "isRoundingModeValue",
    "CONST_STRING": "isStringValue",
    "CONST_SEQUENCE": "isSequenceValue",
    "UNINTERPRETED_SORT_VALUE": "isUninterpretedSortValue",
    "CONST_ARRAY": "isConstArray",
    "SKOLEM": "isSkolem",
    "CARDINALITY_CONSTRAINT": "isCardinalityConstraint",
}
_FLOATS = (
    "isFloatingPointNaN",
    "isFloatingPointPosInf",
    "isFloatingPointNegInf",
    "isFloatingPointPosZero",
    "isFloatingPointNegZero",
)


def asked_term(ctx: Any, term: Any) -> str | None:
    """Each predicate of a term agrees with its kind; a set and a tuple are made of their values again."""
    kind = term.getKind().name
    found = [(name, getattr(term, name)(), kind == of) for of, name in _VALUES.items()]
    if term.isFloatingPointValue():
        classes = [getattr(term, name)() for name in _FLOATS]
        found.append(("the classes of a float", sum(classes) <= 1, True))
    if term.isTupleValue():
        found.append(("getTupleValue", list(term.getTupleValue()), list(term)[1:]))
    if term.isSetValue():
        members = term.getSetValue()
        inside = [ctx.mkTerm(Kind.SET_MEMBER, one, term) for one in members]
        told = [str(cvc5.Solver(ctx).simplify(one)) for one in inside]
        found.append(("the members of a set value", told, ["true"] * len(inside)))
    found.append(("isRealAlgebraicNumber", term.isRealAlgebraicNumber(), kind == _ALGEBRAIC))
    return _first_wrong(found)


_ALGEBRAIC = "CONST_REAL_ALGEBRAIC_NUMBER"


def made_terms(ctx: Any, term: Any) -> str | None:
    """Terms that are made of a term, and what they tell of it."""
    some = ctx.mkNullableSome(term)
    found = [("mkNullableSome", some.getSort().getNullableElementSort(), term.getSort())]
    sort = term.getSort()
    if sort.isUninterpretedSort() and not sort.isInstantiated():
        most = ctx.mkCardinalityConstraint(sort, 3)
        found.append(("getCardinalityConstraint", most.getCardinalityConstraint(), (sort, 3)))
        found.append(("isCardinalityConstraint", most.isCardinalityConstraint(), True))
    if sort.isBoolean():
        lifted = ctx.mkNullableLift(Kind.NOT, some)
        same = ctx.mkTerm(Kind.EQUAL, lifted, ctx.mkNullableSome(term.notTerm()))
        refuted = str(cvc5.Solver(ctx).simplify(same)) == "false"
        found.append(("whether a lifted negation is another one", refuted, False))
    if sort.isArray():
        index = cvc5.SkolemId.ARRAY_DEQ_DIFF
        skolem = ctx.mkSkolem(index, term, term)
        told = skolem.isSkolem(), skolem.getSkolemId(), list(skolem.getSkolemIndices())
        found.append(("a skolem", told, (True, index, [term, term])))
        count = ctx.getNumIndicesForSkolemId(index)
        found.append(("getNumIndicesForSkolemId", count, 2))
    return _first_wrong(found)


# ----------------------------------------------------------------------
# Parts that need no term of the run.


def _part_solver(ctx: Any, logic: str) -> Any:
    solver = cvc5.Solver(ctx)
    for name, value in (
        ("produce-models", "true"),
        ("incremental", "false"),
        ("reproducible-resource-limit", _PART_LIMIT),
    ):
        solver.setOption(name, value)
    solver.setLogic(logic)
    return solver


def heap(ctx: Any) -> str | None:
    """Separation logic: one cell of the heap is no empty heap, and a model tells of it."""
    integer = ctx.getIntegerSort()
    place, cell = ctx.mkConst(integer, "murxpy-place"), ctx.mkInteger(7)
    points = ctx.mkTerm(Kind.SEP_PTO, place, cell)
    solver = _part_solver(ctx, "QF_ALL")
    solver.declareSepHeap(integer, integer)
    solver.assertFormula(points)
    answer = solver.checkSat()
    if answer.isUnsat():
        return "a heap of one cell gives unsat instead of sat"
    if answer.isSat():
        told, value = solver.getValueSepHeap(), solver.getValue(place)
        if told.getKind() != Kind.SEP_PTO or list(told) != [value, cell]:
            return f"getValueSepHeap gives {told} instead of the heap of the model"
    empty = _part_solver(ctx, "QF_ALL")
    empty.declareSepHeap(integer, integer)
    empty.assertFormula(points)
    empty.assertFormula(ctx.mkSepEmp())
    if empty.checkSat().isSat():
        return "an empty heap with a cell answers sat instead of unsat"
    return None


def nil(ctx: Any) -> str | None:
    """ "Obtain the term for nil": an equality of nil, which is a place of the heap, and its value. So cvc5's own
    tests take it.
    """
    integer = ctx.getIntegerSort()
    solver = _part_solver(ctx, "QF_ALL")
    solver.declareSepHeap(integer, integer)
    place = ctx.mkConst(integer, "murxpy-place")
    solver.assertFormula(ctx.mkTerm(Kind.SEP_PTO, place, ctx.mkSepNil(integer)))
    if not solver.checkSat().isSat():
        return None
    found = solver.getValueSepNil()
    if found.getKind() != Kind.EQUAL or found[0] != ctx.mkSepNil(integer):
        return f"getValueSepNil gives {found} instead of an equality of nil"
    return None


def root(ctx: Any, square: int) -> str | None:
    """The square root of a number in a model: its bounds enclose it, and its polynomial changes the sign
    between them.
    """
    real = ctx.getRealSort()
    one = ctx.mkConst(real, "murxpy-root")
    solver = _part_solver(ctx, "QF_NRA")
    wanted = ctx.mkTerm(Kind.EQUAL, ctx.mkTerm(Kind.MULT, one, one), ctx.mkReal(square))
    solver.assertFormula(wanted)
    solver.assertFormula(ctx.mkTerm(Kind.GT, one, ctx.mkReal(0)))
    if not solver.checkSat().isSat():
        return None
    value = solver.getValue(one)
    if not value.isRealAlgebraicNumber():
        return None
    bounds = value.getRealAlgebraicNumberLowerBound(), value.getRealAlgebraicNumberUpperBound()
    low, high = (bound.getRealValue() for bound in bounds)
    if not Fraction(low) ** 2 <= square <= Fraction(high) ** 2:
        return (
            f"the bounds of a root give {low} and {high} instead of bounds of the root of {square}"
        )
    variable = ctx.mkVar(real, "murxpy-variable")
    polynomial = value.getRealAlgebraicNumberDefiningPolynomial(variable)
    signs = []
    for bound in bounds:
        found = solver.simplify(polynomial.substitute(variable, bound))
        signs.append(found.getRealOrIntegerValueSign())
    return None if signs[0] * signs[1] <= 0 else f"no root of {polynomial} is between its bounds"


_SCRIPT = (
    "(set-logic ALL)(declare-sort V 0)(declare-const murxpy-a V)(declare-fun murxpy-g (V) Int)"
    "(assert (! (= (murxpy-g murxpy-a) 0) :named murxpy-named))"
)


def names(ctx: Any) -> str | None:
    """A script is read: the table of symbols has what the script declares and names."""
    solver, symbols = cvc5.Solver(ctx), cvc5.SymbolManager(ctx)
    parser = cvc5.InputParser(solver, symbols)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, _SCRIPT, "murxpy")
    commands = []
    while not (command := parser.nextCommand()).isNull():
        _invoked(command, solver, symbols)
        commands.append((command.getCommandName(), command.toString()))
    return _first_wrong(
        [
            ("getDeclaredSorts", [str(one) for one in symbols.getDeclaredSorts()], ["V"]),
            (
                "getDeclaredTerms",
                [str(one) for one in symbols.getDeclaredTerms()],
                ["murxpy-a", "murxpy-g"],
            ),
            ("getNamedTerms", list(symbols.getNamedTerms().values()), ["murxpy-named"]),
            ("getSolver", parser.getSolver(), solver),
            ("getTermManager", solver.getTermManager(), ctx),
            ("the commands", [name for name, text in commands if text], _COMMANDS),
        ]
    )


def _invoked(command: Any, solver: Any, symbols: Any) -> None:
    command.invoke(solver, symbols)


_COMMANDS = ["set-logic", "declare-sort", "declare-fun", "declare-fun", "assert"]
_ENUMERATIONS = (
    "BlockModelsMode",
    "FindSynthTarget",
    "InputLanguage",
    "Kind",
    "LearnedLitType",
    "OptionCategory",
    "ProofComponent",
    "ProofFormat",
    "ProofRewriteRule",
    "ProofRule",
    "RoundingMode",
    "SkolemId",
    "SortKind",
    "UnknownExplanation",
)


def members() -> str | None:
    """A member of an enumeration is found by its value and by its name."""
    for name in _ENUMERATIONS:
        kind = getattr(cvc5, name)
        for one in kind:
            if kind(one.value) is not one or kind[one.name] is not one:
                return f"{one} gives another member by its value or its name instead of itself"
    return None


def enumerated(ctx: Any) -> str | None:
    """Terms of a grammar one after another ("find a target term of interest using sygus enumeration"):
    they are of its sort, and none comes twice.
    """
    solver, integer = cvc5.Solver(ctx), ctx.getIntegerSort()
    for option in ("sygus", "incremental"):
        solver.setOption(option, "true")
    bound, start = ctx.mkVar(integer, "murxpy-v"), ctx.mkVar(integer, "murxpy-start")
    grammar = solver.mkGrammar([bound], [start])
    grammar.addRules(start, [bound, ctx.mkInteger(1), ctx.mkTerm(Kind.ADD, start, start)])
    found = [solver.findSynth(cvc5.FindSynthTarget.ENUM, grammar)]
    for _ in range(3):
        if found[-1].isNull():
            return "an endless grammar gives an end instead of a term"
        found.append(solver.findSynthNext())
    if any(one.getSort() != integer for one in found):
        return "a grammar gives a term of another sort instead of its own"
    twice = len(set(found)) != len(found)
    return "a grammar gives a term twice instead of once" if twice else None


def settings(ctx: Any) -> str | None:
    """An option has the value that was set, and what is told is taken."""
    solver = cvc5.Solver(ctx)
    solver.setOption("produce-models", "true")
    solver.setInfo("status", "sat")
    pool = solver.declarePool("murxpy-pool", ctx.getIntegerSort(), [ctx.mkInteger(0)])
    return _first_wrong(
        [
            ("getOption", solver.getOption("produce-models"), "true"),
            ("declarePool", pool.getSort(), ctx.mkSetSort(ctx.getIntegerSort())),
        ]
    )
