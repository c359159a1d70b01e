"""Bisection: which of many releases show something, by asking few of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any, Literal

Word = Literal["shows", "gone", "untestable"]


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer of one release: it shows the defect, it does not, or it cannot be tested; `why` is
    in words for the user.
    """

    word: Word
    why: str = ""


@dataclass(frozen=True, slots=True)
class Span:
    """Neighbouring releases that show the defect, from `first` to `last`.

    `before` and `after` are the nearest releases that were seen not to show it, empty where there
    are none. Releases between them and the span cannot be tested.
    """

    first: str
    last: str
    before: str = ""
    after: str = ""


@dataclass(frozen=True, slots=True)
class Range:
    """The releases that show a defect, oldest first, among `releases`; `asked` are those that were
    asked, with their answers. `newest` says whether the last of them is the newest there is.
    """

    releases: Sequence[str]
    spans: Sequence[Span]
    asked: dict[str, Answer]
    newest: bool = True

    @property
    def untestable(self) -> list[str]:
        """The releases that were asked and cannot be tested."""
        return [one for one, answer in self.asked.items() if answer.word == "untestable"]

    def words(self) -> str:
        """The range as a reader wants it: `4.12.0..5.4.1`, where the newest release ends in dots."""
        shown = []
        for span in self.spans:
            open_end = self.newest and span.last == self.releases[-1]
            last = "" if open_end else span.last
            shown.append(span.first if span.first == last else f"{span.first}..{last}")
        return ", ".join(shown) or "none"


def range_data(found: Range, solver: str, replays: int) -> dict[str, Any]:
    """A range of a solver as plain data, with the number of replays that it took."""
    return {
        "solver": solver,
        "range": found.words(),
        "spans": [asdict(span) for span in found.spans],
        "asked": {one: answer.word for one, answer in found.asked.items()},
        "why": {one: answer.why for one, answer in found.asked.items() if answer.why},
        "releases": len(found.releases),
        "replays": replays,
    }


def bisect(
    releases: Sequence[str],
    ask: Callable[[str], Answer],
    known: str = "",
    every: bool = False,
    newest: bool = True,
    without: str = "",
) -> Range:
    """The range of a defect over `releases`, which are oldest first. `known` is a release that shows
    the defect, `without` one that is believed not to show it; that one is asked, too.

    Both neighbours of every boundary are asked, also of a boundary to releases that cannot be
    tested. Releases between two that answer alike are taken to answer like these, and are asked
    only where `every` says so. `newest` says whether the last of them is the newest there is.
    """
    answers: dict[int, Answer] = {}

    def put(at: int) -> Answer:
        if at not in answers:
            answers[at] = ask(releases[at])
        return answers[at]

    last = len(releases) - 1
    if every:
        first_asked = list(range(len(releases)))
    else:
        first_asked = [releases.index(known) if known in releases else last, last, 0]
        first_asked += [at for at, one in enumerate(releases) if one == without]
    for at in first_asked:
        put(at)
    while (middle := _undecided(answers)) is not None:
        put(middle)
    asked = {releases[at]: answers[at] for at in sorted(answers)}
    return Range(releases, spans_of(releases, answers), asked, newest)


def _undecided(answers: dict[int, Answer]) -> int | None:
    """A release between two that answer differently, the middle one of those that were not asked;
    None where all boundaries are known.
    """
    for one, other in pairwise(sorted(answers)):
        if answers[one].word != answers[other].word and other - one > 1:
            return (one + other) // 2
    return None


def spans_of(releases: Sequence[str], answers: dict[int, Answer]) -> list[Span]:
    testable = [at for at in sorted(answers) if answers[at].word != "untestable"]
    spans: list[Span] = []
    before = ""
    first: int | None = None
    for place, at in enumerate(testable):
        if answers[at].word == "gone":
            before, first = releases[at], None
            continue
        first = at if first is None else first
        following = testable[place + 1] if place + 1 < len(testable) else None
        if following is None or answers[following].word == "gone":
            after = "" if following is None else releases[following]
            spans.append(Span(releases[first], releases[at], before, after))
    return spans
