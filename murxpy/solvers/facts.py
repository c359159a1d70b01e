"""Parameters that a solver's whole process has, so that no solver object of a run can set them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from murxpy.solvers.forbidden import Forbidden
from murxpy.solvers.frame import Frame
from murxpy.solvers.spelling import SpellingSet

# About how many milliseconds a script takes beside the effort of its checks, where a wrapper does not say it.
SCRIPT_MS = 10.0

# The form of a value, by the type of the option or parameter.
VALUES = {
    "bool": ("true|false", "true or false"),
    "int": ("-?[0-9]+", "a whole number"),
    "unsigned": ("[0-9]+", "a whole number of 0 or more"),
    "float": (r"-?[0-9]+(\.[0-9]+)?", "a number"),
}


def expected_value(kind: str, value: str) -> str:
    """Describe the values that an option of a type takes; empty if `value` is one, or if nothing is
    known of the type.
    """
    pattern, expected = VALUES.get(kind, ("", ""))
    return "" if re.fullmatch(pattern or ".*", value, re.DOTALL) else expected


class Parameters:
    """The parameters of the process in which a solver is loaded.

    `spelled` gives the spellings of a call in the section `lifecycle` of the wrapper, None where this
    release has none. `touched` says that a run has set a parameter, so that the next run of this
    process must not begin before `reset`.
    """

    def __init__(self, spelled: Callable[[str], SpellingSet | None]) -> None:
        self._spelled = spelled
        self.touched = False

    @cached_property
    def types(self) -> Mapping[str, str]:
        """The types of all parameters by name; empty where the solver has none."""
        return dict(self._call("process-parameters") or {})

    def reset(self) -> None:
        """Give all parameters the values that they have in a new process."""
        if self.touched:
            self._call("reset-parameters")
            self.touched = False

    def _call(self, name: str) -> Any:
        spellings = self._spelled(name)
        frame = Frame(lambda sort: None)
        return None if spellings is None else spellings.spellings[0].call((), (), frame)


# ----------------------------------------------------------------------
# The facts about a solver that its wrapper contains apart from spellings, as typed values that are
# built once.


Pairs = tuple[tuple[str, str], ...]  # names of options with their values, which are text


_DIGITS = 30  # a number with more of them is a value of no option


@dataclass(frozen=True, slots=True)
class Option:
    """An option of the solver that can be drawn in runs with `theories`. A choice has `values`, and
    a number has `least` and `most`. The options `beside` are set with it, unless its value is
    `false`. It is not drawn where an option of `unless` is on, or the run has a theory of `unless`.
    `category` is what the loaded release says, and empty where it says nothing. An option that is
    not `listed` has no entry in the wrapper.
    """

    name: str
    type: str
    values: tuple[Any, ...] = ()
    least: float = 0
    most: float = 0
    weight: float = 1.0
    theories: tuple[str, ...] = ()
    beside: Pairs = ()
    unless: tuple[str, ...] = ()
    category: str = ""
    listed: bool = True

    @property
    def names(self) -> tuple[str, ...]:
        """The names of what is set: its own, and those of the options beside it."""
        return (self.name, *(name for name, _ in self.beside))

    def fits(self, theories: Iterable[str], options: Mapping[str, str]) -> bool:
        """Return whether it can be drawn in a run with these theories, in which these options were set."""
        has = set(theories)
        if self.theories and has.isdisjoint(self.theories):
            return False
        return has.isdisjoint(self.unless) and all(
            options.get(name, "false") == "false" for name in self.unless
        )

    def takes(self, value: str) -> bool:
        """Whether a value is one that could be drawn."""
        if self.type == "bool":
            return value in ("true", "false")
        if self.values:
            return value in map(option_text, self.values)
        digits = value.removeprefix("-")
        return (
            len(digits) < _DIGITS
            and digits.isdecimal()
            and digits.isascii()
            and self.least <= int(value) <= self.most
        )


@dataclass(frozen=True, slots=True)
class OwnAction:
    """An action that only this solver has: what must hold before it, the terms that it takes, and
    the option that must be on.

    `ends` says that the last answer cannot be asked about afterwards. `changes` says that it asserts
    more than the trace shows. `stress` says that it is for contract mode only.
    """

    takes: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    option: str | None = None
    weight: float = 1.0
    ends: bool = False
    changes: bool = False
    stress: bool = False


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the API whose object stands in the place of the solver: its actions, as they are
    spelled, and the options that runs draw.
    """

    actions: Mapping[str, Any] = field(default_factory=dict)
    options: tuple[Option, ...] = ()


