"""All passes over a trace in their order: the cheap and large ones first."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import wraps

from murxpy.checks.registry import ANSWERING
from murxpy.passes import datatypes, functions, lines, sorts, terms, words
from murxpy.passes.meanings import Meanings
from murxpy.passes.modelled import ModelValues
from murxpy.passes.planted import PlantedValues
from murxpy.passes.reduction import Reducer, ddmin, each, fixpoint
from murxpy.passes.spellings import Spellings
from murxpy.replaying.defuse import Script, collected

Variants = Callable[[Script, int], Iterable[Script]]
Pass = Callable[[Reducer[Script]], None]

EXPECT = "expect"
_STATED = ("push", "pop", "reset", "reset-assertions", *ANSWERING)
_ASSERTING = ("assert-formula", "assert-tracked")
_TERMS = (terms.older_terms, terms.leaves, terms.other_argument, terms.raised, terms.unbound)
_WORDS = (words.simpler_actions, words.fewer_terms, words.fewer_levels, words.smaller_words)
_SORTS = (
    datatypes.smaller_datatypes,
    functions.fewer_domains,
    functions.fewer_variables,
    sorts.merged_sorts,
    sorts.simpler_sorts,
    sorts.older_sort_argument,
)


def reduce_trace(
    reducer: Reducer[Script],
    spellings: Spellings,
    values: tuple[PlantedValues, ModelValues],
    meanings: Meanings,
) -> None:
    """Make the best of `reducer` as small as the passes can."""
    planted, modelled = values
    plain = (_plain, _each(spellings.simpler, words.plain_symbol, words.plain_seed))
    if any(line.action == EXPECT for line in reducer.best):
        fixpoint(reducer, (_doing, _lines, *plain))
        return

    def one_id_per_sort(reducer: Reducer[Script]) -> None:
        reducer.offer([meanings.one_id_per_sort(reducer.best)])

    passes = (
        _doing,
        one_id_per_sort,
        _each(_collecting(planted.leaves)),
        _each(*map(_collecting, _TERMS)),
        _lines,
        modelled.run,
        _each(*map(_collecting, (meanings.equations, meanings.values))),
        _each(*map(_collecting, _WORDS), lines.without_pair),
        words.smaller_numbers,
        _each(sorts.smaller_formats, sorts.smaller_widths, *map(_collecting, _SORTS)),
        _plain,
        _each(meanings.plainer_operators),
        *plain[1:],
    )
    fixpoint(reducer, passes)


def stated(script: Script) -> tuple[str, ...]:
    """What the answers that a script expects rest on; empty where it expects none.

    Nobody knows the answers to other formulas. So the passes only leave out lines of such a script,
    and no line that this function names: without an assertion sat stays sat, but unsat does not
    stay unsat.
    """
    told = [" ".join(map(str, line.args)) for line in script if line.action == EXPECT]
    asserting = _ASSERTING if any("unsat" in answers for answers in told) else ()
    kept = (*_STATED, *asserting) if told else ()
    return (*told, *(line.action for line in script if line.action in kept))


def _collecting(variants: Variants) -> Variants:
    """Offer each variant first without the lines whose objects it does not use."""

    @wraps(variants)
    def both(script: Script, at: int) -> Iterable[Script]:
        for variant in variants(script, at):
            yield collected(variant)
            yield variant

    return both


def _each(*all_variants: Variants) -> Pass:
    """A pass that offers variants at each line, one sort of variants after the other."""

    def run(reducer: Reducer[Script]) -> None:
        for variants in all_variants:
            each(reducer, len, variants)

    return run


def _doing(reducer: Reducer[Script]) -> None:
    reducer.offer(lines.slices(reducer.best))
    ddmin(reducer, lambda best: len(lines.doing(best)), lines.without_doing)


def _lines(reducer: Reducer[Script]) -> None:
    reducer.offer(lines.slices(reducer.best))
    while reducer.offer(lines.without_theories(reducer.best)) is not None:
        pass
    ddmin(reducer, len, lines.without)
    reducer.offer(lines.slices(reducer.best))
    _each(lines.without_kind, lines.without_scope)(reducer)


def _plain(reducer: Reducer[Script]) -> None:
    for whole in (words.plain_seeds, lines.renumbered, words.plain_symbols):
        reducer.offer([whole(reducer.best)])
