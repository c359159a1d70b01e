"""A finding as an issue for the solver's developers: Markdown, and the files that go with it."""

from __future__ import annotations

import ast
import builtins
import platform
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

from murxpy.cli.report.finding import FindingPage, without_turns
from murxpy.cli.report.findings import (
    BROKEN,
    Use,
    ended_by,
    operators_in,
    operators_of,
    smallest_trace,
    use_of,
)
from murxpy.cli.report.text import amount, fenced, one_line, prose
from murxpy.data import load_wrapper, wrapper_names
from murxpy.findings.buckets import is_unsound
from murxpy.findings.defects import finds_broken, grouping, place_of, reads_again
from murxpy.findings.frames import earliest, of_program
from murxpy.findings.kinds.calls import misfit_of, misuse_message
from murxpy.findings.kinds.registry import kind_of
from murxpy.findings.known import Registry
from murxpy.machine.outcomes import CONTRACT, CRASH, EXCEPTION
from murxpy.machine.trace.finished import (
    HEADER,
    header_value,
    last_row,
    options,
    read_needs,
    read_rows,
)
from murxpy.oracles.crash import ABORT, normalise
from murxpy.oracles.disagreement import KIND as DISAGREEMENT
from murxpy.reduction.reproducers import UNSTEADY
from murxpy.translate.printer import SELF_CHECKS

_TITLE, _CUT = (
    120,
    160,
)  # letters of a title: above the first, words become shorter; above the second, it is cut
_AGAIN = "gives another unsat core when it is read again"
_UNSOUND = "answers sat where no values make all assertions true"
# what the title of a death leaves out: the signal of each stack overflow, and outer namespaces
_ENDLESS = (
    " with a segmentation fault, a stack overflow in a recursion through",
    " by a stack overflow in a recursion through",
)
_DOES = re.compile(
    r"( ends the process| does not return)"
)  # behind which a title goes on to a colon
# how a process ends, in a title that is too long
_SHORTER = (
    (" ends the process with a segmentation fault", " segfaults"),
    (" ends the process with an abort", " aborts"),
)
# what a title that is too long leaves out: the text behind it has it
_LEFT_OUT = (
    re.compile(r", in this form in [\w:~]{1,160}$"),
    re.compile(r" after [^,]{1,80}(?= (?:segfaults|aborts|ends the process))"),
)
_NAMESPACES = re.compile(r"\b\w++::(?=[\w~]++::)")
_LONGEST = 200  # letters of what a program printed
_FRAMES = 8  # native frames that stand in the text
_INLINE = (
    80  # lines of a script or program that stands in the text; a longer one is an attachment only
)
_TRACES = ("finding.trace", "finding.history")  # one run, or several runs in one process
# what of the run may have to do with a disagreement; the script has what is needed
_OF_THE_RUN = re.compile(r" \([^()]{0,1000}\)$")
# Sorts and theories: of the unreduced run, or more of them than the defect needs.
_OF_SORT = re.compile(
    r"(?<=value of a term) of [A-Z_]{1,40}(?= is not ours)"
    r"|(?<=n assertion) about [A-Z_, ]{1,200}(?= is false)"
)
_PLACED = re.compile(r"\bends the process .{1,200} (?:in|through) .*")  # with a place in the solver
_BLAMED = re.compile(r"; the solver's value of (\S{1,60}) is not ours")
_PARTED = re.compile(r"; they part at (.+)$")
_SET = re.compile(r"^\(set-option :(\S+) ([^()]*)\)$", re.M)
# Options that only let a script ask or do more, and limits.
_ASKING = re.compile(
    r"produce-(?:models|assertions|assignments)|incremental|global-|print-|interactive|\S*limit"
)
_CHECK = re.compile(r"^\((check-sat(?:-assuming)?)\b", re.M)
_ARTICLE = re.compile(
    r"^(?:each|the|an?)\b"
)  # begins what is said of several calls, or of an object
_LIVES = "that the process goes on"
_RESULT = "a result or a documented exception"  # what a program says that it expected
_UNSTEADY = re.compile(UNSTEADY.format(r"\d+", r"\d+") + "$")
_DIED = re.compile(r" got (SIG[A-Z]+)$")  # what a program printed of its child process
# the key of the bucket of a death, without what differs with the signal
_CALLED = re.compile(r"^(?:crash|abort)-sig[a-z]+-(.+)-[0-9a-f]{8}$")
_RELEASE = re.compile(r"\d+(?:\.\d+)*")
_TRIED = re.compile(r"^ {4}(.{1,400})\n {4}got = ['\"]", re.M)  # the last call of a `try`
# What findings say of our evaluator, and what a developer of the solver can see in the form.
_SEEN = {
    " is not ours": " is not the one that its model gives",
    "; they part at ": "; the values part at ",
    ", by our evaluation": "",
    " by our evaluation": "",
    "; our evaluation cannot say": "",
    "the planted model satisfies all assertions; ": "all assertions are true with ",
}
_OUR_CALL = re.compile(r"(?<= before) \([a-z-]{1,40}\)(?=[.;,]|$)")  # our name of what was called
_LIMITED = re.compile(r"['\"](\w{0,40}limit)['\"], (\d{1,20})\)")
_PRINTED = re.compile(r"^ {4}print\(.{1,400}\)\n\n", re.M)  # the last statement of a child process
_DEFINED = re.compile(r"^(?:def|class) ", re.M)


