"""Old releases in environments of their own: they load, what they lack is left out, and no call is ill-formed."""

from __future__ import annotations

import json
import subprocess
import sys
import venv
from collections import Counter
from pathlib import Path

import pytest

RUNS = 40


@pytest.mark.slow
@pytest.mark.parametrize(("solver", "requirements"), [("z3", ["z3-solver==4.8.12", "setuptools<70"]), ("cvc5", ["cvc5==1.0.8"])])
def test_an_old_release_is_fuzzed_in_its_own_environment(tmp_path: Path, solver: str, requirements: list[str]) -> None:
    place = tmp_path / "env"
    venv.create(place, with_pip=True)
    subprocess.run([str(place / "bin" / "python"), "-m", "pip", "install", "-q", *requirements], check=True)
    command = [sys.executable, "-m", "murxpy", "fuzz", f"{solver}@{place}", "--runs", str(RUNS), "--seed", "1"]
    done = subprocess.run([*command, "--json", "--out", str(tmp_path / "out")], capture_output=True, text=True)
    assert done.returncode in (0, 1), done.stderr
    events = [json.loads(line) for line in done.stdout.splitlines()]
    (target,) = next(e for e in events if e["event"] == "started")["targets"]
    assert target["version"].startswith(requirements[0].partition("==")[2])
    counts = Counter(next(e for e in events if e["event"] == "ended")["counts"])
    assert counts["run:total"] > RUNS // 2 and counts["check:decided"] > RUNS
    assert counts["refusal:ill-formed"] == 0
