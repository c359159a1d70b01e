"""The use of a rule at a place: a term of the form of one pattern becomes one of the form of the
other.
"""

from __future__ import annotations

from collections.abc import Callable

from murxpy.logic.sorts import Sort
from murxpy.logic.terms import Term
from murxpy.logic.typing import IllSorted
from murxpy.machine.random import Stream
from murxpy.mutation.implications.book import Use
from murxpy.mutation.implications.matching import Binding, Matcher, unbound
from murxpy.mutation.implications.rule import Patterns, range_of
from murxpy.semantics.evaluator import Evaluator
from murxpy.semantics.model import Interpretation
from murxpy.semantics.values import CannotSay
from murxpy.smtlib.substitution import substituted
from murxpy.smtlib.tables import Tables

_CONTEXTS = 12  # terms of the seed that are drawn for one metavariable that is a function

Draw = Callable[[Sort, bool], Term | None]
"""Draws a term of a sort for a metavariable that the matched pattern does not have: a literal if the
second argument says so. None if there is none.
"""


class Rewriter:
    """Uses rules on terms of `tables`. `sorts` are the sorts of which there are terms to draw."""

    def __init__(self, tables: Tables, stream: Stream, sorts: list[Sort], draw: Draw) -> None:
        self._tables = tables
        self._stream = stream
        self._sorts = sorts
        self._draw = draw
        self._matcher = Matcher(tables, stream)

    def rewrite(self, use: Use, term: Term) -> Term | None:
        """The term that the rule makes of `term`; None if the rule does not fit."""
        numbers = self._matcher.numbers(use.variant, use.old, term)
        if numbers is None or not self._indices(use, numbers):
            return None
        patterns = use.variant.at({name: numbers[name] for name in use.rule.numbers})
        if patterns is None:
            return None
        old, new = patterns.strong, patterns.weak
        if not use.weakening:
            old, new = new, old
        try:
            if use.rule.chain and len(term.args) > 2:
                made = self._chain(use, patterns, old, new, term)
            else:
                made = self._whole(patterns, old, new, term)
        except (IllSorted, KeyError):
            return None
        return None if made is term else made

    def _indices(self, use: Use, numbers: dict[str, int]) -> bool:
        """Draw those numbers that the matched term does not determine. False if one cannot be drawn."""
        for letter in use.rule.numbers:
            if letter in numbers and letter not in use.rule.indices:
                continue
            allowed = range_of(use.rule.indices.get(letter, ""), numbers)
            if not allowed or (letter in numbers and numbers[letter] not in allowed):
                return False
            numbers.setdefault(letter, self._stream.choose(allowed))
        return True

    def _whole(self, patterns: Patterns, old: Term, new: Term, term: Term) -> Term | None:
        known = Binding(root=old)
        if not self._matcher.match(patterns.metas, old, term, known):
            return None
        if not self._fill(patterns, new, known):
            return None
        made = self._matcher.make(patterns.metas, new, known)
        return self._tables.apply(term.op, *known.rest, made) if known.rest else made

    def _chain(self, use: Use, patterns: Patterns, old: Term, new: Term, term: Term) -> Term | None:
        """Use a rule about two arguments on an application to more of them."""
        operators = self._tables.catalogue.operators
        if term.op != old.op or operators[new.op].binary:
            return None
        one, other = use.rule.chain
        known, values = Binding(), list[Term]()
        for arg in term.args:
            known.terms.pop(one, None)
            if not self._matcher.match(patterns.metas, old.args[0], arg, known):
                return None
            values.append(known.terms[one])
        known.terms[other] = values[1]
        if not self._fill(patterns, new, known):
            return None
        made = []
        for value in values:
            known.terms[one] = value
            made.append(self._matcher.make(patterns.metas, new.args[0], known))
        return self._tables.apply(new.op, *made, indices=new.indices)

    def _fill(self, patterns: Patterns, new: Term, known: Binding) -> bool:
        """Draw terms for the metavariables that the matched pattern does not have, and say whether
        the condition of the rule holds. Raises KeyError if nothing can be drawn.
        """
        where = patterns.where
        bounded = [] if where is None else unbound(patterns, where, known)
        for meta in dict.fromkeys([*unbound(patterns, new, known), *bounded]):
            if meta.sort.kind == "SORT_FUN":
                if not self._context(patterns.metas[meta], meta.sort, known):
                    return False
                continue
            for letter in _letters(meta.sort):
                if letter not in known.sorts:
                    if not self._sorts:
                        return False
                    known.sorts[letter] = self._stream.choose(self._sorts)
            sort = self._matcher.sort_of(meta.sort, known)
            drawn = self._draw(sort, meta in bounded)
            if drawn is None:
                return False
            known.terms[patterns.metas[meta]] = drawn
        return where is None or self._holds(self._matcher.make(patterns.metas, where, known))

    def _context(self, name: str, sort: Sort, known: Binding) -> bool:
        """Let a metavariable that is a function be a term of the seed with a part left open. False if
        a few draws find none.
        """
        if len(sort.params) != 2 or not self._sorts:
            return False
        for _ in range(_CONTEXTS):
            term = self._draw(self._stream.choose(self._sorts), False)
            parts = [] if term is None else self._matcher.parts(term)
            fitting = [
                one for one in parts if self._matcher.unify(sort.sort(0), one.sort, known.copy())
            ]
            tried = known.copy()
            if (
                term is None
                or not fitting
                or not self._matcher.unify(sort.sort(1), term.sort, tried)
            ):
                continue
            part = self._stream.choose(fitting)
            self._matcher.unify(sort.sort(0), part.sort, tried)
            known.take(tried)
            variable = self._tables.variable("x", part.sort)
            body = substituted(self._tables, term, {part: variable})
            known.functions[name] = (variable,), body
            return True
        return False

    def _holds(self, condition: Term) -> bool:
        """Whether our evaluator finds a condition without constants and variables true."""
        if not condition.ground:
            return False
        try:
            return Evaluator(self._tables.catalogue, Interpretation()).value(condition) is True
        except CannotSay:
            return False


def _letters(sort: Sort) -> list[str]:
    """The capital letters in a pattern's sort."""
    if sort.kind == "SORT_UNINTERPRETED":
        return [str(sort.params[0])]
    return [letter for inner in sort.sorts() for letter in _letters(inner)]
