"""The stand-alone programs of findings: how their statements are written, and which of the kept
regressions have one.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from shipped import shows

from murxpy.data import load_catalogue, load_wrapper, wrapper_names
from murxpy.errors import InputError
from murxpy.findings.kinds.registry import kind_of
from murxpy.judging.regress import read_table
from murxpy.logic.catalogue import Catalogue, build_catalogue
from murxpy.machine.trace.grammar import parse_trace
from murxpy.processes.plans import Request, make_plans
from murxpy.reduction.reproducers import Shown, write_programs
from murxpy.translate.programs.calls import PlainWrapper
from murxpy.translate.programs.program import Program, programs
from murxpy.translate.programs.sheet import WIDTH, Sheet
from murxpy.translate.programs.vocabulary import unevaluated
from murxpy.translate.python import to_python

FOLDER = Path(__file__).parents[2] / "traces" / "regressions"
TABLE = json.loads((FOLDER / "programs.json").read_text(encoding="utf-8"))
RANGES = read_table(FOLDER / "ranges.json")
QUICK = {
    "z3-5.4.0/default-of-an-equal-array.trace": Shown("invalid-model", "", ""),
    "cvc5-1.4.2/purified-tuple.trace": Shown(
        "exception", "", "RuntimeError: expected constructor to apply"
    ),
}

WRONG_MODEL = """\
# solver z3 5.4.1
0 new@simple
 return o1
0 mk-sort@function SORT_BV 8
 return s1
0 mk-const@sort s1 "x"
 return t1 s1
0 mk-value@width s1 "00000001" 2
 return t2 s1
0 mk-term@raw OP_BV_ADD SORT_BV 2 t1 t2
 return t3 s1
0 mk-term@operator OP_EQUAL SORT_BOOL 2 t3 t1
 return t4 s2
0 mk-term@function OP_NOT SORT_BOOL 1 t4
 return t5 s2
0 assert-formula@add t4
0 check-sat@raw
 answer sat
0 check-model@default
"""


@cache
def catalogue() -> Catalogue:
    return build_catalogue(load_catalogue())


@cache
def wrapper(solver: str) -> dict[str, Any]:
    return load_wrapper(solver)


def _programs(text: str, kind: str, message: str, name: str) -> Iterator[Program]:
    trace = parse_trace(text, name)
    claim = kind_of(kind).claim("z3 5.4.1", message, "")
    return programs(trace, catalogue(), wrapper(trace.solver), claim)


def printed(text: str, kind: str, message: str = "", name: str = "t.trace") -> list[Program]:
    return list(_programs(text, kind, message, name))


def plainest(text: str, kind: str, message: str = "") -> Program:
    """The first of the programs; the others are not made."""
    return next(_programs(text, kind, message, "t.trace"))


def ended(text: str, file: Path) -> subprocess.CompletedProcess[str]:
    file.write_text(text, encoding="utf-8")
    return subprocess.run(
        [sys.executable, str(file)], capture_output=True, text=True, check=False, timeout=60
    )


# -- statements


def test_an_expression_with_one_user_is_nested() -> None:
    sheet = Sheet()
    one = sheet.define("f(1)", "t")
    two = sheet.define(f"{one} + g(2)", "t")
    sheet.do(f"use({two} * 2)")
    assert sheet.written() == ["use((f(1) + g(2)) * 2)"]


def test_what_has_two_users_gets_a_name_and_what_has_none_is_left_out() -> None:
    sheet = Sheet()
    unused = sheet.define("f(0)", "t")
    sheet.define(f"h({unused})", "t")
    shared = sheet.define("f(1)", "t")
    sheet.do(f"use({shared}, {shared})")
    assert sheet.written() == ["t1 = f(1)", "use(t1, t1)"]


def test_names_do_not_hide_what_the_program_calls() -> None:
    sheet = Sheet()
    symbol = sheet.define("make('print')", "print", kept=True)
    other = sheet.define("make('make')", "make", kept=True)
    sheet.do(f"use({symbol}, {other})")
    assert sheet.written() == [
        'print_2 = make("print")',
        'make_2 = make("make")',
        "use(print_2, make_2)",
    ]


def test_nesting_ends_before_lines_get_too_long() -> None:
    sheet = Sheet()
    term = sheet.define("x", "t")
    for _ in range(60):
        term = sheet.define(f"function({term})", "t")
    sheet.do(f"use({term})")
    rows = sheet.written()
    assert max(map(len, rows)) <= WIDTH + 10
    assert sum(row.count("function") for row in rows) == 60


def test_the_main_context_is_not_named() -> None:
    sheet = Sheet("ctx", "main_ctx()")
    sheet.do("use(BoolSort(ctx), solver=ctx, n=1)", "raw(ctx.ref(), ctx, 3)")
    sheet.do("copy.deepcopy(ctx)")  # a function of Python's own takes no context by default
    assert sheet.written() == [
        *(
            "use(BoolSort(), n=1)",
            "raw(main_ctx().ref(), main_ctx(), 3)",
            "copy.deepcopy(main_ctx())",
        )
    ]


# -- programs


def test_a_program_is_what_a_person_would_write() -> None:
    first = plainest(WRONG_MODEL, "invalid-model")
    assert first.text == (
        "# z3 5.4.1 gives a model in which an assertion is false.\n"
        "# Exits with 1 where this defect is, with 0 where it is mended, with 2 where neither can be said.\n"
        "import os, sys\n"
        "from z3 import *\n"
        'sys.excepthook = lambda *e: (sys.__excepthook__(*e), print("cannot be told:", e[1], flush=True), os._exit(2))\n'
        "\n"
        "s = Solver()\n"
        'x = BitVec("x", 8)\n'
        "t1 = x + 1 == x\n"
        "s.add(t1)\n"
        "answer = str(s.check())\n"
        'if answer != "sat":\n'
        '    print("expected sat and its model, got", answer)\n'
        '    sys.exit(0 if answer == "unsat" else 2)\n'
        "value = str(s.model().eval(t1, model_completion=True))\n"
        'print("expected True as the value of the assertion, got", value)\n'
        'sys.exit({"True": 0, "False": 1}.get(value, 2))\n'
    )
    assert first.frame <= 15


def test_the_forms_come_nearer_to_the_trace() -> None:
    made = printed(WRONG_MODEL, "invalid-model")
    assert [program.level for program in made] == sorted(program.level for program in made)
    assert "SimpleSolver()" not in made[0].text
    assert "SimpleSolver()" in made[-1].text
    assert "Z3_mk_bvadd" in made[-1].text


def test_a_mended_defect_ends_with_0(tmp_path: Path) -> None:
    """The assertion has no model, and the solver says so."""
    done = ended(plainest(WRONG_MODEL, "invalid-model").text, tmp_path / "p.py")
    told = "expected sat and its model, got unsat\n"
    assert (done.returncode, done.stdout, done.stderr) == (0, told, "")


def test_an_exception_that_is_not_the_finding_tells_nothing(tmp_path: Path) -> None:
    text = plainest(WRONG_MODEL, "invalid-model").text.replace("BitVec(", "NoSuchCall(")
    done = ended(text, tmp_path / "p.py")
    assert done.returncode == 2
    assert "NameError" in done.stderr
    assert done.stdout == "cannot be told: name 'NoSuchCall' is not defined\n"


def test_a_check_that_was_refused_may_be_refused_again(tmp_path: Path) -> None:
    line = '0 check-simplify@plain t4\n refused unsupported "Z3Exception: no"\n0 check-sat@raw'
    text = plainest(WRONG_MODEL.replace("0 check-sat@raw", line), "invalid-model").text
    assert "try:\n    Distinct(t1, simplify(t1))\nexcept Exception:\n    pass\n" in text
    assert ended(text, tmp_path / "p.py").returncode == 0


@pytest.mark.parametrize(("solver", "spelling"), [("z3", "for-all"), ("cvc5", "default")])
def test_the_form_nearest_to_the_trace_runs(solver: str, spelling: str, tmp_path: Path) -> None:
    """Helpers of the wrapper and handles of the binding stand in it."""
    text = WRONG_MODEL.replace("z3 5.4.1", f"{solver} 9").replace("@raw", "").replace("@sort", "")
    text = text.replace("new@simple", f"new@{spelling}").replace("@add", "").replace("@width", "")
    text = text.replace("@function", "").replace("@operator", "")
    made = printed(text, "disagreement")[-1]
    assert ended(made.text, tmp_path / "p.py").stdout == "expected unsat, got unsat\n"


def test_no_helper_has_the_name_of_the_answer() -> None:
    for solver in wrapper_names():
        functions = PlainWrapper(wrapper(solver), catalogue(), "99").helpers
        assert not {"answer", "second", "core", "value", "values", "again"} & {*functions}


BETWEEN = """\
# solver cvc5 1.4.2
0 new@default
 return o1
