"""What the printer prints, the reader reads as the same terms: random ones of every operator, and
scripts of every dialect's syntax.
"""

from __future__ import annotations

import pytest
from alpha import Shapes
from hypothesis import given, settings
from hypothesis import strategies as st
from toy import catalogue

from murxpy.errors import InputError
from murxpy.logic.catalogue import Operator
from murxpy.logic.sorts import Sort
from murxpy.logic.terms import Term
from murxpy.smtlib.building import Tables
from murxpy.smtlib.printing.scripts import print_script
from murxpy.smtlib.reading.scripts import read_script
from murxpy.smtlib.script import Assert, CheckSat, Command, Script

CATALOGUE = catalogue()
SHAPES = Shapes(CATALOGUE)


def sorts(tables: Tables) -> list[Sort]:
    """Sorts of all theories, small ones."""
    get = tables.sort
    word, number = get("SORT_BV", 4), tables.int
    simple = [
        tables.bool,
        word,
        get("SORT_BV", 1),
        get("SORT_FP", 3, 5),
        get("SORT_RM"),
        number,
        tables.real,
        tables.string,
    ]
    pair = get("SORT_TUPLE", number, number)
    return [
        *simple,
        get("SORT_REGLAN"),
        get("SORT_FF", 7),
        get("SORT_SEQ", number),
        get("SORT_SET", number),
        get("SORT_FINITE_SET", number),
        get("SORT_BAG", number),
        get("SORT_NULLABLE", number),
        pair,
        get("SORT_SET", pair),
        get("SORT_ARRAY", number, number),
        get("SORT_ARRAY", word, word),
        get("SORT_FUN", number, number),
        get("SORT_FUN", number, tables.bool),
        get("SORT_UNINTERPRETED", "U"),
    ]


def readable(operator: Operator, dialect: str) -> bool:
    """True if the dialect writes the operator by one name that means nothing else."""
    words, kind = CATALOGUE.dialect(dialect), operator.kind
    # the spelling of OP_UF_APPLY is for functions that have no symbol
    spelled = None if kind == "OP_UF_APPLY" else words.operators.get(kind)
    own = (spelled is None or spelled == operator.smtlib) and not operator.binary
    # A number of three bits made of terms is printed by another name, since cvc5 refuses it by its
    # own.
    named = kind not in ("OP_IFF", "OP_FP_FP") and operator.typing is None
    return own and named and (not operator.extension or kind in words.same)


def application(
    tables: Tables, operator: Operator, pool: list[Term], draw: st.DrawFn
) -> Term | None:
    """The operator applied to terms of the pool, if any fit."""
    indices = tuple(draw(st.integers(1, 3)) for _ in operator.signature.indices)
    candidates = draw(st.permutations(pool))[:8]
    count = operator.minimum + (draw(st.integers(0, 1)) if operator.variadic else 0)
    if operator.signature.binder:
        variable = tables.variable("v", candidates[0].sort)
        found = try_apply(
            tables, operator.kind, (variable, tables.apply("OP_EQUAL", variable, candidates[0])), ()
        )
        return found
    chosen: list[Term] = [draw(st.sampled_from(candidates)) for _ in range(count)]
    for first in [chosen, *([c] * count for c in candidates), *([c, *chosen[1:]] for c in pool)]:
        found = try_apply(tables, operator.kind, tuple(first), indices)
        if found is not None:
            return found
    return None


def try_apply(
    tables: Tables, kind: str, args: tuple[Term, ...], indices: tuple[int, ...]
) -> Term | None:
    """The application where it is well-sorted."""
    try:
        return tables.apply(kind, *args, indices=indices)
    except InputError:
        return None


@st.composite
def scripts(draw: st.DrawFn, dialect: str) -> Script:
    """A script with assertions over constants of all sorts."""
    tables = Tables(CATALOGUE)
    pool = [tables.constant(f"c{k}", sort) for k, sort in enumerate(sorts(tables))]
    operators = [op for op in CATALOGUE.operators.values() if readable(op, dialect)]
    for _ in range(draw(st.integers(1, 12))):
        term = application(tables, draw(st.sampled_from(operators)), pool, draw)
        if term is not None and not term.free:
            pool.append(term)
    made = [t for t in pool if t.args and t.sort.kind != "SORT_FUN"]
    commands: list[Command] = [
        Assert(tables.apply("OP_EQUAL", t, t) if t.sort is not tables.bool else t) for t in made
    ]
    return Script("random", tables, [*commands, CheckSat()])


