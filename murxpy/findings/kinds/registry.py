"""All kinds of findings. Each module of this folder is read; a new kind is a class in one of them."""

from __future__ import annotations

from murxpy.findings.kinds.kind import KINDS, ByMessage, Kind
from murxpy.modules import load_modules

__all__ = ["KINDS", "kind_of"]

load_modules("murxpy.findings.kinds", besides=__name__)


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
