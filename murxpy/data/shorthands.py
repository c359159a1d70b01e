"""The shorthands of a wrapper file: one line that stands for several spellings of an operator.

A file declares its shorthands under the key `shorthands`, each with a name and the spellings that
it stands for. The character `$` in these spellings is a gap. An entry of a section of spellings
uses the shorthand NAME by the key `.NAME`, whose value fills the gap. No spelling can have a name
with a leading dot, so a misspelled shorthand is an error and never becomes a spelling.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from murxpy.data.yamlfile import Document, Place
from murxpy.errors import nearest

MARK = "."
GAP = "$"
SECTION = "shorthands"


def expand_shorthands(document: Document, sections: tuple[str, ...]) -> Document:
    """The document with each use of a shorthand replaced, where it stands, by its spellings.

    The document must have the shape of a `Wrapper`. A spelling that comes from a shorthand has the
    line of the use, so that errors name this line. Raises InputError for a use of an unknown
    shorthand, and for a spelling that an entry has twice.
    """
    data, lines = dict(document.data), dict(document.lines)
    shorthands = data.pop(SECTION, {})
    for name, spellings in shorthands.items():
        _check_shorthand(document, name, spellings)
    for section in sections:
        entries = data.get(section) or {}
        data[section] = {
            key: _expand(document, (section, key), entry, shorthands, lines)
            for key, entry in entries.items()
        }
    return replace(document, data=data, lines=lines)


def _check_shorthand(document: Document, name: str, spellings: dict[str, Any]) -> None:
    if not all(GAP in _template(form) for form in spellings.values()) or not spellings:
        raise document.error(
            (SECTION, name),
            f"the shorthand '{name}' needs spellings with a '{GAP}' in the template of each, "
            "which the text of a use replaces",
        )


def _template(form: Any) -> str:
    """The template of a spelling, or an empty text for what is not a spelling."""
    template = form.get("is") if isinstance(form, dict) else form
    return template if isinstance(template, str) else ""


def _expand(
    document: Document,
    place: Place,
    entry: Any,
    shorthands: dict[str, dict[str, Any]],
    lines: dict[Place, int],
) -> Any:
    """One entry of a section without shorthands. Adds the lines of its new spellings to `lines`."""
    if not isinstance(entry, dict):
        return entry
    expanded: dict[Any, Any] = {}
    for key, value in entry.items():
        at = (*place, key)
        new = {key: value}
        if isinstance(key, str) and key.startswith(MARK):
            new = _filled(document, at, key.removeprefix(MARK), value, shorthands)
        for name in new:
            if name in expanded:
                raise document.error(
                    at, f"the spelling '{name}' of {place[-1]} stands here a second time"
                )
            lines[(*place, name)] = document.line(at)
        expanded |= new
    return expanded


def _filled(
    document: Document, at: Place, name: str, text: Any, shorthands: dict[str, dict[str, Any]]
) -> dict[str, Any]:
    """The spellings of the shorthand `name` with `text` in the gaps of their templates."""
    if name not in shorthands:
        raise document.error(at, f"unknown shorthand '{MARK}{name}'{nearest(name, shorthands)}")
    if not isinstance(text, str) or not text:
        raise document.error(at, f"expected the text for '{GAP}' of '{MARK}{name}'")
    return {
        spelling: form | {"is": _template(form).replace(GAP, text)}
        if isinstance(form, dict)
        else form.replace(GAP, text)
        for spelling, form in shorthands[name].items()
    }
