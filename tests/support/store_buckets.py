"""Campaigns on disk whose buckets a test makes up."""

from __future__ import annotations

from collections import Counter
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from murxpy.findings.buckets import Bucket, Kept
from murxpy.findings.store import Changes, Store
from murxpy.records.finding import Reproducer


def kept(out: Path, key: str, forms: dict[str, str], **fields: object) -> Bucket:
    """A confirmed bucket with a trace of 90 lines, and other forms that show it."""
    folder = out / "findings" / key
    folder.mkdir(parents=True)
    found = []
    for name, text in {"trace": "# murxpy-trace 1\n" * 90, **forms}.items():
        file = folder / f"00000000000000aa.{ {'python': 'py'}.get(name, name) }"
        file.write_text(text)
        found.append(Reproducer(name, str(file.relative_to(out)), True))
    bucket = Bucket(
        key, "crash", "solver", "high", "z3", "SIGSEGV", "SIGSEGV", "pop", "", "", "confirmed", 1, 1
    )
    trace = Kept(found[0].file, 0xAA, 90, 900, True)
    more = {"count": 3, "traces": [trace], "reproducers": tuple(found), **fields}
    return replace(bucket, **more)  # type: ignore[arg-type]


def stored(out: Path, *buckets: Bucket) -> None:
    """The store of a campaign of z3 with these buckets, each seen once, and 100 runs."""
    rows = [
        (b.key, "z3", run, "aa", "5.4.1", 90, "[]", float(run)) for run, b in enumerate(buckets)
    ]
    with closing(Store(out, rebuild=True)) as store:
        store.save(Changes(buckets=[*buckets], rows=rows, counters=Counter({"run:total": 100})))
