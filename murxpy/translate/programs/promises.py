"""The end of a program that shows a wrong answer, core, or result of a simplification."""

from __future__ import annotations

from collections.abc import Sequence

from murxpy.machine.outcomes import Refused
from murxpy.translate.expressions import Code
from murxpy.translate.programs.calls import Calls
from murxpy.translate.programs.claim import Claim
from murxpy.translate.programs.sheet import ANSWER
from murxpy.translate.programs.vocabulary import (
    UNSAT,
    compared,
    constants,
    formulas,
    said,
    solved,
    value_of,
    without_assertions,
)

# -- an answer that is wrong


def other_answer(run: Calls, claim: Claim) -> None:
    """The answer itself is the defect."""
    wrong = run.recorded
    right = {"sat": "unsat", "unsat": "sat"}.get(wrong)
    if right is None:
        raise Refused("unsupported", "the trace records no answer")
    run.sheet.do(
        f"print('expected {right}, got', {ANSWER})",
        f"sys.exit({{{right!r}: 0, {wrong!r}: 1}}.get({ANSWER}, 2))",
    )


def inconsistent(run: Calls, claim: Claim) -> None:
    """Solved alone, the same assertions have another answer."""
    if run.recorded not in ("sat", "unsat"):
        raise Refused("unsupported", "the trace records no answer")
    run.sheet.note("The same assertions are solved alone.")
    other = {"sat": "unsat", "unsat": "sat"}[run.recorded]
    run.sheet.do(
        f"if {ANSWER} != {run.recorded!r}:\n"
        f"    print('expected the answer {run.recorded} of the trace, got', {ANSWER})\n"
        "    sys.exit(2)"
    )
    solved(run, [str(entry.obj) for entry in formulas(run)], other)


# -- a core that is none


def core(run: Calls, claim: Claim) -> None:
    """The core has a model."""
    background = _read_core(run)
    run.sheet.note("The core is solved alone.")
    _core_anew(run, background)


def foreign_core(run: Calls, claim: Claim) -> None:
    """The core has what was neither asserted nor assumed."""
    _read_core(run)
    known = ", ".join(f"str({entry.obj})" for entry in formulas(run))
    names = [name for name, _ in run.state.named()]
    listed = ", ".join(filter(None, [known, *map(repr, names)]))
    run.sheet.do(
        f"foreign = [str(part) for part in core if str(part) not in [{listed}]]",
        "print('expected nothing in the core that was not asserted, got', foreign)",
        "sys.exit(1 if foreign else 0)",
    )


def _read_core(run: Calls) -> list[str]:
    """Read the core. The result is what is asserted beside it."""
    assumed = run.line.action == "check-assumptions"
    run.sheet.do(UNSAT)
    names = run.state.named()
    code = said(run, "actions", ("get-unsat-assumptions" if assumed else "get-unsat-core",), ())
    run.sheet.do(f"core = {code if str(code).startswith('list(') else f'list({code})'}")
    run.sheet.do("print('the core is', core)")
    if not assumed and names:
        listed = ", ".join(f"{name!r}: {entry.obj}" for name, entry in names)
        run.sheet.do(f"core = [{{{listed}}}.get(str(part), part) for part in core]")
    return [str(entry.obj) for entry in run.state.asserted()] if assumed else []


def _core_anew(run: Calls, background: Sequence[str]) -> None:
    with without_assertions(run):
        part = said(run, "actions", ("assert-formula",), [Code("part")])
        run.sheet.do(
            *(said(run, "actions", ("assert-formula",), [Code(claim)]) for claim in background),
            f"for part in core:\n    {part}",
            *compared(run, "sat"),
        )


# -- a result that is not equal


def other_result(run: Calls, claim: Claim) -> None:
    """A term and what was made of it can differ."""
    if not run.asked:
        raise Refused("unsupported", "the line names no term")
    run.sheet.forget_statements()
    entry = run.asked[0]
    args = [one.obj for one in run.asked]
    terms = tuple(one.term for one in run.asked)
    action = run.line.action.removeprefix("check-")
    section, key = ("readers", "eliminated") if action == "elimination" else ("actions", action)
    made = run.sheet.define(said(run, section, (key,), args, terms=terms), "made", kept=True)
    run.sheet.do(f"print('of', {entry.obj}, 'is made', {made})")
    pair = (entry.term, entry.term)
    differ = said(run, "operators", ("OP_DISTINCT",), [entry.obj, made], terms=pair)
    premises = []
    if action == "substitute":
        premises = [said(run, "operators", ("OP_EQUAL",), args[1:], terms=terms[1:])]
    run.sheet.note("A model is asked for in which they differ.")
    solved(run, [*map(str, premises), str(differ)], "sat")


# -- what a check of the trace itself calls


def checking_call(run: Calls) -> Code:
    """The call of the binding that the check on the last line makes. Raises Refused if the wrapper
    spells none.
    """
    action = run.line.action.removeprefix("check-")
    asked = [entry.obj for entry in run.asked]
    terms = tuple(entry.term for entry in run.asked)
    if action in ("core", "assumptions"):
        return said(run, "actions", (f"get-unsat-{action}",), ())
    if action in ("simplify", "substitute"):
        made = said(run, "actions", (action,), asked, terms=terms)
        pair = (terms[0], terms[0])
        return said(run, "operators", ("OP_DISTINCT",), [asked[0], made], terms=pair)
    if action in ("model", "values"):
        entries = run.asked or constants(run, [entry.term for entry in formulas(run)])
        return Code(f"[{', '.join(value_of(run, str(entry.obj)) for entry in entries)}]")
    reader = {"elimination": "eliminated"}.get(action, action)
    given = asked if action == "elimination" else [*asked, *(e.obj for e in formulas(run))]
    filled = {"terms": terms, "value": run.state.limit or 0}
    return said(run, "readers", (reader,), given, **filled)


def broken_proof(run: Calls, claim: Claim) -> None:
    """What the wrapper finds wrong with a proof."""
    run.sheet.forget_statements()
    run.sheet.do(
        f"got = {checking_call(run)}",
        "print('expected None, got', got)",
        "sys.exit(1 if isinstance(got, str) else 0)",
    )
