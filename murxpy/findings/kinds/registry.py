"""All kinds of findings. Each module of this folder is read; a new kind is a class in one of them."""

from __future__ import annotations

import importlib
import pkgutil

import murxpy.findings.kinds as room
from murxpy.findings.kinds.kind import KINDS, ByMessage, Kind

__all__ = ["KINDS", "kind_of"]

for _found in pkgutil.iter_modules(room.__path__):
    if _found.name != "registry":
        importlib.import_module(f"{room.__name__}.{_found.name}")


class _Unnamed(ByMessage, family=True):
    """A kind that this murxpy does not know, of a store or a trace of another release of murxpy. A
    finding of an unknown kind is taken as a wrong answer, so that it is not overlooked.
    """

    label = "shows what this murxpy has no words for"
    severity = "high"
    rank = 15
    fails = True
    answers = True
    ends = ""
    mark = "shape"
    question = ""
    endings = ()

    def __init__(self, name: str) -> None:
        self.name = name  # type: ignore[misc]
        # a check of the user's own, or of a later release, may be named like these
        wrong = name.startswith(("invalid-", "wrong-", "model-", "repeated-"))
        self.smaller = "needed" if wrong else ""  # type: ignore[misc]


def kind_of(name: str) -> Kind:
    """The kind of findings with this name; for an unknown name one that is treated as a wrong answer."""
    return KINDS.get(name) or _Unnamed(name)
