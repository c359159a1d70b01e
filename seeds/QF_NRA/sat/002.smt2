; made by murxpy from a trace of cvc5 1.4.2-modified
(set-info :smt-lib-version 2.7)
(set-info :category "random")
(set-info :status sat)
(set-logic QF_NRA)
(declare-const _x0 Real)
(assert (let ((l1 (= (/ 7.0 5.0) 0.0)) (l2 (= _x0 0.0))) (< (ite l1 0.0 (/ (ite l2 0.0 (/ (ite l2 0.0 (/ (ite l1 0.0 (/ (ite l1 0.0 (/ (ite l2 0.0 (/ (ite l1 0.0 (/ (ite l1 0.0 (/ (ite l2 0.0 (/ (ite l1 0.0 (/ (ite l1 0.0 (/ (ite l1 0.0 (/ (ite l1 0.0 (/ (/ 7.0 5.0) (/ 7.0 5.0))) (/ 7.0 5.0))) (/ 7.0 5.0))) (/ 7.0 5.0))) _x0)) (/ 7.0 5.0))) (/ 7.0 5.0))) _x0)) (/ 7.0 5.0))) (/ 7.0 5.0))) _x0)) _x0)) (/ 7.0 5.0))) _x0)))
(check-sat)
(exit)
