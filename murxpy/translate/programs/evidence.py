"""The end of a program: what it compares, what it prints, and its exit code."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from murxpy.logic.terms import CONSTANT, Term
from murxpy.machine.database import Entry
from murxpy.machine.outcomes import Refused
from murxpy.machine.witnesses.model import below
from murxpy.translate.expressions import Code, literal
from murxpy.translate.programs.calls import ANSWER, Calls
from murxpy.translate.programs.claim import Claim
from murxpy.translate.programs.plainest import plainest

Ending = Callable[[Calls, Claim], None]
_SAT = f'if {ANSWER} != "sat":\n    sys.exit(0 if {ANSWER} == "unsat" else 2)'
_UNSAT = f'if {ANSWER} != "unsat":\n    sys.exit(0 if {ANSWER} == "sat" else 2)'


def said(run: Calls, section: str, keys: Sequence[str], args: Sequence[Any], **filled: Any) -> Code:
    """The plainest call of the first of `keys` that the wrapper spells. Raises Refused if it spells
    none.
    """
    run.frame.fill(**filled)
    for key in keys:
        spellings = run.wrapper.set(section, key)
        chosen = None if spellings is None else plainest(spellings, run.frame, None)
        if chosen is not None:
            return Code(chosen.call(args, (), run.frame))
    raise Refused("unsupported", f"no spelling of {keys[0]}")


def value_of(run: Calls, code: str) -> Code:
    """The solver's value of a term in its model."""
    return said(run, "actions", ("get-value-completion", "get-value"), [Code(code)])


def formulas(run: Calls) -> list[Entry]:
    """The assertions and assumptions of the last check."""
    return list(dict.fromkeys([*run.state.asserted(), *run.state.assumptions]))


def constants(run: Calls, terms: Sequence[Term]) -> list[Entry]:
    """The constants in some terms, without functions."""
    known = {entry.term: entry for entry in run.db.terms.values() if entry.obj is not None}
    found = [t for t in sorted(below(terms), key=lambda t: t.serial) if t.op == CONSTANT]
    return [known[t] for t in found if t in known and t.sort.kind != "SORT_FUN"]


def truth(run: Calls) -> tuple[str, str]:
    """The texts of true and false."""
    words = run.wrapper.plain.get("names") or {}
    return str(words.get("true", "true")), str(words.get("false", "false"))


# -- a model that is wrong


def own_value(run: Calls, claim: Claim) -> None:
    """The solver's own value of each assertion in its model."""
    yes, no = truth(run)
    entries = formulas(run)
    run.sheet.do(_SAT)
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
        f"print('expected', {[yes] * len(entries)}, 'got', values)",
        f"sys.exit(1 if {no!r} in values else 0 if set(values) == {{{yes!r}}} else 2)",
    )


def _settled(run: Calls, code: str, terms: Sequence[Term]) -> Code:
    """A term with the values of the model in place of its constants."""
    for entry in constants(run, terms):
        value = value_of(run, str(entry.obj))
        code = said(run, "actions", ("substitute",), [Code(code), entry.obj, value])
    return said(run, "actions", ("simplify",), [Code(code)])


def simplified(run: Calls, claim: Claim) -> None:
    """What the simplifier makes of each assertion with the values of the model."""
    yes, no = truth(run)
    entries = formulas(run)
    run.sheet.do(_SAT)
    run.sheet.note("What the simplifier makes of the assertions with the values of the model.")
    values = ", ".join(f"str({_settled(run, str(e.obj), [e.term])})" for e in entries)
    run.sheet.do(
        f"values = [{values}]",
        f"print('expected', {[yes] * len(entries)}, 'got', values)",
        f"sys.exit(1 if {no!r} in values else 0 if set(values) == {{{yes!r}}} else 2)",
    )


