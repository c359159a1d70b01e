"""The generator's state: the run it drives, the machine's settings, the profile, the swarm."""

from __future__ import annotations

from dataclasses import dataclass, field

from murxpy.logic.catalogue import Catalogue
from murxpy.logic.sorts import Sort
from murxpy.machine.database import SortEntry
from murxpy.machine.distributions import Settings
from murxpy.machine.generate.profile import Profile
from murxpy.machine.generate.swarm import Swarm
from murxpy.machine.make import instantiate_sort, make_sort
from murxpy.machine.outcomes import Refused
from murxpy.machine.random import Stream, Weighted
from murxpy.machine.run import Run
from murxpy.solvers.facts import Option


@dataclass
class Generator:
    """All that choosing needs. `made` counts operator terms, `depth` says how deep binders are
    nested.
    """

    run: Run
    settings: Settings
    profile: Profile
    swarm: Swarm
    catalogue: Catalogue
    admissible: dict[Sort, bool] = field(default_factory=dict)
    # of the solver, to draw from
    option_choice: Weighted[Option] = field(default_factory=lambda: Weighted([]))
    # operators and actions to be drawn seldom: they sit on fatal lines of known findings
    damped: frozenset[str] = frozenset()
    # names and values that the user wants set
    options: list[list[str]] = field(default_factory=list)
    limited: bool = True  # checks get a resource limit
    checks: frozenset[str] = frozenset()  # of what the solver promises: those that are on
    planting: bool = False  # the run has a planted model, and asserts only what is true under it
    # public callables that this run is to call, the next one last; None before the first
    turns: list[str] | None = None
    made: int = 0
    depth: int = 0

    @property
    def stream(self) -> Stream:
        """The random stream of this step."""
        return self.run.stream

    @property
    def spent(self) -> bool:
        """True once the run has as many operator terms as it was to have."""
        return self.made >= self.swarm.length


def sort_entry(gen: Generator, sort: Sort) -> SortEntry:
    """An entry of `sort`, made now (with its parameter sorts) where no line has returned one.
    Raises Refused.
    """
    run = gen.run
    entries = run.db.sort_entries.get(sort)
    if entries:
        return entries[0] if len(entries) == 1 else gen.stream.choose(entries)
    if sort.kind == "SORT_UNINTERPRETED":
        raise Refused("unsupported", f"the sort {sort!r} was never made")
    params = [sort_entry(gen, p) for p in sort.sorts()]
    if sort.kind == "SORT_DT":
        parametric = next((e for e in run.db.datatypes if e.sort.datatype is sort.datatype), None)
        if parametric is None:
            raise Refused("unsupported", f"the datatype {sort!r} was never made")
        return instantiate_sort(run, parametric, params, run.line_seed())
    return make_sort(run, sort, params, run.line_seed())
