"""`check-value-twice n t..`: a term has the same value when the solver is asked for it again.

A check runs in the process of the solver, which may be another environment. So it imports nothing but
the standard library and murxpy.
"""

from murxpy.machine.actions.base import Check, register, values_to_read
from murxpy.machine.checks.assertions import needs_model
from murxpy.machine.outcomes import Stopped

NAME = "check-value-twice"


def check(run, entries, seed, spelling=None):
    """Carry out the line, which is written before the first call. Raises Stopped with a finding."""
    run.frame.fill()
    asked = run.choose(run.wrapper.set("actions", "get-value"), seed, spelling, NAME)
    run.begin(seed, NAME, asked.name, " ".join([str(len(entries)), *map(str, entries)]))
    for entry in entries:
        first, second = (
            str(run.call(asked, (entry.obj,), (), "get-value")) for _ in range(2)
        )
        run.counts[f"{NAME}:{'true' if first == second else 'false'}"] += 1
        if first != second:
            message = f"the value of a term of {entry.term.sort.short} is another one when it is asked again"
            raise Stopped(
                run.finding("unstable-value", "solver", message, NAME, entry.term.op, asked.name)
            )


@register(NAME)
class ValueTwice(Check):
    """`check-value-twice n t..`."""

    option = "value-twice"  # its name for --check
    after = ("sat",)
    place = 90  # behind the checks of murxpy
    chance = 0.5

    def draw(self, gen):
        if gen.run.state.models and self.due(gen):
            entries = values_to_read(gen)
            if entries:
                check(gen.run, entries, gen.run.line_seed())
        return True

    def read(self, r):
        entries = r.counted_terms(0, closed=True)
        r.end(1 + len(entries))
        needs_model(r)
        check(r.run, entries, r.seed, r.spelling("actions", "get-value"))
