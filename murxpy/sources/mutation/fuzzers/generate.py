"""Random scripts of full trees, as `murxpy generate` prints them, as a source of a mix. No seed is needed,
and the answers are not known.
"""

from __future__ import annotations

from murxpy.errors import InputError
from murxpy.sources.mutation.entry import Entry, Setting
from murxpy.sources.mutation.workshop import Mutant, Mutants, Workshop
from murxpy.sources.trees.scripts import TreeScripts
from murxpy.sources.trees.universe import Shape, theories_of

_THEORIES = 3  # theories of a run, at most
_ASSERTIONS, _DEPTH = 4, 3
_WIDTHS = (1, 4, 8, 16, 32)
_QUANTIFIED = 0.25  # the share of runs whose scripts can be quantified


def mutants(workshop: Workshop) -> Mutants:
    """Scripts of one shape, which is drawn for the run: its theories are among those of the solver, or
    among those that the user names.
    """
    stream, shop = workshop.stream, workshop.shop
    without = frozenset(shop.catalogue.operators) - shop.operators
    try:
        scripts = TreeScripts(
            _shape(workshop),
            shop.catalogue,
            shop.settings,
            stream.below(1 << 32),
            (shop.dialect,),
            without,
            workshop.tables,
        )
    except InputError:
        return
    while True:
        yield Mutant(scripts.script(scripts.new(stream.below(1 << 32))), ("generate: full trees",))


def _shape(workshop: Workshop) -> Shape:
    stream, choices = workshop.stream, workshop.choices
    names = list(
        choices.get("theories") or theories_of(workshop.catalogue, workshop.shop.operators)
    )
    theories = stream.sample(names, stream.between(1, min(_THEORIES, len(names))))
    return Shape(
        tuple(theories),
        stream.between(1, int(choices.get("assertions") or _ASSERTIONS)),
        stream.between(1, int(choices.get("depth") or _DEPTH)),
        3,
        (stream.choose(_WIDTHS),),
        functions=stream.between(0, 2),
        quantifiers=stream.chance(_QUANTIFIED),
        extensions=True,
    )


ENTRY = Entry(
    "generate",
    "Print a random script of full trees.",
    mutants=mutants,
    labels=lambda settings: (),
    command=False,
    settings=(
        Setting(
            "theories",
            "Draw the operators of generated scripts from these theories.",
            "theories",
            metavar="NAMES",
        ),
        Setting(
            "assertions",
            "Assertions of a generated script, at most.",
            "number",
            least=1,
            most=100,
            default=_ASSERTIONS,
            metavar="N",
        ),
        Setting(
            "depth",
            "Operators on each path of a generated script, at most.",
            "number",
            least=1,
            most=8,
            default=_DEPTH,
            metavar="N",
        ),
    ),
)
