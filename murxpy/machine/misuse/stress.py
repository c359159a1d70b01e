"""What is done to one object of a binding, and what must hold: each function gives None, or says
which promise is broken.

What these calls throw is judged by the caller. Imports the standard library only: a printed program
carries these functions.
"""

from __future__ import annotations

import contextlib
import copy
import ctypes
import gc
import itertools
import operator
import os
import pickle
import re
import signal
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

ENDLESS = 5000  # elements after which an iteration is taken for one that does not end
EXIT_SECONDS = 10
SIGNAL_SECONDS = 1  # in which a signal reaches its handler
IN_THREAD = 50  # terms that each thread makes
_ADDRESS = re.compile(r"0x[0-9a-fA-F]{5,}")  # in the text of an object that has none of its own


def identical(one: Any, other: Any) -> bool:
    """Whether the binding takes two objects for one; by `eq` where `==` makes a term."""
    eq = getattr(one, "eq", None)
    return bool(eq(other)) if callable(eq) else bool(one == other)


def copied(obj: Any) -> str | None:
    """`copy.copy` gives an equal object of the same class, or is refused."""
    return _alike(obj, copy.copy(obj), "a copy")


def deeply_copied(obj: Any) -> str | None:
    """`copy.deepcopy` gives an equal object of the same class, or is refused."""
    return _alike(obj, copy.deepcopy(obj), "a deep copy")


def pickled(obj: Any) -> str | None:
    """What was pickled comes back equal, or pickling is refused."""
    return _alike(obj, pickle.loads(pickle.dumps(obj)), "what was pickled")


def _alike(obj: Any, other: Any, what: str) -> str | None:
    if type(other) is not type(obj):
        return f"{what} of a {type(obj).__name__} is of another class"
    if getattr(type(obj), "__eq__", None) is object.__eq__:  # a solver, a context
        return _kept(obj, other, what)
    if not identical(obj, other):
        return f"{what} of a {type(obj).__name__} is not equal to it"
    return (
        None if hash(obj) == hash(other) else f"{what} of a {type(obj).__name__} has another hash"
    )


def _kept(obj: Any, other: Any, what: str) -> str | None:
    """Where a solver has assertions, its copy has some; how many is its own affair, since what is
    implied may go.
    """
    for name in ("assertions", "getAssertions"):
        if hasattr(obj, name):
            count, found = len(getattr(obj, name)()), len(getattr(other, name)())
            return None if found or not count else f"{what} of a solver has lost its assertions"
    return None


def counted(found: Sequence[Any], count: int) -> str | None:
    """No assertion that was made is missing; a solver may add some of its own."""
    return (
        None
        if len(found) >= count
        else f"the solver has lost assertions; {len(found)} are left of {count}"
    )


def agree(answer: str, again: str) -> str | None:
    """A fresh solver with the same assertions does not contradict the one that was misused."""
    return (
        None
        if {answer, again} != {"sat", "unsat"}
        else f"after a misuse it answers {answer}, a fresh solver {again}"
    )


def itself(obj: Any) -> str | None:
    """An object is equal to itself, of one hash, and found in collections that have it."""
    name = type(obj).__name__
    if _truth(operator.eq, obj, obj) is False or _truth(operator.ne, obj, obj):
        return f"a {name} is not equal to itself"
    if hash(obj) != hash(obj) or obj not in [obj] or {obj: 1}.get(obj) != 1:
        return f"a {name} is not found in a collection that has it"
    return None


def equality(obj: Any) -> str | None:
    """As `itself`, and it is not equal to what is none of the binding's."""
    name, fault = type(obj).__name__, itself(obj)
    if fault is not None:
        return fault
    for stranger in (None, 7, "x", object()):
        if _compared(operator.eq, obj, stranger) is True:
            return f"a {name} is equal to {stranger!r:.20}"
    return None


def _truth(call: Callable[[Any, Any], Any], left: Any, right: Any) -> Any:
    """What a comparison says, a bool; None where it is refused, or what it gives is no truth value."""
    return _compared(lambda one, other: bool(call(one, other)), left, right)


def _compared(call: Callable[[Any, Any], Any], left: Any, right: Any) -> Any:
    """What a comparison gives, None where it is refused by an exception that says so."""
    try:
        return call(left, right)
    except Exception as error:
        if type(error).__name__ in ("AttributeError", "RecursionError", "SystemError", "NameError"):
            raise
    return None


def chained(one: Any, other: Any) -> str | None:
    """`a == b == a` keeps both equations: where `a == b` is a term, a plain bool has lost one of
    them.
    """
    if isinstance(one == other, bool):
        return None
    result = one == other == one
    return (
        f"a == b == a of two {type(one).__name__} is the bool {result}"
        if isinstance(result, bool) and one is not other
        else None
    )


def iterated(obj: Any) -> str | None:
    """Iteration ends, or is refused; `len` is the number of what came."""
    found = sum(1 for _ in itertools.islice(iter(obj), ENDLESS))
    name = type(obj).__name__
    if found == ENDLESS:
        return f"iterating over a {name} does not end"
    count = len(obj) if hasattr(obj, "__len__") else found
    return None if count == found else f"a {name} of length {count} has {found} elements"


