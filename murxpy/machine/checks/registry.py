"""All actions by name. All other code asks here which actions there are."""

from __future__ import annotations

from collections.abc import Callable

from murxpy.machine.actions.base import REGISTERED, Action, Check
from murxpy.machine.trace.reading import Reading
from murxpy.modules import load_modules

Reader = Callable[[Reading], None]

# The import of a module of these packages registers its actions.
for _package in ("murxpy.machine.actions", "murxpy.machine.checks"):
    load_modules(_package, besides=__name__)

ACTIONS: dict[str, Action] = REGISTERED
CHECKS: tuple[Check, ...] = tuple(
    sorted((a for a in ACTIONS.values() if isinstance(a, Check)), key=lambda check: check.place)
)
READERS: dict[str, Reader] = {name: a.read for name, a in ACTIONS.items() if a.traced}
DRAWN: tuple[str, ...] = tuple(name for name, action in ACTIONS.items() if action.drawn)


def named(fact: Callable[[Action], bool]) -> tuple[str, ...]:
    """The names of the actions for which a fact holds."""
    return tuple(name for name, action in ACTIONS.items() if fact(action))


ANSWERING = named(lambda action: action.answers)
MAKING = named(lambda action: action.makes)
BEFORE = named(lambda action: action.before)
