"""Bad operands: the table from which rules draw, and the words that name them in a trace."""

from __future__ import annotations

from murxpy.machine.tokens import Python

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
