"""The pages of the reference, made from the code and the data folders: commands, theories, actions,
checks, kinds of findings, wrappers, and state machines.
"""

from __future__ import annotations

import csv
import inspect
import io
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

import murxpy
from murxpy.cli import commands as listed
from murxpy.cli import murxpy as group
from murxpy.cli.report.reference import operators_table, theories_table
from murxpy.cli.report.tables import Table
from murxpy.data import load_catalogue, load_machine, load_wrapper, wrapper_names
from murxpy.data.machines import machine_names
from murxpy.findings.kinds.registry import KINDS
from murxpy.machine.checks.registry import ACTIONS, CHECKS


def write(folder: Path) -> None:
    """Write all pages into `folder`. A page that did not change is left alone, so that Sphinx does not
    read it again.
    """
    pages = {**_commands(), **_theories(), **_wrappers(), "actions": _actions()}
    pages |= {"checks": _checks(), "kinds": _kinds(), "machines": _machines(), "api": _api()}
    pages["options"] = _options()
    inner = "\n".join(
        f"{name}"
        for name in ("commands", "options", "api", "theories", "wrappers", "machines", "actions")
    )
    pages["index"] = (
        "# Reference\n\nThese pages are made from the code and the data folders of this release.\n\n"
        f"```{{toctree}}\n:maxdepth: 1\n{inner}\nchecks\nkinds\n```\n"
    )
    for old in folder.rglob("*.md"):
        if str(old.relative_to(folder).with_suffix("")) not in pages:
            old.unlink()
    for name, text in pages.items():
        path = folder / f"{name}.md"
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")


def _markdown(table: Table) -> str:
    """A table in Markdown."""
    head, *rows = csv.reader(io.StringIO(table.to_csv()))
    return _rows(head, rows)


def _rows(head: list[str], rows: list[list[str]]) -> str:
    written = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(map(_cell, row))} |" for row in written) + "\n"


def _cell(text: str) -> str:
    plain = " ".join(text.split()).replace("|", "\\|")
    named = re.fullmatch(r"[\w.@:*-]*[_A-Z-][\w.@:*-]*", plain) and plain != "---"
    return f"`{plain}`" if named else plain.replace("<", "&lt;").replace("*", "\\*")


def _about(thing: object) -> str:
    """The first paragraph of a docstring, on one line."""
    text = inspect.cleandoc(thing.__doc__ or "").partition("\n\n")[0]
    return " ".join(text.split())


# ----------------------------------------------------------------------
# Commands.


def _commands() -> dict[str, str]:
    pages, rows = {}, []
    for name, brief in listed().items():
        parts = [f"# murxpy {name}\n\n{brief}\n"]
        for inner, text in _helps(group, name):
            parts.append(f"## {inner}\n" if inner != name else "")
            parts.append(f"```text\n{text}\n```\n")
        pages[f"commands/{name}"] = "\n".join(filter(None, parts))
        rows.append([f"[{name}](commands/{name}.md)", brief])
    inner = "\n".join(f"commands/{name}" for name in listed())
    pages["commands"] = (
        "# Commands\n\n'murxpy COMMAND --help' prints the same. Options can also stand in a "
        "[configuration file](../configuration.md).\n\n"
        + "| command | |\n| --- | --- |\n"
        + "".join(f"| {name} | {brief} |\n" for name, brief in rows)
        + f"\n```{{toctree}}\n:hidden:\n{inner}\n```\n"
    )
    return pages


def _helps(parent: click.Group, name: str, words: str = "murxpy") -> Iterator[tuple[str, str]]:
    """The help of a command and of the commands in it, each behind its name."""
    above = click.Context(parent, info_name=words)
    command = parent.get_command(above, name)
    assert command is not None
    context = click.Context(command, info_name=name, parent=above, terminal_width=100)
    yield name, command.get_help(context)
    for inner in command.list_commands(context) if isinstance(command, click.Group) else ():
        yield from _helps(command, inner, f"{words} {name}")


def _options() -> str:
    """Each option with the commands that have it."""
    found: dict[tuple[str, str], list[str]] = {}
    for name in listed():
        for words, command in _inner(group, name):
            for param in command.params:
                if isinstance(param, click.Option):
                    kind = "" if param.is_flag else param.metavar or param.type.name
                    for option in (one for one in param.opts if one.startswith("--")):
                        found.setdefault((option, kind), []).append(words)
    rows = [[f"`{option}`", kind, ", ".join(of)] for (option, kind), of in sorted(found.items())]
    return (
        "# Options by command\n\nAn option that takes different things in different commands has a row for each.\n\n"
        + _rows(["option", "takes", "commands"], rows)
    )


