"""Other ways to bring the same assertions before cvc5. Imports cvc5 and the standard library only."""

from __future__ import annotations

from typing import Any

import cvc5
from cvc5 import Kind
from cvc5_helpers import _command, _plain, _subterms, answer
from cvc5_witnesses import _solver


def solve_printed(limit: int, *terms: Any) -> str:
    """The answer to what cvc5 prints of the terms and reads again with another term manager;
    unknown where no script can carry them.
    """
    inside = _subterms(*terms)
    texts = [str(term) for term in terms]
    if not all(map(_plain, inside)) or any("@" in text for text in texts):
        return "unknown"
    manager = cvc5.TermManager()
    solver, names = _solver(manager, limit, {}, ()), cvc5.SymbolManager(manager)
    parser = cvc5.InputParser(solver, names)
    symbols = [term for term in inside if term.getKind() == Kind.CONSTANT]
    script = "".join(
        ["(set-logic ALL)", *map(_command, symbols), *(f"(assert {text})" for text in texts)]
    )
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, script, "murxpy")
    try:
        while not (command := parser.nextCommand()).isNull():
            command.invoke(solver, names)
    except RuntimeError:  # an operator that has no syntax
        return "unknown"
    return answer(solver.checkSat())
