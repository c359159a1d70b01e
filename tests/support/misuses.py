"""The binding with planted defects (`fakes/misused.py`) behind a wrapper, and what contract mode
finds in it.
"""

from __future__ import annotations

import functools
import sys
from typing import Any

from campaigns import FAKES
from toy import replay, walk

from murxpy.data import load_catalogue, load_machine
from murxpy.worker.session import Session

sys.path.append(str(FAKES))

import misused
from misused import DEFECTS as DEFECTS
from misused import SHOWN as SHOWN

WRAPPER: dict[str, Any] = {
    "solver": "misused",
    "module": "misused",
    "package": "misused",
    "imports": f"import sys\nsys.path.append({str(FAKES)!r})\nimport misused as f",
    "version": "'1.0'",
    "theories": ["BOOL", "BV"],
    "function-terms": False,
    "lifecycle": {"new-context": "f.Context()", "new": "f.Solver({ctx})"},
    "sorts": {"SORT_BOOL": "f.bool_sort({ctx})", "SORT_BV": "f.bv_sort({ctx}, {p0})"},
    "values": {"SORT_BOOL": "f.number({sort}, {v})", "SORT_BV": "f.number({sort}, {v})"},
    "constants": {"any": "f.constant({sort}, {name})"},
    "operators": {
        "OP_NOT": "f.app('not', None, {0})",
        "OP_AND": "f.app('and', None, {*})",
        "OP_OR": "f.app('or', None, {*})",
        "OP_BV_ADD": "f.app('bvadd', None, {*})",
        "OP_BV_ULT": "f.app('bvult', f.bool_sort({ctx}), {0}, {1})",
        "OP_BV_EXTRACT": "f.extract({i0}, {i1}, {0})",
    },
    "actions": {
        "assert-formula": "{solver}.add({0})",
        "check-sat": "{solver}.check()",
        "check-sat-assuming": "{solver}.check({*})",
        "push": "[{solver}.push() for _ in range({v})]",
        "pop": "{solver}.pop({v})",
        "get-model": "{solver}.model()",
        "get-assertions": "{solver}.assertions()",
        "set-limit": "None",
        "misused-callback": "f.called_back({solver})",
    },
    "own-actions": {"misused-callback": {"stress": True}},
    "readers": {"reread": "f.reread({0})", "term-sort": "{0}.sort", "symbol": "{0}.text"},
    "self-checks": {
        "check-sort": "None if {0}.width == ({1}['params'] or [0])[0] else f'its width is {{{0}.width}}'"
    },
    "contract": {
        "documented": [
            {
                "type": "MisusedError",
                "quote": "What the binding throws at a wrong call.",
                "of": "misused.MisusedError",
            }
        ],
        "calls": {
            "modules": ["misused"],
            "skip": [
                {"name": r"misused\.(Sort|Term)", "because": "made by functions"},
                {
                    "name": r"misused\.(reread|called_back|Solver\.call_back)",
                    "because": "of the wrapper",
                },
                {"name": r"misused\.Solver\.model", "because": "the rule `order` calls it"},
            ],
            "arguments": [
                {"parameter": "context", "is": ["ctx"]},
                {"parameter": "sort|result", "is": ["sort"]},
                {"parameter": "term|arg", "is": ["term"]},
                {"parameter": "name|text|kind", "is": ["name"]},
                {"parameter": "width|count|high|low", "is": ["width"]},
            ],
        },
    },
}


SPELLED = WRAPPER | {
    "contract": {name: part for name, part in WRAPPER["contract"].items() if name != "calls"}
}
# defects that only calls by name reach
BY_NAME = ("unbound", "truncated-count", "cut-text", "shallow-copy")


@functools.cache
def session(by_name: bool = True) -> Session:
    """A session of the binding in contract mode; `by_name`: with calls of its public callables."""
    wrapper = WRAPPER if by_name else SPELLED
    return Session(
        {"catalogue": load_catalogue(), "machine": load_machine("contract"), "wrapper": wrapper}
    )


def plant(defect: str) -> None:
    """Plant a defect in the binding; none for the empty string."""
    misused.planted = defect


def walked(seed: int, by_name: bool = True) -> tuple[str, dict[str, Any]]:
    """Trace and report of one walk."""
    return walk(session(by_name), seed)


def replayed(text: str) -> tuple[str, dict[str, Any]]:
    """Trace and report of a replay."""
    return replay(session(True), text)
