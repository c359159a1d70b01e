"""What a source of runs declares of itself: command line, `--mix`, help and session derive from it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from murxpy.mutation.workshop import Fuzzer, Seed

Labels = Callable[[Mapping[str, Any]], Sequence[str]]


@dataclass(frozen=True, slots=True)
class Setting:
    """A setting of a source: an option of its command, and with its name in front one of `--mix`.

    `kind`: a switch, a number from `least` to `most`, one of `choices`, or a file of fusion
    functions, whose laws are checked before it is used.
    """

    name: str
    help: str
    kind: Literal["switch", "number", "choice", "functions"] = "switch"
    least: int = 0
    most: int = 0
    choices: tuple[str, ...] = ()
    default: Any = None
    metavar: str = ""


@dataclass(frozen=True, slots=True)
class Entry:
    """A source of runs. `brief` is its line in the list of commands, `about` the help of its own,
    which for the walk is that of `murxpy fuzz`.

    `mutants` makes its mutants, None for the walk, which needs no seeds. `labels` gives by its
    settings the labels that its seeds must have ("" for any), one for each seed. `fit` tells of two
    seeds whether anything can come of them together, where that shows in their texts. `chained`:
    each mutant is made of one before it, if that was decided. `asks`: it asks the solver about a
    seed in the words of SMT-LIB, so that the solver must read scripts.
    """

    name: str
    brief: str
    about: str = ""
    mutants: Fuzzer | None = None
    labels: Labels = lambda settings: ("",)
    fit: Callable[[Seed, Seed], bool] = lambda first, second: True
    chained: bool = False
    asks: bool = False
    settings: tuple[Setting, ...] = ()
