"""All sequences of calls of a solver over a small pool of terms."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest
from campaigns import FAKES
from commands import error, outcome

from murxpy.data.lookup import pool_names
from murxpy.errors import InputError
from murxpy.fuzzers.setups import sequences

POOL = """pool: small
about: two Boolean constants
declare: ["(declare-const a Bool)", "(declare-const b Bool)"]
formulas: [a, "(xor a b)"]
calls:
  - {call: assert-formula F}
  - {call: push 1, effect: push}
  - {call: pop 1, when: pushed, effect: pop}
  - {call: check-sat, effect: check}
  - {call: check-model, when: sat, effect: none}
"""


def written(folder: Path, text: str) -> str:
    """The file of a pool."""
    path = folder / "small.yaml"
    path.write_text(text)
    return str(path)


def legal(calls: tuple[str, ...]) -> bool:
    """Whether the calls may stand one after another, as far as that is known before the run."""
    depth, checked = 0, False
    for call in calls:
        if (call == "pop 1" and not depth) or (call == "check-model" and not checked):
            return False
        depth += (call == "push 1") - (call == "pop 1")
        checked = call == "check-sat" or (checked and call == "check-model")
    return True


@pytest.mark.parametrize("length", range(5))
def test_counts_and_sequences_are_those_of_all_legal_calls(tmp_path: Path, length: int) -> None:
    found = sequences(written(tmp_path, POOL), 4)
    made = [found.in_size(length + 1, place) for place in range(found.of_size(length + 1))]
    plain = [tuple(call.strip() for call in text.split("/"))[:-1] for text in made]
    ids = sorted({call for calls in plain for call in calls if call.startswith("assert")})
    every = [*(ids or []), "push 1", "pop 1", "check-sat", "check-model"]
    assert sorted(plain) == sorted(filter(legal, product(every, repeat=length)))
    assert length == 0 or len(ids) == 2


@pytest.mark.parametrize("name", pool_names())
def test_shipped_pools_are_loaded(name: str) -> None:
    assert sequences(name, 2).up_to(3) > 50


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("[a, ", "[a, (bvult a b), ", "small.yaml.*bvult"),
        ("when: sat", "when: happy", "happy"),
        ("check-sat,", "check-sta,", "small.yaml:9: .*check-sta.*did you mean 'check-sat'"),
        ("(declare-const a Bool)", "(declare-const a Bol)", "Bol"),
        ('formulas: [a, "(xor a b)"]', "formulas: []", "at least one"),
        ("calls:", "values: [c]\ncalls:", "c is no constant"),
    ],
)
def test_a_bad_pool_is_refused(tmp_path: Path, old: str, new: str, message: str) -> None:
    assert old in POOL
    with pytest.raises(InputError, match=message):
        sequences(written(tmp_path, POOL.replace(old, new, 1)), 2)


def test_every_sequence_is_made_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    # a release without push, whose models are not read
    words = ["--wrapper", str(FAKES / "scripts.yaml"), "--check", "none", "--jobs", "1"]
    command = ["enumerate", f"fake@{FAKES}", "--calls", "2", "--pool", written(tmp_path, POOL)]
    code, text, _ = outcome(capsys, *command, *words, "--out", str(tmp_path / "out"))
    assert code == 0
    rows = [line.split() for line in text.splitlines() if line.startswith("small-calls  ")]
    # calls, sequences, made, to the end, not allowed (the model of this solver cannot be asked for), refused
    assert [[int(cell) for cell in row[1:7]] for row in rows] == [
        [0, 1, 1, 1, 0, 0],
        [1, 4, 4, 3, 0, 1],
        [2, 18, 18, 9, 1, 8],
    ]
    assert "all 23 sequences of up to 2 calls were made" in text


@pytest.mark.parametrize(
    "words",
    [
        ["--pool", "core"],
        ["--calls", "2", "--grammar", "core"],
        ["--calls", "2", "--at", "3", "--take", "4"],
        ["--calls", "2", "--ci", "1m"],
    ],
)
def test_words_that_do_not_go_together(
    capsys: pytest.CaptureFixture[str], words: list[str]
) -> None:
    code, line = error(capsys, "enumerate", "z3", *words)
    assert code == 2 and ("--calls" in line)


def test_an_unknown_pool_is_told_with_the_nearest() -> None:
    with pytest.raises(InputError, match=r"unknown pool 'cor' \(did you mean 'core'"):
        sequences("cor", 2)
