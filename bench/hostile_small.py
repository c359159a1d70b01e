"""Small inputs that took for ever, or may: names that grow by doubling, indices and numerals beyond
all use, and words that are echoed. Each is below 5 MB, most are below 1 kB.
"""

# ruff: noqa: E501, UP031

from __future__ import annotations


def _nest(levels: int, front: str, inner: str, back: str) -> str:
    return front * levels + inner + back * levels


_D = "(declare-const x Int)(declare-const p Bool)(declare-const v (_ BitVec 8))(declare-const s String)"
SCRIPTS: dict[str, str] = {}
SCRIPTS["define-sort-array"] = (
    "(define-sort S0 () Int)"
    + "".join(f"(define-sort S{i + 1} () (Array S{i} S{i}))" for i in range(22))
    + "(declare-const a S22)(assert (= a a))(check-sat)"
)
SCRIPTS["define-sort-params"] = (
    "(define-sort S0 (A) (Array A A))"
    + "".join(f"(define-sort S{i + 1} (A) (S{i} (S{i} A)))" for i in range(8))
    + "(declare-const a (S8 Int))(assert (= a a))(check-sat)"
)
SCRIPTS["define-sort-unused"] = (
    "(define-sort S0 (A) (Array A A))"
    + "".join(f"(define-sort S{i + 1} (A) (S{i} (Array A A)))" for i in range(30))
    + "(check-sat)"
)
SCRIPTS["define-sort-chain"] = (
    "(define-sort S0 () Int)"
    + "".join(f"(define-sort S{i + 1} () (Set S{i}))" for i in range(3000))
    + "(declare-const a S3000)(assert (= a a))(check-sat)"
)
SCRIPTS["tuple"] = (
    "(define-sort S0 () Int)"
    + "".join(f"(define-sort S{i + 1} () (Tuple S{i} S{i} S{i}))" for i in range(15))
    + "(declare-const a S15)(assert (= a a))(check-sat)"
)
SCRIPTS["lets"] = (
    _D
    + "(assert "
    + "".join(
        f"(let ((y{i + 1} (and {'p' if not i else f'y{i}'} {'p' if not i else f'y{i}'})))"
        for i in range(40)
    )
    + "y40"
    + ")" * 40
    + ")(check-sat)"
)
SCRIPTS["lets-int"] = (
    _D
    + "(assert (= 0 "
    + "".join(
        f"(let ((y{i + 1} (+ {'x' if not i else f'y{i}'} {'x' if not i else f'y{i}'})))"
        for i in range(60)
    )
    + "y60"
    + ")" * 60
    + "))(check-sat)"
)
SCRIPTS["lets-mul"] = (
    _D
    + "(assert (= 0 "
    + "".join(
        f"(let ((y{i + 1} (* {'3' if not i else f'y{i}'} {'3' if not i else f'y{i}'})))"
        for i in range(40)
    )
    + "y40"
    + ")" * 40
    + "))(check-sat)"
)
SCRIPTS["define-fun"] = (
    _D
    + "(define-fun f0 ((a Int)) Int (+ a a))"
    + "".join(f"(define-fun f{i + 1} ((a Int)) Int (f{i} (f{i} a)))" for i in range(24))
    + "(assert (= (f24 x) 0))(check-sat)"
)
SCRIPTS["define-fun-mul"] = (
    _D
    + "(define-fun f0 ((a Int)) Int (* a a))"
    + "".join(f"(define-fun f{i + 1} ((a Int)) Int (f{i} (f{i} a)))" for i in range(10))
    + "(assert (= (f10 3) 0))(check-sat)"
)
SCRIPTS["define-fun-rec"] = (
    _D
    + "(define-fun-rec f ((a Int)) Int (+ (f (+ a 1)) (f (+ a 2))))(assert (= (f x) 0))(check-sat)"
)
SCRIPTS["dts-chain"] = (
    "".join(
        f"(declare-datatype D{i} ((c{i} (s{i} {'Int' if not i else f'D{i - 1}'}))))"
        for i in range(1500)
    )
    + "(declare-const d D1499)(assert (= d d))(check-sat)"
)
SCRIPTS["dts-tree"] = (
    "".join(
        f"(declare-datatype D{i} ((c{i} (s{i} {'Int' if not i else f'D{i - 1}'})(t{i} {'Int' if not i else f'D{i - 1}'}))))"
        for i in range(60)
    )
    + "(declare-const d D59)(assert (= d d))(check-sat)"
)
SCRIPTS["dts-block"] = (
    "(declare-datatypes ("
    + " ".join(f"(D{i} 0)" for i in range(600))
    + ") ("
    + " ".join(f"((n{i}) (c{i} (s{i} D{(i + 1) % 600})))" for i in range(600))
    + "))(declare-const d D5)(assert (= d d))(check-sat)"
)
SCRIPTS["dts-par"] = (
    "(declare-datatype P (par (A) ((c (s A)))))(declare-const d "
    + _nest(150, "(P ", "Int", ")")
    + ")(assert (= d d))(check-sat)"
)
SCRIPTS["dts-par-double"] = (
    "(declare-datatype P (par (A B) ((c (s A) (t B)))))(define-sort S0 () Int)"
    + "".join(f"(define-sort S{i + 1} () (P S{i} S{i}))" for i in range(25))
    + "(declare-const d S25)(assert (= d d))(check-sat)"
)
SCRIPTS["dt-constructors"] = (
    "(declare-datatype D ("
    + " ".join(f"(c{i} (s{i} Int))" for i in range(3000))
    + "))(declare-const d D)(assert ((_ is c7) d))(assert (= d d))(check-sat)"
)
SCRIPTS["numeral"] = _D + "(assert (= x " + "9" * 300000 + "))(check-sat)"
SCRIPTS["numeral-2M"] = _D + "(assert (= x " + "9" * 2000000 + "))(check-sat)"
SCRIPTS["decimal"] = _D + "(declare-const r Real)(assert (= r 0." + "9" * 300000 + "))(check-sat)"
SCRIPTS["decimal-many"] = (
    _D + "(declare-const r Real)" + ("(assert (= r 0." + "9" * 3900 + "))") * 300 + "(check-sat)"
)
SCRIPTS["hex"] = _D + "(assert (= ((_ extract 7 0) #x" + "f" * 400000 + ") v))(check-sat)"
SCRIPTS["bv-width"] = "(declare-const w (_ BitVec 1000000000))(check-sat)"
SCRIPTS["bv-width-max"] = (
    "(declare-const w (_ BitVec 16777216))(assert (= w (bvadd w (bvnot w))))(check-sat)"
)
SCRIPTS["bv-width-many-mul"] = (
    "(declare-const w (_ BitVec 65536))(assert (= w "
    + _nest(60, "(bvmul w ", "w", ")")
    + "))(check-sat)"
)
SCRIPTS["bv-value"] = (
    "(declare-const w (_ BitVec 16777216))(assert (= w (_ bv"
    + "7" * 3000
    + " 16777216)))(check-sat)"
)
SCRIPTS["bv-udiv"] = (
    "(declare-const w (_ BitVec 1000000))(assert (= w (bvudiv (bvnot w) (_ bv3 1000000))))(check-sat)"
)
for k, n in (
    ("repeat", 1000000),
    ("repeat", 99999999),
    ("zero_extend", 16000000),
    ("sign_extend", 16000000),
    ("rotate_left", 10**9),
    ("rotate_right", 10**30),
):
    SCRIPTS[f"{k}-{n}"] = _D + f"(assert (= ((_ {k} {n}) v) ((_ {k} {n}) v)))(check-sat)"
