; made by murxpy from a trace of cvc5 1.4.2-modified
(set-info :smt-lib-version 2.7)
(set-info :category "random")
(set-info :status sat)
(set-logic QF_S)
(assert (let ((l1 (re.range "f" "2")) (l2 (re.diff re.all re.all)) (l3 (re.range "a" "\u{9c}")) (l4 (re.union re.all re.all))) (let ((l5 (re.union l3 l4))) (str.in_re "b" (re.opt (re.union re.allchar (re.inter (re.union l1 re.all l1 l2 l1 l5 (re.+ l4) l3 l3 l3 l1 l2) l5)))))))
(check-sat)
(exit)
