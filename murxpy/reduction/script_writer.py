"""The ways in which a script is given to a solver: the solver's own program where its package has
one, and the reader of scripts in its Python API.
"""

from __future__ import annotations

import builtins
import os
import re
import textwrap
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from murxpy.errors import MurxpyError
from murxpy.findings.folder import write_atomically
from murxpy.findings.kinds.registry import kind_of
from murxpy.findings.kinds.sights import Seen, Shown, Sight, answers, confirmed, expressions
from murxpy.findings.ranges import with_range
from murxpy.findings.scripted import recorded_answers, scripted
from murxpy.logic.catalogue import Catalogue
from murxpy.machine.trace.grammar import Trace
from murxpy.oracles.crash import Outcome
from murxpy.processes.handles import Scratch
from murxpy.processes.limits import Limits
from murxpy.processes.targets import Plan
from murxpy.records.finding import Reproducer
from murxpy.reduction.programs import run_command
from murxpy.translate.asking import WAYS, Evidence, Way, of_script, with_evidence
from murxpy.translate.expressions import SourceWrapper

NO_SCRIPTS = 77  # exit code of a runner whose solver reads no scripts
FILE = "FILE"  # stands for the script in a command line that people read


@dataclass(frozen=True, slots=True)
class FrontEnd:
    """One way to run a script. `said` is the command line, or words for the program that is run
    instead, and `where` says in a sentence where a person finds that program; it may be empty.
    """

    said: str
    where: str = ""
    command: tuple[str, ...] = ()
    runner: str = ""

    def run(self, plan: Plan, script: Path, trace: str, seconds: float, limits: Limits) -> Outcome:
        """Run a script. Raises OSError."""
        if self.command:
            command = [*self.command, str(script.absolute())]
            return run_command(plan, command, script.parent, trace, seconds, limits)
        with Scratch("script") as folder:
            program = folder / "run.py"
            program.write_text(self.runner, encoding="utf-8")
            bare = ["-S"] if plan.target.bare else []
            command = [plan.target.interpreter, *bare, str(program), str(script.absolute())]
            return run_command(plan, command, folder, trace, seconds, limits)


def front_ends(plan: Plan) -> list[FrontEnd]:
    """The ways to run a script on a target, the most telling first. The result is None if its wrapper
    says nothing of scripts.
    """
    wrapper = plan.setup["wrapper"]
    found = list(_programs(plan, wrapper.get("script-program") or {}))
    runner, reader = wrapper.get("script-runner"), wrapper.get("script-reader")
    if runner:
        said = f"the reader of the Python package {wrapper['package']}"
        if plan.target.program:
            said = f"{plan.target.program}, which reads it on its standard input"
        found.append(FrontEnd(said, f"This reader is {reader}" if reader else "", runner=runner))
    return found


def _programs(plan: Plan, data: dict[str, list[str]]) -> Iterator[FrontEnd]:
    """The program of the target with each of its options."""
    root = Path(plan.target.root or Path(plan.target.interpreter).absolute().parent.parent)
    files = [file for place in data.get("places", ()) for file in sorted(root.glob(place))]
    for file in [file for file in files if file.is_file()][:1]:
        where = _where(file.relative_to(root), plan.setup["wrapper"]["package"])
        for options in data.get("options", [""]):
            words = options.split()
            yield FrontEnd(" ".join([file.name, *words, FILE]), where, (str(file), *words))


def _where(file: Path, package: str) -> str:
    """The path of the program `file`, as seen from the folder of the solver."""
    if file.parts[0] in ("bin", "lib"):
        return f"In a virtual environment, 'pip install {package}' makes {file.name} as {file}"
    return f"{file.name} is {file} in the folder where the solver was built"


# ----------------------------------------------------------------------
# The SMT-LIB script of a finding: written so that what it prints shows the finding, and run
# before it is called good.


SECONDS = 20.0  # that a script gets; a script that does not end by then hangs
_LATER = 5.0  # seconds that a script gets that differs from the trace, such as one without limits


