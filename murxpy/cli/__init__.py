"""The command line. Each command is a click command in the module of its name in this package, and
is loaded when it is used.
"""

from __future__ import annotations

import ast
import contextlib
import gc
import importlib
import os
import re
import signal
import sys
import time
import traceback
from collections.abc import Sequence
from functools import cache
from itertools import takewhile
from pathlib import Path
from types import ModuleType
from typing import Any

import click
from click.shell_completion import CompletionItem

from murxpy import __version__
from murxpy.cli.completing import VARIABLE, answer, plain
from murxpy.cli.configuration import (
    FILE,
    TRUST,
    Source,
    check_tables,
    default_map,
    environment,
    holding,
    plugins_of,
    read_sources,
)
from murxpy.cli.params import BEGAN, Guarded, Text, refuse_empty
from murxpy.errors import MurxpyError, nearest
from murxpy.modules import module_names, plugin_of
from murxpy.plugins import use


def _fuzzers() -> dict[str, str]:
    """The mutation fuzzers by name, each with its line in the list of commands. Their declarations are
    read and not imported, which takes a quarter of a second.
    """
    found: dict[str, str] = {}
    for name in module_names("murxpy.sources.mutation.fuzzers"):
        if plugin_of(f"murxpy.sources.mutation.fuzzers.{name}"):
            from murxpy.sources.mutation.registry import FUZZERS

            entry = FUZZERS[name]
            found |= {entry.name: entry.brief} if entry.command else {}
            continue
        found |= _declared(name)
    return found


@cache
def _declared(module: str) -> dict[str, str]:
    """The name of the fuzzer that a module declares, with its line; empty if it has no command."""
    folder = importlib.import_module("murxpy.sources.mutation.fuzzers").__path__[0]
    text = Path(folder, f"{module}.py").read_text(encoding="utf-8")
    declared = ast.parse(text[text.index("\nENTRY = Entry(") :]).body[0]
    assert isinstance(declared, ast.Assign) and isinstance(declared.value, ast.Call)
    for option in declared.value.keywords:
        if option.arg == "command" and not ast.literal_eval(option.value):
            return {}
    called, brief = map(ast.literal_eval, declared.value.args[:2])
    return {called: brief}


def commands() -> dict[str, str]:
    """The commands by name, each with its line in the list of commands, in the order of that list."""
    return {name: brief for group in _groups().values() for name, brief in group.items()}


def _groups() -> dict[str, dict[str, str]]:
    """The commands with their lines, under the headings of the list of commands."""
    new = {name: _brief(name) for name in _studies() if name not in _OTHERS}
    return {**_GROUPS, FIND: {"fuzz": _WALK, **_fuzzers(), **_GROUPS[FIND], **new}}


def _studies() -> list[str]:
    """The commands in the folder of studies, each called as its module. One that no list below names is
    listed behind the others with the text of its module.
    """
    return [name.replace("_", "-") for name in module_names("murxpy.cli.studies")]


def _brief(study: str) -> str:
    return (_module(study).__doc__ or "").partition("\n")[0]


def _module(command: str) -> ModuleType:
    return importlib.import_module(f"murxpy.cli.{module_of(command)}")


def module_of(command: str) -> str:
    """The module of a command in this package; that of a mutation fuzzer is `mutate`."""
    folder = "studies." if command in _studies() else ""
    return folder + _MODULES.get(command, command.replace("-", "_"))


