"""The one printer of Python: it goes through a trace and writes a statement for each call.

How a statement looks is a matter of style. `murxpy.translate.python` writes exactly the calls of the
run, and `murxpy.translate.programs` what a person would write.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from murxpy.logic.sorts import Sort
from murxpy.machine.checks.registry import ANSWERING
from murxpy.machine.contract.broken import Prepared
from murxpy.machine.outcomes import Misused, Refused, Stopped
from murxpy.solvers.callables import PROPERTY
from murxpy.solvers.exceptions import ILL_FORMED, UNDOCUMENTED
from murxpy.solvers.frame import Frame
from murxpy.solvers.spelling import Spelling, run_spelling
from murxpy.translate.dry import DryRun
from murxpy.translate.expressions import Code, SourceWrapper, literal

SELF_CHECKS = ("check-sort", "check-term", "check-value", "check-eq")
DEFECTS = (UNDOCUMENTED, ILL_FORMED)  # refusals that are findings
SORTS = ("mk-sort", "instantiate-sort")
NAMED = ("mk-const", "mk-var", "mk-fun")
_CHEAP = ("mk-sort", "mk-value", "mk-special-value")


class PythonPrinter(DryRun):
    """Writes a statement for each call of a trace. Objects are names, which are the operands of later
    calls. A style says how the statements look.
    """

    wrapper: SourceWrapper

    # -- what a style writes

    @abstractmethod
    def row(self, text: str) -> None:
        """Write a statement."""

    @abstractmethod
    def bind(self, code: str, hint: str, cheap: bool = False, kept: bool = True) -> Code:
        """Write a statement that gives `code` a name, and return the name. A style may write a `cheap`
        object again in each place, and one that is not `kept` in place of its name.
        """

    @abstractmethod
    def write_context(self) -> None:
        """Write the statement that makes the context of the solver that is to be made."""

    @abstractmethod
    def write_solver(self, code: str) -> Code:
        """Write the statement that makes the solver, and return its name."""

    @abstractmethod
    def write_check(self, code: str) -> None:
        """Write a call that gives an answer."""

    @abstractmethod
    def write_script(self, code: str, spelling: Spelling) -> None:
        """Write a call that has a script read."""

    @abstractmethod
    def write_promise(self, code: str, action: str) -> None:
        """Write a call that says whether a promise of the binding is kept."""

    @abstractmethod
    def write_refused(self, code: str, defect: bool, message: str) -> None:
        """Write a call that the solver refused when the trace was made."""

    @abstractmethod
    def write_dropped(self, word: str) -> None:
        """Write that the object of an id is dropped; without an id, that all objects are."""

    @abstractmethod
    def hint(self, action: str) -> str:
        """The name that the object of the line should have."""

    @abstractmethod
    def sort_hint(self, sort: Sort) -> str:
        """The name that a sort which no line made should have."""

    @abstractmethod
    def write_datatypes(self, code: str) -> list[Code]:
        """Write a call that makes the sorts of a block of datatypes, and return their names."""

    @abstractmethod
    def write_misuse(self, code: str) -> None:
        """Write a call that breaks a precondition, or stress on an object."""

    @abstractmethod
    def write_given(self, code: str) -> Any:
        """Write the call of a public callable, and return the name of what it gives."""

    @abstractmethod
    def public_call(self, name: str, shown: Sequence[str], operands: Sequence[Any]) -> str:
        """The call of a public callable whose operands are `shown` so."""

    # -- the calls of a trace

    def begin(self, seed: int, action: str, spelling: str | None, words: str) -> None:
        if action == "gc":
            self.row("gc.collect()")
        elif action in ("del", "delete"):
            self.write_dropped(words if action == "del" else "")

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

    def written_call(
        self, spelling: Spelling, args: Sequence[Any], indices: Sequence[Any], action: str
    ) -> Any:
        """Write a call that nothing breaks, and return its result."""
        if action in ("new", "new-options"):
            self.write_context()
        code = self.source(spelling, args, indices)
        refusal = self.refusal()
        if refusal is None:
            return self._written(code, spelling, action)
        defect = refusal[0] in DEFECTS
        self.write_refused(str(code), defect, refusal[1])
        raise Stopped(None) if defect else Refused(*refusal)

    def source(self, spelling: Spelling, args: Sequence[Any], indices: Sequence[Any] = ()) -> Any:
        """The source of a call."""
        return run_spelling(spelling, args, indices, self.frame, self.wrapper.conjunction)

    def _written(self, code: Any, spelling: Spelling, action: str) -> Any:
        """Write the statement of a call that was not refused, and return its result."""
        if action == "new":
            return self.write_solver(code)
        if action == "new-options":
            return self.bind(code, "options")
        if action in ANSWERING:
            self.write_check(code)
            return self.answer()
        if action == "run-script":
            self.write_script(code, spelling)
            return self.printed()
        if action == "mk-sort" and self.frame.result is None:
            return self.write_datatypes(code)
        if action.startswith("mk-") or action in SORTS:
            return self.bind(code, self.hint(action), action in _CHEAP, action in NAMED)
        if action in SELF_CHECKS or action in self.wrapper.facts.own_actions:
            self.write_promise(code, action)
        else:
            self.row(code)
        return None

    def _make_sort(self, sort: Sort, of: Frame | None = None) -> Any:
        code = str(super()._make_sort(sort, of))
        return self.bind(code, self.sort_hint(sort), cheap=True, kept=False)

    # -- misuses of calls

    def broken_call(self, spelling: Spelling, args: Sequence[Any], indices: Sequence[Any]) -> None:
        """Write the call that the waiting misuse breaks. Raises Misused, as the call itself would."""
        assert isinstance(self.misuse, Prepared)
        self.frame.bad = self.misuse.operand(self, args, indices)
        self.write_misuse(self.broken(str(spelling.call(args, indices, self.frame))))
        raise Misused

    def broken(self, code: str) -> str:
        """What is written of a broken call."""
        return code

    def made(
        self, function: Callable[..., Any], operands: Sequence[Any], named: Mapping[str, Any]
    ) -> Any:
        shown = [*self.shown(operands), *(f"{key}={literal(one)}" for key, one in named.items())]
        return self.write_given(self.public_call(str(function), shown, operands))

    def shown(self, operands: Sequence[Any]) -> list[str]:
        """The sources of operands."""
        return [literal(operand) for operand in operands]

    def public(self, name: str) -> Any:
        return Code(name)

    def fits(self, name: str, operands: Sequence[Any]) -> bool:
        return bool(operands) or not name.startswith(PROPERTY)

    def constant(self, name: str) -> Any:
        return Code(name)

    def holds(self, value: Any) -> bool:
        return value is not None

    def stranger(self, name: str) -> Any:
        made = {"object": "object()", "class": "object", "raising": "Raising()", "function": "len"}
        return Code(made[name])

    def new_context(self) -> Frame:
        frame = Frame(lambda sort: self._make_sort(sort, frame), self.applications)
        lifecycle = self.wrapper.spellings["lifecycle"]
        frame.ctx = self.bind(
            lifecycle["new-context"].spellings[0].call((), (), frame), "other_ctx"
        )
        self.make_solver(frame)
        return frame

    def make_solver(self, frame: Frame, spelling: Spelling | None = None) -> None:
        super().make_solver(frame, spelling)
        if frame is self.frame:
            return
        if frame.options is not None:
            frame.options = self.bind(str(frame.options), "other_options")
        else:
            frame.solver = self.bind(str(frame.solver), "other_solver")

    def delayed_solver(self, frame: Frame, spelling: Spelling) -> Any:
        code = str(super().delayed_solver(frame, spelling))
        return self.write_solver(code) if frame is self.frame else self.bind(code, "other_solver")


def sort_word(sort: Sort | None) -> str:
    """A sort as the beginning of a name, such as `bv8`."""
    if sort is None:
        return "sort"
    return f"{sort.short.lower()}{'_'.join(sort_numbers(sort))}"[:24]


def sort_numbers(sort: Sort) -> list[str]:
    """The first numbers among the parameters of a sort."""
    return [str(number) for number in sort.params if isinstance(number, int)][:2]
