"""A misuse in words: the call of a public callable as Python writes it, or what is done to an object."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress

from murxpy.cli.report.text import amount
from murxpy.errors import InputError
from murxpy.findings.kinds.calls import misfit_of
from murxpy.machine.contract.broken import WITH
from murxpy.machine.contract.calls import CALLS, OPEN
from murxpy.machine.contract.rules import CONTEXT, RULES, Rule
from murxpy.machine.tokens import Python, Quoted, Ref, Token
from murxpy.machine.trace.finished import (
    HEADER,
    Row,
    header_value,
    read_needs,
    read_rows,
)
from murxpy.machine.trace.grammar import parse_trace
from murxpy.passes.misuses import OTHER_SORT, list_end
from murxpy.translate.expressions import literal

_LONGEST = 40  # letters of an operand
_MADE = re.compile(r"^ {0,20}return (x\d{1,9}) (\w{1,200})$", re.M)
# What stands for an object of the run, by the first letter of its id, and for an object that is none
# of the solver's.
_OBJECTS = {"t": "a term", "s": "a sort", "o": "the solver", "c": "the context", "x": "an object"}
# Words in the names of their classes; an object of the binding's own may be of any.
_CLASSES = {
    "t": ("Ref", "Term"),
    "s": ("Sort",),
    "o": ("Solver",),
    "c": ("Context", "Manager"),
    "x": ("",),
}
_STRANGERS = {
    "object": "object()",
    "class": "a class",
    "raising": "an object that raises",
    "function": "len",
}

# What a call is to somebody who does not know our names for them.
_SAID = {
    "check-abduct": "asking for an abduct",
    "check-assumptions": "checking the unsat assumptions",
    "check-core": "checking the unsat core",
    "check-elimination": "eliminating quantifiers",
    "check-interpolant": "asking for an interpolant",
    "check-model": "checking the model",
    "check-proof": "checking the proof",
    "check-simplify": "simplifying a term",
    "check-substitute": "substituting in a term",
    "check-values": "reading values",
    "del": "dropping an object",
    "delete": "dropping the solver and its context",
    "gc": "a garbage collection",
    "get-value-completion": "get-value",
    "misfit": "a definition that does not fit its declaration",
    "mk-const": "making a constant",
    "mk-sort": "making a sort",
    "mk-term": "making a term",
    "mk-value": "making a value",
}


_OF_SORTS = (_SAID["mk-const"], _SAID["mk-value"])  # calls that make something of a sort


def said(action: str, solver: str = "") -> str:
    """What an action is to somebody who does not know our names for them."""
    name = action.removeprefix(f"{solver}-") if solver else action
    return _SAID.get(name, name)


def in_words(row: Row, trace: str) -> str:
    """What the misuse on a row of a trace calls, or the object that it stresses with what is done to it;
    empty where nobody can read it.
    """
    args: Sequence[Token] = ()
    with suppress(InputError):
        args = parse_trace(f"0 new\n0 misuse@{row.spelling} {row.words}\n", "").lines[-1].args
    if not args:
        return ""
    classes = _sized(dict(_classes(trace)), args)
    first, rule = args[0], RULES.get(row.spelling)
    others = _tried_others(row, trace)
    if isinstance(first, str) and "." in first:
        needless = args[-1] == CONTEXT and "None" in others.get(len(args) - 1, ())
        told = args[:-1] if needless else args
        given = _operands(told, _of_method(args, classes), classes, others)
        return f"{_one_of(others)}{first}({', '.join(given)})"
    # what is held is used later: the call itself is as it should be
    about = "" if rule is None or rule.family == "hold" else f" ({rule.about})"
    copies = any(result[:1] == ["raised"] for result in row.results)  # there is no copy to be used
    rule_name = _COPIES.get(row.spelling, row.spelling) if copies else row.spelling
    done = _DONE.get(rule_name, "{}")
    about = "" if row.spelling in _DONE else about
    if isinstance(first, Ref):
        objects = list(_stressed(args))
        free = {word for at, word in objects if at in others}
        own = [one for one in objects if one[1] not in free] or objects
        named = [_or(_object(word, classes), others.get(at, ())) for at, word in own]
        if row.spelling in _SHALLOW and not others:  # which may die in another way
            named = [f"an object such as {one}" for one in named]
        return f"{done.format(' and '.join(dict.fromkeys(named)))}{about}"
    misfit = misfit_of(_text(first, classes))
    solver = header_value(trace, "solver").partition(" ")[0]
    placed = _placed(args, rule, classes, others)
    more = f" ({misfit or placed})" if misfit or placed else about
    made = said(row.call.operator, solver)
    made = {"OP": "making a term with ", "SORT": "making a sort "}.get(
        made.partition("_")[0], ""
    ) + made
    sort = classes.get(str(args[1]), "") if len(args) > 1 and made in _OF_SORTS else ""
    kind = sort.removeprefix("the sort ")
    return f"{_one_of(others)}{made}{f' of {kind}' if kind else ''}{more}"


# What a rule does with an object.
_DONE = {
    "chain": "comparing {} twice in one expression",
    "copy": "copy.copy of {}",
    "cycle": "{} in a reference cycle",
    "deepcopy": "copy.deepcopy of {}",
    "equality": "comparing {}",
    "index": "indexing {}",
    "iterate": "iterating over {}",
    "outlive": "a shallow copy of {} whose original is gone",
    "pickle": "pickling {}",
    "print": "printing {}",
    "reread": "reading {} in all ways that there are",
    "survive": "a deep copy of {} whose original is gone",
    "threads": "the same calls about {} in threads with contexts of their own",
    "truth": "bool of {}",
}

_SHALLOW = ("copy", "outlive")  # rules that make copies which share what the originals free
_COPIES = {"outlive": "copy", "survive": "deepcopy"}  # what each of these rules does first

SUCH = "a call such as "  # begins the words for a call in whose place others show the same
_CALLED = -1  # the place of the callable itself among what was tried


def _tried_others(row: Row, trace: str) -> dict[int, list[str]]:
    """What was seen to show the defect in the place of each word of a row of a trace."""
    at = next((at for at, one in enumerate(read_rows(trace)) if one.number == row.number), -1)
    found: dict[int, list[str]] = {}
    for need in read_needs(header_value(trace, HEADER)):
        line, _, place = need.name.partition(":")
        number = place if need.kind == "operand" and place.isdecimal() else str(_CALLED)
        if need.kind in ("operand", "called") and need.value and line == str(at):
            found[int(number)] = need.value.split(", ")
    return found


def _stressed(args: Sequence[Token]) -> Iterator[tuple[int, Ref]]:
    """The objects that a rule stresses, with their places."""
    return ((at, word) for at, word in enumerate(args) if isinstance(word, Ref))


def with_others(said: str, trace: str) -> str:
    """What is said of an object of a class in the last row of a trace, which may be of others as well."""
    rows = list(read_rows(trace))
    others = _tried_others(rows[-1], trace).get(0, []) if rows else []
    said = re.sub(r"\ba (?=[AEIOU][a-z])", "an ", said)
    rule = RULES.get(rows[-1].spelling) if rows and rows[-1].action == "misuse" else None
    if others:
        return _OF_CLASS.sub(
            lambda found: _or(
                found[0], [one for one in others if not found[0].endswith(f" {one}")]
            ),
            said,
            count=1,
        )
    if rule is None or rule.slots or rule.name in CALLS:
        return said
    # few objects of other classes were tried
    return _OF_CLASS.sub(
        lambda found: (
            f"{'objects' if found[0].startswith('two') else 'an object'} such as {found[0]}"
        ),
        said,
        count=1,
    )


_OF_CLASS = re.compile(r"\b(?:an?|two) [A-Z]\w*")


def was_tried(trace: str) -> bool:
    """Whether other operands or other calls were tried in the misuses of a trace."""
    needs = read_needs(header_value(trace, HEADER))
    return any(need.kind in ("operand", "called") for need in needs)


def others_show(trace: str) -> bool:
    """Whether other operands or other calls were seen to show the defect of a trace, too."""
    needs = read_needs(header_value(trace, HEADER))
    return any(need.kind in ("operand", "called") and need.value for need in needs)


def _one_of(others: Mapping[int, Sequence[str]]) -> str:
    """What stands before a call where others with its operands show the same."""
    return SUCH if others.get(_CALLED) else ""


def _or(shown: str, others: Sequence[str]) -> str:
    """An operand with another one that may stand in its place, or with the word that several may."""
    if OTHER_SORT in others:
        shown, others = shown.partition(" of ")[0], [one for one in others if one != OTHER_SORT]
    if not others:
        return shown
    texts = all(one.startswith("'") for one in [shown, *others])
    numbers = all(one.lstrip("-").isdecimal() for one in [shown, *others])
    if len(others) == 1 and not texts:
        return f"{shown} or {others[0]}"
    return f"{shown} or {'other texts' if texts else 'other numbers' if numbers else 'others'}"


def _classes(trace: str) -> Iterator[tuple[str, str]]:
    """The names of the classes of the binding's objects, the sorts, and those of terms, by their ids."""
    yield from _MADE.findall(trace)
    sorts: dict[str, str] = {}
    for row in read_rows(trace):
        made = [result[1:] for result in row.results if result[:1] == ["return"]]
        if row.action == "mk-sort":
            kind, *words = row.words.split() or [""]
            sizes = words if all(word.isdigit() for word in words) else []
            sorts |= {result[0]: " ".join([kind, *sizes]) for result in made if result}
            yield from ((result[0], f"the sort {sorts[result[0]]}") for result in made if result)
        for result in made:
            if len(result) > 1 and result[1] in sorts:
                yield result[0], f"{_OBJECTS['t']} of {sorts[result[1]]}"


