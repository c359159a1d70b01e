"""All passes over a trace in their order: the cheap and large ones first, until none changes
anything.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

from murxpy.passes import datatypes, functions, lines, sorts, terms, words
from murxpy.passes.planted import PlantedValues
from murxpy.passes.reduction import Reducer, ddmin, each, fixpoint
from murxpy.passes.spellings import Spellings
from murxpy.replaying.defuse import Script
from murxpy.replaying.defuse import collected as without_unused

Variants = Callable[[Script, int], Iterable[Script]]


def reduce_trace(reducer: Reducer[Script], spellings: Spellings, planted: PlantedValues) -> None:
    """Make the best of `reducer` as small as the passes can."""
    fixpoint(
        reducer,
        (
            _lines,
            partial(_planted, planted=planted),
            _terms,
            _words,
            _sorts,
            partial(_names, spellings=spellings),
        ),
    )


def line_count(script: Script) -> int:
    """The lines of a trace: an action and what followed it are one."""
    return len(script)


def _collecting(variants: Variants) -> Variants:
    """The variants, each first without what nothing uses in it."""

    def collected(script: Script, at: int) -> Iterable[Script]:
        for variant in variants(script, at):
            yield without_unused(variant)
            yield variant

    return collected


def _each(reducer: Reducer[Script], *all_variants: Variants) -> None:
    for variants in all_variants:
        each(reducer, line_count, variants)


def _lines(reducer: Reducer[Script]) -> None:
    reducer.offer(lines.slices(reducer.best))
    while reducer.offer(lines.without_theories(reducer.best)) is not None:
        pass
    ddmin(reducer, line_count, lambda best, low, high: lines.without(best, low, high))
    reducer.offer(lines.slices(reducer.best))
    _each(reducer, lines.without_kind, lines.without_scope)


def _terms(reducer: Reducer[Script]) -> None:
    _each(
        reducer,
        *map(
            _collecting,
            (terms.older_terms, terms.leaves, terms.other_argument, terms.raised, terms.unbound),
        ),
    )


def _planted(reducer: Reducer[Script], planted: PlantedValues) -> None:
    _each(reducer, _collecting(planted.leaves))


def _words(reducer: Reducer[Script]) -> None:
    _each(
        reducer,
        *map(
            _collecting,
            (words.simpler_actions, words.fewer_terms, words.fewer_levels, words.smaller_words),
        ),
        lines.without_pair,
    )


def _sorts(reducer: Reducer[Script]) -> None:
    kinds = (
        datatypes.smaller_datatypes,
        functions.fewer_domains,
        functions.fewer_variables,
        sorts.merged_sorts,
        sorts.simpler_sorts,
        sorts.older_sort_argument,
    )
    _each(reducer, sorts.smaller_formats, sorts.smaller_widths, *map(_collecting, kinds))


def _names(reducer: Reducer[Script], spellings: Spellings) -> None:
    for whole in (words.plain_seeds, lines.renumbered, words.plain_symbols):
        reducer.offer([whole(reducer.best)])
    _each(reducer, spellings.simpler, words.plain_symbol, words.plain_seed)
