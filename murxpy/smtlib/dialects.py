"""What each dialect calls operators, sorts and special values. Data only.

A spelling is a name, or an expression over `{0}` (an argument), `{*}` (all of them), `{i0}` (an
index), `{sort}` (the sort of the result), `{sort0}` (that of an argument) and `{elem0}` (its first
parameter); `KIND/0` is the spelling without arguments. Operators that are no extension have the
standard's name unless they stand here.
"""

from __future__ import annotations

import re

from murxpy.logic.catalogue import Operator

DIALECTS = ("standard", "z3", "cvc5")

# What the standard calls by no name, or by one that does not say all; extensions by their
# definition in terms of the standard.
STANDARD: dict[str, str] = {
    "OP_CONST_ARRAY": "((as const {sort}) {0})",
    "OP_INT_IS_DIV": "(= (mod {0} {i0}) 0)",  # z3 does not know `divisible`
    "OP_FORALL_PATTERN": "forall",
    "OP_EXISTS_PATTERN": "exists",
    "OP_BV_INC": "(bvadd {0} (_ bv1 {p0}))",
    "OP_BV_DEC": "(bvsub {0} (_ bv1 {p0}))",
    "OP_BV_BIT": "(= ((_ extract {i0} {i0}) {0}) #b1)",
    "OP_BV_REDAND": "(bvcomp {0} (bvnot (_ bv0 {width0})))",
    "OP_BV_REDOR": "(bvnot (bvcomp {0} (_ bv0 {width0})))",
    "OP_BV_ULTBV": "(ite (bvult {0} {1}) #b1 #b0)",
    "OP_BV_SLTBV": "(ite (bvslt {0} {1}) #b1 #b0)",
    "OP_BV_ITE": "(ite (= {0} #b1) {1} {2})",
    # The width as a literal of itself: n < 2^n.
    "OP_BV_EXT_ROTATE_LEFT": "(bvor (bvshl {0} (bvurem {1} (_ bv{p0} {p0})))"
    " (bvlshr {0} (bvsub (_ bv{p0} {p0}) (bvurem {1} (_ bv{p0} {p0})))))",
    "OP_BV_EXT_ROTATE_RIGHT": "(bvor (bvlshr {0} (bvurem {1} (_ bv{p0} {p0})))"
    " (bvshl {0} (bvsub (_ bv{p0} {p0}) (bvurem {1} (_ bv{p0} {p0})))))",
    "OP_INT_DIV_TOTAL": "(ite (= {1} 0) 0 (div {0} {1}))",
    "OP_INT_MOD_TOTAL": "(ite (= {1} 0) {0} (mod {0} {1}))",
    "OP_INT_IAND": "(ubv_to_int (bvand ((_ int_to_bv {i0}) {0}) ((_ int_to_bv {i0}) {1})))",
    "OP_REAL_ABS": "(ite (< {0} 0.0) (- {0}) {0})",
    "OP_REAL_DIV_TOTAL": "(ite (= {1} 0.0) 0.0 (/ {0} {1}))",
    "OP_STR_FROM_UBV": "(str.from_int (ubv_to_int {0}))",
    "OP_STR_FROM_SBV": '(ite (bvslt {0} (_ bv0 {width0})) (str.++ "-" (str.from_int (- (sbv_to_int {0}))))'
    " (str.from_int (sbv_to_int {0})))",
    "OP_AT_MOST": "(<= {count} {i0})",
    "OP_AT_LEAST": "(>= {count} {i0})",
    "OP_PB_LE": "(<= {weighed} {i0})",
    "OP_PB_GE": "(>= {weighed} {i0})",
    "OP_PB_EQ": "(= {weighed} {i0})",
    "OP_DT_APPLY_UPDATER": "(ite {tested} {rebuilt} {0})",
}

# Sorts that those definitions use and the operator's arguments do not show.
USED_SORTS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(
        (
            "OP_AT_MOST",
            "OP_AT_LEAST",
            "OP_PB_LE",
            "OP_PB_GE",
            "OP_PB_EQ",
            "OP_STR_FROM_UBV",
            "OP_STR_FROM_SBV",
        ),
        ("SORT_INT",),
    ),
    "OP_INT_IAND": ("SORT_BV",),
}

