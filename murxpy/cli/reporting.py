"""`murxpy report`: a campaign or a study as files for people and for other programs."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

import click

from murxpy import plugins
from murxpy.cli.options import out_argument
from murxpy.cli.report.console import say
from murxpy.cli.report.page import html, study_html
from murxpy.cli.report.studies import Report as Study
from murxpy.cli.report.text import amount
from murxpy.cli.report.written import WRITERS as TEXTS
from murxpy.cli.report.written import Report, report_of, study_markdown
from murxpy.errors import InputError
from murxpy.findings.folder import CAMPAIGN, study_in, write_atomically

# The functions that write a campaign, by the names of their options. Plug-ins give more of them.
WRITERS: dict[str, Callable[[Report], str]] = {
    "html": html,
    **TEXTS,
    **{name: plugins.loaded(plugins.WRITERS, name) for name in plugins.names_of(plugins.WRITERS)},
}

_PRINTED = Path("-")  # in the place of a file


def _file_option(form: str, what: str) -> click.Option:
    return click.Option(
        [f"--{form}"],
        type=click.Path(dir_okay=False, path_type=Path, allow_dash=True),
        metavar="FILE",
        help=f"Write {what} into this file; '-' prints it.",
    )


@click.command()
@out_argument
@click.option("--all", "every", is_flag=True, help="Also report defects of experimental features.")
def report(out: Path, every: bool, **files: Path | None) -> None:
    """Report the defects of the campaign in the output folder OUT (murxpy-out), which may be running, as
    files; or what a study in the folder OUT found, as --html or --markdown. Without a file, Markdown is
    printed.

    \b
    murxpy report out --html report.html          # one page, for people (murxpy[report])
    murxpy report out --junit murxpy.xml          # for CI: a failure for each defect that counts
    murxpy report out --sarif murxpy.sarif        # for code scanning, the bucket as fingerprint
    murxpy report m --html matrix.html            # of 'murxpy matrix', stability or perf
    murxpy report out --markdown - | less         # to standard output, as without any file
    """
    writers, what = _writers(out, every)
    wanted = {form: file for form, file in files.items() if file is not None}
    for form in wanted:
        if form not in writers:
            raise InputError(
                f"--{form} takes defects, and {what} has none: use --html or --markdown",
                file=str(out),
            )
    printed = [form for form, file in wanted.items() if file == _PRINTED]
    if len(printed) > 1:
        raise InputError(f"--{printed[1]} -: --{printed[0]} is printed already; name a file")
    printed = printed if wanted else ["markdown"]
    texts = {form: writers[form]() for form in (*printed, *wanted)}
    for form in printed:
        click.echo(texts[form], nl=False)
    for form in (one for one in wanted if one not in printed):
        write_atomically(wanted[form], texts[form])
        say(f"{wanted[form]}: {what}", err=bool(printed))


def _writers(out: Path, every: bool) -> tuple[Mapping[str, Callable[[], str]], str]:
    """The functions that write what is in a folder, by form, and what that is in words."""
    name = study_in(out)
    study = _study(name, out) if name else None
    if study is not None and not (out / CAMPAIGN).is_file():
        title = f"{name} {out}"
        made = {
            "html": partial(study_html, title, study),
            "markdown": partial(study_markdown, title, study),
        }
        return made, f"the study '{name}'"
    found = report_of(out, every)
    writers: dict[str, Callable[[], str]] = {
        form: partial(write, found) for form, write in WRITERS.items()
    }
    writers["html"] = partial(html, found, study)
    if study is not None:
        writers["markdown"] = partial(_both_markdown, f"{name} {out}", study, found)
    return writers, amount(len(found.defects), "defect")


def _both_markdown(title: str, study: Study, found: Report) -> str:
    """What a study found, and its findings, where it has some."""
    told = study_markdown(title, study)
    return f"{told}\n{TEXTS['markdown'](found)}" if found.defects else told


def _study(name: str, out: Path) -> Study:
    """What a study in a folder found, as its command tells it. Raises InputError."""
    try:
        module = importlib.import_module(f"murxpy.cli.studies.{name.replace('-', '_')}")
        told: Study = module.reported(out)
    except (ModuleNotFoundError, AttributeError):
        raise InputError(
            f"this is the folder of '{name}', of which there is no report", file=str(out)
        ) from None
    return told


report.params += [
    _file_option("html", "one page that needs no network"),
    _file_option("markdown", "Markdown"),
    _file_option("junit", "JUnit's XML, a failure for each defect that counts"),
    _file_option("sarif", "SARIF 2.1.0, a result for each defect"),
    *(
        _file_option(name, (WRITERS[name].__doc__ or "what a plug-in makes").strip())
        for name in plugins.names_of(plugins.WRITERS)
    ),
]
