"""The text before and after the calls of a printed Python program."""

from __future__ import annotations

import builtins
import inspect
import keyword
import re
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from types import ModuleType
from typing import Any

from murxpy.errors import InputError
from murxpy.foreign import escaped
from murxpy.logic.catalogue import Catalogue
from murxpy.logic.sorts import Sort
from murxpy.machine import tokens
from murxpy.machine.contract import protocols, stress
from murxpy.machine.database import Entry
from murxpy.machine.outcomes import Refused
from murxpy.machine.tokens import Ref, Token
from murxpy.machine.trace.grammar import Trace
from murxpy.machine.trace.reading import Reading
from murxpy.machine.witnesses.solving import FACTOR
from murxpy.solvers.callables import LIBRARY, PROPERTY
from murxpy.solvers.frame import Frame
from murxpy.solvers.spelling import Spelling
from murxpy.translate.dry import DryRun, interpret, plain_text
from murxpy.translate.expressions import Code, SourceWrapper, inlined, literal
from murxpy.translate.printer import DEFECTS, SORTS, PythonPrinter, sort_word
from murxpy.translate.programs.vocabulary import constants, formulas

# what a program says of an invalid model, by a fresh solver
UNSATISFIED = "the model does not satisfy the assertions"

START = '''"""Makes the calls of the trace NAME again, which was made with SOLVER.

Dies or exits with 1 when the recorded defect shows, exits with 2 when it answers otherwise than
recorded or lacks a call, else with 0.
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

_FUNCTIONS = "sys.excepthook = untold\n"  # behind it stand functions that a program may need


def _called(functions: str, source: str) -> str:
    """Those of the functions that the rest of the program, `source`, needs."""
    parts = re.split(r"^(?=def )", functions, flags=re.M)[1:]
    kept: list[str] = []
    for part in reversed(parts):  # a function calls those above it
        name = part.removeprefix("def ").partition("(")[0]
        if re.search(rf"\b{name}\(", "".join([source, *kept])):
            kept.insert(0, part)
    return "".join(["\n\n", *kept]) if kept else "\n"


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


# the beginning of a program with misuses
MISUSE = '''

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


# ----------------------------------------------------------------------
# Prints checks of models as Python: a fresh solver, to which each constant is given with its
# value in the model, must not refute the assertions.


def model_rows(run: DryRun, number: int) -> list[str]:
    """Return the rows for the line `number`, which is a `check-model`. Raises Refused if the
    wrapper has no spelling for what they need.

    The fresh solver has the limit that it has in a run. Functions get no values. A model counts as
    wrong only if no functions complete its values.
    """
    asked = formulas(run)
    plain = constants(run, [entry.term for entry in asked])
    run.frame.fill()
    value = _source(run, "actions", "get-value-completion", "get-value", args=["c"])
    same = _source(run, "operators", "OP_EQUAL", args=["c", "v"])
    new = _source(run, "lifecycle", "new")
    added = _source(run, "actions", "assert-formula", args=["f"])
    answer = _source(run, "actions", "check-sat")
    limited = run.wrapper.set("actions", "set-limit")
    # one that is an option, from which a solver is made, stands for both solvers
    own = limited and ("solver", True) in limited.spellings[0].template.parts
    run.frame.fill(value=FACTOR * (run.state.limit or 0))
    return [
        f"values = [(c, {value}) for c in ({_names(plain)})]  # {number}: the model that was given",
        f"first, solver = solver, {new}",
        *([_source(run, "actions", "set-limit")] if own and run.state.limit else []),
        f"for f in [{same} for c, v in values] + [{_names(asked)}]:",
        f"    {added}",
        f"satisfied({number}, {answer})",
        "solver = first",
    ]


def _source(run: DryRun, section: str, *keys: str, args: tuple[str, ...] | list[str] = ()) -> str:
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


