"""Janus, rules of implication: a formula of the seed becomes a weaker or a stronger one, so that the
answer stays known.

Bringolf, Winterer, Su: "Finding and understanding incompleteness bugs in SMT solvers", ASE 2022,
and chapter 6 of Winterer's thesis. A satisfiable script stays satisfiable
if it becomes weaker, and an unsatisfiable one unsatisfiable if it becomes stronger. This module,
unlike the program of the paper, has rules for all theories, each proved before it is used, and uses
them on terms, too, whose order an assertion keeps.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from murxpy.logic.sorts import Sort
from murxpy.logic.terms import CONSTANT, Term
from murxpy.mutation.building.pool import Pool
from murxpy.mutation.entry import KEEP_OPTIONS, Entry, Setting
from murxpy.mutation.fitting import Fitting
from murxpy.mutation.functions.composed import LITERALS
from murxpy.mutation.functions.inversions import Maker
from murxpy.mutation.implications.book import Use
from murxpy.mutation.implications.keys import Choice, Key, Keys
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
# How many times as large as the seed a mutant may be, in occurrences of terms, and how large it must be
# for the chain to begin anew with the seed.
GROWTH, GROWN = 4, 2
_LITERAL = 0.2  # the share of literals among drawn terms
_SERVED = frozenset(["SORT_REGLAN", "SORT_FP", *LITERALS])  # the kinds of sorts that have literals
_SIGNS = {"sat": 1, "unsat": -1}


def mutants(workshop: Workshop) -> Mutants:
    """First the seed itself, then a chain of mutants. Each has one formula or term more that is
    weaker or stronger than in the last mutant before it that was decided; behind `walk` mutants, and
    behind a mutant that is much larger than the seed, the chain begins anew with the seed.
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
    first = current = mutator.standing(seed)
    made = 0
    while (changed := mutator.mutate(current)) is not None:
        new, step, rule = changed
        if decided((yield Mutant(new.script, (step,), answers, ("ruled",), rule))):
            current = new
        made += 1
        if made % walk == 0 or current.size > GROWN * first.size + 50:
            current = first


@dataclass(frozen=True, slots=True)
class _Standing:
    """A script with what is known of it: the assertions in which there are places, by their positions,
    each with its state; how many places there are of each key; and the size of the assertions.
    """

    script: Script
    roots: Mapping[int, tuple[Term, State]]
    places: Mapping[Key, int]
    size: int


class _Mutator:
    """Makes one formula or term of a script weaker or stronger at a time."""

    def __init__(self, workshop: Workshop, script: Script, labels: tuple[str, ...]) -> None:
        assert workshop.shop.book is not None
        self._tables = workshop.tables
        self._stream = workshop.stream
        self._maker = Maker(workshop.tables, workshop.stream)
        roots = script.assertions()
        self._pool = Pool(workshop.catalogue, roots)
        for constant in script.constants():
            if constant.op == CONSTANT and constant.sort.kind != "SORT_FUN":
                self._pool.add(constant)
        self._fitting = Fitting(workshop.shop, roots)
        self._scope: dict[Term, None] = {}
        sorts = [sort for sort in self._pool.sorts if sort.kind not in ("SORT_REGLAN", "SORT_RM")]
        self._rewriter = Rewriter(workshop.tables, workshop.stream, sorts, _SERVED, self._drawn)
        keys = Keys(workshop.catalogue, workshop.shop.book, self._rewriter.possible)
        self._places = Places(workshop.catalogue, keys.of)
        self._choice = Choice()
        self._sizes = Occurrences(workshop.catalogue, lambda term: 1)
        self._most = GROWTH * sum(map(self._sizes.count, roots)) + 50
        self._states = _states(script, labels)

    def standing(self, script: Script) -> _Standing:
        """The script with its places."""
        roots = {
            at: (command.term, (FORMULAS, self._states[at]))
            for at, command in enumerate(script.commands)
            if isinstance(command, Assert) and at in self._states
        }
        places: dict[Key, int] = {}
        for root in roots.values():
            _add(places, self._places.count(*root), 1)
        size = sum([self._sizes.count(term) for term, _ in roots.values()])
        return _Standing(script, roots, places, size)

    def mutate(self, old: _Standing) -> tuple[_Standing, str, str] | None:
        """The script with one formula or term weaker or stronger, a description of the change, and
        the name of the rule; None if no rule fits at a few draws.
        """
        for _ in range(RULES):
            drawn = self._choice.draw(old.places, self._stream)
            if drawn is None:
                continue
            use, keys = drawn
            numbers = [old.places[key] for key in keys]
            for _ in range(PLACES):
                found = self._used(old, use, keys[self._position(numbers)])
                if found is not None:
                    return *found, f"{use.rule.book}:{use.rule.name}"
        return None

    def _position(self, numbers: Sequence[int]) -> int:
        """A random position by the number that stands there."""
        if len(numbers) == 1:
            return 0
        at = self._stream.below(sum(numbers))
        for position, number in enumerate(numbers):
            if at < number:
                return position
            at -= number
        raise AssertionError(numbers)

    def _used(self, old: _Standing, use: Use, key: Key) -> tuple[_Standing, str] | None:
        """The script with a rule used at a random place of a key, and a description of that."""
        positions = list(old.roots)
        numbers = [self._places.count(*root).get(key, 0) for root in old.roots.values()]
        at = positions[self._position(numbers)]
        root, state = old.roots[at]
        place = self._places.draw(root, state, key, self._stream)
        if place is None:
            return None
        self._scope = dict.fromkeys(in_scope(self._tables.catalogue, place.occurrence))
        new = self._rewriter.rewrite(use, place.occurrence.term)
        if new is None:
            return None
        changed = replaced(self._tables, place.occurrence, new)
        size = old.size - self._sizes.count(root) + self._sizes.count(changed)
        if size > self._most or not self._fitting.fits(changed):
            return None
        places = dict(old.places)
        _add(places, self._places.count(root, state), -1)
        _add(places, self._places.count(changed, state), 1)
        script = with_assertion(old.script, at, changed)
        roots = {**old.roots, at: (changed, state)}
        return _Standing(script, roots, places, size), _step(use, place)

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


def _add(places: dict[Key, int], more: Mapping[Key, int], sign: int) -> None:
    """Add numbers of places, or take them away."""
    for key, number in more.items():
        places[key] = places.get(key, 0) + sign * number
        if not places[key]:
            del places[key]


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
