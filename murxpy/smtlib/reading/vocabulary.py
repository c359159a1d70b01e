"""What the names in a script mean: the operators and sorts of `fsm/theories`, by the names of all
dialects at once.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache

from murxpy.logic.catalogue import Catalogue, Operator
from murxpy.smtlib.dialects import SAME, SPELLED, STANDARD_SPECIAL
from murxpy.smtlib.dialects import SPECIAL as SPECIAL_NAMES
from murxpy.smtlib.reading.sugar import SUGARED

# Names of older standards and releases, and long forms: what they are called now.
OLD_NAMES: dict[str, str] = {
    "str.to.int": "str.to_int",
    "int.to.str": "str.from_int",
    "str.from-int": "str.from_int",
    "str.in.re": "str.in_re",
    "str.to.re": "str.to_re",
    "re.nostr": "re.none",
    "re.empty": "re.none",
    "re.full": "re.all",
    "re.allchar": "re.allchar",
    "re.complement": "re.comp",
    "re.difference": "re.diff",
    "re.intersect": "re.inter",
    "re.of.string": "str.to_re",
    "str.code": "str.to_code",
    "str.from-code": "str.from_code",
    "str.tolower": "str.to_lower",
    "str.toupper": "str.to_upper",
    "str.replaceall": "str.replace_all",
    "str.replace-all": "str.replace_all",
    "bv2nat": "ubv_to_int",
    "bv2int": "ubv_to_int",
    "int2bv": "int_to_bv",
    "nat2bv": "int_to_bv",
    "implies": "=>",
    "iff": "=",
    "if": "ite",
    "to_ieee_bv": "fp.to_ieee_bv",
    "union": "set.union",
    "intersection": "set.inter",
    "setminus": "set.minus",
    "complement": "set.complement",
    "subset": "set.subset",
    "member": "set.member",
    "singleton": "set.singleton",
    "insert": "set.insert",
    "card": "set.card",
    "is_singleton": "set.is_singleton",
    "comprehension": "set.comprehension",
    "join": "rel.join",
    "product": "rel.product",
    "transpose": "rel.transpose",
    "tclosure": "rel.tclosure",
    "iden": "rel.iden",
    "join_image": "rel.join_image",
    "mkTuple": "tuple",
    "bag.duplicate_removal": "bag.setof",
    "int.log2": "int.log2",
    "pow2": "int.pow2",
    "seq.fold_left": "seq.foldl",
}
OLD_SPECIAL: dict[str, str] = {
    "emptyset": "set.empty",
    "univset": "set.universe",
    "emptybag": "bag.empty",
    "set.univ": "set.universe",
}
ROUNDING: dict[str, str] = {
    "roundNearestTiesToEven": "rm.rne",
    "roundNearestTiesToAway": "rm.rna",
    "roundTowardPositive": "rm.rtp",
    "roundTowardNegative": "rm.rtn",
    "roundTowardZero": "rm.rtz",
}
# Sorts that stand for others: name, kind, parameters.
SORT_NAMES: dict[str, tuple[str, tuple[int, ...]]] = {
    "Float16": ("SORT_FP", (5, 11)),
    "Float32": ("SORT_FP", (8, 24)),
    "Float64": ("SORT_FP", (11, 53)),
    "Float128": ("SORT_FP", (15, 113)),
    "UnitTuple": ("SORT_TUPLE", ()),
    "RegEx": ("SORT_REGLAN", ()),
}

# Not what they are called, but what the reader makes of other syntax.
_UNREADABLE = (
    "OP_IFF",
    "OP_CONST_ARRAY",
    "OP_UF_APPLY",
    "OP_HO_APPLY",
    "OP_ARRAY_MAP",
    "OP_ARRAY_MAP2",
)
# over a function that is spelled out
_FOLD = re.compile(r"\(([^\s(){}]+) \(lambda .*\) \{1\} \{2\}\)")
_PLAIN = re.compile(r"\(([^\s(){}]+)((?: \{\d\})*)\)")
_INDEXED = re.compile(r"\(\(_ ([^\s(){}]+)(?: \{i\d\})+\)((?: \{\d\})*)\)")
_SPECIAL_FORM = re.compile(r"\((?:_|as) (\S+) [^()]*\)")


@dataclass(frozen=True)
class Vocabulary:
    """Names and what they mean: operators (several where a name is overloaded), special values,
    sort kinds.
    """

    operators: dict[str, tuple[Operator, ...]]
    binders: dict[str, Operator]  # forall, exists, lambda, set.comprehension
    special: dict[str, str]
    sorts: dict[str, str]
    core: frozenset[str] = field(default_factory=frozenset)  # names that no script may take


@lru_cache(maxsize=8)
def vocabulary(catalogue: Catalogue) -> Vocabulary:
    """The names in which scripts of all dialects may speak of the catalogue."""
    named: dict[str, list[Operator]] = {}
    binders: dict[str, Operator] = {}
    for operator in catalogue.operators.values():
        if operator.kind in _UNREADABLE or operator.typing is not None:
            continue
        if operator.signature.binder:
            binders.setdefault(operator.smtlib, operator)
            continue
        for name in _names(operator):
            if operator not in named.setdefault(name, []):
                named[name].append(operator)
    for old, new in OLD_NAMES.items():
        if new in named:
            named.setdefault(old, named[new])
    for name in SUGARED:
        named.setdefault(name, [])
    sorts = {sort.smtlib: kind for kind, sort in catalogue.sorts.items() if sort.smtlib != "-"}
    core = frozenset(op.smtlib for op in catalogue.of_theory("BOOL") if not op.extension)
    return Vocabulary(
        {name: tuple(found) for name, found in named.items()},
        binders,
        _special(),
        sorts,
        core | {"true", "false"},
    )


def _names(operator: Operator) -> list[str]:
    """Its names in the dialects that have it; spellings that are more than a name and the arguments
    in order have none.
    """
    known = [] if operator.extension else [operator.smtlib]
    for dialect, spelled in SPELLED.items():
        if operator.kind in SAME[dialect]:
            known.append(operator.smtlib)
        for spelling in (spelled.get(operator.kind, ""), spelled.get(f"{operator.kind}/0", "")):
            found = _PLAIN.fullmatch(spelling) or _INDEXED.fullmatch(spelling)
            if found is not None and found[2] == "".join(
                f" {{{k}}}" for k in range(operator.minimum)
            ):
                known.append(found[1])
            elif _FOLD.fullmatch(spelling):
                known.append(spelling[1:].split(" ")[0])
            elif found is None and spelling and not spelling.startswith("("):
                known.append(spelling)
    if f"({operator.smtlib} {{*}})" in [spelled.get(operator.kind) for spelled in SPELLED.values()]:
        known.append(operator.smtlib)
    return list(dict.fromkeys(known))


def _special() -> dict[str, str]:
    """The special values by what they are called where that is a word, or a word in `(_ word ...)`
    and `(as word ...)`.
    """
    known = {**OLD_SPECIAL, **ROUNDING}
    for table in (STANDARD_SPECIAL, *SPECIAL_NAMES.values()):
        for special, spelling in table.items():
            found = _SPECIAL_FORM.fullmatch(spelling)
            if found is not None:
                known[found[1]] = special
            elif not spelling.startswith("("):
                known[spelling] = special
    return known
