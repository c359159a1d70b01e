"""`murxpy merge`: makes one folder of those of the shards of a campaign."""

from __future__ import annotations

from pathlib import Path

import click

from murxpy.cli.params import Existing
from murxpy.cli.report.console import say
from murxpy.cli.report.text import amount
from murxpy.findings.merging import merge as merge_folders


@click.command()
@click.argument("parts", metavar="PART...", nargs=-1, required=True, type=Existing())
@click.option(
    "--out",
    required=True,
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Folder of what was merged. One that an earlier merge of these shards left is made anew.",
)
def merge(parts: tuple[Path, ...], out: Path) -> int:
    """Merge the folders of shards of a campaign, which 'murxpy fuzz --shard' wrote, into one folder.

    The order of the shards does not matter, and to merge them again counts nothing twice. All shards
    must be of this release of murxpy. The commands that look at a campaign, and 'murxpy finish', take the
    merged folder as that of any other campaign.

    \b
      murxpy fuzz z3 --seed 1 --shard 3/16 --time 8h --out part3     on the third of 16 machines
      murxpy merge part* --out all
    """
    done = merge_folders(parts, out)
    lacking = sorted(set(range(1, done.of + 1)) - set(done.shards))
    say(
        f"{out}: {amount(len(done.shards), 'shard')} of {done.of}, {amount(done.runs, 'run')}, "
        f"{amount(done.findings, 'finding')} in {amount(done.buckets, 'bucket')}"
    )
    if lacking:
        say(f"not merged yet: shard {', '.join(map(str, lacking))}")
    return 0
