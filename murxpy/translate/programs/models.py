"""The end of a program that shows arrays which the solver takes for different, although its model has
the same values in them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from murxpy.logic.sorts import Sort, components
from murxpy.logic.terms import CONSTANT, SPECIAL, VALUE, Term
from murxpy.logic.walks import subterms
from murxpy.machine.database import Entry
from murxpy.machine.outcomes import Refused
from murxpy.machine.planting import planted_of, satisfied
from murxpy.semantics.values import CannotSay
from murxpy.smtlib.printing.values import ValueTerms
from murxpy.translate.expressions import Code, literal
from murxpy.translate.programs.calls import Calls
from murxpy.translate.programs.sheet import ANSWER
from murxpy.translate.programs.vocabulary import (
    SAT,
    Claim,
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
    unevaluated,
    value_of,
    without_assertions,
)


def unequal_arrays(run: Calls, claim: Claim) -> None:
    """The solver's value of an equation of arrays, and whether they have the same value at each
    element of their index sort in the model. No other solver could be given these elements, for they
    have names of the solver's own.
    """
    _, no = truth(run)
    objects = {e.term: str(e.obj) for e in run.db.terms.values() if e.obj is not None}
    found = subterms([entry.term for entry in formulas(run)])
    equations = [t for t in sorted(found, key=lambda t: t.serial) if _of_elements(t)]
    pairs = [t.args for t in equations if all(arg in objects for arg in t.args)]
    if not pairs:
        raise Refused("unsupported", "no arrays over elements are compared")
    run.sheet.do(SAT)
    run.sheet.note("Arrays are equal where they have the same value at each element of the model.")
    told = []
    for one, other in pairs:
        index = run.sort_object(one.sort.sort(0))
        domain = said(run, "readers", ("domain",), [index])
        parts = [_element(run, term, objects[term]) for term in (one, other)]
        same = f"str(all({parts[0]} == {parts[1]} for element in {domain}))"
        equal = value_of(run, str(equal_of(run, one, objects[one], objects[other])))
        told.append(f"({same}, str({equal}))")
    run.sheet.do(
        f"values = [{', '.join(told)}]",
        "print('expected the same answer twice for each two arrays, got', values)",
        f"sys.exit(1 if ('True', {no!r}) in values else 0)",
    )


def _of_elements(term: Term) -> bool:
    """Whether a term compares two arrays whose index sort is uninterpreted."""
    if term.op not in ("OP_EQUAL", "OP_DISTINCT") or len(term.args) != 2 or term.free:
        return False
    sort = term.args[0].sort
    return sort.kind == "SORT_ARRAY" and sort.sort(0).kind == "SORT_UNINTERPRETED"


def _element(run: Calls, array: Term, code: str) -> Code:
    """The solver's value of an array at `element`."""
    args = [Code(code), Code("element")]
    return value_of(run, str(said(run, "operators", ("OP_ARRAY_SELECT",), args, terms=(array,))))


# ----------------------------------------------------------------------
# The end of a program that shows a wrong model, or a wrong value in it.


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
            f'print("expected {yes} as the value of the assertion, got", value)',
            f"sys.exit({{{yes!r}: 0, {no!r}: 1}}.get(value, 2))",
        )
        return
    listed = ", ".join(str(entry.obj) for entry in entries)
    run.sheet.do(
        f"values = [str({value_of(run, 'formula')}) for formula in [{listed}]]",
        f"print({f'expected {yes} as the value of each assertion, got'!r}, values)",
        f"sys.exit(1 if {no!r} in values else 0 if set(values) == {{{yes!r}}} else 2)",
    )


def simplified(run: Calls, claim: Claim) -> None:
    """The simplifier gets each assertion with the values of the model."""
    yes, no = truth(run)
    entries = formulas(run)
    if not entries:
        raise Refused("unsupported", "nothing is asserted")
    run.sheet.do(SAT)
    run.sheet.note("What the simplifier makes of the assertions with the values of the model.")
    values = ", ".join(f"str({settled(run, str(e.obj), [e.term])})" for e in entries)
    run.sheet.do(
        f"values = [{values}]",
        f"print({f'expected {yes} for each assertion at the values of the model, got'!r}, values)",
        f"sys.exit(1 if {no!r} in values else 0 if set(values) == {{{yes!r}}} else 2)",
    )


