"""The check of a grammar: each production is well-sorted and well-scoped, and so is each script."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from murxpy.enumeration.grammar import Grammar
from murxpy.enumeration.productions import Production
from murxpy.errors import InputError
from murxpy.logic.catalogue import Catalogue
from murxpy.smtlib.reading.scripts import read_script

Line = tuple[str, int]  # a command, and the line of the file that it comes from


def check_grammar(grammar: Grammar, catalogue: Catalogue) -> None:
    """Raise InputError, with the line of the file, for the first part of a grammar that is no
    well-sorted SMT-LIB.

    Each nonterminal becomes a function of the variables that are bound where it stands, and each
    spelling of each production the body of a definition of its sort.
    """
    lines = list(_lines(grammar))
    text = "\n".join(command for command, _ in lines)
    try:
        read_script(text, grammar.file, catalogue)
    except InputError as error:
        command, line = lines[min(len(lines), error.line or 1) - 1]
        raise InputError(
            f"{error.reason} (in {command})".replace(_HOLE, ""), file=grammar.file, line=line
        ) from None


_HOLE = "hole!"


def _lines(grammar: Grammar) -> Iterator[Line]:
    plain = grammar.plain
    scope: Mapping[str, Mapping[str, str]] = plain["scope"]
    first = plain["script"][0][1] if plain["script"] else 1
    yield f"(set-logic {plain['logic']})", first
    for text, line in plain["declare"]:
        yield " ".join(text.split()), line
    for name, sort in plain["sorts"].items():
        line = grammar.rules[name][0].line
        bound = " ".join(scope.get(name, {}).values())
        yield f"(declare-fun {_HOLE}{name} ({bound}) {sort})", line
    for number, (name, production, spelling) in enumerate(grammar.spelled()):
        bound = " ".join(f"({word} {sort})" for word, sort in scope.get(name, {}).items())
        body = production.text(spelling, _holes(production.children, scope))
        sort = plain["sorts"][name]
        yield f"(define-fun production!{number} ({bound}) {sort} {body})", production.line
    holes = _holes(grammar.script.children, scope)
    for spelling in range(len(grammar.script.spellings)):
        yield from _commands(grammar.script, spelling, holes, plain["script"])


def _holes(names: Sequence[str], scope: Mapping[str, Mapping[str, str]]) -> list[str]:
    return [
        f"({_HOLE}{name} {' '.join(scope[name])})" if scope.get(name) else f"{_HOLE}{name}"
        for name in names
    ]


def _commands(
    script: Production, spelling: int, holes: Sequence[str], written: Sequence[Sequence[str | int]]
) -> Iterator[Line]:
    for command, (_, line) in zip(script.text(spelling, holes).split("\n"), written, strict=True):
        yield command, int(line)
