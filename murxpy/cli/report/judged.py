"""A model and the values of assertions under it, read from a trace and written as lines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.text import Text

from murxpy.cli.report.outcome import fails, outcome_json, outcome_lines
from murxpy.cli.report.tables import NUMBER, Table, kinds
from murxpy.cli.report.text import amount, one_line, replay_command
from murxpy.findings.replayed import Replayed
from murxpy.foreign import escaped
from murxpy.judging.evaluation import Evaluation
from murxpy.judging.triage import TriagedBucket
from murxpy.oracles.disagreement import KIND, Answers, Disagreement


def evaluation_lines(found: Evaluation) -> Iterator[str]:
    """The model, one constant a line, then the assertions, one a line. Symbols and texts in values may
    hold anything, so they are escaped.
    """
    yield from map(escaped, _evaluation_lines(found))


def _evaluation_lines(found: Evaluation) -> Iterator[str]:
    if not found.holds:
        yield "no model: no check answers sat with something asserted"
        return
    yield "model"
    width = max((len(name) for name in found.model), default=0)
    places = max(len(place) for place, _ in found.holds)
    for name, value in found.model.items():
        yield f"  {name:<{width}}  {value}"
    yield "assertions and assumptions"
    for place, verdict in found.holds:
        known = verdict in ("true", "false")
        yield f"  {place:<{max(places, 6)}} {verdict if known else f'cannot say: {verdict}'}"
    if found.parts:
        yield "terms in what is false"
    for part in found.parts:
        other = f", the solver says {part.theirs}" if part.theirs else ""
        yield f"  {part.name:<{max(places, 6)}} {part.ours}{other}"


# ----------------------------------------------------------------------
# The answers of a replay and of its judges, and the triage of a campaign: for people, and as
# plain data.


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
    """The result of the replay and the answers of its judges, as lines for people. `releases` are
    solver and version, first of the trace's solver, then of the judges.
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
    """The result of the replay and the answers of its judges, as plain data."""
    data = outcome_json(replayed)
    judges = [
        {"solver": releases[judge], "answers": [list(answer) for answer in given]}
        for judge, given in answers.items()
    ]
    disagreement = (
        None
        if found is None
        else {"line": found.line, "answer": found.ours, "judge": releases[found.judge]}
    )
    outcome = KIND if found is not None and not fails(replayed) else data["outcome"]
    return {
        **data,
        "fails": found is not None or data["fails"],
        "outcome": outcome,
        "judges": judges,
        KIND: disagreement,
    }


def print_triage(console: Console, judged: Sequence[TriagedBucket], out: str) -> None:
    """Print the triage of a campaign: for each bucket a line of figures, the evidence, and the
    command that shows the finding again.
    """
    if not judged:
        console.print("no disagreements and no invalid models")
        return
    columns = {" count": NUMBER, **kinds(["verdict     ", "wrong ", "by    "], ["lines"])}
    table = Table({**columns, **kinds(["operators and options"])})
    for entry in judged:
        triage, kept = entry.triage, entry.bucket.smallest()
        verdict = triage.get("verdict", "none")
        who = [triage.get(name) or "-" for name in ("release", "by")]
        parts = [kind.removeprefix("OP_") for kind in triage.get("operators", ())]
        parts += triage.get("options", ())
        styled = Text(verdict, _STYLES.get(verdict, "yellow"))
        table.add(entry.bucket.count, styled, *who, kept.lines if kept else "-", ", ".join(parts))
    head, *texts = table.lines()
    console.print(head, soft_wrap=True)
    for text, entry in zip(texts, judged, strict=True):
        for line in (text, *_triage_lines(entry, out)):
            console.print(line, soft_wrap=True)


def _triage_lines(entry: TriagedBucket, out: str) -> Iterator[Text]:
    """The lines of triage below the figures of a bucket."""
    triage, bucket = entry.triage, entry.bucket
    kept = bucket.smallest()
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


def triage_json(judged: Sequence[TriagedBucket], out: str) -> list[dict[str, Any]]:
    """The triage as plain data."""
    return [_entry(entry, out) for entry in judged]


def _entry(entry: TriagedBucket, out: str) -> dict[str, Any]:
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
