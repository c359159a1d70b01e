"""How long the forms are in which campaigns show their findings: the smallest trace, the Python program
and the SMT-LIB script of each confirmed bucket.

`python bench/finding_sizes.py OUT...` reads the folders of campaigns, after their end or after `murxpy
finish`, and adds a row to `bench/results/finding_sizes.md`. Lines are those that are neither empty nor a
comment. A form counts where the campaign saw it to show the finding. Nothing is written into OUT.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from common import RESULTS, circumstances, table

from murxpy.findings.buckets import Bucket
from murxpy.findings.store import read_buckets

FORMS = {"min.trace": "trace", "python": "program", "smt2": "script"}
LONG = 60  # lines of a program that is too long to be read
_COMMENTS = ("#", ";")


@dataclass(frozen=True)
class Size:
    """The form of a finding. `lines` is 0 where no file shows the finding, and `why` says why. `helpers`
    is the number of functions of the wrapper in a program.
    """

    bucket: str
    form: str
    lines: int
    helpers: int
    why: str


def main() -> None:
    """Measure, print and keep."""
    made = argparse.ArgumentParser(description=__doc__)
    made.add_argument("out", nargs="+", type=Path, help="folders of campaigns")
    made.add_argument("--no-save", action="store_true", help="write nothing under bench/results")
    args = made.parse_args()
    args.theories, args.machine = "all", "default"
    found = [size for out in args.out for size in sizes(out)]
    for size in found:
        shown = f"{size.lines:>4}" if size.lines else "   -"
        helpers = f", {size.helpers} helpers" if size.helpers else ""
        print(f"{shown} {FORMS[size.form]:8} {size.bucket}{helpers}{size.why and f': {size.why}'}")
    cells = [row(form, [size for size in found if size.form == form]) for form in FORMS]
    heads = ["form", "findings", "shown by it", "median lines", "most", f"above {LONG}", "helpers"]
    table("sizes of what campaigns found", heads, cells)
    if args.no_save:
        return
    about = circumstances(args)
    shown = " | ".join(f"{one[2]} of {one[1]}, {one[3]} lines, at most {one[4]}" for one in cells)
    with open(RESULTS / "finding_sizes.md", "a", encoding="utf-8") as file:
        file.write(f"| {about['date'][:10]} | {about['commit']} | {shown} |\n")


def sizes(out: Path) -> Iterator[Size]:
    """The forms of the confirmed buckets of a campaign."""
    for bucket in sorted(read_buckets(out), key=lambda one: one.key):
        if bucket.state == "confirmed":
            for form in FORMS:
                yield measured(out, bucket, form)


def measured(out: Path, bucket: Bucket, form: str) -> Size:
    """One form of a bucket."""
    name = f"{out.name}/{bucket.key}"
    kept = next((one for one in bucket.reproducers if one.form == form), None)
    if kept is None or not kept.reproduces:
        return Size(name, form, 0, 0, "untried" if kept is None else kept.note[:100])
    text = (out / kept.file).read_text(encoding="utf-8", errors="replace")
    rows = [row for row in text.splitlines() if row.strip() and not row.startswith(_COMMENTS)]
    functions = sum(row.startswith("def ") for row in rows) - ("def calls():" in rows)
    return Size(name, form, len(rows), functions if form == "python" else 0, "")


def row(form: str, found: Sequence[Size]) -> list[str]:
    """The figures of one form."""
    lines = [size.lines for size in found if size.lines]
    return [
        FORMS[form],
        str(len(found)),
        str(len(lines)),
        f"{statistics.median(lines):g}" if lines else "-",
        str(max(lines, default=0)),
        str(sum(count > LONG for count in lines)),
        str(sum(size.helpers > 0 for size in found)),
    ]


if __name__ == "__main__":
    sys.exit(main())
