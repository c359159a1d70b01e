"""The solvers of an inquiry: the solver of a trace and its judges, with their releases and limits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from murxpy.judging.limits import HEADER, judging_settings, own_limit, parse_limits
from murxpy.machine.trace.finished import header_value
from murxpy.processes.targets import Plan, absolute_target


@dataclass(frozen=True)
class Solvers:
    """The solvers of an inquiry, as plans with numbers. `releases` gives each one's family and
    version, `limits` the limit of a check that it answers as a judge, in its own unit.
    """

    plans: Sequence[Plan]
    releases: Sequence[str]
    limits: Sequence[int]

    def of_trace(self, source: str) -> Solvers:
        """The same solvers with the limits that stand in the header of the trace `source`. Raises
        InputError.
        """
        named = parse_limits(header_value(source, HEADER), "trace")
        limits = [
            named.get(absolute_target(plan.target.name), limit)
            for plan, limit in zip(self.plans, self.limits, strict=True)
        ]
        return replace(self, limits=limits)

    def name(self, at: int) -> str:
        """The target as the user named it."""
        return self.plans[at].target.name

    def family(self, at: int) -> str:
        """The family of plan number `at`."""
        return self.plans[at].target.family

    def settings(self, main: int, at: int, **more: Any) -> dict[str, Any]:
        """The settings that plan number `at` gets when it judges traces of plan number `main`."""
        return judging_settings(
            self.plans[main].setup.get("wrapper") or {}, self.limits[at], **more
        )

    def variants(self, at: int) -> list[dict[str, str]]:
        """The sets of options with which the solver of plan number `at` is asked again."""
        wrapper = self.plans[at].setup.get("wrapper") or {}
        return [
            {str(name): str(value) for name, value in entry.items()}
            for entry in wrapper.get("variants") or ()
        ]


def loaded_solvers(plans: Sequence[Plan], versions: Sequence[str], judge_ms: float) -> Solvers:
    """The solvers of `plans`, which are loaded in these versions. `judge_ms` is the limit of a
    judge's check in milliseconds of a usual machine.
    """
    releases = [
        f"{plan.target.family} {version}" for plan, version in zip(plans, versions, strict=True)
    ]
    return Solvers(plans, releases, [own_limit(plan, judge_ms) for plan in plans])
