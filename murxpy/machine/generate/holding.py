"""Draws the assertions and assumptions of a run with a planted model: only formulas that are true in
that model.
"""

from __future__ import annotations

from typing import Any

from murxpy.logic.terms import SPECIAL, VALUE, Term
from murxpy.logic.values import LITERAL_KINDS, is_literal
from murxpy.logic.walks import bottom_up
from murxpy.machine.database import Entry
from murxpy.machine.generate import leaves
from murxpy.machine.generate.apply import Unfit, gen_term
from murxpy.machine.generate.base import Generator, sort_entry
from murxpy.machine.generate.leaves import CHECK
from murxpy.machine.make import make_special
from murxpy.machine.outcomes import Refused
from murxpy.machine.witnesses.solving import timed
from murxpy.semantics.values import CannotSay, Value
from murxpy.smtlib.printing.values import ValueTerms

# the largest literal that a term is set equal to, in characters, or in bits for a number
LONGEST = 400
TRIES = 4
PARTS = 20  # the largest number of parts of a value that is written as a term


def holding(gen: Generator, entry: Entry) -> Entry | None:
    """A closed formula that is true in the planted model: the given one, or its negation. The result
    is None if the formula has no known value. In a run without a planted model it is the given
    formula. Raises Refused.
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
    """An equation that gives the value of a term in the planted model: with a literal, or with
    another term of the same value.

    Such an equation is drawn with the chance `planted-equality`. The result is None if no equation is
    drawn, or there is none. Raises Refused.
    """
    planted, sort = gen.run.planted, entry.term.sort
    if planted is None or not gen.planting or sort.kind == "SORT_BOOL" or entry.term.free:
        return None
    equal = gen.catalogue.operators["OP_EQUAL"]
    if not gen.profile.operator_takes(equal, sort) or not gen.settings.chance(
        "planted-equality", gen.stream
    ):
        return None
    value = _value(gen, entry.term)
    if value is None:
        return None
    other = _literal(gen, entry, value) or _alike(gen, entry, value) or _made(gen, entry, value)
    return None if other is None else gen_term(gen, equal, [entry, other])


def _literal(gen: Generator, entry: Entry, value: Any) -> Entry | None:
    """The value of a term as a literal; None if its sort has no literals, or the literal would be
    too long.
    """
    sort = entry.term.sort
    if sort.kind == "SORT_RM":
        name = f"rm.{value}".lower()
        return (
            make_special(gen.run, sort_entry(gen, sort), name, gen.run.line_seed())
            if name in leaves.specials(gen, sort)
            else None
        )
    if (
        sort.kind not in LITERAL_KINDS
        or not gen.run.wrapper.set("values", sort.kind)
        or not is_literal(sort, value)
        or _long(value)
    ):
        return None
    return leaves.value(gen, sort, value)


def _long(value: Any) -> bool:
    """Whether a literal of the value would be too long."""
    if isinstance(value, str):
        return len(value) > LONGEST
    numbers = (value,) if isinstance(value, int) else (value.numerator, value.denominator)
    return any(number.bit_length() > 4 * LONGEST for number in numbers)


def _alike(gen: Generator, entry: Entry, value: Value) -> Entry | None:
    """Another term that has the same value, from a few terms of the same sort."""
    planted = gen.run.planted
    assert planted is not None
    for _ in range(TRIES):
        other = gen.run.db.pick(entry.term.sort, gen.stream, 0.5, closed=True)
        if other is not None and other.term is not entry.term and _value(gen, other.term) == value:
            return other
    return None


def _made(gen: Generator, entry: Entry, value: Value) -> Entry | None:
    """The value of a term, as a term of literals and constructors; None if the value is large, or
    cannot be written in this way.
    """
    try:
        term = ValueTerms(gen.run.terms, gen.run.sorts).term(value, entry.term.sort)
        parts: dict[Term, None] = {}
        for part in bottom_up(term, parts):
            parts[part] = None
        return _carried_out(gen, list(parts)) if len(parts) <= PARTS else None
    except (CannotSay, Unfit, Refused):
        return None


def _carried_out(gen: Generator, parts: list[Term]) -> Entry:
    """Write the lines that make the terms, arguments first, and give the last entry. Raises Unfit
    and Refused.
    """
    made: dict[Term, Entry] = {}
    for term in parts:
        if term.op == VALUE:
            made[term] = leaves.value(gen, term.sort, term.indices[0])
        elif term.op == SPECIAL:
            if term.indices[0] not in leaves.specials(gen, term.sort):
                raise Unfit
            made[term] = make_special(
                gen.run, sort_entry(gen, term.sort), str(term.indices[0]), gen.run.line_seed()
            )
        else:
            made[term] = _application(gen, term, [made[arg] for arg in term.args if arg in made])
    return made[parts[-1]]


def _application(gen: Generator, term: Term, args: list[Entry]) -> Entry:
    operator = gen.catalogue.operators.get(term.op)
    if (
        operator is None
        or len(args) < len(term.args)
        or not gen.profile.operator_takes(operator, term.sort)
    ):
        raise Unfit
    if any(
        gen.profile.literal(operator, at) and not arg.term.literal for at, arg in enumerate(args)
    ):
        raise Unfit
    wanted = sort_entry(gen, term.sort).sort if operator.signature.as_sort else None
    return gen_term(gen, operator, args, term.indices, wanted)


def _value(gen: Generator, term: Term) -> Value | None:
    try:
        with timed(gen.run, CHECK):
            return None if gen.run.planted is None else gen.run.planted.value(term)
    except CannotSay:
        return None
