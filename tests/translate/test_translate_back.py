"""Random traces of both wrappers, printed as scripts: the reader finds the trace's own formulas in
them, operator by operator.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from toy import catalogue, forked, live, walk

from murxpy.logic.terms import CONSTANT, FUNCTION, SPECIAL, VALUE, VARIABLE, Term
from murxpy.logic.values import special_value
from murxpy.machine.trace.grammar import Trace, parse_trace
from murxpy.smtlib.reading.scripts import read_script
from murxpy.translate.dry import AnyReading, interpret
from murxpy.translate.smtlib import Script

# Applied to literals they are literals in a script: (- 5), (/ 1.0 3.0), (fp #b0 #b00 #b0).
LITERALS = ("OP_INT_NEG", "OP_INT_SUB", "OP_REAL_NEG", "OP_REAL_SUB", "OP_REAL_DIV", "OP_FP_FP")
SUGAR = {"z3": ("OP_IFF", "OP_SEQ_FOLDL", "OP_SET_INSERT"), "cvc5": ("OP_IFF",)}


class Recorder(Script):
    """Notes the formulas that are asserted and printed."""

    def __init__(self, trace: Trace, dialect: str) -> None:
        super().__init__(trace, catalogue(), dialect, lossy=True, by_definition=False)
        self.asserted: list[Term] = []

    def _say(self, command: object) -> None:
        before = sum(row.startswith("(assert ") for row in self._body)
        super()._say(command)  # type: ignore[arg-type]
        if sum(row.startswith("(assert ") for row in self._body) > before:
            self.asserted.append(self.frame.terms[0])


def operators(root: Term) -> Iterator[Term]:
    """All terms in a term."""
    stack, seen = [root], {root}
    while stack:
        term = stack.pop()
        yield term
        for arg in term.args:
            if arg not in seen:
                seen.add(arg)
                stack.append(arg)


def exact(term: Term, dialect: str) -> bool:
    """True if the dialect prints and reads the very operators of a term."""
    for part in operators(term):
        if part.op in SUGAR[dialect] or part.op in catalogue().dialect(dialect).expanded:
            return False
        if part.op in LITERALS and all(a.op == VALUE for a in part.args):
            return False
    return True


class Same:
    """Whether a formula that was read is the one that was printed; bound variables are compared by
    their sorts.
    """

    def __init__(self, run: Recorder) -> None:
        self._run = run
        self._known: set[tuple[Term, Term]] = set()

    def __call__(self, one: Term, other: Term) -> bool:
        if (one, other) in self._known:
            return True
        same = self._leaves(one, other) if not one.args else self._applied(one, other)
        if same:
            self._known.add((one, other))
        return same

    def _leaves(self, one: Term, other: Term) -> bool:
        if one.op == SPECIAL and other.op == VALUE:  # bv.ones is printed as its bits
            return bool(special_value(str(one.indices[0]), one.sort) == other.indices[0])
        # the reader has one NaN, whatever its bits are
        if one.op == other.op == VALUE and _is_nan(one) and _is_nan(other):
            return True
        if one.op == CONSTANT:
            return (
                other.op == CONSTANT
                and self._run.printer.function(one).strip("|") == other.indices[0]
            )
        return one.op == other.op and (
            one.op == VARIABLE or one.op.startswith("OP_DT") or one.indices == other.indices
        )

    def _applied(self, one: Term, other: Term) -> bool:
        if one.op != other.op or len(one.args) != len(other.args):
            return False
        named = one.op == FUNCTION or one.op.startswith("OP_DT")
        return (named or one.indices == other.indices) and all(map(self, one.args, other.args))


def _is_nan(term: Term) -> bool:
    if term.sort.kind != "SORT_FP":
        return False
    exponent, significand = term.sort.number(0), term.sort.number(1) - 1
    bits = int(term.indices[0])
    return (
        bits >> significand & (1 << exponent) - 1 == (1 << exponent) - 1
        and bits & (1 << significand) - 1 != 0
    )


SLOW = [
    pytest.param(solver, seed, marks=pytest.mark.slow)
    for solver in ("z3", "cvc5")
    for seed in range(2, 12)
]


@pytest.mark.parametrize(("solver", "seed"), [("z3", 1), ("cvc5", 1), *SLOW])
def test_a_random_trace_is_read_back(solver: str, seed: int) -> None:
    text, _ = forked(lambda: walk(live(solver), seed))
    run = Recorder(parse_trace(text, "w.trace"), solver)
    interpret(run, AnyReading(run, run.trace))
    printed = run.text()
    found = read_script(printed, "w.smt2", catalogue(), dialect=solver).assertions()
    assert len(found) == len(run.asserted)
    same = Same(run)
    for made, again in zip(run.asserted, found, strict=True):
        assert not exact(made, solver) or same(made, again), f"{made}\n{again}\n{printed}"
