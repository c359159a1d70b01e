; made by murxpy from a trace of cvc5 1.4.2-modified
(set-info :smt-lib-version 2.7)
(set-info :category "random")
(set-info :status sat)
(set-logic BV)
(assert (exists ((_v34 Bool)) (xor (exists ((_v21 Bool)) _v21) _v34)))
(check-sat)
(exit)
