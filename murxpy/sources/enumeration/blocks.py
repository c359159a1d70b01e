"""Finds the scripts of a grammar that are twins of others: equal to another script of the same size,
but for the names of constants or the order of operands.

Of all texts that arise from a script by exchanging constants, and by exchanging operands of
commutative operators, the least one has its constants in the order of their names and its operands
sorted as texts. Skipping all other scripts therefore leaves at least one of each kind, and the
indices stay.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from murxpy.errors import InputError
from murxpy.logic.walks import occurrences
from murxpy.machine.random import mix, unmix
from murxpy.sources.enumeration.grammar import Grammar
from murxpy.sources.setups import EnumerationSetup

_TOKEN = re.compile(r"""\(|\)|"(?:[^"]|"")*"|\|[^|]*\||[^\s()]+""")
_CONSTANT = re.compile(r"\(declare-const (\S+) (.+)\)$")
Tree = str | list["Tree"]


class Canonical:
    """The canonical form of the scripts of a grammar. Constants are exchanged where each production
    has a twin in which they are exchanged; operands where they are two of the same nonterminal.
    `commuting` are the names of commutative operators, each with the number of its operands, of which
    the last two can be exchanged.
    """

    def __init__(self, grammar: Grammar, commuting: Mapping[str, int]) -> None:
        self._grammar = grammar
        self._commuting = commuting
        self._operators = frozenset(self._commutative())
        self._alike = list(self._exchangeable())

    def holds(self, index: int) -> bool:
        """Whether the script with this index is in canonical form."""
        trees = list(_trees(self._grammar.at(index)))
        return self._in_order(trees) and all(map(self._sorted, trees))

    def _in_order(self, trees: Sequence[Tree]) -> bool:
        """Whether constants that can be exchanged occur in the order of their names."""
        places = {word: at for at, word in enumerate(dict.fromkeys(_words(trees)))}
        never = len(places)
        return all(
            second not in places or places.get(first, never) < places[second]
            for first, second in self._alike
        )

    def _sorted(self, tree: Tree) -> bool:
        for node in _nodes([tree]):
            name = node[0] if node else ""
            commutes = isinstance(name, str) and name in self._operators
            if commutes and _text(node[-2]) > _text(node[-1]):
                return False
        return True

    def _commutative(self) -> Iterator[str]:
        """The operators whose two last operands are the same nonterminal wherever they stand."""
        uneven: set[str] = set()
        found: dict[str, None] = {}
        for _, production, spelling in self._grammar.spelled():
            names = [f"<{child}>" for child in production.children]
            for node in _nodes(list(_trees(production.text(spelling, names)))):
                name = node[0] if node else ""
                if isinstance(name, str) and name in self._commuting:
                    last = node[-2:]
                    even = len(last) == 2 and last[0] == last[1] and last[0] in names
                    found[name] = None
                    if not even or len(node) != 1 + self._commuting[name]:
                        uneven.add(name)
        return (name for name in found if name not in uneven)

    def _exchangeable(self) -> Iterator[tuple[str, str]]:
        """Pairs of constants of the same sort, in the order of their names, with which the grammar
        does the same.
        """
        texts = {
            (name, _swapped(production.text(spelling, production.children)))
            for name, production, spelling in self._grammar.spelled()
        }
        script = [text for text, _ in self._grammar.plain["script"]]
        declared = sorted(
            found.groups()
            for text, _ in self._grammar.plain["declare"]
            if (found := _CONSTANT.match(" ".join(text.split())))
        )
        for at, (first, sort) in enumerate(declared):
            for second, other in declared[at + 1 :]:
                swapped = {(name, _swapped(text, first, second)) for name, text in texts}
                same = swapped == texts and all(
                    _swapped(t) == _swapped(t, first, second) for t in script
                )
                if sort == other and same:
                    yield first, second


def _swapped(text: str, first: str = "", second: str = "") -> str:
    """The words of a text, where two of them are exchanged."""
    names = {first: second, second: first}
    return " ".join(names.get(word, word) for word in _TOKEN.findall(text))


def _trees(text: str) -> Iterator[Tree]:
    """The expressions of a text, read without their meaning."""
    stack: list[list[Tree]] = [[]]
    for token in _TOKEN.findall(text):
        if token == "(":
            stack.append([])
        elif token == ")":
            whole = stack.pop()
            stack[-1].append(whole)
        else:
            stack[-1].append(token)
    return iter(stack[0])


def _occurrences(trees: Sequence[Tree]) -> Iterator[Tree]:
    """The words and lists in expressions, in their order."""
    return occurrences(
        reversed(trees), lambda node: () if isinstance(node, str) else reversed(node)
    )


def _nodes(trees: Sequence[Tree]) -> Iterator[list[Tree]]:
    return (node for node in _occurrences(trees) if isinstance(node, list))


def _words(trees: Sequence[Tree]) -> Iterator[str]:
    """The words of expressions, in their order."""
    return (node for node in _occurrences(trees) if isinstance(node, str))


def _text(tree: Tree) -> str:
    return tree if isinstance(tree, str) else f"({' '.join(map(_text, tree))})"


# ----------------------------------------------------------------------
# Blocks of indices: a run of an enumeration tests the scripts of one block.


