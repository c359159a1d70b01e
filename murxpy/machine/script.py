"""Whole SMT-LIB scripts, which the solver's own reader of scripts runs, and the answers that are
expected of their checks.
"""

from __future__ import annotations

import gc
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from murxpy.errors import InputError, TargetError
from murxpy.logic.catalogue import build_catalogue
from murxpy.machine.outcomes import CRASH, Stopped
from murxpy.machine.run import SOLVING, Run
from murxpy.machine.signals import note_script
from murxpy.machine.solve import ANSWERS
from murxpy.machine.tokens import quote
from murxpy.machine.witnesses import slowness
from murxpy.machine.witnesses.script_evidence import answered, asks, check_script
from murxpy.machine.witnesses.unknowns import is_marked, judge_unknowns, without_question
from murxpy.smtlib.logics import theories
from murxpy.smtlib.script import Script
from murxpy.solvers.exceptions import ILL_FORMED, INVALID_MODEL, UNDOCUMENTED
from murxpy.solvers.spelling import Spelling
from murxpy.solvers.wrapper import Wrapper

_STANDARD = "produce-|global-declarations|interactive-mode|print-success|random-seed|reproducible-|verbosity"
_OWN_OPTION = re.compile(rf"^\(set-option :((?!{_STANDARD})\S+) ([^()|]*)\)\n?", re.M)
# begins the message of a wrong model that the solver itself has found
OWN_CHECK = "the solver's own check of its model fails: "
_USING = re.compile(r"^\(check-sat-using .*\)$", re.M)


def run_script(
    run: Run, text: str, seed: int, spelling: str | None = None, made: Script | None = None
) -> str:
    """`run-script "TEXT"`: the solver reads and runs a script in a solver of its own. The result is
    the text that the solver prints.

    The assertions and terms of the run stay as they are. Models and cores that the script asks for
    are judged. A caller who has the parsed script passes it as `made`, so that the text is not
    parsed again. Raises Refused if the solver does not take a part of the script, Stopped if an
    answer, a model or a core is wrong, and InputError for what the wrapper forbids.
    """
    permit_script(run, text)
    run.frame.fill(value=text)
    chosen = run.choose(run.wrapper.set("actions", "run-script"), seed, spelling, "run-script")
    run.begin(seed, "run-script", chosen.name, quote(text))
    costs = slowness.Costs(run, text)
    output = _output(run, chosen, text)
    answers = answers_of(output)
    expected = list(run.state.expected)
    for answer in answers:
        run.result(f"answer {answer}")
    run.meter.script(answers)
    note_script(run, answers)
    for answer in answers:
        run.judge(answer, "run-script", chosen.name, lambda: "+".join(theories(text)))
    if is_marked(text):
        judge_unknowns(run, text, expected, output, chosen.name)
    if asks(text):
        check_script(run, text, made, output, chosen)
    costs.judge(chosen.name)
    return output


def permit_script(run: Run, text: str) -> None:
    """Raise InputError if something that the wrapper forbids is in the script."""
    found = run.wrapper.facts.forbidden.in_script(text)
    if found:
        raise InputError(found)


def _output(run: Run, chosen: Spelling, text: str) -> str:
    """Return the output of the solver for a script. A wrong model that the solver itself finds is
    told from others by the theories of the script, as a wrong answer is.
    """
    try:
        output: str = run.call(chosen, run.state.limits, (), "run-script")
    except Stopped as stopped:
        found = stopped.finding
        if found is not None and found["kind"] == INVALID_MODEL:
            error = found["message"].partition(" error: ")[2] or found["message"]
            message = f"{OWN_CHECK}{error}"
            raise Stopped(
                {**found, "message": message, "operator": "+".join(theories(text))}
            ) from None
        raise
    return output


def for_others(text: str) -> str:
    """The script as other solvers know it: without the options that the standard does not have
    (SMT-LIB 2.7, section 4.1.7), without the questions for the reason of an unknown, and with plain
    checks in place of those that name a tactic.
    """
    return _USING.sub("(check-sat)", _OWN_OPTION.sub("", without_question(text)))


def own_options(text: str) -> list[tuple[str, str]]:
    """The options of a script that the standard does not have, with their values."""
    return _OWN_OPTION.findall(text)


def answers_of(output: str) -> list[str]:
    """The answers of the checks, in their order, in the output of a solver for a script."""
    return [answer for answer, _ in answered(output)]


