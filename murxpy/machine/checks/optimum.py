"""Optima: no model is better, by the objectives of an optimizer, than what the optimizer says.

Objectives count one after the other by default (`check-optimum`): a model is better if one of them is
better and those before it have the same values. `check-box` asks another optimizer for the optimum of
each objective alone, and `check-pareto` for the models that no model dominates: none is as good by all
objectives and better by one. The value of an objective is its value in the optimizer's model, by our
evaluation. A plain solver then looks for a better model, which is a finding only if our evaluation
confirms it. A bound that no model attains, or none comes near, is a finding where the plain solver
answers unsat: the solver contradicts itself.

Soft formulas are judged by trying all sets of them that may be false, without arithmetic.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import Any

from murxpy.logic.sorts import Sort
from murxpy.logic.terms import VALUE, Term
from murxpy.machine import solve
from murxpy.machine.actions.base import Check, register
from murxpy.machine.checks.assertions import needs_model
from murxpy.machine.generate.base import Generator
from murxpy.machine.outcomes import Stopped
from murxpy.machine.run import Run
from murxpy.machine.state import OPTIMIZER, SOFT, Objective
from murxpy.machine.trace.reading import Reading
from murxpy.machine.witnesses.model import (
    HOLDS,
    REFUTED,
    UNDECIDED,
    Claim,
    Model,
    claims,
    refute,
    solvable_from_scratch,
    unjudged,
)
from murxpy.machine.witnesses.points import literal
from murxpy.machine.witnesses.solving import applied, call_first, fresh_solver, timed
from murxpy.semantics.evaluator import Evaluator
from murxpy.semantics.values import CannotSay, Value
from murxpy.solvers.spelling import Spelling

KIND = "invalid-optimum"
Number = int | Fraction  # a value of an objective
LESS = {"SORT_INT": "OP_INT_LT", "SORT_REAL": "OP_REAL_LT"}
FAR = 10**6  # a model beyond this value is asked for where an objective has no bound
NEAR = Fraction(
    1, 1000
)  # a model is asked for that is at most so far from a bound that none attains
POINTS = 5  # points of a Pareto front that are asked for

# What the messages of findings contain. The program of a finding is chosen by them.
BOUNDS = "a value beyond its bounds"
BETTER = "a better value in another model"
SURPASSED = "and a model is better"  # than a bound
UNATTAINED = "which no model has"
UNREACHED = "which no model comes near"
BOX = "alone, "  # of a finding about the optimum of one objective alone
DOMINATED = "a model dominates point {} of the Pareto front"
TWICE = "point {} of the Pareto front is as good as point {}"
LACKING = "a model is no worse than all {} points of the Pareto front"
NO_POINT = "point {} of the Pareto front makes an assertion false"
NO_MODEL = "an optimizer with the priority {} finds no model"


@dataclass(frozen=True)
class Said:
    """A term and the solver's object of it."""

    obj: Any
    term: Term


@dataclass(frozen=True)
class Aim:
    """An objective whose value is to be small, or to be large: that of a number, or the cost of the soft
    formulas of a group. `at` is the place of the optimizer's objective.
    """

    at: int
    goal: str
    parts: tuple[Objective, ...]

    @property
    def soft(self) -> bool:
        """Whether its value is the cost of soft formulas."""
        return self.parts[0].goal == SOFT

    @property
    def terms(self) -> list[Term]:
        """The terms that decide its value."""
        return [part.entry.term for part in self.parts]

    @property
    def sort(self) -> Sort:
        """The sort of its terms."""
        return self.terms[0].sort

    def value(self, evaluator: Evaluator) -> Number:
        """Its value in a model. Raises CannotSay; an irrational number has no literal."""
        if self.soft:
            return sum(
                (one.weight for one in self.parts if not evaluator.value(one.entry.term)),
                Fraction(0),
            )
        found = evaluator.value(self.terms[0])
        if not isinstance(found, (int, Fraction)):
            raise CannotSay("an irrational optimum")
        return found

    def as_good(self, value: Number, other: Number) -> bool:
        """Whether a value is as good as another one."""
        return value <= other if self.goal == "minimize" else value >= other


