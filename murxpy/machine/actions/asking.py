"""Questions to which the solver answers sat, unsat or unknown."""

from __future__ import annotations

from contextlib import suppress
from fractions import Fraction

from murxpy.logic.sorts import Sort
from murxpy.logic.values import LITERAL_KINDS
from murxpy.machine import script, solve
from murxpy.machine.actions.base import (
    Action,
    answer_checks,
    any_entry,
    bool_entry,
    register,
    values_to_read,
)
from murxpy.machine.actions.lifecycle import draw_limit
from murxpy.machine.database import Entry
from murxpy.machine.generate import leaves
from murxpy.machine.generate.apply import gen_term
from murxpy.machine.generate.base import Generator
from murxpy.machine.generate.holding import holding
from murxpy.machine.outcomes import Refused
from murxpy.machine.trace.reading import Reading
from murxpy.machine.witnesses import unknowns

_UNDECIDED = frozenset({"unknown", unknowns.GAVE_UP})


@register("check-sat")
class CheckSat(Action):
    """`check-sat`."""

    answers = True
    fatal = True
    damped = False

    def draw(self, gen: Generator) -> bool:
        _limited(gen)
        solve.check_sat(gen.run, gen.run.line_seed())
        check_answer(gen)
        return True

    def read(self, r: Reading) -> None:
        r.end(0)
        _checkable(r)
        _compare(r, solve.check_sat(r.run, r.seed, r.spelling("actions", "check-sat")))


@register("check-sat-assuming")
class CheckSatAssuming(Action):
    """`check-sat-assuming n t..`."""

    answers = True
    fatal = True
    damped = False

    def draw(self, gen: Generator) -> bool:
        run, stream = gen.run, gen.stream
        assumptions: list[Entry] = []
        for _ in range(gen.settings.number("assumptions", stream)):
            if assumptions and gen.settings.chance("repeated-assumption", stream):
                assumptions.append(stream.choose(assumptions))
                continue
            entry = bool_entry(gen)
            if entry is None:
                break
            if gen.settings.chance("negated-assumption", stream):
                entry = gen_term(gen, gen.catalogue.operators["OP_NOT"], [entry])
            true = holding(gen, entry)
            if true is not None:
                assumptions.append(true)
        if not assumptions:
            return False
        _limited(gen)
        solve.check_sat_assuming(run, assumptions, run.line_seed())
        check_answer(gen)
        return True

    def read(self, r: Reading) -> None:
        entries = [r.boolean(1 + k) for k in range(r.count(0, "terms"))]
        r.end(1 + len(entries))
        _checkable(r)
        _compare(
            r,
            solve.check_sat_assuming(
                r.run, entries, r.seed, r.spelling("actions", "check-sat-assuming")
            ),
        )


def _limited(gen: Generator) -> None:
    """Set a limit before the first check of a run, unless the user wants no limits."""
    if gen.run.state.limit is None:
        draw_limit(gen)


def check_answer(gen: Generator) -> None:
    """Draw and carry out checks of the answer that the solver just gave."""
    with suppress(Refused):
        for check in answer_checks():
            if gen.run.state.answer in check.after:
                check.draw(gen)


def _checkable(r: Reading) -> None:
    state = r.run.state
    r.require(
        state.incremental or state.checks == 0, "a second check of a solver that is not incremental"
    )


def _compare(r: Reading, answer: str) -> None:
    before = r.line.result("answer")
    r.run.answers.append((r.line.number, str(before[0]) if before else "", answer))
    if before and str(before[0]) != answer:
        r.run.differences.append(
            f"line {r.line.number}: {r.line.action} answered {before[0]}, now {answer}"
        )


@register("run-script")
class RunScript(Action):
    """`run-script "TEXT"`: a whole script, read by the solver itself."""

    drawn = False

    def read(self, r: Reading) -> None:
        read_script(r)


