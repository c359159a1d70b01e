"""Strict YAML: reads the files of the data folders as plain data that remembers the line of each
entry.

The subset is what a careful author writes anyway. Only `true` and `false` are Booleans, because
`on` and `no` are names of solver options. Numbers are decimal, and dates are text. A key stands
once; there are no tags and no merge keys. The events of the parser are read in a loop, with limits
on size, depth and aliases, so that no input exhausts stack or memory.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import yaml
from msgspec import inspect as types

from murxpy.data.folders import note
from murxpy.errors import InputError, nearest
from murxpy.foreign import read_bytes

MAX_BYTES = 4_000_000  # bytes of a file
MAX_DEPTH = 40
_KEPT = 32  # documents; a command reads about as many, such as the default machine five times
MAX_NODES = 400_000  # entries of a file, after aliases are replaced by what they stand for

Place = tuple[str | int, ...]  # the keys and positions that lead from the top to an entry

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
MAX_DIGITS = 4300  # digits of a number; Python reads no longer ones by default
_INT = re.compile(r"[-+]?(0|[1-9][0-9]*)")
_FLOAT = re.compile(r"[-+]?([0-9]+\.[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?|[-+]?[0-9]+[eE][-+]?[0-9]+")
_WORDS: dict[str, bool | None] = {"true": True, "false": False, "null": None, "~": None, "": None}


@dataclass(frozen=True)
class Document:
    """A decoded file. `data` consists of dicts with keys that are str or int, of lists, and of
    scalars; `lines` has the line of each entry.
    """

    file: str
    data: Any
    lines: dict[Place, int] = field(repr=False)

    def line(self, path: Place) -> int:
        """Return the line, from 1, of the entry at `path`, or of the nearest entry around it that
        is known.
        """
        while path and path not in self.lines:
            path = path[:-1]
        return self.lines.get(path, 1)

    def error(self, path: Place, message: str) -> InputError:
        """Return the error to raise for the entry at `path`."""
        return InputError(message, file=self.file, line=self.line(path))


def read_document(path: Path) -> Document:
    """Decode the YAML file at `path`. Raises InputError for anything malformed, with the line if
    there is one.
    """
    return parse_document(read_text(path), str(path))


def read_text(path: Path) -> str:
    """Return the text of an input file. Raises InputError if the file cannot be read, is too large,
    or is no UTF-8.
    """
    content = read_bytes(path, "text", MAX_BYTES)
    note(path, content)
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise InputError("not UTF-8: save it in that encoding", file=str(path), line=line) from None


@lru_cache(_KEPT)
def parse_document(text: str, file: str) -> Document:
    """Decode the YAML `text`. `file` is its name in errors. Equal calls share a document, which nobody
    changes. Raises InputError for anything malformed.
    """
    builder = _Builder(file)
    try:
        for event in yaml.parse(text, Loader=_LOADER):
            builder.take(event)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else None
        problem = f"not YAML: {error.problem or error.context}"
        if "nesting depth" in problem:
            # The parser has a bound of its own, which is larger than ours.
            problem = f"nested more than {MAX_DEPTH} deep"
        raise InputError(problem, file=file, line=line) from None
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1 if isinstance(error.position, int) else None
        raise InputError(f"not YAML: {error.reason}", file=file, line=line) from None
    except yaml.YAMLError as error:
        raise InputError(f"not YAML: {' '.join(str(error).split())}", file=file) from None
    if builder.documents == 0:
        raise InputError("empty: expected a YAML mapping", file=file)
    return Document(file, builder.root, builder.lines)


@dataclass
class _Frame:
    """A collection that is being read."""

    value: dict[Any, Any] | list[Any]
    path: Place
    anchor: str | None
    key: str | int | None = None
    has_key: bool = False
    count: int = 1  # entries in it, and itself


class _Builder:
    """Builds the data from the events of the parser, without recursion."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.root: Any = None
        self.lines: dict[Place, int] = {(): 1}
        self.documents = 0
        self._open: list[_Frame] = []
        self._anchors: dict[str, tuple[Any, int]] = {}
        self._nodes = 0

    def take(self, event: Any) -> None:
        line = event.start_mark.line + 1
        if isinstance(event, yaml.ScalarEvent):  # two of three events
            self._scalar(event, line)
        elif isinstance(event, yaml.CollectionStartEvent):
            self._start(event, line)
        elif isinstance(event, yaml.CollectionEndEvent):
            self._end()
        elif isinstance(event, yaml.AliasEvent):
            self._alias(event.anchor or "", line)
        elif isinstance(event, yaml.DocumentStartEvent):
            self.documents += 1
            if self.documents > 1:
                raise self._error(line, "a second document: expected one, with no line '---' in it")

    def _start(self, event: Any, line: int) -> None:
        self._refuse_tag(event, line)
        if len(self._open) >= MAX_DEPTH:
            raise self._error(line, f"nested more than {MAX_DEPTH} deep")
        value: dict[Any, Any] | list[Any] = {} if isinstance(event, yaml.MappingStartEvent) else []
        path = self._place(value, line, 1)
        self._open.append(_Frame(value, path, event.anchor))

    def _end(self) -> None:
        frame = self._open.pop()
        if frame.anchor is not None:
            self._anchors[frame.anchor] = (frame.value, frame.count)
        if self._open:
            # the collection itself was counted when it began
            self._open[-1].count += frame.count - 1

    def _scalar(self, event: Any, line: int) -> None:
        self._refuse_tag(event, line)
        value = self._resolve(event.value, line) if event.style in (None, "") else event.value
        if event.anchor is not None:
            self._anchors[event.anchor] = (value, 1)
        self._place(value, line, 1)

    def _alias(self, anchor: str, line: int) -> None:
        if anchor not in self._anchors:
            raise self._error(
                line, f"'*{anchor}' stands for nothing: expected '&{anchor}' on an entry above"
            )
        value, count = self._anchors[anchor]
        self._place(value, line, count)

    def _place(self, value: Any, line: int, count: int) -> Place:
        """Put a value where it belongs, and return the path to it."""
        self._nodes += count
        if self._nodes > MAX_NODES:
            raise self._error(line, f"more than {MAX_NODES:,} entries, aliases counted each time")
        if not self._open:
            self.root = value
            self.lines[()] = line
            return ()
        frame = self._open[-1]
        if isinstance(frame.value, dict) and not frame.has_key:
            self._take_key(frame, value, line)
            return frame.path
        frame.count += count
        if isinstance(frame.value, list):
            path: Place = (*frame.path, len(frame.value))
            frame.value.append(value)
            self.lines[path] = line
        else:
            assert frame.key is not None
            path = (*frame.path, frame.key)
            frame.value[frame.key] = value
            frame.has_key = False
        return path

    def _take_key(self, frame: _Frame, key: Any, line: int) -> None:
        if isinstance(key, bool) or not isinstance(key, (str, int)):
            shown = "a list or mapping" if isinstance(key, (list, dict)) else f"'{_as_yaml(key)}'"
            raise self._error(
                line, f"{shown} is not a key: expected a name (in quotes, if it is this word)"
            )
        assert isinstance(frame.value, dict)
        if key in frame.value:
            before = self.lines[(*frame.path, key)]
            raise self._error(
                line,
                f"the key '{key}' stands here a second time, first on line {before}: remove one",
            )
        frame.key, frame.has_key = key, True
        self.lines[(*frame.path, key)] = line

    def _resolve(self, text: str, line: int) -> Any:
        """Return the value of a scalar without quotes."""
        if text in _WORDS:
            return _WORDS[text]
        if text[0] not in "+-.0123456789":
            return text
        try:
            if _INT.fullmatch(text):
                # the check is made here because Python's own limit may be lifted in this process
                if len(text) > MAX_DIGITS:
                    raise ValueError
                return int(text)
            if _FLOAT.fullmatch(text):
                number = float(text)
                if number in (float("inf"), float("-inf")):
                    raise ValueError
                return number
        except ValueError:
            raise self._error(line, f"the number {text[:20]}... is too large") from None
        return text

    def _refuse_tag(self, event: Any, line: int) -> None:
        if event.tag not in (None, "!"):
            raise self._error(
                line, f"the tag '{event.tag}' is not taken: write the value without it"
            )

    def _error(self, line: int, message: str) -> InputError:
        return InputError(message, file=self.file, line=line)


