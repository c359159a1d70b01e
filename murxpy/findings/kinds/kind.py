"""The base class of the kinds of findings. Wherever murxpy treats kinds differently, it asks the kind."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import ClassVar, Literal

from murxpy.findings.kinds.sights import Seen, Sight, see_death, see_error
from murxpy.oracles.crash import DEATHS, Verdict, judge, normalise
from murxpy.solvers.exceptions import CONVERTED
from murxpy.translate.programs.vocabulary import Claim, Ending, shortened

Severity = Literal["high", "medium", "low"]
# The way in which a run, a script or a program ends if it shows the finding: the process dies, it
# exits, nothing comes to an end, or a call or a command ends with an error. The text is empty if
# answers show the finding.
End = Literal["death", "exit", "no end", "error", ""]
# The mark of the defect: the place of the death, the message, the shape of the smaller trace, or what the
# solver gives up on and its reason.
Mark = Literal["place", "message", "shape", "given up", ""]
# Whether a smaller trace tells which defect it is: nothing else does, it may tell more, or it does not.
Reduction = Literal["needed", "helps", ""]
# The question of a script that shows the finding: a model, a core by names, or the reason of an
# unknown answer.
Question = Literal["model", "core", "reason", ""]

# A place in C or C++ source as assertions print it: `rewriter.cpp:118`, `rewriter.cpp 118`, `File:
# rewriter.cpp Line: 118`.
_SOURCE = re.compile(r"(?<![\w-])([\w-]++\.(?:cpp|cc|c|hpp|h))\W{1,3}(?:[Ll]ine:?\s*)?(\d+)")
# An exception that a misuse let out, such as `class C: AttributeError: 'int' object has ... in
# ExprRef.__init__ (z3.py)`.
_THROWN = re.compile(r"class \w: (\w+)(?:: (.*))? in ([\w.<>]+) \(\w+\.\w+\)", re.DOTALL)
# Rules whose calls name a public callable of the binding.
BY_NAME = ("call", "edge", "alike", "keyword")

Parts = tuple[str, list[str]]  # what tells a defect from others: a message, and words of the call
KINDS: dict[str, Kind] = {}  # by their names, in the order of their definitions


class Kind:
    """A kind of findings. Each kind is a subclass that gives a value to every face named here without
    one; a class that lacks a face raises TypeError when its module is imported. A subclass with
    `family=True` is no kind, but what some kinds have in common.

    - `name`: the word in traces, keys, lists and JSON. `label`: what the solver does, in words that go
      behind its name.
    - `severity`: how bad it is. `rank`: its place in lists, from 0 for the worst. `fails`: whether
      such a finding makes the exit code 1 without `--fail-on`.
    - `answers`: whether it is about something that the solver answered and that is wrong.
    - `ends`, `mark`, `smaller`, `question`: see `End`, `Mark`, `Reduction` and `Question`.
    - `endings`: the ways in which a program can end that shows it, the plainest first. Where the process
      dies or does not end, the program makes its calls in a child process instead.
    """

    name: ClassVar[str]
    label: ClassVar[str]
    severity: ClassVar[Severity]
    rank: ClassVar[int]
    fails: ClassVar[bool]
    answers: ClassVar[bool]
    ends: ClassVar[End]
    mark: ClassVar[Mark]
    smaller: ClassVar[Reduction]
    question: ClassVar[Question]
    endings: ClassVar[tuple[Ending, ...]]
    replays: ClassVar[int] = 0  # that a reduction may take at most; 0 for the usual number
    needs_limit: ClassVar[bool] = False  # whether a script without the trace's limits shows nothing
    no_script: ClassVar[str] = ""  # why no script can show it
    # Whether the key of the bucket decides what a smaller trace must keep. Other keys are words.
    keyed: ClassVar[bool] = True
    # Whether the finding is about a model: one that the solver gave, or one that was planted and
    # missed.
    about_model: ClassVar[Literal["given", "planted", ""]] = ""

    def __init_subclass__(cls, *, family: bool = False) -> None:
        if family:
            return
        missing = [face for face in Kind.__annotations__ if not hasattr(cls, face)]
        if missing:
            raise TypeError(f"the kind of findings {cls.__name__} lacks {', '.join(missing)}")
        KINDS[cls.name] = cls()

    @property
    def dies(self) -> bool:
        """Whether the process ends by itself or by a signal."""
        return self.ends in ("death", "exit")

    # -- lists

    def rank_with(self, triage: Mapping[str, object]) -> int:
        """The place of a finding in lists, with what triage says of it."""
        return self.rank

    def headline(self, about: str, message: str, answer: str) -> str:
        """Return one line that tells what is wrong with the solver and release `about`. `answer` is
        its wrong answer, where the finding is one.
        """
        return f"{about} {self.does(message)}."

    def does(self, message: str) -> str:
        """What the solver does in a finding with this message, in words that go behind its name."""
        return self.label

    # -- buckets

    def parts(self, verdict: Verdict) -> Parts:
        """Return the message and the words that tell this defect from others. A message that names a
        place in the solver's source says which defect it is, whatever call reached that place.
        Without such a place, the call decides.
        """
        message = normalise(verdict.message)
        tells = self._of_misuse if verdict.call.action == "misuse" else self._of_call
        found = tells(verdict, message)
        source = _SOURCE.search(verdict.message)
        return found if source is None else self._at_source(verdict, found, source)

    def narrows(self, verdict: Verdict, other: Verdict) -> bool:
        """Whether a verdict of another bucket may be what is left of the defect of `other` in a smaller
        trace.
        """
        return False

    def _of_call(self, verdict: Verdict, message: str) -> Parts:
        call = verdict.call
        return message, [call.action, call.operator, call.spelling]

    def _at_source(self, verdict: Verdict, found: Parts, source: re.Match[str]) -> Parts:
        return found[0], [source[1], source[2]]

    def _of_misuse(self, verdict: Verdict, message: str) -> Parts:
        """The parts of a misuse that tell its defect from others."""
        rule, operator = verdict.call.spelling, verdict.call.operator
        thrown = _THROWN.fullmatch(verdict.message)
        if thrown is not None:
            return _of_thrown(thrown, rule)
        # The details of this one misuse stand behind the semicolon.
        message = message.partition(";")[0]
        if message.endswith(CONVERTED):
            # A rule of spellings that deceives one function of a binding deceives most of its
            # functions.
            return message, ["misuse", rule]
        if rule in BY_NAME:  # `call` and `edge` differ in the operands only
            return message, ["misuse", operator]
        return self._of_rule(verdict, message)

    def _of_rule(self, verdict: Verdict, message: str) -> Parts:
        return message, ["misuse", verdict.call.operator, verdict.call.spelling]

    # -- scripts and programs

    def look(self, seen: Seen) -> Sight | None:
        """Return the sight of the finding in the output of a script; None if the output does not show
        it.
        """
        return see_error(seen)

    def sight(self, seen: Seen) -> Sight | None:
        """Return the sight of the finding in the end and the output of a script; None if the script
        does not show it.
        """
        if seen.outcome.cause == "wall":
            late = Sight("the solver does not end", "nothing", "an end")
            return late if self.ends == "no end" else None
        if self.dies:
            return see_death(seen)
        verdict = judge(seen.outcome)
        if verdict is not None and (verdict.signal or verdict.kind in DEATHS[:-1]):
            return self._died(seen)
        return self.look(seen)

    def _died(self, seen: Seen) -> Sight | None:
        return None

    def claim(self, about: str, message: str, answer: str) -> Claim:
        """Return the claim of a program that shows a finding of the solver and release `about`."""
        headline = self.headline(about.partition("-")[0], message, answer)
        return Claim(self.name, message, headline, self.ends, self.question, self.endings)


def _of_thrown(thrown: re.Match[str], rule: str) -> Parts:
    """Message and place of an exception that a misuse let out.

    Nearly every function of a binding may use an operand before it looks at the operand's type:
    that is one defect for each rule. Any other exception tells of the function that threw it.
    """
    kind, message, function = thrown.groups()
    if kind == "AttributeError" and rule not in BY_NAME:
        return kind, ["misuse", rule, kind]
    return f"{kind}: {normalise(message or '')}", ["misuse", kind, function]


class ByMessage(Kind, family=True):
    """Kinds whose findings the message describes best."""

    def headline(self, about: str, message: str, answer: str) -> str:
        return f"{about}: {shortened(message)}"
