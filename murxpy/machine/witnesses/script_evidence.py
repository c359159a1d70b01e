"""Judging the models and cores that a script asks for: a model makes all assertions true, and an
unsat core alone is unsatisfiable.

A script asks with `(get-model)` or `(get-unsat-core)` behind a check. The solver prints text, so
our own reader reads the model and our own evaluator evaluates it. A core is run as a script of its
own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count

from murxpy.errors import InputError
from murxpy.logic.terms import Term
from murxpy.logic.walks import subterms
from murxpy.machine.outcomes import FOREIGN, INVALID_CORE, WRONG_MODEL, Refused, Stopped
from murxpy.machine.run import Run
from murxpy.machine.witnesses.model import TOO_LARGE, theories, unjudged, with_universe
from murxpy.machine.witnesses.solving import FACTOR, tidy, timed
from murxpy.semantics.values import CannotSay
from murxpy.smtlib.lexer import spell
from murxpy.smtlib.printed_models import Valuation, declared, read_printed_model
from murxpy.smtlib.printing.scripts import print_script
from murxpy.smtlib.printing.terms import Unsayable
from murxpy.smtlib.reading.scripts import read_script
from murxpy.smtlib.script import (
    CHECKS,
    Ask,
    Assert,
    CheckSat,
    CheckSatAssuming,
    Command,
    Pop,
    Push,
    Reset,
    ResetAssertions,
    Script,
    SetInfo,
    SetOption,
    at_checks,
)
from murxpy.solvers.exceptions import INVALID_MODEL
from murxpy.solvers.spelling import Spelling

MODEL, CORE = "get-model", "get-unsat-core"
CORES_OPTION = "produce-unsat-cores"
# cvc5 adds a reason: `unknown (RESOURCEOUT)`
_ANSWER = re.compile(r"^(sat|unsat|unknown|timeout)(?: \(\w+\))?\r?$", re.M)
_QUESTION = re.compile(rf"^\((?:{MODEL}|{CORE})\)\n?", re.M)
_NEEDED_FOR_CORES = re.compile(rf"^\(set-option :{CORES_OPTION} true\)\n?", re.M)
_CHECKING = re.compile(r"^\((?:check-sat|check-sat-assuming .*)\)$", re.M)
_ASSERTING = re.compile(r"^\(assert (.*)\)$", re.M)
_NOT_ASSERTING = (Assert, *CHECKS, Push, Pop, Ask, SetInfo)


@dataclass(frozen=True, slots=True)
class Question:
    """One check of a script: its assertions and assumptions, and whether the script then asks for a
    model or a core.
    """

    asserted: tuple[Assert, ...]
    assumptions: tuple[Term, ...]
    model: bool
    core: bool

    @property
    def formulas(self) -> list[Term]:
        """All formulas that a model must make true, each once."""
        return list(
            dict.fromkeys([*(command.term for command in self.asserted), *self.assumptions])
        )


def asks(text: str) -> bool:
    """True if a script may ask for a model or a core."""
    return f"({MODEL})" in text or asks_for_core(text)


def asks_for_core(text: str) -> bool:
    """True if a script may ask for a core."""
    return f"({CORE})" in text


def with_models(text: str) -> str:
    """The script with a question for the model behind each check that stands on a line of its own."""
    asked = _CHECKING.sub(rf"\g<0>\n({MODEL})", text)
    return f"(set-option :produce-models true)\n{asked}"


def with_cores(text: str) -> str:
    """The script with a question for the unsat core behind each check, and a name for each assertion;
    both must stand on lines of their own.
    """
    numbers = count()
    named = _ASSERTING.sub(
        lambda found: f"(assert (! {found[1]} :named core!{next(numbers)}))", text
    )
    asked = _CHECKING.sub(rf"\g<0>\n({CORE})", named)
    return f"(set-option :{CORES_OPTION} true)\n{asked}"


def without_questions(text: str) -> str:
    """The script without its questions for models and cores, and without the option that cores
    need.
    """
    return _NEEDED_FOR_CORES.sub("", _QUESTION.sub("", text)) if asks(text) else text


def answered(output: str) -> list[tuple[str, str]]:
    """The answers in the output of a solver for a script, in order, each with the text that is
    printed between it and the next answer.
    """
    found = list(_ANSWER.finditer(output))
    ends = [*(match.start() for match in found[1:]), len(output)][: len(found)]
    words = ["unknown" if match[1] == "timeout" else match[1] for match in found]
    return [
        (word, output[match.end() : end])
        for word, match, end in zip(words, found, ends, strict=True)
    ]


def questions(script: Script) -> list[Question]:
    """The checks of a script, in order."""
    found: list[Question] = []
    for at, asserted in at_checks(script):
        command = script.commands[at]
        asked = {ask.command for ask in _asked_behind(script, at)}
        assumed = command.assumptions if isinstance(command, CheckSatAssuming) else ()
        found.append(Question(asserted, assumed, MODEL in asked, CORE in asked))
    return found


def _asked_behind(script: Script, check: int) -> Iterator[Ask]:
    """The questions that stand directly behind a check."""
    for command in script.commands[check + 1 :]:
        if not isinstance(command, Ask):
            return
        yield command


def check_script(run: Run, text: str, made: Script | None, output: str, chosen: Spelling) -> None:
    """Judge the models and cores that a script asked for. `made` is the parsed script, if the
    caller has it. Raises Stopped if a model makes an assertion false, or a core is satisfiable.
    """
    kept = [what for what in ("models", "cores") if what in run.script_checks]
    printed = answered(output)
    if not kept or not any(answer in ("sat", "unsat") and rest.strip() for answer, rest in printed):
        return
    with timed(run, "scripts"):
        try:
            script = made
            if script is None or not _as_printed(script, text):
                script = read_script(text, "script", run.catalogue)
        except InputError:
            run.counts["check-script:unreadable"] += 1
            return
        checks = questions(script)
        # an error was printed in between, so it is not known which check has which answer
        if len(checks) != len(printed):
            return
        for check, (answer, rest) in zip(checks, printed, strict=True):
            if answer == "sat" and check.model and "models" in kept:
                run.meter.model_read()
                _check_model(run, script, check, rest, chosen)
            elif answer == "unsat" and check.core and "cores" in kept:
                run.meter.core_read()
                _check_core(run, script, check, rest, chosen)


def _as_printed(made: Script, text: str) -> bool:
    """Whether a script has the names that its printed text has. Printing renames assertions, and
    constants whose names the dialect reserves, such as `pi`.
    """
    names = [spell(str(constant.indices[0])) for constant in declared(made)]
    return not asks_for_core(text) and all(
        f"(declare-const {name} " in text or f"(declare-fun {name} " in text for name in names
    )


def _check_model(run: Run, script: Script, check: Question, printed: str, chosen: Spelling) -> None:
    for term, verdict in verdicts(run, script, check.formulas, printed).items():
        known = verdict if verdict in ("true", "false") else "cannot-say"
        run.counts[f"check-script-model:{known}"] += 1
        if known == "cannot-say":
            run.counts[f"check-script-model-why:{tidy(verdict)}"] += 1
        if known == "false":
            about = _about(run, [term], ", ")
            message = f"an assertion{about and ' about '}{about} is false under the model that the solver printed"
            raise Stopped(
                run.finding(
                    INVALID_MODEL,
                    "solver",
                    message,
                    "run-script",
                    _about(run, [term], "+"),
                    chosen.name,
                )
            )


def verdicts(run: Run, script: Script, formulas: Sequence[Term], printed: str) -> dict[Term, str]:
    """For each formula, in a printed model: `true`, `false` (which is then the last), or the reason
    why its value is not known.
    """
    found: dict[Term, str] = {}
    try:
        model = read_printed_model(printed, script, run.wrapper.facts.open_points)
        valuation = Valuation(script, model, completed=True)
    except (InputError, CannotSay, *TOO_LARGE) as error:
        return dict.fromkeys(formulas, f"a model that cannot be read: {error}")
    for term in formulas:
        found[term] = verdict(run, valuation, term)
        if found[term] == "false":
            break
    return found


def verdict(run: Run, valuation: Valuation, term: Term) -> str:
    """`true`, `false`, or the reason why the value of a formula in a model is not known."""
    if unjudged(run, term) or _has_own_universe(run, term):
        return "an operator whose meaning is the solver's own"
    try:
        return "true" if valuation.holds(term) else "false"
    except CannotSay as reason:
        return str(reason)
    except TOO_LARGE as error:
        return f"too large: {error}"


def _has_own_universe(run: Run, term: Term) -> bool:
    """Whether a formula depends on the universe of a solver whose models say what it is. A printed model
    has constants and functions alone.
    """
    open_universe = run.wrapper.set("readers", "universe") is not None
    return open_universe and bool(with_universe(subterms([term])))


def _about(run: Run, terms: Sequence[Term], separator: str) -> str:
    """The theories of formulas; BOOL stands only if there is no other."""
    found = list(dict.fromkeys(name for term in terms for name in theories(run, term)))
    return separator.join([name for name in found if name != "BOOL"] or found)


@dataclass(frozen=True, slots=True)
class Core:
    """The formulas of an unsat core. `foreign` says that it has what was neither asserted nor assumed."""

    formulas: list[Term]
    foreign: bool


def core_of(script: Script, check: Question, printed: str) -> Core | None:
    """The core that was printed behind a check of a script; None where nothing can be said of it."""
    words = printed.strip()
    if (
        not words.startswith("(")
        or words.startswith("(error")
        or any(isinstance(c, Reset | ResetAssertions) for c in script.commands)
    ):
        return None
    names = {word.strip("|") for word in words.strip("() \n").split()}
    named = {command.name: command for command in check.asserted if command.name is not None}
    kept = [
        command.term for command in check.asserted if command.name is None or command.name in names
    ]
    formulas = list(dict.fromkeys([*kept, *check.assumptions]))
    return Core(formulas, not check.assumptions and not names <= named.keys())


FOREIGN_CORE = f"the unsat core has {FOREIGN}"
SATISFIABLE_CORE = "the unsat core is satisfiable when solved anew"


def _check_core(run: Run, script: Script, check: Question, printed: str, chosen: Spelling) -> None:
    core = core_of(script, check, printed)
    if core is None:
        return
    if core.foreign:
        raise Stopped(
            run.finding(INVALID_CORE, "solver", FOREIGN_CORE, "run-script", "", chosen.name)
        )
    formulas = core.formulas
    answer, evaluated = _solved_from_scratch(run, script, formulas, chosen)
    run.counts[f"check-script-core:{answer if answer in ('sat', 'unsat') else 'cannot-say'}"] += 1
    if answer == "sat":
        message = f"{SATISFIABLE_CORE}; {_evidence(evaluated)}"
        raise Stopped(
            run.finding(
                INVALID_CORE,
                "solver",
                message,
                "run-script",
                _about(run, formulas, "+"),
                chosen.name,
            )
        )


def formulas_alone(script: Script, formulas: Sequence[Term]) -> Script:
    """The script that asks for a model of formulas alone, with the declarations and options of another."""
    head = [
        c
        for c in script.commands
        if not isinstance(c, _NOT_ASSERTING)
        and not (isinstance(c, SetOption) and c.name == CORES_OPTION)
    ]
    asked: list[Command] = [*map(Assert, formulas), CheckSat(), Ask(MODEL)]
    return Script(script.name, script.tables, [SetOption("produce-models", "true"), *head, *asked])


def _solved_from_scratch(
    run: Run, script: Script, formulas: Sequence[Term], chosen: Spelling
) -> tuple[str, list[str]]:
    """The answer of the solver to formulas alone. If it is sat, our evaluation of each formula in
    the model follows.
    """
    alone = formulas_alone(script, formulas)
    try:
        run.frame.fill(value=print_script(alone, run.wrapper.name))
        limits = tuple(FACTOR * limit for limit in run.state.limits)
        output = str(run.call(chosen, limits, (), "run-script"))
    except (Refused, Unsayable):
        return "refused", []
    found = answered(output)
    if len(found) != 1 or found[0][0] != "sat":
        return found[0][0] if found else "refused", []
    return "sat", list(verdicts(run, alone, formulas, found[0][1]).values())


def _evidence(verdicts: Sequence[str]) -> str:
    """The words for what our evaluation says of the model of a satisfiable core."""
    if "false" in verdicts:
        return WRONG_MODEL
    whole = all(verdict == "true" for verdict in verdicts)
    return (
        "all of it is true under that model by our evaluation"
        if whole
        else "our evaluation cannot say"
    )
