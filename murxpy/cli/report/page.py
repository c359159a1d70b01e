"""Reports as pages of HTML that need no network. A page's policy allows its own style and its own
script, by their hashes, and nothing else; the page can do without the script.
"""

from __future__ import annotations

import hashlib
from base64 import b64encode
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from murxpy import __version__
from murxpy.cli.report.arms import arms_sections
from murxpy.cli.report.course import charts, health_section, releases_section, sessions_section
from murxpy.cli.report.enumeration import tested_so_far
from murxpy.cli.report.finding import FindingPage, commands, model_lines, planted_model
from murxpy.cli.report.issue import draft_of
from murxpy.cli.report.statistics import reach_sections, statistics_sections
from murxpy.cli.report.studies import Report as Study
from murxpy.cli.report.tables import Section, Table, kinds
from murxpy.cli.report.text import amount
from murxpy.cli.report.written import Report, counts, texts
from murxpy.errors import InputError
from murxpy.foreign import escaped
from murxpy.machine.trace.grammar import parse_trace

if TYPE_CHECKING:
    import jinja2

_TEMPLATES = Path(__file__).with_name("templates")
_KEPT = "\n\t"  # what texts keep that stand in lines of their own
# A page of 5,000 defects must be read in a browser and be attached to a message. So only the worst
# defects are shown whole, the others in a line each.
_WHOLE, _ROOM = (
    100,
    1_500_000,
)  # defects that are shown whole, and characters that their texts may take
SEVERITIES = ("high", "medium", "low")
_LONGEST = 12_000  # characters of a text
_SEEDS = 20  # best and worst seeds


def html(report: Report, study: Study | None = None) -> str:
    """The report of a campaign, and of the search that made it if there was one, as a page. Raises
    InputError where the extra `report` is not installed.
    """
    parts = {name: part(name, report) for name in PARTS}
    if study is not None:
        parts = {"head": parts.pop("head"), "study": _study("The search", study), **parts}
    return rendered("campaign.html.jinja", title=", ".join(report.targets), parts=parts)


def study_html(title: str, study: Study) -> str:
    """The report of a study as a page. Raises InputError where the extra `report` is not installed."""
    return rendered("campaign.html.jinja", title=title, parts={"study": _study(title, study)})


def _study(title: str, study: Study) -> str:
    drawings = {name: draw() for name, draw in study.drawings.items()}
    section = Section(title, [one for one in study.text() if one != ""])
    template = environment().get_template("study.html.jinja")
    return template.render(section=section, drawings=drawings, version=__version__)


def rendered(template: str, *, scripts: Sequence[str] = (), **told: Any) -> str:
    """A page from one of the templates, with these scripts behind that of all pages. Raises InputError
    where the extra `report` is not installed.
    """
    return (
        environment()
        .get_template(template)
        .render(
            policy=policy(scripts),
            style=_read("page.css"),
            script=_script(scripts),
            version=__version__,
            **told,
        )
    )


def policy(scripts: Sequence[str] = ()) -> str:
    """What a page with these scripts may load: its style and its scripts, by their hashes. With scripts of
    its own, it may also ask the server from which it came.
    """
    allowed = {"style-src": _hash(_read("page.css")), "script-src": _hash(_script(scripts))}
    allowed |= {"connect-src": "'self'"} if scripts else {}
    rules = {"default-src": "'none'", **allowed, "base-uri": "'none'", "form-action": "'none'"}
    return "; ".join(f"{name} {value}" for name, value in rules.items())


def _script(scripts: Sequence[str]) -> str:
    return "".join(map(_read, ("page.js", *scripts)))


