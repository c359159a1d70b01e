"""A solver that reads SMT-LIB on its standard input is a target like any other."""

from __future__ import annotations

import json
import os
import shlex
import sys
from pathlib import Path

import pytest
from commands import outcome

from murxpy.data.grants import only_granted
from murxpy.errors import InputError, TargetError
from murxpy.processes.targets import (
    TargetName,
    absolute_target,
    grant_target,
    parse_target,
    resolve,
    solver_of,
    unnamed,
)

WHEEL = Path(sys.prefix, "bin", "z3")  # the program that the package z3-solver has
FUZZED = "BOOL,BV,INT"

with_wheel = pytest.mark.skipif(not WHEEL.exists(), reason="no program of z3 beside this Python")


def test_a_name_has_the_command_behind_a_colon() -> None:
    name = parse_target("smt2:/opt/s@2 --mode=a,b [seed=3]")
    assert name == TargetName("smt2", "", (("seed", "3"),), "/opt/s@2 --mode=a,b")
    assert str(name) == "smt2:/opt/s@2 --mode=a,b[seed=3]"
    assert solver_of("smt2:/opt/s@2 -x") == "smt2"
    assert parse_target("own/my:wrapper.yaml").command == ""


def test_a_relative_program_gets_its_path() -> None:
    program = os.path.relpath(sys.executable)
    assert (
        absolute_target(f"smt2:{program} -x") == f"smt2:{shlex.quote(os.path.abspath(program))} -x"
    )


def test_a_program_that_only_a_file_names_is_not_started() -> None:
    with only_granted():
        assert unnamed(f"smt2:{sys.executable} -x")
        with pytest.raises(InputError, match="named here and not on the command line"):
            resolve(f"smt2:{sys.executable} -x", {"command": True})
        grant_target(f"smt2:{sys.executable} -x")
        assert not unnamed(f"smt2:{sys.executable} -x")
        assert unnamed(f"smt2:{sys.executable} -y")


def test_a_command_is_wanted_where_the_solver_is_a_program_and_nowhere_else() -> None:
    with pytest.raises(InputError, match="give --solver or --cross-check 'smt2:COMMAND'"):
        resolve("smt2", {"command": True})
    with pytest.raises(InputError, match="no solver that a program can be"):
        resolve(f"other:{sys.executable}", {"command": False})
    with pytest.raises(TargetError, match="there is no program '/no/such'"):
        resolve("smt2:/no/such", {"command": True})
    with pytest.raises(InputError, match="no command line: no closing quotation"):
        resolve("smt2:'x", {"command": True})


def test_only_the_processes_of_the_target_know_the_command() -> None:
    spec = resolve(f"smt2:{sys.executable} -x", {"command": True})
    assert spec.environment()["MURXPY_COMMAND"] == f"{sys.executable} -x"
    assert "MURXPY_COMMAND" not in resolve("other", {}).environment()


@with_wheel
def test_walks_get_answers_models_and_values(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], bare_findings: None
) -> None:
    code, out, err = outcome(
        capsys, "fuzz", f"smt2:{WHEEL}", "--theories", FUZZED, "--runs", "12", "--seed", "5", "--jobs", "2",
        "--out", str(tmp_path / "out"), "--json",
    )  # fmt: skip
    assert code == 0, out + err
    end = next(event for row in out.splitlines() if (event := json.loads(row))["event"] == "ended")
    assert end["runs"] == 12
    assert end["answers"]["sat"] > 3
    assert end["answers"]["unsat"] > 3
