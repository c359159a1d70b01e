"""Scripts of findings: what they ask, what their answers show, and how they are run."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from shipped import shows
from toy import catalogue

from murxpy.findings.kinds.registry import kind_of
from murxpy.findings.kinds.sights import Seen, Shown, Sight, expressions, pair
from murxpy.judging.regress import read_table
from murxpy.machine.tokens import quote
from murxpy.machine.trace.grammar import parse_trace
from murxpy.machine.trace.lift import lift
from murxpy.oracles.crash import Outcome
from murxpy.processes.limits import Limits
from murxpy.processes.plans import Request, make_plans
from murxpy.processes.targets import Plan
from murxpy.records.finding import Reproducer
from murxpy.reduction.reproducers import cut_behind_wrong_model, refuted, unsound, write_programs
from murxpy.reduction.script_writer import ScriptWriter, _noted, front_ends
from murxpy.smtlib.reading.scripts import read_script
from murxpy.translate.asking import WAYS, Way, of_script, with_evidence

pytestmark = pytest.mark.usefixtures("kept_solvers")

ROOT = Path(__file__).parents[2]
TABLE = json.loads((ROOT / "traces/regressions/programs.json").read_text(encoding="utf-8"))
RANGES = read_table(ROOT / "traces/regressions/ranges.json")
CATALOGUE = catalogue()
BEGIN = "# solver z3 5.4.0\n0 new\n return o1\n0 mk-sort SORT_BOOL\n return s1\n"
CONSTANT = '0 mk-const s1 "a"\n return t1 s1\n0 mk-term OP_NOT SORT_BOOL 1 t1\n return t2 s1\n'
MODEL = f"{BEGIN}{CONSTANT}0 assert-formula t2\n0 check-sat\n answer sat\n0 check-model\n"
CORE = f"{BEGIN}{CONSTANT}0 assert-formula t1\n0 check-sat-assuming 1 t2\n answer unsat\n0 check-core\n"


def sight(seen: Seen) -> Sight | None:
    return kind_of(seen.finding.kind).sight(seen)


def seen(trace: str, kind: str, output: str, message: str = "", way: Way = WAYS[0]) -> Sight | None:
    """What a script of a trace shows where the solver prints `output`."""
    evidence = with_evidence(parse_trace(trace, "1.trace"), CATALOGUE, "z3", way)
    outcome = Outcome("died", output=output, status=0)
    printed = tuple(expressions(output))
    return sight(Seen(Shown(kind, "", message), ("sat",), evidence, outcome, printed, CATALOGUE))


def test_expressions_are_told_from_sentences() -> None:
    output = (
        "WARNING: an option\n/x/1.smt2:5.2: Use (set-logic ALL).\nsat\nCould not evaluate (f a).\n"
        '((a "x)"))\n(error "no")\n'
    )
    assert expressions(output) == ["sat", '((a "x)"))', '(error "no")']
    assert pair("(((f a) (- 1)))") == ("(f a)", "(- 1)")
    assert pair('(error "no")') == ("", "")


def test_a_script_asks_for_the_model_and_for_the_values_in_it() -> None:
    evidence = with_evidence(parse_trace(MODEL, "1.trace"), CATALOGUE, "z3", WAYS[0])
    rows = evidence.text.splitlines()
    at = rows.index("(check-sat) ; sat")
    assert rows[at + 1 : -1] == ["(get-model)", "(get-value ((not a)))", "(get-value (a))"]
    assert "(set-option :produce-models true)" in rows


def test_a_wrong_model_is_shown_by_the_solver_or_by_the_values() -> None:
    model = "sat\n((define-fun a () Bool true))\n"
    own = seen(MODEL, "invalid-model", f"{model}(((not a) false))\n((a true))\n")
    assert own is not None and "by its own evaluation" in own.wrong
    assert own.prints == "sat, and false as the value of (not a)"
    wrong = seen(MODEL, "invalid-model", f"{model}(((not a) true))\n((a true))\n")
    assert wrong is not None and wrong.prints == "the value true for (not a)"
    assert wrong.expected == "the value false for this term where a = true, or another model"
    alone = MODEL.replace('mk-const s1 "a"', "mk-value s1 true").replace("assert-formula t2", "gc")
    alone = alone.replace("check-model", "check-values 1 t2")
    wrong = seen(alone, "invalid-value", "sat\n()\n(((not true) true))\n")
    assert wrong is not None and wrong.expected == "the value false for this term, or another model"
    right = "sat\n((define-fun a () Bool false))\n(((not a) true))\n((a false))\n"
    assert seen(MODEL, "invalid-model", right) is None
    assert seen(MODEL, "invalid-model", "unsat\n") is None


def test_a_script_sets_the_options_and_the_limit_with_which_it_was_run() -> None:
    text = "(declare-const a (_ FloatingPoint 3 5))\n(assert (fp.isNaN a))\n(check-sat)\n(exit)\n"
    rows = of_script(text, CATALOGUE, "cvc5", 7, True, WAYS[0]).text.splitlines()
    head, body = rows[: rows.index(text.splitlines()[0])], rows[rows.index("(check-sat)") :]
    assert sorted(head) == [
        "(set-option :fp-exp true)",
        "(set-option :produce-models true)",
        "(set-option :reproducible-resource-limit 7)",
    ]
    assert body[1:] == ["(get-model)", "(get-value ((fp.isNaN a)))", "(get-value (a))", "(exit)"]


def test_a_wrong_unsat_is_shown_by_the_planted_model() -> None:
    planted = (
        f"{BEGIN}{CONSTANT}0 plant t1 false\n0 assert-formula t2\n0 check-sat\n answer unsat\n"
    )
    message = "answered unsat, expected sat: the planted model satisfies all assertions"
    found = seen(planted, "wrong-unsat", "unsat\n", message)
    assert found is not None and found.otherwise is not None
    assert found.more[-3:] == ("(assert (not a))", "(assert (= a false))", "(check-sat)")
    assert not found.otherwise.more
    assert seen(planted, "wrong-unsat", "sat\n", message) is None


def test_a_core_is_shown_by_solving_it_alone() -> None:
    found = seen(CORE, "invalid-core", "unsat\n((not a))\n")
    assert found is not None and found.answer == "sat"
    assert found.more[-3:] == ("(assert a)", "(assert (not a))", "(check-sat)")
    assert seen(CORE, "invalid-core", "unsat\n(b)\n") is not None  # nobody asserted or assumed b
    assert seen(CORE, "invalid-core", 'unsat\n(error "there is no core")\n') is None


def test_a_core_with_what_was_never_asserted_is_not_called_satisfiable() -> None:
    said = "the unsat core has what was neither asserted nor assumed"
    other = CORE.replace("check-sat-assuming 1 t2", "check-sat-assuming 1 t1")
    found = seen(other, "invalid-core", "unsat\n((not a))\n", said)
    assert found is not None and (found.wrong, found.more) == (said, ())
    asserted = seen(CORE, "invalid-core", "unsat\n((not a))\n", said)
    assert asserted is not None and asserted.more


def test_assertions_keep_their_names_where_only_the_last_check_is_left() -> None:
    named = (
        CONSTANT.replace(" t1 s1", " t1 s1", 1)
        + '0 assert-tracked t2 "n"\n0 check-sat\n answer sat\n'
    )
    for way in WAYS:
        text = with_evidence(parse_trace(BEGIN + named, "1.trace"), CATALOGUE, "z3", way).text
        assert "(assert (! (not a) :named n))" in text
        assert "(set-option :produce-unsat-cores true)" in text


def test_assumptions_that_a_printed_core_leaves_out_are_asserted() -> None:
    evidence = with_evidence(parse_trace(CORE, "1.trace"), CATALOGUE, "cvc5", WAYS[0], True)
    assert dict(evidence.formulas)["a1"] == "a" and evidence.background == ("(not a)",)


def test_an_exception_is_shown_by_the_error_or_by_the_reason_for_unknown() -> None:
    refused = f'{BEGIN}{CONSTANT}0 check-sat-assuming 1 t1\n refused undocumented "E: it fails"\n'
    for output in ('(error "line 3: it fails")\n', 'unknown\n(:reason-unknown "it fails")\n'):
        assert seen(refused, "exception", output, "E: it fails") is not None
    assert seen(refused, "exception", "sat\n(error)\n", "E: it fails") is None


def test_a_death_is_shown_by_the_same_signal_only() -> None:
    evidence = with_evidence(parse_trace(MODEL, "1.trace"), CATALOGUE, "z3", WAYS[0])
    shown = Shown("crash", "crash-sigsegv-z3-check-sat-1", "SIGSEGV")
    one = Seen(shown, (), evidence, Outcome("died", status=11), (), CATALOGUE)
    found = sight(one)
    assert found is not None and found.wrong == "the solver dies with SIGSEGV"
    bus = replace(one, finding=replace(shown, key="crash-sigbus-z3-check-sat-1", message="SIGBUS"))
    assert sight(bus) is not None
    assert sight(replace(one, outcome=Outcome("died", status=0))) is None
    assert sight(replace(one, outcome=Outcome("died", status=8))) is None


def test_an_exit_is_shown_by_its_code_before_the_end_of_the_script_only() -> None:
    """The solver's program ends each script by an exit, and by another code if a command failed."""
    evidence = with_evidence(parse_trace(MODEL, "1.trace"), CATALOGUE, "z3", WAYS[0])
    asked = sum(row.startswith(("(check-sat", "(get-")) for row in evidence.text.splitlines())
    shown = Shown("exit", "exit-z3-check-sat-1", "the process exited with code 101")
    one = Seen(shown, (), evidence, Outcome("died", status=101 << 8), ("sat",), CATALOGUE)
    found = sight(one)
    assert found is not None and found.expected == "that the process goes on"
    assert sight(replace(one, printed=("sat",) * asked)) is None
    assert sight(replace(one, outcome=Outcome("died", status=1 << 8))) is None
    assert sight(replace(one, outcome=Outcome("died", status=0))) is None


