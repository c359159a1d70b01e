"""The answers of a replay and of its judges, and the triage of a campaign: for people, and as plain
data.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.text import Text

from murxpy.campaign.findings.replayed import Replayed
from murxpy.campaign.judging.triage import Judged
from murxpy.oracles.disagreement import Answers, Disagreement
from murxpy.report.outcome import fails, outcome_json, outcome_lines
from murxpy.report.text import amount, one_line, replay_command

_STYLES = {
    "refutation-unsoundness": "bold red",
    "solution-unsoundness": "bold red",
    "wrong-model": "red",
}


def judged_lines(
    replayed: Replayed,
    releases: Sequence[str],
    answers: Mapping[int, Answers],
    found: Disagreement | None,
) -> Iterator[str]:
    """What the replay and its judges showed, for people. `releases` are solver and version, first of
    the trace's solver, then of the judges.
    """
    first, *rest = outcome_lines(replayed)
    if found is not None:
        them = ", ".join(f"{releases[judge]} {answer}" for judge, answer in found.others.items())
        yield f"disagreement: line {found.line} of the replay: {releases[0]} answers {found.ours}, {them}"
        first = f"beside that: {first}"
    yield first
    yield from rest
    for judge, given in answers.items():
        decided = [
            (before, now)
            for _, before, now in given
            if now in ("sat", "unsat") and before in ("sat", "unsat")
        ]
        agreed = sum(before == now for before, now in decided)
        both = amount(len(decided), "check")
        yield f"  {releases[judge]} agrees on {agreed} of {both} that both decide, and was asked {len(given)}"


def judged_json(
    replayed: Replayed,
    releases: Sequence[str],
    answers: Mapping[int, Answers],
    found: Disagreement | None,
) -> dict[str, Any]:
    """What the replay and its judges showed, as plain data."""
    data = outcome_json(replayed)
    judges = [
        {"solver": releases[judge], "answers": [list(answer) for answer in given]}
        for judge, given in answers.items()
    ]
    said = (
        None
        if found is None
        else {"line": found.line, "answer": found.ours, "judge": releases[found.judge]}
    )
    outcome = "disagreement" if found is not None and not fails(replayed) else data["outcome"]
    return {
        **data,
        "fails": found is not None or data["fails"],
        "outcome": outcome,
        "judges": judges,
        "disagreement": said,
    }


def print_triage(console: Console, judged: Sequence[Judged], out: str) -> None:
    """Print the triage of a campaign: for each bucket a line of figures, the evidence, and the
    command that shows the finding again.
    """
    if not judged:
        console.print("no disagreements and no invalid models")
        return
    width = max(12, *(len(entry.triage.get("verdict", "")) for entry in judged))
    who = max(6, *(len(_culprit(entry)) for entry in judged))
    console.print(
        Text(
            f"{'count':>6}  {'verdict':<{width}}  {'wrong':<{who}}  {'by':<6}  {'lines':>5}  operators and options",
            "cyan",
        )
    )
    for entry in judged:
        for line in _triage_lines(entry, width, who, out):
            console.print(line, soft_wrap=True)


def _culprit(entry: Judged) -> str:
    return str(entry.triage.get("release") or "-")


def _triage_lines(entry: Judged, width: int, who: int, out: str) -> Iterator[Text]:
    triage, bucket = entry.triage, entry.bucket
    verdict = triage.get("verdict", "none")
    kept = bucket.smallest()
    parts = [kind.removeprefix("OP_") for kind in triage.get("operators", ())] + list(
        triage.get("options", ())
    )
    text = Text(f"{bucket.count:>6,}  ").append(
        f"{verdict:<{width}}", _STYLES.get(verdict, "yellow")
    )
    yield text.append(
        f"  {_culprit(entry):<{who}}  {triage.get('by') or '-':<6}  {kept.lines if kept else '-':>5}  {', '.join(parts)}"
    )
    yield Text(f"        {bucket.key}", "bold")
    if entry.same:
        yield Text(f"        probably the same as {entry.same}", "dim")
    if entry.why:
        yield Text(f"        not triaged: {one_line(entry.why)}", "yellow")
    for _, words, answer in triage.get("depends") or ():
        yield Text(
            f"        depends on {one_line(words)} (without: {answer or 'no answer'})", "bold"
        )
    for line in triage.get("evidence", ()):
        yield Text(f"        {one_line(line)}")
    if kept is not None:
        yield Text(f"        {replay_command(f'{out}/{kept.file}')}", "green")


def triage_json(judged: Sequence[Judged], out: str) -> list[dict[str, Any]]:
    """The triage as plain data."""
    return [_entry(entry, out) for entry in judged]


def _entry(entry: Judged, out: str) -> dict[str, Any]:
    bucket, kept = entry.bucket, entry.bucket.smallest()
    names = (
        "verdict",
        "culprit",
        "release",
        "by",
        "evidence",
        "operators",
        "options",
        "whole",
        "depends",
    )
    return {
        "bucket": bucket.key,
        "kind": bucket.kind,
        "count": bucket.count,
        "message": bucket.message,
        **{name: entry.triage.get(name) for name in names},
        "why": entry.why,
        "same": entry.same or None,
        "lines": kept.lines if kept else None,
        "trace": f"{out}/{kept.file}" if kept else None,
    }
