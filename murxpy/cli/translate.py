"""`murxpy translate`: traces as SMT-LIB scripts, as Python programs, or as traces of Murxla."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import click

from murxpy.cli import fail
from murxpy.cli.options import output_option, theory_option
from murxpy.cli.params import FileOrBucket, NamedFile, Target, in_out_option
from murxpy.cli.report.console import Progress, say
from murxpy.cli.report.text import one_line
from murxpy.data import load_catalogue, load_wrapper, wrapper_names
from murxpy.errors import InputError, MurxpyError
from murxpy.findings.bucket_names import bucket_of, is_bucket, kept_form, kept_trace, written_form
from murxpy.findings.kinds.sights import Shown
from murxpy.findings.origin import origin
from murxpy.findings.ranges import with_range
from murxpy.fuzzers.seeds import SeedFolder
from murxpy.logic.catalogue import STANDARD, Catalogue, build_catalogue
from murxpy.machine.trace.grammar import Trace, parse_trace, permit, read_trace
from murxpy.processes.environments import installed
from murxpy.processes.plans import Request, make_plans, usable_request
from murxpy.processes.releases import short
from murxpy.processes.targets import Plan
from murxpy.records.finding import Reproducer
from murxpy.reduction.reproducers import (
    loaded_release,
    plain_programs,
    to_show,
    told_by,
    tried_program,
)
from murxpy.solvers.forbidden import Forbidden
from murxpy.translate.formula import to_formula
from murxpy.translate.murxla import to_murxla
from murxpy.translate.planted import to_defined
from murxpy.translate.python import to_python
from murxpy.translate.smtlib import to_smtlib

Translator = Callable[[Path], str]
_SUFFIXES = {"smt2": ".smt2", "python": ".py", "program": ".py", "murxla": ".murxla"}
_OF_WRAPPER = ("python", "program")
_FORMS = ("calls", "formula", "seeds")
_LONGEST = 300  # letters of an error that says why a program was not run


@click.command()
@click.argument("source", metavar="TRACE|BUCKET", type=FileOrBucket(folder=True))
@in_out_option
@click.option(
    "--to",
    "target",
    type=click.Choice(sorted(_SUFFIXES)),
    required=True,
    help="The language of the translation: python has all calls of the trace, program only those "
    "that show its finding.",
)
@output_option
@click.option(
    "--into",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="Folder for the translations, where TRACE is a folder.",
)
@click.option(
    "--dialect",
    type=click.Choice([STANDARD, *wrapper_names()]),
    help="SMT-LIB with this solver's extensions.  [default: standard]",
)
@click.option(
    "--as",
    "form",
    type=click.Choice(_FORMS),
    default=_FORMS[0],
    show_default=True,
    help="SMT-LIB: all calls of the trace, or only its formula: what is asserted and checked. Of a folder the formulas can be "
    "written as seeds, --into DIR/LOGIC/STATUS.",
)
@click.option(
    "--lossy",
    is_flag=True,
    help="SMT-LIB, Murxla: write a comment in place of each part that the language cannot say.",
)
@click.option(
    "--by-definition",
    is_flag=True,
    help="SMT-LIB: print each operator that has no name as another formula with the same meaning.",
)
@click.option(
    "--planted",
    is_flag=True,
    help="SMT-LIB: define constants, functions and sorts as the planted model has them.",
)
@click.option(
    "--solver",
    type=Target(),
    metavar="SOLVER[@PLACE]",
    help="Program: the solver on which it is tried.  [default: the one on which the trace was found]",
)
@theory_option
@click.option(
    "--wrapper",
    type=NamedFile(),
    metavar="FILE",
    help="Python: the wrapper of the trace's solver.  [default: the shipped one]",
)
def translate(
    source: Path,
    target: str,
    output: Path | None,
    into: Path | None,
    dialect: str | None,
    form: str,
    lossy: bool,
    by_definition: bool,
    planted: bool,
    wrapper: str | None,
    solver: str | None,
) -> int:
    """Print TRACE, or every *.trace below a folder, as an SMT-LIB script, as a Python program that
    runs alone, or as a trace of Murxla.

    Of a BUCKET, '--to smt2' prints the script that the campaign wrote, as 'show' does, if there is one
    and no other option says how the script is to be; it is else in the dialect of the finding's solver.

    '--to python' makes the same calls as the trace and ends as they end. '--to program' is what a
    person would write: the first form that shows the finding on its solver, with exit code 1.

    '--to smt2 --as formula' prints what a fuzzer of scripts takes as a seed. An operator that has no
    name in the dialect is printed by its definition there.

    Exits with 2 when a trace cannot be translated; the other traces of a folder are translated
    nevertheless.
    """
    of_smtlib = {
        "--dialect": dialect,
        f"--as {form}": form != _FORMS[0],
        "--by-definition": by_definition,
        "--planted": planted,
    }
    if form != _FORMS[0] and planted:
        raise InputError(f"--planted is for all calls of a trace: leave it out with '--as {form}'")
    if form == "seeds":
        if into is None or output is not None or lossy:
            raise InputError(
                "'--as seeds' writes a folder: give --into DIR, and leave -o and --lossy out"
            )
        return _seeds(source, into, dialect)
    _check_options(target, [name for name, given in of_smtlib.items() if given], lossy, wrapper)
    if solver and target != "program":
        raise InputError("only '--to program' runs a solver: leave out --solver")
    own = STANDARD
    if into is None and is_bucket(source):
        source = kept_trace(source)
        as_found = target == "smt2" and not lossy and not any(of_smtlib.values())
        written = written_form(source, "smt2") if as_found else None
        if written is not None:
            kept, text = written
            if not kept.reproduces:
                why = f": {one_line(kept.note, _LONGEST)}" if kept.note else ""
                say(f"the script was not seen to show the finding{why}", err=True)
            _print(text, output)
            return 0
        own = _dialect_of(source)
    if target == "smt2":
        of_trace = _to_script(dialect or own, form == "formula", lossy, by_definition, planted)
    else:
        of_trace = _translator(target, lossy, wrapper, solver)
    translator = partial(_translated, of_trace, _SUFFIXES[target])
    if source.is_dir():
        return _folder(source, into, output, _SUFFIXES[target], translator)
    if into is not None:
        raise InputError("--into is for a folder of traces, and TRACE is none", file=str(source))
    _print(translator(source), output)
    return 0


def _print(text: str, output: Path | None) -> None:
    """Print the result, or write it to the file `output`. Raises InputError."""
    if output is None:
        click.echo(text, nl=False)
    else:
        _write(output, text)


def _dialect_of(path: Path) -> str:
    """The dialect of the solver that made a trace."""
    solver = parse_trace(read_trace(path), str(path)).solver
    return solver if solver in wrapper_names() else STANDARD


def _seeds(source: Path, into: Path, dialect: str | None) -> int:
    """Write the formulas of the traces in a file or below a folder as seeds, in a dialect or else in
    that of each trace's solver. Returns the exit code of the last trace that cannot be read, or 0.
    """
    traces = sorted(source.rglob("*.trace")) if source.is_dir() else [source]
    if not traces:
        raise InputError("no *.trace in this folder", file=str(source))
    folder, errors = SeedFolder(into), list[MurxpyError]()
    with Progress("translating", len(traces)) as progress:
        for path in traces:
            progress.step()
            try:
                trace = _permitted(path)
                folder.take(trace, path.stem, dialect or _dialect_of(path))
            except OSError as error:
                raise InputError(f"cannot write: {error.strerror}", file=str(into)) from None
            except MurxpyError as error:
                errors.append(error)
    for found in errors:
        fail(str(found), found.exit_code)
    for reason, count in folder.left_out.most_common():
        say(f"{count} left out: {reason}")
    say(f"{folder.written} scripts of {len(traces)} traces written to {into}")
    return errors[-1].exit_code if errors else 0


def _permitted(path: Path) -> Trace:
    """The trace in a file. Raises InputError, also where it uses what its wrapper forbids."""
    trace = parse_trace(read_trace(path), str(path))
    if trace.solver in wrapper_names():  # people run what comes of it
        forbidden = Forbidden(load_wrapper(trace.solver)["forbidden"])
        for line in trace.lines:
            permit(forbidden, trace, line)
    return trace


def _translated(of_trace: Callable[[Trace, Path], str], suffix: str, path: Path) -> str:
    text = of_trace(_permitted(path), path)
    return with_range(text, path.with_suffix(suffix))


def _check_options(target: str, of_smtlib: Sequence[str], lossy: bool, wrapper: str | None) -> None:
    """Refuse options that the language `target` does not have. `of_smtlib` are the given options that
    only SMT-LIB has. Raises InputError.
    """
    if of_smtlib and target != "smt2":
        raise InputError(f"{of_smtlib[0]} is for SMT-LIB only: leave it out with '--to {target}'")
    if lossy and target in _OF_WRAPPER:
        raise InputError(f"a program leaves out nothing: leave out --lossy with '--to {target}'")
    if wrapper and target not in _OF_WRAPPER:
        raise InputError(f"'--to {target}' needs no wrapper: leave out --wrapper")


def _write(file: Path, text: str) -> None:
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError(f"cannot write: {error.strerror}", file=str(file)) from None


def _to_script(
    dialect: str, formula: bool, lossy: bool, by_definition: bool, planted: bool
) -> Callable[[Trace, Path], str]:
    catalogue = build_catalogue(load_catalogue())
    if formula:
        return lambda trace, path: to_formula(trace, catalogue, dialect, lossy)
    return lambda trace, path: (to_defined if planted else to_smtlib)(
        trace, catalogue, dialect, lossy, by_definition
    )


def _translator(
    target: str, lossy: bool, wrapper: str | None, solver: str | None
) -> Callable[[Trace, Path], str]:
    catalogue = build_catalogue(load_catalogue())
    if target == "murxla":
        return lambda trace, path: to_murxla(trace, catalogue, lossy)
    known: dict[str, dict[str, Any]] = {}

    def python(trace: Trace, path: Path) -> str:
        name = wrapper or trace.solver
        if not wrapper and name not in wrapper_names():
            raise InputError(
                f"the trace is of '{name}', which has no wrapper here; name one with --wrapper",
                file=trace.name,
            )
        if name not in known:
            known[name] = load_wrapper(name)
        if target == "program":
            return _program(trace, path, catalogue, known[name], wrapper, solver)
        return to_python(trace, catalogue, known[name])

    return python


def _program(
    trace: Trace,
    path: Path,
    catalogue: Catalogue,
    data: dict[str, Any],
    wrapper: str | None,
    solver: str | None,
) -> str:
    """The program of the finding in the file `path`: the one that the campaign saw to show it, or
    else the first that shows it now, or else the plainest, which says that it does not show it or
    was not run. Raises InputError.
    """
    text = kept_form(path, "python")
    if text is not None:
        return text
    bucket = bucket_of(path)
    kind, key, message = "", "", ""
    if bucket is not None:
        kind, key = bucket.kind, bucket.key
        smaller = (form for form in bucket.reproducers if form.form == "min.trace")
        message = told_by(next(smaller, Reproducer("min.trace", "")), bucket.message)
    kind = kind or trace.header.get("finds", "")
    if not kind:
        raise InputError(
            "nothing says which finding the trace shows, expected a trace of OUT/findings/BUCKET or "
            "one with the header 'finds': '--to python' prints all its calls",
            file=trace.name,
        )
    shown = to_show(kind, key, message or _refused(trace))
    try:
        plan = _target(trace, path, data, wrapper, solver)
        release = loaded_release(plan)
        text = tried_program(plan, read_trace(path), shown)
        why = f"It does not show the finding on {release}"
    except (MurxpyError, OSError) as error:
        text, why = None, "It was not run"
        reason = f", because {one_line(str(error), _LONGEST)}"
    else:
        reason = ""
    return text or _plainest(trace, catalogue, data, shown, why, reason)


def _plainest(
    trace: Trace, catalogue: Catalogue, data: dict[str, Any], shown: Shown, why: str, reason: str
) -> str:
    """The plainest program of a finding that no program was seen to show. The header of the program
    says `why`, and standard error also the `reason`. Raises InputError where there is no such
    program.
    """
    found = next(plain_programs(trace, catalogue, data, shown.kind, shown.message), None)
    if found is None:
        raise InputError(
            f"no plain program can show a finding of the kind {shown.kind} here: '--to python' prints "
            "all calls of the trace",
            file=trace.name,
        )
    say(f"{trace.name}: the plainest program is written. {why}{reason}", err=True)
    wrong, exits, rest = found.text.split("\n", 2)
    note = f"# {why}: it is the plainest program for this finding."
    return "\n".join([wrong, exits, note, rest])


def _target(
    trace: Trace, path: Path, data: dict[str, Any], wrapper: str | None, solver: str | None
) -> Plan:
    """The target on which the programs of a trace are tried: `solver`, or the one on which a campaign
    found it, or else the release that the trace names where that is in the cache, or else the installed one.
    Raises InputError and TargetError.
    """
    found = origin(path)
    if solver or (wrapper and found is None):
        request = Request((solver,) if solver else (), wrapper=wrapper)
    elif found is not None:
        own = found.of_traces()
        request = usable_request(replace(own, wrapper=wrapper or own.wrapper), path)
    else:
        release = trace.header.get("solver", "").partition(" ")[2]
        there = bool(release) and short(release) in installed(data)
        request = Request((f"{trace.solver}@{short(release)}" if there else trace.solver,))
    (plan,) = make_plans(request)
    return plan


def _refused(trace: Trace) -> str:
    """The message with which the last line was refused; empty where it was not."""
    words = trace.lines[-1].result("refused") or ()
    return " ".join(str(getattr(word, "text", word)) for word in words[1:])


def _folder(
    source: Path, into: Path | None, output: Path | None, suffix: str, translator: Translator
) -> int:
    """Translate each trace below `source`, and report each trace that cannot be translated. Returns
    the exit code of the last such error, or 0. Raises InputError for a wrong place of the results.
    """
    if into is None or output is not None:
        raise InputError("TRACE is a folder, expected --into DIR and no -o", file=str(source))
    traces = sorted(source.rglob("*.trace"))
    if not traces:
        raise InputError("no *.trace in this folder", file=str(source))
    errors: list[MurxpyError] = []
    with Progress("translating", len(traces)) as progress:
        for path in traces:
            progress.step()
            try:
                _write(into / path.relative_to(source).with_suffix(suffix), translator(path))
            except MurxpyError as error:
                errors.append(error)
    for found in errors:
        fail(str(found), found.exit_code)
    say(f"{len(traces) - len(errors)} of {len(traces)} traces written to {into}")
    return errors[-1].exit_code if errors else 0
