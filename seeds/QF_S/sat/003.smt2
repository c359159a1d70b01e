; made by murxpy from a trace of cvc5 1.4.2-modified
(set-info :smt-lib-version 2.7)
(set-info :category "random")
(set-info :status sat)
(set-logic QF_S)
(declare-const _x2 String)
(assert (str.in_re _x2 re.allchar))
(check-sat)
(exit)
