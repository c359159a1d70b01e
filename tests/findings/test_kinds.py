"""Kinds of findings: each has all faces, and each that a part of murxpy finds is one of them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from toy import catalogue

from murxpy.cli.report.findings import sentence
from murxpy.findings.buckets import bucket_key, failing, new_bucket, worst_first
from murxpy.findings.defects import marks
from murxpy.findings.kinds.kind import Kind
from murxpy.findings.kinds.registry import KINDS, kind_of
from murxpy.findings.kinds.sights import Seen, Shown
from murxpy.machine.trace.finished import Call
from murxpy.oracles.crash import Outcome, Verdict
from murxpy.translate.asking import Evidence

MACHINE = Path(__file__).parents[2] / "murxpy" / "machine"
CATALOGUE = catalogue()


def verdict(kind: str) -> Verdict:
    return Verdict(kind, "solver", "what was found", "", Call("check-sat", "", ""))


def literals(path: Path) -> Iterator[str]:
    """The kinds in calls of `finding` in a file, with `*` for what a format fills in."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Call) and node.args and ast.unparse(node.func).endswith("finding"):
            word = node.args[0]
            if isinstance(word, ast.Constant):
                yield str(word.value)
            elif isinstance(word, ast.JoinedStr):
                parts = (p.value if isinstance(p, ast.Constant) else "*" for p in word.values)
                yield "".join(map(str, parts))


def test_a_kind_without_a_face_cannot_be_made() -> None:
    with pytest.raises(TypeError, match="Lacking lacks label, rank, fails"):

        class Lacking(Kind):
            name = "lacking"
            severity = "high"

    assert "lacking" not in KINDS


def test_each_kind_that_a_check_finds_has_its_class() -> None:
    found = {word for path in MACHINE.rglob("*.py") for word in literals(path)}
    assert {"invalid-model", "invalid-*", "repeated-model"} <= found
    for word in found:
        begins, star, _ = word.partition("*")
        assert word in KINDS or (star and any(name.startswith(begins) for name in KINDS)), word


@pytest.mark.parametrize("name", KINDS)
def test_a_finding_of_each_kind(name: str) -> None:
    """It gets a bucket with a rank, a mark, a sentence in lists and in its program, and a question."""
    kind = KINDS[name]
    bucket = new_bucket(bucket_key("z3", verdict(name)), "z3", verdict(name), known=False, now=0.0)
    assert bucket.key.startswith(f"{name}-z3-") and bucket.severity == kind.severity
    assert worst_first(bucket) == kind.rank
    bucket.state = "confirmed"
    assert failing(bucket) == kind.fails and failing(bucket, (name,))
    assert marks(bucket, lambda file: None).alone == ""
    claim = kind.claim("z3 5.4.1", "what was found", "sat")
    assert claim.sentence.startswith("z3 5.4.1") and sentence(bucket)
    assert claim.in_child == (kind.ends in ("death", "exit", "no end"))
    assert not (claim.in_child and claim.endings), "a program in a child process has no other end"
    printed = Seen(
        Shown(name, bucket.key, "what was found"),
        ("sat",),
        Evidence("(check-sat)", "z3"),
        Outcome("died", status=0),
        ("sat",),
        CATALOGUE,
    )
    wrong_answer = name in ("wrong-unsat", "wrong-answer", "disagreement")
    assert (kind.sight(printed) is not None) == wrong_answer, "sat alone shows only a wrong answer"


def test_what_is_worse_is_listed_first() -> None:
    ranks = {name: kind.rank for name, kind in KINDS.items()}
    assert ranks["wrong-unsat"] < ranks["disagreement"] < ranks["invalid-model"] < ranks["crash"]
    assert ranks["crash"] < ranks["exception"] < ranks["hang"] < ranks["slow"]
    assert kind_of("disagreement").rank_with({"verdict": "refutation-unsoundness"}) == 0


def test_a_kind_of_another_release_of_murxpy_is_taken_as_a_wrong_answer() -> None:
    kind = kind_of("invalid-dream")
    assert (kind.severity, kind.smaller, kind.fails, kind.name) == (
        "high",
        "needed",
        True,
        "invalid-dream",
    )
