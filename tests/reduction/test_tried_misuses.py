"""What else shows the defect of a misuse: tried at the end of a reduction, and said in its sentence."""

from __future__ import annotations

from signal import SIGABRT

import pytest
from misuses import WRAPPER
from plants import planted

from murxpy.cli.report.misuses import in_words, with_others
from murxpy.machine.contract.rules import CONTEXT
from murxpy.machine.replaying.defuse import Script
from murxpy.machine.tokens import print_token
from murxpy.machine.trace.finished import HEADER, Need, add_header, read_rows, write_needs
from murxpy.machine.trace.grammar import parse_trace
from murxpy.oracles.crash import Outcome
from murxpy.passes.misuses import tried
from murxpy.passes.siblings import Callables
from murxpy.passes.words import fewer_operands
from murxpy.reduction.pipeline import Match, Task, first_shown
from murxpy.solvers.callables import find_callables

OFFERED = Callables.told({"callables": find_callables(WRAPPER["contract"]["calls"]).overview()})
CALL = """0 new
0 misuse@call misused.Box py:"a"
 return x1 Box
0 misuse@edge misused.Box.paired x1 py:{value}
"""


def words(script: Script) -> str:
    return " ".join(map(print_token, script[-1].args))


def script(text: str) -> Script:
    return tuple(parse_trace(text, "a.trace").lines)


def test_a_session_tells_what_its_callables_take() -> None:
    assert OFFERED.operands["misused.Box.paired"] == (1, 1)
    assert OFFERED.operands["misused.Solver.check"] == (0, 99)
    assert OFFERED.operands["misused.Box.__str__"] == (0, 0)
    assert OFFERED.bases["misused.Box"] == ["misused.Box"]
    assert OFFERED.needs["misused.extract"] == [["width", "width", "term"]]
    assert (
        "_text" in OFFERED.uses["misused.Box"] and "isidentifier" in OFFERED.uses["misused.renamed"]
    )


def test_other_operands_are_tried_in_the_place_of_each() -> None:
    asked: list[str] = []

    def alike(candidate: Script) -> bool:
        asked.append(words(candidate))
        return asked[-1].endswith(("py:none", "object"))

    found = list(tried(script(CALL.format(value="0")), OFFERED, alike))
    shows = Need("operand", "2:2", "None, object()", "1, -1, 'a', an empty list", "0")
    assert found[0] == shows
    assert asked[0] == "misused.Box.paired x1 py:1", "those of its class come first"
    assert shows.sentence() == (
        "Other operands in the place of 0 show the defect, too: None, object()."
    )


def test_other_calls_are_tried_with_the_operands() -> None:
    text = '0 new\n0 misuse@call misused.Box py:"a"\n return x1 Box\n0 misuse@call misused.Box.label x1\n'
    found = list(tried(script(text), OFFERED, lambda one: "size" in words(one)))
    made = '0 new\n0 misuse@call misused.Box py:"a"\n'
    *_, classes = tried(script(made), OFFERED, lambda one: words(one).startswith("misused.Solver"))
    assert classes.value == "misused.Solver", "of a class others that need as many operands"
    (need,) = found
    others = need.low.split(", ")
    assert (need.kind, need.name, need.value) == (
        "called",
        "2:misused.Box.label",
        "misused.Box.size",
    )
    assert "misused.Box.__str__" in others and "misused.Box" not in others
    assert need.sentence() == (
        "Other calls in the place of misused.Box.label show the defect, too: misused.Box.size."
    )


def test_the_bad_operand_of_a_broken_call_is_replaced_as_a_whole() -> None:
    text = '0 new\n0 mk-sort SORT_BOOL\n return s1\n0 misuse@context mk-const s1 "a" with sort other s1\n'
    asked: list[str] = []

    def alike(candidate: Script) -> bool:
        asked.append(words(candidate))
        return False

    list(tried(script(text), OFFERED, alike))
    assert asked[0] == 'mk-const s1 "a" with sort py:none'
    assert asked[-1].endswith("with sort s1"), "an object of the run itself, too"
    assert not list(tried(script("0 new\n0 check-sat\n"), OFFERED, lambda one: True))


