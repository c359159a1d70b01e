"""The user's own fusion functions: an SMT-LIB script of definitions, three a function, or four.

    (declare-const c Int)
    (define-fun scale   ((x Int) (y Int)) Int (+ (* c x) y))
    (define-fun scale.x ((z Int) (y Int)) Int (div (- z y) c))
    (define-fun scale.y ((z Int) (x Int)) Int (- z (* c x)))
    (define-fun scale.guard ((x Int) (y Int)) Bool true)

The inversion laws x = scale.x(scale(x, y), y) and y = scale.y(scale(x, y), x) must hold wherever
the guard does, everywhere without one. Where it does not, a constant stands for itself, so that no
model of a seed is lost. Each use of a function draws a literal for each constant that the script
declares, a number other than 0. `published` reads the other format of functions.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from murxpy.errors import InputError
from murxpy.logic.sorts import Sort
from murxpy.logic.terms import CONSTANT, Term
from murxpy.logic.walks import preorder, subterms
from murxpy.smtlib.building import Tables, substituted
from murxpy.smtlib.reading.scripts import read_script
from murxpy.smtlib.script import Assert, CheckSat, DefineFun, Script, SetLogic
from murxpy.sources.mutation.functions.composed import LITERALS
from murxpy.sources.mutation.functions.inversions import Fusion, Maker, Rule

PARTS = (".x", ".y", ".guard")
NUMBERS = ("SORT_INT", "SORT_REAL")


@dataclass(frozen=True)
class Part:
    """A term over two placeholders: the value of a function, one of its inverses, or its guard."""

    variables: tuple[Term, ...]
    body: Term

    def applied(self, tables: Tables, literals: Mapping[Term, Term], *args: Term) -> Term:
        """The term for two arguments, with literals in place of the constants that are drawn."""
        both = dict(zip(self.variables, args, strict=True))
        return substituted(tables, self.body, {**literals, **both})


@dataclass(frozen=True)
class UserFunction:
    """One fusion function of the user on terms of the two `sorts`. `constants` are drawn as literals.
    The inverses of a published function divide without a guard; `divisors` are those of each.
    """

    name: str
    sorts: tuple[Sort, Sort]
    value: Part
    first: Part
    second: Part
    guard: Part | None = None
    constants: tuple[Term, ...] = ()
    divisors: tuple[tuple[Term, ...], tuple[Term, ...]] = ((), ())

    def rule(self, m: Maker, x: Term, y: Term) -> Fusion:
        """The use of the function on two terms, with random literals."""
        literals = {c: LITERALS[c.sort.kind](m, c.sort) for c in self.constants}
        return self.used(m, x, y, literals)

    def used(self, m: Maker, x: Term, y: Term, literals: Mapping[Term, Term]) -> Fusion:
        """The use of the function on two terms, with these literals in place of its constants."""
        tables = m.tables
        holds = None if self.guard is None else self.guard.applied(tables, literals, x, y)

        def inverse(place: int, z: Term) -> Term:
            part, known, other = ((self.first, x, y), (self.second, y, x))[place]
            made = part.applied(tables, literals, z, other)
            for divisor in self.divisors[place]:
                term = Part(part.variables, divisor).applied(tables, literals, z, other)
                made = m.unless_zero(term, known, made)
            return made if holds is None else m.apply("OP_ITE", holds, made, known)

        return Fusion(
            self.value.applied(tables, literals, x, y),
            lambda z: inverse(0, z),
            lambda z: inverse(1, z),
        )


def read_functions(text: str, name: str, tables: Tables) -> list[UserFunction]:
    """The functions in a script, in order. Raises InputError if a function has no inverse, or a part
    has a wrong sort.
    """
    script = read_script(text, name, tables.catalogue, tables)
    lines = {
        c.name: script.line(at) for at, c in enumerate(script.commands) if isinstance(c, DefineFun)
    }
    defined = {c.name: c for c in script.commands if isinstance(c, DefineFun)}
    constants = literals(script, script.constants())
    found = []
    for base in [known for known in defined if not known.endswith(PARTS)]:
        try:
            found.append(_function(base, defined, constants))
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


def literals(script: Script, constants: Iterable[Term]) -> tuple[Term, ...]:
    """The declared constants. Raises InputError for one of a sort whose literals are not drawn."""
    found = tuple(constants)
    for constant in found:
        if constant.sort.kind not in LITERALS:
            known = ", ".join(kind.removeprefix("SORT_") for kind in LITERALS)
            raise InputError(
                f"'{constant.indices[0]}' has the sort {constant.sort!r}; expected a sort whose "
                f"literals can be drawn: {known}",
                file=script.name,
            )
    return found


def _function(
    base: str, defined: dict[str, DefineFun], constants: tuple[Term, ...]
) -> UserFunction:
    value = defined[base]
    if len(value.variables) != 2:
        raise InputError(f"'{base}': expected a function of two arguments")
    x, y = (variable.sort for variable in value.variables)
    result = value.body.sort
    first = _part(defined, f"{base}.x", (result, y), x)
    second = _part(defined, f"{base}.y", (result, x), y)
    guard = None
    if f"{base}{PARTS[2]}" in defined:
        guard = _part(defined, f"{base}{PARTS[2]}", (x, y), None)
    whole = Part(value.variables, value.body)
    return UserFunction(base, (x, y), whole, first, second, guard, constants)


def _part(
    defined: dict[str, DefineFun], name: str, arguments: tuple[Sort, ...], result: Sort | None
) -> Part:
    """The definition of a part. A `result` of None is Boolean."""
    there = defined.get(name)
    if there is None:
        raise InputError(f"expected a definition of '{name}', an inverse of '{name[:-2]}'")
    right = there.body.sort is result if result is not None else there.body.sort.kind == "SORT_BOOL"
    if tuple(v.sort for v in there.variables) != arguments or not right:
        raise InputError(
            f"'{name}': expected a function from {arguments[0]!r} and {arguments[1]!r} to {result or 'BOOL'!r}"
        )
    return Part(there.variables, there.body)


def user_rules(functions: Iterable[UserFunction]) -> Iterator[tuple[str, Sort, Sort, Rule]]:
    """The name, both sorts and the rule of each function."""
    for function in functions:
        yield function.name, *function.sorts, function.rule


# ----------------------------------------------------------------------
# Fusion functions in the configuration format of the published program YinYang, as section 3.4
# of Winterer's thesis shows it: #begin (declare-const x Int)(declare-const y Int)(declare-const
# z Int)(declare-const c Int) (assert (= z (+ (+ x y) c))) (assert (= x (- (- z y) c))) (assert
# (= y (- (- z x) c))) #end `z` is the new constant, `c` or `c` with a number is drawn as a
# literal, and the other two constants are tied. A block has no name, so the function of the
# third block is called `block-3`. Where an inverse divides by a term that is 0, a constant
# stands for itself.


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
            found.append(_published_function(f"block-{number}", block, name, tables))
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


def _published_function(label: str, block: str, name: str, tables: Tables) -> UserFunction:
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
    dividing = (part for part in subterms([term]) if part.op in _DIVIDING)
    return tuple(dict.fromkeys(arg for one in dividing for arg in one.args[1:] if not arg.literal))


# ----------------------------------------------------------------------
# The inversion laws of a fusion function. With them a fusion of scripts keeps the answers of
# the scripts.


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
    return [term for term in preorder(roots) if term.op == CONSTANT]
