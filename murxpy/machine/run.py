"""The text of a trace, written while its run goes on."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from time import thread_time_ns
from typing import Any, Protocol

from murxpy.errors import InputError
from murxpy.foreign import escaped
from murxpy.learning.arms import Signals
from murxpy.logic.catalogue import Catalogue
from murxpy.logic.sorts import Sort, SortTable
from murxpy.logic.terms import Term, TermTable
from murxpy.logic.typing import Checker
from murxpy.logic.walks import subterms
from murxpy.machine.database import Database, Entry
from murxpy.machine.outcomes import CONTRACT, EXCEPTION, WRONG_ANSWER, NoSpelling, Refused, Stopped
from murxpy.machine.planted import Planted
from murxpy.machine.random import Stream, mix, point
from murxpy.machine.state import SolverState
from murxpy.machine.tokens import FOREIGN_OBJECTS, quote
from murxpy.smtlib.printing.applications import Applications
from murxpy.smtlib.printing.terms import Unsayable
from murxpy.solvers.exceptions import ILL_FORMED, INVALID_MODEL, UNDOCUMENTED, Refusal
from murxpy.solvers.facts import Pairs
from murxpy.solvers.frame import Frame
from murxpy.solvers.spelling import Spelling, SpellingSet, run_spelling
from murxpy.solvers.wrapper import Wrapper


class Lines:
    """Writes lines with `write`. Text that belongs behind a line waits until the next line is
    written.
    """

    def __init__(self, write: Callable[[str], None]) -> None:
        self._write = write
        self._pending = ""

    def header(self, rows: Iterable[str]) -> None:
        """Write header lines (comments) before anything else."""
        self._write("".join(f"# {escaped(row)}\n" for row in rows))

    def write_line(self, start: str, words: str) -> None:
        """Write what is pending and a line of `start` and `words`, which may be empty."""
        self._write(f"{self._pending}{start} {words}\n" if words else f"{self._pending}{start}\n")
        self._pending = ""

    def result(self, text: str) -> None:
        """Note a result of the last line; it is written together with the next line."""
        self._pending += f"      {text}\n"

    def note(self, text: str) -> None:
        """Note a comment; it is written above the next line."""
        self._pending += "".join(f"# {escaped(row)}\n" for row in text.splitlines())

    def flush(self) -> None:
        """Write what is pending."""
        if self._pending:
            self._write(self._pending)
            self._pending = ""


# ----------------------------------------------------------------------
# Figures of a run: answers, distinct checks that were decided, terms that such a check
# contained, models and cores that were read.


class Meter:
    """Counts the figures that `bench/` and the status report; `docs/events.md` has the names of the
    counters.
    """

    def __init__(self, counts: defaultdict[str, int]) -> None:
        self.counts = counts
        self._decided: set[frozenset[int]] = set()
        self._useful: set[Term] = set()
        self._reached: set[Term] = set()
        self._model_due = False
        self._core_due = False
        self._line = ""  # the action of the last line, until its first call has ended

    def began(self, action: str) -> None:
        """Count a line of the trace, as tried."""
        self.counts[f"action:{action}"] += 1
        self._line = action

    def went_well(self) -> None:
        """Count the last line as ok, once. A line may make more calls than the one that it tells of:
        a check of a core solves the core again.
        """
        if self._line:
            self.counts[f"action-ok:{self._line}"] += 1
            self._line = ""

    def was_refused(self) -> None:
        """The call of the last line was refused. The calls that follow do not make it ok."""
        self._line = ""

    def answered(self, answer: str, state: SolverState) -> None:
        """Count an answer of a check."""
        counts = self.counts
        terms = [entry.term for entry in (*state.asserted(), *state.assumptions)]
        counts["check:total"] += 1
        counts[f"answer:{answer if answer in ('sat', 'unsat') else 'unknown'}"] += 1
        self._model_due, self._core_due = answer == "sat", answer == "unsat"
        counts["sat:total"] += self._model_due
        counts["unsat:total"] += self._core_due
        if not terms:
            return
        counts["check:asserted"] += 1
        counts["term:reached"] += _visit(terms, self._reached)
        if answer in ("sat", "unsat"):
            key = frozenset(term.serial for term in terms)
            if key not in self._decided:
                self._decided.add(key)
                counts["check:decided"] += 1
            counts["term:useful"] += _visit(terms, self._useful)

    def script(self, answers: list[str]) -> None:
        """Count the answers of a script's checks; each counts as a check with an assertion."""
        for answer in answers:
            self.counts["check:total"] += 1
            self.counts["check:asserted"] += 1
            self.counts[f"answer:{answer}"] += 1
            self.counts["check:decided"] += answer != "unknown"

    def asserted(self, term: Term) -> None:
        """A term was asserted."""
        self.counts["term:reached"] += _visit([term], self._reached)

    def model_read(self) -> None:
        """Count a model that was read; once for each answer `sat`."""
        self.counts["sat:model-read"] += self._model_due
        self._model_due = False

    def core_read(self) -> None:
        """Count a core, or unsat assumptions, that were read; once for each answer `unsat`."""
        self.counts["unsat:core-read"] += self._core_due
        self._core_due = False