# Extensions that a dialect calls what `fsm/theories` calls them.
_SAME_Z3 = """
    OP_BV_EXT_ROTATE_LEFT OP_BV_EXT_ROTATE_RIGHT OP_BV_REDAND OP_BV_REDOR OP_INT_POW OP_INT_REM OP_REAL_POW OP_REAL_ABS
    OP_ARRAY_DEFAULT OP_ARRAY_EXT OP_ARRAY_LAMBDA OP_SEQ_CONCAT OP_SEQ_LENGTH OP_SEQ_AT OP_SEQ_EXTRACT OP_SEQ_PREFIX
    OP_SEQ_SUFFIX OP_SEQ_CONTAINS OP_SEQ_INDEXOF OP_SEQ_LAST_INDEXOF OP_SEQ_REPLACE OP_SEQ_REPLACE_ALL OP_SEQ_UNIT OP_SEQ_NTH
    OP_STR_FROM_UBV OP_STR_FROM_SBV OP_FP_TO_IEEE_BV OP_AT_MOST OP_AT_LEAST OP_PB_LE OP_PB_GE OP_PB_EQ
    OP_FINITE_FIELD_NEG OP_FINITE_FIELD_ADD OP_FINITE_FIELD_MULT OP_FINITE_FIELD_BITSUM
    OP_FP_TO_FP_FROM_INT_REAL OP_SEQ_MAP OP_LAMBDA
    OP_TRANS_EXP OP_TRANS_SINE OP_TRANS_COSINE OP_TRANS_TANGENT
    OP_TRANS_EULER OP_TRANS_SINH OP_TRANS_COSH OP_TRANS_TANH OP_TRANS_ARSINH OP_TRANS_ARCOSH OP_TRANS_ARTANH
    """
_SAME_CVC5 = """
    OP_INT_PIAND OP_INT_IAND OP_INT_POW2 OP_INT_LOG2 OP_REAL_ABS
    OP_TRANS_PI OP_TRANS_EXP OP_TRANS_SQRT OP_TRANS_SINE OP_TRANS_COSINE OP_TRANS_TANGENT OP_TRANS_COSECANT OP_TRANS_SECANT
    OP_TRANS_COTANGENT OP_TRANS_ARCSINE OP_TRANS_ARCCOSINE OP_TRANS_ARCTANGENT OP_TRANS_ARCCOSECANT OP_TRANS_ARCSECANT
    OP_TRANS_ARCCOTANGENT OP_BV_REDAND OP_BV_REDOR OP_BV_ITE OP_EQ_RANGE OP_EQ_RANGE_INT
    OP_STR_REV OP_STR_TOLOWER OP_STR_TOUPPER OP_STR_UPDATE OP_STR_INDEXOF_RE
    OP_SEQ_CONCAT OP_SEQ_LENGTH OP_SEQ_EXTRACT OP_SEQ_UPDATE OP_SEQ_AT OP_SEQ_CONTAINS OP_SEQ_INDEXOF OP_SEQ_REPLACE
    OP_SEQ_REPLACE_ALL OP_SEQ_REV OP_SEQ_PREFIX OP_SEQ_SUFFIX OP_SEQ_UNIT OP_SEQ_NTH OP_LAMBDA
    OP_FINITE_FIELD_NEG OP_FINITE_FIELD_ADD OP_FINITE_FIELD_MULT OP_FINITE_FIELD_BITSUM
    OP_SET_UNION OP_SET_INTERSECTION OP_SET_MINUS OP_SET_COMPLEMENT OP_SET_MEMBER OP_SET_SUBSET OP_SET_SINGLETON OP_SET_INSERT
    OP_SET_CARD OP_SET_CHOOSE OP_SET_IS_EMPTY OP_SET_IS_SINGLETON OP_SET_COMPREHENSION OP_SET_ALL OP_SET_SOME OP_SET_FILTER
    OP_SET_MAP OP_SET_FOLD OP_BAG_UNION_MAX OP_BAG_UNION_DISJOINT OP_BAG_INTERSECTION_MIN OP_BAG_DIFFERENCE_SUBTRACT
    OP_BAG_DIFFERENCE_REMOVE OP_BAG_SUBBAG OP_BAG_COUNT OP_BAG_MEMBER OP_BAG_DUPLICATE_REMOVAL OP_BAG_MAKE OP_BAG_CARD
    OP_BAG_CHOOSE OP_BAG_MAP OP_BAG_FILTER OP_BAG_FOLD OP_TUPLE_SELECT OP_REL_JOIN OP_REL_PRODUCT OP_REL_TRANSPOSE
    OP_REL_TCLOSURE OP_REL_IDEN OP_REL_JOIN_IMAGE OP_REL_TABLE_JOIN OP_REL_PROJECT OP_REL_GROUP OP_REL_AGGREGATE
    OP_TABLE_PRODUCT OP_TABLE_JOIN OP_TABLE_PROJECT OP_TABLE_GROUP OP_TABLE_AGGREGATE
    OP_NULLABLE_SOME OP_NULLABLE_VAL OP_NULLABLE_IS_NULL OP_NULLABLE_IS_SOME OP_NULLABLE_LIFT OP_NULLABLE_LIFT2 OP_NULLABLE_LIFT3
    """