FIND = "Find"
_WALK = "Fuzz a solver through its Python API."
# All commands but the fuzzers, under the headings of the list of commands.
_GROUPS = {
    FIND: {
        "enumerate": "Test every small script of a grammar.",
        "matrix": "Follow a solver over its releases with every small script.",
        "stability": "Tell how much equal scripts differ in answer and cost.",
        "finish": "Do what a campaign had no time for.",
        "cluster": "Write a file that starts the nodes of a cluster.",
        "perf": "Search for scripts on which a solver is slower than others.",
        "generate": "Print a random script of full trees.",
        "check-seeds": "Say which SMT-LIB scripts are unreadable or mislabelled.",
        "import-seeds": "Make seeds of the regression suite of a solver.",
    },
    "Look": {
        "findings": "List the defects that a campaign found, the worst first.",
        "show": "Print one finding whole.",
        "draft": "Write a finding as an issue, ready to paste.",
        "report": "Write the defects as a page, or as files for CI.",
        "watch": "Follow a campaign on a page in the browser.",
        "known": "Keep a registry of known bugs, and check it.",
        "triage": "Say which solver is wrong where solvers disagree, and why.",
        "eval": "Say which assertions are true in the model of a solver.",
        "statistics": "Show operators, states, actions and refusals of a campaign.",
        "coverage": "Say which lines of a solver a campaign reached.",
        "seeds": "Show which seeds gave most in a campaign.",
        "arms": "Show which options go with findings in a guided campaign.",
        "merge": "Make one folder of those of the shards of a campaign.",
        "repair": "Rebuild the damaged store of a campaign.",
    },
    "Run again, shrink": {
        "replay": "Run a trace again, on the same solver or another one.",
        "minimize": "Make a trace smaller while it shows the same finding.",
    },
    "Translate": {
        "translate": "Print a trace as an SMT-LIB script or a Python program.",
        "lift": "Print an SMT-LIB script as a trace.",
    },
    "Releases": {
        "releases": "List and install releases of the solvers.",
        "bisect": "Find the releases of a solver that show a defect.",
        "regress": "Say which kept findings a release shows, or has mended.",
    },
    "Reference": {
        "grammars": "Show grammars of scripts, their counts, and scripts by index.",
        "rules": "Show the rules of implication, or prove them.",
        "theories": "Show the theories and their operators.",
        "wrappers": "Show the solvers' wrappers and their spellings.",
        "fsm": "Show or check a state machine.",
        "doctor": "Say what the installed solvers can and cannot do.",
        "completion": "Print the script with which a shell completes murxpy.",
        "plugins": "List the installed plug-ins, and what each gives.",
        "config": "Show what configuration files give, and from where.",
    },
}
# The commands that a newcomer needs, in the order of their use.
_FIRST = (
    *("doctor", "fuzz", "findings", "show", "replay", "minimize", "bisect", "draft", "known"),
    "report",
)
_OTHERS = {name: brief for group in _GROUPS.values() for name, brief in group.items()}
# The modules of commands that have another name.
_MODULES = {
    "rules": "theories",
    "report": "reporting",
    "seeds": "figures",
    "arms": "figures",
    "statistics": "figures",
}
ALL = "--all"  # the option that lists all commands; also whether it was given, in a call
_GLOBAL = ("--config", "--no-config", TRUST, "--plugin")  # the options before the command
_LONG_WORD = re.compile(r"\S{121,}")  # the longest key of a bucket has 90 characters
_PATH = 4096  # bytes of a path at most
_LONGEST = 4000  # characters of an error; one that lists all operators has about 3,000


_HELD = "murxpy.held"  # what files give to options, among the same
SOURCES = "murxpy.sources"  # the configuration files, among what the commands of one call share


def _sources(ctx: click.Context) -> list[Source]:
    """The configuration files. Raises InputError."""
    given = ctx.params
    return [] if given["no_config"] else read_sources(given["config"], trust=given["trust_config"])


