"""A wrapper's profile, compiled: what is not to be generated because the binding would refuse it."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from murxpy.logic.catalogue import Catalogue, Operator
from murxpy.logic.signature import Linear, Pattern
from murxpy.logic.sorts import Sort, components
from murxpy.logic.walks import subterms
from murxpy.machine.logics import HIGHER_ORDER, theories_of
from murxpy.machine.random import Distribution, Settings, Stream, Weighted
from murxpy.solvers.wrapper import Wrapper


class Profile:
    """Questions that the generator asks of a profile; the format is in `docs/profiles.md`."""

    def __init__(self, data: dict[str, Any], function_terms: bool = True) -> None:
        self.data = data
        # True if a function is a term, and not only a declaration that can be applied
        self._function_terms = function_terms
        sorts = data.get("sorts") or {}
        self.excluded_kinds = frozenset(sorts.get("exclude") or ())
        self._contexts = {
            name: frozenset(entry.get("exclude") or ())
            for name, entry in sorts.items()
            if isinstance(entry, dict)
        }
        self.excluded_operators = frozenset(data.get("exclude-operators") or ())
        self.operators: dict[str, dict[str, Any]] = data.get("operators") or {}
        self.weights: dict[str, float] = data.get("weights") or {}  # by operator and theory
        self.limits: dict[str, int] = dict((data.get("limits") or {}).items())
        self.combinations: dict[str, list[str]] = data.get("exclude-combinations") or {}
        self._literals = {
            kind: entry["literals"]
            for kind, entry in self.operators.items()
            if entry.get("literals")
        }
        self._no_sorts = {
            kind: frozenset(entry["exclude-sorts"])
            for kind, entry in self.operators.items()
            if entry.get("exclude-sorts")
        }

    def allows(self, context: str, sort: Sort) -> bool:
        """True if a sort may stand at this position (`array-index`, `const`, ...). The parameters
        of the sort are checked, too.
        """
        return self.allows_kind(context, sort.kind)

    def allows_kind(self, context: str, kind: str) -> bool:
        """True if sorts of this kind may stand at this position."""
        if kind == "SORT_FUN" and not self._function_terms and context != "const":
            return False
        return kind not in self.excluded_kinds and kind not in self._contexts.get(context, ())

    def operator_takes(self, operator: Operator, sort: Sort) -> bool:
        """True if the profile lets a sort variable of the operator stand for `sort`."""
        if sort.kind == "SORT_FUN" and not self._function_terms:
            return any(pattern.kind == "SORT_FUN" for pattern in operator.signature.args)
        forbidden = self._no_sorts.get(operator.kind)
        return forbidden is None or not any(inner.kind in forbidden for inner in components(sort))

    def literal(self, operator: Operator, position: int) -> str | None:
        """The kind of literal that argument `position` must be (`any`, `char`, ...); None if any
        term may stand there.
        """
        literals = self._literals.get(operator.kind)
        if literals is None:
            return None
        value = literals.get(position, literals.get(str(position)))
        return None if value is None else str(value)

    def literals(self, operator: Operator) -> bool:
        """True if some argument of the operator must be a literal."""
        return operator.kind in self._literals

    def index_range(self, operator: Operator, position: int) -> tuple[int, int] | None:
        """A tighter range of index `position`."""
        entry = self.operators.get(operator.kind)
        indices = entry.get("indices") if entry else None
        if not indices:
            return None
        value = indices.get(position, indices.get(str(position)))
        return None if value is None else (int(value[0]), int(value[1]))

    def arity(self, operator: Operator) -> tuple[int, int] | None:
        """A tighter range of the number of arguments."""
        entry = self.operators.get(operator.kind)
        value = entry.get("arity") if entry else None
        return None if value is None else (int(value[0]), int(value[1]))


# ----------------------------------------------------------------------
# Swarm testing: each run leaves out some theories and operators and prefers others, so that
# runs differ in kind (Groce et al., "Swarm testing", ISSTA 2012).


# Factors of the weights of what the guidance of a campaign chose for a run: of theories, which a run
# draws for each term, and of operators within their theory, of which there are many more.
WANTED, PREFERRED = 3.0, 4.0


@dataclass
class Swarm:
    """The things that a run may use: its theories, its operators by theory, their weights, and the
    number of terms that it makes.
    """

    theories: list[str]
    operators: dict[str, Weighted[Operator]]
    theory_choice: Weighted[str]
    sort_kinds: Weighted[str]
    # operators with a Boolean result, by the sort kind of an argument
    predicates: dict[str, list[Operator]] = field(default_factory=dict)
    linear: bool = False
    length: int = 0
    dropped: list[str] = field(default_factory=list)
    varied: bool = False  # the weights differ from those of the machine file
    logic: str = ""  # of the user's logics the one of this run

    def rows(self) -> list[str]:
        """The lines of the trace's header that record the swarm."""
        rows = [f"theories {','.join(self.theories)}", f"length {self.length}"]
        if self.linear:
            rows.append("linear")
        if self.varied:
            rows.append(
                "weights "
                + ",".join(f"{name}={weight:.3g}" for name, weight in self.theory_choice.pairs())
            )
        if self.dropped:
            rows.append(f"without {','.join(self.dropped)}")
        return rows


