"""Reads models as solvers print them: `(model (define-fun ...))` or `((define-fun ...))`, with the
elements of uninterpreted sorts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from murxpy.errors import InputError
from murxpy.logic.catalogue import STANDARD, Catalogue
from murxpy.logic.sorts import Sort
from murxpy.logic.terms import CONSTANT, FUNCTION, Term
from murxpy.logic.walks import subterms
from murxpy.semantics.domains import samples
from murxpy.semantics.evaluator import Evaluator
from murxpy.semantics.values import CannotSay, Element, FunctionValue, Interpretation, Value
from murxpy.smtlib import script as c
from murxpy.smtlib.building import Tables, substituted
from murxpy.smtlib.lexer import Source, key_of, solid, symbol, tokenize
from murxpy.smtlib.printing.terms import Printer, Unsayable
from murxpy.smtlib.reading.declarations import define_fun, define_fun_rec, known_datatypes
from murxpy.smtlib.reading.scripts import Reader
from murxpy.smtlib.reading.sorts import fixed
from murxpy.smtlib.script import Script

_ANSWERS = ("sat", "unknown", "model")
# cvc5 names an element only in a comment if it is the value of no constant
_ELEMENT = re.compile(r"^; rep: (\(as .*\))$", re.M)


@dataclass
class Model:
    """A model: for each constant a closed term or a defined function, and the elements of
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
    """Reads the definitions of a model. The reader knows the sorts and datatypes of the script."""

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
        for sort in _uninterpreted(script):
            name = str(sort.params[0])
            self.terms.scope.put(self.terms.scope.sorts, key_of(name), fixed(name, sort))
        for command in script.commands:
            if isinstance(command, c.DeclareDatatypes):
                self.terms.scope.may_redeclare()
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
                scope.undo(mark)
                source.go_back(start)
                self.model.whole = self.model.whole and self._extra()
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
            self.terms.scope.may_redeclare()
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

    def _extra(self) -> bool:
        """Take the beginning of a definition, and return whether it is of a function that the script does
        not have. z3 also prints the functions that stand for shared terms of a mutant, whose bodies have
        constants in them. A value that needs such a function cannot be read either.
        """
        words = [self.source.next_or_end() for _ in range(3)]
        named = words[:2] == ["(", "define-fun"] and words[2] not in ("", "(", ")")
        return named and symbol(words[2]) not in self._constants

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
    used = [term for term in subterms(script.assertions()) if term.op == CONSTANT]
    return list(dict.fromkeys([*script.constants(), *used]))


def _uninterpreted(script: Script) -> dict[Sort, None]:
    """Return the uninterpreted sorts that a script declares or that occur in its assertions. Those of new
    constants in a mutant are declared only when it is printed.
    """
    found = {one.sort: None for one in script.commands if isinstance(one, c.DeclareSort)}
    seen: dict[Sort, None] = {}
    left = [term.sort for term in subterms(script.assertions())]
    while left:
        sort = left.pop()
        if sort not in seen:
            seen[sort] = None
            left += sort.sorts()
            if sort.kind == "SORT_UNINTERPRETED":
                found[sort] = None
    return found


# ----------------------------------------------------------------------
# Computes values of a script's terms under a model that was read.


class Valuation:
    """Evaluates terms of a script under a model, with our own evaluator.

    The value of a constant is computed once. Functions stay in the terms, and so does a definition
    whose value is unknown. If `completed` is set and the whole model was read, a constant that the
    model leaves out has some value of its sort, because solvers leave out constants whose value does
    not matter. `universes` are the terms whose values are all elements of the sets of a sort.
    `limits` are those of the evaluator, if they are not its own.
    """

    def __init__(
        self,
        script: Script,
        model: Model,
        completed: bool = False,
        universes: Mapping[Sort, Term] | None = None,
        limits: Mapping[str, int] | None = None,
    ) -> None:
        self._tables = script.tables
        self._definitions: dict[Term, Term] = {}
        values = {}
        evaluator = Evaluator(script.tables.catalogue, model.interpretation())
        for constant, term in model.definitions.items():
            try:
                if constant.sort.kind != "SORT_FUN":
                    values[constant] = evaluator.value(term)
                    continue
            except CannotSay:
                pass
            self._definitions[constant] = term
        interpretation = model.interpretation()
        interpretation.constants.update(values)
        for operator, function in model.partial.items():
            interpretation.partial[operator] = _Printed(script.tables, model, function)
        for constant in declared(script) if completed and model.whole else ():
            if constant not in model.definitions and constant not in interpretation.constants:
                interpretation.constants.update(
                    (constant, value) for value in samples(constant.sort, evaluator)[:1]
                )
        self._evaluator = Evaluator(script.tables.catalogue, interpretation, **(limits or {}))
        for sort, universe in (universes or {}).items():
            interpretation.universes[sort] = None
            with suppress(CannotSay):
                interpretation.universes[sort] = self.value(universe)

    @property
    def evaluator(self) -> Evaluator:
        """The evaluator with its interpretation. A constant without a value can be given one as long
        as no term that contains it was evaluated.
        """
        return self._evaluator

    def value(self, term: Term) -> Value:
        """Return the value of a closed term. Raises CannotSay."""
        if self._definitions:
            term = substituted(self._tables, term, self._definitions)
        return self._evaluator.value(term)

    def holds(self, formula: Term) -> bool:
        """Return whether a closed formula is true. Raises CannotSay."""
        return bool(self.value(formula))