@dataclass(frozen=True, slots=True)
class Draft:
    """An issue: its Markdown, the files that go with it by their names, and what its author should know
    before sending it.
    """

    text: str
    files: Mapping[str, str]
    warnings: Sequence[str]


def draft_of(
    page: FindingPage, receiver: str | None = None, registries: Sequence[Registry] = ()
) -> Draft | None:
    """The issue of a finding, for the developers of `receiver`, by default those of its solver; the
    warnings name the known bugs of `registries` that look like it. None where no trace is kept.
    """
    file, small = page.kept, page.trace
    if file is None:
        return None
    solver = page.bucket.solver
    wrapper = _wrapper(solver)
    rules = (_wrapper(receiver) if receiver else wrapper).get("reporting") or {}
    script, program = _form(page, "smt2"), _form(page, "python")
    framed = page
    if program and not script and _astray(page):
        page = replace(page, bucket=replace(page.bucket, backtrace=""), frames=())
    release = _release(page, small)
    files = {f"finding{file.suffix}": _telling(small, file, page.bucket.kind)} if small else {}
    files |= {"finding.smt2": script} if script else {}
    files |= {"finding.py": program} if program else {}
    files |= {"decided.smt2": page.decided} if page.decided else {}
    if script and not _command(page) and not wrapper.get("command"):
        files["run.py"] = str(wrapper.get("script-runner") or "")
    parts = [
        f"# {_title(page, small, script, release)}\n",
        *_what(page, script, program),
        *_how(page, script, program, files, wrapper, release),
        *_circumstances(page, small, _form_has(page, script, program, wrapper), release),
        *_frames(framed, "of its replay" if page is not framed else ""),
    ]
    text = "\n".join(parts).rstrip("\n") + "\n"
    return Draft(text, files, [*_warnings(page, rules, script or program, registries)])


def _astray(page: FindingPage) -> bool:
    """Whether the native frames are those of a replay of the trace, which may die in another function than
    the program does.
    """
    backtrace = page.bucket.backtrace
    tells = bool(backtrace) and not finds_broken(page.bucket) and not page.recursion
    return tells and not of_program(backtrace)


def _telling(trace: str, file: Path, kind: str) -> str:
    """A trace with the row `finds` in its header, by which other commands know what it shows; the runs of a
    history as they are.
    """
    header = re.match(r"# murxpy-trace \d+\n(?:# .*\n)*", trace)
    if file.suffix != ".trace" or header is None or "\n# finds " in header[0]:
        return trace
    return f"{header[0]}# finds {kind}\n{trace[header.end() :]}"


@cache
def _wrapper(name: str) -> dict[str, Any]:
    """The wrapper of a solver; empty where there is none of this name."""
    return load_wrapper(name) if name in wrapper_names() else {}


def _form(page: FindingPage, name: str) -> str | None:
    """The text of a form of the finding (`python`, `smt2`) that was seen to show it; None where there is
    none.
    """
    forms = page.bucket.reproducers
    form = next((one for one in forms if one.form == name and one.file), None)
    return page.read(form.file) if form is not None and form.reproduces else None


