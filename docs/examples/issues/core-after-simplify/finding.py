# cvc5 1.4.2 aborts: Fatal failure within std::shared_ptr<cvc5::internal::ProofNode> cvc5::internal::ProofNodeManager::mkScope(std::shared_ptr<cvc5::internal::ProofNode>, std::ve...
# Exits with 1 where this defect is, with 0 where all calls return, with 2 where one raises an exception.
# Shows on cvc5 1.0.7..1.4.2
import signal, sys
import cvc5
from cvc5 import Kind
from multiprocessing import Process


def calls():
    tm = cvc5.TermManager()
    solver = cvc5.Solver(tm)
    solver.setOption("produce-unsat-cores", "true")
    a = tm.mkConst(tm.getBooleanSort(), "a")
    solver.assertFormula(a)
    solver.checkSatAssuming(tm.mkTerm(Kind.NOT, a))
    solver.simplify(a)
    solver.getUnsatCore()


if __name__ == "__main__":
    child = Process(target=calls)
    child.start()
    child.join()
    code = child.exitcode
    if code == 1:
        print("a call raised an exception; the defect is mended if that was the last call")
        sys.exit(2)
    ended = "no signal" if code == 0 else signal.Signals(-code).name if code < 0 else f"exit code {code}"
    print("expected no signal, got", ended)
    sys.exit(0 if code == 0 else 1)
