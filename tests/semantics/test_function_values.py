"""Functions and arrays as values: elements, indices, members, arguments. What is said of them is
true, by hand or by trying all points.
"""

from __future__ import annotations

import functools

import pytest
from toy import catalogue

from murxpy.logic.terms import Term
from murxpy.semantics.evaluator import Evaluator
from murxpy.semantics.values import CannotSay, Interpretation
from murxpy.smtlib.reading.scripts import read_script

CATALOGUE = catalogue()

SORTS = """
(declare-datatypes ((Box 1)) ((par (X) ((box (unbox X)) (none)))))
(declare-datatypes ((Many 1)) ((par (X) ((many (table (Array X Bool)))))))
(declare-datatypes ((One 0)) (((one))))
(declare-datatypes ((List 1)) ((par (X) ((nil) (cons (head X) (tail (List X)))))))
(define-sort P () (Array Int Bool))
(define-sort N () (Array Int Int))
(define-sort Q () (Array P Int))
(define-fun above ((n Int)) P (lambda ((b Int)) (> b n)))
(define-fun K ((n Int)) N ((as const N) n))
(define-fun zero () Q ((as const Q) 0))
"""

# Names of closed terms, so that the probes stay short. `up` and `up2` are one function, by their
# form.
NAMES = {
    "up": "(lambda ((b Int)) (> b 3))",
    "up2": "(lambda ((c Int)) (> c (+ 1 2)))",
    "down": "(lambda ((b Int)) (< b 3))",
    "odd": "(lambda ((b Int)) (= (mod b 2) 1))",
    "off": "((as const P) false)",
    "no": "(lambda ((b Int)) false)",
    "five": "(store ((as const P) false) 5 true)",
    "ge4": "(lambda ((b Int)) (>= b 4))",
    "is5": "(lambda ((b Int)) (= b 5))",
    "inc": "(lambda ((b Int)) (+ b 1))",
    "inc2": "(lambda ((d Int)) (+ d 1))",
    "dbl": "(lambda ((b Int)) (* 2 b))",
}