def indexed(obj: Any, index: Any) -> None:
    """An index that there is none of is refused, or gives an object that has a text."""
    str(obj[index])


def truth(obj: Any) -> str | None:
    """`bool` gives a bool, or is refused."""
    return None if bool(obj) in (True, False) else "bool gives no bool"


def texts(obj: Any) -> str | None:
    """`str`, `repr` and `format` give texts."""
    for how in (str, repr, format):
        if not isinstance(how(obj), str):
            return f"{how.__name__} of a {type(obj).__name__} is no text"
    return None


_OPERATORS = (operator.add, operator.mul, operator.and_, operator.or_, operator.xor, operator.sub)


def alike(call: Callable[..., Any], operands: Sequence[Any], at: int) -> str | None:
    """A call does not take a number or a text for another one: 2^32 + 5 for 5, 3.7 for 3, a text
    with a NUL for what stands before it.

    It counts only where the call tells the other one from a third, which the operand at `at` could
    not be taken for.
    """
    given, made = operands[at], call(*operands)
    for taken in _taken(given):
        same, third = (
            _called(call, operands, at, taken),
            _called(call, operands, at, _third(given, taken)),
        )
        if same is not None and _one(made, same) and not _one(made, third):
            return f"{_told(given)} is taken for another; {given!a:.60} for {taken!a:.60}"
    return None


def _taken(given: Any) -> list[Any]:
    """What `given` could be taken for by code that has no room for all of it."""
    if isinstance(given, bool):
        return []
    if isinstance(given, int):
        words = [given % (1 << bits) for bits in (32, 64)]
        signed = [
            word - (1 << bits)
            for word, bits in zip(words, (32, 64), strict=True)
            if word >> (bits - 1)
        ]
        return [word for word in dict.fromkeys([*words, *signed]) if word != given]
    if isinstance(given, float):
        between = 0.5 <= abs(given) < 1e6  # what is nearer to a whole number may be rounded to it
        return [int(given)] if between and int(given) != given else []
    if isinstance(given, str) and "\0" in given:
        return [given.partition("\0")[0]]
    return []


def _third(given: Any, taken: Any) -> Any:
    """Something else of the same sort: a call that takes it for `given`, too, does not look at it,
    or counts in a circle.
    """
    if isinstance(given, str):
        return f"{taken}b"
    return taken + 1 if isinstance(given, float) else (taken + (1 << 31)) % (1 << 32)


def _told(given: Any) -> str:
    if isinstance(given, float):
        return "a float"
    return "a text with a NUL" if isinstance(given, str) else "a number"


def _called(call: Callable[..., Any], operands: Sequence[Any], at: int, other: Any) -> Any:
    try:
        return call(*[other if index == at else operand for index, operand in enumerate(operands)])
    except Exception:
        return None


def _one(left: Any, right: Any) -> bool:
    """Whether two results are the same object of the binding; False where that cannot be said, as
    of solvers, numbers and texts.
    """
    if type(left) is not type(right) or isinstance(
        left, (bool, int, float, str, bytes, type(None))
    ):
        return False
    if isinstance(left, (list, tuple)):
        return (
            bool(left)
            and len(left) == len(right)
            and all(_one(*pair) for pair in zip(left, right, strict=True))
        )
    if (
        not callable(getattr(left, "eq", None))
        and getattr(type(left), "__eq__", None) is object.__eq__
    ):
        return False
    return identical(left, right) and str(left) == str(right)


def survived(objects: list[Any]) -> str | None:
    """A deep copy does what the original does, when that is gone."""
    original = objects.pop()
    text, name = str(original), type(original).__name__
    other = copy.deepcopy(original)
    del original
    gc.collect()
    used(other)
    return (
        None
        if _ADDRESS.search(text) or str(other) == text
        else f"a deep copy of a {name} has another text than the original"
    )


def reflected(obj: Any, number: Any) -> str | None:
    """Where `a + 1` works, `1 + a` does too; the same for the other operators."""
    for call in _OPERATORS:
        left, right = _works(call, obj, number), _works(call, number, obj)
        if left != right:
            works, fails = ("a . n", "n . a") if left else ("n . a", "a . n")
            return f"{call.__name__} of a {type(obj).__name__} and a {type(number).__name__}: {works} works, {fails} does not"
    return None


def _works(call: Callable[[Any, Any], Any], left: Any, right: Any) -> bool:
    try:
        call(left, right)
    except Exception:
        return False
    return True


def used(obj: Any) -> None:
    """All that can be asked of any object that is still alive."""
    str(obj)
    repr(obj)
    if type(obj).__hash__ is not None:
        hash(obj)
    for element in obj if isinstance(obj, (list, tuple)) else ():
        str(element)


def used_all(objects: Sequence[Any]) -> None:
    """Use all of them."""
    for obj in objects:
        used(obj)


def orphaned(objects: Sequence[Any]) -> None:
    """Use what is left when all else of its context is gone."""
    gc.collect()
    used_all(objects)


