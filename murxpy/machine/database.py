"""The term database: every sort and term that a run has made so far, with the solver's objects,
scopes and reference counts.

Each line that returns a term gets an entry and an id of its own, even where the solver gives the
same node for two lines.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from murxpy.logic.sorts import Sort
from murxpy.logic.terms import Term
from murxpy.machine.random import Stream


class Entry:
    """A term of the run: its id, the typed term, the solver's object, the scope level (how many
    scopes with open variables enclose it), and how often it was used as an argument.
    """

    __slots__ = ("id", "level", "obj", "pushed", "slot", "term", "uses")

    def __init__(self, number: int, term: Term, obj: Any, level: int, pushed: int) -> None:
        self.id = number
        self.term = term
        self.obj = obj
        self.level = level
        self.uses = 0
        self.slot = -1  # the place among the fresh terms of its pool; -1 once the term is used
        self.pushed = pushed  # the assertion level at which the term was made

    def __str__(self) -> str:
        return f"t{self.id}"


class SortEntry:
    """A sort of the run: id, sort, the solver's object."""

    __slots__ = ("id", "obj", "sort")

    def __init__(self, number: int, sort: Sort, obj: Any) -> None:
        self.id = number
        self.sort = sort
        self.obj = obj

    def __str__(self) -> str:
        return f"s{self.id}"


class Pool:
    """The terms of one sort and one scope level, in two lists: fresh terms, which nothing has used
    yet, and used terms.
    """

    __slots__ = ("fresh", "used")

    def __init__(self) -> None:
        self.fresh: list[Entry] = []
        self.used: list[Entry] = []

    def __len__(self) -> int:
        return len(self.fresh) + len(self.used)

    def add(self, entry: Entry) -> None:
        """Add a term that no other term uses yet."""
        entry.slot = len(self.fresh)
        self.fresh.append(entry)

    def mark_used(self, entry: Entry) -> None:
        """Move a fresh term to the used terms. The last fresh term takes its place, so that the move
        takes constant time.
        """
        last = self.fresh.pop()
        if last is not entry:
            self.fresh[entry.slot] = last
            last.slot = entry.slot
        entry.slot = -1
        self.used.append(entry)

    def pick(self, stream: Stream, bias: float) -> Entry:
        """A fresh term with probability `bias`; otherwise the less used one of two random used
        terms.
        """
        if self.fresh and (not self.used or stream.random() < bias):
            return stream.choose(self.fresh)
        first, second = stream.choose(self.used), stream.choose(self.used)
        return first if first.uses <= second.uses else second

    def discard(self, keep: Any) -> None:
        """Remove all terms for which the function `keep` returns false."""
        for entry in self.fresh:
            entry.slot = -1
        self.fresh = [e for e in self.fresh if keep(e)]
        self.used = [e for e in self.used if keep(e)]
        for slot, entry in enumerate(self.fresh):
            entry.slot = slot


@dataclass
class Scope:
    """A scope that is open: the variables that one binder will bind together, and the terms that
    depend on them.
    """

    variables: list[Entry]
    pools: dict[Sort, Pool]
    roots: dict[int, Entry]


