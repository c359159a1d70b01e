"""Takes from this process the rights that no run of a solver needs, and that a trace or script from
somebody else must never have: to change a file outside of one folder, to reach the network, to start
a program, and to signal other processes.

A solver has options and commands that write files, and its native code can have any defect. The
kernel therefore refuses: Landlock (Linux 5.13 and newer; each later ABI refuses more) what touches files, TCP
ports and other processes, and a filter of system calls what Landlock leaves open, which are modes,
owners, times and attributes of files, sockets of any kind, and programs. Neither can be undone, and
each child process inherits both. Files that were opened before stay open: the worker's channel, its
trace and its output. Reading is not restricted, because a solver loads libraries and modules at any
time.

Sources: landlock(7), seccomp(2), and the kernel's documentation of both.
"""

from __future__ import annotations

import ctypes
import errno
import functools
import os
import struct
import sys

# System calls of Landlock. These system calls have the same numbers on all machines.
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_VERSION = 1  # flag of landlock_create_ruleset: tell the ABI
_PATH_BENEATH = 1

# rights of Landlock, and from which ABI on the kernel knows them
_WRITE_FILE, _TRUNCATE = 1 << 1, 1 << 14
_MAKE_CHAR, _MAKE_BLOCK = 1 << 6, 1 << 11
_CHANGES = (
    (1, _WRITE_FILE),
    (1, 1 << 4),  # remove a folder
    (1, 1 << 5),  # remove a file
    (1, _MAKE_CHAR),
    (1, 1 << 7),  # make a folder
    (1, 1 << 8),  # make a file
    (1, 1 << 9),  # make a socket
    (1, 1 << 10),  # make a FIFO
    (1, _MAKE_BLOCK),
    (1, 1 << 12),  # make a symbolic link
    (2, 1 << 13),  # link or rename from one folder to another; before, the kernel never allows it
    (3, _TRUNCATE),
    (5, 1 << 15),  # ioctl on a device
)
_TCP, _TCP_ABI = 0b11, 4  # bind and connect
_SCOPES, _SCOPES_ABI = 0b11, 6  # abstract Unix sockets and signals, both only among one's own

_PR_SET_NO_NEW_PRIVS = 38
_SET_MODE_FILTER = 1
# Without this flag older kernels slow the whole process down, as a measure against Spectre.
_SPEC_ALLOW = 1 << 2

# The kernel's name of the machine in seccomp's data, the number of the system call seccomp, those
# of truncate, execve and execveat, and those that are always refused.
_MACHINES: dict[str, tuple[int, int, int, tuple[int, ...], tuple[int, ...]]] = {
    "x86_64": (
        0xC000003E,
        317,
        76,
        (59, 322),
        (
            *(90, 91, 268, 452),  # chmod, fchmod, fchmodat, fchmodat2
            *(92, 93, 94, 260),  # chown, fchown, lchown, fchownat
            *(132, 235, 261, 280),  # utime, utimes, futimesat, utimensat
            *(188, 189, 190, 463),  # setxattr, lsetxattr, fsetxattr, setxattrat
            *(197, 198, 199, 466),  # removexattr, lremovexattr, fremovexattr, removexattrat
            469,  # file_setattr
            41,  # socket
            425,  # io_uring_setup, whose requests no filter sees
        ),
    ),
    "aarch64": (
        0xC00000B7,
        277,
        45,
        (221, 281),
        (
            *(52, 53, 452),  # fchmod, fchmodat, fchmodat2
            *(54, 55),  # fchownat, fchown
            88,  # utimensat
            *(5, 6, 7, 463),  # setxattr, lsetxattr, fsetxattr, setxattrat
            *(14, 15, 16, 466),  # removexattr, lremovexattr, fremovexattr, removexattrat
            469,  # file_setattr
            198,  # socket
            425,  # io_uring_setup
        ),
    ),
}
_X32 = 0x40000000  # from here on the numbers of x86_64 are those of its 32-bit ABI
# Instructions of the filter: load a word, jump if equal, jump if greater or equal, and return.
_LOAD, _EQUAL, _AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06
_NUMBER, _ARCH = 0, 4  # offsets in seccomp's data
_ALLOW, _REFUSE = 0x7FFF0000, 0x00050000 | errno.EACCES

# The environment variable with the folder in which processes keep the counters of a build with gcov.
COUNTERS = "MURXPY_COUNTERS"

