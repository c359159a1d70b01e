"""The assertions of an unsatisfiable seed that contradict each other, by the answer of the solver."""

from __future__ import annotations

import re
from collections.abc import Sequence

from murxpy.logic.terms import Term
from murxpy.mutation.preparing import declaring
from murxpy.mutation.workshop import Workshop
from murxpy.smtlib.commands import Ask, Assert, CheckSat, SetOption
from murxpy.smtlib.printing.scripts import print_script
from murxpy.smtlib.script import Script

_NAME = "core!{}"
_NAMED = re.compile(r"core!(\d+)")


def core_of(workshop: Workshop, script: Script, asserted: Sequence[Term]) -> list[Term]:
    """The unsat core that the solver gives for `asserted`, in their order; all of them if it gives
    none.

    If the core is satisfiable, the solver was wrong here. Then an instance made with this core is
    satisfiable, and shows it.
    """
    named = [Assert(term, _NAME.format(at)) for at, term in enumerate(asserted)]
    commands = [
        SetOption("produce-unsat-cores", "true"),
        *declaring(script),
        *named,
        CheckSat(),
        Ask("get-unsat-core"),
    ]
    output = (
        workshop.ask(
            print_script(Script(script.name, script.tables, commands), workshop.shop.dialect)
        )
        or ""
    )
    if not output.startswith("unsat"):
        return list(asserted)
    places = {int(number) for number in _NAMED.findall(output)}
    return [term for at, term in enumerate(asserted) if at in places] or list(asserted)