def _as_yaml(value: Any) -> str:
    return {True: "true", False: "false", None: "null"}.get(value, str(value))


def entries(document: Document, path: Place) -> Iterator[tuple[Place, Any]]:
    """Yield the paths and values directly under the collection at `path`, in the order of the file."""
    node = document.data
    for step in path:
        node = node[step]
    for key, value in node.items() if isinstance(node, dict) else enumerate(node):
        yield (*path, key), value


# ----------------------------------------------------------------------
# Turns decoded YAML into typed structs. An error names the line, what was expected, and the
# nearest known name.


T = TypeVar("T")


class Strict(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="kebab", kw_only=True):
    """The base of all structs of the data files. Keys are written `like-this`, and an unknown key
    is an error.
    """


def convert(document: Document, type_: type[T]) -> T:
    """Return the whole document as a `type_`. Raises InputError for the first entry that does not
    fit.
    """
    return convert_at(document, type_, ())


def convert_at(document: Document, type_: type[T], place: Place) -> T:
    """Return the part of the document at `place` as a `type_`. Raises InputError for the first
    entry that does not fit.
    """
    value = document.data
    for depth, step in enumerate(place):
        if isinstance(value, dict) and step not in value:
            raise document.error(place[:depth], f"expected a text as a name, found {step}")
        value = value[step]
    try:
        return msgspec.convert(value, type_)
    except msgspec.ValidationError as error:
        of_any_type: Any = type_  # a class is hashable, which mypy does not know of `type_`
        _check(document, value, _type_info(of_any_type), place)
        raise document.error(place, str(error)) from None


