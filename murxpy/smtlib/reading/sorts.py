"""Reads sorts: those of SMT-LIB 2.7, section 3.5, and those of z3 and cvc5."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from murxpy.errors import InputError
from murxpy.foreign import excerpt
from murxpy.logic.catalogue import Catalogue
from murxpy.logic.sorts import (
    MAX_NESTING,
    MAX_ORDER,
    MAX_WIDTH,
    Datatype,
    Sort,
    SortTable,
    order_of_field,
)
from murxpy.smtlib.lexer import Source, key, symbol, unknown
from murxpy.smtlib.reading.vocabulary import Scope, Vocabulary

_HEXADECIMAL = re.compile(r"#x[0-9a-fA-F]{1,4000}")
Maker = Callable[[Sequence[Sort]], Sort]


class SortReader:
    """Reads the sorts of theories and the sorts that the script declared."""

    def __init__(
        self,
        source: Source,
        sorts: SortTable,
        catalogue: Catalogue,
        words: Vocabulary,
        scope: Scope[Any],
    ) -> None:
        self.source = source
        self.sorts = sorts
        self.catalogue = catalogue
        self.words = words
        self.scope = scope
        self.declared = scope.sorts

    def read(self, token: str | None = None) -> Sort:
        """Read the next sort. `token` is its first token if that has been read already. Raises
        InputError.
        """
        stack: list[tuple[str, list[Sort]]] = []
        token = token or self.source.next("a sort")
        while True:
            if token == "(":
                name = self.source.symbol_or("_", "the name of a sort")
                if name != "_":
                    if len(stack) >= MAX_NESTING:
                        raise InputError(f"sorts nested more than {MAX_NESTING} deep")
                    stack.append((name, []))
                    token = self.source.next("a sort")
                    continue
                sort = self._indexed()
            elif token == ")" and stack:
                sort = self.make(*stack.pop())
            else:
                sort = self.make(token, [])
            if not stack:
                return sort
            stack[-1][1].append(sort)
            token = self.source.next("a sort or ')'")

    def make(self, token: str, params: list[Sort]) -> Sort:
        """Return the sort of this name with these parameters. Raises InputError."""
        name = key(token)
        maker = self.declared.get(name)
        if maker is not None:
            return maker(params)
        if name in self.words.short:
            kind, numbers = self.words.short[name]
            # `(RegEx String)` was the sort of regular languages before SMT-LIB 2.6
            if not params or kind == "SORT_REGLAN":
                return self.sorts.get(kind, *numbers)
        if name == "Relation":
            return self.sorts.get("SORT_SET", self.sorts.get("SORT_TUPLE", *params))
        if name == "Table":
            return self.sorts.get("SORT_BAG", self.sorts.get("SORT_TUPLE", *params))
        kind = self.words.sorts.get(name, "")
        if not kind:
            raise unknown(token, "sort", [*self.declared, *self.words.sorts, *self.words.short])
        shape = self.catalogue.sorts[kind].params
        if shape == ("sort+",):
            if kind == "SORT_FUN":
                return self._function(params)
            return self.sorts.get(kind, *params)
        if kind == "SORT_ARRAY" and len(params) > 2:  # z3's arrays with several indices
            return self._curried(params)
        if len(shape) != len(params) or any(not p.startswith("sort") for p in shape):
            needs = (
                "indices, as in (_ " + name + " 8)"
                if shape and not shape[0].startswith("sort")
                else f"{len(shape)} parameters"
            )
            raise InputError(f"the sort '{name}' takes {needs}, found {len(params)} parameters")
        return self.sorts.get(kind, *params)

    def _curried(self, params: list[Sort]) -> Sort:
        """Return the sort of an array with several indices: an array of arrays."""
        if len(params) > MAX_NESTING:
            raise InputError(f"an array with more than {MAX_NESTING - 1} indices")
        sort = params[-1]
        for index in reversed(params[:-1]):
            sort = self.sorts.get("SORT_ARRAY", index, sort)
        return sort

    def _function(self, params: list[Sort]) -> Sort:
        if len(params) < 2:
            raise InputError("the sort '->' takes 2 parameters or more")
        if params[-1].kind == "SORT_FUN":  # the arrow associates to the right
            params = [*params[:-1], *params[-1].sorts()]
        return self.sorts.get("SORT_FUN", *params)

    def _indexed(self) -> Sort:
        """Read what follows `(_`."""
        name = symbol(self.source.symbol("the name of a sort"))
        kind = self.words.sorts.get(name, "")
        numbers = []
        while not self.source.skip(")"):
            numbers.append(self._number(self.source.next("an index")))
        shape = self.catalogue.sorts[kind].params if kind else ()
        if not shape or shape[0].startswith("sort") or len(shape) != len(numbers):
            raise InputError(excerpt(f"no sort (_ {name} {' '.join(map(str, numbers))})"))
        least = 2 if kind != "SORT_BV" else 1
        if min(numbers) < least or (kind != "SORT_FF" and max(numbers) > MAX_WIDTH):
            raise InputError(
                f"expected {least} to {MAX_WIDTH} as an index of {name}, found {' '.join(str(n)[:20] for n in numbers)}"
            )
        if kind == "SORT_FF" and not order_of_field(numbers[0]):
            raise InputError(
                f"expected a prime below 2^{MAX_ORDER.bit_length() - 1} as the order of a field, found {str(numbers[0])[:40]}"
            )
        return self.sorts.get(kind, *numbers)

    def _number(self, token: str) -> int:
        if token.isascii() and token.isdigit() and len(token) < 4000:
            return int(token)
        if _HEXADECIMAL.fullmatch(token):
            return int(token[2:], 16)
        raise InputError(f"expected a number as an index, found '{token[:40]}'")

    # -- declarations

    def declare(self, token: str, maker: Maker) -> None:
        """Let a name stand for the sort that `maker` returns. Raises InputError if the name is
        taken.
        """
        name = key(token)
        if self.scope.own.get(f"sort {name}"):
            raise InputError(f"the sort '{symbol(token)}' is declared already")
        self.scope.put(self.scope.own, f"sort {name}", True)
        self.scope.put(self.declared, name, maker)

    def datatype(self, name: str, datatype: Datatype, arity: int) -> Maker:
        """Return a function that makes the sort of a datatype of its parameters."""

        def maker(params: Sequence[Sort]) -> Sort:
            _count(name, arity, params)
            return self.sorts.get("SORT_DT", datatype, *params)

        return maker


def _count(name: str, arity: int, params: Sequence[Sort]) -> None:
    if len(params) != arity:
        raise InputError(f"the sort '{name}' takes {arity} parameters, found {len(params)}")


def fixed(name: str, sort: Sort) -> Maker:
    """Return a function that makes one sort and takes no parameters."""

    def maker(params: Sequence[Sort]) -> Sort:
        _count(name, 0, params)
        return sort

    return maker


def defined(name: str, parameters: tuple[str, ...], sort: Sort, sorts: SortTable) -> Maker:
    """Return a function that makes the sort that a `define-sort` names."""

    def maker(params: Sequence[Sort]) -> Sort:
        _count(name, len(parameters), params)
        return sorts.substitute(sort, dict(zip(parameters, params, strict=True)))

    return maker
