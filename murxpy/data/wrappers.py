"""The wrappers of `wrappers/*.yaml`: how a solver's API is spelled, decoded and checked, as plain
data.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from importlib.metadata import entry_points
from os import PathLike, fspath
from pathlib import Path
from typing import Annotated, Any, Literal

from msgspec import Meta, field

from murxpy.data.convert import Strict, convert, plain
from murxpy.data.folders import data_folder
from murxpy.data.profiles import decode_profile, trim
from murxpy.data.spellings import check_spellings
from murxpy.data.theories import Plain, load_catalogue
from murxpy.data.yamlfile import Document, Place, read_document, read_text
from murxpy.errors import InputError, nearest

Scalar = bool | int | float | str
ENTRY_POINTS = "murxpy.wrappers"
SECTIONS = (
    "lifecycle",
    "sorts",
    "special-values",
    "values",
    "constants",
    "variables",
    "functions",
    "operators",
    "actions",
    "special-options",
    "readers",
    "self-checks",
    "invariants",
)
_TAKEN = r"^((bool|any|constant|uninterpreted|quantified)\+?|same-[0-9]+)$"


class Option(Strict, frozen=True):
    """An option of the solver to draw: `values` of a choice, `min` and `max` of a number, for runs
    with `theories`.
    """

    name: str
    type: Literal["bool", "int", "float", "choice"]
    values: list[Scalar] = []
    min: int | float | None = None
    max: int | float | None = None
    weight: Annotated[float, Meta(ge=0)] = 1.0
    theories: list[str] = []


class OwnAction(Strict, frozen=True):
    """An action only this solver has: when it can be done, the terms it takes, whether it asserts
    more than we know.

    `stress`: contract mode only, since it stresses callbacks or the lives of objects.
    """

    needs: list[
        Literal[
            "sat",
            "unsat",
            "unknown",
            "checked",
            "asserted",
            "models",
            "cores",
            "incremental",
            "quantifiers",
        ]
    ] = []
    option: str | None = None
    takes: list[Annotated[str, Meta(pattern=_TAKEN)]] = []
    changes: bool = False
    stress: bool = False
    weight: Annotated[float, Meta(ge=0)] = 1.0


class Refusal(Strict, frozen=True):
    """How an exception of the binding is sorted: its class and a regular expression for its
    message.
    """

    class_: Literal["unsupported", "resources", "ill-formed"] = field(name="class")
    type: str | None = None
    message: str | None = None


class Defect(Strict, frozen=True):
    """A message that says that the solver's own invariant broke, whatever exception carries it."""

    message: str
    because: str


class Undefined(Strict, frozen=True):
    """Calls (a regular expression over templates) whose misuse by `rules` (none: all) the binding
    leaves undefined, and why.
    """

    call: str
    because: str
    rules: list[str] = []


class Promised(Strict, frozen=True):
    """A class of exceptions that the binding's documentation promises: the words that do, and whose
    docstring has them.
    """

    type: Annotated[str, Meta(min_length=1)]
    quote: Annotated[str, Meta(min_length=20)]
    of: Annotated[str, Meta(min_length=1)]


class Skip(Strict, frozen=True):
    """Public callables that contract mode never calls, and why: a regular expression over names,
    the modules that define them.
    """

    because: str
    name: str = ".*"
    defined_in: list[str] = []


class Argument(Strict, frozen=True):
    """What stands for a parameter (a regular expression) of the callables `of` (one over their
    names): the kinds `is`.

    `at-most`: a larger number would only cost time. `sealed`: it is never broken.
    """

    parameter: str
    of: str = ".*"
    is_: list[str] = field(name="is", default_factory=list)
    at_most: int | None = None
    sealed: bool = False
    because: str = ""


class Calls(Strict, frozen=True):
    """The public callables of the binding: its modules, what is never called, hints for operands,
    what makes objects of a class.

    A recipe is a list of calls: a name, then words of a trace, `$N` for what call N gave, or kinds
    of operands.
    """

    modules: list[str] = []
    skip: list[Skip] = []
    arguments: list[Argument] = []
    makers: dict[str, list[str]] = {}
    recipes: dict[str, list[str]] = {}


