"""Releases by name: their order, spans of them, and the nearest to one that does not exist."""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence

from packaging.version import InvalidVersion, Version

from murxpy.errors import InputError, TargetError

LATEST = "latest"
NOT_PUBLISHED = "{package} has no release {name} that can be installed for this Python"
NOT_CACHED = "{package} {name} is not in the cache"
_NEAR = 2  # releases that are named on each side of one that does not exist


def version(name: str) -> Version:
    """The release called `name`, such as `4.13.0`. Raises TargetError."""
    try:
        return Version(name)
    except InvalidVersion:
        raise TargetError(
            f"'{name[:80]}' is neither a folder that exists nor a release: expected a number such as 4.13.0, or "
            f"'{LATEST}'"
        ) from None


def release_in(text: str) -> str:
    """The release at the front of what a solver says of its version: `1.4.2` of `1.4.2-modified`,
    which builds of a repository say. The text is empty if it names no release.
    """
    found = re.match(r"\d+(\.\d+)*", text)
    return found[0] if found else ""


def short(name: str) -> str:
    """The one name that is used here of the release called `name`: `4.13.0` for `4.13.0.0` and for
    `4.13`. Raises TargetError.
    """
    numbers = list(version(name).release)
    while len(numbers) > 3 and not numbers[-1]:
        numbers.pop()
    numbers += [0] * (3 - len(numbers))
    behind = version(name).public.removeprefix(version(name).base_version)
    return ".".join(map(str, numbers)) + behind


def chosen(name: str, published: Sequence[str], package: str, lacking: str = NOT_PUBLISHED) -> str:
    """The one of the `published` releases that is called `name`, which may be `latest`.

    Raises TargetError for a release that does not exist.
    """
    ordered = sorted(published, key=Version)
    if name == LATEST and ordered:
        return ordered[-1]
    try:
        wanted = version(name)
    except TargetError as error:
        raise TargetError(f"{error}{_near(published, None)}") from None
    for one in ordered:
        if Version(one) == wanted:
            return one
    raise TargetError(f"{lacking.format(package=package, name=name)}{_near(published, wanted)}")


def _near(published: Sequence[str], wanted: Version | None) -> str:
    """The releases nearest to `wanted` in words; the newest ones where nothing says which are meant."""
    ordered = sorted(published, key=Version)
    if wanted is None:
        newest = [short(one) for one in ordered[-_NEAR:]]
        return f"; the newest are {', '.join(newest)}" if newest else ""
    below = [short(one) for one in ordered if Version(one) < wanted][-_NEAR:]
    above = [short(one) for one in ordered if Version(one) > wanted][:_NEAR]
    return f"; the nearest are {', '.join(below + above)}" if below or above else ""


def span(
    text: str, published: Sequence[str], package: str, lacking: str = NOT_PUBLISHED
) -> list[str]:
    """The `published` releases that `text` names, oldest first: releases with commas between them,
    or spans such as `4.8.7..latest`.

    Raises TargetError for a release that does not exist, and for a span that holds none. Raises
    InputError for a span whose first release is the newer one.
    """
    named: set[str] = set()
    for part in text.split(","):
        first, dots, last = (word.strip() for word in part.partition(".."))
        if not dots:
            named.add(chosen(first, published, package, lacking))
            continue
        least = version(first) if first else None
        most = version(last) if last and last != LATEST else None
        if least is not None and most is not None and least > most:
            raise InputError(f"'{part}' runs backwards: expected the older release first")
        within = [
            one
            for one in published
            if (least is None or Version(one) >= least) and (most is None or Version(one) <= most)
        ]
        if not within:
            near = _near(published, least or most)
            raise TargetError(
                f"'{part}' holds no release of {package} that can be installed here{near}"
            )
        named.update(within)
    return sorted(named, key=Version)


# ----------------------------------------------------------------------
# The releases in the package index: pip is asked, so that the user's own settings hold.


_PATIENCE = 120  # seconds that the index may take
WHEELS = ("--only-binary", ":all:")  # a solver takes an hour to compile


def published(package: str) -> tuple[str, ...]:
    """The releases of `package` with a wheel for this Python, newest first. Raises TargetError."""
    command = [*_pip(), "index", "versions", *WHEELS, package]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=_PATIENCE, check=False
        )
    except subprocess.TimeoutExpired:
        raise TargetError(
            f"the package index did not say within {_PATIENCE} s which releases {package} has"
        ) from None
    except OSError as error:
        raise TargetError(f"{command[0]} cannot be run: {error.strerror}") from None
    found = re.search(r"^Available versions: (.+)$", done.stdout, re.MULTILINE)
    if found is None:
        raise TargetError(
            f"the package index does not say which releases {package} has: {complaint(done.stderr)}"
        )
    return tuple(one.strip() for one in found[1].split(","))


def complaint(text: str) -> str:
    """Return the complaint of pip or uv in its standard error, in one line."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    errors = [line for line in lines if line.lower().startswith("error")]
    other = [line for line in lines if not line.startswith("WARNING")]
    return next(iter([*errors[-1:], *other[-1:], *lines[-1:]]), "it says nothing")[:400]


def uv() -> str | None:
    """The path of uv, where it is installed."""
    return shutil.which("uv")


def _pip() -> list[str]:
    if importlib.util.find_spec("pip") is not None:
        return [sys.executable, "-P", "-m", "pip"]
    tool = uv()
    if tool is None:
        raise TargetError(
            f"neither pip nor uv is there to look for releases; install one of them for {sys.executable}"
        )
    return [tool, "tool", "run", "--quiet", "pip"]
