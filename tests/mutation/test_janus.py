"""Janus: rules of implication as data, the places where they keep what is known, and mutants whose
answers are known.
"""

from __future__ import annotations

import functools
from pathlib import Path

import pytest
from campaigns import FAKES
from chains import chain
from commands import error, outcome
from scriptsolvers import answers
from toy import catalogue

from murxpy.cli.report.reference import rules_table
from murxpy.data.folders import data_folder
from murxpy.data.rules import fingerprint, load_book, proofs_path, read_proofs
from murxpy.data.theories import Plain
from murxpy.errors import InputError
from murxpy.fuzzers.setups import full_name, named_rules, proved_rules, shipped_rules
from murxpy.judging.rules import check_rules
from murxpy.logic.sorts import Sort
from murxpy.logic.terms import Term
from murxpy.machine.random import Stream
from murxpy.records.yields import fruitless
from murxpy.smtlib.printing.scripts import print_script
from murxpy.smtlib.reading.scripts import read_script
from murxpy.sources.mutation.fuzzers.janus import mutants
from murxpy.sources.mutation.implications import proofs
from murxpy.sources.mutation.implications.book import Book
from murxpy.sources.mutation.implications.monotone_places import Places, State
from murxpy.sources.mutation.implications.proofs import claims, instances
from murxpy.sources.mutation.implications.rewriting import Keys, Rewriter
from murxpy.sources.mutation.implications.rule import Rule
from murxpy.sources.mutation.workshop import Mutant, MutationSession, Seed, Workshop

CATALOGUE = catalogue()
RULES = shipped_rules()
SAT = Seed(
    "sat.smt2",
    """(set-info :status sat)(declare-const x Int)(declare-const y Int)(declare-const p Bool)
(declare-const s String)(declare-const b (_ BitVec 4))
(assert (let ((u (+ x y))) (and (<= u 3) (> u x))))(assert (or p (not (= s "a"))))
(assert (forall ((z Int)) (=> (< z x) (<= z (- 3 y)))))(assert (ite p (bvult b #x3) (bvuge b #xd)))
(assert (str.in_re s (re.++ (re.* (str.to_re "ab")) (re.comp (str.to_re "b")))))(check-sat)""",
    "sat",
)
UNSAT = Seed(
    "unsat.smt2",
    """(set-info :status unsat)(declare-const x Int)(declare-const y Int)(declare-const p Bool)
(assert (and (<= x y) (or p (< y 3))))(assert (not p))(assert (=> (not p) (> x 4)))(check-sat)""",
    "unsat",
)


@functools.cache
def with_rules(*names: str) -> MutationSession:
    """What runs have in common that use these rules, or all."""
    shop = MutationSession(CATALOGUE, frozenset(CATALOGUE.operators), "standard")
    shop.book = Book(proved_rules(names), CATALOGUE, shop.operators)
    return shop


def made(
    seed: Seed,
    count: int,
    number: int = 1,
    shop: MutationSession | None = None,
    **choices: object,
) -> list[Mutant]:
    workshop = Workshop(shop or with_rules(), Stream(number), (seed,), lambda text: None, choices)
    return list(chain(mutants(workshop), count))


@pytest.mark.parametrize("seed", [SAT, UNSAT], ids=lambda seed: seed.name)
def test_mutants_answer_as_their_seed(seed: Seed) -> None:
    decided = 0
    for number in range(2):
        for mutant in made(seed, 20, number):
            text = print_script(mutant.script, "standard")
            assert mutant.expected == (seed.label,)
            (found,) = answers("z3", text, 20_000)
            assert found in ("unknown", seed.label), f"{mutant.steps}\n{text}"
            decided += found != "unknown"
    assert decided >= 10


def test_the_seed_comes_first_and_again_behind_each_walk() -> None:
    texts = [print_script(m.script, "standard") for m in made(UNSAT, 9, walk=1)]
    steps = [mutant.steps[0] for mutant in made(UNSAT, 9, walk=1)]
    assert steps[0] == "janus: the seed" and "janus: the seed" not in steps[1:]
    # each of them has one assertion that is not the seed's
    assert all(
        sum(a != b for a, b in zip(texts[0].split("\n"), t.split("\n"), strict=False)) <= 2
        for t in texts[1:]
    )


