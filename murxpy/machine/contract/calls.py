"""Whether the caller is to blame for an exception that Python itself raised, because an operand
lacks what the binding asked it for.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from murxpy.machine.contract import protocols, rules
from murxpy.machine.contract.broken import returned, threw
from murxpy.machine.contract.rules import Rule
from murxpy.machine.outcomes import Refused
from murxpy.machine.run import Run
from murxpy.machine.tokens import FOREIGN_OBJECTS, Python, Quoted, Ref, Token, print_token
from murxpy.solvers.exceptions import BROKEN, Thrown

# A missing name (NameError) in the binding's own code is always the fault of the binding.
_OWN_FAULT = ("NameError", "UnboundLocalError", "SystemError", "AssertionError", "SystemExit")
_LACKING = re.compile(r"(?:type object )?'(?:\w+\.)*(\w+)' (?:object )?has no attribute")


def asked_too_much(error: BaseException, operands: Sequence[Any], name: str) -> bool:
    """True if the exception is due to an operand that lacks an attribute or a key.

    The binding asked too much if the exception is an AttributeError whose object is among `operands`
    or in one of them, or a KeyError of a subscript or of an operand that is a dict. `operands` does
    not include the object of a method: what this object lacks is the binding's fault.

    Python's bindings use operands by what they can do. An operand of a wrong type is then refused
    by an AttributeError, which does no harm. If any other object lacks an attribute, the binding is
    at fault.
    """
    if isinstance(error, KeyError):
        return name.endswith(("__getitem__", ".getitem")) or any(
            isinstance(part, dict) for part in _parts(operands)
        )
    if not isinstance(error, AttributeError) or type(error).__name__ in _OWN_FAULT:
        return False
    asked = getattr(error, "obj", None)
    parts = list(_parts(operands))
    if asked is None:  # C code does not say which object lacks the attribute
        found = _LACKING.match(str(error))
        names = [
            inner.__name__ if isinstance(inner, type) else type(inner).__name__ for inner in parts
        ]
        return found is not None and found[1] in names
    # the object is the C handle of an operand that has another kind
    within = [inner for part in parts for inner in getattr(part, "__dict__", {}).values()]
    return any(asked is inner for inner in [*parts, *within]) or _plain(asked, parts)


def _plain(asked: Any, parts: Sequence[Any]) -> bool:
    """True if `asked` is plain data of a type that some operand has: it may be a copy of that
    operand.
    """
    return isinstance(asked, (bool, int, float, str, bytes, list, tuple, dict)) and any(
        type(asked) is type(inner) for inner in parts
    )


def _parts(values: Iterable[Any]) -> Iterator[Any]:
    for value in values:
        yield value
        if isinstance(value, dict):
            yield from _parts([*value, *value.values()])
        elif isinstance(value, (list, tuple)):
            yield from _parts(value)


# ----------------------------------------------------------------------
# Calls of the binding's public callables: the lines `misuse@RULE NAME words`. The name is
# looked up in the list of callables. A word is an id, a Python value, a foreign object (an object of
# Python's that is none of the solver's), the member of an enumeration (`cvc5.Kind.AND`), or a
# list of such words in brackets.


CALLS = ("call", "edge", "alike", "keyword")  # the rules of this module
OPEN, CLOSE, AT, BY = "[", "]", "at", "by"
UNKNOWN = "nobody_knows"  # a keyword that no callable takes
DEPTH = 4

Nested = Token | list[Any]


def grouped(words: Sequence[Token]) -> list[Nested]:
    """The words, with each part in brackets as a list. Raises ValueError if brackets do not match,
    or nest too deep.
    """
    stack: list[list[Nested]] = [[]]
    for word in words:
        if word == OPEN and len(stack) <= DEPTH:
            stack.append([])
        elif word == CLOSE and len(stack) > 1:
            inner = stack.pop()
            stack[-1].append(inner)
        elif word in (OPEN, CLOSE):
            raise ValueError(word)
        else:
            stack[-1].append(word)
    if len(stack) > 1:
        raise ValueError(OPEN)
    return stack[0]


def flat(words: Sequence[Nested]) -> list[Token]:
    """The words of nested lists, with brackets around each list; the opposite of `grouped`."""
    found: list[Token] = []
    for word in words:
        found += [OPEN, *flat(word), CLOSE] if isinstance(word, list) else [word]
    return found


def operand(run: Run, word: Nested) -> Any:
    """The object that a word stands for. Raises Refused where this release has no such member of an
    enumeration.
    """
    if isinstance(word, list):
        return [operand(run, inner) for inner in word]
    if isinstance(word, Python):
        return word.value
    if isinstance(word, Ref):
        known = rules.known(run, word)
        if known is None:
            raise Refused("unsupported", f"{word} is gone")
        return known
    if word in FOREIGN_OBJECTS:
        return run.stranger(str(word))
    return run.constant(str(word))


@dataclass(frozen=True)
class Call:
    """A call of the public callable `name` by `rule`. `by` is an operand that is passed by its
    name.

    With the rule `alike` the operand at `at` is changed, and the results of the calls are compared.
    """

    rule: Rule
    name: str
    words: Sequence[Nested]
    at: int = 0
    by: tuple[str, Nested] | None = None

    def line(self) -> str:
        """The words of its line."""
        ending: list[Token] = [AT, self.at] if self.rule.name == "alike" else []
        ending += [BY, Quoted(self.by[0]), *flat([self.by[1]])] if self.by else []
        return " ".join([self.name, *map(print_token, [*flat(self.words), *ending])])


def do(run: Run, call: Call, seed: int, number: int | None = None, keep: bool = False) -> bool:
    """`misuse@call NAME words`: make the call; True if the binding refused.

    An object that the call gives is entered under `number`, if there is a number; with `keep` it is
    entered although the run has as many as it keeps. Raises Stopped with a finding, Refused where
    the call cannot be made.
    """
    rule, name, by = call.rule, call.name, call.by
    operands = [operand(run, word) for word in call.words]
    named = {by[0]: operand(run, by[1])} if by else {}
    called = run.public(name)
    if not run.fits(name, operands):
        raise Refused("unsupported", f"no object that {name} is called of")
    run.begin(seed, "misuse", rule.name, call.line())
    run.counts[f"misuse:{rule.name}"] += 1
    run.counts[f"callable:{rule.name}:{name}"] += 1
    try:
        with run.binding_time():
            value = (
                run.apply(protocols.alike, called, operands, call.at)
                if rule.name == "alike"
                else run.made(called, operands, named)
            )
    except (Exception, SystemExit) as error:  # whatever a binding throws is an outcome
        _threw(run, rule, error, [*operands, *named.values()], name)
        return True
    if rule.name == "alike":
        returned(run, rule, None if value is None else run.wrapper.contract.caused(value), name)
        return False
    given = [*operands, *named.values()]
    fault = "takes a keyword that nobody knows" if UNKNOWN in named else None
    fault = fault or _unfit(rule, value, given) or _strays(value, given, run.frame.ctx)
    returned(run, rule, fault, name)
    run.counts[f"callable-taken:{name}"] += 1
    if number is not None or rule.name == "call" or _sound(call.words):
        _keep(run, value, number, keep)
    return False


def _unfit(rule: Rule, value: Any, operands: Sequence[Any]) -> str | None:
    """The promise that a result breaks by itself: it is no bytes where nobody gave bytes, and two
    objects of a result can be told apart by their texts.
    """
    parts = list(itertools.islice(_parts([value]), _MOST_PARTS))
    if any(isinstance(part, bytes) for part in parts):
        given = any(isinstance(part, bytes) for part in _parts(operands))
        return None if given else "gives bytes, and no text"
    if rule.name == "edge" and len(parts) > 1 and protocols.ambiguous(parts):
        return "gives two objects with one text"
    return None


def _strays(value: Any, operands: Sequence[Any], context: Any) -> str | None:
    """The promise that what is made of objects of one context belongs to that context. A later call can
    die of an object that does not: it is counted in a context which does not have it.
    """
    kind = type(context)
    parts = list(itertools.islice(_parts(operands), _MOST_PARTS))
    owners = [part for part in parts if type(part) is kind]
    owners += [owner for part in parts for owner in _owners(part, kind).values()]
    made = _owners(value, kind) if owners and type(value) is not kind else {}
    astray = [name for name, owner in made.items() if all(owner is not one for one in owners)]
    return f"gives an object of {STRAY}: its {astray[0]}" if astray else None


STRAY = "another context than its operands"


def _owners(part: Any, kind: type) -> dict[str, Any]:
    """The contexts that an object of the binding names as its own, by the names of its attributes."""
    if kind is type(None):
        return {}
    return {name: one for name, one in getattr(part, "__dict__", {}).items() if type(one) is kind}


_MOST_PARTS = 60  # parts of a result that are looked at


def _sound(words: Sequence[Nested]) -> bool:
    """True if the object that a call with an operand at an edge gives can be used like any other:
    all operands are objects, numbers and texts.
    """
    return all(
        isinstance(word, Ref)
        or (isinstance(word, Python) and isinstance(word.value, (int, float, str)))
        for word in flat(words)
    )


def _threw(run: Run, rule: Rule, error: BaseException, operands: list[Any], name: str) -> None:
    thrown = run.wrapper.contract.judge(error, run.wrapper.refusals)
    if thrown.sort == BROKEN and asked_too_much(error, operands[run.of_object(name) :], name):
        run.counts[f"misuse-untidy:{rule.name}"] += 1
        thrown = thrown.documented()
    if _blames_nothing(thrown) and _takes_nothing(run, name, operands):
        thrown = thrown.promised()
    error.__traceback__ = None
    threw(run, rule, thrown, name)


# Python's classes for a wrong operand, and its sentences for a wrong number of operands.
_OF_OPERANDS = ("TypeError", "OverflowError", "ArgumentError")
_MISCOUNTED = re.compile(r"\bargument|\bparameter|\bpositional|\bgiven\b")


def _blames_nothing(thrown: Thrown) -> bool:
    """True for an exception in the code of the binding that says that an operand is wrong."""
    told = thrown.type in _OF_OPERANDS and not _MISCOUNTED.search(thrown.message)
    return told and bool(thrown.place)


def _takes_nothing(run: Run, name: str, operands: Sequence[Any]) -> bool:
    """True if a callable was called as it must be, without operands, so that no operand can be
    wrong. Special methods are left out: by TypeError they say that an object has no such ability.
    """
    callee = run.wrapper.callables.callees[name]
    plain = not name.rpartition(".")[2].startswith("__")
    return plain and callee.forms == ((),) and len(operands) == run.of_object(name) == 1


def _keep(run: Run, value: Any, number: int | None, always: bool) -> None:
    """Enter an object that a call gave. Plain data is not kept, nor an object beyond the number
    that a run keeps.
    """
    if not run.holds(value) or (number is None and run.objects.full and not always):
        return
    number = run.objects.add(value, number)
    run.result(f"return x{number} {type(value).__name__}")


def alive(run: Run) -> list[tuple[Ref, Any]]:
    """The objects with which public callables are called, and their ids: terms, sorts, the context,
    and results of public callables.

    The run's solver is left out, because the rules that check it must know its assertions. The
    calls make solvers of their own.
    """
    found = [
        (Ref("t", entry.id), entry.obj) for entry in run.db.terms.values() if entry.obj is not None
    ]
    found += [
        (Ref("s", entry.id), entry.obj) for entry in run.db.sorts.values() if entry.obj is not None
    ]
    found += [(rules.CONTEXT, run.frame.ctx)] if run.frame.ctx is not None else []
    return found + [(Ref("x", number), obj) for number, obj in run.objects.alive.items()]
