"""The report of a campaign: what it tells, and its files for other programs and for tools that take
Markdown, JUnit and SARIF.

All texts of solvers, scripts and folders are strangers' texts: each writer escapes them for its own
format, and characters that hide or reorder what stands beside them are shown by their numbers.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import quote
from xml.etree import ElementTree

from murxpy import __version__
from murxpy.campaign.statistics import Reach, reach
from murxpy.cli.report.finding import FindingPage, commands, finding_pages
from murxpy.cli.report.findings import evidence
from murxpy.cli.report.studies import Report as Study
from murxpy.cli.report.tables import Table
from murxpy.cli.report.text import amount, fenced, plain, prose, with_version
from murxpy.findings.buckets import failing
from murxpy.findings.defects import Grouping
from murxpy.findings.kinds.registry import kind_of
from murxpy.findings.store import Store
from murxpy.foreign import escaped
from murxpy.oracles.documented import TIER as DOCUMENTED
from murxpy.records.snapshot import Snapshot
from murxpy.records.timeline import Point
from murxpy.records.yields import ArmYield, Offered, Yield, settled

_KEPT = "\n\t"  # what texts keep that stand in lines of their own
_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS = {"high": "error", "medium": "warning", "low": "note"}
_LONG = 200  # lines of a form that Markdown shows; a longer one is only named


@dataclass(frozen=True)
class Report:
    """A campaign for its readers: the folder, its targets with their versions, the sums of its runs, and
    its defects, the worst first. `hidden` is the number of defects that are left out because they need
    what the solver documents as internal, unsupported or experimental.

    `points` are its figures over time, `sessions` say when each session began, ended and why, and
    `arguments` are those of each session, the last one first. By target, `reaches` are the callables of
    the binding that were called, `yields` and `offered` what came of seeds, and `arms` of the choices of
    guidance. `theories` has the operators that were to be executed.
    """

    # The counters of which the sums of a report are made.
    COUNTED: ClassVar[Sequence[str]] = ("run:total", "check:total", "check:decided")

    folder: str
    targets: tuple[str, ...]
    figures: Snapshot
    seconds: float
    defects: tuple[FindingPage, ...]
    hidden: int
    points: Sequence[Point] = ()
    sessions: Sequence[tuple[float, float | None, str | None]] = ()
    arguments: Sequence[Mapping[str, Any]] = ()
    theories: Mapping[str, Sequence[str]] = field(default_factory=dict)
    reaches: Mapping[str, Reach] = field(default_factory=dict)
    yields: Mapping[str, Sequence[Yield]] = field(default_factory=dict)
    offered: Mapping[str, Offered] = field(default_factory=dict)
    arms: Mapping[str, Sequence[ArmYield]] = field(default_factory=dict)

    def counted(self) -> dict[str, str]:
        """The figures of the whole campaign, by what they count."""
        figures = self.figures
        runs, checks, decided = (figures.counts.get(name, 0) for name in self.COUNTED)
        minutes = (
            f"{self.seconds / 60:.1f} minutes" if self.seconds >= 60 else f"{self.seconds:.0f} s"
        )
        return {
            "targets": ", ".join(self.targets),
            "runs": f"{runs:,} in {minutes}",
            "checks": f"{checks:,}, of which {decided:,} decided",
            "defects": f"{len(self.defects)}, of which {sum(map(counts, self.defects))} count",
        }


def report_of(out: Path, every: bool = False) -> Report:
    """The report of the campaign in folder `out`; with `every` also of defects that need what the solver
    documents as experimental. Raises InputError where no campaign is there.
    """
    with closing(Store(out, read_only=True)) as store:
        defects, hidden = defects_of(store, out, every)
        return replace(told_by(store), folder=str(out), defects=defects, hidden=hidden)


def defects_of(
    store: Store, out: Path, every: bool = False, group: Grouping | None = None
) -> tuple[tuple[FindingPage, ...], int]:
    """The defects of the campaign in folder `out`, and how many of them are left out without `every`."""
    pages = list(finding_pages(store, out, group=group))
    shown = tuple(page for page in pages if every or page.bucket.tier != DOCUMENTED)
    return shown, len(pages) - len(shown)


def told_by(store: Store) -> Report:
    """What a store tells of its campaign beside folder and defects."""
    counters, spent, meta, targets = (
        store.counters(),
        store.seconds(),
        store.meta(),
        store.targets(),
    )
    steering = {name: meta.get(f"steering:{name}") or {} for name in targets}
    called = {name: meta.get(f"callables:{name}") for name in targets}
    return Report(
        "",
        tuple(with_version(state.name, state.version) for state in targets.values()),
        Snapshot(spent, counters, kept_nodes=tuple(store.nodes())),
        spent,
        (),
        0,
        store.timeline(),
        store.sessions(),
        store.arguments(),
        dict(meta.get("operators", {})),
        {name: reach(found, counters) for name, found in called.items() if found},
        {name: settled(rows, steering.get(name, {})) for name, rows in store.yields().items()},
        {name: state.get("offered", {}) for name, state in steering.items()},
        store.arms(),
    )


def counts(page: FindingPage) -> bool:
    """Whether the defect makes the exit code of a campaign 1."""
    return page.defect.status != "known" and failing(page.bucket)


def texts(page: FindingPage) -> Iterator[str]:
    """What is known of a finding beside its headline and its form, a sentence a line."""
    view = page.defect
    yield f"{page.bucket.kind} of {page.bucket.solver} {', '.join(page.releases)}, tier {page.bucket.tier}"
    yield f"{amount(view.count, 'finding')} in {page.runs:,} runs; {evidence(page.bucket)}"
    if view.use is not None:
        yield view.use.words()
    if page.range:
        yield page.range
    yield from map(str, page.bucket.triage.get("evidence") or ())
    yield from page.needs


# ----------------------------------------------------------------------
# Markdown.


def markdown(report: Report) -> str:
    """The report as Markdown, which a merge request or an issue can take."""
    return "\n".join(_markdown(report))


def _markdown(report: Report) -> Iterator[str]:
    yield f"# murxpy: {prose(', '.join(report.targets))}\n"
    yield "| | |"
    yield "|---|---|"
    for name, value in report.counted().items():
        yield f"| {name} | {plain(value)} |"
    yield ""
    if not report.defects:
        yield "No defects.\n"
    for number, page in enumerate(report.defects, 1):
        yield f"## {number}. {prose(page.defect.wrong)}\n"
        for text in texts(page):
            yield f"- {plain(text)}"
        yield f"- {plain(page.bucket.key)}\n"
        rows = page.text.rstrip("\n").split("\n")
        if page.text and len(rows) <= _LONG:
            language = page.form if page.form in ("python", "smt2") else ""
            yield fenced(page.text.rstrip("\n"), language)
        elif page.file:
            yield f"{amount(len(rows), 'line')}: {plain(page.file)}\n"
    if report.hidden:
        yield f"{amount(report.hidden, 'defect')} of experimental features left out (`--all`).\n"


def study_markdown(title: str, study: Study) -> str:
    """The report of a study as Markdown."""
    return "\n".join([f"# {prose(title)}\n", *_study_lines(study)])


def _study_lines(study: Study) -> Iterator[str]:
    for one in study.text():
        if isinstance(one, Table):
            yield f"| {' | '.join(map(plain, one.columns))} |"
            yield f"|{''.join('---:|' if kind.right else '---|' for kind in one.kinds)}"
            for row in one.cells():
                yield f"| {' | '.join(plain(cell.plain) for cell in row)} |"
            yield ""
        elif one:
            yield f"{plain(one)}\n"


# ----------------------------------------------------------------------
# JUnit.

_WHOLE = 1_000  # defects, the worst ones, whose cases name the commands that show them again


def junit(report: Report) -> str:
    """The report as JUnit's XML, with a test case for each defect: a failure where it counts, and
    skipped where it is known or does not make the exit code 1. A campaign without defects is a case that passes.
    """
    cases = [_case(page, at < _WHOLE) for at, page in enumerate(report.defects)]
    if not cases:
        cases = [ElementTree.Element("testcase", classname="murxpy", name="no defects")]
    failures = sum(case.find("failure") is not None for case in cases)
    skipped = sum(case.find("skipped") is not None for case in cases)
    suite = ElementTree.Element(
        "testsuite",
        name=escaped(f"murxpy {', '.join(report.targets)}"),
        tests=str(len(cases)),
        failures=str(failures),
        errors="0",
        skipped=str(skipped),
        time=f"{report.seconds:.3f}",
    )
    suite.extend(cases)
    root = ElementTree.Element("testsuites")
    root.append(suite)
    ElementTree.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ElementTree.tostring(root, encoding="unicode")}\n'


def _case(page: FindingPage, whole: bool) -> ElementTree.Element:
    """The test case of a defect; if it is not `whole`, without the commands that show it again."""
    bucket = page.bucket
    case = ElementTree.Element(
        "testcase",
        classname=escaped(f"murxpy.{bucket.solver}.{bucket.kind}"),
        name=escaped(bucket.key),
    )
    if counts(page):
        failure = ElementTree.SubElement(
            case, "failure", message=escaped(page.defect.wrong), type=escaped(bucket.kind)
        )
        failure.text = escaped(
            "\n".join([*texts(page), "", page.text, *(commands(page) if whole else ())]), _KEPT
        )
    else:
        why = "known" if page.defect.status == "known" else "does not make the exit code 1"
        ElementTree.SubElement(case, "skipped", message=escaped(f"{why}: {page.defect.wrong}"))
    return case


# ----------------------------------------------------------------------
# SARIF.


def sarif(report: Report) -> str:
    """The report as SARIF 2.1.0: a result for each defect, with the bucket's key as its fingerprint, and
    a rule for each kind. A known defect is unchanged, each other one is new.
    """
    kinds = dict.fromkeys(page.bucket.kind for page in report.defects)
    rules = [
        {"id": kind, "shortDescription": {"text": f"a solver {kind_of(kind).label}"}}
        for kind in kinds
    ]
    driver = {
        "name": "murxpy",
        "version": __version__,
        "semanticVersion": __version__,
        "rules": rules,
    }
    run = {"tool": {"driver": driver}, "results": list(map(_result, report.defects))}
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2) + "\n"


def _result(page: FindingPage) -> dict[str, Any]:
    known = page.defect.status == "known"
    file = page.file or page.bucket.key
    location = {
        "physicalLocation": {"artifactLocation": {"uri": _uri(file)}, "region": {"startLine": 1}}
    }
    return {
        "ruleId": page.bucket.kind,
        "level": _LEVELS[page.bucket.severity] if counts(page) else "note",
        "message": {"text": escaped("\n".join([page.defect.wrong, *texts(page)]), "\n")},
        "locations": [location],
        "partialFingerprints": {"murxpyBucket/v1": escaped(page.bucket.key)},
        "baselineState": "unchanged" if known else "new",
        "occurrenceCount": page.defect.count,
    }


def _uri(path: str) -> str:
    """A path as a relative or absolute reference."""
    return quote(escaped(path))


WRITERS: Mapping[str, Callable[[Report], str]] = {
    "markdown": markdown,
    "junit": junit,
    "sarif": sarif,
}
