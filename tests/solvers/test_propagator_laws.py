"""Laws of user propagators: z3 keeps them, and a z3 that breaks one is told so."""

from __future__ import annotations

import contextlib
import functools
from typing import Any

import pytest
from toy import catalogue, live, replay

from murxpy.data import load_wrapper
from murxpy.findings.kinds.registry import kind_of
from murxpy.machine.trace.grammar import parse_trace
from murxpy.translate.programs.program import programs

z3 = pytest.importorskip("z3")


@functools.cache
def helpers() -> Any:
    """The helpers of the wrapper, as a session loads them."""
    return live("z3").wrapper.namespace["h"]


CREATED = z3.UserPropagateBase.add_created
HOW = ("at-most", "propagated", "parity", "distinct", "decided", "created")


def solver(*formulas: Any) -> Any:
    made = z3.SimpleSolver()
    made.add(*formulas)
    return made


def test_z3_keeps_the_laws_of_propagators() -> None:
    p, q, r = z3.Bools("p q r")
    x = z3.Int("x")
    u, v, w = (z3.BitVec(name, 1) for name in "uvw")
    for formulas in (
        [z3.Or(p, q)],
        [p, q, r],
        [z3.Xor(p, q), x > 2, r],
        [u != v],
        [u != v, v != w],
    ):
        for how in HOW if not any("u" in str(one) for one in formulas) else HOW[:4]:
            assert helpers().propagated(solver(*formulas), how, p, q, r, z3.Or(p, x < 1)) is None


def test_a_scope_takes_its_values_with_it() -> None:
    p, q = z3.Bools("p q")
    watcher = helpers().Watcher([p, q], lambda values: list(values) if len(values) == 2 else [])
    true = z3.BoolVal(True)
    watcher.scopes.append(0)
    assert watcher.fix(p, true) == []
    watcher.scopes.append(1)
    assert watcher.fix(q, true) == [p, q] and watcher.end() == [p, q] and not watcher.unfixed
    watcher.pop(1)
    assert watcher.values == {0: True}
    watcher.pop(1)
    assert watcher.values == {} and watcher.end() == [] and watcher.unfixed


LIES: dict[str, tuple[str, str, Any, str]] = {
    # the constraint, what lies, how, what is said of it
    "lost conflict": (
        "at-most",
        "conflict",
        lambda *a: None,
        "a propagator for at-most answers sat instead of unsat",
    ),
    "lost parity": ("parity", "conflict", lambda *a: None, "a propagator for parity answers sat"),
    "lost consequence": (
        "propagated",
        "propagate",
        lambda *a: None,
        "a consequence of a propagator answers sat",
    ),
    "too much": (
        "decided",
        "add_decide",
        lambda made, how: made.solver.add(z3.BoolVal(False)),
        "with next_split in a decide callback answers unsat instead of sat",
    ),
}


@pytest.mark.parametrize("lie", LIES)
def test_a_z3_that_breaks_a_law_is_told_so(lie: str, monkeypatch: pytest.MonkeyPatch) -> None:
    how, name, lies, said = LIES[lie]
    p, q, r = z3.Bools("p q r")
    asserted = (
        [z3.Or(p, q)] if lie == "too much" else [p, q, z3.Not(r)] if how == "parity" else [p, q, r]
    )
    monkeypatch.setattr(z3.UserPropagateBase, name, lies)
    assert said in str(helpers().propagated(solver(*asserted), how, p, q, r))


def test_a_model_that_breaks_the_constraint_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    u, v = z3.BitVecs("u v", 2)
    monkeypatch.setattr(z3.UserPropagateBase, "conflict", lambda *asked: None)
    found = helpers().propagated(solver(z3.ULE(u, v), z3.ULE(v, u)), "distinct", u == 0)
    assert found == "a check with a propagator for distinct answers sat instead of unsat"
    found = helpers().propagated(solver(z3.ULT(u, 1), z3.ULT(v, 2)), "distinct", u == 0)
    assert found in (
        None,
        "a propagator for distinct gives another model instead of one of its constraint",
    )


@pytest.mark.parametrize("error", ["unreachable", "canceled"])
def test_a_check_that_raises_is_told(error: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def check(solver: Any) -> Any:
        raise z3.Z3Exception(error.encode())

    monkeypatch.setattr(z3.Solver, "check", check)
    (p,) = z3.Bools("p")
    if error == "canceled":
        with pytest.raises(z3.Z3Exception):
            helpers().propagated(solver(p), "decided", p, p)
        return
    found = helpers().propagated(solver(p), "decided", p, p)
    assert found == (
        "a check with next_split in a decide callback raises 'unreachable' instead of an answer"
    )


def test_a_function_that_is_not_tracked_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    p, q = z3.Bools("p q")
    asserted = solver(p, q)
    assert helpers().propagated(asserted, "created", p, q) is None
    monkeypatch.setattr(z3, "PropagateFunction", z3.Function)
    assert "a function that a propagator tracks answers sat" in str(
        helpers().propagated(asserted, "created", p, q)
    )


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_lost_exception_of_the_created_callback_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    asserted = solver(z3.Bool("p"))
    assert helpers().propagator(asserted, "created") is None
    monkeypatch.setattr(z3.UserPropagateBase, "add_created", _deaf)
    found = helpers().propagator(asserted, "created")
    assert found == "what a propagator's created raises is told to nobody"


def _deaf(made: Any, told: Any) -> None:
    """Register a callback of which no exception is heard."""

    def quiet(*args: Any) -> None:
        with contextlib.suppress(ValueError):
            told(*args)

    CREATED(made, quiet)


def test_nothing_is_said_where_terms_have_no_values(monkeypatch: pytest.MonkeyPatch) -> None:
    p, q = z3.Bools("p q")
    monkeypatch.setattr(z3.UserPropagateBase, "add", lambda *asked: None)
    assert helpers().propagated(solver(p, q), "at-most", p, q) is None
    x = z3.Int("x")
    assert helpers().propagated(solver(z3.ForAll([x], x > 1), p, q), "at-most", p, q) is None


TRACE = """new
mk-sort SORT_BOOL
 return s1
mk-const s1 "p"
 return t1 s1
mk-const s1 "q"
 return t2 s1
assert-formula t1
assert-formula t2
z3-propagator-law@at-most t1 t2
"""


def test_a_broken_law_is_a_finding_with_a_program(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert replay(live("z3"), TRACE)[1]["finding"] is None
    trace = parse_trace(f"# murxpy-trace 1\n# solver z3 4.13.0\n{TRACE}", "t.trace")
    said = "a check with a propagator for at-most answers sat instead of unsat"
    claim = kind_of("contract").claim("z3 4.13.0", said, "")
    program = next(programs(trace, catalogue(), load_wrapper("z3"), claim)).text
    assert _code(program) == 0
    assert capsys.readouterr().out == "expected unsat, got that\n"
    monkeypatch.setattr(z3.UserPropagateBase, "conflict", lambda *asked: None)
    found = replay(live("z3"), TRACE)[1]["finding"]
    assert (found["kind"], found["tier"]) == ("contract", "binding")
    assert found["message"] == said
    assert _code(program) == 1
    assert capsys.readouterr().out == "expected unsat, got sat\n"


def _code(program: str) -> Any:
    with pytest.raises(SystemExit) as ended:
        exec(compile(program, "p.py", "exec"), {"__name__": "__main__"})
    return ended.value.code or 0
