"""No generic module names a solver: what holds of one solver stands in its wrapper."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from murxpy.data import importable_names

CODE = Path(__file__).parents[2] / "murxpy"
# a wrapper of programs has the name of their format, which all code may name
SOLVERS = importable_names()
NAME = re.compile(rf"(?<![A-Za-z0-9])({'|'.join(SOLVERS)})(?![A-Za-z0-9])", re.IGNORECASE)
_FORMAT = "Murxla's file format has solvers' names in its actions and options, whoever reads it"
_EXAMPLE = "an example in a message to the user"
# Where a name must stand all the same: file, what of it, and why.
ALLOWED: dict[str, tuple[str, str]] = {
    "machine/actions/misusing.py": (r".* such as cvc5\.Kind\.AND, .*", _EXAMPLE),
    "cli/check_seeds.py": ("z3", "the default of an option, which its help shows"),
    "cli/enumerate.py": ("murxpy enumerate .*", _EXAMPLE),
    "cli/fuzz.py": (
        "name a solver, such as z3 or cvc5 .*|murxpy fuzz z3.*|.* calls; cvc5 answers, too",
        _EXAMPLE,
    ),
    "cli/mutate.py": ("(murxpy fuzz)? z3 seeds/ .*|cvc5 answers each mutant, too", _EXAMPLE),
    "cli/studies/generate.py": ("murxpy generate .*", _EXAMPLE),
    "cli/studies/perf.py": ("murxpy perf .*|slower than cvc5", _EXAMPLE),
    "sources/mutation/fuzzers/fusion.py": (".* z3 and cvc5 check their laws first.", "help"),
    "machine/trace/grammar.py": ("bitwuzla|boolector|cvc5|yices", _FORMAT),
    "machine/trace/murxla.py": ("cvc5-[A-Za-z0-9_-]+|(bitwuzla|yices)(-[A-Za-z0-9_-]+)?", _FORMAT),
    "translate/murxla.py": ("cvc5(-[a-z-]+)?", _FORMAT),
}


def named(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """The identifiers and texts in code that have a solver's name; not comments and docstrings."""
    documentation = {
        id(node.value)
        for parent in ast.walk(tree)
        for node in _body(parent)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    for node in ast.walk(tree):
        texts = [
            value
            for name in ("id", "attr", "name", "arg", "asname", "module", "value")
            if isinstance(value := getattr(node, name, None), str)
        ]
        if id(node) not in documentation:
            yield from ((node.lineno, text) for text in texts if NAME.search(text))  # type: ignore[attr-defined]


def _body(node: ast.AST) -> list[ast.stmt]:
    found = getattr(node, "body", None)
    return found if isinstance(found, list) else []


def found_in(folder: Path) -> Iterator[tuple[str, int, str]]:
    """File, line and text of each place where the code in a folder names a solver."""
    for file in sorted(folder.rglob("*.py")):
        code = file.read_text(encoding="utf-8")
        for line, text in named(ast.parse(code)) if NAME.search(code) else ():
            yield file.relative_to(folder).as_posix(), line, text


def allowed(file: str, text: str) -> bool:
    return file in ALLOWED and re.fullmatch(ALLOWED[file][0], text, re.DOTALL) is not None


def test_no_generic_module_names_a_solver() -> None:
    found = [place for place in found_in(CODE) if not allowed(place[0], place[2])]
    assert not found, found


def test_each_place_that_may_name_a_solver_does() -> None:
    places = [(file, text) for file, _, text in found_in(CODE)]
    unused = [name for name in ALLOWED if not any(name == f and allowed(f, t) for f, t in places)]
    assert not unused


@pytest.mark.parametrize(
    "code",
    ["import z3", "Z3_PATH = 1", 'if dialect == "cvc5": pass', "def f(cvc5_term): pass", "x.z3_y"],
)
def test_code_with_a_name_is_found(tmp_path: Path, code: str) -> None:
    (tmp_path / "generic.py").write_text(code)
    assert [file for file, _, _ in found_in(tmp_path)] == ["generic.py"]


def test_comments_and_docstrings_may_name_a_solver(tmp_path: Path) -> None:
    (tmp_path / "generic.py").write_text('"""As in z3."""\ndef f():\n    """cvc5"""  # z3\n')
    assert list(found_in(tmp_path)) == []
