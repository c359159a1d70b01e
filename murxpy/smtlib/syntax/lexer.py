"""The tokens of SMT-LIB 2.7 (section 3.1), and where in its text a token stands.

A token is a plain string, and its place is looked for only when an error needs it: objects with
positions would cost more than all else.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from murxpy.errors import InputError
from murxpy.smtlib.syntax.symbols import SIMPLE, WORDS

# No quantifier between the quotes gives back what it took (`*+`): a quote that is never closed
# costs one pass over the rest of the text.
_TOKEN = re.compile(r"""[()]|[^\s()";|]+|"[^"]*+(?:""[^"]*+)*+"|\|[^|\\]*\||;[^\n]*|["|]""")
_SOLID = re.compile(r"[^\x00-\x08\x0b\x0c\x0e-\x1f\x7f]*")
_NUMERAL = re.compile(r"[0-9]+")
_OPEN = {
    '"': "a string that is closed by a second '\"'",
    "|": "a symbol that is closed by a second '|', without a backslash",
}


def tokenize(text: str, name: str) -> list[str]:
    """The tokens of a script, without comments. Raises InputError for what is no text, or not
    closed.
    """
    end = _SOLID.match(text)
    if end is not None and end.end() < len(text):
        line, column = place(text, end.end())
        found = f"the character U+{ord(text[end.end()]):04X}"
        raise InputError(
            f"not an SMT-LIB script: expected text, found {found}",
            file=name,
            line=line,
            column=column,
        )
    tokens = _TOKEN.findall(text)
    if ";" in text:
        tokens = [token for token in tokens if token[0] != ";"]
    for opener, expected in _OPEN.items():
        if opener in tokens:
            line, column = place(text, offset(text, tokens.index(opener)))
            raise InputError(
                f"expected {expected}, found the end of the file",
                file=name,
                line=line,
                column=column,
            )
    return tokens


def offset(text: str, number: int) -> int:
    """Where in `text` the token `number` begins; the end of the text where there are fewer tokens."""
    return next(islice(solid(text), number, None), len(text.rstrip()))


def solid(text: str) -> Iterator[int]:
    """Where the tokens of `text` begin."""
    return (found.start() for found in _TOKEN.finditer(text) if text[found.start()] != ";")


def place(text: str, at: int) -> tuple[int, int]:
    """Line and column, both from 1, of the character `at`."""
    return text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)


def key(token: str) -> str:
    """A symbol as tables know it: without bars where they make no difference, as in `|x|`."""
    if token[0] != "|":
        return token
    return key_of(token[1:-1])


def key_of(name: str) -> str:
    """What `key` gives for the symbol of this name."""
    return name if SIMPLE.fullmatch(name) and name not in WORDS else f"|{name}|"


def symbol(token: str) -> str:
    """The name that a symbol stands for: what is between the bars."""
    return token[1:-1] if token[0] == "|" else token


def is_symbol(token: str) -> bool:
    """True if the token can name something: no parenthesis, literal, keyword or reserved word."""
    first = token[0]
    return first == "|" or (first not in '()"#:0123456789' and token not in WORDS)


def is_numeral(token: str) -> bool:
    """True for a numeral."""
    return _NUMERAL.fullmatch(token) is not None
