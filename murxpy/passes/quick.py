"""A quick reduction of a trace to its last check, for one who can wait for few answers: parts of
lines, then smaller terms.

It is a generator of candidates: it yields a script and is sent whether that still shows what it
must.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Sequence

from murxpy.passes import lines as parts
from murxpy.passes import sorts, terms, words
from murxpy.replaying.defuse import MAKERS, Script, closed, collected

Search = Generator[Script, bool, Script]


def reduced(script: Script, tests: int) -> Search:
    """The smallest script found in at most `tests` tests; its last line is the one of `script`."""
    left = [tests]
    for smaller in (_slices, _parts, _merged, _terms, _parts, _terms):
        script = yield from smaller(script, left)
    return script


def _try(candidates: Iterable[Script], left: list[int]) -> Generator[Script, bool, Script | None]:
    for candidate in candidates:
        if left[0] <= 0:
            return None
        left[0] -= 1
        if (yield candidate):
            return candidate
    return None


def _slices(script: Script, left: list[int]) -> Search:
    return (
        yield from _try((s for s in parts.slices(script) if len(s) < len(script)), left)
    ) or script


def _parts(script: Script, left: list[int]) -> Search:
    """Without parts of the lines that make nothing, half of them first; what nothing uses goes with
    them.
    """
    size = max(1, len(_doing(script)) // 2)
    while True:
        at = len(_doing(script))
        while at > 0:
            doing = _doing(script)
            low, at = max(0, at - size), min(at, len(doing))
            dropped = set(doing[low:at])
            kept = [line for index, line in enumerate(script) if index not in dropped]
            script = (yield from _try([collected(closed(kept))], left)) or script
            at = low
        if size == 1 or left[0] <= 0:
            return script
        size //= 2


def _doing(script: Script) -> list[int]:
    """The lines that can go: all that make no object, but the first and the last."""
    return [
        at
        for at, line in enumerate(script[:-1])
        if line.action not in MAKERS and line.action != "new"
    ]


Variants = Callable[[Script, int], Iterable[Script]]
_SMALLER: tuple[Variants, ...] = (
    terms.older_terms,
    terms.leaves,
    words.fewer_terms,
    terms.other_argument,
    terms.unbound,
)


def _merged(script: Script, left: list[int]) -> Search:
    """With one sort for those that lines made twice, so that more terms are of the same."""
    return (yield from _each(script, left, (sorts.merged_sorts,)))


def _terms(script: Script, left: list[int]) -> Search:
    """With an argument, an older term, a constant in the place of a term, with fewer arguments."""
    return (yield from _each(script, left, _SMALLER))


def _each(script: Script, left: list[int], all_variants: Sequence[Variants]) -> Search:
    """With variants of each line, from the last one to the first, again at one as long as it gets
    smaller.
    """
    at = len(script) - 1
    while at >= 0 and left[0] > 0:
        smaller = (
            s
            for variants in all_variants
            for v in variants(script, at)
            if _size(s := collected(v)) < _size(script)
        )
        found = yield from _try(smaller, left)
        script = found or script
        at = min(at - (found is None), len(script) - 1)
    return script


def _size(script: Script) -> tuple[int, int, int]:
    """Applications, lines, words."""
    applied = sum(line.action == "mk-term" for line in script)
    return applied, len(script), sum(len(line.args) for line in script)
