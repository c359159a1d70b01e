"""The fragments of a seed: the closed formulas in its assertions, down to atoms.

Mansur et al., FSE 2020, section 3.1. New here: formulas below any operator are fragments, such as
the condition of an `ite` between numbers; and the body of a quantifier can be opened.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from murxpy.logic.catalogue import Catalogue
from murxpy.logic.terms import CONSTANT, FUNCTION, Term, bottom_up
from murxpy.mutation.occurrences import binds
from murxpy.smtlib.substitution import substituted
from murxpy.smtlib.tables import Tables

QUANTIFIERS = ("OP_FORALL", "OP_FORALL_PATTERN", "OP_EXISTS", "OP_EXISTS_PATTERN")


class Depths:
    """The depth of formulas: the number of connectives on the longest path down to an atom. An atom
    has depth 0, and so has a quantified formula, whatever is in it.
    """

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        self._known: dict[Term, int] = {}

    def of(self, formula: Term) -> int:
        """The depth of a formula."""
        known, stack = self._known, [formula]
        while stack:
            term = stack[-1]
            inner = term.args if self._connects(term) else ()
            waiting = [arg for arg in inner if arg not in known]
            if waiting:
                stack.extend(waiting)
                continue
            known[stack.pop()] = 1 + max(map(known.__getitem__, inner)) if inner else 0
        return known[formula]

    def _connects(self, term: Term) -> bool:
        """Whether the term is an operator of formulas that gives a formula."""
        formulas = all(part.sort.kind == "SORT_BOOL" for part in (term, *term.args))
        return formulas and bool(term.args) and not binds(self._catalogue, term)


def fragments(catalogue: Catalogue, roots: Iterable[Term]) -> list[Term]:
    """The closed formulas in `roots`, each once, outer ones before those within them."""
    found: dict[Term, None] = {}
    seen: dict[Term, None] = {}
    stack = list(roots)[::-1]
    while stack:
        term = stack.pop()
        if term in seen:
            continue
        seen[term] = None
        if term.sort.kind == "SORT_BOOL" and not term.free:
            found[term] = None
        stack.extend(reversed(_inner(catalogue, term)))
    return list(found)


def _inner(catalogue: Catalogue, term: Term) -> Sequence[Term]:
    """The arguments in which fragments can be: not the function of an application, variables and
    patterns.
    """
    if term.op == FUNCTION:
        return ()
    first = 1 if term.op == "OP_UF_APPLY" else len(binds(catalogue, term))
    return term.args[first : len(term.args) - term.op.endswith("_PATTERN")]


def opened(tables: Tables, formula: Term, fresh: str) -> tuple[Term, list[Term]]:
    """The body of a quantified formula with new constants in place of its variables, and these
    constants. Their names begin with `fresh`, which no other symbol does.
    """
    variables = binds(tables.catalogue, formula)
    constants = [
        tables.constant(f"{fresh}{variable.indices[1]}", variable.sort) for variable in variables
    ]
    body = formula.args[len(variables)]
    return substituted(tables, body, dict(zip(variables, constants, strict=True))), constants


def unfixed(roots: Iterable[Term]) -> dict[Term, bool]:
    """For each term in `roots`, whether it has constants or functions in it, whose meaning an
    interpretation fixes.
    """
    known: dict[Term, bool] = {}
    for root in roots:
        for term in bottom_up(root, known):
            known[term] = term.op == CONSTANT or any(known[arg] for arg in term.args)
    return known


def fresh_prefix(tables: Tables, constants: Sequence[Term], prefix: str = "open_") -> str:
    """The beginning of names that none of the constants has: `prefix`, with more underscores if one
    has it.
    """
    names = [str(constant.indices[0]) for constant in constants]
    while any(name.startswith(prefix) for name in names):
        prefix += "_"
    return prefix
