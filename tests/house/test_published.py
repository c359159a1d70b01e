"""The page `docs/published.md` names tests that exist."""

from __future__ import annotations

import re
from pathlib import Path

from murxpy.cli import commands

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "published.md").read_text()
COUNTS, *SECTIONS = re.split(r"^## ", PAGE, flags=re.MULTILINE)[1:]
ROWS = [line for text in SECTIONS for line in text.splitlines() if re.match(r"\|[^-]", line)]


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
    assert len(tables) > 310
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


CLASSES = ("same", "beyond", "different", "partly", "missing")


def test_the_rows_of_the_fuzzers_are_counted() -> None:
    counts = [line.strip("| ").split(" | ") for line in COUNTS.splitlines() if line[:2] == "| "]
    header, *told, total = counts
    assert tuple(header[2:]) == CLASSES
    for name, *numbers in told:
        (section,) = (text for text in SECTIONS if text.startswith(name))
        rows = [line.replace("\\|", " ").split("|") for line in section.splitlines()]
        third = [row[3].strip() for row in rows if len(row) == 6 and not row[1].startswith("-")][1:]
        begun = [re.match(r"\w*", text) for text in third]
        classes = [found[0] if found else "" for found in begun]
        assert set(classes) <= set(CLASSES), name
        assert list(map(int, numbers)) == [len(third), *map(classes.count, CLASSES)], name
    assert list(map(int, total[1:])) == [
        sum(int(row[k]) for row in told) for k in range(1, len(total))
    ]
    assert int(total[header.index("partly")]) <= 8
