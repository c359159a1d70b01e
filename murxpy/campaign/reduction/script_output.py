"""What a solver printed for a script that asks for evidence, and what that shows."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from murxpy.errors import InputError
from murxpy.logic.catalogue import Catalogue
from murxpy.logic.terms import Term
from murxpy.machine.witnesses.show import show
from murxpy.semantics.values import CannotSay, Value
from murxpy.smtlib.reading.models import read_printed_model
from murxpy.smtlib.reading.scripts import read_script
from murxpy.smtlib.syntax.lexer import solid, tokenize
from murxpy.smtlib.valuation import Valuation
from murxpy.translate.evidence import Asked

ANSWERS = ("sat", "unsat", "unknown")
# sentences that stand between answers
_NOISE = re.compile(r"^(?:WARNING: .*|[A-Z][a-z]+ .*\.)$", re.M)
_DECLARES = ("(declare", "(define", "(set-logic")
_PROBE = "murxpy.value"  # begins the names of constants that stand for printed values


def expressions(output: str) -> list[str]:
    """What a solver printed, one expression after another, without warnings. Nothing where it is no
    SMT-LIB.
    """
    text = _NOISE.sub("", output)
    try:
        tokens = tokenize(text, "output")
    except InputError:
        return []
    found, depth, start = [], 0, 0
    for token, at in zip(tokens, solid(text), strict=True):
        if depth == 0:
            start = at
        depth += (token == "(") - (token == ")")
        if depth == 0:
            found.append(text[start : at + len(token)])
    return found


def pair(expression: str) -> tuple[str, str]:
    """Term and value in an answer to `(get-value (TERM))`; empty texts where it is none."""
    inner = expressions(expression.strip()[1:-1])
    parts = expressions(inner[0][1:-1]) if len(inner) == 1 and inner[0].startswith("(") else []
    return (parts[0], parts[1]) if len(parts) == 2 else ("", "")


def answers(printed: Sequence[str]) -> list[str]:
    """The answers among printed expressions."""
    return [text for text in printed if text in ANSWERS]


def errors(printed: Sequence[str]) -> Iterator[str]:
    """The messages of the errors among printed expressions."""
    for text in printed:
        if text.startswith("(error"):
            yield text[6:-1].strip().strip('"').replace('""', '"')


@dataclass
class Replies:
    """The commands that ask for evidence, each with what the solver printed for it."""

    pairs: list[tuple[Asked, str]] = field(default_factory=list)

    @classmethod
    def of(cls, asked: Sequence[Asked], printed: Sequence[str]) -> Replies:
        """Lay what was printed last beside the commands. Nothing where the two do not fit."""
        speaking = [one for one in asked if one.kind != "silent"]
        count = len(speaking)
        if not count or len(printed) < count:
            return cls()
        return cls(list(zip(speaking, printed[-count:], strict=True)))

    def of_kind(self, *kinds: str) -> list[tuple[Asked, str]]:
        """The commands of some kinds, with what was printed."""
        return [(asked, text) for asked, text in self.pairs if asked.kind in kinds]

    def value(self, asked: Asked) -> str:
        """The printed value of a term; empty without one."""
        return next((pair(text)[1] for one, text in self.pairs if one is asked), "")


class Judged:
    """The values that a solver printed, judged by our evaluator under the model that it printed."""

    def __init__(self, script: str, replies: Replies, catalogue: Catalogue, dialect: str) -> None:
        # a solver gives some formulas no value, such as those with quantifiers
        asked = replies.of_kind(*_VALUED, "universe")
        valued = [one for one, _ in asked if one.kind == "formula" or replies.value(one)]
        rows = [row for row in script.splitlines() if row.startswith(_DECLARES)]
        given = [
            f"(define-fun {one.term} () {one.sort} {replies.value(one)})"
            for one in valued
            if one.kind == "constant"
        ]
        for at, one in enumerate(valued):
            rows += [f"(declare-const {_PROBE}{at} {one.sort})"]
            rows += [f"(assert (= {_PROBE}{at} {one.term}))"]
            if replies.value(one):
                given.append(f"(define-fun {_PROBE}{at} () {one.sort} {replies.value(one)})")
        model = next((text for _, text in replies.of_kind("model")), "()")
        self._equations: dict[Asked, Term] = {}
        try:
            made = read_script("\n".join(rows), "script", catalogue, dialect=dialect)
        except InputError:
            return
        if len(made.assertions()) != len(valued):
            return  # a declaration of the script stands in one line with an assertion
        self._terms = made.tables.terms
        self._equations = dict(zip(valued, made.assertions(), strict=True))
        universes = {
            term.args[0].sort: term.args[0]
            for one, term in self._equations.items()
            if one.kind == "universe"
        }
        known = read_printed_model(_with(model, given), made)
        self._valuation = Valuation(made, known, universes=universes)

    def holds(self, asked: Asked) -> bool | None:
        """Whether a formula is true under the model; None where it cannot be said."""
        if asked not in self._equations:
            return None
        found = self._value(self._equations[asked].args[1])
        return None if found is None else bool(found)

    def agrees(self, asked: Asked) -> bool | None:
        """Whether the printed value of a term is right if the printed values of its arguments are;
        None where it cannot be said.
        """
        if asked not in self._equations:
            return None
        equation = self._equations[asked]
        sides = (equation.args[0], self._of_printed(equation.args[1]))
        found = self._value(self._terms.apply(equation.op, sides, equation.indices, equation.sort))
        return None if found is None else bool(found)

    def right(self, asked: Asked) -> str:
        """The value that a term has if the printed values of its arguments are right; empty where it
        cannot be said.
        """
        term = self._equations[asked].args[1]
        found = self._value(self._of_printed(term))
        return "" if found is None else show(found, term.sort)

    def arguments(self, asked: Asked) -> list[Asked]:
        """The arguments of a term whose values were printed."""
        args = self._equations[asked].args[1].args
        known = {equation.args[1]: one for one, equation in self._equations.items()}
        return [known[arg] for arg in dict.fromkeys(args) if arg in known]

    def _of_printed(self, term: Term) -> Term:
        """The term with the printed values of its arguments in their place."""
        printed = {one.args[1]: one.args[0] for one in self._equations.values()}
        if not term.args or any(arg.free for arg in term.args):
            return term
        args = tuple(printed.get(arg, arg) for arg in term.args)
        return self._terms.apply(term.op, args, term.indices, term.sort)

    def _value(self, term: Term) -> Value | None:
        try:
            return self._valuation.value(term)
        except (CannotSay, InputError, OverflowError, MemoryError, RecursionError):
            return None


_VALUED = ("formula", "constant", "term")


def _with(model: str, given: Sequence[str]) -> str:
    """A printed model with more definitions."""
    body = model.strip()[1:-1].strip().removeprefix("model")
    return "\n".join(["(", body, *given, ")"])