@dataclass(frozen=True, slots=True)
class Facts:
    """The known facts about a solver. `docs/wrappers.md` explains each section of a wrapper.

    `options` is None if the wrapper has no such section. `process_options` are parameters of the
    whole process, by their names in scripts; only mutants set them. `listed_options` are the names
    of all of these by their names in scripts, also where runs draw none, and `every_option` are these
    options, those of solver objects first. `undrawn` has patterns of the names of options that runs
    never draw, each with the reason, and `option_theories` patterns of names by the theory that the
    options are for. `safe_options` hold in runs that draw safe options only. `required_options` are by theory. `incomplete`
    are the theories for which the solver documents that it may give up. `calls` is the section of public callables, which
    `murxpy.solvers.callables` decodes. `forms` are the spellings as they are written, by section and key.
    """

    module: str = ""
    package: str = ""
    imports: str = ""
    helpers: tuple[tuple[str, str], ...] = ()  # path and text of each file
    theories: tuple[str, ...] = ()
    higher_order: bool = False
    function_terms: bool = False
    scoped_declarations: bool = False
    limit_per_ms: float = 1.0
    seed_option: str = ""
    script_seeds: tuple[str, ...] = ()
    script_option_prefix: str = ""
    options: tuple[Option, ...] | None = None
    process_options: tuple[Option, ...] = ()
    forbidden: Forbidden = field(default_factory=lambda: Forbidden({}))
    listed_options: Mapping[str, Option] = field(default_factory=dict)
    every_option: tuple[Option, ...] = ()
    undrawn: Pairs = ()
    option_theories: Mapping[str, Sequence[str]] = field(default_factory=dict)
    safe_options: Pairs = ()
    required_options: Mapping[str, Pairs] = field(default_factory=dict)
    judge_options: Pairs = ()
    own_actions: Mapping[str, OwnAction] = field(default_factory=dict)
    parts: Mapping[str, Part] = field(default_factory=dict)
    unjudged: frozenset[str] = frozenset()
    unasked: frozenset[str] = frozenset()
    open_points: Mapping[str, str] = field(default_factory=dict)
    incomplete: frozenset[str] = frozenset()
    calls: Mapping[str, Any] = field(default_factory=dict)
    forms: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def required(self) -> Pairs:
        """Return the options that the theories need, one theory after another."""
        return tuple(pair for pairs in self.required_options.values() for pair in pairs)

    def known_options(self) -> frozenset[str] | None:
        """Return the options that change no meaning, which the wrapper says by having them. Return
        None if the wrapper has no list of options.
        """
        if self.options is None:
            return None
        names = [option.name for option in self.options]
        special = self.forms.get("special-options") or ()
        pairs = (*self.required(), *self.safe_options)
        return frozenset([*names, *special, *(name for name, _ in pairs)])


def build_facts(data: Mapping[str, Any]) -> Facts:
    """Return the facts in a decoded wrapper."""
    options = data.get("options")
    prefix = str(data.get("script-option-prefix") or "")
    own = tuple(map(_option, options or ()))
    of_process = tuple(map(_option, data.get("process-options") or ()))
    return Facts(
        module=str(data.get("module") or ""),
        package=str(data.get("package") or ""),
        imports=str(data.get("imports") or ""),
        helpers=tuple((path, text) for path, text in data.get("helpers_sources") or ()),
        theories=tuple(data.get("theories") or ()),
        higher_order=bool(data.get("higher-order")),
        function_terms=bool(data.get("function-terms")),
        scoped_declarations=bool(data.get("scoped-declarations")),
        limit_per_ms=float(data.get("limit-per-ms") or 1),
        seed_option=str(data.get("seed-option") or ""),
        script_seeds=tuple(data.get("script-seeds") or ()),
        script_option_prefix=prefix,
        options=None if options is None else own,
        process_options=of_process,
        forbidden=Forbidden(data.get("forbidden") or {}),
        listed_options={prefix + option.name: option for option in own}
        | {option.name: option for option in of_process},
        every_option=(*own, *of_process),
        undrawn=tuple(
            (pattern, because)
            for because, patterns in (data.get("undrawn-options") or {}).items()
            for pattern in patterns
        ),
        option_theories=data.get("option-theories") or {},
        safe_options=_pairs(data.get("safe-options") or ()),
        required_options={
            theory: _pairs(pairs) for theory, pairs in (data.get("required-options") or {}).items()
        },
        judge_options=_pairs(data.get("judge-options") or ()),
        own_actions=_own_actions(data.get("own-actions") or {}),
        parts={name: _part(entry) for name, entry in (data.get("parts") or {}).items()},
        unjudged=frozenset(data.get("unjudged") or ()),
        unasked=frozenset(data.get("unasked") or ()),
        open_points=dict(data.get("open-points") or {}),
        incomplete=frozenset(data.get("incomplete") or ()),
        calls=(data.get("contract") or {}).get("calls") or {},
        forms={name: entry for name, entry in data.items() if isinstance(entry, Mapping)},
    )


def _pairs(pairs: Any) -> Pairs:
    return tuple((str(name), option_text(value)) for name, value in pairs)


def option_text(value: Any) -> str:
    """Return the value of an option as solvers take it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _option(data: Mapping[str, Any]) -> Option:
    return Option(
        str(data["name"]),
        str(data.get("type") or ""),
        tuple(data.get("values") or ()),
        data.get("min") or 0,
        data.get("max") or 0,
        float(data.get("weight", 1)),
        tuple(data.get("theories") or ()),
        _pairs(data.get("with") or ()),
        tuple(data.get("unless") or ()),
    )


def _part(data: Mapping[str, Any]) -> Part:
    options = tuple(map(_option, data.get("options") or ()))
    return Part(data.get("actions") or {}, options)


def of_part(facts: Facts, name: str) -> Facts:
    """Return the facts for runs of a part of the API: the actions and options are those of the part."""
    part = facts.parts[name]
    return replace(
        facts,
        options=part.options,
        own_actions={},
        required_options={},
        safe_options=(),
        forms={**facts.forms, "actions": part.actions, "special-options": {}},
    )


def _own_actions(entries: Mapping[str, Any]) -> dict[str, OwnAction]:
    return {name: _own_action(entry) for name, entry in entries.items()}


def _own_action(data: Mapping[str, Any]) -> OwnAction:
    return OwnAction(
        tuple(data.get("takes") or ()),
        tuple(data.get("needs") or ()),
        data.get("option"),
        float(data.get("weight", 1)),
        bool(data.get("ends")),
        bool(data.get("changes")),
        bool(data.get("stress")),
    )
