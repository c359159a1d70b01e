# cvc5 1.4.2-modified aborts: Fatal failure within std::shared_ptr<cvc5::internal::ProofNode> cvc5::internal::ProofNodeManager::mkScope(std::shared_ptr<cvc5::internal::ProofNode>, std::ve...
# Exits with 1 where this defect is, with 0 where all calls return, with 2 where one raises an exception.
import signal, sys
import cvc5
from multiprocessing import Process


def calls():
    tm = cvc5.TermManager()
    solver = cvc5.Solver(tm)
    solver.setOption("produce-unsat-cores", "true")
    t1 = tm.mkBoolean(False)
    answer = str(solver.checkSatAssuming(t1))
    solver.simplify(t1)
    solver.getUnsatCore()


if __name__ == "__main__":
    child = Process(target=calls)
    child.start()
    child.join()
    died = child.exitcode < 0
    print("expected no signal, got", signal.Signals(-child.exitcode).name if died else "none")
    sys.exit(1 if died else 0 if child.exitcode == 0 else 2)
