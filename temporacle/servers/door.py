"""What every request to a server passes before anything else is done with it.

    token       as ``Authorization: Bearer`` or ``?token=``, compared in constant time; 401 without
    Host        without a token: only the bound address is answered (403), so that no page can point its name here
    type        a POST must be ``application/json`` (415)
    body        at most ``LARGEST_BODY`` bytes (413), refused as soon as they are announced or have arrived

One line of log for each request: method, path without query, status, milliseconds. Bodies carry access tokens, so that
nothing of them is ever printed. No answer allows another origin.
"""

from __future__ import annotations

import asyncio
import json
import secrets
import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse

from temporacle.errors import UsageError
from temporacle.printing import printable
from temporacle.signals import handled

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable, Iterator

    from starlette.requests import Request
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

LARGEST_BODY = 16 << 20
LOOPBACK = ("127.0.0.1", "localhost", "::1")
_BODY_SECONDS = 20  # for a body to arrive
_LAST_SECONDS = 2  # for requests that are under way when the server ends
_HEADERS = [
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cache-control", b"no-store"),
    (b"content-security-policy", b"default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"),
]


class Door:
    """An application that passes on what may pass, and answers everything else itself."""

    def __init__(self, app: ASGIApp, token: str | None, host: str, port: int) -> None:
        self._app = app
        self._token = None if token is None else token.encode()
        names = LOOPBACK if host in LOOPBACK else (host,)
        self._hosts = {f"[{name}]:{port}" if ":" in name else f"{name}:{port}" for name in names}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            return
        begun, status = time.perf_counter(), 500

        async def answered(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message = {**message, "headers": [*message.get("headers", ()), *_HEADERS]}
            await send(message)

        refusal = self._refusal(scope)
        try:
            if refusal is not None:
                await _refused(*refusal)(scope, receive, answered)
            else:
                await self._app(scope, receive, answered)
        finally:
            took = (time.perf_counter() - begun) * 1000
            sys.stderr.write(printable(f"{scope['method']} {scope['path']} {status} {took:.0f} ms") + "\n")
            sys.stderr.flush()

    def _refusal(self, scope: Scope) -> tuple[int, str] | None:
        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
        if self._token is None:
            if headers.get("host", "").lower() not in self._hosts:
                return 403, f"without a token this server answers to {' and '.join(sorted(self._hosts))} only"
        elif not self._has_token(scope, headers):
            return 401, "the token is missing or wrong: send Authorization: Bearer TOKEN, or ?token=TOKEN"
        if scope["method"] == "POST":
            if headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
                return 415, "a POST must be application/json"
            announced = headers.get("content-length", "0")
            if not announced.isdecimal() or len(announced) > 20 or int(announced) > LARGEST_BODY:
                return 413, f"the body is larger than {LARGEST_BODY} bytes"
        return None

    def _has_token(self, scope: Scope, headers: dict[str, str]) -> bool:
        kind, _, given = headers.get("authorization", "").partition(" ")
        found = [given.strip()] if kind.lower() == "bearer" else []
        found += parse_qs(scope["query_string"].decode("latin-1")).get("token", [])
        return any(secrets.compare_digest(each.encode("utf-8", "surrogatepass"), self._token or b"") for each in found)


class Json(JSONResponse):
    """An answer in ASCII, which can hold every string that JSON can."""

    def render(self, content: Any) -> bytes:
        """Return the bytes."""
        return json.dumps(content).encode("ascii")


def _refused(status: int, reason: str) -> Json:
    return Json({"error": reason}, status, headers={"connection": "close"})


async def body_of(request: Request) -> Any:
    """Return the JSON value of a request; None if it is none. Raise 413 or 408 for one that is too large or slow."""
    pieces: list[bytes] = []
    size = 0
    try:
        async with asyncio.timeout(_BODY_SECONDS):
            async for piece in request.stream():
                size += len(piece)
                if size > LARGEST_BODY:
                    raise HTTPException(413, f"the body is larger than {LARGEST_BODY} bytes")
                pieces.append(piece)
    except TimeoutError:
        raise HTTPException(408, f"the body did not arrive within {_BODY_SECONDS} s") from None
    try:
        return json.loads(b"".join(pieces))
    except (ValueError, RecursionError):
        return None


async def worked_out(question: Callable[..., Any], *arguments: Any) -> Any:
    """Return the answer to a question. It is worked out in a thread, so that other requests do not wait for it."""
    return await run_in_threadpool(question, *arguments)


def require_token(host: str, token: str | None) -> None:
    """Raise UsageError if other machines could ask without a token."""
    if host not in LOOPBACK and not token:
        raise UsageError(f"everyone who reaches {host} could ask the server: give --token, or set TEMPORACLE_TOKEN")


def run(app: ASGIApp, *, host: str, port: int, token: str | None, opened: Callable[[str], None]) -> None:
    """Answer requests until SIGINT or SIGTERM. ``opened`` gets the address when the server is ready."""
    import uvicorn

    place = _bound(host, port)
    taken: int = place.getsockname()[1]

    class Server(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            opened(f"http://{f'[{host}]' if ':' in host else host}:{taken}")

        @contextmanager
        def capture_signals(self) -> Iterator[None]:
            """Take signals as the end of the work. Other than usual they do not end the program afterwards."""
            with handled(self.handle_exit):
                yield

    config = uvicorn.Config(
        Door(app, token, host, taken),
        http="h11",
        ws="none",
        loop="asyncio",
        lifespan="off",
        log_config=None,
        access_log=False,
        log_level="critical",
        proxy_headers=False,
        server_header=False,
        timeout_graceful_shutdown=_LAST_SECONDS,
    )
    with place:
        Server(config).run(sockets=[place])


def _bound(host: str, port: int) -> socket.socket:
    import socket

    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    place = socket.socket(family, socket.SOCK_STREAM)
    place.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        place.bind((host, port))
        place.listen(2048)
    except (OSError, OverflowError) as error:
        place.close()
        reason = getattr(error, "strerror", None) or error
        raise UsageError(
            f"cannot listen at {host}, port {port}: {reason}; choose another --port, or 0 for any"
        ) from error
    return place
