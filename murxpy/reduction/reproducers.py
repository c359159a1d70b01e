"""The other side of a disagreement: a model of assertions that the trace's solver calls unsat, from
a solver that answers sat to them.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

from murxpy.errors import InputError, MurxpyError
from murxpy.findings.buckets import bucket_key
from murxpy.findings.folder import read_if_there, write_atomically
from murxpy.findings.kinds.registry import kind_of
from murxpy.findings.kinds.sights import Shown
from murxpy.findings.ranges import with_range
from murxpy.findings.replayed import replay_trace
from murxpy.findings.scripted import recorded_answers
from murxpy.judging.disagreement import header_judges
from murxpy.judging.judged_solver import JudgedSolver
from murxpy.judging.operators import judge_plans
from murxpy.judging.triage import other_solvers
from murxpy.logic.catalogue import Catalogue, build_catalogue
from murxpy.machine.contract.rules import CONTEXT
from murxpy.machine.outcomes import EXIT, WRONG_ANSWER
from murxpy.machine.replaying.judging import CHECKS
from murxpy.machine.script import OWN_CHECK
from murxpy.machine.tokens import Quoted
from murxpy.machine.trace.finished import (
    HEADER,
    OWN_CONTEXT,
    Need,
    add_header,
    header_value,
    read_needs,
    without_header,
    write_needs,
)
from murxpy.machine.trace.grammar import Line, Trace, parse_trace
from murxpy.oracles.crash import Outcome, judge, normalise
from murxpy.oracles.crash import written as written_by
from murxpy.oracles.disagreement import KIND as DISAGREEMENT
from murxpy.oracles.disagreement import answers_of
from murxpy.oracles.regression import KINDS as REGRESSIONS
from murxpy.oracles.regression import OF_ANSWERS
from murxpy.processes.inquiries import Ask, Questions
from murxpy.processes.limits import Limits
from murxpy.processes.pool import Pool
from murxpy.processes.targets import Plan, version_of
from murxpy.records.finding import Reproducer
from murxpy.reduction.pipeline import Minimized
from murxpy.reduction.programs import run_program
from murxpy.reduction.script_writer import ScriptWriter
from murxpy.semantics import refuting
from murxpy.solvers.exceptions import INVALID_MODEL
from murxpy.translate.planted import last_formulas, under_planted
from murxpy.translate.programs.endings import asking_why
from murxpy.translate.programs.program import (
    DEADLINE,
    MENDED,
    Program,
    last_script,
    lifted,
    programs,
)
from murxpy.translate.programs.unrolling import (
    Call,
    Goal,
    Site,
    calls_of,
    ended_with,
    goals_of,
    instrumented,
    literal_of,
    needed,
    shortened,
    site_of,
    written,
)
from murxpy.translate.python import UNSATISFIED, to_python


def refuted(plan: Plan, trace: Trace, catalogue: Catalogue, limits: Limits) -> Trace | None:
    """The trace of a disagreement with a planted model of its last check, which refutes the answer
    unsat: the model of the first judge in the header, or else of the first other solver, whose values
    make all assertions true. A script that the trace runs is told in calls.

    The result is None if the trace does not answer unsat, or if no judge has such a model. A judge
    that only the header names is not asked.
    """
    calls = lifted(trace, catalogue, models=False) or trace
    try:
        names = header_judges(trace) or other_solvers(plan.target.family)
    except InputError:
        names = other_solvers(plan.target.family)
    at = next((k for k, row in reversed([*enumerate(calls.lines)]) if row.action in CHECKS), None)
    if at is None or ("answer", "unsat") not in _answers(calls, at):
        return None
    calls = Trace(trace.name, calls.lines, trace.header)
    rest = Trace(trace.name, calls.lines[at:]).text()
    for name in names:  # one that is not installed says nothing of the others
        try:
            with closing(JudgedSolver(plan, judge_plans((name,)), limits)) as solver:
                model = solver.answer(_model(solver, 1, calls.text()))
                planted = "".join(f"0 {row}\n" for row in model)
                before = replace(calls, lines=calls.lines[:at]).text()
                made = parse_trace(f"{before}{planted}{rest}", trace.name)
        except MurxpyError:
            continue
        if model and _true(made, catalogue):
            return made
    return None


def _answers(trace: Trace, at: int) -> list[tuple[str, str]]:
    return [(name, str(words[0])) for name, words in trace.lines[at].results if words]


def _model(solver: JudgedSolver, judge: int, source: str) -> Questions[Sequence[str]]:
    """The lines `plant` of the model of a judge; none where its last answer is not sat."""
    solvers = solver.solvers.of_trace(source)
    outcome = yield Ask(judge, source, solvers.settings(0, judge, model=True, values=True))
    report = outcome.report or {}
    answered = [now for _, _, now in answers_of(report)][-1:] == ["sat"]
    return ["plant", *report.get("plants", ())] if answered and not report.get("finding") else []


def _true(trace: Trace, catalogue: Catalogue) -> bool:
    """Whether all assertions of the last check are true in the planted model."""
    try:
        _, verdicts = under_planted(trace, catalogue)
    except MurxpyError:
        return False
    return all(verdict == "true" for _, verdict in verdicts)


# ----------------------------------------------------------------------
# A script with many checks, cut behind the one whose model is wrong.


_CHECKS = 20  # checks behind which a script is cut, one after another


def cut_behind_wrong_model(
    plan: Plan, trace: Trace, catalogue: Catalogue, file: Path, shown: Shown, limits: Limits
) -> Trace:
    """The trace whose last line runs its script only up to the first check whose model is wrong;
    unchanged where it runs no script with several checks, or where none of them shows that. `file`
    is written to.
    """
    last = trace.lines[-1] if trace.lines else Line("")
    if kind_of(shown.kind).question != "model" or last.action != "run-script" or not last.args:
        return trace
    try:
        for line in _cuts(last):
            cut = replace(trace, lines=[*trace.lines[:-1], line])
            writer = ScriptWriter(plan, cut, catalogue, file, shown, cut.text(), limits)
            if writer.shows_at_once():
                return cut
    except MurxpyError:
        return trace
    finally:
        file.unlink(missing_ok=True)
    return trace


def _cuts(last: Line) -> Iterator[Line]:
    """The line with its script cut behind each check but the last one, with the answers up to there."""
    script = last.args[0]
    rows = script.text.splitlines() if isinstance(script, Quoted) else []
    checks = [at for at, row in enumerate(rows) if row.startswith("(check-sat")]
    answers = [result for result in last.results if result[0] == "answer"]
    for count, at in enumerate(checks[:-1][:_CHECKS], 1):
        text = "\n".join([*rows[: at + 1], "(get-model)", ""])
        yield replace(last, args=[Quoted(text)], results=answers[:count])


# ----------------------------------------------------------------------
# The translations of a finding's trace into a Python program and an SMT-LIB script, and whether
# each of them shows the finding again.


SECONDS = 20.0  # that a program gets; a program that does not end by then hangs
_TRIES = 40  # runs of a program that has the calls of a helper in its place
_GOALS = 8  # calls that are tried with the result that was expected
_STEADY, _MORE = (
    3,
    8,
)  # further runs of a program that shows a finding, and those where not all show it
UNSTEADY = "in {} of {} runs"  # ends the note of a program that does not show its finding each time
_AGAIN = 2  # runs of a program in the main context, before a finding counts as one that needs another context

_COMPARED = re.compile(
    r"^expected .+ got .*", re.M
)  # what a plain program prints when it was asked
_RELEASE = re.compile(r"\d+(?:\.\d+)+")
_DEFECT = re.compile(r"^line \d+: (.*)$", re.M)


def base_of(trace: Path) -> Path:
    """The path of the reproducers beside a trace, without their endings."""
    name = trace.name
    for ending in (".trace", ".history", ".min"):
        name = name.removesuffix(ending)
    return trace.with_name(name)


def plain_programs(
    trace: Trace, catalogue: Catalogue, wrapper: dict[str, Any], kind: str, message: str
) -> Iterator[Program]:
    """The programs that could show the finding of a trace, the plainest first."""
    answer = next(iter(recorded_answers(trace)[-1:]), "")
    claim = kind_of(kind).claim(trace.header.get("solver", ""), message, answer)
    yield from programs(_asked(trace, kind), catalogue, wrapper, claim)


def _asked(trace: Trace, kind: str) -> Trace:
    """The trace as its script is written and its program made: it asks why, where that shows the finding."""
    return asking_why(trace) if kind_of(kind).question == "reason" else trace


def write_programs(
    plan: Plan,
    trace: Path,
    text: str,
    shown: Shown,
    limits: Limits | None = None,
    forms: Sequence[str] = ("python", "smt2"),
) -> list[Reproducer]:
    """Write the translations of `text`, the trace in the file `trace`, beside it, and try them.

    Gives the Python program and the SMT-LIB script, those of them that `forms` names; nothing where
    the target has no wrapper. The header of the smaller trace, if there is one, tells from then on
    whether the finding needs a context of its own. Raises OSError.
    """
    if "wrapper" not in plan.setup or "catalogue" not in plan.setup:
        return []
    work = _Programs(plan, trace, text, shown, limits or Limits())
    made = {"python": work.python, "smt2": work.script}
    found = [make() for form, make in made.items() if form in forms]
    if work.own_context:
        _keep_need(smaller_of(trace), OWN_CONTEXT)
    return found


def _keep_need(file: Path, need: Need) -> None:
    """Add a need to the header of a trace, where the file is there."""
    text = read_if_there(file)
    if text is None:
        return
    known = read_needs(header_value(text, HEADER))
    if need not in known:
        row = f"# {HEADER} {write_needs([*known, need])}\n"
        write_atomically(file, add_header(without_header(text, HEADER), row))


def smaller_of(trace: Path) -> Path:
    """The file of the smaller form of a trace."""
    return base_of(trace).with_name(f"{base_of(trace).name}.min.trace")


class _Programs:
    """The translations of one trace."""

    def __init__(self, plan: Plan, trace: Path, text: str, shown: Shown, limits: Limits) -> None:
        self._plan, self._shown, self._limits = plan, shown, limits
        self._kind = kind_of(shown.kind)
        self._base, self._text = base_of(trace), text
        self.own_context = False  # whether its objects must not be of the main context
        self._output = ""  # of the last program that showed the finding
        self._catalogue = build_catalogue(plan.setup["catalogue"])
        given = _with_release(parse_trace(text, trace.name), plan)
        file = self._base.with_name(f"{self._base.name}.smt2")
        self._trace = cut_behind_wrong_model(
            plan, given, self._catalogue, file, shown, self._limits
        )

    @cached_property
    def _refuted(self) -> Trace | None:
        """The trace with a model that refutes its answer, where the finding is such an answer."""
        if self._shown.kind not in (DISAGREEMENT, WRONG_ANSWER):
            return None
        return refuted(self._plan, self._trace, self._catalogue, self._limits)

    def python(self) -> Reproducer:
        """Write the plainest program that shows the finding. If none does, write all lines of the
        trace as a program.
        """
        found = self._first()
        if found.reproduces and found.note and self._kind.ends != "no end":
            found = replace(found, note=self._without_helpers(Path(found.file)) or found.note)
        if found.reproduces and self._kind.dies:
            return replace(found, written=written_by(self._output))
        steady = not found.reproduces or self._kind.ends == "no end"
        return found if steady else replace(found, note=self._steady(Path(found.file), found.note))

    def _steady(self, file: Path, note: str) -> str:
        """The note of a program that shows the finding, with the number of runs that do, where not all do;
        the program says so, too.
        """
        ends = [True, *(_exit_code(self._run(file)) == 1 for _ in range(_STEADY))]
        if all(ends):
            return note
        ends += [_exit_code(self._run(file)) == 1 for _ in range(_MORE)]
        said = UNSTEADY.format(sum(ends), len(ends))
        text = file.read_text(encoding="utf-8", errors="surrogatepass")
        write_atomically(
            file, text.replace(MENDED, f"{MENDED} or does not show, for it shows {said}")
        )
        return f"{note} {said}"

    def _without_helpers(self, file: Path) -> str:
        """Put the calls of the binding that a helper makes in its place, where they show the finding, too.
        Gives what the shorter program says; empty where there is none.
        """
        given = file.read_text(encoding="utf-8", errors="surrogatepass")
        site = site_of(given)
        if site is None:
            return ""
        for text in site.arguments:
            said_by = self._compared(file, text)
            if said_by:
                return said_by
        message = self._shown.message
        write_atomically(file, instrumented(given, site))
        output = self._run(file).output
        calls = calls_of(output)
        said, tries = {given: ""}, 0
        goal = self._goal(file, given, site, output)

        def shows(kept: Sequence[Call]) -> bool:
            nonlocal tries
            tries += 1
            text = written(site, kept, goal, message) if goal is not None else given
            said[text] = self._compared(file, text) if tries <= _TRIES else ""
            return bool(said[text])

        text = given
        if goal is not None and shows(needed(calls, goal, site)):
            kept = shortened(needed(calls, goal, site), goal, site, shows)
            text = written(site, kept, goal, message)
        write_atomically(file, text if text == given else with_range(text, file))
        return said[text]

    def _goal(self, file: Path, given: str, site: Site, output: str) -> Goal | None:
        """The call of a helper that shows the finding: where several may, the first one without whose
        result the helper does not tell it.
        """
        calls, message = calls_of(output), self._shown.message
        goals, wanted = goals_of(calls, site, message), literal_of(message)
        if wanted is None or not site.returns:
            return goals[0] if goals else None
        told = ended_with(output)
        for goal in goals[:_GOALS] if told is not None else ():
            write_atomically(file, instrumented(given, site, {goal.call.name: wanted[0]}))
            otherwise = ended_with(self._run(file).output)
            if otherwise is not None and otherwise != told:
                return goal
        return None

    def _first(self) -> Reproducer:
        """The plainest program that shows the finding, or one with all lines of the trace."""
        file = self._base.with_name(f"{self._base.name}.py")
        for program in self._plain():
            compared = self._compared(file, program.text)
            if compared:
                if program.instead:
                    # a death that broken memory causes does not show each time
                    tries = (self._compared(file, program.instead) for _ in range(_AGAIN))
                    main = next(filter(None, tries), "")
                    if main:
                        return Reproducer("python", str(file), True, main)
                    write_atomically(file, with_range(program.text, file))
                    # what is done to the main context may show where the process itself ends
                    self.own_context = CONTEXT not in self._trace.lines[-1].args[:1]
                return Reproducer("python", str(file), True, compared)
        try:
            given = dict(self._plan.setup["wrapper"])
            traces = last_script(self._trace), self._trace
            written = {self._long(trace, given): trace for trace in traces}
        except MurxpyError as error:
            file.unlink(missing_ok=True)
            return Reproducer("python", "", None, str(error))
        shows, note = False, ""
        for text, trace in written.items():
            write_atomically(file, with_range(text, file))
            shows, note = self._python(file)
            if shows:
                self._try_main(file, text, trace)
                break
        return Reproducer("python", str(file), shows, note)

    def _compared(self, file: Path, text: str) -> str:
        """What a plain program says of the finding when it shows it; empty where it does not. Its text goes
        into `file`.
        """
        write_atomically(file, with_range(text, file))
        outcome = self._run(file)
        compared = _COMPARED.search(outcome.output)
        if _exit_code(outcome) != 1 or not compared:
            return ""
        self._output = outcome.output
        return compared[0]

    def _long(self, trace: Trace, wrapper: dict[str, Any]) -> str:
        """A program with all lines of a trace."""
        deadline = DEADLINE if self._kind.ends == "no end" else 0
        return to_python(trace, self._catalogue, wrapper, deadline)

    def _try_main(self, file: Path, text: str, trace: Trace) -> None:
        """Note whether a death that a program with all lines of a trace shows needs a context of its own.
        The text of the program is in `file` then as before.
        """
        wrapper = dict(self._plan.setup["wrapper"])
        main = (wrapper.get("plain") or {}).get("main-context")
        if not main or not self._kind.dies:
            return
        wrapper["lifecycle"] = {**wrapper["lifecycle"], "new-context": main}
        write_atomically(file, self._long(trace, wrapper))
        self.own_context = not any(self._python(file)[0] for _ in range(_AGAIN))
        write_atomically(file, with_range(text, file))

    def _plain(self) -> Iterator[Program]:
        """The programs that could show the finding, the plainest first."""
        wrapper, shown = dict(self._plan.setup["wrapper"]), self._shown
        for trace in filter(None, (self._refuted, self._trace)):
            yield from plain_programs(trace, self._catalogue, wrapper, shown.kind, shown.message)

    def script(self) -> Reproducer:
        """Write the trace as a script."""
        file = self._base.with_name(f"{self._base.name}.smt2")
        asked = _asked(self._trace, self._shown.kind)
        writer = ScriptWriter(
            self._plan, asked, self._catalogue, file, self._shown, self._text, self._limits
        )
        writer.refuted = self._refuted
        return writer.write()

    def _python(self, file: Path) -> tuple[bool, str]:
        """Whether the program shows the finding, and a note."""
        shown, outcome = self._shown, self._run(file)
        self._output = outcome.output
        ended = self._ended(outcome)
        if ended is not None:
            return ended
        if self._kind.ends == "no end":
            late = _exit_code(outcome) == 1 and "Timeout (" in outcome.output
            return (True, "") if late else (False, _exit_words(outcome))
        defects = _DEFECT.findall(outcome.output)
        if _exit_code(outcome) == 1 and defects and "Traceback" not in outcome.output:
            recorded, seen = _bare(shown.message), _bare(defects[-1])
            same = normalise(recorded) == normalise(seen) or recorded in seen or seen in recorded
            # the program asks a fresh solver in place of our evaluator
            same = same or (self._kind.question == "model" and seen == UNSATISFIED)
            same = same or (recorded.startswith(OWN_CHECK) and recorded[len(OWN_CHECK) :] in seen)
            return (True, "") if same else (False, f"it shows: {defects[-1]}")
        return False, _exit_words(outcome)

    def _run(self, file: Path, *words: str) -> Outcome:
        return run_program(self._plan, file, words, self._text, SECONDS, self._limits)

    def _ended(self, outcome: Outcome) -> tuple[bool, str] | None:
        """Whether the end of the process is the finding; None where the program exited by itself."""
        if outcome.cause == "wall":
            hangs = self._kind.ends == "no end"
            return hangs, "" if hangs else f"no end within {SECONDS:g} s"
        verdict = judge(outcome)
        key = "" if verdict is None else bucket_key(self._plan.target.family, verdict)
        if verdict is not None and verdict.kind == EXIT and verdict.message != self._shown.message:
            return None  # the program ended by itself
        if key == self._shown.key and "Traceback" not in outcome.output:
            return True, ""
        code = _exit_code(outcome)
        return None if code is not None and code >= 0 else (False, f"it shows {key}")


def _with_release(trace: Trace, plan: Plan) -> Trace:
    """The trace with the release of its target in the header, where it names none and the target is
    a release.
    """
    _, _, release = plan.target.name.partition("@")
    named = " " in trace.header.get("solver", "")
    if named or not _RELEASE.fullmatch(release):
        return trace
    return replace(trace, header={**trace.header, "solver": f"{plan.target.family} {release}"})


def _bare(message: str) -> str:
    """The message without the quotes that Python prints around texts."""
    return re.sub(r"\bb?(['\"])(.*)\1", r"\2", message)


def _exit_code(outcome: Outcome) -> int | None:
    """The exit code, negative for a signal; None where the process was killed."""
    return None if outcome.status is None else os.waitstatus_to_exitcode(outcome.status)


def _exit_words(outcome: Outcome) -> str:
    rows = [row for row in outcome.output.splitlines() if row.strip()]
    last = f": {rows[-1][:200]}" if rows else ""
    return f"it ends with exit code {_exit_code(outcome)}{last}"


# ----------------------------------------------------------------------
# The program of a finding for a command: its forms are tried on a solver, as a campaign tries
# them, and the first that shows the finding is given.


def to_show(kind: str, key: str, message: str) -> Shown:
    """Return the claim of a program that shows a finding. Of two releases that are compared, the
    program is for the newer one alone, so it shows the answer that this one gives, or its finding.
    """
    if kind in OF_ANSWERS:
        kind = DISAGREEMENT
    elif kind in REGRESSIONS:
        key = key.removeprefix(f"{kind}-")
        kind = INVALID_MODEL if key.startswith(INVALID_MODEL) else kind
    return Shown(kind, key, message)


def smaller_form(plan: Plan, form: str, small: Path, result: Minimized, same: bool) -> Reproducer:
    """The smaller `form` of a finding, which a reduction wrote to the file `small`, with what the
    finding says there. `same` says whether it is a finding of the same bucket.
    """
    message = _told_of(plan, small, result) if same and form == "min.trace" else ""
    if message and result.key.startswith(f"{INVALID_MODEL}-"):
        message = unsound(plan, result.text, small.name) or message
    note = "" if same else f"it shows {result.key}"
    return Reproducer(form, str(small), True, note, message)


def _told_of(plan: Plan, small: Path, result: Minimized) -> str:
    """What a finding says in its smaller trace: in the replay that wrote it, or in another one."""
    if result.message:
        return result.message
    found = replay_trace(plan, result.text, small.name).found
    return found.verdict.message if found is not None and found.bucket == result.key else ""


def told_by(smaller: Reproducer, message: str) -> str:
    """What a smaller form says of the finding, which its program and script must show: an exception names
    the sorts of its own trace. It is `message` where the form says nothing, or nothing of a replay.
    """
    told = smaller.message
    return message if not told or told.startswith(refuting.NAME) else told


def unsound(plan: Plan, text: str, name: str) -> str:
    """The sentence that the answer sat to the last check of a trace is wrong; empty where the assertions
    may have a model, so that only the given one is wrong.
    """
    catalogue = build_catalogue(plan.setup["catalogue"]) if "catalogue" in plan.setup else None
    if catalogue is None:
        return ""
    try:
        trace = parse_trace(text, name)
        calls = lifted(trace, catalogue, models=False) or trace
        formulas = last_formulas(calls, catalogue)
    except MurxpyError:
        return ""
    found = refuting.refuted(formulas, catalogue) if formulas else None
    return found.sentence() if found is not None else ""


def loaded_release(plan: Plan) -> str:
    """The solver of a target with its release, such as `z3 5.4.1`. Raises TargetError if the solver
    cannot be loaded.
    """
    with closing(Pool([plan], Limits())) as pool:
        (about,) = pool.warm()
    return f"{plan.target.family} {version_of(about)}".strip()


def tried_program(plan: Plan, text: str, shown: Shown) -> str | None:
    """The first program of the trace `text` that shows the finding on the target of `plan`; None
    where none of them does. Raises OSError.
    """
    with tempfile.TemporaryDirectory(prefix="murxpy-program-") as folder:
        trace = Path(folder, "finding.trace")
        for form in write_programs(plan, trace, text, shown, forms=("python",)):
            if form.reproduces:
                return Path(form.file).read_text(encoding="utf-8", errors="surrogatepass")
    return None
