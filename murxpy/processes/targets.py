"""Names of targets: `z3`, `z3@4.13.0`, `z3@envs/old`, `z3@latest[smt.arith.solver=2]`, and
`NAME:COMMAND` for a program.
"""

from __future__ import annotations

import contextlib
import functools
import os
import re
import shlex
import shutil
import site
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from shlex import quote
from typing import Any

from murxpy.data import load_wrapper, wrapper_names
from murxpy.errors import InputError, MurxpyError, TargetError
from murxpy.grants import grant, grant_file, is_granted, whole_path
from murxpy.processes.environments import Notice, found, package_of, print_notice, provide
from murxpy.processes.releases import LATEST, chosen, published, short, version
from murxpy.sources.setups import Setup
from murxpy.worker.process import COMMAND

NAMING = "--solver or --cross-check"  # the options that name targets in most commands
_OPTIONS = r"(\[(?P<options>[^\[\]]*)\])?"
_NAME = re.compile(rf"(?P<solver>[^@\[]+)(@(?P<place>.*?))?{_OPTIONS}", re.DOTALL)
# the command is all behind the colon, except for the options at the end
_COMMAND = re.compile(rf"(?P<solver>[\w.+-]+):(?P<command>.+?){_OPTIONS}", re.DOTALL)


@dataclass(frozen=True, slots=True)
class TargetName:
    """The parts of a target's name: the solver, the place that it is loaded from (empty for our own
    environment), options that hold in every run, and the command line of a solver that is a program
    of the user.
    """

    solver: str
    place: str = ""
    options: tuple[tuple[str, str], ...] = ()
    command: str = ""

    def __str__(self) -> str:
        at = f"@{self.place}" if self.place else f":{self.command}" if self.command else ""
        options = ",".join(f"{name}={value}" for name, value in self.options)
        return f"{self.solver}{at}" + (f"[{options}]" if options else "")

    @property
    def release(self) -> str:
        """The release that the place names, and empty where the place is a path. A name that looks
        like a release is one, also beside a folder of that name, which may come from somebody else:
        `./4.13.0` names the folder.
        """
        with contextlib.suppress(TargetError):
            if self.place == LATEST or version(self.place):
                return self.place
        path = os.sep in self.place or (self.place and Path(self.place).exists())
        return "" if path else self.place


