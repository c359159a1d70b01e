"""Laws of fixed points: z3 keeps them, and a z3 that breaks one is told so."""

from __future__ import annotations

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


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no query end because the machine is busy."""
    monkeypatch.setitem(helpers().__dict__, "_QUERY_PATIENCE", 20_000)


WAYS = {"printed": "by_text", "covered": "by_cover"}


def queried(way: str, *terms: Any) -> Any:
    """Query rules in a way that has the name of a spelling."""
    return helpers().queried(getattr(helpers(), WAYS.get(way, f"by_{way}")), *terms)


def systems() -> dict[str, Any]:
    """First states, when they change, what is looked for, a new value; by what is true of them."""
    x, y = z3.Ints("x y")
    p, q, b = z3.Bool("p"), z3.Bool("q"), z3.BitVec("b", 3)
    begin = z3.And(x == 0, y == 3)
    return {
        "path": (begin, x < y, x > 2, x + 1),
        "bounded": (begin, x < y, x > 5, x + 1),
        "induction": (b == 0, b != 5, b == 6, b + 1),
        "at once": (p, z3.Not(p), b == 3, b + 1),
        "far": (b == 0, p, b == 6, b + 1),
        "turned": (z3.And(p, z3.Not(q)), p, z3.And(q, z3.Not(p)), z3.StringVal("")),
    }


ALL = ("spacer", "relation", "bmc", "trace", "printed", "covered")


def test_z3_keeps_the_laws_of_queries() -> None:
    for name, terms in systems().items():
        assert [queried(way, *terms) for way in ALL] == [None] * 6, name


def test_what_is_unrolled_is_known() -> None:
    known = {
        name: helpers().unrolled(helpers().system(*terms)) for name, terms in systems().items()
    }
    assert known["path"] == ("sat", "a path of 3 steps reaches it")
    assert known["bounded"] == ("unsat", "no path has more than 3 steps, and none reaches it")
    assert known["induction"] == ("unsat", "induction over 1 steps shows that none reaches it")
    assert known["turned"] == ("sat", "a path of 1 steps reaches it")
    assert known["far"] == ("unknown", "")


def test_rules_of_other_theories_are_left_out() -> None:
    s, f, x = z3.String("s"), z3.Function("f", z3.IntSort(), z3.IntSort()), z3.Int("x")
    for term in (z3.Length(s) > 2, f(x) > 2, x / x > 2, x * x > 2, z3.Exists([x], x > z3.Int("y"))):
        assert helpers().system(term, term, term, x) is None
    assert helpers().system(2 * x > 2, x < 3, x > 5, x) is not None


def after(query: Any) -> Any:
    """A query whose answer is the other one."""
    return lambda fixed, *asked: z3.unsat if query(fixed, *asked) == z3.sat else z3.sat


LIES: dict[str, tuple[str, str, str, Any, str]] = {
    # the way, the rules, what lies, how, what is said of it
    "found": ("spacer", "bounded", "query", lambda *a: z3.sat, "no path has more than 3 steps"),
    "missed": ("spacer", "path", "query", lambda *a: z3.unsat, "a path of 3 steps reaches it"),
    "relation": ("relation", "induction", "query", lambda *a: z3.sat, "induction over 1 steps"),
    "bmc": ("bmc", "turned", "query", lambda *a: z3.unsat, "bmc answers unsat"),
    "invariant": (
        "spacer",
        "bounded",
        "get_answer",
        lambda fixed: z3.ForAll(
            fixed.vars,
            z3.Function("murxpy-state", z3.IntSort(), z3.IntSort(), z3.BoolSort())(*fixed.vars)
            == (fixed.vars[0] < 2),
        ),
        "breaks the rule 'step'",
    ),
    "names": (
        "trace",
        "path",
        "get_rule_names_along_trace",
        lambda fixed: ["<null>", "end", "first"],
        "get_rules_along_trace gives 0 steps instead of a path to what is wanted",
    ),
    "more names": (
        "trace",
        "path",
        "get_rules_along_trace",
        lambda fixed: [],
        "names instead of one for each rule",
    ),
    "text": (
        "printed",
        "path",
        "to_string",
        lambda fixed, queries: fixed.sexpr(),
        "parse_string gives 0 queries",
    ),
    "cover": (
        "covered",
        "bounded",
        "get_cover_delta",
        lambda fixed, level, relation: z3.Var(0, z3.IntSort()) < 2,
        "gives what fails after 2 steps",
    ),
    "level": (
        "covered",
        "path",
        "query_from_lvl",
        lambda fixed, level, query: z3.unsat,
        "query_from_lvl answers",
    ),
    "ground": (
        "ground",
        "path",
        "get_ground_sat_answer",
        lambda fixed: z3.BoolVal(False),
        "get_ground_sat_answer after sat gives False instead of ground facts that hold",
    ),
}


@pytest.mark.parametrize("lie", LIES)
def test_a_z3_that_breaks_a_law_is_told_so(lie: str, monkeypatch: pytest.MonkeyPatch) -> None:
    way, rules, name, how, said = LIES[lie]
    monkeypatch.setattr(z3.Fixedpoint, name, how)
    assert said in str(queried(way, *systems()[rules]))


def test_ground_facts_hold_if_they_are_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(z3.Fixedpoint, "get_ground_sat_answer", lambda fixed: z3.Bool("fact"))
    assert queried("ground", *systems()["path"]) is None


@pytest.mark.parametrize("how", ["edges", "paths", "bits"])
def test_datalog_finds_the_parts_of_terms(how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    x, y, p = z3.Int("x"), z3.Int("y"), z3.Bool("p")
    term = z3.And(p, x > y, z3.Or(p, x + 1 > y * 3))
    assert helpers().closed(how, term) is None and helpers().closed(how, p) is None
    kept = z3.Fixedpoint.get_answer
    with monkeypatch.context() as lie:
        lie.setattr(z3.Fixedpoint, "get_answer", lambda fixed: kept(fixed).arg(0))
        assert "datalog gives the parts" in str(helpers().closed(how, term))
    monkeypatch.setattr(z3.Fixedpoint, "query", lambda *asked: z3.unsat)
    assert "datalog answers unsat instead of sat" in str(helpers().closed(how, term))


TRACE = """new
mk-sort SORT_BOOL
 return s1
