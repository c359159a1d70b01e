"""What becomes a trace of Murxla: terms that define what Murxla has no operator for, lines that are
left out, and the checker of Murxla's grammar.
"""

from __future__ import annotations

import sys
from itertools import product
from pathlib import Path

import pytest
from toy import forked, walk
from typed_terms import catalogue, value

from murxpy.data import (
    load_catalogue,
    load_machine,
    load_profile,
    load_wrapper,
    merge_profile,
)
from murxpy.errors import InputError
from murxpy.machine.trace.grammar import parse_trace
from murxpy.smtlib.building import Tables
from murxpy.translate.dry import AnyReading, Silent, interpret
from murxpy.translate.murxla import OPERATORS, SORTS, to_murxla
from murxpy.worker.session import Session

sys.path.insert(0, str(Path(__file__).parents[2] / "bench"))
from murxla_grammar import OPERATORS as CHECKED
from murxla_grammar import Checker, Rejected, judged

PROFILE = Path(__file__).parents[2] / "docs" / "murxla-profile.yaml"
HEADER = "# murxpy-trace 1\n# solver cvc5 1.4.2\n"
HEAD = """new
set-logic QF_ALIA
set-option incremental true
mk-sort SORT_BV 3
 return s1
mk-sort SORT_INT
 return s2
mk-sort SORT_BOOL
 return s3
mk-const s1 "x"
 return t1 s1
mk-const s1 "y"
 return t2 s1
mk-const s2 "i"
 return t3 s2
mk-const s2 "j"
 return t4 s2
mk-value s2 "3"
 return t5 s2
mk-const s3 "b"
 return t6 s3
mk-value s1 "101" 2
 return t7 s1
mk-value s2 "-5"
 return t8 s2
"""
TERMS = [
    *(
        f"OP_BV_{name} SORT_BOOL 2 t1 t2"
        for name in ("UADDO", "SADDO", "UMULO", "SMULO", "USUBO", "SSUBO", "SDIVO")
    ),
    "OP_BV_NEGO SORT_BOOL 1 t1",
    "OP_BV_REDXOR SORT_BV 1 t1",
    "OP_BV_EXT_ROTATE_LEFT SORT_BV 2 t1 t2",
    "OP_BV_BIT SORT_BOOL 1 t1 1 2",
    "OP_BV_FROM_BOOLS SORT_BV 3 t6 t6 t6",
    "OP_INT_DIV_TOTAL SORT_INT 2 t3 t4",
    "OP_INT_MOD_TOTAL SORT_INT 2 t3 t4",
    "OP_INT_IAND SORT_INT 2 t3 t4 1 4",
    "OP_INT_PIAND SORT_INT 3 t5 t3 t4",
    "OP_INT_POW SORT_INT 2 t3 t5",
]


def translated(*lines: str, lossy: bool = False) -> tuple[str, str]:
    """A trace of cvc5 with these lines behind the head, and what it becomes for Murxla."""
    text = HEADER + HEAD + "".join(f"{line}\n" for line in lines)
    return text, to_murxla(parse_trace(text, "t.trace"), catalogue(), lossy)


@pytest.mark.parametrize("term", TERMS)
def test_a_definition_has_the_value_of_its_operator(term: str) -> None:
    """The evaluator gives the same values to what both traces assert."""
    kind = term.split()[1]
    sort, literal = {"SORT_BV": ("s9", "t7"), "SORT_INT": ("s2", "t8"), "SORT_BOOL": ("s3", "t6")}[
        kind
    ]
    if kind == "SORT_BV" and "REDXOR" not in term:
        sort = "s1"
    ours, murxla = translated(
        f"mk-term {term}",
        f" return t20 {sort}",
        *(["mk-sort SORT_BV 1", " return s8", 'mk-value s8 "1" 2', " return t21 s8"]),
        f"mk-term OP_EQUAL SORT_BOOL 2 t20 {'t21' if 'REDXOR' in term else literal}",
        " return t22 s3",
        "assert-formula t22",
        "check-sat",
        " answer sat",
    )
    Checker().check(murxla)
    assert term.split()[0] not in murxla
    for x, y in product((0, 1, 2, 5, 7), repeat=2):
        assert truth(ours, x, y) == truth(murxla, x, y), (x, y)