0 mk-sort@mk SORT_INT
 return s1
0 mk-const@mk s1 "x"
 return t1 s1
0 mk-const@mk s1 "y"
 return t2 s1
0 mk-term@mk-term OP_INT_LT SORT_BOOL 2 t1 t2
 return t3 s2
0 mk-term@mk-term OP_INT_LT SORT_BOOL 2 t2 t1
 return t4 s2
0 assert-formula@default t3
0 assert-formula@default t4
0 check-sat@default
 answer unsat
0 check-interpolant@one t4
"""


def test_an_interpolant_is_solved_from_scratch(tmp_path: Path) -> None:
    message = "the interpolant is not implied by the assertions"
    text = plainest(BETWEEN, "invalid-interpolant", message).text
    assert "def " not in text
    assert "again.assertFormula(tm.mkTerm(Kind.NOT, interpolant))\n" in text
    done = ended(text, tmp_path / "p.py")
    assert (done.returncode, done.stdout.splitlines()[-1]) == (
        0,
        "expected unsat for the others with its negation, got unsat",
    )
    goal = "the interpolant does not imply its goal"
    text = plainest(BETWEEN, "invalid-interpolant", goal).text
    assert "again.assertFormula(interpolant)\nagain.assertFormula(t1)\n" in text


def test_an_abduct_is_solved_from_scratch() -> None:
    trace = BETWEEN.replace("0 assert-formula@default t4\n", "").replace("unsat", "sat")
    trace = trace.replace("interpolant", "abduct")
    texts = [
        plainest(trace, "invalid-abduct", f"the abduct {message}").text
        for message in ("does not imply its goal with the assertions", "contradicts the assertions")
    ]
    assert "again.assertFormula(abduct)\nagain.assertFormula(tm.mkTerm(Kind.NOT, t2))" in texts[0]
    assert texts[1].endswith('sys.exit({"sat": 0, "unsat": 1}.get(second, 2))\n')


@pytest.mark.parametrize("tactic", ["qe", "qe2", "qe-light"])
def test_an_elimination_is_that_of_the_trace(tactic: str) -> None:
    trace = f"""\
# solver z3 5.4.1
0 new@simple
 return o1
0 mk-sort@function SORT_BOOL
 return s1
0 mk-var@const s1 "b"
 return t1 s1
0 mk-term@list OP_FORALL SORT_BOOL 2 t1 t1
 return t2 s1
0 check-elimination@{tactic} t2
"""
    text = plainest(trace, "invalid-elimination", "it is not equivalent").text
    assert f'Tactic("{tactic}")(' in text


OLD = """\
# solver cvc5 1.0.8
0 new@default
 return o1
