"""One finding, whole: what is wrong, the evidence, the smallest form that shows it, its model, what
it needs, and the frames of a crash.
"""

from __future__ import annotations

import shlex
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from pathlib import Path, PurePath
from typing import Any

from rich.console import Console
from rich.text import Text

from murxpy.cli.report.findings import (
    DefectView,
    bucket_data,
    defect_views,
    evidence,
    misused,
    sentence,
    smallest_trace,
)
from murxpy.cli.report.text import amount, labelled, replay_command
from murxpy.data import load_catalogue
from murxpy.errors import InputError
from murxpy.findings.bucket_names import trace_file
from murxpy.findings.buckets import Bucket
from murxpy.findings.defects import Grouping, Read, finds_broken, grouping, telling_option
from murxpy.findings.frames import RECURSION, inside, place
from murxpy.findings.kinds.registry import kind_of
from murxpy.findings.origin import holds_traces
from murxpy.findings.ranges import asked_releases, range_sentence
from murxpy.findings.scripted import scripted
from murxpy.findings.store import Store
from murxpy.foreign import escaped
from murxpy.judging.evaluation import Evaluation
from murxpy.logic.catalogue import build_catalogue
from murxpy.machine.checks.registry import ANSWERING
from murxpy.machine.outcomes import INCOMPLETENESS, WRONG_ANSWER
from murxpy.machine.replaying.defuse import PLANT
from murxpy.machine.trace.finished import HEADER, Need, header_value, read_needs, read_rows
from murxpy.machine.trace.grammar import Trace, parse_trace
from murxpy.machine.witnesses.slowness import PARENT
from murxpy.machine.witnesses.unknowns import rule_of
from murxpy.oracles.disagreement import OPPOSITE
from murxpy.records.snapshot import BucketView
from murxpy.reduction.pairs import decided_before
from murxpy.translate.dry import term_texts
from murxpy.translate.planted import under_planted

# The forms of a finding that can be shown, those that are read fastest first, with what they are.
_FORMS = {
    "smt2": "SMT-LIB script",
    "python": "Python program",
    "min.trace": "Trace, made smaller",
    "min.history": "Traces of several runs in one process, made smaller; each begins with 'new'",
    "trace": "Trace",
}
_SHORT = 60  # lines of a form at most that is taken although another one is shorter


@dataclass(frozen=True, slots=True)
class FindingPage:
    """A finding with all that is known of it.

    `runs` are the runs of the campaign. `releases` are the versions in which the campaign saw the
    finding, and `range` says in a sentence which releases show it, empty where nobody looked. `form`
    is the form that is shown, and `text` what stands in its file. `frames` are the functions in which
    the process died, the innermost first. `decided` is the script that the solver decides, and from which a rule
    of implication made the one that it leaves unknown. `read` gives the text of a file of the campaign
    in folder `out`.
    """

    bucket: Bucket
    defect: DefectView
    runs: int
    releases: tuple[str, ...]
    range: str
    form: str
    file: str
    text: str
    needs: tuple[str, ...]
    frames: tuple[str, ...]
    out: Path
    read: Read
    decided: str = ""

    @property
    def wrong(self) -> str:
        """What is wrong, in one sentence."""
        small = smallest_trace(self.bucket, self.read)
        return sentence(self.bucket, small, None if small else misused(self.bucket, self.read))

    @property
    def kept(self) -> Path | None:
        """The file with the trace that shows it best, or with the seeds of the runs that show it; None
        where none is kept.
        """
        return trace_file(self.bucket, self.out)

    @property
    def trace(self) -> str:
        """The text of the trace that shows it best; empty where there is none. Seeds of runs are none."""
        file = self.kept
        if file is None or not (file.suffix == ".trace" or holds_traces(file)):
            return ""
        return self.read(str(file.relative_to(self.out))) or ""

    @property
    def recursion(self) -> bool:
        """Whether the process died of a recursion that filled its stack."""
        return place(self.bucket.backtrace)[:1] == (RECURSION,)

    def about_frames(self, name: str) -> str:
        """The heading of the frames, which begins with `name`: some tell no place."""
        if kind_of(self.bucket.kind).dies and finds_broken(self.bucket):
            return f"{name}, where broken memory was noticed"
        return f"{name} of the recursion" if self.recursion else name

    @property
    def asked(self) -> dict[str, str]:
        """The releases that a bisection asked, each with its answer: `shows`, `gone`, `untestable`."""
        return asked_releases(self.out / "findings" / self.bucket.key)

    @property
    def view(self) -> BucketView:
        """The bucket with whole paths."""
        return next(view for view in self.defect.buckets if view.key == self.bucket.key)

    @property
    def others(self) -> tuple[str, ...]:
        """The keys of the other buckets that show the same defect."""
        keys = (bucket.key for bucket in self.defect.buckets)
        return tuple(key for key in keys if key != self.bucket.key)


