"""The logic of a run: the smallest that names its theories, or ALL."""

from __future__ import annotations

import contextlib

from murxpy.machine import solve
from murxpy.machine.actions.base import REGISTERED, Action, any_entry, register
from murxpy.machine.generate import leaves, options
from murxpy.machine.generate.base import Generator
from murxpy.machine.logics import HIGHER_ORDER, logic_name
from murxpy.machine.outcomes import Refused
from murxpy.machine.run import Run
from murxpy.machine.tokens import Ref
from murxpy.machine.trace.reading import Reading


def draw_logic(gen: Generator) -> str:
    """The logic of this run."""
    if gen.swarm.logic:
        return gen.swarm.logic
    if HIGHER_ORDER not in gen.swarm.theories and gen.settings.chance("logic-all", gen.stream):
        return "ALL"
    return logic_name(gen.swarm.theories, gen.swarm.linear)


# ----------------------------------------------------------------------
# The life of a solver: it is made, gets its logic, options and limit, and is dropped.


@register("new")
class New(Action):
    """`new`: a solver in a context of its own."""

    alone = True
    before = True
    state = True
    damped = False

    def draw(self, gen: Generator) -> bool:
        solve.new(gen.run, gen.run.line_seed(), _part(gen))
        _begin_higher_order(gen)
        leaves.begin(gen)
        return True

    def read(self, r: Reading) -> None:
        r.end(0)
        if r.run.state.started:
            raise r.error(
                "a run has one solver at a time: expected 'delete' before this second 'new'"
            )
        solve.new(r.run, r.seed, r.spelling("lifecycle", "new"))
        if r.foreign:
            _switch_on(r)


def _begin_higher_order(gen: Generator) -> None:
    """Set the logic at once in a run with functions as values, which solvers have in no other logic."""
    run = gen.run
    if HIGHER_ORDER in gen.swarm.theories and run.wrapper.set("actions", "set-logic") is not None:
        solve.set_logic(run, draw_logic(gen), run.line_seed())


def _part(gen: Generator) -> str | None:
    """The part of the API that the run is about, by its chance in the machine; None for a plain solver.
    Options that the user sets are those of a plain solver.
    """
    there = gen.run.wrapper.set("lifecycle", "new")
    for name in gen.run.wrapper.facts.parts:
        known = there is not None and there.named(name) is not None and not gen.options
        if gen.settings.chance(f"new-{name}", gen.stream) and known:
            return name
    return None


def _switch_on(r: Reading) -> None:
    """Switch on all features that the trace may use, in a solver that the trace was not made for."""
    for name in solve.SPECIAL_OPTIONS:
        if r.run.wrapper.set("special-options", name) is not None:
            with contextlib.suppress(Refused):  # a feature that is missing shows when it is used
                solve.set_option(r.run, name, "true", r.seed)
    for name, value in r.run.wrapper.facts.required():
        with contextlib.suppress(Refused):
            solve.set_option(r.run, name, value.lower(), r.seed)


@register("delete")
class Delete(Action):
    """`delete`: drop the solver and all objects that were made for it."""

    alone = True
    state = True
    damped = False

    def draw(self, gen: Generator) -> bool:
        solve.delete(gen.run, gen.run.line_seed())
        return True

    def read(self, r: Reading) -> None:
        r.end(0)
        solve.delete(r.run, r.seed)
        r.start()


@register("set-parameter")
class SetParameter(Action):
    """`set-parameter NAME VALUE`: a parameter of the solver's whole process. Parameters stand before
    `new`, because solvers read them when they are made. A parameter of another solver is refused.
    """

    drawn = False
    alone = True
    before = True
    damped = False

    def read(self, r: Reading) -> None:
        name, value = r.text(0, "a parameter"), r.text(1, "its value")
        r.end(2)
        if r.run.state.started:
            raise r.error("a parameter of the process is set too late: expected it before 'new'")
        r.require(not r.foreign, f"the parameter {name} of another solver")
        spelling = r.spelling("actions", "set-parameter")
        r.require(r.run.wrapper.has_parameter(name), f"this release has no parameter {name}")
        solve.set_parameter(r.run, name, value, r.seed, spelling)


@register("set-logic")
class SetLogic(Action):
    """`set-logic LOGIC`; a solver without this action ignores it."""

    damped = False

    def draw(self, gen: Generator) -> bool:
        run = gen.run
        if run.wrapper.set("actions", "set-logic") is None or run.state.logic is not None:
            return True
        solve.set_logic(run, draw_logic(gen), run.line_seed())
        return True

    def read(self, r: Reading) -> None:
        logic = r.text(0, "a logic")
        r.end(1)
        if r.run.wrapper.set("actions", "set-logic") is not None:
            r.require(r.run.state.logic is None, "the logic is set already")
            solve.set_logic(r.run, logic, r.seed, r.spelling("actions", "set-logic"))


