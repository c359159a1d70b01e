"""Each source of runs declares itself in one place, and what derives from it has all of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import pytest

from murxpy.campaign.asked import CampaignOptions, asked
from murxpy.cli import commands, run
from murxpy.cli.fuzz import fuzz
from murxpy.cli.mutate import COMMANDS
from murxpy.data import load_wrapper
from murxpy.errors import InputError
from murxpy.findings.replayed import walk_seeds
from murxpy.fuzzers.seeds import SeedFiles
from murxpy.fuzzers.setups import Mutation, needs_seeds, parse_mix, sources, sources_setup
from murxpy.machine.checks.registry import ACTIONS
from murxpy.processes.limits import Limits
from murxpy.sources.mutation.registry import FUZZERS
from murxpy.steering.seeds import Steering

pytestmark = pytest.mark.usefixtures("kept_solvers")

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


def test_a_machine_in_a_mix_is_walked_by_the_runs_that_name_it(tmp_path: Path) -> None:
    mutation = Mutation((("api", 1.0), ("rewriting", 1.0), ("parts", 1.0)), (), auto=True)
    (plan,) = asked(("z3",), CampaignOptions(out=tmp_path), mutation).plans
    steering = Steering(1, plan.setup["sources"])
    seeds = {steering.source_of(seed): seed for seed in map(steering.seed_of, range(24))}
    assert sorted(seeds) == ["api", "parts", "rewriting"]
    assert not any(steering.fuzzer_of(seed) for seed in seeds.values())
    named = ("parts", "rewriting")
    walked = walk_seeds(plan, [(seeds[name], ()) for name in named], Limits()).outcomes
    for name, outcome in zip(named, walked, strict=True):
        assert f"\n# machine {name}\n" in outcome.trace


@pytest.mark.parametrize(
    ("more", "apart"),
    [
        ({"auto": True}, True),
        ({"auto": True, "through": "api"}, True),
        ({"auto": True, "walks": 10}, False),
        ({}, False),
    ],
)
def test_walks_keep_what_a_judge_lacks_where_nobody_judges_them(
    tmp_path: Path, more: dict[str, Any], apart: bool
) -> None:
    """In a mix without `auto` judges look at walks, too, and so they do at mutants of walks."""
    seed = tmp_path / "a.smt2"
    seed.write_text("(declare-const x Int)(assert (< 0 x 9))(check-sat)", encoding="utf-8")
    mutation = Mutation((("api", 1.0), ("opfuzz", 1.0)), (str(seed),), **more)
    given = CampaignOptions(out=tmp_path / "out", seed=1, judges=(("cvc5",),))
    (plan,) = asked(("z3",), given, mutation).plans
    whole = load_wrapper("z3")["operators"]
    assert ("judged" in plan.setup["sources"]) is apart
    assert (plan.setup["wrapper"]["operators"].keys() == whole.keys()) is apart


def test_machines_of_a_mix_make_no_more_than_scripts_where_the_user_wants_that() -> None:
    mix = (("parts", 1.0),)
    setup = sources_setup(Mutation(mix, ()), SeedFiles(), scripted=True)
    steps = [
        step for state in setup["machines"]["parts"]["states"].values() for step in state["do"]
    ]
    assert {"check-sat"} <= {step["do"] for step in steps}
    assert all(ACTIONS[step["do"]].scripted for step in steps)


def test_contract_mode_is_no_source_of_a_mix() -> None:
    assert "contract" not in sources() and "default" not in sources()
    with pytest.raises(InputError, match="unknown source 'contract'"):
        parse_mix("api,contract")


def test_seeds_without_a_mix_mean_all_sources(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    seed, out = tmp_path / "a.smt2", tmp_path / "out"
    seed.write_text("(declare-const x Int)(assert (< 0 x 9))(check-sat)", encoding="utf-8")
    assert run(["fuzz", "z3", str(seed), "--runs", "3", "--seed", "1", "--out", str(out)]) in (0, 1)
    shown = capsys.readouterr().out
    assert "notice fusion: " in shown and "runs=3 " in shown
    assert run(["fuzz", "z3", str(seed), "--contract", "--out", str(out)]) == 2
    assert "takes seeds only where a mix is named" in capsys.readouterr().err
    assert run(["fuzz", "z3", "--mix", "auto", "--contract", "--out", str(out)]) == 2
    assert "the walks of contract mode are no seeds" in capsys.readouterr().err
