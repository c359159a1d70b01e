"""`murxpy report`: a campaign as files for people and for other programs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import click

from murxpy import plugins
from murxpy.cli.options import out_argument
from murxpy.cli.report.console import say
from murxpy.cli.report.page import html
from murxpy.cli.report.text import amount
from murxpy.cli.report.written import WRITERS as TEXTS
from murxpy.cli.report.written import Report, report_of
from murxpy.findings.folder import write_atomically

# The text of each form, by the name of its option. A plug-in gives a function like these.
WRITERS: dict[str, Callable[[Report], str]] = {
    "html": html,
    **TEXTS,
    **{name: plugins.loaded(plugins.WRITERS, name) for name in plugins.names_of(plugins.WRITERS)},
}


def _file_option(form: str, what: str) -> click.Option:
    return click.Option(
        [f"--{form}"],
        type=click.Path(dir_okay=False, path_type=Path),
        metavar="FILE",
        help=f"Write {what} into this file.",
    )


@click.command()
@out_argument
@click.option("--all", "every", is_flag=True, help="Also report defects of experimental features.")
def report(out: Path, every: bool, **files: Path | None) -> None:
    """Report the defects of the campaign in the output folder OUT (murxpy-out), which may be running, as
    files. Without a file, Markdown is printed.

    \b
    murxpy report out --html report.html          # one page, for people (murxpy[report])
    murxpy report out --junit murxpy.xml          # for CI: a failure for each defect that counts
    murxpy report out --sarif murxpy.sarif        # for code scanning, the bucket as fingerprint
    murxpy report out > report.md
    """
    found = report_of(out, every)
    wanted = {form: file for form, file in files.items() if file is not None}
    if not wanted:
        click.echo(WRITERS["markdown"](found), nl=False)
    texts = {form: WRITERS[form](found) for form in wanted}
    for form, file in wanted.items():
        write_atomically(file, texts[form])
        say(f"{file}: {amount(len(found.defects), 'defect')}")


report.params += [
    _file_option("html", "one page that needs no network"),
    _file_option("markdown", "Markdown"),
    _file_option("junit", "JUnit's XML, a failure for each defect that counts"),
    _file_option("sarif", "SARIF 2.1.0, a result for each defect"),
    *(
        _file_option(name, (WRITERS[name].__doc__ or "what the plug-in makes").strip())
        for name in plugins.names_of(plugins.WRITERS)
    ),
]
