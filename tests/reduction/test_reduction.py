"""Reduction of anything, and the passes over traces without any solver."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from murxpy.machine.replaying.defuse import Script, closed, collected, matching_pops
from murxpy.machine.tokens import Ref
from murxpy.machine.trace.grammar import parse_trace
from murxpy.passes import lines, sorts, terms, words
from murxpy.passes.lines import Spellings
from murxpy.passes.measure import Measure, text
from murxpy.passes.reduction import (
    OutOfReplays,
    Problem,
    Reducer,
    Search,
    at_once,
    ddmin,
    each,
    finished,
    fixpoint,
    one_by_one,
)

Numbers = tuple[int, ...]


def numbers(
    interesting: Callable[[Numbers], bool], start: Numbers, width: int = 1
) -> tuple[Reducer[Numbers], list[Numbers]]:
    """A reducer of tuples of numbers, and what it tests, `width` candidates at a time."""
    tested: list[Numbers] = []

    def first(candidates: Iterator[Numbers]) -> int | None:
        done = 0
        while window := list(islice(candidates, width)):
            tested.extend(window)
            for at, candidate in enumerate(window, done):
                if interesting(candidate):
                    return at
            done += len(window)
        return None

    return Reducer(start, at_once(first), lambda c: (len(c), c), repr), tested


def without(numbers: Numbers, low: int, high: int) -> Numbers:
    return numbers[:low] + numbers[high:]


@given(st.integers(1, 60), st.sets(st.integers(0, 59), max_size=6), st.integers(1, 4))
def test_ddmin_leaves_what_is_needed(length: int, wanted: set[int], width: int) -> None:
    needed = {number for number in wanted if number < length}
    reducer, tested = numbers(lambda c: needed <= set(c), tuple(range(length)), width)
    finished(ddmin(reducer, len, without))
    assert reducer.best == tuple(sorted(needed))
    assert len(tested) == len(set(tested)), "a candidate is tested once"


@pytest.mark.parametrize("keep", [0, 6])
def test_no_part_is_left_untried(keep: int) -> None:
    """Murxla never tries its last chunk."""
    reducer, _ = numbers(lambda c: keep in c, tuple(range(7)))
    finished(ddmin(reducer, len, without))
    assert reducer.best == (keep,)


def test_what_is_larger_or_was_tried_is_not_tested() -> None:
    """Murxla remembers no candidate."""
    reducer, tested = numbers(lambda c: False, (1, 2))
    assert finished(reducer.offer([(1, 2, 3), (1, 2), (1,), (1,)])) is None
    assert finished(reducer.offer([(1,)])) is None
    assert (tested, reducer.repeated) == ([(1,)], 2)


def test_of_a_window_the_first_that_passes_is_taken() -> None:
    reducer, tested = numbers(lambda c: c in ((2,), (1,)), (1, 2), width=3)
    assert finished(reducer.offer([(3,), (2,), (1,), (0,)])) == 1
    assert reducer.best == (2,)
    assert (0,) not in tested


def test_each_stays_as_long_as_it_gets_smaller() -> None:
    reducer, _ = numbers(lambda c: sum(c) >= 7, (5, 9))

    def smaller(best: Numbers, at: int) -> list[Numbers]:
        return [(*best[:at], best[at] - 1, *best[at + 1 :])]

    finished(fixpoint(reducer, [lambda r: each(r, len, smaller)]))
    assert sum(reducer.best) == 7


def problem(start: Numbers) -> Problem[Numbers, str]:
    """The problem of numbers of which as many are left out as can be."""
    return Problem(
        [start],
        order=lambda c: (len(c), c),
        text=repr,
        asked=repr,
        size=len,
        counts=lambda c: (len(c), 0),
        shrink=lambda reducer: ddmin(reducer, len, without),
        before=len(start),
    )


@pytest.mark.parametrize(("most", "ended", "best"), [(None, "complete", (3,)), (1, "replays", 4)])
def test_a_search_asks_its_caller(most: int | None, ended: str, best: Numbers | int) -> None:
    """A campaign answers the questions of a reduction beside its runs."""
    asked: list[str] = []

    def shows(text: str) -> Generator[str, bool, bool]:
        return (yield text)

    search = Search(problem(tuple(range(8))), one_by_one(shows), most)
    running = search.run()
    try:
        asked.append(next(running))
        while True:
            asked.append(running.send("3" in asked[-1]))
    except StopIteration as end:
        assert end.value == ended
    found = search.reducer.best
    assert found == best or len(found) == best
    assert len(asked) == len(set(asked)) == search.reducer.tests


def test_a_search_ends_where_its_test_has_spent_enough() -> None:
    tested: list[str] = []

    def first(candidates: Iterator[str]) -> int | None:
        for at, one in enumerate(candidates):
            if len(tested) == 3:
                raise OutOfReplays
            tested.append(one)
            if "0" in one:
                return at
        return None

    search = Search(problem(tuple(range(8))), at_once(first))
    assert finished(search.run()) == "replays"
    assert len(tested) == 3 and repr(search.reducer.best) in tested


TRACE = """
 1 new
 1 mk-sort SORT_BV 8
   return s1
 1 mk-const s1 "x"
   return t1 s1
 1 mk-const s1 "unused"
   return t2 s1
 1 mk-value s1 "00000011" 2
   return t10 s1
 1 mk-term@raw OP_BV_ADD SORT_BV 3 t1 t10 t1
   return t11 s1
 1 mk-term OP_BV_EXTRACT SORT_BV 1 t11 2 7 0
   return t12 s1
 1 mk-term OP_EQUAL SORT_BOOL 2 t12 t10
   return t13 s2
 1 push 2
 1 assert-formula t13
 1 check-sat-assuming 2 t13 t13
 1 pop 1
 1 pop 1
