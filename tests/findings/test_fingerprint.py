"""Scripts are told apart by their theories: in the buckets of findings that are whole scripts."""

from __future__ import annotations

import pytest

from murxpy.machine.trace.finished import last_call
from murxpy.smtlib.logics import theories


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(declare-const p Bool)(declare-fun q () Bool)(assert (and p q))", "BOOL"),
        ("(declare-fun f (Int) Int)(assert (< (f 1) 2))", "INT UF"),
        ('(assert (str.in_re "(bvadd" re.all))(declare-const |(bv| Bool)', "STRING"),
        (
            "(declare-const b (_ BitVec 8))(assert (forall ((c (_ BitVec 8))) (bvult b c)))",
            "BV QUANT",
        ),
        ("(declare-const a (Array Int Real))", "ARRAY INT REAL"),
        ("(declare-const x Float32)(assert (fp.isNaN x))", "FP"),
        ("(declare-datatypes ((T 0)) (((c))))", "DT"),
    ],
)
def test_theories(text: str, expected: str) -> None:
    assert " ".join(theories(text)) == expected


def test_the_call_of_a_script_names_them() -> None:
    call = last_call(
        '# source fusion\n12 run-script@eval "(declare-const x Int)\\u{a}(assert (= x 1))"\nanswer sat\n'
    )
    assert (call.action, call.operator, call.spelling) == ("run-script", "INT", "eval")
