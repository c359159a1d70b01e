"""A program that reads SMT-LIB on its standard input. It tries all values of its constants, which are
Booleans and bit-vectors of few bits, so what it answers is right: but for the fault that is written in
the file that its command line names. Without a file it has no fault.

With `no-limits` behind the file, it knows no option that limits a check.

A fault is a name, and behind a colon the command at which it shows: `death:check-sat`. It shows at the
first such command after `(set-logic ALL)`, which begins each run.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

Sexp = Any


def tokens(stream: Any) -> Iterator[str]:
    """The tokens of the input, as soon as each is there."""
    word = ""
    while (letter := stream.read(1)) != "":
        if letter == '"':
            text = ""
            while (letter := stream.read(1)) not in ('"', ""):
                text += letter
            yield f'"{text}"'
        elif letter == "|":
            while (letter := stream.read(1)) not in ("|", ""):
                word += letter
        elif letter in "()" or letter.isspace():
            if word:
                yield word
            word = ""
            if letter in "()":
                yield letter
        else:
            word += letter


def commands(stream: Any) -> Iterator[Sexp]:
    """The commands of the input."""
    opened: list[list[Sexp]] = [[]]
    for token in tokens(stream):
        if token == "(":
            opened.append([])
        elif token == ")":
            done = opened.pop()
            if len(opened) == 1:
                yield done
            else:
                opened[-1].append(done)
        else:
            opened[-1].append(token)


def width(sort: Sexp) -> int:
    """The number of bits of a sort; 0 for a Boolean."""
    if sort == "Bool":
        return 0
    if isinstance(sort, list) and sort[:2] == ["_", "BitVec"]:
        return int(sort[2])
    raise KeyError(f"unknown sort {sort}")


OPERATORS: dict[str, Callable[..., Any]] = {
    "not": lambda a: not a,
    "and": lambda *a: all(a),
    "or": lambda *a: any(a),
    "=": lambda *a: len(set(a)) == 1,
    "distinct": lambda *a: len(set(a)) == len(a),
    "ite": lambda c, a, b: a if c else b,
    "bvult": lambda a, b: a[1] < b[1],
    "bvadd": lambda a, b: (a[0], (a[1] + b[1]) % (1 << a[0])),
}


def value(term: Sexp, model: dict[str, Any]) -> Any:
    """The value of a term: a bool, or a pair of width and number."""
    if isinstance(term, str):
        if term.startswith("#b"):
            return (len(term) - 2, int(term[2:], 2))
        return {"true": True, "false": False, **model}[term]
    if term[0] == "!":
        return value(term[1], model)
    if term[0] == "let":
        return value(term[2], {**model, **{name: value(t, model) for name, t in term[1]}})
    return OPERATORS[term[0]](*[value(part, model) for part in term[1:]])


def shown(found: Any) -> str:
    """A value as SMT-LIB has it."""
    return str(found).lower() if isinstance(found, bool) else f"#b{found[1]:0{found[0]}b}"


class Program:
    """The state of the program, with its levels."""

    def __init__(self, faults: str | None) -> None:
        self._file = faults
        self.fault = self.at = ""
        self.levels: list[list[Sexp]] = [[]]  # of declarations and assertions
        self.model: dict[str, Any] | None = None
        self.core: list[str] = []
        self.assumed: list[str] = []
        self.before: tuple[str, str] | None = None  # the last check, and its answer

    def begin(self) -> None:
        """Look which fault this run has."""
        if self._file is not None and os.path.exists(self._file):
            with open(self._file) as file:
                self.fault, _, self.at = file.read().strip().partition(":")

    def reply(self, command: list[Sexp]) -> str:
        """The reply to a command."""
        name = command[0]
        if name == "echo":
            return str(command[1]).strip('"')
        if command == ["set-logic", "ALL"]:
            self.begin()
        answer = self._reply(name, command)
        if name == self.at:
            answer = self._broken(answer)
        return answer

    def _reply(self, name: str, command: list[Sexp]) -> str:
        if name in ("declare-fun", "declare-const"):
            if command[-1] != "Bool":
                width(command[-1])
            self.levels[-1].append(command)
        elif name in ("define-fun", "assert"):
            for _, sort in command[2] if name == "define-fun" else ():
                width(sort)
            self.levels[-1].append(command)
        elif name == "push":
            self.levels += [[] for _ in range(int(command[1]))]
        elif name == "pop":
            del self.levels[len(self.levels) - int(command[1]) :]
        elif name in ("reset", "reset-assertions"):
            self.levels = [[]]
        elif name in ("check-sat", "check-sat-assuming"):
            answer = self._check(command[1] if len(command) > 1 else [])
            self.before = (name, answer)
            return answer
        elif name == "get-value":
            if self.model is None:
                return '(error "there is no model")'
            return f"({' '.join(self._pair(term, self.model) for term in command[1])})"
        elif name == "get-unsat-core":
            return f"({' '.join(self.core)})"
        elif name == "get-unsat-assumptions":
            return f"({' '.join(self.assumed)})"
        elif name == "get-info":
            known = {":name": '"fake"', ":version": '"7.3"', ":reason-unknown": "none"}
            return f"({command[1]} {known[command[1]]})" if command[1] in known else "unsupported"
        elif name == "set-option" and "no-limits" in sys.argv[2:] and "limit" in command[1]:
            return "unsupported"
        elif name != "set-option" and name != "set-logic":
            return '(error "unknown command")'
        return "success"

    def _pair(self, term: Sexp, model: dict[str, Any]) -> str:
        found = shown(value(term, model))
        if self.fault == "wrong-value" and not isinstance(value(term, model), bool):
            found = f"#b{0:0{len(found) - 2}b}"
        if self.fault == "no-value":
            found = "nonsense"
        return f"({said(term)} {found})"

    def _models(self) -> Iterator[dict[str, Any]]:
        commands = [command for level in self.levels for command in level]
        constants = [(c[1], width(c[-1])) for c in commands if c[0].startswith("declare-")]
        choices = [
            [(bits, n) for n in range(1 << bits)] if bits else [False, True]
            for _, bits in constants
        ]
        for chosen in itertools.product(*choices):
            yield dict(zip([name for name, _ in constants], chosen, strict=True))

    def _check(self, assumptions: list[Sexp]) -> str:
        terms = [c[1] for level in self.levels for c in level if c[0] == "assert"]
        self.core = [term[3] for term in terms if term[0] == "!"]
        self.assumed = list(assumptions)
        models = list(self._models())
        good = [m for m in models if all(value(t, m) for t in (*terms, *assumptions))]
        self.model = good[0] if good else None
        forgotten = self.fault == "forgetful" and self.before == ("check-sat-assuming", "unsat")
        if (self.fault == "wrong-sat" or forgotten) and not good:
            self.model = models[0]
        if self.fault == "confused" and self.before and "bvadd" in str(terms):
            self.model = next((m for m in models if m not in good), self.model)
        if self.fault == "wrong-model" and good:
            self.model = next((m for m in models if m not in good), good[0])
        if self.fault == "wrong-unsat":
            self.model = None
        if self.fault == "wrong-core":
            self.core = self.core[:1]
        if self.fault == "foreign-core":
            self.core = ["nobody"]
        return "sat" if self.model is not None else "unsat"

    def _broken(self, answer: str) -> str:
        self.at = ""
        if self._file is not None:
            with contextlib.suppress(OSError):  # a worker's program cannot remove the file
                os.unlink(self._file)  # another process of the same run has no fault
        if self.fault == "death":
            os.kill(os.getpid(), signal.SIGSEGV)
        elif self.fault == "exit":
            os._exit(3)
        elif self.fault == "assertion":
            sys.stderr.write("fake: solver.c:17: solve: Assertion `fine' failed.\n")
            sys.stderr.flush()
            os.abort()
        elif self.fault == "write":
            with contextlib.suppress(OSError):
                open(f"{self._file}.written", "w").close()
            with contextlib.suppress(OSError):
                socket.socket().close()
                open(f"{self._file}.socket", "w").close()
            return answer
        elif self.fault == "silence":
            time.sleep(3600)
        elif self.fault == "flood":
            return "x" * (1 << 20) + "y"
        elif self.fault == "garbage":
            return "%$ 42 success) (sat"
        elif self.fault == "words":
            return "WARNING: the moon is full"
        elif self.fault == "nothing":
            return ""
        elif self.fault == "twice":
            return f"{answer}\n{answer}"
        elif self.fault == "refusal":
            return '(error "this is not supported")'
        elif self.fault == "leaving":
            print('(error "this is not supported")', flush=True)
            os._exit(1)
        return answer


def said(term: Sexp) -> str:
    """The text of a term."""
    return term if isinstance(term, str) else f"({' '.join(map(said, term))})"


def main() -> None:
    program = Program(sys.argv[1] if len(sys.argv) > 1 else None)
    for command in commands(sys.stdin):
        if command[0] == "exit":
            return
        try:
            answer = program.reply(command)
        except KeyError as error:
            answer = f'(error "unknown {error.args[0]!s}")'
        size = 3 if program.fault == "pieces" else len(answer) + 1
        for at in range(0, len(answer) + 1, size):
            print(answer[at : at + size], end="", flush=True)
        print(flush=True)


if __name__ == "__main__":
    main()
