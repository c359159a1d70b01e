"""Defects: which buckets show the same one."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path

import pytest
from commands import FAKE, error, fuzz_fake, outcome

from murxpy.cli.report.console import make_console
from murxpy.cli.report.findings import LAST, defect_data, defect_views, print_defects, sentence
from murxpy.findings.buckets import Bucket, Kept, worst_first
from murxpy.findings.defects import (
    MIXED,
    Grouping,
    abstract,
    callable_of,
    disjoint,
    is_silent,
    is_trifle,
    same,
)
from murxpy.findings.frames import inside, place
from murxpy.findings.shapes import Shape, shape_of
from murxpy.machine.trace.finished import HEADER, OWN_CONTEXT, Need, write_needs
from murxpy.machine.trace.grammar import parse_trace
from murxpy.records.finding import Reproducer

TEXT = """#0  0x00007ffff58e3c8c in lp::matrix<double, double>::set(unsigned int, double const&) () from /x/libz3.so
#1  main (argc=1) at main.c:3
#2  0x00007ffff0000001 in ?? () from /x/libc.so
#3  0x00007ffff0000002 in outer () from /x/libz3.so
"""


def bucket(key: str, kind: str = "crash", message: str = "", first: float = 0.0) -> Bucket:
    """A confirmed bucket of a solver."""
    return Bucket(
        key,
        kind,
        "solver",
        "high",
        "s",
        "",
        message,
        "check-sat",
        "",
        "",
        "confirmed",
        first,
        first,
    )


def frames(*names: str) -> str:
    """A backtrace of these functions, innermost first."""
    return "".join(
        f"#{at}  0x{at:016x} in {name} () from /x/lib.so\n" for at, name in enumerate(names)
    )


def grouped(buckets: list[Bucket], files: dict[str, str] | None = None) -> list[tuple[str, ...]]:
    """The keys of the buckets of each defect."""
    grouping = Grouping((files or {}).get, lambda key: "")
    return [defect.buckets for defect in grouping.defects(buckets)]


def crash(key: str, *names: str, **fields: object) -> Bucket:
    """The bucket of a crash with these native frames."""
    return replace(bucket(key, **fields), backtrace=frames(*names))  # type: ignore[arg-type]


def reduced(key: str, kind: str, text: str, files: dict[str, str]) -> Bucket:
    """A bucket whose smaller trace has `text`."""
    files[f"{key}.min.trace"] = text
    form = Reproducer("min.trace", f"{key}.min.trace", True)
    return replace(bucket(key, kind, "the model is wrong"), reproducers=(form,))


def test_the_innermost_frames_are_the_place_of_a_death() -> None:
    assert place(TEXT) == (
        "lp::matrix<double, double>::set(unsigned int, double const&)",
        "main",
        "0x00007ffff0000001",
    )
    buckets = [
        crash("a", "f", "g", "h", "i"),
        crash("b", "f", "g", "h", "j"),
        crash("c", "f", "g", "x"),
    ]
    assert grouped([*buckets, bucket("none")]) == [("a", "b"), ("c",), ("none",)]


def test_copies_of_a_function_are_one_place() -> None:
    assert place(
        frames("f(int) [clone .constprop.2]", "g() [clone .isra.0] [clone .cold]", "h.lto_priv.0")
    ) == (*("f(int)", "g()", "h"),)


@pytest.mark.parametrize("top", [(), ("visit", "lookup"), ("malloc", "operator new", "alloc")])
@pytest.mark.parametrize("turn", [0, 1, 2, 3])
def test_an_endless_recursion_is_one_by_its_cycle(top: tuple[str, ...], turn: int) -> None:
    names = ("rewrite", "visit", "mk_app", "apply") * 12
    first = crash("first", *("rewrite", "visit", "mk_app", "apply") * 10)
    other = crash("other", *top, *names[turn:40])
    assert grouped([first, other]) == [("first", "other")]


def test_one_recursion_may_take_several_ways_through_its_functions() -> None:
    long = ["deep", "internalize", "assert", "deep", "term", "internalize", "assert"] * 8
    short = ["deep", "term", "internalize", "assert"] * 12
    other = ["deep", "term", "internalize"] * 12
    found = [crash("long", *long), crash("short", *short), crash("other", *other)]
    assert grouped(found) == [("long", "short"), ("other",)]


def test_the_place_of_an_exception_that_nobody_catches_is_where_it_is_thrown() -> None:
    """The library that ends the process has no symbols between the functions that do so."""
    ending = ("__GI_abort", "0x00007ffff469d919", "0x00007ffff46a8e1a", "std::terminate()")
    thrown = (*ending, "__cxa_throw", "std::__throw_logic_error(char const*)")
    assert place(frames(*thrown, "read", "api", "0x00007ffff0000001")) == (
        "read",
        "api",
        "0x00007ffff0000001",
    )
    assert inside(frames(*thrown, "read", "api")) == ("read", "api")
    assert place(frames("0x00007ffff0000002", "f")) == ("0x00007ffff0000002", "f")
    found = [crash("a", *thrown, "read", "api"), crash("b", *thrown, "make", "api")]
    assert grouped(found) == [("a",), ("b",)]


def test_frames_that_repeat_a_few_times_are_no_endless_recursion() -> None:
    names = ("leaf", *("rec",) * 4, "check", "solve", "api", "ffi_call", "main", "start", "begin")
    assert place(frames(*names)) == ("leaf", "rec", "rec")


def test_an_abort_and_a_wrong_access_at_one_place_are_one() -> None:
    end = ("__pthread_kill_implementation", "__GI_raise", "__GI_abort", "__assert_fail")
    dead = crash("abort", *end, "pop_core", "pop", "api", kind="abort")
    assert grouped([dead, crash("crash", "pop_core", "pop", "api")]) == [("abort", "crash")]


def test_a_broken_heap_is_one_defect_wherever_it_is_noticed() -> None:
    end = ("__pthread_kill_implementation", "__GI_raise", "__GI_abort", "__libc_message")
    top = ("_int_malloc", "__GI___libc_malloc", "operator new(unsigned long)")
    checked = (*end, "malloc_printerr", "realloc_check", "__debug_realloc", "attach", "lemma", "go")
    assert place(frames(*checked)) == ("heap", "attach", "lemma", "go")
    broken = [crash("a", *top, "vector"), crash("b", *checked), crash("c", *top, "PyObject_Malloc")]
    assert grouped([*broken, crash("d", "vector")]) == [("a", "b", "c"), ("d",)]


def test_a_recursion_whose_turns_differ_is_known_by_the_functions_that_come_again_and_again() -> (
    None
):
    ways = (["visit", "args"], ["visit", "let", "args"], ["visit", "quantifier", "args", "let"])
    turns = [name for at in range(24) for name in ways[at * at % 3]][:60]
    found = place(frames("alloc", "mk_app", *turns))
    assert found[0] == "recursion" and {"visit", "args"} <= {*found} and "alloc" not in found
    assert place(frames("alloc", *turns, "api", "ffi_call"))[0] == "alloc", "it came to an end"


FINALIZED = ("solver::dec_ref", "api_dec_ref", "0x00007ffff0000001", "ffi_call", "_ctypes_callproc")
FINALIZERS = ("_PyEval_EvalFrameDefault", "slot_tp_finalize", "subtype_dealloc")


@pytest.mark.parametrize(
    "names",
    [
        (*FINALIZED, *FINALIZERS),
        (*FINALIZED, "_PyEval_EvalFrameDefault", "slot_tp_finalize", "gc_collect_main"),
        ("solver::inner", "Term::~Term", "__pyx_tp_dealloc_4base_Term", "_PyEval_EvalFrameDefault"),
        ("solver::inner", "api_dec_ref", "ffi_call"),
    ],
)
def test_a_death_in_a_finalizer_is_not_blamed_on_the_last_call(names: tuple[str, ...]) -> None:
    files: dict[str, str] = {}
    found = died("freed", "z3.f t1 py:none", files)
    found = replace(found, backtrace=frames(*names), signal="SIGSEGV")
    small = files["freed.min.trace"]
    said = (
        "broken memory ends the process with a segmentation fault when an object is released {} "
        "z3.f(a term, None): what broke it came before"
    )
    assert sentence(found, small) == said.format("during or after")
    for row in ("return x1 Made", 'raised "TypeError: no"'):
        assert sentence(found, f"{small}      {row}\n") == said.format("after")
    aborts = sentence(replace(found, kind="abort", signal="SIGABRT"), small)
    assert aborts.startswith("the release of an object during or after z3.f(a term, None) ends")
    assert "broken memory" not in aborts, "the solver aborts by itself"
    other = replace(crash("other", "y", "z", *FINALIZERS), action="check-sat")
    files |= {"other.min.trace": "1 new\n2 check-sat\n"}
    heap = crash("heap", "_int_malloc", "malloc", "vector")
    assert grouped([found, other, heap], files) == [("freed", "heap", "other")]


def test_a_finalizer_that_a_misuse_before_it_breaks_is_blamed_on_that() -> None:
    files: dict[str, str] = {}
    words = "z3.FPRef.__neg__ x2\n3 misuse@edge z3.g t1"
    found = replace(died("freed", words, files), backtrace=frames(*FINALIZED, *FINALIZERS))
    said = sentence(found, files["freed.min.trace"])
    assert said == "z3.FPRef.__neg__() and then the release of an object ends the process"
    dropped = replace(found, action="gc", operator="", spelling="")
    said = sentence(dropped, "1 new\n2 gc\n")
    assert said == "a garbage collection ends the process in solver::dec_ref: the model is wrong"


def test_what_dies_after_its_call_returned_is_told_so() -> None:
    files: dict[str, str] = {}
    found = died("late", "z3.f t1", files)
    small = files["late.min.trace"]
    assert (
        sentence(found, small) == "z3.f(a term) ends the process in late_frame: the model is wrong"
    )
    for row, does in (("return x1 Made", "returns"), ('raised "TypeError: no"', "raises")):
        said = sentence(found, f"{small}      {row}\n")
        assert said.startswith(
            f"z3.f(a term) {does}, and what follows ends the process in late_frame"
        )


def test_a_function_of_the_standard_library_is_no_place() -> None:
    text = "std::__cxx11::basic_string<char, std::char_traits<char> >::basic_string"
    assert sentence(crash("a", "raise", text, "api_of_text", "go")).endswith(" in api_of_text")


def test_a_broken_heap_is_blamed_on_no_call() -> None:
    found = replace(crash("a", "_int_malloc", "malloc", "vector", "go"), signal="SIGABRT")
    said = "broken memory ends the process with an abort during or after check-sat: that call or an earlier one broke the heap"
    assert sentence(found) == said
    told = replace(bucket("b", "abort", "corrupted double-linked list"), signal="SIGABRT")
    assert sentence(told) == said


def test_what_shows_at_the_call_after_is_one_with_what_shows_at_once() -> None:
    files = {"late.min.trace": "1 new\n2 push 1\n3 own-cube\n4 pop 1\n"}
    form = Reproducer("min.trace", "late.min.trace", True)
    late = replace(crash("late", "pop_core", "pop", "api"), action="pop", reproducers=(form,))
    once = replace(crash("once", "pop_core", "cube", "api"), action="own-cube")
    other = replace(crash("other", "pop_core", "reset", "api"), action="reset")
    assert grouped([late, once, other], files) == [("late", "once"), ("other",)]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            "RuntimeError: script error: cannot process term (exists ((_v6 Bool)) _v6) with shadowed variables",
            "RuntimeError: cannot process term (forall ((_v16 _u0)) (= _x5 _v16)) with shadowed variables",
        ),
        ("Error: index 7 of _x12 is out of bounds", "Error: index 12 of _dt1 is out of bounds"),
        ("Error: unexpected sort Int at |a b|", "Error: unexpected sort Real at |c|"),
    ],
)
def test_a_printed_term_is_no_part_of_an_exception(one: str, other: str) -> None:
    assert abstract(one) == abstract(other)
    buckets = [bucket("a", "exception", one), bucket("b", "exception", other)]
    assert grouped([*buckets, bucket("c", "contract", one)]) == [("a", "b"), ("c",)]


def test_the_function_that_a_message_declares_may_be_that_of_another_sort() -> None:
    """Where the innermost operator is the same: which function the solver applies differs with its sort."""
    said = "Error: Sort mismatch at argument #1 for function (declare-fun {} (Int) Bool) supplied sort is {}"
    made = """1 new