def _anew(run: Calls, claims: Sequence[str], defect: str) -> None:
    """A fresh solver with some assertions; `defect` is the answer that shows the defect."""
    made = said(run, "lifecycle", ("new",), ())
    if str(made) == str(run.frame.ctx):
        raise Refused("unsupported", "this release has one solver for each manager")
    run.sheet.fixed("again", made)
    solver, run.frame.solver = run.frame.solver, Code("again")
    run.sheet.do(
        *(said(run, "actions", ("assert-formula",), [Code(claim)]) for claim in claims),
        f"second = str({said(run, 'actions', ('check-sat',), ())})",
    )
    run.frame.solver = solver
    right = {"sat": "unsat", "unsat": "sat"}[defect]
    run.sheet.do(
        f"print('expected {right}, got', second)",
        f"sys.exit({{{right!r}: 0, {defect!r}: 1}}.get(second, 2))",
    )


def _equal(run: Calls, entry: Entry, value: str) -> Code:
    terms = (entry.term, entry.term)
    return said(run, "operators", ("OP_EQUAL",), [entry.obj, Code(value)], terms=terms)


def _fixed(run: Calls, entries: Sequence[Entry]) -> list[str]:
    """An equation of each constant in some terms and its value in the model. The values are read
    before anything is asked of another solver.
    """
    found: list[str] = []
    for entry in constants(run, [e.term for e in entries]):
        value = run.sheet.define(value_of(run, str(entry.obj)), f"{entry.obj}_value", kept=True)
        found.append(_equal(run, entry, value))
    return found


def solved_anew(run: Calls, claim: Claim) -> None:
    """What a fresh solver says of the assertions with each constant fixed to its value."""
    entries = formulas(run)
    run.sheet.do(_SAT)
    run.sheet.note("A fresh solver gets the same assertions, and the value of each constant.")
    _anew(run, [*(str(e.obj) for e in entries), *_fixed(run, entries)], "unsat")


# -- a value that is wrong


def value_simplified(run: Calls, claim: Claim) -> None:
    """What the simplifier says of a term and its value in the model."""
    yes, no = truth(run)
    run.sheet.do(_SAT)
    run.sheet.note("What the simplifier makes of 'term == value' with the values of the model.")
    parts = []
    for at, entry in enumerate(run.asked):
        value = run.sheet.define(value_of(run, str(entry.obj)), f"got_{at}", kept=True)
        run.sheet.do(f"print({literal(f'the value of term {at} is')}, {value})")
        parts.append(f"str({_settled(run, _equal(run, entry, value), [entry.term])})")
    run.sheet.do(
        f"values = [{', '.join(parts)}]",
        f"print('expected', {[yes] * len(parts)}, 'got', values)",
        f"sys.exit(1 if {no!r} in values else 0 if set(values) == {{{yes!r}}} else 2)",
    )


def value_anew(run: Calls, claim: Claim) -> None:
    """What a fresh solver says of a term, its value, and the values of its constants."""
    run.sheet.do(_SAT)
    run.sheet.note("A fresh solver gets the values of the constants and of the term.")
    entries = run.asked
    claims = []
    for entry in entries:
        value = run.sheet.define(value_of(run, str(entry.obj)), "got", kept=True)
        claims.append(str(_equal(run, entry, value)))
    _anew(run, [*_fixed(run, entries), *claims], "unsat")


# -- a core that is none


def core_anew(run: Calls, claim: Claim) -> None:
    """What a fresh solver says of the core."""
    action = "get-unsat-core" if run.line.action == "check-core" else "get-unsat-assumptions"
    run.sheet.do(_UNSAT)
    names = run.state.named()
    core = said(run, "actions", (action,), ())
    run.sheet.do(f"core = {core if str(core).startswith('list(') else f'list({core})'}")
    run.sheet.do("print('the core is', core)")
    background: list[str] = []
    if run.line.action == "check-assumptions":
        background = [str(entry.obj) for entry in run.state.asserted()]
    elif names:
        listed = ", ".join(f"{name!r}: {entry.obj}" for name, entry in names)
        run.sheet.do(f"core = [{{{listed}}}.get(str(part), part) for part in core]")
    run.sheet.note("A fresh solver gets the core.")
    _core(run, background)


