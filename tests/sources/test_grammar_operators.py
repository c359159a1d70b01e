"""Grammars that name theories in place of a production for each operator."""

from __future__ import annotations

from pathlib import Path

import pytest
from toy import catalogue

from murxpy.errors import InputError
from murxpy.fuzzers.setups import checked
from murxpy.smtlib.printing.terms import Unsayable
from murxpy.sources.enumeration.grammar import Grammar
from murxpy.sources.enumeration.reading import Reader

CATALOGUE = catalogue()
MINE = """grammar: mine
about: integers with all operators
sorts: {B: Bool, I: Int}
declare: ["(declare-const x Int)"]
theories: [INT]
rules: {I: ["{0 x}", "({+ -} I I)"]}
script: [(assert B), (check-sat)]
"""


def loaded(folder: Path, text: str) -> Grammar:
    path = folder / "mine.yaml"
    path.write_text(text)
    return checked(str(path))


def productions(grammar: Grammar, name: str) -> list[str]:
    """Each production of a nonterminal, spelled out."""
    return [
        production.text(spelling, production.children)
        for own, production, spelling in grammar.spelled()
        if own == name
    ]


def test_all_operators_of_a_theory_are_productions(tmp_path: Path) -> None:
    grammar = loaded(tmp_path, MINE)
    assert {"(<= I I)", "(< I I)", "(> I I)", "((_ divisible 1) I)"} <= {*productions(grammar, "B")}
    integers = productions(grammar, "I")
    # those of the file come first, and no production stands twice
    assert integers[:4] == ["0", "x", "(+ I I)", "(- I I)"]
    assert {"(- I)", "(* I I)", "(div I I)", "(mod I I)", "(abs I)"} <= {*integers}
    assert len({*integers}) == len(integers)
    # other theories have no part in it
    assert not any("to_real" in text or "ite" in text for text in integers)


def test_operators_can_be_named_or_left_out(tmp_path: Path) -> None:
    few = loaded(tmp_path, MINE.replace("rules:", "operators: ['<=', mod]\nrules:"))
    assert productions(few, "B") == ["(<= I I)"]
    assert productions(few, "I")[4:] == ["(mod I I)"]
    less = loaded(tmp_path, MINE.replace("rules:", "without: ['*', div]\nrules:"))
    assert "(mod I I)" in productions(less, "I")
    assert not {"(* I I)", "(div I I)"} & {*productions(less, "I")}


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("[INT]", "[INTS]", "unknown theory 'INTS' .did you mean 'INT'"),
        ("rules:", "without: [dov]\nrules:", "no operator dov .* .did you mean 'div'"),
        ("rules:", "operators: [bvadd]\nrules:", "no operator bvadd in the theories"),
    ],
)
def test_unknown_names_are_refused_with_the_line(
    tmp_path: Path, old: str, new: str, message: str
) -> None:
    with pytest.raises(InputError, match=message) as error:
        loaded(tmp_path, MINE.replace(old, new, 1))
    assert error.value.line == 5


def test_indices_come_from_the_sorts(tmp_path: Path) -> None:
    grammar = checked("allbits")
    assert {"(concat U U)", "((_ zero_extend 1) U)", "((_ int_to_bv 2) I)"} <= {
        *productions(grammar, "V")
    }
    assert {"((_ extract 1 1) V)", "(bvcomp V V)"} <= {*productions(grammar, "U")}
    assert Reader(grammar, CATALOGUE, "cvc5", models=False).known.possible


def test_a_nonterminal_takes_those_of_its_own_scope(tmp_path: Path) -> None:
    text = MINE.replace("B: Bool, I: Int", "B: Bool, I: Int, Q: Bool, J: Int").replace(
        "rules: {",
        'scope: {Q: {y: Int}, J: {y: Int}}\nrules: {B: ["(forall ((y Int)) Q)"], J: [y], ',
    )
    grammar = loaded(tmp_path, text)
    assert "(<= J J)" in productions(grammar, "Q") and "(<= I I)" in productions(grammar, "B")
    assert not any("J" in text for text in productions(grammar, "B"))


def test_an_operator_that_a_solver_lacks_keeps_its_indices(tmp_path: Path) -> None:
    sets = """grammar: mine
about: sets with all operators
sorts: {B: Bool, S: (Set Int), I: Int}
declare: ["(declare-const s (Set Int))"]
theories: [SET]
rules: {I: ["{0 1}"], S: [s]}
script: [(assert B), (check-sat)]
"""
    grammar = loaded(tmp_path, sets)
    scripts = [grammar.at(index) for index in range(grammar.up_to(3))]
    z3 = Reader(grammar, CATALOGUE, "z3", models=False)
    said, refused = 0, list[str]()
    for index, script in enumerate(scripts):
        try:
            said += "set." not in z3.script(index)[0]
        except Unsayable:
            refused.append(script)
    assert said > 3 and all("set." in script for script in refused)
