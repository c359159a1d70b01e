"""Which function reads the line of which action."""

from __future__ import annotations

from murxpy.machine import inspect
from murxpy.trace import askers, makers, misuse, witnesses
from murxpy.trace.askers import Reader

READERS: dict[str, Reader] = {
    "new": askers.new,
    "delete": askers.delete,
    "set-logic": askers.set_logic,
    "set-option": askers.set_option,
    "mk-sort": makers.mk_sort,
    "instantiate-sort": makers.instantiate_sort,
    "mk-const": makers.mk_const,
    "mk-var": makers.mk_var,
    "mk-value": makers.mk_value,
    "mk-special-value": makers.mk_special,
    "mk-term": makers.mk_term,
    "mk-fun": makers.mk_fun,
    "assert-formula": askers.assert_formula,
    "assert-tracked": askers.assert_tracked,
    "set-limit": askers.set_limit,
    "check-sat": askers.check_sat,
    "check-sat-assuming": askers.check_sat_assuming,
    "get-value": askers.get_value,
    "get-value-completion": askers.get_value,
    "get-model": askers.query,
    "print-model": askers.query,
    "get-unsat-core": askers.query,
    "get-unsat-assumptions": askers.query,
    "get-assertions": askers.query,
    "get-info": askers.query,
    "reason-unknown": askers.query,
    "statistics": askers.query,
    "push": askers.push,
    "pop": askers.pop,
    "reset": askers.reset,
    "reset-assertions": askers.reset_assertions,
    "term-get-children": askers.on_terms(1),
    "simplify": askers.on_terms(1),
    "substitute": askers.on_terms(3),
    "run-script": askers.run_script,
    "expect": askers.expect,
    "check-sort": askers.check_sort,
    "check-term": askers.check_object(inspect.check_term),
    "check-value": askers.check_object(inspect.check_value),
    "check-eq": askers.check_object(inspect.check_eq),
    "check-model": witnesses.check_model,
    "evaluate": witnesses.evaluate_model,
    "check-values": witnesses.check_values,
    "check-core": witnesses.check_core,
    "check-invariant": witnesses.check_invariant,
    "check-assumptions": witnesses.check_assumptions,
    "del": askers.drop,
    "gc": askers.collect,
}
READERS["misuse"] = misuse.reader(READERS, askers.own)
