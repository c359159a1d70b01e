"""Whether a finding needs something that the solver documents as internal, unsupported or
experimental.

Each entry of the section `documented` of a wrapper quotes the solver's documentation. An entry
names calls, by a regular expression over the templates of spellings, or options that are on; it may
also name sorts that the trace must have. The first entry that names a call or an option decides. An
entry with `counts` hides nothing: it says why a finding counts although the documentation warns.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from typing import Any

from murxpy.data.spellings import written
from murxpy.machine.trace.finished import HEADER, Call, header_value, read_needs, read_rows
from murxpy.oracles.crash import Tier
from murxpy.solvers.wrapper import SECTIONS

TIER: Tier = "documented"
# The sections of a wrapper whose spellings can make the call of a finding.
_SECTIONS = [
    name for name in SECTIONS if name not in ("lifecycle", "special-options", "invariants")
]
# Some checks call a reader, or an action, of the wrapper that has another name than the check.
_READERS = {"check-elimination": "eliminated", "check-blocked": "blocked"}


class Documented:
    """The entries of one wrapper, which is given as plain data; there may be none."""

    def __init__(self, wrapper: Mapping[str, Any]) -> None:
        self._operators = [str(kind) for kind in wrapper.get("operators") or ()]
        self._entries: list[Mapping[str, Any]] = list(wrapper.get("documented") or ())
        self._calls = [
            re.compile(entry["calls"]) if entry.get("calls") else None for entry in self._entries
        ]
        self._templates = dict(templates(wrapper)) if self._entries else {}
        self._known: dict[tuple[str, str], int | None] = {}

    def of_call(self, call: Call) -> str:
        """The quote that warns of a call; empty without a warning. A misuse has none: it shows a
        fault of the binding, whatever it calls.
        """
        if not self._entries or call.action == "misuse":
            return ""
        place = self._of_template(call)
        return "" if place is None else self._quote(place)

    def of_trace(self, trace: str) -> str:
        """The quote that warns of the first such line of a trace; empty where no line uses what the
        solver warns of, and where the trace says that the solver's own safe mode shows the finding, too.
        """
        if not self._entries or survives_safe_mode(trace):
            return ""
        sorts = list(_sorts(trace))
        quotes = (
            self._of_option(row.words, sorts)
            if row.action == "set-option"
            else self.of_call(row.call)
            for row in read_rows(trace)
        )
        return next(filter(None, quotes), "")

    def operators(self) -> list[str]:
        """The operators that can only be made by calls of which the solver warns, in the wrapper's
        order.
        """
        spelled: dict[str, list[str]] = {}
        for kind, name in self._templates:
            spelled.setdefault(kind, []).append(self.of_call(Call("mk-term", kind, name)))
        return [kind for kind in self._operators if all(spelled.get(kind, [""]))]

    def option(self, name: str, sorts: list[str]) -> int | None:
        """The index of the entry that decides about an option that is on, in a trace with these
        sorts; None where no entry names it.
        """
        for at, entry in enumerate(self._entries):
            named = any(fnmatchcase(name, pattern) for pattern in entry.get("options") or ())
            if named and (
                not entry.get("sorts") or any(re.search(entry["sorts"], sort) for sort in sorts)
            ):
                return at
        return None

    def template(self, text: str) -> int | None:
        """The index of the entry that decides about a template; None where no entry names it."""
        return next(
            (
                at
                for at, calls in enumerate(self._calls)
                if calls is not None and calls.search(text)
            ),
            None,
        )

    def _quote(self, place: int) -> str:
        entry = self._entries[place]
        return "" if entry.get("counts") else str(entry["quote"])

    def _of_option(self, words: str, sorts: list[str]) -> str:
        name, _, value = words.strip().rpartition(" ")
        place = None if value == "false" else self.option(name.rpartition(" ")[2], sorts)
        return "" if place is None else self._quote(place)

    def _of_template(self, call: Call) -> int | None:
        keys = (
            call.operator,
            call.action,
            _READERS.get(call.action, call.action.removeprefix("check-")),
        )
        for key in keys:
            name = (key, call.spelling)
            if name in self._templates:
                if name not in self._known:
                    self._known[name] = self.template(self._templates[name])
                return self._known[name]
        return None


def survives_safe_mode(trace: str) -> bool:
    """Whether a smallest trace says that its finding shows in the solver's own safe mode, too."""
    safe = [need for need in read_needs(header_value(trace, HEADER)) if need.kind == "safe"]
    return bool(safe) and all(need.low == "yes" for need in safe)


def templates(wrapper: Mapping[str, Any]) -> Iterator[tuple[tuple[str, str], str]]:
    """Each template of a wrapper by its key and the name of its spelling."""
    for one in written(wrapper, _SECTIONS):
        yield (one.key, one.name), one.template


def _sorts(trace: str) -> Iterator[str]:
    """The sorts that a trace makes, such as `SORT_FP 5 11`, and the formats of floating-point terms
    whose line tells the format.

    The line of a conversion to floating point ends with the format. For `fp`, the widths of the
    bit-vectors for exponent and significand tell it.
    """
    sorts: dict[str, list[str]] = {}
    terms: dict[str, str] = {}
    for row in read_rows(trace):
        words = row.words.split()
        operator = row.call.operator if row.action == "mk-term" else ""
        made = words if row.action == "mk-sort" else []
        if row.action == "mk-sort" and row.call.operator:
            yield " ".join(made)
        if operator.startswith("OP_FP_TO_FP") and words[-3:-2] == ["2"]:
            yield f"SORT_FP {words[-2]} {words[-1]}"
        elif operator == "OP_FP_FP":
            widths = [sorts.get(terms.get(word, ""), [])[1:] for word in words[-2:]]
            if all(width and width[0].isdecimal() for width in widths):
                yield f"SORT_FP {widths[0][0]} {int(widths[1][0]) + 1}"
        for result in row.results:
            if result[0] == "return" and len(result) == 3:
                terms[result[1]] = result[2]
            elif result[0] == "return" and made and len(result) == 2:
                sorts[result[1]] = made
