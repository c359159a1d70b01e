; made by murxpy from a trace of cvc5 1.4.2-modified
(set-info :smt-lib-version 2.7)
(set-info :category "random")
(set-info :status sat)
(set-logic NIA)
(declare-const _x0 Int)
(assert (or (>= 1 _x0 (div (- 1) _x0)) (exists ((_v1 Int)) (= _v1 1 (ite (< _x0 (- 1)) (- 1) _v1) _v1 _x0))))
(check-sat)
(exit)
