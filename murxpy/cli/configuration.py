"""Configuration files and variables of the environment: which are read, which value holds where several
give one, and where it is written. A file has a table for each command, with the long names of its options as keys. The file of
a project may be a stranger's, so it gives only options that `params.for_everybody` lets it give.
"""

from __future__ import annotations

import contextlib
import os
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

import click

from murxpy.cli.params import (
    NONE,
    Existing,
    NamedFile,
    NameList,
    for_everybody,
    inner_type,
    is_file_name,
    takes_targets,
)
from murxpy.errors import InputError, MurxpyError, nearest
from murxpy.foreign import excerpt, read_text

FILE = "murxpy.toml"
PYPROJECT = "pyproject.toml"
TRUST = "--trust-config"
# Where options come from besides the command line; the first one wins.
ENVIRONMENT, NAMED, PROJECT, USER = "environment", "--config", "project", "user"
# Options that may also stand above all tables, for every command that has them. They take the same
# values in all commands and mean the same there. So --cross-check, --seed and --wall are not among
# them: for a replay they mean something else than for a campaign.
SHARED = (
    *("allow", "check-limit", "jobs", "json", "judge-limit", "known", "memory", "profile"),
    *("share", "theory", "wrapper"),
)
PLUGINS = "plugin"  # the plug-ins that are used, above all tables
_TABLE = ("tool", "murxpy")  # the table in pyproject.toml
_ROOTS = (".git", ".hg", ".svn")  # what marks the root of a project
_MOST = 1 << 18  # bytes of a file
_TRUTHS = {"1": True, "true": True, "yes": True, "0": False, "false": False, "no": False}
_LARGE = 1e300  # no option takes a number as large, and Python does not print some that are larger
_TRIES = 200  # lines of a statement that are looked at to find its end

Key = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Source:
    """A configuration file that was read, or the environment. `origin` says which; with `trusted` it may
    give all options.
    """

    path: Path
    origin: str
    trusted: bool
    table: Mapping[str, Any]
    lines: Mapping[Key, int]

    def error(self, key: Key, message: str) -> InputError:
        """The error about what stands under a key."""
        file = variable(key) if self.origin == ENVIRONMENT else str(self.path)
        return InputError(message, file=file, line=self.lines.get(key))


@dataclass(frozen=True, slots=True)
class Given:
    """A value that a file or the environment gives to an option of the command at `path`. `value` is as
    click takes it; with `shared` it stands above all tables of its file. `hides` has the values of the
    same option that it goes before.
    """

    path: Key
    option: click.Option
    value: Any
    source: Source
    line: int | None
    shared: bool
    hides: list[Given] = field(default_factory=list)

    def quoted_in(self, message: str) -> bool:
        """Whether an error quotes the value, or one of several values, as a word of its own."""
        several = isinstance(self.value, (list, tuple))
        return any(
            re.search(rf"(?<![\w/.-]){re.escape(str(word))}(?![\w/-])", message)
            for one in (self.value if several else [self.value])
            for word in (str(one).split(",") if isinstance(one, str) else [])
            if word.strip()
        )


def user_file() -> Path | None:
    """The configuration file of the user, which may not exist; None for a user without a home. It is
    trusted, so it is never looked for in the current folder.
    """
    base = os.environ.get("XDG_CONFIG_HOME", "")
    if not os.path.isabs(base):
        base = os.path.expanduser("~/.config")
    return Path(base, "murxpy", "config.toml") if os.path.isabs(base) else None


def read_sources(named: Path | None, *, trust: bool) -> list[Source]:
    """The configuration files there are, the one first that goes before the others: the file that the
    user names, that of the project, and the user's own. With `trust` that of the project may give all
    options. Raises InputError.
    """
    found = [] if named is None else [_source(named, NAMED, True, _decoded(named))]
    with contextlib.suppress(FileNotFoundError):  # the current folder was removed
        project = _project_file(Path.cwd())
        if project is not None:
            found.append(_source(project[0], PROJECT, trust, project[1]))
    own = user_file()
    if own is not None and os.path.isfile(own):
        found.append(_source(own, USER, True, _decoded(own)))
    return found


