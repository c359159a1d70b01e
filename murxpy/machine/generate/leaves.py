"""Random literals of every sort: zero, extremes, powers of two, special and random ones, by the
weights of the machine file.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from math import inf
from typing import Any

from murxpy.logic.sorts import SETS, Constructor, Sort, SortTable
from murxpy.logic.terms import VALUE
from murxpy.logic.values import LITERAL_KINDS, write_value
from murxpy.machine import planting
from murxpy.machine.database import Entry, SortEntry
from murxpy.machine.generate.base import Generator, sort_entry
from murxpy.machine.make import make_constant, make_special, make_term, make_value
from murxpy.machine.planted import OPEN, element
from murxpy.machine.random import Settings, Stream, mix
from murxpy.machine.tokens import Quoted, Token
from murxpy.semantics.domains import make_array, make_function
from murxpy.semantics.exact.floats import Format
from murxpy.semantics.meanings.bags import make_bag
from murxpy.semantics.meanings.relations import NULL, some
from murxpy.semantics.meanings.sets import make_set
from murxpy.semantics.registry import Points
from murxpy.semantics.values import ROUNDING_MODES, CannotSay, DatatypeValue, FunctionValue, Value

_NULL = 0.3  # the chance that a drawn nullable has no value
SPECIAL_TEXT = (
    "\\",
    '"',
    "\\u{41}",
    "\\x41",
    "\n",
    "\t",
    "\x00",
    "\x7f",
    "\xe9",
    "/*",
    "a b",
    "|",
    "'",
    "%s",
    "-1",
    "0x1",
)


def draw_literal(sort: Sort, settings: Settings, stream: Stream) -> Any:
    """A value of `sort` (see murxpy.logic.values); KeyError for a sort without literals."""
    return _DRAWERS[sort.kind](sort, settings, stream)


def _bool(sort: Sort, settings: Settings, stream: Stream) -> bool:
    return stream.random() < 0.5


def _bv(sort: Sort, settings: Settings, stream: Stream) -> int:
    width = sort.width
    kind = settings.draw("bv-literal", stream)
    fixed = {
        "zero": 0,
        "one": 1,
        "ones": -1,
        "min-signed": 1 << (width - 1),
        "max-signed": (1 << (width - 1)) - 1,
    }
    if kind in fixed:
        value = fixed[kind]
    elif kind == "power-of-two":
        value = 1 << stream.below(width)
    elif kind == "small":
        value = stream.below(16)
    elif kind == "small-negative":
        value = -1 - stream.below(16)
    else:
        value = stream.bits(width)
    return value % (1 << width)


def _int(sort: Sort, settings: Settings, stream: Stream) -> int:
    kind = settings.draw("int-literal", stream)
    if kind in ("zero", "one", "minus-one"):
        return {"zero": 0, "one": 1, "minus-one": -1}[kind]
    if kind in ("small", "small-negative"):
        value = stream.between(2, 20)
    elif kind in ("power-of-two", "near-power-of-two"):
        value = 1 << stream.choose((1, 2, 3, 4, 7, 8, 15, 16, 31, 32, 63, 64, 128))
        value += 0 if kind == "power-of-two" else stream.choose((-1, 1))
        return -value if stream.random() < 0.3 else value
    else:
        value = stream.bits(stream.between(10, 3 * settings.limit("int-digits")))
    return -value if "negative" in kind else value


def _real(sort: Sort, settings: Settings, stream: Stream) -> Fraction:
    kind = settings.draw("real-literal", stream)
    if kind in ("zero", "one", "minus-one"):
        return Fraction({"zero": 0, "one": 1, "minus-one": -1}[kind])
    if kind == "large-fraction":
        value = Fraction(
            stream.bits(stream.between(8, 120)), 1 + stream.bits(stream.between(4, 80))
        )
        return -value if stream.random() < 0.5 else value
    if "integer" in kind:
        value = Fraction(stream.between(2, 20))
    elif kind == "decimal":
        value = Fraction(stream.between(1, 9999), stream.choose((10, 100, 1000, 2, 4, 8)))
        return -value if stream.random() < 0.5 else value
    else:
        value = Fraction(stream.between(1, 30), stream.between(2, 30))
    return -value if "negative" in kind else value


def _fp(sort: Sort, settings: Settings, stream: Stream) -> int:
    exponent, fraction = sort.number(0), sort.number(1) - 1
    top, bias = (1 << exponent) - 1, (1 << (exponent - 1)) - 1
    kind = settings.draw("fp-literal", stream)
    sign = 0
    if "negative" in kind:
        sign = 1
    elif kind not in ("zero", "infinity", "nan"):
        sign = int(stream.random() < 0.4)
    fields: dict[str, tuple[int, int]] = {
        "zero": (0, 0),
        "negative-zero": (0, 0),
        "infinity": (top, 0),
        "negative-infinity": (top, 0),
        "nan": (top, 1 + stream.bits(fraction) % ((1 << fraction) - 1) if fraction > 1 else 1),
        "one": (bias, 0),
        "smallest-subnormal": (0, 1),
        "largest-subnormal": (0, (1 << fraction) - 1),
        "smallest-normal": (1, 0),
        "largest-normal": (top - 1, (1 << fraction) - 1),
        "small-integer": (
            min(top - 1, bias + stream.below(4)),
            stream.bits(2) << max(0, fraction - 2),
        ),
    }
    high, low = fields.get(kind) or (stream.bits(exponent), stream.bits(fraction))
    return (((sign << exponent) | high) << fraction) | (low % (1 << fraction))


def _ff(sort: Sort, settings: Settings, stream: Stream) -> int:
    kind = settings.draw("ff-literal", stream)
    order = sort.width
    if kind == "random":
        return stream.bits(order.bit_length() + 32) % order
    small = {"zero": 0, "one": 1, "minus-one": order - 1}
    return small[kind] % order if kind in small else stream.below(12) % order


def _string(sort: Sort, settings: Settings, stream: Stream) -> str:
    kind = settings.draw("string-literal", stream)
    alphabet = "ab0" if stream.random() < 0.6 else "abcdefgxyzABZ0123456789 -_.~"
    if kind == "empty":
        return ""
    if kind == "one-character":
        return stream.choose(alphabet)
    if kind == "repeated":
        return stream.choose(alphabet) * stream.between(2, 8)
    if kind == "digits":
        return "".join(stream.choose("0123456789") for _ in range(stream.between(1, 6)))
    if kind == "special":
        return "".join(stream.choose(SPECIAL_TEXT) for _ in range(stream.between(1, 3)))
    if kind == "unicode":
        return "".join(chr(_code_point(stream)) for _ in range(stream.between(1, 4)))
    long = kind == "long"
    count = stream.between(9, settings.limit("string-length")) if long else stream.between(2, 8)
    return "".join(stream.choose(alphabet) for _ in range(count))


def _code_point(stream: Stream) -> int:
    low, high = stream.choose(
        ((0x80, 0xFF), (0x100, 0x7FF), (0x800, 0xD7FF), (0xE000, 0xFFFF), (0x10000, 0x2FFFF))
    )
    return stream.between(low, high)


_DRAWERS: dict[str, Callable[[Sort, Settings, Stream], Any]] = {
    "SORT_BOOL": _bool,
    "SORT_BV": _bv,
    "SORT_INT": _int,
    "SORT_REAL": _real,
    "SORT_FP": _fp,
    "SORT_FF": _ff,
    "SORT_STRING": _string,
}


# ----------------------------------------------------------------------
# Drawing values of any sort at random: literals as the caller draws them, and structures of
# such values.


DEPTH = 3  # the depth of values in values; deeper values are the smallest of their sort


@dataclass(frozen=True, slots=True)
class Drawing:
    """The things that are needed to draw a value: random numbers, the sorts, the points of an
    interpretation with the elements of uninterpreted sorts, a function that draws a literal of a
    sort, and one that draws the number of parts of a structure.
    """

    stream: Stream
    sorts: SortTable
    points: Points
    literal: Callable[[Sort], Value]
    parts: Callable[[], int]


def draw(drawing: Drawing, sort: Sort, depth: int = 0) -> Value:
    """Draw a value of `sort` that stands `depth` values deep in another value. Raises CannotSay if
    the value would be too large, and KeyError for a sort whose values have no form here.
    """
    if sort.kind in LITERAL_KINDS:
        return _literal(drawing, sort)
    return _DRAWN[sort.kind](drawing, sort, depth)


def _literal(drawing: Drawing, sort: Sort) -> Value:
    value = drawing.literal(sort)
    return canonical_float(sort, value) if sort.kind == "SORT_FP" else value


def canonical_float(sort: Sort, bits: Any) -> int:
    """The bits of a float, with the one NaN that the evaluator knows in place of every NaN."""
    return Format(sort.number(0), sort.number(1)).canonical(int(bits))


def _element(drawing: Drawing, sort: Sort, depth: int) -> Value:
    domain = drawing.points.interpretation.domains.get(sort)
    return drawing.stream.choose(domain) if domain else element(0)


def _datatype(drawing: Drawing, sort: Sort, depth: int) -> Value:
    constructors = sort.datatype.constructors
    if depth >= DEPTH:
        least = min(_height(drawing, sort, constructor, ()) for constructor in constructors)
        constructors = [c for c in constructors if _height(drawing, sort, c, ()) == least]
    constructor = drawing.stream.choose(constructors)
    fields = drawing.sorts.field_sorts(sort, constructor)
    return DatatypeValue(
        constructor.name, tuple([draw(drawing, field, depth + 1) for field in fields])
    )


def _height(
    drawing: Drawing, sort: Sort, constructor: Constructor, path: tuple[Sort, ...]
) -> float:
    """The depth of the smallest value of a constructor; infinite if the value needs a value of a
    sort on `path`.
    """
    if sort in path:
        return inf
    fields = drawing.sorts.field_sorts(sort, constructor)
    return 1 + max((_least(drawing, field, (*path, sort)) for field in fields), default=0)


def _least(drawing: Drawing, sort: Sort, path: tuple[Sort, ...]) -> float:
    """The depth of the smallest value of a sort."""
    if sort.kind == "SORT_DT":
        return min(
            _height(drawing, sort, constructor, path) for constructor in sort.datatype.constructors
        )
    inner = sort.sorts()
    if sort.kind == "SORT_TUPLE":
        return max((_least(drawing, part, path) for part in inner), default=0)
    return _least(drawing, inner[-1], path) if sort.kind in ("SORT_ARRAY", "SORT_FUN") else 0


def _tuple(drawing: Drawing, sort: Sort, depth: int) -> Value:
    return DatatypeValue("", tuple([draw(drawing, part, depth + 1) for part in sort.sorts()]))


def _nullable(drawing: Drawing, sort: Sort, depth: int) -> Value:
    if depth >= DEPTH or drawing.stream.chance(_NULL):
        return NULL
    return some(draw(drawing, sort.sort(0), depth + 1))


def _count(drawing: Drawing, depth: int) -> int:
    """The number of parts of a structure; 0 for a structure that is deep in another one."""
    return drawing.parts() if depth < DEPTH else 0


def _array(drawing: Drawing, sort: Sort, depth: int) -> Value:
    index, inner = sort.sort(0), sort.sort(1)
    default = draw(drawing, inner, depth + 1)
    stores = [
        (draw(drawing, index, depth + 1), draw(drawing, inner, depth + 1))
        for _ in range(_count(drawing, depth))
    ]
    return make_array(sort, default, stores, drawing.points)


def _function(drawing: Drawing, sort: Sort, depth: int) -> Value:
    *domain, codomain = sort.sorts()
    default = draw(drawing, codomain, depth + 1)
    entries = [
        (
            tuple([draw(drawing, part, depth + 1) for part in domain]),
            draw(drawing, codomain, depth + 1),
        )
        for _ in range(_count(drawing, depth))
    ]
    return make_function(sort, default, entries, drawing.points)


def _parts(drawing: Drawing, sort: Sort, depth: int) -> tuple[Value, ...]:
    return tuple([draw(drawing, sort.sort(0), depth + 1) for _ in range(_count(drawing, depth))])


def _set(drawing: Drawing, sort: Sort, depth: int) -> Value:
    return make_set(sort, _parts(drawing, sort, depth), False, drawing.points)


def _bag(drawing: Drawing, sort: Sort, depth: int) -> Value:
    return make_bag((part, drawing.stream.between(1, 3)) for part in _parts(drawing, sort, depth))


_DRAWN: dict[str, Callable[[Drawing, Sort, int], Value]] = {
    "SORT_RM": lambda drawing, sort, depth: drawing.stream.choose(ROUNDING_MODES),
    "SORT_UNINTERPRETED": _element,
    "SORT_DT": _datatype,
    "SORT_TUPLE": _tuple,
    "SORT_NULLABLE": _nullable,
    "SORT_ARRAY": _array,
    "SORT_FUN": _function,
    "SORT_SEQ": _parts,
    **dict.fromkeys(SETS, _set),
    "SORT_BAG": _bag,
}


# ----------------------------------------------------------------------
# Drawing a planted model: a value for each constant and a size for each uninterpreted sort,
# when they are made (docs/oracles.md).


# the name of the check, of its chance in the machine file, and of its line in a trace's header
CHECK = "planted"
# the key of the random stream that decides which runs have a planted model; no step uses this key
KEY = 0x91A47ED


def drawn(settings: Settings, seed: int) -> bool:
    """Whether the run with this seed has a planted model. A random stream of its own decides it, so
    that the other draws of the run stay the same.
    """
    return settings.chance(CHECK, Stream(mix(seed, KEY)))


def begin(gen: Generator) -> None:
    """Write the first lines of a planted model, in a run that has one: that the run has it, and
    what its divisions by zero give.
    """
    if not gen.planting:
        return
    planting.plant(gen.run, gen.run.line_seed())
    for kind in OPEN:
        if gen.catalogue.operators[kind].theory in gen.swarm.theories:
            function = draw(_drawing(gen), planting.open_sort(gen.run, kind))
            if isinstance(function, FunctionValue):
                planting.plant_open(gen.run, kind, function, gen.run.line_seed())


def plant_constant(gen: Generator, entry: Entry) -> None:
    """Draw the value of a new constant, in a run with a planted model. A constant whose value would
    be too large gets none.
    """
    if gen.planting:
        with suppress(CannotSay):
            planting.plant_value(gen.run, entry, _again(gen, entry.term.sort), gen.run.line_seed())


def plant_sort(gen: Generator, entry: SortEntry) -> None:
    """The number of elements of a new uninterpreted sort, in a run with a planted model."""
    if gen.planting:
        planting.plant_size(
            gen.run, entry, gen.settings.number("planted-elements", gen.stream), gen.run.line_seed()
        )


def _again(gen: Generator, sort: Sort) -> Value:
    """A new value, or the value of another constant of the same sort: with equal constants, more
    formulas are true than by chance.
    """
    constants = planting.planted_of(gen.run).interpretation.constants
    known = [value for constant, value in constants.items() if constant.sort is sort]
    if known and gen.settings.chance("planted-again", gen.stream):
        return gen.stream.choose(known)
    return draw(_drawing(gen), sort)


def _drawing(gen: Generator) -> Drawing:
    return Drawing(
        gen.stream,
        gen.run.sorts,
        planting.planted_of(gen.run).evaluator,
        lambda sort: draw_literal(sort, gen.settings, gen.stream),
        lambda: gen.settings.number("planted-parts", gen.stream),
    )


# ----------------------------------------------------------------------
# Choosing leaves: constants, literals and special values, on their own or where an argument
# needs one.


STATIC_SPECIAL = 0.25


def constant(gen: Generator, sort: Sort) -> Entry:
    """`mk-const` of `sort`. Raises Refused."""
    entry = sort_entry(gen, sort)
    made = make_constant(gen.run, entry, symbol(gen), gen.run.line_seed())
    plant_constant(gen, made)
    return made


def symbol(gen: Generator) -> str:
    """A new symbol: a plain one, one that SMT-LIB must quote, or one with letters beyond ASCII."""
    name = gen.run.symbol("x")
    settings, stream = gen.settings, gen.stream
    if stream.random() < settings.probabilities["quoted-symbol"]:
        return name + stream.choose(
            (" ", " a b", "(", ")", ";", '"', "'", "#b1", ":k", ",", "{", "\\u{41}", "%d", "\n")
        )
    if stream.random() < settings.probabilities["unicode-symbol"]:
        letter = stream.choose(("\xe9", "\u03bb", "\u2200", "\U0001f40d"))
        return name if gen.run.wrapper.ascii_symbols else name + letter
    return name


def literal(gen: Generator, sort: Sort) -> Entry:
    """`mk-value` of `sort`. Raises Refused."""
    entry = sort_entry(gen, sort)
    return value(gen, entry.sort, draw_literal(sort, gen.settings, gen.stream))


def value(gen: Generator, sort: Sort, number: object) -> Entry:
    """`mk-value` of a given value. Raises Refused."""
    words: list[Token] = [Quoted(w) if isinstance(w, str) else w for w in write_value(sort, number)]
    return make_value(gen.run, sort_entry(gen, sort), words, gen.run.line_seed())


def specials(gen: Generator, sort: Sort) -> list[str]:
    """The special values of `sort` that this release spells."""
    known = gen.catalogue.sorts.get(sort.kind)
    return (
        [name for name in known.special if gen.run.wrapper.set("special-values", name)]
        if known
        else []
    )


def special(gen: Generator, sort: Sort) -> Entry | None:
    """`mk-special-value` of `sort`, None where it has none. Raises Refused."""
    names = specials(gen, sort)
    if not names:
        return None
    return make_special(
        gen.run, sort_entry(gen, sort), gen.stream.choose(names), gen.run.line_seed()
    )


def leaf(gen: Generator, sort: Sort) -> Entry | None:
    """A leaf of `sort`: a literal, a special value or a constant. The result is None if the sort
    allows none of them. Raises Refused.
    """
    kind, stream = sort.kind, gen.stream
    if kind == "SORT_REGLAN":
        return _regex(gen)
    wants_constant = (
        kind == "SORT_BOOL" or stream.random() < gen.settings.probabilities["uninterpreted-leaf"]
    )
    if kind in LITERAL_KINDS and not wants_constant and gen.run.wrapper.set("values", kind):
        return literal(gen, sort)
    if stream.random() < STATIC_SPECIAL or not gen.profile.allows("const", sort):
        found = special(gen, sort)
        if found is not None:
            return found
    return constant(gen, sort) if gen.profile.allows("const", sort) else None


def _regex(gen: Generator) -> Entry | None:
    """A leaf for a regular language. Solvers have no constants of this sort, so the leaf is an
    operator without arguments, or the language of one string.
    """
    run, stream = gen.run, gen.stream
    operators = gen.catalogue.operators
    names = ["OP_STR_TO_RE", "OP_STR_TO_RE", "OP_RE_ALL", "OP_RE_ALLCHAR", "OP_RE_NONE"]
    operator = operators[stream.choose([n for n in names if run.wrapper.set("operators", n)])]
    if operator.kind != "OP_STR_TO_RE":
        return make_term(run, operator, (), (), run.line_seed())
    text = literal(gen, run.sorts.get("SORT_STRING"))
    return make_term(run, operator, (text,), (), run.line_seed())


def literal_argument(gen: Generator, sort: Sort, rule: str) -> Entry | None:
    """A literal that a profile asks for as an argument: `any`, `char`, `nonnegative`, `nonzero`,
    `small` (0 to 8), `special`.
    """
    if rule == "special":
        return special(gen, sort)
    if sort.kind not in LITERAL_KINDS:
        return special(gen, sort)
    for _ in range(8):
        drawn = draw_literal(sort, gen.settings, gen.stream)
        if rule == "char":
            drawn = (str(drawn) or "a")[0]
        if rule == "nonnegative":
            drawn = abs(drawn)
        if rule == "small":
            drawn = type(drawn)(gen.stream.below(9))
        if rule != "nonzero" or drawn != 0:
            return _reuse(gen, sort, drawn)
    return None


def _reuse(gen: Generator, sort: Sort, drawn: object) -> Entry:
    """The entry of a drawn literal. If a few literals of the run include the same value, their
    entry is taken instead of a new one.
    """
    for _ in range(3):
        found = gen.run.db.pick(sort, gen.stream, 0.5, closed=True)
        if found is not None and found.term.op == VALUE and found.term.indices[0] == drawn:
            return found
    return value(gen, sort, drawn)


def random_leaf_sort(gen: Generator, context: str) -> Sort | None:
    """A sort of the run for which a leaf is made; rarely the Booleans."""
    sorts = [s for s in gen.run.db.sort_entries if gen.profile.allows(context, s)]
    others = [s for s in sorts if s.kind != "SORT_BOOL"]
    if others and gen.stream.random() >= gen.settings.probabilities["boolean-leaf"]:
        sorts = others
    return gen.stream.choose(sorts) if sorts else None


def constant_action(gen: Generator) -> bool:
    """`mk-const` of a sort that the run has."""
    sort = random_leaf_sort(gen, "const")
    if sort is None or sort.kind == "SORT_REGLAN":
        return False
    constant(gen, sort)
    return True


def value_action(gen: Generator) -> bool:
    """`mk-value` of a sort that the run has and that has literals."""
    sorts = [
        s
        for s in gen.run.db.sort_entries
        if s.kind in LITERAL_KINDS and gen.run.wrapper.set("values", s.kind)
    ]
    if not sorts:
        return False
    literal(gen, gen.stream.choose(sorts))
    return True


def special_action(gen: Generator) -> bool:
    """`mk-special-value` of a sort that the run has and that has special values."""
    sorts = [s for s in gen.run.db.sort_entries if specials(gen, s)]
    if not sorts:
        return False
    return special(gen, gen.stream.choose(sorts)) is not None
