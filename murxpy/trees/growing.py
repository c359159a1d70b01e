"""Growing full trees at random, and putting one operator into a tree."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from murxpy.logic.sorts import Sort
from murxpy.logic.terms import Term
from murxpy.logic.values import LITERAL_KINDS
from murxpy.machine.distributions import Settings
from murxpy.machine.generate.literals import draw_literal
from murxpy.machine.random import Stream, Weighted
from murxpy.trees.applications import Application, Applications
from murxpy.trees.universe import Universe, literal_place

# What is left of the weight of an operator that is damped, and at least of what it was at first.
_DAMPED, _LEAST = 0.5, 0.1
_WHOLE = 0.3  # the chance that a leaf is a regular language with a name, and not that of a string
_CONSTANT = 0.5  # the chance that a leaf is a constant, where there are constants and literals


@dataclass(frozen=True, slots=True)
class Tree:
    """A leaf, which is a term, or an application with its variables and the trees below it."""

    term: Term
    application: Application | None = None
    variables: tuple[Term, ...] = ()
    children: tuple[Tree, ...] = ()

    @property
    def sort(self) -> Sort:
        """The sort of its term."""
        return self.term.sort

    def places(self, level: int = 0, scope: tuple[Term, ...] = ()) -> Iterator[Place]:
        """The places of the applications in the tree, the root first."""
        if self.application is not None:
            yield Place((), self, level, scope)
            inner = (*scope, *self.variables)
            for at, child in enumerate(self.children):
                for place in child.places(level + 1, inner):
                    yield Place((at, *place.path), place.tree, place.level, place.scope)


@dataclass(frozen=True, slots=True)
class Place:
    """A place in a tree: the arguments that lead to it, the tree there, how deep it is, and the
    variables that are bound above it.
    """

    path: tuple[int, ...]
    tree: Tree
    level: int
    scope: tuple[Term, ...]


class Grower:
    """Grows trees over a universe. `settings` say how literals are drawn. The variables of quantifiers
    are numbered; `bound` is the number of the last one.
    """

    def __init__(
        self,
        universe: Universe,
        applications: Applications,
        settings: Settings,
        stream: Stream,
        *,
        linear: bool,
    ) -> None:
        self._universe, self._applications = universe, applications
        self._tables = universe.tables
        self._settings, self._stream, self._linear = settings, stream, linear
        self._weights = dict(universe.weights)
        self._weighted = self._weigh()
        self.bound = 0

    def damp(self, kinds: Sequence[str]) -> None:
        """Draw these operators less often from now on."""
        for kind in kinds:
            least = _LEAST * self._universe.weights[kind]
            self._weights[kind] = max(least, _DAMPED * self._weights[kind])
        self._weighted = self._weigh()

    def _weigh(self) -> dict[Sort, Weighted[str]]:
        return {
            sort: Weighted([(kind, self._weights[kind]) for kind in by_operator])
            for sort, by_operator in self._applications.giving.items()
        }

    def tree(self, sort: Sort, levels: int, scope: Sequence[Term] = ()) -> Tree:
        """A tree of a sort with `levels` operators on each path."""
        if levels == 0 or not self._applications.grows(sort):
            return self.leaf(sort, scope)
        kind = self._stream.weighted(self._weighted[sort])
        return self.applied(kind, sort, levels, scope)

    def applied(
        self,
        kind: str,
        sort: Sort,
        levels: int,
        scope: Sequence[Term],
        kept: Sequence[Tree] = (),
    ) -> Tree:
        """An application of the operator `kind` that gives `sort`, with `levels` operators on each
        path. Of the trees `kept`, those that fit are arguments; the others are grown.
        """
        application = self._stream.choose(self._applications.giving[sort][kind])
        variables = tuple([self._variable(bound) for bound in application.bound])
        left, children = list(kept), list[Tree]()
        for at, wanted in enumerate(application.args):
            fitting = next((tree for tree in left if tree.sort is wanted), None)
            if (
                self._linear
                and at == len(application.args) - 1
                and literal_place(application.operator)
            ):
                children.append(self._literal_leaf(wanted))
            elif fitting is None:
                children.append(self.tree(wanted, levels - 1, (*scope, *variables)))
            else:
                left.remove(fitting)
                children.append(fitting)
        return self.node(application, variables, tuple(children))

    def node(
        self, application: Application, variables: tuple[Term, ...], children: tuple[Tree, ...]
    ) -> Tree:
        """The tree of an application."""
        term = application.term(self._tables, variables, [child.term for child in children])
        return Tree(term, application, variables, children)

    def replaced(self, tree: Tree, path: Sequence[int], new: Tree) -> Tree:
        """The tree with another one at a place."""
        if not path:
            return new
        assert tree.application is not None
        children = list(tree.children)
        children[path[0]] = self.replaced(children[path[0]], path[1:], new)
        return self.node(tree.application, tree.variables, tuple(children))

    def leaf(self, sort: Sort, scope: Sequence[Term] = ()) -> Tree:
        """A constant or a variable in scope, or a literal, each in half of the draws."""
        named = [*self._universe.constants.get(sort, ()), *(v for v in scope if v.sort is sort)]
        literal = None
        if not named or self._stream.chance(1 - _CONSTANT):
            literal = self._literal(sort)
        return Tree(literal if literal is not None else self._stream.choose(named))

    def _variable(self, sort: Sort) -> Term:
        self.bound += 1
        return self._tables.variable(f"v_{self.bound}", sort)

    def _literal_leaf(self, sort: Sort) -> Tree:
        """A literal other than 0."""
        while True:
            value = draw_literal(sort, self._settings, self._stream)
            if value:
                return Tree(self._tables.value(sort, value))

    def _literal(self, sort: Sort) -> Term | None:
        """A literal or a special value; None for a sort that has none."""
        tables, stream = self._tables, self._stream
        if sort.kind in LITERAL_KINDS:
            return tables.value(sort, draw_literal(sort, self._settings, stream))
        if sort.kind == "SORT_REGLAN":
            if stream.chance(_WHOLE):
                return tables.apply(stream.choose(("OP_RE_ALL", "OP_RE_ALLCHAR", "OP_RE_NONE")))
            text = draw_literal(tables.string, self._settings, stream)
            return tables.apply("OP_STR_TO_RE", tables.value(tables.string, text))
        known = tables.catalogue.sorts.get(sort.kind)
        specials = [] if known is None else [s for s in known.special if s != "set.universe"]
        return tables.special(sort, stream.choose(specials)) if specials else None
