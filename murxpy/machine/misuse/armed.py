"""A misuse that waits for the next call. It breaks one operand of the call, writes the line, and
judges the outcome.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from murxpy.errors import InputError
from murxpy.machine.misuse import bad, promise
from murxpy.machine.misuse.misuse import Misuse
from murxpy.machine.misuse.rules import Rule
from murxpy.machine.misuse.slots import VALUE, Slot, broken, kind_of, operands, slots
from murxpy.machine.outcomes import Misused, Stopped, Unbroken
from murxpy.machine.run import Run
from murxpy.machine.tokens import print_token, quote
from murxpy.solvers.contract import BROKEN, RESOURCES, UNREACHED, Thrown
from murxpy.solvers.spelling import Spelling
from murxpy.solvers.template import Template

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


class Armed(Misuse):
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
        self.mixes = promise.mixes(
            run, chosen.template, Slot(self.placeholder, kind_of(self.placeholder))
        )
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
        made = None if self.words[0] in ("cut", "times") else bad.make(run, self.words)
        slot = Slot(self.placeholder, "")
        if not slot.many:
            return made
        return bad.replaced(
            operands(slot.text, args, indices, run.frame), self.element, self.words, made
        )

    def _returned(self, run: Run, value: Any, action: str, what: str) -> None:
        if self.rule.family == "hold":
            run.held.append(value)
        returned(run, self.rule, promise.fault(run, self, value, action), what)
        if action in CHANGING:
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
        raise Stopped(run.finding("contract", "binding", message, "misuse", what, rule.name))
    outcome = {UNREACHED: "unreached", RESOURCES: "resources"}.get(thrown.sort, "refused")
    run.counts[f"misuse-{outcome}:{rule.name}"] += 1


def returned(run: Run, rule: Rule, fault: str | None, what: str) -> None:
    """Record that a misuse was not refused. Raises Stopped if it broke a promise; `fault` says
    which.
    """
    if fault is not None:
        run.counts[f"misuse-finding:{rule.name}"] += 1
        raise Stopped(
            run.finding(
                "contract", "binding", f"class {rule.letter}: {fault}", "misuse", what, rule.name
            )
        )
    run.counts[f"misuse-kept:{rule.name}"] += 1


class Drawn(Armed):
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
            words = bad.draw(run, run.stream, self.rule, slot)
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
        return (
            promise.mixes(run, template, slot) if self.rule.name == "context" else not slot.receiver
        )
