"""Skeletons: the connectives and quantifiers of the seed stay, and some of its atoms become new ones.

After Once4All (skeleton-guided fuzzing), in which a language model writes the generators of the terms that
fill the skeletons of formulas. This module needs none: new atoms are made by the table of operators, over
the symbols of the seed and constants of other theories of the solver.
"""

from __future__ import annotations

from collections.abc import Sequence

from murxpy.errors import InputError
from murxpy.logic.sorts import Sort
from murxpy.logic.terms import VALUE, VARIABLE, Term
from murxpy.logic.walks import subterms
from murxpy.machine.random import Weighted
from murxpy.smtlib.script import Script
from murxpy.sources.mutation.assignments import QUANTIFIERS, connects, fresh_prefix
from murxpy.sources.mutation.entry import DROP_OPTIONS, Entry, Setting
from murxpy.sources.mutation.occurrences import Occurrences, in_scope, replaced
from murxpy.sources.mutation.options import decided
from murxpy.sources.mutation.preparing import places, prepared_seed, with_assertion
from murxpy.sources.mutation.terms import Expressions, Fitting
from murxpy.sources.mutation.workshop import Mutant, Mutants, Workshop
from murxpy.sources.trees.universe import Shape, build_universe, theories_of

ATOMS = 4  # new atoms of one mutant, at most, if the user does not say how many
TRIES = 20  # atoms that are tried for one mutant
GROWTH = 4  # how many times as large as the seed a mutant may be, in occurrences of terms
DEEPEST, NESTED = 3, 0.3  # of new atoms, as in `Expressions`
FOREIGN = 0.5  # the share of runs with constants of other theories than the seed has
_THEORIES = 2  # other theories of a run, at most
_CONSTANTS = 2  # constants of each of their sorts
_WIDTHS = (1, 4, 8, 16, 32)
_APPLIED = 2  # applications of each function of the seed from which new atoms are made
_BOUND = 4  # how many atoms are drawn at a place with bound variables until one has some


def mutants(workshop: Workshop) -> Mutants:
    """A chain of mutants with one skeleton. Each has some atoms more replaced than the last mutant
    before it that was decided.
    """
    script = workshop.script()
    if script is None:
        return
    script = prepared_seed(workshop, script)
    filler = _Filler(workshop, script)
    while (changed := filler.filled(script)) is not None:
        if decided((yield Mutant(*changed))):
            script = changed[0]


class _Filler:
    """Replaces atoms of a script."""

    def __init__(self, workshop: Workshop, script: Script) -> None:
        self._tables = workshop.tables
        self._stream = workshop.stream
        self._most = int(workshop.choices.get("atoms") or ATOMS)
        self._atoms = Occurrences(
            workshop.catalogue,
            lambda term: int(_formula(term) and not self._connects(term)),
            _formula,
        )
        self._sizes = Occurrences(workshop.catalogue, lambda term: 1)
        roots = script.assertions()
        self._largest = GROWTH * sum(map(self._sizes.count, roots)) + 50
        self._fitting = Fitting(workshop.shop, roots)
        self._expressions = Expressions(
            workshop, script, deepest=DEEPEST, nested=NESTED, leaves=_leaves(workshop, script)
        )

    def _connects(self, term: Term) -> bool:
        return term.op in QUANTIFIERS or connects(self._tables.catalogue, term)

    def filled(self, script: Script) -> tuple[Script, tuple[str, ...]] | None:
        """The script with some atoms replaced, and what was done; None if no atom that is drawn fits."""
        wanted, steps = self._stream.between(1, self._most), list[str]()
        for _ in range(TRIES):
            found = self._one(script)
            if found is not None:
                script = found[0]
                steps.append(found[1])
            if len(steps) == wanted:
                break
        return (script, tuple(steps)) if steps else None

    def _one(self, script: Script) -> tuple[Script, str] | None:
        """The script with one atom replaced, and a description of the change."""
        asserted = script.assertions()
        counts = [self._atoms.count(term) for term in asserted]
        if not any(counts):
            return None
        numbered = zip(places(script), asserted, strict=True)
        place, root = self._stream.weighted(Weighted(list(zip(numbered, counts, strict=True))))
        hole = self._atoms.draw(root, self._stream)
        assert hole is not None
        scope = dict.fromkeys(in_scope(self._tables.catalogue, hole))
        found = self._expressions.atom(scope)
        for _ in range(_BOUND if scope else 0):
            if found is not None and found[0].free:
                break
            found = self._expressions.atom(scope) or found
        if found is None or found[0] is hole.term:
            return None
        changed = replaced(self._tables, hole, found[0])
        rest = sum(map(self._sizes.count, asserted)) - self._sizes.count(root)
        if rest + self._sizes.count(changed) > self._largest or not self._fitting.fits(changed):
            return None
        step = f"skeleton: {hole.term.op} to {found[1]}, depth {len(hole.above)}"
        return with_assertion(script, place, changed), step


