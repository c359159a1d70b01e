"""Choosing a public callable of the binding and its operands: first some that are meant well, then one of them at an edge."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from murxpy.machine.generate.base import Generator
from murxpy.machine.misuse import calls
from murxpy.machine.misuse.bad import CONTEXT
from murxpy.machine.misuse.calls import Nested
from murxpy.machine.misuse.rules import RULES
from murxpy.machine.misuse.values import FLOATS, NONE, NUMBERS, TEXTS, TYPES
from murxpy.machine.random import mix, point
from murxpy.machine.run import Refused, Run
from murxpy.machine.strangers import STRANGERS
from murxpy.machine.tokens import Python, Ref
from murxpy.solvers.callables import Callables, Callee, Parameter

THEMES = 3  # groups of callables that a run prefers, so that what a class needs comes together in one run
PREFERRED = 0.6
BURSTS = 4  # callables in a row
PLAIN_TRIES = 3  # calls that are meant well until one is accepted
EDGES = 3  # calls with one operand at an edge
MADE_DEPTH = 2  # calls that make an operand of an operand
DAMPED = 0.1
_NAMES = ("a", "b", "f", "x")
_TEXTS = ("a", "x y", "abc", "sat", "QF_BV", "simplify", "1", "0", "101", "3/4", "1.5", "(assert true)", "(check-sat)")
_LOST = ("term", "term", "term", "bool", "sort", "int", "str", "object", "object", "term*", "flag", "ctx", "sort*", "none")
_VALUES = frozenset(["int", "width", "str", "name", "float", "flag"])  # kinds that are plain data
_WEIGHTED_EDGES = {"int": (*NUMBERS, *NUMBERS, *FLOATS), "float": (*FLOATS, *NUMBERS), "str": TEXTS}


def bursts(gen: Generator) -> bool:
    """A few callables, each as `_burst`; False where the wrapper names no callables, or none was called."""
    return max([_burst(gen) for _ in range(BURSTS)])


def _burst(gen: Generator) -> bool:
    """A callable is called with operands that are meant well, then with one at an edge."""
    found = gen.run.wrapper.callables
    callee = _choose(gen, found)
    if callee is None or not _callable(gen.run, callee):
        return False
    plain = _accepted(gen, callee)
    for _ in range(EDGES):
        drawn = _edge(gen, callee, plain)
        if drawn is None:
            break
        words, at = drawn
        if _do(gen, "edge", callee, words) and _comparable(callee, plain[at], words[at], at):
            _do(gen, "alike", callee, words, at)
    return True


def _choose(gen: Generator, found: Callables) -> Callee | None:
    """A callable, most often of one of the run's themes; where a method has no object of its class, what makes one, if that is known."""
    if not found.callees:
        return None
    stream, groups = gen.stream, list(found.groups)
    if stream.chance(PREFERRED):
        theme = groups[int(point(mix(gen.run.seed, 7000 + stream.below(THEMES))) * len(groups))]
        candidates = found.groups[theme]
    else:
        candidates = list(found.callees.values())
    callee = stream.choose(candidates)
    if not _callable(gen.run, callee):
        callee = _maker(gen, found, callee)
    if f"call:{callee.name}" in gen.damped and stream.random() >= DAMPED:
        return None
    return callee


def _maker(gen: Generator, found: Callables, callee: Callee) -> Callee:
    """What makes an object of the class that the method `callee` belongs to: its constructor, or what the wrapper names."""
    names = found.makers.get(callee.group, [])
    own = [callee.group] if callee.group in found.callees else []
    choices = [*names, *own]
    if not choices:
        return gen.stream.choose(list(found.callees.values()))
    maker = found.callees[gen.stream.choose(choices)]
    if not _callable(gen.run, maker):
        return _maker(gen, found, maker) if maker.group != callee.group else maker
    return maker


def _callable(run: Run, callee: Callee) -> bool:
    """True if the run has an object to call the method of, or needs none."""
    return callee.owner is None or bool(_instances(run, callee.owner))


def _instances(run: Run, cls: type) -> list[Ref]:
    return [ref for ref, obj in calls.alive(run) if isinstance(obj, cls)]


def _accepted(gen: Generator, callee: Callee) -> list[Nested]:
    """The operands of a call that was accepted, else of the last that was tried; without the object that a method is called of."""
    words: list[Nested] = []
    for _ in range(PLAIN_TRIES):
        words = _operands(gen, callee)
        if _do(gen, "call", callee, words):
            break
    return words


def _do(gen: Generator, rule: str, callee: Callee, words: Sequence[Nested], at: int = 0) -> bool:
    """Make the call; True if the binding took it."""
    try:
        return not calls.do(gen.run, RULES[rule], callee.name, words, gen.run.line_seed(), at)
    except Refused:
        return False


def _operands(gen: Generator, callee: Callee) -> list[Nested]:
    words: list[Nested] = []
    if callee.owner is not None:
        words.append(gen.stream.choose(_instances(gen.run, callee.owner)))
    for parameter in gen.stream.choose(callee.forms):
        if parameter.optional and not _context(parameter) and gen.stream.chance(0.4):
            break
        for _ in range(gen.stream.between(0, 3) if parameter.many else 1):
            words.append(_operand(gen, parameter))
    return words


def _context(parameter: Parameter) -> bool:
    """True where the run's own context is to stand: what is left out may be the binding's own, which all runs share."""
    return "ctx" in parameter.kinds


def _operand(gen: Generator, parameter: Parameter) -> Nested:
    kinds = parameter.kinds or _LOST
    return _meant(gen, gen.stream.choose(kinds), parameter)


