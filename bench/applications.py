"""Random applications of an operator to values, generic over the catalogue, made through a
wrapper's own spellings.

Sizes are small and edge values weighted. Arguments are literals or what builds a value (stores,
units, unions, constructors), now and then an application made before, so that nests of them are
tried too.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from building import BUILDERS, DRAWERS, ELEMENTS

from murxpy.logic.catalogue import Catalogue, Operator
from murxpy.logic.signature import Binding, Linear, Pattern
from murxpy.logic.sorts import Constructor, Datatype, IllSorted, Sort
from murxpy.logic.terms import Term
from murxpy.logic.values import write_value
from murxpy.machine.database import Entry, SortEntry
from murxpy.machine.generate.leaves import draw_literal
from murxpy.machine.generate.swarm import Profile
from murxpy.machine.make import (
    make_constant,
    make_datatypes,
    make_function,
    make_sort,
    make_special,
    make_term,
    make_value,
    make_variable,
)
from murxpy.machine.random import Settings, Stream
from murxpy.machine.run import Run
from murxpy.machine.tokens import Quoted, Token
from murxpy.semantics.exact.algebraic import Algebraic
from murxpy.semantics.values import Element, Value

WIDTHS = (1, 1, 2, 2, 3, 3, 4, 4, 5, 6, 7, 8, 8, 12, 16, 31, 32, 33, 64, 65)
FORMATS = ((2, 2), (2, 3), (3, 3), (3, 4), (3, 5), (4, 4), (5, 11), (8, 24), (11, 53), (4, 7))
PRIMES = (2, 3, 5, 7, 11, 13, 17, 101)
SMALL_EXPONENTS = ("OP_INT_POW", "OP_REAL_POW", "OP_INT_POW2")  # solvers unfold powers
NEST = 0.15  # of the arguments: an application made before


class Maker:
    """Sorts, values and applications of one run."""

    def __init__(self, run: Run, settings: Settings, profile: Profile, stream: Stream) -> None:
        self.run = run
        self.catalogue: Catalogue = run.catalogue
        self.settings = settings
        self.profile = profile
        self.stream = stream
        self.pool: dict[Sort, list[Entry]] = {}
        self.elements: dict[Term, Value] = {}
        self.domains: dict[Sort, tuple[Element, ...]] = {}
        self.facts: list[Entry] = []  # what must hold for the constants to mean the elements
        self._elements: dict[tuple[Sort, str], Entry] = {}
        self._literals: dict[tuple[Sort, Value], Entry] = {}
        self.defaults: dict[Sort, Value] = {}  # of arrays
        self._datatype: Sort | None = None

    # -- sorts

    def entry(self, sort: Sort) -> SortEntry:
        """The solver's object of a sort, made where there is none. Raises Refused."""
        known = self.run.db.sort_entries.get(sort)
        if known:
            return known[0]
        return make_sort(self.run, sort, [self.entry(p) for p in sort.sorts()], self.seed())

    def seed(self) -> int:
        """A line's seed, which chooses the spelling."""
        return self.stream.below(100_000)

    def random_sort(self, context: str, depth: int = 1) -> Sort:
        """A sort for a sort variable."""
        get, stream = self.run.sorts.get, self.stream
        kinds = [
            "SORT_BOOL",
            "SORT_BV",
            "SORT_BV",
            "SORT_INT",
            "SORT_REAL",
            "SORT_STRING",
            "SORT_FP",
        ]
        if (
            context != "array-element"
            or self.profile.literal(self.catalogue.operators["OP_CONST_ARRAY"], 0) is None
        ):
            kinds += ["SORT_UNINTERPRETED", "SORT_RM"]
            if depth and context != "sort":
                kinds += ["SORT_ARRAY", "SORT_SEQ", "SORT_DT"]
        while True:
            kind = stream.choose(kinds)
            if self.run.wrapper.set("sorts", kind) is None or not self.profile.allows_kind(
                context, kind
            ):
                continue
            if kind == "SORT_BV":
                return get(kind, stream.choose((1, 1, 2, 2, 3, 4, 8)))
            if kind == "SORT_FP":
                return get(kind, *stream.choose(FORMATS[:5]))
            if kind == "SORT_UNINTERPRETED":
                return get(kind, "U")
            if kind == "SORT_ARRAY":
                return get(
                    kind, self.random_sort("array-index", 0), self.random_sort("array-element", 0)
                )
            if kind == "SORT_SEQ":
                return get(kind, self.random_sort("seq-element", 0))
            return self.datatype() if kind == "SORT_DT" else get(kind)

    def datatype(self) -> Sort:
        """The run's datatype: an enumeration, a record and a list in one."""
        if self._datatype is None:
            get = self.run.sorts.get
            block = Datatype("D")
            sort = get("SORT_DT", block)
            block.constructors += [
                Constructor("leaf"),
                Constructor("pair", [("first", get("SORT_BV", 2)), ("second", get("SORT_BOOL"))]),
                Constructor("link", [("head", get("SORT_INT")), ("tail", sort)]),
            ]
            for inner in (get("SORT_BV", 2), get("SORT_BOOL"), get("SORT_INT")):
                self.entry(inner)
            make_datatypes(self.run, [block], self.seed())
            self._datatype = sort
        return self._datatype

    # -- values

    def random_value(self, sort: Sort, depth: int = 2) -> Value:
        """A value of a sort, of those that `build` can make a term of."""
        drawer = DRAWERS.get(sort.kind)
        return (
            drawer(self, sort, depth) if drawer else draw_literal(sort, self.settings, self.stream)
        )

    def argument(self, sort: Sort) -> Entry:
        """A term for an argument. Raises Refused."""
        pool = self.pool.get(sort)
        if pool and self.stream.chance(NEST):
            return self.stream.choose(pool)
        if sort.kind == "SORT_REGLAN":
            return self._language(2)
        if sort.kind == "SORT_FUN":
            return self._function(sort)
        return self.build(sort, self.random_value(sort))

    def build(self, sort: Sort, value: Any) -> Entry:
        """A term that denotes a value. Raises Refused."""
        builder = BUILDERS.get(sort.kind)
        if builder is not None:
            return builder(self, sort, value)
        known = self._literals.get((sort, value))
        if known is None:
            words: list[Token] = [
                Quoted(w) if isinstance(w, str) else w for w in write_value(sort, value)
            ]
            known = self._literals[sort, value] = make_value(
                self.run, self.entry(sort), words, self.seed()
            )
        return known

    def special(self, sort: Sort, name: str) -> Entry:
        """A special value. Raises Refused."""
        return make_special(self.run, self.entry(sort), name, self.seed())

    def apply(
        self, kind: str, *args: Entry, indices: tuple[Any, ...] = (), wanted: Sort | None = None
    ) -> Entry:
        """An application. Raises Refused, IllSorted."""
        if wanted is not None:
            self.entry(wanted)
        return make_term(
            self.run, self.catalogue.operators[kind], args, indices, self.seed(), wanted
        )

    def element(self, sort: Sort, value: Element) -> Entry:
        """The constant that stands for an element; the first asked for makes all of the sort."""
        if (sort, value.name) not in self._elements:
            self.domains[sort] = tuple(Element(f"e{k}") for k in range(ELEMENTS))
            for made in self.domains[sort]:
                entry = self._elements[sort, made.name] = make_constant(
                    self.run, self.entry(sort), made.name, self.seed()
                )
                self.elements[entry.term] = made
            self.facts.append(
                self.apply(
                    "OP_DISTINCT", *[self._elements[sort, e.name] for e in self.domains[sort]]
                )
            )
        return self._elements[sort, value.name]

    def _language(self, depth: int) -> Entry:
        stream = self.stream
        if depth == 0 or stream.chance(0.3):
            text = self.run.sorts.get("SORT_STRING")
            return self.apply(
                "OP_STR_TO_RE",
                self.build(text, "".join(stream.choose("ab0") for _ in range(stream.below(3)))),
            )
        kind = stream.choose(
            (
                "OP_RE_ALL",
                "OP_RE_ALLCHAR",
                "OP_RE_NONE",
                "OP_RE_CONCAT",
                "OP_RE_UNION",
                "OP_RE_INTER",
                "OP_RE_STAR",
                "OP_RE_PLUS",
                "OP_RE_OPT",
                "OP_RE_COMP",
                "OP_RE_CONCAT",
                "OP_RE_UNION",
            )
        )
        return self.apply(
            kind,
            *[self._language(depth - 1) for _ in range(self.catalogue.operators[kind].minimum)],
        )

    def _function(self, sort: Sort) -> Entry:
        """A defined function: a chain of points on its first argument over a value, or an argument
        of the right sort.
        """
        *domain, result = sort.sorts()
        variables = [
            make_variable(self.run, self.entry(s), self.run.symbol("v"), self.seed())
            for s in domain
        ]
        same = [v for v in variables if v.term.sort is result]
        body = (
            self.stream.choose(same)
            if same and self.stream.chance(0.5)
            else self.build(result, self.random_value(result))
        )
        for _ in range(self.stream.below(3)):
            at = self.apply(
                "OP_EQUAL", variables[0], self.build(domain[0], self.random_value(domain[0]))
            )
            body = self.apply("OP_ITE", at, self.build(result, self.random_value(result)), body)
        return make_function(self.run, self.run.symbol("f"), variables, body, self.seed())

    # -- applications

    def application(self, operator: Operator) -> Entry:
        """A random application of an operator. Raises Refused, IllSorted."""
        if operator.typing is not None:
            return _DATATYPES[operator.typing](self, operator)
        if operator.signature.binder:
            return self._binder(operator)
        env = self._bind(operator)
        sorts = self._argument_sorts(operator, env)
        args = [self._argument(operator, at, sort) for at, sort in enumerate(sorts)]
        wanted = (
            operator.signature.result.build(env, self.run.sorts)
            if operator.signature.as_sort
            else None
        )
        return self.apply(
            operator.kind, *args, indices=self._indices(operator, env, len(args)), wanted=wanted
        )

    def _binder(self, operator: Operator) -> Entry:
        """A binder over small sorts; its body compares a variable, or is one."""
        get, stream = self.run.sorts.get, self.stream
        sorts = [
            stream.choose(
                (get("SORT_BOOL"), get("SORT_BV", 1), get("SORT_BV", 2), get("SORT_BV", 3))
            )
            for _ in range(2)
        ]
        sorts = sorts[: 1 if operator.kind == "OP_ARRAY_LAMBDA" else stream.between(1, 2)]
        variables = [
            make_variable(self.run, self.entry(s), self.run.symbol("v"), self.seed()) for s in sorts
        ]
        head = stream.choose(variables)
        other = self.build(head.term.sort, self.random_value(head.term.sort))
        body = self.apply(stream.choose(("OP_EQUAL", "OP_DISTINCT")), head, other)
        if len(variables) > 1 and stream.chance(0.7):
            more = self.apply(
                "OP_EQUAL", variables[1], self.build(sorts[1], self.random_value(sorts[1]))
            )
            body = self.apply(stream.choose(("OP_AND", "OP_OR", "OP_XOR")), body, more)
        behind = [body]
        if operator.signature.result.kind in ("SORT_FUN", "SORT_ARRAY") and stream.chance(0.5):
            result = self.random_sort("array-element", 0)
            yes, no = (self.build(result, self.random_value(result)) for _ in range(2))
            behind = [self.apply("OP_ITE", body, yes, no)]
        elif operator.kind == "OP_SET_COMPREHENSION":
            behind.append(stream.choose(variables))
        elif operator.kind.endswith("_PATTERN"):
            behind.append(self.apply("OP_EQUAL", head, head))
        return self.apply(operator.kind, *variables, *behind)

    def _argument(self, operator: Operator, at: int, sort: Sort) -> Entry:
        restriction = self.profile.literal(operator, at)
        if operator.kind in SMALL_EXPONENTS and at == operator.minimum - 1:
            restriction = "small"
        if restriction is None:
            return self.argument(sort)
        if restriction == "char":
            return self.build(sort, self.stream.choose("abcxyz059"))
        if restriction == "small":
            value: Any = self.stream.below(5)
            return self.build(sort, Fraction(value) if sort.kind == "SORT_REAL" else value)
        return self.build(sort, self.random_value(sort))

    def _bind(self, operator: Operator) -> Binding:
        signature = operator.signature
        env: Binding = {}
        patterns = (*signature.args, signature.result)
        # A format is drawn as a whole, also where the arguments are its parts.
        for pattern in sorted(patterns, key=lambda p: p.kind != "SORT_FP"):
            self._bind_pattern(pattern, env, operator)
        for index in signature.indices:
            if index.name not in env and index.low is not None and not index.each:
                low = index.low.value({**env, "max": 130})
                high = index.high.value({**env, "max": 130}) if index.high is not None else None
                limits = self.profile.index_range(operator, 0) or (
                    low or 0,
                    min(8, high or 0) if high and high > 1 << 20 else high or 0,
                )
                if limits[1] < limits[0]:
                    raise IllSorted("no index in range")
                env[index.name] = self.stream.between(*limits)
        return env

    def _bind_pattern(self, pattern: Pattern | Linear, env: Binding, operator: Operator) -> None:
        if isinstance(pattern, Linear):
            for name in pattern.names():
                if name not in ("arity", "i", "j", "k"):
                    env.setdefault(name, self.stream.choose(WIDTHS))
        elif pattern.kind is None and pattern.pick is None:
            if pattern.star:
                env.setdefault(
                    pattern.name,
                    tuple(self.random_sort("sort", 0) for _ in range(self.stream.between(1, 2))),
                )
            else:
                env.setdefault(pattern.name, self._variable_sort(operator))
        elif pattern.kind == "SORT_FP":
            chosen = self.stream.choose(FORMATS)
            for part, number in zip(pattern.params, chosen, strict=True):
                for name in part.names() if isinstance(part, Linear) else ():
                    env.setdefault(name, number)
        elif pattern.kind == "SORT_FF":
            env.setdefault("p", self.stream.choose(PRIMES))
        else:
            for param in pattern.params:
                self._bind_pattern(param, env, operator)

    def isolated(self, entry: Entry, value: Algebraic) -> Entry:
        """That a term is an algebraic number: a root of its polynomial, in its interval. Raises
        Refused.
        """
        real = entry.term.sort
        total = self.build(real, Fraction(value.poly[-1]))
        for coefficient in reversed(value.poly[:-1]):
            product = self.apply("OP_REAL_MUL", total, entry)
            total = self.apply("OP_REAL_ADD", product, self.build(real, Fraction(coefficient)))
        return self.apply(
            "OP_AND",
            self.apply("OP_EQUAL", total, self.build(real, Fraction(0))),
            self.apply("OP_REAL_LT", self.build(real, value.low), entry),
            self.apply("OP_REAL_LT", entry, self.build(real, value.high)),
        )

    def _variable_sort(self, operator: Operator) -> Sort:
        contexts = {
            "ARRAY": "array-element",
            "SEQ": "seq-element",
            "SET": "set-element",
            "BAG": "bag-element",
            "REL": "tuple-element",
        }
        for _ in range(20):
            sort = self.random_sort(contexts.get(operator.theory, "const"))
            if self.profile.operator_takes(operator, sort) and self.profile.allows(
                "array-element", sort
            ):
                return sort
        raise IllSorted("no sort fits")

    def _argument_sorts(self, operator: Operator, env: Binding) -> list[Sort]:
        sorts: list[Sort] = []
        for pattern in operator.signature.args:
            if pattern.star:
                bound = env[pattern.name]
                sorts.extend(bound if isinstance(bound, tuple) else ())
            else:
                sorts.append(pattern.build(env, self.run.sorts))
        if operator.variadic and self.stream.chance(0.3):
            sorts += [
                operator.signature.args[-1].build(env, self.run.sorts)
                for _ in range(self.stream.between(1, 2))
            ]
        return sorts

    def _indices(self, operator: Operator, env: Binding, arity: int) -> tuple[int, ...]:
        found: list[int] = []
        env = {**env, "arity": arity}
        if len(operator.signature.args) == 1:
            env["arity"] = next((len(v) for v in env.values() if isinstance(v, tuple)), arity)
        for index in operator.signature.indices:
            low = 0 if index.low is None else index.low.value({**env, "max": 130}) or 0
            high = low if index.high is None else index.high.value({**env, "max": 130}) or 0
            if index.each:
                found += [self.stream.between(low, high) for _ in range(arity)]
            elif index.name in env:
                value = env[index.name]
                found.append(value if isinstance(value, int) else 0)
            else:
                raise IllSorted(f"{operator.kind}: index {index.name} is open")
        return tuple(found)