def _formula(term: Term) -> bool:
    return term.sort.kind == "SORT_BOOL"


# ----------------------------------------------------------------------
# The terms of which new atoms are made.


def _leaves(workshop: Workshop, script: Script) -> list[Term]:
    """The constants, literals and bound variables of a script, applications of its functions, and in some
    runs constants of other theories.
    """
    others = [term for term in subterms(script.assertions()) if term.op in (VARIABLE, VALUE)]
    leaves = [*script.constants(), *sorted(others, key=lambda term: term.serial)]
    if not workshop.choices.get("own_sorts") and workshop.stream.chance(FOREIGN):
        leaves += _foreign(workshop, script, leaves)
    by_sort: dict[Sort, list[Term]] = {}
    for leaf in leaves:
        by_sort.setdefault(leaf.sort, []).append(leaf)
    for function in script.constants():
        if function.sort.kind == "SORT_FUN":
            leaves += _applications(workshop, function, by_sort)
    return leaves


def _applications(
    workshop: Workshop, function: Term, by_sort: dict[Sort, list[Term]]
) -> list[Term]:
    """Applications of a function to leaves; none if a sort has no leaves."""
    *taken, _ = function.sort.sorts()
    among = [by_sort.get(sort, ()) for sort in taken]
    if not all(among):
        return []
    return [
        workshop.tables.apply("OP_UF_APPLY", function, *map(workshop.stream.choose, among))
        for _ in range(_APPLIED)
    ]


def _foreign(workshop: Workshop, script: Script, own: Sequence[Term]) -> list[Term]:
    """New constants of sorts that the seed does not have, of theories that are drawn among those of the
    solver. A name that the seed has gives no constant.
    """
    shop, stream = workshop.shop, workshop.stream
    names = theories_of(shop.catalogue, shop.operators)
    shape = Shape(
        tuple(stream.sample(names, stream.between(1, min(_THEORIES, len(names))))),
        variables=_CONSTANTS,
        widths=(stream.choose(_WIDTHS),),
    )
    try:
        universe = build_universe(shape, shop.catalogue, stream, workshop.tables)
    except InputError:
        return []
    sorts = {leaf.sort for leaf in own}
    prefix = fresh_prefix(workshop.tables, script.constants(), "new_")
    return [
        workshop.tables.constant(f"{prefix}{constant.indices[0]}", sort)
        for sort, constants in universe.constants.items()
        if sort not in sorts and sort.kind not in ("SORT_BOOL", "SORT_DT")
        for constant in constants
    ]


ENTRY = Entry(
    "skeleton",
    "Fuzz with scripts whose atoms are replaced by new ones.",
    "Fuzz with scripts whose connectives and quantifiers stay, while atoms are replaced by new ones.\n\n"
    "SEEDS are SMT-LIB scripts and folders of them, such as the regression suite of a solver ('murxpy "
    "import-seeds'). Nothing is known of what a mutant must answer: give --cross-check another solver, "
    "or look for crashes and wrong models alone.",
    mutants,
    chained=True,
    settings=(
        DROP_OPTIONS,
        Setting(
            "atoms",
            "Atoms replaced from one mutant to the next, at most.",
            "number",
            least=1,
            most=1000,
            default=ATOMS,
        ),
        Setting("own-sorts", "Make new atoms of the seed's own symbols alone."),
    ),
)
