"""Shorter helpers of a program: what its calls cannot reach is left out, and so are annotations."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator, Sequence
from typing import Any, cast

from murxpy.translate.expressions import inlined

Values = dict[str, Any]  # of the parameters of a function that are the same in all calls
Edit = tuple[int, int, str]  # the bytes from and to which a text takes the place of a source
_IGNORED = re.compile(r"  # type: ignore\[[\w, -]+\]$", re.M)
_TALL = re.compile(
    r"\(\n +(\S[^\n]*)\n *\):"
)  # the parameters of a function on a line of their own
_ENDS = (ast.Return, ast.Raise, ast.Continue, ast.Break)
_CLOSED = (ast.Name, ast.Attribute, ast.Call, ast.Constant, ast.List, ast.Tuple, ast.Subscript)


def narrowed(source: str, names: Sequence[str], calls: str) -> str:
    """The statements of `source` that `names` need where only the statements `calls` use them.

    Where each call of a function gives a parameter the same constant, the branches of the function that
    this constant excludes are left out. What only these branches need goes with them.
    """
    if not source:
        return source
    source = _edited(source, set(_annotations(ast.parse(source), source)))
    source = _IGNORED.sub("", source)
    while True:
        source = _TALL.sub(_joined, inlined([source], names).strip())
        edit = next(_unreachable(ast.parse(source), ast.parse(calls), source), None)
        if edit is None:
            return source.replace("\n\n\n\n", "\n\n\n")
        source = _edited(source, [edit])


def _joined(found: re.Match[str]) -> str:
    return f"({found[1].removesuffix(',')}):"


def _edited(source: str, edits: Collection[Edit]) -> str:
    text = source.encode()
    for start, end, new in sorted(edits, reverse=True):
        text = text[:start] + new.encode() + text[end:]
    return text.decode()


class _Places:
    """Where nodes stand in a source, in bytes."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.lines: list[int] = [0]
        for line in source.encode().split(b"\n"):
            self.lines.append(self.lines[-1] + len(line) + 1)

    def at(self, node: Any) -> int:
        """Where a node begins."""
        return self.lines[int(node.lineno) - 1] + int(node.col_offset)

    def behind(self, node: Any) -> int:
        """Where a node ends."""
        return self.lines[int(node.end_lineno) - 1] + int(node.end_col_offset)

    def line_before(self, node: Any) -> int:
        """Where the line ends before the one on which a node begins."""
        return self.lines[int(node.lineno) - 1] - 1

    def text(self, start: int, end: int) -> str:
        return self.source.encode()[start:end].decode()


