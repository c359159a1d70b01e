"""The Python API: its page, its signatures, and what it refuses."""

from __future__ import annotations

import contextlib
import doctest
import inspect
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from campaigns import FAKES

import murxpy
from murxpy.grants import granted

pytestmark = pytest.mark.usefixtures("kept_solvers")

PAGE = Path(__file__).parents[2] / "docs" / "python-api.md"
# What programs may rely on. A change here is a change for its users, and belongs into CHANGELOG.md.
SIGNATURES = {
    "ask": "script, *solvers, limit, wall",
    "defects": "out",
    "evaluate": "script, model, solver, wall",
    "fuzz": "*targets, out, time, runs, seed, jobs, theories, cross_check, check, machine, contract, settings, wrapper, "
    "seeds, mix, iterations, wall, memory, minimize, known, first, finish",
    "lift": "script",
    "minimize": "trace, solver, wrapper, cross_check, jobs, time, replays, follow",
    "mutate": "*scripts, solver, by, count, seed",
    "replay": "trace, solver, wrapper, wall, memory",
    "to_murxla": "trace, lossy",
    "to_python": "trace",
    "to_smtlib": "trace, dialect, lossy",
}
SCRIPT = "(declare-const x Int)(assert (= (* x x) 4))(check-sat)"


def test_the_examples_of_the_page() -> None:
    pytest.importorskip("z3")
    pytest.importorskip("cvc5")
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    result = doctest.testfile(str(PAGE), module_relative=False, optionflags=flags)
    assert (result.failed, result.attempted > 10) == (0, True)


def test_signatures() -> None:
    functions = {name: getattr(murxpy, name) for name in murxpy.__all__ if name.islower()}
    found = {
        name: ", ".join(
            f"*{p.name}" if p.kind is p.VAR_POSITIONAL else p.name
            for p in inspect.signature(function).parameters.values()
        )
        for name, function in functions.items()
    }
    assert found == SIGNATURES


def test_every_public_name_is_documented_and_no_module_hides_it() -> None:
    modules = {path.stem for path in Path(murxpy.__file__).parent.iterdir()}
    assert not modules & {*murxpy.__all__}
    for name in murxpy.__all__:
        assert getattr(murxpy, name).__doc__ or name == "Event"
    assert {*murxpy.__all__} <= {*dir(murxpy)}
    text = PAGE.read_text()
    assert [name for name in SIGNATURES if f"`{name}`" not in text] == []


def test_the_import_loads_nothing() -> None:
    code = "import sys, murxpy; print([m for m in sys.modules if m.startswith('murxpy.')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = murxpy.nothing


SOLVER, WRAPPER = f"fake@{FAKES}", FAKES / "fake.yaml"


@pytest.fixture(scope="module")
def campaign(tmp_path_factory: pytest.TempPathFactory) -> Iterator[murxpy.Campaign]:
    """A campaign on a solver that crashes when it makes a conjunction, after its end."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FAKESOLVER_FAULT", "and:segfault")
        out = tmp_path_factory.mktemp("api") / "out"
        made = murxpy.fuzz(SOLVER, wrapper=WRAPPER, out=out, runs=20, seed=1, jobs=1)
        assert made.run().snapshot.runs == 20
        yield made


def test_a_campaign_finds_and_its_defects_are_read_again(campaign: murxpy.Campaign) -> None:
    assert granted() is None  # nothing of the campaign's grants is left behind
    (found,) = campaign.defects()
    assert [found] == murxpy.defects(campaign.out)
    with contextlib.chdir(campaign.out.parent):  # paths begin as the folder does
        (same,) = murxpy.defects("out")
        assert same.trace is not None and same.trace.is_file() and not same.trace.is_absolute()
    assert (found.kind, found.status) == ("crash", "open") and "segmentation fault" in found.wrong
    assert found.trace is not None and found.trace.is_file()


def test_a_campaign_is_stopped_from_its_events(tmp_path: Path) -> None:
    endless = murxpy.fuzz(SOLVER, wrapper=WRAPPER, out=tmp_path / "out", seed=1, jobs=1)
    for event in endless:
        if isinstance(event, murxpy.RunEnded):
            endless.stop()
        last = event
    assert isinstance(last, murxpy.Ended) and last.reason == "interrupted"


def test_a_trace_cannot_name_what_the_caller_did_not(campaign: murxpy.Campaign) -> None:
    trace = next(campaign.out.glob("findings/*/*.trace"))
    with pytest.raises(murxpy.InputError, match="what is named here and not on the command line"):
        murxpy.replay(trace)
    again = murxpy.replay(trace, SOLVER, wrapper=WRAPPER)
    assert (again.kind, bool(again.bucket), bool(again.trace)) == ("crash", True, True)


def test_minimize(campaign: murxpy.Campaign) -> None:
    trace = min(p for p in campaign.out.glob("findings/*/*.trace") if ".min." not in p.name)
    seen: list[object] = []
    small = murxpy.minimize(trace, SOLVER, wrapper=WRAPPER, replays=40, follow=seen.append)
    assert 0 < small.after < small.before and seen


def test_translate() -> None:
    lifted = murxpy.lift(SCRIPT)
    assert "(check-sat)" in murxpy.to_smtlib(lifted)
    assert "check-sat" in murxpy.to_murxla(lifted)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: murxpy.mutate(SCRIPT, solver="z3", by="nothing"), "unknown fuzzer 'nothing'"),
        (lambda: murxpy.evaluate(SCRIPT), "either a model or a solver"),
        (lambda: murxpy.evaluate(SCRIPT, model="(nonsense"), "<text>"),
        (lambda: murxpy.lift("(assert"), "<text>"),
        (lambda: murxpy.ask(SCRIPT), "expected the name of a solver"),
        (lambda: murxpy.lift(b""), "found bytes"),  # type: ignore[arg-type]
        (lambda: murxpy.fuzz("z3", runs=-1), "runs: expected a number from 1 on"),
        (lambda: murxpy.mutate(SCRIPT, solver="z3", count=0), "count: expected a number"),
        (lambda: murxpy.fuzz("nothing"), "nothing"),
        (lambda: murxpy.fuzz("z3", seeds=["seeds"], contract=True), "only where a mix is named"),
        (lambda: murxpy.to_smtlib(Path("/nowhere/a.trace")), "/nowhere/a.trace"),
        (lambda: murxpy.defects("/nowhere"), "/nowhere"),
    ],
)
def test_a_mistake_is_an_input_error(call: object, words: str) -> None:
    assert callable(call)
    with pytest.raises(murxpy.InputError, match=words):
        call()
