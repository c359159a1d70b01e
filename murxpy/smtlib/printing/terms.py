"""Printing sorts and terms of `logic/` as SMT-LIB 2.7 in a dialect. Shared subterms become `let`s,
never across binders.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from operator import attrgetter

from murxpy.errors import InputError
from murxpy.logic.catalogue import Catalogue, Operator
from murxpy.logic.sorts import Datatype, Sort, SortTable
from murxpy.logic.terms import CONSTANT, FUNCTION, SPECIAL, VALUE, VARIABLE, Term, is_value
from murxpy.logic.values import special_value, to_codes
from murxpy.smtlib.dialects import (
    BINARY,
    SAME,
    SORTS,
    SPELLED,
    STANDARD_SORTS,
    STANDARD_SPECIAL,
    expanded,
)
from murxpy.smtlib.dialects import SPECIAL as SPECIAL_NAMES
from murxpy.smtlib.syntax.symbols import Symbols

_HIGH = 200  # a term that high gets a name of its own, shared or not
_NESTED = 40  # binders in binders, printed one inside the other
_SORT_HOLE = re.compile(r"\{(sort|elem|width)(\d)\}")
_HOLE = re.compile(r"\{([^{}]+)\}")
_WORD = re.compile(r"^\(?([a-z][\w.]*)")  # what a spelling applies
_QUOTIENT = re.compile(r"\(/ (\d+)\.0 (\d+)\.0\)")
_NUMBER = re.compile(r"[0-9.]+|\(- [0-9.]+\)|(\(- )?\(/ [0-9.]+ [0-9.]+\)\)?")


class Unsayable(InputError):
    """Something that the dialect has no words for."""


class OnlyDefined(Unsayable):
    """An operator that the dialect has no name for, but an expression that says the same."""


def _always(term: Term) -> bool:
    return True


class Printer:
    """Prints the sorts and terms of one script; `dialect` is one of `dialects.DIALECTS`.

    An operator that has no name there, but a definition in terms of others, is printed by that
    where `expand` allows it for the term.
    """

    def __init__(
        self, catalogue: Catalogue, dialect: str, expand: Callable[[Term], bool] = _always
    ) -> None:
        self.catalogue = catalogue
        self._expand = expand
        self.dialect = dialect
        names = [op.smtlib for op in catalogue.operators.values()]
        names += [
            word for spelling in SPELLED[dialect].values() for word in _WORD.findall(spelling)
        ]
        self.symbols = Symbols([*names, *(sort.smtlib for sort in catalogue.sorts.values())])
        self._sorts: dict[Sort, str] = {}
        self._lets = 0
        self._nesting = 0
        self._bodies: dict[Term, str] = {}
        self._binders = frozenset(
            op.kind
            for op in catalogue.operators.values()
            if op.signature.binder and op.typing is None
        )

    # -- sorts

    def sort(self, sort: Sort) -> str:
        """A sort. Raises Unsayable where the dialect has none such."""
        known = self._sorts.get(sort)
        if known is None:
            known = self._sorts[sort] = self._sort(sort)
        return known

    def _sort(self, sort: Sort) -> str:
        inner = [self.sort(s) for s in sort.sorts()]
        if sort.kind == "SORT_DT":
            name = self.symbols.of(sort.datatype, sort.datatype.name)
            return f"({name} {' '.join(inner)})" if inner else name
        if sort.kind == "SORT_UNINTERPRETED":
            return self.symbols.of(sort, str(sort.params[0]))
        if sort.kind == "SORT_PARAM":
            return self.parameter(str(sort.params[0]))
        if sort.kind not in STANDARD_SORTS:
            if not sort.params:
                return self._known(SORTS[self.dialect], f"{sort.kind}/0")
            return _filled(
                self._known(SORTS[self.dialect], sort.kind),
                {"*": " ".join(inner), **_numbered(inner)},
                sort,
            )
        name = self.catalogue.sorts[sort.kind].smtlib
        if inner:
            return f"({name} {' '.join(inner)})"
        return f"(_ {name} {' '.join(map(str, sort.params))})" if sort.params else name

    def _known(self, table: dict[str, str], kind: str) -> str:
        found = table.get(kind)
        if not found:
            raise Unsayable(f"{kind} has no name in SMT-LIB's dialect '{self.dialect}'")
        return found

    def datatypes(self, block: list[Datatype]) -> str:
        """The declaration of a block of datatypes."""
        heads = " ".join(f"({self.symbols.of(d, d.name)} {len(d.params)})" for d in block)
        return f"(declare-datatypes ({heads}) ({' '.join(map(self._datatype, block))}))"

    def _datatype(self, datatype: Datatype) -> str:
        constructors = []
        for constructor in datatype.constructors:
            fields = [
                f" ({self._selector(datatype, name)} {self.sort(sort)})"
                for name, sort in constructor.fields
            ]
            constructors.append(
                f"({self._constructor(datatype, constructor.name)}{''.join(fields)})"
            )
        body = f"({' '.join(constructors)})"
        if not datatype.params:
            return body
        names = " ".join(self.parameter(name) for name in datatype.params)
        return f"(par ({names}) {body})"

    def parameter(self, name: str) -> str:
        """A parameter of a datatype or of a defined sort."""
        # One symbol for a name throughout: it means something only within its datatype.
        return self.symbols.of(("parameter", name), name)

    def _constructor(self, datatype: Datatype, name: str) -> str:
        return self.symbols.of((datatype, "constructor", name), name)

    def _selector(self, datatype: Datatype, name: str) -> str:
        return self.symbols.of((datatype, "selector", name), name)

    # -- terms

    def function(self, term: Term) -> str:
        """The symbol of a constant, function or variable."""
        return self.symbols.of(term, str(term.indices[0]))

    def term(self, root: Term) -> str:
        """A term, its shared subterms in `let`s. Raises Unsayable."""
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
                    # needed no more; together the texts of a deep term would be quadratic in its
                    # size
                    texts[part] = ""
            named = uses[term] > 1 or height >= _HIGH
            if named and term.args and term.op != FUNCTION and term.sort.kind != "SORT_CASE":
                if len(lets) == level:
                    lets.append([])
                name = self._fresh("l")
                lets[level].append(f"({name} {text})")
                text, level, heights[term] = name, level + 1, 0
            texts[term], levels[term] = text, level
        opened = "".join(f"(let ({' '.join(bindings)}) " for bindings in lets)
        return f"{opened}{texts[root]}{')' * len(lets)}"

    def inside(self, term: Term) -> Sequence[Term]:
        """The parts of a term that are printed in its scope, of which it has no text yet."""
        return inside(term, self._binders)

    def known(self, term: Term) -> Mapping[Term, str]:
        """The texts of the other parts, none here."""
        return {}

    def _apply(self, term: Term, texts: dict[Term, str]) -> str:
        if term.op in (CONSTANT, FUNCTION, VARIABLE):
            return self.function(term)
        if term.op == VALUE:
            return self._value(term.sort, term.indices[0])
        if term.op == SPECIAL:
            return self._special(term)
        operator = self.catalogue.operators[term.op]
        if expanded(term.op, self.dialect):
            self._check_expanded(term)
        if operator.typing is not None:
            return self._datatype_term(operator, term, texts)
        if operator.signature.binder:
            return self._binder(operator, term)
        if term.op == "OP_UF_APPLY":
            return self._application(term, texts)
        args = [texts[a] for a in term.args]
        if term.op == "OP_CONST_ARRAY":
            args = [self._element(term.args[0], args[0])]
        return self._operator(operator, term, args)

    def _check_expanded(self, term: Term) -> None:
        if not self._expand(term):
            raise OnlyDefined(f"{term.op} has no name in SMT-LIB's dialect '{self.dialect}'")

    def _operator(self, operator: Operator, term: Term, args: list[str]) -> str:
        if operator.kind == "OP_BV_REDXOR":
            return self._parity(term, args[0])
        name = self._name(operator)
        if operator.kind == "OP_FP_FP" and self.dialect != "z3" and term.sort.number(1) == 2:
            self._check_expanded(term)
            # cvc5's `fp` refuses a fraction of one bit that is no literal
            name = "((_ to_fp {p0} {p1}) (concat {*}))"
        if not args:
            name = SPELLED[self.dialect].get(f"{operator.kind}/0", name)
        if (
            name.startswith("(")
            and "{*}" not in name
            and len(args) > 2
            and operator.signature.attribute == "left-assoc"
        ):
            return self._operator(
                operator, term, [self._operator(operator, term, args[:-1]), args[-1]]
            )
        if name.startswith("("):
            return self._expression(name, term, args)
        if operator.kind in BINARY and len(args) > 2:
            return f"(and {' '.join(f'({name} {a} {b})' for a, b in pairwise(args))})"
        head = f"(_ {name} {' '.join(map(str, term.indices))})" if term.indices else name
        return f"({head} {' '.join(args)})" if args else head

    def _expression(self, spelling: str, term: Term, args: list[str]) -> str:
        """An application whose spelling is an expression. What it uses twice is printed once."""
        lets = ""
        for at, text in enumerate(args):
            if spelling.count(f"{{{at}}}") > 1 and text.startswith("("):
                args[at] = self._fresh("l")
                lets += f"({args[at]} {text})"
        holes = {
            "*": " ".join(args),
            **_numbered(args),
            **{f"i{k}": str(i) for k, i in enumerate(term.indices)},
        }
        for hole, at in _SORT_HOLE.findall(spelling):
            sort = term.args[int(at)].sort
            holes[f"{hole}{at}"] = (
                str(sort.width)
                if hole == "width"
                else self.sort(sort if hole == "sort" else sort.sort(0))
            )
        if "{sort}" in spelling:
            holes["sort"] = self.sort(term.sort)
        if "{count}" in spelling:
            holes["count"] = _weighed(args, [1] * len(args))
        if "{weighed}" in spelling:
            holes["weighed"] = _weighed(args, list(term.indices[1:]))
        text = _filled(spelling, holes, term.sort)
        return f"(let ({lets}) {text})" if lets else text

    def _element(self, term: Term, text: str) -> str:
        """The element of a constant array. Raises Unsayable for one that cvc5 does not read, where
        the dialect is not z3's.
        """
        if self.dialect == "z3" or (self.dialect == "cvc5" and term.op == VALUE):
            return text if self.dialect == "z3" else _signed(text)
        if not is_value(term) or (self.dialect == "standard" and _signed(text) != text):
            raise Unsayable(
                f"a constant array of {text[:40]} has no name in SMT-LIB's dialect '{self.dialect}'"
            )
        return text

    def _parity(self, term: Term, arg: str) -> str:
        """The exclusive or of all bits, for which no dialect has an operator."""
        width = term.args[0].sort.width
        if width == 1:
            return arg
        name = self._fresh("l")
        return f"(let (({name} {arg})) (bvxor {' '.join(f'((_ extract {k} {k}) {name})' for k in range(width))}))"

    def _fresh(self, letter: str) -> str:
        """A symbol of the printer's own."""
        self._lets += 1
        return self.symbols.of(("let", self._lets), f"{letter}{self._lets}")

    def _name(self, operator: Operator) -> str:
        """What the dialect calls it. Raises Unsayable."""
        kind = operator.kind
        if not operator.extension:
            return SPELLED[self.dialect].get(kind) or operator.smtlib
        return (
            operator.smtlib
            if kind in SAME[self.dialect]
            else self._known(SPELLED[self.dialect], kind)
        )

    def _application(self, term: Term, texts: dict[Term, str]) -> str:
        function, args = term.args[0], [texts[a] for a in term.args[1:]]
        text, given = texts[function], " ".join(args)
        if function.op in (CONSTANT, FUNCTION) or (
            function.op == VARIABLE and (self.dialect == "cvc5" or len(args) == 1)
        ):
            return f"({text} {given})"
        if self.dialect == "z3":  # a function that is a value is an array there
            return f"(select {text} {given})"
        if self.dialect == "cvc5":
            return f"(@ {text} {given})"
        raise Unsayable(
            f"the application of a function that has no symbol has no name in SMT-LIB's dialect '{self.dialect}'"
        )

    def _scoped(self, body: Term) -> str:
        """What stands below a binder or in a case, with `let`s of its own."""
        known = self._bodies.pop(body, None)
        if known is not None:
            return known
        if self._nesting >= _NESTED:
            self._prepare(body)
        self._nesting += 1
        text = self.term(body)
        self._nesting -= 1
        return text

    def _prepare(self, root: Term) -> None:
        """Print what stands in scopes below `root`, innermost first, so that no depth of binders is
        a depth of calls.
        """
        found: dict[Term, None] = {}
        stack, seen = [root], {root}
        while stack:
            term = stack.pop()
            if term.op in self._binders or term.sort.kind == "SORT_CASE":
                found.update(dict.fromkeys(a for a in term.args if a.op != VARIABLE))
            for arg in term.args:
                if arg not in seen:
                    seen.add(arg)
                    stack.append(arg)
        # parts are made before what they are in
        for body in sorted(found, key=attrgetter("serial")):
            self._bodies[body] = self.term(body)

    def _binder(self, operator: Operator, term: Term) -> str:
        if self.dialect == "z3" and operator.kind == "OP_SET_COMPREHENSION":
            return self._comprehension(term)
        name = self._name(operator)
        behind = len(operator.signature.args) - 1
        bound, rest = term.args[: len(term.args) - behind], term.args[len(term.args) - behind :]
        body = self._scoped(rest[0])
        if operator.kind.endswith("_PATTERN"):
            body = f"(! {body} :pattern ({self._scoped(rest[1])}))"
        elif len(rest) > 1:
            body = f"{body} {self._scoped(rest[1])}"
        return f"({name} ({self.variables(bound)}) {body})"

    def _comprehension(self, term: Term) -> str:
        """A set comprehension where sets are arrays."""
        bound, condition, member = term.args[:-2], term.args[-2], term.args[-1]
        if bound == (member,):
            return f"(lambda ({self.variables(bound)}) {self._scoped(condition)})"
        name = self._fresh("x")
        body = f"(and {self._scoped(condition)} (= {name} {self._scoped(member)}))"
        return f"(lambda (({name} {self.sort(member.sort)})) (exists ({self.variables(bound)}) {body}))"

    def variables(self, bound: tuple[Term, ...]) -> str:
        """Variables with their sorts, as behind `forall (`."""
        return " ".join(
            f"({self.symbols.of(v, str(v.indices[0]))} {self.sort(v.sort)})" for v in bound
        )

    def _datatype_term(self, operator: Operator, term: Term, texts: dict[Term, str]) -> str:
        kind = operator.kind
        if kind == "OP_DT_MATCH":
            return f"(match {texts[term.args[0]]} ({' '.join(map(self._case, term.args[1:]))}))"
        args = [texts[a] for a in term.args]
        if kind == "OP_DT_APPLY_CONS":
            head = self._constructor(term.sort.datatype, str(term.indices[0]))
            head = f"(as {head} {self.sort(term.sort)})" if term.sort.sorts() else head
            return f"({head} {' '.join(args)})" if args else head
        datatype = term.args[0].sort.datatype
        if kind == "OP_DT_APPLY_TESTER":
            if self.dialect == "standard" and datatype.params:
                self._check_expanded(term)  # by a match
            return self._tested(term.args[0].sort, str(term.indices[0]), args[0])
        selector = self._selector(datatype, str(term.indices[1]))
        if kind == "OP_DT_APPLY_SEL":
            return f"({selector} {args[0]})"
        spelling = self._name(operator)
        if "{rebuilt}" in spelling and args[0].startswith("("):
            name = self._fresh("l")
            return f"(let (({name} {args[0]})) {self._updated(spelling, term, [name, args[1]])})"
        return self._updated(spelling, term, args)

    def _tested(self, sort: Sort, name: str, arg: str) -> str:
        """If `arg` was made with a constructor; for both solvers with a match where the datatype is
        parametric, see `_exactly`.
        """
        if self.dialect != "standard" or not sort.sorts():
            return f"((_ is {self._exactly(sort, name)}) {arg})"
        fields = next(c.fields for c in sort.datatype.constructors if c.name == name)
        head = self._constructor(sort.datatype, name)
        pattern = f"({head} {' '.join(self._fresh('x') for _ in fields)})" if fields else head
        others = f" ({self._fresh('x')} false)" if len(sort.datatype.constructors) > 1 else ""
        return f"(match {arg} (({pattern} true){others}))"

    def _exactly(self, sort: Sort, name: str) -> str:
        """A constructor; for z3 with its rank where the datatype is parametric, since it has one of
        that name for each instance.
        """
        head = self._constructor(sort.datatype, name)
        if self.dialect != "z3" or not sort.sorts():
            return head
        constructor = next(c for c in sort.datatype.constructors if c.name == name)
        fields = [self.sort(field) for field in SortTable().field_sorts(sort, constructor)]
        return f"({head} ({' '.join(fields)}) {self.sort(sort)})"

    def _updated(self, spelling: str, term: Term, args: list[str]) -> str:
        """A datatype's value with another one in a field of a constructor."""
        datatype, (constructor, changed) = term.sort.datatype, term.indices
        declared = next(c for c in datatype.constructors if c.name == constructor)
        head = self._constructor(datatype, str(constructor))
        fields = [
            args[1] if name == changed else f"({self._selector(datatype, name)} {args[0]})"
            for name, _ in declared.fields
        ]
        made = f"(as {head} {self.sort(term.sort)})" if term.sort.sorts() else head
        selector = self._selector(datatype, str(changed))
        if self.dialect == "z3" and term.sort.sorts():
            selector = f"({selector} ({self.sort(term.sort)}) {self.sort(term.args[1].sort)})"
        rebuilt = f"({made} {' '.join(fields)})"
        holes = {
            "tested": self._tested(term.sort, str(constructor), args[0]),
            "selector": selector,
            "rebuilt": rebuilt,
        }
        return _filled(spelling, holes | _numbered(args), term.sort)

    def _case(self, case: Term) -> str:
        variables, body = case.args[:-1], case.args[-1]
        names = [self.symbols.of(v, str(v.indices[0])) for v in variables]
        if not case.indices:
            return f"({names[0]} {self._scoped(body)})"
        constructor = self._constructor(case.sort.sort(0).datatype, str(case.indices[0]))
        pattern = f"({constructor} {' '.join(names)})" if names else constructor
        return f"({pattern} {self._scoped(body)})"

    # -- literals

    def _value(self, sort: Sort, value: object) -> str:
        if isinstance(value, bool):
            return "true" if value else "false"
        if isinstance(value, str):
            return f'"{to_codes(value)}"'
        if isinstance(value, Fraction):
            return _real(value)
        assert isinstance(value, int)
        return self._number(sort, value)

    def _number(self, sort: Sort, value: int) -> str:
        if sort.kind == "SORT_INT":
            return str(value) if value >= 0 else f"(- {-value})"
        if sort.kind == "SORT_REAL":
            return _real(Fraction(value))
        if sort.kind == "SORT_FF":
            return f"(as ff{value} {self.sort(sort)})"
        if sort.kind == "SORT_BV":
            return f"#b{value:0{sort.width}b}"
        bits = f"{value:0{sort.number(0) + sort.number(1)}b}"
        middle = 1 + sort.number(0)
        return f"(fp #b{bits[0]} #b{bits[1:middle]} #b{bits[middle:]})"

    def _special(self, term: Term) -> str:
        name = str(term.indices[0])
        number = special_value(name, term.sort)
        if number is not None:
            return self._number(term.sort, number)
        known = STANDARD_SPECIAL.get(name) or self._known(SPECIAL_NAMES[self.dialect], name)
        return _filled(known, {"sort": self.sort(term.sort)}, term.sort)