def expect(run: Run, answers: Sequence[str], seed: int) -> None:
    """`expect ANSWER..`: the answers of the next checks, in their order, which are known from the
    way in which the checks were made.

    `unknown` expects nothing. If a check answers the opposite, this is a finding of kind
    `wrong-answer`.
    """
    run.begin(seed, "expect", None, " ".join(answers))
    run.state.expected = list(answers)
    run.meter.went_well()


def expectable(answer: str) -> bool:
    """True for a word that is an answer of a check."""
    return answer in ANSWERS


# ----------------------------------------------------------------------
# A solver that reads scripts one after another, each in a state that no other script has touched,
# and gives the answers and the cost of each.


ERROR, UNKNOWN, OWN = "error", "unknown", "own-check"
_WORDS = 300  # characters of a message that are kept
_DECIDED = ("sat", "unsat")


@dataclass(frozen=True, slots=True)
class ScriptAnswers:
    """The answers of a solver to a script: `outcome` joins them with `+`; it is unknown if one of
    them is, error if the solver does not read the script, crash if the solver throws an exception
    that no rule of the wrapper knows, and own-check if the solver finds its own model wrong. `cost`
    is in the solver's units. `parts` are the answers, each with what was printed behind it.
    """

    outcome: str
    cost: int
    message: str = ""
    parts: Sequence[tuple[str, str]] = ()


class Alone:
    """Reads scripts. Catalogue and wrapper are plain data. `limits` are those of a check, in units of the
    solver and in milliseconds.

    Raises TargetError where the solver cannot be loaded, or reads no scripts.
    """

    def __init__(
        self, catalogue: dict[str, Any], wrapper: dict[str, Any], limits: tuple[int, int]
    ) -> None:
        self.catalogue = build_catalogue(catalogue)
        self.wrapper = Wrapper(wrapper, self.catalogue)
        spellings = self.wrapper.set("readers", "alone")
        if not spellings:
            raise TargetError(
                f"{self.wrapper.name} {self.wrapper.release} reads no scripts through its Python API"
            )
        self._spelling = spellings.spellings[0]
        self._limits = limits
        self.run = Run(self.wrapper, self.catalogue, 0, lambda text: None)

    def ask(self, script: str, limits: tuple[int, int] | None = None) -> ScriptAnswers:
        """Have the solver read a script in its own words. `limits` are others than the usual ones,
        in units of the solver and in milliseconds. A script that uses what the wrapper forbids is not
        read.
        """
        if found := self.wrapper.facts.forbidden.in_script(script):
            return ScriptAnswers(ERROR, 0, found)
        frame = self.run.frame
        frame.fill(value=script)
        try:
            output, cost = self._spelling.call(limits or self._limits, (), frame)
        except (Exception, SystemExit) as error:  # whatever a binding throws is an outcome
            return self._thrown(error)
        parts = answered(str(output))
        if not parts:
            return ScriptAnswers(ERROR, int(cost), short(str(output)))
        return ScriptAnswers(outcome_of([answer for answer, _ in parts]), int(cost), parts=parts)

    def _thrown(self, error: BaseException) -> ScriptAnswers:
        refusal = self.wrapper.refusal(error)
        message = short(refusal.message)
        if refusal.sort == INVALID_MODEL:
            return ScriptAnswers(OWN, 0, message)
        if refusal.sort == "resources":
            return ScriptAnswers(UNKNOWN, 0, message)
        # in a check, what the solver has read is no longer ill-formed; it may still be unsupported
        ill_formed = refusal.sort == ILL_FORMED and refusal.message.startswith(SOLVING)
        return ScriptAnswers(
            CRASH if refusal.sort == UNDOCUMENTED or ill_formed else ERROR, 0, message
        )


def freeze() -> None:
    """Have the collector pass over what is loaded by now, for each context that dies."""
    gc.collect()
    gc.freeze()


def outcome_of(answers: Sequence[str]) -> str:
    """Return the outcome of a script with these answers: the answers, or `unknown` if one of them is
    unknown.
    """
    decided = answers and all(answer in _DECIDED for answer in answers)
    return "+".join(answers) if decided else UNKNOWN


def short(message: str) -> str:
    """The first words of a message, in one line."""
    return " ".join(message.split())[:_WORDS]
