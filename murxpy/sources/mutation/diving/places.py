"""The formulas of a script that changes: its assertions, each with formulas that were added in front
of it, and the formulas that each check sees.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

from murxpy.logic.terms import FUNCTION, Term
from murxpy.logic.walks import bottom_up, occurrences
from murxpy.machine.random import Stream
from murxpy.modules import load_modules
from murxpy.semantics.ranges.abstract import ANY, NOTHING, TRUE, Range
from murxpy.semantics.ranges.backward import below
from murxpy.semantics.registry import Unknown
from murxpy.smtlib.script import Assert, CheckSatAssuming, Command, Script, at_checks
from murxpy.sources.mutation.diving.seed_models import Witness
from murxpy.sources.mutation.occurrences import Occurrence, binds
from murxpy.sources.mutation.workshop import MutationSession

load_modules("murxpy.semantics.ranges")  # each enters its backward rules

Spot = tuple[int, int]
"""The number of an assertion of the seed, and the number of a formula there."""


class Formulas:
    """The formulas of a script. A spot names one of them. The seed's own assertion is the first
    formula of its spot's assertion; those behind it were added.
    """

    def __init__(self, script: Script) -> None:
        self._script = script
        self._asserts = [c for c in script.commands if isinstance(c, Assert)]
        numbers = {id(command): number for number, command in enumerate(self._asserts)}
        self._terms: list[tuple[Term, ...]] = [(command.term,) for command in self._asserts]
        # the commands of each assertion with its formulas
        self._made: dict[tuple[int, tuple[Term, ...]], list[Command]] = {}
        # for each check: the assertions that it sees, and its assumptions
        self.seen: list[tuple[int, ...]] = []
        self.assumed: list[tuple[Term, ...]] = []
        for at, asserted in at_checks(script):
            command = script.commands[at]
            self.seen.append(tuple(numbers[id(one)] for one in asserted))
            self.assumed.append(
                command.assumptions if isinstance(command, CheckSatAssuming) else ()
            )

    def spots(self) -> Iterator[Spot]:
        """All spots in order."""
        for number, terms in enumerate(self._terms):
            for place in range(len(terms)):
                yield number, place

    def at(self, spot: Spot) -> Term:
        """The formula at a spot."""
        return self._terms[spot[0]][spot[1]]

    def at_check(self, check: int, without: Spot | None = None) -> Iterator[Term]:
        """The formulas that hold at a check if it is sat, without the one at a spot."""
        for number in self.seen[check]:
            for place, term in enumerate(self._terms[number]):
                if (number, place) != without:
                    yield term
        yield from self.assumed[check]

    def change(self, spot: Spot, term: Term, added: Sequence[Term] = ()) -> None:
        """Put a formula at a spot, and add others beside it."""
        terms = list(self._terms[spot[0]])
        terms[spot[1]] = term
        self._terms[spot[0]] = (*terms, *added)

    def keep(self) -> list[tuple[Term, ...]]:
        """Return the state that `restore` needs to have the present formulas again."""
        return list(self._terms)

    def restore(self, kept: Sequence[tuple[Term, ...]]) -> None:
        """Have those formulas again that there were when they were kept."""
        self._terms = list(kept)

    def places(self) -> dict[int, Spot]:
        """The spots by the positions of their assertions in the script."""
        found: dict[int, Spot] = {}
        at, numbers = 0, iter(range(len(self._asserts)))
        for command in self._script.commands:
            if isinstance(command, Assert):
                number = next(numbers)
                for place in (*range(1, len(self._terms[number])), 0):
                    found[at] = (number, place)
                    at += 1
            else:
                at += 1
        return found

    def script(self) -> Script:
        """The script with these formulas. Formulas that were added stand in front of the assertion
        that they belong to, which keeps its name.
        """
        commands: list[Command] = []
        numbers = iter(enumerate(self._terms))
        for command in self._script.commands:
            if isinstance(command, Assert):
                made = self._made.get(key := next(numbers))
                if made is None:
                    term, *added = key[1]
                    made = self._made[key] = [*map(Assert, added), Assert(term, command.name)]
                commands += made
            else:
                commands.append(command)
        return Script(self._script.name, self._script.tables, commands)


# ----------------------------------------------------------------------
# The places of a formula at which a term can be replaced, each with the range that keeps the
# formula true, and the choice of one by weight. Kim, So, Oh: "DIVER", ICSE 2023: the range of
# an assertion is {true}; a backward rule gives the range of each argument. The weight of a
# place is the score of its range.


# types of values that are equal only if nothing tells them apart
_PLAIN = (bool, int, Fraction, str)


class Node:
    """A term and the range in which its value must stay. There is one node for equal ones, because
    they have equal places below them. `own` is the weight of the term's own place, `total` that of
    all places in it, and `inner` has those arguments in which there may be places, with their
    positions; the last two are None as long as nobody asked.
    """

    __slots__ = ("inner", "own", "term", "total", "wanted")

    def __init__(self, term: Term, wanted: Range, own: float) -> None:
        self.term = term
        self.wanted = wanted
        self.own = own
        self.inner: tuple[tuple[int, Node], ...] | None = None
        self.total: float | None = None


@dataclass(frozen=True, slots=True)
class Place:
    """An occurrence of a term, and the range in which its value keeps the assertion true."""

    occurrence: Occurrence
    wanted: Range


class Places:
    """The places in formulas that are true in a witness. The results for a node are cached, so that a
    changed formula only costs its new nodes.

    There are no places inside of binders. Without a witness, only formulas that may have any value
    have places. With `weighted` unset, all places have the same weight.
    """

    def __init__(
        self, shop: MutationSession, witness: Witness | None, weighted: bool = True
    ) -> None:
        self._catalogue = shop.catalogue
        self._profile = shop.profile
        self._witness = witness
        self._weighted = weighted
        self._nodes: dict[Range, dict[Term, Node]] = {}

    def weight(self, root: Term, wanted: Range = TRUE) -> float:
        """The weight of all places together, in a formula whose value must stay in a range."""
        return self._weighed(self._node(root, wanted))

    def _node(self, term: Term, wanted: Range) -> Node:
        nodes = self._nodes.get(wanted)
        if nodes is None:
            nodes = self._nodes[wanted] = {}
        node = nodes.get(term)
        if node is None:
            node = nodes[term] = Node(term, wanted, self._own(term, wanted))
        return node

    def _weighed(self, start: Node) -> float:
        if start.total is None:
            for node in bottom_up(start, (), self._unweighed):
                node.total = node.own + sum([child.total or 0.0 for _, child in self._inner(node)])
        return start.total or 0.0

    def _unweighed(self, node: Node) -> list[Node]:
        return [child for _, child in self._inner(node) if child.total is None]

    def draw(self, root: Term, stream: Stream, wanted: Range = TRUE) -> Place | None:
        """A random place in a formula, by weight; None if the formula has none."""
        node = self._node(root, wanted)
        total = self._weighed(node)
        if total <= 0:
            return None
        above: list[tuple[Term, int]] = []
        point = stream.random() * total
        while node.own <= point and node.inner:
            point -= node.own
            for step in node.inner:
                below = step[1].total or 0.0
                if point < below:
                    break
                point -= below
            # rounding can leave the point behind the last argument, which is then taken
            above.append((node.term, step[0]))
            node = step[1]
        return Place(Occurrence(node.term, tuple(above)), node.wanted) if node.own > 0 else None

    def nodes(self, root: Term) -> Iterator[Node]:
        """Each occurrence of a term with its range and its weight, from the root down."""
        self.weight(root)
        return occurrences(
            [self._node(root, TRUE)], lambda node: [child for _, child in node.inner or ()][::-1]
        )

    def at(self, root: Term, path: Sequence[int], wanted: Range = TRUE) -> Range:
        """The range of the argument to which a path leads."""
        node = self._node(root, wanted)
        for position in path:
            below = dict(self._inner(node)).get(position)
            node = below or self._node(node.term.args[position], NOTHING)
        return node.wanted

    def follow(self, old: Term, new: Term, path: Sequence[int], wanted: Range = TRUE) -> None:
        """Take over from a formula what is known of its places for the formula with another term at the
        end of a path. As long as the arguments on the path have the same value in both, those beside
        them have the same ranges.
        """
        before, after = self._node(old, wanted), self._node(new, wanted)
        for position in path:
            inner = before.inner
            if not inner or after.inner is not None:
                return
            beside, changed = before.term.args[position], after.term.args[position]
            if before.wanted is not ANY and not self._alike(beside, changed):
                return
            at = position - inner[0][0]
            before = inner[at][1]
            after.inner = (
                *inner[:at],
                (position, below := self._node(changed, before.wanted)),
                *inner[at + 1 :],
            )
            after = below

    def _alike(self, one: Term, other: Term) -> bool:
        """Whether two terms have the same known value in the witness."""
        if self._witness is None:
            return False
        values = self._witness.value(one), self._witness.value(other)
        return type(values[0]) in _PLAIN and values[0] == values[1]

    def _own(self, term: Term, wanted: Range) -> float:
        if term.sort.kind in ("SORT_FUN", "SORT_CASE") or wanted is NOTHING:
            return 0.0
        return wanted.score if self._weighted else 1.0

    def _inner(self, node: Node) -> tuple[tuple[int, Node], ...]:
        if node.inner is None:
            node.inner = tuple(self._arguments(node.term, node.wanted))
        return node.inner

    def _arguments(self, term: Term, wanted: Range) -> Iterator[tuple[int, Node]]:
        if not term.args or wanted is NOTHING or term.op == FUNCTION:
            return
        if binds(self._catalogue, term) or term.op == "OP_DT_MATCH":
            return
        if wanted is ANY or self._witness is None:
            ranges: list[Range] = [wanted if wanted is ANY else NOTHING] * len(term.args)
        else:
            values = [self._witness.value(arg) for arg in term.args]
            ranges = below(self._witness.evaluator, term, wanted, values)
        first = 1 if term.op == "OP_UF_APPLY" else 0
        operator = self._catalogue.operators.get(term.op)
        asking = operator if operator and self._profile.literals(operator) else None
        for position in range(first, len(term.args)):
            # the solver takes nothing but a literal there
            bound = asking and self._profile.literal(asking, position) is not None
            yield position, self._node(term.args[position], NOTHING if bound else ranges[position])


def unknown(value: object) -> bool:
    """Whether a value is not known."""
    return type(value) is Unknown


# ----------------------------------------------------------------------
# The facts about a script that stay true while its terms change: the models of its satisfiable
# checks, or the core of an unsatisfiable one.


class Keeping(Protocol):
    """Decides what may change in a script so that its answers stay known."""

    expected: tuple[
        str, ...
    ]  # [`expected: tuple[str, ...]`] the answers of the checks, `unknown` where no answer is known
    at: int  # the number of the model that is kept

    @property
    def witness(self) -> Witness | None:
        """The model that is kept; None if no model is kept."""

    @property
    def places(self) -> Places:
        """The places in formulas, and their ranges."""

    def wanted(self, spot: Spot) -> Range:
        """The range in which a formula must stay."""

    def each(self) -> Iterable[Witness]:
        """All models, for a new constant that gets a value in each of them."""

    def keeps(self, spot: Spot, changed: Term) -> bool:
        """Whether a formula may stand at a spot although its new term is in no range."""

    def trust(self, spot: Spot, changed: Term) -> None:
        """Note that a formula has the value of the one at a spot in the model that is kept."""


class Models:
    """Keeps one of several models of the checks that are satisfiable in it. Checks of which the
    first model is none have no known answers.
    """

    def __init__(
        self,
        shop: MutationSession,
        formulas: Formulas,
        witnesses: Sequence[Witness],
        weighted: bool,
    ) -> None:
        self._formulas = formulas
        self._witnesses = list(witnesses)
        self._places = [Places(shop, witness, weighted) for witness in witnesses]
        checks = range(len(formulas.seen))
        self._known = [check for check in checks if self._holds(self._witnesses[0], check)]
        self.expected = tuple("sat" if check in self._known else "unknown" for check in checks)
        self._bound = {number for check in self._known for number in formulas.seen[check]}
        self.at = 0  # the model that is kept

    @property
    def witness(self) -> Witness:
        """The model that is kept."""
        return self._witnesses[self.at]

    @property
    def places(self) -> Places:
        """The places in formulas, with their ranges in the model that is kept."""
        return self._places[self.at]

    def each(self) -> Iterable[Witness]:
        """All models, for a new constant that gets a value in each of them."""
        return self._witnesses

    def wanted(self, spot: Spot) -> Range:
        """The range of a formula: anything, if it is at no check whose answer is known."""
        return TRUE if spot[0] in self._bound else ANY

    def keeps(self, spot: Spot, changed: Term) -> bool:
        """Whether a model satisfies all known checks with a formula at a spot; it is then kept."""
        if self.wanted(spot) is ANY or self.witness.value(changed) is True:
            return True
        for at, witness in enumerate(self._witnesses):
            if at != self.at and self._satisfies(witness, spot, changed):
                self.at = at
                return True
        return False

    def trust(self, spot: Spot, changed: Term) -> None:
        """Note that a formula has the value of the one at a spot in the model that is kept."""
        self.witness.trust(changed, self._formulas.at(spot))

    def _satisfies(self, witness: Witness, spot: Spot, changed: Term) -> bool:
        if witness.value(changed) is not True:
            return False
        others = (self._formulas.at_check(check, spot) for check in self._known)
        return all(witness.holds(term) for terms in others for term in terms)

    def _holds(self, witness: Witness, check: int) -> bool:
        return all(map(witness.holds, self._formulas.at_check(check)))


class Core:
    """Keeps an unsatisfiable core: its formulas stay as they are or become stronger, and all others may
    become anything. `at` is the number of the core that is kept, of all that there were.
    """

    witness: Witness | None = None

    def __init__(self, shop: MutationSession, formulas: Formulas, core: Sequence[Term]) -> None:
        self.places = Places(shop, None)
        self._cores = [frozenset(core)]
        self.at = 0
        self._formulas = formulas
        self.expected = tuple(
            "unsat" if self._core.issubset(formulas.at_check(check)) else "unknown"
            for check in range(len(formulas.seen))
        )

    @property
    def _core(self) -> frozenset[Term]:
        return self._cores[self.at]

    def once(self) -> list[Spot]:
        """The spots of those formulas of the core that stand at one spot alone."""
        found: dict[Term, list[Spot]] = {}
        for spot in self._formulas.spots():
            found.setdefault(self._formulas.at(spot), []).append(spot)
        return [spots[0] for term, spots in found.items() if term in self._core and not spots[1:]]

    def strengthened(self, old: Term, new: Term) -> None:
        """Note that a formula of the core becomes a stronger one."""
        del self._cores[self.at + 1 :]
        self._cores.append(self._core - {old} | {new})
        self.at += 1

    def each(self) -> Iterable[Witness]:
        """No models."""
        return ()

    def trust(self, spot: Spot, changed: Term) -> None:
        """Do nothing, since there is no model."""

    def wanted(self, spot: Spot) -> Range:
        """The range of a formula: itself in the core, and anything elsewhere."""
        return NOTHING if self._formulas.at(spot) in self._core else ANY

    def keeps(self, spot: Spot, changed: Term) -> bool:
        """Whether the formula at a spot is not of the core."""
        return self.wanted(spot) is ANY
