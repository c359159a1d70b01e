"""The shape of the house: how many modules it has, how long they and their functions are, and what
they spend on imports, and how many public names have a docstring.

It prints its table and writes no file.

    python bench/shape.py              # a table
    python bench/shape.py --json       # the same figures as JSON
    python bench/shape.py --longest 20

Lines of code are lines that are neither empty, nor a comment, nor part of a docstring. A small
module with one reader is one below 40 lines that only one other module imports. A walker with a
stack of its own is a function with a loop `while NAME:` that takes elements from the end of NAME
and adds others to it. Such a loop need not walk over terms: searches of graphs and of values, for
which `murxpy/logic/walks.py` has no walker, are listed, too.

Public names are modules, and the classes, functions and methods in modules and classes whose names do
not begin with an underscore. A method without a docstring of its own counts as documented if it
overrides one that has a docstring.
"""

from __future__ import annotations

import argparse
import ast
import io
import json
import tokenize
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from murxpy.logic.walks import occurrences

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "murxpy"
SMALL = 40  # lines; a shorter module that one other imports may belong into that one
ADDING = ("append", "extend")
NO_CODE = (
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
)
Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass
class Module:
    """A module: its lines, the modules that it imports, and its functions with their lines."""

    name: str
    lines: int
    code: int
    imports: int
    imported: set[tuple[str, str]]
    functions: dict[str, int] = field(default_factory=dict)
    walkers: list[str] = field(default_factory=list)
    documented: bool = False
    public: list[Public] = field(default_factory=list)
    bases: dict[str, list[str]] = field(default_factory=dict)  # of each class, by their last names


@dataclass
class Public:
    """A public class, function or method. `owner` is the class of a method, empty for the others."""

    place: str
    owner: str
    name: str
    documented: bool


def read(path: Path) -> Module:
    """Read one module of the package."""
    text = path.read_text()
    tree = ast.parse(text)
    parts = path.relative_to(ROOT).with_suffix("").parts
    name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
    statements = [n for n in ast.walk(tree) if isinstance(n, ast.Import | ast.ImportFrom)]
    module = Module(
        name,
        len(text.splitlines()),
        len(code_lines(text) - docstring_lines(tree)),
        sum(length(node) for node in statements),
        {target for node in statements for target in targets(node)},
    )
    for function in (n for n in ast.walk(tree) if isinstance(n, Function)):
        place = f"{path.relative_to(ROOT)}:{function.lineno} {function.name}"
        module.functions[place] = length(function)
        if any(map(has_stack, own_loops(function))):
            module.walkers.append(place)
    module.documented = bool(ast.get_docstring(tree))
    module.public = list(public_names(tree, str(path.relative_to(ROOT))))
    for node in (n for n in ast.walk(tree) if isinstance(n, ast.ClassDef)):
        bases = (base.value if isinstance(base, ast.Subscript) else base for base in node.bases)
        module.bases[node.name] = [ast.unparse(base).rpartition(".")[-1] for base in bases]
    return module


def public_names(node: ast.Module | ast.ClassDef, path: str) -> Iterator[Public]:
    """The public classes and functions of a module or class, and those in its public classes."""
    owner = node.name if isinstance(node, ast.ClassDef) else ""
    for inner in node.body:
        if isinstance(inner, ast.ClassDef | Function) and not inner.name.startswith("_"):
            place = f"{path}:{inner.lineno} {inner.name}"
            yield Public(place, owner, inner.name, bool(ast.get_docstring(inner)))
            if isinstance(inner, ast.ClassDef):
                yield from public_names(inner, path)


def undocumented(modules: list[Module]) -> list[str]:
    """The places of public names without a docstring."""
    bases: dict[str, set[str]] = defaultdict(set)  # classes of one name are taken for one class
    for module in modules:
        for name, found in module.bases.items():
            bases[name].update(found)
    public = [name for module in modules for name in module.public]
    documented = {(name.owner, name.name) for name in public if name.documented}

    def inherits(owner: str, name: str) -> bool:
        above = (base for base in bases.get(owner, ()) if base != owner)
        return any((base, name) in documented or inherits(base, name) for base in above)

    return [module.name for module in modules if not module.documented] + [
        one.place for one in public if not one.documented and not inherits(one.owner, one.name)
    ]


