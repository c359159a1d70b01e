"""Terms that nothing uses yet: made Boolean, combined, and asserted, so that no call is wasted."""

from __future__ import annotations

from murxpy.machine.database import Entry
from murxpy.machine.generate.apply import apply, gen_term
from murxpy.machine.generate.base import Generator
from murxpy.machine.generate.holding import pinned
from murxpy.machine.generate.terms import application
from murxpy.machine.run import Refused

CONNECTIVES = ("OP_OR", "OP_OR", "OP_AND", "OP_XOR", "OP_IMPLIES", "OP_EQUAL", "OP_DISTINCT")
STEPS = 3


def to_bool(gen: Generator, entry: Entry) -> Entry | None:
    """A Boolean term that has `entry` inside: itself, or predicates and observers applied to it;
    None where there is none.
    """
    for _ in range(STEPS):
        sort = entry.term.sort
        if sort.kind == "SORT_BOOL":
            return entry
        predicate = _predicate(gen, entry)
        if predicate is not None:
            return predicate
        observed = _observe(gen, entry)
        if observed is None:
            return None
        entry = observed
    return entry if entry.term.sort.kind == "SORT_BOOL" else None


def _predicate(gen: Generator, entry: Entry) -> Entry | None:
    predicates = gen.swarm.predicates
    own, general = predicates.get(entry.term.sort.kind, []), predicates.get("any", [])
    for _ in range(3):
        pool = own if own and (not general or gen.stream.random() < 0.6) else general
        if not pool:
            break
        found = apply(gen, gen.stream.choose(pool), entry)
        if found is not None:
            return found
    return apply(gen, gen.catalogue.operators["OP_EQUAL"], entry)


def _observe(gen: Generator, entry: Entry) -> Entry | None:
    """An application that takes a sort without predicates (a function, a regular language) to one
    that has some.
    """
    names = {
        "SORT_FUN": "OP_UF_APPLY",
        "SORT_REGLAN": "OP_STR_IN_RE",
        "SORT_DT": "OP_DT_APPLY_TESTER",
    }
    name = names.get(entry.term.sort.kind)
    if name is None or not gen.run.wrapper.set("operators", name):
        return None
    return application(gen, gen.catalogue.operators[name], entry)


def combine(gen: Generator, parts: list[Entry]) -> Entry:
    """One Boolean term of all `parts` (at least one). Raises Refused."""
    if len(parts) == 1:
        return parts[0]
    spelled = [
        gen.catalogue.operators[name]
        for name in CONNECTIVES
        if gen.run.wrapper.set("operators", name)
    ]
    left = parts[0]
    for right in parts[1:]:
        left = gen_term(gen, gen.stream.choose(spelled), [left, right])
    return left


def closed_bools(gen: Generator, count: int) -> list[Entry]:
    """Up to `count` Boolean terms made of roots without free variables, each from one to three of
    them.
    """
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
