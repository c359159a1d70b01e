"""Readers for the values of options: spans of time, sizes of memory, seeds, lists of names, files.

The list of commands needs this module, so it imports what knows targets and stores only where a value
is read: they take a third of a second.
"""

from __future__ import annotations

import contextlib
import os
import re
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem

from murxpy.cli.completing import buckets, files, last_of, plain, targets
from murxpy.errors import InputError, nearest
from murxpy.grants import grant_file
from murxpy.learning.arms import is_run_seed

BEGAN = "murxpy.began"  # when the command line began, among what the commands of one call share
OUT = "murxpy-out"  # the output folder where none is named
NONE = "none"  # in the place of the names of judges
_SECONDS = {"ms": 0.001, "": 1.0, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_BYTES = {"k": 1 << 10, "m": 1 << 20, "g": 1 << 30}
_LEAST_MEMORY = 64 << 20  # bytes; the interpreter does not fit into less


def began() -> float:
    """When the command line began, by `time.monotonic`."""
    context = click.get_current_context(silent=True)
    return float(context.meta[BEGAN]) if context and BEGAN in context.meta else time.monotonic()


def duration(text: str) -> float:
    """Seconds in `500ms`, `60s`, `5m`, `2h`, `1d` or `60`. Raises BadParameter."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*(ms|s|m|h|d|)", text.strip().lower())
    seconds = float(match[1]) * _SECONDS[match[2]] if match else 0.0
    if not 0.001 <= seconds <= 1e9:
        raise click.BadParameter(f"'{text}': expected a time such as 500ms, 60s, 5m or 2h")
    return seconds


def size(text: str) -> int:
    """Bytes in `512m` or `2g`; 0 for none. Raises BadParameter."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([kmg])(?:i?b)?", text.strip().lower())
    size = int(float(match[1]) * _BYTES[match[2]]) if match else 0
    if not (_LEAST_MEMORY <= size <= 1 << 45 or text.strip() == "0"):
        raise click.BadParameter(
            f"'{text}': expected a size such as 512m or 2g, of at least 64m, or 0 for no limit"
        )
    return size


def seed(text: str) -> int:
    """The seed in `text`: in decimal, or with other digits or `0x` in hexadecimal. Raises
    BadParameter.
    """
    return _seed(
        text, 10 if text.strip().isdecimal() else 16, "a number below 2^64, decimal or hexadecimal"
    )


def shard(text: str) -> tuple[int, int]:
    """The number of a shard and how many there are, in `3/16`. Raises BadParameter."""
    found = re.fullmatch(r"(\d{1,5})/(\d{1,5})", text.strip(), re.ASCII)
    number, count = map(int, found.groups()) if found else (0, 0)
    if not 1 <= number <= count:
        raise click.BadParameter(f"'{text[:40]}': expected K/N, with K from 1 to N, such as 3/16")
    return number, count


def run_seed(text: str) -> int:
    """The seed in hexadecimal `text`. Raises BadParameter."""
    expected = "at most 16 hexadecimal digits, or those of a guided or varied run, as in the header of a trace"
    number = _seed(text, 16, expected, bits=256)
    if not is_run_seed(number):
        raise click.BadParameter(f"'{text}': expected {expected}")
    return number


def _seed(text: str, base: int, expected: str, bits: int = 64) -> int:
    fits = re.fullmatch(r"(0x)?[0-9a-f]{1,64}", text.strip().lower())
    number = int(text, base) if fits else 1 << bits
    if number >= 1 << bits:
        raise click.BadParameter(f"'{text}': expected {expected}")
    return number


class NameList(click.ParamType[Any]):
    """Names with commas between them, which `read` takes apart. A configuration file may also write
    them as a list.
    """

    name = "text"

    def __init__(
        self,
        read: Callable[[str], tuple[str, ...]],
        candidates: Callable[[str], Iterable[str]] = lambda begin: (),
    ) -> None:
        self._read = read
        self._candidates = candidates

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the names. Raises BadParameter, and for targets InputError and TargetError."""
        return self._read(value)

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem[str]]:
        """Candidates for the last name."""
        return last_of(self._candidates, incomplete)


class Text(click.ParamType[Any]):
    """A text that names nothing to read, write, run or install. A parameter without a type may be the
    name of anything. A shell offers `candidates`.
    """

    name = "text"

    def __init__(self, candidates: Callable[[str], Iterable[str]] = lambda begin: ()) -> None:
        self._candidates = candidates

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the text unchanged."""
        return value

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem[str]]:
        """The candidates that begin so."""
        return plain(self._candidates(incomplete), incomplete)