@register("set-option")
class SetOption(Action):
    """`set-option NAME VALUE`. An option of another solver is refused."""

    def draw(self, gen: Generator) -> bool:
        return options.set_random_option(gen)

    def read(self, r: Reading) -> None:
        name, value = r.text(0, "an option"), r.text(1, "its value")
        r.end(2)
        special = r.run.wrapper.set("special-options", name) is not None
        if name in solve.SPECIAL_OPTIONS and (r.foreign or not special):
            return  # it was switched on with `new`, or is always on
        r.require(not r.foreign or name in _options(r.run), f"the option {name} of another solver")
        spelling = (
            r.spelling("special-options", name) if special else r.spelling("actions", "set-option")
        )
        solve.set_option(r.run, name, value, r.seed, spelling)


def _options(run: Run) -> list[str]:
    facts = run.wrapper.facts
    return [
        *(option.name for option in facts.options or ()),
        *(name for name, _ in facts.required()),
    ]


@register("set-option-req")
class SetRequiredOptions(Action):
    """Set the options that the theories of the run need and those of the user, by lines
    `set-option`.
    """

    traced = False

    def draw(self, gen: Generator) -> bool:
        return options.set_required_options(gen)


@register("set-limit")
class SetLimit(Action):
    """`set-limit N [MS]`: in the solver's own unit, and the wall time of each check of a script."""

    def draw(self, gen: Generator) -> bool:
        return draw_limit(gen)

    def read(self, r: Reading) -> None:
        limit = r.number(0, "a limit")
        wall_ms = r.number(1, "a limit in milliseconds") if len(r.line.args) > 1 else 0
        r.end(max(1, min(2, len(r.line.args))))
        if min(limit, wall_ms) < 0:
            raise r.error(f"expected a limit of 0 or more, found {min(limit, wall_ms)}")
        # Each solver counts in a unit of its own.
        r.require(not r.foreign and not r.trace.murxla, "a limit in the unit of another solver")
        solve.set_limit(r.run, limit, r.seed, r.spelling("actions", "set-limit"), wall_ms)


def draw_limit(gen: Generator) -> bool:
    """Draw a limit for the checks that follow; False if the run has no limits."""
    run = gen.run
    if not gen.limited or run.wrapper.set("actions", "set-limit") is None:
        return False
    unit = run.wrapper.facts.limit_per_ms
    solve.set_limit(
        run, max(1, int(gen.settings.number("check-limit", gen.stream) * unit)), run.line_seed()
    )
    return True


@register("reset")
class Reset(Action):
    """`reset`; in the grammar of Murxla it ends the life of all ids."""

    state = True
    resets = True

    def draw(self, gen: Generator) -> bool:
        if gen.run.wrapper.set("actions", "reset") is None:
            return False
        solve.reset(gen.run, gen.run.line_seed())
        _begin_higher_order(gen)
        return True

    def read(self, r: Reading) -> None:
        r.end(0)
        if r.trace.murxla:
            solve.delete(r.run, r.seed)
            r.start()
            REGISTERED["new"].read(r)
        else:
            solve.reset(r.run, r.seed, r.spelling("actions", "reset"))


@register("del")
class Del(Action):
    """`del t`, `del s`, `del x`, `del o1`, `del c1`."""

    alone = True
    scripted = False

    def draw(self, gen: Generator) -> bool:
        run = gen.run
        entry = any_entry(gen)
        if (
            entry is None
            or entry in run.state.asserted()
            or entry in run.state.assumptions
            or run.db.size(entry.term.sort) < 3
        ):
            return False
        if not entry.term.leaf and entry.uses == 0:
            return False
        solve.drop(run, entry, run.line_seed())
        return True

    def read(self, r: Reading) -> None:
        word = r.word(0, "an id")
        r.end(1)
        if isinstance(word, Ref) and word.letter in "oc" and word.number == 1:
            solve.drop_other(r.run, word, r.seed)
        elif isinstance(word, Ref) and word.letter == "x":
            r.object(word)
            solve.drop_other(r.run, word, r.seed)
        elif isinstance(word, Ref) and word.letter == "s":
            r.sort(0)
            solve.drop_other(r.run, word, r.seed)
        else:
            solve.drop(r.run, r.term(0), r.seed)


@register("gc")
class Collect(Action):
    """`gc`: a full garbage collection."""

    alone = True
    scripted = False

    def draw(self, gen: Generator) -> bool:
        solve.collect(gen.run, gen.run.line_seed())
        return True

    def read(self, r: Reading) -> None:
        r.end(0)
        solve.collect(r.run, r.seed)


@register("go")
class Go(Action):
    """A transition to another state, without any action."""

    traced = False

    def draw(self, gen: Generator) -> bool:
        return True
