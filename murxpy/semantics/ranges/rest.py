"""The theories whose operators have no backward rules."""

from __future__ import annotations

from murxpy.semantics.ranges.backward import without

without(
    "a number counts each element of a bag, and operators add and compare these numbers",
    *(
        f"OP_BAG_{name}"
        for name in (
            "UNION_MAX",
            "UNION_DISJOINT",
            "INTERSECTION_MIN",
            "DIFFERENCE_SUBTRACT",
            "DIFFERENCE_REMOVE",
            "SUBBAG",
            "COUNT",
            "MEMBER",
            "DUPLICATE_REMOVAL",
            "MAKE",
            "CARD",
            "CHOOSE",
            "MAP",
            "FILTER",
            "FOLD",
            "IS_SINGLETON",
            "FROM_SET",
            "TO_SET",
        )
    ),
)
without(
    "a row of the result depends on rows of all arguments",
    *(
        f"OP_{name}"
        for name in (
            "REL_JOIN",
            "REL_PRODUCT",
            "REL_TRANSPOSE",
            "REL_TCLOSURE",
            "REL_IDEN",
            "REL_JOIN_IMAGE",
            "REL_TABLE_JOIN",
            "REL_PROJECT",
            "REL_GROUP",
            "REL_AGGREGATE",
            "TABLE_PRODUCT",
            "TABLE_JOIN",
            "TABLE_PROJECT",
            "TABLE_GROUP",
            "TABLE_AGGREGATE",
        )
    ),
)
without(
    "values are known at a few points only",
    *(
        f"OP_TRANS_{name}"
        for name in (
            "PI",
            "EXP",
            "SQRT",
            "SINE",
            "COSINE",
            "TANGENT",
            "COSECANT",
            "SECANT",
            "COTANGENT",
            "ARCSINE",
            "ARCCOSINE",
            "ARCTANGENT",
            "ARCCOSECANT",
            "ARCSECANT",
            "ARCCOTANGENT",
            "EULER",
            "SINH",
            "COSH",
            "TANH",
            "ARSINH",
            "ARCOSH",
            "ARTANH",
        )
    ),
)
