"""Loops that programs make around a solver: both solvers keep what they promise, and one that does not is told so."""

from __future__ import annotations

import functools
from itertools import product
from typing import Any

import pytest
from toy import catalogue, live, replay

from murxpy.data import load_wrapper
from murxpy.findings.kinds.registry import kind_of
from murxpy.machine.trace.grammar import parse_trace
from murxpy.translate.programs.program import programs

z3 = pytest.importorskip("z3")
cvc5 = pytest.importorskip("cvc5")
HOW = ("models", "scopes", "cores", "optimum", "soft", "instances", "steps")


@functools.cache
def helpers(solver: str) -> Any:
    """The helpers of a wrapper, as a session loads them."""
    return live(solver).wrapper.namespace["h"]


class Table:
    """A solver that knows all models, as rows of values of the terms 0, 1 and 2. A formula is a function of a
    row; what is made new has a place of its own behind these.
    """

    def __init__(self, rows: list[tuple[bool, ...]], lies: dict[str, Any]) -> None:
        self.rows, self.lies = rows, lies
        self.asserted: list[Any] = []
        self.scopes: list[int] = []
        self.model: tuple[bool, ...] = ()
        self.made = 0

    def add(self, formula: Any) -> None:
        self.asserted.append(_formula(formula))

    def push(self) -> None:
        self.scopes.append(len(self.asserted))

    def pop(self) -> None:
        kept = self.scopes.pop()
        if "pop" not in self.lies:
            del self.asserted[kept:]

    def check(self, *names: Any) -> str:
        news = list(product([False, True], repeat=self.made))
        for row in ((*row, *new) for row in self.rows for new in news):
            if all(one(row) for one in self.asserted) and all(row[name] for name in names):
                self.model = row
                return "sat"
        self.failed = list(names)
        return "unsat"

    def core(self) -> list[Any]:
        lie = self.lies.get("core")
        return self.failed if lie is None else list(lie)

    def value(self, term: Any) -> bool | None:
        return self.lies.get("value", _formula(term)(self.model))

    def either(self, formulas: Any) -> Any:
        if "either" in self.lies:
            return self.lies["either"]
        return lambda row: any(_formula(one)(row) for one in formulas)

    def literal(self, term: Any, value: bool) -> Any:
        return lambda row: _formula(term)(row) == value

    def name(self, at: int, term: int) -> int:
        return term

    def constants(self, terms: Any) -> list[int]:
        return [0, 1]

    def put(self, term: Any, constants: Any, by: Any) -> Any:
        if "put" in self.lies:
            return self.lies["put"]

        def replaced(row: tuple[bool, ...]) -> bool:
            new = dict(zip(constants, by, strict=True))
            told = [_formula(new.get(at, at))(row) for at in range(len(row))]
            return bool(_formula(term)(tuple(told)))

        return replaced

    def every(self, constants: Any, formula: Any) -> Any:
        values = list(product([False, True], repeat=len(constants)))
        return lambda row: all(self.put(formula, constants, by)(row) for by in values)

    def fresh(self, at: int) -> int:
        self.made += 1
        return 2 + self.made


def _formula(term: Any) -> Any:
    """A term as a function of a row: a number says where its value stands."""
    if isinstance(term, bool):
        return lambda row: term
    return (lambda row: row[term]) if isinstance(term, int) else term


LOW, HIGH = (False, True, True), (True, False, False)
ROWS = [(True, True, False), HIGH, LOW]


def flipped(row: tuple[bool, ...]) -> bool:
    return not row[0]


