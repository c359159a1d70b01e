"""The operator that makes an assertion false: the first term whose value in the solver's model
differs from ours, although its arguments have the same values.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

from murxpy.logic.sorts import Sort, components
from murxpy.logic.terms import CONSTANT, FUNCTION, SPECIAL, Term
from murxpy.logic.walks import subterms
from murxpy.machine.database import Entry
from murxpy.machine.outcomes import MODEL_ELEMENT, MODEL_VALUE, Refused, Stopped
from murxpy.machine.run import Run
from murxpy.machine.witnesses.model_rows import Stray, Unreadable, Values
from murxpy.machine.witnesses.solving import applied, call_first, fresh_solver
from murxpy.semantics.evaluator import Evaluator
from murxpy.semantics.registry import MEANINGS, partial_key
from murxpy.semantics.values import CannotSay, Element, FunctionValue, Interpretation, Value


def blamed(run: Run, evaluator: Evaluator, terms: list[Term]) -> Term | None:
    """The first of `terms`, arguments first, for which the solver's value and ours differ; None if
    there is no such term.
    """
    objects = {e.term: e.obj for e in run.db.terms.values() if e.obj is not None}
    for term in sorted(terms, key=lambda t: t.serial):
        if term.leaf or term.free or term.sort.kind == "SORT_FUN" or term not in objects:
            continue
        try:
            if differ(
                evaluator,
                term.sort,
                evaluator.value(term),
                solver_value(run, evaluator, objects[term], term.sort),
            ):
                return term
        except (CannotSay, Unreadable, Refused, Stopped):
            continue
    return None


def differ(evaluator: Evaluator, sort: Sort, ours: Value, theirs: Value) -> bool:
    """Whether two values of one sort differ. Raises CannotSay if this is unknown, as for functions
    that are no tables.
    """
    return not evaluator.equal(sort, ours, theirs)


def solver_value(run: Run, evaluator: Evaluator, obj: Any, sort: Sort) -> Value:
    """The value of a term in the solver's model, as the solver gives it. Raises CannotSay,
    Unreadable, Refused, Stopped.
    """
    asked, reader = run.wrapper.set("actions", "get-value"), run.wrapper.set("readers", "values")
    if asked is None or reader is None:
        raise CannotSay("the wrapper has no reader of values")
    sorts = run.wrapper.profile.get("sorts", {}).get("get-value", {})
    if sort.kind in sorts.get("exclude", ()):
        raise CannotSay(f"the solver gives no values of {sort.kind}")
    run.frame.fill()
    value = run.call(asked.spellings[0], (obj,), (), "get-value")
    data = run.call(reader.spellings[0], (value,), (), "get-value")
    return Values(data["rows"], run.sorts, evaluator).value(data["roots"][0], sort)


# ----------------------------------------------------------------------
# The model of a solver, as our evaluator reads it, and the truth of formulas in it.


# the exceptions of Python's own that a value of a wrong form can cause in the evaluator
TOO_LARGE = (OverflowError, MemoryError, RecursionError)
LITERAL = frozenset(
    ["SORT_BOOL", "SORT_BV", "SORT_INT", "SORT_FP", "SORT_RM", "SORT_STRING", "SORT_FF"]
)
# the sorts of which each value can be written out, so that a model has no excuse
WRITTEN = LITERAL | {"SORT_FINITE_SET"}


def verdicts(model: Model, formulas: Sequence[Term], stop: bool = True) -> dict[Term, str]:
    """For each formula: `true`, `false`, or the reason why its value is not known. With `stop`,
    nothing follows the first `false`.

    Some formulas have no value only because the standard leaves a point open, such as division by
    zero. They count as true if one choice of values for these points makes all of them true at
    once.
    """
    found = {}
    for term in formulas:
        found[term] = model.settle(term)
        if stop and found[term] == "false":
            return found
    unsaid = [term for term in formulas if found[term] != "true" and model.left_open(term)]
    return found | dict.fromkeys(model.satisfied(unsaid), "true")


class Model:
    """The solver's model, as an interpretation of all that occurs in `formulas`. Raises Stopped if
    a value has the wrong sort or is no value, and Refused if the binding gives no model.
    """

    def __init__(self, run: Run, formulas: Sequence[Term], reader: Any) -> None:
        self.run = run
        self._spelling = reader
        self.interpretation = Interpretation()
        self.evaluator = Evaluator(run.catalogue, self.interpretation)
        self.unread: dict[Term, str] = {}
        self._asked = False
        self.terms = list(subterms(formulas))
        self.constants = [term for term in self.terms if term.op == CONSTANT]
        self.objects = {e.term: e.obj for e in run.db.terms.values() if e.obj is not None}
        self._find_deleted()
        known = [term for term in self.constants if term in self.objects]
        self._domains()
        data = run.call(reader, [self.objects[term] for term in known], (), "check-model")
        values = Values(data["rows"], run.sorts, self.evaluator)
        for term, at in zip(known, data["roots"], strict=True):
            self._read(values, term, at)
        self._partial(values, data["partial"])
        self._universes()

    def judge(self, term: Term) -> str:
        """`true`, `false`, or the reason why the value of the term is not known."""
        if unjudged(self.run, term):
            return "an operator whose meaning is the solver's own"
        try:
            return "true" if self.evaluator.value(term) else "false"
        except TOO_LARGE as error:
            return f"too large: {error}"
        except (CannotSay, Unreadable) as reason:
            missing = next((self.unread[t] for t in subterms([term]) if t in self.unread), None)
            return missing or str(reason)

    def settle(self, term: Term) -> str:
        """As `judge`, but ask the solver for its values at open points if they are needed."""
        verdict = self.judge(term)
        return self.judge(term) if verdict not in ("true", "false") and self.ask() else verdict

    def left_open(self, term: Term) -> bool:
        """Whether the solver was asked about everything that occurs in a term, so that its model
        really leaves the rest open.
        """
        return not unjudged(self.run, term) and all(
            t in self.interpretation.constants for t in subterms([term]) if t.op == CONSTANT
        )

    def satisfied(self, formulas: Sequence[Term]) -> list[Term]:
        """As many of `formulas` as were found to be true together, for some values at the points
        that the model leaves open.
        """
        if self._search(formulas):
            return list(formulas)
        found: list[Term] = []
        for term in formulas if len(formulas) > 1 else ():
            if self._search([*found, term]):
                found.append(term)
        return found

    def _search(self, formulas: Sequence[Term]) -> bool:
        try:
            return bool(formulas) and self.evaluator.satisfied(formulas)
        except TOO_LARGE:
            return False

    def _domains(self) -> None:
        """The elements of uninterpreted sorts. Quantifiers and equalities of arrays can depend on
        their number.
        """
        reader = self.run.wrapper.set("readers", "domain")
        sorts = dict.fromkeys(
            s
            for term in self.terms
            for s in components(term.sort)
            if s.kind == "SORT_UNINTERPRETED"
        )
        if reader is None:
            return
        for sort in sorts:
            names = self.run.call(
                reader.spellings[0], (self.run.sort_object(sort),), (), "check-model"
            )
            if names:
                self.interpretation.domains[sort] = tuple(map(Element, names))

    def _find_deleted(self) -> None:
        """Find the objects of constants that the trace dropped in terms that are still there, or in
        the solver's assertions, unless another object has the same name.
        """
        names = Counter(
            [str(term.indices[0]) for term in self.constants]
            + [name for name, _ in self.run.state.named()]
        )
        missing = {
            str(t.indices[0]): t
            for t in self.constants
            if t not in self.objects and names[str(t.indices[0])] == 1
        }
        reader = self.run.wrapper.set("readers", "constants")
        if missing and reader is not None:
            whole = [t for t in self.terms if t.args and not t.free and t.sort.kind != "SORT_FUN"]
            self.run.frame.fill(value=[self.objects[t] for t in whole if t in self.objects])
            found = self.run.call(reader.spellings[0], list(missing), (), "check-model")
            self.objects |= {
                term: obj
                for term, obj in zip(missing.values(), found, strict=True)
                if obj is not None
            }

    def _universes(self) -> None:
        """The value of `set.universe` in the solver's model, for each sort of sets in which it or a
        complement occurs.
        """
        reader, values = (
            self.run.wrapper.set("readers", "universe"),
            self.run.wrapper.set("readers", "values"),
        )
        if reader is None or values is None:
            return
        for sort in with_universe(self.terms):
            made = self.run.call(
                reader.spellings[0], (self.run.sort_object(sort),), (), "check-model"
            )
            data = self.run.call(values.spellings[0], (made,), (), "check-model")
            self.interpretation.universes[sort] = None
            with suppress(CannotSay):
                self.interpretation.universes[sort] = Values(
                    data["rows"], self.run.sorts, self.evaluator
                ).value(data["roots"][0], sort)

    def _read(self, values: Values, term: Term, at: int) -> None:
        if term.sort.kind in WRITTEN and values.rows[at][0] == "unknown":
            text = str(values.rows[at][1])
            raise self._bad_value(
                f"the value of a constant is no value, but {text.partition(' ')[0]}: '{text}'"
            )
        try:
            self.interpretation.constants[term] = _value(values, at, term.sort)
        except CannotSay as reason:
            self.unread[term] = str(reason)
        except Unreadable as error:
            if (
                isinstance(error, Stray) and term.sort.kind == "SORT_FUN"
            ):  # solvers print no function
                self.unread[term] = str(error)
                return
            if isinstance(error, Stray):
                raise self._bad_value(
                    f"the value of a constant has {error}", MODEL_ELEMENT
                ) from None
            message = f"the value of a constant of {term.sort.short}: {error}"
            raise self._bad_value(message) from None

    def _bad_value(self, message: str, kind: str = MODEL_VALUE) -> Stopped:
        return Stopped(
            self.run.finding(kind, "solver", message, "check-model", "", self._spelling.name)
        )

    def _partial(self, values: Values, tables: dict[str, int]) -> None:
        """Return the model's values at open points, for each instance of an operator that occurs."""
        for term in self.terms if tables else ():
            at = tables.get(
                partial_key(term.op, term.indices, tuple(a.sort for a in term.args[:2]))
            )
            if at is not None:
                self._points(term).read = partial(
                    values.apply, at, sort=term.sort, domain=[a.sort for a in term.args[:2]]
                )

    def _points(self, term: Term) -> OpenPoints:
        """Return the model's values at the open points of a term's operator at its sorts."""
        key = partial_key(term.op, term.indices, tuple(a.sort for a in term.args))
        known = self.interpretation.partial.get(key)
        if not isinstance(known, OpenPoints):
            known = self.interpretation.partial[key] = OpenPoints()
        return known

    def ask(self) -> bool:
        """Ask the solver, once, for the values of the terms that have no value only because of open
        points; True if it was asked now. At an open point any value is right, as long as equal
        arguments give equal values.
        """
        asked = not self._asked
        while not self._asked:
            self._asked = sum(self._ask(term) for term in self.terms) == 0
            self.evaluator = Evaluator(self.run.catalogue, self.interpretation)
        return asked

    def _ask(self, term: Term) -> bool:
        """Ask for the value of one term that has no value although its arguments have values; True
        if it has one now.
        """
        meaning = MEANINGS.get(term.op)
        unasked = self.run.wrapper.facts.unasked
        if (
            term.free
            or term not in self.objects
            or meaning is None
            or not meaning.open
            or term.op in unasked
        ):
            return False
        try:
            args = tuple(map(self.evaluator.value, term.args))
        except (CannotSay, *TOO_LARGE):
            return False
        try:
            self.evaluator.value(term)
        except CannotSay:
            points = self._points(term)
            if (
                len(args) > 2
                and self.run.catalogue.operators[term.op].signature.attribute == "left-assoc"
            ):
                return points.add_all(partial(self._ask_steps, term, args))
            if args not in points.known:
                return points.add(
                    args,
                    lambda: solver_value(self.run, self.evaluator, self.objects[term], term.sort),
                )
        return False

    def _ask_steps(self, term: Term, args: Sequence[Value]) -> dict[Any, Value]:
        """The solver's values of the applications to two arguments that make up one application to
        more.
        """
        found: dict[Any, Value] = {}
        obj, value = self.objects[term.args[0]], args[0]
        for part, other in zip(term.args[1:], args[1:], strict=True):
            obj = applied(self.run, term.op, [obj, self.objects[part]], (term.args[0], part))
            found[value, other] = value = solver_value(self.run, self.evaluator, obj, term.sort)
        return found


