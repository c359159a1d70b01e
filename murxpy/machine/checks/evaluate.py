"""`evaluate`: write the solver's model, and the value of each assertion and assumption in it, as
results of the line.
"""

from __future__ import annotations

from collections.abc import Iterator

from murxpy.errors import InputError
from murxpy.logic.terms import Term
from murxpy.logic.walks import subterms
from murxpy.machine.actions.base import Check, register
from murxpy.machine.checks.assertions import needs_model
from murxpy.machine.outcomes import Refused, Stopped
from murxpy.machine.run import Run
from murxpy.machine.script import for_others, permit_script
from murxpy.machine.tokens import quote
from murxpy.machine.trace.reading import Reading
from murxpy.machine.witnesses.model import TOO_LARGE, Model, differ, solver_value, verdicts
from murxpy.machine.witnesses.model_rows import Unreadable
from murxpy.machine.witnesses.script_evidence import answered, verdict
from murxpy.machine.witnesses.show import LENGTH, show
from murxpy.semantics.values import CannotSay
from murxpy.smtlib.printed_models import Valuation, read_printed_model, shown_model
from murxpy.smtlib.reading.scripts import read_script
from murxpy.smtlib.script import CheckSatAssuming, Script, at_checks


def evaluate(run: Run, seed: int, spelling: str | None = None) -> None:
    """`evaluate`: write `model t "value"` for each constant, and for each formula `holds t true`,
    `holds t false` or the reason why its value is not known. For each term in a false formula,
    write `value t "ours"`, and `value t "ours" "theirs"` where the solver says another value.
    """
    run.frame.fill()
    chosen = run.choose(run.wrapper.set("readers", "model"), seed, spelling, "evaluate")
    run.begin(seed, "evaluate", chosen.name, "")
    entries = list(dict.fromkeys([*run.state.asserted(), *run.state.assumptions]))
    model = Model(run, [entry.term for entry in entries], chosen)
    found = verdicts(model, [entry.term for entry in entries], stop=False)
    ids = {entry.term: entry for entry in run.db.terms.values()}
    for term in sorted(model.constants, key=lambda t: t.serial):
        value = model.interpretation.constants.get(term)
        text = (
            show(value, term.sort)
            if value is not None
            else f"? {model.unread.get(term, 'its object is deleted')}"
        )
        run.result(f"model {ids.get(term, 't0')} {quote(str(term.indices[0]))} {quote(text)}")
    for entry in entries:
        run.result(f"holds {entry} {_word(found[entry.term])}")
    wrong = [entry.term for entry in entries if found[entry.term] == "false"]
    for term in sorted(subterms(wrong), key=lambda t: t.serial):
        if term in ids and not (term.leaf or term.free or term.sort.kind == "SORT_FUN"):
            run.result(f"value {ids[term]} {_values(model, term)}")


def _values(model: Model, term: Term) -> str:
    """Our value of a term as a word, and behind it the solver's value where that is another one."""
    try:
        ours = model.evaluator.value(term)
    except (CannotSay, *TOO_LARGE) as reason:
        return quote(f"? {reason}")
    word = quote(show(ours, term.sort))
    try:
        theirs = solver_value(model.run, model.evaluator, model.objects[term], term.sort)
        other = differ(model.evaluator, term.sort, ours, theirs)
    except (CannotSay, Unreadable, Refused, Stopped, KeyError, *TOO_LARGE):
        return word
    return f"{word} {quote(show(theirs, term.sort))}" if other else word


def evaluate_script(run: Run, text: str, seed: int, spelling: str | None = None) -> list[str]:
    """`evaluate "TEXT"`: the same for a script that asks for the model behind each of its checks.
    The result is the answers.

    The solver reads the script itself. For the last check with the answer sat, the results are
    `model "symbol" "value"` and `holds "line N" ...`, or else `unread "why"`. Raises Refused if the
    solver does not take a part of the script, and InputError for what the wrapper forbids.
    """
    permit_script(run, text)
    run.frame.fill(value=text)
    chosen = run.choose(run.wrapper.set("actions", "run-script"), seed, spelling, "evaluate")
    run.begin(seed, "evaluate", chosen.name, quote(text))
    printed = answered(str(run.call(chosen, run.state.limits, (), "run-script")))
    for answer, _ in printed:
        run.result(f"answer {answer}")
    try:
        for line in _judged(run, read_script(text, "the script", run.catalogue), printed):
            run.result(line)
    except InputError as error:
        run.result(f"unread {quote(str(error))}")
    except (CannotSay, *TOO_LARGE) as error:
        run.result(f"unread {quote(f'the model: {error}')}")
    return [answer for answer, _ in printed]


def _judged(run: Run, script: Script, printed: list[tuple[str, str]]) -> Iterator[str]:
    """The results for a script; `printed` are its answers and the text behind each of them."""
    checks = list(at_checks(script))
    if len(checks) != len(printed):
        raise InputError(
            f"the script has {len(checks)} checks, the solver printed {len(printed)} answers"
        )
    found = [
        (check, rest)
        for check, (answer, rest) in zip(checks, printed, strict=True)
        if answer == "sat"
    ]
    if not found:
        return
    (at, asserted), rest = found[-1]
    lines = {id(command): script.line(number) for number, command in enumerate(script.commands)}
    check = script.commands[at]
    formulas: dict[Term, int | None] = {}
    for command in asserted:
        formulas.setdefault(command.term, lines[id(command)])
    for term in check.assumptions if isinstance(check, CheckSatAssuming) else ():
        formulas.setdefault(term, lines[id(check)])
    model = read_printed_model(rest, script, run.wrapper.facts.open_points)
    valuation = Valuation(script, model, completed=True)
    for name, value in shown_model(script.tables.catalogue, model).items():
        yield f"model {quote(name)} {quote(value if len(value) <= LENGTH else f'{value[: LENGTH - 3]}...')}"
    for term, line in formulas.items():
        yield f"holds {quote(f'line {line}')} {_word(verdict(run, valuation, term))}"


def _word(verdict: str) -> str:
    return verdict if verdict in ("true", "false") else quote(verdict)


@register("evaluate")
class Evaluate(Check):
    """`evaluate`, which `murxpy eval` puts behind a check, or `evaluate "TEXT"` of a script."""

    reader = "model"

    def read(self, r: Reading) -> None:
        if r.line.args:
            _read_text(r)
            return
        needs_model(r)
        evaluate(r.run, r.seed, self.spelling(r))


def _read_text(r: Reading) -> None:
    text = r.text(0, "a script")
    r.end(1)
    if r.foreign:
        text = for_others(text)
    answers = evaluate_script(r.run, text, r.seed, r.spelling("actions", "run-script"))
    r.run.answers += [(r.line.number, "", answer) for answer in answers]
