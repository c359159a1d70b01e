"""Finds the public callables of a binding by looking into its modules when it is loaded.

The name of a callable, such as `z3.Solver.add`, is a path from a module that the wrapper names. The
name of a property is `get:` with its path.
"""

from __future__ import annotations

import enum
import importlib
import inspect
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy, deepcopy
from dataclasses import dataclass, field
from operator import getitem
from typing import Any

PROPERTY = "get:"
MANY = 99  # operands of a callable that takes any number of them
_FIRST = 3  # members of an enumeration that a session tells
MEMBERS = 400  # members of an enumeration that are used; a larger one is cut off
# Special methods that nobody calls, or whose call would break the object model of Python and not
# the binding.
_SPECIAL = """
    __init__ __new__ __del__ __init_subclass__ __subclasshook__ __class_getitem__ __getattribute__
    __getattr__ __setattr__ __delattr__ __dir__ __sizeof__ __reduce__ __reduce_ex__ __setstate__
    __getstate__ __reduce_cython__ __setstate_cython__ __cinit__ __dealloc__ __set_name__
    __prepare__ __instancecheck__ __subclasscheck__ __pyx_vtable__ __dict__ __weakref__ __doc__
    __module__ __annotations__
"""
_HIDDEN = frozenset(_SPECIAL.split())
# what Python's library does to any object by the methods of its class
_PROTOCOLS: tuple[tuple[str, Callable[..., Any], tuple[str, ...]], ...] = (
    ("copy.copy", copy, ("object",)),
    ("copy.deepcopy", deepcopy, ("object",)),
    ("operator.getitem", getitem, ("object", "int")),
)
LIBRARY = ("copy", "operator")  # the modules in which these functions are
# A docstring may have `Term mkBitVector(int size, int val=0)` between double back quotes, or
# `:param size: ...`.
_FORM = re.compile(r"``[^`\n]*?\b(\w+)\(([^`\n]*)\)``")
_PARAM = re.compile(r"^[ \t]*:param (?:\w+ )?(\w+):", re.M)
_TYPED = re.compile(r"(?:(?:const )?([\w.]+(?:\[\w+\])?)\s+)?([*&]*)(\w+)(?:\s*=.*)?")
_PLAIN = {
    "int": "int",
    "bool": "flag",
    "str": "str",
    "string": "str",
    "float": "float",
    "list": "list",
    "List": "list",
    "tuple": "list",
}
_DEFAULTS: tuple[tuple[type, str], ...] = (
    (bool, "flag"),
    (int, "int"),
    (str, "str"),
    (float, "float"),
)


@dataclass(frozen=True)
class Parameter:
    """A parameter: the kinds of its operands (none if they are unknown), whether it is `*args`, and
    whether it may be left out.
    """

    name: str
    kinds: tuple[str, ...] = ()
    many: bool = False
    optional: bool = False
    most: int | None = None  # larger numbers would only cost time
    sealed: bool = False  # contract mode never breaks this operand


@dataclass(frozen=True)
class Callee:
    """A public callable: its name in traces, the class of its first operand (None if it takes
    none), and the ways to call it.
    """

    name: str
    call: Callable[..., Any]
    owner: type | None
    forms: tuple[tuple[Parameter, ...], ...]
    group: str

    def takes(self) -> tuple[int, int]:
        """How many operands it takes at least and at most, behind the object of a method."""
        least = (sum(not one.optional and not one.many for one in form) for form in self.forms)
        most = (MANY if any(one.many for one in form) else len(form) for form in self.forms)
        return min(least, default=0), max(most, default=MANY)

    def needs(self) -> list[list[str]]:
        """For each way to call it, the kinds of the operands that it needs, with a bar between those of
        one operand; empty for one of unknown kind.
        """
        ways = ([p for p in form if not p.optional and not p.many] for form in self.forms)
        return [["|".join(parameter.kinds) for parameter in way] for way in ways]

    def uses(self) -> list[str]:
        """The names of functions and attributes in its code; empty where it has no code of Python's."""
        call = self.call.__init__ if inspect.isclass(self.call) else self.call
        return list(getattr(getattr(call, "__code__", None), "co_names", ()))


