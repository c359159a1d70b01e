"""The fake solver is right where no fault is planted."""

from __future__ import annotations

import subprocess
import sys

import pytest
from campaigns import FAKES

CHECK = """
import fakesolver as f
c = f.Context(); b = c.bool_sort(); p, q = c.mk_const(b, "p"), c.mk_const(b, "q")
s = f.Solver(c)
s.add(c.mk_op("and", [p, c.mk_op("not", [q])]))
assert s.check() == "sat" and s.value(p).name == "true" and s.value(q).name == "false"
s.push(); s.add(q); assert s.check() == "unsat"; s.pop(); assert s.check([q]) == "unsat" and s.check() == "sat"
"""


@pytest.mark.parametrize(
    "more, fault, code",
    [
        ("", "", 0),
        ("c.mk_const(b, 'abort')", "", -6),
        ("c.mk_op('or', [p])", "or:segfault", -11),
    ],
)
def test_fake_solver(more: str, fault: str, code: int) -> None:
    environment = {"PYTHONPATH": str(FAKES), "FAKESOLVER_FAULT": fault}
    done = subprocess.run(
        [sys.executable, "-c", CHECK + more], env=environment, check=False, stderr=subprocess.PIPE
    )
    assert done.returncode == code, done.stderr
