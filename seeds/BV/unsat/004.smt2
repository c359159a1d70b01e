; made by murxpy from a trace of cvc5 1.4.2-modified
(set-info :smt-lib-version 2.7)
(set-info :category "random")
(set-info :status unsat)
(set-logic BV)
(assert (forall ((_v19 (_ BitVec 6))) (bvnego _v19)))
(check-sat)
(exit)
