"""Misuses in a printed program: the call with its broken operand, what it does, and our functions
that stress objects.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from types import ModuleType
from typing import Any

from murxpy.machine import tokens
from murxpy.machine.contract import protocols, stress
from murxpy.machine.contract.broken import Prepared
from murxpy.machine.outcomes import Misused
from murxpy.solvers.callables import LIBRARY, PROPERTY
from murxpy.solvers.frame import Frame
from murxpy.solvers.spelling import Spelling
from murxpy.translate.dry import DryRun, plain_text
from murxpy.translate.expressions import Code, inlined, literal

# the beginning of a program with misuses
START = '''

HELD = []


def misuse(line, call, is_defect, recorded):
    """A call that breaks a precondition, or stress on an object: what the binding makes of it."""
    try:
        value = call()
    except (Exception, SystemExit) as error:
        seen = " ".join(f"{type(error).__name__}: {error}".split())
        if is_defect:
            defect(line, seen)
        print(f"line {line}: raised {ascii(seen)}", flush=True)
        raised = True
    else:
        if isinstance(value, str):
            defect(line, value)
        made = type(value[0]).__name__ if isinstance(value, list) else "nothing wrong"
        print(f"line {line}: not refused: {made}", flush=True)
        raised = False
    if raised != recorded:
        OTHERWISE.append(line)


def gave(line, call, is_defect, recorded):
    """What a public callable gives, or nothing where it is refused."""
    given = []
    misuse(line, lambda: given.append(call()) or given, is_defect, recorded)
    return given[0] if given else None


def only_public(package, *called):
    """Call nothing but what the package itself defines."""
    for each in called:
        module = getattr(each, "__module__", None) or getattr(getattr(each, "__objclass__", None), "__module__", "")
        if module.partition(".")[0] not in (package, "copy", "_operator"):
            sys.exit(f"{each} is not of {package}")
'''


def _joined(*modules: ModuleType) -> str:
    """Return the source of modules as that of one module, with their imports at its beginning."""
    lines = [line for module in modules for line in inspect.getsource(module).splitlines()]
    imports = {line for line in lines if line.startswith(("import ", "from "))}
    ordered = sorted(imports, key=lambda line: (line.startswith("from"), line))
    return "\n".join([*ordered, *(line for line in lines if line not in imports)])


class MisuseRows(DryRun):
    """The part of a program that misuses calls. The class needs `bind`, `row` and the names that are
    alive.
    """

    live: list[str]

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.stressed: dict[str, None] = {}  # our functions that the program calls
        self.called: dict[str, None] = {}  # public callables that the program calls

    def row(self, text: str) -> None:
        """Write a statement."""
        raise NotImplementedError

    def bind(self, code: str, hint: str) -> Code:
        """Write a statement that gives `code` a name, and return the name."""
        raise NotImplementedError

    def written_call(
        self, spelling: Spelling, args: Sequence[Any], indices: Sequence[Any], action: str
    ) -> Any:
        """Write a call that nothing breaks, and return its result."""
        raise NotImplementedError

    def call(
        self,
        spelling: Spelling,
        args: Sequence[Any],
        indices: Sequence[Any],
        action: str,
        operator: str = "",
    ) -> Any:
        """Write a call; raises Misused where a misuse that waits breaks it."""
        if self.misuse is not None and self.misuse.ready:
            self.broken_call(spelling, args, indices)
        return self.written_call(spelling, args, indices, action)

    def misuse_source(self) -> str:
        """Return the definitions that the misuses of the program need, or the empty string if it
        has none.
        """
        if not self.stressed:
            return ""
        sources = [inspect.getsource(tokens), _joined(protocols, stress)]
        return START + "\n".join(inlined([source], self.stressed) for source in sources)

    def misused(self, code: str) -> None:
        """Write a misuse. The last one is the recorded defect if the binding does not document what
        it raised.
        """
        self.row(f"misuse({self.line.number}, lambda: {code}, {self._told()})")

    def _told(self) -> str:
        """Return whether the line is the recorded defect, and whether its call raised anything."""
        recorded = self.line.result("raised")
        kind = plain_text(recorded[0]).partition(":")[0] if recorded else ""
        is_defect = bool(recorded) and self.last and (kind not in self.wrapper.contract.documented)
        self.stressed.setdefault("misuse")
        return f"{is_defect}, {bool(recorded)}"

    def broken_call(self, spelling: Spelling, args: Sequence[Any], indices: Sequence[Any]) -> None:
        """Write the call that the waiting misuse breaks. Raises Misused, as the call itself would."""
        assert isinstance(self.misuse, Prepared)
        self.frame.bad = self.misuse.operand(self, args, indices)
        code = spelling.call(args, indices, self.frame)
        self.misused(f"HELD.append({code})" if self.line.spelling == "hold" else f"[{code}]")
        raise Misused

    # -- what a run does with objects

    def public(self, name: str) -> Any:
        path = name.removeprefix(PROPERTY)
        self.called.setdefault(path if path == name else path.rpartition(".")[0])
        return Code(name)

    def fits(self, name: str, operands: Sequence[Any]) -> bool:
        return bool(operands) or not name.startswith(PROPERTY)

    def constant(self, name: str) -> Any:
        return Code(name)

    def handed_over(self, number: int) -> Any:
        """Write rows that move an object into a list and delete its name, and return the name of the
        list. The list then has the only reference, as in the run.
        """
        code = str(super().handed_over(number)[0])
        held = self.bind(f"[{code}]", "held")
        self.live.remove(code)
        self.row(f"del {code}")
        return held

    def made(
        self, function: Callable[..., Any], operands: Sequence[Any], named: Mapping[str, Any]
    ) -> Any:
        name, shown = str(function), [literal(operand) for operand in operands]
        shown += [f"{keyword}={literal(operand)}" for keyword, operand in named.items()]
        own = name.removeprefix(PROPERTY)
        code = (
            f"{shown[0]}.{own.rpartition('.')[2]}" if own != name else f"{name}({', '.join(shown)})"
        )
        told = self._told()
        number = self.returned("x")
        call = f"gave({self.line.number}, lambda: {code}, {told})"
        if number is not None:
            return self.bind(call, f"x{number}")
        self.row(call)
        return None

    def holds(self, value: Any) -> bool:
        return value is not None

    def public_rows(self) -> str:
        """Return the statements with which a program names the callables that it calls, or the
        empty string if it calls none.
        """
        if not self.called:
            return ""
        modules = [
            *LIBRARY,
            *self.wrapper.facts.calls.get("modules", []),
        ]
        imported = [
            module
            for module in modules
            if any(name.startswith(f"{module}.") for name in self.called)
        ]
        imports = "".join(f"import {module}\n" for module in imported)
        return f"{imports}only_public({self.wrapper.facts.module!r}, {', '.join(self.called)})\n"

    def stranger(self, name: str) -> Any:
        self.stressed.setdefault("Raising")
        return Code(
            {"object": "object()", "class": "object", "raising": "Raising()", "function": "len"}[
                name
            ]
        )

    def apply(self, function: Callable[..., Any], *operands: Any) -> Any:
        self.stressed.setdefault(function.__name__)
        shown = "HELD" if function is stress.used_all else ", ".join(map(literal, operands))
        self.misused(f"{function.__name__}({shown})")

    def deferred(self, spelling: Spelling, frame: Frame, args: Sequence[Any] = ()) -> Any:
        return Code(f"(lambda: {spelling.call(args, (), frame)})")

    def repeated(self, call: Callable[[], Any], count: int) -> Any:
        return self.bind(f"[{call}() for _ in range({count})]", "made")

    def new_context(self) -> Frame:
        frame = Frame(lambda sort: self._make_sort(sort, frame))
        lifecycle = self.wrapper.spellings["lifecycle"]
        frame.ctx = self.bind(
            lifecycle["new-context"].spellings[0].call((), (), frame), "other_ctx"
        )
        frame.solver = self.bind(lifecycle["new"].spellings[0].call((), (), frame), "other_solver")
        return frame

    def leave(self, frame: Frame) -> None:
        gone = self.live[self.live.index(str(frame.ctx)) : -1]
        self.row(f"del {', '.join(gone)}")
        self.live = [name for name in self.live if name not in gone]
        super().leave(frame)