def _meant(gen: Generator, kind: str, parameter: Parameter) -> Nested:
    """A word for an operand of a kind; None where the run has nothing of it."""
    stream, run = gen.stream, gen.run
    if kind.endswith("*"):
        return [_meant(gen, kind[:-1], parameter) for _ in range(stream.between(1, 3))]
    plain = _PLAIN.get(kind)
    if plain is not None:
        word: Nested = stream.choose(plain)
        return word
    if kind == "ctx":
        return CONTEXT if run.frame.ctx is not None else Python(None)
    if kind in run.wrapper.callables.constants:
        return kind
    members = run.wrapper.callables.members(kind)
    if members:
        return stream.choose(members)
    found = _objects(gen, kind) or _made(gen, kind)
    return stream.choose(found) if found else Python(None)


def _made(gen: Generator, kind: str) -> list[Ref]:
    """The objects of a class, of which there are none yet, after a call that makes one if that is known."""
    callables = gen.run.wrapper.callables
    makers = [*callables.makers.get(kind, []), *([kind] if kind in callables.callees else [])]
    if makers and gen.depth < MADE_DEPTH:
        gen.depth += 1
        maker = callables.callees[gen.stream.choose(makers)]
        if _callable(gen.run, maker):
            _do(gen, "call", maker, _operands(gen, maker))
        gen.depth -= 1
    return _objects(gen, kind)


_PLAIN: dict[str, tuple[Any, ...]] = {
    "int": tuple(map(Python, (0, 1, 2, 3, 5, 8))),
    "width": tuple(map(Python, (1, 3, 4, 8, 16))),
    "flag": (Python(True), Python(False)),
    "float": tuple(map(Python, (0.0, 0.5, 1.5, -2.0))),
    "str": tuple(map(Python, _TEXTS)),
    "name": tuple(map(Python, _NAMES)),
    "none": NONE,
    "list": ([], [Python(1)], [Python("a")], [Python("a"), Python("b")]),
    "callback": ("function",),
    "stranger": tuple(STRANGERS),
}


def _objects(gen: Generator, kind: str) -> list[Ref]:
    """The objects of the run of a kind: terms, formulas, sorts, any, or those of a class."""
    alive = calls.alive(gen.run)
    if kind in ("term", "sort", "object"):
        letters = {"term": "t", "sort": "s", "object": "stx"}[kind]
        return [ref for ref, _ in alive if ref.letter in letters]
    if kind == "bool":
        terms = gen.run.db.terms
        return [ref for ref, _ in alive if ref.letter == "t" and terms[ref.number].term.sort.kind == "SORT_BOOL"]
    cls = gen.run.wrapper.callables.classes.get(kind)
    return [] if cls is None else [ref for ref, obj in alive if isinstance(obj, cls)]


def _edge(gen: Generator, callee: Callee, plain: Sequence[Nested]) -> tuple[list[Nested], int] | None:
    """The words with one operand at an edge, and which; None where there is no operand but the object of a method."""
    first = 0 if callee.owner is None else 1
    if len(plain) <= first:
        return None
    at = gen.stream.between(first, len(plain) - 1)
    parameter = _parameter(callee, at - first)
    if parameter.sealed:
        return None
    words = list(plain)
    words[at] = _broken(gen, plain[at], parameter)
    return words, at


def _parameter(callee: Callee, at: int) -> Parameter:
    form = next((form for form in callee.forms if at < len(form) or (form and form[-1].many)), ())
    return form[min(at, len(form) - 1)] if form else Parameter("")


def _broken(gen: Generator, word: Nested, parameter: Parameter) -> Nested:
    """Something else in the place of an operand: at an edge of its own type most often, else of another type or kind."""
    stream = gen.stream
    if isinstance(word, list) and word and stream.chance(0.5):
        words = list(word)
        at = stream.below(len(words))
        words[at] = _broken(gen, words[at], parameter)
        return words if stream.chance(0.7) else [*words, *word, *word]
    edges = _edges(word)
    if edges and stream.chance(0.75):
        return _limited(stream.choose(edges), parameter)
    choice = stream.below(5)
    if choice == 0:
        return NONE[0]
    if choice == 1:
        return stream.choose(TYPES)
    if choice == 2:
        return stream.choose(list(STRANGERS))
    if choice == 3:
        return _limited(stream.choose((*NUMBERS, *FLOATS, *TEXTS)), parameter)
    others = [ref for ref, _ in calls.alive(gen.run)]
    return stream.choose(others) if others else []


def _edges(word: Nested) -> tuple[Python, ...]:
    value = word.value if isinstance(word, Python) else None
    kind = next((name for cls, name in ((bool, ""), (int, "int"), (float, "float"), (str, "str")) if isinstance(value, cls)), "")
    return _WEIGHTED_EDGES.get(kind, ())


def _limited(word: Python, parameter: Parameter) -> Python:
    """The word, unless it is a number that only costs time here."""
    value = word.value
    large = isinstance(value, (int, float)) and parameter.most is not None and not abs(value) <= parameter.most
    return Python(parameter.most) if large else word


def _comparable(callee: Callee, before: Nested, after: Nested, at: int) -> bool:
    """True where a number or a text is at an edge, so that the call can be compared with another one.

    Where a term may stand, a number stands for a term: another rule looks at what becomes of it.
    """
    parameter = _parameter(callee, at - (callee.owner is not None))
    if not _VALUES.issuperset(parameter.kinds) or not isinstance(before, Python) or not isinstance(after, Python):
        return False
    return any(isinstance(before.value, cls) and isinstance(after.value, (cls, float)) for cls in (int, float, str))
