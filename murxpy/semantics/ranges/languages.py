"""Ranges of strings, which are regular languages, and ranges of regular languages.

The interesting languages of a place, such as the strings between two others, or those with a given
part at a place, are regular, and so are the strings that can stand between two others in a word of a
regular language.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from murxpy.logic.values import MAX_CODE_POINT
from murxpy.semantics.exact import regex
from murxpy.semantics.exact.regex import Regex
from murxpy.semantics.ranges.abstract import ANY, WIDE, Except, Few, Range
from murxpy.semantics.values import CannotSay

LONGEST = 64  # letters of a string whose parts a range lists
MOST = 400  # parts of a string that a range lists, at most


@dataclass(frozen=True, slots=True)
class Words:
    """The strings of a regular language."""

    language: Regex

    @property
    def score(self) -> float:
        """Return 1 for a language with words of any length, as in the paper."""
        return 1.0 if endless(self.language) else 1 / WIDE

    def holds(self, value: Any) -> bool:
        """Return whether the language has this string."""
        try:
            return regex.matches(value, self.language)
        except CannotSay:
            return False


@dataclass(frozen=True, slots=True)
class Having:
    """The regular languages that have a word, or those that do not have it."""

    word: str
    truth: bool
    score: float = 1.0

    def holds(self, value: Any) -> bool:
        """Return whether a language has the word, or does not have it."""
        try:
            return regex.matches(self.word, value) is self.truth
        except CannotSay:
            return False


def words(language: Regex) -> Range:
    """Return the strings of a language."""
    return ANY if language is regex.ALL else Words(language)


def language_of(wanted: Range) -> Regex | None:
    """Return a range of strings as a language; None if it is no such range."""
    if wanted is ANY:
        return regex.ALL
    if isinstance(wanted, Words):
        return wanted.language
    if isinstance(wanted, (Few, Except)):
        listed = regex.union(regex.word(str(value)) for value in wanted.values)
        return listed if isinstance(wanted, Few) else regex.complement(listed)
    return None


def endless(language: Regex) -> bool:
    """Return whether an expression has a part for words of any length."""
    stack = [language]
    while stack:
        node = stack.pop()
        if node.kind == regex.NOT or (node.kind == regex.LOOP and node.data[1] is None):
            return True
        stack.extend(node.parts)
    return False


def mirrored(language: Regex) -> Regex:
    """Return the language of the words read from right to left."""
    kind = language.kind
    if kind == regex.WORD:
        return regex.word(str(language.data)[::-1])
    parts = [mirrored(part) for part in language.parts]
    if kind == regex.CONCAT:
        return regex.concat(reversed(parts))
    if kind == regex.UNION:
        return regex.union(parts)
    if kind == regex.INTER:
        return regex.inter(parts)
    if kind == regex.NOT:
        return regex.complement(parts[0])
    return regex.loop(parts[0], *language.data) if kind == regex.LOOP else language


def between(language: Regex, before: str, behind: str) -> Regex:
    """Return the strings w so that `before` w `behind` is in the language. Raises CannotSay."""
    for letter in before:
        language = regex.derivative(language, ord(letter))
    if behind:
        language = mirrored(language)
        for letter in reversed(behind):
            language = regex.derivative(language, ord(letter))
        language = mirrored(language)
    return language


def of_length(low: int | None, high: int | None) -> Regex:
    """Return the words of these lengths."""
    return regex.loop(regex.ALLCHAR, max(low or 0, 0), high)


def around(part: Regex) -> Regex:
    """Return the words that contain a word of a language."""
    return regex.concat([regex.ALL, part, regex.ALL])


def before(text: str, itself: bool) -> Regex:
    """Return the words that come before `text` in the order of a dictionary."""
    ways = [regex.word(text)] if itself else []
    for at, letter in enumerate(text):
        ways.append(regex.word(text[:at]))
        if letter != "\0":
            lower = regex.characters(((0, ord(letter) - 1),))
            ways.append(regex.concat([regex.word(text[:at]), lower, regex.ALL]))
    return regex.union(ways)


def parts(text: str) -> Regex | None:
    """Return the parts of a text; None if these are too many."""
    if len(text) ** 2 > MOST:
        return None
    ends = range(len(text) + 1)
    return any_of(text[first:last] for first in ends for last in ends[first:])


def any_of(texts: Iterable[str]) -> Regex:
    """Return the language of these words."""
    return regex.union([regex.word(text) for text in dict.fromkeys(texts)])


def letters(low: int, high: int | None) -> Regex:
    """Return the words of one character between two code points."""
    last = MAX_CODE_POINT if high is None else min(high, MAX_CODE_POINT)
    return regex.characters(((max(low, 0), last),)) if max(low, 0) <= last else regex.NONE