0 set-option@default produce-models true
0 mk-sort@mk SORT_BOOL
 return s1
0 mk-const@mk s1 "x"
 return t1 s1
0 assert-formula@default t1
0 check-sat@default
 answer sat
0 check-model@default
"""


def test_a_release_with_one_solver_for_each_manager_forgets_its_assertions() -> None:
    texts = [program.text for program in printed(OLD, "invalid-model")]
    assert any("solver.resetAssertions()\nsolver.assertFormula(x)\n" in text for text in texts)
    assert not any("again" in text for text in texts)


def test_a_death_is_told_by_its_signal(tmp_path: Path) -> None:
    text = plainest(WRONG_MODEL.partition("0 check-model")[0], "crash").text
    assert ended(text, tmp_path / "p.py").returncode == 0
    dying = text.replace("s.check()", "signal.raise_signal(11)")
    done = ended(dying, tmp_path / "p.py")
    assert (done.returncode, done.stdout) == (1, "expected no signal, got SIGSEGV\n")
    # z3 ends itself with a code of its own where a check of its code fails
    done = ended(text.replace("s.check()", "__import__('os')._exit(114)"), tmp_path / "p.py")
    assert (done.returncode, done.stdout) == (1, "expected no signal, got exit code 114\n")
    done = ended(text.replace("s.check()", "undefined()"), tmp_path / "p.py")
    wanted = "a call raised an exception; the defect is mended if that was the last call\n"
    assert (done.returncode, done.stdout) == (2, wanted)


def test_a_process_that_ends_itself_is_told_from_an_exception(tmp_path: Path) -> None:
    text = plainest(WRONG_MODEL.partition("0 check-model")[0], "exit").text
    done = ended(text.replace("s.check()", "os._exit(1)"), tmp_path / "p.py")
    assert (done.returncode, done.stdout) == (1, "expected no signal, got exit code 1\n")
    done = ended(text.replace("s.check()", "undefined()"), tmp_path / "p.py")
    assert (done.returncode, done.stdout.splitlines()[-1][:14]) == (2, "a call raised ")


def test_an_error_in_a_script_is_no_death_and_its_context_dies(tmp_path: Path) -> None:
    made = printed(SCRIPT.replace("(assert a)", "(assert b)"), "crash")
    assert any("Z3_eval_smtlib2_string(ctx.ref(), script)" in one.text for one in made)
    done = ended(made[-1].text, tmp_path / "p.py")
    assert (done.returncode, done.stdout.splitlines()[-1]) == (
        0,
        "expected no signal, got no signal",
    )


def test_a_constant_with_an_application_for_a_value_has_none(tmp_path: Path) -> None:
    message = "the value of a constant is no value, but OP: 'op (let ((l (seq.nth x 0))) (- l))'"
    text = printed(WRONG_MODEL, "model-value", message)[-1].text
    assert 'for word in ["(seq.nth ", "(as seq.nth ", "seq.nth("]' in text
    assert ended(text, tmp_path / "p.py").returncode == 0
    assert unevaluated("the value of a constant is no value, but default: 'default'") == [
        "(default ",
        "(as default ",
        "default(",
    ]
    assert unevaluated("the value of a constant is no value, but a: 'a constant'") == []
    told = unevaluated("the value of a constant is no value, but a: 'a quantifier'")
    assert {"(exists ", "(forall ", "Exists(", "ForAll("} <= set(told)


ARRAYS = """\
# solver cvc5 1.4.2
0 new@default
 return o1
0 set-option@default produce-models true
0 mk-sort@mk SORT_UNINTERPRETED "B"
 return s1
0 mk-sort@mk SORT_ARRAY s1 s1
 return s2
0 mk-const@mk s2 "a"
 return t1 s2
0 mk-const@mk s2 "b"
 return t2 s2
0 mk-term@mk-term OP_EQUAL SORT_BOOL 2 t1 t2
 return t3 s3
0 assert-formula@default t3
0 check-sat@default
 answer sat
0 check-model@default
"""


def test_arrays_are_compared_at_the_elements_of_the_model(tmp_path: Path) -> None:
    made = printed(ARRAYS, "invalid-model")
    text = next(one.text for one in made if "element in" in one.text)
    done = ended(text, tmp_path / "p.py")
    told = "expected the same answer twice for each two arrays, got [('True', 'true')]\n"
    assert (done.returncode, done.stdout) == (0, told)
    wrong = text.replace('("True", "false") in', '("True", "true") in')
    assert ended(wrong, tmp_path / "p.py").returncode == 1


def test_an_element_that_the_model_does_not_list(tmp_path: Path) -> None:
    message = "the value of a constant has the element '@B_1', which is none of those of its sort"
    text = plainest(ARRAYS, "model-element", message).text
    assert ".getModelDomainElements(" in text
    assert ended(text, tmp_path / "p.py").returncode == 0
    assert ended(text.replace("@B_1", "Array"), tmp_path / "p.py").returncode == 1
    text = text.replace("@B_1", "@B_0")
    assert ended(text, tmp_path / "p.py").returncode == 0
    within = text.replace("str(element) for", "f'default({element})' for")  # a term, and no element
    assert ended(within, tmp_path / "p.py").returncode == 1


def test_a_fresh_solver_has_the_options_that_the_theories_need() -> None:
    trace = ARRAYS.replace("produce-models", "arrays-exp")
    texts = [one.text for one in printed(trace, "invalid-model")]
    assert any('again = cvc5.Solver(tm)\nagain.setOption("arrays-exp", "true")' in t for t in texts)


DATATYPE = """\
# solver cvc5 1.4.2
0 new@default
 return o1
0 mk-sort@mk SORT_INT
 return s1
0 mk-sort@unresolved SORT_DT 1 "list" 0 2 "nil" 0 "cons" 2 "head" s1 "tail" s(nil)
 return s2
