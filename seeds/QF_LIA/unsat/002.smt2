; made by murxpy from a trace of cvc5 1.4.2-modified
(set-info :smt-lib-version 2.7)
(set-info :category "random")
(set-info :status unsat)
(set-logic QF_LIA)
(declare-const _x2? Int)
(assert (< 6 857335533913371 857335533913371 _x2?))
(check-sat)
(exit)
