"""`murxpy import-seeds`: make seeds of the regression suite that a solver ships."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import click

from murxpy.cli.options import json_option, theory_option
from murxpy.cli.params import MISSING_SEEDS, Existing
from murxpy.cli.report.console import Progress, make_console, print_json, say
from murxpy.cli.report.tables import COUNT, Table, kinds
from murxpy.cli.report.text import amount
from murxpy.data import load_catalogue
from murxpy.errors import InputError
from murxpy.fuzzers.importing import SEVERAL, UNKNOWN, UNREADABLE, Imported, Importer
from murxpy.fuzzers.seeds import SIZE_LIMIT, script_files
from murxpy.logic.catalogue import build_catalogue

LABELS = ("sat", "unsat", SEVERAL, UNKNOWN)  # the folders of a logic


@click.command("import-seeds")
@click.argument("seeds", metavar="DIR...", nargs=-1, required=True, type=Existing(MISSING_SEEDS))
@click.option(
    "-o",
    "--out",
    "into",
    type=click.Path(path_type=Path, file_okay=False),
    required=True,
    metavar="OUT",
    help="The new folder of the seeds: OUT/LOGIC/sat, OUT/LOGIC/unsat, OUT/LOGIC/unknown, and "
    "OUT/LOGIC/several for scripts whose checks have different labels.",
)
@click.option(
    "--size-limit",
    type=click.IntRange(1),
    default=SIZE_LIMIT,
    metavar="BYTES",
    show_default=True,
    help="Leave out larger files.",
)
@theory_option
@json_option
def import_seeds(seeds: tuple[Path, ...], into: Path, size_limit: int, as_json: bool) -> int:
    """Make seeds of the regression suite that a solver ships, or of any scripts: read all scripts in DIR,
    and write those that the mutation fuzzers can use to a new folder, by logic and label.

    A label is the (set-info :status ...) before a check, or the name of the folder, sat or unsat. The
    logic is the one that the script sets, or else the smallest one that contains it. Of scripts with one
    shape, which differ in names and literals alone, and with the same labels, the first one is kept.

    Nothing of the files runs. A file that cannot be read is named with the reason, and left out. Ctrl-C
    ends the import; what was written until then stays.

    \b
    Examples:
      murxpy import-seeds z3test/regressions -o suite   a checkout of z3's suite
      murxpy opfuzz z3 suite/QF_LIA                     the seeds of one logic
      murxpy check-seeds suite --cross-check cvc5 --write labelled
                                                        label those that have no label
    """
    if into.exists() and any(into.iterdir()):
        raise InputError(f"the folder {into} is not empty; expected a new one for the seeds")
    paths = list(script_files(seeds))
    importer = Importer(into, build_catalogue(load_catalogue()), size_limit)
    found: list[Imported] = []
    try:
        _import(importer, paths, found, as_json)
    except OSError as error:
        raise InputError(f"{into}: {error.strerror}") from None
    except KeyboardInterrupt as error:
        _print(found, into, as_json)
        error.add_note(f"{len(found):,} of {amount(len(paths), 'script')} read")
        raise
    if not any(one.seed for one in found):
        where = ", ".join(map(str, seeds))
        raise InputError(f"no seeds in {where}; expected SMT-LIB scripts (*.smt2) with a check")
    _print(found, into, as_json)
    return 0


def _import(
    importer: Importer, paths: Sequence[Path], found: list[Imported], as_json: bool
) -> None:
    """Import the files one after another into `found`. Progress is shown, and each file that cannot be
    read is named.
    """
    with Progress("reading", len(paths)) as progress:
        for path in paths:
            one = importer.take(path)
            found.append(one)
            progress.step()
            if one.fault and not as_json:
                progress.say(f"{UNREADABLE}: {one.fault}", err=True)


def _print(found: Sequence[Imported], into: Path, as_json: bool) -> None:
    """Print how many seeds each logic has, by label, and how many files were left out, by reason."""
    written = [one for one in found if one.seed]
    left_out = Counter(one.reason for one in found if one.reason)
    if as_json:
        seeds = [
            {"file": str(one.path), "seed": str(one.seed), "logic": one.logic, "label": one.label}
            for one in written
        ]
        faults = {str(one.path): one.fault for one in found if one.fault}
        print_json({"seeds": seeds, "left out": dict(sorted(left_out.items())), "faults": faults})
        return
    counts = Counter((one.logic, one.label) for one in written)
    table = Table(kinds(["logic"], LABELS, COUNT))
    for logic in sorted({logic for logic, _ in counts}):
        table.add(logic, *(counts[logic, label] for label in LABELS))
    table.print(make_console())
    say(f"{amount(len(written), 'seed')} of {amount(len(found), 'file')} written to {into}")
    for reason, number in sorted(left_out.items()):
        say(f"{number:>7,}  left out: {reason}")