0 mk-const@mk s2 "x"
 return t1 s2
0 mk-term@mk-term OP_DT_APPLY_SEL SORT_DT 2 "cons" "tail" 1 t1
 return t2 s2
0 mk-term@mk-term OP_EQUAL SORT_BOOL 2 t1 t2
 return t3 s3
0 assert-formula@default t3
0 check-sat@default
 answer sat
"""


def test_datatypes_are_declared_as_a_person_declares_them() -> None:
    """No helper of the wrapper stands in the program."""
    text = plainest(DATATYPE, "disagreement").text
    assert "def " not in text
    assert 'cons.addSelectorSelf("tail")\nlist_2.addConstructor(cons)' in text
    other = DATATYPE.replace("cvc5 1.4.2", "z3 5.4.1").replace("@mk-term", "").replace("@mk", "")
    text = plainest(other.replace("@default", "").replace("@unresolved", ""), "disagreement").text
    assert 'list_2.declare("cons", ("head", IntSort()), ("tail", list_2))' in text
    assert "s.add(x == list_2.tail(x))" in text


SCRIPT = """\
# solver z3 5.4.1
1 new
 return o1
1 set-limit 500
1 run-script "(declare-const a Bool)\\u{a}(assert a)\\u{a}(check-sat)\\u{a}"
 answer sat
"""


def test_a_script_is_told_in_calls_and_as_it_is(tmp_path: Path) -> None:
    made = printed(SCRIPT, "wrong-answer")
    assert 's.set("rlimit", 500)\na = Bool("a")\ns.add(a)\n' in made[0].text
    whole = next(program.text for program in made if "script =" in program.text)
    assert 'script = """\n(set-option :rlimit 500)\n(declare-const a Bool)\n' in whole
    done = ended(whole, tmp_path / "p.py")
    assert (done.returncode, done.stdout) == (1, "expected unsat, got sat\n")


def test_a_check_with_the_same_term_twice_is_printed() -> None:
    """Here the second operand replaces itself."""
    text = WRONG_MODEL.replace(
        "0 check-model@default", "0 check-substitute t4 t1 t1\n0 check-model"
    )
    assert "substitute(t1, (x, x))" in plainest(text, "crash").text


REFUTED = WRONG_MODEL.replace(
    "assert-formula@add t4", 'plant t1 "00000111" 2\n0 assert-formula@add t5'
)
REFUTED = REFUTED.replace("answer sat\n0 check-model@default", "answer unsat")


def test_a_wrong_unsat_is_refuted_by_values_of_the_constants(tmp_path: Path) -> None:
    made = printed(REFUTED, "disagreement")
    text = made[0].text
    assert "x_value = BitVecVal(7, 8)\nvalues = [str(simplify(substitute(" in text
    assert ended(text, tmp_path / "p.py").stdout == "expected sat, got sat\n"
    wrong = ended(text.replace("str(s.check())", '"unsat"'), tmp_path / "p.py")
    told = (
        "expected sat, because the assertions are ['True'] for values of the constants, got unsat\n"
    )
    assert (wrong.returncode, wrong.stdout) == (1, told)
    # another solver of the same release finds the values
    other = next(one.text for one in made if "second" in one.text)
    wrong = ended(other.replace("str(s.check())", '"unsat"'), tmp_path / "p.py")
    assert (wrong.returncode, wrong.stdout[-9:]) == (1, "got unsat\n"[-9:])


def test_parameters_of_the_process_are_set_before_a_script_is_read() -> None:
    trace = SCRIPT.replace('"(declare', '"(set-option :sat.euf true)\\u{a}(declare')
    texts = [program.text for program in printed(trace, "wrong-answer")]
    assert any('set_param("sat.euf", True)\noutput = ' in text for text in texts)


def test_only_the_last_of_many_scripts_is_read() -> None:
    row = SCRIPT.splitlines()[-2]
    text = SCRIPT.replace(row, f"{row}\n answer sat\n{row}")
    assert plainest(text, "wrong-answer").text == plainest(SCRIPT, "wrong-answer").text


def test_what_the_trace_drops_stays_alive() -> None:
    text = WRONG_MODEL.replace("0 check-sat@raw", "0 del t4\n0 gc\n0 check-sat@raw")
    assert plainest(text, "invalid-model").text == plainest(WRONG_MODEL, "invalid-model").text


def test_a_misuse_is_a_call_that_anybody_can_make(tmp_path: Path) -> None:
    trace = "# solver z3 5.4.1\n0 new\n0 misuse@alike z3.FPSort py:3 py:4294967304 c1 at 1\n"
    message = "class F: a number is taken for another; 4294967304 for 8"
    text = plainest(trace, "contract", message).text
    assert "right = FPSort(3, 8)" in text
    assert "got = FPSort(3, 4294967304)" in text
    done = ended(text, tmp_path / "p.py")
    assert done.stdout == (
        "expected an exception or a result for 4294967304, got FPSort(3, 8), the result for 8\n"
    )
    assert done.returncode == 1


def test_a_context_that_a_death_needs_is_no_main_one() -> None:
    """The main context lives until the process ends, which a child process does without its objects'
    deaths.
    """
    trace = "# solver z3 5.4.1\n0 new@simple\n return o1\n0 misuse@copy c1\n"
    texts = [program.text for program in printed(trace, "crash", "SIGSEGV")]
    calls = "def calls():\n    ctx = Context()\n    copy.copy(ctx)\n"
    assert [calls in text for text in texts].count(True) == 1


