"""The tokens of a script as the reader takes them, one after another."""

from __future__ import annotations

from collections.abc import Iterable
from operator import length_hint

from murxpy.errors import InputError, nearest
from murxpy.smtlib.syntax.lexer import is_symbol, offset, place, symbol, tokenize

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
        """Pass over the next s-expression, or over what there is of it."""
        depth = 0
        for token in self.rest:
            depth += (token == "(") - (token == ")")
            if depth <= 0:
                return

    def take(self, token: str, what: str) -> None:
        """Pass over `token`. Raises InputError if something else comes."""
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
        """Take a number of parameters. Raises InputError if it is larger than any script needs,
        because each parameter becomes an object.
        """
        arity = self.numeral(what)
        if arity > MAX_ARITY:
            raise InputError(f"expected {what}, at most {MAX_ARITY}, found {str(arity)[:40]}")
        return arity

    def raw(self) -> str:
        """Take the next s-expression and return its text, with blanks normalized. It is empty in
        front of ')'.
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


def unknown(token: str, what: str, known: list[str]) -> InputError:
    """Return an error about a name that is not declared. It suggests the known name that looks most
    like it.
    """
    name = symbol(token)
    close = [k for k in known if abs(len(k) - len(name)) <= 2 and not k[:1].isdigit()][:5000]
    return InputError(f"unknown {what} '{name[:80]}'{nearest(name, close)}")