def solved_anew(run: Calls, claim: Claim) -> None:
    """The assertions are solved alone, with each constant fixed to its value."""
    entries = formulas(run)
    if not entries:
        raise Refused("unsupported", "nothing is asserted")
    run.sheet.do(SAT)
    run.sheet.note("The same assertions are solved alone, with the value of each constant.")
    solved(
        run,
        [*(str(e.obj) for e in entries), *fixed(run, entries)],
        "unsat",
        "the assertions with the values of the model",
    )


# -- a value that is wrong


def value_simplified(run: Calls, claim: Claim) -> None:
    """The simplifier gets a term, and its result is compared with the value of the term in the model."""
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
        f"print({f'expected {yes} for each value of the model, got'!r}, values)",
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
    solved(run, [*fixed(run, entries), *claims], "unsat", "the values of the model")


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
        filled: dict[str, Any] = {"terms": term.args, "indices": term.indices, "result": term.sort}
        made = said(run, "operators", (term.op,), given, **filled)
        claims.append(equal_of(run, term, made, got))
    if not claims:
        raise Refused("unsupported", "no term of the operator is known")
    return claims


def step_simplified(run: Calls, claim: Claim) -> None:
    """The simplifier gets an operator with the values of its arguments, and its result is compared
    with the operator's own value.
    """
    yes, no = truth(run)
    run.sheet.do(SAT)
    run.sheet.note(
        "The value of a term must be that of its operator for the values of its arguments."
    )
    values = ", ".join(f"str({simplified_of(run, one)})" for one in _steps(run, claim))
    run.sheet.do(
        f"values = [{values}]",
        f"print('expected {yes} for each operator at the values of its arguments, got', values)",
        f"sys.exit(1 if {no!r} in values else 0 if set(values) == {{{yes!r}}} else 2)",
    )


def step_anew(run: Calls, claim: Claim) -> None:
    """The same equation is solved alone."""
    run.sheet.do(SAT)
    run.sheet.note(
        "The value of a term must be that of its operator for the values of its arguments."
    )
    claims: list[str] = [run.sheet.define(one, "claim", kept=True) for one in _steps(run, claim)]
    solved(run, claims, "unsat", "the values of the model")


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


def stray_element(run: Calls, claim: Claim) -> None:
    """The model gives its uninterpreted sorts some elements, and a constant a value with another one."""
    stray = re.search(r"the element '([^']+)'", claim.message)
    entries = constants(run, [entry.term for entry in formulas(run)])
    parts = [part for entry in entries for part in components(entry.term.sort)]
    sorts = dict.fromkeys(part for part in parts if part.kind == "SORT_UNINTERPRETED")
    if stray is None or not sorts:
        raise Refused("unsupported", "the message names no element")
    run.sheet.do(SAT)
    given = [said(run, "readers", ("domain",), [run.sort_object(sort)]) for sort in sorts]
    elements = ", ".join(f"*({one} or ())" for one in given)
    values = ", ".join(f"str({value_of(run, str(entry.obj))})" for entry in entries)
    run.sheet.do(
        f"elements = [str(element) for element in [{elements}]]",
        f"values = ', '.join([{values}])",
        "print('expected each element of the values in the list that the model gives for its sort, got the values',"
        " values, 'and in the lists', ', '.join(elements))",
        # SMT-LIB writes an element `e` of a sort `S` also as `(as e S)`
        "listed = [element.removeprefix('(as ').partition(' ')[0] for element in elements]",
        f"sys.exit(1 if {stray[1]!r} in values and {stray[1]!r} not in listed else 0)",
    )


def repeated(run: Calls, claim: Claim) -> None:
    """The next model, after the values of a model are blocked, must have others."""
    run.sheet.forget_statements()
    entries = dict.fromkeys(run.asked)
    with without_assertions(run):
        if run.wrapper.set("special-options", "produce-models") is not None:
            filled: dict[str, Any] = {"name": "produce-models", "value": "true"}
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


