; made by murxpy from a trace of cvc5 1.4.2-modified
(set-info :smt-lib-version 2.7)
(set-info :category "random")
(set-info :status sat)
(set-logic QF_FP)
(declare-const _x2 (_ FloatingPoint 8 24))
(assert (fp.eq _x2 _x2 (fp #b0 #b00110110 #b11001011000001110100100) _x2))
(check-sat)
(exit)
