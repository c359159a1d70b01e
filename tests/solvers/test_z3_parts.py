"""Parts of z3py that runs seldom need: z3 keeps what they promise, and a z3 that breaks one is told so."""

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


def part(name: str, one: Any) -> Any:
    """Use a part that has the name of a spelling."""
    return helpers().part(getattr(helpers(), f"use_{name.replace('-', '_')}"), one)


PARTS = tuple(load_wrapper("z3")["actions"]["z3-part"])


def term(size: int = 4) -> Any:
    """A sum in a context of its own: one that was interrupted refuses exact numbers from then on."""
    ctx = z3.Context()
    return z3.Sum([z3.Int(f"x{at}", ctx) for at in range(size)])


# parts of which z3 breaks a promise (traces/regressions), and what is said of it
BROKEN = {
    "python-sets": "cast gives TypeError",
    "functions-of-sets": "IsMember gives NameError",
    "quotients": "RCFNum / int gives TypeError",
    "compared-texts": "StringVal < str gives AttributeError",
}


@pytest.mark.parametrize("name", PARTS)
def test_z3_keeps_what_its_parts_promise(name: str) -> None:
    for size in (1, 2, 3, 8, 40):
        told = part(name, term(size))
        assert told is None if name not in BROKEN else str(told).startswith(BROKEN[name])


ENUM = z3.EnumSort


def alike(sort: Any, values: list[Any]) -> tuple[Any, list[Any]]:
    """The sort of an enumeration whose values are one."""
    return sort, values[:1] * len(values)


LIES: dict[str, tuple[str, str, Any, str]] = {
    # the part, what lies, how, what is said of it
    "sum": ("algebraic", "z3num.Numeral.__add__", lambda a, b: a, "the sum gives"),
    "root": ("algebraic", "z3num.Numeral.root", lambda a, k: a, "is_rational gives (True, True)"),
    "roots": (
        "algebraic",
        "z3num.eval_sign_at",
        lambda p, vs: 1,
        "eval_sign_at gives 1 instead of 0",
    ),
    "pi": ("real-closed", "z3rcf.Pi", lambda ctx: z3.z3rcf.E(ctx), "Pi and E gives"),
    "part": ("complex", "ImagPart", lambda v: z3.RealPart(v), "instead of 2"),
    "kind": ("complex", "is_complex", lambda v: True, "kinds gives"),
    "union": ("sets", "FiniteSetUnion", lambda a, b: a, "a model of the negation of set.in"),
    "size": (
        "sets",
        "FiniteSetSize",
        lambda a: z3.IntVal(3, a.ctx),
        "a model of the negation of 3 == 0",
    ),
    "code": ("characters", "CharRef.to_int", lambda c: z3.IntVal(1, c.ctx), "simplify("),
    "digit": (
        "characters",
        "CharRef.is_digit",
        lambda c: z3.BoolVal(True, c.ctx),
        "is_digit gives True",
    ),
    "names": ("vectors", "IntVector", lambda p, n, c: [], "the names gives"),
    "fresh": (
        "vectors",
        "FreshInt",
        lambda ctx: z3.Int("x", ctx),
        "the fresh constants gives 5 instead of 6",
    ),
    "order": (
        "orders",
        "LinearOrder",
        lambda a, at: z3.PartialOrder(a, at),
        "a model of the negation of Or(",
    ),
    "enum": ("datatypes", "EnumSort", lambda *a: alike(*ENUM(*a)), "negation of Distinct("),
    "subsort": ("sorts", "ArithSortRef.subsort", lambda a, b: False, "subsort gives (False, True)"),
    "value": ("utilities", "z3util.is_expr_val", lambda v: True, "get_vars gives 0 instead of 3"),
    "proof": (
        "utilities",
        "z3util.is_tautology",
        lambda f: True,
        "is_tautology gives (True, True)",
    ),
    "parsed": (
        "parsers",
        "ParserContext.from_string",
        lambda p, s: [z3.BoolVal(True)],
        "the parsed formulas",
    ),
}


@pytest.mark.parametrize("lie", LIES)
def test_a_part_that_lies_is_told(lie: str, monkeypatch: pytest.MonkeyPatch) -> None:
    name, where, how, said = LIES[lie]
    owner, _, method = where.rpartition(".")
    place = functools.reduce(getattr, owner.split("."), z3) if owner else z3
    monkeypatch.setattr(place, method, how)
    assert said in str(part(name, term()))


def searched() -> Any:
    x, y, p = z3.Int("x"), z3.Int("y"), z3.Bool("p")
    made = z3.SimpleSolver()
    made.add(x == y, z3.Or(p, x > 3), y > 1)
    return made


@pytest.mark.parametrize(
    ("name", "lie", "said"),
    [
        ("congruence_explain", lambda s, a, b: z3.BoolVal(True), "instead of what implies it"),
        ("trail_levels", lambda s: ([1], []), "trail_levels gives 0 levels instead of 1"),
    ],
)
def test_a_search_that_lies_is_told(
    name: str, lie: Any, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert helpers().told_of_search(searched()) is None
    if name == "congruence_explain":
        monkeypatch.setattr(z3.Solver, "congruence_root", lambda s, t: z3.IntVal(0))
        monkeypatch.setattr(z3.Solver, "congruence_next", lambda s, t: t)
    monkeypatch.setattr(z3.Solver, name, lie)
    x, y = z3.Int("x"), z3.Int("y")
    asserted = z3.SimpleSolver()
    asserted.add(x < y)
    assert said in str(helpers().told_of_search(asserted))


@pytest.mark.parametrize(
    ("name", "lie", "said"),
    [
        ("project", lambda m, vs, f: f, "project gives a formula with x"),
        ("project", lambda m, vs, f: z3.BoolVal(False), "instead of what is true in the model"),
        ("update_value", lambda m, x, v: None, "eval after update_value gives"),
    ],
)
def test_a_model_that_lies_is_told(
    name: str, lie: Any, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = searched()
    made.add(z3.Const("u", z3.DeclareSort("U")) != z3.Const("v", z3.DeclareSort("U")))
    assert helpers().told_of_search(made) is None
    monkeypatch.setattr(z3.ModelRef, name, lie)
    assert said in str(helpers().told_of_search(made))


TRACE = """new
mk-sort SORT_BOOL
 return s1
mk-const s1 "p"
 return t1 s1
assert-formula t1
z3-part@sets t1
z3-search@told
z3-part@characters t1
"""


def test_a_broken_law_is_a_finding_with_a_program(monkeypatch: pytest.MonkeyPatch) -> None:
    assert replay(live("z3"), TRACE)[1]["finding"] is None
    trace = parse_trace(f"# murxpy-trace 1\n# solver z3 5.4.1\n{TRACE}", "t.trace")
    claim = kind_of("contract").claim("z3 5.4.1", "is_digit gives True instead of False", "")
    program = next(programs(trace, catalogue(), load_wrapper("z3"), claim)).text
    assert _code(program) == 0
    monkeypatch.setattr(z3.CharRef, "is_digit", lambda one: z3.BoolVal(True, one.ctx))
    found = replay(live("z3"), TRACE)[1]["finding"]
    assert (found["kind"], found["tier"]) == ("contract", "binding")
    assert "is_digit gives True" in found["message"]
    assert _code(program) == 1


def _code(program: str) -> Any:
    with pytest.raises(SystemExit) as ended:
        exec(compile(program, "p.py", "exec"), {"__name__": "__main__"})
    return ended.value.code or 0