def environment(name: str, command: click.Command) -> Source:
    """What variables of the environment give to a command and to the commands in it: as in a file, the
    table of the command. Raises InputError for a variable that begins like those of the command and is
    none of them.
    """
    found: dict[str, Any] = {}
    beginning = variable((name, ""))
    ours = [given for given in os.environ if given.startswith(beginning)]
    known = {
        variable((*path, key)): (path, key, option)
        for path, key, option in (each_option((name,), command) if ours else ())
    }
    for given in ours:
        if given not in known:
            raise InputError(
                f"no option of 'murxpy {name}' has a variable of this name{nearest(given, known)}",
                file=excerpt(given),
            )
        path, key, option = known[given]
        table = found
        for word in path:
            table = table.setdefault(word, {})
        table[key] = _of_text(option, os.environ[given])
    return Source(Path(ENVIRONMENT), ENVIRONMENT, True, found, {})


def variable(key: Key) -> str:
    """The variable of the environment for an option, by the path of its command and its long name."""
    return "_".join(("murxpy", *key)).upper().replace("-", "_")


def each_option(path: Key, command: click.Command) -> Iterator[tuple[Key, str, click.Option]]:
    """The options of a command and of those in it, with the path of the command and their long names."""
    for key, option in options_of(command).items():
        yield path, key, option
    for name, inner in command.commands.items() if isinstance(command, click.Group) else ():
        yield from each_option((*path, name), inner)


def _of_text(option: click.Option, text: str) -> Any:
    """The text of a variable as a file would have it. A text that is no number or truth where there must
    be one stays a text, about which the reader of values complains.
    """
    kind = inner_type(option)
    if option.is_flag:
        return _TRUTHS.get(text.strip().lower(), text)
    if option.multiple:
        return text.split()
    with contextlib.suppress(ValueError):
        if isinstance(kind, click.types.IntParamType):
            return int(text)
        if isinstance(kind, click.types.FloatParamType):
            return int(text) if text.isdecimal() else float(text)
    return text


def _source(path: Path, origin: str, trusted: bool, document: Mapping[str, Any]) -> Source:
    place = _TABLE if path.name == PYPROJECT else ()
    table = document
    for word in place:
        table = table.get(word, {}) if isinstance(table, Mapping) else {}
    lines = _lines(_text(path))
    source = Source(
        path,
        origin,
        trusted,
        table,
        {k[len(place) :]: n for k, n in lines.items() if k[: len(place)] == place},
    )
    if not isinstance(table, Mapping):
        raise source.error((), f"expected a table [{'.'.join(_TABLE)}], found {_kind(table)}")
    return source


def _project_file(folder: Path) -> tuple[Path, Mapping[str, Any]] | None:
    """The configuration file of the project around a folder, with what stands in it. The search ends at
    the root of the project.
    """
    for place in (folder, *folder.parents):
        path = place / FILE
        if os.path.lexists(path):
            return path, _decoded(path)
        path = place / PYPROJECT
        if _is_ours(path):
            return path, _decoded(path)
        if any(os.path.exists(place / mark) for mark in _ROOTS):
            break
    return None


def _is_ours(pyproject: Path) -> bool:
    """Whether a pyproject.toml has a table for murxpy. One without is not our business, and may be
    unreadable; one that is no TOML is told if it may have the table.
    """
    try:
        if not os.path.isfile(pyproject) or _TABLE[1] not in _text(pyproject):
            return False
    except InputError:
        return False
    tool = _decoded(pyproject).get(_TABLE[0])
    return isinstance(tool, Mapping) and _TABLE[1] in tool


def _text(path: Path) -> str:
    return read_text(path, "configuration", _MOST)


def _decoded(path: Path) -> Mapping[str, Any]:
    text = _text(path)
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        what, _, place = str(error).rpartition(" (at ")
        line, column = [*re.findall(r"\d+", place), "", ""][:2]
        raise InputError(
            f"no TOML: {what or error}",
            file=str(path),
            line=int(line)
            if line
            else text.rstrip("\n").count("\n") + 1,  # the end of the document
            column=int(column) if column else None,
        ) from None
    except ValueError as error:  # a number of more digits than Python reads
        raise InputError(f"no TOML: {error}", file=str(path)) from None
    except RecursionError:
        raise InputError("too deeply nested: expected tables of options", file=str(path)) from None


def _lines(text: str) -> dict[Key, int]:
    """The line on which each key of a document in TOML stands. The document is taken apart into its
    statements: the fewest lines that are TOML by themselves. A statement of very many lines, which no
    option has, ends the search.
    """
    found: dict[Key, int] = {}
    table: Key = ()
    statement, began = "", 0
    for number, line in enumerate(text.split("\n"), 1):
        if not statement:
            began = number
        elif number - began > _TRIES:
            break
        statement += line + "\n"
        try:
            read = tomllib.loads(statement)
        except tomllib.TOMLDecodeError:
            continue
        header = statement.lstrip().startswith("[")
        keys = list(_keys(read))
        table = max(keys, key=len, default=table) if header else table
        for key in keys:
            found.setdefault(key if header else (*table, *key), began)
        statement = ""
    return found


