"""Translators: what is printed for small traces, and that random ones give the same answers as
scripts, programs and traces of Murxla.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from commands import error, outcome
from toy import catalogue, forked, live, walk

from murxpy.data import load_wrapper
from murxpy.errors import InputError
from murxpy.machine.trace.grammar import Trace, parse_trace
from murxpy.machine.trace.lift import lift
from murxpy.smtlib.lexer import Symbols
from murxpy.smtlib.logics import covers, smallest
from murxpy.smtlib.reading.scripts import read_script
from murxpy.translate.dry import term_texts
from murxpy.translate.expressions import inlined
from murxpy.translate.murxla import to_murxla
from murxpy.translate.python import to_python
from murxpy.translate.smtlib import to_smtlib

sys.path.insert(0, str(Path(__file__).parents[2] / "bench"))

from scripts import READERS
from translated import SETTLED, judge_murxla, judge_python, judge_smtlib

pytestmark = pytest.mark.usefixtures("kept_solvers")

HEADER = "# murxpy-trace 1\n# solver z3 5.4.0.0\n"
SMALL = (
    HEADER
    + """
 1 new@simple
      return o1
 2 mk-sort@function SORT_BV 8
      return s1
 3 mk-const@sort s1 "_x0"
      return t1 s1
 4 mk-value s1 "00000011" 2
      return t2 s1
 5 mk-term@operator OP_BV_ADD SORT_BV 3 t1 t2 t1
      return t3 s1
 6 mk-term@function OP_BV_ULT SORT_BOOL 2 t3 t3
      return t4 s2
 7 push 1
 8 assert-tracked@name t4 "a b"
 9 check-sat-assuming@arguments 1 t4
      answer unsat
