"""A script with many checks, cut behind the one whose model is wrong."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from murxpy.campaign.reduction.script_sights import Shown
from murxpy.campaign.reduction.script_writer import ScriptWriter
from murxpy.campaign.workers.limits import Limits
from murxpy.campaign.workers.targets import Plan
from murxpy.errors import MurxpyError
from murxpy.logic.catalogue import Catalogue
from murxpy.machine.tokens import Quoted
from murxpy.oracles.crash import INVALID_MODEL
from murxpy.trace.grammar import Line, Trace

_CHECKS = 20  # checks behind which a script is cut, one after another


def cut_behind_wrong_model(
    plan: Plan, trace: Trace, catalogue: Catalogue, file: Path, shown: Shown, limits: Limits
) -> Trace:
    """The trace whose last line runs its script only up to the first check whose model is wrong;
    unchanged where it runs no script with several checks, or where none of them shows that. `file`
    is written to.
    """
    last = trace.lines[-1] if trace.lines else Line("")
    if shown.kind != INVALID_MODEL or last.action != "run-script" or not last.args:
        return trace
    try:
        for line in _cuts(last):
            cut = replace(trace, lines=[*trace.lines[:-1], line])
            writer = ScriptWriter(plan, cut, catalogue, file, shown, cut.text(), limits)
            if writer.shows_at_once():
                return cut
    except MurxpyError:
        return trace
    finally:
        file.unlink(missing_ok=True)
    return trace


def _cuts(last: Line) -> Iterator[Line]:
    """The line with its script cut behind each check but the last one, with the answers up to there."""
    script = last.args[0]
    rows = script.text.splitlines() if isinstance(script, Quoted) else []
    checks = [at for at, row in enumerate(rows) if row.startswith("(check-sat")]
    answers = [result for result in last.results if result[0] == "answer"]
    for count, at in enumerate(checks[:-1][:_CHECKS], 1):
        text = "\n".join([*rows[: at + 1], "(get-model)", ""])
        yield replace(last, args=[Quoted(text)], results=answers[:count])