@dataclass(frozen=True, order=True)
class Bound:
    """A bound of an objective: `infinite` times infinity, a number, and `epsilon` times a positive
    number that is smaller than all others. Only the signs of the two coefficients are kept.
    """

    infinite: int
    number: Fraction
    epsilon: int

    def __str__(self) -> str:
        if self.infinite:
            return "infinity" if self.infinite > 0 else "-infinity"
        return str(self.number) + {0: "", 1: " + epsilon", -1: " - epsilon"}[self.epsilon]

    @classmethod
    def parse(cls, text: str) -> Bound:
        """A bound that was printed."""
        if text.endswith("infinity"):
            return cls(-1 if text.startswith("-") else 1, Fraction(0), 0)
        number, _, rest = text.partition(" ")
        return cls(0, Fraction(number), {"": 0, "+ epsilon": 1, "- epsilon": -1}[rest])

    def far(self, goal: str) -> Fraction:
        """A value near the bound that models surpass if none attains it."""
        sign = -1 if goal == "minimize" else 1
        return Fraction(sign * FAR) if self.infinite else self.number - sign * NEAR


class Speaker:
    """Makes terms of a run together with their objects, without lines in the trace. Raises Refused
    where the wrapper has no spelling of a term.
    """

    def __init__(self, run: Run) -> None:
        self.run = run

    def apply(self, kind: str, *parts: Said) -> Said:
        """An application of an operator."""
        terms = tuple(part.term for part in parts)
        obj = applied(self.run, kind, [part.obj for part in parts], terms)
        sorts = tuple(term.sort for term in terms)
        operator = self.run.catalogue.operators[kind]
        sort = self.run.checker.result(operator, sorts, (), None)
        return Said(obj, self.run.terms.apply(kind, terms, (), sort))

    def joined(self, kind: str, parts: Sequence[Said]) -> Said | None:
        """The conjunction or disjunction of some formulas; None of no formulas."""
        if not parts:
            return None
        return parts[0] if len(parts) == 1 else self.apply(kind, *parts)

    def value(self, sort: Sort, value: Value) -> Said:
        """A literal."""
        return Said(literal(self.run, sort, value), self.run.terms.leaf(VALUE, (value,), sort))

    def less(self, sort: Sort, one: Said, other: Said) -> Said:
        """That a number is less than another one."""
        return self.apply(LESS[sort.kind], one, other)

    # -- formulas about the value of an objective

    def better(self, aim: Aim, value: Number) -> Said | None:
        """That an objective has a better value; None where no value is better."""
        if aim.soft:
            sets = [gone for gone, cost in _sets(aim) if cost < value]
            return self.joined("OP_OR", [self._kept(aim, gone) for gone in _largest(sets)])
        there, number = self.value(aim.sort, value), _said(aim.parts[0])
        return self.less(
            aim.sort, *((number, there) if aim.goal == "minimize" else (there, number))
        )

    def as_good(self, aim: Aim, value: Number) -> Said | None:
        """That an objective has a value that is as good; None where every value is."""
        if aim.soft:
            sets = [gone for gone, cost in _sets(aim) if cost <= value]
            kept = [self._kept(aim, gone) for gone in _largest(sets) if len(gone) < len(aim.parts)]
            return self.joined("OP_OR", kept)
        there, number = self.value(aim.sort, value), _said(aim.parts[0])
        pair = (there, number) if aim.goal == "minimize" else (number, there)
        return self.apply("OP_NOT", self.less(aim.sort, *pair))

    def same(self, aim: Aim, value: Number) -> Said:
        """That an objective has this value."""
        if not aim.soft:
            return self.apply("OP_EQUAL", _said(aim.parts[0]), self.value(aim.sort, value))
        sets = [gone for gone, cost in _sets(aim) if cost == value]
        exact = [
            self.joined(
                "OP_AND",
                [
                    self.apply("OP_NOT", _said(part)) if at in gone else _said(part)
                    for at, part in enumerate(aim.parts)
                ],
            )
            for gone in sets
        ]
        found = self.joined("OP_OR", [one for one in exact if one is not None])
        assert found is not None  # the value is the cost of a set
        return found

    def _kept(self, aim: Aim, gone: frozenset[int]) -> Said:
        """That all soft formulas but some are true."""
        kept = [_said(part) for at, part in enumerate(aim.parts) if at not in gone]
        found = self.joined("OP_AND", kept)
        assert found is not None  # if all formulas could be false, nothing would be asked
        return found


def _said(part: Objective) -> Said:
    return Said(part.entry.obj, part.entry.term)


def _sets(aim: Aim) -> Iterator[tuple[frozenset[int], Fraction]]:
    """All sets of the soft formulas of a group, as places, with the cost where just these are false."""
    for size in range(len(aim.parts) + 1):
        for gone in combinations(range(len(aim.parts)), size):
            yield frozenset(gone), sum((aim.parts[at].weight for at in gone), Fraction(0))


