; made by murxpy from a trace of cvc5 1.4.2-modified
(set-info :smt-lib-version 2.7)
(set-info :category "random")
(set-info :status sat)
(set-logic QF_UF)
(declare-const _x2 Bool)
(assert (not _x2))
(check-sat)
(exit)
