"""The logic of a run: the smallest that names its theories, or ALL."""

from __future__ import annotations

from murxpy.machine.generate.base import Generator

_ORDER = (("ARRAY", "A"), ("UF", "UF"), ("BV", "BV"), ("FP", "FP"), ("DT", "DT"), ("STRING", "S"))
_NAMED = {"BOOL", "QUANT", "INT", "REAL", *(theory for theory, _ in _ORDER)}


def logic_name(theories: list[str], linear: bool) -> str:
    """The SMT-LIB name of a logic with these theories: `QF_AUFBV`; ALL where it has none."""
    present = set(theories)
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


def draw_logic(gen: Generator) -> str:
    """The logic of this run."""
    if gen.settings.chance("logic-all", gen.stream):
        return "ALL"
    return logic_name(gen.swarm.theories, gen.swarm.linear)
