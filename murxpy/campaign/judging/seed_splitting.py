"""Seeds of one check each, from scripts that solvers have answered: a script with several checks is
split, and a check without a label gets the answer of two solvers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from murxpy.campaign.judging.seed_check import DECIDED, Checked
from murxpy.fuzzers.seeds import SUFFIX, with_status
from murxpy.logic.catalogue import Catalogue
from murxpy.mutation.views import View, views
from murxpy.smtlib.commands import (
    Assert,
    CheckSat,
    Command,
    DeclareDatatypes,
    DeclareSort,
    DefineFunsRec,
    SetInfo,
    SetLogic,
)
from murxpy.smtlib.printing.forms import Unsayable
from murxpy.smtlib.printing.scripts import print_script
from murxpy.smtlib.reading.scripts import read_file, read_text
from murxpy.smtlib.script import Script

_KEPT = (DeclareSort, DeclareDatatypes, DefineFunsRec)
_WITNESSES = 2  # answers and labels that must agree


@dataclass(frozen=True, slots=True)
class LabelledSeed:
    """A script with one check: its logic, its label, its text, and the number of the check in the
    script from which it was taken, which has `checks` checks.
    """

    logic: str
    label: str
    text: str
    number: int = 1
    checks: int = 1


def split(checked: Checked, catalogue: Catalogue, dialect: str) -> Iterator[LabelledSeed]:
    """The seeds that come of a script: one for each check whose label and answers agree, if there
    are two of them. A script with one check stays as it is, apart from its label.

    A seed is printed in the standard, or in `dialect` if the standard cannot say it; it is left out
    if neither can.
    """
    agreed = [_agreed(checked, at) for at in range(len(checked.labels))]
    if not any(agreed):
        return
    path = Path(checked.path)
    script = read_file(path, catalogue)
    logic = script.logic or "ALL"
    if not script.incremental and agreed[0]:
        yield LabelledSeed(logic, agreed[0], with_status(read_text(path), agreed[0]))
        return
    for number, (view, label) in enumerate(zip(views(script), agreed, strict=False), 1):
        text = _text(script, view, label, dialect) if label else None
        if text is not None:
            yield LabelledSeed(logic, label, text, number, len(agreed))


def _agreed(checked: Checked, at: int) -> str:
    """What the label and the answers to a check say together; empty if they do not agree, or if
    there are too few of them.
    """
    said = [checked.labels[at], *(a[at] for a in checked.answers.values() if at < len(a))]
    decided = [word for word in said if word in DECIDED]
    return str(decided[0]) if len(decided) >= _WITNESSES and len(set(decided)) == 1 else ""


def _text(script: Script, view: View, label: str, dialect: str) -> str | None:
    """The script of one check alone."""
    commands: list[Command] = [
        SetInfo("status", label),
        SetLogic(script.logic or "ALL"),
        *(c for c in script.commands if isinstance(c, _KEPT)),
        *map(Assert, view.asserted),
        CheckSat(),
    ]
    alone = Script(script.name, script.tables, commands)
    for one in ("standard", dialect):
        try:
            return print_script(alone, one)
        except Unsayable:
            continue
    return None


def write_seeds(folder: Path, source: Path, seeds: Sequence[LabelledSeed]) -> None:
    """Write the seeds of one script: `LOGIC/LABEL/NAME.smt2`, with the number of the check behind
    the name of a script with several checks.
    """
    for seed in seeds:
        inside = folder / seed.logic / seed.label
        inside.mkdir(parents=True, exist_ok=True)
        stem = source.stem + (f"-{seed.number}" if seed.checks > 1 else "")
        file, again = inside / f"{stem}{SUFFIX}", 1
        while file.exists():  # another script has the same name
            again += 1
            file = inside / f"{stem}.{again}{SUFFIX}"
        file.write_text(seed.text, encoding="utf-8")
