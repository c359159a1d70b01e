"""The rules of implication that a campaign uses: those that the user names, and only those that are
proved.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from murxpy.data import load_catalogue
from murxpy.data.rules import (
    BOOKS,
    fingerprint,
    load_book,
    proofs_path,
    read_proofs,
)
from murxpy.data.theories import Plain
from murxpy.errors import InputError, nearest
from murxpy.logic.catalogue import build_catalogue
from murxpy.mutation.implications.book import Book
from murxpy.mutation.implications.generated import generated

_GENERATED = "generated.yaml"  # the file beside which the proofs of the other rules are kept


def shipped_rules() -> list[Plain]:
    """All shipped rules, and behind them those that follow from the table of operators. Raises
    InputError.
    """
    found = [rule for name in BOOKS.names() for rule in load_book(BOOKS.path(name))]
    return [*found, *generated_rules()]


def generated_rules() -> list[Plain]:
    """The rules that follow from the table of operators."""
    file = str(BOOKS.shipped() / _GENERATED)
    return [{**rule, "file": file} for rule in generated(build_catalogue(load_catalogue()))]


def full_name(rule: Plain) -> str:
    """The name of a rule behind that of its book, as findings and the steps of mutants have it."""
    return f"{rule['book']}:{rule['name']}"


def named_rules(names: Sequence[str] = ()) -> list[Plain]:
    """The rules of these books, of these files, and those with these names, with or without that of
    their book; without names all shipped ones. Raises InputError for a name that is none.
    """
    shipped = shipped_rules()
    found: list[Plain] = []
    for name in names:
        if Path(name).suffix in (".yaml", ".yml"):
            found += load_book(BOOKS.path(name))
            continue
        own = [rule for rule in shipped if name in (rule["book"], rule["name"], full_name(rule))]
        if not own:
            known = list(dict.fromkeys([r["book"] for r in shipped] + [r["name"] for r in shipped]))
            raise InputError(
                f"unknown rules '{name}'{nearest(name, known)}; expected a rule, a file of rules whose "
                f"name ends with .yaml, or one of {', '.join(dict.fromkeys(r['book'] for r in shipped))}"
            )
        found += own
    return [rule for at, rule in enumerate(found) if rule not in found[:at]] if names else shipped


def well_sorted(rules: Sequence[Plain]) -> None:
    """Raise InputError with the place of a rule whose patterns are not well-sorted. Rules that follow
    from the table of operators are left out.
    """
    Book([rule for rule in rules if not rule.get("generated")], build_catalogue(load_catalogue()))


def proved_rules(names: Sequence[str] = ()) -> list[Plain]:
    """Those of the named rules that can be used: their kept proofs are proofs of this very text. Each
    has the instances that are proved. Raises InputError if there are none.
    """
    found, known = list[Plain](), dict[str, Plain]()
    for rule in named_rules(names):
        file = str(rule["file"])
        if file not in known:
            known[file] = read_proofs(proofs_path(Path(file)))
        proof = known[file].get(rule["name"])
        if proof and proof["text"] == fingerprint(rule):
            keys = dict.fromkeys(key for some in proof["by"].values() for key in some)
            found.append({**rule, "proved": list(keys)})
    if not found:
        raise InputError(
            f"none of the rules in {', '.join(names)} is proved: 'murxpy rules FILE --check' proves them"
        )
    return found
