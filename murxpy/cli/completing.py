"""What the shell completes: the scripts for shells, and the candidates for targets, theories and
buckets. A candidate is offered only if no shell takes any of its characters for something else, because
folders of campaigns may come from strangers. Nothing is run, imported or looked up for a candidate.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path

import click
from click.shell_completion import (
    BashComplete,
    CompletionItem,
    FishComplete,
    ShellComplete,
    ZshComplete,
)

from murxpy.errors import MurxpyError

VARIABLE = "_MURXPY_COMPLETE"  # click's name for the variable with which a shell asks
_PLAIN = re.compile(r"[\w.,@+-]+")
_PROGRAM = "murxpy"


class _Bash(BashComplete):
    """The completion of bash, which takes `@`, `:` and `=` for the ends of words: `z3@4.13` comes as
    three words, and only the part from the last `@`, or behind the last `:`, is replaced.
    """

    source_template = BashComplete.source_template.replace(
        "env COMP_WORDS=", 'env COMP_WORDBREAKS="$COMP_WORDBREAKS" COMP_WORDS='
    )

    def get_completion_args(self) -> tuple[list[str], str]:
        """The words before the incomplete one, and the incomplete one."""
        ends = [char for char in "@:" if char in os.environ.get("COMP_WORDBREAKS", "@:")]
        parts = os.environ["COMP_WORDS"].split("\n")
        words: list[str] = []
        joined = False
        for part in parts[: int(os.environ["COMP_CWORD"]) + 1]:
            end = bool(part) and all(char in ends for char in part)
            if words[1:] and (end or joined):
                words[-1] += part
            else:
                words.append(part)
            joined = end
        last = words[-1]
        places = [last.rfind(char) + (char != "@") for char in ends if char in last]
        self._kept = max(places, default=0)
        return words[1:-1], words[-1]

    def format_completion(self, item: CompletionItem[str]) -> str:
        """The kind and the part of the candidate that bash replaces."""
        kept = self._kept if item.type == "plain" else 0
        return f"{item.type},{item.value[kept:]}"


class _WholeWords(ShellComplete):
    """The completion of a shell that replaces the whole word, also that of `--option=value`."""

    def get_completions(self, args: list[str], incomplete: str) -> list[CompletionItem[str]]:
        """The candidates, with the option in front of its value."""
        found = super().get_completions(args, incomplete)
        option, sign, _ = incomplete.partition("=")
        front = f"{option}=" if sign and option.startswith("-") else ""
        return [CompletionItem(front + one.value, one.type, one.help) for one in found]


class _Zsh(_WholeWords, ZshComplete):
    """The completion of zsh."""


class _Fish(_WholeWords, FishComplete):
    """The completion of fish. A candidate may hold commas."""

    source_template = FishComplete.source_template.replace(
        'string split ","', 'string split -m1 ","'
    )


SHELLS: dict[str, type[ShellComplete]] = {"bash": _Bash, "zsh": _Zsh, "fish": _Fish}


def script(shell: str, group: click.Group) -> str:
    """The script that a shell reads to complete the commands of `group`."""
    return SHELLS[shell](group, {}, _PROGRAM, VARIABLE).source()


def answer(instruction: str, group: click.Group) -> int:
    """Print what a shell asks for by `VARIABLE`, such as `bash_complete`; gives the exit code. What
    cannot be completed is no error: nothing is printed.
    """
    shell, _, what = instruction.partition("_")
    if shell not in SHELLS or what not in ("source", "complete"):
        return 2
    if what == "source":
        click.echo(script(shell, group), nl=False)
        return 0
    with suppress(MurxpyError, click.ClickException, OSError, KeyError, ValueError):
        text = SHELLS[shell](group, {}, _PROGRAM, VARIABLE).complete()
        click.echo(text)
    return 0


# ----------------------------------------------------------------------
# Candidates.


def plain(candidates: Iterable[str], incomplete: str) -> list[CompletionItem[str]]:
    """Those of the candidates that begin so."""
    return [
        CompletionItem(one)
        for one in candidates
        if one.startswith(incomplete) and _PLAIN.fullmatch(one)
    ]


def last_of(
    candidates: Callable[[str], Iterable[str]], incomplete: str
) -> list[CompletionItem[str]]:
    """Candidates for the last of the names with commas between them. `candidates` gives them, by what the
    name begins with.
    """
    before, comma, last = incomplete.rpartition(",")
    return plain((f"{before}{comma}{one}" for one in candidates(last)), incomplete)


def files(incomplete: str) -> list[CompletionItem[str]]:
    """Let the shell complete the name of a file."""
    return [CompletionItem(incomplete, type="file")]


def targets(begin: str) -> list[str]:
    """Targets: the solvers, and behind `@` the releases in the cache."""
    from murxpy.data import load_wrapper, shipped_names
    from murxpy.processes.environments import cached, package_of
    from murxpy.processes.releases import LATEST

    solver, at, _ = begin.partition("@")
    if not at:
        return shipped_names()
    if solver not in shipped_names():
        return []
    there = [one.release for one in cached(package_of(load_wrapper(solver)).name)]
    return [f"{solver}@{release}" for release in (LATEST, *there)]


def theories(_: str = "") -> list[str]:
    """The names of the theories."""
    from murxpy.data import load_catalogue

    return [theory["name"] for theory in load_catalogue()["theories"]]


def buckets(out: Path) -> list[str]:
    """The names of the buckets of the campaign in a folder, from its store."""
    from murxpy.findings.store import read_buckets

    return sorted(bucket.key for bucket in read_buckets(out))
