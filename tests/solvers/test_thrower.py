"""Whose an exception is: what a helper of ours throws, or what a release has no name for, is never
told as the binding's.
"""

from __future__ import annotations

import sys
import types
from collections.abc import Iterator
from typing import Any

import pytest
from toy import TOY, catalogue, forked, live

from murxpy.machine.outcomes import Refused, Stopped
from murxpy.machine.run import Run
from murxpy.solvers.exceptions import BROKEN, UNDOCUMENTED, Contract
from murxpy.solvers.wrapper import Wrapper

BINDING = """
import enum, fractions
class Kind(enum.Enum):
    AND = 1
class Other:
    def only_here(self): pass
class Term:
    def fails(self): return [][1]
    def lacks(self): return self.nothing
    def library(self): return fractions.Fraction("x")
class Declined(Exception): pass
"""
HELPERS = """
import enum
from fakebinding import Declined, Kind, Term
import fakebinding
def kind(): return Kind.SKOLEM
def module(): return fakebinding.missing
def method(): return Term().missing
def index(): return [][1]
def name(): return undefined_name
def none(): return None.foo
def library(): return enum.Enum("x")
def told(): raise Declined("it said no")
def deep(): return Term().fails()
def deep_lacks(): return Term().lacks()
def deep_library(): return Term().library()
"""
LACKING = {
    "h.kind()": "Kind.SKOLEM",
    "h.module()": "fakebinding.missing",
    "h.method()": "Term.missing",
    "Term().missing()": "Term.missing",
}
OURS = ["h.index()", "h.name()", "h.none()", "h.library()"]
THEIRS = [
    "h.told()",
    "h.deep()",
    "h.deep_lacks()",
    "h.deep_library()",
    "Term().fails()",
    "Term().only_here()",
    "int('x')",
]


@pytest.fixture
def run() -> Iterator[Run]:
    module = types.ModuleType("fakebinding")
    exec(compile(BINDING, "/site-packages/fakebinding.py", "exec"), module.__dict__)
    sys.modules["fakebinding"] = module
    calls = {f"call-{at}": call for at, call in enumerate([*LACKING, *OURS, *THEIRS])}
    data = {
        **TOY,
        "module": "fakebinding",
        "imports": f"{TOY['imports']}\nfrom fakebinding import Term",
        "helpers_sources": [["wrappers/fake_helpers.py", HELPERS]],
        "actions": TOY["actions"] | calls,
    }
    yield Run(Wrapper(data, catalogue()), catalogue(), 1, lambda text: None)
    del sys.modules["fakebinding"]


def outcome(run: Run, call: str) -> tuple[str, str, str]:
    """What becomes of a call: class or tier, kind, message."""
    at = [*LACKING, *OURS, *THEIRS].index(call)
    spellings = run.wrapper.set("actions", f"call-{at}")
    assert spellings is not None
    try:
        run.call(spellings.spellings[0], (), (), "check-sat")
    except Refused as refused:
        return refused.sort, "", str(refused)
    except Stopped as stopped:
        assert stopped.finding is not None
        return stopped.finding["tier"], stopped.finding["kind"], stopped.finding["message"]
    raise AssertionError(call)


@pytest.mark.parametrize("call", LACKING)
def test_a_name_that_the_release_lacks_is_unsupported(run: Run, call: str) -> None:
    assert outcome(run, call) == (
        "unsupported",
        "",
        f"AttributeError: this release has no {LACKING[call]}",
    )


@pytest.mark.parametrize("call", OURS)
def test_what_a_helper_throws_is_ours(run: Run, call: str) -> None:
    tier, kind, message = outcome(run, call)
    assert (tier, kind) == ("murxpy", "ill-formed") and message.endswith(
        "(in a helper of the wrapper)"
    )


@pytest.mark.parametrize("call", THEIRS)
def test_what_the_binding_throws_is_the_bindings(run: Run, call: str) -> None:
    assert outcome(run, call)[:2] == ("binding", "exception")


def _thrown(solver: str) -> list[tuple[str, str]]:
    """What becomes of each helper of a solver that is called with objects that it was not made for."""
    wrapper = live(solver).wrapper
    found = []
    for name, helper in sorted(vars(wrapper.namespace["h"]).items()):
        if isinstance(helper, types.FunctionType):
            given: list[Any] = [object()] * helper.__code__.co_argcount
            try:
                helper(*given)
            except Exception as error:
                refusal = wrapper.refusal(error)
                trace = error.__traceback__
                while trace is not None and trace.tb_next is not None:
                    trace = trace.tb_next
                if (
                    trace is not None
                    and refusal.sort == UNDOCUMENTED
                    and "wrappers" in trace.tb_frame.f_code.co_filename
                ):
                    found.append((name, f"{refusal.type}: {refusal.message}"))
    return found


@pytest.mark.parametrize("solver", ["z3", "cvc5"])
def test_no_helper_that_fails_by_itself_blames_the_binding(solver: str) -> None:
    assert forked(lambda: _thrown(solver)) == []


def test_a_binding_in_a_folder_called_murxpy_is_not_ours() -> None:
    """Releases are installed below `~/.cache/murxpy`."""
    file = "/home/a/.cache/murxpy/releases/z3-solver-5.4.1/z3.py"
    called: dict[str, Any] = {}
    exec(compile("def asked():\n    assert False", file, "exec"), called)
    with pytest.raises(AssertionError) as raised:
        called["asked"]()
    thrown = Contract({}, ()).judge(raised.value, live("z3").wrapper.refusals)
    assert (thrown.sort, thrown.place) == (BROKEN, "asked (z3.py)")