class SwarmDrawer:
    """Draws swarms for one wrapper, machine and profile. `theories` restricts the theories. Unless
    `enabled`, every run may use all of them. With `linear`, no run has nonlinear arithmetic. If there
    are `logics`, each run has the theories of one of them.
    """

    def __init__(
        self,
        catalogue: Catalogue,
        wrapper: Wrapper,
        settings: Settings,
        profile: Profile,
        theories: list[str] | None,
        enabled: bool,
        linear: bool = False,
        logics: Sequence[str] = (),
    ) -> None:
        self.catalogue = catalogue
        self.settings = settings
        self.profile = profile
        self.rules = settings.machine.get("swarm") or {} if enabled else {}
        supported = set(wrapper.facts.theories or catalogue.theories)
        always = [t.name for t in catalogue.theories.values() if t.always]
        chosen = supported if theories is None else supported & set(theories)
        self.always = always
        self.forced = theories is not None
        self._linear = linear
        self._logics = [(name, theories_of(name)) for name in logics]
        self.optional = [
            name for name in catalogue.theories if name in chosen and name not in always
        ]
        self.features = wrapper.features()
        self.kind_theory = {kind: sort.theory for kind, sort in catalogue.sorts.items()}
        self.usable = self._with_theories(wrapper)
        self.spelled_kinds = [
            k
            for k in catalogue.sorts
            if wrapper.set("sorts", k) and k not in profile.excluded_kinds
        ]

    def _with_theories(self, wrapper: Wrapper) -> list[tuple[Operator, set[str], float]]:
        """The operators that runs can use, the theories that each needs, and its weight. These do
        not change from run to run, so they are worked out once.
        """
        return [
            (
                op,
                needed_theories(op, self.kind_theory) | {op.theory} | _of_feature(op),
                self.settings.weight("operators", op.kind) * self.profile.weights.get(op.kind, 1.0),
            )
            for op in self.catalogue.operators.values()
            if self._usable(op, wrapper)
        ]

    def _usable(self, operator: Operator, wrapper: Wrapper) -> bool:
        spellings = wrapper.set("operators", operator.kind)
        if spellings is None or operator.kind in self.profile.excluded_operators:
            return False
        if all(s.weight == 0 for s in spellings.spellings):
            return False
        if needed_kinds(operator) & self.profile.excluded_kinds:
            return False
        return operator.feature is None or self.features.get(operator.feature, False)

    def available(self) -> dict[str, list[str]]:
        """The operators that runs draw from, by theory."""
        theories = self._closed(self.optional)
        kinds = {
            theory: [op.kind for op, _ in self._within(theories) if op.theory == theory]
            for theory in theories
        }
        return {theory: names for theory, names in kinds.items() if names}

    def _within(self, theories: list[str]) -> list[tuple[Operator, float]]:
        """The usable operators that need no other theories than these, with their weights."""
        names = set(theories)
        return [(op, weight) for op, needs, weight in self.usable if needs <= names]

    def draw(
        self, stream: Stream, wanted: Sequence[str] = (), preferred: Container[str] = ()
    ) -> Swarm:
        """The swarm of one run. The swarm has the theories `wanted` if the user leaves the choice
        open, and drops no operator of a kind in `preferred`; both have larger weights.
        """
        logic, of_logic = stream.choose(self._logics) if self._logics else ("", None)
        theories = self._theories(stream, wanted) if of_logic is None else self._closed(of_logic[0])
        linear = stream.chance(float(self.rules.get("linear") or 0.0)) or self._linear
        if of_logic is not None:
            linear = of_logic[1]
        usable = [
            (op, w)
            for op, w in self._within(theories)
            if not (linear and op.nonlinear in ("quotient", "always"))
        ]
        kept, dropped = self._operators(usable, stream, preferred)
        factor = self._factors(stream)
        by_theory: dict[str, list[tuple[Operator, float]]] = {theory: [] for theory in theories}
        for operator, base in kept:
            liked = PREFERRED if operator.kind in preferred else 1.0
            by_theory[operator.theory].append((operator, base * factor() * liked))
        operators = {theory: Weighted(pairs) for theory, pairs in by_theory.items() if pairs}
        kinds = [k for k in self.spelled_kinds if self.kind_theory[k] in theories]
        return Swarm(
            theories,
            operators,
            Weighted([(t, self._of_theory(t, wanted) * factor()) for t in operators]),
            Weighted([(k, self.settings.weight("sorts", k) * factor()) for k in kinds]),
            predicates_of([op for op, _ in kept]),
            linear,
            self.settings.number("run-length", stream),
            dropped,
            factor.varies,
            logic,
        )

    def _of_theory(self, name: str, wanted: Sequence[str]) -> float:
        """The weight of a theory before the run's own factor."""
        return self.settings.weight("theories", name) * (WANTED if name in wanted else 1.0)

    def _theories(self, stream: Stream, wanted: Sequence[str]) -> list[str]:
        rules = self.rules.get("theories")
        if rules is None or self.forced or stream.chance(float(rules.get("all", 0))):
            chosen = list(self.optional)
            return self._closed(self._compatible(chosen, stream, wanted))
        count = min(int(Distribution(rules["count"]["choices"]).draw(stream)), len(self.optional))
        weights = rules.get("weights") or {}
        pool = {
            t: float(weights.get(t, weights.get("default", 1))) * self.profile.weights.get(t, 1.0)
            for t in self.optional
        }
        chosen = [theory for theory in wanted if pool.pop(theory, None) is not None]
        while pool and len(chosen) < count:
            theory = stream.weighted(Weighted(list(pool.items())))
            chosen.append(theory)
            del pool[theory]
        return self._closed(self._compatible(chosen, stream, wanted))

    def _compatible(self, chosen: list[str], stream: Stream, wanted: Sequence[str]) -> list[str]:
        """The chosen theories, without one side of each combination that the profile excludes: what
        is `wanted` stays. The theories that a theory needs count as part of it.
        """
        left = list(chosen)
        stream.shuffle(left)
        left.sort(key=lambda theory: theory not in wanted)
        kept: list[str] = []
        taken: set[str] = set(self.always)
        for theory in left:
            family = {theory} | n_requires(self.catalogue, [theory])
            if not any(self._rivals(name) & taken for name in family):
                kept.append(theory)
                taken |= family
        return kept

    def _rivals(self, theory: str) -> set[str]:
        own = self.profile.combinations.get(theory, ())
        return {*own, *(t for t, others in self.profile.combinations.items() if theory in others)}

    def _closed(self, chosen: list[str]) -> list[str]:
        """The chosen theories and those that they need, in the order of the catalogue."""
        wanted = set(self.always) | set(chosen) | n_requires(self.catalogue, chosen)
        return [name for name in self.catalogue.theories if name in wanted]

    def _operators(
        self, usable: list[tuple[Operator, float]], stream: Stream, preferred: Container[str]
    ) -> tuple[list[tuple[Operator, float]], list[str]]:
        """The operators that the run keeps, and the kinds of the operators that it leaves out."""
        rules = self.rules.get("operators")
        if rules is None or stream.chance(float(rules.get("all") or 0)):
            return usable, []
        low, high = rules.get("keep") or (0.5, 1.0)
        share = low + (high - low) * stream.random()
        kept, dropped = [], []
        for operator, weight in usable:
            if stream.random() < share or operator.kind in preferred:
                kept.append((operator, weight))
            else:
                dropped.append(operator.kind)
        return kept, dropped

    def _factors(self, stream: Stream) -> Factor:
        rules = self.rules.get("weights")
        if rules is None or stream.chance(float(rules.get("same", 0))):
            return Factor(stream, 1.0, 1.0)
        low, high = rules.get("factor", (1.0, 1.0))
        return Factor(stream, float(low), float(high))


