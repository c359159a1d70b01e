"""The terms of all seeds by sort, in a file, and TypeFuzz with them."""

from __future__ import annotations

from pathlib import Path

import pytest
from commands import outcome
from toy import catalogue

from murxpy.machine.random import Stream
from murxpy.smtlib.building import Tables
from murxpy.smtlib.printing.scripts import print_script
from murxpy.smtlib.reading.scripts import read_script
from murxpy.sources.mutation.fuzzers import typefuzz
from murxpy.sources.mutation.term_store import TermStore, store_of
from murxpy.sources.mutation.workshop import MutationSession, Seed, Workshop

CATALOGUE = catalogue()
KINDS = frozenset(CATALOGUE.operators)
FIRST = Seed("a.smt2", "(declare-const x Int)(assert (> x 40))(check-sat)")
SECOND = Seed(
    "b.smt2",
    """(declare-datatype T ((leaf) (node (inner T))))(declare-const t T)(declare-const x String)
(assert (forall ((y Int)) (< y (str.len (str.++ x "seven")))))(assert ((_ is node) t))(check-sat)""",
)


def _store(folder: Path, *seeds: Seed) -> TermStore:
    return TermStore(str(store_of(seeds, CATALOGUE, "standard", folder)))


def test_terms_are_stored_by_sort_each_once(tmp_path: Path) -> None:
    store = _store(tmp_path, FIRST, SECOND, FIRST)
    # x, 40; x, (str.++ ..), "seven"; no datatype, no variable, and no term with a free variable
    assert dict(store.counts) == {"BOOL": 2, "INT": 3, "STRING": 3}
    tables, names = Tables(CATALOGUE), dict[str, object]()
    drawn = store.draw("STRING", 50, Stream(1), tables, names)  # type: ignore[arg-type]
    assert {term.op for term in drawn} == {"OP_CONSTANT", "OP_VALUE", "OP_STR_CONCAT"}
    assert list(names) == ["x_3"], "the constants of a seed have its number behind their names"
    assert store.draw("REAL", 5, Stream(1), tables, {}) == []


def test_a_term_whose_constant_has_another_sort_is_left_out(tmp_path: Path) -> None:
    tables = Tables(CATALOGUE)
    taken = {"x_2": tables.constant("x_2", tables.real)}
    drawn = _store(tmp_path, FIRST).draw("INT", 50, Stream(1), tables, taken)
    assert [term.op for term in drawn] == ["OP_VALUE"]


def test_the_file_is_made_once_for_the_same_seeds(tmp_path: Path) -> None:
    path = store_of((FIRST, SECOND), CATALOGUE, "standard", tmp_path)
    before = path.stat().st_mtime_ns
    assert store_of((FIRST, SECOND), CATALOGUE, "standard", tmp_path) == path
    assert path.stat().st_mtime_ns == before and list(tmp_path.iterdir()) == [path]
    assert store_of((SECOND, FIRST), CATALOGUE, "standard", tmp_path) != path


def test_typefuzz_takes_terms_and_sorts_that_its_seed_does_not_have(tmp_path: Path) -> None:
    shop = MutationSession(CATALOGUE, KINDS, "standard")
    shop.terms = _store(tmp_path, FIRST, SECOND)
    texts = []
    for seed in range(6):
        workshop = Workshop(shop, Stream(seed), [FIRST], lambda text: None, {"corpus": 10})
        mutants = typefuzz.mutants(workshop)
        mutant = next(mutants)
        for _ in range(10):
            texts.append(print_script(mutant.script))
            read_script(texts[-1], "again", CATALOGUE)
            mutant = mutants.send(("sat",))
    assert any("seven" in text for text in texts) and any("x_3 String" in text for text in texts)
    shop.operators = KINDS - {"OP_STR_CONCAT"}  # a judge does not have it
    workshop = Workshop(shop, Stream(1), [FIRST], lambda text: None, {"corpus": 10})
    mutants = typefuzz.mutants(workshop)
    mutant = next(mutants)
    for _ in range(20):
        assert "str.++" not in print_script(mutant.script)
        mutant = mutants.send(("sat",))


@pytest.mark.slow
def test_a_run_is_made_again_with_terms_of_all_seeds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    for seed in (FIRST, SECOND):
        (tmp_path / seed.name).write_text(seed.text)
    args = ("typefuzz", "z3", tmp_path, "--corpus", "300", "--iterations", "6", "--run-seed", "7")
    traces = [outcome(capsys, *args) for _ in range(2)]
    assert traces[0][:2] == traces[1][:2] and "x_3" in traces[0][1]
    assert len(list((tmp_path / "cache" / "murxpy" / "terms").iterdir())) == 1