def _keys(table: Any, before: Key = ()) -> Iterator[Key]:
    if isinstance(table, list):  # a table among several of one name
        table = next(iter(table), None)
    for name, value in table.items() if isinstance(table, dict) else ():
        yield (*before, name)
        yield from _keys(value, (*before, name))


# ----------------------------------------------------------------------
# Which values hold.


def plugins_of(sources: Sequence[Source], ctx: click.Context) -> tuple[Sequence[str], Given | None]:
    """The plug-ins that the user names: on the command line, else in the environment, else in the first
    file that names some, with what the file gives. Raises InputError.
    """
    option = options_of(ctx.command)[PLUGINS]
    given = [
        one
        for source in sources
        if PLUGINS in source.table
        for one in _given(source, (PLUGINS,), (PLUGINS,), option, source.table[PLUGINS])
    ]
    named: Sequence[str] = ctx.params[PLUGINS]
    if named or not given:
        return named, None
    return given[0].value, given[0]


def check_tables(sources: Sequence[Source], commands: Sequence[str]) -> None:
    """Raise InputError where a file has a key that is neither a command nor an option that commands
    share.
    """
    for source in sources:
        for key, value in source.table.items():
            table = isinstance(value, Mapping)
            if key in (commands if table else (*SHARED, PLUGINS)):
                continue
            if key in commands:
                raise source.error((key,), f"{key}: expected a table [{key}], found {_kind(value)}")
            what = f"table [{excerpt(key)}]" if table else f"key '{excerpt(key)}'"
            raise source.error(
                (key,),
                f"unknown {what}{nearest(key, commands if table else SHARED)}: expected the table of a command, such as "
                f"[fuzz], or one of {', '.join(SHARED)}",
            )


def holding(
    sources: Sequence[Source], name: str, command: click.Command
) -> dict[tuple[Key, str], Given]:
    """The values that hold for a command and for the commands in it, by the path of the command and the
    name of the parameter. All values that the files give to it are checked. Raises InputError.
    """
    found: dict[tuple[Key, str], Given] = {}
    for source in sources:
        for given in (
            *_own(source, (name,), command, _table(source, name)),
            *_shared(source, (name,), command),
        ):
            first = found.setdefault((given.path, given.option.name or ""), given)
            if first is not given:
                first.hides.append(given)
    return found


def _table(source: Source, name: str) -> Mapping[str, Any]:
    """The table of a command. An option that commands share may be called like a command."""
    table = source.table.get(name)
    return table if isinstance(table, Mapping) else {}


def default_map(found: Mapping[tuple[Key, str], Given]) -> dict[str, Any]:
    """These values in the form in which click takes them, a dictionary for each command."""
    tables: dict[str, Any] = {}
    for (path, name), given in found.items():
        table = tables
        for word in path:
            table = table.setdefault(word, {})
        table[name] = given.value
    return tables


def _own(
    source: Source, path: Key, command: click.Command, table: Mapping[str, Any]
) -> Iterator[Given]:
    """What the table of a command gives."""
    options = options_of(command)
    inner = command.commands if isinstance(command, click.Group) else {}
    for key, value in table.items():
        place = (*path, key)
        if key in inner:
            if not isinstance(value, Mapping):
                raise source.error(place, f"{key}: expected a table, found {_kind(value)}")
            yield from _own(source, place, inner[key], value)
        elif key in options:
            yield from _given(source, place, path, options[key], value)
        else:
            words = " ".join(path)
            raise source.error(
                place,
                f"unknown key '{excerpt(key)}'{nearest(key, (*options, *inner))}: expected the long name of an option "
                f"of 'murxpy {words}', see 'murxpy {words} --help'",
            )


def _shared(source: Source, path: Key, command: click.Command) -> Iterator[Given]:
    """What the keys above all tables give."""
    options = options_of(command)
    for key in SHARED:
        if key in options and not isinstance(source.table.get(key, {}), Mapping):
            yield from _given(source, (key,), path, options[key], source.table[key])
    for name, inner in command.commands.items() if isinstance(command, click.Group) else ():
        yield from _shared(source, (*path, name), inner)


def options_of(command: click.Command) -> dict[str, click.Option]:
    """The options of a command that a file can give, by their long names."""
    return {
        max(param.opts, key=len).removeprefix("--"): param
        for param in command.params
        if isinstance(param, click.Option)
    }


