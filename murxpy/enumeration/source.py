"""A run of an enumeration: the scripts of one block, one after another."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from murxpy.enumeration.blocks import FINDING, Block, Blocks, outcome_of
from murxpy.enumeration.exhaustive import Exhaustive
from murxpy.machine import script, solve
from murxpy.machine.outcomes import Refused, Stopped
from murxpy.machine.run import Run
from murxpy.machine.witnesses.scripted import MODEL

_MODELS = "(set-option :produce-models true)\n"
_CHECK = "(check-sat)"
# The wall time of a check in units of its limit. One script in ten with real functions counts almost
# nothing towards the solver's own limit and runs for minutes; nearly all others end within the limit.
_WALL = 2.0


class Enumeration:
    """The enumeration of a session. `setup` is that of `Blocks`, and `check-ms` in it is the limit
    of a check in milliseconds of a usual machine.
    """

    def __init__(self, setup: Mapping[str, Any]) -> None:
        self.blocks = Blocks(setup)
        self._check_ms = float(setup["check-ms"])

    def rows(self, block: Block) -> list[str]:
        """The rows of a run's header."""
        return [
            "source enumerate",
            f"grammar {block.grammar.name}",
            f"indices {block.first} {block.last}",
        ]

    def run(self, run: Run, block: Block) -> None:
        """Test each script of a block. Raises Stopped for a finding, which ends the block."""
        solve.new(run, run.line_seed())
        limit = int(self._check_ms * run.wrapper.facts.limit_per_ms)
        if limit and run.wrapper.set("actions", "set-limit") is not None:
            wall_ms = max(1, int(_WALL * self._check_ms))
            solve.set_limit(run, limit, run.line_seed(), wall_ms=wall_ms)
        models = "models" in run.script_checks
        known = Exhaustive(block.grammar.head, run.catalogue)
        for index in range(block.first, block.last + 1):
            made = block.grammar.whole(block.grammar.at(index))
            if known.possible:
                _expect(run, known.answers(made))
            if models:
                made = _MODELS + made.replace(_CHECK, f"{_CHECK}\n({MODEL})")
            for came in _came(run, made):
                run.counts[block.counter(index, came)] += 1


def _expect(run: Run, answers: Sequence[str]) -> None:
    """Note the answers that all values of the constants give."""
    if any(answer != "unknown" for answer in answers):
        run.counts["enumerate-known"] += 1
        script.expect(run, answers, run.line_seed())


def _came(run: Run, text: str) -> Iterator[str]:
    """Run a script, and tell what came of it. Raises Stopped for a finding, which is told before."""
    try:
        answers = script.answers_of(script.run_script(run, text, run.line_seed()))
    except Stopped:
        yield FINDING
        raise
    except Refused as refused:
        yield refused.sort
    else:
        yield outcome_of(answers)
