"""Answers as JSON, and errors as answers."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

from starlette.exceptions import HTTPException
from starlette.responses import Response

from temporacle.errors import BudgetExceeded, ContradictionError, InternalError, TemporacleError
from temporacle.printing import printable
from temporacle.tasks.saving import ChangedOnDiskError
from temporacle.workbench.opened import RevisionError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.requests import Request

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
        return failure(503, f"undecided: {error}; ask again, or start the workbench with a larger --budget")
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
        404: "there is nothing at this address: see docs/workbench-api.md for the addresses",
        405: "this address does not take this method: see docs/workbench-api.md",
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
