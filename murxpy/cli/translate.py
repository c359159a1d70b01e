"""`murxpy translate`: a trace, or a folder of traces, as SMT-LIB scripts or Python programs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from murxpy.cli import fail
from murxpy.data import load_catalogue, load_wrapper, wrapper_names
from murxpy.errors import InputError, MurxpyError
from murxpy.logic.catalogue import build_catalogue
from murxpy.smtlib.dialects import DIALECTS
from murxpy.trace.file import read_trace
from murxpy.trace.grammar import Trace, parse_trace
from murxpy.trace.translate.python import to_python
from murxpy.trace.translate.smtlib import to_smtlib

Translator = Callable[[Trace], str]
_SUFFIXES = {"smt2": ".smt2", "python": ".py"}


@click.command()
@click.argument("source", metavar="TRACE", type=click.Path(path_type=Path))
@click.option("--to", "target", type=click.Choice(sorted(_SUFFIXES)), required=True, help="What to print.")
@click.option("-o", "--output", metavar="FILE", type=click.Path(path_type=Path),
              help="Write to this file.  [default: standard output]")  # fmt: skip
@click.option("--into", metavar="DIR", type=click.Path(path_type=Path), help="Folder for the translations of a folder.")
@click.option("--dialect", type=click.Choice(DIALECTS), help="SMT-LIB with this solver's extensions.  [default: standard]")
@click.option("--lossy", is_flag=True, help="SMT-LIB: a comment in place of what it cannot say.")
@click.option("--wrapper", metavar="FILE", help="Python: the wrapper of the trace's solver.  [default: the shipped one]")
def translate(
    source: Path, target: str, output: Path | None, into: Path | None, dialect: str | None, lossy: bool, wrapper: str | None
) -> int:
    """Print TRACE, or every *.trace below a folder, as an SMT-LIB script or a stand-alone Python program.

    The program makes the very calls of the trace, and exits with 1 when the recorded defect shows.
    """
    if target == "python" and (dialect or lossy):
        raise InputError("--dialect and --lossy are of SMT-LIB: leave them out with '--to python'")
    if target == "smt2" and wrapper:
        raise InputError("an SMT-LIB script needs no wrapper: leave out --wrapper")
    translator = _translator(target, dialect or "standard", lossy, wrapper)
    if source.is_dir():
        if into is None or output is not None:
            raise InputError("TRACE is a folder, expected --into DIR and no -o", file=str(source))
        return _folder(source, into, _SUFFIXES[target], translator)
    if into is not None:
        raise InputError("--into is for a folder, expected one, found a file or nothing", file=str(source))
    text = translator(parse_trace(read_trace(source), str(source)))
    if output is None:
        click.echo(text, nl=False)
    else:
        output.write_text(text, encoding="utf-8")
    return 0


def _translator(target: str, dialect: str, lossy: bool, wrapper: str | None) -> Translator:
    catalogue = build_catalogue(load_catalogue())
    if target == "smt2":
        return lambda trace: to_smtlib(trace, catalogue, dialect, lossy)
    known: dict[str, dict[str, Any]] = {}

    def python(trace: Trace) -> str:
        name = wrapper or trace.solver
        if not wrapper and name not in wrapper_names():
            raise InputError(f"the trace is of '{name}', which has no wrapper here; name one with --wrapper", file=trace.name)
        if name not in known:
            known[name] = load_wrapper(name)
        return to_python(trace, catalogue, known[name])

    return python


def _folder(source: Path, into: Path, suffix: str, translator: Translator) -> int:
    """Translate each trace below `source`; one line for each that cannot be. The exit code is that of the last such error."""
    code = 0
    traces = sorted(source.rglob("*.trace"))
    if not traces:
        raise InputError("no *.trace in this folder", file=str(source))
    written = 0
    for path in traces:
        try:
            text = translator(parse_trace(read_trace(path), str(path)))
        except MurxpyError as error:
            code = fail(str(error), error.exit_code)
            continue
        file = into / path.relative_to(source).with_suffix(suffix)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        written += 1
    click.echo(f"{written} of {len(traces)} traces written to {into}")
    return code
