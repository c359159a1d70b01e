"""The rules of contract mode: what each breaks or stresses, and the class of defect that it can find (docs/contract.md).

Classes: A lifetimes, B copies, C missing checks of arguments, D call order, E coercions and overloads, F values to and from
Python, G calls that do nothing, H threads.
"""

from __future__ import annotations

from dataclasses import dataclass

from murxpy.machine.misuse import values
from murxpy.machine.misuse.slots import MANAGER, MANY, NUMBER, SORT, TERM, TEXT, VALUE
from murxpy.machine.tokens import Python


@dataclass(frozen=True)
class Rule:
    """A way to break a call: `family` says how it is carried out, `slots` which operands, `bad` what may stand there.

    `bad` is a table of values, or the word for what is drawn from the run: `sort`, `kind`, `context`, `arity`, `stranger`.
    """

    name: str
    letter: str
    family: str
    about: str
    slots: tuple[str, ...] = ()
    bad: tuple[Python, ...] | str = ()
    weight: float = 10.0


_ALL = (NUMBER, TEXT, VALUE, TERM, SORT, MANY)

RULES: dict[str, Rule] = {
    rule.name: rule
    for rule in (
        Rule("none", "C", "value", "None for an operand", _ALL, values.NONE),
        Rule("type", "C", "value", "another Python type for an operand", _ALL, values.TYPES),
        Rule("raising", "C", "value", "an operand that raises whatever is asked of it, or no solver knows", _ALL, "stranger", 5),
        Rule("number", "F", "value", "a number at an edge for a width, an index, a count, a value", (NUMBER, VALUE), values.NUMBERS, 20),
        Rule("float", "F", "value", "a float for a width, an index, a value", (NUMBER, VALUE), values.FLOATS),
        Rule("text", "F", "value", "a symbol or a string with NUL, surrogates, bars, backslashes", (TEXT, VALUE), values.TEXTS),
        Rule("coercion", "E", "value", "a plain Python number or Boolean for a term", (TERM, MANY), (*values.COERCED,)),
        Rule("sort", "C", "object", "a term of another sort", (TERM, MANY), "sort"),
        Rule("kind", "C", "object", "a sort for a term, a term for a sort, a solver or a context for either", (TERM, MANY, SORT), "kind"),
        Rule("context", "A", "object", "an object of another context or term manager", (TERM, MANY, SORT, MANAGER), "context"),
        Rule("arity", "C", "object", "too few or very many operands", (MANY,), "arity"),
        Rule("order", "D", "order", "a call in a state that does not allow it"),
    )
}


def family(name: str) -> list[Rule]:
    """The rules of a family, in their order."""
    return [rule for rule in RULES.values() if rule.family == name]
