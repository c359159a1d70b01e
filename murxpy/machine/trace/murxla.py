"""Murxla's dialect of traces: its names, orders of arguments and shapes, where they differ from
ours. Operators of single solvers that have no operator here have a definition by operators that are
here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import chain, combinations
from typing import TYPE_CHECKING, Any, NamedTuple

from murxpy.logic.catalogue import STANDARD, Operator
from murxpy.logic.sorts import IllSorted, Sort
from murxpy.logic.terms import SPECIAL, VALUE, Term
from murxpy.logic.typing import IndexOutOfRange
from murxpy.logic.values import write_value
from murxpy.logic.walks import bottom_up
from murxpy.machine.database import Entry, SortEntry
from murxpy.machine.make import make_constant, make_sort, make_special, make_term, make_value
from murxpy.machine.tokens import Quoted, Ref
from murxpy.smtlib.building import Tables
from murxpy.smtlib.lexer import Source
from murxpy.smtlib.printing.terms import Printer
from murxpy.smtlib.reading.scripts import Reader
from murxpy.smtlib.script import Simplify

if TYPE_CHECKING:
    from murxpy.machine.trace.reading import Reading

_ACTIONS = {
    "cvc5-simplify": "simplify",
    "cvc5-term-substitute": "substitute",
    "bitwuzla-substitute-term": "substitute",
    "bitwuzla-term-value": "get-value",
}
SPECIAL_VALUES = {
    "SORT_FP": {
        "nan": "fp.nan",
        "+oo": "fp.+oo",
        "-oo": "fp.-oo",
        "+zero": "fp.+zero",
        "-zero": "fp.-zero",
    },
    "SORT_RM": {name: f"rm.{name}" for name in ("rne", "rna", "rtn", "rtp", "rtz")},
}
# Names of operators in releases of Murxla that have other solvers, or other names.
_OPERATORS = {
    "btor-OP_DEC": "OP_BV_DEC",
    "btor-OP_INC": "OP_BV_INC",
    **{
        f"btor-OP_{name}": f"OP_BV_{name}"
        for name in (
            *("REDAND", "REDOR", "REDXOR", "UADDO", "SADDO", "UMULO", "SMULO"),
            *("USUBO", "SSUBO", "SDIVO"),
        )
    },
}
# Operators that take their container first in Murxla and last here.
CONTAINER_FIRST = ("OP_SET_MEMBER", "OP_SET_INSERT", "OP_BAG_COUNT", "OP_BAG_MAP")


class Application(NamedTuple):
    """The operator and the arguments of a `mk-term` line."""

    operator: Operator
    args: list[Entry]
    indices: tuple[Any, ...]
    wanted: Sort | None


def old_action(name: str) -> str:
    """Our name of one of Murxla's solver-specific actions."""
    return _ACTIONS.get(name, name)


def old_operator(name: str) -> str:
    """Our name of an operator of another release of Murxla."""
    return _OPERATORS.get(name, name)


def old_special(name: str, kind: str) -> str:
    """Our name of one of Murxla's special values."""
    return SPECIAL_VALUES.get(kind, {}).get(name.lower(), name)


def translate(r: Reading, application: Application) -> Application:
    """Put the arguments into our order, and nest insertions of many elements. Raises InputError."""
    operator, args, _, _ = application
    if operator.kind in CONTAINER_FIRST and len(args) > 1:
        args = [*args[1:], args[0]]
    if operator.kind == "OP_SET_COMPREHENSION" and len(args) > 2:
        args = [*args[2:], *args[:2]]
    if operator.kind == "OP_SET_INSERT":
        while len(args) > 2:
            args = [*args[:-2], make_term(r.run, operator, args[-2:], (), r.seed)]
    return application._replace(args=args)


def own_calls(r: Reading) -> list[list[Entry]]:
    """The terms of each call that a solver-specific action of Murxla makes. A count may stand before
    its terms. Raises InputError.
    """
    if any(isinstance(word, Ref) and word.letter == "s" for word in r.line.args):
        sorts = _groups(r, lambda at: _of_sort(r, r.sort(at)))
        return _each(r, [[inside] for inside in sorts[0]], *sorts[1:])
    if r.line.args and isinstance(r.line.args[0], int):
        return [r.counted_terms(0)]
    return [[r.term(k) for k in range(len(r.line.args))]]


