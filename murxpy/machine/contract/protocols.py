"""Python's protocols on one object of a binding: copying, pickling, comparing, iterating, printing,
operators, and arguments that look alike. Each function gives None, or says which promise is broken.

The caller judges the exceptions that these calls throw. Imports the standard library only: a printed
program carries these functions.
"""

from __future__ import annotations

import copy
import itertools
import math
import operator
import pickle
from collections.abc import Callable, Sequence
from typing import Any

from murxpy.logic.terms import CONSTANT, Term
from murxpy.machine.contract import rules, stress
from murxpy.machine.contract.broken import returned, threw
from murxpy.machine.contract.rules import Rule
from murxpy.machine.outcomes import Refused
from murxpy.machine.run import Run
from murxpy.machine.tokens import Python, Ref, Token, print_token, quote
from murxpy.solvers.frame import Frame
from murxpy.solvers.spelling import Spelling

ENDLESS = 5000  # elements after which an iteration is taken for one that does not end


def identical(one: Any, other: Any) -> bool:
    """Whether the binding takes two objects for the same: by the method `eq` in bindings whose `==`
    makes a term.
    """
    eq = getattr(one, "eq", None)
    return bool(eq(other)) if callable(eq) else bool(one == other)


def copied(obj: Any) -> str | None:
    """`copy.copy` gives an equal object of the same class, or is refused."""
    return _alike(obj, copy.copy(obj), "a copy")


def deeply_copied(obj: Any) -> str | None:
    """`copy.deepcopy` gives an equal object of the same class, or is refused."""
    return _alike(obj, copy.deepcopy(obj), "a deep copy")


def pickled(obj: Any) -> str | None:
    """A pickled object is equal to the original after it was read back, or pickling is refused."""
    return _alike(obj, pickle.loads(pickle.dumps(obj)), "what was pickled")


def _alike(obj: Any, other: Any, what: str) -> str | None:
    if type(other) is not type(obj):
        return f"{what} of a {type(obj).__name__} is of another class"
    if getattr(type(obj), "__eq__", None) is object.__eq__:  # a solver, a context
        return _keeps_equality(obj, other, what)
    if not identical(obj, other):
        return f"{what} of a {type(obj).__name__} is not equal to it"
    return (
        None if hash(obj) == hash(other) else f"{what} of a {type(obj).__name__} has another hash"
    )


def _keeps_equality(obj: Any, other: Any, what: str) -> str | None:
    """The copy of a solver that has assertions has some, too. The copy may have fewer, since a solver
    may drop assertions that follow from others.
    """
    for name in ("assertions", "getAssertions"):
        if hasattr(obj, name):
            count, found = len(getattr(obj, name)()), len(getattr(other, name)())
            return None if found or not count else f"{what} of a solver has lost its assertions"
    return None


def itself(obj: Any) -> str | None:
    """An object equals itself, keeps its hash, and is found in collections that contain it."""
    name = type(obj).__name__
    if _truth(operator.eq, obj, obj) is False or _truth(operator.ne, obj, obj):
        return f"a {name} is not equal to itself"
    if type(obj).__hash__ is None:  # a class that has equality of its own may leave hashes out
        return None
    if hash(obj) != hash(obj) or obj not in [obj] or {obj: 1}.get(obj) != 1:
        return f"a {name} is not found in a collection that has it"
    return None


def equality(obj: Any) -> str | None:
    """An object equals itself, does not equal an object of Python's own, and can be compared with
    None, as a search of a list does that has None in it.
    """
    name, fault = type(obj).__name__, itself(obj)
    if fault is not None:
        return fault
    try:
        obj == None  # noqa: B015, E711
    except TypeError:
        return f"a {name} cannot be compared with None; Python compares any two objects"
    except Exception:
        return None
    for other_object in (None, 7, "x", object()):
        if _compared(operator.eq, obj, other_object) is True:
            return f"a {name} is equal to {other_object!r:.20}"
    return None


def _truth(call: Callable[[Any, Any], Any], left: Any, right: Any) -> Any:
    """The truth value of a comparison; None if the comparison is refused, or its result has no
    truth value. An object of a class that defines no truth value, such as a probe that compares two
    others when it is asked, says nothing of its operands, although Python takes it for true.
    """
    result = _compared(call, left, right)
    says = isinstance(result, bool) or hasattr(type(result), "__bool__")
    return _compared(lambda one, _: bool(one), result, None) if says else None


def _compared(call: Callable[[Any, Any], Any], left: Any, right: Any) -> Any:
    """The result of a comparison; None if an exception refuses it in a documented way."""
    try:
        return call(left, right)
    except Exception as error:
        if type(error).__name__ in ("AttributeError", "RecursionError", "SystemError", "NameError"):
            raise
    return None


