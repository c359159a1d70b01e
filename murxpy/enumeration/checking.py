"""The check of a grammar: each production is well-sorted and well-scoped, and so is each script."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from murxpy.enumeration.grammar import Grammar
from murxpy.enumeration.productions import Production
from murxpy.errors import InputError, nearest
from murxpy.logic.catalogue import Catalogue
from murxpy.smtlib.logics import LOGICS, known
from murxpy.smtlib.reading.scripts import read_script

Line = tuple[str, int]  # a command, and the line of the file that it comes from


def check_grammar(grammar: Grammar, catalogue: Catalogue) -> None:
    """Raise InputError, with the line of the file, for the first part of a grammar that is no
    well-sorted SMT-LIB; else for what is of no use, or makes a script twice.

    Each nonterminal becomes a function of the variables that are bound where it stands, and each
    spelling of each production the body of a definition of its sort.
    """
    _check_logic(grammar)
    _check_sorts(grammar, catalogue)
    _check_commands(grammar)
    grammar.check_use()
    _check_twice(grammar)
    _check_cycles(grammar)


def _check_logic(grammar: Grammar) -> None:
    logic = grammar.plain["logic"]
    if not known(logic):
        raise InputError(
            f"unknown logic '{logic}', expected one that solvers know, such as ALL or QF_LIA{nearest(logic, LOGICS)}",
            file=grammar.file,
            line=grammar.plain["logic-line"],
        )


def spelled_out(grammar: Grammar) -> str:
    """A script that has each spelling of each production of a grammar in it."""
    return "\n".join(command for command, _ in _lines(grammar))


def _check_sorts(grammar: Grammar, catalogue: Catalogue) -> None:
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
# What a script may consist of. Others end it, change how it is read, or ask what no oracle judges.
_COMMANDS = re.compile(
    r"\((?:assert|check-sat|check-sat-assuming|push|pop|declare-\S+|define-\S+)[\s)]"
)


def _check_commands(grammar: Grammar) -> None:
    for section in ("declare", "script"):
        for text, line in grammar.plain[section]:
            if not _COMMANDS.match(text):
                raise InputError(
                    "expected assert, check-sat, check-sat-assuming, push, pop, or a declaration or "
                    f"definition, found {text}",
                    file=grammar.file,
                    line=line,
                )
    if not any("(check-sat" in text for text, _ in grammar.plain["script"]):
        line = grammar.plain["script"][0][1] if grammar.plain["script"] else 1
        raise InputError("expected a check-sat in the script", file=grammar.file, line=line)


def _check_twice(grammar: Grammar) -> None:
    """Raise InputError for a production that makes the same text as another of its nonterminal."""
    seen: dict[tuple[str, str], int] = {}
    for name, production, spelling in grammar.spelled():
        text = production.text(spelling, production.children)
        if (name, text) in seen:
            raise InputError(
                f"the nonterminal {name} has the production {text} twice (also on line {seen[name, text]}), "
                "so that scripts with it would be tested twice",
                file=grammar.file,
                line=production.line,
            )
        seen[name, text] = production.line


def _check_cycles(grammar: Grammar) -> None:
    """Raise InputError for nonterminals that stand for each other alone, so that a text of one of
    them is one of every size.
    """
    alone = {
        name: [
            (production.children[0], production.line)
            for production in productions
            if len(production.children) == 1 and ("", "") in production.spellings
        ]
        for name, productions in grammar.rules.items()
    }
    for name in grammar.rules:
        reached = dict(alone[name])
        todo = list(reached)
        while todo:
            for child, _ in alone[todo.pop()]:
                if child not in reached:
                    reached[child] = 0
                    todo.append(child)
        if name in reached:
            raise InputError(
                f"the nonterminal {name} can stand for itself alone, so that each of its texts would be "
                "made in endlessly many ways",
                file=grammar.file,
                line=alone[name][0][1],
            )


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
