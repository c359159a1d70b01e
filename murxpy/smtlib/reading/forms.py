"""Reads the forms of terms that are no applications: let, binders, annotations and match. Each form
is a head that opens and closes its own frames.
"""

from __future__ import annotations

from collections.abc import Callable

from murxpy.errors import InputError
from murxpy.logic.sorts import Constructor, Sort
from murxpy.logic.terms import Term
from murxpy.smtlib.lexer import key, symbol
from murxpy.smtlib.reading.applying import as_array, soft
from murxpy.smtlib.reading.heads import ApplyHead, FunctionHead, Head, TermContext

Form = Callable[["TermContext"], "Term | None"]


def bind(reader: TermContext, token: str, term: Term) -> None:
    """Let a symbol stand for a term until the end of the scope that is being read."""
    reader.scope.bind(
        key(token), term, FunctionHead(term) if term.sort.kind == "SORT_FUN" else None
    )


def single(args: list[Term], what: str) -> Term:
    """Return the only term of a frame. Raises InputError if there is another number of terms."""
    if len(args) != 1:
        raise InputError(f"expected one term as {what}, found {len(args)}")
    return args[0]


# -- let


class LetHead(Head):
    """Reads the bindings `(x t)` of a let one after another, and then its body. The bindings are
    visible in the body only (section 3.6.1).
    """

    def __init__(self, first: str) -> None:
        super().__init__()
        self.names = [first]
        self.terms: list[Term] = []
        self.mark = -1

    def close(self, reader: TermContext, args: list[Term]) -> Term | None:
        if self.mark >= 0:
            reader.scope.undo(self.mark)
            return single(args, "the body of 'let'")
        self.terms.append(single(args, f"the value of '{symbol(self.names[-1])}'"))
        if reader.source.skip("("):
            self.names.append(reader.source.symbol("a variable"))
        else:
            reader.source.take(")", "or another binding of 'let'")
            self._open_body(reader)
        reader.go_on(self, [])
        return None

    def _open_body(self, reader: TermContext) -> None:
        self.mark = reader.scope.mark()
        for name, term in zip(self.names, self.terms, strict=True):
            bind(reader, name, term)


def let(reader: TermContext) -> Term | None:
    """Begin to read `(let ((x t) ...) body)`."""
    reader.source.take("(", "before the bindings of 'let'")
    reader.source.take("(", "before a binding of 'let'")
    reader.go_on(LetHead(reader.source.symbol("a variable")), [])
    return None


# -- binders


class BinderHead(Head):
    """Reads the body of a quantifier, lambda or comprehension. `pattern` is the first pattern in
    its annotation.
    """

    def __init__(self, kind: str, variables: list[Term], mark: int) -> None:
        super().__init__()
        self.kind = kind
        self.variables = variables
        self.mark = mark
        self.pattern: Term | None = None

    def close(self, reader: TermContext, args: list[Term]) -> Term | None:
        reader.scope.undo(self.mark)
        tables = reader.tables
        if self.kind == "OP_SET_COMPREHENSION":
            if len(args) != 2:
                raise InputError(
                    f"expected a condition and a member behind the variables, found {len(args)} terms"
                )
            return tables.apply(self.kind, *self.variables, *args)
        body = single(args, "the body of a binder")
        if self.kind != "OP_LAMBDA" and body.sort is not tables.bool:
            raise InputError(f"expected a Boolean body of a quantifier, found {body.sort}")
        if self.pattern is not None:
            return tables.apply(f"{self.kind}_PATTERN", *self.variables, body, self.pattern)
        term = tables.apply(self.kind, *self.variables, body)
        return as_array(tables, term) if reader.array_lambdas else term


def binder(kind: str) -> Form:
    """Begin to read a form that binds variables."""

    def form(reader: TermContext) -> Term | None:
        mark = reader.scope.mark()
        reader.go_on(BinderHead(kind, sorted_variables(reader), mark), [])
        return None

    return form


def sorted_variables(reader: TermContext, least: int = 1) -> list[Term]:
    """Read `((x S) ...)`: new variables that are bound until the end of the scope. If two have the
    same name, the last one is seen. Raises InputError.
    """
    source = reader.source
    source.take("(", "before the variables")
    variables: list[tuple[str, Term]] = []
    while not source.skip(")"):
        source.take("(", "before a variable")
        token = source.symbol("a variable")
        variables.append((token, reader.tables.variable(symbol(token), reader.sorts.read())))
        source.take(")", "behind the variable's sort")
    if len(variables) < least:
        raise InputError("expected a variable, found none")
    for token, variable in variables:
        bind(reader, token, variable)
    return [variable for _, variable in variables]


# -- annotations


class AnnotationHead(Head):
    """Reads `(! t :named n :pattern (p ...) ...)`. Other attributes do not change the meaning of a
    term and are passed over.
    """

    def close(self, reader: TermContext, args: list[Term]) -> Term | None:
        return single(args, "what is annotated")

    def keyword(self, reader: TermContext, name: str, args: list[Term]) -> None:
        """Read an attribute and its value."""
        term, source = single(args, "what is annotated"), reader.source
        outer = reader.stack[-1][0]
        reader.go_on(self, args)
        if name == ":named":
            token = source.symbol("a name")
            if term.free:
                raise InputError(
                    f"the term named '{symbol(token)}' has the free variable '{term.free[0].indices[0]}'"
                )
            reader.name_term(token, term, outer is reader.root)
        elif name == ":pattern" and isinstance(outer, BinderHead):
            source.take("(", "before a pattern")
            reader.stack.append((self, args))
            reader.go_on(PatternHead(outer), [])
        else:
            source.raw()