class Conversion(Strict, frozen=True):
    """What a broken promise says (a regular expression) where a conversion of arguments that all
    callables share causes it, and why.
    """

    message: str
    because: Annotated[str, Meta(min_length=1)]


class Contract(Strict, frozen=True):
    """What the binding says of wrong calls: the exceptions that it documents, and what it leaves
    undefined.
    """

    documented: list[Promised] = []
    defects: list[Defect] = []
    undefined: list[Undefined] = []
    conversions: list[Conversion] = []
    calls: Calls = Calls()


class Documented(Strict, frozen=True):
    """What the solver documents as internal, unsupported or experimental, with the quote: calls (a
    regular expression over templates) or options that are on, where a sort is made, too, whose
    words match `sorts`. `counts`: why findings with it count all the same.
    """

    quote: str
    calls: str | None = None
    options: list[str] = []
    sorts: str | None = None
    counts: str | None = None


class Difference(Strict, frozen=True):
    """What means something else here than in the solvers of `from`, or than in any other; it is not
    cross-checked with these.
    """

    reason: str
    from_: list[str] = field(name="from", default_factory=list)
    operators: list[str] = []
    special_values: list[str] = []


class Wrapper(Strict, frozen=True):
    """A file of `wrappers/`. The sections of spellings are checked by `murxpy.data.spellings`."""

    solver: str
    module: str
    package: str
    imports: str
    lifecycle: dict[str, Any]
    sorts: dict[str, Any]
    operators: dict[str, Any]
    actions: dict[str, Any]
    releases: str = ""
    version: str = ""
    about: str = ""
    helpers: str | list[str] = []
    theories: list[str] = []
    higher_order: bool = False
    function_terms: bool = False
    scoped_declarations: bool = False
    conjunction: str | None = None
    script_runner: str | None = None
    limit_per_ms: Annotated[float, Meta(gt=0)] = 1.0
    special_values: dict[str, Any] = {}
    values: dict[str, Any] = {}
    constants: dict[str, Any] = {}
    variables: dict[str, Any] = {}
    functions: dict[str, Any] = {}
    special_options: dict[str, Any] = {}
    readers: dict[str, Any] = {}
    self_checks: dict[str, Any] = {}
    invariants: dict[str, Any] = {}
    seed_option: str = ""
    script_option_prefix: str = ""
    script_since: dict[str, str] = {}
    ascii_symbols_before: str = ""
    options: list[Option] = []
    own_actions: dict[str, OwnAction] = {}
    unjudged: dict[str, str] = {}
    unasked: dict[str, str] = {}
    required_options: dict[str, list[tuple[str, Scalar]]] = {}
    refusals: list[Refusal] = []
    contract: Contract = Contract()
    documented: list[Documented] = []
    variants: list[dict[str, Scalar]] = []
    judge_options: list[tuple[str, Scalar]] = []
    differences: list[Difference] = []
    profile: dict[str, Any] = {}


def load_wrapper(name_or_path: str) -> Plain:
    """The wrapper of a shipped name, of an entry point of group `murxpy.wrappers`, or of a file.

    Gives a dict with the keys of the file, the spellings as they are written, and
    `helpers_sources`: path and text of each file of helpers, in order. Raises InputError.
    """
    path = wrapper_path(name_or_path)
    document = read_document(path)
    wrapper: Plain = plain(convert(document, Wrapper))
    _check_names(document, wrapper)
    _check_options(document, wrapper)
    helpers = [[str(path), read_text(path)] for path in _helpers(document, wrapper)]
    check_spellings(document, wrapper, SECTIONS, [text for _, text in helpers])
    _check_refusals(document, wrapper)
    profile = decode_profile(document, ("profile",)) if wrapper["profile"] else {}
    return wrapper | {
        "options": [trim(option) for option in wrapper["options"]],
        "own-actions": {name: trim(action) for name, action in wrapper["own-actions"].items()},
        "refusals": [trim(refusal) for refusal in wrapper["refusals"]],
        "documented": [trim(entry) for entry in wrapper["documented"]],
        "profile": profile,
        "helpers_sources": helpers,
    }


