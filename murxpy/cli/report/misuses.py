"""A misuse in words: the call of a public callable as Python writes it, or what is done to an object."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress

from murxpy.errors import InputError
from murxpy.machine.contract.rules import RULES
from murxpy.machine.tokens import Python, Quoted, Ref, Token
from murxpy.machine.trace.finished import Row, header_value
from murxpy.machine.trace.grammar import parse_trace
from murxpy.translate.expressions import literal

_LONGEST = 40  # letters of an operand
_MADE = re.compile(r"^ {0,20}return (x\d{1,9}) (\w{1,200})$", re.M)
# What stands for an object of the run, by the first letter of its id, and for an object that is none
# of the solver's.
_OBJECTS = {"t": "a term", "s": "a sort", "o": "the solver", "c": "the context", "x": "an object"}
# Words in the names of their classes; an object of the binding's own may be of any.
_CLASSES = {
    "t": ("Ref", "Term"),
    "s": ("Sort",),
    "o": ("Solver",),
    "c": ("Context", "Manager"),
    "x": ("",),
}
_STRANGERS = {
    "object": "object()",
    "class": "a class",
    "raising": "an object that raises",
    "function": "len",
    "[": "[",
    "]": "]",
}

# What a call is to somebody who does not know our names for them.
_SAID = {
    "check-abduct": "asking for an abduct",
    "check-assumptions": "reading the unsat assumptions",
    "check-core": "reading the unsat core",
    "check-elimination": "eliminating quantifiers",
    "check-interpolant": "asking for an interpolant",
    "check-model": "reading the model",
    "check-proof": "reading the proof",
    "check-simplify": "simplifying a term",
    "check-substitute": "substituting in a term",
    "check-values": "reading values",
    "del": "dropping an object",
    "delete": "dropping the solver and its context",
    "gc": "a garbage collection",
    "get-value-completion": "get-value",
    "misfit": "a definition that does not fit its declaration",
    "mk-const": "making a constant",
    "mk-sort": "making a sort",
    "mk-term": "making a term",
    "mk-value": "making a value",
}


# How a definition does not fit its declaration, by the last words of its spelling.
MISFITS = {
    "few": "too few operands",
    "many": "too many operands",
    "doubled": "one operand twice",
    "free": "a body with a free variable",
    "constant": "a constant in the place of a variable",
    "no-constant": "an operand that is no constant",
    "value": "a value in the place of an operand",
    "other-sort": "an operand of another sort",
    "other-result": "a body of another sort",
}


def said(action: str, solver: str = "") -> str:
    """What an action is to somebody who does not know our names for them."""
    name = action.removeprefix(f"{solver}-") if solver else action
    return _SAID.get(name, name)


def in_words(row: Row, trace: str) -> str:
    """What the misuse on a row of a trace calls, or the object that it stresses with what is done to it;
    empty where nobody can read it.
    """
    args: Sequence[Token] = ()
    with suppress(InputError):
        args = parse_trace(f"0 new\n0 misuse@{row.spelling} {row.words}\n", "").lines[-1].args
    if not args:
        return ""
    classes = dict(_MADE.findall(trace))
    first, rule = args[0], RULES.get(row.spelling)
    if isinstance(first, str) and "." in first:
        return f"{first}({_joined(_operands(args[_of_method(args, classes) :], classes))})"
    about = "" if rule is None else f" ({rule.about})"
    if isinstance(first, Ref):
        return f"{_object(first, classes)}{about}"
    spelled = _text(first, classes).partition("@")[2]
    how = MISFITS.get(spelled) or MISFITS.get(spelled.partition("-")[2], "")
    solver = header_value(trace, "solver").partition(" ")[0]
    return f"{said(row.call.operator, solver)}{how and f', {how},'}{about}"


def _of_method(args: Sequence[Token], classes: Mapping[str, str]) -> int:
    """The place of the first operand that a person writes: the object of a method stands before it."""
    owner = str(args[0]).rpartition(".")[0].rpartition(".")[2]
    own = args[1] if len(args) > 1 else ""
    of = _CLASSES.get(own.letter, ()) if isinstance(own, Ref) else ()
    return 2 if owner[:1].isupper() and any(word in owner for word in of) else 1


def _operands(args: Sequence[Token], classes: Mapping[str, str]) -> Iterator[str]:
    """The operands of a call. Those behind `by` have names; what follows `at` is none."""
    words = iter(args)
    named = False
    for word in words:
        if word == "at":
            return
        if word == "by":
            named = True
        elif named:
            value = next(words, None)
            yield f"{_text(word, classes)}={'' if value is None else _shown(value, classes)}"
        else:
            yield _shown(word, classes)


def _shown(word: Token, classes: Mapping[str, str]) -> str:
    if isinstance(word, Ref):
        return _object(word, classes)
    if isinstance(word, Python):
        text = literal(word.value)
        return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."
    return _STRANGERS.get(_text(word, classes), _text(word, classes))


def _object(word: Ref, classes: Mapping[str, str]) -> str:
    return classes.get(str(word), _OBJECTS.get(word.letter, "an object"))


def _text(word: Token, classes: Mapping[str, str]) -> str:
    return word.text if isinstance(word, Quoted) else str(word)


def _joined(operands: Iterator[str]) -> str:
    """The operands with commas between them, but behind the brackets of a list."""
    text = ", ".join(operands)
    return text.replace("[, ", "[").replace(", ]", "]")
