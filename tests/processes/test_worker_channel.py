"""Messages, the shared trace buffer, and what is kept of a run's output."""

from __future__ import annotations

import os
import socket
import sys
import time
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from murxpy.processes.targets import parse_target
from murxpy.translate.expressions import literal
from murxpy.worker import buffer, worker
from murxpy.worker.channel import Channel, Decoder, encode
from murxpy.worker.worker import KEPT_OUTPUT, excerpt

MESSAGES = st.lists(
    st.dictionaries(st.text(max_size=5), st.integers() | st.text(), max_size=4), max_size=5
)


@given(MESSAGES, st.lists(st.integers(1, 40), max_size=20))
def test_messages_survive_any_cutting(messages: list[dict[str, Any]], cuts: list[int]) -> None:
    data = b"".join(encode(message) for message in messages)
    decoder = Decoder()
    got = []
    for cut in cuts:
        got += decoder.feed(data[:cut])
        data = data[cut:]
    assert got + decoder.feed(data) == messages


@pytest.mark.parametrize("data", [b"\0\0\0\x02[]", b"\0\0\0\x01x"])
def test_what_is_no_message_is_an_error(data: bytes) -> None:
    with pytest.raises(ValueError):
        Decoder().feed(data)


def test_channel_ends_with_its_other_side() -> None:
    one, two = socket.socketpair()
    channel = Channel(one)
    two.sendall(encode({"a": 1}) + encode({"b": 2}))
    two.close()
    assert [channel.receive(), channel.receive(), channel.receive()] == [{"a": 1}, {"b": 2}, None]
    one.close()


def test_buffer_shows_what_was_written() -> None:
    fd = buffer.create()
    trace = buffer.TraceBuffer(fd)
    assert buffer.progress(fd).state == buffer.IDLE
    trace.begin(7, 2**64 - 1)
    trace.write("first\n")
    trace.write("|\u00e9\U0001f600\ud800|\n")
    progress = buffer.progress(fd)
    assert (progress.job, progress.seed, progress.state) == (7, 2**64 - 1, buffer.RUNNING)
    assert 0 < progress.cpu <= time.process_time()
    assert buffer.decode(buffer.read(fd)) == trace.text() == "first\n|\u00e9\U0001f600\ud800|\n"
    assert buffer.read(fd, 6).startswith(b"|")
    trace.end()
    trace.begin(8, 1)
    assert buffer.read(fd) == b""
    with pytest.raises(OverflowError):
        trace.write("x" * buffer.SIZE)
    os.close(fd)


def test_half_written_text_is_still_text() -> None:
    assert buffer.decode("é".encode()[:1]) == "\ufffd"


@pytest.mark.parametrize("size", [0, 10, KEPT_OUTPUT, 2 * KEPT_OUTPUT, 2 * KEPT_OUTPUT + 5])
def test_head_and_tail_of_output_are_kept(size: int) -> None:
    fd = os.memfd_create("output")
    text = "".join(chr(97 + number % 26) for number in range(size))
    os.write(fd, text.encode())
    kept = excerpt(fd)
    if size <= 2 * KEPT_OUTPUT:
        assert kept == text
    else:
        assert kept == text[:KEPT_OUTPUT] + "\n[5 bytes left out]\n" + text[-KEPT_OUTPUT:]
    os.close(fd)


def _report(fault: Callable[[], None]) -> dict[str, Any]:
    """The report of a job in which `fault` raises an exception."""
    try:
        fault()
    except Exception as error:
        return worker._internal({"seed": 1}, error)
    raise AssertionError("it raised nothing")


def test_an_error_of_ours_names_its_place_and_not_the_call_in_hand() -> None:
    """The innermost function of murxpy, also where it called the standard library."""
    finding = _report(lambda: parse_target(None))["finding"]  # type: ignore[arg-type]
    assert (finding["action"], finding["operator"]) == (parse_target.__module__, "parse_target")
    assert finding["tier"] == "murxpy"
    assert finding["message"].endswith(f"({parse_target.__module__}, parse_target)")


def test_an_endless_recursion_of_ours_has_one_place() -> None:
    """Wherever it runs out of the stack."""
    deep: list[Any] = []
    deep.append(deep)
    places = set()
    for limit in range(300, 304):
        before = sys.getrecursionlimit()
        sys.setrecursionlimit(limit)
        try:
            finding = _report(lambda: literal(deep) and None)["finding"]
        finally:
            sys.setrecursionlimit(before)
        places.add((finding["action"], finding["operator"]))
    assert places == {(literal.__module__, "literal")}
