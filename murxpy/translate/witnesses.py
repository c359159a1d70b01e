"""Prints checks of models as Python: a fresh solver, to which each constant is given with its value
in the model, must not refute the assertions.
"""

from __future__ import annotations

from typing import Any

from murxpy.logic.terms import CONSTANT, subterms
from murxpy.machine.database import Entry
from murxpy.machine.outcomes import Refused
from murxpy.machine.run import Run
from murxpy.translate.expressions import Code


def model_rows(run: Run, number: int) -> list[str]:
    """Return the rows for the line `number`, which is a `check-model`. Raises Refused if the
    wrapper has no spelling for what they need.

    Functions get no values. So a model counts as wrong only if no functions complete its values.
    """
    formulas = list(dict.fromkeys([*run.state.asserted(), *run.state.assumptions]))
    terms = {entry.term: entry for entry in run.db.terms.values() if entry.obj is not None}
    constants = [
        t
        for t in sorted(subterms(e.term for e in formulas), key=lambda t: t.serial)
        if t.op == CONSTANT and t in terms
    ]
    plain = [terms[t] for t in constants if t.sort.kind != "SORT_FUN"]
    run.frame.fill()
    value = _source(run, "actions", "get-value-completion", "get-value", args=["c"])
    same = _source(run, "operators", "OP_EQUAL", args=["c", "v"])
    new = _source(run, "lifecycle", "new")
    added = _source(run, "actions", "assert-formula", args=["f"])
    answer = _source(run, "actions", "check-sat")
    return [
        f"values = [(c, {value}) for c in ({_names(plain)})]  # {number}: the model that was given",
        f"first, solver = solver, {new}",
        f"for f in [{same} for c, v in values] + [{_names(formulas)}]:",
        f"    {added}",
        f"satisfied({number}, {answer})",
        "solver = first",
    ]


def _source(run: Run, section: str, *keys: str, args: tuple[str, ...] | list[str] = ()) -> str:
    spellings: Any = next((found for key in keys if (found := run.wrapper.set(section, key))), None)
    if spellings is None:
        raise Refused("unsupported", f"no spelling of {keys[0]}")
    return str(spellings.spellings[0].call([Code(arg) for arg in args], (), run.frame))


def _names(entries: list[Entry]) -> str:
    return "".join(f"{entry.obj}, " for entry in entries).rstrip(" ")
