"""Chooses symbols for a script. Each follows the syntax of SMT-LIB and stands for one thing only."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable

SIMPLE = re.compile(r"[A-Za-z~!$%^&*_+=<>?/-][A-Za-z0-9~!@$%^&*_+=<>.?/-]*")
# these characters cannot stand between bars: backslash, bar, and all that is not printable ASCII
_UNQUOTABLE = re.compile(r"[^ -\[\]-{}~]")
# The reserved words of the standard (section 3.1). They are symbols only between bars.
_WORDS = """
    BINARY DECIMAL HEXADECIMAL NUMERAL STRING _ ! as let exists forall match par
"""
WORDS = frozenset(_WORDS.split())
_RESERVED = """
    BINARY DECIMAL HEXADECIMAL NUMERAL STRING _ ! as let exists forall lambda match par true false
    Bool Int Real Array BitVec FloatingPoint RoundingMode String RegLan Float16 Float32 Float64
    Float128 Seq Set Bag Tuple const ite bv NaN RNE RNA RTN RTP RTZ roundNearestTiesToEven
    roundNearestTiesToAway roundTowardPositive roundTowardNegative roundTowardZero is update
    update-field map char tuple.unit union intersection setminus complement subset default List
    nil cons insert head tail Pair mk-pair first second if iff implies fold!a fold!b
"""
RESERVED = tuple(_RESERVED.split())


class Symbols:
    """The symbols of a script. A thing gets the symbol that is wished for it, or a similar one if
    that is taken.
    """

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._taken = {*RESERVED, *taken}
        self._given: dict[Hashable, str] = {}
        self._counts: dict[str, int] = {}

    def of(self, thing: Hashable, wish: str) -> str:
        """Return the symbol of `thing`, as it is printed. It is the same at every call."""
        found = self._given.get(thing)
        if found is None:
            found = self._given[thing] = spell(self._free(wish))
        return found

    def _free(self, wish: str) -> str:
        # symbols that begin with @ or a point are reserved for solvers
        base = _UNQUOTABLE.sub("?", wish)
        base = f"_{base}" if base[:1] in ("@", ".", "") else base
        name = base
        while name in self._taken:
            self._counts[base] = self._counts.get(base, 0) + 1
            name = f"{base}!{self._counts[base]}"
        self._taken.add(name)
        return name


def spell(name: str) -> str:
    """Return a name as a symbol: as it is if it is a simple symbol, else between bars."""
    return name if SIMPLE.fullmatch(name) else f"|{name}|"