@dataclass(frozen=True, slots=True)
class ShownModel:
    """The model of a finding. `source` says where it comes from. `found` is None where there is no
    model, and `why` is the reason. `texts` are the texts of terms by their ids.
    """

    source: str
    found: Evaluation | None = None
    why: str = ""
    texts: Mapping[str, str] | None = None

    def text(self, name: str) -> str:
        """The text of a term, else its id."""
        return (self.texts or {}).get(name, name)


def planted_model(trace: Trace) -> ShownModel | None:
    """The planted model of a trace, which satisfies what the solver calls unsat; None where none is
    planted.
    """
    if not any(line.action == PLANT for line in trace.lines):
        return None
    catalogue = build_catalogue(load_catalogue())
    found = Evaluation(*under_planted(trace, catalogue))
    return ShownModel("planted: it satisfies all", found, texts=term_texts(trace, catalogue))


def finding_page(out: Path, key: str) -> FindingPage:
    """The finding of the bucket `key` of the campaign in folder `out`. Raises InputError where there
    is no such bucket.
    """
    with closing(Store(out, read_only=True)) as store:
        for page in finding_pages(store, out, [key]):
            return page
    raise InputError("this campaign has no such bucket", file=str(out / "findings" / key))


def finding_pages(
    store: Store, out: Path, keys: Sequence[str] | None = None, group: Grouping | None = None
) -> Iterator[FindingPage]:
    """The findings of these buckets of the campaign in folder `out`, whose store is open; without keys,
    for each defect that of the bucket that shows it best, the worst defect first. Who reads the folder
    often gives the grouping, as for `defect_views`.
    """
    buckets, versions, seen = store.buckets(), store.versions(), store.releases()
    runs = store.counter("run:total")
    group = group or grouping(out)
    views = defect_views(buckets, versions, str(out), group)
    of_key = {bucket.key: view for view in views for bucket in view.buckets}
    by_key = {bucket.key: bucket for bucket in buckets}
    for key in [view.shown.key for view in views] if keys is None else keys:
        if key in by_key:
            releases = tuple(seen.get(key, ()))
            yield page_of(by_key[key], of_key[key], runs, releases, out, group.read)


def page_of(
    bucket: Bucket,
    defect: DefectView,
    runs: int,
    releases: tuple[str, ...],
    out: Path,
    read: Read,
) -> FindingPage:
    """The finding of a bucket that shows a defect. `read` gives the text of a file that it names."""
    form, file, text = _form(bucket, read)
    return FindingPage(
        bucket,
        defect,
        runs,
        releases,
        range_sentence(out / "findings" / bucket.key),
        form,
        str(PurePath(out, file)) if file else "",
        text,
        _needs(bucket, read),
        inside(bucket.backtrace),
        out,
        read,
        _decided(bucket, read),
    )


def _form(bucket: Bucket, read: Read) -> tuple[str, str, str]:
    """The form that shows the finding and is read fastest, its file, and what stands in it: a script
    before a program before a trace, unless it is long and another one is shorter. All are empty
    where nothing that is kept shows it.
    """
    shows = {form.form: form.file for form in bucket.reproducers if form.reproduces and form.file}
    kept = bucket.smallest()
    if kept is not None and kept.confirmed is not False:
        shows.setdefault("trace", kept.file)
    best = "", "", ""
    least: int | None = None
    for form in _FORMS:
        text = read(shows[form]) if form in shows else None
        if text is not None:
            size = max(_SHORT, text.count("\n"))
            if least is None or size < least:
                least, best = size, (form, shows[form], text)
            if least == _SHORT:
                break
    return best


def _decided(bucket: Bucket, read: Read) -> str:
    """The script that was decided, of a finding in which the solver gives up on what a rule made of it, or
    answers it wrongly; empty for other findings, and where the trace does not run that script. Where the
    smaller trace does not, the whole one of the same run is asked.
    """
    wrong = bucket.kind == WRONG_ANSWER
    if not wrong and (bucket.kind != INCOMPLETENESS or bucket.against != PARENT):
        return ""
    kept = bucket.smallest()
    files = [form.file for form in bucket.reproducers if form.form == "min.trace" and form.file]
    whole = [f"{file.removesuffix('.min.trace')}.trace" for file in files]
    for file in [*files, *(whole or ([kept.file] if kept is not None else []))]:
        text = read(file)
        with suppress(InputError):
            trace = parse_trace(text or "", file)
            script = scripted(trace)
            if wrong and not (script and rule_of(script.text)):
                continue
            right = next((one for one in script.expected if one in OPPOSITE), "") if script else ""
            found = next(decided_before(trace, right), "")
            if found:
                return found
    return ""


