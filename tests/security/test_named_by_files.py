"""What a stranger's file names is shown, and neither run nor installed nor read: programs, folders,
wrappers, machines, seeds, releases. Each fake one leaves a mark where it is used (`traps`).
"""

from __future__ import annotations

import itertools
import re
import sqlite3
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path

import click
import pytest
from campaigns import FAKES
from commands import FAKE, fuzz_fake, outcome
from traps import KEY, ROOT, SEED, Traps, campaign, folders, header_keys, trace, traps

from murxpy.cli import commands, murxpy
from murxpy.cli.mutate import COMMANDS as FUZZERS
from murxpy.cli.params import FileOrBucket, inner_type
from murxpy.findings.store import FILE, Changes, Store

__all__ = ["traps"]
RUN = ("fuzz", "z3", "--runs", "1", "--jobs", "1", "--seed", "1", "--check", "none")

# What each command does with a trace, and with the folder of a campaign.
OF_TRACES: dict[str, tuple[str, ...]] = {
    "replay": ("replay", "TRACE"),
    "minimize": ("minimize", "TRACE", "--replays", "1", "-o", "small.trace"),
    "bisect": ("bisect", "TRACE"),
    "regress": ("regress", "TRACE", "--solver", "z3"),
    "eval": ("eval", "TRACE"),
    "translate": ("translate", "TRACE", "--to", "program"),
}
OF_FOLDERS: dict[str, tuple[tuple[str, ...], ...]] = {
    **{name: ((*words, "--out", "OUT"),) for name, words in OF_TRACES.items()},
    "show": (("show", "BUCKET"),),
    "draft": (("draft", "BUCKET"),),
    "known": (("known", "add", "BUCKET", "--file", "known.yaml"),),
    "triage": (("triage", "OUT", "--again"),),
    "findings": (("findings", "OUT", "--regroup"), ("findings", "OUT", "--json", "--all")),
    "statistics": (("statistics", "OUT"),),
    "report": (("report", "OUT"),),
    "seeds": (("seeds", "OUT"),),
    "arms": (("arms", "OUT"),),
    "finish": (("finish", "OUT", "--jobs", "1"),),
    "merge": (("merge", "OUT", "--out", "merged"),),
    "repair": (("repair", "OUT"),),
    "coverage": (("coverage", ".", "OUT"),),
    "fuzz": ((*RUN, "--out", "OUT"), (*RUN, "--out", "new", "--known", "OUT")),
}
OF_FOLDERS["replay"] += (("replay", "HISTORY"),)
OF_FOLDERS["minimize"] += (("minimize", "HISTORY", "--replays", "1"),)
# Commands that take no trace and no folder of a campaign, or do with it what 'fuzz' does, by the same
# functions; the folders of 'perf', 'matrix' and 'stability' hold texts of scripts and answers alone.
OTHERS = {
    "as fuzz": (*FUZZERS, "enumerate"),
    "as report": ("watch",),
    "studies": ("perf", "matrix", "stability"),
    "neither": (
        *(
            "generate",
            "check-seeds",
            "import-seeds",
            "lift",
            "releases",
            "grammars",
            "rules",
            "theories",
        ),
        *("wrappers", "fsm", "doctor", "config", "completion", "plugins", "cluster"),
    ),
}


def test_each_command_is_walked() -> None:
    known = [*OF_TRACES, *OF_FOLDERS, *(name for some in OTHERS.values() for name in some)]
    assert {*commands()} == {*known}, "say here what the command does with a stranger's file"
    with click.Context(murxpy) as context:
        for name in OTHERS["neither"]:
            command = murxpy.get_command(context, name)
            assert command is not None
            kinds = [inner_type(param) for param in command.params]
            assert not any(isinstance(kind, FileOrBucket) for kind in kinds), name


def test_the_format_lists_each_key_that_is_read() -> None:
    read = re.compile(
        r'header\.get\("([a-z-]+)"|header\["([a-z-]+)"\]|header_value\(\w+, "([a-z-]+)"'
    )
    found = {
        key
        for file in sorted((ROOT / "murxpy").rglob("*.py"))
        for keys in read.findall(file.read_text())
        for key in keys
        if key
    }
    assert "solver" in found and found <= {*header_keys()}


def _left(traps: Traps, command: str) -> list[str]:
    """The marks, without those that the command itself asks for: 'bisect' asks the index which releases
    of the solver there are.
    """
    return [mark for mark in traps.left() if not (command == "bisect" and mark.startswith("index"))]


def _walk(
    capsys: pytest.CaptureFixture[str],
    traps: Traps,
    command: str,
    rows: Iterable[tuple[str, str]],
) -> None:
    file = traps.folder / "t.trace"
    for key, name in rows:
        file.write_text(trace(**{"finds": "invalid-model", key: name}))
        words = [str(file) if word == "TRACE" else word for word in OF_TRACES[command]]
        _, out, err = outcome(capsys, *words)
        assert _left(traps, command) == [], (key, name)
        assert "internal error" not in err, (key, name, out, err)


NAMING = ("cross-check", "baseline", "compared")  # keys whose values are names of targets


@pytest.mark.parametrize("command", ["replay", "minimize", "bisect"])
def test_a_header_names_a_program(
    command: str, traps: Traps, capsys: pytest.CaptureFixture[str]
) -> None:
    _walk(capsys, traps, command, [(key, f"z3@{traps.folder}/program") for key in NAMING])