1 mk-sort SORT_{}
 return s1
1 mk-const s1 "a"
 return t1 s1
1 mk-term {} SORT_ARRAY 2 t1 t1
 return t2 s2
1 mk-term {} SORT_BOOL 2 t2 t2
 return t3 s3
1 assert-formula t3
1 check-sat
"""
    files = {
        "one.min.trace": made.format("RM", "OP_ARRAY_LAMBDA", "OP_EQUAL"),
        "other.min.trace": made.format("INT", "OP_ARRAY_LAMBDA", "OP_SET_MEMBER"),
        "apart.min.trace": made.format("INT", "OP_SET_UNION", "OP_SET_MEMBER"),
    }
    told = {
        "one": ("rm", "RoundingMode"),
        "other": ("extract", "(_ FloatingPoint 2 3)"),
        "apart": ("f", "Int"),
    }
    buckets = [
        replace(
            bucket(key, "exception", said.format(*words)),
            reproducers=(Reproducer("min.trace", f"{key}.min.trace", True),),
        )
        for key, words in told.items()
    ]
    assert sorted(grouped(buckets, files)) == [("apart",), ("one", "other")]


def test_a_message_of_one_word_does_not_tell_which_defect_threw_it() -> None:
    buckets = [bucket(key, "exception", "Error: unreachable") for key in "ab"]
    assert grouped(buckets) == [("a",), ("b",)]


WRONG = """# murxpy-trace 1
1 new
2 set-option models true
3 mk-sort SORT_INT
      return s1
4 mk-const s1 "a"
      return t1 s1
5 mk-value s1 "7"
      return t2 s1
6 mk-term OP_INT_DIV SORT_INT 2 t1 t2
      return t3 s1
7 mk-term OP_INT_LT SORT_BOOL 2 t3 t1
      return t4 s2
8 assert-formula t4
9 check-sat
      answer sat
10 check-model
"""


def shape(text: str) -> Shape:
    """The shape of a trace."""
    found = shape_of(parse_trace(text, "t"))
    assert found is not None
    return found


def test_the_shape_of_a_trace() -> None:
    assert shape(WRONG) == Shape(
        ("models true",),
        ("(OP_INT_LT (OP_INT_DIV const:INT value:INT) const:INT)",),
        ("check-sat", "check-model"),
        ("(OP_INT_DIV _ _)",),
    )
    renamed = WRONG.replace('"a"', '"other"').replace('"7"', '"12"')
    assert shape(renamed) == shape(WRONG)
    equal = WRONG.replace("OP_INT_LT", "OP_EQUAL")
    swapped = equal.replace("2 t3 t1", "2 t1 t3")
    assert shape(equal) == shape(swapped) != shape(WRONG)
    assert shape(WRONG.replace("2 t3 t1", "2 t1 t3")) != shape(WRONG)


def test_a_sort_that_only_a_term_returns_is_known_in_the_shape() -> None:
    made = """# murxpy-trace 1
1 new
2 mk-sort SORT_BV 4
  return s1
3 mk-value s1 "1000" 2
  return t2 s1
4 mk-term OP_BV_NEGO SORT_BOOL 1 t2
  return t3 s2
5 assert-formula t3
6 check-sat
"""
    returned = made.replace(
        "2 mk-sort SORT_BV 4\n  return s1\n",
        '2 mk-sort SORT_INT\n  return s9\n2 mk-value s9 "0"\n  return t1 s9\n'
        "2 mk-term OP_INT_TO_BV SORT_BV 1 t1 1 4\n  return t9 s1\n",
    )
    assert shape(returned) == shape(made)
    assert shape(made).formulas == ("(OP_BV_NEGO value:BV)",)


def test_the_shape_of_a_script_is_that_of_its_trace() -> None:
    text = "(declare-const a Int)(assert (< (div a 7) a))(check-sat)"
    script = shape(f'# murxpy-trace 1\n1 new\n2 run-script "{text}"\n')
    assert script.formulas == shape(WRONG).formulas


def test_wrong_answers_are_compared_by_the_shape_of_the_smaller_trace() -> None:
    files: dict[str, str] = {}
    swapped = WRONG.replace("OP_INT_LT", "OP_EQUAL").replace('"7"', '"8"')
    buckets = [
        reduced("first", "invalid-model", WRONG, files),
        reduced("same", "invalid-model", swapped, files),
        reduced("option", "invalid-model", WRONG.replace("models true", "other on"), files),
        reduced("operator", "invalid-model", WRONG.replace("OP_INT_DIV", "OP_INT_MOD"), files),
        bucket("not reduced", "invalid-model", "the model is wrong"),
    ]
    kinds = [("first", "same"), ("option",), ("operator",), ("not reduced",)]
    assert grouped(buckets, files) == sorted(kinds)
    plain = WRONG.replace("OP_INT_DIV", "OP_INT_ADD")
    other = plain.replace("OP_INT_LT", "OP_INT_GT")  # no operator tells which defect it is
    texts = {"a": plain, "b": plain, "c": other}
    ordinary = [reduced(key, "invalid-model", text, files) for key, text in texts.items()]
    assert grouped(ordinary, files) == [("a", "b"), ("c",)]


def test_a_trace_with_more_operators_is_explained_by_one_of_them_alone() -> None:
    files: dict[str, str] = {}
    length = "7 mk-term OP_INT_ABS SORT_INT 1 t1\n      return t5 s1\n"
    more = WRONG.replace("6 mk-term", length + "6 mk-term").replace("2 t1 t2", "2 t5 t2")
    other = WRONG.replace("OP_INT_DIV SORT_INT 2 t1 t2", "OP_INT_ABS SORT_INT 1 t1")
    one = [
        reduced("more", "invalid-model", more, files),
        reduced("alone", "invalid-model", WRONG, files),
        reduced("kind", "invalid-core", more, files),
    ]
    assert grouped(one[:2], files) == [("alone", "more")]
    assert grouped([*one, reduced("abs", "invalid-model", other, files)], files) == [
        *[("abs",), ("alone",), ("kind", "more")],  # either operator may be at fault in `more`
    ]


MODEL = """# murxpy-trace 1
# solver SOLVER
0 new
      return o1