@pytest.mark.parametrize(
    ("formula", "places"),
    [
        ("(not p)", {("bool", 1, "OP_NOT"): 1, ("bool", -1, "OP_CONSTANT"): 1}),
        ("(=> p p q)", {("bool", -1, "OP_CONSTANT"): 2, ("bool", 1, "OP_CONSTANT"): 1}),
        ("(= p q)", {("bool", 0, "OP_CONSTANT"): 2}),
        ("(ite p q q)", {("bool", 0, "OP_CONSTANT"): 1, ("bool", 1, "OP_CONSTANT"): 2}),
        ("(< x y z)", {("int", -1, "OP_CONSTANT"): 1, ("int", 1, "OP_CONSTANT"): 1}),
        ("(< (- x y z) 0)", {("int", -1, "OP_CONSTANT"): 1, ("int", 1, "OP_CONSTANT"): 2}),
        ("(exists ((v Int)) (not (forall ((w Int)) p)))", {("bool", -1, "OP_CONSTANT"): 1}),
        (
            '(str.in_re "a" (re.diff r r (re.comp r)))',
            {("re", 1, "OP_STR_TO_RE"): 2, ("re", -1, "OP_STR_TO_RE"): 1},
        ),
    ],
)
def test_parity(formula: str, places: dict[tuple[str, int, str], int]) -> None:
    script = read_script(
        "(declare-const p Bool)(declare-const q Bool)(declare-const x Int)(declare-const y Int)"
        '(declare-const z Int)(define-const r RegLan (str.to_re "b"))'
        f"(assert {formula})",
        "a",
        CATALOGUE,
    )
    (root,) = script.assertions()
    found = Places(CATALOGUE, lambda term, state: (*state, term.op)).count(root, ("bool", 1))
    assert {key: found.get(key, 0) for key in places} == places


def test_all_places_are_drawn_and_none_without_a_key_that_is_wanted() -> None:
    (root,) = read_script(
        "(declare-const p Bool)(assert (and p (or p (not p))))", "a", CATALOGUE
    ).assertions()
    places = Places(CATALOGUE, lambda term, state: "any")
    drawn = [places.draw(root, ("bool", 1), "any", Stream(n)) for n in range(200)]
    paths = {place.occurrence.above and place.occurrence.above[-1] for place in drawn if place}
    assert len(paths) == 6  # the root and five below it
    assert places.draw(root, ("bool", 1), "other", Stream(1)) is None


def test_a_rule_that_can_be_used_is_never_left_out() -> None:
    """The keys of places are a quick look at terms. They leave out no rule that matches."""
    script = read_script(SAT.text, "a", CATALOGUE)
    stream, book = Stream(5), with_rules().book
    sorts = [script.tables.bool, script.tables.int, script.tables.string]

    def draw(sort: Sort, literal: bool) -> Term | None:
        there = sort in sorts or sort.kind == "SORT_BV"
        return script.tables.constant("drawn", sort) if there else None

    assert book is not None
    rewriter = Rewriter(script.tables, stream, sorts, frozenset(["SORT_BV"]), draw)
    keys = Keys(CATALOGUE, book, rewriter.possible)
    used: dict[str, None] = {}
    for sign in (1, -1, 0):
        nodes: dict[tuple[Term, State], None] = {}
        places = Places(CATALOGUE, lambda term, state, nodes=nodes: nodes.setdefault((term, state)))
        for root in script.assertions():
            places.count(root, ("bool", sign))
        for term, state in nodes:
            key = keys.of(term, state)
            for use in book.all:
                wanted = state[1] == (1 if use.weakening else -1) or use.rule.equivalent
                if use.rule.order == state[0] and wanted and rewriter.rewrite(use, term):
                    assert key is not None and use in key.uses, (use.rule.name, term)
                    used[use.rule.name] = None
    assert len(used) > 60


