"""The wrappers of `wrappers/*.yaml`, which say how a solver's API is spelled. They are decoded,
checked and handed on as plain data.
"""

from __future__ import annotations

import re
from importlib.metadata import entry_points
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from packaging.specifiers import InvalidSpecifier, SpecifierSet

from murxpy.data.convert import convert, plain
from murxpy.data.dialects import decode_dialect
from murxpy.data.folders import data_folder
from murxpy.data.grants import is_granted, whole_path
from murxpy.data.profiles import decode_profile, trim
from murxpy.data.remembered import remembered
from murxpy.data.shorthands import SECTION, expand_shorthands
from murxpy.data.spellings import check_spellings
from murxpy.data.theories import Plain, load_theories, theory_files
from murxpy.data.wrapper_schema import Wrapper
from murxpy.data.yamlfile import Document, Place, read_document, read_text
from murxpy.errors import InputError, nearest
from murxpy.solvers.wrapper import SECTIONS

ENTRY_POINTS = "murxpy.wrappers"
_OPTIONS = ("options", "process-options")  # the sections with options that are drawn


def load_wrapper(name_or_path: str) -> Plain:
    """Return the wrapper of a shipped name, of an entry point of the group `murxpy.wrappers`, or of
    a file.

    The result is a dict with the keys of the file. Spellings are as they are written, and
    `helpers_sources` has path and text of each file of helpers, in order. Raises InputError.
    """
    return _load(wrapper_path(name_or_path), theory_files())


@remembered
def _load(path: Path, theories: tuple[Path, ...]) -> Plain:
    """Return the wrapper in a file. `theories` are the files whose names it may use."""
    document = read_document(path)
    convert(document, Wrapper)
    document = expand_shorthands(document, SECTIONS)
    wrapper: Plain = plain(convert(document, Wrapper))
    del wrapper[SECTION]
    _check_names(document, wrapper)
    _check_options(document, wrapper)
    helpers = [[str(path), read_text(path)] for path in _helpers(document, wrapper)]
    check_spellings(document, wrapper, SECTIONS, [text for _, text in helpers])
    _check_refusals(document, wrapper)
    _check_releases(document, wrapper)
    profile = decode_profile(document, ("profile",)) if wrapper["profile"] else {}
    return wrapper | {
        "options": [trim(option) for option in wrapper["options"]],
        "own-actions": {name: trim(action) for name, action in wrapper["own-actions"].items()},
        "refusals": [trim(refusal) for refusal in wrapper["refusals"]],
        "documented": [trim(entry) for entry in wrapper["documented"]],
        "profile": profile,
        "dialect": decode_dialect(document),
        "helpers_sources": helpers,
    }


def wrapper_path(name_or_path: str) -> Path:
    """Return the file of a wrapper, which is a name of `wrappers/`, a name of an entry point, or a
    path. Raises InputError if it is neither, and for a path that the user did not name: a wrapper is
    code.
    """
    shipped = data_folder("wrappers") / f"{name_or_path}.yaml"
    if name_or_path and Path(name_or_path).name == name_or_path and shipped.is_file():
        return shipped
    for point in entry_points(group=ENTRY_POINTS, name=name_or_path):
        return _of_entry_point(name_or_path, point.load)
    path = Path(name_or_path).expanduser()
    if path.is_file() or path.suffix in (".yaml", ".yml"):
        if not is_granted(whole_path(path)):
            raise InputError(
                f"the wrapper {path} is named in a file and not on the command line: a wrapper is code, and "
                "so is not loaded"
            )
        return path
    known = wrapper_names()
    hint = nearest(name_or_path, known)
    raise InputError(
        f"unknown solver '{name_or_path}'{hint}: expected {', '.join(known)} or a wrapper's YAML file"
    )


def wrapper_names() -> list[str]:
    """Return the names of the shipped wrappers and of those that installed packages offer."""
    return sorted({*shipped_names(), *(point.name for point in entry_points(group=ENTRY_POINTS))})


def shipped_names() -> list[str]:
    """Return the names of the wrappers in the data folder."""
    return sorted(path.stem for path in data_folder("wrappers").glob("*.yaml"))


def default_judges() -> tuple[str, ...]:
    """Return the solvers that say what is right if the user names none, in the order of their rank
    `default-judge`. A wrapper without that rank is not among them.
    """
    found = {}
    for name in shipped_names():
        rank = read_document(wrapper_path(name)).data.get("default-judge")
        if rank is not None:
            found[name] = rank
    return tuple(sorted(found, key=lambda name: found[name]))


def _of_entry_point(name: str, load: Any) -> Path:
    """Return the path that a package's entry point gives as a str or a path object. Raises
    InputError for anything else.
    """
    try:
        value = load()
    except Exception as error:  # a foreign package can raise anything
        raise InputError(
            f"the wrapper '{name}' of an installed package cannot be loaded: {error}"
        ) from None
    if not isinstance(value, (str, PathLike)):
        raise InputError(
            f"the entry point '{name}' of {ENTRY_POINTS} gives {value!r:.60}: expected the path of a YAML"
        )
    return Path(fspath(value))


def _helpers(document: Document, wrapper: Plain) -> list[Path]:
    """Return the files of helpers, which stand beside that of the wrapper."""
    named = wrapper["helpers"]
    names: list[str] = [named] if isinstance(named, str) else named
    paths = [Path(document.file).parent / name for name in names]
    for name, path in zip(names, paths, strict=True):
        if Path(name).name != name:
            raise document.error(
                ("helpers",), f"'{name}' is not a plain file name: helpers stand beside the wrapper"
            )
        if not path.is_file():
            raise document.error(("helpers",), f"the helpers {path} are missing")
    return paths


