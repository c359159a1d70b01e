"""The state machines of `fsm/*.yaml` as plain data: states, actions, weights, and every size and
chance of a run.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

from msgspec import Meta

from murxpy.data.folders import data_folder, remembered
from murxpy.data.machine_check import machine_errors, missing, nearest_or_all
from murxpy.data.theories import Plain, load_theories, theory_files
from murxpy.data.yamlfile import Document, Strict, convert, plain, read_document
from murxpy.errors import InputError, nearest
from murxpy.machine.checks.registry import CHECKS

Weight = Annotated[int, Meta(gt=0)] | Annotated[float, Meta(gt=0)]
Chance = Annotated[float, Meta(ge=0, le=1)]
Number = int | float
Range = tuple[Number, Number]

DEFAULT = "default"
_NAMED_BY_DEFAULT = ("distributions", "probabilities", "limits")
_NAMED_BY_CATALOGUE = ("theories", "operators", "sorts")


class Transition(Strict, frozen=True):
    """An action of a state: its relative weight, the state to which it leads (None if it stays),
    and when it can be drawn.
    """

    do: str
    weight: Weight
    to: str | None = None
    when: str | list[str] = []


class State(Strict, frozen=True):
    """A state: what must hold to enter it, its kind, and the actions in it."""

    needs: str | list[str] = []
    kind: Literal["normal", "decision", "choice"] = "normal"
    do: list[Transition] = []


class Distribution(Strict, frozen=True):
    """A weighted choice between numbers, names, and ranges of numbers."""

    choices: list[tuple[Number | str | Range, Weight]]


class SwarmTheories(Strict, frozen=True):
    """The number of theories that a run has, and the weights with which they are chosen."""

    all: Chance | None = None
    count: Distribution | None = None
    weights: dict[str, Number] = {}


class SwarmOperators(Strict, frozen=True):
    """The share of the operators that a run keeps."""

    all: Chance | None = None
    keep: tuple[Chance, Chance] | None = None


class SwarmWeights(Strict, frozen=True):
    """The factor by which each weight is multiplied."""

    same: Chance | None = None
    factor: Range | None = None


class Swarm(Strict, frozen=True):
    """The choices that a run makes at its start, so that runs differ in kind."""

    theories: SwarmTheories = SwarmTheories()
    operators: SwarmOperators = SwarmOperators()
    weights: SwarmWeights = SwarmWeights()
    linear: Chance | None = None  # chance of a run that multiplies and divides by literals only


class Machine(Strict, frozen=True):
    """A file of `fsm/`."""

    name: str
    start: str
    final: str
    states: dict[str, State]
    about: str = ""
    expect: dict[str, Chance] = {}
    distributions: dict[str, Distribution] = {}
    probabilities: dict[str, Chance] = {}
    limits: dict[str, Annotated[int, Meta(ge=0)]] = {}
    weights: dict[Literal["theories", "operators", "sorts"], dict[str, Number]] = {}
    swarm: Swarm = Swarm()
    others: dict[str, Chance] = {}  # shares of the runs that walk other shipped machines


def load_machine(name_or_path: str) -> Plain:
    """Return the machine of a shipped name or of a file. The machine is checked, and takes everything
    that it does not define from `default`.

    The result is a dict with the keys of the file. In it `needs` and `when` are lists, `to` is always
    there, and `others` has pairs of a share and a machine. Raises InputError for the first fault.
    """
    return _load(machine_path(name_or_path), theory_files())


@remembered
def _load(path: Path, theories: tuple[Path, ...]) -> Plain:
    """Return the machine in a file. `theories` are the files whose names it may use. The shipped machines
    are checked by tests, and not each time.
    """
    if path.parent == data_folder("fsm"):
        _, machine, base = _decoded(path)
        return _with_others(machine if base is None else _complete(machine, base))
    machine, errors = inspect_machine(str(path))
    if errors:
        raise errors[0]
    return _with_others(machine)


def _with_others(machine: Plain) -> Plain:
    """Return the machine with pairs of shares and machines in place of the names in `others`. The others
    have no others.
    """
    others = [
        [share, {**load_machine(name), "others": []}] for name, share in machine["others"].items()
    ]
    return {**machine, "others": others}


def _decoded(path: Path) -> tuple[Document, Plain, Plain | None]:
    """A machine with its document, and the machine from which it takes its missing settings."""
    document = read_document(path)
    machine = _normal(convert(document, Machine))
    base: Plain | None = None
    if path.resolve() != machine_path(DEFAULT).resolve():
        base = _normal(convert(read_document(machine_path(DEFAULT)), Machine))
    return document, machine, base


def inspect_machine(name_or_path: str) -> tuple[Plain, list[InputError]]:
    """Return the machine and all its faults. Raises InputError if the file cannot be decoded."""
    from murxpy.graphs.machine import out_of_reach  # only a machine of one's own pays for networkx

    document, machine, base = _decoded(machine_path(name_or_path))
    errors = [
        *machine_errors(document, machine, out_of_reach),
        *_name_errors(document, machine, base),
    ]
    if base is None:
        errors += missing(document, machine)
    errors.sort(key=lambda error: error.line or 0)
    return (machine if base is None else _complete(machine, base)), errors


def machine_path(name_or_path: str) -> Path:
    """Return the file of a machine, which is a name of `fsm/` or a path. Raises InputError if the
    name is neither.
    """
    folder = data_folder("fsm")
    shipped = folder / f"{name_or_path}.yaml"
    if name_or_path and Path(name_or_path).name == name_or_path and shipped.is_file():
        return shipped
    path = Path(name_or_path).expanduser()
    if path.is_file() or path.suffix in (".yaml", ".yml"):
        return path
    known = machine_names()
    hint = nearest(name_or_path, known)
    raise InputError(
        f"unknown state machine '{name_or_path}'{hint}: expected {', '.join(known)} or a YAML file"
    )


def machine_names() -> list[str]:
    """Return the names of the shipped machines."""
    return sorted(path.stem for path in data_folder("fsm").glob("*.yaml"))


def _normal(machine: Machine) -> Plain:
    """Return the machine as plain data in which every key is there."""
    data: Plain = plain(machine)
    for check in CHECKS:
        if check.chance is not None:
            data["probabilities"].setdefault(check.name, check.chance)
    for name, state in data["states"].items():
        state["needs"] = _as_list(state["needs"])
        for transition in state["do"]:
            transition["to"] = transition["to"] or name
            transition["when"] = _as_list(transition["when"])
    for section in _NAMED_BY_CATALOGUE:
        data["weights"].setdefault(section, {})
    return data


def _as_list(names: str | list[str]) -> list[str]:
    return [names] if isinstance(names, str) else names


def _complete(machine: Plain, base: Plain) -> Plain:
    """Return the machine with what only the base says. The states are always the machine's own."""
    merged = dict(machine)
    for section in ("expect", *_NAMED_BY_DEFAULT):
        merged[section] = base[section] | machine[section]
    for section in ("weights", "swarm"):
        merged[section] = {
            part: _over(machine[section][part], entry) for part, entry in base[section].items()
        }
    return merged