class OpenPoints(FunctionValue):
    """The values of an operator at points that the standard leaves open: those of the model's
    function, or the solver's answers.
    """

    __slots__ = ("known", "read")

    def __init__(self) -> None:
        super().__init__(None)
        self.known: dict[Any, Value] = {}
        self.read: Callable[[Any], Value] | None = None

    def add(self, args: Any, ask: Callable[[], Value]) -> bool:
        """Ask for the value at a point; False if there is no answer."""
        try:
            self.known[args] = ask()
        except (CannotSay, Unreadable, Refused, Stopped):
            return False
        return True

    def add_all(self, ask: Callable[[], dict[Any, Value]]) -> bool:
        """Ask for the values at several points; False if there is no answer, or no new value."""
        before = len(self.known)
        with suppress(CannotSay, Unreadable, Refused, Stopped, KeyError):
            self.known = ask() | self.known
        return len(self.known) > before

    def at(self, point: Any) -> Value:
        """The value at a point. Raises LookupError if the model does not fix it."""
        if point in self.known:
            return self.known[point]
        try:
            if self.read is not None:
                return self.read(point)
        except CannotSay:
            pass
        raise LookupError(point)


def _value(values: Values, at: int, sort: Sort) -> Value:
    if sort.kind == "SORT_FUN":
        return values.function(at, sort.sorts()[:-1], sort.sorts()[-1])
    return values.value(at, sort)


