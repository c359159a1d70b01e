"""The statements of a program: expressions that are used once are nested, what nobody uses is left
out, and names are given when the whole program is known.
"""

from __future__ import annotations

import ast
import builtins
import io
import keyword
import re
import tokenize
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace

from murxpy.solvers.callables import LIBRARY
from murxpy.translate.expressions import Code

WIDTH = 96  # characters of the longest statement, as far as it can be cut
ANSWER = "answer"  # what a program calls the answer of the last check
TERM = "t"  # the name of terms without one of their own, which are numbered
_CHEAP = 16  # characters of a sort or literal that is written again in each place
_NAME = re.compile(r"[A-Za-z_]\w*")
_TIDY = re.compile(r"\W+", re.ASCII)


@dataclass(slots=True)
class Row:
    """A statement. `name` is what it defines, if that is an object of the solver: a statement that
    defines one and does nothing else can be nested into its only user, or left out.

    `hint` is the name that the object should have in the program. `cheap` says that it may stand in
    more than one place, `kept` that it is never nested, and `effect` that making it may do more. `text`
    is printed as it stands. `frame` says that it is no call of the trace.
    """

    code: ast.stmt | None
    name: str = ""
    hint: str = ""
    cheap: bool = False
    kept: bool = False
    effect: bool = False
    text: str = ""
    frame: bool = False


class Sheet:
    """A program that grows. The operand `dropped` is left out where it is the last one or a named
    one, except in calls of the functions `exact`; `instead` stands in its other places. If it is
    not `nested`, each object is made by a statement of its own, in the order of the trace. With `effects`
    what may do more than to make an object is a statement also where nobody uses the object. With `dropped`
    no object is left out, and a run's end are the last statements: they drop what was made, then what is
    `fixed`, then the results of calls that may do more, and collect garbage.
    """

    def __init__(self, dropped: str = "", instead: str = "", exact: Collection[str] = ()) -> None:
        self.nested = True
        self.effects = False
        self.dropped = False
        self.rows: list[Row] = []
        self._dropped = _Dropped(dropped, instead, exact)
        self._count = 0
        self.ending = False  # whether the statements that follow are no calls of the trace
        self.calls = 0  # the lines with calls of the trace, when the program was written

    def define(
        self, code: str, hint: str, cheap: bool = False, kept: bool = False, effect: bool = False
    ) -> Code:
        """Define an object of the solver, and return its name for later statements. A `kept` one
        keeps its name and its place, but is left out where nobody uses it.
        """
        self._count += 1
        name = f"_{self._count}_"
        self._add(Row(self._parsed(f"{name} = {code}"), name, hint, cheap, kept, effect))
        return Code(name)

    def fixed(self, name: str, code: str) -> None:
        """Define `name`, which is the name in the program, too."""
        self._add(Row(self._parsed(f"{name} = {code}"), name, name, kept=True))

    def do(self, *statements: str) -> None:
        """Add statements that are never left out."""
        for text in statements:
            self._add(Row(self._parsed(text)))

    def forget_statements(self) -> None:
        """Leave out all statements so far that define nothing."""
        self.rows = [row for row in self.rows if row.name]

    def note(self, text: str) -> None:
        """Add a comment."""
        self._add(Row(None, text=f"# {text}"))

    def _add(self, row: Row) -> None:
        row.frame = self.ending
        self.rows.append(row)

    def _parsed(self, text: str) -> ast.stmt:
        (statement,) = ast.parse(text).body
        changed: ast.stmt = ast.fix_missing_locations(self._dropped.visit(statement))
        return changed

    def written(self, before: Iterable[str] = ()) -> list[str]:
        """The lines of the program. `before` are statements whose names are taken."""
        rows = _unanswered(self.rows)
        if self.dropped:
            rows += self._ending(rows)
            return self._printed(rows, before)
        rows = _nested(_needed(rows, self.effects)) if self.nested else rows
        return self._printed(rows, before)

    def _ending(self, rows: Sequence[Row]) -> list[Row]:
        """The statements that drop all objects in the order in which the end of a run does, also those of reference
        cycles.
        """
        made = [row for row in rows if row.name]
        last = sorted(made, key=lambda row: 2 if row.effect else 1 if row.hint == row.name else 0)
        named = f"del {', '.join(row.name for row in last)}"
        return [Row(self._parsed(text)) for text in ((named, "gc.collect()") if last else ())]

    def _printed(self, rows: Sequence[Row], before: Iterable[str]) -> list[str]:
        taken = {*keyword.kwlist, *dir(builtins)}
        known = {row.name for row in rows}
        for row in rows:
            taken.update(name for name in _used(row) if name not in known)
        for text in before:
            taken.update(_NAME.findall(text))
        names = _named(rows, taken)
        texts = [_text(row, names).splitlines() for row in rows]
        self.calls = sum(len(text) for row, text in zip(rows, texts, strict=True) if not row.frame)
        return [line for text in texts for line in text]


