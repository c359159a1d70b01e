"""Kinds of findings in which the solver's process ends, or does not come to an end."""

from __future__ import annotations

import re
from typing import ClassVar

from murxpy.findings.kinds.kind import ByMessage, End, Kind, Parts
from murxpy.machine.outcomes import CRASH, EXIT
from murxpy.oracles import crash
from murxpy.oracles.crash import Verdict, normalise
from murxpy.translate.programs.vocabulary import shortened

# Messages of the C library about a heap that was written to where it must not be.
_HEAP = re.compile(
    r"double free|corrupted|(?:free|malloc|realloc|munmap_chunk|malloc_consolidate)\(\)"
)


def breaks_heap(message: str) -> bool:
    """Whether the C library says that the heap is broken."""
    return _HEAP.match(message) is not None


class Death(Kind, family=True):
    """The process died."""

    severity = "high"
    fails = True
    answers = False
    ends: ClassVar[End] = "death"
    mark = "place"
    smaller = "helps"
    question = ""
    endings = ()

    def headline(self, about: str, message: str, answer: str) -> str:
        return f"{about} {self.label}: {shortened(message)}"


class Asan(ByMessage, Death):
    """AddressSanitizer ended the process because the solver used memory that is not its own."""

    name = crash.ASAN
    label = "uses memory that is not its own"
    rank = 16


class Crash(Death):
    """A signal such as SIGSEGV killed the process."""

    name = CRASH
    label = "dies"
    rank = 17


class Abort(Death):
    """The process aborted, by an assertion of its own or by one of the C library."""

    name = crash.ABORT
    label = "aborts"
    rank = 18

    def _of_call(self, verdict: Verdict, message: str) -> Parts:
        call = verdict.call
        if breaks_heap(verdict.message):
            # Which list of the heap is broken, and which call notices that, is chance.
            return "the heap is corrupted", []
        return of_script(verdict, message) or (message, [call.action, call.operator, call.spelling])

    def _at_source(self, verdict: Verdict, found: Parts, source: re.Match[str]) -> Parts:
        # Behind the file and line of the broken assertion, the message goes on with formulas of this
        # run, which tell nothing of the defect.
        return normalise(verdict.message[: source.end()]), [source[1], source[2]]


class Exit(Death):
    """The solver called `exit`, so the process ended without a signal in the middle of a run."""

    name = EXIT
    label = "ends the process"
    ends = "exit"
    rank = 19


class NoDeath(ByMessage, family=True):
    """The process passed a limit, or printed a complaint of a sanitizer and went on."""

    answers = False
    ends = ""
    mark = ""
    smaller = ""
    question = ""
    endings = ()


class Ubsan(NoDeath):
    """UndefinedBehaviorSanitizer printed a complaint about the solver, and the process went on."""

    name = crash.UBSAN
    label = "does what C++ leaves undefined"
    severity = "medium"
    rank = 20
    fails = True


class Flood(NoDeath):
    """The solver printed more than murxpy allows one run to print."""

    name = crash.FLOOD
    label = "prints without end"
    severity = "medium"
    rank = 22
    fails = True


class OutOfMemory(NoDeath):
    """The process needed more memory than the limit of the run."""

    name = crash.OUT_OF_MEMORY
    label = "takes more memory than the limit"
    severity = "low"
    rank = 24
    fails = False


class Hang(Kind):
    """A call of the binding did not return within the limit of wall time."""

    name = crash.HANG
    label = "does not come to an end"
    severity = "low"
    rank = 25
    fails = False
    answers = False
    ends = "no end"
    mark = ""
    smaller = ""
    question = ""
    endings = ()
    replays = 60  # each of which takes seconds where it shows the hang
    keyed = False


def of_script(verdict: Verdict, message: str) -> Parts | None:
    """The parts of an error or an abort of a script. The message tells defects apart better than the
    theories of the script: most of these have no part in the defect. The result is None for anything
    else.
    """
    if verdict.call.action != "run-script" or verdict.doubtful or verdict.message == verdict.signal:
        return None
    return message, [verdict.call.action, "", verdict.call.spelling]
