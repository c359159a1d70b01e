"""Syntax that other people's suites have: it is read, printed as the solvers read it, and read
again as the same terms.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from alpha import Shapes
from parsers import PARSERS
from toy import catalogue

from murxpy.smtlib.printing.scripts import print_script
from murxpy.smtlib.printing.terms import Unsayable
from murxpy.smtlib.reading.scripts import read_file, read_script
from murxpy.smtlib.script import Script

CATALOGUE = catalogue()
SHAPES = Shapes(CATALOGUE)
FUNCTIONS = (
    "(declare-fun f (Int Int) Int)(declare-fun g (Int) Int)(declare-fun h ((-> Int Int)) Int)"
)

# A script, and the dialects that have it.
READ = {
    "partial application": (
        "(set-logic HO_ALL)"
        + FUNCTIONS
        + "(assert (= (f 1) g))(assert (= (@ (@ f 1) 2) (@ f 1 2) (h (f 1))))",
        "cvc5",
    ),
    "functions that are terms": (
        "(set-logic HO_ALL)"
        + FUNCTIONS
        + "(assert (= (@ (lambda ((x Int) (y Int)) x) 1 2) (@ (ite true g g) 1)))"
        "(assert (forall ((p (-> Int Int Int)) (q (-> Int Int))) (= (p 1 2) (q 3))))",
        "cvc5",
    ),
    "functions as arrays": (
        FUNCTIONS
        + "(assert (= (select (ite true f f) 1 2) (select g 3)))(assert (= g (lambda ((x Int)) x)))",
        "z3",
    ),
    "no logic": (
        FUNCTIONS.replace("(declare-fun h ((-> Int Int)) Int)", "") + "(assert (= (f 1) g))",
        "",
    ),
    "defined functions": (
        "(set-logic HO_ALL)(declare-fun f (Int Int) Int)(define-fun g ((x Int)) (-> Int Int) (f x))"
        "(define-fun k ((x Int)) (-> Int Int) (lambda ((y Int)) (+ x y)))(assert (= (g 1 2) (k 3 4)))",
        "cvc5",
    ),
    "shadowed parameters": (
        "(define-fun f ((x Int) (x Bool)) Bool x)(assert (forall ((y Int) (y Bool)) y))(assert (f 1 true))"
        "(assert (let ((z 1) (z true)) z))",
        "cvc5 z3",
    ),
    "overloaded selectors": (
        "(declare-datatype A ((a (s Int))))(declare-datatype B ((b (s Bool)) (c)))(declare-const x A)"
        "(declare-const y B)(assert (= ((_ update s) x (s x)) x))(assert (or (s y) ((_ is c) y)))",
        "cvc5",
    ),
    "overloaded constructors": (
        "(declare-datatype A ((a (s Int))))(declare-datatype B ((a (t Bool))))(declare-const x A)"
        "(assert (= x (a 1)))(assert (= (a true) (a false)))",
        "cvc5 z3",
    ),
    "overloaded functions": (
        "(declare-fun f (Int) Int)(declare-fun f (Bool) Int)(assert (= (f 1) (f true)))",
        "cvc5 z3",
    ),
    "functions named like selectors": (
        "(declare-fun s (Int) Int)(declare-datatype B ((b (s Int))))(declare-const z B)"
        "(assert (= (s 1) (s z)))",
        "cvc5 z3",
    ),
    "scaled floats": (
        "(declare-const r Real)(declare-const n Int)"
        "(assert (= ((_ to_fp 5 11) RNE r n) ((_ to_fp 5 11) RNE n r) ((_ to_fp 5 11) RTZ 1.25 3)))",
        "z3",
    ),
    "transcendental": (
        "(declare-const r Real)(assert (= (tanh r) (asin r) (acos r) (atan r) pi (to_real r)))"
        "(assert (> (sinh r) (asinh euler) (exp 1.0)))",
        "z3",
    ),
    "sets that are lambdas": (
        "(declare-const s (Set (Set Int)))(declare-const t (Set Int))(declare-const p Bool)"
        "(assert (select s (lambda ((x Int)) (> x 0))))"
        "(assert (select s (ite p (lambda ((x Int)) (> x 0)) (lambda ((x Int)) (> x 1)))))"
        "(assert (= s (store s (lambda ((x Int)) (> x 0)) false)))"
        "(assert (subset (ite p t (lambda ((x Int)) (> x 0))) (complement (lambda ((x Int)) (> x 1)))))"
        "(assert (= (seq.unit t) (seq.unit (lambda ((x Int)) (> x 0)))))"
        "(assert (select s (store (lambda ((x Int)) (> x 0)) 1 true)))",
        "z3",
    ),
    "sets that are arrays": (
        "(declare-const s (Set Int))(declare-const a (Array Int Bool))"
        "(assert (= s a))(assert (= a s))(assert (= a (union a s)))"
        "(assert (= a (intersection a (lambda ((x Int)) (> x 0)))))",
        "z3",
    ),
    "arrays of arrays": (
        "(declare-const s (Set (Array Int Real)))(declare-const a (Array (Set Int) Int))"
        "(assert (select s (lambda ((x Int)) 1.0)))"
        "(assert (= (select a (lambda ((x Int)) (> x 0))) (select (store a (lambda ((x Int)) true) 1) (as emptyset (Set Int)))))",
        "z3",
    ),
    "ranked selectors": (
        "(declare-datatypes ((P 1)) ((par (T) ((p (fst T) (snd Int))))))(declare-const x (P Bool))"
        "(assert (= ((_ update-field (fst ((P Bool)) Bool)) x true) x))",
        "z3",
    ),
    "minus": ("(declare-const r Real)(assert (= (~ r) (~ 2)))", "z3"),
    "sequences by names of strings": (
        "(declare-const s (Seq Int))(assert (= (str.update s 0 s) (str.rev s)))",
        "cvc5",
    ),
    "empty without a sort": (
        "(declare-const s (Seq Int))(assert (= s seq.empty))(assert (= (seq.++ seq.empty s) s))"
        "(assert (= (seq.len seq.empty) 0))",
        "cvc5 z3",
    ),
}


def asserted(script: Script) -> list[object]:
    """The shapes of the assertions."""
    return [shape for shape in SHAPES.script(script) if shape[0] == "Assert"]


@pytest.mark.parametrize("name", READ)
def test_it_is_read_and_printed_as_the_solvers_read_it(name: str) -> None:
    text, dialects = READ[name]
    for dialect in dialects.split() or ["cvc5"]:
        script = read_script(text, "f.smt2", CATALOGUE, dialect=dialect)
        printed = print_script(script, dialect)
        assert PARSERS[dialect](printed) is None, printed
        assert asserted(read_script(printed, "again.smt2", CATALOGUE, dialect=dialect)) == asserted(
            script
        )


@pytest.mark.parametrize("dialect", ["z3", "standard"])
def test_a_partial_application_is_said_to_be_unsayable(dialect: str) -> None:
    with pytest.raises(
        Unsayable, match=f"OP_HO_APPLY has no name in SMT-LIB's dialect '{dialect}'"
    ):
        print_script(read_script(READ["partial application"][0], "f.smt2", CATALOGUE), dialect)


def test_the_logic_allows_functions_as_values() -> None:
    script = read_script(
        f"(set-logic QF_UFLIA){FUNCTIONS}(assert (= (h g) 1))(reset)(set-logic ALL)(assert true)",
        "f",
        CATALOGUE,
    )
    assert [row for row in print_script(script, "cvc5").splitlines() if "logic" in row] == [
        "(set-logic HO_QF_UFLIA)",
        "(set-logic HO_ALL)",
    ]


RENAMED = """\
(declare-const default!1 Int)
(declare-const |b c| Bool)
(minimize (+ default!1 1))
(assert-soft |b c| :weight 0.5 :id goal)
(display (> default!1 0))
(get-abduct A (> default!1 0) ((S Bool) (T Int)) ((S Bool ((> default!1 T))) (T Int (default!1 (Constant Int)))))
(get-interpolant I |b c|)
(get-qe (exists ((y Int)) (> y default!1)))
(get-timeout-core-assuming (|b c|))
(get-interpolant (group |b c|))
(get-abduct-next)
"""


def test_commands_of_one_solver_follow_renamed_constants() -> None:
    text = RENAMED.replace("default!1", "default")
    printed = print_script(read_script(text, "f.smt2", CATALOGUE), "z3")
    assert printed == RENAMED
    assert print_script(read_script(printed, "f.smt2", CATALOGUE), "z3") == RENAMED


def test_what_was_written_is_not_touched() -> None:
    text = '(set-info :source |a ( b )|)\n(set-info :note "( x )")\n(echo "( y )")\n(assert-soft true :id "( z )")\n(get-info :name)\n'
    assert print_script(read_script(text, "f.smt2", CATALOGUE)) == text


def test_long_numerals_and_a_byte_order_mark(tmp_path: Path) -> None:
    number = "7" * 9000
    file = tmp_path / "f.smt2"
    file.write_bytes(
        b"\xef\xbb\xbf"
        + f"(assert (= {number} (- {number})))(assert (> {number}.5 (/ 1 {number})))".encode()
    )
    printed = print_script(read_file(file, CATALOGUE), "z3")
    assert f"(= {number} (- {number}))" in printed
    assert print_script(read_script(printed, "again", CATALOGUE), "z3") == printed


def test_a_set_that_the_printer_wrote_as_a_lambda_is_that_set() -> None:
    """In z3 a set is an array, and the values of a term are an array that is made by a lambda."""
    text = (
        "(declare-const s (Set Bool))(declare-const t (Set (Set Bool)))(declare-fun f (Int) Bool)"
        "(assert (set.member VALUES t))(assert (= s (set.union s VALUES)))"
        "(assert (= t (set.singleton VALUES)))"
        "(assert (set.subset VALUES (set.comprehension ((b Bool)) b b)))"
    )
    values = "(set.comprehension ((v Int)) (> v 0) (f v))"
    read = read_script(text.replace("VALUES", values), "f", CATALOGUE)
    printed = print_script(read, "z3")
    assert "lambda" in printed and "comprehension" not in printed
    for dialect in ("standard", "z3"):
        assert asserted(read_script(printed, "f", CATALOGUE, dialect=dialect)) == asserted(read)
