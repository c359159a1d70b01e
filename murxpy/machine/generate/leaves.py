"""Choosing leaves: constants, literals and special values, on their own or where an argument needs
one.
"""

from __future__ import annotations

from murxpy.logic.sorts import Sort
from murxpy.logic.terms import VALUE
from murxpy.logic.values import LITERAL_KINDS, write_value
from murxpy.machine.database import Entry
from murxpy.machine.generate.base import Generator, sort_entry
from murxpy.machine.generate.literals import draw_literal
from murxpy.machine.generate.planting import plant_constant
from murxpy.machine.make import make_constant, make_special, make_term, make_value
from murxpy.machine.tokens import Quoted, Token

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
    """A leaf of `sort`: a literal, a special value or a constant. None if the sort allows none of
    them. Raises Refused.
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
