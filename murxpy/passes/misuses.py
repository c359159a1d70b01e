"""What else shows the defect of a misuse: other operands in the place of each operand of the last call,
and other calls with its operands. A title that names an operand or a call is false where another does as
well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import SequenceMatcher
from itertools import islice
from typing import Any

from murxpy.machine.contract.broken import WITH
from murxpy.machine.contract.calls import AT, BY, CLOSE, OPEN, grouped
from murxpy.machine.contract.rules import RULES
from murxpy.machine.replaying.defuse import Script, returned
from murxpy.machine.tokens import Python, Ref, Token, print_token
from murxpy.machine.trace.finished import Need
from murxpy.machine.trace.grammar import Line
from murxpy.passes.lines import put

_CALLED = ("call", "edge")  # rules whose lines are the call of a public callable, and nothing else
_NEAREST, _SHORTEST = (
    6,
    3,
)  # other calls that are tried: those whose names are most alike, and short ones
_OPERANDS = 4  # operands of a call in whose place others are tried
_COUNTED = ("cut", "times")  # words that say how many operands there are

# The plainest operands, with the words for them. Of a number and of a text others of its class come first.
_NUMBERS = ((Python(0), "0"), (Python(1), "1"), (Python(-1), "-1"))
_TEXTS = ((Python(""), "''"), (Python("a"), "'a'"))
_PLAIN = ((Python(None), "None"), (Python(0), "0"), (Python("a"), "'a'"), ("object", "object()"))

Shows = Callable[[Script], bool]


@dataclass(frozen=True, slots=True)
class Callables:
    """What a binding offers, as its session tells it: for each callable how many operands it takes at
    least and at most, for each class the names of itself and of those above it, and some members of each
    enumeration.
    """

    operands: Mapping[str, Sequence[int]] = field(default_factory=dict)
    bases: Mapping[str, Sequence[str]] = field(default_factory=dict)
    members: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @classmethod
    def told(cls, about: Mapping[str, Any]) -> Callables:
        """What the session tells of its solver; nothing where it tells nothing of its callables."""
        told = about.get("callables") or {}
        return cls(*(told.get(name) or {} for name in ("operands", "bases", "members")))


def tried(script: Script, callables: Callables, alike: Shows) -> Iterator[Need]:
    """What was tried in the last line of a script, where that is a misuse. `alike` tells whether another
    script ends in the same way.
    """
    if not script or script[-1].action != "misuse":
        return
    line, at = script[-1], len(script) - 1

    def sorted_out(others: Iterator[tuple[str, Line]]) -> tuple[str, str]:
        """The words for what shows it, and those for what does not."""
        found: dict[bool, list[str]] = {True: [], False: []}
        for words, other in others:
            found[alike(put(script, at, other))].append(words)
        return ", ".join(found[True]), ", ".join(found[False])

    for place in islice(places(line), _OPERANDS):
        others = _others(script, place, callables)
        yield Need("operand", str(place), *sorted_out(others), _in_words(script, place))
    told = sorted_out(other_calls(script, callables))
    if any(told):
        yield Need("called", str(line.args[0]), *told)


def places(line: Line) -> Iterator[int]:
    """The places of the operands in the words of a misuse, without the object of a method."""
    words = line.args
    rule = RULES.get(line.spelling or "")
    if rule is None or not words:
        return
    if rule.slots:
        at = max((k for k, word in enumerate(words) if word == WITH), default=0) + 2
        if at > 2 and at < len(words) and words[at] not in _COUNTED:
            yield at
    elif rule.name in _CALLED:
        method = of_method(words)
        yield from (k for k, word in enumerate(words) if k > method and word not in (OPEN, CLOSE))


def of_method(words: Sequence[Token]) -> int:
    """The place of the object on which a call is made, and 0 where it is no method."""
    owner = str(words[0]).rpartition(".")[0].rpartition(".")[2]
    return int(owner[:1].isupper() and len(words) > 1 and isinstance(words[1], Ref))


def _at(line: Line, place: int, token: Token) -> Line:
    """The line with another operand; what stands behind the bad operand of a broken call is a part of it."""
    rest = [] if RULES[line.spelling or ""].slots else line.args[place + 1 :]
    return replace(line, args=[*line.args[:place], token, *rest], results=[])


_OBJECTS = {"s": "a sort", "t": "a term", "o": "the solver", "c": "the context", "x": "an object"}


def _in_words(script: Script, place: int) -> str:
    """An operand of the last line in words."""
    own = script[-1].args[place]
    if not isinstance(own, Ref):
        return print_token(own).removeprefix("py:")
    name = _class_of(script, own)
    return f"{'an' if name[:1] in 'AEIOU' else 'a'} {name}" if name else _OBJECTS[own.letter]


def _others(script: Script, place: int, callables: Callables) -> Iterator[tuple[str, Line]]:
    """The last line with other operands, and the words for these: those of the class of a number or a text,
    or of its enumeration, then the plainest ones of other classes, then an object of the run.
    """
    own = script[-1].args[place]
    value = own.value if isinstance(own, Python) else None
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    given = [*(_NUMBERS if number else _TEXTS if isinstance(value, str) else ()), *_PLAIN]
    kind = str(own).rpartition(".")[0]
    given = [*((name, name) for name in callables.members.get(kind, ())), *given]
    made = [ref for line in script[:-1] for ref in returned(line)[:1]]
    for letter, words in (("s", "a sort"), ("t", "a term")):
        given += [(ref, words) for ref in made if ref.letter == letter][:1]
    known = {str(own)}
    for token, words in given:
        same = isinstance(own, Ref) and isinstance(token, Ref) and own.letter == token.letter
        if str(token) not in known and not same:
            known.add(str(token))
            yield words, _at(script[-1], place, token)


def other_calls(script: Script, callables: Callables) -> Iterator[tuple[str, Line]]:
    """Other callables with the operands of the last line, which calls one: the methods of its object, or
    functions beside it; those whose names are most alike first, then the shortest ones.
    """
    line = script[-1]
    if line.spelling not in _CALLED or {AT, BY} & {
        word for word in line.args if isinstance(word, str)
    }:
        return
    own, method = str(line.args[0]), of_method(line.args)
    try:
        count = len(grouped(line.args[1:])) - method
    except ValueError:
        return
    owner = own.rpartition(".")[0]
    named = _class_of(script, line.args[1]) if method else ""
    cls = next((name for name in callables.bases if name.rpartition(".")[2] == named), owner)
    groups = callables.bases.get(cls) or [owner] if method else [owner]
    found: dict[str, str] = {}
    for name, (least, most) in callables.operands.items():
        group, _, last = name.rpartition(".")
        fits = least <= count <= most and name not in callables.bases and name != own
        if fits and group in groups and last != own.rpartition(".")[2]:
            found.setdefault(last, name)
    last = own.rpartition(".")[2]
    nearest = sorted(found, key=lambda name: (-SequenceMatcher(None, last, name).ratio(), name))
    shortest = sorted(found, key=lambda name: (len(name), name))
    for name in dict.fromkeys((*nearest[:_NEAREST], *shortest[:_SHORTEST])):
        yield found[name], _at(line, 0, found[name])


def _class_of(script: Script, at: Token) -> str:
    """The name of the class of an object of the binding; empty where nobody says it."""
    made = (line.result("return") or [] for line in script[:-1])
    words = next((words for words in made if words[:1] == [at] and len(words) > 1), [])
    return str(words[-1]) if words and isinstance(at, Ref) and at.letter == "x" else ""
