"""The process of a solver that reads SMT-LIB on its standard input: commands are written to a pipe,
and the replies to them are read from another. The file imports only the standard library.

The end of the process is the end of this one, too: it dies in the same way, so that a crash of the
program is seen as that of a binding is.
"""

from __future__ import annotations

import ctypes
import os
import re
import resource
import select
import shlex
import signal
import subprocess
import time
from collections.abc import Iterator, Sequence
from typing import Any

COMMAND = "MURXPY_COMMAND"  # the environment variable with the command line that the user gave
MOST = (
    1 << 20
)  # bytes of a reply; a process that prints more is ended as by a file that is too large
_PIECE = 1 << 16  # bytes that are read or written at once
_PR_SET_PDEATHSIG = 1
_MARK, _LONGEST_MARK = "murxpy", 200
_TOKEN = re.compile(r'[()]|"[^"]*(?:""[^"]*)*"|\|[^|]*\||;[^\n]*|[^\s()";|]+|["|]')

_ERROR = re.compile(r'\(error\s+("(?:[^"]|"")*+")\s*\)')

Reply = str | list[Any]  # an S-expression: an atom, or a list of S-expressions


class SolverError(Exception):
    """The program replied with an error; the message is that of the program."""


class Unsupported(SolverError):
    """The program replied that it does not support a command."""


class Declined(SolverError):
    """The program replied with an error to something new: an option, a declaration or an assertion."""


class Rubbish(Exception):
    """The program replied with something that is no reply to the command."""


def expressions(text: str) -> list[Reply]:
    """The S-expressions in a text, without comments. Raises Rubbish if the text is none."""
    opened: list[list[Any]] = [[]]
    for token in _TOKEN.findall(text):
        if token == "(":
            opened.append([])
        elif token == ")":
            if len(opened) == 1:
                raise Rubbish(f"a parenthesis that nothing opens: {text[:200]!r}")
            done = opened.pop()
            opened[-1].append(done)
        elif token in ('"', "|"):
            raise Rubbish(f"a text that nothing closes: {text[:200]!r}")
        elif token[0] != ";":
            opened[-1].append(token)
    if len(opened) > 1:
        raise Rubbish(f"a parenthesis that nothing closes: {text[:200]!r}")
    return opened[0]


def commands(script: str) -> Iterator[str]:
    """The commands of a script. Raises SolverError behind the last one if the script goes on, because a
    program would wait for the rest of such a command.
    """
    depth, start, open_ended = 0, 0, False
    for token in _TOKEN.finditer(script):
        depth += {"(": 1, ")": -1}.get(token[0], 0)
        open_ended = token[0][0] != ";" or (open_ended and depth > 0)
        if token[0] == ")" and depth == 0:
            yield script[start : token.end()].strip()
            start, open_ended = token.end(), False
    if open_ended:
        raise SolverError(f"parse error: no command: {script[start:].strip()[:60]}")


class Process:
    """A running program. `exited` says that it runs no more: some programs end themselves behind an error."""

    def __init__(self, words: Sequence[str], echoes: bool) -> None:
        self._echoes = echoes
        self._process = subprocess.Popen(
            words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0, preexec_fn=_begin
        )
        assert self._process.stdin is not None and self._process.stdout is not None
        self._input, self._output = self._process.stdin.fileno(), self._process.stdout.fileno()
        os.set_blocking(self._input, False)
        self._count = 0
        self.exited = False

    def ask(self, command: str) -> list[Reply]:
        """Give a command, and return the replies of the program. Raises Rubbish for what is none."""
        text = self.tell(command)
        try:
            return expressions(text)
        except Rubbish:  # an error may stand in the middle of another reply, which then ends there
            found = _ERROR.search(text)
            if found is None:
                raise
            return [["error", found[1]]]

    def tell(self, command: str, seconds: float | None = None) -> str:
        """Give a command, and return what the program prints for it. Another command behind it says where
        this ends, so that no reply is taken for that of another command. Raises SolverError if the
        reply takes more than so many seconds.
        """
        self._count += 1
        mark = f'(echo "{_MARK}-{self._count}")' if self._echoes else "(get-info :name)"
        ends = re.compile(
            rb'(?:^|\n)"?%b-%d"?\s*\n' % (_MARK.encode(), self._count)
            if self._echoes
            else rb'(?:^|\n)\(:name\s+"[^"]*"\)\s*\n'
        )
        data = f"{command}\n{mark}\n".encode()
        return self._exchange(data, ends, seconds and time.monotonic() + seconds)

    def _exchange(self, data: bytes, ends: re.Pattern[bytes], deadline: float | None) -> str:
        found, left = bytearray(), memoryview(data)
        while True:
            wait = None if deadline is None else max(0.0, deadline - time.monotonic())
            readable, writable, _ = select.select(
                [self._output], [self._input] if left else [], [], wait
            )
            if not readable and not writable:
                self.close()
                raise SolverError("time-out: no reply")
            if writable:
                try:
                    left = left[os.write(self._input, left[:_PIECE]) :]
                except BrokenPipeError:  # the program has ended; what it printed is read still
                    left = left[:0]
            if not readable:
                continue
            piece = os.read(self._output, _PIECE)
            if not piece:
                return self._ended(found)
            found += piece
            if len(found) > MOST:
                die(-signal.SIGXFSZ)
            end = ends.search(found, max(0, len(found) - len(piece) - _LONGEST_MARK))
            if end:
                return found[: end.start()].decode("utf-8", "replace")

    def _ended(self, found: bytearray) -> str:
        """What a program printed that has ended. Does not return if it did not end behind an error."""
        code = self._process.wait()
        text = found.decode("utf-8", "replace")
        if code < 0 or "(error" not in text:
            os.write(2, text[-4000:].encode())
            die(code)
        self.close()
        return text

    def close(self) -> None:
        """End the program."""
        self.exited = True
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()

    def __del__(self) -> None:
        if getattr(self, "_process", None) is not None:
            self.close()


