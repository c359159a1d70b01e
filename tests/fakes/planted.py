"""A session with a planted fault: the toy solver, and one call that goes wrong when the trace
before it has what it takes.

The setup's `fault`: `at`, the action that goes wrong; `how`, one of `faults`, or `contract` or
`invalid-model` for a finding that the process survives, of which the latter names the sorts that lines
made; and what must be there, each optional:

- `made`: operators that were applied, `kinds`: sort kinds that lines made;
- `asserted`, `assumed`: chains of operators, each below the one before it in one asserted (assumed) term;
- `options`: names that were set; `levels`: how many levels are pushed; `checks`: how many checks were made before;
- `history`: actions that came in this order, and `count`: how many terms the line itself has at least;
- `times` maps an action, a sort kind or an operator to how often it must stand there, `arity` an operator to its arguments;
- `width`: the least width of a bit-vector sort, `literal`: a text within a literal, `value`: option and least number set;
- `spelled`: an operator and its spelling, `distinct`: an operator whose arguments differ; `depth` of an asserted term;
- `answered`: how many checks were answered;
- `symbol`: a text within a symbol, `number`: the least index of an application;
- `earlier`: an operator that a run before this one applied in the same process; with `joined` also one before the last `new`;
- `late`: it shows only when the run ends;
- `turns`: a file that counts replays; the fault shows in every other one only, or in one `of` so many.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from typing import Any

import faults

from murxpy.machine.outcomes import Stopped
from murxpy.machine.tokens import Quoted, Ref, Token
from murxpy.machine.trace.grammar import Line, parse_trace
from murxpy.worker.session import Session, Write


class Watch:
    """Reads the rows that a run writes, and says when the fault is due."""

    def __init__(self, fault: dict[str, Any], earlier: frozenset[str] = frozenset()) -> None:
        self.fault = fault
        self.earlier = set(earlier)  # the operators of earlier runs
        self.terms: dict[Token, Line] = {}
        self.lines: list[Line] = []
        self.level = 0
        self.over = False
        self.answers = 0

    def due(self, row: str) -> bool:
        """Take the next row; whether the call that it describes goes wrong."""
        if row.startswith("#") or not row.strip():
            return False
        line = parse_trace(row if not row.startswith("      ") else f"0 new\n{row}", "watch").lines[
            0
        ]
        if row.startswith("      "):
            self.answers += line.result("answer") is not None
            for token in line.result("return") or ():
                if isinstance(token, Ref) and token.letter == "t":
                    self.terms[token] = self.lines[-1]
            return False
        if line.action == "new" and self.fault.get("joined"):
            self.earlier |= self.operators()
        due = line.action == self.fault["at"] and all(self._met(line))
        self.lines.append(line)
        count = line.args[0] if line.args and isinstance(line.args[0], int) else 0
        self.level += {"push": count, "pop": -count}.get(line.action, 0)
        return due

    def operators(self) -> set[str]:
        """The operators applied so far."""
        return {str(line.args[0]) for line in self.lines if line.action == "mk-term"}

    def _met(self, line: Line) -> Iterator[bool]:
        need = self.fault.get
        heads = [(other.action, str(other.args[0]) if other.args else "") for other in self.lines]
        yield all(("mk-term", op) in heads for op in need("made", ()))
        yield all(("mk-sort", kind) in heads for kind in need("kinds", ()))
        yield all(("set-option", name) in heads for name in need("options", ()))
        yield self.level >= need("levels", 0)
        yield need("earlier") in (None, *self.earlier)
        yield sum(action.startswith("check-sat") for action, _ in heads) >= need("checks", 0)
        asserted = [other.args[0] for other in self.lines if other.action == "assert-formula"]
        yield all(
            any(self._chain(term, chain) for term in asserted) for chain in need("asserted", ())
        )
        assumed = [token for token in line.args if isinstance(token, Ref)]
        yield all(
            any(self._chain(term, chain) for term in assumed) for chain in need("assumed", ())
        )
        yield len(assumed) >= need("count", 0)
        actions = iter(action for action, _ in heads)
        yield all(wanted in actions for wanted in need("history", ()))
        counts = Counter(name for head in heads for name in dict.fromkeys(head))
        yield all(counts[name] >= least for name, least in need("times", {}).items())
        made = [other for other in self.lines if other.action == "mk-term"]
        refs = [
            (str(other.args[0]), [ref for ref in other.args if isinstance(ref, Ref)])
            for other in made
        ]
        yield all(
            any(op == name and len(found) >= least for op, found in refs)
            for name, least in need("arity", {}).items()
        )
        yield all(
            any(op == name and len(set(found)) == len(found) for op, found in refs)
            for name in need("distinct", ())
        )
        yield need("spelled") is None or need("spelled") in [
            [str(other.args[0]), other.spelling] for other in made
        ]
        widths = [
            other.args[1]
            for other in self.lines
            if (other.action, *other.args[:1]) == ("mk-sort", "SORT_BV")
        ]
        yield any(
            isinstance(width, int) and width >= need("width", 0) for width in widths
        ) or not need("width")
        literals = [
            token.text
            for other in self.lines
            if other.action == "mk-value"
            for token in other.args
            if isinstance(token, Quoted)
        ]
        yield any(need("literal", "") in literal for literal in literals) or not need("literal")
        name, least = need("value", ("", 0))
        values = [
            other.args[1]
            for other in self.lines
            if other.action == "set-option" and other.args[0] == name
        ]
        yield not name or any(isinstance(value, int) and value >= least for value in values)
        yield any(self._depth(term) >= need("depth", 0) for term in asserted) or not need("depth")
        yield self.answers >= need("answered", 0)
        words = [token for other in (*self.lines, line) for token in other.args]
        yield (
            any(need("symbol") in token.text for token in words if isinstance(token, Quoted))
            if need("symbol")
            else True
        )
        yield (
            any(type(token) is int and token >= need("number") for token in words)
            if need("number")
            else True
        )

    def _depth(self, term: Token) -> int:
        """How many applications stand one below another in the term, up to 20."""
        line, depth = self.terms.get(term), 0
        level = [line] if line is not None else []
        while level and depth < 20:
            level = [line for line in level if line.action == "mk-term"]
            depth += bool(level)
            level = [
                self.terms[ref]
                for line in level
                for ref in dict.fromkeys(line.args)
                if ref in self.terms
            ]
        return depth

    def _chain(self, term: Token, chain: list[str]) -> bool:
        """Whether the operators of `chain` stand in `term`, each below the one before it. Shared
        terms are looked at once.
        """
        waiting = [(term, 0)]  # a term, and how many of the chain stand above it
        seen = set(waiting)
        while waiting:
            found, above = waiting.pop()
            line = self.terms.get(found)
            if line is None:
                continue
            above += line.action == "mk-term" and line.args[0] == chain[above]
            if above == len(chain):
                return True
            below = [
                (token, above)
                for token in line.args
                if isinstance(token, Ref) and (token, above) not in seen
            ]
            seen.update(below)
            waiting += below
        return not chain


def shows(fault: dict[str, Any], text: str) -> bool:
    """Whether the lines of `text` bring the fault about."""
    watch = Watch(fault)
    return any(watch.due(row) for row in text.splitlines())


class PlantedSession(Session):
    """The session of the wrapper in the setup, with the fault of the setup."""

    def __init__(self, setup: dict[str, Any]) -> None:
        super().__init__(setup)
        self._fault = setup["fault"]
        self._earlier: frozenset[str] = frozenset()
        self._sorts: list[str] = []  # those that lines made before the fault
        # opened in the warm parent, since a worker can open no file outside of its own folder
        self._turns = open(setup["fault"].get("turns", os.devnull), "ab")  # noqa: SIM115

    def replay(self, text: str, name: str, write: Write) -> dict[str, Any]:
        watch, watching = self._watching(write)
        report = super().replay(text, name, watching)
        if watch.over and self._fault.get("late"):
            faults.commit(self._fault["how"])
        self._earlier |= watch.operators()
        return report

    def walk(self, seed: int, write: Write) -> dict[str, Any]:
        watch, watching = self._watching(write)
        report = super().walk(seed, watching)
        self._earlier |= watch.operators()
        return report

    def _watching(self, write: Write) -> tuple[Watch, Write]:
        """What sees the rows that a run writes, and brings the fault about when it is due."""
        watch = Watch(self._fault, self._earlier)
        shown = self._showing()

        def watching(rows: str) -> None:
            if watch.over and not self._fault.get("late"):
                return
            write(rows)
            for row in rows.splitlines():
                if watch.due(row) and shown:
                    watch.over = True
                    if not self._fault.get("late"):
                        made = [one for one in watch.lines if one.action == "mk-sort"]
                        self._sorts = [str(one.args[0]) for one in made]
                        self._commit(watch.lines[-1])

        return watch, watching

    def _showing(self) -> bool:
        if "turns" not in self._fault:
            return True
        os.write(self._turns.fileno(), b".")
        return os.fstat(self._turns.fileno()).st_size % self._fault.get("of", 2) == 0

    def _commit(self, line: Line) -> None:
        kind, made = self._fault["how"], dict.fromkeys(self._sorts)
        messages = {
            "contract": "the answer is no answer",
            "invalid-model": f"an assertion about {', '.join(made)} is false under the model; so it is",
        }
        if kind not in messages:
            faults.commit(kind)
        raise Stopped(
            {
                "kind": kind,
                "message": messages[kind],
                "action": line.action,
                "operator": None,
                "spelling": line.spelling,
                "tier": "binding",
            }
        )
