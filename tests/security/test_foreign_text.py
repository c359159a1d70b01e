"""Hostile names through every command: in options, scripts, traces, files and stores. Nothing that
is printed or written holds a character that a terminal obeys, and no name begins a line of its own.

A new command is in here by itself with its options; `GIVEN` and `NO_FILES` name what else it reads.
"""

from __future__ import annotations

import ast
import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest
from campaigns import run as run_campaign
from commands import outcome

import murxpy.cli as cli
from murxpy.cli.mutate import COMMANDS as FUZZERS
from murxpy.data import load_catalogue
from murxpy.foreign import escaped
from murxpy.logic.catalogue import build_catalogue
from murxpy.machine.tokens import quote
from murxpy.smtlib.reading.scripts import read_script

pytestmark = pytest.mark.usefixtures("kept_solvers")

Sys = pytest.CaptureFixture[str]

# Controls of C0 and C1, overrides and isolates of direction, separators, a blank of no width, half a
# surrogate pair, markup of rich, and lines of their own, also behind the quotes and comments of
# programs and scripts.
SYMBOL = "a\u202e\u2066\x85\u2028\u2029\u200b\ufeff\xad\x9b31m[red]x[/red][link=http://e]y[/link]\nINJECTED\r\nINJECTED = 1\n"
HOSTILE = SYMBOL + "\x1b[31m\x07\x08\x7f\x0b\x0c\udc80'''\"\"\"\nINJECTED\n"

SCRIPT = f"""(set-info :source |{SYMBOL}|)
(set-info :notes "{SYMBOL}")
(declare-sort |S{SYMBOL}| 0)
(declare-datatypes ((|D{SYMBOL}| 0)) (((|c{SYMBOL}| (|s{SYMBOL}| Int)))))
(declare-const |x{SYMBOL}| Int)
(declare-const |u{SYMBOL}| |S{SYMBOL}|)
(declare-const |d{SYMBOL}| |D{SYMBOL}|)
(declare-fun |f{SYMBOL}| (Int) Int)
(define-fun |g{SYMBOL}| ((|v{SYMBOL}| Int)) Int (+ |v{SYMBOL}| 1))
(declare-const text String)
(assert (! (> (|f{SYMBOL}| |x{SYMBOL}|) (|g{SYMBOL}| 2)) :named |n{SYMBOL}|))
(assert (= text "{SYMBOL}"))
(assert (= |d{SYMBOL}| (|c{SYMBOL}| 3)))
(assert (forall ((|q{SYMBOL}| Int)) (=> (> |q{SYMBOL}| 5) (> |q{SYMBOL}| 4))))
(assert (distinct |u{SYMBOL}| |u{SYMBOL}|))
(check-sat)
(echo "{SYMBOL}")
(get-info :all-statistics)
"""


def _trace() -> str:
    """A trace with the hostile text wherever the format has room for one."""
    text, bare = quote(HOSTILE), "\u202e\x1b[31m\u2028\x9b"
    return f"""# murxpy-trace 1
# solver z3 5.4.1 {bare}
# {bare} {bare}
# left-out {bare}
# machine {bare}
# finds crash {bare}
# needs [["option", {json.dumps(HOSTILE)}, "{bare}", "", ""]]
1 new
      return o1
2 set-option {quote("x" + HOSTILE)} {text}
3 mk-sort SORT_INT
      return s1
4 mk-sort SORT_UNINTERPRETED {text}
      return s2
5 mk-const s1 {text}
      return t1 s1
6 mk-value s1 "3"
      return t2 s1
7 mk-term OP_EQUAL SORT_BOOL 2 t1 t2
      return t3 s3
# {bare}
8 assert-tracked t3 {text}
9 check-sat
      raised {text}
"""


_INJECTED = ("INJECTED", "INJECTED = 1", "INJECTED\\u000d")  # what a line feed let out


def _clean(text: str, where: str) -> None:
    told = escaped(text, keep="\n\t\u2800")
    bad = next((at for at, (a, b) in enumerate(zip(text, told, strict=False)) if a != b), None)
    assert bad is None and len(text) == len(told), (where, text[max(0, bad - 80) : bad + 20])
    rows = [row for row in text.split("\n") if row.strip("#; \t\r") in _INJECTED]
    assert not rows, (where, rows)