# Probes whose answer must be found.
TRUE = """
(= (select (store zero up 1) up) 1)
(= (select (store zero up 1) up2) 1)
(= (select (store zero up 1) down) 0)
(= (select (store (store zero up 1) down 2) up2) 1)
(= (select (store (store zero up 1) up2 2) up) 2)
(= (select (store zero is5 1) five) 1)
(= (select (store zero five 1) is5) 1)
(= (select (store zero no 7) off) 7)
(= (select (store zero off 7) no) 7)
(= up up2)
(= no off)
(= is5 five)
(distinct up down)
(distinct up down odd)
(not (= up off))
(= (store up 9 true) (store up2 9 true))
(= (store up 9 true) up)
(= (store up 9 false) (store up2 9 false))
(not (= (store up 9 false) up))
(= (store (store up 1 true) 2 true) (store (store up2 2 true) 1 true))
(= (store (store up 1 true) 1 false) up2)
(not (= (store (store up 1 true) 1 true) up2))
(= ((as const (Array Int P)) up) ((as const (Array Int P)) up2))
(not (= ((as const (Array Int P)) up) ((as const (Array Int P)) down)))
(= (store ((as const (Array Int P)) up) 3 no) (store ((as const (Array Int P)) up2) 3 off))
(= (select (store ((as const (Array Int P)) up) 3 down) 4) up2)
(= (lambda ((x Int)) (lambda ((y Int)) (> y x))) (lambda ((u Int)) (lambda ((v Int)) (> v u))))
(not (= (lambda ((x Int)) (lambda ((y Int)) (> y x))) (lambda ((u Int)) (lambda ((v Int)) (< v u)))))
(= (select (lambda ((x Int)) (lambda ((y Int)) (> y x))) 3) up)
(= (select (store ((as const (Array P P)) up) down off) down) no)
(= (ite (= up up2) 1 2) 1)
(= (ite (= 1 1) up down) up2)
(= (lambda ((b Int)) (ite (= b 1) 5 0)) (store (K 0) 1 5))
(= (lambda ((b Int)) (select (store (K 0) 1 5) b)) (store (K 0) 1 5))
(= (lambda ((b Int)) (ite (or (= b 1) (= 2 b)) 5 0)) (store (store (K 0) 2 5) 1 5))
(= (lambda ((b Int)) 7) (K 7))
(= (lambda ((b (_ BitVec 2))) (bvult b #b10)) (lambda ((b (_ BitVec 2))) (= ((_ extract 1 1) b) #b0)))
(set.member up (set.insert up2 (set.singleton down)))
(not (set.member odd (set.insert up (set.singleton down))))
(= (set.singleton up) (set.singleton up2))
(= (set.card (set.insert up (set.singleton up2))) 1)
(= (set.card (set.insert up (set.singleton down))) 2)
(= (set.insert up (set.singleton down)) (set.insert down (set.singleton up2)))
(set.subset (set.singleton up2) (set.insert up (set.singleton down)))
(not (set.subset (set.singleton odd) (set.insert up (set.singleton down))))
(= (set.minus (set.singleton up) (set.singleton up2)) (as set.empty (Set P)))
(= (set.inter (set.singleton is5) (set.singleton five)) (set.singleton five))
(set.is_empty (set.minus (set.singleton no) (set.singleton off)))
(set.is_singleton (set.union (set.singleton no) (set.singleton off)))
(= (set.map (lambda ((x Int)) x) (set.singleton 1)) (set.singleton 1))
(set.is_singleton (set.map (lambda ((x Int)) (lambda ((y Int)) (> y 3))) (set.insert 1 (set.singleton 2))))
(= (bag.count up (bag up2 3)) 3)
(= (bag.count down (bag up2 3)) 0)
(= (bag up 2) (bag up2 2))
(not (= (bag up 2) (bag up2 3)))
(= (bag.union_disjoint (bag up 1) (bag up2 1)) (bag up 2))
(= (bag.card (bag.setof (bag.union_disjoint (bag up 1) (bag up2 1)))) 1)
(bag.subbag (bag up 1) (bag.union_max (bag up2 1) (bag down 1)))
(not (= (bag.union_disjoint (bag up 1) (bag down 1)) (bag.union_disjoint (bag up 1) (bag odd 1))))
(= (seq.unit up) (seq.unit up2))
(not (= (seq.unit up) (seq.unit down)))
(not (= (seq.unit up) (seq.++ (seq.unit up) (seq.unit up))))
(= (seq.indexof (seq.++ (seq.unit down) (seq.unit up)) (seq.unit up2) 0) 1)
(seq.contains (seq.++ (seq.unit down) (seq.unit up)) (seq.unit up2))
(not (seq.contains (seq.++ (seq.unit down) (seq.unit up)) (seq.unit odd)))
(= (seq.replace (seq.++ (seq.unit down) (seq.unit up)) (seq.unit up2) (seq.unit odd)) (seq.++ (seq.unit down) (seq.unit odd)))
(seq.prefixof (seq.unit up2) (seq.++ (seq.unit up) (seq.unit down)))
(= (box up) (box up2))
(not (= (box up) (box down)))
(not (= (box up) (as none (Box P))))
(= (select (store ((as const (Array (Box P) Int)) 0) (box up) 1) (box up2)) 1)
(= (unbox (ite (= (box no) (box off)) (box up) (box down))) up2)
(= (many ((as const (Array Bool Bool)) true)) (many (store ((as const (Array Bool Bool)) true) true true)))
(= (many (store ((as const (Array Bool Bool)) true) true false)) (many (store ((as const (Array Bool Bool)) false) false true)))
(= (cons up (cons no (as nil (List P)))) (cons up2 (cons off (as nil (List P)))))
(distinct (cons up (as nil (List P))) (cons down (as nil (List P))) (as nil (List P)))
(= (tuple up 1) (tuple up2 1))
(not (= (tuple up 1) (tuple down 1)))
(not (= (tuple up 1) (tuple up2 2)))
(= (rel.join (set.singleton (tuple 1 up)) (set.singleton (tuple up2 2))) (set.singleton (tuple 1 2)))
(= (rel.join (set.singleton (tuple 1 up)) (set.singleton (tuple down 2))) (as set.empty (Set (Tuple Int Int))))
(set.member (tuple up2 is5) (rel.product (set.singleton (tuple up)) (set.singleton (tuple five))))
(= ((as const (Array Int One)) one) (lambda ((x Int)) one))
(= (set.card (set.insert (lambda ((x Int)) one) (set.singleton ((as const (Array Int One)) one)))) 1)
(= (select (store ((as const (Array (Tuple Bool Bool) Int)) 0) (tuple true false) 1) (tuple true false)) 1)
(= (store (store (store (store ((as const (Array (Tuple Bool Bool) Int)) 0) (tuple true true) 1) (tuple true false) 1) (tuple false true) 1) (tuple false false) 1) ((as const (Array (Tuple Bool Bool) Int)) 1))
(not (= (set.insert ((as const P) true) (set.singleton no)) (set.singleton off)))
(= (seq.rev (seq.++ (seq.unit up) (seq.unit no))) (seq.++ (seq.unit off) (seq.unit up2)))
(= inc inc2)
(not (= inc dbl))
(= (select (store ((as const (Array N Int)) 0) inc 4) inc2) 4)
(= (select (store ((as const (Array N Int)) 0) inc 4) dbl) 0)
(forall ((p Bool)) (= (select (store zero up (ite p 1 2)) up2) (ite p 1 2)))
(= (select (select (store ((as const (Array P Q)) zero) up (store zero down 3)) up2) down) 3)
(= (str.in_re "ab" (re.* (re.union (str.to_re "a") (str.to_re "b")))) (= up up2))
(= (lambda ((x Int)) (> x 3)) (lambda ((y Int)) (> y 3)))
(distinct (lambda ((x Int)) (> x 3)) (lambda ((y Int)) (< y 3)))
(= (lambda ((x Int) (y Int)) (+ x y)) (lambda ((u Int) (v Int)) (+ u v)))
(not (= (lambda ((x Int) (y Int)) (- x y)) (lambda ((u Int) (v Int)) (- v u))))
(= (lambda ((x Bool) (y Bool)) (and x y)) (lambda ((x Bool) (y Bool)) (not (or (not x) (not y)))))
(set.member (lambda ((x Int)) (> x 3)) (set.singleton (lambda ((y Int)) (> y 3))))
(= (set.card (set.insert (lambda ((x Int)) (= x 3)) (set.singleton (lambda ((y Int)) (ite (= y 3) true false))))) 1)
(= (bag.count (lambda ((x Int)) (> x 3)) (bag (lambda ((y Int)) (> y 3)) 2)) 2)
(= (seq.unit (lambda ((x Int)) (> x 3))) (seq.unit (lambda ((y Int)) (> y 3))))
(= (box (lambda ((x Int)) x)) (box (lambda ((y Int)) y)))
(= (set.map (lambda ((x Int)) (lambda ((y Bool)) (and y (> x 0)))) (set.insert 1 (set.singleton 2))) (set.singleton (lambda ((y Bool)) y)))
(= (set.fold (lambda ((f (-> Int Int)) (n Int)) (+ n 1)) 0 (set.insert (lambda ((x Int)) x) (set.singleton (lambda ((y Int)) y)))) 1)
(= (set.filter (lambda ((f (-> Int Bool))) (f 5)) (set.insert (lambda ((x Int)) (> x 3)) (set.singleton (lambda ((x Int)) (< x 3))))) (set.singleton (lambda ((y Int)) (> y 3))))
(set.all (lambda ((f (-> Int Bool))) (= f (lambda ((y Int)) (> y 3)))) (set.singleton (lambda ((x Int)) (> x 3))))
(= (set.singleton (re.* (str.to_re "a"))) (set.singleton (re.opt (re.+ (str.to_re "a")))))
"""  # noqa: E501

