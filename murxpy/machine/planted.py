"""The values of constants, as the words of a `plant` line. The sort of a value decides the meaning
of each word.

Literals are written as on a `mk-value` line, but a rational is one word (`"1/3"`). A structure
begins with the number of its parts. Before that stands its value at all other points, if it has
one: `array` has the default, n, and n times index and value.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from murxpy.logic.catalogue import Catalogue
from murxpy.logic.sorts import SETS, Sort, SortTable
from murxpy.logic.terms import SPECIAL, Term
from murxpy.logic.values import LITERAL_KINDS, BadValue, is_literal, read_value, write_value
from murxpy.logic.walks import bottom_up
from murxpy.machine.tokens import Quoted, Token
from murxpy.semantics.domains import make_array, make_function
from murxpy.semantics.evaluator import Evaluator
from murxpy.semantics.exact.floats import Format
from murxpy.semantics.meanings.bags import make_bag
from murxpy.semantics.meanings.relations import NULLABLE_FIELDS
from murxpy.semantics.meanings.sets import make_set
from murxpy.semantics.registry import Points
from murxpy.semantics.values import (
    ROUNDING_MODES,
    CannotSay,
    DatatypeValue,
    Element,
    FunctionValue,
    Interpretation,
    Value,
)

# The depth of values in values. The recursion on a hostile line must end before Python's own limit
# does.
DEPTH = 60


def element(number: int) -> Element:
    """Element number `number` (from 0) of an uninterpreted sort."""
    return Element(f"@{number}")


def write_words(value: Any, sort: Sort, sorts: SortTable) -> list[Token]:
    """The words of a value of `sort`. Raises CannotSay for an irrational number, a regular
    expression, a set of all but some elements, and for a function or an array that is no table, also
    as a part of the value.
    """
    return list(_write(value, sort, sorts))


def _write(value: Any, sort: Sort, sorts: SortTable) -> Iterator[Token]:
    kind = sort.kind
    if kind in LITERAL_KINDS and not is_literal(sort, value):
        raise CannotSay(f"no literal of {sort} denotes {value!r:.60}")
    if kind == "SORT_REAL":
        yield Quoted(str(value))
    elif kind in LITERAL_KINDS:
        for word in write_value(sort, value):
            yield Quoted(word) if isinstance(word, str) else word
    elif kind == "SORT_RM":
        yield str(value)
    elif kind == "SORT_UNINTERPRETED":
        yield int(value.name[1:])
    elif kind in ("SORT_DT", "SORT_TUPLE", "SORT_NULLABLE"):
        if kind != "SORT_TUPLE":
            yield Quoted(value.constructor)
        for part, inner in zip(value.fields, _fields(value.constructor, sort, sorts), strict=True):
            yield from _write(part, inner, sorts)
    else:
        yield from _write_parts(value, sort, sorts)


def _write_parts(value: Any, sort: Sort, sorts: SortTable) -> Iterator[Token]:
    """The words of a value with any number of parts. Sets and bags have no order, so their parts
    are sorted by their words.
    """
    kind, inner = sort.kind, sort.sorts()
    if kind in ("SORT_ARRAY", "SORT_FUN"):
        if not hasattr(value, "default"):
            raise CannotSay("a function that is no table")
        yield from _write(value.default, inner[-1], sorts)
        rows = [
            [*(point if kind == "SORT_FUN" else (point,)), result]
            for point, result in value.items()
        ]
    elif kind == "SORT_SEQ":
        rows = [[part] for part in value]
    elif kind in SETS:
        if value.complement:
            raise CannotSay("a set of all but some")
        rows = [[part] for part in value.members]
    elif kind == "SORT_BAG":
        rows = [[part] for part, _ in value.counts]
    else:
        raise CannotSay(f"no words denote a value of {sort}")
    written = [
        [word for part, s in zip(row, inner, strict=False) for word in _write(part, s, sorts)]
        for row in rows
    ]
    if kind == "SORT_BAG":
        for words, (_, count) in zip(written, value.counts, strict=True):
            words.append(count)
    if kind in (*SETS, "SORT_BAG"):
        written.sort(key=str)
    yield len(written)
    for words in written:
        yield from words


def _fields(constructor: str, sort: Sort, sorts: SortTable) -> list[Sort]:
    """The sorts of the fields of a tuple, or of a constructor of a datatype. Raises BadValue for an
    unknown constructor.
    """
    if sort.kind == "SORT_TUPLE":
        return list(sort.sorts())
    if sort.kind == "SORT_NULLABLE":
        if constructor not in NULLABLE_FIELDS:
            raise BadValue(
                f"expected {' or '.join(NULLABLE_FIELDS)} of {sort}, found '{constructor}'"
            )
        return list(sort.sorts())[: NULLABLE_FIELDS[constructor]]
    found = sort.datatype.constructor(constructor)
    if found is None:
        names = ", ".join(f'"{c.name}"' for c in sort.datatype.constructors)
        raise BadValue(f"expected a constructor of {sort} ({names}), found '{constructor}'")
    return sorts.field_sorts(sort, found)


def read_words(words: list[Token], sort: Sort, sorts: SortTable, points: Points) -> Value:
    """The value of `sort` that all of `words` describe. Raises BadValue, and CannotSay if the
    normal form of the value is not known.
    """
    reader = _Reader(words, sorts, points)
    value = reader.read(sort, 0)
    if reader.at < len(words):
        raise BadValue(f"{len(words) - reader.at} words more than a value of {sort} has")
    return value


class _Reader:
    """The words of a line, and the position up to which they are read."""

    def __init__(self, words: list[Token], sorts: SortTable, points: Points) -> None:
        self.words = words
        self.sorts = sorts
        self.points = points
        self.at = 0

    def read(self, sort: Sort, depth: int) -> Value:
        """The next value, of this sort."""
        if depth > DEPTH:
            raise BadValue(f"a value nested deeper than {DEPTH}")
        kind = sort.kind
        if kind in LITERAL_KINDS:
            return self._literal(sort)
        if kind == "SORT_RM":
            return self._mode()
        if kind == "SORT_UNINTERPRETED":
            return self._element(sort)
        if kind in ("SORT_DT", "SORT_NULLABLE"):
            name = self._word(f"a constructor of {sort}")
            constructor = name.text if isinstance(name, Quoted) else str(name)
            return DatatypeValue(
                constructor, self._values(_fields(constructor, sort, self.sorts), depth)
            )
        if kind == "SORT_TUPLE":
            return DatatypeValue("", self._values(list(sort.sorts()), depth))
        return self._parts(sort, depth)

    def _parts(self, sort: Sort, depth: int) -> Value:
        kind, inner = sort.kind, list(sort.sorts())
        if kind in ("SORT_ARRAY", "SORT_FUN"):
            default = self.read(inner[-1], depth + 1)
            rows = [self._values(inner, depth) for _ in range(self._count("entries"))]
            if kind == "SORT_ARRAY":
                return make_array(sort, default, [(row[0], row[1]) for row in rows], self.points)
            return make_function(sort, default, [(row[:-1], row[-1]) for row in rows], self.points)
        if kind == "SORT_BAG":
            pairs = [
                (self.read(inner[0], depth + 1), self._number("a count"))
                for _ in range(self._count("elements"))
            ]
            return make_bag(pairs)
        if kind not in ("SORT_SEQ", *SETS):
            raise BadValue(f"no constant of {sort} can be planted")
        parts = [self.read(inner[0], depth + 1) for _ in range(self._count("elements"))]
        return tuple(parts) if kind == "SORT_SEQ" else make_set(sort, parts, False, self.points)

    def _values(self, sorts: list[Sort], depth: int) -> tuple[Value, ...]:
        return tuple([self.read(sort, depth + 1) for sort in sorts])

    def _literal(self, sort: Sort) -> Value:
        count = 2 if sort.kind == "SORT_BV" else 1
        words = [self._word(f"a literal of {sort}") for _ in range(count)]
        value: Value = read_value(
            sort, [word.text if isinstance(word, Quoted) else word for word in words]
        )
        if sort.kind == "SORT_FP" and isinstance(value, int):
            return _one_nan(value, sort)
        return (
            Fraction(value)
            if sort.kind == "SORT_REAL" and isinstance(value, (int, Fraction))
            else value
        )

    def _mode(self) -> str:
        word = str(self._word("a rounding mode"))
        if word not in ROUNDING_MODES:
            raise BadValue(f"expected one of {', '.join(ROUNDING_MODES)}, found '{word}'")
        return word

    def _element(self, sort: Sort) -> Element:
        number = self._number(f"the number of an element of {sort}")
        domain = self.points.interpretation.domains.get(sort)
        if domain is not None and number >= len(domain):
            raise BadValue(
                f"expected the number of an element of {sort}, 0 to {len(domain) - 1}, found {number}"
            )
        return element(number)

    def _word(self, what: str) -> Token:
        if self.at >= len(self.words):
            raise BadValue(f"expected {what}, found the end of the line")
        self.at += 1
        return self.words[self.at - 1]

    def _number(self, what: str) -> int:
        word = self._word(what)
        if type(word) is not int or word < 0:
            raise BadValue(f"expected {what}, found '{word}'")
        return word

    def _count(self, what: str) -> int:
        count = self._number(f"a number of {what}")
        if count > len(self.words):
            raise BadValue(
                f"expected {count} {what} behind the count, found {len(self.words) - self.at} words"
            )
        return count


def _one_nan(bits: int, sort: Sort) -> int:
    """The bits of a floating-point number. The theory has only one NaN, so all patterns of NaN
    become the same.
    """
    form = Format(sort.number(0), sort.number(1))
    return form.nan if bits & ~form.sign > form.infinity else bits


# ----------------------------------------------------------------------
# The planted model of a run: an interpretation that the lines `plant` give, and the values of
# terms in it.


# the exceptions of Python's own that a value of a wrong form can cause in the evaluator
TOO_LARGE = (OverflowError, MemoryError, RecursionError)
# Limits of one evaluation, in steps. The limits are smaller than those for checking a model,
# because every term of a run is evaluated.
DOMAIN, WORLDS, BODIES = 1 << 8, 32, 1 << 11
# Operators at whose open points (division by zero) a model may have any value, by SMT-LIB and in
# the solvers. They are grouped by the kind of their sorts. At the open points of other operators, a
# solver may have fixed values of its own.
OPEN = {"OP_INT_DIV": "SORT_INT", "OP_INT_MOD": "SORT_INT", "OP_REAL_DIV": "SORT_REAL"}
_UNIVERSE = ("OP_SET_COMPLEMENT", "set.universe")


class Planted:
    """An interpretation of constants and uninterpreted sorts, which grows as these are made.

    `unjudged` has the operators and special values whose meaning the solver decides. With
    `open_universe`, only a model of the solver says what `set.universe` is. A term that contains
    one of these has no known value.
    """

    def __init__(
        self,
        catalogue: Catalogue,
        unjudged: frozenset[str] = frozenset(),
        open_universe: bool = False,
    ) -> None:
        self.interpretation = Interpretation()
        self._catalogue = catalogue
        self._judged = Judged(solvers_own(unjudged, open_universe))
        self._latest = -1
        self.evaluator = self._new()

    def _new(self) -> Evaluator:
        return Evaluator(
            self._catalogue, self.interpretation, domain=DOMAIN, worlds=WORLDS, bodies=BODIES
        )

    def fix(self, constant: Term, value: Value) -> None:
        """Give a constant its value. Raises BadValue if the constant has another value."""
        known = self.interpretation.constants.setdefault(constant, value)
        if known != value:
            raise BadValue(f"the constant {constant.indices[0]} has another value already")
        # the constant may have been evaluated before, as a constant without a value
        if constant.serial <= self._latest:
            self.evaluator = self._new()

    def fix_open(self, kind: str, function: FunctionValue) -> None:
        """Say what an operator gives at the points that the standard leaves open. Raises BadValue if
        the point has a value already.
        """
        known = self.interpretation.partial.setdefault(kind, function)
        if known != function:
            raise BadValue(f"{kind} has other values at its open points already")
        self.evaluator = self._new()

    def fix_size(self, sort: Sort, size: int) -> None:
        """Give an uninterpreted sort its number of elements. Raises BadValue if the sort has
        another number.
        """
        domain = tuple(map(element, range(size)))
        known = self.interpretation.domains.setdefault(sort, domain)
        if known != domain:
            raise BadValue(f"the sort {sort} has {len(known)} elements already")
        self.evaluator = self._new()

    def value(self, term: Term) -> Value:
        """The value of a closed term, if it is the same for all choices at open points. Raises
        CannotSay.
        """
        if not self._judged(term):
            raise CannotSay("an operator whose meaning is the solver's own")
        self._latest = max(self._latest, term.serial)
        try:
            return self.evaluator.value(term)
        except TOO_LARGE as error:
            raise CannotSay(f"too large: {error}") from None

    def truth(self, formula: Term) -> bool | None:
        """Whether a closed formula is true; None if this cannot be decided."""
        try:
            return bool(self.value(formula))
        except CannotSay:
            return None


def solvers_own(unjudged: frozenset[str], open_universe: bool) -> frozenset[str]:
    """The operators and special values whose meaning the solver decides, also that of the universe
    if only a model of the solver says what it is.
    """
    return unjudged | (frozenset(_UNIVERSE) if open_universe else frozenset())


class Judged:
    """Tells whether the evaluator knows the meaning of all that is in a term. `excluded` are the
    operators and special values of which only the solver knows it. The results are cached.
    """

    def __init__(self, excluded: frozenset[str]) -> None:
        self._excluded = excluded
        self._known: dict[Term, bool] = {}

    def __call__(self, root: Term) -> bool:
        known = self._known
        for term in bottom_up(root, known):
            own = term.op in self._excluded or (
                term.op == SPECIAL and term.indices[0] in self._excluded
            )
            known[term] = not own and all(known[arg] for arg in term.args)
        return known[root]