def _visit(terms: Iterable[Term], seen: set[Term]) -> int:
    """Mark the operator terms below `terms`; gives how many were new."""
    return sum(not term.leaf for term in subterms(terms, seen=seen))


# ----------------------------------------------------------------------
# The objects that public callables gave in a run, by their ids. The sorts and terms of the run
# are not among them.


MOST = 60  # objects that a run keeps; it drops further objects at once


class Objects:
    """Objects by their numbers. A number names one object for the whole run, and is not used again
    after the object is gone.
    """

    def __init__(self) -> None:
        self.alive: dict[int, Any] = {}
        self._next = 1
        self._reserved = 0
        self._newest = 0

    def reserve(self, highest: int) -> None:
        """Reserve the numbers up to `highest` for lines of a trace that name them."""
        self._reserved = max(self._reserved, highest)

    def add(self, obj: Any, number: int | None = None) -> int:
        """Enter an object, under `number` if a number is given. The result is its number."""
        if number is None:
            number = max(self._next, self._reserved + 1)
            self._next = number + 1
        self.alive[number] = obj
        self._newest = number
        return number

    @property
    def newest(self) -> int:
        """The number that was entered last; 0 for none."""
        return self._newest

    @property
    def full(self) -> bool:
        """True if no more objects are to be kept."""
        return len(self.alive) >= MOST


# ----------------------------------------------------------------------
# The steps in which lines of contract mode handle objects of the binding. Contract mode
# composes its rules of these steps. A run makes them on the objects of the binding. The
# translation of a trace to a program overrides them: there each step writes a statement.


class Steps:
    """The steps, on the public callables of `wrapper` and the `objects` that they gave."""

    wrapper: Wrapper
    objects: Objects

    def apply(self, function: Callable[..., Any], *operands: Any) -> Any:
        """Call a function of this project on objects of the binding."""
        return function(*operands)

    def deferred(self, spelling: Spelling, frame: Frame, args: Sequence[Any] = ()) -> Any:
        """A function without parameters that makes a call."""
        return lambda: spelling.call(args, (), frame)

    def repeated(self, call: Callable[[], Any], count: int) -> Any:
        """The results of `count` calls."""
        return [call() for _ in range(count)]

    def stranger(self, name: str) -> Any:
        """A Python object that is none of the solver's, by its name in a trace."""
        return FOREIGN_OBJECTS[name]()

    def public(self, name: str) -> Any:
        """The public callable of this name. Raises Refused if this release of the binding does not
        have the object.
        """
        callee = self.wrapper.callables.callees.get(name)
        if callee is None:
            raise Refused(
                "unsupported", f"no public callable {name} in this release of {self.wrapper.name}"
            )
        return callee.call

    def of_object(self, name: str) -> bool:
        """True if the callable is a method, so that its first operand is the object of the method."""
        callee = self.wrapper.callables.callees.get(name)
        return callee is not None and callee.owner is not None

    def fits(self, name: str, operands: Sequence[Any]) -> bool:
        """True unless the callable is a method and its first operand is no object of its class."""
        callee = self.wrapper.callables.callees[name]
        return callee.owner is None or (bool(operands) and isinstance(operands[0], callee.owner))

    def constant(self, name: str) -> Any:
        """The member of this name of an enumeration of the binding. Raises Refused if this release
        does not have the constant.
        """
        if name not in self.wrapper.callables.constants:
            raise Refused(
                "unsupported", f"no constant {name} in this release of {self.wrapper.name}"
            )
        return self.wrapper.callables.constants[name]

    def holds(self, value: Any) -> bool:
        """True if the result of a public callable is an object, and not plain data."""
        return not isinstance(value, (type(None), bool, int, float, str, bytes))

    def handed_over(self, number: int) -> Any:
        """A list with the last reference of the run to an object that a public callable gave."""
        return [self.objects.alive.pop(number)]

    def made(
        self, function: Callable[..., Any], operands: Sequence[Any], named: Mapping[str, Any]
    ) -> Any:
        """The result of a public callable; `named` are operands that are passed by their names."""
        return function(*operands, **named)


