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
from murxpy.trace.finished import Call, last_call, last_row

Shows = Callable[[Outcome], bool]
Runs = Sequence[Sequence[Outcome]]  # for each replay: how it ended, and then how its process did
LATE = 2.0  # seconds after which a candidate counts as one that hangs, until the last test
GOLDEN_RUNS = 3  # replays of the given trace, which must all show the same

_SIGNALS = {number.name: number.name for number in signal.Signals}


@dataclass(frozen=True, slots=True)
class Match:
    """What must stay in place of the finding. All fields that are given must hold.

    `message` is that of a finding, and `part` is a part of it. `exit` is the name of a signal or
    the exit code with which the process ends. With `unknown` the last check answers unknown. With
    `slower` a replay takes longer than so many seconds.
    """

    message: str | None = None
    part: str | None = None
    exit: str | None = None
    unknown: bool = False
    slower: float | None = None

    def __bool__(self) -> bool:
        return bool(self.words())

    def words(self) -> str:
        """What must stay, in words."""
        wishes = (
            "" if self.message is None else f"message '{self.message}'",
            "" if self.part is None else f"a message with '{self.part}'",
            "" if self.exit is None else f"exit {self.exit}",
            "last check unknown" if self.unknown else "",
            "" if self.slower is None else f"slower than {self.slower:g} s",
        )
        return ", ".join(filter(None, wishes))


def exit_kind(text: str) -> str:
    """Read an exit code from 0 to 255, or the name of a signal with or without `SIG`.

    Raises InputError for anything else.
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
    """What a trace shows: `key` says it in words, and `shows` tells whether a replay shows it, too.

    `trace` is that of a replay up to there, which takes `seconds`, and `least` at least. With `alone` it shows in how the
    process ends after the run. A replay shows a hang if it does not end in `late` seconds.
    """

    key: str
    shows: Shows
    trace: str
    seconds: float
    least: float
    alone: bool = False
    late: float | None = None


def golden(runs: Runs, family: str, name: str, tries: int, match: Match) -> Golden:
    """Find out what the replays `runs` of the trace in the file `name` show.

    Raises InputError when the trace is malformed or shows nothing. With one try it is also raised
    when the replays do not all show the same.
    """
    for outcome in runs[0]:
        refuse_malformed(outcome, name)
    hangs = not match and all(run and run[-1].cause == "wall" for run in runs)
    key, said, same = (
        _match(runs, match) if match else _hang(runs) if hangs else _finding(runs, family)
    )
    shown = [outcome for run in runs for outcome in run if same(outcome)]
    times = sum(any(map(same, run)) for run in runs)
    if not shown:
        what = (
            f"{said}: not so in {len(runs)} replays"
            if match
            else (
                f"it shows no finding in {len(runs)} replays, expected a trace that 'murxpy replay' exits with 1 for"
            )
        )
        raise InputError(what, file=name)
    if times < len(runs) and tries == 1:
        found = 0 if match else sum(any(map(judge, run)) for run in runs)
        others = f", and other findings in {found - times}" if found > times else ""
        raise InputError(
            f"{said} in {times} of {len(runs)} replays{others}; let each candidate be replayed several times with --tries 5",
            file=name,
        )
    seconds = [outcome.seconds for run in runs for outcome in run]
    late = LATE if hangs else match.slower
    return Golden(key, same, shown[0].trace, max(seconds), min(seconds), shown[0].after, late)


def _match(runs: Runs, match: Match) -> tuple[str, str, Shows]:
    """The key of what the user asks for, the words for it, and what shows it."""
    call = Call() if match.slower is None or not runs[0] else last_call(runs[0][0].trace)
    where = "" if match.slower is None else f" in {call.action}"
    return match.words() + where, match.words(), partial(_matches, match=match, call=call)


def _hang(runs: Runs) -> tuple[str, str, Shows]:
    """The same for a trace whose replays do not end: those of smaller ones must hang in the same
    call.
    """
    call = last_call(runs[0][-1].trace)
    return f"hang in {call.action}", f"it hangs in {call.action}", partial(_late, call=call)


def _finding(runs: Runs, family: str) -> tuple[str, str, Shows]:
    """The same for the finding that most replays show."""
    shown = (next(((v, o) for o in run if (v := judge(o)) is not None), None) for run in runs)
    found = [(bucket_key(family, one[0]), *one) for one in shown if one is not None]
    if not found:
        return "", "", lambda outcome: False
    ((key, _),) = Counter(key for key, _, _ in found).most_common(1)
    verdict, outcome = next((v, o) for of, v, o in found if of == key)
    same = partial(shows, family=family, key=key, kind=verdict.kind, after=outcome.after)
    return key, f"it shows {key}", same


def refuse_malformed(outcome: Outcome, name: str) -> None:
    """Raise InputError if the replay found the trace, which came from the file `name`, malformed."""
    report = outcome.report or {}
    if report.get("status") == "malformed":
        message = str(report["message"])
        raise InputError(re.sub("^(candidate|trace):", lambda _: f"{name}:", message))


def shows(outcome: Outcome, family: str, key: str, kind: str, after: bool = False) -> bool:
    """Whether `outcome` is a finding of this kind in this bucket. With `after` it shows in how the
    process ends after the run.
    """
    verdict = judge(outcome)
    if verdict is None or outcome.after is not after:
        return False
    return verdict.kind == kind and bucket_key(family, verdict) == key


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
    """The signal or the exit code with which the process ended; empty while it lives."""
    if outcome.status is None or outcome.cause != "died":
        return ""
    return signal_name(outcome.status) or str(os.waitstatus_to_exitcode(outcome.status))


def _last_unknown(outcome: Outcome) -> bool:
    """Whether the last check in the replay answered `unknown`."""
    if outcome.cause != "report" or (outcome.report or {}).get("status") == "malformed":
        return False
    row = last_row(outcome.trace, ANSWERING)
    return row is not None and row.answers[:1] == ["unknown"]


def _late(outcome: Outcome, call: Call) -> bool:
    there = last_call(outcome.trace)
    return outcome.cause == "wall" and (there.action, there.operator) == (
        call.action,
        call.operator,
    )
