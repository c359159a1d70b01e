"""Reads literals of scripts: those of SMT-LIB 2.7, section 3.1, and those of the theories of
bit-vectors, fields and strings.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction

from murxpy.errors import InputError
from murxpy.logic.sorts import MAX_WIDTH, Sort, probably_prime
from murxpy.logic.terms import Term
from murxpy.logic.values import (
    MAX_CODE_POINT,
    MAX_DIGITS,
    convertible,
    decimal,
    from_escapes,
)
from murxpy.smtlib.building import Tables
from murxpy.smtlib.lexer import is_numeral, key, refuse, symbol, unknown
from murxpy.smtlib.reading.applying import SUGARED
from murxpy.smtlib.reading.applying import as_array as lambda_as_array
from murxpy.smtlib.reading.heads import (
    ApplyHead,
    ConstArrayHead,
    ConstructorHead,
    FieldHead,
    FunctionHead,
    Head,
    OverloadedHead,
    TermContext,
    TheoryHead,
)

# cvc5 prints numbers with a sign, and quotients; z3 takes `2.` for `2.0`
_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]*|/[1-9][0-9]*)?")
_FIELD = re.compile(r"#f(-?[0-9]+)m([0-9]+)")
_FF = re.compile(r"ff(-?[0-9]+)")


def literal(tables: Tables, token: str, reals: bool) -> Term | None:
    """Return the literal that a token is, or None if it is no literal. `reals` says that numerals
    are reals. Raises InputError.
    """
    reader = _READERS.get(token[0])
    if reader is not None:
        return reader(tables, token)
    found = _NUMBER.fullmatch(token) if token[0] in "-0123456789" and token.isascii() else None
    if found is None:
        return None
    if len(token) > MAX_DIGITS:
        raise InputError(f"a number of {len(token)} digits, expected {MAX_DIGITS} at most")
    if found[1] is not None:
        return tables.value(tables.real, Fraction(convertible(token)))
    return tables.value(tables.real if reals else tables.int, decimal(token))


def _string(tables: Tables, token: str) -> Term:
    text = from_escapes(token[1:-1].replace('""', '"'))
    if text and max(text) > chr(MAX_CODE_POINT):
        raise InputError(
            f"a string with the character U+{ord(max(text)):X}, expected U+{MAX_CODE_POINT:X} at most"
        )
    return tables.value(tables.string, text)


def _sharp(tables: Tables, token: str) -> Term:
    field = _FIELD.fullmatch(token)
    if field is not None and len(token) < MAX_DIGITS:
        order = decimal(field[2])
        if not probably_prime(order):
            raise InputError(f"expected a prime as the order of a field, found {field[2][:40]}")
        return tables.value(tables.sort("SORT_FF", order), decimal(field[1]) % order)
    base, digits = {"#b": (2, 1), "#x": (16, 4)}.get(token[:2], (0, 0))
    width = digits * (len(token) - 2)
    if not base or not 0 < width <= MAX_WIDTH or "_" in token:
        raise InputError(f"expected a literal such as #b01 or #x0f, found '{token[:60]}'")
    try:
        return bit_vector(tables, int(token[2:], base), width)
    except ValueError:
        raise InputError(f"expected digits of base {base}, found '{token[:60]}'") from None


def bit_vector(tables: Tables, value: int, width: int) -> Term:
    """Return a literal of a bit-vector. Raises InputError if the number does not fit."""
    if not 0 < width <= MAX_WIDTH or value.bit_length() > width:
        raise InputError(
            f"expected a width that holds {str(value)[:40]}, 1 to {MAX_WIDTH}; found {str(width)[:40]}"
        )
    return tables.value(tables.sort("SORT_BV", width), value)


def field_element(tables: Tables, token: str, order: int) -> Term | None:
    """Return the element of a field that `ffN` stands for, or None if the token is something else."""
    found = _FF.fullmatch(token) if len(token) < MAX_DIGITS else None
    return tables.value(tables.sort("SORT_FF", order), decimal(found[1]) % order) if found else None


_READERS: dict[str, Callable[[Tables, str], Term]] = {'"': _string, "#": _sharp}


# ----------------------------------------------------------------------
# Reads z3's arrays that are made of functions: `((_ map f) a b)` and `(_ as-array f)`.


_ON_SETS = {"or": "set.union", "and": "set.inter", "not": "set.complement"}


class MapHead(Head):
    """`(_ map f)` for a function or an operator of a theory. The result is an array that is made by
    a lambda.
    """

    def __init__(self, token: str) -> None:
        super().__init__()
        self.token = token

    def close(self, reader: TermContext, args: list[Term]) -> Term:
        args = [lambda_as_array(reader.tables, a) for a in args]
        function = reader.scope.atoms.get(key(self.token))
        if function is not None and function.sort.kind == "SORT_FUN" and len(args) in (1, 2):
            return reader.tables.apply(
                "OP_ARRAY_MAP" if len(args) == 1 else "OP_ARRAY_MAP2", function, *args
            )
        if args and all(a.sort.kind == "SORT_SET" for a in args) and self.token in _ON_SETS:
            return reader.apply(_ON_SETS[self.token], args)
        if not args or any(
            a.sort.kind != "SORT_ARRAY" or a.sort.params[0] is not args[0].sort.params[0]
            for a in args
        ):
            raise InputError(
                f"'map' takes arrays with the same indices, found ({', '.join(str(a.sort) for a in args)})"
            )
        variable = reader.tables.variable("x", args[0].sort.sort(0))
        head = reader.head_of(self.token)
        body = head.close(
            reader,
            [*head.first, *(reader.tables.apply("OP_ARRAY_SELECT", a, variable) for a in args)],
        )
        if body is None:
            raise InputError(f"cannot map '{self.token}'")
        return reader.tables.apply("OP_ARRAY_LAMBDA", variable, body)


def as_array(reader: TermContext, token: str) -> Term:
    """Return a function of one argument as an array."""
    head = reader.head_of(token)
    if not isinstance(head, FunctionHead) or len(head.function.sort.params) != 2:
        raise InputError(f"expected a function of one argument, found '{token[:60]}'")
    variable = reader.tables.variable("x", head.function.sort.sort(0))
    return reader.tables.apply(
        "OP_ARRAY_LAMBDA", variable, head.close(reader, [head.function, variable])
    )


# ----------------------------------------------------------------------
# Reads identifiers with indices or with a sort, such as `(_ extract 3 0)`, `(_ bv5 8)`, `(_ is
# cons)` and `(as nil (List Int))`: SMT-LIB 2.7, section 3.3.


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
        special = words.special.get(name, ("",))[0]
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
        """Read what follows `(_` or `(as`, up to the parenthesis, and return the term. Return None if
        the text is an application such as `(_ f t)`. Raises InputError.
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
        refuse(token)
        numbers = self._numbers(token)
        special = self.reader.words.special.get(token, ("",))[0]
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
        values = reader.tables.catalogue.sorts[sort.kind].special
        for special in reader.words.special.get(token, ()):
            if special in values:
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
            refuse(token)
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
            return self._updater(source.next("a selector"))
        if token == "map":
            return MapHead(self._mapped())
        if token == "nullable.lift":
            return self._lifted(self._last(source.symbol("a function")))
        return self._indexed(token)

    def _indexed(self, token: str) -> TheoryHead:
        refuse(token)
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
            token = self._ranked("a constructor")
        return self._declared(self._last(token), "is-", "constructor")

    def _updater(self, token: str) -> Head:
        """Read `(_ update s)`, or `(_ update-field (s ((D ...)) S))` of z3, whose rank says which instance
        of a datatype with parameters is meant.
        """
        if token == "(":
            token = self._ranked("a selector")
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
        return self._last(self._ranked("a function") if token == "(" else token)

    def _ranked(self, what: str) -> str:
        """Read a symbol and its rank, up to the parenthesis behind the rank. Return the symbol."""
        source = self.reader.source
        token = source.symbol(what)
        while source.raw():
            pass
        return self._last(token)
