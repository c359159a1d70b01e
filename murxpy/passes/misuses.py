"""What else shows the defect of a misuse: other operands in the place of each operand of a call, and other
calls with its operands. A title that names an operand or a call is false where another does as
well.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, islice
from math import inf

from murxpy.machine.contract.broken import WITH
from murxpy.machine.contract.calls import BY, CALLS, CLOSE, OPEN
from murxpy.machine.contract.rules import CONTEXT, RULES, SOLVER
from murxpy.machine.replaying.defuse import Script, returned, sort_of
from murxpy.machine.tokens import Python, Ref, Token, print_token
from murxpy.machine.trace.finished import Need
from murxpy.machine.trace.grammar import Line, parse_trace
from murxpy.passes.lines import made, put
from murxpy.passes.siblings import (
    Callables,
    class_of,
    constant,
    newest,
    objects,
    of_method,
    siblings,
)
from murxpy.translate.expressions import literal

_CALLED = ("call", "edge", "keyword")  # rules whose lines are the call of a public callable
_ENOUGH = 3  # other calls that show the defect, behind which no more are tried
_NEW = 8  # new objects that are tried in the place of one
_CLASSES = 6  # new objects of other classes whose method of the same name is tried
_OPERATORS = 4  # other operators that are tried in a call that is broken
_OPERANDS = 4  # operands of a call in whose place others are tried
_LONGEST = 40  # letters of a value in words
_COUNTED = ("cut", "times")  # words that say how many operands there are

# The plainest operands, with the words for them. Of a number and of a text others of its class come first.
_NUMBERS = ((Python(0), "0"), (Python(1), "1"), (Python(-1), "-1"))
_TEXTS = ((Python(""), "''"), (Python("a"), "'a'"))
_PLAIN = (
    *((Python(None), "None"), (Python(0), "0"), (Python("a"), "'a'")),
    *(("object", "object()"), (Python([]), "an empty list")),
)

Shows = Callable[[Script], bool]
Operators = Callable[[Script, int], Iterable[tuple[str, str, Script]]]


def tried(
    script: Script,
    callables: Callables,
    alike: Shows,
    lines: Collection[int] = (-1,),
    operators: Operators = lambda *_: (),
) -> Iterator[Need]:
    """What was tried in these lines of a script, as far as they are misuses; by default in the last one.
    `alike` tells whether another script ends in the same way. `operators` gives, for the line at an index that
    applies an operator, the operator, another one, and the script with that one.
    """

    def sorted_out(others: Iterator[tuple[str, Script]], enough: float = inf) -> tuple[str, str]:
        """The words for what shows it, `enough` of them at most, and those for what does not."""
        found: dict[str, bool] = {}
        for words, other in others:  # several scripts may have the same words
            if words not in found and sum(found.values()) >= enough:
                break
            found[words] = found.get(words, False) or alike(other)
        shows, hides = (
            [words for words, so in found.items() if so is is_so] for is_so in (True, False)
        )
        return ", ".join(shows), ", ".join(hides)

    for at in sorted({at % len(script) for at in lines} if script else ()):
        line = script[at]
        calls = line.spelling in CALLS or WITH in line.args
        for place in islice(places(line), _OPERANDS):
            others = _other_operands(script, at, place, callables)
            found = sorted_out(others, inf if calls else 2 * _ENOUGH)
            yield Need("operand", f"{at}:{place}", *found, _in_words(script, at, place))
        order = line.action == "misuse" and line.spelling == "order"
        elsewhere = islice(_of_other_classes(script, at, callables), _CLASSES)
        named = chain(siblings(script, at, callables), elsewhere)
        named = chain(named, islice(_broken_operators(script, at, operators), _OPERATORS))
        told = sorted_out(_other_questions(script, at) if order else named, _ENOUGH)
        if any(told):
            yield Need("called", f"{at}:{str(line.args[0]).partition('@')[0]}", *told)


def places(line: Line) -> Iterator[int]:
    """The places of the operands in the words of a misuse, without the object of a method."""
    words = line.args
    rule = RULES.get(line.spelling or "") if line.action == "misuse" else None
    if rule is None or not words:
        return
    if rule.slots:
        at = max((k for k, word in enumerate(words) if word == WITH), default=0) + 2
        if at > 2 and at < len(words) and words[at] not in _COUNTED:
            yield at
    elif rule.name in _CALLED:
        method = of_method(words)
        end = words.index(BY) if BY in words else len(words)
        given = enumerate(words[:end])
        yield from (k for k, word in given if k > method and word != CLOSE)
    elif rule.name not in CALLS:  # an object is stressed
        objects = dict.fromkeys(word for word in words if isinstance(word, Ref))
        yield from map(words.index, objects)


def _put(script: Script, at: int, place: int, token: Token) -> Script:
    """The script with another word at this place of a line, or for the list that begins there; what stands
    behind the bad operand of a broken call is a part of it.
    """
    line = script[at]
    rest = [] if RULES[line.spelling or ""].slots else line.args[list_end(line.args, place) + 1 :]
    results = [] if at == len(script) - 1 else line.results
    return put(script, at, replace(line, args=[*line.args[:place], token, *rest], results=results))


def list_end(words: Sequence[Token], place: int) -> int:
    """The place of the bracket that ends the list which begins at `place`; `place` itself where none does."""
    depth = 0
    for at, word in enumerate(words[place:], place):
        depth += (word == OPEN) - (word == CLOSE)
        if not depth:
            return at
    return place


_OBJECTS = {"s": "a sort", "t": "a term", "o": "the solver", "c": "the context", "x": "an object"}
OTHER_SORT = "a term of another sort"


def _in_words(script: Script, at: int, place: int) -> str:
    """An operand in words."""
    own = script[at].args[place]
    if own == OPEN:
        return "a list"
    if isinstance(own, Python):
        text = literal(own.value)
        return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."
    if not isinstance(own, Ref):
        return print_token(own).removeprefix("py:")
    name = class_of(script, own)
    return f"{'an' if name[:1] in 'AEIOU' else 'a'} {name}" if name else _OBJECTS[own.letter]


def _other_operands(
    script: Script, at: int, place: int, callables: Callables
) -> Iterator[tuple[str, Script]]:
    """The script with other operands at this place, and the words for these: those of the class of a number
    or a text, or of its enumeration, then the plainest ones of other classes, then objects of the run.
    """
    own = script[at].args[place]
    value = own.value if isinstance(own, Python) else None
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    kind = str(own).rpartition(".")[0]
    rule = RULES[script[at].spelling or ""]
    stressed = not rule.slots and rule.name not in CALLS
    given: list[tuple[Token, str]] = [(name, name) for name in callables.members.get(kind, ())]
    given += [*(_NUMBERS if number else _TEXTS if isinstance(value, str) else ()), *_PLAIN]
    given = [(one, _OBJECTS[one.letter]) for one in (CONTEXT, SOLVER)] if stressed else given
    older = [ref for line in script[:at] for ref in returned(line)[:1]]
    for letter in "st":
        given += [(ref, _OBJECTS[letter]) for ref in older if ref.letter == letter][:1]
    known = {str(own)}
    if script[at].args[place : place + 2] == [OPEN, CLOSE]:
        known.add(str(Python([])))
    for token, words in given:
        same = isinstance(own, Ref) and isinstance(token, Ref) and own.letter == token.letter
        if str(token) not in known and not same:
            known.add(str(token))
            yield words, _put(script, at, place, token)
    if stressed:
        yield from islice(_new_objects(script, at, place, callables), _NEW)
        for words, maker, new in objects(script[:at], callables):
            if words != class_of(script, own):
                changed = _put(script, at, place, new)
                yield words, (*changed[:at], *maker, *changed[at:])
    if stressed or (isinstance(own, Ref) and own.letter in "ts"):
        words = "a term" if not stressed and str(own).startswith("s") else "a constant"
        words = OTHER_SORT if str(own).startswith("t") else words
        yield words, _of_other_sort(script, at, place, own)


def _new_objects(
    script: Script, at: int, place: int, callables: Callables
) -> Iterator[tuple[str, Script]]:
    """The script with new objects in the place of one of the binding: what functions of its module give that
    need no operand, those with the shortest names first.
    """
    named = class_of(script, script[at].args[place])
    cls = next((name for name in callables.bases if name.rpartition(".")[2] == named), "")
    module = cls.rpartition(".")[0]
    makers = [
        name
        for name, (least, _) in callables.operands.items()
        if module and not least and name.rpartition(".")[0] == module and name != cls
    ]
    new = Ref("x", 1 + newest(script))
    for name in sorted(makers, key=lambda name: (len(name), name)):
        maker = Line("misuse", [name], 0, None, "call", [("return", [new, "object"])])
        changed = _put(script, at, place, new)
        yield f"what {name} gives", (*changed[:at], maker, *changed[at:])


def _of_other_sort(script: Script, at: int, place: int, own: Token) -> Script:
    """The script with a new constant in the place of an operand, which has another sort than a term there."""
    sorts = {returned(line)[0]: line.args[:1] for line in script if line.action == "mk-sort"}
    sort = next((sort_of(line) for line in script if returned(line)[:1] == [own]), None)
    kind = "SORT_BOOL" if sort in sorts and sorts[sort] == ["SORT_INT"] else "SORT_INT"
    before, new = constant(script, kind)
    return (*script[:at], *before, *_put(script, at, place, new)[at:])


def _broken_operators(
    script: Script, at: int, operators: Operators
) -> Iterator[tuple[str, Script]]:
    """The script with other operators in a call that applies one and is broken in a slot."""
    line = script[at]
    if (
        line.action != "misuse"
        or WITH not in line.args
        or not str(line.args[0]).startswith(_APPLYING)
    ):
        return
    end = line.args.index(WITH)
    new = 1 + max((ref.number for one in script for ref in returned(one)), default=0)
    plain = made(_APPLYING, list(line.args[1:end]), Ref("t", new), Ref("s", new))
    for _, other, changed in operators((*script[:at], plain), at):
        args = [_APPLYING, *changed[at].args, *line.args[end:]]
        yield other, put(script, at, replace(line, args=args, results=[]))


_APPLYING = "mk-term"  # the action that applies an operator
_QUESTIONS = ("get-model", "get-unsat-core", "get-unsat-assumptions")
_PRODUCING = ("produce-models", "produce-unsat-cores", "produce-unsat-assumptions")


def _other_questions(script: Script, at: int) -> Iterator[tuple[str, Script]]:
    """The script with other questions in the place of one that is asked in a state which does not allow it,
    with the options that they need.
    """
    own = str(script[at].args[0]).partition("@")[0]
    first = next((k for k, line in enumerate(script, 1) if line.action == "new"), 0)
    set_options = parse_trace(
        "".join(f"0 set-option {name} true\n" for name in _PRODUCING), ""
    ).lines
    for name in _QUESTIONS if own in _QUESTIONS else ():
        if name != own:
            other = _put(script, at, 0, name)
            yield name, (*other[:first], *set_options, *other[first:])


def _of_other_classes(
    script: Script, at: int, callables: Callables
) -> Iterator[tuple[str, Script]]:
    """The script with the method of the same name of other classes, on new objects that need no operands, or
    only the context, and on the context itself.
    """
    line, args = script[at], script[at].args
    if line.action != "misuse" or line.spelling not in _CALLED or not of_method(args):
        return
    owner, _, last = str(args[0]).rpartition(".")
    new = Ref("x", max((ref.number for one in script for ref in returned(one)), default=0) + 1)
    related = {owner, *callables.bases.get(owner, ())}
    for cls, above in callables.bases.items():
        least, most = callables.operands.get(cls, (1, 0))
        name = f"{cls}.{last}"
        if least or name not in callables.operands or related & {cls, *above}:
            continue
        words = replace(line, args=[name, new, *args[2:]])
        changed = put(script, at, words if at < len(script) - 1 else replace(words, results=[]))
        for given in ((), (CONTEXT,))[: most + 1]:
            returns: list[Token] = [new, cls.rpartition(".")[2]]
            maker = Line("misuse", [cls, *given], 0, None, "call", [("return", returns)])
            yield name, (*changed[:at], maker, *changed[at:])
        yield name, put(changed, at, replace(changed[at], args=[name, CONTEXT, *args[2:]]))
