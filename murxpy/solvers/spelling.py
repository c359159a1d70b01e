"""Templates of spellings: Python expressions with placeholders, which are translated once into
source text.

The reproducer prints the same template with names in place of the placeholders, so it is the same
call as in the run.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from murxpy.errors import InputError
from murxpy.solvers.frame import Frame
from murxpy.solvers.guards import Guard

_PLACEHOLDER = re.compile(r"\{\{|\}\}|\{([^{}]*)\}|[{}]")
_RULES: list[tuple[re.Pattern[str], str]] = [
    # Python's int() need not take longer numbers
    (re.compile(rule.replace(r"\d+", r"\d{1,9}")), code)
    for rule, code in [
        (r"(-?\d+)", r"a[\1]"),
        (r"\*", r"*a"),
        (r"(\d+)\*", r"*a[\1:]"),
        (r"i(\d+)", r"i[\1]"),
        (r"i\*", r"*i"),
        (r"i(\d+)\*", r"*i[\1:]"),
        (r"n(\d+)", r"k.number(\1)"),
        (r"sort", r"k.sort"),
        (r"sort\.(\d+)", r"k.sort_param(\1)"),
        (r"sort\.\*", r"*k.sort_params()"),
        (r"sort(\d+)", r"k.arg_sort(\1)"),
        (r"sort(\d+)\.(\d+)", r"k.arg_sort_param(\1, \2)"),
        (r"p(\d+)", r"k.result.params[\1]"),
        (r"(\d+)\.p(\d+)", r"k.terms[\1].sort.params[\2]"),
        (r"vars", r"*k.variables(a)"),
        (r"body", r"a[k.bound]"),
        (r"pattern", r"a[k.bound + 1]"),
        (r"ctx", r"k.ctx"),
        (r"solver", r"k.solver"),
        (r"options", r"k.options"),
        (r"name", r"k.name"),
        (r"bound", r"k.bound"),
        (r"decls", r"k.value"),
        (r"v", r"k.value"),
        (r"v:([a-z0-9]+)", r"k.form('\1')"),
        (r"smtlib:([A-Za-z0-9_.+-]+)", r"k.smtlib('\1')"),
        (r"bad", r"k.bad"),
        (r"bad\*", r"*k.bad"),
    ]
]


@dataclass(frozen=True)
class Template:
    """A parsed template: its texts and placeholders in turn, its source, and how many arguments it
    names.
    """

    text: str
    parts: tuple[tuple[str, bool], ...]  # pairs of a text and whether it is a placeholder
    source: str
    arity: int | None  # how many arguments it takes; None if `{*}` takes any number

    def fill(self, name: Callable[[str], str]) -> str:
        """Return the template with each placeholder replaced by what `name` returns for it."""
        return "".join(name(text) if placeholder else text for text, placeholder in self.parts)


def parse_template(text: str, where: str) -> Template:
    """Read a template. The InputError that is raised for a wrong one names `where` and the unknown
    placeholder.
    """
    parts: list[tuple[str, bool]] = []
    at = 0
    for found in _PLACEHOLDER.finditer(text):
        parts.append((text[at : found.start()], False))
        at = found.end()
        token = found.group(0)
        if token in ("{{", "}}"):
            parts.append((token[0], False))
        elif found.group(1) is None:
            raise InputError(
                f"{where}: a lone '{token}' in '{text}' (write '{token}{token}' for a brace)"
            )
        else:
            parts.append((found.group(1), True))
    parts.append((text[at:], False))
    source = "".join(
        _code(part, where, text) if placeholder else part for part, placeholder in parts
    )
    return Template(
        text, tuple(p for p in parts if p[0] or p[1]), source, _arity([p for p, ph in parts if ph])
    )


def _code(placeholder: str, where: str, text: str) -> str:
    code = _known(placeholder)
    if code is None:
        raise InputError(f"{where}: unknown placeholder '{{{placeholder}}}' in '{text}'")
    return code


@cache
def _known(placeholder: str) -> str | None:
    """Return the code of a placeholder, or None if there is no such placeholder. Results are
    remembered, since thousands of templates have few different placeholders.
    """
    for rule, code in _RULES:
        found = rule.fullmatch(placeholder)
        if found:
            return found.expand(code)
    return None


def _arity(placeholders: list[str]) -> int | None:
    highest = 0
    for placeholder in placeholders:
        least = _arguments(placeholder)
        if least is None:
            return None
        highest = max(highest, least)
    return highest


@cache
def _arguments(placeholder: str) -> int | None:
    """Return how many arguments a placeholder needs at least, or None if it takes any number."""
    if placeholder in ("*", "vars", "body", "-1") or re.fullmatch(r"\d+\*", placeholder):
        return None
    found = re.fullmatch(r"n?(\d{1,9})(\.p\d{1,9})?", placeholder)
    return int(found.group(1)) + 1 if found else 0


# ----------------------------------------------------------------------
# Spellings: the ways in which a binding lets one thing be said. The functions are compiled from
# templates, and the seed of a line chooses one.


Compiled = Callable[[Sequence[Any], Sequence[Any], Frame], Any]


def counter_of(section: str, key: str, name: str) -> str:
    """Return the counter of the calls by a spelling. That of an operator has no section in it."""
    return (
        f"spelling:{key}@{name}" if section == "operators" else f"spelling:{section}:{key}@{name}"
    )


@dataclass(eq=False)
class Spelling:
    """A spelling: its stable name, its template, the compiled call, guards and weight, how it takes
    more arguments, the counter of its calls, and the question to the solver whether runs draw it
    now.
    """

    name: str
    template: Template
    call: Compiled
    guards: tuple[Guard, ...] = ()
    weight: float = 1.0
    fold: str | None = None
    fixed: bool = False  # it takes only as many arguments as the template names
    counter: str = ""
    drawn_while: Compiled | None = None

    def drawn(self, frame: Frame) -> bool:
        """Return whether a run may draw it for the call that `frame` holds."""
        return self.fits(frame) and (
            self.drawn_while is None or bool(self.drawn_while((), (), frame))
        )

    def fits(self, frame: Frame) -> bool:
        """Return whether it can spell the call that `frame` holds."""
        arity = self.template.arity
        count = len(frame.terms)
        # only a fold can take more arguments than the template names
        if (
            self.fixed
            and arity is not None
            and count != arity
            and (self.fold is None or count < arity)
        ):
            return False
        return all(guard(frame) for guard in self.guards)

    def folds(self, count: int) -> bool:
        """Return whether `count` arguments need the fold."""
        return (
            self.fold is not None
            and self.template.arity is not None
            and count > self.template.arity
        )


class SpellingSet:
    """All spellings of one thing. `pick` draws by weight one of those that fit the call."""

    __slots__ = ("_names", "_total", "spellings")

    def __init__(self, spellings: Sequence[Spelling]) -> None:
        self.spellings = list(spellings)
        self._names = {s.name: s for s in self.spellings}
        self._total = sum(s.weight for s in self.spellings)

    def __bool__(self) -> bool:
        return bool(self.spellings)

    def named(self, name: str) -> Spelling | None:
        """Return the spelling called `name`, or None if this release does not have it."""
        return self._names.get(name)

    def pick(self, point: float, frame: Frame) -> Spelling | None:
        """Return the spelling at `point` in [0, 1) of the weights, or the next one that may be drawn.
        Return None if there is none.
        """
        spellings = self.spellings
        count = len(spellings)
        if count == 1:
            return spellings[0] if spellings[0].drawn(frame) else None
        goal = point * self._total
        start = 0
        while start < count - 1:
            goal -= spellings[start].weight
            if goal < 0:
                break
            start += 1
        for step in range(count):
            spelling = spellings[(start + step) % count]
            if spelling.weight > 0 and spelling.drawn(frame):
                return spelling
        return None


def run_spelling(
    spelling: Spelling,
    args: Sequence[Any],
    indices: Sequence[Any],
    frame: Frame,
    conjunction: Compiled | None,
) -> Any:
    """Make the call. A template of two arguments is folded over more arguments as the spelling
    says.
    """
    if not spelling.folds(len(args)):
        return spelling.call(args, indices, frame)
    return _fold(spelling, list(args), indices, frame, conjunction)


def _fold(
    spelling: Spelling,
    args: list[Any],
    indices: Sequence[Any],
    frame: Frame,
    conjunction: Compiled | None,
) -> Any:
    terms = frame.terms

    def pair(left: int, right: int) -> Any:
        frame.terms = (terms[left], terms[right])
        return spelling.call([args[left], args[right]], indices, frame)

    try:
        if spelling.fold == "left":
            value = args[0]
            for other in args[1:]:
                value = spelling.call([value, other], indices, frame)
            return value
        if spelling.fold == "right":
            value = args[-1]
            for other in reversed(args[:-1]):
                value = spelling.call([other, value], indices, frame)
            return value
        count = len(args)
        if spelling.fold == "chain":
            pairs = [(k, k + 1) for k in range(count - 1)]
        else:
            pairs = [(j, k) for j in range(count) for k in range(j + 1, count)]
        parts = [pair(j, k) for j, k in pairs]
        if conjunction is None:
            raise TypeError(f"spelling '{spelling.name}' needs the wrapper's conjunction")
        return conjunction(parts, (), frame)
    finally:
        frame.terms = terms
