"""Replaces constants and variables by terms, everywhere in a term at once."""

from __future__ import annotations

from collections.abc import Mapping

from murxpy.logic.catalogue import Catalogue
from murxpy.logic.terms import FUNCTION, Term, bottom_up
from murxpy.smtlib.tables import Tables


def binds(catalogue: Catalogue, term: Term) -> tuple[Term, ...]:
    """Return the variables that `term` binds."""
    operator = catalogue.operators.get(term.op)
    if operator is None or not operator.signature.binder:
        return ()
    behind = 1 if operator.typing == "match-case" else len(operator.signature.args) - 1
    return term.args[: len(term.args) - behind]


def substituted(tables: Tables, root: Term, new: Mapping[Term, Term]) -> Term:
    """Return `root` with each key of `new` replaced by its value, which has the same sort. Bound
    variables are not renamed, so a free variable of a value can become bound.
    """
    done: dict[Term, Term] = dict(new)
    for term in bottom_up(root, done):
        args = tuple(done[arg] for arg in term.args)
        same = all(old is arg for old, arg in zip(term.args, args, strict=True))
        done[term] = (
            term
            if same
            else tables.terms.apply(term.op, args, term.indices, term.sort, _bound(tables, term))
        )
    return done[root]


def _bound(tables: Tables, term: Term) -> tuple[Term, ...]:
    return term.args[:-1] if term.op == FUNCTION else binds(tables.catalogue, term)