class Factor:
    """Draws the factor of a weight, uniformly on a logarithmic scale."""

    def __init__(self, stream: Stream, low: float, high: float) -> None:
        self._stream, self._low, self._ratio = stream, low, high / low
        self.varies = high > low

    def __call__(self) -> float:
        """One factor."""
        return float(self._low * self._ratio ** self._stream.random()) if self.varies else self._low


def n_requires(catalogue: Catalogue, names: list[str]) -> set[str]:
    """All theories that the theories `names` need, directly or through others."""

    def required(name: str) -> Iterable[str]:
        return catalogue.theories[name].requires

    return set(subterms([other for name in names for other in required(name)], required))


def _of_feature(operator: Operator) -> set[str]:
    """The theory without which no run has operators with the operator's feature."""
    return {HIGHER_ORDER} if operator.feature == "higher-order" else set()


def needed_theories(operator: Operator, kind_theory: dict[str, str]) -> set[str]:
    """The theories whose sorts the operator's rank names."""
    return {kind_theory[k] for k in needed_kinds(operator) if k in kind_theory}


@lru_cache(1024)  # more than there are operators: each machine of a session asks for all of them
def needed_kinds(operator: Operator) -> frozenset[str]:
    """The sort kinds that the operator's rank names."""
    kinds: set[str] = set()
    for pattern in (*operator.signature.args, operator.signature.result):
        _kinds(pattern, kinds)
    return frozenset(kinds)


def _kinds(pattern: Pattern | Linear, found: set[str]) -> None:
    if isinstance(pattern, Pattern):
        if pattern.kind is not None:
            found.add(pattern.kind)
        for param in pattern.params:
            _kinds(param, found)


def predicates_of(operators: list[Operator]) -> dict[str, list[Operator]]:
    """The operators with a Boolean result, by the sort kind of an argument. Operators that take
    every sort stand under `any`.
    """
    found: dict[str, list[Operator]] = {}
    for operator in operators:
        signature = operator.signature
        if signature.binder or operator.typing or signature.result.kind != "SORT_BOOL":
            continue
        for kind in dict.fromkeys(p.kind or "any" for p in signature.args):
            found.setdefault(kind, []).append(operator)
    return found