def substitutions(r: Reading) -> list[list[Entry]]:
    """The substitutions of `cvc5-term-substitute t n from.. n to..` and of the same line with several
    terms behind a count: a term, what is replaced in it, and by what. Raises InputError.
    """
    inside, *pairs = _groups(r, r.term)
    return _each(r, [[term] for term in inside], *pairs)


def _groups(r: Reading, read: Callable[[int], Entry]) -> list[list[Entry]]:
    """The lists of a line, each behind its count; a single id needs no count."""
    groups, at = [], 0
    while at < len(r.line.args):
        counted = isinstance(r.line.args[at], int)
        count = r.count(at, "ids") if counted else 1
        groups.append([read(at + counted + k) for k in range(count)])
        at += counted + count
    return groups


def _each(r: Reading, inside: list[list[Entry]], *pairs: list[Entry]) -> list[list[Entry]]:
    """One call for each pair of what is replaced and by what. Murxla replaces all of them by one
    call, and uses the result no further.
    """
    if len(pairs) != 2 or len(pairs[0]) != len(pairs[1]):
        raise r.error(f"'{r.line.action}' takes as many ids to replace as ids to replace them by")
    return [[*one, old, new] for one in inside for old, new in zip(*pairs, strict=True)]


def _of_sort(r: Reading, entry: SortEntry) -> Entry:
    """A term of the sort: one that is there, or else a new constant."""
    known = (term for term in r.run.db.terms.values() if term.term.sort is entry.sort)
    return next(known, None) or make_constant(r.run, entry, r.run.symbol("x"), r.seed)


# ----------------------------------------------------------------------
# Operators of single solvers that have no counterpart here, each by a term of our operators that
# has the same value. Murxla draws an index from all 32-bit numbers, and the solver's wrapper takes
# the remainder that fits the operator.

_MOST_DEGREE = 10  # the highest power of a number that Murxla forms

_Define = Callable[[Tables, Sequence[Term], int], Term]
"""The term for these arguments, with the first index of the line, or its seed if it has none."""


def _number_kind(term: Term) -> str:
    return term.sort.kind.removeprefix("SORT_")


def _compared(operator: str) -> _Define:
    def define(tables: Tables, args: Sequence[Term], index: int) -> Term:
        zero = tables.value(args[0].sort, 0)
        kind = "OP_EQUAL" if operator in ("EQ", "NEQ") else f"OP_{_number_kind(args[0])}_{operator}"
        term = tables.apply(kind, args[0], zero)
        return tables.apply("OP_NOT", term) if operator == "NEQ" else term

    return define


def _product(tables: Tables, factor: Term, count: int) -> Term:
    """The power of a number or bit-vector; a product of no factors is 1."""
    kind = "OP_BV_MULT" if factor.sort.kind == "SORT_BV" else f"OP_{_number_kind(factor)}_MUL"
    if count == 0:
        return tables.value(factor.sort, 1)
    return tables.apply(kind, *[factor] * count) if count > 1 else factor


def _power(tables: Tables, args: Sequence[Term], index: int) -> Term:
    sort = args[0].sort
    most = sort.width if sort.kind == "SORT_BV" else _MOST_DEGREE
    return _product(tables, args[0], index % (most + 1))


def _square(tables: Tables, args: Sequence[Term], index: int) -> Term:
    return _product(tables, args[0], 2)


def _floor(tables: Tables, args: Sequence[Term], index: int) -> Term:
    return args[0] if args[0].sort is tables.int else tables.apply("OP_REAL_TO_INT", args[0])


def _ceil(tables: Tables, args: Sequence[Term], index: int) -> Term:
    if args[0].sort is tables.int:
        return args[0]
    return tables.apply(
        "OP_INT_NEG", tables.apply("OP_REAL_TO_INT", tables.apply("OP_REAL_NEG", args[0]))
    )


