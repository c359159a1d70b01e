"""The model that a solver gives, as our evaluator reads it, and what formulas are under it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

from murxpy.logic.sorts import Sort, components
from murxpy.logic.terms import CONSTANT, FUNCTION, SPECIAL, Term
from murxpy.machine.database import Entry
from murxpy.machine.outcomes import Refused, Stopped
from murxpy.machine.run import Run
from murxpy.machine.witnesses.anew import applied
from murxpy.machine.witnesses.blame import solver_value
from murxpy.machine.witnesses.reading import Values
from murxpy.machine.witnesses.rows import Unreadable
from murxpy.semantics.evaluator import Evaluator
from murxpy.semantics.model import Interpretation
from murxpy.semantics.registry import MEANINGS, partial_key
from murxpy.semantics.values import CannotSay, Element, FunctionValue, Value

# what values that fit nowhere make Python throw
TOO_LARGE = (OverflowError, MemoryError, RecursionError)
LITERAL = frozenset(
    ["SORT_BOOL", "SORT_BV", "SORT_INT", "SORT_FP", "SORT_RM", "SORT_STRING", "SORT_FF"]
)


def verdicts(model: Model, formulas: Sequence[Term], stop: bool = True) -> dict[Term, str]:
    """What each formula is under the model: `true`, `false` (the last then, if `stop`), or why that
    cannot be said.

    Those that only open points keep from a value are true where all of them can be at once.
    """
    found = {}
    for term in formulas:
        found[term] = model.settle(term)
        if stop and found[term] == "false":
            return found
    unsaid = [term for term in formulas if found[term] != "true" and model.left_open(term)]
    return found | dict.fromkeys(model.satisfied(unsaid), "true")


class Model:
    """The solver's model as an interpretation of what occurs in `formulas`.

    Raises Stopped where a value has the wrong sort or is none, Refused where the binding gives no
    model.
    """

    def __init__(self, run: Run, formulas: Sequence[Term], reader: Any) -> None:
        self.run = run
        self._spelling = reader
        self.interpretation = Interpretation()
        self.evaluator = Evaluator(run.catalogue, self.interpretation)
        self.unread: dict[Term, str] = {}
        self._asked = False
        self.terms = list(below(formulas))
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
        """`true`, `false`, or why that cannot be said."""
        if unjudged(self.run, term):
            return "an operator whose meaning is the solver's own"
        try:
            return "true" if self.evaluator.value(term) else "false"
        except TOO_LARGE as error:
            return f"too large: {error}"
        except CannotSay as reason:
            missing = next((self.unread[t] for t in below([term]) if t in self.unread), None)
            return missing or str(reason)

    def settle(self, term: Term) -> str:
        """As `judge`, asking the solver for open points where that is needed."""
        verdict = self.judge(term)
        return self.judge(term) if verdict not in ("true", "false") and self.ask() else verdict

    def left_open(self, term: Term) -> bool:
        """Whether the solver was asked for all that occurs in a term, so that what is open is so by
        its model.
        """
        return not unjudged(self.run, term) and all(
            t in self.interpretation.constants for t in below([term]) if t.op == CONSTANT
        )

    def satisfied(self, formulas: Sequence[Term]) -> list[Term]:
        """As many of `formulas` as were found to be true at once for some values of what the model
        leaves open.
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
        """The elements of uninterpreted sorts, in whose number quantifiers and equalities of arrays
        may lie.
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
        """The objects of constants that the trace let go of, from what is asserted; but where
        another thing has the same name.
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
            found = self.run.call(reader.spellings[0], list(missing), (), "check-model")
            self.objects |= {
                term: obj
                for term, obj in zip(missing.values(), found, strict=True)
                if obj is not None
            }

    def _universes(self) -> None:
        """What the solver's model makes of `set.universe`, for each sort where it, or a complement
        in it, occurs.
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
        if term.sort.kind in LITERAL and values.rows[at][0] == "unknown":
            text = str(values.rows[at][1])
            raise self._bad_value(
                f"the value of a constant is no value, but {text.partition(' ')[0]}: '{text}'"
            )
        try:
            self.interpretation.constants[term] = _value(values, at, term.sort)
        except CannotSay as reason:
            self.unread[term] = str(reason)
        except Unreadable as error:
            raise self._bad_value(
                f"the value of a constant of {term.sort.short}: {error}"
            ) from None

    def _bad_value(self, message: str) -> Stopped:
        return Stopped(
            self.run.finding(
                "model-value", "solver", message, "check-model", "", self._spelling.name
            )
        )

    def _partial(self, values: Values, tables: dict[str, int]) -> None:
        """What the model makes of open points, for each instance of an operator that occurs."""
        for term in self.terms if tables else ():
            at = tables.get(
                partial_key(term.op, term.indices, tuple(a.sort for a in term.args[:2]))
            )
            if at is not None:
                self._points(term).read = partial(
                    values.apply, at, sort=term.sort, domain=[a.sort for a in term.args[:2]]
                )

    def _points(self, term: Term) -> OpenPoints:
        """What the model makes of the open points of a term's operator at its sorts."""
        key = partial_key(term.op, term.indices, tuple(a.sort for a in term.args))
        known = self.interpretation.partial.get(key)
        if not isinstance(known, OpenPoints):
            known = self.interpretation.partial[key] = OpenPoints()
        return known

    def ask(self) -> bool:
        """Ask the solver, once, for its values of the terms that only open points keep from having
        one; True if it was asked now.

        At such a point any value will do, as long as equal arguments have equal ones.
        """
        asked = not self._asked
        while not self._asked:
            self._asked = sum(self._ask(term) for term in self.terms) == 0
            self.evaluator = Evaluator(self.run.catalogue, self.interpretation)
        return asked

    def _ask(self, term: Term) -> bool:
        """Ask for the value of one term, if it has none although its arguments have; True if there
        is one now.
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
        """The solver's values of the applications to two arguments that make up one to more."""
        found: dict[Any, Value] = {}
        obj, value = self.objects[term.args[0]], args[0]
        for part, other in zip(term.args[1:], args[1:], strict=True):
            obj = applied(self.run, term.op, [obj, self.objects[part]], (term.args[0], part))
            found[value, other] = value = solver_value(self.run, self.evaluator, obj, term.sort)
        return found


