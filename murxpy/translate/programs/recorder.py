"""What a program writes of the calls that its helpers make. The text of this module begins an
instrumented program, so it needs nothing but Python.
"""

from __future__ import annotations

import contextlib
import enum
import json
import operator
import os
import sys
import threading
from collections.abc import Iterator
from typing import Any

MARK = "\x1ecalled "
MOST = 600  # calls that are written; more of them have no short program
_SIMPLE = (bool, int, float, str, bytes, type(None))
_READING = (list, tuple, len, str, int, bool, repr, next, iter, sorted, reversed, set, dict)
_OPERATORS = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "%": operator.mod,
    "**": operator.pow,
    "<<": operator.lshift,
    ">>": operator.rshift,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


class _Unsayable(Exception):
    """An object that no expression names."""


class Recorder:
    """Makes calls, and writes those of some packages as Python source before they are made. `roots` gives
    by package what stands before a name of it, such as `z3.` or nothing. `instead` gives, by the variable
    of a call, what it is to give in the place of its result.
    """

    def __init__(self, roots: dict[str, str], instead: dict[str, Any]) -> None:
        self.roots, self.instead, self.count = roots, instead, 0
        self.names: dict[int, tuple[str, Any]] = {}  # by identity, with the object, which lives
        self.thread = threading.get_ident()

    def named(self, name: str, thing: Any) -> None:
        """From now on, an object has a name."""
        if not isinstance(thing, _SIMPLE):
            self.names[id(thing)] = (name, thing)
        if isinstance(thing, (list, tuple)):
            for at, one in enumerate(thing):
                self.names.setdefault(id(one), (f"{name}[{at}]", one))

    def ended(self, got: Any) -> None:
        """What the helpers gave in the end."""
        self._write("", "ended", str(got)[:400])

    def call(self, function: Any, *args: Any, **named: Any) -> Any:
        """Call a function or a class."""
        given = [*args, *named.values()]
        reads = any(function is one for one in _READING) and any(map(self._known, given))
        if not (reads or self._ours(function)):
            return function(*args, **named)
        return self._recorded(function, lambda: self._name_of(function), args, named)

    def method(self, owner: Any, name: str, *args: Any, **named: Any) -> Any:
        """Call a method, or a function of a module."""
        function = getattr(owner, name)
        if isinstance(owner, type(sys)) or not self._ours(owner):
            return self.call(function, *args, **named)
        return self._recorded(function, lambda: f"{self._said(owner)}.{name}", args, named, owner)

    def attribute(self, owner: Any, name: str) -> Any:
        """Read an attribute."""
        if isinstance(owner, (type(sys), type)) or not self._ours(owner):
            return getattr(owner, name)
        return self._written(lambda: f"{self._said(owner)}.{name}", lambda: getattr(owner, name))

    def item(self, owner: Any, key: Any) -> Any:
        """Read an element."""
        if not self._ours(owner):
            return owner[key]
        return self._written(lambda: f"{self._said(owner)}[{self._said(key)}]", lambda: owner[key])

    def apply(self, sign: str, left: Any, right: Any) -> Any:
        """Apply an operator of Python."""
        function = _OPERATORS[sign]
        if not (self._ours(left) or self._ours(right)):
            return function(left, right)
        return self._written(
            lambda: f"({self._said(left)} {sign} {self._said(right)})",
            lambda: function(left, right),
        )

    def over(self, things: Any) -> Iterator[Any]:
        """The elements of what a loop goes through."""
        return iter(self.call(list, things) if self._ours(things) else things)

    def _recorded(self, function: Any, name: Any, args: Any, named: Any, owner: Any = None) -> Any:
        def source() -> str:
            words = [*map(self._said, args)]
            words += [f"{k}={self._said(v)}" for k, v in named.items() if k.isidentifier()]
            odd = [f"{k!r}: {self._said(v)}" for k, v in named.items() if not k.isidentifier()]
            words += [f"**{{{', '.join(odd)}}}"] if odd else []
            return f"{name()}({', '.join(words)})"

        return self._written(source, lambda: function(*args, **named), owner)

    def _written(self, source: Any, make: Any, owner: Any = None) -> Any:
        if threading.get_ident() != self.thread:
            return make()
        self.count += 1
        if self.count > MOST:
            os._exit(3)
        name = f"v{self.count}"
        try:
            self._write(name, "code", source())
        except _Unsayable:
            return make()
        try:
            made = make()
        except BaseException as error:
            self._write(name, "raised", type(error).__name__)
            raise
        if self._kept(made):
            self._write(name, "same", self.names[id(made)][0])
        if not self._kept(made) or made is not owner:
            self.named(name, made)  # another binding may give another object for an argument
        with contextlib.suppress(Exception):
            self._write(name, "got", str(made)[:200])
        return self.instead.get(name, made)

    def _write(self, name: str, what: str, text: str) -> None:
        os.write(1, f"{MARK}{json.dumps([name, what, text])}\n".encode())

    def _ours(self, thing: Any) -> bool:
        """Whether a thing is of one of the packages: a class, a function, or an object of a class."""
        if isinstance(thing, (*_SIMPLE, type(sys))):
            return False
        owner = getattr(thing, "__self__", None)
        if owner is not None and not isinstance(owner, type(sys)):
            thing = owner
        home = thing if isinstance(thing, type) or hasattr(thing, "__name__") else type(thing)
        module = getattr(home, "__module__", None) or ""
        return str(module).partition(".")[0] in self.roots

    def _kept(self, thing: Any) -> bool:
        return id(thing) in self.names and self.names[id(thing)][1] is thing

    def _known(self, thing: Any) -> bool:
        return self._kept(thing) or self._ours(thing)

    def _name_of(self, function: Any) -> str:
        if any(function is one for one in _READING):
            return str(function.__name__)
        if self._kept(function):
            return self.names[id(function)][0]
        path = str(getattr(function, "__qualname__", ""))
        for root, before in self.roots.items():
            found: Any = sys.modules.get(root)
            for part in path.split("."):
                found = getattr(found, part, None)
            if found is function:
                return f"{before}{path}"
        parts = str(getattr(function, "__module__", "")).split(".")
        for end in range(1, len(parts) + 1):  # the outermost module that has it
            home = ".".join(parts[:end])
            if parts[0] in self.roots and getattr(sys.modules.get(home), path, None) is function:
                return f"{home}.{path}"
        raise _Unsayable

    def _said(self, thing: Any) -> str:
        if self._kept(thing):
            return self.names[id(thing)][0]
        if isinstance(thing, enum.Enum):
            return f"{self._name_of(type(thing))}.{thing.name}"
        if isinstance(thing, _SIMPLE):
            return repr(thing)
        if isinstance(thing, (list, tuple)) and type(thing) in (list, tuple):
            inner = ", ".join(map(self._said, thing))
            last = "," if isinstance(thing, tuple) and len(thing) == 1 else ""
            return f"[{inner}]" if isinstance(thing, list) else f"({inner}{last})"
        if callable(thing) and self._ours(thing):
            return self._name_of(thing)
        raise _Unsayable
