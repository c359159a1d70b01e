"""Questions about the last answer and about terms, whose results the run does not use."""

from __future__ import annotations

from fractions import Fraction

from murxpy.actions.base import Action, register
from murxpy.actions.picking import any_entry, values_to_read
from murxpy.logic.sorts import Sort
from murxpy.logic.values import LITERAL_KINDS
from murxpy.machine import solve
from murxpy.machine.database import Entry
from murxpy.machine.generate import leaves
from murxpy.machine.generate.base import Generator
from murxpy.trace.reading import Reading


@register("get-value")
class GetValue(Action):
    """`get-value n t..`."""

    def draw(self, gen: Generator) -> bool:
        run, stream = gen.run, gen.stream
        entries = values_to_read(gen)
        if not entries:
            return False
        completion = gen.settings.chance("value-with-completion", stream)
        action = (
            "get-value-completion"
            if completion and run.wrapper.set("actions", "get-value-completion")
            else "get-value"
        )
        values = solve.get_value(run, entries, action, run.line_seed())
        kept = 0
        for entry, value in zip(entries, values, strict=False):
            if (
                value is not None
                and kept < gen.settings.limit("model-values")
                and gen.settings.chance("keep-value", stream)
            ):
                kept += _keep_value(gen, entry.term.sort, value)
        return True

    def read(self, r: Reading) -> None:
        entries = r.counted_terms(0, closed=True)
        r.end(1 + len(entries))
        _needs_model(r)
        r.values(*(e.term.sort for e in entries))
        action = r.line.action
        if r.run.wrapper.set("actions", action) is None:
            action = "get-value"
        solve.get_value(r.run, entries, action, r.seed, r.spelling("actions", action))


@register("get-value-completion")
class GetValueCompletion(GetValue):
    """`get-value-completion n t..`: values of terms, including those that the model leaves open."""

    drawn = False


def _needs_model(r: Reading) -> None:
    state = r.run.state
    r.require(state.gives_model, f"no model: the last answer is {state.answer}")


def _keep_value(gen: Generator, sort: Sort, value: tuple[object, ...]) -> int:
    """Make a literal of the model a term of the run, by a `mk-value` line with its text."""
    kind = str(value[0])
    if sort.kind not in LITERAL_KINDS or kind != sort.short.lower().replace("reglan", ""):
        return 0
    number: object = value[-1]
    if kind == "real":
        number = Fraction(int(str(value[1])), int(str(value[2])))
    if number is None or (kind == "string" and any(ord(c) > 0x2FFFF for c in str(number))):
        return 0
    leaves.value(gen, sort, number)
    return 1


@register("get-info", "statistics", "get-assertions")
class Query(Action):
    """A question without operands whose result is not used."""

    def draw(self, gen: Generator) -> bool:
        if gen.run.wrapper.set("actions", self.name) is None:
            return False
        solve.query(gen.run, self.name, gen.run.line_seed())
        return True

    def read(self, r: Reading) -> None:
        r.end(0)
        self.require(r)
        r.require_spelling(r.run.wrapper.set("actions", self.name) is not None, self.name)
        solve.query(r.run, self.name, r.seed, r.spelling("actions", self.name))

    def require(self, r: Reading) -> None:
        """Raise Refused where the last answer does not allow the question."""


@register("reason-unknown")
class ReadQuery(Query):
    """A question that occurs only in traces, and is never drawn."""

    drawn = False


@register("get-model", "print-model")
class ModelQuery(Query):
    """A question for the whole model, as an object or as text."""

    def require(self, r: Reading) -> None:
        _needs_model(r)


@register("get-unsat-core")
class CoreQuery(Query):
    """A question for the unsat core."""

    def require(self, r: Reading) -> None:
        state = r.run.state
        r.require(state.gives_core, f"no core: the last answer is {state.answer}")


@register("get-unsat-assumptions")
class AssumptionsQuery(Query):
    """A question for the unsat assumptions."""

    def require(self, r: Reading) -> None:
        state = r.run.state
        r.require(
            state.gives_assumptions, f"no unsat assumptions: the last answer is {state.answer}"
        )


class OnTerms(Action):
    """An action on terms whose result the run does not keep."""

    def draw(self, gen: Generator) -> bool:
        entry = any_entry(gen)
        if (
            entry is None
            or gen.run.wrapper.set("actions", self.name) is None
            or entry.term.sort.kind == "SORT_FUN"
        ):
            return False
        solve.on_terms(gen.run, self.name, [entry], gen.run.line_seed())
        return True

    def read(self, r: Reading) -> None:
        entries = self.operands(r)
        r.require_spelling(r.run.wrapper.set("actions", self.name) is not None, self.name)
        r.values(*(e.term.sort for e in entries))
        solve.on_terms(r.run, self.name, entries, r.seed, r.spelling("actions", self.name))

    def operands(self, r: Reading) -> list[Entry]:
        """The terms that the current line names. Raises InputError."""
        entry = r.term(0)
        r.end(1)
        return [entry]


register("term-get-children")(OnTerms)
