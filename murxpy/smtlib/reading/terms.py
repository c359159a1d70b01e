"""Reads terms. One loop over the tokens builds typed, hash-consed terms, whatever their depth."""

from __future__ import annotations

from itertools import chain, count

from murxpy.errors import InputError
from murxpy.logic.sorts import Sort
from murxpy.logic.terms import CONSTANT, FUNCTION, Term
from murxpy.smtlib.building import Tables
from murxpy.smtlib.lexer import Source, key, key_of, symbol, unknown
from murxpy.smtlib.reading.forms import FORMS, AnnotationHead, MatchHead, bind
from murxpy.smtlib.reading.heads import (
    ApplyHead,
    ConstructorHead,
    FieldHead,
    FunctionHead,
    Head,
    OverloadedHead,
    TermContext,
    TermHead,
    TheoryHead,
    overloaded,
)
from murxpy.smtlib.reading.identifiers import Identifiers, literal
from murxpy.smtlib.reading.vocabulary import Vocabulary


class TermReader(TermContext):
    """Reads terms from the tokens of a script into tables."""

    def __init__(self, source: Source, tables: Tables, words: Vocabulary) -> None:
        super().__init__(source, tables, words)
        self.identifiers = Identifiers(self)
        self._hiding: dict[str, bool] = {}  # the names of constants whose declarations hide others

    def read(self) -> Term:
        """Read the next term. Raises InputError, which does not name a place."""
        self.name = None
        token = self.source.next("a term")
        if token != "(":
            term = self.scope.atoms.get(token) or self.atom(token)
            # only an annotation can go on without a term, and here is none around
            assert term is not None
            return term
        self.stack.clear()
        term = self._read()
        if self._named:
            self._keep_names()
        return term

    def _keep_names(self) -> None:
        """Keep the names that `:named` gave, since they last longer than the binders around them."""
        for token, term in self._named:
            self.scope.put(self.scope.own, key(token), True)
            bind(self, token, term)
        self._named.clear()

    def _read(self) -> Term:
        # Every token of a script comes by here, so names are local and calls are few.
        source, known, atoms = self.source.rest, self.scope.heads.get, self.scope.atoms.get
        push, pop, apply = self.stack.append, self.stack.pop, self.tables.terms.apply
        root = head = self.root
        args: list[Term] = []
        for token in chain("(", source):
            if token == "(":
                push((head, args))
                token = next(source, "")
                found = known(token)
                if found is not None:
                    head, args = found, found.first.copy()
                    continue
                term = self.open(token)
            elif token == ")":
                plan = head.plans.get(tuple([a.sort for a in args]))
                term = (
                    apply(plan[0], tuple(args), plan[1], plan[2])
                    if plan is not None
                    else head.close(self, args)
                )
            else:
                term = atoms(token) or self.atom(token, head, args)
                if term is not None:
                    args.append(term)
                    continue
            if term is None:  # a form has more to read in another frame
                head, args = self.head, self.args
                continue
            head, args = pop()
            if head is root:
                return term
            args.append(term)
        raise InputError(f"expected ')', {len(self.stack)} are open; found the end of the file")

    # -- what is rare

    def open(self, token: str) -> Term | None:
        """Read what begins with '(' and no known head. Return the term if it is complete, as an
        identifier is; return None if a form begins or a term is the head.
        """
        if not token:
            raise InputError("expected a term, found the end of the file")
        form = FORMS.get(token)
        parent, args = self.stack[-1]
        if isinstance(parent, MatchHead) and len(args) == 1:
            return parent.cases(self, token)
        if form is not None:
            return form(self)
        if token in ("_", "as"):
            return self.identifiers.term(token)
        if token == "(":
            return self._compound()
        head = self.head_of(token)
        self.go_on(head, head.first.copy())
        return None

    def head_of(self, token: str) -> Head:
        """Return the head that a symbol stands for. Raises InputError."""
        name = key(token)
        known = self.scope.heads.get(name)
        if known is not None:
            return known
        term = self.scope.atoms.get(name)
        if term is not None and term.sort.kind == "SORT_FUN":
            return FunctionHead(term)
        if term is None and name in self.words.operators and name not in self.scope.own:
            head = self.scope.heads[name] = TheoryHead(name, self.words.operators[name])
            return head
        if term is not None:
            raise InputError(
                f"'{symbol(token)}' is of sort {term.sort}, expected a function to apply"
            )
        if token == ")":
            raise InputError("expected a term, found '()'")
        raise unknown(token, "function", [*self.scope.heads, *self.words.operators, *FORMS])

    def _compound(self) -> Term | None:
        """Read what begins with '((': a head such as `((_ extract 3 0) x)`, or a term that is
        applied.
        """
        while True:
            token = self.source.next("'_', 'as' or a term")
            qualified = token in ("_", "as")
            head = self.identifiers.head(token) if qualified else None
            if head is not None:
                break
            # the term that comes is the first argument of this head
            self.stack.append((TermHead(), []))
            if token == "(":
                continue
            head = ApplyHead() if qualified else self.scope.heads.get(token)
            if head is None:
                return self.open(token)
            break
        self.go_on(head, head.first.copy())
        return None

    def atom(
        self, token: str, head: Head | None = None, args: list[Term] | None = None
    ) -> Term | None:
        """Return the term of a token that is not known yet: a literal, or a symbol between bars.
        Return None for a keyword, which is read together with its value. Raises InputError.
        """
        atoms = self.scope.atoms
        name = key(token)
        term = atoms.get(name)
        if term is not None:
            return term
        term = literal(self.tables, token, self.reals)
        if term is not None:
            self.scope.literals[token] = atoms[token] = term
            return term
        if token[0] == ":" and isinstance(head, AnnotationHead) and args is not None:
            head.keyword(self, token, args)
            return None
        if token[0] in ":)":
            raise InputError(f"expected a term, found '{token[:60]}'")
        term = self.identifiers.nullary(name)
        if term is not None:
            atoms[name] = term
            return term
        if name in self.scope.heads or name in self.words.operators:
            return self._alone(token)
        raise unknown(token, "symbol", [*atoms, *self.scope.heads, *self.words.special])

    def _alone(self, token: str) -> Term:
        """Return the meaning of a name that usually takes arguments where it has none."""
        head = self.head_of(token)
        if isinstance(head, ConstructorHead) and not head.constructor.fields:
            return head.close(self, [])
        raise InputError(f"'{symbol(token)[:60]}' takes arguments, expected '(' before it")

    def name_term(self, token: str, term: Term, whole: bool) -> None:
        """Note the name that `:named` gives to a term. `whole` says whether it is the whole term
        that is being read.
        """
        self.define(token, term)
        self._named.append((token, term))
        if whole:
            self.name = symbol(token)

    def declared(self, token: str, sort: Sort) -> Term:
        """Return the constant that `declare-fun` and `declare-const` make. A declaration hides an
        earlier one of the same symbol, as in cvc5 and, if the sorts differ, in z3. The constant then
        gets a name that no symbol of the script has, because it is another one than the hidden one.
        """
        name, known = symbol(token), key(token)
        old = self.scope.atoms.get(known)
        if not self.scope.own.get(known) or old is None or old.op != CONSTANT:
            return self.tables.constant(name, sort)
        both = sort.kind == old.sort.kind == "SORT_FUN"
        if not str(old.indices[0]).startswith(name) or (
            both and sort.sorts()[:-1] != old.sort.sorts()[:-1]  # both functions are visible
        ):
            return self.tables.constant(name, sort)
        self.scope.put(self.scope.own, known, False)
        taken = set(map(symbol, self.source.tokens))
        fresh = (f"{name}!{number}" for number in count(1))
        new = next(other for other in fresh if other not in taken and other not in self._hiding)
        self._hiding[new] = True
        return self.tables.constant(new, sort)

    def define(self, token: str, term: Term) -> None:
        """Let a symbol stand for a term from now on. Raises InputError if the symbol is taken.

        A function may have the name of other functions that take other arguments; z3 and cvc5 allow
        that, too.
        """
        if (
            term.sort.kind == "SORT_FUN"
            and term.op in (CONSTANT, FUNCTION)
            and self._overload(token, FunctionHead(term))
        ):
            return
        self._check_free(token)
        bind(self, token, term)

    def define_head(self, token: str, head: Head) -> None:
        """Let a symbol stand for a head from now on. Raises InputError if the symbol is taken."""
        if self._overload(token, head):
            return
        self._check_free(token)
        term = head.close(self, []) if isinstance(head, ConstructorHead) and head.complete else None
        self.scope.bind(key(token), term, head)

    def _overload(self, token: str, head: Head) -> bool:
        """Return whether the symbol already stands for something that takes other arguments. If so,
        it stands for `head`, too, from now on.
        """
        old = self.scope.heads.get(key(token)) if self.scope.own.get(key(token)) else None
        if old is None or key(token) in self.words.core:
            return False
        domain = _domain(head)
        for other in old.heads if isinstance(old, OverloadedHead) else [old]:
            if domain is not None and domain == _domain(other):
                return False
        self.scope.put(self.scope.heads, key(token), overloaded(old, head))
        return True

    def define_field(self, name: str, head: FieldHead) -> None:
        """Let a name stand for a selector, or for a tester by its name `is-C`, unless the name
        stands for something else.
        """
        known = self.scope.fields.get(name)
        entry = head if known is None else overloaded(known, head)
        self.scope.put(self.scope.fields, name, entry)
        if key_of(name) not in self.scope.own:
            self.scope.put(self.scope.heads, key_of(name), entry)

    def _check_free(self, token: str) -> None:
        name = key(token)
        if name in self.words.core:
            raise InputError(
                f"'{symbol(token)}' is a symbol of the theory Core, expected another name"
            )
        if self.scope.own.get(name):
            raise InputError(f"'{symbol(token)[:60]}' is declared already")
        self.scope.put(self.scope.own, name, True)


def _domain(head: Head) -> tuple[object, ...] | None:
    """Return the sorts of the arguments of a function, or the datatype of a selector. Return None if
    the sorts are not fixed.
    """
    if isinstance(head, FunctionHead):
        return head.function.sort.sorts()[:-1]
    if isinstance(head, FieldHead):
        return (head.datatype,)
    return (
        tuple(sort for _, sort in head.constructor.fields)
        if isinstance(head, ConstructorHead)
        else None
    )
