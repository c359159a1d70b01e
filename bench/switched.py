"""Whether what makes a finding go away, when a part of the solver is switched off, tells which
defect it is.

`python bench/switched.py` writes `bench/results/switched.md`.

Each wrong answer of the labelled sets `bench/dedup/*.json` that has a smaller trace is replayed on
its release, once as it is and once with each part switched off by one more option. Then all pairs
of findings of one solver are compared by the parts without which they go away. It needs the releases
in the cache ('murxpy releases SOLVER --add RELEASES').
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from itertools import combinations
from typing import Any

import common
import dedup
from common import table

from murxpy.errors import MurxpyError
from murxpy.findings.defects import needs_reduction
from murxpy.machine.tokens import Quoted
from murxpy.machine.trace.grammar import Line, parse_trace
from murxpy.oracles.crash import judge
from murxpy.processes.inquiries import Tester, replay_of
from murxpy.processes.limits import Limits
from murxpy.processes.plans import Request, make_plans

# Options that switch simplification, a rewriter or a part of the solver off, by family, with the
# spelling that sets one.
PARTS: dict[str, tuple[str, tuple[str, ...]]] = {
    "z3": (
        "set",
        (
            *("auto_config false", "elim_unconstrained false", "solve_eqs false"),
            *("propagate_values false", "rewriter.flat false", "relevancy 0", "mbqi false"),
            *("ematching false", "arith.nl false", "arith.solver 2", "string_solver none"),
        ),
    ),
    "cvc5": (
        "default",
        (
            *("simplification-mode none", "static-learning false", "nl-ext none"),
            *("nl-ext-rewrite false", "arith-rewrite-equalities false", "sort-inference false"),
            *("decision internal", "cegqi false", "e-matching false", "theoryof-mode type"),
            *("foreign-theory-rewrite false", "str-eager-solver false", "unconstrained-simp false"),
        ),
    ),
}


def without(text: str, family: str, part: str) -> str:
    """The trace with one more option, in its first script or behind its first line."""
    trace = parse_trace(text, "trace")
    lines = list(trace.lines)
    name, value = part.split()
    first = next((at for at, line in enumerate(lines) if line.action == "run-script"), None)
    if first is None:
        option = Line("set-option", [name, value], spelling=PARTS[family][0])
        return replace(trace, lines=[lines[0], option, *lines[1:]]).text()
    (script,) = (token for token in lines[first].args if isinstance(token, Quoted))
    module = "smt." if family == "z3" and "rewriter" not in name else ""
    longer = Quoted(f"(set-option :{module}{name} {value})\n{script.text}")
    args = [longer if token is script else token for token in lines[first].args]
    lines[first] = Line("run-script", args, spelling=lines[first].spelling)
    return replace(trace, lines=lines).text()


def shown(tester: Tester, text: str) -> tuple[str, int]:
    """The kind of finding that a replay shows, `ok` for none, and how many calls were refused."""
    (outcome, *_) = tester.fresh(replay_of(text))
    verdict, report = judge(outcome), outcome.report or {}
    kind = verdict.kind if verdict else str(report.get("status", outcome.cause))
    return kind, int(report.get("counts", {}).get("replay:refused", 0))


def findings() -> Iterator[dict[str, Any]]:
    """The labelled wrong answers with a smaller trace."""
    for file in sorted(dedup.SETS.glob("*.json")):
        entries = json.loads(file.read_text())["buckets"]
        for bucket, one in dedup.labelled(entries):
            if needs_reduction(bucket) and one["trace"]:
                yield one


def gone(tester: Tester, one: dict[str, Any]) -> tuple[str, ...] | None:
    """The parts without which a finding goes away; None where it does not show at all."""
    text = "".join(f"{row}\n" for row in one["trace"])
    kind, refused = shown(tester, text)
    if kind != one["kind"]:
        return None
    results = {
        part: shown(tester, without(text, one["solver"], part)) for part in PARTS[one["solver"]][1]
    }
    return tuple(part for part, (now, no) in results.items() if now != kind and no <= refused)


def measured() -> Iterator[tuple[dict[str, Any], tuple[str, ...]]]:
    """Each finding that shows on its release, with the parts without which it goes away."""
    by_release: dict[str, list[dict[str, Any]]] = {}
    for one in findings():
        release = one["version"].partition("-")[0]
        by_release.setdefault(f"{one['solver']}@{release}", []).append(one)
    for target, group in sorted(by_release.items()):
        try:
            (plan,) = make_plans(Request((target,)))
            tester = Tester(plan, Limits())
        except MurxpyError as error:
            print(f"{target}: {error}")
            continue
        with closing(tester):
            yield from ((one, parts) for one in group if (parts := gone(tester, one)) is not None)


def main() -> None:
    """Read the arguments, and measure."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0] if __doc__ else "")
    parser.add_argument("--no-save", action="store_true", help="write nothing under bench/results")
    args = parser.parse_args()
    found = list(measured())
    rows = [(one["solver"], one["version"], one["defect"], ", ".join(p) or "-") for one, p in found]
    header = ("solver", "release", "defect", "goes away with")
    table("What makes wrong answers go away", header, sorted(rows))
    right = wrong = apart = 0
    for (one, parts), (other, others) in combinations(found, 2):
        if one["solver"] == other["solver"]:
            same, alike = one["defect"] == other["defect"], parts == others
            right += bool(same and alike and parts)
            wrong += bool(not same and alike and parts)
            apart += bool(same and not alike)
    text = (
        f"{len(found)} findings, {sum(bool(parts) for _, parts in found)} of them go away with some option. "
        f"Pairs that go away with the same options: {right} of one defect, {wrong} of two. "
        f"Pairs of one defect that go away with other options: {apart}."
    )
    print(f"\n{text}")
    if not args.no_save:
        facts = common.circumstances(argparse.Namespace(theories="all"))
        lines = [
            f"Measured on {facts['date']} at commit {facts['commit']} with `{facts['command']}`. {text}",
            "",
            f"| {' | '.join(header)} |",
            f"|{'---|' * len(header)}",
            *(f"| {' | '.join(row)} |" for row in sorted(rows)),
        ]
        (common.RESULTS / "switched.md").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
