"""The models of a seed: several of the solver's, or else one that is drawn, with the seed changed so
that it is true in it.
"""

from __future__ import annotations

from collections.abc import Sequence

from murxpy.logic.terms import Term
from murxpy.machine.random import Stream
from murxpy.mutation.diving.witness import Witness, drawn, modelled
from murxpy.mutation.pools.questions import alone, asking
from murxpy.mutation.workshop import Workshop
from murxpy.semantics.registry import Unknown
from murxpy.smtlib.commands import Assert, Command
from murxpy.smtlib.reading.models import Model, read_printed_model
from murxpy.smtlib.script import Script

MODELS = 3  # models of a seed, if the user does not say how many
OTHERS = 3  # constants of which one has another value in the next model


def witnesses(workshop: Workshop, script: Script, asserted: Sequence[Term]) -> list[Witness]:
    """Different models of these assertions, as many as the user wants and the solver gives."""
    found: list[Witness] = []
    more: list[Term] = []
    for _ in range(int(workshop.choices.get("models") or MODELS)):
        flat = alone(script, [*asserted, *more])
        output = workshop.ask(asking(flat, workshop.shop.dialect))
        if output is None or not output.startswith("sat"):
            break
        model = read_printed_model(output, flat)
        found.append(modelled(workshop, script, model, asserted))
        other = _another(workshop.stream, script, model)
        if other is None:
            break
        more.append(other)
    return found


def _another(stream: Stream, script: Script, model: Model) -> Term | None:
    """The formula that one of a few constants has another value than in a model; None if the model
    has no constants with literals for values.
    """
    tables = script.tables
    known = [
        tables.apply("OP_DISTINCT", constant, value)
        for constant, value in model.definitions.items()
        if value.literal
    ]
    chosen = stream.sample(known, OTHERS)
    if len(chosen) < 2:
        return chosen[0] if chosen else None
    return tables.apply("OP_OR", *chosen)


def negated(workshop: Workshop, script: Script) -> tuple[Script, list[Witness]] | None:
    """The script with all assertions true in drawn values of its constants: a false assertion is
    negated, and one that cannot be judged becomes `true`. None if no values can be drawn.
    """
    witness = drawn(workshop, script)
    if witness is None:
        return None
    commands: list[Command] = []
    for command in script.commands:
        if isinstance(command, Assert):
            value, term = witness.value(command.term), command.term
            if type(value) is Unknown:
                term = script.tables.true
            elif value is False:
                term = script.tables.apply("OP_NOT", term)
            commands.append(Assert(term, command.name))
        else:
            commands.append(command)
    return Script(script.name, script.tables, commands), [witness]