class ScriptWriter:
    """Writes the script of one trace, whose text is `text`, into `file`."""

    def __init__(
        self,
        plan: Plan,
        trace: Trace,
        catalogue: Catalogue,
        file: Path,
        shown: Shown,
        text: str,
        limits: Limits,
    ) -> None:
        self._plan, self._trace, self._catalogue, self._file = plan, trace, catalogue, file
        self._shown, self._text, self._limits = shown, text, limits
        self._kind = kind_of(shown.kind)
        self._recorded = tuple(recorded_answers(trace))
        # the trace, in calls, with a planted model that refutes its last answer
        self.refuted: Trace | None = None

    def write(self) -> Reproducer:
        """Try the ways to write the script, and keep the first that shows the finding.

        If none does, the trace's own commands are kept where a script can say them all. Raises
        OSError.
        """
        try:
            scripts = list(self._scripts())
        except MurxpyError as error:
            return self._none(str(error))
        literal = scripts[0][1]
        reason = self._kind.no_script or _own_reason(self._shown) or literal.lost
        if literal.lost and self._trace.lines[-1].action == "misuse":  # no way has this call
            return self._none(f"not in SMT-LIB: {reason}")
        ends, ended = front_ends(self._plan), ""
        endless: set[Way] = set()  # no other front end is given these
        for end in ends:
            for way, evidence in [pair for pair in scripts if pair[0] not in endless]:
                found, outcome = self._tried(end, way, evidence)
                if found:
                    write_atomically(self._file, with_range(found, self._file))
                    return Reproducer("smt2", str(self._file), True, f"run as {end.said}")
                ended = ended or _ended(outcome)
                if outcome.cause == "wall":
                    endless.add(way)
        reason = reason or self._unread()
        if reason:
            return self._none(f"not in SMT-LIB: {reason}")
        if literal.missing:
            missing = "; ".join(dict.fromkeys(literal.missing))
            return self._none(f"{ended}, without what is not in SMT-LIB: {missing}")
        write_atomically(self._file, with_range(literal.text, self._file))
        if not ends:
            note = "the wrapper does not say how its solver reads a script"
            return Reproducer("smt2", str(self._file), None, note)
        return Reproducer("smt2", str(self._file), False, f"run as {ends[0].said}, {ended}")

    def shows_at_once(self) -> bool:
        """Whether the script shows the finding as the trace says it, in the first front end. Raises
        MurxpyError, OSError.
        """
        ends, scripts = front_ends(self._plan), self._scripts()
        return any(self._tried(ends[0], *next(scripts))[0] for _ in ends[:1])

    def _unread(self) -> str:
        """The operators of the trace that the API of this release has, and its reader of scripts has
        not, as a reason; empty without any.
        """
        setup = dict(self._plan.setup["wrapper"])
        release = self._trace.header.get("solver", "").partition(" ")[2] or "1000000"
        wrapper = SourceWrapper(setup, self._catalogue, release)
        kinds = dict.fromkeys(str(row.args[0]) for row in self._trace.lines if row.args)
        names = [kind for kind in kinds if kind.startswith("OP_") and not wrapper.reads(kind)]
        return f"the reader of {release} does not know {', '.join(names)}" if names else ""

    def _none(self, reason: str) -> Reproducer:
        """There is no script."""
        self._file.unlink(missing_ok=True)
        return Reproducer("smt2", "", None, reason)

    def _scripts(self) -> Iterator[tuple[Way, Evidence]]:
        """The scripts that differ, in the order in which they are tried. Raises MurxpyError."""
        tried: set[str] = set()
        wrapper = self._plan.setup["wrapper"]
        name_all = self._kind.question == "core" and "assert-tracked" not in wrapper["actions"]
        for way in [way for way in WAYS if way.limited or not self._kind.needs_limit]:
            evidence = self._evidence(way, name_all)
            if evidence.text not in tried:
                tried.add(evidence.text)
                yield way, evidence

    def _evidence(self, way: Way, name_all: bool) -> Evidence:
        family, given = self._plan.target.family, scripted(self._trace)
        if given is None:
            trace = self.refuted or self._trace
            return with_evidence(trace, self._catalogue, family, way, name_all)
        models = self._kind.question == "model"
        made = of_script(given.text, self._catalogue, family, given.limit, models, way)
        return replace(made, planted=self._planted)

    @cached_property
    def _planted(self) -> tuple[str, ...]:
        """The equations of the planted model that refutes the answer to a script."""
        if self.refuted is None:
            return ()
        family = self._plan.target.family
        return with_evidence(self.refuted, self._catalogue, family, Way()).planted

    def _tried(self, end: FrontEnd, way: Way, evidence: Evidence) -> tuple[str, Outcome]:
        """The text of the script with its header, or an empty text where the script does not show the
        finding; and how the run of the script ended.
        """
        seconds = _LATER if way.words and self._kind.ends != "no end" else SECONDS
        outcome = self._run(end, evidence.text, seconds)
        printed = tuple(expressions(outcome.output))
        seen = Seen(self._shown, self._recorded, evidence, outcome, printed, self._catalogue)
        found = self._kind.sight(seen)
        while found is not None:
            cut = self._confirmed(end, seen, found, seconds)
            if cut:
                return f"{self._header(end, way, found)}\n{cut}", outcome
            found = found.otherwise
        return "", outcome

    def _confirmed(self, end: FrontEnd, seen: Seen, found: Sight, seconds: float) -> str:
        """The script cut down to what shows the finding; empty where it then does not show it."""
        cuts = [
            _cut(seen.evidence, one)
            for one in _smaller(found, seen.evidence, bool(self._kind.ends))
        ]

        def ends(text: str, again: Outcome, printed: tuple[str, ...]) -> bool:
            evidence = replace(seen.evidence, text=text)
            told = replace(seen, evidence=evidence, outcome=again, printed=printed)
            return self._kind.sight(told) is not None

        for cut in dict.fromkeys(text for one in cuts for text in (_tidy(one), one)):
            first = self._run(end, cut, seconds)
            printed = tuple(expressions(first.output))
            if not (
                ends(cut, first, printed)
                if self._kind.ends
                else confirmed(found, seen.printed, printed)
            ):
                continue

            def same(text: str, before: tuple[str, ...] = printed) -> bool:
                again = self._run(end, text, min(seconds, _LATER))
                after = tuple(expressions(again.output))
                return ends(text, again, after) if self._kind.ends else after == before

            return _noted(self._without_settings(cut, same), answers(printed))
        return ""

    def _without_settings(self, script: str, same: Callable[[str], bool]) -> str:
        """The script without the options, limits and notes without which it shows the same."""
        needed = [_LIMIT] if self._kind.needs_limit or self._kind.ends == "no end" else []
        for row in script.splitlines(keepends=True):
            if _SETTING.match(row) and not any(word in row for word in needed):
                shorter = script.replace(row, "")
                script = shorter if same(shorter) else script
        return script

    def _run(self, end: FrontEnd, text: str, seconds: float) -> Outcome:
        write_atomically(self._file, text)
        return end.run(self._plan, self._file, self._text, seconds, self._limits)

    def _header(self, end: FrontEnd, way: Way, found: Sight) -> str:
        solver = self._trace.header.get("solver", self._plan.target.name)
        rows = [
            f"{solver}: {found.wrong}",
            f"Run as: {end.said}",
            *filter(None, [end.where]),
            f"It prints: {found.prints}",
            f"It should print: {found.expected}",
        ]
        if way.words:
            rows.append(f"It differs from the trace that found this: {way.words}")
        return "\n".join(
            textwrap.fill(
                row,
                98,
                initial_indent="; ",
                subsequent_indent=";   ",
                break_long_words=False,
                break_on_hyphens=False,
            )
            for row in rows
        )


