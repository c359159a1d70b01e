"""The text before and after the calls of a printed Python program."""

from __future__ import annotations

import builtins
import keyword
import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

from murxpy.errors import InputError
from murxpy.foreign import escaped
from murxpy.logic.catalogue import Catalogue
from murxpy.logic.sorts import Sort
from murxpy.logic.terms import CONSTANT
from murxpy.logic.walks import subterms
from murxpy.machine import tokens
from murxpy.machine.checks.registry import ANSWERING
from murxpy.machine.contract import protocols, stress
from murxpy.machine.database import Entry
from murxpy.machine.outcomes import Refused, Stopped
from murxpy.machine.run import Run
from murxpy.machine.tokens import Ref, Token
from murxpy.machine.trace.grammar import Trace
from murxpy.machine.trace.reading import Reading
from murxpy.solvers.exceptions import ILL_FORMED, UNDOCUMENTED
from murxpy.solvers.frame import Frame
from murxpy.solvers.spelling import Spelling, run_spelling
from murxpy.translate.dry import interpret, plain_text
from murxpy.translate.expressions import Code, SourceWrapper, inlined, literal
from murxpy.translate.misuse import START as MISUSE
from murxpy.translate.misuse import MisuseRows

# what a program says of an invalid model, by a fresh solver
UNSATISFIED = "the model does not satisfy the assertions"

START = '''"""Makes the calls of the trace NAME again, which was made with SOLVER.

Exits with 1 when the recorded defect shows, with 2 when it answers otherwise than recorded or lacks a
call, else with 0.
"""

from __future__ import annotations

import gc
import os
import sys

gc.disable()  # when objects die depends on the calls alone
sys.set_int_max_str_digits(0)
OTHERWISE = []
LACKING = (AttributeError, NameError)


def untold(kind, error, trace):
    """A call fails that did not fail when the trace was made: nothing is known of the defect."""
    sys.__excepthook__(kind, error, trace)
    why = "this release lacks a call" if isinstance(error, LACKING) else "a call failed"
    print(f"cannot be told, because {why}: {error}", flush=True)
    os._exit(2)


sys.excepthook = untold


def defect(line, what):
    """The defect shows."""
    print(f"line {line}: {what}", flush=True)
    sys.exit(1)


def same(line, what, seen, recorded):
    """Compare with what the trace recorded."""
    print(f"line {line}: {what}: {ascii(seen)}" + ("" if seen == recorded else f", recorded {ascii(recorded)}"), flush=True)
    if seen != recorded:
        OTHERWISE.append(line)


def answered(line, seen, recorded, expected="unknown"):
    """The answer of a check; what is recorded is None where the trace does not say."""
    same(line, "answer", str(seen), str(seen) if recorded is None else recorded)
    if sorted([str(seen), expected]) == ["sat", "unsat"]:
        defect(line, f"answered {seen}, expected {expected} by how the check was made")


def scripted(line, output, recorded, expected):
    """The answers of a script's checks, from what the solver printed."""
    answers = [row.strip() for row in output.splitlines() if row.strip() in ("sat", "unsat", "unknown", "timeout")]
    same(line, "answers of the script", ["unknown" if answer == "timeout" else answer for answer in answers], recorded)
    for number, (seen, wanted) in enumerate(zip(answers, expected), 1):
        if sorted([seen, wanted]) == ["sat", "unsat"]:
            defect(line, f"check {number} answered {seen}, expected {wanted} by how the script was made")


def read(line, term, seen, recorded):
    """The value of a term in a model; None where it is no literal."""
    same(line, f"value of {term}", seen, recorded)


def promised(line, broken):
    """A promise of the binding: a text says which one is broken."""
    if isinstance(broken, str):
        defect(line, broken)


def satisfied(line, seen):
    """The answer of a fresh solver to the assertions with each constant fixed to its value in the model."""
    print(f"line {line}: the assertions with the values of the model: {seen}", flush=True)
    if str(seen) == "unsat":
        defect(line, "UNSATISFIED")


def refused(line, call, is_defect, recorded):
    """A call that the solver refused when the trace was made."""
    try:
        call()
    except (Exception, SystemExit) as error:
        seen = " ".join(f"{type(error).__name__}: {error}".split())
        if isinstance(error, LACKING) and type(error).__name__ not in recorded:
            print(f"line {line}: cannot be told, because this release lacks a call: {seen}", flush=True)
            sys.exit(2)
        if is_defect:
            defect(line, seen)
        print(f"line {line}: refused: {ascii(seen)}", flush=True)
    else:
        print(f"line {line}: not refused, recorded {ascii(recorded)}", flush=True)
        OTHERWISE.append(line)

'''.replace("UNSATISFIED", UNSATISFIED)

