"""`murxpy watch`: who may look, what is read and when, and how it ends. The page in a browser is
tested in `test_browser.py`.
"""

from __future__ import annotations

import asyncio
import signal
import socket
import subprocess
import sys
import time
from collections import Counter
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from commands import error
from store_buckets import kept, stored

from murxpy.cli.report import live_page
from murxpy.cli.report.live_page import LivePage
from murxpy.findings.store import Changes, Store

pytest.importorskip("jinja2")
pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

from murxpy.cli.watch import Guard, Viewers, allowed_hosts

TOKEN = "abc"


class Ticking:
    """A clock that a test moves, and the time of a processor that work takes."""

    def __init__(self) -> None:
        self.now, self.spent = 100.0, 0.0

    def clock(self) -> float:
        return self.now

    def cost(self) -> float:
        self.spent += 0.1  # between two looks at it
        return self.spent


def more(out: Path, runs: int) -> None:
    """Write to the store, as a campaign does."""
    with closing(Store(out)) as store:
        store.save(Changes(counters=Counter({"run:total": runs})))


# ----------------------------------------------------------------------
# What is read.


def test_a_page_waits_for_its_campaign_and_follows_it(tmp_path: Path) -> None:
    out = tmp_path / "later"
    with closing(LivePage(out)) as page:
        assert page.refresh() and "waiting for a campaign" in page.parts["head"].html
        assert not page.refresh()
        out.mkdir()
        stored(out, kept(out, "wrong-unsat-a", {}, kind="wrong-unsat"))
        assert page.refresh() and "wrong-unsat-a" in page.parts["defects"].html
        version = page.version
        assert not page.refresh() and page.version == version
        more(out, 1134)
        assert page.refresh() and "1,234 in" in page.parts["head"].html


def test_another_campaign_in_the_place_of_the_first_is_read(tmp_path: Path) -> None:
    stored(tmp_path, kept(tmp_path, "crash-a", {}))
    with closing(LivePage(tmp_path)) as page:
        page.refresh()
        for file in tmp_path.glob("campaign.sqlite*"):
            file.unlink()
        stored(tmp_path, kept(tmp_path, "crash-b", {}))
        page.refresh()
        assert "crash-b" in page.parts["defects"].html and "crash-a" not in page.parts["head"].html


def test_what_costs_much_waits_until_its_share_is_not_used_up(tmp_path: Path) -> None:
    stored(tmp_path, kept(tmp_path, "crash-a", {}))
    ticking = Ticking()
    with closing(LivePage(tmp_path, ticking.clock, ticking.cost)) as page:
        page.refresh()  # all of it, for the first one who looks
        assert all(page.parts[name].html for name in ("head", "defects", "time", "tables"))
        with closing(Store(tmp_path)) as store:
            store.save(Changes(buckets=[kept(tmp_path, "crash-b", {})]))
        more(tmp_path, 1)
        page.refresh()
        assert "101 in" in page.parts["head"].html
        assert "crash-b" not in page.parts["defects"].html
        ticking.now += 1000
        page.refresh()
        assert "crash-b" in page.parts["defects"].html


def test_a_store_that_cannot_be_read_is_said_on_the_page(tmp_path: Path) -> None:
    (tmp_path / "campaign.sqlite").write_bytes(b"no database <b>\n" * 400)
    with closing(LivePage(tmp_path)) as page:
        page.refresh()
        assert "it is damaged" in page.parts["head"].html
        for file in tmp_path.glob("campaign.sqlite*"):
            file.unlink()
        stored(tmp_path, kept(tmp_path, "crash-b", {}))
        page.refresh()
        assert "crash-b" in page.parts["defects"].html


def test_nothing_is_read_where_nothing_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stored(tmp_path, kept(tmp_path, "crash-a", {}))
    with closing(LivePage(tmp_path)) as page:
        page.refresh()
        time.sleep(0.01)
        while page._old:  # what there was no time for
            page._paid = 0.0, 0.0
            page.refresh()
        for name in ("sessions", "buckets", "counters", "targets", "timeline"):
            monkeypatch.setattr(live_page.Store, name, None)
        assert not page.refresh()


# ----------------------------------------------------------------------
# Who may look.


def answered(guard: Guard, query: str, *hosts: str) -> int:
    """The status of the answer to a request."""
    scope = {
        "type": "http",
        "query_string": query.encode(),
        "headers": [(b"host", host.encode()) for host in hosts],
    }
    said: list[Any] = []

    async def sent(message: Any) -> None:
        said.append(message)

    asyncio.run(guard(scope, None, sent))  # type: ignore[arg-type]
    names = {name for name, _ in said[0]["headers"]}
    assert {b"cache-control", b"referrer-policy", b"x-content-type-options"} <= names
    return int(said[0]["status"])


async def served(scope: Any, receive: Any, send: Any) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": []})


def guard(host: str, address: str) -> Guard:
    return Guard(served, TOKEN, allowed_hosts(host, address), 8000)  # type: ignore[arg-type]


