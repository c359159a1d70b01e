"""Formulas, models and proofs that a solver makes of others: each planted defect is found once and
named; honest ones are not.
"""

from __future__ import annotations

import copy
from functools import partial
from typing import Any

import pytest
from toy import TOY, forked, live, replay

from murxpy.data import load_catalogue, load_machine, load_wrapper
from murxpy.fuzzers.setups import without_object
from murxpy.worker.session import Session


def rows(row: tuple[Any, ...]) -> str:
    return repr({"rows": [row], "roots": [0], "partial": {}}).replace("{", "{{").replace("}", "}}")


LINES = """new
mk-sort SORT_BOOL
 return s1
mk-sort SORT_INT
 return s2
mk-const s2 "x"
 return t1 s2
mk-value s2 "3"
 return t2 s2
mk-term OP_INT_LT SORT_BOOL 2 t1 t2
 return t3 s1
mk-const s1 "bad"
 return t4 s1
mk-term OP_EQUAL SORT_BOOL 2 t1 t2
 return t5 s1
mk-var s2 "v"
 return t6 s2
mk-term OP_INT_LT SORT_BOOL 2 t6 t1
 return t7 s1
mk-term OP_FORALL SORT_BOOL 2 t6 t7
 return t8 s1
assert-formula t3
"""
SAT = LINES + "check-sat\n"
UNSAT = LINES + "assert-formula t4\ncheck-sat\n"
# x is 1 in every model, what the solver makes has the value of `values`; with `bad` asserted
# nothing is satisfiable, nor is a `forall`.
READERS = {
    "model": rows(("int", 1)),
    "values": rows(("bool", True)),
    "interpolant": "'made'",
    "abduct": "'made'",
    "symbols": "[]",
    "eliminated": "'made'",
    "blocked": "{solver}.asserted.append('bad')",
    "proof": "None",
}
ACTIONS = {
    "check-sat": "'unsat' if any(t == 'bad' or t.startswith('(forall') for t in {solver}.asserted) else 'sat'"
}
FALSE = {"values": rows(("bool", False))}

# What is planted: sections that differ, the lines, the kind of the finding and a part of its
# message; None where nothing is wrong.
PLANTED: dict[str, tuple[dict[str, str], dict[str, str], str, str | None, str]] = {
    "honest interpolant": ({}, {}, UNSAT + "check-interpolant t4", None, ""),
    "not implied": (
        FALSE,
        {},
        UNSAT + "check-interpolant t4",
        "invalid-interpolant",
        "is not implied by the assertions",
    ),
    "implies too little": (
        {},
        {},
        UNSAT + "check-interpolant t3",
        "invalid-interpolant",
        "does not imply its goal",
    ),
    "a symbol of its own": (
        {"symbols": "['y']"},
        {},
        UNSAT + "check-interpolant t4",
        "invalid-interpolant",
        "do not share",
    ),
    "a symbol of one side": (
        {"symbols": "[0]"},
        {},
        UNSAT + "check-interpolant t4",
        "invalid-interpolant",
        "do not share",
    ),
    "a symbol of one side beside a defined function": (
        {"symbols": "[0]"},
        {},
        LINES
        + 'mk-fun "f" 1 t6 t7\n return t9 s3\nmk-term OP_UF_APPLY SORT_BOOL 2 t9 t1\n return t10 s1\n'
        "assert-formula t10\nassert-formula t4\ncheck-sat\ncheck-interpolant t4",
        None,
        "",
    ),
    "no interpolant": ({"interpolant": "None"}, {}, UNSAT + "check-interpolant t4", None, ""),
    "honest abduct": (FALSE, {}, SAT + "check-abduct t5", None, ""),
    "no explanation": (
        {},
        {},
        SAT + "check-abduct t5",
        "invalid-abduct",
        "does not imply its goal",
    ),
    "inconsistent": (
        {"abduct": "'bad'"},
        {},
        SAT + "check-abduct t5",
        "invalid-abduct",
        "contradicts the assertions",
    ),
    "honest elimination": ({}, {}, SAT + "check-elimination t3", None, ""),
    "not equivalent in a model": (
        FALSE,
        {},
        SAT + "check-elimination t3",
        "invalid-elimination",
        "not equivalent",
    ),
    "not equivalent by the solver's own answers": (
        {"value": "('bool', True)"},
        {},
        SAT + "check-elimination t8",
        "invalid-elimination",
        "not equivalent",
    ),
    "honest blocking": ({}, {}, SAT + "check-blocked 1 t1", None, ""),
    "nothing blocked": (
        {"blocked": "None", "values": rows(("int", 1))},
        {},
        SAT + "check-blocked 1 t1",
        "repeated-model",
        "given again",
    ),
    "honest proof": ({}, {}, UNSAT + "check-proof", None, ""),
    "a proof of something else": (
        {"proof": "'it ends in p'"},
        {},
        UNSAT + "check-proof",
        "invalid-proof",
        "it ends in p",
    ),
    "folded to another value": (
        {},
        {"simplify": "'7'"},
        LINES + "check-simplify t1",
        "invalid-simplify",
        "at a point",
    ),
}


