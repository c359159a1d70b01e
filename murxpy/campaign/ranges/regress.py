"""A collection of kept findings against a release: which still show, which are mended or back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import msgspec
from packaging.version import Version

from murxpy.campaign.ranges.bisection import Answer, Word
from murxpy.campaign.ranges.defects import Defect
from murxpy.campaign.ranges.showing import Asked
from murxpy.errors import InputError, TargetError
from murxpy.foreign import read_bytes
from murxpy.releases.environments import Notice, print_notice
from murxpy.releases.versions import release_in, version

TABLE = "ranges.json"  # beside the traces: which releases of each were seen to show it, or not
_MOST = 1 << 26  # bytes of a table
Status = Literal["shows", "mended", "back", "gone", "untestable"]


@dataclass(frozen=True, slots=True)
class Regressed:
    """A kept finding on a release, compared with what is known of older releases.

    `shows`: the release shows the defect. `back`: it shows the defect again, which older releases
    showed but the newest older one that was tested did not. `mended`: it does not show the defect,
    but an older release does. `gone`: neither this release nor an older one shows it. `untestable`:
    nobody can say whether it shows the defect; `why` says why.
    """

    name: str
    status: Status
    why: str = ""


def read_table(file: Path) -> dict[str, dict[str, Any]]:
    """What a table says of traces, by their names: `asked` maps releases to what they say. Empty
    where there is no such file. Raises InputError.
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


def compared(name: str, answer: Answer, release: str, asked: Mapping[str, str]) -> Regressed:
    """What the answer of `release` means beside the answers of older releases, which `asked` holds.
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