OPTION0 mk-sort SORT_BOOL
      return s1
0 mk-sort SORT_SET s1
      return s2
0 mk-sort SORT_SET s2
      return s3
0 mk-const s3 "c"
      return t1 s3
0 mk-var s1 "b"
      return t2 s1
0 mk-term OP_SET_COMPREHENSION SORT_SET 3 t2 t2 t2
      return t3 s2
0 mk-term OP_SET_MEMBER SORT_BOOL 2 t3 t1
      return t4 s1
0 assert-formula t4
0 check-sat
      answer sat
0 check-model
"""


def test_what_a_solver_writes_alike_is_one_and_pairs_of_operators_explain_more() -> None:
    """z3 takes sets for arrays: the comprehension is a lambda, and membership reads an array."""
    files: dict[str, str] = {}
    sets = MODEL.replace("SOLVER", "z3 5.4.1").replace("OPTION", "")
    arrays = sets.replace(
        "OP_SET_COMPREHENSION SORT_SET 3 t2 t2", "OP_ARRAY_LAMBDA SORT_ARRAY 2 t2"
    )
    negated = "0 mk-term OP_BV_NOT SORT_BV 1 t2\n      return t9 s1\n0 mk-term OP_ARRAY_LAMBDA"
    more = arrays.replace("0 mk-term OP_ARRAY_LAMBDA", negated).replace("2 t2 t2", "2 t2 t9")
    other = arrays.replace("OP_SET_MEMBER", "OP_SET_INSERT")
    found = [
        replace(reduced(key, "invalid-model", text, files), solver="z3")
        for key, text in (("sets", sets), ("arrays", arrays), ("more", more), ("other", other))
    ]
    assert grouped(found, files) == [("arrays", "more", "sets"), ("other",)]
    apart = [replace(one, solver="cvc5") for one in found[:2]]
    assert grouped(apart, files) == [("arrays",), ("sets",)]


def test_what_a_solver_rewrites_into_one_operator_is_one() -> None:
    files: dict[str, str] = {}
    text = MODEL.replace("SOLVER", "z3 5.4.1").replace("OPTION", "")
    texts = [
        text.replace(
            "OP_SET_COMPREHENSION SORT_SET 3 t2 t2 t2", f"{kind} SORT_STRING 1 t2"
        ).replace("OP_SET_MEMBER SORT_BOOL 2 t3 t1", "OP_EQUAL SORT_BOOL 2 t3 t3")
        for kind in ("OP_STR_FROM_UBV", "OP_STR_FROM_SBV")
    ]
    for solver, groups in (("z3", [("a", "b")]), ("cvc5", [("a",), ("b",)])):
        named = zip("ab", texts, strict=True)
        found = [reduced(key, "invalid-model", one, files) for key, one in named]
        assert grouped([replace(one, solver=solver) for one in found], files) == groups


def test_a_wrong_sat_is_the_wrong_model_of_its_operator() -> None:
    files: dict[str, str] = {}
    text = MODEL.replace("SOLVER", "cvc5 1.4.2").replace("OPTION", "")
    text = text.replace(
        "OP_SET_COMPREHENSION SORT_SET 3 t2 t2 t2", "OP_INT_DIV_TOTAL SORT_INT 2 t2 t2"
    )
    text = text.replace("OP_SET_MEMBER SORT_BOOL 2 t3 t1", "OP_INT_GT SORT_BOOL 2 t3 t2")
    answer = text.partition("0 check-model")[0]
    found = [
        reduced("model", "invalid-model", text, files),
        replace(
            reduced("sat", "disagreement", answer, files),
            triage={"verdict": "solution-unsoundness"},
        ),
    ]
    assert grouped([replace(one, solver="cvc5") for one in found], files) == [("model", "sat")]


def test_a_solver_that_checks_its_models_shows_a_wrong_one_as_a_death() -> None:
    files: dict[str, str] = {}
    text = MODEL.replace("SOLVER", "cvc5 1.4.2").replace("OP_SET_MEMBER", "OP_SET_INSERT")
    text = text.replace("OP_SET_COMPREHENSION SORT_SET 3 t2 t2 t2", "OP_NOT SORT_BOOL 1 t2")
    checked = text.replace("OPTION", "0 set-option check-models true\n").partition("0 check-model")
    other = text.replace("OPTION", "0 set-option arrays-exp true\n").partition("0 check-model")
    found = [
        replace(
            reduced("model", "invalid-model", text.replace("OPTION", ""), files), solver="cvc5"
        ),
        replace(reduced("death", "abort", checked[0], files), solver="cvc5"),
        replace(reduced("option", "abort", other[0], files), solver="cvc5"),
    ]
    assert grouped(found, files) == [("death", "model"), ("option",)]


def test_exceptions_that_name_what_the_solver_made_are_one_by_their_beginning() -> None:
    files: dict[str, str] = {}

    def thrown(key: str, message: str, text: str = WRONG) -> Bucket:
        return replace(reduced(key, "exception", text, files), message=message)

    names = [thrown(key, f"Z3Exception: Sort mismatch at argument for {key}") for key in ("a", "b")]
    other = thrown("c", "Z3Exception: no model for this sort in b")
    assert grouped([*names, other], files) == [("a", "b"), ("c",)]
    plain = "OP_INT_DIV SORT_INT 2 t1 t2", "OP_INT_ADD SORT_INT 2 t1 t2"
    kept = [replace(one, reproducers=()) for one in names]
    assert grouped(kept, files) == [("a",), ("b",)]
    apart = thrown("d", names[0].message.replace("for a", "for d"), WRONG.replace(*plain))
    assert grouped([names[0], apart], files) == [("a",), ("d",)], "nothing telling is left"


def test_two_deaths_in_a_shared_library_are_one_by_a_call_only_if_it_solves_nothing() -> None:
    def dies(key: str, action: str, *names: str) -> Bucket:
        return replace(crash(key, "copy", "init", *names), action=action)

    solving = [
        dies("a", "check-substitute", "nl::refine"),
        dies("b", "check-substitute", "sets::f"),
    ]
    assert grouped(solving) == [("a",), ("b",)]
    popped = [dies("a", "pop", "nl::refine"), dies("b", "pop", "sets::f")]
    assert grouped(popped) == [("a", "b")]


@pytest.mark.parametrize("solver", ["z3", "cvc5"])
def test_one_theory_solver_decides_integers_and_reals(solver: str) -> None:
    files: dict[str, str] = {}
    real = WRONG.replace("SORT_INT", "SORT_REAL").replace("OP_INT_DIV", "OP_REAL_DIV")
    found = [
        replace(reduced(key, "invalid-model", text, files), solver=solver)
        for key, text in (("int", WRONG), ("real", real))
    ]
    assert grouped(found, files) == [("int", "real")]


def test_a_wrong_answer_is_one_defect_whichever_check_notices_it() -> None:
    """The wrong model of one bucket and the disagreement of the other are the same wrong answer sat."""
    files: dict[str, str] = {}
    pushed = WRONG.replace("8 assert", "8 push 1\n8 assert")
    told = "solution unsoundness: answered sat, and none of 4 possible values makes all assertions true"

    def pair(message: str, triage: dict[str, str]) -> list[Bucket]:
        model = reduced("model", "invalid-model", pushed, files)
        form = replace(model.reproducers[0], message=message)
        other = reduced("answer", "disagreement", WRONG, files)
        other.triage = dict(triage)
        return [replace(model, reproducers=(form,)), other]

    wrong = pair(told, {"verdict": "solution-unsoundness"})
    assert grouped(wrong, files) == [("answer", "model")]
    assert grouped(pair("", {"verdict": "wrong-model"}), files) == [("answer",), ("model",)]
    assert sentence(wrong[0]).startswith("Solution unsoundness: answered sat")
    assert worst_first(wrong[0]) == worst_first(wrong[1]) < worst_first(pair("", {})[0])
    triaged = pair("", {})[0]
    triaged.triage = {"verdict": "solution-unsoundness"}
    assert sentence(triaged) == "Solution unsoundness: the model is wrong"


EARLIER = """# murxpy-trace 1
# solver s
# needs [["earlier", "check-sat-assuming", "", "", ""]]
0 new
 return o1
