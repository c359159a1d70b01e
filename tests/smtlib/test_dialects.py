"""Dialects of SMT-LIB are data: each operator has a verdict in each of them, a third solver is a
file, and what is wrong in such a file is an error with its place.
"""

from __future__ import annotations

import importlib
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner
from msgspec import inspect as types
from toy import catalogue

from murxpy.cli import translate
from murxpy.data import data_folder, folders, load_catalogue, load_wrapper, shipped_names
from murxpy.data.theories import Dialect as Section
from murxpy.errors import InputError
from murxpy.logic.catalogue import STANDARD, Catalogue, build_catalogue
from murxpy.smtlib.printing.scripts import print_script
from murxpy.smtlib.reading.scripts import read_script

FAKES = Path(__file__).parents[1] / "fakes"
CATALOGUE = catalogue()


# -- each operator has a verdict


WRAPPERS = {name: load_wrapper(name) for name in shipped_names()}


@pytest.mark.parametrize("solver", WRAPPERS)
def test_a_dialect_says_each_operator_of_its_wrapper_or_why_not(solver: str) -> None:
    wrapper = WRAPPERS[solver]
    unsaid = wrapper["dialect"].get("unsaid", {})
    dialect = CATALOGUE.dialect(solver)
    silent = [kind for kind in wrapper["operators"] if kind not in dialect.says]
    assert [kind for kind in silent if kind not in unsaid] == []
    assert [kind for kind in unsaid if kind in dialect.says] == []


def test_some_dialect_says_each_operator_or_says_why_not() -> None:
    said = frozenset[str]().union(*(dialect.says for dialect in CATALOGUE.dialects.values()))
    reasons = [wrapper["dialect"].get("unsaid", {}) for wrapper in WRAPPERS.values()]
    silent = [kind for kind in CATALOGUE.operators if kind not in said]
    assert [kind for kind in silent if not any(kind in known for known in reasons)] == []


def test_an_operator_that_nobody_says_is_found() -> None:
    data = load_catalogue()
    booleans = next(theory for theory in data["theories"] if theory["name"] == "BOOL")
    booleans["operators"]["OP_NEW"] = {"smtlib": "new", "sig": "BOOL -> BOOL", "extension": True}
    made = build_catalogue(data)
    assert not any("OP_NEW" in dialect.says for dialect in made.dialects.values())


@pytest.mark.parametrize("solver", WRAPPERS)
def test_sorts_and_special_values_of_a_wrapper_have_spellings(solver: str) -> None:
    wrapper, dialect = WRAPPERS[solver], CATALOGUE.dialect(solver)
    extensions = [k for k, sort in CATALOGUE.sorts.items() if sort.extension]
    assert [k for k in extensions if k in wrapper["sorts"] and k not in dialect.sorts] == []
    for kind in (k for k in dialect.sorts if k in CATALOGUE.sorts):
        words = [name for name in CATALOGUE.sorts[kind].special if not name.startswith("ff.")]
        assert [name for name in words if name not in dialect.special_values] == [], kind


def test_what_a_dialect_may_say_is_what_a_section_may_hold() -> None:
    info = types.type_info(Section)
    assert isinstance(info, types.StructType)
    keys = {field.name for field in info.fields} - {"definitions", "unsaid"}
    own = {"name", "says", "defined", "expanded", "option_prefix"}
    assert keys == set(CATALOGUE.dialect(STANDARD).__slots__) - own


# -- a third solver


