"""What cvc5 tells of sorts, terms and small parts of its API: it keeps the laws, and a cvc5 that breaks one is told so."""

from __future__ import annotations

import functools
from typing import Any

import pytest
from toy import catalogue, live, replay

from murxpy.data import load_wrapper
from murxpy.findings.kinds.registry import kind_of
from murxpy.machine.trace.grammar import parse_trace
from murxpy.translate.programs.program import programs

cvc5 = pytest.importorskip("cvc5")
Kind = cvc5.Kind


@functools.cache
def helpers() -> Any:
    """The helpers of the wrapper, as a session loads them."""
    return live("cvc5").wrapper.namespace["h"]


class Lying:
    """Stands for an object of cvc5, with some of its methods replaced."""

    def __init__(self, real: Any, **lies: Any) -> None:
        self.real, self.lies = real, lies

    def __getattr__(self, name: str) -> Any:
        return self.lies.get(name) or getattr(self.real, name)

    def __iter__(self) -> Any:
        return iter(self.real)

    def __eq__(self, other: object) -> bool:
        return bool(self.real == other)

    def __hash__(self) -> int:
        return hash(self.real)


def sorts(tm: Any) -> list[Any]:
    integer, truth = tm.getIntegerSort(), tm.getBooleanSort()
    nil, cons = (tm.mkDatatypeConstructorDecl(name) for name in ("nil", "cons"))
    cons.addSelector("head", integer)
    cons.addSelectorSelf("tail")
    lists = tm.mkDatatypeDecl("L")
    lists.addConstructor(nil)
    lists.addConstructor(cons)
    variable = tm.mkParamSort("T")
    boxes = tm.mkDatatypeDecl("B", [variable])
    box = tm.mkDatatypeConstructorDecl("box")
    box.addSelector("inside", variable)
    boxes.addConstructor(box)
    made = [integer, truth, tm.getRealSort(), tm.getStringSort(), tm.getRegExpSort()]
    made += [tm.getRoundingModeSort(), tm.mkBitVectorSort(5), tm.mkFloatingPointSort(3, 5)]
    made += [tm.mkFunctionSort([integer, truth], truth), tm.mkFunctionSort(integer, integer)]
    made += [tm.mkArraySort(integer, truth), tm.mkSetSort(integer), tm.mkBagSort(integer)]
    made += [tm.mkSequenceSort(integer), tm.mkTupleSort(integer, truth), tm.mkNullableSort(truth)]
    made += [tm.mkUninterpretedSort("U"), tm.mkFiniteFieldSort("7", 10)]
    return [*made, tm.mkDatatypeSort(lists), tm.mkDatatypeSort(boxes).instantiate([integer])]


def test_cvc5_keeps_the_laws_of_sorts() -> None:
    tm = cvc5.TermManager()
    for sort in sorts(tm):
        assert helpers().asked_sort(tm, sort) is None, sort
        assert sort.isFunction() or helpers().made_sorts(tm, sort) is None, sort


def test_cvc5_keeps_the_laws_of_terms() -> None:
    tm = cvc5.TermManager()
    one, two = tm.mkInteger(1), tm.mkInteger(2)
    both = tm.mkTerm(Kind.SET_INSERT, one, tm.mkTerm(Kind.SET_SINGLETON, two))
    constants = [tm.mkConst(sort, "c") for sort in sorts(tm)]
    values = [tm.mkTrue(), one, tm.mkBitVector(4, 3), tm.mkString("a"), tm.mkTuple([one, two])]
    values += [tm.mkFloatingPointPosInf(3, 5), cvc5.Solver(tm).simplify(both)]
    for term in [*constants, *values]:
        assert helpers().asked_term(tm, term) is None, term
        assert term.getSort().isFunction() or helpers().made_terms(tm, term) is None, term


@pytest.mark.parametrize(
    ("at", "lie", "said"),
    [
        (0, {"isBag": lambda: True}, "isBag gives True instead of False"),
        (0, {"isInteger": lambda: False}, "isInteger gives False instead of True"),
        (8, {"isPredicate": lambda: False}, "isPredicate gives False"),
        (8, {"getFunctionArity": lambda: 3}, "getFunctionArity gives 3 instead of 2"),
        (14, {"getTupleLength": lambda: 1}, "getTupleLength gives 1 instead of 2"),
        (18, {"isDatatype": lambda: False}, "isDatatype gives False instead of True"),
        (19, {"getDatatypeArity": lambda: 2}, "getDatatypeArity gives 2 instead of 1"),
    ],
)
def test_a_sort_that_lies_is_told(at: int, lie: dict[str, Any], said: str) -> None:
    tm = cvc5.TermManager()
    assert said in str(helpers().asked_sort(tm, Lying(sorts(tm)[at], **lie)))


