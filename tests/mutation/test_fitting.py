"""Mutants keep to what the solver takes: the restrictions of a profile hold for all that a mutation
makes.
"""

from __future__ import annotations

import pytest
from chains import chain
from toy import catalogue

from murxpy.logic.terms import Term, is_value
from murxpy.machine.generate.swarm import Profile
from murxpy.machine.random import Stream
from murxpy.smtlib.reading.scripts import read_script
from murxpy.sources.mutation.registry import FUZZERS
from murxpy.sources.mutation.terms import Fitting
from murxpy.sources.mutation.workshop import MutationSession, Seed, Workshop

CATALOGUE = catalogue()
PROFILE = Profile(
    {
        "operators": {
            "OP_CONST_ARRAY": {"literals": {0: "any"}},
            "OP_RE_RANGE": {"literals": {0: "char", 1: "char"}},
            "OP_INT_POW": {"literals": {1: "small"}},
            "OP_RE_POW": {"indices": {0: [0, 3]}},
            "OP_EQUAL": {"exclude-sorts": ["SORT_REGLAN"]},
        }
    }
)
ARRAYS = """(declare-const x Int)(declare-const a (Array Int Int))
(assert (= a (store ((as const (Array Int Int)) 3) x (+ x 1))))(assert (< (select a x) x))(check-sat)"""


def every(roots: list[Term]) -> list[Term]:
    found: dict[Term, None] = {}
    stack = list(roots)
    while stack:
        term = stack.pop()
        if term not in found:
            found[term] = None
            stack.extend(term.args)
    return list(found)


def constant_arrays(fuzzer: str, profile: Profile | None) -> list[Term]:
    shop = MutationSession(CATALOGUE, frozenset(CATALOGUE.operators), "standard", profile)
    made = chain(
        FUZZERS[fuzzer].mutants(
            Workshop(shop, Stream(2), [Seed("a.smt2", ARRAYS)], lambda text: None, {})
        ),
        150,
    )
    return [
        term
        for mutant in made
        for term in every(mutant.script.assertions())
        if term.op == "OP_CONST_ARRAY"
    ]


@pytest.mark.parametrize("fuzzer", ["typefuzz", "opfuzz"])
def test_constant_arrays_stay_constant(fuzzer: str) -> None:
    assert all(is_value(term.args[0]) for term in constant_arrays(fuzzer, PROFILE))


def test_without_a_restriction_they_do_not() -> None:
    assert not all(is_value(term.args[0]) for term in constant_arrays("typefuzz", None))


@pytest.mark.parametrize(
    ("term", "fits"),
    [
        ('(str.in_re s (re.range "a" "z"))', True),
        ('(str.in_re s (re.range "a" "zz"))', False),
        ("(str.in_re s (re.range s s))", False),
        ('(str.in_re s ((_ re.^ 3) (str.to_re "a")))', True),
        ('(str.in_re s ((_ re.^ 4) (str.to_re "a")))', False),
        ("(= (^ n 8) 1)", True),
        ("(= (^ n 9) 1)", False),
        ("(= (^ 2 n) 1)", False),
        ("(= (str.to_re s) (str.to_re s))", False),
        ("(= ((as const (Array Int (Array Int Int))) ((as const (Array Int Int)) 0)) b)", True),
    ],
)
def test_each_kind_of_restriction(term: str, fits: bool) -> None:
    declared = (
        "(declare-const s String)(declare-const n Int)(declare-const b (Array Int (Array Int Int)))"
    )
    (root,) = read_script(f"{declared}(assert {term})(check-sat)", "a", CATALOGUE).assertions()
    shop = MutationSession(CATALOGUE, frozenset(CATALOGUE.operators), "standard", PROFILE)
    assert Fitting(shop, []).fits(root) is fits
    assert Fitting(shop, [root]).fits(root), "what the seed has is for the solver to take"
    again = Fitting(shop, [])
    assert [again.fits(root), again.fits(root)] == [fits, fits]
