"""The end of a program that shows that the answer unsat is wrong: the assertions have a model, which
another solver gave or murxpy planted.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from murxpy.logic.sorts import Sort
from murxpy.logic.terms import CONSTANT, SPECIAL, VALUE, Term
from murxpy.machine.database import Entry
from murxpy.machine.outcomes import Refused
from murxpy.machine.planting.lines import planted_of, satisfied
from murxpy.semantics.values import CannotSay
from murxpy.smtlib.printing.values import ValueTerms
from murxpy.translate.expressions import Code
from murxpy.translate.programs.calls import Calls
from murxpy.translate.programs.claim import Claim
from murxpy.translate.programs.sheet import ANSWER
from murxpy.translate.programs.vocabulary import (
    constants,
    equal,
    formulas,
    said,
    simplified_of,
    truth,
    without_assertions,
)

_ONLY_UNSAT = (
    f'if {ANSWER} != "unsat":\n    print("expected sat, got", {ANSWER})\n'
    f'    sys.exit(0 if {ANSWER} == "sat" else 2)'
)
_NOTE = "With these values of the constants, all assertions are true."


def satisfied_by_values(run: Calls, claim: Claim) -> None:
    """The simplifier finds each assertion true for the values of the constants."""
    entries, values = _model(run)
    yes, _ = truth(run)
    run.sheet.do(_ONLY_UNSAT)
    known = _named(run, values)
    made = []
    for entry in entries:
        code = str(entry.obj)
        for constant in constants(run, [entry.term]):
            code = said(
                run, "actions", ("substitute",), [Code(code), constant.obj, known[constant]]
            )
        made.append(f"str({simplified_of(run, code)})")
    run.sheet.do(
        f"values = [{', '.join(made)}]",
        "print('expected sat, because the assertions are', values, 'for values of the constants, got unsat')",
        f"sys.exit(1 if set(values) == {{{yes!r}}} else 2)",
    )


def satisfied_alone(run: Calls, claim: Claim) -> None:
    """Solved alone with the values of the constants, the assertions are satisfiable."""
    entries, values = _model(run)
    run.sheet.do(_ONLY_UNSAT)
    known = _named(run, values)
    claims = [*(str(e.obj) for e in entries), *(equal(run, e, v) for e, v in known.items())]
    with without_assertions(run):
        run.sheet.do(
            *(said(run, "actions", ("assert-formula",), [Code(one)]) for one in claims),
            f"second = str({said(run, 'actions', ('check-sat',), ())})",
            "print('expected sat, because with values of the constants the answer is', second + ', got unsat')",
            "sys.exit(1 if second == 'sat' else 2)",
        )


def _model(run: Calls) -> tuple[list[Entry], dict[Entry, Code]]:
    """The assertions of the last check, and the value of each of their constants. Raises Refused
    where the trace has no model of them, or where values cannot be written.
    """
    entries = formulas(run)
    if run.recorded != "unsat" or not satisfied(run, [entry.term for entry in entries]):
        raise Refused("unsupported", "no model refutes the answer")
    known = planted_of(run).interpretation.constants
    found: dict[Entry, Code] = {}
    for entry in constants(run, [entry.term for entry in entries]):
        try:
            term = ValueTerms(run.terms, run.sorts).term(known[entry.term], entry.term.sort)
        except (CannotSay, KeyError):
            raise Refused("unsupported", "a value cannot be written") from None
        found[entry] = _written(run, term)
    return entries, found


def _named(run: Calls, values: dict[Entry, Code]) -> dict[Entry, Code]:
    """Write a statement for the value of each constant."""
    if values:
        run.sheet.note(_NOTE)
    return {
        entry: run.sheet.define(str(code), f"{entry.term.indices[0]}_value", kept=True)
        for entry, code in values.items()
    }


def _written(run: Calls, term: Term) -> Code:
    """The source of a term that is a value."""
    if term.op == CONSTANT:
        raise Refused("unsupported", "an element of an uninterpreted sort cannot be written")
    if term.op == VALUE:
        return _leaf(run, "values", term.sort.kind, term.sort, term.indices[0])
    if term.op == SPECIAL:
        name = str(term.indices[0])
        return _leaf(run, "special-values", name, term.sort, name)
    args: Sequence[Any] = [_written(run, part) for part in term.args]
    filled = {"terms": term.args, "indices": term.indices, "result": term.sort}
    return said(run, "operators", (term.op,), args, **filled)


def _leaf(run: Calls, section: str, key: str, sort: Sort, value: Any) -> Code:
    return said(run, section, (key,), (), result=sort, value=value)
