"""The end of one run or replay: in a few lines for people, and as plain data."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Mapping
from itertools import takewhile
from pathlib import Path
from typing import Any

import murxpy
from murxpy.cli.report.text import amount, brief, one_line
from murxpy.findings.replayed import Replayed
from murxpy.machine.outcomes import INTERNAL
from murxpy.machine.trace.finished import Call, last_call, read_rows
from murxpy.machine.trace.grammar import Trace
from murxpy.oracles.crash import HANG, python_frames
from murxpy.processes.limits import Limits

_SHOWN = 5  # differences, messages of refusals and Python frames that are shown at most
_PACKAGE = Path(murxpy.__file__).parent
_REFUSED = "replay-refused:"
_ANSWERS = ("sat", "unsat", "unknown")


def hangs(replayed: Replayed) -> bool:
    """Whether the replay was ended after so long a time that it counts as a hang, not as slow."""
    outcome = replayed.outcome
    return outcome.cause == "wall" and outcome.seconds >= Limits().hang


def fails(replayed: Replayed) -> bool:
    """Whether the replay shows a finding or a hang."""
    return replayed.found is not None or hangs(replayed)


def exit_code(replayed: Replayed) -> int:
    """The exit code of a command that makes one run: 3 for a fault of murxpy, 1 for another finding or
    a hang, else 0.
    """
    if replayed.found is not None and replayed.found.verdict.kind == INTERNAL:
        return 3
    return int(fails(replayed))


def outcome_lines(replayed: Replayed, trace: Trace | None = None) -> Iterator[str]:
    """The end of a run or replay, as lines for people. `trace` is the trace that was replayed, None
    for a random run.
    """
    outcome, about = replayed.outcome, replayed.about
    where = f"{about['solver']} {about['version']}, {brief(outcome.seconds)}"
    yield f"{_what(replayed)} ({where})"
    place = _place(replayed, trace)
    if place:
        yield f"  {place}"
    if replayed.found is not None:
        yield f"  bucket {replayed.found.bucket}"
    yield from (f"  {line}" for line in _details(replayed, trace))
    frames = re.findall(r"^  File .+$", python_frames(outcome.output), re.M)
    # The frames outside of the binding are murxpy's own.
    binding = takewhile(lambda line: f'"{_PACKAGE}/' not in line, frames)
    yield from (
        f"  {one_line(line, 160)}" for line in list(binding)[:_SHOWN] if "<lambda>" not in line
    )


def outcome_json(replayed: Replayed, trace: Trace | None = None) -> dict[str, Any]:
    """The end of a run or replay, as plain data."""
    outcome, about, found = replayed.outcome, replayed.about, replayed.found
    counts = _counts(replayed)
    call = _call(replayed)
    return {
        "fails": fails(replayed),
        "outcome": found.verdict.kind if found else HANG if hangs(replayed) else _ended(replayed),
        "solver": about["solver"],
        "version": about["version"],
        "seconds": round(outcome.seconds, 3),
        "line": _line_number(replayed, trace),
        "action": call.action,
        "operator": call.operator,
        "spelling": call.spelling,
        "message": found.verdict.message if found else "",
        "signal": found.verdict.signal if found else "",
        "tier": found.verdict.tier if found else "",
        "bucket": found.bucket if found else None,
        "answers": {name: counts.get(f"answer:{name}", 0) for name in _ANSWERS},
        "refused": counts.get("replay:refused", 0),
        "skipped": counts.get("replay:skipped", 0),
        "refusals": {
            name[len(_REFUSED) :]: n for name, n in counts.items() if name.startswith(_REFUSED)
        },
        "differences": list((outcome.report or {}).get("differences", ())),
        "stderr": outcome.output,
    }


def _ended(replayed: Replayed) -> str:
    return "over-limit" if replayed.outcome.cause in ("wall", "cpu") else "ok"


def _what(replayed: Replayed) -> str:
    found = replayed.found
    if found is not None:
        return f"{found.verdict.kind}: {one_line(found.verdict.message, 300)}"
    seconds = f"{replayed.outcome.seconds:.0f} s"
    if hangs(replayed):
        return f"hang: no return within {seconds}"
    if _ended(replayed) == "over-limit":
        return f"ended after {seconds}, its limit, without a finding"
    return "no finding"


def _call(replayed: Replayed) -> Call:
    """The call in which the replay ended; the empty call where the replay reached its end."""
    if replayed.found is not None and replayed.found.verdict.kind != INTERNAL:
        return replayed.found.verdict.call
    if replayed.found is not None:
        return last_call(replayed.outcome.trace)
    return last_call(replayed.outcome.trace) if replayed.outcome.report is None else Call()


def _place(replayed: Replayed, trace: Trace | None) -> str:
    call = _call(replayed)
    if not call.action:
        return ""
    number = _line_number(replayed, trace)
    spelled = f"{call.action}@{call.spelling}" if call.spelling else call.action
    return f"{'in' if number is None else f'at line {number}:'} {spelled} {call.operator}".rstrip()


def _line_number(replayed: Replayed, trace: Trace | None) -> int | None:
    """The line of the replayed file in which the replay ended; None for a random run, and where the
    replay reached its end.

    The replay writes the lines of the file with their seeds, but not the lines that it skips.
    """
    if trace is None or not _call(replayed).action:
        return None
    heads = [(line.seed or 0, line.action) for line in trace.lines]
    last = -1
    for row in read_rows(replayed.outcome.trace):
        with contextlib.suppress(ValueError):
            last = heads.index((row.seed, row.action), last + 1)
    return trace.lines[last].number if last >= 0 else None


def _counts(replayed: Replayed) -> Mapping[str, int]:
    counts: Mapping[str, int] = (replayed.outcome.report or {}).get("counts", {})
    return counts


def _details(replayed: Replayed, trace: Trace | None) -> Iterator[str]:
    counts = _counts(replayed)
    answers = ", ".join(
        f"{counts[f'answer:{name}']} {name}" for name in _ANSWERS if counts.get(f"answer:{name}")
    )
    if answers:
        yield f"answers: {answers}"
    if trace is None:
        return
    differences = (replayed.outcome.report or {}).get("differences", ())
    if differences:
        yield f"{amount(len(differences), 'difference')} from what the trace records"
        yield from (f"  {one_line(text, 200)}" for text in differences[:_SHOWN])
        if len(differences) > _SHOWN:
            yield f"  and {len(differences) - _SHOWN} more"
    yield from _refusals(counts)


def _refusals(counts: Mapping[str, int]) -> Iterator[str]:
    refused, skipped = counts.get("replay:refused", 0), counts.get("replay:skipped", 0)
    if refused:
        yield f"{amount(refused, 'line')} refused, {skipped:,} skipped that need what these return"
        messages = sorted(
            ((-n, name[len(_REFUSED) :]) for name, n in counts.items() if name.startswith(_REFUSED))
        )
        yield from (f"  {-n:,} x {one_line(message, 160)}" for n, message in messages[:_SHOWN])