def read_script(r: Reading, head: str = "", *, reasons: bool = False) -> None:
    """Read the line `run-script "TEXT"`; `head` are commands that are put in front of the script. With
    `reasons`, an answer unknown is `gave-up` where the solver's reason names no limit.
    """
    text = r.text(0, "a script")
    r.end(1)
    if r.foreign:
        text = head + script.for_others(text)
    if reasons and unknowns.REASON in r.run.catalogue.dialect(r.run.wrapper.name).commands:
        text = unknowns.with_question(text)
    output = script.run_script(r.run, text, r.seed, r.spelling("actions", "run-script"))
    answers = script.answers_of(output)
    before = [str(tokens[0]) for name, tokens in r.line.results if name == "answer" and tokens]
    if before and before != answers:
        r.run.differences.append(
            f"line {r.line.number}: run-script answered {' '.join(before)}, now {' '.join(answers)}"
        )
    now = unknowns.answers_or_gave_up(r.run, text, output) if reasons else answers
    pairs = list(zip(before, now, strict=False))
    telling = (
        [pair for pair in pairs if set(pair) == {"sat", "unsat"}]
        or [pair for pair in pairs if _UNDECIDED.isdisjoint(pair)]
        or pairs
    )
    r.run.answers += [(r.line.number, *pair) for pair in telling[:1]]


@register("expect")
class Expect(Action):
    """`expect ANSWER..`: the answers that are known for the script that follows."""

    drawn = False

    def read(self, r: Reading) -> None:
        answers = [r.text(at, "an answer") for at in range(len(r.line.args))]
        for answer in answers:
            if not script.expectable(answer):
                raise r.error(f"expected sat, unsat or unknown, found '{answer}'")
        script.expect(r.run, answers, r.seed)


# ----------------------------------------------------------------------
# Questions about the last answer and about terms, whose results the run does not use.


@register("get-value")
class GetValue(Action):
    """`get-value n t..`."""

    def draw(self, gen: Generator) -> bool:
        run, stream = gen.run, gen.stream
        entries = values_to_read(gen)
        if not entries:
            return False
        completion = gen.settings.chance("value-with-completion", stream)
        action = (
            "get-value-completion"
            if completion and run.wrapper.set("actions", "get-value-completion")
            else "get-value"
        )
        values = solve.get_value(run, entries, action, run.line_seed())
        kept = 0
        for entry, value in zip(entries, values, strict=False):
            if (
                value is not None
                and kept < gen.settings.limit("model-values")
                and gen.settings.chance("keep-value", stream)
            ):
                kept += _keep_value(gen, entry.term.sort, value) is not None
        return True

    def read(self, r: Reading) -> None:
        if r.line.action in ("get-value", "get-value-completion"):
            entries, action = r.counted_terms(0, closed=True), r.line.action
            r.end(1 + len(entries))
        else:  # an action of a single solver in Murxla, which takes one term
            entries, action = [r.term(0, closed=True)], "get-value"
            r.end(1)
        _needs_model(r)
        r.values(*(e.term.sort for e in entries))
        if r.run.wrapper.set("actions", action) is None:
            action = "get-value"
        solve.get_value(r.run, entries, action, r.seed, r.spelling("actions", action))


@register("get-value-completion")
class GetValueCompletion(GetValue):
    """`get-value-completion n t..`: values of terms, including those that the model leaves open."""

    drawn = False


def _needs_model(r: Reading) -> None:
    state = r.run.state
    r.require(state.gives_model, f"no model: the last answer is {state.answer}")


def _keep_value(gen: Generator, sort: Sort, value: tuple[object, ...]) -> Entry | None:
    """Make a literal of the model a term of the run, by a `mk-value` line with its text; None if the value
    is no such literal.
    """
    kind = str(value[0])
    if sort.kind not in LITERAL_KINDS or kind != sort.short.lower().replace("reglan", ""):
        return None
    number: object = value[-1]
    if kind == "real":
        number = Fraction(int(str(value[1])), int(str(value[2])))
    if number is None or (kind == "string" and any(ord(c) > 0x2FFFF for c in str(number))):
        return None
    return leaves.value(gen, sort, number)


