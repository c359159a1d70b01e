"""The declaration of a source of runs. The command line, `--mix`, the help and the session derive
from it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from murxpy.smtlib.script import Script
from murxpy.sources.mutation.workshop import Fuzzer, MutationSession, Seed

Labels = Callable[[Mapping[str, Any]], Sequence[str]]
Groups = Callable[[int, Seed, Mapping[str, Any]], frozenset[str]]
Lacks = Callable[[MutationSession, Script, Seed], str]


@dataclass(frozen=True, slots=True)
class Setting:
    """A setting of a source. A setting is an option of the source's command, and with the source's
    name in front a setting in `--mix`.

    `kind`: a switch, a number from `least` to `most`, one of `choices`, a file of fusion functions,
    whose laws are checked before it is used, names of fusion functions with commas between them,
    names of rules of implication and files of them, names of theories, or names of grammars and files
    of them.
    """

    name: str
    help: str
    kind: Literal[
        "switch", "number", "choice", "functions", "function-names", "rules", "theories", "grammars"
    ] = "switch"
    least: int = 0
    most: int = 0
    choices: tuple[str, ...] = ()
    default: Any = None
    metavar: str = ""


def asserts_nothing(shop: MutationSession, script: Script, seed: Seed) -> str:
    """Return the reason why a fuzzer that changes assertions cannot use a seed; empty if it can."""
    return "" if script.assertions() else "nothing is asserted"


DROP_OPTIONS = Setting(
    "drop-options",
    "Leave out the options that a seed sets, and check by no tactic where it does. Otherwise mutants "
    "keep what the wrapper lists.",
)


@dataclass(frozen=True, slots=True)
class Entry:
    """A source of runs.

    `brief` is its line in the list of commands, and `about` the help of its own command (for the
    walk, that of `murxpy fuzz`). `mutants` makes its mutants; it is None for the walk, which needs no
    seeds. `labels` gives the labels that its seeds must have, by its settings: one for each seed, ""
    for any label. `groups` names the groups of a seed at one of the places of a run, by the settings:
    two seeds are drawn together only if they have a group in common. The function is None if all
    seeds can be drawn together. `lacks` says why a script gives no mutants, whatever a solver answers, and is
    empty if it may give some. With `chained`, each mutant is made from an earlier one that was
    decided. With `command`, the source has a command of its own name, which runs a campaign of it
    alone. With `asks`, the source asks the solver about a seed in SMT-LIB, so the solver must read
    scripts. With `modelled`, it asks for the model of each mutant that can have one. With `ruled`, it
    uses rules of implication, and with `implies`, all its mutants are made
    by such rules.
    """

    name: str
    brief: str
    about: str = ""
    mutants: Fuzzer | None = None
    labels: Labels = lambda settings: ("",)
    groups: Groups | None = None
    lacks: Lacks = asserts_nothing
    chained: bool = False
    command: bool = True
    asks: bool = False
    modelled: bool = False
    ruled: bool = False
    implies: bool = False
    settings: tuple[Setting, ...] = ()

    @property
    def seedless(self) -> bool:
        """Whether runs of the source need no seeds."""
        return not self.labels({})
