"""A solver that tries all models of a few constants with small values, and an optimizer on it that is
honest, or lies in one of the ways that tests plant. Its terms are nested tuples.
"""

from __future__ import annotations

import copy
from typing import Any

from toy import TOY

from murxpy.data import load_catalogue, load_machine
from murxpy.worker.session import Session

SOURCE = """
from fractions import Fraction
from itertools import product
OPERATORS = {
    "not": lambda a: not a,
    "and": lambda *a: all(a),
    "or": lambda *a: any(a),
    "=": lambda a, b: a == b,
    "distinct": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    "+": lambda *a: sum(a),
    "ite": lambda a, b, c: b if a else c,
}
DOMAINS = {"Int": range(4), "Real": range(4), "Bool": (False, True)}
class Context:
    pass
def app(name, *args):
    return (name, *args)
def constants(term):
    if isinstance(term, tuple) and term[0] == "constant":
        yield term
    elif isinstance(term, tuple):
        for part in term[1:]:
            yield from constants(part)
def value(term, model):
    if isinstance(term, tuple) and term[0] == "constant":
        return model.get(term, DOMAINS[term[2]][0])
    if not isinstance(term, tuple):
        return term
    return OPERATORS[term[0]](*(value(part, model) for part in term[1:]))
class Solver:
    def __init__(self, context):
        self.levels = [[]]
    def add(self, term):
        self.levels[-1].append(term)
    def push(self):
        self.levels.append([])
    def pop(self):
        self.levels.pop()
    def check(self, *assumed):
        terms = [*(term for level in self.levels for term in level), *assumed]
        names = list(dict.fromkeys(name for term in [*terms, *self.aims()] for name in constants(term)))
        if len(names) > 4:
            return "unknown"
        tried = (dict(zip(names, m)) for m in product(*(DOMAINS[name[2]] for name in names)))
        models = [m for m in tried if all(value(term, m) for term in terms)]
        self.best = self.choose(models) if models else None
        return "sat" if models else "unsat"
    def aims(self):
        return []
    def choose(self, models):
        return models[0]
class Optimizer(Solver):
    def __init__(self, context, lie=""):
        super().__init__(context)
        self.goals, self.lie = [[]], lie
        self.priority, self.points = "lex", None
    def push(self):
        super().push()
        self.goals.append([])
    def pop(self):
        super().pop()
        gone = self.goals.pop()
        if self.lie == "pop keeps objectives":
            self.goals[-1][:0] = gone
    def aims(self):
        return [goal[1] for level in self.goals for goal in level]
    def aim(self, *goal):
        self.goals[-1].append(goal)
    def objectives(self):
        found = {}
        for at, goal in enumerate(goal for level in self.goals for goal in level):
            kind, term, weight, group = goal
            key = ("soft", group) if kind == "soft" and self.lie != "groups are one each" else at
            found.setdefault(key, []).append(goal)
        return list(found.values())
    def cost(self, goals, model, honest=False):
        kind, term, weight, group = goals[0]
        if kind == "minimize":
            return value(term, model)
        if kind == "maximize":
            lies = self.lie == "maximize minimizes" and not honest
            return value(term, model) * (1 if lies else -1)
        same = self.lie == "weights are one" and not honest
        return sum((1 if same else w) for _, t, w, _ in goals if not value(t, model))
    def check(self, *assumed):
        if self.points is None or self.priority == "lex":
            answer = super().check(*assumed)
            if self.priority == "lex" or answer != "sat":
                return answer
            self.points = [] if self.lie == "no model by another priority" else self.front()
        if not self.points:
            return "unsat"
        self.best = self.points.pop(0)
        return "sat"
    def front(self):
        costs = lambda m: [self.cost(goals, m) for goals in self.objectives()]
        covers = lambda a, b: a != b and all(x <= y for x, y in zip(a, b))
        found = {}
        for m in self.models:
            if not any(covers(costs(n), costs(m)) for n in self.models):
                found.setdefault(tuple(costs(m)), m)
        points = list(found.values())
        if self.lie == "the front has a point twice":
            return points + points[:1]
        if self.lie == "the front is short":
            return points[:1]
        if self.lie == "the front has any model":
            return self.models[:1]
        if self.lie == "the front forgets the assertions":
            return [{name: 3 for name in points[0]}]
        return points
    def alone(self, at):
        return min(self.cost(self.objectives()[at], m, honest=True) for m in self.models)
    def choose(self, models):
        wanted, self.models = self.objectives(), models
        if self.lie == "the last objective counts first":
            wanted.reverse()
        if self.lie == "only the first objective counts":
            wanted = wanted[:1]
        if self.lie == "any model":
            return models[0]
        return min(models, key=lambda m: [self.cost(goals, m) for goals in wanted])
    def bounds(self, at):
        goals = self.objectives()[at]
        boxed = self.priority == "box" and self.lie != "a box is lexicographic"
        cost = self.alone(at) if boxed else self.cost(goals, self.best, honest=True)
        cost -= boxed and self.lie == "boxes are too good"
        sign = -1 if goals[0][0] == "maximize" else 1
        low = Fraction(cost) * sign + (self.lie == "bounds are off by one")
        infinite = -sign if self.lie == "optima are infinite" else 0
        epsilon = sign if self.lie in ("optima are not attained", "optima are too near") else 0
        low -= sign * (self.lie == "optima are too near")
        return [(infinite, *low.as_integer_ratio(), epsilon)] * 2
def read_bounds(solver, at):
    return solver.bounds(at)
def read_model(solver, constants):
    tags = {"Bool": "bool", "Int": "int", "Real": "real"}
    found = [(tags[c[2]], value(c, solver.best)) for c in constants]
    rows = [(tag, v, 1) if tag == "real" else (tag, v) for tag, v in found]
    return {"rows": rows, "roots": list(range(len(rows))), "partial": {}}
"""
WRAPPER: dict[str, Any] = copy.deepcopy(TOY) | {
    "imports": SOURCE,
    "theories": ["BOOL", "INT", "REAL"],
    "sorts": {"SORT_BOOL": "'Bool'", "SORT_INT": "'Int'", "SORT_REAL": "'Real'"},
    "values": {"SORT_BOOL": "{v}", "SORT_INT": "{v}", "SORT_REAL": "{v}"},
    "special-values": {},
    "constants": {"any": "app('constant', {name}, {sort})"},
    "variables": {},
    "functions": {},
    "operators": {
        "OP_NOT": "app('not', {0})",
        "OP_AND": "app('and', {*})",
        "OP_OR": "app('or', {*})",
        "OP_EQUAL": "app('=', {0}, {1})",
        "OP_DISTINCT": "app('distinct', {0}, {1})",
        "OP_ITE": "app('ite', {*})",
        "OP_INT_ADD": "app('+', {*})",
        "OP_INT_LT": "app('<', {0}, {1})",
        "OP_REAL_ADD": "app('+', {*})",
        "OP_REAL_LT": "app('<', {0}, {1})",
    },
    "self-checks": {},
    "own-actions": {},
    "options": [],
    "readers": {
        "model": "read_model({solver}, [{*}])",
        "bounds": "read_bounds({solver}, {0})",
    },
}
SHARED = {
    "assert-formula": "{solver}.add({0})",
    "check-sat": "{solver}.check()",
    "check-sat-assuming": "{solver}.check({*})",
    "push": "[{solver}.push() for _ in range({v})]",
    "pop": "[{solver}.pop() for _ in range({v})]",
    "get-value": "value({0}, {solver}.best)",
}


