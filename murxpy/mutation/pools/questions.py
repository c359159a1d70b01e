"""What the solver under test is asked about a seed: a model of it, and the truth of formulas without
constants.
"""

from __future__ import annotations

from collections.abc import Sequence

from murxpy.logic.terms import Term
from murxpy.mutation.pools.fragments import QUANTIFIERS, unfixed
from murxpy.mutation.preparing import declaring
from murxpy.mutation.workshop import Workshop
from murxpy.smtlib.commands import Ask, Assert, CheckSat, SetOption
from murxpy.smtlib.printing.scripts import print_script
from murxpy.smtlib.reading.models import Model, read_printed_model
from murxpy.smtlib.script import Script

MOST_ASKED = 4  # formulas that the solver is asked about in one run; each costs two checks


def models(workshop: Workshop, script: Script, asserted: Sequence[Term]) -> list[Model]:
    """The solver's model of the assertions; if they are unsatisfiable, a model of their negation.
    Empty if the solver gives no model.
    """
    flat = alone(script, asserted)
    output = workshop.ask(asking(flat, workshop.shop.dialect))
    if output is not None and output.startswith("unsat"):
        negated = script.tables.apply("OP_NOT", script.tables.conjunction(list(asserted)))
        flat = alone(script, [negated])
        output = workshop.ask(asking(flat, workshop.shop.dialect))
    if output is None or not output.startswith("sat"):
        return []
    return [read_printed_model(output, flat)]


def asking(script: Script, dialect: str) -> str:
    """The text of a script that also asks for the model."""
    commands = [SetOption("produce-models", "true"), *script.commands, Ask("get-model")]
    return print_script(Script(script.name, script.tables, commands), dialect)


def alone(script: Script, formulas: Sequence[Term]) -> Script:
    """The declarations of a script, these assertions, and a check."""
    return Script(
        script.name, script.tables, [*declaring(script), *map(Assert, formulas), CheckSat()]
    )


def answered(workshop: Workshop, script: Script, formulas: Sequence[Term]) -> dict[Term, bool]:
    """The truth of those quantified formulas that have no constants in them, so that they are true
    or false whatever the assignment is, and of which the solver says which.

    The solver must call a formula satisfiable and its negation unsatisfiable, or the opposite. So if
    it answers an instance otherwise, it contradicts itself.
    """
    quantified = [formula for formula in formulas if formula.op in QUANTIFIERS]
    symbols, found = unfixed(quantified), {}
    for formula in [one for one in quantified if not symbols[one]][:MOST_ASKED]:
        answer = _answer(workshop, script, formula)
        if answer not in ("sat", "unsat"):
            break  # the next ones would take as long
        negation = script.tables.apply("OP_NOT", formula)
        if {answer, _answer(workshop, script, negation)} == {"sat", "unsat"}:
            found[formula] = answer == "sat"
    return found


def _answer(workshop: Workshop, script: Script, formula: Term) -> str:
    output = workshop.ask(print_script(alone(script, [formula]), workshop.shop.dialect))
    return (output or "").strip()
