"""What the HTTP servers share: a socket, an event loop that ends without a trace, and the door of an application.

Every request passes the door before anything else is done with it.

    stranger    who may ask is for each server to say: by token, Host or Origin
    load        more than ``most_at_once`` requests at a time are refused with 503; none of them waits in memory
    body        more than ``largest_body`` bytes are refused, as soon as they are announced or have arrived (413)
    time        headers, and then the body, must arrive within ``LONGEST_WAIT`` seconds; then the connection is closed

Every answer, refusals included, gets the headers of the door. None of them allows another origin.
"""

from __future__ import annotations

import asyncio
import json
import secrets
import socket
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, ClassVar
from urllib.parse import parse_qs

import h11
import uvicorn
from starlette.exceptions import HTTPException
from starlette.responses import Response
from uvicorn.protocols.http.h11_impl import H11Protocol

from temporacle.errors import UsageError
from temporacle.signals import handled

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

HOST = "127.0.0.1"
LONGEST_WAIT = 10.0  # seconds for all headers of a request, and for its body
_BACKLOG = 2048  # connections that may wait
_LAST_SECONDS = 2  # for requests that are under way when the server ends
_CLOSE = {"connection": "close"}  # the rest of what was sent is not read
_TOO_SLOW = f"the body has not arrived within {LONGEST_WAIT:g} s: send the request again"
_TOO_LARGE = "the body is larger than {} bytes: send it in several requests"


class Door:
    """An application that passes on what may pass, and answers everything else itself."""

    largest_body: ClassVar[int] = 1 << 20
    most_at_once: ClassVar[int] = 64
    headers: ClassVar[Mapping[str, str]] = {}  # of every answer

    def __init__(self, app: ASGIApp, token: str | None) -> None:
        self._app = app
        self._token = None if token is None else token.encode()
        self._active = 0

    def refusal(self, scope: Scope, headers: Mapping[str, str]) -> tuple[int, str] | None:
        """Return status and reason if a request must not pass."""
        raise NotImplementedError

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] == "http":
            await self._answer(scope, receive, self._with_headers(send))
        elif scope["type"] == "lifespan":
            await self._app(scope, receive, send)
        else:
            await send({"type": "websocket.close", "code": 1008})

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = _headers(scope)
        refused = self.refusal(scope, headers) or self._too_much(headers)
        if refused is not None:
            await failure(*refused, headers=_CLOSE)(scope, receive, send)
            return
        self._active += 1
        try:
            await self._app(scope, self._limited(receive), send)
        finally:
            self._active -= 1

    def _too_much(self, headers: Mapping[str, str]) -> tuple[int, str] | None:
        if self._active >= self.most_at_once:
            return 503, f"more than {self.most_at_once} requests at once: try again in a moment"
        announced = headers.get("content-length", "0")
        if not announced.isdecimal() or len(announced) > 20 or int(announced) > self.largest_body:
            return 413, _TOO_LARGE.format(self.largest_body)
        return None

    def has_token(self, scope: Scope, headers: Mapping[str, str]) -> bool:
        """Return whether a request has the token, in the query or as ``Authorization: Bearer``."""
        kind, _, given = headers.get("authorization", "").partition(" ")
        found = [given.strip()] if kind.lower() == "bearer" else []
        found += parse_qs(scope["query_string"].decode("latin-1"), max_num_fields=None).get("token", [])
        return any(secrets.compare_digest(each.encode("utf-8", "surrogatepass"), self._token or b"") for each in found)

    def _with_headers(self, send: Send) -> Send:
        async def safely(message: Message) -> None:
            if message["type"] == "http.response.start":
                own = {name.encode(): value.encode() for name, value in self.headers.items()}
                kept = [pair for pair in message.get("headers", ()) if pair[0].lower() not in own]
                message = {**message, "headers": [*kept, *own.items()]}
            await send(message)

        return safely

    def _limited(self, receive: Receive) -> Receive:
        """Return a stream of messages that ends with an error when the body gets too large or takes too long."""
        arrived = 0
        until: float | None = asyncio.get_running_loop().time() + LONGEST_WAIT  # None: the body is there

        async def within_limit() -> dict[str, Any]:
            nonlocal arrived, until
            try:
                async with asyncio.timeout_at(until):
                    message = await receive()
            except TimeoutError:
                raise HTTPException(408, _TOO_SLOW, headers=_CLOSE) from None
            arrived += len(message.get("body", b""))
            if arrived > self.largest_body:
                raise HTTPException(413, _TOO_LARGE.format(self.largest_body), headers=_CLOSE)
            if not message.get("more_body", False):
                until = None
            return dict(message)

        return within_limit


def _headers(scope: Scope) -> dict[str, str]:
    """Return the headers. Of a header that is repeated, all values count, so that none hides behind another."""
    found: dict[str, str] = {}
    for name, value in scope["headers"]:
        key, text = name.decode("latin-1").lower(), value.decode("latin-1").strip()
        found[key] = f"{found[key]}, {text}" if key in found else text
    return found


def json_bytes(value: object) -> bytes:
    """Return a value as JSON in ASCII: everything that stands in a document can be sent, half a character included."""
    return json.dumps(value, allow_nan=False).encode()


def answer(value: object, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """Return a value as an answer."""
    return Response(json_bytes(value), status, headers, media_type="application/json")


def failure(status: int, sentence: str, headers: Mapping[str, str] | None = None, **more: object) -> Response:
    """Return an error as an answer: what happened and what to do."""
    return answer({"error": sentence, **more}, status, headers)


# --- the socket and the event loop ----------------------------------------------------------------------------------


def bound(port: int, host: str = HOST) -> socket.socket:
    """Return a socket at a port, 0 for any free one. Raise UsageError if the port is in use."""
    place = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_STREAM)
    place.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        place.bind((host, port))
        place.listen(_BACKLOG)
    except (OSError, OverflowError) as error:
        place.close()
        reason = getattr(error, "strerror", None) or error
        raise UsageError(
            f"cannot listen at {host}, port {port}: {reason}; choose another --port, or 0 for any free one"
        ) from error
    return place


def port_of(place: socket.socket) -> int:
    """Return the port of a bound socket."""
    port: int = place.getsockname()[1]
    return port


def run(
    app: ASGIApp, place: socket.socket, opened: Callable[[], object], ending: Callable[[], object] = lambda: None
) -> None:
    """Answer requests until SIGINT or SIGTERM. ``opened`` is called when the server is ready, ``ending`` at its end."""

    class Server(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            opened()

        @contextmanager
        def capture_signals(self) -> Iterator[None]:
            """Take signals as the end of the work. Other than usual they do not end the program afterwards."""
            with handled(self._end):
                yield

        def _end(self, number: int, frame: Any) -> None:
            ending()
            self.handle_exit(number, frame)

    _allow_many_connections()
    config = uvicorn.Config(
        app,
        http=_Impatient,
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
    Server(config).run(sockets=[place])


class _Impatient(H11Protocol):
    """A connection that is closed if the headers of a request take longer than they may."""

    _limit: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._watch()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._watch(is_over=True)

    def _watch(self, *, is_over: bool = False) -> None:
        is_begun = self.conn.their_state is h11.IDLE and not is_over  # the headers are not complete
        if is_begun and self._limit is None:
            self._limit = self.loop.call_later(LONGEST_WAIT, self.transport.close)
        elif not is_begun and self._limit is not None:
            self._limit.cancel()
            self._limit = None


def _allow_many_connections() -> None:
    """Raise the number of files that may be open, as far as the system lets a user do that."""
    with suppress(ImportError, ValueError, OSError):
        import resource

        _soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
