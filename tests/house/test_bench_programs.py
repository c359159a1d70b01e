"""Each program of `bench/` goes through on a small measurement."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BENCH = ROOT / "bench"

# The words for a measurement of about a second. SEEDS stands for a folder of a few labelled scripts,
# ALL for one with copies of all seeds, OUT for the folder of a campaign, TMP for an empty folder, and Z3
# for the program of z3.
SMALL = {
    "callables": "z3 --runs 4 --no-save",
    "compare_fuzzers": "z3 --fuzzers opfuzz --seeds 1 --scripts SEEDS --cpu 2 --keep TMP --no-save",
    "confirmed": "z3 cvc5 SEEDS --logics QF_BV --runs 1 --time 1 --iterations 2 --no-save",
    "contract": "z3 --runs 4 --no-save",
    "crosscheck": "z3 --judges cvc5 --time 1 --minimize 1 --no-save",
    "damaged": "--stores 2",
    "dedup": "--no-save",
    "determinism": "z3 --runs 2 --no-save",
    "documentation": "z3",
    "drafts": "no-such-trace --check",
    "early": "z3 --releases latest --grammars core --bounds 20,60 --each 10 --out TMP --no-save",
    "enumeration": "z3 --grammars core --scripts 100 --tested 5 --no-save",
    "evaluator": "z3 --count 2 --operators OP_BV_ADD --no-save",
    "faults": "--runs 60 --buckets 40 --no-save",
    "finding_sizes": "OUT --no-save",
    "finishing": "OUT --cpu 4 --no-save",
    "formulas": "z3 --runs 3 --read 3 --no-save",
    "hostile": "small --runs 1 --no-save",
    "judged": "z3 --seeds SEEDS --runs 1 --no-save",
    "kills": "--rounds 1 --only walks --no-save",
    "hunt": "tangent-of-zero",
    "known_bugs": "z3 --sources walks --guides off --seeds 1 --cpu 2 --no-save",
    "learning": "--seeds 1 --runs 20",
    "lifting": "z3 --scripts SEEDS --limit 2 --no-save",
    "make_operator_seeds": "--into ALL",
    "make_rule_seeds": "--into ALL",
    "make_seeds": "z3 --runs 2 --each 1 --into TMP --no-save",
    "minimizers": "OUT --time 1 --most 1",
    "murxla_grammar": "cvc5 --runs 2 --no-save",
    "murxla_traces": "TMP",
    "mutation": "z3 --seeds SEEDS --logics QF_BV --fuzzers opfuzz --seconds 1 --no-save",
    "options": "cvc5 --runs 3 --no-save",
    "oracles": "z3 --runs 4 --no-save",
    "overhead": "z3 --runs 6 --no-save",
    "overtime": "'fuzz z3 --time 1s' --no-save",
    "own_faults": "z3 --runs 2 --no-save --out TMP",
    "perf": "--logics QF_BV --runs 1 --budget 1 --query 1 --most 2",
    "pipe": "z3 --command Z3 --runs 2 --no-save",
    "planting": "z3 --runs 3 --second 2 --no-save",
    "pools": "z3 --seeds SEEDS --logics QF_BV --no-save",
    "printed": "z3 --seconds 1 --no-save",
    "programs": "z3-5.4.0/datatypes --no-save",
    "quality": "z3 --runs 3 --no-save",
    "reach": "z3 --runs 3 --no-save",
    "reading": "--scripts SEEDS --rounds 1 --size 0.01 --no-save",
    "reduction": "--faults 1 --least 10 --no-save",
    "report": "--buckets 5 --no-save",
    "same": "record TMP/same.txt --only walks --runs 1",
    "shape": "--json",
    "supervisor_memory": "--every 1 --no-save -- fuzz z3 --runs 2 --out TMP/out",
    "throughput": "z3 --seconds 1 --skip 0 --sample 2 --no-save",
    "trace_memory": "--size 0.1 --no-save",
    "translation": "z3 --runs 2 --programs 1 --no-save",
    "unknown": "z3 --runs 3 --no-save",
    "validity": "z3 --runs 3 --no-save",
    "watch": "--viewers 1 --seconds 1 --no-save",
    "weakening": "z3 --seeds SEEDS --most 1 --no-save",
}
# The others, and why no test tries them.
APART = {
    "cluster": "it cuts the network of its nodes, and its tests make a cluster",
    "bounds": "it needs a campaign of STORM that found something",
    "coverage": "it needs a build of a solver with gcov; house/test_coverage.py has a small one",
    "refinding": "it needs an old release of the solver",
    "releases": "it installs each release of a solver",
    "switched": "it needs old releases of the solvers",
}


def programs() -> list[str]:
    """The files of `bench/` that are run."""
    texts = {file.stem: file.read_text() for file in BENCH.glob("*.py")}
    return sorted(name for name, text in texts.items() if 'if __name__ == "__main__"' in text)


def test_each_program_is_tried() -> None:
    assert programs() == sorted([*SMALL, *APART])


@pytest.fixture(scope="session")
def there(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What the words of `SMALL` stand for."""
    whole = tmp_path_factory.mktemp("whole") / "seeds"
    shutil.copytree(ROOT / "seeds", whole)
    seeds, out = tmp_path_factory.mktemp("seeds"), tmp_path_factory.mktemp("campaign") / "out"
    shutil.copytree(ROOT / "seeds" / "QF_BV", seeds / "QF_BV")
    murxpy = [sys.executable, "-m", "murxpy", "fuzz", "z3", "--runs", "4", "--no-minimize"]
    subprocess.run([*murxpy, "--out", str(out)], capture_output=True, check=False, cwd=ROOT)
    assert (out / "campaign.sqlite").is_file()
    program = str(Path(sys.executable).parent / "z3")
    return {"ALL": str(whole), "SEEDS": str(seeds), "OUT": str(out), "Z3": program}


@pytest.mark.slow
@pytest.mark.parametrize("program", SMALL)
def test_a_program_goes_through(program: str, there: dict[str, str], tmp_path: Path) -> None:
    pytest.importorskip("z3")
    pytest.importorskip("cvc5")
    places = {**there, "TMP": str(tmp_path)}
    words = shlex.split(SMALL[program])
    for name, path in places.items():
        words = [
            path + word.removeprefix(name) if word.startswith(name) else word for word in words
        ]
    command = [sys.executable, str(BENCH / f"{program}.py"), *words]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, cwd=tmp_path, env=environment
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert "Traceback" not in done.stderr
    assert done.stdout or program.startswith("make_")
