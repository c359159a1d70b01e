"""Configuration files: which value holds, what they may name, and what is said of a wrong one."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from commands import WRAPPER, error, outcome

from murxpy.cli import commands, murxpy
from murxpy.cli.configuration import SHARED, holding, options_of, read_sources
from murxpy.cli.params import Guarded, for_everybody, inner_type, refuse_empty
from murxpy.errors import InputError

Sys = pytest.CaptureFixture[str]
COMMANDS = tuple(commands())


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder inside a project, which is the current one. The user's own files are beside it."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "own"))
    folder = tmp_path / "project" / "inner"
    folder.mkdir(parents=True)
    (tmp_path / "project" / ".git").mkdir()
    monkeypatch.chdir(folder)
    return folder.parent


def written(path: Path, text: str) -> Path:
    """The file with this text."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def values(capsys: Sys, *args: str) -> dict[str, object]:
    """What `murxpy config` says holds, by command and option."""
    code, out, err = outcome(capsys, *args, "--json")
    assert code == 0, err
    return {f"{one['command']} {one['option']}": one["value"] for one in json.loads(out)["values"]}


def leaves(command: click.Command) -> Iterator[click.Command]:
    """The command and all commands in it."""
    yield command
    for inner in command.commands.values() if isinstance(command, click.Group) else ():
        yield from leaves(inner)


def options(name: str) -> Iterator[tuple[str, click.Option]]:
    """The options of a command with their long names."""
    command = murxpy.get_command(click.Context(murxpy), name)
    assert command is not None
    for one in leaves(command):
        yield from options_of(one).items()


def test_the_first_that_says_something_holds(
    project: Path, tmp_path: Path, capsys: Sys, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = ("runs = 1", "judged = 11", "share = 12", "jobs = 13", "size-limit = 14", "")
    written(tmp_path / "own/murxpy/config.toml", "[fuzz]\n" + "\n".join(lines))
    written(project / "murxpy.toml", "[fuzz]\nruns = 2\njudged = 21\nshare = 22\njobs = 23\n")
    named = written(tmp_path / "named.toml", "[fuzz]\nruns = 3\njudged = 31\nshare = 32\n")
    monkeypatch.setenv("MURXPY_FUZZ_JUDGED", "41")
    monkeypatch.setenv("MURXPY_FUZZ_RUNS", "42")
    held = values(capsys, "--config", str(named), "config", "fuzz")
    assert held["fuzz runs"] == "42"
    assert held["fuzz judged"] == "41"
    assert held["fuzz share"] == "32"
    assert held["fuzz jobs"] == "23"
    assert held["fuzz size-limit"] == "14"
    assert held["fuzz iterations"] == 25
    # the same holds where the command runs, and the command line goes before all of them
    context = murxpy.make_context("murxpy", ["--config", str(named), "fuzz", "z3", "--runs", "5"])
    name, command, rest = murxpy.resolve_command(context, ["fuzz", "z3", "--runs", "5"])
    assert command is not None
    given = command.make_context(name, rest, parent=context).params
    assert [given[key] for key in ("runs", "judged", "share", "jobs", "size_limit")] == [
        *(5, 41.0, 32.0, 23, 14)
    ]


def test_variables_have_the_names_of_options(
    project: Path, capsys: Sys, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, text in {
        "FUZZ_CROSS_CHECK": "cvc5 z3",
        "FUZZ_CHECK": "models,values",
        "FUZZ_MINIMIZE": "0",
        "FUZZ_JSON": "true",
        "FUZZ_SHARE": "7.5",
        "KNOWN_CHECK_SOLVER": "z3",
    }.items():
        monkeypatch.setenv(f"MURXPY_{name}", text)
    assert values(capsys, "config") == {
        "fuzz cross-check": ["cvc5", "z3"],
        "fuzz check": "models,values",
        "fuzz minimize": False,
        "fuzz json": True,
        "fuzz share": "7.5",
        "known check solver": "z3",
    }


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("FUZZ_TME", "3", "no option of 'murxpy fuzz' has a variable of this name (did you mean"),
        ("FUZZ_RUNS", "many", "runs: expected an integer, found a text"),
        ("FUZZ_RUNS", "0", "runs: 0 is not in the range x>=1"),
        ("FUZZ_MINIMIZE", "maybe", "minimize: expected true or false, found a text"),
        ("FUZZ_TIME", "soon", "time: 'soon': expected a time such as 500ms"),
        ("FUZZ_KNOWN", "no/such", "no/such: there is no such file"),
    ],
)
def test_a_wrong_variable_is_named(
    project: Path, capsys: Sys, monkeypatch: pytest.MonkeyPatch, name: str, text: str, said: str
) -> None:
    monkeypatch.setenv(f"MURXPY_{name}", text)
    for words in (("config",), ("fuzz", "z3", "--runs", "1")):
        code, line = error(capsys, *words)
        assert code == 2
        assert line.startswith(f"MURXPY_{name}: ") and said in line