@pytest.mark.slow
@pytest.mark.parametrize("command", OF_TRACES)
def test_each_key_of_a_header_names_each_thing(
    command: str, traps: Traps, capsys: pytest.CaptureFixture[str]
) -> None:
    names = [*traps.names(), *(f"z3@program,{name}" for name in traps.names())]
    rows = [(key, name) for key in NAMING for name in names]
    turns = itertools.cycle(traps.names()[[*OF_TRACES].index(command) :])
    rows += [(key, next(turns)) for key in [*header_keys(), "another"]]
    _walk(capsys, traps, command, rows)


def _words(words: Iterable[str], out: Path) -> list[str]:
    bucket = out / "findings" / KEY
    named = {"OUT": out, "BUCKET": bucket, "HISTORY": bucket / f"{SEED:016x}.history"}
    named["TRACE"] = bucket / f"{SEED:016x}.trace"
    return [str(named.get(word, word)) for word in words]


@pytest.mark.parametrize("at", range(7))
def test_the_traps_work(at: int, traps: Traps, capsys: pytest.CaptureFixture[str]) -> None:
    name = traps.names()[at]
    file = traps.folder / "t.trace"
    file.write_text(trace())
    wrapper = ("--wrapper", name) if name == str(traps.wrapper) else ()
    where = f"third@{FAKES}" if wrapper else name
    outcome(capsys, "replay", file, "--solver", where, *wrapper)
    assert traps.left() != []


def _slow(command: str) -> tuple[pytest.MarkDecorator, ...]:
    return (pytest.mark.slow,) if command == "fuzz" else ()


PLACES = [
    pytest.param(command, words, id=f"{command}-{number}", marks=_slow(command))
    for command, calls in OF_FOLDERS.items()
    for number, words in enumerate(calls)
]


@pytest.mark.parametrize(("command", "words"), PLACES)
def test_a_folder_names_a_target(
    command: str, words: tuple[str, ...], traps: Traps, capsys: pytest.CaptureFixture[str]
) -> None:
    out = traps.folder / "out"
    campaign(out)
    _store(out, '"targets": {"z3": "z3"}', f'"targets": {{"z3": "z3@{traps.folder}/program"}}')
    outcome(capsys, *_words(words, out))
    assert _left(traps, command) == []


@pytest.mark.slow
@pytest.mark.parametrize(("command", "words"), PLACES)
def test_each_place_of_a_folder_names_each_thing(
    command: str, words: tuple[str, ...], traps: Traps, capsys: pytest.CaptureFixture[str]
) -> None:
    out = traps.folder / "out"
    campaign(out)
    for place in folders(out, traps.names(), [*OF_FOLDERS].index(command)):
        _, said, err = outcome(capsys, *_words(words, out))
        assert _left(traps, command) == [], place
        assert "internal error" not in err, (place, said, err)


AGAIN = ("--solver", *FAKE)
# `translate` falls back to a program that was not run; tests/reduction/test_reproducers.py looks at that.
OF_A_BUILD: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "replay": (("replay", "TRACE"), AGAIN),
    "minimize": (("minimize", "TRACE", "--replays", "1", "-o", "small.trace"), AGAIN),
    "bisect": (("bisect", "TRACE"), AGAIN[2:]),
    "regress": (("regress", "TRACE", "--solver", FAKE[0]), AGAIN[2:]),
    "eval": (("eval", "TRACE"), AGAIN),
    "show": (("show", "BUCKET"), AGAIN),
    "triage": (("triage", "OUT", "--again"), AGAIN),
    "findings": (("findings", "OUT", "--regroup"), AGAIN),
    "finish": (("finish", "OUT"), (FAKE[0], FAKE[2])),
}
ASKED = "named here and not on the command line"


@pytest.mark.usefixtures("bare_findings")
def test_a_campaign_on_a_build_goes_on_with_its_names(
    traps: Traps, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAKESOLVER_FAULT", "and:abort")
    out = traps.folder / "mine"
    assert fuzz_fake(capsys, out, "--runs", "8")[0] == 1
    file = next(out.glob("findings/*/*.trace"))
    with closing(Store(out)) as store:  # of a kind that every command replays
        (bucket,) = store.buckets()
        bucket.kind = "invalid-model"
        bucket.reproducers = ()
        store.save(Changes(buckets=[bucket]))
    for command, (words, names) in OF_A_BUILD.items():
        named = {"OUT": out, "BUCKET": file.parent, "TRACE": file}
        line = [str(named.get(word, word)) for word in words]
        said = "".join(outcome(capsys, *line)[1:]).replace("\n", " ")
        assert ASKED in said or "only its folder names" in said, (command, said)
        said = "".join(outcome(capsys, *line, *names)[1:])
        assert ASKED not in said and "only its folder" not in said, (command, said)


def _store(out: Path, before: str, after: str) -> None:
    """Change a text in the arguments of the sessions of a campaign."""
    with closing(sqlite3.connect(out / FILE)) as db:
        (told,) = db.execute("SELECT arguments FROM sessions").fetchone()
        assert before in told
        db.execute("UPDATE sessions SET arguments = ?", (told.replace(before, after),))
        db.commit()