_KEY = 0xE17  # of the seeds of runs
_OFFSET = 16  # bits of a seed that say how many scripts of a block are left out
_AGAIN = 1 << _OFFSET  # set where the first script that is not left out was killed before
_NUMBER = _OFFSET + 1  # the lowest bit of the block's number
COUNTED = "enumerate:"  # what the names of counters of scripts begin with
# The possible results of a script, besides its answers, `unknown`, and the classes of refused
# calls.
FINDING, KILLED, TWIN = "finding", "killed", "twin"
JUDGED = "judged:"  # what the names of counters of the answers of judges begin with
# The possible results of a judge for a decided script, besides `unknown`.
AGREED, DIFFERS, NOT_RUN = "agreed", "differs", "not-run"
CONFIRMED = "confirmed:"  # what the names of counters of confirmed scripts begin with
# What confirms a decided script, beside judges, which have their names.
BY_VALUES, BY_MODEL = "all values", "its model"
# What the names of counters begin with of the scripts that the target left unknown; behind it stand
# grammar, size, and what came: left, asked, decided, lost or slow.
LEFT = "undecided:"
# Which of two solvers gives up on a script that the other one decides.
BY_JUDGES, BY_TARGET = "judges", "target"
OF_SCRIPTS = (COUNTED, JUDGED, CONFIRMED, LEFT)
LARGEST = 10_000  # scripts of a block


@dataclass(frozen=True, slots=True)
class Block:
    """The scripts of a grammar with the indices from `first` to `first + count - 1`."""

    grammar: Grammar
    first: int
    count: int
    canonical: Canonical | None = None  # only scripts in this form are tested

    @property
    def last(self) -> int:
        """The largest index."""
        return self.first + self.count - 1

    def twin(self, index: int) -> bool:
        """Whether the script with this index is skipped, because a twin of it is tested."""
        return self.canonical is not None and not self.canonical.holds(index)

    def counter(self, index: int, came: str) -> str:
        """The name of the counter of scripts that have the size of the one with this index, and of
        which the same `came`.
        """
        return f"{COUNTED}{self.grammar.name}:{self.grammar.size_at(index)}:{came}"

    def confirmed(self, index: int, by: str) -> str:
        """The name of the counter of decided scripts that have the size of the one with this index, and
        whose answers are confirmed `by` that.
        """
        return f"{CONFIRMED}{self.grammar.name}:{self.grammar.size_at(index)}:{by}"

    def judged(self, index: int, answer: str, judge: str) -> str:
        """The name of the counter of scripts that have the size of the one with this index, and to
        which the judge with this name gave this `answer`.
        """
        return f"{JUDGED}{self.grammar.name}:{self.grammar.size_at(index)}:{answer}:{judge}"


class Blocks:
    """The blocks of all grammars in turn: the first block of each grammar, the second of each, and
    so on.

    Raises InputError where a grammar has fewer scripts than `at`.
    """

    def __init__(self, setup: EnumerationSetup) -> None:
        self._at = int(setup["at"])
        self._size = setup["block"]
        self.grammars = [Grammar(plain) for plain in setup["grammars"]]
        commuting = setup.get("canonical")
        self._canonical = [Canonical(one, commuting) for one in self.grammars] if commuting else []
        self._takes = [self._taken(grammar, setup["take"]) for grammar in self.grammars]
        self._counts = [-(-take // self._size) for take in self._takes]
        self.number = sum(self._counts)

    def _taken(self, grammar: Grammar, take: int) -> int:
        if grammar.number is None:
            return take
        if grammar.number <= self._at:
            raise InputError(
                f"the grammar {grammar.name} has {grammar.number:,} scripts: expected a smaller index than {self._at:,}"
            )
        return min(take, grammar.number - self._at)

    def seed_of(self, number: int) -> int:
        """The run seed of block number `number`, from 0."""
        return unmix(number << _NUMBER, _KEY)

    def rest(self, run_seed: int, begun: int, *, again: bool = False) -> int:
        """The run seed of what is left of a block, without its first `begun` scripts. With `again`
        the first script that is left was killed before.
        """
        code = mix(run_seed, _KEY) & ~_AGAIN
        return unmix(code + begun + again * _AGAIN, _KEY)

    def again(self, run_seed: int) -> bool:
        """Whether the first script of the run with this seed was killed before."""
        return bool(mix(run_seed, _KEY) & _AGAIN)

    def of(self, run_seed: int) -> Block:
        """The block of the run with this seed, or what is left of it. Raises InputError where the
        seed names none.
        """
        code = mix(run_seed, _KEY)
        number, offset = code >> _NUMBER, code & (_AGAIN - 1)
        if number < self.number:
            whole = self._numbered(number)
            if offset < whole.count:
                first, count = whole.first + offset, whole.count - offset
                return Block(whole.grammar, first, count, whole.canonical)
        raise InputError(
            f"the seed {run_seed:x} names no block of these grammars: expected the seed in the header of "
            "a trace of the same command"
        )

    def _numbered(self, number: int) -> Block:
        begin = 0  # the number of blocks of each grammar that are over
        while True:
            left = [place for place, count in enumerate(self._counts) if count > begin]
            rounds = min(self._counts[place] for place in left) - begin
            if number < rounds * len(left):
                turn, place = divmod(number, len(left))
                return self._block(left[place], begin + turn)
            number -= rounds * len(left)
            begin += rounds

    def _block(self, place: int, turn: int) -> Block:
        first = turn * self._size
        count = min(self._size, self._takes[place] - first)
        canonical = self._canonical[place] if self._canonical else None
        return Block(self.grammars[place], self._at + first, count, canonical)