def _unsized(name: str) -> str:
    """The words for a sort or a term without the sizes at their end."""
    words = name.split(" ")
    while words[-1].isdecimal():
        words.pop()
    return " ".join(words)


def _sized(classes: Mapping[str, str], args: Sequence[Token]) -> dict[str, str]:
    """The words for objects, with the sorts of terms and the sizes of sorts only where those of the operands
    differ: whether any other does as well, was not tried.
    """
    names = {classes.get(str(word), "") for word in args}
    sorts = {name for name in names if name.startswith(f"{_OBJECTS['t']} of ")}
    kinds = Counter(map(_unsized, names))
    found: dict[str, str] = {}
    for key, name in classes.items():
        plain = _unsized(name)
        found[key] = name if kinds[plain] > 1 else plain
        if name in sorts and len(sorts) == 1:
            found[key] = _OBJECTS["t"]
    return found


def _placed(
    args: Sequence[Token],
    rule: Rule | None,
    classes: Mapping[str, str],
    others: Mapping[int, Sequence[str]],
) -> str:
    """What stands in the place of which operand of the call that a misuse breaks; empty where the rule
    breaks the call in another way.
    """
    words = list(args)
    if rule is None or not rule.slots or WITH not in words:
        return ""
    slot, *given = words[len(words) - words[::-1].index(WITH) :]
    name = str(slot).partition(".")[0].partition(":")[0]
    if name == "*" and len(given) == 2 and given[0] in _COUNTS:
        return _COUNTS[str(given[0])](int(str(given[1])))
    if name == "*" or not given:
        return ""
    other = given[0] == "other"
    what = _shown(given[-1], classes)
    if other and name == "ctx":
        return "another context in the place of its own"
    if other:
        what += " of another context"
    elif rule.name == "sort":
        what += " of another sort"
    what = _or(what, next(iter(others.values()), ()))
    return f"{what} in the place of {_PLACES.get(name.rstrip('0123456789*'), 'an operand')}"


