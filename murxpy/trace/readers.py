"""Reading trace lines: the operands of each action from its words, ids resolved, counts checked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from murxpy.errors import InputError, nearest
from murxpy.logic.catalogue import Operator
from murxpy.logic.sorts import Sort
from murxpy.logic.typing import takes_more
from murxpy.machine import inspect, make, solve
from murxpy.machine.database import Entry, SortEntry
from murxpy.machine.run import Refused, Run
from murxpy.machine.tokens import Quoted, Ref, Token
from murxpy.trace.grammar import Line, Trace
from murxpy.trace.murxla import old_action, old_special, old_words
from murxpy.trace.sorts import read_datatypes, read_sort


class Skipped(Exception):
    """The line needs what an earlier line did not return."""


class Reading:
    """A replay in progress: the run, the trace, the line in hand, the ids that refused lines should have returned."""

    def __init__(self, run: Run, trace: Trace) -> None:
        self.run = run
        self.trace = trace
        self.line = Line("")
        self.missing: set[Ref] = set()
        self.scopes: list[list[Entry]] = []

    # -- errors and ids

    def error(self, message: str) -> InputError:
        """An InputError at the line in hand."""
        return InputError(message, file=self.trace.name, line=self.line.number)

    def lost(self, line: Line) -> None:
        """The line returned nothing: what depends on it will be skipped."""
        for token in line.result("return") or ():
            if isinstance(token, Ref) and not self.known(token):
                self.missing.add(token)

    def known(self, ref: Ref) -> bool:
        """True if the id names something."""
        return ref.number in (self.run.db.sorts if ref.letter == "s" else self.run.db.terms)

    def returned(self, letter: str) -> list[int]:
        """The ids of kind `letter` that the line's return gives."""
        return [t.number for t in self.line.result("return") or () if isinstance(t, Ref) and t.letter == letter]

    def new_id(self, letter: str) -> int | None:
        """The first of them; None where the line has no return. Raises InputError where it is taken."""
        ids = self.returned(letter)
        if not ids:
            return None
        if letter == "t" and ids[0] in self.run.db.terms:
            raise self.error(f"id t{ids[0]} is returned twice")
        return ids[0]

    @property
    def seed(self) -> int:
        """The line's seed; 0 where it has none."""
        return self.line.seed or 0

    # -- words

    def word(self, at: int, what: str) -> Token:
        """The word at `at`. Raises InputError where the line ends before it."""
        if at >= len(self.line.args):
            raise self.error(f"expected {what} at word {at + 1} of '{self.line.action}', found the end of the line")
        return self.line.args[at]

    def text(self, at: int, what: str) -> str:
        """A quoted text or a bare word."""
        word = self.word(at, what)
        if isinstance(word, Quoted):
            return word.text
        if isinstance(word, str):
            return word
        if isinstance(word, bool):
            return str(word).lower()
        if isinstance(word, (int, Ref)):
            return str(word)
        raise self.error(f"expected {what}, found '{word}'")

    def number(self, at: int, what: str) -> int:
        """A number."""
        word = self.word(at, what)
        if isinstance(word, bool) or not isinstance(word, int):
            raise self.error(f"expected {what}, found '{word}'")
        return word

    def sort(self, at: int) -> SortEntry:
        """A sort by id. Raises Skipped where a refused line should have returned it."""
        word = self.word(at, "a sort")
        if not isinstance(word, Ref) or word.letter != "s":
            raise self.error(f"expected a sort such as s1, found '{word}'")
        entry = self.run.db.sorts.get(word.number)
        if entry is None:
            raise self._unknown(word, "sort")
        return entry

    def term(self, at: int) -> Entry:
        """A term by id. Raises Skipped where a refused line should have returned it."""
        word = self.word(at, "a term")
        if not isinstance(word, Ref) or word.letter != "t":
            raise self.error(f"expected a term such as t1, found '{word}'")
        entry = self.run.db.terms.get(word.number)
        if entry is None:
            raise self._unknown(word, "term")
        return entry

    def _unknown(self, ref: Ref, what: str) -> Exception:
        if ref in self.missing:
            return Skipped()
        return self.error(f"unknown {what} {ref}, expected one that an earlier line returned")

    def terms(self, at: int) -> list[Entry]:
        """A count and as many terms."""
        count = self.number(at, "a number of terms")
        if not 0 <= count <= len(self.line.args) - at - 1:
            raise self.error(f"expected {count} terms behind the count, found {len(self.line.args) - at - 1}")
        return [self.term(at + 1 + k) for k in range(count)]

    def end(self, at: int) -> None:
        """Raise InputError unless the line has just `at` words."""
        if len(self.line.args) > at:
            raise self.error(f"'{self.line.action}' takes {at} words here, found {len(self.line.args)}")

    def own_action(self, line: Line) -> Callable[[Reading], None]:
        """The reader of a wrapper's own action. Raises InputError for an unknown one."""
        action = old_action(line.action)
        prefix = action.partition("-")[0]
        if self.run.wrapper.set("actions", action) is not None or prefix in self.run.wrapper.data.get("known-solvers", ()):
            return _own
        if self.trace.murxla or prefix in ("z3", "cvc5", "bitwuzla", "yices", "boolector"):
            return _own
        known = [*READERS, *self.run.wrapper.spellings["actions"]]
        raise InputError(f"unknown action '{line.action}'{nearest(line.action, known)}", file=self.trace.name, line=line.number)