SCRIPTS["repeat-nested"] = _D + "(assert (= " + "((_ repeat 100) " * 3 + "v)))" + " v))(check-sat)"
SCRIPTS["repeat-lets"] = (
    _D
    + "(assert "
    + "(let ((z " * 0
    + "(= ((_ extract 7 0) "
    + _nest(12, "((_ repeat 4) ", "v", ")")
    + ") v))(check-sat)"
)
SCRIPTS["extract"] = _D + "(assert (= ((_ extract 999999999 0) v) v))(check-sat)"
SCRIPTS["concat-lets"] = (
    _D
    + "(assert (= v ((_ extract 7 0) "
    + "".join(
        f"(let ((z{i + 1} (concat {'v' if not i else f'z{i}'} {'v' if not i else f'z{i}'})))"
        for i in range(26)
    )
    + "z26"
    + ")" * 26
    + ")))(check-sat)"
)
SCRIPTS["string"] = _D + '(assert (= s "' + "a" * 2000000 + '"))(check-sat)'
SCRIPTS["strings-lets"] = (
    _D
    + "(assert (= s "
    + "".join(
        f"(let ((z{i + 1} (str.++ {'s' if not i else f'z{i}'} {'s' if not i else f'z{i}'})))"
        for i in range(40)
    )
    + "z40"
    + ")" * 40
    + "))(check-sat)"
)
SCRIPTS["strings-const-lets"] = (
    _D
    + "(assert (= s "
    + "".join(
        "(let ((z%d (str.++ %s %s)))" % (i + 1, *(('"a"' if not i else f"z{i}",) * 2))
        for i in range(40)
    )
    + "z40"
    + ")" * 40
    + "))(check-sat)"
)
SCRIPTS["re-loop"] = (
    _D + '(assert (str.in_re s ((_ re.loop 1000000 2000000) (re.* (str.to_re "ab")))))(check-sat)'
)
SCRIPTS["re-power"] = (
    _D
    + "(assert (str.in_re s "
    + _nest(12, "((_ re.^ 10) ", '(re.union (str.to_re "a") (str.to_re "ab"))', ")")
    + "))(check-sat)"
)
SCRIPTS["re-comp"] = (
    _D
    + "(assert (str.in_re s "
    + _nest(30, '(re.comp (re.++ re.all (str.to_re "a") ', "re.all", "))")
    + "))(check-sat)"
)
SCRIPTS["ff"] = "(declare-const f (_ FiniteField " + str(2**9689 - 1) + "))(check-sat)"
SCRIPTS["ff-4000"] = "(declare-const f (_ FiniteField " + "9" * 3990 + "7" + "))(check-sat)"
SCRIPTS["fp"] = (
    "(declare-const f (_ FloatingPoint 30 16000000))(assert (fp.eq f (fp.add RNE f f)))(check-sat)"
)
SCRIPTS["fp-exp"] = (
    "(declare-const f (_ FloatingPoint 1000 1000))(assert (fp.eq f ((_ to_fp 1000 1000) RNE 0.1)))(check-sat)"
)
SCRIPTS["fp-real"] = (
    "(declare-const f (_ FloatingPoint 40 10))(assert (= 1.0 (fp.to_real (fp (_ bv0 1) (bvnot (_ bv1 40)) (_ bv0 9)))))(check-sat)"
)
SCRIPTS["pow"] = _D + "(assert (= x (^ 9 (^ 9 (^ 9 9)))))(check-sat)"
SCRIPTS["pow2"] = _D + "(assert (= x (int.pow2 99999999999)))(check-sat)"
SCRIPTS["int2bv"] = _D + "(assert (= ((_ int2bv 16000000) x) ((_ int2bv 16000000) 5)))(check-sat)"
SCRIPTS["divisible"] = _D + "(assert ((_ divisible " + "9" * 3000 + ") x))(check-sat)"
SCRIPTS["push"] = _D + "(push 1000000000)(check-sat)"
SCRIPTS["pop"] = _D + "(push 100000)(pop 100000)(check-sat)"
SCRIPTS["asserts"] = _D + "(assert p)" * 10000 + "(check-sat)"
SCRIPTS["asserts-distinct"] = (
    _D + "".join(f"(assert (> x {i}))" for i in range(8000)) + "(check-sat)"
)
SCRIPTS["consts"] = (
    "".join(f"(declare-const x{i} Int)" for i in range(8000))
    + "".join(f"(assert (> x{i} 0))" for i in range(8000))
    + "(check-sat)"
)
SCRIPTS["distinct"] = (
    "".join(f"(declare-const x{i} Int)" for i in range(3000))
    + "(assert (distinct "
    + " ".join(f"x{i}" for i in range(3000))
    + "))(check-sat)"
)
SCRIPTS["chain"] = _D + "(assert (= " + "x " * 20000 + "))(check-sat)"
SCRIPTS["quant"] = _nest(150, "(forall ((q Int)) ", "(> q 0)", ")")
SCRIPTS["quant"] = "(assert " + SCRIPTS["quant"] + ")(check-sat)"
SCRIPTS["quant-many"] = (
    "(assert (forall ("
    + " ".join(f"(q{i} Bool)" for i in range(3000))
    + ") "
    + "(and "
    + " ".join(f"q{i}" for i in range(3000))
    + ")))(check-sat)"
)
SCRIPTS["quant-bv"] = (
    "(assert (forall ((a (_ BitVec 64))(b (_ BitVec 64))) (= (bvadd a b) (bvadd b a))))(check-sat)"
)
SCRIPTS["quant-bool-20"] = (
    "(assert (forall ("
    + " ".join(f"(q{i} Bool)" for i in range(24))
    + ") (or "
    + " ".join(f"q{i}" for i in range(24))
    + " true)))(check-sat)"
)
SCRIPTS["unknown-word"] = "(assert " + "q" * 5000000 + ")(check-sat)"
SCRIPTS["unknown-command"] = "(" + "q" * 5000000 + ")"
SCRIPTS["unknown-sort"] = "(declare-const x " + "Q" * 5000000 + ")"
SCRIPTS["unknown-logic"] = "(set-logic " + "Q" * 5000000 + ")(assert true)(check-sat)"
SCRIPTS["unknown-index"] = "(declare-const x (_ BitVec " + "q" * 5000000 + "))"
SCRIPTS["symbol-5M"] = (
    "(declare-const " + "q" * 5000000 + " Int)(assert (= 1 " + "q" * 5000000 + "))(check-sat)"
)
SCRIPTS["set-info"] = '(set-info :a "' + "q" * 5000000 + '")(check-sat)'
SCRIPTS["deep-not"] = (
    "(declare-const p Bool)(assert " + _nest(50000, "(not ", "p", ")") + ")(check-sat)"
)
SCRIPTS["deep-ite"] = (
    "(declare-const p Bool)(assert " + _nest(20000, "(ite p p ", "p", ")") + ")(check-sat)"
)
SCRIPTS["deep-plus"] = _D + "(assert (= 0 " + _nest(20000, "(+ x ", "x", ")") + "))(check-sat)"
SCRIPTS["deep-array"] = (
    "(declare-const a (Array Int Int))(assert (= a "
    + _nest(8000, "(store ", "a", " 1 2)")
    + "))(check-sat)"
)
SCRIPTS["deep-select"] = (
    "(declare-const a (Array Int Int))(assert (= 1 "
    + _nest(8000, "(select a ", "1", ")")
    + "))(check-sat)"
)
SCRIPTS["named"] = (
    "(declare-const p Bool)(assert " + _nest(3000, "(! ", "p", " :named q)") + ")(check-sat)"
)
SCRIPTS["echo"] = '(echo "a")' * 50000 + "(check-sat)"
SCRIPTS["check-sats"] = "(declare-const p Bool)(assert p)" + "(check-sat)" * 20000
SCRIPTS["symbols-same"] = (
    "".join(
        f"(push 1)(declare-const |a {i}| Int)(assert (> |a {i}| 0))(pop 1)" for i in range(3000)
    )
    + "(check-sat)"
)
SCRIPTS["same-name"] = "(push 1)(declare-const a Int)(assert (> a 0))(pop 1)" * 3000 + "(check-sat)"
SCRIPTS["match"] = (
    "(declare-datatype L ((nil)(cons (h Int)(t L))))(declare-const l L)(assert (= 0 "
    + _nest(14, "(match l ((nil 0) ((cons a b) ", "1", ")))")
    + "))(check-sat)"
)
SCRIPTS["lambda"] = (
    "(declare-const f (-> Int Int))(assert (= f "
    + "(lambda ((a Int)) a)"
    + "))(assert (= 1 "
    + _nest(300, "((lambda ((a Int)) a) ", "1", ")")
    + "))(check-sat)"
)
SCRIPTS["curry"] = (
    "(declare-const f " + _nest(150, "(-> Int ", "Int", ")") + ")(assert (= f f))(check-sat)"
)
SCRIPTS["seq"] = (
    "(declare-const q (Seq Int))(assert (= q (seq.++ "
    + " ".join("(seq.unit 1)" for _ in range(5000))
    + ")))(check-sat)"
)
SCRIPTS["sets"] = (
    "(declare-const q (Set Int))(assert (= q (set.insert "
    + " ".join(str(i) for i in range(5000))
    + " (set.singleton 1))))(check-sat)"
)

