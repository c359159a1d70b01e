# z3 5.4.1 answers unsat, and the right answer is sat.
# Exits with 1 where this defect is, with 0 where it is mended, with 2 where neither can be said.
# Shows on z3 4.8.13..5.4.1; it cannot be told of 4.8.7, 4.8.8, 4.8.9, 4.8.10 and 2 more
import os, sys
from z3 import *
sys.excepthook = lambda *e: (sys.__excepthook__(*e), print("cannot be told:", e[1], flush=True), os._exit(2))

s = Solver()
a = BitVec("a", 1)
t1 = SeqRef(Z3_mk_ubv_to_str(a.ctx_ref(), a.as_ast())) == StringVal("1")
s.add(t1)
answer = str(s.check())
if answer != "unsat":
    print("expected sat, got", answer)
    sys.exit(0 if answer == "sat" else 2)
# With these values of the constants, all assertions are true.
a_value = BitVecVal(1, 1)
values = [str(simplify(substitute(t1, (a, a_value))))]
print("expected sat, because the assertions are", values, "for values of the constants, got unsat")
sys.exit(1 if set(values) == {"True"} else 2)
