"""Reducing a mutant that a rule of implication made of a script which the solver decides, and that the
solver leaves unknown or answers with the opposite: both scripts become smaller together.

Of each candidate, the solver decides the script before the step, the recorded rule leads from there to
the mutant at one place, and the solver gives up on the mutant or gives it the opposite answer. A candidate is one script, in which the
place holds `(ite false NEW OLD)`: with NEW there it is the mutant, and with OLD the script before it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from murxpy.data import load_catalogue
from murxpy.errors import InputError
from murxpy.findings.buckets import bucket_key
from murxpy.findings.scripted import Scripted, answers_in, trace_of, up_to_finding
from murxpy.fuzzers.setups import proved_rules
from murxpy.logic.catalogue import build_catalogue
from murxpy.logic.terms import VALUE, Term
from murxpy.machine.random import Stream
from murxpy.machine.tokens import Quoted, quote
from murxpy.machine.trace.grammar import Trace
from murxpy.machine.witnesses import unknowns
from murxpy.oracles.crash import judge
from murxpy.oracles.disagreement import OPPOSITE
from murxpy.passes.script import Commands, changed, terms
from murxpy.processes.inquiries import replay_of
from murxpy.reduction.pipeline import Minimized, Task
from murxpy.reduction.scripts import Printed, ScriptPredicate, reduce_printed
from murxpy.smtlib.building import substituted
from murxpy.smtlib.printing.scripts import print_script
from murxpy.smtlib.printing.terms import Unsayable
from murxpy.smtlib.reading.scripts import read_script
from murxpy.smtlib.script import Assert, Command, Pop, Push, Script, SetInfo
from murxpy.sources.mutation.implications.book import Book
from murxpy.sources.mutation.implications.instances import Instances, Normal
from murxpy.sources.mutation.known import SEEDS, TWICE, plain, seeded
from murxpy.sources.mutation.occurrences import Occurrence, Occurrences, replaced

_ITE, _ASSERT = "OP_ITE", "(assert"
_PART = "part"  # names the commands that divide what is read
_LOGIC = re.compile(r"^\(set-logic \w+\)\n", re.M)
_STEP = re.compile(r"^# \w+: (\w+:[\w.-]+), ", re.M)  # what a fuzzer writes above a mutant


@dataclass(frozen=True)
class Both(Printed):
    """The mutant, and the text of the script that it was made from."""

    before: str


class Pair:
    """A mutant and the script that it was made from by the rule of `book`, named `rule`, as one script.
    `sign` is that of assertions: 1 where the answer is sat, and -1 where it is unsat.
    """

    def __init__(self, script: Script, book: Book, sign: int, dialect: str, rule: str) -> None:
        self.script, self.rule = script, rule
        self._instances = Instances(script.tables, book)
        self._sign, self._dialect = sign, dialect

    def both(self, commands: Commands) -> Both:
        """The two scripts of a candidate. The texts are empty where the rule does not lead from the
        one to the other at one place.
        """
        place = _place(commands, self.script)
        if place is None:
            return Both(self.script, "", "")
        joined = place.term
        _, new, old = joined.args
        if not self._instances.leads(Occurrence(old, place.above), new, self._sign):
            return Both(self.script, "", "")
        after, before = (self._with(commands, joined, part) for part in (new, old))
        try:
            texts = [print_script(one, self._dialect) for one in (after, before)]
        except Unsayable:
            return Both(self.script, "", "")
        return Both(after, texts[0], texts[1])

    def _with(self, commands: Commands, joined: Term, part: Term) -> Script:
        tables = self.script.tables
        put = partial(substituted, tables, new={joined: part})
        return Script(self.script.name, tables, [changed(one, put) for one in commands])


def _place(commands: Commands, script: Script) -> Occurrence | None:
    """The one place of `(ite false NEW OLD)` among the assertions; None where there is not just one."""
    found = [term for term in terms(commands) if _joins(term)]
    roots = [command.term for command in commands if isinstance(command, Assert)]
    if len(found) != 1:
        return None
    sizes = Occurrences(script.tables.catalogue, lambda term: term is found[0])
    with_it = [root for root in roots if sizes.count(root)]
    if len(with_it) != 1 or sizes.count(with_it[0]) != 1:
        return None
    return sizes.draw(with_it[0], Stream(0))


def _joins(term: Term) -> bool:
    return term.op == _ITE and term.args[0].op == VALUE and term.args[0].indices[0] is False


def pair_of(task: Task, source: Scripted, trace: Trace, text: str) -> Pair | None:
    """The mutant that a trace of this text runs last, with the latest script before it from which its
    rule leads to it; None where there is none. The mark of the mutant names the rule, or else the comment
    that its fuzzer wrote above it.
    """
    right = next((answer for answer in source.expected if answer in OPPOSITE), "")
    rule = unknowns.rule_of(source.text) or next(iter(_STEP.findall(text)[-1:]), "")
    rules = _rules(rule)
    if not rules or not right:
        return None
    catalogue = build_catalogue(task.plan.setup.get("catalogue") or load_catalogue())
    book = Book(rules, catalogue)
    sign = 1 if right == "sat" else -1
    after = plain(unknowns.unmarked(source.text))
    for before in decided_before(trace, right):
        try:
            joined = _joined(
                read_script(_parts(plain(before), after), task.name, catalogue), book, sign
            )
        except InputError:
            continue
        if joined is not None:
            return Pair(joined, book, sign, task.plan.target.family, rule)
    return None


def _rules(rule: str) -> list[dict[str, object]]:
    """The rule that a mark names, if it is a shipped one."""
    book, _, name = rule.partition(":")
    try:
        return [one for one in proved_rules((name,)) if one["book"] == book] if name else []
    except InputError:
        return []


def decided_before(trace: Trace, right: str) -> Iterator[str]:
    """The scripts that the trace runs before its last one and that were decided so, latest first."""
    for line in reversed(up_to_finding(trace)[:-1]):
        text = line.args[0] if line.action == "run-script" and line.args else None
        answers = [str(words[0]) for name, words in line.results if name == "answer"]
        if isinstance(text, Quoted) and right in answers and not unknowns.is_marked(text.text):
            yield text.text


def _parts(before: str, after: str) -> str:
    """One text of two scripts: what they begin with in common, and what is left of each in a scope of
    its own, so that both have the same sorts, functions and constants.
    """
    logic = _LOGIC.search(after)
    one, other = (_LOGIC.sub("", text).splitlines() for text in (before, after))
    same = next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), 0)
    scopes = [
        f"(set-info :{_PART} 0)\n(push 1)\n{{}}\n(pop 1)".format("\n".join(lines[same:]))
        for lines in (one, other)
    ]
    head = [logic[0].strip()] if logic else []
    return "\n".join([*head, *one[:same], *scopes])


def _joined(script: Script, book: Book, sign: int) -> Script | None:
    """The two scripts that `_parts` put together as one, in which a place holds `(ite false NEW OLD)`;
    None if no rule of the book makes the one from the other.
    """
    cuts = [
        at for at, c in enumerate(script.commands) if isinstance(c, SetInfo) and c.name == _PART
    ]
    head = script.commands[: cuts[0]]
    before, after = (
        [*head, *_scope(script.commands[low + 1 : high])]
        for low, high in zip(cuts, [cuts[1], len(script.commands)], strict=True)
    )
    normal = Normal(script.tables)
    ones = [normal.of(c.term) for c in before if isinstance(c, Assert)]
    after = [changed(c, normal.of) if isinstance(c, Assert) else c for c in after]
    others = [(at, c.term) for at, c in enumerate(after) if isinstance(c, Assert)]
    if len(ones) != len(others):
        return None
    apart = [(one, at, new) for one, (at, new) in zip(ones, others, strict=True) if new is not one]
    if len(apart) != 1:
        return None
    ((old, at, new),) = apart
    root = _with_hole(script, book, (old, new), sign)
    if root is None:
        return None
    after[at] = changed(after[at], lambda _: root)
    return Script(script.name, script.tables, after)


def _with_hole(script: Script, book: Book, roots: tuple[Term, Term], sign: int) -> Term | None:
    """An assertion in which the place that a rule changed holds `(ite false NEW OLD)`; None if no rule
    leads from the first root to the second.
    """
    step, tables = Instances(script.tables, book).step(*roots, sign), script.tables
    if step is None:
        return None
    false, old = tables.value(tables.sort("SORT_BOOL"), False), step.place.term
    hole = tables.terms.apply(_ITE, (false, step.new, old), (), old.sort)
    return replaced(tables, step.place, hole)


def _scope(commands: Sequence[Command]) -> Sequence[Command]:
    """The lines between the first `push` and the last `pop`."""
    first = next(at for at, c in enumerate(commands) if isinstance(c, Push))
    last = max(at for at, c in enumerate(commands) if isinstance(c, Pop))
    return commands[first + 1 : last]


class _PairPredicate(ScriptPredicate):
    """The target gives up on the mutant, or answers it wrongly, and decides the script that it was made
    from.
    """

    unseen = "the mutant and the script before it do not show the finding after they were parsed and printed"

    def __init__(self, task: Task, source: Scripted, rule: str) -> None:
        super().__init__(task, source, ())
        self._given_up = bool(
            self._mark
        )  # it was asked with a larger limit and several random seeds
        mark = unknowns.marked("", False, implied=rule)
        self._mark = seeded(self._mark, SEEDS[-1]) if self._given_up else mark

    def _stands(self, candidate: Printed) -> bool:
        return answers_in(self._target.run(self._before(candidate)))[-1:] == [self._right]

    def _before(self, candidate: Printed) -> Scripted:
        assert isinstance(candidate, Both)
        return Scripted(candidate.before, (), self._limit // (TWICE if self._given_up else 1))

    def result(self, best: Printed) -> tuple[str, str]:
        """The trace runs both scripts, one behind the other."""
        before = trace_of(self._before(best), self._target.tester.release)
        after = self._asked(best)
        assert after is not None, "the best candidate was asked about"
        limit = f"1 set-limit {after.limit}\n" if after.limit else ""
        expect = f"1 expect {' '.join(after.expected)}\n"
        text = f"{before}{limit}{expect}1 run-script {quote(after.text)}\n"
        outcome = self._target.tester.fresh(replay_of(text))[0]
        verdict = judge(outcome)
        key = self.key if verdict is None else bucket_key(self._target.family, verdict)
        return key, outcome.trace or text


def minimize_pair(task: Task, source: Scripted, pair: Pair) -> Minimized:
    """Make a mutant and the script that it was made from smaller. The sizes in the result are those
    of the mutant, in characters. Raises InputError if the scripts do not show the finding.
    """
    predicate = _PairPredicate(task, source, pair.rule)
    return reduce_printed(task, source, pair.script, predicate, pair.both)
