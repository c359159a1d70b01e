"""`murxpy watch`: the page of a campaign while it runs, for browsers on this machine."""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import json
import secrets
import socket
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, MutableMapping
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs

import click

from murxpy.cli.options import out_argument
from murxpy.cli.params import Guarded
from murxpy.cli.report.console import say
from murxpy.cli.report.live_page import LivePage
from murxpy.cli.report.page import environment, rendered
from murxpy.errors import InputError
from murxpy.processes import interrupts

if TYPE_CHECKING:
    import uvicorn
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response

_SCRIPTS = ("live.js",)
_EVERY = 1.0  # seconds between two readings
_ALIVE = 20.0  # seconds after which a viewer without news is told that the server is there
_MOST = 200  # connections
_LOCAL = ("127.0.0.1", "localhost", "::1")

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]


@click.command()
@out_argument
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8000,
    show_default=True,
    help="Port of the page; 0 takes a free one.",
)
@click.option(
    "--host",
    cls=Guarded,
    default="127.0.0.1",
    show_default=True,
    help="Address at which the page is served. At another one than this, others can see it who have the link.",
)
def watch(out: Path, port: int, host: str) -> int:
    """Show the campaign in the output folder OUT (murxpy-out) as a page that follows it, until Ctrl-C.
    The campaign may run, be over, or begin later. The page is only read by who has the printed link.

    \b
    murxpy watch out                  # the link to open in a browser is printed
    murxpy watch out --port 0         # at any free port
    """
    _refuse_missing()
    if out.exists() and not out.is_dir():
        raise InputError("expected the folder of a campaign", file=str(out))
    environment()
    token = secrets.token_urlsafe(16)
    with contextlib.closing(_listening(host, port)) as listening:
        address, taken = listening.getsockname()[:2]
        page = LivePage(out)
        page.refresh()
        viewers = Viewers(page)
        names = allowed_hosts(host, address)
        served = Guard(_application(viewers), token, names, taken)
        with contextlib.closing(page), _server(served, listening):
            say(f"http://{_in_url(host)}:{taken}/?token={token}")
            say("the page follows the campaign until Ctrl-C", err=True)
            try:
                _follow(page, viewers)
            except KeyboardInterrupt:
                return interrupts.exit_code()
            finally:
                viewers.end()
    return 0


def _refuse_missing() -> None:
    try:
        import starlette  # noqa: F401
        import uvicorn  # noqa: F401
    except ImportError:
        raise InputError(
            "a live page needs Starlette and uvicorn: install murxpy[web], or write 'murxpy report --html'"
        ) from None


def _follow(page: LivePage, viewers: Viewers) -> None:
    """Read the campaign each second, until a signal comes."""
    pause = threading.Event()
    while not pause.wait(_EVERY):
        if page.refresh():
            viewers.tell()


# ----------------------------------------------------------------------
# Serving what was read.


class Viewers:
    """Those who look at a page, to whom the server sends its parts that changed. All share the texts."""

    def __init__(self, page: LivePage) -> None:
        self._page = page
        self._texts: dict[str, tuple[int, bytes]] = {}
        self._told = 0
        self._loop: asyncio.AbstractEventLoop | None = None
        self._news = asyncio.Event()
        self._over = False
        self.tell()

    def tell(self) -> None:
        """Make the events of the parts that changed, and send them to all. Any thread may call this."""
        for name, part in self._page.parts.items():
            if part.version > self._texts.get(name, (0, b""))[0]:
                data = json.dumps({"name": name, "html": part.html})
                text = f"id: {part.version}\nevent: part\ndata: {data}\n\n"
                self._texts[name] = part.version, text.encode()
        self._told = self._page.version
        self._wake()

    def end(self) -> None:
        """Let go of all viewers."""
        self._over = True
        self._wake()

    def _wake(self) -> None:
        if self._loop is not None:
            with contextlib.suppress(RuntimeError):  # the server is gone
                self._loop.call_soon_threadsafe(self._ring)

    def _ring(self) -> None:
        old, self._news = self._news, asyncio.Event()
        old.set()

    def page(self) -> str:
        """The whole page as it is now."""
        page = self._page
        parts = {name: part.html for name, part in page.parts.items()}
        return rendered(
            "live.html.jinja",
            scripts=_SCRIPTS,
            title=page.title,
            parts=parts,
            reading=page.version,
        )

    async def events(self, since: int) -> AsyncIterator[bytes]:
        """The parts that changed after reading `since`, and those that change from now on. Who is slow
        gets the newest text of a part, and not those before it.
        """
        self._loop = asyncio.get_running_loop()
        yield b"retry: 1000\n\n"
        while not self._over:
            news, told = self._news, self._told
            for version, text in sorted(self._texts.values()):
                if version > since:
                    yield text
            since = max(since, told)
            if self._told > told:
                continue
            try:
                await asyncio.wait_for(news.wait(), _ALIVE)
            except TimeoutError:
                yield b": there\n\n"


