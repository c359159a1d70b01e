"""Other ways to give the same assertions to cvc5. The file imports only cvc5 and the standard
library.
"""

from __future__ import annotations

from typing import Any

import cvc5
from cvc5 import Kind
from cvc5_helpers import _command, _plain, _subterms, answer_of
from cvc5_witnesses import _solver


def solve_printed(limit: int, *terms: Any) -> str:
    """The answer to the text that cvc5 prints for the terms, read by another term manager. Unknown
    if no script can contain the terms.
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
    except RuntimeError:  # an operator has no syntax
        return "unknown"
    return answer_of(solver.checkSat())
