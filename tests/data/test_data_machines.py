"""State machines: the shipped ones are sound, and every fault is reported with state and line."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from murxpy.data import data_folder, inspect_machine, load_machine, machine_names, machines
from murxpy.data.machine_check import ANSWERS, CONDITIONS, assignments
from murxpy.data.machines import Machine, machine_path
from murxpy.data.yamlfile import convert, parse_document
from murxpy.errors import InputError

SMALL = """\
name: small
start: new
final: final
states:
  new:
    do:
      - {do: new, weight: 1, to: work}
  work:
    do:
      - {do: mk-sort, weight: 2}
      - {do: mk-const, weight: 2, when: has-sort}
      - {do: go, weight: 1, to: final}
  final: {}
"""


def faults(tmp_path: Path, text: str) -> list[str]:
    """The faults of a machine, each without the path of its file."""
    path = tmp_path / "m.yaml"
    path.write_text(text)
    try:
        errors = inspect_machine(str(path))[1]
    except InputError as error:
        errors = [error]
    return [str(error).removeprefix(str(path)) for error in errors]


@pytest.mark.parametrize("name", machine_names())
def test_shipped_machines_are_sound_plain_data(name: str) -> None:
    machine = load_machine(name)
    assert json.loads(json.dumps(machine)) == machine
    assert {
        transition["do"] for state in machine["states"].values() for transition in state["do"]
    } >= {"check-sat"}


def test_normal_form_and_defaults(tmp_path: Path) -> None:
    (tmp_path / "m.yaml").write_text(SMALL + "limits: {steps: 7}\nswarm: {theories: {all: 0.5}}\n")
    machine, default = load_machine(str(tmp_path / "m.yaml")), load_machine("default")
    work = machine["states"]["work"]
    assert work["do"][1] == {"do": "mk-const", "weight": 2, "to": "work", "when": ["has-sort"]}
    assert machine["limits"] == default["limits"] | {"steps": 7}
    assert machine["swarm"]["theories"] == default["swarm"]["theories"] | {"all": 0.5}
    assert machine["swarm"]["weights"] == default["swarm"]["weights"]
    assert machine["distributions"] == default["distributions"]


FAULTS = {
    "unknown action": (
        "do: mk-sort,",
        "do: mk-srt,",
        [":10: state 'work': unknown action 'mk-srt' (did you mean 'mk-sort'?)"],
    ),
    "unknown target": (
        "to: final}",
        "to: finale}",
        [":12: state 'work': unknown state 'finale' (did you mean 'final'?)"],
    ),
    "unknown condition": (
        "when: has-sort",
        "when: not-has-sorts",
        [":11: state 'work': unknown condition 'has-sorts' (did you mean 'has-sort'?)"],
    ),
    "unknown key": (
        "weight: 2, when",
        "weigt: 2, when",
        [":11: unknown key 'weigt' (did you mean 'weight'?)"],
    ),
    "weight of nothing": (
        "weight: 1, to: work",
        "weight: 0, to: work",
        [":7: expected a number over 0, found 0"],
    ),
    "weight missing": ("weight: 1, to: work", "to: work", [":7: the key 'weight' is missing"]),
    "weight is text": (
        "weight: 1, to: work",
        "weight: many, to: work",
        [":7: expected a number over 0, found the text"],
    ),
    "start": ("start: new", "start: knew", [":2: unknown state 'knew' (did you mean 'new'?)"]),
    "trap": (
        "{do: go, weight: 1, to: final}",
        "{do: gc, weight: 1}",
        [":5: the final", ":8: the final", ":13: state 'final' is never"],
    ),
    "go to itself": (
        "  final: {}",
        "  lost: {do: [{do: go, weight: 1, to: lost}]}\n  final: {}",
        [":13: state 'lost': 'go' needs another", ":13: state 'lost' is never", ":13: the final"],
    ),
    "unreached": (
        "  final: {}",
        "  lost: {do: [{do: go, weight: 1, to: final}]}\n  final: {}",
        [":13: state 'lost' is never"],
    ),
    "final acts": (
        "  final: {}",
        "  final: {do: [{do: gc, weight: 1}]}",
        [":13: the final state 'final' does something"],
    ),
    "choice without decision": (
        "  work:\n",
        "  work:\n    kind: choice\n",
        [":7: state 'new' leads to the choice 'work'"],
    ),
    "decision acts": (
        "  work:\n",
        "  work:\n    kind: decision\n",
        [":11: the decision", ":12: the decision", ":13: the decision"],
    ),
    "no list": ("states:", "states: []\nlimits:", [":4: expected a mapping"]),
    "kind": (
        "  work:\n",
        "  work:\n    kind: choise\n",
        [
            ":9: expected 'choice' or 'decision' or 'normal', found the text 'choise' (did you mean 'choice'?)"
        ],
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_faults_name_state_and_line(tmp_path: Path, name: str) -> None:
    before, after, expected = FAULTS[name]
    assert before in SMALL
    found = faults(tmp_path, SMALL.replace(before, after))
    assert len(found) == len(expected), found
    for fault, start in zip(found, expected, strict=True):
        assert fault.startswith(start), (fault, start)


def test_stuck_states(tmp_path: Path) -> None:
    exits = SMALL.replace(
        "{do: go, weight: 1, to: final}", "{do: go, weight: 1, to: final, when: %s}"
    )
    assert faults(tmp_path, exits % "has-sort") == []  # mk-sort makes it so
    assert faults(tmp_path, exits % "[has-term, has-sort]") == []  # mk-sort, then mk-const
    assert faults(tmp_path, exits % "pushed") == [
        ":8: state 'work': there is no way out when has-sort, not-pushed"
    ]
    nothing = SMALL.replace("{do: mk-sort, weight: 2}", "{do: mk-sort, weight: 2, when: sat}")
    nothing = nothing.replace("to: final}", "to: final, when: unsat}").replace(
        "when: has-sort", "when: [sat, models]"
    )
    nothing = nothing.replace(
        "do: mk-sort, weight: 2, when: sat", "do: gc, weight: 2, to: final, when: sat"
    )
    assert faults(tmp_path, nothing) == [
        ":8: state 'work': nothing can be done when not-sat, models, not-unsat, unknown, checked"
    ]


SECTIONS = {
    "distributions: {run-lenght: {choices: [[1, 1]]}}": "unknown name 'run-lenght' among distributions (did you mean",
    "distributions: {run-length: {choices: []}}": "no choices",
    "distributions: {run-length: {choices: [[[5, 2], 1]]}}": "the range [5, 2] is empty",
    "distributions: {run-length: {choices: [[5, 0]]}}": "expected a number over 0, found 0",
    "limits: {stepz: 1}": "unknown name 'stepz' among limits (did you mean 'steps'?)",
    "limits: {steps: -1}": "expected an integer of at least 0, found -1",
    "probabilities: {incremental: 2}": "expected a number of at least 0 to 1, found 2",
    "expect: {foo: 1}": "unknown condition 'foo'",
    "weights: {theories: {BW: 1}}": "unknown name 'BW' among theories; known are default, BOOL",
    "weights: {operators: {OP_NOT: 0}}": "the weight of 'OP_NOT' is 0",
    "weights: {operator: {OP_NOT: 1}}": "expected 'operators' or 'sorts' or 'theories', found the text 'operator'",
    "swarm: {theories: {weights: {BW: 1}}}": "unknown name 'BW' among weights; known are default, BOOL",
    "swarm: {operators: {keep: [0.9, 0.1]}}": "the range [0.9, 0.1] is empty",
    "swarm: {weights: {factor: [0, 1]}}": "expected factors above 0",
}


@pytest.mark.parametrize("section", SECTIONS)
def test_faults_of_other_sections(tmp_path: Path, section: str) -> None:
    found = faults(tmp_path, SMALL + section + "\n")
    assert len(found) == 1, found
    assert found[0].startswith(":14: " + SECTIONS[section]), found


def test_unknown_machine() -> None:
    with pytest.raises(
        InputError, match=r"unknown state machine 'defualt' \(did you mean 'default'"
    ):
        load_machine("defualt")
    with pytest.raises(InputError, match="there is no such file"):
        load_machine("missing.yaml")


TEXT = (data_folder("fsm") / "default.yaml").read_text()


@given(st.integers(0, len(TEXT)))
def test_truncated_anywhere(length: int) -> None:
    try:
        convert(parse_document(TEXT[:length], "f"), Machine)
    except InputError as error:
        assert str(error).startswith("f")
        assert "\n" not in str(error)


def test_possible_assignments() -> None:
    names = list(CONDITIONS)
    for assignment in assignments([*names[:4], "checked", *ANSWERS]):
        assert sum(assignment[answer] for answer in ANSWERS) == assignment["checked"]
        assert assignment["has-sort"] or not assignment["has-bool"]
    assert list(assignments(["incremental", "can-check"], ["incremental"])) == [
        {"incremental": True, "can-check": True}
    ]


def test_the_default_machine_has_a_chance_for_each_check(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every other machine takes from it what it does not say."""
    sound = yaml.safe_load(machine_path("default").read_text())
    del sound["probabilities"]["check-model"]
    file = tmp_path / "default.yaml"
    file.write_text(yaml.safe_dump(sound))
    monkeypatch.setattr(machines, "machine_path", lambda name: file)
    with pytest.raises(InputError, match=r"add a line such as 'check-model: 0\.1'"):
        load_machine("default")


_READING = {
    "chance": "probabilities",
    "draw": "distributions",
    "number": "distributions",
    "limit": "limits",
    "within": "distributions",
}


def test_the_default_machine_has_what_the_engine_reads() -> None:
    """What it lacked would be a KeyError in a run."""
    machine = load_machine("default")
    lacking, read = [], 0
    for path in Path(machines.__file__).parent.parent.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(text if ".settings." in text else "")):
            if isinstance(node, ast.Call) and ".settings." in f".{ast.unparse(node.func)}.":
                section = _READING.get(ast.unparse(node.func).rpartition(".")[2])
                for arg in node.args[:1] if section else ():
                    if isinstance(arg, ast.Constant) and isinstance(arg.value, str):
                        read += 1
                        lacking += [] if arg.value in machine[section] else [(path, arg.value)]
    assert read > 50 and lacking == []
