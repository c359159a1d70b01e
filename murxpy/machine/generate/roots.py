"""Terms that nothing uses yet are made Boolean, combined and asserted, so that no call of the run
is wasted.
"""

from __future__ import annotations

from murxpy.machine.database import Entry
from murxpy.machine.generate.base import Generator
from murxpy.machine.generate.holding import pinned
from murxpy.machine.generate.terms import combine, to_bool
from murxpy.machine.outcomes import Refused


def closed_bools(gen: Generator, count: int) -> list[Entry]:
    """Up to `count` closed Boolean terms. Each is made of one to three terms that nothing uses yet."""
    roots = gen.run.db.roots()
    gen.stream.shuffle(roots)
    made: list[Entry] = []
    while roots and len(made) < count:
        group = roots[: gen.stream.choose((1, 1, 2, 2, 3))]
        del roots[: len(group)]
        parts = []
        for root in group:
            if root.uses > 0:
                continue
            part = pinned(gen, root) or to_bool(gen, root)
            if part is not None:
                parts.append(part)
            else:
                gen.run.db.give_up(root)
        if parts and gen.planting and gen.settings.chance("planted-apart", gen.stream):
            made.extend(parts)
        elif parts:
            try:
                made.append(combine(gen, parts))
            except Refused:
                continue
    return made
