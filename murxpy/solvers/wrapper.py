"""Finds out which spellings the installed release has. The names in a template are looked up before
anything is called.
"""

from __future__ import annotations

import ast
import builtins
import inspect
import os
import platform
import re
import sys
import types
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from functools import cache, cached_property
from types import FunctionType
from typing import Any, Self

from murxpy.errors import InputError, TargetError
from murxpy.logic.catalogue import Catalogue
from murxpy.solvers.callables import Callables, find_callables
from murxpy.solvers.exceptions import (
    ILL_FORMED,
    UNDOCUMENTED,
    Contract,
    Refusal,
    Refusals,
    Thrower,
    documented_types,
)
from murxpy.solvers.facts import SCRIPT_MS, Parameters, build_facts, of_part
from murxpy.solvers.frame import Frame
from murxpy.solvers.guards import parse_guard
from murxpy.solvers.options import Read, completed
from murxpy.solvers.spelling import (
    Compiled,
    Spelling,
    SpellingSet,
    Template,
    counter_of,
    parse_template,
)


def missing_name(
    source: str, namespace: Mapping[str, Any], classes: Mapping[str, Any]
) -> str | None:
    """Return the first name in the expression `source` that does not exist or does not take as many
    arguments, or None if there is none.

    `classes` has for `ctx` and `solver` the object whose attributes a template may use.
    """
    if _simple(source, namespace, classes):
        return None
    for node in _uses(source):
        if isinstance(node, ast.Call):
            if isinstance(node.func, ast.Name) and not _takes(namespace.get(node.func.id), node):
                return f"{node.func.id} with {len(node.args)} arguments"
        elif isinstance(node, ast.Name):
            if not _known(node.id, namespace) and node.id not in _bound_names(source):
                return node.id
        elif isinstance(node, ast.Attribute):
            chain = _chain(node)
            if chain is not None and not _resolves(chain, namespace, classes):
                return ".".join(chain)
    return None


# a name with its attributes, and what calls it; attributes that do not follow their name at once
_WORD = re.compile(r"(?<![\w.])([^\W\d]\w*(?:\.[^\W\d]\w*)*)(\s*\()?")
_APART = re.compile(r"[\s)]\.|\.\s")


def _simple(source: str, namespace: Mapping[str, Any], classes: Mapping[str, Any]) -> bool:
    """Return True if each word of an expression, also of its strings, is a name that exists and none
    that is called is a function in Python. Most spellings are so, and need not be parsed, which takes
    three times as long.
    """
    if _APART.search(source):
        return False
    for word, called in _WORD.findall(source):
        chain = word.split(".")
        if not _known(chain[0], namespace) or not _resolves(chain, namespace, classes):
            return False
        if called and isinstance(namespace.get(word), FunctionType):
            return False
    return True


def _uses(source: str) -> Sequence[ast.AST]:
    """Return the calls, names and attributes in an expression, the outermost first. `ast.walk` takes
    three times as long, and a wrapper has a thousand expressions.
    """
    found = []
    nodes: list[ast.AST] = [ast.parse(source, mode="eval").body]
    for node in nodes:  # grows on the way
        if isinstance(node, (ast.Call, ast.Name, ast.Attribute)):
            found.append(node)
        for name in node._fields:
            value = None if name == "ctx" else getattr(node, name)
            if isinstance(value, ast.AST):
                nodes.append(value)
            elif isinstance(value, list):
                nodes += [part for part in value if isinstance(part, ast.AST)]
    return found


def _takes(function: Any, call: ast.Call) -> bool:
    """Return False if a function written in Python cannot take the arguments of a call. An older
    release of it may take others.
    """
    if not isinstance(function, FunctionType) or any(
        isinstance(part, ast.Starred) for part in call.args
    ):
        return True
    names = [keyword.arg for keyword in call.keywords]
    if None in names:
        return True
    try:
        _signature(function).bind(*call.args, **{str(name): None for name in names})
    except TypeError:
        return False
    return True


@cache
def _signature(function: Callable[..., Any]) -> inspect.Signature:
    return inspect.signature(function)