def test_ways_differ_from_the_trace_and_say_how() -> None:
    text = f"{BEGIN}{CONSTANT}0 set-limit 7\n0 push 1\n0 assert-formula t1\n0 check-sat\n0 pop 1\n0 check-sat\n"
    texts = [with_evidence(parse_trace(text, "1.trace"), CATALOGUE, "z3", way).text for way in WAYS]
    # a script that the trace runs may need the options of all theories, which differs in nothing
    assert [way.all_theories for way in WAYS if not way.words] == [False, True]
    assert [":reproducible-resource-limit" in text for text in texts].count(False) == 3, "limits"
    alone = texts[[way.alone and way.limited for way in WAYS].index(True)]
    assert "(push 1)" not in alone and alone.count("(check-sat") == 1


@pytest.fixture(scope="module")
def z3() -> Plan:
    return make_plans(Request(("z3",)))[0]


def test_the_program_of_the_package_runs_scripts(z3: Plan) -> None:
    ends = front_ends(z3)
    said = [end.said for end in ends]
    assert said[:2] == ["z3 FILE", "z3 tactic.default_tactic=smt FILE"]
    assert said[2:] == ["the reader of the Python package z3-solver"]
    without = {k: v for k, v in z3.setup["wrapper"].items() if k != "script-program"}
    (reader,) = front_ends(Plan(z3.target, {**z3.setup, "wrapper": without}))
    assert reader.said == "the reader of the Python package z3-solver"


