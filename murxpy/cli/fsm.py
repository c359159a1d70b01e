"""`murxpy fsm show` and `murxpy fsm check`: what a state machine does, and whether it has faults."""

from __future__ import annotations

from pathlib import Path

import click

from murxpy.cli import fail
from murxpy.cli.options import json_option
from murxpy.cli.params import NamedFile, Text
from murxpy.cli.report.console import make_console, print_json, say
from murxpy.cli.report.machines import machine_svg
from murxpy.cli.report.reference import (
    machine_json,
    machine_summary,
    machine_table,
    reach_json,
    reach_table,
)
from murxpy.data import inspect_machine, load_catalogue, load_machine, load_wrapper
from murxpy.data.machine_check import CONDITIONS
from murxpy.data.visits import expected_operators, expected_visits
from murxpy.errors import InputError, nearest
from murxpy.graphs import MACHINE_FORMATS


@click.group()
def fsm() -> None:
    """Show or check a state machine."""


@fsm.command()
@click.argument("machine", type=NamedFile(), default="default")
@click.option(
    "--runs",
    type=click.IntRange(min=1),
    help="Also how often each operator is to be expected in N runs.",
)
@click.option(
    "--solver",
    type=NamedFile(),
    help="The solver (a wrapper's name or file) whose operators and spellings are counted.",
)
@click.option(
    "--given",
    type=Text(),
    multiple=True,
    metavar="CONDITION=CHANCE",
    help="Take this chance, 0 to 1, for a condition; repeatable.",
)
@click.option(
    "--svg",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Draw the machine into this file.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(MACHINE_FORMATS),
    help="Print the machine as a graph for other programs: Graphviz, GraphML, or nodes and links as JSON.",
)
@json_option
def show(
    machine: str,
    runs: int | None,
    solver: str | None,
    given: tuple[str, ...],
    svg: Path | None,
    form: str | None,
    as_json: bool,
) -> None:
    """Show the states of a machine, the probabilities of its transitions, and what to expect of a
    run.

    MACHINE is a name or a YAML file. The numbers are calculated from the weights. The shares of a
    state are shares of the actions drawn in it. A condition holds as often as the machine's
    `expect`, or --given, says. The numbers of operators are estimates, which assume that arguments
    exist and that the guards of spellings hold.
    """
    data = load_machine(machine)
    visits = expected_visits(data, dict(_chance(text) for text in given))
    wrapper = None if solver is None else load_wrapper(solver)
    runs = 1000 if runs is None and solver is not None else runs
    total = (runs or 0) * visits.actions.get("mk-term", 0.0)
    reach = [] if runs is None else expected_operators(load_catalogue(), data, wrapper, total)
    if svg is not None:
        _write(svg, machine_svg(data, visits))
    if form is not None:
        from murxpy.graphs.machine import written  # only this pays for networkx

        shares = {taken: visits.probability(*taken) for taken in visits.taken}
        click.echo(written(data, form, shares), nl=False)
        return
    if as_json:
        expected = {} if runs is None else {"reach": reach_json(reach, runs)}
        print_json(machine_json(data, visits) | expected)
        return
    console = make_console()
    console.print(f"{data['name']}: {data['about']}", soft_wrap=True)
    console.print(machine_summary(data, visits), "", sep="\n", soft_wrap=True)
    machine_table(data, visits).print(console)
    if runs is not None:
        console.print()
        reach_table(reach, runs).print(console)


@fsm.command()
@click.argument("file", type=NamedFile())
def check(file: str) -> int:
    """Check the machine in FILE: its names, its weights, and that each state can be reached and
    left. A second look, whose notes make the exit code 1, finds transitions that nothing can take, and
    states in which a run can go round without ever checking anything.
    """
    from murxpy.graphs.machine import oddities  # only this pays for networkx

    machine, errors = inspect_machine(file)
    for error in errors:
        fail(str(error), error.exit_code)
    if errors:
        return errors[0].exit_code
    notes = [note for _, _, note in oddities(machine)]
    for note in notes:
        say(f"{file}: {note}")
    transitions = sum(len(state["do"]) for state in machine["states"].values())
    say(f"{file}: sound, {len(machine['states'])} states, {transitions} transitions")
    return int(bool(notes))


def _chance(text: str) -> tuple[str, float]:
    """The condition and its chance in `NAME=NUMBER`."""
    name, _, number = text.partition("=")
    if name not in CONDITIONS:
        raise InputError(f"--given {text}: unknown condition '{name}'{nearest(name, CONDITIONS)}")
    try:
        chance = float(number)
    except ValueError:
        chance = -1.0
    if not 0 <= chance <= 1:
        raise InputError(f"--given {text}: expected a chance from 0 to 1, as in '{name}=0.5'")
    return name, chance


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror}", file=str(path)) from None
