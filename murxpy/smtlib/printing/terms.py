"""Fills in the spellings of a dialect, and raises errors for terms that the dialect cannot express."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from operator import attrgetter

from murxpy.errors import InputError
from murxpy.logic.catalogue import Catalogue, Operator
from murxpy.logic.sorts import Datatype, Sort, SortTable
from murxpy.logic.terms import (
    CONSTANT,
    FUNCTION,
    SPECIAL,
    VALUE,
    VARIABLE,
    Term,
    TermTable,
    is_value,
)
from murxpy.logic.values import special_value, to_codes
from murxpy.logic.walks import bottom_up, subterms
from murxpy.smtlib.lexer import Symbols

# matches the name that a spelling applies, such as `bvadd` in `(bvadd {0} {1})`
APPLIED = re.compile(r"^\(?([a-z][\w.]*)")
_HOLE = re.compile(r"\{([^{}]+)\}")


class Unsayable(InputError):
    """The dialect has no spelling for an operator, sort or value."""


class OnlyDefined(Unsayable):
    """The dialect has no name for an operator, but an expression with the same meaning."""


def known(table: Mapping[str, str], kind: str, dialect: str) -> str:
    """Return the spelling of a kind in a table of the dialect. Raises Unsayable if the table has no
    spelling of this kind.
    """
    found = table.get(kind)
    if not found:
        raise Unsayable(f"{kind} has no name in SMT-LIB's dialect '{dialect}'")
    return found


def filled(spelling: str, holes: Mapping[str, str], sort: Sort) -> str:
    """Return a spelling with a text in place of each placeholder. `{p0}` stands for the first
    number of `sort`.
    """
    numbers = {f"p{k}": str(p) for k, p in enumerate(sort.params)}
    return _HOLE.sub(lambda found: {**numbers, **holes}[found[1]], spelling)


def arguments(texts: Sequence[str]) -> dict[str, str]:
    """Return the texts that the placeholders `{0}`, `{1}`, ... and `{*}` stand for."""
    return {"*": " ".join(texts), **{str(k): text for k, text in enumerate(texts)}}


def bits(conditions: Sequence[str]) -> str:
    """Return a bit-vector with these bits, of which the first is the lowest."""
    parts = [f"(ite {condition} #b1 #b0)" for condition in reversed(conditions)]
    return f"(concat {' '.join(parts)})" if len(parts) > 1 else parts[0]


def weighed(conditions: Sequence[str], weights: Sequence[int]) -> str:
    """Return a term for the sum of the weights of those conditions that are true."""
    parts = [
        f"(ite {condition} {weight} 0)"
        for condition, weight in zip(conditions, weights, strict=True)
    ]
    return f"(+ {' '.join(parts)})" if len(parts) > 1 else parts[0]


# ----------------------------------------------------------------------
# Printing sorts, and the declarations of datatypes.


class SortPrinter:
    """Prints sorts in a dialect, and chooses the symbols for everything that a script declares."""

    def __init__(self, catalogue: Catalogue, dialect: str) -> None:
        self.catalogue = catalogue
        self.words = catalogue.dialect(dialect)
        names = [op.smtlib for op in catalogue.operators.values()]
        names += [
            word for spelling in self.words.operators.values() for word in APPLIED.findall(spelling)
        ]
        self.symbols = Symbols([*names, *(sort.smtlib for sort in catalogue.sorts.values())])
        self._sorts: dict[Sort, str] = {}
        self._made = 0

    @property
    def dialect(self) -> str:
        """The name of the dialect."""
        return self.words.name

    def sort(self, sort: Sort) -> str:
        """Return the text of a sort. Raises Unsayable if the dialect does not have the sort."""
        found = self._sorts.get(sort)
        if found is None:
            found = self._sorts[sort] = self._sort(sort)
        return found

    def _sort(self, sort: Sort) -> str:
        self._check_there(sort.kind)
        inner = [self.sort(s) for s in sort.sorts()]
        if sort.kind == "SORT_DT":
            name = self.symbols.of(sort.datatype, sort.datatype.name)
            return f"({name} {' '.join(inner)})" if inner else name
        if sort.kind == "SORT_UNINTERPRETED":
            return self.symbols.of(sort, str(sort.params[0]))
        if sort.kind == "SORT_PARAM":
            return self.parameter(str(sort.params[0]))
        if sort.kind not in self.catalogue.sorts or self.catalogue.sorts[sort.kind].extension:
            key = sort.kind if sort.params else f"{sort.kind}/0"
            return filled(known(self.words.sorts, key, self.dialect), arguments(inner), sort)
        name = self.catalogue.sorts[sort.kind].smtlib
        if inner:
            return f"({name} {' '.join(inner)})"
        return f"(_ {name} {' '.join(map(str, sort.params))})" if sort.params else name

    def _check_there(self, kind: str) -> None:
        """Raise Unsayable for a sort or an operator of the standard that the solver does not have."""
        if kind in self.words.lacks:
            raise Unsayable(f"{kind} has no name in SMT-LIB's dialect '{self.dialect}'")

    def datatypes(self, block: list[Datatype]) -> str:
        """Return the declaration of a block of datatypes."""
        heads = " ".join(f"({self.symbols.of(d, d.name)} {len(d.params)})" for d in block)
        return f"(declare-datatypes ({heads}) ({' '.join(map(self._datatype, block))}))"

    def _datatype(self, datatype: Datatype) -> str:
        constructors = []
        for constructor in datatype.constructors:
            fields = [
                f" ({self.selector(datatype, name)} {self.sort(sort)})"
                for name, sort in constructor.fields
            ]
            constructors.append(
                f"({self.constructor(datatype, constructor.name)}{''.join(fields)})"
            )
        body = f"({' '.join(constructors)})"
        if not datatype.params:
            return body
        names = " ".join(self.parameter(name) for name in datatype.params)
        return f"(par ({names}) {body})"

    def parameter(self, name: str) -> str:
        """Return the symbol of a parameter of a datatype or of a defined sort."""
        # A name has one symbol throughout a script, since a parameter means something only in its
        # datatype.
        return self.symbols.of(("parameter", name), name)

    def constructor(self, datatype: Datatype, name: str) -> str:
        """Return the symbol of a constructor."""
        return self.symbols.of((datatype, "constructor", name), name)

    def selector(self, datatype: Datatype, name: str) -> str:
        """Return the symbol of a selector."""
        return self.symbols.of((datatype, "selector", name), name)

    def function(self, term: Term) -> str:
        """Return the symbol of a constant, function or variable."""
        return self.symbols.of(term, str(term.indices[0]))

    def variables(self, bound: tuple[Term, ...]) -> str:
        """Return the text of variables with their sorts, as it stands behind `forall (`."""
        return " ".join(f"({self.function(v)} {self.sort(v.sort)})" for v in bound)

    def fresh(self, letter: str) -> str:
        """Return a new symbol that the printer needs for itself, such as a name in a `let`."""
        self._made += 1
        return self.symbols.of(("let", self._made), f"{letter}{self._made}")


# ----------------------------------------------------------------------
# Printing literals and special values.


_QUOTIENT = re.compile(r"\(/ (\d+)\.0 (\d+)\.0\)")
_NUMBER = re.compile(r"[0-9.]+|\(- [0-9.]+\)|(\(- )?\(/ [0-9.]+ [0-9.]+\)\)?")


def literal(printer: SortPrinter, sort: Sort, value: object) -> str:
    """Return the text of a literal of a sort."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return f'"{to_codes(value)}"'
    if isinstance(value, Fraction):
        return _real(value)
    assert isinstance(value, int)
    if sort.kind == "SORT_INT":
        return str(value) if value >= 0 else f"(- {-value})"
    if sort.kind == "SORT_REAL":
        return _real(Fraction(value))
    if sort.kind == "SORT_FF":
        return f"(as ff{value} {printer.sort(sort)})"
    if sort.kind == "SORT_BV":
        return f"#b{value:0{sort.width}b}"
    bits = f"{value:0{sort.number(0) + sort.number(1)}b}"
    middle = 1 + sort.number(0)
    return f"(fp #b{bits[0]} #b{bits[1:middle]} #b{bits[middle:]})"


