"""Planted faults, each with a trace that shows it and has no line too many."""

from __future__ import annotations

from typing import Any

BOOL = '1 mk-sort SORT_BOOL\n return s1\n1 mk-const s1 "p"\n return t1 s1\n'
INT = '1 mk-sort SORT_INT\n return s2\n1 mk-const s2 "i"\n return t2 s2\n'
BV = '1 mk-sort SORT_BV 4\n return s3\n1 mk-const s3 "v"\n return t3 s3\n'
ASSERT = "1 assert-formula {}\n"
CHECK = "1 check-sat\n"
ANSWERED = CHECK + " answer sat\n"


def term(made: int, operator: str, sort: str, words: str, of: int) -> str:
    """A line that applies an operator."""
    return f"1 mk-term {operator} {sort} {words}\n return t{made} s{of}\n"


NOT = term(10, "OP_NOT", "SORT_BOOL", "1 t1", 1)
AND = term(11, "OP_AND", "SORT_BOOL", "2 t1 t1", 1)
LESS = term(12, "OP_INT_LT", "SORT_BOOL", "2 t2 t2", 1)
ADD = term(13, "OP_INT_ADD", "SORT_INT", "2 t2 t2", 2)
LESS_ADD = term(14, "OP_INT_LT", "SORT_BOOL", "2 t13 t13", 1)
BVADD = term(15, "OP_BV_ADD", "SORT_BV", "2 t3 t3", 3)
EXTRACT = term(16, "OP_BV_EXTRACT", "SORT_BV", "1 t3 2 3 0", 3)

