"""What a defect needs beside its formulas, as the header row `needs` of a smallest trace says it.

The value of the row is JSON: a list of needs, each a list of texts.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import astuple, dataclass

HEADER = "needs"
_ORDINALS = {"2": "second", "3": "third"}
# What the call of an action gives that a defect can need.
_CALLS = {
    "assert-tracked": "an assertion with a name",
    "check-core": "that the unsat core is read before",
    "check-model": "that the model is read before",
    "check-sat": "another check before",
    "check-sat-assuming": "another check, with assumptions, before",
    "del": "that an object is dropped before",
    "gc": "that Python collects its garbage before",
    "pop": "that a level of assertions is popped before",
    "push": "a level of assertions that is pushed before",
    "reset": "that the solver is reset before",
    "reset-assertions": "that all assertions are dropped before",
}


@dataclass(frozen=True, slots=True)
class Need:
    """One thing that cannot be taken away from the smallest trace.

    `kind` is `option`, `limit`, `call`, `again` or `spelling`; `name` is that of the option, the
    action or the operator; `value` is that of the option, the name of the spelling, or how often the
    call is made. Of a number `low` is the least one that was seen to show the defect, and `high` the largest; `high` is empty
    where no larger number was seen to hide it.
    """

    kind: str
    name: str
    value: str = ""
    low: str = ""
    high: str = ""

    def sentence(self) -> str:
        """The need in one sentence."""
        if self.kind == "option":
            where = self._range() if self.low else f"set to {self.value}"
            return f"The defect needs the option {self.name} {where}."
        if self.kind == "limit":
            return f"The defect needs a resource limit {self._range()}."
        if self.kind == "again":
            return f"The defect shows only at the {_ORDINALS.get(self.value, f'{self.value}th')} {self.name}."
        if self.kind == "spelling":
            return f"The defect needs {self.name} in the spelling {self.value}; plainer spellings do not show it."
        what = _CALLS.get(self.name)
        if what is None:
            return f"The defect needs a call of {self.name} before it."
        return f"The defect needs {what} ({self.name})."

    def _range(self) -> str:
        if not self.high:
            return f"of at least {self.low}"
        return f"of {self.low}" if self.low == self.high else f"between {self.low} and {self.high}"


def write_needs(needs: Sequence[Need]) -> str:
    """The value of the header row."""
    return json.dumps([astuple(need) for need in needs])


def read_needs(value: str) -> list[Need]:
    """The needs that the value of a header row says; none where nobody can read it."""
    try:
        return [Need(*map(str, words)) for words in json.loads(value)] if value else []
    except (ValueError, TypeError):
        return []