def _core(run: Calls, background: Sequence[str]) -> None:
    made = said(run, "lifecycle", ("new",), ())
    run.sheet.fixed("again", made)
    solver, run.frame.solver = run.frame.solver, Code("again")
    part = said(run, "actions", ("assert-formula",), [Code("part")])
    run.sheet.do(
        *(said(run, "actions", ("assert-formula",), [Code(claim)]) for claim in background),
        f"for part in core:\n    {part}",
        f"second = str({said(run, 'actions', ('check-sat',), ())})",
        "print('expected unsat, got', second)",
        "sys.exit({'unsat': 0, 'sat': 1}.get(second, 2))",
    )
    run.frame.solver = solver


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


# -- an exception

_UNSTABLE = re.compile(r"0x[0-9a-fA-F]+|\n")


def raised(run: Calls, claim: Claim) -> None:
    """The last call raises what it must not."""
    if not run.failing:
        raise Refused("unsupported", "no call is refused")
    kind, _, message = claim.message.partition(": ")
    part = max(_UNSTABLE.split(message), key=len).strip()[:80]
    run.sheet.do(
        f"try:\n    {run.failing}\n    got = 'no exception'\n"
        "except Exception as error:\n    got = f'{type(error).__name__}: {error}'",
        "print('expected no exception, got', got)",
        "if got == 'no exception':\n    sys.exit(0)",
        f"sys.exit(1 if got.startswith({kind!r}) and {part!r} in got else 2)",
    )


# -- a contract that is broken

_THROWN = re.compile(r"(?:class \w: )?(\w+)(?:: (.*))? in [\w.<>]+ \(\w+\.\w+\)", re.DOTALL)


def contract(run: Calls, claim: Claim) -> None:
    """What the binding makes of a misuse."""
    if not run.failing:
        raise Refused("unsupported", "no call breaks the contract")
    thrown = _THROWN.fullmatch(claim.message)
    if run.promised:
        run.sheet.do(
            f"got = {run.failing}",
            "print('expected None, got', got)",
            "sys.exit(1 if isinstance(got, str) else 0)",
        )
    elif thrown:
        _undocumented(run, thrown[1], thrown[2] or "")
    elif run.other:
        _alike(run)
    else:
        _accepted(run)


def _undocumented(run: Calls, kind: str, message: str) -> None:
    part = max(_UNSTABLE.split(message), key=len).strip()[:80]
    run.sheet.do(
        f"try:\n    {run.failing}\n    got = 'a result'\n"
        "except Exception as error:\n    got = f'{type(error).__name__}: {error}'",
        "print('expected a result or a documented exception, got', got)",
        f"if got.startswith({kind + ': '!r}) and {part!r} in got:\n    sys.exit(1)",
        "sys.exit(2 if got.startswith(('AttributeError', 'NameError')) else 0)",
    )


def _alike(run: Calls) -> None:
    run.sheet.do(
        f"right = {run.other}",
        f"try:\n    got = {run.failing}\n"
        "except Exception as error:\n    got = f'{type(error).__name__}: {error}'",
        "print(f'expected an exception or another result than {right}, got {got}')",
        "sys.exit(1 if type(got) is type(right) and str(got) == str(right) else 0)",
    )


def _accepted(run: Calls) -> None:
    run.sheet.do(
        f"try:\n    got = {run.failing}\n"
        "except Exception as error:\n    got = f'{type(error).__name__}: {error}'\n"
        "    print('expected an exception, got', got)\n"
        "    sys.exit(2 if got.startswith(('AttributeError', 'NameError')) else 0)",
        "print('expected an exception, got', got)",
        "sys.exit(1)",
    )


ENDINGS: dict[str, tuple[Ending, ...]] = {
    "invalid-model": (own_value, simplified, solved_anew),
    "model-value": (own_value, simplified, solved_anew),
    "invalid-value": (value_simplified, value_anew),
    "invalid-core": (core_anew,),
    "invalid-assumptions": (core_anew,),
    "disagreement": (other_answer,),
    "wrong-answer": (other_answer,),
    "wrong-unsat": (other_answer,),
    "exception": (raised,),
    "contract": (contract,),
}
