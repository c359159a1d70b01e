"""Commands whose many options stand under headings in their help, with examples below the text."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click
from click.core import ParameterSource

from murxpy.cli.completing import theories
from murxpy.cli.params import (
    OUT,
    Existing,
    Guarded,
    NamedFile,
    Text,
    duration,
    judge_names,
    names,
    seed,
    shard,
    size,
)
from murxpy.cli.report.console import say
from murxpy.data import added_theories, load_catalogue
from murxpy.errors import InputError, nearest
from murxpy.foreign import read_text
from murxpy.fuzzers.setups import all_checked, proved_rules
from murxpy.grants import grant_file
from murxpy.judging.laws import check_functions
from murxpy.judging.rules import prove_files
from murxpy.smtlib.reading.scripts import MAX_SCRIPT
from murxpy.sources.mutation.entry import Setting
from murxpy.sources.mutation.functions.choosing import BUILT_IN
from murxpy.sources.mutation.registry import FUZZERS

LENGTH = "How long, how many, and where to"
WHAT = "What the runs do"
CHECKS = "What is checked, and by whom"
LIMITS = "Limits"
MACHINES = "Many machines"
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
        "no_quantifiers",
        "smt_lib_only",
        "logic",
        "no_option_fuzzing",
        "drawn_options",
        "guide",
        "run_seed",
    ),
    CHECKS: ("judges", "judged", "baseline", "compare", "checks"),
    MACHINES: ("cluster", "lag", "shard"),
    LIMITS: ("limits", "wall", "memory", "judge_limit", "isolate"),
    FINDINGS: ("known", "fail_on", "minimize", "bisect", "share"),
    SEEDS: (
        *("mix", "walk_seeds", "iterations", "budget", "check_limit", "through", "size_limit"),
        "stability",
    ),
    FAULTS: ("corrupt", "asked", "count"),
    SEARCH: ("references", "query", "stale", "no_learning"),
    SCRIPTS: (
        *("assertions", "depth", "variables", "widths", "functions", "quantifiers", "linear"),
        *("extensions", "ban", "weights", "dialect"),
    ),
    OUTPUT: ("keep_scripts", "kept_runs", "gcov", "statistics", "as_json", "output"),
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
        """Write the examples of the command, then its options under the heading of their group."""
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


# ----------------------------------------------------------------------
# Options that several commands take, each said once. A help text is a parameter where it must
# differ between commands.


Command = TypeVar("Command", bound=Callable[..., Any])

TARGETS = "SOLVER[@PLACE],..."
# What --cross-check says everywhere; behind a colon stands what is answered.
JUDGES = "Other solvers or releases that answer, too"
CHECK_LIMIT = "Limit of a check: the solver's resource limit that takes about this time"


def listed(*options: Callable[[Any], Any]) -> list[click.Parameter]:
    """The options for a command that is made of a list of parameters."""

    def command() -> None: ...

    for option in reversed(options):
        option(command)
    return click.command()(command).params


def _add_theories(ctx: click.Context, param: click.Parameter, value: tuple[Path, ...]) -> None:
    ctx.with_resource(added_theories(value))


# The option is read before all arguments, because wrappers, scripts and traces may use what it
# defines.
theory_option = click.option(
    "--theory",
    type=Existing(),
    multiple=True,
    metavar="FILE",
    is_eager=True,
    expose_value=False,
    callback=_add_theories,
    help="YAML file of a theory with more operators, which the wrapper spells; repeatable.",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
known_file_option = click.option(
    "--file",
    type=Existing(),
    default="known.yaml",
    show_default=True,
    metavar="FILE",
    help="The registry of known bugs.",
)


def known_option(help_: str) -> Callable[[Command], Command]:
    """The option `--known`, for files of known bugs."""
    return click.option(
        "--known", type=Existing(), multiple=True, metavar="FILE", help=f"{help_} Repeatable."
    )


wrapper_option = click.option(
    "--wrapper", type=NamedFile(), metavar="FILE", help="Wrapper of the solver."
)


def _allow(ctx: click.Context, param: click.Parameter, value: tuple[Path, ...]) -> None:
    for path in value:
        grant_file(path)


# The option is read before all arguments, because these may name what it allows.
allow_option = click.option(
    "--allow",
    type=Existing(),
    multiple=True,
    metavar="FILE|DIR",
    is_eager=True,
    expose_value=False,
    callback=_allow,
    help="Read this machine, profile, grammar, file of rules or folder of seeds, which the campaign's "
    "folder names; repeatable.",
)


def kept_option(name: str) -> Callable[[Command], Command]:
    """An option of a command that looks at a whole campaign: what the folder names, and what the user
    names here, too, may be used again.
    """
    metavar, about = {
        "--solver": (TARGETS, "Replay findings also on these targets, which the folder names."),
        "--cross-check": (TARGETS, f"{JUDGES}: those which the traces of the folder name."),
        "--wrapper": ("FILE", "Use also this wrapper, which the folder names."),
    }[name]
    kind = NamedFile() if metavar == "FILE" else judge_names
    return click.option(name, type=kind, metavar=metavar, expose_value=False, help=about)


memory_option = click.option(
    "--memory",
    type=size,
    default="2g",
    show_default=True,
    metavar="SIZE",
    help="Memory of a process; 0 for no limit.",
)
out_argument = click.argument("out", metavar="[OUT]", type=click.Path(path_type=Path), default=OUT)
output_option = click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Write to this file.  [default: standard output]",
)


def out_option(help: str, default: str | None = None) -> Callable[[Command], Command]:
    """The folder that a command writes."""
    return click.option(
        "--out",
        type=click.Path(path_type=Path),
        default=default,
        show_default=True,
        metavar="DIR",
        help=help,
    )


def time_option(name: str, default: str, help: str) -> Callable[[Command], Command]:
    """An option that takes a span of time."""
    return click.option(
        name, type=duration, default=default, show_default=True, metavar="TIME", help=help
    )


def count_option(
    name: str,
    help: str,
    default: int | None = None,
    most: int | None = None,
    least: int = 1,
    to: str | None = None,
) -> Callable[[Command], Command]:
    """An option that takes a number, for the parameter `to` where that is called otherwise."""
    return click.option(
        name,
        *filter(None, [to]),
        type=click.IntRange(least, most),
        default=default,
        show_default=True,
        metavar="N",
        help=help,
    )


class _Percent(click.FloatRange):
    """A share in percent; not a number is none."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the share. Raises BadParameter."""
        number = super().convert(value, param, ctx)
        if number != number:
            self.fail(f"'{value}': expected a share from 0 to 100", param, ctx)
        return number


