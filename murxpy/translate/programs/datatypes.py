"""The statements with which a person declares datatypes, by the templates of the wrapper."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from murxpy.translate.expressions import Code, literal
from murxpy.translate.programs.sheet import Sheet


def declared(
    sheet: Sheet, templates: Mapping[str, str], block: Sequence[tuple[Any, ...]]
) -> list[Code] | None:
    """Write the declaration of a block of datatypes. The result is their sorts; None if it cannot
    be written so: a datatype has parameters, or the wrapper has no templates.
    """
    if not templates or not all(map(_simple, block)):
        return None
    made = {
        name: sheet.define(_filled(templates["datatype"], name=literal(name)), name, kept=True)
        for name, _, _ in block
    }
    for name, _, constructors in block:
        for constructor, fields in constructors:
            _constructor(sheet, templates, made, name, constructor, fields)
    sorts = list(made.values())
    joined = ", ".join(sorts)
    key = "create" if len(sorts) == 1 else "create-all"
    sheet.do(_filled(templates[key], datatype=sorts[0], datatypes=joined))
    return sorts


def _constructor(
    sheet: Sheet,
    templates: Mapping[str, str],
    made: Mapping[str, Code],
    owner: str,
    name: str,
    fields: Sequence[tuple[str, Any]],
) -> None:
    words = {"datatype": made[owner], "name": literal(name)}
    operands = [
        _filled(templates["operand"], name=literal(selector), sort=_sort(field, made, owner))
        for selector, field in fields
        if "operand" in templates
    ]
    text = _filled(templates["constructor"], **words, fields=", ".join(operands))
    if "close" not in templates:
        sheet.do(text.replace(", )", ")"))
        return
    constructor = sheet.define(text, name, kept=True)
    for selector, field in fields:
        itself = isinstance(field, tuple) and field == ("self",)
        other = isinstance(field, tuple) and not itself
        key = "itself" if itself else "other" if other else "field"
        sort = literal(field[1]) if other else _sort(field, made, owner)
        filled = {"constructor": constructor, "name": literal(selector), "sort": sort}
        sheet.do(_filled(templates[key], **filled))
    sheet.do(_filled(templates["close"], **words, constructor=constructor))


def _sort(field: Any, made: Mapping[str, Code], owner: str) -> str:
    if not isinstance(field, tuple):
        return str(field)
    return str(made[owner if field == ("self",) else field[1]])


def _simple(declaration: tuple[Any, ...]) -> bool:
    """Whether a datatype has no parameters, and no field is an instance of one that has."""
    _, parameters, constructors = declaration
    fields = [field for _, selectors in constructors for _, field in selectors]
    return not parameters and not any(
        isinstance(field, tuple) and (field[0] == "param" or (len(field) > 2 and field[2]))
        for field in fields
    )


def _filled(template: str, **words: str) -> str:
    for key, text in words.items():
        template = template.replace(f"{{{key}}}", text)
    return template