def _application(viewers: Viewers) -> Starlette:
    from starlette.applications import Starlette
    from starlette.responses import HTMLResponse, StreamingResponse
    from starlette.routing import Route

    async def page(request: Request) -> Response:
        return HTMLResponse(viewers.page())

    async def events(request: Request) -> Response:
        said = request.headers.get("last-event-id") or request.query_params.get("since", "0")
        since = int(said) if said.isdecimal() and len(said) < 12 else 0
        return StreamingResponse(viewers.events(since), media_type="text/event-stream")

    return Starlette(routes=[Route("/", page), Route("/events", events)])


@contextlib.contextmanager
def _server(served: Guard, listening: socket.socket) -> Iterator[None]:
    """A thread that serves a page; this thread keeps the signals."""
    import uvicorn

    config = uvicorn.Config(
        served,
        log_config=None,
        access_log=False,
        server_header=False,
        lifespan="off",
        limit_concurrency=_MOST,
        timeout_graceful_shutdown=1,
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=_serve, args=(server, listening), daemon=True)
    thread.start()
    try:
        yield
    finally:
        server.should_exit = server.force_exit = True
        thread.join(2.0)


def _serve(server: uvicorn.Server, listening: socket.socket) -> None:
    asyncio.run(server.serve(sockets=[listening]))


# ----------------------------------------------------------------------
# Who may look: those who have the token, and who ask for the page by a name of this server. A page of a
# stranger can have its own name point to this machine, and then ask as if it were ours.


class Guard:
    """Answers 403 to a request without the token, or for another host than `hosts`; an empty set is any
    address in digits. Everything else goes to the application, and no answer may be kept or framed.
    """

    def __init__(self, served: Starlette, token: str, hosts: frozenset[str], port: int) -> None:
        self._served, self._token = served, token
        self._hosts, self._port = hosts, port

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        from starlette.responses import PlainTextResponse

        async def sent(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", ()), *_HEADERS]
            await send(message)

        if scope["type"] != "http":
            return
        if self._refused(scope):
            refusal = PlainTextResponse("open the link that 'murxpy watch' printed\n", 403)
            await refusal(scope, receive, sent)
        else:
            await self._served(scope, receive, sent)

    def _refused(self, scope: Scope) -> bool:
        hosts = [value for name, value in scope["headers"] if name == b"host"]
        if len(hosts) != 1 or not self._is_ours(hosts[0].decode("latin-1").lower()):
            return True
        given = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])[0]
        return not secrets.compare_digest(given.encode(), self._token.encode())

    def _is_ours(self, host: str) -> bool:
        name, colon, port = host.rpartition(":")
        if not colon or not port.isdecimal():
            name, port = host, "80"
        if port != str(self._port):
            return False
        name = name.removeprefix("[").removesuffix("]")
        return name in self._hosts or (not self._hosts and is_address(name))


_HEADERS = [
    (name.encode(), value.encode())
    for name, value in {
        "cache-control": "no-store",
        "content-security-policy": "frame-ancestors 'none'",
        "cross-origin-resource-policy": "same-origin",
        "referrer-policy": "no-referrer",
        "x-content-type-options": "nosniff",
    }.items()
]


def is_address(name: str) -> bool:
    """Whether a host is named by its address in digits."""
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def allowed_hosts(host: str, address: str) -> frozenset[str]:
    """The names of this server, which listens at `address` because the user said `host`; empty where it
    listens at all addresses of the machine.
    """
    if ipaddress.ip_address(address).is_unspecified:
        return frozenset()
    local = _LOCAL if ipaddress.ip_address(address).is_loopback else ()
    return frozenset({*local, host.lower(), address})


def _listening(host: str, port: int) -> socket.socket:
    """A socket at an address. Raises InputError."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((host, port), family=family)
    except (OSError, UnicodeError) as error:  # a host of other characters than names have
        why = getattr(error, "strerror", None) or "it is no name of a host"
        raise InputError(
            f"no page can be served at {host}, port {port} ({why}): choose another --port or --host"
        ) from None


def _in_url(host: str) -> str:
    return f"[{host}]" if ":" in host else host
