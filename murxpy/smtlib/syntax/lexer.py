"""Splits SMT-LIB 2.7 (section 3.1) into tokens, and finds the place of a token in the text.

A token is a plain string. Its place is computed only if an error needs it, because objects with
positions would cost more time than all other work on tokens.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from murxpy.errors import InputError
from murxpy.smtlib.syntax.symbols import SIMPLE, WORDS

# `*+` never gives back characters that it matched. So a quote that is not closed costs one pass
# over the rest of the text, and not one pass for each character.
_TOKEN = re.compile(r"""[()]|[^\s()";|]+|"[^"]*+(?:""[^"]*+)*+"|\|[^|\\]*\||;[^\n]*|["|]""")
_SOLID = re.compile(r"[^\x00-\x08\x0b\x0c\x0e-\x1f\x7f]*")
_NUMERAL = re.compile(r"[0-9]+")
_OPEN = {
    '"': "a string that is closed by a second '\"'",
    "|": "a symbol that is closed by a second '|', without a backslash",
}


def tokenize(text: str, name: str) -> list[str]:
    """Return the tokens of a script, without comments. Raises InputError for characters that begin
    no token, and for a quote that is not closed.
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
    """Return the position in `text` at which the token `number` begins, or the end of the text if
    it has fewer tokens.
    """
    return next(islice(solid(text), number, None), len(text.rstrip()))


def solid(text: str) -> Iterator[int]:
    """Return the positions at which the tokens of `text` begin."""
    return (found.start() for found in _TOKEN.finditer(text) if text[found.start()] != ";")


def place(text: str, at: int) -> tuple[int, int]:
    """Return line and column, both from 1, of the character `at`."""
    return text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)


def key(token: str) -> str:
    """Return a symbol as the key of a table. Bars that make no difference, as in `|x|`, are left
    out.
    """
    if token[0] != "|":
        return token
    return key_of(token[1:-1])


def key_of(name: str) -> str:
    """Return what `key` returns for the symbol of this name."""
    return name if SIMPLE.fullmatch(name) and name not in WORDS else f"|{name}|"


def symbol(token: str) -> str:
    """Return the name of a symbol, which is the text between its bars."""
    return token[1:-1] if token[0] == "|" else token


def is_symbol(token: str) -> bool:
    """Return whether the token can name something: it is no parenthesis, literal, keyword or
    reserved word.
    """
    first = token[0]
    return first == "|" or (first not in '()"#:0123456789' and token not in WORDS)


def is_numeral(token: str) -> bool:
    """Return whether the token is a numeral."""
    return _NUMERAL.fullmatch(token) is not None