def _new(r: Reading) -> None:
    r.end(0)
    solve.new(r.run, r.seed, r.line.spelling)


def _set_logic(r: Reading) -> None:
    logic = r.text(0, "a logic")
    r.end(1)
    if r.run.wrapper.set("actions", "set-logic") is not None:
        solve.set_logic(r.run, logic, r.seed, r.line.spelling)


def _set_option(r: Reading) -> None:
    name, value = r.text(0, "an option"), r.text(1, "its value")
    r.end(2)
    if r.trace.murxla and r.run.wrapper.set("special-options", name) is None and name in solve.SPECIAL_OPTIONS:
        return
    solve.set_option(r.run, name, value, r.seed, r.line.spelling)


def _mk_sort(r: Reading) -> None:
    kind = r.text(0, "a sort kind")
    if kind not in r.run.catalogue.sorts:
        raise r.error(f"unknown sort kind '{kind}'{nearest(kind, r.run.catalogue.sorts)}")
    if kind == "SORT_DT":
        make.make_datatypes(r.run, read_datatypes(r), r.seed, r.line.spelling, r.returned("s"))
        return
    sort, params = read_sort(r, kind)
    make.make_sort(r.run, sort, params, r.seed, r.line.spelling, r.new_id("s"))


def _instantiate_sort(r: Reading) -> None:
    parametric = r.sort(0)
    params = [r.sort(k) for k in range(1, len(r.line.args))]
    if parametric.sort.kind != "SORT_DT" or len(parametric.sort.datatype.params) != len(params):
        raise r.error(f"expected a datatype with {len(params)} parameters, found {parametric.sort}")
    make.instantiate_sort(r.run, parametric, params, r.seed, r.line.spelling, r.new_id("s"))


def _mk_const(r: Reading) -> None:
    sort, name = r.sort(0), r.text(1, "a symbol")
    r.end(2)
    make.make_constant(r.run, sort, name, r.seed, r.line.spelling, r.new_id("t"))


def _mk_var(r: Reading) -> None:
    sort, name = r.sort(0), r.text(1, "a symbol")
    r.end(2)
    make.make_variable(r.run, sort, name, r.seed, r.line.spelling, r.new_id("t"))


def _mk_value(r: Reading) -> None:
    sort = r.sort(0)
    make.make_value(r.run, sort, r.line.args[1:], r.seed, r.line.spelling, r.new_id("t"))


def _mk_special(r: Reading) -> None:
    sort, name = r.sort(0), r.text(1, "the name of a special value")
    r.end(2)
    known = r.run.catalogue.sorts[sort.sort.kind].special
    name = old_special(name, sort.sort.kind)
    if name not in known:
        raise r.error(f"{sort.sort} has no special value '{name}'{nearest(name, known)}")
    make.make_special(r.run, sort, name, r.seed, r.line.spelling, r.new_id("t"))


