"""Wrappers and profiles: loaded from names, paths and packages; every fault names file and line."""

from __future__ import annotations

import ast
import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from packages import put_metadata

from murxpy import plugins
from murxpy.data import load_profile, load_wrapper, merge_profile, wrapper_names
from murxpy.errors import InputError
from murxpy.solvers.wrapper import load_helpers

SMALL = """\
solver: toy
module: toy
package: toy-solver
releases: ">=1.0"
imports: "import toy"
helpers: toy_helpers.py
theories: [BOOL, BV]
conjunction: "And({*})"
lifecycle:
  new-context: "toy.Context()"
  new: "toy.Solver({ctx})"
sorts:
  SORT_BV: {call: "toy.BV({p0})", old: {is: "h.bv({p0})", before: "2.0"}}
special-values: {bv.zero: "0"}
values: {SORT_BV: "toy.value({v}, {sort})"}
constants: {any: "toy.const({name}, {sort})"}
operators:
  OP_BV_ADD: {plus: "{0} + {1}", radd: {is: "{n0} + {1}", when: [literal-0, h.small], weight: 0.5}}
  OP_BV_NOT: "~{0}"
  OP_BV_EXTRACT: {is: "toy.extract({i0}, {i1}, {0})", when: "i0<=64"}
actions:
  check-sat: "str({solver}.check())"
options:
  - {name: on, type: choice, values: [no, yes, 1]}
  - {name: depth, type: int, min: 0, max: 9, weight: 2, theories: [BV]}
refusals:
  - {class: unsupported, type: ToyError, message: "not (yet )?done"}
profile:
  exclude-operators: [OP_BV_COMP]
  operators: {OP_BV_EXTRACT: {indices: {0: [0, 8]}}}
  sorts: {const: {exclude: [SORT_BOOL]}}
"""


@pytest.fixture
def toy(tmp_path: Path) -> Path:
    """A small sound wrapper with its helpers."""
    (tmp_path / "toy_helpers.py").write_text(
        "def bv(width):\n    return width\n\n\ndef small(a, i, s):\n    return True\n"
    )
    (tmp_path / "toy.yaml").write_text(SMALL)
    return tmp_path / "toy.yaml"


def fault(path: Path, load: Any = load_wrapper) -> str:
    """The error that loading gives, without the path."""
    with pytest.raises(InputError) as caught:
        load(str(path))
    return str(caught.value).removeprefix(str(path))


@pytest.mark.parametrize("name", ["z3", "cvc5"])
def test_shipped_wrappers(name: str) -> None:
    wrapper = load_wrapper(name)
    assert name in wrapper_names()
    assert json.loads(json.dumps(wrapper)) == wrapper
    assert wrapper["solver"] == name
    assert wrapper["helpers_sources"]


def test_wrapper_of_a_path(toy: Path) -> None:
    wrapper = load_wrapper(str(toy))
    assert json.loads(json.dumps(wrapper)) == wrapper
    assert wrapper["operators"]["OP_BV_NOT"] == "~{0}"
    assert wrapper["options"][0]["values"] == ["no", "yes", 1]
    assert [path for path, _ in wrapper["helpers_sources"]] == [
        str(toy.with_name("toy_helpers.py"))
    ]
    assert wrapper["profile"]["operators"] == {"OP_BV_EXTRACT": {"indices": {"0": [0, 8]}}}


SHORT = SMALL.replace(
    "operators:",
    """\
shorthands:
  infix: {plain: "{0} $ {1}", left: {is: "{n0} $ {1}", when: literal-0}}
  call: {named: "toy.$({0}, {1}) + toy.$({1}, {0})"}
operators:
  OP_BV_SUB: {first: "h.bv({0})", .infix: "-", .call: sub, last: "-{0}"}""",
    1,
)


