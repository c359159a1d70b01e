; made by murxpy from a trace of cvc5 1.4.2-modified
(set-info :smt-lib-version 2.7)
(set-info :category "random")
(set-info :status sat)
(set-logic BV)
(assert (exists ((_v6 Bool) (_v7 Bool)) _v6))
(check-sat)
(exit)