def _known(name: str, namespace: Mapping[str, Any]) -> bool:
    return name in ("a", "i", "k") or name in namespace or hasattr(builtins, name)


def _bound_names(source: str) -> list[str]:
    """Return the names that lambdas and comprehensions inside of the expression bind."""
    bound = []
    for node in ast.walk(ast.parse(source, mode="eval")):
        if isinstance(node, ast.arg):
            bound.append(node.arg)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            bound.append(node.id)
    return bound


def _chain(node: ast.Attribute) -> list[str] | None:
    names = [node.attr]
    inner: ast.expr = node.value
    while isinstance(inner, ast.Attribute):
        names.append(inner.attr)
        inner = inner.value
    return [inner.id, *reversed(names)] if isinstance(inner, ast.Name) else None


def _resolves(chain: list[str], namespace: Mapping[str, Any], classes: Mapping[str, Any]) -> bool:
    if chain[0] == "k":
        if len(chain) < 3 or chain[1] not in classes or classes[chain[1]] is None:
            return True
        value, rest = classes[chain[1]], chain[2:]
    elif chain[0] in namespace:
        value, rest = namespace[chain[0]], chain[1:]
    else:
        return True
    for name in rest:
        if not hasattr(value, name):
            return False
        value = getattr(value, name)
    return True


# ----------------------------------------------------------------------
# A wrapper, compiled from its YAML file: every spelling that the installed release has, as a
# function.


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
_FOLDS = {
    "left-assoc": "left",
    "right-assoc": "right",
    "chainable": "chain",
    "pairwise": "pairwise",
}


