"""A binding of Booleans and bit-vectors that checks what it is given, with defects to plant: set
`planted` to one of `DEFECTS`.

Its checks answer every misuse with `MisusedError`; each defect takes one of them away, or does not
keep one promise.
"""

from __future__ import annotations

import contextlib
import itertools
import signal
import threading
from typing import Any

DEFECTS = {
    "unborn-context": "A",  # an object of another context is taken
    "orphan": "A",  # a term of a context that is gone cannot be printed
    "forgetful-copy": "B",  # the copy of a solver has no assertions
    "unchecked": "C",  # None reaches code that uses it
    "assertion": "C",  # a wrong type ends in a bare assert
    "early-model": "D",  # a model before any check is a NameError
    "stranger-equal": "E",  # a term is equal to None
    "truncated-width": "F",  # a width is taken modulo 2^32
    "cut-symbol": "F",  # a symbol ends at its first NUL
    "lost-assertion": "G",  # an assertion is taken and forgotten
    "thread-bound": "H",  # a finalizer that only one thread may run
    "unbound": "C",  # a function that no spelling has uses a name that it did not bind
    "truncated-count": "F",  # such a function takes a count modulo 2^32
    "cut-text": "F",  # such a function takes a text up to its first NUL
    "shallow-copy": "B",  # the deep copy of an object is empty when the original is gone
}

# Defects that a line alone shows, with the class of each.
SHOWN = {
    "deaf": "H",  # a check leaves signals to nobody
    "shared": "H",  # what a thread makes depends on what others make
    "flag-for-a-width": "C",  # a width of True is one of 8
    "lost-keyword": "C",  # a function takes any keyword and forgets it
    "misread": "F",  # a literal reads back as another
    "silent": "D",  # what a callback raises is told to nobody
    "shared-copy": "B",  # the shallow copy of an object is empty when the original is gone
    "unprintable": "F",  # the text of an object is refused with a documented exception
    "bytes": "C",  # a text comes as bytes
    "overflow": "C",  # a method without operands complains of a number that is too large
    "twins": "C",  # one name twice gives two different symbols
    "incomparable": "E",  # a term cannot be compared with None
    "astray": "C",  # what is made of a term belongs to another context
}

planted = ""
_made = itertools.count()  # constants of all contexts and threads


class MisusedError(Exception):
    """What the binding throws at a wrong call."""


def _check(condition: bool, message: str) -> None:
    if not condition:
        raise MisusedError(message)


class Context:
    """What sorts and terms belong to."""

    def __reduce__(self) -> Any:
        raise MisusedError("a context cannot be copied")


class Sort:
    """Bool, or bit-vectors of a width."""

    def __init__(self, context: Any, width: int) -> None:
        self.context, self.width = context, width

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Sort) and self.width == other.width and self.context is other.context
        )

    def __hash__(self) -> int:
        return hash(self.width)


class Term:
    """A symbol, a number or an application."""

    def __init__(self, sort: Sort, text: str, owner: Any = None) -> None:
        self.sort, self.text = sort, text
        self._context = None if planted == "orphan" else sort.context
        if planted == "orphan":
            self.sort = Sort(_Gone(sort.context), sort.width)
        self._thread = threading.get_ident()

    def __eq__(self, other: object) -> bool:
        if other is None and planted == "stranger-equal":
            return True
        if other is None and planted == "incomparable":
            raise TypeError("expected a term")
        return (
            isinstance(other, Term)
            and self.text == other.text
            and self.sort.width == other.sort.width
        )

    def __hash__(self) -> int:
        return hash(self.text)

    def __str__(self) -> str:
        if planted == "orphan" and not self.sort.context.is_there():
            raise ReferenceError("the context is gone")
        return self.text

    __repr__ = __str__

    def __del__(self) -> None:
        if (
            planted == "thread-bound"
            and getattr(self, "_thread", threading.get_ident()) != threading.get_ident()
        ):
            raise SystemError("released in another thread")


