"""`check-model`: after sat, our own evaluation finds each assertion and assumption true in the
solver's model.
"""

from __future__ import annotations

from typing import Any

from murxpy.logic.terms import Term
from murxpy.logic.walks import subterms
from murxpy.machine.actions.base import Check, register
from murxpy.machine.generate.base import Generator
from murxpy.machine.outcomes import Refused, Stopped
from murxpy.machine.run import Run
from murxpy.machine.trace.reading import Reading
from murxpy.machine.witnesses.model import Model, blamed, solver_value, subject, theories, verdicts
from murxpy.machine.witnesses.model_rows import Unreadable
from murxpy.machine.witnesses.solving import tidy, timed
from murxpy.semantics.values import CannotSay


def check_model(run: Run, seed: int, spelling: str | None = None) -> None:
    """`check-model`: read the model and evaluate the assertions and assumptions. Raises Stopped if an
    assertion or assumption is false.
    """
    run.frame.fill()
    chosen = run.choose(run.wrapper.set("readers", "model"), seed, spelling, "check-model")
    run.begin(seed, "check-model", chosen.name, "")
    run.meter.model_read()
    formulas = [entry.term for entry in (*run.state.asserted(), *run.state.assumptions)]
    with timed(run, "models"):
        model = Model(run, formulas, chosen)
        for term, verdict in verdicts(model, list(dict.fromkeys(formulas))).items():
            _count(run, term, verdict)
            if verdict == "false":
                raise Stopped(_finding(run, model, term, chosen))


def _finding(run: Run, model: Model, formula: Term, reader: Any) -> dict[str, Any]:
    """The finding that `formula` is false. The finding names the operator at which the solver's
    evaluation and ours part, or the subject of the formula.
    """
    term = blamed(run, model.evaluator, list(subterms([formula])))
    if term is not None:
        message = (
            f"an assertion is false under the model; the solver's value of {term.op} is not ours"
        )
        return run.finding("invalid-model", "solver", message, "check-model", term.op, reader.name)
    word = _own_word(run, model, formula)
    about = ", ".join(subject(run, formula, model.objects, reader)) or "BOOL"
    message = f"an assertion about {about} is false under the model; {word}"
    return run.finding("invalid-model", "solver", message, "check-model", "", reader.name)


def _own_word(run: Run, model: Model, formula: Term) -> str:
    """Return the solver's own evaluation of a formula that our evaluation finds false."""
    try:
        theirs = solver_value(run, model.evaluator, model.objects[formula], formula.sort)
    except (CannotSay, Unreadable, Refused, Stopped, KeyError):
        return "the solver does not evaluate it"
    return (
        "so it is by the solver's evaluation"
        if theirs is False
        else "not so by the solver's evaluation"
    )


def _count(run: Run, term: Term, verdict: str) -> None:
    known = verdict if verdict in ("true", "false") else "cannot-say"
    run.counts[f"check-model:{known}"] += 1
    for theory in _charged(run, term):
        run.counts[f"check-model-of:{theory}:{known}"] += 1
    if known == "cannot-say":
        run.counts[f"check-model-why:{tidy(verdict)}"] += 1


def _charged(run: Run, term: Term) -> list[str]:
    """The theories of a term whose figures a judgement counts for. With quantifiers,
    transcendentals or operators whose meaning the solver decides, the other theories do not count.
    """
    if any(t.op in run.wrapper.facts.unjudged for t in subterms([term])):
        return ["excused"]
    found = theories(run, term)
    # {t | c} has a member for each value of its variables that makes c true
    quantified = any(t.op == "OP_SET_COMPREHENSION" for t in subterms([term]))
    return [name for name in found if name in ("QUANT", "TRANSCENDENTAL")] or (
        ["QUANT"] if quantified else found
    )


def needs_model(r: Reading) -> None:
    """Raise Refused if no model can be read."""
    state = r.run.state
    r.require(
        state.gives_model and state.answer == "sat",
        f"no model: the last answer is {state.answer}",
    )


@register("check-model")
class CheckModel(Check):
    """`check-model`."""

    option = "models"
    reader = "model"
    after = ("sat",)
    place = 1

    def draw(self, gen: Generator) -> bool:
        if gen.run.state.models and self.due(gen):
            check_model(gen.run, gen.run.line_seed())
        return True

    def read(self, r: Reading) -> None:
        r.end(0)
        needs_model(r)
        check_model(r.run, r.seed, self.spelling(r))