# Name, fault (tests/fakes/planted.py), the lines after `new` of its smallest trace.
FAULTS: list[tuple[str, dict[str, Any], str]] = [
    ("check alone", {"at": "check-sat"}, CHECK),
    ("two checks", {"at": "check-sat", "checks": 1}, CHECK * 2),
    ("three checks", {"at": "check-sat", "checks": 2}, CHECK * 3),
    ("a level", {"at": "check-sat", "levels": 1}, "1 push 1\n" + CHECK),
    ("three levels", {"at": "check-sat", "levels": 3}, "1 push 3\n" + CHECK),
    ("an option", {"at": "check-sat", "options": ["depth"]}, "1 set-option depth 1\n" + CHECK),
    (
        "a sort",
        {"at": "check-sat", "kinds": ["SORT_BV"]},
        "1 mk-sort SORT_BV 4\n return s3\n" + CHECK,
    ),
    (
        "an array sort",
        {"at": "check-sat", "kinds": ["SORT_ARRAY"]},
        "1 mk-sort SORT_INT\n return s2\n1 mk-sort SORT_ARRAY s2 s2\n return s4\n" + CHECK,
    ),
    (
        "a datatype",
        {"at": "check-sat", "kinds": ["SORT_DT"]},
        '1 mk-sort SORT_DT 1 "d" 0 2 "nil" 0 "cons" 1 "head" s(nil)\n return s4\n' + CHECK,
    ),
    ("made not", {"at": "check-sat", "made": ["OP_NOT"]}, BOOL + NOT + CHECK),
    (
        "made and, add",
        {"at": "check-sat", "made": ["OP_AND", "OP_INT_ADD"]},
        BOOL + AND + INT + ADD + CHECK,
    ),
    ("made bvadd", {"at": "push", "made": ["OP_BV_ADD"]}, BV + BVADD + "1 push 1\n"),
    ("made extract", {"at": "check-sat", "made": ["OP_BV_EXTRACT"]}, BV + EXTRACT + CHECK),
    (
        "asserted not",
        {"at": "check-sat", "asserted": [["OP_NOT"]]},
        BOOL + NOT + ASSERT.format("t10") + CHECK,
    ),
    (
        "asserted and over less",
        {"at": "check-sat", "asserted": [["OP_AND", "OP_INT_LT"]]},
        INT + LESS + term(11, "OP_AND", "SORT_BOOL", "2 t12 t12", 1) + ASSERT.format("t11") + CHECK,
    ),
    (
        "asserted less over add",
        {"at": "check-sat", "asserted": [["OP_INT_LT", "OP_INT_ADD"]]},
        INT + ADD + LESS_ADD + ASSERT.format("t14") + CHECK,
    ),
    (
        "asserted three deep",
        {"at": "check-sat", "asserted": [["OP_NOT", "OP_AND", "OP_INT_LT"]]},
        INT
        + LESS
        + term(11, "OP_AND", "SORT_BOOL", "2 t12 t12", 1)
        + term(10, "OP_NOT", "SORT_BOOL", "1 t11", 1)
        + ASSERT.format("t10")
        + CHECK,
    ),
    (
        "asserted not in a level, option",
        {"at": "check-sat", "asserted": [["OP_NOT"]], "levels": 1, "options": ["depth"]},
        "1 set-option depth 1\n" + BOOL + NOT + ASSERT.format("t10") + "1 push 1\n" + CHECK,
    ),
    (
        "asserted not and less",
        {"at": "check-sat", "asserted": [["OP_NOT"], ["OP_INT_LT"]]},
        INT + LESS + term(10, "OP_NOT", "SORT_BOOL", "1 t12", 1) + ASSERT.format("t10") + CHECK,
    ),
    (
        "assumed not",
        {"at": "check-sat-assuming", "assumed": [["OP_NOT"]]},
        BOOL + NOT + "1 check-sat-assuming 1 t10\n",
    ),
    (
        "assumed two, after a check",
        {"at": "check-sat-assuming", "count": 2, "checks": 1},
        BOOL + CHECK + "1 check-sat-assuming 2 t1 t1\n",
    ),
    (
        "value after a check",
        {"at": "get-value", "history": ["push", "check-sat"]},
        BOOL + "1 push 1\n" + CHECK + "1 get-value 1 t1\n",
    ),
    (
        "pop after a check",
        {"at": "pop", "history": ["push", "check-sat"]},
        "1 push 1\n" + CHECK + "1 pop 1\n",
    ),
    (
        "assert after pop",
        {"at": "assert-formula", "history": ["check-sat", "pop"]},
        BOOL + "1 push 1\n" + CHECK + "1 pop 1\n" + ASSERT.format("t1"),
    ),
    ("model after two checks", {"at": "get-model", "checks": 2}, CHECK * 2 + "1 get-model\n"),
    (
        "made ite and select",
        {"at": "check-sat", "made": ["OP_ITE", "OP_ARRAY_SELECT"]},
        INT
        + '1 mk-sort SORT_ARRAY s2 s2\n return s4\n1 mk-const s4 "a"\n return t4 s4\n'
        + term(17, "OP_ARRAY_SELECT", "SORT_INT", "2 t4 t2", 2)
        + BOOL
        + term(18, "OP_ITE", "SORT_INT", "3 t1 t2 t2", 2)
        + CHECK,
    ),
    (
        "asserted equal over select",
        {"at": "check-sat", "asserted": [["OP_EQUAL", "OP_ARRAY_SELECT"]]},
        INT
        + '1 mk-sort SORT_ARRAY s2 s2\n return s4\n1 mk-const s4 "a"\n return t4 s4\n'
        + term(17, "OP_ARRAY_SELECT", "SORT_INT", "2 t4 t2", 2)
        + term(18, "OP_EQUAL", "SORT_BOOL", "2 t17 t17", 1)
        + ASSERT.format("t18")
        + CHECK,
    ),
    (
        "asserted quantifier",
        {"at": "check-sat", "asserted": [["OP_FORALL"]]},
        '1 mk-sort SORT_BOOL\n return s1\n1 mk-var s1 "x"\n return t1 s1\n'
        + term(10, "OP_FORALL", "SORT_BOOL", "2 t1 t1", 1)
        + ASSERT.format("t10")
        + CHECK,
    ),
    (
        "four levels in two pushes",
        {"at": "check-sat", "levels": 4, "times": {"push": 2}},
        "1 push 2\n1 push 2\n" + CHECK,
    ),
    (
        "a level popped and another",
        {"at": "check-sat", "levels": 1, "history": ["push", "pop", "push"]},
        "1 push 1\n1 pop 1\n1 push 1\n" + CHECK,
    ),
    (
        "a check in each level",
        {"at": "check-sat", "history": ["check-sat", "push", "check-sat", "push"]},
        CHECK + "1 push 1\n" + CHECK + "1 push 1\n" + CHECK,
    ),
    (
        "assert in a level that is popped",
        {"at": "check-sat", "history": ["push", "assert-formula", "pop"]},
        BOOL + "1 push 1\n" + ASSERT.format("t1") + "1 pop 1\n" + CHECK,
    ),
    (
        "three assertions",
        {"at": "check-sat", "times": {"assert-formula": 3}},
        BOOL + ASSERT.format("t1") * 3 + CHECK,
    ),
    (
        "six assertions",
        {"at": "check-sat", "times": {"assert-formula": 6}},
        BOOL + ASSERT.format("t1") * 6 + CHECK,
    ),
    (
        "a large option",
        {"at": "check-sat", "value": ["depth", 5]},
        "1 set-option depth 5\n" + CHECK,
    ),
    (
        "an option set twice",
        {"at": "check-sat", "times": {"set-option": 2}},
        "1 set-option depth 1\n" * 2 + CHECK,
    ),
    (
        "an option after a check",
        {"at": "check-sat", "history": ["check-sat", "set-option"]},
        CHECK + "1 set-option depth 1\n" + CHECK,
    ),
    ("a wide sort", {"at": "check-sat", "width": 7}, "1 mk-sort SORT_BV 7\n return s3\n" + CHECK),
    (
        "two widths",
        {"at": "check-sat", "times": {"SORT_BV": 2}},
        "1 mk-sort SORT_BV 4\n return s3\n1 mk-sort SORT_BV 5\n return s4\n" + CHECK,
    ),
    ("a wide addition", {"at": "check-sat", "width": 3, "made": ["OP_BV_ADD"]}, BV + BVADD + CHECK),
    ("an index", {"at": "check-sat", "number": 3, "made": ["OP_BV_EXTRACT"]}, BV + EXTRACT + CHECK),
    (
        "a literal",
        {"at": "check-sat", "literal": "11"},
        '1 mk-sort SORT_INT\n return s2\n1 mk-value s2 "11"\n return t2 s2\n' + CHECK,
    ),
    (
        "a literal in an assertion",
        {"at": "check-sat", "literal": "7", "asserted": [["OP_INT_LT"]]},
        '1 mk-sort SORT_INT\n return s2\n1 mk-value s2 "7"\n return t2 s2\n'
        + LESS
        + ASSERT.format("t12")
        + CHECK,
    ),
    (
        "a symbol",
        {"at": "check-sat", "symbol": "|"},
        '1 mk-sort SORT_INT\n return s2\n1 mk-const s2 "a|b"\n return t2 s2\n' + CHECK,
    ),
    (
        "a symbol in an assertion",
        {"at": "check-sat", "symbol": " ", "asserted": [["OP_NOT"]]},
        BOOL.replace('"p"', '"p q"') + NOT + ASSERT.format("t10") + CHECK,
    ),
    (
        "a wide conjunction",
        {"at": "check-sat", "arity": {"OP_AND": 4}},
        BOOL + term(11, "OP_AND", "SORT_BOOL", "4 t1 t1 t1 t1", 1) + CHECK,
    ),
    (
        "a wide conjunction, asserted",
        {"at": "check-sat", "arity": {"OP_AND": 3}, "asserted": [["OP_AND"]]},
        BOOL + term(11, "OP_AND", "SORT_BOOL", "3 t1 t1 t1", 1) + ASSERT.format("t11") + CHECK,
    ),
    (
        "four assumptions",
        {"at": "check-sat-assuming", "count": 4},
        BOOL + "1 check-sat-assuming 4 t1 t1 t1 t1\n",
    ),
    (
        "different arguments",
        {"at": "check-sat", "distinct": ["OP_INT_ADD"]},
        INT
        + '1 mk-const s2 "j"\n return t4 s2\n'
        + term(13, "OP_INT_ADD", "SORT_INT", "2 t2 t4", 2)
        + CHECK,
    ),
    (
        "different arguments, asserted",
        {"at": "check-sat", "distinct": ["OP_EQUAL"], "asserted": [["OP_EQUAL"]]},
        INT
        + '1 mk-const s2 "j"\n return t4 s2\n'
        + term(13, "OP_EQUAL", "SORT_BOOL", "2 t2 t4", 1)
        + ASSERT.format("t13")
        + CHECK,
    ),
    (
        "a spelling",
        {"at": "check-sat", "spelled": ["OP_EQUAL", "pair"]},
        BOOL + "1 mk-term@pair OP_EQUAL SORT_BOOL 2 t1 t1\n return t10 s1\n" + CHECK,
    ),
    (
        "a deep assertion",
        {"at": "check-sat", "depth": 3},
        BOOL
        + NOT
        + term(11, "OP_NOT", "SORT_BOOL", "1 t10", 1)
        + term(12, "OP_NOT", "SORT_BOOL", "1 t11", 1)
        + ASSERT.format("t12")
        + CHECK,
    ),
    (
        "a very deep assertion",
        {"at": "check-sat", "depth": 6},
        BOOL
        + NOT
        + "".join(term(10 + n, "OP_NOT", "SORT_BOOL", f"1 t{9 + n}", 1) for n in range(1, 6))
        + ASSERT.format("t15")
        + CHECK,
    ),
    ("an answer", {"at": "get-model", "answered": 1}, ANSWERED + "1 get-model\n"),
    (
        "three answers",
        {"at": "get-value", "answered": 3},
        BOOL + ANSWERED * 3 + "1 get-value 1 t1\n",
    ),
    (
        "an answer, then a level",
        {"at": "get-value", "answered": 2, "levels": 1},
        BOOL + "1 push 1\n" + ANSWERED * 2 + "1 get-value 1 t1\n",
    ),
    (
        "four constants",
        {"at": "check-sat", "times": {"mk-const": 4}},
        "1 mk-sort SORT_INT\n return s2\n"
        + "".join(f'1 mk-const s2 "c{n}"\n return t{n} s2\n' for n in range(2, 6))
        + CHECK,
    ),
    (
        "three applications",
        {"at": "check-sat", "times": {"OP_NOT": 3}},
        BOOL
        + NOT
        + "".join(term(10 + n, "OP_NOT", "SORT_BOOL", "1 t1", 1) for n in (1, 2))
        + CHECK,
    ),
    (
        "two datatypes",
        {"at": "check-sat", "times": {"SORT_DT": 2}},
        "".join(f'1 mk-sort SORT_DT 1 "d{n}" 0 1 "nil{n}" 0\n return s{n}\n' for n in (4, 5))
        + CHECK,
    ),
    (
        "an array of arrays",
        {"at": "check-sat", "times": {"SORT_ARRAY": 2}},
        "1 mk-sort SORT_INT\n return s2\n1 mk-sort SORT_ARRAY s2 s2\n return s4\n1 mk-sort SORT_ARRAY s2 s4\n return s5\n"
        + CHECK,
    ),
    (
        "a simplified addition",
        {"at": "simplify", "made": ["OP_INT_ADD"]},
        INT + ADD + "1 simplify t2\n",
    ),
    (
        "a substitution",
        {"at": "substitute", "made": ["OP_NOT"]},
        BOOL + NOT + "1 substitute t1 t1 t1\n",
    ),
    (
        "two theories in one assertion",
        {"at": "check-sat", "asserted": [["OP_AND", "OP_INT_LT"], ["OP_AND", "OP_EQUAL"]]},
        INT
        + LESS
        + term(11, "OP_EQUAL", "SORT_BOOL", "2 t12 t12", 1)
        + term(10, "OP_AND", "SORT_BOOL", "2 t11 t11", 1)
        + ASSERT.format("t10")
        + CHECK,
    ),
    (
        "a function applied",
        {"at": "check-sat", "made": ["OP_UF_APPLY"]},
        '1 mk-sort SORT_BOOL\n return s1\n1 mk-sort SORT_FUN s1 s1\n return s4\n1 mk-const s4 "f"\n return t4 s4\n'
        '1 mk-const s1 "p"\n return t1 s1\n'
        + term(18, "OP_UF_APPLY", "SORT_BOOL", "2 t4 t1", 1)
        + CHECK,
    ),
]
