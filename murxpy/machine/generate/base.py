"""The generator's state: the run it drives, the machine's settings, the profile, the swarm."""

from __future__ import annotations

from dataclasses import dataclass, field

from murxpy.logic.catalogue import Catalogue
from murxpy.logic.sorts import Sort
from murxpy.machine.database import SortEntry
from murxpy.machine.generate.swarm import Profile, Swarm
from murxpy.machine.make import instantiate_sort, make_sort
from murxpy.machine.outcomes import Refused
from murxpy.machine.random import Settings, Stream, Weighted
from murxpy.machine.run import Run
from murxpy.solvers.facts import Option


@dataclass
class Generator:
    """The state on which all random choices of a run depend. `made` counts the operator terms;
    `depth` is the number of binders around the term that is being made.
    """

    run: Run
    settings: Settings
    profile: Profile
    swarm: Swarm
    catalogue: Catalogue
    admissible: dict[Sort, bool] = field(default_factory=dict)
    # the solver's options, from which the run draws
    option_choice: Weighted[Option] = field(default_factory=lambda: Weighted([]))
    # Operators and actions that are drawn less often, because the last lines of known findings name
    # them.
    damped: frozenset[str] = frozenset()
    # the number of options that the run draws at most, if not the limit of the machine
    most_options: int | None = None
    # names and values of options that the user sets
    options: list[list[str]] = field(default_factory=list)
    limited: bool = True  # every check gets a resource limit
    # names of the checks of the solver's promises that are switched on
    checks: frozenset[str] = frozenset()
    planting: bool = False  # the run has a planted model, and asserts only what is true under it
    # the transition of the machine that the guidance of the campaign prefers, by its name
    preferred: str = ""
    # The public callables that this run is going to call, the next one last; None before the first
    # call.
    turns: list[str] | None = None
    made: int = 0
    depth: int = 0

    @property
    def stream(self) -> Stream:
        """The random stream of this step."""
        return self.run.stream

    @property
    def spent(self) -> bool:
        """True once the run has as many operator terms as planned."""
        return self.made >= self.swarm.length


def sort_entry(gen: Generator, sort: Sort) -> SortEntry:
    """The entry of `sort`. If no line has returned this sort, it is made now, together with its
    parameter sorts. Raises Refused.
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
