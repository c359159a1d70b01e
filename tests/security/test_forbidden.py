"""Options and commands of solvers that write or read files are listed in their wrappers, and refused
at every door.
"""

from __future__ import annotations

import re
import subprocess
import sysconfig
from pathlib import Path
from typing import Any

import pytest
from commands import outcome
from hypothesis import given
from hypothesis import strategies as st

from murxpy.data import importable_names, load_wrapper
from murxpy.machine.contract.values import TEXTS, TYPES
from murxpy.machine.generate.callables import _PLAIN
from murxpy.machine.tokens import print_token
from murxpy.machine.trace.grammar import parse_trace, permit
from murxpy.solvers.forbidden import Forbidden

pytestmark = pytest.mark.usefixtures("kept_solvers")

SMELLS = re.compile(
    r"\b(file|path|log|disk)s?\b|(?<!pro)file_|_file|2files|[.-]out\b|filesystem|dump|_log\b|trace|\bwrit|director|folder|program|console"
    r"|channel|external (?!v)|plugin|backup|\bsave"
)


def z3_options() -> dict[str, str]:
    """All parameters with type and description, from the program of the installed package."""
    program = Path(sysconfig.get_path("scripts"), "z3")
    if not program.is_file():
        pytest.skip("the package has no program")
    said = subprocess.run([program, "-pd"], capture_output=True, text=True, check=True).stdout
    found, module = {}, ""
    for line in said.splitlines():
        if heading := re.match(r"\[module\] ([^\s,]+)", line):
            module = f"{heading[1]}."
        elif option := re.match(r" {4}(\S+) (\(.*)", line):
            found[module + option[1]] = option[2]
    return found


def cvc5_options() -> dict[str, str]:
    import cvc5

    solver = cvc5.Solver(cvc5.TermManager())
    return {
        name: str({key: solver.getOptionInfo(name).get(key) for key in ("type", "modes")})
        for name in solver.getOptionNames()
    }


def takes_text(description: str) -> bool:
    return description.startswith(("(string)", "(symbol)")) or (
        "'str'" in description or "{'type': None" in description
    )


@pytest.mark.parametrize(("solver", "ask"), [("z3", z3_options), ("cvc5", cvc5_options)])
def test_each_option_that_could_name_a_file_is_listed(solver: str, ask: Any) -> None:
    """An option that takes any text, or whose name or description speaks of files, is forbidden, or
    listed as harmless with the reason.
    """
    data = load_wrapper(solver)["forbidden"]
    harmless = {name for names in data["harmless"].values() for name in names}
    forbidden = Forbidden(data)
    options = ask()
    assert len(options) > 300
    unlisted = [
        f"{name} {text}"
        for name, text in sorted(options.items())
        if (takes_text(text) or SMELLS.search(f"{name} {text}"))
        and name not in harmless
        and not forbidden.option(name)
    ]
    assert not unlisted, "\n".join(unlisted)
    assert not [name for name in harmless if forbidden.option(name)]


SCRIPT = "(declare-const x Int)(assert (> x 1))(check-sat)"
HEAD = "# murxpy-trace 1\n# solver {}\n"
HIDDEN = {
    "plain": "(set-option :regular-output-channel {})",
    "capitals": "(SET-OPTION :Regular-Output-Channel {})",
    "comment between": "(set-option ; no\n; harm\n :regular-output-channel {})",
    "no space": "(set-option:regular-output-channel{})",
    "quoted": "(|set-option| :|regular-output-channel| {})",
    "behind a symbol that z3 ends later": "(declare-const |a\\| Int) (set-option :regular-output-channel {})",
    "other channel": "(set-option :diagnostic-output-channel {})",
    "include": "(include {})",
    "include behind a comment": "( ;\n |include| {})",
}


@pytest.mark.parametrize("solver", ["z3", "cvc5"])
@pytest.mark.parametrize("text", HIDDEN.values(), ids=HIDDEN)
def test_scripts_are_refused_however_they_are_written(text: str, solver: str) -> None:
    forbidden = Forbidden(load_wrapper(solver)["forbidden"])
    assert forbidden.in_script(SCRIPT + text.format('"/tmp/mark"'))
    assert not forbidden.in_script(SCRIPT + "(set-option :produce-models true)")


def test_names_of_options_are_compared_as_the_solver_does() -> None:
    z3 = Forbidden(load_wrapper("z3")["forbidden"])
    for name in ("solver.smtlib2_log", "SMTLIB2-LOG", ":sat.drat.file", "drat.file", "trace"):
        assert z3.option(name), name
    for name in ("mbqi.trace", "file", "sat.drat.disable", "smt.logic", "arith.solver"):
        assert not z3.option(name), name
    assert z3.in_script("(check-sat-using (using-params smt :smtlib2_log |/tmp/mark|))")
    cvc5 = Forbidden(load_wrapper("cvc5")["forbidden"])
    # a word that options share with other things counts in set-option only
    assert not cvc5.in_script("(set-info :source |in:out :out|)(assert (! p :out 1))")
    assert cvc5.in_script("(set-option :out |/tmp/mark|)")


