; made by murxpy from a trace of cvc5 1.4.2-modified
(set-info :smt-lib-version 2.7)
(set-info :category "random")
(set-info :status unsat)
(set-logic BV)
(assert (forall ((_v11 Bool)) _v11))
(assert (forall ((_v11!1 Bool)) _v11!1))
(check-sat)
(exit)
