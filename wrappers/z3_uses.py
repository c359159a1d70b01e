"""Ways in which programs use z3, whose answers are known by construction: equal programs over bit-vectors, overflow of their
arithmetic, claims about strings and numbers, a puzzle, and a context for each thread. Each function gives None, or a
str that says which promise is broken. The file imports only z3 and the standard library.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from itertools import permutations
from typing import Any

import z3

_USE_LIMIT = 20000  # the resource limit of each check
_USED_WIDTH = 32  # bits of a term that a program is made of
_MULTIPLIED = 6  # bits of factors
_THREADS = 2
_COUNTED = 60  # up to which nodes are counted

Claims = list[tuple[str, Any]]  # what is claimed, and the formula


def _using(ctx: Any) -> Any:
    made = z3.SimpleSolver(ctx=ctx)
    made.set("rlimit", _USE_LIMIT)
    return made


def proved(solver: Any, claims: Callable[[Any, Any], Claims], one: Any, other: Any) -> str | None:
    """Prove a claim about two terms by refutation, beside what a solver asserts. It holds for all values, so a
    check with the negation has no model: a check tells "whether the assertions ... are consistent or not".
    """
    found = claims(one, other)
    name, claim = found[_nodes(one, other) % len(found)]
    there = _using(solver.ctx)
    there.add(solver.assertions())
    there.add(z3.Not(claim))
    if str(there.check()) != "sat":
        return None
    return f"a check with the negation of '{name}' gives sat instead of unsat"


def _nodes(*terms: Any) -> int:
    """The number of nodes in terms, up to a few."""
    seen, todo = set[int](), list(terms)
    while todo and len(seen) < _COUNTED:
        one = todo.pop()
        if one.get_id() not in seen:
            seen.add(one.get_id())
            todo.extend(one.children())
    return len(seen)


def _bit_vectors(one: Any, other: Any) -> tuple[Any, Any]:
    """The terms, if they are bit-vectors of few bits; otherwise new constants."""
    if z3.is_bv(one) and one.size() <= _USED_WIDTH:
        return one, other
    return z3.BitVec("murxpy-x", 8, one.ctx), z3.BitVec("murxpy-y", 8, one.ctx)


def programs(one: Any, other: Any) -> Claims:
    """Programs over bit-vectors that give the same for all inputs."""
    x, y = _bit_vectors(one, other)
    width, bit = x.size(), z3.BitVecVal(1, x.size(), x.ctx)
    sign = x >> (width - 1)
    less = z3.If(z3.ULT(x, y), -bit, bit - bit)
    carried = z3.ZeroExt(1, x) + z3.ZeroExt(1, y)
    return [
        ("a sum by its carries", x + y == (x ^ y) + ((x & y) << 1)),
        ("a disjunction by a sum", (x | y) == (x + y) - (x & y)),
        (
            "an average without overflow",
            (x & y) + z3.LShR(x ^ y, bit) == z3.Extract(width, 1, carried),
        ),
        ("a minimum without a branch", y ^ ((x ^ y) & less) == z3.If(z3.ULT(x, y), x, y)),
        ("an absolute value without a branch", (x ^ sign) - sign == z3.If(x < 0, -x, x)),
        ("the lowest bit", (x & -x) == (x & ~(x - bit))),
        ("a rotation by shifts", z3.RotateLeft(x, 1) == ((x << 1) | z3.LShR(x, width - 1))),
    ]


def overflow(one: Any, other: Any) -> Claims:
    """Predicates that tell "that bit-vector addition does not overflow", and the like, against wider results."""
    x, y = _bit_vectors(one, other)
    width = x.size()
    low, high = -(1 << (width - 1)), (1 << (width - 1)) - 1
    a, b = z3.SignExt(1, x), z3.SignExt(1, y)
    carried = z3.Extract(width, width, z3.ZeroExt(1, x) + z3.ZeroExt(1, y))
    found = [
        ("BVAddNoOverflow of signed", z3.BVAddNoOverflow(x, y, True) == (a + b <= high)),
        ("BVAddNoOverflow", z3.BVAddNoOverflow(x, y, False) == (carried == 0)),
        ("BVAddNoUnderflow", z3.BVAddNoUnderflow(x, y) == (a + b >= low)),
        ("BVSubNoOverflow", z3.BVSubNoOverflow(x, y) == (a - b <= high)),
        ("BVSubNoUnderflow of signed", z3.BVSubNoUnderflow(x, y, True) == (a - b >= low)),
        ("BVSubNoUnderflow", z3.BVSubNoUnderflow(x, y, False) == z3.UGE(x, y)),
        ("BVSDivNoOverflow", z3.BVSDivNoOverflow(x, y) == z3.Not(z3.And(x == low, y == -1))),
        ("BVSNegNoOverflow", z3.BVSNegNoOverflow(x) == (x != low)),
    ]
    if width <= _MULTIPLIED:
        signed = z3.SignExt(width, x) * z3.SignExt(width, y)
        top = z3.Extract(2 * width - 1, width, z3.ZeroExt(width, x) * z3.ZeroExt(width, y))
        found += [
            ("BVMulNoOverflow of signed", z3.BVMulNoOverflow(x, y, True) == (signed <= high)),
            ("BVMulNoOverflow", z3.BVMulNoOverflow(x, y, False) == (top == 0)),
            ("BVMulNoUnderflow", z3.BVMulNoUnderflow(x, y) == (signed >= low)),
        ]
    return found


def words(one: Any, other: Any) -> Claims:
    """Claims about two strings, and about the parts of a text with a comma."""
    s, t = one, other
    if not z3.is_string(one):
        s, t = z3.String("murxpy-s", one.ctx), z3.String("murxpy-t", one.ctx)
    comma, text = z3.StringVal(",", s.ctx), z3.StringVal("12,345", s.ctx)
    both = z3.Concat(s, t)
    split = z3.And(z3.Concat(s, comma, t) == text, z3.Not(z3.Contains(s, comma)))
    return [
        ("the length of two strings", z3.Length(both) == z3.Length(s) + z3.Length(t)),
        (
            "a prefix, a suffix, a part",
            z3.And(z3.PrefixOf(s, both), z3.SuffixOf(t, both), z3.Contains(both, s)),
        ),
        ("the rest of two strings", z3.SubString(both, z3.Length(s), z3.Length(t)) == t),
        ("the first place of a prefix", z3.IndexOf(both, s, 0) == 0),
        ("a string that is replaced", z3.Replace(s, s, t) == t),
        (
            "the parts of a text",
            z3.Implies(split, z3.And(z3.StrToInt(s) == 12, z3.StrToInt(t) == 345)),
        ),
    ]


def numbers(one: Any, other: Any) -> Claims:
    """Claims about two numbers of one sort."""
    x, y = one, other
    if not z3.is_arith(one):
        x, y = z3.Int("murxpy-i", one.ctx), z3.Int("murxpy-j", one.ctx)
    least, most = z3.If(x < y, x, y), z3.If(x < y, y, x)
    found = [
        ("the least and the most of two numbers", least + most == x + y),
        ("an absolute difference", z3.If(x < y, y - x, x - y) == most - least),
        ("an order by a difference", (x - y > 0) == (x > y)),
    ]
    if z3.is_int(x):
        rest = x % 7
        found.append(
            ("a quotient and its rest", z3.And(7 * (x / 7) + rest == x, rest >= 0, rest < 7))
        )
    return found


def use_puzzle(ctx: Any, figure: int) -> list[tuple[str, Any, Any]]:
    """All solutions of a puzzle with distinct numbers, each excluded when it is found, and those that Python
    finds.
    """
    weights, bound = (1, 1 + figure % 3, -(figure % 2)), 4 + figure % 7
    wanted = {
        cells
        for cells in permutations(range(1, 5), 3)
        if sum(weight * cell for weight, cell in zip(weights, cells, strict=True)) <= bound
    }
    cells = [z3.Int(f"murxpy-cell{at}", ctx) for at in range(3)]
    solver, found = _using(ctx), set[tuple[int, ...]]()
    solver.add(z3.Distinct(*cells), *(cell >= 1 for cell in cells), *(cell <= 4 for cell in cells))
    solver.add(
        z3.Sum([weight * cell for weight, cell in zip(weights, cells, strict=True)]) <= bound
    )
    while (answer := str(solver.check())) == "sat" and len(found) <= len(wanted):
        values = [solver.model().eval(cell, True) for cell in cells]
        found.add(tuple(value.as_long() for value in values))
        solver.add(z3.Or([cell != value for cell, value in zip(cells, values, strict=True)]))
    if answer == "unknown":
        return []
    return [
        ("the solutions of a puzzle", len(found), len(wanted)),
        ("a puzzle with a solution of it", found <= wanted, True),
    ]


def in_threads(solver: Any) -> str | None:
    """Check what a solver asserts in two threads, each with a context of its own: "To use Z3 from different threads
    create separate context objects".
    """
    asserted, answers = list(solver.assertions()), list[str]()
    if _nodes(*asserted) >= _COUNTED:
        return None
    theirs = [_using(z3.Context()) for _ in range(_THREADS)]
    for one in theirs:
        one.add([formula.translate(one.ctx) for formula in asserted])

    def check(there: Any) -> None:
        try:
            answers.append(str(there.check()))
        except z3.Z3Exception:
            return

    threads = [threading.Thread(target=check, args=(one,)) for one in theirs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    alone = _using(solver.ctx)
    alone.add(asserted)
    right = str(alone.check())
    for answer in answers:
        if {answer, right} == {"sat", "unsat"}:
            return (
                f"a check in a thread with a context of its own gives {answer} instead of {right}"
            )
    return None
