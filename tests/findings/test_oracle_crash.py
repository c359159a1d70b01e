"""Verdicts on dead processes, and which findings are one defect."""

from __future__ import annotations

import signal
import time
from pathlib import Path

import pytest

from murxpy.data import load_wrapper
from murxpy.errors import InputError
from murxpy.findings.buckets import Bucket, Known, bucket_key, failing, new_bucket
from murxpy.findings.known import read_known
from murxpy.machine.outcomes import INTERNAL
from murxpy.machine.trace.finished import Call, last_call, options, read_row
from murxpy.oracles.crash import Outcome, Verdict, judge, normalise, python_frames
from murxpy.solvers.exceptions import Contract

OUTPUTS = {
    "ASSERTION VIOLATION\nFile: ../src/ast/ast.cpp\nLine: 388\nm_manager == 0\n": (
        "abort",
        "ASSERTION VIOLATION ../src/ast/ast.cpp 388 m_manager == 0",
    ),
    "Fatal failure within void f(int) at /a/b/solver.cpp:34\nCheck failure\n\n d_x != nullptr\n\n": (
        "abort",
        "Fatal failure within void f(int) at /a/b/solver.cpp:34 d_x != nullptr",
    ),
    "python: /a/x.cc:12: int f(): Assertion `i < size()' failed.\n": (
        "abort",
        "/a/x.cc:12: int f(): Assertion i < size() failed",
    ),
    "=1=ERROR: AddressSanitizer: stack-overflow on 0x6\nSUMMARY: AddressSanitizer: stack-overflow a.c:3 in f\n": (
        "asan",
        "stack-overflow a.c:3 in f",
    ),
    "../src/q.cpp:7:12: runtime error: shift exponent 64 is too large\n": (
        "ubsan",
        "../src/q.cpp:7 runtime error: shift exponent 64 is too large",
    ),
    "terminate called after throwing an instance of 'std::bad_alloc'\n": (
        "out-of-memory",
        "std::bad_alloc",
    ),
    "terminate called without an active exception\n": (
        "abort",
        "terminate called without an active exception",
    ),
    "corrupted double-linked list\n": ("abort", "corrupted double-linked list"),
    "Fatal Python error: Aborted\n\nStack (most recent call first):\n": ("abort", "SIGABRT"),
    "": ("abort", "SIGABRT"),
}


@pytest.mark.parametrize("output", OUTPUTS)
def test_last_words_of_an_abort(output: str) -> None:
    verdict = judge(Outcome("died", trace="1 check-sat\n", output=output, status=signal.SIGABRT))
    assert verdict is not None
    assert (verdict.kind, verdict.message, verdict.signal) == (*OUTPUTS[output], "SIGABRT")


@pytest.mark.parametrize("block", ["x", "a:1: ", "Assertion ", "x\n", "terminate called "])
def test_last_words_are_found_fast_in_any_output(block: str) -> None:
    start = time.process_time()
    judge(
        Outcome(
            "died",
            output="runtime error Assertion " + 120_000 // len(block) * block,
            status=signal.SIGSEGV,
        )
    )
    assert time.process_time() - start < 1.0


@pytest.mark.parametrize(
    "line, call",
    [
        ("12345 mk-term@plus OP_BV_ADD SORT_BV 2 t1 t2", Call("mk-term", "OP_BV_ADD", "plus")),
        ("  42 o2.mk-term OP_NOT SORT_BOOL 1 t1\n", Call("mk-term", "OP_NOT", "")),
        ("7 mk-sort SORT_BV 8", Call("mk-sort", "SORT_BV", "")),
        ("7 set-option produce-models true", Call("set-option", "produce-models", "")),
        ("7 check-sat", Call("check-sat", "", "")),
        ("7 mk-const s1 x", Call("mk-const", "", "")),
        ("      return t1", None),
        ("# 12 check-sat", None),
        ("", None),
    ],
)
def test_calls_are_read_from_lines(line: str, call: Call | None) -> None:
    row = read_row(line)
    assert (row and row.call) == call