def _begin() -> None:
    """Have the kernel end the program when the process ends that started it."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def die(code: int) -> None:
    """End this process as the program ended: by the same signal, or with the same exit code."""
    if code < 0:
        resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
        signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
        signal.pause()
    os._exit(code)


# -- the program that the user named


_WAYS = ((), ("-in",), ("-",))  # words that programs may want to read their standard input
_SECONDS = 20.0  # that a program may take to reply for the first time
_BEGIN = "(set-option :print-success true)"


class Program:
    """The program that the user named, and what it is able to do."""

    def __init__(self, command: str) -> None:
        self.name = self.version = ""
        self.words, self._echoes = self._answering(shlex.split(command))
        self.resets = self._takes("(reset)")
        self.incremental = self._takes("(set-option :incremental true)")
        self.limits = self._takes("(set-option :reproducible-resource-limit 1000)")
        self.declarations_last = self._takes(
            "(set-logic QF_UF)", "(declare-fun p () Bool)", "(reset-assertions)", "(assert p)"
        )

    def start(self) -> Process:
        """A new process of the program, which confirms each command. Raises SolverError if the program
        does not reply at once, as one that gathers its output.
        """
        process = Process(self.words, self._echoes)
        confirm(expressions(process.tell(_BEGIN, _SECONDS)))
        return process

    def _answering(self, words: Sequence[str]) -> tuple[list[str], bool]:
        """The command line with which the program reads its standard input, and whether it prints nothing
        but the text for an `echo`: some confirm this command, too. Raises OSError if it does not
        confirm commands.
        """
        infos = "(get-info :name)\n(get-info :version)\n"
        asked = f'{_BEGIN}\n(echo "a")\n(echo "b")\n{infos}(exit)\n'
        told = []
        for way in _WAYS:
            try:
                done = subprocess.run(
                    [*words, *way], input=asked, capture_output=True, text=True, timeout=_SECONDS
                )
            except subprocess.TimeoutExpired:
                told.append(f"nothing in {_SECONDS:.0f} s")
                continue
            found = re.match(r'success\s+"?a"?\s+(success\s+)?"?b"?\s', done.stdout)
            if found:
                told_of = dict(re.findall(r'\(:(name|version)\s+"([^"]*)"', done.stdout))
                self.name, self.version = told_of.get("name", ""), told_of.get("version", "")
                return [*words, *way], not found[1]
            told.append((done.stdout + done.stderr).strip()[:200] or "nothing")
        raise OSError(
            f"'{shlex.join(words)}' does not take SMT-LIB's commands set-option and echo on its standard "
            f"input: it prints {told[0]}"
        )

    def _takes(self, *commands: str) -> bool:
        process = self.start()
        try:
            for command in commands:
                confirm(process.ask(command))
        except (SolverError, Rubbish):
            return False
        return True


def confirm(replies: list[Reply]) -> None:
    """Raise SolverError unless the program confirmed a command, or Rubbish if it is no reply at all."""
    raise_errors(replies)
    if replies != ["success"]:
        raise Rubbish(f"expected success, got {shown(replies)}")


def raise_errors(replies: list[Reply]) -> None:
    """Raise SolverError for the first error among the replies, and Unsupported for such a reply."""
    for reply in replies:
        if isinstance(reply, list) and reply[:1] == ["error"]:
            # not every program doubles the quotes in its message
            raise SolverError(" ".join(map(printed, reply[1:])).strip('"').replace('""', '"'))
    if "unsupported" in replies:
        raise Unsupported("unsupported")


def shown(replies: Any) -> str:
    """The beginning of replies for a message."""
    return " ".join(map(printed, replies))[:200] or "nothing"


def printed(reply: Reply) -> str:
    """The text of an S-expression."""
    return reply if isinstance(reply, str) else f"({' '.join(map(printed, reply))})"
