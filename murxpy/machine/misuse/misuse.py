"""What a misuse breaks: its rule, the slot of a spelling, and the words of the bad operand."""

from __future__ import annotations

import re
from collections.abc import Sequence

from murxpy.machine.misuse.rules import Rule
from murxpy.machine.tokens import Token

_SLOT = re.compile(r"(.+?)(?:\.#(\d{1,4}))?")


class Misuse:
    """One misuse by `rule`. `slot` and `words` are set once it is known what is broken; an `order`
    rule needs neither.
    """

    def __init__(self, rule: Rule, slot: str = "", words: Sequence[Token] = ()) -> None:
        self.rule = rule
        self.slot = slot
        self.words = list(words)
        self.operator = ""
        self.raised = False
        self.mixes = False  # an object of another context would stand beside one of this context
        self.ready = False

    @property
    def placeholder(self) -> str:
        """The placeholder whose operand is replaced."""
        found = _SLOT.fullmatch(self.slot)
        return found[1] if found else self.slot

    @property
    def element(self) -> int | None:
        """Which of many operands is replaced."""
        found = _SLOT.fullmatch(self.slot)
        return int(found[2]) if found and found[2] else None