def _largest(sets: Sequence[frozenset[int]]) -> list[frozenset[int]]:
    """The sets that are part of no other one."""
    return [one for one in sets if not any(one < other for other in sets)]


def ordered(objectives: Sequence[Objective]) -> list[list[Objective]]:
    """The objectives in the order in which they count: soft formulas of one group are one, which
    stands where the first of them was added.
    """
    found: dict[tuple[str, int | str], list[Objective]] = {}
    for at, objective in enumerate(objectives):
        key = ("soft", objective.group) if objective.goal == SOFT else ("number", at)
        found.setdefault(key, []).append(objective)
    return list(found.values())


def compared(objectives: Sequence[Objective]) -> list[Objective]:
    """The objectives whose values have an order that solvers agree on: all but bit-vectors."""
    return [one for one in objectives if one.goal == SOFT or one.entry.term.sort.kind in LESS]


def aims(objectives: Sequence[Objective]) -> list[Aim]:
    """The objectives in the order in which they count."""
    return [
        Aim(at, "minimize" if group[0].goal == SOFT else group[0].goal, tuple(group))
        for at, group in enumerate(ordered(objectives))
    ]


class Examiner:
    """Judges what an optimizer says, by a plain solver and our evaluation, under the assertions and
    assumptions of the last check.
    """

    def __init__(self, run: Run, chosen: Spelling, found: Sequence[Aim]) -> None:
        self.run = run
        self.speaker = Speaker(run)
        self.aims = found
        self.entries = list(dict.fromkeys([*run.state.asserted(), *run.state.assumptions]))
        self.goals = [part.entry for aim in found for part in aim.parts]
        self.held = claims(self.entries)
        self._chosen = chosen

    def require(self, least: int = 1) -> None:
        """Raise CannotSay if there are fewer objectives, or our evaluation says nothing of models."""
        entries = [*self.entries, *self.goals]
        if (
            len(self.aims) < least
            or self.run.wrapper.set("readers", "model") is None
            or not solvable_from_scratch(entries)
            or any(unjudged(self.run, entry.term) for entry in entries)
        ):
            raise CannotSay("nothing to judge")

    def model(self) -> Model:
        """The model of the solver at hand. Raises Stopped, Refused."""
        reader = self.run.wrapper.set("readers", "model")
        assert reader is not None
        terms = [entry.term for entry in [*self.entries, *self.goals]]
        return Model(self.run, terms, reader.spellings[0])

    def holds(self, model: Model) -> bool | None:
        """Whether what is asserted is true in a model; None if that is not known."""
        verdicts = [model.judge(entry.term) for entry in self.entries]
        if "false" in verdicts:
            return False
        return True if all(one == "true" for one in verdicts) else None

    def ask(self, *formulas: Said | None) -> str:
        """Whether there is a model in which formulas hold beside what is held: `refuted` if a model
        shows it by our evaluation, `holds` if there is none.
        """
        there = [Claim(one.obj, one.term) for one in formulas if one is not None]
        return refute(self.run, [*self.held, *there], self.entries)

    def bounds(self, aim: Aim) -> tuple[Bound | None, Bound | None]:
        """The bounds of an objective; None for what is no number, such as an irrational one."""
        self.run.frame.fill()
        low, high = self.run.call(self._chosen, (aim.at,), (), "check-optimum")
        return _bound(low), _bound(high)

    def hold(self, aim: Aim, value: Number) -> None:
        """From now on ask only for models in which the objective has this value."""
        made = self.speaker.same(aim, value)
        self.held = [*self.held, Claim(made.obj, made.term)]

    def beyond(self, aim: Aim, low: Bound, high: Bound) -> str:
        """What is wrong with the bounds of an objective; empty if nothing is known to be wrong. The
        optimum lies between them. Where both are one, models have it, or come as near as one likes.
        """
        best = low if aim.goal == "minimize" else high
        fault = self._surpassed(aim, best) or (self._missed(aim, best) if low == high else "")
        return f"the bound {best}, {fault}" if fault else ""

    def _surpassed(self, aim: Aim, best: Bound) -> str:
        if best.infinite:
            return ""
        # where no model attains the bound, a model that has its number is better already
        there = self.speaker.as_good if best.epsilon else self.speaker.better
        formula = there(aim, self._number(aim, best.number))
        return SURPASSED if formula is not None and self.ask(formula) == REFUTED else ""

    def _missed(self, aim: Aim, best: Bound) -> str:
        if not best.infinite and not best.epsilon:
            same = self.speaker.same(aim, self._number(aim, best.number))
            return UNATTAINED if self.ask(same) == HOLDS else ""
        if aim.soft or (best.epsilon and aim.sort.kind != "SORT_REAL"):
            return ""
        sign = -1 if aim.goal == "minimize" else 1
        if best.infinite == -sign or best.epsilon == sign:
            return UNREACHED  # worse than every value
        formula = self.speaker.better(aim, self._number(aim, best.far(aim.goal)))
        return UNREACHED if self.ask(formula) == HOLDS else ""

    def _number(self, aim: Aim, number: Fraction) -> Number:
        """A number as a value of the objective's sort. Raises CannotSay for a fraction that is none."""
        if aim.soft or aim.sort.kind == "SORT_REAL":
            return number
        if number.denominator != 1:
            raise CannotSay("a bound of an integer that is no integer")
        return number.numerator


