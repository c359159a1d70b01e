"""Choosing a public callable of the binding and its operands. A callable is first called with
sensible operands, and then with one operand that is at an edge.
"""

from __future__ import annotations

from collections.abc import Sequence

from murxpy.machine.generate.base import Generator
from murxpy.machine.generate.operands import do, operands, reachable
from murxpy.machine.misuse import calls
from murxpy.machine.misuse.calls import Nested
from murxpy.machine.misuse.values import FLOATS, NONE, NUMBERS, TEXTS, TYPES
from murxpy.machine.random import Stream, mix, point
from murxpy.machine.run import Run
from murxpy.machine.strangers import STRANGERS
from murxpy.machine.tokens import Python
from murxpy.solvers.callables import PROPERTY, Callables, Callee, Parameter

# The number of groups of callables that one run prefers. A class often needs objects that other
# callables of its group make.
THEMES = 3
# the share of bursts that use a preferred group; the others go through the run's own list
PREFERRED = 0.25
# The length of the run's own list of callables, which its seed draws uniformly from all. Nearly no
# run has that many bursts.
TURNS = 24
BURSTS = 4  # callables that one burst calls
PLAIN_TRIES = 3  # calls with sensible operands, until the binding accepts one
# The share of bursts that break an operand in the first call. Some callables never accept sensible
# operands, and end the run.
AT_ONCE = 0.5
EDGES = 3  # calls with one operand at an edge, for each callable
KEYWORDS = 0.2  # the share of bursts with a call that uses a keyword, or has too few operands
DAMPED = 0.1
# kinds of operands that are plain data
_VALUES = frozenset(["int", "width", "str", "name", "float", "flag"])
_WEIGHTED_EDGES = {"int": (*NUMBERS, *NUMBERS, *FLOATS), "float": (*FLOATS, *NUMBERS), "str": TEXTS}


def bursts(gen: Generator) -> bool:
    """Call a few callables, each as `_burst` does. False if the wrapper names no callables, or none
    was called.
    """
    return max([_burst(gen) for _ in range(BURSTS)])


def _burst(gen: Generator) -> bool:
    """Call a callable with sensible operands, and then with one operand at an edge. A callable
    without operands is called as often.
    """
    found = gen.run.wrapper.callables
    callee = _choose(gen, found)
    if callee is None or not reachable(gen, callee):
        return False
    plain = _accepted(gen, callee)
    if gen.stream.chance(KEYWORDS):
        _by_keyword(gen, callee, plain)
    for _ in range(EDGES):
        drawn = _edge(gen, callee, plain)
        if drawn is None:
            do(gen, "call", callee, operands(gen, callee))
            continue
        words, before, at = drawn
        if do(gen, "edge", callee, words) and _comparable(callee, before, words[at], at):
            do(gen, "alike", callee, words, at)
    return True


def _by_keyword(gen: Generator, callee: Callee, plain: Sequence[Nested]) -> None:
    """Make a call that uses a keyword: an unknown keyword, the first operand twice, or the last
    operand by its name; or a call without its last operand.
    """
    first, how = 0 if callee.owner is None else 1, gen.stream.below(4)
    form = max(callee.forms, key=len)
    if callee.name.startswith(PROPERTY) or any(parameter.sealed for parameter in form):
        return
    if how == 0:
        do(gen, "keyword", callee, plain, by=(calls.UNKNOWN, Python(1)))
    elif len(plain) > first and how == 1 and form and not form[0].many:
        do(gen, "keyword", callee, plain, by=(form[0].name, plain[first]))
    elif len(plain) > first and how == 2:
        do(gen, "keyword", callee, plain[:-1])
    elif (
        len(plain) > first
        and len(plain) - first <= len(form)
        and not form[len(plain) - first - 1].many
    ):
        do(gen, "keyword", callee, plain[:-1], by=(form[len(plain) - first - 1].name, plain[-1]))


def _choose(gen: Generator, found: Callables) -> Callee | None:
    """A callable: usually the next one on the run's list, otherwise one of a preferred group. None
    for a callable that a known finding is about.
    """
    if not found.callees:
        return None
    stream = gen.stream
    if gen.turns is None:
        gen.turns = turns(gen.run, found)
    if gen.turns and not stream.chance(PREFERRED):
        callee = found.callees[gen.turns.pop()]
    else:
        groups = list(found.groups)
        theme = groups[int(point(mix(gen.run.seed, 7000 + stream.below(THEMES))) * len(groups))]
        callee = stream.choose(found.groups[theme])
    if f"call:{callee.name}" in gen.damped and stream.random() >= DAMPED:
        return None
    return callee


def turns(run: Run, found: Callables) -> list[str]:
    """The list of callables that a run is going to call. It depends on the run's seed alone."""
    return Stream(mix(run.seed, 7100)).sample(list(found.callees), TURNS)


def _accepted(gen: Generator, callee: Callee) -> list[Nested]:
    """The operands of a call that the binding accepted, or of the last call that was tried. Now and
    then the operands are not tried at all.
    """
    words: list[Nested] = []
    at_once = gen.stream.chance(AT_ONCE)
    for _ in range(PLAIN_TRIES):
        words = operands(gen, callee)
        if at_once or do(gen, "call", callee, words):
            break
    return words


def _edge(
    gen: Generator, callee: Callee, plain: Sequence[Nested]
) -> tuple[list[Nested], Nested, int] | None:
    """The words of a call with one operand at an edge, the operand that stood there before, and its
    position. None for a call whose only operand is the object of a method.
    """
    first = 0 if callee.owner is None else 1
    if len(plain) <= first and any(callee.forms):
        plain = operands(gen, callee, all_of_them=True)
    if len(plain) <= first:
        return None
    at = gen.stream.between(first, len(plain) - 1)
    parameter = _parameter(callee, at - first)
    if parameter.sealed:
        return None
    words = list(plain)
    words[at] = _broken(gen, plain[at], parameter)
    return words, plain[at], at


def _parameter(callee: Callee, at: int) -> Parameter:
    form = next((form for form in callee.forms if at < len(form) or (form and form[-1].many)), ())
    return form[min(at, len(form) - 1)] if form else Parameter("")


def _broken(gen: Generator, word: Nested, parameter: Parameter) -> Nested:
    """Another word in the place of an operand. Most often it is of the same type and at an edge of
    it; otherwise it is of another type or kind.
    """
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
    kind = next(
        (
            name
            for cls, name in ((bool, ""), (int, "int"), (float, "float"), (str, "str"))
            if isinstance(value, cls)
        ),
        "",
    )
    return _WEIGHTED_EDGES.get(kind, ())


def _limited(word: Python, parameter: Parameter) -> Python:
    """The word itself. A number that would only cost time at this parameter becomes the largest
    number that the wrapper allows there.
    """
    value = word.value
    large = (
        isinstance(value, (int, float))
        and parameter.most is not None
        and not abs(value) <= parameter.most
    )
    return Python(parameter.most) if large else word


def _comparable(callee: Callee, before: Nested, after: Nested, at: int) -> bool:
    """True if a number or a text is at an edge, so that the call can be compared with a call that
    has another number or text.

    Where a term may stand, a number stands for a term, and another rule checks what becomes of the
    number.
    """
    parameter = _parameter(callee, at - (callee.owner is not None))
    if (
        not _VALUES.issuperset(parameter.kinds)
        or not isinstance(before, Python)
        or not isinstance(after, Python)
    ):
        return False
    return any(
        isinstance(before.value, cls) and isinstance(after.value, (cls, float))
        for cls in (int, float, str)
    )
