"""Transcendental functions. Their values can be said at the few points where they are algebraic,
and for all square roots.

By the theorem of Lindemann and Weierstrass, exp, sin, cos and tan of any algebraic number except 0
are transcendental, and so are the angles.
"""

from __future__ import annotations

from fractions import Fraction

from murxpy.semantics.exact.algebraic import Real, root
from murxpy.semantics.registry import Site, meaning
from murxpy.semantics.values import CannotSay, Value

# Of each function, the arguments at which it has a rational value, with that value. The square root
# has many such arguments and is not listed.
EXACT = {
    "OP_TRANS_EXP": {0: 1},
    "OP_TRANS_SINE": {0: 0},
    "OP_TRANS_COSINE": {0: 1},
    "OP_TRANS_TANGENT": {0: 0},
    "OP_TRANS_SECANT": {0: 1},
    "OP_TRANS_ARCSINE": {0: 0},
    "OP_TRANS_ARCCOSINE": {1: 0},
    "OP_TRANS_ARCTANGENT": {0: 0},
    "OP_TRANS_ARCSECANT": {1: 0},
    "OP_TRANS_COSECANT": {},
    "OP_TRANS_COTANGENT": {},
    "OP_TRANS_ARCCOSECANT": {},
    "OP_TRANS_ARCCOTANGENT": {},
    "OP_TRANS_SINH": {0: 0},
    "OP_TRANS_COSH": {0: 1},
    "OP_TRANS_TANH": {0: 0},
    "OP_TRANS_ARSINH": {0: 0},
    "OP_TRANS_ARCOSH": {1: 0},
    "OP_TRANS_ARTANH": {0: 0},
}


@meaning(*EXACT)
def _exact(site: Site, value: Real) -> Value:
    for point, result in EXACT[site.kind].items():
        if value == point:
            return Fraction(result)
    raise CannotSay(f"{site.kind} of {value}")


@meaning("OP_TRANS_PI", "OP_TRANS_EULER")
def _number(site: Site) -> Value:
    raise CannotSay(f"{site.kind} is transcendental")


@meaning("OP_TRANS_SQRT", open="a negative number: any real")
def _sqrt(site: Site, value: Real) -> Value:
    return root(value, 2) if value >= 0 else site.open((value,))
