"""The lines `plant`: the values of constants and the sizes of uninterpreted sorts in the planted
model of a run.
"""

from __future__ import annotations

from murxpy.errors import InputError
from murxpy.logic.terms import CONSTANT
from murxpy.machine import planting, solve
from murxpy.machine.actions.base import Action, formula, register
from murxpy.machine.database import Entry
from murxpy.machine.generate.base import Generator
from murxpy.machine.generate.holding import holding, pinned
from murxpy.machine.generate.terms import combine, to_bool
from murxpy.machine.outcomes import Refused
from murxpy.machine.planted import OPEN, read_words
from murxpy.machine.tokens import Ref
from murxpy.machine.trace.reading import Reading
from murxpy.semantics.values import CannotSay, FunctionValue

MOST = 1 << 10  # the largest number of elements of an uninterpreted sort


@register("plant")
class Plant(Action):
    """`plant`, `plant s N`, `plant t value`, `plant KIND function`."""

    drawn = False

    def read(self, r: Reading) -> None:
        if not r.line.args:
            planting.plant(r.run, r.seed)
            return
        word = r.line.args[0]
        try:
            if isinstance(word, Ref) and word.letter == "s":
                _size(r)
            elif isinstance(word, str):
                _open(r, word)
            else:
                _value(r, r.term(0))
        except InputError as error:
            raise error if error.file is not None else r.error(str(error)) from None
        except CannotSay as reason:
            raise Refused("unsupported", str(reason)) from None


def _size(r: Reading) -> None:
    entry, size = r.sort(0), r.number(1, "a number of elements")
    r.end(2)
    if entry.sort.kind != "SORT_UNINTERPRETED":
        raise r.error(f"expected an uninterpreted sort, but {entry} is {entry.sort}")
    if not 1 <= size <= MOST:
        raise r.error(f"expected 1 to {MOST} elements, found {size}")
    planting.plant_size(r.run, entry, size, r.seed)


def _open(r: Reading, kind: str) -> None:
    if kind not in OPEN:
        raise r.error(
            f"expected a constant, an uninterpreted sort, or one of {', '.join(OPEN)}, found '{kind}'"
        )
    function = read_words(
        r.line.args[1:],
        planting.open_sort(r.run, kind),
        r.run.sorts,
        planting.planted_of(r.run).evaluator,
    )
    if isinstance(function, FunctionValue):
        planting.plant_open(r.run, kind, function, r.seed)


def _value(r: Reading, entry: Entry) -> None:
    if entry.term.op != CONSTANT:
        raise r.error(f"expected a constant, but {entry} is not one")
    points = planting.planted_of(r.run).evaluator
    value = read_words(r.line.args[1:], entry.term.sort, r.run.sorts, points)
    planting.plant_value(r.run, entry, value, r.seed)


# ----------------------------------------------------------------------
# Terms that nothing uses yet are made Boolean, combined and asserted, so that no call of the
# run is wasted.


def closed_bools(gen: Generator, count: int) -> list[Entry]:
    """Up to `count` closed Boolean terms. Each is made of one to three terms that nothing uses yet."""
    roots = gen.run.db.roots()
    gen.stream.shuffle(roots)
    made: list[Entry] = []
    while roots and len(made) < count:
        group = roots[: gen.stream.choose((1, 1, 2, 2, 3))]
        del roots[: len(group)]
        parts = []
        for root in group:
            if root.uses > 0:
                continue
            part = pinned(gen, root) or to_bool(gen, root)
            if part is not None:
                parts.append(part)
            else:
                gen.run.db.give_up(root)
        if parts and gen.planting and gen.settings.chance("planted-apart", gen.stream):
            made.extend(parts)
        elif parts:
            try:
                made.append(combine(gen, parts))
            except Refused:
                continue
    return made


# ----------------------------------------------------------------------
# Assertions with and without names, and assertion levels.