_EMPTY_Z3 = "((as const {sort}) false)"
SPELLED: dict[str, dict[str, str]] = {
    "standard": STANDARD,
    "z3": STANDARD
    | {
        "OP_BV_BIT": "((_ bit2bool {i0}) {0})",
        "OP_TRANS_PI": "pi",
        "OP_TRANS_ARCSINE": "(asin {0})",
        "OP_TRANS_ARCCOSINE": "(acos {0})",
        "OP_TRANS_ARCTANGENT": "(atan {0})",
        "OP_ARRAY_MAP": "((_ map {0}) {1})",
        "OP_ARRAY_MAP2": "((_ map {0}) {1} {2})",
        "OP_STR_LAST_INDEXOF": "(seq.last_indexof {0} {1})",
        # Of a function of two arguments, where ours is an array of arrays.
        "OP_SEQ_FOLDL": "(seq.foldl (lambda ((fold!b {sort1}) (fold!a {elem2})) (select (select {0} fold!b) fold!a)) {1} {2})",
        "OP_SET_UNION": "(union {0} {1})",
        "OP_SET_INTERSECTION": "(intersection {0} {1})",
        "OP_SET_MINUS": "(setminus {0} {1})",
        "OP_SET_COMPLEMENT": "(complement {0})",
        "OP_SET_MEMBER": "(select {1} {0})",
        "OP_SET_SUBSET": "(subset {0} {1})",
        "OP_SET_SINGLETON": "(store ((as const {sort}) false) {0} true)",
        "OP_SET_INSERT": "(store {1} {0} true)",
        "OP_SET_DELETE": "(store {1} {0} false)",
        "OP_SET_IS_EMPTY": "(= {0} ((as const {sort0}) false))",
        "OP_DT_APPLY_UPDATER": "((_ update-field {selector}) {0} {1})",
    },
    "cvc5": STANDARD
    | {
        "OP_HO_APPLY": "(@ {0} {1})",
        "OP_TUPLE": "(tuple {*})",
        "OP_TUPLE/0": "tuple.unit",
        "OP_INT_IS_DIV": "((_ divisible {i0}) {0})",
        "OP_INT_POW": "(^ {0} {1})",
        "OP_REAL_POW": "(^ {0} {1})",
        "OP_INT_DIV_TOTAL": "(div_total {0} {1})",
        "OP_INT_MOD_TOTAL": "(mod_total {0} {1})",
        "OP_REAL_DIV_TOTAL": "(/_total {0} {1})",
        "OP_SET_DELETE": "(set.minus {1} (set.singleton {0}))",
        "OP_DT_APPLY_UPDATER": "((_ update {selector}) {0} {1})",
    },
}
SAME: dict[str, frozenset[str]] = {
    "standard": frozenset(("OP_FORALL_PATTERN", "OP_EXISTS_PATTERN", "OP_LAMBDA")),
    "z3": frozenset(re.findall(r"\w+", _SAME_Z3)),
    "cvc5": frozenset(re.findall(r"\w+", _SAME_CVC5)),
}

# Chainable in the standard, of two arguments in solvers.
BINARY = ("OP_STR_LT", "OP_STR_LE")

