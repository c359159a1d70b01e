"""Collects the helpers that a program needs from the source of the wrapper's helpers: functions,
the functions that these call, and imports.
"""

from __future__ import annotations

import ast
import builtins
import math
import re
import symtable
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from functools import cache, lru_cache
from typing import Any, NamedTuple, cast

from murxpy.logic.catalogue import Catalogue
from murxpy.solvers.frame import Frame
from murxpy.solvers.guards import Guard, parse_guard
from murxpy.solvers.spelling import Compiled, Spelling, SpellingSet, Template, parse_template
from murxpy.solvers.wrapper import Wrapper

_BUILTINS = frozenset(dir(builtins))


def inlined(sources: Sequence[str], names: Iterable[str]) -> str:
    """Return the statements of the files `sources` that define `names`, and all statements that
    these need, in their order. A text that stands in several files is returned once.

    Statements for effect are kept. Imports from one file of helpers to another are left out.
    """
    wanted = list(names)
    if not wanted:
        return ""
    source = "\n".join(sources)
    body = _statements(source)
    imported = {
        name
        for statement in body
        if isinstance(statement.node, (ast.Import, ast.ImportFrom))
        for name in statement.defined
    }
    kept: set[ast.stmt] = set()
    known = set(wanted)
    changed = True
    while changed:
        changed = False
        for statement in body:
            if statement.node not in kept and _needed(statement, known, imported):
                kept.add(statement.node)
                known.update(statement.used)
                changed = True
    lines = source.splitlines()
    return "\n".join(
        dict.fromkeys(
            _text(statement.node, lines, known) for statement in body if statement.node in kept
        )
    )


class _Statement(NamedTuple):
    """A statement of a module, the names that it defines, and the names that it reads."""

    node: ast.stmt
    defined: frozenset[str]
    used: frozenset[str]


@lru_cache(maxsize=8)
def _statements(source: str) -> tuple[_Statement, ...]:
    """Return the statements of a module that a program may need. The statements are parsed once,
    because the programs of a folder share their helpers.
    """
    body = [node for node in ast.parse(source).body if not _docstring(node) and not _future(node)]
    own = {
        name
        for node in body
        if not isinstance(node, (ast.Import, ast.ImportFrom))
        for name in defined(node)
    }
    body = [
        node
        for node in body
        if not (isinstance(node, ast.ImportFrom) and own.issuperset(a.name for a in node.names))
    ]
    return tuple(_Statement(node, frozenset(defined(node)), frozenset(used(node))) for node in body)


def _docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _future(node: ast.stmt) -> bool:
    return isinstance(node, ast.ImportFrom) and node.module == "__future__"


def _needed(statement: _Statement, names: set[str], imported: set[str]) -> bool:
    if isinstance(statement.node, ast.Expr):
        return True
    # such a statement changes what other statements define
    if isinstance(statement.node, (ast.If, ast.Try, ast.For)):
        return not statement.used.isdisjoint(names - imported - _BUILTINS)
    return not statement.defined.isdisjoint(names)


def defined(node: ast.stmt) -> Iterator[str]:
    """Return the names that a statement of a module defines."""
    if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
        yield node.name
    elif isinstance(node, (ast.Import, ast.ImportFrom)):
        yield from (alias.asname or alias.name.split(".")[0] for alias in node.names)
    elif isinstance(node, (ast.Assign, ast.AnnAssign)):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        yield from (
            inner.id
            for target in targets
            for inner in ast.walk(target)
            if isinstance(inner, ast.Name)
        )


def used(node: ast.stmt) -> Iterator[str]:
    """Return the names that a statement reads and that it does not bind itself, as a function binds its
    parameters and variables.
    """
    tables = [symtable.symtable(ast.unparse(node), "<helper>", "exec")]
    found: dict[str, None] = {}
    for table in tables:
        inside = table.get_type() != "module"
        for symbol in table.get_symbols():
            # a comprehension of a module may have its variables among the module's
            free = symbol.is_global() if inside else not symbol.is_assigned()
            if symbol.is_referenced() and free:
                found[symbol.get_name()] = None
        tables += table.get_children()
    yield from found


def _text(node: ast.stmt, lines: list[str], names: set[str]) -> str:
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        aliases = [a for a in node.names if (a.asname or a.name.split(".")[0]) in names]
        return ast.unparse(
            ast.Import(aliases)
            if isinstance(node, ast.Import)
            else ast.ImportFrom(node.module, aliases, 0)
        )
    decorators = getattr(node, "decorator_list", [])
    first = min([node.lineno, *(d.lineno for d in decorators)])
    text = "\n".join(lines[first - 1 : node.end_lineno])
    return f"\n\n{text}\n" if isinstance(node, (ast.FunctionDef, ast.ClassDef)) else text


# ----------------------------------------------------------------------
# Prints calls as Python source: templates of spellings with names and literals in place of
# their placeholders.


HELPER = re.compile(r"\bh\.(\w+)")
_NAME = re.compile(r"[A-Za-z_]\w*")
_LARGE = 1 << 64  # a larger number is written in hexadecimal, which Python reads at any length


class Code(str):
    """Python source that stands for an object of the solver."""

    __slots__ = ()


