"""Choosing a misuse: a rule of a family, and the call that it breaks."""

from __future__ import annotations

from collections.abc import Callable

from murxpy.machine import solve
from murxpy.machine.generate import options
from murxpy.machine.generate.base import Generator
from murxpy.machine.misuse.armed import Drawn
from murxpy.machine.misuse.rules import RULES, Rule, family
from murxpy.machine.random import Weighted
from murxpy.machine.run import Misused, Refused, Unbroken
from murxpy.machine.state import SolverState

Perform = Callable[[Generator, str], bool]

TRIES = 8  # calls that are drawn until one has an operand that the rule can break

# The calls to break: the actions of a run, by how much there is to break in each.
BROKEN = Weighted(
    [
        ("mk-term", 60.0), ("mk-value", 20.0), ("mk-sort", 14.0), ("mk-const", 10.0), ("mk-special-value", 3.0), ("mk-fun", 3.0),
        ("mk-var", 2.0), ("instantiate-sort", 2.0), ("assert-formula", 5.0), ("assert-tracked", 3.0), ("check-sat-assuming", 4.0),
        ("set-option", 2.0), ("set-logic", 1.0), ("simplify", 2.0), ("substitute", 3.0), ("get-value", 4.0), ("push", 2.0),
        ("pop", 2.0), ("term-get-children", 1.0), ("solver-action", 3.0), ("set-limit", 1.0),
    ]
)  # fmt: skip


def misuse(gen: Generator, name: str, perform: Perform) -> bool:
    """A misuse by a rule of the family `name`; False where the call that was drawn has nothing to break."""
    rule = gen.stream.weighted(Weighted([(rule, rule.weight) for rule in family(name)]))
    return any(carry_out(gen, rule, gen.stream.weighted(BROKEN), perform) for _ in range(TRIES))


def carry_out(gen: Generator, rule: Rule, action: str, perform: Perform) -> bool:
    """Break the next call that `action` makes; what it needs before is made as usual."""
    if action in _NEEDS and action != "pop" and not _allowed(gen, action):
        return False
    return _armed(gen, rule, lambda: perform(gen, action))


def _armed(gen: Generator, rule: Rule, call: Callable[[], bool]) -> bool:
    """Make a call that is to be broken; True if it was."""
    gen.run.misuse = Drawn(rule, gen.damped)
    done = False
    try:
        call()
    except Misused:
        done = True
    except (Refused, Unbroken):
        pass
    finally:
        gen.run.misuse = None
    return done


def out_of_order(gen: Generator) -> bool:
    """A call in a state that does not allow it; False where all that was drawn is allowed now."""
    run, stream = gen.run, gen.stream
    name = stream.choose([*_NEEDS, *(run.wrapper.data.get("own-actions") or {})])
    if not _offered(gen, name) or _allowed(gen, name):
        return False
    return _armed(gen, RULES["order"], lambda: _call(gen, name))


# What must hold before a call, by the state machine of the standard's commands (SMT-LIB 2.7, section 4.1).
_NEEDS: dict[str, Callable[[SolverState], bool]] = {
    "get-model": lambda s: s.models and s.has_model,
    "print-model": lambda s: s.models and s.has_model,
    "get-value": lambda s: s.models and s.has_model,
    "get-value-completion": lambda s: s.models and s.has_model,
    "get-unsat-core": lambda s: s.cores and s.answer == "unsat",
    "get-unsat-assumptions": lambda s: s.unsat_assumptions and s.answer == "unsat" and bool(s.assumptions),
    "reason-unknown": lambda s: s.answer == "unknown",
    "pop": lambda s: False,
    "push": lambda s: s.incremental,
    "check-sat": lambda s: s.incremental or s.checks == 0,
    "set-logic": lambda s: s.logic is None and s.checks == 0 and not s.asserted(),
}
_HOLDS: dict[str, Callable[[SolverState], bool]] = {
    "sat": lambda s: s.answer == "sat",
    "unsat": lambda s: s.answer == "unsat",
    "unknown": lambda s: s.answer == "unknown",
    "checked": lambda s: s.answer is not None,
    "models": lambda s: s.models,
    "cores": lambda s: s.cores,
    "incremental": lambda s: s.incremental,
}


def _offered(gen: Generator, name: str) -> bool:
    return gen.run.wrapper.set("actions", name) is not None


def _allowed(gen: Generator, name: str) -> bool:
    state = gen.run.state
    if name in _NEEDS:
        return _NEEDS[name](state)
    entry = gen.run.wrapper.data["own-actions"][name]
    option = entry.get("option")
    if option is not None and state.options.get(option) != "true":
        return False
    return all(_HOLDS[need](state) for need in entry.get("needs") or () if need in _HOLDS)


def _call(gen: Generator, name: str) -> bool:
    run, seed = gen.run, gen.run.line_seed()
    if name in ("push", "pop"):
        solve.push(run, 1, seed) if name == "push" else solve.pop(run, run.state.level + gen.stream.between(1, 3), seed)
    elif name in ("get-value", "get-value-completion"):
        sort = run.sorts.get("SORT_BOOL")
        entry = run.db.pick(sort, gen.stream, 0.5, closed=True)
        if entry is None:
            return False
        solve.get_value(run, [entry], name, seed)
    elif name == "set-logic":
        solve.set_logic(run, "QF_UF", seed)
    elif name == "check-sat":
        solve.check_sat(run, seed)
    elif name in _NEEDS:
        solve.query(run, name, seed)
    else:
        entries = options.operands(gen, run.wrapper.data["own-actions"][name].get("takes") or [])
        if entries is None:
            return False
        solve.own(run, name, entries, seed)
    return True
