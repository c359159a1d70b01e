; made by murxpy from a trace of cvc5 1.4.2-modified
(set-info :smt-lib-version 2.7)
(set-info :category "random")
(set-info :status unsat)
(set-logic QF_FP)
(declare-const |_x3"| RoundingMode)
(assert (let ((l1 (fp.mul |_x3"| (fp #b0 #b10 #b0) (fp #b0 #b01 #b0)))) (fp.gt (fp #b0 #b10 #b0) l1 l1 (fp #b0 #b10 #b0))))
(check-sat)
(exit)