def _needs(bucket: Bucket, read: Read) -> tuple[str, ...]:
    """Describe in sentences the options, limits and calls that the defect needs beside its formulas: those
    of the smaller trace that neither the script nor the program refutes.
    """
    files = {form.form: form.file for form in bucket.reproducers if form.reproduces and form.file}
    text = read(files["min.trace"]) if "min.trace" in files else None
    needs = read_needs(header_value(text, HEADER) if text else "")
    if not _asks(text or ""):  # such a program has no solver whose options it could set
        needs = [need for need in needs if need.kind != "safe"]
    forms: dict[str, str] = {}
    for name in ("smt2", "python"):
        if name in files:
            forms[name] = read(files[name]) or ""
    own = f"{bucket.solver}-"
    told = [need for need in needs if not _refuted(need, forms)]
    if forms:  # what a check takes of a limit is another number in another form
        told = [replace(need, low="", high="") if need.kind == "limit" else need for need in told]
    return tuple(need.sentence().replace(f" {own}", " ") for need in told)


def _asks(trace: str) -> bool:
    """Whether a trace asks its solver anything."""
    return any(row.action in ANSWERING or row.action == "run-script" for row in read_rows(trace))


# What stands in a script where the trace has a call.
_COMMANDS = {
    "check-sat": "(check-sat",
    "check-sat-assuming": "(check-sat-assuming",
    "check-model": "(get-model",
    "check-core": "(get-unsat-core",
    "assert-tracked": ":named",
    "push": "(push",
    "pop": "(pop",
    "reset": "(reset",
    "reset-assertions": "(reset-assertions",
}


def _refuted(need: Need, forms: Mapping[str, str]) -> bool:
    """Whether a script or a program shows the finding without what its smaller trace needs."""
    script = forms.get("smt2")
    if need.kind in ("operand", "called"):
        return not need.value  # what was tried in vain tells a title more than a reader
    if need.kind == "other":
        return script is not None and need.name not in script
    if need.kind == "spelling":  # plain programs have the plainest spellings, and scripts have none
        return bool(forms)
    if need.kind == "option" and not telling_option(need.name):
        return bool(forms)  # it lets the solver do what the form asks for
    if need.kind in ("option", "limit"):
        name = need.name.rpartition(".")[2] or "limit"
        return any(name not in text for text in forms.values())
    if script is None or need.name not in _COMMANDS:
        return False
    count = int(need.value) if need.kind == "again" else 1
    return need.kind in ("again", "call") and script.count(_COMMANDS[need.name]) < count


def print_finding(console: Console, page: FindingPage, model: ShownModel | None) -> None:
    """Print a finding for people. Sentences are folded to the width of the screen; nothing is cut."""
    for line in _lines(page, model, max(40, console.width)):
        console.print(line, soft_wrap=True)


def _lines(page: FindingPage, model: ShownModel | None, width: int) -> Iterator[Text]:
    bucket = page.bucket
    yield Text(bucket.key, "bold")
    for row in textwrap.wrap(page.wrong, width, break_on_hyphens=False):
        yield Text(row, "bold red")
    yield Text()
    yield from labelled(_facts(page), width)
    if not page.text:
        yield from _frames(page)
    if page.text:
        yield from _heading(f"{_FORMS[page.form]} ({page.file})")
        yield from (Text(escaped(row, keep="\t")) for row in page.text.rstrip("\n").split("\n"))
    if page.decided:
        yield from _heading(
            "The script that the solver decides, and from which the rule made the other one"
        )
        yield from (Text(escaped(row, keep="\t")) for row in page.decided.rstrip("\n").split("\n"))
    if model is not None:
        yield from _heading(f"Model ({model.source})")
        yield from model_lines(model)
    if page.text:
        yield from _frames(page)
    yield from _heading("Commands")
    yield from (Text(f"  {command}", "green") for command in commands(page))


def _frames(page: FindingPage) -> Iterator[Text]:
    if page.frames:
        yield from _heading(page.about_frames("Frames"))
        yield from (Text(f"  {escaped(frame)}") for frame in without_turns(page))


def _heading(text: str) -> Iterator[Text]:
    yield Text()
    yield Text(text, "bold")