0 mk-sort SORT_BV 4
 return s1
0 mk-const s1 "a"
 return t1 s1
0 mk-term OP_BV_NEG SORT_BV 1 t1
 return t2 s1
0 mk-term OP_BV_ULT SORT_BOOL 2 t2 t1
 return t3 s2
0 assert-formula t3
0 check-sat-assuming 1 t3
 answer unsat
0 check-sat
 answer sat
0 check-model
"""


def test_what_earlier_checks_leave_behind_is_one_defect_whatever_is_asserted() -> None:
    files: dict[str, str] = {}
    kind, unsound = "invalid-model", "solution unsoundness: none of 4 values is right"
    other = EARLIER.replace("OP_BV_NEG", "OP_BV_NOT").replace("OP_BV_ULT", "OP_BV_SLT")
    behind = [reduced("one", kind, EARLIER, files), reduced("two", kind, other, files)]
    twice = other.replace("0 assert", "0 check-sat\n answer sat\n0 assert", 1)
    answer = replace(reduced("answer", "disagreement", twice, files), message=unsound)
    proved = replace(reduced("proved", kind, other, files), message=unsound)
    apart = [
        reduced("needs-none", kind, EARLIER.replace("earlier", "call"), files),
        reduced("after-sat", kind, EARLIER.replace("answer unsat", "answer sat"), files),
        reduced("plain", kind, EARLIER.replace("-assuming 1 t3", ""), files),
        reduced("option", kind, other.replace("0 mk-s", "0 set-option deep true\n0 mk-s"), files),
    ]
    found = grouped([*behind, answer, proved, *apart], files)
    alone = [(one.key,) for one in apart]
    assert sorted(found) == sorted([("answer", "one", "proved", "two"), *alone])


def test_one_option_without_which_nothing_fails_is_one_defect() -> None:
    files: dict[str, str] = {}
    call = WRONG.replace("set-option models true", "set-option arith.solver 9")
    script = "(set-option :smt.arith.solver 9)(declare-const b Bool)(assert b)(check-sat)"
    text = f'# murxpy-trace 1\n1 new\n2 run-script "{script}"\n'
    thrown = [
        replace(reduced("call", "exception", call, files), message="Error: no such row in it"),
        replace(reduced("script", "exception", text, files), message="Error: bad state of it"),
    ]
    died = replace(reduced("crash", "crash", call, files), backtrace=frames("f", "g", "h"))
    assert grouped([*thrown, died], files) == [("call", "crash", "script")]
    enabling = call.replace("arith.solver 9", "produce-proofs true")
    assert grouped(
        [
            replace(reduced(key, "exception", enabling, files), message=f"Error: {key} {key} {key}")
            for key in ("one", "other")
        ],
        files,
    ) == [("one",), ("other",)]


def test_ranges_that_never_overlap_keep_defects_apart() -> None:
    assert disjoint("4.8.7..4.8.12", "4.13.0..")
    assert disjoint("4.8.7, 4.12.0..4.12.4", "4.8.8..4.11.0")
    assert not disjoint("4.8.7..4.13.0", "4.13.0..") and not disjoint("..4.8.12", "4.8.12")
    assert not disjoint("", "4.13.0..") and not disjoint("none", "4.13.0..")
    ranges = {"a": "4.8.7..4.8.12", "b": "4.13.0..", "c": ""}
    grouping = Grouping({}.get, ranges.__getitem__)
    defects = grouping.defects([crash(key, "f", "g", "h") for key in "abc"])
    assert [defect.buckets for defect in defects] == [("a", "c"), ("b",)]
    assert same(defects) == {"c": "a"}


@pytest.mark.slow
def test_defects_of_another_campaign_are_known(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAKESOLVER_FAULT", "or:segfault")
    assert fuzz_fake(capsys, tmp_path / "one", "--runs", "3")[0] == 1
    known = ("--runs", "3", "--known", tmp_path / "one")
    assert fuzz_fake(capsys, tmp_path / "two", *known)[0] == 0
    code, out, _ = outcome(capsys, "findings", tmp_path / "one", "--format", "csv")
    assert code == 0 and len(out.splitlines()) == 2
    assert error(capsys, "fuzz", *FAKE, "--known", tmp_path)[0] == 2


def test_the_list_of_defects_is_worst_first_and_whole_on_a_narrow_screen(tmp_path: Path) -> None:
    files: dict[str, str] = {}
    wrong = replace(reduced("model", "invalid-model", WRONG, files), message="so wrong " * 30)
    buckets = [crash("b", "f", "g", "h", first=1.0), crash("a", "f", "g", "h"), wrong]
    buckets.append(bucket("z", "disagreement", "s answers unsat"))
    buckets[-1].triage = {"verdict": "refutation-unsoundness"}
    views = defect_views(buckets, {"a": "1.0", "b": "2.0"}, str(tmp_path))
    assert [view.shown.key for view in views] == ["z", "model", "a"]
    assert [bucket.key for bucket in views[-1].buckets] == ["a", "b"]
    stream = io.StringIO()
    print_defects(make_console(stream, width=60), views)
    lines = stream.getvalue().splitlines()
    assert max(map(len, lines)) <= 60
    assert " ".join(line.strip() for line in lines).count("wrong") == 30
    assert "crash  s 1.0, 2.0  0 findings in 2 buckets  tier solver" in lines
    first = defect_data(views[0])
    assert (first["key"], first["wrong"]) == ("z", "s answers unsat: refutation unsoundness")


def misused(key: str, message: str, operator: str = "f") -> Bucket:
    """The bucket of a broken promise."""
    found = bucket(key, "contract", f"class C: {message}")
    return replace(found, action="misuse", operator=operator)


def test_what_all_callables_of_a_binding_share_is_one_defect() -> None:
    lacks = "AttributeError: '{}' object has no attribute '{}' in {} (z3.py)"
    buckets = [
        misused("none", lacks.format("NoneType", "ctx", "ArraySort")),
        misused("none too", lacks.format("NoneType", "ref", "SetUnion")),
        misused("wrong class", lacks.format("int", "ast", "SortRef.__eq__")),
        misused("bare", "AssertionError in get_vars (z3util.py)"),
        misused("a typo", lacks.format("Solver", "cube_vs", "Solver.cube_vars")),
        misused("another typo", "NameError: name 'Fixed' is not defined in copy (z3.py)"),
        misused("number", "a number is taken for another by the conversion of arguments; 2 for 0"),
        misused("other number", "a number is taken for another by the exit of it; 4 for 0"),
        misused("float", "a float is taken for another; 3.7 for 3"),
        misused("literal", "the literal of SORT_INT made from a number is another; 0.5 reads back"),
        misused("text", "the symbol is another; 'a\\x00b' reads back as 'a'"),
        misused("cut text", "a text with a NUL is taken for another by the conversion; 'a' for ''"),
        misused("unread", "RuntimeError: set_str in mkSort (base.pxi)"),
        misused("unread too", "RuntimeError: set_str in mkValue (base.pxi)"),
        misused("told", "RuntimeError: invalid text in mkValue (base.pxi)"),
        misused("misfit", "defineFun takes a definition that does not fit its declaration (few)"),
        misused(
            "misfits", "defineFunRec takes a definition that does not fit its declaration (free)"
        ),
    ]
    buckets = [replace(one, first=float(at)) for at, one in enumerate(buckets)]
    assert grouped(buckets) == [
        ("none", "none too"),
        ("wrong class", "bare"),
        ("a typo",),
        ("another typo",),
        ("number", "other number"),
        ("float", "literal"),
        ("text", "cut text"),
        ("unread", "unread too"),
        ("told",),
        ("misfit", "misfits"),
    ]
    assert callable_of(buckets[0]) == "ArraySort" and callable_of(buckets[6]) == "f"
    assert [one.key for one in buckets if is_silent(one)] == [
        *("number", "other number", "float", "literal", "text", "cut text", "misfit", "misfits")
    ]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("iterating over a SetRef does not end", "iterating over an ArrayRef does not end"),
        (
            "a Sort cannot be compared with None; Python compares any two objects",
            "a Term cannot be compared with None; Python compares any two objects",
        ),
        ("gives bytes, and no text", "gives bytes, and no text"),
    ],
)
def test_one_cause_in_several_classes_is_one_defect(one: str, other: str) -> None:
    both = [misused("one", one, "getVersion"), misused("other", other, "getInstantiations")]
    apart = misused("apart", "a Sort is equal to None")
    assert grouped([*both, apart]) == [("apart",), ("one", "other")]


def test_an_operator_that_works_on_one_side_only_is_told_as_it_is_written() -> None:
    told = sentence(misused("and", "and_ of a BoolRef and a bool: a . n works, n . a does not"))
    assert told == (
        "'n & a' is refused for an object a of BoolRef and n of bool, although 'a & n' works"
    )


def test_what_a_callable_gives_is_told_with_the_callable() -> None:
    gives = misused("one", "gives bytes, and no text", "z3.Solver.getVersion")
    small = "0 new\n0 misuse@call z3.Solver x1\n return x2 Solver\n0 misuse@call z3.Solver.getVersion x2\n"
    assert sentence(gives, small) == "z3.Solver.getVersion() gives bytes, and no text"
    assert sentence(gives) == "misuse of z3.Solver.getVersion gives bytes, and no text"


def test_what_happens_to_an_operand_is_told_with_the_call() -> None:
    cut = misused("alike", "a number is taken for another; 9 for 3", "z3.ArithSortRef.cast")
    whole = "0 new\n0 misuse@call z3.IntSort\n return x1 Sort\n0 misuse@alike z3.ArithSortRef.cast x1 py:9 at 1\n"
    said = "z3.ArithSortRef.cast takes 9 for 3"
    assert sentence(cut, whole) == sentence(cut, None, whole) == said
    assert sentence(cut).startswith("misuse of z3.ArithSortRef.cast takes 9 for 3")
    misfit = "defineFun takes a definition that does not fit its declaration (free)"
    assert sentence(misused("misfit", misfit)).endswith(
        "does not fit its declaration: a body with a free variable"
    )


def test_a_member_of_an_enumeration_is_no_part_of_an_exception() -> None:
    thrown = "Exception: Cannot print: Kind.{} in _op_name (printer.py)"
    kinds = [misused(kind, thrown.format(kind)) for kind in ("AND", "STRING_INDEXOF")]
    other = misused("other", "Exception: Cannot print: a term in _op_name (printer.py)")
    assert grouped([*kinds, other]) == [("AND", "STRING_INDEXOF"), ("other",)]


def test_the_callables_of_a_cause_have_the_names_that_scripts_give_them(tmp_path: Path) -> None:
    taken = "OP_BV_ROTATE_LEFT takes an index that it cannot have; index is -1"
    both = [
        misused("left", taken, "OP_BV_ROTATE_LEFT"),
        misused("right", taken, "OP_BV_ROTATE_RIGHT"),
    ]
    (view,) = defect_views(both, {}, str(tmp_path))
    assert view.wrong == "An index out of range is taken: rotate_left, rotate_right"


def test_an_exception_is_one_wherever_the_rule_leads_to_it() -> None:
    thrown = "AttributeError: 'Interp' object has no attribute 'model' in Interp.translate (z3.py)"
    one, other = misused("call", thrown), misused("deepcopy", thrown)
    assert grouped([one, replace(other, message=f"class B: {thrown}")]) == [("call", "deepcopy")]


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (
            "kind get-value@one 2 t6 t5 with 0 o1",
            "get-value (the solver in the place of an operand)",
        ),
        ("type get-value@one 1 t10 with 0 py:[1]", "get-value ([1] in the place of an operand)"),
        (
            "sort mk-term@op OP_BV_ADD SORT_BV 2 t1 t2 with 0.#1 t3",
            "making a term with bvadd (a term of another sort in the place of an operand)",
        ),
        (
            'text mk-const@mk s3 "_x" with name py:"a|b"',
            "making a constant ('a|b' in the place of its name)",
        ),
        (
            'kind mk-const@mk s3 "_x" with sort t1',
            "making a constant (a term in the place of its sort)",
        ),
        (
            "number mk-term@f OP_BV_ZERO_EXTEND SORT_BV 1 t2 1 8 with i0 py:-4",
            "making a term with zero_extend (-4 in the place of an index)",
        ),
        (
            'none mk-value@py s2 "7" with v:num py:none',
            "making a value (None in the place of its value)",
        ),
        (
            "type mk-sort@f SORT_BV 8 with p0 py:[]",
            "making a sort BV ([] in the place of a parameter)",
        ),
        (
            "context mk-sort@mk SORT_SET s1 with ctx other c1",
            "making a sort SET (another context in the place of its own)",
        ),
        (
            'context mk-const@mk s7 "_x4" with sort other s7',
            "making a constant (a sort of another context in the place of its sort)",
        ),
        (
            "arity mk-term@op OP_EQUAL SORT_BOOL 2 t16 t7 with * cut 1",
            "making a term with = (1 operand)",
        ),
        (
            'raising mk-const@mk s3 "_x7" with sort object',
            "making a constant (object() in the place of its sort)",
        ),
        (
            "hold s-misfit@rec-free",
            "a definition that does not fit its declaration (a body with a free variable)",
        ),
        ("hold get-value@one 1 t1", "get-value"),
    ],
)
def test_a_misuse_is_told_with_what_stands_in_the_place_of_which_operand(
    row: str, said: str
) -> None:
    found = replace(crash("a", "f"), action="misuse", spelling=row.split()[0])
    small = f"# solver s 1.0\n1 new\n2 misuse@{row}\n"
    assert sentence(found, small) == f"{said} ends the process in f"


MADE = """1 new
1 mk-sort SORT_BV 8
 return s1
