"""The formulas of a script that changes: its assertions, each with formulas that were added in front
of it, and the formulas that each check sees.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from murxpy.logic.terms import Term
from murxpy.smtlib.asserted import at_checks
from murxpy.smtlib.commands import Assert, CheckSatAssuming, Command
from murxpy.smtlib.script import Script

Spot = tuple[int, int]
"""The number of an assertion of the seed, and the number of a formula there."""


class Formulas:
    """The formulas of a script. A spot names one of them. The seed's own assertion is the first
    formula of its spot's assertion; those behind it were added.
    """

    def __init__(self, script: Script) -> None:
        self._script = script
        self._asserts = [c for c in script.commands if isinstance(c, Assert)]
        numbers = {id(command): number for number, command in enumerate(self._asserts)}
        self._terms: list[tuple[Term, ...]] = [(command.term,) for command in self._asserts]
        # the commands of each assertion with its formulas
        self._made: dict[tuple[int, tuple[Term, ...]], list[Command]] = {}
        # for each check: the assertions that it sees, and its assumptions
        self.seen: list[tuple[int, ...]] = []
        self.assumed: list[tuple[Term, ...]] = []
        for at, asserted in at_checks(script):
            command = script.commands[at]
            self.seen.append(tuple(numbers[id(one)] for one in asserted))
            self.assumed.append(
                command.assumptions if isinstance(command, CheckSatAssuming) else ()
            )

    def spots(self) -> Iterator[Spot]:
        """All spots in order."""
        for number, terms in enumerate(self._terms):
            for place in range(len(terms)):
                yield number, place

    def at(self, spot: Spot) -> Term:
        """The formula at a spot."""
        return self._terms[spot[0]][spot[1]]

    def at_check(self, check: int, without: Spot | None = None) -> Iterator[Term]:
        """The formulas that hold at a check if it is sat, without the one at a spot."""
        for number in self.seen[check]:
            for place, term in enumerate(self._terms[number]):
                if (number, place) != without:
                    yield term
        yield from self.assumed[check]

    def change(self, spot: Spot, term: Term, added: Sequence[Term] = ()) -> None:
        """Put a formula at a spot, and add others beside it."""
        terms = list(self._terms[spot[0]])
        terms[spot[1]] = term
        self._terms[spot[0]] = (*terms, *added)

    def keep(self) -> list[tuple[Term, ...]]:
        """What `restore` needs to have the present formulas again."""
        return list(self._terms)

    def restore(self, kept: Sequence[tuple[Term, ...]]) -> None:
        """Have those formulas again that there were when they were kept."""
        self._terms = list(kept)

    def places(self) -> dict[int, Spot]:
        """The spots by the positions of their assertions in the script."""
        found: dict[int, Spot] = {}
        at, numbers = 0, iter(range(len(self._asserts)))
        for command in self._script.commands:
            if isinstance(command, Assert):
                number = next(numbers)
                for place in (*range(1, len(self._terms[number])), 0):
                    found[at] = (number, place)
                    at += 1
            else:
                at += 1
        return found

    def script(self) -> Script:
        """The script with these formulas. Those that were added stand in front of the assertion that
        they belong to, which keeps its name.
        """
        commands: list[Command] = []
        numbers = iter(enumerate(self._terms))
        for command in self._script.commands:
            if isinstance(command, Assert):
                made = self._made.get(key := next(numbers))
                if made is None:
                    term, *added = key[1]
                    made = self._made[key] = [*map(Assert, added), Assert(term, command.name)]
                commands += made
            else:
                commands.append(command)
        return Script(self._script.name, self._script.tables, commands)
