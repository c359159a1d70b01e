"""Questions to which the solver answers sat, unsat or unknown."""

from __future__ import annotations

from contextlib import suppress

from murxpy.actions.base import Action, answer_checks, register
from murxpy.actions.lifecycle import draw_limit
from murxpy.actions.picking import bool_entry
from murxpy.machine import script, solve
from murxpy.machine.database import Entry
from murxpy.machine.generate.apply import gen_term
from murxpy.machine.generate.base import Generator
from murxpy.machine.generate.holding import holding
from murxpy.machine.outcomes import Refused
from murxpy.trace.reading import Reading


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


def read_script(r: Reading, head: str = "") -> None:
    """Read the line `run-script "TEXT"`; `head` are commands that are put in front of the script."""
    text = r.text(0, "a script")
    r.end(1)
    if r.foreign:
        text = head + script.for_others(text)
    answers = script.answers_of(
        script.run_script(r.run, text, r.seed, r.spelling("actions", "run-script"))
    )
    before = [str(tokens[0]) for name, tokens in r.line.results if name == "answer" and tokens]
    if before and before != answers:
        r.run.differences.append(
            f"line {r.line.number}: run-script answered {' '.join(before)}, now {' '.join(answers)}"
        )
    pairs = list(zip(before, answers, strict=False))
    telling = (
        [pair for pair in pairs if set(pair) == {"sat", "unsat"}]
        or [pair for pair in pairs if "unknown" not in pair]
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
