"""Random scripts of full trees: exact depth, well-sorted, of every theory; and their mutants."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from commands import error, outcome
from hypothesis import example, given, settings
from hypothesis import strategies as st
from toy import catalogue

from murxpy.data import load_catalogue, load_machine, load_wrapper
from murxpy.errors import InputError
from murxpy.machine.random import Settings, Stream, mix
from murxpy.machine.script import Alone
from murxpy.smtlib.building import Tables
from murxpy.smtlib.logics import LOGICS, features, smallest_free
from murxpy.smtlib.printing.scripts import print_script
from murxpy.smtlib.reading.scripts import read_script
from murxpy.sources.trees.scripts import Tree, Trees, TreeScripts, corrupted, malformed
from murxpy.sources.trees.universe import Shape, is_number, literal_place

CATALOGUE = catalogue()
SETTINGS = Settings(load_machine("default"), {})
DIALECT = "cvc5"  # has all theories but finite sets
SHAPES = [
    Shape(("BV", "FP"), widths=(8, 16), functions=2, quantifiers=True),
    Shape(("INT", "REAL"), linear=True),
    Shape(("STRING", "INT"), depth=4, assertions=2),
    Shape(("INT", "REAL"), functions=2, difference=True),
    Shape(("ARRAY", "DT", "UF", "INT"), functions=2),
    Shape(("DT",), extensions=True),
    Shape(("SET",), extensions=True),
    Shape(("SET", "SEQ", "BAG", "REL", "NULLABLE", "FF", "TRANSCENDENTAL", "INT"), extensions=True),
    Shape(("FINITE_SET", "ARRAY", "INT"), extensions=True),
]


def dialect_of(shape: Shape) -> str:
    """A dialect that has the theories of a shape."""
    return "z3" if "FINITE_SET" in shape.theories else DIALECT


def tree_scripts(shape: Shape) -> TreeScripts:
    key = repr(shape)
    if key not in _KNOWN:
        _KNOWN[key] = TreeScripts(shape, CATALOGUE, SETTINGS, 1, (dialect_of(shape),))
    return _KNOWN[key]


_KNOWN: dict[str, TreeScripts] = {}


def operators(trees: Trees) -> Counter[str]:
    """How often each operator occurs."""
    applied = [p.tree.application for root in trees.roots for p in root.places()]
    return Counter(one.operator.kind for one in applied if one is not None)


def check_full(tree: Tree, levels: int, made: TreeScripts) -> None:
    """Each path of a tree has `levels` operators; only sorts that do not grow are leaves before."""
    if tree.application is None:
        assert levels == 0 or not made.applications.grows(tree.sort)
        return
    assert levels > 0
    literal = made.shape.linear and literal_place(tree.application.operator)
    for child in tree.children[: -1 if literal else None]:
        check_full(child, levels - 1, made)
    if literal:  # of linear arithmetic
        assert tree.children[-1].term.literal and tree.children[-1].term.indices[0] != 0


def check_script(made: TreeScripts, trees: Trees) -> None:
    assert len(trees.roots) == made.shape.assertions
    for root in trees.roots:
        assert root.sort is made.universe.tables.bool and not root.term.free
        check_full(root, made.shape.depth, made)
    text = print_script(made.script(trees), dialect_of(made.shape))
    again = read_script(text, "script", CATALOGUE)  # well-sorted, and nothing undeclared
    assert len(again.assertions()) == made.shape.assertions


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: "+".join(shape.theories))
@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_scripts_are_full_and_well_sorted(shape: Shape, seed: int) -> None:
    made = tree_scripts(shape)
    check_script(made, made.new(seed))


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: "+".join(shape.theories))
@settings(max_examples=15, deadline=None)
@example(seed=10436678, at=9)  # puts another operator in the place of a linear product
@given(seed=st.integers(0, 2**32), at=st.integers(0, 10**6))
def test_a_mutant_has_one_more_of_its_operator_and_is_full(
    shape: Shape, seed: int, at: int
) -> None:
    made = tree_scripts(shape)
    trees = made.new(seed)
    able = made.constructs(trees)
    kind = able[at % len(able)]
    mutant = made.mutant(trees, kind, seed + 1)
    check_script(made, mutant)
    assert operators(mutant).get(kind, 0) >= 1
    same = [one is other for one, other in zip(trees.roots, mutant.roots, strict=True)]
    assert same.count(False) == 1  # the other assertions stay


def test_every_theory_of_the_table_has_scripts() -> None:
    for name in CATALOGUE.theories:
        shape = Shape((name,), assertions=1)
        made = TreeScripts(shape, CATALOGUE, SETTINGS, 1, (dialect_of(shape),))
        check_script(made, made.new(3))


def test_the_same_seed_gives_the_same_script() -> None:
    texts = {
        print_script(made.script(made.new(mix(5, 0))), DIALECT)
        for made in [TreeScripts(SHAPES[0], CATALOGUE, SETTINGS, 5, (DIALECT,)) for _ in range(2)]
    }
    assert len(texts) == 1


def test_a_script_does_not_depend_on_those_made_before() -> None:
    one, other = [TreeScripts(SHAPES[0], CATALOGUE, SETTINGS, 5, (DIALECT,)) for _ in range(2)]
    other.new(1)
    texts = []
    for made in (one, other):
        mutant = made.mutant(made.new(8), "OP_FORALL", 9)
        texts.append(print_script(made.script(mutant), DIALECT))
    assert texts[0] == texts[1] and "forall" in texts[0]


@pytest.mark.parametrize(
    ("theories", "dialect", "kind"),
    [(("ARRAY", "INT"), "z3", "OP_ARRAY_LAMBDA"), (("SET", "INT"), "cvc5", "OP_SET_COMPREHENSION")],
)
def test_operators_bind_variables_where_there_are_quantifiers(
    theories: tuple[str, ...], dialect: str, kind: str
) -> None:
    shape = Shape(theories, quantifiers=True, extensions=True)
    made = TreeScripts(shape, CATALOGUE, SETTINGS, 1, (dialect,))
    with_it = next(trees for seed in range(99) if kind in operators(trees := made.new(seed)))
    mutant = made.mutant(with_it, kind, 1)
    for trees in (with_it, mutant):
        script = made.script(trees)
        text = print_script(script, dialect)
        assert read_script(text, "script", CATALOGUE, Tables(CATALOGUE), dialect).assertions()
    without = TreeScripts(replace(shape, quantifiers=False), CATALOGUE, SETTINGS, 1, (dialect,))
    assert kind not in without.applications.operators()


def test_banned_operators_do_not_occur_and_weighted_ones_more_often() -> None:
    plain = tree_scripts(Shape(("BV",)))
    banned = tree_scripts(Shape(("BV",), weights={"bvmul": 0.0, "OP_BV_ADD": 20.0}))
    counts = [
        sum(operators(made.new(seed)).get(kind, 0) for seed in range(30))
        for made in (plain, banned)
        for kind in ("OP_BV_MULT", "OP_BV_ADD")
    ]
    assert counts[0] > 0 == counts[2]
    assert counts[3] > 3 * counts[1]


def test_no_quantifier_has_a_pattern() -> None:
    """A tree can be any term, and z3 refuses scripts in which a pattern is a literal."""
    shape = Shape(("STRING", "QUANT"), extensions=True, quantifiers=True)
    there = {*tree_scripts(shape).applications.operators()}
    assert {"OP_FORALL", "OP_EXISTS"} <= there
    assert not {"OP_FORALL_PATTERN", "OP_EXISTS_PATTERN"} & there


@pytest.mark.parametrize("arity", [1, 3, 6])
def test_functions_have_as_many_arguments_as_is_wanted(arity: int) -> None:
    shape = Shape(("INT",), functions=60, arity=arity)
    functions = tree_scripts(shape).universe.functions
    counts = {len(function.sort.params) - 1 for function in functions}
    assert counts == set(range(1, arity + 1))
    assert ("arity" in shape.plain()) == (arity != 3)


@pytest.mark.parametrize(
    ("theories", "expected"),
    [
        (("BV", "FP"), {"QF_UFBVFP", "QF_UFBV", "QF_UFFP", "QF_BVFP"}),
        (("INT", "REAL"), {"QF_UFLIRA", "QF_UFNIRA", "QF_LIRA", "QF_NIRA"}),
    ],
)
def test_scripts_without_quantifiers_have_a_logic_without_them(
    theories: tuple[str, ...], expected: set[str]
) -> None:
    """The smallest logic, also if its name is made of letters; the solvers know it."""
    made = tree_scripts(Shape(theories, assertions=3, depth=2, functions=1))
    logics = set()
    for seed in range(12):
        text = print_script(made.script(made.new(seed)), DIALECT)
        logics.add(text.partition("(set-logic ")[2].partition(")")[0])
    assert logics and logics <= expected, logics
    for logic in logics:
        for solver in ("z3", "cvc5"):
            session = Alone(load_catalogue(), load_wrapper(solver), (0, 0))
            assert session.ask(f"(set-logic {logic})\n(check-sat)\n").outcome == "sat"


@pytest.mark.parametrize(
    ("theory", "functions", "logics"),
    [("INT", 0, {"QF_IDL"}), ("REAL", 0, {"QF_RDL"}), ("INT", 2, {"QF_IDL", "QF_UFIDL"})],
)
def test_difference_logic(theory: str, functions: int, logics: set[str]) -> None:
    """Numbers are constants, and each is compared with another, or their difference with a literal; so are
    those of mutants. cvc5, which refuses in these logics what is none of them, takes the scripts.
    """
    shape = Shape((theory,), functions=functions, difference=True)
    made = tree_scripts(shape)
    assert shape.plain()["difference"] and "difference" not in Shape((theory,)).plain()
    session = Alone(load_catalogue(), load_wrapper("cvc5"), (10_000, 1000))
    minus = False
    for seed in range(8):
        trees = made.new(seed)
        able = made.constructs(trees)
        for one in (trees, made.mutant(trees, able[seed % len(able)], seed)):
            check_script(made, one)
            text = print_script(made.script(one), "cvc5")
            logic = text.partition("(set-logic ")[2].partition(")")[0]
            assert logic in logics, text
            assert session.ask(text).outcome != "error", text
            for place in [p for root in one.roots for p in root.places()]:
                numbers = [c for c in place.tree.children if is_number(c.sort)]
                applied = place.tree.application
                assert all(c.application is None for c in numbers)
                literal = [c.term.literal for c in numbers]
                difference = applied is not None and applied.minus
                minus = minus or difference
                assert literal == ([False, False, True] if difference else [False] * len(numbers))
    assert minus


# What is in a script, and the smallest logic that has it.
SMALLEST = {
    "QF_UF": {"UF"},
    "QF_BV": {"BV"},
    "QF_FP": {"FP"},
    "QF_LIA": {"I"},
    "QF_LRA": {"R"},
    "QF_NIA": {"I", "N"},
    "QF_NRA": {"R", "N"},
    "QF_LIRA": {"I", "R"},
    "QF_NIRA": {"I", "R", "N"},
    "QF_S": {"S"},
    "QF_SLIA": {"S", "I"},
    "QF_AX": {"A", "U"},
    "QF_ABV": {"A", "BV"},
    "QF_ALIA": {"A", "I"},
    "QF_AUFLIA": {"A", "UF", "I"},
    "QF_BVFP": {"BV", "FP"},
    "QF_UFBVFP": {"UF", "BV", "FP"},
    "QF_UFFP": {"UF", "FP"},
    "QF_ABVFP": {"A", "BV", "FP"},
    "QF_UFNIRA": {"UF", "I", "R", "N"},
    "BV": {"Q", "BV"},
    "LIA": {"Q", "I"},
    "NRA": {"Q", "R", "N"},
    "AUFLIRA": {"Q", "A", "UF", "I", "R"},
    "ALL": {"Q", "FP", "I", "S"},
}


def test_a_script_names_the_smallest_logic() -> None:
    found = {name: smallest_free(needs) for name, needs in SMALLEST.items()}
    assert found == {name: name for name in SMALLEST}
    assert all(smallest_free(features(name)) == name for name in LOGICS if features(name)), [
        (name, smallest_free(features(name)))
        for name in LOGICS
        if features(name) and smallest_free(features(name)) != name
    ]


def test_damped_operators_occur_less() -> None:
    made = TreeScripts(Shape(("BV",)), CATALOGUE, SETTINGS, 1, (DIALECT,))
    before = sum(operators(made.new(seed)).get("OP_ITE", 0) for seed in range(60))
    for _ in range(5):
        made.damp(["OP_ITE"])
    after = sum(operators(made.new(seed)).get("OP_ITE", 0) for seed in range(60))
    assert 0 < 2 * after < before


@pytest.mark.parametrize(
    ("shape", "expected"),
    [
        (Shape(("BW",)), "unknown theory 'BW'; expected some of BOOL"),
        (Shape(("FP",), widths=(17,)), "no float has 17 bits"),
        (Shape(("BV",), weights={"bvmull": 1.0}), "have no operator 'bvmull'"),
        (Shape(("FF",)), "SORT_FF has no name"),
    ],
)
def test_what_is_wanted_must_exist(shape: Shape, expected: str) -> None:
    with pytest.raises(InputError, match=expected):
        TreeScripts(shape, CATALOGUE, SETTINGS, 1, ("standard",))


def test_the_command_prints_a_script_and_a_trace(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    words = ("generate", "--theories", "BV,FP", "--assertions", "2", "--seed", "3")
    code, text, _ = outcome(capsys, *words)
    assert code == 0
    assert text.startswith("(set-logic QF_BVFP)\n") and text.count("(assert ") == 2
    assert outcome(capsys, *words)[1] == text
    code, trace, _ = outcome(capsys, *words, "--through", "api", "-o", tmp_path / "it.trace")
    assert (code, trace) == (0, "")
    assert "assert-formula" in (tmp_path / "it.trace").read_text()


def test_calls_of_the_api_need_no_words_of_a_dialect(capsys: pytest.CaptureFixture[str]) -> None:
    code, text, _ = outcome(capsys, "generate", "--theories", "SET", "--through", "api")
    assert code == 0 and "SORT_SET" in text
    code, message = error(capsys, "generate", "--theories", "SET")
    assert code == 2 and "no name in SMT-LIB's dialect 'standard'" in message


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("--theories", ""), "expected at least one theory"),
        (("--theories", "BV", "--corrupt", "--ask", ""), "found an empty text"),
        (("--theories", "BV", "--count", "2"), "give --ask, too"),
        (("--theories", "BV", "--widths", "0"), "expected numbers of bits"),
        (("--theories", "BV", "--weight", "bvmul"), "expected an operator and its weight"),
        (("--theories", "BOOL", "--ban", "not,and,or,xor,=>,=,distinct,ite"), "ban fewer"),
    ],
)
def test_bad_options_are_told(
    capsys: pytest.CaptureFixture[str], words: tuple[str, ...], expected: str
) -> None:
    code, message = error(capsys, "generate", *words)
    assert code == 2 and expected in message


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_a_corrupted_script_is_malformed(seed: int) -> None:
    text = print_script(tree_scripts(SHAPES[1]).script(tree_scripts(SHAPES[1]).new(seed)), DIALECT)
    made = corrupted(text, Stream(seed), CATALOGUE)
    assert made.text != text and malformed(made.text, CATALOGUE) and not malformed(text, CATALOGUE)


def test_solvers_must_refuse_malformed_scripts(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    words = ("generate", "--theories", "BOOL", "--corrupt", "--seed", "5")
    code, text, _ = outcome(capsys, *words)
    assert code == 0 and malformed(text, CATALOGUE)
    assert outcome(capsys, *words)[1] == text
    code, out, _ = outcome(capsys, *words, "--ask", "z3", "--count", "3")
    assert code == 0 and out == "; 3 malformed scripts, 0 that a solver does not refuse cleanly\n"
    assert "goes with --corrupt" in error(capsys, *words[:3], "--ask", "z3")[1]
