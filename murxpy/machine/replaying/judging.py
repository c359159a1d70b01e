"""Judging: a solver answers the checks of a trace that another solver wrote."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from murxpy.errors import InputError
from murxpy.machine import solve
from murxpy.machine.actions.asking import read_script
from murxpy.machine.checks.registry import ANSWERING, READERS, Reader, named
from murxpy.machine.outcomes import Refused
from murxpy.machine.planting import model_as_plants
from murxpy.machine.replaying.defuse import MAKERS, collected
from murxpy.machine.run import Run
from murxpy.machine.tokens import Quoted
from murxpy.machine.trace.grammar import Line, Trace
from murxpy.machine.trace.reading import Reading, Skipped
from murxpy.machine.witnesses.script_evidence import without_questions
from murxpy.machine.witnesses.slowness import Spending

CHECKS = (*ANSWERING, "run-script")
DECIDED = ("sat", "unsat")
# A judge gives a trace up when its undecided checks outnumber the decided ones by more than this.
PATIENCE = 5
_RESETS = named(lambda action: action.resets)
_STATE = named(lambda action: action.state and action.traced)


def decided_part(lines: Sequence[Line], changing: Sequence[str] = ()) -> list[Line]:
    """Keep the checks that were answered, the lines on which these answers depend, and no others.

    A check that does not record sat or unsat is left out. An action of `changing` asserts more than
    the trace says, so everything behind it is left out up to the next reset. No binding promises to
    undo a refused call, so everything behind a refused change or check is left out, too. A whole
    script runs in a solver of its own, so a refused script changes nothing for the lines behind it.
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
        elif line.action in _STATE or line.action in MAKERS or _higher_order(line):
            kept.append(line)
    return list(collected(kept[:last]))


def _higher_order(line: Line) -> bool:
    """Whether the line sets a logic in which functions are values. Solvers refuse some terms in any
    other logic; otherwise the logic of a trace changes no answer, and judges have none.
    """
    return line.action == "set-logic" and any(str(word).startswith("HO_") for word in line.args)


class _Judging:
    """A judge at work on one trace; `judge` says what `options` are."""

    def __init__(self, run: Run, trace: Trace, options: dict[str, Any]) -> None:
        self.lines = decided_part(trace.lines, options.get("changing") or ())
        only = options.get("only")
        if only:  # a script has a solver of its own, so the others need it not
            self.lines = [
                line for line in self.lines if line.action != "run-script" or line.number in only
            ]
        self.reading = Reading(run, trace)
        self.reading.foreign = True  # use the spellings, options and limits of this solver
        self.run = run
        self.options = options
        # the options that this solver takes, for whole scripts, which run in solvers of their own
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
            "set-logic": _set_logic,
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
                *(self.options.get("options") or ()),
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
        """Set an option, and give its value as a word. The value is None where this release does
        not take the option; a line that needs it fails later.
        """
        word = str(value).lower() if isinstance(value, bool) else str(value)
        try:
            solve.set_option(r.run, name, word, r.seed)
        except Refused:
            return None
        return word

    def _run_script(self, r: Reading) -> None:
        """Run the script without commands like get-model: only its answers are compared."""
        other = (self.options.get("scripts") or {}).get(str(r.line.number))
        text = without_questions(r.text(0, "a script") if other is None else other)
        r.line = replace(r.line, args=[Quoted(text)])
        spending = Spending(self.run)
        read_script(r, self.head, reasons=bool(self.options.get("reasons")))
        cost = spending.passed()
        if cost:
            self.run.spent.append((r.line.number, cost))

    def _special(self) -> dict[str, str]:
        models = "true" if self.options.get("model") else "false"
        return {"incremental": str(self.scoped).lower(), "produce-models": models}

    def _set_limit(self, r: Reading) -> None:
        limit = int(self.options.get("limit") or 0)
        if limit and r.run.wrapper.set("actions", "set-limit") is not None:
            with contextlib.suppress(Refused):
                solve.set_limit(r.run, limit, r.seed, wall_ms=self._wall_ms(r.trace, limit))

    def _wall_ms(self, trace: Trace, limit: int) -> int:
        """The wall time of each check of a script, in milliseconds: that of the trace, or twice what
        this solver's own limit usually takes. The limit is 0 if the trace has none.
        """
        recorded = [
            line.args[1] for line in trace.lines if line.action == "set-limit" and line.args[1:]
        ]
        usual = int(2 * limit / self.run.wrapper.facts.limit_per_ms)
        return max(int(str(recorded[0])), usual) if recorded else 0

    def _reset(self, r: Reading) -> None:
        """Do whichever reset the solver has: with no options or logic of the trace set, both do the
        same.
        """
        if r.run.wrapper.set("actions", "reset-assertions") is not None:
            solve.reset_assertions(r.run, r.seed)
        else:
            solve.reset(r.run, r.seed)
            self._set_limit(r)

    def carry_out(self) -> None:
        """Carry out the lines until the solver declines one that its later answers depend on.

        The trace is given up when the solver leaves many checks undecided.
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
                # a script has a solver of its own, so later checks do not depend on it
                if line.action != "run-script":
                    return
            except InputError as error:
                if error.file is not None:
                    raise
                raise InputError(
                    str(error), file=self.reading.trace.name, line=line.number
                ) from None
        if self.options.get("model"):
            self._model()

    def _hopeless(self) -> bool:
        """Whether so many checks were left undecided that the trace is given up."""
        undecided = sum(now not in DECIDED for _, _, now in self.run.answers)
        return undecided > PATIENCE + len(self.run.answers) - undecided

    def _model(self) -> None:
        """Evaluate all assertions under the model, if the last answer is sat and the action is
        there.
        """
        reader: Callable[[Reading], None] | None = READERS.get("check-model")
        if reader is not None and self.run.state.has_model:
            self.reading.line = Line("check-model", seed=0)
            with contextlib.suppress(Refused, Skipped):
                reader(self.reading)
                if self.options.get("values"):
                    self.run.plants = model_as_plants(self.run)


def _set_logic(r: Reading) -> None:
    # a solver without the logic may take the terms all the same
    with contextlib.suppress(Refused):
        READERS["set-logic"](r)


def _assert_tracked(r: Reading) -> None:
    solve.assert_formula(r.run, r.boolean(0), r.seed)


def judge(run: Run, trace: Trace, options: dict[str, Any]) -> None:
    """Answer the decided checks of `trace`; `run.answers` gets the line, the recorded answer and
    the answer of each.

    All `options` are optional. `limit` is that of each check in this solver's unit, 0 for none.
    `options` are names and values to set. `changing` are actions of the trace's solver that assert
    more than the trace says. `scripts` has scripts in the words of this solver, by the lines that run
    them; with `only`, the scripts on no other lines are answered. With `reasons`, an answer unknown to
    a script is `gave-up` where no limit ended the check. With `model`, all assertions are evaluated
    under the model if the last answer is sat; with `values`, too, `run.plants` gets the values of the
    constants. Raises InputError for a malformed trace.
    """
    _Judging(run, trace, options).carry_out()