def _release(page: FindingPage, small: str) -> str:
    """The release on which the finding was made, by the header of its trace or by the campaign."""
    told = header_value(small, "solver").partition(" ")[2] or next(iter(page.releases), "")
    found = _RELEASE.match(told)
    return found[0] if found else told


def _title(page: FindingPage, small: str, script: str | None, release: str) -> str:
    """Kind, operators and release, or where a process dies. The operators are those of the script, where
    there is one: it may need fewer than the trace.
    """
    kind, solver = kind_of(page.bucket.kind), page.bucket.solver
    smallest = smallest_trace(page.bucket, page.read)
    # what only the whole run has tells nothing
    names = operators_of(smallest or "")
    names = [name for name in names if script is None or _has(script, name)]
    names = names or operators_in(script or "")
    free = {
        need.name
        for need in read_needs(header_value(smallest or "", HEADER))
        if need.kind == "other"
    }
    # one of them, so that a title says of no other that the defect needs it
    blamed = [name for name in _BLAMED.findall(page.wrong) if name in names]
    named = next((name for name in [*blamed, *names] if name not in free), "")
    if kind.dies or (kind.ends == "no end" and page.bucket.action == "misuse"):
        misused = page.bucket.action == "misuse"  # of which other calls were tried
        call, *more = re.split(_DOES, page.wrong, maxsplit=1)
        what = call + "".join(more).partition(": ")[0]
        what = _of_program(page, what).replace(*_ENDLESS)
        what = _NAMESPACES.sub("", what)
        placed = _PLACED.search(what)
        recurs = placed and " recursion through " in placed[0]
        if placed and (recurs or page.bucket.action.startswith("check-")) and not misused:
            what = placed[0]  # another call that begins such a check does as well
    elif page.bucket.kind in (CONTRACT, EXCEPTION):
        what = _of_check(
            page, _of_program(page, _as_printed(page, misuse_message(page.defect.wrong))), script
        )
        named = named or next(iter(_checked(page.trace)), "")
        if page.bucket.action in SELF_CHECKS and named:
            what = f"{what}: {named}"
    else:
        label = _UNSOUND if is_unsound(page.bucket) else kind.does(page.bucket.message)
        label = _AGAIN if reads_again(page.bucket, page.read) else label
        what = f"{label}{f', here with {named}' if named else ''}"
    text = f"{solver} {release} {what}"
    for long, short in _SHORTER if len(text) > _TITLE else ():
        text = text.replace(long, short, 1)
    for part in _LEFT_OUT if len(text) > _CUT else ():
        text = part.sub("", text, count=1) if len(text) > _CUT else text
    if len(text) > _CUT:
        text = f"{text[: _CUT - 3].rpartition(' ')[0]}..."
    return prose(text)


def _checked(trace: str) -> list[str]:
    """What scripts call the operator of the term on which the last row of a trace is a check."""
    rows = list(read_rows(trace))
    asked = rows[-1].words.split()[:1] if rows else []
    made = [
        f"0 mk-term {row.words}\n"
        for row in rows
        if row.action == "mk-term" and any(result[1:2] == asked for result in row.results)
    ]
    return operators_of("".join(made))


def _of_program(page: FindingPage, said: str) -> str:
    """A sentence about a death or an exception, without its signal where not all replays die of the same one, and with the
    last call of its program, where no script says it, in the place of an action that may make several.
    """
    call = _last_call(_form(page, "python") or "")
    does = " raises " if page.bucket.kind == EXCEPTION else " ends the process"
    before, ends, rest = said.partition(does)
    told = page.bucket.action == "misuse" or "(" in before or _form(page, "smt2") is not None
    told = told or before == BROKEN  # which call noticed that is chance
    if before and ends and _PRINTED.search(_form(page, "python") or ""):
        # its results were printed to tell them apart, and what else cannot be printed was not tried
        said = f"printing what {before.removesuffix(',')}, for example, gives{ends}{rest}"
    elif call and before and ends and not told:
        said = f"{call}{ends}{rest}"
    return (
        said
        if _steady(page)
        else said.replace(f" with {ended_by(page.bucket.signal)}", " by a signal", 1)
    )