def _mk_term(r: Reading) -> None:
    operator = _operator(r)
    at, wanted = 2, None
    if isinstance(r.word(2, "a number of arguments"), Ref):
        wanted = r.sort(2).sort
        at = 3
    indices: tuple[Any, ...] = ()
    if operator.typing is not None and isinstance(_peek(r, at + 1), Quoted):
        count = r.number(at, "a number of symbols")
        indices = tuple(r.text(at + 1 + k, "a symbol") for k in range(count))
        at += 1 + count
    elif operator.typing == "match-case" and len(r.line.args) > at + 1 and r.line.args[at] == 0:
        at += 1
    args = r.terms(at)
    at += 1 + len(args)
    if operator.typing is None and at < len(r.line.args):
        count = r.number(at, "a number of indices")
        indices = tuple(r.number(at + 1 + k, "an index") for k in range(count))
        at += 1 + count
    r.end(at)
    _make_term(r, operator, args, indices, wanted)


def _peek(r: Reading, at: int) -> Token | None:
    return r.line.args[at] if at < len(r.line.args) else None


def _operator(r: Reading) -> Operator:
    name = r.text(0, "an operator")
    catalogue = r.run.catalogue
    operator = catalogue.operators.get(catalogue.aliases.get(name, name))
    if operator is None:
        if name.split("-")[0] in ("bitwuzla", "yices", "cvc5", "boolector"):
            raise Refused("unsupported", f"the operator {name} of another solver")
        raise r.error(f"unknown operator '{name}'{nearest(name, catalogue.operators)}")
    r.text(1, "the kind of the result sort")
    return operator


def _make_term(r: Reading, operator: Operator, args: list[Entry], indices: tuple[Any, ...], wanted: Sort | None) -> None:
    if operator.typing is None and not operator.signature.binder and len(args) < operator.minimum:
        raise r.error(f"{operator.kind} takes {operator.minimum} arguments, found {len(args)}")
    if operator.typing is None and len(args) > operator.minimum and not takes_more(operator.signature):
        if not operator.signature.binder:
            raise r.error(f"{operator.kind} takes {operator.minimum} arguments, found {len(args)}")
    args, indices = old_words(r.run, r.trace.murxla, operator, args, indices)
    sorts = r.returned("s")
    spelling = r.line.spelling
    if spelling is not None and not _has_spelling(r, operator, spelling):
        raise r.error(f"unknown spelling '{spelling}' of {operator.kind}")
    make.make_term(
        r.run, operator, args, indices, r.seed, wanted, spelling, r.new_id("t"), sorts[0] if sorts else None
    )


def _has_spelling(r: Reading, operator: Operator, name: str) -> bool:
    """True if the wrapper knows the spelling, in this release or another; a trace of another solver has others."""
    forms = (r.run.wrapper.data.get("operators") or {}).get(operator.kind) or {}
    if isinstance(forms, dict) and name in forms:
        return True
    if r.trace.header.get("solver", "").split(" ")[0] != r.run.wrapper.name:
        r.line.spelling = None
        return True
    return False


def _mk_fun(r: Reading) -> None:
    name = r.text(0, "a symbol")
    count = r.number(1, "a number of variables")
    variables = [r.term(2 + k) for k in range(count)]
    body = r.term(2 + count)
    r.end(3 + count)
    sorts = r.returned("s")
    make.make_function(
        r.run, name, variables, body, r.seed, r.line.spelling, r.new_id("t"), sorts[0] if sorts else None
    )


def _bool(r: Reading, entry: Entry) -> Entry:
    if entry.term.sort.kind != "SORT_BOOL":
        raise r.error(f"{entry} must be Boolean, it is {entry.term.sort}")
    if entry.term.free:
        raise r.error(f"{entry} has free variables, expected a closed term")
    return entry


def _assert_formula(r: Reading) -> None:
    entry = _bool(r, r.term(0))
    r.end(1)
    solve.assert_formula(r.run, entry, r.seed, r.line.spelling)


def _assert_tracked(r: Reading) -> None:
    entry, name = _bool(r, r.term(0)), r.text(1, "a name")
    r.end(2)
    if r.run.wrapper.set("actions", "assert-tracked") is None:
        solve.assert_formula(r.run, entry, r.seed)
    else:
        solve.assert_tracked(r.run, entry, name, r.seed, r.line.spelling)


def _set_limit(r: Reading) -> None:
    solve.set_limit(r.run, r.number(0, "a limit"), r.seed, r.line.spelling)


def _check_sat(r: Reading) -> None:
    r.end(0)
    _compare(r, solve.check_sat(r.run, r.seed, r.line.spelling))


def _check_sat_assuming(r: Reading) -> None:
    entries = [_bool(r, e) for e in r.terms(0)]
    r.end(1 + len(entries))
    _compare(r, solve.check_sat_assuming(r.run, entries, r.seed, r.line.spelling))


