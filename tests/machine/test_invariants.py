"""`check-invariant` on a solver with one planted defect for each: the check of its name alone finds
it.
"""

from __future__ import annotations

from typing import Any

import pytest
from toy import TOY, TOY_SOURCE, live, replay

from murxpy.data import load_catalogue, load_machine
from murxpy.machine.checks.invariants import INVARIANTS, PROMISES
from murxpy.worker.session import Session

# What a solver has been through, by which the planted defect shows.
PLANTED_SOURCE = (
    TOY_SOURCE
    + """
class Context:
    made = 0
class Solver:
    def __init__(self, context):
        context.made += 1
        self.number, self.asserted, self.past, self.levels, self.checks = context.made, [], [], [], 0
    def __copy__(self):
        return self.copied("copy")
    def __deepcopy__(self, memo):
        return self.copied("deep copy")
    def copied(self, how):
        other = Solver(Context())
        other.number, other.asserted, other.past = self.number, list(self.asserted), [how]
        return other
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
    def run(self, text):
        self.past.append("script")
        self.number, self.asserted = 2, [row for row in text.split("\\n") if "assert" in row]
        return self.check()
"""
)
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
    "respelled": "'(other c)' in s.asserted",
    "logic": "s.logic == 'QF_UF'",
    "copied": "s.past == ['copy']",
    "deep-copied": "s.past == ['deep copy']",
    "script": "s.past == ['script'] and s.asserted == ['(assert a)', '(assert b)']",
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


SPELLED = LINES.replace(
    "check-sat\n",
    """mk-const s1 "c"
 return t3 s1
mk-term@plain OP_NOT SORT_BOOL 1 t3
 return t4 s1
assert-formula t4
check-sat
""",
)


def planted(fault: str) -> Session:
    source = (
        PLANTED_SOURCE
        + f"    seed = logic = None\ndef fault(s, assumed):\n    return {FAULTS[fault]}\n"
    )
    actions = {
        **TOY["actions"],
        "push": "{solver}.push()",
        "pop": "{solver}.pop()",
        "reset": "{solver}.reset()",
        "check-sat": "{solver}.check()",
        "check-sat-assuming": "{solver}.check([{*}])",
        "simplify": "app('simple', {0})",
        "set-option": "setattr({solver}, 'seed', {v})",
        "set-logic": "setattr({solver}, 'logic', {v})",
        "run-script": "{solver}.run({v})",
    }
    operators = {
        **TOY["operators"],
        "OP_NOT": {"plain": "app('not', {0})", "other": "app('other', {0})"},
    }
    wrapper: dict[str, Any] = {
        **TOY,
        "imports": source,
        "actions": actions,
        "operators": operators,
        "seed-option": "seed",
    }
    return Session(
        {"catalogue": load_catalogue(), "machine": load_machine("default"), "wrapper": wrapper}
    )


@pytest.mark.parametrize("fault", FAULTS)
def test_each_defect_is_found_by_the_check_of_its_name_alone(fault: str) -> None:
    session = planted(fault)
    found = []
    for name in INVARIANTS:
        report = replay(
            session, f"{SPELLED if fault == 'respelled' else LINES}2 check-invariant {name}\n"
        )[1]
        if report["finding"]:
            assert (
                report["finding"]["kind"] == "inconsistent"
                and report["finding"]["spelling"] == name
            )
            found.append(name)
    assert fault in found
    # Some need what others do on the way: a fresh solver to simplify, a first check to check twice.
    assert set(found) <= {
        fault,
        *{"fresh": {"twice", "reset", "popped", "pushed", "simplified", "respelled", "logic"}}.get(
            fault, set()
        ),
    }


BROKEN_OBJECTS = {
    "equal": "def __eq__(self, other): return False",
    "term-copied": "def __copy__(self): return Odd('other')",
    "pickled": "def __reduce__(self): return str, ('other',)",
}


@pytest.mark.parametrize("promise", BROKEN_OBJECTS)
def test_each_broken_promise_of_objects_is_found(promise: str) -> None:
    honest = "__hash__ = str.__hash__\n    def __copy__(self, *memo): return self\n    __deepcopy__ = __copy__\n"
    source = f"{TOY_SOURCE}class Odd(str):\n    {honest}"
    wrapper: dict[str, Any] = {
        **TOY,
        "imports": f"{source}    {BROKEN_OBJECTS[promise]}\n",
        "constants": {"any": "Odd({name})"},
    }
    session = Session(
        {"catalogue": load_catalogue(), "machine": load_machine("default"), "wrapper": wrapper}
    )
    for name in PROMISES:
        found = replay(session, f"{LINES}check-invariant {name}\n")[1]["finding"]
        assert bool(found) is (name == promise or (name, promise) == ("term-copied", "equal")), (
            name,
            found,
        )
        if found:
            assert (found["kind"], found["tier"], found["spelling"]) == (
                "contract",
                "binding",
                name,
            )


def test_a_clean_refusal_is_no_broken_promise() -> None:
    refusal = "def refuse(self, *args): raise TypeError('no')\n    __copy__ = __deepcopy__ = __reduce__ = refuse"
    source = f"{TOY_SOURCE}class Odd(str):\n    {refusal}\n"
    wrapper: dict[str, Any] = {**TOY, "imports": source, "constants": {"any": "Odd({name})"}}
    session = Session(
        {"catalogue": load_catalogue(), "machine": load_machine("default"), "wrapper": wrapper}
    )
    report = replay(session, f"{LINES}check-invariant term-copied\ncheck-invariant pickled\n")[1]
    assert report["finding"] is None and report["counts"]["check-invariant:pickled:refused"] == 1


def test_every_invariant_has_a_planted_defect() -> None:
    assert FAULTS.keys() == INVARIANTS.keys()


@pytest.mark.parametrize("solver", ["z3", "cvc5"])
def test_they_hold_on_live_solvers(solver: str) -> None:
    session = live(solver)
    lines = "".join(f"check-invariant {name}\n" for name in INVARIANTS)
    if solver == "z3":
        lines += "check-invariant translated\ncheck-invariant tactic\n"
    lines += "check-invariant printed\n"
    report = replay(session, f"# solver {solver} 1\n{LINES}{lines}")[1]
    assert report["status"] == "ok" and not report["differences"]
    counts = {
        name: n for name, n in report["counts"].items() if name.startswith("check-invariant:")
    }
    refused = {
        f"check-invariant:{name}:{how}": 1
        for name in ("copied", "deep-copied")
        for how in ("refused", "cannot-say")
    }
    held = (
        counts if solver == "z3" else {name: n for name, n in counts.items() if name not in refused}
    )
    assert {name: n for name, n in counts.items() if name not in held} == (
        refused if solver == "cvc5" else {}
    )
    assert sum(held.values()) == lines.count("\n") - (
        len(refused) // 2 if solver == "cvc5" else 0
    ), counts
    assert all(name.endswith(":sat") for name in held), counts


def test_an_unknown_name_is_an_error_of_the_trace() -> None:
    report = replay(live("z3"), f"# solver z3 1\n{LINES}check-invariant orders\n")[1]
    assert (
        report["status"] == "malformed"
        and "unknown invariant 'orders' (did you mean 'order'?)" in report["message"]
    )
