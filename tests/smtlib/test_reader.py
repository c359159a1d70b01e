"""Reading SMT-LIB scripts: what terms mean, and that printing and reading again gives the same."""

from __future__ import annotations

import pytest
from toy import catalogue

from murxpy.errors import InputError
from murxpy.smtlib.printing.scripts import print_script
from murxpy.smtlib.reading.scripts import read_script
from murxpy.smtlib.script import Assert, CheckSat, CheckSatAssuming, DeclareFun, DefineFun, Script

CATALOGUE = catalogue()


def read(text: str) -> Script:
    """A script from its text."""
    return read_script(text, "f.smt2", CATALOGUE)


def again(text: str, dialect: str = "standard") -> str:
    """The script printed; that it prints the same when it is read again is checked here."""
    printed = print_script(read(text), dialect)
    assert print_script(read(printed), dialect) == printed
    return printed


def term(text: str, declarations: str = "") -> str:
    """The one asserted term as a text of operators."""
    return repr(read(f"{declarations}(assert {text})").assertions()[-1])


def test_a_small_script() -> None:
    script = read(
        "(set-logic QF_LIA)(declare-fun x () Int)(assert (< x 5)); comment (\n(set-info :status sat)(check-sat)(exit) rest"
    )
    assert [type(c).__name__ for c in script.commands] == [
        "SetLogic",
        "DeclareFun",
        "Assert",
        "SetInfo",
        "CheckSat",
        "Exit",
    ]
    assert script.logic == "QF_LIA"
    assert script.statuses() == ["sat"]
    assert repr(script.assertions()[0]) == "OP_INT_LT(OP_CONSTANT(x), OP_VALUE(5))"
    assert [script.line(k) for k in range(6)] == [1, 1, 1, 2, 2, 2]


def test_equal_terms_are_one() -> None:
    script = read("(declare-const x Int)(assert (= (+ x 1) (let ((y x)) (+ y 1))))")
    left, right = script.assertions()[0].args
    assert left is right


def test_lets_bind_at_once_and_end() -> None:
    script = read(
        "(declare-const x Int)(declare-const y Int)(assert (let ((x y) (y x)) (< x y)))(assert (< x y))"
    )
    swapped, plain = script.assertions()
    assert swapped.args == plain.args[::-1]


def test_numerals_are_reals_in_logics_of_reals() -> None:
    assert (
        term("(< x 1)", "(set-logic QF_LRA)(declare-const x Real)")
        == "OP_REAL_LT(OP_CONSTANT(x), OP_VALUE(1))"
    )
    assert term("(< x 1)", "(declare-const x Real)") == "OP_REAL_LT(OP_CONSTANT(x), OP_VALUE(1))"
    assert "OP_INT_TO_REAL" in term("(< x i)", "(declare-const x Real)(declare-const i Int)")


def test_quantifiers_are_different_variables() -> None:
    script = read("(assert (forall ((x Int)) (exists ((x Int)) (> x 0))))")
    outer = script.assertions()[0]
    inner = outer.args[1]
    assert outer.args[0] is not inner.args[0]
    assert inner.args[1].args[0] is inner.args[0]


def test_definitions() -> None:
    script = read("(define-fun f ((x Int)) Int (+ x 1))(define-fun c () Int 3)(assert (= (f c) 4))")
    definition = script.commands[0]
    assert isinstance(definition, DefineFun) and definition.function is not None
    assert script.assertions()[0].args[0].args == (definition.function, script.commands[1].body)  # type: ignore[union-attr]


def test_names_and_assumptions() -> None:
    script = read(
        "(declare-const p Bool)(assert (! (or p (! (not p) :named q)) :named n))(check-sat-assuming (q (not q)))"
    )
    assertion, check = script.commands[1], script.commands[2]
    assert isinstance(assertion, Assert) and assertion.name == "n"
    assert isinstance(check, CheckSatAssuming) and check.assumptions[0] is assertion.term.args[1]


def test_levels_end_declarations() -> None:
    script = read("(push 1)(declare-const x Int)(pop 1)(declare-const x Bool)(assert x)(check-sat)")
    assert [c.constant.sort.kind for c in script.commands if isinstance(c, DeclareFun)] == [
        "SORT_INT",
        "SORT_BOOL",
    ]
    assert isinstance(script.commands[-1], CheckSat)