def special(printer: SortPrinter, term: Term) -> str:
    """Return the text of a special value such as `fp.nan`. Raises Unsayable if the dialect cannot
    say it.
    """
    name = str(term.indices[0])
    number = special_value(name, term.sort)
    if number is not None:
        return literal(printer, term.sort, number)
    spelling = known(printer.words.special_values, name, printer.dialect)
    return filled(spelling, {"sort": printer.sort(term.sort)}, term.sort)


def signed(text: str) -> str:
    """Return a number as a single literal. Some parsers recognize values by their syntax: for them
    `(- 5)` and `(/ 1.0 3.0)` are applications, and `-5` and `1/3` are values.
    """
    return (
        _QUOTIENT.sub(r"\1/\2", text).replace("(- ", "-").rstrip(")")
        if _NUMBER.fullmatch(text)
        else text
    )


def _real(value: Fraction) -> str:
    text = f"{abs(value.numerator)}.0"
    if value.denominator != 1:
        text = f"(/ {text} {value.denominator}.0)"
    return f"(- {text})" if value < 0 else text


# ----------------------------------------------------------------------
# Printing the operators of datatypes: constructors, selectors, testers, updaters and matches.


class DatatypePrinter(SortPrinter, ABC):
    """Prints terms of datatypes."""

    @abstractmethod
    def name(self, operator: Operator) -> str:
        """Return what the dialect calls an operator. Raises Unsayable if the dialect has no name for
        the operator.
        """

    @abstractmethod
    def scoped(self, body: Term) -> str:
        """Return the text of a term below a binder or in a case of a match. Such a term has `let`s
        of its own.
        """

    @abstractmethod
    def check_expanded(self, term: Term) -> None:
        """Raise OnlyDefined if the caller does not want this term printed by an expression with the
        same meaning.
        """

    def datatype_term(self, operator: Operator, term: Term, texts: Mapping[Term, str]) -> str:
        """Return the text of an application of an operator of datatypes. `texts` has the texts of
        its arguments.
        """
        kind = operator.kind
        if kind == "OP_DT_MATCH":
            return f"(match {texts[term.args[0]]} ({' '.join(map(self._case, term.args[1:]))}))"
        args = [texts[a] for a in term.args]
        if kind == "OP_DT_APPLY_CONS":
            head = self._head(term.sort, str(term.indices[0]))
            return f"({head} {' '.join(args)})" if args else head
        datatype = term.args[0].sort.datatype
        if kind == "OP_DT_APPLY_TESTER":
            if self.words.testers == "match" and datatype.params:
                self.check_expanded(term)  # a match stands for the tester then
            return self._tested(term.args[0].sort, str(term.indices[0]), args[0])
        if kind == "OP_DT_APPLY_SEL":
            return f"({self.selector(datatype, str(term.indices[1]))} {args[0]})"
        spelling = self.name(operator)
        if "{rebuilt}" in spelling and args[0].startswith("("):
            name = self.fresh("l")
            return f"(let (({name} {args[0]})) {self._updated(spelling, term, [name, args[1]])})"
        return self._updated(spelling, term, args)

    def _head(self, sort: Sort, name: str) -> str:
        """Return the text of a constructor where it is applied. If the datatype has parameters, it
        is followed by its sort.
        """
        head = self.constructor(sort.datatype, name)
        return f"(as {head} {self.sort(sort)})" if sort.sorts() else head

    def _tested(self, sort: Sort, name: str, arg: str) -> str:
        """Return a formula that says whether `arg` was made with a constructor. If the datatype has
        parameters, the standard's text is a match, because solvers disagree about testers there.
        """
        if self.words.testers != "match" or not sort.sorts():
            return f"((_ is {self._ranked(sort, name)}) {arg})"
        fields = next(c.fields for c in sort.datatype.constructors if c.name == name)
        head = self.constructor(sort.datatype, name)
        pattern = f"({head} {' '.join(self.fresh('x') for _ in fields)})" if fields else head
        others = f" ({self.fresh('x')} false)" if len(sort.datatype.constructors) > 1 else ""
        return f"(match {arg} (({pattern} true){others}))"

    def _ranked(self, sort: Sort, name: str) -> str:
        """Return the text of a constructor in a tester. If a dialect has ranked testers, each
        instance of a parametric datatype has its own constructor of this name, and the rank says
        which one is meant.
        """
        head = self.constructor(sort.datatype, name)
        if self.words.testers != "ranked" or not sort.sorts():
            return head
        constructor = next(c for c in sort.datatype.constructors if c.name == name)
        fields = [self.sort(field) for field in SortTable().field_sorts(sort, constructor)]
        return f"({head} ({' '.join(fields)}) {self.sort(sort)})"

    def _updated(self, spelling: str, term: Term, args: list[str]) -> str:
        """Return the text of a value of a datatype in which one field of a constructor has another
        value.
        """
        datatype, (constructor, changed) = term.sort.datatype, term.indices
        declared = next(c for c in datatype.constructors if c.name == constructor)
        made = self._head(term.sort, str(constructor))
        fields = [
            args[1] if name == changed else f"({self.selector(datatype, name)} {args[0]})"
            for name, _ in declared.fields
        ]
        selector = self.selector(datatype, str(changed))
        if self.words.testers == "ranked" and term.sort.sorts():
            selector = f"({selector} ({self.sort(term.sort)}) {self.sort(term.args[1].sort)})"
        holes = {
            "tested": self._tested(term.sort, str(constructor), args[0]),
            "selector": selector,
            "rebuilt": f"({made} {' '.join(fields)})",
        }
        return filled(spelling, holes | arguments(args), term.sort)

    def _case(self, case: Term) -> str:
        names = [self.function(v) for v in case.args[:-1]]
        body = case.args[-1]
        if not case.indices:
            return f"({names[0]} {self.scoped(body)})"
        constructor = self.constructor(case.sort.sort(0).datatype, str(case.indices[0]))
        pattern = f"({constructor} {' '.join(names)})" if names else constructor
        return f"({pattern} {self.scoped(body)})"


