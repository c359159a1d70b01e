"""What runs reach of a binding: the public callables that walks, contract mode and nothing call."""

from __future__ import annotations

from pathlib import Path

import pytest
from commands import outcome

from murxpy.campaign.statistics import Reach, callables_of, reach, reaches

WRAPPER = {
    "operators": {"OP_AND": {"default": "m.And({args})", "list": "m.And_list([{args}])"}},
    "actions": {"push": "{solver}.push()"},
    "helpers_sources": [
        ["helpers.py", "def read(solver):\n    return solver.units()\n"],
        ["tables.py", 'ASKED = ["is_sat"]\nREAD = first.core\n'],
    ],
}
NAMES = ["m.And", "m.And_list", "m.Solver.push", "m.Solver.units", "m.Or", "m.Xor"]
NAMES += ["m.Answer.is_sat", "m.Solver.core"]


def test_a_callable_is_reached_by_the_spellings_that_name_it() -> None:
    about = {"callables": {"names": NAMES, "skipped": {"opens files": 2}}}
    counters = {
        "spelling:OP_AND@default": 3,
        "spelling:actions:push@default": 0,
        "callable:null:m.Or": 1,
    }
    found = reach(callables_of(WRAPPER, about), counters)
    assert found == Reach(
        walks=["m.And", "m.Solver.units", "m.Answer.is_sat", "m.Solver.core"],
        contract=["m.Or"],
        unreached=["m.And_list", "m.Solver.push", "m.Xor"],
        skipped={"opens files": 2},
    )
    assert found.total == 10


@pytest.mark.usefixtures("bare_findings")
def test_a_campaign_keeps_what_it_reaches(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    words = ["fuzz", "cvc5", "--runs", "2", "--seed", "1", "--no-minimize", "--out", tmp_path]
    outcome(capsys, *words, "--theories", "BOOL")
    walks = set(reaches(tmp_path)["cvc5"].walks)
    assert "cvc5.Solver.checkSat" in walks
    outcome(capsys, *words, "--machine", "contract", "--contract")
    found = reaches(tmp_path)["cvc5"]
    assert walks < {*found.walks} and found.contract
    said = outcome(capsys, "statistics", tmp_path)[1]
    assert f"Public callables of cvc5: {found.total:,}" in said