class _Program(PythonPrinter):
    """Writes exactly the calls of a run, each with the number of its line."""

    def __init__(self, wrapper: SourceWrapper, catalogue: Catalogue, trace: Trace) -> None:
        super().__init__(wrapper, catalogue, trace)
        self.rows: list[str] = []
        self._live: list[str] = []
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
        self._stressed: dict[str, None] = {}  # our functions that the program calls
        self._called: dict[str, None] = {}  # public callables that the program calls
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
        more = DEADLINE.replace("SECONDS", str(deadline)) if deadline else ""
        more += self._misuse_source() + (SCRIPTS.strip() + "\n" if self._models else "")
        head, functions = start.split(_FUNCTIONS)
        start = head + _FUNCTIONS + _called(functions, f"{more}\n{helpers}\n{source}") + more
        return f"{start}\n{wrapper.facts.imports.strip()}\n\n{helpers.strip()}\n\n\n{self._public_rows()}{note}\n{source}\n{END}"

    # -- statements

    def row(self, text: str) -> None:
        self.rows.append(f"{text}  # {self.line.number}")

    def bind(self, code: str, hint: str, cheap: bool = False, kept: bool = True) -> Code:
        name = self._name(hint)
        self._live.append(name)
        self.row(f"{name} = {code}")
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
        super().begin(seed, action, spelling, words)

    def write_dropped(self, word: str) -> None:
        given = [] if word else list(map(str, self.objects.alive.values()))
        made = [name for name in self._live if name not in given]
        # terms go first, then the solver and its context, then what callables gave; a sort can have two ids
        names = [self._name_of(word)] if word else [*made, *self._managers, *given]
        gone = [name for name in names if name in self._live or name in self._managers]
        if gone:
            self.row(f"del {', '.join(gone)}")
        self._live = [name for name in self._live if name not in gone]
        self._managers = [name for name in self._managers if name not in gone or not word]

    def _name_of(self, word: str) -> str:
        """The name of the object of an id."""
        if word in ("o1", "c1"):
            return "solver" if word == "o1" else "ctx"
        number = int(word[1:])
        if word[0] == "x":
            return str(self.objects.alive[number])
        return str(self.db.terms[number].obj if word[0] == "t" else self.db.sorts[number].obj)

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
        reader = self.wrapper.set("readers", "value")
        if reader is not None and spelling is reader.spellings[0]:
            return self._value(self.source(spelling, args, indices))
        if action in _VALUES:
            return self.source(spelling, args, indices)
        return super().written_call(spelling, args, indices, action)

    def write_context(self) -> None:
        self.rows.append(f"ctx = {self.frame.ctx}")
        self.frame.ctx = Code("ctx")
        self._managers = ["ctx"]

    def write_solver(self, code: str) -> Code:
        self.row(f"solver = {code}")
        self._managers = ["solver", "ctx"]
        return Code("solver")

    def write_promise(self, code: str, action: str) -> None:
        self.row(f"promised({self.line.number}, {code})")

    def write_refused(self, code: str, defect: bool, message: str) -> None:
        self.row(f"refused({self.line.number}, lambda: {code}, {defect}, {literal(message)})")

    def write_script(self, code: str, spelling: Spelling) -> None:
        """Write a script. If it asks for its model, write it with the values of the model."""
        said = ", ".join(map(literal, [self.printed().split(), list(self.state.expected)]))
        text = str(self.frame.value)
        if "(get-model)" not in text:
            self.row(f"scripted({self.line.number}, {code}, {said})")
            return
        self._models = True
        self.rows.append(f"output = {code}")
        self.row(f"scripted({self.line.number}, output, {said})")
        self.frame.fill(value=Code("fixed"))
        again = self.source(spelling, self.state.limits)
        self.rows.append(f"fixed = with_values({literal(text)}, output)")
        self.rows.append("if fixed:")
        self.row(f"    satisfied({self.line.number}, {again}.strip())")

    def hint(self, action: str) -> str:
        if action in SORTS:
            return f"s{self.returned('s') or 0}_{sort_word(self.frame.result)}"
        if action in ("mk-const", "mk-var") and _WORD.fullmatch(self.frame.name):
            return self.frame.name
        return f"t{self.returned('t') or 0}"

    def sort_hint(self, sort: Sort) -> str:
        return f"{sort_word(sort)}_sort"

    def write_datatypes(self, code: str) -> list[Code]:
        ids = [t.number for t in self.line.result("return") or () if isinstance(t, Ref)]
        ids += [0] * (len(self.frame.value) - len(ids))
        names = [
            self._name(f"s{number}_{d[0]}")
            for number, d in zip(ids, self.frame.value, strict=False)
        ]
        self._live += names
        self.row(f"{', '.join(names)}{',' if len(names) == 1 else ''} = {code}")
        return [Code(name) for name in names]

    def write_check(self, code: str) -> None:
        recorded = self.line.result("answer")
        values = self.planted_values()
        if values is not None:
            self.rows.append(
                f"# It is satisfiable: {', '.join(values) or 'with nothing to choose'}"
            )
        expected = ["sat"] if values is not None else self.state.expected[:1]
        said = [plain_text(recorded[0]) if recorded else None, *expected]
        self.row(f"answered({self.line.number}, {code}, {', '.join(map(literal, said))})")
        self._answered = self.line.number

    def _value(self, code: str) -> None:
        """Handle a value that was read, and the value that the trace records."""
        term = self.line.args[1 + self._asked]
        self._asked += 1
        refusal = self.refusal()
        if refusal is not None:  # the refusal is about this term or a later one
            self.write_refused(code, refusal[0] in DEFECTS, refusal[1])
            return
        if self.trace.murxla:  # such a trace records no values
            self.row(code)
            return
        recorded = [
            tokens[1:]
            for kind, tokens in self.line.results
            if kind == "value" and tokens[:1] == [term]
        ]
        value = _recorded_value(recorded[0]) if recorded else None
        self.row(f"read({self.line.number}, {literal(str(term))}, {code}, {literal(value)})")

    def _sort_of(self, obj: Any, sort: Sort) -> Any:
        known = super()._sort_of(obj, sort)
        if isinstance(known, Code) and not known.isidentifier():
            return self.bind(known, f"s{self.returned('s') or 0}_{sort_word(sort)}")
        return known

    # -- misuses of calls

    def _misuse_source(self) -> str:
        """Return the definitions that the misuses of the program need, or the empty string if it
        has none.
        """
        if not self._stressed:
            return ""
        sources = [inspect.getsource(tokens), _joined(protocols, stress)]
        return MISUSE + "\n".join(inlined([source], self._stressed) for source in sources)

    def write_misuse(self, code: str) -> None:
        """Write a misuse. The last one is the recorded defect if the binding does not document what
        it raised.
        """
        self.row(f"misuse({self.line.number}, lambda: {code}, {self._told()})")

    def _told(self) -> str:
        """Return whether the line is the recorded defect, and whether its call raised anything."""
        recorded = self.line.result("raised")
        kind = plain_text(recorded[0]).partition(":")[0] if recorded else ""
        is_defect = bool(recorded) and self.last and (kind not in self.wrapper.contract.documented)
        self._stressed.setdefault("misuse")
        return f"{is_defect}, {bool(recorded)}"

    def broken(self, code: str) -> str:
        return f"HELD.append({code})" if self.line.spelling == "hold" else f"[{code}]"

    def public(self, name: str) -> Any:
        path = name.removeprefix(PROPERTY)
        self._called.setdefault(path if path == name else path.rpartition(".")[0])
        return super().public(name)

    def handed_over(self, number: int) -> Any:
        """Write rows that move an object into a list and delete its name, and return the name of the
        list. The list then has the only reference, as in the run.
        """
        code = str(super().handed_over(number)[0])
        held = self.bind(f"[{code}]", "held")
        self._live.remove(code)
        self.row(f"del {code}")
        return held

    def public_call(self, name: str, shown: Sequence[str], operands: Sequence[Any]) -> str:
        own = name.removeprefix(PROPERTY)
        if own != name:
            return f"{shown[0]}.{own.rpartition('.')[2]}"
        return f"{name}({', '.join(shown)})"

    def write_given(self, code: str) -> Any:
        told, number = self._told(), self.returned("x")
        call = f"gave({self.line.number}, lambda: {code}, {told})"
        if number is not None:
            return self.bind(call, f"x{number}")
        self.row(call)
        return None

    def _public_rows(self) -> str:
        """Return the statements with which a program names the callables that it calls, or the
        empty string if it calls none.
        """
        if not self._called:
            return ""
        modules = [
            *LIBRARY,
            *self.wrapper.facts.calls.get("modules", []),
        ]
        imported = [
            module
            for module in modules
            if any(name.startswith(f"{module}.") for name in self._called)
        ]
        imports = "".join(f"import {module}\n" for module in imported)
        return f"{imports}only_public({self.wrapper.facts.module!r}, {', '.join(self._called)})\n"

    def stranger(self, name: str) -> Any:
        self._stressed.setdefault("Raising")
        return super().stranger(name)

    def apply(self, function: Callable[..., Any], *operands: Any) -> Any:
        self._stressed.setdefault(function.__name__)
        shown = "HELD" if function is stress.used_all else ", ".join(map(literal, operands))
        self.write_misuse(f"{function.__name__}({shown})")

    def deferred(self, spelling: Spelling, frame: Frame, args: Sequence[Any] = ()) -> Any:
        return Code(f"(lambda: {spelling.call(args, (), frame)})")

    def repeated(self, call: Callable[[], Any], count: int) -> Any:
        return self.bind(f"[{call}() for _ in range({count})]", "made")

    def leave(self, frame: Frame) -> None:
        gone = self._live[self._live.index(str(frame.ctx)) : -1]
        self.row(f"del {', '.join(gone)}")
        self._live = [name for name in self._live if name not in gone]
        super().leave(frame)


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
