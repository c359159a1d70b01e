"""The limit of a judge's check. A judge has a limit of its own, in the unit of its solver, whatever
limit the target had. The limit stands in the header of a trace.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from murxpy.errors import InputError
from murxpy.processes.targets import Plan, absolute_target

HEADER = "judge-limits"  # the key of the row in a header, such as `cvc5=60000,z3@/envs/old=360000`


def own_limit(plan: Plan, milliseconds: float) -> int:
    """The limit for so many milliseconds of a usual machine, in the unit of the solver of `plan`. 0
    means no limit and stays 0.
    """
    unit = float((plan.setup.get("wrapper") or {}).get("limit-per-ms") or 1)
    return max(1, int(milliseconds * unit)) if milliseconds else 0


def same_limit(limit: int, of: Plan, to: Plan) -> int:
    """A limit in the unit of the solver `of`, in the unit of the solver `to`. 0 means no limit and stays 0."""
    unit = float((of.setup.get("wrapper") or {}).get("limit-per-ms") or 1)
    return own_limit(to, limit / unit)


def judging_settings(wrapper: Mapping[str, Any], limit: int, **more: Any) -> dict[str, Any]:
    """Return the settings of a judge: its `limit`, and the facts about the solver that wrote the
    trace, from the `wrapper` of that solver; see `murxpy.machine.replaying.judging.judge`.
    """
    changing = [
        name for name, entry in (wrapper.get("own-actions") or {}).items() if entry.get("changes")
    ]
    return {"limit": limit, "changing": changing, **more}


def limits_row(limits: Mapping[str, int]) -> str:
    """The row of a header for `limits`, which are given by name of the judge."""
    return f"# {HEADER} {','.join(f'{absolute_target(name)}={limit}' for name, limit in limits.items())}\n"


def parse_limits(text: str, file: str) -> dict[str, int]:
    """The limits in the text of such a row, by name of the judge. Raises InputError."""
    limits = {}
    for part in filter(None, text.split(",")):
        name, _, number = part.rpartition("=")
        if not name or not (number.isascii() and number.isdigit()) or len(number) > 18:
            raise InputError(
                f"{HEADER}: expected JUDGE=LIMIT,.. with limits in the judges' own units, found '{part[:80]}'",
                file=file,
            )
        limits[name] = int(number)
    return limits