def _bound(said: Sequence[int] | None) -> Bound | None:
    if said is None:
        return None
    infinite, numerator, denominator, epsilon = said
    return Bound(infinite, Fraction(numerator, denominator), epsilon)


def _check(run: Run, name: str, seed: int, spelling: str | None = None) -> None:
    """Carry out a check of optima. Raises Stopped with a finding."""
    run.frame.fill()
    chosen = run.choose(run.wrapper.set("readers", "bounds"), seed, spelling, name)
    run.begin(seed, name, chosen.name, "")
    run.meter.model_read()
    fault, verdict = "", "cannot-say"
    with timed(run, OPTIONS[name]), suppress(*UNDECIDED):
        fault = FAULTS[name](run, chosen)
        verdict = "broken" if fault else "held"
    run.counts[f"{name}:{verdict}"] += 1
    if fault:
        raise Stopped(run.finding(KIND, "solver", fault, name, "", chosen.name))


def _named(aim: Aim) -> str:
    return f"objective {aim.at + 1} ({aim.goal}) has"


def lexicographic(run: Run, chosen: Spelling) -> str:
    """What is wrong with the optimum; empty if nothing is known to be wrong. Nothing is promised of
    what follows an objective that no model attains, and of the order of bit-vectors. Raises Refused,
    CannotSay, Unreadable.
    """
    examiner = Examiner(run, chosen, aims(run.state.pursued()))
    examiner.require()
    model = examiner.model()
    for aim in examiner.aims:
        low, high = examiner.bounds(aim)
        if low is None or high is None:
            return ""
        if not aim.soft and aim.sort.kind not in LESS:
            examiner.hold(aim, aim.value(model.evaluator))
            continue
        finite = not any(one.infinite or one.epsilon for one in (low, high))
        if finite:
            value = aim.value(model.evaluator)
            if not low <= Bound(0, Fraction(value), 0) <= high:
                return f"{_named(aim)} {BOUNDS}"
            better = examiner.speaker.better(aim, value)
            if better is not None and examiner.ask(better) == REFUTED:
                return f"{_named(aim)} {BETTER}"
            examiner.hold(aim, value)
            continue
        fault = examiner.beyond(aim, low, high)
        return f"{_named(aim)} {fault}" if fault else ""
    return ""


# ----------------------------------------------------------------------
# Other priorities, asked of an optimizer of their own: behind the first answer that its check gives
# for them come further ones, and at last unsat, which is no answer to the assertions.


def _begin(examiner: Examiner, priority: str) -> str:
    """Give a fresh optimizer all objectives, and ask it. Call it inside `fresh_solver`."""
    run = examiner.run
    call_first(run, "set-priority", (), name=priority)
    for entry in examiner.entries:
        call_first(run, "assert-formula", (entry.obj,), terms=(entry.term,))
    for aim in examiner.aims:
        for part in aim.parts:
            _pursue(run, part)
    return str(call_first(run, "check-sat", ()))


def _pursue(run: Run, part: Objective) -> None:
    action, operands = part.goal, {}
    if part.goal == SOFT:
        action = "assert-soft"
        operands = {"value": solve.weight_text(part.weight), "name": part.group}
    call_first(run, action, (part.entry.obj,), terms=(part.entry.term,), **operands)