class Wrapper:
    """The compiled wrapper. `spellings[section][key]` is a `SpellingSet` with the spellings that
    this release has.

    `missing` lists the others as (section, key, spelling, name that does not exist). Raises
    TargetError if the solver cannot be imported.
    """

    def __init__(self, data: dict[str, Any], catalogue: Catalogue) -> None:
        self.name: str = data["solver"]
        self.data = data
        self.facts = build_facts(data)
        self.catalogue = catalogue
        self.where = f"wrappers/{self.name}.yaml"
        self.missing: list[tuple[str, str, str, str]] = []
        self.namespace = self._namespace()
        self.release = self.version()
        self._numbers = release_numbers(self.release, self.where)
        self.refusals = Refusals(data.get("refusals") or [], self.where)
        helpers = [path for path, _ in data.get("helpers_sources") or ()]
        self.contract = Contract(data.get("contract") or {}, helpers)
        self._thrower = Thrower(
            self.where, helpers, str(data["module"]), documented_types(data.get("contract") or {})
        )
        conjunction = data.get("conjunction")
        self.conjunction = (
            self._compile(self._template("conjunction", conjunction)) if conjunction else None
        )
        self.spellings: dict[str, dict[str, SpellingSet]] = {}
        self.parameters = Parameters(lambda name: self.set("lifecycle", name))
        self._classes: dict[str, Any] = {}
        self._compiled: dict[str, Compiled] = {}
        self._whole: Self | None = None
        self._parts: dict[str, Any] = {}
        self._build("lifecycle")
        self._probe_objects()
        for section in SECTIONS[1:]:
            self._build(section)
        self.read_options: Read = []

    @property
    def profile(self) -> dict[str, Any]:
        """Return the restrictions on what is generated, as they were decoded."""
        return self.data.get("profile") or {}

    def describe(self) -> dict[str, Any]:
        """The solver, its release, module file and Python, and what a script takes beside its checks."""
        module = sys.modules.get(self.facts.module)
        return {
            "solver": self.name,
            "version": self.release,
            "module_file": getattr(module, "__file__", None) or "",
            "python": platform.python_version(),
            "script_ms": self.script_ms,
        }

    def begin_run(self) -> None:
        """Empty what the solver keeps for its whole process, so that a run finds what it would find
        in a new process.
        """
        spelled = self.set("lifecycle", "new-run")
        if spelled is not None:
            spelled.spellings[0].call((), (), Frame(lambda sort: None))

    def ask_options(self) -> None:
        """Complete the facts with what this release tells of the options of its solvers."""
        spelled = self.set("lifecycle", "solver-options")
        if spelled is not None:
            self.read_options = spelled.spellings[0].call((), (), Frame(lambda sort: None))
            self.facts = completed(self.facts, self.read_options)

    @property
    def whole(self) -> Self:
        """The wrapper whose part this is; itself if it is no part."""
        return self._whole or self

    def part_name(self, made: Spelling) -> str:
        """The part of the API whose object a spelling of `new` makes; empty for a plain solver."""
        return made.name if made.name in self.facts.parts else ""

    def part(self, name: str, obj: Any) -> Self:
        """The wrapper for runs whose solver is an object of another part of the API, such as an
        optimizer. Its actions and options are those of the part. `obj` is such an object: the
        attributes that it has tell which spellings this release has.
        """
        known: Self | None = self._parts.get(name)
        if known is None:
            known = self._parts[name] = copy(self)
            known._whole = self
            known._classes = {**self._classes, "solver": obj}
            known.data = {**self.data, "actions": self.facts.parts[name].actions}
            known.facts = of_part(self.facts, name)
            known.spellings = {**self.spellings, "special-options": {}, "invariants": {}}
            known._build("actions")
            known._classes = self._classes
        return known

    def set(self, section: str, key: str) -> SpellingSet | None:
        """Return the spellings of `key` in `section`, or None if this release has none."""
        return self.spellings[section].get(key)

    def has_parameter(self, name: str) -> bool:
        """Return whether the process of this release has the parameter `name`."""
        return name in self.parameters.types

    def sort_set(self, section: str, kind: str) -> SpellingSet | None:
        """Return the spellings for a kind of sorts in `constants` or `variables`: its own, else
        those of any sort.
        """
        return (
            self.set(section, kind)
            or self.set(section, kind.removeprefix("SORT_"))
            or self.set(section, "any")
        )

    def refusal(self, error: BaseException) -> Refusal:
        """Return what an exception of a call stands for. The rules of the wrapper decide it, else
        who raised it.
        """
        known = self.refusals.sort(error)
        if known.sort != UNDOCUMENTED:
            return known
        lacking = self._thrower.lacking(error)
        if lacking:
            return Refusal("unsupported", known.type, f"this release has no {lacking}")
        if self._thrower.ours(error):
            return Refusal(
                ILL_FORMED, known.type, f"{known.message} (in a helper of the wrapper)", ours=True
            )
        return known

    def reads(self, kind: str) -> bool:
        """Return whether this release's reader of scripts has the operator `kind`, as far as it is
        known to have fewer than the API.
        """
        since = (self.data.get("script-since") or {}).get(kind)
        return since is None or self._numbers >= release_numbers(
            since, f"{self.where}: script-since: {kind}"
        )

    @cached_property
    def ascii_symbols(self) -> bool:
        """Return whether this release's binding takes only symbols of ASCII characters."""
        before = self.data.get("ascii-symbols-before")
        return bool(before) and self._numbers < release_numbers(
            str(before), f"{self.where}: ascii-symbols-before"
        )

    @cached_property
    def script_ms(self) -> float:
        """Return about how many milliseconds this release takes for a script beside the effort of its
        checks.
        """
        place = f"{self.where}: script-ms"
        known = {
            release_numbers(since, place): ms
            for since, ms in (self.data.get("script-ms") or {}).items()
        }
        since = max((one for one in known if one <= self._numbers), default=None)
        return SCRIPT_MS if since is None else float(known[since])

    @cached_property
    def callables(self) -> Callables:
        """Return the public callables of the binding in this release."""
        return find_callables(self.facts.calls)

    def features(self) -> dict[str, bool]:
        """Return the features that operators may require."""
        return {"higher-order": self.facts.higher_order}

    def version(self) -> str:
        """Return the loaded release as text. Raises TargetError if the module does not tell it."""
        source = self.data.get("version")
        if not source:
            return "0"
        try:
            # a wrapper is code that is shipped or that the user named
            return str(eval(compile(source, self.where, "eval"), self.namespace))
        except Exception as error:  # a broken installation can raise anything
            raise self._unusable(error) from None

    def _namespace(self) -> dict[str, Any]:
        namespace: dict[str, Any] = {"__name__": f"murxpy_wrapper_{self.name}"}
        helpers = types.ModuleType(f"{self.name}_helpers")
        try:
            exec(compile(self.facts.imports, f"{self.where}:imports", "exec"), namespace)
            load_helpers(self.facts.helpers, helpers)
        except SyntaxError as error:
            raise InputError(
                f"{self.where}: {error.msg} in imports or helpers, line {error.lineno}"
            ) from None
        except Exception as error:  # a missing or broken installation can raise anything
            raise self._unusable(error) from None
        namespace["h"] = helpers
        return namespace

    def _unusable(self, error: Exception) -> TargetError:
        """Return the error for a solver that cannot be imported. The message says how to mend that."""
        if self.data.get("command"):  # the program that the user named, which nobody can install
            return TargetError(f"the program cannot be used: {' '.join(str(error).split())[:400]}")
        module = self.facts.module
        absent = isinstance(error, ModuleNotFoundError) and error.name == module
        text = " ".join(f"{type(error).__name__}: {error}".split())[:300]
        what = (
            f"is not installed: there is no module '{module}'"
            if absent
            else f"cannot be loaded ({text})"
        )
        install = f"run '{sys.executable} -m pip install {'' if absent else '--force-reinstall '}{self.facts.package}'"
        if sys.flags.no_site:  # the target is a build folder
            install = "build the solver and its Python bindings again"
            if isinstance(error, ModuleNotFoundError) and not absent:
                install = (
                    "a build is loaded without installed packages: put its Python package into an"
                    f" environment that has '{error.name}', and name that environment"
                )
        return TargetError(f"{self.name} {what}; {install}")

    def _probe_objects(self) -> None:
        """Return a context and a solver of this release. The attributes of these objects tell which
        methods exist.
        """
        frame = Frame(lambda sort: None)
        for key, section in (("ctx", "new-context"), ("options", "new-options"), ("solver", "new")):
            spellings = self.spellings["lifecycle"].get(section)
            chosen = spellings.pick(0.0, frame) if spellings else None
            if chosen is None and section == "new-options":
                continue  # solvers of this binding take their options after they are made
            if chosen is None:
                raise TargetError(f"{self.name}: this release has no spelling of '{section}'")
            try:
                value = chosen.call((), (), frame)
            except Exception as error:  # a broken installation can raise anything
                raise TargetError(
                    f"{self.name}: '{chosen.template.text}' failed: {error}"
                ) from None
            setattr(frame, key, value)
            self._classes[key] = value

    def _build(self, section: str) -> None:
        entries = (self.data.get(section) or {}).items()
        self.spellings[section] = {
            str(key): made
            for key, entry in entries
            if (made := self._set_of(section, key, entry)) is not None
        }

    def _set_of(self, section: str, key: str, entry: Any) -> SpellingSet | None:
        """Return the spellings of an entry of a section that this release has, or None if it has
        none.
        """
        forms = {"default": entry} if isinstance(entry, str) else entry
        if "is" in forms:
            forms = {"default": forms}
        spellings = [
            s
            for name, form in forms.items()
            if (s := self._spelling(section, key, name, form)) is not None
        ]
        return SpellingSet(spellings) if spellings else None

    def _spelling(self, section: str, key: str, name: str, form: Any) -> Spelling | None:
        entry: Mapping[str, Any] = {"is": form} if isinstance(form, str) else form
        where = f"{self.where}: {section}: {key}: {name}"
        template = self._template(where, entry["is"])
        compiled = self._compile(template)
        if not self._in_release(entry, where):
            self.missing.append((section, str(key), name, f"release {self.release}"))
            return None
        absent = missing_name(template.source, self.namespace, self._classes)
        if absent is not None:
            self.missing.append((section, str(key), name, absent))
            return None
        conditions = entry.get("when") or ()
        guards = tuple(
            parse_guard(text, self._helper, where)
            for text in ([conditions] if isinstance(conditions, str) else conditions)
        )
        drawn = self._drawn(entry, where) and not self.makes_part(section, key, name)
        weight = float(entry.get("weight", 1)) if drawn else 0.0
        fold = entry.get("fold") or self._default_fold(section, key, template)
        fixed, counter = self._variadic(section, key), counter_of(section, str(key), name)
        asked = entry.get("drawn-while")
        while_ = self._compile(self._template(where, asked)) if asked else None
        return Spelling(name, template, compiled, guards, weight, fold, fixed, counter, while_)

    def _variadic(self, section: str, key: str) -> bool:
        """Return whether an operator takes any number of arguments. A template with fewer must not
        drop any.
        """
        operator = self.catalogue.operators.get(key) if section == "operators" else None
        return operator is not None and operator.variadic

    def _in_release(self, entry: Mapping[str, Any], where: str) -> bool:
        """Return whether the spelling means the same in this release: from `since` on, and before
        `before`.
        """
        since, before = entry.get("since"), entry.get("before")
        if since is not None and self._numbers < release_numbers(str(since), where):
            return False
        return before is None or self._numbers < release_numbers(str(before), where)

    def _drawn(self, entry: Mapping[str, Any], where: str) -> bool:
        """Return whether runs on this release draw the spelling; replays use it in any case."""
        since = entry.get("drawn-since")
        early = since is not None and self._numbers < release_numbers(str(since), where)
        return not early and not entry.get("unsound")

    def makes_part(self, section: str, key: str, name: str) -> bool:
        """Return whether a spelling makes the object of a part of the API. No seed chooses it."""
        return section == "lifecycle" and key == "new" and name in self.facts.parts

    def _default_fold(self, section: str, key: str, template: Template) -> str | None:
        operator = self.catalogue.operators.get(key) if section == "operators" else None
        if (
            operator is None
            or template.arity != 2
            or any(p[0] == "n" and p[1:].isdigit() for p, ph in template.parts if ph)
        ):
            return None
        return _FOLDS.get(operator.signature.attribute or "")

    def _helper(self, name: str) -> Any:
        value = getattr(self.namespace["h"], name, None)
        if value is None:
            raise InputError(f"{self.where}: no helper '{name}' in {self.data.get('helpers')}")
        return value

    def _template(self, where: str, text: str) -> Template:
        return parse_template(text, where)

    def compiled(self, template: Template) -> Compiled:
        """Return the call of a template that stands in no wrapper, such as a spelling with a broken
        operand.
        """
        known = self._compiled.get(template.text)
        if known is None:
            known = self._compiled[template.text] = self._compile(template)
        return known

    def _compile(self, template: Template) -> Compiled:
        try:
            code = compile(f"lambda a, i, k: ({template.source})", self.where, "eval")
        except SyntaxError as error:
            raise InputError(
                f"{self.where}: cannot compile '{template.text}': {error.msg}"
            ) from None
        # a wrapper is code that is shipped or that the user named
        function: Compiled = eval(code, self.namespace)
        return function


def load_helpers(sources: Sequence[Sequence[str]], module: types.ModuleType) -> None:
    """Run files of helpers, given as path and text, in one namespace. A file may import what the
    files before it define.
    """
    names = [os.path.splitext(os.path.basename(path))[0] for path, _ in sources]
    hidden = {name: sys.modules.get(name) for name in names}
    sys.modules.update(dict.fromkeys(names, module))
    try:
        for path, text in sources:
            exec(compile(text, path, "exec"), module.__dict__)
    finally:
        for name, known in hidden.items():
            if known is None:
                del sys.modules[name]
            else:
                sys.modules[name] = known


def release_numbers(text: str, where: str) -> tuple[int, ...]:
    """Return the numbers at the start of a release's name, so that `4.8.12.0` and `1.4.2-modified`
    compare as expected. Raises InputError.
    """
    # a trace from a stranger may name a release of 5,000 digits
    found = re.match(r"\d{1,999}(\.\d{1,999})*(?!\.?\d)", text)
    if found is None:
        raise InputError(
            f"{where}: cannot read the release '{text[:40]}', expected numbers such as 4.8.12"
        )
    return tuple(int(part) for part in found.group().split("."))
