"""The drafts of the kept regressions: each as `murxpy draft` writes it on the newest release.

`python bench/drafts.py` writes `traces/regressions/FOLDER/NAME.md` beside each `NAME.trace` that the
installed release of its solver shows, if that is the release of which the drafts tell. With names, only
the traces that have one of them in their path. `--check` writes nothing, and exits with 1 where a draft
is not what would be written now.

`bench/results/drafts.md` is written by hand: what people who judged the drafts of campaigns counted.

Campaigns of the parts of APIs alone are judged by hand in the same way, bucket by bucket: `bench/results/parts.md`.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from common import ROOT

from murxpy.cli.draft import draft_in, kept_alone
from murxpy.findings.origin import plan_of
from murxpy.judging.regress import TABLE, range_in, read_table
from murxpy.machine.trace.grammar import parse_trace, read_trace
from murxpy.processes.handles import Scratch
from murxpy.processes.releases import short

FOLDER = ROOT / "traces" / "regressions"
RELEASES = {"z3": "5.4.1", "cvc5": "1.4.2"}  # of which the drafts tell
PACKAGES = {"z3": "z3-solver", "cvc5": "cvc5"}
_MACHINE = re.compile(r"^(- \S+ \S+), .*, Python .*$", re.M)


def main() -> int:
    """Write the drafts, or compare them."""
    made = argparse.ArgumentParser(description=__doc__)
    made.add_argument("names", nargs="*", help="parts of the paths of traces; all without any")
    made.add_argument("--check", action="store_true", help="write nothing, compare")
    args = made.parse_args()
    different = 0
    for file in drafted():
        if args.names and not any(part in str(file) for part in args.names):
            continue
        if not installed(file):
            print(f"{file.name}: another release is installed", flush=True)
            continue
        text, draft = written(file), file.with_suffix(".md")
        same = draft.is_file() and plain(draft.read_text(encoding="utf-8")) == plain(text)
        different += not same
        print(
            f"{'same' if same else 'differs' if args.check else 'written'}: {file.relative_to(FOLDER)}",
            flush=True,
        )
        if not args.check and not same:
            draft.write_text(text, encoding="utf-8")
    return int(args.check and different > 0)


def drafted() -> Iterator[Path]:
    """The traces that have a draft: those that the releases of the drafts show."""
    for name, entry in read_table(FOLDER / TABLE).items():
        if entry["asked"].get(RELEASES.get(entry["solver"], "")) == "shows":
            yield FOLDER / name


def installed(file: Path) -> bool:
    """Whether the solver of a trace is installed in the release of which the drafts tell."""
    solver = file.parent.name.partition("-")[0]
    try:
        return short(version(PACKAGES[solver])) == RELEASES[solver]
    except PackageNotFoundError:
        return False


def written(file: Path) -> str:
    """The draft of a trace."""
    plan = plan_of(parse_trace(read_trace(file), str(file)), None, None, file)
    with Scratch("draft") as out:
        folder = kept_alone(file, plan, out, range_in(FOLDER / TABLE, file))
        return draft_in(folder, None, ()).text


def plain(draft: str) -> str:
    """A draft without the machine and the Python on which it was written."""
    return _MACHINE.sub(r"\1", draft)


if __name__ == "__main__":
    sys.exit(main())
