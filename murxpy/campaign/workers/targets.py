"""Targets: the solver to load, the interpreter to load it in, and the folder to load it from. The
user names a target as `z3`, `z3@RELEASE`, `z3@ENVIRONMENT` or `z3@BUILD-FOLDER`.
"""

from __future__ import annotations

import os
import site
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from murxpy.campaign.workers.names import NAMING, TargetName, parse_target, releases_of, usable
from murxpy.errors import TargetError
from murxpy.releases.environments import Notice, found, package_of, print_notice, provide
from murxpy.releases.versions import chosen

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

    def environment(self) -> dict[str, str]:
        """The environment variables of the target's processes."""
        variables = {**os.environ, **dict(self.variables)}
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
    """A target, and the plain data from which its session is made."""

    target: TargetSpec
    setup: Mapping[str, Any] = field(default_factory=dict)


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
    if named.release:
        return _release(name, named, wrapper, notice)
    if not named.place:
        user = [site.getusersitepackages()] if site.ENABLE_USER_SITE else []
        return TargetSpec(
            name, named.solver, sys.executable, tuple(path for path in user if os.path.isdir(path))
        )
    folder = Path(named.place).expanduser().absolute()
    if not folder.is_dir():
        raise TargetError(
            f"target '{name}': there is no folder {folder}; give an environment, a build folder, or a release"
        )
    interpreter = folder / "bin" / "python"
    if interpreter.exists():
        return TargetSpec(name, named.solver, str(interpreter), root=str(folder))
    return _build(name, named.solver, folder, wrapper.get("module") or named.solver)


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
