"""Going through a trace without a solver: the lines are read and typed as in a replay, and the calls are handed to a translator."""

from __future__ import annotations

from typing import Any

from murxpy.errors import InputError, nearest
from murxpy.logic.catalogue import Catalogue
from murxpy.machine.run import Refused, Run, Stopped
from murxpy.machine.tokens import Ref, Token
from murxpy.solvers.wrapper import Wrapper
from murxpy.trace.askers import own
from murxpy.trace.grammar import Line, Trace
from murxpy.trace.murxla import old_action
from murxpy.trace.readers import READERS
from murxpy.trace.reading import Reading, Skipped


class DryRun(Run):
    """A run that calls nothing. A check answers what the trace says that it answered."""

    def __init__(self, wrapper: Wrapper, catalogue: Catalogue, trace: Trace) -> None:
        super().__init__(wrapper, catalogue, trace.seed, lambda text: None)
        self.trace = trace
        self.line = Line("")

    @property
    def last(self) -> bool:
        """True on the last line, whose call perhaps did not return."""
        return self.line is self.trace.lines[-1]

    def refusal(self) -> tuple[str, str] | None:
        """The class and the message with which the line's call was refused; None where it was not."""
        words = self.line.result("refused")
        if words is None:
            return None
        texts = [plain_text(word) for word in words]
        return texts[0] if texts else "", " ".join(texts[1:])

    def answer(self) -> str:
        """The recorded answer of a check; `unknown` where there is none."""
        words = self.line.result("answer")
        return plain_text(words[0]) if words else "unknown"

    def returned(self, letter: str) -> int | None:
        """The first id of this letter that the line returned."""
        return next((t.number for t in self.line.result("return") or () if isinstance(t, Ref) and t.letter == letter), None)

    def passed(self, reason: str) -> None:
        """The line in hand has no call, because of `reason`."""
        raise NotImplementedError


def plain_text(word: Token) -> str:
    """What a word says, without quotes."""
    return str(getattr(word, "text", word))


def interpret(run: DryRun, reading: Reading) -> None:
    """Go through the lines, up to one with a finding. Raises InputError for a line that is malformed, or that the translator cannot say."""
    for line in run.trace.lines:
        reading.line = run.line = line
        try:
            _reader(reading)(reading)
        except Skipped:
            reading.lost()
            run.passed("it needs what a refused line did not return")
        except Refused as refused:
            reading.lost()
            run.passed(str(refused))
        except Stopped:
            return
        except InputError as error:
            if error.file is not None:
                raise
            raise InputError(str(error), file=run.trace.name, line=line.number) from None


def _reader(reading: Reading) -> Any:
    action = old_action(reading.line.action) if reading.trace.murxla else reading.line.action
    if not reading.run.state.started and action != "new":
        raise reading.error("no solver yet, expected 'new' before this line")
    if action not in READERS and "-" not in action:
        raise reading.error(f"unknown action '{action}'{nearest(action, READERS)}")
    return READERS.get(action, own)
