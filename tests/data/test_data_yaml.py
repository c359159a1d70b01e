"""Strict YAML: what is read, what is refused, and that every fault names its line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from murxpy.data.yamlfile import MAX_BYTES, MAX_DEPTH, parse_document, read_document
from murxpy.errors import InputError

WORDS = {
    "no": "no",
    "on": "on",
    "yes": "yes",
    "off": "off",
    "True": "True",
    "true": True,
    "false": False,
}
NUMBERS = {
    "1": 1,
    "-5": -5,
    "+3": 3,
    "1.5": 1.5,
    "1e3": 1000.0,
    "007": "007",
    "0x10": "0x10",
    "1_000": "1_000",
}
DATES = {
    "12:30:45": "12:30:45",
    "2001-01-01": "2001-01-01",
    "'true'": "true",
    '"5"': "5",
    "~": None,
    "null": None,
}


@pytest.mark.parametrize(("text", "value"), [*WORDS.items(), *NUMBERS.items(), *DATES.items()])
def test_scalars(text: str, value: object) -> None:
    found = parse_document(f"a: {text}", "f").data["a"]
    assert found == value
    assert type(found) is type(value)


BOMB = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n" + "\n".join(
    f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]" for i in range(1, 9)
)
REFUSED = {
    "duplicate key": ("a: 1\nb: 2\na: 3", 3, "second time, first on line 1"),
    "duplicate key in flow": ("x: {a: 1,\n a: 2}", 2, "second time"),
    "deep": ("[" * 100_000, 1, f"nested more than {MAX_DEPTH} deep"),
    "recursive": ("a: &x [1, *x]", 1, "stands for nothing"),
    "unknown alias": ("b: 1\na: *q", 2, "stands for nothing"),
    "alias bomb": (BOMB, None, "aliases counted"),
    "Boolean key": ("true: 1", 1, "is not a key"),
    "list as key": ("? [1, 2]\n: 3", 1, "is not a key"),
    "tag": ("a: !!python/object:os.system x", 1, "tag"),
    "second document": ("a: 1\n---\nb: 2", 2, "second document"),
    "control character": ("a: \x01", 1, "not YAML"),
    "unclosed": ("a: [1,", None, "not YAML"),
    "tab": ("a:\n\t- x", 2, "not YAML"),
    "empty": ("", None, "empty"),
    "huge integer": ("a: " + "9" * 5000, 1, "too large"),
    "huge float": ("a: 1e999", 1, "too large"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str) -> None:
    text, line, part = REFUSED[name]
    with pytest.raises(InputError, match=part) as caught:
        parse_document(text, "f.yaml")
    assert str(caught.value).startswith("f.yaml")
    assert line is None or caught.value.line == line


def test_lines_of_entries() -> None:
    document = parse_document("a:\n  b: [1,\n    2]\nc: &x {d: 1}\ne: *x\n", "f")
    assert [document.line(place) for place in [("a",), ("a", "b"), ("a", "b", 1), ("c", "d")]] == [
        1,
        2,
        3,
        4,
    ]
    assert document.line(("e", "d")) == 5  # inside an alias: where the alias stands
    assert document.line(("nowhere",)) == 1


def test_aliases_stand_for_their_value() -> None:
    assert parse_document("a: &x [1, {k: v}]\nb: *x", "f").data == {
        "a": [1, {"k": "v"}],
        "b": [1, {"k": "v"}],
    }


# beyond, and in long keys, YAML has no JSON
words = st.text(st.characters(max_codepoint=0xD7FF), max_size=40)
plain = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | words,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(words, inner, max_size=4),
    max_leaves=20,
)


@given(st.dictionaries(words, plain, max_size=5))
def test_json_is_read_as_json(data: dict[str, object]) -> None:
    assert parse_document(json.dumps(data), "f").data == data


@given(st.text() | st.text("{}[]:,-&*!|>'\"#%@` \n\tab1", max_size=60))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        parse_document(text, "f")
    except InputError as error:
        assert "\n" not in str(error)


def test_files_that_are_none(tmp_path: Path) -> None:
    (tmp_path / "latin.yaml").write_bytes(b"a: 1\nb: \xe9\n")
    (tmp_path / "huge.yaml").write_bytes(b"#" * (MAX_BYTES + 1))
    faults = {
        "missing.yaml": "there is no such file",
        "": "expected a file",
        "latin.yaml": ":2: not UTF-8",
        "huge.yaml": "larger than",
        "nul\0.yaml": "cannot be read",
    }
    for name, part in faults.items():
        with pytest.raises(InputError, match=part):
            read_document(tmp_path / name)
    with pytest.raises(InputError, match="expected a file"):
        read_document(Path("/dev/zero"))