class _Twin(Term):
    """A symbol that is no other symbol."""

    def __eq__(self, other: object) -> bool:
        return self is other

    __hash__ = Term.__hash__


class _Gone:
    """A weak hold on a context."""

    def __init__(self, context: Any) -> None:
        import weakref

        self._context = context._context if isinstance(context, _Gone) else weakref.ref(context)

    def is_there(self) -> bool:
        return self._context() is not None

    def __eq__(self, other: object) -> bool:
        own = self._context()
        return own is (other._context() if isinstance(other, _Gone) else other)

    def __hash__(self) -> int:
        return 1


def bool_sort(context: Any) -> Sort:
    """The sort of formulas."""
    _check(isinstance(context, Context), "expected a context")
    return Sort(context, 0)


def bv_sort(context: Any, width: Any) -> Sort:
    """Bit-vectors of a width from 1 to 2^32 - 1."""
    _check(isinstance(context, Context), "expected a context")
    if planted == "flag-for-a-width" and width is True:
        width = 8
    _check(type(width) is int, "expected a width")
    if planted == "truncated-width":
        width %= 1 << 32
    _check(0 < width < 1 << 32, "this width is not supported")
    return Sort(context, width)


def constant(sort: Any, name: Any) -> Term:
    """A free symbol."""
    _sort(sort)
    if planted == "assertion" and not isinstance(name, str):
        assert isinstance(name, str)
    _check(isinstance(name, str), "expected a symbol")
    if planted == "shared":
        name = f"{name}{next(_made)}"
    return Term(sort, name.partition("\0")[0] if planted == "cut-symbol" else name)


def number(sort: Any, value: Any) -> Term:
    """A literal: a bool, or a number in range."""
    _sort(sort)
    _check(type(value) is (int if sort.width else bool), "expected a number of this sort")
    _check(not sort.width or 0 <= value < 1 << sort.width, "out of range")
    return Term(sort, str(value).lower())


def reread(term: Term) -> str | None:
    """What is wrong if a literal reads back as another."""
    return "the literal reads back as another" if planted == "misread" else None