@cache
def _type_info(type_: Any) -> types.Type:
    return types.type_info(type_)


def plain(value: Any) -> Any:
    """Return a struct as data that JSON carries unchanged: dicts with text keys, lists and scalars."""
    return json.loads(json.dumps(msgspec.to_builtins(value, str_keys=True)))


def _check(document: Document, value: Any, info: types.Type, place: Place) -> None:
    """Raise the error of the first part of `value` that does not have the described type."""
    if isinstance(info, types.UnionType):
        _check_union(document, value, info, place)
    elif isinstance(info, types.StructType):
        _check_struct(document, value, info, place)
    elif isinstance(info, types.DictType):
        if not isinstance(value, dict):
            raise _unexpected(document, value, info, place)
        for key, entry in value.items():
            _check(document, key, info.key_type, (*place, key))
            _check(document, entry, info.value_type, (*place, key))
    elif isinstance(info, types.ListType):
        if not isinstance(value, list):
            raise _unexpected(document, value, info, place)
        for position, entry in enumerate(value):
            _check(document, entry, info.item_type, (*place, position))
    elif isinstance(info, types.TupleType):
        _check_tuple(document, value, info, place)
    elif not _is_leaf(value, info):
        raise _unexpected(document, value, info, place)


def _check_struct(document: Document, value: Any, info: types.StructType, place: Place) -> None:
    if not isinstance(value, dict):
        raise _unexpected(document, value, info, place)
    fields = {entry.encode_name: entry for entry in info.fields}
    for key in value:
        if key not in fields:
            known = ", ".join(fields)
            raise document.error(
                (*place, key), f"unknown key '{key}'{nearest(str(key), fields)}; known are {known}"
            )
    for name, entry in fields.items():
        if name in value:
            _check(document, value[name], entry.type, (*place, name))
        elif entry.required:
            raise document.error(
                place, f"the key '{name}' is missing: expected {_describe(entry.type)}"
            )


def _check_tuple(document: Document, value: Any, info: types.TupleType, place: Place) -> None:
    if not isinstance(value, list) or len(value) != len(info.item_types):
        raise _unexpected(document, value, info, place)
    for position, (entry, item) in enumerate(zip(value, info.item_types, strict=True)):
        _check(document, entry, item, (*place, position))