def _constructor(maker: Maker) -> tuple[Sort, Constructor]:
    sort = maker.datatype()
    return sort, maker.stream.choose(sort.datatype.constructors)


def _construction(maker: Maker, operator: Operator) -> Entry:
    sort, chosen = _constructor(maker)
    args = [maker.argument(s) for s in maker.run.sorts.field_sorts(sort, chosen)]
    return maker.apply(operator.kind, *args, indices=(chosen.name,), wanted=sort)


def _selection(maker: Maker, operator: Operator) -> Entry:
    sort, _ = _constructor(maker)
    chosen = maker.stream.choose(sort.datatype.constructors[1:])
    selector, _ = maker.stream.choose(chosen.fields)
    return maker.apply(operator.kind, maker.argument(sort), indices=(chosen.name, selector))


def _test(maker: Maker, operator: Operator) -> Entry:
    sort, chosen = _constructor(maker)
    return maker.apply(operator.kind, maker.argument(sort), indices=(chosen.name,))


def _update(maker: Maker, operator: Operator) -> Entry:
    sort, _ = _constructor(maker)
    chosen = maker.stream.choose(sort.datatype.constructors[1:])
    at = maker.stream.below(len(chosen.fields))
    field = maker.run.sorts.field_sorts(sort, chosen)[at]
    return maker.apply(
        operator.kind,
        maker.argument(sort),
        maker.argument(field),
        indices=(chosen.name, chosen.fields[at][0]),
    )