def test_each_shipped_rule_has_a_kept_proof_of_its_text() -> None:
    known = {
        file: read_proofs(proofs_path(Path(file)))
        for file in dict.fromkeys(r["file"] for r in RULES)
    }
    for rule in RULES:
        proof = known[rule["file"]].get(rule["name"])
        assert proof and proof["text"] == fingerprint(rule), f"murxpy rules {rule['name']} --prove"
    names = [rule["name"] for rule in RULES if rule.get("generated")]
    assert {"OP_INT_SUB.2", "OP_STR_LAST_INDEXOF.1"} <= {*names}
    # of an operator that no script can name, no mutant could have a rule
    said = frozenset[str]().union(*(CATALOGUE.dialect(name).says for name in CATALOGUE.dialects))
    assert [name for name in names if name.partition(".")[0] not in said] == []


BOOK_TEXT = """book: mine
about: Mine.
rules:
  own:
    vars: {{a: Int, b: Int}}
    strong: {strong}
    weak: {weak}
"""


@pytest.mark.parametrize(
    ("strong", "weak", "expected"),
    [
        ("(< a b)", "(<= a c)", "mine.yaml:4: rule own: unknown"),
        ("(< a b)", "a", "mine.yaml:4: rule own: expected two terms of one sort"),
        ("(<= a b)", "(< a b)", "mine.yaml:4: rule own: it does not hold: refuted by"),
        ("a", "b", "mine.yaml:4: rule own: expected patterns of SORT_BOOL"),
    ],
)
def test_a_rule_that_is_refused(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, strong: str, weak: str, expected: str
) -> None:
    own = tmp_path / "mine.yaml"
    own.write_text(BOOK_TEXT.format(strong=strong, weak=weak))
    seed = tmp_path / "a.smt2"
    seed.write_text(SAT.text)
    code, line = error(capsys, "janus", "z3", seed, "--rules", own)
    assert code == 2 and expected in line, line
    assert not proofs_path(own).exists()
    assert load_book(own)[0]["line"] == 4


def own_rule(tmp_path: Path, **fields: str) -> Plain:
    """A rule of a file of the user."""
    own = tmp_path / "mine.yaml"
    lines = "".join(f"    {name}: {value}\n" for name, value in fields.items())
    own.write_text(f"book: mine\nabout: Mine.\nrules:\n  own:\n{lines}")
    (rule,) = load_book(own)
    return rule


def test_a_chain_of_operators_that_are_not_linked_is_refused(tmp_path: Path) -> None:
    """`(xor a b c)` says nothing of pairs, so a proof for two arguments is none for three."""
    rule = own_rule(
        tmp_path,
        vars="{a: Bool, b: Bool}",
        strong="(xor a b)",
        weak="(distinct a b)",
        chain="[a, b]",
    )
    with pytest.raises(InputError, match="chainable or pairwise, which 'xor' is not"):
        check_rules([rule])


_CHAINS: list[dict[str, str]] = [
    {},
    {"chain": "[a, b]"},
    {"chain": "[a, b]", "equivalent": "true"},
]


def test_a_chain_of_an_equivalence_is_proved_both_ways(tmp_path: Path) -> None:
    fields = {"vars": "{a: Int, b: Int}", "strong": "(= a b)", "weak": "(= (* 2 a) (* 2 b))"}
    claimed = [
        claims(next(instances(Rule(own_rule(tmp_path, **fields, **more)))), CATALOGUE)
        for more in _CHAINS
    ]
    assert [len(some) for some in claimed] == [1, 3, 6]  # for two, three and four arguments


def test_what_holds_for_small_values_alone_is_no_proof_against_a_solver(tmp_path: Path) -> None:
    """The counterexample is outside of the bounds, so nobody contradicts anybody."""
    rule = own_rule(tmp_path, vars="{a: Int}", strong="(< a 9)", weak="(< a 8)")
    (verdict,) = check_rules([rule])
    assert verdict.refuted and not verdict.contradictions and not verdict.holds
    (claim,) = claims(next(instances(Rule(rule))), CATALOGUE)
    assert proofs.check(claim, CATALOGUE) == proofs.WITHIN