def _real(value: Fraction) -> str:
    text = f"{abs(value.numerator)}.0"
    if value.denominator != 1:
        text = f"(/ {text} {value.denominator}.0)"
    return f"(- {text})" if value < 0 else text


def _signed(literal: str) -> str:
    """A number as cvc5 reads it as a value: it takes `(- 5)` and `(/ 1.0 3.0)` for applications,
    `-5` and `1/3` for values.
    """
    return (
        _QUOTIENT.sub(r"\1/\2", literal).replace("(- ", "-").rstrip(")")
        if _NUMBER.fullmatch(literal)
        else literal
    )


def _weighed(conditions: list[str], weights: list[int]) -> str:
    """The sum of the weights of the conditions that hold."""
    parts = [
        f"(ite {condition} {weight} 0)"
        for condition, weight in zip(conditions, weights, strict=True)
    ]
    return f"(+ {' '.join(parts)})" if len(parts) > 1 else parts[0]


def _numbered(texts: list[str]) -> dict[str, str]:
    return {str(k): text for k, text in enumerate(texts)}


def _filled(spelling: str, holes: dict[str, str], sort: Sort) -> str:
    numbers = {f"p{k}": str(p) for k, p in enumerate(sort.params)}
    return _HOLE.sub(lambda found: {**numbers, **holes}[found[1]], spelling)


def _scope(
    root: Term, inside: Callable[[Term], Iterable[Term]]
) -> tuple[list[Term], dict[Term, int]]:
    """The terms printed in the scope of `root`, arguments first, and how often each is used there."""

    def parts(term: Term) -> Iterator[Term]:
        return iter(inside(term))

    order: list[Term] = []
    uses: dict[Term, int] = {root: 1}
    stack: list[tuple[Term, Iterator[Term]]] = [(root, parts(root))]
    while stack:
        term, rest = stack[-1]
        for part in rest:
            uses[part] = uses.get(part, 0) + 1
            if uses[part] == 1:
                stack.append((part, parts(part)))
                break
        else:
            stack.pop()
            order.append(term)
    return order, uses


def inside(term: Term, binders: frozenset[str]) -> tuple[Term, ...]:
    """The arguments that are printed in the scope of `term`: none of a binder, of a match what it
    matches.
    """
    if term.op in binders or term.op == FUNCTION:
        return ()
    return term.args[:1] if term.op == "OP_DT_MATCH" else term.args
