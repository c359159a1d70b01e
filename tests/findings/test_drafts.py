"""Drafts of traces that no campaign keeps, and those that are kept beside the regressions."""

from __future__ import annotations

import json
import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from commands import FAKE, error, outcome
from store_buckets import kept, stored

from murxpy.cli.draft import kept_alone
from murxpy.cli.report.finding import FindingPage, finding_page
from murxpy.cli.report.findings import operators_of
from murxpy.cli.report.issue import draft_of
from murxpy.findings.buckets import Bucket
from murxpy.findings.origin import plan_of
from murxpy.findings.store import Changes, Store
from murxpy.machine.tokens import Quoted, print_token
from murxpy.machine.trace.grammar import parse_trace, read_trace
from murxpy.oracles.crash import written

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "bench"))
import drafts  # noqa: E402

pytestmark = pytest.mark.usefixtures("kept_solvers")

FILES = list(drafts.drafted())
# A wrong answer that a planted model refutes, one that all values refute, and a process that dies.
QUICK = ("text-of-one-bit", "subnormal", "core-after-a-simpl")
TRACE = """# murxpy-trace 1
# finds abort
# solver fake 1.0
0 new
 return o1
0 mk-sort SORT_BOOL
 return s1
0 mk-const s1 "a"
 return t1 s1
0 mk-term OP_AND SORT_BOOL 2 t1 t1
 return t2 s1
"""


def test_every_defect_of_the_current_releases_has_a_draft() -> None:
    kept = set(drafts.FOLDER.glob("*/*.md"))
    assert kept == {file.with_suffix(".md") for file in FILES}
    assert len(FILES) > 90
    for file in kept:
        text = file.read_text(encoding="utf-8")
        shown = next(row for row in text.splitlines() if row.startswith("## "))
        assert shown.startswith(("## Script: `", "## Program: `", "## Trace: `")), file
        assert "- Shows on " in text, file


def made_anew(file: Path) -> None:
    """Compare the kept draft of a trace with the one that is made now."""
    if not drafts.installed(file):
        pytest.skip("the drafts tell of another release")
    kept = file.with_suffix(".md").read_text(encoding="utf-8")
    assert drafts.plain(drafts.written(file)) == drafts.plain(kept)


@pytest.mark.parametrize("name", QUICK)
def test_a_kept_draft_is_what_is_made_now(name: str) -> None:
    made_anew(next(file for file in FILES if name in file.name))


@pytest.mark.slow
@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}-{file.stem}")
def test_each_kept_draft_is_what_is_made_now(file: Path) -> None:
    made_anew(file)


