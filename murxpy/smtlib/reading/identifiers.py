"""Reads identifiers with indices or with a sort, such as `(_ extract 3 0)`, `(_ bv5 8)`, `(_ is
cons)` and `(as nil (List Int))`: SMT-LIB 2.7, section 3.3.
"""

from __future__ import annotations

import re

from murxpy.errors import InputError
from murxpy.logic.sorts import Sort
from murxpy.logic.terms import Term
from murxpy.logic.values import MAX_CODE_POINT, MAX_DIGITS
from murxpy.smtlib.reading.context import Head, TermContext
from murxpy.smtlib.reading.heads import (
    ApplyHead,
    ConstArrayHead,
    ConstructorHead,
    FieldHead,
    OverloadedHead,
    TheoryHead,
)
from murxpy.smtlib.reading.literals import bit_vector, decimal, field_element
from murxpy.smtlib.reading.maps import MapHead, as_array
from murxpy.smtlib.reading.sugar import SUGARED
from murxpy.smtlib.syntax.lexer import is_numeral, key, symbol
from murxpy.smtlib.syntax.source import unknown

_CHARACTER = re.compile(r"#x[0-9a-fA-F]{1,5}")


class Identifiers:
    """Reads identifiers. A head that was read once is kept, with what it remembers of the sorts of
    arguments.
    """

    def __init__(self, reader: TermContext) -> None:
        self.reader = reader
        self._heads: dict[tuple[str, tuple[int, ...]], TheoryHead] = {}

    # -- plain symbols of theories

    def nullary(self, name: str) -> Term | None:
        """Return the term that a name of a theory is without arguments, such as `re.all` and `RNE`,
        or None if it is none.
        """
        tables, words = self.reader.tables, self.reader.words
        special = words.special.get(name, "")
        if special.startswith("rm."):
            return tables.special(tables.sort("SORT_RM"), special)
        if special == "seq.empty":
            return self.reader.applier.empty()
        for operator in words.operators.get(name, ()):
            if operator.minimum == 0 and not operator.signature.indices and name != "tuple":
                return tables.apply(operator.kind)
        return None

    # -- terms

    def term(self, word: str) -> Term | None:
        """Read what follows `(_` or `(as`, up to the parenthesis, and return the term. Return None
        if it is an application such as `(_ f t)`. Raises InputError.
        """
        if word == "as":
            return self._qualified_term()
        if self._applies():
            self.reader.go_on(ApplyHead(), [])
            return None
        source = self.reader.source
        token = source.symbol("an identifier")
        if token == "char":
            return self._character()
        if token == "as-array":
            return as_array(self.reader, self._last(source.symbol("a function")))
        numbers = self._numbers(token)
        special = self.reader.words.special.get(token, "")
        if special.startswith("fp.") and len(numbers) == 2 and min(numbers) >= 2:
            return self.reader.tables.special(self.reader.tables.sort("SORT_FP", *numbers), special)
        if (
            token.startswith("bv")
            and is_numeral(token[2:])
            and len(token) <= MAX_DIGITS
            and len(numbers) == 1
        ):
            return bit_vector(self.reader.tables, decimal(token[2:]), numbers[0])
        raise InputError(f"no constant (_ {token[:60]} {' '.join(map(str, numbers))[:60]})")

    def _applies(self) -> bool:
        """Return whether a term comes next, which means that `_` applies a function."""
        token = self.reader.source.peek()
        if token == "(":
            return True
        term = self.reader.scope.atoms.get(key(token)) if token else None
        return term is not None and term.sort.kind == "SORT_FUN"

    def _last(self, token: str) -> str:
        self.reader.source.take(")", f"behind '{token[:60]}'")
        return token

    def _character(self) -> Term:
        token = self._last(self.reader.source.next("a character such as #x41"))
        code = int(token[2:], 16) if _CHARACTER.fullmatch(token) else MAX_CODE_POINT + 1
        if code > MAX_CODE_POINT:
            raise InputError(f"expected a character such as #x41, found '{token[:40]}'")
        return self.reader.tables.value(self.reader.tables.string, chr(code))

    def _numbers(self, token: str) -> tuple[int, ...]:
        """Read the indices up to the parenthesis."""
        source, numbers = self.reader.source, []
        while not source.skip(")"):
            numbers.append(source.numeral(f"a number as an index of '{token[:60]}'"))
        return tuple(numbers)

    def _qualified_term(self) -> Term:
        reader, source = self.reader, self.reader.source
        token = source.symbol("a symbol")
        sort = reader.sorts.read()
        self._last(token)
        special = reader.words.special.get(token)
        if special is not None and special in reader.tables.catalogue.sorts[sort.kind].special:
            return reader.tables.special(sort, special)
        if sort.kind == "SORT_FF" and token.startswith("ff"):
            element = field_element(reader.tables, token, sort.width)
            if element is not None:
                return element
        if (
            reader.elements is not None
            and sort.kind == "SORT_UNINTERPRETED"
            and key(token) not in reader.scope.atoms
        ):
            return reader.elements(token, sort)
        head = self._with_sort(token, sort)
        term = (
            head.close(reader, [])
            if isinstance(head, ConstructorHead)
            else reader.scope.atoms.get(key(token))
        )
        if term is None or term.sort is not sort:
            raise InputError(f"no constant '{symbol(token)[:60]}' of sort {sort}")
        return term

    # -- heads

    def head(self, word: str) -> Head | None:
        """Read what follows `((_` or `((as`, up to its parenthesis, and return the head. Return
        None if a function is applied. Raises InputError.
        """
        reader, source = self.reader, self.reader.source
        if word == "as":
            token = source.symbol("a symbol")
            sort = reader.sorts.read()
            self._last(token)
            return (
                ConstArrayHead(sort)
                if token == "const"
                else self._with_sort(token, sort) or reader.head_of(token)
            )
        if self._applies():
            return None
        token = source.symbol("an identifier")
        if token == "is":
            return self._tester(source.next("a constructor"))
        if token in ("update", "update-field"):
            return self._updater(source.symbol("a selector"))
        if token == "map":
            return MapHead(self._mapped())
        if token == "nullable.lift":
            return self._lifted(self._last(source.symbol("a function")))
        return self._indexed(token)

    def _indexed(self, token: str) -> TheoryHead:
        numbers = self._numbers(token)
        head = self._heads.get((token, numbers))
        if head is None:
            operators = tuple(
                op for op in self.reader.words.operators.get(token, ()) if op.signature.indices
            )
            if not operators and token not in SUGARED:
                known = self.reader.words.operators.items()
                raise unknown(
                    token,
                    "indexed operator",
                    [name for name, ops in known if any(op.signature.indices for op in ops)],
                )
            head = self._heads[token, numbers] = TheoryHead(token, operators, numbers)
        return head

    def _with_sort(self, token: str, sort: Sort) -> ConstructorHead | None:
        """Return a constructor with the sort of its result."""
        constructor = sort.datatype.constructor(symbol(token)) if sort.kind == "SORT_DT" else None
        return (
            ConstructorHead(sort.datatype, constructor, sort) if constructor is not None else None
        )

    def _tester(self, token: str) -> Head:
        """Read `(_ is C)`, or `(_ is (C (S ...) D))` of z3."""
        if token == "(":
            token = self.reader.source.symbol("a constructor")
            while self.reader.source.raw():
                pass
            self._last(token)
        return self._declared(self._last(token), "is-", "constructor")

    def _updater(self, token: str) -> Head:
        selector = self._declared(self._last(token), "", "selector")
        heads = selector.heads if isinstance(selector, OverloadedHead) else [selector]
        updaters: list[Head] = [
            FieldHead("OP_DT_APPLY_UPDATER", h.datatype, h.indices)
            for h in heads
            if isinstance(h, FieldHead)
        ]
        return updaters[0] if len(updaters) == 1 else OverloadedHead(updaters)

    def _declared(self, token: str, prefix: str, what: str) -> Head:
        table = self.reader.scope.fields
        head = table.get(prefix + symbol(token))
        if head is None:
            raise unknown(
                token,
                what,
                [name.removeprefix(prefix) for name in table if name.startswith(prefix)],
            )
        return head

    def _lifted(self, token: str) -> Head:
        """Read `(_ nullable.lift f)` of cvc5. The function becomes the first argument."""
        function = self.reader.scope.atoms.get(key(token))
        if function is None or function.sort.kind != "SORT_FUN":
            raise InputError(f"expected a function, found '{token[:60]}'")
        head = TheoryHead("nullable.lift", self.reader.words.operators["nullable.lift"])
        head.first = [function]
        return head

    def _mapped(self) -> str:
        """Read the function of `(_ map f)` or of `(_ map (f (S ...) S))`."""
        source = self.reader.source
        token = source.next("a function")
        if token == "(":
            token = source.symbol("a function")
            while source.raw():
                pass
            self._last(token)
        return self._last(token)
