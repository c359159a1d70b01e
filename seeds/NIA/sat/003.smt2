; made by murxpy from a trace of z3 5.4.0
(set-info :smt-lib-version 2.7)
(set-info :category "random")
(set-info :status sat)
(set-logic NIA)
(declare-const _x3 Int)
(assert (distinct (forall ((_v18 Int) (_v19 Bool)) (=> (< _v18 (+ (- 1) _x3)) (= (mod (mod (- 4682699556113688649421043639940) _v18) 2) 0))) (< (- 4682699556113688649421043639940) (- 1))))
(check-sat)
(exit)
