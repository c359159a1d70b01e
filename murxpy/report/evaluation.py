"""A model and the values of assertions under it, read from a trace and written as lines."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from murxpy.foreign import escaped
from murxpy.trace.grammar import Trace


@dataclass(frozen=True, slots=True)
class Part:
    """A term in a false formula: its id, its value by our evaluator, and the solver's value where
    that is another one, else empty.
    """

    name: str
    ours: str
    theirs: str = ""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """A model, as the text of each symbol's value, and the formulas that it was asked about. Each
    formula has its id, and `true`, `false`, or the reason why its value is not known. `parts` are the
    terms in the false formulas, arguments first.
    """

    model: dict[str, str]
    holds: list[tuple[str, str]]
    parts: tuple[Part, ...] = ()


def read_evaluation(trace: Trace) -> Evaluation | None:
    """The evaluation that the last line `evaluate` with results recorded; None without such a line,
    for instance because no answer was sat.
    """
    for line in reversed(trace.lines):
        if line.action == "evaluate" and line.results and line.result("refused") is None:
            words = [
                (kind, [str(getattr(token, "text", token)) for token in tokens])
                for kind, tokens in line.results
            ]
            if any(kind == "holds" for kind, _ in words) or not any(
                kind in ("answer", "unread") for kind, _ in words
            ):
                model = {_symbol(names): value for _, (*names, value) in _of(words, "model")}
                holds = [(place, verdict.lower()) for _, (place, verdict) in _of(words, "holds")]
                return Evaluation(
                    model, holds, tuple(Part(*said) for _, said in _of(words, "value"))
                )
    return None


def _symbol(names: list[str]) -> str:
    """A symbol with the id of its term, if there is one: scripts have no ids."""
    return names[0] if len(names) == 1 else f"{names[1]} ({names[0]})"


def unread(trace: Trace) -> str:
    """The reason why the last script that was to be evaluated was not: the solver refused something,
    or its model could not be read. Empty where the script was evaluated.
    """
    for line in reversed(trace.lines):
        if (
            line.action == "evaluate"
            and line.args
            and (words := line.result("unread") or line.result("refused")) is not None
        ):
            return str(getattr(words[-1], "text", words[-1]))
    return ""


def _of(words: list[tuple[str, list[str]]], kind: str) -> Iterator[tuple[str, list[str]]]:
    return ((name, tokens) for name, tokens in words if name == kind)


def evaluation_lines(found: Evaluation) -> Iterator[str]:
    """The model, one constant a line, then the assertions, one a line. Symbols and texts in values may
    hold anything, so they are escaped.
    """
    yield from map(escaped, _evaluation_lines(found))


def _evaluation_lines(found: Evaluation) -> Iterator[str]:
    if not found.holds:
        yield "no model: no check answers sat with something asserted"
        return
    yield "model"
    width = max((len(name) for name in found.model), default=0)
    places = max(len(place) for place, _ in found.holds)
    for name, value in found.model.items():
        yield f"  {name:<{width}}  {value}"
    yield "assertions and assumptions"
    for place, verdict in found.holds:
        known = verdict in ("true", "false")
        yield f"  {place:<{max(places, 6)}} {verdict if known else f'cannot say: {verdict}'}"
    if found.parts:
        yield "terms in what is false"
    for part in found.parts:
        other = f", the solver says {part.theirs}" if part.theirs else ""
        yield f"  {part.name:<{max(places, 6)}} {part.ours}{other}"
