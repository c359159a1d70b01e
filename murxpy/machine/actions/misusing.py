"""Reading the lines that call public callables of the binding, such as `misuse@call NAME words..`
and `misuse@alike NAME words.. at N`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache

from murxpy.errors import nearest
from murxpy.machine.actions.base import REGISTERED, Action, register
from murxpy.machine.actions.own import read_own
from murxpy.machine.contract import calls, protocols
from murxpy.machine.contract.broken import WITH, Prepared
from murxpy.machine.contract.calls import AT, BY, CALLS, Call, Nested, flat, grouped
from murxpy.machine.contract.protocols import LEAST, LIVING, MANY, SORTED, STRESS
from murxpy.machine.contract.rules import RULES, Rule
from murxpy.machine.generate import callables, misuse
from murxpy.machine.generate.base import Generator
from murxpy.machine.outcomes import Misused, Refused
from murxpy.machine.tokens import FOREIGN_OBJECTS, Python, Quoted, Ref, Token, print_token
from murxpy.machine.trace.reading import Reading, Skipped
from murxpy.solvers.callables import permitted


def read_call(
    r: Reading,
    rule: Rule,
    known: Callable[[Reading, Ref], None],
    compare: Callable[[Reading, bool], None],
) -> None:
    """Make the call that the line names. `known` checks an id, and `compare` records a difference
    from the trace. Raises InputError for a malformed line.
    """
    call = _call(r, rule)
    for word in flat([*call.words, call.by[1]] if call.by else call.words):
        if isinstance(word, Ref):
            known(r, word)
        else:
            _check_operand(r, word)
    r.new_ids("x")
    numbers = r.returned("x")
    before = len(r.run.differences)
    raised = calls.do(r.run, call, r.seed, numbers[0] if numbers else None)
    if len(r.run.differences) == before:
        compare(r, raised)


def _call(r: Reading, rule: Rule) -> Call:
    """The call that the line names."""
    name = r.text(0, "a public callable")
    data = r.run.wrapper.facts.calls
    if not permitted(name, data):
        modules = ", ".join(data.get("modules") or ()) or "a module, but the wrapper names none"
        raise r.error(
            f"the wrapper does not allow calls of '{name[:60]}': expected a public callable of {modules}"
        )
    words = _words(r)
    if rule.name == "alike":
        return Call(rule, name, words[:-2], _place(r, words))
    words, by = _named_operand(r, words) if rule.name == "keyword" else (words, None)
    return Call(rule, name, words, by=by)


def _check_operand(r: Reading, word: Token) -> None:
    """Raise InputError for a word that is neither an operand nor a bracket."""
    if (
        isinstance(word, Python)
        or word in (calls.OPEN, calls.CLOSE)
        or _named(str(word), r.run.wrapper.facts.calls)
    ):
        return
    raise r.error(
        f"'{print_token(word)[:60]}' is no operand: expected py:…, an id, a member of an enumeration such as "
        f"cvc5.Kind.AND, brackets, or one of {', '.join(FOREIGN_OBJECTS)}{nearest(str(word), FOREIGN_OBJECTS)}"
    )


def _words(r: Reading) -> list[Nested]:
    try:
        return grouped(r.line.args[1:])
    except ValueError:
        raise r.error(f"expected brackets in pairs, at most {calls.DEPTH} deep") from None


def _place(r: Reading, words: list[Nested]) -> int:
    """The operand that `at N` at the end of the line names."""
    at = words[-1] if len(words) > 2 and words[-2] == AT else None
    if type(at) is not int or not 0 <= at < len(words) - 2:
        raise r.error(
            "expected 'at N' at the end of the line, N the number of an operand, counted from 0"
        )
    return at


def _named_operand(
    r: Reading, words: list[Nested]
) -> tuple[list[Nested], tuple[str, Nested] | None]:
    """The words without `by "NAME" WORD` at their end, and the operand that this names; None if it
    is not there.
    """
    if BY not in words:
        return words, None
    name = words[-2] if len(words) > 2 and words[-3] == BY else None
    if not isinstance(name, Quoted) or not name.text.isidentifier():
        raise r.error(
            "expected 'by \"NAME\" WORD' at the end of the line, NAME that of a parameter"
        )
    return words[:-3], (name.text, words[-1])


def _named(word: str, data: Mapping[str, object]) -> bool:
    """True for a foreign object, and for a name that can be a member of an enumeration."""
    return word in FOREIGN_OBJECTS or (word.count(".") >= 2 and permitted(word, data))


# ----------------------------------------------------------------------
# Reading the lines of misuse: `misuse@RULE ACTION@SPELLING words.. with SLOT BAD`, and the
# lines that stress an object.


Readers = Mapping[str, Callable[[Reading], None]]
BREAKABLE_LETTERS = "stxoc"
UNBREAKABLE = ("misuse", "new", "set-parameter", "delete", "del", "gc")
MAX_TIMES = 100_000


def reader(readers: Readers, own: Callable[[Reading], None]) -> Callable[[Reading], None]:
    """The function that reads the `misuse` lines of a trace. Such a line contains an ordinary line,
    whose call it makes with wrong operands: `readers` are the functions that read these lines, by
    action, and `own` reads those of actions that only one wrapper has.
    """

    def read(r: Reading) -> None:
        rule = RULES.get(r.line.spelling or "")
        if rule is None:
            raise r.error(
                f"unknown rule '{r.line.spelling}'{nearest(r.line.spelling or '', RULES)}; expected 'misuse@RULE'"
            )
        r.require(not r.foreign, "a misuse of another solver")
        if rule.name in CALLS:
            read_call(r, rule, known, compare)
        elif rule.name in STRESS:
            _stress(r, rule)
        else:
            _broken_call(r, rule, readers, own)

    return read


def _stress(r: Reading, rule: Rule) -> None:
    """Read a line that copies, compares, keeps, drops or hands over objects."""
    words = r.line.args
    least = LEAST.get(rule.name, 1)
    if len(words) < least or (rule.name not in MANY and len(words) > least):
        raise r.error(
            f"'misuse@{rule.name}' takes {least} words{' or more' if rule.name in MANY else ''}, found {len(words)}"
        )
    for word in words:
        if isinstance(word, Ref):
            known(r, word)
        elif not isinstance(word, Python):
            raise r.error(f"expected an id or a Python value, found '{print_token(word)}'")
    if rule.name in SORTED and not (isinstance(words[0], Ref) and words[0].letter == "s"):
        raise r.error(
            f"'misuse@{rule.name}' takes a sort such as s1, found '{print_token(words[0])}'"
        )
    r.require(r.run.frame.ctx is not None or rule.name not in LIVING, "the context is gone")
    before = len(r.run.differences)
    raised = protocols.do(r.run, rule, words, r.seed)
    if len(r.run.differences) == before:
        compare(r, raised)


def _broken_call(
    r: Reading, rule: Rule, readers: Readers, own_action: Callable[[Reading], None]
) -> None:
    """Read a call with one bad operand, or a call in a state that does not allow it."""
    line = r.line
    r.require(r.run.frame.ctx is not None and r.run.frame.has_solver, "the solver is gone")
    callee, _, spelling = r.text(0, "the call that is broken").partition("@")
    own = r.run.wrapper.facts.own_actions
    if (callee not in readers and callee not in own) or callee in UNBREAKABLE:
        raise r.error(f"'{callee}' is not a call that a misuse can break{nearest(callee, readers)}")
    end, misuse = _prepared(r, rule)
    r.line = replace(
        line, action=callee, spelling=spelling or None, args=line.args[1:end], results=[]
    )
    r.lenient = rule.family == "order"
    r.run.misuse = misuse
    try:
        readers.get(callee, own_action)(r)
    except Misused:
        pass
    else:
        raise Refused("unsupported", f"'{callee}' makes no call here")
    finally:
        r.run.misuse, r.lenient, r.line = None, False, line
    compare(r, misuse.raised)


def _prepared(r: Reading, rule: Rule) -> tuple[int, Prepared]:
    """The position at which the words of the call end, and the misuse that the words behind `with`
    name.
    """
    args = r.line.args
    if not rule.slots:
        return len(args), Prepared(rule)
    at = max((k for k, token in enumerate(args) if token == WITH), default=0)
    if not at or len(args) < at + 3:
        raise r.error("expected 'with SLOT BAD' at the end of a misuse")
    words = args[at + 2 :]
    _check(r, words)
    return at, Prepared(rule, print_token(args[at + 1]), words)


def _check(r: Reading, words: list[Token]) -> None:
    """Raise InputError unless the words name a bad operand, and Skipped if a refused line should
    have returned the operand.
    """
    first = words[0]
    if isinstance(first, Python) and len(words) == 1:
        return
    if isinstance(first, Ref) and len(words) == 1:
        known(r, first)
        return
    if first == "other" and len(words) == 2 and isinstance(words[1], Ref):
        known(r, words[1])
        return
    if (
        first in ("cut", "times")
        and len(words) == 2
        and type(words[1]) is int
        and 0 <= words[1] <= MAX_TIMES
    ):
        return
    if not (isinstance(first, str) and first in FOREIGN_OBJECTS and len(words) == 1):
        shown = " ".join(map(print_token, words))[:60]
        raise r.error(
            f"'{shown}' is no bad operand: expected py:…, an id, 'other' and an id, 'cut N', 'times N', or one of "
            f"{', '.join(FOREIGN_OBJECTS)}"
        )


def known(r: Reading, ref: Ref) -> None:
    """Check that the object of an id can be broken. Raises InputError for an unknown id, and
    Skipped if a refused line should have returned it.
    """
    if ref.letter not in BREAKABLE_LETTERS or (ref.letter in "oc" and ref.number != 1):
        raise r.error(f"unknown id {ref}, expected a term, a sort, an object, o1 or c1")
    if ref.letter in "stx" and not r.known(ref):
        if ref in r.missing:
            raise Skipped
        raise r.error(f"unknown id {ref}")


def compare(r: Reading, raised: bool) -> None:
    """Record a difference if the call raised in the trace and does not raise now, or the other way
    round.
    """
    before = r.line.result("raised") is not None
    if before is not raised and not r.trace.is_last(r.line):
        how = ("raised", "now it does not") if before else ("did not raise", "now it does")
        r.run.differences.append(f"line {r.line.number}: the misuse {how[0]}, {how[1]}")


# ----------------------------------------------------------------------
# Misuse, which contract mode carries out on purpose.


@register("misuse")
class Misuse(Action):
    """`misuse@RULE ...`: a call with a bad operand or in a wrong state, or stress on an object."""

    drawn = False
    alone = True

    def read(self, r: Reading) -> None:
        reader(_readers(), read_own)(r)


@cache
def _readers() -> dict[str, Callable[[Reading], None]]:
    return {name: action.read for name, action in REGISTERED.items() if action.traced}


def _plainly(gen: Generator, name: str) -> bool:
    return REGISTERED[name].draw(gen)


_DRAWS: dict[str, Callable[[Generator], bool]] = {
    "misuse-value": lambda gen: misuse.misuse(gen, "value", _plainly),
    "misuse-object": lambda gen: misuse.misuse(gen, "object", _plainly),
    "misuse-order": misuse.out_of_order,
    "misuse-call": callables.bursts,
    "misuse-hold": misuse.hold,
    "misuse-held": misuse.held,
    "misuse-protocol": lambda gen: misuse.stress(gen, "protocol"),
    "misuse-life": lambda gen: misuse.stress(gen, "life"),
    "misuse-state": lambda gen: misuse.stress(gen, "state"),
    "misuse-drop": misuse.tear_down,
    "misuse-own": misuse.stress_own,
}


@register(*_DRAWS)
class DrawnMisuse(Action):
    """A misuse by a random rule of one family, written as a line `misuse`."""

    traced = False

    def draw(self, gen: Generator) -> bool:
        return _DRAWS[self.name](gen)
