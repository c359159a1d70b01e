"""`murxpy triage`: which solver is wrong in each disagreement and each invalid model of a campaign."""

from __future__ import annotations

from pathlib import Path

import click

from murxpy.cli.options import JUDGES, json_option, judges_option, kept_option, time_option
from murxpy.cli.params import in_out_option, out_or_bucket_argument
from murxpy.cli.report.console import make_console, print_json
from murxpy.cli.report.judged import print_triage, triage_json
from murxpy.findings.bucket_names import is_bucket
from murxpy.judging.triage import triaged
from murxpy.processes.limits import Limits


@click.command()
@out_or_bucket_argument
@in_out_option
@judges_option(
    f"{JUDGES}: where a trace names no judges.  [default: all other solvers]",
    default="",
)
@kept_option("--solver")
@kept_option("--wrapper")
@click.option(
    "--again",
    is_flag=True,
    help="Ask about all findings again, not only about those without a triage.",
)
@time_option("--wall", "5s", "Wall time of a replay.")
@json_option
def triage(source: Path, judges: tuple[str, ...], again: bool, wall: float, as_json: bool) -> None:
    """Say for each disagreement and each invalid model in the output folder OUT of a campaign which
    solver is wrong, and by which evidence. Of a BUCKET, the folder OUT/findings/BUCKET or the
    beginning of its name, only its finding is judged.

    Targets and judges that are builds, and wrappers, are named here again: what only the folder
    names is not used.

    \b
    Examples:
      murxpy triage out --again
      murxpy triage out --solver z3@~/z3/build --cross-check cvc5@~/cvc5/build
    """
    judged = triaged(source, judges, again, Limits(wall=wall))
    out = str(source.absolute().parent.parent if is_bucket(source) else source)
    if as_json:
        print_json(triage_json(judged, out))
    else:
        print_triage(make_console(), judged, out)
