"""Chooses symbols for a script. Each follows the syntax of SMT-LIB and stands for one thing only."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Iterator
from itertools import islice
from operator import length_hint

from murxpy.errors import InputError, nearest

SIMPLE = re.compile(r"[A-Za-z~!$%^&*_+=<>?/-][A-Za-z0-9~!@$%^&*_+=<>.?/-]*")
# these characters cannot stand between bars: backslash, bar, and all that is not printable ASCII
_UNQUOTABLE = re.compile(r"[^ -\[\]-{}~]")
# The reserved words of the standard (section 3.1). Such words are symbols only between bars.
_WORDS = """
    BINARY DECIMAL HEXADECIMAL NUMERAL STRING _ ! as let exists forall match par
"""
WORDS = frozenset(_WORDS.split())
_RESERVED = """
    BINARY DECIMAL HEXADECIMAL NUMERAL STRING _ ! as let exists forall lambda match par true false
    Bool Int Real Array BitVec FloatingPoint RoundingMode String RegLan Float16 Float32 Float64
    Float128 Seq Set Bag Tuple const ite bv NaN RNE RNA RTN RTP RTZ roundNearestTiesToEven
    roundNearestTiesToAway roundTowardPositive roundTowardNegative roundTowardZero is update
    update-field map char tuple.unit union intersection setminus complement subset default List
    nil cons insert head tail Pair mk-pair first second if iff implies fold!a fold!b