def test_values_of_every_kind(project: Path) -> None:
    text = """
    jobs = 3
    [fuzz]
    cross-check = ["cvc5", "z3"]
    time = 90
    memory = "1g"
    theories = ["BV", "FP"]
    check = "models,values"
    minimize = false
    contract = true
    set = ["a=1", "b=2"]
    seed = "ff"
    [findings]
    since = 2026-11-01
    json = true
    cross-check = "cvc5,z3"
    [fsm.show]
    runs = 7
    """
    written(project / "murxpy.toml", text)
    found = {}
    for name in ("fuzz", "findings", "fsm"):
        command = murxpy.get_command(click.Context(murxpy), name)
        assert command is not None
        for (path, param), given in holding(read_sources(None, trust=False), name, command).items():
            found[(*path, param)] = given.value
    assert found == {
        ("fuzz", "time"): "90",
        ("fuzz", "memory"): "1g",
        ("fuzz", "theories"): "BV,FP",
        ("fuzz", "checks"): "models,values",
        ("fuzz", "minimize"): False,
        ("fuzz", "contract"): True,
        ("fuzz", "settings"): ["a=1", "b=2"],
        ("fuzz", "seed"): "ff",
        ("fuzz", "jobs"): "3",
        ("fuzz", "judges"): ["cvc5", "z3"],
        ("findings", "since"): "2026-11-01",
        ("findings", "form"): "json",
        ("findings", "cross_check"): "cvc5,z3",
        ("fsm", "show", "runs"): "7",
    }


def test_the_search_ends_at_the_root_of_the_project(project: Path, capsys: Sys) -> None:
    written(project.parent / "murxpy.toml", "[fuzz]\nruns = 1\n")
    assert values(capsys, "config") == {}
    written(project / "pyproject.toml", "[project]\nname = 'x'\n[tool.murxpy.fuzz]\nruns = 2\n")
    assert values(capsys, "config") == {"fuzz runs": "2"}
    written(project / "inner/murxpy.toml", "[fuzz]\nruns = 3\n")
    assert values(capsys, "config") == {"fuzz runs": "3"}
    assert values(capsys, "--no-config", "config") == {}


def test_a_pyproject_without_a_table_for_murxpy_is_passed_by(project: Path, capsys: Sys) -> None:
    written(project / "inner/pyproject.toml", "[tool.other]\nneeds = ['murxpy']\n")
    written(project / "murxpy.toml", "[fuzz]\nruns = 3\n")
    assert values(capsys, "config") == {"fuzz runs": "3"}
    for text in ("tool = 3 # tool.murxpy\n", f"[tool.murxpy] # {'x' * (1 << 18)}", "\xff"):
        (project / "inner/pyproject.toml").write_text(text, encoding="latin-1")
        assert values(capsys, "config") == {"fuzz runs": "3"}


