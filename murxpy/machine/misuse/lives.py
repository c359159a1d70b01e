"""Stress of objects: the lines `misuse@RULE ids`, which copy, compare, keep, drop or hand over
objects of the run.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

from murxpy.logic.terms import CONSTANT, Term
from murxpy.machine.misuse import bad, protocols, stress
from murxpy.machine.misuse.armed import returned, threw
from murxpy.machine.misuse.rules import Rule
from murxpy.machine.outcomes import Refused
from murxpy.machine.run import Run
from murxpy.machine.tokens import Python, Ref, Token, print_token, quote
from murxpy.solvers.frame import Frame
from murxpy.solvers.spelling import Spelling

Stress = Callable[[Run, list[Any], Sequence[Token]], Any]
THREADS = 3  # threads, each with a context of its own
HANDED_OVER = 40  # terms that are dropped at once


def _on(function: Callable[..., Any]) -> Stress:
    def call(run: Run, operands: list[Any], words: Sequence[Token]) -> Any:
        fault = run.apply(function, *operands)
        if bad.CONTEXT in words:
            _living(run)
        return fault

    return call


def _living(run: Run) -> None:
    """Make something in the context, to check that it still works after it was stressed."""
    frame = run.frame.fill(result=run.sorts.get("SORT_BOOL"), name="alive")
    for section in ("sorts", "constants"):
        spellings = run.wrapper.sort_set(section, "SORT_BOOL")
        chosen = None if spellings is None else spellings.pick(0.0, frame)
        if chosen is not None:
            chosen.call((), (), frame)


def _constants(run: Run, frame: Frame, ref: Token) -> Spelling:
    """The spelling of a constant of the sort that `ref` names, with the frame filled for it."""
    if not isinstance(ref, Ref):
        raise Refused("unsupported", "no sort")
    sort = bad.sort_of(run, ref)
    frame.fill(result=sort, name="orphan")
    spellings = run.wrapper.sort_set("constants", sort.kind)
    chosen = None if spellings is None else spellings.pick(0.0, frame)
    if chosen is None:
        raise Refused("unsupported", f"no constant of {sort}")
    return chosen


def _orphan(run: Run, operands: list[Any], words: Sequence[Token]) -> Any:
    frame = run.new_context()
    orphans = run.repeated(run.deferred(_constants(run, frame, words[0]), frame), 1)
    run.leave(frame)
    return run.apply(stress.orphaned, orphans)


def _testament(run: Run, operands: list[Any], words: Sequence[Token]) -> Any:
    frame = run.new_context()
    heirs = run.repeated(run.deferred(_constants(run, frame, words[0]), frame), 2)
    run.apply(stress.bequeathed, heirs, frame.solver, frame.ctx)
    run.leave(frame)
    return run.apply(stress.collected)


def _handed_over(function: Callable[..., Any]) -> Stress:
    def call(run: Run, operands: list[Any], words: Sequence[Token]) -> Any:
        make = run.deferred(_constants(run, run.frame, words[0]), run.frame)
        operands.clear()
        return run.apply(
            function, run.repeated(make, HANDED_OVER), *([make] if function is stress.race else [])
        )

    return call


def _kept(run: Run, operands: list[Any], words: Sequence[Token]) -> Any:
    spellings = run.wrapper.set("actions", "get-assertions")
    if spellings is None:
        raise Refused("unsupported", "no assertions to get")
    found = spellings.spellings[0].call((), (), run.frame.fill())
    return run.apply(stress.counted, found, len(_plain(run)))


def _plain(run: Run) -> list[Term]:
    """The distinct constants that are asserted before anything else. No solver has a reason to drop
    such assertions.
    """
    leading = itertools.takewhile(lambda entry: entry.term.op == CONSTANT, run.state.asserted())
    return list(dict.fromkeys(entry.term for entry in leading))


def _recheck(run: Run, operands: list[Any], words: Sequence[Token]) -> Any:
    state = run.state
    frame = Frame(run.sort_object)
    frame.ctx = run.frame.ctx
    frame.solver = run.wrapper.spellings["lifecycle"]["new"].spellings[0].call((), (), frame)
    _spelled(run, frame, "set-limit", (), value=state.limit or 10_000)
    for entry in state.asserted():
        _spelled(run, frame, "assert-formula", (entry.obj,), terms=(entry.term,))
    return run.apply(stress.agree, state.answer or "", _spelled(run, frame, "check-sat", ()))


def _spelled(run: Run, frame: Frame, action: str, args: Sequence[Any], **operands: Any) -> Any:
    spellings = run.wrapper.set("actions", action)
    chosen = None if spellings is None else spellings.pick(0.0, frame.fill(**operands))
    if chosen is None:
        raise Refused("unsupported", f"no spelling of {action}")
    return chosen.call(args, (), frame)


def _held(run: Run, operands: list[Any], words: Sequence[Token]) -> Any:
    held, run.held = run.held, []
    return run.apply(stress.used_all, held)


def _survived(run: Run, operands: list[Any], words: Sequence[Token]) -> Any:
    operands.clear()
    word = words[0]
    if not isinstance(word, Ref) or word.letter != "x":
        raise Refused("unsupported", "the run needs it")
    return run.apply(stress.survived, run.handed_over(word.number))


def _reread(run: Run, operands: list[Any], words: Sequence[Token]) -> Any:
    reader = run.wrapper.set("readers", "reread")
    if reader is None:
        raise Refused("unsupported", "the wrapper does not say how literals are read")
    return run.apply(stress.told, run.deferred(reader.spellings[0], run.frame.fill(), operands))


def _spelling(run: Run, action: str) -> Spelling:
    spellings = run.wrapper.set("actions", action)
    chosen = None if spellings is None else spellings.pick(0.0, run.frame.fill())
    if chosen is None:
        raise Refused("unsupported", f"no spelling of {action}")
    return chosen


def _in_own_threads(run: Run, operands: list[Any], words: Sequence[Token]) -> Any:
    check = _spelling(run, "check-sat")
    frames = [run.new_context() for _ in range(THREADS)]
    makes = [run.deferred(_constants(run, frame, words[0]), frame) for frame in frames]
    return run.apply(stress.in_own_threads, makes, [run.deferred(check, frame) for frame in frames])


def _signalled(run: Run, operands: list[Any], words: Sequence[Token]) -> Any:
    return run.apply(stress.signalled, run.deferred(_spelling(run, "check-sat"), run.frame.fill()))


STRESS: dict[str, Stress] = {
    "copy": _on(protocols.copied),
    "deepcopy": _on(protocols.deeply_copied),
    "survive": _survived,
    "pickle": _on(protocols.pickled),
    "equality": _on(protocols.equality),
    "chain": _on(protocols.chained),
    "iterate": _on(protocols.iterated),
    "index": _on(protocols.indexed),
    "truth": _on(protocols.truth),
    "print": _on(protocols.texts),
    "reflected": _on(protocols.reflected),
    "cycle": _on(stress.knot),
    "finalizer": _testament,
    "exit": _on(stress.exits),
    "orphan": _orphan,
    "thread": _handed_over(stress.in_thread),
    "race": _handed_over(stress.race),
    "threads": _in_own_threads,
    "signal": _signalled,
    "reread": _reread,
    "kept": _kept,
    "recheck": _recheck,
    "held": _held,
}


# the number of words on a line of the rule; 1 for rules that do not stand here
LEAST = {"chain": 2, "index": 2, "reflected": 2, "kept": 0, "recheck": 0, "held": 0, "signal": 0}
MANY = ("cycle", "exit")  # rules that take more than one id
SORTED = ("orphan", "thread", "race", "threads", "finalizer")  # rules that take a sort
# rules that need the run's context
LIVING = ("thread", "race", "kept", "recheck", "reread", "signal")


def sensible(run: Run, rule: Rule) -> bool:
    """Whether the rule can show anything now. For example, a recheck needs an answer to compare
    with, and a count needs assertions to count.
    """
    state = run.state
    if rule.name == "recheck":
        return state.answer in ("sat", "unsat") and not state.assumptions
    if rule.name == "signal":  # the check ends by itself, and is one that the solver's state allows
        allowed = run.frame.solver is not None and (state.incremental or not state.checks)
        return allowed and state.limit is not None and bool(state.asserted())
    return rule.name != "kept" or bool(_plain(run))


def do(run: Run, rule: Rule, words: Sequence[Token], seed: int) -> bool:
    """`misuse@RULE words`: stress the objects that the words name; True if the binding refused.
    Raises Stopped with a finding, and Refused if the stress cannot be carried out.
    """
    if not sensible(run, rule):
        raise Refused("unsupported", f"'{rule.name}' says nothing in this state")
    run.begin(seed, "misuse", rule.name, " ".join(map(print_token, words)))
    run.counts[f"misuse:{rule.name}"] += 1
    what = _what(run, words)
    operands = [word.value if isinstance(word, Python) else bad.make(run, [word]) for word in words]
    try:
        with run.binding_time():
            fault = STRESS[rule.name](run, operands, words)
    except Refused as refused:
        run.result(f"refused {refused.sort} {quote(str(refused))}")
        raise
    except (Exception, SystemExit) as error:  # whatever a binding throws is an outcome
        thrown = run.wrapper.contract.judge(error, run.wrapper.refusals)
        error.__traceback__ = None
    else:
        returned(run, rule, fault, what)
        return False
    threw(run, rule, thrown, what)
    return True


def _what(run: Run, words: Sequence[Token]) -> str:
    """The kind of object that is stressed, which names the bucket: a term, a sort, the solver or
    the context.
    """
    return next((_kind(run, word) for word in words if isinstance(word, Ref)), "")


def _kind(run: Run, ref: Ref) -> str:
    named = {"t": "term", "s": "sort", "o": "solver", "c": "context"}
    return named.get(ref.letter) or type(run.objects.alive.get(ref.number)).__name__