def percent_option(name: str, default: float, help: str) -> Callable[[Command], Command]:
    """An option that takes a share in percent."""
    return click.option(
        name,
        type=_Percent(0, 100),
        default=default,
        show_default=True,
        metavar="PERCENT",
        help=help,
    )


def tries_option(help: str) -> Callable[[Command], Command]:
    """The number of replays."""
    return count_option("--tries", help, 1)


def jobs_option(help: str, default: int | None = 1) -> Callable[[Command], Command]:
    """The number of processes that work at a time."""
    return count_option("--jobs", help, default, 1024)


cluster_option = click.option(
    "--cluster",
    cls=Guarded,
    type=Text(),
    metavar="WHERE",
    help="Have the nodes of a Dask cluster do the work, each with --jobs processes: local:N starts N nodes here, "
    "ssh:FILE one on each host in FILE; tcp://HOST:PORT names a scheduler. Extra 'cluster'.",
)


def cluster_options(command: Command) -> Command:
    """The options of a campaign on many machines."""
    for option in (
        click.option(
            "--shard",
            type=shard,
            metavar="K/N",
            help="Make the K-th of each N runs, on a machine without a network; 'murxpy merge' puts the folders together. "
            "All shards need the same --seed.",
        ),
        count_option(
            "--lag",
            "What runs are made of is chosen by runs that are at least this number before them, in a long campaign. A new "
            "campaign on many machines wants as many as all of them make in 20 seconds.  [default: 512]",
            most=100_000_000,
        ),
        cluster_option,
    ):
        command = option(command)
    return command


def seed_option(help: str, default: str | None = None) -> Callable[[Command], Command]:
    """A seed of random choices."""
    return click.option(
        "--seed", type=seed, default=default, show_default=True, metavar="N", help=help
    )


def judges_option(help: str, **more: Any) -> Callable[[Command], Command]:
    """Other solvers that are asked."""
    return click.option(
        "--cross-check", "judges", type=judge_names, metavar=TARGETS, help=help, **more
    )


def format_option(help: str, *more: str) -> Callable[[Command], Command]:
    """A `--format` option for a command that prints a table. `more` are formats beside those of every
    table.
    """
    return click.option(
        "--format",
        "form",
        type=click.Choice(["text", "json", "csv", *more]),
        default="text",
        show_default=True,
        help=help,
    )


# ----------------------------------------------------------------------
# Indices of scripts on the command line: exact integers, also those of many digits; and the
# options that say which scripts of a grammar are meant.


MOST = 4000  # digits of an index


def index(text: str) -> int:
    """The integer in `51000`, `51_000` or `1e275`, exactly. Raises BadParameter."""
    match = re.fullmatch(r"(\d[\d_]*)(?:[eE]\+?(\d{1,5}))?", text.strip())
    if match is None or len(match[1]) + int(match[2] or 0) > MOST:
        raise click.BadParameter(
            f"'{text}': expected an integer of at most {MOST} digits, such as 51000 or 1e275"
        )
    power: int = 10 ** int(match[2] or 0)
    return int(match[1]) * power