def _given(
    source: Source, key: Key, path: Key, option: click.Option, value: Any
) -> Iterator[Given]:
    name = key[-1]
    words = _words(option, value)
    if words is None:
        raise source.error(key, f"{name}: expected {_expected(option)}, found {_kind(value)}")
    if not (source.trusted or for_everybody(option) or _only_solvers(option, words)):
        may = (
            "name only solvers here, no places" if takes_targets(option) else "not give this option"
        )
        raise source.error(
            key,
            f"{name}: the file of a project, which may be a stranger's, may {may}: give --{name} on the command "
            f"line, or 'murxpy {TRUST} ...' if you trust the project",
        )
    try:
        placed = _placed(option, words, source.path.absolute().parent)
        option.type_cast_value(click.Context(click.Command(path[-1])), placed)
    except click.BadParameter as error:
        raise source.error(key, f"{name}: {error.message.rstrip('.')}") from None
    except MurxpyError as error:
        raise source.error(key, f"{name}: {error}") from None
    if option.is_flag and not option.is_bool_flag:
        if not placed:  # the option is not given
            return
        placed = option.flag_value
    yield Given(path, option, placed, source, source.lines.get(key), len(key) == 1)


def _words(option: click.Option, value: Any) -> Any:
    """A value of a file as the command line would have it: a truth, a text, or a list of texts; None if
    its kind is wrong.
    """
    if option.is_flag:
        return value if isinstance(value, bool) else None
    if option.multiple:
        each = [_word(option, one) for one in (value if isinstance(value, list) else [value])]
        return None if None in each else each
    if isinstance(value, list) and isinstance(inner_type(option), NameList):
        named = all(isinstance(one, str) for one in value)
        return ",".join(value) if named else None
    return _word(option, value)


def _word(option: click.Option, value: Any) -> str | None:
    kind = inner_type(option)
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if number and not abs(value) < _LARGE:
        return None
    if isinstance(value, bool):
        return None
    if isinstance(kind, click.types.IntParamType):
        return str(value) if isinstance(value, int) else None
    if isinstance(kind, click.types.FloatParamType):
        return str(value) if isinstance(value, int | float) else None
    if isinstance(value, int | float) and isinstance(kind, click.types.FuncParamType):
        return str(value)  # a number of seconds, bytes or digits, as on the command line
    if isinstance(value, date) and isinstance(kind, click.DateTime):
        return value.isoformat()
    return value if isinstance(value, str) else None


def _expected(option: click.Option) -> str:
    kind = inner_type(option)
    if option.is_flag:
        return "true or false"
    if option.multiple or isinstance(kind, NameList):
        return "a text or a list of texts"
    if isinstance(kind, click.types.IntParamType):
        return "an integer"
    return "a number" if isinstance(kind, click.types.FloatParamType) else "a text"


def _kind(value: Any) -> str:
    """What a value of TOML is, in words."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return f"the number {value}" if abs(value) < _LARGE else "a number out of all ranges"
    for kind, words in ((str, "a text"), (list, "a list"), (dict, "a table")):
        if isinstance(value, kind):
            return words
    return "a date or time"


def _only_solvers(option: click.Option, words: Any) -> bool:
    """Whether targets are solvers of our own environment, which every file may name."""
    from murxpy.data import wrapper_names
    from murxpy.processes.targets import parse_target, split_names

    if not takes_targets(option):
        return False
    known = (NONE, *wrapper_names())
    with contextlib.suppress(InputError):
        names = [
            name
            for text in ([words] if isinstance(words, str) else words)
            for name in split_names(text)
        ]
        parts = [parse_target(name) for name in names]
        return all(one.solver in known and not (one.place or one.command) for one in parts)
    return False


def _placed(option: click.Option, words: Any, folder: Path) -> Any:
    """The value, with paths that are meant from the folder of the file."""
    if isinstance(words, list):
        return [_placed(option, word, folder) for word in words]
    if not isinstance(words, str) or words == "" or for_everybody(option):
        return words
    if takes_targets(option):
        from murxpy.processes.targets import absolute_target, split_names

        with contextlib.chdir(folder):
            return ",".join(absolute_target(name) for name in split_names(words))
    kind = inner_type(option)
    if isinstance(kind, NameList):
        return ",".join(_placed_file(name.strip(), folder) for name in words.split(","))
    if isinstance(kind, NamedFile):
        return _placed_file(words, folder)
    whole = isinstance(kind, click.Path | Existing)
    return str(folder / Path(words).expanduser()) if whole else words


def _placed_file(name: str, folder: Path) -> str:
    """A name that may be a file of the user."""
    return str(folder / Path(name).expanduser()) if is_file_name(name) else name