@pytest.mark.parametrize("query", ["", "token=", "token=abd", "token=abcd", "Token=abc", "x=abc"])
def test_who_has_no_token_sees_nothing(query: str) -> None:
    assert answered(guard("127.0.0.1", "127.0.0.1"), query, "127.0.0.1:8000") == 403


@pytest.mark.parametrize(
    "hosts",
    [
        (),
        ("evil.example:8000",),
        ("127.0.0.1",),
        ("127.0.0.1:80",),
        ("127.0.0.1:8000", "evil.example"),
        ("127.0.0.1.evil.example:8000",),
        ("[::1]:8000@evil.example",),
    ],
)
def test_the_name_of_a_stranger_is_refused(hosts: tuple[str, ...]) -> None:
    assert answered(guard("127.0.0.1", "127.0.0.1"), "token=abc", *hosts) == 403


@pytest.mark.parametrize(
    "host", ["127.0.0.1:8000", "localhost:8000", "LOCALHOST:8000", "[::1]:8000"]
)
def test_who_has_the_link_sees_the_page(host: str) -> None:
    assert answered(guard("127.0.0.1", "127.0.0.1"), "token=abc", host) == 200


def test_other_addresses_are_named_by_digits_or_as_the_user_did() -> None:
    everywhere, named = guard("0.0.0.0", "0.0.0.0"), guard("box.example", "192.0.2.7")
    assert answered(everywhere, "token=abc", "192.0.2.7:8000") == 200
    assert answered(everywhere, "token=abc", "evil.example:8000") == 403
    assert answered(named, "token=abc", "box.example:8000") == 200
    assert answered(named, "token=abc", "localhost:8000") == 403


# ----------------------------------------------------------------------
# What viewers get.


def test_viewers_get_what_changed_since_their_page(tmp_path: Path) -> None:
    stored(tmp_path, kept(tmp_path, "crash-a", {}))

    async def looked() -> tuple[list[bytes], bytes]:
        events = viewers.events(page.version)
        first = [await anext(events)]  # how long to wait before another try
        news = asyncio.ensure_future(anext(events))
        await asyncio.sleep(0.05)
        assert not news.done()
        more(tmp_path, 7)
        page.refresh()
        viewers.tell()
        found = await asyncio.wait_for(news, 5)
        viewers.end()
        return first, found

    with closing(LivePage(tmp_path)) as page:
        page.refresh()
        viewers = Viewers(page)
        whole = viewers.page()
        assert "crash-a" in whole and f'data-version="{page.version}"' in whole
        first, found = asyncio.run(looked())
    assert first == [b"retry: 1000\n\n"]
    assert b"event: part" in found and b'"name": "head"' in found and b"107 in" in found
    assert found.count(b"\n") == 4  # no text of a stranger begins a line of its own


def test_the_page_asks_its_own_server_only(tmp_path: Path) -> None:
    with closing(LivePage(tmp_path)) as page:
        text = Viewers(page).page()
    assert "connect-src &#39;self&#39;" in text and "unsafe" not in text


# ----------------------------------------------------------------------
# The command.


def test_a_command_serves_until_a_signal(tmp_path: Path) -> None:
    stored(tmp_path, kept(tmp_path, "crash-a", {}))
    command = [sys.executable, "-m", "murxpy", "watch", str(tmp_path), "--port", "0"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as run:
        assert run.stdout is not None and run.stderr is not None
        link = urlsplit(run.stdout.readline().strip())
        server = HTTPConnection(link.hostname or "", link.port, timeout=20)
        server.request("GET", f"/?{link.query}")
        answer = server.getresponse()
        assert answer.status == 200 and "crash-a" in answer.read().decode()
        assert answer.headers["cache-control"] == "no-store" and "server" not in answer.headers
        server.request("GET", f"/events?{link.query}")
        events = server.getresponse()
        assert events.headers["content-type"].startswith("text/event-stream")
        assert events.readline() == b"retry: 1000\n"
        began = time.monotonic()
        run.send_signal(signal.SIGINT)
        assert run.wait(10) == 130 and time.monotonic() - began < 5
        assert "Traceback" not in run.stderr.read()
        server.close()


def test_a_port_that_is_taken_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        code, said = error(capsys, "watch", tmp_path, "--port", port)
    assert code == 2 and port in said and "choose another --port" in said
    code, said = error(capsys, "watch", tmp_path, "--host", "no.such.host.example")
    assert code == 2 and "no.such.host.example" in said


@pytest.mark.parametrize("missing", ["starlette", "uvicorn", "jinja2"])
def test_a_missing_extra_is_one_line(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    missing: str,
) -> None:
    from murxpy.cli import watch
    from murxpy.cli.report.page import environment

    monkeypatch.setitem(sys.modules, missing, None)
    monkeypatch.setattr(watch, "environment", environment.__wrapped__)
    code, said = error(capsys, "watch", tmp_path)
    assert code == 2 and "murxpy[" in said
