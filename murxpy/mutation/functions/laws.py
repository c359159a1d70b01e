"""The inversion laws of a fusion function. With them a fusion of scripts keeps the answers of the
scripts.
"""

from __future__ import annotations

from murxpy.logic.terms import CONSTANT, Term
from murxpy.mutation.functions.inversions import Fusion
from murxpy.smtlib.commands import Assert, CheckSat, SetLogic
from murxpy.smtlib.script import Script
from murxpy.smtlib.tables import Tables


def laws(tables: Tables, fusion: Fusion, x: Term, y: Term) -> tuple[Term, Term]:
    """`x = rx(f(x, y), y)` and `y = ry(f(x, y), x)`, which must hold whenever `fusion.also` does."""
    return tables.apply("OP_EQUAL", fusion.first(fusion.value), x), tables.apply(
        "OP_EQUAL", fusion.second(fusion.value), y
    )


def refutations(
    tables: Tables, fusion: Fusion, x: Term, y: Term, bounds: tuple[Term, ...] = ()
) -> list[Script]:
    """For each law, a script that is unsatisfiable exactly if the law holds within `bounds`."""
    known = [*bounds, *fusion.also]
    wrong = [tables.apply("OP_NOT", law) for law in laws(tables, fusion, x, y)]
    return [
        Script("law", tables, [SetLogic("ALL"), *map(Assert, [*known, one]), CheckSat()])
        for one in wrong
    ]


def constants_of(roots: tuple[Term, ...]) -> list[Term]:
    """The constants in terms, in the order of their first occurrence."""
    seen: dict[Term, None] = {}
    stack = list(reversed(roots))
    while stack:
        term = stack.pop()
        if term not in seen:
            seen[term] = None
            stack.extend(reversed(term.args))
    return [term for term in seen if term.op == CONSTANT]
