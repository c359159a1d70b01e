"""Figures of a run: answers, distinct checks that were decided, terms that such a check contained,
models and cores that were read.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from murxpy.logic.terms import Term
from murxpy.machine.state import SolverState


class Meter:
    """Counts the figures that `bench/` and the status report; `docs/events.md` has the names of the
    counters.
    """

    def __init__(self, counts: defaultdict[str, int]) -> None:
        self.counts = counts
        self._decided: set[frozenset[int]] = set()
        self._useful: set[int] = set()
        self._reached: set[int] = set()
        self._model_due = False
        self._core_due = False
        self._line = ""  # the action of the last line, until its first call has ended

    def began(self, action: str) -> None:
        """Count a line of the trace, as tried."""
        self.counts[f"action:{action}"] += 1
        self._line = action

    def went_well(self) -> None:
        """Count the last line as ok, once. A line may make more calls than the one that it tells of:
        a check of a core solves the core anew.
        """
        if self._line:
            self.counts[f"action-ok:{self._line}"] += 1
            self._line = ""

    def was_refused(self) -> None:
        """The call of the last line was refused. The calls that follow do not make it ok."""
        self._line = ""

    def answered(self, answer: str, state: SolverState) -> None:
        """Count an answer of a check."""
        counts = self.counts
        terms = [entry.term for entry in (*state.asserted(), *state.assumptions)]
        counts["check:total"] += 1
        counts[f"answer:{answer if answer in ('sat', 'unsat') else 'unknown'}"] += 1
        self._model_due, self._core_due = answer == "sat", answer == "unsat"
        counts["sat:total"] += self._model_due
        counts["unsat:total"] += self._core_due
        if not terms:
            return
        counts["check:asserted"] += 1
        counts["term:reached"] += _visit(terms, self._reached)
        if answer in ("sat", "unsat"):
            key = frozenset(term.serial for term in terms)
            if key not in self._decided:
                self._decided.add(key)
                counts["check:decided"] += 1
            counts["term:useful"] += _visit(terms, self._useful)

    def script(self, answers: list[str]) -> None:
        """Count the answers of a script's checks; each counts as a check with an assertion."""
        for answer in answers:
            self.counts["check:total"] += 1
            self.counts["check:asserted"] += 1
            self.counts[f"answer:{answer}"] += 1
            self.counts["check:decided"] += answer != "unknown"

    def asserted(self, term: Term) -> None:
        """A term was asserted."""
        self.counts["term:reached"] += _visit([term], self._reached)

    def model_read(self) -> None:
        """Count a model that was read; once for each answer `sat`."""
        self.counts["sat:model-read"] += self._model_due
        self._model_due = False

    def core_read(self) -> None:
        """Count a core, or unsat assumptions, that were read; once for each answer `unsat`."""
        self.counts["unsat:core-read"] += self._core_due
        self._core_due = False


def _visit(terms: Iterable[Term], seen: set[int]) -> int:
    """Mark the operator terms below `terms`; gives how many were new."""
    stack = list(terms)
    new = 0
    while stack:
        term = stack.pop()
        if term.leaf or term.serial in seen:
            continue
        seen.add(term.serial)
        new += 1
        stack.extend(term.args)
    return new
