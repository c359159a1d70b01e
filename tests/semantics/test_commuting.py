"""Which operators are commutative, as `fsm/theories` says it, against our evaluator at all points of
small sorts, and at some points of the others.
"""

from __future__ import annotations

from itertools import permutations

import pytest
from toy import catalogue

from murxpy.data.theories import load_theories
from murxpy.smtlib.building import Tables
from murxpy.smtlib.reading.scripts import read_script
from murxpy.sources.enumeration.reading import Exhaustive

CATALOGUE = catalogue()
# sorts with few values, by how signatures write them
SMALL = {
    "BOOL": "Bool",
    "BV(n)": "(_ BitVec 3)",
    "FP(e,s)": "(_ FloatingPoint 2 3)",
    "FF(p)": "(_ FiniteField 3)",
    "a": "(_ BitVec 2)",
    "SET(a)": "(Set Bool)",
    "FINITE_SET(a)": "(FiniteSet Bool)",
}
# terms of the others
TERMS = {
    "INT": ["(- 3)", "0", "2", "5"],
    "REAL": ["(- 1.5)", "0.0", "2.0"],
    "STRING": ['""', '"a"', '"ab"', '"b"'],
    "REGLAN": ['(str.to_re "a")', "re.all", '(re.+ (str.to_re "ab"))'],
    "SEQ(a)": ["(as seq.empty (Seq Int))", "(seq.unit 1)", "(seq.++ (seq.unit 2) (seq.unit 1))"],
    "BAG(a)": ["(as bag.empty (Bag Int))", "(bag 1 2)", "(bag 1 1)"],
}
OPERATORS = {
    kind: (entry["smtlib"], entry["sig"].split("->")[0].split(), entry["commutative"])
    for theory in load_theories()["theories"]
    for kind, entry in theory["operators"].items()
    if not {"form", "typing"} & {key for key, value in entry.items() if value}
}
# operators that scripts have no name for
UNNAMED = ("OP_BV_ULTBV", "OP_BV_SLTBV", "OP_STR_LAST_INDEXOF")
CANDIDATES = {
    kind: said
    for kind, said in OPERATORS.items()
    if kind not in UNNAMED
    and len(said[1]) == 2 + ("RM" in said[1])
    and said[1][-1] == said[1][-2]
    and said[1][-1] in (*SMALL, *TERMS)
}


def differs(name: str, sorts: list[str], count: int = 2) -> str:
    """`sat` if the operator gives something else for `count` arguments in another order somewhere;
    else `unsat`, or `unknown` if the standard leaves it open at some point (fp.min of the two zeros).
    """
    modes = ["RNE", "RNA", "RTP", "RTN", "RTZ"] if sorts[0] == "RM" else [""]
    small = SMALL.get(sorts[-1])
    names = "xyz"[:count]
    head = "".join(f"(declare-const {name} {small or 'Bool'})" for name in names)
    lists = [tuple(names)] if small else list(permutations(TERMS[sorts[-1]], count))
    tables = Tables(CATALOGUE)
    exhaustive = Exhaustive(head, CATALOGUE, tables)
    answers = set()
    for some in lists:
        for mode in modes:
            one, other = (
                f"({name} {mode} {' '.join(args)})"
                for args in (some, (some[1], *some[2:], some[0]))
            )
            same = f"(= {one} {other})"
            if sorts[-1] == "REGLAN" and name.startswith("re."):
                words = ('""', '"a"', '"ab"', '"aab"', '"aba"')
                same = " ".join(
                    f"(= (str.in_re {word} {one}) (str.in_re {word} {other}))" for word in words
                )
                same = f"(and {same})"
            text = f"{head}(assert (not {same}))(check-sat)"
            answers.update(exhaustive.answers(read_script(text, name, CATALOGUE, tables)))
    return next(answer for answer in ("sat", "unknown", "unsat") if answer in answers)


@pytest.mark.parametrize("kind", CANDIDATES)
def test_an_operator_commutes_if_the_theory_says_so(kind: str) -> None:
    name, sorts, commutative = CANDIDATES[kind]
    assert (differs(name, sorts) == "unsat") == commutative


def test_what_is_said_to_commute_is_tested() -> None:
    said = {kind for kind, (_, _, commutative) in OPERATORS.items() if commutative}
    assert said <= CANDIDATES.keys() and len(CANDIDATES) > 60


@pytest.mark.parametrize(
    "kind",
    [kind for kind, said in CANDIDATES.items() if said[2] and CATALOGUE.operators[kind].variadic],
)
def test_any_order_of_more_arguments_is_the_same(kind: str) -> None:
    name, sorts, _ = CANDIDATES[kind]
    assert differs(name, sorts, count=3) == "unsat"