1 mk-sort SORT_ARRAY s1 s1
 return s2
1 mk-const s1 "a"
 return t1 s1
1 mk-const s2 "b"
 return t2 s2
1 misuse@call z3.Params c1
 return x1 ParamsRef
"""


def test_operands_are_told_with_their_sorts_and_classes() -> None:
    found = replace(
        crash("a", "f"), action="misuse", operator="z3.BVSubNoOverflow", spelling="call"
    )
    valued = f"{MADE}1 misuse@number mk-value@py s1 7 2 with v py:-1\n"
    assert sentence(replace(found, spelling="number"), valued) == (
        "making a value of BV (-1 in the place of its value) after another call ends the process in f"
    )
    given = f"{MADE}1 misuse@call z3.Var py:1 s1 s2 s3\n"
    said = "z3.Var(1, the sort BV, the sort ARRAY, a sort) after another call ends the process in f"
    assert sentence(found, given) == said
    small = f"{MADE}1 misuse@call z3.BVSubNoOverflow t1 t2 x1\n"
    said = "z3.BVSubNoOverflow(a term of BV, a term of ARRAY, a ParamsRef) ends the process in f"
    assert sentence(found, small) == said
    declared = small.replace("SORT_ARRAY s1 s1", 'SORT_DT 1 "a" 0 1 "b" 0')
    assert sentence(found, declared) == said.replace("ARRAY", "DT")


def test_a_method_that_dies_is_told_with_the_call_that_made_its_term() -> None:
    found = replace(crash("a", "f"), action="misuse", operator="m.Term.value", spelling="call")
    lift = (
        "1 new\n1 misuse@call m.Solver.lift o1 py:1\n return x1 {}\n1 misuse@call m.{}.value x1\n"
    )
    said = "m.Term.value() of what calls such as m.Solver.lift give ends the process in f"
    assert sentence(found, lift.format("Term", "Term")) == said
    assert (
        sentence(found, lift.format("Parser", "Parser")) == "m.Parser.value() ends the process in f"
    )


def test_an_index_is_told_with_its_operator_once() -> None:
    found = misused(
        "a", "OP_BV_ZERO_EXTEND takes an index that it cannot have; zero_extend: index i is -1"
    )
    said = "an operator such as zero_extend takes an index that it cannot have: index i is -1"
    assert sentence(found).lower() == said


def test_an_exception_is_told_with_the_call_that_raises_it() -> None:
    found = misused("a", "AssertionError in UserPropagateBase.__init__ (z3.py)")
    small = f"{MADE}1 misuse@call z3.UserPropagateBase x1 c1\n"
    said = "z3.UserPropagateBase(a ParamsRef, the context) raises AssertionError in UserPropagateBase.__init__ (z3.py)"
    assert sentence(found, small) == said
    found = misused("b", "RuntimeError: no in (it) in make (base.pxi)")
    small = "1 new\n1 misuse@float mk-value@py s1 7 2 with v py:-inff\n"
    said = "making a value (float('-inf') in the place of its value) raises RuntimeError: no in (it) in make (base.pxi)"
    assert sentence(found, small) == said
    assert sentence(found) == "RuntimeError: no in (it) in make (base.pxi)"
    taken = misused("c", "takes a term of another context beside objects of this one")
    small = "1 new\n1 misuse@context get-value@eval 1 t1 with 0 other t1\n"
    said = "get-value takes a term of another context beside objects of this one"
    assert sentence(taken, small) == said


def test_a_definition_that_does_not_fit_is_told_with_how() -> None:
    found = replace(crash("a", "f"), action="s-misfit", spelling="recs-few")
    small = "# solver s 1.0\n1 new\n2 s-misfit@recs-few\n"
    said = "a definition that does not fit its declaration (too few operands) ends the process in f"
    assert sentence(found, small) == sentence(found) == said


def died(key: str, words: str, files: dict[str, str], rule: str = "edge") -> Bucket:
    """The bucket of a misuse that kills the process, whose smaller trace ends with this line."""
    return replace(
        reduced(key, "crash", f"1 new\n2 misuse@{rule} {words}\n", files),
        action="misuse",
        operator=words.split()[0],
        spelling=rule,
        backtrace=frames(f"{key}_frame", "other", "api"),
    )


def test_crashes_by_one_operand_are_one_defect_in_all_callables() -> None:
    files: dict[str, str] = {}
    buckets = [
        died("first", "z3.deserialize py:none", files),
        died("index", "z3.Quantifier.pattern x1 py:-2147483640", files),
        died("second", "z3.Parser.from_string x1 py:none", files),
        died("large", "z3.Goal.get x1 py:9223372036854775808", files),
        died("plain", "z3.LinearOrder t1 py:8", files),
    ]
    buckets = [replace(one, first=float(at)) for at, one in enumerate(buckets)]
    assert grouped(buckets, files) == [("first", "second"), ("index", "large"), ("plain",)]


def test_one_call_that_does_not_check_its_operands_is_one_defect_whatever_stands_there() -> None:
    files: dict[str, str] = {}
    buckets = [
        died("kind", "get-value@one 2 t6 t5 with 0 o1", files, "kind"),
        died("list", "get-value@list 1 t6 with 0 s2", files, "kind"),
        died("python", 'get-value@one 1 t10 with 0 py:"1"', files, "type"),
        died("no term", "get-value@one 1 t10 with 0 py:none", files, "none"),
        died("other", 'mk-const@mk s1 "a" with sort t1', files, "kind"),
        died("lift", "m.Manager.mkLift c1 m.Kind.CONST t1", files, "call"),
        died("lifts", "m.Manager.mkLift c1 m.Kind.CONCAT t1 t2", files),
    ]
    buckets = [replace(one, first=float(at)) for at, one in enumerate(buckets)]
    assert grouped(buckets, files) == [
        ("kind", "list", "python", "no term"),
        ("other",),
        ("lift", "lifts"),
    ]


def test_methods_of_one_class_that_check_nothing_are_one_defect() -> None:
    """So is a method, and a reading of the value that calls it. A solver has methods of all kinds, and a
    term one for each operator.
    """
    files: dict[str, str] = {}
    made = "m.{0}\n return x1 {0}\n2 misuse@{1} {2}"
    lines = {
        "conflict": made.format("Propagator", "call", "m.Propagator.conflict x1"),
        "split": made.format("Propagator", "edge", "m.Base.next_split x1 t1 py:1"),
        "value": made.format("NumRef", "call", "m.NumRef.py_value x1"),
        "read": made.format("NumRef", "reread", "x1"),
        "operator": made.format("NumRef", "call", "m.NumRef.add x1 t1"),
        "solver": made.format("Solver", "call", "m.Solver.push x1"),
        "solved": made.format("Solver", "call", "m.Solver.pop x1"),
    }
    buckets = [
        replace(died(key, words, files, "call"), first=float(at), operator=f"m.{key}", solver="z3")
        for at, (key, words) in enumerate(lines.items())
    ]
    assert grouped(buckets, files) == [
        *(("conflict", "split"), ("value", "read"), ("operator",), ("solver",), ("solved",))
    ]


def test_a_method_that_two_classes_inherit_is_one_defect() -> None:
    files: dict[str, str] = {}
    names = ("m.Base.size t1", "m.Derived.size t1", "m.Other.length t1")
    buckets = [
        replace(died(name, name, files), first=float(at), backtrace=frames("get_size", str(at)))
        for at, name in enumerate(names)
    ]
    assert grouped(buckets, files) == [names[:2], names[2:]]


def test_a_definition_that_does_not_fit_is_one_defect_by_how_it_does_not() -> None:
    files: dict[str, str] = {}
    spelled = {"rec": "rec-free", "recs": "recs-free", "few": "rec-few"}
    buckets = [
        replace(
            reduced(key, "crash", f"1 new\n2 s-misfit@{how}\n", files),
            action="s-misfit",
            backtrace=frames(f"{key}_frame", "other", "api"),
        )
        for key, how in spelled.items()
    ]
    buckets.append(died("held", "s-misfit@recs-free", files, "hold"))
    buckets = [replace(one, first=float(at)) for at, one in enumerate(buckets)]
    assert grouped(buckets, files) == [("rec", "recs", "held"), ("few",)]


def test_a_trace_that_was_not_made_smaller_tells_the_operand_of_its_last_call() -> None:
    long = "1 new\n2 misuse@call m.Make\n3 misuse@edge m.parse x1 py:none\n"
    whole = replace(
        crash("whole", "w", "x", "y"),
        action="misuse",
        operator="m.parse",
        spelling="edge",
        traces=[Kept("whole.trace", 1, 3, 9)],
        first=2.0,
    )
    files: dict[str, str] = {"whole.trace": long}
    assert grouped([whole, died("small", "m.read py:none", files)], files) == [("small", "whole")]


def test_objects_of_two_contexts_in_one_call_are_one_line_and_told_last(tmp_path: Path) -> None:
    """No documentation says what comes of that: a user has to keep them apart."""
    files: dict[str, str] = {}
    other = (
        "m.Manager\n return x1 Manager\n2 misuse@call m.Manager.make x1\n return x2 Term\n"
        "3 misuse@edge m.Manager.{} {} x2"
    )
    buckets = [
        died("call", other.format("add", "c1"), files),
        died("again", other.format("sub", "t1"), files),
        died("rule", "get-value@one 1 t1 with 0 other t1", files, "context"),
        died("own", other.format("sub", "x1"), files),
        misused("taken", "takes a term of another context beside objects of this one"),
    ]
    buckets = [replace(one, first=float(at)) for at, one in enumerate(buckets)]
    assert grouped(buckets, files) == [("call", "again", "rule", "taken"), ("own",)]
    group = Grouping(files.get, lambda key: "")
    views = defect_views(buckets, {}, str(tmp_path), group)
    assert [view.rank >= LAST for view in views] == [False, True]
    assert views[1].wrong.startswith("Objects of two contexts in one call: m.Manager, ")


def test_an_object_without_a_context_is_mixed_with_those_of_another(tmp_path: Path) -> None:
    """Where objects of the default context show nothing. A call of one context only is no mixture."""
    files: dict[str, str] = {}
    buckets = [
        died("own", "m.Optimize\n return x1 Optimize\n3 misuse@call m.Optimize.check x1 t1", files),
        died(
            "broken",
            "m.Solver\n return x1 Solver\n3 misuse@call m.Solver.add x1 t1\n4 misuse@call m.g",
            files,
        ),
        died("one", "m.Real py:1\n return x1 Real\n3 misuse@call m.neg t1", files),
        died("any", "m.Optimize\n return x1 Optimize\n3 misuse@call m.Optimize.min x1 t1", files),
    ]
    need = f"# murxpy-trace 1\n# {HEADER} {write_needs([OWN_CONTEXT])}\n"
    for name in list(files)[:3]:
        files[name] = need + files[name]
    marks = [Grouping(files.get, lambda key: "").marks(one).own for one in buckets]
    assert [any(mark.endswith(MIXED) for mark in own) for own in marks] == [
        True,
        True,
        False,
        False,
    ]


def test_none_is_blamed_only_where_it_is_an_operand() -> None:
    """A binding may come to None by itself, from operands that are none of its objects."""
    lacks = "AttributeError: 'NoneType' object has no attribute 'tm' in SetUnion (z3.py)"
    files = {
        "given.trace": "1 new\n2 misuse@edge z3.SetUnion t1 py:none\n",
        "made.trace": "1 new\n2 misuse@edge z3.SetUnion py:7 py:5\n",
    }
    given, made = (
        replace(misused(key, lacks), traces=[Kept(f"{key}.trace", 1, 2, 9)])
        for key in ("given", "made")
    )
    low = misused("low", "AssertionError in get_vars (z3util.py)")
    assert grouped([given, made, low], files) == [("given",), ("low", "made")]
    slot = {"s.trace": '1 new\n2 misuse@type mk-const@mk s1 "a" with sort.1 py:[]\n'}
    dead = replace(crash("s", "f", "g", "h"), action="misuse", traces=[Kept("s.trace", 1, 2, 9)])
    mark, *_ = Grouping(slot.get, lambda key: "").marks(dead).own
    assert mark.endswith("an operand of mk-const is not checked")


def test_a_call_that_was_seen_to_die_with_the_operands_of_another_is_one_defect_with_it() -> None:
    """Where both die in one function of the solver; in which other calls that die so do, was not seen."""
    files: dict[str, str] = {}
    one, other, elsewhere = (
        died(name, f"m.{name} py:8", files) for name in ("tree", "partial", "linear")
    )
    other = replace(other, backtrace=frames("tree_frame", "inner", "api"))
    need = Need("called", "1:m.tree", "m.partial, m.linear", "")
    files["tree.min.trace"] = (
        f"# murxpy-trace 1\n# {HEADER} {write_needs([need])}\n1 new\n2 misuse@edge m.tree py:8\n"
    )
    assert grouped([one, other, elsewhere], files) == [("linear",), ("partial", "tree")]


def test_an_operand_is_blamed_only_where_no_other_shows_the_death() -> None:
    files: dict[str, str] = {}
    one = died("number", "m.order t1 py:-8", files)
    alone = Grouping(files.get, lambda key: "").marks(one).own[0]
    assert alone.endswith("a number that is not checked ends the process")
    ((name, text),) = files.items()
    for others, blamed in (("0, None", False), ("-1", True)):
        need = Need("operand", "1:2", others, "", "-8")
        files[name] = f"# murxpy-trace 1\n# {HEADER} {write_needs([need])}\n{text}"
        assert (alone in Grouping(files.get, lambda key: "").marks(one).own) is blamed


def test_calls_that_give_the_solver_an_unchecked_operand_are_one_defect(tmp_path: Path) -> None:
    files: dict[str, str] = {}
    inside = frames(
        "t::Term::isNullHelper() const", "t::Term::isNull() const", "t::api", "PyObject"
    )
    buckets = [
        died("rule", "get-value@one 1 t1 with 0 py:none", files, "none"),
        died("again", "get-value@one 1 t1 with 0 py:7", files, "type"),
        died("call", "m.Solver.mkFloatingPoint x1 x2", files),
        died("elsewhere", "get-model@one 1 t1 with 0 py:7", files, "type"),
    ]
    buckets = [replace(one, backtrace=inside) for one in buckets[:3]] + buckets[3:]
    buckets = [replace(one, first=float(at)) for at, one in enumerate(buckets)]
    assert grouped(buckets, files) == [("rule", "again", "call"), ("elsewhere",)]
    group = Grouping(files.get, lambda key: "")
    told = defect_views(buckets[:3], {}, str(tmp_path), group)[0].wrong
    start = "An operand that no call checks ends the process in t::Term::isNullHelper: "
    assert told.startswith(start) and "get-value" in told and "mkFloatingPoint" in told


def test_a_refusal_by_a_poor_exception_is_one_line_and_told_last(tmp_path: Path) -> None:
    """Unless the binding has a fault of its own, or was called as it is meant to be."""
    refusals = [
        misused("text", "RuntimeError: no such width in make (base.pxi)", "make"),
        misused("size", "OverflowError: int too large in mkSort (base.pxi)", "mkSort"),
        misused("divided", "ZeroDivisionError: float modulo in BitVecVal (base.py)", "BitVecVal"),
    ]
    refusals = [replace(one, spelling="edge") for one in refusals]
    library = replace(
        misused("library", "RuntimeError: mpz_set_str in mkSort (base.pxi)"), spelling="call"
    )
    others = [
        replace(
            misused("name", "NameError: name 'Fixed' is not defined in copy (z3.py)"),
            spelling="edge",
        ),
        replace(
            misused("meant", "RuntimeError: no such width in size (base.pxi)"), spelling="call"
        ),
        replace(
            misused("printed", "Exception: Cannot print: a term in _op (printer.py)"),
            spelling="print",
        ),
        replace(
            misused("broken", "SolverException: unreachable in check (core.py)"), spelling="edge"
        ),
    ]
    buckets = [
        replace(one, first=float(at)) for at, one in enumerate([*refusals, library, *others])
    ]
    assert grouped(buckets) == [
        ("text", "size", "divided", "library"),
        *((one.key,) for one in others),
    ]
    views = defect_views(buckets, {}, str(tmp_path))
    assert [view.shown.key for view in views if view.rank >= LAST] == ["text"]
    assert is_trifle(buckets[0]) and not is_trifle(buckets[-1])


def test_a_misuse_that_the_process_outlives_is_not_what_kills_it() -> None:
    files: dict[str, str] = {}
    late = died("late", "z3.FloatSingle py:none\n3 check-sat\n      answer sat", files)
    assert grouped([late, died("now", "z3.deserialize py:none", files)], files) == [
        ("late",),
        ("now",),
    ]


def test_an_operator_that_breaks_what_a_later_call_uses_is_the_cause() -> None:
    """The operator of one context may take a mode of another one, and the next collection dies."""
    files: dict[str, str] = {}
    made = "z3.FP py:f x1\n      return x2 FPRef\n3 misuse@edge"
    neg, add = f"{made} z3.FPRef.__neg__ x2", f"{made} z3.FPRef.__add__ x2 py:3"
    found = [
        died("none", f"{neg}\n4 misuse@edge z3.RTZ py:none", files),
        died("number", f"{add}\n4 misuse@edge z3.Int py:-9", files),
        died("check", f"{add}\n4 check-sat", files),
        died("used", f"{neg}\n      return x3 FPRef\n4 misuse@edge z3.f x3 py:none", files),
        died("other", "z3.f t1 t1\n4 misuse@edge z3.LinearOrder t1 py:-9", files),
    ]
    dropped = died("delete", f"{neg}\n4 delete", files)
    found.append(replace(dropped, action="delete", operator="", spelling=""))
    assert grouped(found, files) == [("check", "delete", "none", "number"), ("other",), ("used",)]
    said = sentence(found[-1], files["delete.min.trace"])
    assert said.startswith(
        "z3.FPRef.__neg__() and then dropping the solver and its context ends the process in "
    )
    moved = died("moved", f"{neg}\n4 misuse@edge z3.ArithRef.__mul__ t1 py:7\n5 gc", files)
    said = sentence(replace(moved, action="gc"), files["moved.min.trace"])
    assert said.startswith("z3.FPRef.__neg__() and then "), "the first one breaks it"
    cycled = f"{neg}\n      return x3 FPRef\n4 misuse@cycle x3 x2\n5 gc"
    cycle = replace(died("cycle", cycled, files), action="gc", operator="", spelling="")
    assert len(grouped([*found, cycle], files)) == 4, "the cycle uses what the operator gives"
    assert sentence(cycle, files["cycle.min.trace"]).startswith(
        "FPRef in a reference cycle and then a garbage collection ends the process in "
    )


def test_a_size_that_is_passed_on_in_32_bits_is_a_number_taken_for_another() -> None:
    size = "another sort than was asked for; a parameter of SORT_BV gives {} instead of 4294967304"
    cut, other = misused("cut", size.format(8)), misused("other", size.format(9))
    taken = misused("taken", "a number is taken for another; 9 for 3", "z3.f")
    index = "OP_AT_MOST takes an index that it cannot have; OP_AT_MOST: index k is {}, expected 0 or more"
    large, small = (
        misused("large", index.format(-9007199254740992)),
        misused("small", index.format(-1)),
    )
    assert sorted(grouped([cut, other, taken, large, small])) == [
        ("cut", "large", "taken"),
        ("other",),
        ("small",),
    ]


@pytest.mark.parametrize(
    ("message", "said"),
    [
        (
            "the literal of SORT_INT made from a number is another; 3.7 reads back as (3,)",
            "A literal of INT made from 3.7 has the value 3",
        ),
        (
            "the literal of SORT_BV made from a number is another; 3.7 reads back as (8, 3)",
            "A literal of BV made from 3.7 has the value 3",
        ),
        (
            "the literal of SORT_REAL made from a number is another; 1e30 reads back as (1, 3)",
            "A literal of REAL made from 1e30 has the value 1/3",
        ),
        ("a float is taken for another; 3.7 for 3", "Misuse of z3.f takes 3.7 for 3"),
        (
            "a number is taken for another by the conversion of arguments that all callables share; -1 for 255",
            "Misuse of z3.f takes -1 for 255, as other calls do",
        ),
        (
            "a text with a NUL is taken for another; 'a\\x00b' for 'a'",
            "Misuse of z3.f takes 'a\\x00b' for 'a'",
        ),
    ],
)
def test_what_is_made_of_a_number_is_said_in_plain_words(message: str, said: str) -> None:
    found = replace(misused("a", message), action="misuse", operator="z3.f")
    told = sentence(found)
    assert told[:1].upper() + told[1:] == said


def test_of_several_misuses_the_frames_name_the_one_that_breaks_what_is_dropped() -> None:
    files: dict[str, str] = {}
    words = "z3.Fixedpoint.add x1 t1\n3 misuse@call z3.FiniteDomainSort py:8\n4 delete"
    found = replace(died("delete", words, files), action="delete", operator="", spelling="")
    said = sentence(found, files["delete.min.trace"])
    start = "dropping the solver and its context after z3.Fixedpoint.add(a term) and z3.FiniteDomainSort(8) ends the process"
    assert said.startswith(start), "nobody knows which of them it is"
    inside = replace(found, backtrace=frames("erase", "z3_fixedpoint_ref::free", "api"))
    said = sentence(inside, files["delete.min.trace"])
    assert said.startswith("z3.Fixedpoint.add(a term) and then dropping the solver and its context")


def test_two_misuses_that_die_in_one_function_are_no_defect_for_that() -> None:
    files: dict[str, str] = {}
    one, other = died("one", "z3.f t1", files), died("other", "z3.g t1", files)
    same = [replace(each, backtrace=frames("inner", each.key, "api")) for each in (one, other)]
    assert grouped(same, files) == [("one",), ("other",)]
    for function, defects in (("is_sort", 1), ("delete_node", 2)):
        deep = [replace(b, backtrace=frames(function, "make", b.key, "api")) for b in same]
        assert len(grouped(deep, files)) == defects, (
            "what frees an object notices what others broke"
        )


def test_crashes_of_shallow_copies_are_one_defect_whatever_is_copied() -> None:
    files: dict[str, str] = {}
    buckets = [
        died("map", "x1", files, rule="outlive"),
        died("context", "c1", files, rule="copy"),
        died("deep", "x1", files, rule="survive"),
        died("called", "copy.copy c1", files, rule="call"),
    ]
    buckets = [replace(one, first=float(at)) for at, one in enumerate(buckets)]
    assert grouped(buckets, files) == [("map", "context", "called"), ("deep",)]


def test_a_broken_heap_is_known_by_the_words_of_the_c_library_where_no_frames_are() -> None:
    words = ("corrupted double-linked list", "free(): invalid pointer", "double free or corruption")
    broken = [bucket(key, "abort", text) for key, text in zip("abc", words, strict=True)]
    framed = replace(broken[0], key="d", backtrace=frames("_int_malloc", "f", "g"))
    other = bucket("e", "abort", "an assertion about a corrupted list is violated")
    assert grouped([*broken, framed, other]) == [("a", "b", "c", "d"), ("e",)]


def test_a_blocked_model_that_is_given_again_is_a_wrong_model() -> None:
    """It makes the assertion false that blocked it."""
    files: dict[str, str] = {}
    blocked = WRONG.replace("8 assert-formula t4\n", "").replace(
        "check-model", "check-blocked 1 t4"
    )
    blocked = blocked.replace("OP_INT_DIV", "OP_INT_ABS")
    other = blocked.replace("OP_INT_ABS", "OP_INT_TO_STR")
    found = [
        reduced("model", "invalid-model", WRONG.replace("OP_INT_DIV", "OP_INT_ABS"), files),
        reduced("again", "repeated-model", blocked, files),
        reduced("other", "repeated-model", other, files),
    ]
    assert grouped(found, files) == [("again", "model"), ("other",)]
    texts = [other.replace("OP_INT_TO_STR", f"OP_INT_{name}") for name in ("DIV", "MOD")]
    opened = [reduced(str(at), "repeated-model", text, files) for at, text in enumerate(texts)]
    assert grouped([*found, *opened], files) == [("0", "1"), ("again", "model"), ("other",)], (
        "what the standard leaves open is not blocked"
    )


CORE = """# murxpy-trace 1
1 new
2 mk-sort SORT_INT
      return s1