def _inner(parent: click.Group, name: str) -> Iterator[tuple[str, click.Command]]:
    """A command, or the commands in it, each with its words."""
    context = click.Context(parent)
    command = parent.get_command(context, name)
    assert command is not None
    if not isinstance(command, click.Group):
        yield name, command
        return
    for inner in command.list_commands(context):
        for words, one in _inner(command, inner):
            yield f"{name} {words}", one


# ----------------------------------------------------------------------
# What the data folders hold.


def _shipped() -> dict[str, dict[str, Any]]:
    return {name: load_wrapper(name) for name in wrapper_names()}


def _theories() -> dict[str, str]:
    catalogue, wrappers = load_catalogue(), _shipped()
    pages, names = {}, []
    for theory in catalogue["theories"]:
        name = theory["name"]
        names.append(name)
        pages[f"theories/{name}"] = (
            f"# Theory {name}\n\nThe columns of the solvers say in how many ways each operator is spelled.\n\n"
            + _markdown(operators_table(theory, wrappers))
        )
    inner = "\n".join(f"theories/{name}" for name in names)
    pages["theories"] = (
        "# Theories and operators\n\n"
        + _markdown(theories_table(catalogue, wrappers))
        + f"\n```{{toctree}}\n:maxdepth: 1\n{inner}\n```\n"
    )
    return pages


def _wrappers() -> dict[str, str]:
    rows = []
    for name, wrapper in _shipped().items():
        numbers = [str(len(wrapper[key])) for key in ("sorts", "operators", "actions")]
        rows.append([f"`{name}`", wrapper["package"], *numbers, ", ".join(wrapper["theories"])])
    return {
        "wrappers": "# Wrappers\n\nHow a wrapper is written says [its page](../wrappers.md).\n\n"
        + _rows(["solver", "package", "sorts", "operators", "actions", "theories"], rows)
    }


def _machines() -> str:
    parts = ["# State machines\n\nHow they are written says [their page](../machines.md).\n"]
    for name in machine_names():
        machine = load_machine(name)
        rows = [
            [state, step["do"], f"{step['weight']:g}", ", ".join(step["when"]), step["to"]]
            for state, body in machine["states"].items()
            for step in body["do"]
        ]
        parts.append(f"## {name}\n\n{' '.join(str(machine['about']).split())}\n")
        parts.append(_rows(["state", "action", "weight", "when", "to"], rows))
    return "\n".join(parts)


# ----------------------------------------------------------------------
# What the code declares.


def _actions() -> str:
    rows = [
        [f"`{name}`", _about(action), ", ".join(_facts(action))]
        for name, action in sorted(ACTIONS.items())
    ]
    return (
        "# Actions\n\nAn action is one kind of line in a [trace](../../traces/FORMAT.md), and one kind of "
        "step in a walk.\n\n" + _rows(["action", "what it does", "facts"], rows)
    )


def _facts(action: object) -> Iterator[str]:
    words = {"answers": "asks the solver", "makes": "makes a sort or a term", "checks": "a check"}
    words |= {"state": "changes what is asserted", "scripted": "in scripts, too"}
    yield from (word for fact, word in words.items() if getattr(action, fact))


def _checks() -> str:
    rows = [
        [
            f"`{check.option or check.name}`",
            f"`{check.name}`",
            _about(check),
            ", ".join(check.after),
            "on" if check.default else "off",
        ]
        for check in CHECKS
    ]
    return (
        "# Checks\n\nWhat is checked of a solver's answers: 'murxpy fuzz --check NAMES' chooses among them "
        "([oracles](../oracles.md)).\n\n"
        + _rows(["name", "action", "what it checks", "behind", "by default"], rows)
    )


def _kinds() -> str:
    rows = [
        [f"`{name}`", kind.severity, "yes" if kind.fails else "no", _about(kind)]
        for name, kind in KINDS.items()
    ]
    return (
        "# Kinds of findings\n\nThe worst stand first. A kind that counts makes the exit code 1 "
        "([findings](../findings.md)).\n\n" + _rows(["kind", "severity", "counts", ""], rows)
    )


def _api() -> str:
    parts = ["# Python API\n\nExamples stand on [its page](../python-api.md).\n"]
    for name in sorted(murxpy.__all__):
        thing = getattr(murxpy, name)
        if not thing.__doc__ or name == "Event":
            continue
        signed = f"{name}{inspect.signature(thing)}" if inspect.isfunction(thing) else name
        parts.append(
            f"## {name}\n\n```python\n{signed}\n```\n\n{inspect.cleandoc(thing.__doc__)}\n"
        )
    return "\n".join(parts)