# How many operands there are in the place of those of a call, by the word before their number.
_COUNTS: Mapping[str, Callable[[int], str]] = {
    "cut": lambda count: amount(count, "operand") if count else "without operands",
    "times": lambda count: f"all its operands {count} times",
}

# What an operand is in the call that a misuse breaks, by the name of its slot without its number.
_PLACES = {
    "ctx": "its context",
    "i": "an index",
    "name": "its name",
    "p": "a parameter",
    "solver": "its solver",
    "sort": "its sort",
    "v": "its value",
}


def _of_method(args: Sequence[Token], classes: Mapping[str, str]) -> int:
    """The place of the first operand that a person writes: the object of a method stands before it."""
    owner = str(args[0]).rpartition(".")[0].rpartition(".")[2]
    own = args[1] if len(args) > 1 else ""
    of = _CLASSES.get(own.letter, ()) if isinstance(own, Ref) else ()
    return 2 if owner[:1].isupper() and any(word in owner for word in of) else 1


def _operands(
    args: Sequence[Token],
    start: int,
    classes: Mapping[str, str],
    others: Mapping[int, Sequence[str]],
) -> Iterator[str]:
    """The operands of a call, from the word at `start` on. Those behind `by` have names; what follows `at`
    is none.
    """
    words = iter([*enumerate(args)][start:])
    named, ends = False, -1
    for at, word in words:
        if at <= ends:
            continue
        if word == "at":
            return
        if word == "by":
            named = True
        elif named:
            _, value = next(words, (at, None))
            yield f"{_text(word, classes)}={'' if value is None else _shown(value, classes)}"
        elif word == OPEN:
            ends = list_end(args, at)
            inner = {place - at - 1: words for place, words in others.items() if place > at}
            parts = _operands(args[at + 1 : ends], 0, classes, inner)
            yield _or(f"[{', '.join(parts)}]", others.get(at, ()))
        else:
            yield _or(_shown(word, classes), others.get(at, ()))


def _shown(word: Token, classes: Mapping[str, str]) -> str:
    if isinstance(word, Ref):
        name = classes.get(str(word), "") if word.letter == "x" else ""
        return f"{'an' if name[:1] in 'AEIOU' else 'a'} {name}" if name else _object(word, classes)
    if isinstance(word, Python):
        whole = isinstance(word.value, int) and not isinstance(word.value, bool)
        text = str(word.value) if whole else literal(word.value)
        return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."
    return _STRANGERS.get(_text(word, classes), _text(word, classes))


def _object(word: Ref, classes: Mapping[str, str]) -> str:
    return classes.get(str(word), _OBJECTS.get(word.letter, "an object"))


def _text(word: Token, classes: Mapping[str, str]) -> str:
    return word.text if isinstance(word, Quoted) else str(word)