def test_a_trace_without_a_campaign_has_a_draft(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    solver = ("--solver", *FAKE)
    trace = tmp_path / "bug.trace"
    trace.write_text(TRACE)
    none = error(capsys, "draft", trace, *solver)
    assert none[0] == 2 and "bug.trace: its replay on fake 1.0 shows no finding" in none[1]
    monkeypatch.setenv("FAKESOLVER_FAULT", "and:abort")
    table = tmp_path / "ranges.json"
    table.write_text('{"other.trace": {"solver": "fake", "range": "1.0..", "asked": {}}}')
    missing = error(capsys, "draft", trace, *solver, "--table", table)
    assert missing[0] == 2 and "expected an entry 'bug.trace'" in missing[1]
    asked = '{"0.9.0": "gone", "1.0.0": "shows", "1.1.0": "gone"}'
    table.write_text(f'{{"bug.trace": {{"solver": "fake", "range": "1.0.0", "asked": {asked}}}}}')
    code, text, _ = outcome(capsys, "draft", trace, *solver, "--table", table)
    assert code == 0 and text.startswith("# fake 1.0 ")
    assert "ends the process with an abort" in text
    assert "- Shows on fake 1.0.0, mended in 1.1.0\n" in text
    assert "in one campaign" not in text, "no campaign found it"
    folder = tmp_path / "issue"
    assert outcome(capsys, "draft", trace, *solver, "-o", folder)[0] == 0
    kept = folder / "finding.trace"
    assert kept.read_text().startswith("# murxpy-trace 1\n# solver fake 1.0\n")
    code, program, _ = outcome(capsys, "translate", kept, "--to", "program", *solver)
    assert code == 0 and "fake 1.0 aborts" in program, "its header tells what it shows"


@pytest.mark.parametrize("name", ["text-of-one-bit", "subnormal"])
def test_all_commands_give_the_script_in_the_folder_of_a_bucket(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, name: str
) -> None:
    """Of real findings of z3 and cvc5."""
    file = next(file for file in FILES if name in file.name)
    if not drafts.installed(file):
        pytest.skip("another release is installed")
    plan = plan_of(parse_trace(read_trace(file), str(file)), None, None, file)
    folder = kept_alone(file, plan, tmp_path, {})
    (kept,) = folder.glob("*.smt2")
    script = kept.read_text()
    assert outcome(capsys, "translate", folder, "--to", "smt2") == (0, script, "")
    key = (folder.name[:20], "--out", tmp_path)
    assert outcome(capsys, "translate", *key, "--to", "smt2") == (0, script, "")
    page = json.loads(outcome(capsys, "show", *key, "--json", "--solver", "z3")[1])
    assert (page["form"], page["text"]) == ("smt2", script)
    assert outcome(capsys, "draft", *key, "-o", tmp_path / "issue")[0] == 0
    assert (tmp_path / "issue" / "finding.smt2").read_text() == script
    # one that was not seen to show the finding is the same, with a word about it
    with closing(Store(tmp_path)) as store:
        (bucket,) = store.buckets()
        forms = [
            replace(one, reproduces=False) if one.form == "smt2" else one
            for one in bucket.reproducers
        ]
        store.save(Changes(buckets=[replace(bucket, reproducers=tuple(forms))]))
    code, text, err = outcome(capsys, "translate", folder, "--to", "smt2")
    assert (code, text) == (0, script) and "was not seen to show the finding: run as" in err


def test_what_is_no_finding_is_one_clear_line(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "folder").mkdir()
    code, line = error(capsys, "draft", tmp_path, "-o", tmp_path / "issues")
    assert code == 2 and "no campaign was run here" in line
    assert "with -o DIR" in error(capsys, "draft", tmp_path)[1]
    wrong = tmp_path / "wrong.trace"
    wrong.write_text("# murxpy-trace 1\n# solver fake 1.0\n0 new\n0 frob\n")
    code, line = error(capsys, "draft", wrong, "--solver", *FAKE)
    assert code == 2 and "wrong.trace:4: " in line


SMALL = """# murxpy-trace 1
# solver z3 5.4.1
# needs [["spelling", "mk-const", "list", "", ""], ["option", "core.minimize", "true", "", ""]]
0 new
 return o1
0 set-option core.minimize true
0 mk-sort SORT_INT
 return s1
0 mk-const@list s1 "a"
 return t1 s1
0 mk-term OP_INT_ABS SORT_INT 1 t1
 return t2 s1
0 mk-term OP_ARRAY_LAMBDA SORT_ARRAY 2 t1 t1
 return t3 s2
0 z3-cube
"""
SCRIPT = "; the lambda is not needed\n(declare-const a Int)\n(assert (= (abs a) 1))\n(check-sat)\n"
PROGRAM = "from z3 import *\n\ns = SimpleSolver()\ns.set('core.minimize', True)\nAbs(a)\ns.cube()\n"


def drafted_of(
    folder: Path,
    forms: dict[str, str],
    note: str = "",
    kind: str = "invalid-model",
    message: str = "it is",
) -> list[str]:
    """The lines of the draft of a finding, of a wrong model by default, with these forms."""
    found = kept(folder, "b", {"min.trace": SMALL, **forms}, kind=kind, message=message)
    told = tuple(replace(form, note=note) for form in found.reproducers)
    stored(folder, replace(found, reproducers=told))
    made = draft_of(finding_page(folder, "b"))
    assert made is not None
    return made.text.splitlines()


def test_a_draft_says_what_its_script_needs_and_not_its_trace(tmp_path: Path) -> None:
    lines = drafted_of(tmp_path, {"smt2": SCRIPT}, "run as z3 tactic.default_tactic=smt FILE")
    assert lines[0] == "# z3 5.4.1 gives a model in which an assertion is false, here with abs"
    assert "- the form above has tactic.default_tactic=smt, standard operators" in lines
    assert not any("spelling" in line or "core.minimize" in line for line in lines)
    limited = SCRIPT.replace("(declare", "(set-option :rlimit 7)\n(declare")
    lines = drafted_of(tmp_path / "limited", {"smt2": limited})
    assert "- the form above has a resource limit, standard operators" in lines
    needs = '["limit", "", "", "7", "900"], ["option", "core.minimize"'
    whole = SMALL.replace('["option", "core.minimize"', needs)
    lines = drafted_of(tmp_path / "ranged", {"smt2": limited, "min.trace": whole})
    assert "- In finding.trace, the defect needs a resource limit." in lines
    assert not any("900" in line for line in lines), "that was tried on the trace only"


def test_a_draft_tells_nothing_that_its_script_does_not_have(tmp_path: Path) -> None:
    """The trace has operators that the script is written without, and the other way round."""
    script = (
        "(declare-const b (Array Int Int))\n(assert (= 1 (select b 0)))\n"
        "(assert (= ((_ int_to_bv 2) 1) #b01))\n(check-sat)\n"
    )
    said = "the solver's value of a term is not ours; they part at"
    for name, at in (("abs", ""), ("uf apply", ""), ("select", "; the values part at select")):
        folder = tmp_path / name
        lines = drafted_of(folder, {"smt2": script}, message=f"{said} {name}")
        assert lines[0].endswith(", here with select"), "a title names one operator"
        assert lines[2] == f"The solver's value of a term is not the one that its model gives{at}."
    other = '["other", "select", "store", "", ""], ["option", "core.minimize"'
    whole = SMALL.replace('["option", "core.minimize"', other)
    lines = drafted_of(tmp_path / "other", {"smt2": script, "min.trace": whole})
    assert lines[0].endswith(", here with int_to_bv"), (
        "of select another operator may take the place"
    )
    assert "- The defect shows with store in the place of select, too." in lines


def test_a_draft_does_not_tell_the_options_of_a_whole_run(tmp_path: Path) -> None:
    message = "z3 answers sat, cvc5 unsat: wrong model of z3, by model (FP_SUB; options a, b)"
    lines = drafted_of(tmp_path, {"smt2": SCRIPT}, kind="disagreement", message=message)
    assert "z3 answers sat, cvc5 unsat: wrong model of z3, by model." in lines


def test_a_title_says_the_function_of_an_endless_recursion(tmp_path: Path) -> None:
    turn = "".join(
        f"#{at}  0x{at:016x} in s3::smt::context::go () from /x/l.so\n" for at in range(40)
    )
    found = kept(tmp_path, "b", {}, kind="crash", message="SIGSEGV", signal="SIGSEGV")
    stored(tmp_path, replace(found, action="check-sat", backtrace=turn))
    made = draft_of(finding_page(tmp_path, "b"))
    assert made is not None
    assert made.text.splitlines()[0].endswith(
        " 5.4.1 ends the process by a stack overflow in a recursion through context::go"
    )


def test_a_draft_says_what_its_program_needs(tmp_path: Path) -> None:
    lines = drafted_of(tmp_path, {"python": PROGRAM})
    made = "a solver made by SimpleSolver()"
    assert f"- the form above has core.minimize=true, {made}, with cube" in lines
    assert "- In finding.trace, the defect needs the option core.minimize set to true." in lines
    plain = PROGRAM.replace("SimpleSolver()", "Solver()").replace("s.cube()", "a.cube(lambda: 1)")
    lines = drafted_of(tmp_path / "plain", {"python": plain})
    assert "- the form above has core.minimize=true, with lambda, cube" in lines
    lines = drafted_of(tmp_path / "misuse", {"python": plain}, kind="contract")
    assert "- the form above has core.minimize=true" in lines, "a misuse is no matter of operators"


def test_frames_are_no_place_where_memory_was_broken_before(tmp_path: Path) -> None:
    """Nor are those of a recursion, of which a developer needs one turn."""
    stack = ("int_free", "free", "s3::vector::expand", "s3::go")
    turn = ("s3::once", *("s3::walk", "s3::visit", "s3::alloc") * 16)
    for names, heading, shown in (
        (stack, "## Native frames, where broken memory was noticed", [*stack]),
        (
            turn,
            "## Native frames of the recursion",
            [*turn[1:4], "(and more of the same functions)"],
        ),
        (("s3::visit", "s3::go"), "## Native frames", ["s3::visit", "s3::go"]),
    ):
        folder = tmp_path / names[0]
        rows = "".join(
            f"#{at}  0x{at:016x} in {one} () from /x/l.so\n" for at, one in enumerate(names)
        )
        found = kept(folder, "b", {}, kind="crash", message="SIGSEGV", signal="SIGSEGV")
        stored(folder, replace(found, action="check-sat", backtrace=rows))
        made = draft_of(finding_page(folder, "b"))
        assert made is not None
        lines = made.text.splitlines()
        at = lines.index(heading)
        assert lines[at + 3 : at + 3 + len(shown)] == shown
    assert (
        "broken memory ends the process by a signal during or after check-sat"
        in draft_of(  # type: ignore[union-attr]
            finding_page(tmp_path / "int_free", "b")
        ).text.splitlines()[0]
    )


def test_what_a_draft_attaches_is_named_only_where_it_is_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stored(tmp_path, kept(tmp_path, "b", {"min.trace": SMALL}))
    key = ("b", "--out", tmp_path)
    code, text, err = outcome(capsys, "draft", *key)
    assert code == 0 and "0 z3-cube" in text.splitlines() and "attached" not in text + err
    long = SMALL.replace("0 z3-cube\n", "0 push 1\n" * 90 + "0 z3-cube\n")
    stored(tmp_path / "long", kept(tmp_path / "long", "b", {"min.trace": long}))
    code, text, err = outcome(capsys, "draft", "b", "--out", tmp_path / "long")
    assert "see the attached finding.trace." in text
    assert "the issue names finding.trace, which -o DIR writes with it" in err


@pytest.mark.parametrize(
    ("helper", "call", "named"),
    [
        ("", "s.check()", "check"),
        ("", "list(s.cube(1))", "cube"),
        ("", "Tactic('x').solver().check()", "check"),
        ("", "Tactic('x', s.ctx).apply(s)", "Tactic('x').apply"),
        ("", "solve(s)", "solve"),
        ("", "got = s.check()", "combined"),
        ("def law(s):\n    s.check()\n\n", "s.check()", "combined"),
    ],
)
def test_a_death_is_told_with_the_call_of_its_program(
    tmp_path: Path, helper: str, call: str, named: str
) -> None:
    program = (
        f"{helper}\ndef calls():\n    s = Solver()\n    {call}\n\nif __name__ == 1:\n    calls()\n"
    )
    found = kept(tmp_path, "b", {"python": program}, message="SIGSEGV", signal="SIGSEGV")
    stored(tmp_path, replace(found, action="z3-combined", operator="", spelling="cond"))
    made = draft_of(finding_page(tmp_path, "b"))
    assert made is not None
    title, _, said, *_ = made.text.splitlines()
    wanted = f"{named} ends the process with a segmentation fault"
    assert title.endswith(wanted) and said.replace("`", "") == f"{wanted}."


def test_no_call_of_a_program_is_named_where_the_heap_is_broken(tmp_path: Path) -> None:
    """Which call notices it is chance."""
    program = "\ndef calls():\n    s.check()\n\nif __name__ == 1:\n    calls()\n"
    rows = "#0  0x0000000000000001 in int_free () from /x/l.so\n"
    forms = {"python": program}
    found = kept(tmp_path, "b", forms, kind="crash", message="SIGSEGV", signal="SIGSEGV")
    stored(tmp_path, replace(found, action="check-sat", backtrace=rows))
    made = draft_of(finding_page(tmp_path, "b"))
    assert made is not None and "1 broken memory ends the process" in made.text.splitlines()[0]


def test_a_result_that_cannot_be_printed_is_told_as_such(tmp_path: Path) -> None:
    program = "\ndef calls():\n    print(f(1))\n\n\nif __name__ == 1:\n    calls()\n"
    small = "# murxpy-trace 1\n# solver z3 5.4.1\n0 new\n0 misuse@call z3.f py:1\n"
    forms = {"min.trace": small, "python": program}
    found = kept(tmp_path, "b", forms, message="SIGSEGV", signal="SIGSEGV")
    stored(tmp_path, replace(found, action="misuse", operator="z3.f", spelling="call"))
    made = draft_of(finding_page(tmp_path, "b"))
    assert made is not None
    title = made.text.splitlines()[0]
    said = "printing what z3.f(1), for example, gives ends the process"
    assert title == f"# z3 5.4.1 {said} with a segmentation fault"


def test_an_exception_is_told_with_the_call_that_its_program_tries(tmp_path: Path) -> None:
    program = "s = Solver()\ntry:\n    s.getDifficulty()\n    got = 'no exception'\nexcept Exception:\n    pass\n"
    found = kept(tmp_path, "b", {"python": program}, kind="exception", message="TypeError: no")
    stored(tmp_path, replace(found, action="get-difficulty", operator="", spelling=""))
    made = draft_of(finding_page(tmp_path, "b"))
    assert made is not None
    title, _, said, *_ = made.text.splitlines()
    assert title.endswith("getDifficulty raises TypeError: no")
    assert said == "getDifficulty raises TypeError: no."


def test_a_title_names_the_operator_whose_value_is_wrong(tmp_path: Path) -> None:
    small = """# solver cvc5 1.4.2
0 mk-term OP_ARRAY_STORE SORT_ARRAY 3 t1 t2 t3
0 mk-term OP_EQ_RANGE SORT_BOOL 4 t4 t1 t2 t2
0 check-model
"""
    told = "an assertion is false under the model; the solver's value of OP_EQ_RANGE is not ours"
    found = kept(tmp_path, "b", {"min.trace": small}, kind="invalid-model", message=told)
    stored(tmp_path, replace(found, action="check-model", operator="", spelling=""))
    made = draft_of(finding_page(tmp_path, "b"))
    assert made is not None
    assert made.text.splitlines()[0].endswith("an assertion is false, here with eqrange")


@pytest.mark.parametrize(("solver", "name"), [("z3", "lambda"), ("cvc5", "set.comprehension")])
def test_a_set_by_comprehension_is_called_as_the_solver_does(solver: str, name: str) -> None:
    trace = f"# solver {solver} 1.0\n0 mk-term OP_SET_COMPREHENSION SORT_SET 3 t1 t2 t3\n"
    assert operators_of(trace) == [name]


def test_a_colon_in_a_call_does_not_end_the_title_of_a_death(tmp_path: Path) -> None:
    whole = '# solver z3 5.4.1\n0 misuse@edge z3.f py:{"a":1}\n'
    found = kept(tmp_path, "b", {}, message="SIGABRT: it is broken", signal="SIGABRT")
    (tmp_path / found.traces[0].file).write_text(whole)
    stored(tmp_path, replace(found, action="misuse", operator="z3.f", spelling="edge"))
    made = draft_of(finding_page(tmp_path, "b"))
    assert made is not None
    assert made.text.splitlines()[0] == "# z3 5.4.1 z3.f({'a': 1}) ends the process with an abort"


def test_a_title_names_no_operand_and_no_call_that_others_may_replace(tmp_path: Path) -> None:
    """In which function of the solver the others die is not known."""
    needs = (
        '[["operand", "1:1", "0, object()", "", "none"], ["called", "1:z3.f", "z3.g, z3.h", ""]]'
    )
    small = (
        f"# murxpy-trace 1\n# solver z3 5.4.1\n# needs {needs}\n0 new\n0 misuse@call z3.f py:none\n"
    )
    found = kept(tmp_path, "b", {"min.trace": small}, message="SIGSEGV", signal="SIGSEGV")
    stack = "#0  0x0000000000000001 in s3::go () from /x/l.so\n"
    stored(tmp_path, replace(found, action="misuse", operator="z3.f", backtrace=stack))
    made = draft_of(finding_page(tmp_path, "b"))
    assert made is not None
    title, _, said, *_ = made.text.splitlines()
    such = "a call such as z3.f(None or others) ends the process with a segmentation fault"
    assert title == f"# z3 5.4.1 {such}, in this form in s3::go"
    assert said.startswith(f"A{such[1:]}")
    assert "- Other calls in the place of z3.f show the defect, too: z3.g, z3.h.\n" in made.text


def test_frames_of_a_replay_are_not_those_of_the_program_that_is_printed(tmp_path: Path) -> None:
    """A title names a place only if the program dies there. What the solver wrote before stands behind it."""
    stack = "#0  0x0000000000000001 in s3::go () from /x/l.so\n"
    aborts = "\n".join(("Fatal failure within go at s3.cpp:7", "  Check failure @b\n"))
    output = (
        f"{aborts}Fatal Python error: Aborted\n\nCurrent thread\nexpected no signal, got SIGABRT\n"
    )
    for name, more, place, heading in (
        ("replay", "", "", "## Native frames of its replay"),
        ("program", "of the program\n", " in s3::go", "## Native frames"),
    ):
        folder = tmp_path / name
        texts = {"min.trace": SMALL, "python": PROGRAM}
        found = kept(folder, "b", texts, message="SIGABRT", signal="SIGABRT")
        *others, form = found.reproducers
        forms = (*others, replace(form, written=written(output)))
        stored(folder, replace(found, kind="abort", backtrace=stack + more, reproducers=forms))
        made = draft_of(finding_page(folder, "b"))
        assert made is not None
        lines = made.text.splitlines()
        assert lines[0].endswith(f" with an abort{place}") and heading in lines
        at = lines.index("- **Written before it dies:**")
        assert lines[at + 2 : at + 6] == ["```text", *aborts.splitlines(), "```"]


@pytest.mark.parametrize(
    ("fields", "note", "wanted"),
    [
        (
            {"solver": "z3", "operator": "z3.f"},
            "no signal, got SIGSEGV",
            "a result, or Z3Exception as the",
        ),
        (
            {"solver": "cvc5", "operator": "cvc5.f"},
            "no signal, got SIGSEGV",
            "a result, or RuntimeError as the",
        ),
        (
            {"solver": "cvc5", "operator": "cvc5.pythonic.f"},
            "a result or a documented exception, got KeyError: 'a'",
            "a result, or SMTException as the",
        ),
        (
            {"solver": "z3", "operator": "z3.f"},
            "a result or a documented exception, got Z3Exception: unreachable",
            "a result, or an exception that says what is wrong with an operand",
        ),
        (
            {"solver": "cvc5", "action": "cvc5-misfit", "operator": "", "spelling": "rec-free"},
            "what is documented, got it",
            "an exception that refuses the definition",
        ),
        (
            {"solver": "z3", "action": "check-sat"},
            "no signal, got SIGSEGV",
            "that the process goes on",
        ),
    ],
)
def test_what_is_expected_is_a_sentence_of_what_should_be(
    tmp_path: Path, fields: dict[str, str], note: str, wanted: str
) -> None:
    found = kept(
        tmp_path, "b", {"min.trace": SMALL, "python": PROGRAM}, **{"action": "misuse", **fields}
    )
    *others, form = found.reproducers
    forms = (*others, replace(form, note=f"expected {note}"))
    stored(tmp_path, replace(found, reproducers=forms))
    made = draft_of(finding_page(tmp_path, "b"))
    assert made is not None and f"- **Expected:** {wanted}" in made.text


def test_a_draft_quotes_the_documentation_that_an_exception_breaks(tmp_path: Path) -> None:
    message = "class C: TypeError: no in f (z3.py)"
    for operator, quoted in (("z3.f", True), ("other.f", False)):
        folder = tmp_path / operator
        found = kept(folder, "b", {}, kind="contract", message=message)
        stored(folder, replace(found, action="misuse", operator=operator, spelling="edge"))
        made = draft_of(finding_page(folder, "b"))
        assert made is not None
        said = "- **Documented:** the text of z3.z3 shows a refused call that raises Z3Exception: except"
        assert (said in made.text) is quoted


@pytest.mark.parametrize(
    ("needs", "returns", "said"),
    [
        ("[]", "", "z3.g(0) after another call ends the process"),
        ('[["called", "1:z3.f", "", "z3.h"]]', "", "z3.g(0) after z3.f(None) ends the process"),
        ('[["called", "1:z3.f", "z3.h", ""]]', "", "z3.g(0) after another call ends the process"),
        ("[]", " return x1 Ref\n", "z3.f(None) and then the release of an object ends the process"),
    ],
)
def test_a_call_before_the_last_one_is_named_where_no_other_does(
    tmp_path: Path, needs: str, returns: str, said: str
) -> None:
    """A last call that returns is not the one that dies."""
    rows = f"0 new\n0 misuse@call z3.f py:none\n0 misuse@call z3.g py:0\n{returns}"
    small = f"# murxpy-trace 1\n# solver z3 5.4.1\n# needs {needs}\n{rows}"
    found = kept(tmp_path, "b", {"min.trace": small}, message="SIGSEGV", signal="SIGSEGV")
    stored(tmp_path, replace(found, action="misuse", operator="z3.g"))
    made = draft_of(finding_page(tmp_path, "b"))
    assert made is not None
    assert made.text.splitlines()[0].startswith(f"# z3 5.4.1 {said}")


def test_a_long_title_of_a_death_says_shorter_how_the_process_ends(tmp_path: Path) -> None:
    operands = " ".join(["py:none"] * 14)
    for signal, ends in (("SIGSEGV", "segfaults"), ("SIGABRT", "aborts")):
        folder = tmp_path / signal
        found = kept(folder, "b", {}, message=signal, signal=signal)
        text = f"# solver z3 5.4.1\n0 misuse@edge z3.f {operands}\n"
        (folder / found.traces[0].file).write_text(text)
        stored(folder, replace(found, action="misuse", operator="z3.f", spelling="edge"))
        made = draft_of(finding_page(folder, "b"))
        assert made is not None
        assert made.text.splitlines()[0] == f"# z3 5.4.1 z3.f({', '.join(['None'] * 14)}) {ends}"


def test_a_title_names_the_operator_of_the_term_that_is_checked(tmp_path: Path) -> None:
    """Also of a trace that was not made smaller."""
    whole = (
        "# solver z3 5.4.1\n0 mk-term OP_INT_ABS SORT_INT 1 t1\n return t2 s1\n0 check-term t2\n"
    )
    found = kept(tmp_path, "b", {}, kind="contract", message="class C: a term has another kind")
    (tmp_path / found.traces[0].file).write_text(whole)
    stored(tmp_path, replace(found, action="check-term", operator="", spelling=""))
    made = draft_of(finding_page(tmp_path, "b"))
    assert made is not None
    assert made.text.splitlines()[0] == "# z3 5.4.1 A term has another kind: abs"


def test_no_solver_is_said_to_be_asked_about_a_substitution(tmp_path: Path) -> None:
    found = kept(tmp_path, "b", {}, action="check-substitute", operator="OP_INT_ABS")
    stored(tmp_path, found)
    made = draft_of(finding_page(tmp_path, "b"))
    assert made is not None
    assert "substituting in a term with abs ends the process" in made.text.splitlines()[0]


def test_a_title_says_what_is_wrong_with_a_core(tmp_path: Path) -> None:
    foreign = "the unsat core has what was neither asserted nor assumed"
    title = drafted_of(tmp_path, {"smt2": SCRIPT}, kind="invalid-core", message=foreign)[0]
    assert (
        title
        == "# z3 5.4.1 adds what was neither asserted nor assumed to an unsat core, here with abs"
    )


def test_a_draft_names_no_signal_where_replays_differ(tmp_path: Path) -> None:
    """What reads memory that was freed dies of one signal in the run, and of another in a program."""
    lines = drafted_of(
        tmp_path, {"python": PROGRAM}, "expected no signal, got SIGABRT", "crash", "SIGSEGV"
    )
    assert lines[0].endswith(" cube ends the process by a signal")
    assert lines[2].endswith(" ends the process by a signal.")
    assert "- **Got:** SIGABRT, or another signal" in lines
    assert not any("segmentation" in line for line in lines)
    found = kept(tmp_path / "two", "b", {"min.trace": SMALL}, kind="crash", message="SIGSEGV")
    page = finding_page_of(tmp_path / "two", replace(found, signal="SIGSEGV"))
    lines = draft_lines(page)
    assert lines[0].endswith(" cube ends the process with a segmentation fault")
    other = replace(page.defect.shown, kind="abort")
    page = replace(page, defect=replace(page.defect, buckets=(*page.defect.buckets, other)))
    lines = draft_lines(page)
    assert lines[0].endswith(" cube ends the process by a signal")


def finding_page_of(folder: Path, found: Bucket) -> FindingPage:
    """The page of a bucket that is stored in a folder of its own."""
    stored(folder, found)
    return finding_page(folder, "b")


def draft_lines(page: FindingPage) -> list[str]:
    """The lines of the draft of a finding."""
    made = draft_of(page)
    assert made is not None
    return made.text.splitlines()


def test_a_title_says_that_a_death_needs_a_context_of_its_own(tmp_path: Path) -> None:
    needed = SMALL.replace("# needs [", '# needs [["context", "", "", "", ""], ')
    assert needed != SMALL
    for small, more in ((needed, " with objects of a context of its own"), (SMALL, "")):
        folder = tmp_path / (more[:5].strip() or "none")
        found = kept(folder, "b", {"min.trace": small}, kind="crash", message="SIGSEGV")
        lines = draft_lines(finding_page_of(folder, found))
        assert f" cube{more} ends the process" in lines[0]
        assert any("with those of the default context" in line for line in lines) == bool(more)


def test_what_is_done_to_a_context_is_done_to_that_one(tmp_path: Path) -> None:
    """Which context it is need not be said twice; nor are options said of an action with its own solvers."""
    head = '# murxpy-trace 1\n# solver z3 5.4.1\n# needs [["context", "", "", "", ""]]\n0 new\n'
    found = kept(tmp_path, "b", {"min.trace": f"{head}0 misuse@copy c1\n"}, kind="crash")
    lines = draft_lines(finding_page_of(tmp_path, replace(found, action="misuse")))
    assert lines[0].startswith(
        "# z3 5.4.1 copy.copy of an object such as the context ends the process"
    )
    folder = tmp_path / "own"
    found = kept(folder, "b", {"min.trace": f"{head}0 z3-misfit@few\n"}, kind="crash")
    lines = draft_lines(finding_page_of(folder, replace(found, action="z3-misfit")))
    assert not any("default options" in line for line in lines)


def test_a_title_names_the_command_of_a_script_that_dies(tmp_path: Path) -> None:
    script = print_token(Quoted(f"{SCRIPT}(get-model)\n"))
    small = f"# murxpy-trace 1\n# solver z3 5.4.1\n1 new\n2 run-script FP {script}\n"
    found = kept(tmp_path, "b", {"min.trace": small}, kind="crash", message="SIGSEGV")
    found = replace(found, action="run-script", operator="FP")
    lines = draft_lines(finding_page_of(tmp_path, found))
    assert lines[0].endswith(
        " get-model in a script with abs ends the process with a segmentation fault"
    )


def test_values_that_were_blocked_are_no_whole_model(tmp_path: Path) -> None:
    message = "a model that was blocked is given again"
    lines = drafted_of(tmp_path, {"smt2": SCRIPT}, "", "repeated-model", message)
    assert lines[0] == "# z3 5.4.1 gives values again that were blocked, here with abs"
    assert lines[2] == "Values that were blocked are given again."


def test_a_term_in_the_place_of_a_value_is_told_once(tmp_path: Path) -> None:
    message = "the value of a constant is no value, but (bag.choose: '(bag.choose b)'"
    lines = drafted_of(tmp_path, {"smt2": SCRIPT}, "", "model-value", message)
    assert (
        lines[0]
        == "# z3 5.4.1 gives a constant in its model a term that is no value, here with abs"
    )
    assert lines[2] == "The value of a constant is a term that is no value: (bag.choose b)."


def test_a_draft_of_an_exception_says_which_check_of_its_script_it_ends(tmp_path: Path) -> None:
    """The reader of scripts answers unknown where a call of the API raises."""
    script = f"{SCRIPT}(get-info :reason-unknown)\n"
    lines = drafted_of(
        tmp_path, {"smt2": script}, kind="exception", message="Error: it has no such sort"
    )
    assert lines[0] == "# z3 5.4.1 an exception ends check-sat: Error: it has no such sort"
    assert lines[2] == "An exception ends check-sat: Error: it has no such sort."
    lines = drafted_of(
        tmp_path / "program", {"python": PROGRAM}, kind="exception", message="Error: no such sort"
    )
    assert lines[0] == "# z3 5.4.1 cube raises Error: no such sort", "its trace ends with that call"