class Knot:
    """A reference cycle around objects of a binding."""

    def __init__(self, objects: Sequence[Any]) -> None:
        self.objects = list(objects)
        self.itself = self


class Testament(Knot):
    """A cycle whose finalizer uses the objects; theirs may have run before it."""

    def __del__(self) -> None:
        used_all(self.objects)


def knot(*objects: Any) -> None:
    """Leave objects to a cycle that the next collection finds."""
    Knot(objects)


def bequeathed(objects: list[Any], *others: Any) -> None:
    """Leave the last references to a cycle whose finalizer uses the objects."""
    Testament([*objects, *others])
    objects.clear()


def collected() -> None:
    """Collect what is in cycles."""
    gc.collect()


def in_thread(objects: list[Any]) -> None:
    """Let another thread drop the last references and collect; it has ended when this returns."""
    kept = [Knot(objects)]
    objects.clear()

    def drop() -> None:
        kept.clear()
        gc.collect()

    thread = threading.Thread(target=drop)
    thread.start()
    thread.join()


def in_own_threads(
    makes: Sequence[Callable[[], Any]], checks: Sequence[Callable[[], Any]]
) -> str | None:
    """Threads that each have a context of their own do the same at the same time: each makes the
    same terms and gets the same answer.
    """
    found: list[list[str]] = [[] for _ in makes]
    raised: list[BaseException] = []

    def work(at: int) -> None:
        try:
            found[at] = [str(makes[at]()) for _ in range(IN_THREAD)] + [str(checks[at]())]
        except Exception as error:
            raised.append(error)

    threads = [threading.Thread(target=work, args=(at,)) for at in range(len(makes))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if raised:
        raise raised[0]
    return (
        None
        if all(texts == found[0] for texts in found)
        else "threads with contexts of their own get other terms or answers"
    )


def told(ask: Callable[[], Any]) -> Any:
    """What a check of the wrapper's own says is broken; None for nothing."""
    return ask()


def signalled(check: Callable[[], Any]) -> str | None:
    """A process forked for it gets signals while it checks: none kills it, and their handlers run
    then and afterwards.
    """
    child = os.fork()
    if child == 0:
        os._exit(_check_under_signals(check))
    deadline = time.monotonic() + EXIT_SECONDS
    while time.monotonic() < deadline:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return _signal_fault(status)
        time.sleep(0.005)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return "a check that gets signals does not end"


def _check_under_signals(check: Callable[[], Any]) -> int:
    """What the process of such a check exits with: the number of the first promise that is broken,
    0 for none.
    """
    seen = {signal.SIGALRM: 0, signal.SIGINT: 0}

    def handler(number: int, frame: Any) -> None:
        seen[signal.Signals(number)] += 1

    for number in seen:
        signal.signal(number, handler)
    signal.setitimer(signal.ITIMER_REAL, 0.0005, 0.0005)
    with contextlib.suppress(Exception):
        check()
    _wait_for(seen, signal.SIGALRM)
    signal.setitimer(signal.ITIMER_REAL, 0)
    if not seen[signal.SIGALRM] or any(signal.getsignal(number) is not handler for number in seen):
        return 11
    os.kill(os.getpid(), signal.SIGINT)
    _wait_for(seen, signal.SIGINT)
    return 0 if seen[signal.SIGINT] else 12


def _wait_for(seen: dict[signal.Signals, int], number: signal.Signals) -> None:
    deadline = time.monotonic() + SIGNAL_SECONDS
    while not seen[number] and time.monotonic() < deadline:
        time.sleep(0.001)


def _signal_fault(status: int) -> str | None:
    if os.WIFSIGNALED(status):
        return f"a check that gets signals ends with {signal.Signals(os.WTERMSIG(status)).name}"
    code = os.waitstatus_to_exitcode(status)
    if code == 11:
        return "the handlers of signals that a check gets do not run, or are others after it"
    if code == 12:
        return "after a check an interrupt does not reach its handler"
    return None


def race(objects: list[Any], busy: Callable[[], Any]) -> None:
    """Let another thread drop and collect while this one goes on making terms."""
    kept = objects[:]
    objects.clear()

    def drop() -> None:
        while kept:
            kept.pop()
            gc.collect(0)

    thread = threading.Thread(target=drop)
    thread.start()
    while thread.is_alive():
        busy()
    thread.join()


def exits(*objects: Any) -> str | None:
    """End the interpreter, in a process forked for it, while the objects are alive; it must exit
    with status 0.
    """
    child = os.fork()
    if child == 0:
        ctypes.pythonapi.Py_Exit(0)
    deadline = time.monotonic() + EXIT_SECONDS
    while time.monotonic() < deadline:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return _ended(status)
        time.sleep(0.005)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return "the interpreter does not end while objects are alive"


def _ended(status: int) -> str | None:
    if os.WIFSIGNALED(status):
        return f"the interpreter ends with {signal.Signals(os.WTERMSIG(status)).name} while objects are alive"
    code = os.waitstatus_to_exitcode(status)
    return None if code == 0 else f"the interpreter ends with status {code} while objects are alive"