def test_last_call_is_the_one_that_did_not_return() -> None:
    assert last_call("1 new\n2 mk-sort SORT_BV 8\n      return s1\n") == Call(
        "mk-sort", "SORT_BV", ""
    )
    assert last_call("1 new\n2 check-sa") == Call("check-sa", "", "")
    assert last_call("# only a header\n") == Call() == last_call("")


def test_options_of_a_trace() -> None:
    assert options("1 new\n2 set-option a true\n3 o1.set-option@x b 1 2\n") == (
        ("a", "true"),
        ("b", "1 2"),
    )


def test_python_frames() -> None:
    assert python_frames("noise\nFatal Python error: Aborted\n\nStack\n").startswith(
        "Fatal Python error"
    )
    assert python_frames("noise") == ""


def test_deaths_without_words() -> None:
    killed = judge(Outcome("died", status=signal.SIGKILL, peak=10, memory_limit=100))
    big = judge(Outcome("died", status=signal.SIGKILL, peak=90, memory_limit=100))
    assert killed is not None and big is not None
    assert (killed.kind, killed.doubtful, big.kind, big.doubtful) == (
        "crash",
        True,
        "out-of-memory",
        False,
    )
    assert judge(Outcome("wall")) is None and judge(Outcome("report", {"finding": None})) is None


@pytest.mark.parametrize(
    "one, other",
    [
        ("bad term 0x7f12 at /usr/lib/a/x.cpp:12", "bad term 0x9abc at /home/me/x.cpp:340"),
        ("symbol |a b| unknown", "symbol |q| unknown"),
        ("index 3 of k!17 out of range", "index -40 of k!9 out of range"),
        ("name 'a' is not defined", "name 'bc' is not defined"),
    ],
)
def test_messages_of_one_defect_are_alike(one: str, other: str) -> None:
    assert normalise(one) == normalise(other)


def make(**changes: str) -> Bucket:
    """A bucket of a crash, with changes."""
    words = {
        "kind": "crash",
        "tier": "solver",
        "message": "SIGSEGV",
        "signal": "SIGSEGV",
        **changes,
    }
    verdict = Verdict(call=Call("mk-term", "OP_BV_ADD", "plus"), **words)  # type: ignore[arg-type]
    return new_bucket(bucket_key("z3", verdict), "z3", verdict, known=False, now=0.0)


def test_keys_can_be_read_and_be_file_names() -> None:
    key = make().key
    assert key.startswith("crash-sigsegv-z3-mk-term-op-bv-add-plus-")
    assert make(message="x/y z").key != key == make().key
    assert set(key) <= set("abcdefghijklmnopqrstuvwxyz0123456789-")


def test_what_fails() -> None:
    bucket = make()
    assert not failing(bucket)  # not confirmed
    bucket.state = "confirmed"
    assert failing(bucket)
    for changes in (
        {"kind": "hang"},
        {"kind": "out-of-memory"},
        {"kind": "ill-formed", "tier": "murxpy"},
    ):
        other = make(**changes)
        other.state = "confirmed"
        assert not failing(other) and failing(other, [other.kind])


def test_list_of_known_bugs_round_trips(tmp_path: Path) -> None:
    buckets = [make(), make(kind="abort", message="a # b")]
    file = tmp_path / "known"
    file.write_text(
        "# ours\n\n" + "".join(f"{b.key}  # {b.count} x\n" for b in buckets) + "exit-*\n"
    )
    patterns = read_known(file)
    assert patterns == (buckets[0].key, buckets[1].key, "exit-*")
    assert (
        buckets[0].key in Known(patterns)
        and "exit-z3-1" in Known(patterns)
        and "crash" not in Known(patterns)
    )


