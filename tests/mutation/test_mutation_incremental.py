"""Seeds with scopes and several checks, in the hands of each fuzzer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from scriptsolvers import answers as solved
from scriptsolvers import output
from toy import catalogue

from murxpy.fuzzers.seeds import label_of, statuses_of
from murxpy.machine.random import Stream
from murxpy.smtlib.printing.scripts import print_script
from murxpy.smtlib.reading.scripts import read_script
from murxpy.sources.mutation.corpus import Corpus
from murxpy.sources.mutation.preparing import views
from murxpy.sources.mutation.registry import FUZZERS
from murxpy.sources.mutation.workshop import Mutant, MutationSession, Seed, Workshop

CATALOGUE = catalogue()
TEXT = """(declare-const x Int) (declare-const y Int)
(assert (> x 3))
(push 1)
(assert (< (+ x y) 2))
(set-info :status sat)
(check-sat)
(push 1)
(assert (> y 0))
(set-info :status unsat)
(check-sat)
(pop 2)
(assert (= y (* 2 x)))
(set-info :status sat)
(check-sat-assuming ((> y 7)))
"""
PLAIN = "(declare-const a Int) (declare-const b Int)\n(assert (and (< a b) (> (+ a b) 1)))\n(set-info :status sat)\n(check-sat)\n"


def mutants(name: str, seeds: list[Seed], rng: int, **choices: Any) -> Iterator[Mutant]:
    shop = MutationSession(CATALOGUE, frozenset(CATALOGUE.operators), "z3")
    made = FUZZERS[name].mutants(
        Workshop(shop, Stream(rng), seeds, lambda text: output("z3", text), choices)
    )
    return (mutant for mutant, _ in zip(made, range(12), strict=False))


def test_what_each_check_asks() -> None:
    found = views(read_script(TEXT, "a", CATALOGUE))
    assert [(len(view.asserted), view.label) for view in found] == [
        (2, "sat"),
        (3, "unsat"),
        (3, "sat"),
    ]
    (only,) = views(
        read_script(PLAIN.replace("(set-info :status sat)", ""), "a", CATALOGUE), "unsat"
    )
    assert only.label == "unsat"


def test_labels_of_several_checks() -> None:
    assert label_of(TEXT) == "sat unsat" and statuses_of(TEXT) == ("sat", "unsat", "sat")
    assert label_of(TEXT.replace("unsat", "unknown")) == "sat"
    assert (
        label_of(TEXT + "(check-sat)")
        == ""
        == label_of("(set-info :status sat)(set-info :status unsat)(check-sat)")
    )
    corpus = Corpus(
        [["a", TEXT, label_of(TEXT)], ["b", PLAIN, "sat"]],
        [("fusion", 1)],
        {"fusion": {"oracle": "mixed"}},
    )
    assert corpus.among("fusion") == [[0, 1], [0]]


@pytest.mark.parametrize(
    ("name", "texts", "choices"),
    [
        *[
            ("fusion", texts, {"oracle": "sat"})
            for texts in ((TEXT, TEXT), (TEXT, PLAIN), (PLAIN, TEXT))
        ],
        ("fusion", (TEXT, TEXT), {"oracle": "unsat"}),
        *[("fusion", texts, {"oracle": "mixed"}) for texts in ((TEXT, TEXT), (PLAIN, TEXT))],
        ("storm", (TEXT,), {}),
        ("storm", (TEXT,), {"unsat": True}),
    ],
)
def test_what_is_known_of_the_answers_is_right(
    name: str, texts: tuple[str, ...], choices: dict[str, Any]
) -> None:
    seeds = [Seed(f"{number}.smt2", text, label_of(text)) for number, text in enumerate(texts)]
    lengths = set()
    for rng in range(3):
        for mutant in mutants(name, seeds, rng, **choices):
            text = print_script(mutant.script, "z3")
            answers = solved("z3", text, 20_000)
            assert len(answers) == len(mutant.expected)
            lengths.add(len(answers))
            for answer, expected in zip(answers, mutant.expected, strict=True):
                assert "unknown" in (answer, expected) or answer == expected, text
    assert lengths if name == "storm" else lengths == {1, 3}


@pytest.mark.parametrize("name", ["opfuzz", "typefuzz"])
def test_scopes_and_checks_stay(name: str) -> None:
    for mutant in mutants(name, [Seed("a.smt2", TEXT)], 1):
        text = print_script(mutant.script, "z3")
        assert text.count("(push 1)") == 2 and text.count("(check-sat") == 3
        assert len(solved("z3", text, 20_000)) == 3