def test_a_misuse_may_be_refused_before_what_an_earlier_call_broke_shows(tmp_path: Path) -> None:
    """What nobody uses is made, too, in a context that dies at the end of the calls."""
    trace = (
        "# solver z3 5.4.1\n0 new@simple\n return o1\n0 misuse@call z3.Float32 c1\n return x1 FPSortRef\n"
        '0 misuse@call z3.FP py:"a" x1 c1\n return x2 FPRef\n'
        "0 misuse@edge z3.FPRef.__add__ x2 py:3\n return x3 FPRef\n"
        '0 misuse@edge z3.SeqSort py:"a"\n raised "AttributeError"\n'
    )
    texts = [program.text for program in printed(trace, "crash", "SIGSEGV")]
    text = next(text for text in texts if "ctx = Context()" in text and "fp + 3" in text)
    assert 'SeqSort("a")\n    except Exception:' in text
    done = ended(text.replace("fp + 3", "None"), tmp_path / "p.py")
    assert (done.returncode, done.stdout) == (0, "expected no signal, got no signal\n")


def test_an_object_of_another_context_stands_beside_one_of_its_own(tmp_path: Path) -> None:
    """Without the main context, the negation of a term of another context has one context only."""
    message = "class A: takes a term of another context beside objects of this one"
    begin = (
        "# solver z3 5.4.1\n0 new@simple\n return o1\n0 mk-sort@function SORT_BOOL\n return s1\n"
    )
    begin += "0 mk-value@function s1 false\n return t1 s1\n"
    lone = f"{begin}0 misuse@context mk-term@function-ctx OP_NOT SORT_BOOL 1 t1 with 0 other t1\n"
    for one in printed(lone, "contract", message):
        assert "ctx)" in one.text.partition("got = ")[2].partition("\n")[0], one.text
    listed = f'{begin.replace("BOOL", "FP 3 4", 1).partition("0 mk-value")[0]}0 misuse@context mk-const@list s1 "x" with sort other s1\n'
    made = printed(listed, "contract", message.replace("a term", "a sort"))
    assert made, "also where the program is near to the trace"
    for one in made:
        assert ", ctx)" in one.text.partition("got = FPs(")[2].partition("\n")[0], one.text
    both = f"{begin}0 misuse@context mk-term@function OP_AND SORT_BOOL 2 t1 t1 with *.#1 other t1\n"
    texts = [one.text for one in printed(both, "contract", message)]
    assert texts and "\nctx = Context()" not in texts[0], "the main context is the other one"


def test_a_text_is_expected_where_bytes_are_given(tmp_path: Path) -> None:
    trace = "# solver z3 5.4.1\n0 new@simple\n return o1\n0 misuse@call z3.get_version_string\n"
    text = plainest(trace, "contract", "class C: gives bytes, and no text").text
    done = ended(text, tmp_path / "p.py")
    assert done.returncode == 0 and done.stdout.startswith("expected a text, got ")
    bad = text.replace("got = get_version_string()", "got = b'5.4.1'")
    assert ended(bad, tmp_path / "p.py").returncode == 1


def test_the_copy_of_a_context_whose_finalizer_raises_is_made_of_a_context(tmp_path: Path) -> None:
    trace = (
        '# solver z3 5.4.1\n0 new@simple\n return o1\n0 misuse@deepcopy c1\n raised "ValueError"\n'
    )
    message = (
        "class A: a finalizer raises AttributeError; 'Context' object has no attribute 'owner'"
    )
    texts = [one.text for one in printed(trace, "contract", message)]
    (text, *_) = [text for text in texts if "copy.deepcopy(ctx)" in text]
    done = ended(text, tmp_path / "p.py")
    assert done.returncode == 1 and "got AttributeError: 'Context' object" in done.stdout


def test_what_belongs_to_another_context_is_shown_in_a_context_of_its_own(tmp_path: Path) -> None:
    trace = (
        "# solver z3 5.4.1\n0 new@simple\n return o1\n0 misuse@call z3.Float32 c1\n return x1 FPSortRef\n"
        '0 misuse@call z3.FP py:"a" x1 c1\n return x2 FPRef\n0 misuse@call z3.FPRef.__neg__ x2\n'
    )
    message = "class C: gives an object of another context than its operands: its ctx"
    text = plainest(trace, "contract", message).text
    assert "got = -fp\n" in text or "got = fp.__neg__()\n" in text
    done = ended(text, tmp_path / "p.py")
    assert (done.returncode, done.stdout) == (
        1,
        "expected an object of the context of its operands, got one of another context\n",
    )
    kept = trace.replace("z3.FPRef.__neg__ x2", "z3.FPRef.__deepcopy__ x2")
    done = ended(plainest(kept, "contract", message).text, tmp_path / "p.py")
    assert done.returncode == 0


_NUMBER = (
    "# solver z3 5.4.1\n0 new@simple\n return o1\n0 misuse@call z3.z3rcf.RCFNum py:2 c1\n return x1 RCFNum\n"
    "0 misuse@call z3.z3rcf.RCFNum.__add__ x1 py:3\n return x2 RCFNum\n"
)


def test_an_exception_of_a_finalizer_is_heard(tmp_path: Path) -> None:
    trace = _NUMBER + '0 misuse@edge z3.z3rcf.RCFNum py:2 class\n raised "AttributeError"\n'
    message = (
        "class A: a finalizer raises AttributeError; type object 'object' has no attribute 'ref'"
    )
    text = plainest(trace, "contract", message).text
    done = ended(text, tmp_path / "p.py")
    told = "expected that the object is released without an exception, got "
    assert (done.returncode, done.stdout[: len(told) + 14]) == (1, f"{told}AttributeError")
    done = ended(text.replace("RCFNum(2, object)", "RCFNum(2)"), tmp_path / "p.py")
    assert (done.returncode, done.stdout) == (0, f"{told}none\n")


