"""What a run with a planted model asserts and assumes: only what is true under that model."""

from __future__ import annotations

from typing import Any

from murxpy.logic.terms import Term
from murxpy.logic.values import LITERAL_KINDS
from murxpy.machine.checks.timing import timed
from murxpy.machine.database import Entry
from murxpy.machine.generate import leaves
from murxpy.machine.generate.apply import gen_term
from murxpy.machine.generate.base import Generator, sort_entry
from murxpy.machine.generate.planting import CHECK
from murxpy.machine.make import make_special
from murxpy.semantics.values import CannotSay, Value

LONGEST = 400  # characters, or bits of a number, of a literal that a term is set equal to
TRIES = 4


def holding(gen: Generator, entry: Entry) -> Entry | None:
    """A closed formula, or its negation where it is false under the planted model; None where that cannot be said.

    Without a planted model, the formula. Raises Refused.
    """
    planted = gen.run.planted
    if planted is None or not gen.planting:
        return entry
    with timed(gen.run, CHECK):
        truth = planted.truth(entry.term)
    gen.run.counts[f"planted-formula:{truth}"] += 1
    if truth is None:
        gen.run.db.give_up(entry)
        return None
    return entry if truth else gen_term(gen, gen.catalogue.operators["OP_NOT"], [entry])


def pinned(gen: Generator, entry: Entry) -> Entry | None:
    """An equation that says what a term is under the planted model: with a literal, or with another term of the same value.

    Drawn with the chance `planted-equality`; None where it is not, or there is none. Raises Refused.
    """
    planted, sort = gen.run.planted, entry.term.sort
    if planted is None or not gen.planting or sort.kind == "SORT_BOOL" or entry.term.free:
        return None
    equal = gen.catalogue.operators["OP_EQUAL"]
    if not gen.profile.operator_takes(equal, sort) or not gen.settings.chance("planted-equality", gen.stream):
        return None
    value = _value(gen, entry.term)
    if value is None:
        return None
    other = _literal(gen, entry, value) or _alike(gen, entry, value)
    return None if other is None else gen_term(gen, equal, [entry, other])


def _literal(gen: Generator, entry: Entry, value: Any) -> Entry | None:
    """The value of a term as a literal; None where its sort has none, or it would be too long."""
    sort = entry.term.sort
    if sort.kind == "SORT_RM":
        name = f"rm.{value}".lower()
        return make_special(gen.run, sort_entry(gen, sort), name, gen.run.line_seed()) if name in leaves.specials(gen, sort) else None
    if sort.kind not in LITERAL_KINDS or not gen.run.wrapper.set("values", sort.kind) or _long(value):
        return None
    return leaves.value(gen, sort, value)


def _long(value: Any) -> bool:
    if isinstance(value, str):
        return len(value) > LONGEST
    numbers = (value,) if isinstance(value, int) else (getattr(value, "numerator", None), getattr(value, "denominator", None))
    return any(not isinstance(number, int) or number.bit_length() > 4 * LONGEST for number in numbers)


def _alike(gen: Generator, entry: Entry, value: Value) -> Entry | None:
    """Another term of the same value among a few of its sort."""
    planted = gen.run.planted
    assert planted is not None
    for _ in range(TRIES):
        other = gen.run.db.pick(entry.term.sort, gen.stream, 0.5, closed=True)
        if other is not None and other.term is not entry.term and _value(gen, other.term) == value:
            return other
    return None


def _value(gen: Generator, term: Term) -> Value | None:
    try:
        with timed(gen.run, CHECK):
            return None if gen.run.planted is None else gen.run.planted.value(term)
    except CannotSay:
        return None
