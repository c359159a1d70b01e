"""Run seeds, and the ledger that says which runs are done."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from murxpy.errors import InputError
from murxpy.learning.guide import AGAIN, USUAL, Lag, Pending
from murxpy.learning.shares import Shares
from murxpy.learning.spans import Spans
from murxpy.machine.random import Stream, mix, run_seed
from murxpy.records.yields import Begun, Key, Yield, begun, credit
from murxpy.solvers.facts import SCRIPT_MS
from murxpy.sources.mutation.corpus import STEERED, Corpus, Pairing
from murxpy.sources.mutation.registry import API, FUZZERS, entry_of
from murxpy.sources.setups import SourcesSetup


class Ledger:
    """Hands out the indices of runs. All indices below `next` were handed out; those of them in
    `open()` are not done.

    `ended` holds open runs that ended and were counted, but wait for their judges. The ledger maps
    the index to the bucket of the run's finding, empty for a run without one. The next session hands
    these runs out again, and does not count them again. With `resume`, no other runs are handed out.
    The first index is `first`, and there are `step` from one index to the next.
    """

    def __init__(
        self,
        following: int = 0,
        again: tuple[int, ...] = (),
        limit: int | None = None,
        ended: Mapping[int, str] | None = None,
        *,
        resume: bool = False,
        first: int = 0,
        step: int = 1,
    ) -> None:
        self.next = max(following, first)
        self._step = step
        self.ended = dict(ended or {})
        self._resume = resume
        self._again = self._in_order(again)
        self._running = Spans()
        self._left = sum(index in self.ended for index in again) if resume else limit

    def _in_order(self, again: Iterable[int]) -> list[int]:
        """Open runs in the order in which they are handed out again, the last one first."""
        late = self._resume
        return sorted(again, key=lambda i: (late and i not in self.ended, i), reverse=True)

    def take(self) -> int | None:
        """The next index to run; None when the limit is reached."""
        if self._left == 0:
            return None
        if self._left is not None:
            self._left -= 1
        if self._again:
            index = self._again.pop()
        else:
            index, self.next = self.next, self.next + self._step
        self._running.add(index)
        return index

    def most(self, wanted: int) -> int:
        """How many new neighbours `take_span` could take, `wanted` at most; none while runs that were handed
        out before come first, or where not each index is one of ours.
        """
        if self._again or self._step != 1:
            return 0
        return wanted if self._left is None else min(wanted, self._left)

    def take_span(self, count: int) -> int:
        """Take the next `count` new runs, which are neighbours, and give the index of the first."""
        first, self.next = self.next, self.next + count
        if self._left is not None:
            self._left -= count
        self._running.add(first, count)
        return first

    @property
    def upcoming(self) -> int:
        """The index that `take` gives next, unless the limit is reached."""
        return self._again[-1] if self._again else self.next

    @property
    def redoing(self) -> bool:
        """Whether the next index was handed out before."""
        return bool(self._again)

    def close(self) -> None:
        """Hand out no more."""
        self._left = 0

    def done(self, index: int, count: int = 1) -> None:
        """Note that run `index`, or so many neighbours from it on, are over, and that nobody waits for their
        judges.
        """
        self._running.remove(index, count)
        if self.ended:
            self.ended.pop(index, None)

    def give_back(self, index: int, count: int = 1) -> None:
        """Note that run `index`, or so many neighbours from it on, were not begun, so that they are handed
        out again.
        """
        back = [
            number
            for first, size, _ in self._running.remove(index, count)
            for number in range(first, first + size)
        ]
        if back:
            self._again = self._in_order([*self._again, *back])
            if self._left is not None:
                self._left += len(back)

    def open(self) -> list[int]:
        """The indices below `next` of runs that are not done."""
        return sorted([*self._again, *self._running.numbers()])

    def spans(self) -> Spans:
        """The same as spans."""
        spans = Spans(self._running)
        for index in reversed(self._again):
            spans.add(index)
        return spans

    @property
    def exhausted(self) -> bool:
        """Whether the limit is reached and every run handed out is done."""
        return self._left == 0 and self._running.lowest is None


# ----------------------------------------------------------------------
# Steering: which seed files the runs of a target work on. Seed files that paid before are used
# more often, and none is used beyond its budget. The choice depends only on the counters of
# earlier runs, in the order of their numbers, and never on a clock. The choice is written into
# the seed of the run (`murxpy.sources.mutation.corpus`), so that the run can be made again without the
# campaign.


MOST = 4.0  # the largest weight of a seed file; an unused seed file has the weight 1
_KEY = 0x5EED5
_TOLD = 5  # reasons for leaving out seed files that users are told when runs begin
# what the names of counters begin with that runs keep for their seed files
_COUNTED = ("mutator:", "unreadable:", "mislabelled:", "line:total", "check:total")
# About how many milliseconds a run takes: for a walk, for each of its lines and for each of its checks, measured
# on walks of seven machines with z3 4.8.12 (bench/results/sources.md); for a walk of which nobody knows
# the lines; and for a mutant that was killed, by the usual wall limit.
_BEGIN, _LINE, _CHECK, _WALK, _KILLED = 5.0, 0.2, 1.5, 36.0, 2000.0


def cost_of(source: str, counts: Mapping[str, int], script_ms: float = SCRIPT_MS) -> float:
    """About how many milliseconds a run of a source took, by its counters, where a script takes
    `script_ms` beside the effort of its checks. The clock has no part in it, so that the same campaign
    makes the same runs.
    """
    if source not in FUZZERS:  # a walk that ended early, perhaps by a limit of time, tells no lines
        if "line:total" not in counts:
            return _WALK
        return _BEGIN + _LINE * counts["line:total"] + _CHECK * counts.get("check:total", 0)
    made, spent, killed = (
        counts.get(f"mutator:{source}:{name}", 0) for name in ("made", "spent", "timeouts")
    )
    return 1.0 + script_ms * made + spent + _KILLED * killed


class Steering:
    """Chooses the run seeds of one target.

    `seed` is the seed of the campaign, `sources` a part of a session's setup, `saved` what `state`
    gave in an earlier session. `yields` is the yield of each seed file that was used, and `changed`
    holds those that are to be stored. `unusable` are the reasons why sources cannot use seed files, by
    the names of both. `starved` are the sources that lack seeds of a label that they need, seeds that
    they can use, or two seeds that can be drawn together. `lag` is that of the campaign, and `script_ms` is
    what the target takes for a script beside the effort of its checks.
    Raises InputError where all sources are starved.
    """

    def __init__(
        self,
        seed: int,
        sources: SourcesSetup,
        yields: Iterable[Yield] = (),
        saved: Mapping[str, Any] | None = None,
        unusable: Mapping[Key, str] | None = None,
        lag: Lag = USUAL,
        script_ms: float = SCRIPT_MS,
    ) -> None:
        self._seed = seed
        # mutants through the API are no scripts; on cvc5 1.0.8 they took 14 ms
        self._script_ms = SCRIPT_MS if sources.get("through") == API else script_ms
        self._unusable = dict(unusable or {})
        self._unlabelled: dict[str, None] = {}  # reasons that users are not told when runs begin
        self._corpus = Corpus(sources["seeds"], sources["mix"], sources.get("choices"))
        budget = sources.get("budget")
        self._walk = int(sources["walk"])
        self._runs = None if budget is None else max(1, int(budget) // self._walk)
        self.yields: dict[Key, Yield] = {entry.key: entry for entry in yields}
        self.changed: dict[Key, Yield] = {}
        saved = saved or {}
        self._begun = Pending(begun, saved, lag)
        self._paid: dict[str, None] = dict.fromkeys(saved.get("paid", ()))
        self._numbers = {entry.name: number for number, entry in enumerate(self._corpus.seeds)}
        # by source: the cost of the runs that were counted, and their number
        self._costs: dict[str, list[float]] = {
            source: list(saved.get("costs", {}).get(source, (0.0, 0)))
            for source in self._corpus.sources
        }
        # by source: the runs that are not counted yet
        self._left = Counter(
            self.source_of(run.seed)
            for runs in (self._begun.open, self._begun.over)
            for run in runs.values()
        )
        self._weights = {str(name): float(weight) for name, weight in sources["mix"]}
        # in a mix that learns, what the sources gave
        learns = sources.get("auto", False)
        self._shares = Shares(self._weights, saved.get("mixed")) if learns else None
        self._pairing: dict[str, Pairing] = {}
        self._pools: dict[str, list[list[int]]] = {}
        self._pair_up(sources.get("choices") or {})
        self.starved = tuple(source for source in self._pools if not self._alive(source))
        if len(self.starved) == len(self._pools):
            raise InputError(
                "; ".join(f"{source}: {self.lacking(source)}" for source in self.starved)
            )
        for source, pools in self._pools.items():
            for pool in pools:
                pool[:] = [number for number in pool if not self._spent(source, number)]
            self._pools[source] = self._pairing[source].paired(pools)

    def _pair_up(self, choices: Mapping[str, Any]) -> None:
        """Fill the pools of all sources with the seed files that can be drawn together."""
        for source in self._corpus.sources:
            labelled = self._corpus.among(source)[:STEERED]
            pools = [
                [n for n in pool if (source, self._corpus.seeds[n].name) not in self._unusable]
                for pool in labelled
            ]
            own = choices.get(source) or {}
            pairing = Pairing(entry_of(source), self._corpus.seeds, own)
            self._pairing[source] = pairing
            self._pools[source] = pairing.paired(pools)
            if not labelled:
                continue
            words = [word for label in self._corpus.labels[source] for word in label.split()]
            wanted = " or ".join(dict.fromkeys(words))
            unlabelled = f"no check is labelled {wanted}"
            self._unlabelled[unlabelled] = None
            self._leave_out(source, labelled, unlabelled)
            self._leave_out(
                source, self._pools[source], "no other seed has anything in common with it"
            )

    def _leave_out(self, source: str, pools: Sequence[Sequence[int]], reason: str) -> None:
        """Note the reason for each seed file that is in none of the pools, and has no reason yet."""
        kept = {number for pool in pools for number in pool}
        for number, seed in enumerate(self._corpus.seeds):
            if number not in kept:
                self._unusable.setdefault((source, seed.name), reason)

    @property
    def offered(self) -> dict[str, dict[str, int]]:
        """For each source that needs seeds: the number of seed files that can be used, under the empty
        name, and of the others, under the reason why they cannot be used.
        """
        found: dict[str, dict[str, int]] = {}
        for source in (name for name, pools in self._pools.items() if self._corpus.labels[name]):
            counts = Counter(
                reason for (name, _), reason in self._unusable.items() if name == source
            )
            found[source] = {"": len(self._corpus.seeds) - counts.total(), **counts}
        return found

    def lacking(self, source: str) -> str:
        """Say in words which seeds a starved source lacks."""
        among = zip(self._corpus.labels[source], self._corpus.among(source), strict=True)
        labels = dict.fromkeys(" or ".join(label.split()) for label, pool in among if not pool)
        count = len(self._corpus.seeds)
        if not labels:
            whys = Counter(why for (name, _), why in self._unusable.items() if name == source)
            why = whys.most_common(1)[0][0]
            return (
                f"the only seed cannot be used: {why}"
                if count == 1
                else f"none of the {count} seeds can be used; most often: {why}"
            )
        where = "(by its (set-info :status ...), or its folder)"
        if count == 1:
            return f"the only seed is not labelled {' or '.join(labels)} {where}"
        named = " and none ".join(f"labelled {label}" for label in labels)
        return f"none of the {count} seeds is {named} {where}"

    def notices(self) -> list[str]:
        """Messages to users about sources that make no runs, and about seed files that sources never draw,
        one message for each reason.
        """
        starved = [f"{name}: {self.lacking(name)}; it makes no runs" for name in self.starved]
        left_out: dict[str, dict[str, list[str]]] = {}
        for (source, seed), reason in self._unusable.items():
            if source not in self.starved and reason not in self._unlabelled:
                left_out.setdefault(reason, {}).setdefault(seed, []).append(source)
        common = sorted(left_out, key=lambda reason: -len(left_out[reason]))
        messages = [_left_out(reason, left_out[reason]) for reason in common[:_TOLD]]
        if len(common) > _TOLD:
            more = len({seed for reason in common[_TOLD:] for seed in left_out[reason]})
            messages.append(
                f"{more:,} more seed files are left out for {len(common) - _TOLD} other reasons, which"
                " 'murxpy statistics' counts"
            )
        return starved + messages

    def state(self) -> dict[str, Any]:
        """The plain data to store besides `yields`."""
        return {
            **self._begun.state(),
            "paid": list(self._paid),
            "costs": self._costs,
            "offered": self.offered,
            **({} if self._shares is None else {"mixed": self._shares.state()}),
        }

    @property
    def learns(self) -> bool:
        """Whether the time of the sources follows from what they gave."""
        return self._shares is not None

    @property
    def used_up(self) -> bool:
        """Whether no source has seed files left."""
        return not any(self._alive(source) for source in self._pools)

    def note_news(self, index: int, news: int) -> None:
        """Note how many pairs of signals run `index`, which is over, was the first to give."""
        run = self._begun.over.get(index)
        if run is not None and news:
            for source in dict.fromkeys(source for source, _ in run.keys):
                run.counts[f"mutator:{source}:news"] = news

    def ready(self, index: int) -> bool:
        """Whether run `index` can be chosen: all runs are over from which it is to be learnt."""
        return self._begun.ready(index)

    def seed_of(self, index: int, wanted: str | None = None) -> int:
        """The seed of run `index`, which begins now, of the source `wanted` if the guidance of the
        campaign chose one and the mix does not learn itself. A run that began before keeps its seed.
        """
        if index in self._begun.open:
            return self._begun.open[index].seed
        self._learn(index)
        seed = run_seed(self._seed, index)
        stream = Stream(mix(seed, _KEY))
        if self._shares is not None:
            wanted = self._learnt_source(self._shares, stream)
        source = self._source() if wanted is None else wanted
        if not self._alive(source):
            alive = [other for other in self._pools if self._alive(other)]
            source = stream.choose(alive) if alive else source
        seeds = self._choose(source, stream)
        seed = self._corpus.steered(seed, source, seeds)
        self._begun.open[index] = self._begin(seed)
        return seed

    def _source(self) -> str:
        """The source of the next run: the one whose runs took the least time in proportion to its weight.
        Runs that are not counted yet are assumed to take the mean of their source.
        """
        alive = [source for source in self._pools if self._alive(source)] or list(self._pools)

        def share(source: str) -> float:
            spent, _ = self._costs[source]
            waiting = self._left[source] + 0.5
            return (spent + self._mean(source) * waiting) / self._weights[source]

        return min(alive, key=share)

    def _learnt_source(self, shares: Shares, stream: Stream) -> str:
        """The source of the next run of a mix that learns."""
        alive = [source for source in self._pools if self._alive(source)] or list(self._pools)
        return shares.draw(stream, alive, {name: self._mean(name) for name in alive})

    def _mean(self, source: str) -> float:
        """The cost of a run of a source in the mean; one that was made in full is added, so that the time
        of the first runs is shared as well.
        """
        spent, runs = self._costs[source]
        first = cost_of(source, {f"mutator:{source}:made": self._walk}, self._script_ms)
        return (spent + first) / (runs + 1)

    def count(self, index: int, counts: Mapping[str, int]) -> None:
        """Note the counters of run `index`, under the names of a run's report."""
        if index in self._begun.open:
            own = self._begun.open[index].counts
            own.update(
                {
                    name: n + own.get(name, 0)
                    for name, n in counts.items()
                    if name.startswith(_COUNTED)
                }
            )

    def found(self, index: int, bucket: str) -> None:
        """Note that run `index` had a finding of `bucket`, empty for a finding that does not count
        for its seed file.
        """
        if index in self._begun.open:
            self._begun.open[index].buckets.append(bucket)

    def done(self, index: int) -> None:
        """Note that run `index` is over."""
        self._begun.done(index)

    def source_of(self, seed: int) -> str:
        """The source that makes the run of this seed."""
        return self._corpus.draw(seed).source

    def fuzzer_of(self, seed: int) -> str | None:
        """The mutation fuzzer that makes the run of this seed; None for a walk."""
        source = self.source_of(seed)
        return source if source in FUZZERS else None

    def _alive(self, source: str) -> bool:
        return all(self._pools[source])

    def _choose(self, source: str, stream: Stream) -> list[int]:
        """Draw a seed file for each place of a run, by weight. The second seed file is drawn among
        those that can be drawn together with the first one.
        """
        pools = self._pools[source]
        if not all(pools):
            return []
        seeds = [self._drawn(source, pool, stream) for pool in pools[:1]]
        for pool in pools[1:]:
            partners = self._pairing[source].partners(seeds[0], pool)
            seeds.append(self._drawn(source, partners, stream))
        return seeds

    def _drawn(self, source: str, pool: Sequence[int], stream: Stream) -> int:
        """Draw a seed file of the pool: draw one uniformly, and accept it with a chance that is its
        share of the largest weight.
        """
        while True:
            number = stream.choose(pool)
            known = self.yields.get((source, self._corpus.seeds[number].name))
            if stream.random() * MOST < (1.0 if known is None else min(MOST, known.weight)):
                return number

    def _begin(self, seed: int) -> Begun:
        """Count a run under its source and under each of its seed files, and take the seed files
        whose budget that uses up out of the pools.
        """
        drawn = self._corpus.draw(seed)
        self._left[drawn.source] += 1
        run = Begun(
            seed,
            [(drawn.source, self._corpus.seeds[number].name) for number in drawn.seeds[:STEERED]],
        )
        for key in dict.fromkeys(run.keys):
            self.yields.setdefault(key, Yield(*key)).runs += 1
            self._changed(key)
        return run

    def _changed(self, key: Key) -> None:
        """Mark a seed file as to be stored. If its budget is used up, it is not drawn any more."""
        self.changed[key] = self.yields[key]
        source, name = key
        number = self._numbers.get(name, -1)
        pools = self._pools.get(source, [])
        if number >= 0 and self._spent(source, number) and any(number in pool for pool in pools):
            rest = [[other for other in pool if other != number] for pool in pools]
            self._pools[source] = self._pairing[source].paired(rest)

    def _spent(self, source: str, number: int) -> bool:
        known = self.yields.get((source, self._corpus.seeds[number].name))
        return known is not None and (
            known.unusable or (self._runs is not None and known.runs >= self._runs)
        )

    def _learn(self, index: int) -> None:
        """Count, in their order, the runs that are far enough before `index`."""
        for _, run in self._begun.due(index):
            source = self.source_of(run.seed)
            self._left[source] -= 1
            cost = cost_of(source, run.counts, self._script_ms)
            self._costs[source][0] += cost
            self._costs[source][1] += 1
            new = credit(self.yields, run, self._paid)
            if self._shares is not None:
                again = AGAIN * (len(run.buckets) - new)
                self._shares.learn(source, filter(None, run.buckets), cost + again)
            for key in run.keys:
                self._changed(key)


def _left_out(reason: str, seeds: Mapping[str, Sequence[str]]) -> str:
    """Say that seed files are left out; `seeds` has the sources that leave out each of them."""
    sources = ", ".join(dict.fromkeys(name for names in seeds.values() for name in names))
    named = ", ".join([*seeds][:3]) + (", ..." if len(seeds) > 3 else "")
    return f"{sources}: {len(seeds)} of the seed files left out, {reason}: {named}"