@register("assert-formula")
class AssertFormula(Action):
    """`assert-formula t`."""

    state = True
    damped = False
    establishes = ("asserted",)

    def draw(self, gen: Generator) -> bool:
        entry = formula(gen)
        if entry is None:
            return False
        solve.assert_formula(gen.run, entry, gen.run.line_seed())
        return True

    def read(self, r: Reading) -> None:
        entry = r.boolean(0)
        r.end(1)
        solve.assert_formula(r.run, entry, r.seed, r.spelling("actions", "assert-formula"))


@register("assert-tracked")
class AssertTracked(Action):
    """`assert-tracked t "name"`; in a solver without names for assertions, a plain assertion."""

    state = True
    establishes = ("asserted",)

    def draw(self, gen: Generator) -> bool:
        tracked = gen.run.wrapper.set("actions", "assert-tracked") is not None
        entry = formula(gen)
        if entry is None:
            return False
        _assert(gen, entry, tracked)
        return True

    def read(self, r: Reading) -> None:
        entry, name = r.boolean(0), r.text(1, "a name")
        r.end(2)
        if r.run.wrapper.set("actions", "assert-tracked") is None:
            solve.assert_formula(r.run, entry, r.seed)
        else:
            solve.assert_tracked(
                r.run, entry, name, r.seed, r.spelling("actions", "assert-tracked")
            )


def _assert(gen: Generator, entry: Entry, tracked: bool) -> None:
    run = gen.run
    if tracked and run.wrapper.set("actions", "assert-tracked") is not None:
        solve.assert_tracked(run, entry, run.symbol("a"), run.line_seed())
    else:
        solve.assert_formula(run, entry, run.line_seed())


@register("assert-roots")
class AssertRoots(Action):
    """Make all terms that nothing uses Boolean, and assert them by lines `assert-formula` or
    `assert-tracked`.
    """

    traced = False
    establishes = ("asserted",)

    def draw(self, gen: Generator) -> bool:
        made = closed_bools(gen, gen.settings.number("roots-asserted", gen.stream))
        tracked = gen.run.state.cores and gen.stream.random() < 0.2
        for entry in made:
            true = holding(gen, entry)
            if true is not None:
                _assert(gen, true, tracked)
        return bool(made)


@register("push")
class Push(Action):
    """`push N`."""

    state = True
    fatal = True
    damped = False
    establishes = ("pushed",)

    def draw(self, gen: Generator) -> bool:
        run = gen.run
        levels = min(
            gen.settings.number("levels", gen.stream),
            gen.settings.limit("push-levels") - run.state.level,
        )
        if levels < 1:
            return False
        solve.push(run, levels, run.line_seed())
        return True

    def read(self, r: Reading) -> None:
        levels = _levels(r)
        r.require(r.run.state.incremental, "a solver that is not incremental has no levels")
        solve.push(r.run, levels, r.seed, r.spelling("actions", "push"))


@register("pop")
class Pop(Action):
    """`pop N`."""

    state = True
    damped = False

    def draw(self, gen: Generator) -> bool:
        run = gen.run
        levels = min(gen.settings.number("levels", gen.stream), run.state.level)
        if levels < 1:
            return False
        solve.pop(run, levels, run.line_seed())
        return True

    def read(self, r: Reading) -> None:
        levels = _levels(r)
        if levels > r.run.state.level and not r.lenient:
            raise r.error(f"cannot pop {levels} levels: the run has pushed {r.run.state.level}")
        solve.pop(r.run, levels, r.seed, r.spelling("actions", "pop"))


@register("reset-assertions")
class ResetAssertions(Action):
    """`reset-assertions`."""

    state = True
    resets = True

    def draw(self, gen: Generator) -> bool:
        if gen.run.wrapper.set("actions", "reset-assertions") is None:
            return False
        solve.reset_assertions(gen.run, gen.run.line_seed())
        return True

    def read(self, r: Reading) -> None:
        r.end(0)
        solve.reset_assertions(r.run, r.seed, r.spelling("actions", "reset-assertions"))


MAX_LEVELS = 100_000


def _levels(r: Reading) -> int:
    levels = r.number(0, "a number of levels")
    r.end(1)
    if not 0 <= levels <= MAX_LEVELS:
        raise r.error(f"expected 0 to {MAX_LEVELS} levels, found {levels}")
    return levels
