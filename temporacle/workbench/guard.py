"""The door of the workbench. Every request passes it before anything else is done with it.

    Host        must be this server by name: a page that points its own name to this machine is refused
    Origin      must be this server, if there is one: other pages in the same browser are refused
    token       in the query or as ``Authorization: Bearer``; compared in constant time
    load        more than ``MOST_AT_ONCE`` requests at a time are refused with 503; none of them waits in memory
    body        more than ``LARGEST_BODY`` bytes are refused, as soon as they are announced or have arrived

Every answer, refusals included, gets the headers that forbid inline scripts, other origins, frames and caches.
"""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs

from starlette.exceptions import HTTPException

from temporacle.workbench.answers import failure

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

LARGEST_BODY = 1 << 20  # bytes: an edit of ten thousand links
MOST_AT_ONCE = 64

_HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}
_SAFE_HEADERS = [(name.encode(), value.encode()) for name, value in _HEADERS.items()]
_CLOSE = {"connection": "close"}  # whatever else was sent is not read
_WITH_BODY = "POST"
_TOO_LARGE = f"the body is larger than {LARGEST_BODY} bytes: send the edits in several requests"


class Guard:
    """An application that passes on what may pass, and answers everything else itself."""

    def __init__(self, app: ASGIApp, token: str, port: int) -> None:
        self._app = app
        self._token = token.encode()
        self._hosts = {f"{name}:{port}" for name in ("127.0.0.1", "localhost")}
        self._origins = {f"http://{host}" for host in self._hosts}
        self._active = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
        elif scope["type"] == "http":
            await self._answer(scope, receive, _with_safe_headers(send))
        else:
            await send({"type": "websocket.close", "code": 1008})

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        refusal = self._refusal(scope)
        if refusal is not None:
            await failure(*refusal, headers=_CLOSE)(scope, receive, send)
            return
        self._active += 1
        try:
            await self._app(scope, _limited(receive), send)
        finally:
            self._active -= 1

    def _refusal(self, scope: Scope) -> tuple[int, str] | None:
        headers = _headers(scope)
        if headers.get("host", "").lower() not in self._hosts:
            return 403, f"this server answers to {' and '.join(sorted(self._hosts))} only: use the address it printed"
        if "origin" in headers and headers["origin"].lower() not in self._origins:
            return 403, "the request comes from a page of another server: use the address that the workbench printed"
        if not self._has_token(scope, headers):
            return 401, "the token is missing or wrong: use the whole address that the workbench printed"
        if self._active >= MOST_AT_ONCE:
            return 503, f"more than {MOST_AT_ONCE} requests at once: try again in a moment"
        announced = headers.get("content-length", "0")
        if not announced.isdecimal() or len(announced) > 20 or int(announced) > LARGEST_BODY:
            return 413, _TOO_LARGE
        if scope["method"] != _WITH_BODY and (int(announced) or "transfer-encoding" in headers):
            return 400, f"{scope['method']} takes no body: leave it out, or use POST"
        return None

    def _has_token(self, scope: Scope, headers: dict[str, str]) -> bool:
        kind, _, given = headers.get("authorization", "").partition(" ")
        found = [given.strip()] if kind.lower() == "bearer" else []
        found += parse_qs(scope["query_string"].decode("latin-1"), max_num_fields=None).get("token", [])
        return any(secrets.compare_digest(each.encode("utf-8", "surrogatepass"), self._token) for each in found)


def _headers(scope: Scope) -> dict[str, str]:
    """Return the headers. Of a header that is repeated, all values count, so that none hides behind another."""
    found: dict[str, str] = {}
    for name, value in scope["headers"]:
        key, text = name.decode("latin-1").lower(), value.decode("latin-1").strip()
        found[key] = f"{found[key]}, {text}" if key in found else text
    return found


def _with_safe_headers(send: Send) -> Send:
    async def safely(message: Message) -> None:
        if message["type"] == "http.response.start":
            own = {name.lower() for name, _ in _SAFE_HEADERS}
            kept = [pair for pair in message.get("headers", ()) if pair[0].lower() not in own]
            message = {**message, "headers": [*kept, *_SAFE_HEADERS]}
        await send(message)

    return safely


def _limited(receive: Receive) -> Receive:
    """Return a stream of messages that ends with an error when the body gets too large."""
    arrived = 0

    async def within_limit() -> dict[str, Any]:
        nonlocal arrived
        message = await receive()
        arrived += len(message.get("body", b""))
        if arrived > LARGEST_BODY:
            raise HTTPException(413, _TOO_LARGE, headers=_CLOSE)
        return dict(message)

    return within_limit
