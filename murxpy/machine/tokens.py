"""Python objects that are none of a solver's, for calls that a binding must refuse."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

from murxpy.errors import InputError
from murxpy.logic.values import from_codes, to_codes


class Raising:
    """An object that raises an exception whenever it is used: called, compared, converted, iterated
    or printed.
    """

    def _raise(self, *args: Any) -> Any:
        raise ValueError("raised by an operand")

    __call__ = __eq__ = __str__ = __repr__ = __int__ = __index__ = __float__ = __iter__ = (
        __len__
    ) = __getitem__ = _raise
    __add__ = __radd__ = __and__ = __rand__ = __lt__ = __gt__ = __bool__ = _raise
    __hash__ = None  # type: ignore[assignment]


class Opaque:
    """An object without anything that a binding could use. The text of the object contains no
    address, so a binding that reads the text does the same in every run.
    """

    def __repr__(self) -> str:
        return "<a stranger>"


FOREIGN_OBJECTS: dict[str, Callable[[], Any]] = {
    "object": Opaque,
    "class": lambda: object,
    "raising": Raising,
    "function": lambda: len,
}


# ----------------------------------------------------------------------
# Python values as words of a trace: `py:none`, `py:-3`, `py:0x1.8p+1f`, `py:"text"`,
# `py:b"bytes"`, `py:[1,"a"]`, `py:{"k":1}`.


MAX_DEPTH = 32
# Longer ints are written in hexadecimal, because Python limits the number of decimal digits that it
# converts.
DECIMAL_BITS = 10_000

_ATOM = re.compile(
    r"""(?P<name>none|true|false)(?![0-9A-Za-z])
      | (?P<special>-?(?:inf|nan))f
      | (?P<float>-?0x[0-9a-f]\.?[0-9a-f]*p[+-]\d{1,4})f
      | (?P<hex>-?0x[0-9a-f]+)
      | (?P<int>-?[0-9]{1,4000})(?![0-9])
      | (?P<bytes>b)?"(?P<text>[^"]*)"
      | (?P<open>[\[({])""",
    re.VERBOSE,
)
_NAMES = {"none": None, "true": True, "false": False}
_CLOSING = {"[": "]", "(": ")", "{": "}"}


def print_value(value: Any) -> str:
    """A None, bool, int, float, str or bytes, or a list, tuple or dict of such values, as text.
    Raises TypeError for anything else.
    """
    if value is None or isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int):
        return str(value) if value.bit_length() <= DECIMAL_BITS else hex(value)
    if isinstance(value, float):
        return f"{value.hex()}f"
    if isinstance(value, str):
        return f'"{to_codes(value)}"'
    if isinstance(value, bytes):
        return f'b"{to_codes(value.decode("latin-1"))}"'
    return _print_container(value)


def _print_container(value: Any) -> str:
    if isinstance(value, list):
        return f"[{','.join(map(print_value, value))}]"
    if isinstance(value, tuple):
        return f"({''.join(f'{print_value(v)},' for v in value)})"
    if isinstance(value, dict):
        return "{" + ",".join(f"{print_value(k)}:{print_value(v)}" for k, v in value.items()) + "}"
    raise TypeError(f"no word for a {type(value).__name__}")


def read_value(text: str) -> Any:
    """The value that `text` denotes. Raises ValueError for any other text."""
    reader = _Reader(text)
    try:
        value = reader.value(0)
    except OverflowError:  # the float is larger than the largest
        raise ValueError(text) from None
    if reader.at != len(text):
        raise ValueError(text)
    return value


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def value(self, depth: int) -> Any:
        found = _ATOM.match(self.text, self.at)
        if found is None or depth > MAX_DEPTH:
            raise ValueError(self.text)
        self.at = found.end()
        if found["open"]:
            return self.container(found["open"], depth + 1)
        return _atom(found)

    def container(self, opening: str, depth: int) -> Any:
        items: list[Any] = []
        while not self.skip(_CLOSING[opening]):
            if items and opening != "(":
                self.expect(",")
            item = self.value(depth)
            if opening == "{":
                self.expect(":")
                item = (_key(item), self.value(depth))
            items.append(item)
            if opening == "(":
                self.expect(",")
        if opening == "{":
            return dict(items)
        return tuple(items) if opening == "(" else items

    def skip(self, sign: str) -> bool:
        if self.text.startswith(sign, self.at):
            self.at += 1
            return True
        return False

    def expect(self, sign: str) -> None:
        if not self.skip(sign):
            raise ValueError(self.text)


def _key(value: Any) -> Any:
    if isinstance(value, (list, dict, tuple)):
        raise ValueError(value)
    return value


def _atom(found: re.Match[str]) -> Any:
    if found["name"]:
        return _NAMES[found["name"]]
    if found["special"]:
        return float(found["special"])
    if found["float"]:
        return float.fromhex(found["float"])
    if found["hex"]:
        return int(found["hex"], 16)
    if found["int"]:
        return int(found["int"])
    text = from_codes(found["text"])
    return text.encode("latin-1") if found["bytes"] else text


# ----------------------------------------------------------------------
# The words of a trace line (references, numbers, words, quoted texts, Python values), and how
# they are read and printed.


class Ref(NamedTuple):
    """An id, which names the one object that one line returned. The letter is the kind of object: s
    sort, t term, o solver, c context, m model, x any other object.
    """

    letter: str
    number: int

    def __str__(self) -> str:
        return f"{self.letter}{self.number}"


class Quoted(NamedTuple):
    """A quoted text: a symbol or a string, as code points."""

    text: str

    def __str__(self) -> str:
        return quote(self.text)


class FieldSort(NamedTuple):
    """The sort of a datatype's field that has no id: `s(nil)` (the datatype itself), `s"p"` (a
    parameter), `s<"d">` (another datatype of the same declaration).
    """

    form: str  # self | param | other
    name: str

    def __str__(self) -> str:
        if self.form == "self":
            return "s(nil)"
        return f"s{quote(self.name)}" if self.form == "param" else f"s<{quote(self.name)}>"


class Python(NamedTuple):
    """A Python value as an argument: None, a bool, an int, a float, a str, bytes, or a list, tuple
    or dict of such.
    """

    value: Any

    def __str__(self) -> str:
        return f"py:{print_value(self.value)}"


Token = Ref | Quoted | FieldSort | Python | bool | int | str

_WORD = re.compile(
    r"""\s*(?:
      (?P<field>s\(nil\)|s<"(?P<other>[^"]*)">|s"(?P<param>[^"]*)")
    | py:(?P<python>(?:[^\s"]|"[^"]*")*)
    | "(?P<quoted>[^"]*)"
    | (?P<word>[^\s"]+)
    )(?=\s|$)""",
    re.VERBOSE | re.ASCII,
)
_RUN = re.compile(r"\S+", re.ASCII)
_REF = re.compile(r"([a-z])(0|[1-9][0-9]{0,8})")
# a number in another form (007) is a word, and stays as it is
_INT = re.compile(r"0|-?[1-9][0-9]{0,3999}")
_BARE = re.compile(r"[A-Za-z+.:_-][A-Za-z0-9+.:_-]*")


def quote(text: str) -> str:
    r"""`text` in quotes. Every code point outside printable ASCII, every quote and every backslash
    becomes `\u{...}`.
    """
    return f'"{to_codes(text)}"'


def as_word(text: str) -> str:
    """`text` itself if it is read back as the same word; otherwise `text` in quotes."""
    bare = _INT.fullmatch(text) or (_BARE.fullmatch(text) and not text.startswith("py:"))
    return text if bare else quote(text)


def read_tokens(text: str, file: str, line: int) -> list[Token]:
    """The tokens of a line. Raises InputError if a quote is not closed, or a word cannot be read."""
    if '"' not in text and "py:" not in text and "s(nil)" not in text:  # nearly every line
        # the copy has no spare room, which a list that grew has
        return [_word(word) for word in _RUN.findall(text.rstrip())][:]
    tokens: list[Token] = []
    at, end = 0, len(text.rstrip())
    while at < end:
        found = _WORD.match(text, at)
        if found is None:
            raise InputError(
                f"cannot read '{text[at:].strip()[:20]}', expected a word or a closed quote",
                file=file,
                line=line,
            )
        tokens.append(_token(found, file, line))
        at = found.end()
    return tokens[:]


def _token(found: re.Match[str], file: str, line: int) -> Token:
    word = found.group("word")
    if word is not None:
        return _word(word)
    if found.group("quoted") is not None:
        return Quoted(from_codes(found.group("quoted")))
    if found.group("python") is not None:
        return _python(found.group("python"), file, line)
    if found.group("other") is not None:
        return FieldSort("other", from_codes(found.group("other")))
    if found.group("param") is not None:
        return FieldSort("param", from_codes(found.group("param")))
    return FieldSort("self", "")


# Equal words of a trace are stored once, because lines often name what was made shortly before.
@lru_cache(maxsize=1 << 16)
def _word(word: str) -> Token:
    ref = _REF.fullmatch(word)
    if ref is not None:
        return Ref(ref.group(1), int(ref.group(2)))
    if _INT.fullmatch(word):
        return int(word)
    if word in ("true", "false"):
        return word == "true"
    return word


def _python(text: str, file: str, line: int) -> Python:
    try:
        return Python(read_value(text))
    except ValueError:
        message = f"'py:{text[:40]}' is no Python value, expected none, true, false, a number, a text, bytes or a list of such"
        raise InputError(message, file=file, line=line) from None


def print_token(token: Token) -> str:
    """A token as a trace writes it."""
    if token is True:
        return "true"
    if token is False:
        return "false"
    return str(token)