# ----------------------------------------------------------------------
# One run: its own context, database, random stream and trace. This is the only place where the
# binding is called.


LINE_SEEDS = 100_000
TIMED = 16  # one line in so many is timed
# Actions that a binding may refuse as ill-formed, because they pass something new to it. If the
# binding says so of any other action, the fault is its own.
BUILDING = frozenset(
    [
        "mk-sort",
        "instantiate-sort",
        "mk-const",
        "mk-var",
        "mk-value",
        "mk-special-value",
        "mk-term",
        "mk-fun",
        "assert-formula",
        "assert-tracked",
        "set-option",
        "set-parameter",
        "set-logic",
        "run-script",
    ]
)
# The messages of helpers begin with this if the solver read a script and then failed in a check of
# it, which is the solver's own fault.
# An assertion builds no term. If a binding refuses one for a term in it, the solver has built that
# term itself.
ASSERTING = ("assert-formula", "assert-tracked")
SOLVING = "check error: "
_VARIABLE = re.compile(r"0x[0-9a-fA-F]+|\d+|\"[^\"]*\"|'[^']*'|\|[^|]*\||\([^()]*\)")


class Misuse(Protocol):
    """The misuse that breaks the next call; `murxpy.machine.misuse` has the implementations."""

    ready: bool

    def prepare(self, run: Run, chosen: Spelling) -> Spelling:
        """The spelling that is called instead."""

    def line(self, run: Run, action: str, spelling: str | None, words: str) -> tuple[str, str, str]:
        """Action, spelling and words of the line of the misuse."""

    def call(
        self,
        run: Run,
        spelling: Spelling,
        args: Sequence[Any],
        indices: Sequence[Any],
        action: str,
        operator: str,
    ) -> None:
        """Make the broken call. Raises Misused or Stopped."""