def _compare(r: Reading, answer: str) -> None:
    before = r.line.result("answer")
    if before and str(before[0]) != answer:
        r.run.differences.append(f"line {r.line.number}: {r.line.action} answered {before[0]}, now {answer}")


def _get_value(r: Reading) -> None:
    entries = r.terms(0)
    r.end(1 + len(entries))
    action = r.line.action
    if r.run.wrapper.set("actions", action) is None:
        action = "get-value"
    solve.get_value(r.run, entries, action, r.seed, r.line.spelling)


def _query(r: Reading) -> None:
    r.end(0)
    if r.run.wrapper.set("actions", r.line.action) is None:
        raise Refused("unsupported", f"no spelling of {r.line.action}")
    solve.query(r.run, r.line.action, r.seed, r.line.spelling)


def _levels(call: Callable[[Run, int, int, str | None], None]) -> Callable[[Reading], None]:
    def reader(r: Reading) -> None:
        levels = r.number(0, "a number of levels")
        r.end(1)
        if r.line.action == "pop" and not 0 <= levels <= r.run.state.level:
            raise r.error(f"cannot pop {levels} levels of {r.run.state.level}")
        call(r.run, levels, r.seed, r.line.spelling)

    return reader


def _plain(call: Callable[[Run, int, str | None], None]) -> Callable[[Reading], None]:
    def reader(r: Reading) -> None:
        r.end(0)
        call(r.run, r.seed, r.line.spelling)

    return reader


def _on_terms(r: Reading) -> None:
    entries = [r.term(k) for k in range(len(r.line.args))]
    if r.run.wrapper.set("actions", r.line.action) is None:
        raise Refused("unsupported", f"no spelling of {r.line.action}")
    solve.on_terms(r.run, r.line.action, entries, r.seed, r.line.spelling)


def _own(r: Reading) -> None:
    action = old_action(r.line.action)
    if r.run.wrapper.set("actions", action) is None:
        raise Refused("unsupported", f"the action {r.line.action} of another solver")
    entries = [r.term(k) for k in range(len(r.line.args))]
    solve.on_terms(r.run, action, entries, r.seed, r.line.spelling)
    if ((r.run.wrapper.data.get("own-actions") or {}).get(action) or {}).get("changes"):
        r.run.state.changed()


def _check(call: Callable[..., None]) -> Callable[[Reading], None]:
    def reader(r: Reading) -> None:
        r.end(1)
        entry = r.sort(0) if r.line.action == "check-sort" else r.term(0)
        call(r.run, entry, r.seed, r.line.spelling)

    return reader


def _delete(r: Reading) -> None:
    r.end(0)
    solve.delete(r.run, r.seed)


def _del(r: Reading) -> None:
    solve.drop(r.run, r.term(0), r.seed)


def _gc(r: Reading) -> None:
    solve.collect(r.run, r.seed)


READERS: dict[str, Callable[[Reading], None]] = {
    "new": _new,
    "delete": _delete,
    "set-logic": _set_logic,
    "set-option": _set_option,
    "mk-sort": _mk_sort,
    "instantiate-sort": _instantiate_sort,
    "mk-const": _mk_const,
    "mk-var": _mk_var,
    "mk-value": _mk_value,
    "mk-special-value": _mk_special,
    "mk-term": _mk_term,
    "mk-fun": _mk_fun,
    "assert-formula": _assert_formula,
    "assert-tracked": _assert_tracked,
    "set-limit": _set_limit,
    "check-sat": _check_sat,
    "check-sat-assuming": _check_sat_assuming,
    "get-value": _get_value,
    "get-value-completion": _get_value,
    "get-model": _query,
    "print-model": _query,
    "get-unsat-core": _query,
    "get-unsat-assumptions": _query,
    "get-assertions": _query,
    "get-info": _query,
    "statistics": _query,
    "push": _levels(solve.push),
    "pop": _levels(solve.pop),
    "reset": _plain(solve.reset),
    "reset-assertions": _plain(solve.reset_assertions),
    "term-get-children": _on_terms,
    "simplify": _on_terms,
    "substitute": _on_terms,
    "check-sort": _check(inspect.check_sort),
    "check-term": _check(inspect.check_term),
    "check-value": _check(inspect.check_value),
    "check-eq": _check(inspect.check_eq),
    "del": _del,
    "gc": _gc,
}
