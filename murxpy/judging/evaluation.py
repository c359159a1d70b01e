"""A model, and the values of assertions under it by our own evaluator: read from the replay of a trace,
or worked out from a model as a solver prints it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from murxpy.data import load_catalogue
from murxpy.errors import InputError
from murxpy.findings.replayed import replay_trace
from murxpy.logic.catalogue import build_catalogue
from murxpy.logic.terms import Term
from murxpy.machine.checks.registry import ANSWERING
from murxpy.machine.tokens import Quoted
from murxpy.machine.trace.grammar import Line, Trace, parse_trace
from murxpy.machine.trace.lift import lift
from murxpy.processes.limits import Limits
from murxpy.processes.targets import Plan
from murxpy.semantics.values import CannotSay
from murxpy.smtlib.printed_models import Valuation, asking_for_models, read_model, shown_model
from murxpy.smtlib.reading.scripts import read_script
from murxpy.smtlib.script import Assert, Script
from murxpy.solvers.forbidden import Forbidden

# Lines that say what a script asserts; other lines only ask the solver something.
_SAYING = ("mk-", "instantiate-sort", "assert-", "check-sat", "push", "pop", "reset")
# Checks of murxpy that would end the replay where something is wrong.
_OWN = ("check-model", "check-values", "evaluate", "expect")
API, TEXT = "api", "text"  # the ways in which a solver is given a script


@dataclass(frozen=True, slots=True)
class Part:
    """A term in a false formula: its id, its value by our evaluator, and the solver's value where
    that is another one, else empty.
    """

    name: str
    ours: str
    theirs: str = ""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """A model, as the text of each symbol's value, and the formulas that it was asked about. Each
    formula has its id, and `true`, `false`, or the reason why its value is not known. `parts` are the
    terms in the false formulas, arguments first.
    """

    model: dict[str, str]
    holds: list[tuple[str, str]]
    parts: tuple[Part, ...] = ()


def read_evaluation(trace: Trace) -> Evaluation | None:
    """The evaluation that the last line `evaluate` with results recorded; None without such a line,
    for instance because no answer was sat.
    """
    for line in reversed(trace.lines):
        if line.action == "evaluate" and line.results and line.result("refused") is None:
            words = [
                (kind, [str(getattr(token, "text", token)) for token in tokens])
                for kind, tokens in line.results
            ]
            if any(kind == "holds" for kind, _ in words) or not any(
                kind in ("answer", "unread") for kind, _ in words
            ):
                model = {_symbol(names): value for _, (*names, value) in _of(words, "model")}
                holds = [(place, verdict.lower()) for _, (place, verdict) in _of(words, "holds")]
                return Evaluation(
                    model, holds, tuple(Part(*values) for _, values in _of(words, "value"))
                )
    return None


def _symbol(names: list[str]) -> str:
    """A symbol with the id of its term, if there is one: scripts have no ids."""
    return names[0] if len(names) == 1 else f"{names[1]} ({names[0]})"


def unread(trace: Trace) -> str:
    """The reason why the last script that was to be evaluated was not: the solver refused something,
    or its model could not be read. The text is empty if the script was evaluated.
    """
    for line in reversed(trace.lines):
        if (
            line.action == "evaluate"
            and line.args
            and (words := line.result("unread") or line.result("refused")) is not None
        ):
            return str(getattr(words[-1], "text", words[-1]))
    return ""


def _of(words: list[tuple[str, list[str]]], kind: str) -> Iterator[tuple[str, list[str]]]:
    return ((name, tokens) for name, tokens in words if name == kind)


class Modelled:
    """A trace that was replayed to ask for models: `found` is the model of its last sat answer, or None,
    `answers` are the different answers of its checks, and `finding` is what the replay showed beside.
    `way` says how a script was given to the solver. Raises InputError where the trace is malformed.
    """

    def __init__(self, plan: Plan, trace: Trace, wall: float, way: str = "") -> None:
        name, self._wall, self.way = trace.name, wall, way
        self._replayed = replay_trace(plan, trace.text(), name, Limits(wall=wall), None, wall)
        self._report = self._replayed.outcome.report or {}
        if self._report.get("status") == "malformed":
            raise InputError(self._report["message"])
        self.trace = parse_trace(self._replayed.outcome.trace, name)
        self.found = read_evaluation(self.trace)
        self.finding = self._replayed.found
        self.answers = list(
            dict.fromkeys(str(answer) for *_, answer in self._report.get("answers") or ())
        )

    def lacking(self) -> str:
        """The reason why the answers are not about the whole script, or why a sat answer has no model;
        empty where both are fine.
        """
        for key in self._report.get("counts") or {}:
            if key.startswith("replay-refused:"):
                _, action, reason = key.split(":", 2)
                if action.startswith(_SAYING) or (
                    action == "evaluate" and self.found is None and "sat" in self.answers
                ):
                    return f"{action}: {reason}"
        return ""

    def evaluation(self) -> Evaluation | None:
        """The evaluation of the last sat answer; None where no check answers sat. Raises InputError where
        the model cannot be judged, and where the solver did not answer in time.
        """
        if reason := unread(self.trace):
            raise InputError(
                f"no model that can be judged, {self.way or 'of the last script'}: {reason}",
                file=self.trace.name,
            )
        if self.found is None and self._replayed.outcome.cause == "wall":
            raise InputError(
                f"no model: the solver had not answered after {self._wall:g} s; give it more time with --wall",
                file=self.trace.name,
            )
        if self.found is None and self.answers and "sat" not in self.answers:
            return None
        return self.found or Evaluation({}, [])


def modelled_script(
    plan: Plan, text: str, name: str, wall: float, through: str | None = None
) -> Modelled:
    """The model of a script, `text`, that messages call `name`: call by call through the solver's API, or
    where the API refuses a part of it, or with `through`, read by the solver as text. Raises
    InputError.
    """
    Forbidden((plan.setup.get("wrapper") or {}).get("forbidden") or {}).permit(text, name)
    script = read_script(text, name, build_catalogue(load_catalogue()))
    solver, reason = plan.target.name, ""
    if through != TEXT:
        made, reason = _through_api(plan, script, wall, wanted=through == API)
        if made is not None and not reason:
            return made
        if through == API:
            raise InputError(
                f"{solver}'s API refuses a part of the script ({reason}), so there is no model of the whole script; "
                f"leave out '--through {API}' to have {solver} read it as text",
                file=name,
            )
    asked = Quoted(asking_for_models(text, name))
    lines = [Line("new", seed=1), Line("evaluate", [asked], seed=1)]
    why = f", since its API refuses a part ({reason})" if reason else ""
    trace = Trace(name, lines, {"solver": solver})
    return Modelled(plan, trace, wall, f"through {solver}'s reader of scripts{why}")


def _through_api(
    plan: Plan, script: Script, wall: float, *, wanted: bool
) -> tuple[Modelled | None, str]:
    """The replay of a script call by call, and what the API refuses of it (empty for nothing). The
    replay is None where no trace can say the script; if the user wants this way (`wanted`), that
    raises InputError.
    """
    try:
        made = Modelled(plan, asking(lift(script)), wall, f"through {plan.target.name}'s API")
    except InputError as error:
        if wanted:
            raise
        return None, error.reason
    return made, made.lacking()


def asking(trace: Trace) -> Trace:
    """The trace with a line `evaluate` behind each check and in place of each whole script, and
    without the checks of murxpy that would end its replay early.
    """
    lines: list[Line] = []
    for line in trace.lines:
        text = line.args[0] if line.action == "run-script" and line.args else None
        if isinstance(text, Quoted):
            lines.append(
                replace(
                    line,
                    action="evaluate",
                    args=[Quoted(asking_for_models(text.text, trace.name))],
                    results=[],
                )
            )
        elif line.action not in _OWN:
            lines.append(line)
        if line.action in ANSWERING:
            lines.append(Line("evaluate", seed=0))
    return Trace(trace.name, lines, trace.header, trace.murxla_options)


def under_model(text: str, name: str, model: str, model_name: str) -> Evaluation:
    """The assertions of a script, `text`, named by their lines, under a `model` as solvers print models.
    Messages call the two `name` and `model_name`. Raises InputError.
    """
    script = read_script(text, name, build_catalogue(load_catalogue()))
    read = read_model(model, model_name, script)
    valuation = Valuation(script, read)
    return Evaluation(
        shown_model(script.tables.catalogue, read),
        [
            (f"line {script.line(at)}", _verdict(valuation, command.term))
            for at, command in enumerate(script.commands)
            if isinstance(command, Assert)
        ],
    )


def _verdict(valuation: Valuation, formula: Term) -> str:
    try:
        return "true" if valuation.holds(formula) else "false"
    except CannotSay as reason:
        return str(reason)