def wrapper(lie: str = "") -> dict[str, Any]:
    """The wrapper of the solver whose optimizer lies so; of an honest one without `lie`."""
    new = {"plain": "Solver({ctx})", "optimizer": f"Optimizer({{ctx}}, {lie!r})"}
    objectives = {
        "minimize": "{solver}.aim('minimize', {0}, 1, '')",
        "maximize": "{solver}.aim('maximize', {0}, 1, '')",
        "set-priority": "setattr({solver}, 'priority', {name})",
        "assert-soft": "{solver}.aim('soft', {0}, Fraction({v}), {name})",
    }
    made = copy.deepcopy(WRAPPER)
    made["lifecycle"] = {"new-context": "Context()", "new": new}
    made["actions"] = SHARED
    made["parts"] = {"optimizer": {"actions": SHARED | objectives}}
    return made


def session(lie: str = "") -> Session:
    """A session of that solver, in which each run has an optimizer."""
    machine = copy.deepcopy(load_machine("default")) | {"others": []}
    machine["probabilities"] |= {"new-optimizer": 1.0, "check-box": 1.0, "check-pareto": 1.0}
    machine["distributions"]["run-length"] = {"choices": [[[4, 10], 1]]}
    checks = ["optima", "boxes", "fronts", "models"]
    return Session(
        {
            "catalogue": load_catalogue(),
            "machine": machine,
            "wrapper": wrapper(lie),
            "checks": checks,
        }
    )
