"""Promises that a binding must keep when it accepts a misused call: a sort has the requested size,
and numbers and symbols are read back as they were passed.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from murxpy.errors import InputError
from murxpy.logic.sorts import IllSorted, Sort
from murxpy.logic.values import from_escapes
from murxpy.machine.contract import rules
from murxpy.machine.contract.rules import Misuse, Rule
from murxpy.machine.contract.values import (
    MANAGER,
    MANY,
    SORT,
    TERM,
    VALUE,
    Slot,
    broken,
    kind_of,
    operands,
    slots,
)
from murxpy.machine.inspect import sort_facts
from murxpy.machine.outcomes import CONTRACT, Misused, Stopped, Unbroken
from murxpy.machine.run import Run
from murxpy.machine.tokens import Python, print_token, quote
from murxpy.solvers.exceptions import BROKEN, RESOURCES, UNREACHED, Thrown
from murxpy.solvers.spelling import Spelling, SpellingSet, Template

Check = Callable[[Run, Misuse, Any, Any], str | None]


def broken_promise(run: Run, misuse: Misuse, value: Any, action: str) -> str | None:
    """The promise that the result `value` of the call breaks, in words without numbers of this run;
    None if no promise is known to be broken.
    """
    first = misuse.words[0] if misuse.words else None
    if first == "other":
        return _mixed(misuse) if misuse.mixes and misuse.placeholder != "ctx" else None
    if not isinstance(first, Python) or misuse.element is not None:
        return None
    given, slot = first.value, misuse.placeholder
    check = _CHECKS.get(action)
    if check is None or value is None:
        return None
    try:
        return check(run, misuse, value, given) if slot else None
    except (
        Exception
    ) as error:  # an object whose sort or value cannot be read breaks the binding's contract
        return f"what {action} gave for {_shown(given)} raises {type(error).__name__}; {error}"


def mixes(run: Run, template: Template, slot: Slot) -> bool:
    """True if an object of another context in `slot` would stand in one call with an object of this
    context.
    """
    others = [
        text
        for text, placeholder in template.parts
        if placeholder and text != slot.text and kind_of(text) in _OBJECTS
    ]
    return bool(others) or (slot.many and len(run.frame.terms) > 1)


_OBJECTS = (TERM, MANY, SORT, MANAGER)


def _mixed(misuse: Misuse) -> str:
    what = {"o": "a solver", "c": "a context", "s": "a sort", "t": "a term"}[
        str(misuse.words[1])[0]
    ]
    return f"takes {what} of another context beside objects of this one"


def _number(given: Any) -> bool:
    """True for a number or a bool. Python takes a bool for the int 0 or 1, so a binding may refuse
    a bool, but must not take it for another number.
    """
    return isinstance(given, (int, float))


def _shown(given: Any) -> str:
    return (
        "a number"
        if _number(given) and not isinstance(given, bool)
        else f"a {type(given).__name__}"
    )


def _exactly(given: Any) -> Fraction | None:
    """The exact number that was passed; None if the operand is no number."""
    try:
        return Fraction(given)
    except (ValueError, OverflowError):  # infinite, not a number
        return None


def _read(readers: SpellingSet | None, run: Run, value: Any) -> Any:
    return None if readers is None else readers.spellings[0].call((value,), (), run.frame)


def _sort(run: Run, misuse: Misuse, value: Any, given: Any) -> str | None:
    """A sort has the size that was passed; an uninterpreted sort has the name that was passed."""
    wanted = run.frame.result
    slot = misuse.placeholder
    if wanted is None or not slot.startswith("p") or not _number(given):
        return None
    facts = sort_facts(wanted)
    facts["params"][int(slot[1:])] = given
    return _sort_fault(run, value, facts)


def _sort_fault(run: Run, value: Any, facts: dict[str, Any]) -> str | None:
    checks = run.wrapper.set("self-checks", "check-sort")
    broken = None if checks is None else checks.spellings[0].call((value, facts), (), run.frame)
    return None if broken is None else f"another sort than was asked for; {broken}"


def _term_sort_fault(run: Run, value: Any, facts: dict[str, Any]) -> str | None:
    """None also if the wrapper has no reader for the sort of a term."""
    reader = run.wrapper.set("readers", "term-sort")
    return None if reader is None else _sort_fault(run, _read(reader, run, value), facts)


def _literal(run: Run, misuse: Misuse, value: Any, given: Any) -> str | None:
    """A literal has the requested sort, and is read back as it was passed."""
    sort = run.frame.result
    read = _read(run.wrapper.set("readers", "value"), run, value)
    if sort is None or read is None:
        return None
    slot = misuse.placeholder
    if slot.startswith("p") and _number(given):
        facts = sort_facts(sort)
        facts["params"][int(slot[1:])] = given
        return _term_sort_fault(run, value, facts)
    if not slot.startswith("v") or slot not in _WHOLE:
        return None
    if _same(sort, read, given):
        return None
    return f"the literal of {sort.kind} made from {_shown(given)} is another; {given!r:.60} reads back as {read[1:]!r:.80}"


_WHOLE = ("v", "v:signed", "v:dec", "v:sdec", "v:dec10", "v:frac", "v:smt", "v:float")


def _same(sort: Sort, read: tuple[Any, ...], given: Any) -> bool:
    """Whether a literal that is read back as `read` is the value that was passed; True if its value
    is not known.
    """
    if sort.kind == "SORT_STRING":
        return not isinstance(given, str) or read[-1] in (given, from_escapes(given))
    if sort.kind == "SORT_FP":
        return (
            not isinstance(given, float)
            or sort.params != (11, 53)
            or read[-1] is None
            or read[-1] == _bits(given)
        )
    if not _number(given) or sort.kind not in ("SORT_INT", "SORT_REAL", "SORT_BV", "SORT_FF"):
        return True
    exact = _exactly(given)
    if exact is None:
        return False
    if sort.kind == "SORT_INT":
        return bool(exact == read[-1])
    if sort.kind == "SORT_REAL":
        # A binding may also take a float for the decimal number that Python prints for it.
        # A solver that knows one sort of numbers reads a whole number as an integer.
        return Fraction(*read[1:]) in (exact, Fraction(repr(+given)))
    return (
        exact.denominator == 1
        and (int(exact) - int(read[-1]))
        % int(read[1] if sort.kind == "SORT_FF" else 1 << sort.width)
        == 0
    )


def _bits(given: float) -> int:
    return int(struct.unpack(">Q", struct.pack(">d", given))[0])


def _symbol(run: Run, misuse: Misuse, value: Any, given: Any) -> str | None:
    """A constant or a function has the symbol that was passed."""
    if misuse.placeholder != "name" or not isinstance(given, str):
        return None
    reader = run.wrapper.set("readers", "symbol")
    if reader is None:
        return None
    read = _read(reader, run, value)
    return (
        None
        if read == given
        else f"the symbol is another; {_cut(given)} reads back as {_cut(str(read))}"
    )


def _cut(text: str) -> str:
    return ascii(text) if len(text) < 40 else f"{text[:20]!a}... of {len(text)} characters"


def _term(run: Run, misuse: Misuse, value: Any, given: Any) -> str | None:
    """An application with other indices has the sort that these indices give it."""
    frame, slot = run.frame, misuse.placeholder
    operator = run.catalogue.operators.get(misuse.operator)
    if (
        operator is None
        or slot[0] != "i"
        or not slot[1:].isdigit()
        or not _number(given)
        or operator.typing is not None
    ):
        return None
    reader = run.wrapper.set("readers", "indices")
    if reader is not None and given in (_read(reader, run, value) or ()):
        return None
    indices = list(frame.indices)
    indices[int(slot[1:])] = given
    try:
        if isinstance(given, float) and not given.is_integer():
            raise IllSorted("an index is a whole number")
        wanted = run.checker.result(
            operator, tuple(t.sort for t in frame.terms), tuple(map(int, indices)), None
        )
    except (IllSorted, ValueError, OverflowError) as error:
        return f"{operator.kind} takes an index that it cannot have; {error}"
    return _term_sort_fault(run, value, sort_facts(wanted))


_CHECKS: dict[str, Check] = {
    "mk-sort": _sort,
    "mk-value": _literal,
    "mk-const": _symbol,
    "mk-term": _term,
}


# ----------------------------------------------------------------------
# A misuse that waits for the next call. It breaks one operand of the call, writes the line, and
# judges the outcome.


WITH = "with"
CHANGING = frozenset(
    [
        "set-logic",
        "set-option",
        "assert-formula",
        "assert-tracked",
        "push",
        "pop",
        "reset",
        "reset-assertions",
        "set-limit",
        "check-sat",
        "check-sat-assuming",
    ]
)
DAMPED = 0.1  # the share of draws that is left for calls that known findings are about


class Prepared(Misuse):
    """A misuse that waits for the next call, which it breaks."""

    def prepare(self, run: Run, chosen: Spelling) -> Spelling:
        """The spelling to call instead of `chosen`. Raises Unbroken if the rule can break no
        operand of it.
        """
        self.choose_slot(run, chosen)
        if not self.rule.slots:
            self.ready = True
            return chosen
        if not self.breaks(chosen):
            raise InputError(f"the spelling '{chosen.name}' has no operand '{self.placeholder}'")
        self.ready = True
        self.mixes = mixes(run, chosen.template, Slot(self.placeholder, kind_of(self.placeholder)))
        template = broken(chosen.template, self.placeholder)
        return replace(
            chosen, template=template, call=run.wrapper.compiled(template), fold=None, fixed=False
        )

    def breaks(self, chosen: Spelling) -> bool:
        """Whether a spelling has the operand to break."""
        return not self.rule.slots or any(
            text == self.placeholder for text, placeholder in chosen.template.parts if placeholder
        )

    def choose_slot(self, run: Run, chosen: Spelling) -> None:
        """Choose the operand to break, unless it is known."""

    def line(self, run: Run, action: str, spelling: str | None, words: str) -> tuple[str, str, str]:
        """Action, spelling and words of the line of the misuse, which replaces the line of the call
        that it breaks.
        """
        callee = f"{action}@{spelling}" if spelling else action
        ending = f"{WITH} {self.slot} {' '.join(map(print_token, self.words))}" if self.slot else ""
        return "misuse", self.rule.name, " ".join(filter(None, [callee, words, ending]))

    def call(
        self,
        run: Run,
        spelling: Spelling,
        args: Sequence[Any],
        indices: Sequence[Any],
        action: str,
        operator: str,
    ) -> None:
        """Make the broken call. Raises Misused if the binding kept its contract, and Stopped with a
        finding if it did not.
        """
        what = self.operator = operator or action
        run.counts[f"misuse:{self.rule.name}"] += 1
        run.frame.bad = self.operand(run, args, indices)
        try:
            with run.binding_time():
                value = spelling.call(args, indices, run.frame)
        except (Exception, SystemExit) as error:  # whatever a binding throws is an outcome
            thrown = run.wrapper.contract.judge(error, run.wrapper.refusals)
            error.__traceback__ = None
        else:
            self._returned(run, value, action, what)
            raise Misused
        finally:
            run.frame.bad = None
        self.raised = True
        threw(run, self.rule, thrown, what)
        raise Misused

    def operand(self, run: Run, args: Sequence[Any], indices: Sequence[Any]) -> Any:
        """The object that stands in the place of the broken operand."""
        if not self.slot:
            return None
        made = None if self.words[0] in ("cut", "times") else rules.make(run, self.words)
        slot = Slot(self.placeholder, "")
        if not slot.many:
            return made
        return rules.replaced(
            operands(slot.text, args, indices, run.frame), self.element, self.words, made
        )

    def _returned(self, run: Run, value: Any, action: str, what: str) -> None:
        if self.rule.family == "hold":
            run.held.append(value)
        returned(run, self.rule, broken_promise(run, self, value, action), what)
        own = run.wrapper.facts.own_actions.get(action)
        if action in CHANGING or (own is not None and own.changes):
            raise Stopped(None)  # the state of the solver is unknown from here on


def threw(run: Run, rule: Rule, thrown: Thrown, what: str) -> None:
    """Record the exception that a misuse raised. Raises Stopped if the binding does not document
    it.
    """
    run.result(f"raised {quote(thrown.text)}")
    if thrown.sort == BROKEN:
        run.counts[f"misuse-finding:{rule.name}"] += 1
        message = (
            f"class {rule.letter}: {thrown.text} in {thrown.place}"
            if thrown.place
            else f"class {rule.letter}: {thrown.text}"
        )
        raise Stopped(run.finding(CONTRACT, "binding", message, "misuse", what, rule.name))
    outcome = {UNREACHED: "unreached", RESOURCES: "resources"}.get(thrown.sort, "refused")
    run.counts[f"misuse-{outcome}:{rule.name}"] += 1


def returned(run: Run, rule: Rule, fault: str | None, what: str) -> None:
    """Record that a misuse was not refused. Raises Stopped if the call broke a promise; `fault` says
    which.
    """
    if fault is not None:
        run.counts[f"misuse-finding:{rule.name}"] += 1
        raise Stopped(
            run.finding(
                CONTRACT, "binding", f"class {rule.letter}: {fault}", "misuse", what, rule.name
            )
        )
    run.counts[f"misuse-kept:{rule.name}"] += 1


class Drawn(Prepared):
    """A misuse whose operand and bad value are drawn when the call is known."""

    def __init__(self, rule: Rule, damped: frozenset[str]) -> None:
        super().__init__(rule)
        self._damped = damped

    def choose_slot(self, run: Run, chosen: Spelling) -> None:
        """Draw one of the operands that the rule can break, and a bad value for it."""
        template = chosen.template
        if run.wrapper.contract.undefined(template.text, self.rule.name):
            raise Unbroken
        if not self.rule.slots:
            return
        candidates = [slot for slot in slots(template) if self._breaks(run, slot, template)]
        while candidates:
            slot = run.stream.choose(candidates)
            words = rules.draw(run, run.stream, self.rule, slot)
            if words is not None:
                counted = slot.many and words[0] not in ("cut", "times")
                self.slot = f"{slot.text}.#{run.stream.below(6)}" if counted else slot.text
                self.words = words
                return
            candidates.remove(slot)
        raise Unbroken

    def line(self, run: Run, action: str, spelling: str | None, words: str) -> tuple[str, str, str]:
        """The line of the misuse. Raises Unbroken for most calls that known findings are about."""
        first = words.partition(" ")[0]
        what = first if first.startswith(("OP_", "SORT_")) else action
        if f"{self.rule.name}:{what}" in self._damped and run.stream.random() >= DAMPED:
            raise Unbroken
        return super().line(run, action, spelling, words)

    def _breaks(self, run: Run, slot: Slot, template: Template) -> bool:
        if slot.kind not in self.rule.slots:
            return False
        if self.rule.name == "text" and slot.kind == VALUE:
            return run.frame.result is not None and run.frame.result.kind == "SORT_STRING"
        return mixes(run, template, slot) if self.rule.name == "context" else not slot.receiver
