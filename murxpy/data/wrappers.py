"""Profiles: what is not generated for a solver. They stand in its wrapper file, and in files of the
user.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from functools import cache
from importlib.util import find_spec
from os import PathLike, fspath
from pathlib import Path
from typing import Annotated, Any, Literal

from msgspec import Meta
from packaging.specifiers import InvalidSpecifier, SpecifierSet

from murxpy import plugins
from murxpy.data.folders import data_folder, remembered
from murxpy.data.machines import DEFAULT, machine_path
from murxpy.data.spellings import MARK, SECTION, check_spellings, expand_shorthands, forms
from murxpy.data.theories import Plain, decode_dialect, load_theories, theory_files
from murxpy.data.wrapper_schema import Wrapper
from murxpy.data.yamlfile import (
    Document,
    Place,
    Strict,
    convert,
    convert_at,
    plain,
    read_document,
    read_text,
)
from murxpy.errors import InputError, nearest
from murxpy.grants import is_granted, whole_path
from murxpy.solvers.wrapper import SECTIONS

Position = Annotated[int, Meta(ge=0)]
Bounds = tuple[int, int]


class OperatorRule(Strict, frozen=True):
    """Restrictions of an operator: kinds of sorts that its arguments do not have, arguments that
    must be literals, indices, and the number of arguments.
    """

    exclude_sorts: list[str] = []
    literals: dict[
        Position, Literal["any", "char", "nonnegative", "nonzero", "small", "special"]
    ] = {}
    indices: dict[Position, Bounds] = {}
    arity: Bounds | None = None


class Excluded(Strict, frozen=True):
    """Kinds of sorts that are not used in one context."""

    exclude: list[str] = []


class SortRules(Strict, frozen=True):
    """Kinds of sorts that are not used, at all or in a context."""

    exclude: list[str] = []
    array_index: Excluded = Excluded()
    array_element: Excluded = Excluded()
    bag_element: Excluded = Excluded()
    set_element: Excluded = Excluded()
    seq_element: Excluded = Excluded()
    tuple_element: Excluded = Excluded()
    datatype_field: Excluded = Excluded()
    sort_param: Excluded = Excluded()
    fun_domain: Excluded = Excluded()
    fun_codomain: Excluded = Excluded()
    const: Excluded = Excluded()
    var: Excluded = Excluded()
    get_value: Excluded = Excluded()
    match_result: Excluded = Excluded()
    define_domain: Excluded = Excluded()
    define_codomain: Excluded = Excluded()


class Profile(Strict, frozen=True, omit_defaults=True):
    """The section `profile` of a wrapper, or a file of its own."""

    exclude_combinations: dict[str, list[str]] = {}
    exclude_operators: list[str] = []
    operators: dict[str, OperatorRule] = {}
    weights: dict[str, Annotated[float, Meta(gt=0, le=1)]] = {}
    sorts: SortRules = SortRules()
    limits: dict[str, Annotated[int, Meta(ge=0)]] = {}


def load_profile(path: str | Path) -> Plain:
    """Return the profile in a file, which has its keys, or one key `profile` with them under it.
    Raises InputError.
    """
    document = read_document(Path(path).expanduser())
    wrapped = isinstance(document.data, dict) and list(document.data) == ["profile"]
    return decode_profile(document, ("profile",) if wrapped else ())


def decode_profile(document: Document, place: Place) -> Plain:
    """Return the profile at `place`, with its names checked. Raises InputError."""
    profile: Plain = trim(plain(convert_at(document, Profile, place)))
    theories = load_theories()["theories"]
    names = [theory["name"] for theory in theories]
    operators = [kind for theory in theories for kind in theory["operators"]]
    sorts = [kind for theory in theories for kind in theory["sorts"]]
    for name, others in profile.get("exclude-combinations", {}).items():
        _check_profile(
            document, (*place, "exclude-combinations", name), "theory", [name, *others], names
        )
    for section in ("exclude-operators", "operators"):
        for position, kind in enumerate(profile.get(section, [])):
            entry = kind if section == "operators" else position
            _check_profile(document, (*place, section, entry), "operator", [kind], operators)
    for name in profile.get("weights", {}):
        weighed = ("operator", operators) if name.startswith("OP_") else ("theory", names)
        _check_profile(document, (*place, "weights", name), weighed[0], [name], weighed[1])
    for kind, rule in profile.get("operators", {}).items():
        _check_profile(
            document, (*place, "operators", kind), "sort kind", rule.get("exclude-sorts", []), sorts
        )
    for context, rule in profile.get("sorts", {}).items():
        listed = rule if context == "exclude" else rule["exclude"]
        _check_profile(document, (*place, "sorts", context), "sort kind", listed, sorts)
    limits = read_document(machine_path(DEFAULT)).data["limits"]
    for limit in profile.get("limits", {}):
        _check_profile(document, (*place, "limits", limit), "limit", [limit], limits)
    return profile


def merge_profile(wrapper_profile: Plain, profile: Plain) -> Plain:
    """Return the two profiles as one. Lists of what is excluded are joined; any other entry of
    `profile` replaces that of `wrapper_profile`.
    """
    return _merge(wrapper_profile, profile, excluding=False)


def _merge(first: Plain, second: Plain, *, excluding: bool) -> Plain:
    merged = dict(first)
    for key, value in second.items():
        within = excluding or key.startswith("exclude")
        before = merged.get(key)
        if isinstance(value, dict) and isinstance(before, dict):
            merged[key] = _merge(before, value, excluding=within)
        elif within and isinstance(value, list) and isinstance(before, list):
            merged[key] = list(dict.fromkeys([*before, *value]))
        else:
            merged[key] = value
    return merged


def trim(data: Any) -> Any:
    """Return plain data without the entries that say nothing: null, and whatever is empty."""
    if not isinstance(data, dict):
        return data
    trimmed = {key: trim(value) for key, value in data.items()}
    return {key: value for key, value in trimmed.items() if value not in (None, {}, [])}


def _check_profile(
    document: Document, place: Place, what: str, names: list[str], known: Any
) -> None:
    for name in names:
        if name not in known:
            raise document.error(place, f"unknown {what} '{name}'{nearest(name, known)}")


# ----------------------------------------------------------------------
# The wrappers of `wrappers/*.yaml`, which say how a solver's API is spelled. They are decoded,
# checked and handed on as plain data.


_OPTIONS = ("options", "process-options")  # the sections with options that are drawn


def load_wrapper(name_or_path: str) -> Plain:
    """Return the wrapper of a shipped name, of a plug-in that the user named, or of a file.

    The result is a dict with the keys of the file. Spellings are as they are written, and
    `helpers_sources` has path and text of each file of helpers, in order. Raises InputError.
    """
    return _load(wrapper_path(name_or_path), theory_files())


@remembered
def _load(path: Path, theories: tuple[Path, ...]) -> Plain:
    """Return the wrapper in a file. `theories` are the files whose names it may use."""
    document = _read(path)
    convert(document, Wrapper)
    document = _with_spelled(document)
    document = expand_shorthands(document, SECTIONS)
    wrapper: Plain = plain(convert(document, Wrapper))
    del wrapper[SECTION], wrapper["shared"]
    _check_options(document, wrapper)
    for section in _OPTIONS:
        wrapper[section] = _single(wrapper[section])
    _check_names(document, wrapper)
    helpers = [[str(path), read_text(path)] for path in _helpers(document, wrapper)]
    check_spellings(document, wrapper, SECTIONS, [text for _, text in helpers])
    _check_parts(document, wrapper)
    _check_refusals(document, wrapper)
    _check_releases(document, wrapper)
    profile = decode_profile(document, ("profile",)) if wrapper["profile"] else {}
    return wrapper | {
        "options": [trim(option) for option in wrapper["options"]],
        "own-actions": {name: trim(action) for name, action in wrapper["own-actions"].items()},
        "parts": {
            name: {
                "actions": part["actions"],
                "options": [trim(option) for option in _single(part["options"])],
            }
            for name, part in wrapper["parts"].items()
        },
        "refusals": [trim(refusal) for refusal in wrapper["refusals"]],
        "documented": [trim(entry) for entry in wrapper["documented"]],
        "profile": profile,
        "dialect": decode_dialect(document),
        "helpers_sources": helpers,
    }


def _read(path: Path) -> Document:
    """Return the document of a wrapper, with the keys that it shares with wrappers beside it. A list
    of its own stands before the shared one, and an entry of its own replaces the shared one of the
    same name. Raises InputError.
    """
    document = read_document(path)
    shared = document.data.get("shared") if isinstance(document.data, dict) else None
    if not isinstance(shared, dict):
        return document
    data = dict(document.data)
    for name, keys in shared.items():
        beside = path.parent / f"{name}.yaml"
        if Path(str(name)).name != name or not beside.is_file():
            raise document.error(("shared", name), f"there is no wrapper '{name}' beside this one")
        given = read_document(beside).data
        for at, key in enumerate(keys or ()):
            if key not in given:
                place = ("shared", name, at)
                raise document.error(place, f"'{name}' has no '{key}'{nearest(key, given)}")
            data[key] = _joined(data.get(key), given[key])
    return replace(document, data=data)


def _joined(own: Any, given: Any) -> Any:
    if isinstance(own, list) and isinstance(given, list):
        return [*own, *given]
    if isinstance(own, dict) and isinstance(given, dict):
        return given | own
    return given if own is None else own


def _with_spelled(document: Document) -> Document:
    """Return the document with an entry for all that its theories have, where it has a section
    `spelled`. Each section that stands there gets the entries that the file does not have, spelled by
    the shorthand that it names, with the name of the entry in the gap.
    """
    data = dict(document.data)
    shorthands: Mapping[str, str] = data.pop("spelled", {})
    theories = [t for t in load_theories()["theories"] if t["name"] in data.get("theories", ())]
    left_out = [kind for group in data.get("unspelled", ()) for kind in group.get("operators", ())]
    sorts = {kind: sort for theory in theories for kind, sort in theory["sorts"].items()}
    operators = {kind: op for theory in theories for kind, op in theory["operators"].items()}
    named = {
        "sorts": [kind for kind, sort in sorts.items() if not sort["extension"]],
        "special-values": [name for sort in sorts.values() for name in sort["special"]],
        "operators": [kind for kind in operators if kind not in left_out],
    }
    for section, shorthand in shorthands.items():
        own = data.get(section) or {}
        data[section] = own | {
            name: {MARK + shorthand: name} for name in named[section] if name not in own
        }
    return replace(document, data=data)


def wrapper_path(name_or_path: str) -> Path:
    """Return the file of a wrapper, which is a name of `wrappers/`, a name of a plug-in in use, or a
    path. Raises InputError if the name is neither, and for a path that the user did not name: a
    wrapper is code.
    """
    shipped = data_folder("wrappers") / f"{name_or_path}.yaml"
    if name_or_path and Path(name_or_path).name == name_or_path and shipped.is_file():
        return shipped
    given = plugins.loaded(plugins.WRAPPERS, name_or_path)
    if given is not None:
        return _of_plugin(name_or_path, given)
    path = Path(name_or_path).expanduser()
    if path.is_file() or path.suffix in (".yaml", ".yml"):
        if not path.exists():
            raise InputError("there is no such file", file=str(path))
        if not is_granted(whole_path(path)):
            raise InputError(
                f"the wrapper {path} is named in a file and not on the command line: a wrapper is code, and "
                "so is not loaded"
            )
        return path
    known = wrapper_names()
    hint = nearest(name_or_path, known)
    giver = plugins.giver_of(plugins.WRAPPERS, name_or_path)
    if giver:
        raise InputError(
            f"'{name_or_path}' is a wrapper of the plug-in '{giver}', which is used only where you name it: "
            f"'murxpy --plugin {giver} ...'"
        )
    raise InputError(
        f"unknown solver '{name_or_path}'{hint}: expected {', '.join(known)} or a wrapper's YAML file"
    )


def wrapper_names() -> list[str]:
    """Return the names of the shipped wrappers and of those of plug-ins in use."""
    return sorted({*shipped_names(), *plugins.names_of(plugins.WRAPPERS)})


def importable_names() -> list[str]:
    """Return the names of the wrappers of solvers that Python imports. The others are programs, which
    nobody can use who does not name a command.
    """
    return [name for name in wrapper_names() if not load_wrapper(name)["command"]]


def shipped_names() -> list[str]:
    """Return the names of the wrappers in the data folder."""
    return sorted(path.stem for path in data_folder("wrappers").glob("*.yaml"))


def is_same_solver(one: str, other: str) -> bool:
    """Return whether two names of wrappers are Python APIs of one solver, whose answers say nothing of
    each other.
    """
    known = wrapper_names()
    if one == other or one not in known or other not in known:
        return one == other
    return bool(load_wrapper(one)["package"] == load_wrapper(other)["package"] != "")


def is_installed(name: str) -> bool:
    """Return whether the module of a solver is there. It is not imported."""
    return find_spec(str(load_wrapper(name)["module"]).partition(".")[0]) is not None


def default_judges() -> tuple[str, ...]:
    """Return the solvers that say what is right if the user names none, in the order of their rank
    `default-judge`. A wrapper without that rank is no default judge.
    """
    found = {}
    for name in shipped_names():
        rank = read_document(wrapper_path(name)).data.get("default-judge")
        if rank is not None:
            found[name] = rank
    return tuple(sorted(found, key=lambda name: found[name]))


def _of_plugin(name: str, given: Any) -> Path:
    """Return the path that a plug-in gives as a str or a path object. Raises InputError for anything
    else.
    """
    if not isinstance(given, (str, PathLike)):
        raise InputError(
            f"plug-in '{plugins.giver_of(plugins.WRAPPERS, name)}': its wrapper '{name}' is {given!r:.60}: expected "
            "the path of a YAML file"
        )
    return Path(fspath(given))


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
    options = [option["name"] for section in _OPTIONS for option in wrapper[section]]
    rivals = [*options, *wrapper["special-options"], *known["theories"][1]]
    for section in _OPTIONS:
        for position, option in enumerate(wrapper[section]):
            for name in option["theories"]:
                _check(document, (section, position), *known["theories"], name)
            for name in option["unless"]:
                _check(document, (section, position), "option or theory", rivals, name)
    for position, difference in enumerate(wrapper["differences"]):
        for section in ("special-values", "operators"):
            for name in difference[section]:
                _check(document, ("differences", position), *known[section], name)
    for position, group in enumerate(wrapper["unspelled"]):
        for section in ("operators", "sorts"):
            for name in group[section]:
                _check(document, ("unspelled", position), *known[section], name)
                if name in wrapper[section]:
                    raise document.error(
                        ("unspelled", position),
                        f"'{name}' has a spelling in this wrapper: leave it out here",
                    )
    for name in wrapper["incomplete"]:
        _check(document, ("incomplete", name), *known["theories"], name)
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


def _single(entries: list[Plain]) -> list[Plain]:
    """The entries of options, one for each name."""
    return [
        {**{key: value for key, value in entry.items() if key != "names"}, "name": name}
        for entry in entries
        for name in entry["names"] or [entry["name"]]
    ]


def _check_options(document: Document, wrapper: Plain) -> None:
    """Raise InputError for an option that cannot be drawn: it has no name, is a choice without
    values, has an empty range, or stands twice.
    """
    seen: set[str] = set()
    listed = [(section, at) for section in _OPTIONS for at in range(len(wrapper[section]))]
    for section, position in listed:
        place: Place = (section, position)
        option = wrapper[section][position]
        names = option["names"] or [option["name"]]
        if bool(option["name"]) == bool(option["names"]):
            raise document.error(place, "expected 'name: ...' or 'names: [...]'")
        for name in names:
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


def _check_parts(document: Document, wrapper: Plain) -> None:
    """Raise InputError for a part of the API whose object no spelling of `new` makes."""
    made = forms(wrapper["lifecycle"].get("new") or {})
    for name in wrapper["parts"]:
        if name not in made:
            raise document.error(
                ("parts", name),
                f"nothing makes '{name}': expected a spelling 'new: {{{name}: ...}}' in 'lifecycle'"
                f"{nearest(name, made)}",
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


# ----------------------------------------------------------------------
# The catalogue: all theories, and the dialects of SMT-LIB of all solvers that have a wrapper.


def load_catalogue(folder: Path | None = None) -> Plain:
    """Return the theories as `load_theories` does, and under `dialects` those of all wrappers, by
    the name of the solver. If `folder` has other theories, there are no dialects. Raises
    InputError.
    """
    return load_theories(folder) | {"dialects": {} if folder else load_dialects()}


def load_dialects() -> Plain:
    """Return the dialects of the wrappers that are shipped or come with an installed package.
    Raises InputError for a shipped wrapper that is wrong.
    """
    shipped = shipped_names()
    found = {}
    for name in wrapper_names():
        # A wrapper of an installed package may be broken. Who names its solver is told so. For all
        # others it is as if the package were not installed.
        with suppress(*(() if name in shipped else (InputError,))):
            found.update(_dialect_of(wrapper_path(name)))
    return found


def with_dialect(catalogue: Plain, wrapper: Plain) -> Plain:
    """Return the catalogue with the dialect of a wrapper, such as one whose file the user named."""
    if wrapper.get("dialect") is None:
        return catalogue
    return catalogue | {
        "dialects": {**catalogue["dialects"], wrapper["solver"]: wrapper["dialect"]}
    }


@cache
def _dialect_of(path: Path) -> Plain:
    """Return the dialect in a wrapper by the name of its solver, or nothing if it has none."""
    document = _read(path)
    dialect = decode_dialect(document)
    return {} if dialect is None else {str(document.data.get("solver")): dialect}
