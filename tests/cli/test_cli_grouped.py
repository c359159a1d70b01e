"""The help of commands with many options."""

from __future__ import annotations

from click.testing import CliRunner

from murxpy.cli import murxpy
from murxpy.cli.fuzz import MIX_OPTIONS, fuzz
from murxpy.cli.options import has_heading


def test_every_option_of_a_campaign_has_a_heading() -> None:
    options = [param.name or "" for param in fuzz.params if param.param_type_name == "option"]
    assert [name for name in options if name not in MIX_OPTIONS and not has_heading(name)] == []


def test_help_begins_with_examples_and_groups_the_options() -> None:
    told = CliRunner().invoke(murxpy, ["fuzz", "--help"]).output
    assert told.count("  murxpy fuzz ") >= 4
    places = [
        told.index(text) for text in ("Examples:", "Limits:", "  --wall", "Output:", "--json")
    ]
    assert places == sorted(places)


def test_help_of_a_mutation_fuzzer_has_its_own_options_and_no_arguments() -> None:
    told = CliRunner().invoke(murxpy, ["storm", "--help"]).output
    assert "  murxpy storm z3 seeds/ --time 5m" in told
    assert "--max-depth" in told.partition("Mutating seeds:")[2]
    assert "  SEEDS..." not in told
