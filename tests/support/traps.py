"""Programs, packages, wrappers and an index that leave a mark where they are used, and the folder of a
campaign and traces that can be made to name them.
"""

from __future__ import annotations

import itertools
import json
import re
import shutil
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from campaigns import FAKES
from wheels import offer

from murxpy.findings.buckets import Kept, new_bucket
from murxpy.findings.store import FILE, Changes, Store
from murxpy.machine.tokens import quote
from murxpy.machine.trace.finished import Call
from murxpy.oracles.crash import Verdict
from murxpy.processes import targets
from murxpy.processes.plans import KEPT_OPTIONS

ROOT = Path(__file__).parents[2]
SCRIPT = "(declare-const x Bool)(assert x)(check-sat)"
SEED = 0xA1
LINES = f"""     1 new@simple
     2 mk-sort SORT_BOOL
      return s1
     3 mk-const s1 "x"
      return t1 s1
     4 assert-formula t1
     5 check-sat
      answer sat
     6 run-script {quote(SCRIPT)}
      answer sat
"""


def header_keys() -> list[str]:
    """The keys of the header of a trace, as the format lists them."""
    text = (ROOT / "traces" / "FORMAT.md").read_text()
    rows = re.findall(r"^\| (`.*?) \|", text.split("### Header")[1].split("###")[0], re.MULTILINE)
    return [key for row in rows for key in re.findall(r"`([a-z-]+)`", row)]


def trace(**header: str) -> str:
    """A trace with these rows in its header, whose keys have `_` in place of `-`."""
    rows = {"murxpy-trace": "1", "solver": "z3 5.4.0", "seed": f"{SEED:x}"}
    rows |= {key.replace("_", "-"): value for key, value in header.items()}
    return "".join(f"# {key} {value}\n" for key, value in rows.items()) + LINES


