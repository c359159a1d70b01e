"""Reading the lines that call public callables of the binding, such as `misuse@call NAME words..`
and `misuse@alike NAME words.. at N`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from murxpy.errors import nearest
from murxpy.machine.misuse import calls
from murxpy.machine.misuse.calls import AT, BY, Call, Nested, flat, grouped
from murxpy.machine.misuse.rules import Rule
from murxpy.machine.strangers import STRANGERS
from murxpy.machine.tokens import Python, Quoted, Ref, Token, print_token
from murxpy.solvers.callables import permitted
from murxpy.trace.reading import Reading


def read(
    r: Reading,
    rule: Rule,
    known: Callable[[Reading, Ref], None],
    compare: Callable[[Reading, bool], None],
) -> None:
    """Make the call that the line names. `known` checks an id, and `compare` records a difference
    from the trace. Raises InputError for a malformed line.
    """
    call = _call(r, rule)
    for word in flat([*call.words, call.by[1]] if call.by else call.words):
        if isinstance(word, Ref):
            known(r, word)
        else:
            _check_operand(r, word)
    r.new_ids("x")
    numbers = r.returned("x")
    before = len(r.run.differences)
    raised = calls.do(r.run, call, r.seed, numbers[0] if numbers else None)
    if len(r.run.differences) == before:
        compare(r, raised)


def _call(r: Reading, rule: Rule) -> Call:
    """The call that the line names."""
    name = r.text(0, "a public callable")
    data = r.run.wrapper.facts.calls
    if not permitted(name, data):
        modules = ", ".join(data.get("modules") or ()) or "a module, but the wrapper names none"
        raise r.error(
            f"the wrapper does not allow calls of '{name[:60]}': expected a public callable of {modules}"
        )
    words = _words(r)
    if rule.name == "alike":
        return Call(rule, name, words[:-2], _place(r, words))
    words, by = _named_operand(r, words) if rule.name == "keyword" else (words, None)
    return Call(rule, name, words, by=by)


def _check_operand(r: Reading, word: Token) -> None:
    """Raise InputError for a word that is neither an operand nor a bracket."""
    if (
        isinstance(word, Python)
        or word in (calls.OPEN, calls.CLOSE)
        or _named(str(word), r.run.wrapper.facts.calls)
    ):
        return
    raise r.error(
        f"'{print_token(word)[:60]}' is no operand: expected py:…, an id, a member of an enumeration such as "
        f"cvc5.Kind.AND, brackets, or one of {', '.join(STRANGERS)}{nearest(str(word), STRANGERS)}"
    )


def _words(r: Reading) -> list[Nested]:
    try:
        return grouped(r.line.args[1:])
    except ValueError:
        raise r.error(f"expected brackets in pairs, at most {calls.DEPTH} deep") from None


def _place(r: Reading, words: list[Nested]) -> int:
    """The operand that `at N` at the end of the line names."""
    at = words[-1] if len(words) > 2 and words[-2] == AT else None
    if type(at) is not int or not 0 <= at < len(words) - 2:
        raise r.error(
            "expected 'at N' at the end of the line, N the number of an operand, counted from 0"
        )
    return at


def _named_operand(
    r: Reading, words: list[Nested]
) -> tuple[list[Nested], tuple[str, Nested] | None]:
    """The words without `by "NAME" WORD` at their end, and the operand that this names; None if it
    is not there.
    """
    if BY not in words:
        return words, None
    name = words[-2] if len(words) > 2 and words[-3] == BY else None
    if not isinstance(name, Quoted) or not name.text.isidentifier():
        raise r.error(
            "expected 'by \"NAME\" WORD' at the end of the line, NAME that of a parameter"
        )
    return words[:-3], (name.text, words[-1])


def _named(word: str, data: Mapping[str, object]) -> bool:
    """True for a stranger, and for a name that can be a member of an enumeration."""
    return word in STRANGERS or (word.count(".") >= 2 and permitted(word, data))
