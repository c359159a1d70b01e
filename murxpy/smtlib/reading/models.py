"""Reads models as solvers print them: `(model (define-fun ...))` or `((define-fun ...))`, with the
elements of uninterpreted sorts.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from murxpy.errors import InputError
from murxpy.logic.sorts import Sort
from murxpy.logic.terms import CONSTANT, Term
from murxpy.semantics.model import Interpretation
from murxpy.semantics.values import Element
from murxpy.smtlib import commands as c
from murxpy.smtlib.reading.datatypes import known_datatypes
from murxpy.smtlib.reading.declarations import define_fun, define_fun_rec
from murxpy.smtlib.reading.scripts import Reader
from murxpy.smtlib.reading.sorts import fixed
from murxpy.smtlib.script import Script
from murxpy.smtlib.syntax.lexer import key_of
from murxpy.smtlib.syntax.source import Source

_ANSWERS = ("sat", "unknown", "model")
# cvc5 names an element only in a comment if it is the value of no constant
_ELEMENT = re.compile(r"^; rep: (\(as .*\))$", re.M)


@dataclass
class Model:
    """What a model says: for each constant a closed term or a defined function, and the elements of
    uninterpreted sorts.

    `partial` are functions that say what an operator is at points that the standard leaves open.
    `listed` are the sorts of which the model names all elements, so that quantifiers over them can
    be judged. `whole` is False if some part of the output could not be read.
    """

    definitions: dict[Term, Term] = field(default_factory=dict)
    partial: dict[str, Term] = field(default_factory=dict)
    # elements, by the constants that stand for them
    elements: dict[Term, Element] = field(default_factory=dict)
    listed: set[Sort] = field(default_factory=set)
    whole: bool = True

    def interpretation(self) -> Interpretation:
        """Return the meanings of the constants that stand for elements."""
        domains: dict[Sort, tuple[Element, ...]] = {}
        for constant, element in self.elements.items():
            if constant.sort in self.listed:
                domains[constant.sort] = (*domains.get(constant.sort, ()), element)
        return Interpretation(constants=dict(self.elements), domains=domains)


def read_model(text: str, name: str, script: Script) -> Model:
    """Read a model of a script's constants, in the tables of the script. Raises InputError with
    file, line and column.
    """
    source = Source(_with_elements(text), name)
    reader = _ModelReader(source, script)
    try:
        reader.read()
    except InputError as error:
        raise error if error.file is not None else source.located(error) from None
    return reader.model


def read_printed_model(
    output: str, script: Script, open_points: Mapping[str, str] | None = None
) -> Model:
    """Read as much as possible of the model in what a solver printed. A definition that cannot be
    read is left out. `open_points` are the names of functions that say what an operator is where
    the standard does not, with the operators.
    """
    try:
        reader = _ModelReader(Source(_with_elements(output), "model"), script, open_points)
    except InputError:  # the output ends inside of a string
        return Model(whole=False)
    reader.read_leniently()
    return reader.model


def _with_elements(text: str) -> str:
    """Return the text in which the elements in comments are definitions, each on its line."""
    return _ELEMENT.sub(r"(rep \1)", text)


class _ModelReader(Reader):
    """Reads the definitions of a model. It knows the sorts and datatypes of the script."""

    def __init__(
        self, source: Source, script: Script, open_points: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(source, script.tables)
        self._open_points = open_points or {}
        self.model = Model()
        self._defined = {
            key_of(command.name) for command in script.commands if isinstance(command, c.DefineFun)
        }
        self._constants = {str(constant.indices[0]): constant for constant in declared(script)}
        for command in script.commands:
            if isinstance(command, c.DeclareSort):
                name = str(command.sort.params[0])
                self.terms.scope.put(
                    self.terms.scope.sorts, key_of(name), fixed(name, command.sort)
                )
            elif isinstance(command, c.DeclareDatatypes):
                self.terms.scope.may_declare_anew()
                known_datatypes(self, command.datatypes)
        self.terms.elements = self.element

    def read(self) -> None:
        """Read all definitions, and the parentheses around them."""
        source = self.source
        if source.peek() in _ANSWERS:
            source.next("a model")
        source.take("(", "before the model")
        source.skip("model")
        while not source.skip(")"):
            self._definition()
        if source.peek():
            raise InputError(
                f"expected the end of the text behind the model, found '{source.peek()[:60]}'"
            )

    def read_leniently(self) -> None:
        """Read those definitions that can be read, whatever stands before or behind them."""
        source, scope = self.source, self.terms.scope
        while (head := source.next_or_end()) != "(" or source.peek() not in ("(", ")", "model"):
            if not head:
                self.model.whole = False
                return
        source.skip("model")
        while source.peek() not in (")", ""):
            start, mark = source.at, scope.mark()
            try:
                self._definition()
            except InputError:
                self.model.whole = False
                scope.undo(mark)
                source.go_back(start)
                source.pass_over()
        self.model.whole = self.model.whole and source.peek() == ")"

    def _definition(self) -> None:
        source = self.source
        source.take("(", "before a definition")
        word = source.next("a definition")
        # z3 also prints the definitions of the script
        if word == "define-fun" and key_of(source.peek()) in self._defined:
            source.raw_rest()
        elif word in ("define-fun", "define-fun-rec"):
            self.terms.scope.may_declare_anew()
            self._define(word)
        elif word == "declare-fun":  # z3 declares an element of an uninterpreted sort so
            token = source.symbol("an element")
            source.take("(", "behind it")
            source.take(")", "behind it")
            element = self.element(token, self.terms.sorts.read())
            self.terms.define(token, element)
            self.model.listed.add(element.sort)
        elif word == "rep":  # cvc5 names an element so
            self.model.listed.add(self.terms.read().sort)
        elif word in (
            "forall",
            "declare-sort",
            "declare-datatypes",
            "declare-datatype",
        ):  # z3 says so how many elements there are
            source.raw_rest()
        else:
            raise InputError(f"expected 'define-fun', found '{word[:60]}'")
        source.take(")", "behind the definition")

    def _define(self, word: str) -> None:
        if word == "define-fun-rec":
            command = define_fun_rec(self)
            assert isinstance(command, c.DefineFunsRec)
            raise InputError(
                f"the function '{command.functions[0].indices[0]}' is recursive, which has no value here"
            )
        definition = define_fun(self)
        assert isinstance(definition, c.DefineFun)
        constant = self._constants.get(definition.name)
        term = definition.function or definition.body
        if constant is None:
            operator = self._open_points.get(definition.name)
            if operator is not None and definition.function is not None:
                self.model.partial[operator] = definition.function
            return
        if constant.sort is not term.sort:
            raise InputError(
                f"'{definition.name}' is of sort {constant.sort}, the model gives one of {term.sort}"
            )
        self.model.definitions[constant] = term

    def element(self, token: str, sort: Sort) -> Term:
        """Return the constant that stands for an element of an uninterpreted sort."""
        name = token.strip("|")
        constant = self.tables.constant(name, sort)
        self.model.elements.setdefault(constant, Element(name))
        return constant


def declared(script: Script) -> list[Term]:
    """Return the constants and functions that a script declares or that occur in its assertions."""
    found = dict.fromkeys(script.constants())
    stack, seen = list(script.assertions()), set()
    while stack:
        term = stack.pop()
        if term not in seen:
            seen.add(term)
            stack.extend(term.args)
            if term.op == CONSTANT:
                found[term] = None
    return list(found)