_H = "# murxpy-trace 1\n# solver z3 5.4.1\n1 new\n      return o1\n"
TRACES: dict[str, str] = {}
TRACES["integer"] = (
    _H
    + '2 mk-sort SORT_INT\n      return s1\n3 mk-value s1 "'
    + "9" * 300000
    + '"\n      return t1 s1\n4 mk-const s1 "x"\n      return t2 s1\n5 mk-term OP_EQUAL SORT_BOOL 2 t1 t2\n      return t3 s2\n6 assert-formula t3\n7 check-sat\n'
)
TRACES["integer-4M"] = TRACES["integer"].replace("9" * 300000, "9" * 4000000)
TRACES["real"] = (
    TRACES["integer"].replace("SORT_INT", "SORT_REAL").replace("9" * 300000, "1/" + "9" * 300000)
)
TRACES["decimal"] = (
    TRACES["integer"].replace("SORT_INT", "SORT_REAL").replace("9" * 300000, "0." + "9" * 300000)
)
TRACES["bv"] = (
    TRACES["integer"]
    .replace("SORT_INT", "SORT_BV 1000000")
    .replace("9" * 300000, "9" * 300000 + '" 10 "')
    .replace('" 10 ""', '" 10')
)
TRACES["pyint"] = _H + '2 set-option "a" py:' + "9" * 300000 + "\n"
TRACES["word"] = _H + "2 frob" + "q" * 5000000 + "\n"
TRACES["word2"] = _H + "2 mk-sort " + "q" * 5000000 + "\n"
TRACES["word3"] = _H + "2 mk-const " + "q" * 5000000 + "\n"
TRACES["op"] = _H + "2 mk-term OP_" + "Q" * 5000000 + " SORT_BOOL 1 t1\n"
TRACES["header"] = "# solver " + "q" * 5000000 + "\n" + _H
TRACES["version"] = "# murxpy-trace " + "q" * 5000000 + "\n" + _H
TRACES["sorts"] = (
    _H
    + "2 mk-sort SORT_INT\n      return s1\n"
    + "".join(f"3 mk-sort SORT_ARRAY s{i + 1} s{i + 1}\n      return s{i + 2}\n" for i in range(26))
    + '4 mk-const s27 "x"\n      return t1 s27\n5 check-sat\n'
)
TRACES["terms"] = (
    _H
    + '2 mk-sort SORT_INT\n      return s1\n2 mk-const s1 "x"\n      return t1 s1\n'
    + "".join(
        f"3 mk-term OP_INT_ADD SORT_INT 2 t{i + 1} t{i + 1}\n      return t{i + 2} s1\n"
        for i in range(60)
    )
    + "4 mk-term OP_EQUAL SORT_BOOL 2 t61 t1\n      return t62 s2\n4 assert-formula t62\n5 check-sat\n"
)
TRACES["lines"] = _H + "2 mk-sort SORT_INT\n      return s1\n" + '2 mk-const s1 "x"\n' * 20000
TRACES["asserts"] = (
    _H
    + '2 mk-sort SORT_BOOL\n      return s1\n2 mk-const s1 "x"\n      return t1 s1\n'
    + "3 assert-formula t1\n" * 10000
    + "4 check-sat\n      answer sat\n"
)
TRACES["checks"] = (
    _H
    + '2 mk-sort SORT_BOOL\n      return s1\n2 mk-const s1 "x"\n      return t1 s1\n3 assert-formula t1\n'
    + "4 check-sat\n      answer sat\n" * 10000
)
TRACES["push"] = _H + "2 push 1000000000\n"
TRACES["dt"] = (
    _H
    + '2 mk-sort SORT_DT 1 "D" 0 10000 '
    + " ".join(f'"c{i}" 0' for i in range(10000))
    + '\n      return s1\n3 mk-const s1 "x"\n      return t1 s1\n'
)
TRACES["dts"] = (
    _H
    + "2 mk-sort SORT_DT 600 "
    + " ".join(f'"D{i}" 0 1 "c{i}" 1 "s{i}" s<"D{(i + 1) % 600}"> 0' for i in range(600))
    + "\n      return "
    + " ".join(f"s{i + 1}" for i in range(600))
    + '\n3 mk-const s1 "x"\n      return t1 s1\n'
)
TRACES["planted"] = (
    "# planted 1\n"
    + _H
    + '2 mk-sort SORT_INT\n      return s1\n3 mk-const s1 "x"\n      return t1 s1\n4 plant t1 "'
    + "9" * 300000
    + '"\n4 mk-term OP_EQUAL SORT_BOOL 2 t1 t1\n      return t2 s2\n4 assert-formula t2\n5 check-sat\n'
)
TRACES["quotes"] = _H + "2 mk-sort " + '"a" ' * 200000 + "\n"
TRACES["py-nest"] = _H + '2 set-option "a" py:' + "[" * 100000 + "\n"
TRACES["rep"] = (
    _H
    + '2 mk-sort SORT_BV 8\n      return s1\n3 mk-const s1 "x"\n      return t1 s1\n4 mk-term OP_BV_REPEAT SORT_BV 1 t1 1 99999999\n      return t2 s2\n5 check-sat\n'
)
TRACES["ff"] = _H + "2 mk-sort SORT_FF " + str(2**9689 - 1) + "\n      return s1\n"

TRACES = {f"trace-{name}": text for name, text in TRACES.items()}
MODEL = '((define-fun x () Int 7)(define-fun p () Bool true)(define-fun v () (_ BitVec 8) #x0f)(define-fun s () String "a"))'