def test_the_copy_of_an_object_that_is_gone_has_its_text(tmp_path: Path) -> None:
    """What z3 makes of the freed memory is chance, so other numbers stand in the place of the copy."""
    message = "class B: a copy of a RCFNum has another text than the original"
    text = plainest(f"{_NUMBER}0 misuse@outlive x2\n", "contract", message).text
    assert "del rcfnum_2\n" in text and "copy.copy(rcfnum_2)" in text
    for number, code in ((7, 1), (5, 0)):
        other = text.replace("copy.copy(rcfnum_2)", str(number))
        done = ended(other, tmp_path / "p.py")
        assert (done.returncode, done.stdout) == (code, f"expected 5, got {number}\n"), done
    dying = plainest(f"{_NUMBER}0 misuse@outlive x2\n", "crash", "SIGSEGV").text
    assert "    del rcfnum_2\n    gc.collect()\n" in dying and "text =" not in dying


def test_comparisons_that_break_a_promise_are_written_as_such(tmp_path: Path) -> None:
    rows = (
        '# solver z3 5.4.1\n0 new@simple\n return o1\n0 misuse@call z3.Probe py:"size" c1\n'
        ' return x1 Probe\n0 misuse@call z3.Probe py:"depth" c1\n return x2 Probe\n'
    )
    lost = "class E: a < b < a of two Probe has lost a part"
    text = plainest(f"{rows}0 misuse@chain x1 x2\n", "contract", lost).text
    assert "got = probe < probe_2 < probe\n" in text
    assert ended(text, tmp_path / "p.py").returncode == 1
    none = "class E: a Probe cannot be compared with None; Python compares any two objects"
    text = plainest(f"{rows}0 misuse@equality x1\n", "contract", none).text
    done = ended(text.replace("probe == None", "'probe' == None"), tmp_path / "p.py")
    assert (done.returncode, done.stdout) == (0, "expected False, got False\n")


def test_an_endless_iteration_and_a_copy_of_another_class_are_programs(tmp_path: Path) -> None:
    trace = (
        "# solver z3 5.4.1\n0 new@simple\n return o1\n0 mk-sort SORT_INT\n return s1\n"
        '0 mk-sort SORT_ARRAY s1 s1\n return s2\n0 mk-const s2 "a"\n return t1 s2\n'
    )
    endless = "class E: iterating over a ArrayRef does not end"
    text = plainest(f"{trace}0 misuse@iterate t1\n", "contract", endless).text
    done = ended(text, tmp_path / "p.py")
    assert (done.returncode, done.stdout) == (
        1,
        "expected an iteration that ends, got 5000 elements\n",
    )
    done = ended(text.replace("islice(a", "islice([a]"), tmp_path / "p.py")
    assert (done.returncode, done.stdout) == (
        0,
        "expected an iteration that ends, got 1 elements\n",
    )
    message = "class B: a deep copy of a ArrayRef is of another class"
    text = plainest(f"{trace}0 misuse@deepcopy t1\n", "contract", message).text
    done = ended(text, tmp_path / "p.py")
    assert (done.returncode, done.stdout) == (0, "expected ArrayRef, got ArrayRef\n")
    done = ended(text.replace("copy.deepcopy(a)", "a == a"), tmp_path / "p.py")
    assert (done.returncode, done.stdout) == (1, "expected ArrayRef, got BoolRef\n")


def test_an_object_that_equals_one_of_python_and_a_copy_that_fails_are_programs(
    tmp_path: Path,
) -> None:
    message = "class E: a RCFNum is equal to None"
    text = plainest(f"{_NUMBER}0 misuse@equality x2\n", "contract", message).text
    assert "got = rcfnum_2 == None\n" in text
    done = ended(text.replace("rcfnum_2 ==", "object() =="), tmp_path / "p.py")
    assert (done.returncode, done.stdout) == (0, "expected False, got False\n")
    done = ended(text.replace("rcfnum_2 ==", "None =="), tmp_path / "p.py")
    assert (done.returncode, done.stdout) == (1, "expected False, got True\n")
    thrown = "class B: NameError: name 'no_such' is not defined in RCFNum.__deepcopy__ (z3.py)"
    copied = f"{_NUMBER}0 misuse@survive x2\n raised \"NameError: name 'no_such' is not defined\"\n"
    text = plainest(copied, "contract", thrown).text
    assert "    copy.deepcopy(rcfnum_2)\n" in text
    done = ended(text.replace("copy.deepcopy(rcfnum_2)", "no_such"), tmp_path / "p.py")
    assert done.returncode == 1, done


def test_a_method_that_misreads_a_literal_is_called_without_the_reader_that_found_it(
    tmp_path: Path,
) -> None:
    trace = (
        "# solver z3 5.4.1\n0 new@simple\n return o1\n0 mk-sort@function SORT_FP 2 3\n return s1\n"
        '0 mk-special-value@function s1 "fp.+oo"\n return t1 s1\n0 misuse@reread t1\n'
    )
    message = "class F: FPNumRef.py_value is not the value of the literal; 6e-323 for inf"
    text = plainest(trace, "contract", message).text
    assert "def " not in text and ".py_value()\n" in text
    call = re.search(r"got = (.+)\n", text)
    assert call is not None
    for given, code in (("6e-323", 1), ("float('inf')", 0)):
        done = ended(text.replace(call[1], given), tmp_path / "p.py")
        assert done.returncode == code and done.stdout.startswith("expected inf, got ")
    for one in printed(trace, "contract", message):  # some with the reader
        assert "expected an exception" not in one.text


def test_what_no_single_call_shows_has_no_plain_program() -> None:
    trace = "# solver z3 5.4.1\n0 new@simple\n return o1\n0 misuse@equality c1\n"
    assert not printed(trace, "contract", "class E: a Context is not equal to itself")