def _polynomial(coefficient: Callable[[int], int | Fraction]) -> _Define:
    """A linear combination. Murxla draws the coefficients while it runs, so no trace has them, and
    each argument gets one by its place.
    """

    def define(tables: Tables, args: Sequence[Term], index: int) -> Term:
        sort = args[0].sort
        kind = f"OP_{_number_kind(args[0])}"
        parts = [
            tables.apply(f"{kind}_MUL", tables.value(sort, coefficient(at)), arg)
            for at, arg in enumerate(args, 1)
        ]
        return tables.apply(f"{kind}_ADD", *parts) if len(parts) > 1 else parts[0]

    return define


def _shift(kind: str, ones: bool = False) -> _Define:
    """A shift by a number of bits; with `ones` it shifts in ones."""

    def define(tables: Tables, args: Sequence[Term], index: int) -> Term:
        sort = args[0].sort
        inner = tables.apply("OP_BV_NOT", args[0]) if ones else args[0]
        term = tables.apply(kind, inner, tables.value(sort, index % (sort.width + 1)))
        return tables.apply("OP_BV_NOT", term) if ones else term

    return define


def _bit(tables: Tables, args: Sequence[Term], index: int) -> Term:
    at = index % args[0].sort.width
    bit = tables.apply("OP_BV_EXTRACT", args[0], indices=(at, at))
    return tables.apply("OP_EQUAL", bit, tables.value(bit.sort, 1))


def _bits(tables: Tables, args: Sequence[Term], index: int) -> Term:
    """The bit-vector of some truth values, of which the first is the lowest bit."""
    sort = tables.sort("SORT_BV", 1)
    bits = [tables.apply("OP_ITE", a, tables.value(sort, 1), tables.value(sort, 0)) for a in args]
    return tables.apply("OP_BV_CONCAT", *reversed(bits)) if len(bits) > 1 else bits[0]


def _drawn_real(tables: Tables, args: Sequence[Term], index: int) -> Term:
    """A floating-point number from a real one. Murxla draws that real while it runs, so no trace has
    it. The second argument only gives the format.
    """
    sort = args[1].sort
    real = tables.value(tables.real, Fraction(index, 1000))
    return tables.apply(
        "OP_FP_TO_FP_FROM_REAL", args[0], real, indices=(sort.number(0), sort.number(1))
    )


_NUMBERS: dict[str, _Define] = {
    "EQ0": _compared("EQ"),
    "NEQ0": _compared("NEQ"),
    "GEQ0": _compared("GTE"),
    "GT0": _compared("GT"),
    "LEQ0": _compared("LTE"),
    "LT0": _compared("LT"),
    "POWER": _power,
    "SQUARE": _square,
    "FLOOR": _floor,
    "CEIL": _ceil,
    "POLY": _polynomial(lambda at: at),
}
_DEFINED: dict[str, _Define] = {
    **{
        f"yices-OP_{k}_{name}": define for k in ("INT", "REAL") for name, define in _NUMBERS.items()
    },
    "yices-OP_REAL_RPOLY": _polynomial(lambda at: Fraction(at, at + 1)),
    "yices-OP_BVSQUARE": _square,
    "yices-OP_BVPOWER": _power,
    "yices-OP_SHIFT_LEFT0": _shift("OP_BV_SHL"),
    "yices-OP_SHIFT_LEFT1": _shift("OP_BV_SHL", ones=True),
    "yices-OP_SHIFT_RIGHT0": _shift("OP_BV_LSHR"),
    "yices-OP_SHIFT_RIGHT1": _shift("OP_BV_LSHR", ones=True),
    "yices-OP_ASHIFT_RIGHT": _shift("OP_BV_ASHR"),
    "yices-OP_BITEXTRACT": _bit,
    "yices-OP_BVARRAY": _bits,
    "bitwuzla-OP_FP_TO_FP_FROM_REAL": _drawn_real,
}
_MANY = ("BVARRAY", "POLY")  # the ends of the names of those that take any number of arguments


def defines(name: str) -> bool:
    """True if the operator `name` of a single solver has a definition here."""
    return name in _DEFINED