def _own_reason(shown: Shown) -> str:
    """Why no script can show a finding, whatever it says; empty where one could."""
    thrown = shown.message.partition(":")[0]
    error = getattr(builtins, thrown, None)
    if isinstance(error, type) and issubclass(error, Exception) and error is not RuntimeError:
        return f"the Python package, not the solver, raises this {thrown}"
    return ""


def _ended(outcome: Outcome) -> str:
    """Return how a run of a script ended, and the last expression that it printed."""
    if outcome.cause == "wall":
        return f"it does not end within {SECONDS:g} s"
    code = None if outcome.status is None else os.waitstatus_to_exitcode(outcome.status)
    if code == NO_SCRIPTS:
        return "which this release does not have"
    rows = [row for row in outcome.output.splitlines() if row.strip()]
    told = next((row for row in rows if row.startswith("(error")), rows[-1] if rows else "")
    last = f": {told[:200]}" if told else ""
    return f"it ends with exit code {code}{last}"


def _smaller(found: Sight, evidence: Evidence, ends: bool) -> Iterator[Sight]:
    """The finding with the questions that show it. If it is how the script `ends`, it is first tried
    without questions, and then with those for the model.
    """
    if ends:
        yield replace(found, kept=())
        yield replace(found, kept=tuple(asked for asked in evidence.asked if asked.kind == "model"))
    yield found


_NOTE = re.compile(r" ; \w+\n?$")  # the answer behind a check
_LIMIT = "limit"  # in the names of options that limit a check
# A slow script says in its notes what it is measured against.
_SETTING = re.compile(r"\(set-(?:option :|info :(?!slow-))\S+ [^()]*\)$")
_OWN = re.compile(r"\((?:declare-const|declare-fun|define-fun) (\S+) ")
_SYMBOL = re.compile(r"""\|[^|]*\||"[^"]*"|[^\s()";|]+""")


def _tidy(script: str) -> str:
    """The script without the constants and functions that it does not use."""
    rows = script.splitlines(keepends=True)
    while True:
        used = Counter(symbol for row in rows for symbol in set(_SYMBOL.findall(row)))
        named = [(row, _OWN.match(row)) for row in rows]
        kept = [row for row, own in named if own is None or used[own[1]] != 1]
        if len(kept) == len(rows):
            return "".join(rows)
        rows = kept


def _noted(script: str, given: Sequence[str]) -> str:
    """The script, whose notes of answers are those that it gave: those of its trace can be others. What a
    process that dies did not print says nothing.
    """
    rows, left = [], [*reversed(given)]
    for row in script.splitlines(keepends=True):
        answer = left.pop() if row.startswith("(check-sat") and left else ""
        noted = _NOTE.search(row) if row.startswith("(check-sat") else None
        rows.append(f"{row[: noted.start()]} ; {answer}\n" if noted and answer else row)
    return "".join(rows)


def _cut(evidence: Evidence, found: Sight) -> str:
    """The script with the questions that show the finding, and with what is to be run behind it."""
    rows = [row for row in evidence.text.splitlines() if not row.startswith("; from ")]
    for asked in evidence.asked if found.kept is not None else ():
        if asked not in (found.kept or ()) and asked.command in rows:
            del rows[len(rows) - 1 - rows[::-1].index(asked.command)]
    if found.more:
        rows[-1:] = [*found.more, "(exit)"]
    return "\n".join([*rows, ""])