@cache
def _read(name: str) -> str:
    return (_TEMPLATES / name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    """What a policy says to allow a style or a script."""
    return f"'sha256-{b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


@cache
def environment() -> jinja2.Environment:
    """The templates. What they show is escaped for HTML, and what would hide or reorder the text beside
    it is shown by its number. Raises InputError where the extra `report` is not installed.
    """
    try:
        import jinja2
        from markupsafe import Markup
    except ImportError:
        raise InputError(
            "a page of HTML needs Jinja2: install murxpy[report], or write --markdown"
        ) from None
    made = jinja2.Environment(
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        loader=jinja2.FileSystemLoader(_TEMPLATES),
    )
    made.filters["shown"] = _shown
    made.filters["cut"] = _cut
    made.filters["whole"] = (
        Markup  # of what is escaped already: drawings, parts, our script and style
    )
    made.tests["tabular"] = lambda part: isinstance(part, Table)
    return made


def _shown(text: object) -> str:
    return escaped(str(text), _KEPT)


def _cut(text: str) -> str:
    """A text of which the end is left out where it is very long."""
    if len(text) <= _LONGEST:
        return _shown(text)
    return f"{_shown(text[:_LONGEST])}\n... ({amount(len(text) - _LONGEST, 'more character')})"


# ----------------------------------------------------------------------
# What stands on the page of a campaign.


def _head(report: Report) -> dict[str, Any]:
    """The sums of a campaign."""
    severities = Counter(page.bucket.severity for page in report.defects if counts(page))
    return {
        "kinds": Counter(page.bucket.kind for page in report.defects),
        "severities": {one: severities[one] for one in SEVERITIES if severities[one]},
    }


def _defects(report: Report) -> dict[str, Any]:
    rows, rest = _split(report)
    return {"rows": rows, "rest": rest}


def _time(report: Report) -> dict[str, Any]:
    return {"drawings": charts(report.points, [page.defect.first for page in report.defects])}


def _tables(report: Report) -> dict[str, Any]:
    return {"sections": list(_sections(report))}


# The parts of the page, each with a template of its name, in their order, and what the template is given.
PARTS: Mapping[str, Callable[[Report], dict[str, Any]]] = {
    "head": _head,
    "defects": _defects,
    "time": _time,
    "tables": _tables,
}


def part(name: str, report: Report, **more: Any) -> str:
    """A part of the page of a campaign, as HTML; `more` is what only a live page tells."""
    template = environment().get_template(f"{name}.html.jinja")
    return template.render(report=report, version=__version__, **PARTS[name](report), **more)


def _split(report: Report) -> tuple[list[dict[str, Any]], dict[str, list[FindingPage]]]:
    """The defects that are shown whole, and the others by kind."""
    rows, rest, room = list[dict[str, Any]](), dict[str, list[FindingPage]](), _ROOM
    for page in report.defects:
        if len(rows) < _WHOLE and room > 0:
            row = _row(page)
            rows.append(row)
            written = (page.text, page.decided, row["trace"], row["draft"], row["model"])
            room -= sum(min(len(text), _LONGEST) for text in written)
        else:
            rest.setdefault(page.bucket.kind, []).append(page)
    return rows, rest


def _row(page: FindingPage) -> dict[str, Any]:
    triage = page.bucket.triage
    trace, draft = page.trace, draft_of(page)
    return {
        "page": page,
        "counts": counts(page),
        "verdict": str(triage.get("verdict") or "").replace("-", " "),
        "texts": [text for text in texts(page) if text not in triage.get("evidence", ())],
        "evidence": list(map(str, triage.get("evidence") or ())),
        "commands": commands(page),
        "trace": "" if trace == page.text else trace,
        "draft": draft.text if draft is not None else "",
        "model": _model(trace),
    }


def _model(trace: str) -> str:
    """The planted model of a trace as lines; empty where there is none. No solver is asked."""
    if not trace:
        return ""
    with suppress(InputError):
        model = planted_model(parse_trace(trace, "trace"))
        if model is not None:
            return "\n".join(line.plain for line in model_lines(model))
    return ""


def _sections(report: Report) -> Iterator[Section]:
    """The tables of a campaign, those first that most readers want."""
    yield from tested_so_far(report.figures.counts)
    yield from releases_section(
        {page.defect.wrong: page.asked for page in report.defects if page.range}
    )
    yield health_section(report.figures, report.points)
    yield sessions_section(report.sessions)
    yield from _options(report.arguments)
    yield from reach_sections(report.reaches)
    yield from statistics_sections(
        report.figures, report.theories, report.yields, report.offered, _SEEDS
    )
    yield from arms_sections(report.arms)


def _options(arguments: Sequence[Mapping[str, Any]]) -> Iterator[Section]:
    """The options of the last session."""
    table = Table(kinds(["option", "value"]))
    for name, value in sorted((arguments[0] if arguments else {}).items()):
        table.add(str(name), str(value))
    if table.rows:
        yield Section("Options of the last session", [table])
