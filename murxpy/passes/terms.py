"""The sorts and terms of a trace, typed by our own rules, and their values under the planted model."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import islice, takewhile
from typing import Any

from murxpy.errors import InputError
from murxpy.logic.catalogue import Catalogue, Operator
from murxpy.logic.sorts import IllSorted, Sort, SortTable
from murxpy.logic.terms import CONSTANT, SPECIAL, VALUE, VARIABLE, Term
from murxpy.logic.typing import Checker
from murxpy.logic.values import LITERAL_KINDS, write_value
from murxpy.machine.checks.registry import ANSWERING
from murxpy.machine.planted import write_words
from murxpy.machine.replaying.defuse import (
    PLANT,
    Script,
    closed,
    definitions,
    returned,
    sort_of,
    used,
)
from murxpy.machine.tokens import Quoted, Ref, Token
from murxpy.machine.trace.grammar import Line, Trace, parse_trace
from murxpy.machine.witnesses.model_rows import Unreadable, Values
from murxpy.passes.lines import made, mapped, put, term_sorts, with_uses, with_word
from murxpy.passes.reduction import Asking, Reducer
from murxpy.passes.words import terms_of
from murxpy.semantics.evaluator import Evaluator
from murxpy.semantics.values import CannotSay, Interpretation
from murxpy.translate.dry import AnyReading, Silent, interpret

LONGEST = 400  # lines; to type the terms of a longer trace takes longer than a replay


@dataclass(frozen=True, slots=True)
class Typed:
    """The terms and sorts that the ids of a script stand for at its end, and a checker for further
    terms.

    `planted` has the words of the values that closed terms have under the planted model. All tables
    are empty for a script that is longer than `LONGEST`.
    """

    checker: Checker
    sorts: dict[Ref, Sort] = field(default_factory=dict)
    terms: dict[Ref, Term] = field(default_factory=dict)
    planted: dict[Ref, list[Token]] = field(default_factory=dict)


class Types:
    """Types scripts. The types of the last script are cached."""

    def __init__(self, catalogue: Catalogue) -> None:
        self.catalogue = catalogue
        self._script: Script | None = None
        self._known: Typed | None = None

    def of(self, lines: Script) -> Typed:
        """The types of a script. A line that a replay would refuse as malformed ends the typing."""
        if self._known is None or lines is not self._script:
            self._script, self._known = lines, self._typed(lines)
        return self._known

    def _typed(self, lines: Script) -> Typed:
        run = Silent(self.catalogue, Trace("candidate", list(lines)))
        if len(lines) > LONGEST:
            return Typed(run.checker)
        with suppress(InputError):
            interpret(run, AnyReading(run, run.trace))
        sorts = {Ref("s", number): entry.sort for number, entry in run.db.sorts.items()}
        terms = {Ref("t", number): entry.term for number, entry in run.db.terms.items()}
        values: dict[Ref, list[Token]] = {}
        if run.planted is not None and any(line.action == PLANT for line in lines):
            for ref, term in terms.items():
                if not term.free:
                    with suppress(CannotSay):
                        values[ref] = write_words(run.planted.value(term), term.sort, run.sorts)
        return Typed(run.checker, sorts, terms, values)


# ----------------------------------------------------------------------
# Passes that make terms simpler: another term of the same sort, a constant, a value.


_OLDER = 4  # older terms that are tried in place of one
_SHORT = 60  # lines of a trace in which all older terms are tried

# The simplest literal of a sort without parameters.
_LITERALS: dict[str, list[Token]] = {
    "SORT_BOOL": [True],
    "SORT_INT": [Quoted("0")],
    "SORT_REAL": [Quoted("0")],
    "SORT_STRING": [Quoted("")],
}
_QUANTIFIERS = ("OP_FORALL", "OP_EXISTS")
_PLAIN = (*_LITERALS, "SORT_RM", "SORT_REGLAN")


def _tried(lines: Script, older: list[Ref]) -> list[Ref]:
    return older if len(lines) <= _SHORT else older[:_OLDER]


def older_terms(lines: Script, at: int) -> Iterator[Script]:
    """Replace the term that the line makes by an argument of it, then by the oldest terms."""
    sort = sort_of(lines[at])
    if sort is None or at == len(lines) - 1:
        return
    same = [ref for ref, other in term_sorts(lines[:at]).items() if other == sort]
    arguments = [ref for ref in dict.fromkeys(used(lines[at])) if ref in same]
    for ref in (*arguments, *_tried(lines, [ref for ref in same if ref not in arguments])):
        yield with_uses(lines, returned(lines[at])[0], ref, at + 1)


def other_argument(lines: Script, at: int) -> Iterator[Script]:
    """Replace one argument of the line by another one of it, then by the oldest terms."""
    line, sorts = lines[at], term_sorts(lines[:at])
    for word, token in enumerate(line.args):
        if isinstance(token, Ref) and token in sorts:
            beside = [ref for ref in used(line) if ref != token and sorts.get(ref) == sorts[token]]
            oldest = [ref for ref, sort in sorts.items() if sort == sorts[token] and ref != token]
            for ref in dict.fromkeys((*beside, *_tried(lines, oldest))):
                yield put(lines, at, with_word(line, word, ref))


def raised(lines: Script, at: int) -> Iterator[Script]:
    """Move the application at `at` above a later one of its sort: `t(.. h(x) ..)` becomes
    `h(t(.. y ..))`, where `y` is the oldest term of the sort.

    The terms between the two are left out, so the trace is smaller where there are many.
    """
    sort, line = sort_of(lines[at]), lines[at]
    if sort is None or line.action != "mk-term" or not used(line):
        return
    sorts = term_sorts(lines)
    below = {returned(line)[0]}  # the term of the line in hand, and all terms that contain it
    for index in range(at + 1, len(lines)):
        upper = lines[index]
        if upper.action != "mk-term" or not below & {*used(upper)}:
            continue
        below |= {*returned(upper)[:1]}
        older = [
            next(
                (ref for ref, of in sorts.items() if of == sorts.get(arg) and ref not in below),
                None,
            )
            for arg in used(upper)
            if arg in below
        ]
        if sort_of(upper) == sort and None not in older:
            yield _raised(lines, at, index, below, iter(older))


def _raised(
    lines: Script, at: int, index: int, below: set[Ref], older: Iterator[Ref | None]
) -> Script:
    line, upper = lines[at], lines[index]
    own, top = returned(line)[0], returned(upper)[0]
    words = [next(older, None) or token if token in below else token for token in upper.args]
    first = next(
        at for at, token in enumerate(line.args) if isinstance(token, Ref) and token.letter == "t"
    )
    rest = with_uses(lines[index + 1 :], top, own, 0)
    between = lines[at + 1 : index]
    above = with_word(line, first, top)
    return closed([*lines[:at], *between, replace(upper, args=words), above, *rest])


def leaves(lines: Script, at: int) -> Iterator[Script]:
    """Replace the application or value at `at` by the simplest value, then by a constant."""
    line, sort = lines[at], sort_of(lines[at])
    makes = line.action in ("mk-term", "mk-value", "mk-special-value")
    if sort is None or not makes or at == len(lines) - 1:
        return
    before = sort_line(lines, at, sort)
    if before is None:
        return
    own = returned(line)[0]
    kind = line.args[1] if line.action == "mk-term" else ""
    if isinstance(kind, str) and kind in _LITERALS:
        yield put(lines, at, *before, made("mk-value", [sort, *_LITERALS[kind]], own, sort))
    constant = made("mk-const", [sort, Quoted(f"c{own.number}")], own, sort)
    yield put(lines, at, *before, constant)


def sort_line(lines: Script, at: int, sort: Ref) -> list[Line] | None:
    """The line that must come before one that names `sort` at `at`, if any; None where we do not
    know how to make the sort.
    """
    if definitions(lines)[sort] < at:
        return []
    kind = lines[at].args[1] if lines[at].action == "mk-term" else None
    return [made("mk-sort", [str(kind)], sort)] if kind in _PLAIN else None


def unbound(lines: Script, at: int) -> Iterator[Script]:
    """Replace the variable at `at` by a constant, and the quantifiers that bind it by their bodies."""
    line = lines[at]
    if line.action != "mk-var" or len(returned(line)) != 2:
        return
    variable = returned(line)[0]
    changed = put(lines, at, replace(line, action="mk-const", spelling=None))
    for index in range(at + 1, len(lines)):
        if lines[index].action == "mk-term" and _binds(lines[index], variable):
            body = used(lines[index])[-1]
            changed = with_uses(changed, returned(lines[index])[0], body, index + 1)
    yield tuple(other for other in changed if not _binds(other, variable))


def _binds(line: Line, variable: Ref) -> bool:
    """Whether the line applies a quantifier to the variable."""
    return bool(line.args) and line.args[0] in _QUANTIFIERS and variable in line.args


# ----------------------------------------------------------------------
# Passes that make what a trace says plainer: one id for a sort, values for constants, equations
# and plainer operators for what they stand in. All candidates are typed by our own rules before
# they are offered.


_VALUES = 3  # literals that are tried for a constant
_BESIDE = 3  # literals and older terms that are tried on the other side of an equation
_INNER = 8  # inner terms for which an equation is tried
_OPERATORS = 6  # plainer operators that are tried for an application
_LEAVES = (CONSTANT, VARIABLE, VALUE, SPECIAL)


class Meanings:
    """The passes, for operators that `spelled` maps to their spellings."""

    def __init__(self, types: Types, spelled: Mapping[str, Any]) -> None:
        self._types = types
        operators = types.catalogue.operators
        self._ranks = {kind: number for number, kind in enumerate(operators)}
        self._spelled = [op for kind, op in operators.items() if kind in spelled]

    def rank(self, line: Line) -> int:
        """The number of operators that are plainer than the one that the line applies."""
        return self._ranks.get(str(line.args[0]), 0) if line.action == "mk-term" else 0

    def one_id_per_sort(self, lines: Script) -> Script:
        """Give equal sorts the same id, so that other passes see that they are equal."""
        first: dict[Sort, Ref] = {}
        names = {}
        for ref, sort in self._types.of(lines).sorts.items():
            kept = first.setdefault(sort, ref)
            if kept is not ref:
                names[ref] = kept
        known: set[Ref] = set()
        merged = []
        for line in lines if names else ():
            changed = mapped(line, names)
            if changed.action != "mk-sort" or not known.issuperset(returned(changed)):
                merged.append(changed)
            known.update(returned(changed))
        return tuple(merged) if names else lines

    def values(self, lines: Script, at: int) -> Iterator[Script]:
        """Replace the constant at `at`, or an application of a sort with parameters, by a literal."""
        line, sort = lines[at], sort_of(lines[at])
        if sort is None or line.action not in ("mk-const", "mk-term") or at == len(lines) - 1:
            return
        own = returned(line)[0]
        term = self._types.of(lines).terms.get(own)
        if term is None or (line.action == "mk-term" and term.sort.kind in _SIMPLEST):
            return
        if sort in definitions(lines[:at]):
            for words in islice(_literals(term.sort), _VALUES):
                yield put(lines, at, made("mk-value", [sort, *words], own, sort))

    def equations(self, lines: Script, at: int) -> Iterator[Script]:
        """Replace the formula at `at` by an equation between a term in it and a literal or an older
        term.
        """
        line, typed = lines[at], self._types.of(lines)
        own = returned(line)[:1]
        if line.action != "mk-term" or not own or not _is_formula(typed.terms.get(own[0])):
            return
        new = Ref("t", 1 + max(ref.number for ref in typed.terms))
        places = definitions(lines)
        for inner in islice(_inside(lines, at), _INNER):
            term = typed.terms.get(inner)
            if term is None or _is_formula(term) or term.op in (VALUE, SPECIAL):
                continue
            sort = sort_of(lines[places[inner]])
            for words in islice(_literals(term.sort), _BESIDE) if sort else ():
                value = made("mk-value", [sort, *words], new, sort) if sort else line
                yield put(lines, at, value, _equation(line, inner, new))
            same = [r for r, t in typed.terms.items() if t.sort is term.sort and r != inner]
            for other in [ref for ref in same if places[ref] < at][:_BESIDE]:
                yield put(lines, at, _equation(line, inner, other))

    def plainer_operators(self, lines: Script, at: int) -> Iterator[Script]:
        """Replace the operator that the line at `at` applies by one that is plainer: one of the
        core or of its own theory that the catalogue lists before it.
        """
        line, rank = lines[at], self.rank(lines[at])
        args, others = self._others(lines, at)
        plainer = takewhile(lambda other: self._ranks[other.kind] < rank, others)
        for other in islice(plainer, _OPERATORS):
            yield put(lines, at, _applied(line, other.kind, args))
            if len(args) == 2 and args[0] != args[1]:
                yield put(lines, at, _applied(line, other.kind, args[::-1]))

    def other_operators(self, lines: Script, at: int) -> Iterator[tuple[str, str, Script]]:
        """Replace the operator that the line at `at` applies, which no other line does and which is not of
        the core, by others of the core or of its theory. Give what scripts call the two, and the script.
        """
        line = lines[at]
        operators = self._types.catalogue.operators
        own = operators.get(str(line.args[0])) if line.action == "mk-term" else None
        if own is None or own.theory == operators["OP_NOT"].theory:
            return
        if sum(other.action == "mk-term" and other.args[0] == own.kind for other in lines) > 1:
            return
        args, others = self._others(lines, at)
        for other in islice(others, _OPERATORS):
            yield own.smtlib, other.smtlib, put(lines, at, _applied(line, other.kind, args))

    def _others(self, lines: Script, at: int) -> tuple[Sequence[Token], Iterator[Operator]]:
        """The arguments of the line at `at`, and the other operators of the core or of its theory that give
        the same sort for them, the plainest first; none where it applies no operator without an index.
        """
        line, typed = lines[at], self._types.of(lines)
        place, returns = terms_of(line), returned(line)[:1]
        term = typed.terms.get(returns[0]) if returns else None
        operators = self._types.catalogue.operators
        own = operators.get(term.op) if term is not None else None
        if line.action != "mk-term" or place is None or term is None or own is None:
            return (), iter(())
        start, count = place
        args = line.args[start : start + count]
        typable = start + count == len(line.args) and all(arg in typed.terms for arg in args)
        if not typable or own.signature.binder:
            return (), iter(())
        sorts = tuple(typed.terms[arg].sort for arg in args if isinstance(arg, Ref))

        def fits(other: Operator) -> bool:
            theories = (operators["OP_NOT"].theory, own.theory)
            if other is own or other.theory not in theories or other.signature.binder:
                return False
            with suppress(IllSorted):
                return typed.checker.result(other, sorts) is term.sort
            return False

        return args, filter(fits, self._spelled)


def _is_formula(term: Term | None) -> bool:
    return term is not None and term.sort.kind == "SORT_BOOL"


def _applied(line: Line, kind: str, args: Sequence[Token]) -> Line:
    """The line with another operator, applied to `args`."""
    return made("mk-term", [kind, line.args[1], len(args), *args], *returned(line))


def _equation(line: Line, left: Ref, right: Ref) -> Line:
    return _applied(line, "OP_EQUAL", [left, right])


def _inside(lines: Script, at: int) -> Iterator[Ref]:
    """The terms inside the one of the line at `at`, the last one made first."""
    places = definitions(lines)
    wanted = {*used(lines[at])}
    for index in range(at - 1, -1, -1):
        own = returned(lines[index])[:1]
        if own and own[0] in wanted and own[0].letter == "t" and places[own[0]] == index:
            wanted.update(used(lines[index]))
            yield own[0]


def _literals(sort: Sort) -> Iterator[list[Token]]:
    """The words of the simplest literals of a sort."""
    for value in _simplest(sort):
        words: list[Any] = write_value(sort, value)
        yield [Quoted(word) if isinstance(word, str) else word for word in words]


def _simplest(sort: Sort) -> Sequence[Any]:
    if sort.kind == "SORT_BV":
        top = (1 << sort.width) - 1
        return tuple(dict.fromkeys((0, min(1, top), top, 1 << (sort.width - 1), min(2, top))))
    if sort.kind == "SORT_FP":
        exponent, significand = sort.number(0), sort.number(1)
        one = ((1 << (exponent - 1)) - 1) << (significand - 1)
        infinity = ((1 << exponent) - 1) << (significand - 1)
        return (0, one, infinity, infinity | 1 << (significand - 2), 1)
    if sort.kind == "SORT_FF":
        return tuple(dict.fromkeys((0, 1 % sort.width)))
    return _SIMPLEST.get(sort.kind, ())


_SIMPLEST: dict[str, Sequence[Any]] = {
    "SORT_BOOL": (True, False),
    "SORT_INT": (0, 1, -1, 2),
    "SORT_REAL": (Fraction(0), Fraction(1), Fraction(-1), Fraction(1, 2)),
    "SORT_STRING": ("0", "", "a", "1"),
}


# ----------------------------------------------------------------------
# A pass that replaces terms by their values under the planted model, so that what is asserted
# stays true.


class PlantedValues:
    """Replaces terms by their values under the planted model, or by constants whose sorts have to be made."""

    def __init__(self, types: Types) -> None:
        self._types = types

    def constants(self, lines: Script, at: int) -> Iterator[Script]:
        """Replace the application at `at` by a constant, where its sort has numbers for parameters and no
        line before it makes it, such as the width of a concatenation.
        """
        line, sort = lines[at], sort_of(lines[at])
        if sort is None or line.action != "mk-term" or at == len(lines) - 1:
            return
        if sort_line(lines, at, sort) is None and (before := self._sort_line(lines, at, sort)):
            own = returned(line)[0]
            yield put(
                lines, at, *before, made("mk-const", [sort, Quoted(f"c{own.number}")], own, sort)
            )

    def _sort_line(self, lines: Script, at: int, sort: Ref) -> list[Line] | None:
        """As `sort_line`, also of sorts whose parameters are numbers."""
        before = sort_line(lines, at, sort)
        known = self._types.of(lines).sorts.get(sort) if before is None else None
        if known is None:
            return before
        numbers: list[Token] = [one for one in known.params if isinstance(one, int)]
        if not numbers or len(numbers) < len(known.params):
            return None
        return [made("mk-sort", [known.kind, *numbers], sort)]

    def leaves(self, lines: Script, at: int) -> Iterator[Script]:
        """Replace the application or constant at `at` by a literal, then an application by a
        constant, of its planted value.
        """
        line, sort = lines[at], sort_of(lines[at])
        if sort is None or line.action not in ("mk-term", "mk-const") or at == len(lines) - 1:
            return
        own, typed = returned(line)[0], self._types.of(lines)
        before, words = self._sort_line(lines, at, sort), typed.planted.get(own)
        if before is None or words is None:
            return
        if typed.terms[own].sort.kind in LITERAL_KINDS:
            yield put(lines, at, *before, made("mk-value", [sort, *words], own, sort))
        if line.action == "mk-term":
            constant = made("mk-const", [sort, Quoted(f"c{own.number}")], own, sort)
            yield put(lines, at, *before, constant, Line(PLANT, [own, *words], 0))


# ----------------------------------------------------------------------
# A pass that replaces constants by their values in the model that the solver gives.


Written = Callable[[Script], str]  # the trace that a replay of a script writes; empty if unknown

_READ = ("get-value-completion", "get-value")  # the first of them that the wrapper spells is used
_MOST = 20  # constants whose values are read


class ModelValues:
    """Replaces constants by the values that the solver has for them behind its last answer.

    One replay, by `written`, reads the values of all constants of a script. `spelled` are the
    actions of the solver.
    """

    def __init__(self, types: Types, spelled: Collection[str], written: Written) -> None:
        self._types, self._written = types, written
        self._action = next((action for action in _READ if action in spelled), None)

    def run(self, reducer: Reducer[Script]) -> Asking[None]:
        """Offer the values of all constants at once, then one by one."""
        values = self._values(reducer.best)
        whole = reducer.best
        for ref, words in values.items():
            whole = _with_value(whole, ref, words)
        yield from reducer.offer([whole])
        for ref, words in values.items():
            yield from reducer.offer([_with_value(reducer.best, ref, words)])

    def _values(self, lines: Script) -> dict[Ref, list[Token]]:
        """The words of the values of constants, as far as they are literals."""
        asked = [at for at, line in enumerate(lines) if line.action in ANSWERING]
        typed = self._types.of(lines)
        refs = [
            returned(line)[0]
            for line in lines[: asked[-1] if asked else 0]
            if line.action == "mk-const" and sort_of(line) is not None
        ]
        literal = [
            ref
            for ref in refs
            if ref in typed.terms and typed.terms[ref].sort.kind in LITERAL_KINDS
        ][:_MOST]
        if not literal or self._action is None:
            return {}
        reading = Line(self._action, [len(literal), *literal], 0)
        written = self._written((*lines[: asked[-1] + 1], reading))
        rows = dict(_rows(parse_trace(written, "values").lines[-1]) if written else ())
        read = ((ref, self._words(rows[ref], typed.terms[ref].sort)) for ref in rows)
        return {ref: words for ref, words in read if words is not None}

    def _words(self, row: tuple[Any, ...], sort: Sort) -> list[Token] | None:
        """The words of the literal that a row of the solver says."""
        evaluator = Evaluator(self._types.catalogue, Interpretation())
        with suppress(CannotSay, Unreadable, InputError, ValueError, TypeError, LookupError):
            words = write_value(sort, Values([row], SortTable(), evaluator).value(0, sort))
            return [Quoted(word) if isinstance(word, str) else word for word in words]
        return None


def _rows(line: Line) -> list[tuple[Ref, tuple[Any, ...]]]:
    """The terms whose values the line says, and the values as plain data."""
    return [
        (words[0], tuple(getattr(word, "text", word) for word in words[1:]))
        for name, words in line.results
        if name == "value" and words and isinstance(words[0], Ref)
    ]


def _with_value(lines: Script, ref: Ref, words: list[Token]) -> Script:
    """Make the constant `ref` a literal."""
    at = definitions(lines)[ref]
    sort = sort_of(lines[at])
    return put(lines, at, made("mk-value", [sort, *words], ref, sort)) if sort else lines
