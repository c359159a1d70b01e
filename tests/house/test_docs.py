"""The command lines that pages and help show: each names a command that there is, with options that it
has.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from murxpy.cli import commands, murxpy

ROOT = Path(__file__).parents[2]
PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md")),
    *sorted(p for p in (ROOT / "docs").rglob("*.md") if "reference" not in p.parts),
]
_EXAMPLE = re.compile(r"^ {2,}(?:- run: )?(?:\$ )?(?:\S+/)?(murxpy .+)$", re.M)
# Pages that tell what was done once, with the options of that time.
TOLD = ("docs/notes", "docs/examples/issues")


def examples(text: str) -> Iterator[list[str]]:
    """The words behind `murxpy` of each command line in a text, up to a comment, a pipe or a redirection."""
    for line in _EXAMPLE.findall(text):
        try:
            words = shlex.split(line.rstrip("\\"), comments=True)
        except ValueError:  # a sentence with an apostrophe
            continue
        ends = [at for at, word in enumerate(words) if word in ("|", ">", "&&", ";", "/", "2>&1")]
        yield words[1 : min(ends, default=len(words))]


def fault(words: list[str]) -> str:
    """What is wrong with a command line; empty where nothing is."""
    command: click.Command = murxpy
    context = click.Context(murxpy, info_name="murxpy", **murxpy.context_settings)
    while True:
        try:
            _, rest, _ = command.make_parser(context).parse_args(list(words))
        except click.UsageError as error:
            return error.format_message()
        if not isinstance(command, click.Group) or not rest:
            return ""
        inner = command.get_command(context, rest[0])
        if inner is None and command is not murxpy and "show" in command.list_commands(context):
            inner = command.get_command(context, "show")  # which need not be written
            rest = ["show", *rest]
        if inner is None:
            placeholder = rest[0].isupper() or "|" in rest[0] or rest[0] == "..."
            return "" if placeholder else f"no command {rest[0]}"
        context = click.Context(inner, info_name=rest[0], parent=context)
        command, words = inner, rest[1:]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_a_page_shows_commands_that_there_are(page: Path) -> None:
    if str(page.relative_to(ROOT)).startswith(TOLD):
        pytest.skip("the page tells what was done once")
    wrong = {" ".join(words): fault(words) for words in examples(page.read_text("utf-8"))}
    assert {line: why for line, why in wrong.items() if why} == {}


@pytest.mark.parametrize("name", commands())
def test_help_shows_commands_that_there_are(name: str) -> None:
    context = click.Context(murxpy, info_name="murxpy")
    command = murxpy.get_command(context, name)
    assert command is not None
    text = command.get_help(click.Context(command, info_name=name, parent=context))
    wrong = {" ".join(words): fault(words) for words in examples(text)}
    assert {line: why for line, why in wrong.items() if why} == {}


def test_a_wrong_example_is_told() -> None:
    text = "    murxpy fuzz z3 --nonsense\n    $ murxpy nothing z3   # a comment\n    murxpy show KEY\n"
    assert [bool(fault(words)) for words in examples(text)] == [True, True, False]


ANSWERED = re.compile(r"^    (?:\$ )?((?:murxpy|python3) .*)$", re.M)
NETWORK = ("bisect", "@")  # what asks the index of packages, or installs a release


@pytest.mark.slow
@pytest.mark.parametrize("page", ["docs/tutorial.md", "README.md"])
def test_the_commands_of_a_page_run_in_their_order(page: str, tmp_path: Path) -> None:
    """As a newcomer types them: none ends with bad input, with a fault of murxpy, or for want of a
    solver. A key stands for a finding that this release need not show, so it is replaced by the first.
    """
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    ran = 0
    for line in ANSWERED.findall((ROOT / page).read_text("utf-8")):
        if any(word in line for word in NETWORK):
            continue
        keys = sorted(p.name for p in (tmp_path / "murxpy-out" / "findings").glob("*"))
        first = next((key for key in keys if key.startswith("exception")), keys[0] if keys else "")
        command = re.sub(r"exception-z3(-[0-9a-f]+)?", first, line)
        done = subprocess.run(
            command,
            shell=True,
            cwd=tmp_path,
            env={**os.environ, "PATH": path},
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        assert done.returncode in (0, 1), f"{command}\n{done.stdout[-1000:]}{done.stderr[-1000:]}"
        ran += 1
    assert ran >= 3


def test_every_page_is_on_the_site() -> None:
    """A page that no list of docs/index.md names would be a warning, and so an error, of the site."""
    listed = set(re.findall(r"^([\w./-]+)$", (ROOT / "docs/index.md").read_text("utf-8"), re.M))
    pages = {path.stem for path in (ROOT / "docs").glob("*.md")} - {"index"}
    assert pages - listed == set()
