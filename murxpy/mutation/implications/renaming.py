"""New variables: in place of those that a term binds, so that the term can stand anywhere, and in place
of parts of a term.
"""

from __future__ import annotations

from murxpy.logic.terms import CONSTANT, FUNCTION, VARIABLE, Term, bottom_up
from murxpy.smtlib.substitution import binds, substituted
from murxpy.smtlib.tables import Tables


def renamed(tables: Tables, root: Term) -> Term:
    """The term with new variables in place of those that it binds, so that it can stand anywhere."""
    done: dict[Term, Term] = {}
    for term in bottom_up(root, done):
        if term.op == VARIABLE and term not in root.free:
            done[term] = tables.variable(str(term.indices[0]), term.sort)
        elif not term.args or term.op == FUNCTION or term.op == CONSTANT:
            done[term] = term
        else:
            args = tuple([done[arg] for arg in term.args])
            bound = args[: len(binds(tables.catalogue, term))]
            done[term] = tables.terms.apply(term.op, args, term.indices, term.sort, bound)
    return done[root]


def opened(tables: Tables, term: Term, part: Term, variable: Term) -> Term:
    """The term with a variable in place of a part, also where that occurs again, but not in the bodies
    of functions, which have no other variables than their own.
    """
    functions: dict[Term, Term] = {}
    stack, seen = [term], dict[Term, None]()
    while stack:
        one = stack.pop()
        if one.op == FUNCTION:
            functions[one] = one
        elif one not in seen:
            seen[one] = None
            stack.extend(one.args)
    return substituted(tables, term, {**functions, part: variable})