class _Commands(click.Group):
    """Knows the names of its commands, and loads only the command that is used."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(commands())

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name in ("fuzz", *_OTHERS, *_studies()):
            module = _module(cmd_name)
            # a module whose command is called like a function of Python has it as COMMAND
            command: click.Command = getattr(module, "COMMAND", None) or getattr(
                module, cmd_name.replace("-", "_")
            )
        elif cmd_name in _fuzzers():
            command = importlib.import_module("murxpy.cli.mutate").COMMANDS[cmd_name]
        else:
            return None
        refuse_empty(command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        sources: list[Source] = []
        if not ctx.resilient_parsing:  # nothing is read and imported to complete a word in a shell
            sources = _sources(ctx)
            use(plugins_of(sources, ctx)[0])
        known = commands()
        if args and args[0] not in known and not args[0].startswith("-"):
            hint = nearest(args[0], known) or f"; known are {', '.join(known)}"
            raise click.UsageError(f"unknown command '{args[0]}'{hint}", ctx)
        name, command, rest = super().resolve_command(ctx, args)
        if not ctx.resilient_parsing and name is not None and command is not None:
            check_tables(sources, list(known))
            held = holding([environment(name, command), *sources], name, command)
            ctx.default_map = default_map(held)
            ctx.meta[_HELD] = list(held.values())
        ctx.meta[SOURCES] = sources
        if not gc.isenabled():  # the program has loaded the command, and looks at that no more
            gc.freeze()
            gc.enable()
        return name, command, rest

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command. An error says that options of files hold, where some do, with the lines of
        those whose values it quotes.
        """
        try:
            return super().invoke(ctx)
        except (MurxpyError, click.UsageError) as error:
            if held := ctx.meta.get(_HELD):
                quoted = [one for one in held if one.line and one.quoted_in(str(error))]
                places = dict.fromkeys(
                    [f"{one.source.path}:{one.line}" for one in quoted]
                    or [str(one.source.path) for one in held]
                )
                error.add_note(
                    f"options of {' and '.join(places)} hold, see 'murxpy config {ctx.invoked_subcommand}'"
                )
            raise

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem[str]]:
        """The commands that begin so, each with its line; behind a dash the options."""
        if incomplete.startswith("-"):
            return click.Command.shell_complete(self, ctx, incomplete)
        known = commands()
        return [
            CompletionItem(one.value, help=known[one.value]) for one in plain(known, incomplete)
        ]

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the options before the command, `--all` first, wherever it stands among them."""
        front = list(takewhile(lambda word: word.startswith("-"), args))
        if ALL in front:
            args = [ALL, *(word for word in front if word != ALL), *args[len(front) :]]
        return super().parse_args(ctx, args)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands, and then the options: the commands that a newcomer needs, or all."""
        listed = commands()
        every = ctx.meta.get(ALL, False)
        groups = _groups() if every else {"In the order of their use": dict.fromkeys(_FIRST)}
        widest = max(map(len, listed))
        for heading, group in groups.items():
            with formatter.section(heading):
                formatter.write_dl([(name.ljust(widest), listed[name]) for name in group])
        if not every:
            more = len(listed) - len(_FIRST)
            formatter.write_paragraph()
            formatter.write_text(
                f"'murxpy {ALL}' lists {more} more, such as mutation fuzzers, enumeration, releases and studies. "
                "'murxpy COMMAND --help' explains a command by examples."
            )
        click.Command.format_options(self, ctx, formatter)


