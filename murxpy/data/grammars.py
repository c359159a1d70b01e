"""Grammars of scripts as plain data: files of `fsm/grammars`, and files of the user."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from murxpy.data.convert import Strict, convert
from murxpy.data.named import Named
from murxpy.data.theories import Plain
from murxpy.data.yamlfile import Document, read_document
from murxpy.errors import nearest

Nonterminal = Annotated[str, Meta(pattern=r"^[A-Z][A-Za-z0-9]*$")]
Name = Annotated[str, Meta(pattern=r"^[A-Za-z][A-Za-z0-9_-]*$")]
Symbol = Annotated[str, Meta(pattern=r"^[a-z][A-Za-z0-9_]*$")]

_SHIPPED = Named("grammar", "grammars")


class Grammar(Strict, frozen=True):
    """A file of `fsm/grammars`.

    `sorts` gives the sort of each nonterminal, and `rules` its productions. All operators of
    `theories` are productions, too, or those of them that `operators` names, but for those of `without`. `scope` names bound
    variables with their sorts, which the productions of a nonterminal can use, because it stands
    only where they are bound. `declare` and `script` are commands of SMT-LIB; those of `script` have
    nonterminals in them.
    """

    grammar: Name
    about: str
    sorts: dict[Nonterminal, str]
    script: list[str]
    rules: dict[Nonterminal, list[str]] = {}
    theories: list[str] = []
    operators: list[str] = []
    without: list[str] = []
    declare: list[str] = []
    scope: dict[Nonterminal, dict[Symbol, str]] = {}
    logic: str = "ALL"


def grammar_names() -> list[str]:
    """The names of the shipped grammars, sorted."""
    return _SHIPPED.names()


def load_grammar(name: str) -> Plain:
    """The grammar called `name`, which is shipped, or a file of the user's.

    The result has the keys of the file, and `file`. Where a production or a command stands, it is
    `[text, line]`. Raises InputError.
    """
    document = read_document(_SHIPPED.path(name))
    return _plain(document, convert(document, Grammar))


def _plain(document: Document, grammar: Grammar) -> Plain:
    for section in ("rules", "scope"):
        for name in getattr(grammar, section):
            if name not in grammar.sorts:
                raise document.error(
                    (section, name),
                    f"the nonterminal {name} has no sort: expected it under 'sorts'{nearest(name, grammar.sorts)}",
                )
    for name in grammar.sorts:
        if not grammar.rules.get(name) and not grammar.theories:
            raise document.error(("sorts", name), f"the nonterminal {name} has no productions")
    return {
        "grammar": grammar.grammar,
        "about": grammar.about,
        "file": document.file,
        "theories": list(grammar.theories),
        "theories-line": document.line(("theories",)),
        "operators": list(grammar.operators),
        "without": list(grammar.without),
        "logic": grammar.logic,
        "logic-line": document.line(("logic",)),
        "sorts": dict(grammar.sorts),
        "scope": {name: dict(bound) for name, bound in grammar.scope.items()},
        "declare": _with_lines(document, "declare", grammar.declare),
        "script": _with_lines(document, "script", grammar.script),
        "rules": {
            name: [
                [text, document.line(("rules", name, place))]
                for place, text in enumerate(grammar.rules.get(name, ()))
            ]
            for name in grammar.sorts
        },
    }


def _with_lines(document: Document, section: str, texts: list[str]) -> list[list[str | int]]:
    return [[text, document.line((section, place))] for place, text in enumerate(texts)]
