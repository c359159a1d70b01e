"""cvc5's pythonic layer as a solver of its own: its walks, models, cores and programs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from toy import catalogue, live, replay, walk

from murxpy.data import is_same_solver, load_catalogue, load_machine, load_wrapper
from murxpy.errors import InputError
from murxpy.judging.triage import other_solvers
from murxpy.machine.trace.grammar import parse_trace
from murxpy.reduction.scripts import others_than
from murxpy.translate.python import to_python
from murxpy.worker.session import Session

P = pytest.importorskip("cvc5.pythonic.cvc5_pythonic")

SUM = """new
set-option incremental true
set-option produce-models true
mk-sort SORT_INT
 return s1
mk-const s1 "a"
 return t1 s1
mk-const s1 "b"
 return t2 s1
mk-term@operator OP_INT_ADD SORT_INT 2 t1 t2
 return t3 s1
mk-value s1 "7"
 return t4 s1
mk-term@operator OP_EQUAL SORT_BOOL 2 t3 t4
 return t5 s2
assert-formula@in-place t5
check-sat
check-model
get-value 2 t1 t3
"""


def test_a_walk_makes_no_ill_formed_call_and_is_the_same_again() -> None:
    setup = {"catalogue": load_catalogue(), "machine": load_machine("default")}
    session = Session({**setup, "wrapper": load_wrapper("cvc5-pythonic")})
    trace, report = walk(session, 3)
    assert "refusal:ill-formed" not in report["counts"]
    assert report["counts"]["check:decided"] > 0
    walk(session, 4)  # what it leaves in the process is no part of the run after it
    assert walk(session, 3)[0] == trace


def test_a_model_is_read_and_the_run_is_a_program_of_its_own(tmp_path: Path) -> None:
    trace, report = replay(live("cvc5-pythonic"), SUM)
    assert report["finding"] is None and "answer sat" in trace, report
    text = to_python(parse_trace(trace, "t.trace"), catalogue(), load_wrapper("cvc5-pythonic"))
    program = tmp_path / "program.py"
    program.write_text(text)
    done = subprocess.run([sys.executable, program], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr


def test_an_api_of_the_same_solver_is_no_judge_that_nobody_named() -> None:
    assert is_same_solver("cvc5", "cvc5-pythonic") and not is_same_solver("cvc5", "z3")
    assert "cvc5" in other_solvers("z3") and "cvc5" not in other_solvers("cvc5-pythonic")
    assert others_than("cvc5-pythonic") == ("z3",)


def test_a_wrapper_shares_sections_with_the_one_beside_it(tmp_path: Path) -> None:
    whole, shared = load_wrapper("cvc5"), load_wrapper("cvc5-pythonic")
    assert shared["options"] == whole["options"]
    assert shared["dialect"]["operators"] == whole["dialect"]["operators"]
    # the rules of its own come first
    assert shared["refusals"][-len(whole["refusals"]) :] == whole["refusals"]
    assert len(shared["refusals"]) > len(whole["refusals"])
    text = (Path(shared["helpers_sources"][0][0]).parent / "cvc5-pythonic.yaml").read_text()
    file = tmp_path / "mine.yaml"
    file.write_text(text)
    with pytest.raises(InputError, match="no wrapper 'cvc5' beside this one"):
        load_wrapper(str(file))


def helpers() -> Any:
    return live("cvc5-pythonic").wrapper.namespace["h"]


def _told(law: str) -> str | None:
    """What a law says of the layer as it is: of a formula, a value, an application, a model and a proof."""
    helpers().begin_run()
    helpers().run_context()
    x, function = P.Int("x"), P.Function("f", P.IntSort(), P.IntSort())
    formula = P.Or(x > 3, function(x) == 7)
    if law == "prompted":
        either = (P.Or(x > 3, x < 4), P.And(x > 3, x < 3), formula)
        return next(filter(None, map(helpers().prompted, either)), None)
    if law == "valued":
        return helpers().valued(P.BitVecVal(200, 8) + 100)
    if law == "taken_apart":
        return helpers().taken_apart(function(x)) or helpers().taken_apart(x + 1)
    solver = P.Solver()
    if law == "told_proof":
        solver.set("produce-proofs", True)
        formula = P.And(x > 3, x < 3)
    solver.add(formula)
    solver.check()
    return getattr(helpers(), law)(solver)


@pytest.mark.parametrize(
    ("law", "where", "lie", "said"),
    [
        ("prompted", "prove", lambda claim: print("proved"), "prove gives proved instead"),
        ("prompted", "is_tautology", lambda claim: True, "is_tautology gives True"),
        ("prompted", "is_sat", lambda claim: True, "is_sat gives True instead of False"),
        ("prompted", "solve", lambda *a, **b: print("no solution"), "solve gives no solution"),
        ("prompted", "solve_using", lambda *a, **b: print("no"), "solve gives no instead"),
        ("told_model", "ModelRef.vars", lambda model: set(), "vars gives []"),
        ("told_model", "ModelRef.__len__", lambda model: 7, "len gives 7 instead of 2"),
        ("told_model", "ModelRef.eval", lambda model, one: P.Int("y"), "the value of f gives y"),
        ("valued", "evaluate", lambda one: P.BitVecVal(1, 8), "evaluate gives ('bv', 8, 1)"),
        ("valued", "EmptyModel.evaluate", lambda m, one: P.BitVecVal(1, 8), "EmptyModel gives"),
        ("taken_apart", "ExprRef.num_args", lambda one: 0, "num_args gives 0"),
        ("taken_apart", "ExprRef.children", lambda one: [P.Int("z")], "arg gives [x]"),
        ("taken_apart", "ExprRef.decl", lambda one: lambda *a: P.Int("z"), "the application of"),
        ("told_proof", "ProofRef.getResult", lambda step: P.Int("z"), "a conclusion that is"),
    ],
)
def test_a_law_of_the_layer_holds_and_tells_a_lie(
    law: str, where: str, lie: Any, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert _told(law) is None
    owner, _, name = where.rpartition(".")
    monkeypatch.setattr(getattr(P, owner) if owner else P, name, lie)
    assert said in str(_told(law))


def _mended(monkeypatch: pytest.MonkeyPatch) -> None:
    """Mend what release 1.4.2 does wrongly, as well as the laws can tell."""
    monkeypatch.setattr(P.ArrayRef, "arg", P.ExprRef.arg)
    made = P.SetComplement
    monkeypatch.setattr(P, "SetComplement", lambda one: P.SetRef(made(one).ast, one.ctx))
    to_expr, to_sort = P._to_expr_ref, P._to_sort_ref
    monkeypatch.setattr(
        P,
        "_to_expr_ref",
        lambda one, ctx, r=None: (
            P.ReRef(one, ctx)
            if not P.is_expr(one) and one.getSort().isRegExp()
            else to_expr(one, ctx, r)
        ),
    )
    monkeypatch.setattr(
        P,
        "_to_sort_ref",
        lambda sort, ctx: P.ReSortRef(sort, ctx) if sort.isRegExp() else to_sort(sort, ctx),
    )
    monkeypatch.setattr(P.ExprRef, "__str__", lambda one: one.sexpr())


@pytest.mark.parametrize(
    ("law", "where", "lie", "said"),
    [
        ("arguments", "ArrayRef.arg", lambda one, at: P.Int("z"), "arg of a store gives False"),
        ("complements", "SetComplement", lambda one: P.FullSet(P.IntSort()), "a member of a"),
        ("languages", "Empty", lambda sort: P.Int("z"), "Empty of the sort of a language"),
        ("texts", "ExprRef.__str__", lambda one: "", "the text of BVRedAnd gives False"),
    ],
)
def test_a_law_that_release_1_4_2_breaks_holds_where_it_is_mended(
    law: str, where: str, lie: Any, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    helpers().begin_run()
    ctx = helpers().run_context()
    _mended(monkeypatch)
    assert helpers().pythonic(ctx.tm, getattr(helpers(), law)) is None
    owner, _, name = where.rpartition(".")
    monkeypatch.setattr(getattr(P, owner) if owner else P, name, lie)
    assert said in str(helpers().pythonic(ctx.tm, getattr(helpers(), law)))


def test_a_program_has_the_sort_that_the_layer_gives_a_term() -> None:
    """The sort of a regular expression is of another class than `ReSort()`, so `Empty` refuses it."""
    text = "new\nmk-term OP_RE_ALLCHAR SORT_REGLAN 0\n return t1 s1\nmk-term@function OP_RE_NONE SORT_REGLAN 0\n"
    trace, report = replay(live("cvc5-pythonic"), text)
    assert "has no attribute 'elem_sort'" in report["finding"]["message"]
    program = to_python(parse_trace(trace, "t.trace"), catalogue(), load_wrapper("cvc5-pythonic"))
    assert "= t1.sort()  #" in program and "def sort(" not in program