def chained(one: Any, other: Any) -> str | None:
    """`a == b == a` and `a < b < a` keep both parts, or are refused, and a collection does not take
    two objects for one. In a binding whose `a == b` is a term, a plain bool as the result has lost
    an equation, and `a < b < a` is `b < a` alone if Python takes the term `a < b` for true.
    """
    if one is other or isinstance(one == other, bool):
        return None
    name = type(one).__name__
    result = one == other == one
    if isinstance(result, bool):
        return f"a == b == a of two {name} is the bool {result}"
    if _loses_part(one, other):
        return f"a < b < a of two {name} has lost a part"
    if not identical(one, other) and (one in [other] or {other: 1}.get(one) == 1):
        return f"a {name} is found in a collection that has another one only"
    return None


def _loses_part(one: Any, other: Any) -> bool:
    """Whether `a < b < a` is a term although `a < b` is one, too."""
    try:
        return not isinstance(one < other, bool) and (one < other < one) is not None
    except Exception:  # no order, or no truth value
        return False


def iterated(obj: Any) -> str | None:
    """Iteration ends, or is refused; `len` is the number of what came."""
    found = sum(1 for _ in itertools.islice(iter(obj), ENDLESS))
    name = type(obj).__name__
    if found == ENDLESS:
        return f"iterating over a {name} does not end"
    count = len(obj) if hasattr(obj, "__len__") else found
    return None if count == found else f"a {name} of length {count} has {found} elements"


def indexed(obj: Any, index: Any) -> None:
    """An index out of range is refused, or gives an object that can be printed."""
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
    """A call does not confuse an operand with another number or text: 2^32 + 5 with 5, 3.7 with 3,
    or a text that contains NUL with its beginning.

    The call is compared only if it distinguishes the other operand from third ones, which no code
    could confuse with the operand at `at`.
    """
    given, made = operands[at], call(*operands)
    for taken in _taken(given):
        same = _called(call, operands, at, taken)
        thirds = (_called(call, operands, at, third) for third in _thirds(given, taken))
        if same is not None and _one(made, same) and not any(_one(made, one) for one in thirds):
            return f"{_kind_in_words(given)} is taken for another; {given!a:.60} for {taken!a:.60}"
    return None


def _taken(given: Any) -> list[Any]:
    """The values with which code could confuse `given` because it has too little room, such as 32
    bits.
    """
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


def _thirds(given: Any, taken: Any) -> list[Any]:
    """Other values of the same type. A call that confuses one with `given`, too, ignores the operand, or
    counts modulo some number: a power of two, or a small odd one that divides the difference of the two
    values, as the order of a finite field may.
    """
    if isinstance(given, str):
        return [f"{taken}b"]
    if isinstance(given, float):
        return [taken + 1]
    step = math.gcd(given - taken, _ODD)
    near = [taken + step if taken + step < 1 << 32 else taken - step] if step > 1 else []
    return [(taken + (1 << 31)) % (1 << 32), *near]


_ODD = math.prod((3, 5, 7, 11, 13, 17, 19, 23))  # below 2^32


def _kind_in_words(given: Any) -> str:
    if isinstance(given, float):
        return "a float"
    return "a text with a NUL" if isinstance(given, str) else "a number"


def _called(call: Callable[..., Any], operands: Sequence[Any], at: int, other: Any) -> Any:
    try:
        return call(*[other if index == at else operand for index, operand in enumerate(operands)])
    except Exception:
        return None


