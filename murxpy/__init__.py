"""murxpy finds bugs in SMT solvers by calling their Python APIs.

What this module gives is the Python API of murxpy (docs/python-api.md); no other module is public. The
functions are imported when they are first used, so that `import murxpy` costs next to nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from murxpy.api import (
        Campaign,
        Defect,
        Mutant,
        Replay,
        ask,
        defects,
        evaluate,
        fuzz,
        lift,
        minimize,
        mutate,
        replay,
        to_murxla,
        to_python,
        to_smtlib,
    )
    from murxpy.errors import InputError, MurxpyError, TargetError
    from murxpy.judging.evaluation import Evaluation
    from murxpy.records.events import (
        Alike,
        Bisected,
        Ended,
        Event,
        Found,
        Notice,
        Overstayed,
        Reproduced,
        RunEnded,
        RunsEnded,
        Started,
        Tick,
        WorkerLost,
    )
    from murxpy.reduction.pipeline import Minimized

__version__ = "0.1.0"
__all__ = [
    "Alike",
    "Bisected",
    "Campaign",
    "Defect",
    "Ended",
    "Evaluation",
    "Event",
    "Found",
    "InputError",
    "Minimized",
    "MurxpyError",
    "Mutant",
    "Notice",
    "Overstayed",
    "Replay",
    "Reproduced",
    "RunEnded",
    "RunsEnded",
    "Started",
    "TargetError",
    "Tick",
    "WorkerLost",
    "ask",
    "defects",
    "evaluate",
    "fuzz",
    "lift",
    "minimize",
    "mutate",
    "replay",
    "to_murxla",
    "to_python",
    "to_smtlib",
]
# The names that other modules than murxpy.api have.
_PLACES = {
    "murxpy.errors": ("InputError", "MurxpyError", "TargetError"),
    "murxpy.judging.evaluation": ("Evaluation",),
    "murxpy.reduction.pipeline": ("Minimized",),
    "murxpy.records.events": (
        *("Alike", "Bisected", "Ended", "Event", "Found", "Notice", "Overstayed", "Reproduced"),
        *("RunEnded", "RunsEnded", "Started", "Tick", "WorkerLost"),
    ),
}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'murxpy' has no attribute '{name}'")
    from importlib import import_module

    place = next((place for place, names in _PLACES.items() if name in names), "murxpy.api")
    return getattr(import_module(place), name)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
