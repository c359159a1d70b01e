"""Random points: the constants of a term that the solver made get values, and the folded term is
compared with our evaluation.

No search takes part: `substitute` puts literals in the place of constants, and `simplify` folds the
result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product
from math import prod
from typing import Any

from murxpy.logic.sorts import Sort
from murxpy.logic.terms import CONSTANT, Term
from murxpy.logic.values import LITERAL_KINDS, is_literal
from murxpy.logic.walks import subterms
from murxpy.machine.outcomes import Refused
from murxpy.machine.random import Stream, mix
from murxpy.machine.run import Run
from murxpy.machine.witnesses.model import CANNOT_SAY, UNDECIDED, differ, unjudged, with_universe
from murxpy.machine.witnesses.model_rows import Values
from murxpy.machine.witnesses.solving import call_first
from murxpy.semantics.evaluator import Evaluator
from murxpy.semantics.exact.floats import Format
from murxpy.semantics.values import CannotSay, Interpretation, Value

POINTS = 3  # points that are tried
CONSTANTS = 12  # the largest number of constants in a term that is folded
Point = dict[Term, Value]
DIFFERS, SAME = "differs", "same"


def every_point(run: Run, terms: Sequence[Term], most: int) -> list[Point] | None:
    """All points of the constants in `terms`; None where there are more than `most`, or where they
    are not known.
    """
    constants = literal_constants(run, terms)
    if constants is None or not most:
        return None
    known = Evaluator(run.catalogue, Interpretation(), domain=most)
    domains = [known.domain(constant.sort) for constant in constants]
    listed = [domain for domain in domains if domain]
    if len(listed) < len(domains) or prod(map(len, listed)) > most:
        return None
    return [dict(zip(constants, values, strict=True)) for values in product(*listed)]


def differs_at_a_point(
    run: Run, term: Term, made: Any, premises: Sequence[Term], seed: int
) -> bool:
    """Whether, at a random point that makes the premises true, the solver folds `made` to another
    value than our evaluation gives for `term`.
    """
    constants = literal_constants(run, [term, *premises])
    if constants is None:
        return False
    return compared(run, term, made, premises, _drawn(constants, seed)) == DIFFERS


def compared(
    run: Run, term: Term, made: Any, premises: Sequence[Term], points: Iterable[Point]
) -> str:
    """Compare the fold of `made` at those points that make the premises true: `differs` if the solver
    gives another value than our evaluation of `term` at one of them; `same` if both give the same
    value at all of them; and else `cannot-say`.
    """
    if term.sort.kind not in DRAWN or any(unjudged(run, t) for t in (term, *premises)):
        return CANNOT_SAY
    # only a model says what it is
    open_universe = run.wrapper.set("readers", "universe") is not None
    universes: dict[Sort, Value | None] = (
        dict.fromkeys(with_universe(subterms([term, *premises]))) if open_universe else {}
    )
    verdict = SAME
    for point in points:
        try:
            evaluator = Evaluator(run.catalogue, Interpretation(dict(point), universes=universes))
            ours = evaluator.value(term)
            if all(map(evaluator.value, premises)) and differ(
                evaluator, term.sort, ours, folded(run, made, term.sort, point)
            ):
                return DIFFERS
        except UNDECIDED:
            verdict = CANNOT_SAY
    return verdict


def _drawn(constants: Sequence[Term], seed: int) -> Iterator[Point]:
    stream = Stream(mix(seed, 0xB0D1E5))
    for _ in range(POINTS if constants else 1):
        yield {constant: draw(constant.sort, stream) for constant in constants}


def literal_constants(run: Run, terms: Sequence[Term]) -> list[Term] | None:
    """The constants in `terms`. The result is None if a constant has a sort without literals, was
    dropped, or if there are too many.
    """
    found = [term for term in subterms(terms) if term.op == CONSTANT]
    there = objects(run)
    usable = len(found) <= CONSTANTS and all(
        term.sort.kind in DRAWN and term in there for term in found
    )
    return sorted(found, key=lambda term: term.serial) if usable else None


def objects(run: Run) -> dict[Term, Any]:
    """The objects of the run's terms that were not dropped."""
    return {entry.term: entry.obj for entry in run.db.terms.values() if entry.obj is not None}


