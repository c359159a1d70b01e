"""Misuse in a printed program: the very call with its bad operand, what it does, and our functions that stress objects."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

from murxpy.machine import strangers
from murxpy.machine.misuse import stress
from murxpy.machine.misuse.armed import Armed
from murxpy.machine.run import Misused
from murxpy.solvers.frame import Frame
from murxpy.solvers.spelling import Spelling
from murxpy.trace.translate.dry import DryRun, plain_text
from murxpy.trace.translate.expressions import Code, literal
from murxpy.trace.translate.inline import inlined

# Stands in a program that has misuses.
START = '''

HELD = []


def misused(line, call, is_defect, recorded):
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
'''


class MisuseRows(DryRun):
    """The part of a program that misuses: it needs `bind`, `row` and the names that are alive."""

    live: list[str]

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.stressed: dict[str, None] = {}  # functions of ours that the program calls

    def row(self, text: str) -> None:
        """Write a statement."""
        raise NotImplementedError

    def bind(self, code: str, hint: str) -> Code:
        """Write a statement that gives `code` a name, and give the name."""
        raise NotImplementedError

    def misuse_source(self) -> str:
        """The definitions that the program's misuses need; the empty string where it has none."""
        if not self.stressed:
            return ""
        sources = [inspect.getsource(module) for module in (strangers, stress)]
        return START + "\n".join(inlined([source], self.stressed) for source in sources)

    def misused(self, code: str) -> None:
        """Write a misuse. The last one is the recorded defect where the binding does not document what it raised."""
        recorded = self.line.result("raised")
        kind = plain_text(recorded[0]).partition(":")[0] if recorded else ""
        is_defect = bool(recorded) and self.last and (kind not in self.wrapper.contract.documented)
        self.stressed.setdefault("misused")
        self.row(f"misused({self.line.number}, lambda: {code}, {is_defect}, {bool(recorded)})")

    def broken_call(self, spelling: Spelling, args: Sequence[Any], indices: Sequence[Any]) -> None:
        """Write the call that the waiting misuse breaks. Raises Misused, as the call itself would."""
        assert isinstance(self.misuse, Armed)
        self.frame.bad = self.misuse.operand(self, args, indices)
        code = spelling.call(args, indices, self.frame)
        self.misused(f"HELD.append({code})" if self.line.spelling == "hold" else f"[{code}]")
        raise Misused

    # -- what a run does with objects

    def stranger(self, name: str) -> Any:
        self.stressed.setdefault("Raising")
        return Code({"object": "object()", "class": "object", "raising": "Raising()", "function": "len"}[name])

    def apply(self, function: Callable[..., Any], *operands: Any) -> Any:
        self.stressed.setdefault(function.__name__)
        shown = "HELD" if function is stress.used_all else ", ".join(map(literal, operands))
        self.misused(f"{function.__name__}({shown})")

    def deferred(self, spelling: Spelling, frame: Frame) -> Any:
        return Code(f"(lambda: {spelling.call((), (), frame)})")

    def repeated(self, call: Callable[[], Any], count: int) -> Any:
        return self.bind(f"[{call}() for _ in range({count})]", "made")

    def new_context(self) -> Frame:
        frame = Frame(lambda sort: self._make_sort(sort, frame))
        lifecycle = self.wrapper.spellings["lifecycle"]
        frame.ctx = self.bind(lifecycle["new-context"].spellings[0].call((), (), frame), "other_ctx")
        frame.solver = self.bind(lifecycle["new"].spellings[0].call((), (), frame), "other_solver")
        return frame

    def leave(self, frame: Frame) -> None:
        gone = self.live[self.live.index(str(frame.ctx)) : -1]
        self.row(f"del {', '.join(gone)}")
        self.live = [name for name in self.live if name not in gone]
        super().leave(frame)