2 mk-sort SORT_BOOL
      return s2
3 mk-const s1 "a"
      return t1 s1
4 mk-term OP_INT_ABS SORT_INT 1 t1
      return t2 s1
5 mk-term OP_EQUAL SORT_BOOL 2 t2 t1
      return t3 s2
6 check-sat-assuming 1 t3
      answer unsat
7 check-core
"""


def test_a_core_that_is_read_again_is_one_defect_however_it_is_read() -> None:
    files: dict[str, str] = {}
    header = '# needs [["{}", "{}", "2", "", ""]]\n1 new'
    again = CORE.replace("1 new", header.format("again", "check-core"))
    other = CORE.replace("OP_INT_ABS", "OP_INT_TO_STR").replace("check-core", "check-assumptions")
    called = other.replace("1 new", header.format("call", "check-core"))
    found = [
        reduced("again", "invalid-core", again, files),
        reduced("called", "invalid-assumptions", called, files),
        reduced("once", "invalid-assumptions", other, files),
    ]
    assert grouped(found, files) == [("again", "called"), ("once",)]


def test_a_wrong_core_of_a_wrong_answer_is_one_defect_with_it() -> None:
    files: dict[str, str] = {}
    unsat = CORE.replace("7 check-core\n", "").replace("OP_EQUAL", "OP_DISTINCT")
    found = [
        reduced("core", "invalid-core", CORE, files),
        reduced("unsat", "wrong-unsat", unsat, files),
        reduced("other", "invalid-core", CORE.replace("INT_ABS", "INT_TO_STR"), files),
    ]
    assert grouped(found, files) == [("core", "unsat"), ("other",)]


def test_values_of_one_open_point_are_one_defect_whatever_stands_around_it() -> None:
    files: dict[str, str] = {}
    chosen = """# murxpy-trace 1
