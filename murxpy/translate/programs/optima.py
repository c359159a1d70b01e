"""The end of a program that shows an optimum which is none."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from murxpy.logic.terms import CONSTANT, Term
from murxpy.machine.checks import optimum as checks
from murxpy.machine.checks.optimum import Aim, Bound
from murxpy.machine.outcomes import Refused
from murxpy.machine.solve import weight_text
from murxpy.translate.expressions import Code
from murxpy.translate.programs.calls import Calls, plainest
from murxpy.translate.programs.vocabulary import (
    SAT,
    Claim,
    equal_of,
    fixed,
    formulas,
    said,
    solved,
    sources,
    told_if,
    value_of,
)

_POINT = re.compile(r"point (\d+)|(?<!\d)(\d+) points")
_OTHER = "other"  # what a program calls the optimizer of another priority


def optimum(run: Calls, claim: Claim) -> None:
    """A plain solver finds a better model, or refutes the optimum."""
    message = claim.message
    run.sheet.do(SAT)
    priority = "pareto" if "areto" in message else "box"
    if message == checks.NO_MODEL.format(priority):
        with _other(run, priority):
            run.sheet.do(f"second = {_checked(run)}", "print('expected sat, got', second)")
            run.sheet.do("sys.exit({'sat': 0, 'unsat': 1}.get(second, 2))")
    elif priority == "pareto":
        _front(run, message)
    elif message.startswith(checks.BOX):
        with _other(run, priority):
            run.sheet.do(f"print('the other optimizer answers', {_checked(run)})")
            read = _read_bounds(run, _aim(run, message, boxed=True))
        _bound(run, message, read, boxed=True)
    elif _told_bound(message):
        _bound(run, message, _read_bounds(run, _aim(run, message)))
    elif checks.BOUNDS in message:
        _beyond_bounds(run, _aim(run, message))
    else:
        _better(run, _aim(run, message).at)


def _aims(run: Calls, boxed: bool = False) -> list[Aim]:
    pursued = run.state.pursued()
    return checks.aims(checks.compared(pursued) if boxed else pursued)


def _aim(run: Calls, message: str, boxed: bool = False) -> Aim:
    """The objective that a message names."""
    return _aims(run, boxed)[int(re.findall(r"objective (\d+)", message)[0]) - 1]


def _checked(run: Calls) -> str:
    return f"str({said(run, 'actions', ('check-sat',), ())})"


@contextmanager
def _other(run: Calls, priority: str) -> Iterator[None]:
    """Let the calls that follow go to another optimizer, which has what is asserted and all objectives."""
    before, made = run.frame.solver, run.wrapper.set("lifecycle", "new")
    chosen = None if made is None else plainest(made, run.frame, run.state.part)
    if chosen is None:
        raise Refused("unsupported", "no optimizer")
    run.sheet.note(f"Another optimizer has the priority {priority}.")
    run.sheet.fixed(_OTHER, chosen.call((), (), run.frame))
    run.frame.solver = Code(_OTHER)
    run.sheet.do(said(run, "actions", ("set-priority",), (), name=priority))
    for entry in formulas(run):
        run.sheet.do(said(run, "actions", ("assert-formula",), [entry.obj], terms=(entry.term,)))
    for aim in _aims(run, boxed=True):
        for part in aim.parts:
            operands = {"value": weight_text(part.weight), "name": part.group} if aim.soft else {}
            action = "assert-soft" if aim.soft else aim.goal
            there: dict[str, Any] = {"terms": (part.entry.term,), **operands}
            run.sheet.do(said(run, "actions", (action,), [part.entry.obj], **there))
    yield
    run.frame.solver = before


# ----------------------------------------------------------------------
# One objective.


def _better(run: Calls, at: int) -> None:
    """One objective has a better value, and those before it have the same values."""
    found = _aims(run)[: at + 1]
    codes = [run.sheet.define(_objective(run, aim), "objective") for aim in found]
    values = [
        run.sheet.define(value_of(run, str(code)), f"value{place}", kept=True)
        for place, code in enumerate(codes, 1)
    ]
    run.sheet.do(f"print('the optimum is', {', '.join(values)})")
    told_if(run, "unattained", found[-1].at, "no model has the optimum of this objective")
    same = [
        str(equal_of(run, _measured(run, aim), str(code), str(value)))
        for aim, code, value in zip(found[:-1], codes, values, strict=False)
    ]
    better = _less(run, found[-1], codes[-1], values[-1])
    run.sheet.note("A plain solver is asked for a better model.")
    solved(run, [*sources(formulas(run)), *same, str(better)], "sat", "a better value")


def _beyond_bounds(run: Calls, aim: Aim) -> None:
    """Compare the value of an objective with its bounds."""
    bounds = said(run, "readers", ("bounds",), [aim.at])
    run.sheet.do(
        "from fractions import Fraction",
        f"low, high = [Fraction(*bound[1:3]) for bound in {bounds}]",
        f"value = Fraction(str({value_of(run, str(_objective(run, aim)))}))",
        "print(f'expected a value between {low} and {high}, got {value}')",
        "sys.exit(0 if low <= value <= high else 1)",
    )


def _read_bounds(run: Calls, aim: Aim) -> str:
    """The better bound of an objective, which is kept under this name."""
    place = 0 if aim.goal == "minimize" else 1
    bounds = said(run, "readers", ("bounds",), [aim.at])
    run.sheet.do(f"bound = tuple({bounds}[{place}])")
    return "bound"


def _told_bound(message: str) -> str:
    """The bound that a message names; empty where it names none."""
    return message.partition("the bound ")[2].partition(", ")[0]


def _bound(run: Calls, message: str, read: str, boxed: bool = False) -> None:
    """A plain solver is asked for a model that a bound excludes, or for one that it promises."""
    aim, bound = _aim(run, message, boxed), Bound.parse(_told_bound(message))
    told = (bound.infinite, bound.number.numerator, bound.number.denominator, bound.epsilon)
    run.sheet.do(
        f"print('the bound is {bound}' if {read} == {told} else f'another bound: {{{read}}}')",
        f"if {read} != {told}:\n    sys.exit(0)",
    )
    objective = _objective(run, aim)
    surpassed = checks.SURPASSED in message
    near = bool(bound.infinite or bound.epsilon) and not surpassed
    number = said(
        run,
        "values",
        (_measured(run, aim).sort.kind,),
        (),
        value=_literal(aim, bound.far(aim.goal) if near else bound.number),
        result=_measured(run, aim).sort,
    )
    if checks.UNATTAINED in message:
        claim = equal_of(run, _measured(run, aim), str(objective), str(number))
    elif surpassed and bound.epsilon:
        claim = _not(run, _less(run, aim, number, objective))
    else:
        claim = _less(run, aim, objective, number)
    wrong, what = ("sat", "beyond") if surpassed else ("unsat", "at")
    solved(run, [*sources(formulas(run)), str(claim)], wrong, f"a value {what} the bound")


def _literal(aim: Aim, number: checks.Number) -> checks.Number:
    real = aim.soft or aim.sort.kind == "SORT_REAL"
    return number if real else int(number)


def _objective(run: Calls, aim: Aim) -> Code:
    """The term whose value is to be small or large."""
    if not aim.soft:
        return Code(aim.parts[0].entry.obj)
    term = _measured(run, aim)
    parts = []
    for one in aim.parts:
        prices = [
            said(run, "values", ("SORT_REAL",), (), value=price, result=term.sort)
            for price in (0 * one.weight, one.weight)
        ]
        filled: dict[str, Any] = {"terms": (one.entry.term, term, term), "result": term.sort}
        parts.append(said(run, "operators", ("OP_ITE",), [one.entry.obj, *prices], **filled))
    total = parts[0]
    for part in parts[1:]:
        total = said(run, "operators", ("OP_REAL_ADD",), [total, part], terms=(term, term))
    return total


def _measured(run: Calls, aim: Aim) -> Term:
    """A term of the sort of an objective."""
    if not aim.soft:
        return aim.terms[0]
    return run.terms.leaf(CONSTANT, ("cost",), run.sorts.get("SORT_REAL"))


def _less(run: Calls, aim: Aim, one: Code, other: Code) -> Code:
    """That a value of an objective is better than another one."""
    term, pair = _measured(run, aim), [Code(one), Code(other)]
    operands = pair if aim.goal == "minimize" else pair[::-1]
    kind = checks.LESS[term.sort.kind]
    return said(run, "operators", (kind,), operands, terms=(term, term))


def _not(run: Calls, code: Code) -> Code:
    shape = run.terms.leaf(CONSTANT, ("formula",), run.sorts.get("SORT_BOOL"))
    return said(run, "operators", ("OP_NOT",), [code], terms=(shape,))


# ----------------------------------------------------------------------
# The Pareto front.


def _front(run: Calls, message: str) -> None:
    """Ask for points of the front, up to those that the message names, and judge them by a plain
    solver.
    """
    named = [int(one or two) for one, two in _POINT.findall(message)]
    found = _aims(run, boxed=True)
    codes = [run.sheet.define(_objective(run, aim), "objective") for aim in found]
    points = []
    with _other(run, "pareto"):
        for place in range(1, max(named) + 1):
            run.sheet.do(
                f"second = {_checked(run)}",
                "if second != 'sat':\n    print('expected another point, got', second)\n    sys.exit(0)",
            )
            values = [
                run.sheet.define(value_of(run, str(code)), f"point{place}", kept=True)
                for code in codes
            ]
            run.sheet.do(f"print('point {place} is', {', '.join(values)})")
            points.append(values)
        if message == checks.NO_POINT.format(named[0]):
            claims = [*fixed(run, formulas(run)), *sources(formulas(run))]
        elif message == checks.LACKING.format(named[0]):
            run.sheet.do(f"second = {_checked(run)}", "print('the front ends with', second)")
            run.sheet.do("if second != 'unsat':\n    sys.exit(0)")
            claims = [*sources(formulas(run)), *(_besides(run, codes, at) for at in points)]
        elif message == checks.DOMINATED.format(named[0]):
            point = points[named[0] - 1]
            claims = [*sources(formulas(run)), *_as_good(run, codes, point)]
            claims.append(_besides(run, codes, point))
        else:
            one, two = (points[at - 1] for at in named)
            claims = _as_good(run, one, two)
    wrong = "unsat" if message == checks.NO_POINT.format(named[0]) else "sat"
    solved(run, claims, wrong, "such a point")


def _besides(run: Calls, codes: Sequence[Code], point: Sequence[Code]) -> str:
    """That an objective has a better value than at a point."""
    pairs = zip(_aims(run, boxed=True), codes, point, strict=True)
    better = [_less(run, aim, code, value) for aim, code, value in pairs]
    shape = run.terms.leaf(CONSTANT, ("formula",), run.sorts.get("SORT_BOOL"))
    terms = (shape,) * len(better)
    return str(said(run, "operators", ("OP_OR",), better, terms=terms))


def _as_good(run: Calls, codes: Sequence[Code], point: Sequence[Code]) -> list[str]:
    """That all objectives have values that are as good as at a point."""
    pairs = zip(_aims(run, boxed=True), codes, point, strict=True)
    return [str(_not(run, _less(run, aim, value, code))) for aim, code, value in pairs]