def defined(r: Reading, name: str, args: Sequence[Entry], index: int | None) -> Entry:
    """Make the term that defines an operator of a single solver. Raises InputError."""
    expected = 2 if name.startswith("bitwuzla") else 1
    if len(args) != expected and not (args and name.endswith(_MANY)):
        raise r.error(f"{name} takes {expected} arguments, found {len(args)}")
    kinds = [entry.term.sort.kind for entry in args]
    if "SORT_INT" in kinds and ("SORT_REAL" in kinds or "RPOLY" in name):
        args = [as_kind(r, entry, "SORT_REAL") for entry in args]
    tables = Tables(r.run.catalogue, r.run.sorts, r.run.terms)
    term = _DEFINED[name](
        tables, [entry.term for entry in args], r.seed if index is None else index
    )
    return _made(r, term, args)


# ----------------------------------------------------------------------
# Applications that Murxla's solver takes and this one does not.


def as_kind(r: Reading, entry: Entry, kind: str) -> Entry:
    """The number as one of the kind SORT_REAL or SORT_INT. Anything else stays as it is: some of
    Murxla's solvers take an integer for a real number, and others do not.
    """
    operator = _CONVERSIONS.get((entry.term.sort.kind, kind))
    if operator is None:
        return entry
    return make_term(r.run, r.run.catalogue.operators[operator], [entry], (), r.seed)


NUMBERS = frozenset(("SORT_INT", "SORT_REAL"))
_CONVERSIONS = {
    ("SORT_INT", "SORT_REAL"): "OP_INT_TO_REAL",
    ("SORT_REAL", "SORT_INT"): "OP_REAL_TO_INT",
}
_MOST_CONVERTED = 8  # arguments; each is converted or not, so that each doubles what is tried


def as_stated(r: Reading, entry: Entry) -> Entry:
    """The term with the sort that the line returned, if it is a number: a solver of Murxla may give
    an integer where its operator gives a real number.
    """
    sorts = [r.sorts[number].sort.kind for number in r.returned("s")[:1] if number in r.sorts]
    return as_kind(r, entry, sorts[0] if sorts else str(r.line.args[1]))


def with_numbers(r: Reading, application: Application) -> Application:
    """Convert integers to reals, or reals to integers, if only then the operator takes its
    arguments. An operator of integers becomes that of reals for a real argument. The result is the
    same application if nothing of that helps.
    """
    operator, args, indices, _ = application
    if operator.kind.startswith("OP_INT_") and "SORT_REAL" in [e.term.sort.kind for e in args]:
        if operator.kind == "OP_INT_IS_DIV":
            application = Application(*_whole_quotient(r, args[0], indices[0]), (), None)
        else:
            kind = operator.kind.replace("INT", "REAL", 1)
            other = r.run.catalogue.operators.get(kind, operator)
            application = application._replace(operator=other)
    args = application.args
    if _fits(r, application, [entry.term.sort for entry in args]):
        return application
    for chosen in _conversions([entry.term.sort.kind for entry in args]):
        swapped = {
            "SORT_INT": r.run.sorts.get("SORT_REAL"),
            "SORT_REAL": r.run.sorts.get("SORT_INT"),
        }
        sorts = [
            swapped[entry.term.sort.kind] if at in chosen else entry.term.sort
            for at, entry in enumerate(args)
        ]
        if _fits(r, application, sorts):
            return application._replace(
                args=[as_kind(r, e, s.kind) for e, s in zip(args, sorts, strict=True)]
            )
    return application


def _whole_quotient(r: Reading, number: Entry, divisor: int) -> tuple[Operator, list[Entry]]:
    """A real number is divisible if its quotient is an integer."""
    tables = Tables(r.run.catalogue, r.run.sorts, r.run.terms)
    quotient = tables.apply("OP_REAL_DIV", number.term, tables.value(tables.real, divisor))
    return r.run.catalogue.operators["OP_REAL_IS_INT"], [_made(r, quotient, [number])]


def _conversions(kinds: Sequence[str]) -> Iterator[tuple[int, ...]]:
    """The arguments to convert, few before many, and integers, which lose nothing, before reals."""
    for kind in ("SORT_INT", "SORT_REAL"):
        places = [at for at, found in enumerate(kinds) if found == kind]
        sizes = range(1, len(places) + 1) if len(places) <= _MOST_CONVERTED else (len(places),)
        yield from chain.from_iterable(combinations(places, size) for size in sizes)


