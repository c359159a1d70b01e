"""Other callables in the place of one that a misuse calls: with its operands, and with operands that fit
what each of them needs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import SequenceMatcher
from itertools import chain, islice
from typing import Any

from murxpy.machine.contract.calls import AT, BY, CALLS, Nested, flat, grouped
from murxpy.machine.contract.rules import CONTEXT
from murxpy.machine.replaying.defuse import Script, returned
from murxpy.machine.tokens import FOREIGN_OBJECTS, Python, Quoted, Ref, Token, read_tokens
from murxpy.machine.trace.grammar import Line
from murxpy.passes.lines import made, put

# Other callables that are tried: those whose code has most in common, those of the same class, those
# whose names are most alike, and short ones.
_RELATED, _OWN, _NEAREST, _SHORTEST = 8, 8, 6, 2
_WITHOUT = 40  # of the same class that need no operands, in the place of one that has none
_WAYS = 2  # ways to call one that are tried
_PLACES = 3  # of its operands in whose place a word of the call is put
_FITTED = 4  # calls of one at most
_OBJECTS = 60  # objects of other classes
_STEPS = 3  # calls at most that make an operand for another one
# What stands for an operand of a kind, where it is plain data.
_FITTING: dict[str, Nested] = {
    "int": Python(1),
    "width": Python(8),
    "flag": Python(True),
    "float": Python(0.5),
    "str": Python("a"),
    "name": Python("a"),
    "none": Python(None),
    "callback": "function",
    "list": [],
}


@dataclass(frozen=True, slots=True)
class Callables:
    """What a binding offers, as its session tells it: for each callable how many operands it takes at
    least and at most, of which kinds are those that it needs in each way to call it, and the names in
    its code; for each class the names of itself and of those above it, and the calls that make an object
    of it; and some members of each enumeration.
    """

    operands: Mapping[str, Sequence[int]] = field(default_factory=dict)
    bases: Mapping[str, Sequence[str]] = field(default_factory=dict)
    members: Mapping[str, Sequence[str]] = field(default_factory=dict)
    needs: Mapping[str, Sequence[Sequence[str]]] = field(default_factory=dict)
    uses: Mapping[str, Sequence[str]] = field(default_factory=dict)
    recipes: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @classmethod
    def told(cls, about: Mapping[str, Any]) -> Callables:
        """What the session tells of its solver; nothing where it tells nothing of its callables."""
        told = about.get("callables") or {}
        names = ("operands", "bases", "members", "needs", "uses", "recipes")
        return cls(*(told.get(name) or {} for name in names))

    def related(self, own: str) -> list[str]:
        """The other callables whose code has names in common with that of `own`, or whose own name it has,
        those with the rarest ones first.
        """
        known = {name: {*words, name.rpartition(".")[2]} for name, words in self.uses.items()}
        counts = Counter(chain.from_iterable(known.values()))
        wanted = known.get(own, set()) - {own.rpartition(".")[2]}
        weights = {
            name: sum(1 / counts[word] for word in wanted.intersection(words))
            for name, words in known.items()
            if name != own
        }
        found = [name for name, weight in weights.items() if weight]
        return sorted(found, key=lambda name: (-weights[name], name))


def of_method(words: Sequence[Token]) -> int:
    """The place of the object on which a call is made, and 0 where it is no method."""
    owner = str(words[0]).rpartition(".")[0].rpartition(".")[2]
    return int(owner[:1].isupper() and len(words) > 1 and isinstance(words[1], Ref))


def class_of(script: Script, at: Token) -> str:
    """The name of the class of an object of the binding; empty where nobody says it."""
    given = (line.result("return") or [] for line in script)
    words = next((words for words in given if words[:1] == [at] and len(words) > 1), [])
    return str(words[-1]) if words and isinstance(at, Ref) and at.letter == "x" else ""


def newest(script: Script) -> int:
    """The largest number of an id that a line of the script returns."""
    return max((ref.number for line in script for ref in returned(line)), default=0)


def constant(script: Script, kind: str, used: int = 0) -> tuple[Sequence[Line], Ref]:
    """The lines that make a new constant, and the constant, whose number is above `used`."""
    new = 1 + max(used, newest(script))
    ids = Ref("t", new), Ref("s", new)
    term = made("mk-const", [ids[1], Quoted(f"c{new}")], *ids)
    return (made("mk-sort", [kind], ids[1]), term), ids[0]


def siblings(script: Script, at: int, callables: Callables) -> Iterator[tuple[str, Script]]:
    """The script with other callables for the one that a line calls, and their names."""
    line = script[at]
    if line.action != "misuse" or line.spelling not in CALLS:
        return
    ends = [place for place, word in enumerate(line.args) if word in (AT, BY)]
    end = ends[0] if ends else len(line.args)
    try:
        words = grouped(line.args[1:end])
    except ValueError:
        return
    call = _Call(script, at, words, of_method(line.args), line.args[end:], callables)
    for name in call.others():
        tried: list[Script] = []
        for other in islice(chain(call.same(name), call.fitted(name)), _FITTED):
            if other not in tried:
                tried.append(other)
                yield name, other


class _Call:
    """The call of a public callable in line `at` of a script, with its operands, of which the first is the object of
    a method if `method` is 1, and the words behind them.
    """

    def __init__(
        self,
        script: Script,
        at: int,
        words: Sequence[Nested],
        method: int,
        rest: Sequence[Token],
        callables: Callables,
    ) -> None:
        self._script, self._at, self._callables = script, at, callables
        self._own, self._rest = str(script[at].args[0]), list(rest)
        self._object, self._words = list(words[:method]), list(words[method:])
        owner = self._own.rpartition(".")[0]
        named = next((class_of(script, one) for one in self._object if isinstance(one, Ref)), "")
        self._class = next(
            (name for name in callables.bases if name.rpartition(".")[2] == named), owner
        )
        groups = callables.bases.get(self._class) or [owner] if method else [owner]
        self._groups = list(groups)

    def others(self) -> list[str]:
        """The names of the other callables, each once, those that are most probably like this one first."""
        operands, last = self._callables.operands, self._own.rpartition(".")[2]
        makes = self._own in self._callables.bases
        found: dict[str, str] = {}
        for name in operands:
            group, _, other = name.rpartition(".")
            # a class makes an object, and does nothing else
            if (
                group in self._groups
                and other != last
                and (makes or name not in self._callables.bases)
            ):
                found.setdefault(other, name)
        likeness = {name: SequenceMatcher(None, last, name).ratio() for name in found}
        nearest = sorted(found, key=lambda name: (-likeness[name], name))
        same = [
            name
            for name in nearest
            if self._object and found[name].startswith(f"{self._groups[0]}.")
        ]
        if not self._words:  # each of them is one call
            needs = self._callables.needs
            same = [name for name in same if [] in map(list, needs.get(found[name], ()))]
        plain = [
            *same[: _OWN if self._words else _WITHOUT],
            *nearest[:_NEAREST],
            *sorted(found, key=lambda name: (len(name), name))[:_SHORTEST],
        ]
        related = [
            name
            for name in self._callables.related(self._own)
            if name in operands and (makes or name not in self._callables.bases)
        ]
        return list(dict.fromkeys((*related[:_RELATED], *(found[name] for name in plain))))

    def _with(
        self, name: str, before: Sequence[Line], words: Sequence[Nested], changed: int | None = None
    ) -> Script:
        """The script with the call of another callable, in which the operand at place `changed` is the one
        that is compared with another, where the rule compares one.
        """
        rest = [AT, changed] if self._rest[:1] == [AT] and changed is not None else self._rest
        line = replace(self._script[self._at], args=[name, *flat(words), *rest])
        if self._at == len(self._script) - 1:
            line = replace(line, results=[])
        return (*self._script[: self._at], *before, *put(self._script, self._at, line)[self._at :])

    def same(self, name: str) -> Iterator[Script]:
        """The calls of another callable of the same object, with the operands of this one as far as it
        takes so many.
        """
        if name.rpartition(".")[0] not in self._groups:
            return
        least, most = self._callables.operands[name]
        if least <= len(self._words):
            yield self._with(name, (), [*self._object, *self._words[:most]])

    def fitted(self, name: str) -> Iterator[Script]:
        """The calls of another callable with operands that fit what it needs: operands of this call where
        they are of the same kind, then each operand of this call in the place of one of the other.
        """
        for kinds in islice(self._callables.needs.get(name, ()), _WAYS):
            maker = _Maker(self._script[: self._at], self._callables)
            owner = self._owner(name, maker)
            if owner is None:
                return
            own = [*self._own_kinds(), *[""] * len(self._words)]
            left = list(zip(self._words, own, strict=False))
            words: list[Nested] = []
            for kind in kinds:
                like = next((one for one in left if one[1] and one[1] == kind), None)
                if like is not None:
                    left.remove(like)
                words.append(maker.fitting(kind) if like is None else like[0])
            yield self._with(name, maker.lines, [*owner, *words])
            for given in (*self._compared(), *self._words, *self._object):
                for place in range(min(len(words), _PLACES)):
                    changed = [*words[:place], given, *words[place + 1 :]]
                    yield self._with(name, maker.lines, [*owner, *changed], len(owner) + place)

    def _compared(self) -> Sequence[Nested]:
        """The operand that the rule of the line compares with another, where it compares one."""
        words = [*self._object, *self._words]
        at = self._rest[1] if self._rest[:1] == [AT] else None
        return words[at : at + 1] if isinstance(at, int) else []

    def _own_kinds(self) -> Sequence[str]:
        ways = self._callables.needs.get(self._own, ())
        return next(
            (kinds for kinds in ways if len(kinds) >= len(self._words)), ways[-1] if ways else ()
        )

    def _owner(self, name: str, maker: _Maker) -> list[Nested] | None:
        """The object of a method, in a list; an empty list for a function, None where nothing makes one."""
        group = name.rpartition(".")[0]
        if group not in self._callables.bases:
            return []
        if self._object and group in self._groups:
            return self._object
        given = maker.of_class(group)
        return None if given is None else [given]


def objects(script: Script, callables: Callables) -> Iterator[tuple[str, Sequence[Line], Ref]]:
    """New objects of classes, each with its class in words and the lines behind a script that make it; those
    that few calls make first.
    """
    for name in sorted(callables.recipes, key=lambda name: len(callables.recipes[name]))[:_OBJECTS]:
        maker = _Maker((), callables, newest(script))
        made_one = maker.of_class(name)
        if made_one is not None:
            yield name.rpartition(".")[2], maker.lines, made_one


class _Maker:
    """Makes operands of kinds behind a script. `lines` are those that make what the script lacks."""

    def __init__(self, script: Script, callables: Callables, used: int = 0) -> None:
        self.lines: list[Line] = []
        self._used = used  # the largest number of an id that is no longer free
        self._script, self._callables = script, callables
        self._steps = 0

    def fitting(self, kinds: str) -> Nested:
        """A word for an operand of one of these kinds, which stand between bars."""
        kind = kinds.partition("|")[0]
        if kind.endswith("*"):
            return [self.fitting(kind[:-1])]
        if kind in _FITTING:
            return _FITTING[kind]
        if kind == "ctx":
            return CONTEXT
        if kind in self._callables.members:
            return self._callables.members[kind][0]
        if kind in FOREIGN_OBJECTS or kind.rpartition(".")[0] in self._callables.members:
            return kind
        made_one = self.of_class(kind) if kind in self._callables.bases else None
        if made_one is not None:
            return made_one
        letter = "s" if kind == "sort" else "t"
        sort = "SORT_BOOL" if kind == "bool" else "SORT_INT"
        before, term = constant((*self._script, *self.lines), sort, self._used)
        known = [ref for line in self._script for ref in returned(line) if ref.letter == letter]
        if known and kind != "bool":
            return known[0]
        self.lines += before[:1] if letter == "s" else before
        return Ref(letter, term.number)

    def of_class(self, name: str) -> Ref | None:
        """An object of a class: one of the script, or what the recipe of the class makes."""
        plain = name.rpartition(".")[2]
        for line in self._script:
            for ref in returned(line)[:1]:
                if class_of(self._script, ref) == plain:
                    return ref
        recipe = self._callables.recipes.get(name)
        if not recipe or self._steps >= _STEPS:
            return None
        self._steps += 1
        given: list[Ref] = []
        for step in recipe:
            called, *words = grouped(read_tokens(step, "recipe", 1))
            filled = [self._filled(word, given) for word in words]
            new = Ref("x", 1 + max(self._used, newest((*self._script, *self.lines))))
            args = [str(called), *flat(filled)]
            self.lines.append(Line("misuse", args, 0, None, "call", [("return", [new, "object"])]))
            given.append(new)
        return given[-1]

    def _filled(self, word: Nested, given: Sequence[Ref]) -> Nested:
        """The operand for a word of a recipe."""
        if isinstance(word, list):
            return [self._filled(each, given) for each in word]
        if not isinstance(word, str):
            return word
        return given[int(word[1:]) - 1] if word.startswith("$") else self.fitting(word)
