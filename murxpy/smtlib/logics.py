"""The logics of SMT-LIB that all solvers know by name, and the choice of the smallest logic that
has what a script needs.

A need is written as one or two letters: `Q` quantifiers, `UF` functions, `U` uninterpreted sorts,
`A` arrays, `BV` bit-vectors, `FP` floating point, `DT` datatypes, `S` strings, `I` integers, `R`
reals, `N` nonlinear arithmetic. If a script needs anything else, only the logic `ALL` has it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

_NAMES = """
    QF_UF QF_BV QF_FP QF_AX QF_DT QF_IDL QF_RDL QF_LIA QF_LRA QF_NIA QF_NRA QF_S QF_BVFP QF_UFBV
    QF_ABV QF_UFLIA QF_UFLRA QF_UFNIA QF_UFNRA QF_UFIDL QF_ALIA QF_AUFBV QF_SLIA QF_UFDT QF_ABVFP
    QF_AUFLIA QF_LIRA QF_NIRA QF_AUFNIA UF BV LIA LRA NIA NRA UFBV UFLIA UFLRA UFNIA UFNRA AUFLIA
    AUFLIRA AUFNIRA ALL
"""
LOGICS = tuple(_NAMES.split())
NEEDS = {
    "SORT_UNINTERPRETED": "U",
    "SORT_ARRAY": "A",
    "SORT_BV": "BV",
    "SORT_FP": "FP",
    "SORT_RM": "FP",
    "SORT_DT": "DT",
    "SORT_STRING": "S",
    "SORT_REGLAN": "S",
    "SORT_INT": "I",
    "SORT_REAL": "R",
    "SORT_FUN": "UF",
}
# operators of the theory Reals_Ints, which a logic of only integers or only reals does not have
MIXED = ("OP_REAL_IS_INT", "OP_REAL_TO_INT", "OP_INT_TO_REAL")
_NAME = re.compile(
    r"(?P<free>QF_)?(?P<array>AX?)?(?P<fun>UF)?(?P<bv>BV)?(?P<fp>FP)?(?P<dt>DT)?(?P<s>S)?(?:(?P<power>[LN])(?P<sorts>I?R?)A)?"
)


def features(logic: str) -> frozenset[str]:
    """Return the needs that a logic of `LOGICS` meets. Difference logics meet none, because they
    also restrict the form of terms.
    """
    found = _NAME.fullmatch(logic)
    if found is None:
        return frozenset()
    has = {"A", "U"} if found["array"] == "AX" else {"A"} if found["array"] else set()
    has |= {"UF", "U"} if found["fun"] else set()
    has |= {
        need
        for need, group in (("BV", "bv"), ("FP", "fp"), ("DT", "dt"), ("S", "s"))
        if found[group]
    }
    has |= set(found["sorts"] or "") | ({"N"} if found["power"] == "N" else set())
    return frozenset(has if found["free"] else has | {"Q"})


# the letters in the name of a logic that stand for a sort, as regular expressions
_LETTERS = {
    "SORT_BV": "BV",
    "SORT_FP": "FP",
    "SORT_RM": "FP",
    "SORT_ARRAY": "^A",
    "SORT_INT": "[LN]I|IDL",
    "SORT_REAL": "RA|RDL",
    "SORT_STRING": "S",
    "SORT_REGLAN": "S",
    "SORT_DT": "DT",
    "SORT_FF": "FF",
    "SORT_UNINTERPRETED": "UF|AX",
}


def known(logic: str) -> bool:
    """Return whether solvers know a logic by this name: one of `LOGICS`, or one that is composed of
    the same letters, also with those of finite fields and of functions as values.
    """
    plain = logic.removeprefix("HO_")
    if plain in ("QF_ALL", *LOGICS):
        return True
    letters = plain.replace("FF", "", 1)
    return bool(features(letters)) or letters == "QF_" != plain


def composed(logic: str, kind: str) -> bool:
    """Return whether a logic has sorts of a kind, in a dialect that takes every combination of
    letters as a logic. Only `ALL` has the sorts of extensions.
    """
    if "ALL" in logic or kind == "SORT_FUN" or not kind.startswith("SORT_"):
        return True
    return kind in _LETTERS and re.search(_LETTERS[kind], logic.removeprefix("QF_")) is not None


# the letters of a composed name, in their order, by the needs that they meet
_IN_ORDER = (
    ("A", "A"),
    ("UF", "UF"),
    ("U", "UF"),
    ("BV", "BV"),
    ("FP", "FP"),
    ("DT", "DT"),
    ("S", "S"),
)
_FEATURES = {logic: features(logic) for logic in LOGICS}
_BY_SIZE = sorted(
    (logic for logic in LOGICS if _FEATURES[logic]), key=lambda logic: len(_FEATURES[logic])
)


def covers(logic: str, needs: Iterable[str]) -> bool:
    """Return whether a logic meets all of the needs."""
    return logic == "ALL" or _FEATURES.get(logic, frozenset()).issuperset(needs)


def smallest(needs: Iterable[str]) -> str:
    """Return the logic with the fewest features that meets the needs, or `ALL` if no other logic
    does.
    """
    wanted = frozenset(needs) or {"UF"}
    return next((logic for logic in _BY_SIZE if _FEATURES[logic] >= wanted), "ALL")


def smallest_free(needs: Iterable[str]) -> str:
    """Return the smallest logic that meets the needs. If only logics of `LOGICS` with quantifiers do, or
    none, and the needs have no quantifiers, the name is composed of the letters of the needs, such as
    QF_UFBVFP, as far as that is a name.
    """
    found, wanted = smallest(needs), frozenset(needs)
    if "Q" in wanted or found.startswith("QF_"):
        return found
    parts = [letters for need, letters in _IN_ORDER if need in wanted]
    numbers = "".join(need for need in ("I", "R") if need in wanted)
    arithmetic = f"{'N' if 'N' in wanted else 'L'}{numbers}A" if numbers else ""
    name = f"QF_{''.join(dict.fromkeys(parts))}{arithmetic}"
    return name if features(name) >= wanted else found


# The difference logics, by the logics whose linear arithmetic they restrict.
_DIFFERENCE = {"QF_LIA": "QF_IDL", "QF_LRA": "QF_RDL", "QF_UFLIA": "QF_UFIDL"}


def difference_logic(logic: str) -> str:
    """Return the smallest logic for a script of this logic whose arithmetic is difference logic."""
    return _DIFFERENCE.get(logic, logic)


def known_by_name(logic: str) -> str:
    """Return the smallest logic of `LOGICS` that has everything that the logic of this name has. Not
    every solver knows a logic whose name is composed of letters. The arrays of most logics have sorts
    that only the description of the logic tells, so a logic with arrays becomes `ALL`.
    """
    wanted = features(logic)
    if logic in LOGICS and "A" not in wanted:
        return logic
    return smallest(wanted) if wanted and "A" not in wanted else "ALL"


# ----------------------------------------------------------------------
# Guesses the theories of a script from the words in its text. The guess needs no reader, and
# suffices to tell findings apart.


_WORDS = re.compile(
    r"""\(\s*(?:_\s+)?([^\s()"|\\]+)|\b(Int|Real|RegLan|String|RoundingMode|BitVec|Float\w*|Array|Seq|Set|Bag|Tuple)\b"""
)
_PREFIXES = {
    "bv": "BV",
    "fp": "FP",
    "str": "STRING",
    "re": "STRING",
    "seq": "SEQ",
    "set": "SET",
    "rel": "SET",
    "bag": "BAG",
    "table": "BAG",
    "tuple": "DT",
    "ff": "FF",
    "int": "INT",
}
_THEORIES = {
    "concat": "BV",
    "extract": "BV",
    "zero_extend": "BV",
    "sign_extend": "BV",
    "rotate_left": "BV",
    "rotate_right": "BV",
    "repeat": "BV",
    "BitVec": "BV",
    "int_to_bv": "BV",
    "int2bv": "BV",
    "nat2bv": "BV",
    "ubv_to_int": "BV",
    "sbv_to_int": "BV",
    "select": "ARRAY",
    "store": "ARRAY",
    "Array": "ARRAY",
    "forall": "QUANT",
    "exists": "QUANT",
    "lambda": "QUANT",
    "Int": "INT",
    "div": "INT",
    "mod": "INT",
    "Real": "REAL",
    "to_real": "REAL",
    "to_int": "REAL",
    "is_int": "REAL",
    "/": "REAL",
    "String": "STRING",
    "RegLan": "STRING",
    "RoundingMode": "FP",
    "Seq": "SEQ",
    "Set": "SET",
    "Bag": "BAG",
    "Tuple": "DT",
    "declare-datatypes": "DT",
    "declare-datatype": "DT",
    "declare-fun": "UF",
    "define-funs-rec": "UF",
    "define-fun-rec": "UF",
    "to_fp": "FP",
    "to_fp_unsigned": "FP",
}
_QUOTED = re.compile(r""""[^"]*"|\|[^|]*\|""")
_CONSTANT = re.compile(r"\(\s*declare-fun\s+\S+\s*\(\s*\)")


def theories(text: str) -> tuple[str, ...]:
    """Return the sorted names of the theories, or `BOOL` if there is no other."""
    text = _CONSTANT.sub("(declare-const c", _QUOTED.sub("c", text))
    found = {_theory(head or word) for head, word in set(_WORDS.findall(text))}
    return tuple(sorted(found - {""})) or ("BOOL",)


def _theory(word: str) -> str:
    known = _THEORIES.get(word)
    if known is not None:
        return known
    if word.startswith("Float"):
        return "FP"
    prefix, dot, _ = word.partition(".")
    return _PREFIXES.get(prefix, "") if dot else "BV" if word.startswith("bv") else ""