def test_an_operand_that_raises_is_defined(tmp_path: Path) -> None:
    trace = "# solver z3 5.4.1\n0 new@simple\n return o1\n0 misuse@edge z3.z3util.myOr py:true raising\n"
    message = "class C: AssertionError in myBinOp (z3util.py)"
    text = plainest(trace, "contract", message).text
    assert "class Raising:" in text
    assert ended(text, tmp_path / "p.py").returncode == 1


def test_a_call_is_made_for_its_effect() -> None:
    trace = (
        "# solver z3 5.4.1\n0 new@simple\n return o1\n0 misuse@call z3.Solver py:none c1\n return x1 Solver\n"
        "0 misuse@call z3.Solver.check x1\n return x2 CheckSatResult\n0 misuse@edge z3.Solver.model x1\n"
    )
    message = (
        "class C: AttributeError: 'Solver' object has no attribute 'model' in Solver.model (z3.py)"
    )
    first, second = [program.text for program in printed(trace, "contract", message)][:2]
    assert ".check()" not in first and "\nsolver.check()\n" in second
    assert "SimpleSolver" not in second, "what nobody uses is left out"


_OTHER_CONTEXT = (
    "# solver z3 5.4.1\n0 new@simple\n return o1\n0 mk-sort@function SORT_INT\n return s1\n"
    '0 mk-value@function s1 "4"\n return t1 s1\n0 misuse@call z3.Solver\n return x1 Solver\n'
    "0 misuse@call z3.Solver.congruence_root x1 t1\n return x2 IntNumRef\n"
    '0 misuse@call z3.z3rcf.RCFNum py:"0" c1\n return x3 RCFNum\n'
)


def test_what_the_last_call_gives_may_be_looked_at(tmp_path: Path) -> None:
    """A call that takes nonsense may give an object that only its text shows to be broken."""
    trace = "# solver z3 5.4.1\n0 new@simple\n return o1\n0 misuse@edge z3.Bools py:true c1\n"
    texts = [program.text for program in printed(trace, "crash", "SIGSEGV")]
    looked = [text for text in texts if "print(Bools(True))" in text]
    assert looked and texts.index(looked[0]) > 0, "the plain call comes first"
    assert not any("print(Bools" in one.text for one in printed(trace, "contract", "a term"))


def test_the_objects_of_a_run_die_in_its_order(tmp_path: Path) -> None:
    """An object of two contexts may only be noticed where it outlives the objects of one of them."""
    texts = [program.text for program in printed(_OTHER_CONTEXT, "crash", "SIGSEGV")]
    text, main = [text for text in texts if "del " in text]
    assert "    del int_sort, t1, ctx, s, solver, int_num, rcfnum\n    gc.collect()\n" in text
    assert "    del int_sort, t1, s, solver, int_num, rcfnum\n    gc.collect()\n" in main
    assert text.index("Context()") < text.index("congruence_root(t1)") < text.index("RCFNum")
    done = ended(text.replace("solver.congruence_root(t1)", "None"), tmp_path / "p.py")
    assert (done.returncode, done.stdout) == (0, "expected no signal, got no signal\n")


def test_the_long_program_drops_what_callables_gave_behind_the_solver() -> None:
    trace = parse_trace(f"{_OTHER_CONTEXT}0 delete\n", "t.trace")
    (row,) = [
        row
        for row in to_python(trace, catalogue(), wrapper("z3")).splitlines()
        if row.startswith("del ")
    ]
    assert row.startswith("del s1_int, t1_2, solver, ctx, x1")


def test_a_reference_cycle_is_written_as_one(tmp_path: Path) -> None:
    trace = (
        "# solver z3 5.4.1\n0 new@simple\n return o1\n0 misuse@call z3.Solver py:none c1\n"
        " return x1 Solver\n0 misuse@cycle x1\n"
    )
    text = plainest(trace, "crash", "SIGSEGV").text
    loop = "loop = [solver]\n    loop.append(loop)\n    del loop\n"
    assert f"{loop}    gc.collect()" in text
    assert ended(text, tmp_path / "p.py").returncode == 0
    later = [one.text for one in printed(f"{trace}0 delete\n", "crash", "SIGSEGV")]
    assert any(loop in one and one.count("    gc.collect()\n") == 2 for one in later)


def test_objects_outlive_their_context_or_are_used_by_a_finalizer(tmp_path: Path) -> None:
    sort = "# solver z3 5.4.1\n0 new@simple\n return o1\n0 mk-sort SORT_INT\n return s1\n"
    text = plainest(f"{sort}0 misuse@orphan s1\n", "crash", "SIGSEGV").text
    assert "    del other_ctx\n    gc.collect()\n    str(made)\n" in text
    assert ended(text, tmp_path / "orphan.py").returncode == 0
    text = plainest(f"{sort}0 misuse@finalizer s1\n", "crash", "SIGSEGV").text
    assert "    LastWill(made, made_2)\n    gc.collect()\n" in text
    assert ended(text, tmp_path / "finalizer.py").returncode == 0


def test_an_undocumented_exception_is_told_from_others(tmp_path: Path) -> None:
    trace = "# solver z3 5.4.1\n0 new\n0 misuse@call z3.Solver py:none c1\n return x1 Solver\n"
    trace += "0 misuse@call z3.Solver.cube_vars x1\n"
    message = "class C: AttributeError: 'Solver' object has no attribute 'cube_vs' in Solver.cube_vars (z3.py)"
    text = plainest(trace, "contract", message).text
    assert ended(text, tmp_path / "p.py").returncode == 1
    assert ended(text.replace(".cube_vars()", ".assertions()"), tmp_path / "p.py").returncode == 0
    assert ended(text.replace(".cube_vars()", ".no_such()"), tmp_path / "p.py").returncode == 2