SCRIPTS = '''
def with_values(text, output):
    """A script with each constant fixed to its value in the model printed behind the last `sat`; empty where there is none."""
    model = output.rpartition("sat\\n")[2]
    starts = [at for at in range(len(model)) if model.startswith("(define-fun ", at)]
    values = []
    for start, end in zip(starts, [*starts[1:], model.rfind(")")]):
        name, parameters, rest = model[start + len("(define-fun "):end].strip().partition(" () ")
        if parameters and f"(define-fun {name} " not in text and "!val!" not in rest:
            values.append((name, value_in(rest[: rest.rindex(")")])))
    fixed = "".join(f"(assert (= {name} {value}))\\n" for name, value in values)
    before, check, after = text.replace("(get-model)", "").rpartition("(check-sat")
    return before + fixed + check + after if fixed and "sat\\n" in output else ""


def value_in(text):
    """The value behind a sort."""
    depth = 0
    for at, character in enumerate(text):
        depth += (character == "(") - (character == ")")
        if depth == 0 and (character == ")" or text[at + 1 : at + 2].isspace()):
            return text[at + 1 :].strip()
    return text


'''

# of a program that shows a hang; while a call of the solver runs, no handler of Python's can
DEADLINE = """
import faulthandler

print("expected an end within SECONDS s, got none where 'Timeout' stands below", flush=True)
faulthandler.dump_traceback_later(SECONDS, exit=True)  # the exit code is then 1
"""

END = """
sys.exit(2 if OTHERWISE else 0)
"""


# ----------------------------------------------------------------------
# Prints checks of models as Python: a fresh solver, to which each constant is given with its
# value in the model, must not refute the assertions.


def model_rows(run: Run, number: int) -> list[str]:
    """Return the rows for the line `number`, which is a `check-model`. Raises Refused if the
    wrapper has no spelling for what they need.

    Functions get no values. A model counts as wrong only if no functions complete its values.
    """
    formulas = list(dict.fromkeys([*run.state.asserted(), *run.state.assumptions]))
    terms = {entry.term: entry for entry in run.db.terms.values() if entry.obj is not None}
    constants = [
        t
        for t in sorted(subterms(e.term for e in formulas), key=lambda t: t.serial)
        if t.op == CONSTANT and t in terms
    ]
    plain = [terms[t] for t in constants if t.sort.kind != "SORT_FUN"]
    run.frame.fill()
    value = _source(run, "actions", "get-value-completion", "get-value", args=["c"])
    same = _source(run, "operators", "OP_EQUAL", args=["c", "v"])
    new = _source(run, "lifecycle", "new")
    added = _source(run, "actions", "assert-formula", args=["f"])
    answer = _source(run, "actions", "check-sat")
    return [
        f"values = [(c, {value}) for c in ({_names(plain)})]  # {number}: the model that was given",
        f"first, solver = solver, {new}",
        f"for f in [{same} for c, v in values] + [{_names(formulas)}]:",
        f"    {added}",
        f"satisfied({number}, {answer})",
        "solver = first",
    ]


def _source(run: Run, section: str, *keys: str, args: tuple[str, ...] | list[str] = ()) -> str:
    spellings: Any = next((found for key in keys if (found := run.wrapper.set(section, key))), None)
    if spellings is None:
        raise Refused("unsupported", f"no spelling of {keys[0]}")
    return str(spellings.spellings[0].call([Code(arg) for arg in args], (), run.frame))


