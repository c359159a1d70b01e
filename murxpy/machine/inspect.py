"""Self-checks of the objects that the binding gives. Each check is a line of the trace, so that its
findings replay.
"""

from __future__ import annotations

from typing import Any

from murxpy.logic.sorts import Sort
from murxpy.machine.database import Entry, SortEntry
from murxpy.machine.outcomes import CONTRACT, Stopped
from murxpy.machine.run import Run
from murxpy.solvers.frame import literal_value


def sort_facts(sort: Sort) -> dict[str, Any]:
    """Return the facts about a sort that helpers of the wrapper may know: its kind and its
    parameters, as plain data.
    """
    if sort.kind == "SORT_DT":
        return {
            "kind": sort.kind,
            "params": [sort_facts(s) for s in sort.sorts()],
            "name": sort.datatype.name,
        }
    return {
        "kind": sort.kind,
        "params": [sort_facts(p) if isinstance(p, Sort) else p for p in sort.params],
    }


def check_sort(run: Run, entry: SortEntry, seed: int, spelling: str | None = None) -> None:
    """`check-sort s`: the predicates, sizes and parameters of the sort's object are those that the
    line asked for.
    """
    _check(run, "check-sort", str(entry), entry.obj, sort_facts(entry.sort), seed, spelling)


def check_term(run: Run, entry: Entry, seed: int, spelling: str | None = None) -> None:
    """`check-term t`: the sort, the kind and the children of the object are those of the term."""
    facts = sort_facts(entry.term.sort)
    facts |= {
        "op": entry.term.op,
        "arity": len(entry.term.args),
        "indices": list(entry.term.indices),
    }
    _check(run, "check-term", str(entry), entry.obj, facts, seed, spelling)


def check_value(run: Run, entry: Entry, seed: int, spelling: str | None = None) -> None:
    """`check-value t`: the object of a literal has the value that was passed."""
    facts = sort_facts(entry.term.sort) | {"op": entry.term.op, "value": literal_value(entry.term)}
    if entry.term.op == "OP_SPECIAL":
        facts["special"] = entry.term.indices[0]
    _check(run, "check-value", str(entry), entry.obj, facts, seed, spelling)


def check_eq(run: Run, entry: Entry, seed: int, spelling: str | None = None) -> None:
    """`check-eq t`: equality, hash and order of the object, with itself and with others, are as
    Python promises.
    """
    _check(run, "check-eq", str(entry), entry.obj, sort_facts(entry.term.sort), seed, spelling)


def _check(
    run: Run,
    name: str,
    words: str,
    obj: Any,
    facts: dict[str, Any],
    seed: int,
    spelling: str | None,
) -> None:
    run.frame.fill(value=facts)
    chosen = run.choose(run.wrapper.set("self-checks", name), seed, spelling, name)
    run.begin(seed, name, chosen.name, words)
    broken = run.call(chosen, (obj, facts), (), name)
    if broken is not None:
        raise Stopped(
            run.finding(CONTRACT, "binding", str(broken), name, str(facts["kind"]), chosen.name)
        )