def truth(text: str, x: int, y: int) -> object:
    """The value of the first assertion of a trace, with numbers for its constants."""
    trace = parse_trace(text, "t.trace")
    run = Silent(catalogue(), trace)
    interpret(run, AnyReading(run, trace))
    tables = Tables(run.catalogue, run.sorts, run.terms)
    constants = {
        tables.constant("x", tables.sort("SORT_BV", 3)): x,
        tables.constant("y", tables.sort("SORT_BV", 3)): y,
        tables.constant("i", tables.int): x - 4,
        tables.constant("j", tables.int): y - 4,
        tables.constant("b", tables.bool): x > y,
    }
    return value(run.state.asserted()[0].term, constants)


def test_sets_bags_ranges_patterns_and_lambdas_are_defined() -> None:
    _, text = translated(
        *["mk-sort SORT_SET s2", " return s4", 'mk-const s4 "s"', " return t20 s4"],
        *["mk-sort SORT_BAG s2", " return s5", 'mk-const s5 "m"', " return t21 s5"],
        *["mk-sort SORT_ARRAY s2 s2", " return s6", 'mk-const s6 "a"', " return t22 s6"],
        *["mk-term OP_SET_IS_EMPTY SORT_BOOL 1 t20", " return t23 s3"],
        *["mk-term OP_SET_DELETE SORT_SET 2 t3 t20", " return t24 s4"],
        *["mk-term OP_BAG_MEMBER SORT_BOOL 2 t3 t21", " return t25 s3"],
        *["mk-term OP_EQ_RANGE_INT SORT_BOOL 4 t22 t22 t3 t4", " return t26 s3"],
        *['mk-var s2 "v"', " return t27 s2"],
        *["mk-term OP_INT_LT SORT_BOOL 2 t27 t3", " return t28 s3"],
        *["mk-term OP_FORALL_PATTERN SORT_BOOL 3 t27 t28 t28", " return t29 s3"],
        *["mk-term OP_LAMBDA SORT_FUN 2 t27 t4", " return t30 s7"],
        *["reset", "assert-formula t26"],
    )
    Checker().check(text)
    assert "set-logic ALL" in text  # the definition of a range has a quantifier
    assert "mk-term OP_FORALL SORT_BOOL 2 t27 t28" in text
    assert 'mk-fun "_lambda' in text
    for gone in ("IS_EMPTY", "DELETE", "BAG_MEMBER", "EQ_RANGE", "PATTERN", "LAMBDA"):
        assert f"OP_{gone}" not in text and f"_{gone} " not in text


def test_lines_that_change_nothing_are_left_out_without_asking() -> None:
    _, text = translated(
        *("check-term t1", "check-sort s1", "check-eq t1", "gc", "del t2", "statistics"),
        *("get-info", "check-sat", " answer sat", "get-model", "cvc5-sort-substitute t3 t3 t4"),
    )
    Checker(["sat"]).check(text)
    rows = [row.split(maxsplit=1)[1] for row in text.splitlines() if not row.startswith("#")]
    assert rows[-3:] == ["check-sat", "print-model", "cvc5-sort-substitute s2 1 s2 1 s2"]
    with pytest.raises(InputError, match=r"SORT_TUPLE has no name in Murxla.*--lossy"):
        translated("mk-sort SORT_TUPLE s1", " return s4")
    with pytest.raises(InputError, match=r"OP_INT_LOG2 has no name in Murxla.*--lossy"):
        translated("mk-term OP_INT_LOG2 SORT_INT 1 t3", " return t20 s2")
    _, lossy = translated("mk-term OP_INT_LOG2 SORT_INT 1 t3", " return t20 s2", lossy=True)
    assert "OP_INT_LOG2 has no name in Murxla" in lossy


