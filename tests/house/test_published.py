"""The page `docs/published.md` names tests that exist."""

from __future__ import annotations

import re
from pathlib import Path

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


def test_most_rows_name_a_test() -> None:
    assert len(ROWS) > 100
    assert sum(bool(named(row)) for row in ROWS) > len(ROWS) / 2