def length(node: ast.stmt) -> int:
    """The number of lines of a statement."""
    return (node.end_lineno or node.lineno) - node.lineno + 1


def code_lines(text: str) -> set[int]:
    """The numbers of the lines with something other than comments."""
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return {
        line
        for token in tokens
        if token.type not in NO_CODE
        for line in range(token.start[0], token.end[0] + 1)
    }


def docstring_lines(tree: ast.Module) -> set[int]:
    """The numbers of the lines of docstrings."""
    texts = [
        node.body[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | Function) and ast.get_docstring(node)
    ]
    return {line for text in texts for line in range(text.lineno, text.lineno + length(text))}


def targets(node: ast.Import | ast.ImportFrom) -> Iterator[tuple[str, str]]:
    """The modules that a statement imports from, each with a name that it takes from there."""
    for alias in node.names:
        yield (alias.name, "") if isinstance(node, ast.Import) else (node.module or "", alias.name)


def own_loops(function: Function) -> Iterator[ast.While]:
    """The loops `while` of a function, without those of functions in it."""
    inside = occurrences(
        list[ast.AST](function.body),
        lambda node: () if isinstance(node, Function) else ast.iter_child_nodes(node),
    )
    return (node for node in inside if isinstance(node, ast.While))


def has_stack(loop: ast.While) -> bool:
    """Whether a loop takes elements from what it tests, and adds others to it."""
    if not isinstance(loop.test, ast.Name):
        return False
    name = loop.test.id
    called: set[str] = set()
    for node in ast.walk(loop):
        if isinstance(node, ast.Attribute) and is_name(node.value, name):
            called.add(node.attr)
        if isinstance(node, ast.AugAssign) and is_name(node.target, name):
            called.add("extend")
    return "pop" in called and not called.isdisjoint(ADDING)


def is_name(node: ast.expr, name: str) -> bool:
    """Whether an expression is this name."""
    return isinstance(node, ast.Name) and node.id == name


def measured(modules: list[Module], longest: int) -> dict[str, Any]:
    """The figures of all modules together."""
    names = {module.name for module in modules}
    readers = Counter(
        target
        for module in modules
        for target in {
            f"{source}.{name}" if f"{source}.{name}" in names else source
            for source, name in module.imported
        }
    )
    functions = {place: lines for module in modules for place, lines in module.functions.items()}
    return {
        "modules": len(modules),
        "lines": sum(module.lines for module in modules),
        "lines of code": sum(module.code for module in modules),
        "lines of imports": sum(module.imports for module in modules),
        "small modules with one reader": [
            m.name for m in modules if m.lines < SMALL and readers[m.name] == 1
        ],
        "longest modules": _largest({m.name: m.lines for m in modules}, longest),
        "longest functions": _largest(functions, longest),
        "walkers with a stack of their own": [w for module in modules for w in module.walkers],
        "public names": sum(1 + len(module.public) for module in modules),
        "public names without a docstring": undocumented(modules),
    }


def _largest(sizes: dict[str, int], count: int) -> dict[str, int]:
    return dict(sorted(sizes.items(), key=lambda item: (-item[1], item[0]))[:count])


def table(figures: dict[str, Any]) -> Table:
    """The figures as a table: a list has its length in one row, and its entries below it."""
    made = Table("figure", "value")
    for name, value in figures.items():
        if isinstance(value, int):
            made.add_row(name, f"{value:,}")
        elif isinstance(value, list):
            made.add_row(name, str(len(value)))
            for entry in value:
                made.add_row(f"  {entry}", "")
        else:
            made.add_row(name, "lines")
            for entry, lines in value.items():
                made.add_row(f"  {entry}", str(lines))
    return made


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0] if __doc__ else "")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    parser.add_argument("--longest", type=int, default=10, help="how many long ones are listed")
    args = parser.parse_args()
    modules = [read(path) for path in sorted(PACKAGE.rglob("*.py")) if "_data" not in path.parts]
    figures = measured(modules, args.longest)
    if args.json:
        print(json.dumps(figures, indent=2))
    else:
        Console(soft_wrap=True).print(table(figures), markup=False)


if __name__ == "__main__":
    main()