def _annotations(tree: ast.Module, source: str) -> Iterator[Edit]:
    """Edits that leave out the annotations of functions. Those of the fields of a class have a meaning."""
    places = _Places(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            yield from _of_parameters(node, places)
            if node.returns is not None:
                start, end = places.at(node.returns), places.behind(node.returns)
                yield start - len(" -> "), end, ""
            yield from (
                (places.behind(inner.target), places.behind(inner.annotation), "")
                for inner in ast.walk(node)
                if isinstance(inner, ast.AnnAssign) and inner.value is not None
            )


def _of_parameters(node: ast.FunctionDef, places: _Places) -> Iterator[Edit]:
    given = node.args
    ordered = [*given.posonlyargs, *given.args]
    defaults: dict[str, ast.expr] = {}
    if given.defaults:
        late = ordered[-len(given.defaults) :]
        defaults = {one.arg: value for one, value in zip(late, given.defaults, strict=True)}
    named = zip(given.kwonlyargs, given.kw_defaults, strict=True)
    defaults |= {one.arg: value for one, value in named if value is not None}
    for one in [*ordered, given.vararg, *given.kwonlyargs, given.kwarg]:
        if one is None or one.annotation is None:
            continue
        start, default = places.at(one) + len(one.arg.encode()), defaults.get(one.arg)
        if default is None:
            yield start, places.behind(one.annotation), ""
        else:
            yield start, places.at(default), "="


# ----------------------------------------------------------------------
# Parameters whose value is known.


def _known(tree: ast.Module, calls: ast.Module) -> dict[str, Values]:
    """By function of a module, the parameters to which each call gives the same constant."""
    functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    places = [(node.name, node) for node in functions.values()]
    others = [node for node in tree.body if not isinstance(node, ast.FunctionDef)]
    uses: dict[str, list[tuple[str, ast.Call | None]]] = {}
    for owner, node in [*places, *(("", one) for one in [*others, *calls.body])]:
        called = {id(one.func): one for one in ast.walk(node) if isinstance(one, ast.Call)}
        for name in ast.walk(node):
            if isinstance(name, ast.Name) and name.id in functions:
                uses.setdefault(name.id, []).append((owner, called.get(id(name))))
    known: dict[str, Values] = {}
    while True:
        found = {name: _shared(functions[name], uses.get(name, []), known) for name in functions}
        if found == known:
            return known
        known = found


def _shared(
    function: ast.FunctionDef, uses: Sequence[tuple[str, ast.Call | None]], known: dict[str, Values]
) -> Values:
    shared: Values | None = None
    for owner, call in uses:
        given = {} if call is None else _given(function, call, known.get(owner, {}))
        common = given if shared is None else shared
        shared = {name: value for name, value in common.items() if _same(given, name, value)}
    names = [one for one in ast.walk(function) if isinstance(one, ast.Name)]
    changed = {one.id for one in names if not isinstance(one.ctx, ast.Load)}
    arguments = [one.arg for one in ast.walk(function) if isinstance(one, ast.arg)]
    return {
        name: value
        for name, value in (shared or {}).items()
        if name not in changed and arguments.count(name) == 1
    }


def _same(given: Values, name: str, value: Any) -> bool:
    return name in given and type(given[name]) is type(value) and bool(given[name] == value)


def _given(function: ast.FunctionDef, call: ast.Call, values: Values) -> Values:
    """The constants that a call gives to parameters of a function."""
    names = [one.arg for one in [*function.args.posonlyargs, *function.args.args]]
    given: dict[str, ast.expr] = {}
    for name, value in zip(names, call.args, strict=False):
        if isinstance(value, ast.Starred):
            break
        given[name] = value
    given |= {one.arg: one.value for one in call.keywords if one.arg}
    found = {name: _value(value, values) for name, value in given.items()}
    return {name: value[0] for name, value in found.items() if value}


def _value(node: ast.expr, values: Values) -> list[Any]:
    """The value of an expression as the only element of a list, which is empty where it is not known."""
    if isinstance(node, ast.Constant):
        return [node.value]
    if isinstance(node, ast.Name) and node.id in values:
        return [values[node.id]]
    if isinstance(node, (ast.Tuple, ast.List, ast.Set)):
        parts = [_value(one, values) for one in node.elts]
        return [[part[0] for part in parts]] if all(parts) else []
    return []


def _decided(test: ast.expr, values: Values) -> bool | None:
    """Whether a test holds, None where that is not known."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        inner = _decided(test.operand, values)
        return None if inner is None else not inner
    if isinstance(test, ast.BoolOp):
        ends = isinstance(test.op, ast.Or)  # one operand with this value decides
        parts = [_decided(one, values) for one in test.values]
        return ends if ends in parts else None if None in parts else not ends
    if isinstance(test, ast.Compare) and len(test.ops) == 1:
        left, right = _value(test.left, values), _value(test.comparators[0], values)
        return _compared(test.ops[0], left[0], right[0]) if left and right else None
    found = _value(test, values)
    return bool(found[0]) if found else None


def _compared(how: ast.cmpop, left: Any, right: Any) -> bool | None:
    if isinstance(how, (ast.Eq, ast.NotEq)):
        return bool(left == right) is isinstance(how, ast.Eq)
    if isinstance(how, (ast.In, ast.NotIn)):
        return (left in right) is isinstance(how, ast.In)
    return None


# ----------------------------------------------------------------------
# What is not reached.


def _unreachable(tree: ast.Module, calls: ast.Module, source: str) -> Iterator[Edit]:
    """Edits that leave out code that no call reaches. After one the source has to be read again."""
    places, known = _Places(source), _known(tree, calls)
    for function in tree.body:
        values = known.get(function.name, {}) if isinstance(function, ast.FunctionDef) else {}
        for node in ast.walk(function):
            for block in _blocks(node):
                yield from _behind_an_end(block, places)
                for one in block if values else ():
                    if isinstance(one, ast.If):
                        yield from _of_branches(one, values, places, alone=len(block) == 1)
            if values and isinstance(node, ast.IfExp):
                decided = _decided(node.test, values)
                kept = node.body if decided else node.orelse
                if decided is not None and isinstance(kept, _CLOSED):
                    text = places.text(places.at(kept), places.behind(kept))
                    yield places.at(node), places.behind(node), text


def _blocks(node: ast.AST) -> Iterator[list[ast.stmt]]:
    for name in ("body", "orelse", "finalbody"):
        block = getattr(node, name, None)
        if isinstance(block, list):
            yield block


def _of_branches(node: ast.If, values: Values, places: _Places, *, alone: bool) -> Iterator[Edit]:
    decided = _decided(node.test, values)
    if decided is None:
        if isinstance(node.test, ast.BoolOp):
            yield from _without_operands(node.test, values, places)
        for other in node.orelse:
            asked = isinstance(node.test, ast.Name) and isinstance(other, ast.If) and other.test
            if asked and ast.dump(asked) == ast.dump(node.test):  # it was excluded before
                yield _without_branch(cast("ast.If", other), False, places)
    elif (node.body if decided else node.orelse) or alone:
        yield _without_branch(node, decided, places)
    else:
        yield places.line_before(node), places.behind(node), ""


def _without_operands(test: ast.BoolOp, values: Values, places: _Places) -> Iterator[Edit]:
    """Leave out the operands of a test that are known, where one is left that is not."""
    kept = [one for one in test.values if _decided(one, values) is None]
    if len(kept) == 1 < len(test.values):
        text = places.text(places.at(kept[0]), places.behind(kept[0]))
        yield places.at(test), places.behind(test), text


def _behind_an_end(block: list[ast.stmt], places: _Places) -> Iterator[Edit]:
    """Leave out statements behind one that ends their block."""
    for one in block[:-1]:
        if isinstance(one, _ENDS):
            yield places.behind(one), places.behind(block[-1]), ""
            return


def _without_branch(node: ast.If, decided: bool, places: _Places) -> Edit:
    """Put the branch that is taken in the place of an if statement."""
    kept = node.body if decided else node.orelse
    start, end = places.at(node), places.behind(node)
    later = places.text(start, start + 4) == "elif"
    if not kept:
        return (places.line_before(node), end, "") if later else (start, end, "pass")
    first = places.at(kept[0])
    text = places.text(first, places.behind(kept[-1]))
    if text.startswith("elif"):
        return start, end, text if later else text[2:]
    if later:
        return start, end, f"else:\n{' ' * kept[0].col_offset}{text}"
    return start, end, text.replace("\n    ", "\n")
