"""Data files that a name finds: shipped ones in a folder of `fsm`, and files of the user."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from msgspec import Meta

from murxpy.data.folders import data_folder
from murxpy.data.theories import Plain
from murxpy.data.yamlfile import Document, Strict, convert, read_document
from murxpy.errors import InputError, nearest


@dataclass(frozen=True)
class Named:
    """The files of `kind`, such as `grammar`, of which murxpy ships those in `fsm/<folder>`."""

    kind: str
    folder: str

    def names(self) -> list[str]:
        """The names of the shipped files, sorted."""
        return sorted(path.stem for path in self.shipped().glob("*.yaml"))

    def path(self, name: str) -> Path:
        """The shipped file called `name`, or else the user's own at this path. Raises InputError if
        the name is neither a shipped one nor the path of a YAML file.
        """
        known, own = self.names(), Path(name).expanduser()
        if name in known:
            return self.shipped() / f"{name}.yaml"
        if own.suffix not in (".yaml", ".yml"):
            raise InputError(
                f"unknown {self.kind} '{name}'{nearest(name, known)}; known are {', '.join(known)}, "
                "and files of your own whose names end with .yaml"
            )
        return own

    def shipped(self) -> Path:
        """The folder of the shipped files."""
        return data_folder("fsm") / self.folder


# ----------------------------------------------------------------------
# Grammars of scripts as plain data: files of `fsm/grammars`, and files of the user.


Nonterminal = Annotated[str, Meta(pattern=r"^[A-Z][A-Za-z0-9]*$")]
Name = Annotated[str, Meta(pattern=r"^[A-Za-z][A-Za-z0-9_-]*$")]
Symbol = Annotated[str, Meta(pattern=r"^[a-z][A-Za-z0-9_]*$")]

_SHIPPED_GRAMMARS = Named("grammar", "grammars")


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
    return _SHIPPED_GRAMMARS.names()


def load_grammar(name: str) -> Plain:
    """The grammar called `name`, which is shipped, or a file of the user's.

    The result has the keys of the file, and `file`. Where a production or a command stands, it is
    `[text, line]`. Raises InputError.
    """
    document = read_document(_SHIPPED_GRAMMARS.path(name))
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


# ----------------------------------------------------------------------
# Pools of terms and calls as plain data: files of `fsm/calls`, and files of the user.


_SHIPPED_POOLS = Named("pool", "calls")


class Call(Strict, frozen=True):
    """A call of the solver, as a line of a trace in which F stands for a formula and V for a value.

    `when` is what must hold before it. `effect` says what becomes of the scopes and of the last
    answer: `change` loses the answer, `none` keeps it.
    """

    call: str
    when: Literal["", "pushed", "sat", "unsat", "unknown", "checked"] = ""
    effect: Literal["change", "none", "push", "pop", "check", "reset"] = "change"


class Pool(Strict, frozen=True):
    """A file of `fsm/calls`: declarations and formulas in SMT-LIB, and the calls."""

    pool: str
    about: str
    formulas: list[str]
    calls: list[Call]
    declare: list[str] = []
    values: list[str] = []


def pool_names() -> list[str]:
    """The names of the shipped pools, sorted."""
    return _SHIPPED_POOLS.names()


def load_pool(name: str) -> Plain:
    """The pool called `name`, which is shipped, or a file of the user's. Raises InputError."""
    document = read_document(_SHIPPED_POOLS.path(name))
    pool = convert(document, Pool)
    for key in ("formulas", "calls"):
        if not getattr(pool, key):
            raise document.error((key,), "expected at least one entry, found none")
    return {
        "pool": pool.pool,
        "about": pool.about,
        "file": document.file,
        "declare": list(pool.declare),
        "formulas": list(pool.formulas),
        "values": list(pool.values),
        "calls": [
            [each.call, each.when, each.effect, document.line(("calls", place))]
            for place, each in enumerate(pool.calls)
        ],
    }