@pytest.fixture
def usual_digits() -> Iterator[None]:
    """Python's limit of digits, which a test lifted that works with long numbers."""
    before = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(4300)
    yield
    sys.set_int_max_str_digits(before)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[fuzz]\ntme = 3", "2: unknown key 'tme' (did you mean 'time'?): expected the long name"),
        ("\n[fuz]\n", "2: unknown table [fuz] (did you mean 'fuzz'?)"),
        ("runs = 3", "1: unknown key 'runs': expected the table of a command"),
        ("fuzz = 3", "1: fuzz: expected a table [fuzz], found the number 3"),
        ("[known]\nadd = 3", "2: add: expected a table, found the number 3"),
        ("[fuzz]\nmix = '\u2028\u0085'\nruns = '3'", "3: runs: expected an integer"),
        ("[fuzz]\n\nruns = '3'", "3: runs: expected an integer, found a text"),
        ("[fuzz]\nruns = true", "2: runs: expected an integer, found true"),
        ("[fuzz]\nruns = 0", "2: runs: 0 is not in the range x>=1"),
        ("[fuzz]\nminimize = 'no'", "2: minimize: expected true or false, found a text"),
        ("[fuzz]\ntime = 'soon'", "2: time: 'soon': expected a time such as 500ms"),
        ("[fuzz]\nguide = 'left'", "2: guide: 'left' is not one of"),
        ("[fuzz]\nset = [\n 'a=1',\n 3,\n]", "2: set: expected a text or a list of texts, found"),
        ("[fuzz]\nshare = 'x'", "2: share: expected a number, found a text"),
        ("[fuzz]\nmix = 1979-05-27", "2: mix: expected a text, found a date or time"),
        ("[fuzz]\ncheck = ['models', 'modls']", "2: check: unknown name 'modls' (did you mean"),
        ("[fuzz]\nruns = ! 3", "2:8: no TOML: Invalid value"),
        ("[fuzz]\nruns = ", "2: no TOML: Invalid value"),
        ("[fuzz]\nruns = 3\nruns = 3", "3: no TOML: Cannot overwrite a value"),
        (f"jobs = {'9' * 5000}", " no TOML: Exceeds the limit"),
        (
            f"jobs = 0x{'f' * 5000}",
            "1: jobs: expected an integer, found a number out of all ranges",
        ),
        ("share = nan", "1: share: expected a number, found a number out of all ranges"),
        ("x = " + "[" * 5000, " too deeply nested"),
        ("fuzz = {runs = 3, tme = 4}", "1: unknown key 'tme'"),
    ],
)
@pytest.mark.usefixtures("usual_digits")
def test_a_wrong_file_is_one_line_with_its_line(
    project: Path, capsys: Sys, text: str, said: str
) -> None:
    file = written(project / "murxpy.toml", text)
    code, line = error(capsys, "config")
    assert code == 2
    assert line.startswith(f"{file}:{said}"), line