def parse_target(text: str) -> TargetName:
    """Take the name of a target apart. Raises InputError."""
    command = _COMMAND.fullmatch(text)
    found = command or _NAME.fullmatch(text)
    if found is None or (command is None and found["place"] == ""):
        raise InputError(
            f"'{text[:80]}' names no target: expected SOLVER, SOLVER@RELEASE or SOLVER@FOLDER, and behind it "
            "options as in [arith.solver=2,random_seed=7] where you want some"
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
    if command is not None:
        return TargetName(command["solver"], "", tuple(options), command["command"].strip())
    return TargetName(found["solver"], found["place"] or "", tuple(options))


def split_names(text: str) -> list[str]:
    """The names in a list with commas between them. Commas in brackets belong to a name."""
    return [name.strip() for name in re.split(r",(?![^\[\]]*\])", text)]


def solver_of(text: str) -> str:
    """The solver with which the name of a target begins."""
    command = _COMMAND.fullmatch(text)
    return command["solver"] if command else re.split(r"[@\[]", text, maxsplit=1)[0]


def absolute_target(text: str) -> str:
    """The name of a target in a form that means the same in any folder."""
    name = parse_target(text)
    wrapper = Path(name.solver).expanduser()
    solver = str(wrapper.absolute()) if wrapper.is_file() else name.solver
    place = name.place
    if place and not name.release:
        place = str(Path(place).expanduser().absolute())
    return str(TargetName(solver, place, name.options, _absolute_command(name.command)))


def _absolute_command(command: str) -> str:
    """A command line with the absolute path of its program, if there is such a program."""
    words = _words(command)
    program = words and shutil.which(Path(words[0]).expanduser())
    return shlex.join([os.path.abspath(program), *words[1:]]) if program else command


def _words(command: str) -> list[str]:
    try:
        return shlex.split(command)
    except ValueError as error:
        raise InputError(
            f"'{command[:80]}' is no command line: {str(error).lower()}; expected the words of a shell"
        ) from None


def grant_target(text: str) -> None:
    """Let a target that the user names be used: its program or folder, its release, which may be
    installed, and the file of its wrapper. Raises InputError.
    """
    name = parse_target(text)
    grant(_place(name))
    if Path(name.solver).is_file():  # a wrapper
        grant_file(name.solver)


def unnamed(text: str, wrapper: Mapping[str, Any] | None = None) -> bool:
    """Whether the target called `text` may not be used, because only a file names it: its place is no
    release of the cache, and the user did not name it. The solver of our own environment may always be
    used. `wrapper` is as for `settled`. Raises InputError for a name that is none.
    """
    name = parse_target(text)
    if not (name.place or name.command) or is_granted(_place(name)):
        return False
    if not name.release or name.release == LATEST:
        return True
    try:
        package = package_of(wrapper or load_wrapper(name.solver))
        return found(package, name.release) is None
    except MurxpyError:
        return True


def usable(
    names: Sequence[str],
    option: str,
    wrapper: Mapping[str, Any] | None = None,
    *,
    file: str | None = None,
) -> tuple[str, ...]:
    """The names of targets, where all may be used. Raises InputError, with the `option` that the user
    can give, where only a file names one; `file` is that file, where it is known.
    """
    foreign = [name for name in names if unnamed(name, wrapper)]
    if foreign:
        raise InputError(
            f"{' and '.join(foreign)} is named here and not on the command line, and so is neither run nor "
            f"installed: give {option} {quote(','.join(names))} to use it",
            file=file,
        )
    return tuple(names)


def same_targets(first: Iterable[str], second: Iterable[str]) -> bool:
    """Whether these are names of the same targets, in any order and form."""
    return {*map(absolute_target, first)} == {*map(absolute_target, second)}


def _place(name: TargetName) -> str:
    """The place of a target for `grant`, in a form that means the same in any folder."""
    place = name.place
    if place and not name.release:
        place = whole_path(place)
    elif place and place != LATEST:
        with contextlib.suppress(TargetError):  # no release: whoever uses it says so
            place = short(place)
    return str(TargetName(name.solver, place, command=_absolute_command(name.command)))


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
    if (
        name.command
        or not release
        or (release == LATEST and wrapper is None and name.solver not in wrapper_names())
    ):
        return text
    if release == LATEST:
        usable([text], NAMING, wrapper)  # it asks the package index
        package = package_of(wrapper or load_wrapper(name.solver)).name
        release = chosen(LATEST, releases_of(package), package)
        grant(_place(TargetName(name.solver, release)))
    return str(TargetName(name.solver, short(release), name.options))


# ----------------------------------------------------------------------
# Targets: the solver to load, the interpreter to load it in, and the folder to load it from.
# The user names a target as `z3`, `z3@RELEASE`, `z3@ENVIRONMENT` or `z3@BUILD-FOLDER`.


NO_WRAPPER: Mapping[str, Any] = {}
_PYTHON = f"python{sys.version_info.major}.{sys.version_info.minor}"

# Where builds and installations keep the Python package and the libraries that it loads.
_PACKAGE_FOLDERS = (
    "python",
    "src/api/python",
    "build/python",
    "build/src/api/python",
    ".",
    f"lib/{_PYTHON}/site-packages",
    f"lib/{_PYTHON}/dist-packages",
    f"local/lib/{_PYTHON}/dist-packages",
)
_LIBRARY_FOLDERS = (
    "",
    "lib",
    "src",
    "src/parser",
    "build",
    "build/src",
    "build/src/parser",
    "lib64",
)


@dataclass(frozen=True, slots=True)
class TargetSpec:
    """The place where a solver is loaded from.

    `paths` come first in the search for modules, `libraries` first in the search for shared
    libraries. The solver's module must lie under the folder `root`; None allows any place. `bare`
    says that the interpreter is ours, but that none of the packages installed for it may be
    imported. `library_variables` are the environment variables by which the binding finds its
    library; `variables` are further ones, with their values.
    """

    name: str
    family: str
    interpreter: str
    paths: tuple[str, ...] = ()
    libraries: tuple[str, ...] = ()
    root: str | None = None
    bare: bool = False
    library_variables: tuple[str, ...] = ()
    variables: tuple[tuple[str, str], ...] = ()

    @property
    def program(self) -> str:
        """The command line of a solver that is a program of the user, which worker processes start;
        empty for any other solver.
        """
        return dict(self.variables).get(COMMAND, "")

    def environment(self) -> dict[str, str]:
        """The environment variables of the target's processes."""
        variables = {key: text for key, text in os.environ.items() if key != COMMAND}
        variables |= dict(self.variables)
        if self.libraries:
            for name in ("LD_LIBRARY_PATH", *self.library_variables):
                variables[name] = os.pathsep.join(
                    [*self.libraries, *filter(None, [variables.get(name)])]
                )
        if self.bare:  # a developer's build may contain sanitizers
            variables.setdefault("ASAN_OPTIONS", "detect_leaks=0:abort_on_error=1")
            variables.setdefault(
                "UBSAN_OPTIONS", "halt_on_error=1:abort_on_error=1:print_stacktrace=1"
            )
        return variables

    def check_module(self, file: str | None) -> None:
        """Raise TargetError unless `file`, from which the solver's module was loaded, lies under
        the target.
        """
        if self.root is None:
            return
        root = os.path.realpath(self.root)
        if file is None or os.path.commonpath([root, os.path.realpath(file)]) != root:
            raise TargetError(
                f"target '{self.name}': the module loaded is {file}, which is not under {root}; install "
                f"the solver there, or name the folder where it is"
            )


@dataclass(frozen=True, slots=True)
class Plan:
    """A target, the plain data from which its session is made, and what the user is told of that."""

    target: TargetSpec
    setup: Setup = field(default_factory=Setup)
    notes: tuple[str, ...] = ()


def version_of(about: Mapping[str, Any]) -> str:
    """The solver's version in a session's description."""
    return str(about.get("version", ""))


def resolve(
    name: str, wrapper: Mapping[str, Any] = NO_WRAPPER, notice: Notice = print_notice
) -> TargetSpec:
    """The target that the user calls `name`. `wrapper` is the decoded wrapper of its solver. A
    release that is not in the cache is installed, and `notice` is told of that.

    Raises InputError for a name that is none, and for one that only a file names. Raises TargetError
    when the place behind `@` holds neither an environment nor a build, and for a release that cannot
    be installed or loaded.
    """
    (usable_name,) = usable([name], NAMING, wrapper)
    named = parse_target(usable_name)
    if bool(named.command) != bool(wrapper.get("command")):
        raise InputError(_wanted_command(named))
    if named.release:
        return _release(name, named, wrapper, notice)
    if not named.place:
        user = [site.getusersitepackages()] if site.ENABLE_USER_SITE else []
        paths = tuple(path for path in user if os.path.isdir(path))
        program = ((COMMAND, _program(named)),) if named.command else ()
        return TargetSpec(name, named.solver, sys.executable, paths, variables=program)
    folder = Path(named.place).expanduser().absolute()
    if not folder.is_dir():
        raise TargetError(
            f"target '{name}': there is no folder {folder}; give an environment, a build folder, or a release"
        )
    interpreter = folder / "bin" / "python"
    if interpreter.exists():
        return TargetSpec(name, named.solver, str(interpreter), root=str(folder))
    return _build(name, named.solver, folder, wrapper.get("module") or named.solver)


def _wanted_command(named: TargetName) -> str:
    if named.command:
        return (
            f"'{named}' names a program, but {named.solver} is no solver that a program can be: expected "
            f"{named.solver}, {named.solver}@RELEASE or {named.solver}@FOLDER"
        )
    return (
        f"{named.solver} is a program that you name on the command line: give {NAMING} "
        f"'{named.solver}:COMMAND', such as '{named.solver}:/usr/bin/solver --incremental'"
    )


def _program(named: TargetName) -> str:
    """The command line of a target that is a program. Raises TargetError if there is no such program."""
    command = _absolute_command(named.command)
    program = _words(command)[0]
    if not shutil.which(program):
        raise TargetError(
            f"target '{named}': there is no program '{program[:200]}'; name one by its path"
        )
    return command


def _release(
    name: str, named: TargetName, wrapper: Mapping[str, Any], notice: Notice
) -> TargetSpec:
    package = package_of(wrapper)
    environment = found(package, named.release)
    if environment is None:
        release = chosen(named.release, releases_of(package.name), package.name)
        if not package.usable([release]):
            notice(f"the wrapper of {named.solver} is written for releases {package.taken}")
        environment = provide(package, release, notice)
    if environment.fault:
        raise TargetError(
            f"target '{name}': {package.name} {environment.release} is installed in {environment.folder}, but "
            f"cannot be loaded: {environment.fault}"
        )
    interpreter = Path(environment.folder, "bin", "python")
    return TargetSpec(name, named.solver, str(interpreter), root=environment.folder)


def _build(name: str, family: str, folder: Path, module: str) -> TargetSpec:
    for candidate in (folder / place for place in _PACKAGE_FOLDERS):
        if (
            (candidate / module).is_dir()
            or any(candidate.glob(f"{module}.*"))
            or any(candidate.glob(f"{module}_*.so"))
        ):
            libraries = tuple(
                str(folder / place) for place in _LIBRARY_FOLDERS if (folder / place).is_dir()
            )
            return TargetSpec(
                name, family, sys.executable, (str(candidate),), libraries, str(folder), bare=True
            )
    raise TargetError(
        f"target '{name}': {folder} has neither bin/python (an environment) nor the Python package "
        f"'{module}' (a build, in one of {', '.join(_PACKAGE_FOLDERS[:4])}); build the solver's Python "
        "bindings"
    )
