"""The end of a program that shows a wrong model, or a wrong value in it."""

from __future__ import annotations

import re

from murxpy.logic.terms import subterms
from murxpy.machine.outcomes import Refused
from murxpy.translate.expressions import literal
from murxpy.translate.programs.calls import Calls
from murxpy.translate.programs.claim import Claim, unevaluated
from murxpy.translate.programs.sheet import ANSWER
from murxpy.translate.programs.vocabulary import (
    SAT,
    constants,
    equal,
    equal_of,
    fixed,
    formulas,
    only_after,
    said,
    settled,
    simplified_of,
    solved,
    truth,
    value_of,
    without_assertions,
)


def own_value(run: Calls, claim: Claim) -> None:
    """The solver's own value of each assertion in its model."""
    yes, no = truth(run)
    entries = formulas(run)
    if not entries:
        raise Refused("unsupported", "nothing is asserted")
    run.sheet.do(SAT)
    if len(entries) == 1:
        run.sheet.do(
            f"value = str({value_of(run, entries[0].obj)})",
            f'print("expected {yes}, got", value)',
            f"sys.exit({{{yes!r}: 0, {no!r}: 1}}.get(value, 2))",
        )
        return
    listed = ", ".join(str(entry.obj) for entry in entries)
    run.sheet.do(
        f"values = [str({value_of(run, 'formula')}) for formula in [{listed}]]",
        f"print({f'expected {[yes] * len(entries)}, got'!r}, values)",
        f"sys.exit(1 if {no!r} in values else 0 if set(values) == {{{yes!r}}} else 2)",
    )


def simplified(run: Calls, claim: Claim) -> None:
    """What the simplifier makes of each assertion with the values of the model."""
    yes, no = truth(run)
    entries = formulas(run)
    if not entries:
        raise Refused("unsupported", "nothing is asserted")
    run.sheet.do(SAT)
    run.sheet.note("What the simplifier makes of the assertions with the values of the model.")
    values = ", ".join(f"str({settled(run, str(e.obj), [e.term])})" for e in entries)
    run.sheet.do(
        f"values = [{values}]",
        f"print({f'expected {[yes] * len(entries)}, got'!r}, values)",
        f"sys.exit(1 if {no!r} in values else 0 if set(values) == {{{yes!r}}} else 2)",
    )


def solved_anew(run: Calls, claim: Claim) -> None:
    """The assertions are solved alone, with each constant fixed to its value."""
    entries = formulas(run)
    if not entries:
        raise Refused("unsupported", "nothing is asserted")
    run.sheet.do(SAT)
    run.sheet.note("The same assertions are solved alone, with the value of each constant.")
    solved(run, [*(str(e.obj) for e in entries), *fixed(run, entries)], "unsat")


# -- a value that is wrong


def value_simplified(run: Calls, claim: Claim) -> None:
    """What the simplifier says of a term and its value in the model."""
    yes, no = truth(run)
    run.sheet.do(SAT)
    run.sheet.note("What the simplifier makes of 'term == value' with the values of the model.")
    parts = []
    for at, entry in enumerate(dict.fromkeys(run.asked)):
        value = run.sheet.define(value_of(run, str(entry.obj)), f"got_{at}", kept=True)
        run.sheet.do(f"print({literal(f'the value of term {at} is')}, {value})")
        parts.append(f"str({settled(run, equal(run, entry, value), [entry.term])})")
    run.sheet.do(
        f"values = [{', '.join(parts)}]",
        f"print({f'expected {[yes] * len(parts)}, got'!r}, values)",
        f"sys.exit(1 if {no!r} in values else 0 if set(values) == {{{yes!r}}} else 2)",
    )


def value_anew(run: Calls, claim: Claim) -> None:
    """The value of a term and the values of its constants are solved alone."""
    run.sheet.do(SAT)
    run.sheet.note("The values of the constants and of the term are solved alone.")
    entries = list(dict.fromkeys(run.asked))
    claims: list[str] = []
    for entry in entries:
        value = run.sheet.define(value_of(run, str(entry.obj)), "got", kept=True)
        claims.append(str(equal(run, entry, value)))
    solved(run, [*fixed(run, entries), *claims], "unsat")