@pytest.fixture
def third(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Catalogue:
    """The catalogue where a third solver is shipped."""
    for name in ("fsm", "seeds", "traces"):
        (tmp_path / name).symlink_to(data_folder(name))
    shutil.copytree(data_folder("wrappers"), tmp_path / "wrappers")
    for file in FAKES.glob("third*"):
        shutil.copy(file, tmp_path / "wrappers")
    monkeypatch.setattr(folders, "_root", lambda: tmp_path)
    return build_catalogue(load_catalogue())


SCRIPT = """(set-logic ALL)
(declare-const s (Seq Int))
(declare-const b (_ BitVec 8))
(assert (= (seq.len s) 3))
(assert (= s (as seq.empty (Seq Int))))
(assert ((_ bit 3) b))
(assert (= (seq.nth s 0) 1))
(check-sat)
"""
OF_THE_THIRD = (
    SCRIPT.replace("Seq", "List").replace("seq.len", "length").replace("seq.empty", "nil")
)


def test_its_dialect_is_printed_and_read(third: Catalogue) -> None:
    assert list(third.dialects) == [STANDARD, *sorted({*shipped_names(), "third"})]
    script = read_script(OF_THE_THIRD, "f.smt2", third)
    assert print_script(script, "third") == OF_THE_THIRD
    theirs = print_script(script, "z3")
    assert theirs == SCRIPT.replace("_ bit ", "_ bit2bool ")
    assert print_script(read_script(theirs, "f.smt2", third), "third") == OF_THE_THIRD


def test_a_logic_that_it_does_not_have_is_all(third: Catalogue) -> None:
    def printed(logic: str) -> str:
        text = f"(set-logic {logic})\n(check-sat)\n"
        return print_script(read_script(text, "f.smt2", third), "third").splitlines()[0]

    assert printed("QF_BV") == "(set-logic QF_BV)"
    assert printed("QF_UF") == "(set-logic ALL)"


def test_its_other_names_are_read(third: Catalogue) -> None:
    text = "(declare-const s (List Int))\n(assert (= s (as empty-list (List Int))))\n"
    assert "(as nil (List Int))" in print_script(read_script(text, "f.smt2", third), "third")


TRACE = """# murxpy-trace 1
# solver z3
1 new
1 mk-sort SORT_INT
  return s1
1 mk-sort SORT_SEQ s1
  return s2
1 mk-const s2 "x"
  return t1 s2
1 mk-term OP_SEQ_LENGTH SORT_INT 1 t1
  return t2 s1
1 mk-value s1 "3"
  return t3 s1
1 mk-sort SORT_BOOL
  return s3
1 mk-term OP_EQUAL SORT_BOOL 2 t2 t3
  return t4 s3
1 assert-formula t4
1 check-sat
"""


@pytest.mark.usefixtures("third")
def test_translate_offers_it(tmp_path: Path) -> None:
    trace = tmp_path / "a.trace"
    trace.write_text(TRACE)
    command = importlib.reload(translate).translate
    result = CliRunner().invoke(command, [str(trace), "--to", "smt2", "--dialect", "third"])
    assert result.exit_code == 0, result.output
    assert "(assert (= (length x) 3))" in result.output
    assert "(set-option :lists true)" in result.output
    assert "third" in CliRunner().invoke(command, ["--help"]).output


# -- faults in the section

FAULTS = {
    "unknown key": (
        "  same: [OP_SEQ_NTH]",
        "  sme: [OP_SEQ_NTH]",
        ":21: unknown key 'sme' (did you mean 'same'?)",
    ),
    "unknown operator": (
        "OP_SEQ_LENGTH:",
        "OP_SEQ_LENGT:",
        ":23: unknown operator 'OP_SEQ_LENGT' (did you mean 'OP_SEQ_LENGTH'?)",
    ),
    "operator of the standard": (
        "same: [OP_SEQ_NTH]",
        "same: [OP_AND]",
        ":21: OP_AND is an operator of the standard",
    ),
    "unknown placeholder": ("(length {0})", "(length {o})", ":23: the placeholder {o} stands for"),
    "no such argument": ("(length {0})", "(length {1})", ":23: the placeholder {1} stands for an"),
    "unknown sort": ('SORT_SEQ: "', 'SORT_SQ: "', ":29: unknown sort kind 'SORT_SQ'"),
    "placeholder of a sort": ("(List {0})", "(List {sort})", ":29: the placeholder {sort} stands"),
    "unknown special value": (
        "    seq.empty:",
        "    seq.emty:",
        ":31: unknown special value 'seq.emty' (did you mean 'seq.empty'?)",
    ),
    "other name of nothing": (
        "empty-list: seq.empty",
        "empty-list: empty",
        ":32: unknown special value 'empty'",
    ),
    "option of an unknown sort": (
        "options: {SORT_SEQ",
        "options: {SEQ",
        ":33: unknown sort kind 'SEQ'",
    ),
    "command": ("(simplify {0})", "(simplify {sort})", ":34: the placeholder {sort} stands for"),
    "said and unsaid": (
        "  sorts:",
        "  unsaid: {OP_BV_BIT: why}\n  sorts:",
        ":28: OP_BV_BIT has a spelling in this dialect",
    ),
    "no such word": (
        "  same: [OP_SEQ_NTH]",
        "  testers: none",
        ":21: expected 'match' or 'plain' or 'ranked'",
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_an_error_with_its_line(tmp_path: Path, name: str) -> None:
    before, after, message = FAULTS[name]
    text = (FAKES / "third.yaml").read_text()
    assert before in text
    file = tmp_path / "third.yaml"
    file.write_text(text.replace(before, after, 1))
    shutil.copy(FAKES / "third_helpers.py", tmp_path)
    with pytest.raises(InputError) as caught:
        load_wrapper(str(file))
    assert f"{file}{message}" in str(caught.value)