def test_a_script_shows_its_finding_and_says_how_it_was_run(tmp_path: Path, z3: Plan) -> None:
    """z3 gives a model in which the text of a bit-vector is wrong, whatever release it is."""
    name = "z3-5.4.0/float-of-an-exponent-and-a-real.trace"
    source = Path(__file__).parents[2] / "traces/regressions" / name
    shown = Shown("invalid-model", "", "an assertion is false under the model")
    text = source.read_text()
    (made,) = write_programs(z3, tmp_path / source.name, text, shown, forms=("smt2",))
    file = tmp_path / "float-of-an-exponent-and-a-real.smt2"
    assert made == Reproducer("smt2", str(file), True, "run as z3 FILE")
    rows = file.read_text().splitlines()
    assert rows[0].startswith("; z3 5.4.0: the solver answers sat, and by its own evaluation")
    assert "; Run as: z3 FILE" in rows
    assert any(
        row.startswith("; In a virtual environment, 'pip install z3-solver' makes") for row in rows
    )
    assert "(get-model)" in rows


# -- the kept regressions


def test_the_other_side_of_a_disagreement_gives_its_model(
    z3: Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    """z3 is said to answer unsat, and cvc5, which is asked because the trace names no judge, gives
    values that make the assertion true.
    """
    text = (
        '# solver z3\n0 new\n return o1\n0 mk-sort SORT_INT\n return s1\n0 mk-const s1 "x"\n'
        ' return t1 s1\n0 mk-value s1 "7"\n return t2 s1\n'
        "0 mk-term OP_EQUAL SORT_BOOL 2 t1 t2\n return t3 s2\n0 assert-formula t3\n"
    )
    trace = parse_trace(f"{text}0 check-sat\n answer unsat\n", "1.trace")
    made = refuted(z3, trace, CATALOGUE, Limits())
    assert made is not None
    assert made.text().endswith('0 plant t1 "7"\n     0 check-sat\n      answer unsat\n')
    evidence = with_evidence(made, CATALOGUE, "z3", WAYS[0])
    assert evidence.planted == ("(= x 7)",)
    agreed = parse_trace(f"{text}0 check-sat\n answer sat\n", "1.trace")
    assert refuted(z3, agreed, CATALOGUE, Limits()) is None
    names = ("z3@/no/such/folder", "cvc5")  # a solver that is not there hides no other one
    monkeypatch.setattr("murxpy.reduction.reproducers.other_solvers", lambda family: names)
    assert refuted(z3, trace, CATALOGUE, Limits()) is not None


def test_a_script_is_cut_behind_the_check_whose_model_is_wrong(
    tmp_path: Path, z3: Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = "(declare-const a Bool)\\u{a}(check-sat)\\u{a}(push 1)\\u{a}(check-sat)\\u{a}(check-sat)\\u{a}"
    text = (
        f'# solver z3 5.4.1\n0 new\n return o1\n0 run-script "{rows}"\n answer sat\n answer sat\n'
    )
    trace = parse_trace(text, "1.trace")
    shows = iter([False, True])
    monkeypatch.setattr(ScriptWriter, "shows_at_once", lambda writer: next(shows))
    given = (z3, trace, CATALOGUE, tmp_path / "1.smt2")
    cut = cut_behind_wrong_model(*given, Shown("invalid-model", "", ""), Limits())
    last = cut.lines[-1]
    assert str(last.args[0].text).splitlines()[-2:] == ["(check-sat)", "(get-model)"]
    assert str(last.args[0].text).count("(check-sat)") == len(last.results) == 2
    assert cut_behind_wrong_model(*given, Shown("crash", "", ""), Limits()) is trace


def test_what_the_reader_of_a_release_does_not_know_is_said(tmp_path: Path, z3: Plan) -> None:
    text = (
        "# solver z3 4.8.12\n0 new\n return o1\n0 mk-sort SORT_BV 1\n return s1\n"
        '0 mk-const s1 "a"\n return t1 s1\n0 mk-term OP_BV_SMULO SORT_BOOL 2 t1 t1\n return t2 s2\n'
        "0 assert-formula t2\n0 check-sat\n answer unsat\n"
    )
    shown = Shown("wrong-unsat", "", "answered unsat, expected sat")
    (made,) = write_programs(z3, tmp_path / "1.trace", text, shown, forms=("smt2",))
    assert made.note == "not in SMT-LIB: the reader of 4.8.12 does not know OP_BV_SMULO"


def test_commands_that_stand_twice_in_a_script_are_kept() -> None:
    script = "(set-option :produce-models true)\n(push 1)\n(push 1)\n(check-sat)\n"
    text = of_script(script, CATALOGUE, "z3", 0, True, WAYS[0]).text
    assert (text.count("(push 1)"), text.count("produce-models")) == (2, 1)


def test_a_planted_model_is_asserted_whatever_its_sorts_are() -> None:
    text = (
        "# solver z3 5.4.0\n0 new\n return o1\n0 mk-sort SORT_REAL\n return s1\n"
        '0 mk-const s1 "r"\n return t1 s1\n0 plant t1 "1/3"\n'
        "0 mk-term OP_EQUAL SORT_BOOL 2 t1 t1\n return t2 s2\n0 assert-formula t2\n"
        "0 check-sat\n answer unsat\n"
    )
    evidence = with_evidence(parse_trace(text, "1.trace"), CATALOGUE, "z3", WAYS[0])
    assert evidence.planted == ("(= r (/ 1.0 3.0))",)


@pytest.mark.parametrize(
    ("kind", "script"),
    [
        (
            "slow",
            "(set-info :slow-against-size 4000)\n(declare-const a (_ BitVec 8))\n(declare-const b (_ BitVec 8))\n"
            "(assert (= (bvmul a b) #x01))\n(assert (bvugt a #x01))\n(check-sat)\n",
        ),
        (
            "incompleteness",
            "(declare-const x Int)\n(declare-const y Int)\n(assert (= (^ x y) 7))\n(check-sat)\n",
        ),
    ],
    ids=["slow", "incompleteness"],
)
def test_what_is_not_decided_has_a_program_and_a_script(
    tmp_path: Path, z3: Plan, kind: str, script: str
) -> None:
    """What a slow script may cost is the limit of its check, which the check reaches."""
    text = (
        f"# solver z3\n0 new\n0 set-limit 900000\n0 run-script {quote(script)}\n answer unknown\n"
    )
    made = write_programs(z3, tmp_path / "1.trace", text, Shown(kind, "", "it is undecided"))
    assert [form.reproduces for form in made] == [True, True], made
    program, smt2 = (Path(form.file).read_text() for form in made)
    assert f"limit {4000 if kind == 'slow' else 900000})" in program
    assert ("limit 4000)" in smt2) == (kind == "slow"), "unknown without any limit says more"


def test_every_kept_regression_has_a_script_or_a_reason() -> None:
    said = {name: row.get("smt2", "") for name, row in TABLE.items()}
    assert [name for name, text in said.items() if not text] == []
    sayable = [text for text in said.values() if "not in SMT-LIB: " not in text]
    assert sayable.count("shows") >= 0.9 * len(sayable)


@pytest.mark.slow
def test_every_script_that_the_table_names_shows_its_regression() -> None:
    names = [name for name, row in TABLE.items() if row["smt2"] == "shows" and shows(name, RANGES)]
    command = [sys.executable, "bench/programs.py", *names, "--scripts", "--no-save", "--installed"]
    told = subprocess.run(
        command, capture_output=True, text=True, check=True, cwd=ROOT, timeout=900
    ).stdout
    assert [name for name in names if f"{name}: shows" not in told] == []


NOTHING = MODEL.replace(
    "0 assert-formula t2", "0 mk-term OP_AND SORT_BOOL 2 t1 t2\n return t3 s1\n0 assert-formula t3"
)


def test_a_wrong_answer_is_called_so_and_not_a_wrong_model() -> None:
    """All values of the constants were tried, so the script needs no model."""
    output = "sat\n((define-fun a () Bool true))\n(((and a (not a)) false))\n((a true))\n(((not a) false))"
    found = seen(NOTHING, "invalid-model", output)
    assert found is not None and found.wrong == "the answer sat is wrong" and found.kept == ()
    assert found.prints == "sat"
    assert found.expected == "unsat: none of 2 possible values makes all assertions true"
    output = "sat\n((define-fun a () Bool true))\n(((not a) false))\n((a true))"
    found = seen(MODEL, "invalid-model", output)  # a = false is a model
    assert found is not None and found.expected.endswith("each assertion is true, or unsat")


def test_the_script_of_a_wrong_answer_needs_no_model(tmp_path: Path, z3: Plan) -> None:
    """All four values of the constants of this regression were tried, and z3 answers sat."""
    source = ROOT / "traces/regressions/z3-5.4.0/default-of-an-equal-array.trace"
    text = source.read_text()
    shown = Shown("invalid-model", "", "an assertion is false under the model")
    (made,) = write_programs(z3, tmp_path / source.name, text, shown, forms=("smt2",))
    assert made.reproduces, made
    rows = Path(made.file).read_text().splitlines()
    assert rows[0] == "; z3 5.4.0: the answer sat is wrong"
    assert "; It should print: unsat: none of 4 possible values makes all assertions true" in rows
    assert not any("get-" in row for row in rows)
    said = "solution unsoundness: answered sat, and none of 4 possible values makes all assertions true"
    assert unsound(z3, text, source.name) == said


def test_of_infinitely_many_values_the_smallest_are_tried() -> None:
    """The script says what was tried, and keeps the model."""
    script = read_script(
        "(declare-const a (Seq Int))(assert (< (seq.last_indexof a a) 0))(check-sat)",
        "a",
        CATALOGUE,
    )
    trace = lift(script).text().replace("check-sat", "check-sat\n answer sat") + "0 check-model\n"
    one, negative = "((define-fun a () (Seq Int) (seq.unit 2)))", "(- 1)"
    terms = with_evidence(parse_trace(trace, "1"), CATALOGUE, "z3", WAYS[0]).asked
    values = {"(seq.last_indexof a a)": negative, "0": "0", "a": "(seq.unit 2)"}
    output = "sat\n" + "\n".join(
        one if asked.kind == "model" else f"(({asked.term} {values.get(asked.term, 'true')}))"
        for asked in terms
    )
    found = seen(trace, "invalid-model", output)
    assert (
        found is not None and found.prints == "sat and the value (- 1) for (seq.last_indexof a a)"
    )
    assert found.expected.startswith("unsat, as far as tried: none of 121 values makes all")


def wrong_answer(assertion: str, printed: str) -> Sight | None:
    """What a script with one assertion about `a`, and maybe `b`, of two bits shows where the solver answers
    `printed`.
    """
    names = [name for name in "ab" if f" {name}" in assertion]
    consts = "".join(f"(declare-const {name} (_ BitVec 2))" for name in names)
    text = f"{consts}(assert {assertion})(check-sat)"
    trace = lift(read_script(text, "a", CATALOGUE)).text()
    trace = trace.replace("check-sat", f"check-sat\n answer {printed}")
    other = {"sat": "unsat", "unsat": "sat"}[printed]
    return seen(trace, "wrong-answer", printed, f"answered {printed}, expected {other}")


def test_the_script_of_a_wrong_answer_says_why_it_is_wrong() -> None:
    found = wrong_answer("(bvult a #b00)", "sat")
    assert found is not None
    assert found.expected == "unsat: none of 4 possible values makes all assertions true"
    found = wrong_answer("(bvugt a #b10)", "unsat")
    assert found is not None and found.expected.startswith("sat, as it answers where (= a #b11)")
    assert found.expected.endswith(" is asserted")
    told = found.otherwise  # the solver can answer unsat with the values, too
    assert told is not None and told.expected == "sat: all assertions are true where (= a #b11)"
    found = wrong_answer("(bvugt a b)", "unsat")
    assert found is not None and found.expected.endswith("(= b #b00) and (= a #b01) are asserted")


def test_a_script_keeps_only_the_settings_that_it_needs(tmp_path: Path, z3: Plan) -> None:
    """z3 prints a model without being asked to keep it, and this formula needs neither a limit nor the
    parameter.
    """
    script = (
        "(set-option :smt.arith.random_initial_value true)\\u{a}(declare-const b Real)\\u{a}"
        "(assert (< 0.0 (tan b)))\\u{a}(check-sat)\\u{a}(get-model)\\u{a}"
    )
    text = f'# solver z3 5.4.1\n0 new\n0 set-limit 45000\n0 run-script "{script}"\n answer sat\n'
    shown = Shown("invalid-model", "", "an assertion is false under the model")
    (made,) = write_programs(z3, tmp_path / "1.trace", text, shown, forms=("smt2",))
    if not made.reproduces:
        pytest.skip("this release has the right model")
    rows = [row for row in Path(made.file).read_text().splitlines() if not row.startswith(";")]
    assert rows[:3] == ["(declare-const b Real)", "(assert (< 0.0 (tan b)))", "(check-sat)"]


def test_a_script_may_need_the_options_of_other_theories(tmp_path: Path) -> None:
    """The reader in a run sets all of them, and cvc5 gives up on this set only with `arrays-exp`."""
    (cvc5,) = make_plans(Request(("cvc5",)))
    script = (
        "(set-option :random-seed 3)\\u{a}(declare-const a Bool)\\u{a}(declare-const b (Set Int))\\u{a}"
        "(assert (or a (<= (div (set.card b) 2) (div 0 2))))\\u{a}(check-sat)\\u{a}"
    )
    text = (
        f'# solver cvc5 1.4.2\n0 new\n0 set-limit 30000\n0 expect sat\n0 run-script "{script}"\n'
        " answer unknown\n"
    )
    said = "answered unknown, expected sat by how the check was made; its reason: INCOMPLETE"
    shown = Shown("incompleteness", "", said)
    (made,) = write_programs(cvc5, tmp_path / "1.trace", text, shown, forms=("smt2",))
    if not made.reproduces:
        pytest.skip("this release decides it")
    rows = [row for row in Path(made.file).read_text().splitlines() if not row.startswith(";")]
    assert "(set-option :arrays-exp true)" in rows and len(rows) <= 8, rows


def test_the_notes_of_a_script_are_the_answers_that_it_gave() -> None:
    """The trace may have had a limit that the reader of scripts counts otherwise."""
    script = "(check-sat) ; sat\n(assert a)\n(check-sat-assuming (a)) ; sat\n(check-sat)\n"
    noted = "(check-sat) ; sat\n(assert a)\n(check-sat-assuming (a)) ; unknown\n(check-sat)\n"
    assert _noted(script, ["sat", "unknown", "unsat"]) == noted
    assert _noted(script, ["sat"]) == script
