"""Every command: a missing file is told before all other errors, and an error names no option that
the command lacks.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from commands import error

from murxpy.cli import commands as listed
from murxpy.cli import module_of, murxpy
from murxpy.cli.params import Existing, NamedFile, inner_type

PACKAGE = Path(__file__).parents[2] / "murxpy"
_OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*")
_QUALIFIED = re.compile(
    r"'murxpy [^']*'( fewer --jobs)?|given to 'fuzz' as --out|the trace is of|'--to [^']*'"
)
# paths that need not be there; OUT of `findings` and others says what it is
WRITTEN = (
    *("out", "output", "into", "svg", "table", "keep_scripts"),
    *("html", "markdown", "junit", "sarif"),
)
# Who can come to the errors of a shared module, or of one function in it, that name options.
SHARED = {
    "cli/report/page.py": ["report"],
    "cli/campaigns.py": ["fuzz", "storm", "fusion", "opfuzz", "typefuzz", "janus"],
    "campaign/asked.py": ["fuzz", "storm", "fusion", "opfuzz", "typefuzz", "janus"],
    "campaign/asked.py: _refuse_programs": ["fuzz"],
    "campaign/asked.py: _compared": ["fuzz"],
    "campaign/asked.py: _baseline_plans": [
        "fuzz"
    ],  # the other commands have no --mix and no --compare
    "cli/options.py": ["enumerate", "matrix"],
    "campaign/sessions.py": ["fuzz", "storm", "fusion", "opfuzz", "typefuzz", "janus"],
    "campaign/campaign.py": ["fuzz", "storm", "fusion", "opfuzz", "typefuzz", "janus"],
    "solvers/options.py": ["fuzz", "storm", "fusion", "opfuzz", "typefuzz", "janus"],
    "worker/session.py: Session": ["fuzz", "storm", "fusion", "opfuzz", "typefuzz", "janus"],
    "judging/operators.py": [
        "fuzz",
        "storm",
        "fusion",
        "opfuzz",
        "typefuzz",
        "janus",
        "check-seeds",
    ],
    "findings/bucket_names.py": [*("replay", "minimize", "eval", "translate", "bisect", "regress")],
    "findings/folder.py": [
        *("fuzz", "storm", "fusion", "opfuzz", "typefuzz", "janus"),
        *("enumerate", "matrix", "stability", "perf"),
    ],
    "findings/merging.py": ["merge"],
    "processes/gcov.py": ["fuzz", "storm", "fusion", "opfuzz", "typefuzz", "janus"],
    "cluster/places.py": ["fuzz"],
    "findings/origin.py": ["replay", "eval", "minimize"],
    "judging/evaluation.py": ["eval"],
    "judging/defects.py": ["bisect", "regress"],
    "translate/formula.py": ["translate"],
    "judging/regress.py": ["bisect"],
    "reduction/predicates.py": ["minimize"],
    "reduction/pipeline.py": ["minimize"],
    # the memory of the others is enough for a solver
    "processes/pool.py": [
        "fuzz",
        "storm",
        "fusion",
        "opfuzz",
        "typefuzz",
        "janus",
        "replay",
    ],
    "reduction/instances.py": ["minimize"],
    "reduction/scripts.py": ["minimize"],
    # others are told of another folder alone
    "findings/store.py": ["fuzz", "storm", "fusion", "opfuzz", "typefuzz", "janus"],
    "fuzzers/setups.py": ["fuzz", "storm", "fusion", "opfuzz", "typefuzz", "janus"],
    "fuzzers/setups.py: _parse_source": ["fuzz"],
    "fuzzers/setups.py: _without_theories": ["fuzz"],
    "fuzzers/setups.py: chosen_logics": ["fuzz"],
    "fuzzers/setups.py: parse_mix": ["fuzz"],
    "translate/murxla.py": ["translate"],
    "translate/smtlib.py": ["translate"],  # others keep what stands before it
    "worker/mutating.py": ["opfuzz", "typefuzz", "janus", "fusion", "storm", "fuzz"],
    "cli/replay.py": ["replay"],  # those that share `plan_of` are below
    "cli/mutate.py": ["storm", "fusion", "opfuzz", "typefuzz", "janus"],
    "cli/options.py: prefixed": ["fuzz"],
    "cli/__init__.py": ["config"],  # all commands can, but the options stand before the command
    "cli/theories.py": ["rules"],
}


def commands() -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """Every command with the words that call it."""
    context = click.Context(murxpy)
    for name in listed():
        command = murxpy.get_command(context, name)
        assert command is not None
        if isinstance(command, click.Group):
            yield from (((name, inner), found) for inner, found in command.commands.items())
        else:
            yield (name,), command


ALL = list(commands())


def _inner(param: click.Parameter) -> object:
    return inner_type(param)


def _reading() -> Iterator[tuple[tuple[str, ...], click.Command, click.Parameter]]:
    for words, command in ALL:
        for param in command.params:
            if isinstance(_inner(param), Existing | NamedFile):
                yield words, command, param


@pytest.mark.parametrize(
    ("words", "command", "param"), list(_reading()), ids=lambda value: getattr(value, "name", None)
)
def test_a_missing_file_is_told_first(
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    words: tuple[str, ...],
    command: click.Command,
    param: click.Parameter,
) -> None:
    """Before an unknown solver, options that do not go together, and values that cannot be read."""
    present = tmp_path / "there.trace"
    present.write_text("what\n")
    line = list(words)
    for other in command.params:
        if other is param:
            continue
        if isinstance(other, click.Argument):
            line += (
                [str(present) if isinstance(_inner(other), Existing) else "nosolver"]
                if other.required
                else []
            )
        elif other.required:
            line += [other.opts[0], "nothing"]
    for option in ("--wall", "--json", "--trace", "--planted", "--unknown"):
        if any(option in other.opts for other in command.params) and (
            option != "--wall" or param.nargs == 1
        ):
            line += [option] if option != "--wall" else [option, "never"]
    missing = str(tmp_path / "missing.yaml")
    line += [missing] if isinstance(param, click.Argument) else [param.opts[0], missing]
    code, said = error(capsys, *line)
    assert code == 2 and said.startswith(
        (f"{missing}: there is no such file", f"no such file or folder: {missing}; expected seeds")
    ), said


@pytest.mark.parametrize(
    ("words", "command"), ALL, ids=lambda value: "-".join(value) if isinstance(value, tuple) else ""
)
def test_every_path_says_what_it_is_for(words: tuple[str, ...], command: click.Command) -> None:
    unknown = [
        param.name
        for param in command.params
        if isinstance(_inner(param), click.Path) and param.name not in WRITTEN
    ]
    assert unknown == [], (
        "a file that is read is of the type Existing, or NamedFile where it may be a name"
    )


def _raised(path: Path) -> dict[str, list[str]]:
    """The options that the errors in a file name, by the names of its functions and classes."""
    text = path.read_text()
    return {
        getattr(node, "name", ""): found
        for node in (ast.parse(text).body if _OPTION.search(text) else ())
        if (found := list(_named(node)))
    }


def _named(part: ast.stmt) -> Iterator[str]:
    for node in ast.walk(part):
        call = node.exc if isinstance(node, ast.Raise) else node
        if isinstance(call, ast.Call) and re.search(r"Error|BadParameter", ast.unparse(call.func)):
            said = " ".join(
                part.value
                for part in ast.walk(call)
                if isinstance(part, ast.Constant) and isinstance(part.value, str)
            )
            yield from _OPTION.findall(_QUALIFIED.sub("", said))


FILES = [
    path.relative_to(PACKAGE) for path in sorted(PACKAGE.rglob("*.py")) if "_data" not in path.parts
]


def test_an_error_names_only_options_of_its_commands() -> None:
    own = {name: module_of(name).replace(".", "/") for name in listed()}
    modules = {f"cli/{module}.py": [name] for name, module in own.items()} | SHARED
    raised = [(path, *entry) for path in FILES for entry in _raised(PACKAGE / path).items()]
    assert len(raised) > 50
    for path, name, named in raised:
        reached = modules.get(f"{path}: {name}") or modules.get(str(path))
        assert reached, f"say in SHARED which commands can come to the errors of {path}: {name}"
        for words, command in ALL:
            if words[0] in reached and len(words) < 2:
                params = (*command.params, *murxpy.params)
                known = [option for param in params for option in param.opts]
                assert [
                    option
                    for option in named
                    if not any(other.startswith(option) for other in known)
                ] == [], (path, name, words)


def test_a_solver_that_has_no_wrapper(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "f.trace"
    file.write_text("# murxpy-trace 1\n# solver nosolver 1.0\n1 new\n")
    for command in ("replay", "minimize", "eval"):
        code, said = error(capsys, command, file)
        assert code == 2 and "--wrapper" in said and "name another solver with --solver" in said


def test_a_script_without_a_solver(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "f.smt2"
    file.write_text("(check-sat)")
    asked = f"{file}: name the solver that the script is run on with --solver"
    assert error(capsys, "eval", file)[1] == f"{asked}, or give a model with --model"
    assert error(capsys, "minimize", file)[1] == f"{asked} or --wrapper"
    assert (
        error(capsys, "fuzz", "z3", file.with_name("gone.smt2"))[1]
        == f"{tmp_path}/gone.smt2: there is no such file"
    )
    assert error(capsys, "check-seeds", file, "--cross-check", "cvc5,cvc5")[1] == (
        "the target 'cvc5' stands twice: name it once; 'murxpy fuzz --jobs' gives it more workers"
    )
