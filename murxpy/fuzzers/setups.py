"""The rules of implication that a campaign uses: those that the user names, and only those that are
proved.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Literal

from murxpy.data import load_catalogue, load_machine, machine_names
from murxpy.data.lookup import load_grammar, load_pool
from murxpy.data.rules import BOOKS, fingerprint, load_book, proofs_path, read_proofs
from murxpy.data.theories import Plain
from murxpy.errors import InputError, nearest
from murxpy.fuzzers.seeds import SIZE_LIMIT, SeedFiles, collect_seeds
from murxpy.learning.guide import OFF
from murxpy.logic.catalogue import build_catalogue
from murxpy.machine.checks.invariants import INVARIANTS, PHRASES, PROMISES
from murxpy.machine.checks.registry import ACTIONS
from murxpy.machine.checks.registry import CHECKS as ANSWER_CHECKS
from murxpy.machine.logics import theories_of
from murxpy.oracles.documented import Documented
from murxpy.smtlib.logics import LOGICS
from murxpy.solvers.options import LISTED
from murxpy.sources.enumeration.call_sequences import calls_grammar
from murxpy.sources.enumeration.grammar import Grammar, check_grammar
from murxpy.sources.enumeration.operators import with_operators
from murxpy.sources.mutation.implications.book import Book
from murxpy.sources.mutation.implications.generated import generated
from murxpy.sources.mutation.registry import API, FUZZERS, entry_of
from murxpy.sources.mutation.source import BOTH, TEXT
from murxpy.sources.setups import EnumerationSetup, Setup, SourcesSetup

_GENERATED = "generated.yaml"  # the file beside which the proofs of the other rules are kept


def shipped_rules() -> list[Plain]:
    """All shipped rules, and behind them those that follow from the table of operators. Raises
    InputError.
    """
    found = [rule for name in BOOKS.names() for rule in load_book(BOOKS.path(name))]
    return [*found, *generated_rules()]


def generated_rules() -> list[Plain]:
    """The rules that follow from the table of operators."""
    file = str(BOOKS.shipped() / _GENERATED)
    return [{**rule, "file": file} for rule in generated(build_catalogue(load_catalogue()))]


def full_name(rule: Plain) -> str:
    """The name of a rule behind that of its book, as findings and the steps of mutants have it."""
    return f"{rule['book']}:{rule['name']}"


def named_rules(names: Sequence[str] = ()) -> list[Plain]:
    """The rules of these books, of these files, and those with these names, with or without that of
    their book; without names all shipped ones. Raises InputError for a name that is none.
    """
    shipped = shipped_rules()
    found: list[Plain] = []
    for name in names:
        if Path(name).suffix in (".yaml", ".yml"):
            found += load_book(BOOKS.path(name))
            continue
        own = [rule for rule in shipped if name in (rule["book"], rule["name"], full_name(rule))]
        if not own:
            known = list(dict.fromkeys([r["book"] for r in shipped] + [r["name"] for r in shipped]))
            raise InputError(
                f"unknown rules '{name}'{nearest(name, known)}; expected a rule, a file of rules whose "
                f"name ends with .yaml, or one of {', '.join(dict.fromkeys(r['book'] for r in shipped))}"
            )
        found += own
    return [rule for at, rule in enumerate(found) if rule not in found[:at]] if names else shipped


def well_sorted(rules: Sequence[Plain]) -> None:
    """Raise InputError with the place of a rule whose patterns are not well-sorted. Rules that follow
    from the table of operators are left out.
    """
    Book([rule for rule in rules if not rule.get("generated")], build_catalogue(load_catalogue()))


def proved_rules(names: Sequence[str] = ()) -> list[Plain]:
    """Return the named rules that can be used: their kept proofs are proofs of this very text. Each
    has the instances that are proved. Raises InputError if there are no such rules.
    """
    found, known = list[Plain](), dict[str, Plain]()
    for rule in named_rules(names):
        file = str(rule["file"])
        if file not in known:
            known[file] = read_proofs(proofs_path(Path(file)))
        proof = known[file].get(rule["name"])
        if proof and proof["text"] == fingerprint(rule):
            keys = dict.fromkeys(key for some in proof["by"].values() for key in some)
            found.append({**rule, "proved": list(keys)})
    if not found:
        raise InputError(
            f"none of the rules in {', '.join(names)} is proved: 'murxpy rules FILE --prove' proves them"
        )
    return found


# ----------------------------------------------------------------------
# The API fuzzer, which walks a state machine of the solver's API: the setup of its session, as
# plain data.


LimitedBy = Literal["solver", "wall"]

# The checks of the solver's promises, by name; cheap ones are on by default.
_NAMED = {check.option: check for check in ANSWER_CHECKS if check.option}
DEFAULT_CHECKS = (*(name for name, check in _NAMED.items() if check.default), "planted")
SCRIPT_CHECKS = ("models", "cores")  # checks that also judge the answers to whole scripts
CHECKS = (*_NAMED, "planted", *(f"invariant-{name}" for name in PHRASES))


@dataclass(frozen=True, slots=True)
class RunOptions:
    """The user's request for the runs of a campaign.

    `theories`: every run has exactly these theories; if empty, all theories of the solver. A name
    behind `-` takes that theory away from all runs, which differ in the others as without it. `linear`:
    no run has nonlinear arithmetic. `scripted`: runs take no actions for which a script of SMT-LIB has no
    command, and answers are not checked. `logic`: each run has the theories of one logic of SMT-LIB
    that this name or pattern fits.
    `options`: names and values that every run sets. `swarm`: runs differ in theories, operators and
    weights. `drawn_options`: sets, names and patterns of the options that runs set at random. `limits`: what ends a check, the solver's
    own resource limit or only the wall time of the run. `checks`: the checks of the solver's
    promises that are on. `guide`: how a campaign chooses what its runs are made of.
    """

    theories: tuple[str, ...] = ()
    linear: bool = False
    scripted: bool = False
    logic: str = ""
    options: tuple[tuple[str, str], ...] = ()
    swarm: bool = True
    drawn_options: tuple[str, ...] = (LISTED,)
    limits: LimitedBy = "solver"
    checks: tuple[str, ...] = DEFAULT_CHECKS
    guide: str = OFF


def session_setup(
    catalogue: Plain, machine: Plain, wrapper: Plain, profile: Plain, options: RunOptions
) -> Setup:
    """The setup of a session (see `murxpy.worker.session`) that makes random runs as `options`
    say. `profile` is the user's profile merged over the wrapper's.

    Raises InputError for a theory that is unknown or that the wrapper does not have.
    """
    wanted, wrapper = _without_theories(options.theories, catalogue, wrapper)
    setup: Setup = {
        "catalogue": catalogue,
        "machine": _scripted(machine) if options.scripted else machine,
        "wrapper": wrapper,
        "drawn-options": list(options.drawn_options),
        "profile": profile,
        "theories": chosen_theories(wanted, catalogue, wrapper),
        "swarm": options.swarm,
        "options": [list(option) for option in options.options],
        "limits": options.limits,
        "checks": [] if options.scripted else list(options.checks),
        "documented": Documented(wrapper).operators(),
    }
    if options.guide != OFF:
        setup["guide"] = options.guide
    if options.linear:
        setup["linear"] = True
    if options.logic:
        setup["logics"] = chosen_logics(options.logic, wrapper)
    return setup


def _scripted(machine: Plain) -> Plain:
    """A machine without the actions for which a script has no command, and without checks of objects.
    So are the other machines that its runs walk.
    """
    states = {
        name: {
            **state,
            "do": [step for step in state.get("do", ()) if ACTIONS[step["do"]].scripted],
        }
        for name, state in machine["states"].items()
    }
    chances = {**machine["probabilities"], "check-new-object": 0.0}
    others = [[share, _scripted(other)] for share, other in machine.get("others", ())]
    return {**machine, "states": states, "probabilities": chances, "others": others}


def _without_theories(
    names: Sequence[str], catalogue: Plain, wrapper: Plain
) -> tuple[list[str], Plain]:
    """The names of the theories that runs have, and the wrapper without those whose names stand behind
    `-`. Raises InputError.
    """
    kept = [name for name in names if not name.startswith("-") and name.lower() != "all"]
    lost = chosen_theories([name[1:] for name in names if name.startswith("-")], catalogue, wrapper)
    if not lost:
        return kept, wrapper
    always = [theory["name"] for theory in catalogue["theories"] if theory["always"]]
    for name in lost:
        if name in always:
            raise InputError(f"--theories -{name}: every run has this theory")
    offered = wrapper["theories"] or [theory["name"] for theory in catalogue["theories"]]
    return kept, {**wrapper, "theories": [name for name in offered if name not in lost]}


def chosen_logics(pattern: str, wrapper: Plain) -> list[str]:
    """The logics of SMT-LIB that a name or a pattern such as `QF_*BV*` fits and whose theories the
    solver has. Raises InputError for none.
    """
    fitting = [name for name in LOGICS if fnmatchcase(name, pattern.upper())]
    if not fitting:
        raise InputError(
            f"--logic {pattern}: no such logic{nearest(pattern.upper(), LOGICS)}; known are {', '.join(LOGICS)}"
        )
    offered = wrapper["theories"]
    found = [
        name
        for name in fitting
        if (of := theories_of(name)) and (not offered or set(of[0]) <= set(offered))
    ]
    if not found:
        raise InputError(
            f"--logic {pattern}: random runs have no such logic on {wrapper['solver']}: it restricts the form of "
            "terms, or the solver lacks a theory"
        )
    return found


def chosen_theories(names: Sequence[str], catalogue: Plain, wrapper: Plain) -> list[str] | None:
    """The theories called `names`, in upper or lower case; None for no names. Raises InputError for
    a theory that the wrapper does not have.
    """
    known = [theory["name"] for theory in catalogue["theories"]]
    offered = wrapper["theories"] or known
    chosen = []
    for name in names:
        theory = name.upper()
        if theory not in known:
            raise InputError(
                f"unknown theory '{name}'{nearest(theory, known)}; known are {', '.join(known)}"
            )
        if theory not in offered:
            raise InputError(
                f"{wrapper['solver']} has no theory {theory}: expected some of {', '.join(offered)}"
            )
        chosen.append(theory)
    return list(dict.fromkeys(chosen)) or None


def chosen_checks(names: Sequence[str]) -> tuple[str, ...]:
    """The checks called `names`, in a fixed order. The names may be `all` or `none`; no name means
    the default. Raises InputError.
    """
    if not names:
        return DEFAULT_CHECKS
    if "none" in names and len(names) > 1:
        raise InputError("--check none switches all checks off: leave out the other names")
    return tuple(name for name in CHECKS if name in names or "all" in names)


def without_object(names: Sequence[str], wrapper: Plain) -> list[str]:
    """The checks among `names` for which this solver gives nothing to check."""
    readers, own = wrapper.get("readers") or {}, wrapper.get("invariants") or {}
    invariants = [
        name
        for name in PHRASES
        if name not in INVARIANTS and name not in PROMISES and name not in own
    ]
    lacking = [
        name for name, check in _NAMED.items() if check.reader and check.reader not in readers
    ] + [f"invariant-{name}" for name in invariants]
    return [name for name in names if name in lacking]


def parse_option(text: str) -> tuple[str, str]:
    """The name and the value in `NAME=VALUE`. Raises InputError for any other text."""
    name, equals, value = text.partition("=")
    if not equals or not name.strip() or not value.strip():
        raise InputError(f"--set {text}: expected NAME=VALUE, as in '--set random_seed=7'")
    return name.strip(), value.strip()


# ----------------------------------------------------------------------
# The mutation fuzzers as sources of a campaign's runs: what the user wants of them, and their
# part of the setup of a session.


WAYS = (TEXT, API, BOTH)


@dataclass(frozen=True, slots=True)
class Mutation:
    """The user's request for the mutation fuzzers.

    `mix`: sources with their weights; `api` is the walk over the state machine of the campaign, and the name
    of a machine the walk over that one. `seeds`: files and
    folders. `walk`: the number of mutants in one run, which then starts again from a seed.
    `check_ms`: the limit of a check, in milliseconds of a usual machine. `choices`: the settings of
    each fuzzer. `dialect`: the dialect of the scripts; if empty, that of the solver. `through`: how
    mutants reach the solver, one of `WAYS`. `budget`: the number of mutants that one fuzzer makes
    of one seed; None for no limit. `stability`: the share of mutants of which variants are asked.
    `walks`: the number of walks whose formulas are seeds, beside `seeds`. `auto`: whether the time of
    each source follows from what it gave.
    """

    mix: tuple[tuple[str, float], ...]
    seeds: tuple[str, ...]
    walk: int = 25
    check_ms: float = 50.0
    size_limit: int = SIZE_LIMIT
    choices: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    dialect: str = ""
    through: str = TEXT
    budget: int | None = None
    stability: float = 0.0
    walks: int = 0
    auto: bool = False

    @property
    def walks_apart(self) -> bool:
        """Whether walks draw from all that the solver has, and mutants from what means the same in its
        judges: in a mix that learns, where nobody judges the walks, unless these are seeds of mutants.
        """
        return self.auto and not self.walks


def sources_setup(mutation: Mutation, files: SeedFiles, *, scripted: bool = False) -> SourcesSetup:
    """The part `sources` of a session's setup. With `scripted`, walks take no actions for which a script
    has no command. Raises InputError if no rule that a fuzzer needs is proved.
    """
    setup: SourcesSetup = {
        "mix": [list(pair) for pair in mutation.mix],
        "seeds": files.files,
        "walk": mutation.walk if mutation.budget is None else min(mutation.walk, mutation.budget),
        "budget": mutation.budget,
        "check-ms": mutation.check_ms,
        "dialect": mutation.dialect,
        "through": mutation.through,
        "stability": mutation.stability,
        "choices": {name: dict(choices) for name, choices in mutation.choices.items()},
    }
    if mutation.auto:
        setup["auto"] = True
    known = walked_machines()
    machines = {name: load_machine(name) for name, _ in mutation.mix if name in known}
    if machines:
        setup["machines"] = {
            name: _scripted(one) if scripted else one for name, one in machines.items()
        }
    # the rules of implication, if a fuzzer of the mix needs them: those that the user names, else all
    choices = [mutation.choices.get(name) or {} for name, _ in mutation.mix if entry_of(name).ruled]
    named = [name for choice in choices for name in choice.get("rules") or ()]
    if choices:
        setup["rules"] = proved_rules(named)
    return setup


def needs_terms(mutation: Mutation) -> bool:
    """True if a fuzzer takes terms from all seeds."""
    return any(choices.get("corpus") for choices in mutation.choices.values())


def seed_files(mutation: Mutation, family: str) -> SeedFiles:
    """The seeds that are files, for a solver of this family. Raises InputError if there are none, unless
    walks are seeds or no source takes seeds.
    """
    if not mutation.seeds and (mutation.walks or not needs_seeds(mutation.mix)):
        return SeedFiles()
    dialect = mutation.dialect or family
    return collect_seeds(map(Path, mutation.seeds), mutation.size_limit, dialect)


AUTO = "auto"
# The weight with which walks begin, beside that of all mutation fuzzers together: on two old releases they
# find three times as much and more in the same time as any of these (bench/results/sources.md).
WALKS = 19


def walked_machines() -> list[str]:
    """The machines that sources of a mix walk, beside that of the campaign: the shipped ones that make
    right calls alone.
    """
    return [name for name in machine_names() if name not in ("default", "contract")]


def sources() -> list[str]:
    """The names of all sources of a mix."""
    return [API, *walked_machines(), *FUZZERS]


def is_auto(text: str) -> bool:
    """Whether the text of a mix begins with the word `auto`: the time of each source follows from what it
    gave.
    """
    return text.split(",")[0].strip() == AUTO


def parse_mix(text: str, through: str = TEXT) -> tuple[tuple[str, float], ...]:
    """The sources with their weights in a text such as `api:4,storm:2`. Behind the word `auto` they
    may be left out: then all sources are meant, and `through` the API all that ask the solver no scripts.
    Raises InputError for any other text.
    """
    parts = [part.strip() for part in text.split(",")]
    if parts == [AUTO]:
        return tuple(one for one in _all_sources() if through != API or not entry_of(one[0]).asks)
    if parts[0] == AUTO:
        parts = parts[1:]
    mix = tuple(_parse_source(part) for part in parts)
    names = [name for name, _ in mix]
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"--mix: '{name}' stands twice; add up its weights")
    return mix


def _all_sources() -> tuple[tuple[str, float], ...]:
    """All sources. Walks begin with 95 % of the time: nine tenths of it over the machine of the campaign,
    the rest over the other machines alike.
    """
    machines, tenth = walked_machines(), WALKS * len(FUZZERS) / 10
    of_others = [(name, tenth / len(machines)) for name in machines]
    return ((API, 9 * tenth), *of_others, *((name, 1.0) for name in FUZZERS))


def _parse_source(part: str) -> tuple[str, float]:
    known = sources()
    name, colon, weight = part.partition(":")
    if not name:
        raise InputError(
            "--mix: expected names of sources with commas between them, such as auto or api:4,storm:2; "
            f"one is empty; known are {', '.join(known)}"
        )
    if name == AUTO:
        raise InputError(f"--mix: '{AUTO}' stands in front of the sources, without a weight")
    if name not in known:
        raise InputError(
            f"--mix: unknown source '{name}'{nearest(name, known)}; known are {', '.join(known)}"
        )
    try:
        number = float(weight) if colon else 1.0
    except ValueError:
        number = 0.0
    if not 0 < number < 1e9:
        raise InputError(f"--mix: expected a weight above 0 behind '{name}:', found '{weight}'")
    return name, number


def check_mix(mutation: Mutation) -> None:
    """Raise KeyError for a source of a recorded mix that there is not."""
    for name in (*dict(mutation.mix), *mutation.choices):
        if name not in sources():
            raise KeyError(name)


def needs_seeds(mix: Sequence[tuple[str, float]]) -> bool:
    """True if the mix has a source that takes seeds."""
    return not all(entry_of(name).seedless for name, _ in mix)


# ----------------------------------------------------------------------
# The user's request for an enumeration, and its part of the setup of a session.


@dataclass(frozen=True, slots=True)
class Enumerated:
    """The scripts of `grammars`, which are names or files: of each grammar `take` scripts, from
    index `at` on. A run tests `block` of them, each check within `check_ms` milliseconds of a usual
    machine. With `simplify`, the terms of scripts go through the solver's simplifier, and no script
    is answered. With `calls`, `grammars` are pools, of which all sequences of up to so many calls are
    made. With `canonical`, only one of each kind of twins is tested.
    """

    grammars: tuple[str, ...]
    take: int
    at: int = 0
    block: int = 100
    check_ms: float = 50.0
    simplify: bool = False
    calls: int = 0
    canonical: bool = False

    def loaded(self) -> list[Grammar]:
        """The grammars, after their check. Raises InputError."""
        if self.calls:
            return [sequences(name, self.calls) for name in self.grammars]
        return all_checked(self.grammars)


def enumeration_setup(wanted: Enumerated) -> EnumerationSetup:
    """The part `enumeration` of a session's setup. Raises InputError for a grammar
    that is unknown or not well-sorted.
    """
    setup: EnumerationSetup = {
        "grammars": [grammar.plain for grammar in wanted.loaded()],
        "at": str(wanted.at),
        "take": wanted.take,
        "block": wanted.block,
        "check-ms": wanted.check_ms,
    }
    if wanted.simplify:
        setup["simplify"] = True
    if wanted.canonical:
        setup["canonical"] = build_catalogue(load_catalogue()).commuting()
    return setup


def checked(name: str) -> Grammar:
    """A grammar, shipped or the user's, after its check. Raises InputError."""
    catalogue = build_catalogue(load_catalogue())
    grammar = Grammar(with_operators(load_grammar(name), catalogue))
    check_grammar(grammar, catalogue)
    return grammar


def all_checked(names: Sequence[str]) -> list[Grammar]:
    """Grammars, each after its check. Raises InputError, also where two have one name, by which their
    scripts are counted.
    """
    found: dict[str, Grammar] = {}
    for name in names:
        grammar = checked(name)
        if grammar.name in found:
            raise InputError(
                f"another grammar, of {found[grammar.name].file}, is called {grammar.name}, too: expected each "
                "name once",
                file=grammar.file,
            )
        found[grammar.name] = grammar
    return list(found.values())


def sequences(pool: str, most: int) -> Grammar:
    """The sequences of up to `most` calls over a pool, shipped or the user's. Raises InputError."""
    return Grammar(calls_grammar(load_pool(pool), most, build_catalogue(load_catalogue())))


def of_calls(wanted: Enumerated, pool: str, most: int, first: int | None) -> Enumerated:
    """All sequences of up to `most` calls over a pool, or the `first` of them, each in a run of its own.
    Raises InputError.
    """
    number = sequences(pool, most).up_to(most + 1)
    take = min(first or number, number)
    return replace(wanted, grammars=(pool,), take=take, at=0, block=1, calls=most)
