"""Models of a seed, in which our evaluator gives the values of all terms."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from murxpy.logic.terms import Term
from murxpy.machine.planted import DOMAIN, TOO_LARGE, WORLDS, Judged
from murxpy.machine.random import Stream
from murxpy.semantics.domains import samples
from murxpy.semantics.evaluator import Evaluator
from murxpy.semantics.registry import Unknown
from murxpy.semantics.values import CannotSay, FunctionValue, Interpretation, Value
from murxpy.smtlib.printed_models import Model, declared, read_printed_model
from murxpy.smtlib.script import Assert, Command, Script
from murxpy.sources.mutation.assignments import alone, asking, best, recursive
from murxpy.sources.mutation.workshop import Workshop

# An evaluation ends after this many bodies of quantifiers, as in STORM's pools.
_LIMITS = {"domain": DOMAIN, "worlds": WORLDS, "bodies": 1 << 9}


class Witness:
    """An interpretation of the constants and functions of a script, and the values of all terms in
    it.

    `trusted` are formulas that are true in it although our evaluator may not be able to judge them,
    because the solver gave the interpretation as a model of them.
    """

    def __init__(
        self, workshop: Workshop, interpretation: Interpretation, trusted: Sequence[Term] = ()
    ) -> None:
        self._judged = Judged(workshop.shop.solvers_own)
        self.evaluator = Evaluator(workshop.catalogue, interpretation, **_LIMITS)
        self._trusted = dict.fromkeys(trusted)
        self._values: dict[Term, Any] = {}

    def value(self, term: Term) -> Any:
        """The value of a closed term; an Unknown if it cannot be said."""
        known = self._values
        if term not in known:
            known[term] = self._value(term)
        return known[term]

    def _value(self, term: Term) -> Any:
        if not self._judged(term):
            return Unknown("an operator whose meaning is the solver's own")
        try:
            return self.evaluator.known(term)
        except TOO_LARGE as error:
            return Unknown(f"too large: {error}")

    def holds(self, formula: Term) -> bool:
        """Whether a formula is true."""
        value = self.value(formula)
        return value is True or (type(value) is Unknown and formula in self._trusted)

    def trust(self, formula: Term, like: Term) -> None:
        """Let a formula that cannot be judged be true if another one is, which it is equal to."""
        if like in self._trusted:
            self._trusted[formula] = None

    def give(self, constant: Term, value: Value) -> None:
        """Give a new constant its value. No term that was evaluated contains it."""
        self.evaluator.interpretation.constants[constant] = value


def modelled(workshop: Workshop, script: Script, model: Model, asserted: Sequence[Term]) -> Witness:
    """A solver's model of these assertions. A constant that it leaves out may have any value, because
    solvers leave out those that do not matter; it gets one.
    """
    first = Evaluator(workshop.catalogue, model.interpretation(), **_LIMITS)
    interpretation = model.interpretation()
    values = interpretation.constants
    for constant, term in model.definitions.items():
        with suppress(CannotSay, *TOO_LARGE):
            values[constant] = first.value(term)
    defined = recursive(script)  # their definitions say what they are
    free = [constant for constant in declared(script) if constant not in defined]
    for constant in free if model.whole else ():
        if constant not in values and constant not in model.definitions:
            values.update((constant, value) for value in _any_value(constant, first))
    whole = all(constant in values for constant in free)
    return Witness(workshop, interpretation, asserted if whole else ())


def _any_value(constant: Term, evaluator: Evaluator) -> list[Value]:
    """A value of a constant that the model leaves out; none if no value of its sort is known."""
    if constant.sort.kind != "SORT_FUN":
        return list(samples(constant.sort, evaluator)[:1])
    return [FunctionValue(one) for one in samples(constant.sort.sorts()[-1], evaluator)[:1]]


def drawn(workshop: Workshop, script: Script) -> Witness | None:
    """Random values of all constants, as STORM draws them; None if none can be drawn."""
    assignment = best(workshop, script, script.assertions(), ())
    return None if assignment is None else Witness(workshop, assignment.interpretation)


# ----------------------------------------------------------------------
# The models of a seed: several of the solver's, or else one that is drawn, with the seed
# changed so that it is true in it.


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
    negated, and one that cannot be judged becomes `true`. The result is None if no values can be
    drawn.
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