class Traps:
    """The traps in a folder, which is the working directory."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._mark = folder / "mark"
        program = folder / "program" / "bin" / "python"
        program.parent.mkdir(parents=True)
        program.write_text(f"#!/bin/sh\necho program >> {self._mark}\nexit 1\n")
        program.chmod(0o755)
        # Also where Python would find them if the working directory were on its path.
        for place in (folder / "package", folder / "1.0.8", folder):
            for module in ("z3", "cvc5", "fakesolver"):
                self._marking(place / module / "__init__.py", f"package {module}")
        self.wrapper = folder / "evil.yaml"
        self.wrapper.write_text(
            (FAKES / "third.yaml").read_text().replace("third_helpers", "helpers")
        )
        self._marking(folder / "helpers.py", "helpers")
        with (folder / "helpers.py").open("a") as file:
            file.write((FAKES / "third_helpers.py").read_text())

    def _marking(self, file: Path, what: str) -> None:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"open({str(self._mark)!r}, 'a').write({what + chr(10)!r})\n")

    def asked(self, package: str) -> list[str]:
        """Stands in for the package index."""
        with self._mark.open("a") as file:
            file.write(f"index {package}\n")
        return ["1.0.8"]

    def left(self) -> list[str]:
        """What was used since the last call."""
        found = self._mark.read_text().splitlines() if self._mark.exists() else []
        self._mark.unlink(missing_ok=True)
        return found

    def names(self) -> list[str]:
        """Names of what leaves a mark, as files could name it."""
        here = self.folder
        return [
            *(f"cvc5@{place}" for place in ("./program", str(here / "package"), "1.0.8", "latest")),
            f"z3@{here}/program",
            str(self.wrapper),
            f"{self.wrapper}@{here}/package",
        ]


@pytest.fixture
def traps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Traps:
    traps = Traps(tmp_path / "traps")
    offer(tmp_path, monkeypatch, {})  # an empty cache, and an index without releases
    monkeypatch.setattr(targets, "published", traps.asked)
    monkeypatch.chdir(traps.folder)
    return traps


# What 'murxpy fuzz z3 seeds/ --mix api:1,fusion:1 --cross-check cvc5' records, as far as it names
# something, and all fields that may name it.
def arguments(seeds: str) -> dict[str, Any]:
    """The arguments of a session."""
    run_options = {
        "theories": [],
        "options": [],
        "swarm": True,
        "drawn_options": ["listed"],
        "limits": "solver",
        "checks": [],
        "guide": "off",
    }
    mutation = {
        "mix": [["api", 1.0], ["janus", 1.0]],
        "seeds": [seeds],
        "walk": 2,
        "check_ms": 50.0,
        "size_limit": 100_000,
        "choices": {"janus": {"rules": ["core"]}},
        "dialect": "",
        "through": "text",
        "budget": None,
        "stability": 0.0,
    }
    request = {
        "targets": {"z3": "z3"},
        "machine": "default",
        "wrapper": None,
        "profile": None,
        KEPT_OPTIONS: run_options,
        "mutation": mutation,
        "enumeration": None,
    }
    asked = {
        "compare": False,
        "baseline": [],
        "wall": 2.0,
        "memory": 1 << 31,
        "limits": "solver",
        "judge_limit": 0.2,
        "isolate": False,
        "fail_on": [],
        "minimize": False,
        "bisect": False,
    }
    return {"request": request, "command": ["fuzz", "z3"], "judges": ["cvc5"], KEPT_OPTIONS: asked}


KEY = "invalid-model-z3-check-sat-00000000"


def campaign(out: Path) -> Path:
    """A folder of a campaign with one finding, which shows nothing when it is replayed; gives the
    folder of its bucket.
    """
    text = trace(finds="invalid-model", cross_check="cvc5")
    call = Call("check-sat", "", "")
    verdict = Verdict("invalid-model", "solver", "a model is wrong", "", call)
    entry = replace(
        new_bucket(KEY, "z3", verdict, known=False, now=1.0),
        state="confirmed",
        count=1,
        traces=[Kept(f"findings/{KEY}/{SEED:016x}.trace", SEED, 7, len(text), True)],
        told=True,
    )
    row = (KEY, "z3", 0, f"{SEED:x}", "5.4.0", 7, "[]", 1.0)
    session = (1.0, 2.0, "runs", json.dumps(arguments(str(ROOT / "seeds" / "AUFLIA"))))
    out.mkdir()
    with closing(Store(out)) as store:
        store.save(Changes(buckets=[entry], rows=[row], session=session, meta={"seed": 1}))
    bucket = out / "findings" / KEY
    bucket.mkdir(parents=True)
    (bucket / f"{SEED:016x}.trace").write_text(text)
    (bucket / f"{SEED:016x}.history").write_text(f"{SEED:x} []\n")
    return bucket


def _changed(data: Any, name: str) -> Iterator[Any]:
    """Copies of plain data in each of which one text, name, or absent value is `name`."""
    if data is None or isinstance(data, str):
        yield name
    elif isinstance(data, list):
        for at, value in enumerate(data):
            yield from ([*data[:at], new, *data[at + 1 :]] for new in _changed(value, name))
    elif isinstance(data, dict):
        for key, value in data.items():
            yield from ({**data, key: new} for new in _changed(value, name))
            yield {name if one == key else one: kept for one, kept in data.items()}


def _cells(db: sqlite3.Connection) -> Iterator[tuple[str, str, Any]]:
    """The texts of the tables: table, column, and what stands there."""
    tables = [name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    for table in tables:
        rows = db.execute(f"SELECT * FROM {table}")
        columns = [column for column, *_ in rows.description]
        for row in rows.fetchall():
            for column, value in zip(columns, row, strict=True):
                if isinstance(value, str):
                    yield table, column, value


def folders(out: Path, names: Sequence[str], first: int) -> Iterator[str]:
    """Have the store of a campaign name something, in one place after another: in each cell of its
    tables, and in each text, key and empty value of the JSON in a cell. The names take turns, from
    number `first` on. Gives the place each time; the rest of the folder is then as it was.
    """
    with closing(sqlite3.connect(out / FILE)) as db:
        cells = list(_cells(db))
    files = {file: file.read_bytes() for file in out.rglob("*") if file.is_file()}
    turns = itertools.cycle([*names[first % len(names) :], *names[: first % len(names)]])
    for table, column, value in cells:
        try:
            data = json.loads(value)
        except ValueError:
            data = value
        inner = [] if data == value else range(len([*_changed(data, "")]))
        for number in (-1, *inner):
            name = next(turns)
            text = name if number < 0 else json.dumps([*_changed(data, name)][number])
            shutil.rmtree(out)
            for file, content in files.items():
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(content)
            with closing(sqlite3.connect(out / FILE)) as db:
                db.execute(f"UPDATE {table} SET {column} = ? WHERE {column} = ?", (text, value))
                db.commit()
            yield f"{table}.{column} {number}: {text[:200]}"
