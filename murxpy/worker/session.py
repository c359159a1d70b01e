"""The Python interpreter of a session."""

from __future__ import annotations

import gc
import platform
import sys
import threading
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from time import thread_time_ns
from typing import TYPE_CHECKING, Any

from murxpy.errors import InputError, nearest
from murxpy.learning.arms import Signals
from murxpy.logic.catalogue import Catalogue, build_catalogue
from murxpy.machine import solve
from murxpy.machine.checks.registry import ACTIONS
from murxpy.machine.generate import leaves
from murxpy.machine.generate.base import Generator
from murxpy.machine.generate.guided import Reader
from murxpy.machine.generate.options import draw_value, option_choice
from murxpy.machine.generate.swarm import Profile, SwarmDrawer
from murxpy.machine.outcomes import CONTRACT, Refused, Stopped
from murxpy.machine.random import Settings, Stream, mix
from murxpy.machine.replaying.judging import judge
from murxpy.machine.replaying.untracer import replay
from murxpy.machine.run import Run
from murxpy.machine.trace.grammar import VERSION, Trace, parse_trace
from murxpy.smtlib.logics import theories as theories_in
from murxpy.solvers.exceptions import DOCUMENTED
from murxpy.solvers.facts import VALUES, Option, Pairs, expected_value
from murxpy.solvers.options import LISTED, SAFE, chosen
from murxpy.solvers.wrapper import Wrapper
from murxpy.sources.setups import EnumerationSetup, Plain, Setup
from murxpy.sources.walk import SolverlessRun, StateMachine

if TYPE_CHECKING:
    from murxpy.sources.enumeration.source import Enumeration
    from murxpy.sources.mutation.options import Offer
    from murxpy.sources.mutation.source import Sources
    from murxpy.sources.mutation.workshop import Seed


def settle_interpreter() -> None:
    """Set up the Python interpreter of a session before the first run."""
    # integers in models may have more digits than Python converts by default
    sys.set_int_max_str_digits(0)
    gc.collect()
    gc.freeze()  # a `gc` line need not look at what is loaded now
    # the run alone may decide when objects die, not what was allocated before it
    gc.disable()


# ----------------------------------------------------------------------
# Exceptions in finalizers: Python only prints them and goes on, so they must be gathered here.


@contextmanager
def watched(run: Run) -> Iterator[list[dict[str, Any]]]:
    """Inside, gather the exceptions in finalizers as findings, in order. Python prints these
    exceptions all the same.
    """
    found: list[dict[str, Any]] = []
    before = sys.unraisablehook

    def note(raised: Any) -> None:
        before(raised)
        if isinstance(raised.exc_value, Exception):
            thrown = run.wrapper.contract.judge(raised.exc_value, run.wrapper.refusals)
            if thrown.sort == DOCUMENTED:
                return
            letter = "A" if threading.current_thread() is threading.main_thread() else "H"
            message = f"class {letter}: a finalizer raises {thrown.type}; {thrown.message}"
            found.append(
                run.finding(
                    CONTRACT,
                    "binding",
                    message,
                    "misuse",
                    thrown.place or "finalizer",
                    "finalizer",
                )
            )

    sys.unraisablehook = note
    try:
        yield found
    finally:
        sys.unraisablehook = before


# ----------------------------------------------------------------------
# The options that the user wants in every run: which of them a solver object takes, and which
# are parameters of the solver's whole process.


def scratch(wrapper: Wrapper, catalogue: Catalogue, parameters: Pairs = ()) -> Run:
    """A run with a new solver whose lines are not kept. Raises Refused and Stopped."""
    run = Run(wrapper, catalogue, 0, lambda text: None)
    run.parameters = parameters
    solve.new(run, 0)
    return run


def takes(run: Run, name: str, value: str) -> bool:
    """True if the solver of `run` lets the option be set."""
    return not _refusal(run, name, value)