def test_a_home_folder_that_nobody_knows_is_not_the_current_one(
    project: Path, capsys: Sys, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The user's own file is trusted: a checkout with a folder `~` must not come in its place."""
    written(project / "inner/~/.config/murxpy/config.toml", "[fuzz]\nruns = 3\n")
    written(project / "inner/there/murxpy/config.toml", "[fuzz]\nruns = 3\n")
    monkeypatch.setattr("os.path.expanduser", lambda path: path)
    for base in ("", "there"):
        monkeypatch.setenv("XDG_CONFIG_HOME", base)
        assert values(capsys, "config") == {}


def test_a_current_folder_that_is_gone(
    tmp_path: Path, capsys: Sys, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    assert values(capsys, "config") == {}


def test_lines_are_found_behind_values_of_many_lines(project: Path, capsys: Sys) -> None:
    text = '[project]\ndependencies = [\n  "a[b]",\n]\ndescription = """\n[fuzz]\n"""\n'
    file = written(project / "pyproject.toml", f"{text}\n[tool.murxpy.fuzz]\nruns = 'x'\n")
    assert error(capsys, "config")[1].startswith(f"{file}:10: runs: expected an integer")


def test_a_hostile_file_is_refused_at_once(project: Path, capsys: Sys) -> None:
    file = project / "murxpy.toml"
    file.symlink_to("/dev/zero")
    assert error(capsys, "config") == (
        2,
        f"{file}: expected a file with a configuration, found a device",
    )
    file.unlink()
    written(file, "[fuzz]\n'\\u202e\\u001b[31m' = 3\n")
    assert error(capsys, "config")[1].startswith(f"{file}:2: unknown key '\\u202e\\u001b[31m'")


@pytest.mark.parametrize("name", COMMANDS)
def test_a_project_gives_no_option_that_names_something(name: str, project: Path) -> None:
    """Each option is either of a type whose values name nothing, or is refused in the file of a project."""
    command = murxpy.get_command(click.Context(murxpy), name)
    assert command is not None
    inner = command.commands if isinstance(command, click.Group) else {"": command}
    for word, one in inner.items():
        for option, param in options_of(one).items():
            plain = type(inner_type(param)) is click.types.StringParamType
            assert not plain or param.is_flag or isinstance(param, Guarded), (
                f"say of --{option} whether a stranger may give it: type=Text() or cls=Guarded"
            )
            if for_everybody(param):
                continue
            value = "true" if param.is_flag else "'x/y.yaml'"
            table = f"{name}.{word}".rstrip(".")
            written(project / "murxpy.toml", f"[{table}]\n{option} = {value}\n")
            with pytest.raises(InputError, match="which may be a stranger's, may"):
                holding(read_sources(None, trust=False), name, command)


GUARDED = {
    *("add", "remove", "prune", "releases", "module", "command", "grammar", "pool", "rules"),
    *("functions", "fusion-functions", "janus-rules", "enumerate-grammars", "allow", "wrapper"),
    *("theory", "known", "machine", "profile", "out", "output", "keep-scripts", "solver", "model"),
    *("cross-check", "baseline", "reference", "ask", "by", "html", "junit", "sarif", "markdown"),
    *("gcov", "source", "into", "write", "svg", "table", "file", "host", "cluster"),
}


def test_the_options_that_only_the_user_may_give() -> None:
    """A new option that takes a file, a folder, a target or a command is one of them by its type; this
    says their names once more, so that none leaves the list unnoticed.
    """
    found = {
        option for name in COMMANDS for option, param in options(name) if not for_everybody(param)
    }
    assert found == GUARDED


def test_a_project_may_name_solvers_but_no_places(project: Path, capsys: Sys) -> None:
    file = project / "murxpy.toml"
    written(file, "[fuzz]\ncross-check = ['cvc5', 'z3[smt.arith.solver=2]']\n")
    assert values(capsys, "config") == {"fuzz cross-check": ["cvc5", "z3[smt.arith.solver=2]"]}
    for target in ("z3@4.13.0", "z3@latest", "cvc5@./build", "smt2:/bin/sh", "./own.yaml"):
        written(file, f"[fuzz]\ncross-check = 'cvc5,{target}'\n")
        code, line = error(capsys, "fuzz", "z3", "--runs", "1")
        assert code == 2
        assert line.startswith(f"{file}:2: cross-check: the file of a project")
        assert "may name only solvers here" in line and "--trust-config" in line


def test_a_trusted_project_names_paths_from_its_own_folder(project: Path, capsys: Sys) -> None:
    (project / "build").mkdir()
    (project / "known.yaml").write_text("")
    text = (
        f"[fuzz]\nwrapper = '{WRAPPER}'\nout = 'out'\nknown = 'known.yaml'\nbaseline = 'z3@build'\n"
    )
    file = written(project / "murxpy.toml", text + "machine = 'default'\n")
    assert error(capsys, "config", "fuzz")[0] == 2
    held = values(capsys, "--trust-config", "config")
    assert held == {
        "fuzz wrapper": str(WRAPPER),
        "fuzz out": str(project / "out"),
        "fuzz known": [str(project / "known.yaml")],
        "fuzz baseline": f"z3@{project / 'build'}",
        "fuzz machine": "default",
    }
    written(file, "[fuzz]\nwrapper = 'missing.yaml'\n")
    said = f"{file}:2: wrapper: {project / 'missing.yaml'}: there is no such file"
    assert error(capsys, "--trust-config", "config") == (2, said)


def test_a_campaign_takes_its_options_from_the_users_file(
    project: Path, tmp_path: Path, capsys: Sys
) -> None:
    """The file of the user may name a wrapper and a build, and what it names may be used."""
    text = f"[fuzz]\nwrapper = '{WRAPPER}'\nruns = 4\njobs = 1\nout = '{tmp_path / 'out'}'\n"
    written(tmp_path / "own/murxpy/config.toml", text)
    code, _, err = outcome(capsys, "fuzz", f"fake@{WRAPPER.parent}", "--seed", "1")
    assert code in (0, 1), err
    assert (tmp_path / "out" / "campaign.sqlite").is_file()


def test_an_error_says_that_options_of_files_hold(project: Path, capsys: Sys) -> None:
    file = written(project / "murxpy.toml", "[fuzz]\nmix = 'api:x'\n")
    code, line = error(capsys, "fuzz", "z3")
    assert code == 2
    assert line.endswith(f"; options of {file} hold, see 'murxpy config fuzz'")
    written(file, "[fuzz]\nruns = 1\ntheories = ['BV', 'NOPE']\n")
    code, line = error(capsys, "fuzz", "z3")
    assert (code, line.partition(";")[0]) == (2, "unknown theory 'NOPE'")
    assert line.endswith(f"; options of {file}:3 hold, see 'murxpy config fuzz'")


def test_the_example_of_the_page(project: Path, tmp_path: Path, capsys: Sys) -> None:
    """The page shows a file and what `murxpy config` says of it, and lists the options that are shared."""
    page = (Path(__file__).parents[2] / "docs" / "configuration.md").read_text(encoding="utf-8")
    example = page.partition("```toml\n")[2].partition("```")[0]
    written(project / "inner/murxpy.toml", example)
    written(tmp_path / "own/murxpy/config.toml", "[fuzz]\ntime = '1h'\n")
    shown = page.partition("    option  ")[2].partition("\n\n")[0].splitlines()[1:]
    _, out, _ = outcome(capsys, "config")
    told = out.replace(str(tmp_path / "own"), "/home/me/.config").splitlines()[3:]
    assert sorted(" ".join(row.split()) for row in told) == sorted(
        " ".join(row.split()) for row in shown
    )
    listed = page.partition("mean the same in several commands: ")[2].partition(". ")[0]
    assert tuple(re.findall(r"`([a-z-]+)`", listed)) == SHARED


def test_where_a_value_comes_from(project: Path, tmp_path: Path, capsys: Sys) -> None:
    own = written(tmp_path / "own/murxpy/config.toml", "jobs = 2\n[fuzz]\ntime = '1h'\n")
    written(project / "inner/murxpy.toml", "# ours\n[fuzz]\ntime = '10m'\n")
    code, out, _ = outcome(capsys, "config")
    assert code == 0
    rows = [" ".join(line.split()) for line in out.splitlines()]
    assert f"fuzz --time 10m murxpy.toml:3 1h ({own}:3)" in rows
    assert f"--jobs 2 {own}:1" in rows
    assert any("not trusted" in row for row in rows)


def test_global_options_stand_before_the_command(capsys: Sys) -> None:
    code, line = error(capsys, "config", "--no-config")
    assert code == 2
    assert "--no-config stands before the command: 'murxpy --no-config ... config'" in line


def test_shared_options_take_the_same_values_in_all_commands() -> None:
    for shared in SHARED:
        found = [param for name in COMMANDS for option, param in options(name) if option == shared]
        assert len(found) > 1, shared
        kinds = {(type(inner_type(param)), param.is_flag) for param in found}
        flags = {is_flag for _, is_flag in kinds}
        assert len(kinds) == 1 or flags == {True}, (shared, kinds)


def test_an_option_without_a_class_is_for_the_user_alone() -> None:
    @click.command()
    @click.option("--plain")
    @click.option("--number", type=int)
    @click.option("--file", type=click.Path())
    def command() -> None: ...

    refuse_empty(command)
    assert {n for n, o in options_of(command).items() if for_everybody(o)} == {"number"}
