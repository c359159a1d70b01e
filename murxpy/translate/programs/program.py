"""A program that shows one finding: first its plainest form, then forms nearer to the trace."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from murxpy.errors import MurxpyError
from murxpy.foreign import escaped
from murxpy.logic.catalogue import Catalogue
from murxpy.machine.checks.registry import ANSWERING
from murxpy.machine.contract.rules import CONTEXT
from murxpy.machine.outcomes import CONTRACT, EXIT, Refused
from murxpy.machine.tokens import Raising
from murxpy.machine.trace.grammar import Line, Trace
from murxpy.machine.trace.lift import lift
from murxpy.smtlib.reading.scripts import read_script
from murxpy.translate.asking import theory_options
from murxpy.translate.expressions import inlined
from murxpy.translate.programs.calls import Calls, Form, PlainWrapper, go_through, tolerant
from murxpy.translate.programs.endings import checking_call
from murxpy.translate.programs.narrowing import narrowed
from murxpy.translate.programs.vocabulary import Claim, Ending

# an exception that is not the finding tells nothing
_HOOK = (
    "sys.excepthook = lambda *e: "
    '(sys.__excepthook__(*e), print("cannot be told:", e[1], flush=True), os._exit(2))'
)
MENDED = "with 0 where it is mended"
_EXITS = f"# Exits with 1 where this defect is, {MENDED}, with 2 where neither can be said."
# where the calls run in a child process
_ENDS = "# Exits with 1 where this defect is, with 0 where all calls return, with 2 where one raises an exception."
_FORMS = (
    Form(),
    Form(effects=True),
    Form(nested=False),
    Form(plain_solver=False),
    Form(plain_solver=False, main=False),
    Form(plain_solver=False, main=False, effects=True),
    Form(plain_solver=False, nested=False),
    Form(plain_solver=False, nested=False, main=False),
    Form(plain=False, plain_solver=False, nested=False),
    Form(plain=False, plain_solver=False, nested=False, main=False),
)
# of a process that dies by the call of a public callable, or where its objects end
_CALLED = (
    Form(looked=True),
    Form(plain_solver=False, main=False, looked=True),
    Form(plain_solver=False, nested=False, main=False, dropped=True),
    Form(plain_solver=False, nested=False, dropped=True),
)
_DROPS = ("misuse", "del", "delete", "gc")  # actions that show what dies with objects
_LIBRARY = ("copy", "gc", "itertools", "operator", "pickle")  # modules of Python that calls use
DEADLINE = 10  # seconds after which a program says that its calls do not end


@dataclass(frozen=True, slots=True)
class Program:
    """A program. `level` says how near to the trace its calls are, from 0. `frame` is the number of
    its lines that are no calls of the trace. `instead` is the same program with its objects in the main
    context of the binding; empty where they are there already, and where it cannot be said so.
    """

    text: str
    level: int
    frame: int
    instead: str = ""


def programs(
    trace: Trace, catalogue: Catalogue, wrapper: dict[str, Any], claim: Claim
) -> Iterator[Program]:
    """The programs that could show the finding of a trace, the plainest first. None of these programs
    was run. A form that cannot say the trace is left out.
    """
    seen: set[str] = set()
    calls = lifted(trace, catalogue, models=claim.question == "model")
    if calls is not None:
        yield from _forms(
            calls, catalogue, wrapper, claim, [Form(), Form(plain_solver=False)], seen
        )
    # a process can die where a context dies, which the main one does not before the process ends; and
    # what is about a second context may need that no call takes the main one unasked
    last = trace.lines[-1]
    stressed = last.action == "misuse" and last.args[:1] == [CONTEXT]
    own = claim.in_child or stressed or "another context" in claim.message
    forms = [form for form in _FORMS if form.main or own]
    if claim.in_child and trace.lines[-1].action in _DROPS:
        forms += _CALLED
    yield from _forms(trace, catalogue, wrapper, claim, forms, seen)


def lifted(trace: Trace, catalogue: Catalogue, *, models: bool) -> Trace | None:
    """The calls that say the same as the script that the trace of a finding runs, with a check of its
    model behind them if `models`; None
    where it runs none, or where no calls say the same.
    """
    line = trace.lines[-1]
    if line.action != "run-script" or not line.args:
        return None
    text = str(getattr(line.args[0], "text", ""))
    try:
        made = lift(read_script(text, trace.name, catalogue))
    except MurxpyError:
        return None
    answers = [result for result in line.results if result[0] == "answer"]
    checks = [one for one in made.lines if one.action in ANSWERING]
    for check, answer in zip(checks, answers, strict=False):
        check.results.append(answer)
    limits = [one for one in trace.lines if one.action == "set-limit"]
    options = theory_options(text, catalogue, trace.solver)
    needed = [Line("set-option", [name, True]) for name in options]
    lines = [*made.lines[:1], *needed, *limits[-1:], *made.lines[1:]]
    if models:
        lines.append(Line("check-model", number=len(lines) + 1))
    return Trace(trace.name, lines, {**made.header, "solver": trace.header.get("solver", "")})


def last_script(trace: Trace) -> Trace:
    """A trace that ends with a script, without the scripts before it: each has a solver of its own.
    Any other trace is as it was.
    """
    last = trace.lines[-1]
    if last.action != "run-script":
        return trace
    kept = [line for line in trace.lines[:-1] if line.action not in ("run-script", "expect")]
    return Trace(trace.name, [*kept, last], trace.header)


def _forms(
    trace: Trace,
    catalogue: Catalogue,
    wrapper: dict[str, Any],
    claim: Claim,
    forms: Sequence[Form],
    seen: set[str],
) -> Iterator[Program]:
    """The programs of a trace in some forms. `seen` are texts that are left out. Objects that the
    trace drops stay alive, except if the finding is about that.
    """
    if claim.kind != CONTRACT:
        kept = [line for line in trace.lines if line.action not in ("del", "gc")]
        if claim.in_child and kept and kept[-1].action == "delete":  # as at the end of the calls
            kept = kept[:-1]
        trace = last_script(Trace(trace.name, kept, trace.header))
    release = trace.header.get("solver", "").partition(" ")[2] or "1000000"

    def made(form: Form, ending: Ending | None) -> tuple[Calls, str] | None:
        try:
            run = Calls(PlainWrapper(wrapper, catalogue, release), catalogue, trace, form)
            return run, _written(run, claim, ending)
        except (MurxpyError, Refused, ValueError, RecursionError):
            return None

    for level, form in enumerate(forms):
        for ending in _endings(claim):
            written = made(form, ending)
            if written is None or written[1] in seen:
                continue
            run, text = written
            seen.add(text)
            lines = sum(bool(line) for line in text.splitlines())
            shown = run.sheet.calls + run.script.count("\n")
            main = None if form.main else made(replace(form, main=True), ending)
            instead = main[1] if main is not None and main[0].main and main[1] != text else ""
            yield Program(text, level, lines - shown, instead)


def _endings(claim: Claim) -> Sequence[Ending | None]:
    """The ways in which a program can end that shows the finding; None is one whose calls run in a
    child process.
    """
    return (None,) if claim.in_child else claim.endings


def _written(run: Calls, claim: Claim, ending: Ending | None) -> str:
    run.message, run.dies = claim.message, ending is None
    run.reading = checking_call
    go_through(run, run.trace)
    run.sheet.ending = True
    if ending is None:
        return _of_child(run, claim)
    ending(run, claim)
    rows = run.sheet.written([run.imports()])
    return _composed(run, claim, rows, ["os", "sys"], _HOOK)


def _composed(
    run: Calls, claim: Claim, rows: Sequence[str], modules: Sequence[str], last: str
) -> str:
    """The text of a program with the statements `rows`. `last` is a statement behind the imports."""
    words = set(
        re.findall(r"\w+", "\n".join(rows))
    )  # an ending may write a call without its helper
    needed = [name for name in run.wrapper.helpers if name in words]
    helpers = inlined([text for _, text in run.wrapper.facts.helpers], needed).strip()
    helpers = narrowed(helpers, needed, "\n".join(rows))
    raising = inspect.getsource(Raising) if any("Raising(" in row for row in rows) else ""
    helpers = "\n\n\n".join(
        filter(None, (helpers, raising.replace(": Any", "").replace(" -> Any", "")))
    )
    used = "\n".join([*rows, helpers])
    head = [
        *(f"# {escaped(line)}" for line in claim.sentence.splitlines()),
        _ENDS if "def calls():" in rows else _EXITS,
    ]
    more = [name for name in _LIBRARY if re.search(rf"\b{name}\.", used)]
    head.append(f"import {', '.join(sorted({*modules, *more}))}")
    if "Fraction(" in used:
        head.append("from fractions import Fraction")
    binding = dict.fromkeys([*_imports(run.imports(), used), *_modules(run, used)])
    script = [f"script = {_quoted(run.script)}"] if run.script else []
    top = "\n".join([*head, *binding, last])
    parts = [top, *script, helpers, "\n".join(rows)]
    return "\n\n".join(part for part in parts if part) + "\n"


def _quoted(script: str) -> str:
    """A text of many lines as Python source."""
    if '"""' in script or "\r" in script or not script.isascii():
        return ascii(script)
    return f'{"r" if chr(92) in script else ""}"""\n{script}"""'


