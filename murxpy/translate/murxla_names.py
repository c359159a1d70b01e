"""The names that Murxla's file format has. Some of them contain the name of a solver; they are
names of the format, whatever solvers murxpy knows.
"""

from __future__ import annotations

import re

# The operators that belong to no solver. The cases of a datatype are made on the way to a match.
_OPERATORS = """
    DISTINCT EQUAL ITE ARRAY_SELECT ARRAY_STORE AND OR NOT XOR IMPLIES IFF FORALL EXISTS BV_CONCAT BV_AND BV_OR BV_XOR
    BV_MULT BV_ADD BV_NOT BV_NEG BV_ASHR BV_COMP BV_LSHR BV_NAND BV_NOR BV_SDIV BV_SGE BV_SGT BV_SHL BV_SLE BV_SLT BV_SMOD
    BV_SREM BV_SUB BV_UDIV BV_UGE BV_UGT BV_ULE BV_ULT BV_UREM BV_XNOR BV_UBV_TO_INT BV_SBV_TO_INT BV_EXTRACT BV_REPEAT
    BV_ROTATE_LEFT BV_ROTATE_RIGHT BV_SIGN_EXTEND BV_ZERO_EXTEND DT_APPLY_CONS DT_APPLY_SEL DT_APPLY_TESTER DT_APPLY_UPDATER
    DT_MATCH FINITE_FIELD_NEG FINITE_FIELD_ADD FINITE_FIELD_MULT FP_ABS FP_ADD FP_DIV FP_EQ FP_FMA FP_FP FP_IS_NORMAL
    FP_IS_SUBNORMAL FP_IS_INF FP_IS_NAN FP_IS_NEG FP_IS_POS FP_IS_ZERO FP_LT FP_LEQ FP_GT FP_GEQ FP_MAX FP_MIN FP_MUL FP_NEG
    FP_REM FP_RTI FP_SQRT FP_SUB FP_TO_REAL FP_TO_FP_FROM_BV FP_TO_FP_FROM_SBV FP_TO_FP_FROM_FP FP_TO_FP_FROM_UBV
    FP_TO_FP_FROM_REAL FP_TO_SBV FP_TO_UBV INT_NEG INT_ABS INT_SUB INT_ADD INT_MUL INT_DIV INT_MOD INT_LT INT_LTE INT_GT
    INT_GTE INT_IS_DIV INT_TO_BV INT_TO_REAL SEQ_INDEXOF REAL_NEG REAL_SUB REAL_ADD REAL_MUL REAL_DIV REAL_LT REAL_LTE
    REAL_GT REAL_GTE REAL_IS_INT REAL_TO_INT STR_CONCAT STR_LT STR_TO_RE STR_LEN STR_IN_RE STR_LE STR_AT STR_SUBSTR
    STR_PREFIXOF STR_SUFFIXOF STR_CONTAINS STR_INDEXOF STR_REPLACE STR_REPLACE_ALL STR_REPLACE_RE STR_REPLACE_RE_ALL
    STR_IS_DIGIT STR_TO_CODE STR_FROM_CODE STR_TO_INT STR_FROM_INT RE_ALL RE_ALLCHAR RE_COMP RE_CONCAT RE_DIFF RE_INTER
    RE_NONE RE_OPT RE_PLUS RE_RANGE RE_STAR RE_UNION RE_POW RE_LOOP TRANS_PI TRANS_SINE TRANS_COSINE TRANS_TANGENT
    TRANS_COTANGENT TRANS_SECANT TRANS_COSECANT TRANS_ARCSINE TRANS_ARCCOSINE TRANS_ARCTANGENT TRANS_ARCCOSECANT
    TRANS_ARCSECANT TRANS_ARCCOTANGENT UF_APPLY BAG_UNION_MAX BAG_UNION_DISJOINT BAG_INTERSECTION_MIN
    BAG_DIFFERENCE_SUBTRACT BAG_DIFFERENCE_REMOVE BAG_SUBBAG BAG_COUNT BAG_DUPLICATE_REMOVAL BAG_MAKE BAG_CARD BAG_CHOOSE
    BAG_IS_SINGLETON BAG_FROM_SET BAG_TO_SET BAG_MAP SEQ_CONCAT SEQ_LENGTH SEQ_EXTRACT SEQ_UPDATE SEQ_AT SEQ_CONTAINS
    SEQ_REPLACE SEQ_REPLACE_ALL SEQ_REV SEQ_PREFIX SEQ_SUFFIX SEQ_UNIT SEQ_NTH SET_CARD SET_CHOOSE SET_COMPLEMENT
    SET_COMPREHENSION SET_INSERT SET_INTERSECTION SET_IS_SINGLETON SET_MEMBER SET_MINUS SET_UNION SET_SUBSET SET_SINGLETON
    DT_MATCH_CASE DT_MATCH_BIND_CASE
    """
OPERATORS = frozenset(f"OP_{name}" for name in re.findall(r"\w+", _OPERATORS))
# these take two arguments in Murxla, and two or more here
TWO = ("OP_XOR", "OP_STR_LT", "OP_STR_LE")

_SORTS = """
    SORT_ARRAY SORT_BAG SORT_BOOL SORT_BV SORT_DT SORT_FF SORT_FP SORT_FUN SORT_INT SORT_REAL
    SORT_REGLAN SORT_RM SORT_SEQ SORT_SET SORT_STRING SORT_UNINTERPRETED
"""
SORTS = tuple(_SORTS.split())

# Murxla's names of our actions. It has no names of assertions, since its unsat cores are of all of
# them.
_ACTIONS = """
    new delete set-logic set-option mk-sort instantiate-sort mk-const mk-var mk-value
    mk-special-value mk-term mk-fun assert-formula check-sat check-sat-assuming
    get-unsat-assumptions get-unsat-core get-value print-model push pop reset reset-assertions
    term-get-children
"""
ACTIONS = {
    **{name: name for name in _ACTIONS.split()},
    "assert-tracked": "assert-formula",
    "get-value-completion": "get-value",
}

# Murxla's names of the actions of a single solver, and whether a count stands before their terms.
SOLVER_ACTIONS: dict[str, dict[str, tuple[str, bool]]] = {
    "cvc5": {
        "simplify": ("cvc5-simplify", False),
        "substitute": ("cvc5-term-substitute", False),
        "cvc5-block-model": ("cvc5-block-model", False),
        "cvc5-block-model-values": ("cvc5-block-model-values", True),
        "cvc5-get-interpolant": ("cvc5-get-interpolant", False),
        "cvc5-get-abduct": ("cvc5-get-abduct", False),
        "cvc5-get-difficulty": ("cvc5-get-difficulty", False),
    }
}

# the option of a solver that limits the resources of a check
LIMITS = {"cvc5": "reproducible-resource-limit"}
