"""Whatever is wrong with what the user gives: one line that says so, and exit code 2 or 4."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from campaigns import FAKES
from commands import FAKE, WRAPPER, error, fuzz_fake, outcome

from murxpy.data import shipped_names
from murxpy.errors import InputError
from murxpy.findings.folder import CAMPAIGN, MATRIX, PERF, STABILITY, Folder

pytestmark = pytest.mark.usefixtures("kept_solvers")

Sys = pytest.CaptureFixture[str]

USAGE = {
    ("fuzz",): "name a solver, such as z3 or cvc5",
    ("fuzz", "cvc4"): "unknown solver 'cvc4' (did you mean 'cvc5'?)",
    ("fuzz", "z3", "z3"): "the target 'z3' stands twice",
    (
        "fuzz",
        "z3",
        "--theories",
        "STRNG",
    ): "unknown theory 'STRNG' (did you mean 'STRING'?); known are BOOL, ",
    ("fuzz", "z3", "--theories", "bag"): "z3 has no theory BAG: expected some of BOOL, ",
    (
        "fuzz",
        "z3",
        "--theories",
        "BV,,FP",
    ): "Invalid value for '--theories': 'BV,,FP': expected names with commas",
    (
        "fuzz",
        "z3",
        "--machine",
        "defalt",
    ): "unknown state machine 'defalt' (did you mean 'default'?)",
    ("fuzz", "z3", "--profile", "nowhere.yaml"): "nowhere.yaml: there is no such file",
    ("fuzz", "--wrapper", "nowhere.yaml"): "nowhere.yaml: there is no such file",
    ("fuzz", "nowhere.yaml"): "nowhere.yaml: there is no such file",
    (
        "fuzz",
        "z3",
        "--wrapper",
        str(WRAPPER),
    ): f"{WRAPPER}: it is a wrapper of 'fake', but the target is z3",
    ("fuzz", "z3", "--known", "nowhere"): "nowhere: there is no such file",
    (
        "fuzz",
        "z3",
        "--time",
        "5x",
    ): "Invalid value for '--time': '5x': expected a time such as 500ms, 60s, 5m or 2h",
    ("fuzz", "z3", "--wall", "0s"): "Invalid value for '--wall': '0s': expected a time",
    (
        "fuzz",
        "z3",
        "--memory",
        "1k",
    ): "Invalid value for '--memory': '1k': expected a size such as 512m or 2g",
    (
        "fuzz",
        "z3",
        "--seed",
        "1g",
    ): "Invalid value for '--seed': '1g': expected a number below 2^64",
    ("fuzz", "z3", "--run-seed", "0x" + 17 * "f"): "Invalid value for '--run-seed': ",
    ("fuzz", "z3", "--set", "x"): "--set x: expected NAME=VALUE",
    (
        "fuzz",
        "z3",
        "--mix",
        "parts",
        "--machine",
        "search",
    ): "no source of --mix walks the machine of --machine: add 'api', or leave --machine out",
    ("fuzz", "z3", "--stability", "5"): "--stability asks variants of mutants: give --mix",
    (
        "fuzz",
        "z3",
        "--fail-on",
        "hangs",
    ): "Invalid value for '--fail-on': unknown name 'hangs' (did you mean 'hang'?)",
    ("fuzz", "z3", "cvc5", "--run-seed", "1"): "--run-seed: expected one target",
    (
        *("fuzz", "z3", "--run-seed", "1", "--keep-scripts", "kept"),
    ): "--keep-scripts is for campaigns, and --run-seed prints its one trace: leave one out",
    ("fuzz", "z3", "--run-seed", "1", "--json"): "--run-seed writes a trace: leave --json out",
    (
        "fuzz",
        "z3",
        "--out",
        "/dev/null",
    ): "/dev/null: the output folder cannot be written (File exists)",
    (
        "fuzz",
        "z3",
        "--out",
        "/dev/null/x",
    ): "/dev/null/x: the output folder cannot be written (Not a directory)",
    ("replay", "nowhere"): "nowhere: there is no such file",
    ("replay", "/dev"): "/dev: expected a file with a trace, found a folder",
    (
        "replay",
        str(WRAPPER),
        "--json",
        "--trace",
    ): "--trace and --json both write to standard output",
    ("findings", "nowhere"): "nowhere: there is no such file or folder, and no campaign here",
    (
        "doctor",
        "z4",
    ): f"unknown solver 'z4': expected {', '.join(shipped_names())} or a wrapper's YAML file",
}


@pytest.mark.parametrize("args", USAGE)
def test_usage(capsys: Sys, args: tuple[str, ...]) -> None:
    code, line = error(capsys, *args)
    assert code == 2 and line.startswith(USAGE[args]), line


FILES = [
    ("--machine", "name: [\n", ":2: not YAML"),
    (
        "--machine",
        "name: m\nstart: a\nfinal: z\nstates:\n  a: {do: [{do: nw, weight: 1, to: z}]}\n  z: {}\n",
        ":5: state 'a': unknown action 'nw' (did you mean 'new'?)",
    ),
    ("--profile", "exclude-operators: [OP_BV_AD]\n", ":1: unknown operator 'OP_BV_AD'"),
    ("--profile", "sorts: {exclude: [SORT_BW]}\n", ":1: unknown sort kind 'SORT_BW'"),
    ("--profile", "\x00\n", ":1: not YAML"),
    ("--wrapper", "solver: q\nmodule: q\n", ":1: the key 'package' is missing"),
    ("--known", "# known\ntwo words\n", ":2: expected one bucket key or pattern a line"),
]


@pytest.mark.parametrize(("option", "text", "message"), FILES)
def test_files(capsys: Sys, tmp_path: Path, option: str, text: str, message: str) -> None:
    file = tmp_path / "file.yaml"
    file.write_text(text)
    code, line = error(capsys, "fuzz", "z3", option, file, "--out", tmp_path / "out")
    assert code == 2 and line.startswith(f"{file}{message}"), line
    assert not (tmp_path / "out").exists()


TRACES = {
    "": "no action in this trace",
    "# solver z3 1\n": "no action in this trace",
    "1 new\n": "the trace does not say its solver",
    "# solver z4 1\n1 new\n": "the trace is of 'z4', which has no wrapper here",
    "# murxpy-trace 9\n1 new\n": "1: trace format '9'",
    "# seed zz\n1 new\n": "1: expected a seed in hexadecimal",
    "# solver z3 1\n1 new\nx y z\n": "3: ",
    "# solver z3 1\n1 new\n2 frob\n": "3: unknown action 'frob'",
    "# solver z3 1\n1 new\n2 assert-formula t7\n": "3: ",
}


@pytest.mark.parametrize("text", TRACES)
def test_traces(capsys: Sys, tmp_path: Path, text: str) -> None:
    file = tmp_path / "a.trace"
    file.write_text(text)
    code, line = error(capsys, "replay", file)
    wanted = TRACES[text]
    assert code == 2 and line.startswith(
        f"{file}:{wanted}" if wanted[0].isdigit() else f"{file}: {wanted}"
    ), line


def truncated(text: str) -> Iterator[str]:
    """`text` cut at some of its bytes."""
    return (text[:at] for at in range(1, len(text), max(1, len(text) // 4)))


@pytest.mark.usefixtures("bare_findings")
def test_truncated_trace(capsys: Sys, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKESOLVER_FAULT", "or:segfault")
    fuzz_fake(capsys, tmp_path / "out", "--stop-at-first")
    text = next(tmp_path.glob("out/findings/*/*.trace")).read_text()
    file = tmp_path / "a.trace"
    for part in truncated(text):
        file.write_text(part)
        code, _, err = outcome(capsys, "replay", file, "--solver", FAKE[0], *FAKE[1:])
        # 1: the fatal call is there, its end not
        assert code in (0, 1, 2) and err.count("\n") == (code == 2)


SOLVERS = {
    "z3@nowhere": "'nowhere' is neither a folder that exists nor a release: expected a number such as 4.13.0",
    "z3@no/where": "target 'z3@no/where': there is no folder ",
    f"z3@{FAKES}": f"target 'z3@{FAKES}': {FAKES} has neither bin/python (an environment) nor the Python package 'z3'",
}


@pytest.mark.parametrize("target", SOLVERS)
def test_places_without_a_solver(capsys: Sys, tmp_path: Path, target: str) -> None:
    code, line = error(capsys, "fuzz", target, "--out", tmp_path)
    assert code == 4 and line.startswith(SOLVERS[target]), line


def test_broken_builds(capsys: Sys, tmp_path: Path) -> None:
    package = tmp_path / "python" / "fakesolver"
    package.mkdir(parents=True)
    target = (f"fake@{tmp_path}", *FAKE[1:], "--out", str(tmp_path / "out"))
    for text, message in (
        (
            "raise OSError('libfake.so: cannot open\\nshared object')",
            "cannot be loaded (OSError: libfake.so: cannot open",
        ),
        (
            "import nosuchmodule",
            "cannot be loaded (ModuleNotFoundError: No module named 'nosuchmodule'); a build is loaded without"
            " installed packages: put its Python package into an environment that has 'nosuchmodule'",
        ),
        (
            "",
            "cannot be loaded (AttributeError: module 'fakesolver' has no attribute '__version__')",
        ),
        ("__version__ = '1'", "fake: this release has no spelling of 'new-context'"),
        ("import os; os.abort()", "the process that loads the solver ended (signal SIGABRT)"),
    ):
        (package / "__init__.py").write_text(text)
        code, line = error(capsys, "fuzz", *target)
        assert code == 4 and message in line, line


def test_missing_package(capsys: Sys, tmp_path: Path) -> None:
    wrapper = tmp_path / "w.yaml"
    wrapper.write_text(WRAPPER.read_text().replace("fakesolver", "nosuchsolver"))
    code, line = error(capsys, "fuzz", "--wrapper", wrapper, "--out", tmp_path / "out")
    assert code == 4
    assert line.startswith(
        "target 'fake': fake is not installed: there is no module 'nosuchsolver'; run '"
    )
    assert line.endswith("-m pip install nosuchsolver'")


@pytest.mark.parametrize("solver", ["z3", "cvc5"])
def test_options_that_the_solver_does_not_take(capsys: Sys, tmp_path: Path, solver: str) -> None:
    code, line = error(capsys, "fuzz", solver, "--set", "nosuch=1", "--out", tmp_path)
    assert code == 2 and " does not take the option nosuch=1: " in line


def test_two_campaigns_on_one_folder(capsys: Sys, tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    code, line = error(capsys, "fuzz", "z3", "--out", tmp_path)
    assert code == 2 and line.startswith(f"{tmp_path}: another process (")
    folder.close()


FOREIGN = {
    ("fuzz", "z3"): PERF,
    ("fuzz", "cvc5"): MATRIX,
    ("enumerate", "z3", "--grammar", "ints"): STABILITY,
    ("perf", "z3", "--theories", "BV"): CAMPAIGN,
    ("stability", "z3", "s.smt2"): CAMPAIGN,
}


@pytest.mark.parametrize("args", FOREIGN)
def test_the_folder_of_another_command_is_refused(
    capsys: Sys, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, args: tuple[str, ...]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("s.smt2").write_text("(check-sat)")
    out = Path("out")
    out.mkdir()
    (out / FOREIGN[args]).touch()
    code, line = error(capsys, *args, "--out", out)
    assert code == 2 and line.startswith("out: this folder is that of "), line
    assert [one.name for one in out.iterdir()] == [FOREIGN[args]]


def test_a_search_goes_on_in_its_folder_and_others_do_not(tmp_path: Path) -> None:
    """It has the database of a campaign beside its own file."""
    (tmp_path / PERF).touch()
    (tmp_path / CAMPAIGN).touch()
    for file in ("", PERF):
        Folder(tmp_path, file).close()
    for file in (CAMPAIGN, MATRIX):
        with pytest.raises(InputError, match="this folder is that of 'murxpy perf'"):
            Folder(tmp_path, file)


@pytest.mark.usefixtures("bare_findings")
def test_what_was_found_stays(capsys: Sys, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKESOLVER_FAULT", "or:segfault")
    fuzz_fake(capsys, tmp_path, "--stop-at-first")
    before = outcome(capsys, "findings", tmp_path)[1]
    code, line = error(capsys, "fuzz", *FAKE, "--out", tmp_path, "--seed", "2")
    assert code == 2 and "has seed 1, not 2; leave --seed out" in line
    assert error(capsys, "fuzz", "z3@nowhere", "--out", tmp_path)[0] == 4
    assert outcome(capsys, "findings", tmp_path)[1] == before
    (tmp_path / "campaign.sqlite").write_text("garbage")
    code, line = error(capsys, "fuzz", *FAKE, "--out", tmp_path)
    assert code == 2 and line.startswith(f"{tmp_path}/campaign.sqlite: it is damaged")
    assert list(tmp_path.glob("findings/*/*.trace"))


def test_output_that_is_closed(capsys: Sys, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdout", None)
    assert outcome(capsys, "theories", "--json")[0] == 0