def _over(entry: Any, base: Any) -> Any:
    """Return an entry with what only the base says."""
    if isinstance(base, dict):
        return base | {key: value for key, value in entry.items() if value not in (None, {})}
    return base if entry is None else entry


def _name_errors(document: Document, machine: Plain, base: Plain | None) -> list[InputError]:
    """Yield the faults of names that nothing reads, such as those of distributions, limits and
    theories.
    """
    errors = []
    for section in _NAMED_BY_DEFAULT if base is not None else ():
        assert base is not None
        for name in machine[section]:
            if name not in base[section]:
                errors.append(_unknown(document, (section, name), base[section]))
    for name in machine["others"]:
        if name not in machine_names() or name == machine["name"]:
            errors.append(_unknown(document, ("others", name), machine_names()))
    if sum(machine["others"].values()) > 1:
        errors.append(document.error(("others",), "expected shares with a sum of at most 1"))
    known = _catalogue_names()
    for section in _NAMED_BY_CATALOGUE:
        for name in machine["weights"][section]:
            if name not in known[section]:
                errors.append(_unknown(document, ("weights", section, name), known[section]))
    for name in machine["swarm"]["theories"]["weights"]:
        if name not in known["theories"]:
            errors.append(
                _unknown(document, ("swarm", "theories", "weights", name), known["theories"])
            )
    return errors


def _catalogue_names() -> dict[str, list[str]]:
    theories = load_theories()["theories"]
    return {
        "theories": ["default", *(theory["name"] for theory in theories)],
        "operators": ["default", *(kind for theory in theories for kind in theory["operators"])],
        "sorts": ["default", *(kind for theory in theories for kind in theory["sorts"])],
    }


def _unknown(document: Document, place: tuple[str, ...], known: Any) -> InputError:
    section, name = place[-2], place[-1]
    return document.error(
        place, f"unknown name '{name}' among {section}{nearest_or_all(name, known)}"
    )
