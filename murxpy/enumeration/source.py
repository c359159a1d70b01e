"""A run of an enumeration: the scripts of one block, one after another."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from murxpy.enumeration.blocks import Block, Blocks
from murxpy.machine import script, solve
from murxpy.machine.outcomes import Refused, Stopped
from murxpy.machine.run import Run
from murxpy.machine.witnesses.scripted import MODEL

_MODELS = "(set-option :produce-models true)\n"
_CHECK = "(check-sat)"


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
            solve.set_limit(run, limit, run.line_seed())
        models = "models" in run.script_checks
        for index in range(block.first, block.last + 1):
            made = block.grammar.whole(block.grammar.at(index))
            if models:
                made = _MODELS + made.replace(_CHECK, f"{_CHECK}\n({MODEL})")
            _test(run, f"enumerate:{block.grammar.name}:{block.grammar.size_at(index)}:", made)


def _test(run: Run, count: str, text: str) -> None:
    """Run a script, and count what came of it: its answers, or why there is none."""
    try:
        answers = script.answers_of(script.run_script(run, text, run.line_seed()))
    except Stopped:
        run.counts[f"{count}finding"] += 1
        raise
    except Refused as refused:
        run.counts[f"{count}{refused.sort}"] += 1
        return
    decided = [answer for answer in answers if answer in ("sat", "unsat")]
    run.counts[f"{count}{'+'.join(answers) if len(decided) == len(answers) else 'unknown'}"] += 1
