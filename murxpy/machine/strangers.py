"""Python objects that are none of a solver's, for calls that a binding must refuse."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class Raising:
    """An object that raises an exception whenever it is used: called, compared, converted, iterated
    or printed.
    """

    def _raise(self, *args: Any) -> Any:
        raise ValueError("raised by an operand")

    __call__ = __eq__ = __str__ = __repr__ = __int__ = __index__ = __float__ = __iter__ = (
        __len__
    ) = __getitem__ = _raise
    __add__ = __radd__ = __and__ = __rand__ = __lt__ = __gt__ = __bool__ = _raise
    __hash__ = None  # type: ignore[assignment]


class Opaque:
    """An object without anything that a binding could use. Its text contains no address, so a
    binding that reads the text does the same in every run.
    """

    def __repr__(self) -> str:
        return "<a stranger>"


STRANGERS: dict[str, Callable[[], Any]] = {
    "object": Opaque,
    "class": lambda: object,
    "raising": Raising,
    "function": lambda: len,
}
