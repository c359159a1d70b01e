"""Names of targets: `z3`, `z3@4.13.0`, `z3@envs/old`, `z3@latest[smt.arith.solver=2]`."""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from murxpy.data import load_wrapper, wrapper_names
from murxpy.errors import InputError
from murxpy.releases.environments import package_of
from murxpy.releases.index import published
from murxpy.releases.versions import LATEST, chosen, short

_NAME = re.compile(r"(?P<solver>[^@\[]+)(@(?P<place>.*?))?(\[(?P<options>[^\[\]]*)\])?", re.DOTALL)


@dataclass(frozen=True, slots=True)
class TargetName:
    """The parts of a target's name: the solver, the place that it is loaded from (empty for our own
    environment), and options that hold in every run.
    """

    solver: str
    place: str = ""
    options: tuple[tuple[str, str], ...] = ()

    def __str__(self) -> str:
        at = f"@{self.place}" if self.place else ""
        options = ",".join(f"{name}={value}" for name, value in self.options)
        return f"{self.solver}{at}" + (f"[{options}]" if options else "")

    @property
    def release(self) -> str:
        """The release that the place names. It is empty where the place is a path: one with a
        slash, or one that exists.
        """
        path = os.sep in self.place or (self.place and Path(self.place).exists())
        return "" if path else self.place


def parse_target(text: str) -> TargetName:
    """Take the name of a target apart. Raises InputError."""
    found = _NAME.fullmatch(text)
    if found is None or found["place"] == "":
        raise InputError(
            f"'{text[:80]}' names no target: expected SOLVER, SOLVER@RELEASE or SOLVER@FOLDER, and behind it "
            "options as in [arith.solver=2,random_seed=7] where they are wished"
        )
    options: list[tuple[str, str]] = []
    for part in () if found["options"] is None else found["options"].split(","):
        name, equals, value = (word.strip() for word in part.partition("="))
        if not (name and equals and value):
            raise InputError(
                f"'{text[:80]}': '{part[:80]}' is no option, expected NAME=VALUE as in [smt.arith.solver=2]"
            )
        if name in dict(options):
            raise InputError(f"'{text[:80]}': the option {name} stands twice")
        options.append((name, value))
    return TargetName(found["solver"], found["place"] or "", tuple(options))


def split_names(text: str) -> list[str]:
    """The names in a list with commas between them. Commas in brackets belong to a name."""
    return [name.strip() for name in re.split(r",(?![^\[\]]*\])", text)]


def solver_of(text: str) -> str:
    """The solver with which the name of a target begins."""
    return re.split(r"[@\[]", text, maxsplit=1)[0]


def absolute_target(text: str) -> str:
    """The name of a target in a form that means the same in any folder."""
    name = parse_target(text)
    wrapper = Path(name.solver).expanduser()
    solver = str(wrapper.absolute()) if wrapper.is_file() else name.solver
    place = name.place
    if place and not name.release:
        place = str(Path(place).expanduser().absolute())
    return str(TargetName(solver, place, name.options))


@functools.cache
def releases_of(package: str) -> Sequence[str]:
    """The published releases of a package. The index is asked once in a process. Raises
    TargetError.
    """
    return published(package)


def settled(text: str, wrapper: Mapping[str, Any] | None = None) -> str:
    """The name of a target with its release in its normal form, and with the newest release in
    place of `latest`. `wrapper` is the decoded wrapper of its solver; without it, the wrapper is
    found by the solver's name.

    Raises InputError and TargetError.
    """
    name = parse_target(text)
    release = name.release
    if not release or (
        release == LATEST and wrapper is None and name.solver not in wrapper_names()
    ):
        return text
    if release == LATEST:
        package = package_of(wrapper or load_wrapper(name.solver)).name
        release = chosen(LATEST, releases_of(package), package)
    return str(TargetName(name.solver, short(release), name.options))
