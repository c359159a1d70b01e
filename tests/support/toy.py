"""A solver that needs no installation: its terms are texts, every check answers sat; and what tests
of runs share.

z3 and cvc5 are loaded once (`live`), and what they do runs in forks, so that a crash of theirs is
none of the tests.
"""

from __future__ import annotations

import faulthandler
import functools
import os
import pickle
import signal
from collections.abc import Callable
from typing import Any

from murxpy.data import load_catalogue, load_machine, load_wrapper
from murxpy.logic.catalogue import Catalogue, build_catalogue
from murxpy.worker.session import Session

SECONDS = 20  # for a forked call

TOY_SOURCE = """
import zlib
class Context:
    pass
class Solver:
    def __init__(self, context):
        self.asserted = []
class Declined(Exception):
    pass
def app(name, *args):
    text = "(" + " ".join([name, *map(str, args)]) + ")"
    return text if len(text) < 100 else text[:80] + str(zlib.crc32(text.encode("utf-8", "surrogatepass")))
def decline(text, *args):
    raise Declined(text)
"""

TOY: dict[str, Any] = {
    "solver": "toy",
    "module": "toy",
    "package": "toy",
    "imports": TOY_SOURCE,
    "version": "'1.0'",
    "theories": ["BOOL", "INT", "BV", "ARRAY", "DT", "UF", "QUANT", "STRING"],
    "function-terms": False,
    "conjunction": "app('and', {*})",
    "lifecycle": {"new-context": "Context()", "new": "Solver({ctx})"},
    "sorts": {
        "SORT_BOOL": "'Bool'",
        "SORT_INT": {"plain": "'Int'", "other": "str('Int')"},
        "SORT_BV": "app('BitVec', {p0})",
        "SORT_STRING": "'String'",
        "SORT_ARRAY": "app('Array', {0}, {1})",
        "SORT_UNINTERPRETED": "{name}",
        "SORT_DT": "[d[0] for d in {decls}]",
        "instantiate-sort": "app('par', {*})",
    },
    "special-values": {"bv.zero": "app('zero', {p0})"},
    "values": {
        "SORT_BOOL": "str({v})",
        "SORT_INT": {"dec": "{v:dec}", "hex": {"is": "hex({v})", "when": "nonnegative"}},
        "SORT_BV": "{v:bin}",
        "SORT_STRING": "{v:smt}",
    },
    "constants": {"any": "{name}", "FUN": "app('fun', {name}, {sort.*})"},
    "variables": {"any": "{name}"},
    "functions": {"mk-fun": "app('lambda', {vars}, {body})"},
    "operators": {
        "OP_NOT": "app('not', {0})",
        "OP_AND": {
            "binary": "app('and', {0}, {1})",
            "many": {"is": "app('and', {*})", "when": "arity-3+"},
        },
        "OP_IMPLIES": "app('=>', {0}, {1})",
        "OP_EQUAL": {"pair": "app('=', {0}, {1})", "same": {"is": "'same'", "when": "same-0-1"}},
        "OP_DISTINCT": "app('distinct', {0}, {1})",
        "OP_ITE": "app('ite', {*})",
        "OP_INT_ADD": {
            "plus": "app('+', {0}, {1})",
            "number": {"is": "app('+', {n0}, {1})", "when": "literal-0"},
        },
        "OP_INT_LT": "app('<', {0}, {1})",
        "OP_INT_DIV": "decline('div is missing', {0}, {1})",
        "OP_BV_ADD": "app('bvadd', {0}, {1})",
        "OP_BV_EXTRACT": "app('extract', {i0}, {i1}, {0})",
        "OP_ARRAY_SELECT": "app('select', {0}, {1})",
        "OP_CONST_ARRAY": "app('const', {sort}, {0})",
        "OP_FORALL": "app('forall', {vars}, {body})",
        "OP_UF_APPLY": "app({0}, {1*})",
        "OP_DT_APPLY_CONS": "app({i0}, {*})",
        "OP_DT_APPLY_SEL": "app({i1}, {0})",
        "OP_GONE": "missing_function({0})",
    },
    "actions": {
        "set-option": "None",
        "assert-formula": "{solver}.asserted.append({0})",
        "check-sat": "'sat'",
        "check-sat-assuming": "'sat'",
        "push": "{v}",
        "pop": "{v}",
        "get-model": "{solver}.asserted",
        "get-value": "{0}",
        "simplify": "{0}",
        "substitute": "app('let', {*})",
        "set-limit": "{v}",
        "toy-look": "None",
    },
    "own-actions": {"toy-look": {"takes": ["bool"], "needs": ["asserted"]}},
    "readers": {"value": "('int', int({0})) if {0}.isdigit() else None"},
    "self-checks": {"check-term": "None"},
    "options": [{"name": "depth", "type": "int", "min": 1, "max": 9}],
    "refusals": [{"class": "unsupported", "type": "Declined", "message": "missing"}],
}


@functools.cache
def catalogue() -> Catalogue:
    """The shipped theories."""
    return build_catalogue(load_catalogue())


@functools.cache
def toy_session() -> Session:
    """A session of the toy solver."""
    return Session(
        {"catalogue": load_catalogue(), "machine": load_machine("default"), "wrapper": TOY}
    )


@functools.cache
def live(solver: str) -> Session:
    """A session of z3 or cvc5, loaded once."""
    return Session(
        {
            "catalogue": load_catalogue(),
            "machine": load_machine("default"),
            "wrapper": load_wrapper(solver),
        }
    )


class Crashed(Exception):
    """The forked process died of a signal."""


def forked(call: Callable[[], Any]) -> Any:
    """What `call` gives, computed in a fork of this process. Raises Crashed where a signal killed
    it, or the time is over.
    """
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        faulthandler.disable()  # many of these calls crash as expected: pytest must not print each
        signal.alarm(SECONDS)  # nothing else ends a call that never returns to Python
        os.close(read)
        status = 1
        try:
            with os.fdopen(write, "wb") as pipe:
                pickle.dump(call(), pipe)
            status = 0
        finally:
            os._exit(status)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        data = pipe.read()
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        raise Crashed(os.WTERMSIG(status))
    return pickle.loads(data)


def walk(session: Session, seed: int) -> tuple[str, dict[str, Any]]:
    """The trace and the report of one walk."""
    written: list[str] = []
    report = session.walk(seed, written.append)
    return "".join(written), report


def replay(session: Session, text: str) -> tuple[str, dict[str, Any]]:
    """The trace that a replay writes, and its report."""
    written: list[str] = []
    report = session.replay(text, "t.trace", written.append)
    return "".join(written), report


def toy(*lines: str) -> dict[str, Any]:
    """The report of a replay of these lines, behind `new`, on the toy solver."""
    return replay(toy_session(), "\n".join(["new", *lines]))[1]