def solvable_from_scratch(entries: Sequence[Entry]) -> bool:
    """Whether a fresh solver can be asked about the entries. A fresh solver does not know the
    function definitions of the first solver.
    """
    return all(entry.obj is not None for entry in entries) and all(
        t.op != FUNCTION for t in subterms(e.term for e in entries)
    )


def with_universe(terms: Iterable[Term]) -> list[Sort]:
    """The sorts of the sets in `terms` that depend on `set.universe`."""
    return list(
        dict.fromkeys(
            t.sort
            for t in terms
            if t.op == "OP_SET_COMPLEMENT" or (t.op == SPECIAL and t.indices[0] == "set.universe")
        )
    )


def unjudged(run: Run, term: Term) -> bool:
    """Whether the term contains an operator whose models are not judged, by the wrapper."""
    names = run.wrapper.facts.unjudged
    return bool(names) and any(
        t.op in names or (t.op == SPECIAL and t.indices[0] in names) for t in subterms([term])
    )


def theories(run: Run, term: Term) -> list[str]:
    """The theories of the operators in `term`, in the catalogue's order."""
    operators = run.catalogue.operators
    found = {operators[t.op].theory for t in subterms([term]) if t.op in operators}
    return [name for name in run.catalogue.theories if name in found]


# ----------------------------------------------------------------------
# The subject of a false assertion for which no operator can be blamed: its smallest part that,
# asserted alone, also gets a wrong model.


