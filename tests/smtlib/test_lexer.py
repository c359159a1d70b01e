"""The tokens of SMT-LIB scripts: what is not closed costs no more than what is, and every script
may end anywhere.
"""

from __future__ import annotations

import pytest
from toy import catalogue

from murxpy.errors import InputError
from murxpy.logic.signature import parse_signature
from murxpy.smtlib.lexer import tokenize
from murxpy.smtlib.reading.scripts import read_script

CATALOGUE = catalogue()
LONG = 100_000  # characters; an exponential lexer needs years for 60 of them
SCRIPT = """(set-logic ALL)(set-info :status sat) (set-option :produce-models true) ; a "comment
(declare-datatypes ((L 1)) ((par (X) ((nil) (cons (head X) (tail (L X)))))))(declare-sort U 0)(define-sort S (T) (Array Int T))
(declare-fun |f g| (Int U) (L Int))(declare-const s String)(define-fun h ((x Int)) Int (ite (< x 0) (- x) (* 2 x)))
(assert (! (let ((a (str.++ s "say ""hi"" \\u{41}")) (b 1)) (and (= a s) (forall ((y Int)) (! (> (h y) b) :pattern ((h y)))))) :named n))
(assert (match (|f g| 1 (as @U_0 U)) ((nil true) ((cons x y) (= x ((_ bv2nat) #b01))))))
(assert (= ((_ to_fp 8 24) RNE #x00000000) (_ +zero 8 24)))
(assert (= (select ((as const (Array Int Real)) 1.5) 3) (_ bv3 4)))
(push 1)(check-sat)(check-sat-assuming (n (not n)))(get-value (s (h 1)))(get-model)(echo "done")(pop 1)(exit)
"""


OPEN = [(chr(34), inside) for inside in ("x", '""', 'x""', " ", "| ", "(", ";", "\\", "\n")]
OPEN += [("|", inside) for inside in ("x", " ", "(;", "\n")]


@pytest.mark.parametrize(("opener", "inside"), OPEN)
def test_what_is_not_closed_is_told_at_its_place(opener: str, inside: str) -> None:
    with pytest.raises(
        InputError, match=f"f.smt2:2:7: expected a .* that is closed by a second '\\{opener}'"
    ):
        tokenize(f"(check-sat)\n(echo {opener}{inside * LONG} x", "f.smt2")


def test_quotes_in_a_text_are_part_of_it() -> None:
    assert tokenize('("" """" "a""b""" "" ;"\n|a"b|)', "f.smt2") == [
        "(",
        '""',
        '""""',
        '"a""b"""',
        '""',
        '|a"b|',
        ")",
    ]


def test_a_script_may_end_anywhere() -> None:
    for end in range(len(SCRIPT)):
        try:
            read_script(SCRIPT[:end], "f.smt2", CATALOGUE)
        except InputError as error:
            assert error.file == "f.smt2"
            assert error.line is not None or error.reason.startswith("no command")


REFUSED = {
    "(declare-datatypes ((T 2147483648)) (((c))))": "1:24: expected the number of its parameters, at most 1000",
    "(declare-sort S 99999999)": "1:17: expected the number of parameters, at most 1000",
    "(assert (= (_ char #xzz) (_ char #x41)))": "1:24: ",
    "(declare-const x (_ BitVec #xzz))": "1:28: expected a number as an index",
}


def test_a_signature_with_a_huge_number_is_refused() -> None:
    with pytest.raises(InputError, match="signature"):
        parse_signature("{i:0.." + "9" * 4301 + "} INT -> INT", "f.yaml")


@pytest.mark.parametrize("text", REFUSED)
def test_numbers_that_are_none(text: str) -> None:
    with pytest.raises(InputError, match=f"f.smt2:{REFUSED[text]}"):
        read_script(text, "f.smt2", CATALOGUE)
