"""A run of a mutation fuzzer. Seeds are drawn, mutants are made in a chain, and the answers to each
mutant are compared with what is known of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from murxpy.errors import InputError
from murxpy.machine import script, solve
from murxpy.machine.outcomes import WRONG_ANSWER, Refused, Stopped
from murxpy.machine.random import Stream, mix
from murxpy.machine.run import Run
from murxpy.machine.signals import expect_scripts
from murxpy.smtlib.printing.chains import ChainPrinter
from murxpy.smtlib.printing.scripts import print_script
from murxpy.smtlib.printing.terms import Unsayable
from murxpy.smtlib.problems import HORN
from murxpy.smtlib.script import CheckSatUsing, Script, Simplify
from murxpy.solvers.facts import Pairs
from murxpy.sources.mutation.corpus import Corpus
from murxpy.sources.mutation.implications.book import Book
from murxpy.sources.mutation.known import MODELS, Answered, Doubts, asking, denied, drawn, fitting
from murxpy.sources.mutation.lifted import ApiRunner
from murxpy.sources.mutation.options import NOTHING, Drawer, Patience, decided
from murxpy.sources.mutation.preparing import Logics, declaring, in_logic, views
from murxpy.sources.mutation.registry import API, FUZZERS, entry_of
from murxpy.sources.mutation.term_store import TermStore
from murxpy.sources.mutation.varied import Sampling
from murxpy.sources.mutation.workshop import Mutant, Mutants, MutationSession, Seed, Workshop
from murxpy.sources.setups import SourcesSetup

OWN_LOGIC = 0.75  # the share of runs whose scripts name their own logic
LONGEST = 8 << 20  # characters of mutants in a run; a trace has room for four times as many
UNKNOWNS = 0x5A77  # the key of the random stream that draws whether runs ask about unknown answers
LATE = 0x1A7E  # the key of the random stream that draws whether runs ask with a large limit
ASKED = 3  # unknown answers of one run that are asked about, at most
PROMISES = 0x9207  # the key of the random stream that draws what mutants ask for
# ways for mutants to reach the solver: its reader of scripts, and either this or its API (`api`)
TEXT, BOTH = "text", "both"


class Sources:
    """The sources of a session's runs.

    `offer` are the options that scripts can set; `promises` are the shares of runs whose mutants ask
    for evidence. `stability` is the share of mutants of which variants are asked, for statistics.
    """

    def __init__(self, setup: SourcesSetup, shop: MutationSession) -> None:
        self.shop = shop
        if setup.get("dialect"):
            shop.speak(str(setup["dialect"]))
        self._walk = int(setup["walk"])
        self._check_ms = float(setup["check-ms"])
        self._through = str(setup.get("through") or TEXT)
        self.stability = float(setup.get("stability") or 0.0)
        self._choices: dict[str, dict[str, Any]] = setup.get("choices") or {}
        self.corpus = Corpus(setup["seeds"], setup["mix"], self._choices)
        if setup.get("terms"):
            shop.terms = TermStore(str(setup["terms"]))
        if setup.get("rules"):
            everywhere = any(own.get("all_fragments") for own in self._choices.values())
            shop.book = Book(setup["rules"], shop.catalogue, shop.operators, undecided=everywhere)
        self.offer = NOTHING
        # the share of runs that ask why a satisfiable mutant gets unknown
        self.unknowns = 0.0
        # the share of runs that ask again, with a large limit, what a limit ended
        self.late = 0.0
        # the shares of runs that ask for `models` (`models-open` for chains) and for `cores`
        self.promises: Mapping[str, float] = {}

    @property
    def asking(self) -> list[str]:
        """The sources that ask the solver about a seed in the words of SMT-LIB."""
        return [name for name in self.corpus.sources if entry_of(name).asks]

    @property
    def reading(self) -> bool:
        """Whether the solver must read scripts, because mutants are scripts, or because Storm asks
        about a seed.
        """
        return self._through != API or bool(self.asking)

    def draw(self, run_seed: int) -> tuple[str, list[Seed] | None]:
        """The source of the run with this seed, and the seeds of that run; None in their place where it
        is a walk.
        """
        drawn = self.corpus.draw(run_seed)
        if drawn.source not in FUZZERS:
            return drawn.source, None
        return drawn.source, [self.corpus.seeds[number] for number in drawn.seeds]

    def run(self, run: Run, name: str, seeds: Sequence[Seed], options: Pairs = ()) -> None:
        """Make and run the mutants of one run, which set `options`, and others at random."""
        if not seeds and not FUZZERS[name].seedless:
            run.counts[f"mutator:{name}:no-seed"] += 1
            return
        api = self._through == API or (self._through == BOTH and run.stream.chance(0.5))
        own = self._choices.get(name) or {}
        chain = _Chain(run, name, self, seeds, own, api, options)
        chain.run(self._walk, self._check_ms)


class _Chain:
    """The mutants of one run."""

    def __init__(
        self,
        run: Run,
        name: str,
        sources: Sources,
        seeds: Sequence[Seed],
        choices: dict[str, Any],
        api: bool,
        options: Pairs,
    ) -> None:
        shop = sources.shop
        self._run = run
        self._offer = sources.offer
        self._api = api
        self._runner: ApiRunner | None = None
        self._name = name
        self._labels = FUZZERS[name].labels(choices)
        self._workshop = Workshop(shop, run.stream, seeds, self._ask, choices)
        self._dialect = shop.dialect
        self._printer = ChainPrinter(self._workshop.tables, shop.dialect)
        self._own_logic = run.stream.chance(OWN_LOGIC)
        self._options = Drawer(self._offer, run.stream, seeds, options, calls=api)
        run.parameters = (*run.parameters, *self._options.parameters)
        chances = sources.promises
        if FUZZERS[name].chained:  # the answers to their mutants are not known
            chances = {**chances, MODELS: chances.get(f"{MODELS}-open", 0.0)}
        if FUZZERS[name].modelled and seeds[0].label != "unsat" and MODELS in chances:
            chances = {MODELS: 1.0}
        self._promised = drawn(chances, Stream(mix(run.seed, PROMISES)))
        asks = Stream(mix(run.seed, UNKNOWNS)).chance(sources.unknowns)
        implies = FUZZERS[name].implies
        late = Stream(mix(run.seed, LATE)).chance(sources.late)
        left = ASKED if (asks or implies) and not api else 0
        self._doubts = Doubts(run, left, implies, late)
        self._output = ""  # what the solver printed for the last mutant
        self._sampling = Sampling(run, 0.0 if api else sources.stability, shop.dialect)
        self._logics: Logics | None = None
        self._written = 0  # characters of all mutants

    def run(self, length: int, check_ms: float) -> None:
        """Make `length` mutants, and test each one as soon as it is made."""
        run = self._run
        limit = 0
        if run.wrapper.set("actions", "set-limit") is not None:
            limit = max(1, int(check_ms * run.wrapper.facts.limit_per_ms))
        solve.new(run, run.line_seed())
        expect_scripts(run)
        self._limit(limit)
        if self._api:
            self._runner = ApiRunner(run, self._workshop.tables)
        try:
            self._make(length, Patience(limit))
        finally:
            run.counts[f"mutator:{self._name}:spent"] += self._spent()

    def _make(self, length: int, patience: Patience) -> None:
        run = self._run
        make = FUZZERS[self._name].mutants
        assert make is not None, self._name
        mutants = make(self._workshop)
        mutant = self._next(mutants, None)
        if mutant is None:
            run.counts[f"mutator:{self._name}:barren"] += 1
        self._options.keep(self._workshop.options)
        first = True
        for place in self._workshop.unreadable:
            run.counts[f"unreadable:{place}"] += 1
        for _ in range(length):
            if mutant is None or patience.over or self._written + self._sampling.written > LONGEST:
                break
            self._limit(patience.limit)
            tactics = any(isinstance(c, CheckSatUsing) for c in mutant.script.commands)
            before = self._counted() if tactics else None
            answers = self._test(mutant)
            if first and answers is None:  # the options of a seed may not be those of this release
                self._options.keep({})
            first = False
            spent = self._counted() if before is not None else None
            patience.note(answers, spent - before if before and spent else None)
            if answers and not tactics:
                self._look_again(mutant, answers, patience.most)
            pointless = self._pointless(mutant.script, answers)
            mutant = self._next(mutants, None if pointless else answers)

    def _next(self, mutants: Mutants, answers: list[str] | None) -> Mutant | None:
        """The next mutant, behind one with these answers; None if there is none, also where a question
        about the seed has no words in the solver's dialect.
        """
        try:
            return mutants.send(answers)
        except StopIteration:
            return None
        except Unsayable as error:
            self._run.note(f"the fuzzer asks for what cannot be said: {error.reason}")
            self._run.counts[f"mutator:{self._name}:unsayable"] += 1
            return None

    def _spent(self) -> int:
        """The time that the solver spent in this run, in milliseconds, by the unit of its limit; 0
        if the solver does not tell.
        """
        return int((self._counted() or 0) / self._run.wrapper.facts.limit_per_ms)

    def _counted(self) -> int | None:
        """The effort that the solver spent in this run, in the unit of its limit; None if the solver
        has no such count.
        """
        spellings = self._run.wrapper.set("lifecycle", "spent")
        return int(spellings.spellings[0].call((), (), self._run.frame)) if spellings else None

    def _limit(self, limit: int) -> None:
        """The limit of the checks that follow; 0 for a solver without limits."""
        if self._runner is not None:
            self._runner.limit = limit
        elif limit and limit != self._run.state.limit:
            solve.set_limit(self._run, limit, self._run.line_seed())

    def _test(self, mutant: Mutant) -> list[str] | None:
        run, count = self._run, f"mutator:{self._name}:"
        for step in mutant.steps:
            run.note(step)
        for word in ("made", *mutant.traits):
            run.counts[f"{count}{word}"] += 1
        before = run.solver_ns
        try:
            answers = self._answers(self._with_logic(mutant.script), mutant.expected)
        except Stopped as stopped:
            if self._mislabelled(stopped):
                raise Stopped(None) from None
            run.counts[f"{count}findings"] += 1
            raise
        except InputError:
            run.counts[f"{count}unsayable"] += 1
            return None
        except Refused as refused:
            run.counts[f"{count}{refused.sort}"] += 1
            return None
        run.counts[f"{count}accepted"] += 1
        run.counts[f"{count}{'decided' if decided(answers) else 'unknown'}"] += 1
        if not decided(answers):
            run.counts["time-ns:undecided"] += run.solver_ns - before
        return answers

    def _look_again(self, mutant: Mutant, answers: Sequence[str], most: int) -> None:
        """Ask variants of some mutants, and ask again where the answers are not as good as they should
        be. Raises Stopped.
        """
        cost = self._doubts.passed()
        try:
            self._sampling.look(self._with_logic(mutant.script), mutant.expected)
            answered = Answered(answers, self._output, self._run.state.limit or 0)
            self._doubts.look(mutant, self._with_logic, answered, most, cost)
        except Stopped:
            self._run.counts[f"mutator:{self._name}:findings"] += 1
            raise

    def _pointless(self, made: Script, answers: Sequence[str] | None) -> bool:
        """True if a chain must not go on from a mutant, because simplification alone finds all its
        checks false. Nearly all mutants made from it would be false, too.
        """
        if (
            not FUZZERS[self._name].chained
            or "simplify" not in self._run.catalogue.dialect(self._run.wrapper.name).commands
            or not answers
            or any(answer != "unsat" for answer in answers)
        ):
            return False
        questions = [made.tables.conjunction(list(view.asserted)) for view in views(made)]
        asked = Script(made.name, made.tables, [*declaring(made), *map(Simplify, questions)])
        try:
            output = self._ask(self._text(asked))
        except InputError:
            return False
        if output is None or output.split() != ["false"] * len(questions):
            return False
        self._run.note("the solver's simplification makes false of it")
        self._run.counts[f"mutator:{self._name}:trivial"] += 1
        return True

    def _mislabelled(self, stopped: Stopped) -> bool:
        """True if a wrong answer is due to a seed with a label that the solver denies. The next
        runs leave this seed out.
        """
        run = self._run
        if (stopped.finding or {}).get("kind") != WRONG_ANSWER:
            return False
        run.state.expected.clear()
        # the expected answers depend on the labels of these seeds
        labelled = [place for place, label in enumerate(self._labels) if label]
        wrong = [place for place in labelled if denied(self._workshop, self._workshop.seeds[place])]
        for place in wrong:
            run.note(f"{run.wrapper.name} denies the label of {self._workshop.seeds[place].name}")
            run.counts[f"mislabelled:{place}"] += 1
        return bool(wrong)

    def _answers(self, made: Script, expected: Sequence[str]) -> list[str]:
        """The answers of a script's checks. Raises InputError for what a text or a trace cannot
        say, and Refused.
        """
        run, options = self._run, self._options.next()
        promised = fitting(self._promised, expected)
        made = asking(made, promised)
        if self._runner is not None:
            found = self._runner.answers(made, expected, options, promised)
            if found is None:
                raise Refused("declined", "a line of the script")
            return found
        made = self._offer.head(made, options)
        text = self._text(made)
        if not promised:  # the printed text of a model must end where the model ends
            text = self._doubts.asking(text)
        self._written += len(text)
        if any(answer != "unknown" for answer in expected):
            script.expect(run, expected, run.line_seed())
        self._output = script.run_script(run, text, run.line_seed(), made=made)
        return script.answers_of(self._output)

    def _text(self, made: Script) -> str:
        """The text of a script. Large terms become definitions, unless a model is asked for. Raises
        InputError.
        """
        return (
            print_script(made, self._dialect)
            if self._promised == MODELS
            else self._printer.text(made)
        )

    def _with_logic(self, made: Script) -> Script:
        """The script, in most runs with the smallest logic that contains it in place of ALL,
        because solvers then use other procedures. Mutants of Horn clauses stay in their logic.
        """
        if not self._own_logic:
            return made
        if self._workshop.horn and not self._api:
            return in_logic(made, HORN)
        self._logics = self._logics or Logics(made)
        return in_logic(made, self._logics.of(made))

    def _ask(self, text: str) -> str | None:
        if self._run.wrapper.set("actions", "run-script") is None:
            return None
        try:
            return script.run_script(self._run, text, self._run.line_seed())
        except Refused:
            return None
        except Stopped:
            self._run.counts[f"mutator:{self._name}:findings"] += 1
            raise