PARTS = 12  # parts that are tried, the smallest first


def subject(run: Run, formula: Term, objects: dict[Term, Any], reader: Any) -> list[str]:
    """The theories of the smallest atom of a false formula that gets a wrong model alone; if there
    is no such atom, the theories of the whole formula. BOOL is left out beside other theories.
    """
    atoms = [term for term in subterms([formula]) if _atom(run, term) and term in objects]
    atoms.sort(key=lambda term: (sum(1 for _ in subterms([term])), term.serial))
    wrong = (
        term
        for term in atoms[:PARTS]
        for denied in (False, True)
        if _wrong(run, term, objects[term], denied, reader)
    )
    found = theories(run, next(wrong, formula))
    return [name for name in found if name != "BOOL"] or found


def _atom(run: Run, term: Term) -> bool:
    """Whether a term is closed and Boolean, and neither a connective nor a constant."""
    operator = run.catalogue.operators.get(term.op)
    if operator is None or term.sort.kind != "SORT_BOOL" or term.free:
        return False
    return operator.theory != "BOOL" or any(part.sort.kind != "SORT_BOOL" for part in term.args)


def _wrong(run: Run, term: Term, obj: Any, denied: bool, reader: Any) -> bool:
    """Whether a fresh solver gives a model of a term, or of its negation, in which our evaluation
    finds it false.
    """
    with suppress(Refused, Stopped, CannotSay, Unreadable, *TOO_LARGE), fresh_solver(run):
        asserted = applied(run, "OP_NOT", [obj], (term,)) if denied else obj
        call_first(run, "assert-formula", (asserted,), terms=(term,))
        if str(call_first(run, "check-sat", ())) == "sat":
            return Model(run, [term], reader).judge(term) == ("true" if denied else "false")
    return False


