"""The bad operand of a misused call. A rule draws it as words of a trace, and these words are then
made an object.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from murxpy.logic.sorts import Sort
from murxpy.machine.database import Entry
from murxpy.machine.misuse.rules import Rule
from murxpy.machine.misuse.slots import MANAGER, SORT, Slot
from murxpy.machine.outcomes import Refused
from murxpy.machine.random import Stream
from murxpy.machine.run import Run
from murxpy.machine.strangers import STRANGERS
from murxpy.machine.tokens import Python, Ref, Token

SOLVER, CONTEXT = Ref("o", 1), Ref("c", 1)
COUNTS = (0, 1, 2, 17, 1000)


def draw(run: Run, stream: Stream, rule: Rule, slot: Slot) -> list[Token] | None:
    """Words for a bad operand that `rule` puts in `slot`; None if the run has none of that kind."""
    if isinstance(rule.bad, tuple):
        return [stream.choose(rule.bad)]
    drawn: list[Token] | None = _DRAWN[rule.bad](run, stream, slot)
    return drawn


def _entries(run: Run) -> list[Entry]:
    return [entry for entry in run.db.terms.values() if entry.obj is not None]


def _a_sort(run: Run, stream: Stream) -> Token | None:
    known = [
        found[0] for found in run.db.sort_entries.values() if found and found[0].obj is not None
    ]
    return Ref("s", stream.choose(known).id) if known else None


def _a_term(run: Run, stream: Stream) -> Token | None:
    entries = _entries(run)
    return Ref("t", stream.choose(entries).id) if entries else None


def _other_sort(run: Run, stream: Stream, slot: Slot) -> list[Token] | None:
    terms = run.frame.terms
    at = int(slot.text) if slot.text.isdigit() and int(slot.text) < len(terms) else 0
    avoided = terms[at].sort if terms else None
    entries = [entry for entry in _entries(run) if entry.term.sort is not avoided]
    return [Ref("t", stream.choose(entries).id)] if entries else None


def _other_kind(run: Run, stream: Stream, slot: Slot) -> list[Token] | None:
    own = _a_term(run, stream) if slot.kind == SORT else _a_sort(run, stream)
    choices = [token for token in (own, own, SOLVER, CONTEXT) if token is not None]
    return [stream.choose(choices)]


def _other_context(run: Run, stream: Stream, slot: Slot) -> list[Token] | None:
    if slot.kind == MANAGER:
        return ["other", SOLVER if slot.text == "solver" else CONTEXT]
    for _ in range(4):
        token = _a_sort(run, stream) if slot.kind == SORT else _a_term(run, stream)
        if isinstance(token, Ref) and portable(sort_of(run, token)):
            return ["other", token]
    return None


def _arity(run: Run, stream: Stream, slot: Slot) -> list[Token] | None:
    return ["cut", stream.between(0, 1)] if stream.chance(0.6) else ["times", stream.choose(COUNTS)]


def _stranger(run: Run, stream: Stream, slot: Slot) -> list[Token] | None:
    return [stream.choose(list(STRANGERS))]


_DRAWN: dict[str, Any] = {
    "sort": _other_sort,
    "kind": _other_kind,
    "context": _other_context,
    "arity": _arity,
    "stranger": _stranger,
}


def sort_of(run: Run, ref: Ref) -> Sort:
    """The sort that an id names, or the sort of the term that it names."""
    return (
        run.db.sorts[ref.number].sort if ref.letter == "s" else run.db.terms[ref.number].term.sort
    )


def portable(sort: Sort) -> bool:
    """True if the sort can be made again in another context, because it does not depend on a
    declaration.
    """
    return sort.kind not in ("SORT_DT", "SORT_UNINTERPRETED", "SORT_FUN", "SORT_CASE") and all(
        map(portable, sort.sorts())
    )


def make(run: Run, words: Sequence[Token]) -> Any:
    """The object that the words name. Raises Refused where this release cannot make it."""
    first = words[0]
    if isinstance(first, Python):
        return first.value
    if isinstance(first, Ref):
        return known(run, first)
    if first == "other" and isinstance(words[1], Ref):
        return other(run, words[1])
    return run.stranger(str(first))


def known(run: Run, ref: Ref) -> Any:
    """The object of this run that an id names."""
    if ref.letter in "oc":
        return run.frame.solver if ref.letter == "o" else run.frame.ctx
    if ref.letter == "x":
        return run.objects.alive[ref.number]
    return run.db.sorts[ref.number].obj if ref.letter == "s" else run.db.terms[ref.number].obj


def other(run: Run, ref: Ref) -> Any:
    """The object of another context that corresponds to an id: that context, its solver, the same
    sort, or a constant of the same sort.
    """
    frame = run.elsewhere()
    if ref.letter in "oc":
        return frame.solver if ref.letter == "o" else frame.ctx
    sort = sort_of(run, ref)
    if ref.letter == "s":
        return frame.sort_object(sort)
    frame.fill(result=sort, name=f"other{ref.number}")
    spellings = run.wrapper.sort_set("constants", sort.kind)
    chosen = None if spellings is None else spellings.pick(0.0, frame)
    if chosen is None:
        raise Refused("unsupported", f"no constant of {sort} in another context")
    return chosen.call((), (), frame)


def replaced(operands: list[Any], at: int | None, words: Sequence[Token], bad: Any) -> list[Any]:
    """The operands of a slot for many operands, with `bad` at position `at`, counted in a circle;
    or shortened or repeated, as `cut` and `times` say.
    """
    if words[0] == "cut":
        return operands[: int(str(words[1]))]
    if words[0] == "times":
        return operands * int(str(words[1]))
    if not operands:
        return [bad]
    changed = list(operands)
    changed[(at or 0) % len(operands)] = bad
    return changed
