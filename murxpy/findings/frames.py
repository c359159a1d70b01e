"""The place at which a process died, from its native frames: the same place means the same defect."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import subprocess
import time
from collections import Counter, deque
from collections.abc import Callable, Sequence
from functools import partial
from itertools import takewhile
from pathlib import Path

from murxpy.machine.trace.finished import last_call
from murxpy.processes.handles import Scratch
from murxpy.processes.parents import command, setup_data
from murxpy.processes.targets import Plan
from murxpy.records.config import Budget, reaped_cpu
from murxpy.records.services import Service
from murxpy.records.snapshot import Left
from murxpy.worker.process import die_with_parent

FRAMES = 3  # innermost frames that two deaths must share
_LONGEST = 24  # frames at most in one turn of a recursion
_DEEP = 48  # frames at least of a stack whose end is not reached; gdb prints 64, some of which end the process
_OFTEN = 6  # times that a function of a recursion is among them

# A frame as gdb prints it: `#0  0x00007ffff58e3c8c in lp::static_matrix<double,
# double>::set(unsigned int) () from libz3.so`.
_FRAME = re.compile(r"^#\d+ +(?:(0x[0-9a-f]+) in )?(.+?)(?: \(|$)", re.MULTILINE)

_CLONE = re.compile(
    r" \[clone [^]]{0,80}\]|\.(?:cold|lto_priv|isra|part|constprop)(?:\.\d{1,9})?\b"
)

# Functions of the C library that run when a program ends itself. The place stands behind these
# frames, and is the same whether a release ends there by an assertion or by a wrong access to
# memory.
_ENDING = re.compile(
    r"(?:__GI_|__libc_|_+)?(?:raise|abort|assert_fail\w*|pthread_kill\w*|fortify_fail\w*|libc_message"
    r"|chk_fail|terminate|verbose_terminate\w*)\b|std::terminate|__gnu_cxx::__verbose|__cxxabiv1::__terminate"
    r"|__cxa_(?:throw|rethrow)\b|std::__throw_\w+|__kill\b|kill\b|[\w:]+::~"  # a failure may speak as it is destroyed
)

# The allocator notices a broken heap long after it was broken, so its frames tell no place.
_ALLOCATOR = re.compile(
    r"(?:__GI_|__libc_|_|int_)*+(?:malloc|calloc|realloc|free|memalign)\w*\b|malloc_\w+|unlink_chunk"
    r"|tcache_\w+|sysmalloc|operator (?:new|delete)|cfree\b|(?:realloc|free|top)_check\b|__debug_\w+"
)
HEAP = "heap"  # the first word of a place where a broken heap was noticed
RECURSION = "recursion"  # the first word of a place in an endless recursion

# Functions of the interpreter that destroy an object. What they call only notices what was broken before.
_RELEASING = re.compile(
    r"slot_tp_(?:finalize|del)\b|subtype_dealloc|PyObject_CallFinalizer|_Py_Dealloc|__pyx_tp_dealloc"
    r"|(?:finalize|delete)_garbage|gc_collect_\w+"
)
# a function of the solver that releases an object
_RELEASE = re.compile(r"dec_?ref$|_del_[a-z]{1,40}$|~\w{1,99}$")

# With these the C library checks each block of the heap that is freed or enlarged, and overwrites what is
# freed, so that who uses it later dies there.
_CHECKED = {
    "LD_PRELOAD": "libc_malloc_debug.so.0",
    "GLIBC_TUNABLES": "glibc.malloc.check=3:glibc.malloc.perturb=165",
}
_EARLIEST = "with freed memory overwritten: "  # begins the line of frames behind those of the death
_OF_PROGRAM = (
    "of the program"  # the line behind frames that are those of a program, and not of a trace
)

# The interpreter and the libraries that call a solver for it. No frame of the solver follows behind
# such a function.
_CALLER = re.compile(r"ffi_|_?Py|_ctypes|__pyx|method_vectorcall|__libc_start|\?\?$")


def functions(backtrace: str) -> tuple[str, ...]:
    """The functions of all frames, innermost first. A frame without a name counts with its address:
    gdb loads libraries to the same place each time. Which copy of a function the compiler calls is chance.
    """
    found = _FRAME.findall(backtrace)
    return tuple(_CLONE.sub("", name) if name != "??" else address for address, name in found)


def inside(backtrace: str) -> tuple[str, ...]:
    """The functions of the solver's own frames, innermost first, without those of the interpreter, of the
    libraries through which it calls, and of the C library when it ends a process.
    """
    names = list(takewhile(lambda name: not _CALLER.match(name), functions(backtrace)))
    del names[: min(_behind_end(names), len(names) - 1)]
    while names and names[-1].startswith("0x"):  # of the library that calls foreign functions
        names.pop()
    return tuple(names)


def place(backtrace: str) -> tuple[str, ...]:
    """The functions that say where a process died: one turn of an endless recursion, behind the word
    `recursion`; behind the word `heap` the frames in which a broken heap was noticed, which tell little
    of where it was broken; else the innermost frames. The result is empty if the frames tell nothing.
    """
    names = functions(backtrace)
    names = names[_behind_end(names) :]
    turn = cycle(names)
    if turn:
        return (RECURSION, *turn)
    behind = next((at for at, name in enumerate(names) if not _ALLOCATOR.match(name)), len(names))
    found = tuple(takewhile(lambda name: not _CALLER.match(name), names[behind:][:FRAMES]))
    return (HEAP, *found) if behind else found


def releases(backtrace: str) -> bool:
    """Whether the process died while the interpreter destroyed an object of the solver."""
    names = functions(backtrace)
    outermost = re.sub(r"\(.*", "", (inside(backtrace) or ("",))[-1])
    return any(map(_RELEASING.match, names)) or _RELEASE.search(outermost) is not None


def earliest(backtrace: str) -> str:
    """The innermost functions in which the process dies when freed memory is overwritten at once, where
    that tells more than the frames of the death; else empty.
    """
    line = next((one for one in backtrace.split("\n") if one.startswith(_EARLIEST)), "")
    return line.removeprefix(_EARLIEST)


def of_program(backtrace: str) -> bool:
    """Whether the frames are those of the program that shows the finding. A replay of its trace may die
    elsewhere.
    """
    return _OF_PROGRAM in backtrace.split("\n")


def _behind_end(names: Sequence[str]) -> int:
    """The number of innermost frames that only end a process. Between two of them, a library without
    symbols may have some without a name.
    """
    end = 0
    for at, name in enumerate(names):
        if _ENDING.match(name):
            end = at + 1
        elif not name.startswith("0x"):
            break
    return end


def cycle(names: Sequence[str]) -> tuple[str, ...]:
    """One turn of the recursion in which the outermost of `names` lie, the same whichever frame comes
    first; empty where they do not repeat.

    The innermost frames may be of a call that the recursion makes in each turn. The stack of an
    endless recursion is so long that gdb does not reach its other end, so the repetition goes on to
    the last frame.
    """
    for length in range(1, _LONGEST + 1):
        turns = _turns(names, length)
        if turns >= 2 and turns * length >= max(len(names) // 2, 3 * FRAMES):
            turn = tuple(names[len(names) - length :])
            return min(turn[at:] + turn[:at] for at in range(length))
    return _recurring(names)


def _recurring(names: Sequence[str]) -> tuple[str, ...]:
    """The functions of a recursion whose turns differ, in alphabetical order: most frames of a stack whose
    end gdb did not reach. Empty where there is no such recursion.
    """
    counts = Counter(names)
    often = sorted(name for name, count in counts.items() if count >= _OFTEN)
    deep = len(names) >= _DEEP and not any(map(_CALLER.match, names))
    return tuple(often) if deep and 2 * sum(map(counts.__getitem__, often)) > len(names) else ()


def _turns(names: Sequence[str], length: int) -> int:
    """The number of times that the last `length` names are repeated at the end of `names`."""
    turn, turns = names[len(names) - length :], 0
    for end in range(len(names), length - 1, -length):
        if names[end - length : end] != turn:
            break
        turns += 1
    return turns


# ----------------------------------------------------------------------
# Native frames of a crash, from gdb where it is installed. People read them, and they tell
# which buckets are alike; they are never part of a bucket's key, which must not depend on gdb.


SECONDS = 30.0  # until gdb is ended
# While runs are made, gdb takes this part of the budget: 1 % of a campaign's time, where `--share` is 5 %; where
# it is 100 %, gdb waits for nothing.
# A first one waits until this part is `_FIRST` seconds, which it takes to load itself and a solver. The
# frames only tell which buckets are one defect, which they can do at the end.
_PART, _FIRST = 0.2, 1.5
# While findings are made smaller, the frames of a death in a misuse wait until gdb took no more than a
# fourth of what the reductions took. Of 33 such deaths of a campaign of three minutes, frames made 4 one
# defect with others. gdb took 3 of 4 seconds of a single processor, and few findings were made smaller.
_BESIDE, _LEAST = 0.25, 0.5  # and it takes at least so many seconds
_FRAMES = 64  # that gdb prints at most; one turn of a recursion had up to 13 of them


def _in_misuse(trace: str) -> bool:
    """Whether the process died in a call that was broken on purpose."""
    return last_call(trace).action == "misuse"


class Backtraces(Service):
    """Replays traces under gdb, one at a time when `budget` is open and leaves enough for it, and calls
    `done(key, frames)`. Deaths in a misuse come last, since frames seldom tell which defect they are, and
    leave time to the reductions: `reducing` gives the seconds of all processors that those took, None
    where nothing is to be made smaller. Of a finding that was made smaller by then, `shown_by` gives the program that is
    run, or the trace that is replayed: memory that is read by chance ends a process in another place behind other calls.

    A death by broken memory is replayed a second time, in which the C library checks the heap, and
    overwrites what is freed. The frames are those of that replay if the heap is what it finds broken. Where
    the process dies elsewhere, they go behind those of the death (`earliest`).
    """

    def __init__(
        self,
        budget: Budget,
        done: Callable[[str, str], None],
        reducing: Callable[[], float | None] = lambda: None,
        shown_by: Callable[[str], str | Path | None] = lambda key: None,
    ) -> None:
        self._budget = budget
        self._done = done
        self._reducing = reducing
        self._shown_by = shown_by
        self._cpu = 0.0  # seconds of all processors
        self._gdb = shutil.which("gdb")
        self._queue: deque[tuple[str, Plan, str]] = deque()
        self._asked: tuple[str, Plan, str | Path] | None = None  # what is replayed now
        self._unchecked = ""  # its frames without checks of the heap, where there are some
        self._process: subprocess.Popen[bytes] | None = None
        self._key = ""
        self._folder: Scratch | None = None
        self._began = 0.0

    def add(self, key: str, plan: Plan, trace: str) -> None:
        """Ask for the frames of the crash of `trace`, again where they are known, since a program shows it
        now. Native frames come later than the finding, and never without gdb, nor of a solver that is a
        program in a process of its own.
        """
        if self._gdb is not None and not plan.target.program:
            self._queue = deque(asked for asked in self._queue if asked[0] != key)
            self._queue.append((key, plan, trace))
            self._queue = deque(sorted(self._queue, key=lambda asked: _in_misuse(asked[2])))

    @property
    def waiting(self) -> list[str]:
        """The keys whose frames are still to come."""
        return [self._key] * (self._process is not None) + [key for key, _, _ in self._queue]

    @property
    def left(self) -> Left:
        return Left(frames=len(self.waiting))

    def cpu(self) -> dict[str, float]:
        return {"gdb": self._cpu}

    def poll(self) -> None:
        """Take the frames of a gdb that has ended, and start gdb on the next trace."""
        if self._process is not None:
            before = reaped_cpu()
            running = self._process.poll() is None
            self._cpu += reaped_cpu() - before
            if running and time.monotonic() < self._began + SECONDS:
                return
            self._end()
        if self._queue and self._open:
            try:
                key, plan, trace = self._queue.popleft()
                self._asked, self._unchecked = (key, plan, self._shown_by(key) or trace), ""
                self._begin(*self._asked)
            except OSError:  # without room for the files there are no frames
                self.close()

    @property
    def _open(self) -> bool:
        """Whether gdb may begin now."""
        budget = self._budget
        if budget.unbounded:
            reducing = self._reducing() if _in_misuse(self._queue[0][2]) else None
            return reducing is None or self._cpu + _LEAST <= _BESIDE * reducing
        paid = self._cpu + _FIRST <= _PART * budget.share * budget.total
        return budget.open and (paid or budget.share >= 1.0)

    def _begin(self, key: str, plan: Plan, shown_by: str | Path) -> None:
        self._key = key
        self._folder = Scratch("gdb")
        folder = self._folder.path
        (folder / "setup").write_bytes(setup_data(plan))
        mode, file = "program", shown_by
        if isinstance(shown_by, str):
            mode, file = "once", folder / "trace"
            file.write_text(shown_by, encoding="utf-8", errors="surrogatepass")
        replay = command(plan, mode, str(folder / "setup"), str(file))
        gdb = [
            self._gdb or "gdb",
            "-nx",
            "-batch",
            "-ex",
            "set confirm off",
            "-ex",
            "set debuginfod enabled off",
            "-ex",
            "set follow-fork-mode child",  # in which a program makes the calls
            "-ex",
            *(
                word
                for name, value in _CHECKED.items()
                if self._unchecked
                for word in (f"set environment {name}={value}", "-ex")
            ),
            "run",
            "-ex",
            f"bt {_FRAMES}",
            "--args",
            *replay,
        ]
        with (folder / "frames").open("wb") as out:
            self._process = subprocess.Popen(
                gdb,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
                env=plan.target.environment(),
                preexec_fn=partial(die_with_parent, os.getpid()),
            )
        self._began = time.monotonic()

    def _end(self) -> None:
        self._kill()
        text = ""
        if self._folder is not None:
            with contextlib.suppress(OSError):
                text = (self._folder.path / "frames").read_text("utf-8", "replace")
        self.close()
        frames = "\n".join(re.findall(r"^#\d+ .*$", text, re.M))
        heap = place(frames)[:1] == (HEAP,)
        if self._asked is not None and not self._unchecked and (heap or releases(frames)):
            self._unchecked = f"{frames}\n"
            try:
                self._begin(*self._asked)
            except OSError:  # there is no room for the files: the first frames have to do
                self.close()
                self._done(self._key, self._unchecked)
        elif frames or self._unchecked:
            told = f"{frames}\n"
            if self._unchecked and not heap:
                found = "" if releases(frames) else " < ".join(inside(frames)[:FRAMES])
                told = self._unchecked + (f"{_EARLIEST}{found}\n" if found else "")
            ran = self._asked is not None and isinstance(self._asked[2], Path)
            self._done(self._key, told + (f"{_OF_PROGRAM}\n" if ran else ""))

    def close(self) -> None:
        """End gdb if it runs, and remove its files."""
        self._kill()
        if self._folder is not None:
            self._folder.remove()
            self._folder = None

    def _kill(self) -> None:
        if self._process is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            before = reaped_cpu()
            self._process.wait()
            self._cpu += reaped_cpu() - before
            self._process = None
