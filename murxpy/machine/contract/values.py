"""Bad operands: the table from which rules draw, and the words that name them in a trace."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from murxpy.machine.tokens import Python
from murxpy.solvers.frame import Frame
from murxpy.solvers.spelling import Template, parse_template

EDGES = (31, 32, 53, 63, 64, 128)
NUMBERS: tuple[Python, ...] = tuple(
    Python(number)
    for number in (
        0,
        -1,
        -2,
        1 << 8,
        *(
            sign * (1 << bits) + step
            for bits in EDGES
            for sign in (1, -1)
            for step in (-1, 0, 1, 8)
        ),
        10**30,
        -(10**30),
    )
)
FLOATS: tuple[Python, ...] = tuple(
    Python(number)
    for number in (
        0.0,
        -0.0,
        0.5,
        3.7,
        -1.5,
        2.0,
        1e16,
        1e300,
        5e-324,
        float("inf"),
        float("-inf"),
        float("nan"),
    )
)
TEXTS: tuple[Python, ...] = tuple(
    Python(text)
    for text in (
        "",
        "\0",
        "a\0b",
        "\0a",
        "|",
        "a|b",
        "\\",
        "a\\b",
        '"',
        "a b",
        "\n",
        ";",
        "(",
        ")",
        "\ud800",
        "a\udfffb",
        "\u00e9",
        "\U0001f600",
        "\U0010ffff",
        "x" * 5000,
        "0",
        "-1",
        "true",
        "and",
        "(_ bv1 8)",
        "\\u{41}",
        "%s%n",
        "\x7f",
        "\r",
    )
)
TYPES: tuple[Python, ...] = tuple(
    Python(value)
    for value in (
        True,
        False,
        "x",
        "1",
        "true",
        b"x",
        b"",
        [],
        [1],
        (),
        (1,),
        {},
        {"a": 1},
        [None],
        ["x"],
    )
)
COERCED: tuple[Python, ...] = tuple(
    Python(value)
    for value in (
        True,
        False,
        0,
        1,
        -1,
        255,
        1 << 31,
        1 << 64,
        -(1 << 63),
        0.5,
        3.7,
        float("nan"),
        "1",
        "a",
    )
)
NONE: tuple[Python, ...] = (Python(None),)


# ----------------------------------------------------------------------
# Slots: the places in the template of a spelling where one operand can be replaced by a bad
# one.


NUMBER, TEXT, VALUE, TERM, SORT, MANAGER, MANY = (
    "number",
    "text",
    "value",
    "term",
    "sort",
    "manager",
    "many",
)
_KINDS: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"p\d+|i\d+|i\*|i\d+\*"), NUMBER),
    (re.compile(r"name"), TEXT),
    (re.compile(r"v(:[a-z0-9]+)?"), VALUE),
    (re.compile(r"\*|(?<!\d)\d+\*|vars"), MANY),
    (re.compile(r"-?\d+|body|pattern"), TERM),
    (re.compile(r"sort(\.\d+|\.\*|\d+|\d+\.\d+)?"), SORT),
    (re.compile(r"ctx|solver"), MANAGER),
)
# Before and behind a placeholder that is an argument of its own; what stands in arithmetic is
# computed by us, not by the binding.
_BEFORE = re.compile(r"(?:[(\[,=]|[(\[,]\*|^)\s*$")
_BEHIND = re.compile(r"\s*(?:[)\],]|$)")
# what Python itself takes
_PYTHON = re.compile(r"\b(?:range|str|int|len|list|bool|isinstance|type)\($")


@dataclass(frozen=True)
class Slot:
    """One placeholder of a template, all its occurrences: its text, what stands there, and whether
    a method of it is called.
    """

    text: str
    kind: str
    receiver: bool = False

    @property
    def many(self) -> bool:
        """True if it stands for a list of operands."""
        return self.text.endswith("*") or self.text == "vars"


@cache
def slots(template: Template) -> tuple[Slot, ...]:
    """The slots of a template, in the order of their first occurrence. Placeholders within
    arithmetic or text of Python's own are left out.
    """
    found: dict[str, Slot] = {}
    barred: list[str] = []
    parts = template.parts
    for at, (text, placeholder) in enumerate(parts):
        kind = kind_of(text) if placeholder else ""
        if not kind:
            continue
        before = "".join(t for t, p in parts[max(0, at - 1) : at] if not p)
        behind = "".join(t for t, p in parts[at + 1 : at + 2] if not p)
        receiver = behind.startswith(".")
        alone = bool(_BEFORE.search(before) and _BEHIND.match(behind)) and not _PYTHON.search(
            before
        )
        operand = kind in (TERM, MANY, MANAGER) and not _PYTHON.search(before)
        # a placeholder behind a slice may be cut off, and is then not passed
        sliced = behind.startswith("][")
        if (alone or operand) and not sliced:
            known = found.get(text)
            found[text] = Slot(text, kind, receiver or (known is not None and known.receiver))
        else:
            barred.append(text)
    return tuple(slot for slot in found.values() if slot.text not in barred)


def kind_of(placeholder: str) -> str:
    """The kind of operand at a placeholder; the empty string for a placeholder that cannot be
    replaced.
    """
    return next((kind for pattern, kind in _KINDS if pattern.fullmatch(placeholder)), "")


def broken(template: Template, slot: str) -> Template:
    """The template with `{bad}` (or `{bad*}` for a list of operands) at each occurrence of the
    placeholder `slot`.
    """
    bad = "bad*" if Slot(slot, "").many else "bad"
    text = "".join(
        _text(part, bad if part == slot else part, placeholder)
        for part, placeholder in template.parts
    )
    return parse_template(text, "misuse")


def _text(part: str, shown: str, placeholder: bool) -> str:
    return f"{{{shown}}}" if placeholder else part.replace("{", "{{").replace("}", "}}")


def operands(slot: str, args: Sequence[Any], indices: Sequence[Any], frame: Frame) -> list[Any]:
    """The operands for which a slot of many operands stands in this call."""
    if slot == "vars":
        return list(frame.variables(list(args)))
    if slot == "sort.*":
        return list(frame.sort_params())
    values = indices if slot.startswith("i") else args
    first = slot.removeprefix("i").removesuffix("*")
    return list(values[int(first or 0) :])
