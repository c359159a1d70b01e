"""Python values as words of a trace: `py:none`, `py:-3`, `py:0x1.8p+1f`, `py:"text"`,
`py:b"bytes"`, `py:[1,"a"]`, `py:{"k":1}`.
"""

from __future__ import annotations

import re
from typing import Any

from murxpy.logic.values import from_codes, to_codes

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
