"""All passes over a trace in their order: the cheap and large ones first."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import wraps

from murxpy.machine.checks.registry import ANSWERING
from murxpy.machine.replaying.defuse import MAKERS, PLANT, Script, collected
from murxpy.machine.tokens import as_word, print_token
from murxpy.machine.trace.finished import Need
from murxpy.machine.trace.grammar import Line, parse_trace
from murxpy.passes import lines, sorts, terms, words
from murxpy.passes.lines import Spellings, put, with_word, without
from murxpy.passes.reduction import Asking, Problem, Reducer, ddmin, each, fixpoint
from murxpy.passes.terms import Meanings, ModelValues, PlantedValues
from murxpy.passes.words import number_of

Variants = Callable[[Script, int], Iterable[Script]]
Pass = Callable[[Reducer[Script]], Asking[None]]

EXPECT, READ = "expect", "run-script"
_STATED = ("push", "pop", "reset", "reset-assertions", *ANSWERING)
_ASSERTING = ("assert-formula", "assert-tracked")
_TERMS = (terms.older_terms, terms.leaves, terms.other_argument, terms.raised, terms.unbound)
_WORDS = (
    words.simpler_actions,
    words.fewer_terms,
    words.fewer_operands,
    words.fewer_levels,
    words.smaller_words,
)
# Variants of the quick reduction, which are all tried at a line before the next line.
_QUICK = (
    terms.older_terms,
    terms.leaves,
    words.fewer_terms,
    terms.other_argument,
    terms.unbound,
)
_SORTS = (
    sorts.smaller_datatypes,
    sorts.fewer_domains,
    sorts.fewer_variables,
    sorts.merged_sorts,
    sorts.simpler_sorts,
    sorts.older_sort_argument,
)


def reduce_trace(
    reducer: Reducer[Script],
    spellings: Spellings,
    values: tuple[PlantedValues, ModelValues],
    meanings: Meanings,
) -> Asking[None]:
    """Make the best of `reducer` as small as the passes can."""
    planted, modelled = values
    plain = (_plain, _each(spellings.simpler, words.plain_symbol, words.plain_seed))
    if any(line.action == EXPECT for line in reducer.best):
        yield from fixpoint(reducer, (_doing, _lines, *plain))
        return

    def one_id_per_sort(reducer: Reducer[Script]) -> Asking[None]:
        yield from reducer.offer([meanings.one_id_per_sort(reducer.best)])

    passes = (
        _doing,
        one_id_per_sort,
        _each(_collecting(planted.leaves)),
        _each(*map(_collecting, (*_TERMS, planted.constants))),
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
    yield from fixpoint(reducer, passes)


def stated(script: Script) -> tuple[str, ...]:
    """Return the commands on which the answers that a script expects depend; empty if it expects none.

    Nobody knows the answers to other formulas. The passes therefore only leave out lines of such a
    script, and no line that this function names: without an assertion sat stays sat, but unsat does
    not stay unsat. A script that the solver reads has all that its answers depend on, so those before
    the last one can go, with what they are expected to answer.
    """
    expected = [" ".join(map(str, line.args)) for line in _expecting(script)]
    asserting = _ASSERTING if any("unsat" in answers for answers in expected) else ()
    kept = (*_STATED, *asserting) if expected else ()
    return (*expected, *(line.action for line in script if line.action in kept))


def _expecting(script: Script) -> Iterator[Line]:
    """The lines with answers that a check, or the last script that the solver reads, is expected to give."""
    last = max((at for at, line in enumerate(script) if line.action == READ), default=-1)
    expect: Line | None = None
    for at, line in enumerate(script):
        if line.action == EXPECT:
            expect = line
        elif expect is not None and (at == last or line.action in ANSWERING):
            yield expect
            expect = None
        elif line.action == READ:
            expect = None


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

    def run(reducer: Reducer[Script]) -> Asking[None]:
        for variants in all_variants:
            yield from each(reducer, len, variants)

    return run


def _doing(reducer: Reducer[Script]) -> Asking[None]:
    yield from reducer.offer(lines.slices(reducer.best))
    yield from ddmin(reducer, lambda best: len(lines.doing(best)), lines.without_doing)


def _lines(reducer: Reducer[Script]) -> Asking[None]:
    yield from reducer.offer(lines.slices(reducer.best))
    while (yield from reducer.offer(lines.without_theories(reducer.best))) is not None:
        pass
    yield from ddmin(reducer, len, lines.without)
    yield from reducer.offer(lines.slices(reducer.best))
    yield from _each(lines.without_kind, lines.without_scope)(reducer)


def _plain(reducer: Reducer[Script]) -> Asking[None]:
    for whole in (words.plain_seeds, lines.renumbered, words.plain_symbols):
        yield from reducer.offer([whole(reducer.best)])


def quick_problem(script: Script, text: Callable[[Script], str]) -> Problem[Script, str]:
    """The problem of a trace that is made smaller with few replays. Its last line stays. `text` is
    what a test is asked about a script.
    """
    return Problem(
        [script],
        order=_quick_size,
        text=text,
        asked=text,
        size=len,
        counts=lambda best: (len(best), _quick_size(best)[0]),
        shrink=_quickly,
        before=len(script),
    )


def _quickly(reducer: Reducer[Script]) -> Asking[None]:
    def smaller(script: Script, at: int) -> Iterator[Script]:
        return (collected(one) for variants in _QUICK for one in variants(script, at))

    merged, simpler = _each(_merged_sorts), _each(smaller)
    for reduce in (_doing, merged, simpler, _doing, simpler):
        yield from reduce(reducer)


def _merged_sorts(script: Script, at: int) -> Iterator[Script]:
    return map(collected, sorts.merged_sorts(script, at))


def _quick_size(script: Script) -> tuple[int, int, int]:
    """The numbers of applications, of lines and of words."""
    applied = sum(line.action == "mk-term" for line in script)
    return applied, len(script), sum(len(line.args) for line in script)


# ----------------------------------------------------------------------
# The settings that a smallest trace needs beside its formulas: options, limits, calls and
# spellings. A line is needed if the trace without it does not show the defect. The passes may have tried
# that before, but a death may have missed its place in memory by chance then, and one more replay costs
# little.


_DOUBLED = 10  # times that a number is doubled in search of one that hides the defect
_BETWEEN = 4  # numbers that are tried between one that shows it and one that hides it
# Actions that say what is asked, or what is known of the answer.
_PLAIN = ("new", "delete", "set-logic", "assert-formula", "expect", "comment", PLANT, *MAKERS)


def needs(
    script: Script,
    spellings: Spellings,
    shows: Callable[[Script], bool],
    smallest: bool = True,
    safe: Iterable[tuple[str, str]] = (),
    refused: Callable[[Script], Sequence[str]] = lambda _: (),
    others: Callable[[Script, int], Iterable[tuple[str, str, Script]]] = lambda *_: (),
) -> list[Need]:
    """The settings that the script needs, and the operators that others may replace.

    `shows` tells whether another script shows the defect, and is asked about each need; `smallest` says
    that the passes could not make the script smaller. `safe` are the options of the solver's own safe
    mode, with which the defect is tried, too; `refused` gives what the solver says of the calls of a
    script that it refuses. `others` gives, for the line at an index, the operator that it applies,
    another one, and the script with that one.
    """
    found: dict[Need, None] = {}
    replaceable = smallest and all(line.action != EXPECT for line in script)
    for at, line in enumerate(script):
        free = line.action not in (*_PLAIN, *_ASSERTING, "misuse") and at < len(script) - 1
        if free and shows(without(script, at, at + 1)):
            continue
        for need in _of_line(script, at, shows):
            found[need] = None
        # the spelling of the last call is a part of the name of its finding
        spelled = smallest and line.spelling is not None and at < len(script) - 1
        plainer = list(spellings.all_simpler(script, at)) if spelled else []
        if plainer and not any(map(shows, plainer)):
            name = str(line.args[0]) if line.action == "mk-term" else line.action
            found[Need("spelling", name, str(line.spelling))] = None
        for name, other, replaced in others(script, at) if replaceable else ():
            if shows(replaced):
                found[Need("other", name, other)] = None
                break
    for need in _of_earlier_checks(script, shows):
        found[need] = None
    for name, value in safe:
        there = _set_first(script, name, value)
        before = refused(script)
        more = [said for said in refused(there) if said not in before]
        # what is asserted there is not the same, so an answer says nothing of the defect
        told = "refused" if more else "yes" if shows(there) else "no"
        found[Need("safe", name, value, told, high=more[0] if more else "")] = None
    return list(found)


def _of_earlier_checks(script: Script, shows: Callable[[Script], bool]) -> Iterator[Need]:
    """The checks before the last one, if a single check before all assertions in their place, which
    only tells the solver that several checks follow, does not show the defect.
    """
    *earlier, last = [at for at, line in enumerate(script) if line.action in ANSWERING] or [0]
    if not earlier or any(_reads(line) for line in script[earlier[0] : last]):
        return  # what reads the result of a check gives none without it
    first = next(at for at, line in enumerate(script) if line.action in _STATED + _ASSERTING)
    rest = [line for at, line in enumerate(script) if at >= first and at not in earlier]
    (nothing,) = parse_trace("0 check-sat\n", "").lines
    if not shows((*script[:first], nothing, *rest)):
        for action in dict.fromkeys(script[at].action for at in earlier):
            yield Need("earlier", action)


def _set_first(script: Script, name: str, value: str) -> Script:
    """The script with an option that is set before all others."""
    at = next((at for at, line in enumerate(script, 1) if line.action == "new"), 0)
    text = f"0 set-option {as_word(name)} {as_word(value)}\n"
    return (*script[:at], *parse_trace(text, name).lines, *script[at:])


def _of_line(script: Script, at: int, shows: Callable[[Script], bool]) -> Iterator[Need]:
    line, last = script[at], script[-1]
    place = number_of(line)
    low, high = _range(script, at, place, shows) if place is not None else ("", "")
    if line.action == "set-limit":
        yield Need("limit", "", low=low, high=high)
    elif line.action == "set-option":
        value = " ".join(map(print_token, line.args[1:]))
        yield Need("option", str(line.args[0]), value, low, high)
    elif at == len(script) - 1:
        times = sum(other.action == line.action for other in script)
        if times > 1 and line.action != "misuse":  # misuses before it also make what it is about
            yield Need("again", line.action, str(times))
    elif line.action not in (*_PLAIN, *_ASSERTING, "misuse") and line.action != last.action:
        asked = sum(other.action in ANSWERING for other in script[:at])
        read = line.action in ANSWERING and any(map(_reads, script[at:]))
        if not read and (
            line.action not in ANSWERING or asked or last.action in (*ANSWERING, "misuse")
        ):
            yield Need("call", line.action)


def _reads(line: Line) -> bool:
    """Whether a line reads something of the last check, such as its model or core."""
    return line.action not in ANSWERING and line.action.startswith(("check-", "get-"))


def _range(script: Script, at: int, place: int, shows: Callable[[Script], bool]) -> tuple[str, str]:
    """The number at `place`, and the largest one above it that was seen to show the defect; that is
    empty where all larger numbers show it. Both are empty where a smaller number shows it, too.
    """
    low = int(str(script[at].args[place]))

    def with_number(number: int) -> Script:
        return put(script, at, with_word(script[at], place, number))

    if any(
        shows(with_number(less)) for less in dict.fromkeys((low - 1, low // 2)) if 0 <= less < low
    ):
        return "", ""
    good, bad = low, max(1, low)
    for _ in range(_DOUBLED):
        bad *= 2
        if not shows(with_number(bad)):
            break
        good = bad
    else:
        return str(low), ""
    for _ in range(_BETWEEN):
        middle = (good + bad) // 2
        if middle in (good, bad):
            break
        good, bad = (middle, bad) if shows(with_number(middle)) else (good, middle)
    return str(low), str(good)
