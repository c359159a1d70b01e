; made by murxpy from a trace of cvc5 1.4.2-modified
(set-info :smt-lib-version 2.7)
(set-info :category "random")
(set-info :status unsat)
(set-logic QF_FP)
(declare-const _x1 RoundingMode)
(assert (fp.leq (fp #b0 #b01 #b0) ((_ to_fp 2 2) _x1 (fp #b0 #b00100101100 #b0011101001001000101001010001100010110110001100110111))))
(check-sat)
(exit)
