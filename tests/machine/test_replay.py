"""Replay: the same bytes again, whatever ran before; other answers, other solvers, Murxla's
dialect.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from toy import TOY, Crashed, forked, live, replay, toy, toy_session, walk

from murxpy.data import load_catalogue, load_machine
from murxpy.worker.session import Session

RUNS = 6
SOLVERS = ("z3", "cvc5")


def test_toy_walks_replay_with_the_same_bytes() -> None:
    for seed in range(40):
        text, report = walk(toy_session(), seed)
        again, replayed = replay(toy_session(), text)
        assert again == text
        assert replayed["differences"] == [] and replayed["finding"] == report["finding"]


@pytest.mark.parametrize("solver", SOLVERS)
def test_walks_replay_with_the_same_bytes(solver: str) -> None:
    session = live(solver)

    def run(seed: int) -> tuple[str, str, str, list[str]]:
        text, _ = walk(session, seed)
        again, replayed = replay(session, text)
        # After other runs and a replay in the same process the seed still gives the same trace.
        return text, again, walk(session, seed)[0], replayed["differences"]

    whole = 0
    for seed in range(1000, 1000 + RUNS):
        try:
            text, again, once_more, differences = forked(lambda seed=seed: run(seed))
        except Crashed:
            continue  # the solver's own fault, which is what murxpy is for
        assert again == text
        assert once_more == text
        assert differences == []
        whole += 1
    assert whole > RUNS // 2


def test_the_hash_seed_changes_nothing() -> None:
    support = str(Path(__file__).parents[1] / "support")
    code = (
        f"import sys; sys.path.insert(0, {support!r})\n"
        f"from toy import live, walk\nfor solver in {SOLVERS!r}:\n"
        "    for seed in (1003, 1005): print(walk(live(solver), seed)[0])"
    )
    outputs = []
    for hash_seed in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
        done = subprocess.run(
            [sys.executable, "-c", code],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        outputs.append(done.stdout)
    assert outputs[0] == outputs[1] and outputs[0].count("# seed 3eb") == len(SOLVERS)


def test_example_traces_replay() -> None:
    folder = Path(__file__).parents[2] / "traces" / "examples"
    paths = sorted(folder.glob("*.trace"))
    assert paths
    for path in paths:
        text = path.read_text()
        solver = text.split("# solver ")[1].split(" ")[0]
        report = forked(lambda text=text, solver=solver: replay(live(solver), text)[1])
        assert (report["status"], report["finding"]) == ("ok", None), path


def test_example_traces_replay_on_the_other_solver() -> None:
    folder = Path(__file__).parents[2] / "traces" / "examples"
    for path in sorted(folder.glob("*.trace")):
        text = path.read_text()
        other = "cvc5" if "# solver z3" in text else "z3"
        written, report = forked(lambda text=text, other=other: replay(live(other), text))
        assert report["status"] == "ok", (path, report)
        assert f"# solver {other} " in written


PRELUDE = [
    "mk-sort SORT_INT",
    "return s1",
    'mk-const s1 "x"',
    "return t1 s1",
    'mk-value s1 "7"',
    "return t2 s1",
]


def test_other_answers_and_refusals_are_differences() -> None:
    report = toy(
        "check-sat", "answer unsat", *PRELUDE, "mk-term OP_INT_DIV SORT_INT 2 t1 t2", "return t3 s1"
    )
    assert report["differences"] == [
        "line 2: check-sat answered unsat, now sat",
        "line 10: mk-term is refused now: Declined: div is missing",
    ]


def test_lines_that_need_what_was_refused_are_skipped() -> None:
    lines = [
        "mk-term OP_INT_DIV SORT_INT 2 t1 t2",
        "return t3 s1",
        "mk-term OP_INT_LT SORT_BOOL 2 t3 t1",
        "return t4 s2",
    ]
    report = toy(*PRELUDE, *lines, "assert-formula t4", "check-sat")
    assert report["status"] == "ok"
    assert (report["counts"]["replay:refused"], report["counts"]["replay:skipped"]) == (1, 2)


def test_what_was_refused_and_now_is_not_gets_an_id_of_its_own() -> None:
    lines = [*PRELUDE, "mk-term OP_INT_ADD SORT_INT 2 t1 t2", 'refused unsupported "x"']
    lines += ["mk-term OP_INT_ADD SORT_INT 2 t2 t1", "return t3 s1"]
    text, report = replay(toy_session(), "\n".join(["new", *lines]))
    assert "return t4 s1" in text and "return t3 s1" in text
    assert report["differences"] == ["line 8: mk-term was refused, now it is not"]


def test_lines_that_the_state_does_not_allow_are_refused() -> None:
    report = toy(*PRELUDE, "get-value 1 t1", "get-unsat-core", "toy-look t1")
    assert report["status"] == "malformed"  # t1 is no Boolean
    report = toy(*PRELUDE, "get-value 1 t1", "get-unsat-core")
    assert report["counts"]["replay:refused"] == 2


def test_no_seed_means_seed_zero_and_a_spelling_wins_over_the_seed() -> None:
    for seed in range(20):
        assert (
            f"{seed:>6} mk-sort@other SORT_INT"
            in replay(toy_session(), f"new\n{seed} mk-sort@other SORT_INT")[0]
        )
    free = {
        replay(toy_session(), f"new\n{seed} mk-sort SORT_INT")[0].split("@")[2].split(" ")[0]
        for seed in range(20)
    }
    assert free == {"plain", "other"}
    assert "     0 mk-sort@" in replay(toy_session(), "new\nmk-sort SORT_INT")[0]


def test_foreign_options_limits_and_spellings_do_not_count() -> None:
    text = "# murxpy-trace 1\n# solver z3 4.8\nnew@simple\nset-option phase 3\nset-limit 5\nset-option depth 4\nmk-sort@function SORT_INT\n"
    written, report = replay(toy_session(), text)
    assert report["status"] == "ok"
    assert (
        "phase" not in written
        and "set-limit" not in written
        and "set-option@default depth 4" in written
    )


MURXLA = """set-murxla-options --bitwuzla
 1234 new
 5678 set-logic QF_BV
   12 set-option sat-solver kissat
    1 mk-sort SORT_BV 4
      return s1
    2 mk-const s1 "_x0"
      return t1
    3 mk-term OP_EQUAL SORT_BOOL 2 t1 t1
      return t2 s2
    4 mk-term OP_EQUAL SORT_BOOL 2 t1 t1
      return t2 s2
    5 mk-value s1 "-1" 10
      return t3
    6 mk-term bitwuzla-OP_NOTHING SORT_BV 1 t3
      return t4 s1
    7 mk-term OP_BV_ADD SORT_BV 2 t3 t4
      return t5 s1
    8 mk-term OP_BV_EXTRACT SORT_BV 1 t1 2 9 0
      return t6 s3
    9 bitwuzla-misc
   10 assert-formula t2
   11 check-sat
   12 reset
   13 mk-sort SORT_INT
      return s1
   14 mk-const s1 "_x0"
      return t1
   15 delete