def _names(entries: list[Entry]) -> str:
    return "".join(f"{entry.obj}, " for entry in entries).rstrip(" ")


# ----------------------------------------------------------------------
# Prints a trace as a stand-alone Python program that imports nothing but the binding.


_WORD = re.compile(r"[A-Za-z_]\w*")
_TIDY = re.compile(r"[^A-Za-z0-9_]+")
_VALUES = ("get-value", "get-value-completion")
_SELF_CHECKS = ("check-sort", "check-term", "check-value", "check-eq")
_DEFECTS = (UNDOCUMENTED, ILL_FORMED)


def to_python(
    trace: Trace, catalogue: Catalogue, wrapper: dict[str, Any], deadline: int = 0
) -> str:
    """Return the program that makes the calls of the trace through the solver's binding. `wrapper`
    is that of the trace's solver. A program with a `deadline` exits with 1 after so many seconds.

    The program exits with 1 if the recorded defect shows, with 2 if it answers otherwise than
    recorded or the release lacks a call, else with 0. Raises InputError for a malformed trace, and for a trace of another
    solver than the wrapper's.
    """
    if trace.solver not in ("", wrapper["solver"]):
        raise InputError(
            f"the trace is of '{trace.solver}', but the wrapper is of '{wrapper['solver']}'",
            file=trace.name,
        )
    release = trace.header.get("solver", "").partition(" ")[2] or "1000000"
    run = _Program(SourceWrapper(wrapper, catalogue, release), catalogue, trace)
    interpret(run, Reading(run, trace))
    return run.text(deadline)