def session(readers: dict[str, str], actions: dict[str, str]) -> Session:
    wrapper = copy.deepcopy(TOY)
    wrapper["actions"] |= ACTIONS | actions
    wrapper["readers"] |= READERS | readers
    return Session(
        {"catalogue": load_catalogue(), "machine": load_machine("default"), "wrapper": wrapper}
    )


@pytest.mark.parametrize("name", PLANTED)
def test_each_planted_defect_fires_once_and_names_its_class(name: str) -> None:
    readers, actions, lines, kind, message = PLANTED[name]
    planted = session(readers, actions)
    written, report = replay(planted, f"{lines}\ndelete\n")
    found = report["finding"]
    assert (found and found["kind"]) == kind, report
    assert not report["differences"] and not report["counts"].get("replay:refused"), report
    if found:
        assert found["tier"] == "solver" and message in found["message"]
        assert written.splitlines()[-1].split()[1].startswith(found["action"])
        assert replay(planted, written)[1]["finding"] == found


@pytest.mark.parametrize("line", ["check-interpolant t4", "check-interpolant t5", "check-proof"])
def test_a_line_whose_state_is_another_is_refused(line: str) -> None:
    report = replay(session({}, {}), f"{SAT}{line}\n")[1]
    assert report["finding"] is None and report["counts"]["replay:refused"] == 1


def test_what_is_asked_of_an_elimination_leaves_the_solver_of_the_run_alone() -> None:
    """cvc5 dies where it is asked for a core after a simplification, and the elimination, which is
    experimental, was blamed for it.
    """
    marking = session({}, {"simplify": "{solver}.asserted.append('bad') or {0}"})
    written, report = replay(marking, f"{SAT}check-elimination t3\ncheck-sat\n")
    assert report["finding"] is None and written.count("answer sat") == 2


LIVE = """# solver {solver} 1
new
mk-sort SORT_BOOL
 return s1
mk-sort SORT_INT
 return s2
mk-const s2 "x"
 return t1 s2
mk-const s2 "y"
 return t2 s2
mk-var s2 "v"
 return t3 s2
mk-term OP_INT_LT SORT_BOOL 2 t1 t3
 return t4 s1
mk-term OP_INT_LT SORT_BOOL 2 t3 t2
 return t5 s1
mk-term OP_AND SORT_BOOL 2 t4 t5
 return t6 s1
mk-term OP_EXISTS SORT_BOOL 2 t3 t6
 return t7 s1
mk-term OP_INT_LT SORT_BOOL 2 t1 t2
 return t8 s1
mk-term OP_INT_LT SORT_BOOL 2 t2 t1
 return t9 s1
assert-formula t8
check-sat
check-elimination t7
check-blocked 2 t1 t2
check-abduct t7
assert-formula t9
check-sat
check-interpolant t9
check-proof
"""


@pytest.mark.parametrize("solver", ["z3", "cvc5"])
def test_they_hold_on_live_solvers(solver: str) -> None:
    report = forked(partial(_unhurried, solver))
    assert report["status"] == "ok", report
    counts = {
        name: n for name, n in report["counts"].items() if name.startswith("check-") and ":" in name
    }
    held = {"check-elimination:held": 1, "check-proof:held": 1}
    if solver == "cvc5":
        held |= {"check-blocked:another": 1, "check-abduct:held": 1, "check-interpolant:held": 1}
    assert {name: counts.get(name) for name in held} == held, counts


def _unhurried(solver: str) -> dict[str, Any]:
    """The report of a replay in which no clock ends a search."""
    session = live(solver)
    if solver == "cvc5":
        session.wrapper.namespace["h"]._SEARCH.pop("tlimit-per")
    return replay(session, LIVE.format(solver=solver))[1]


