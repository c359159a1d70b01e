"""`murxpy repair`: rebuilds the store of a campaign."""

from __future__ import annotations

from pathlib import Path

import click

from murxpy.cli.options import out_argument
from murxpy.cli.report.console import say
from murxpy.cli.report.text import amount
from murxpy.errors import InternalError
from murxpy.findings import repair as repairing
from murxpy.findings.repair import Repaired
from murxpy.findings.store import FILE

_NAMED = 8  # buckets that are named at most


@click.command()
@out_argument
def repair(out: Path) -> int:
    """Rebuild the store of the campaign in the output folder OUT (murxpy-out) if it is damaged:
    from every row that can still be read, and from the traces in the folder.

    The damaged store is kept under another name. A bucket of which only traces are left is one that
    the next session of the campaign confirms. The exit code is 3 where findings were lost.

    \b
      murxpy repair murxpy-out
      murxpy fuzz z3 --out murxpy-out        the campaign goes on
    """
    done = repairing.repair(out)
    for line in _lines(out, done):
        say(line)
    return 0 if done.whole else InternalError.exit_code


def _lines(out: Path, done: Repaired) -> list[str]:
    if not done.kept and not done.lost and not done.made:
        return [f"{out / FILE}: every row can be read, and every trace is there"]
    kept = ", ".join(f"{number:,} {table}" for table, number in sorted(done.kept.items()) if number)
    lines = [f"kept: {kept or 'nothing'}"]
    if done.made:
        named = ", ".join(done.made[:_NAMED]) + ", ..." * (len(done.made) > _NAMED)
        lines.append(
            f"rebuilt from traces: {amount(len(done.made), 'bucket')}, which the next session of the "
            f"campaign confirms: {named}"
        )
    lines += [f"lost: {sentence}" for sentence in done.lost]
    if done.damaged:
        lines.append(f"the damaged database is kept: {out / done.damaged}")
    return lines
