"""Assertions with and without names, and assertion levels."""

from __future__ import annotations

from murxpy.actions.base import Action, register
from murxpy.actions.picking import formula
from murxpy.machine import solve
from murxpy.machine.database import Entry
from murxpy.machine.generate import roots
from murxpy.machine.generate.base import Generator
from murxpy.machine.generate.holding import holding
from murxpy.trace.reading import Reading


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
        made = roots.closed_bools(gen, gen.settings.number("roots-asserted", gen.stream))
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