def wrapper_path(name_or_path: str) -> Path:
    """The file of a wrapper: a name of `wrappers/` or of an entry point, or a path. Raises
    InputError for neither.
    """
    shipped = data_folder("wrappers") / f"{name_or_path}.yaml"
    if name_or_path and Path(name_or_path).name == name_or_path and shipped.is_file():
        return shipped
    for point in entry_points(group=ENTRY_POINTS, name=name_or_path):
        return _of_entry_point(name_or_path, point.load)
    path = Path(name_or_path).expanduser()
    if path.is_file() or path.suffix in (".yaml", ".yml"):
        return path
    known = wrapper_names()
    hint = nearest(name_or_path, known)
    raise InputError(
        f"unknown solver '{name_or_path}'{hint}: expected {', '.join(known)} or a wrapper's YAML file"
    )


def wrapper_names() -> list[str]:
    """The names of the shipped wrappers and of those that installed packages offer."""
    shipped = [path.stem for path in data_folder("wrappers").glob("*.yaml")]
    return sorted({*shipped, *(point.name for point in entry_points(group=ENTRY_POINTS))})


def _of_entry_point(name: str, load: Any) -> Path:
    """The path that a package's entry point gives: a str or a path object. Raises InputError for
    anything else.
    """
    try:
        value = load()
    except Exception as error:  # whatever a foreign package throws
        raise InputError(
            f"the wrapper '{name}' of an installed package cannot be loaded: {error}"
        ) from None
    if not isinstance(value, (str, PathLike)):
        raise InputError(
            f"the entry point '{name}' of {ENTRY_POINTS} gives {value!r:.60}: expected the path of a YAML"
        )
    return Path(fspath(value))


def _helpers(document: Document, wrapper: Plain) -> list[Path]:
    """The files of helpers, which stand beside the wrapper's."""
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
    """Raise InputError for a theory, sort kind, special value or operator that no theory has."""
    catalogue = load_catalogue()["theories"]
    theories = [theory["name"] for theory in catalogue]
    kinds = [kind for theory in catalogue for kind in theory["sorts"]]
    special = [
        name
        for theory in catalogue
        for sort in theory["sorts"].values()
        for name in sort["special"]
    ]
    operators = [kind for theory in catalogue for kind in theory["operators"]]
    short = [kind.removeprefix("SORT_") for kind in kinds]
    for position, name in enumerate(wrapper["theories"]):
        _check(document, ("theories", position), "theory", name, theories)
    known: tuple[tuple[str, str, Iterable[str]], ...] = (
        ("sorts", "sort kind", [*kinds, "instantiate-sort"]),
        ("special-values", "special value", special),
        ("values", "sort kind", kinds),
        ("constants", "sort kind", [*kinds, *short, "any"]),
        ("variables", "sort kind", [*kinds, *short, "any"]),
        ("operators", "operator", operators),
        ("required-options", "theory", [*theories, "any"]),
        ("own-actions", "action", wrapper["actions"]),
        ("unjudged", "operator", [*operators, *special]),
        ("unasked", "operator", operators),
        ("script-since", "operator", operators),
    )
    for position, option in enumerate(wrapper["options"]):
        for name in option["theories"]:
            _check(document, ("options", position), "theory", name, theories)
    for position, difference in enumerate(wrapper["differences"]):
        for section, what, names in known[1:2] + known[5:6]:
            for name in difference[section]:
                _check(document, ("differences", position), what, name, names)
    for section, what, names in known:
        for name in wrapper[section]:
            _check(document, (section, name), what, name, names)


def _check(document: Document, place: Place, what: str, name: str, known: Iterable[str]) -> None:
    known = list(known)
    if name not in known:
        raise document.error(place, f"unknown {what} '{name}'{nearest(name, known)}")


def _check_options(document: Document, wrapper: Plain) -> None:
    """Raise InputError for an option that cannot be drawn: a choice without values, an empty range,
    a double.
    """
    seen: set[str] = set()
    for position, option in enumerate(wrapper["options"]):
        place: Place = ("options", position)
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


def _check_refusals(document: Document, wrapper: Plain) -> None:
    """Raise InputError for a message that is not a regular expression."""
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
