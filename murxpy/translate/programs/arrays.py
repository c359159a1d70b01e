"""The end of a program that shows arrays which the solver takes for different, although its model has
the same values in them.
"""

from __future__ import annotations

from murxpy.logic.terms import Term, subterms
from murxpy.machine.outcomes import Refused
from murxpy.translate.expressions import Code
from murxpy.translate.programs.calls import Calls
from murxpy.translate.programs.claim import Claim
from murxpy.translate.programs.vocabulary import SAT, equal_of, formulas, said, truth, value_of


def unequal_arrays(run: Calls, claim: Claim) -> None:
    """The solver's value of an equation of arrays, and whether they have the same value at each
    element of their index sort in the model. No other solver could be given these elements, for they
    have names of the solver's own.
    """
    _, no = truth(run)
    objects = {e.term: str(e.obj) for e in run.db.terms.values() if e.obj is not None}
    found = subterms([entry.term for entry in formulas(run)])
    equations = [t for t in sorted(found, key=lambda t: t.serial) if _of_elements(t)]
    pairs = [t.args for t in equations if all(arg in objects for arg in t.args)]
    if not pairs:
        raise Refused("unsupported", "no arrays over elements are compared")
    run.sheet.do(SAT)
    run.sheet.note("Arrays are equal where they have the same value at each element of the model.")
    told = []
    for one, other in pairs:
        index = run.sort_object(one.sort.sort(0))
        domain = said(run, "readers", ("domain",), [index])
        parts = [_element(run, term, objects[term]) for term in (one, other)]
        same = f"str(all({parts[0]} == {parts[1]} for element in {domain}))"
        equal = value_of(run, str(equal_of(run, one, objects[one], objects[other])))
        told.append(f"({same}, str({equal}))")
    run.sheet.do(
        f"values = [{', '.join(told)}]",
        "print('expected the same answer twice for each two arrays, got', values)",
        f"sys.exit(1 if ('True', {no!r}) in values else 0)",
    )


def _of_elements(term: Term) -> bool:
    """Whether a term compares two arrays whose index sort is uninterpreted."""
    if term.op not in ("OP_EQUAL", "OP_DISTINCT") or len(term.args) != 2 or term.free:
        return False
    sort = term.args[0].sort
    return sort.kind == "SORT_ARRAY" and sort.sort(0).kind == "SORT_UNINTERPRETED"


def _element(run: Calls, array: Term, code: str) -> Code:
    """The solver's value of an array at `element`."""
    args = [Code(code), Code("element")]
    return value_of(run, str(said(run, "operators", ("OP_ARRAY_SELECT",), args, terms=(array,))))
