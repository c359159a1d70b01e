"""The calls of a trace as the statements of a program."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from textwrap import indent
from typing import Any

from murxpy.checks.registry import ANSWERING
from murxpy.errors import InputError
from murxpy.logic.catalogue import Catalogue
from murxpy.logic.sorts import Sort
from murxpy.machine.database import Entry
from murxpy.machine.misuse.armed import Armed
from murxpy.machine.outcomes import Refused, Stopped
from murxpy.machine.script import own_options
from murxpy.machine.tokens import Ref
from murxpy.solvers.frame import Frame
from murxpy.solvers.refusals import UNDOCUMENTED
from murxpy.solvers.spelling import Spelling, SpellingSet, run_spelling
from murxpy.trace.grammar import Trace
from murxpy.trace.reading import Reading
from murxpy.translate.dry import interpret
from murxpy.translate.evidence import theory_options
from murxpy.translate.expressions import Code, literal
from murxpy.translate.programs.datatypes import declared
from murxpy.translate.programs.misuses import PlainMisuses
from murxpy.translate.programs.plainest import PLAIN, PlainWrapper, plainest
from murxpy.translate.programs.sheet import ANSWER, TERM, Sheet

_WORD = re.compile(r"[A-Za-z]\w*", re.ASCII)
_OTHER = re.compile(r"\W+", re.ASCII)
_BASES = {"mk-sort": "sort", "mk-value": "value", "mk-special-value": "value"}
SELF_CHECKS = ("check-sort", "check-term", "check-value", "check-eq")
_DEFECTS = (UNDOCUMENTED, "ill-formed")


@dataclass(frozen=True, slots=True)
class Form:
    """How near to the trace the calls of a program are: whether each has its `plain` spelling or that
    of the trace, whether the solver is made so, too, whether expressions are `nested`, and whether
    terms are of the binding's `main` context, where it has one, or of a context that dies with the
    last name for it.
    """

    plain: bool = True
    plain_solver: bool = True
    nested: bool = True
    main: bool = True


class Calls(PlainMisuses):
    """Writes a statement for each call of a trace in one form.

    `failing` is the source of the call that was refused with a defect, if there is one.
    """

    wrapper: PlainWrapper

    def __init__(
        self, wrapper: PlainWrapper, catalogue: Catalogue, trace: Trace, form: Form
    ) -> None:
        super().__init__(wrapper, catalogue, trace)
        self.plain, self._plain_solver = form.plain, form.plain_solver
        names = wrapper.plain.get("names") or {}
        self.main = str(wrapper.plain.get("main-context") or "") if form.main else ""
        self.solver_name = str(names.get("solver", "solver"))
        self._manager = str(names.get("context", "ctx"))
        exact = {*wrapper.helpers, *(wrapper.plain.get("exact") or ())}
        self.sheet = Sheet(self._manager if self.main else "", self.main, exact)
        self.sheet.nested = form.nested
        self.dies = False  # whether the last call ends the process
        # gives the call that a check of the trace makes
        self.reading: Callable[[Calls], str] = lambda run: ""
        self.failing = ""
        self.script = ""  # the script that the program has read
        self.promised = False  # whether `failing` gives a text that says which promise is broken
        self.checked = False  # whether the program has the answer of a check
        self.recorded = ""  # the answer of the last check in the trace
        self.asked: list[Entry] = []  # the terms whose values the trace checks

    def imports(self) -> str:
        """The statements that import the binding."""
        return str(self.wrapper.plain.get("imports") or self.wrapper.facts.imports)

    # -- what a run tells

    def choose(
        self, spellings: SpellingSet | None, seed: int, wanted: str | None, what: str
    ) -> Spelling:
        plain = self._plain_solver if what == "new" else self.plain
        chosen = (
            plainest(spellings, self.frame, wanted, self.wrapper.guarded)
            if plain and spellings
            else None
        )
        if chosen is not None and self.misuse is None:
            return chosen
        if chosen is not None and isinstance(self.misuse, Armed) and self.misuse.breaks(chosen):
            return self.misuse.prepare(self, chosen)
        return super().choose(spellings, seed, wanted, what)

    def passed(self, reason: str) -> None:
        """A line without a call needs no statement."""

    def witness(self, action: str) -> None:
        numbers = [t.number for t in self.line.args if isinstance(t, Ref) and t.letter == "t"]
        self.asked = [self.db.terms[number] for number in numbers]
        if not self.last or self.dies:
            with suppress(Refused):
                code = str(self.reading(self))
                self.sheet.do(code if self.refusal() is None else _tolerant(code))

    def begin(self, seed: int, action: str, spelling: str | None, words: str) -> None:
        if action == "gc":
            self.sheet.do("gc.collect()")
        elif action in ("del", "delete"):
            raise InputError("a plain program does not drop objects")

    def written_call(
        self, spelling: Spelling, args: Sequence[Any], indices: Sequence[Any], action: str
    ) -> Any:
        if action == "new":
            return self._new(spelling)
        if action == "get-value" and spelling in self._value_readers():
            return None
        if action == "run-script":
            return self._script()
        if action in ("set-option", "set-parameter") and spelling.name.startswith(PLAIN):
            self.frame.fill(name=self.frame.name, value=_setting(str(self.frame.value)))
        made = self._declared(action)
        if made is not None:
            return made
        code = run_spelling(spelling, args, indices, self.frame, self.wrapper.conjunction)
        self._refused(code)
        return self._written(code, action)

    def _written(self, code: Any, action: str) -> Any:
        """Write the statement of a call that was not refused. Return its result."""
        if action == "mk-sort" and self.frame.result is None:
            return self._datatypes(code)
        if action in ANSWERING:
            self._check(code)
            return self.answer()
        if action == "set-limit" and self.trace.lines[-1].action == "run-script":
            return None  # the script has the limit
        if action.startswith("mk-") or action == "instantiate-sort":
            return self._built(code, action)
        own = action in self.wrapper.facts.own_actions
        if self.last and (action in SELF_CHECKS or own):
            self.failing, self.promised = str(code), True
            raise Stopped(None)
        if action not in SELF_CHECKS:
            self.sheet.do(code)
        return None

    def _declared(self, action: str) -> list[Code] | None:
        """Declare datatypes as a person does; None for any other call, and where that cannot be."""
        if action != "mk-sort" or self.frame.result is not None or not self.plain:
            return None
        templates = self.wrapper.plain.get("datatypes") or {}
        return None if self.refusal() else declared(self.sheet, templates, self.frame.value)

    def _value_readers(self) -> list[Spelling]:
        reader = self.wrapper.set("readers", "value")
        return [] if reader is None else reader.spellings

    def _new(self, spelling: Spelling) -> Code:
        if self.main:
            self.frame.ctx = Code(self._manager)
        else:
            self.sheet.fixed(self._manager, str(self.frame.ctx))
            self.frame.ctx = Code(self._manager)
        code = spelling.call((), (), self.frame)
        self.sheet.fixed(self.solver_name, code)
        return Code(self.solver_name)

    def _built(self, code: str, action: str) -> Code:
        kept = action in ("mk-const", "mk-var", "mk-fun")
        return self.sheet.define(code, self._hint(action), action in _BASES, kept)

    def _hint(self, action: str) -> str:
        if action in ("mk-sort", "instantiate-sort"):
            return _sort_name(self.frame.result)
        name = _OTHER.sub("_", self.frame.name).strip("_")
        named = action in ("mk-const", "mk-var", "mk-fun") and _WORD.fullmatch(name)
        return name if named else TERM

    def _datatypes(self, code: str) -> list[Code]:
        sorts = self.sheet.define(code, "sorts", kept=True)
        return [
            self.sheet.define(f"{sorts}[{at}]", str(declaration[0]), kept=True)
            for at, declaration in enumerate(self.frame.value)
        ]

    def _check(self, code: str) -> None:
        text = str(code)
        self.sheet.do(f"{ANSWER} = {text if text.startswith('str(') else f'str({text})'}")
        self.checked = True
        self.recorded = self.answer()

    def _script(self) -> str:
        """Write the statements that have a script read. Its text is `script`, which stands before
        them.
        """
        source = self._reading()
        if not source or self.script:
            raise InputError("the wrapper does not say how a person has a script read")
        self._set_early(str(self.frame.value))
        limit = str(self.wrapper.plain.get("script-limit") or "")
        head = limit.replace("{v}", str(self.state.limit)) if self.state.limit else ""
        self.script = f"{head}\n{str(self.frame.value).strip()}\n".lstrip()
        statements = [ast.unparse(node) for node in ast.parse(source).body]
        refusal = self.refusal()
        if refusal is not None and refusal[0] in _DEFECTS:
            self.failing = "\n".join(statements)
            raise Stopped(None)
        self.sheet.do(*statements)
        self.recorded = next(iter(self.printed().split()[-1:]), "")
        if self.recorded and not self.dies:
            self.sheet.do(
                "answers = [row for row in output.split() if row in ('sat', 'unsat', 'unknown')]",
                f"{ANSWER} = answers[-1] if answers else 'none'",
            )
        return self.printed()

    def _reading(self) -> str:
        """The statements that have a script read. An error in a script is no death."""
        source = str(self.wrapper.plain.get("script") or "").strip()
        main = str(self.wrapper.plain.get("main-context") or "")
        if main and not self.main:
            source = source.replace(main, self._manager)
        if self.dies and source:
            return f"try:\n{indent(source, '    ')}\nexcept Exception as error:\n    print(error)"
        return source

    def _set_early(self, script: str) -> None:
        """Set the options that the theories of a script need, and those of its options that are
        parameters of the process: a solver that was made before they are set may not heed them.
        """
        option = str(self.wrapper.plain.get("script-option") or "")
        for name in theory_options(script, self.catalogue, self.wrapper.name) if option else ():
            self.sheet.do(option.replace("{name}", literal(name)))
        setter = str(self.wrapper.plain.get("script-parameter") or "")
        for name, value in own_options(script) if setter else ():
            if "." in name:
                shown = setter.replace("{name}", literal(name))
                self.sheet.do(shown.replace("{v}", literal(_setting(value))))

    def _refused(self, code: str) -> None:
        """Handle a call that the solver refused when the trace was made."""
        refusal = self.refusal()
        if refusal is None:
            return
        if refusal[0] in _DEFECTS:
            self.failing = str(code)
            raise Stopped(None)
        self.sheet.do(_tolerant(code))
        raise Refused(*refusal)

    # -- objects that no line names

    def _make_sort(self, sort: Sort, of: Frame | None = None) -> Any:
        code = super()._make_sort(sort, of)
        return self.sheet.define(str(code), _sort_name(sort), cheap=True)

    def _sort_of(self, obj: Any, sort: Sort) -> Any:
        try:
            return self.sort_object(sort)
        except Refused:
            return self.sheet.define(str(super()._sort_of(obj, sort)), _sort_name(sort), cheap=True)

    # -- misuse

    def row(self, text: str) -> None:
        self.sheet.do(text)

    def bind(self, code: str, hint: str) -> Code:
        return self.sheet.define(code, hint, kept=True)


def _tolerant(code: str) -> str:
    """A call that the solver may refuse, as a statement."""
    return f"try:\n    {code}\nexcept Exception:\n    pass"


def _sort_name(sort: Sort | None) -> str:
    if sort is None:
        return "sort"
    if sort.kind == "SORT_UNINTERPRETED":
        return str(sort.params[0])
    numbers = [str(p) for p in sort.params if isinstance(p, int)][:2]
    return f"{sort.short.lower()}{'_'.join(numbers)}"[:24] + ("" if numbers else "_sort")


def _setting(text: str) -> bool | int | float | str:
    """The value of an option as a Python value."""
    if text in ("true", "false"):
        return text == "true"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def go_through(run: Calls, trace: Trace) -> Calls:
    """Write the statements of a trace. Raises InputError where a line cannot be said."""
    interpret(run, Reading(run, trace))
    return run