class _Printed(FunctionValue):
    """A function that a model defines, by our evaluation of its body."""

    __slots__ = ("_body", "_model", "_parameters", "_tables")

    def __init__(self, tables: Tables, model: Model, function: Term) -> None:
        super().__init__(None)
        *variables, body = function.args
        self._tables, self._model = tables, model
        self._parameters = [
            tables.constant(f"parameter {at}", variable.sort)
            for at, variable in enumerate(variables)
        ]
        self._body = substituted(tables, body, dict(zip(variables, self._parameters, strict=True)))

    def at(self, point: Any) -> Value:
        """The value at a point. Raises LookupError if the value is unknown."""
        interpretation = self._model.interpretation()
        interpretation.constants.update(zip(self._parameters, point, strict=True))
        try:
            return Evaluator(self._tables.catalogue, interpretation).value(self._body)
        except CannotSay as reason:
            raise LookupError(str(reason)) from None


# ----------------------------------------------------------------------
# A script in which a question for the model follows each check, and no other question is left.


_MODELS = "(set-option :produce-models true)"
# the output of these commands would stand between an answer and its model
_ASKING = ("get-", "echo", "eval", "display", "simplify")


def asking_for_models(text: str, name: str) -> str:
    """Return the script `text` with `(get-model)` behind each check. Each command keeps its line,
    and `name` is the name of the script in messages.

    Raises InputError if `text` cannot be split into tokens.
    """
    pieces, done = [_MODELS], 0
    for start, end, words in _commands(text, name):
        command = symbol(words[0]) if words else ""
        pieces.append(text[done:start])
        done = end
        if command.startswith(_ASKING) or words[:2] == ["set-option", ":produce-models"]:
            pieces.append("\n" * text.count("\n", start, end))
            continue
        pieces.append(text[start:end])
        if command.startswith("check-sat"):
            pieces.append("(get-model)")
        elif command == "reset":
            pieces.append(_MODELS)
    return "".join([*pieces, text[done:]])


def _commands(text: str, name: str) -> Iterator[tuple[int, int, list[str]]]:
    """Yield, for each command of a script, where it begins and ends in the text, and its first
    tokens.
    """
    depth, start = 0, 0
    words: list[str] = []
    for token, at in zip(tokenize(text, name), solid(text), strict=True):
        if token == "(" and depth == 0:
            start, words = at, []
        elif depth > 0 and len(words) < 2:
            words.append(token)
        depth += (token == "(") - (token == ")")
        if token == ")" and depth == 0:
            yield start, at + 1, words


# ----------------------------------------------------------------------
# The definitions of a model as texts that a person reads.


def shown_model(catalogue: Catalogue, model: Model) -> dict[str, str]:
    """Return the definitions of a model as texts, by symbol."""
    printer = Printer(catalogue, _dialects(catalogue)[0])
    return {
        printer.function(constant): _shown(catalogue, term)
        for constant, term in model.definitions.items()
    }


def _shown(catalogue: Catalogue, term: Term) -> str:
    """Return a value as text, or a function with its variables."""
    for dialect in _dialects(catalogue):
        printer = Printer(catalogue, dialect)
        with suppress(Unsayable):
            if term.op != FUNCTION:
                return printer.term(term)
            return f"({printer.variables(term.args[:-1])}) {printer.term(term.args[-1])}"
    return "a value that no dialect has words for"


def _dialects(catalogue: Catalogue) -> list[str]:
    """Return the dialects in the order in which they are tried. The first that can say a value
    shows it; the standard comes last, because it can say the fewest values.
    """
    return sorted(catalogue.dialects, key=lambda name: (name == STANDARD, name))
