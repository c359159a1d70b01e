"""What the package index has: asked by pip, so that the user's own settings hold for it."""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
import sys

from murxpy.errors import TargetError

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
    """What pip or uv complains of in its standard error, in one line."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    errors = [line for line in lines if line.lower().startswith("error")]
    other = [line for line in lines if not line.startswith("WARNING")]
    return next(iter([*errors[-1:], *other[-1:], *lines[-1:]]), "it says nothing")[:400]


def uv() -> str | None:
    """The path of uv, where it is installed."""
    return shutil.which("uv")


def _pip() -> list[str]:
    if importlib.util.find_spec("pip") is not None:
        return [sys.executable, "-m", "pip"]
    tool = uv()
    if tool is None:
        raise TargetError(
            f"neither pip nor uv is there to look for releases; install one of them for {sys.executable}"
        )
    return [tool, "tool", "run", "--quiet", "pip"]