@register("block-values")
class BlockValues(Action):
    """Read the values of terms by a line `get-value`, and assert by the lines behind it that one of the
    terms has another value, as programs do that go through all models.
    """

    traced = False
    establishes = ("asserted",)

    def draw(self, gen: Generator) -> bool:
        run, equal = gen.run, gen.catalogue.operators["OP_EQUAL"]
        entries = [
            entry
            for entry in values_to_read(gen)
            if entry.term.sort.kind in LITERAL_KINDS
            and not entry.term.literal
            and gen.profile.operator_takes(equal, entry.term.sort)
        ]
        if not entries:
            return False
        values = solve.get_value(run, entries, "get-value", run.line_seed())
        apart = []
        for entry, value in zip(entries, values, strict=True):
            literal = None if value is None else _keep_value(gen, entry.term.sort, value)
            if literal is not None:
                same = gen_term(gen, equal, [entry, literal])
                apart.append(gen_term(gen, gen.catalogue.operators["OP_NOT"], [same]))
        if not apart:
            return False
        if len(apart) > 1:
            apart = [gen_term(gen, gen.catalogue.operators["OP_OR"], apart)]
        solve.assert_formula(run, apart[0], run.line_seed())
        return True


@register("get-info", "statistics", "get-assertions")
class Query(Action):
    """A question without operands whose result is not used."""

    def draw(self, gen: Generator) -> bool:
        if gen.run.wrapper.set("actions", self.name) is None:
            return False
        solve.query(gen.run, self.name, gen.run.line_seed())
        return True

    def read(self, r: Reading) -> None:
        r.end(0)
        self.require(r)
        r.require_spelling(r.run.wrapper.set("actions", self.name) is not None, self.name)
        solve.query(r.run, self.name, r.seed, r.spelling("actions", self.name))

    def require(self, r: Reading) -> None:
        """Raise Refused where the last answer does not allow the question."""


@register("reason-unknown")
class ReadQuery(Query):
    """A question that occurs only in traces, and is never drawn."""

    drawn = False


@register("get-model", "print-model")
class ModelQuery(Query):
    """A question for the whole model, as an object or as text."""

    def require(self, r: Reading) -> None:
        _needs_model(r)


@register("get-unsat-core")
class CoreQuery(Query):
    """A question for the unsat core."""

    def require(self, r: Reading) -> None:
        state = r.run.state
        r.require(state.gives_core, f"no core: the last answer is {state.answer}")


@register("get-unsat-assumptions")
class AssumptionsQuery(Query):
    """A question for the unsat assumptions."""

    def require(self, r: Reading) -> None:
        state = r.run.state
        r.require(
            state.gives_assumptions, f"no unsat assumptions: the last answer is {state.answer}"
        )


class OnTerms(Action):
    """An action on terms whose result the run does not keep."""

    scripted = False

    def draw(self, gen: Generator) -> bool:
        entry = any_entry(gen)
        if (
            entry is None
            or gen.run.wrapper.set("actions", self.name) is None
            or entry.term.sort.kind == "SORT_FUN"
        ):
            return False
        solve.on_terms(gen.run, self.name, [entry], gen.run.line_seed())
        return True

    def read(self, r: Reading) -> None:
        for entries in self.calls(r):
            r.require_spelling(r.run.wrapper.set("actions", self.name) is not None, self.name)
            functions = any(e.term.sort.kind == "SORT_FUN" for e in entries)
            if r.trace.murxla and functions and not r.run.wrapper.facts.function_terms:
                continue  # a function is no term here, so it has no parts to look at
            r.values(*(e.term.sort for e in entries))
            solve.on_terms(r.run, self.name, entries, r.seed, r.spelling("actions", self.name))

    def calls(self, r: Reading) -> list[list[Entry]]:
        """The terms of each call that the current line makes. Raises InputError."""
        entry = r.term(0)
        r.end(1)
        return [[entry]]


register("term-get-children")(OnTerms)
