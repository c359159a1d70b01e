"""`check-model`: after sat, every assertion and assumption is true under the model that the solver gives, by our own evaluation."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from murxpy.logic.sorts import Sort, components
from murxpy.logic.terms import CONSTANT, Term
from murxpy.machine.checks.blame import blamed
from murxpy.machine.checks.reading import Unreadable, Values
from murxpy.machine.checks.timing import tidy, timed
from murxpy.machine.run import Run, Stopped
from murxpy.semantics.evaluator import Evaluator
from murxpy.semantics.model import Interpretation
from murxpy.semantics.registry import partial_key
from murxpy.semantics.values import CannotSay, Element, FunctionValue, Value

TERMS = 20_000  # below the formulas of one check; more are not evaluated


def check_model(run: Run, seed: int, spelling: str | None = None) -> None:
    """`check-model`: reads the model and evaluates what is asserted and assumed. Raises Stopped where something is false."""
    run.frame.fill()
    chosen = run.choose(run.wrapper.set("readers", "model"), seed, spelling, "check-model")
    run.begin(seed, "check-model", chosen.name, "")
    run.meter.model_read()
    formulas = [entry.term for entry in (*run.state.asserted(), *run.state.assumptions)]
    with timed(run, "models"):
        model = Model(run, formulas, chosen)
        for term in dict.fromkeys(formulas):
            verdict = model.judge(term)
            _count(run, term, verdict)
            if verdict == "false":
                raise Stopped(_finding(run, model, term, chosen.name))


def _finding(run: Run, model: Model, formula: Term, spelling: str) -> dict[str, Any]:
    """The finding that `formula` is false. It names the operator on which the solver's evaluation and ours part."""
    term = blamed(run, model.evaluator, list(below([formula])))
    where = f"the solver's value of {term.op} is not ours" if term else "so it is by the solver's evaluation"
    message = f"an assertion is false under the model; {where} ({', '.join(theories(run, formula))})"
    return run.finding("invalid-model", "solver", message, "check-model", term.op if term else "", spelling)


def _count(run: Run, term: Term, verdict: str) -> None:
    known = verdict if verdict in ("true", "false") else "cannot-say"
    run.counts[f"check-model:{known}"] += 1
    for theory in theories(run, term):
        run.counts[f"check-model-of:{theory}:{known}"] += 1
    if known == "cannot-say":
        run.counts[f"check-model-why:{tidy(verdict)}"] += 1


class Model:
    """The solver's model as an interpretation of what occurs in `formulas`.

    Raises Stopped where a value has the wrong sort or is none, Refused where the binding gives no model.
    """

    def __init__(self, run: Run, formulas: Sequence[Term], reader: Any) -> None:
        self.run = run
        self._spelling = reader
        self.interpretation = Interpretation()
        self.evaluator = Evaluator(run.catalogue, self.interpretation)
        self.unread: dict[Term, str] = {}
        self.terms = list(below(formulas))
        constants = [term for term in self.terms if term.op == CONSTANT]
        objects = {e.term: e.obj for e in run.db.terms.values() if e.term.op == CONSTANT and e.obj is not None}
        known = [term for term in constants if term in objects]
        self._domains(constants)
        data = run.call(reader, [objects[term] for term in known], (), "check-model")
        values = Values(data["rows"], run.sorts, self.evaluator)
        for term, at in zip(known, data["roots"], strict=True):
            self._read(values, term, at)
        self._partial(values, data["partial"])

    def judge(self, term: Term) -> str:
        """`true`, `false`, or why that cannot be said."""
        try:
            return "true" if self.evaluator.value(term) else "false"
        except (OverflowError, MemoryError, RecursionError) as error:
            return f"too large: {error}"
        except CannotSay as reason:
            missing = next((self.unread[t] for t in below([term]) if t in self.unread), None)
            return missing or str(reason)

    def _domains(self, constants: Iterable[Term]) -> None:
        """The elements of uninterpreted sorts, in whose number quantifiers and equalities of arrays may lie."""
        reader = self.run.wrapper.set("readers", "domain")
        sorts = dict.fromkeys(s for term in self.terms for s in components(term.sort) if s.kind == "SORT_UNINTERPRETED")
        if reader is None:
            return
        for sort in sorts:
            names = self.run.call(reader.spellings[0], (self.run.sort_object(sort),), (), "check-model")
            if names:
                self.interpretation.domains[sort] = tuple(map(Element, names))

    def _read(self, values: Values, term: Term, at: int) -> None:
        try:
            self.interpretation.constants[term] = _value(values, at, term.sort)
        except CannotSay as reason:
            self.unread[term] = str(reason)
        except Unreadable as error:
            message = f"the value of a constant of {term.sort.short}: {error}"
            raise Stopped(self.run.finding("model-value", "solver", message, "check-model", "", self._spelling.name)) from None

    def _partial(self, values: Values, tables: dict[str, int]) -> None:
        """What the model makes of open points, for each instance of an operator that occurs."""
        for term in self.terms if tables else ():
            sorts = tuple(a.sort for a in term.args)
            at = tables.get(partial_key(term.op, term.indices, sorts[:2]))
            key = partial_key(term.op, term.indices, sorts)
            if at is not None and key not in self.interpretation.partial:
                self.interpretation.partial[key] = Partial(values, at, term.sort)


class Partial(FunctionValue):
    """A function that the model fixes at some points only."""

    __slots__ = ("_ask",)

    def __init__(self, values: Values, at: int, codomain: Sort) -> None:
        super().__init__(None)
        self._ask: Callable[[Any], Value] = lambda args: values.apply(at, args, codomain)

    def at(self, point: Any) -> Value:
        """The value at a point. Raises CannotSay where the model does not fix it."""
        return self._ask(point)


def _value(values: Values, at: int, sort: Sort) -> Value:
    if sort.kind == "SORT_FUN":
        return values.function(at, sort.sorts()[:-1], sort.sorts()[-1])
    return values.value(at, sort)


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


def theories(run: Run, term: Term) -> list[str]:
    """The theories of the operators in `term`, in the catalogue's order."""
    operators = run.catalogue.operators
    found = {operators[t.op].theory for t in below([term]) if t.op in operators}
    return [name for name in run.catalogue.theories if name in found]
