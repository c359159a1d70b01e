; z3 5.4.0: the answer unsat is wrong
; Run as: z3 FILE
; It prints: unsat
; It should print: sat
(set-logic ALL)
(declare-const a (_ BitVec 1))
(assert (= (str.from_ubv a) "1"))
(check-sat) ; unsat
(exit)