def _list_all(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if value:
        ctx.meta[ALL] = True
        click.echo(ctx.get_help())
        ctx.exit()


@click.group(
    cls=_Commands,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.option(
    "--config",
    type=click.Path(path_type=Path),
    envvar="MURXPY_CONFIG",
    metavar="FILE",
    help=f"Read options of commands from this file, too, before those from {FILE}.",
)
@click.option(
    "--no-config", is_flag=True, envvar="MURXPY_NO_CONFIG", help="Read no configuration file."
)
@click.option(
    TRUST,
    is_flag=True,
    envvar="MURXPY_TRUST_CONFIG",
    help=f"Let the {FILE} of the project also name programs, wrappers, files and folders.",
)
@click.option(
    "--plugin",
    cls=Guarded,
    type=Text(),
    multiple=True,
    envvar="MURXPY_PLUGIN",
    metavar="NAME",
    help="Use this installed plug-in, from 'murxpy plugins'; repeatable.",
)
@click.option(
    ALL,
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_list_all,
    help="List all commands.",
)
@click.version_option(__version__, prog_name="murxpy")
def murxpy(
    config: Path | None, no_config: bool, trust_config: bool, plugin: tuple[str, ...]
) -> None:
    """Find bugs in SMT solvers by calling their Python APIs."""
    if config is not None and no_config:
        raise click.UsageError("--config and --no-config exclude each other: leave one out")


def main(args: Sequence[str] | None = None) -> None:
    """Run the command line and exit the process.

    Exit codes: 0 nothing new found, 1 findings, 2 usage or bad input, 3 internal error, 4 the
    solver cannot be used, 130 ended by Ctrl-C, 143 by SIGTERM, 129 by SIGHUP, 141 for a campaign
    that ended because nobody reads what it prints. A command returns its exit code, or None for 0. An
    error is one line on standard error, with MURXPY_DEBUG=1 after its traceback.
    """
    raise SystemExit(run(sys.argv[1:] if args is None else list(args)))


def run(args: list[str], began: float | None = None) -> int:
    """Run the command line, which began at a moment of `time.monotonic`, by default now, and return
    the exit code.
    """
    from murxpy.cli.report.console import safe_outputs
    from murxpy.processes import interrupts

    _open_outputs()
    if VARIABLE in os.environ:
        return answer(os.environ[VARIABLE], murxpy)
    # A campaign that is interrupted while it is made ends with its summary, too. Whether this is a
    # campaign is told without importing the fuzzers: where one is broken, `_run` reports that.
    campaign = _command_of(args) not in ("", *_OTHERS, *_studies())
    try:
        with safe_outputs(), interrupts.kept() if campaign else interrupts.raised():
            return _run(args, time.monotonic() if began is None else began, campaign)
    except KeyboardInterrupt:  # while the command said what ended it
        return interrupts.exit_code()


def _command_of(args: list[str]) -> str:
    """The command that the arguments name; empty if there is none."""
    with contextlib.suppress(click.UsageError):
        parser = murxpy.make_parser(click.Context(murxpy, **murxpy.context_settings))
        return next(iter(parser.parse_args(list(args))[1]), "")
    return ""


def _run(args: list[str], began: float, campaign: bool) -> int:
    from murxpy.cli.report.console import quiet_pipe
    from murxpy.grants import only_granted
    from murxpy.processes.interrupts import exit_code, last
    from murxpy.processes.limits import ensure_files

    try:
        ensure_files()
        with quiet_pipe(), only_granted():
            return _invoke(args, began)
        # Nobody reads the output any more: that ends a campaign early, as SIGPIPE does, and hurts no list.
        return 128 + signal.SIGPIPE if campaign else 0
    except MurxpyError as error:
        return fail(_with_notes(str(error), error), error.exit_code)
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()
        return error.exit_code
    except click.ClickException as error:
        return fail(_with_notes(_usage_text(error), error), error.exit_code)
    except (KeyboardInterrupt, click.Abort) as error:
        return fail(_with_notes(f"ended by {last()} before it was done", error), exit_code())
    except OSError as error:
        return fail(f"{error.filename or 'output'}: {error.strerror or error}", 2)
    except Exception as error:
        hint = (
            ""
            if _debugging()
            else " (a fault of murxpy: run it with MURXPY_DEBUG=1 and report what it prints)"
        )
        return fail(f"internal error: {type(error).__name__}: {error}{hint}", 3)


def _with_notes(message: str, error: BaseException) -> str:
    return "; ".join([message, *getattr(error, "__notes__", ())])


def _open_outputs() -> None:
    """Discard what is written to a standard stream that is closed, before another file gets its
    descriptor.
    """
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_WRONLY), "w", encoding="utf-8"))


def _invoke(args: list[str], began: float) -> int:
    """Parse the arguments and run the command. Unlike click's own main, this leaves errors and a
    broken pipe to the caller.
    """
    try:
        with murxpy.make_context("murxpy", args) as context:
            context.meta[BEGAN] = began
            code = murxpy.invoke(context)
    except click.exceptions.Exit as end:
        return end.exit_code
    return code if isinstance(code, int) else 0


def fail(message: str, code: int) -> int:
    """Print an error as one line on standard error, and return `code`."""
    from murxpy.cli.report.text import one_line

    if _debugging() and sys.exc_info()[0] is not None:
        traceback.print_exc()
    with contextlib.suppress(OSError):  # the terminal may be closed
        click.echo(f"murxpy: error: {one_line(_cut(message), _LONGEST)}", err=True)
    return code


def _cut(message: str) -> str:
    """The message with long words of strangers cut. No word of ours is as long, but paths are."""
    from murxpy.foreign import excerpt

    return _LONG_WORD.sub(
        lambda found: (
            found[0] if "/" in found[0][:_PATH] and len(found[0]) <= _PATH else excerpt(found[0])
        ),
        message,
    )


def _usage_text(error: click.ClickException) -> str:
    context = error.ctx if isinstance(error, click.UsageError) else None
    message = error.format_message().rstrip(".")
    if isinstance(error, click.NoSuchOption) and error.option_name in _GLOBAL and context:
        message = f"{error.option_name} stands before the command: 'murxpy {error.option_name} ... {context.info_name}'"
    return f"{message}; see '{context.command_path} --help'" if context else message


def _debugging() -> bool:
    return os.environ.get("MURXPY_DEBUG", "") not in ("", "0")


def tell(error: MurxpyError) -> int:
    """Print an error and go on; gives its exit code."""
    return fail(str(error), error.exit_code)
