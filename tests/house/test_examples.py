"""The findings in `docs/examples`: what the page quotes is what the files hold, and what they print."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pytest

from murxpy.cli import commands

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "examples" / "README.md"
# The releases of the page, by the package in which an example needs them.
RELEASES = {"z3-solver": "5.4.1", "cvc5": "1.4.2"}
_BLOCK = re.compile(
    r"^    \$ (cat|z3|python) (docs/examples/\S+)\n((?:(?:    (?!\$ ).*)?\n)*)", re.M
)


def quoted() -> Iterator[tuple[str, str, str]]:
    """Each command of the page that reads or runs an example: the command, the file, what it prints."""
    for command, file, rows in _BLOCK.findall(PAGE.read_text(encoding="utf-8")):
        yield command, file, re.sub(r"^    ", "", rows, flags=re.M).strip("\n") + "\n"


QUOTED = list(quoted())


@pytest.mark.parametrize(
    ("command", "file", "printed"), QUOTED, ids=lambda value: value.split("\n")[0][-30:]
)
def test_what_the_page_quotes_is_true(command: str, file: str, printed: str) -> None:
    if command == "cat":
        assert (ROOT / file).read_text(encoding="utf-8") == printed
        return
    package = "z3-solver" if command == "z3" else "cvc5"
    try:
        installed = version(package)
    except PackageNotFoundError:
        pytest.skip(f"{package} is not installed")
    if not installed.startswith(RELEASES[package]):
        pytest.skip(f"the page tells what {package} {RELEASES[package]} does")
    program = str(Path(sys.executable).with_name("z3")) if command == "z3" else sys.executable
    done = subprocess.run(
        [program, file], capture_output=True, text=True, timeout=60, check=False, cwd=ROOT
    )
    assert done.stdout == printed
    assert done.returncode == (0 if command == "z3" else 1)


def test_every_example_is_quoted_and_run() -> None:
    files = {str(path.relative_to(ROOT)) for path in PAGE.parent.iterdir() if path.is_file()}
    files.discard(str(PAGE.relative_to(ROOT)))
    assert files == {file for command, file, _ in QUOTED if command == "cat"}
    assert files == {file for command, file, _ in QUOTED if command != "cat"}


ISSUES = {
    "text-of-a-bit": "z3-5.4.0/text-of-one-bit-with-a-planted-model",
    "second-core": "z3-5.4.0/second-minimized-core",
    "core-after-simplify": "cvc5-1.4.2/core-after-a-simplification",
}


def test_each_finding_of_the_page_has_an_issue_with_what_belongs_to_it() -> None:
    """The issue is that of the kept regression, and the page links to it."""
    folder, text = PAGE.parent / "issues", PAGE.read_text(encoding="utf-8")
    assert {path.name for path in folder.iterdir()} == {*ISSUES}
    for name, trace in ISSUES.items():
        issue = (folder / name / "issue.md").read_text(encoding="utf-8")
        assert issue == (ROOT / "traces/regressions" / f"{trace}.md").read_text(encoding="utf-8")
        assert f"issues/{name}/issue.md" in text and f"regressions/{trace}.trace" in text
        script = (folder / name / "finding.smt2").read_text(encoding="utf-8")
        shown = [row for row in script.splitlines() if not row.startswith(";")]
        assert "\n".join(shown) in issue


@pytest.mark.parametrize("name", ISSUES)
def test_the_script_of_an_issue_shows_the_defect(name: str) -> None:
    """Each command is the one that the issue names, and the script prints what its header says."""
    folder = PAGE.parent / "issues" / name
    issue = (folder / "issue.md").read_text(encoding="utf-8")
    package = "cvc5" if "# cvc5" in issue else "z3-solver"
    try:
        installed = version(package)
    except PackageNotFoundError:
        pytest.skip(f"{package} is not installed")
    if not installed.startswith(RELEASES[package]):
        pytest.skip(f"the issue tells what {package} {RELEASES[package]} does")
    found = re.search(r"^## Script: `(z3|python3 run\.py) finding\.smt2`$", issue, re.M)
    assert found is not None
    program = Path(sys.executable).with_name("z3") if found[1] == "z3" else sys.executable
    words = found[1].split()[1:]
    done = subprocess.run(
        [str(program), *words, "finding.smt2"],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        cwd=folder,
    )
    printed = {
        "text-of-a-bit": ("unsat\nsat\n", 0),
        "second-core": ("unsat\n((not a) a)\n()\nsat\n", 0),
        "core-after-simplify": ("unsat\na\n", -6),  # the end is an abort
    }
    told, code = printed[name]
    assert re.sub(r"\(error.*\n", "", done.stdout) == told
    assert done.returncode == code


def test_the_page_names_what_exists() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert set(re.findall(r"\$ murxpy ([a-z-]+)", text)) <= set(commands())
    assert all((ROOT / file).is_file() for file in re.findall(r"traces/\S+\.trace", text))
    kept = len(list((ROOT / "traces" / "regressions").glob("*/*.trace")))
    assert f"with {kept - 3} more" in text
