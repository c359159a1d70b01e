"""The rules of contract mode: what each breaks or stresses, and the class of defect that it can
find (docs/contract.md).

Classes: A lifetimes, B copies, C missing checks of arguments, D call order, E coercions and
overloads, F values to and from Python, G calls that do nothing, H threads.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from murxpy.logic.sorts import Sort
from murxpy.machine.contract import values
from murxpy.machine.contract.values import MANAGER, MANY, NUMBER, SORT, TERM, TEXT, VALUE, Slot
from murxpy.machine.database import Entry
from murxpy.machine.outcomes import Refused
from murxpy.machine.random import Stream
from murxpy.machine.run import Run
from murxpy.machine.tokens import FOREIGN_OBJECTS, Python, Ref, Token


@dataclass(frozen=True)
class Rule:
    """A way to break a call. `family` says how the rule is carried out, `slots` which operands it
    breaks, and `bad` what may stand in their place.

    `bad` is a table of values, or one word for what is drawn from the run: `sort`, `kind`,
    `context`, `arity` or `stranger`.
    """

    name: str
    letter: str
    family: str
    about: str
    slots: tuple[str, ...] = ()
    bad: tuple[Python, ...] | str = ()
    weight: float = 10.0


_ALL = (NUMBER, TEXT, VALUE, TERM, SORT, MANY)

RULES: dict[str, Rule] = {
    rule.name: rule
    for rule in (
        Rule("none", "C", "value", "None for an operand", _ALL, values.NONE),
        Rule("type", "C", "value", "another Python type for an operand", _ALL, values.TYPES),
        Rule(
            "raising",
            "C",
            "value",
            "an operand that raises whatever is asked of it, or no solver knows",
            _ALL,
            "stranger",
            5,
        ),
        Rule(
            "number",
            "F",
            "value",
            "a number at an edge for a width, an index, a count, a value",
            (NUMBER, VALUE),
            values.NUMBERS,
            20,
        ),
        Rule(
            "float",
            "F",
            "value",
            "a float for a width, an index, a value",
            (NUMBER, VALUE),
            values.FLOATS,
        ),
        Rule(
            "text",
            "F",
            "value",
            "a symbol or a string with NUL, surrogates, bars, backslashes",
            (TEXT, VALUE),
            values.TEXTS,
        ),
        Rule(
            "coercion",
            "E",
            "value",
            "a plain Python number or Boolean for a term",
            (TERM, MANY),
            (*values.COERCED,),
        ),
        Rule("sort", "C", "object", "a term of another sort", (TERM, MANY), "sort"),
        Rule(
            "kind",
            "C",
            "object",
            "a sort for a term, a term for a sort, a solver or a context for either",
            (TERM, MANY, SORT),
            "kind",
        ),
        Rule(
            "context",
            "A",
            "object",
            "an object of another context or term manager",
            (TERM, MANY, SORT, MANAGER),
            "context",
        ),
        Rule("arity", "C", "object", "too few or very many operands", (MANY,), "arity"),
        Rule(
            "call",
            "C",
            "call",
            "a public callable of the binding with operands that are meant well",
        ),
        Rule(
            "edge",
            "C",
            "call",
            "a public callable of the binding with one operand at an edge, of another type or kind",
        ),
        Rule(
            "keyword",
            "C",
            "call",
            "an operand by its name, by a name that nobody knows, twice; one operand too few",
        ),
        Rule(
            "alike",
            "F",
            "call",
            "a public callable does not take two different numbers or texts for one",
        ),
        Rule("order", "D", "order", "a call in a state that does not allow it"),
        Rule(
            "hold",
            "D",
            "hold",
            "the result of a question is kept while the solver goes on",
            weight=15,
        ),
        Rule(
            "held",
            "D",
            "held",
            "what was kept is used, whatever has become of the solver",
            weight=15,
        ),
        Rule("copy", "B", "protocol", "copy.copy of an object"),
        Rule("deepcopy", "B", "protocol", "copy.deepcopy of an object"),
        Rule(
            "survive",
            "B",
            "protocol",
            "the deep copy of an object is used when the original is gone",
        ),
        Rule(
            "outlive",
            "B",
            "protocol",
            "the shallow copy of an object is used when the original is gone",
        ),
        Rule("pickle", "B", "protocol", "pickle of an object"),
        Rule("equality", "E", "protocol", "==, !=, hash and `in`, with itself and with strangers"),
        Rule("chain", "E", "protocol", "a == b == a"),
        Rule("iterate", "E", "protocol", "iteration and len"),
        Rule("index", "E", "protocol", "an index that there is none of"),
        Rule("truth", "E", "protocol", "bool of an object", weight=4),
        Rule("print", "F", "protocol", "str, repr and format", weight=4),
        Rule(
            "reread", "F", "protocol", "all ways to read a literal give the same value", weight=20
        ),
        Rule("reflected", "E", "protocol", "a + 1 and 1 + a"),
        Rule("cycle", "A", "life", "objects in a reference cycle, for the collector to take apart"),
        Rule(
            "finalizer",
            "A",
            "life",
            "the finalizer of a reference cycle uses terms that are alive",
            weight=2,
        ),
        Rule("orphan", "A", "life", "a term that outlives its context, its solver and its sort"),
        Rule("exit", "A", "life", "the interpreter exits while objects are alive"),
        Rule(
            "thread", "H", "life", "the last reference is dropped and collected in another thread"
        ),
        Rule("race", "H", "life", "another thread collects while this one makes terms", weight=2),
        Rule(
            "threads",
            "H",
            "life",
            "threads with contexts of their own do the same at the same time",
            weight=3,
        ),
        Rule("signal", "H", "life", "signals come while a check runs", weight=3),
        Rule("kept", "G", "state", "the solver has the assertions that were made"),
        Rule(
            "recheck",
            "G",
            "state",
            "a fresh solver with the same assertions does not contradict this one",
        ),
    )
}


def family(name: str) -> list[Rule]:
    """The rules of a family, in their order."""
    return [rule for rule in RULES.values() if rule.family == name]


# ----------------------------------------------------------------------
# One misuse: its rule, the operand that it breaks, and the words of the bad operand.


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


# ----------------------------------------------------------------------
# The bad operand of a misused call. A rule draws it as words of a trace, and these words are
# then made an object.


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


def _foreign_object(run: Run, stream: Stream, slot: Slot) -> list[Token] | None:
    return [stream.choose(list(FOREIGN_OBJECTS))]


_DRAWN: dict[str, Any] = {
    "sort": _other_sort,
    "kind": _other_kind,
    "context": _other_context,
    "arity": _arity,
    "stranger": _foreign_object,
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
    """The object that the words name. Raises Refused if this release cannot make the object."""
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
    if ref.number in run.strangers:  # some solvers take each symbol once
        return run.strangers[ref.number]
    frame.fill(result=sort, name=f"other{ref.number}")
    spellings = run.wrapper.sort_set("constants", sort.kind)
    chosen = None if spellings is None else spellings.pick(0.0, frame)
    if chosen is None:
        raise Refused("unsupported", f"no constant of {sort} in another context")
    made = run.strangers[ref.number] = chosen.call((), (), frame)
    return made


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
