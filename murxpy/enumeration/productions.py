"""Productions of a grammar, as they are written: SMT-LIB text with the names of nonterminals in it,
and with choices in braces, such as `({+ - *} I I)`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, product

from murxpy.errors import InputError

MOST = 10_000  # spellings of one production
# comments do not occur: a production stands on one line
_TOKEN = re.compile(r"""\s+|[(){}]|"(?:[^"]|"")*"|\|[^|\\]*\||[^\s(){}"|;]+|.""", re.S)
_CLOSING = {"(": ")", "{": "}"}


@dataclass(frozen=True, slots=True)
class Production:
    """A way to make a text of a nonterminal.

    `children` are the nonterminals in it, in order. Each of `spellings` is one choice of the words
    in braces: the texts around the children, so that it has one text more than there are children.
    """

    children: tuple[str, ...]
    spellings: tuple[tuple[str, ...], ...]
    line: int = 0

    def text(self, spelling: int, children: Sequence[str]) -> str:
        """The text with this spelling and these texts for the children."""
        around = self.spellings[spelling]
        return around[0] + "".join(
            child + behind for child, behind in zip(children, around[1:], strict=True)
        )


def parse_production(
    text: str, nonterminals: Collection[str], file: str = "", line: int = 0
) -> Production:
    """Read a production. Raises InputError for parentheses or braces that do not match, for braces
    within braces, and for a nonterminal within braces.
    """

    def wrong(message: str) -> InputError:
        return InputError(f"{message} in the production {text}", file=file, line=line)

    parts: list[list[str]] = []  # the choices of each part; a child is the list of its name
    children: list[int] = []  # the places of children among the parts
    for token in _parts(text, wrong):
        if isinstance(token, list):
            named = [word for word in token if word in nonterminals]
            if named:
                raise wrong(f"braces choose among words, not among nonterminals: found {named[0]}")
            parts.append(token)
        elif token in nonterminals:
            children.append(len(parts))
            parts.append([token])
        else:
            parts.append([token])
    count = 1
    for choices in parts:
        count *= len(choices)
    if count > MOST:
        raise wrong(f"expected at most {MOST:,} choices of words, found {count:,}")
    spellings = tuple(_around(chosen, children) for chosen in product(*parts))
    return Production(tuple(parts[place][0] for place in children), spellings, line)


def _around(words: Sequence[str], children: Sequence[int]) -> tuple[str, ...]:
    ends = [-1, *children, len(words)]
    return tuple("".join(words[begin + 1 : end]) for begin, end in pairwise(ends))


def _parts(text: str, wrong: object) -> Iterator[str | list[str]]:
    """The tokens of a production, blanks included; a pair of braces is the list of its choices."""
    assert callable(wrong)
    open_: list[str] = []
    choices: list[str] | None = None
    depth = 0  # of parentheses within the braces
    for token in _TOKEN.findall(" ".join(text.split())):
        if token in ('"', "|", ";"):
            raise wrong(f"expected SMT-LIB text, found a single {token}")
        if token in _CLOSING:
            if token == "{":
                if choices is not None:
                    raise wrong("expected no braces within braces")
                choices = []
                open_.append(token)
                continue
            open_.append(token)
        elif token in _CLOSING.values():
            if not open_ or _CLOSING[open_.pop()] != token:
                raise wrong(f"expected the match of an open one before '{token}'")
            if token == "}":
                if not choices:
                    raise wrong("expected words between braces")
                yield choices
                choices, depth = None, 0
                continue
        if choices is None:
            yield token
            continue
        if token.isspace() and not depth:
            continue
        depth = _add(choices, token, depth)
    if open_:
        raise wrong(f"expected '{_CLOSING[open_[-1]]}' before the end")


def _add(choices: list[str], token: str, depth: int) -> int:
    """Add a token to the choices, and return how many parentheses are open behind it."""
    if depth:
        choices[-1] += token
    else:
        choices.append(token)
    return depth + (token == "(") - (token == ")")
