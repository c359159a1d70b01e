"""`evaluate`: notes the model that the solver gives, and the value of each assertion and assumption under it, as results of the line."""

from __future__ import annotations

from murxpy.machine.checks.model import Model, verdicts
from murxpy.machine.checks.show import show
from murxpy.machine.run import Run
from murxpy.machine.tokens import quote


def evaluate(run: Run, seed: int, spelling: str | None = None) -> None:
    """`evaluate`: writes `model t "value"` for each constant, and `holds t true`, `false` or the reason for each formula."""
    run.frame.fill()
    chosen = run.choose(run.wrapper.set("readers", "model"), seed, spelling, "evaluate")
    run.begin(seed, "evaluate", chosen.name, "")
    entries = list(dict.fromkeys([*run.state.asserted(), *run.state.assumptions]))
    model = Model(run, [entry.term for entry in entries], chosen)
    found = verdicts(model, [entry.term for entry in entries], stop=False)
    ids = {entry.term: entry for entry in run.db.terms.values()}
    for term in sorted(model.constants, key=lambda t: t.serial):
        value = model.interpretation.constants.get(term)
        text = show(value, term.sort) if value is not None else f"? {model.unread.get(term, 'its object is deleted')}"
        run.result(f"model {ids.get(term, 't0')} {quote(str(term.indices[0]))} {quote(text)}")
    for entry in entries:
        verdict = found[entry.term]
        run.result(f"holds {entry} {verdict if verdict in ('true', 'false') else quote(verdict)}")
