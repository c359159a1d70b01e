"""The meaning of each symbol of a script at the point that is being read."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Generic, TypeVar

from murxpy.logic.catalogue import Catalogue, Operator
from murxpy.logic.sorts import Sort
from murxpy.logic.terms import Term
from murxpy.smtlib.reading.applying import SUGARED

H = TypeVar("H")  # the type of what is applied

_ABSENT: Any = object()


class Scope(Generic[H]):
    """The symbols that are visible: as atoms, as heads of applications, and as sorts. A list of
    changes lets binders and levels end.
    """

    def __init__(self) -> None:
        self.atoms: dict[str, Term] = {}
        self.heads: dict[str, H] = {}
        # the sorts that the script declared, as functions of their parameters
        self.sorts: dict[str, Callable[[Sequence[Sort]], Sort]] = {}
        self.fields: dict[str, H] = {}  # the selectors, and the testers by the names `is-C`
        # the names that the script declared; False if it may declare the name again
        self.own: dict[str, bool] = {}
        self.instances: dict[Sort, bool] = {}  # instances of sorts with parameters
        self.literals: dict[str, Term] = {}  # those atoms that are literals
        self._trail: list[tuple[dict[Any, Any], Any, Any]] = []

    def clear(self) -> None:
        """Forget all symbols."""
        for table in (
            self.atoms,
            self.heads,
            self.sorts,
            self.fields,
            self.own,
            self.instances,
            self.literals,
        ):
            table.clear()
        self._trail.clear()

    def forget_literals(self) -> None:
        """Forget the numerals, because they mean something else from now on."""
        for token in self.literals:
            self.atoms.pop(token, None)
        self.literals.clear()

    def may_redeclare(self) -> None:
        """Allow each declared name to be declared once more. Until then it keeps its meaning."""
        for name in self.own:
            self.own[name] = False

    def mark(self) -> int:
        """Return a point to which `undo` can go back."""
        return len(self._trail)

    def undo(self, mark: int) -> None:
        """Forget all changes since `mark`. Symbols that they hid are visible again."""
        trail = self._trail
        while len(trail) > mark:
            table, name, old = trail.pop()
            if old is _ABSENT:
                del table[name]
            else:
                table[name] = old

    def bind(self, name: str, term: Term | None, head: H | None = None) -> None:
        """Let `name` stand for `term` where it is not applied, and for `head` where it is. None means
        that the symbol stands for nothing.
        """
        self.put(self.atoms, name, term)
        self.put(self.heads, name, head)

    def put(self, table: dict[Any, Any], name: Any, value: Any) -> None:
        """Enter a symbol into one of the tables; None takes it out."""
        old = table.get(name, _ABSENT)
        if value is not None:
            table[name] = value
        elif old is not _ABSENT:
            del table[name]
        if value is not None or old is not _ABSENT:
            self._trail.append((table, name, old))


# ----------------------------------------------------------------------
# Looking up the names in a script. The operators and sorts of `fsm/theories` are known by their
# names in all dialects at once.


# The reader makes these of other syntax, so no name stands for them.
_UNREADABLE = (
    "OP_IFF",
    "OP_CONST_ARRAY",
    "OP_UF_APPLY",
    "OP_HO_APPLY",
    "OP_ARRAY_MAP",
    "OP_ARRAY_MAP2",
)
# a fold whose function is written out as a lambda
_FINITE = "FINITE_SET"
_FOLD = re.compile(r"\(([^\s(){}]+) \(lambda .*\) \{1\} \{2\}\)")
_PLAIN = re.compile(r"\(([^\s(){}]+)((?: \{\d\})*)\)")
_INDEXED = re.compile(r"\(\(_ ([^\s(){}]+)(?: \{i\d\})+\)((?: \{\d\})*)\)")
_SORT_FORM = re.compile(r"\((?:_ )?([^\s(){}]+) ")
_SPECIAL_FORM = re.compile(r"\((?:_|as) (\S+) [^()]*\)")


@dataclass(frozen=True)
class Vocabulary:
    """Names and their meanings: operators (several if a name is overloaded), special values, and
    kinds of sorts. A name of several operators or special values has them in the order in which they
    are tried. `short` are names of sorts that determine their parameters, such as `Float32`.
    """

    operators: dict[str, tuple[Operator, ...]]
    binders: dict[str, Operator]  # forall, exists, lambda, set.comprehension
    special: dict[str, tuple[str, ...]]
    sorts: dict[str, str]
    short: dict[str, tuple[str, tuple[int, ...]]]
    core: frozenset[str] = field(default_factory=frozenset)  # names that no script may take


@lru_cache(maxsize=8)
def finite_set_words(catalogue: Catalogue) -> frozenset[str]:
    """Return the names that finite sets have and other sets do not. `(set.singleton 1)` may be a set
    of either theory; it is a finite set in a script with one of these names.
    """
    finite, others = (
        {name for operator in catalogue.of_theory(theory) for name in _names(operator, catalogue)}
        for theory in (_FINITE, "SET")
    )
    sorts = {sort.smtlib for kind, sort in catalogue.sorts.items() if kind == "SORT_FINITE_SET"}
    return frozenset((sorts | finite) - others)


@lru_cache(maxsize=8)
def vocabulary(catalogue: Catalogue, finite_sets: bool = False) -> Vocabulary:
    """Return all names by which scripts in any dialect may speak of the catalogue. With
    `finite_sets`, the operators of finite sets are tried before others of the same name.
    """
    named: dict[str, list[Operator]] = {}
    binders: dict[str, Operator] = {}
    for operator in sorted(
        catalogue.operators.values(), key=lambda one: (one.theory == _FINITE) is not finite_sets
    ):
        if operator.kind in _UNREADABLE or operator.typing is not None:
            continue
        if operator.signature.binder:
            binders.setdefault(operator.smtlib, operator)
            continue
        for name in _names(operator, catalogue):
            if operator not in named.setdefault(name, []):
                named[name].append(operator)
    for name in SUGARED:
        named.setdefault(name, [])
    core = frozenset(op.smtlib for op in catalogue.of_theory("BOOL") if not op.extension)
    return Vocabulary(
        {name: tuple(found) for name, found in named.items()},
        binders,
        _special(catalogue),
        _sorts(catalogue),
        _short(catalogue),
        core | {"true", "false"},
    )


def _names(operator: Operator, catalogue: Catalogue) -> list[str]:
    """Return the names of an operator in the dialects that have it, and other names that scripts
    may use. A spelling that is more than a name before its arguments gives no name.
    """
    kind = operator.kind
    known = [*operator.also] if operator.extension else [operator.smtlib, *operator.also]
    for dialect in catalogue.dialects.values():
        if kind in dialect.same:
            known.append(operator.smtlib)
        for spelling in (dialect.operators.get(kind, ""), dialect.operators.get(f"{kind}/0", "")):
            found = _PLAIN.fullmatch(spelling) or _INDEXED.fullmatch(spelling)
            if found is not None and found[2] == "".join(
                f" {{{k}}}" for k in range(operator.minimum)
            ):
                known.append(found[1])
            elif _FOLD.fullmatch(spelling):
                known.append(spelling[1:].split(" ")[0])
            elif spelling == f"({operator.smtlib} {{*}})":
                known.append(operator.smtlib)
            elif found is None and spelling and not spelling.startswith("("):
                known.append(spelling)
    return list(dict.fromkeys(known))


def _special(catalogue: Catalogue) -> dict[str, tuple[str, ...]]:
    """Return the special values by their names. A name is a whole spelling, or the word in a
    spelling `(_ word ...)` or `(as word ...)`.
    """
    known: dict[str, dict[str, None]] = {}
    for table in (
        *(sort.special_also for sort in catalogue.sorts.values()),
        *(dialect.special_also for dialect in catalogue.dialects.values()),
    ):
        for name, special in table.items():
            known.setdefault(name, {})[special] = None
    for dialect in catalogue.dialects.values():
        for special, spelling in dialect.special_values.items():
            found = _SPECIAL_FORM.fullmatch(spelling)
            if found is not None:
                known.setdefault(found[1], {})[special] = None
            elif not spelling.startswith("("):
                known.setdefault(spelling, {})[special] = None
    return {name: tuple(found) for name, found in known.items()}


def _sorts(catalogue: Catalogue) -> dict[str, str]:
    """Return the kinds of sorts by their names in all dialects."""
    known = {sort.smtlib: kind for kind, sort in catalogue.sorts.items() if sort.smtlib != "-"}
    for dialect in catalogue.dialects.values():
        for kind, spelling in dialect.sorts.items():
            found = _SORT_FORM.match(spelling)
            if found is not None:
                known.setdefault(found[1], kind)
    return known


def _short(catalogue: Catalogue) -> dict[str, tuple[str, tuple[int, ...]]]:
    """Return the kind and the numbers of each sort whose name determines both."""
    known = {
        name: (sort.kind, numbers)
        for sort in catalogue.sorts.values()
        for name, numbers in sort.short.items()
    }
    for dialect in catalogue.dialects.values():
        for kind, spelling in dialect.sorts.items():
            if not spelling.startswith("("):
                known.setdefault(spelling, (kind.removesuffix("/0"), ()))
    return known
