"""The beginning of a wrapper, made from what the module of a solver offers.

The module is imported by a process of its own, since a binding may end the process that imports it.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from murxpy.data.theories import load_theories
from murxpy.errors import InputError, nearest

_LOOK = """
import enum, importlib, importlib.metadata, inspect, json, sys
module = importlib.import_module(sys.argv[1])
functions, methods, members = [], [], []
def taken(call, own):
    try:
        params = list(inspect.signature(call).parameters.values())[own:]
    except (TypeError, ValueError):
        return None
    known = all(p.kind is p.POSITIONAL_OR_KEYWORD and p.default is p.empty for p in params)
    return len(params) if known else None
for name in sorted(vars(module)):
    value = vars(module)[name]
    if name.startswith("_"):
        continue
    if inspect.isclass(value) and issubclass(value, enum.Enum):
        members += [f"{name}.{member}" for member in value.__members__]
    elif inspect.isclass(value):
        methods += [
            [name, inner, taken(getattr(value, inner), 1)]
            for inner in sorted(dir(value)) if not inner.startswith("_")
        ]
    elif callable(value):
        functions.append([name, taken(value, 0)])
found = {"functions": functions, "methods": methods, "members": members}
version = f"{sys.argv[1]}.__version__" if hasattr(module, "__version__") else ""
try:
    package = sys.argv[1].partition(".")[0]
    importlib.metadata.version(package)
    version = version or f"__import__('importlib.metadata').metadata.version('{package}')"
except importlib.metadata.PackageNotFoundError:
    pass
