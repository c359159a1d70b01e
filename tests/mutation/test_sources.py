"""Each source of runs declares itself in one place, and what derives from it has all of it."""

from __future__ import annotations

from pathlib import Path

import click
import pytest

from murxpy.cli import commands, run
from murxpy.cli.fuzz import fuzz
from murxpy.cli.mutate import COMMANDS
from murxpy.fuzzers.setups import needs_seeds, parse_mix, sources
from murxpy.sources.mutation.registry import FUZZERS

PAGE = Path(__file__).parents[2] / "docs" / "mutation.md"


def options(command: click.Command) -> dict[str, click.Parameter]:
    return {name: param for param in command.params for name in param.opts}


@pytest.mark.parametrize("name", COMMANDS)
def test_a_fuzzer_has_a_command_and_a_line_in_the_list(name: str) -> None:
    entry = FUZZERS[name]
    assert entry.name == name
    assert commands()[name] == entry.brief
    assert COMMANDS[name].help == entry.about


@pytest.mark.parametrize("name", FUZZERS)
def test_its_settings_are_options_of_its_command_and_of_fuzz(name: str) -> None:
    mixed = options(fuzz)
    for setting in FUZZERS[name].settings:
        assert f"--{name}-{setting.name}" in mixed
        if name in COMMANDS:
            own = options(COMMANDS[name])[f"--{setting.name}"]
            assert isinstance(own, click.Option) and own.help == setting.help


@pytest.mark.parametrize("name", sources())
def test_a_source_can_be_in_a_mix(name: str) -> None:
    assert parse_mix(f"{name}:2") == ((name, 2.0),)
    assert needs_seeds(((name, 1.0),)) is (name in COMMANDS)


@pytest.mark.parametrize("name", FUZZERS)
def test_the_page_on_mutation_names_it_and_its_settings(name: str) -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert f"murxpy {name}" in text or f"`{name}" in text
    front = "" if name in COMMANDS else f"{name}-"
    assert [s.name for s in FUZZERS[name].settings if f"--{front}{s.name}" not in text] == []


def test_a_fuzzer_without_its_entry_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken() -> dict[str, str]:
        raise AttributeError("module 'murxpy.mutation.fuzzers.x' has no attribute 'ENTRY'")

    monkeypatch.setattr("murxpy.cli._fuzzers", broken)
    assert run(["nosuch"]) == 3
    shown = capsys.readouterr()
    assert shown.err.count("\n") == 1
    assert "has no attribute 'ENTRY'" in shown.err