10 get-unsat-core@default
"""
)
SCRIPT = """\
; from t.trace, made with z3 5.4.0.0
(set-option :produce-unsat-cores true)
(set-option :global-declarations true)
(set-logic ALL)
(declare-const _x0 (_ BitVec 8))
(push 1)
(assert (! (let ((l1 (bvadd _x0 #b00000011 _x0))) (bvult l1 l1)) :named |a b|))
(define-fun assumption1 () Bool (let ((l2 (bvadd _x0 #b00000011 _x0))) (bvult l2 l2)))
(check-sat-assuming (assumption1)) ; unsat
(get-unsat-core)
(exit)
"""


def trace(text: str) -> Trace:
    return parse_trace(text, "t.trace")


def smtlib(
    *lines: str, dialect: str = "standard", lossy: bool = False, by_definition: bool = False
) -> list[str]:
    """The commands that these lines become, behind `new`."""
    text = HEADER + "\n".join(["new", *lines])
    return to_smtlib(trace(text), catalogue(), dialect, lossy, by_definition).splitlines()[1:-1]


def test_small_script() -> None:
    assert to_smtlib(trace(SMALL), catalogue()) == SCRIPT


def test_small_program(tmp_path: Path) -> None:
    program = to_python(trace(SMALL), catalogue(), load_wrapper("z3"))
    assert re.search(r"t3 = \(x0 \+ t2\w*\) \+ x0  # 12", program)
    assert "answered(18, str(solver.check(t4)), 'unsat')" in program
    assert "murxpy" not in "\n".join(row for row in program.splitlines() if "import" in row)
    file = tmp_path / "p.py"
    file.write_text(program)
    done = subprocess.run(
        [sys.executable, "-I", str(file)], capture_output=True, text=True, check=True
    )
    assert done.stdout == "line 18: answer: 'unsat'\n"


def test_spellings_that_leave_out_an_argument() -> None:
    text = (
        HEADER
        + 'new\nmk-sort SORT_STRING\n return s1\nmk-const s1 "a"\n return t1 s1\nmk-sort SORT_INT\n return s2\n'
    )
    text += 'mk-value s2 "0"\n return t2 s2\nmk-term@no-offset OP_STR_INDEXOF SORT_INT 3 t1 t1 t2\n return t3 s2\n'
    assert re.search(
        r"t3 = .*IndexOf\((\w+), \1\)", to_python(trace(text), catalogue(), load_wrapper("z3"))
    )


def test_a_program_does_not_depend_on_those_printed_before_it() -> None:
    wrapper, other = load_wrapper("z3"), SMALL.replace("_x0", "y").replace("ULT", "ULE")
    printed = [to_python(trace(text), catalogue(), wrapper) for text in (SMALL, other, SMALL)]
    assert printed[0] == printed[2] != printed[1]


def test_a_release_that_is_no_number_is_a_clear_error() -> None:
    for release in ("9" * 5000, "1." + "9" * 5000, "x"):
        with pytest.raises(InputError, match="cannot read the release"):
            to_python(trace(f"# solver z3 {release}\nnew\n"), catalogue(), load_wrapper("z3"))


def test_results_that_say_less_than_they_should() -> None:
    rows = 'new\nrun-script@parser "(check-sat)"\n answer\nmk-term OP_TRANS_PI SORT_REAL 0\n return t1\n'
    damaged = trace("# solver z3 5.4.0\n" + rows)
    assert "(check-sat)" in to_smtlib(damaged, catalogue(), lossy=True)
    assert "the line does not return the sort of t1" in to_murxla(damaged, catalogue(), lossy=True)


def test_another_answer_exits_with_2(tmp_path: Path) -> None:
    file = tmp_path / "p.py"
    file.write_text(
        to_python(
            trace(SMALL.replace("answer unsat", "answer sat")), catalogue(), load_wrapper("z3")
        )
    )
    assert (
        subprocess.run([sys.executable, str(file)], capture_output=True, check=False).returncode
        == 2
    )


def run(file: Path, program: str) -> subprocess.CompletedProcess[str]:
    file.write_text(program)
    return subprocess.run([sys.executable, str(file)], capture_output=True, text=True, check=False)


def test_a_model_behind_another_answer_is_not_judged(tmp_path: Path) -> None:
    text = SMALL.replace("answer unsat", "answer sat") + "1 check-model\n"
    done = run(tmp_path / "p.py", to_python(trace(text), catalogue(), load_wrapper("z3")))
    told = "line 18: answer: 'unsat', recorded 'sat'\n"
    assert (done.returncode, done.stdout, done.stderr) == (2, told, "")


@pytest.mark.parametrize(
    ("solver", "limited"),
    [
        ("z3", 'solver.set("rlimit", 2800)'),
        ("cvc5", "solver.setOption('reproducible-resource-limit', str(2800))"),
    ],
)
def test_the_fresh_check_of_a_model_has_a_limit(solver: str, limited: str) -> None:
    header = f"# murxpy-trace 1\n# solver {solver} 99\n"
    text = header + "new\nset-limit 700\ncheck-sat\n answer sat\ncheck-model\n"
    program = to_python(trace(text), catalogue(), load_wrapper(solver))
    fresh = program[program.index("first, solver = solver") :]
    assert limited in fresh and fresh.index(limited) < fresh.index("for f in")
    without = to_python(
        trace(text.replace("set-limit 700\n", "")), catalogue(), load_wrapper(solver)
    )
    assert "for f in" in without and "2800" not in without


def test_a_release_that_lacks_a_call_tells_nothing(tmp_path: Path) -> None:
    program = to_python(trace(SMALL), catalogue(), load_wrapper("z3"))
    done = run(tmp_path / "p.py", program.replace("solver.check(", "solver.no_such("))
    lacks = "this release lacks a call: 'Solver' object has no attribute 'no_such'"
    assert (done.returncode, done.stdout) == (2, f"cannot be told, because {lacks}\n")
    rows = 'new\nset-option@set nonsense 7\n refused undocumented "Z3Exception: unknown"\n'
    program = to_python(trace(HEADER + rows), catalogue(), load_wrapper("z3"))
    done = run(tmp_path / "p.py", program.replace("solver.set(", "solver.no_such("))
    assert (done.returncode, lacks.partition(":")[0] in done.stdout) == (2, True)


@pytest.mark.parametrize(("sort", "code"), [("undocumented", 1), ("unsupported", 0)])
def test_a_recorded_exception(tmp_path: Path, sort: str, code: int) -> None:
    text = (
        HEADER
        + f'new\nset-option@set nonsense 7\n refused {sort} "Z3Exception: unknown parameter"\n'
    )
    file = tmp_path / "p.py"
    file.write_text(to_python(trace(text), catalogue(), load_wrapper("z3")))
    assert (
        subprocess.run([sys.executable, str(file)], capture_output=True, check=False).returncode
        == code
    )


def test_murxla_records_no_answers(tmp_path: Path) -> None:
    text = 'set-murxla-options --cvc5\n1 new\n2 mk-sort SORT_BV 8\nreturn s1\n3 mk-const s1 "x"\nreturn t1 s1\n'
    text += "4 mk-term OP_EQUAL SORT_BOOL 2 t1 t1\nreturn t2 s2\n5 assert-formula t2\n6 check-sat\n7 reset\n8 check-sat\n"
    script = to_smtlib(trace(text), catalogue())
    assert script.splitlines()[1:] == [
        "(set-logic ALL)",
        "(declare-const x (_ BitVec 8))",
        "(assert (= x x))",
        "(check-sat)",
        "(reset)",
        "(set-logic ALL)",
        "(check-sat)",
        "(exit)",
    ]
    file = tmp_path / "p.py"
    file.write_text(to_python(trace(text), catalogue(), load_wrapper("cvc5")))
    assert (
        subprocess.run([sys.executable, str(file)], capture_output=True, check=False).returncode
        == 0
    )


def test_what_cannot_be_said_names_its_line() -> None:
    with pytest.raises(InputError, match=r"t.trace:5: 'gc' is an action of the API only.*--lossy"):
        smtlib("", "gc")
    assert smtlib("gc", lossy=True)[-1] == "; line 4: gc: 'gc' is an action of the API only"
    with pytest.raises(InputError, match=r"t.trace:4: the option 'relevancy' of z3"):
        smtlib("set-option relevancy 1", dialect="cvc5")
    assert "(set-option :smt.relevancy 1)" in smtlib("set-option relevancy 1", dialect="z3")
    with pytest.raises(InputError, match=r"t.trace:4: a limit in the unit of another solver"):
        smtlib("set-limit 1000", dialect="cvc5")


def bit(spelling: str) -> list[str]:
    """Lines that assert a bit of a bit-vector, made by this spelling."""
    return [
        "mk-sort SORT_BV 8\n return s1",
        'mk-const s1 "x"\n return t1 s1',
        f"mk-term@{spelling} OP_BV_BIT SORT_BOOL 1 t1 1 3\n return t2 s2",
        "assert-formula t2",
        "check-sat\n answer sat",
    ]


def test_a_case_of_a_match_is_no_term_of_its_own() -> None:
    script = """
        (declare-datatype D ((a) (b (n Int))))
        (declare-const d D)
        (assert (= d (match d ((a d) ((b k) (b (+ k 1)))))))
    """
    trace = lift(read_script(script, "d.smt2", catalogue()))
    match = "(match d ((a d) ((b k) (b (+ k 1)))))"
    assert term_texts(trace, catalogue()) == {
        "t1": "d",
        "t4": "1",
        "t8": match,
        "t9": f"(= d {match})",
    }


def test_another_formula_is_printed_only_where_it_is_asked_for() -> None:
    defined = "(assert (= ((_ extract 3 3) x) #b1))"
    with pytest.raises(
        InputError,
        match=r"t.trace:10: OP_BV_BIT has no name in SMT-LIB's dialect 'cvc5'; with --by-definition its",
    ):
        smtlib(*bit("op"), dialect="cvc5")
    assert defined in smtlib(*bit("op"), dialect="cvc5", by_definition=True)
    assert smtlib(*bit("op"), dialect="cvc5", lossy=True)[-2].startswith(
        "; line 10: assert-formula: OP_BV_BIT has no name"
    )
    assert defined in smtlib(*bit("extract"), dialect="cvc5"), "the spelling made this very formula"
    assert "(assert ((_ bit2bool 3) x))" in smtlib(*bit("op"), dialect="z3")


def test_a_term_that_two_spellings_made_is_no_definition() -> None:
    lines = bit("extract")
    lines[3:3] = ["mk-term@op OP_BV_BIT SORT_BOOL 1 t1 1 3\n return t3 s2"]
    with pytest.raises(InputError, match="OP_BV_BIT has no name"):
        smtlib(*lines, dialect="cvc5")


def test_what_reads_a_check_that_is_left_out_is_left_out() -> None:
    lines = [
        *bit("op")[:3],
        "check-sat-assuming 1 t2\n answer sat",
        "get-model",
        "get-value 1 t1",
        "get-assertions",
        "check-sat\n answer sat",
        "get-model",
    ]
    rows = smtlib(*lines, dialect="cvc5", lossy=True)
    assert [row for row in rows if row.startswith(("(get", "(check"))] == [
        "(get-assertions)",
        "(check-sat) ; sat",
        "(get-model)",
    ]
    assert sum("it reads a check that is left out" in row for row in rows) == 2
    assert (
        sum(row.startswith("(get") for row in smtlib(*lines, dialect="cvc5", by_definition=True))
        == 4
    )


def test_extensions_by_dialect() -> None:
    lines = [
        "mk-sort SORT_INT\n return s1",
        "mk-sort SORT_SET s1\n return s2",
        'mk-const s2 "x"\n return t1 s2',
        "mk-term OP_SET_COMPLEMENT SORT_SET 1 t1\n return t2 s2",
        "mk-term OP_EQUAL SORT_BOOL 2 t2 t1\n return t3 s3",
        "assert-formula t3",
    ]
    assert smtlib(*lines, dialect="cvc5")[-2:] == [
        "(declare-const x (Set Int))",
        "(assert (= (set.complement x) x))",
    ]
    assert smtlib(*lines, dialect="z3")[-2:] == [
        "(declare-const x (Set Int))",
        "(assert (= (complement x) x))",
    ]
    with pytest.raises(
        InputError, match=r"t.trace:8: SORT_SET has no name in SMT-LIB's dialect 'standard'"
    ):
        smtlib(*lines)


@pytest.mark.parametrize(
    ("line", "printed"),
    [
        ("mk-term OP_BV_REDAND SORT_BV 1 t1", "(bvcomp x (bvnot (_ bv0 4)))"),
        ("mk-term OP_BV_SLTBV SORT_BV 2 t1 t1", "(ite (bvslt x x) #b1 #b0)"),
        ("mk-term OP_BV_BIT SORT_BOOL 1 t1 1 2", "(= ((_ extract 2 2) x) #b1)"),
        ("mk-term OP_STR_FROM_UBV SORT_STRING 1 t1", "(str.from_int (ubv_to_int x))"),
        ("mk-term OP_AT_MOST SORT_BOOL 2 t3 t3 1 1", "(<= (+ (ite b 1 0) (ite b 1 0)) 1)"),
        ("mk-term OP_PB_GE SORT_BOOL 2 t3 t3 3 5 2 3", "(>= (+ (ite b 2 0) (ite b 3 0)) 5)"),
        (
            "mk-term OP_BV_EXT_ROTATE_LEFT SORT_BV 2 t2 t1",
            "(let ((l1 (bvneg x))) (bvor (bvshl l1 (bvurem x (_ bv4 4))) (bvlshr l1 (bvsub (_ bv4 4) (bvurem x (_ bv4 4))))))",
        ),
    ],
)
def test_extensions_by_their_definition(line: str, printed: str) -> None:
    lines = [
        "mk-sort SORT_BV 4\n return s1",
        'mk-const s1 "x"\n return t1 s1',
        "mk-term OP_BV_NEG SORT_BV 1 t1\n return t2 s1",
        "mk-sort SORT_BOOL\n return s2",
        'mk-const s2 "b"\n return t3 s2',
        f"{line}\n return t4 s3",
        "mk-term OP_EQUAL SORT_BOOL 2 t4 t4\n return t5 s2",
        "assert-formula t5",
    ]
    if "SORT_BOOL" in line:
        lines[5] = lines[5].replace("s3", "s2")
    if "SORT_BV 1 t1" in line or "SLTBV" in line:
        lines[5] = lines[5].replace("s3", "s4")
    if "ROTATE" in line:
        lines[5] = lines[5].replace("s3", "s1")
    rows = smtlib(*lines, by_definition=True)
    assert printed in rows[-1]
    assert READERS["z3"]("\n".join([*rows, "(check-sat)"]), 10, 0).answers == ["sat"]
    assert READERS["cvc5"]("\n".join([*rows, "(check-sat)"]), 10, 0).answers == ["sat"]


def test_what_could_not_be_declared_cannot_be_used() -> None:
    lines = [
        "mk-sort SORT_INT\n return s1",
        "mk-sort SORT_SEQ s1\n return s2",
        'mk-const s2 "x"\n return t1 s2',
        "mk-term OP_EQUAL SORT_BOOL 2 t1 t1\n return t2 s3",
        "assert-formula t2",
        "assert-formula t2",
    ]
    rows = smtlib(*lines, lossy=True)
    assert [row for row in rows if not row.startswith(";")] == ["(set-logic ALL)"]
    assert sum("SORT_SEQ has no name" in row for row in rows) == 3


def test_what_cvc5_excludes_by_a_model_is_said_in_its_dialect() -> None:
    lines = [
        "mk-sort SORT_BOOL\n return s1",
        'mk-const s1 "x"\n return t1 s1',
        "cvc5-block-model@values",
        "cvc5-block-model-values t1",
    ]
    text = HEADER.replace("z3 5.4.0.0", "cvc5 1.4.2") + "\n".join(["new", *lines])
    assert to_smtlib(trace(text), catalogue(), "cvc5").splitlines()[-3:-1] == [
        "(block-model :values)",
        "(block-model-values (x))",
    ]
    with pytest.raises(InputError, match="'cvc5-block-model' is an action of one solver only"):
        to_smtlib(trace(text), catalogue(), "standard")


def test_what_is_declared_behind_a_check_stands_before_it() -> None:
    lines = [
        "mk-sort SORT_BOOL\n return s1",
        'mk-const s1 "x"\n return t1 s1',
        "check-sat\n answer sat",
        "get-value 1 t1",
    ]
    lines += [
        'mk-const s1 "y"\n return t2 s1',
        "get-value 1 t2",
        "assert-formula t2",
        'mk-const s1 "z"\n return t3 s1',
        "check-sat",
    ]
    assert smtlib(*lines)[2:] == [
        "(declare-const x Bool)",
        "(declare-const y Bool)",
        "(check-sat) ; sat",
        "(get-value (x))",
        "(get-value (y))",
        "(assert y)",
        "(declare-const z Bool)",
        "(check-sat)",
    ]


def test_constructors_of_parametric_datatypes_have_their_rank_in_z3() -> None:
    lines = [
        "mk-sort SORT_INT\n return s1",
        'mk-sort SORT_DT 1 "d" 1 s"e" 1 "c" 2 "f" s"e" "g" s1\n return s2',
        "instantiate-sort s2 s1\n return s3",
        'mk-const s3 "x"\n return t1 s3',
        'mk-term OP_DT_APPLY_TESTER SORT_BOOL 1 "c" 1 t1\n return t2 s4',
        "assert-formula t2",
        'mk-term OP_DT_APPLY_UPDATER SORT_DT 2 "c" "g" 2 t1 t4\n return t3 s3',
    ]
    lines.insert(6, 'mk-value s1 "1"\n return t4 s1')
    lines += ["mk-term OP_EQUAL SORT_BOOL 2 t1 t3\n return t5 s4", "assert-formula t5"]
    rows = smtlib(*lines, dialect="z3")
    assert rows[-2:] == [
        "(assert ((_ is (c (Int Int) (d Int))) x))",
        "(assert (= x ((_ update-field (g ((d Int)) Int)) x 1)))",
    ]
    assert READERS["z3"]("\n".join([*rows, "(check-sat)"]), 10, 0).answers == ["sat"]
    with pytest.raises(
        InputError,
        match="OP_DT_APPLY_TESTER has no name in SMT-LIB's dialect 'standard'; with --by-definition",
    ):
        smtlib(*lines)
    rows = smtlib(*lines, by_definition=True)  # a match, which both solvers take
    assert rows[-2:] == [
        "(assert (match x (((c x1 x2) true))))",
        "(assert (= x (ite (match x (((c x3 x4) true))) ((as c (d Int)) (f x) 1) x)))",
    ]
    for solver in READERS:
        assert READERS[solver]("\n".join([*rows, "(check-sat)"]), 10, 0).answers == ["sat"]


def test_misuses_are_of_the_api_only() -> None:
    lines = [
        "mk-sort SORT_BV 8\n return s1",
        'mk-const s1 "x"\n return t1 s1',
        "misuse@type mk-term@function OP_BV_ULT SORT_BOOL 2 t1 t1 with 1 py:[1]",
    ]
    with pytest.raises(InputError, match=r"t.trace:8: a call that is broken on purpose"):
        smtlib(*lines)
    with pytest.raises(InputError, match=r"t.trace:8: 'misuse' has no name in Murxla"):
        murxla(*lines)


def test_an_answer_that_is_not_expected_is_the_defect(tmp_path: Path) -> None:
    file = tmp_path / "p.py"
    file.write_text(
        to_python(
            trace(HEADER + "new\nexpect unsat\ncheck-sat\n answer sat\n"),
            catalogue(),
            load_wrapper("z3"),
        )
    )
    done = subprocess.run([sys.executable, str(file)], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "answered sat, expected unsat" in done.stdout


def test_a_script_in_a_trace_is_the_script(tmp_path: Path) -> None:
    line = r'run-script "(assert false)\u{a}(check-sat)"'
    file = tmp_path / "p.py"
    file.write_text(
        to_python(
            trace(f"{HEADER}new\nexpect sat\n{line}\n answer unsat\n"),
            catalogue(),
            load_wrapper("z3"),
        )
    )
    assert (
        subprocess.run([sys.executable, str(file)], capture_output=True, check=False).returncode
        == 1
    )
    rows = smtlib(r'run-script "(declare-const x Int)\u{a}(assert (> x 0))\u{a}(check-sat)"')
    assert rows[:4] == ["(declare-const x Int)", "(assert (> x 0))", "(check-sat)", "(reset)"]


@pytest.mark.parametrize(
    ("needs", "logic"),
    [
        ([], "QF_UF"),
        (["BV"], "QF_BV"),
        (["BV", "A"], "QF_ABV"),
        (["I", "N", "Q"], "NIA"),
        (["R", "I"], "QF_LIRA"),
        (["S", "I"], "QF_SLIA"),
        (["BV", "I"], "ALL"),
        (["SORT_SET"], "ALL"),
        (["U", "A"], "QF_AX"),
        (["A", "I", "R", "N", "Q", "UF"], "AUFNIRA"),
    ],
)
def test_smallest_logic(needs: list[str], logic: str) -> None:
    assert smallest(needs) == logic
    assert covers(logic, needs)


@pytest.mark.parametrize("solver", ["z3", "cvc5"])
def test_as_many_assertions_are_read_as_printed(solver: str) -> None:
    script = to_smtlib(
        trace(
            SMALL
            + "11 reset\n12 assert-formula t4\n13 push 2\n14 assert-formula t4\n15 check-sat\n"
        ),
        catalogue(),
    )
    read = READERS[solver](script, 10, 0)
    assert read.assertions == script.count("(assert ") == 3
    assert read.answers == ["unsat", "unsat"]


def test_small_trace_of_murxla() -> None:
    assert (
        to_murxla(trace(SMALL), catalogue())
        == """\
set-murxla-options
# from t.trace, made with z3 5.4.0.0
     1 new
     2 mk-sort SORT_BV 8
      return s1
     3 mk-const s1 "_x0"
      return t1
     4 mk-value s1 "00000011" 2
      return t2
     5 mk-term OP_BV_ADD SORT_BV 3 t1 t2 t1
      return t3 s1
     6 mk-term OP_BV_ULT SORT_BOOL 2 t3 t3
      return t4 s2
     7 push 1
     8 assert-formula t4
     9 check-sat-assuming 1 t4
    10 get-unsat-core
"""
    )


def murxla(*lines: str, lossy: bool = False) -> list[str]:
    """What these lines of a trace of cvc5 become for Murxla, behind `new`."""
    text = HEADER.replace("z3 5.4.0.0", "cvc5 1.4.2") + "\n".join(["new", *lines])
    return [
        row.split(maxsplit=1)[1]
        for row in to_murxla(trace(text), catalogue(), lossy).splitlines()[3:]
    ]


def test_murxla_has_other_orders_names_and_arities() -> None:
    lines = [
        "mk-sort SORT_BOOL\n return s1",
        'mk-const s1 "a b"\n return t1 s1',
        "mk-sort SORT_SET s1\n return s2",
        'mk-const s2 "y"\n return t2 s2',
        "mk-term OP_SET_MEMBER SORT_BOOL 2 t1 t2\n return t3 s1",
        "mk-term OP_XOR SORT_BOOL 4 t1 t3 t1 t3\n return t4 s1",
        "mk-sort SORT_RM\n return s3",
        'mk-special-value s3 "rm.rne"\n return t5 s3',
        "simplify t4",
        "substitute t4 t1 t3",
        "set-limit 9",
    ]
    rows = murxla(*lines)
    assert 'mk-const s1 "a\\u{20}b"' in rows
    assert "mk-term OP_SET_MEMBER SORT_BOOL 2 t2 t1" in rows
    at = rows.index("mk-term OP_XOR SORT_BOOL 2 t1 t3")
    assert rows[at + 1 : at + 6] == [
        "t6 s1",
        "mk-term OP_XOR SORT_BOOL 2 t6 t1",
        "t7 s1",
        "mk-term OP_XOR SORT_BOOL 2 t7 t3",
        "t4 s1",
    ]
    assert rows[-5:] == [
        'mk-special-value s3 "rne"',
        "t5",
        "cvc5-simplify t4",
        "cvc5-term-substitute t4 1 t1 1 t3",
        "set-option reproducible-resource-limit 9",
    ]


def test_what_lives_on_after_a_reset_is_made_again_for_murxla() -> None:
    lines = [
        "mk-sort SORT_BOOL\n return s1",
        'mk-const s1 "x"\n return t1 s1',
        "mk-term OP_NOT SORT_BOOL 1 t1\n return t2 s1",
        "reset",
        "assert-formula t2",
        "assert-formula t1",
    ]
    assert murxla(*lines)[-8:] == [
        "mk-sort SORT_BOOL",
        "s2",
        'mk-const s2 "x"',
        "t3",
        "mk-term OP_NOT SORT_BOOL 1 t3",
        "t4 s2",
        "assert-formula t4",
        "assert-formula t3",
    ]


def test_what_murxla_has_no_name_for() -> None:
    lines = [
        "mk-sort SORT_BOOL\n return s1",
        "mk-sort SORT_TUPLE s1\n return s2",
        'mk-const s2 "x"\n return t1 s2',
        "gc",
    ]
    with pytest.raises(
        InputError,
        match=r"t.trace:6: SORT_TUPLE has no name in Murxla, which Murxla's traces cannot say; with --lossy",
    ):
        murxla(*lines)
    assert murxla(*lines, lossy=True)[2:] == [
        "line 6: mk-sort: SORT_TUPLE has no name in Murxla",
        "line 8: mk-const: it needs s2, which an earlier line could not make",
        "line 10: gc: 'gc' has no name in Murxla",
    ]


def test_datatypes_and_binders() -> None:
    lines = [
        "mk-sort SORT_INT\n return s1",
        'mk-sort SORT_DT 1 "list" 1 s"e" 2 "nil" 0 "cons" 2 "head" s"e" "tail" s(nil)\n return s2',
        "instantiate-sort s2 s1\n return s3",
        'mk-var s3 "x"\n return t1 s3',
        'mk-term OP_DT_APPLY_CONS SORT_DT s3 1 "nil" 0\n return t2 s3',
        "mk-term OP_EQUAL SORT_BOOL 2 t1 t2\n return t3 s4",
        "mk-term OP_AND SORT_BOOL 2 t3 t3\n return t4 s4",
        "mk-term OP_FORALL SORT_BOOL 2 t1 t4\n return t5 s4",
        "assert-formula t5",
    ]
    assert smtlib(*lines)[-2:] == [
        "(declare-datatypes ((list 1)) ((par (e) ((nil!1) (cons!1 (head!1 e) (tail!1 (list e)))))))",
        "(assert (forall ((x (list Int))) (let ((l1 (= x (as nil!1 (list Int))))) (and l1 l1))))",
    ]


def test_symbols_are_unique_and_quoted() -> None:
    symbols = Symbols(["select"])
    assert [
        symbols.of(k, name) for k, name in enumerate(["a", "a", "select", "a b", "@x", "a|b", "9"])
    ] == [
        "a",
        "a!1",
        "select!1",
        "|a b|",
        "_@x",
        "a?b",
        "|9|",
    ]
    assert symbols.of(0, "other") == "a"


def test_helpers_with_what_they_use() -> None:
    source = "import re\nimport os\nA = re.compile('x')\nB = []\nif B:\n    B.append(1)\ndef f():\n    return g()\ndef g():\n    return A\n"
    kept = inlined([source], ["f"])
    assert "def f" in kept and "def g" in kept and "A =" in kept and "import re" in kept
    assert "os" not in kept and "B" not in kept


def test_variables_of_a_helper_are_no_other_helpers() -> None:
    others = "".join(f"def {name}():\n    return '{name}'\n" for name in "abcdefgh")
    source = (
        "def f(a, *b, c=g):\n    for d in a:\n        with b as e:\n            pass\n"
        "    g = [h for h in c]\n    return lambda f: (f, d, e, g)\n"
    )
    kept = inlined([source.replace("def f(", "def made("), others], ["made"])
    assert [name for name in "abcdefgh" if f"def {name}()" in kept] == ["g"]
    twice = "def made():\n    return [a for a in b()], a()\n"
    kept = inlined([twice, others], ["made"])
    assert [name for name in "abcdefgh" if f"def {name}()" in kept] == ["a", "b"]
    counted = "N = 0\ndef made():\n    global N\n    N = N + 1\n"
    assert "N = 0" in inlined([counted], ["made"])


SEEDS = {"z3": range(500, 502), "cvc5": range(500, 502)}
WALKS = [(solver, seed) for solver, seeds in SEEDS.items() for seed in seeds]


@pytest.mark.parametrize(("solver", "seed"), WALKS)
def test_walks_round_trip(solver: str, seed: int, tmp_path: Path) -> None:
    text, report = forked(lambda: walk(live(solver), seed))
    assert report["status"] == "ok"
    one = parse_trace(text, f"{seed}.trace")
    assert judge_python(one, catalogue(), load_wrapper(solver), tmp_path / "p.py").status in (
        "same",
        "timeout",
    )
    assert judge_smtlib(one, catalogue()).status in SETTLED
    assert judge_murxla(one, live(solver)).status in SETTLED


def test_command_for_a_file(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file, out = tmp_path / "t.trace", tmp_path / "t.smt2"
    file.write_text(SMALL)
    assert outcome(capsys, "translate", file, "--to", "smt2", "-o", out)[0] == 0
    assert out.read_text() == SCRIPT
    assert outcome(capsys, "translate", file, "--to", "smt2")[1] == SCRIPT
    program = outcome(capsys, "translate", file, "--to", "python")[1]
    assert "solver = SimpleSolver(ctx)" in program


def test_command_for_the_program_of_a_finding(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "t.trace"
    file.write_text(SMALL.replace("# solver", "# finds wrong-answer\n# solver"))
    code, told, said = outcome(capsys, "translate", file, "--to", "program")
    assert told.startswith("# z3 5.4.0.0 answers unsat, and the right answer is sat.\n"), told
    assert (code, said) == (0, "") and told.splitlines()[2] == "import os, sys"  # z3 answers unsat
    file.write_text(SMALL)
    code, _, told = outcome(capsys, "translate", file, "--to", "program")
    assert code == 2 and "nothing says which finding the trace shows" in told
    file.write_text(SMALL.replace("# solver", "# finds contract\n# solver"))
    code, _, told = outcome(capsys, "translate", file, "--to", "program")
    assert code == 2 and "no plain program can show a finding" in told


def test_command_for_a_folder(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    source, into = tmp_path / "in", tmp_path / "out"
    (source / "sub").mkdir(parents=True)
    (source / "sub" / "t.trace").write_text(SMALL)
    (source / "bad.trace").write_text(HEADER + "new\ngc\n")
    args = ("translate", source, "--to", "smt2", "--into", into)
    code, out, err = outcome(capsys, *args)
    assert code == 2
    assert out == f"1 of 2 traces written to {into}\n"
    assert "bad.trace:4: 'gc' is an action of the API only" in err
    assert (into / "sub" / "t.smt2").read_text() == SCRIPT
    assert outcome(capsys, *args, "--lossy")[0] == 0


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--to", "python", "--lossy"], "a program leaves out nothing: leave out --lossy"),
        (
            ["--to", "murxla", "--dialect", "z3"],
            "--dialect is for SMT-LIB only: leave it out with '--to murxla'",
        ),
        (["--to", "smt2", "--wrapper", __file__], "'--to smt2' needs no wrapper"),
        (["--to", "smt2", "-o", "/dev/null/x"], "/dev/null/x: cannot write"),
        (["--to", "smt2", "--into", "x"], "--into is for a folder"),
    ],
)
def test_command_with_options_that_do_not_fit(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, args: list[str], message: str
) -> None:
    file = tmp_path / "t.trace"
    file.write_text(SMALL)
    code, said = error(capsys, "translate", file, *args)
    assert code == 2 and message in said


def test_a_program_of_a_hang_has_a_deadline(tmp_path: Path) -> None:
    """A call that holds the lock of the interpreter is ended, too."""
    text = to_python(trace(SMALL), catalogue(), load_wrapper("z3"), deadline=1)
    text = text.replace("# The trace.", "import re\nre.match('(a+)+b', 'a' * 40)\n# The trace.")
    done = run(tmp_path / "p.py", text)
    assert done.returncode == 1
    assert done.stdout.startswith("expected an end within 1 s, got none where 'Timeout'")
    assert "Timeout (0:00:01)" in done.stderr