def span_options(verb: str, first: int) -> Callable[[Command], Command]:
    """The options `--first`, `--at` and `--take`, for a command that does with scripts what `verb`
    says; where none of them is given, with the `first` scripts.
    """
    options = (
        click.option(
            "--first",
            type=index,
            metavar="N",
            help=f"{verb} the first N scripts of each grammar.  [default: {first}]",
        ),
        click.option(
            "--at",
            type=index,
            metavar="INDEX",
            help=f"{verb} the scripts from this index on, such as 1e275, which is the exact integer; needs --take.",
        ),
        click.option(
            "--take",
            type=click.IntRange(1, 10**12),
            metavar="K",
            help=f"{verb} K scripts from --at on.",
        ),
    )

    def attach(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return attach


def check_span(first: int | None, at: int | None, take: int | None) -> None:
    """Raise UsageError where these options exclude each other."""
    if (at is None) != (take is None):
        raise click.UsageError("--at and --take belong together: name both or neither")
    if first is not None and at is not None:
        raise click.UsageError("--first and --at exclude each other: leave one out")


# ----------------------------------------------------------------------
# The options that each mutation fuzzer declares for itself. Its own command has them as they
# are, and `murxpy fuzz --mix` has them with the fuzzer's name in front.


# settings that are useless beside another setting
_APART = {
    "functions_only": ("generate",),
    "concat_only": ("functions", "functions_only", "generate", "within", "all_constraints"),
}


_OF_FILES = ("functions", "rules", "grammars")  # kinds of settings that may name files


def _option(front: str, setting: Setting) -> click.Option:
    types: dict[str, Any] = {
        "number": click.IntRange(setting.least, setting.most),
        "choice": click.Choice(list(setting.choices)),
        "functions": Existing(),
        "function-names": names(),
        "rules": names(),
        "theories": names(candidates=theories),
        "grammars": names(),
    }
    given: dict[str, Any] = {"help": setting.help}
    if setting.kind == "switch":
        given["is_flag"] = True
    else:
        given |= {"type": types[setting.kind], "metavar": setting.metavar or None}
    if setting.default is not None:
        given |= {"default": setting.default, "show_default": True}
    kind = Guarded if setting.kind in _OF_FILES else click.Option
    return kind([f"--{front}{setting.name}"], **given)


def own_options(name: str, *, prefix: bool = False) -> list[click.Option]:
    """The options of a fuzzer. With `prefix` its name stands in front, as in `--storm-max-depth`."""
    front = f"{name}-" if prefix else ""
    return [_option(front, setting) for setting in FUZZERS[name].settings]


def prefixed(given: dict[str, Any], sources: Collection[str]) -> dict[str, dict[str, Any]]:
    """Take the settings of each source out of the options of `murxpy fuzz`. Raises UsageError for
    settings of a fuzzer that is not among the sources.
    """
    context = click.get_current_context()
    choices: dict[str, dict[str, Any]] = {}
    for name, entry in FUZZERS.items():
        options = [setting.name for setting in entry.settings]
        found = {option: given.pop(f"{name}_{option}".replace("-", "_")) for option in options}
        if name in sources:
            choices[name] = chosen(found, f"{name}-")
            continue
        for option in options:
            if (
                context.get_parameter_source(f"{name}_{option}".replace("-", "_"))
                is ParameterSource.COMMANDLINE
            ):
                raise click.UsageError(
                    f"--{name}-{option} is an option of {name}, which is not among the sources of --mix"
                )
    return choices


def chosen(found: Mapping[str, Any], front: str = "") -> dict[str, Any]:
    """The settings as a fuzzer reads them, with the text of a file in place of its path. The names of
    the options begin with `front`. Raises InputError.
    """
    choices = {option.replace("-", "_"): value for option, value in found.items()}
    own: list[str] = []
    if choices.get("functions") is not None:
        choices["functions"], own = _functions(choices["functions"])
    only = choices.get("functions_only") or ()
    known = list(dict.fromkeys([*own, *BUILT_IN]))
    for name in only:
        if name not in known:
            raise InputError(
                f"--{front}functions-only: unknown function '{name}'{nearest(name, known)}; known"
                f" are {', '.join(known)}"
            )
    if only:
        choices["functions_only"] = list(only)
    theories = [theory["name"] for theory in load_catalogue()["theories"]]
    for name in choices.get("theories") or ():
        if name not in theories:
            raise InputError(
                f"--{front}theories: unknown theory '{name}'{nearest(name, theories)}; known are {', '.join(theories)}"
            )
    if choices.get("grammars"):
        choices["grammars"] = [grammar.plain for grammar in all_checked(choices["grammars"])]
    if choices.get("rules") == ():
        raise InputError(
            f"--{front}rules: expected names of rules or books, or files of them, found none; "
            "'murxpy rules' shows them"
        )
    if choices.get("rules"):
        for note in prove_files(choices["rules"]):
            say(f"note: {note}", err=True)
        choices["rules"] = list(choices["rules"])
        proved_rules(choices["rules"])  # a name that is none is told at once
    for option, others in _APART.items():
        for other in others:
            if choices.get(option) and choices.get(other):
                one, two = (f"--{front}{name.replace('_', '-')}" for name in (option, other))
                raise InputError(f"{one} and {two} exclude each other; leave one of them out")
    return choices


def _functions(file: Path) -> tuple[str, list[str]]:
    """The text of a file of fusion functions, and their names. Raises InputError if a law of a
    function is wrong.
    """
    text = read_text(file, "script of fusion functions", MAX_SCRIPT)
    found, notes = check_functions(text, str(file))
    for note in notes:
        say(f"note: {note}", err=True)
    return text, found