# ----------------------------------------------------------------------
# Prints terms of `logic/` as SMT-LIB 2.7 in a dialect. A subterm that occurs several times is
# printed once in a `let`, unless a binder stands between its occurrences.


# a term of this height gets a name even if it occurs once, so that no text nests too deeply
_HIGH = 200
# deeper binders are printed from the inside out, so that their depth is no depth of calls
_NESTED = 40
_MOST_FACTORS = 64  # a power with a greater exponent is not printed as a product
_SORT_HOLE = re.compile(r"\{(sort|elem|width)(\d)\}")


def _always(term: Term) -> bool:
    return True


class Printer(DatatypePrinter):
    """Prints the sorts and terms of one script in a dialect of the catalogue.

    If the dialect has no name for an operator, but an expression with the same meaning, the
    expression is printed. `expand` says of each such term whether that is allowed.
    """

    def __init__(
        self, catalogue: Catalogue, dialect: str, expand: Callable[[Term], bool] = _always
    ) -> None:
        super().__init__(catalogue, dialect)
        self._expand = expand
        self.formulas = False  # whether operators may be printed by what formulas have for them
        self._opened: dict[tuple[str, Sort], Term] = {}
        self._nesting = 0
        self._bodies: dict[Term, str] = {}
        self._binders = frozenset(
            op.kind
            for op in catalogue.operators.values()
            if op.signature.binder and op.typing is None
        )

    def term(self, root: Term) -> str:
        """Return the text of a term, with its shared subterms in `let`s. Raises Unsayable."""
        order, uses = _scope(root, self.inside)
        texts: dict[Term, str] = {}
        levels: dict[Term, int] = {}
        heights: dict[Term, int] = {}
        lets: list[list[str]] = []
        for term in order:
            parts = self.inside(term)
            texts.update(self.known(term))
            level = max((levels[t] for t in parts), default=0)
            height = heights[term] = 1 + max((heights[t] for t in parts), default=0)
            text = self._apply(term, texts)
            for part in parts:
                if uses[part] == 1:
                    # The text of the subterm is not needed any more. The texts of all subterms
                    # together would be quadratic in the size of a deep term.
                    texts[part] = ""
            named = uses[term] > 1 or height >= _HIGH
            if named and term.args and term.op != FUNCTION and term.sort.kind != "SORT_CASE":
                if len(lets) == level:
                    lets.append([])
                name = self.fresh("l")
                lets[level].append(f"({name} {text})")
                text, level, heights[term] = name, level + 1, 0
            texts[term], levels[term] = text, level
        opened = "".join(f"(let ({' '.join(bindings)}) " for bindings in lets)
        return f"{opened}{texts[root]}{')' * len(lets)}"

    def inside(self, term: Term) -> Sequence[Term]:
        """Return the parts of a term that are printed in the same scope and have no text yet."""
        return inside(term, self._binders)

    def known(self, term: Term) -> Mapping[Term, str]:
        """Return texts of parts that are known already. A subclass may know some; here there are
        none.
        """
        return {}

    def _apply(self, term: Term, texts: dict[Term, str]) -> str:
        if term.op in (CONSTANT, FUNCTION, VARIABLE):
            return self.function(term)
        if term.op == VALUE:
            return literal(self, term.sort, term.indices[0])
        if term.op == SPECIAL:
            return special(self, term)
        operator = self.catalogue.operators[term.op]
        if term.op in self.words.expanded:
            self.check_expanded(term)
        if operator.typing is not None:
            return self.datatype_term(operator, term, texts)
        if operator.signature.binder:
            return self._binder(operator, term)
        if term.op == "OP_UF_APPLY":
            return self._application(term, texts)
        args = [texts[a] for a in term.args]
        if term.op == "OP_CONST_ARRAY":
            args = [self._element(term.args[0], args[0])]
        return self._operator(operator, term, args)

    def check_expanded(self, term: Term) -> None:
        if not self._expand(term):
            raise OnlyDefined(f"{term.op} has no name in SMT-LIB's dialect '{self.dialect}'")

    def _operator(self, operator: Operator, term: Term, args: list[str]) -> str:
        if operator.by_bits:
            return self._by_bits(operator.by_bits, term, args[0])
        name = self.name(operator)
        if (
            operator.kind == "OP_FP_FP"
            and not self.words.fp_of_one_bit
            and term.sort.number(1) == 2
        ):
            self.check_expanded(term)
            # cvc5's `fp` does not take a fraction of one bit unless it is a literal
            name = "((_ to_fp {p0} {p1}) (concat {*}))"
        if not args:
            name = self.words.operators.get(f"{operator.kind}/0", name)
        if (
            name.startswith("(")
            and "{*}" not in name
            and len(args) > 2
            and operator.signature.attribute == "left-assoc"
        ):
            return self._operator(
                operator, term, [self._operator(operator, term, args[:-1]), args[-1]]
            )
        if name[0] in "({":
            return self._expression(name, term, args)
        if operator.binary and len(args) > 2:
            return f"(and {' '.join(f'({name} {a} {b})' for a, b in pairwise(args))})"
        head = f"(_ {name} {' '.join(map(str, term.indices))})" if term.indices else name
        return f"({head} {' '.join(args)})" if args else head

    def _expression(self, spelling: str, term: Term, args: list[str]) -> str:
        """Return an application whose spelling is an expression. An argument that stands in it
        twice is printed once, in a `let`.
        """
        lets = ""
        for at, text in enumerate(args):
            often = spelling.count(f"{{{at}}}") > 1 or (at == 0 and "{product}" in spelling)
            if often and text.startswith("("):
                args[at] = self.fresh("l")
                lets += f"({args[at]} {text})"
        holes = arguments(args) | {f"i{k}": str(i) for k, i in enumerate(term.indices)}
        for hole, at in _SORT_HOLE.findall(spelling):
            sort = term.args[int(at)].sort
            holes[f"{hole}{at}"] = (
                str(sort.width)
                if hole == "width"
                else self.sort(sort if hole == "sort" else sort.sort(0))
            )
        if "{sort}" in spelling:
            holes["sort"] = self.sort(term.sort)
        if "{bits}" in spelling:
            holes["bits"] = bits(args)
        if "{product}" in spelling:
            holes["product"] = self._product(term, args[0])
        if "{open}" in spelling:
            holes["open"] = self.function(self.opened(term))
        if "{count}" in spelling:
            holes["count"] = weighed(args, [1] * len(args))
        if "{weighed}" in spelling:
            holes["weighed"] = weighed(args, list(term.indices[1:]))
        text = filled(spelling, holes, term.sort)
        return f"(let ({lets}) {text})" if lets else text

    def _product(self, term: Term, base: str) -> str:
        """Return a power whose exponent is a literal as a product. Raises Unsayable for any other
        power, also for one whose exponent is not positive, because 0 to 0 may be any number.
        """
        exponent = term.args[1].indices[0] if term.args[1].op == VALUE else 0
        if not 0 < exponent <= _MOST_FACTORS or exponent != int(exponent):
            raise Unsayable(f"{term.op} has no name in SMT-LIB's dialect '{self.dialect}'")
        factors = [base] * int(exponent)
        return f"(* {' '.join(factors)})" if len(factors) > 1 else base

    def opens(self, term: Term) -> bool:
        """Return whether the text of an application has a function of its own: one that gives the
        values of an operator at those points at which they are open.
        """
        operator = self.catalogue.operators.get(term.op)
        spelled = operator is not None and "{open}" in operator.in_formulas
        return spelled and self.formulas and term.op not in self.words.says

    def opened(self, term: Term) -> Term:
        """Return the function that gives the values of an operator at its open points, for the first
        argument. Who prints the term must declare this function.
        """
        key = term.op, term.sort
        if key not in self._opened:
            sort = SortTable().get("SORT_FUN", term.args[0].sort, term.sort)
            name = f"{self.catalogue.operators[term.op].smtlib}!0"
            self._opened[key] = TermTable().leaf(CONSTANT, (name,), sort)
        return self._opened[key]

    def _element(self, term: Term, text: str) -> str:
        """Return the text of the element of a constant array. Raises Unsayable if the dialect does
        not take such an element.
        """
        taken = self.words.constant_arrays
        if taken == "any":
            return text
        if taken == "values" and term.op == VALUE:
            return signed(text)
        if not is_value(term) or (taken == "literals" and signed(text) != text):
            raise Unsayable(
                f"a constant array of {text[:40]} has no name in SMT-LIB's dialect '{self.dialect}'"
            )
        return text

    def _by_bits(self, name: str, term: Term, arg: str) -> str:
        """Return the operator `name` applied to all bits of an argument."""
        width = term.args[0].sort.width
        if width == 1:
            return arg
        whole = self.fresh("l")
        bits = " ".join(f"((_ extract {k} {k}) {whole})" for k in range(width))
        return f"(let (({whole} {arg})) ({name} {bits}))"

    def name(self, operator: Operator) -> str:
        """Return what the dialect calls an operator. Raises Unsayable."""
        kind, spelled = operator.kind, self.words.operators
        self._check_there(kind)
        if not operator.extension:
            return spelled.get(kind) or operator.smtlib
        if kind in self.words.same:
            return operator.smtlib
        if self.formulas and operator.in_formulas and kind not in spelled:
            return operator.in_formulas
        return known(spelled, kind, self.dialect)

    def _application(self, term: Term, texts: dict[Term, str]) -> str:
        function, args = term.args[0], [texts[a] for a in term.args]
        if function.op in (CONSTANT, FUNCTION) or (
            function.op == VARIABLE and (self.words.variables_apply or len(args) == 2)
        ):
            return f"({' '.join(args)})"
        spelling = self.words.operators.get(term.op)
        if spelling is None:
            raise Unsayable(
                f"the application of a function that has no symbol has no name in SMT-LIB's dialect '{self.dialect}'"
            )
        return filled(spelling, arguments(args), term.sort)

    def scoped(self, body: Term) -> str:
        """Return the text of a term below a binder or in a case of a match. Such a term has `let`s
        of its own.
        """
        found = self._bodies.pop(body, None)
        if found is not None:
            return found
        if self._nesting >= _NESTED:
            self._prepare(body)
        self._nesting += 1
        text = self.term(body)
        self._nesting -= 1
        return text

    def _prepare(self, root: Term) -> None:
        """Print all terms that stand in scopes below `root`, the innermost first. The depth of
        binders is therefore never a depth of calls.
        """
        found: dict[Term, None] = {}
        for term in subterms([root]):
            if term.op in self._binders or term.sort.kind == "SORT_CASE":
                found.update(dict.fromkeys(a for a in term.args if a.op != VARIABLE))
        # a term is made later than its parts, so this order has the innermost first
        for body in sorted(found, key=attrgetter("serial")):
            self._bodies[body] = self.term(body)

    def _binder(self, operator: Operator, term: Term) -> str:
        if self.words.sets_are_arrays and operator.kind == "OP_SET_COMPREHENSION":
            return self._comprehension(term)
        name = self.name(operator)
        behind = len(operator.signature.args) - 1
        bound, rest = term.args[: len(term.args) - behind], term.args[len(term.args) - behind :]
        body = self.scoped(rest[0])
        if operator.kind.endswith("_PATTERN"):
            body = f"(! {body} :pattern ({self.scoped(rest[1])}))"
        elif len(rest) > 1:
            body = f"{body} {self.scoped(rest[1])}"
        return f"({name} ({self.variables(bound)}) {body})"

    def _comprehension(self, term: Term) -> str:
        """Return the text of a set comprehension in a dialect whose sets are arrays."""
        bound, condition, member = term.args[:-2], term.args[-2], term.args[-1]
        if bound == (member,):
            return f"(lambda ({self.variables(bound)}) {self.scoped(condition)})"
        name = self.fresh("x")
        body = f"(and {self.scoped(condition)} (= {name} {self.scoped(member)}))"
        return f"(lambda (({name} {self.sort(member.sort)})) (exists ({self.variables(bound)}) {body}))"


def _scope(
    root: Term, inside: Callable[[Term], Sequence[Term]]
) -> tuple[list[Term], dict[Term, int]]:
    """Return the terms that are printed in the scope of `root`, arguments first, and how often each
    of them is used there.
    """
    order: dict[Term, None] = {}
    for term in bottom_up(root, order, lambda term: reversed(inside(term))):
        order[term] = None
    uses = Counter(part for term in order for part in inside(term))
    uses[root] = 1
    return list(order), uses


def inside(term: Term, binders: frozenset[str]) -> tuple[Term, ...]:
    """Return the arguments that are printed in the scope of `term`. A binder has none, since its
    body is a scope of its own; of a match it is the matched term only.
    """
    if term.op in binders or term.op == FUNCTION:
        return ()
    return term.args[:1] if term.op == "OP_DT_MATCH" else term.args
