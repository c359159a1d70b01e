"""From a defect to the range of releases that show it."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal

import msgspec
from packaging.version import Version

from murxpy.errors import InputError, TargetError
from murxpy.findings.replayed import replay_trace
from murxpy.foreign import read_bytes
from murxpy.judging.bisection import Answer, Range, Word, bisect, spans_of
from murxpy.judging.defects import Asked, Defect, Sign, sign_of
from murxpy.processes.environments import Notice, print_notice
from murxpy.processes.plans import make_plans
from murxpy.processes.releases import release_in, short, version
from murxpy.processes.targets import TargetName

Watch = Callable[[str, Answer], None]
NOTHING: Mapping[str, Answer] = {}


def find_range(
    defect: Defect,
    releases: Sequence[str],
    tries: int,
    every: bool,
    wall: float,
    notice: Notice,
    watch: Watch,
    newest: bool = True,
    earlier: Mapping[str, Answer] = NOTHING,
) -> tuple[Range, int]:
    """The range of `defect` over `releases`, oldest first, and the number of replays that it took, each
    for `wall` seconds at most. `watch` gets each release that is asked; `earlier` has the answers of an
    unfinished bisection. Raises InputError where no release shows the defect, or nothing says what it is."""
    known, sign = short(defect.release) if defect.release else "", defect.sign
    answers = dict(earlier)
    if sign is None:
        first = [known] if known in releases else []
        sign, known = _seen(defect, [*first, *reversed(releases[-1:])], wall, notice)
        answers[known] = Answer("shows")
    replays = len(answers)
    asked = Asked(defect.request, defect.text, sign, tries, wall, notice)

    def ask(release: str) -> Answer:
        if release not in answers:
            answers[release] = asked.release(defect.solver, release)
            watch(release, answers[release])
        return answers[release]

    known = known if known in releases else ""
    if known:
        _check(defect, known, ask(known))
    found = bisect(releases, ask, known, every, newest, defect.without)
    if not found.spans:
        raise InputError("none of the releases that were asked shows it", file=str(defect.file))
    return found, replays + asked.replays


def _check(defect: Defect, known: str, answer: Answer) -> None:
    """Raise InputError where the release on which a defect was found does not show it."""
    if answer.word != "shows":
        why = answer.why or "the replay ends without a finding"
        raise InputError(
            f"{defect.solver} {known}, on which it was found, does not show it: {why}; a defect that does not "
            "show each time needs --tries",
            file=str(defect.file),
        )


def _seen(defect: Defect, releases: Sequence[str], wall: float, notice: Notice) -> tuple[Sign, str]:
    """Return the sign by which the defect is recognised, and the release that showed it. Raises
    InputError.
    """
    for release in filter(None, releases):
        name = str(TargetName(defect.solver, release))
        try:
            (plan,) = make_plans(replace(defect.request, targets=(name,)), notice)
        except TargetError:
            continue
        sign = sign_of(replay_trace(plan, defect.text, str(defect.file), wall=wall).outcome)
        if sign is not None:
            return sign, release
    raise InputError(
        "it shows no finding on the release that it names, nor on the newest: expected a trace that "
        "'murxpy replay' exits with 1 for",
        file=str(defect.file),
    )


# ----------------------------------------------------------------------
# A collection of kept findings against a release: which still show, which are mended or back.


TABLE = "ranges.json"  # beside the traces: which releases of each were seen to show it, or not
_MOST = 1 << 26  # bytes of a table
Status = Literal["shows", "mended", "back", "gone", "untestable"]


@dataclass(frozen=True, slots=True)
class Regressed:
    """A kept finding on a release, compared with what is known of older releases.

    `shows`: the release shows the defect. `back`: the release shows the defect again; older releases
    showed it, but the newest older one that was tested did not. `mended`: it does not show the
    defect, but an older release does. `gone`: neither this release nor an older one shows the defect.
    `untestable`: nobody can say whether it shows the defect; `why` says why.
    """

    name: str
    status: Status
    why: str = ""


def read_table(file: Path) -> dict[str, dict[str, Any]]:
    """Return the entries of a table about traces, by their names: `asked` maps releases to their
    answers. The result is empty if there is no such file. Raises InputError.
    """
    if not file.is_file():
        return {}
    try:
        table = msgspec.json.decode(
            read_bytes(file, "table of answers", _MOST), type=dict[str, dict[str, Any]]
        )
        for entry in table.values():
            for release in msgspec.convert(entry.get("asked"), dict[str, Word]):
                version(release)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError, TargetError) as error:
        raise InputError(
            f"expected a table that 'murxpy bisect --table' wrote: {error}".replace("`", "'"),
            file=str(file),
        ) from None
    return table


def range_in(table: Path, file: Path) -> dict[str, Any]:
    """What a table says of the trace in `file`, as a bisection of a bucket is kept: the solver, the
    range, its spans, and what each release that was asked answered. Raises InputError.
    """
    name = os.path.relpath(file.absolute(), table.absolute().parent)
    entry = read_table(table).get(name)
    if entry is None:
        raise InputError(
            f"expected an entry '{name}', as 'murxpy bisect --table' writes it", file=str(table)
        )
    asked = sorted(entry["asked"], key=version)
    spans = spans_of(asked, {at: Answer(entry["asked"][one]) for at, one in enumerate(asked)})
    return {**entry, "spans": [asdict(span) for span in spans]}


def compared(name: str, answer: Answer, release: str, asked: Mapping[str, str]) -> Regressed:
    """Compare the answer of `release` with the answers of older releases, which `asked` holds.
    `release` is what the solver says of its version. Where that names no release, as for a build
    folder that says nothing, it counts as newer than all.
    """
    release = release_in(release)
    older = [
        word
        for one, word in sorted(asked.items(), key=lambda entry: Version(entry[0]))
        if word != "untestable" and (not release or version(one) < version(release))
    ]
    if answer.word == "untestable":
        return Regressed(name, "untestable", answer.why)
    if answer.word == "shows":
        back = "shows" in older and older[-1] == "gone"
        return Regressed(name, "back" if back else "shows", answer.why)
    return Regressed(name, "mended" if "shows" in older else "gone")


def regress(
    name: str,
    defect: Defect,
    target: str,
    known: Mapping[str, Any],
    tries: int,
    wall: float,
    notice: Notice = print_notice,
) -> Regressed:
    """The kept finding called `name` on `target`, beside what the table says of it (`known`).
    Each of `tries` replays takes `wall` seconds at most.
    """
    if defect.sign is None:
        why = "its header has neither a row 'finds' nor a row 'cross-check' that say what it shows"
        return Regressed(name, "untestable", why)
    asked = Asked(defect.request, defect.text, defect.sign, tries, wall, notice)
    answer = asked.target(target)
    found_on = {defect.release: "shows"} if defect.release else {}
    return compared(name, answer, asked.version, {**found_on, **known.get("asked", {})})
