"""Options of the solver in mutants: drawn from its wrapper's table, in the text, and only there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from commands import outcome

from murxpy.data import load_wrapper
from murxpy.fuzzers.setups import Mutation, RunOptions
from murxpy.machine.generate.options import option_choice
from murxpy.machine.random import Stream
from murxpy.machine.script import for_others, own_options
from murxpy.processes.plans import Request, make_plans
from murxpy.solvers.facts import build_facts
from murxpy.sources.mutation.options import MOST, Drawer, Offer
from murxpy.sources.mutation.workshop import Seed
from murxpy.worker.session import Session

TEXT = """(set-info :status sat)
(declare-const x (_ BitVec 8)) (declare-const y (_ BitVec 8))
(assert (bvult (bvadd x y) (bvmul x y)))
(check-sat)
"""
TABLE = build_facts(load_wrapper("z3")).options or ()


def test_options_are_those_of_the_table_that_matter_for_the_seed() -> None:
    offer = Offer(option_choice(TABLE))
    fitting = {option.name for option in TABLE if not option.theories or "BV" in option.theories}
    drawn = [
        drawer.next()
        for seed in range(60)
        for drawer in [Drawer(offer, Stream(seed), [Seed("a", TEXT)])]
        for _ in range(5)
    ]
    names = {name for options in drawn for name, _ in options}
    assert len(names) > 15 and names <= fitting
    assert max(map(len, drawn)) == MOST and drawn.count(()) > 100, "half of the runs set none"


def test_what_the_user_wants_is_always_set() -> None:
    drawer = Drawer(
        Offer(option_choice(TABLE), (("relevancy", "0"),)), Stream(1), [Seed("a", TEXT)]
    )
    assert all(drawer.next()[0] == ("relevancy", "0") for _ in range(20))


def test_what_guidance_chose_stands_beside_random_options() -> None:
    chosen = ("relevancy", "0")
    drawers = [
        Drawer(Offer(option_choice(TABLE)), Stream(seed), [Seed("a", TEXT)], (chosen,))
        for seed in range(30)
    ]
    drawn = [drawer.next() for drawer in drawers for _ in range(5)]
    assert all(chosen in options for options in drawn)
    assert max(map(len, drawn)) == 1 + MOST and drawn.count((chosen,)) > 30


@pytest.mark.parametrize("solver", ["z3", "cvc5"])
def test_mutants_set_options(tmp_path: Path, solver: str) -> None:
    """In the text and through the API; not at all when they are switched off. What z3's scripts
    set, it sets for the whole process.
    """
    seed = tmp_path / "a.smt2"
    seed.write_text(TEXT)
    for random, through in ((True, "text"), (True, "api"), (False, "text")):
        mutation = Mutation((("opfuzz", 1.0),), (str(seed),), walk=8, through=through)
        (plan,) = make_plans(
            Request(
                (solver,),
                run_options=RunOptions(drawn_options=("all" if random else "none",)),
                mutation=mutation,
            )
        )
        session, lines = Session(plan.setup), []
        for number in range(3):
            session.walk(number, lines.append)
        names = re.findall(
            r"\(set-option :(?:smt\.)?(\S+)|^ *\d+ set-option@\S+ (\S+)", "".join(lines), re.M
        )
        wrapper = plan.setup["wrapper"]
        listed = (*wrapper["options"], *wrapper["process-options"])
        known = {option["name"] for option in listed}
        assert bool({first or second for first, second in names} & known) == random
    if solver == "z3":
        import z3

        context = z3.Context()
        assert z3.Z3_eval_smtlib2_string(context.ref(), "(get-option :rlimit)").strip() == "0"


def test_another_solver_gets_the_script_without_them() -> None:
    text = "(set-option :smt.arith.solver 2)\n(set-option :produce-models true)\n(set-logic ALL)\n(assert (= |(set-option :a b)| 1))\n"
    assert for_others(text) == text.partition("\n")[2] and own_options(text) == [
        ("smt.arith.solver", "2")
    ]


def test_judges_answer_mutants_with_options(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    seed = tmp_path / "a.smt2"
    seed.write_text(TEXT)
    args = (
        "--runs",
        "4",
        "--iterations",
        "5",
        "--jobs",
        "1",
        "--seed",
        "1",
        "--set",
        "relevancy=0",
        "--out",
        tmp_path / "out",
    )
    code, out, _ = outcome(capsys, "opfuzz", "z3", "--cross-check", "cvc5", seed, *args)
    judged = re.search(r"judges +4 runs: of the checks (\d+) agreed, 0 disagreed", out)
    assert code == 0 and judged is not None and int(judged[1]) >= 8, out
