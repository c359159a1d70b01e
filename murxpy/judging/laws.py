"""The check of the user's fusion functions: two solvers prove their laws before any test is made
with them.
"""

from __future__ import annotations

from collections.abc import Container, Sequence

from murxpy.data import default_judges, load_catalogue
from murxpy.errors import InputError
from murxpy.findings.replayed import replay_trace
from murxpy.judging.operators import judge_plans
from murxpy.logic.catalogue import build_catalogue
from murxpy.machine.random import Stream
from murxpy.machine.tokens import quote
from murxpy.machine.trace.finished import read_rows
from murxpy.processes.targets import Plan
from murxpy.smtlib.building import Tables
from murxpy.smtlib.printing.scripts import print_script
from murxpy.smtlib.printing.terms import Unsayable
from murxpy.smtlib.script import Script
from murxpy.sources.mutation.functions.choosing import built_in
from murxpy.sources.mutation.functions.inversions import Maker
from murxpy.sources.mutation.functions.user import NUMBERS, UserFunction, read_any, refutations

LIMIT_MS = 5000.0  # the limit of the proof of one law, given to the solver as its resource limit
_WALL = 120.0  # seconds that one solver gets for all laws
_LAWS = ("x", "y")


def check_functions(text: str, name: str, names: Sequence[str] = ()) -> tuple[list[str], list[str]]:
    """The names of the functions in `text`, of the file `name`, and notes on what is left out.

    Raises InputError if there are no functions, or if a solver of `names` does not prove their laws.
    Without names, the solvers are those that judge by default. The laws of a function that is the
    same as one of the program's functions are known.
    """
    tables, notes = Tables(build_catalogue(load_catalogue())), list[str]()
    functions = read_any(text, name, tables, notes)
    new = {f.name: None for f in functions if built_in(tables, f) is None}
    if new:
        for plan in judge_plans(names or default_judges()):
            _check(plan, text, name, new)
    return [function.name for function in functions], notes


def _check(plan: Plan, text: str, name: str, wanted: Container[str]) -> None:
    tables = Tables(build_catalogue(plan.setup.get("catalogue") or load_catalogue()))
    family = plan.target.family
    scripts, asked = [], []
    for function in read_any(text, name, tables):
        if function.name not in wanted:
            continue
        for law, script in zip(_LAWS, _refutations(tables, function), strict=True):
            asked.append(
                f"{law} = {function.name}.{law}({function.name}(x, y), {'y' if law == 'x' else 'x'})"
            )
            try:
                scripts.append(print_script(script, family))
            except Unsayable as error:
                raise InputError(f"{function.name}: {error}", file=name) from None
    for law, answer in zip(asked, _answers(plan, scripts), strict=True):
        if answer != "unsat":
            raise InputError(
                f"the law {law} does not hold for all x and y: {family} answers {answer} to its negation, expected unsat",
                file=name,
            )


def _refutations(tables: Tables, function: UserFunction) -> list[Script]:
    """Scripts that are unsatisfiable if the laws hold for all literals that can be drawn: all
    numbers but 0.
    """
    x, y = (tables.constant(name, sort) for name, sort in zip("xy", function.sorts, strict=True))
    bounds = tuple(
        tables.apply("OP_DISTINCT", constant, tables.value(constant.sort, 0))
        for constant in function.constants
        if constant.sort.kind in NUMBERS
    )
    fusion = function.used(Maker(tables, Stream(0)), x, y, {})
    return refutations(tables, fusion, x, y, bounds)


def _answers(plan: Plan, scripts: Sequence[str]) -> list[str]:
    """The answer of a solver to each script; `nothing` where there is no answer."""
    unit = float((plan.setup.get("wrapper") or {}).get("limit-per-ms") or 1)
    lines = "".join(f"1 run-script {quote(script)}\n" for script in scripts)
    text = f"# murxpy-trace 1\n# solver {plan.target.family}\n1 new\n1 set-limit {int(LIMIT_MS * unit)}\n{lines}"
    replayed = replay_trace(plan, text, "laws", wall=_WALL)
    done = [row for row in read_rows(replayed.outcome.trace) if row.action == "run-script"]
    answers = [(row.answers or ["nothing"])[0] for row in done]
    return answers + ["nothing"] * (len(scripts) - len(answers))
