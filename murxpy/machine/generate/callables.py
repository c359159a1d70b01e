"""Sensible operands for public callables, and the ways in which a run gets an object of a class: by
a recipe, a maker or a constructor.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from murxpy.machine.contract import calls
from murxpy.machine.contract.calls import Nested
from murxpy.machine.contract.rules import CONTEXT, RULES
from murxpy.machine.contract.values import FLOATS, NONE, NUMBERS, TEXTS, TYPES
from murxpy.machine.generate.base import Generator
from murxpy.machine.outcomes import Refused
from murxpy.machine.random import Stream, mix, point
from murxpy.machine.run import Run
from murxpy.machine.tokens import FOREIGN_OBJECTS, Python, Ref, read_tokens
from murxpy.solvers.callables import PROPERTY, Callables, Callee, Parameter

# The greatest depth of calls that make operands of operands. The longest chain that is needed is
# solver, parser, command, operands of the command.
MADE_DEPTH = 4
MAKERS = 3  # how many makers of a class are tried
_NAMES = ("a", "b", "f", "x")
_TEXTS = (
    "a",
    "x y",
    "abc",
    "sat",
    "QF_BV",
    "simplify",
    "1",
    "0",
    "101",
    "3/4",
    "1.5",
    "(assert true)",
    "(check-sat)",
)
_LOST = (
    "term",
    "term",
    "term",
    "bool",
    "sort",
    "int",
    "str",
    "object",
    "object",
    "term*",
    "flag",
    "ctx",
    "sort*",
    "none",
)
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
    "stranger": tuple(FOREIGN_OBJECTS),
}


def do(
    gen: Generator,
    rule: str,
    callee: Callee,
    words: Sequence[Nested],
    at: int = 0,
    keep: bool = False,
    by: tuple[str, Nested] | None = None,
) -> bool:
    """Make a call; True if the binding accepted it."""
    try:
        call = calls.Call(RULES[rule], callee.name, words, at, by)
        return not calls.do(gen.run, call, gen.run.line_seed(), keep=keep)
    except Refused:
        return False


def reachable(gen: Generator, callee: Callee) -> bool:
    """True if the callable can be called: it is no method, or the run has an object of its class,
    which may be made now.
    """
    if callee.owner is None or instances(gen.run, callee.owner):
        return True
    _make(gen, callee.group)
    return bool(instances(gen.run, callee.owner))


def instances(run: Run, cls: type) -> list[Ref]:
    """The objects of the run of a class."""
    return [ref for ref, obj in calls.alive(run) if isinstance(obj, cls)]


def operands(gen: Generator, callee: Callee, all_of_them: bool = False) -> list[Nested]:
    """Sensible operands, behind the object of a method. With `all_of_them`, optional operands are
    given, too.
    """
    words: list[Nested] = []
    if callee.owner is not None:
        words.append(gen.stream.choose(instances(gen.run, callee.owner)))
    forms = [form for form in callee.forms if form] if all_of_them else callee.forms
    for parameter in gen.stream.choose(forms):
        if (
            parameter.optional
            and not _context(parameter)
            and not all_of_them
            and gen.stream.chance(0.4)
        ):
            break
        for _ in range(gen.stream.between(int(all_of_them), 3) if parameter.many else 1):
            words.append(_operand(gen, parameter))
    return words


def _context(parameter: Parameter) -> bool:
    """True if the run's own context is passed. Without it the binding may take its main context,
    which all runs share.
    """
    return "ctx" in parameter.kinds


def _operand(gen: Generator, parameter: Parameter) -> Nested:
    return _meant(gen, gen.stream.choose(parameter.kinds or _LOST))


def _meant(gen: Generator, kind: str) -> Nested:
    """A word for a sensible operand of a kind; None if the run has no such operand."""
    stream, run = gen.stream, gen.run
    if kind.endswith("*"):
        return [_meant(gen, kind[:-1]) for _ in range(stream.between(1, 3))]
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
    found = _objects(gen, kind)
    if not found:
        _make(gen, kind)
        found = _objects(gen, kind)
    return stream.choose(found) if found else Python(None)


def _objects(gen: Generator, kind: str) -> list[Ref]:
    """The objects of the run of a kind: terms, formulas, sorts, any, or those of a class."""
    alive = calls.alive(gen.run)
    if kind in ("term", "sort", "object"):
        letters = {"term": "t", "sort": "s", "object": "stx"}[kind]
        return [ref for ref, _ in alive if ref.letter in letters]
    if kind == "bool":
        terms = gen.run.db.terms
        return [
            ref
            for ref, _ in alive
            if ref.letter == "t" and terms[ref.number].term.sort.kind == "SORT_BOOL"
        ]
    cls = gen.run.wrapper.callables.classes.get(kind)
    return [] if cls is None else [ref for ref, obj in alive if isinstance(obj, cls)]


def _make(gen: Generator, kind: str) -> None:
    """Make an object of a class of which the run has none: as the wrapper says, or else by the
    constructor of the class.
    """
    callables = gen.run.wrapper.callables
    cls = callables.classes.get(kind)
    own = [kind] if kind in callables.callees else []
    names, recipe = [*callables.makers.get(kind, []), *own], callables.recipes.get(kind, ())
    if cls is None or not (names or recipe) or gen.depth >= MADE_DEPTH:
        return
    gen.depth += 1
    for tries in range(MAKERS):
        if recipe and (not names or tries == MAKERS - 1 or gen.stream.chance(0.5)):
            follow(gen, recipe)
        else:
            maker = callables.callees[gen.stream.choose(names)]
            if reachable(gen, maker):
                do(gen, "call", maker, operands(gen, maker), keep=True)
        if instances(gen.run, cls):
            break
    gen.depth -= 1


def follow(gen: Generator, recipe: Sequence[str]) -> bool:
    """Make the calls of a recipe, one line each. False if the binding refuses one, or if one gives
    plain data where a later call needs an object.
    """
    given: list[Ref | None] = []
    for step in recipe:
        name, *words = _read(step)
        filled = [_filled(gen, word, given) for word in words]
        before = gen.run.objects.newest
        callee = gen.run.wrapper.callables.callees[str(name)]
        if None in filled or not do(
            gen, "call", callee, [word for word in filled if word is not None], keep=True
        ):
            return False
        newest = gen.run.objects.newest
        given.append(Ref("x", newest) if newest != before else None)
    return True


@lru_cache(maxsize=1 << 10)
def _read(step: str) -> list[Nested]:
    """The name of a recipe's callable, and its words."""
    return calls.grouped(read_tokens(step, "recipe", 1))


def _filled(gen: Generator, word: Nested, given: Sequence[Ref | None]) -> Nested | None:
    """The operand for one word of a recipe: the result of an earlier call (`$1`), the word itself,
    or an operand of the kind that the word names.
    """
    if isinstance(word, list):
        inner = [_filled(gen, each, given) for each in word]
        return None if None in inner else [each for each in inner if each is not None]
    if not isinstance(word, str):
        return word
    return given[int(word[1:]) - 1] if word.startswith("$") else _meant(gen, word)


# ----------------------------------------------------------------------
# Choosing a public callable of the binding and its operands. A callable is first called with
# sensible operands, and then with one operand that is at an edge.


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
    """A callable: usually the next one on the run's list, otherwise one of a preferred group. The
    result is None for a callable that a known finding is about.
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
    """The list of callables that a run is going to call. The choice depends on the run's seed alone."""
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
    position. The result is None for a call whose only operand is the object of a method.
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
        return stream.choose(list(FOREIGN_OBJECTS))
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
    """The word that is passed as the operand. A number that would only cost time at this parameter
    becomes the largest number that the wrapper allows there.
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
