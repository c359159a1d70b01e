"""Janus, rules of implication: a formula of the seed becomes a weaker or a stronger one, so that the
answer stays known.

Bringolf, Winterer, Su: "Finding and understanding incompleteness bugs in SMT solvers", ASE 2022,
and chapter 6 of Winterer's thesis. A satisfiable script stays satisfiable
if it becomes weaker, and an unsatisfiable one unsatisfiable if it becomes stronger. This module,
unlike the program of the paper, has rules for all theories, each proved before it is used, and uses
them on terms, too, whose order an assertion keeps.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from murxpy.logic.sorts import Sort
from murxpy.logic.terms import CONSTANT, Term
from murxpy.mutation.building.pool import Pool
from murxpy.mutation.entry import KEEP_OPTIONS, Entry, Setting
from murxpy.mutation.fitting import Fitting
from murxpy.mutation.functions.composed import LITERALS
from murxpy.mutation.functions.inversions import Maker
from murxpy.mutation.implications.book import Use
from murxpy.mutation.implications.places import FORMULAS, Place, Places, State
from murxpy.mutation.implications.renaming import renamed
from murxpy.mutation.implications.rewriting import Rewriter
from murxpy.mutation.occurrences import Occurrences, in_scope, replaced
from murxpy.mutation.patience import decided
from murxpy.mutation.preparing import prepared_seed, with_assertion
from murxpy.mutation.views import views
from murxpy.mutation.workshop import Mutant, Mutants, Workshop
from murxpy.smtlib.asserted import at_checks
from murxpy.smtlib.commands import Assert
from murxpy.smtlib.script import Script

RULES = 30  # rules that are tried for one mutant
PLACES = 4  # places that are tried for one rule
GROWTH = 4  # how many times as large as the seed a mutant may be, in occurrences of terms
_LITERAL = 0.2  # the share of literals among drawn terms
_SIGNS = {"sat": 1, "unsat": -1}


def mutants(workshop: Workshop) -> Mutants:
    """First the seed itself, then a chain of mutants. Each has one formula or term more that is
    weaker or stronger than in the last mutant before it that was decided; behind `walk` mutants the
    chain begins anew with the seed.
    """
    script = workshop.script()
    if script is None or workshop.shop.book is None:
        return
    expected = tuple(view.label for view in views(script, workshop.seeds[0].label))
    if not any(expected):
        return
    answers = tuple(label or "unknown" for label in expected)
    seed = prepared_seed(workshop, script)
    mutator = _Mutator(workshop, seed, expected)
    walk = int(workshop.choices.get("walk") or 25)
    if not decided((yield Mutant(seed, ("janus: the seed",), answers))):
        return
    current, made = seed, 0
    while (changed := mutator.mutate(current)) is not None:
        if decided((yield Mutant(changed[0], (changed[1],), answers, implied=changed[2]))):
            current = changed[0]
        made += 1
        if made % walk == 0:
            current = seed


class _Mutator:
    """Makes one formula or term of a script weaker or stronger at a time."""

    def __init__(self, workshop: Workshop, script: Script, labels: tuple[str, ...]) -> None:
        assert workshop.shop.book is not None
        self._tables = workshop.tables
        self._stream = workshop.stream
        self._book = workshop.shop.book
        self._maker = Maker(workshop.tables, workshop.stream)
        roots = script.assertions()
        self._pool = Pool(workshop.catalogue, roots)
        for constant in script.constants():
            if constant.op == CONSTANT and constant.sort.kind != "SORT_FUN":
                self._pool.add(constant)
        self._places = Places(workshop.catalogue)
        self._fitting = Fitting(workshop.shop, roots)
        self._scope: dict[Term, None] = {}
        sorts = [sort for sort in self._pool.sorts if sort.kind not in ("SORT_REGLAN", "SORT_RM")]
        self._rewriter = Rewriter(workshop.tables, workshop.stream, sorts, self._drawn)
        self._sizes = Occurrences(workshop.catalogue, lambda term: 1)
        self._most = GROWTH * sum(map(self._sizes.count, roots)) + 50
        self._states = _states(script, labels)

    def mutate(self, script: Script) -> tuple[Script, str, str] | None:
        """The script with one formula or term weaker or stronger, a description of the change, and
        the name of the rule; None if no rule fits at a few draws.
        """
        roots = {
            at: (command.term, (FORMULAS, self._states[at]))
            for at, command in enumerate(script.commands)
            if isinstance(command, Assert) and at in self._states
        }
        counts = {at: self._places.count(*root) for at, root in roots.items()}
        uses = self._book.of(list(dict.fromkeys(key for some in counts.values() for key in some)))
        for _ in range(RULES if uses.items else 0):
            use = self._stream.weighted(uses)
            numbers = {
                at: sum([n for key, n in some.items() if use.fits(key)])
                for at, some in counts.items()
            }
            for _ in range(PLACES):
                at = self._assertion(numbers)
                changed = self._used(use, *roots[at])
                if changed is not None and self._fits(roots, at, changed[0]):
                    rule = f"{use.rule.book}:{use.rule.name}"
                    return with_assertion(script, at, changed[0]), changed[1], rule
        return None

    def _assertion(self, numbers: Mapping[int, int]) -> int:
        """An assertion by the numbers of its places."""
        at = self._stream.below(sum(numbers.values()))
        for position, number in numbers.items():
            if at < number:
                return position
            at -= number
        raise AssertionError(numbers)

    def _used(self, use: Use, root: Term, state: State) -> tuple[Term, str] | None:
        """The assertion with a rule used at a random place, and a description of that."""
        place = self._places.draw(root, state, use.fits, self._stream)
        if place is None:
            return None
        self._scope = dict.fromkeys(in_scope(self._tables.catalogue, place.occurrence))
        new = self._rewriter.rewrite(use, place.occurrence.term)
        if new is None:
            return None
        return replaced(self._tables, place.occurrence, new), _step(use, place)

    def _fits(self, roots: Mapping[int, tuple[Term, Any]], at: int, changed: Term) -> bool:
        others = [root for place, (root, _) in roots.items() if place != at]
        size = sum(map(self._sizes.count, [*others, changed]))
        return size <= self._most and self._fitting.fits(changed)

    def _drawn(self, sort: Sort, literal: bool) -> Term | None:
        """A term of the seed that can stand at the place in hand, or a literal."""
        term = None
        if not literal and not self._stream.chance(_LITERAL):
            term = self._pool.draw(sort, self._scope, self._stream)
        if term is None:
            term = self._literal(sort)
        if term is None and not literal:
            term = self._pool.draw(sort, self._scope, self._stream)
        return None if term is None else renamed(self._tables, term)

    def _literal(self, sort: Sort) -> Term | None:
        if sort.kind == "SORT_REGLAN":
            return self._tables.apply("OP_STR_TO_RE", self._maker.text())
        if sort.kind == "SORT_FP":
            bits = self._stream.bits(sort.number(0) + sort.number(1))
            return self._tables.value(sort, bits)
        return LITERALS[sort.kind](self._maker, sort) if sort.kind in LITERALS else None


def _states(script: Script, labels: tuple[str, ...]) -> dict[int, int]:
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


def _step(use: Use, place: Place) -> str:
    way = "weaker" if use.weakening else "stronger"
    order, sign = place.state
    depth = len(place.occurrence.above)
    where = f"{order} {'+' if sign > 0 else '-' if sign else '='}"
    return f"janus: {use.rule.book}:{use.rule.name}, {way}, at {where}, depth {depth}"


ENTRY = Entry(
    "janus",
    "Fuzz with scripts made weaker or stronger by proved rules.",
    "Fuzz with scripts whose formulas are made weaker or stronger by proved rules, so that the "
    "answer is known.\n\n"
    "SEEDS are SMT-LIB scripts and folders of them, labelled by (set-info :status ...), or by a "
    "folder sat or unsat.",
    mutants,
    lambda settings: (str(settings.get("oracle") or "sat"),),
    implies=True,
    settings=(
        KEEP_OPTIONS,
        Setting(
            "oracle",
            "Weaken satisfiable scripts, or strengthen unsatisfiable ones.",
            "choice",
            choices=("sat", "unsat"),
            default="sat",
        ),
        Setting(
            "walk",
            "Begin anew with the seed behind N mutants.",
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
    ),
)
