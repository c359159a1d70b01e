"""Old releases from the cache: they load, what they lack is left out, and no call is ill-formed."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from murxpy.data.folders import data_folder

RUNS = 40
NO_READER = "cvc5@1.0.8"  # its Python API reads no scripts
TARGETS = (
    "z3@4.8.7",
    "z3@4.8.10",
    "z3@4.8.12",
    "z3@4.12.1",
    "z3@4.12.3",
    NO_READER,
    "cvc5@1.2.0",
    "cvc5@1.3.4",
)


@pytest.mark.slow
@pytest.mark.parametrize("mixed", [False, True], ids=["walks", "mix"])
@pytest.mark.parametrize("target", TARGETS)
def test_an_old_release_is_fuzzed(tmp_path: Path, target: str, mixed: bool) -> None:
    command = [sys.executable, "-m", "murxpy", "fuzz", target, "--runs", str(RUNS), "--seed", "1"]
    command += (
        [str(data_folder("seeds")), "--mix", "api:1,storm:1,fusion:1"]
        if mixed and target != NO_READER
        else []
    )
    done = subprocess.run(
        [*command, "--json", "--out", str(tmp_path / "out")], capture_output=True, text=True
    )
    assert done.returncode in (0, 1), done.stderr
    events = [json.loads(line) for line in done.stdout.splitlines()]
    (loaded,) = next(e for e in events if e["event"] == "started")["targets"]
    assert loaded["version"].startswith(target.partition("@")[2])
    counts = Counter(next(e for e in events if e["event"] == "ended")["counts"])
    assert counts["run:total"] > RUNS // 2 and counts["check:decided"] > RUNS // 4
    ours = [e["message"] for e in events if e["event"] == "found" and e["tier"] == "murxpy"]
    assert ours == [] and counts["refusal:ill-formed"] == 0
    assert counts["mutator:storm:resources"] <= counts["mutator:storm:made"] // 10, (
        "each script has a limit of its own"
    )