def settle(
    wrapper: Wrapper, catalogue: Catalogue, asked: Sequence[Sequence[str]]
) -> tuple[list[list[str]], Pairs]:
    """The options of `asked`, and those parameters of the process. Each is set once, so that one
    that is misspelt is an error now, and not a refusal in every run.

    Options have the names of the API: scripts may have a prefix before these. A name that a solver
    object accepts is an option, also if the process has a parameter of the same name. Where other
    parameters lead to a solver that does not take it, it becomes a parameter, too. Raises InputError.
    """
    options: list[list[str]] = []
    parameters: list[tuple[str, str]] = []
    if not asked:
        return options, ()
    run = scratch(wrapper, catalogue)
    for whole, value in asked:
        name = whole.removeprefix(wrapper.facts.script_option_prefix)
        _check_option(wrapper, name, value)
        refusal = _refusal(run, name, value)
        if not refusal:
            options.append([name, value])
        elif whole in wrapper.parameters.types:
            _check_type(wrapper, whole, value, wrapper.parameters.types[whole])
            parameters.append((whole, value))
        else:
            run.forget()
            raise _unknown(wrapper, whole, value, refusal)
    run.forget()
    refused = _refused(wrapper, catalogue, options, tuple(parameters)) if parameters else []
    for name, value in refused:
        whole = wrapper.facts.script_option_prefix + name
        _check_type(wrapper, whole, value, wrapper.parameters.types[whole])
        parameters.append((whole, value))
    return [option for option in options if option not in refused], tuple(parameters)


def _refused(
    wrapper: Wrapper, catalogue: Catalogue, options: list[list[str]], parameters: Pairs
) -> list[list[str]]:
    """The options that a solver in a process with the parameters does not take, all of which the
    process has as parameters. Raises InputError if the process lacks such a parameter, and if such a
    solver cannot check anything.
    """
    words = ", ".join(f"{name}={value}" for name, value in parameters)
    try:
        run = scratch(wrapper, catalogue, parameters)
        solve.check_sat(run, 0)
    except (Refused, Stopped) as error:
        raise InputError(
            f"{wrapper.name} {wrapper.release} has no usable solver with {words}: {error}"
        ) from None
    refused = []
    try:
        for name, value in options:
            refusal = _refusal(run, name, value)
            if not refusal:
                continue
            if wrapper.facts.script_option_prefix + name not in wrapper.parameters.types:
                raise InputError(
                    f"{wrapper.name} {wrapper.release} does not take the option {name}={value} beside {words}: "
                    f"{refusal}"
                )
            refused.append([name, value])
    finally:
        run.forget()
        wrapper.parameters.reset()
    return refused


def _refusal(run: Run, name: str, value: str) -> str:
    """Why the solver of `run` does not take the option; empty where it does."""
    try:
        solve.set_option(run, str(name), value, 0)
    except (Refused, Stopped) as error:
        return str(error) or "it refuses the option"
    return ""


def _check_option(wrapper: Wrapper, name: str, value: str) -> None:
    """Raise InputError where the wrapper says that the option takes another type of value, or forbids
    it.
    """
    found = wrapper.facts.forbidden.option(name)
    if found:
        raise InputError(f"{wrapper.name}: {found}")
    types = {option.name: option.type for option in wrapper.facts.options or ()}
    kind = types.get(name, "")
    if kind not in VALUES:  # the process may know the type of what the wrapper lists as a choice
        kind = wrapper.parameters.types.get(wrapper.facts.script_option_prefix + name, "")
    _check_type(wrapper, name, value, kind)


def _check_type(wrapper: Wrapper, name: str, value: str, kind: str) -> None:
    expected = expected_value(kind, value)
    if expected:
        raise InputError(f"{wrapper.name}: {name}={value[:80]}: expected {expected}")


def _unknown(wrapper: Wrapper, name: str, value: str, refusal: str) -> InputError:
    known = [*wrapper.parameters.types, *(option.name for option in wrapper.facts.options or ())]
    return InputError(
        f"{wrapper.name} {wrapper.release} does not take the option {name}={value}: {refusal}"
        f"{nearest(name, known)}"
    )


# ----------------------------------------------------------------------
# A session: one solver, loaded once, and its runs, each of which has a context of its own.