LINES = {
    "run-script": '1 new\n1 run-script "(set-option :{channel} \\u{{22}}{file}\\u{{22}})(check-sat)"',
    "evaluate": '1 new\n1 evaluate "(set-option :{channel} \\u{{22}}{file}\\u{{22}})(check-sat)"',
    "set-option": "1 new\n1 set-option {channel} {file}",
    "set-parameter": "1 set-parameter {channel} {file}\n1 new",
    "a symbol": '1 new\n1 mk-const s1 "a|)(set-option :{channel} |{file}|)"',
}
QUICK = ("run-script", "set-option")  # of the second solver
_SLOW = ((), pytest.mark.slow)


@pytest.mark.parametrize(
    ("solver", "line"),
    [
        *(pytest.param("z3", line, id=f"z3-{name}") for name, line in LINES.items()),
        *(
            pytest.param("cvc5", line, id=f"cvc5-{name}", marks=_SLOW[name not in QUICK])
            for name, line in LINES.items()
        ),
    ],
)
def test_trace_lines_are_refused(
    line: str, solver: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    trace, mark = tmp_path / "a.trace", tmp_path / "mark"
    mark.write_text("as it was")
    text = line.format(channel="regular-output-channel", file=mark)
    trace.write_text(HEAD.format(solver) + text + "\n")
    code, _, err = outcome(capsys, "replay", trace)
    assert code == 2 and "regular-output-channel writes its output to a file" in err
    assert re.search(r"a\.trace:[34]: ", err) and len(err.splitlines()) == 1
    assert mark.read_text() == "as it was"
    if solver == "z3":
        assert outcome(capsys, "translate", trace, "--to", "smt2")[::2] == (2, err)


def test_calls_of_the_binding_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    trace, mark = tmp_path / "a.trace", tmp_path / "mark"
    for operands in (
        f'py:"out" py:"{mark}"',
        f'[ py:"out" py:"{mark}" ]',
        f'py:["out","{mark}"]',
        f'by "out" py:"{mark}"',
    ):
        line = f"1 new\n1 misuse@call cvc5.Solver.setOption o1 {operands}\n"
        trace.write_text(HEAD.format("cvc5") + line)
        code, _, err = outcome(capsys, "replay", trace)
        assert code == 2 and not mark.exists(), (operands, err)


DOORS = {
    "--set": ("fuzz", "cvc5", "--set", "out={mark}", "--runs", "1", "--out", "{out}"),
    "target": ("fuzz", "z3[solver.smtlib2_log={mark}]", "--runs", "1", "--out", "{out}"),
    "eval": ("eval", "{script}", "--solver", "z3", "--through", "text"),
    "minimize": ("minimize", "{script}", "--solver", "cvc5"),
}


@pytest.mark.parametrize("words", DOORS.values(), ids=DOORS)
def test_commands_refuse(
    words: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mark, script = tmp_path / "mark", tmp_path / "s.smt2"
    script.write_text(f'(set-option :regular-output-channel "{mark}")\n{SCRIPT}')
    names = {"mark": mark, "script": script, "out": tmp_path / "out"}
    code, _, err = outcome(capsys, *(word.format(**names) for word in words))
    assert code == 2 and "a file" in err and not mark.exists(), err
    assert str(script) not in err or f"{script}:1: the option" in err


@pytest.mark.parametrize("solver", ["z3", "cvc5"])
def test_no_option_that_is_drawn_is_forbidden(solver: str) -> None:
    data = load_wrapper(solver)
    forbidden = Forbidden(data["forbidden"])
    drawn = [
        name
        for option in [*data["options"], *data["process-options"]]
        for name in [option["name"], *(name for name, _ in option.get("with") or ())]
    ]
    assert len(drawn) > 40
    assert not [name for name in drawn if forbidden.option(name)]


@pytest.mark.parametrize("solver", importable_names())
def test_no_call_that_contract_mode_draws_is_refused_at_its_replay(solver: str) -> None:
    """A finding whose own trace is refused has no command that shows it."""
    wrapper = load_wrapper(solver)
    calls = (wrapper.get("contract") or {}).get("calls") or {}
    recipes = [step for steps in (calls.get("recipes") or {}).values() for step in steps]
    drawn = [step.replace("$", "x") for step in recipes]
    drawn += [f"f {print_token(value)}" for value in (*TEXTS, *TYPES, *_PLAIN["str"])]
    forbidden = Forbidden(wrapper.get("forbidden") or {})
    for words in drawn:
        trace = parse_trace(f"0 misuse@call {words}\n", words)
        permit(forbidden, trace, trace.lines[0])


GAP = r"(?:\s|;[^\n]*(?:\n|$))*"
SPELLED = re.compile(rf"set-option\|?{GAP}:+\|?out(?![a-z-])|\({GAP}\|?include(?![a-z-])")


@given(st.lists(st.sampled_from([*"( ;\n:|", "set-option", "out", "include"]), max_size=14))
def test_the_linear_search_finds_what_the_plain_pattern_finds(parts: list[str]) -> None:
    """A pattern says what a forbidden use is. It is quadratic on many words in one comment, so the
    search goes another way.
    """
    text = "".join(parts)
    forbidden = Forbidden({"options": {"writes": ["out"]}, "commands": {"reads": ["include"]}})
    assert bool(forbidden.in_script(text)) == bool(SPELLED.search(text)), text