@pytest.mark.parametrize(
    ("how", "lies", "said"),
    [
        ("models", {}, None),
        ("scopes", {}, None),
        ("cores", {}, None),
        ("optimum", {}, None),
        ("soft", {}, None),
        ("instances", {}, None),
        ("steps", {}, None),
        ("models", {"value": None}, None),
        ("optimum", {"value": None}, None),
        ("instances", {"value": None}, None),
        ("models", {"either": lambda row: True}, "gives false in the model instead of true"),
        ("models", {"either": lambda row: False}, "answers unsat for one instead of sat"),
        ("scopes", {"pop": True}, "behind push and pop answers unsat instead of sat"),
        ("optimum", {"pop": True, "rows": [LOW, HIGH]}, "gives 3 as the optimum instead of 4"),
        ("optimum", {"either": lambda row: True}, "instead of a number from 7 that was asserted"),
        ("soft", {"core": []}, "give no true terms instead of 2"),
        ("instances", {"value": True}, "give sat instead of unsat, the answer to its quantifier"),
        (
            "steps",
            {"pop": True, "terms": [flipped, 1]},
            "step 3 of a system gives unsat instead of sat",
        ),
        ("cores", {"core": [7]}, "gives another formula instead of an assumption"),
        ("cores", {"core": [0]}, "gives formulas with a model instead of some without one"),
    ],
)
def test_a_loop_tells_what_its_solver_breaks(how: str, lies: Any, said: str | None) -> None:
    rows, terms = lies.get("rows", ROWS), lies.get("terms", [0, 1, 2, 1])
    found = helpers("z3").looped(how, lambda: Table(rows, lies), terms)
    assert found is None if said is None else said in found


def test_a_check_that_forgets_a_clause_is_told() -> None:
    made: list[Table] = []

    class Forgetful(Table):
        def check(self, *names: Any) -> str:
            kept = self is made[0] and len(names) == 2
            return "unsat" if kept else super().check(*names)

    def new() -> Table:
        made.append(Forgetful(ROWS, {}))
        return made[-1]

    found = helpers("z3").looped("cores", new, [0, 1, 2])
    assert found == "a check in a loop of cores answers unsat instead of sat"


def test_z3_keeps_what_loops_promise() -> None:
    p, q, r, x = *z3.Bools("p q r"), z3.Int("x")
    for formulas in ([z3.Or(p, q)], [z3.Xor(p, q), x > 2], [z3.Implies(p, x > 3), z3.Not(r)]):
        solver = z3.SimpleSolver()
        solver.add(*formulas)
        for how in HOW:
            assert helpers("z3").user_loop(solver, how, p, z3.Or(q, x < 1), r) is None


def test_cvc5_keeps_what_loops_promise() -> None:
    tm = cvc5.TermManager()
    p, q, r = (tm.mkConst(tm.getBooleanSort(), name) for name in "pqr")
    for formula in (tm.mkTerm(cvc5.Kind.OR, p, q), tm.mkTerm(cvc5.Kind.XOR, p, q), r.notTerm()):
        solver = cvc5.Solver(tm)
        solver.assertFormula(formula)
        for how in HOW:
            assert helpers("cvc5").user_loop(tm, solver, how, p, q, r, p) is None


TRACE = """new
mk-sort SORT_BOOL
 return s1
mk-const s1 "p"
 return t1 s1
mk-const s1 "q"
 return t2 s1
mk-term OP_OR SORT_BOOL 2 t1 t2
 return t3 s1
assert-formula t3
{}-loop@models t1 t2
"""


@pytest.mark.parametrize("solver", ["z3", "cvc5"])
def test_a_broken_loop_is_a_finding_with_a_program(
    solver: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = TRACE.format(solver)
    assert replay(live(solver), text)[1]["finding"] is None
    said = "an enumeration of models answers unsat for one instead of sat"
    trace = parse_trace(f"# murxpy-trace 1\n# solver {solver} 9.9.9\n{text}", "t.trace")
    claim = kind_of("contract").claim(f"{solver} 9.9.9", said, "")
    program = next(programs(trace, catalogue(), load_wrapper(solver), claim)).text
    assert "_enumerated" in program and "_searched" not in program and "_shrunk" not in program
    assert _code(program) == 0
    kept = helpers(solver).user_loop.__globals__["_Kept"]
    monkeypatch.setattr(kept, "check", lambda self, *names: self.lie())
    answers = iter(["unsat", *["sat"] * 8])
    monkeypatch.setattr(kept, "lie", lambda self: next(answers), raising=False)
    found = replay(live(solver), text)[1]["finding"]
    assert (found["kind"], found["message"]) == ("contract", said)


def _code(program: str) -> Any:
    with pytest.raises(SystemExit) as ended:
        exec(compile(program, "p.py", "exec"), {"__name__": "__main__"})
    return ended.value.code or 0