def test_bad_list_of_known_bugs(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no such file"):
        read_known(tmp_path / "none")
    file = tmp_path / "known"
    file.write_text("a\nb c\n")
    with pytest.raises(InputError, match="known:2: expected one bucket key"):
        read_known(file)
    file.write_bytes(b"\xff")
    with pytest.raises(InputError, match="not UTF-8"):
        read_known(file)


def test_an_assertion_is_one_bucket_from_wherever_it_is_reached() -> None:
    def key(message: str, line: str) -> str:
        verdict = judge(Outcome("died", trace=f"{line}\n", output=message, status=signal.SIGABRT))
        assert verdict is not None
        return bucket_key("z3", verdict)

    place = "ASSERTION VIOLATION\nFile: ../src/ast/fpa/fpa2bv_converter.cpp\nLine: {}\nUNEXPECTED CODE WAS REACHED.\n"
    one = key(place.format(118), "    1 check-sat@raw")
    assert one == key(place.format(118), "    7 check-sat-assuming@list 1 t3")
    assert one != key(place.format(119), "    1 check-sat@raw")


def test_a_solver_that_ends_itself_because_its_model_is_wrong_gave_a_wrong_model() -> None:
    output = "Failed to validate b20 112: (= (/ 127.0 1000.0) 0.0) false\n(sat\n"
    verdict = judge(Outcome("died", trace="    1 check-sat@raw\n", output=output, status=1 << 8))
    assert verdict is not None
    assert (verdict.kind, verdict.message) == ("invalid-model", "Failed to validate")


def test_what_a_solver_throws_while_it_solves_is_one_bucket_whichever_call_it_was() -> None:
    def key(action: str, spelling: str, message: str) -> str:
        return bucket_key(
            "z3", Verdict("exception", "binding", message, "", Call(action, "", spelling))
        )

    message = "Z3Exception: Sort mismatch at argument #1 for function (declare-fun extract ((_ BitVec {})) (_ BitVec 1))"
    one = key("check-sat", "raw", message.format(16))
    assert one == key("check-sat-assuming", "list", message.format(32))
    assert one != key("check-sat", "raw", "Z3Exception: malformed") and one != key(
        "get-value", "raw", message.format(16)
    )


def test_a_script_that_dies_with_a_message_is_in_its_bucket_whatever_theories_it_has() -> None:
    def key(text: str, output: str, status: int = signal.SIGABRT) -> str:
        verdict = judge(
            Outcome("died", trace=f'1 run-script@eval "{text}"\n', output=output, status=status)
        )
        assert verdict is not None
        return bucket_key("z3", verdict)

    ints, words = "(declare-const x Int)", "(declare-const s String)"
    thrown = "terminate called after throwing an instance of 'default_exception'\n"
    assert key(ints, thrown) == key(words, thrown) != key(ints, "UNREACHABLE\n")
    assert key(ints, "") != key(words, ""), "without a message the theories tell one from another"
    exceptions = [
        Verdict("exception", "binding", "Z3Exception: overflow", "", Call("run-script", of, "eval"))
        for of in ("INT", "STRING")
    ]
    assert len({bucket_key("z3", verdict) for verdict in exceptions}) == 1
    answers = [
        Verdict("wrong-answer", "solver", "unsat, not sat", "", Call("run-script", of, "eval"))
        for of in ("INT", "STRING")
    ]
    assert len({bucket_key("z3", verdict) for verdict in answers}) == 2


def test_the_formulas_that_break_an_assertion_of_the_solver_are_not_in_its_bucket() -> None:
    def key(message: str) -> str:
        return bucket_key(
            "cvc5", Verdict("abort", "solver", message, "SIGABRT", Call("check-sat", "", "default"))
        )

    place = "Fatal failure within void checkModel() at src/smt/check_models.cpp:251 "
    assert key(place + "(= x 1)") == key(place + "(or a (not b))") != key(place.replace("251", "7"))


def test_what_the_solver_says_of_a_false_assertion_is_not_in_its_bucket() -> None:
    def key(message: str) -> str:
        return bucket_key(
            "z3",
            Verdict("invalid-model", "solver", message, "", Call("check-model", "", "default")),
        )

    message = "an assertion about {} is false under the model; {}"
    one = key(message.format("SET", "so it is by the solver's evaluation"))
    assert (
        one
        == key(message.format("SET", "the solver does not evaluate it"))
        != key(message.format("FP", ""))
    )


def test_a_corrupted_heap_is_one_bucket_wherever_it_is_noticed() -> None:
    def key(action: str, message: str) -> str:
        return bucket_key(
            "cvc5", Verdict("abort", "solver", message, "SIGABRT", Call(action, "", "default"))
        )

    one = key("check-sat", "free(): invalid next size (fast)")
    assert (
        one
        == key("check-sat-assuming", "malloc(): invalid next->prev_inuse (unsorted)")
        == key("pop", "corrupted size vs. prev_size")
    )
    assert one != key("check-sat", "UNREACHABLE code")


def test_what_one_rule_gets_past_a_binding_is_one_bucket() -> None:
    def key(operator: str, rule: str, message: str) -> str:
        return bucket_key(
            "z3", Verdict("contract", "binding", message, "", Call("misuse", operator, rule))
        )

    context = "class A: takes a {} of another context beside objects of this one"
    assert key("OP_NOT", "context", context.format("term")) == key(
        "OP_STR_LE", "context", context.format("term")
    )
    assert key("OP_NOT", "context", context.format("term")) != key(
        "OP_NOT", "context", context.format("sort")
    )
    index = "class F: {0} takes an index that it cannot have; {0}: index k is 4294967296, expected 0 to 4"
    assert key("OP_AT_MOST", "number", index.format("OP_AT_MOST")) == key(
        "OP_AT_LEAST", "number", index.format("OP_AT_LEAST")
    )
    assert key("OP_AT_MOST", "float", index.format("OP_AT_MOST")) != key(
        "OP_AT_MOST", "number", index.format("OP_AT_MOST")
    )


def test_what_the_conversion_of_arguments_does_is_one_bucket_whatever_is_called() -> None:
    def key(solver: str, callee: str, fault: str) -> str:
        told = f"class F: {Contract(load_wrapper(solver)['contract'], ()).caused(fault)}"
        return bucket_key(
            solver, Verdict("contract", "binding", told, "", Call("misuse", callee, "alike"))
        )

    number, text = (
        "a number is taken for another; 4294967304 for 8",
        "a text with a NUL is taken for another; 'a\\x00b' for 'a'",
    )
    assert (
        key("z3", "z3.BitVecSort", number)
        == key("z3", "z3.FPSort", number)
        != key("z3", "z3.Real", text)
    )
    assert key("z3", "z3.Real", text) == key("z3", "z3.Int", text)
    assert key("cvc5", "cvc5.Term.__getitem__", number) != key(
        "cvc5", "cvc5.Sort.getFunctionArity", number
    )
    rounded = "a float is taken for another; 3.7 for 3"
    assert key("z3", "z3.IntVal", rounded) != key("z3", "z3.BitVecVal", rounded)
    assert Contract(load_wrapper("z3")["contract"], ()).caused(rounded) == rounded


def test_an_error_of_ours_is_one_bucket_by_its_type_and_place() -> None:
    def key(message: str, function: str = "write_value") -> str:
        place = Call("murxpy.logic.values", function, "")
        return bucket_key("z3", Verdict(INTERNAL, "murxpy", message, "", place))

    one = key("AttributeError: 'Algebraic' object has no attribute 'denominator' (murxpy...)")
    assert one == key("AttributeError: something else: of another value")
    assert one.startswith("internal-z3-murxpy-logic-values-write-value-")
    assert one != key("TypeError: something else")
    assert one != key("AttributeError: something else", "read_value")