Write = Callable[[str], None]
# runs between two full collections; reference counts free contexts, and cycles are rare
COLLECT_EVERY = 50
_FEW = (1, 1, 1, 1, 2, 3)  # the numbers of options that a run draws
_OF_BLOCK = (
    2  # options that a block of enumerated scripts draws, at most: 74 of 76 bugs of ET need no more
)
_COUNT = 0x0F3D  # the key of the random stream that draws this number
_OTHER = 0x07E3  # the key of the random stream that draws another machine
# what a report holds where there is some: attributes of the run
_OF_RUNS = ("answers", "refused", "costs", "plants", "spent", "confirmed")


@dataclass(frozen=True, slots=True)
class Walked:
    """A machine that runs walk, with its settings and what draws their swarms."""

    machine: StateMachine
    settings: Settings
    swarm: SwarmDrawer


class Session:
    """Runs walks and replays on one solver. Each depends on its seed or text alone.

    Raises TargetError where the solver cannot be loaded, InputError where it does not take an option.
    """

    def __init__(self, setup: Setup) -> None:
        self.catalogue = build_catalogue(setup["catalogue"])
        self.wrapper = Wrapper(setup["wrapper"], self.catalogue)
        self.wrapper.ask_options()
        self.profile = Profile(
            setup.get("profile") or self.wrapper.profile,
            self.wrapper.facts.function_terms,
        )
        self.settings = Settings(setup["machine"], self.profile.limits)
        self.machine = StateMachine(setup["machine"])
        self._settle_options(setup)
        self.swarm = self._swarm(setup, self.settings)
        others = setup["machine"].get("others") or ()
        self._others = [(float(share), self._to_walk(setup, other)) for share, other in others]
        of_sources = setup.get("sources")
        machines = of_sources.get("machines", {}) if of_sources else {}
        self._of_sources = {name: self._to_walk(setup, one) for name, one in machines.items()}
        self.version = self.wrapper.release
        self._enumeration = _enumeration(setup.get("enumeration"))
        self._solverless = setup.get("solverless", False)
        self._limited = setup.get("limits") != "wall"
        self._overview = setup.get("callables", False)
        if "misuse-call" in self.machine.actions:
            _ = self.wrapper.callables  # found once, and not in each worker: that takes 45 ms of z3
        self._damped: frozenset[str] = frozenset()
        self._checks: frozenset[str] = frozenset(setup.get("checks") or ())
        if self._solverless:  # all other checks ask the solver
            self._checks &= {leaves.CHECK}
        # An option that the wrapper does not list may restrict models; then unsat may be right.
        known = self.wrapper.facts.known_options()
        settled = [*self.options, *self._parameters]
        self._plain = known is None or known.issuperset(name for name, _ in settled)
        words = setup.get("drawn-options") or [LISTED]
        drawn = chosen(self.wrapper.facts, words)
        # beyond the usual options, mostly one is set, so that a finding names what it needs
        self._few = () if words == [LISTED] else (1,) if SAFE in words else _FEW
        options = self._known_options({option.name for option in drawn})
        self._option_choice = option_choice(options)
        self.sources = self._make_sources(setup, options, drawn)
        self._offer: Offer | None = None  # of options that enumerated scripts set
        if self._enumeration is not None and not self._enumeration.simplify:
            from murxpy.worker import mutating

            lent = (options, drawn)
            self._offer = mutating.offered(self.wrapper, lent, self.options, self._parameters)
        self._runs = 0
        self._arms = Reader(self.catalogue, setup["machine"], self.wrapper.facts.every_option)
        self._signals: dict[tuple[str, int], int] = {}  # numbers of pairs, worked out once
        self.wrapper.parameters.reset()
        settle_interpreter()

    def _swarm(self, setup: Setup, settings: Settings) -> SwarmDrawer:
        return SwarmDrawer(
            self.catalogue,
            self.wrapper,
            settings,
            self.profile,
            setup.get("theories"),
            setup.get("swarm", True),
            setup.get("linear", False),
            setup.get("logics") or (),
        )

    def _to_walk(self, setup: Setup, machine: Plain) -> Walked:
        """Another machine than that of the setup, ready for walks."""
        settings = Settings(machine, self.profile.limits)
        return Walked(StateMachine(machine), settings, self._swarm(setup, settings))

    def _walked(self, seed: int) -> Walked:
        """The machine of the run with this seed. A random stream of its own decides it, so that all runs
        of a machine stay the same when others are added.
        """
        left = Stream(mix(seed, _OTHER)).random() if self._others else 0.0
        for share, walked in self._others:
            if left < share:
                return walked
            left -= share
        return Walked(self.machine, self.settings, self.swarm)

    def _settle_options(self, setup: Setup) -> None:
        """Sort the options that hold in every run, and those that hold when this session judges.
        Raises InputError.
        """
        asked: list[Sequence[str]] = list(setup.get("options") or ())
        if SAFE in (setup.get("drawn-options") or ()):
            safe = self.wrapper.facts.safe_options
            if not safe:
                raise InputError(f"--options {SAFE}: {self.wrapper.name} has no safe mode")
            asked = [*safe, *asked]
        self.options, self._parameters = settle(self.wrapper, self.catalogue, asked)
        own = [name for name, _ in setup.get("configuration") or ()]
        prefix = self.wrapper.facts.script_option_prefix
        self._configuration = [
            option for option in self.options if option[0] in own or prefix + option[0] in own
        ]
        self._judging = tuple(pair for pair in self._parameters if pair[0] in own)

    def _make_sources(
        self, setup: Setup, known: Sequence[Option], drawn: Sequence[Option]
    ) -> Sources | None:
        """The sources of runs that `setup` names; None for the walk alone. `known` are the options
        that the release takes, and `drawn` those that the user lets runs draw. Raises InputError.
        """
        if not setup.get("sources"):
            return None
        from murxpy.worker import mutating

        kinds = [kind for kinds in self.swarm.available().values() for kind in kinds]
        sources = mutating.make_sources(setup, self.catalogue, self.wrapper, self.profile, kinds)
        few = {"most": max(self._few)} if self._few else {}
        options = (known, drawn)
        mutating.offer(sources, self.wrapper, options, self.options, self._parameters, **few)
        mutating.ask(sources, self.settings.probabilities, self._checks)
        return sources

    def describe(self) -> dict[str, Any]:
        """The solver, its release, module file and Python; the calls that the release lacks; the
        operators of each theory; the sorts that runs draw; and, where a campaign counts what its runs
        reach, the public callables of the binding.
        """
        return {
            **self.wrapper.describe(),
            "missing": [list(entry) for entry in self.wrapper.missing],
            "options": list(self.wrapper.read_options),
            "operators": self.swarm.available(),
            "sorts": list(self.swarm.spelled_kinds),
            **({"callables": self.wrapper.callables.overview()} if self._overview else {}),
        }

    def _known_options(self, drawn: Collection[str]) -> list[Option]:
        """The options of solver objects that this release takes, among those in `drawn`.
        Those of the wrapper are tried once, on a common solver or else on one of its own.
        """
        known = []
        shared = scratch(self.wrapper, self.catalogue, self._parameters)
        for option in self.wrapper.facts.options or ():
            if not option.listed:  # the release has told that some solvers have it
                known.extend([option] if option.name in drawn else [])
                continue
            value = draw_value(option, shared.stream) if option.type else ""
            if value and (
                takes(shared, option.name, value) or self._takes_alone(option.name, value)
            ):
                known.extend([option] if option.name in drawn else [])
            else:
                self.wrapper.missing.append(
                    ("options", option.name, "set", f"release {self.version}")
                )
        shared.forget()
        return known

    def _takes_alone(self, name: str, value: str) -> bool:
        """True if a solver without other options takes the option."""
        run = scratch(self.wrapper, self.catalogue, self._parameters)
        taken = takes(run, name, value)
        # the garbage collector would free context and solver in any order, which crashes old releases
        run.forget()
        return taken

    def damp(self, calls: list[Any]) -> None:
        """Draw the calls on the fatal lines of known findings less often from now on.

        Each is given as (action, operator, spelling). Checks, assertions and scopes are not damped,
        since every run needs them. The trace's header names what was damped.
        """
        names = [operator or action for action, operator, _ in calls if _may_be_damped(action)]
        names += [f"{rule}:{operator}" for action, operator, rule in calls if action == "misuse"]
        self._damped = frozenset(name for name in names if name)

    def walk(self, seed: int, write: Write) -> dict[str, Any]:
        """Do a random run; `write` gets each line before its call."""
        run = self._run(seed, write, self._parameters)
        if self._enumeration is not None:
            return self._enumerate(run, self._enumeration)
        source, seeds = ("", None) if self.sources is None else self.sources.draw(seed)
        if self.sources is not None and seeds is not None:
            return self._mutate(run, self.sources, source, seeds)
        guided, walked = self._arms.of(seed), self._of_sources.get(source) or self._walked(seed)
        settings = walked.settings
        swarm = walked.swarm.draw(run.stream, guided.theories, guided.operators)
        options = [*self.options, *map(list, guided.options)]
        gen = Generator(run, settings, self.profile, swarm, self.catalogue, options=options)
        gen.preferred = guided.transition
        gen.damped, gen.limited, gen.option_choice, gen.checks = (
            self._damped,
            self._limited,
            self._option_choice,
            self._checks,
        )
        gen.planting = (
            leaves.CHECK in self._checks
            and self._plain
            and (seed % 2 == 0 if self._solverless else leaves.drawn(settings, seed))
        )
        if self._few:
            gen.most_options = Stream(mix(seed, _COUNT)).choose(self._few)
        if guided.guided:
            run.signals = Signals(self._signals)
        machine = f"machine {settings.machine.get('name')}"
        rows = [machine, *guided.rows(), *swarm.rows()]
        run.header(self._walk_rows(seed, rows, planted=gen.planting))
        return self._report(run, lambda: walked.machine.walk(gen, settings.limit("steps")))

    def _walk_rows(self, seed: int, drawn: list[str], *, planted: bool) -> list[str]:
        """The header of a walk."""
        rows = [
            *self._header(),
            f"seed {seed:x}",
            *drawn,
        ]
        rows.append(f"limits {'solver' if self._limited else 'wall'}")
        rows.append(f"checks {','.join(sorted(self._checks - {leaves.CHECK})) or 'none'}")
        if planted:
            rows.append(leaves.CHECK)
        if self._damped:
            rows.append(f"damped {','.join(sorted(self._damped))}")
        return rows

    def _mutate(
        self, run: Run, sources: Sources, name: str, seeds: Sequence[Seed]
    ) -> dict[str, Any]:
        """Do a run of a mutation fuzzer on these seeds."""
        run.script_checks &= self._checks
        guided = self._arms.of(run.seed)
        if guided.guided:
            run.signals = Signals(self._signals)
        checks = f"checks {','.join(sorted(run.script_checks)) or 'none'}"
        files = [f"seed-file {seed.name}" for seed in seeds[:1]] + [
            f"second-seed-file {seed.name}" for seed in seeds[1:]
        ]
        rows = [f"seed {run.seed:x}", f"source {name}", *guided.rows(), *files, checks]
        run.header([*self._header(), *rows])
        return self._report(run, lambda: sources.run(run, name, seeds, guided.options))

    def _enumerate(self, run: Run, enumeration: Enumeration) -> dict[str, Any]:
        """Test the scripts of the block that the run's seed names."""
        run.script_checks &= self._checks
        block, head = enumeration.blocks.of(run.seed), ""
        if self._offer is not None:
            about = theories_in(block.grammar.head + str(block.grammar.plain["rules"]))
            stream = Stream(mix(run.seed, _COUNT))
            drawn = self._offer.few(stream, about, _OF_BLOCK)
            head = self._offer.lines((*self._offer.wanted, *drawn))
        checks = f"checks {','.join(sorted(run.script_checks)) or 'none'}"
        rows = [*self._header(), f"seed {run.seed:x}", *enumeration.rows(block), checks]
        run.header(rows)
        return self._report(run, lambda: enumeration.run(run, block, head))

    def replay(self, text: str, name: str, write: Write) -> dict[str, Any]:
        """Replay a trace. For a malformed trace the report has the status `malformed` and the
        message.
        """
        try:
            trace = parse_trace(text, name)
        except InputError as error:
            return _malformed(str(error))
        run = self._run(trace.seed, write)
        run.header(self._replay_header(trace))
        try:
            return self._report(run, lambda: replay(run, trace))
        except InputError as error:
            run.flush()
            return _malformed(str(error))

    def judge(self, text: str, name: str, write: Write, options: dict[str, Any]) -> dict[str, Any]:
        """Answer the decided checks of a trace; `murxpy.machine.replaying.judging.judge` says what
        `options` are.
        """
        try:
            trace = parse_trace(text, name)
        except InputError as error:
            return _malformed(str(error))
        run = self._run(trace.seed, write, self._judging)
        run.header([*self._header(), f"seed {trace.seed:x}"])
        try:
            own = [*self._configuration, *(options.get("options") or ())]
            return self._report(run, lambda: judge(run, trace, {**options, "options": own}))
        except InputError as error:
            run.flush()
            return _malformed(str(error))

    def _run(self, seed: int, write: Write, parameters: Pairs = ()) -> Run:
        """A run that begins in a process without the parameters of the run before it."""
        self.wrapper.parameters.reset()
        self.wrapper.begin_run()
        kind = SolverlessRun if self._solverless else Run
        run = kind(self.wrapper, self.catalogue, seed, write)
        run.parameters = parameters
        return run

    def _replay_header(self, trace: Trace) -> list[str]:
        """The header for the trace of a replay. The header names this solver if the trace is of
        another one, since the spellings are this solver's.
        """
        if trace.solver == self.wrapper.name and not trace.murxla:
            return [f"{key} {value}".rstrip() for key, value in trace.header.items()]
        return self._header()

    def _header(self) -> list[str]:
        return [
            f"murxpy-trace {VERSION}",
            f"solver {self.wrapper.name} {self.version}",
            f"python {platform.python_version()}",
        ]

    def _report(self, run: Run, body: Callable[[], None]) -> dict[str, Any]:
        start = thread_time_ns()
        finding = None
        with watched(run) as raised:
            try:
                body()
            except Stopped as stopped:
                finding = stopped.finding
            finally:
                run.flush()
                differences, counts = run.differences, run.counts
                lines = run.lines
                run.forget()
                # the run itself is to show the damage that a misuse did
                self._collect(now=counts["action:misuse"] > 0)
        if finding is None and raised and counts["action:misuse"]:
            finding = raised[0]
        counts["time-ns:run"] += thread_time_ns() - start
        counts["time-ns:solver"] += run.solver_ns
        counts["time-ns:trace"] += run.trace_ns
        counts["time-ns:choose"] += max(0, counts["time-ns:run"] - run.solver_ns - run.trace_ns)
        counts["run:total"] += 1
        counts["run:no-check"] += counts["check:total"] == 0
        counts["line:total"] += lines
        counts["term:made"] += sum(n for name, n in counts.items() if name.startswith("op-ok:"))
        return {
            "status": "ok" if finding is None else "finding",
            "seed": run.seed,
            "counts": {name: n for name, n in counts.items() if n},
            "finding": finding,
            "differences": differences,
            **{name: found for name in _OF_RUNS if (found := getattr(run, name))},
            **({"signals": run.signals.numbers()} if run.signals is not None else {}),
        }

    def _collect(self, now: bool) -> None:
        self._runs += 1
        if now or self._runs % COLLECT_EVERY == 0:
            gc.collect()


def _enumeration(setup: EnumerationSetup | None) -> Enumeration | None:
    """The enumeration of scripts that a session tests. Only such a session loads the enumerator."""
    if setup is None:
        return None
    from murxpy.sources.enumeration.source import Enumeration

    return Enumeration(setup)


def _malformed(message: str) -> dict[str, Any]:
    return {
        "status": "malformed",
        "seed": 0,
        "counts": {},
        "finding": None,
        "differences": [],
        "message": message,
    }


def _may_be_damped(action: str) -> bool:
    """Whether the call can be drawn less often. A misuse is named by its rule and operator."""
    known = ACTIONS.get(action)
    return action != "misuse" and (known is None or known.damped)
