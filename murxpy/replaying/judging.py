"""Judging: a solver answers the decided checks of a trace that another one wrote, on the same
assertions, in its own words.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from murxpy.actions.answering import read_script
from murxpy.checks.registry import ANSWERING, READERS, Reader, named
from murxpy.errors import InputError
from murxpy.machine import solve
from murxpy.machine.outcomes import Refused
from murxpy.machine.run import Run
from murxpy.machine.tokens import Quoted
from murxpy.machine.witnesses.scripted import without_questions
from murxpy.replaying.defuse import MAKERS, collected
from murxpy.trace.grammar import Line, Trace
from murxpy.trace.reading import Reading, Skipped

CHECKS = (*ANSWERING, "run-script")
DECIDED = ("sat", "unsat")
# undecided checks beyond the number of decided ones after which a judge gives a run up
PATIENCE = 5
_RESETS = named(lambda action: action.resets)
_STATE = named(lambda action: action.state and action.traced)


def decided_part(lines: Sequence[Line], changing: Sequence[str] = ()) -> list[Line]:
    """The lines that say what was asserted and assumed at the decided checks, and those that make
    the terms of these.

    Checks that do not record sat or unsat go. So do all behind an action of `changing`, which
    asserts more than the trace says, up to the next reset; and all behind a refused call that
    changes or asks the solver, which no binding promises to undo. A whole script runs in a solver
    of its own: one that is refused changes nothing for what follows.
    """
    kept: list[Line] = []
    last, changed = 0, False
    for line in lines:
        if line.result("refused") or line.result("raised"):
            if (line.action in CHECKS or line.action in _STATE) and line.action != "run-script":
                break
            continue
        changed = (changed or line.action in changing) and line.action not in ("delete", *_RESETS)
        answers = [str(tokens[0]) for name, tokens in line.results if name == "answer" and tokens]
        if line.action in CHECKS and not changed and any(answer in DECIDED for answer in answers):
            kept.append(line)
            last = len(kept)
        elif line.action in _STATE or line.action in MAKERS:
            kept.append(line)
    return list(collected(kept[:last]))


class _Judging:
    """One trace on its way through a run. `wishes`: see `judge`."""

    def __init__(self, run: Run, trace: Trace, wishes: dict[str, Any]) -> None:
        self.lines = decided_part(trace.lines, wishes.get("changing") or ())
        self.reading = Reading(run, trace)
        self.reading.foreign = True  # spellings, options and limits are this solver's own
        self.run = run
        self.wishes = wishes
        # of whole scripts, which are run in solvers of their own: the options that this solver
        # takes
        self.head = ""
        self.scoped = sum(line.action in CHECKS for line in self.lines) > 1 or any(
            line.action == "push" for line in self.lines
        )
        self.readers: dict[str, Reader] = {
            "new": self._new,
            "assert-tracked": _assert_tracked,
            "reset": self._reset,
            "reset-assertions": self._reset,
            "run-script": self._run_script,
        }

    def _new(self, r: Reading) -> None:
        solve.new(r.run, r.seed)
        self._set_limit(r)
        facts = r.run.wrapper.facts
        special = facts.forms.get("special-options") or {}
        pairs = [(name, value) for name, value in self._special().items() if name in special]
        theories = r.trace.header.get("theories")
        for theory, needed in facts.required_options.items():
            if theories is None or theory in theories.split(","):
                pairs += needed
        for name, value in pairs:
            self._set_option(r, name, value)
        more = {
            str(name): value
            for name, value in [
                *facts.judge_options,
                *(self.wishes.get("options") or ()),
            ]
        }
        taken = [
            (name, word)
            for name, value in more.items()
            if (word := self._set_option(r, name, value)) is not None
        ]
        self.head = "".join(
            f"(set-option :{facts.script_option_prefix}{name} {word})\n" for name, word in taken
        )

    def _set_option(self, r: Reading, name: str, value: Any) -> str | None:
        """Set it; gives the value as a word, None where this release does not take it: what is
        missing shows where it is used.
        """
        word = str(value).lower() if isinstance(value, bool) else str(value)
        try:
            solve.set_option(r.run, name, word, r.seed)
        except Refused:
            return None
        return word

    def _run_script(self, r: Reading) -> None:
        """The script without its questions: only its answers are compared, and a judge's own models
        are not the matter.
        """
        text = without_questions(r.text(0, "a script"))
        r.line = replace(r.line, args=[Quoted(text)])
        read_script(r, self.head)

    def _special(self) -> dict[str, str]:
        models = "true" if self.wishes.get("model") else "false"
        return {"incremental": str(self.scoped).lower(), "produce-models": models}

    def _set_limit(self, r: Reading) -> None:
        limit = int(self.wishes.get("limit") or 0)
        if limit and r.run.wrapper.set("actions", "set-limit") is not None:
            with contextlib.suppress(Refused):
                solve.set_limit(r.run, limit, r.seed)

    def _reset(self, r: Reading) -> None:
        """Whichever of the two the solver has: without its options and logic, which are not the
        trace's, they are the same.
        """
        if r.run.wrapper.set("actions", "reset-assertions") is not None:
            solve.reset_assertions(r.run, r.seed)
        else:
            solve.reset(r.run, r.seed)
            self._set_limit(r)

    def carry_out(self) -> None:
        """All lines, up to the first that this solver declines and without which its answers are to
        another question.

        A run of which this solver leaves many checks undecided is given up.
        """
        for line in self.lines:
            if self._hopeless():
                self.run.counts["judge:given-up"] += 1
                return
            self.reading.line = line
            try:
                (self.readers.get(line.action) or READERS[line.action])(self.reading)
            except (Refused, Skipped):
                if line.action in MAKERS:
                    self.reading.lost()
                    continue
                self.run.counts["judge:declined"] += 1
                # a script has a solver of its own: those behind it are the same questions
                if line.action != "run-script":
                    return
            except InputError as error:
                if error.file is not None:
                    raise
                raise InputError(
                    str(error), file=self.reading.trace.name, line=line.number
                ) from None
        if self.wishes.get("model"):
            self._model()

    def _hopeless(self) -> bool:
        """Whether more checks were left undecided than decided, and some more."""
        undecided = sum(now not in DECIDED for _, _, now in self.run.answers)
        return undecided > PATIENCE + len(self.run.answers) - undecided

    def _model(self) -> None:
        """The evaluation of all assertions under the model, where the last check is sat and the
        action is there.
        """
        reader: Callable[[Reading], None] | None = READERS.get("check-model")
        if reader is not None and self.run.state.has_model:
            self.reading.line = Line("check-model", seed=0)
            with contextlib.suppress(Refused, Skipped):
                reader(self.reading)


def _assert_tracked(r: Reading) -> None:
    solve.assert_formula(r.run, r.boolean(0), r.seed)


def judge(run: Run, trace: Trace, wishes: dict[str, Any]) -> None:
    """Answer the decided checks of `trace`; `run.answers` gets line, recorded answer and answer of
    each.

    `wishes`, each optional: `limit` of each check, in this solver's unit, 0 for none (those of the
    trace are its solver's own); `options`, names and values to set; `changing`, actions of the
    trace's solver that assert more than the trace says; `model`, evaluate all assertions under the
    model where the last answer is sat. Raises InputError for a malformed trace.
    """
    _Judging(run, trace, wishes).carry_out()