def box(run: Run, chosen: Spelling) -> str:
    """What is wrong with the optima of the objectives, each alone; empty if nothing is known to be
    wrong. Raises Refused, CannotSay, Unreadable.
    """
    examiner = Examiner(run, chosen, aims(compared(run.state.pursued())))
    examiner.require()
    with fresh_solver(run, OPTIMIZER):
        answer = _begin(examiner, "box")
        found = [(aim, *examiner.bounds(aim)) for aim in examiner.aims] if answer == "sat" else []
    if answer == "unsat" and examiner.holds(examiner.model()):
        return NO_MODEL.format("box")
    if not found:
        raise CannotSay("no answer")
    for aim, low, high in found:
        fault = "" if low is None or high is None else examiner.beyond(aim, low, high)
        if fault:
            return f"{BOX}{_named(aim)} {fault}"
    return ""


def pareto(run: Run, chosen: Spelling) -> str:
    """What is wrong with the Pareto front; empty if nothing is known to be wrong. Raises Refused,
    CannotSay, Unreadable.
    """
    examiner = Examiner(run, chosen, aims(compared(run.state.pursued())))
    examiner.require(2)
    points: list[list[Number]] = []
    with fresh_solver(run, OPTIMIZER):
        answer = _begin(examiner, "pareto")
        while answer == "sat" and len(points) < POINTS:
            model = examiner.model()
            if examiner.holds(model) is False:
                return NO_POINT.format(len(points) + 1)
            points.append([aim.value(model.evaluator) for aim in examiner.aims])
            answer = str(call_first(run, "check-sat", ()))
    if answer == "unsat" and not points and examiner.holds(examiner.model()):
        return NO_MODEL.format("pareto")
    if not points:
        raise CannotSay("no answer")
    return _front(examiner, points, answer == "unsat")


def _front(examiner: Examiner, points: Sequence[Sequence[Number]], whole: bool) -> str:
    """What is wrong with points of a Pareto front, which are all if it is `whole`."""
    for place, other in combinations(range(len(points)), 2):
        for one, two in ((place, other), (other, place)):
            if _covers(examiner, points[one], points[two]):
                return TWICE.format(one + 1, two + 1)
    besides = [_besides(examiner, point) for point in points]
    for place, (point, better) in enumerate(zip(points, besides, strict=True), 1):
        if better and examiner.ask(*_as_good(examiner, point), better) == REFUTED:
            return DOMINATED.format(place)
    if whole and None not in besides and examiner.ask(*besides) == REFUTED:
        return LACKING.format(len(points))
    return ""


def _covers(examiner: Examiner, one: Sequence[Number], other: Sequence[Number]) -> bool:
    """Whether a point is as good as another one by all objectives."""
    values = zip(examiner.aims, one, other, strict=True)
    return all(aim.as_good(mine, theirs) for aim, mine, theirs in values)


def _besides(examiner: Examiner, point: Sequence[Number]) -> Said | None:
    """That some objective has a better value than at a point; None where none can."""
    pairs = zip(examiner.aims, point, strict=True)
    better = [examiner.speaker.better(aim, value) for aim, value in pairs]
    return examiner.speaker.joined("OP_OR", [one for one in better if one is not None])


def _as_good(examiner: Examiner, point: Sequence[Number]) -> list[Said | None]:
    """That all objectives have values that are as good as at a point."""
    pairs = zip(examiner.aims, point, strict=True)
    return [examiner.speaker.as_good(aim, value) for aim, value in pairs]


FAULTS = {"check-optimum": lexicographic, "check-box": box, "check-pareto": pareto}
OPTIONS = {"check-optimum": "optima", "check-box": "boxes", "check-pareto": "fronts"}


class Optimality(Check):
    """A check of optima: a line without words behind the answer sat."""

    reader = "bounds"
    after = ("sat",)

    def draw(self, gen: Generator) -> bool:
        state = gen.run.state
        if state.pursued() and state.models and self.due(gen):
            _check(gen.run, self.name, gen.run.line_seed())
        return True

    def read(self, r: Reading) -> None:
        r.end(0)
        needs_model(r)
        r.require(bool(r.run.state.pursued()), "there is no objective")
        _check(r.run, self.name, r.seed, self.spelling(r))


@register("check-optimum")
class CheckOptimum(Optimality):
    """`check-optimum`: the objectives count one after the other."""

    option = OPTIONS["check-optimum"]
    place = 13


@register("check-box")
class CheckBox(Optimality):
    """`check-box`: each objective alone."""

    option = OPTIONS["check-box"]
    place = 14


@register("check-pareto")
class CheckPareto(Optimality):
    """`check-pareto`: the models that no model dominates."""

    option = OPTIONS["check-pareto"]
    place = 15
