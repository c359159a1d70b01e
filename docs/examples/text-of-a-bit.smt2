; z3 5.4.0: the answer unsat is wrong
; Run as: z3 FILE
; In a virtual environment, 'pip install z3-solver' makes z3 as bin/z3
; It prints: unsat
; It should print: sat
(set-logic ALL)
(declare-const a (_ BitVec 1))
(assert (= (str.from_ubv a) "1"))
(check-sat) ; unsat
(exit)