def called_back(solver: Any) -> str | None:
    """What is wrong if nobody hears what a callback raises."""
    try:
        solver.call_back(lambda: 1 // 0)
    except ZeroDivisionError:
        return None
    return "what a callback raises is told to nobody"


def _sort(sort: Any) -> None:
    _check(isinstance(sort, Sort), "expected a sort")


def app(kind: str, result: Any, *args: Any) -> Term:
    """An application of `kind` to terms; the sort of its result is given, or that of the first
    argument.
    """
    if planted == "unchecked":
        contexts = [arg.sort.context for arg in args]
    else:
        _check(bool(args) and all(isinstance(arg, Term) for arg in args), "expected terms")
        contexts = [arg.sort.context for arg in args]
    if planted != "unborn-context":
        _check(all(context == contexts[0] for context in contexts), "contexts differ")
        _check(result is None or result.context == contexts[0], "contexts differ")
    widths = {"not": (0,), "and": (0,), "or": (0,)}.get(kind, (args[0].sort.width,))
    _check(all(arg.sort.width in widths for arg in args), "sorts differ")
    text = f"({kind} {' '.join(arg.text for arg in args)})"
    return Term(result or args[0].sort, text if len(text) < 60 else text[:60])


def extract(high: Any, low: Any, arg: Any) -> Term:
    """The bits from `high` down to `low`."""
    _check(
        isinstance(arg, Term) and type(high) is int and type(low) is int,
        "expected two numbers and a term",
    )
    _check(0 <= low <= high < arg.sort.width, "out of range")
    return Term(Sort(arg.sort.context, high - low + 1), f"(extract {high} {low} {arg.text[:40]})")


def renamed(term: Any, name: Any) -> Term:
    """The symbol of the sort of a term with another name."""
    _check(isinstance(term, Term) and isinstance(name, str), "expected a term and a symbol")
    if name.isidentifier() or planted != "unbound":
        shown = name.partition("\0")[0] if planted == "cut-text" else name
    return Term(term.sort, shown)


def repeated(term: Any, count: Any, **options: Any) -> Term:
    """So many copies of a bit-vector in a row."""
    _check(not options or planted == "lost-keyword", "no such option")
    _check(isinstance(term, Term) and type(count) is int, "expected a term and a number")
    if planted == "truncated-count":
        count %= 1 << 32
    _check(count > 0 and term.sort.width * count < 1 << 32, "this width is not supported")
    return Term(
        Sort(term.sort.context, term.sort.width * count), f"(repeat {count} {term.text[:40]})"
    )


def symbols(sort: Any, names: Any) -> list[Term]:
    """A symbol for each name of a list."""
    _check(isinstance(names, list) and all(isinstance(name, str) for name in names), "no names")
    made = [constant(sort, name) for name in names]
    if planted == "twins" and len(set(names)) < len(names):
        for term in made:
            term.__class__ = _Twin
    return made


class Box:
    """Has a text of its own."""

    owner: Any = None

    def __init__(self, text: str) -> None:
        self._text = [text]
        _check(isinstance(text, str), "expected a text")

    def __str__(self) -> str:
        _check(planted != "unprintable", "no text")
        return f"box {''.join(self._text)}"

    def paired(self, sort: Any) -> Box:
        """A box that belongs to the context of a sort."""
        other = Box(str(self))
        other.owner = Context() if planted == "astray" else sort.context
        return other

    def label(self) -> Any:
        """The text."""
        text = "".join(self._text)
        return text.encode() if planted == "bytes" else text

    def size(self) -> int:
        """The number of characters."""
        if planted == "overflow":
            raise OverflowError("too large to convert to a C long")
        return sum(map(len, self._text))

    def __del__(self) -> None:
        if planted in ("shallow-copy", "shared-copy") and hasattr(self, "_text"):
            self._text.clear()

    def __deepcopy__(self, memo: Any) -> Box:
        other = Box("")
        other._text = self._text if planted == "shallow-copy" else list(self._text)
        return other


class Solver:
    """Answers sat to everything."""

    def __init__(self, context: Any) -> None:
        self._context = context
        self.levels: list[list[Term]] = [[]]
        self._checked = False

    def add(self, term: Any) -> None:
        """Assert a formula."""
        _check(isinstance(term, Term) and term.sort.width == 0, "expected a formula")
        _check(planted == "unborn-context" or term.sort.context == self._context, "contexts differ")
        if planted != "lost-assertion":
            self.levels[-1].append(term)
        self._checked = False

    def assertions(self) -> list[Term]:
        """The assertions of all levels."""
        return [term for level in self.levels for term in level]

    def push(self) -> None:
        """One level more."""
        self.levels.append([])

    def pop(self, count: Any) -> None:
        """So many levels less."""
        _check(type(count) is int and 0 <= count < len(self.levels), "no such level")
        del self.levels[len(self.levels) - count :]

    def check(self, *assumptions: Any) -> str:
        """The answer."""
        for term in assumptions:
            _check(isinstance(term, Term) and term.sort.width == 0, "expected a formula")
            _check(
                planted == "unborn-context" or term.sort.context == self._context, "contexts differ"
            )
        self._checked = True
        if planted == "deaf":
            signal.signal(signal.SIGALRM, signal.SIG_IGN)
        return "sat"

    def call_back(self, function: Any) -> None:
        """Call a function; what it raises comes out."""
        if planted == "silent":
            with contextlib.suppress(Exception):
                function()
        else:
            function()

    def model(self) -> list[Term]:
        """The model of the last check."""
        if not self._checked and planted == "early-model":
            raise NameError("name 'model' is not defined")
        _check(self._checked, "no model")
        return self.assertions()

    def __copy__(self) -> Solver:
        other = Solver(self._context)
        other.levels = (
            [[]] if planted == "forgetful-copy" else [list(level) for level in self.levels]
        )
        return other