def _match(maker: Maker, operator: Operator) -> Entry:
    """A match whose cases give a field of the result's sort, or a value; perhaps with a last case
    for all that are left.
    """
    sort = maker.datatype()
    result = maker.stream.choose(maker.run.sorts.field_sorts(sort, sort.datatype.constructors[1]))
    constructors = list(sort.datatype.constructors)
    rest = maker.stream.chance(0.3)
    cases = [_case(maker, sort, c, result) for c in (constructors[:1] if rest else constructors)]
    if rest:
        variable = make_variable(maker.run, maker.entry(sort), maker.run.symbol("v"), maker.seed())
        cases.append(
            maker.apply(
                "OP_DT_MATCH_BIND_CASE",
                variable,
                maker.build(result, maker.random_value(result)),
                wanted=sort,
            )
        )
    return maker.apply("OP_DT_MATCH", maker.argument(sort), *cases)


def _case(maker: Maker, sort: Sort, constructor: Constructor, result: Sort) -> Entry:
    fields = maker.run.sorts.field_sorts(sort, constructor)
    variables = [
        make_variable(maker.run, maker.entry(s), maker.run.symbol("v"), maker.seed())
        for s in fields
    ]
    same = [v for v in variables if v.term.sort is result]
    body = maker.stream.choose(same) if same else maker.build(result, maker.random_value(result))
    kind = "OP_DT_MATCH_BIND_CASE" if variables else "OP_DT_MATCH_CASE"
    return maker.apply(kind, *variables, body, indices=(constructor.name,), wanted=sort)


_DATATYPES: dict[str, Callable[[Maker, Operator], Entry]] = {
    "constructor": _construction,
    "selector": _selection,
    "tester": _test,
    "updater": _update,
    "match": _match,
    "match-case": _match,
}