mk-sort SORT_INT
 return s2
mk-const s1 "p"
 return t1 s1
mk-const s2 "x"
 return t2 s2
mk-term OP_NOT SORT_BOOL 1 t1
 return t3 s1
z3-datalog@bits t3
z3-query@spacer t1 t1 t3 t1
z3-query@bmc t1 t1 t1 t2
"""


def test_a_broken_law_is_a_finding_with_a_program(monkeypatch: pytest.MonkeyPatch) -> None:
    assert replay(live("z3"), TRACE)[1]["finding"] is None
    trace = parse_trace(f"# murxpy-trace 1\n# solver z3 4.13.0\n{TRACE}", "t.trace")
    claim = kind_of("contract").claim(
        "z3 4.13.0", "bmc answers unsat instead of sat: a path of 0 steps reaches it", ""
    )
    program = next(programs(trace, catalogue(), load_wrapper("z3"), claim)).text
    assert _code(program) == 0
    monkeypatch.setattr(z3.Fixedpoint, "query", lambda *asked: z3.unsat)
    found = replay(live("z3"), TRACE.replace("z3-datalog@bits t3\n", ""))[1]["finding"]
    assert (found["kind"], found["tier"]) == ("contract", "binding")
    assert "bmc answers unsat" in found["message"]


def _code(program: str) -> Any:
    with pytest.raises(SystemExit) as ended:
        exec(compile(program, "p.py", "exec"), {"__name__": "__main__"})
    return ended.value.code or 0