class PatternHead(Head):
    """Reads the terms of a pattern. A pattern of one term is kept. Patterns of several terms and
    alternative patterns are passed over, since they only guide solvers in finding instances.
    """

    def __init__(self, binder: BinderHead) -> None:
        super().__init__()
        self.binder = binder

    def close(self, reader: TermContext, args: list[Term]) -> Term | None:
        if (
            len(args) == 1
            and self.binder.pattern is None
            and set(self.binder.variables) <= set(args[0].free)
        ):
            self.binder.pattern = args[0]
        reader.go_on(*reader.stack.pop())
        return None


def annotation(reader: TermContext) -> Term | None:
    """Begin to read `(! term attributes)`."""
    reader.go_on(AnnotationHead(), [])
    return None


# -- match


class MatchHead(Head):
    """Reads `(match t (case ...))`: the matched term, and then its cases."""

    def cases(self, reader: TermContext, token: str) -> Term | None:
        """Begin to read the first case. `token` is its parenthesis; the parenthesis of the list has
        been read.
        """
        if token != "(":
            raise InputError(f"expected '(' before a case of 'match', found '{token[:60]}'")
        matched = reader.stack[-1][1][0]
        if matched.sort.kind != "SORT_DT":
            raise InputError(f"'match' takes a term of a datatype, found one of {matched.sort}")
        case = CaseHead(matched.sort)
        case.open(reader)
        return None

    def close(self, reader: TermContext, args: list[Term]) -> Term | None:
        if len(args) < 2:
            raise InputError("expected a term and its cases behind 'match'")
        covered = {str(c.indices[0]) if c.indices else "" for c in args[1:]}
        missing = [c.name for c in args[0].sort.datatype.constructors if c.name not in covered]
        if missing and "" not in covered:
            raise InputError(f"'match' has no case of the constructor '{missing[0]}'")
        return reader.tables.apply("OP_DT_MATCH", args[0], *_alike(reader, args[1:]))


def _alike(reader: TermContext, cases: list[Term]) -> list[Term]:
    """Return the cases with values of one sort, where lambdas are functions, arrays or sets."""
    bodies = [case.args[-1] for case in cases]
    if all(body.sort is bodies[0].sort for body in bodies):
        return cases
    wanted = next((body.sort for body in bodies if not soft(body)), bodies[-1].sort)
    return [
        reader.tables.apply(
            case.op,
            *case.args[:-1],
            reader.applier.need(case.args[-1], wanted, "a value of a case"),
            indices=case.indices,
            wanted=case.sort.sort(0),
        )
        for case in cases
    ]


class CaseHead(Head):
    """Reads the cases `(pattern body)` one after another. The frame below it is that of the match."""

    def __init__(self, sort: Sort) -> None:
        super().__init__()
        self.sort = sort
        self.constructor: Constructor | None = None
        self.variables: list[Term] = []
        self.mark = 0

    def open(self, reader: TermContext) -> None:
        """Read a pattern and bind its variables. The body of the case is read next."""
        source = reader.source
        self.mark = reader.scope.mark()
        self.constructor, self.variables = None, []
        if source.skip("("):
            token = source.symbol("a constructor")
            names = []
            while not source.skip(")"):
                names.append(source.symbol_or("_", "a variable"))
            self._bind(reader, token, names)
        else:
            token = source.symbol_or("_", "a pattern")
            self._bind(reader, token, []) if self._named(token) else self._catch(reader, token)
        reader.go_on(self, [])

    def _named(self, token: str) -> bool:
        return self.sort.datatype.constructor(symbol(token)) is not None

    def _bind(self, reader: TermContext, token: str, names: list[str]) -> None:
        constructor = self.sort.datatype.constructor(symbol(token))
        if constructor is None or len(constructor.fields) != len(names):
            raise InputError(
                f"no constructor '{symbol(token)}' with {len(names)} fields in {self.sort}"
            )
        self.constructor = constructor
        for name, sort in zip(
            names, reader.tables.sorts.field_sorts(self.sort, constructor), strict=True
        ):
            self._variable(reader, name, sort)

    def _catch(self, reader: TermContext, token: str) -> None:
        self._variable(reader, token, self.sort)

    def _variable(self, reader: TermContext, token: str, sort: Sort) -> None:
        variable = reader.tables.variable(symbol(token), sort)
        self.variables.append(variable)
        if token != "_":
            bind(reader, token, variable)

    def close(self, reader: TermContext, args: list[Term]) -> Term | None:
        reader.scope.undo(self.mark)
        body = single(args, "the value of a case")
        kind = "OP_DT_MATCH_BIND_CASE" if self.variables else "OP_DT_MATCH_CASE"
        indices = (self.constructor.name,) if self.constructor else ()
        reader.stack[-1][1].append(
            reader.tables.apply(kind, *self.variables, body, indices=indices, wanted=self.sort)
        )
        if reader.source.skip("("):
            self.open(reader)
        else:
            reader.source.take(")", "behind the cases of 'match'")
            reader.go_on(*reader.stack.pop())
        return None


def match(reader: TermContext) -> Term | None:
    """Begin to read `(match t (case ...))`."""
    reader.go_on(MatchHead(), [])
    return None


def application(reader: TermContext) -> Term | None:
    """Begin to read `(@ f t ...)` of cvc5."""
    reader.go_on(ApplyHead(), [])
    return None


FORMS: dict[str, Form] = {
    "let": let,
    "forall": binder("OP_FORALL"),
    "exists": binder("OP_EXISTS"),
    "lambda": binder("OP_LAMBDA"),
    "!": annotation,
    "set.comprehension": binder("OP_SET_COMPREHENSION"),
    "match": match,
    "@": application,
}
