"""No regular expression of ours takes more than linear time: each one is attacked with texts that
repeat what its quantifiers take.
"""

from __future__ import annotations

import ast
import functools
import importlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from backtracking import super_linear

from murxpy.data import load_wrapper

ROOT = Path(__file__).parents[2]
FILES = sorted([*ROOT.glob("murxpy/**/*.py"), *ROOT.glob("wrappers/*.py")])
CALLS = ("match", "fullmatch", "search", "findall", "finditer", "sub", "subn", "split")
SOURCES = {file: file.read_text(encoding="utf-8") for file in FILES}
# Patterns that may take quadratic time: the text that they see is short, and none of the user's.
SHORT = {
    "murxpy/solvers/callables.py": "a line of a docstring in the solver's own module",
    "z3": "the first 10,000 characters of a message of the solver",
    "cvc5": "the first 10,000 characters of a message of the solver",
}
Pattern = tuple[str, "re.Pattern[str]", str]
"""Where it stands, the pattern, and the method by which it is used."""


def patterns() -> Iterator[Pattern]:
    """Every pattern that the sources compile or use, once for each method that is called on it."""
    for file, source in SOURCES.items():
        if "import re\n" not in source:
            continue
        place = str(file.relative_to(ROOT))
        known: dict[str, Any] = {"re": re}
        if place.startswith("murxpy"):
            known |= vars(importlib.import_module(".".join(Path(place).with_suffix("").parts)))
        nodes = [*ast.walk(ast.parse(source))]
        owners = {
            id(node.value): _assigned(node)
            for node in nodes
            if isinstance(node, ast.Assign | ast.AnnAssign) and node.value
        }
        for node in nodes:
            if isinstance(node, ast.Call) and _of_re(node.func):
                pattern = _pattern(node, known, place)
                if pattern is not None:
                    for used in _used(node, owners.get(id(node), ""), file):
                        yield f"{place}:{node.lineno}", pattern, used


def _of_re(function: ast.expr) -> bool:
    """True for `re.compile` and the functions of `re` that take a pattern."""
    return (
        isinstance(function, ast.Attribute)
        and function.attr in ("compile", *CALLS)
        and isinstance(function.value, ast.Name)
        and function.value.id == "re"
    )


def _assigned(node: ast.AST) -> str:
    targets = (
        node.targets
        if isinstance(node, ast.Assign)
        else [node.target]
        if isinstance(node, ast.AnnAssign)
        else []
    )
    return targets[0].id if targets and isinstance(targets[0], ast.Name) else ""


def _pattern(call: ast.Call, known: dict[str, Any], place: str) -> re.Pattern[str] | None:
    """The pattern of a call, with its flags; None where it is read from data."""
    assert isinstance(call.func, ast.Attribute)
    behind = {"compile": 1, "sub": 3, "subn": 3}.get(call.func.attr, 2)
    flags = [*call.args[behind:], *[word.value for word in call.keywords if word.arg == "flags"]]
    try:
        values = [
            eval(compile(ast.Expression(word), place, "eval"), known)
            for word in (call.args[0], *flags)
        ]
    except NameError:
        return None  # a variable holds it: a table of the module, or a wrapper's YAML, see `tables`
    return re.compile(values[0], sum(values[1:]))


def _used(call: ast.Call, name: str, file: Path) -> list[str]:
    """The methods that are called on a pattern: those by its name, in all files if other modules
    may use it; all where it has no name.
    """
    assert isinstance(call.func, ast.Attribute)
    if call.func.attr != "compile":
        return [call.func.attr]
    files = [file] if name.startswith("_") else FILES
    found = [used for one in files for used in _calls(one).get(name, ())]
    return list(dict.fromkeys(found)) or ["match", "search"]


@functools.cache
def _calls(file: Path) -> dict[str, list[str]]:
    """The methods of patterns that a file calls, by the names of what it calls them on."""
    found: dict[str, list[str]] = {}
    for name, used in re.findall(rf"\b(\w+)\.({'|'.join(CALLS)})\(", SOURCES[file]):
        found.setdefault(name, []).append(used)
    return found


def tables() -> Iterator[Pattern]:
    """Patterns in tables of modules, and those of the wrappers that we ship."""
    from murxpy.data import wrapper_schema
    from murxpy.smtlib import logics
    from murxpy.solvers import guards

    yield "data/wrapper_schema.py", re.compile(wrapper_schema._TAKEN), "search"
    for rule in guards._GUARDS:
        yield "solvers/guards.py", re.compile(rule[0]), "fullmatch"
    for rule in logics._LETTERS.values():
        yield "smtlib/logics.py", re.compile(rule), "search"
    for name in ("z3", "cvc5"):
        wrapper = load_wrapper(name)
        for refusal in wrapper["refusals"]:
            yield f"{name}: refusals", re.compile(refusal.get("message") or "", re.DOTALL), "search"
        for entry in wrapper["contract"]["defects"]:
            yield f"{name}: contract, defects", re.compile(entry["message"], re.DOTALL), "search"
        for entry in wrapper["contract"]["undefined"]:
            yield f"{name}: contract, undefined", re.compile(entry["call"]), "search"


def test_no_pattern_is_super_linear() -> None:
    every = list(patterns())
    assert len(every) > 120, "the patterns are not found any more"
    found = {}
    attacked = functools.cache(super_linear)  # some patterns stand in several places
    for place, pattern, used in [*every, *tables()]:
        if place.partition(":")[0] in SHORT:
            continue
        # all methods that search take the same steps
        attack = attacked(pattern, used if used in ("match", "fullmatch") else "search")
        if attack is not None:
            found[f"{place} {used}"] = attack
    assert not found


@pytest.mark.parametrize(
    ("text", "used"),
    [
        (r'"(?:[^"]+|"")*"', "match"),
        (r'"(?:[^"]+|"")*"', "search"),
        (r"(a*)*b", "match"),
        (r"(?:x|xx)+$", "fullmatch"),
        (r"\w+\s*\w+:", "match"),
        (r"a+b", "search"),
        (r"^\s*x", "findall"),
    ],
)
def test_the_attack_finds_what_is(text: str, used: str) -> None:
    assert super_linear(re.compile(text, re.MULTILINE), used) is not None


@pytest.mark.parametrize(
    ("text", "used"),
    [(r'"[^"]*+(?:""[^"]*+)*+"', "search"), (r"a+b", "match"), (r"[a-z]+(?:\.[a-z]+)*", "search")],
)
def test_the_attack_does_not_find_what_is_not(text: str, used: str) -> None:
    assert super_linear(re.compile(text), used) is None