def _as_printed(page: FindingPage, said: str) -> str:
    """A sentence about a broken promise with what the program prints of it, where that is the same about other
    values.
    """
    message = misuse_message(page.bucket.plain_message)
    told = next((one.note for one in page.bucket.reproducers if one.form == "python"), "")
    got = told.partition(" got ")[2]
    same = page.bucket.kind == CONTRACT and bool(got) and normalise(got) == normalise(message)
    return said.replace(message, got) if same else said


def _last_call(program: str) -> str:
    """The function that a program calls last in its child process, or whose exception it catches; empty
    where it has a helper.
    """
    defined = len(_DEFINED.findall(program))
    tried = _TRIED.search(program) if not defined else None
    rows = program.partition("\ndef calls():\n")[2].partition("\n\n")[0].split("\n")
    if tried is None and defined != 1:
        return ""
    try:
        call = ast.parse(tried[1] if tried else rows[-1].strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ""
    while isinstance(call, (ast.Call, ast.BoolOp, ast.ListComp)):
        if not isinstance(call, ast.Call):
            call = call.values[0] if isinstance(call, ast.BoolOp) else call.elt
            continue
        if isinstance(call.func, ast.Attribute):
            return f"{_named(call.func.value)}{call.func.attr}"
        if isinstance(call.func, ast.Name) and not hasattr(builtins, call.func.id):
            return call.func.id
        call = call.args[0] if call.args else call.func  # the elements that a call gives
    return ""


def _named(owner: ast.expr) -> str:
    """What makes the object of a call by a name, such as a tactic, with a point; empty where nothing does."""
    if not isinstance(owner, ast.Call) or not isinstance(owner.func, ast.Name):
        return ""
    given = [one for one in owner.args if isinstance(one, ast.Constant) and type(one.value) is str]
    return f"{owner.func.id}({', '.join(map(ast.unparse, given))})." if given else ""


def _steady(page: FindingPage) -> bool:
    """Whether the process dies of one signal in all findings of a call, and in its program. What reads
    memory that was freed dies of one signal in one process, and of another in the next.
    """
    if not page.bucket.signal:
        return True
    if finds_broken(page.bucket):  # where that is noticed, and how, is chance
        return False
    told = next((one.note for one in page.bucket.reproducers if one.form == "python"), "")
    found = _DIED.search(told)
    called = _CALLED.sub(r"\1", page.bucket.key)
    alike = (one for one in page.defect.buckets if _CALLED.sub(r"\1", one.key) == called)
    kinds = {one.kind for one in alike if one.kind in (CRASH, ABORT)}
    return len(kinds) < 2 and (found is None or found[1] == page.bucket.signal)


def _of_check(page: FindingPage, said: str, script: str | None) -> str:
    """A sentence about an exception with the last check of its script, where that answers unknown for the
    exception. A reader of scripts catches what a call of the API raises.
    """
    checks = _CHECK.findall(script or "")
    before, _, message = said.partition(" raises ")
    if page.bucket.kind != EXCEPTION or not script:
        return said
    if checks and ":reason-unknown" in script:
        return f"an exception ends {checks[-1]}: {message or said}"
    if message and before == "push":  # a check would do the same work
        return f"an exception ends the work on assertions, here at a push: {message}"
    return said


def _what(page: FindingPage, script: str | None, program: str | None) -> Iterator[str]:
    """What was expected and why, and what was got: as the script or the program says it."""
    got, expected = _told(script) if script else ("", "")
    said = _of_check(page, _of_program(page, _as_printed(page, page.wrong)), script)
    parted = _PARTED.search(said)
    if script and parted and not _has(script, parted[1]):  # the script needs less than the trace
        said = said[: parted.start()]
    said = _ARTICLE.sub(lambda found: found[0].capitalize(), _OF_SORT.sub("", said))
    if page.bucket.kind == DISAGREEMENT:
        said = _OF_THE_RUN.sub("", said)
    for ours, theirs in _SEEN.items():
        said = said.replace(ours, theirs)
    yield f"{prose(said)}.\n"
    if expected:
        yield f"- **Expected:** {prose(expected)}"
        yield f"- **Got:** {prose(got)}"
    elif program:
        told = next((one.note for one in page.bucket.reproducers if one.form == "python"), "")
        wanted, _, got = told.removeprefix("expected ").partition(" got ")
        if got:
            wanted = _wanted(page, wanted.rstrip(","), got)
            got += "" if _steady(page) else ", or another signal"
            yield f"- **Expected:** {prose(wanted)}"
            yield f"- **Got:** {prose(one_line(_UNSTEADY.sub('', got).rstrip(), _LONGEST))}"
    for line in _written(page, script, program):
        yield line
    for line in _documented(page):
        yield f"- **Documented:** {prose(line)}"
    for line in page.bucket.triage.get("evidence") or ():
        yield f"- **Evidence:** {prose(str(line))}"
    yield ""


def _wanted(page: FindingPage, wanted: str, got: str) -> str:
    """What a program expected, as a sentence of what should be: the exceptions that the binding documents by
    their names.
    """
    wanted = wanted.replace("no signal", _RESULT if page.bucket.action == "misuse" else _LIVES)
    contract = _wrapper(page.bucket.solver).get("contract") or {}
    documented = contract.get("documented") or ()
    names = [str(one["type"]) for one in documented]
    if misfit_of(f"{page.bucket.action}@{page.bucket.spelling}"):
        return "an exception that refuses the definition"
    if wanted != _RESULT:
        return wanted
    if not names or any(got.startswith(f"{name}:") for name in names):
        return "a result, or an exception that says what is wrong with an operand"
    above = [str(one["of"]).rpartition(".")[0] for one in documented]
    near = (k for k, module in enumerate(above) if page.bucket.operator.startswith(f"{module}."))
    name = names[next(near, 0)]
    return f"a result, or {name} as the documentation shows it for other refused calls"


def _written(page: FindingPage, script: str | None, program: str | None) -> Iterator[str]:
    """What the solver writes before the program that stands in the issue dies."""
    form = next((one for one in page.bucket.reproducers if one.form == "python"), None)
    if program and not script and form is not None and form.written:
        yield "- **Written before it dies:**\n"
        yield fenced(form.written, "text")


def _documented(page: FindingPage) -> Iterator[str]:
    """The sentence of the documentation that another exception breaks: that of the nearest module or class
    above the callable that lets it out.
    """
    if page.bucket.kind != CONTRACT or not place_of(page.bucket):
        return
    contract = _wrapper(page.bucket.solver).get("contract") or {}
    for one in contract.get("documented") or ():
        above, thrown = str(one["of"]).rpartition(".")[0], misuse_message(page.bucket.message)
        if thrown.startswith(f"{one['type']}: "):  # what it says breaks another promise
            return
        if page.bucket.operator.startswith(f"{above}."):
            yield f"the text of {one['of']} shows a refused call that raises {one['type']}: {one['quote']}"
            return


def _told(script: str) -> tuple[str, str]:
    """What the header of a script says that it prints and that it should print."""
    found = {"It prints": "", "It should print": ""}
    key = ""
    for row in script.split("\n"):
        if not row.startswith(";"):
            break
        begun = re.match(r"; (It prints|It should print): (.*)", row)
        if begun:
            key = begun[1]
            found[key] = begun[2]
        elif key and row.startswith(";   "):
            found[key] += f" {row[1:].strip()}"
        else:
            key = ""
    return found["It prints"], found["It should print"]


def _command(page: FindingPage) -> str:
    """The command by which the solver's own program runs the script `FILE`; empty where a reader of its
    binding runs it.
    """
    notes = [form.note for form in page.bucket.reproducers if form.form == "smt2"]
    return next((note.removeprefix("run as ") for note in notes if " FILE" in note), "")


def _how(
    page: FindingPage,
    script: str | None,
    program: str | None,
    files: Mapping[str, str],
    wrapper: Mapping[str, Any],
    release: str,
) -> Iterator[str]:
    """The smallest script or program, with the command that runs it."""
    package = str(wrapper.get("package") or page.bucket.solver)
    install = (
        f"pip install {shlex.quote(f'{package}=={release}')}"
        if release
        else f"pip install {package}"
    )
    if script:
        command = _command(page).replace("FILE", "finding.smt2") or "python3 run.py finding.smt2"
        if wrapper.get("command"):  # a program that the user named, and that the reader knows
            command = "solver < finding.smt2"
        body = "\n".join(row for row in script.rstrip("\n").split("\n") if not row.startswith(";"))
        yield from block(f"## Script: `{command}`", "smt2", body, "finding.smt2")
        yield from _decided(page)
        if "run.py" in files:
            yield from block("`run.py` reads it:", "python", files["run.py"].rstrip("\n"), "run.py")
    elif program:
        yield from block(
            "## Program: `python3 finding.py`", "python", program.rstrip("\n"), "finding.py"
        )
    else:
        name = next((name for name in files if name in _TRACES), "")
        yield f"## Trace: `murxpy replay {name}`\n" if name else "## Trace\n"
        said = "that murxpy wrote shows it" if page.bucket.reproducers else "was made of it yet"
        if name:
            yield f"No script and no program {said}.\n"
            yield from block("The trace:", "", files[name].rstrip("\n"), name)
        else:
            yield f"No script and no program {said}; it needs runs that only its campaign can make.\n"
    if not script:
        yield from _decided(page)
    if not wrapper.get("command"):
        yield f"Installed by `{install}`.\n"


def _decided(page: FindingPage) -> Iterator[str]:
    """The script that the solver decides, where it gives up on what follows from it."""
    if page.decided:
        title = "The solver decides this script, from which the rule made the other one:"
        yield from block(title, "smt2", page.decided.rstrip("\n"), "decided.smt2")


def block(title: str, language: str, text: str, name: str) -> Iterator[str]:
    """A heading and a text between fences, which are longer than those in the text; a long text is only
    named.
    """
    yield f"{title}\n"
    if text.count("\n") >= _INLINE:
        yield f"It has {text.count(chr(10)) + 1} lines: see the attached {name}.\n"
        return
    yield fenced(text, language)


def _circumstances(page: FindingPage, small: str, has: str, release: str) -> Iterator[str]:
    """Release, platform, releases that show it, and what it needs."""
    python = header_value(small, "python") or platform.python_version()
    yield "## Where it shows\n"
    yield f"- {page.bucket.solver} {release}, {platform.system()} {platform.machine()}, Python {python}"
    yield f"- {prose(page.range)}" if page.range else "- other releases were not tried"
    if has:
        yield f"- the form above has {prose(has)}"
    told = next((one.note for one in page.bucket.reproducers if one.form == "python"), "")
    unsteady = _UNSTEADY.search(told)
    if unsteady:  # one run says nothing of what the defect needs
        yield f"- the program shows it {unsteady[0]}"
    else:
        # they were tried on the trace, and a script or a program may need less
        name = f"finding{page.kept.suffix}" if page.kept is not None else "the trace"
        named = (need.replace("In the trace", f"In {name}", 1) for need in page.needs)
        needs = dict.fromkeys(_OUR_CALL.sub("", need) for need in named)
        yield from (f"- {prose(need)}" for need in needs)
    if page.runs and not page.bucket.message.startswith("no return"):
        found = datetime.fromtimestamp(page.bucket.first, UTC)
        yield f"- found by murxpy on {found:%d %B %Y}, {amount(page.bucket.count, 'time')} in one campaign"
    yield ""


def _form_has(
    page: FindingPage, script: str | None, program: str | None, wrapper: Mapping[str, Any]
) -> str:
    """What the form that stands in the issue has, in words: the options of a script, which has no others,
    with those of the command that runs it; the options of the trace, and the call that makes the solver, of
    a program; and the operators and calls that SMT-LIB does not have. Empty where nobody can say it.
    """
    small = smallest_trace(page.bucket, page.read)
    if small is None or _makes_its_own(small, wrapper):
        return ""
    use, form = use_of(small), script or program
    named = tuple(name for name in use.operators if form is None or _has(form, name))
    given = use.options
    if script:
        pairs = _SET.findall(script)
        given = (*_command(page).partition(" FILE")[0].split()[1:], *_stated(pairs))
    elif program is not None:
        if _DEFINED.search(
            program.partition("\ndef calls():\n")[0]
        ):  # a helper may set options of its own
            return ""
        made = _made(program, wrapper)
        pairs = [(name, value) for name, value in options(small) if _has(program, name)]
        pairs += _LIMITED.findall(program)
        given = (*dict.fromkeys([*use.options, *_stated(pairs)]), *([made] if made else []))
    rows = list(read_rows(small))
    given = (*given, *(f"logic {row.words}" for row in rows if row.action == "set-logic"))
    if page.bucket.kind == CONTRACT or any(row.action == "misuse" for row in rows):
        return ", ".join(given)  # the program names the operators of a misuse
    if program and not script and use.operators and not named:  # it may write them with others
        return ", ".join(given or ["default options"])
    return Use(tuple(given), named).words().removeprefix("with ")


def _stated(pairs: Sequence[tuple[str, str]]) -> list[str]:
    """The options that a form sets, each once, without those that only let it ask or do more; a limit in
    words.
    """
    limit = ["a resource limit"] if any(name.endswith("limit") for name, _ in pairs) else []
    told = dict.fromkeys(f"{name}={value}" for name, value in pairs if not _ASKING.match(name))
    return [*told, *limit]


def _makes_its_own(trace: str, wrapper: Mapping[str, Any]) -> bool:
    """Whether the last action of a trace makes solvers of its own, whose options only it knows."""
    row = last_row(trace)
    own = (wrapper.get("own-actions") or {}).get(row.action if row is not None else "")
    return bool((own or {}).get("stress"))


def _made(program: str, wrapper: Mapping[str, Any]) -> str:
    """The call that makes the solver in a program; empty where there is none, and where that is what users
    call.
    """
    own = wrapper.get("plain") or {}
    name = str((own.get("names") or {}).get("solver", ""))
    new = (own.get("lifecycle") or {}).get("new") or {}
    calls = new.values() if isinstance(new, dict) else [new]
    usual = [_class(str(one["is"] if isinstance(one, dict) else one)) for one in calls]
    if not name or not usual or len(re.findall(rf"\b{name}\b", program)) < 2:
        return ""
    found = re.search(rf"^ *{re.escape(name)} = (.+)$", program, re.M)
    made = _class(found[1]) if found is not None else ""
    same = not made or made in usual or f"def {made}(" in program
    return "" if same or found is None else f"a solver made by {found[1]}"


def _class(call: str) -> str:
    """The name of what a call makes, without its module."""
    return call.partition("(")[0].rpartition(".")[2]


def _has(text: str, name: str) -> bool:
    """Whether a script or a program, and not only its header, has a name."""
    word = re.compile(rf"(?<!\w){re.escape(name)}(?![\w.])")
    return any(word.search(row) for row in text.split("\n") if not row.startswith((";", "#")))


def _frames(page: FindingPage, of: str = "") -> Iterator[str]:
    """The native frames without those of the interpreter, the innermost first; of a recursion once. `of` says of
    what they are, where that is not the form above.
    """
    if page.frames:
        rows = [*without_turns(page)] if page.recursion else [*page.frames]
        more = ["(and more)"] if len(rows) > _FRAMES else []
        heading = f"## {page.about_frames(f'Native frames {of}'.rstrip())}"
        yield from block(heading, "", "\n".join([*rows[:_FRAMES], *more]), "backtrace.txt")
        first = earliest(page.bucket.backtrace)
        if first:
            yield f"With freed memory overwritten at once (`glibc.malloc.perturb`), it dies in {first}.\n"


def _warnings(
    page: FindingPage,
    rules: Mapping[str, Any],
    shown: str | None,
    registries: Sequence[Registry],
) -> Iterator[str]:
    """What should keep the author from sending the issue as it is."""
    bucket = page.bucket
    if not bucket.reproducers:
        yield "no script and no program was made of the finding yet: 'murxpy finish' makes them"
    elif not shown:
        yield "no script and no program shows the finding: developers can hardly mend it"
    if bucket.state != "confirmed":
        yield "the finding is not confirmed"
    if rules.get("tracker"):
        yield f"it goes to {rules['tracker']}"
    asked = filter(None, (rules.get("together"), rules.get("attachments")))
    yield from (f"the developers ask: {one}" for one in asked)
    for hold in rules.get("hold-off") or ():
        if re.search(str(hold["match"]), f"{bucket.key} {page.defect.wrong} {page.text}"):
            yield f"hold it back: {hold['because']}"
    week = sum(registry.sent_last_week(bucket.solver) for registry in registries)
    quota = rules.get("a-week")
    if quota and week >= quota:
        yield f"{amount(week, 'issue')} went to {bucket.solver} in the last seven days, and {quota} are welcome"
    marks = grouping(page.out).marks(bucket).own if registries else ()
    for registry in registries:
        for entry in registry.alike(bucket.key, marks):
            yield f"it looks like the known bug {entry.name}{f' ({entry.url})' if entry.url else ''}"