# True, but nobody has to find it; what is said must not be false. The denials of these are tried as
# well.
OPEN = """
(= up ge4)
(= up (lambda ((b Int)) (< 3 b)))
(= (select (store zero up 1) ge4) 1)
(= (select (store (store zero up 1) ge4 2) up) 2)
(set.member up (set.singleton ge4))
(= (set.card (set.insert up (set.singleton ge4))) 1)
(= (bag.count up (bag ge4 2)) 2)
(= (seq.indexof (seq.unit up) (seq.unit ge4) 0) 0)
(not (= (lambda ((b Int)) (= b 1234567)) off))
(not (= (lambda ((b Int)) (= (* b b) 1522756)) off))
(= (lambda ((b Int)) (>= (* b b) 0)) ((as const P) true))
(= (box up) (box ge4))
(= (select (store zero up 1) (lambda ((b Int)) (> b 1234567))) 0)
(= (select (store ((as const Q) 1) up 1) ge4) 1)
(not (= (lambda ((x Int)) (lambda ((y Int)) (> y x))) (lambda ((x Int)) (lambda ((y Int)) (>= y x)))))
(= (lambda ((x Int)) (lambda ((y Int)) (+ y x))) (lambda ((x Int)) (lambda ((y Int)) (+ x y))))
(= (rel.tclosure (set.singleton (tuple up ge4))) (set.singleton (tuple up up)))
(= ((_ map not) up) (lambda ((b Int)) (<= b 3)))
(= ((_ map not) up) ((_ map not) ge4))
"""