# Sorts beyond the standard's; the parameters follow the name.
SORTS: dict[str, dict[str, str]] = {
    "standard": {},
    "z3": {"SORT_SET": "(Set {0})", "SORT_SEQ": "(Seq {0})", "SORT_FF": "(_ FiniteField {p0})"},
    "cvc5": {
        "SORT_SET": "(Set {0})",
        "SORT_BAG": "(Bag {0})",
        "SORT_SEQ": "(Seq {0})",
        "SORT_TUPLE": "(Tuple {*})",
        "SORT_TUPLE/0": "UnitTuple",
        "SORT_NULLABLE": "(Nullable {0})",
        "SORT_FF": "(_ FiniteField {p0})",
    },
}
STANDARD_SORTS = (
    "SORT_BOOL",
    "SORT_BV",
    "SORT_INT",
    "SORT_REAL",
    "SORT_FP",
    "SORT_RM",
    "SORT_STRING",
    "SORT_REGLAN",
    "SORT_ARRAY",
    "SORT_FUN",
    "SORT_UNINTERPRETED",
    "SORT_DT",
    "SORT_PARAM",
)

SPECIAL: dict[str, dict[str, str]] = {
    "standard": {},
    "z3": {
        "seq.empty": "(as seq.empty {sort})",
        "set.empty": _EMPTY_Z3,
        "set.universe": "((as const {sort}) true)",
    },
    "cvc5": {
        "seq.empty": "(as seq.empty {sort})",
        "set.empty": "(as set.empty {sort})",
        "set.universe": "(as set.universe {sort})",
        "bag.empty": "(as bag.empty {sort})",
        "nullable.null": "(as nullable.null {sort})",
    },
}
STANDARD_SPECIAL: dict[str, str] = {
    "fp.nan": "(_ NaN {p0} {p1})",
    "fp.+oo": "(_ +oo {p0} {p1})",
    "fp.-oo": "(_ -oo {p0} {p1})",
    "fp.+zero": "(_ +zero {p0} {p1})",
    "fp.-zero": "(_ -zero {p0} {p1})",
    "rm.rne": "RNE",
    "rm.rna": "RNA",
    "rm.rtn": "RTN",
    "rm.rtp": "RTP",
    "rm.rtz": "RTZ",
}

# Options without which cvc5 refuses some theories, by what needs them.
EXPERIMENTAL = {
    "SORT_ARRAY": "arrays-exp",
    "SORT_FP": "fp-exp",
    "SORT_SEQ": "strings-exp",
    "SORT_SET": "sets-exp",
    "SORT_STRING": "strings-exp",
}


# Operators with a name of their own that a dialect prints by an expression all the same, beside
# those of STANDARD.
_NAMELESS: dict[str, tuple[str, ...]] = {
    "standard": ("OP_BV_REDXOR",),
    "z3": ("OP_BV_REDXOR", "OP_SET_IS_EMPTY"),
    "cvc5": ("OP_BV_REDXOR", "OP_SET_DELETE"),
}
# of STANDARD: these are no definitions
_NAMED = ("OP_CONST_ARRAY", "OP_FORALL_PATTERN", "OP_EXISTS_PATTERN")

# The spellings in the wrappers that make the very expression by which a dialect prints an operator:
# there the script is the formula that the solver got.
AS_SPELLED: dict[str, tuple[str, ...]] = {
    "OP_BV_INC": ("py", "add"),
    "OP_BV_DEC": ("py", "sub"),
    "OP_BV_BIT": ("extract",),
    "OP_BV_REDXOR": ("xor",),
    "OP_INT_IS_DIV": ("mod",),
    "OP_FP_FP": ("to-fp",),
    "OP_SET_DELETE": ("minus",),
    "OP_SET_IS_EMPTY": ("equal",),
}


def expanded(kind: str, dialect: str) -> bool:
    """True if a dialect prints an operator by an expression that says the same, for want of a name."""
    if kind in _NAMELESS[dialect]:
        return True
    definition = STANDARD.get(kind) if kind not in _NAMED and kind not in SAME[dialect] else None
    return definition is not None and SPELLED[dialect][kind] == definition


def sayable(operator: Operator, dialect: str) -> bool:
    """True if a dialect has a name for an operator."""
    return (
        not operator.extension
        or operator.kind in SAME[dialect]
        or operator.kind in SPELLED[dialect]
    )


def defined(operator: Operator, dialect: str) -> bool:
    """True if a dialect prints an extension by its definition in the standard."""
    kind = operator.kind
    return (
        kind in STANDARD and kind not in SAME[dialect] and SPELLED[dialect][kind] == STANDARD[kind]
    )
