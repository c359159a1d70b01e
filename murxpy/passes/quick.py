"""A quick reduction of a trace to its last check, with few replays.

A pass is a generator of candidates: it yields a script, and is sent whether the script still shows
what it must.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from functools import partial

from murxpy.machine.replaying.defuse import Script, collected
from murxpy.passes import lines as parts
from murxpy.passes import sorts, terms, words

Search = Generator[Script, bool, Script]
Variants = Callable[[Script, int], Iterable[Script]]


def reduced(script: Script, tests: int) -> Search:
    """The smallest script found in at most `tests` tests; its last line is the one of `script`."""
    left = [tests]
    merged = partial(_each, all_variants=(sorts.merged_sorts,))
    simpler = partial(_each, all_variants=_SMALLER)
    for smaller in (_slices, _parts, merged, simpler, _parts, simpler):
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
    """Leave out parts of the lines that make nothing, half of them first, and what only they use."""
    size = max(1, len(parts.doing(script)) // 2)
    while True:
        at = len(parts.doing(script))
        while at > 0:
            low, at = max(0, at - size), min(at, len(parts.doing(script)))
            script = (yield from _try([parts.without_doing(script, low, at)], left)) or script
            at = low
        if size == 1 or left[0] <= 0:
            return script
        size //= 2


_SMALLER: tuple[Variants, ...] = (
    terms.older_terms,
    terms.leaves,
    words.fewer_terms,
    terms.other_argument,
    terms.unbound,
)


def _each(script: Script, left: list[int], all_variants: tuple[Variants, ...]) -> Search:
    """Try variants at each line, from the last to the first, and again at a line where one helped."""
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
    """The numbers of applications, of lines and of words."""
    applied = sum(line.action == "mk-term" for line in script)
    return applied, len(script), sum(len(line.args) for line in script)
