"""A script that the solver does not decide: one that costs too much, and one on which the solver gives
up. A program, or another reader of scripts, shows that by the answer unknown and its reason.
"""

from __future__ import annotations

from dataclasses import replace

from murxpy.machine.outcomes import Refused
from murxpy.machine.tokens import Quoted
from murxpy.machine.witnesses import slowness, unknowns
from murxpy.trace.grammar import Line, Trace
from murxpy.translate.programs.calls import Calls
from murxpy.translate.programs.claim import Claim
from murxpy.translate.programs.sheet import ANSWER

KINDS = (slowness.KIND, unknowns.KIND)


def asking_why(trace: Trace, kind: str) -> Trace:
    """The trace of a finding of `kind` with a script that asks for the reason of an unknown answer. The
    checks of a slow script get the limit that the script may cost, so that they are unknown. The trace
    of another kind is as it was.
    """
    last = trace.lines[-1]
    given = last.args[0] if last.action == "run-script" and last.args else None
    if kind not in KINDS or not isinstance(given, Quoted):
        return trace
    text, bound = slowness.unmarked(given.text)
    before = [line for line in trace.lines[:-1] if not bound or line.action != "set-limit"]
    if bound:
        before.append(Line("set-limit", [bound], seed=1))
    if unknowns.QUESTION not in text:
        text = unknowns.with_question(text)
    asked = replace(last, args=[Quoted(text)], results=[("answer", ["unknown"])])
    return Trace(trace.name, [*before, asked], trace.header)


def at_limit(run: Calls, claim: Claim) -> None:
    """A check reaches a limit that it should not need."""
    _ending(run, "1 if limited else 2")


def given_up(run: Calls, claim: Claim) -> None:
    """The solver gives up, and no limit is the reason."""
    _ending(run, "2 if limited else 1")


def _ending(run: Calls, code: str) -> None:
    if not run.script:
        raise Refused("unsupported", "the trace runs no script")
    run.sheet.do(
        f"limited = any(word in output.lower() for word in {unknowns.LIMITS})",
        "print('expected an answer, got', output)",
        f"sys.exit({{'sat': 0, 'unsat': 0, 'unknown': {code}}}.get({ANSWER}, 2))",
    )