class Run(Lines, Steps):
    """The state of one run. No state of a run survives its end, and a run changes nothing outside
    itself.
    """

    asks = True  # the calls of this run reach a solver

    def __init__(
        self, wrapper: Wrapper, catalogue: Catalogue, seed: int, write: Callable[[str], None]
    ) -> None:
        super().__init__(write)
        self.wrapper = wrapper
        self.catalogue = catalogue
        self.seed = seed
        self.stream = Stream(mix(seed, 0))
        self.sorts, self.terms = SortTable(), TermTable()
        self.checker = Checker(catalogue, self.sorts)
        self.db = Database()
        self._applications: Applications | None = None
        self.frame = Frame(self.sort_object, self.applications)
        self.state = SolverState()
        self.planted: Planted | None = None  # a model of all assertions, see machine/planting
        self.counts: defaultdict[str, int] = defaultdict(int)
        self.meter = Meter(self.counts)
        self.script_checks = frozenset(["models", "cores"])  # of scripts, those that are judged
        # True while a check builds terms of what the solver gave, see murxpy/checks
        self.checking = False
        self.solver_ns = self.trace_ns = self.lines = self._symbols = 0
        self.differences: list[str] = []
        self.plants: list[str] = []  # a judge's model, as lines `plant`
        # of a replay, each behind its line: answers before and now; new refusals, with class and
        # message; the cost of a check and the reason for unknown
        self.answers: list[tuple[int, str, str]] = []
        self.refused: list[tuple[int, str, str]] = []
        self.costs: list[tuple[int, int | None, str]] = []
        self.spent: list[tuple[int, int]] = []  # what scripts cost, see `spent_of`
        self.confirmed: list[int] = []  # places of scripts whose answers need no other solver
        self._made: dict[Sort, Any] = {}
        self.misuse: Misuse | None = None  # the misuse that waits for the next call
        self.held: list[Any] = []  # what a misuse keeps beyond the state that gave it
        self.objects = Objects()  # what public callables of the binding gave
        self._elsewhere: Frame | None = None
        self.strangers: dict[
            int, Any
        ] = {}  # constants there, by the terms here that they stand for
        self.parameters: Pairs = ()  # of the process; the next `new` sets them first
        self.signals: Signals | None = None  # of a run of a campaign with guidance

    # -- lines

    def line_seed(self) -> int:
        """A seed for the next line, drawn from this step's stream."""
        return int(self.stream.random() * LINE_SEEDS)

    def begin(self, seed: int, action: str, spelling: str | None, words: str) -> None:
        """Write a line before the call that it describes."""
        # Reading the clock takes more than half of the time that it would measure.
        timed = self.lines % TIMED == 0
        start = thread_time_ns() if timed else 0
        if self.misuse is not None and self.misuse.ready:
            action, spelling, words = self.misuse.line(self, action, spelling, words)
        self.write_line(
            f"{seed:>6} {action}@{spelling}" if spelling else f"{seed:>6} {action}", words
        )
        self.lines += 1
        self.meter.began(action)
        if timed:
            self.trace_ns += TIMED * (thread_time_ns() - start)

    # -- calling the binding

    def choose(
        self, spellings: SpellingSet | None, seed: int, wanted: str | None, what: str
    ) -> Spelling:
        """The spelling for a call: the spelling `wanted`, or else the one that the line's seed
        selects.

        Raises Refused if this release has no such spelling, and InputError if the spelling `wanted`
        does not fit this call.
        """
        if spellings is not None:
            chosen = (
                spellings.named(wanted)
                if wanted is not None
                else spellings.pick(point(seed), self.frame)
            )
            if chosen is not None:
                if wanted is not None and not chosen.fits(self.frame):
                    raise InputError(
                        f"the spelling '{wanted}' of {what} does not fit the operands of this line"
                    )
                return chosen if self.misuse is None else self.misuse.prepare(self, chosen)
        missing = (
            f"no spelling '{wanted}' of {what}"
            if wanted is not None
            else f"no spelling of {what} fits"
        )
        raise NoSpelling("unsupported", f"{missing} in this release of {self.wrapper.name}")

    def call(
        self,
        spelling: Spelling,
        args: Sequence[Any],
        indices: Sequence[Any],
        action: str,
        operator: str = "",
    ) -> Any:
        """Make one call. Raises Refused if the binding refuses it, and Stopped if the exception of
        the binding is a finding.
        """
        if self.misuse is not None and self.misuse.ready:
            self.misuse.call(self, spelling, args, indices, action, operator)
        start = thread_time_ns()
        try:
            value = run_spelling(spelling, args, indices, self.frame, self.wrapper.conjunction)
        except Refused as refused:  # this release cannot make an operand, such as a sort object
            self.count_refusal(refused.sort, str(refused))
            self.result(f"refused {refused.sort} {quote(str(refused))}")
            raise
        except Unsayable as unsayable:  # the call is made of SMT-LIB, which cannot say it
            self.count_refusal("unsupported", str(unsayable))
            self.result(f"refused unsupported {quote(str(unsayable))}")
            raise Refused("unsupported", str(unsayable)) from None
        except (
            Exception,
            SystemExit,
        ) as error:  # whatever a binding throws is an outcome, not noise
            self.solver_ns += thread_time_ns() - start
            self._refuse(error, action, operator, spelling.name)
        self.solver_ns += thread_time_ns() - start
        self.counts[spelling.counter] += 1
        self.meter.went_well()
        return value

    def _refuse(self, error: BaseException, action: str, operator: str, spelling: str) -> None:
        refusal = self.wrapper.refusal(error)
        solving = (
            self.checking
            or action not in BUILDING
            or refusal.message.startswith(SOLVING)
            or (refusal.of_terms and action in ASSERTING)
        )
        if refusal.sort == ILL_FORMED and not refusal.ours and solving:
            # The solver accepted all terms when they were built. A sort error in a check or a
            # simplification is therefore its own fault, and so is a sort error in a result of the
            # solver.
            refusal = Refusal(UNDOCUMENTED, refusal.type, refusal.message)
        text = f"{refusal.type}: {refusal.message}"
        found = (EXCEPTION, "binding")
        if refusal.sort == INVALID_MODEL:
            refusal, found = replace(refusal, sort=UNDOCUMENTED), (INVALID_MODEL, "solver")
        self.count_refusal(refusal.sort, text)
        if operator:
            self.counts[f"op-refused:{operator}:{refusal.sort}"] += 1
        self.result(f"refused {refusal.sort} {quote(text)}")
        if refusal.sort in (UNDOCUMENTED, ILL_FORMED):
            ours = refusal.sort == ILL_FORMED
            kind, tier = (ILL_FORMED, "murxpy") if ours else found
            raise Stopped(self.finding(kind, tier, text, action, operator, spelling))
        raise Refused(refusal.sort, text)

    def judge(
        self, answer: str, action: str, spelling: str, operator: Callable[[], str] = str
    ) -> None:
        """Compare the answer of a check with the expected answer, if one is expected. The opposite
        answer is a finding, of a call of `operator()`.
        """
        expected = self.state.expected.pop(0) if self.state.expected else "unknown"
        self.counts["check:expected"] += expected != "unknown"
        if {expected, answer} == {"sat", "unsat"}:
            message = f"answered {answer}, expected {expected} by how the check was made"
            raise Stopped(
                self.finding(WRONG_ANSWER, "solver", message, action, operator(), spelling)
            )

    def count_refusal(self, sort: str, text: str) -> None:
        """Count a refusal by its class, and by its message without the parts that vary."""
        self.meter.was_refused()
        self.counts[f"refusal:{sort}"] += 1
        self.counts[f"refusal-message:{sort}:{_VARIABLE.sub('_', text)[:160]}"] += 1

    def finding(
        self, kind: str, tier: str, message: str, action: str, operator: str, spelling: str
    ) -> dict[str, Any]:
        """A finding as plain data."""
        return {
            "kind": kind,
            "tier": tier,
            "message": message,
            "action": action,
            "operator": operator or None,
            "spelling": spelling,
        }

    @contextmanager
    def binding_time(self) -> Iterator[None]:
        """Count the time that passes inside as time of the solver and the binding."""
        start = thread_time_ns()
        try:
            yield
        finally:
            self.solver_ns += thread_time_ns() - start

    # -- objects

    def sort_object(self, sort: Sort) -> Any:
        """The solver's object of a sort: the first one that a line returned and none deleted, or
        else an object that is made now, without a line.
        """
        for entry in self.db.sort_entries.get(sort, ()):
            if entry.obj is not None:
                return entry.obj
        known = self._made.get(sort)
        if known is None:
            known = self._made[sort] = self._make_sort(sort)
        return known

    def applications(self) -> Applications:
        """The printer of SMT-LIB for a solver that gets its terms as text."""
        if self._applications is None:
            self._applications = Applications(self.catalogue, self.wrapper.name)
        return self._applications

    def elsewhere(self) -> Frame:
        """A frame of another context with a solver in it, one for each run. The `sort_object` of the
        result makes sorts in that context.
        """
        if self._elsewhere is None:
            self._elsewhere = self.new_context()
        return self._elsewhere

    def new_context(self) -> Frame:
        """A frame of a new context with a solver in it."""
        frame = Frame(lambda sort: self._make_sort(sort, frame), self.applications)
        lifecycle = self.wrapper.spellings["lifecycle"]
        frame.ctx = lifecycle["new-context"].spellings[0].call((), (), frame)
        self.make_solver(frame)
        return frame

    def make_solver(self, frame: Frame, spelling: Spelling | None = None) -> None:
        """Make the solver of a frame. Of a binding whose solvers take their options when they are
        made, the object of the options is made now, and the solver when it is used for the first
        time. The run calls a `spelling` of `new` as a line of its trace does, for its own frame.
        """
        chosen = spelling or self.wrapper.spellings["lifecycle"]["new"].spellings[0]
        options = self.wrapper.set("lifecycle", "new-options")
        first, action = (options.spellings[0], "new-options") if options else (chosen, "new")
        made = self.call(first, (), (), action) if spelling else first.call((), (), frame)
        if options:
            frame.options = made
            frame.make_later(lambda: self.delayed_solver(frame, chosen))
        else:
            frame.solver = made

    def delayed_solver(self, frame: Frame, spelling: Spelling) -> Any:
        """Make the solver of a frame that has its options."""
        return spelling.call((), (), frame)

    def leave(self, frame: Frame) -> None:
        """Let go of the context and the solver of a frame."""
        frame.ctx = frame.solver = frame.options = None

    def drop_context(self) -> None:
        """Drop the context, and the sorts that no line returned."""
        self.frame.ctx = None
        self._made = {}

    def _make_sort(self, sort: Sort, of: Frame | None = None) -> Any:
        spellings = self.wrapper.set("sorts", sort.kind)
        if spellings is None or sort.kind in ("SORT_DT", "SORT_UNINTERPRETED"):
            raise Refused("unsupported", f"no way to make the sort {sort!r}")
        own = of or self.frame
        args = [own.sort_object(p) for p in sort.sorts()]
        frame = Frame(own.sort_object, self.applications).fill(result=sort)
        frame.ctx = own.ctx
        frame.make_later(lambda: own.solver)
        spelling = spellings.pick(0.0, frame)
        if spelling is None:
            raise Refused("unsupported", f"no spelling of {sort!r} fits")
        return spelling.call(args, (), frame)

    def forget(self) -> None:
        """Drop every object of the run. The time for this counts as time of the binding."""
        with self.binding_time():
            self._clear()

    def _clear(self) -> None:
        self.db = Database()
        self.sorts = SortTable()
        self.terms = TermTable()
        self.checker = Checker(self.catalogue, self.sorts)
        self.meter = Meter(self.counts)
        self.state = SolverState()
        self.wrapper = self.wrapper.whole
        self.planted = None
        self._made = {}
        self.frame.fill()
        self.frame.solver = self.frame.ctx = self.frame.options = None
        self._elsewhere = None
        self.strangers = {}
        self._applications = None
        self.held = []
        self.objects = Objects()

    def symbol(self, prefix: str) -> str:
        """A symbol that this run has not used: `_x12`."""
        self._symbols += 1
        return f"_{prefix}{self._symbols - 1}"

    def term_entry(
        self, term: Term, obj: Any, number: int | None, sort_number: int | None, pooled: bool = True
    ) -> Entry:
        """Enter a term that the last line returned, and write its id and that of its sort into the
        trace. A sort that no line returned before gets a new id.
        """
        entry = self.db.add_term(term, obj, number, self.state.level, pooled)
        known = self.db.sort_entries.get(term.sort)
        if known is None and term.sort.kind != "SORT_CASE":
            sort = self.db.add_sort(term.sort, self._sort_of(obj, term.sort), sort_number)
            self.result(f"return t{entry.id} s{sort.id}")
        elif known is None:
            self.result(f"return t{entry.id}")
        else:
            at = known[0].id
            if sort_number is not None and sort_number not in self.db.sorts:
                self.db.sorts[sort_number] = known[0]
                at = sort_number
            elif sort_number is not None and self.db.sorts[sort_number].sort is term.sort:
                at = sort_number
            self.result(f"return t{entry.id} s{at}")
        return entry

    def _sort_of(self, obj: Any, sort: Sort) -> Any:
        """The object of a term's sort, as the binding gives it. The sort of a function is made,
        because some bindings have only declarations of functions.
        """
        reader = self.wrapper.set("readers", "term-sort")
        if reader is None or sort.kind == "SORT_FUN":
            spelled = self.wrapper.set("sorts", sort.kind) is not None
            return self.sort_object(sort) if spelled else None
        self.frame.fill()
        try:
            return reader.spellings[0].call((obj,), (), self.frame)
        except Exception as error:  # a term whose sort cannot be read breaks the binding's contract
            tier = "murxpy" if self.wrapper.refusal(error).ours else "binding"
            raise Stopped(
                self.finding(
                    CONTRACT, tier, f"{type(error).__name__}: {error}", "term-sort", "", ""
                )
            ) from None
