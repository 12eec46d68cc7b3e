"""The door of the workbench. Every request passes it before anything else is done with it.

    Host        must be this server by name: a page that points its own name to this machine is refused
    Origin      must be this server, if there is one: other pages in the same browser are refused
    token       in the query or as ``Authorization: Bearer``; compared in constant time
    body        only a POST has one

Every answer gets headers that forbid inline scripts, other origins, frames and caches. The rest is that of every door.
"""

from __future__ import annotations

import json
import re
import sys
from importlib.resources import files
from typing import TYPE_CHECKING, Any, NamedTuple

from starlette.exceptions import HTTPException

from temporacle.editing.saving import ChangedOnDiskError
from temporacle.errors import BudgetExceeded, ContradictionError, InternalError, TemporacleError
from temporacle.printing import printable
from temporacle.web import HOST, Door, failure
from temporacle.workbench.document import RevisionError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from importlib.resources.abc import Traversable

    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.types import ASGIApp, Scope


class Guard(Door):
    """The door of the workbench: only its own pages, in a browser on this machine, may ask."""

    headers = {  # noqa: RUF012 - declared by the class above
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

    def __init__(self, app: ASGIApp, token: str, port: int) -> None:
        super().__init__(app, token)
        self._hosts = {f"{name}:{port}" for name in (HOST, "localhost")}

    def refusal(self, scope: Scope, headers: Mapping[str, str]) -> tuple[int, str] | None:
        """Return status and reason if a request must not pass."""
        if headers.get("host", "").lower() not in self._hosts:
            return 403, f"this server answers to {' and '.join(sorted(self._hosts))} only: use the address it printed"
        if "origin" in headers and headers["origin"].lower().removeprefix("http://") not in self._hosts:
            return 403, "the request comes from a page of another server: use the address that the workbench printed"
        if not self.has_token(scope, headers):
            return 401, "the token is missing or wrong: use the whole address that the workbench printed"
        if scope["method"] != "POST" and (headers.get("content-length", "0") != "0" or "transfer-encoding" in headers):
            return 400, f"{scope['method']} takes no body: leave it out, or use POST"
        return None


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
# Errors as answers.


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