def test_a_wrong_spelling_in_the_section_plain_is_an_error(tmp_path: Path) -> None:
    source = Path(__file__).parents[2] / "wrappers" / "z3.yaml"
    for path in source.parent.glob("*.*"):
        (tmp_path / path.name).write_text(path.read_text(encoding="utf-8"), encoding="utf-8")
    text = source.read_text(encoding="utf-8").replace('OP_FP_NEG: "-{0}"', 'OP_FP_NEGG: "-{0}"')
    (tmp_path / "z3.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=r"z3\.yaml:\d+: unknown operator 'OP_FP_NEGG'.*OP_FP_NEG"):
        load_wrapper(str(tmp_path / "z3.yaml"))
    (tmp_path / "z3.yaml").write_text(text.replace('OP_FP_NEGG: "-{0}"', 'OP_FP_NEG: "-{9x}"'))
    with pytest.raises(InputError, match=r"z3\.yaml:\d+.*unknown placeholder '\{9x\}'"):
        load_wrapper(str(tmp_path / "z3.yaml"))


# -- the kept regressions


def test_every_kept_regression_has_a_row() -> None:
    traces = [f"{file.parent.name}/{file.name}" for file in sorted(FOLDER.glob("*/*.trace"))]
    assert sorted(TABLE) == traces
    assert [name for name in traces if not TABLE[name].get("python")] == []


def run_bench(names: list[str]) -> str:
    command = [sys.executable, "bench/programs.py", *names, "--no-save", "--installed"]
    done = subprocess.run(
        command, capture_output=True, text=True, check=True, cwd=FOLDER.parent.parent, timeout=900
    )
    return done.stdout


@pytest.mark.parametrize("name", QUICK)
def test_a_program_of_a_kept_regression_shows_it(name: str, tmp_path: Path) -> None:
    text = (FOLDER / name).read_text(encoding="utf-8")
    (plan,) = make_plans(Request((name.partition("-")[0],)))
    (form,) = write_programs(plan, tmp_path / "1.trace", text, QUICK[name], forms=("python",))
    assert form.reproduces and form.note.startswith("expected "), form
    assert "murxpy" not in Path(form.file).read_text(encoding="utf-8")


@pytest.mark.slow
def test_every_program_that_the_table_names_shows_its_regression() -> None:
    names = [name for name in TABLE if TABLE[name]["python"] == "shows" and shows(name, RANGES)]
    told = run_bench(names)
    assert [name for name in names if f"{name}: shows" not in told] == []


def test_a_death_in_solving_with_a_substituted_term_is_solved_anew(tmp_path: Path) -> None:
    trace = (
        "# solver cvc5 1.4.2\n0 new\n return o1\n0 mk-sort SORT_INT\n return s1\n"
        '0 mk-const s1 "a"\n return t1 s1\n0 mk-const s1 "b"\n return t2 s1\n'
        "0 mk-term OP_INT_ABS SORT_INT 1 t1\n return t3 s1\n0 check-substitute@py t3 t1 t2\n"
    )
    text = plainest(trace, "crash", "SIGSEGV").text
    assert "again.assertFormula(tm.mkTerm(Kind.EQUAL, a, b))" in text
    assert ".substitute(a, b)))\n    again.checkSat()\n" in text
    done = ended(text, tmp_path / "p.py")
    assert (done.returncode, done.stdout) == (0, "expected no signal, got no signal\n")


def test_a_death_in_an_interpolant_asks_a_solver_of_its_own(tmp_path: Path) -> None:
    """Interpolants need an option, which the solver of the trace does not have."""
    text = plainest(BETWEEN, "crash").text
    assert 'finder.setOption("produce-interpolants", "true")' in text
    done = ended(text, tmp_path / "p.py")
    assert (done.returncode, done.stdout) == (0, "expected no signal, got no signal\n")


DEFINED = """\
# solver cvc5 1.4.2
0 new@default
 return o1
0 mk-sort@mk SORT_BOOL
 return s1
0 mk-const@mk s1 "a"
 return t1 s1
0 mk-var@mk s1 "b"
 return t2 s1
0 mk-fun@define "c" 1 t2 t1
 return t3 s2
0 assert-formula@default t1
0 check-sat@default
 answer sat
"""


def test_what_a_death_needs_and_nobody_uses_is_tried_before_helpers() -> None:
    first, second, *others = [program.text for program in printed(DEFINED, "crash")]
    assert "defineFun" not in first and 'solver.defineFun("c", ' in second
    assert "def new_solver" not in second and any("def new_solver" in text for text in others)
    assert not any("_READERS" in text for text in others), "the helper does not need them"


def test_a_long_program_has_only_the_functions_that_it_calls() -> None:
    text = to_python(parse_trace(DEFINED, "t.trace"), catalogue(), wrapper("cvc5"))
    functions = re.findall(r"^def (\w+)", text, re.M)
    assert functions[:3] == ["untold", "defect", "same"] and "answered" in functions
    assert "scripted" not in functions and "satisfied" not in functions
    compile(text, "p.py", "exec")


def test_an_operator_that_works_on_one_side_only_is_called_on_the_other(tmp_path: Path) -> None:
    trace = (
        '# solver z3 5.4.1\n0 new\n return o1\n0 mk-sort SORT_BOOL\n return s1\n0 mk-const s1 "a"\n'
        " return t1 s1\n0 misuse@reflected t1 py:true\n"
    )
    message = "class E: and_ of a BoolRef and a bool: a . n works, n . a does not"
    text = plainest(trace, "contract", message).text
    assert "got = True & a" in text
    done = ended(text, tmp_path / "p.py")
    assert (done.returncode, done.stdout[:36]) == (1, "expected a result, got TypeError: un")
    done = ended(text.replace("True & a", "a & True"), tmp_path / "p.py")
    assert (done.returncode, done.stdout) == (0, "expected a result, got And(a, True)\n")