"""
RESERVED = tuple(_RESERVED.split())


class Symbols:
    """The symbols of a script. A thing gets the preferred symbol, or a similar one if that
    is taken.
    """

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._taken = {*RESERVED, *taken}
        self._given: dict[Hashable, str] = {}
        self._counts: dict[str, int] = {}

    def of(self, thing: Hashable, preferred: str) -> str:
        """Return the symbol of `thing`, as it is printed. The result is the same at every call."""
        found = self._given.get(thing)
        if found is None:
            found = self._given[thing] = spell(self._free(preferred))
        return found

    def _free(self, preferred: str) -> str:
        # symbols that begin with @ or a point are reserved for solvers
        base = _UNQUOTABLE.sub("?", preferred)
        base = f"_{base}" if base[:1] in ("@", ".", "") else base
        name = base
        while name in self._taken:
            self._counts[base] = self._counts.get(base, 0) + 1
            name = f"{base}!{self._counts[base]}"
        self._taken.add(name)
        return name


def spell(name: str) -> str:
    """Return a name as a symbol: as it is if it is a simple symbol, else between bars."""
    return name if SIMPLE.fullmatch(name) else f"|{name}|"


def option_value(value: str, strings: bool = False) -> str:
    """Return the value of an option as scripts say it. With `strings`, a value that is neither a
    number nor a truth value is a string.
    """
    if value in ("true", "false") or value[:1] in ('"', "(") or _DECIMAL.fullmatch(value):
        return value
    return f'"{value}"' if strings else spell(value)


_DECIMAL = re.compile(r"[0-9]+(\.[0-9]+)?")


# ----------------------------------------------------------------------
# Splits SMT-LIB 2.7 (section 3.1) into tokens, and finds the place of a token in the text. A token
# is a plain string. The place of a token is computed only if an error needs it, because objects
# with positions would cost more time than all other work on tokens.


# `*+` never gives back characters that it matched. A quote that is not closed therefore costs one
# pass over the rest of the text, and not one pass for each character.
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


# ----------------------------------------------------------------------
# The tokens of a script as the reader takes them, one after another.


MAX_ARITY = 1000


class Source:
    """The tokens of a script, and the place of the current one for errors."""

    def __init__(self, text: str, name: str) -> None:
        self.text = text
        self.name = name
        self.tokens = tokenize(text, name)
        self.rest = iter(self.tokens)

    @property
    def at(self) -> int:
        """Return the number of the token that comes next."""
        return len(self.tokens) - length_hint(self.rest)

    def next(self, expected: str) -> str:
        """Take the next token. Raises InputError at the end."""
        token = next(self.rest, None)
        if token is None:
            raise InputError(f"expected {expected}, found the end of the file")
        return token

    def peek(self) -> str:
        """Return the next token without taking it. At the end it is empty."""
        at = self.at
        return self.tokens[at] if at < len(self.tokens) else ""

    def next_or_end(self) -> str:
        """Take the next token. At the end it is empty."""
        return next(self.rest, "")

    def go_back(self, at: int) -> None:
        """Go back, so that the token number `at` comes next."""
        self.rest = iter(self.tokens)
        self.rest.__setstate__(at)  # type: ignore[attr-defined]  # of a list's iterator: the tokens before it are not passed over again

    def pass_over(self) -> None:
        """Skip the next s-expression, or what the text has of it."""
        depth = 0
        for token in self.rest:
            depth += (token == "(") - (token == ")")
            if depth <= 0:
                return

    def take(self, token: str, what: str) -> None:
        """Skip `token`. Raises InputError if something else comes."""
        found = self.next(f"'{token}' {what}")
        if found != token:
            raise InputError(f"expected '{token}' {what}, found '{found[:60]}'")

    def skip(self, token: str) -> bool:
        """Skip `token` if it comes next."""
        if self.peek() != token:
            return False
        next(self.rest)
        return True

    def symbol(self, what: str) -> str:
        """Take a symbol, with its bars. Raises InputError."""
        token = self.next(what)
        if not is_symbol(token):
            raise InputError(f"expected {what}, found '{token[:60]}'")
        return token

    def symbol_or(self, word: str, what: str) -> str:
        """Take a symbol, or the reserved `word`. Raises InputError."""
        return self.next(what) if self.peek() == word else self.symbol(what)

    def numeral(self, what: str) -> int:
        """Take a numeral. Raises InputError."""
        token = self.next(what)
        if not token.isascii() or not token.isdigit() or len(token) > 4000:
            raise InputError(f"expected {what}, found '{token[:60]}'")
        return int(token)

    def arity(self, what: str) -> int:
        """Take a number of parameters. Raises InputError if the number is larger than any script
        needs, because each parameter becomes an object.
        """
        arity = self.numeral(what)
        if arity > MAX_ARITY:
            raise InputError(f"expected {what}, at most {MAX_ARITY}, found {str(arity)[:40]}")
        return arity

    def raw(self) -> str:
        """Take the next s-expression and return its text, with blanks normalized. The text is empty
        in front of ')'.
        """
        if self.peek() in (")", ""):
            return ""
        depth, words = 0, []
        while True:
            token = self.next("')'")
            words.append(token)
            depth += (token == "(") - (token == ")")
            if depth == 0:
                return joined(words)

    def raw_rest(self) -> str:
        """Take all s-expressions up to the ')' of the command, and return their text."""
        words = []
        while word := self.raw():
            words.append(word)
        return " ".join(words)

    def located(self, error: InputError) -> InputError:
        """Return the error with the place of the current token."""
        line, column = place(self.text, offset(self.text, max(self.at - 1, 0)))
        return type(error)(str(error), file=self.name, line=line, column=column)


def joined(tokens: Iterable[str]) -> str:
    """Return tokens as text, with blanks between them, but not inside of parentheses."""
    pieces: list[str] = []
    last = "("
    for token in tokens:
        pieces.append(token if last == "(" or token == ")" else f" {token}")
        last = token
    return "".join(pieces)


_SEPARATION = "separation logic is no part of fsm/theories"
_FOREIGN = {
    **dict.fromkeys(("sep", "pto", "wand", "sep.emp", "sep.nil"), _SEPARATION),
    "fmf.card": "bounds on the size of uninterpreted sorts are no part of fsm/theories",
    "bag.partition": "partitions of bags are no part of fsm/theories",
}


def refuse(token: str) -> None:
    """Raise InputError with the reason if the symbol belongs to a theory that murxpy does not have."""
    reason = _FOREIGN.get(symbol(token))
    if reason is not None:
        raise InputError(f"'{symbol(token)}': {reason}")


def unknown(token: str, what: str, known: list[str]) -> InputError:
    """Return an error about a name that is not declared. The error suggests the known name that looks
    most like it.
    """
    name = symbol(token)
    if name in _FOREIGN:
        return InputError(f"'{name}': {_FOREIGN[name]}")
    close = [k for k in known if abs(len(k) - len(name)) <= 2 and not k[:1].isdigit()][:5000]
    return InputError(f"unknown {what} '{name[:80]}'{nearest(name, close)}")
