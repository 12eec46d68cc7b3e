"""The door of the workbench. Every request passes it before anything else is done with it.

    Host        must be this server by name: a page that points its own name to this machine is refused
    Origin      must be this server, if there is one: other pages in the same browser are refused
    token       in the query or as ``Authorization: Bearer``; compared in constant time
    load        more than ``MOST_AT_ONCE`` requests at a time are refused with 503; none of them waits in memory
    body        more than ``LARGEST_BODY`` bytes are refused, as soon as they are announced or have arrived
    time        headers, and then the body, must arrive within ``LONGEST_WAIT`` seconds; then the connection is closed

Every answer, refusals included, gets the headers that forbid inline scripts, other origins, frames and caches.
"""

from __future__ import annotations

import asyncio
import json
import re
import secrets
import sys
from importlib.resources import files
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import parse_qs

from starlette.exceptions import HTTPException
from starlette.responses import Response

from temporacle.editing.saving import ChangedOnDiskError
from temporacle.errors import BudgetExceeded, ContradictionError, InternalError, TemporacleError
from temporacle.printing import printable
from temporacle.workbench.document import RevisionError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from importlib.resources.abc import Traversable

    from starlette.requests import Request
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

LARGEST_BODY = 1 << 20  # bytes: an edit of ten thousand links
MOST_AT_ONCE = 64
LONGEST_WAIT = 10.0  # seconds for all headers of a request, and for its body

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
_TOO_SLOW = f"the body has not arrived within {LONGEST_WAIT:g} s: send the request again"
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
        if arrived > LARGEST_BODY:
            raise HTTPException(413, _TOO_LARGE, headers=_CLOSE)
        if not message.get("more_body", False):
            until = None
        return dict(message)

    return within_limit


# ----------------------------------------------------------------------------------------------------
# The pages, scripts and styles of the workbench, as the browser gets them: with the token in every address.
#
# All files are read at the start and found by name in a dictionary, so no request can lead to another file.

PAGES = {"/": "corpus.html", "/document": "document.html", "/adjudicate": "adjudicate.html"}
_TYPES = {
    "html": "text/html; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "svg": "image/svg+xml",
    "png": "image/png",
}
_TEXT = ("html", "js", "css")
_SHARED = ("colours.css", "dark.css")  # of the report: colours stand in one place
_IMPORT = re.compile(r"""(\b(?:from|import)\s*\(?\s*)(["'])(\./[\w./-]+\.js)\2""")


class StaticFile(NamedTuple):
    """The content of a file and its type."""

    data: bytes
    media_type: str


def static_files(token: str) -> dict[str, StaticFile]:
    """Return all files by name, with the token put where it is needed."""
    package = files("temporacle")
    shared = (package.joinpath("report", "templates", name) for name in _SHARED)
    found = (*_listed(package.joinpath("workbench", "static")), *shared)
    return {each.name: _made(each, token) for each in found}


def _listed(folder: Traversable) -> Iterator[Traversable]:
    if folder.is_dir():
        yield from (each for each in folder.iterdir() if each.name.rpartition(".")[2] in _TYPES)


def _made(file: Traversable, token: str) -> StaticFile:
    kind = file.name.rpartition(".")[2]
    if kind not in _TEXT:
        return StaticFile(file.read_bytes(), _TYPES[kind])
    return StaticFile(with_token(file.read_text("utf-8"), kind, token).encode(), _TYPES[kind])


def with_token(text: str, kind: str, token: str) -> str:
    """Return a file with the token in the addresses that it names.

    >>> with_token('<link href="static/page.css?token={{token}}">', "html", "t0")
    '<link href="static/page.css?token=t0">'
    >>> with_token('import { draw } from "./timeline.js";', "js", "t0")
    'import { draw } from "./timeline.js?token=t0";'
    """
    if kind == "js":
        return _IMPORT.sub(rf"\1\2\3?token={token}\2", text)
    return text.replace("{{token}}", token)


# ----------------------------------------------------------------------------------------------------
# Answers as JSON, and errors as answers.

_JSON = "application/json"


def json_bytes(value: object) -> bytes:
    """Return a value as JSON in ASCII: whatever stands in a document can be sent, half a character included."""
    return json.dumps(value, allow_nan=False).encode()


def answer(value: object, status: int = 200) -> Response:
    """Return a value as an answer."""
    return Response(json_bytes(value), status, media_type=_JSON)


def failure(status: int, sentence: str, headers: Mapping[str, str] | None = None, **more: object) -> Response:
    """Return an error as an answer: what happened and what to do."""
    return Response(json_bytes({"error": sentence, **more}), status, headers, media_type=_JSON)


async def told(_request: Request, error: Exception) -> Response:
    """Return the answer to an exception. The traceback stays here."""
    if isinstance(error, HTTPException):
        return failure(error.status_code, _sentence(error), error.headers)
    if isinstance(error, BudgetExceeded):
        return failure(503, f"undecided: {error}; ask again, or start the workbench with a larger --time-limit")
    if isinstance(error, ChangedOnDiskError):
        return failure(409, str(error), changed=True)
    if isinstance(error, RevisionError):
        return failure(409, str(error))
    if isinstance(error, ContradictionError):
        return failure(409, str(error), conflict=[fact.to_dict() for fact in error.conflict])
    if isinstance(error, TemporacleError) and not isinstance(error, InternalError):
        return failure(400, str(error))
    sys.stderr.write(printable(f"temporacle: internal error: {type(error).__name__}: {error}") + "\n")
    return failure(
        500, f"internal error ({type(error).__name__}): reload the page; please report it if it happens again"
    )


def _sentence(error: HTTPException) -> str:
    known = {
        404: "there is nothing at this address; temporacle docs workbench-api lists the addresses",
        405: "this address does not take this method; temporacle docs workbench-api lists the methods",
    }
    usual = known.get(error.status_code)
    return usual if usual is not None and error.detail in {"Not Found", "Method Not Allowed"} else error.detail


async def body_of(request: Request) -> dict[str, Any]:
    """Return the body of a request: a JSON object, empty if there is no body."""
    data = await request.body()
    if not data.strip():
        return {}
    try:
        found = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise HTTPException(400, f"the body is not JSON ({error}): send an object such as {{}}") from error
    if not isinstance(found, dict):
        raise HTTPException(400, f"the body is a JSON {type(found).__name__}: send an object such as {{}}")
    return found
