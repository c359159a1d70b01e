; cvc5 1.4.2-modified: the solver dies with SIGABRT: Fatal failure within
;   std::shared_ptr<cvc5::internal::ProofNode>
;   cvc5::internal::ProofNodeManager::mkScope(std::shared_ptr<cvc5::internal::ProofNode>,
;   std::vector<cvc5::internal::NodeTemplate<true> >&, bool, bool, cvc5::internal::Node) at
;   /project/src/proof/proof_node_manager.cpp:245 Unreachable code reached Generated a proof that
;   is not closed by the scope:
; Run as: the reader of the Python package cvc5
; This reader is cvc5.InputParser, whose commands are invoked one by one
; It prints: no answer to the last command: the process dies with SIGABRT
; It should print: that the process goes on
; Shows on cvc5 1.0.7..1.4.2
(set-option :produce-unsat-cores true)
(set-logic ALL)
(declare-const a Bool)
(assert a)
(check-sat-assuming ((not a))) ; unsat
(simplify a)
(get-unsat-core)
(exit)