@dataclass
class Callables:
    """All public callables of a binding by name, its classes, and the members of its enumerations,
    each sorted by name.

    `skipped` are the public callables that are never called, with the reason.
    """

    callees: dict[str, Callee] = field(default_factory=dict)
    classes: dict[str, type] = field(default_factory=dict)
    constants: dict[str, Any] = field(default_factory=dict)
    skipped: dict[str, str] = field(default_factory=dict)
    groups: dict[str, list[Callee]] = field(default_factory=dict)
    makers: dict[str, list[str]] = field(default_factory=dict)
    recipes: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def overview(self) -> dict[str, Any]:
        """Return the `names` of the functions and methods that can be called, without properties and
        special methods, and in `skipped`, by reason, how many of these are never called. `operands` says
        of each callable that is no property how many operands it takes at least and at most, behind the
        object of a method, `needs` of which kinds are those that it must get, and `uses` which names are in its code; `bases`
        has the names of each class and of those above it, the nearest first; `members` are the first ones
        of each enumeration; `recipes` are the calls that make an object of a class.
        """
        skipped = Counter(why for name, why in self.skipped.items() if _plain(name))
        calls = [one for name, one in self.callees.items() if not name.startswith(PROPERTY)]
        named = {cls: name for name, cls in self.classes.items()}
        return {
            "names": list(filter(_plain, self.callees)),
            "skipped": dict(skipped),
            "operands": {one.name: one.takes() for one in calls},
            "needs": {one.name: one.needs() for one in calls},
            "uses": {one.name: one.uses() for one in calls},
            "bases": {
                name: [named[base] for base in cls.__mro__ if base in named]
                for name, cls in self.classes.items()
            },
            "members": {
                name: found[:_FIRST] for name in self.classes if (found := self.members(name))
            },
            "recipes": self.recipes,
        }

    def members(self, kind: str) -> list[str]:
        """Return the names of the members of the enumeration `kind`."""
        return [name for name in self.constants if name.rpartition(".")[0] == kind]


def permitted(name: str, data: Mapping[str, Any]) -> bool:
    """Return whether `name` can be the name of a public callable, by the section `calls` of a
    wrapper alone and without a binding.

    The path of something in another module, such as `os.system`, has no class in it. A class is
    written with a capital letter or stands alone.
    """
    if any(name == own for own, _, _ in _PROTOCOLS):
        return True
    path = name.removeprefix(PROPERTY)
    inside = [
        path.removeprefix(f"{module}.")
        for module in data.get("modules") or ()
        if path.startswith(f"{module}.")
    ]
    return any(_public(rest.split(".")) for rest in inside) and _reason(path, data) is None


def _plain(name: str) -> bool:
    return not name.startswith(PROPERTY) and "__" not in name


def _public(parts: Sequence[str]) -> bool:
    """Return whether the path is that of a function, a class, or a method in a class."""
    if not all(part.isidentifier() and part.isascii() for part in parts) or parts[0].startswith(
        "_"
    ):
        return False
    return len(parts) == 1 or (len(parts) == 2 and parts[0][0].isupper())


def find_callables(data: Mapping[str, Any]) -> Callables:
    """Return the public callables of the modules that `data`, the section `calls` of a wrapper,
    names. Missing modules have no callables.
    """
    found = Callables()
    seen: set[int] = set()
    made = data.get("recipes") or {}  # a class that has a recipe may be private
    for module in data.get("modules") or ():
        try:
            loaded = importlib.import_module(module)
        except ImportError:  # another release has this module
            continue
        for name in sorted(vars(loaded)):
            value = vars(loaded)[name]
            if (
                (not name.startswith("_") or f"{module}.{name}" in made)
                and callable(value)
                and _own(value, module)
                and id(value) not in seen
            ):
                seen.add(id(value))  # it is the same callable if another module offers it again
                _enter(found, f"{module}.{name}", value, data)
    if found.callees:
        for name, call, kinds in _PROTOCOLS:
            form = tuple(Parameter(f"operand{at}", (kind,)) for at, kind in enumerate(kinds))
            found.callees[name] = Callee(name, call, None, (form,), name.partition(".")[0])
    return _sorted(found, data)


