"""The tokens of a script, one after another."""

from __future__ import annotations

from collections.abc import Iterable
from operator import length_hint

from murxpy.errors import InputError, nearest
from murxpy.smtlib.syntax.lexer import is_symbol, offset, place, symbol, tokenize

MAX_ARITY = 1000


class Source:
    """A script's tokens, and the place of the one in hand for errors."""

    def __init__(self, text: str, name: str) -> None:
        self.text = text
        self.name = name
        self.tokens = tokenize(text, name)
        self.rest = iter(self.tokens)

    @property
    def at(self) -> int:
        """The number of the token that comes next."""
        return len(self.tokens) - length_hint(self.rest)

    def next(self, expected: str) -> str:
        """The next token. Raises InputError at the end."""
        token = next(self.rest, None)
        if token is None:
            raise InputError(f"expected {expected}, found the end of the file")
        return token

    def peek(self) -> str:
        """The token that comes next, which stays; empty at the end."""
        at = self.at
        return self.tokens[at] if at < len(self.tokens) else ""

    def next_or_end(self) -> str:
        """The next token; empty at the end."""
        return next(self.rest, "")

    def go_back(self, at: int) -> None:
        """Let the token number `at` be the next one."""
        self.rest = iter(self.tokens)
        self.rest.__setstate__(at)  # type: ignore[attr-defined]  # of a list's iterator: the tokens before it are not passed over again

    def pass_over(self) -> None:
        """Leave out the next s-expression, or what there is of it."""
        depth = 0
        for token in self.rest:
            depth += (token == "(") - (token == ")")
            if depth <= 0:
                return

    def take(self, token: str, what: str) -> None:
        """Pass over `token`. Raises InputError where something else comes."""
        found = self.next(f"'{token}' {what}")
        if found != token:
            raise InputError(f"expected '{token}' {what}, found '{found[:60]}'")

    def skip(self, token: str) -> bool:
        """Pass over `token` if it comes next."""
        if self.peek() != token:
            return False
        next(self.rest)
        return True

    def symbol(self, what: str) -> str:
        """A symbol, with its bars. Raises InputError."""
        token = self.next(what)
        if not is_symbol(token):
            raise InputError(f"expected {what}, found '{token[:60]}'")
        return token

    def symbol_or(self, word: str, what: str) -> str:
        """A symbol, or the reserved `word`. Raises InputError."""
        return self.next(what) if self.peek() == word else self.symbol(what)

    def numeral(self, what: str) -> int:
        """A numeral. Raises InputError."""
        token = self.next(what)
        if not token.isascii() or not token.isdigit() or len(token) > 4000:
            raise InputError(f"expected {what}, found '{token[:60]}'")
        return int(token)

    def arity(self, what: str) -> int:
        """A number of parameters. Raises InputError for one that no script needs, since each of
        them is an object.
        """
        arity = self.numeral(what)
        if arity > MAX_ARITY:
            raise InputError(f"expected {what}, at most {MAX_ARITY}, found {str(arity)[:40]}")
        return arity

    def raw(self) -> str:
        """The next s-expression as it was written, blanks apart; empty in front of ')'."""
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
        """All s-expressions up to the ')' of the command, as they were written."""
        words = []
        while word := self.raw():
            words.append(word)
        return " ".join(words)

    def located(self, error: InputError) -> InputError:
        """The error with the place of the token before the next one."""
        line, column = place(self.text, offset(self.text, max(self.at - 1, 0)))
        return type(error)(str(error), file=self.name, line=line, column=column)


def joined(tokens: Iterable[str]) -> str:
    """Tokens as text, with blanks between, but not inside parentheses."""
    pieces: list[str] = []
    last = "("
    for token in tokens:
        pieces.append(token if last == "(" or token == ")" else f" {token}")
        last = token
    return "".join(pieces)


def unknown(token: str, what: str, known: list[str]) -> InputError:
    """An error about a name that nobody declared, with the one that looks most like it."""
    name = symbol(token)
    close = [k for k in known if abs(len(k) - len(name)) <= 2 and not k[:1].isdigit()][:5000]
    return InputError(f"unknown {what} '{name[:80]}'{nearest(name, close)}")
