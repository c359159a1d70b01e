"""Profiles: what is not generated for a solver. They stand in its wrapper file, and in files of the
user.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

from msgspec import Meta

from murxpy.data.convert import Strict, convert_at, plain
from murxpy.data.machines import DEFAULT, machine_path
from murxpy.data.theories import Plain, load_theories
from murxpy.data.yamlfile import Document, Place, read_document
from murxpy.errors import nearest

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
        _check(document, (*place, "exclude-combinations", name), "theory", [name, *others], names)
    for section in ("exclude-operators", "operators"):
        for position, kind in enumerate(profile.get(section, [])):
            entry = kind if section == "operators" else position
            _check(document, (*place, section, entry), "operator", [kind], operators)
    for kind, rule in profile.get("operators", {}).items():
        _check(
            document, (*place, "operators", kind), "sort kind", rule.get("exclude-sorts", []), sorts
        )
    for context, rule in profile.get("sorts", {}).items():
        listed = rule if context == "exclude" else rule["exclude"]
        _check(document, (*place, "sorts", context), "sort kind", listed, sorts)
    limits = read_document(machine_path(DEFAULT)).data["limits"]
    for limit in profile.get("limits", {}):
        _check(document, (*place, "limits", limit), "limit", [limit], limits)
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


def _check(document: Document, place: Place, what: str, names: list[str], known: Any) -> None:
    for name in names:
        if name not in known:
            raise document.error(place, f"unknown {what} '{name}'{nearest(name, known)}")