def test_shorthands_become_spellings_in_their_order(toy: Path) -> None:
    whole = load_wrapper(str(toy))
    toy.write_text(SHORT)
    wrapper = load_wrapper(str(toy))
    spellings = wrapper["operators"].pop("OP_BV_SUB")
    assert list(spellings.items()) == [
        ("first", "h.bv({0})"),
        ("plain", "{0} - {1}"),
        ("left", {"is": "{n0} - {1}", "when": "literal-0"}),
        ("named", "toy.sub({0}, {1}) + toy.sub({1}, {0})"),
        ("last", "-{0}"),
    ]
    assert wrapper == whole


SHORT_FAULTS = {
    "unknown": (".call: sub", ".cal: sub", ":21: unknown shorthand '.cal' (did you mean 'call'?)"),
    "number": (".call: sub", ".call: 7", ":21: expected the text for '$' of '.call'"),
    "nothing": (".call: sub", ".call: ", ":21: expected the text for '$' of '.call'"),
    "name twice": (
        "last:",
        "plain:",
        ":21: the spelling 'plain' of OP_BV_SUB stands here a second",
    ),
    "no gap": ('"{0} $ {1}"', '"{0} {1}"', ":18: the shorthand 'infix' needs spellings with a '$'"),
    "no spellings": (
        'call: {named: "toy.$({0}, {1}) + toy.$({1}, {0})"}',
        "call: {}",
        ":19: the shorthand 'call' needs spellings",
    ),
    "of a shorthand": ('"{0} $ {1}"', "[$]", ":18: the shorthand 'infix' needs spellings"),
    "no mapping": (
        'call: {named: "toy.$({0}, {1}) + toy.$({1}, {0})"}',
        "call: a",
        ":19: expected a mapping",
    ),
    "template": (
        "sub, last",
        '"sub(", last',
        ":21: 'toy.sub(({0}, {1}) + toy.sub(({1}, {0})' is",
    ),
    "key": ("when: literal-0", "wen: literal-0", ":21: unknown key 'wen'"),
}


@pytest.mark.parametrize(("old", "new", "expected"), SHORT_FAULTS.values(), ids=SHORT_FAULTS)
def test_faults_of_shorthands(toy: Path, old: str, new: str, expected: str) -> None:
    assert old in SHORT
    toy.write_text(SHORT.replace(old, new, 1))
    assert fault(toy).startswith(expected), fault(toy)


SPELLED = SMALL.replace(
    "operators:",
    """\
shorthands:
  say: {said: "toy.say({smtlib:$}, {*})"}
spelled: {operators: say, special-values: say}
unspelled:
  - {operators: [OP_BV_SDIVO], because: toy has none}
operators:""",
    1,
)


def test_what_a_section_lacks_is_spelled_by_a_shorthand(toy: Path) -> None:
    toy.write_text(SPELLED)
    wrapper = load_wrapper(str(toy))
    assert wrapper["operators"]["OP_BV_NOT"] == "~{0}"
    assert wrapper["operators"]["OP_BV_ULT"] == {"said": "toy.say({smtlib:OP_BV_ULT}, {*})"}
    assert wrapper["special-values"]["bv.one"] == {"said": "toy.say({smtlib:bv.one}, {*})"}
    assert "OP_BV_SDIVO" not in wrapper["operators"]
    assert not [kind for kind in wrapper["operators"] if kind.startswith("OP_REAL_")]


def test_faults_of_what_is_spelled(toy: Path) -> None:
    toy.write_text(SPELLED.replace("operators: say,", "operators: sy,"))
    assert "unknown shorthand '.sy' (did you mean 'say'?)" in fault(toy)
    toy.write_text(SPELLED.replace("operators: say,", "values: say,"))
    assert ":19: " in fault(toy)