# ----------------------------------------------------------------------
# The end of a program that shows that the answer unsat is wrong: the assertions have a model,
# which another solver gave or murxpy planted.


_ONLY_UNSAT = (
    f'if {ANSWER} != "unsat":\n    print("expected sat, got", {ANSWER})\n'
    f'    sys.exit(0 if {ANSWER} == "sat" else 2)'
)
_NOTE = "With these values of the constants, all assertions are true."


def satisfied_by_values(run: Calls, claim: Claim) -> None:
    """The simplifier finds each assertion true for the values of the constants."""
    entries, values = _model(run)
    yes, _ = truth(run)
    run.sheet.do(_ONLY_UNSAT)
    known = _named(run, values)
    made = []
    for entry in entries:
        code = str(entry.obj)
        for constant in constants(run, [entry.term]):
            code = said(
                run, "actions", ("substitute",), [Code(code), constant.obj, known[constant]]
            )
        made.append(f"str({simplified_of(run, code)})")
    run.sheet.do(
        f"values = [{', '.join(made)}]",
        "print('expected sat, because the assertions are', values, 'for values of the constants, got unsat')",
        f"sys.exit(1 if set(values) == {{{yes!r}}} else 2)",
    )


def satisfied_alone(run: Calls, claim: Claim) -> None:
    """Solved alone with the values of the constants, the assertions are satisfiable."""
    entries, values = _model(run)
    run.sheet.do(_ONLY_UNSAT)
    known = _named(run, values)
    claims = [*(str(e.obj) for e in entries), *(equal(run, e, v) for e, v in known.items())]
    with without_assertions(run):
        run.sheet.do(
            *(said(run, "actions", ("assert-formula",), [Code(one)]) for one in claims),
            f"second = str({said(run, 'actions', ('check-sat',), ())})",
            "print('expected sat, because with values of the constants the answer is', second + ', got unsat')",
            "sys.exit(1 if second == 'sat' else 2)",
        )


def _model(run: Calls) -> tuple[list[Entry], dict[Entry, Code]]:
    """The assertions of the last check, and the value of each of their constants. Raises Refused
    where the trace has no model of them, or where values cannot be written.
    """
    entries = formulas(run)
    if run.recorded != "unsat" or not satisfied(run, [entry.term for entry in entries]):
        raise Refused("unsupported", "no model refutes the answer")
    known = planted_of(run).interpretation.constants
    found: dict[Entry, Code] = {}
    for entry in constants(run, [entry.term for entry in entries]):
        try:
            term = ValueTerms(run.terms, run.sorts).term(known[entry.term], entry.term.sort)
        except (CannotSay, KeyError):
            raise Refused("unsupported", "a value cannot be written") from None
        found[entry] = _written(run, term)
    return entries, found


def _named(run: Calls, values: dict[Entry, Code]) -> dict[Entry, Code]:
    """Write a statement for the value of each constant."""
    if values:
        run.sheet.note(_NOTE)
    return {
        entry: run.sheet.define(str(code), f"{entry.term.indices[0]}_value", kept=True)
        for entry, code in values.items()
    }


def _written(run: Calls, term: Term) -> Code:
    """The source of a term that is a value."""
    if term.op == CONSTANT:
        raise Refused("unsupported", "an element of an uninterpreted sort cannot be written")
    if term.op == VALUE:
        return _leaf(run, "values", term.sort.kind, term.sort, term.indices[0])
    if term.op == SPECIAL:
        name = str(term.indices[0])
        return _leaf(run, "special-values", name, term.sort, name)
    args: Sequence[Any] = [_written(run, part) for part in term.args]
    filled: dict[str, Any] = {"terms": term.args, "indices": term.indices, "result": term.sort}
    return said(run, "operators", (term.op,), args, **filled)


def _leaf(run: Calls, section: str, key: str, sort: Sort, value: Any) -> Code:
    return said(run, section, (key,), (), result=sort, value=value)
