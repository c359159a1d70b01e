"""Janus, rules of implication: a formula of the seed becomes a weaker or a stronger one, so that the
answer stays known.

Bringolf, Winterer, Su: "Finding and understanding incompleteness bugs in SMT solvers", ASE 2022,
and chapter 6 of Winterer's thesis. A satisfiable script stays satisfiable
if it becomes weaker, and an unsatisfiable one unsatisfiable if it becomes stronger. This module,
unlike the program of the paper, has rules for all theories, each proved before it is used, and uses
them on terms, too, whose order an assertion keeps.
"""

from __future__ import annotations

from murxpy.smtlib.script import Assert, Script, at_checks
from murxpy.sources.mutation.entry import DROP_OPTIONS, Entry, Setting
from murxpy.sources.mutation.options import decided
from murxpy.sources.mutation.preparing import prepared_seed, views
from murxpy.sources.mutation.weakening import Mutator
from murxpy.sources.mutation.workshop import Mutant, Mutants, Workshop

# How many times as large as the seed a mutant must be for the chain to restart with the seed.
GROWN = 2
_SIGNS = {"sat": 1, "unsat": -1}
_LABELS = {"any": "sat unsat", "sat": "sat", "unsat": "unsat"}  # of seeds, by oracle


def mutants(workshop: Workshop) -> Mutants:
    """First the seed itself, then a chain of mutants. Each has one formula or term more that is
    weaker or stronger than in the last mutant before it that was decided; behind `walk` mutants, and
    behind a mutant that is much larger than the seed, the chain restarts with the seed.
    """
    script = workshop.script()
    if script is None or workshop.shop.book is None:
        return
    expected = tuple(view.label for view in views(script, workshop.seeds[0].label))
    if not any(expected):
        return
    answers = tuple(label or "unknown" for label in expected)
    seed = prepared_seed(workshop, script)
    mutator, signs = Mutator(workshop, seed), signs_of(seed, expected)
    walk = int(workshop.choices.get("walk") or 25)
    if not decided((yield Mutant(seed, ("janus: the seed",), answers))):
        return
    first = current = mutator.standing(seed, signs)
    made = 0
    while (changed := mutator.mutate(current)) is not None:
        new, step, rule = changed
        if decided((yield Mutant(new.script, (f"janus: {step}",), answers, ("ruled",), rule))):
            current = new
        made += 1
        if made % walk == 0 or current.size > GROWN * first.size + 50:
            current = first


def signs_of(script: Script, labels: tuple[str, ...]) -> dict[int, int]:
    """For each assertion, by its position, the sign of the places at its root: 1 if all checks at
    which it stands are satisfiable, -1 if all are unsatisfiable, and else 0. Assertions that stand at
    no check are left out.
    """
    positions = {
        id(command): at for at, command in enumerate(script.commands) if isinstance(command, Assert)
    }
    found: dict[int, set[int]] = {}
    for (_, asserted), label in zip(at_checks(script), labels, strict=True):
        for command in asserted:
            found.setdefault(positions[id(command)], set()).add(_SIGNS.get(label, 0))
    return {at: signs.pop() if len(signs) == 1 else 0 for at, signs in sorted(found.items())}


ENTRY = Entry(
    "janus",
    "Fuzz with scripts made weaker or stronger by proved rules.",
    "Fuzz with scripts whose formulas are made weaker or stronger by proved rules, so that the "
    "answer is known.\n\n"
    "SEEDS are SMT-LIB scripts and folders of them, labelled by (set-info :status ...), or by a "
    "folder sat or unsat.",
    mutants,
    lambda settings: (_LABELS[str(settings.get("oracle") or "sat")],),
    implies=True,
    ruled=True,
    settings=(
        DROP_OPTIONS,
        Setting(
            "oracle",
            "Weaken satisfiable scripts, strengthen unsatisfiable ones, or do either (any).",
            "choice",
            choices=tuple(_LABELS),
            default="any",
        ),
        Setting(
            "walk",
            "Restart with the seed behind N mutants.",
            "number",
            least=1,
            most=1_000_000,
            default=25,
            metavar="N",
        ),
        Setting(
            "rules",
            "Use only the rules of these theories (core, strings, ...), these rules, and those of "
            "your own files, which two solvers prove first.",
            "rules",
            metavar="NAMES",
        ),
        Setting(
            "all-fragments",
            "Also use rules that put in operators which no solver claims to decide, such as powers "
            "and transcendental functions; many of their mutants get unknown.",
        ),
    ),
)
