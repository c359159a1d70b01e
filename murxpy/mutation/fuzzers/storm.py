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
from murxpy.mutation.pools.fragments import fragments
from murxpy.mutation.pools.pool import MOST_DEPTH, Pools, known_fragments
from murxpy.mutation.pools.questions import alone, models
from murxpy.mutation.preparing import declaring, prepared
from murxpy.mutation.views import views
from murxpy.mutation.workshop import Mutant, Mutants, Workshop
from murxpy.smtlib.commands import Assert, CheckSat, CheckSatUsing, Command, Pop, Push
from murxpy.smtlib.script import Script

MOST_ASSERTIONS = 64
# the numbers of formulas that are built for a seed, and of the instances that are made of them: the
# least, the most, and how many for each fragment
CONSTRUCTED, PER_FRAGMENT = (200, 1500), 5
INSTANCES, INSTANCES_PER_FRAGMENT = (300, 1000), 3
INCREMENTAL = 0.5  # the share of runs whose instances have scopes
TACTICS = 0.5  # the share of instances whose checks use a tactic, for solvers that have tactics


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
    builder = _Builder(workshop, script, question)
    if builder.pools.empty:
        return
    incremental = workshop.stream.chance(INCREMENTAL)
    for _ in range(builder.instances):
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


def _unsatisfiable(workshop: Workshop, script: Script, asserted: Sequence[Term]) -> Mutants:
    """Instances with a core of `asserted`, partly in conjunctions, some of the other assertions,
    and other formulas of the seed.
    """
    parts = fragments(workshop.catalogue, script.assertions())
    tables, stream = script.tables, workshop.stream
    core = core_of(workshop, script, asserted)
    kept = set(core)
    rest = [term for term in asserted if term not in kept]
    while True:
        formulas = [
            tables.apply("OP_AND", term, stream.choose(parts)) if stream.chance(0.3) else term
            for term in core
        ]
        more = [stream.choose(parts) for _ in range(stream.below(8))]
        formulas += [tables.apply("OP_NOT", term) if stream.chance(0.5) else term for term in more]
        formulas += [term for term in rest if stream.chance(0.5)]
        stream.shuffle(formulas)
        yield Mutant(
            alone(script, formulas),
            (f"storm: {len(formulas) - len(core)} formulas around a core of {len(core)}",),
            ("unsat",),
        )


class _Builder:
    """Makes instances of formulas that are true in one assignment."""

    def __init__(self, workshop: Workshop, script: Script, asserted: Sequence[Term]) -> None:
        self._stream = workshop.stream
        self._tables = workshop.tables
        self._script = script
        choices = workshop.choices
        most_depth = int(choices.get("max_depth") or MOST_DEPTH)
        self._most_assertions = int(choices.get("max_assertions") or MOST_ASSERTIONS)
        self._tactics = workshop.catalogue.dialect(workshop.shop.dialect).tactics
        initial = known_fragments(workshop, script, models(workshop, script, asserted), most_depth)
        self.pools = Pools(
            workshop.stream,
            workshop.tables,
            initial,
            most_depth,
            bool(choices.get("more_connectives")),
        )
        self.instances = _within(INSTANCES, INSTANCES_PER_FRAGMENT * len(initial))
        if not self.pools.empty:
            most = int(choices.get("max_formulas") or CONSTRUCTED[1])
            self.pools.construct(min(most, _within(CONSTRUCTED, PER_FRAGMENT * len(initial))))
        self._head = declaring(script)
        self._asserted: dict[Term, Assert] = {}

    def instance(self, incremental: bool) -> Mutant:
        """A script of formulas that are true in the assignment."""
        stream = self._stream
        count = stream.between(1, self._most_assertions)
        formulas = [self._assert(self.pools.asserted()) for _ in range(count)]
        check: Command = CheckSat()
        if self._tactics and stream.chance(TACTICS):
            check = CheckSatUsing(stream.choose(self._tactics))
        if incremental:
            return self._incremental(formulas, check)
        return self._mutant([*formulas, check], f"storm: {count} formulas", 1)

    def _assert(self, term: Term) -> Assert:
        """The assertion of a formula, made once for each."""
        made = self._asserted.get(term)
        if made is None:
            made = self._asserted[term] = Assert(term)
        return made

    def _mutant(self, commands: Sequence[Command], step: str, checks: int) -> Mutant:
        script = Script(self._script.name, self._tables, [*self._head, *commands])
        return Mutant(script, (step,), ("sat",) * checks)

    def _incremental(self, formulas: Sequence[Assert], check: Command) -> Mutant:
        """The same formulas in scopes of equal length, each with a check at its end; some scopes
        are left again. The last scope may be shorter.
        """
        stream = self._stream
        step = stream.between(1, max(1, len(formulas) // 2))
        commands: list[Command] = []
        checks = level = 0
        for at in range(0, len(formulas), step):
            if at:
                commands.append(check)
                checks += 1
                leave = stream.between(0, level)
                commands += [Pop(leave)] if leave else []
                level -= leave
            commands += [Push(1), *formulas[at : at + step]]
            level += 1
        commands.append(check)
        return self._mutant(
            commands, f"storm: {len(formulas)} formulas in scopes of {step}", checks + 1
        )


def _within(bounds: tuple[int, int], wanted: int) -> int:
    return min(bounds[1], max(bounds[0], wanted))


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
            "more-connectives",
            "Build formulas also by or, implication and xor, not only by and and not.",
        ),
        Setting(
            "max-depth",
            "Connectives above an atom, at most, in parts of the seed and in all that is built.",
            "number",
            least=1,
            most=10_000,
            default=MOST_DEPTH,
        ),
        Setting(
            "max-assertions",
            "Assertions of an instance, at most.",
            "number",
            least=1,
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
