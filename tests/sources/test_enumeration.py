"""Grammars, their exact counts, scripts by index, and campaigns that test every script once."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from commands import outcome
from hypothesis import given
from hypothesis import strategies as st
from toy import catalogue

from murxpy.campaign.campaign import Campaign
from murxpy.campaign.enumeration import Enumerated
from murxpy.campaign.runs import Runs
from murxpy.cli import enumerate as command
from murxpy.cli.report.enumeration import Tested as OfSize
from murxpy.cli.report.enumeration import given_up, guarantee, judged, judged_lines
from murxpy.cli.report.enumeration import tested as of_scripts
from murxpy.data import load_catalogue, load_machine, load_wrapper
from murxpy.data.lookup import grammar_names, load_grammar
from murxpy.errors import InputError
from murxpy.findings.store import read_counters
from murxpy.fuzzers.setups import Enumerated as Wanted
from murxpy.fuzzers.setups import RunOptions, checked
from murxpy.machine.script import own_options
from murxpy.oracles.crash import Outcome
from murxpy.processes.plans import Request, make_plans
from murxpy.records.config import CampaignConfig
from murxpy.smtlib.building import Tables
from murxpy.smtlib.printing.terms import Unsayable
from murxpy.smtlib.reading.scripts import read_script
from murxpy.sources.enumeration.blocks import LEFT, Blocks, Canonical
from murxpy.sources.enumeration.grammar import Grammar, first_large, parse_production
from murxpy.sources.enumeration.operators import with_operators
from murxpy.sources.enumeration.reading import Exhaustive, Reader
from murxpy.steering.seeds import Ledger
from murxpy.worker.session import Session

FAKES = Path(__file__).parents[1] / "fakes"
# The counts of terms by size, from 1 to 8, that were calculated for the thesis' grammars apart.
COUNTS = {
    "core": [4, 4, 84, 308, 3940, 23844, 251956, 1929428],
    "arrays": [0, 0, 2, 0, 36, 144, 2394, 16704],
    "bitvectors": [0, 0, 56, 280, 4024, 31416, 428408, 4143096],
    "ints": [0, 0, 80, 400, 4560, 32720, 359120, 3126480],
    "reals": [0, 0, 80, 560, 5280, 44640, 441840, 4232080],
    "realints": [0, 0, 45, 405, 3555, 31455, 292275, 2779065],
    "floats": [0, 0, 112, 2800, 71792, 1853040, 48955760, 1318250864],
    "strings": [0, 4, 114, 296, 2408, 20636, 171138, 1229312],
}
CATALOGUE = catalogue()
LOADED = {name: Grammar(with_operators(load_grammar(name), CATALOGUE)) for name in grammar_names()}


@pytest.mark.parametrize("name", COUNTS)
def test_counts_of_terms_by_size(name: str) -> None:
    assert [LOADED[name].of_size(size) for size in range(1, 9)] == COUNTS[name]


@pytest.mark.parametrize("name", grammar_names())
def test_shipped_grammars_are_well_sorted(name: str) -> None:
    assert checked(name).name == name


def naive(grammar: Grammar, name: str, size: int) -> list[str]:
    """The texts of a nonterminal and a size in order, without counts."""
    return [
        around[0] + "".join(text + words for text, words in zip(row, around[1:], strict=True))
        for production in grammar.rules[name]
        for around in production.spellings
        for row in naive_row(grammar, production.children, size - 1)
    ]


def naive_row(grammar: Grammar, names: Sequence[str], size: int) -> list[list[str]]:
    """The texts of nonterminals whose sizes have this sum: in the order of the first one's sizes, then
    of its texts, and then likewise of the others.
    """
    if not names:
        return [[]] if size == 0 else []
    return [
        [text, *rest]
        for first in range(1, size + 1)
        if (behind := naive_row(grammar, names[1:], size - first))
        for text in naive(grammar, names[0], first)
        for rest in behind
    ]


@pytest.mark.parametrize("name", ["core", "ints", "strings", "arrays"])
def test_the_order_is_that_of_functional_enumeration(name: str) -> None:
    grammar = LOADED[name]
    scripts = [grammar.at(index) for index in range(grammar.up_to(4))]
    assert scripts == [
        f"(assert {text})\n(check-sat)" for n in range(1, 5) for text in naive(grammar, "B", n)
    ]


@given(name=st.sampled_from(sorted(LOADED)), digits=st.integers(0, 18), part=st.integers(0, 10**6))
def test_any_script_is_well_sorted(name: str, digits: int, part: int) -> None:
    grammar = LOADED[name]
    index = 10**digits + part
    if grammar.number is not None:
        index %= grammar.number
    read_script(grammar.whole(grammar.at(index)), name, CATALOGUE)


def test_an_index_of_hundreds_of_digits() -> None:
    grammar = LOADED["ints"]
    first, second = grammar.at(10**275), grammar.at(10**275 + 1)
    assert first != second and 900 < len(first) < 1200
    read_script(grammar.whole(first), "ints", CATALOGUE)


def test_the_first_large_script() -> None:
    grammar = LOADED["ints"]
    first = first_large(grammar, 400)
    assert (
        len(grammar.whole(grammar.at(first // 10))) < 400 <= len(grammar.whole(grammar.at(first)))
    )
    finite = next(one for one in LOADED.values() if one.name == "core")
    with pytest.raises(InputError, match="no script of"):
        first_large(_Finite(finite.plain), 400)


class _Finite(Grammar):
    """A grammar that ends after a hundred scripts."""

    @property
    def number(self) -> int:
        return 100


@pytest.mark.usefixtures("bare_findings")
def test_large_scripts_are_tested_at_several_indices(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each index has a folder of its own, and the next is 10^10 times as large."""
    monkeypatch.setattr(command, "LARGE", 200)
    target = ("enumerate", f"fake@{FAKES}", "--wrapper", FAKES / "scripts.yaml", "--jobs", "1")
    grammar = written(tmp_path, MONOTONE)
    words = (*target, "--grammar", grammar, "--large", "2", "--take", "3", "--check", "none")
    _, out, err = outcome(capsys, *words, "--out", tmp_path / "out", "--no-minimize")
    near, far = sorted(int(f.name.partition("-1e")[2]) for f in (tmp_path / "out").iterdir())
    assert far == near + 10 and out.count("3 scripts were tested") == 2, out + err
    assert err.count("looking for the first script") == 1
    monkeypatch.setattr(command, "first_large", None)  # the next session knows the index
    more = ("--time", "1ms", "--out", tmp_path / "out", "--no-minimize")
    assert "looking for" not in outcome(capsys, *words, *more)[2]