SCRIPTS = {
    "bit-vectors": "(declare-const x (_ BitVec 8))(assert (= ((_ extract 7 4) x) #xf #b1111 (_ bv15 4)))"
    "(assert (bvult x (bvadd x x #x01)))",
    "arrays": "(declare-const a (Array Int Int))(assert (= a (store ((as const (Array Int Int)) 0) 1 (select a 2))))",
    "floats": "(declare-const x Float32)(assert (fp.lt (fp.add RNE x (fp #b0 #x7f #b00000000000000000000000)) (_ +oo 8 24)))",
    "strings": '(declare-const s String)(assert (str.in_re (str.++ s "a""b\\u{41}") (re.* (re.union re.allchar (str.to_re "x")))))',
    "datatypes": "(declare-datatypes ((List 1)) ((par (T) ((nil) (cons (head T) (tail (List T)))))))(declare-const l (List Int))"
    "(assert (= l (cons 1 (as nil (List Int)))))(assert ((_ is cons) l))(assert (= 1 (match l ((nil 0) ((cons h t) h)))))",
    "old datatypes": "(declare-datatypes () ((Tree leaf (node (left Tree) (right Tree)))))"
    "(declare-const t Tree)(assert (is-node (left t)))",
    "sorts": "(declare-sort S 0)(declare-sort F 1)(define-sort G (X) (Array X (F Int)))(declare-fun f (S (G S)) Bool)"
    "(declare-const s S)(declare-const g (G S))(assert (f s g))",
    "recursion": "(define-funs-rec ((ev ((n Int)) Bool) (od ((n Int)) Bool)) ((ite (= n 0) true (od (- n 1)))"
    " (ite (= n 0) false (ev (- n 1)))))"
    "(assert (ev 4))",
    "patterns": "(declare-fun f (Int) Int)(assert (forall ((x Int)) (! (> (f x) 0) :pattern ((f x)) :qid q)))",
    "reals": "(declare-const x Real)(assert (= x (/ 1 3) (- 2.5) (- (/ 1 3)) 1.0))",
    "quoted": "(declare-const |a b| Bool)(declare-const |let| Bool)(assert (and |a b| |let|))",
}


@pytest.mark.parametrize("name", SCRIPTS)
def test_what_is_printed_reads_the_same(name: str) -> None:
    again(SCRIPTS[name])


DEEP = 40_000


@pytest.mark.parametrize("opened", ["(not ", "(let ((y x)) ", "(! "])
def test_depth_is_no_matter(opened: str) -> None:
    closed = " :named n)" if opened == "(! " else ")"
    deep = DEEP if opened != "(! " else 1
    assert (
        len(read(f"(declare-const x Bool)(assert {opened * deep}x{closed * deep})").assertions())
        == 1
    )


BAD = {
    "": "f.smt2: no command",
    "hello": "f.smt2:1:1: expected '(' before a command, found 'hello'",
    "(assert true": "f.smt2:1:9: expected ')' behind the command, found the end of the file",
    "(assert\n (foo 1))": "f.smt2:2:3: unknown function 'foo'",
    "(declare-const alpha Int)\n(assert (> alpah 1))": "f.smt2:2:12: unknown symbol 'alpah' (did you mean 'alpha'?)",
    "(assert (and true 1))": "'and' takes BOOL BOOL -> BOOL :left-assoc; found (BOOL, INT)",
    "(assert 1)": "expected a Boolean term, found one of INT",
    "(declare-const x Strin)": "unknown sort 'Strin' (did you mean 'String'?)",
    "(asert true)": "unknown command 'asert' (did you mean 'assert'?)",
    '(echo "abc)': "expected a string that is closed",
    "\x00\x01": "f.smt2:1:1: not an SMT-LIB script",
    "(pop 1)": "cannot pop 1 levels of 0",
    "(define-fun x () Int 1)(declare-const x Int)": "'x' is declared already",
    "(declare-const x Int)(define-fun x () Int 1)": "'x' is declared already",
    "(" * 300_000: "unknown command '('",
    "(assert " + "(" * 60_000: "f.smt2:1:",
    "(assert " + "(not " * 60_000: "expected ')'",
}


@pytest.mark.parametrize("text", BAD, ids=lambda t: t[:30])
def test_bad_input_is_one_clear_line(text: str) -> None:
    with pytest.raises(InputError) as raised:
        read(text)
    assert BAD[text] in str(raised.value)
    assert "\n" not in str(raised.value)
