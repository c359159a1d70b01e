"""Prints terms of `logic/` as SMT-LIB 2.7 in a dialect. A subterm that occurs several times is
printed once in a `let`, unless a binder stands between its occurrences.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from operator import attrgetter

from murxpy.logic.catalogue import Catalogue, Operator
from murxpy.logic.terms import CONSTANT, FUNCTION, SPECIAL, VALUE, VARIABLE, Term, is_value
from murxpy.smtlib.printing.datatypes import DatatypePrinter
from murxpy.smtlib.printing.forms import (
    OnlyDefined,
    Unsayable,
    arguments,
    filled,
    known,
    weighed,
)
from murxpy.smtlib.printing.literals import literal, signed, special

# a term of this height gets a name even if it occurs once, so that no text nests too deeply
_HIGH = 200
# deeper binders are printed from the inside out, so that their depth is no depth of calls
_NESTED = 40
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
                    # This text is not needed any more. The texts of all subterms together would be
                    # quadratic in the size of a deep term.
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
        if name.startswith("("):
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
            if spelling.count(f"{{{at}}}") > 1 and text.startswith("("):
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
        if "{count}" in spelling:
            holes["count"] = weighed(args, [1] * len(args))
        if "{weighed}" in spelling:
            holes["weighed"] = weighed(args, list(term.indices[1:]))
        text = filled(spelling, holes, term.sort)
        return f"(let ({lets}) {text})" if lets else text

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
        if not operator.extension:
            return spelled.get(kind) or operator.smtlib
        if kind in self.words.same:
            return operator.smtlib
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
        """Print all terms that stand in scopes below `root`, the innermost first. So the depth of
        binders is never a depth of calls.
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
    root: Term, inside: Callable[[Term], Iterable[Term]]
) -> tuple[list[Term], dict[Term, int]]:
    """Return the terms that are printed in the scope of `root`, arguments first, and how often each
    of them is used there.
    """

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
    """Return the arguments that are printed in the scope of `term`. A binder has none, since its
    body is a scope of its own; of a match it is the matched term only.
    """
    if term.op in binders or term.op == FUNCTION:
        return ()
    return term.args[:1] if term.op == "OP_DT_MATCH" else term.args
