"""Texts about the solvers of a campaign's sessions, such as how many spellings of its wrapper each
release lacks.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.text import Text

from murxpy.cli.report.findings import DefectView, print_worst
from murxpy.cli.report.seeds import used_sections
from murxpy.cli.report.statistics import mutants_section, sources_section
from murxpy.cli.report.text import (
    amount,
    clock,
    heading,
    judged_word,
    labelled,
    percent,
    rate,
    target_names,
)
from murxpy.oracles.documented import TIER as DOCUMENTED
from murxpy.records.events import Ended, Started
from murxpy.records.snapshot import Snapshot

About = Mapping[str, Any]


def lacking(abouts: Sequence[About]) -> Iterator[str]:
    """A line for each target whose release lacks spellings of its wrapper."""
    for about in abouts:
        missing = about.get("missing") or []
        if missing:
            noun = "spelling" if len(missing) == 1 else "spellings"
            yield (
                f"{about['solver']} {about['version']} lacks {len(missing)} {noun} of its wrapper; "
                f"'murxpy doctor' lists them"
            )


# ----------------------------------------------------------------------
# The summary that a campaign prints at its end: the figures of its runs, its findings and the
# exit code, in at most two screens.


EXIT_MEANING = {
    0: "nothing new found that counts",
    1: "new findings",
    2: "usage or bad input",
    3: "internal error, or not all that was found could be kept",
    4: "the solver cannot be used",
    129: "ended by SIGHUP",
    130: "ended by Ctrl-C",
    143: "ended by SIGTERM",
}


# Lines of the list of defects at most. With the figures and the verdict, which take up to 30 lines on a
# screen of 80 columns where there are judges, the summary fits on two screens of 24 lines.
_LISTED = 18


def print_summary(
    console: Console,
    started: Started,
    ended: Ended,
    defects: Sequence[DefectView],
    *,
    mutants: bool = True,
    figures: bool = True,
    finish: str = "murxpy finish",
) -> None:
    """Print the course of the campaign, its findings, and the meaning of its exit code. `defects` are
    those that the campaign found, the worst first. Without `mutants`, the results of mutants and
    seeds are left out, because they stand above; without `figures` those of the runs, because none
    were made. `finish` is the command that does what is left.
    """
    if mutants and ended.snapshot.part("mutator:"):
        sections = (
            *sources_section(ended.snapshot),
            mutants_section(ended.snapshot),
            *used_sections(ended.seeds, ended.offered),
        )
        for section in sections:
            section.print(console)
    if figures:
        print_results(console, ended.snapshot)
    heading(console, "Findings")
    _print_found(console, shlex.quote(started.out), defects)
    console.print()
    for line in _verdict(started, ended, len(defects), finish, figures=figures):
        console.print(line, soft_wrap=True)


def _print_found(console: Console, out: str, defects: Sequence[DefectView]) -> None:
    """Print the worst defects, and the commands that show the rest of what the folder `out` has."""
    listed = [view for view in defects if view.shown.tier != DOCUMENTED]
    printed = print_worst(console, listed, _LISTED)
    notes = [] if listed else ["no findings"]
    if printed < len(listed):
        notes.append(f"and {len(listed) - printed:,} more: murxpy findings {out}")
    if len(listed) < len(defects):
        hidden = amount(len(defects) - len(listed), "defect")
        notes.append(f"{hidden} of experimental features hidden: murxpy findings {out} --all")
    if listed:
        notes.append(f"one of them whole: murxpy show KEY --out {out}")
    for note in notes:
        console.print(Text(note, "dim" if listed else ""), soft_wrap=True)


def print_results(console: Console, snapshot: Snapshot) -> None:
    """Print the figures of the runs, one line each."""
    heading(console, "Results")
    for line in labelled(_results(snapshot), console.width):
        console.print(line, soft_wrap=True)


def _results(snapshot: Snapshot) -> Iterator[tuple[str, str]]:
    """The figures of the runs, each with its label."""
    yield "runs", _runs(snapshot)
    yield "checks", _checks(snapshot)
    answers = snapshot.answers
    mixed = any(name.startswith("mutator:") for name in snapshot.counts)
    whose = " of those of walks" if mixed else ""
    for answer, read, what in (("sat", "model", "a model"), ("unsat", "core", "a core")):
        text = f"{answers[answer]:,}"
        if snapshot.counts.get(f"{answer}:total"):  # of checks that are calls, and no script's
            share = _share(snapshot, f"{answer}:{read}-read", f"{answer}:total")
            text += f", {what} read after {share}{whose}"
        yield answer, text
    yield "unknown", f"{answers['unknown']:,}"
    yield "over limit", f"{answers['over-limit']:,}"
    if snapshot.counts.get("compare:runs"):
        yield "compared", _compared(snapshot)
    if snapshot.counts.get("baseline:asked"):
        yield "baseline", _baseline(snapshot)
    if snapshot.judged:
        yield "judges", _judges(snapshot)
        yield "confirmed", _confirmed(snapshot)
    if any(snapshot.refusals.values()):
        text = ", ".join(f"{number:,} {name}" for name, number in snapshot.refusals.items())
        yield "refused", text
    terms = snapshot.counts.get("term:made", 0)
    if terms:
        yield "terms", f"{terms:,}, {_share(snapshot, 'term:useful', 'term:made')} in a check"
    parts = (("solver and binding", "solver"), ("choosing", "choose"), ("trace", "trace"))
    shares = [f"{name} {_share(snapshot, f'time-ns:{key}', 'time-ns:run')}" for name, key in parts]
    yield "time", ", ".join(shares)


def _runs(snapshot: Snapshot) -> str:
    unchecked = _share(snapshot, "run:no-check", "run:total")
    return (
        f"{snapshot.runs:,} ({rate(snapshot.runs_per_second)}), {unchecked} without a check, "
        f"{snapshot.overstayed:,} overstayed, {amount(snapshot.lost, 'worker')} lost"
    )


def _checks(snapshot: Snapshot) -> str:
    asserted = _share(snapshot, "check:asserted", "check:total")
    answers = snapshot.answers["sat"] + snapshot.answers["unsat"]
    repeated = answers - snapshot.decided
    text = f"{snapshot.counts.get('check:total', 0):,}, {asserted} with something asserted, "
    text += f"{snapshot.decided:,} decided ({rate(snapshot.decided_per_second)})"
    if repeated > 0:  # or the counts are those of scripts, whose checks are counted otherwise
        text += f"; {repeated:,} more sat or unsat with nothing asserted, or with the same formulas again in a run"
    return text


def _compared(snapshot: Snapshot) -> str:
    """The results of the runs that the newer of two releases replayed."""
    counts = snapshot.counts
    runs = amount(counts["compare:runs"], "run")
    checks = amount(counts.get("compare:checks", 0), "check")
    suspects = amount(counts.get("compare:suspects", 0), "difference")
    more = counts["compare:runs"] > snapshot.runs
    earlier = " (some of these runs are of an earlier session)" * more
    return (
        f"{runs} with {checks} replayed by the newer release{earlier}; {suspects} looked into, of which "
        f"{counts.get('compare:regressions', 0):,} count; {counts.get('compare:timeouts', 0):,} past the limit of time"
    )


def _baseline(snapshot: Snapshot) -> str:
    """The answers of the baseline to scripts that the target left unknown."""
    counts = snapshot.counts
    asked = amount(counts["baseline:asked"], "unknown script")
    slow = counts.get("baseline:slow", 0)
    late = f", and does not decide {slow:,} within ten times what the baseline gets" if slow else ""
    return (
        f"{asked} asked, {counts.get('baseline:decided', 0):,} decided by the baseline, of which the "
        f"target gives up {counts.get('baseline:lost', 0):,} with other random seeds and twice the limit, too{late}"
    )


def _judges(snapshot: Snapshot) -> str:
    text = ", ".join(
        f"{number:,} {judged_word(name)}"
        for name, number in snapshot.judged.items()
        if name != "lost"
    )
    runs = amount(snapshot.counts["judge:runs"], "run")
    return f"{runs}: of the checks {text}; {snapshot.judged['lost']:,} lost"


def _confirmed(snapshot: Snapshot) -> str:
    return (
        f"{percent(snapshot.confirmed_share)} of "
        f"{amount(snapshot.counts.get('check:judged', 0), 'judged check')}, "
        f"in {percent(snapshot.judges_share)} of the time of runs and judges"
    )


def _share(snapshot: Snapshot, part: str, whole: str) -> str:
    total = snapshot.counts.get(whole, 0)
    return percent(snapshot.counts.get(part, 0) / total if total else None)


def _stored(started: Started, ended: Ended) -> str:
    """Where everything is that was found, now and before."""
    found = (
        f"{amount(ended.stored_findings, 'finding')} in {amount(ended.stored_buckets, 'bucket')}"
    )
    return f"all in {started.out}, which has {found}"


def _late(ended: Ended) -> str:
    """The buckets that killed sessions opened, in words; empty where there are none."""
    return f" and {ended.late} of killed sessions" if ended.late else ""


def _verdict(
    started: Started, ended: Ended, defects: int, finish: str, *, figures: bool = True
) -> Iterator[Text]:
    snapshot = ended.snapshot
    after = snapshot.elapsed - snapshot.running
    grace = f" and {clock(after)} for what was left" if after >= 1 else ""
    runs = f"{amount(snapshot.runs, 'run')} in {clock(snapshot.running)}{grace} ({ended.reason})"
    found = (
        f"this session: {amount(snapshot.findings, 'finding')} in "
        f"{amount(len(snapshot.buckets), 'bucket')}, {len(snapshot.new_buckets)} new{_late(ended)}"
    )
    if not figures:
        runs = f"{'not all' if ended.left else 'all'} that was left is done, in {clock(snapshot.elapsed)}"
        found = amount(defects, "defect")
    yield Text(
        f"{target_names(started)}, seed {started.seed}: {runs}; {found}; "
        f"{f'not all in {started.out}' if ended.unkept else _stored(started, ended)}"
    )
    meaning = EXIT_MEANING.get(ended.exit_code, "")
    if ended.unkept:
        yield Text(f"lost: {ended.unkept}", "bold red")
    if ended.left:
        yield Text(
            f"left to do: {ended.left.words()}; the next session does that, or: {finish}",
            "bold red" if ended.left.disagreements else "yellow",
        )
    yield Text(
        f"exit code {ended.exit_code}: {meaning}", "bold red" if ended.exit_code else "bold green"
    )
