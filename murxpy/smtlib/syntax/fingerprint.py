"""Guesses the theories of a script from the words in its text. The guess needs no reader, and
suffices to tell findings apart.
"""

from __future__ import annotations

import re

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
