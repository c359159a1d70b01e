"""The modules of a package that are found by themselves: to add one is to add its file."""

from __future__ import annotations

import importlib
import pkgutil
from types import ModuleType


def module_names(package: str) -> list[str]:
    """Return the names of the modules in a package, in the order of the alphabet."""
    return sorted(
        one.name for one in pkgutil.iter_modules(importlib.import_module(package).__path__)
    )


def load_modules(package: str, besides: str = "") -> dict[str, ModuleType]:
    """Import all modules of a package except the one with the full name `besides`, which is the one
    that calls. Return them by their names in the package.
    """
    return {
        name: importlib.import_module(f"{package}.{name}")
        for name in module_names(package)
        if f"{package}.{name}" != besides
    }