def _facts(page: FindingPage) -> Iterator[tuple[str, str]]:
    """The facts about a finding, each with its label."""
    bucket = page.bucket
    seen = ", ".join(page.releases) or "a release that the campaign did not keep"
    yield "found", f"{bucket.kind} of {bucket.solver} {seen}, tier {bucket.tier}"
    yield "evidence", f"{amount(bucket.count, 'time')} in {page.runs:,} runs; {evidence(bucket)}"
    if page.range:
        yield "releases", page.range
    for at, line in enumerate(bucket.triage.get("evidence") or ()):
        yield "" if at else "triage", str(line)
    for at, need in enumerate(page.needs):
        yield "" if at else "needs", need
    for form in bucket.reproducers:
        if form.form in _FORMS and not form.reproduces and form.note:
            yield "no script" if form.form == "smt2" else "no program", form.note
    if page.others:
        yield "the same", f"{amount(len(page.others), 'other bucket')} of this defect"
        yield from (("", key) for key in page.others)


def model_lines(model: ShownModel) -> Iterator[Text]:
    """The values of the constants, then of the terms in what is false; the wrong one is marked."""
    found = model.found
    if found is None:
        yield Text(f"  {model.why}")
        return
    for name, value in found.model.items():
        yield Text(f"    {escaped(name)} = {escaped(value)}")
    marked = wrong(found)
    for part in found.parts:
        other = f"; the solver says {part.theirs}" if part.theirs else ""
        row = f"{escaped(model.text(part.name))} = {escaped(part.ours + other)}"
        style = "bold red" if part.name in marked else ""
        yield Text(f"{'  > ' if part.name in marked else '    '}{row}", style)
    named = [part.name for part in found.parts]
    for name, verdict in found.holds:
        if name not in named:
            row = f"{escaped(model.text(name))} is {verdict}"
            yield Text(f"{'  > ' if name in marked else '    '}{row}")


def wrong(found: Evaluation) -> tuple[str, ...]:
    """The names of the terms to be marked: the first at which the solver and the evaluator part, and
    the assertions that are false.
    """
    parting = [part.name for part in found.parts if part.theirs][:1]
    return (*parting, *(name for name, verdict in found.holds if verdict == "false"))


def without_turns(page: FindingPage) -> Iterator[str]:
    """The frames, of which those that repeat before are only counted; of an endless recursion only those
    that are in it.
    """
    turn = place(page.bucket.backtrace)[1:] if page.recursion else page.frames
    seen = dict.fromkeys(frame for frame in page.frames if frame in turn)
    yield from seen
    if len(seen) < sum(frame in turn for frame in page.frames):  # of which not all are kept
        yield "(and more of the same functions)"


def commands(page: FindingPage) -> list[str]:
    """The commands that show the finding again, and those that tell more about it."""
    view = page.view
    if not view.trace:
        return []
    folder = shlex.quote(str(PurePath(view.trace).parent))
    shows = {form.form: form.file for form in view.reproducers if form.reproduces}
    found = [replay_command(shows.get("history", view.trace))]
    smaller = shows.get("min.trace") or shows.get("min.history")
    if smaller:
        found.append(replay_command(smaller))
    if "python" in shows:
        found.append(f"python3 {shlex.quote(shows['python'])}")
    if not smaller:
        found.append(f"murxpy minimize {folder}")
    return found + ([] if page.range else [f"murxpy bisect {folder}"])


def finding_data(page: FindingPage, model: ShownModel | None) -> dict[str, Any]:
    """A finding as plain data."""
    return {
        **bucket_data(page.view),
        "wrong": page.wrong,
        "evidence": evidence(page.bucket),
        "runs": page.runs,
        "releases": list(page.releases),
        "shows": page.range,
        "form": page.form,
        "file": page.file,
        "text": page.text,
        "needs": list(page.needs),
        "frames": list(page.frames),
        "decided": page.decided,
        "others": list(page.others),
        "model": None if model is None else _model_data(model),
        "commands": commands(page),
    }


def _model_data(model: ShownModel) -> dict[str, Any]:
    """A model as plain data. Terms have their texts in the place of their ids."""
    found = model.found or Evaluation({}, [])
    marked = wrong(found)
    return {
        "source": model.source,
        "why": model.why,
        "constants": found.model,
        "formulas": [{"term": model.text(name), "holds": verdict} for name, verdict in found.holds],
        "terms": [
            {
                "term": model.text(part.name),
                "value": part.ours,
                "solver": part.theirs or part.ours,
                "wrong": part.name in marked,
            }
            for part in found.parts
        ],
    }
