"""Names of logics: the smallest logic that has some theories, or ALL (SMT-LIB 2.7, section 6.6)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from murxpy.logic.catalogue import Catalogue
from murxpy.logic.sorts import components
from murxpy.logic.terms import Term
from murxpy.smtlib.logics import features

_ORDER = (("ARRAY", "A"), ("UF", "UF"), ("BV", "BV"), ("FP", "FP"), ("DT", "DT"), ("STRING", "S"))
HIGHER_ORDER = "HO"  # the theory of functions as values
_NAMED = {"BOOL", "QUANT", "INT", "REAL", *(theory for theory, _ in _ORDER)}


def is_higher_order(logic: str | None) -> bool:
    """Return whether functions are values in a logic."""
    return logic is not None and logic.startswith(f"{HIGHER_ORDER}_")


def logic_name(theories: Sequence[str], linear: bool) -> str:
    """The SMT-LIB name of a logic with these theories, such as `QF_AUFBV`; ALL if no logic has this
    set of theories.
    """
    present = set(theories)
    if HIGHER_ORDER in present:
        return f"{HIGHER_ORDER}_ALL"
    prefix = "" if "QUANT" in present else "QF_"
    if not present <= _NAMED:
        return f"{prefix}ALL" if prefix == "" else "ALL"
    name = "".join(letter for theory, letter in _ORDER if theory in present)
    arithmetic = ("I" if "INT" in present else "") + ("R" if "REAL" in present else "")
    if name == "A" and not arithmetic:
        name = "AX"
    if arithmetic:
        name += ("L" if linear else "N") + arithmetic + "A"
    return f"{prefix}{name}" if name else f"{prefix}UF"


def theories_of(logic: str) -> tuple[list[str], bool] | None:
    """The theories of a logic of SMT-LIB, and whether its arithmetic is linear; None for a logic that
    also restricts the form of terms, such as `QF_IDL`, and for `ALL`.
    """
    has = features(logic)
    if not has:
        return None
    letters = {
        **{letter: theory for theory, letter in _ORDER},
        "I": "INT",
        "R": "REAL",
        "Q": "QUANT",
    }
    return [theory for letter, theory in letters.items() if letter in has], "N" not in has


def used_theories(catalogue: Catalogue, terms: Iterable[Term]) -> list[str]:
    """The theories of the operators and sorts of `terms`, in the order of the catalogue. `terms`
    must include all subterms.
    """
    found: dict[str, None] = {}
    for term in terms:
        operator = catalogue.operators.get(term.op)
        if operator is not None:
            found[operator.theory] = None
        for sort in components(term.sort):
            kind = catalogue.sorts.get(sort.kind)
            if kind is not None:
                found[kind.theory] = None
    return [name for name in catalogue.theories if name in found]
