"""The user's own fusion functions: an SMT-LIB script of definitions, three a function, or four.

    (define-fun scale   ((x Int) (y Int)) Int (+ (* 3 x) y))
    (define-fun scale.x ((z Int) (y Int)) Int (div (- z y) 3))
    (define-fun scale.y ((z Int) (x Int)) Int (- z (* 3 x)))
    (define-fun scale.guard ((x Int) (y Int)) Bool true)

The inversion laws x = scale.x(scale(x, y), y) and y = scale.y(scale(x, y), x) must hold wherever
the guard does, everywhere without one. Where it does not, a constant stands for itself, so that no
model of a seed is lost.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from murxpy.errors import InputError
from murxpy.logic.sorts import Sort
from murxpy.logic.terms import Term
from murxpy.mutation.functions.inversions import Fusion, Maker, Rule
from murxpy.smtlib.commands import DefineFun
from murxpy.smtlib.reading.scripts import read_script
from murxpy.smtlib.substitution import substituted
from murxpy.smtlib.tables import Tables

PARTS = (".x", ".y", ".guard")


@dataclass(frozen=True)
class UserFunction:
    """One fusion function of the user on two terms of `sort`, by its definitions."""

    name: str
    sort: Sort
    value: DefineFun
    first: DefineFun
    second: DefineFun
    guard: DefineFun | None

    def rule(self, m: Maker, x: Term, y: Term) -> Fusion:
        """The use of the function on two terms."""
        holds = None if self.guard is None else _applied(m.tables, self.guard, x, y)

        def guarded(inverse: Term, known: Term) -> Term:
            return inverse if holds is None else m.apply("OP_ITE", holds, inverse, known)

        return Fusion(
            _applied(m.tables, self.value, x, y),
            lambda z: guarded(_applied(m.tables, self.first, z, y), x),
            lambda z: guarded(_applied(m.tables, self.second, z, x), y),
        )


def _applied(tables: Tables, definition: DefineFun, *args: Term) -> Term:
    return substituted(tables, definition.body, dict(zip(definition.variables, args, strict=True)))


def read_functions(text: str, name: str, tables: Tables) -> list[UserFunction]:
    """The functions in a script, in order. Raises InputError if one has no inverse, or a part has a
    wrong sort.
    """
    script = read_script(text, name, tables.catalogue, tables)
    lines = {
        c.name: script.line(at) for at, c in enumerate(script.commands) if isinstance(c, DefineFun)
    }
    defined = {c.name: c for c in script.commands if isinstance(c, DefineFun)}
    found = []
    for base in [known for known in defined if not known.endswith(PARTS)]:
        try:
            found.append(_function(base, defined))
        except InputError as error:
            raise InputError(error.reason, file=name, line=lines[base]) from None
    for part in defined:
        whole = part.rpartition(".")[0]
        if part.endswith(PARTS) and whole not in defined:
            raise InputError(
                f"expected a definition of '{whole}', to which '{part}' belongs",
                file=name,
                line=lines[part],
            )
    if not found:
        raise InputError(
            "expected definitions of fusion functions, as in '(define-fun f ((x Int) (y Int)) Int ...)'",
            file=name,
        )
    return found


def _function(base: str, defined: dict[str, DefineFun]) -> UserFunction:
    value = defined[base]
    if len(value.variables) != 2 or value.variables[0].sort is not value.variables[1].sort:
        raise InputError(f"'{base}': expected a function of two arguments of one sort")
    sort, result = value.variables[0].sort, value.body.sort
    first, second = (_part(defined, f"{base}{end}", (result, sort), sort) for end in PARTS[:2])
    guard = None
    if f"{base}{PARTS[2]}" in defined:
        guard = _part(defined, f"{base}{PARTS[2]}", (sort, sort), None)
    return UserFunction(base, sort, value, first, second, guard)


def _part(
    defined: dict[str, DefineFun], name: str, arguments: tuple[Sort, ...], result: Sort | None
) -> DefineFun:
    """The definition of a part. A `result` of None is Boolean."""
    there = defined.get(name)
    if there is None:
        raise InputError(f"expected a definition of '{name}', an inverse of '{name[:-2]}'")
    right = there.body.sort is result if result is not None else there.body.sort.kind == "SORT_BOOL"
    if tuple(v.sort for v in there.variables) != arguments or not right:
        raise InputError(
            f"'{name}': expected a function from {arguments[0]!r} and {arguments[1]!r} to {result or 'BOOL'!r}"
        )
    return there


def user_rules(text: str, tables: Tables) -> Iterator[tuple[str, Sort, Sort, Rule]]:
    """The name, both sorts and the rule of each function in a text that was checked before."""
    for function in read_functions(text, "functions", tables):
        yield function.name, function.sort, function.sort, function.rule