def test_wrapper_of_a_plugin(toy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    site = toy.parent
    (site / "toy_plugin.py").write_text(f"PATH = {str(toy)!r}\nNUMBER = 3\n")
    entries = {"toy": "toy_plugin:PATH", "bad": "no_such_module:X", "number": "toy_plugin:NUMBER"}
    put_metadata(site, "murxpy-toy", "1.0", {"murxpy.wrappers": entries})
    monkeypatch.syspath_prepend(str(site))
    monkeypatch.setattr(plugins, "_used", {})
    assert "toy" not in wrapper_names()
    with pytest.raises(
        InputError, match="'toy' is a wrapper of the plug-in 'murxpy-toy', which is"
    ):
        load_wrapper("toy")
    assert "toy_plugin" not in sys.modules
    plugins.use(["murxpy-toy"])
    assert load_wrapper("toy")["solver"] == "toy"
    assert "toy" in wrapper_names()
    with pytest.raises(
        InputError, match="'murxpy-toy': its wrapper 'bad' cannot be loaded: Module"
    ):
        load_wrapper("bad")
    with pytest.raises(
        InputError, match="'murxpy-toy': its wrapper 'number' is 3: expected the path"
    ):
        load_wrapper("number")


FAULTS = {
    "unknown key": (
        "releases:",
        "relases:",
        ":4: unknown key 'relases' (did you mean 'releases'?)",
    ),
    "theory": ("[BOOL, BV]", "[BOOL, BW]", ":7: unknown theory 'BW'"),
    "sort kind": (
        "  SORT_BV: {call",
        "  SORT_BW: {call",
        ":13: unknown sort kind 'SORT_BW' (did you mean 'SORT_BV'?)",
    ),
    "special value": (
        "bv.zero",
        "bv.zer",
        ":14: unknown special value 'bv.zer' (did you mean 'bv.zero'?)",
    ),
    "operator without a spelling": (
        "theories:",
        "unspelled: [{operators: [OP_BV_AD], because: why}]\ntheories:",
        ":7: unknown operator 'OP_BV_AD' (did you mean 'OP_BV_AND'?)",
    ),
    "sort without a spelling": (
        "theories:",
        "unspelled: [{sorts: [SORT_BW], because: why}]\ntheories:",
        ":7: unknown sort kind 'SORT_BW' (did you mean 'SORT_BV'?)",
    ),
    "operator with and without a spelling": (
        "theories:",
        "unspelled: [{operators: [OP_BV_ADD], because: why}]\ntheories:",
        ":7: 'OP_BV_ADD' has a spelling in this wrapper",
    ),
    "operator": (
        "OP_BV_ADD",
        "OP_BV_ADDX",
        ":18: unknown operator 'OP_BV_ADDX' (did you mean 'OP_BV_ADD'?)",
    ),
    "no spelling": ('"~{0}"', "{}", ":19: 'OP_BV_NOT' has no spelling"),
    "null spelling": ('"~{0}"', "", ":19: 'OP_BV_NOT' has no spelling"),
    "list of spellings": ('"~{0}"', "[a]", ":19: 'OP_BV_NOT' has no spelling"),
    "name of a spelling": ('"~{0}"', '{"a b": "~{0}"}', ":19: 'a b' cannot name a spelling"),
    "key of a spelling": (
        "weight: 0.5",
        "wight: 0.5",
        ":18: unknown key 'wight' (did you mean 'weight'?)",
    ),
    "placeholder": ('"~{0}"', '"~{zero}"', ":19: "),
    "brace": ('"~{0}"', '"~{0"', ":19: "),
    "not Python": ('"~{0}"', '"~{0} +"', ":19: '~{0} +' is not a Python expression"),
    "guard": ("literal-0", "litral-0", ":18: unknown guard 'litral-0'"),
    "own guard": ("h.small", "h.smal", ":18: unknown helper 'h.smal' (did you mean 'small'?)"),
    "helper": ("h.bv(", "h.bw(", ":13: unknown helper 'h.bw'"),
    "conjunction": ("And({*})", "And({*}", ":8: 'And({*}' is not a Python expression"),
    "no helpers": ("toy_helpers.py", "toi.py", ":6: the helpers "),
    "helpers elsewhere": (
        "toy_helpers.py",
        "../toy_helpers.py",
        ":6: '../toy_helpers.py' is not a plain file name",
    ),
    "option": (
        "type: choice, values: [no, yes, 1]",
        "type: choice",
        ":24: the option 'on' is a choice: expected",
    ),
    "option range": ("max: 9", "max: -9", ":25: the option 'depth' is a number: expected"),
    "option twice": ("name: depth", "name: on", ":25: the option 'on' stands here a second time"),
    "option theory": ("theories: [BV]", "theories: [BW]", ":25: unknown theory 'BW'"),
    "rival": (
        "theories: [BV]",
        "unless: [BV, increment]",
        ":25: unknown option or theory 'increment'",
    ),
    "open point": (
        "module: toy\n",
        "module: toy\nopen-points: {div0: OP_INT_DIVV}\n",
        ":3: unknown operator 'OP_INT_DIVV' (did you mean 'OP_INT_DIV'?)",
    ),
    "class": (
        "class: unsupported",
        "class: unsuported",
        ":27: expected 'ill-formed' or 'invalid-model' or 'resources' or 'undocumented' or 'unsupported', found",
    ),
    "regular expression": (
        "not (yet )?done",
        "not (yet",
        ":27: 'message' is no regular expression: missing )",
    ),
    "profile": (
        "OP_BV_COMP",
        "OP_BV_CMP",
        ":29: unknown operator 'OP_BV_CMP' (did you mean 'OP_BV_COMP'?)",
    ),
    "profile position": (
        "{0: [0, 8]}",
        "{first: [0, 8]}",
        ":30: expected an integer of at least 0, found the text",
    ),
    "profile context": ("{const:", "{konst:", ":31: unknown key 'konst' (did you mean 'const'?)"),
    "profile sort": (
        "[SORT_BOOL]",
        "[SORT_BOL]",
        ":31: unknown sort kind 'SORT_BOL' (did you mean 'SORT_BOOL'?)",
    ),
    "missing": ("module: toy\n", "", ":1: the key 'module' is missing: expected text"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_faults_name_their_line(toy: Path, name: str) -> None:
    before, after, message = FAULTS[name]
    assert before in SMALL
    toy.write_text(SMALL.replace(before, after, 1))
    assert fault(toy).startswith(message), fault(toy)


def test_helpers_of_several_files_share_a_namespace(toy: Path) -> None:
    text = toy.read_text()
    toy.write_text(
        text.replace("helpers: toy_helpers.py", "helpers: [toy_values.py, toy_helpers.py]")
    )
    toy.with_name("toy_values.py").write_text("def seven():\n    return 7\n")
    helpers = toy.with_name("toy_helpers.py")
    rest = helpers.read_text()
    helpers.write_text("from toy_values import seven\n" + rest)
    module = ModuleType("h")
    load_helpers(load_wrapper(str(toy))["helpers_sources"], module)
    assert module.seven() == 7 and "toy_values" not in sys.modules
    helpers.write_text("def seven():\n    return 8\n")
    assert fault(toy) == ":6: the helper 'seven' is defined twice"
    toy.with_name("toy_values.py").write_text("_WIDTHS = {'a': 1}\n")
    helpers.write_text("_WIDTHS = {'a': 1}\n" + rest)
    load_wrapper(str(toy))
    helpers.write_text("_WIDTHS: dict = {'b': 1}\n" + rest)
    assert fault(toy) == ":6: the helper '_WIDTHS' is defined twice"


def test_helpers_that_are_not_python(toy: Path) -> None:
    toy.with_name("toy_helpers.py").write_text("def f(:\n")
    assert fault(toy).startswith(":6: the helpers are not Python")


def test_unknown_solver() -> None:
    with pytest.raises(InputError, match=r"unknown solver 'z33' \(did you mean 'z3'"):
        load_wrapper("z33")


def test_profile_files(tmp_path: Path) -> None:
    path = tmp_path / "p.yaml"
    for text in (
        "exclude-operators: [OP_NOT]\nlimits: {bv-width: 8}\n",
        "profile:\n  exclude-operators: [OP_NOT]\n  limits: {bv-width: 8}\n",
    ):
        path.write_text(text)
        assert load_profile(path) == {"exclude-operators": ["OP_NOT"], "limits": {"bv-width": 8}}
    path.write_text("limits:\n  bv-widht: 8\n")
    assert fault(path, load_profile) == ":2: unknown limit 'bv-widht' (did you mean 'bv-width'?)"
    path.write_text("weights: {OP_NOT: 0.5, FP: 0.4}\n")
    assert load_profile(path) == {"weights": {"OP_NOT": 0.5, "FP": 0.4}}
    path.write_text("weights:\n  PF: 0.5\n")
    assert fault(path, load_profile).startswith(":2: unknown theory 'PF'")
    path.write_text("weights:\n  OP_NOTT: 0.5\n")
    assert fault(path, load_profile) == ":2: unknown operator 'OP_NOTT' (did you mean 'OP_NOT'?)"
    for weight in ("0", "1.5", ".nan"):
        path.write_text(f"weights:\n  OP_NOT: {weight}\n")
        assert fault(path, load_profile).startswith(":2: expected a number")
    path.write_text("spellings: {}\n")
    assert fault(path, load_profile).startswith(":1: unknown key 'spellings'")
    path.write_text("- a\n")
    assert fault(path, load_profile).startswith(":1: expected a mapping")


def test_merged_profile() -> None:
    first = {
        "exclude-operators": ["A", "B"],
        "exclude-combinations": {"FF": ["BV"]},
        "operators": {"A": {"exclude-sorts": ["S"], "arity": [2, 4]}},
        "sorts": {"exclude": ["S"], "const": {"exclude": ["T"]}},
        "limits": {"bv-width": 64, "steps": 9},
    }
    second = {
        "exclude-operators": ["B", "C"],
        "exclude-combinations": {"FF": ["FP"], "SET": ["FP"]},
        "operators": {"A": {"exclude-sorts": ["T"], "arity": [2, 3]}},
        "sorts": {"exclude": ["U"], "const": {"exclude": ["V"]}},
        "limits": {"bv-width": 8},
    }
    assert merge_profile(first, second) == {
        "exclude-operators": ["A", "B", "C"],
        "exclude-combinations": {"FF": ["BV", "FP"], "SET": ["FP"]},
        "operators": {"A": {"exclude-sorts": ["S", "T"], "arity": [2, 3]}},
        "sorts": {"exclude": ["S", "U"], "const": {"exclude": ["T", "V"]}},
        "limits": {"bv-width": 8, "steps": 9},
    }
    assert merge_profile(first, {}) == first
    assert merge_profile({}, second) == second


@pytest.mark.parametrize("solver", ["z3", "cvc5"])
def test_files_of_helpers_share_a_namespace_so_no_two_define_one_name(solver: str) -> None:
    owners: dict[str, list[str]] = {}
    for path, text in load_wrapper(solver)["helpers_sources"]:
        defined = [
            node.name
            for node in ast.parse(text).body
            if isinstance(node, (ast.FunctionDef, ast.ClassDef))
        ]
        defined += [
            t.id
            for node in ast.parse(text).body
            if isinstance(node, ast.Assign)
            for t in node.targets
            if isinstance(t, ast.Name)
        ]
        for name in dict.fromkeys(defined):
            owners.setdefault(name, []).append(path)
    assert {name: paths for name, paths in owners.items() if len(paths) > 1} == {}


def test_a_float_of_three_literals_is_a_value_of_z3() -> None:
    """Models have such, though z3 prints other floats as one literal."""
    import z3

    helpers = ModuleType("helpers")
    load_helpers(load_wrapper("z3")["helpers_sources"], helpers)
    parts = [z3.BitVecVal(value, width) for value, width in ((1, 1), (3, 5), (7, 10))]
    assert helpers.read_value(z3.fpFP(*parts)) == ("fp", 5, 11, 0b1_00011_0000000111)
    assert helpers.read_value(z3.fpFP(z3.BitVec("b", 1), *parts[1:])) is None


@pytest.mark.parametrize("name", wrapper_names())
def test_a_plain_program_says_each_spelling_of_an_action_by_its_own_words(name: str) -> None:
    """A program with the words of another spelling would show another defect."""
    wrapper = load_wrapper(name)
    for action, words in (wrapper["plain"].get("actions") or {}).items():
        if action in wrapper["own-actions"] and isinstance(words, dict) and "is" not in words:
            assert list(words) == list(wrapper["actions"][action]), action
