"""Choosing a misuse: a rule of a family, and the call that it breaks."""

from __future__ import annotations

from collections.abc import Callable

from murxpy.machine import solve
from murxpy.machine.contract import protocols
from murxpy.machine.contract.broken import DAMPED, Drawn
from murxpy.machine.contract.rules import CONTEXT, RULES, SOLVER, Rule, family, portable
from murxpy.machine.contract.values import NONE, NUMBERS, TYPES
from murxpy.machine.generate import options
from murxpy.machine.generate.base import Generator
from murxpy.machine.outcomes import Misused, Refused, Unbroken
from murxpy.machine.random import Weighted
from murxpy.machine.run import Run
from murxpy.machine.state import HOLDS, SolverState
from murxpy.machine.tokens import Python, Ref, Token

Perform = Callable[[Generator, str], bool]

KEPT = 0.4  # the share of the results of the wrapper's own stress actions that the run keeps
TRIES = 8  # how many calls are drawn to find one with an operand that the rule can break

# The calls that can be broken, by the number of their operands that rules can break.
BROKEN = Weighted(
    [
        ("mk-term", 60.0),
        ("mk-value", 20.0),
        ("mk-sort", 14.0),
        ("mk-const", 10.0),
        ("mk-special-value", 3.0),
        ("mk-fun", 3.0),
        ("mk-var", 2.0),
        ("instantiate-sort", 2.0),
        ("assert-formula", 5.0),
        ("assert-tracked", 3.0),
        ("check-sat-assuming", 4.0),
        ("set-option", 2.0),
        ("set-logic", 1.0),
        ("simplify", 2.0),
        ("substitute", 3.0),
        ("get-value", 4.0),
        ("push", 2.0),
        ("pop", 2.0),
        ("term-get-children", 1.0),
        ("solver-action", 3.0),
        ("set-limit", 1.0),
    ]
)


def misuse(gen: Generator, name: str, perform: Perform) -> bool:
    """Misuse the binding by a rule of the family `name`. False if the call that was drawn has no
    operand that the rule can break.
    """
    rule = gen.stream.weighted(Weighted([(rule, rule.weight) for rule in family(name)]))
    return any(carry_out(gen, rule, gen.stream.weighted(BROKEN), perform) for _ in range(TRIES))


def carry_out(gen: Generator, rule: Rule, action: str, perform: Perform) -> bool:
    """Break the next call that `action` makes. The objects that this call needs are made as usual
    before.
    """
    if action in _NEEDS and action != "pop" and not _allowed(gen, action):
        return False
    return _prepared(gen, rule, lambda: perform(gen, action))


def _prepared(gen: Generator, rule: Rule, call: Callable[[], bool]) -> bool:
    """Make a call that a waiting misuse breaks; True if the misuse broke it."""
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
    """Make a call in a state that does not allow it. False if the state allows every call that was
    drawn.
    """
    run, stream = gen.run, gen.stream
    own = run.wrapper.facts.own_actions
    name = stream.choose([*_NEEDS, *(name for name in own if not own[name].stress)])
    if not _offered(gen, name) or _allowed(gen, name):
        return False
    return _prepared(gen, RULES["order"], lambda: _call(gen, name))


# The conditions that must hold before a call, by the state machine of the standard's commands
# (SMT-LIB 2.7, section 4.1).
_NEEDS: dict[str, Callable[[SolverState], bool]] = {
    "get-model": lambda s: s.gives_model,
    "print-model": lambda s: s.gives_model,
    "get-value": lambda s: s.gives_model,
    "get-value-completion": lambda s: s.gives_model,
    "get-unsat-core": lambda s: s.gives_core,
    "get-unsat-assumptions": lambda s: s.gives_assumptions,
    "reason-unknown": lambda s: s.answer == "unknown",
    "pop": lambda s: False,
    "push": lambda s: s.incremental,
    "check-sat": lambda s: s.incremental or s.checks == 0,
    "set-logic": lambda s: s.logic is None and s.checks == 0 and not s.asserted(),
}
# The actions that must come before the wrapper's own actions; without them, the own actions are
# calls out of order.
_STRICT = ("sat", "unsat", "unknown", "checked", "models", "cores", "incremental")


def _offered(gen: Generator, name: str) -> bool:
    return gen.run.wrapper.set("actions", name) is not None


def _allowed(gen: Generator, name: str) -> bool:
    state = gen.run.state
    if name in _NEEDS:
        return _NEEDS[name](state)
    entry = gen.run.wrapper.facts.own_actions[name]
    if entry.option is not None and state.options.get(entry.option) != "true":
        return False
    return all(HOLDS[need](state) for need in entry.needs if need in _STRICT)


def _call(gen: Generator, name: str) -> bool:
    run, seed = gen.run, gen.run.line_seed()
    if name in ("push", "pop"):
        solve.push(run, 1, seed) if name == "push" else solve.pop(
            run, run.state.level + gen.stream.between(1, 3), seed
        )
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
        entries = options.operands(gen, run.wrapper.facts.own_actions[name].takes)
        if entries is None:
            return False
        solve.own(run, name, entries, seed)
    return True