class _Program(MisuseRows):
    """Writes a statement for each call. Objects are names, which are the operands of later calls."""

    wrapper: SourceWrapper

    def __init__(self, wrapper: SourceWrapper, catalogue: Catalogue, trace: Trace) -> None:
        super().__init__(wrapper, catalogue, trace)
        self.rows: list[str] = []
        self.live: list[str] = []
        # the names of the solver and its context while they are alive
        self._managers = ["solver", "ctx"]
        own = {"ctx", "solver", "h", "values", "first", "c", "v", "f", "output", "fixed"}
        self._helpers = [text for _, text in wrapper.facts.helpers]
        texts = [START, SCRIPTS, END, MISUSE, *_texts(wrapper.data)]
        self._taken = {
            *keyword.kwlist,
            *dir(builtins),
            *own,
            *dir(protocols),
            *dir(stress),
            *dir(tokens),
            *_words("\n".join(texts)),
        }
        self._asked = 0
        self._answered = 0  # the line of the last check
        self._models = False  # whether a script asks for its model

    def text(self, deadline: int = 0) -> str:
        """Return the program."""
        wrapper = self.wrapper
        source = "\n".join(self.rows)
        helpers = inlined(self._helpers, self.wrapper.helpers)
        about = self.trace.header.get("solver", wrapper.name)
        start = START.replace("NAME", _ascii(self.trace.name.rsplit("/", 1)[-1])).replace(
            "SOLVER", _ascii(about)
        )
        note = "# The trace. Numbers behind statements are those of its lines."
        start += DEADLINE.replace("SECONDS", str(deadline)) if deadline else ""
        start += self.misuse_source() + (SCRIPTS.strip() + "\n" if self._models else "")
        return f"{start}\n{wrapper.facts.imports.strip()}\n\n{helpers.strip()}\n\n\n{self.public_rows()}{note}\n{source}\n{END}"

    # -- statements

    def _row(self, text: str) -> None:
        self.rows.append(f"{text}  # {self.line.number}")

    def row(self, text: str) -> None:
        self._row(text)

    def bind(self, code: str, hint: str) -> Code:
        return self._bind(code, hint)

    def _bind(self, code: str, hint: str) -> Code:
        name = self._name(hint)
        self.live.append(name)
        self._row(f"{name} = {code}")
        return Code(name)

    def _name(self, hint: str) -> str:
        base = _TIDY.sub("_", hint).strip("_") or "x"
        base = base if base[0].isalpha() else f"x{base}"
        name, count = base, 1
        while name in self._taken:
            count += 1
            name = f"{base}_{count}"
        self._taken.add(name)
        return name

    # -- what the run tells

    def begin(self, seed: int, action: str, spelling: str | None, words: str) -> None:
        self._asked = 0
        if not self.line.results and action != "delete" and self.last:
            self.rows.append("# The trace ends with this call.")
        if action == "delete":
            # terms go first, and the solver and its context last
            self._row(f"del {', '.join([*self.live, *self._managers])}")
            self.live = []
        elif action == "del":
            self._dropped(words)
        elif action == "gc":
            self._row("gc.collect()")

    def _dropped(self, word: str) -> None:
        """Take the name from the object of an id."""
        if word in ("o1", "c1"):
            name = "solver" if word == "o1" else "ctx"
            self._managers.remove(name)
        else:
            number = int(word[1:])
            name = str(self.db.terms[number].obj if word[0] == "t" else self.db.sorts[number].obj)
            if name not in self.live:  # a sort can have two ids
                return
            self.live.remove(name)
        self._row(f"del {name}")

    def passed(self, reason: str) -> None:
        if self.refusal() is None:
            self.rows.append(
                f"# line {self.line.number}, {self.line.action}, makes no call: {_ascii(reason)}"
            )

    def witness(self, action: str) -> None:
        if action != "check-model":
            super().witness(action)
        elif self.refusal() is None:
            # another answer than the recorded one has another model
            self.rows.append(f"if {self._answered} not in OTHERWISE:")
            self.rows += [f"    {row}" for row in model_rows(self, self.line.number)]

    def written_call(
        self, spelling: Spelling, args: Sequence[Any], indices: Sequence[Any], action: str
    ) -> Any:
        if action == "new":
            self.rows.append(f"ctx = {self.frame.ctx}")
            self.frame.ctx = Code("ctx")
        code = run_spelling(spelling, args, indices, self.frame, self.wrapper.conjunction)
        reader = self.wrapper.set("readers", "value")
        if reader is not None and spelling is reader.spellings[0]:
            return self._value(code)
        if action in _VALUES:
            return code
        self._refused(code)
        return self._called(code, spelling, action)

    def _called(self, code: Any, spelling: Spelling, action: str) -> Any:
        """Write the statement of a call whose outcome the trace has. Return its result."""
        if action == "new":
            self._row(f"solver = {code}")
            self._managers = ["solver", "ctx"]
            return Code("solver")
        elif action in ANSWERING:
            self._check(code)
            return self.answer()
        elif action == "run-script":
            said = [self.printed().split(), list(self.state.expected)]
            self._scripted(code, ", ".join(map(literal, said)), spelling)
            return self.printed()
        elif action in _SELF_CHECKS or action in self.wrapper.facts.own_actions:
            self._row(f"promised({self.line.number}, {code})")
        elif action == "mk-sort" and self.frame.result is None:
            return self._datatypes(code)
        elif action.startswith("mk-") or action == "instantiate-sort":
            return self._bind(code, self._hint(action))
        else:
            self._row(code)
        return None

    def _scripted(self, code: Any, said: str, spelling: Spelling) -> None:
        """Write a script. If it asks for its model, write it with the values of the model."""
        text = str(self.frame.value)
        if "(get-model)" not in text:
            self._row(f"scripted({self.line.number}, {code}, {said})")
            return
        self._models = True
        self.rows.append(f"output = {code}")
        self._row(f"scripted({self.line.number}, output, {said})")
        self.frame.fill(value=Code("fixed"))
        limits = self.state.limits
        again = run_spelling(spelling, limits, (), self.frame, self.wrapper.conjunction)
        self.rows.append(f"fixed = with_values({literal(text)}, output)")
        self.rows.append("if fixed:")
        self._row(f"    satisfied({self.line.number}, {again}.strip())")

    def _refused(self, code: str) -> None:
        """If the trace says that the call was refused, print it as refused, and raise Refused or
        Stopped.
        """
        refusal = self.refusal()
        if refusal is None:
            return
        sort, message = refusal
        defect = sort in _DEFECTS
        self._row(f"refused({self.line.number}, lambda: {code}, {defect}, {literal(message)})")
        if defect:
            raise Stopped(None)
        raise Refused(sort, message)

    def _hint(self, action: str) -> str:
        if action in ("mk-sort", "instantiate-sort"):
            return f"s{self.returned('s') or 0}_{self._sort_name(self.frame.result)}"
        if action in ("mk-const", "mk-var") and _WORD.fullmatch(self.frame.name):
            return self.frame.name
        return f"t{self.returned('t') or 0}"

    def _sort_name(self, sort: Sort | None) -> str:
        if sort is None:
            return "sort"
        numbers = [str(p) for p in sort.params if isinstance(p, int)][:2]
        return "".join([sort.short.lower(), "_".join(numbers)])[:24]

    def _datatypes(self, code: str) -> list[Code]:
        ids = [t.number for t in self.line.result("return") or () if isinstance(t, Ref)]
        ids += [0] * (len(self.frame.value) - len(ids))
        names = [
            self._name(f"s{number}_{d[0]}")
            for number, d in zip(ids, self.frame.value, strict=False)
        ]
        self.live += names
        self._row(f"{', '.join(names)}{',' if len(names) == 1 else ''} = {code}")
        return [Code(name) for name in names]

    def _check(self, code: str) -> None:
        recorded = self.line.result("answer")
        values = self.planted_values()
        if values is not None:
            self.rows.append(
                f"# It is satisfiable: {', '.join(values) or 'with nothing to choose'}"
            )
        expected = ["sat"] if values is not None else self.state.expected[:1]
        said = [plain_text(recorded[0]) if recorded else None, *expected]
        self._row(f"answered({self.line.number}, {code}, {', '.join(map(literal, said))})")
        self._answered = self.line.number

    def _value(self, code: str) -> None:
        """Handle a value that was read, and the value that the trace records."""
        term = self.line.args[1 + self._asked]
        self._asked += 1
        refusal = self.refusal()
        if refusal is not None:  # the refusal is about this term or a later one
            self._row(
                f"refused({self.line.number}, lambda: {code}, {refusal[0] in _DEFECTS}, {literal(refusal[1])})"
            )
            return
        if self.trace.murxla:  # such a trace records no values
            self._row(code)
            return
        recorded = [
            tokens[1:]
            for kind, tokens in self.line.results
            if kind == "value" and tokens[:1] == [term]
        ]
        value = _recorded_value(recorded[0]) if recorded else None
        self._row(f"read({self.line.number}, {literal(str(term))}, {code}, {literal(value)})")

    # -- objects that no line names

    def _make_sort(self, sort: Sort, of: Frame | None = None) -> Any:
        return self._bind(super()._make_sort(sort, of), f"{self._sort_name(sort)}_sort")

    def _sort_of(self, obj: Any, sort: Sort) -> Any:
        known = super()._sort_of(obj, sort)
        if isinstance(known, Code) and not known.isidentifier():
            return self._bind(known, f"s{self.returned('s') or 0}_{self._sort_name(sort)}")
        return known


def _recorded_value(tokens: Sequence[Token]) -> tuple[Any, ...]:
    """Return a `value` line as the tuple that the wrapper's reader returns."""
    values = [plain_text(t) if not isinstance(t, int) else t for t in tokens]
    return tuple(None if values[0] == "fp" and value == "" else value for value in values)


@lru_cache(maxsize=8)
def _words(text: str) -> frozenset[str]:
    """Return the words of a text. The words are cached, because the programs for a folder's traces
    share the texts of the binding.
    """
    return frozenset(_WORD.findall(text))


def _texts(data: dict[str, Any]) -> Iterable[str]:
    """Yield all texts in a wrapper's spellings."""
    for value in data.values() if isinstance(data, dict) else data:
        if isinstance(value, str):
            yield value
        elif isinstance(value, (dict, list)):
            yield from _texts(value)  # type: ignore[arg-type]


def _ascii(text: str) -> str:
    return (
        escaped(" ".join(text.split()))
        .encode("ascii", "backslashreplace")
        .decode()
        .replace('"""', "'''")
        .replace("\\", "/")[:200]
    )