def _own(value: Any, module: str) -> bool:
    """Return whether the binding itself defines `value`, and neither Python's library nor another
    module that the wrapper names.
    """
    return (getattr(value, "__module__", None) or "").partition(".")[0] == module.partition(".")[0]


def _enter(found: Callables, name: str, value: Any, data: Mapping[str, Any]) -> None:
    if not inspect.isclass(value):
        _add(found, Callee(name, value, None, (), name.rpartition(".")[0]), data)
    elif not issubclass(value, BaseException):
        found.classes[name] = value
        if issubclass(value, enum.Enum):
            members = list(value.__members__.items())[:MEMBERS]
            found.constants.update((f"{name}.{key}", member) for key, member in members)
        _add(found, Callee(name, value, None, (), name), data)
        for method in _methods(name, value):
            _add(found, method, data)


def _methods(name: str, cls: type) -> Iterator[Callee]:
    """Return the methods and properties that `cls` itself defines."""
    for key in sorted(vars(cls)):
        value = vars(cls)[key]
        hidden = key in _HIDDEN or (
            key.startswith("_") and not (key.startswith("__") and key.endswith("__"))
        )
        if hidden or isinstance(value, (int, str)):
            continue
        if isinstance(value, (staticmethod, classmethod)):
            yield Callee(f"{name}.{key}", getattr(cls, key), None, (), name)
        elif isinstance(value, property) and value.fget is not None:
            yield Callee(f"{PROPERTY}{name}.{key}", value.fget, cls, (), name)
        elif inspect.isgetsetdescriptor(value):
            yield Callee(f"{PROPERTY}{name}.{key}", value.__get__, cls, (), name)
        elif callable(value) and not inspect.isclass(value):
            yield Callee(f"{name}.{key}", value, cls, (), name)


def _add(found: Callables, callee: Callee, data: Mapping[str, Any]) -> None:
    reason = _reason(
        callee.name.removeprefix(PROPERTY),
        data,
        getattr(callee.owner or callee.call, "__module__", ""),
    )
    if reason is not None:
        found.skipped[callee.name] = reason
    else:
        found.callees[callee.name] = callee


def _reason(name: str, data: Mapping[str, Any], defined_in: str | None = None) -> str | None:
    """Return why the callable is never called, or None if nothing speaks against calling it.
    `defined_in` is its module, None if that is unknown.
    """
    for entry in data.get("skip") or ():
        modules = entry.get("defined-in") or ()
        if re.fullmatch(entry.get("name") or ".*", name) and (not modules or defined_in in modules):
            return str(entry["because"])
    return None


def _sorted(found: Callables, data: Mapping[str, Any]) -> Callables:
    """Return all callables in the order of their names, with the ways to call them."""
    done = Callables(
        classes=dict(sorted(found.classes.items())),
        constants=dict(sorted(found.constants.items())),
        skipped=dict(sorted(found.skipped.items())),
    )
    reader = _Forms(data, done.classes)
    for name, callee in sorted(found.callees.items()):
        forms = callee.forms or reader.forms(callee)
        done.callees[name] = Callee(name, callee.call, callee.owner, forms, callee.group)
        done.groups.setdefault(callee.group, []).append(done.callees[name])
    done.makers = {
        cls: [name for name in names if name in done.callees]
        for cls, names in (data.get("makers") or {}).items()
    }
    for cls, recipe in (data.get("recipes") or {}).items():
        # the release has everything that the recipe calls
        if all(step.partition(" ")[0] in done.callees for step in recipe):
            done.recipes[cls] = tuple(recipe)
    return done


