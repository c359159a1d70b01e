"""Plug-ins: installed packages that give wrappers, checks, kinds of findings, mutation fuzzers or
writers of reports. They say so by entry points, which are read without importing anything. A plug-in is
code, so it is imported only after the user named it.
"""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from murxpy.errors import InputError, nearest
from murxpy.modules import add_module

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

WRAPPERS, WRITERS = "murxpy.wrappers", "murxpy.writers"
# The groups of entry points, each with what one of its entries is, and the package of murxpy that gets
# the module which the entry names. An entry of another group names an object.
GROUPS = {
    WRAPPERS: ("wrapper", ""),
    "murxpy.checks": ("check", "murxpy.machine.checks"),
    "murxpy.kinds": ("kind", "murxpy.findings.kinds"),
    "murxpy.fuzzers": ("fuzzer", "murxpy.sources.mutation.fuzzers"),
    WRITERS: ("writer", ""),
}

_used: dict[str, PlugIn] = {}


@dataclass(frozen=True, slots=True)
class PlugIn:
    """An installed package with entries in `GROUPS`."""

    name: str
    version: str
    entries: tuple[EntryPoint, ...]

    def gives(self) -> list[str]:
        """What it gives, in words: `check parity`."""
        return [f"{GROUPS[entry.group][0]} {entry.name}" for entry in self.entries]


def installed() -> list[PlugIn]:
    """Return the installed plug-ins by name. Nothing of them is imported."""
    from importlib.metadata import entry_points

    found: dict[tuple[str, str], list[EntryPoint]] = {}
    for group in GROUPS:
        for entry in entry_points(group=group):
            if entry.dist is not None:
                key = (entry.dist.name, entry.dist.version)
                # a package that is found twice on the path lists its entries twice
                if entry not in found.setdefault(key, []):
                    found[key].append(entry)
    return [PlugIn(name, version, tuple(found[name, version])) for name, version in sorted(found)]


def use(names: Iterable[str]) -> None:
    """Use the plug-ins that the user names. Raises InputError, which names the plug-in."""
    for name in names:
        there = {_canonical(one.name): one for one in installed()}
        found = there.get(_canonical(name))
        if found is None:
            known = [one.name for one in there.values()]
            raise InputError(
                f"no plug-in '{name}' is installed{nearest(name, known)}; 'murxpy plugins' lists those that are"
            )
        for entry in found.entries:
            package = GROUPS[entry.group][1]
            if package:
                add_module(package, entry.name.replace("-", "_"), _file(found, entry), found.name)
        _used[found.name] = found


def used() -> list[str]:
    """Return the names of the plug-ins that are used."""
    return list(_used)


def names_of(group: str) -> list[str]:
    """Return the names of the entries that the plug-ins in use have in a group."""
    return [entry.name for one in _used.values() for entry in one.entries if entry.group == group]


def loaded(group: str, name: str) -> Any:
    """Return the object of an entry in a group, and None if no plug-in in use has the entry. Raises
    InputError, which names the plug-in.
    """
    for one in _used.values():
        for entry in one.entries:
            if (entry.group, entry.name) == (group, name):
                try:
                    return entry.load()
                except Exception as error:  # the code of a stranger can raise anything
                    raise _broken(one, entry, error) from error
    return None


def giver_of(group: str, name: str) -> str:
    """Return the name of an installed plug-in that has an entry, whether it is used or not; empty if
    there is none.
    """
    return next(
        (
            one.name
            for one in installed()
            for entry in one.entries
            if (entry.group, entry.name) == (group, name)
        ),
        "",
    )


def _canonical(name: str) -> str:
    """The name of a package, in which `-`, `_`, `.` and capitals make no difference."""
    return re.sub(r"[-_.]+", "-", name).lower()


def _file(plugin: PlugIn, entry: EntryPoint) -> str:
    """The file of the module that an entry names. The packages around the module are imported."""
    try:
        spec = importlib.util.find_spec(entry.module)
    except Exception as error:  # the code of a stranger can raise anything
        raise _broken(plugin, entry, error) from error
    if spec is None or not spec.has_location or spec.origin is None:
        raise InputError(
            f"plug-in '{plugin.name}': its {GROUPS[entry.group][0]} '{entry.name}' is to be the file of a module, "
            f"and there is no file of {entry.module}"
        )
    return spec.origin


def _broken(plugin: PlugIn, entry: EntryPoint, error: Exception) -> InputError:
    return InputError(
        f"plug-in '{plugin.name}': its {GROUPS[entry.group][0]} '{entry.name}' cannot be loaded: "
        f"{type(error).__name__}: {error}"
    )
