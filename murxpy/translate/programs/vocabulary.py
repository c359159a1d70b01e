"""The claim of a program, and the sentence that says what is wrong."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

from murxpy.logic.terms import CONSTANT, Term
from murxpy.logic.walks import subterms
from murxpy.machine.database import Entry
from murxpy.machine.outcomes import Refused
from murxpy.translate.dry import DryRun
from murxpy.translate.expressions import Code
from murxpy.translate.programs.calls import Calls, plainest
from murxpy.translate.programs.sheet import ANSWER


@dataclass(frozen=True, slots=True)
class Claim:
    """The claim of a program: the kind and the message of the finding, one sentence that says what is
    wrong, and how the program ends. `ends` is `death`, `exit` or `no end` where the calls of the
    program end so; else one of `endings` shows the finding. `question` is what a script of it asks.
    """

    kind: str
    message: str
    sentence: str
    ends: str
    question: str
    endings: Sequence[Ending]

    @property
    def in_child(self) -> bool:
        """Whether the program makes its calls in a child process."""
        return self.ends not in ("error", "")


Ending = Callable[[Calls, Claim], None]  # writes the end of a program

# what a printed value has behind a parenthesis
_OF_VALUES = {
    *("let", "as", "_", "-", "/", "to_real", "store", "const", "fp", "tuple", "lambda"),
    *("seq.unit", "seq.++", "set.singleton", "set.insert", "set.union"),
    *("bag", "bag.union_disjoint"),
}
_ALONE = re.compile(r"^([a-z<>=*+][\w.<>=*+]*)'$")
_APPLIED = re.compile(r"(?<!\()\(([a-z<>=*+][\w.<>=*+]*) ")


def unevaluated(message: str) -> list[str]:
    """Return the beginnings of applications in a printed value that is none, such as `(seq.nth `, and
    `(as set.unique ` and `set.unique(` of z3, from the message of the finding, which may name the
    operator alone. No real value contains one of them.
    """
    shown = message.partition("'")[2]
    names = dict.fromkeys([*_APPLIED.findall(shown), *_ALONE.findall(shown)])
    if shown.startswith("a quantifier"):
        names = dict.fromkeys(["exists", "forall", "Exists", "ForAll"])
    known = [name for name in names if name not in _OF_VALUES]
    return [form.format(name) for name in known for form in ("({} ", "(as {} ", "{}(")]


def shortened(message: str) -> str:
    """A message as one line of printable ASCII, cut off where it is long."""
    text = " ".join(message.split()).encode("ascii", "backslashreplace").decode()
    return text if len(text) <= 160 else f"{text[:157]}..."


# ----------------------------------------------------------------------
# Parts of programs in the binding's words: values, equations, fresh solvers.


def only_after(wanted: str, what: str) -> str:
    """A statement that ends the program where the last answer is not `wanted`, the one behind which
    the solver gives `what`.
    """
    other = {"sat": "unsat", "unsat": "sat"}[wanted]
    return (
        f"if {ANSWER} != {wanted!r}:\n    print('expected {wanted} and {what}, got', {ANSWER})\n"
        f"    sys.exit(0 if {ANSWER} == {other!r} else 2)"
    )


SAT = only_after("sat", "its model")
UNSAT = only_after("unsat", "its core")


def said(
    run: Calls,
    section: str,
    keys: Sequence[str],
    args: Sequence[Any],
    wanted: str | None = None,
    **filled: Any,
) -> Code:
    """The plainest call of the first of `keys` that the wrapper spells, in the spelling `wanted` where that
    has a plain form. Raises Refused if the wrapper has no such spelling.
    """
    run.frame.fill(**filled)
    indices = filled.get("indices", ())
    for key in keys:
        spellings = run.wrapper.set(section, key)
        chosen = (
            None
            if spellings is None
            else plainest(spellings, run.frame, wanted, run.wrapper.guarded)
        )
        if chosen is not None:
            return Code(chosen.call(args, indices, run.frame))
    raise Refused("unsupported", f"no spelling of {keys[0]}")


def told_if(run: Calls, reader: str, arg: object, words: str) -> None:
    """The program says so, and ends with 0, where a reader of the plain words finds that the defect cannot be
    there. A wrapper without this reader asks nothing.
    """
    with suppress(Refused):
        asked = said(run, "readers", (reader,), [arg])
        run.sheet.do(f"if {asked}:\n    print({words!r})\n    sys.exit(0)")


def value_of(run: Calls, code: str) -> Code:
    """The solver's value of a term in its model."""
    return said(run, "actions", ("get-value-completion", "get-value"), [Code(code)])