def test_walks_are_accepted_and_come_back_with_the_same_answers() -> None:
    """Walks with the profile for Murxla are written whole, and replay with the same answers."""
    wrapper = load_wrapper("cvc5")
    profile = merge_profile(wrapper["profile"], load_profile(PROFILE))
    setup = {"catalogue": load_catalogue(), "machine": load_machine("default")}
    session = Session({**setup, "wrapper": {**wrapper, "profile": profile}})
    found = [
        judged(forked(lambda seed=seed: walk(session, seed)[0]), f"{seed}.trace", session)
        for seed in range(2100, 2106)
    ]
    statuses = [status for status, _ in found]
    assert set(statuses) <= {"whole", "timeout"}, found
    assert statuses.count("whole") >= 4


def test_the_profile_for_murxla_takes_away_what_murxla_has_no_name_for() -> None:
    profile = load_profile(PROFILE)
    assert not OPERATORS & {*profile["exclude-operators"]}
    assert not {*SORTS} & {*profile["sorts"]["exclude"]}


def test_the_checker_has_the_operators_of_the_writer() -> None:
    ours = {kind for kind in OPERATORS if not kind.startswith("OP_DT_")}
    theirs = {kind for kind in CHECKED if "-" not in kind}
    assert ours - theirs == {"OP_FORALL", "OP_EXISTS", "OP_SET_COMPREHENSION"}
    assert not theirs - ours


GOOD = """set-murxla-options --cvc5
1 new
1 set-logic QF_BV
1 set-option incremental true
1 mk-sort SORT_BV 8
return s1
1 mk-const s1 "x"
return t1
1 mk-var s1 "v"
return t2
1 mk-term OP_BV_ULT SORT_BOOL 2 t1 t1
return t3 s2
1 mk-term OP_BV_ULT SORT_BOOL 2 t1 t2
return t4 s2
"""


@pytest.mark.parametrize(
    ("lines", "answer", "reason"),
    [
        ("1 assert-formula t9", "", "unknown term t9"),
        ("1 assert-formula t1", "", "not Boolean"),
        ("1 assert-formula t4", "", "free variables"),
        ("1 mk-term OP_AND SORT_BOOL 2 t1 t3\nreturn t5 s2", "", "BV in place of BOOL"),
        ("1 mk-term OP_BV_NOT SORT_BV 2 t1 t1\nreturn t5 s1", "", "2 arguments"),
        ("1 mk-term OP_BV_EXTRACT SORT_BV 1 t1 1 3\nreturn t5 s1", "", "1 indices"),
        ("1 mk-term OP_BV_NOTHING SORT_BV 1 t1\nreturn t5 s1", "", "no operator"),
        ("1 mk-term OP_EQUAL SORT_BOOL 2 t1 t3\nreturn t5 s2", "", "different sorts"),
        ("1 mk-term OP_BV_NOT SORT_BOOL 1 t1\nreturn t5 s2", "", "the result is BV"),
        ("1 mk-term OP_FORALL SORT_BOOL 2 t1 t4\nreturn t5 s2", "", "no variable"),
        ("1 mk-sort SORT_TUPLE s1\nreturn s5", "", "no sort"),
        ('1 mk-const s7 "y"\nreturn t5', "", "unknown sort s7"),
        ("1 get-value 1 t1", "", "no model"),
        ("1 check-sat\n1 get-value 1 t1", "unsat", "no model"),
        ("1 check-sat\n1 assert-formula t3\n1 print-model", "sat", "no model"),
        ("1 check-sat\n1 get-unsat-core", "sat", "no core"),
        ("1 check-sat\n1 get-unsat-assumptions", "unsat", "no assumptions"),
        ("1 pop 2", "", "fewer levels"),
        ("1 set-logic QF_BV", "", "too late"),
        ("1 reset\n1 assert-formula t3", "", "unknown term"),
        ("1 new", "", "second solver"),
        ("1 gc", "", "no such action"),
        ("1 delete\n1 check-sat", "", "no solver"),
        ("1 check-sat\nreturn t5", "", "returns nothing"),
    ],
)
def test_the_checker_rejects(lines: str, answer: str, reason: str) -> None:
    Checker().check(GOOD + "1 assert-formula t3\n1 check-sat-assuming 1 t3\n1 delete\n")
    with pytest.raises(Rejected, match=reason):
        Checker([answer] if answer else None).check(f"{GOOD}1 push 1\n{lines}\n")
