"""Which scripts of a grammar are twins of others: equal to another script of the same size, but for the
names of constants or the order of operands.

Of all texts that arise from a script by exchanging constants, and by exchanging operands of
commutative operators, the least one has its constants in the order of their names and its operands
sorted as texts. So to skip all other scripts leaves at least one of each kind, and the indices stay.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from murxpy.enumeration.grammar import Grammar

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
        todo = [tree]
        while todo:
            node = todo.pop()
            if isinstance(node, str):
                continue
            name = node[0] if node else ""
            commutes = isinstance(name, str) and name in self._operators
            if commutes and _text(node[-2]) > _text(node[-1]):
                return False
            todo += node
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


def _nodes(trees: Sequence[Tree]) -> Iterator[list[Tree]]:
    todo = list(reversed(trees))
    while todo:
        node = todo.pop()
        if isinstance(node, list):
            yield node
            todo += reversed(node)


def _words(trees: Sequence[Tree]) -> Iterator[str]:
    """The words of expressions, in their order."""
    todo = list(reversed(trees))
    while todo:
        node = todo.pop()
        if isinstance(node, str):
            yield node
        else:
            todo += reversed(node)


def _text(tree: Tree) -> str:
    return tree if isinstance(tree, str) else f"({' '.join(map(_text, tree))})"
