"""Solvers that decide Boolean formulas by trying all values, each with a flaw of its own, as
targets of a cross-check.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from campaigns import FAKES

from murxpy.data import load_catalogue, load_machine
from murxpy.processes.targets import Plan, TargetSpec

TRUTH_SOURCE = """
import itertools, sys, time
sys.path.append({fakes!r})
import faults
FLAW, OPTION, DEADLY, SHY, IDLE, AFTER = {flaw!r}, {option!r}, {deadly!r}, {shy!r}, {idle!r}, {after!r}
MEANING = dict(
    neg=lambda a: not a, conj=lambda *a: all(a), disj=lambda *a: any(a), parity=lambda a, b: a != b, arrow=lambda a, b: not a or b,
    same=lambda *a: len(set(a)) == 1, differ=lambda *a: len(set(a)) == len(a), choice=lambda a, b, c: b if a else c)
WRONG = dict(MEANING, parity=lambda a, b: a, arrow=lambda a, b: False)
class Context:
    def __init__(self):
        self.names = {{}}
def constant(context, name):
    context.names[name] = None
    return (name,)
class Solver:
    def __init__(self, context):
        self.context, self.levels, self.options, self.checks = context, [[]], {{}}, 0
    def check(self, *assumed):
        terms = [t for level in self.levels for t in level] + list(assumed)
        time.sleep(IDLE)
        used = set()
        for term in terms:
            operators(term, used)
        if DEADLY in used:
            faults.commit("segfault")
        names = list(self.context.names)
        if len(names) > 8 or SHY in used:
            return "unknown"
        flawed = FLAW if OPTION is None or self.options.get(OPTION) == "true" else None
        self.checks += 1
        if AFTER and self.checks < 2:
            flawed = None
        for values in itertools.product((False, True), repeat=len(names)):
            if all(value(t, dict(zip(names, values)), flawed) for t in terms):
                return "sat"
        return "unsat"
def operators(term, used):
    todo, seen = [term], set()
    while todo:
        term = todo.pop()
        if isinstance(term, tuple) and id(term) not in seen:
            seen.add(id(term))
            if len(term) > 1:
                used.add(term[0])
                todo.extend(term[1:])
def value(term, model, flawed, known=None):
    known = {{}} if known is None else known
    if isinstance(term, bool):
        return term
    if len(term) == 1:
        return model[term[0]]
    if id(term) not in known:
        meaning = (WRONG if term[0] == flawed else MEANING)[term[0]]
        known[id(term)] = meaning(*[value(t, model, flawed, known) for t in term[1:]])
    return known[id(term)]
"""

OPERATORS = {
    "OP_NOT": "('neg', {0})",
    "OP_AND": "('conj', {*})",
    "OP_OR": "('disj', {*})",
    "OP_XOR": "('parity', {0}, {1})",
    "OP_IMPLIES": "('arrow', {0}, {1})",
    "OP_EQUAL": "('same', {*})",
    "OP_DISTINCT": "('differ', {*})",
    "OP_ITE": "('choice', {*})",
}


def wrapper(
    name: str,
    flaw: str | None = None,
    option: str | None = None,
    deadly: str | None = None,
    shy: str | None = None,
    lacks: tuple[str, ...] = (),
    idle: float = 0.0,
    after: bool = False,
) -> dict[str, Any]:
    """The wrapper of a solver called `name`, which gets the operator `flaw` wrong: always, or when
    `option` is true.

    A check with the operator `deadly` kills it, one with `shy` it answers unknown; it has not the
    operators of `lacks`. A check takes `idle` seconds. `after`: the first check is right.
    """
    return {
        "solver": name,
        "module": name,
        "package": name,
        "imports": TRUTH_SOURCE.format(
            fakes=str(FAKES),
            flaw=flaw,
            option=option,
            deadly=deadly,
            shy=shy,
            idle=idle,
            after=after,
        ),
        "version": "'1.0'",
        "theories": ["BOOL"],
        "function-terms": False,
        "lifecycle": {"new-context": "Context()", "new": "Solver({ctx})"},
        "sorts": {"SORT_BOOL": "'Bool'"},
        "values": {"SORT_BOOL": "{v}"},
        "constants": {"any": "constant({ctx}, {name})"},
        "operators": {kind: template for kind, template in OPERATORS.items() if kind not in lacks},
        "actions": {
            "set-option": "{solver}.options.__setitem__({name}, {v})",
            "assert-formula": "{solver}.levels[-1].append({0})",
            "check-sat": "{solver}.check()",
            "check-sat-assuming": "{solver}.check({*})",
            "push": "{solver}.levels.extend([] for _ in range({v}))",
            "pop": "[{solver}.levels.pop() for _ in range({v})] and None",
            "reset-assertions": "{solver}.__setattr__('levels', [[]])",
        },
        "options": [{"name": "fast", "type": "bool", "weight": 5}],
        "profile": {},
    }


def truth(name: str, **flaws: Any) -> Plan:
    """A target called `name`; see `wrapper` for its flaws."""
    made = wrapper(name, **flaws)
    setup = {
        "catalogue": load_catalogue(),
        "machine": load_machine("default"),
        "wrapper": made,
        "profile": {},
    }
    return Plan(TargetSpec(name, name, sys.executable), setup)


def write_trace(folder: Path, *lines: str) -> Path:
    """A trace of these lines behind `new`."""
    file = folder / "t.trace"
    file.write_text(
        "\n".join(["# murxpy-trace 1", "# solver left 1.0", "1 new", "     return o1", *lines])
        + "\n"
    )
    return file