"""


@pytest.fixture
def script() -> Script:
    return tuple(parse_trace(TRACE, "t").lines)


def heads(script: Script) -> list[str]:
    return [" ".join(line.head().split()[1:]) for line in script]


def test_dependants_go_along(script: Script) -> None:
    """Murxla leaves them, and most of its candidates are ill-formed."""
    assert heads(lines.without(script, 1, 2)) == ["new", "push 2", "pop 1", "pop 1"]
    assert heads(closed(script[1:])) == []


def test_pops_of_levels_that_are_not_there_go(script: Script) -> None:
    less = [line for line in script if line.action != "push"]
    assert not any(line.action == "pop" for line in closed(less))


def test_a_pop_takes_no_more_levels_than_there_are() -> None:
    rows = "1 new\n1 push 1\n1 push 2\n1 pop 3\n"
    pushed = tuple(parse_trace(rows, "t").lines)
    assert heads(lines.without(pushed, 2, 3)) == ["new", "push 1", "pop 1"]


def test_what_nothing_uses_goes(script: Script) -> None:
    """Murxla removes unused ids one by one, each with a test."""
    gone = set(heads(script)) - set(heads(collected(script)))
    assert gone == {'mk-const s1 "unused"'}


def test_a_sort_stays_with_the_term_that_returns_it_first() -> None:
    rows = '1 new\n1 mk-value s9 true\n return t1 s2\n1 mk-const s2 "x"\n return t2 s2\n1 assert-formula t2\n'
    assert len(collected(parse_trace(rows, "t").lines)) == 4


def test_a_slice_keeps_the_calls_whose_objects_the_last_line_uses() -> None:
    rows = (
        "1 new\n1 misuse@call m.Sort c1\n return x1 Sort\n1 misuse@edge m.Other py:5\n return x2 Other\n"
        "1 misuse@call m.Term x1\n return x3 Term\n1 mk-value s1 true\n return t1 s1\n1 push 1\n1 misuse@edge m.use x3\n"
    )
    first = next(lines.slices(tuple(parse_trace(rows, "t").lines)))
    assert heads(first) == [
        "new",
        "misuse@call m.Sort c1",
        "misuse@call m.Term x1",
        "misuse@edge m.use x3",
    ]


def test_a_push_finds_its_pops(script: Script) -> None:
    at = heads(script).index("push 2")
    assert matching_pops(script, at) == [at + 3, at + 4]
    fewer = list(words.fewer_levels(script, at))[-1]
    assert heads(fewer)[at:] == [
        "push 1",
        "assert-formula t13",
        "check-sat-assuming 2 t13 t13",
        "pop 1",
    ]


def test_ids_are_replaced_whole(script: Script) -> None:
    """Murxla replaces t1 in t10 and t11, too."""
    changed = lines.with_uses(script, Ref("t", 1), Ref("t", 2), 0)
    assert "mk-term@raw OP_BV_ADD SORT_BV 3 t2 t10 t2" in heads(changed)
    assert heads(changed)[-3] == "check-sat-assuming 2 t13 t13"


def test_assumptions_and_arguments_get_fewer(script: Script) -> None:
    """Murxla takes arguments of operators of any arity only, and no assumptions."""
    at = next(n for n, line in enumerate(script) if line.action == "check-sat-assuming")
    assert "check-sat-assuming 1 t13" in {heads(c)[at] for c in words.fewer_terms(script, at)}
    at = next(n for n, line in enumerate(script) if "OP_BV_ADD" in line.args)
    assert "mk-term@raw OP_BV_ADD SORT_BV 2 t1 t10" in {
        heads(c)[at] for c in words.fewer_terms(script, at)
    }


def test_weights_go_with_their_terms() -> None:
    rows = "1 mk-term OP_PB_GE SORT_BOOL 3 t1 t2 t3 4 9 1 2 3\n return t4 s1\n"
    fewer = [heads(c)[0] for c in words.fewer_terms(tuple(parse_trace(rows, "t").lines), 0)]
    assert "mk-term OP_PB_GE SORT_BOOL 2 t1 t3 3 9 1 3" in fewer


def test_indices_and_widths_get_smaller(script: Script) -> None:
    """Murxla leaves indices, widths and values as they are."""
    at = next(n for n, line in enumerate(script) if "OP_BV_EXTRACT" in line.args)
    assert "mk-term OP_BV_EXTRACT SORT_BV 1 t11 2 0 0" in {
        heads(c)[at] for c in words.smaller_words(script, at)
    }
    narrow = [heads(c) for c in sorts.smaller_widths(script, 1)]
    assert any("mk-sort SORT_BV 2" in rows and 'mk-value s1 "11" 2' in rows for rows in narrow)


def test_a_term_becomes_its_child_or_a_constant(script: Script) -> None:
    """Murxla puts neither in place of a term."""
    at = next(n for n, line in enumerate(script) if "OP_BV_ADD" in line.args)
    assert any(
        "mk-term OP_BV_EXTRACT SORT_BV 1 t1 2 7 0" in heads(c)
        for c in terms.older_terms(script, at)
    )
    assert any('mk-const s1 "c11"' in heads(c) for c in terms.leaves(script, at))


def test_quantifiers_go_with_their_variable() -> None:
    rows = (
        '1 new\n1 mk-var s1 "x"\n return t1 s1\n1 mk-term OP_FORALL SORT_BOOL 2 t1 t1\n return t2 s1\n'
        "1 assert-formula t2\n"
    )
    (changed,) = terms.unbound(tuple(parse_trace(rows, "t").lines), 1)
    assert heads(changed) == ["new", 'mk-const s1 "x"', "assert-formula t1"]


def test_datatypes_get_smaller() -> None:
    row = '1 mk-sort SORT_DT 2 "d" 0 2 "nil" 0 "cons" 2 "head" s(nil) "tail" s<"e"> 0 "e" 1 s"p" 1 "mk" 0\n return s1 s2\n'
    smaller = [
        heads(c)[0]
        for c in sorts.smaller_datatypes(tuple(parse_trace("1 new\n" + row, "t").lines), 1)
        for c in [c[1:]]
    ]
    assert 'mk-sort SORT_DT 1 "d" 0 2 "nil" 0 "cons" 1 "head" s(nil)' in smaller, (
        "what is of the sort that goes, goes"
    )
    assert 'mk-sort SORT_DT 2 "d" 0 1 "nil" 0 "e" 1 s"p" 1 "mk" 0' in smaller
    assert (
        'mk-sort SORT_DT 2 "d" 0 2 "nil" 0 "cons" 1 "tail" s<"e"> 0 "e" 1 s"p" 1 "mk" 0' in smaller
    )


def test_ids_and_symbols_at_the_end(script: Script) -> None:
    """Murxla does not renumber."""
    plain = words.plain_seeds(words.plain_symbols(lines.renumbered(script)))
    assert "return t2 s1" in text(plain) and '"unused"' not in text(plain)
    assert "t10" not in text(plain)
    assert Measure().key(plain) < Measure().key(script)


def test_simpler_spellings_are_those_listed_before() -> None:
    spellings = Spellings(
        {"operators": {"OP_BV_ADD": {"operator": "a", "function": "b", "raw": "c"}}}
    )
    script = tuple(parse_trace("1 mk-term@raw OP_BV_ADD SORT_BV 2 t1 t1\n", "t").lines)
    assert spellings.rank(script[0]) == 2
    assert [c[0].spelling for c in spellings.simpler(script, 0)] == ["operator", "function"]


def made(rows: str) -> Script:
    """The lines of `rows`, with `new` before them."""
    return tuple(parse_trace("1 new\n" + rows, "t").lines)


def test_constructors_are_applied_to_what_is_left() -> None:
    """Murxla does not touch applications of constructors."""
    script = made(
        '1 mk-sort SORT_DT 1 "d" 0 1 "pair" 2 "left" s1 "right" s1\n return s2\n'
        '1 mk-term OP_DT_APPLY_CONS SORT_DT s2 1 "pair" 2 t1 t3\n return t2 s2\n'
    )
    found = [heads(c)[1:] for c in sorts.smaller_datatypes(script, 1)]
    assert [
        'mk-sort SORT_DT 1 "d" 0 1 "pair" 1 "right" s1',
        'mk-term OP_DT_APPLY_CONS SORT_DT s2 1 "pair" 1 t3',
    ] in found


def test_mutual_recursion_goes() -> None:
    script = made(
        "1 mk-sort SORT_INT\n return s1\n"
        '1 mk-sort SORT_DT 2 "d" 0 1 "c" 1 "e1" s<"e"> 0 "e" 0 2 "nil" 0 "n" 1 "d1" s<"d"> 0\n return s2 s3\n'
    )
    found = [heads(c)[2] for c in sorts.smaller_datatypes(script, 2)]
    assert 'mk-sort SORT_DT 2 "d" 0 1 "c" 1 "e1" s1 "e" 0 2 "nil" 0 "n" 1 "d1" s<"d"> 0' in found


def test_functions_take_fewer_arguments() -> None:
    """Murxla drops domains, too; here the applications follow, and nothing else."""
    script = made(
        '1 mk-sort SORT_FUN s1 s2 s3\n return s4\n1 mk-const s4 "f"\n return t1 s4\n'
        "1 mk-term OP_UF_APPLY SORT_BOOL 3 t1 t2 t3\n return t4 s3\n"
    )
    found = [heads(c)[1:] for c in sorts.fewer_domains(script, 1)]
    assert found == [
        ["mk-sort SORT_FUN s1 s3", 'mk-const s4 "f"', "mk-term OP_UF_APPLY SORT_BOOL 2 t1 t2"],
        ["mk-sort SORT_FUN s2 s3", 'mk-const s4 "f"', "mk-term OP_UF_APPLY SORT_BOOL 2 t1 t3"],
    ]


def test_an_array_sort_becomes_one_of_its_parts() -> None:
    script = made(
        "1 mk-sort SORT_BV 8\n return s1\n1 mk-sort SORT_ARRAY s1 s1\n return s2\n1 mk-sort SORT_ARRAY s1 s2\n return s3\n"
        '1 mk-const s3 "a"\n return t1 s3\n'
    )
    found = [heads(c)[-1] for c in sorts.simpler_sorts(script, 3)]
    assert found[:2] == ['mk-const s1 "a"', 'mk-const s2 "a"']
    assert "mk-sort SORT_ARRAY s1 s1" in [heads(c)[3] for c in sorts.older_sort_argument(script, 3)]


def test_formats_get_smaller_with_their_literals() -> None:
    script = made(
        '1 mk-sort SORT_FP 5 11\n return s1\n1 mk-value s1 "0101010000000001"\n return t1 s1\n'
        "1 mk-term OP_FP_TO_FP_FROM_BV SORT_FP 1 t2 2 5 11\n return t3 s1\n"
    )
    found = [heads(c)[1:] for c in sorts.smaller_formats(script, 1)]
    assert [
        "mk-sort SORT_FP 3 5",
        'mk-value s1 "00100000"',
        "mk-term OP_FP_TO_FP_FROM_BV SORT_FP 1 t2 2 3 5",
    ] not in found
    assert [
        "mk-sort SORT_FP 3 5",
        'mk-value s1 "01010000"',
        "mk-term OP_FP_TO_FP_FROM_BV SORT_FP 1 t2 2 3 5",
    ] in found


def test_whole_theories_go(script: Script) -> None:
    first, *rest = [heads(c) for c in lines.without_theories(script)]
    assert all("BV" not in row for row in first), "the theory with the most lines comes first"
    assert any("push 2" not in rows and "pop 1" not in rows for rows in rest)


def test_actions_get_plainer(script: Script) -> None:
    at = next(n for n, line in enumerate(script) if line.action == "check-sat-assuming")
    assert [heads(c)[at] for c in words.simpler_actions(script, at)] == ["check-sat"]


def test_any_older_term_is_tried_in_a_short_trace() -> None:
    """Only older ones: Murxla tries both directions, and every second candidate is ill-formed."""
    rows = (
        "".join(f'1 mk-const s1 "c{n}"\n return t{n} s1\n' for n in range(1, 10))
        + "1 assert-formula t9\n"
    )
    found = {heads(c)[-1] for c in terms.older_terms(made(rows), 9)}
    assert found == {f"assert-formula t{n}" for n in range(1, 9)}


def test_equal_declarations_become_one() -> None:
    """Murxla merges none."""
    script = made(
        '1 mk-sort SORT_BV 4\n return s1\n1 mk-sort SORT_BV 4\n return s2\n1 mk-const s2 "a"\n return t1 s2\n'
    )
    assert ["new", "mk-sort SORT_BV 4", 'mk-const s1 "a"'] in [
        heads(c) for c in sorts.merged_sorts(script, 2)
    ]


def test_numbers_and_texts_get_smaller() -> None:
    script = made('1 mk-value s1 "1234"\n return t1 s1\n1 mk-value s2 "some text"\n return t2 s2\n')
    assert {'mk-value s1 "0"', 'mk-value s1 "12"'} <= {
        heads(c)[1] for c in words.smaller_words(script, 1)
    }
    assert {'mk-value s2 ""', 'mk-value s2 "some"', 'mk-value s2 "ome text"'} <= {
        heads(c)[2] for c in words.smaller_words(script, 2)
    }


def test_values_of_misuses_get_smaller() -> None:
    text = '1 misuse@edge m.f py:-9007199254740984 py:"xxyy" py:[1] py:0x1.c000000000000p+1f\n1 mk-sort SORT_BV 4\n'
    found = [heads(c)[1] for c in words.smaller_words(made(text), 1)]
    assert len(found) == 7 + 6 + 1
    (rest,) = {row.partition("py:")[0] for row in found}
    kept = 'py:"xxyy" py:[1] py:0x1.c000000000000p+1f'
    assert [f"{rest}py:{number} {kept}" for number in (0, 1, -1)] == found[:3]
    assert f'{rest}py:-9007199254740984 py:"" py:[1] py:0x1.c000000000000p+1f' in found


def test_defined_functions_take_fewer_arguments() -> None:
    script = made(
        '1 mk-fun "f" 2 t1 t2 t3\n return t4 s2\n1 mk-term OP_UF_APPLY SORT_BOOL 3 t4 t5 t6\n return t7 s1\n'
    )
    assert [heads(c)[1:] for c in sorts.fewer_variables(script, 1)] == [
        ['mk-fun "f" 1 t1 t3', "mk-term OP_UF_APPLY SORT_BOOL 2 t4 t5"],
        ['mk-fun "f" 1 t2 t3', "mk-term OP_UF_APPLY SORT_BOOL 2 t4 t6"],
    ]


def test_a_term_is_raised_above_what_it_lies_below() -> None:
    script = made(
        '1 mk-sort SORT_INT\n return s1\n1 mk-const s1 "i"\n return t1 s1\n1 mk-sort SORT_BOOL\n return s2\n'
        '1 mk-const s2 "p"\n return t2 s2\n1 mk-term OP_NOT SORT_BOOL 1 t2\n return t3 s2\n'
        "1 mk-term OP_ITE SORT_INT 3 t3 t1 t1\n return t4 s1\n1 mk-term OP_INT_LT SORT_BOOL 2 t1 t4\n return t5 s2\n"
        "1 assert-formula t5\n"
    )
    found = [heads(collected(c)) for c in terms.raised(script, 5)]
    assert found == [
        [
            "new",
            "mk-sort SORT_INT",
            'mk-const s1 "i"',
            "mk-term OP_INT_LT SORT_BOOL 2 t1 t1",
            "mk-term OP_NOT SORT_BOOL 1 t5",
            "assert-formula t3",
        ]
    ]
