# z3 5.4.1 gives unsat assumptions that are satisfiable.
# Exits with 1 where this defect is, with 0 where it is mended, with 2 where neither can be said.
# Shows on z3 4.8.7..5.4.1
import os, sys
from z3 import *
sys.excepthook = lambda *e: (sys.__excepthook__(*e), print("cannot be told:", e[1], flush=True), os._exit(2))

s = Solver()
s.set("core.minimize", True)
a = Bool("a")
answer = str(s.check(a, Not(a)))
s.unsat_core()
if answer != "unsat":
    print("expected unsat and its core, got", answer)
    sys.exit(0 if answer == "sat" else 2)
core = list(s.unsat_core())
print("the core is", core)
# The core is solved alone.
again = Solver()
for part in core:
    again.add(part)
second = str(again.check())
print("expected unsat, got", second)
sys.exit({"unsat": 0, "sat": 1}.get(second, 2))
