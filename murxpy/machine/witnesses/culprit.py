"""The subject of a false assertion for which no operator can be blamed: its smallest part that,
asserted alone, also gets a wrong model.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from murxpy.logic.terms import Term, subterms
from murxpy.machine.outcomes import Refused, Stopped
from murxpy.machine.run import Run
from murxpy.machine.witnesses.anew import applied, call_first, fresh_solver
from murxpy.machine.witnesses.model import TOO_LARGE, Model, theories
from murxpy.machine.witnesses.rows import Unreadable
from murxpy.semantics.values import CannotSay

PARTS = 12  # parts that are tried, the smallest first


def subject(run: Run, formula: Term, objects: dict[Term, Any], reader: Any) -> list[str]:
    """The theories of the smallest atom of a false formula that gets a wrong model alone; if there
    is no such atom, the theories of the whole formula. BOOL is left out beside other theories.
    """
    atoms = [term for term in subterms([formula]) if _atom(run, term) and term in objects]
    atoms.sort(key=lambda term: (sum(1 for _ in subterms([term])), term.serial))
    wrong = (
        term
        for term in atoms[:PARTS]
        for denied in (False, True)
        if _wrong(run, term, objects[term], denied, reader)
    )
    found = theories(run, next(wrong, formula))
    return [name for name in found if name != "BOOL"] or found


def _atom(run: Run, term: Term) -> bool:
    """Whether a term is closed and Boolean, and neither a connective nor a constant."""
    operator = run.catalogue.operators.get(term.op)
    if operator is None or term.sort.kind != "SORT_BOOL" or term.free:
        return False
    return operator.theory != "BOOL" or any(part.sort.kind != "SORT_BOOL" for part in term.args)


def _wrong(run: Run, term: Term, obj: Any, denied: bool, reader: Any) -> bool:
    """Whether a fresh solver gives a model of a term, or of its negation, in which our evaluation
    finds it false.
    """
    with suppress(Refused, Stopped, CannotSay, Unreadable, *TOO_LARGE), fresh_solver(run):
        asserted = applied(run, "OP_NOT", [obj], (term,)) if denied else obj
        call_first(run, "assert-formula", (asserted,), terms=(term,))
        if str(call_first(run, "check-sat", ())) == "sat":
            return Model(run, [term], reader).judge(term) == ("true" if denied else "false")
    return False
