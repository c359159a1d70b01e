"""The state that the parts of the reader of terms share: the heads, which are the things that can
be applied, and a stack of the applications that are not closed yet.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from typing import Any

from murxpy.errors import InputError
from murxpy.logic.catalogue import Operator
from murxpy.logic.sorts import Constructor, Datatype, Sort
from murxpy.logic.terms import Term
from murxpy.logic.walks import occurrences
from murxpy.smtlib.building import Tables
from murxpy.smtlib.lexer import Source
from murxpy.smtlib.reading.applying import FOLDS, Applier, Plan
from murxpy.smtlib.reading.sorts import SortReader
from murxpy.smtlib.reading.vocabulary import Scope, Vocabulary


class Head:
    """Something that can be applied.

    `first` are the arguments before those in the script, such as the function of an application.
    `plans` remembers what is built for arguments of given sorts; for new sorts, `close` decides it.
    """

    def __init__(self, first: tuple[Term, ...] = ()) -> None:
        self.first = list(first)
        self.plans: dict[tuple[Sort, ...], Plan] = {}

    def close(self, reader: TermContext, args: list[Term]) -> Term | None:
        """Return the application to `args`, or None if something else must be read first. Raises
        InputError.
        """
        raise NotImplementedError

    def fits(self, reader: TermContext, args: list[Term]) -> bool:
        """Return whether it takes arguments of exactly these sorts. The reader asks this only if a
        name stands for several things.
        """
        return False

    def remember(self, plan: Plan, args: list[Term]) -> None:
        """Build the same for further arguments of the same sorts, without asking `close`."""
        self.plans[tuple([a.sort for a in args])] = plan


Frame = tuple[Head, list[Term]]


class TermContext(ABC):
    """The state of the reader of terms, which heads and forms read and change.

    `stack` holds the applications around the one that is being read. A form such as `let` is also a
    head: if it has more to read, it calls `go_on` and returns no term.
    """

    def __init__(self, source: Source, tables: Tables, words: Vocabulary) -> None:
        self.source = source
        self.tables = tables
        self.words = words
        self.applier = Applier(tables)
        self.scope: Scope[Head] = Scope()
        self.sorts = SortReader(source, tables.sorts, tables.catalogue, words, self.scope)
        self.stack: list[Frame] = []
        self.root = Head()
        self.head: Head = self.root
        self.args: list[Term] = []
        # the name of the whole term, if the script has `(! t :named name)`
        self.name: str | None = None
        self._named: list[tuple[str, Term]] = []
        self.reals = False  # whether numerals are reals, as in the logic LRA
        # makes the term that `(as @S_0 S)` stands for in a model
        self.elements: Callable[[str, Sort], Term] | None = None
        self.array_lambdas = False  # whether lambdas are arrays
        self.begin()

    def begin(self) -> None:
        """Forget all symbols except those of the theories."""
        self.scope.clear()
        self.scope.atoms.update({"true": self.tables.true, "false": self.tables.false})

    def numerals(self, reals: bool) -> None:
        """Set whether numerals are reals from now on."""
        self.reals = reals
        self.scope.forget_literals()

    def go_on(self, head: Head, args: list[Term]) -> None:
        """Continue reading in this frame."""
        self.head, self.args = head, args

    def apply(self, name: str, args: list[Term]) -> Term:
        """Return the application of a name of a theory."""
        return self.applier.apply(name, self.words.operators[name], args, (), None)

    @abstractmethod
    def head_of(self, token: str) -> Head:
        """Return the head that a symbol stands for. Raises InputError."""

    @abstractmethod
    def name_term(self, token: str, term: Term, whole: bool) -> None:
        """Note the name that `:named` gives to a term. `whole` says whether it is the whole term
        that is being read.
        """


# ----------------------------------------------------------------------
# The things that can be applied in a script: names of theories, functions, and the
# constructors, selectors and testers of datatypes.


class TheoryHead(Head):
    """A name of a theory with its indices. One head may stand for several operators."""

    def __init__(
        self,
        name: str,
        operators: tuple[Operator, ...],
        indices: tuple[Any, ...] = (),
        wanted: Sort | None = None,
    ) -> None:
        super().__init__()
        self.name = name
        self.operators = operators
        self.indices = indices
        self.wanted = wanted

    def close(self, reader: TermContext, args: list[Term]) -> Term:
        fold = FOLDS.get((self.name, len(args)))
        if fold is not None:
            folded = fold(reader.tables, args)
            if folded is not None:
                return folded
        else:
            plan = reader.applier.plan(
                self.operators, tuple([a.sort for a in args]), self.indices, self.wanted
            )
            if plan is not None:
                self.remember(plan, args)
                return reader.tables.terms.apply(plan[0], tuple(args), plan[1], plan[2])
        return reader.applier.apply(self.name, self.operators, args, self.indices, self.wanted)


class FunctionHead(Head):
    """A function: a constant or variable whose sort is that of a function, a defined function, or
    any other term of such a sort.
    """

    def __init__(self, function: Term) -> None:
        super().__init__((function,))
        self.function = function

    def close(self, reader: TermContext, args: list[Term]) -> Term:
        function, given = self.function, args[1:]
        domain = function.sort.sorts()[:-1]
        if not given or len(given) > len(domain):
            name = (
                f"'{function.indices[0]}'"
                if not function.args and function.indices
                else "the function"
            )
            raise InputError(f"{name} takes {len(domain)} arguments, found {len(given)}")
        converted = [
            reader.applier.need(a, s, "an argument") for a, s in zip(given, domain, strict=False)
        ]
        if len(given) < len(domain):
            return self._partly(reader, converted)
        term = reader.tables.apply("OP_UF_APPLY", function, *converted)
        if converted == given:
            self.remember(("OP_UF_APPLY", (), term.sort), args)
        return term

    def fits(self, reader: TermContext, args: list[Term]) -> bool:
        return tuple([a.sort for a in args]) == self.function.sort.sorts()[:-1]

    def _partly(self, reader: TermContext, args: list[Term]) -> Term:
        term = self.function
        for arg in args:
            term = reader.tables.apply("OP_HO_APPLY", term, arg)
        return term


def whole_application(reader: TermContext, function: Term, args: list[Term]) -> Term:
    """Return `function` applied to `args`. If it is itself an application, all arguments are put
    together: `((f a) b)` is `(f a b)`.
    """
    while function.op == "OP_HO_APPLY":
        function, args = function.args[0], [function.args[1], *args]
    return FunctionHead(function).close(reader, [function, *args])


class TermHead(Head):
    """A head that is itself a term, which becomes the first argument, as in `((f a) b)` and `(_ f
    a)`.
    """

    def close(self, reader: TermContext, args: list[Term]) -> Term:
        if len(args) < 2 or args[0].sort.kind not in ("SORT_FUN", "SORT_ARRAY"):
            found = f"one of {args[0].sort}" if args else "nothing"
            raise InputError(f"expected a function and arguments, found {found}")
        if args[0].sort.kind == "SORT_ARRAY":
            return reader.apply("select", args)
        return self.application(reader, args[0], args[1:])

    def application(self, reader: TermContext, function: Term, args: list[Term]) -> Term:
        """Return the application `((f a) b)`, which is `(f a b)`."""
        return whole_application(reader, function, args)


class ApplyHead(TermHead):
    """An application that is written out, as `(@ f a b)` in cvc5 and `(_ f a b)` in the standard.
    Unlike other applications it stays separate from those inside it.
    """

    def application(self, reader: TermContext, function: Term, args: list[Term]) -> Term:
        return FunctionHead(function).close(reader, [function, *args])


class ConstructorHead(Head):
    """A constructor of a datatype. `sort` is the sort of its result if the script writes it or
    there is only one.
    """

    def __init__(self, datatype: Datatype, constructor: Constructor, sort: Sort | None) -> None:
        super().__init__()
        self.datatype = datatype
        self.constructor = constructor
        self.sort = sort

    @property
    def complete(self) -> bool:
        """Return whether the constructor is a term without being applied: it has no fields, and its
        sort is known.
        """
        return not self.constructor.fields and self.sort is not None

    def close(self, reader: TermContext, args: list[Term]) -> Term:
        name, tables = self.constructor.name, reader.tables
        if len(args) != len(self.constructor.fields):
            raise InputError(
                f"the constructor '{name}' takes {len(self.constructor.fields)} arguments, found {len(args)}"
            )
        sort = self.sort or self._infer(reader, args)
        wanted = tables.sorts.field_sorts(sort, self.constructor)
        converted = [
            reader.applier.need(a, s, f"an argument of '{name}'")
            for a, s in zip(args, wanted, strict=True)
        ]
        if converted == args:
            self.remember(("OP_DT_APPLY_CONS", (name,), sort), args)
        return tables.apply("OP_DT_APPLY_CONS", *converted, indices=(name,), wanted=sort)

    def fits(self, reader: TermContext, args: list[Term]) -> bool:
        if len(args) != len(self.constructor.fields):
            return False
        bound: dict[str, Sort] = {}
        for arg, (_, field) in zip(args, self.constructor.fields, strict=True):
            _unify(field, arg.sort, bound)
        sorts = reader.tables.sorts
        return all(
            sorts.substitute(field, bound) is arg.sort
            for arg, (_, field) in zip(args, self.constructor.fields, strict=True)
        )

    def _infer(self, reader: TermContext, args: list[Term]) -> Sort:
        bound: dict[str, Sort] = {}
        for arg, (_, field) in zip(args, self.constructor.fields, strict=True):
            _unify(field, arg.sort, bound)
        missing = [p for p in self.datatype.params if p not in bound]
        if missing:
            name = self.constructor.name
            raise InputError(
                f"the sort of '{name}' is open, expected (as {name} (... )) with the sort of the result"
            )
        return reader.tables.sorts.get(
            "SORT_DT", self.datatype, *(bound[p] for p in self.datatype.params)
        )


def _unify(pattern: Sort, sort: Sort, bound: dict[str, Sort]) -> None:
    """Bind the parameters in `pattern` as far as `sort` determines them."""

    def inner(pair: tuple[Sort, Sort]) -> Iterable[tuple[Sort, Sort]]:
        wanted, found = pair
        return zip(wanted.sorts(), found.sorts(), strict=False) if wanted.kind == found.kind else ()

    for wanted, found in occurrences([(pattern, sort)], inner):
        if wanted.kind == "SORT_PARAM":
            bound.setdefault(str(wanted.params[0]), found)


class FieldHead(Head):
    """A selector, tester or updater, which takes a value of a datatype."""

    def __init__(self, kind: str, datatype: Datatype, indices: tuple[str, ...]) -> None:
        super().__init__()
        self.kind = kind
        self.datatype = datatype
        self.indices = indices

    def fits(self, reader: TermContext, args: list[Term]) -> bool:
        return (
            bool(args) and args[0].sort.kind == "SORT_DT" and args[0].sort.datatype is self.datatype
        )

    def close(self, reader: TermContext, args: list[Term]) -> Term:
        count = 2 if self.kind == "OP_DT_APPLY_UPDATER" else 1
        if (
            len(args) != count
            or args[0].sort.kind != "SORT_DT"
            or args[0].sort.datatype is not self.datatype
        ):
            found = ", ".join(str(a.sort) for a in args)
            raise InputError(
                f"'{self.indices[-1]}' takes {count} arguments, the first of datatype {self.datatype.name}; found ({found})"
            )
        if count == 2:
            constructor = self.datatype.constructor(self.indices[0])
            fields = (
                reader.tables.sorts.field_sorts(args[0].sort, constructor) if constructor else []
            )
            at = (
                [name for name, _ in constructor.fields].index(self.indices[1])
                if constructor
                else 0
            )
            args = [args[0], reader.applier.need(args[1], fields[at], "a value")]
        term = reader.tables.apply(self.kind, *args, indices=self.indices)
        self.remember((self.kind, self.indices, term.sort), args)
        return term


class OverloadedHead(Head):
    """A name that the script declared several times: functions of different arguments,
    constructors, or selectors.
    """

    def __init__(self, heads: list[Head]) -> None:
        super().__init__()
        self.heads = heads

    def close(self, reader: TermContext, args: list[Term]) -> Term | None:
        for head in self.heads:
            if head.fits(reader, args):
                return head.close(reader, [*head.first, *args])
        reasons = []
        for head in self.heads:
            try:
                return head.close(reader, [*head.first, *args])
            except InputError as error:
                reasons.append(str(error))
        raise InputError("; ".join(reasons))


def overloaded(old: Head, new: Head) -> OverloadedHead:
    """Return a head for both meanings of a name. The newer meaning comes first."""
    return OverloadedHead([new, *(old.heads if isinstance(old, OverloadedHead) else [old])])


class ConstArrayHead(Head):
    """`(as const (Array ...))`, which makes constant arrays."""

    def __init__(self, sort: Sort) -> None:
        super().__init__()
        self.sort = sort

    def close(self, reader: TermContext, args: list[Term]) -> Term:
        tables = reader.tables
        if len(args) != 1:
            raise InputError(f"'const' takes 1 argument, found {len(args)}")
        if self.sort.kind == "SORT_SET" and args[0] in (tables.true, tables.false):
            return tables.special(
                self.sort, "set.universe" if args[0] is tables.true else "set.empty"
            )
        if self.sort.kind != "SORT_ARRAY":
            raise InputError(f"'const' gives an array, found {self.sort}")
        array, depth = self.sort, 1
        while array.sort(1).kind == "SORT_ARRAY" and args[0].sort is not array.sort(1):
            array, depth = array.sort(1), depth + 1  # the array has several indices
        found = reader.applier.need(args[0], array.sort(1), "an element")
        for sort in reversed(_arrays(self.sort, depth)):
            found = tables.apply("OP_CONST_ARRAY", found, wanted=sort)
        return found


def _arrays(sort: Sort, depth: int) -> list[Sort]:
    """Return the sort of an array of arrays, and those of the arrays inside it, `depth` in all."""
    found = [sort]
    while len(found) < depth:
        found.append(found[-1].sort(1))
    return found