class OpenPoints(FunctionValue):
    """What a model makes of an operator at points that the standard leaves open: as its function
    says, or as it answers.
    """

    __slots__ = ("known", "read")

    def __init__(self) -> None:
        super().__init__(None)
        self.known: dict[Any, Value] = {}
        self.read: Callable[[Any], Value] | None = None

    def add(self, args: Any, ask: Callable[[], Value]) -> bool:
        """Ask for the value at a point; False where there is no answer."""
        try:
            self.known[args] = ask()
        except (CannotSay, Unreadable, Refused, Stopped):
            return False
        return True

    def add_all(self, ask: Callable[[], dict[Any, Value]]) -> bool:
        """Ask for the values at several points; False where there is no answer, or nothing new."""
        before = len(self.known)
        with suppress(CannotSay, Unreadable, Refused, Stopped, KeyError):
            self.known = ask() | self.known
        return len(self.known) > before

    def at(self, point: Any) -> Value:
        """The value at a point. Raises LookupError where the model does not fix it."""
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


def solvable_anew(entries: Sequence[Entry]) -> bool:
    """Whether a fresh solver can be asked: it does not know the definitions of the first one."""
    return all(entry.obj is not None for entry in entries) and all(
        t.op != FUNCTION for t in below(e.term for e in entries)
    )


def below(terms: Iterable[Term]) -> Iterator[Term]:
    """All different terms in `terms`, those included."""
    seen: dict[Term, None] = {}
    stack = list(terms)
    while stack:
        term = stack.pop()
        if term not in seen:
            seen[term] = None
            yield term
            stack.extend(term.args)


def with_universe(terms: Iterable[Term]) -> list[Sort]:
    """The sorts of the sets in `terms` that hang on what `set.universe` is."""
    return list(
        dict.fromkeys(
            t.sort
            for t in terms
            if t.op == "OP_SET_COMPLEMENT" or (t.op == SPECIAL and t.indices[0] == "set.universe")
        )
    )


def unjudged(run: Run, term: Term) -> bool:
    """Whether an operator occurs of which the wrapper says that no model is judged."""
    names = run.wrapper.facts.unjudged
    return bool(names) and any(
        t.op in names or (t.op == SPECIAL and t.indices[0] in names) for t in below([term])
    )


def theories(run: Run, term: Term) -> list[str]:
    """The theories of the operators in `term`, in the catalogue's order."""
    operators = run.catalogue.operators
    found = {operators[t.op].theory for t in below([term]) if t.op in operators}
    return [name for name in run.catalogue.theories if name in found]
