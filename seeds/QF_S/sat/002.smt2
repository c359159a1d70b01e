; made by murxpy from a trace of cvc5 1.4.2-modified
(set-info :smt-lib-version 2.7)
(set-info :category "random")
(set-info :status sat)
(set-logic QF_S)
(assert (str.in_re "b" re.allchar))
(check-sat)
(exit)
