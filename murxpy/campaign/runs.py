"""The runs of one target: which comes next and with which seed, and which are done."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from murxpy.campaign.findings.store import Store
from murxpy.campaign.seeds import Ledger, run_seed
from murxpy.campaign.steering import Steering
from murxpy.campaign.workers.handles import Damp
from murxpy.campaign.workers.targets import Plan
from murxpy.campaign.yields import Yield, settled


class Runs:
    """Hands out runs as `ledger` has them. `steering` chooses what they are made from; None for
    walks alone, which need no choice.
    """

    def __init__(self, seed: int, ledger: Ledger, steering: Steering | None) -> None:
        self._seed = seed
        self.ledger = ledger
        self.steering = steering

    def take(self) -> tuple[int, int] | None:
        """Index and seed of the next run; None when there is none."""
        if self.used_up:
            self.ledger.close()
        index = self.ledger.take()
        if index is None:
            return None
        return index, run_seed(
            self._seed, index
        ) if self.steering is None else self.steering.seed_of(index)

    @property
    def used_up(self) -> bool:
        """Whether no new run can be made, since every seed has had its budget."""
        return self.steering is not None and self.steering.used_up and not self.ledger.redoing

    @property
    def exhausted(self) -> bool:
        """Whether no run will be handed out any more and all that were are done."""
        return self.ledger.exhausted

    def count(self, index: int, counts: Mapping[str, int]) -> None:
        """Run `index` counted this."""
        if self.steering is not None:
            self.steering.count(index, counts)

    def ended_badly(self, index: int, seed: int, word: str) -> dict[str, int]:
        """A mutation fuzzer's run ended without a report, or was found fault with: what to count
        for it, `word` of its fuzzer.
        """
        if self.steering is None or (source := self.steering.fuzzer_of(seed)) is None:
            return {}
        counts = {f"mutator:{source}:{word}": 1}
        self.count(index, counts)
        return counts

    def found(self, index: int, bucket: str) -> None:
        """Something of a bucket was found in run `index`, of none (empty) what pays nothing."""
        if self.steering is not None:
            self.steering.found(index, bucket)

    def ended(self, index: int, bucket: str = "") -> None:
        """Run `index` came to its end and was counted, with what was found in it, of `bucket`. It
        is done when judges have answered.
        """
        self.ledger.ended[index] = bucket

    def counted(self, index: int) -> str | None:
        """The bucket of what was found when run `index` ended before, in an earlier session, empty
        for nothing; None for a first time.
        """
        return self.ledger.ended.get(index)

    def done(self, index: int) -> None:
        """Run `index` is over, whatever its outcome."""
        self.ledger.done(index)
        if self.steering is not None:
            self.steering.done(index)

    def give_back(self, index: int) -> None:
        """Run `index` did not happen: it is handed out again, with the same seed."""
        self.ledger.give_back(index)

    def yields(self) -> tuple[Yield, ...]:
        """What came of each seed that was used."""
        return (
            ()
            if self.steering is None
            else tuple(settled(self.steering.yields.values(), self.steering.state()))
        )


@dataclass(eq=False)
class Fuzzed:
    """A target of a campaign: its name, its solver and the solver's version, its runs, and the calls that are
    drawn less often in them.
    """

    name: str
    family: str
    version: str
    runs: Runs
    damp: Damp = ()


def stored_runs(plan: Plan, store: Store, seed: int, limit: int | None) -> Runs:
    """The runs of a target in the campaign with `seed`, from where an earlier session left them, at most
    `limit` more. Raises InputError when no source has the seeds that it needs.
    """
    name, meta = plan.target.name, store.meta()
    state = store.targets().get(name)
    ended = {int(index): bucket for index, bucket in meta.get(f"ended:{name}", {}).items()}
    ledger = Ledger(state.next if state else 0, state.open if state else (), limit, ended)
    sources = plan.setup.get("sources")
    if not sources:
        return Runs(seed, ledger, None)
    stored = meta.get(f"steering:{name}")
    return Runs(seed, ledger, Steering(seed, sources, store.yields().get(name, ()), stored))
