"""Reading the lines of misuse: `misuse@RULE ACTION@SPELLING words.. with SLOT BAD`, and the lines
that stress an object.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from murxpy.actions import public_calls as calls
from murxpy.errors import nearest
from murxpy.machine.misuse import lives
from murxpy.machine.misuse.armed import WITH, Armed
from murxpy.machine.misuse.calls import CALLS
from murxpy.machine.misuse.lives import LEAST, LIVING, MANY, SORTED, STRESS
from murxpy.machine.misuse.rules import RULES, Rule
from murxpy.machine.outcomes import Misused, Refused
from murxpy.machine.strangers import STRANGERS
from murxpy.machine.tokens import Python, Ref, Token, print_token
from murxpy.trace.reading import Reading, Skipped

Readers = Mapping[str, Callable[[Reading], None]]
BREAKABLE_LETTERS = "stxoc"
UNBREAKABLE = ("misuse", "new", "set-parameter", "delete", "del", "gc")
MAX_TIMES = 100_000


def reader(readers: Readers, own: Callable[[Reading], None]) -> Callable[[Reading], None]:
    """The reader of `misuse` lines. `readers` are the readers of the actions that a misuse can
    break, `own` is the reader of a wrapper's own actions.
    """

    def read(r: Reading) -> None:
        rule = RULES.get(r.line.spelling or "")
        if rule is None:
            raise r.error(
                f"unknown rule '{r.line.spelling}'{nearest(r.line.spelling or '', RULES)}; expected 'misuse@RULE'"
            )
        r.require(not r.foreign, "a misuse of another solver")
        if rule.name in CALLS:
            calls.read(r, rule, known, compare)
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
    raised = lives.do(r.run, rule, words, r.seed)
    if len(r.run.differences) == before:
        compare(r, raised)


def _broken_call(
    r: Reading, rule: Rule, readers: Readers, own_action: Callable[[Reading], None]
) -> None:
    """Read a call with one bad operand, or a call in a state that does not allow it."""
    line = r.line
    r.require(r.run.frame.ctx is not None and r.run.frame.solver is not None, "the solver is gone")
    callee, _, spelling = r.text(0, "the call that is broken").partition("@")
    own = r.run.wrapper.facts.own_actions
    if (callee not in readers and callee not in own) or callee in UNBREAKABLE:
        raise r.error(f"'{callee}' is not a call that a misuse can break{nearest(callee, readers)}")
    end, misuse = _armed(r, rule)
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


def _armed(r: Reading, rule: Rule) -> tuple[int, Armed]:
    """The position at which the words of the call end, and the misuse that the words behind `with`
    name.
    """
    args = r.line.args
    if not rule.slots:
        return len(args), Armed(rule)
    at = max((k for k, token in enumerate(args) if token == WITH), default=0)
    if not at or len(args) < at + 3:
        raise r.error("expected 'with SLOT BAD' at the end of a misuse")
    words = args[at + 2 :]
    _check(r, words)
    return at, Armed(rule, print_token(args[at + 1]), words)


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
    if not (isinstance(first, str) and first in STRANGERS and len(words) == 1):
        shown = " ".join(map(print_token, words))[:60]
        raise r.error(
            f"'{shown}' is no bad operand: expected py:…, an id, 'other' and an id, 'cut N', 'times N', or one of "
            f"{', '.join(STRANGERS)}"
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