def probes(block: str) -> list[str]:
    """One probe a line; names stand for terms."""
    return [line for line in block.splitlines() if line]


@functools.cache
def terms() -> dict[str, Term]:
    """The formula of each probe."""
    named = "".join(
        f"(define-fun {name} () {'N' if name in ('inc', 'inc2', 'dbl') else 'P'} {text})"
        for name, text in NAMES.items()
    )
    lines = probes(TRUE) + probes(OPEN)
    script = read_script(
        SORTS + named + "".join(f"(assert {line})" for line in lines), "probes", CATALOGUE
    )
    return dict(zip(lines, script.assertions(), strict=True))


def evaluated(probe: str, **bounds: int) -> bool | None:
    """What the evaluator says of a probe; None where it cannot say."""
    try:
        return bool(Evaluator(CATALOGUE, Interpretation(), **bounds).value(terms()[probe]))
    except CannotSay:
        return None


@pytest.mark.parametrize("probe", probes(TRUE))
def test_what_must_be_found(probe: str) -> None:
    assert evaluated(probe) is True


@pytest.mark.parametrize("probe", probes(OPEN))
def test_what_need_not_be_found_is_not_guessed(probe: str) -> None:
    assert evaluated(probe) is not False


@pytest.mark.parametrize("bound", [0, 1, 2, 3])
def test_bounds_make_no_answer_wrong(bound: int) -> None:
    """With fewer values that are enumerated, more functions are no tables."""
    for probe in terms():
        assert evaluated(probe, domain=bound) is not False, probe


@pytest.mark.parametrize(
    "formula",
    [
        "(= (_ c #b0) (lambda ((b Int)) #b0))",
        "(not (= (_ c #b0) (_ c #b1)))",
        "(= (_ c #b1) (_ d #b1))",
        "(= ((_ e 2) 5 4) 7)",
        "(= (_ (_ e 2) 5) (_ (_ e 2) 5))",
        "(not (= (_ (_ e 2) 5) (_ (_ e 2) 6)))",
    ],
)
def test_a_function_that_got_some_of_its_arguments_has_their_values(formula: str) -> None:
    text = f"""
        (define-fun c ((a (_ BitVec 1)) (b Int)) (_ BitVec 1) a)
        (define-fun d ((b (_ BitVec 1)) (a Int)) (_ BitVec 1) b)
        (define-fun e ((a Int) (b Int) (c Int)) Int (+ a b))
        (assert {formula})
    """
    (term,) = read_script(text, "f.smt2", catalogue()).assertions()
    assert Evaluator(catalogue(), Interpretation()).value(term) is True