print(json.dumps({**found, "version": version or "'0.0'"}))
"""
_SECONDS = 60
_LONG = (("bitvector", "bv"), ("floatingpoint", "fp"), ("string", "str"), ("regexp", "re"))
_PREFIXES = ("mk", "make", "new", "create")
# What the names of their classes have in them; the class of solvers may also be called as the module.
_CONTEXT, _SOLVER = ("context", "termmanager", "termstore"), ("solver",)
# What a solver is asked in nearly every run, with the names under which bindings have it.
_ACTIONS = {
    "assert-formula": ("assertformula", "assert", "add", "assertterm"),
    "check-sat": ("checksat", "check"),
    "check-sat-assuming": ("checksatassuming", "checkassuming", "checkwithassumptions"),
    "push": ("push",),
    "pop": ("pop",),
    "get-value": ("getvalue", "eval", "value"),
    "get-unsat-core": ("getunsatcore", "unsatcore"),
}
_ARGUMENTS = {"assert-formula": "{0}", "get-value": "{0}", "check-sat-assuming": "{*}"}
_ARGUMENTS |= {"push": "{v}", "pop": "{v}"}


def skeleton(solver: str, module: str, theories: Sequence[str]) -> str:
    """Return the text of a wrapper for `solver` to be filled in: each sort and operator of these
    theories with the functions, methods and members of enumerations of `module` that have its name.
    An entry with one such function or method is spelled with it; the others are comments.

    Raises InputError for an unknown theory and for a module that cannot be imported.
    """
    known = {theory["name"]: theory for theory in load_theories()["theories"]}
    for name in theories:
        if name not in known:
            raise InputError(f"unknown theory '{name}'{nearest(name, known)}")
    found = _looked(module)
    offered = _Offered(module, found)
    entries = [known[name] for name in dict.fromkeys(["BOOL", *theories])]
    shorthand = offered.shorthand()
    rows = [
        f"# What the module {module} offers for a wrapper of {solver}, found by the names alone.",
        "# Spellings are guesses, and comments are still to be spelled. docs/new-solver.md says how.",
        f"solver: {solver}",
        f"module: {module}",
        f"package: {module.partition('.')[0]}",
        f'version: "{found["version"]}"',
        f"imports: import {module}",
        f"theories: [{', '.join(theory['name'] for theory in entries)}]",
        *([f'shorthands: {{term: {{default: "{shorthand}"}}}}'] if shorthand else []),
        "lifecycle:",
        f'  new-context: "{offered.made(_CONTEXT, "None")}"',
        f'  new: "{offered.made(offered.solver, "None")}"',
    ]
    for section in ("sorts", "operators"):
        inner = list[str]()
        for theory in entries:
            inner.append(f"  # {theory['name']}")
            for key, entry in theory[section].items():
                inner += offered.rows(key, _names(key, entry), _gaps(entry))
        rows += _section(section, inner)
    rows += _section("values", ['  # SORT_BOOL: "{v}"'])
    constants = ("const", "constant", "newuninterpretedterm")
    rows += _section("constants", offered.rows("any", constants, "{sort}, {name}"))
    actions = [
        row
        for action, names in _ACTIONS.items()
        for row in offered.rows(action, names, _ARGUMENTS.get(action, ""), of=offered.solver)
    ]
    rows += _section("actions", actions)
    return "\n".join(rows) + "\n"


def _section(name: str, inner: Iterable[str]) -> list[str]:
    """A section of the wrapper; one that has only comments is an empty mapping."""
    rows = list(inner)
    empty = all(row.lstrip().startswith("#") for row in rows)
    return [f"{name}: {{}}" if empty else f"{name}:", *rows]


def _gaps(entry: Mapping[str, Any]) -> str:
    """What stands for the arguments of an operator, and for the parameters of a sort."""
    params: Sequence[str] = entry.get("params", ["sort"])
    if "name" in params:
        return "{name}"
    numbers = all(len(param) == 1 for param in params)
    return ", ".join(f"{{p{at}}}" for at in range(len(params))) if numbers else "{*}"


def _looked(module: str) -> Mapping[str, Any]:
    """What the module has. Raises InputError where it cannot be imported."""
    if not re.fullmatch(r"[A-Za-z_][\w.]*", module):
        raise InputError(f"'{module}' is no name of a Python module")
    try:
        done = subprocess.run(
            [sys.executable, "-c", _LOOK, module],
            capture_output=True, text=True, timeout=_SECONDS, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise InputError(f"module '{module}' was not imported within {_SECONDS} s") from None
    try:
        found: Mapping[str, Any] = json.loads(done.stdout.splitlines()[-1])
    except (IndexError, ValueError):
        why = (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1]
        raise InputError(f"module '{module}' cannot be imported: {why}") from None
    return found


def _names(kind: str, entry: Mapping[str, Any]) -> tuple[str, ...]:
    """The names that a binding may have for an operator or a sort, bare."""
    own = _bare(kind.removeprefix("OP_").removeprefix("SORT_"))
    if kind.startswith("SORT_"):
        return (f"{own}sort", f"{own}type", own)
    smtlib = _bare(str(entry.get("smtlib") or ""))
    return (own, smtlib) if smtlib else (own,)


def _bare(name: str) -> str:
    """The name in small letters and digits, without what bindings write differently."""
    bare = re.sub(r"[^a-z0-9]", "", name.lower())
    for long, short in _LONG:
        bare = bare.replace(long, short)
    return next((bare.removeprefix(p) for p in _PREFIXES if bare.startswith(p)), bare)


@dataclass(frozen=True, slots=True)
class _Call:
    """A function or method: how it is called, the bare name of its class, which is empty for a
    function, and how many arguments it takes; None where it takes any number or does not say.
    """

    text: str
    owner: str
    taken: int | None


class _Offered:
    """What a module offers, by bare names."""

    def __init__(self, module: str, found: Mapping[str, Any]) -> None:
        self._module = module
        self.solver = (*_SOLVER, _bare(module))
        self._classes = list(dict.fromkeys(owner for owner, _, _ in found["methods"]))
        self._calls: dict[str, list[_Call]] = {}
        self._members: dict[str, list[str]] = {}
        prefix = _bare(module)
        for name, taken in found["functions"]:
            self._enter(_bare(name).removeprefix(prefix), _Call(f"{module}.{name}", "", taken))
        for owner, name, taken in found["methods"]:
            bare = _bare(owner)
            for words, gap in ((_CONTEXT, "{ctx}"), (self.solver, "{solver}")):
                if any(word in bare for word in words):
                    self._enter(_bare(name), _Call(f"{gap}.{name}", bare, taken))
        for member in found["members"]:
            bare = _bare(member.partition(".")[2])
            self._members.setdefault(bare, []).append(f"{module}.{member}")

    def _enter(self, bare: str, call: _Call) -> None:
        known = self._calls.setdefault(bare, [])
        if all(call.text != other.text for other in known):
            known.append(call)

    def made(self, words: Sequence[str], otherwise: str) -> str:
        """The expression that makes an object of the first class whose name has one of these words."""
        fits = [owner for owner in self._classes if any(word in owner.lower() for word in words)]
        if not fits:
            return otherwise
        context = "" if words is _CONTEXT or not self.made(_CONTEXT, "") else "{ctx}"
        return f"{self._module}.{min(fits, key=len)}({context})"

    def shorthand(self) -> str:
        """The template by which a context makes a term of a member of an enumeration; empty where there
        is no such method.
        """
        terms = [call.text for call in self._calls.get("term", ()) if call.owner]
        return f"{terms[0]}($, [{{*}}])" if len(terms) == 1 and self._members else ""

    def rows(
        self, key: str, names: Sequence[str], arguments: str, of: Sequence[str] = ()
    ) -> Iterator[str]:
        """The line of an entry: its spelling where one call has its name, else a comment. A method counts
        only if its class is one `of` these, where they are given.
        """
        bare = list(dict.fromkeys(names))
        calls = [
            call
            for name in bare
            for call in self._calls.get(name, ())
            if not of or not call.owner or any(word in call.owner for word in of)
        ]
        members = [member for name in bare for member in self._members.get(name, ())]
        if len(calls) == 1:
            (call,) = calls
            if arguments == "{*}" and call.taken is not None:
                arguments = ", ".join(f"{{{at}}}" for at in range(call.taken))
            yield f'  {key}: "{call.text}({arguments})"'
        elif not calls and len(members) == 1 and self.shorthand():
            yield f"  {key}: {{.term: {members[0]}}}"
        else:
            shown = ", ".join([*(call.text for call in calls), *members])
            yield f"  # {key}: {f'one of {shown}' if shown else 'nothing has this name'}"
