"""Random scripts of full trees, and their mutants."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from murxpy.errors import InputError
from murxpy.logic.catalogue import Catalogue
from murxpy.logic.terms import Term
from murxpy.machine.distributions import Settings
from murxpy.machine.random import Stream, mix
from murxpy.mutation.preparing import Logics, in_logic
from murxpy.smtlib.commands import Assert, CheckSat, Command, DeclareFun, SetLogic
from murxpy.smtlib.script import Script
from murxpy.trees.applications import Applications
from murxpy.trees.growing import Grower, Place, Tree
from murxpy.trees.shape import Shape
from murxpy.trees.universe import build_universe

_UNIVERSE = 0x7EE5  # keys the stream that draws the functions


@dataclass(frozen=True, slots=True)
class Trees:
    """The assertions of a script, whose variables have numbers up to `bound`."""

    roots: tuple[Tree, ...]
    bound: int


class Garden:
    """Makes scripts of one shape: new ones, and mutants. All of them have the same sorts, constants
    and functions, which `seed` decides, and only operators that all of `dialects` can say; none of
    `without`. Raises InputError where the shape allows no script.
    """

    def __init__(
        self,
        shape: Shape,
        catalogue: Catalogue,
        settings: Settings,
        seed: int,
        dialects: Sequence[str],
        without: Collection[str] = (),
    ) -> None:
        self.shape = shape
        self._stream = Stream(mix(seed, _UNIVERSE))
        self.universe = build_universe(shape, catalogue, self._stream)
        self.applications = Applications(self.universe, dialects, without)
        self._grower = Grower(
            self.universe, self.applications, settings, self._stream, linear=shape.linear
        )
        if not self.applications.grows(self.universe.tables.bool):
            raise InputError("no operator that is left gives a formula: ban fewer of them")

    def new(self, seed: int) -> Trees:
        """A new script."""
        self._stream.reset(seed)
        self._grower.bound = 0
        boolean, depth = self.universe.tables.bool, self.shape.depth
        roots = tuple([self._grower.tree(boolean, depth) for _ in range(self.shape.assertions)])
        return Trees(roots, self._grower.bound)

    def damp(self, kinds: Sequence[str]) -> None:
        """Draw these operators less often in new scripts."""
        self._grower.damp(kinds)

    def constructs(self, trees: Trees) -> list[str]:
        """The operators that can be put into a script."""
        there = {place.tree.sort for root in trees.roots for place in root.places()}
        able = {kind for sort in there for kind in self.applications.giving[sort]}
        return [kind for kind in self.applications.operators() if kind in able]

    def mutant(self, trees: Trees, kind: str, seed: int) -> Trees:
        """The script with the operator `kind` in the place of another one that gives the same sort.
        What stood below stays where it fits, and the tree is full again.
        """
        self._stream.reset(seed)
        self._grower.bound = trees.bound
        places = [
            (number, place)
            for number, root in enumerate(trees.roots)
            for place in root.places()
            if kind in self.applications.giving[place.tree.sort]
        ]
        number, place = self._stream.choose(places)
        roots = list(trees.roots)
        roots[number] = self._grower.replaced(roots[number], place.path, self._instead(place, kind))
        return Trees(tuple(roots), self._grower.bound)

    def _instead(self, place: Place, kind: str) -> Tree:
        old = place.tree
        levels = self.shape.depth - place.level
        kept = [child for child in old.children if self._stays(child, old, levels)]
        return self._grower.applied(kind, old.sort, levels, place.scope, kept)

    def _stays(self, child: Tree, old: Tree, levels: int) -> bool:
        """Whether a tree can stay below what replaces `old`: it is full, which the literals of linear
        products are not, and has no variable of `old`.
        """
        leaf = child.application is None
        full = levels == 1 or not leaf or not self.applications.grows(child.sort)
        return full and set(old.variables).isdisjoint(child.term.free)

    def script(self, trees: Trees) -> Script:
        """The script as commands, in the smallest logic that has them."""
        commands: list[Command] = [SetLogic("ALL")]
        commands += [DeclareFun(constant) for constant in self._declared()]
        commands += [Assert(root.term) for root in trees.roots]
        script = Script("script", self.universe.tables, [*commands, CheckSat()])
        return in_logic(script, Logics(script).of(script))

    def _declared(self) -> Iterator[Term]:
        for constants in self.universe.constants.values():
            yield from constants
        yield from self.universe.functions
