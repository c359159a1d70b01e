; made by murxpy from a trace of cvc5 1.4.2-modified
(set-info :smt-lib-version 2.7)
(set-info :category "random")
(set-info :status unsat)
(set-logic QF_LRA)
(declare-const _x1 Real)
(assert (<= _x1 (- 1.0) (- (/ 4391.0 50.0)) _x1))
(check-sat)
(exit)
