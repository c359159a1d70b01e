"""What a smallest trace needs beside its formulas: options, limits, calls and spellings.

In a trace that the passes could not make smaller, each line was tried to be left out. So what is
left is needed, and only the range of a number is still to be found. In any other trace a line is
needed if the trace without it does not show the defect.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from murxpy.checks.registry import ANSWERING
from murxpy.machine.tokens import print_token
from murxpy.passes.editing import put, with_word
from murxpy.passes.lines import without
from murxpy.passes.spellings import Spellings
from murxpy.passes.words import number_of
from murxpy.replaying.defuse import MAKERS, PLANT, Script
from murxpy.trace.needs import Need

_DOUBLED = 10  # times that a number is doubled in search of one that hides the defect
_BETWEEN = 4  # numbers that are tried between one that shows it and one that hides it
# Actions that say what is asked, or what is known of the answer.
_PLAIN = ("new", "delete", "set-logic", "assert-formula", "expect", "comment", PLANT, *MAKERS)


def needs(
    script: Script, spellings: Spellings, shows: Callable[[Script], bool], smallest: bool = True
) -> list[Need]:
    """What the script needs. `shows` tells whether another script shows the defect; `smallest` says
    that the passes could not make the script smaller.
    """
    found: dict[Need, None] = {}
    for at, line in enumerate(script):
        free = not smallest and line.action not in _PLAIN and at < len(script) - 1
        if free and shows(without(script, at, at + 1)):
            continue
        for need in _of_line(script, at, shows):
            found[need] = None
        if smallest and line.spelling is not None and spellings.rank(line):
            name = str(line.args[0]) if line.action == "mk-term" else line.action
            found[Need("spelling", name, line.spelling)] = None
    return list(found)


def _of_line(script: Script, at: int, shows: Callable[[Script], bool]) -> Iterator[Need]:
    line, last = script[at], script[-1]
    place = number_of(line)
    low, high = _range(script, at, place, shows) if place is not None else ("", "")
    if line.action == "set-limit":
        yield Need("limit", "", low=low, high=high)
    elif line.action == "set-option":
        value = " ".join(map(print_token, line.args[1:]))
        yield Need("option", str(line.args[0]), value, low, high)
    elif at == len(script) - 1:
        times = sum(other.action == line.action for other in script)
        if times > 1:
            yield Need("again", line.action, str(times))
    elif line.action not in _PLAIN and line.action != last.action:
        asked = sum(other.action in ANSWERING for other in script[:at])
        if line.action not in ANSWERING or asked or last.action in ANSWERING:
            yield Need("call", line.action)


def _range(script: Script, at: int, place: int, shows: Callable[[Script], bool]) -> tuple[str, str]:
    """The number at `place`, and the largest one above it that was seen to show the defect; that is
    empty where all larger numbers show it.
    """
    low = int(str(script[at].args[place]))

    def with_number(number: int) -> Script:
        return put(script, at, with_word(script[at], place, number))

    good, bad = low, max(1, low)
    for _ in range(_DOUBLED):
        bad *= 2
        if not shows(with_number(bad)):
            break
        good = bad
    else:
        return str(low), ""
    for _ in range(_BETWEEN):
        middle = (good + bad) // 2
        if middle in (good, bad):
            break
        good, bad = (middle, bad) if shows(with_number(middle)) else (good, middle)
    return str(low), str(good)