def hold(gen: Generator) -> bool:
    """Ask a question that the state allows, and keep its result. The result is False if the state
    allows no question.
    """
    names = (
        "get-model",
        "get-value",
        "get-unsat-core",
        "get-unsat-assumptions",
        "get-assertions",
        "statistics",
        "get-info",
    )
    name = gen.stream.choose(names)
    if not _offered(gen, name) or (name in _NEEDS and not _allowed(gen, name)):
        return False
    asks = (lambda: _call(gen, name)) if name in _NEEDS else (lambda: _ask(gen, name))
    return _prepared(gen, RULES["hold"], asks)


def _ask(gen: Generator, name: str) -> bool:
    solve.query(gen.run, name, gen.run.line_seed())
    return True


def stress(gen: Generator, name: str) -> bool:
    """Stress objects of the run by a rule of the family `name`. False if the run has no objects for
    the rule.
    """
    rule = gen.stream.weighted(
        Weighted([(rule, rule.weight) for rule in family(name) if rule.name in protocols.STRESS])
    )
    return _do(gen, rule)


def stress_own(gen: Generator) -> bool:
    """One of the wrapper's own actions that stress callbacks, or objects beside those of the run. The
    run may keep the result of the call. False if there is no such action.
    """
    allowed = options.due(gen, stress=True)
    if not allowed.items or not gen.run.frame.has_solver:
        return False
    name = gen.stream.weighted(allowed)
    if name in gen.damped and gen.stream.random() >= DAMPED:
        return False
    if gen.stream.chance(KEPT):
        return _prepared(gen, RULES["hold"], lambda: _call(gen, name))
    return _call(gen, name)


def held(gen: Generator) -> bool:
    """Use the results that the run keeps; False if it keeps none."""
    return bool(gen.run.held) and _do(gen, RULES["held"])


def _do(gen: Generator, rule: Rule) -> bool:
    if gen.run.wrapper.contract.undefined("", rule.name):
        return False
    words = _operands(gen, rule)
    if (
        words is None
        or not protocols.sensible(gen.run, rule)
        or (rule.name in protocols.LIVING and gen.run.frame.ctx is None)
    ):
        return False
    what = next((_KINDS[word.letter] for word in words if isinstance(word, Ref)), "")
    if f"{rule.name}:{what}" in gen.damped and gen.stream.random() >= DAMPED:
        return False
    protocols.do(gen.run, rule, words, gen.run.line_seed())
    return True


_KINDS = {"t": "term", "s": "sort", "o": "solver", "c": "context", "x": "object"}


def _operands(gen: Generator, rule: Rule) -> list[Token] | None:
    """Ids and values for a line of `rule`."""
    stream = gen.stream
    if rule.name in protocols.SORTED:
        sorts = [
            entry
            for entry in gen.run.db.sorts.values()
            if entry.obj is not None and portable(entry.sort)
        ]
        return [Ref("s", stream.choose(sorts).id)] if sorts else None
    count = protocols.LEAST.get(rule.name, 1)
    if rule.name in protocols.MANY:
        count = stream.between(1, 6)
    objects = alive(gen.run)
    if rule.name in ("chain", "reflected", "index", "reread"):
        objects = [ref for ref in objects if ref.letter in "tx"]
    if rule.name in protocols.BEREAVED:
        objects = [ref for ref in objects if ref.letter == "x"]
    if count and not objects:
        return None
    words: list[Token] = [stream.choose(objects) for _ in range(count)]
    if rule.name == "index":
        words[1] = stream.choose((*NUMBERS, *NONE, *TYPES))
    if rule.name == "reflected":
        words[1] = stream.choose((Python(1), Python(True), Python(0.5), Python(1 << 64)))
    return words


def alive(run: Run) -> list[Ref]:
    """The ids of all objects that the run still has, terms first. The solver and the context stand
    in the list more than once, so that they are drawn more often.
    """
    found = [Ref("t", entry.id) for entry in run.db.terms.values() if entry.obj is not None]
    found += [
        Ref("s", entry.id)
        for entry in run.db.sorts.values()
        if entry.obj is not None and entry.sort.kind != "SORT_FUN"
    ]
    own = [
        ref
        for ref, obj in ((SOLVER, run.frame.solver), (CONTEXT, run.frame.ctx))
        if obj is not None
    ]
    found += [Ref("x", number) for number in run.objects.alive]
    return found + own * (1 + len(found) // 8)


def tear_down(gen: Generator) -> bool:
    """Drop the solver, the context, sorts and terms in any order. Between the drops, garbage is
    collected and what is left is used.
    """
    run, stream = gen.run, gen.stream
    doomed = list(dict.fromkeys(alive(run)))
    stream.shuffle(doomed)
    for ref in doomed[: stream.between(2, 12)] if stream.chance(0.7) else [SOLVER, CONTEXT]:
        if ref not in alive(run):  # an earlier step has dropped this object
            continue
        if ref.letter == "t":
            solve.drop(run, run.db.terms[ref.number], run.line_seed())
        else:
            solve.drop_other(run, ref, run.line_seed())
        if stream.chance(0.3):
            solve.collect(run, run.line_seed())
        if stream.chance(0.4):
            stress(gen, "protocol" if stream.chance(0.7) else "life")
    return True