def _used(row: Row) -> list[str]:
    if row.code is None:
        return []
    return [
        inner.id
        for inner in ast.walk(row.code)
        if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Load)
    ]


def _needed(rows: Sequence[Row], effects: bool) -> list[Row]:
    """The rows without definitions that no other row uses; with `effects` those that may do more are
    plain calls.
    """
    kept: list[Row] = []
    used: set[str] = set()
    for row in reversed(rows):
        unused = row.name and row.name not in used
        if effects and row.effect and unused and isinstance(row.code, ast.Assign):
            row = replace(row, name="", code=ast.fix_missing_locations(ast.Expr(row.code.value)))
        if not row.name or row.name in used:
            kept.append(row)
            used.update(_used(row))
    return kept[::-1]


def _unanswered(rows: Sequence[Row]) -> list[Row]:
    """The rows, in which an answer that nobody reads is not kept: `answer = str(ask())` is `ask()`."""
    made: list[Row] = []
    read: set[str] = set()
    for row in reversed(rows):
        code, read_here = row.code, set(_used(row))
        if isinstance(code, ast.Assign) and not row.name and isinstance(code.targets[0], ast.Name):
            name = code.targets[0].id
            if name == ANSWER and name not in read:
                row = replace(row, code=_asked(code.value))
            read.discard(name)
        read |= read_here
        made.append(row)
    return made[::-1]


def _asked(value: ast.expr) -> ast.stmt:
    """The call whose result is made a text."""
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id == "str":
        value = value.args[0]
    return ast.fix_missing_locations(ast.Expr(value))


def _nested(rows: Sequence[Row]) -> list[Row]:
    """Nest each definition into its only user, as far as the lines do not get too long."""
    uses = Counter(name for row in rows for name in _used(row))
    waiting: dict[str, Row] = {}
    made: list[Row] = []
    for row in rows:
        if row.code is None:
            made.append(row)
            continue
        inner = dict.fromkeys(name for name in _used(row) if name in waiting)
        nested = {name: waiting[name] for name in inner}
        while nested and len(ast.unparse(_with(row, nested))) > WIDTH:
            longest = max(nested, key=lambda name: len(_value(nested[name])))
            named = nested.pop(longest)
            made.append(named)
            del waiting[longest]
        row.code = _with(row, nested)
        single = row.name and not row.kept and uses[row.name] == 1
        short = row.name and row.cheap and len(_value(row)) <= _CHEAP
        if short or single:
            waiting[row.name] = row
        else:
            made.append(row)
    return made


def _with(row: Row, nested: dict[str, Row]) -> ast.stmt:
    """The statement of a row with definitions in place of their names."""
    assert row.code is not None
    values = {name: inner.code.value for name, inner in nested.items()}  # type: ignore[union-attr]
    copy = ast.parse(ast.unparse(row.code)).body[0]
    replaced: ast.stmt = ast.fix_missing_locations(_Replaced(values).visit(copy))
    return replaced