def test_a_term_of_another_sort_is_made_for_the_place_of_a_term() -> None:
    text = """0 new
0 mk-sort SORT_INT
 return s1
0 mk-const s1 "a"
 return t1 s1
0 misuse@call misused.renamed t1 py:"b"
 return x1 Term
0 misuse@call misused.Box py:"a"
"""
    asked: list[Script] = []

    def alike(candidate: Script) -> bool:
        asked.append(candidate)
        return len(candidate) > 5

    (found, *_) = tried(script(text), OFFERED, alike, [3])
    assert found.value == "a term of another sort" and found.name == "3:1"
    changed = next(one for one in asked if len(one) > 5)
    assert [line.head().split(maxsplit=1)[1] for line in changed[3:6]] == [
        "mk-sort SORT_BOOL",
        'mk-const s2 "c2"',
        'misuse@call misused.renamed t2 py:"b"',
    ]
    said = add_header(f"# murxpy-trace 1\n{text}", f"# {HEADER} {write_needs([found])}\n")
    row = next(row for row in read_rows(said) if row.action == "misuse")
    assert in_words(row, said) == "misused.renamed(a term, 'b')", "and not a term of INT"


@pytest.mark.parametrize(
    ("needs", "said"),
    [
        ([Need("operand", "2:2", "None", "'a'", "py:0")], "misused.Box.paired(0 or None)"),
        ([Need("operand", "2:2", "None, 'a'", "", "py:0")], "misused.Box.paired(0 or others)"),
        ([Need("operand", "2:2", "", "'a'", "py:0")], "misused.Box.paired(0)"),
        ([Need("operand", "2:3", "None", "0", "the context")], "misused.Box.paired(0)"),
        (
            [Need("called", "2:misused.Box.paired", "misused.Box.size", "")],
            "a call such as misused.Box.paired(0)",
        ),
    ],
)
def test_a_sentence_says_that_others_show_it(needs: list[Need], said: str) -> None:
    text = f"# murxpy-trace 1\n{CALL.format(value='0')}"
    text = text.replace("py:0", "py:0 c1") if "2:3" in write_needs(needs) else text
    text = add_header(text, f"# {HEADER} {write_needs(needs)}\n")
    *_, made, last = read_rows(text)
    assert in_words(last, text) == said
    assert in_words(made, text) == "misused.Box('a')", "nothing else was tried there"


@pytest.mark.parametrize(
    ("kind", "message", "same"),
    [
        ("contract", "class C: TypeError: 'int' has no 'ctx' in _coerce (f.py)", True),
        ("contract", "class C: KeyError: 'None' has no 'ctx' in _coerce (f.py)", False),
        ("contract", "class C: TypeError: 'None' has no 'ctx' in other (f.py)", False),
        ("exception", "TypeError: 'None' has no 'ctx' in _coerce (f.py)", False),
        ("contract", "class C: TypeError: 'None' has no 'ctx' in g (f.py)", False),
    ],
)
def test_an_exception_of_one_function_is_the_same_whatever_it_says_of_an_operand(
    kind: str, message: str, same: bool
) -> None:
    def thrown(kind: str, message: str) -> Outcome:
        found = {"kind": kind, "message": message, "tier": "binding"}
        return Outcome(
            "report", {"status": "finding", "finding": found}, "0 new\n0 misuse@call f.g\n"
        )

    first = thrown("contract", "class C: TypeError: 'None' has no 'ctx' in _coerce (f.py)")
    shown = first_shown([[first]] * 3, Task(planted(), "a.trace"))
    assert shown.alike is not None and shown.alike(thrown(kind, message)) is same
    wanted = Task(planted(), "a.trace", match=Match(part="ctx"))
    assert first_shown([[first]] * 3, wanted).alike is None, "the user's own words decide"


def test_another_operand_is_tried_in_the_place_of_a_list() -> None:
    text = "0 new\n0 misuse@call misused.Box [ py:1 [ py:2 ] ] py:3\n"
    asked: list[str] = []

    def alike(candidate: Script) -> bool:
        asked.append(words(candidate))
        return asked[-1] in ("misused.Box py:[] py:3", "misused.Box [ py:1 [ py:-1 ] ] py:3")

    found = list(tried(script(text), OFFERED, alike))
    assert found[0] == Need("operand", "1:1", "an empty list", "None, 0, 'a', object()", "a list")
    assert asked[:1] == ["misused.Box py:none py:3"]
    assert "misused.Box [ py:1 py:none ] py:3" in asked, "in that of an inner one"
    said = add_header(f"# murxpy-trace 1\n{text}", f"# {HEADER} {write_needs(found[:-1])}\n")
    *_, row = read_rows(said)
    assert in_words(row, said) == "misused.Box([1, [2 or -1]] or an empty list, 3)"


