"""The shipped rules of implication are proved again, in the releases that are installed."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from commands import outcome

from murxpy.data.rules import BOOKS, load_book, proofs_path, read_proofs

BY_BOTH = ("sets",)  # z3 has no bags, and cvc5 no sets of some of the rules


@pytest.mark.slow
@pytest.mark.parametrize("book", BOOKS.names())
def test_the_shipped_rules_are_proved_again(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, book: str
) -> None:
    """Of a copy of the book, which has no proofs beside it."""
    copy = tmp_path / f"{book}.yaml"
    shutil.copy(BOOKS.path(book), copy)
    by = () if book in BY_BOTH else ("--by", "z3")
    code, _, err = outcome(capsys, "rules", copy, "--prove", *by)
    assert code == 0 and "cannot be used" not in err, err
    proofs = read_proofs(proofs_path(copy))
    assert list(proofs) == sorted(rule["name"] for rule in load_book(copy))
