"""The theories as data: names are unique, and a fault names its file and line."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from murxpy.data import data_folder, load_catalogue
from murxpy.errors import InputError

THEORIES = data_folder("fsm") / "theories"


def test_catalogue_is_plain_and_in_order() -> None:
    catalogue = load_catalogue()
    assert json.loads(json.dumps(catalogue)) == catalogue
    names = [theory["name"] for theory in catalogue["theories"]]
    assert names[:3] == ["BOOL", "ARRAY", "BAG"]
    bv = next(theory for theory in catalogue["theories"] if theory["name"] == "BV")
    sum_ = {
        "smtlib": "bvadd",
        "sig": "BV(n) BV(n) -> BV(n) :left-assoc",
        "aliases": [],
        "nonlinear": None,
        "feature": None,
        "typing": None,
        "extension": False,
    }
    assert bv["operators"]["OP_BV_ADD"] | sum_ == bv["operators"]["OP_BV_ADD"]
    assert bv["operators"]["OP_BV_INC"]["extension"]
    assert bv["sorts"]["SORT_BV"]["params"] == ["n"]


# file, what is changed in it, and the error; LINE stands for the line of the change
FAULTS = {
    "unknown placeholder": (
        "bv.yaml",
        "(bvadd {0} (_ bv1 {p0}))",
        "(bvadd {0} (_ bv1 {w0}))",
        ":LINE: the placeholder {w0} stands for nothing here",
    ),
    "argument that is not there": (
        "reals.yaml",
        "(- {0}) {0}",
        "(- {0}) {1}",
        ":LINE: the placeholder {1} stands for an argument that the operator does not have",
    ),
    "sort that a definition uses": (
        "core.yaml",
        '(<= {count} {i0})", uses: [SORT_INT]',
        '(<= {count} {i0})", uses: [SORT_IN]',
        ":LINE: unknown sort kind 'SORT_IN' (did you mean 'SORT_INT'?)",
    ),
    "spelling of a special value": (
        "fp.yaml",
        "rm.rne: RNE",
        "rm.rn: RNE",
        ":LINE: SORT_RM has no special value 'rm.rn' (did you mean 'rm.rtn'?)",
    ),
    "unknown key": (
        "bv.yaml",
        "smtlib: concat,",
        "smtlb: concat,",
        ":LINE: unknown key 'smtlb' (did you mean 'smtlib'?)",
    ),
    "no signature": (
        "core.yaml",
        'smtlib: not,      sig: "BOOL -> BOOL"',
        "smtlib: not",
        ":LINE: the key 'sig' is missing",
    ),
    "bad signature": (
        "core.yaml",
        'not,      sig: "BOOL -> BOOL"',
        'not,      sig: "BOOL => BOOL"',
        ":LINE: OP_NOT: unexpected '=> BOOL' in signature",
    ),
    "bad signature of an extension": (
        "core.yaml",
        '"{k:0.. draw 0..9} {c:0.. draw 1..4}* BOOL BOOL -> BOOL',
        '"{k:0..9} BOOL',
        ":LINE: OP_PB_LE: ",
    ),
    "twice": (
        "ff.yaml",
        "OP_FINITE_FIELD_NEG",
        "OP_BV_ADD",
        ":LINE: 'OP_BV_ADD' is defined already, at ",
    ),
    "alias twice": (
        "ints.yaml",
        "[cvc5-OP_INT_IAND]",
        "[OP_BV_ADD]",
        ":LINE: 'OP_BV_ADD' is defined already, at ",
    ),
    "requires": (
        "fp.yaml",
        "requires: [BV]",
        "requires: [BVV]",
        ":LINE: unknown theory 'BVV' (did you mean 'BV'?)",
    ),
    "form": ("bv.yaml", "OP_BV_NOT", "bvnot", ":LINE: 'bvnot' is no name of a kind"),
    "typing": ("datatypes.yaml", "typing: tester", "typing: testor", ":LINE: expected "),
    "syntax": ("bags.yaml", "theory: BAG", "theory: [BAG", ": not YAML"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_faults(tmp_path: Path, name: str) -> None:
    file, before, after, message = FAULTS[name]
    folder = tmp_path / "theories"
    shutil.copytree(THEORIES, folder)
    text = (folder / file).read_text()
    assert before in text
    (folder / file).write_text(text.replace(before, after, 1))
    with pytest.raises(InputError) as caught:
        load_catalogue(folder)
    found = str(caught.value)
    assert found.startswith(str(folder / file)), found
    line = text[: text.index(before)].count("\n") + 1
    assert message.replace("LINE", str(line)) in found, found


def test_no_theories(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="expected"):
        load_catalogue(tmp_path)