class Guarded(click.Option):
    """An option that only the user may give, and not the file of a project, because it names or does
    something that a stranger must not choose. An option whose type is a file, a folder or a target
    need not say so.
    """


# The types whose values name nothing to read, write, run or install.
_HARMLESS = (
    click.types.BoolParamType,
    click.types.IntParamType,
    click.types.FloatParamType,
    click.types.FuncParamType,  # the readers of numbers, times, sizes, seeds and operators
    click.Choice,
    click.DateTime,
    NameList,
    Text,
)


def inner_type(param: click.Parameter) -> click.ParamType[Any]:
    """The type of the values of a parameter, also where `refuse_empty` put another one around it."""
    return param.type.inner if isinstance(param.type, _Named) else param.type


def takes_targets(param: click.Parameter) -> bool:
    """Whether the values of a parameter are names of targets."""
    return isinstance(inner_type(param), Target | Targets)


def for_everybody(option: click.Option) -> bool:
    """Whether the file of a project, which may be a stranger's, may give the option. One whose type
    says nothing about that is for the user alone.
    """
    return (
        not isinstance(option, Guarded)
        and not isinstance(option.type, _Named)
        and not takes_targets(option)
        and (option.is_flag or isinstance(option.type, _HARMLESS))
    )


def names(
    known: Iterable[str] = (), candidates: Callable[[str], Iterable[str]] | None = None
) -> NameList:
    """The type of names with commas between them. A name that is not among `known` is an error, if
    `known` is given. A shell offers `candidates`, by default those that are known.
    """
    listed = tuple(known)

    def read(text: str) -> tuple[str, ...]:
        found = tuple(name.strip() for name in text.split(",")) if text else ()
        for name in found:
            if not name:
                raise click.BadParameter(f"'{text}': expected names with commas between them")
            if listed and name not in listed:
                raise click.BadParameter(
                    f"unknown name '{name}'{nearest(name, listed)}; known are {', '.join(listed)}"
                )
        return found

    return NameList(read, candidates or (lambda begin: listed))


class Target(click.ParamType[Any]):
    """The name of a target, in which `latest` is the newest release there is."""

    name = "text"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the name of the target, with `latest` replaced by the newest release."""
        from murxpy.processes.targets import settled

        completing = ctx is not None and ctx.resilient_parsing
        return value if completing else settled(value)

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem[str]]:
        """The solvers and releases that begin so."""
        return plain(targets(incomplete), incomplete)


class Targets(NameList):
    """Names of targets with commas between them."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the names, with `latest` replaced by the newest release."""
        completing = ctx is not None and ctx.resilient_parsing
        return value if completing else super().convert(value, param, ctx)


def _judge_names(text: str) -> tuple[str, ...]:
    from murxpy.processes.targets import settled, split_names

    found = split_names(text) if text else []
    if not all(found):
        raise click.BadParameter(f"'{text}': expected names with commas between them")
    return tuple(name if name == NONE else settled(name) for name in found)


judge_names = Targets(_judge_names, targets)


class Existing(click.ParamType[Any]):
    """A file or folder that must exist. A missing file is reported before all other errors. With
    `text` the value is its name, else its path.
    """

    name = "path"

    def __init__(self, missing: str = "", *, text: bool = False) -> None:
        self._missing = missing
        self._text = text

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the path or the name. Raises InputError if nothing exists there, and BadParameter if
        the text is empty.
        """
        if value == "":
            self.fail("expected a path or a name, found an empty text", param, ctx)
        if not os.path.lexists(value):
            raise (
                InputError(self._missing.format(value))
                if self._missing
                else InputError("there is no such file", file=str(value))
            )
        return str(value) if self._text else Path(value)

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem[str]]:
        """Let the shell complete the path."""
        return files(incomplete)


_NO_KEY = re.compile(r"[/\\]|\.(?:trace|history|smt2|murxla|txt|yaml|json|py)$")
_OUT = "murxpy.out"  # the folder of the campaign, among what the commands of one call share


class FileOrBucket(Existing):
    """A file or folder that must exist, or the beginning of the key of a bucket in the folder --out.

    For a bucket the value is the file that shows its finding: the smaller trace, or with `whole` the
    trace as it was found. With `folder` it is the bucket's folder.
    """

    def __init__(self, *, whole: bool = False, folder: bool = False) -> None:
        super().__init__()
        self._whole, self._folder = whole, folder

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the path of the file, or of the trace or folder of the bucket that the text names.
        Raises InputError if there is neither.
        """
        from murxpy.findings.bucket_names import bucket_named, is_bucket, kept_trace

        if value and not os.path.lexists(value) and not _NO_KEY.search(value):
            path = bucket_named(value, ctx.meta.get(_OUT, Path(OUT)) if ctx else Path(OUT))
        else:
            path = super().convert(value, param, ctx)
        return (
            path
            if self._folder or not is_bucket(path)
            else kept_trace(path, smaller=not self._whole)
        )

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem[str]]:
        """The buckets of the campaign that begin so; a path if there are none."""
        found: list[CompletionItem[str]] = []
        with contextlib.suppress(InputError):  # there is no campaign
            found = plain(buckets(Path(ctx.meta.get(_OUT, OUT))), incomplete)
        return found or files(incomplete)