def test_all_values_of_a_small_sort_are_a_proof(tmp_path: Path) -> None:
    rule = own_rule(tmp_path, vars="{a: Bool, b: Bool}", strong="(and a b)", weak="(or a b)")
    (claim,) = claims(next(instances(Rule(rule))), CATALOGUE)
    assert proofs.check(claim, CATALOGUE) == proofs.HOLDS


def test_a_rule_is_named_as_the_steps_of_mutants_name_it() -> None:
    (short,), (long,) = named_rules(["or-adds"]), named_rules(["core:or-adds"])
    assert short == long and full_name(long) == "core:or-adds"


def test_a_name_that_is_no_rule(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    seed = tmp_path / "a.smt2"
    seed.write_text(SAT.text)
    code, line = error(capsys, "janus", "z3", seed, "--rules", "cores")
    assert code == 2 and "unknown rules 'cores' (did you mean 'core'?)" in line


CONNECTED = """(set-info :status sat)(declare-const a Bool)(declare-const b Bool)(declare-const c Bool)
(assert (or a b))(assert (not (and a b)))(assert (or c b))(check-sat)"""

# the fake solver is wrong about exclusive or, which these rules do not make
SOME = "not-not,not-and,or-adds,and-drops"


def campaign(
    capsys: pytest.CaptureFixture[str], folder: Path, planted: str, *more: str, mixed: bool = False
) -> tuple[int, str, list[str]]:
    """The exit code, the lines and the findings of a campaign on a solver with a planted defect; with
    `mixed` it is one of `murxpy fuzz`, which has more options.
    """
    (folder / "seed.smt2").write_text(CONNECTED)
    wrapper = folder / "scripts.yaml"
    text = (FAKES / "scripts.yaml").read_text()
    wrapper.write_text(text.replace("f.run_script({v})", planted))
    args = (f"fake@{FAKES}", folder / "seed.smt2", "--wrapper", wrapper, "--check", "none")
    of_mix = ("fuzz", *args, "--mix", "janus:1", "--janus-rules", SOME)
    args = of_mix if mixed else ("janus", *args, "--rules", SOME)
    args = (*args, "--jobs", "1", "--seed", "1", "--no-option-fuzzing", *more)
    code, out, _ = outcome(capsys, *args, "--out", folder / "out")
    return code, out, [path.name for path in (folder / "out" / "findings").glob("*")]


@pytest.mark.usefixtures("bare_findings")
def test_a_wrong_answer_to_a_mutant_is_found(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """The solver answers unsat where it sees a double negation."""
    planted = "'unsat' if '(not (not' in {v} else f.run_script({v})"
    code, out, found = campaign(capsys, tmp_path, planted, "--runs", "4")
    assert code == 1 and "kind=wrong-answer" in out and "expected sat" in out, out
    assert any(name.startswith("wrong-answer") for name in found)
    traces = [path.read_text() for path in (tmp_path / "out").rglob("*.trace")]
    assert any("# janus: core:" in text for text in traces)


@pytest.mark.slow
def test_unknown_behind_a_decided_script_is_incompleteness(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """The solver gives up where it sees a double negation; it is asked with three random seeds."""
    planted = "'unknown (INCOMPLETE)' if '(not (not' in {v} else f.run_script({v})"
    code, out, _ = campaign(capsys, tmp_path, planted, "--runs", "4")
    assert code == 0 and "kind=incompleteness" in out and "that was decided" in out, out
    trace = sorted((tmp_path / "out" / "findings").glob("incompleteness*/*.trace"))[0]
    text = trace.read_text()
    assert all(f"(set-option :random-seed {seed})" in text for seed in (1, 2, 3))
    assert (
        outcome(
            capsys,
            *("replay", trace, "--solver", f"fake@{FAKES}", "--wrapper", tmp_path / "scripts.yaml"),
        )[0]
        == 1
    )
    lucky = "'unknown (INCOMPLETE)' if '(not (not' in {v} and 'seed 2' not in {v} else f.run_script({v})"
    (tmp_path / "other").mkdir()
    assert campaign(capsys, tmp_path / "other", lucky, "--runs", "4")[2] == []


def test_a_rule_that_is_not_well_sorted_is_told_without_a_solver(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(
        "book: mine\nabout: One rule.\nrules:\n  own:\n    vars: {a: Int, p: Bool}\n"
        "    strong: (<= a p)\n    weak: (< a a)\n"
    )
    code, err = error(capsys, "rules", path)
    assert code == 2 and "mine.yaml:4: rule own: " in err


def test_the_other_variables_of_a_binder_stay() -> None:
    seed = Seed(
        "binders.smt2",
        "(set-info :status sat)"
        "(assert (not (forall ((a Int) (c Int)) (exists ((b Int)) (distinct c 5)))))(check-sat)",
        "sat",
    )
    shop = with_rules("exists-forall")
    for number in range(8):
        for mutant in made(seed, 6, number, shop, walk=2):
            assert all(not term.free for term in mutant.script.assertions())


def test_binders_of_one_name_are_apart_through_the_api(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    seed = tmp_path / "a.smt2"
    seed.write_text(
        "(set-info :status sat)(assert (exists ((a Int)) (exists ((d Int)) (= d 5))))(check-sat)"
    )
    rules = ("--rules", "named-by-forall,forall-to-instance", "--walk", "4", "--iterations", "8")
    words = (*rules, "--through", "api", "--no-option-fuzzing", "--jobs", "1", "--runs", "6")
    code, out, err = outcome(
        capsys,
        "janus",
        "z3",
        "--oracle",
        "sat",
        *words,
        "--seed",
        "1",
        seed,
        "--out",
        tmp_path / "o",
    )
    assert code == 0, out + err


def test_no_variable_comes_into_the_body_of_a_function() -> None:
    """The constant that becomes a variable occurs in the definition of `f`, too."""
    seed = Seed(
        "defined.smt2",
        "(set-info :status sat)(declare-const c Int)(define-fun f ((a Int)) Int (+ a c))"
        "(assert (or (> c 0) (> (f c) 0)))(check-sat)",
        "sat",
    )
    shop = with_rules("instance-to-exists")
    for number in range(8):
        for mutant in made(seed, 4, number, shop, walk=2):
            answers("z3", print_script(mutant.script, "standard"))


LISTS = Seed(
    "lists.smt2",
    """(set-info :status sat)
(declare-datatypes ((L 1)) ((par (T) ((cons (head T) (tail (L T))) (nil)))))
(declare-datatypes ((P 0)) (((pair (one Int) (two (L Int))) (left (where Int)))))
(declare-const x (L Int))(declare-const p P)(assert ((_ is cons) x))(assert (= p (pair (head x) x)))
(assert (not (= (tail x) x)))(assert (distinct p (left 3)))(check-sat)""",
    "sat",
)


def test_rules_of_datatypes_hold_for_the_constructors_of_the_seed() -> None:
    """A sample datatype stands for a parametric one, and its names for constructors of any number of
    fields, of which no two are the same.
    """
    shop = with_rules("datatypes")
    used: dict[str, None] = {}
    for number in range(6):
        for mutant in made(LISTS, 12, number, shop):
            used[mutant.implied] = None
            assert answers("z3", print_script(mutant.script, "standard")) == ["sat"]
    assert len(used) >= 12, used


def test_what_holds_of_the_sample_datatype_alone_is_refuted() -> None:
    """Other datatypes have more constructors than the rule names."""
    rule = {
        "name": "closed",
        "book": "mine",
        "datatypes": {"D": "(k) (l)"},
        "vars": {"x": "D"},
        "strong": "(not ((_ is k) x))",
        "weak": "((_ is l) x)",
    }
    (instance,) = instances(Rule(rule))
    (script,) = claims(instance, CATALOGUE)
    assert answers("z3", print_script(script, "z3")) == ["sat"]


def test_a_fuzzer_that_makes_nothing_is_told() -> None:
    made = {"mutator:janus:made": 9, "mutator:opfuzz:made": 9, "mutator:opfuzz:decided": 1}
    (line,) = fruitless(made)
    assert line.startswith("janus: none of 9 scripts was decided")
    made["mutator:janus:decided"] = 8
    (line,) = fruitless(made)
    assert line.startswith("janus: no rule could be used")
    assert list(fruitless({**made, "mutator:janus:ruled": 1})) == []


def test_no_rules_at_all(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "a.smt2").write_text(SAT.text)
    code, line = error(capsys, "janus", "z3", tmp_path / "a.smt2", "--rules", "")
    assert code == 2 and "--rules: expected names of rules" in line


def test_the_book_of_a_rule_is_shown_where_there_are_several() -> None:
    rules = [
        {"name": "a", "book": book, "strong": "p", "weak": "q", "equivalent": book == "one"}
        for book in ("one", "two")
    ]
    rows = [
        [str(cell) for cell in row] for row in rules_table(rules, [{}, {"by": {"z3": []}}]).rows
    ]
    assert rows == [
        ["one", "a", "p", "<=>", "q", "nobody: not used"],
        ["two", "a", "p", "=>", "q", "z3"],
    ]


def test_rules_into_undecided_fragments_are_left_out_unless_asked_for() -> None:
    """A rule that leads out of such a fragment is used all the same."""
    operators = frozenset(CATALOGUE.operators)
    claimed = Book(RULES, CATALOGUE, operators, undecided=False)
    everywhere = Book(RULES, CATALOGUE, operators)

    def named(book: Book, weakening: bool) -> set[str]:
        return {use.rule.name for use in book.all if use.weakening is weakening}

    out = named(everywhere, True) - named(claimed, True)
    assert {"OP_INT_POW.1", "OP_FP_TO_REAL.1", "OP_TRANS_SINE.1"} <= out
    assert not {"OP_INT_ADD.1", "OP_INT_MUL.1", "OP_INT_TO_REAL.1"} & out
    assert "OP_INT_POW.1" in named(claimed, False)


def test_the_command_has_rules_into_undecided_fragments_by_a_switch(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    seed = tmp_path / "a.smt2"
    seed.write_text(
        "(set-info :status sat)(declare-const x Int)(declare-const y Int)(assert (= x y))(check-sat)"
    )
    args = ("janus", "z3", seed, "--rules", "OP_INT_POW.1", "--run-seed", "1", "--iterations", "3")
    assert "(^ " not in outcome(capsys, *args)[1]
    assert "(^ " in outcome(capsys, *args, "--all-fragments")[1]


def test_what_a_limit_ended_is_asked_once_more_with_the_limit_of_the_paper(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """The solver gives up late where it sees a double negation: with less than 10 s its limit ends the
    check. No other question is spent on such mutants.
    """
    seen = "'(not (not' in {v}"
    planted = (
        f"('unknown (INCOMPLETE)' if {{0}} > 100_000 else 'unknown (RESOURCEOUT)') if {seen} "
        'else f.run_script({v})"\n  set-limit: "None"\nlimit-per-ms: 1000 #'
    )
    machine = tmp_path / "late.yaml"
    text = (data_folder("fsm") / "default.yaml").read_text()
    assert "script-late: 0.01 " in text
    for share, name in (("0.0", "never"), ("1.0", "always")):
        machine.write_text(text.replace("script-late: 0.01 ", f"script-late: {share} "))
        (tmp_path / name).mkdir()
        more = ("--runs", "4", "--machine", str(machine))
        code, out, found = campaign(capsys, tmp_path / name, planted, *more, mixed=True)
        assert code == 0 and bool(found) == (name == "always"), out
    trace = next((tmp_path / "always" / "out" / "findings").glob("incompleteness*/*.trace"))
    rows = [row.split()[1:] for row in trace.read_text().splitlines() if " set-limit" in row]
    assert [row[1:] for row in rows if len(row) == 3] == [["10000000", "30000"]]