def _check_names(document: Document, wrapper: Plain) -> None:
    """Raise InputError for a theory, kind of sorts, special value or operator that no theory has."""
    known = _known_names(wrapper)
    for position, name in enumerate(wrapper["theories"]):
        _check(document, ("theories", position), *known["theories"], name)
    for section in _OPTIONS:
        for position, option in enumerate(wrapper[section]):
            for name in option["theories"]:
                _check(document, (section, position), *known["theories"], name)
    for position, difference in enumerate(wrapper["differences"]):
        for section in ("special-values", "operators"):
            for name in difference[section]:
                _check(document, ("differences", position), *known[section], name)
    for position, group in enumerate(wrapper["unspelled"]):
        for name in group["operators"]:
            _check(document, ("unspelled", position), *known["operators"], name)
            if name in wrapper["operators"]:
                raise document.error(
                    ("unspelled", position),
                    f"'{name}' has a spelling in this wrapper: leave it out here",
                )
    for function, name in wrapper["open-points"].items():
        _check(document, ("open-points", function), *known["operators"], name)
    for section, (what, names) in known.items():
        for name in wrapper[section]:
            _check(document, (section, name), what, names, name)
        for name in wrapper["plain"].get(section, ()):
            _check(document, ("plain", section, name), what, names, name)


def _known_names(wrapper: Plain) -> dict[str, tuple[str, list[str]]]:
    """Return for each section what its names are called in messages, and which names there are."""
    catalogue = load_theories()["theories"]
    theories = [theory["name"] for theory in catalogue]
    kinds = [kind for theory in catalogue for kind in theory["sorts"]]
    special = [
        name
        for theory in catalogue
        for sort in theory["sorts"].values()
        for name in sort["special"]
    ]
    operators = [kind for theory in catalogue for kind in theory["operators"]]
    symbols = [*kinds, *(kind.removeprefix("SORT_") for kind in kinds), "any"]
    return {
        "theories": ("theory", theories),
        "sorts": ("sort kind", [*kinds, "instantiate-sort"]),
        "special-values": ("special value", special),
        "values": ("sort kind", kinds),
        "constants": ("sort kind", symbols),
        "variables": ("sort kind", symbols),
        "operators": ("operator", operators),
        "required-options": ("theory", [*theories, "any"]),
        "own-actions": ("action", list(wrapper["actions"])),
        "unjudged": ("operator", [*operators, *special]),
        "unasked": ("operator", operators),
        "script-since": ("operator", operators),
    }


def _check(document: Document, place: Place, what: str, known: list[str], name: str) -> None:
    if name not in known:
        raise document.error(place, f"unknown {what} '{name}'{nearest(name, known)}")


def _check_options(document: Document, wrapper: Plain) -> None:
    """Raise InputError for an option that cannot be drawn: it is a choice without values, has an
    empty range, or stands twice.
    """
    seen: set[str] = set()
    listed = [(section, at) for section in _OPTIONS for at in range(len(wrapper[section]))]
    for section, position in listed:
        place: Place = (section, position)
        option = wrapper[section][position]
        name = option["name"]
        if name in seen:
            raise document.error(place, f"the option '{name}' stands here a second time")
        seen.add(name)
        if option["type"] == "choice" and not option["values"]:
            raise document.error(
                place, f"the option '{name}' is a choice: expected 'values: [...]'"
            )
        if option["type"] in ("int", "float"):
            low, high = option["min"], option["max"]
            if not option["values"] and (low is None or high is None or low > high):
                raise document.error(
                    place, f"the option '{name}' is a number: expected 'min' and 'max', or 'values'"
                )


def _check_releases(document: Document, wrapper: Plain) -> None:
    """Raise InputError if the releases are no range of releases."""
    spans: dict[Place, str] = {("releases",): wrapper["releases"]}
    spans |= {("release-needs", span): span for span in wrapper["release-needs"]}
    for place, span in spans.items():
        try:
            SpecifierSet(span)
        except InvalidSpecifier:
            raise document.error(
                place, f"'{span[:80]}' is no span of releases, expected one such as '>=4.8.7,<5'"
            ) from None


def _check_refusals(document: Document, wrapper: Plain) -> None:
    """Raise InputError for a message that is no regular expression."""
    for position, refusal in enumerate(wrapper["refusals"]):
        try:
            re.compile(refusal["message"] or "")
        except re.error as error:
            raise document.error(
                ("refusals", position), f"'message' is no regular expression: {error}"
            ) from None
    contract = wrapper["contract"]
    patterns = [("defects", "message", entry) for entry in contract["defects"]]
    patterns += [("undefined", "call", entry) for entry in contract["undefined"]]
    patterns += [("conversions", "message", entry) for entry in contract["conversions"]]
    patterns += [("calls", "name", entry) for entry in contract["calls"]["skip"]]
    patterns += [
        ("calls", key, entry)
        for key in ("parameter", "of")
        for entry in contract["calls"]["arguments"]
    ]
    for part, key, entry in patterns:
        _check_pattern(document, ("contract", part), key, entry)
    for position, entry in enumerate(wrapper["documented"]):
        for key in ("calls", "sorts"):
            _check_pattern(document, ("documented", position), key, entry)


def _check_pattern(document: Document, place: Place, key: str, entry: Plain) -> None:
    try:
        re.compile(entry[key] or "")
    except re.error as error:
        raise document.error(place, f"'{key}' is no regular expression: {error}") from None
