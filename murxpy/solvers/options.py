"""The options that a release of a solver has. The solver itself tells its names, types, ranges and
categories; the wrapper adds weights, theories, and the options that runs never draw, with reasons.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import Any

from murxpy.errors import InputError, nearest
from murxpy.solvers.facts import Facts, Option, option_text

NONE, LISTED, SAFE, ALL = "none", "listed", "safe", "all"
# By the name of a set, the categories of the options in it. A release that does not tell the
# categories of its options has regular options only.
_CATEGORIES = {"common": ("common",), "regular": ("common", "regular")}
_CATEGORIES[SAFE] = _CATEGORIES["regular"]
SETS = (NONE, LISTED, *_CATEGORIES, ALL)

_WEIGHT = 0.5  # of an option without an entry in the wrapper
_WHOLE = (0, 1, 2, 5, 10, 100, 1000)  # values of numbers without a range of the wrapper
_BROKEN = (0.0, 0.1, 0.5, 1.0, 2.0)

Read = Sequence[Mapping[str, Any]]  # what a solver tells of its options, one entry for each


def completed(facts: Facts, read: Read) -> Facts:
    """Return the facts with what the loaded release tells of its options. Options that the wrapper
    does not list, and does not exclude, stand behind all others.
    """
    if not read or facts.options is None:
        return facts
    told = {entry["name"]: entry for entry in read}
    every = [_told(option, told.get(option.name)) for option in facts.every_option]
    own = len(facts.options)
    names = {option.name for option in every}
    names |= {alias for name in names if name in told for alias in told[name].get("aliases") or ()}
    further = tuple(
        _unlisted(entry, facts)
        for entry in read
        if entry["name"] not in names and not excluded(facts, entry)
    )
    return replace(
        facts,
        options=(*every[:own], *further),
        every_option=(*every, *further),
    )


def excluded(facts: Facts, entry: Mapping[str, Any]) -> str:
    """Return why no run draws an option that the solver has: a clause that goes on after its name.
    The clause is empty if runs may draw the option.
    """
    name = str(entry["name"])
    if entry.get("alias-of"):
        return "is another name of an option"
    for pattern, because in facts.undrawn:
        if _fits(name, pattern):
            return because
    for whole in (name, facts.script_option_prefix + name):
        if because := facts.forbidden.reason(whole):
            return because
    return "" if _values(entry) else "takes any text"


def _fits(name: str, pattern: str) -> bool:
    """`fnmatchcase`, without a regular expression for a name and for what it begins with: solvers
    have hundreds of options, and wrappers a hundred patterns, most of which are so.
    """
    start, star, rest = pattern.partition("*")
    if rest or "?" in start or "[" in start:
        return fnmatchcase(name, pattern)
    return name.startswith(start) if star else name == start


def _told(option: Option, entry: Mapping[str, Any] | None) -> Option:
    """The option of a wrapper, as the release has it."""
    if entry is None:
        return option
    modes = tuple(map(option_text, entry.get("values") or ()))
    values = tuple(v for v in option.values if not modes or option_text(v) in modes)
    category = str(entry.get("category", ""))
    if option.type:
        return replace(option, values=values or option.values, category=category)
    values = () if entry["type"] == "bool" else _values(entry)
    return replace(option, type=str(entry["type"]), values=values, category=category)


def _unlisted(entry: Mapping[str, Any], facts: Facts) -> Option:
    name = str(entry["name"])
    theories = [
        theory
        for theory, patterns in facts.option_theories.items()
        if any(_fits(name, pattern) for pattern in patterns)
    ]
    return Option(
        name,
        str(entry["type"]),
        () if entry["type"] == "bool" else _values(entry),
        weight=_WEIGHT,
        theories=tuple(theories),
        category=str(entry.get("category", "")),
        listed=False,
    )


def _values(entry: Mapping[str, Any]) -> tuple[Any, ...]:
    """The values that are drawn of an option; none if the solver does not tell what it takes."""
    if entry.get("values"):
        return tuple(entry["values"])
    kind = entry["type"]
    if kind == "bool":
        return (False, True)
    if kind not in ("int", "float"):
        return ()
    default, low, high = (entry.get(key) for key in ("default", "min", "max"))
    numbers = [*(_WHOLE if kind == "int" else _BROKEN), *([] if default is None else [default])]
    inside = [n for n in numbers if (low is None or n >= low) and (high is None or n <= high)]
    return tuple(dict.fromkeys(inside))


def chosen(facts: Facts, words: Sequence[str]) -> tuple[Option, ...]:
    """Return the options that runs may draw: those in the sets, or with the names or patterns, of
    `words`. Raises InputError for a word that means no option of this release.
    """
    taken: dict[str, Option] = {}
    for word in words:
        found = [option for option in facts.every_option if _is_meant(option, word)]
        if not found and word not in (NONE, LISTED):
            raise _meaningless(facts, word)
        taken |= {option.name: option for option in found}
    return tuple(option for option in facts.every_option if option.name in taken)


def _is_meant(option: Option, word: str) -> bool:
    if word in _CATEGORIES:
        return (option.category or "regular") in _CATEGORIES[word]
    if word == LISTED:
        return option.listed
    return word == ALL or (word != NONE and fnmatchcase(option.name, word))


def _meaningless(facts: Facts, word: str) -> InputError:
    names = [option.name for option in facts.every_option]
    if word in _CATEGORIES:
        return InputError(
            f"--options {word}: this release sorts no option into this category; expected {', '.join(SETS)}, or names"
        )
    for pattern, because in facts.undrawn:
        if fnmatchcase(word, pattern):
            return InputError(
                f"--options {word}: no run draws this option, because it {because}; --set sets an option in every run"
            )
    return InputError(
        f"--options {word[:80]}: no option of this release has such a name{nearest(word, names)}; "
        f"expected {', '.join(SETS)}, or names and patterns with commas"
    )