def _modules(run: Calls, used: str) -> list[str]:
    """The imports of further modules that a program calls."""
    return [f"import {name}" for name in run.modules if name not in _LIBRARY and name in used]


def _imports(source: str, used: str) -> list[str]:
    """The imports of the binding that a program needs, between the other statements that stand
    there, such as those that find the library of the binding.
    """
    body = ast.parse(source).body
    others = [node for node in body if not isinstance(node, (ast.Import, ast.ImportFrom))]
    words = set(re.findall(r"[A-Za-z_]\w*", "\n".join([used, *map(ast.unparse, others)])))
    lines = []
    for node in body:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            node.names = [
                alias
                for alias in node.names
                if alias.name == "*" or (alias.asname or alias.name.partition(".")[0]) in words
            ]
        if not isinstance(node, (ast.Import, ast.ImportFrom)) or node.names:
            lines.append(ast.unparse(node))
    return lines


def _of_child(run: Calls, claim: Claim) -> str:
    """A program whose calls run in a child process, which dies or does not end."""
    if run.failing:  # what an earlier call broke may show behind a call that is refused
        refused = run.trace.lines[-1].result("raised") is not None
        call = f"print({run.failing})" if run.looked else run.failing
        run.sheet.do(tolerant(call) if refused else call)
    rows = run.sheet.written([run.imports(), "child calls Process signal sys"])
    hangs, exits = claim.ends == "no end", claim.kind == EXIT
    ending = _HANGS if hangs else _DIES
    modules = ["sys"] if hangs else ["signal", "sys"]
    if exits:  # a solver may end its process with 1, as an exception in the child does
        failed = "except Exception as error:\n    print(error, flush=True)\n    os._exit(2)"
        rows = ["try:", *(f"    {row}" for row in rows), *failed.splitlines()]
        ending, modules = ending.replace("code == 1", "code == 2"), ["os", *modules]
    source = ["def calls():", *(f"    {row}" for row in rows), "", "", *ending.splitlines()]
    return _composed(run, claim, source, modules, "from multiprocessing import Process\n")


_HANGS = f"""if __name__ == "__main__":
    child = Process(target=calls)
    child.start()
    child.join({DEADLINE})
    hangs = child.is_alive()
    child.kill()
    child.join()
    ended = "an end" if child.exitcode == 0 else "an error"
    print("expected an end, got", "none within {DEADLINE} s" if hangs else ended)
    sys.exit(1 if hangs else 0 if child.exitcode == 0 else 2)
"""
_DIES = """if __name__ == "__main__":
    child = Process(target=calls)
    child.start()
    child.join()
    code = child.exitcode
    if code == 1:
        print("a call raised an exception; the defect is mended if that was the last call")
        sys.exit(2)
    ended = "no signal" if code == 0 else signal.Signals(-code).name if code < 0 else f"exit code {code}"
    print("expected no signal, got", ended)
    sys.exit(0 if code == 0 else 1)
"""
