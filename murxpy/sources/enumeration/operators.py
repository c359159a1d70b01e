"""The productions of a grammar that has all operators of some theories."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import product
from typing import Any

from murxpy.errors import InputError, nearest
from murxpy.logic.catalogue import STANDARD, Catalogue, Operator
from murxpy.logic.sorts import IllSorted, Sort
from murxpy.logic.terms import Term
from murxpy.smtlib.building import Tables
from murxpy.smtlib.printing.terms import Printer, Unsayable
from murxpy.smtlib.reading.scripts import read_script
from murxpy.sources.enumeration.grammar import parse_production

_INDICES = (0, 1, 2)  # and the numbers in the sorts of the grammar, and their differences


def with_operators(plain: Mapping[str, Any], catalogue: Catalogue) -> dict[str, Any]:
    """A grammar, as `murxpy.data.lookup` gives it, with a production for each operator of its
    theories that makes a term of a nonterminal of terms of others, behind the productions that the
    file has. Raises InputError for a name that it does not know.
    """
    if not plain["theories"]:
        return dict(plain)
    wanted = [op for name in plain["theories"] for op in _of_theory(plain, catalogue, name)]
    named = {op.smtlib for op in wanted}
    for section in ("operators", "without"):
        for name in plain[section]:
            if name not in named:
                raise _error(
                    plain,
                    f"no operator {name} in the theories of the grammar{nearest(name, named)}",
                )
    chosen = [
        op
        for op in wanted
        if (not plain["operators"] or op.smtlib in plain["operators"])
        and op.smtlib not in plain["without"]
    ]
    return {**plain, "rules": _Maker(plain, catalogue).rules(chosen)}


def _of_theory(plain: Mapping[str, Any], catalogue: Catalogue, name: str) -> list[Operator]:
    """The operators of a theory: those of the standard, or all where the standard has none of them."""
    if name not in catalogue.theories:
        theories = catalogue.theories
        raise _error(
            plain,
            f"unknown theory '{name}'{nearest(name, theories)}; expected one of {', '.join(theories)}",
        )
    known = catalogue.of_theory(name)
    standard = [op for op in known if op.standard]
    return [op for op in standard or known if not op.signature.binder and op.typing is None]


def _error(plain: Mapping[str, Any], message: str) -> InputError:
    return InputError(message, file=plain["file"], line=plain["theories-line"])


class _Maker:
    """Makes the productions of operators. In place of its arguments, a term has constants with the
    names of nonterminals.
    """

    def __init__(self, plain: Mapping[str, Any], catalogue: Catalogue) -> None:
        self._plain = plain
        self._tables = Tables(catalogue)
        self._printers = [Printer(catalogue, name) for name in (STANDARD, *catalogue.dialects)]
        declared = [" ".join(text.split()) for text, _ in plain["declare"]]
        holes = [f"(declare-const {name} {sort})" for name, sort in plain["sorts"].items()]
        script = read_script("\n".join([*declared, *holes]), plain["file"], catalogue, self._tables)
        found = {str(constant.indices[0]): constant for constant in script.constants()}
        self._holes = {name: found[name] for name in plain["sorts"]}
        numbers = dict.fromkeys(n for hole in self._holes.values() for n in _numbers(hole.sort))
        more = [high - low for high in numbers for low in numbers if high > low]
        self._indices = sorted({*_INDICES, *numbers, *more})

    def rules(self, operators: Sequence[Operator]) -> dict[str, list[list[Any]]]:
        """The productions of each nonterminal, each with its line."""
        line = self._plain["theories-line"]
        found = {name: list(rows) for name, rows in self._plain["rules"].items()}
        for name, rows in found.items():
            known = dict.fromkeys(self._spelled(rows))
            arguments = self._arguments(name)
            for operator in operators:
                for text in self._applied(operator, arguments, self._holes[name].sort):
                    if text not in known:
                        known[text] = None
                        rows.append([text, line])
            if not rows:
                raise _error(self._plain, f"the nonterminal {name} has no productions")
        return found

    def _spelled(self, rows: Sequence[Sequence[Any]]) -> Iterator[str]:
        for text, line in rows:
            made = parse_production(text, self._plain["sorts"], self._plain["file"], line)
            for spelling in range(len(made.spellings)):
                yield made.text(spelling, made.children)

    def _arguments(self, name: str) -> list[Term]:
        """A nonterminal for each sort: the first in the scope of this one, else the first in none."""
        scope, found = self._plain["scope"], dict[Sort, Term]()
        for bound in (scope.get(name), None):
            for other, hole in self._holes.items():
                if (scope.get(other) or None) == (bound or None):
                    found.setdefault(hole.sort, hole)
        return list(found.values())

    def _applied(self, operator: Operator, arguments: Sequence[Term], sort: Sort) -> Iterator[str]:
        wanted = sort if operator.signature.as_sort else None
        choices = [self._indices] * len(operator.signature.indices)
        for indices in product(*choices):
            for args in product(arguments, repeat=operator.minimum):
                try:
                    term = self._tables.apply(operator.kind, *args, indices=indices, wanted=wanted)
                except (IllSorted, InputError):
                    continue
                text = self._text(operator, term) if term.sort is sort else ""
                if text:
                    yield text

    def _text(self, operator: Operator, term: Term) -> str:
        """A term by the operator's own name, not by what it means; empty where no dialect has it."""
        for printer in self._printers:
            with suppress(Unsayable):
                text = printer.term(term)
                if operator.form or operator.smtlib in text:
                    return text
        args = "".join(f" {arg.indices[0]}" for arg in term.args)
        indices = " ".join(map(str, term.indices))
        named = f"(_ {operator.smtlib} {indices})" if indices else operator.smtlib
        return f"({named}{args})" if operator.definition else ""


def _numbers(sort: Sort) -> Iterator[int]:
    """The numbers in a sort, such as its width."""
    for param in sort.params:
        if isinstance(param, int):
            yield param
        elif isinstance(param, Sort):
            yield from _numbers(param)