def thrown_in(called: str, place: str, message: str = "list index out of range") -> Outcome:
    found = {
        "kind": "contract",
        "message": f"class C: IndexError: {message} in {place} (f.py)",
        "tier": "binding",
    }
    report = {"status": "finding", "finding": found}
    return Outcome("report", report, f"0 new\n0 misuse@call {called}\n")


def test_an_exception_of_each_function_itself_is_the_same() -> None:
    """Where functions have the same code each, without one that they share."""
    first = thrown_in("f.unite", "unite")
    shown = first_shown([[first]] * 3, Task(planted(), "a.trace"))
    assert shown.alike is not None and shown.alike(thrown_in("f.intersect", "intersect"))
    assert not shown.alike(thrown_in("f.intersect", "unite_all"))
    assert not shown.alike(thrown_in("f.intersect", "intersect", "pop from empty list"))
    method = thrown_in("f.Set.unite", "Set.unite")
    assert shown.alike(method)


def test_other_objects_are_tried_in_the_place_of_one_that_is_stressed() -> None:
    text = """0 new
0 mk-sort SORT_BOOL
 return s1
0 misuse@call misused.Box py:"a"
 return x1 Box
0 misuse@finalizer x1
"""
    asked: list[str] = []

    def alike(candidate: Script) -> bool:
        asked.append(words(candidate))
        return asked[-1] in ("s1", "t2")

    recipes = {
        "misused.Box": ["misused.Box"],
        "misused.Bag": ["misused.some", "misused.Bag $1 term"],
    }
    makers = {
        "misused.Box": (1, 1),
        "misused.some": (0, 1),
        "misused.other": (1, 1),
        "misused.Box.f": (0, 0),
    }
    offered = Callables(makers, {"misused.Box": ["misused.Box"]}, recipes=recipes)
    (found,) = tried(script(text), offered, alike)
    tried_so = "the context, the solver, what misused.some gives, Bag"
    assert found == Need("operand", "3:0", "a sort, a constant", tried_so, "a Box")
    assert "x2" in asked, "an object that a function of the module gives without operands"
    said = add_header(f"# murxpy-trace 1\n{text}", f"# {HEADER} {write_needs([found])}\n")
    *_, row = read_rows(said)
    assert in_words(row, said).startswith("Box or others (")
    assert (
        with_others("a copy of a Apple is no Box", said) == "a copy of an Apple or others is no Box"
    )


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ("survive x1\n", "a deep copy of Box whose original is gone"),
        ('survive x1\n      raised "TypeError: no"\n', "copy.deepcopy of Box"),
        ('outlive x1\n      raised "TypeError: no"\n', "copy.copy of an object such as Box"),
        ("iterate x1\n", "iterating over Box"),
        ("threads x1\n", "the same calls about Box in threads with contexts of their own"),
    ],
)
def test_what_is_done_to_an_object_is_said_as_a_person_would(rows: str, said: str) -> None:
    text = f'# murxpy-trace 1\n0 new\n0 misuse@call misused.Box py:"a"\n return x1 Box\n0 misuse@{rows}'
    *_, row = read_rows(text)
    assert in_words(row, text) == said


def test_other_questions_are_tried_in_a_state_that_allows_none() -> None:
    text = "0 new\n0 check-sat\n0 misuse@order get-unsat-assumptions@default\n"
    found = list(tried(script(text), OFFERED, lambda one: words(one) == "get-unsat-core"))
    wanted = Need("called", "2:get-unsat-assumptions", "get-unsat-core", "get-model")
    assert found == [wanted]
    said = add_header(f"# murxpy-trace 1\n{text}", f"# {HEADER} {write_needs(found)}\n")
    *_, row = read_rows(said)
    assert in_words(row, said).startswith("a call such as get-unsat-assumptions (")


def test_operands_of_a_call_are_left_out_from_behind() -> None:
    """But not the context of the run, in whose place a binding would take one of its own."""

    def fewer(row: str) -> list[str]:
        made = script(f"0 new\n0 misuse@{row}\n")
        return [words(one) for one in fewer_operands(made, 1)]

    assert fewer("call m.f py:1 [ py:2 py:3 ]") == [
        "m.f py:1",
        "m.f py:1 [ py:3 ]",
        "m.f py:1 [ py:2 ]",
    ]
    assert fewer('keyword m.f py:1 py:2 py:4 by "n" py:3') == [
        'm.f py:1 by "n" py:3',
        'm.f py:1 py:2 by "n" py:3',
    ]
    assert fewer("call m.f py:1 c1") == fewer("alike m.f py:1 at 0") == fewer("copy c1") == []


