"""From a defect to the range of releases that show it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from murxpy.campaign.findings.replayed import replay_trace
from murxpy.campaign.ranges.bisection import Answer, Range, bisect
from murxpy.campaign.ranges.defects import Defect
from murxpy.campaign.ranges.showing import Asked, Sign, sign_of
from murxpy.campaign.workers.names import TargetName
from murxpy.campaign.workers.plans import make_plans
from murxpy.errors import InputError, TargetError
from murxpy.releases.environments import Notice
from murxpy.releases.versions import short

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
    """How the defect is known again, and the release that showed it. Raises InputError."""
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
