"""`check-invariant` on a solver with one planted defect for each: the check of its name alone finds it."""

from __future__ import annotations

from typing import Any

import pytest
from toy import TOY, TOY_SOURCE, live, replay

from murxpy.data import load_catalogue, load_machine
from murxpy.machine.checks.invariants import INVARIANTS
from murxpy.worker.session import Session

# What a solver has been through, by which the planted defect shows.
PLANTED_SOURCE = TOY_SOURCE + """
class Context:
    made = 0
class Solver:
    def __init__(self, context):
        context.made += 1
        self.number, self.asserted, self.past, self.levels, self.checks = context.made, [], [], [], 0
    def push(self):
        self.levels.append(len(self.asserted))
    def pop(self):
        del self.asserted[self.levels.pop():]
        self.past.append("pop")
    def reset(self):
        self.asserted.clear()
        self.past.append("reset")
    def check(self, assumed=()):
        self.checks += 1
        return "unsat" if self.number > 1 and fault(self, assumed) else "sat"
"""
FAULTS = {
    "fresh": "len(s.asserted) == 2 and s.asserted[0] == 'a' and not s.past and not s.levels and s.checks == 1 and not s.seed",
    "order": "s.asserted[:1] == ['b'] and not s.past",
    "assumed": "bool(assumed)",
    "pushed": "len(s.levels) == 2",
    "popped": "s.past == ['pop']",
    "reset": "s.past == ['reset']",
    "twice": "s.checks == 2 and not s.past",
    "simplified": "any('simple' in t for t in s.asserted)",
    "seed": "s.seed is not None",
}
LINES = """new
mk-sort SORT_BOOL
 return s1
mk-const s1 "a"
 return t1 s1
mk-const s1 "b"
 return t2 s1
assert-formula t1
assert-formula t2
check-sat
"""


def planted(fault: str) -> Session:
    source = PLANTED_SOURCE + f"    seed = None\ndef fault(s, assumed):\n    return {FAULTS[fault]}\n"
    actions = {
        **TOY["actions"], "push": "{solver}.push()", "pop": "{solver}.pop()", "reset": "{solver}.reset()",
        "check-sat": "{solver}.check()", "check-sat-assuming": "{solver}.check([{*}])", "simplify": "app('simple', {0})",
        "set-option": "setattr({solver}, 'seed', {v})",
    }  # fmt: skip
    wrapper: dict[str, Any] = {**TOY, "imports": source, "actions": actions, "seed-option": "seed"}
    return Session({"catalogue": load_catalogue(), "machine": load_machine("default"), "wrapper": wrapper})


@pytest.mark.parametrize("fault", FAULTS)
def test_each_defect_is_found_by_the_check_of_its_name_alone(fault: str) -> None:
    session = planted(fault)
    found = []
    for name in INVARIANTS:
        report = replay(session, f"{LINES}check-invariant {name}\n")[1]
        if report["finding"]:
            assert report["finding"]["kind"] == "inconsistent" and report["finding"]["spelling"] == name
            found.append(name)
    assert fault in found
    # Some need what others do on the way: a fresh solver to simplify, a first check to check twice.
    assert set(found) <= {fault, *{"fresh": {"twice", "reset", "popped", "pushed", "simplified"}}.get(fault, set())}


def test_every_invariant_has_a_planted_defect() -> None:
    assert FAULTS.keys() == INVARIANTS.keys()


@pytest.mark.parametrize("solver", ["z3", "cvc5"])
def test_they_hold_on_live_solvers(solver: str) -> None:
    session = live(solver)
    lines = "".join(f"check-invariant {name}\n" for name in INVARIANTS)
    if solver == "z3":
        lines += "check-invariant translated\ncheck-invariant printed\ncheck-invariant tactic\n"
    report = replay(session, f"# solver {solver} 1\n{LINES}{lines}")[1]
    assert report["status"] == "ok" and not report["differences"]
    counts = {name: n for name, n in report["counts"].items() if name.startswith("check-invariant:")}
    assert sum(counts.values()) == lines.count("\n") and all(name.endswith(":sat") for name in counts), counts


def test_an_unknown_name_is_an_error_of_the_trace() -> None:
    report = replay(live("z3"), f"# solver z3 1\n{LINES}check-invariant orders\n")[1]
    assert report["status"] == "malformed" and "unknown invariant 'orders'; did you mean 'order'?" in report["message"]
