"""The functions that Python programs call: what the commands do, without the command line. All that is
public is imported by `murxpy/__init__.py`.

A trace or a script is given as its text, or as the path of its file. What a file names is not used
unless the caller names it, too, as on the command line.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from murxpy.campaign.asked import (
    OUT,
    CampaignOptions,
    MutationOptions,
    asked,
    mutation_of,
    usual_mix,
)
from murxpy.campaign.campaign import Campaign as _Campaign
from murxpy.cli.report.findings import DefectView, defect_views
from murxpy.data import load_catalogue, load_wrapper
from murxpy.errors import InputError
from murxpy.findings.origin import plan_of
from murxpy.findings.replayed import replay_trace, walk_seeds
from murxpy.findings.store import read_buckets, read_versions
from murxpy.fuzzers.setups import Mutation, RunOptions, is_auto, parse_mix
from murxpy.grants import grant_file, granted, only_granted
from murxpy.judging.disagreement import header_judges
from murxpy.judging.evaluation import Evaluation, Modelled, asking, modelled_script, under_model
from murxpy.judging.judged_solver import JudgedSolver
from murxpy.judging.operators import judge_plans
from murxpy.judging.seeds import ask as answers_to
from murxpy.logic.catalogue import STANDARD, Catalogue, build_catalogue
from murxpy.machine.tokens import Quoted
from murxpy.machine.trace.grammar import Trace, parse_trace, read_trace
from murxpy.machine.trace.lift import for_judges
from murxpy.machine.trace.lift import lift as lift_script
from murxpy.processes.limits import MIB, Limits
from murxpy.processes.plans import Request, make_plans
from murxpy.processes.targets import Plan, grant_target
from murxpy.records.events import Ended, Event
from murxpy.reduction.pipeline import Minimized, Progress, Task, refuse_malformed
from murxpy.reduction.traces import minimize_trace
from murxpy.smtlib.reading.scripts import read_script, read_text
from murxpy.solvers.options import NONE
from murxpy.sources.mutation.registry import FUZZERS
from murxpy.translate import murxla, python, smtlib

Source = str | Path  # a text, or the path of a file
_TEXT = "<text>"  # what messages call a trace or a script that is given as text


def _script(source: Source) -> tuple[str, str]:
    """The text of a script, and what messages call it. Raises InputError."""
    if not isinstance(source, str | Path):
        raise InputError(f"expected a text or a path, found {type(source).__name__}")
    return (read_text(source), str(source)) if isinstance(source, Path) else (source, _TEXT)


def _trace(source: Source) -> tuple[Trace, str, Path]:
    """A trace, its text, and its file. Raises InputError."""
    if not isinstance(source, str | Path):
        raise InputError(f"expected a text or a path, found {type(source).__name__}")
    file = source if isinstance(source, Path) else Path(_TEXT)
    text = read_trace(source) if isinstance(source, Path) else source
    return parse_trace(text, str(file)), text, file


def _catalogue() -> Catalogue:
    return build_catalogue(load_catalogue())


@contextmanager
def _only(*targets: str | None, files: Sequence[Source | None] = ()) -> Iterator[None]:
    """Inside this context, only these targets and files may be used, and the installed solvers."""
    with only_granted():
        for name in filter(None, targets):
            grant_target(name)
        for file in files:
            if file is not None:
                grant_file(file)
        yield


def _plan(trace: Trace, file: Path, solver: str | None, wrapper: Source | None) -> Plan:
    return plan_of(trace, solver, None if wrapper is None else str(wrapper), file)


# ----------------------------------------------------------------------
# Campaigns.


@dataclass(frozen=True, slots=True)
class Defect:
    """One defect that a campaign found. `key` is the name of its bucket, `kind` and `tier` say what it
    is and whose fault, `wrong` is one sentence, `count` is the number of findings, and `status` is
    `open`, `known`, `pending` or `unconfirmed`. `releases` show it, as far as they were looked for.
    `trace`, `script` and `program` are the smallest files that show it; None where there is none.
    """

    key: str
    kind: str
    tier: str
    wrong: str
    count: int
    status: str
    releases: str
    trace: Path | None
    script: Path | None
    program: Path | None


def defects(out: Source = OUT) -> list[Defect]:
    """The defects that the campaign in the folder `out` found, the worst first. Raises InputError where no
    campaign is there.
    """
    folder = Path(out)
    views = defect_views(read_buckets(folder), read_versions(folder), str(folder))
    return [_defect(view) for view in views]


def _defect(view: DefectView) -> Defect:
    shown = view.shown
    forms = {
        form.form: Path(form.file)
        for bucket in view.buckets
        for form in bucket.reproducers
        if form.file and form.reproduces
    }
    trace = forms.get("min.trace") or (Path(shown.trace) if shown.trace else None)
    return Defect(
        shown.key,
        shown.kind,
        shown.tier,
        view.wrong,
        view.count,
        view.status,
        view.range,
        trace,
        forms.get("smt2"),
        forms.get("python"),
    )


class Campaign:
    """A campaign, which runs while it is iterated over, and yields its events: `Started` first, `Found` for
    each finding, `Tick` a few times a second with the figures, and `Ended` last. What it finds is kept
    in the folder `out`, where a campaign with the same arguments goes on.
    """

    def __init__(self, campaign: _Campaign) -> None:
        self._campaign = campaign
        self._granted = granted()
        self.out = campaign.config.out

    def __iter__(self) -> Generator[Event, None, None]:
        with closing(iter(self._campaign)) as events:
            while True:
                with only_granted(self._granted):
                    event = next(events, None)
                if event is None:
                    return
                yield event

    def run(self) -> Ended:
        """Run the campaign to its end, and return its last event, with its figures and its exit code."""
        *_, last = self
        assert isinstance(last, Ended)
        return last

    def stop(self) -> None:
        """End the campaign soon, in good order; a signal handler or another thread may call this."""
        self._campaign.stop()

    def defects(self) -> list[Defect]:
        """The defects that were found so far, the worst first."""
        return defects(self.out)


def fuzz(
    *targets: str,
    out: Source = OUT,
    time: float | None = None,
    runs: int | None = None,
    seed: int | None = None,
    jobs: int | None = None,
    theories: Sequence[str] = (),
    cross_check: Sequence[str] = (),
    check: Sequence[str] = (),
    machine: str = "default",
    contract: bool = False,
    settings: Mapping[str, str] | None = None,
    wrapper: Source | None = None,
    seeds: Sequence[Source] = (),
    mix: str | None = None,
    iterations: int = 25,
    wall: float = 2.0,
    memory: int = 2048 * MIB,
    minimize: bool = True,
    known: Sequence[Source] = (),
    first: bool = False,
    finish: bool = False,
) -> Campaign:
    """A campaign on `targets`, such as `z3` or `cvc5@1.2.0`, as `murxpy fuzz` makes it. Each argument means
    what the option of this name means there; `settings` are those of --set. Times are in seconds,
    `memory` is in bytes. Without `time` and `runs` it runs until it is stopped.

    Raises InputError, and TargetError where a solver cannot be used.
    """
    for name, number, least in (
        ("runs", runs, 1),
        ("jobs", jobs, 1),
        ("iterations", iterations, 1),
        ("seed", seed, 0),
    ):
        if number is not None and (not isinstance(number, int) or number < least):
            raise InputError(f"fuzz: {name}: expected a number from {least} on, found {number!r}")
    options = CampaignOptions(
        out=Path(out),
        time=time,
        runs=runs,
        seed=seed,
        jobs=jobs,
        theories=tuple(theories),
        judges=(tuple(cross_check),) if cross_check else (),
        checks=tuple(check),
        machine=machine,
        contract=contract,
        settings=tuple(f"{name}={value}" for name, value in (settings or {}).items()),
        wrapper=None if wrapper is None else str(wrapper),
        wall=wall,
        memory=memory,
        minimize=minimize,
        known=tuple(map(Path, known)),
        first=first,
        finish=finish,
    )
    mutation = None
    if mix is None:
        mix = usual_mix(tuple(map(str, seeds)), contract=contract)
    if mix is not None:
        of_mutants = MutationOptions(iterations=iterations)
        mutation = mutation_of(
            parse_mix(mix),
            tuple(map(str, seeds)),
            options.judges,
            of_mutants,
            {},
            auto=is_auto(mix),
        )
    with _only(*targets, *cross_check, files=[wrapper, machine, *seeds]):
        return Campaign(_Campaign(asked(targets, options, mutation).config()))


# ----------------------------------------------------------------------
# Traces.


@dataclass(frozen=True, slots=True)
class Replay:
    """The replay of a trace. If it shows a finding, `kind` and `message` say which, and `bucket` is the
    key of its bucket; all three are empty otherwise. `answers` are those of its checks, and `trace` is
    the trace that the replay wrote.
    """

    kind: str
    message: str
    bucket: str
    answers: tuple[str, ...]
    trace: str


def replay(
    trace: Source,
    solver: str | None = None,
    *,
    wrapper: Source | None = None,
    wall: float = 20.0,
    memory: int = 2048 * MIB,
) -> Replay:
    """Replay a trace in a fresh process of `solver`, or else of the solver that it names, for `wall`
    seconds at most. Raises InputError, and TargetError where the solver cannot be used.
    """
    read, text, file = _trace(trace)
    with _only(solver, files=[wrapper]):
        plan = _plan(read, file, solver, wrapper)
        limits = Limits(wall=wall, memory=memory)
        replayed = replay_trace(plan, text, str(file), limits, None, wall)
    refuse_malformed(replayed.outcome, str(file))
    report = replayed.outcome.report or {}
    answers = tuple(str(answer) for *_, answer in report.get("answers") or ())
    found = replayed.found
    if found is None:
        return Replay("", "", "", answers, replayed.outcome.trace)
    verdict = found.verdict
    return Replay(verdict.kind, verdict.message, found.bucket, answers, replayed.outcome.trace)


def minimize(
    trace: Source,
    solver: str | None = None,
    *,
    wrapper: Source | None = None,
    cross_check: Sequence[str] = (),
    jobs: int = 1,
    time: float | None = None,
    replays: int | None = None,
    follow: Callable[[Progress], None] | None = None,
) -> Minimized:
    """Make a trace smaller while it shows the same finding: `text` of the result is the smaller trace. With
    `cross_check` the finding is that one of these solvers disagrees; without, that is so where the
    trace names judges. It ends after `time` seconds or `replays` candidates, with the best result so
    far. `follow` is called with the progress. Raises InputError where the trace shows no finding.
    """
    read, text, file = _trace(trace)

    def refused(error: InputError) -> None:
        if sum(line.action == "run-script" for line in read.lines) < 2:
            raise error

    with _only(solver, *cross_check, files=[wrapper]):
        plan = _plan(read, file, solver, wrapper)
        judges = tuple(cross_check) or header_judges(read)
        plans = judge_plans(judges)
        seen = follow or (lambda progress: None)
        task = Task(plan, str(file), jobs, time, replays, judges=plans, follow=seen)
        return minimize_trace(task, text, judges or None, None, refused)


def to_smtlib(trace: Source, dialect: str = STANDARD, *, lossy: bool = False) -> str:
    """A trace as an SMT-LIB script in a `dialect`, such as `z3`. With `lossy`, a comment stands for what the
    dialect cannot say. Raises InputError.
    """
    return smtlib.to_smtlib(_trace(trace)[0], _catalogue(), dialect, lossy, False)


def to_python(trace: Source) -> str:
    """A trace as a Python program that makes the same calls with the solver's package alone. Raises
    InputError.
    """
    read, _, _ = _trace(trace)
    return python.to_python(read, _catalogue(), load_wrapper(read.solver))


def to_murxla(trace: Source, *, lossy: bool = False) -> str:
    """A trace in the format of Murxla. With `lossy`, a comment stands for what Murxla cannot say. Raises
    InputError.
    """
    return murxla.to_murxla(_trace(trace)[0], _catalogue(), lossy)


def lift(script: Source) -> str:
    """An SMT-LIB script as a trace, which `replay` runs on any solver. Raises InputError."""
    text, name = _script(script)
    return lift_script(read_script(text, name, _catalogue())).text()


# ----------------------------------------------------------------------
# Scripts.


def evaluate(
    script: Source,
    *,
    model: Source | None = None,
    solver: str | None = None,
    wall: float = 20.0,
) -> Evaluation | None:
    """Which assertions of an SMT-LIB script, or of a trace in a file `*.trace`, are true by murxpy's own
    evaluator: under a `model` as solvers print models, or under the model of a `solver`'s last sat
    answer. The result is None where the solver does not answer sat. Raises InputError.
    """
    if (model is None) == (solver is None):
        raise InputError("evaluate: expected either a model or a solver")
    if isinstance(script, Path) and script.suffix == ".trace":
        if solver is None:
            raise InputError("expected a script beside the model", file=str(script))
        read, _, file = _trace(script)
        with _only(solver):
            return Modelled(_plan(read, file, solver, None), asking(read), wall).evaluation()
    text, name = _script(script)
    if model is not None:
        printed, printed_name = _script(model)
        return under_model(text, name, printed, printed_name)
    with _only(solver):
        (plan,) = make_plans(Request((str(solver),)))
        return modelled_script(plan, text, name, wall).evaluation()


def ask(
    script: Source, *solvers: str, limit: float = 1.0, wall: float = 20.0
) -> dict[str, tuple[str, ...]]:
    """The answers of several solvers to the checks of an SMT-LIB script, by the names of the solvers, each
    asked through its API. `limit` is the limit of a check: the solver's own resource limit that takes
    about so many seconds. Raises InputError, and TargetError where a solver cannot be used.
    """
    if not solvers:
        raise InputError("ask: expected the name of a solver behind the script")
    text, name = _script(script)
    trace = for_judges(lift_script(read_script(text, name, _catalogue())))
    with _only(*solvers):
        first, *others = make_plans(Request(solvers))
        with closing(JudgedSolver(first, others, Limits(wall=wall))) as judged:
            found = judged.answer(answers_to(judged, trace.text(), int(1000 * limit)))
    return {solver: tuple(answers) for solver, answers in found.items()}


@dataclass(frozen=True, slots=True)
class Mutant:
    """A script that a mutation fuzzer made, the steps that led to it from the mutant before it, and the
    answers of the solver to its checks.
    """

    script: str
    steps: tuple[str, ...]
    answers: tuple[str, ...]


def mutate(
    *scripts: Source,
    solver: str,
    by: str = "opfuzz",
    count: int = 10,
    seed: int = 1,
) -> list[Mutant]:
    """Up to `count` mutants of SMT-LIB scripts by one of the mutation fuzzers, such as `opfuzz`, `storm` or
    `fusion`. The `solver` answers each mutant, because the answers steer some fuzzers. The same `seed`
    gives the same mutants. Some fuzzers need scripts with a label, `(set-info :status sat)`. Raises
    InputError, and TargetError where the solver cannot be used.
    """
    if by not in FUZZERS:
        raise InputError(f"mutate: unknown fuzzer '{by}'; known are {', '.join(FUZZERS)}")
    if count < 1:
        raise InputError(f"mutate: count: expected a number from 1 on, found {count}")
    with TemporaryDirectory(prefix="murxpy-") as folder, _only(solver, files=[folder]):
        for at, script in enumerate(scripts):
            Path(folder, f"{at}.smt2").write_text(_script(script)[0], encoding="utf-8")
        mutation = Mutation(((by, 1.0),), (folder,), count)
        plain = RunOptions(drawn_options=(NONE,), checks=())
        (plan,) = make_plans(Request((solver,), run_options=plain, mutation=mutation))
        ended = walk_seeds(plan, [(seed, ())], Limits(by_line=True)).outcome
    if f"mutator:{by}:no-seed" in ((ended.report or {}).get("counts") or {}):
        raise InputError(
            f"mutate: none of {len(scripts)} scripts can be a seed of {by}; some fuzzers need two scripts, "
            "or a label such as (set-info :status sat)"
        )
    return list(_mutants(ended.trace, f"# {by}: "))


def _mutants(text: str, step: str) -> Iterator[Mutant]:
    """The mutants in the trace of a run. A row that begins with `step` stands before each, and other
    scripts are questions about the seed.
    """
    scripts = (line for line in parse_trace(text, _TEXT).lines if line.action == "run-script")
    steps: list[str] = []
    for row in text.splitlines():
        if row.startswith(step):
            steps.append(row.removeprefix(step))
        elif row.split()[1:2] and row.split()[1].partition("@")[0] == "run-script":
            line = next(scripts)
            made = line.args[0]
            if steps and isinstance(made, Quoted):
                answers = tuple(str(answer) for answer in line.result("answer") or ())
                yield Mutant(made.text, tuple(steps), answers)
            steps = []
