"""New variables: in place of those that a term binds, so that the term can stand anywhere, and in place
of parts of a term.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from murxpy.logic.catalogue import Catalogue, Operator
from murxpy.logic.sorts import Sort, SortParam
from murxpy.logic.terms import CONSTANT, FUNCTION, SPECIAL, VALUE, VARIABLE, Term
from murxpy.logic.walks import bottom_up, occurrences, subterms
from murxpy.machine.random import Stream
from murxpy.semantics.evaluator import Evaluator
from murxpy.semantics.values import CannotSay, Interpretation
from murxpy.smtlib.building import Tables, binds, substituted
from murxpy.sources.mutation.implications.rule import (
    DATATYPE,
    Binding,
    Constructors,
    Patterns,
    Variant,
)


def renamed(tables: Tables, root: Term) -> Term:
    """The term with new variables in place of those that it binds, so that it can stand anywhere."""
    done: dict[Term, Term] = {}
    for term in bottom_up(root, done):
        if term.op == VARIABLE and term not in root.free:
            done[term] = tables.variable(str(term.indices[0]), term.sort)
        elif not term.args or term.op == FUNCTION or term.op == CONSTANT:
            done[term] = term
        else:
            args = tuple([done[arg] for arg in term.args])
            bound = args[: len(binds(tables.catalogue, term))]
            done[term] = tables.terms.apply(term.op, args, term.indices, term.sort, bound)
    return done[root]


def opened(tables: Tables, term: Term, part: Term, variable: Term) -> Term:
    """The term with a variable in place of a part, also where that occurs again, but not in the bodies
    of functions, which have no other variables than their own.
    """
    inside = subterms([term], lambda one: () if one.op == FUNCTION else one.args)
    functions = {one: one for one in inside if one.op == FUNCTION}
    return substituted(tables, term, {**functions, part: variable})


# ----------------------------------------------------------------------
# The form of a term: what can be seen of it quickly, so that rules which cannot match it are
# never drawn for its place. The form is the operator of the term, with the sorts and the
# operators of its arguments.


APPLY = "OP_UF_APPLY"
BINDERS = ("OP_FORALL", "OP_EXISTS")
LETTER = "SORT_UNINTERPRETED"  # the kind of the sorts that stand for any sort in a pattern
NO_LETTER = ("SORT_FUN", "SORT_REGLAN", "SORT_CASE")  # kinds for which no such sort stands
MANY = 4  # of a term with more arguments, the form has the first one, the last one, and which there are

Metas = Mapping[Term, str]
Form = tuple[Any, ...]
Need = tuple[str | None, str | None, str | None]
"""What a term must have to match a pattern: its operator, the kind of sort of its arguments, and the
operator of one of these. None stands for any.
"""


def form_of(term: Term) -> Form:
    """Return the features of a term that `may_match` compares. Terms with the same form have the same
    answers.
    """
    args = term.args
    if len(args) <= MANY:
        return term.op, *[(arg.op, arg.sort.kind) for arg in args]
    parts = [(arg.op, arg.sort.kind) for arg in args]
    return term.op, parts[0], parts[-1], frozenset(parts)


def need_of(metas: Metas, pattern: Term) -> Need:
    """Return the features that all terms have that match a pattern."""
    if plain(metas, pattern):
        return None, None, None
    if pattern.op in BINDERS or not pattern.args:
        return pattern.op, None, None
    kinds = [arg.sort.kind for arg in pattern.args]
    kind = None if LETTER in kinds or len(set(kinds)) > 1 else kinds[0]
    # an application to more arguments has no inner application of the same operator
    inner = [
        arg.op
        for arg in pattern.args
        if not plain(metas, arg) and arg.op not in (VARIABLE, pattern.op)
    ]
    return pattern.op, kind, inner[0] if inner else None


def met_by(term: Term) -> list[Need]:
    """The needs of patterns that a term has."""
    kinds = [None, term.args[0].sort.kind] if term.args else [None]
    inner = dict.fromkeys([None, *[arg.op for arg in term.args]])
    return [(None, None, None), *[(term.op, kind, one) for kind in kinds for one in inner]]


def may_match(
    catalogue: Catalogue, metas: Metas, pattern: Term, term: Term, chain: bool = False
) -> bool:
    """Whether a term may have the form of a pattern. With `chain`, an application to more arguments
    counts as several applications to two.
    """
    if plain(metas, pattern):
        return _sorts(pattern.sort, term.sort)
    if pattern.op != term.op:
        return False
    if pattern.op in BINDERS:
        return len(pattern.args) == 2
    if pattern.literal:
        return _sorts(pattern.sort, term.sort)
    patterns, args = pattern.args, term.args
    operator = catalogue.operators[term.op]
    if len(patterns) == len(args):
        return _all(metas, patterns, args) or (
            operator.commutative and len(args) == 2 and _all(metas, patterns, args[::-1])
        )
    if len(patterns) != 2 or len(args) < 3:
        return False
    if chain:
        return all(_fits(metas, patterns[0], arg) for arg in args)
    return _several(metas, patterns, args, operator)


def numbers_in(sort: Sort) -> set[int]:
    """The numbers in a sort."""
    found = {param for param in sort.params if isinstance(param, int)}
    return found.union(*map(numbers_in, sort.sorts()))


def is_deep(metas: Metas, pattern: Term) -> bool:
    """Whether a pattern has operators that the form of a term does not show."""
    if pattern in metas:
        return False
    near = () if plain(metas, pattern) or pattern.op in BINDERS else pattern.args
    shown = {pattern, *near}
    return any(
        not plain(metas, p) and p.op != VARIABLE for p in subterms([pattern]) if p not in shown
    )


def has_parts(catalogue: Catalogue, metas: Metas, pattern: Term, term: Term) -> bool:
    """Whether the operators of a pattern are where a term has them."""
    if plain(metas, pattern) or pattern.op == VARIABLE:
        return True
    if pattern.op != term.op:
        return False
    if pattern.op in BINDERS:
        return has_parts(catalogue, metas, pattern.args[-1], term.args[-1])
    patterns, args = pattern.args, term.args
    if len(patterns) != len(args):
        return True  # an application to more arguments, of which the form says enough
    if all(has_parts(catalogue, metas, *pair) for pair in zip(patterns, args, strict=True)):
        return True
    return (
        len(args) == 2
        and catalogue.operators[term.op].commutative
        and has_parts(catalogue, metas, patterns[0], args[1])
        and has_parts(catalogue, metas, patterns[1], args[0])
    )


def plain(metas: Metas, pattern: Term) -> bool:
    """Whether a pattern is a metavariable, or the application of one."""
    return pattern in metas or (pattern.op == APPLY and pattern.args[0] in metas)


def _all(metas: Metas, patterns: tuple[Term, ...], args: tuple[Term, ...]) -> bool:
    return all(_fits(metas, one, arg) for one, arg in zip(patterns, args, strict=True))


def _fits(metas: Metas, pattern: Term, arg: Term) -> bool:
    """Whether the operator and the kind of sort of an argument are those of a pattern."""
    return _sorts(pattern.sort, arg.sort) and (
        plain(metas, pattern) or pattern.op == VARIABLE or pattern.op == arg.op
    )


def _sorts(pattern: Sort, sort: Sort) -> bool:
    return sort.kind not in NO_LETTER if pattern.kind == LETTER else pattern.kind == sort.kind


def _several(
    metas: Metas,
    patterns: tuple[Term, ...],
    args: tuple[Term, ...],
    operator: Operator,
) -> bool:
    """Whether an application to more arguments may be one of the pattern's operator to two."""
    op, attribute = operator.kind, operator.signature.attribute
    if attribute == "right-assoc":
        rest = plain(metas, patterns[1]) or patterns[1].op == op
        return rest and _fits(metas, patterns[0], args[0])
    if attribute != "left-assoc":
        return False
    if not operator.commutative:
        rest = plain(metas, patterns[0]) or patterns[0].op == op
        return rest and _fits(metas, patterns[1], args[-1])
    wanted = [pattern.op for pattern in patterns if not plain(metas, pattern)]
    return not wanted or any(arg.op == wanted[0] for arg in args)


