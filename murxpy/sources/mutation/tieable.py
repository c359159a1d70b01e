"""Finds the constants of a seed script that can be tied to a constant of another script, as far as
the text of the script shows it. An index over many seeds therefore needs no parser.
"""

from __future__ import annotations

import functools
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

NUMBER, VECTOR = "number", "bit-vector"  # the groups of sorts that can be converted
_SYMBOL = r"\|[^|]*\||[^\s()|;]+"
_SORT = r"[^\s()]+|\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)"
_CONSTANT = re.compile(
    rf"\(\s*declare-(?:const|fun)\s+(?:\|[^|]*\||[^\s()|]++)\s*+(?:\(\s*\)\s*+)?({_SORT})\s*\)"
)
_DECLARED = re.compile(rf"\(\s*declare-sort\s+({_SYMBOL})(?:\s+0)?\s*\)")
_DEFINED = re.compile(rf"\(\s*define-sort\s+({_SYMBOL})\s*\(\s*\)\s*({_SORT})\s*\)")
_WORD = re.compile(rf"\(|\)|{_SYMBOL}")
# Words that can bound the number of elements of an uninterpreted sort.
_BOUNDING = re.compile(
    r"\(\s*(?:forall|exists|lambda|define-funs?-rec|_\s+(?:card|map|as-array)|as\s+const)\b"
    r"|\b(?:set|bag|rel)\."
)
_FORMATS = {
    "Float16": "( _ FloatingPoint 5 11 )",
    "Float32": "( _ FloatingPoint 8 24 )",
    "Float64": "( _ FloatingPoint 11 53 )",
    "Float128": "( _ FloatingPoint 15 113 )",
}
_BUILT_IN = frozenset(["(", ")", "_", "Bool", "Int", "Real", "String", "RoundingMode", "Array"])
_BUILT_IN |= {"BitVec", "FloatingPoint", "Seq", "Set", "Bag", "FiniteField"}


@dataclass(frozen=True, slots=True)
class Declared:
    """The sorts of the constants that a text declares.

    `counts` are the constants of each sort that all scripts have in common, and `own` those of each
    sort that contains a sort of `declare-sort`. `unbounded` says that nothing in the text bounds
    the number of elements of such a sort, so that two satisfiable scripts can have it in common.
    """

    counts: dict[str, int]
    own: dict[str, int]
    unbounded: bool

    def sorts(self, common: bool) -> dict[str, int]:
        """The constants of each sort that the script can have in common with another script;
        `common` says whether both have the sorts of `declare-sort` in common.
        """
        return {**self.counts, **self.own} if common else self.counts


@functools.cache
def declared(text: str) -> Declared:
    """The sorts of the constants that a script declares. Constants of datatypes and of regular
    expressions are left out.
    """
    names = frozenset(name.strip("|") for name in _DECLARED.findall(text))
    defined = {name.strip("|"): sort for name, sort in _DEFINED.findall(text)}
    counts: Counter[str] = Counter()
    own: Counter[str] = Counter()
    for found, number in Counter(_CONSTANT.findall(text)).items():
        words = list(_words(found, defined))
        sort = " ".join(words)
        local = names.intersection(words)
        if all(word in _BUILT_IN or word.isdigit() or word in names for word in words):
            (own if local else counts)[sort] += number
    return Declared(dict(counts), dict(own), unbounded(text))


def unbounded(text: str) -> bool:
    """Whether nothing in a script bounds the number of elements of its uninterpreted sorts from
    above. A satisfiable script of this kind has a model in which these sorts are infinite.
    """
    return _BOUNDING.search(text) is None


def declared_sorts(text: str) -> frozenset[str]:
    """The names of the uninterpreted sorts that a script declares."""
    return frozenset(name.strip("|") for name in _DECLARED.findall(text))


def group(sort: str) -> str | None:
    """The group of sorts to which a sort can be converted; None if there is none."""
    if sort in ("Int", "Real"):
        return NUMBER
    return VECTOR if sort.startswith("( _ BitVec") else None


def _words(sort: str, defined: dict[str, str], depth: int = 0) -> Iterator[str]:
    """The words of a sort, with the definitions of `define-sort` in place of their names."""
    for word in _WORD.findall(sort):
        word = word.strip("|")
        if word in _FORMATS:
            yield from _FORMATS[word].split()
        elif word in defined and depth < 9:
            yield from _words(defined[word], defined, depth + 1)
        else:
            yield word