"""


def test_murxlas_dialect() -> None:
    written, report = replay(toy_session(), MURXLA)
    assert report["status"] == "ok", report
    counts = report["counts"]
    assert counts["replay:skipped"] == 1
    refused = sorted(
        name.removeprefix("replay-refused:")
        for name in counts
        if name.startswith("replay-refused:")
    )
    assert refused == [
        "bitwuzla-misc:the action bitwuzla-misc of another solver",
        "mk-term:OP_BV_EXTRACT: index i is 9, expected 0 to 3",
        "mk-term:the operator bitwuzla-OP_NOTHING of another solver",
        "set-option:the option sat-solver of another solver",
    ]
    assert written.startswith("# murxpy-trace 1\n# solver toy 1.0\n")
    once_more, again = replay(toy_session(), written)
    assert again["status"] == "ok" and once_more == written


def test_murxlas_special_values_and_argument_orders() -> None:
    text = """set-murxla-options --cvc5
1 new
2 mk-sort SORT_INT
      return s1
3 mk-value s1 "1"
      return t1
4 mk-value s1 "2"
      return t2
5 mk-term OP_SET_SINGLETON SORT_SET 1 t1
      return t3 s2
6 mk-term OP_SET_INSERT SORT_SET 3 t3 t1 t2
      return t4 s2
7 mk-term OP_SET_MEMBER SORT_BOOL 2 t4 t2
      return t5 s3
8 mk-sort SORT_RM
      return s4
9 mk-special-value s4 "rtz"
      return t6
"""
    written, report = forked(lambda: replay(live("cvc5"), text))
    assert report["status"] == "ok" and "replay:refused" not in report["counts"]
    assert '"rm.rtz"' in written
    assert (
        "OP_SET_INSERT SORT_SET 2 t2 t3" in written and "OP_SET_INSERT SORT_SET 2 t1 t4" in written
    )
    assert "OP_SET_MEMBER SORT_BOOL 2 t2 t5" in written


def test_behind_a_refused_check_no_answer_is_a_finding() -> None:
    """The refusal says which option is lacking; some solvers then forget what is asserted."""
    checks = {"plain": "'sat'", "picky": "decline('missing, try the option depth')"}
    wrapper = {**TOY, "actions": {**TOY["actions"], "check-sat": checks, "reset": "None"}}
    session = Session(
        {"catalogue": load_catalogue(), "machine": load_machine("default"), "wrapper": wrapper}
    )
    refused = "check-sat@picky\n"
    wrong = "expect unsat\ncheck-sat@plain\n"
    for lines, found in (
        (wrong, True),
        (refused + wrong, False),
        (f"{refused}reset\n{wrong}", True),
    ):
        report = replay(session, f"new\n{lines}")[1]
        assert (report["finding"] is not None) is found, lines