def asserted(script: Script) -> list[object]:
    """The shapes of the assertions."""
    return [shape for shape in SHAPES.script(script) if shape[0] == "Assert"]


@pytest.mark.parametrize("dialect", ["standard", "z3", "cvc5"])
def test_random_terms_read_as_they_were(dialect: str) -> None:
    @settings(max_examples=40, deadline=None)
    @given(scripts(dialect))
    def check(script: Script) -> None:
        try:
            printed = print_script(script, dialect)
        except InputError as error:
            assert "has no name in" in str(error)
            return
        assert asserted(read_script(printed, "p", CATALOGUE, dialect=dialect)) == asserted(
            script
        ), printed

    check()


FORMS = {
    "old names": '(declare-const s String)(assert (str.in.re s (re.++ (str.to.re "a") re.nostr)))'
    '(assert (= (str.indexof s "a") (str.to.int s)))',
    "loops": "(declare-const s String)(assert (str.in_re s (re.++ ((_ re.loop 1 3) re.all) (re.loop re.all 1 2) ((_ re.loop 2) re.all))))",
    "sequences": "(declare-const q (Seq Int))"
    "(assert (= (seq.len (seq.++ q (seq.unit 1))) (seq.foldl (lambda ((a Int) (x Int)) (+ a x)) 0 q)))",
    "old sets": "(declare-const s (Set Int))(assert (member 1 (insert 1 2 (union s (as emptyset (Set Int))))))",
    "relations": "(declare-const r (Relation Int Int))(assert (set.member (tuple 1 2) (rel.tclosure r)))(declare-const u UnitTuple)"
    "(assert (= u tuple.unit))(declare-const t (Tuple Int Bool))(assert (= ((_ tuple.update 0) t 3) t))",
    "fields": "(define-sort F () (_ FiniteField 17))(declare-const x F)(assert (= (ff.mul x x) (as ff3 F) #f3m17 (as ff-1 F)))",
    "higher order": "(declare-const f (-> Int Int Int))(assert (= ((f 1) 2) (_ (_ f 1) 2) (@ f 1 2) ((lambda ((x Int)) x) 3)))",
    "arrays of lambdas": "(declare-const a (Array Int Int))(declare-fun f (Int) Int)"
    "(assert (= a (lambda ((x Int)) x) ((_ map f) a) (_ as-array f)))",
    "z3 sets": "(declare-const a (Array Int Bool))(assert (subset a (union a (complement a) ((as const (Array Int Bool)) false))))",
    "old parametric": "(declare-datatypes (T) ((L nl (cn (hd T) (tl L)))))(declare-const l (L Int))(assert (= l (cn 1 (as nl (L Int)))))",
    "updates": "(declare-datatype T ((mk (x Int))))(declare-const t T)(assert (= ((_ update x) t 1) ((_ update-field x) t 2)))",
    "conversions": "(declare-const b (_ BitVec 8))(assert (= ((_ int2bv 8) (bv2nat b)) b))(assert (bvumul_noovfl b b))",
    "cardinality": "(declare-const p Bool)(assert ((_ at-most 1) p p))(assert ((_ pbge 2 1 2) p p))(assert ((_ at-least 1) p))",
    "large indices": "(declare-const p Bool)(declare-const x (_ BitVec 8))"
    "(assert ((_ at-most 7) p p))(assert ((_ pble 12 3 0) p p))(assert (= x ((_ rotate_left 17) x)))",
    "other solvers' names": "(declare-const x (_ BitVec 8))"
    "(assert (= (bvrol x x) (bvror x x)))(declare-const r Real)(assert (= r 2.))",
    "conditions on bags": "(declare-fun g (Int) Bool)(declare-const b (Bag Int))(assert (and (bag.all g b) (bag.some g b)))",
    "several indices": "(declare-const a (Array Int Int Bool))(assert (select a 1 2))"
    "(assert (= a (store a 1 2 true) ((as const (Array Int Int Bool)) false)))",
    "declared again": "(declare-const x Int)(assert (> x 0))(declare-const x Int)(assert (< x 0))(declare-const x Bool)(assert x)",
    "enumeration": "(declare-const x Int)(assert (> x 0))(find-synth :enum ((a Int)))",
    "commands": '(declare-const x Int)(check-sat-using (then simplify smt))(minimize x)(eval x)(get-info :version)(echo "a")(simplify x)',
    "headers": '(set-info :source |a (b) "c|)(set-info :license "x""y")(set-option :smt.arith.solver 2)(set-info :empty)(assert true)',
    "theory names taken": "(declare-fun tail (Int) Int)(declare-const union Int)(assert (= (tail union) 1))",
    "reals": "(set-logic AUFLIRA)(declare-const x Real)(declare-const i Int)(declare-fun f (Real) Real)"
    "(assert (= (f i) (/ i 2) (ite true 1 x)))",
    "recursive constant": "(define-fun-rec z () Int 4)(define-const k Int 3)(assert (= z k))",
}


