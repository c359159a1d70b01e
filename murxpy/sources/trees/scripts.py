"""Growing full trees at random, and putting one operator into a tree."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from murxpy.errors import InputError
from murxpy.logic.catalogue import Catalogue
from murxpy.logic.sorts import Sort
from murxpy.logic.terms import Term
from murxpy.logic.values import LITERAL_KINDS
from murxpy.machine.generate.leaves import draw_literal
from murxpy.machine.random import Settings, Stream, Weighted, mix
from murxpy.smtlib.building import Tables
from murxpy.smtlib.logics import difference_logic
from murxpy.smtlib.reading.scripts import read_script
from murxpy.smtlib.script import Assert, CheckSat, Command, DeclareFun, Script, SetLogic
from murxpy.sources.mutation.preparing import Logics, in_logic
from murxpy.sources.trees.universe import (
    Application,
    Applications,
    Shape,
    Universe,
    build_universe,
    is_number,
    literal_place,
)

# The share of its weight that a damped operator keeps, and its least share of the first weight.
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
            fitting = next((tree for tree in left if self._fits(tree, wanted)), None)
            last = at == len(application.args) - 1
            if last and application.minus:
                children.append(Tree(self._tables.value(wanted, self._number(wanted))))
            elif last and self._linear and literal_place(application.operator):
                children.append(self._literal_leaf(wanted))
            elif fitting is None:
                children.append(self.tree(wanted, levels - 1, (*scope, *variables)))
            else:
                left.remove(fitting)
                children.append(fitting)
        return self.node(application, variables, tuple(children))

    def _fits(self, tree: Tree, wanted: Sort) -> bool:
        """Whether a tree can be an argument of a sort. In difference logic, literals stand alone."""
        literal = self._universe.difference and is_number(wanted) and tree.term.literal
        return tree.sort is wanted and not literal

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
        """A constant or a variable in scope, or a literal, each in half of the draws; no literal where
        difference logic has none.
        """
        named = [*self._universe.constants.get(sort, ()), *(v for v in scope if v.sort is sort)]
        literal = None
        if named and self._universe.difference and is_number(sort):
            return Tree(self._stream.choose(named))
        if not named or self._stream.chance(1 - _CONSTANT):
            literal = self._literal(sort)
        return Tree(literal if literal is not None else self._stream.choose(named))

    def _variable(self, sort: Sort) -> Term:
        self.bound += 1
        return self._tables.variable(f"v_{self.bound}", sort)

    def _literal_leaf(self, sort: Sort) -> Tree:
        """A literal other than 0."""
        while True:
            value = self._number(sort)
            if value:
                return Tree(self._tables.value(sort, value))

    def _number(self, sort: Sort) -> Any:
        return draw_literal(sort, self._settings, self._stream)

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


# ----------------------------------------------------------------------
# Random scripts of full trees, and their mutants.


_UNIVERSE = 0x7EE5  # keys the stream that draws the functions


@dataclass(frozen=True, slots=True)
class Trees:
    """The assertions of a script, whose variables have numbers up to `bound`."""

    roots: tuple[Tree, ...]
    bound: int


class TreeScripts:
    """Makes scripts of one shape: new ones, and mutants. All of them have the same sorts, constants
    and functions, which `seed` decides, and only operators that all of `dialects` can say; none of
    `without`. The terms are in `tables` if they are given. Raises InputError where the shape allows no
    script.
    """

    def __init__(
        self,
        shape: Shape,
        catalogue: Catalogue,
        settings: Settings,
        seed: int,
        dialects: Sequence[str],
        without: Collection[str] = (),
        tables: Tables | None = None,
    ) -> None:
        self.shape = shape
        self._stream = Stream(mix(seed, _UNIVERSE))
        self.universe = build_universe(shape, catalogue, self._stream, tables)
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
        The subterms below it stay where they fit, and the tree is full again.
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
        logic = Logics(script).of(script, composed=True)
        return in_logic(script, difference_logic(logic) if self.shape.difference else logic)

    def _declared(self) -> Iterator[Term]:
        for constants in self.universe.constants.values():
            yield from constants
        yield from self.universe.functions


# ----------------------------------------------------------------------
# Malformed texts for parsers: a script with one fault in one of its lines.


_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_ODD = ('"', "|", "\\", ";", "#", ":", "\x00", "é", "😀", "'", "{", "~!@")
_NUMBER = "9" * 400
_TRIES = 100
_UNKNOWN = "unknown command"
_TOKEN = re.compile(r"[^\s()]+")


@dataclass(frozen=True, slots=True)
class Corrupted:
    """A malformed text, and what was done to the script."""

    text: str
    fault: str


def corrupted(text: str, stream: Stream, catalogue: Catalogue) -> Corrupted:
    """The script with one fault, so that our reader refuses it. Raises InputError if no fault was
    found that our reader refuses.
    """
    for _ in range(_TRIES):
        name = stream.choose(list(_FAULTS))
        made = _FAULTS[name](text, stream)
        if made != text and malformed(made, catalogue):
            return Corrupted(made, name)
    raise InputError("no fault was found that makes the script malformed")


def malformed(text: str, catalogue: Catalogue) -> bool:
    """Whether our reader refuses a text, for more than a command that it does not know: solvers may
    answer `unsupported` to such a command, and go on (SMT-LIB 2.7, section 4.1.2).
    """
    try:
        read_script(text, "script", catalogue)
    except InputError as error:
        return not error.reason.startswith(_UNKNOWN)
    return False


def _at(text: str, stream: Stream) -> int:
    """A place in a declaration or an assertion."""
    lines = [found.span() for found in re.finditer(r"^\((?:declare|assert).*$", text, re.M)]
    begin, end = stream.choose(lines or [(0, len(text))])
    return stream.between(begin, end - 1)


def _letter(text: str, stream: Stream) -> str:
    at = _at(text, stream)
    return text[:at] + stream.choose(_LETTERS) + text[at:]


def _gone(text: str, stream: Stream) -> str:
    at = _at(text, stream)
    return text[:at] + text[at + 1 :]


def _odd(text: str, stream: Stream) -> str:
    at = _at(text, stream)
    return text[:at] + stream.choose(_ODD) + text[at:]


def _parenthesis(text: str, stream: Stream) -> str:
    at = _at(text, stream)
    return text[:at] + stream.choose("()") + text[at:]


def _cut(text: str, stream: Stream) -> str:
    return text[: _at(text, stream)]


def _swapped(text: str, stream: Stream) -> str:
    spans = [found.span() for found in _TOKEN.finditer(text)]
    one, other = sorted(stream.sample(spans, 2))
    first, second = text[slice(*one)], text[slice(*other)]
    return text[: one[0]] + second + text[one[1] : other[0]] + first + text[other[1] :]


def _number(text: str, stream: Stream) -> str:
    spans = [found.span() for found in _TOKEN.finditer(text)]
    begin, end = stream.choose(spans)
    return text[:begin] + _NUMBER + text[end:]


# The first of these is the behaviour of the original; the others are new.
_FAULTS: dict[str, Callable[[str, Stream], str]] = {
    "a letter more": _letter,
    "a character less": _gone,
    "an odd character": _odd,
    "a parenthesis more": _parenthesis,
    "the end is missing": _cut,
    "two words swapped": _swapped,
    "a long number": _number,
}
