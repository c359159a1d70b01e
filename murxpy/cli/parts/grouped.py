"""Commands whose many options stand under headings in their help, with examples below the text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import click

LENGTH = "How long, how many, and where to"
WHAT = "What the runs do"
CHECKS = "What is checked, and by whom"
LIMITS = "Limits"
FINDINGS = "What becomes of findings"
SEEDS = "Mutating seeds"
SCRIPTS = "What the scripts look like"
SEARCH = "The search"
FAULTS = "Malformed scripts"
OUTPUT = "Output"
_GROUPS = {
    LENGTH: ("time", "seconds", "runs", "steps", "finish", "jobs", "seed", "out", "first"),
    WHAT: (
        "theories",
        "theory",
        "machine",
        "contract",
        "profile",
        "wrapper",
        "settings",
        "no_swarm",
        "no_option_fuzzing",
        "guide",
        "run_seed",
    ),
    CHECKS: ("judges", "baseline", "compare", "checks"),
    LIMITS: ("limits", "wall", "memory", "judge_limit", "isolate"),
    FINDINGS: ("known", "fail_on", "minimize", "bisect", "share"),
    SEEDS: ("mix", "iterations", "budget", "check_limit", "through", "size_limit", "stability"),
    FAULTS: ("corrupt", "asked", "count"),
    SEARCH: ("references", "query", "stale", "no_learning"),
    SCRIPTS: (
        *("assertions", "depth", "variables", "widths", "functions", "quantifiers", "linear"),
        *("extensions", "ban", "weights", "dialect"),
    ),
    OUTPUT: ("statistics", "as_json", "output"),
}
_HEADINGS = {name: heading for heading, names in _GROUPS.items() for name in names}


def heading_of(option: str) -> str:
    """The heading under which an option of a campaign stands, by the name of its parameter. The
    options that a mutation fuzzer declares for itself have none of their own; they stand under `SEEDS`.
    """
    return _HEADINGS.get(option, SEEDS)


def has_heading(option: str) -> bool:
    """Whether the option is listed under a heading here."""
    return option in _HEADINGS


class Grouped(click.Command):
    """A command that prints its options under headings, each of `examples` (a command line and what
    it does) behind its text. The options in `under` stand under other headings than elsewhere.
    """

    def __init__(
        self,
        *args: Any,
        examples: Sequence[tuple[str, str]] = (),
        under: Mapping[str, str] | None = None,
        **more: Any,
    ) -> None:
        super().__init__(*args, **more)
        self._examples = tuple(examples)
        self._under = dict(under or {})

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        if self._examples:
            with formatter.section("Examples"):
                for line, what in self._examples:
                    formatter.write(f"  {line}\n      {what}\n")
        for heading, rows in self._rows(ctx).items():
            with formatter.section(heading):
                formatter.write_dl(rows)

    def _rows(self, ctx: click.Context) -> Mapping[str, list[tuple[str, str]]]:
        found: dict[str, list[tuple[str, str]]] = {heading: [] for heading in _GROUPS}
        for param in self.get_params(ctx):
            row = param.get_help_record(ctx)
            if row is not None and isinstance(param, click.Option):
                is_help = "--help" in param.opts
                heading = self._under.get(param.name or "", heading_of(param.name or ""))
                found[OUTPUT if is_help else heading].append(row)
        return {heading: rows for heading, rows in found.items() if rows}