1 new
2 mk-sort SORT_INT
      return s1
2 mk-sort SORT_SET s1
      return s2
3 mk-const s2 "a"
      return t1 s2
4 mk-term OP_SET_CHOOSE SORT_INT 1 t1
      return t2 s1
5 mk-term OP_INT_ABS SORT_INT 1 t2
      return t3 s1
6 check-sat
      answer sat
7 check-values 2 t1 t3
"""
    around = chosen.replace("OP_INT_ABS", "OP_INT_TO_STR")
    within = chosen.replace(
        "5 mk", "5 mk-term OP_SET_COMPLEMENT SORT_SET 1 t1\n return t4 s2\n5 mk"
    )
    open_twice = around.replace("OP_INT_TO_STR SORT_INT 1 t2", "OP_INT_DIV SORT_INT 2 t2 t2")
    texts = {
        "abs": chosen,
        "text": around,
        "within": within.replace("2 t1 t3", "3 t1 t3 t4"),
        "both": open_twice,
        "other": around.replace("OP_SET_CHOOSE", "OP_SET_CARD"),
    }
    found = [reduced(key, "invalid-value", text, files) for key, text in texts.items()]
    assert grouped(found, files) == [("abs", "text", "within"), ("both",), ("other",)]
    models = [replace(one, kind="invalid-model") for one in found[:2]]
    assert len(grouped(models, files)) == 2, "an assertion is false whatever value is chosen"
    told = "an assertion is false under the model; the solver's value of OP_EQUAL is not ours"
    asked = chosen.replace("5 mk-term OP_INT_ABS SORT_INT 1 t2\n      return t3 s1\n", "")
    equal = (
        "5 mk-term OP_EQUAL SORT_BOOL 2 t2 t2\n return t5 s3\n5 assert-formula t5\n6 check-sat\n"
    )
    files["model.min.trace"] = asked.replace("6 check-sat\n", equal).replace(
        "check-values 2 t1 t3", "check-model"
    )
    wrong = replace(
        reduced("model", "invalid-model", files["model.min.trace"], files), message=told
    )
    assert len(grouped([found[0], wrong], files)) == 1, "a check of the model sees the same"
    universe = chosen.replace('3 mk-const s2 "a"', '3 mk-special-value s2 "set.universe"')
    asserted = (
        "5 mk-term OP_EQUAL SORT_BOOL 2 t3 t3\n return t5 s3\n5 assert-formula t5\n6 check-sat\n"
    )
    universe = universe.replace("6 check-sat\n", asserted)
    files["abs.min.trace"] = universe.replace("check-values 2 t1 t3", "check-model")
    files["text.min.trace"] = files["abs.min.trace"].replace("OP_INT_ABS", "OP_INT_TO_STR")
    assert len(grouped(models, files)) == 1, "which elements there are is the solver's word alone"


def given_up(key: str, assertion: str, files: dict[str, str], reason: str = "INCOMPLETE") -> Bucket:
    """A bucket of a script with an assertion about integers, on which the solver gives up."""
    text = f"(declare-const a Int)(assert {assertion})(check-sat)"
    files[f"{key}.min.trace"] = (
        f'# murxpy-trace 1\n0 new\n return o1\n0 run-script@parser "{text}"\n'
    )
    message = f"answered unknown, expected unsat by {key} of a script that was decided"
    form = Reproducer("min.trace", f"{key}.min.trace", True)
    made = bucket(key, "incompleteness", f"{message}; its reason: {reason}")
    return replace(made, reproducers=(form,), against="parent")


def test_where_a_solver_gives_up_on_quantifiers_is_one_defect_by_its_reason() -> None:
    files: dict[str, str] = {}
    found = [
        given_up("one", "(forall ((b Int)) (< a b))", files),
        given_up("two", "(not (exists ((b Int)) (= a (+ b b))))", files),
        given_up("other reason", "(forall ((b Int)) (< a b))", files, "STRINGS"),
        given_up("product", "(= (mod a 3) (* a a))", files),
        given_up("product again", "(< (mod a 5) 7)", files),
        given_up("power", "(< (div a 5) 7)", files),
    ]
    assert grouped(found, files) == [
        ("one", "two"),
        ("other reason",),
        ("power",),
        ("product", "product again"),
    ]
