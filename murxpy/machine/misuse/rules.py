"""The rules of contract mode: what each breaks or stresses, and the class of defect that it can
find (docs/contract.md).

Classes: A lifetimes, B copies, C missing checks of arguments, D call order, E coercions and
overloads, F values to and from Python, G calls that do nothing, H threads.
"""

from __future__ import annotations

from dataclasses import dataclass

from murxpy.machine.misuse import values
from murxpy.machine.misuse.slots import MANAGER, MANY, NUMBER, SORT, TERM, TEXT, VALUE
from murxpy.machine.tokens import Python


@dataclass(frozen=True)
class Rule:
    """A way to break a call. `family` says how the rule is carried out, `slots` which operands it
    breaks, and `bad` what may stand in their place.

    `bad` is a table of values, or one word for what is drawn from the run: `sort`, `kind`,
    `context`, `arity` or `stranger`.
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
        Rule(
            "raising",
            "C",
            "value",
            "an operand that raises whatever is asked of it, or no solver knows",
            _ALL,
            "stranger",
            5,
        ),
        Rule(
            "number",
            "F",
            "value",
            "a number at an edge for a width, an index, a count, a value",
            (NUMBER, VALUE),
            values.NUMBERS,
            20,
        ),
        Rule(
            "float",
            "F",
            "value",
            "a float for a width, an index, a value",
            (NUMBER, VALUE),
            values.FLOATS,
        ),
        Rule(
            "text",
            "F",
            "value",
            "a symbol or a string with NUL, surrogates, bars, backslashes",
            (TEXT, VALUE),
            values.TEXTS,
        ),
        Rule(
            "coercion",
            "E",
            "value",
            "a plain Python number or Boolean for a term",
            (TERM, MANY),
            (*values.COERCED,),
        ),
        Rule("sort", "C", "object", "a term of another sort", (TERM, MANY), "sort"),
        Rule(
            "kind",
            "C",
            "object",
            "a sort for a term, a term for a sort, a solver or a context for either",
            (TERM, MANY, SORT),
            "kind",
        ),
        Rule(
            "context",
            "A",
            "object",
            "an object of another context or term manager",
            (TERM, MANY, SORT, MANAGER),
            "context",
        ),
        Rule("arity", "C", "object", "too few or very many operands", (MANY,), "arity"),
        Rule(
            "call",
            "C",
            "call",
            "a public callable of the binding with operands that are meant well",
        ),
        Rule(
            "edge",
            "C",
            "call",
            "a public callable of the binding with one operand at an edge, of another type or kind",
        ),
        Rule(
            "keyword",
            "C",
            "call",
            "an operand by its name, by a name that nobody knows, twice; one operand too few",
        ),
        Rule(
            "alike",
            "F",
            "call",
            "a public callable does not take two different numbers or texts for one",
        ),
        Rule("order", "D", "order", "a call in a state that does not allow it"),
        Rule(
            "hold",
            "D",
            "hold",
            "the result of a question is kept while the solver goes on",
            weight=15,
        ),
        Rule(
            "held",
            "D",
            "held",
            "what was kept is used, whatever has become of the solver",
            weight=15,
        ),
        Rule("copy", "B", "protocol", "copy.copy of an object"),
        Rule("deepcopy", "B", "protocol", "copy.deepcopy of an object"),
        Rule(
            "survive",
            "B",
            "protocol",
            "the deep copy of an object is used when the original is gone",
        ),
        Rule("pickle", "B", "protocol", "pickle of an object"),
        Rule("equality", "E", "protocol", "==, !=, hash and `in`, with itself and with strangers"),
        Rule("chain", "E", "protocol", "a == b == a"),
        Rule("iterate", "E", "protocol", "iteration and len"),
        Rule("index", "E", "protocol", "an index that there is none of"),
        Rule("truth", "E", "protocol", "bool of an object", weight=4),
        Rule("print", "F", "protocol", "str, repr and format", weight=4),
        Rule(
            "reread", "F", "protocol", "all ways to read a literal give the same value", weight=20
        ),
        Rule("reflected", "E", "protocol", "a + 1 and 1 + a"),
        Rule("cycle", "A", "life", "objects in a reference cycle, for the collector to take apart"),
        Rule(
            "finalizer",
            "A",
            "life",
            "a term whose last reference is in a cycle with a finalizer that uses it",
            weight=2,
        ),
        Rule("orphan", "A", "life", "a term that outlives its context, its solver and its sort"),
        Rule("exit", "A", "life", "the interpreter exits while objects are alive"),
        Rule(
            "thread", "H", "life", "the last reference is dropped and collected in another thread"
        ),
        Rule("race", "H", "life", "another thread collects while this one makes terms", weight=2),
        Rule(
            "threads",
            "H",
            "life",
            "threads with contexts of their own do the same at the same time",
            weight=3,
        ),
        Rule("signal", "H", "life", "signals come while a check runs", weight=3),
        Rule("kept", "G", "state", "the solver has the assertions that were made"),
        Rule(
            "recheck",
            "G",
            "state",
            "a fresh solver with the same assertions does not contradict this one",
        ),
    )
}


def family(name: str) -> list[Rule]:
    """The rules of a family, in their order."""
    return [rule for rule in RULES.values() if rule.family == name]