class _Section(dict[str, SpellingSet]):
    """The spellings of a section. Each is compiled when a line first asks for it, because a program
    uses only a few of more than a thousand.
    """

    def __init__(
        self, entries: dict[str, tuple[str, Any]], build: Callable[[str, Any], SpellingSet | None]
    ) -> None:
        self._entries = entries  # the entries for which no line has asked yet
        self._compile = build

    def get(self, key: str, default: Any = None) -> Any:
        entry = self._entries.pop(key, None)
        made = None if entry is None else self._compile(*entry)
        if made is not None:
            self[key] = made
        return super().get(key, default)

    def __missing__(self, key: str) -> SpellingSet:
        if (made := self.get(key)) is None:
            raise KeyError(key)
        return cast("SpellingSet", made)


class SourceWrapper(Wrapper):
    """A wrapper whose calls return their own source. The wrapper imports no solver, so it has all
    spellings of the trace's release.
    """

    def __init__(self, data: dict[str, Any], catalogue: Catalogue, release: str) -> None:
        self._release = release
        # helpers that the printed calls use, in the order of their first use
        self.helpers: dict[str, None] = {}
        super().__init__(data, catalogue)

    def version(self) -> str:
        """Return the release with which the trace was made."""
        return self._release

    def has_parameter(self, name: str) -> bool:
        """Return True: the trace was made by a release that has the parameter."""
        return True

    def _namespace(self) -> dict[str, Any]:
        return {}

    def _probe_objects(self) -> None:
        pass

    def _build(self, section: str) -> None:
        entries = {str(key): (key, entry) for key, entry in (self.data.get(section) or {}).items()}
        self.spellings[section] = _Section(
            entries, lambda key, entry: self._set_of(section, key, entry)
        )

    def _helper(self, name: str) -> Any:
        # A guard that the wrapper defines needs the solver. The guard held in the run, because the
        # trace names the spelling.
        return lambda args, indices, sort: True

    def _spelling(self, section: str, key: str, name: str, form: Any) -> Spelling | None:
        entry = {"is": form} if isinstance(form, str) else form
        where = f"{self.where}: {section}: {key}: {name}"
        if not self._in_release(entry, where):
            return None
        template = self._template(where, entry["is"])
        fold = entry.get("fold") or self._default_fold(section, key, template)
        guards: tuple[Guard, ...] = self._guards(entry.get("when") or (), where)
        never = entry.get("unsound") or self.makes_part(section, key, name)
        weight = 0.0 if never else float(entry.get("weight", 1))
        return Spelling(
            name,
            template,
            self._compile(template),
            guards,
            weight,
            fold,
            self._variadic(section, key),
        )

    def _guards(self, conditions: Any, where: str) -> tuple[Guard, ...]:
        texts = [conditions] if isinstance(conditions, str) else conditions
        return tuple(parse_guard(text, self._helper, where) for text in texts)

    def _compile(self, template: Template) -> Compiled:
        parts: list[tuple[str, Any]] = [
            (text, _reader(text) if placeholder else None) for text, placeholder in template.parts
        ]

        def source(args: Sequence[Any], indices: Sequence[Any], frame: Frame) -> Code:
            return Code(
                "".join(
                    self._literal_part(t) if r is None else r(args, indices, frame)
                    for t, r in parts
                )
            )

        return source

    def _literal_part(self, text: str) -> str:
        for name in HELPER.findall(text):
            self.helpers[name] = None
        return HELPER.sub(r"\1", text)


@cache
def _reader(placeholder: str) -> Any:
    """Return a function that returns the source of a placeholder for a call."""
    if placeholder in ("ctx", "solver", "options"):
        return lambda args, indices, frame: str(getattr(frame, placeholder) or placeholder)
    code = parse_template("{" + placeholder + "}", "").source
    many = code.startswith("*")
    # this is the code that a run evaluates
    value = eval(f"lambda a, i, k: {code.removeprefix('*')}")
    if many:
        return lambda args, indices, frame: (
            ", ".join(map(literal, value(args, indices, frame))) or "*()"
        )
    return lambda args, indices, frame: operand(value(args, indices, frame))


def operand(value: Any) -> str:
    """Return the source of a value, in parentheses unless it is a name, a call or a literal."""
    text = literal(value)
    if isinstance(value, Code) and not _NAME.fullmatch(text):
        return (
            text
            if isinstance(
                ast.parse(text, mode="eval").body, (ast.Call, ast.Attribute, ast.Subscript)
            )
            else f"({text})"
        )
    return f"({text})" if text.startswith("-") else text


def literal(value: Any) -> str:
    """Return the source of a value. The source of code is the code itself, that of plain data is a
    literal.
    """
    if isinstance(value, Code):
        return str(value)
    if isinstance(value, bool) or value is None:
        return repr(value)
    if isinstance(value, int):
        return str(value) if abs(value) < _LARGE else hex(value)
    if isinstance(value, Fraction):
        return f"Fraction({literal(value.numerator)}, {literal(value.denominator)})"
    if isinstance(value, float):
        return repr(value) if math.isfinite(value) else f"float('{value}')"
    if isinstance(value, list):
        return f"[{', '.join(map(literal, value))}]"
    if isinstance(value, tuple):
        return f"({', '.join(map(literal, value))}{',' if len(value) == 1 else ''})"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{literal(k)}: {literal(v)}" for k, v in value.items()) + "}"
    return ascii(value)
