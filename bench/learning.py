"""Whether what murxpy learns from earlier runs finds more than chance, in simulation: solvers whose
planted defects stand behind one, two or three choices. No solver and no process is needed: what
chooses are the classes of real campaigns, and each run is a draw of chances.

`python bench/learning.py` prints the table of `bench/results/learning.md`, and writes no file.

    python bench/learning.py --seeds 20 --runs 1500

Each campaign is made twice from each seed: by a chooser that is told what came of its runs, and by
chance, which is the same chooser that is told nothing. `times` is the quotient of the means, with
the interval that holds 95 % of 2,000 bootstrap samples of the seeds.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from statistics import fmean

import common  # noqa: F401

from murxpy.learning.arms import GROUP, KINDS, OPTION, THEORY, TRANSITION, Arm, Arms, turns_of
from murxpy.learning.guide import BANDIT, CORPUS, Choices
from murxpy.machine.random import mix
from murxpy.machine.trace.finished import Call
from murxpy.oracles.crash import Verdict
from murxpy.sources.mutation.registry import API
from murxpy.sources.setups import SourcesSetup
from murxpy.steering.guidance import Guidance
from murxpy.steering.seeds import Steering, run_seed
from murxpy.studies.performance.search import Agents

CRASH = Verdict("crash", "solver", "it died", "SIGSEGV", Call("mk-term", "OP_OR", "mk"))
_WORLD = 0x5107D  # keys the chances of a simulated solver
SAMPLES = 2000


# ----------------------------------------------------------------------
# Guidance: a run has the arms that its seed carries.

_THEORIES = tuple(f"T{number}" for number in range(10))
CHOICES = Choices(
    theories=_THEORIES,
    groups={theory: tuple(f"{theory}/{at}" for at in range(20)) for theory in _THEORIES},
    options={f"option{number}=true": () for number in range(200)},
    transitions=tuple(f"shape{number}" for number in range(60)),
)
ARMS = Arms({kind: CHOICES.names(kind) for kind in KINDS})
THEORY_ARM, GROUP_ARM, OPTION_ARM, SHAPE_ARM = (
    Arm(THEORY, "T7"),
    Arm(GROUP, "T7/13"),
    Arm(OPTION, "option123=true"),
    Arm(TRANSITION, "shape41"),
)


@dataclass(frozen=True)
class Solver:
    """A simulated solver. A run that has all arms of `behind` shows each of `defects` with `chance`.
    Each arm of `behind` moves `counters` counters that no other run moves, each with the chance
    `moved`; beside them there are 300 counters that some runs of any kind move. A run with an arm
    of `dear` costs so many milliseconds of the solver's work more.
    """

    behind: tuple[Arm, ...] = ()
    defects: int = 30
    chance: float = 0.02
    counters: int = 30
    moved: float = 0.05
    dear: Mapping[Arm, int] = field(default_factory=dict)

    def run(self, arms: Sequence[Arm], stream: Random) -> tuple[str, list[int], int]:
        """The bucket of a finding, if any; the counters that moved; and what the run cost."""
        signals = [at for at in range(300) if stream.random() < 0.3 / (1 + at)]
        for place, arm in enumerate(self.behind):
            if arm in arms:
                first = 1000 * (place + 1)
                signals += [
                    first + at for at in range(self.counters) if stream.random() < self.moved
                ]
        spent = 20 + sum(self.dear.get(arm, 0) for arm in arms)
        bucket = ""
        if all(arm in arms for arm in self.behind):
            shown = [at for at in range(self.defects) if stream.random() < self.chance]
            bucket = f"defect{stream.choice(shown)}" if shown else ""
        return bucket, signals, spent


def guided(solver: Solver, way: str, seed: int, runs: int, *, told: bool) -> float:
    """The distinct defects that a guided campaign finds, at a cost of about `runs` cheap runs."""
    guidance = Guidance(way, seed, ARMS, CHOICES)
    found, left, index = dict[str, None](), float(runs), 0
    while left > 0:
        arms = ARMS.of(guidance.seed_of(index, run_seed(seed, index)))
        bucket, signals, spent = solver.run(arms, Random(mix(mix(seed, index), _WORLD)))
        if bucket:
            found.setdefault(bucket)
        if told:
            if bucket:
                guidance.found(index, bucket, CRASH)
            counts = {"check:decided": 5, "signal:spent": spent}
            guidance.reported(index, {"counts": counts, "signals": signals})
        guidance.done(index)
        left -= (20 + spent) / 40
        index += 1
    return len(found)


# ----------------------------------------------------------------------
# A corpus: what a walk meets at a step depends on the seed by which it draws then.

STEPS, MET = 60, 0.003  # steps of a walk, and the chance that one meets what comes next


def walked(stages: int, seed: int, runs: int, *, told: bool) -> float:
    """The distinct defects that a campaign with a corpus finds. A walk has to meet so many `stages`, one
    after another; each moves a counter for itself, and the last shows one of 30 defects.
    """
    guidance, found = Guidance(CORPUS, seed, ARMS, CHOICES), dict[str, None]()
    for index in range(runs):
        own = guidance.seed_of(index, run_seed(seed, index))
        turns = {turn.step: turn.seed for turn in turns_of(own)}
        world, stage, bucket = own, 0, ""
        for step in range(1, STEPS + 1):
            world = turns.get(step, world)
            drawn = mix(world, step) / 2.0**64
            if stage < stages and drawn < MET:
                stage += 1
                bucket = f"defect{int(drawn / MET * 30)}" if stage == stages else ""
        if bucket:
            found.setdefault(bucket)
        if told:
            if bucket:
                guidance.found(index, bucket, CRASH)
            counts = {"check:decided": 5, "signal:spent": 20, "state:terms": STEPS}
            guidance.reported(index, {"counts": counts, "signals": list(range(stage))})
        guidance.done(index)
    return len(found)


def walking(stages: int, runs: int) -> Made:
    """Campaigns with `--guide corpus` on a solver whose defects stand behind several steps of a walk."""
    return lambda seed, told: walked(stages, seed, runs, told=told)


# ----------------------------------------------------------------------
# The operators of BanditFuzz: a mutant gets one of 200 operators.


def operators(rare: int, chance: float, seed: int, steps: int, *, told: bool) -> float:
    """The steps of a search for slow scripts that gave a slower one: a mutant with one of the `rare`
    operators does with `chance`.
    """
    names = [f"OP_{number}" for number in range(200)]
    slow = frozenset(Random(seed).sample(names, rare))
    agents, world, paid = Agents(seed, names), Random(mix(seed, _WORLD)), 0
    for number in range(steps):
        choice = agents.choose(number, names)
        gain = float(choice.construct in slow and world.random() < chance)
        paid += gain > 0
        agents.learn(choice, gain if told else 0.0, 10.0)
    return paid


# ----------------------------------------------------------------------
# A mix: the time of a campaign goes to several sources.

SOURCES = ("opfuzz", "typefuzz", "storm", "api")
FILES = [
    [f"{at}.smt2", "(declare-const x Int)(assert (> x 0))(check-sat)", "sat"] for at in range(9)
]
COST = 100.0  # milliseconds of a run


def mixed(pools: Sequence[tuple[int, float]], seed: int, runs: int, *, told: bool) -> float:
    """The distinct defects that a campaign of the mix `auto` finds; by chance, of the fixed mix with
    equal weights. A source has a pool of defects, each of which a run shows with a chance.
    """
    setup: SourcesSetup = {
        "seeds": FILES,
        "mix": [[name, 1.0] for name in SOURCES[: len(pools)]],
        "walk": 10,
        "budget": None,
        "check-ms": 50.0,
        "dialect": "",
        "through": "text",
        "stability": 0.0,
        "choices": {},
        "auto": told,
    }
    steering, found = Steering(seed, setup), dict[str, None]()
    for index in range(runs):
        source = steering.fuzzer_of(steering.seed_of(index)) or API
        size, chance = pools[SOURCES.index(source)]
        stream, name = Random(mix(mix(seed, index), _WORLD)), f"mutator:{source}"
        shown = [at for at in range(size) if stream.random() < chance]
        if shown:
            bucket = f"{source}-{stream.choice(shown)}"
            found.setdefault(bucket)
            steering.found(index, bucket)
        lines = {"line:total": round((COST - 5.0) / 0.2)}
        mutants = {f"{name}:made": 5, f"{name}:spent": 50}
        steering.count(index, lines if source == API else mutants)
        steering.done(index)
    return len(found)


def mixing(pools: Sequence[tuple[int, float]], runs: int) -> Made:
    """Campaigns of the mix `auto` beside those of a fixed mix."""
    return lambda seed, told: mixed(pools, seed, runs, told=told)


# ----------------------------------------------------------------------
# The table


# what is simulated: the yield of a campaign from a seed, which is told what came of its runs or not
Made = Callable[[int, bool], float]


def times(with_: Sequence[float], without: Sequence[float]) -> tuple[float, float, float]:
    """The quotient of the means, with its interval of 95 % by bootstrap over the seeds."""
    stream, pairs = Random(1), list(zip(with_, without, strict=True))

    def quotient(sample: Sequence[tuple[float, float]]) -> float:
        return sum(a for a, _ in sample) / max(1.0, sum(b for _, b in sample))

    found = sorted(quotient(stream.choices(pairs, k=len(pairs))) for _ in range(SAMPLES))
    return quotient(pairs), found[SAMPLES // 40], found[-SAMPLES // 40]


def guiding(solver: Solver, runs: int) -> Made:
    """Campaigns with `--guide bandit` on a simulated solver."""
    return lambda seed, told: guided(solver, BANDIT, seed, runs, told=told)


def mutating(rare: int, chance: float, steps: int) -> Made:
    """Searches of BanditFuzz, in which a mutant with a rare operator is slower with a chance."""
    return lambda seed, told: operators(rare, chance, seed, steps, told=told)


def simulated(runs: int) -> dict[str, Made]:
    """The rows of the table."""
    return {
        "mix: one source of four has all": mixing(
            [(0, 0.0), (60, 0.0003), (0, 0.0), (0, 0.0)], runs
        ),
        "mix: one source of four has three times as many": mixing(
            [(20, 0.0003), (60, 0.0003), (20, 0.0003), (20, 0.0003)], runs
        ),
        "mix: one source is soon used up": mixing(
            [(10, 0.01), (60, 0.0003), (0, 0.0), (0, 0.0)], runs
        ),
        "mix: four equal sources": mixing([(30, 0.0003)] * 4, runs),
        "BanditFuzz: 1 operator of 200, 30 %": mutating(1, 0.3, runs),
        "BanditFuzz: 2 operators of 200, 30 %": mutating(2, 0.3, runs),
        "BanditFuzz: 3 operators of 200, 30 %": mutating(3, 0.3, runs),
        "BanditFuzz: 1 operator of 200, 5 %": mutating(1, 0.05, runs),
        "behind a group of operators of 200": guiding(Solver((GROUP_ARM,)), runs),
        "behind an option of 200": guiding(Solver((OPTION_ARM,)), runs),
        "behind a shape of 60": guiding(Solver((SHAPE_ARM,), chance=0.01), runs),
        "behind a theory of 10": guiding(Solver((THEORY_ARM,), chance=0.002), runs),
        "behind a group and a shape": guiding(Solver((GROUP_ARM, SHAPE_ARM), chance=0.1), runs),
        "behind a group, a shape and an option": guiding(
            Solver((GROUP_ARM, SHAPE_ARM, OPTION_ARM), chance=0.2), runs
        ),
        "behind one step of a walk": walking(1, runs),
        "behind two steps of a walk": walking(2, runs),
        "behind three steps of a walk": walking(3, runs),
        "behind an option that moves no counter": guiding(Solver((OPTION_ARM,), counters=0), runs),
        "anywhere, where half of the theories cost ten times as much": guiding(
            Solver(chance=0.0003, dear={Arm(THEORY, name): 360 for name in _THEORIES[:5]}), runs
        ),
    }


def main() -> None:
    """Print the table, each row when it is known."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--seeds", type=int, default=20, help="campaigns of each kind (20)")
    parser.add_argument("--runs", type=int, default=1500, help="runs of a campaign (1500)")
    parser.add_argument("--only", default="", help="rows whose name contains this")
    args = parser.parse_args()
    print(
        "| defects, or slower scripts | learning | chance | times | 95 % |",
        "|---|---|---|---|---|",
        sep="\n",
    )
    for name, made in simulated(args.runs).items():
        if args.only in name:
            with_, without = (
                [made(seed, told) for seed in range(1, args.seeds + 1)] for told in (True, False)
            )
            quotient, low, high = times(with_, without)
            means = f"{fmean(with_):.1f} | {fmean(without):.1f}"
            print(f"| {name} | {means} | {quotient:.1f} | {low:.1f} to {high:.1f} |", flush=True)


if __name__ == "__main__":
    main()
