"""What every request to a server passes before anything else is done with it.

    token       as ``Authorization: Bearer``, ``?token=``, or the password of basic authentication, which is all that
                Label Studio can send to a model; compared in constant time; 401 without
    Host        without a token: only the bound address is answered (403), so that no page can point its name here
    type        a POST must be ``application/json`` (415)

The rest is that of every door (``web``). One line of log for each request: method, path without query, status,
milliseconds. Bodies carry access tokens, so that nothing of them is ever printed.
"""

from __future__ import annotations

import json
import secrets
import sys
import time
from base64 import b64decode
from math import isfinite
from pathlib import Path
from traceback import extract_tb
from typing import TYPE_CHECKING, Any

from starlette.concurrency import run_in_threadpool

from temporacle import web
from temporacle.errors import UsageError
from temporacle.printing import printable

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from starlette.requests import Request
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

LOOPBACK = ("127.0.0.1", "localhost", "::1")


class Door(web.Door):
    """The door of a server that other tools ask."""

    largest_body = 16 << 20
    most_at_once = 256
    headers = {  # noqa: RUF012 - declared by the class above
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer",
        "cache-control": "no-store",
        "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
    }

    def __init__(self, app: ASGIApp, token: str | None, host: str, port: int) -> None:
        super().__init__(app, token)
        names = LOOPBACK if host in LOOPBACK else (host,)
        self._hosts = {f"{_in_address(name)}:{port}" for name in names}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, and log it."""
        begun, status = time.perf_counter(), 500

        async def answered(message: Message) -> None:
            nonlocal status
            status = message.get("status", status)
            await send(message)

        try:
            await super().__call__(scope, receive, answered)
        finally:
            if scope["type"] == "http":
                took = (time.perf_counter() - begun) * 1000
                sys.stderr.write(printable(f"{scope['method']} {scope['path']} {status} {took:.0f} ms") + "\n")
                sys.stderr.flush()

    def has_token(self, scope: Scope, headers: Mapping[str, str]) -> bool:
        """Return whether a request has the token."""
        kind, _, given = headers.get("authorization", "").partition(" ")
        if kind.lower() == "basic" and self._token is not None:
            try:
                password = b64decode(given, validate=True).partition(b":")[2]
            except ValueError:
                return False
            return secrets.compare_digest(password, self._token)
        return super().has_token(scope, headers)

    def refusal(self, scope: Scope, headers: Mapping[str, str]) -> tuple[int, str] | None:
        """Return status and reason if a request must not pass."""
        if self._token is None:
            if headers.get("host", "").lower() not in self._hosts:
                return 403, f"without a token this server answers to {' and '.join(sorted(self._hosts))} only"
        elif not self.has_token(scope, headers):
            return 401, "the token is missing or wrong: send Authorization: Bearer TOKEN, or ?token=TOKEN"
        kind = headers.get("content-type", "").partition(";")[0].strip().lower()
        if scope["method"] == "POST" and kind != "application/json":
            return 415, "a POST must be application/json"
        return None


async def body_of(request: Request) -> Any:
    """Return the JSON value of a request; None if it is none."""
    try:
        return json.loads(await request.body(), parse_float=_number, parse_constant=_number)
    except (ValueError, RecursionError):
        return None


def _number(text: str) -> float:
    """Return a number. Python's JSON knows some that no answer can hold."""
    value = float(text)
    if not isfinite(value):
        raise ValueError(text)
    return value


def tell_of(error: Exception) -> None:
    """Log what went wrong in our own code: where, and not what the message says, which may quote a body."""
    places = [f"{Path(frame.filename).name}:{frame.lineno}" for frame in extract_tb(error.__traceback__)]
    sys.stderr.write(printable(f"internal error: {type(error).__name__} at {places[-1]}; please report it") + "\n")


async def worked_out(question: Callable[..., Any], *arguments: Any) -> Any:
    """Return the answer to a question. It is worked out in a thread, so that other requests do not wait for it."""
    return await run_in_threadpool(question, *arguments)


def require_token(host: str, token: str | None) -> None:
    """Raise UsageError if other machines could ask without a token."""
    if host not in LOOPBACK and not token:
        raise UsageError(f"everyone who reaches {host} could ask the server: give --token, or set TEMPORACLE_TOKEN")


def run(app: ASGIApp, *, host: str, port: int, token: str | None, opened: Callable[[str], None]) -> None:
    """Answer requests until SIGINT or SIGTERM. ``opened`` gets the address when the server is ready."""
    with web.bound(port, host) as place:
        port = web.port_of(place)
        web.run(Door(app, token, host, port), place, lambda: opened(f"http://{_in_address(host)}:{port}"))


def _in_address(host: str) -> str:
    return f"[{host}]" if ":" in host else host
