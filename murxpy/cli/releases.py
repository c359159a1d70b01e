"""`murxpy releases`: the releases of the solvers, and the cache of environments with them."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict

import click

from murxpy.cli import fail
from murxpy.cli.options import json_option
from murxpy.cli.params import Guarded
from murxpy.cli.report.console import make_console, print_json
from murxpy.cli.report.releases import mebibytes, releases_table
from murxpy.data import importable_names, load_wrapper
from murxpy.errors import InputError, TargetError
from murxpy.processes.environments import (
    Environment,
    Package,
    cache_folder,
    cached,
    package_of,
    print_notice,
    provide,
    prune,
    remove,
)
from murxpy.processes.releases import NOT_CACHED, short, span
from murxpy.processes.targets import releases_of


@click.command()
@click.argument("solvers", metavar="[SOLVER]...", nargs=-1)
@click.option(
    "--add",
    cls=Guarded,
    metavar="RELEASES",
    help="Install these releases, such as 4.8.12,4.13.0..latest.",
)
@click.option(
    "--remove",
    "doomed",
    cls=Guarded,
    metavar="RELEASES",
    help="Remove these releases from the cache.",
)
@click.option(
    "--prune",
    "pruned",
    cls=Guarded,
    is_flag=True,
    help="Also remove what unfinished installations left.",
)
@json_option
def releases(
    solvers: tuple[str, ...], add: str | None, doomed: str | None, pruned: bool, as_json: bool
) -> int:
    """List the releases of each solver that the package index has for this Python, and say which of
    them are in the cache.

    A release is installed when it is first named as a target, or by --add. The variable
    MURXPY_RELEASES names another folder for the cache.

    \b
    Examples:
      murxpy releases z3
      murxpy releases z3 --add 4.8.12,4.13.0..4.13.4
      murxpy fuzz z3@4.13.0 --cross-check z3@latest --time 5m
      murxpy releases z3 --remove ..4.8.17
    """
    packages = {name: package_of(load_wrapper(name)) for name in solvers or importable_names()}
    if (add is not None or doomed is not None) and len(packages) != 1:
        option = "--remove" if add is None else "--add"
        raise InputError(f"{option}: expected one solver, whose releases are meant")
    for package in packages.values():
        if add is not None:
            _add(package, add)
        if doomed is not None:
            _remove(package, doomed)
    if pruned:
        click.echo(f"{mebibytes(prune())} MiB of unfinished installations removed")
    published = {name: _published(package) for name, package in packages.items()}
    rows = {n: (one, published[n][0], cached(one.name)) for n, one in packages.items()}
    if as_json:
        print_json({name: _json(*each) for name, each in rows.items()})
    else:
        for name, each in rows.items():
            _print(name, *each)
    return max((code for _, code in published.values()), default=0)


def _published(package: Package) -> tuple[Sequence[str], int]:
    """The releases that the package index has, and 0; where it cannot be asked, no releases and the
    exit code of the error, which is printed.
    """
    try:
        return [short(one) for one in releases_of(package.name)], 0
    except TargetError as error:
        return (), fail(str(error), error.exit_code)


def _print(name: str, package: Package, known: Sequence[str], there: Sequence[Environment]) -> None:
    console = make_console()
    total = mebibytes(sum(one.size for one in there))
    console.print(
        f"{name}: {package.name}, {len(known)} releases, {len(there)} of them in {cache_folder()} ({total} MiB); "
        f"the wrapper is written for {package.taken or 'all'}",
        soft_wrap=True,
    )
    releases_table(known, there, _usable(package, known, there)).print(console)


def _usable(package: Package, known: Sequence[str], there: Sequence[Environment]) -> list[str]:
    """The releases that the wrapper is written for, oldest first."""
    return package.usable(list(dict.fromkeys([*known, *(one.release for one in there)])))


def _add(package: Package, asked: str) -> None:
    """Install the releases that the user names. Raises InputError, TargetError."""
    names = span(asked, releases_of(package.name), package.name)
    for number, release in enumerate(names, 1):
        began = time.monotonic()
        if len(names) > 1:
            print_notice(f"{number} of {len(names)}: {package.name} {short(release)}")
        made = provide(package, release, print_notice)
        taken = time.monotonic() - began
        print_notice(
            f"{package.name} {made.release}: {mebibytes(made.size)} MiB, {taken:.0f} s"
            + (f"; {made.fault}" if made.fault else "")
        )


def _remove(package: Package, doomed: str) -> None:
    """Remove releases from the cache. Raises InputError, TargetError."""
    there = {one.release: one for one in cached(package.name)}
    for release in span(doomed, list(there), package.name, NOT_CACHED):
        remove(there[release])
        print_notice(f"{package.name} {release}: removed, {mebibytes(there[release].size)} MiB")


def _json(
    package: Package, known: Sequence[str], there: Sequence[Environment]
) -> dict[str, object]:
    return {
        "package": package.name,
        "releases": list(known),
        "usable": _usable(package, known, there),
        "cached": [asdict(one) for one in there],
    }