def test_a_proof_of_z3_is_told_from_a_broken_one() -> None:
    assert forked(_z3_faults) == [
        None,
        "the proof asserts what was not asserted",
        "the proof does not end in false",
    ]


def _z3_faults() -> list[str | None]:
    import z3

    helpers = live("z3").wrapper.namespace["h"]
    ctx = z3.Context(proof=True)
    solver = z3.SimpleSolver(ctx)
    a, b = z3.Bools("a b", ctx)
    asserted = [z3.Or(a, b), z3.Or(a, z3.Not(b)), z3.Or(z3.Not(a), b), z3.Or(z3.Not(a), z3.Not(b))]
    solver.add(asserted)
    assert solver.check() == z3.unsat
    proof = solver.proof()
    return [
        helpers._fault(proof, asserted),
        helpers._fault(proof, asserted[:2]),
        helpers._fault(proof.arg(0), asserted),
    ]


def test_sequences_of_bytes_are_strings_in_old_releases(monkeypatch: pytest.MonkeyPatch) -> None:
    import z3

    guard = live("z3").wrapper.namespace["h"].is_no_string
    monkeypatch.setattr(z3, "get_version", lambda: (4, 8, 10, 0))
    assert [guard((), (), sort) for sort in ("SEQ(BV(8))", "SEQ(BV(7))")] == [False, True]
    monkeypatch.setattr(z3, "get_version", lambda: (4, 8, 11, 0))
    assert guard((), (), "SEQ(BV(8))")


def test_a_proof_of_cvc5_is_told_from_a_broken_one() -> None:
    assert forked(_cvc5_faults) == [
        None,
        "the proof assumes what was not asserted",
        "the proof has an open assumption",
    ]


def _cvc5_faults() -> list[str | None]:
    import cvc5
    from cvc5 import Kind

    helpers = live("cvc5").wrapper.namespace["h"]
    ctx = cvc5.TermManager()
    a = ctx.mkConst(ctx.getBooleanSort(), "a")
    asserted = [a, ctx.mkTerm(Kind.NOT, a)]
    solver = helpers._solver(ctx, 0, {"produce-proofs": "true"}, asserted)
    assert solver.checkSat().isUnsat()
    (proof,) = solver.getProof()
    within = proof.getChildren()[0].getChildren()[0]
    return [
        helpers._fault(proof, asserted),
        helpers._fault(proof, asserted[:1]),
        helpers._fault(within, asserted),
    ]


def test_quantifiers_are_eliminated_where_cvc5_documents_it_only() -> None:
    assert forked(_eliminations) == {"linear": True, "bits": True, "product": False, "set": False}


def _eliminations() -> dict[str, bool]:
    import cvc5
    from cvc5 import Kind

    helpers = live("cvc5").wrapper.namespace["h"]
    ctx = cvc5.TermManager()
    number, bits = ctx.getIntegerSort(), ctx.mkBitVectorSort(2)
    v, w = ctx.mkVar(number, "v"), ctx.mkVar(bits, "w")
    a, b, c = (
        ctx.mkConst(number, "a"),
        ctx.mkConst(bits, "b"),
        ctx.mkConst(ctx.mkSetSort(bits), "c"),
    )
    bodies = {
        "linear": (v, ctx.mkTerm(Kind.LT, ctx.mkTerm(Kind.MULT, v, ctx.mkInteger(2)), a)),
        "bits": (w, ctx.mkTerm(Kind.BITVECTOR_ULT, w, b)),
        "product": (v, ctx.mkTerm(Kind.EQUAL, ctx.mkTerm(Kind.MULT, v, v), a)),
        "set": (w, ctx.mkTerm(Kind.SET_MEMBER, w, c)),
    }
    formulas = {
        name: ctx.mkTerm(Kind.EXISTS, ctx.mkTerm(Kind.VARIABLE_LIST, x), body)
        for name, (x, body) in bodies.items()
    }
    return {
        name: helpers.eliminated(ctx, 0, formula) is not None for name, formula in formulas.items()
    }


@pytest.mark.parametrize(
    ("solver", "names", "lacking"),
    [
        ("z3", ("interpolants", "models", "proofs", "invariant-printed"), ["interpolants"]),
        ("cvc5", ("abducts", "invariant-translated", "invariant-fresh"), ["invariant-translated"]),
    ],
)
def test_what_a_solver_has_nothing_for_is_named(
    solver: str, names: tuple[str, ...], lacking: list[str]
) -> None:
    assert without_object(names, load_wrapper(solver)) == lacking