class Database:
    """Sorts and terms by id, by kind and by sort. Level 0 holds closed terms, level k those under k
    open scopes.
    """

    def __init__(self) -> None:
        self.terms: dict[int, Entry] = {}
        self.sorts: dict[int, SortEntry] = {}
        self.scopes: list[Scope] = [Scope([], {}, {})]
        self.by_kind: dict[str, list[Sort]] = {}
        self.sort_entries: dict[Sort, list[SortEntry]] = {}
        self.datatypes: list[SortEntry] = []  # parametric datatypes, which have no arguments yet
        self._count: dict[Sort, int] = {}
        self._levels: dict[Term, int] = {}
        self._next_term = 1
        self._next_sort = 1

    def reserve(self, sort: int, term: int) -> None:
        """Reserve the ids up to these numbers for lines of a trace that name them."""
        self._next_sort = max(self._next_sort, sort + 1)
        self._next_term = max(self._next_term, term + 1)

    def add_sort(self, sort: Sort, obj: Any, number: int | None = None) -> SortEntry:
        """Enter a sort that a line returned; `number` is the id that a replayed trace gives to the
        sort.
        """
        entry = SortEntry(self._next_sort if number is None else number, sort, obj)
        self._next_sort = max(self._next_sort, entry.id + 1)
        self.sorts[entry.id] = entry
        if sort.kind == "SORT_DT" and sort.datatype.params and not sort.sorts():
            self.datatypes.append(entry)
        else:
            self.sort_entries.setdefault(sort, []).append(entry)
        return entry

    def add_term(
        self, term: Term, obj: Any, number: int | None = None, pushed: int = 0, pooled: bool = True
    ) -> Entry:
        """Enter a term that a line returned. A term that is not `pooled` can be named by its id,
        and is never picked at random.
        """
        entry = Entry(
            self._next_term if number is None else number, term, obj, self.level_of(term), pushed
        )
        self._next_term = max(self._next_term, entry.id + 1)
        self.terms[entry.id] = entry
        if pooled:
            self._enter(entry)
        return entry

    def _enter(self, entry: Entry) -> None:
        sort = entry.term.sort
        scope = self.scopes[min(entry.level, len(self.scopes) - 1)]
        pool = scope.pools.get(sort)
        if pool is None:
            pool = scope.pools[sort] = Pool()
        pool.add(entry)
        if not entry.term.leaf:
            scope.roots[entry.id] = entry
        count = self._count.get(sort, 0)
        if count == 0:
            self.by_kind.setdefault(sort.kind, []).append(sort)
        self._count[sort] = count + 1

    def level_of(self, term: Term) -> int:
        """The innermost open scope whose variables occur free in `term`; 0 for a closed term."""
        if not term.free:
            return 0
        return max(self._levels.get(variable, 0) for variable in term.free)

    def use(self, entry: Entry) -> None:
        """Count a use of `entry` as an argument, in an assertion or an assumption."""
        entry.uses += 1
        if entry.slot >= 0:
            scope = self.scopes[min(entry.level, len(self.scopes) - 1)]
            scope.pools[entry.term.sort].mark_used(entry)
            scope.roots.pop(entry.id, None)

    def has(self, sort: Sort) -> bool:
        """True if a term of this sort can be picked."""
        return self._count.get(sort, 0) > 0

    def size(self, sort: Sort) -> int:
        """The number of terms of this sort that can be picked."""
        return self._count.get(sort, 0)

    def pick(self, sort: Sort, stream: Stream, bias: float, closed: bool = False) -> Entry | None:
        """A random term of `sort`. Where an open scope has terms of this sort, they are taken more
        often than closed terms; with `closed` only closed terms are taken.
        """
        if closed or len(self.scopes) == 1:
            pool = self.scopes[0].pools.get(sort)
            return pool.pick(stream, bias) if pool else None
        pools = [p for scope in self.scopes if (p := scope.pools.get(sort))]
        if not pools:
            return None
        pool = pools[-1] if len(pools) == 1 or stream.random() < 0.7 else stream.choose(pools)
        return pool.pick(stream, bias)

    def open_scope(self, variables: list[Entry]) -> None:
        """Open a scope for variables that were made just now, and move them into the scope."""
        self.scopes.append(Scope(variables, {}, {}))
        for entry in variables:
            self._levels[entry.term] = len(self.scopes) - 1
            entry.level = len(self.scopes) - 1
            self._enter(entry)

    def close_scope(self) -> None:
        """Close the innermost scope: its terms can no longer be picked."""
        scope = self.scopes.pop()
        for entry in scope.variables:
            self._levels.pop(entry.term, None)
        for sort, pool in scope.pools.items():
            self._forget(sort, len(pool))

    def _forget(self, sort: Sort, count: int) -> None:
        left = self._count.get(sort, 0) - count
        self._count[sort] = left
        if left <= 0:
            self._count[sort] = 0
            self.by_kind[sort.kind].remove(sort)

    def drop(self, entry: Entry) -> None:
        """Let go of the solver's object of a term (`del`); it can no longer be picked."""
        entry.obj = None
        self.terms.pop(entry.id, None)
        self.discard(lambda e: e is not entry)

    def drop_sort(self, entry: SortEntry) -> None:
        """Let go of the solver's object of a sort (`del`)."""
        entry.obj = None
        self.sorts.pop(entry.id, None)

    def drop_above(self, pushed: int) -> None:
        """Forget the terms that were made above assertion level `pushed`. Wrappers whose
        declarations end with their scope need this.
        """
        self.discard(lambda e: e.pushed <= pushed)

    def discard(self, keep: Any) -> None:
        """Forget the terms that `keep` says False to."""
        for scope in self.scopes:
            for sort, pool in scope.pools.items():
                before = len(pool)
                pool.discard(keep)
                if len(pool) < before:
                    self._forget(sort, before - len(pool))
            scope.roots = {number: e for number, e in scope.roots.items() if keep(e)}

    def give_up(self, entry: Entry) -> None:
        """Count `entry` as a root no more, because no Boolean term can be made of it."""
        self.scopes[-1].roots.pop(entry.id, None)

    def roots(self) -> list[Entry]:
        """The operator terms of the innermost scope that nothing uses yet, oldest first."""
        return list(self.scopes[-1].roots.values())
