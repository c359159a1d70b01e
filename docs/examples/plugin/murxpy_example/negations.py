"""A mutation fuzzer: an assertion of the seed is negated twice, so each answer stays as it was.

Like a check, a fuzzer runs in the process of the solver.
"""

from murxpy.sources.mutation.entry import Entry, Setting
from murxpy.sources.mutation.preparing import places, with_assertion
from murxpy.sources.mutation.workshop import Mutant


def mutants(workshop):
    """Scripts with more and more negations."""
    script = workshop.script()
    if script is None:
        return
    while True:
        at = workshop.stream.choose(places(script))
        term = script.commands[at].term
        for _ in range(2 * int(workshop.choices.get("pairs", 1))):
            term = script.tables.apply("OP_NOT", term)
        script = with_assertion(script, at, term)
        yield Mutant(script, ("negated twice",))


ENTRY = Entry(
    "negations",
    "Fuzz with scripts whose assertions are negated twice.",
    "Fuzz with scripts whose assertions are negated twice, so that each answer stays as it was.",
    mutants,
    settings=(Setting("pairs", "Pairs of negations of a mutant.", "number", 1, 100, default=1),),
)
