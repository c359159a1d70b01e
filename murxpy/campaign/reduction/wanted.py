"""What a smaller trace must still show: the finding of the trace itself, or what the user asks for."""

from __future__ import annotations

import os
import re
import signal
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from murxpy.campaign.findings.keys import bucket_key
from murxpy.checks.registry import ANSWERING
from murxpy.errors import InputError, nearest
from murxpy.oracles.crash import Outcome, judge, signal_name
from murxpy.trace.finished import Call, last_call
from murxpy.trace.grammar import parse_trace

Wanted = Callable[[Outcome], bool]
Runs = Sequence[Sequence[Outcome]]  # of each replay: how it ended, and then its process
# seconds after which a smaller trace of a hang counts as one that hangs, until the last test
LATE = 2.0
GOLDEN_RUNS = 3  # replays of what is given, which must all show the same

_SIGNALS = {number.name: number.name for number in signal.Signals}


@dataclass(frozen=True, slots=True)
class Match:
    """What is to be kept in place of the kind and the bucket of the finding; all that is given must
    hold.

    `message`: the finding's message, `part`: a part of it; `exit`: a signal's name or an exit code
    that the process ends with; `unknown`: the last check answers unknown; `slower`: a replay takes
    longer than so many seconds.
    """

    message: str | None = None
    part: str | None = None
    exit: str | None = None
    unknown: bool = False
    slower: float | None = None

    def __bool__(self) -> bool:
        return self.unknown or any(
            wish is not None for wish in (self.message, self.part, self.exit, self.slower)
        )

    def words(self) -> str:
        """What it asks for."""
        wishes = (
            "" if self.message is None else f"message '{self.message}'",
            "" if self.part is None else f"a message with '{self.part}'",
            "" if self.exit is None else f"exit {self.exit}",
            "last check unknown" if self.unknown else "",
            "" if self.slower is None else f"slower than {self.slower:g} s",
        )
        return ", ".join(filter(None, wishes))


def exit_kind(text: str) -> str:
    """An exit code from 0 to 255, or the name of a signal, with or without `SIG`. Raises
    InputError.
    """
    name = text.upper()
    name = name if name.startswith("SIG") else f"SIG{name}"
    if text.isdecimal() and int(text) <= 255:
        return str(int(text))
    if name not in _SIGNALS:
        raise InputError(
            f"--match-exit {text}: expected an exit code from 0 to 255 or a signal{nearest(name, _SIGNALS)}"
        )
    return name


@dataclass(frozen=True, slots=True)
class Golden:
    """What the trace shows: in words, whether a replay shows it, too, its trace up to there, the
    seconds that it takes.

    `alone`: it shows in how the process ends, after the run. `late`: it is that a replay does not
    end in time.
    """

    key: str
    wanted: Wanted
    trace: str
    seconds: float
    alone: bool = False
    late: float | None = None


def golden(runs: Runs, family: str, name: str, tries: int, match: Match) -> Golden:
    """What the replays `runs` of the trace called `name` show. Raises InputError when it is
    malformed, or not the same each time.
    """
    for outcome in runs[0]:
        refuse_malformed(outcome, name)
    if match:
        return _matching(runs, name, tries, match)
    if all(run and run[-1].cause == "wall" for run in runs):
        return _hanging(runs, name, tries)
    shown = [next(((v, o) for o in run if (v := judge(o)) is not None), None) for run in runs]
    keys = Counter(bucket_key(family, found[0]) for found in shown if found is not None)
    key = _settled(keys, len(runs), name, tries)
    verdict, outcome = next(
        found for found in shown if found is not None and bucket_key(family, found[0]) == key
    )
    wanted = partial(shows, family=family, key=key, kind=verdict.kind, after=outcome.after)
    return Golden(key, wanted, outcome.trace, _seconds(runs), outcome.after)


def refuse_malformed(outcome: Outcome, name: str) -> None:
    """Raise InputError if the replay found the trace, which came from the file `name`, malformed."""
    report = outcome.report or {}
    if report.get("status") == "malformed":
        message = str(report["message"])
        raise InputError(re.sub("^(candidate|trace):", lambda _: f"{name}:", message))


