"""The modules of a package that are found by themselves: to add one is to add its file. A plug-in adds
files of its own to some of these packages, before their modules are imported.
"""

from __future__ import annotations

import importlib
import importlib.util
import pkgutil
import sys
from collections.abc import Mapping
from functools import cache
from types import ModuleType

from murxpy.errors import InputError

# The modules that plug-ins add: by package and name, the file and the name of the plug-in.
_added: dict[str, dict[str, tuple[str, str]]] = {}
_loaded: dict[str, None] = {}  # the packages whose modules were imported


def module_names(package: str) -> list[str]:
    """Return the names of the modules in a package, in the order of the alphabet."""
    path = tuple(importlib.import_module(package).__path__)
    return sorted([*_own_names(path), *_added.get(package, ())])


@cache
def _own_names(path: tuple[str, ...]) -> tuple[str, ...]:
    """Return the names of the modules in the folders of a package."""
    return tuple(one.name for one in pkgutil.iter_modules(path))


def load_modules(package: str, besides: str = "") -> dict[str, ModuleType]:
    """Import all modules of a package except the one with the full name `besides`, which is the one
    that calls. Return them by their names in the package. Raises InputError for a module of a plug-in
    that cannot be imported.
    """
    _loaded[package] = None
    return {
        name: _imported(package, name)
        for name in module_names(package)
        if f"{package}.{name}" != besides
    }


def add_module(package: str, name: str, file: str, plugin: str) -> None:
    """Add the file of a plug-in to a package as its module `name`. Raises InputError if there is such a
    module, or if the modules of the package were imported already.
    """
    there = _added.get(package, {}).get(name)
    if there == (file, plugin):
        return
    if name in module_names(package):
        whose = f"the plug-in '{there[1]}'" if there else "murxpy itself"
        raise InputError(f"plug-in '{plugin}': {whose} has a module '{name}' in {package}, too")
    if package in _loaded:
        raise InputError(f"plug-in '{plugin}' comes too late: the modules of {package} are in use")
    _added.setdefault(package, {})[name] = (file, plugin)


def added_modules() -> dict[str, dict[str, list[str]]]:
    """Return the modules that plug-ins added, as plain data for another process."""
    return {
        package: {name: list(entry) for name, entry in modules.items()}
        for package, modules in _added.items()
    }


def add_modules(added: Mapping[str, Mapping[str, list[str]]]) -> None:
    """Add what `added_modules` gave in another process."""
    for package, modules in added.items():
        for name, (file, plugin) in modules.items():
            add_module(package, name, file, plugin)


def plugin_of(module: str) -> str:
    """Return the name of the plug-in that added a module; empty for a module of murxpy."""
    package, _, name = module.rpartition(".")
    return _added.get(package, {}).get(name, ("", ""))[1]


def _imported(package: str, name: str) -> ModuleType:
    whole = f"{package}.{name}"
    if name not in _added.get(package, {}):
        return importlib.import_module(whole)
    if whole in sys.modules:
        return sys.modules[whole]
    file, plugin = _added[package][name]
    spec = importlib.util.spec_from_file_location(whole, file)
    assert spec is not None and spec.loader is not None
    module = sys.modules[whole] = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:  # the code of a stranger can raise anything
        del sys.modules[whole]
        raise InputError(
            f"plug-in '{plugin}': it cannot be loaded: {type(error).__name__}: {error}", file=file
        ) from error
    return module
