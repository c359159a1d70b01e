"""The place at which a process died, from its native frames: the same place means the same defect."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import takewhile

FRAMES = 3  # innermost frames that two deaths must share
_LONGEST = 24  # frames at most in one turn of a recursion

# A frame as gdb prints it: `#0  0x00007ffff58e3c8c in lp::static_matrix<double,
# double>::set(unsigned int) () from libz3.so`.
_FRAME = re.compile(r"^#\d+ +(?:(0x[0-9a-f]+) in )?(.+?)(?: \(|$)", re.MULTILINE)

# What the C library does when a program ends itself. The place stands behind these frames, and is
# the same whether a release ends there by an assertion or by a wrong access to memory.
_ENDING = re.compile(
    r"(?:__GI_|__libc_|_+)?(?:raise|abort|assert_fail\w*|pthread_kill\w*|fortify_fail\w*|libc_message"
    r"|chk_fail|terminate|verbose_terminate\w*)\b|std::terminate|__gnu_cxx::__verbose|__cxxabiv1::__terminate"
    r"|__cxa_(?:throw|rethrow)\b|__kill\b|kill\b|[\w:]+::~"  # a failure may speak as it is destroyed
)

# The allocator notices a broken heap long after it was broken, so its frames tell no place.
_ALLOCATOR = re.compile(
    r"(?:__GI_|__libc_|_+)?(?:int_)?(?:malloc|calloc|realloc|free|memalign)\w*\b|malloc_\w+|unlink_chunk"
    r"|tcache_\w+|sysmalloc|operator (?:new|delete)|cfree\b"
)

# The interpreter and the libraries that call a solver for it. Nothing of the solver follows.
_CALLER = re.compile(r"ffi_|_?Py|_ctypes|__pyx|method_vectorcall|__libc_start|\?\?$")


def functions(backtrace: str) -> tuple[str, ...]:
    """The functions of all frames, innermost first. A frame without a name counts with its address:
    gdb loads libraries to the same place each time.
    """
    return tuple(name if name != "??" else address for address, name in _FRAME.findall(backtrace))


def inside(backtrace: str) -> tuple[str, ...]:
    """The functions of the solver's own frames, innermost first, without those of the interpreter and
    of the libraries through which it calls.
    """
    names = list(takewhile(lambda name: not _CALLER.match(name), functions(backtrace)))
    while names and names[-1].startswith("0x"):  # of the library that calls foreign functions
        names.pop()
    return tuple(names)


def place(backtrace: str) -> tuple[str, ...]:
    """The functions that say where a process died: one turn of an endless recursion, else the
    innermost frames. Empty where the frames tell nothing, as inside the allocator.
    """
    names = functions(backtrace)
    start = next((at for at, name in enumerate(names) if not _ENDING.match(name)), len(names))
    names = names[start:]
    turn = cycle(names)
    if turn:
        return ("recursion", *turn)
    if not names or _ALLOCATOR.match(names[0]) or _CALLER.match(names[0]):
        return ()
    return names[:FRAMES]


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
    return ()


def _turns(names: Sequence[str], length: int) -> int:
    """How often the last `length` names are repeated at the end of `names`."""
    turn, turns = names[len(names) - length :], 0
    for end in range(len(names), length - 1, -length):
        if names[end - length : end] != turn:
            break
        turns += 1
    return turns