def shows(outcome: Outcome, family: str, key: str, kind: str, after: bool = False) -> bool:
    """Whether `outcome` is a finding of this kind in this bucket, in or after the run alike; what
    is malformed is none.
    """
    verdict = judge(outcome)
    if verdict is None or outcome.after is not after:
        return False
    return verdict.kind == kind and bucket_key(family, verdict) == key


def _settled(keys: Counter[str], runs: int, name: str, tries: int) -> str:
    """The key that the replays show most often. Raises InputError where it is none, or where it
    takes more tries.
    """
    if not keys:
        raise InputError(
            f"it shows no finding in {runs} replays, expected a trace that 'murxpy replay' exits with 1 for",
            file=name,
        )
    key, times = keys.most_common(1)[0]
    if times < runs and tries == 1:
        others = "" if len(keys) == 1 else f", and other findings in {sum(keys.values()) - times}"
        raise _changing(f"it shows {key}", times, runs, name, others)
    return key


def _changing(what: str, times: int, runs: int, name: str, others: str = "") -> InputError:
    return InputError(
        f"{what} in {times} of {runs} replays{others}; let each candidate be replayed several times with --tries 5",
        file=name,
    )


def _matching(runs: Runs, name: str, tries: int, match: Match) -> Golden:
    """Golden for what the user asks for."""
    call = last_call(runs[0][0].trace) if match.slower is not None and runs[0] else Call()
    wanted = partial(_matches, match=match, call=call)
    shown = [outcome for run in runs for outcome in run if wanted(outcome)]
    times = sum(any(map(wanted, run)) for run in runs)
    if not times:
        raise InputError(f"{match.words()}: not so in {len(runs)} replays", file=name)
    if times < len(runs) and tries == 1:
        raise _changing(match.words(), times, len(runs), name)
    where = f" in {call.action}" if match.slower is not None else ""
    return Golden(
        match.words() + where, wanted, shown[0].trace, _seconds(runs), shown[0].after, match.slower
    )


def _matches(outcome: Outcome, match: Match, call: Call) -> bool:
    if match.slower is not None and not _late(outcome, call):
        return False
    if match.exit is not None and match.exit != _exit(outcome):
        return False
    if match.unknown and not _last_unknown(outcome):
        return False
    if match.message is None and match.part is None:
        return True
    verdict = judge(outcome)
    if verdict is None:
        return False
    return match.message in (None, verdict.message) and (match.part or "") in verdict.message


def _exit(outcome: Outcome) -> str:
    """The signal or the exit code that the process ended with; empty when it goes on."""
    if outcome.status is None or outcome.cause != "died":
        return ""
    return signal_name(outcome.status) or str(os.waitstatus_to_exitcode(outcome.status))


def _last_unknown(outcome: Outcome) -> bool:
    """Whether the last check that the replay made answered `unknown`."""
    if outcome.cause != "report" or (outcome.report or {}).get("status") == "malformed":
        return False
    checks = (
        [line for line in parse_trace(outcome.trace, "replay").lines if line.action in ANSWERING]
        if outcome.trace
        else []
    )
    return bool(checks) and checks[-1].result("answer") == ["unknown"]


def _late(outcome: Outcome, call: Call) -> bool:
    there = last_call(outcome.trace)
    return outcome.cause == "wall" and (there.action, there.operator) == (
        call.action,
        call.operator,
    )


def _hanging(runs: Runs, name: str, tries: int) -> Golden:
    """Golden for a trace whose replays do not end: nor must those of smaller ones, in the same
    call.
    """
    call = last_call(runs[0][-1].trace)
    wanted = partial(_late, call=call)
    times = sum(wanted(run[-1]) for run in runs)
    if times < len(runs) and tries == 1:
        raise _changing(f"it hangs in {call.action}", times, len(runs), name)
    return Golden(f"hang in {call.action}", wanted, runs[0][-1].trace, LATE, late=LATE)


def _seconds(runs: Runs) -> float:
    return max(outcome.seconds for run in runs for outcome in run)
