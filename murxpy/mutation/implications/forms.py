"""The form of a term: what can be seen of it quickly, so that rules which cannot match it are never
drawn for its place.

The form is the operator of the term, with the sorts and the operators of its arguments.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from murxpy.logic.catalogue import Catalogue, Operator
from murxpy.logic.sorts import Sort
from murxpy.logic.terms import VARIABLE, Term, subterms

APPLY = "OP_UF_APPLY"
BINDERS = ("OP_FORALL", "OP_EXISTS")
LETTER = "SORT_UNINTERPRETED"  # the kind of the sorts that stand for any sort in a pattern
NO_LETTER = ("SORT_FUN", "SORT_REGLAN", "SORT_CASE")  # kinds for which no such sort stands
MANY = 4  # of a term with more arguments, the form has the first one, the last one, and which there are

Metas = Mapping[Term, str]
Form = tuple[Any, ...]
Need = tuple[str | None, str | None, str | None]
"""What a term must have to match a pattern: its operator, the kind of sort of its arguments, and the
operator of one of these. None stands for any.
"""


def form_of(term: Term) -> Form:
    """What `may_match` looks at. Terms with the same form have the same answers."""
    args = term.args
    if len(args) <= MANY:
        return term.op, *[(arg.op, arg.sort.kind) for arg in args]
    parts = [(arg.op, arg.sort.kind) for arg in args]
    return term.op, parts[0], parts[-1], frozenset(parts)


def need_of(metas: Metas, pattern: Term) -> Need:
    """What all terms have that match a pattern."""
    if plain(metas, pattern):
        return None, None, None
    if pattern.op in BINDERS or not pattern.args:
        return pattern.op, None, None
    kinds = [arg.sort.kind for arg in pattern.args]
    kind = None if LETTER in kinds or len(set(kinds)) > 1 else kinds[0]
    # an application to more arguments has no inner application of the same operator
    inner = [
        arg.op
        for arg in pattern.args
        if not plain(metas, arg) and arg.op not in (VARIABLE, pattern.op)
    ]
    return pattern.op, kind, inner[0] if inner else None


def met_by(term: Term) -> list[Need]:
    """The needs of patterns that a term has."""
    kinds = [None, term.args[0].sort.kind] if term.args else [None]
    inner = dict.fromkeys([None, *[arg.op for arg in term.args]])
    return [(None, None, None), *[(term.op, kind, one) for kind in kinds for one in inner]]


def may_match(
    catalogue: Catalogue, metas: Metas, pattern: Term, term: Term, chain: bool = False
) -> bool:
    """Whether a term may have the form of a pattern. With `chain`, an application to more arguments
    counts as several applications to two.
    """
    if plain(metas, pattern):
        return _sorts(pattern.sort, term.sort)
    if pattern.op != term.op:
        return False
    if pattern.op in BINDERS:
        return len(pattern.args) == 2
    if pattern.literal:
        return _sorts(pattern.sort, term.sort)
    patterns, args = pattern.args, term.args
    operator = catalogue.operators[term.op]
    if len(patterns) == len(args):
        return _all(metas, patterns, args) or (
            operator.commutative and len(args) == 2 and _all(metas, patterns, args[::-1])
        )
    if len(patterns) != 2 or len(args) < 3:
        return False
    if chain:
        return all(_fits(metas, patterns[0], arg) for arg in args)
    return _several(metas, patterns, args, operator)


def numbers_in(sort: Sort) -> set[int]:
    """The numbers in a sort."""
    found = {param for param in sort.params if isinstance(param, int)}
    return found.union(*map(numbers_in, sort.sorts()))


def is_deep(metas: Metas, pattern: Term) -> bool:
    """Whether a pattern has operators that the form of a term does not show."""
    if pattern in metas:
        return False
    near = () if plain(metas, pattern) or pattern.op in BINDERS else pattern.args
    shown = {pattern, *near}
    return any(
        not plain(metas, p) and p.op != VARIABLE for p in subterms([pattern]) if p not in shown
    )


def has_parts(catalogue: Catalogue, metas: Metas, pattern: Term, term: Term) -> bool:
    """Whether the operators of a pattern are where a term has them."""
    if plain(metas, pattern) or pattern.op == VARIABLE:
        return True
    if pattern.op != term.op:
        return False
    if pattern.op in BINDERS:
        return has_parts(catalogue, metas, pattern.args[-1], term.args[-1])
    patterns, args = pattern.args, term.args
    if len(patterns) != len(args):
        return True  # an application to more arguments, of which the form says enough
    if all(has_parts(catalogue, metas, *pair) for pair in zip(patterns, args, strict=True)):
        return True
    return (
        len(args) == 2
        and catalogue.operators[term.op].commutative
        and has_parts(catalogue, metas, patterns[0], args[1])
        and has_parts(catalogue, metas, patterns[1], args[0])
    )


def plain(metas: Metas, pattern: Term) -> bool:
    """Whether a pattern is a metavariable, or the application of one."""
    return pattern in metas or (pattern.op == APPLY and pattern.args[0] in metas)


def _all(metas: Metas, patterns: tuple[Term, ...], args: tuple[Term, ...]) -> bool:
    return all(_fits(metas, one, arg) for one, arg in zip(patterns, args, strict=True))


def _fits(metas: Metas, pattern: Term, arg: Term) -> bool:
    """Whether the operator and the kind of sort of an argument are those of a pattern."""
    return _sorts(pattern.sort, arg.sort) and (
        plain(metas, pattern) or pattern.op == VARIABLE or pattern.op == arg.op
    )


def _sorts(pattern: Sort, sort: Sort) -> bool:
    return sort.kind not in NO_LETTER if pattern.kind == LETTER else pattern.kind == sort.kind


def _several(
    metas: Metas,
    patterns: tuple[Term, ...],
    args: tuple[Term, ...],
    operator: Operator,
) -> bool:
    """Whether an application to more arguments may be one of the pattern's operator to two."""
    op, attribute = operator.kind, operator.signature.attribute
    if attribute == "right-assoc":
        rest = plain(metas, patterns[1]) or patterns[1].op == op
        return rest and _fits(metas, patterns[0], args[0])
    if attribute != "left-assoc":
        return False
    if not operator.commutative:
        rest = plain(metas, patterns[0]) or patterns[0].op == op
        return rest and _fits(metas, patterns[1], args[-1])
    wanted = [pattern.op for pattern in patterns if not plain(metas, pattern)]
    return not wanted or any(arg.op == wanted[0] for arg in args)
