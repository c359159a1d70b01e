"""The page `docs/published.md` names tests that exist."""

from __future__ import annotations

import re
from pathlib import Path

from murxpy.cli import commands

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "published.md").read_text()
ROWS = [line for line in PAGE.splitlines() if line.startswith("|") and not line.startswith("|-")]


def named(row: str) -> list[tuple[str, str]]:
    """The test files that a row names, each with the test behind it, or an empty text."""
    found, file = [], ""
    for path, test in re.findall(r"`(tests/\w+/\w+\.py)?(?:::(test_\w+))?(?:\[[^`]*\])?`", row):
        file = path or file
        if path or test:
            found.append((file, test))
    return found


def test_the_tests_of_a_row_exist() -> None:
    for row in ROWS:
        assert row.count("|") - row.count("\\|") == 5, row
        for file, test in named(row):
            assert (ROOT / file).is_file(), f"{file} in {row}"
            known = (ROOT / file).read_text()
            assert not test or f"def {test}(" in known, f"{file}::{test} in {row}"


def shown(row: str) -> list[str]:
    """What shows the claim of a row: tests, benches, commands, pages and files, all of which exist."""
    last = row.replace("\\|", " ").split("|")[-2]
    tests = [file for file, _ in named(last)]
    benches = re.findall(r"`python (bench/\w+\.py)", last)
    files = re.findall(r"`((?:docs|murxpy|bench)/[\w/.-]+)`", last)
    pages = [f"docs/{page}" for page in re.findall(r"\]\((\w+\.md)", last)]
    run = [f"command {name}" for name in re.findall(r"`(?:\S+=\S+ )*murxpy ([a-z-]+)", last)]
    again = ["as above"] if last.strip() in ("the same", "the same test") else []
    return [*tests, *benches, *files, *pages, *run, *again]


def test_what_shows_each_claim_is_there() -> None:
    tables = [row for row in ROWS if "test or command that shows it" not in row]
    assert len(tables) > 240
    for row in tables:
        found = shown(row)
        assert found, f"nothing shows the claim: {row}"
        for name in found:
            if name.startswith("command "):
                assert name.removeprefix("command ") in commands(), row
            elif name != "as above":
                assert (ROOT / name).exists(), f"{name} in {row}"


def test_each_row_names_a_test_or_a_bench() -> None:
    """A command that a reader may run shows nothing to those who change the program."""
    for row in [row for row in ROWS if "test or command that shows it" not in row]:
        found = shown(row)
        assert any(name.startswith(("tests/", "bench/", "as above")) for name in found), row