def _fits(r: Reading, application: Application, sorts: Sequence[Sort]) -> bool:
    operator, _, indices, wanted = application
    try:
        r.run.checker.result(operator, tuple(sorts), indices, wanted)
    except IndexOutOfRange:
        return True
    except IllSorted:
        return False
    return True


def in_range(application: Application) -> Application:
    """The application with an index that fits, where Murxla's wrapper of a solver maps each 32-bit
    number to one that fits.
    """
    if application.operator.kind != "OP_INT_IAND":
        return application
    return application._replace(indices=tuple(1 + k % _MOST_BITS for k in application.indices))


_MOST_BITS = 64
_MOST_LOOPS = (1 << 31) - 1  # the highest number of repetitions that the solvers here take


def loops_too_often(application: Application) -> bool:
    """Whether an application repeats a regular language more often than the solvers here can."""
    kind, indices = application.operator.kind, application.indices
    return kind == "OP_RE_LOOP" and max(indices) > _MOST_LOOPS


def expanded(r: Reading, application: Application) -> Entry | None:
    """The application by other operators, for a release without a spelling of the operator, and for an
    index that the solvers here do not take; None if no definition is known.
    """
    operator, args, indices, _ = application
    tables = Tables(r.run.catalogue, r.run.sorts, r.run.terms)
    if loops_too_often(application):
        return _made(r, _loop(tables, args[0].term, *indices), args)
    if not (operator.definition or operator.by_bits):
        return None
    return _made(r, definition(tables, operator, [e.term for e in args], indices), args)


def definition(
    tables: Tables,
    operator: Operator,
    args: Sequence[Term],
    indices: tuple[Any, ...],
    spelled: Mapping[str, str] | None = None,
) -> Term:
    """The application of an operator, by the expression that defines it in `fsm/theories` or in
    `spelled`. Raises InputError if there is none.
    """
    places = [tables.constant(f"a{at}", arg.sort) for at, arg in enumerate(args)]
    printer = Printer(tables.catalogue, STANDARD)
    words = printer.words
    printer.words = replace(words, operators={**words.operators, **(spelled or {})})
    text = printer.term(tables.apply(operator.kind, *places, indices=indices))
    reader = Reader(Source(f"(simplify {text})", operator.kind), tables)
    for place, arg in zip(places, args, strict=True):
        reader.terms.define(str(place.indices[0]), arg)
    last = reader.script().commands[-1]
    assert isinstance(last, Simplify)
    return last.term


def _loop(tables: Tables, body: Term, least: int, most: int) -> Term:
    """From `least` to `most` repetitions, each number in as many loops as it needs."""
    if least > most:
        return tables.apply("OP_RE_NONE")
    if most <= _MOST_LOOPS:
        return tables.apply("OP_RE_LOOP", body, indices=(least, most))
    first = min(least, _MOST_LOOPS)
    head = tables.apply("OP_RE_LOOP", body, indices=(first, _MOST_LOOPS))
    return tables.apply(
        "OP_RE_CONCAT", head, _loop(tables, body, least - first, most - _MOST_LOOPS)
    )


def _made(r: Reading, root: Term, args: Sequence[Entry]) -> Entry:
    """Make a term whose parts `args` are there already."""
    known = {entry.term: entry for entry in args}
    for term in bottom_up(root, known):
        known[term] = _make(r, term, [known[arg] for arg in term.args])
    return known[root]


def _make(r: Reading, term: Term, args: list[Entry]) -> Entry:
    run = r.run
    if term.op == VALUE:
        words = [
            Quoted(w) if isinstance(w, str) else w for w in write_value(term.sort, term.indices[0])
        ]
        return make_value(run, _sort_entry(r, term.sort), words, r.seed)
    if term.op == SPECIAL:
        return make_special(run, _sort_entry(r, term.sort), str(term.indices[0]), r.seed)
    return make_term(run, run.catalogue.operators[term.op], args, term.indices, r.seed)


def _sort_entry(r: Reading, sort: Sort) -> SortEntry:
    known = r.run.db.sort_entries.get(sort)
    if known:
        return known[0]
    return make_sort(r.run, sort, [_sort_entry(r, inner) for inner in sort.sorts()], r.seed)
