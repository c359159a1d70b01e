"""Each key of the shipped YAML files is read by something: none is swallowed by a text, unknown to
the code, or never asked for.
"""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec import inspect as types
from toy import forked, walk

from murxpy.data import load_catalogue, load_machine, load_wrapper
from murxpy.data.folders import data_folder
from murxpy.data.machines import Machine
from murxpy.data.theories import Theory
from murxpy.data.wrapper_schema import Wrapper
from murxpy.data.yamlfile import Place, read_document
from murxpy.solvers.wrapper import SECTIONS
from murxpy.worker.session import Session

FILES = [
    *sorted(data_folder("fsm").rglob("*.yaml")),
    *sorted(data_folder("wrappers").glob("*.yaml")),
]
CODE = Path(__file__).parents[2] / "murxpy"
FOR_READERS = {"because", "harmless"}  # what only explains an entry
# Read where the files are decoded: sections that become spellings or other sections, and what
# `murxpy fsm check` compares with, the choice of judges, and the reasons for
# what is not spelled.
DECODED = {
    *SECTIONS,
    "shared",
    "shorthands",
    "spelled",
    "expect",
    "theory",
    "extensions",
    "syntax",
    "default-judge",
    "unspelled",
}
ASKED = ("script-since", "own-actions", "required-options", "special-options")
MOST_WALKS = 60


def _texts(value: Any, place: Place = ()) -> Iterator[tuple[Place, str]]:
    if isinstance(value, str):
        yield place, value
    elif isinstance(value, (dict, list)):
        for key, entry in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _texts(entry, (*place, key))


def _keys(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        yield from map(str, value)
    for entry in (
        value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    ):
        yield from _keys(entry)


@functools.cache
def _known_keys() -> set[str]:
    """The keys of all files of data."""
    return {name for file in FILES for name in _keys(read_document(file).data)}


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_no_text_of_several_lines_swallows_a_key(file: Path) -> None:
    known = _known_keys()
    for place, text in _texts(read_document(file).data):
        lines = text.splitlines() if "\n" in text else []
        swallowed = [
            line
            for line in lines
            if (found := re.match(r"\s*([\w.-]+):(\s|$)", line))
            and found[1] in known - {"else", "try"}
        ]
        assert not swallowed, (place, swallowed)


def _fields(info: Any, seen: set[Any]) -> Iterator[str]:
    if isinstance(info, types.StructType):
        if info.cls not in seen:
            seen.add(info.cls)
            for field in info.fields:
                yield field.encode_name
                yield from _fields(field.type, seen)
        return
    parts = [*(getattr(info, "types", ()) or ()), *(getattr(info, "item_types", ()) or ())]
    for part in (*parts, getattr(info, "item_type", None), getattr(info, "value_type", None)):
        if part is not None:
            yield from _fields(part, seen)


def _is_dialect(node: ast.expr) -> bool:
    """True for `dialect`, `anything.words` and `catalogue.dialect(name)`."""
    if isinstance(node, ast.Call):
        node = node.func
    return getattr(node, "attr", getattr(node, "id", "")) in ("dialect", "words")


@functools.cache
def _names_read() -> set[str]:
    """The texts by which code outside of `data/` looks into a mapping."""
    names: set[Any] = set()
    for file in CODE.rglob("*.py"):
        if file.parent.name == "data":
            continue
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            # a dialect is one typed value, whose fields are its keys
            if isinstance(node, ast.Attribute) and _is_dialect(node.value):
                names.add(node.attr.replace("_", "-"))
            elif isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
                names.add(node.slice.value)
            elif (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and node.func.attr in ("get", "pop")
            ):
                names.update(part.value for part in node.args[:1] if isinstance(part, ast.Constant))
    return {name for name in names if isinstance(name, str)}


@pytest.mark.parametrize("struct", [Wrapper, Machine, Theory], ids=lambda struct: struct.__name__)
def test_code_reads_each_key_that_a_file_may_have(struct: Any) -> None:
    assert set(_fields(types.type_info(struct), set())) <= _names_read() | FOR_READERS | DECODED


class Watched(dict[str, Any]):
    """A mapping that notes which of its entries were asked for; so do those in it."""

    def __init__(self, data: dict[str, Any], place: Place, read: set[Place]) -> None:
        super().__init__({key: watched(value, (*place, key), read) for key, value in data.items()})
        self.place, self.read = place, read

    def __getitem__(self, key: Any) -> Any:
        self.read.add((*self.place, key))
        return super().__getitem__(key)

    def get(self, key: Any, default: Any = None) -> Any:
        self.read.add((*self.place, key))
        return super().get(key, default)

    def items(self) -> Any:
        return [(key, self[key]) for key in self]

    def values(self) -> Any:
        return [self[key] for key in self]


def watched(value: Any, place: Place, read: set[Place]) -> Any:
    """The same data, whose mappings note in `read` what is asked for."""
    if isinstance(value, dict):
        return Watched(value, place, read)
    if isinstance(value, list):
        return [watched(entry, (*place, at), read) for at, entry in enumerate(value)]
    return value


def _unread(solver: str) -> list[Place]:
    read: set[Place] = set()
    data = load_wrapper(solver)
    session = Session(
        {
            "catalogue": load_catalogue(),
            "machine": load_machine("default"),
            "wrapper": watched(data, (), read),
            # whoever prints scripts asks which operators the solver reads
            "sources": {"seeds": [], "mix": [["api", 1.0]], "walk": 5, "check-ms": 20.0},
        }
    )
    entries = {(section, key) for section in ASKED for key in data.get(section) or {}}
    for seed in range(MOST_WALKS):
        if entries <= read:
            break
        walk(session, seed)
    return sorted(entries - read)


@pytest.mark.parametrize("solver", ["z3", "cvc5"])
def test_a_session_asks_for_each_entry_of_its_wrapper(solver: str) -> None:
    assert forked(lambda: _unread(solver)) == []
