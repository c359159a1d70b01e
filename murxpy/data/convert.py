"""Turns decoded YAML into typed structs. An error names the line, what was expected, and the
nearest known name.
"""

from __future__ import annotations

import json
import re
from functools import cache
from typing import Any, TypeVar

import msgspec
from msgspec import inspect as types

from murxpy.data.yamlfile import Document, Place
from murxpy.errors import nearest

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
    of_any_type: Any = type_  # a class is hashable, which the type checker does not know of `type_`
    _check(document, value, _type_info(of_any_type), place)
    try:
        return msgspec.convert(value, type_)
    except msgspec.ValidationError as error:
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
    fields = {field.encode_name: field for field in info.fields}
    for key in value:
        if key not in fields:
            known = ", ".join(fields)
            raise document.error(
                (*place, key), f"unknown key '{key}'{nearest(str(key), fields)}; known are {known}"
            )
    for name, field in fields.items():
        if name in value:
            _check(document, value[name], field.type, (*place, name))
        elif field.required:
            raise document.error(
                place, f"the key '{name}' is missing: expected {_describe(field.type)}"
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
    """Return whether a scalar has the type. Nothing is converted, but an integer is also a number."""
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