class _Forms:
    """Finds out how a callable is called: from its signature, else from its docstring."""

    def __init__(self, data: Mapping[str, Any], classes: Mapping[str, type]) -> None:
        self._hints = [
            (re.compile(entry.get("of") or ".*"), re.compile(entry["parameter"]), entry)
            for entry in data.get("arguments") or ()
        ]
        self._types: dict[str, str] = {}
        for name in reversed(list(classes)):
            self._types[name.rpartition(".")[2]] = name
        self._types |= _PLAIN

    def forms(self, callee: Callee) -> tuple[tuple[Parameter, ...], ...]:
        """Return the ways to call it, without the object whose method it is."""
        if callee.name.startswith(PROPERTY):
            return ((),)
        try:
            declared = list(inspect.signature(callee.call).parameters.values())
        except (ValueError, TypeError):  # functions written in C have no signature
            return self._documented(callee)
        if callee.owner is not None:
            declared = declared[1:]
        plain = [p for p in declared if p.kind not in (p.KEYWORD_ONLY, p.VAR_KEYWORD)]
        return (tuple(self._declared(callee, p) for p in plain),)

    def _declared(self, callee: Callee, given: inspect.Parameter) -> Parameter:
        default = given.default
        optional = default is not given.empty
        kind = (
            next((word for cls, word in _DEFAULTS if isinstance(default, cls)), None)
            if optional
            else None
        )
        typed = self._types.get(str(getattr(given.annotation, "__name__", given.annotation)))
        return self._parameter(
            callee, given.name, kind or typed, given.kind is given.VAR_POSITIONAL, optional
        )

    def _parameter(
        self, callee: Callee, name: str, kind: str | None, many: bool, optional: bool
    ) -> Parameter:
        kinds: tuple[str, ...] = (kind,) if kind else ()
        for of, parameter, hint in self._hints:
            if of.fullmatch(callee.name.removeprefix(PROPERTY)) and parameter.fullmatch(name):
                return Parameter(
                    name,
                    tuple(hint.get("is") or kinds),
                    many,
                    optional,
                    hint.get("at-most"),
                    bool(hint.get("sealed")),
                )
        return Parameter(name, kinds, many, optional)

    def _documented(self, callee: Callee) -> tuple[tuple[Parameter, ...], ...]:
        """Return the forms such as `Term mkTerm(Kind kind, *args)` in a docstring, else its
        `:param` lines. If it has neither, return no, one and two unknown operands.
        """
        text = getattr(callee.call, "__doc__", None) or ""
        own = callee.name.rpartition(".")[2]
        written = [rest for name, rest in _FORM.findall(text) if name == own]
        forms = [form for rest in written if (form := self._written(callee, rest)) is not None]
        if forms:
            return tuple(dict.fromkeys(forms))
        named = _PARAM.findall(text)
        if named:
            form = tuple(self._parameter(callee, name, None, False, False) for name in named)
            return tuple(dict.fromkeys((form, form[:-1])))
        if text.strip() and not own.startswith("__") and not inspect.isclass(callee.call):
            return ((),)
        other, first, second = (
            self._parameter(callee, name, None, False, False)
            for name in ("other", "first", "second")
        )
        return ((), (other,), (first, second))

    def _written(self, callee: Callee, rest: str) -> tuple[Parameter, ...] | None:
        form = []
        for part in filter(None, map(str.strip, re.split(r",(?![^\[]*\])", rest))):
            found = _TYPED.fullmatch(part)
            if found is None:
                return None
            typed = found[1] or ""
            kind = self._types.get(typed.partition("[")[0])
            inner = re.search(r"\[(\w+)\]", typed)
            if inner:
                kind = f"{self._types.get(inner[1], 'term')}*"
            form.append(self._parameter(callee, found[3], kind, "*" in found[2], "=" in part))
        return tuple(form)
