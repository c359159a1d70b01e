"""Python objects that are none of a solver's, for calls that a binding must refuse."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class Raising:
    """Raises whatever is asked of it: called, compared, converted, iterated, printed."""

    def _raise(self, *args: Any) -> Any:
        raise ValueError("raised by an operand")

    __call__ = __eq__ = __str__ = __repr__ = __int__ = __index__ = __float__ = __iter__ = (
        __len__
    ) = __getitem__ = _raise
    __add__ = __radd__ = __and__ = __rand__ = __lt__ = __gt__ = __bool__ = _raise
    __hash__ = None  # type: ignore[assignment]


class Opaque:
    """Has nothing that a binding could use. Its text has no address: a binding that reads its text
    does the same in each run.
    """

    def __repr__(self) -> str:
        return "<a stranger>"


STRANGERS: dict[str, Callable[[], Any]] = {
    "object": Opaque,
    "class": lambda: object,
    "raising": Raising,
    "function": lambda: len,
}
