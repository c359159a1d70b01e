"""Ways of use that are state machines: a share of the default runs walks them, and each finds a solver that breaks what
the way of use relies on.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

import pytest
import truth
from toy import replay, walk

from murxpy.data import data_folder, load_catalogue, load_machine, load_wrapper
from murxpy.data.yamlfile import read_document
from murxpy.fuzzers.setups import RunOptions, session_setup
from murxpy.worker.session import Session

# A solver that gives models, and forgets or keeps what it must not, by its flaw.
SOURCE = """
class Honest(Solver):
    def check(self, *assumed):
        names = list(self.context.names)
        terms = [t for level in self.levels for t in level] + list(assumed)
        for values in itertools.product((False, True), repeat=min(len(names), 5)):
            model = dict(zip(names, (*values, *[False] * len(names))))
            if all(value(t, model, None) for t in terms):
                self.model = model
                return "sat"
        return "unknown" if len(names) > 5 else "unsat"
    def add(self, term):
        self.levels[-1].append(term)
    def tell(self, term):
        return value(term, self.model, None)
    def pop(self, levels):
        del self.levels[len(self.levels) - levels:]
    def simplify(self, term):
        try:
            return value(term, {}, None)
        except KeyError:
            return term
    def substitute(self, term, old, new, known=None):
        known = {} if known is None else known
        if term is old:
            return new
        if id(term) not in known:
            parts = term[1:] if isinstance(term, tuple) else ()
            done = [self.substitute(part, old, new, known) for part in parts]
            known[id(term)] = (term[0], *done) if done else term
        return known[id(term)]
class Kept(Honest):
    def pop(self, levels):
        for _ in range(levels):
            last = self.levels.pop()
            self.levels[-1].extend(last)
class Assumed(Honest):
    def check(self, *assumed):
        self.levels[-1].extend(assumed)
        return super().check(*assumed)
class Sloppy(Honest):
    def substitute(self, term, old, new):
        return new
class Deaf(Honest):
    def add(self, term):
        if not hasattr(self, "model"):
            super().add(term)
"""
FLAWS = {
    "search": "Kept",
    "assuming": "Assumed",
    "models": "Deaf",
    "incremental": "Kept",
    "rewriting": "Sloppy",
}


def session(name: str, solver: str, **more: Any) -> Session:
    """A session of walks over a machine, with a solver of that class."""
    made = truth.wrapper("toy")
    made["imports"] += SOURCE
    made["lifecycle"] = {**made["lifecycle"], "new": f"{solver}({{ctx}})"}
    made["actions"] |= {
        "assert-formula": "{solver}.add({0})",
        "pop": "{solver}.pop({v})",
        "get-value": "{solver}.tell({0})",
        "simplify": "{solver}.simplify({0})",
        "substitute": "{solver}.substitute({0}, {1}, {2})",
    }
    made["readers"] = {"value": "('bool', {0})"}
    setup: Any = {"catalogue": load_catalogue(), "machine": load_machine(name), "wrapper": made}
    return Session({**setup, "checks": ["invariants", "simplify", "substitute"], **more})


def broken(machine: str, solver: str, runs: int = 400) -> tuple[str, dict[str, Any]] | None:
    """The first run of a machine that finds something, and its finding."""
    made = session(machine, solver)
    for seed in range(1, runs):
        text, report = walk(made, seed)
        if report["finding"]:
            return text, report["finding"]
    return None


@pytest.mark.parametrize("machine", FLAWS)
def test_a_way_of_use_finds_what_breaks_it(machine: str) -> None:
    found = broken(machine, FLAWS[machine])
    kind = "invalid-substitute" if machine == "rewriting" else "inconsistent"
    assert found is not None and found[1]["kind"] == kind
    again = replay(session(machine, FLAWS[machine]), found[0])[1]["finding"]
    assert again["message"] == found[1]["message"]


@pytest.mark.parametrize("machine", FLAWS)
def test_a_way_of_use_finds_nothing_in_a_right_solver(machine: str) -> None:
    assert broken(machine, "Honest", 25) is None


def test_a_blocked_model_is_another_one() -> None:
    """The values that were read are excluded by an assertion over the same terms."""
    made = session("models", "Honest")
    texts = (walk(made, seed)[0] for seed in range(1, 50))
    text = next(text for text in texts if "get-value" in text)
    rows = [row.split() for row in text[text.index("get-value") :].splitlines()]
    operators = [row[2] for row in rows if "mk-term" in row[1]]
    assert operators[:2] == ["OP_EQUAL", "OP_NOT"]
    assert any("assert-formula" in row[1] for row in rows)


def test_a_share_of_the_default_runs_walks_the_others() -> None:
    shares = read_document(data_folder("fsm") / "default.yaml").data["others"]
    assert shares.keys() == FLAWS.keys() and sum(shares.values()) <= 0.05
    made = session("default", "Honest", solverless=True)
    rows = [walk(made, seed)[0] for seed in range(1, 401)]
    walked = Counter(text.split("# machine ")[1].split("\n")[0] for text in rows)
    assert walked.keys() == {"default", *FLAWS} and walked["default"] >= 360
    # all other runs are what they are without the others
    alone = session(
        "default", "Honest", solverless=True, machine={**load_machine("default"), "others": []}
    )
    same = [text for text in rows[:30] if "# machine default" in text]
    assert len(same) > 25
    assert set(same) <= {walk(alone, seed)[0] for seed in range(1, 31)}


def test_scripted_runs_walk_the_others_without_what_no_script_says() -> None:
    wrapper = truth.wrapper("toy")
    options = RunOptions(scripted=True)
    setup = session_setup(load_catalogue(), load_machine("default"), wrapper, {}, options)
    others = [machine for _, machine in setup["machine"]["others"]]
    actions = {
        step["do"] for one in others for state in one["states"].values() for step in state["do"]
    }
    assert len(others) == len(FLAWS) and "solver-action" not in actions


def test_the_machine_of_parts_uses_what_a_solver_has_beside_checks() -> None:
    setup = {"catalogue": load_catalogue(), "machine": load_machine("parts")}
    made = Session({**setup, "wrapper": load_wrapper("z3"), "solverless": True})
    texts = [walk(made, seed)[0] for seed in range(1, 41)]
    used = [Counter(re.findall(r"^ *\d+ (z3-[a-z]+)", text, re.MULTILINE)) for text in texts]
    assert sum(map(bool, used)) >= 25
    assert len(set().union(*used)) >= 10, "and not only a few of them"
    assert sum("new@optimizer" in text for text in texts) >= 4
