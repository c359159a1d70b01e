"""STORM: scripts that are satisfiable by construction. The formulas of a seed are combined anew, so
that all of them hold in a model of the seed.

Mansur, Christakis, Wüstholz, Zhang: "Detecting critical bugs in SMT solvers using blackbox
mutational fuzzing", FSE 2020. Our evaluator decides which formulas hold in the model, never the
solver under test. New here: formulas below negation, implication and `ite` are fragments, too; and
with `unsat`, instances keep a core of an unsatisfiable seed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from murxpy.logic.terms import Term
from murxpy.mutation.cores import core_of
from murxpy.mutation.entry import Entry, Setting
from murxpy.mutation.occurrences import binds
from murxpy.mutation.preparing import declaring, prepared
from murxpy.mutation.views import views
from murxpy.mutation.workshop import Mutant, Mutants, Workshop
from murxpy.semantics.values import CannotSay
from murxpy.smtlib.commands import (
    Ask,
    Assert,
    CheckSat,
    CheckSatUsing,
    Command,
    Pop,
    Push,
    SetOption,
)
from murxpy.smtlib.printing.scripts import print_script
from murxpy.smtlib.reading.models import read_printed_model
from murxpy.smtlib.script import Script
from murxpy.smtlib.valuation import Valuation

MOST_DEPTH = 64  # the largest depth of connectives above a fragment
MOST_ASSERTIONS = 64
MOST_FRAGMENTS = 2000
# the numbers of formulas that are built for a seed, by the size of its pool
CONSTRUCTED = (200, 1500)
PER_FRAGMENT = 5
INITIAL = 0.3  # the chance of a fragment rather than a constructed formula
_BINARY = ("OP_AND", "OP_AND", "OP_AND", "OP_OR", "OP_IMPLIES", "OP_XOR")


def labels(choices: Mapping[str, Any]) -> Sequence[str]:
    """The label that the seed must have."""
    return ("unsat",) if choices.get("unsat") else ("",)


def mutants(workshop: Workshop) -> Mutants:
    """Instances that are made of the formulas of one seed."""
    script = workshop.script()
    if script is None:
        return
    question = _question(workshop, script)
    script = prepared(script)
    if question is None:
        return
    if workshop.choices.get("unsat"):
        yield from _unsatisfiable(workshop, script, question)
        return
    model = _model(workshop, script, question)
    if model is None:
        return
    builder = _Builder(workshop, script, model)
    if not builder.pool:
        return
    builder.construct()
    incremental = workshop.stream.chance(0.5)
    while True:
        yield builder.instance(incremental)


def _question(workshop: Workshop, script: Script) -> Sequence[Term] | None:
    """The assertions whose model or contradiction is used: all of them, or those of one check if
    there are several. None if there are none.
    """
    if not script.incremental:
        return script.assertions()
    found = views(script)
    if workshop.choices.get("unsat"):
        found = [view for view in found if view.label == "unsat"]
    return workshop.stream.choose(found).asserted if found else None


def _model(workshop: Workshop, script: Script, asserted: Sequence[Term]) -> Valuation | None:
    """A model of the seed; if the seed is unsatisfiable, a model of its negation. None if the
    solver gives no model.
    """
    flat = _with(script, asserted)
    output = workshop.ask(asking(flat, workshop.shop.dialect))
    if output is not None and output.startswith("unsat"):
        negated = script.tables.apply("OP_NOT", script.tables.conjunction(list(asserted)))
        flat = _with(script, [negated])
        output = workshop.ask(asking(flat, workshop.shop.dialect))
    if output is None or not output.startswith("sat"):
        return None
    return Valuation(flat, read_printed_model(output, flat))


def asking(script: Script, dialect: str) -> str:
    """The text of a script that also asks for the model."""
    commands = [SetOption("produce-models", "true"), *script.commands, Ask("get-model")]
    return print_script(Script(script.name, script.tables, commands), dialect)


def _truth(model: Valuation, formula: Term) -> bool | None:
    try:
        return model.holds(formula)
    except CannotSay:
        return None


def _with(script: Script, formulas: Sequence[Term]) -> Script:
    """The declarations of a script, these assertions, and a check."""
    return Script(
        script.name, script.tables, [*declaring(script), *map(Assert, formulas), CheckSat()]
    )


def _unsatisfiable(workshop: Workshop, script: Script, asserted: Sequence[Term]) -> Mutants:
    """Instances with a core of `asserted`, partly in conjunctions, some of the other assertions,
    and other formulas of the seed.
    """
    fragments = _fragments(workshop, script.assertions())
    tables, stream = script.tables, workshop.stream
    core = core_of(workshop, script, asserted)
    kept = set(core)
    rest = [term for term in asserted if term not in kept]
    while True:
        formulas = [
            tables.apply("OP_AND", term, stream.choose(fragments)) if stream.chance(0.3) else term
            for term in core
        ]
        more = [stream.choose(fragments) for _ in range(stream.below(8))]
        formulas += [tables.apply("OP_NOT", term) if stream.chance(0.5) else term for term in more]
        formulas += [term for term in rest if stream.chance(0.5)]
        stream.shuffle(formulas)
        yield Mutant(
            _with(script, formulas),
            (f"storm: {len(formulas) - len(core)} formulas around a core of {len(core)}",),
            ("unsat",),
        )


def _fragments(workshop: Workshop, roots: Sequence[Term]) -> list[Term]:
    """The closed formulas in `roots`, down to atoms, each once."""
    found: dict[Term, None] = {}
    seen: dict[Term, None] = {}
    stack = [(root, 0) for root in reversed(roots)]
    while stack and len(found) < MOST_FRAGMENTS:
        term, depth = stack.pop()
        if term in seen:
            continue
        seen[term] = None
        if term.sort.kind == "SORT_BOOL" and not term.free and depth < MOST_DEPTH:
            found[term] = None
        first = len(binds(workshop.catalogue, term))
        if term.op != "OP_UF_APPLY" and not term.op.endswith("_PATTERN"):
            stack.extend((arg, depth + 1) for arg in reversed(term.args[first:]))
    return list(found)


class _Builder:
    """Builds formulas whose truth in the model is known."""

    def __init__(self, workshop: Workshop, script: Script, model: Valuation) -> None:
        self._stream = workshop.stream
        self._tables = workshop.tables
        self._script = script
        choices = workshop.choices
        self._most_depth = int(choices.get("max_depth") or MOST_DEPTH)
        self._most_assertions = int(choices.get("max_assertions") or MOST_ASSERTIONS)
        self._most_formulas = int(choices.get("max_formulas") or CONSTRUCTED[1])
        self._tactics = workshop.catalogue.dialect(workshop.shop.dialect).tactics
        fragments = _fragments(workshop, script.assertions())
        self.pool = [
            (term, known) for term in fragments if (known := _truth(model, term)) is not None
        ]
        self._built: list[tuple[Term, bool]] = []
        self._head = declaring(script)
        self._asserted: dict[Term, Assert] = {}

    def construct(self) -> None:
        """Build formulas by connectives over the pool and over formulas that were built before."""
        depths: dict[Term, int] = {}
        for _ in range(
            min(self._most_formulas, max(CONSTRUCTED[0], PER_FRAGMENT * len(self.pool)))
        ):
            first, second = self._draw(0.5), self._draw(0.5)
            depth = 1 + max(depths.get(first[0], 0), depths.get(second[0], 0))
            if depth > self._most_depth:
                continue
            built = (
                self._negated(first) if self._stream.chance(0.5) else self._combined(first, second)
            )
            depths.setdefault(built[0], depth)
            self._built.append(built)

    def _draw(self, initial: float) -> tuple[Term, bool]:
        return self._stream.choose(
            self.pool if not self._built or self._stream.chance(initial) else self._built
        )

    def _negated(self, one: tuple[Term, bool]) -> tuple[Term, bool]:
        return self._tables.apply("OP_NOT", one[0]), not one[1]

    def _combined(self, first: tuple[Term, bool], second: tuple[Term, bool]) -> tuple[Term, bool]:
        kind = self._stream.choose(_BINARY)
        (a, x), (b, y) = first, second
        value = {
            "OP_AND": x and y,
            "OP_OR": x or y,
            "OP_IMPLIES": y or not x,
            "OP_XOR": x is not y,
        }[kind]
        return self._tables.apply(kind, a, b), value

    def instance(self, incremental: bool) -> Mutant:
        """A script of formulas that hold in the model; formulas that do not hold are negated."""
        stream = self._stream
        count = stream.between(2, self._most_assertions // 2) * 2
        drawn = [self._draw(INITIAL) for _ in range(count)]
        formulas = [self._asserted.get(term) or self._true(term, holds) for term, holds in drawn]
        if incremental:
            return self._incremental(formulas)
        check = (
            CheckSatUsing(stream.choose(self._tactics))
            if self._tactics and stream.chance(0.1)
            else CheckSat()
        )
        return self._mutant([*formulas, check], f"storm: {count} formulas", 1)

    def _true(self, term: Term, holds: bool) -> Assert:
        """The assertion of a formula; or of its negation if the formula is false."""
        made = self._asserted[term] = Assert(term if holds else self._tables.apply("OP_NOT", term))
        return made

    def _mutant(self, commands: Sequence[Command], step: str, checks: int) -> Mutant:
        script = Script(self._script.name, self._tables, [*self._head, *commands])
        return Mutant(script, (step,), ("sat",) * checks)

    def _incremental(self, formulas: list[Assert]) -> Mutant:
        """The same formulas in scopes of equal length, each with a check at its end; some scopes
        are left again.
        """
        stream = self._stream
        step = stream.choose([k for k in range(1, len(formulas)) if len(formulas) % k == 0])
        commands: list[Command] = []
        checks = level = 0
        for at in range(0, len(formulas), step):
            if at:
                commands.append(CheckSat())
                checks += 1
                leave = stream.between(0, level)
                commands += [Pop(leave)] if leave else []
                level -= leave
            commands += [Push(1), *formulas[at : at + step]]
            level += 1
        commands.append(CheckSat())
        return self._mutant(
            commands, f"storm: {len(formulas)} formulas in scopes of {step}", checks + 1
        )


ENTRY = Entry(
    "storm",
    "Fuzz with formulas of scripts, put together satisfiable.",
    "Fuzz with formulas of scripts, put together anew so that a model of the seed is a model of "
    "them.\n\nSEEDS are SMT-LIB scripts and folders of them.",
    mutants,
    labels,
    asks=True,
    settings=(
        Setting("unsat", "Make unsatisfiable instances, of seeds that are labelled so."),
        Setting(
            "max-depth",
            "Connectives above a formula of the seed, at most.",
            "number",
            least=1,
            most=10_000,
            default=MOST_DEPTH,
        ),
        Setting(
            "max-assertions",
            "Assertions of an instance, at most.",
            "number",
            least=4,
            most=10_000,
            default=MOST_ASSERTIONS,
        ),
        Setting(
            "max-formulas",
            "Formulas put together for a seed, at most.",
            "number",
            least=1,
            most=1_000_000,
            default=CONSTRUCTED[1],
        ),
    ),
)
