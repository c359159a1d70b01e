"""Reads commands of single solvers that contain terms: questions such as `get-abduct` and
`display`, and objectives.

The text of such a command is kept, but the terms in it are read and typed. So they are printed with
the names that constants have at that point.
"""

from __future__ import annotations

from collections.abc import Iterator

from murxpy.errors import InputError
from murxpy.smtlib.commands import Ask, Other, Part
from murxpy.smtlib.reading.heads import FunctionHead
from murxpy.smtlib.reading.script_context import ScriptContext
from murxpy.smtlib.syntax.lexer import is_symbol, key
from murxpy.smtlib.syntax.source import joined

# What stands behind the name of each command: a name, a term, or terms in parentheses. Whatever
# follows, such as attributes, is kept as text.
TERM_COMMANDS: dict[str, tuple[str, ...]] = {
    "get-abduct": ("name", "term"),
    "get-interpolant": ("name", "term"),
    "get-qe": ("term",),
    "get-qe-disjunct": ("term",),
    "get-timeout-core-assuming": ("terms",),
    "display": ("term",),
    "minimize": ("term",),
    "maximize": ("term",),
    "assert-soft": ("term",),
    "block-model-values": ("terms",),
}
# these commands change the answers of later checks
_CHANGING = ("minimize", "maximize", "assert-soft", "block-model-values")


def command_with_terms(r: ScriptContext, name: str) -> Ask | Other:
    """Return the command. If a solver writes something else in place of a term, as in
    `(get-interpolant (group ...))`, that is kept as text.
    """
    at = r.source.at
    mark = r.terms.scope.mark()
    try:
        parts = _parts(r, TERM_COMMANDS[name])
    except InputError:
        if name in _CHANGING:
            raise
        r.terms.scope.undo(mark)
        r.source.go_back(at)
        parts = []
    rest = list(_rest(r))
    words = joined(r.source.tokens[at : r.source.at])
    if name in _CHANGING:
        return Other(f"{name} {words}", (name, *parts, *rest))
    return Ask(name, words, (*parts, *rest))


def _parts(r: ScriptContext, shape: tuple[str, ...]) -> list[Part]:
    parts: list[Part] = []
    for what in shape:
        if what == "name":
            parts.append(r.source.symbol("a name"))
        elif what == "term":
            parts.append(r.terms.read())
        else:
            r.source.take("(", "before the terms")
            parts.append("(")
            while not r.source.skip(")"):
                parts.append(r.terms.read())
            parts.append(")")
    return parts


def _rest(r: ScriptContext) -> Iterator[Part]:
    """Return everything up to the ')' of the command. It is text in which the symbols of the script
    are replaced by what they stand for, as in a grammar.
    """
    depth = 0
    while r.source.peek() != ")" or depth:
        token = r.source.next("')'")
        depth += (token == "(") - (token == ")")
        yield _known(r, token)


def _known(r: ScriptContext, token: str) -> Part:
    scope = r.terms.scope
    if not is_symbol(token) or key(token) not in scope.own:
        return token
    head = scope.heads.get(key(token))
    if isinstance(head, FunctionHead):
        return head.function
    return scope.atoms.get(key(token), token)
