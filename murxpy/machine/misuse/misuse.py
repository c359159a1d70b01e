"""One misuse: its rule, the operand that it breaks, and the words of the bad operand."""

from __future__ import annotations

import re
from collections.abc import Sequence

from murxpy.machine.misuse.rules import Rule
from murxpy.machine.tokens import Token

_SLOT = re.compile(r"(.+?)(?:\.#(\d{1,4}))?")


class Misuse:
    """One misuse by `rule`. `slot` and `words` are set when the operand to break is known; rules of
    the family `order` need neither.
    """

    def __init__(self, rule: Rule, slot: str = "", words: Sequence[Token] = ()) -> None:
        self.rule = rule
        self.slot = slot
        self.words = list(words)
        self.operator = ""
        self.raised = False
        self.mixes = False  # the call mixes objects of two contexts
        self.ready = False

    @property
    def placeholder(self) -> str:
        """The placeholder whose operand is replaced."""
        found = _SLOT.fullmatch(self.slot)
        return found[1] if found else self.slot

    @property
    def element(self) -> int | None:
        """The position of the replaced operand, in a slot for many operands."""
        found = _SLOT.fullmatch(self.slot)
        return int(found[2]) if found and found[2] else None