_libc = ctypes.CDLL(None, use_errno=True)


def _call(number: int, *arguments: int | bytes | None) -> int:
    """Make a system call. Raises OSError."""
    words = [
        ctypes.c_char_p(each) if isinstance(each, bytes) else ctypes.c_size_t(each or 0)
        for each in arguments
    ]
    result: int = _libc.syscall(ctypes.c_long(number), *words)
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return result


@functools.cache
def landlock_abi() -> int:
    """The ABI of the kernel's Landlock; 0 where the kernel has none, or where it is switched off."""
    try:
        return _call(_CREATE_RULESET, None, 0, _VERSION)
    except OSError:
        return 0


@functools.cache
def filters() -> bool:
    """Whether system calls can be filtered here."""
    machine = _MACHINES.get(os.uname().machine)
    if machine is None or sys.maxsize < 1 << 32:
        return False
    try:  # SECCOMP_GET_ACTION_AVAIL; an old kernel does not know the question
        _call(machine[1], 2, 0, struct.pack("=I", _REFUSE & 0xFFFF0000))
    except OSError:
        return False
    return True


def confine(folder: str | None, *, programs: bool = False) -> None:
    """Let this thread, and all that it starts from now on, change files below `folder` only (None:
    nowhere), and below the folder of counters where the user has one. With `programs` it may start programs, which are confined just so.

    If the kernel lacks Landlock or filters, the missing restriction is left out; `landlock_abi` and
    `filters` tell. Raises OSError where the kernel has them and refuses.
    """
    abi, filtered = landlock_abi(), filters()
    if not abi and not filtered:
        return
    if _libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "the process cannot give up new privileges")
    if abi:
        _restrict_files(abi, folder)
    if filtered:
        _restrict_calls(_filter(abi, programs))


def _restrict_files(abi: int, folder: str | None) -> None:
    changes = sum(right for since, right in _CHANGES if since <= abi)
    words = [changes]
    if abi >= _TCP_ABI:
        words.append(_TCP)
    if abi >= _SCOPES_ABI:
        words.append(_SCOPES)
    attributes = struct.pack(f"={len(words)}Q", *words)
    rules = _call(_CREATE_RULESET, attributes, len(attributes), 0)
    try:
        _allow(rules, os.devnull, changes & (_WRITE_FILE | _TRUNCATE))
        if folder is not None:
            _allow(rules, folder, changes & ~(_MAKE_CHAR | _MAKE_BLOCK))
        if os.environ.get(COUNTERS):
            _allow(rules, os.environ[COUNTERS], changes & ~(_MAKE_CHAR | _MAKE_BLOCK))
        _call(_RESTRICT_SELF, rules, 0)
    finally:
        os.close(rules)


def _allow(rules: int, path: str, rights: int) -> None:
    """Add a rule: at `path` and below it the process keeps `rights`."""
    place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    try:
        _call(_ADD_RULE, rules, _PATH_BENEATH, struct.pack("=Qi", rights, place), 0)
    finally:
        os.close(place)


@functools.cache
def _filter(abi: int, programs: bool) -> bytes:
    """The program of the filter of system calls."""
    arch, _, truncate, starts, refused = _MACHINES[os.uname().machine]
    # the kernels before Landlock's ABI 3 truncate a file that may not be written
    numbers = [*refused, *(() if programs else starts), *((truncate,) if abi < 3 else ())]
    # each jump counts the instructions that it skips; the last one refuses
    end = len(numbers) + 1
    steps = [(_LOAD, 0, 0, _ARCH), (_EQUAL, 0, end + 2, arch), (_LOAD, 0, 0, _NUMBER)]
    steps.append((_AT_LEAST, end, 0, _X32))
    steps += [(_EQUAL, end - 1 - at, 0, number) for at, number in enumerate(numbers)]
    steps += [(_RETURN, 0, 0, _ALLOW), (_RETURN, 0, 0, _REFUSE)]
    return b"".join(struct.pack("=HBBI", *step) for step in steps)


def _restrict_calls(program: bytes) -> None:
    seccomp = _MACHINES[os.uname().machine][1]
    held = ctypes.create_string_buffer(program, len(program))
    described = struct.pack("@HxxxxxxQ", len(program) // 8, ctypes.addressof(held))
    _call(seccomp, _SET_MODE_FILTER, _SPEC_ALLOW, described)
