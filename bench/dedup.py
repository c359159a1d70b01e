"""How many defects 'murxpy findings' lists for each defect there is.

`python bench/dedup.py` writes `bench/results/dedup.md`.

The labelled sets `bench/dedup/*.json` hold buckets of real campaigns: what regrouping needs of each
(message, native frames, smaller trace, releases), and the defect that a person found it to show, with
a sentence of why. The buckets of each set are grouped as `murxpy findings` groups them, and the
groups are compared with the labels, bucket by bucket in pairs. All sets of one solver are also
grouped together, as if one campaign had found them.

`--add OUT` makes a set of an output folder of `murxpy fuzz`, without labels: fill in `defect` and
`why` of each bucket by hand. Sets that are there keep their labels.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import common
from common import table

from murxpy.findings.buckets import Bucket
from murxpy.findings.defects import Grouping
from murxpy.findings.folder import read_if_there
from murxpy.findings.frames import functions
from murxpy.findings.ranges import kept_range
from murxpy.findings.store import TOLD, Store
from murxpy.records.finding import Reproducer

SETS = common.ROOT / "bench" / "dedup"
FRAMES = 64  # that are kept of a stack
LARGEST = 60_000  # characters of a smaller trace that is kept


@dataclass(frozen=True, slots=True)
class Score:
    """What the grouping of labelled buckets came to. Pairs of buckets of one defect in two groups are
    `split`, pairs of two defects in one group are `merged`.
    """

    name: str
    buckets: int
    defects: int
    listed: int
    split: list[tuple[str, str]]
    merged: list[tuple[str, str]]

    @property
    def share(self) -> float:
        """The listed defects for each defect."""
        return self.listed / self.defects if self.defects else 0.0


def entry(out: Path, bucket: Bucket) -> dict[str, Any]:
    """A bucket of a campaign as a set holds it."""
    small = [f.file for f in bucket.reproducers if f.form == "min.trace" and f.reproduces]
    text = read_if_there(out / small[0]) if small else None
    return {
        "key": bucket.key,
        **{name: getattr(bucket, name) for name in TOLD},
        "frames": list(functions(bucket.backtrace))[:FRAMES],
        "trace": (text if text and len(text) <= LARGEST else "").splitlines(),
        "range": kept_range(out / "findings" / bucket.key),
        "defect": "",
        "why": "",
    }


def add(out: Path, name: str) -> None:
    """Write the set of the campaign in `out`."""
    store = Store(out, read_only=True)
    try:
        buckets = [bucket for bucket in store.buckets() if bucket.state == "confirmed"]
        versions, asked = store.versions(), store.arguments()
    finally:
        store.close()
    file = SETS / f"{name}.json"
    labels = {e["key"]: e for e in json.loads(file.read_text())["buckets"]} if file.exists() else {}
    entries = []
    for bucket in buckets:
        made = entry(out, bucket)
        made.update({k: labels[bucket.key][k] for k in ("defect", "why") if bucket.key in labels})
        entries.append({"version": versions.get(bucket.key, ""), **made})
    # Only the name stays of a folder, also of one that is a target.
    command = [re.sub(r"(^|@)\S*/(?=[^/]+$)", r"\1", word) for word in asked[0]["command"]]
    data = {"command": f"murxpy {' '.join(command)}", "buckets": entries}
    SETS.mkdir(exist_ok=True)
    file.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")


def labelled(entries: Iterable[dict[str, Any]]) -> Iterator[tuple[Bucket, dict[str, Any]]]:
    """The buckets of entries that have a label."""
    for at, one in enumerate(entries):
        if not one["defect"]:
            continue
        frames = "".join(
            f"#{n}  0x{n:016x} in {name} () from lib\n"
            if not name.startswith("0x")
            else f"#{n}  {name} in ?? ()\n"
            for n, name in enumerate(one["frames"])
        )
        key = f"{one['key']}#{at}"
        forms = (Reproducer("min.trace", key, True),) if one["trace"] else ()
        words = {name: one[name] for name in TOLD}
        yield (
            Bucket(
                key=key,
                **words,
                state="confirmed",
                first=at,
                last=at,
                backtrace=frames,
                reproducers=forms,
            ),
            one,
        )


def score(name: str, entries: Sequence[dict[str, Any]]) -> Score:
    """Group the labelled entries, and compare the groups with the labels."""
    rows = {bucket.key: (bucket, one) for bucket, one in labelled(entries)}
    texts = {key: "".join(f"{row}\n" for row in one["trace"]) for key, (_, one) in rows.items()}
    grouping = Grouping(texts.get, lambda key: str(rows[key][1]["range"]))
    found = grouping.defects(bucket for bucket, _ in rows.values())
    group = {key: at for at, defect in enumerate(found) for key in defect.buckets}
    split, merged = [], []
    for one, other in combinations(rows, 2):
        same = rows[one][1]["defect"] == rows[other][1]["defect"]
        if same is not (group[one] == group[other]):
            (split if same else merged).append((one, other))
    defects = {entry["defect"] for _, entry in rows.values()}
    return Score(name, len(rows), len(defects), len(found), split, merged)


def scores(sets: dict[str, list[dict[str, Any]]]) -> list[Score]:
    """The scores of all sets, and of the sets of each solver together."""
    found = [score(name, entries) for name, entries in sets.items()]
    whole = [one for entries in sets.values() for one in entries]
    for solver in sorted({one["solver"] for one in whole}):
        found.append(score(f"all of {solver}", [one for one in whole if one["solver"] == solver]))
    return found


def main() -> None:
    """Read the arguments, and do what they ask for."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else "")
    parser.add_argument("--add", type=Path, metavar="OUT", help="make a set of this output folder")
    parser.add_argument("--name", default="", help="name of the set that is made")
    parser.add_argument("--pairs", action="store_true", help="print the pairs that are wrong")
    parser.add_argument("--no-save", action="store_true", help="write nothing under bench/results")
    args = parser.parse_args()
    if args.add is not None:
        add(args.add, args.name or args.add.name)
        return
    files = sorted(SETS.glob("*.json"))
    sets = {file.stem: json.loads(file.read_text())["buckets"] for file in files}
    found = scores(sets)
    header = (
        "set",
        "buckets",
        "defects",
        "listed",
        "per defect",
        "told apart wrongly",
        "merged wrongly",
    )
    rows = [
        (s.name, s.buckets, s.defects, s.listed, f"{s.share:.2f}", len(s.split), len(s.merged))
        for s in found
    ]
    table("Listed defects for each defect", header, rows)
    if args.pairs:
        for one in found:
            for what, pairs in (("apart", one.split), ("merged", one.merged)):
                for pair in pairs:
                    print(one.name, what, *pair)
    if not args.no_save:
        _save(header, rows)


def _save(header: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    facts = common.circumstances(argparse.Namespace(theories="all"))
    lines = [
        f"Measured on {facts['date']} at commit {facts['commit']} with `{facts['command']}`; no solver is needed for it.",
        "",
        f"| {' | '.join(header)} |",
        f"|{'---|' * len(header)}",
        *(f"| {' | '.join(map(str, row))} |" for row in rows),
    ]
    (common.RESULTS / "dedup.md").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