# ----------------------------------------------------------------------
# Looking for a model that refutes a promise of the solver about a formula. A model counts only
# if our evaluation confirms it.


REFUTED, HOLDS, CANNOT_SAY = "refuted", "holds", "cannot-say"
UNDECIDED = (Refused, CannotSay, Unreadable, *TOO_LARGE)


@dataclass(frozen=True)
class Claim:
    """A Boolean object and the truth value that a refuting model must give it. A claim without
    `term` is about an object that the solver made, and the solver gives its value.
    """

    obj: Any
    term: Term | None
    value: bool = True


def claims(entries: Sequence[Entry], value: bool = True) -> list[Claim]:
    """The claims that formulas of the run all have the truth value `value`."""
    return [Claim(entry.obj, entry.term, value) for entry in entries]


def refute(run: Run, wanted: Sequence[Claim], entries: Sequence[Entry]) -> str:
    """Whether the claims can hold together: `refuted` if a model shows it by our evaluation,
    `holds` if the solver answers unsat. The claims are made of `entries`.

    Only formulas that the solver made have the solver's own value in the model, because nobody else
    knows them. A model that leaves anything open does not count.
    """
    if not solvable_from_scratch(entries):
        return CANNOT_SAY
    with suppress(*UNDECIDED), fresh_solver(run):
        answer = solve_claims(run, wanted)
        if answer == "unsat":
            return HOLDS
        if answer == "sat" and confirmed(run, wanted):
            return REFUTED
    return CANNOT_SAY


def decided(run: Run, wanted: Sequence[Claim], entries: Sequence[Entry]) -> str:
    """The answer of a fresh solver to the claims; `unknown` if it cannot be asked."""
    if solvable_from_scratch(entries):
        with suppress(Refused), fresh_solver(run):
            return solve_claims(run, wanted)
    return "unknown"


def solve_claims(run: Run, wanted: Sequence[Claim]) -> str:
    """The answer to the claims. Call it inside `fresh_solver`. Raises Refused, Stopped."""
    for claim in wanted:
        call_first(run, "assert-formula", (claimed(run, claim),))
    return str(call_first(run, "check-sat", ()))


def claimed(run: Run, claim: Claim) -> Any:
    """The formula that a claim states."""
    if claim.value:
        return claim.obj
    shape = (
        run.terms.leaf("OP_CONSTANT", ("formula",), run.sorts.get("SORT_BOOL"))
        if claim.term is None
        else claim.term
    )
    return applied(run, "OP_NOT", [claim.obj], (shape,))


def confirmed(run: Run, wanted: Sequence[Claim]) -> bool:
    """Whether the current model gives each claim its truth value. Raises CannotSay, Unreadable,
    Refused.
    """
    reader = run.wrapper.set("readers", "model")
    if reader is None:
        return False
    known = [claim.term for claim in wanted if claim.term is not None]
    model = Model(run, known, reader.spellings[0])
    if any(unjudged(run, term) for term in known):
        return False
    if any(
        claim.term is not None and model.evaluator.value(claim.term) is not claim.value
        for claim in wanted
    ):
        return False
    boolean = run.sorts.get("SORT_BOOL")
    return all(
        solver_value(run, model.evaluator, claim.obj, boolean) is claim.value
        for claim in wanted
        if claim.term is None
    )
