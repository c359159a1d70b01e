"""In which order terms are evaluated, and how an operator of two arguments is applied to more."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from itertools import combinations, islice, pairwise
from operator import attrgetter
from types import GeneratorType
from typing import Any

from murxpy.logic.catalogue import Catalogue
from murxpy.logic.sorts import Sort
from murxpy.logic.terms import CONSTANT, SPECIAL, VALUE, VARIABLE, Term
from murxpy.logic.walks import occurrences
from murxpy.modules import load_modules
from murxpy.semantics.domains import samples, size_of, values_of
from murxpy.semantics.equality import same
from murxpy.semantics.registry import (
    BINDERS,
    IN_DOUBT,
    LITERALS,
    MEANINGS,
    SPECIALS,
    Asking,
    Body,
    Fits,
    Meaning,
    OpenPoint,
    Scope,
    Site,
    Unknown,
)
from murxpy.semantics.values import CannotSay, Interpretation, Value

load_modules("murxpy.semantics.meanings")  # each enters its meanings in the registry


def pending(roots: Any, known: dict[Term, Any]) -> list[Term]:
    """Return the terms that have to be evaluated for closed `roots`, arguments first."""
    found: dict[Term, None] = dict.fromkeys(roots)
    work = list(found)
    while work:
        term = work.pop()
        if term.op in BINDERS:
            continue
        for part in term.args:
            if part not in found and part not in known:
                found[part] = None
                work.append(part)
    return sorted(found, key=_serial)


def plan_of(body: Term) -> tuple[tuple[Term, ...], list[Term]]:
    """Return the closed terms that a body with free variables uses, and its open parts, arguments
    first.
    """
    found: dict[Term, None] = {body: None}
    needs: dict[Term, None] = {}
    work = [body]
    while work:
        term = work.pop()
        if term.op in BINDERS:
            continue
        for part in term.args:
            if not part.free:
                needs[part] = None
            elif part not in found:
                found[part] = None
                work.append(part)
    return tuple(needs), sorted((t for t in found if t.op != VARIABLE), key=_serial)


_serial = attrgetter("serial")


def _left(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *values: reduce(function, values)


def _right(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *values: reduce(lambda right, left: function(left, right), reversed(values))


def _chain(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *values: all(function(a, b) for a, b in pairwise(values))


def _pairs(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *values: all(function(a, b) for a, b in combinations(values, 2))


FOLDS = {"left-assoc": _left, "right-assoc": _right, "chainable": _chain, "pairwise": _pairs}


# ----------------------------------------------------------------------
# Open points and worlds. A point that the standard leaves open has the same value throughout an
# evaluation; each value that it may have is tried in a world of its own.


DOMAIN = 1 << 10  # most values of a sort that are enumerated
CHOICES = 16  # most values that are tried at one open point

Key = tuple[Any, ...]


class World:
    """The values of closed terms, for the values of open points that are chosen so far."""

    __slots__ = ("branches", "choices", "doubts", "values")

    def __init__(self, values: dict[Term, Any], choices: dict[Key, Value]) -> None:
        self.values = values
        self.choices = choices
        self.doubts: list[Term] = []  # the terms whose value is an Unknown
        self.branches: list[World] = []

    def split(self, unknown: Unknown) -> None:
        """Make the branches: a world for each value that the open point may have, the last one
        first.
        """
        known = {term: value for term, value in self.values.items() if type(value) is not Unknown}
        self.branches = [
            World(dict(known), {**self.choices, unknown.key or (): value})
            for value in reversed(unknown.allowed)
        ]


_branches = attrgetter("branches")


class Activation:
    """The evaluation of the parts of one term: their order, how far it is, and a meaning that waits
    for the value of a body.
    """

    __slots__ = ("at", "doubts", "needs", "order", "root", "task", "values")

    def __init__(
        self,
        root: Term,
        order: list[Term],
        values: dict[Term, Any],
        doubts: list[Term],
        needs: tuple[Term, ...] = (),
    ) -> None:
        self.root = root
        self.order = order
        self.values = values
        self.doubts = doubts
        self.needs = needs
        self.at = 0
        self.task: Asking | None = None


class OpenPoints:
    """Answers what meanings ask in an evaluation (`registry.Points`): the values of open points,
    and the values of a sort.

    `world` is the current world, and `base` the one in which no value is chosen. While `searching`
    is set, some values of an open point are tried even if there are too many to try all of them.
    """

    def __init__(self, interpretation: Interpretation, most: int) -> None:
        self.interpretation = interpretation
        self.base = self.world = World({}, {})
        self.searching = False
        self._most = most  # most values of a sort that are enumerated
        self._sizes: dict[Sort, int | None] = {}
        self._domains: dict[Sort, tuple[Value, ...] | None] = {}

    def choose(
        self, key: Key, sort: Sort, allowed: tuple[Value, ...] | None, fits: Fits | None = None
    ) -> Value:
        """Return the value of an open point in the current world. Raises CannotSay if no value is
        chosen yet.
        """
        choices = self.world.choices
        if key in choices:
            return choices[key]
        reason = f"{key[0]} is open at {key[-1]}"
        if allowed is None:
            allowed = self._any(sort, fits)
        if not allowed:
            raise CannotSay(reason)
        raise OpenPoint(Unknown(reason, key, tuple(dict.fromkeys(allowed))))

    def _any(self, sort: Sort, fits: Fits | None) -> tuple[Value, ...]:
        """Return all values of a sort that fit. If there are too many, return none, or in a search
        some of them.
        """
        size = self.size(sort)
        every = self.domain(sort) if size is not None and size <= CHOICES else None
        if every is None:
            every = self._samples(sort) if self.searching else ()
        return tuple(filter(fits, every)) if fits is not None else every

    def _samples(self, sort: Sort) -> tuple[Value, ...]:
        """Return some values of a large sort: those that terms have, and the usual ones."""
        known = [
            value
            for term, value in self.base.values.items()
            if term.sort == sort and type(value) is not Unknown
        ]
        return tuple(islice(dict.fromkeys((*known, *samples(sort, self))), CHOICES))

    def size(self, sort: Sort) -> int | None:
        """Return how many values a sort has, or None if there are infinitely many or the number is
        not known.
        """
        if sort not in self._sizes:
            self._sizes[sort] = size_of(sort, self)
        return self._sizes[sort]

    def domain(self, sort: Sort) -> tuple[Value, ...] | None:
        """Return all values of a sort in a fixed order, or None if there are more than the bound or
        they are not known.
        """
        if sort not in self._domains:
            self._domains[sort] = values_of(sort, self, self._most)
        return self._domains[sort]


# ----------------------------------------------------------------------
# The evaluator computes the exact value of a term under an interpretation, or raises `CannotSay`.
# Terms are evaluated in the order in which they were made, which has arguments before the terms
# that they are in. The depth of a term is therefore no depth of calls. A stack of activations
# evaluates the body of a binder once for each assignment to its variables. A value that cannot be
# known is an `Unknown`, and so is the value of each term that needs it. If it depends on an open
# point that may have few values, each of them is tried in a world of its own, which is a copy of
# all values that do not depend on it. An open point therefore has the same value throughout an
# evaluation.


WORLDS = 64  # most combinations of values of open points that are tried
BODIES = 1 << 16  # most evaluations of bodies for one question
SEARCH = 256  # most combinations of values of open points among which `satisfied` searches


class Evaluator(OpenPoints):
    """Evaluates terms under one interpretation. The evaluator caches the values of closed terms."""

    def __init__(
        self,
        catalogue: Catalogue,
        interpretation: Interpretation,
        *,
        domain: int = DOMAIN,
        worlds: int = WORLDS,
        bodies: int = BODIES,
    ) -> None:
        super().__init__(interpretation, domain)
        self.catalogue = catalogue
        self._worlds, self._most_bodies = worlds, bodies
        self._functions: dict[tuple[Any, ...], Callable[..., Any]] = {}
        self._plans: dict[Term, tuple[tuple[Term, ...], list[Term]]] = {}
        self._names: dict[tuple[Any, ...], int] = {}  # names of terms whose value is unknown
        self._bodies = 0

    # -- questions

    def value(self, term: Term) -> Value:
        """Return the value of a closed term. Raises CannotSay, also if open points allow several
        values.
        """
        found = self.possible(term)
        if len(found) > 1:
            raise CannotSay(f"{len(found)} values, by what the standard leaves open")
        return found[0]

    def possible(self, term: Term) -> tuple[Value, ...]:
        """Return all values that a closed term can have if open points may have any allowed value.
        Raises CannotSay.
        """
        self._bodies = 0
        found: dict[Value, None] = {}
        self.base.branches, seen = [], 1
        for world in occurrences([self.base], _branches):
            self.world = world
            value = self._closed(term)
            if type(value) is not Unknown:
                try:
                    found[value] = None
                except RecursionError:
                    raise CannotSay("a value nested too deeply") from None
                continue
            seen += len(value.allowed)
            if value.key is None or seen > self._worlds:
                raise CannotSay(value.reason)
            world.split(value)
        return tuple(found)

    def satisfied(self, formulas: Sequence[Term]) -> bool:
        """Return whether values of open points were found under which all of the closed `formulas`
        are true.

        An interpretation may be extended by any values of what it does not fix. If such values are
        found, the interpretation therefore has an extension that is a model. False means nothing,
        because only some values of large sorts are tried.
        """
        self._bodies, self.searching = 0, True
        known = {
            term: value for term, value in self.base.values.items() if type(value) is not Unknown
        }
        seen = 1
        try:
            for world in occurrences([World(known, {})], _branches):
                self.world = world
                values = [self._closed(formula) for formula in formulas]
                unknown = [value for value in values if type(value) is Unknown]
                if False in values or any(value.key is None for value in unknown):
                    continue
                if not unknown:
                    return True
                seen += len(unknown[0].allowed)
                if seen <= SEARCH:
                    world.split(unknown[0])
            return False
        finally:
            self.world, self.searching = self.base, False

    def known(self, term: Term) -> Any:
        """Return the value of a closed term, or an Unknown. No values of open points are tried."""
        self._bodies, self.world = 0, self.base
        return self._closed(term)

    def applying(self, term: Term) -> Callable[[Sequence[Any]], Any]:
        """Return the function that gives the value of an application, which is no binder, for other
        values of its arguments. Some may be an Unknown, and so may be the result.
        """
        meaning = MEANINGS[term.op]
        prepared: list[Callable[..., Any]] = []

        def apply(values: Sequence[Any]) -> Any:
            self.world = self.base
            for value in () if meaning.lazy else values:
                if type(value) is Unknown:
                    return value
            try:
                if not prepared:
                    prepared.append(self._function(meaning, term))
                found: Any = prepared[0](*values)
                return self._driven(found) if type(found) is GeneratorType else found
            except (CannotSay, RecursionError) as reason:
                return _unknown(reason)

        return apply

    def equal(self, sort: Sort, left: Value, right: Value) -> bool:
        """Return whether two values of a sort are equal. Raises CannotSay, for example for
        functions that are no tables and differ at no point that was tried.
        """
        return bool(self._driven(same(self, sort, left, right)))

    def _driven(self, task: Asking) -> Any:
        """Return the result of a meaning that asks for values of bodies. Raises CannotSay."""
        self._bodies = 0
        answer: Any = None
        try:
            while True:
                request = (
                    task.throw(OpenPoint(answer)) if type(answer) is Unknown else task.send(answer)
                )
                answer = self._run(self._activations(request))
        except StopIteration as end:
            return end.value

    # -- evaluation

    def _closed(self, term: Term) -> Any:
        values = self.world.values
        if term not in values:
            self._run([Activation(term, pending((term,), values), values, self.world.doubts)])
        return values[term]

    def _run(self, stack: list[Activation]) -> Any:
        """Run activations, the last one first, until all are done. Return the value of the first
        one's term.
        """
        answer: Any = None
        while stack:
            top = stack[-1]
            request = self._advance(top, answer)
            answer = None
            if request is None:
                stack.pop()
                answer = top.values[top.root]
            else:
                stack.extend(self._activations(request))
        return answer

    def _advance(self, activation: Activation, answer: Any) -> Body | None:
        """Continue an activation until it needs the value of a body. The result is None when the
        evaluation is done.
        """
        values, order = activation.values, activation.order
        for term in activation.needs:
            values[term] = self.world.values[term]
            if type(values[term]) is Unknown:
                activation.doubts.append(term)
        activation.needs = ()
        while True:
            if activation.task is not None:
                request = self._resume(activation, answer)
                if request is not None:
                    return request
            if not self._loop(activation, order, values):
                return None
            answer = None

    def _loop(self, activation: Activation, order: list[Term], values: dict[Term, Any]) -> bool:
        """Evaluate terms in order. Return True if a meaning waits for an answer, and False at the
        end.
        """
        functions, doubts = self._functions, activation.doubts
        for at in range(activation.at, len(order)):
            term = order[at]
            args = term.args
            function = (
                functions.get((term.op, term.indices, term.sort, *map(_sort, args)))
                if args
                else None
            )
            if function is not None and not doubts:
                try:
                    value = function(*map(values.__getitem__, args))
                except (CannotSay, RecursionError) as reason:
                    value = _unknown(reason)
            else:
                value = self._careful(term, values)
            if type(value) is GeneratorType:
                activation.at, activation.task = at, value
                return True
            if type(value) is Unknown:
                value = self._named(term, value, values)
                doubts.append(term)
            values[term] = value
        activation.at = len(order)
        return False

    def _resume(self, activation: Activation, answer: Any) -> Body | None:
        task = activation.task
        assert task is not None
        try:
            if type(answer) is Unknown:
                return task.throw(OpenPoint(answer))
            return task.send(answer)
        except StopIteration as end:
            value = end.value
        except (CannotSay, RecursionError) as reason:
            value = _unknown(reason)
        term = activation.order[activation.at]
        if type(value) is Unknown:
            value = self._named(term, value, activation.values)
            activation.doubts.append(term)
        activation.values[term] = value
        activation.at += 1
        activation.task = None
        return None

    def _careful(self, term: Term, values: dict[Term, Any]) -> Any:
        """Return the value of one term, an Unknown, or a generator that will return the value."""
        try:
            if not term.args or term.op in BINDERS:
                return self._leaf(term, values)
            meaning = MEANINGS.get(term.op)
            if meaning is None:
                return Unknown(f"{term.op} has no meaning")
            args = [values[a] for a in term.args]
            if not meaning.lazy:
                unknown = [a for a in args if type(a) is Unknown]
                if unknown:
                    found = IN_DOUBT[term.op](*args) if term.op in IN_DOUBT else None
                    return (
                        next((u for u in unknown if u.key is None), unknown[0]).nameless()
                        if found is None
                        else found
                    )
            return self._function(meaning, term)(*args)
        except (CannotSay, RecursionError) as reason:
            return _unknown(reason)

    def _named(self, term: Term, unknown: Unknown, values: dict[Term, Any]) -> Unknown:
        """Return the Unknown that stands for the value of `term`. The name of an open point is the
        same for all applications of the operator to the same arguments.
        """
        if unknown.name is not None:
            return unknown
        parts: list[Any] = []
        for part in term.free if term.op in BINDERS else term.args:
            value = values[part]
            if type(value) is Unknown and value.name is None:
                return unknown
            parts.append(
                (part.sort, value.name, None)
                if type(value) is Unknown
                else (part.sort, None, value)
            )
        head = term if term.op in BINDERS or not term.args else (term.op, term.indices, term.sort)
        try:
            name = self._names.setdefault((head, *parts), len(self._names))
        except RecursionError:
            return unknown
        return Unknown(unknown.reason, unknown.key, unknown.allowed, name)

    def _function(self, meaning: Meaning, term: Term) -> Callable[..., Any]:
        """Return the function that computes the value of an application from those of its arguments.
        The function is cached by operator, indices and sorts.
        """
        sorts = tuple(a.sort for a in term.args)
        key = (term.op, term.indices, term.sort, *sorts)
        function = self._functions.get(key)
        if function is None:
            site = Site(term.op, term.indices, term.sort, sorts, self)
            function = meaning.prepare(site)
            attribute = self.catalogue.operators[term.op].signature.attribute
            if not meaning.whole and attribute not in (None, "nary") and len(term.args) > 2:
                function = FOLDS[attribute](function)
            self._functions[key] = function
        return function

    def _leaf(self, term: Term, values: dict[Term, Any]) -> Any:
        op, sort = term.op, term.sort
        if op in BINDERS:
            return self._bind(term, values)
        if op == VALUE:
            reader = LITERALS.get(sort.kind)
            return term.indices[0] if reader is None else reader(sort, term.indices[0])
        if op == SPECIAL:
            known = SPECIALS.get(sort.kind)
            return (
                Unknown(f"{term.indices[0]} has no meaning")
                if known is None
                else known(sort, term.indices[0], self)
            )
        if op == CONSTANT:
            if term in self.interpretation.constants:
                return self.interpretation.constants[term]
            return self.choose((str(term.indices[0]), term), sort, None)
        if op == VARIABLE:
            return Unknown(f"the variable {term.indices[0]} is not bound")
        meaning = MEANINGS.get(op)
        return (
            Unknown(f"{op} has no meaning") if meaning is None else self._function(meaning, term)()
        )

    def _bind(self, term: Term, values: dict[Term, Any]) -> Any:
        site = Site(term.op, term.indices, term.sort, tuple(a.sort for a in term.args), self)
        operator = self.catalogue.operators.get(term.op)
        behind = 1 if operator is None or operator.typing else len(operator.signature.args) - 1
        cut = len(term.args) - behind
        outside = {variable: values[variable] for variable in term.free}
        return BINDERS[term.op](site, Scope(term, term.args[:cut], term.args[cut:], outside))

    def _activations(self, request: Body) -> list[Activation]:
        """Return the activations that evaluate a body, for the top of the stack. Closed parts
        without a value have to be evaluated first, so they come last.
        """
        self._bodies += 1
        body, known = request.term, self.world.values
        if self._bodies > self._most_bodies:
            return [
                Activation(
                    body,
                    [],
                    {body: Unknown(f"more than {self._most_bodies} evaluations of bodies")},
                    [],
                )
            ]
        doubts = self.world.doubts
        if not body.free:
            return [
                Activation(body, [] if body in known else pending((body,), known), known, doubts)
            ]
        known_plan = self._plans.get(body)
        if known_plan is None:
            known_plan = self._plans[body] = plan_of(body)
        needs, order = known_plan
        made = [Activation(body, order, request.values, [], needs)]
        missing = [term for term in needs if term not in known]
        if missing:
            made.append(Activation(missing[0], pending(missing, known), known, doubts))
        return made


def _unknown(reason: CannotSay | RecursionError) -> Unknown:
    # values that nest too deeply: Python compares and hashes them by recursion
    if isinstance(reason, RecursionError):
        return Unknown("a value nested too deeply")
    return reason.unknown.nameless() if isinstance(reason, OpenPoint) else Unknown(str(reason))


_sort = attrgetter("sort")
