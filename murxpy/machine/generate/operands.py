"""Sensible operands for public callables, and the ways in which a run gets an object of a class: by
a recipe, a maker or a constructor.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from murxpy.machine.generate.base import Generator
from murxpy.machine.misuse import calls
from murxpy.machine.misuse.bad import CONTEXT
from murxpy.machine.misuse.calls import Nested
from murxpy.machine.misuse.rules import RULES
from murxpy.machine.misuse.values import NONE
from murxpy.machine.outcomes import Refused
from murxpy.machine.run import Run
from murxpy.machine.strangers import STRANGERS
from murxpy.machine.tokens import Python, Ref, read_tokens
from murxpy.solvers.callables import Callee, Parameter

# How many calls may make an operand of an operand. The longest chain that is needed is solver,
# parser, command, operands of the command.
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
    "stranger": tuple(STRANGERS),
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
