"""The cache of environments: one for each release that was used, complete or absent, shared by all
processes of the user.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import shutil
import subprocess
import sys
import sysconfig
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from packaging.specifiers import SpecifierSet
from packaging.version import Version

from murxpy.errors import TargetError
from murxpy.processes.releases import WHEELS, complaint, short, uv

FOLDER = "MURXPY_RELEASES"  # the variable that names another folder for the cache
_RECORD = "release.json"
_PART = ".part"  # how the name of an environment ends that is not complete
_LOADING = 120  # seconds that a solver may take to be loaded
Notice = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Package:
    """The wrapper's facts about the solver's package: its name, its module, and further packages that
    releases need, by spans of releases such as `<4.8.15`. `taken` is the span of releases that it is
    written for, and `imports` the source by which the wrapper imports the module.
    """

    name: str
    module: str
    needs: Mapping[str, Sequence[str]]
    taken: str = ""
    imports: str = ""

    def usable(self, releases: Sequence[str]) -> list[str]:
        """Return those of `releases` that the wrapper is written for, oldest first."""
        return sorted(SpecifierSet(self.taken).filter(releases), key=Version)

    def requirements(self, release: str) -> list[str]:
        """Return the packages to install for `release`, as pip and uv read them."""
        more = [
            need
            for span, needs in self.needs.items()
            if SpecifierSet(span).contains(release)
            for need in needs
        ]
        return [f"{self.name}=={short(release)}", *more]


@dataclass(frozen=True, slots=True)
class Environment:
    """An environment with one release. `fault`: what happened when the solver was loaded, empty
    when it could be. `size` is in bytes, `made` in seconds since 1970. `requirements` are what was
    installed, as pip and uv read it.
    """

    package: str
    release: str
    folder: str
    size: int
    made: float
    fault: str = ""
    requirements: Sequence[str] = ()


def print_notice(text: str) -> None:
    """Tell the user on standard error."""
    print(text, file=sys.stderr, flush=True)


def package_of(wrapper: Mapping[str, Any]) -> Package:
    """The package of the solver of a decoded wrapper. Raises TargetError if the wrapper names no
    package.
    """
    name = wrapper.get("package")
    if not name:
        raise TargetError(
            f"the wrapper of {wrapper.get('solver', 'the solver')} names no package, so that no release can be "
            "installed; name an environment or a build folder"
        )
    needs, taken = wrapper.get("release-needs") or {}, wrapper.get("releases") or ""
    return Package(name, wrapper["module"], needs, taken, wrapper.get("imports") or "")


def cache_folder() -> Path:
    """The folder of the cache, which may not exist yet."""
    given = os.environ.get(FOLDER)
    if given:
        return Path(given).expanduser().absolute()
    return user_cache() / "releases"


def user_cache() -> Path:
    """The folder for what murxpy keeps for its user and can make again; it may not exist yet."""
    base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(base).expanduser().absolute() / "murxpy"


def found(package: Package, release: str) -> Environment | None:
    """The environment of `release` where it is in the cache, with what `package` needs beside it
    today.
    """
    there = _read(cache_folder() / _name(package.name, release))
    fits = there is not None and list(there.requirements) == package.requirements(release)
    return there if fits else None


def cached(package: str) -> list[Environment]:
    """The environments of `package` for this Python that are in the cache, newest release first."""
    ends = f"-{_suffix()}"
    folder = cache_folder()
    names = sorted(os.listdir(folder)) if folder.is_dir() else []
    there = [
        _read(folder / name)
        for name in names
        if name.startswith(f"{package}-") and name.endswith(ends)
    ]
    return sorted(
        (one for one in there if one is not None and one.package == package),
        key=lambda one: Version(one.release),
        reverse=True,
    )


def provide(package: Package, release: str, notice: Notice) -> Environment:
    """The environment of `release`, which is made where it is not in the cache: by one process, while
    others that want it wait. The function `notice` is told which environment is made. Raises
    TargetError.
    """
    environment = found(package, release)
    if environment is not None:
        return environment
    folder = cache_folder() / _name(package.name, release)
    began = time.monotonic()
    try:
        with _locked(folder, notice) as lock:
            return found(package, release) or _make(package, release, folder, lock, notice)
    finally:
        _installing.append(time.monotonic() - began)


_installing: list[float] = []


def installing() -> float:
    """The seconds that this process has spent until now to install releases."""
    return sum(_installing)


def remove(environment: Environment) -> None:
    """Remove an environment. Raises TargetError."""
    folder = Path(environment.folder)
    with _locked(folder, lambda text: None):
        doomed = folder.with_name(f"{folder.name}{_PART}")
        try:
            _clear(doomed)
            folder.rename(doomed)  # from now on it is absent, whatever happens
            _clear(doomed)
        except OSError as error:
            raise TargetError(
                f"{error.filename or folder}: cannot be removed: {error.strerror}"
            ) from None


def prune() -> int:
    """Remove what unfinished installations left; gives how many bytes. Raises TargetError."""
    freed = 0
    for part in sorted(cache_folder().glob(f"*{_PART}")):
        with _locked(part.with_suffix(""), lambda text: None):
            freed += _size(part)
            _clear(part)
    return freed


def _name(package: str, release: str) -> str:
    return f"{package}-{short(release)}-{_suffix()}"


def _suffix() -> str:
    return f"{sys.implementation.cache_tag}-{sysconfig.get_platform()}"


def _read(folder: Path) -> Environment | None:
    try:
        data = json.loads((folder / _RECORD).read_text(encoding="utf-8"))
        return Environment(**{**data, "folder": str(folder)})
    except (OSError, ValueError, TypeError):
        return None


@contextlib.contextmanager
def _locked(folder: Path, notice: Notice) -> Iterator[int]:
    """Hold the lock of an environment; gives its descriptor, which a child that goes on after us
    must keep open.
    """
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        lock = os.open(folder.with_name(f".{folder.name}.lock"), os.O_RDWR | os.O_CREAT, 0o666)
    except OSError as error:
        raise TargetError(
            f"{folder.parent}: releases cannot be kept there: {error.strerror}"
        ) from None
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            notice(f"another process makes {folder}; waiting for it")
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield lock
    finally:
        os.close(lock)


def _make(package: Package, release: str, folder: Path, lock: int, notice: Notice) -> Environment:
    notice(f"installing {package.name} {release} in {folder}")
    part = folder.with_name(f"{folder.name}{_PART}")
    try:
        _clear(part)
        for command in _commands(part, package.requirements(release)):
            _do(command, lock, f"{package.name} {release} cannot be installed")
        made = Environment(
            package.name,
            short(release),
            str(folder),
            _size(part),
            time.time(),
            _fault(part, package),
            package.requirements(release),
        )
        record = {key: value for key, value in asdict(made).items() if key != "folder"}
        with open(part / _RECORD, "w", encoding="utf-8") as file:
            json.dump(record, file)
            file.flush()
            os.fsync(file.fileno())
        _clear(folder)  # one that lacks what is needed today
        part.rename(folder)
    except OSError as error:
        raise TargetError(
            f"{package.name} {release} cannot be installed in {folder}: {error.strerror}"
        ) from None
    finally:
        with contextlib.suppress(OSError):
            _clear(part)
    return made


def _commands(part: Path, requirements: Sequence[str]) -> list[list[str]]:
    """The commands that make an environment: by uv where it is installed, else by venv and pip."""
    tool = uv()
    if tool is not None:
        python = str(part / "bin" / "python")
        return [
            [tool, "venv", "--quiet", "--python", sys.executable, str(part)],
            [tool, "pip", "install", "--quiet", "--python", python, *WHEELS, *requirements],
        ]
    number = f"python{sys.version_info.major}.{sys.version_info.minor}"
    packages = str(part / "lib" / number / "site-packages")
    pip = [sys.executable, "-P", "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    return [
        [sys.executable, "-P", "-m", "venv", "--without-pip", str(part)],
        [*pip, *WHEELS, "--no-compile", "--target", packages, *requirements],
    ]


def _do(command: Sequence[str], lock: int, failure: str) -> None:
    """Run a command, which holds the lock as long as it lives: also when we are killed."""
    done = subprocess.run(
        command,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
        pass_fds=(lock,),
    )
    if done.returncode:
        raise TargetError(f"{failure}: {complaint(done.stderr or done.stdout)}")


def _fault(part: Path, package: Package) -> str:
    """Return the error that occurs when the solver is loaded; empty if it can be loaded."""
    code = f"import {package.module}"
    command = [str(part / "bin" / "python"), "-I", "-c", package.imports or code]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, errors="replace", timeout=_LOADING, check=False
        )
    except subprocess.TimeoutExpired:
        return f"'{code}' is not over after {_LOADING} s"
    if done.returncode < 0:
        return f"'{code}' dies with signal {-done.returncode}"
    lines = done.stderr.strip().splitlines() or [f"exit code {done.returncode}"]
    return f"'{code}' fails: {lines[-1][:300]}" if done.returncode else ""


def _size(folder: Path) -> int:
    return sum(
        os.lstat(os.path.join(place, name)).st_size
        for place, _, names in os.walk(folder)
        for name in names
    )


def _clear(folder: Path) -> None:
    if folder.exists():
        shutil.rmtree(folder)


def installed(wrapper: Mapping[str, Any]) -> tuple[str, ...]:
    """The releases of a solver that are in the cache, can be loaded, and that its wrapper takes,
    oldest first; none where the wrapper names no package.
    """
    if not wrapper.get("package"):
        return ()
    package = package_of(wrapper)
    there = [one.release for one in cached(package.name) if not one.fault]
    return tuple(short(one) for one in package.usable(there))