# -- an operator whose value does not follow from those of its arguments


def _steps(run: Calls, claim: Claim) -> list[str]:
    """For each term of the operator that the finding names: that its value is what the operator
    gives for the values of its arguments. Raises Refused if there is no such term.
    """
    found = re.search(r"OP_\w+", claim.message)
    known = {entry.term: entry for entry in run.db.terms.values() if entry.obj is not None}
    wanted = [entry.term for entry in run.asked or formulas(run)]
    terms = [
        t for t in sorted(subterms(wanted), key=lambda t: t.serial) if not t.leaf and not t.free
    ]
    claims: list[str] = []
    for term in terms:
        parts = [known.get(part) for part in term.args]
        if term not in known or found is None or term.op != found[0] or None in parts:
            continue
        given = [value_of(run, str(part.obj)) for part in parts if part is not None]
        got = value_of(run, str(known[term].obj))
        filled = {"terms": term.args, "indices": term.indices, "result": term.sort}
        made = said(run, "operators", (term.op,), given, **filled)
        claims.append(equal_of(run, term, made, got))
    if not claims:
        raise Refused("unsupported", "no term of the operator is known")
    return claims


def step_simplified(run: Calls, claim: Claim) -> None:
    """What the simplifier says of an operator, the values of its arguments, and its own."""
    yes, no = truth(run)
    run.sheet.do(SAT)
    run.sheet.note(
        "The value of a term must be that of its operator for the values of its arguments."
    )
    values = ", ".join(f"str({simplified_of(run, one)})" for one in _steps(run, claim))
    run.sheet.do(
        f"values = [{values}]",
        f"print('expected only {yes}, got', values)",
        f"sys.exit(1 if {no!r} in values else 0 if set(values) == {{{yes!r}}} else 2)",
    )


def step_anew(run: Calls, claim: Claim) -> None:
    """The same, solved alone."""
    run.sheet.do(SAT)
    run.sheet.note(
        "The value of a term must be that of its operator for the values of its arguments."
    )
    claims: list[str] = [run.sheet.define(one, "claim", kept=True) for one in _steps(run, claim)]
    solved(run, claims, "unsat")


def no_value(run: Calls, claim: Claim) -> None:
    """The model has for a constant what is no value."""
    words = unevaluated(claim.message)
    if not words:
        raise Refused("unsupported", "the message does not say what the constant has")
    run.sheet.do(SAT)
    values = ", ".join(
        f"str({value_of(run, str(entry.obj))})"
        for entry in constants(run, [entry.term for entry in formulas(run)])
    )
    run.sheet.do(
        f"values = [{values}]",
        "print('expected literals as the values of the constants, got', values)",
        f"sys.exit(1 if any(word in value for word in {words} for value in values) else 0)",
    )


def repeated(run: Calls, claim: Claim) -> None:
    """The next model, after the values of a model are blocked, must have others."""
    run.sheet.forget_statements()
    entries = dict.fromkeys(run.asked)
    with without_assertions(run):
        if run.wrapper.set("special-options", "produce-models") is not None:
            filled = {"name": "produce-models", "value": "true"}
            run.sheet.do(said(run, "special-options", ("produce-models",), (), **filled))
        for entry in formulas(run):
            run.sheet.do(said(run, "actions", ("assert-formula",), [entry.obj]))
        values = f"[{', '.join(f'str({value_of(run, str(e.obj))})' for e in entries)}]"
        check = f"{ANSWER} = str({said(run, 'actions', ('check-sat',), ())})"
        blocked = said(run, "readers", ("blocked",), [entry.obj for entry in entries])
    run.sheet.do(check, SAT, f"before = {values}", blocked, check)
    run.sheet.do(
        only_after("sat", "another model, or unsat"),
        f"after = {values}",
        "print('expected other values than', before, 'got', after)",
        "sys.exit(1 if before == after else 0)",
    )
