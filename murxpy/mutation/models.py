"""The model that a solver prints for a script, as an interpretation of the script's constants."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from murxpy.errors import InputError
from murxpy.logic.terms import Term
from murxpy.semantics.evaluator import Evaluator
from murxpy.semantics.model import Interpretation
from murxpy.semantics.values import CannotSay, Element
from murxpy.smtlib.commands import Ask, DeclareDatatypes, DeclareFun, DeclareSort, DefineFun, SetLogic, SetOption
from murxpy.smtlib.reader import read_script
from murxpy.smtlib.script import Script
from murxpy.smtlib.substitution import substituted
from murxpy.smtlib.writer import print_script

_BEGIN = re.compile(r"\(\s*(?:model\s*)?(?=\(|;|\))")
_SORTS = (DeclareSort, DeclareDatatypes)


@dataclass
class PrintedModel:
    """Values of constants, and definitions of functions; `value` evaluates formulas of the script with both."""

    script: Script
    interpretation: Interpretation = field(default_factory=Interpretation)
    functions: dict[Term, Term] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._evaluator: Evaluator | None = None

    def holds(self, formula: Term) -> bool | None:
        """Whether a closed formula is true; None where that cannot be said."""
        if self._evaluator is None:
            self._evaluator = Evaluator(self.script.tables.catalogue, self.interpretation)
        try:
            return bool(self._evaluator.value(substituted(self.script.tables, formula, self.functions)))
        except CannotSay:
            return None


def asking(script: Script, dialect: str) -> str:
    """The text of a script that asks for the model, too."""
    commands = [SetOption("produce-models", "true"), *script.commands, Ask("get-model")]
    return print_script(Script(script.name, script.tables, commands), dialect)


def read_model(script: Script, output: str, dialect: str) -> PrintedModel:
    """The model in what a solver printed. What in it cannot be read is left out."""
    model = PrintedModel(script)
    constants = {str(c.indices[0]): c for c in script.constants()}
    sorts = Script("sorts", script.tables, [SetLogic("ALL"), *(c for c in script.commands if isinstance(c, _SORTS))])
    prelude = print_script(sorts, dialect)
    for definition in _definitions(output):
        _enter(model, constants, prelude, definition)
    return model


def _enter(model: PrintedModel, constants: dict[str, Term], prelude: str, definition: str) -> None:
    try:
        read = read_script(prelude + definition, "model", model.script.tables.catalogue, model.script.tables)
    except InputError:
        return
    values = model.interpretation.constants
    for command in read.commands:
        if isinstance(command, DeclareFun) and command.constant.sort.kind == "SORT_UNINTERPRETED":
            values[command.constant] = Element(str(command.constant.indices[0]))
        elif isinstance(command, DefineFun) and command.name in constants:
            constant = constants[command.name]
            if command.function is not None:
                if command.function.sort is constant.sort:
                    model.functions[constant] = command.function
            else:
                try:
                    values[constant] = Evaluator(read.tables.catalogue, model.interpretation).value(command.body)
                except CannotSay:
                    continue


def _definitions(output: str) -> Iterator[str]:
    """The parts of the list that a solver prints for its model, each balanced; declarations of elements first."""
    found = _BEGIN.search(output)
    if found is None:
        return
    parts = list(_balanced(re.sub(r";[^\n]*", "", output[found.end() :])))
    yield from (part for part in parts if part.startswith("(declare-fun"))
    yield from (part for part in parts if part.startswith("(define-fun"))


def _balanced(text: str) -> Iterator[str]:
    """The expressions of a list, up to its end."""
    depth, start = 0, 0
    for token in re.finditer(r'"[^"]*"|\|[^|]*\||[()]', text):
        if token[0] == "(":
            start = token.start() if depth == 0 else start
            depth += 1
        elif token[0] == ")":
            depth -= 1
            if depth < 0:
                return
            if depth == 0:
                yield text[start : token.end()]