def calls_of_last(text: str, offered: Callables, shown: str = "") -> tuple[list[Need], list[str]]:
    """What is found where calls of `shown` show the defect, and the calls that were tried."""
    asked: list[str] = []

    def alike(candidate: Script) -> bool:
        asked.append("; ".join(" ".join(map(print_token, line.args)) for line in candidate[1:]))
        return bool(shown) and f"{shown} " in f"{asked[-1]} "

    return list(tried(script(text), offered, alike)), asked


def test_another_call_gets_operands_that_fit_it() -> None:
    """Each operand of the call is tried in the place of each of its own, too."""
    takes = {"m.set": (1, 1), "m.set_to": (2, 2), "m.add": (1, 9)}
    needs = {"m.set": [["int"]], "m.set_to": [["int", "str"]], "m.add": [["term*"]]}
    text = '0 new\n0 misuse@keyword m.set py:-1 by "n" py:3\n'
    found, asked = calls_of_last(text, Callables(takes, needs=needs), "m.set_to")
    assert found[-1] == Need("called", "1:m.set", "m.set_to", "m.add")
    assert 'm.set_to py:-1 py:"a" by "n" py:3' in asked, "the operand of the same kind stays"
    assert 'm.add py:-1 by "n" py:3' in asked, "as far as it takes so many"
    assert 'SORT_INT; s1 "c1"; m.add [ t1 ] by "n" py:3' in asked, "what it lacks is made"
    text = '0 new\n0 misuse@call m.set_to py:none py:"b"\n'
    _, asked = calls_of_last(text, Callables(takes, needs=needs))
    assert "m.set py:none" in asked, "in whatever place it stood"


def test_an_object_that_another_call_needs_is_made_by_its_recipe() -> None:
    takes = {"m.A": (0, 0), "m.of": (1, 1), "m.A.f": (0, 0), "m.A.g": (1, 1)}
    needs = {"m.of": [["m.A|int"]], "m.A": [[]], "m.A.f": [[]], "m.A.g": [["m.Kind"]]}
    uses = {"m.of": ["_inner"], "m.A.g": ["_inner", "len"], "m.A.f": ["len"]}
    bases = {"m.A": ["m.A"]}
    offered = Callables(
        takes, bases, {"m.Kind": ["m.Kind.X"]}, needs, uses, {"m.A": ["m.A", "m.A.f $1"]}
    )
    _, asked = calls_of_last("0 new\n0 misuse@call m.of py:none\n", offered)
    assert asked[-2:] == [
        "m.A; m.A.f x1; m.A.g x2 m.Kind.X",
        "m.A; m.A.f x1; m.A.g x2 py:none",
    ], "of what has the same names in its code"
    assert offered.related("m.of") == ["m.A.g"]
    assert Callables(uses={"m.a": ["b"], "m.A.b": ["c"], "m.A.a": []}).related("m.a") == ["m.A.b"]


def test_all_methods_without_operands_are_tried_in_the_place_of_one() -> None:
    names = [f"m.A.f{k}" for k in range(30)]
    needs: dict[str, list[list[str]]] = {name: [[]] for name in names}
    takes = dict.fromkeys(names, (0, 0))
    offered = Callables(takes, {"m.A": ["m.A"]}, needs=needs)
    text = "0 new\n0 misuse@call m.A\n return x1 A\n0 misuse@call m.A.f7 x1\n"
    found, _ = calls_of_last(text, offered, "m.A.f29")
    assert found[-1].value == "m.A.f29" and found[-1].low.count(",") == 27


def test_no_more_calls_are_tried_behind_three_that_show_it() -> None:
    takes = {f"m.f{k}": (0, 0) for k in range(9)}
    found, asked = calls_of_last("0 new\n0 misuse@call m.f0\n", Callables(takes), "m.f")
    assert not found or len(asked) <= 9
    found = list(tried(script("0 new\n0 misuse@call m.f0\n"), Callables(takes), lambda _: True))
    assert found == [Need("called", "1:m.f0", "m.f1, m.f2, m.f3", "")]