def _note_out(ctx: click.Context, param: click.Parameter, value: Path) -> None:
    ctx.meta[_OUT] = value


# The option is read before all arguments.
in_out_option = click.option(
    "--out",
    type=click.Path(path_type=Path),
    default=OUT,
    show_default=True,
    metavar="DIR",
    is_eager=True,
    expose_value=False,
    callback=_note_out,
    help="Folder of the campaign whose bucket is named by the beginning of its key.",
)


def _in_out(ctx: click.Context, param: click.Parameter, value: Path | None) -> Path:
    return value or Path(ctx.meta.get(_OUT, OUT))


# The folder of a campaign, or one bucket of it.
out_or_bucket_argument = click.argument(
    "source",
    metavar="[OUT|BUCKET]",
    type=FileOrBucket(folder=True),
    required=False,
    callback=_in_out,
)


class NamedFile(click.ParamType[Any]):
    """The name of something that murxpy ships, or a YAML file of the user. A missing file is reported
    before all other errors.
    """

    name = "text"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the text unchanged. Raises InputError if the text names a YAML file that does not
        exist.
        """
        if is_file_name(value) and not os.path.lexists(value):
            raise InputError("there is no such file", file=value)
        return value

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem[str]]:
        """Let the shell complete a path."""
        return files(incomplete)


def is_file_name(text: str) -> bool:
    """Whether a text that may name something that murxpy ships is the path of a file."""
    return Path(text).suffix in (".yaml", ".yml") or os.sep in text


MISSING_SEEDS = (
    "no such file or folder: {}; expected seeds, SMT-LIB scripts, traces or folders of them"
)


class _Named(click.ParamType[Any]):
    """Values of the type `inner` except the empty text, which as a path means the current folder.
    Whatever the user names with such a parameter may be used: with `targets` the solvers in the text,
    else the YAML file.
    """

    def __init__(self, inner: click.ParamType[Any], *, targets: bool) -> None:
        self.inner = inner
        self._targets = targets
        self.name = inner.name

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if value == "" and (param is None or param.default != ""):
            self.fail("expected a path or a name, found an empty text", param, ctx)
        if self._targets and isinstance(value, str):
            from murxpy.processes.targets import grant_target, split_names

            for name in split_names(value):
                with contextlib.suppress(InputError):  # the reader of the option says what is wrong
                    grant_target(name)
        if isinstance(self.inner, NamedFile) and isinstance(value, str):
            grant_file(value)
        return self.inner.convert(value, param, ctx)

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem[str]]:
        """The candidates of the type; those of targets for a text that names some."""
        found = self.inner.shell_complete(ctx, param, incomplete)
        if self._targets and not found:
            found = plain(targets(incomplete), incomplete)
        return found or files(incomplete)


def refuse_empty(command: click.Command) -> None:
    """Have a command refuse an empty text wherever it takes a path or a target, grant what is named
    there, and report a missing file before anything else.
    """
    for inner in command.commands.values() if isinstance(command, click.Group) else ():
        refuse_empty(inner)
    for param in command.params:
        named = re.search("FILE|DIR|SEEDS|SOLVER", param.metavar or "") or isinstance(
            param.type, click.Path
        )
        option = named and isinstance(param, click.Option)
        # SEEDS... are read in their place, behind the solver.
        single = isinstance(param.type, Existing | NamedFile) and param.nargs == 1
        param.is_eager = param.is_eager or bool(option or single)
        if named and not isinstance(param.type, _Named):
            param.type = _Named(param.type, targets="SOLVER" in (param.metavar or ""))


# ----------------------------------------------------------------------
# The words with which a command that keeps its work ends when a signal stops it.


@contextmanager
def goes_on(out: Path | None) -> Iterator[None]:
    """Inside this context, an interruption says whether the work is kept, and in which folder `out`."""
    try:
        yield
    except KeyboardInterrupt as error:
        error.add_note(
            "nothing is kept: --out keeps the work in a folder"
            if out is None
            else f"its work is kept in {out}, where the same command goes on"
        )
        raise