def formulas(run: DryRun) -> list[Entry]:
    """The assertions and assumptions of the last check."""
    return list(dict.fromkeys([*run.state.asserted(), *run.state.assumptions]))


def sources(entries: Sequence[Entry]) -> list[str]:
    """The code of some terms."""
    return [str(entry.obj) for entry in entries]


def constants(run: DryRun, terms: Sequence[Term]) -> list[Entry]:
    """The constants in some terms whose values are terms: no functions, and no constants of a sort
    whose values the profile of the solver excludes.
    """
    sorts = run.wrapper.profile.get("sorts", {}).get("get-value", {})
    without = ("SORT_FUN", *sorts.get("exclude", ()))
    known = {entry.term: entry for entry in run.db.terms.values() if entry.obj is not None}
    found = [t for t in sorted(subterms(terms), key=lambda t: t.serial) if t.op == CONSTANT]
    return [known[t] for t in found if t in known and t.sort.kind not in without]


def truth(run: Calls) -> tuple[str, str]:
    """The texts of true and false."""
    words = run.wrapper.plain.get("names") or {}
    return str(words.get("true", "true")), str(words.get("false", "false"))


def settled(run: Calls, code: str, terms: Sequence[Term]) -> Code:
    """A term with the values of the model in place of its constants."""
    for entry in constants(run, terms):
        value = value_of(run, str(entry.obj))
        code = said(run, "actions", ("substitute",), [Code(code), entry.obj, value])
    return simplified_of(run, code)


def solved(run: Calls, claims: Sequence[str], defect: str, what: str) -> None:
    """Solve some assertions alone, which `what` names; `defect` is the answer that shows the defect."""
    with without_assertions(run):
        run.sheet.do(
            *(said(run, "actions", ("assert-formula",), [Code(claim)]) for claim in claims),
            *compared(run, defect, what),
        )


def compared(run: Calls, defect: str, what: str) -> list[str]:
    """The statements that ask for a second answer, to what `what` names; `defect` shows the defect."""
    right = {"sat": "unsat", "unsat": "sat"}[defect]
    return [
        f"second = str({said(run, 'actions', ('check-sat',), ())})",
        f"print('expected {right} for {what}, got', second)",
        f"sys.exit({{{right!r}: 0, {defect!r}: 1}}.get(second, 2))",
    ]


@contextmanager
def without_assertions(run: Calls, name: str = "again") -> Iterator[None]:
    """Let the calls that follow go to a fresh solver, which the program calls `name`, with the options
    that the theories need. A release that has one solver for each manager of terms forgets its
    assertions instead.
    """
    before, wrapper = run.frame.solver, run.wrapper
    run.wrapper = wrapper.whole
    made = said(run, "lifecycle", ("new",), ())
    if str(made) == str(run.frame.ctx):
        run.sheet.do(said(run, "actions", ("reset-assertions",), ()))
    else:
        run.sheet.fixed(name, made)
        run.frame.solver = Code(name)
        required = [option for option, _ in run.wrapper.facts.required()]
        for option in [option for option in run.state.options if option in required]:
            filled = {"name": option, "value": run.state.options[option]}
            run.sheet.do(said(run, "actions", ("set-option",), (), **filled))
    yield
    run.frame.solver, run.wrapper = before, wrapper


def equal(run: Calls, entry: Entry, value: str) -> Code:
    """Return the code of an equation between a term of the trace and a value, given as code."""
    return equal_of(run, entry.term, str(entry.obj), value)


def fixed(run: Calls, entries: Sequence[Entry]) -> list[str]:
    """An equation of each constant in some terms and its value in the model. Where a release has one
    solver for each manager of terms, the values are read before anything else is asked of it.
    """
    found: list[str] = []
    one = str(said(run, "lifecycle", ("new",), ())) == str(run.frame.ctx)
    for entry in constants(run, [e.term for e in entries]):
        name = f"{entry.term.indices[0]}_value"
        value = run.sheet.define(value_of(run, str(entry.obj)), name, kept=one)
        found.append(equal(run, entry, value))
    return found


def equal_of(run: Calls, term: Term, one: str, other: str) -> Code:
    """An equation of two objects of the sort of `term`."""
    return said(run, "operators", ("OP_EQUAL",), [Code(one), Code(other)], terms=(term, term))


def simplified_of(run: Calls, code: str) -> Code:
    """Return the code that simplifies a term."""
    return said(run, "actions", ("simplify",), [Code(code)])