def test_a_term_is_made_for_the_place_of_a_sort() -> None:
    text = "0 new\n0 mk-sort SORT_BOOL\n return s1\n0 misuse@call misused.symbols s1\n"
    found, _ = calls_of_last(text, OFFERED, "misused.symbols t2")
    assert found[0] == Need(
        "operand", "2:1", "a term", "None, 0, 'a', object(), an empty list", "a sort"
    )


def test_the_method_of_the_same_name_of_other_classes_is_tried() -> None:
    takes = {
        "m.A": (0, 1),
        "m.B": (0, 0),
        "m.C": (1, 1),
        "m.A.f": (1, 1),
        "m.B.f": (1, 1),
        "m.C.f": (1, 1),
    }
    offered = Callables(takes, {"m.A": ["m.A"], "m.B": ["m.B"], "m.C": ["m.C"]})
    text = "0 new\n0 misuse@call m.A\n return x1 A\n0 misuse@edge m.A.f x1 py:none\n"
    asked: list[list[str]] = []

    def alike(candidate: Script) -> bool:
        asked.append([" ".join(map(print_token, line.args)) for line in candidate])
        return True

    (*_, found) = tried(script(text), offered, alike)
    assert found == Need("called", "2:m.A.f", "m.B.f", "")
    assert asked[-1] == ["", "m.A", "m.B", "m.B.f x2 py:none"]
    list(tried(script(text), offered, lambda one: alike(one) and len(one) < 4))
    assert asked[-1] == ["", "m.A", "m.B.f c1 py:none"], "the context may be of that class"
    takes["m.B"] = (0, 1)
    list(tried(script(text), offered, lambda one: alike(one) and one[2].args[1:] == [CONTEXT]))
    assert asked[-1] == ["", "m.A", "m.B c1", "m.B.f x2 py:none"]


def test_other_operators_are_tried_in_a_call_that_is_broken() -> None:
    text = """0 new
0 mk-sort SORT_BOOL
 return s1
0 mk-const s1 "a"
 return t1 s1
0 misuse@none mk-term@plain OP_INT_ADD SORT_INT 2 t1 t1 with 0 py:none
"""

    def operators(candidate: Script, at: int) -> list[tuple[str, str, Script]]:
        assert candidate[at].head().split()[1:] == [
            "mk-term",
            "OP_INT_ADD",
            "SORT_INT",
            "2",
            "t1",
            "t1",
        ]
        (other,) = script("0 mk-term OP_INT_SUB SORT_INT 2 t1 t1\n")
        return [("+", "-", (*candidate[:at], other))]

    (operand, found) = tried(script(text), OFFERED, lambda one: True, operators=operators)
    assert (operand.name, found.value) == ("3:8", "-")
    said = add_header(f"# murxpy-trace 1\n{text}", f"# {HEADER} {write_needs([operand, found])}\n")
    *_, row = read_rows(said)
    assert in_words(row, said) == (
        "a call such as making a term with OP_INT_ADD (None or others in the place of an operand)"
    )


def test_a_class_of_which_others_were_not_tried_is_an_example() -> None:
    text = '# murxpy-trace 1\n0 new\n0 misuse@call misused.Box py:"a"\n return x1 Box\n0 misuse@iterate x1\n'
    said = with_others("iterating over a Apple does not end", text)
    assert said == "iterating over an object such as an Apple does not end"
    assert with_others("a < b < a of two Box", text) == "a < b < a of objects such as two Box"
    twice = add_header(
        text, f"# {HEADER} {write_needs([Need('operand', '2:0', 'Box, Bag', '', '')])}\n"
    )
    assert (
        with_others("iterating over a Box does not end", twice)
        == "iterating over a Box or Bag does not end"
    )
    assert with_others("takes a Box", "0 new\n0 misuse@call f.g py:1\n") == "takes a Box"


def test_an_abort_at_one_place_in_the_source_is_the_same_whatever_it_says_of_an_operand() -> None:
    def aborted(case: str, line: int = 29) -> Outcome:
        said = f"Fatal failure within f at /src/expr/checker.cpp:{line}\nUnhandled case encountered {case}\n"
        return Outcome("died", trace="0 new\n0 misuse@call f.g\n", output=said, status=SIGABRT)

    shown = first_shown([[aborted("CONSTANT")]] * 3, Task(planted(), "a.trace"))
    assert shown.alike is not None and shown.alike(aborted("EMPTY"))
    assert not shown.alike(aborted("EMPTY", 30))
