"""The meaning of a pattern's parts in a term that matches it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any

from murxpy.errors import InputError
from murxpy.logic.catalogue import Catalogue
from murxpy.logic.sorts import Constructor, Sort
from murxpy.logic.terms import Term
from murxpy.logic.walks import preorder
from murxpy.machine.random import Stream
from murxpy.smtlib.building import Tables
from murxpy.smtlib.reading.scripts import read_script
from murxpy.smtlib.script import GetValue


@dataclass
class Binding:
    """The parts of a term for which the metavariables and capital letters of a pattern stand.
    `functions` have variables and a body, `variables` are the bound variables of the pattern, and
    `rest` are those other variables of a quantifier that the pattern has not, which can be where the
    pattern `root` is a quantifier itself. `constructors` are by datatype and name in the pattern.
    """

    terms: dict[str, Term] = field(default_factory=dict)
    sorts: dict[str, Sort] = field(default_factory=dict)
    functions: dict[str, tuple[tuple[Term, ...], Term]] = field(default_factory=dict)
    variables: dict[Term, Term] = field(default_factory=dict)
    rest: tuple[Term, ...] = ()
    root: Term | None = None
    constructors: dict[tuple[str, str], Constructor] = field(default_factory=dict)

    def copy(self) -> Binding:
        """A binding to which others can be added."""
        return Binding(
            dict(self.terms),
            dict(self.sorts),
            dict(self.functions),
            dict(self.variables),
            self.rest,
            self.root,
            dict(self.constructors),
        )

    def take(self, other: Binding) -> None:
        """Become the same as another binding."""
        self.terms, self.sorts, self.functions = other.terms, other.sorts, other.functions
        self.variables, self.rest = other.variables, other.rest
        self.constructors = other.constructors


# ----------------------------------------------------------------------
# Constructors and selectors in the patterns of rules about datatypes. A pattern names those of
# a sample datatype, such as `D` with `(k (s A))`. In a term, `D` stands for any datatype, `k`
# for a constructor with as many fields, and `s` for the selector of the field at the same
# position. Two names never stand for one constructor.


DATATYPE = "SORT_DT"
_TYPINGS = ("constructor", "selector", "tester", "updater")

Unify = Callable[[Sort, Sort, Binding], bool]


class Constructors:
    """Matches and draws the constructors that the names in a pattern stand for. `unify` says whether
    a sort has the form of a pattern's sort.
    """

    def __init__(self, tables: Tables, unify: Unify) -> None:
        self._tables = tables
        self._unify = unify

    def match(self, pattern: Term, term: Term, known: Binding) -> bool:
        """Whether the indices of a term are those of a pattern with the same operator."""
        if not named(self._tables.catalogue, pattern):
            return pattern.indices == term.indices
        one, other = _datatype(pattern), _datatype(term)
        return (
            self._unify(one, other, known)
            and self._bind(one, other, str(pattern.indices[0]), str(term.indices[0]), known)
            and self.indices(pattern, known) == term.indices
        )

    def _bind(self, one: Sort, other: Sort, name: str, wanted: str, known: Binding) -> bool:
        """Let a name of a sample datatype stand for the constructor `wanted` of another one."""
        key = (one.datatype.name, name)
        if key in known.constructors:
            return known.constructors[key].name == wanted
        sample, found = one.datatype.constructor(name), other.datatype.constructor(wanted)
        if sample is None or found is None or len(sample.fields) != len(found.fields):
            return False
        taken = [c for (datatype, _), c in known.constructors.items() if datatype == key[0]]
        if found in taken:
            return False
        known.constructors[key] = found
        fields = self._tables.sorts.field_sorts(other, found)
        pairs = zip(sample.fields, fields, strict=True)
        return all(self._unify(sort, field, known) for (_, sort), field in pairs)

    def indices(self, pattern: Term, known: Binding) -> tuple[Any, ...]:
        """The indices of the term that a pattern stands for. Raises KeyError for a name that has no
        meaning yet.
        """
        if not named(self._tables.catalogue, pattern):
            return pattern.indices
        datatype = _datatype(pattern).datatype
        name, *selectors = map(str, pattern.indices)
        found, sample = known.constructors[datatype.name, name], datatype.constructor(name)
        assert sample is not None, f"the sample has no constructor {name}"
        places = [[field for field, _ in sample.fields].index(one) for one in selectors]
        return (found.name, *[found.fields[place][0] for place in places])

    def draw(self, root: Term, known: Binding, stream: Stream, sorts: list[Sort]) -> bool:
        """Draw constructors for the names in a pattern that have none yet, of datatypes among `sorts`
        if the datatype is not chosen either. The result is False if there are no such constructors.
        """
        for pattern in _open(self._tables.catalogue, root, known):
            sample = _datatype(pattern)
            bound = known.sorts.get(sample.datatype.name)
            among = [bound] if bound else [sort for sort in sorts if sort.kind == DATATYPE]
            tried = []
            for sort in among:
                for constructor in sort.datatype.constructors:
                    copy = known.copy()
                    name = str(pattern.indices[0])
                    if self._unify(sample, sort, copy) and self._bind(
                        sample, sort, name, constructor.name, copy
                    ):
                        tried.append(copy)
            if not tried:
                return False
            known.take(stream.choose(tried))
        return True


def named(catalogue: Catalogue, term: Term) -> bool:
    """Whether the indices of a term name a constructor."""
    operator = catalogue.operators.get(term.op)
    return operator is not None and operator.typing in _TYPINGS


def _datatype(term: Term) -> Sort:
    """The datatype whose constructor a term names."""
    return term.sort if term.op == "OP_DT_APPLY_CONS" else term.args[0].sort


def _open(catalogue: Catalogue, root: Term, known: Binding) -> Iterator[Term]:
    """The parts of a pattern for whose names no constructor was chosen yet."""
    for one in preorder([root]):
        if (
            named(catalogue, one)
            and (_datatype(one).datatype.name, str(one.indices[0])) not in known.constructors
        ):
            yield one


# ----------------------------------------------------------------------
# A rule of implication: its text with numbers and sorts put in, and the typed patterns that are
# read from that text.


_TOKEN = re.compile(r'"(?:[^"]|"")*"|\|[^|]*\||[^\s()]+')
_NUMBER = re.compile(r"[a-z](?:[-+](?:[a-z]|\d+))*")
_PART = re.compile(r"[-+]?(?:[a-z]|\d+)")
_WIDE = re.compile(r"\(_ (?:BitVec|FloatingPoint) ([a-z0-9]+)(?: ([a-z0-9]+))?\)")
_SORT = re.compile(r"(?<![A-Za-z0-9])[A-Z](?![A-Za-z0-9])")
# The numbers of a sample. No pattern has these numbers by chance, so each number in the sort of a
# matched term says what the letter at this place stands for.
_SAMPLE = (1009, 1511, 2003, 2503)
_INDEX = (311, 211, 107)

# The constructors that a sample datatype has beside those that a rule names.
_MORE = "(another) (wrapped (inside Bool))"

Numbers = Mapping[str, int]


def range_of(text: str, known: Numbers) -> range | None:
    """The numbers in a range such as `0..n-1`; None for another text."""
    low, dots, high = text.partition("..")
    ends = [_sum(end.strip(), known) for end in (low, high)]
    if not dots or ends[0] is None or ends[1] is None:
        return None
    return range(ends[0], ends[1] + 1)


def _sum(text: str, known: Numbers) -> int | None:
    """The value of sums of numbers and letters such as `n-1`; None for another text."""
    total, at = 0, 0
    for part in _PART.finditer(text):
        if part.start() != at or (at and part[0][0] not in "+-"):
            return None
        word, at = part[0].lstrip("+-"), part.end()
        value = int(word) if word.isdigit() else known.get(word)
        if value is None:
            return None
        total += -value if part[0][0] == "-" else value
    return total if at and at == len(text) else None


@dataclass(frozen=True)
class Patterns:
    """The typed patterns of a rule for some numbers, in tables of their own. `metas` are its
    metavariables, which are constants in the patterns.
    """

    strong: Term
    weak: Term
    where: Term | None
    metas: Mapping[Term, str]


class Variant:
    """A rule with sorts in place of those of its capital letters that stand for some sorts only.

    `sample` are its patterns for numbers that say which letter stands where.
    """

    def __init__(self, rule: Rule, sorts: Mapping[str, str], catalogue: Catalogue) -> None:
        self.rule = rule
        self.sorts = sorts
        self._catalogue = catalogue
        self._known: dict[tuple[int, ...], Patterns | None] = {}
        numbers = dict(zip(rule.widths, _SAMPLE, strict=False))
        for letter, number in zip(rule.indices, _INDEX, strict=False):
            allowed = range_of(rule.indices[letter], numbers) or range(number, number + 1)
            numbers[letter] = number if number in allowed else allowed[-1]
        self.letters = {number: letter for letter, number in numbers.items()}
        self.sample = read_patterns(rule, numbers, sorts, catalogue)

    def key(self, numbers: Numbers) -> str:
        """The name that the file of proofs gives to the patterns with these numbers."""
        return key_of(numbers, self.sorts)

    def at(self, numbers: Numbers) -> Patterns | None:
        """The patterns for these numbers; None if the rule is not proved for them."""
        rule = self.rule
        given = tuple([numbers[letter] for letter in rule.numbers])
        if given not in self._known:
            proved = self.key(numbers) in rule.proved or bool(rule.argument and rule.proved)
            try:
                self._known[given] = (
                    read_patterns(rule, numbers, self.sorts, self._catalogue) if proved else None
                )
            except InputError:  # such as an extraction that a width does not have
                self._known[given] = None
        return self._known[given]


def key_of(numbers: Numbers, sorts: Mapping[str, str]) -> str:
    """Return the name that the file of proofs gives to the instance of a rule with these numbers and
    sorts.
    """
    return " ".join(f"{name}={value}" for name, value in [*sorts.items(), *numbers.items()])


class Rule:
    """A rule as plain data says it; the patterns are made when they are needed. Raises InputError for
    letters that nothing determines.
    """

    def __init__(self, plain: Mapping[str, Any]) -> None:
        self.plain = plain
        self.name = str(plain["name"])
        self.book = str(plain["book"])
        self.order = str(plain.get("order") or "bool")
        self.vars: dict[str, str] = dict(plain.get("vars") or {})
        self.indices: dict[str, str] = dict(plain.get("indices") or {})
        self.chain: tuple[str, ...] = tuple(plain.get("chain") or ())
        self.equivalent = bool(plain.get("equivalent"))
        self.argument = str(plain.get("argument") or "")
        self.generated = bool(plain.get("generated"))
        self.proved = frozenset(plain.get("proved") or ())
        directions = plain.get("directions") or "both"
        self.weakens = self.equivalent or directions != "strengthen"
        self.strengthens = self.equivalent or directions != "weaken"
        found = [pair for sort in self.vars.values() for pair in _WIDE.findall(sort)]
        names = dict.fromkeys(name for pair in found for name in pair)
        self.widths = tuple(name for name in names if name and not name.isdigit())
        # the letters of formats of floating-point numbers, in pairs
        self.formats = tuple(
            dict.fromkeys(pair for pair in found if pair[1] and not pair[0].isdigit())
        )
        self.numbers = (*self.widths, *self.indices)
        self.datatypes: dict[str, str] = dict(plain.get("datatypes") or {})
        self.choices: dict[str, list[str]] = dict(plain.get("either") or {})
        sorts = [*self.vars.values(), *self.datatypes.values()]
        letters = dict.fromkeys(n for sort in sorts for n in _SORT.findall(sort))
        self.free_sorts = tuple(
            n for n in letters if n not in self.choices and n not in self.datatypes
        )
        for name in self.vars:
            if name in self.numbers or name in self.choices or name in self.free_sorts:
                raise self.error(f"'{name}' names both a metavariable and a number or a sort")

    def error(self, reason: str) -> InputError:
        """The error that something is wrong with this rule."""
        line = self.plain.get("line")
        return InputError(f"rule {self.name}: {reason}", file=self.plain.get("file"), line=line)

    def variants(self, catalogue: Catalogue) -> list[Variant]:
        """The rule for each choice of sorts. Raises InputError for a pattern that is not
        well-sorted.
        """
        return [Variant(self, sorts, catalogue) for sorts in self.sort_choices()]

    def sort_choices(self) -> Iterator[dict[str, str]]:
        """All choices of sorts for the letters that stand for some sorts only."""
        for chosen in product(*self.choices.values()):
            yield dict(zip(self.choices, chosen, strict=True))

    def index_values(self, widths: Numbers) -> Iterator[dict[str, int]]:
        """All values of the indices for these widths."""
        partial: list[dict[str, int]] = [dict(widths)]
        for letter, text in self.indices.items():
            partial = [
                {**known, letter: value}
                for known in partial
                for value in range_of(text, known) or self._no_range(letter, text)
            ]
        yield from partial

    def _no_range(self, letter: str, text: str) -> Sequence[int]:
        if all(range_of(text, dict.fromkeys(self.numbers, value)) is None for value in (1, 9)):
            raise self.error(f"expected a range such as 0..n-1 for '{letter}', found '{text}'")
        return ()

    def text(self, key: str, numbers: Numbers, sorts: Mapping[str, str]) -> str:
        """The text under `key` for these numbers and sorts."""
        return put_in(str(self.plain.get(key) or ""), numbers, sorts)

    def declarations(self, numbers: Numbers, sorts: Mapping[str, str]) -> str:
        """The declarations of the metavariables, for these numbers and sorts."""
        lines = [f"(declare-sort {name} 0)" for name in self.free_sorts]
        lines += [
            f"(declare-datatypes (({name} 0)) (({put_in(text, numbers, sorts)} {_MORE})))"
            for name, text in self.datatypes.items()
        ]
        for name, sort in self.vars.items():
            text = put_in(sort, numbers, sorts)
            if text.startswith("(->"):
                *domain, result = _split(text[3:-1])
                lines.append(f"(declare-fun {name} ({' '.join(domain)}) {result})")
            else:
                lines.append(f"(declare-fun {name} () {text})")
        return "\n".join(lines)


def _split(text: str) -> list[str]:
    """The sorts in a text, one after another."""
    found, depth, start = list[str](), 0, 0
    for at, letter in enumerate(text + " "):
        depth += (letter == "(") - (letter == ")")
        if letter == " " and depth == 0:
            found.append(text[start:at].strip())
            start = at
    return [part for part in found if part]


def put_in(text: str, numbers: Numbers, sorts: Mapping[str, str]) -> str:
    """A text with numbers and sorts in place of their letters."""

    def one(token: re.Match[str]) -> str:
        word = token[0]
        if word in sorts:
            return sorts[word]
        value = _sum(word, numbers) if _NUMBER.fullmatch(word) else None
        return word if value is None else str(value)

    return _TOKEN.sub(one, text)


def read_patterns(
    rule: Rule,
    numbers: Numbers,
    sorts: Mapping[str, str],
    catalogue: Catalogue,
    tables: Tables | None = None,
) -> Patterns:
    """The typed patterns of a rule. Raises InputError with the place of the rule."""
    texts = [rule.text(key, numbers, sorts) for key in ("strong", "weak", "where")]
    head = rule.declarations(numbers, sorts)
    (strong, weak, *where), metas = read_terms(rule, head, texts, tables or Tables(catalogue))
    if len(where) != bool(texts[2]) or strong.sort is not weak.sort:
        raise rule.error(f"expected two terms of one sort, found {strong.sort} and {weak.sort}")
    names = {constant: str(constant.indices[0]) for constant in metas}
    return Patterns(strong, weak, where[0] if where else None, names)


def read_terms(
    rule: Rule, head: str, texts: Sequence[str], tables: Tables
) -> tuple[tuple[Term, ...], list[Term]]:
    """The terms of texts below declarations, and the declared constants. Raises InputError with the
    place of the rule.
    """
    script = f"{head}\n(get-value ({' '.join(texts)}))"
    try:
        read = read_script(script, rule.name, tables.catalogue, tables)
    except InputError as error:
        raise rule.error(error.reason) from None
    asked = next(c for c in read.commands if isinstance(c, GetValue))
    return asked.terms, read.constants()