def _run(capsys: Sys, *args: str | Path) -> tuple[int, str]:
    """Run a command, and look at what it prints; gives exit code and standard output."""
    code, out, err = outcome(capsys, *args)
    for text in (out, err):
        _clean(text, f"{args!r}")
    assert "internal error" not in err, (args, err)
    return code, out


def _files(folder: Path) -> Iterator[Path]:
    return (path for path in sorted(folder.rglob("*")) if path.is_file())


# -- options and arguments


def _leaves(command: click.Command, *words: str) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    if isinstance(command, click.Group):
        for name, inner in command.commands.items():
            yield from _leaves(inner, *words, name)
    else:
        yield words, command


@pytest.mark.parametrize("name", cli.commands())
def test_values_of_options(
    capsys: Sys, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    command = cli.murxpy.get_command(click.Context(cli.murxpy), name)
    assert command is not None
    if name == "watch":  # it serves until Ctrl-C whatever the folder is called
        monkeypatch.setattr("murxpy.cli.watch._follow", lambda page, viewers: None)
    for words, leaf in _leaves(command, name):
        names = [HOSTILE for param in leaf.params if isinstance(param, click.Argument)]
        _run(capsys, *words, *names)
        _run(capsys, *words, f"--{HOSTILE}")
        for param in leaf.params:
            if isinstance(param, click.Option) and not param.is_flag:
                _run(capsys, *words, *names, param.opts[-1], HOSTILE)


def test_an_unknown_command(capsys: Sys) -> None:
    assert _run(capsys, HOSTILE)[0] == 2


# -- files

FORMS = ("smt2", "python", "program", "murxla")
# What each command is given beside hostile options. FILE is a hostile script or trace in a folder
# with a hostile name, and OUT the folder of a campaign with hostile rows.
GIVEN: dict[str, list[tuple[str, ...]]] = {
    "lift": [("SCRIPT",)],
    "eval": [
        ("SCRIPT", "--solver", "z3"),
        ("SCRIPT", "--solver", "cvc5"),
        ("SCRIPT", "--solver", "z3", "--through", "text"),
        ("SCRIPT", "--model", "MODEL"),
        ("TRACE",),
    ],
    "translate": [
        (file, "--to", form, *more)
        for file in ("TRACE", "LIFTED")
        for form in FORMS
        for more in ((), ("--output", "WRITTEN"))
    ],
    "replay": [
        ("TRACE",),
        ("LIFTED", "--solver", "z3"),
        ("LIFTED", "--solver", "cvc5", "--trace"),
        ("TRACE", "--json"),
    ],
    "minimize": [("TRACE", "--time", "2s"), ("SCRIPT", "--solver", "z3", "--time", "2s")],
    "check-seeds": [("SCRIPT",), ("SCRIPT", "--json")],
    "import-seeds": [("SCRIPT", "-o", "suite"), ("SCRIPT", "-o", "told", "--json")],
    "stability": [("z3", "SCRIPT", "--variants", "2", "--out", "WRITTEN")],
    "storm": [("z3", "SCRIPT", "--runs", "1", "--out", "WRITTEN", "--jobs", "1")],
    "fsm": [
        ("show", "MACHINE"),
        ("check", "MACHINE"),
        ("show", "MACHINE", "--svg", "WRITTEN"),
        ("show", "MACHINE", "--json"),
    ],
    "wrappers": [("WRAPPER",), ("WRAPPER", "--json")],
    "fuzz": [
        ("z3", "--known", "KNOWN"),
        ("z3", "--profile", "PROFILE"),
        ("z3", "--machine", "MACHINE", "--runs", "1", "--out", "WRITTEN"),
    ],
    "grammars": [("GRAMMAR",)],
    "rules": [("RULES",)],
    "theories": [("NAME",)],
    "findings": [
        ("OUT",),
        *(("OUT", "--format", form) for form in ("json", "csv", "known")),
        ("OUT", "--buckets"),
    ],
    "show": [("BUCKET",), ("BUCKET", "--json")],
    "report": [
        ("OUT",),
        *(("OUT", f"--{form}", "WRITTEN") for form in ("html", "markdown", "junit", "sarif")),
    ],
    "draft": [("BUCKET",), ("BUCKET", "--known", "KNOWN")],
    "known": [("list", "--file", "NAME"), ("check", "--file", "NAME")],
    "triage": [("OUT",), ("OUT", "--json")],
    "statistics": [("OUT",), ("OUT", "--json")],
    "seeds": [("OUT",), ("OUT", "--json")],
    "arms": [("OUT",), ("OUT", "--json")],
    "repair": [("OUT",)],
    "merge": [("OUT", "--out", "WRITTEN")],
    "bisect": [("TRACE", "--good", "NAME"), ("BUCKET", "--good", "NAME")],
    "regress": [("NAME", "OUT")],
}
# The commands that read no file of a stranger but those that another command reads the same way.
NO_FILES = {
    "generate": "it reads no file",
    "cluster": "it reads no file",
    "releases": "it reads no file",
    "completion": "it reads no file, and what it offers is in cli/test_completion.py",
    "config": "its files are read in cli/test_configuration.py",
    "plugins": "it reads the metadata of packages that the user installed",
    "doctor": "it reads no file but wrappers",
    "enumerate": "its grammars are read as by 'grammars'",
    "coverage": "its counters are its own, and it escapes the names of files",
    "matrix": "its folder is its own",
    "perf": "its folder is its own",
    "finish": "its folder is read as by 'findings'",
    "watch": "its folder is read as by 'report', and what it serves is in cli/test_watch.py",
    **dict.fromkeys(
        [name for name in FUZZERS if name != "storm"],
        "its seeds are read as by 'storm'",
    ),
}


def test_every_command_is_named() -> None:
    assert sorted([*GIVEN, *NO_FILES]) == sorted(cli.commands())


@pytest.fixture
def given(tmp_path: Path, capsys: Sys) -> dict[str, Path]:
    """The hostile files by the words that stand for them."""
    folder = tmp_path / f"h{HOSTILE.replace('/', '|')}"
    folder.mkdir()
    files = {
        name: folder / f'{name.lower()}\n\'"""\nINJECTED\u202e.{suffix}'
        for name, suffix in _SUFFIXES.items()
    }
    shipped = Path(__file__).parents[2]
    texts = {
        "SCRIPT": SCRIPT,
        "MODEL": f"((define-fun |x{SYMBOL}| () Int 7)(define-fun |{SYMBOL}| () Int 8))",
        "TRACE": _trace(),
        "LIFTED": "",
        "MACHINE": (shipped / "fsm" / "default.yaml")
        .read_text()
        .replace("\nname: default", f"\nname: {json.dumps(SYMBOL)}"),
        "WRAPPER": f"solver: {json.dumps(SYMBOL)}\nmodule: {json.dumps(SYMBOL)}\n",
        "KNOWN": f"{SYMBOL}\n",
        "PROFILE": f"exclude-operators: [{json.dumps(SYMBOL)}]\n",
        "GRAMMAR": f"name: {json.dumps(SYMBOL)}\n",
        "RULES": f"- name: {json.dumps(SYMBOL)}\n",
    }
    for name, text in texts.items():
        files[name].write_text(text, encoding="utf-8", errors="surrogatepass")
    code, text = _run(capsys, "lift", files["SCRIPT"])
    assert code == 0
    files["LIFTED"].write_text(text)
    return files


_SUFFIXES = {
    **dict.fromkeys(("SCRIPT", "MODEL"), "smt2"),
    **dict.fromkeys(("TRACE", "LIFTED"), "trace"),
    **dict.fromkeys(("MACHINE", "WRAPPER", "PROFILE", "GRAMMAR", "RULES"), "yaml"),
    "KNOWN": "txt",
}
OF_A_STORE = [
    name for name, lists in GIVEN.items() if any({"OUT", "BUCKET"} & set(one) for one in lists)
]


@pytest.mark.parametrize("name", [name for name in GIVEN if name not in OF_A_STORE])
def test_names_in_files(
    capsys: Sys, tmp_path: Path, given: dict[str, Path], name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for at, words in enumerate(GIVEN[name]):
        written = tmp_path / f"written-{at}"
        known: dict[str, str | Path] = {**given, "NAME": HOSTILE, "WRITTEN": written}
        code, out = _run(capsys, name, *(known.get(word, word) for word in words))
        texts = {"what is printed": out} if code == 0 else {}
        for file in _files(written) if written.is_dir() else [written] if written.exists() else []:
            if ".sqlite" not in file.suffix and (file.suffix or file == written):
                texts[file.name] = file.read_text(encoding="utf-8", errors="surrogatepass")
        for where, text in texts.items():
            _clean(text, where)
            if ("python" in words or "program" in words) and text and "written" not in text[:200]:
                ast.parse(text)
            elif "smt2" in words and text:
                read_script(text, where, build_catalogue(load_catalogue()))


def test_a_lifted_script_says_the_same(given: dict[str, Path], capsys: Sys) -> None:
    """The symbols are escaped in a trace, and not lost."""
    assert quote(f"x{SYMBOL}") in given["LIFTED"].read_text()


# -- stores


@pytest.fixture(scope="module")
def campaign(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A campaign with one bucket of an exception."""
    out = tmp_path_factory.mktemp("campaign") / "out"
    run_campaign(out, {"every": {"exception": 1}}, runs=2)
    return out


def _hostile(data: Any, at: list[int]) -> Any:
    """The data with the hostile text behind its text number `at[0]`, counted down."""
    if isinstance(data, dict):
        return {key: _hostile(value, at) for key, value in data.items()}
    if isinstance(data, list):
        return [_hostile(value, at) for value in data]
    if isinstance(data, str):
        at[0] -= 1
        return data + HOSTILE if at[0] == -1 else data
    return data


def _rows(file: Path) -> Iterator[tuple[str, str, int, str]]:
    """Each text of the store: its table, column, row, and content."""
    with sqlite3.connect(file) as db:
        for (table,) in db.execute(
            "SELECT name FROM sqlite_master WHERE type = 'table'"
        ).fetchall():
            columns = [row[1] for row in db.execute(f"PRAGMA table_info({table})")]
            for column in columns:
                for row, text in db.execute(f"SELECT rowid, {column} FROM {table}").fetchall():
                    if isinstance(text, str):
                        yield table, column, row, text


def _spoilt(text: str) -> Iterator[str]:
    """The text with hostile text in it: behind it, or in each text of its JSON."""
    try:
        data = json.loads(text)
    except ValueError:
        data = None
    if not isinstance(data, dict | list):
        yield text + HOSTILE.replace("\udc80", "")
        return
    number = 0
    while True:
        at = [number]
        made = _hostile(data, at)
        if at[0] >= 0:
            return
        yield json.dumps(made)
        number += 1


@pytest.mark.parametrize("name", OF_A_STORE)
def test_rows_of_stores(
    capsys: Sys, campaign: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(campaign.parent)
    file = campaign / "campaign.sqlite"
    (bucket,) = (campaign / "findings").iterdir()
    known: dict[str, str | Path] = {"OUT": campaign, "BUCKET": bucket, "NAME": HOSTILE}
    sound = file.read_bytes()
    seen: set[tuple[str, str]] = set()
    try:
        for table, column, row, text in list(_rows(file)):
            if (table, column) in seen and table != "meta":
                continue
            seen.add((table, column))
            for spoilt in _spoilt(text):
                file.write_bytes(sound)
                with sqlite3.connect(file) as db:
                    db.execute(f"UPDATE {table} SET {column} = ? WHERE rowid = ?", (spoilt, row))
                for words in GIVEN[name]:
                    _, out, err = outcome(
                        capsys, name, *(known.get(word, word) for word in words if word != "TRACE")
                    )
                    for shown in (out, err):
                        _clean(shown, f"{name} {words} {table}.{column}")
    finally:
        file.write_bytes(sound)
