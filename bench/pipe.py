"""Whether a solver gives the same answers through a pipe as through its Python binding, and what the
pipe costs.

`python bench/pipe.py z3 --command .venv/bin/z3` writes a row of `bench/results/pipe.md`.

Walks are done on the program `--command`, as `smt2:COMMAND`, with the operators that both have. Each
trace is replayed twice, without its limits, whose units differ: on the binding, and on the program. An
answer is the same if both decide the check alike, and contradicted if they decide it in opposite ways;
a check that one of them leaves open is counted apart. Runs in which one of the two was not given all
assertions are not compared. The cost is the time of the processor that the compared replays took, with
that of the programs that they started.
"""

from __future__ import annotations

import argparse
import os
import re
import resource
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import common
from children import Outcome, run_all, walked
from common import percent, save, seeds, table, verdict

from murxpy.data import merge_profile
from murxpy.worker.process import COMMAND
from murxpy.worker.session import Session

PIPE = "smt2"
DECIDED = ("sat", "unsat")
_LIMITS = re.compile(r"^ *[0-9]+ set-limit.*\n", re.M)
# actions after which other formulas are asserted
CHANGING = ("assert-formula", "assert-tracked", "push", "pop", "reset", "reset-assertions")


def replays(
    session: Session, texts: dict[int, str], args: argparse.Namespace
) -> dict[int, Outcome]:
    """What came of the replay of each trace, by the seed of its run."""

    def replayed(session: Session, seed: int, write: Any) -> dict[str, Any]:
        before = processor()
        report = session.replay(texts[seed], f"{seed}.trace", write)
        done = {name: report["counts"].get(f"action-ok:{name}", 0) for name in changing}
        answers = report.get("answers", [])
        return {"answers": answers, "done": done, "cpu": processor() - before}

    own = session.wrapper.facts.own_actions.items()
    changing = [*CHANGING, *(name for name, action in own if action.changes)]

    found = run_all(session, list(texts), replayed, args.jobs, 5 * args.wall)
    return {outcome.seed: outcome for outcome in found}


def processor() -> float:
    """The seconds of the processor that this process and its ended children took."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + used.ru_utime + used.ru_stime


def asserted(outcome: Outcome) -> dict[str, int]:
    """How often the actions that change what is asserted were done."""
    return {name: count for name, count in outcome.result["done"].items() if count}


def compared(answers: Sequence[Sequence[Any]], others: Sequence[Sequence[Any]]) -> Counter[str]:
    """How often the answers of two replays of one trace are the same, contradicted, or left open by
    one of them. Checks are told by their lines.
    """
    counts: Counter[str] = Counter()
    theirs = {line: now for line, _, now in others}
    for line, _, now in answers:
        other = theirs.get(line)
        if now in DECIDED and other in DECIDED:
            counts["same" if now == other else "contradicted"] += 1
        elif now in DECIDED or other in DECIDED:
            counts["open in one"] += 1
        else:
            counts["open in both"] += 1
    return counts


def main() -> None:
    parser = common.parser(__doc__, 2000)
    parser.add_argument("--command", required=True, help="the program of the same solver")
    args = parser.parse_args()
    binding = common.load(args)
    os.environ[COMMAND] = args.command
    data = common.setup(argparse.Namespace(**{**vars(args), "solver": PIPE}))
    wrapper = data["wrapper"]
    lacking = [k for k in wrapper["operators"] if k not in binding.wrapper.spellings["operators"]]
    profile = merge_profile(wrapper["profile"], {"exclude-operators": lacking})
    pipe = Session({**data, "wrapper": {**wrapper, "profile": profile}})

    walks = run_all(pipe, seeds(args), lambda *run: {"trace": walked(*run)}, args.jobs, args.wall)
    texts = {
        walk.seed: _LIMITS.sub("", walk.result["trace"]) for walk in walks if walk.status == "ok"
    }
    first, second = replays(binding, texts, args), replays(pipe, texts, args)

    counts: Counter[str] = Counter()
    contradicted = []
    both = [seed for seed in texts if first[seed].status == second[seed].status == "ok"]
    alike = [seed for seed in both if asserted(first[seed]) == asserted(second[seed])]
    for seed in alike:
        found = compared(first[seed].result["answers"], second[seed].result["answers"])
        counts += found
        contradicted += [seed] * (found["contradicted"] > 0)
    ended = Counter(f"{first[seed].status}, {second[seed].status}" for seed in texts)
    costs = [sum(runs[seed].result["cpu"] for seed in alike) for runs in (first, second)]
    decided = counts["same"] + counts["contradicted"]
    ratio = costs[1] / costs[0] if costs[0] else 0.0
    table(
        f"Answers of {binding.wrapper.name} {binding.version} and {pipe.version} over {len(alike)} of {len(texts)} walks",
        ["checks", "number"],
        [*counts.items(), ("decided in both alike", percent(counts["same"], decided))],
    )
    table("How the replays ended: binding, pipe", ["end", "runs"], ended.items())
    table(
        f"Cost of {len(alike)} replays",
        ["seconds of the processor", "binding", "pipe"],
        [("", *(f"{cost:.2f}" for cost in costs))],
    )
    print(f"\nthe pipe takes {ratio:.2f} times the processor's time")
    print(f"no contradiction: {verdict(not contradicted)} {contradicted[:20] or ''}")
    save(
        "pipe",
        args,
        common.facts(binding, args),
        {"counts": counts, "contradicted": contradicted, "ended": ended, "ratio": ratio},
        {
            "program": f"{Path(args.command.split()[0]).name} {pipe.version}",
            "walks": len(texts),
            "compared": len(alike),
            "same": counts["same"],
            "contradicted": counts["contradicted"],
            "open in one": counts["open in one"],
            "open in both": counts["open in both"],
            "CPU s binding": f"{costs[0]:.1f}",
            "CPU s pipe": f"{costs[1]:.1f}",
            "ratio": f"{ratio:.2f}",
        },
    )


if __name__ == "__main__":
    main()