@pytest.mark.parametrize("name", FORMS)
def test_syntax_of_solvers_is_read(name: str) -> None:
    dialect = (
        "z3"
        if name
        in (
            "sequences",
            "arrays of lambdas",
            "z3 sets",
            "cardinality",
            "large indices",
            "other solvers' names",
        )
        else "cvc5"
    )
    script = read_script(FORMS[name], "f.smt2", CATALOGUE, dialect=dialect)
    again = read_script(print_script(script, dialect), "again.smt2", CATALOGUE, dialect=dialect)
    assert asserted(again) == asserted(script)


def test_the_parity_of_a_bit_vector_is_printed_bit_by_bit() -> None:
    text = "(declare-const x (_ BitVec 2))(assert (= (bvredxor x) #b1))"
    script = read_script(text, "f.smt2", CATALOGUE)
    assert script.assertions()[0].args[0].op == "OP_BV_REDXOR"
    assert "(bvxor ((_ extract 0 0) l1) ((_ extract 1 1) l1))" in print_script(script, "z3")


def test_a_declaration_that_hides_another_makes_another_constant() -> None:
    script = read_script(FORMS["declared again"], "f.smt2", CATALOGUE)
    names = [term.indices[0] for term in script.constants()]
    assert len(dict.fromkeys(names)) == len(names) == 3


REFUSED = {
    "(declare-codatatypes ((S 0)) (((c (t S)))))": "codatatypes are no part of fsm/theories",
    "(synth-fun f ((x Int)) Int)": "SyGuS",
    "(declare-heap (Int Int))": "separation logic is no part of fsm/theories",
    "(assert (sep (pto 1 2) (pto 2 3)))": "'sep': separation logic is no part",
    "(assert (_ sep.emp Int Int))": "'sep.emp': separation logic is no part",
    "(assert (= (as sep.nil Int) 1))": "'sep.nil': separation logic is no part",
    "(declare-sort U 0)(assert (_ fmf.card U 3))": "'fmf.card': bounds on the size of uninterpreted sorts",
    "(declare-datatypes ((T 0)) (((c (t T)))))": "has no finite value",
    "(declare-sort Int 0)": "a sort of the standard's theories",
    "(declare-fun and (Bool) Bool)": "a symbol of the theory Core",
    "(assert (= ((_ extract 8 0) #x00) #b0))": "index i is 8, expected 0 to 7",
    "(declare-const x (_ BitVec 0))": "expected 1 to 16777216 as an index of BitVec",
    "(declare-const x (_ FiniteField 6))": "expected a prime",
    "(assert (forall ((x Int)) (! (> x 0) :named n)))": "has the free variable 'x'",
    "(declare-datatype T ((a) (b)))(declare-const t T)(assert (match t ((a true))))": "no case of the constructor 'b'",
    "(declare-const x "
    + "(Array Int " * 1000
    + "Int"
    + ")" * 1000
    + ")": "nested more than 200 deep",
}


@pytest.mark.parametrize("text", REFUSED, ids=lambda t: t[:30])
def test_what_is_refused_has_the_right_reason(text: str) -> None:
    with pytest.raises(InputError) as raised:
        read_script(text, "f.smt2", CATALOGUE)
    assert REFUSED[text] in str(raised.value)


def test_deep_terms_are_printed_in_linear_size() -> None:
    text = f"(declare-const x Int)(assert (> {'(+ 1 ' * 20_000}x{')' * 20_000} 0))"
    printed = print_script(read_script(text, "deep", CATALOGUE))
    assert len(printed) < 2 * len(text)
    nested = (
        f"(declare-fun p (Int) Bool)(assert {'(forall ((x Int)) (or (p x) ' * 600}true{'))' * 600})"
    )
    script = read_script(nested, "nested", CATALOGUE)
    assert read_script(print_script(script), "again", CATALOGUE).assertions()[0].op == "OP_FORALL"
