"""Which decided checks simplification alone settles: all assertions and assumptions simplify to
true or false.
"""

from __future__ import annotations

import argparse
import importlib
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import common
from children import Write, run_all

from murxpy.machine import solve
from murxpy.machine.database import Entry
from murxpy.machine.run import Run
from murxpy.worker.session import Session

Simplify = Callable[[Run, Any], str]


def settled(args: argparse.Namespace, session: Session, runs: int) -> dict[str, int]:
    """Counts of decided checks in `runs` other runs: `settled`, `open`, and `failed` where the
    simplifier refused.

    The binding is asked in the run itself, right after the answer, so nothing of this may be timed.
    """
    simplify = SIMPLIFIERS.get(session.wrapper.name)
    if simplify is None:
        return {}
    seen = _watch(session, simplify)

    def task(session: Session, seed: int, write: Write) -> dict[str, Any]:
        seen.clear()
        session.walk(seed, write)
        return dict(seen)

    total: Counter[str] = Counter()
    sample = argparse.Namespace(seed=args.seed + 77, runs=runs)
    for outcome in run_all(session, common.seeds(sample), task, jobs=1, wall=10.0):
        total.update(outcome.result)
    return dict(total)


def _watch(session: Session, simplify: Simplify) -> Counter[str]:
    """A counter that from now on gets every decided check of this process."""
    seen: Counter[str] = Counter()
    answered = solve._answered

    def watch(run: Run, answer: Any, assumptions: list[Entry], action: str) -> str:
        before = run.counts["check:decided"]
        text = answered(run, answer, assumptions, action)
        if run.counts["check:decided"] > before:
            entries = [*run.state.asserted(), *assumptions]
            seen[_judge(session, simplify, run, [entry.obj for entry in entries])] += 1
        return text

    solve._answered = watch
    return seen


def _judge(session: Session, simplify: Simplify, run: Run, objects: Sequence[Any]) -> str:
    if any(obj is None for obj in objects):
        return "failed"  # the run has let go of it
    conjunction = session.wrapper.conjunction
    try:
        whole = objects[0]
        if len(objects) > 1 and conjunction is not None:
            whole = conjunction(objects, (), run.frame)
        return "settled" if simplify(run, whole) in ("true", "false") else "open"
    except Exception:  # whatever the binding throws: the check is not counted
        return "failed"


def _z3(run: Run, term: Any) -> str:
    z3 = importlib.import_module("z3")
    simple = z3.simplify(term)
    return "true" if z3.is_true(simple) else "false" if z3.is_false(simple) else "open"


def _cvc5(run: Run, term: Any) -> str:
    solver = importlib.import_module("cvc5").Solver(run.frame.ctx)
    solver.setLogic("HO_ALL")
    return str(solver.simplify(term))


SIMPLIFIERS: dict[str, Simplify] = {"z3": _z3, "cvc5": _cvc5}
