"""Old releases in environments of their own: they load, what they lack is left out, and no call is
ill-formed.
"""

from __future__ import annotations

import json
import subprocess
import sys
import venv
from collections import Counter
from pathlib import Path

import pytest

from murxpy.data.folders import data_folder

RUNS = 40
NO_READER = ("cvc5", ["cvc5==1.0.8"])  # its Python API reads no scripts


@pytest.mark.slow
@pytest.mark.parametrize("mixed", [False, True], ids=["walks", "mix"])
@pytest.mark.parametrize(
    ("solver", "requirements"),
    [
        ("z3", ["z3-solver==4.8.7", "setuptools<70"]),
        ("z3", ["z3-solver==4.8.10", "setuptools<70"]),
        ("z3", ["z3-solver==4.8.12", "setuptools<70"]),
        ("cvc5", ["cvc5==1.0.8"]),
        ("cvc5", ["cvc5==1.3.4"]),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else value,
)
def test_an_old_release_is_fuzzed_in_its_own_environment(
    tmp_path: Path, solver: str, requirements: list[str], mixed: bool
) -> None:
    place = tmp_path / "env"
    venv.create(place, with_pip=True)
    subprocess.run(
        [str(place / "bin" / "python"), "-m", "pip", "install", "-q", *requirements], check=True
    )
    command = [
        sys.executable,
        "-m",
        "murxpy",
        "fuzz",
        f"{solver}@{place}",
        "--runs",
        str(RUNS),
        "--seed",
        "1",
    ]
    command += (
        [str(data_folder("seeds")), "--mix", "api:1,storm:1,fusion:1"]
        if mixed and (solver, requirements) != NO_READER
        else []
    )
    done = subprocess.run(
        [*command, "--json", "--out", str(tmp_path / "out")], capture_output=True, text=True
    )
    assert done.returncode in (0, 1), done.stderr
    events = [json.loads(line) for line in done.stdout.splitlines()]
    (target,) = next(e for e in events if e["event"] == "started")["targets"]
    assert target["version"].startswith(requirements[0].partition("==")[2])
    counts = Counter(next(e for e in events if e["event"] == "ended")["counts"])
    assert counts["run:total"] > RUNS // 2 and counts["check:decided"] > RUNS // 4
    ours = [e["message"] for e in events if e["event"] == "found" and e["tier"] == "murxpy"]
    assert ours == [] and counts["refusal:ill-formed"] == 0
    assert counts["mutator:storm:resources"] <= counts["mutator:storm:made"] // 10, (
        "each script has a limit of its own"
    )
