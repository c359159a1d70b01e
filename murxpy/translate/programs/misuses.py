"""Misuses in a plain program: the call with its bad operand as a person would write it."""

from __future__ import annotations

import itertools
import operator
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from murxpy.machine.misuse import protocols, stress
from murxpy.machine.misuse.armed import Armed
from murxpy.machine.outcomes import Misused, Refused, Stopped
from murxpy.machine.tokens import Python
from murxpy.solvers.callables import PROPERTY
from murxpy.solvers.spelling import Spelling
from murxpy.translate.expressions import Code, literal, operand
from murxpy.translate.misuse import MisuseRows
from murxpy.translate.programs.sheet import Sheet

# what stress on one object comes down to, by our function
_STRESS: dict[Callable[..., Any], str] = {
    protocols.copied: "copy.copy({0})",
    protocols.deeply_copied: "copy.deepcopy({0})",
    protocols.pickled: "pickle.loads(pickle.dumps({0}))",
    protocols.equality: "{0} == 7",
    protocols.iterated: "list(itertools.islice({0}, 5000))",
    protocols.indexed: "{0}[{1}]",
    protocols.truth: "bool({0})",
    protocols.texts: "repr({0})",
}
_SYMBOLS = {
    name: symbol
    for symbol, names in {
        "&": "and_",
        "|": "or_",
        "^": "xor",
        "+": "add",
        "-": "sub",
        "*": "mul",
        "/": "truediv",
        "%": "mod",
        "**": "pow",
        "<<": "lshift",
        ">>": "rshift",
        "<": "lt",
        "<=": "le",
        ">": "gt",
        ">=": "ge",
        "==": "eq",
        "!=": "ne",
    }.items()
    for name in names.split()
    if hasattr(operator, name)
}


class PlainMisuses(MisuseRows):
    """The part of a program that misuses calls. The misuse on the last line of the trace is
    `failing`; `other` is the same call with another operand, where the two are compared.
    """

    sheet: Sheet
    main: str
    plain: bool
    failing: str
    other: str = ""
    given: str = ""
    message: str = ""  # what the finding says

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.modules: dict[str, None] = {}  # the modules whose functions the program calls

    def imports(self) -> str:
        """The statements that import the binding."""
        raise NotImplementedError

    def misused(self, code: str) -> None:
        """Write a misuse, or keep it if it is the defect."""
        if self.last:
            self.failing = code
            raise Stopped(None)
        self.sheet.do(f"try:\n    {code}\nexcept Exception:\n    pass")

    def broken_call(self, spelling: Spelling, args: Sequence[Any], indices: Sequence[Any]) -> None:
        assert isinstance(self.misuse, Armed)
        self.frame.bad = self.misuse.operand(self, args, indices)
        words = self.misuse.words
        if words and isinstance(words[0], Python):
            self.given = literal(words[0].value)
        self.misused(str(spelling.call(args, indices, self.frame)))
        raise Misused

    def made(
        self, function: Callable[..., Any], operands: Sequence[Any], named: Mapping[str, Any]
    ) -> Any:
        shown = self._shown(operands)
        shown += [f"{keyword}={literal(one)}" for keyword, one in named.items()]
        code = self._called(str(function), shown, operands)
        if self.last:
            self.misused(code)
        number = self.returned("x")
        return self.bind(code, _kind(self, number)) if number is not None else self.misused(code)

    def handed_over(self, number: int) -> Any:
        raise Refused("unsupported", "a plain program does not drop objects")

    def apply(self, function: Callable[..., Any], *operands: Any) -> Any:
        if function is protocols.alike:
            return self._alike(*operands)
        if function is protocols.reflected:
            found = re.search(r"\b(\w++) of a \w++ and a \w++: (a|n) \. (a|n) works", self.message)
            symbol = _SYMBOLS.get(found[1]) if found else None
            if found is None or symbol is None:
                raise Refused("unsupported", "no operator is named")
            names = {"a": operand(operands[0]), "n": literal(operands[1])}
            self.misused(f"{names[found[3]]} {symbol} {names[found[2]]}")
        if function is stress.told:
            self.misused(str(operands[0]))
        if function not in _STRESS:
            raise Refused("unsupported", f"{function.__name__} is no single call")
        self.misused(_STRESS[function].format(*map(operand, operands)))
        return None

    def deferred(self, spelling: Spelling, frame: Any, args: Sequence[Any] = ()) -> Any:
        return Code(spelling.call(args, (), frame))

    def repeated(self, call: Callable[[], Any], count: int) -> Any:
        raise Refused("unsupported", "a plain program does not drop objects")

    def _alike(self, function: Any, operands: Sequence[Any], at: int) -> None:
        """Two calls that must not give the same."""
        _, _, pair = self.message.partition("; ")
        _, taken, given = pair.rpartition(" for ")
        shown = self._shown(operands)
        if taken:
            other = [given if k == at else text for k, text in enumerate(shown)]
            self.other = self._called(str(function), other, operands)
            self.given = given
        self.misused(self._called(str(function), shown, operands))

    def _shown(self, operands: Sequence[Any]) -> list[str]:
        """The sources of operands. Nearer to the trace, the main context is one of them."""
        texts = [literal(one) for one in operands]
        main = self.main if self.main and not self.plain else ""
        return [main if main and text == self.frame.ctx else text for text in texts]

    def _called(self, name: str, shown: Sequence[str], operands: Sequence[Any]) -> str:
        """The call of a public callable: of a method by its object, of a function by its name."""
        own = name.removeprefix(PROPERTY)
        path = own.split(".")
        if own != name or (path[-2][:1].isupper() and operands and isinstance(operands[0], Code)):
            call = f"{operand(operands[0])}.{path[-1]}"
            return call if own != name else f"{call}({', '.join(shown[1:])})"
        module = ".".join(itertools.takewhile(lambda part: not part[:1].isupper(), path[:-1]))
        if f"from {module} import *" in self.imports():
            own = own.removeprefix(f"{module}.")
        elif not any(f"from {parent} import *" in self.imports() for parent in _parents(module)):
            self.modules.setdefault(module)
        else:
            own = own.partition(".")[2]
        return f"{own}({', '.join(shown)})"


def _parents(module: str) -> list[str]:
    """The packages that hold a module."""
    parts = module.split(".")
    return [".".join(parts[:count]) for count in range(1, len(parts))]


def _kind(run: MisuseRows, number: int) -> str:
    """A name for an object of a class that the trace tells."""
    words = run.line.result("return") or ()
    name = str(words[-1]) if words else "x"
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name.removesuffix("Ref")).lower()