def _one(left: Any, right: Any) -> bool:
    """Whether two results are the same object of the binding. The result is False if this cannot be
    decided, as for solvers, numbers and texts.
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


def ambiguous(parts: Sequence[Any]) -> bool:
    """Whether two different objects of the binding have one text, so that nobody who reads what is
    printed can tell them apart. Objects without equality of their own are left out.
    """
    texts: dict[tuple[type, str], Any] = {}
    for part in parts:
        cls = type(part)
        if cls.__module__ == "builtins" or getattr(cls, "__eq__", None) is object.__eq__:
            continue
        known = texts.setdefault((cls, str(part)), part)
        if known is not part and not identical(known, part):
            return True
    return False


def reflected(obj: Any, number: Any) -> str | None:
    """If `a + 1` works, `1 + a` works, too; the same holds for the other operators."""
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


# ----------------------------------------------------------------------
# Stress of objects: the lines `misuse@RULE ids`, which copy, compare, keep, drop or hand over
# objects of the run.


Stress = Callable[[Run, list[Any], Sequence[Token]], Any]
THREADS = 3  # threads, each with a context of its own
HANDED_OVER = 40  # terms that are dropped at once


def _on(function: Callable[..., Any]) -> Stress:
    def call(run: Run, operands: list[Any], words: Sequence[Token]) -> Any:
        fault = run.apply(function, *operands)
        if rules.CONTEXT in words:
            _living(run)
        return fault

    return call


def _living(run: Run) -> None:
    """Make something in the context, to check that it still works after it was stressed."""
    frame = run.frame.fill(result=run.sorts.get("SORT_BOOL"), name="alive")
    for section in ("sorts", "constants"):
        spellings = run.wrapper.sort_set(section, "SORT_BOOL")
        chosen = None if spellings is None else spellings.pick(0.0, frame)
        if chosen is not None:
            chosen.call((), (), frame)


def _constants(run: Run, frame: Frame, ref: Token) -> Spelling:
    """The spelling of a constant of the sort that `ref` names, with the frame filled for it."""
    if not isinstance(ref, Ref):
        raise Refused("unsupported", "no sort")
    sort = rules.sort_of(run, ref)
    frame.fill(result=sort, name="orphan")
    spellings = run.wrapper.sort_set("constants", sort.kind)
    chosen = None if spellings is None else spellings.pick(0.0, frame)
    if chosen is None:
        raise Refused("unsupported", f"no constant of {sort}")
    return chosen


def _orphan(run: Run, operands: list[Any], words: Sequence[Token]) -> Any:
    frame = run.new_context()
    orphans = run.repeated(run.deferred(_constants(run, frame, words[0]), frame), 1)
    run.leave(frame)
    return run.apply(stress.orphaned, orphans)


def _testament(run: Run, operands: list[Any], words: Sequence[Token]) -> Any:
    frame = run.new_context()
    heirs = run.repeated(run.deferred(_constants(run, frame, words[0]), frame), 2)
    fault = run.apply(stress.bequeathed, heirs)
    run.leave(frame)
    return fault


def _handed_over(function: Callable[..., Any]) -> Stress:
    def call(run: Run, operands: list[Any], words: Sequence[Token]) -> Any:
        make = run.deferred(_constants(run, run.frame, words[0]), run.frame)
        operands.clear()
        return run.apply(
            function, run.repeated(make, HANDED_OVER), *([make] if function is stress.race else [])
        )

    return call


def _kept(run: Run, operands: list[Any], words: Sequence[Token]) -> Any:
    spellings = run.wrapper.set("actions", "get-assertions")
    if spellings is None:
        raise Refused("unsupported", "no assertions to get")
    found = spellings.spellings[0].call((), (), run.frame.fill())
    return run.apply(stress.counted, found, len(_plain(run)))


def _plain(run: Run) -> list[Term]:
    """The distinct constants that are asserted before anything else. No solver has a reason to drop
    such assertions.
    """
    leading = itertools.takewhile(lambda entry: entry.term.op == CONSTANT, run.state.asserted())
    return list(dict.fromkeys(entry.term for entry in leading))


def _recheck(run: Run, operands: list[Any], words: Sequence[Token]) -> Any:
    state = run.state
    frame = Frame(run.sort_object, run.applications)
    frame.ctx = run.frame.ctx
    run.make_solver(frame)
    _spelled(run, frame, "set-limit", (), value=state.limit or 10_000)
    for entry in state.asserted():
        _spelled(run, frame, "assert-formula", (entry.obj,), terms=(entry.term,))
    return run.apply(stress.agree, state.answer or "", _spelled(run, frame, "check-sat", ()))


def _spelled(run: Run, frame: Frame, action: str, args: Sequence[Any], **operands: Any) -> Any:
    spellings = run.wrapper.set("actions", action)
    chosen = None if spellings is None else spellings.pick(0.0, frame.fill(**operands))
    if chosen is None:
        raise Refused("unsupported", f"no spelling of {action}")
    return chosen.call(args, (), frame)


def _held(run: Run, operands: list[Any], words: Sequence[Token]) -> Any:
    held, run.held = run.held, []
    return run.apply(stress.used_all, held)


def _bereaved(function: Callable[..., Any]) -> Stress:
    def call(run: Run, operands: list[Any], words: Sequence[Token]) -> Any:
        operands.clear()
        word = words[0]
        if not isinstance(word, Ref) or word.letter != "x":
            raise Refused("unsupported", "the run needs it")
        return run.apply(function, run.handed_over(word.number))

    return call


def _reread(run: Run, operands: list[Any], words: Sequence[Token]) -> Any:
    reader = run.wrapper.set("readers", "reread")
    if reader is None:
        raise Refused("unsupported", "the wrapper does not say how literals are read")
    return run.apply(stress.told, run.deferred(reader.spellings[0], run.frame.fill(), operands))


def _spelling(run: Run, action: str) -> Spelling:
    spellings = run.wrapper.set("actions", action)
    chosen = None if spellings is None else spellings.pick(0.0, run.frame.fill())
    if chosen is None:
        raise Refused("unsupported", f"no spelling of {action}")
    return chosen


def _in_own_threads(run: Run, operands: list[Any], words: Sequence[Token]) -> Any:
    check = _spelling(run, "check-sat")
    frames = [run.new_context() for _ in range(THREADS)]
    makes = [run.deferred(_constants(run, frame, words[0]), frame) for frame in frames]
    return run.apply(stress.in_own_threads, makes, [run.deferred(check, frame) for frame in frames])


def _signalled(run: Run, operands: list[Any], words: Sequence[Token]) -> Any:
    return run.apply(stress.signalled, run.deferred(_spelling(run, "check-sat"), run.frame.fill()))


STRESS: dict[str, Stress] = {
    "copy": _on(copied),
    "deepcopy": _on(deeply_copied),
    "survive": _bereaved(stress.survived),
    "outlive": _bereaved(stress.outlived),
    "pickle": _on(pickled),
    "equality": _on(equality),
    "chain": _on(chained),
    "iterate": _on(iterated),
    "index": _on(indexed),
    "truth": _on(truth),
    "print": _on(texts),
    "reflected": _on(reflected),
    "cycle": _on(stress.knot),
    "finalizer": _testament,
    "exit": _on(stress.exits),
    "orphan": _orphan,
    "thread": _handed_over(stress.in_thread),
    "race": _handed_over(stress.race),
    "threads": _in_own_threads,
    "signal": _signalled,
    "reread": _reread,
    "kept": _kept,
    "recheck": _recheck,
    "held": _held,
}


# the number of words on a line of the rule; 1 for rules that do not stand here
LEAST = {"chain": 2, "index": 2, "reflected": 2, "kept": 0, "recheck": 0, "held": 0, "signal": 0}
MANY = ("cycle", "exit")  # rules that take more than one id
NEVER_REFUSED = ("print",)  # rules for what Python promises of any object
BEREAVED = ("survive", "outlive")  # rules that take the last reference of the run to an object
SORTED = ("orphan", "thread", "race", "threads", "finalizer")  # rules that take a sort
# rules that need the run's context
LIVING = ("thread", "race", "kept", "recheck", "reread", "signal")


def sensible(run: Run, rule: Rule) -> bool:
    """Whether the rule can show anything now. For example, a recheck needs an answer to compare
    with, and a count needs assertions to count.
    """
    state = run.state
    if rule.name == "recheck":
        return state.answer in ("sat", "unsat") and not state.assumptions
    if rule.name == "signal":  # the check ends by itself, and is one that the solver's state allows
        allowed = run.frame.has_solver and (state.incremental or not state.checks)
        return allowed and state.limit is not None and bool(state.asserted())
    return rule.name != "kept" or bool(_plain(run))


def do(run: Run, rule: Rule, words: Sequence[Token], seed: int) -> bool:
    """`misuse@RULE words`: stress the objects that the words name; True if the binding refused.
    Raises Stopped with a finding, and Refused if the stress cannot be carried out.
    """
    if not sensible(run, rule):
        raise Refused("unsupported", f"'{rule.name}' says nothing in this state")
    run.begin(seed, "misuse", rule.name, " ".join(map(print_token, words)))
    run.counts[f"misuse:{rule.name}"] += 1
    what = _what(run, words)
    operands = [
        word.value if isinstance(word, Python) else rules.make(run, [word]) for word in words
    ]
    try:
        with run.binding_time():
            fault = STRESS[rule.name](run, operands, words)
    except Refused as refused:
        run.result(f"refused {refused.sort} {quote(str(refused))}")
        raise
    except (Exception, SystemExit) as error:  # whatever a binding throws is an outcome
        thrown = run.wrapper.contract.judge(error, run.wrapper.refusals)
        error.__traceback__ = None
    else:
        returned(run, rule, fault, what)
        return False
    threw(run, rule, thrown.promised() if rule.name in NEVER_REFUSED else thrown, what)
    return True


def _what(run: Run, words: Sequence[Token]) -> str:
    """The kind of object that is stressed, which names the bucket: a term, a sort, the solver or
    the context.
    """
    return next((_kind(run, word) for word in words if isinstance(word, Ref)), "")


def _kind(run: Run, ref: Ref) -> str:
    named = {"t": "term", "s": "sort", "o": "solver", "c": "context"}
    return named.get(ref.letter) or type(run.objects.alive.get(ref.number)).__name__