def _check_union(document: Document, value: Any, info: types.UnionType, place: Place) -> None:
    """Check the value against the member of the union that has its shape, so that the error is
    about the parts of the value.
    """
    for member in info.types:
        if _same_shape(value, member):
            _check(document, value, member, place)
            return
    raise _unexpected(document, value, info, place)


def _same_shape(value: Any, info: types.Type) -> bool:
    if isinstance(info, (types.StructType, types.DictType)):
        return isinstance(value, dict)
    if isinstance(info, types.TupleType):
        return isinstance(value, list) and len(value) == len(info.item_types)
    if isinstance(info, types.ListType):
        return isinstance(value, list)
    return _is_leaf(value, info)


def _is_leaf(value: Any, info: types.Type) -> bool:
    """Return whether a scalar has the type. No value is converted, but an integer is also a number."""
    if isinstance(info, types.AnyType):
        return True
    if isinstance(info, types.LiteralType):
        return any(value == known and type(value) is type(known) for known in info.values)
    if isinstance(info, (types.IntType, types.FloatType)):
        classes = (int,) if isinstance(info, types.IntType) else (int, float)
        return (
            isinstance(value, classes) and not isinstance(value, bool) and _in_bounds(value, info)
        )
    if isinstance(info, types.StrType):
        return isinstance(value, str) and (
            info.pattern is None or re.search(info.pattern, value) is not None
        )
    return isinstance(value, bool) if isinstance(info, types.BoolType) else value is None


def _in_bounds(value: float, info: types.IntType | types.FloatType) -> bool:
    return not (
        (info.ge is not None and value < info.ge)
        or (info.gt is not None and value <= info.gt)
        or (info.le is not None and value > info.le)
    )


def _unexpected(document: Document, value: Any, info: types.Type, place: Place) -> Exception:
    hint = ""
    if isinstance(value, str) and isinstance(info, types.LiteralType):
        hint = nearest(value, [str(known) for known in info.values])
    return document.error(place, f"expected {_describe(info)}, found {_found(value)}{hint}")


def _found(value: Any) -> str:
    if isinstance(value, dict):
        return "a mapping"
    if isinstance(value, list):
        return f"a list of {len(value)}"
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return "the Boolean true" if value else "the Boolean false"
    text = repr(value) if isinstance(value, str) else str(value)
    kind = "the text " if isinstance(value, str) else ""
    return kind + (text if len(text) <= 60 else text[:57] + "...")


def _describe(info: types.Type) -> str:
    """Return how values of the type look, for an error."""
    if isinstance(info, types.UnionType):
        numbers = any(isinstance(member, types.FloatType) for member in info.types)
        shown = [
            member for member in info.types if not (numbers and isinstance(member, types.IntType))
        ]
        return " or ".join(
            _describe(member) for member in shown if not isinstance(member, types.NoneType)
        )
    if isinstance(info, types.StructType):
        return "a mapping with " + ", ".join(field.encode_name for field in info.fields)
    if isinstance(info, types.DictType):
        return f"a mapping to {_describe(info.value_type)}"
    if isinstance(info, types.ListType):
        return f"a list, each {_describe(info.item_type)}"
    if isinstance(info, types.TupleType):
        return "[" + ", ".join(_describe(item) for item in info.item_types) + "]"
    if isinstance(info, types.LiteralType):
        return " or ".join(f"'{value}'" for value in info.values)
    return _describe_leaf(info)


def _describe_leaf(info: types.Type) -> str:
    if isinstance(info, (types.IntType, types.FloatType)):
        name = "an integer" if isinstance(info, types.IntType) else "a number"
        low = (
            f" of at least {info.ge}"
            if info.ge is not None
            else f" over {info.gt}"
            if info.gt is not None
            else ""
        )
        return name + low + (f" to {info.le}" if info.le is not None else "")
    if isinstance(info, types.StrType):
        return "text" if info.pattern is None else f"text like {info.pattern}"
    if isinstance(info, types.BoolType):
        return "true or false"
    return "anything" if isinstance(info, types.AnyType) else "nothing"
