; z3 5.4.1: the answer unsat is wrong
; Run as: z3 FILE
; In a virtual environment, 'pip install z3-solver' makes z3 as bin/z3
; It prints: unsat
; It should print: sat, as it answers where (= a #b1) is asserted
; Shows on z3 4.8.13..5.4.1; it cannot be told of 4.8.7, 4.8.8, 4.8.9, 4.8.10 and 2 more
(set-logic ALL)
(declare-const a (_ BitVec 1))
(assert (= (str.from_ubv a) "1"))
(check-sat) ; unsat
(reset)
(set-logic ALL)
(declare-const a (_ BitVec 1))
(assert (= (str.from_ubv a) "1"))
(assert (= a #b1))
(check-sat)
(exit)