def test_the_time_of_large_scripts_is_shared_by_their_indices(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A campaign counts its time from when the command began; here each finds one second spent."""
    times = list[float]()
    monkeypatch.setattr(command, "_done", lambda *args: times.append(args[2].time) or 0)
    monkeypatch.setattr(command, "first_large", lambda *args: 10)
    monkeypatch.setattr(command, "began", lambda: time.monotonic() - 1.0)
    words = ("enumerate", "z3", "--grammar", "core", "--large", "3", "--time", "10s")
    assert outcome(capsys, *words, "--out", tmp_path / "out")[0] == 0
    assert times == pytest.approx([4.0, 5.5, 10.0], abs=0.3)


# -- grammars of users

FINE = """grammar: mine
about: a test
sorts: {B: Bool, I: Int}
declare: ["(declare-const a Int)"]
rules:
  B:
    - (= I I)
  I:
    - "{0 a}"
script: [(assert B), (check-sat)]
"""


def written(folder: Path, text: str) -> str:
    path = folder / "mine.yaml"
    path.write_text(text)
    return str(path)


def test_a_finite_grammar_ends(tmp_path: Path) -> None:
    grammar = checked(written(tmp_path, FINE))
    assert grammar.number == 4 and grammar.largest == 3
    assert [grammar.at(index).split("\n")[0] for index in range(4)] == [
        "(assert (= 0 0))",
        "(assert (= 0 a))",
        "(assert (= a 0))",
        "(assert (= a a))",
    ]
    with pytest.raises(IndexError):
        grammar.at(4)


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        ("(= I I)", "(bvult I I)", 7, "bvult"),
        ("(= I I)", "(+ I I)", 7, "Bool"),
        ("{0 a}", "{0 c}", 9, "c"),
        ("(assert B)", "(assert (not B B))", 10, "not"),
        ("(= I I)", "(= I J)", 7, "J"),
        ("(= I I)", "(= I I", 7, "expected '\\)'"),
        ("(= I I)", "({= {>}} I I)", 7, "no braces within braces"),
        ("(= I I)", "(= {I a} I)", 7, "not among nonterminals"),
        ("(= I I)", "({} I I)", 7, "words between braces"),
        ('- "{0 a}"', "- (+ I I)", 9, "no finite text"),
        ("(assert B)", "(assert true)", 7, "no script has the nonterminal"),
        ("{0 a}", "{0 0}", 9, "twice"),
        ("{0 a}", '{0 a}"\n    - "a', 10, "twice .also on line 9"),
        ("{0 a}", '{0 a}"\n    - "I', 10, "can stand for itself"),
        ("[(assert B)", "[(exit), (assert B)", 10, "found .exit"),
        (", (check-sat)", "", 10, "expected a check-sat"),
        ('- "{0 a}"', "- (bvadd I I)", 9, "bvadd"),
        ("{B: Bool, I: Int}", "{B: Bool}", 8, "has no sort"),
        ("sorts: {B", "sorts: {C: Int, B", 3, "has no productions"),
        ("about", "abut", 2, "unknown key 'abut' .did you mean 'about'"),
        ("(declare-const a Int)", "(declare-const a Itn)", 4, "Itn"),
        ("about: ", "logic: QF_BVV\nabout: ", 2, "unknown logic 'QF_BVV'.*did you mean 'QF_BV'"),
    ],
)
def test_a_bad_grammar_is_refused_with_its_line(
    tmp_path: Path, old: str, new: str, line: int, message: str
) -> None:
    assert old in FINE
    with pytest.raises(InputError, match=message) as error:
        checked(written(tmp_path, FINE.replace(old, new, 1)))
    assert error.value.line == line and error.value.file == str(tmp_path / "mine.yaml")


def test_grammars_of_one_name_are_refused(tmp_path: Path) -> None:
    """Their scripts are counted by that name."""
    mine = written(tmp_path, FINE.replace("grammar: mine", "grammar: core"))
    for names in (("ints", "ints"), ("core", mine)):
        with pytest.raises(InputError, match="expected each name once"):
            Wanted(names, 10).loaded()


def test_a_bound_variable_stands_only_where_it_is_bound(tmp_path: Path) -> None:
    text = FINE.replace("I: Int}", "I: Int, Q: Bool}\nscope: {Q: {x: Int}}")
    text = text.replace("    - (= I I)\n", "    - (= I I)\n    - ({forall exists} ((x Int)) Q)\n")
    text = text.replace("rules:\n", "rules:\n  Q:\n    - (< x I)\n")
    assert checked(written(tmp_path, text)).of_size(3) == 4 + 2 * 0 + 4
    with pytest.raises(InputError, match="x"):
        checked(written(tmp_path, text.replace("((x Int)) Q", "((y Int)) Q")))


@pytest.mark.parametrize("text", ["(f |x y| I)", '(str.++ I "a""b")', "(_ {bv0 bv1} 8)"])
def test_productions_keep_their_words(text: str) -> None:
    production = parse_production(text, ["I"])
    shown = [
        production.text(at, ["I"] * len(production.children))
        for at in range(len(production.spellings))
    ]
    assert shown[0] == text.replace("{bv0 bv1}", "bv0")


# -- blocks and campaigns


def setup(names: Sequence[str], take: int, block: int, at: int = 0) -> dict[str, Any]:
    grammars = [load_grammar(name) for name in names]
    return {"grammars": grammars, "at": str(at), "take": take, "block": block, "check-ms": 0}


@given(
    takes=st.integers(1, 60),
    block=st.integers(1, 20),
    at=st.sampled_from([0, 3, 10**30]),
)
def test_blocks_hold_every_index_once(takes: int, block: int, at: int) -> None:
    blocks = Blocks(setup(["core", "ints"], takes, block, at))
    seen = [
        (part.grammar.name, index)
        for number in range(blocks.number)
        for part in [blocks.of(blocks.seed_of(number))]
        for index in range(part.first, part.last + 1)
    ]
    wanted = [(name, at + index) for name in ("core", "ints") for index in range(takes)]
    assert sorted(seen) == sorted(wanted)


def test_what_is_left_of_a_block() -> None:
    blocks = Blocks(setup(["core"], 20, 10))
    rest = blocks.of(blocks.rest(blocks.seed_of(1), 4))
    assert (rest.first, rest.last) == (14, 19)
    again = blocks.of(blocks.rest(blocks.rest(blocks.seed_of(1), 4), 2))
    assert (again.first, again.last) == (16, 19)
    with pytest.raises(InputError, match="names no block"):
        blocks.of(blocks.rest(blocks.seed_of(1), 10))


def campaign(out: Path, grammar: str, take: int, **options: Any) -> None:
    """Enumerate scripts on the fake solver, whose answers and models are wrong for some."""
    request = Request(
        (f"fake@{FAKES}",),
        wrapper=str(FAKES / "scripts.yaml"),
        enumeration=Wanted((grammar,), take, block=5),
    )
    config = CampaignConfig(make_plans(request), out, seed=1, backtrace=False, **options)
    list(Campaign(config))


def counters(out: Path) -> dict[str, int]:
    """The counters of scripts in a campaign's store."""
    found = read_counters(out).items()
    return {name: n for name, n in found if name.startswith("enumerate:")}


MONOTONE = """grammar: monotone
about: formulas that are true where all constants are
sorts: {B: Bool}
declare: ["(declare-const a Bool)", "(declare-const b Bool)"]
rules: {B: ["{a b}", "({and or} B B)"]}
script: [(assert B), (check-sat)]
"""


def test_a_campaign_goes_on_with_the_scripts_that_are_left(tmp_path: Path) -> None:
    grammar = written(tmp_path, MONOTONE)
    campaign(tmp_path / "out", grammar, 12, runs=1)
    assert counters(tmp_path / "out") == {
        "enumerate:monotone:1:sat": 2,
        "enumerate:monotone:3:sat": 3,
    }
    campaign(tmp_path / "out", grammar, 12)
    whole = {
        "enumerate:monotone:1:sat": 2,
        "enumerate:monotone:3:sat": 8,
        "enumerate:monotone:5:sat": 2,
    }
    assert counters(tmp_path / "out") == whole
    campaign(tmp_path / "out", grammar, 12)
    assert counters(tmp_path / "out") == whole
    # other scripts have other blocks
    for other, take in ((grammar, 13), ("core", 12)):
        with pytest.raises(InputError, match=r"other scripts .monotone.*another folder"):
            campaign(tmp_path / "out", other, take)
    written(tmp_path, MONOTONE.replace("{and or}", "{or and}"))
    with pytest.raises(InputError, match=r"other scripts .monotone"):
        campaign(tmp_path / "out", grammar, 12)


@pytest.mark.slow
def test_every_script_is_tested_although_findings_end_runs(tmp_path: Path) -> None:
    campaign(tmp_path, "core", 60, jobs=2)
    assert sum(counters(tmp_path).values()) == 60
    # the fake says sat to `false`
    assert sum(n for name, n in counters(tmp_path).items() if name.endswith(":finding")) > 5


TRACE = """# seed 1
    12 run-script@eval "(check-sat)"
      answer sat
    13 run-script@eval "(check-sat)"
      answer unknown
    14 run-script@eval "(check-sat)"
"""


def test_a_script_that_was_killed_is_tested_once_more() -> None:
    runs = Enumerated({"enumeration": setup(["core"], 10, 10)})
    seed = runs.seed_of(0)
    assert runs.ended_early(seed, TRACE, reported=False, killed=True) == {
        "enumerate:core:1:sat": 1,
        "enumerate:core:1:unknown": 1,
    }
    assert runs.number == 2
    # the script is the third of the block, the first of the second run
    again = TRACE[: TRACE.index("    12 ")] + TRACE[TRACE.index("    14 ") :]
    assert runs.ended_early(runs.seed_of(1), again, reported=False, killed=True) == {
        "enumerate:core:1:killed": 1
    }
    assert Blocks(setup(["core"], 10, 10)).of(runs.seed_of(2)).first == 3
    # another script of the second run is tested again, too
    runs.ended_early(runs.seed_of(1), TRACE, reported=False, killed=True)
    assert Blocks(setup(["core"], 10, 10)).of(runs.seed_of(3)).first == 4


def test_a_run_that_was_killed_before_its_first_script_is_made_once_more() -> None:
    """No script of its block is lost."""
    runs = Enumerated({"enumeration": setup(["core"], 10, 10)})
    blocks, header = Blocks(setup(["core"], 10, 10)), "# seed 1\n"
    assert runs.ended_early(runs.seed_of(0), header, reported=False, killed=True) == {}
    whole = blocks.of(runs.seed_of(0))
    assert runs.number == 2 and blocks.of(runs.seed_of(1)) == whole
    counts = runs.ended_early(runs.seed_of(1), header, reported=False, killed=True)
    assert counts == {"enumerate:core:1:killed": 1}
    assert blocks.of(runs.seed_of(2)).first == whole.first + 1
    # where the process died, the script is not tested again
    counts = runs.ended_early(runs.seed_of(2), header, reported=False, killed=False)
    assert counts == {"enumerate:core:1:killed": 1} and runs.number == 4
    # a run that has told what came of its scripts was at none
    assert runs.ended_early(runs.seed_of(3), header, reported=True, killed=True) == {}
    assert runs.number == 4


def test_a_script_that_ends_the_process_is_counted_and_not_tested_again() -> None:
    runs = Enumerated({"enumeration": setup(["core"], 10, 10)})
    counts = runs.ended_early(runs.seed_of(0), TRACE, reported=False, killed=False)
    assert counts["enumerate:core:1:killed"] == 1 and sum(counts.values()) == 3
    assert Enumerated({"enumeration": setup(["core"], 10, 10)}, "", runs.state()).number == 2


def test_the_answers_of_small_domains_are_known() -> None:
    tables = Tables(CATALOGUE)
    known = Exhaustive(LOADED["smallbits"].head, CATALOGUE, tables)

    def answers(asserted: str) -> list[str]:
        text = LOADED["smallbits"].whole(f"(assert {asserted})\n(check-sat)")
        return known.answers(read_script(text, "script", CATALOGUE, tables))

    assert answers("(bvult a b)") == ["sat"]
    assert answers("(distinct (bvadd a b) (bvadd b a))") == ["unsat"]
    assert not Exhaustive(LOADED["ints"].head, CATALOGUE, tables).possible


@pytest.mark.parametrize(("name", "size"), [("core", 4), ("ints", 4), ("finitefields", 4)])
def test_canonical_forms_leave_one_of_each_kind(name: str, size: int) -> None:
    grammar = LOADED[name]
    canonical = Canonical(grammar, CATALOGUE.commuting())
    kept = [n for n in range(grammar.up_to(size)) if canonical.holds(n)]
    assert 0.2 < len(kept) / grammar.up_to(size) < 0.8
    forms = {_least(grammar.at(n)) for n in range(grammar.up_to(size))}
    assert forms == {_least(grammar.at(n)) for n in kept}


COMMUTING = {"and", "or", "xor", "=", "distinct", "+", "*", "ff.add", "ff.mul"}


def _least(script: str) -> str:
    """The least text of a formula under both orders of operands and both namings of a and b."""

    def least(at: int, words: list[str]) -> tuple[str, int]:
        if words[at] != "(":
            return words[at], at + 1
        parts, at = [], at + 1
        while words[at] != ")":
            part, at = least(at, words)
            parts.append(part)
        if parts[0] in COMMUTING:
            parts[1:] = sorted(parts[1:])
        return f"({' '.join(parts)})", at + 1

    words = script.replace("(", " ( ").replace(")", " ) ").split()
    other = [{"a": "b", "b": "a"}.get(word, word) for word in words]
    return min(least(0, words)[0], least(0, other)[0])


def test_constants_that_a_grammar_treats_otherwise_are_not_exchanged(tmp_path: Path) -> None:
    text = FINE.replace("(declare-const a Int)", "(declare-const a Int)(declare-const b Int)")
    text = text.replace(
        '["(declare-const a Int)(declare-const b Int)"]',
        "[(declare-const a Int), (declare-const b Int)]",
    )
    text = text.replace("{0 a}", "{0 a b}").replace("    - (= I I)", "    - (= I I)\n    - (< a I)")
    grammar = checked(written(tmp_path, text))
    canonical = Canonical(grammar, CATALOGUE.commuting())
    kept = [grammar.at(n).split("\n")[0] for n in range(grammar.up_to(3)) if canonical.holds(n)]
    assert "(assert (= 0 b))" in kept and "(assert (= b 0))" not in kept


def test_twins_are_counted_and_not_tested(tmp_path: Path) -> None:
    runs = Enumerated(
        {"enumeration": {**setup(["core"], 10, 10), "canonical": CATALOGUE.commuting()}}
    )
    block = runs._blocks.of(runs.seed_of(0))
    told = [n for n in range(10) if not block.twin(n)]
    assert told[:4] == [0, 1, 2, 4]  # true false a (not true)
    counts = runs.ended_early(runs.seed_of(0), TRACE, reported=False, killed=True)
    assert counts == {"enumerate:core:1:sat": 1, "enumerate:core:1:unknown": 1}
    again = TRACE + '    15 run-script@eval "(check-sat)"\n'
    counts = runs.ended_early(runs.seed_of(0), again, reported=False, killed=False)
    assert counts["enumerate:core:1:twin"] == 1 and counts["enumerate:core:2:killed"] == 1


def simplified(wrapper: dict[str, Any], grammar: str, take: int) -> tuple[dict[str, Any], str]:
    """The report and the trace of a run that has z3 simplify the terms of scripts."""
    enumeration = {**setup([grammar], take, take), "simplify": True}
    session = Session(
        {
            "catalogue": load_catalogue(),
            "machine": load_machine("default"),
            "wrapper": wrapper,
            "enumeration": enumeration,
        }
    )
    written: list[str] = []
    return session.walk(Blocks(enumeration).seed_of(0), written.append), "".join(written)


def test_what_a_simplifier_makes_is_compared_at_all_points() -> None:
    report, trace = simplified(load_wrapper("z3"), "smallbits", 20)
    assert report["finding"] is None and "# simplify\n" in trace
    assert {name: n for name, n in report["counts"].items() if name.startswith("enum")} == {
        "enumerate:smallbits:2:equal": 6,
        "enumerate:smallbits:3:equal": 14,
    }


def test_a_wrong_simplifier_is_found() -> None:
    wrapper = load_wrapper("z3")
    wrapper["actions"]["simplify"] = {"plain": "BoolVal(True, {ctx})"}
    report, trace = simplified(wrapper, "core", 20)
    assert report["finding"]["kind"] == "invalid-simplify"
    assert sum(n for name, n in report["counts"].items() if name.endswith(":finding")) == 1
    assert trace.count("# script ") > 1 and "check-simplify@plain" in trace
    runs = Enumerated({"enumeration": {**setup(["core"], 20, 20), "simplify": True}})
    runs.ended_early(runs.seed_of(0), trace, reported=True, killed=False)
    assert Blocks(setup(["core"], 20, 20)).of(runs.seed_of(1)).first == trace.count("# script ")


def test_scripts_are_said_in_the_words_of_the_solver() -> None:
    sets = LOADED["sets"]
    wanted = "(assert (set.member 0 a))\n(check-sat)"
    index = next(n for n in range(300) if sets.at(n) == wanted)
    reader = Reader(sets, CATALOGUE, "z3", models=True)
    text, script = reader.script(index)
    assert "(select a 0)" in text and "(get-model)" in text and script is not None
    with pytest.raises(Unsayable, match="CARD"):
        reader.script(next(n for n in range(300) if "set.card" in sets.at(n)))
    assert Reader(sets, CATALOGUE, "cvc5", models=False).script(index) == (
        sets.whole(wanted),
        None,
    )


def test_what_judges_say_is_counted_by_size() -> None:
    runs = Enumerated({"enumeration": setup(["core"], 10, 10)})
    seed = runs.seed_of(0)
    rows = [number for number, row in enumerate(TRACE.split("\n"), 1) if "run-script" in row]
    told = {"j": [(rows[0], "sat", "unsat")], "k": []}
    assert runs.judged(seed, TRACE, told) == {
        "judged:core:1:differs:j": 1,
        "judged:core:1:not-run:k": 1,
    }
    agreed = runs.judged(seed, TRACE, {"j": [(rows[0], "sat", "sat")]})
    assert [(row.size, row.judge, row.of("agreed")) for row in judged(agreed)] == [(1, "j", 1)]
    # the first judge that agrees confirms an answer, unless nobody need confirm it
    assert agreed["confirmed:core:1:j"] == 1
    told = {name: [(rows[0], "sat", "sat")] for name in ("j", "k")}
    for own, confirmed in (((), 1), ((0,), 0)):
        counts = runs.judged(seed, TRACE, told, own)
        assert sum(n for name, n in counts.items() if name.startswith("confirmed:")) == confirmed


def test_scripts_on_which_judges_give_up_are_told_by_their_smallest_cause() -> None:
    grammar = Grammar(checked("core").plain)
    kept = [
        ("core", "j", "and not", 2, 4000, 1000, 9),
        ("core", "j", "not", 1, 1000, 500, 5),
        ("core", "j", "xor", 1, 1000, 500, 4),
        ("core", "k", "and not", 1, 10, 20, 5),
        ("core", "k", "xor", 1, 10, 20, 1 << 60),  # of a stranger's folder, as is the next one
        ("grammar of nobody", "k", "xor", 1, 10, 20, 1),
    ]
    rows = given_up([grammar], kept, range(10))
    assert [(row.judge, row.cause, row.scripts) for row in rows] == [
        ("j", "not", 3),
        ("j", "xor", 1),
        ("k", "and not", 1),
    ]
    assert (rows[0].judge_ms, rows[0].target_ms) == (1.667, 0.5)
    assert rows[0].first == " ".join(grammar.at(5).split())


def test_the_guarantee_says_who_confirms_the_answers(tmp_path: Path) -> None:
    """All values confirm the answers of Booleans, also where nobody judges them; the fake gives no
    models.
    """
    grammar = written(tmp_path, MONOTONE)
    campaign(tmp_path / "out", grammar, 10)
    found = read_counters(tmp_path / "out")
    (line,) = guarantee(of_scripts([checked(grammar)], 0, 10, found), "fake")
    assert "10 were decided without a finding (10 confirmed by all values, 0 by nobody)" in line
    unconfirmed = {name: n for name, n in found.items() if not name.startswith("confirmed:")}
    (line,) = guarantee(of_scripts([checked(grammar)], 0, 10, unconfirmed), "fake")
    assert "10 were decided without a finding (10 by nobody)" in line


def test_scripts_that_wait_for_their_judge_at_the_end_are_not_asked_about() -> None:
    answers = {"judged:core:1:agreed:j": 5, "judged:core:1:not-run:j": 1}
    came = {"enumerate:core:1:sat": 6, "enumerate:core:1:unsat": 3, "enumerate:core:1:unknown": 1}
    rows = judged({**answers, **came})
    (row,) = rows
    assert (row.of("agreed"), row.of("not-run")) == (5, 4)
    (line,) = judged_lines(rows, [OfSize("core", 1, 10, 10)])
    assert line.endswith("answers 0 otherwise, and was not asked about 4")


def test_the_scripts_of_a_run_that_the_end_stopped_are_counted_until_it_is_made_again() -> None:
    runs = Enumerated({"enumeration": setup(["core"], 10, 10)})
    runs.stopped(runs.seed_of(0), TRACE)
    kept = runs.state()
    assert kept["open"] == {"enumerate:core:1:sat": 1, "enumerate:core:1:unknown": 1}
    assert kept["rests"] == {}  # the block is tested again as a whole
    assert Enumerated({"enumeration": setup(["core"], 10, 10)}, "", kept).state()["open"] == {}


def test_what_judges_say_of_a_run_that_the_end_leaves_open_is_told_until_it_is_made_again() -> None:
    wanted = {"enumeration": setup(["core"], 10, 10)}
    enumerated = Enumerated(wanted)
    runs = Runs(1, Ledger(), None, enumerated)
    seed = enumerated.seed_of(0)
    rows = [number for number, row in enumerate(TRACE.split("\n"), 1) if "run-script" in row]
    run = Outcome("report", {"counts": {}}, TRACE, "")
    runs.judged_open(seed, run, {"j": [(rows[0], "sat", "sat")]})
    runs.count_open({f"{LEFT}core:1:asked": 1, "baseline:asked": 1})
    kept = enumerated.state()
    assert kept["counts"] == {}
    assert kept["open"][f"{LEFT}core:1:asked"] == 1 and "baseline:asked" not in kept["open"]
    assert [(row.judge, row.of("agreed")) for row in judged(kept["open"])] == [("j", 1)]
    assert Enumerated(wanted, "", kept).state()["open"] == {}


@pytest.mark.parametrize("checks", [("cores",), ("models", "cores")])
def test_scripts_ask_for_cores_if_that_is_wanted(checks: Sequence[str]) -> None:
    """With models and cores every other script asks for each, and a wrong core is a finding."""
    wrapper = load_wrapper("z3")
    core = "(not (= core!0 core!0))"
    wrapper["actions"]["run-script"] = {
        "eval": "'unsat\\n(nothing)' if 'get-unsat-core' in {v} else 'unsat'"
    }
    enumeration = setup(["ints"], 4, 4)
    session = Session(
        {
            "catalogue": load_catalogue(),
            "wrapper": wrapper,
            "machine": load_machine("default"),
            "enumeration": enumeration,
            "checks": list(checks),
        }
    )
    lines: list[str] = []
    report = session.walk(Blocks(enumeration).seed_of(0), lines.append)
    trace = "".join(lines)
    assert report["finding"]["kind"] == "invalid-core", (core, report)
    assert trace.count("get-unsat-core") == 1
    assert trace.count("get-model") == len(checks) - 1
    assert ":named core!0" in trace


def test_each_judge_gets_scripts_in_its_own_words() -> None:
    enumeration = {**setup(["sets", "core"], 200, 100), "grammars": [LOADED["sets"].plain]}
    runs = Enumerated({"enumeration": enumeration}, "cvc5 1.4.2")
    seed = runs.seed_of(0)
    sets = LOADED["sets"]
    rows = "".join(f'1 run-script "{number}"\n  answer sat\n' for number in range(100))
    said = runs.scripts_for(seed, f"# seed 1\n{rows}", "z3")
    for index in range(100):
        text = sets.at(index)
        # the script of index 0 stands on row 2, that of index 1 on row 4
        assert (str(2 + 2 * index) in said) == ("set.card" not in text)
        assert "set.member" not in said.get(str(2 + 2 * index), "")
    assert runs.scripts_for(seed, f"# seed 1\n{rows}", "cvc5") == {}


@pytest.mark.parametrize(
    ("target", "drawn", "expected"),
    [
        ("z3[smt.arith.solver=2]", "none", {"smt.arith.solver"}),
        ("cvc5[nl-cov=true]", "none", {"nl-cov"}),
        ("z3", "arith.solver,phase_selection", {"smt.arith.solver", "smt.phase_selection"}),
        ("z3", "none", set()),
    ],
)
def test_options_of_the_target_and_of_a_block_stand_in_its_scripts(
    target: str, drawn: str, expected: set[str]
) -> None:
    """Those of a configuration in all scripts; of the others a block draws one or two."""
    options = RunOptions(drawn_options=tuple(drawn.split(",")))
    wanted = Wanted(("ints",), 80, 0, 20)
    (plan,) = make_plans(Request((target,), run_options=options, enumeration=wanted))
    session = Session(plan.setup)
    blocks = Blocks(plan.setup["enumeration"])
    seen = []
    for number in range(4):
        lines: list[str] = []
        assert session.walk(blocks.seed_of(number), lines.append)["finding"] is None
        heads = {
            tuple(name for name, _ in own_options(part.replace("\\u{a}", "\n")))
            for part in "".join(lines).split("run-script@")[1:]
            for part in [part.partition('"')[2]]
        }
        assert len(heads) == 1  # all scripts of a block have the same
        seen.append(heads.pop())
    assert {name for head in seen for name in head} == expected
    assert drawn == "none" or all(1 <= len(head) <= 2 for head in seen)
