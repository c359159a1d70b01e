; z3 5.4.1: the assumptions that the solver gives as unsat agree with the assertions
; Run as: z3 FILE
; In a virtual environment, 'pip install z3-solver' makes z3 as bin/z3
; It prints: unsat, () for the unsat assumptions, and sat where only these are assumed
; It should print: assumptions that cannot all be true beside the assertions
; Shows on z3 4.8.7..5.4.1
(set-option :smt.core.minimize true)
(set-option :produce-unsat-cores true)
(set-option :produce-unsat-assumptions true)
(set-logic ALL)
(declare-const a Bool)
(check-sat-assuming (a (not a))) ; unsat
(get-unsat-core)
(get-unsat-assumptions)
(check-sat-assuming ())
(exit)