def _value(row: Row) -> str:
    assert isinstance(row.code, ast.Assign)
    return ast.unparse(row.code.value)


class _Replaced(ast.NodeTransformer):
    def __init__(self, values: dict[str, ast.expr]) -> None:
        self._values = values

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return self._values.get(node.id, node) if isinstance(node.ctx, ast.Load) else node


class _Dropped(ast.NodeTransformer):
    """Leaves out operands that are the name `dropped`, where they are the last ones or named; in
    other places stands `instead`.
    """

    def __init__(self, dropped: str, instead: str, exact: Collection[str]) -> None:
        self._dropped = dropped
        self._instead = instead
        self._exact = exact

    def visit_Call(self, node: ast.Call) -> ast.AST:
        attribute = _attribute(node)
        if attribute is not None:
            return self.generic_visit(attribute)
        exact = _name_of(node.func) in self._exact or _of_library(node.func)
        if self._dropped and not exact:
            while node.args and self._is(node.args[-1]):
                node.args.pop()
            node.keywords = [word for word in node.keywords if not self._is(word.value)]
        return self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if self._dropped and self._instead and self._is(node) and isinstance(node.ctx, ast.Load):
            return ast.parse(self._instead, mode="eval").body
        return node

    def _is(self, node: ast.expr) -> bool:
        return isinstance(node, ast.Name) and node.id == self._dropped


def _name_of(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else ""


def _of_library(node: ast.expr) -> bool:
    """Whether a function is one of Python's own modules, such as `copy.deepcopy`, which need their operands."""
    return isinstance(node, ast.Attribute) and _name_of(node.value) in LIBRARY


def _attribute(node: ast.Call) -> ast.expr | None:
    """`getattr(x, "name")` as `x.name`; None for any other call."""
    if not isinstance(node.func, ast.Name) or node.func.id != "getattr" or len(node.args) != 2:
        return None
    word = node.args[1]
    parts = [word.left, word.right] if isinstance(word, ast.BinOp) else [word]
    if not all(isinstance(part, ast.Constant) for part in parts):
        return None
    name = "".join(str(part.value) for part in parts if isinstance(part, ast.Constant))
    if not name.isidentifier() or keyword.iskeyword(name):
        return None
    return ast.Attribute(node.args[0], name, ast.Load())


def _named(rows: Sequence[Row], taken: set[str]) -> dict[str, str]:
    """The names in the program of what the rows define."""
    names: dict[str, str] = {}
    for row in rows:
        if row.name:
            base = _TIDY.sub("_", row.hint).strip("_") or "x"
            base = base if base[0].isalpha() else f"x{base}"
            count = 1
            name = f"{base}1" if base == TERM else base
            while name in taken and row.hint != row.name:
                count += 1
                name = f"{base}{count}" if base == TERM else f"{base}_{count}"
            taken.add(name)
            names[row.name] = name
    return names


class _Renamed(ast.NodeTransformer):
    def __init__(self, names: dict[str, str]) -> None:
        self._names = names

    def visit_Name(self, node: ast.Name) -> ast.AST:
        node.id = self._names.get(node.id, node.id)
        return node


def _text(row: Row, names: dict[str, str]) -> str:
    if row.code is None:
        return row.text
    return double_quoted(ast.unparse(_Renamed(names).visit(row.code)))


def double_quoted(source: str) -> str:
    """The source with double quotes around each text that holds none."""
    edits: list[tuple[int, int, str]] = []
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        text = token.string
        plain = re.fullmatch(r"(f|b|)'([^'\"\\]*)'", text, re.DOTALL)
        if token.type == tokenize.STRING and plain and not text.startswith("'''"):
            at = starts[token.start[0] - 1] + token.start[1]
            edits.append((at, at + len(text), f'{plain[1]}"{plain[2]}"'))
    for start, end, text in reversed(edits):
        source = source[:start] + text + source[end:]
    return source
