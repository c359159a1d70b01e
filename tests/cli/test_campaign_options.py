"""The options of commands as typed values: the parameters of each command and the fields of its options
agree, and stores keep the options under the keys that they always had.
"""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import click
import pytest

from murxpy.campaign.asked import KeptOptions, MutationOptions
from murxpy.cli.campaign_options import CommandOptions, taken
from murxpy.cli.enumerate import COMMAND as ENUMERATE
from murxpy.cli.enumerate import EnumerateOptions
from murxpy.cli.fuzz import MIX_OPTIONS, fuzz
from murxpy.cli.mutate import COMMANDS
from murxpy.cli.studies.matrix import MatrixOptions, matrix
from murxpy.processes.plans import Request
from murxpy.sources.mutation.registry import FUZZERS

# Only 'murxpy finish' sets the first, and only 'murxpy enumerate --ci' the second.
NO_OPTIONS = ("resume", "answers")
Case = tuple[click.Command, list[type[Any]], set[str]]
CASES: dict[str, Case] = {
    "fuzz": (fuzz, [CommandOptions, MutationOptions], {"targets", "mix", *MIX_OPTIONS}),
    "enumerate": (ENUMERATE, [EnumerateOptions, CommandOptions], {"target"}),
    "matrix": (matrix, [MatrixOptions], {"what", "form"}),
    **{
        name: (
            command,
            [CommandOptions, MutationOptions],
            {"target", "seeds"}
            | {setting.name.replace("-", "_") for setting in FUZZERS[name].settings},
        )
        for name, command in COMMANDS.items()
    },
}


@pytest.mark.parametrize("name", CASES)
def test_every_parameter_of_a_command_is_a_field_and_every_field_a_parameter(name: str) -> None:
    command, kinds, others = CASES[name]
    given: dict[str, Any] = {
        param.name or "": None for param in command.params if param.expose_value
    }
    assert others <= {*given}
    lacking = [field.name for field in fields(MutationOptions) if field.name not in given]
    assert MutationOptions not in kinds or not lacking
    for kind in kinds:
        taken(kind, given)
    assert {*given} == others


def test_an_option_that_some_commands_lack_has_the_default_of_fuzz() -> None:
    with fuzz.make_context("fuzz", []) as context:
        found = {
            field.name: (field.default, context.params[field.name])
            for kind in (CommandOptions, MutationOptions)
            for field in fields(kind)
            if field.name not in NO_OPTIONS
        }
    assert {name: pair for name, pair in found.items() if pair[0] != pair[1]} == {}


def test_stores_keep_the_options_under_the_keys_of_earlier_releases() -> None:
    assert [*Request(("z3",)).recorded()] == [
        *("targets", "machine", "wrapper", "profile", "wishes", "mutation", "enumeration")
    ]
    assert [field.name for field in fields(KeptOptions)] == [
        *("compare", "baseline", "wall", "memory", "limits", "judge_limit", "isolate"),
        *("fail_on", "minimize", "bisect"),
    ]
