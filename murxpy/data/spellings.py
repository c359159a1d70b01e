"""The shorthands of a wrapper file: one line that stands for several spellings of an operator.

A file declares its shorthands under the key `shorthands`, each with a name and the spellings that
it stands for. The character `$` in these spellings is a gap. An entry of a section of spellings
uses the shorthand NAME by the key `.NAME`, whose value fills the gap. No spelling can have a name
with a leading dot, so a misspelled shorthand is an error and never becomes a spelling.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal

from msgspec import Meta, field

from murxpy.data.yamlfile import Document, Place, Strict, convert_at
from murxpy.errors import nearest
from murxpy.solvers.guards import parse_guard
from murxpy.solvers.spelling import counter_of, parse_template

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


# ----------------------------------------------------------------------
# Checks the spellings in a wrapper file where they stand: their form, placeholders, guards and
# helpers.


_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.+-]*")
_HELPER = re.compile(r"\bh\.([A-Za-z_]\w*)")


class Spelling(Strict, frozen=True):
    """A spelling: a template over arguments, indices, sort and context, and when it may be used."""

    is_: str = field(name="is")
    when: str | list[str] = []
    fold: Literal["left", "right", "chain", "pairwise"] | None = None
    weight: Annotated[float, Meta(gt=0)] = 1.0
    since: str | None = None
    before: str | None = None
    drawn_since: str | None = None
    drawn_while: str | None = None
    unsound: bool = False
    about: str = ""


def forms(entry: Any) -> dict[str, Any]:
    """Return the spellings of an entry by name. If the entry is only a template, or only one
    mapping, the spelling is called `default`.
    """
    return {"default": entry} if isinstance(entry, str) or "is" in entry else entry


@dataclass(frozen=True, slots=True)
class Written:
    """A spelling as a wrapper writes it: where it stands, its template, and its other entries."""

    section: str
    key: str
    name: str
    template: str
    more: Mapping[str, Any]

    @property
    def counter(self) -> str:
        """The counter of its calls."""
        return counter_of(self.section, self.key, self.name)


def written(wrapper: Mapping[str, Any], sections: Sequence[str]) -> Iterator[Written]:
    """Each spelling in these sections of a wrapper, in their order."""
    for section in sections:
        for key, entry in (wrapper.get(section) or {}).items():
            for name, form in forms(entry).items():
                entries = {"is": form} if isinstance(form, str) else form
                yield Written(section, str(key), str(name), entries["is"], entries)


def check_spellings(
    document: Document, wrapper: dict[str, Any], sections: tuple[str, ...], helpers: list[str]
) -> None:
    """Raise InputError for the first spelling that is not well-formed, also in the section `plain`.
    `helpers` are the texts of the files of helpers.
    """
    known = _helper_names(document, helpers) if helpers else None
    plain = wrapper["plain"]
    own = tuple(section for section in sections if section in plain)
    places = [
        *_spellings(document, wrapper, sections, ()),
        *_spellings(document, plain, own, ("plain",)),
        *(
            one
            for name, part in wrapper["parts"].items()
            for one in _spellings(document, part, ("actions",), ("parts", name))
        ),
    ]
    for place, form in places:
        spelling = (
            Spelling(is_=form) if isinstance(form, str) else convert_at(document, Spelling, place)
        )
        for text in filter(None, (spelling.is_, spelling.drawn_while)):
            _check_template(document, place, text, known)
        for guard in [spelling.when] if isinstance(spelling.when, str) else spelling.when:
            parse_guard(guard, _find_helper(document, place, known), _where(document, place))
    if wrapper["conjunction"] is not None:
        _check_template(document, ("conjunction",), wrapper["conjunction"], known)


def _spellings(
    document: Document, wrapper: dict[str, Any], sections: tuple[str, ...], above: Place
) -> Iterator[tuple[Place, Any]]:
    """Yield each spelling with its place. Raises InputError for an entry that has none or has
    another shape.
    """
    for section in sections:
        for key, entry in wrapper[section].items():
            place: Place = (*above, section, key)
            if not entry or not isinstance(entry, (str, dict)):
                raise document.error(
                    place, f"'{key}' has no spelling: expected a template or 'NAME: TEMPLATE'"
                )
            for name, form in forms(entry).items():
                at = place if form is entry else (*place, name)
                if not _NAME.fullmatch(name):
                    raise document.error(
                        at, f"'{name}' cannot name a spelling: expected letters, digits and '-'"
                    )
                if not isinstance(form, (str, dict)):
                    raise document.error(
                        at, f"expected a template or a mapping with 'is', found {form!r:.40}"
                    )
                yield at, form


def _check_template(document: Document, place: Place, text: str, known: list[str] | None) -> None:
    where = _where(document, place)
    template = parse_template(text, where)
    try:
        ast.parse(f"({template.source})", mode="eval")
    except (
        SyntaxError,
        ValueError,
        RecursionError,
        MemoryError,
    ) as error:  # the last two say that the template nests too deeply for Python's parser
        message = (
            error.msg
            if isinstance(error, SyntaxError)
            else error
            if isinstance(error, ValueError)
            else "nested too deeply"
        )
        raise document.error(place, f"'{text}' is not a Python expression: {message}") from None
    for name in _HELPER.findall(text):
        _find_helper(document, place, known)(name)


def _find_helper(document: Document, place: Place, known: list[str] | None) -> Callable[[str], Any]:
    """Return a function that raises InputError for a helper that does not exist."""

    def find(name: str) -> Any:
        if known is None:
            raise document.error(
                place, f"'h.{name}' needs a helpers file: expected 'helpers: FILE' in the wrapper"
            )
        if name not in known:
            raise document.error(place, f"unknown helper 'h.{name}'{nearest(name, known)}")
        return None

    return find


def _helper_names(document: Document, sources: list[str]) -> list[str]:
    """Return the names that the files of helpers define. Raises InputError if two files define a name
    in different ways, because they share a namespace.
    """
    names: list[str] = []
    meanings: dict[str, ast.AST] = {}
    for source in sources:
        module = _parse(document, source)
        for name, meaning in _definitions(module):
            first = meanings.setdefault(name, meaning)
            if first is not meaning and ast.dump(first) != ast.dump(meaning):
                raise document.error(("helpers",), f"the helper '{name}' is defined twice")
        names += _names(module)
    return names


def _definitions(module: ast.Module) -> Iterator[tuple[str, ast.AST]]:
    """What a file of helpers defines at its top: names with their definitions."""
    for node in module.body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            yield node.name, node
        elif isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for target in targets:
                if isinstance(target, ast.Name):
                    yield target.id, node.value


def _parse(document: Document, source: str) -> ast.Module:
    try:
        return ast.parse(source)
    except (SyntaxError, ValueError) as error:
        line = f", line {error.lineno}" if isinstance(error, SyntaxError) else ""
        raise document.error(("helpers",), f"the helpers are not Python: {error}{line}") from None


def _names(module: ast.Module) -> Iterator[str]:
    """The names of a file of helpers, but not those inside of its functions and classes."""
    nodes: list[ast.AST] = list(module.body)
    for node in nodes:  # grows
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            yield node.name
            continue
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            yield from (alias.asname or alias.name for alias in node.names)
        nodes += ast.iter_child_nodes(node)


def _where(document: Document, place: Place) -> str:
    return f"{document.file}:{document.line(place)}"