def test_a_datatype_or_term_that_lies_is_told() -> None:
    tm = cvc5.TermManager()
    lists = sorts(tm)[18]
    for name, told in (("isWellFounded", False), ("isCodatatype", True), ("isFinite", True)):
        datatype = Lying(lists.getDatatype(), **{name: lambda told=told: told})
        found = helpers()._first_wrong(helpers()._parts_of_datatype(lists, datatype))
        assert f"{name} gives {told}" in str(found)
    term = Lying(tm.mkTrue(), isSkolem=lambda: True)
    assert helpers().asked_term(tm, term) == "isSkolem gives True instead of False"


PARTS = ("heap", "names", "enumerated", "settings")


def test_cvc5_keeps_the_laws_of_its_parts() -> None:
    tm = cvc5.TermManager()
    assert [getattr(helpers(), part)(tm) for part in PARTS] == [None] * 4
    assert helpers().root(tm, 2) is None and helpers().root(tm, 3) is None
    assert helpers().root(tm, 4) is None and helpers().members() is None


@pytest.mark.parametrize(
    ("part", "of", "lie", "said"),
    [
        (
            "heap",
            "Solver",
            {"getValueSepHeap": lambda tm: tm.mkSepEmp()},
            "instead of the heap of the model",
        ),
        (
            "nil",
            "Solver",
            {"getValueSepNil": lambda tm: tm.mkTrue()},
            "gives true instead of an equality of nil",
        ),
        (
            "names",
            "SymbolManager",
            {"getDeclaredTerms": lambda tm: []},
            "getDeclaredTerms gives []",
        ),
        ("names", "SymbolManager", {"getNamedTerms": lambda tm: {}}, "getNamedTerms gives []"),
        (
            "enumerated",
            "Solver",
            {"findSynthNext": lambda tm: tm.mkInteger(1)},
            "gives a term twice",
        ),
        ("settings", "Solver", {"getOption": lambda tm, name: "false"}, "getOption gives false"),
    ],
)
def test_a_part_that_lies_is_told(
    part: str, of: str, lie: dict[str, Any], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    tm, real = cvc5.TermManager(), getattr(cvc5, of)
    ((name, told),) = lie.items()
    unwrapped = [getattr(cvc5, one) for one in ("Solver", "SymbolManager", "InputParser")]

    def lying(*args: Any) -> Any:
        return Lying(real(*args), **{name: lambda *asked: told(tm, *asked)})

    if part == "names":
        monkeypatch.setattr(cvc5, "InputParser", lambda s, m: unwrapped[2](s, m.real))
        monkeypatch.setitem(helpers().__dict__, "_invoked", lambda c, s, m: c.invoke(s, m.real))
    monkeypatch.setattr(cvc5, of, lying)
    assert said in str(getattr(helpers(), part)(tm))


TRACE = """new
mk-sort SORT_BOOL
 return s1
mk-const s1 "p"
 return t1 s1
cvc5-asked@sort t1
cvc5-asked@term t1
cvc5-asked@made-sorts t1
cvc5-asked@made-terms t1
cvc5-part@settings
"""


def test_a_broken_law_is_a_finding_with_a_program(monkeypatch: pytest.MonkeyPatch) -> None:
    assert replay(live("cvc5"), TRACE)[1]["finding"] is None
    trace = parse_trace(f"# murxpy-trace 1\n# solver cvc5 1.4.2\n{TRACE}", "t.trace")
    claim = kind_of("contract").claim("cvc5 1.4.2", "getOption gives false instead of true", "")
    program = next(programs(trace, catalogue(), load_wrapper("cvc5"), claim)).text
    assert _code(program) == 0
    real = cvc5.Solver
    monkeypatch.setattr(cvc5, "Solver", lambda tm: Lying(real(tm), getOption=lambda name: "false"))
    found = replay(live("cvc5"), TRACE)[1]["finding"]
    assert (found["kind"], found["tier"]) == ("contract", "binding")
    assert "getOption gives false" in found["message"]
    assert _code(program) == 1


def _code(program: str) -> Any:
    with pytest.raises(SystemExit) as ended:
        exec(compile(program, "p.py", "exec"), {"__name__": "__main__"})
    return ended.value.code or 0
