"""Fusion functions in the configuration format of the published program YinYang, as section 3.4 of
Winterer's thesis shows it:

    #begin
    (declare-const x Int)(declare-const y Int)(declare-const z Int)(declare-const c Int)
    (assert (= z (+ (+ x y) c)))
    (assert (= x (- (- z y) c)))
    (assert (= y (- (- z x) c)))
    #end

`z` is the new constant, `c` or `c` with a number is drawn as a literal, and the other two constants
are tied. A block has no name, so the function of the third block is called `block-3`. Where an
inverse divides by a term that is 0, a constant stands for itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from murxpy.errors import InputError
from murxpy.logic.terms import Term
from murxpy.mutation.functions.user_functions import (
    Part,
    UserFunction,
    literals,
    read_functions,
)
from murxpy.smtlib.reading.scripts import read_script
from murxpy.smtlib.tables import Tables

_BEGIN, _END = "#begin", "#end"
_DRAWN = re.compile(r"c\d*")
_DIVIDING = ("OP_INT_DIV", "OP_INT_MOD", "OP_REAL_DIV")


def read_any(
    text: str, name: str, tables: Tables, notes: list[str] | None = None
) -> list[UserFunction]:
    """The functions of a text in either format. Raises InputError. A block of the published format
    whose equation has three sides is left out, and described in `notes`.
    """
    blocks = list(_blocks(text, name))
    if not blocks:
        return read_functions(text, name, tables)
    found = []
    for number, (line, block) in enumerate(blocks, 1):
        try:
            found.append(_function(f"block-{number}", block, name, tables))
        except _Chained as chained:
            if notes is not None:
                notes.append(f"{name}:{line}: block {number} left out: {chained}")
        except InputError as error:
            raise InputError(error.reason, file=name, line=error.line or line) from None
    if not found:
        raise InputError("expected a block with a fusion function", file=name)
    return found


class _Chained(Exception):
    """An equation has more than two sides."""


def _blocks(text: str, name: str) -> Iterator[tuple[int, str]]:
    """The line and the text of each block. Empty lines in front keep the numbers of its lines."""
    begin, rows = 0, list[str]()
    for number, row in enumerate(text.splitlines(), 1):
        word = row.strip()
        if word.startswith(_BEGIN):
            if begin:
                raise InputError(f"expected '{_END}' before '{_BEGIN}'", file=name, line=number)
            begin, rows = number, [""] * number
        elif word.startswith(_END):
            if not begin:
                raise InputError(f"expected '{_BEGIN}' before '{_END}'", file=name, line=number)
            yield begin, "\n".join(rows)
            begin = 0
        elif begin:
            rows.append(row)
    if begin:
        raise InputError(f"expected '{_END}' behind '{_BEGIN}'", file=name, line=begin)


def _function(label: str, block: str, name: str, tables: Tables) -> UserFunction:
    script = read_script(block, name, tables.catalogue, tables)
    constants = {str(term.indices[0]): term for term in script.constants()}
    drawn = [term for known, term in constants.items() if _DRAWN.fullmatch(known)]
    inputs = [term for known, term in constants.items() if known != "z" and term not in drawn]
    z = constants.get("z")
    if z is None or len(inputs) != 2:
        raise InputError("expected declarations of 'z' and of two constants that are tied")
    x, y = inputs
    equations = script.assertions()
    if len(equations) != 3:
        raise InputError(f"expected three assertions, found {len(equations)}")
    wanted = (z, x, y)
    value, first, second = map(_side, equations, wanted)
    return UserFunction(
        label,
        (x.sort, y.sort),
        Part((x, y), value),
        Part((z, y), first),
        Part((z, x), second),
        constants=literals(script, drawn),
        divisors=(_divisors(first), _divisors(second)),
    )


def _side(equation: Term, constant: Term) -> Term:
    """The other side of an equation that begins with a constant."""
    name = constant.indices[0]
    if equation.op != "OP_EQUAL" or equation.args[0] is not constant:
        raise InputError(f"expected (assert (= {name} TERM))")
    if len(equation.args) != 2:
        raise _Chained(f"(= {name} ...) has {len(equation.args)} sides, expected two")
    return equation.args[1]


def _divisors(term: Term) -> tuple[Term, ...]:
    """The terms by which a term divides, other than literals."""
    found: dict[Term, None] = {}
    stack = [term]
    while stack:
        top = stack.pop()
        if top.op in _DIVIDING:
            found.update(dict.fromkeys(arg for arg in top.args[1:] if not arg.literal))
        stack.extend(top.args)
    return tuple(found)
