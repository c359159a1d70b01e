"""A pass that replaces constants by their values in the model that the solver gives."""

from __future__ import annotations

from collections.abc import Callable, Collection
from contextlib import suppress
from typing import Any

from murxpy.checks.registry import ANSWERING
from murxpy.errors import InputError
from murxpy.logic.sorts import Sort, SortTable
from murxpy.logic.values import LITERAL_KINDS, write_value
from murxpy.machine.tokens import Quoted, Ref, Token
from murxpy.machine.witnesses.reading import Values
from murxpy.machine.witnesses.rows import Unreadable
from murxpy.passes.editing import made, put
from murxpy.passes.reduction import Reducer
from murxpy.passes.typed import Types
from murxpy.replaying.defuse import Script, definitions, returned, sort_of
from murxpy.semantics.evaluator import Evaluator
from murxpy.semantics.model import Interpretation
from murxpy.semantics.values import CannotSay
from murxpy.trace.grammar import Line, parse_trace

Written = Callable[[Script], str]  # the trace that a replay of a script writes; empty if unknown

_READ = ("get-value-completion", "get-value")  # the first of them that the wrapper spells is used
_MOST = 20  # constants whose values are read


class ModelValues:
    """Replaces constants by the values that the solver has for them behind its last answer.

    One replay, by `written`, reads the values of all constants of a script. `spelled` are the
    actions of the solver.
    """

    def __init__(self, types: Types, spelled: Collection[str], written: Written) -> None:
        self._types, self._written = types, written
        self._action = next((action for action in _READ if action in spelled), None)

    def run(self, reducer: Reducer[Script]) -> None:
        """Offer the values of all constants at once, then one by one."""
        values = self._values(reducer.best)
        whole = reducer.best
        for ref, words in values.items():
            whole = _with_value(whole, ref, words)
        reducer.offer([whole])
        for ref, words in values.items():
            reducer.offer([_with_value(reducer.best, ref, words)])

    def _values(self, lines: Script) -> dict[Ref, list[Token]]:
        """The words of the values of constants, as far as they are literals."""
        asked = [at for at, line in enumerate(lines) if line.action in ANSWERING]
        typed = self._types.of(lines)
        refs = [
            returned(line)[0]
            for line in lines[: asked[-1] if asked else 0]
            if line.action == "mk-const" and sort_of(line) is not None
        ]
        literal = [
            ref
            for ref in refs
            if ref in typed.terms and typed.terms[ref].sort.kind in LITERAL_KINDS
        ][:_MOST]
        if not literal or self._action is None:
            return {}
        reading = Line(self._action, [len(literal), *literal], 0)
        written = self._written((*lines[: asked[-1] + 1], reading))
        rows = dict(_rows(parse_trace(written, "values").lines[-1]) if written else ())
        read = ((ref, self._words(rows[ref], typed.terms[ref].sort)) for ref in rows)
        return {ref: words for ref, words in read if words is not None}

    def _words(self, row: tuple[Any, ...], sort: Sort) -> list[Token] | None:
        """The words of the literal that a row of the solver says."""
        evaluator = Evaluator(self._types.catalogue, Interpretation())
        with suppress(CannotSay, Unreadable, InputError, ValueError, TypeError, LookupError):
            words = write_value(sort, Values([row], SortTable(), evaluator).value(0, sort))
            return [Quoted(word) if isinstance(word, str) else word for word in words]
        return None


def _rows(line: Line) -> list[tuple[Ref, tuple[Any, ...]]]:
    """The terms whose values the line says, and the values as plain data."""
    return [
        (words[0], tuple(getattr(word, "text", word) for word in words[1:]))
        for name, words in line.results
        if name == "value" and words and isinstance(words[0], Ref)
    ]


def _with_value(lines: Script, ref: Ref, words: list[Token]) -> Script:
    """Make the constant `ref` a literal."""
    at = definitions(lines)[ref]
    sort = sort_of(lines[at])
    return put(lines, at, made("mk-value", [sort, *words], ref, sort)) if sort else lines
