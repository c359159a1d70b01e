"""Small scripts of grammars, which `murxpy enumerate` tests one after another, as a source of a mix: each
run draws scripts of one grammar at random. No seed is needed; the answers are known where the
evaluator can go through all values of the constants.
"""

from __future__ import annotations

from murxpy.errors import InputError
from murxpy.smtlib.reading.scripts import read_script
from murxpy.sources.enumeration.grammar import Grammar
from murxpy.sources.enumeration.reading import Exhaustive
from murxpy.sources.mutation.entry import Entry, Setting
from murxpy.sources.mutation.workshop import Mutant, Mutants, Workshop

# The grammars of the thesis without floats, whose scripts take four tenths of the time of all eight.
QUICK = ("core", "arrays", "bitvectors", "ints", "reals", "realints", "strings")
_FIRST = 1_000_000  # scripts of a grammar, the smallest ones, among which runs draw


def mutants(workshop: Workshop) -> Mutants:
    """Scripts of one grammar, which is drawn for the run."""
    stream, tables = workshop.stream, workshop.tables
    grammar = Grammar(stream.choose(workshop.choices["grammars"]))
    number = min(grammar.number or _FIRST, _FIRST)
    try:
        known = Exhaustive(grammar.head, workshop.catalogue, tables)
    except InputError:
        return
    while True:
        index = stream.below(number)
        text = grammar.whole(grammar.at(index))
        script = read_script(text, grammar.name, workshop.catalogue, tables)
        answers = tuple(known.answers(script)) if known.possible else ()
        yield Mutant(script, (f"enumerate: script {index} of {grammar.name}",), answers)


ENTRY = Entry(
    "enumerate",
    "Test every small script of a grammar.",
    mutants=mutants,
    labels=lambda settings: (),
    command=False,
    settings=(
        Setting(
            "grammars",
            "Draw the scripts of these grammars, names from 'murxpy grammars' or files.",
            "grammars",
            default=",".join(QUICK),
            metavar="NAMES",
        ),
    ),
)