# ----------------------------------------------------------------------
# Whether a term has the form of a pattern, and the term that another pattern then stands for. A
# metavariable stands for any term of its sort. One that is a function stands for a formula with
# a variable in it: `(P x)` below the quantifier of `x` is the body, and `(P t)` elsewhere is
# the body with `t` in place of `x`.


_NO_PARTS = ("SORT_FUN", "SORT_CASE", "SORT_REGLAN")


class Matcher:
    """Matches terms of `tables` with the patterns of rules, and makes the terms for patterns."""

    def __init__(self, tables: Tables, stream: Stream) -> None:
        self._tables = tables
        self._stream = stream
        self._operators = tables.catalogue.operators
        self.constructors = Constructors(tables, self.unify)

    # -- what the numbers of a rule are

    def numbers(self, variant: Variant, pattern: Term, term: Term) -> dict[str, int] | None:
        """The numbers of a rule for which `term` may have the form of the sample `pattern`; None if
        it has another form.
        """
        found: dict[str, int] = {}
        start = [(pattern, term)] if variant.rule.numbers else []
        for one, other in occurrences(
            start, lambda pair: self._paired(variant.sample.metas, *pair)
        ):
            if not self.fit(variant, one.sort, other.sort, found):
                return None
            if plain(variant.sample.metas, one) or one.op == VARIABLE or one.literal:
                continue
            if one.op != other.op or len(one.args) > len(other.args):
                return None
            for index, value in zip(one.indices, other.indices, strict=False):
                letter = variant.letters.get(index) if isinstance(index, int) else None
                if letter is not None and found.setdefault(letter, value) != value:
                    return None
        return found

    def _paired(
        self, metas: Mapping[Term, str], pattern: Term, term: Term
    ) -> Iterator[tuple[Term, Term]]:
        """The arguments of a pattern, each with one of a term that it may match. A metavariable or
        binder has none.
        """
        if plain(metas, pattern) or pattern.op in BINDERS or not pattern.args:
            return
        commutative = self._operators[term.op].commutative
        for one, other in zip(pattern.args, term.args, strict=False):
            if commutative and not plain(metas, one) and one.op != other.op:
                yield one, next((arg for arg in term.args if arg.op == one.op), other)
            else:
                yield one, other

    def fit(self, variant: Variant, one: Sort, other: Sort, found: dict[str, int]) -> bool:
        """Whether a sort has the form of one of a sample. Adds the numbers in it to `found`."""
        if one.kind == LETTER:
            return True  # a capital letter, for any sort
        if one.kind != other.kind:
            return False
        for left, right in zip(one.params, other.params, strict=False):
            if isinstance(left, int) and isinstance(right, int):
                letter = variant.letters.get(left)
                if letter is not None and found.setdefault(letter, right) != right:
                    return False
            elif (
                isinstance(left, Sort)
                and isinstance(right, Sort)
                and not self.fit(variant, left, right, found)
            ):
                return False
        return True

    # -- matching

    def match(self, metas: Mapping[Term, str], pattern: Term, term: Term, known: Binding) -> bool:
        """Whether `term` has the form of `pattern`. Adds to `known` what the metavariables stand for;
        if it does not match, `known` may have too much in it.
        """
        if pattern in metas:
            return self._meta(metas[pattern], pattern, term, known)
        if pattern.op == VARIABLE:
            return known.variables.get(pattern) is term
        if pattern.op == APPLY and pattern.args[0] in metas:
            return self._function(metas, pattern, term, known)
        if pattern.literal:
            same = term.op == pattern.op and term.indices == pattern.indices
            return same and self.unify(pattern.sort, term.sort, known)
        if pattern.op != term.op or not self.constructors.match(pattern, term, known):
            return False
        if pattern.op in BINDERS:
            return self._binder(metas, pattern, term, known)
        if len(pattern.args) != len(term.args):
            return self._several(metas, pattern, term, known)
        commutative = self._operators[term.op].commutative and len(term.args) == 2
        args = term.args[::-1] if commutative and self._stream.chance(0.5) else term.args
        before = known.copy() if commutative else known
        if self._all(metas, pattern.args, args, known):
            return True
        if not commutative:
            return False
        known.take(before)
        return self._all(metas, pattern.args, args[::-1], known)

    def _all(
        self,
        metas: Mapping[Term, str],
        patterns: tuple[Term, ...],
        terms: tuple[Term, ...],
        known: Binding,
    ) -> bool:
        return all(
            self.match(metas, one, other, known) for one, other in zip(patterns, terms, strict=True)
        )

    def _meta(self, name: str, pattern: Term, term: Term, known: Binding) -> bool:
        bound = known.terms.get(name)
        if bound is not None:
            return bound is term
        if not self.unify(pattern.sort, term.sort, known):
            return False
        if any(variable in term.free for variable in known.variables.values()):
            return False  # the pattern's quantifier does not bind in it
        known.terms[name] = term
        return True

    def unify(self, pattern: Sort, sort: Sort, known: Binding) -> bool:
        """Whether a sort has the form of a pattern's sort, with capital letters for any sorts."""
        if pattern.kind == LETTER:
            return (
                sort.kind not in NO_LETTER
                and known.sorts.setdefault(str(pattern.params[0]), sort) is sort
            )
        if pattern.kind == DATATYPE:
            name = pattern.datatype.name
            return sort.kind == DATATYPE and known.sorts.setdefault(name, sort) is sort
        if pattern.kind != sort.kind or len(pattern.params) != len(sort.params):
            return False
        return all(
            self.unify(one, other, known)
            if isinstance(one, Sort) and isinstance(other, Sort)
            else one == other
            for one, other in zip(pattern.params, sort.params, strict=True)
        )

    def _several(
        self, metas: Mapping[Term, str], pattern: Term, term: Term, known: Binding
    ) -> bool:
        """Match a pattern of two arguments with an application to more, as the standard reads it:
        as applications to two.
        """
        operator, args = self._operators[term.op], term.args
        if len(pattern.args) != 2 or len(args) < 3:
            return False
        attribute = operator.signature.attribute
        if attribute == "right-assoc":
            return self._split(metas, pattern, term, known, args, 1)
        if attribute != "left-assoc":
            return False
        if not operator.commutative:
            return self._split(metas, pattern, term, known, args, len(args) - 1)
        args = tuple(self._stream.sample(list(args), len(args)))
        plain = [one in metas for one in pattern.args]
        if all(plain):
            return self._split(
                metas, pattern, term, known, args, self._stream.between(1, len(args) - 1)
            )
        inner = pattern.args[plain.index(False)]
        for at, arg in enumerate(args):
            if arg.op != inner.op:
                continue
            rest = (*args[:at], *args[at + 1 :])
            order = (arg, *rest) if plain.index(False) == 0 else (*rest, arg)
            tried = known.copy()
            cut = 1 if plain.index(False) == 0 else len(args) - 1
            if self._split(metas, pattern, term, tried, order, cut):
                known.take(tried)
                return True
        return False

    def _split(
        self,
        metas: Mapping[Term, str],
        pattern: Term,
        term: Term,
        known: Binding,
        args: tuple[Term, ...],
        cut: int,
    ) -> bool:
        parts = [
            part[0] if len(part) == 1 else self._tables.apply(term.op, *part, indices=term.indices)
            for part in (args[:cut], args[cut:])
        ]
        return self._all(metas, pattern.args, tuple(parts), known)

    def _binder(self, metas: Mapping[Term, str], pattern: Term, term: Term, known: Binding) -> bool:
        """Match a quantifier of one variable with one of the variables of a quantifier. The others
        stay outside.
        """
        variables, body = term.args[:-1], term.args[-1]
        if len(pattern.args) != 2 or (len(variables) > 1 and pattern is not known.root):
            return False
        chosen = self._stream.choose(list(variables))
        if not self.unify(pattern.args[0].sort, chosen.sort, known):
            return False
        known.variables[pattern.args[0]] = chosen
        if (
            pattern is known.root
        ):  # [`if pattern is known.root:`] an inner quantifier of the pattern must bind all variables
            known.rest = tuple([one for one in variables if one is not chosen])
        return self.match(metas, pattern.args[-1], body, known)

    def _function(
        self, metas: Mapping[Term, str], pattern: Term, term: Term, known: Binding
    ) -> bool:
        """Match the application of a metavariable: to variables of the pattern, with the formula
        below their quantifiers; else to one pattern, with a term of which some part matches that.
        """
        name, inner = metas[pattern.args[0]], pattern.args[1:]
        if not self.unify(pattern.sort, term.sort, known):
            return False
        bound = known.functions.get(name)
        if all(one in known.variables for one in inner):
            variables = tuple([known.variables[one] for one in inner])
            if bound is None:
                hidden = [v for v in known.variables.values() if v not in variables]
                if any(variable in term.free for variable in hidden):
                    return False
                known.functions[name] = variables, term
                return True
            new = dict(zip(bound[0], variables, strict=True))
            return substituted(self._tables, bound[1], new) is term
        if len(inner) != 1:
            return False
        if bound is not None:
            return self._again(metas, inner[0], bound, term, known)
        part = self._part(metas, inner[0], term, known)
        if part is None or not self.match(metas, inner[0], part, known):
            return False
        if any(variable in term.free for variable in known.variables.values()):
            return False
        variable = self._tables.variable("x", part.sort)
        known.functions[name] = (variable,), opened(self._tables, term, part, variable)
        return True

    def _again(
        self,
        metas: Mapping[Term, str],
        inner: Term,
        function: tuple[tuple[Term, ...], Term],
        term: Term,
        known: Binding,
    ) -> bool:
        """Match the application of a metavariable that is bound: find the part that stands in the
        place of its variable.
        """
        (variable,), body = function

        def below(pair: tuple[Term, Term]) -> Iterable[tuple[Term, Term]]:
            one, other = pair
            same = one is variable or one is other
            return () if same else zip(one.args, other.args, strict=True)

        part = None
        for one, other in occurrences([(body, term)], below):
            if one is variable:
                if part is not None and part is not other:
                    return False
                part = other
            elif one is not other:
                same = (one.op, one.indices, len(one.args)) == (
                    other.op,
                    other.indices,
                    len(other.args),
                )
                if not same or not one.args:
                    return False
        closed = part is not None and all(v in term.free for v in part.free)
        return part is not None and closed and self.match(metas, inner, part, known)

    def _part(
        self, metas: Mapping[Term, str], inner: Term, term: Term, known: Binding
    ) -> Term | None:
        """A random part of a term that may match a pattern, and that uses no variable which the term
        binds.
        """
        name = metas.get(inner)
        if name in known.terms:
            return known.terms[str(name)]
        found = self.parts(term)
        if name is None:
            fitting = [one for one in found if one.op == inner.op and not inner.literal]
        else:
            fitting = [one for one in found if self.unify(inner.sort, one.sort, known.copy())]
        near = [one for one in fitting if one in term.args]
        if near and self._stream.chance(0.5):
            return self._stream.choose(near)
        return self._stream.choose(fitting) if fitting else None

    def parts(self, term: Term) -> list[Term]:
        """The parts of a term that use no variable which the term binds, and that can stand for a
        metavariable.
        """
        found: dict[Term, None] = {}
        stack = [term]
        while stack:
            one = stack.pop()
            for arg in one.args[len(binds(self._tables.catalogue, one)) :]:
                if arg not in found and arg.sort.kind not in _NO_PARTS:
                    found[arg] = None
                    stack.append(arg)
        free = frozenset(term.free)
        return [one for one in found if free.issuperset(one.free) and one.sort.kind != "SORT_RM"]

    def allows(self, patterns: Patterns, known: Binding) -> bool:
        """Whether our evaluator finds the condition of a rule true; it may have no constants and no
        variables then. Raises KeyError if the condition needs a name that is not bound.
        """
        if patterns.where is None:
            return True
        condition = self.make(patterns.metas, patterns.where, known)
        if not condition.ground:
            return False
        try:
            return Evaluator(self._tables.catalogue, Interpretation()).value(condition) is True
        except CannotSay:
            return False

    # -- making

    def sort_of(self, pattern: Sort, known: Binding) -> Sort:
        """The sort of the run that a pattern's sort stands for. Raises KeyError for a letter that
        stands for no sort yet.
        """
        if pattern.kind == LETTER:
            return known.sorts[str(pattern.params[0])]
        if pattern.kind == DATATYPE:
            return known.sorts[pattern.datatype.name]
        params: list[SortParam] = [
            self.sort_of(one, known) if isinstance(one, Sort) else one for one in pattern.params
        ]
        return self._tables.sorts.get(pattern.kind, *params)

    def make(self, metas: Mapping[Term, str], pattern: Term, known: Binding) -> Term:
        """The term that `pattern` stands for. Raises KeyError if the pattern needs a name that is not
        bound.
        """
        return self._make(metas, pattern, known, {})

    def _make(
        self, metas: Mapping[Term, str], pattern: Term, known: Binding, inner: dict[Term, Term]
    ) -> Term:
        if pattern in metas:
            return known.terms[metas[pattern]]
        if pattern.op == VARIABLE:
            return inner[pattern]
        if pattern.op == APPLY and pattern.args[0] in metas:
            variables, body = known.functions[metas[pattern.args[0]]]
            values = [self._make(metas, arg, known, inner) for arg in pattern.args[1:]]
            return substituted(self._tables, body, dict(zip(variables, values, strict=True)))
        if pattern.op == VALUE:
            return self._tables.value(self.sort_of(pattern.sort, known), pattern.indices[0])
        if pattern.op == SPECIAL:
            return self._tables.special(self.sort_of(pattern.sort, known), str(pattern.indices[0]))
        bound = binds(self._tables.catalogue, pattern)
        for one in bound:
            inner[one] = self._tables.variable(str(one.indices[0]), self.sort_of(one.sort, known))
        args = [self._make(metas, arg, known, inner) for arg in pattern.args]
        signature = self._operators[pattern.op].signature
        wanted = self.sort_of(pattern.sort, known) if signature.as_sort else None
        indices = self.constructors.indices(pattern, known)
        return self._tables.apply(pattern.op, *args, indices=indices, wanted=wanted)


def unbound(patterns: Patterns, pattern: Term, known: Binding) -> list[Term]:
    """The metavariables in a pattern that stand for no term yet, in the order of their names."""
    metas = patterns.metas
    bound = known.terms.keys() | known.functions.keys()
    found = [one for one in subterms([pattern]) if one in metas and metas[one] not in bound]
    return sorted(found, key=lambda one: metas[one])