def folded(run: Run, made: Any, sort: Sort, point: Mapping[Term, Value]) -> Value:
    """The value to which the solver folds `made` with the values of a point in it. Raises
    CannotSay, Unreadable, Refused, Stopped.
    """
    there = objects(run)
    for constant, value in point.items():
        replaced = (made, there[constant], literal(run, constant.sort, value))
        made = call_first(run, "substitute", replaced, terms=(constant,) * len(replaced))
    simple = call_first(run, "simplify", (made,))
    reader = run.wrapper.set("readers", "value")
    if reader is None:
        raise CannotSay("the wrapper has no reader of literals")
    run.frame.fill()
    row = run.call(reader.spellings[0], (simple,), (), "simplify")
    if row is None:
        raise CannotSay("it is not folded to a literal")
    return Values([row], run.sorts, Evaluator(run.catalogue, Interpretation())).value(0, sort)


def literal(run: Run, sort: Sort, value: Value) -> Any:
    """The object of a literal. Raises Refused if the value has no literal, or this literal no
    spelling.
    """
    if sort.kind in LITERAL_KINDS and not is_literal(sort, value):
        raise Refused("unsupported", f"no literal of {sort} denotes the value")
    run.frame.fill(result=sort, value=value)
    found = (
        run.wrapper.set("special-values", f"rm.{value}".lower())
        if sort.kind == "SORT_RM"
        else run.wrapper.set("values", sort.kind)
    )
    chosen = None if found is None else found.pick(0.0, run.frame)
    if chosen is None:
        raise Refused("unsupported", f"no spelling of a literal of {sort}")
    return run.call(chosen, (), (), "mk-value")


def draw(sort: Sort, stream: Stream) -> Value:
    """A random literal of `sort`: a small one, one at an edge, or any. Raises KeyError for a sort
    that `DRAWN` does not have.
    """
    return DRAWN[sort.kind](sort, stream)


def _bv(sort: Sort, stream: Stream) -> int:
    width = sort.width
    edges = (
        0,
        1,
        -1,
        1 << (width - 1),
        (1 << (width - 1)) - 1,
        stream.below(8),
        stream.bits(width),
        stream.bits(width),
    )
    return stream.choose(edges) % (1 << width)


def _int(sort: Sort, stream: Stream) -> int:
    return stream.choose(
        (0, stream.between(-3, 3), stream.between(-20, 20), stream.bits(70) - (1 << 69))
    )


def _real(sort: Sort, stream: Stream) -> Fraction:
    return Fraction(_int(sort, stream), stream.choose((1, 1, 2, 3, 10)))


def _fp(sort: Sort, stream: Stream) -> int:
    form = Format(sort.number(0), sort.number(1))
    bits = stream.bits(sort.number(0) + sort.number(1))
    edge = stream.choose(
        (
            0,
            form.sign,
            form.infinity,
            form.sign | form.infinity,
            form.nan,
            1,
            form.infinity - 1,
            bits,
            bits,
            bits,
        )
    )
    return form.nan if edge & ~form.sign > form.infinity else edge


def _string(sort: Sort, stream: Stream) -> str:
    return "".join(stream.choose("ab01\u00e9") for _ in range(stream.below(4)))


DRAWN: dict[str, Callable[[Sort, Stream], Value]] = {
    "SORT_BOOL": lambda sort, stream: stream.chance(0.5),
    "SORT_BV": _bv,
    "SORT_INT": _int,
    "SORT_REAL": _real,
    "SORT_FP": _fp,
    "SORT_RM": lambda sort, stream: stream.choose(("RNE", "RNA", "RTP", "RTN", "RTZ")),
    "SORT_STRING": _string,
    "SORT_FF": lambda sort, stream: stream.below(sort.width),
}
