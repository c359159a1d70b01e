"""Pools of terms and calls as plain data: files of `fsm/calls`, and files of the user."""

from __future__ import annotations

from typing import Literal

from murxpy.data.convert import Strict, convert
from murxpy.data.named import Named
from murxpy.data.theories import Plain
from murxpy.data.yamlfile import read_document

_SHIPPED = Named("pool", "calls")


class Call(Strict, frozen=True):
    """A call of the solver, as a line of a trace in which F stands for a formula and V for a value.

    `when` is what must hold before it. `effect` says what becomes of the scopes and of the last
    answer: `change` loses the answer, `none` keeps it.
    """

    call: str
    when: Literal["", "pushed", "sat", "unsat", "unknown", "checked"] = ""
    effect: Literal["change", "none", "push", "pop", "check", "reset"] = "change"


class Pool(Strict, frozen=True):
    """A file of `fsm/calls`: declarations and formulas in SMT-LIB, and the calls."""

    pool: str
    about: str
    formulas: list[str]
    calls: list[Call]
    declare: list[str] = []
    values: list[str] = []


def pool_names() -> list[str]:
    """The names of the shipped pools, sorted."""
    return _SHIPPED.names()


def load_pool(name: str) -> Plain:
    """The pool called `name`, which is shipped, or a file of the user's. Raises InputError."""
    document = read_document(_SHIPPED.path(name))
    pool = convert(document, Pool)
    for key in ("formulas", "calls"):
        if not getattr(pool, key):
            raise document.error((key,), "expected at least one entry, found none")
    return {
        "pool": pool.pool,
        "about": pool.about,
        "file": document.file,
        "declare": list(pool.declare),
        "formulas": list(pool.formulas),
        "values": list(pool.values),
        "calls": [
            [each.call, each.when, each.effect, document.line(("calls", place))]
            for place, each in enumerate(pool.calls)
        ],
    }
