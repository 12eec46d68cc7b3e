"""The addresses of the workbench, and what each of them answers."""

from __future__ import annotations

import asyncio
import secrets
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote, unquote

from anyio import to_thread
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from temporacle.editing.adjudications import agreement as agreement_of
from temporacle.editing.saving import export as exported
from temporacle.editing.saving import exports
from temporacle.editing.settling import LogEntry
from temporacle.errors import UsageError
from temporacle.printing import printable
from temporacle.runner.copies import Wanted
from temporacle.web import HOST, answer, json_bytes, port_of, run
from temporacle.workbench.comparison import Comparison, side_from
from temporacle.workbench.document import changes_from
from temporacle.workbench.http import PAGES, Guard, body_of, static_files, told

if TYPE_CHECKING:
    import socket
    from collections.abc import AsyncIterator, Callable, Iterator, Mapping
    from contextlib import AbstractContextManager

    from starlette.datastructures import QueryParams
    from starlette.requests import Request

    from temporacle.workbench.bench import Workbench
    from temporacle.workbench.comparison import ThirdVersion

_PAUSE = 0.05  # seconds between two looks at what was decided in the background
_AT_ONCE = 200  # documents in a piece of the list
_NO_DOCUMENT = "no document has this id: GET /api/documents lists them"
DOCUMENTS = "/api/documents"


def application(bench: Workbench, token: str) -> Starlette:
    """Return the application. ``token`` is put into the addresses of pages."""
    routes = Routes(bench, token)
    return Starlette(
        routes=[
            *(Route(address, routes.page, methods=["GET"]) for address in PAGES),
            Route("/static/{name}", routes.static, methods=["GET"]),
            Route(DOCUMENTS, routes.documents, methods=["GET"]),
            Route("/api/progress", routes.progress, methods=["GET"]),
            Route("/api/reviews", routes.reviews, methods=["GET"]),
            Route("/api/statistics", routes.statistics, methods=["GET"]),
            Route(f"{DOCUMENTS}/{{rest:path}}", routes.document, methods=["GET", "POST"]),
        ],
        exception_handlers={HTTPException: told, Exception: told},
    )


def serve(bench: Workbench, place: socket.socket, opened: Callable[[str], None]) -> None:
    """Answer requests until SIGINT or SIGTERM. ``opened`` gets the address when the server is ready."""
    token, port = secrets.token_urlsafe(32), port_of(place)

    def ending() -> None:
        bench.closing = True

    app = Guard(application(bench, token), token, port)
    run(app, place, lambda: opened(f"http://{HOST}:{port}/?token={token}"), ending)


class Routes:
    """One method for each address."""

    def __init__(self, bench: Workbench, token: str) -> None:
        self._bench = bench
        self._files = static_files(token)

    async def page(self, request: Request) -> Response:
        self._bench.helpers.start()  # its first question need not wait
        return self._file(PAGES[request.url.path])

    async def static(self, request: Request) -> Response:
        return self._file(request.path_params["name"])

    def _file(self, name: str) -> Response:
        found = self._files.get(name)
        if found is None:
            raise HTTPException(404)
        return Response(found.data, media_type=found.media_type)

    async def documents(self, request: Request) -> Response:
        """Answer with the list of all documents; without ``wait=0`` when all of them are decided."""
        await to_thread.run_sync(self._bench.corpus.look_again, abandon_on_cancel=True)
        if request.query_params.get("wait") != "0":
            await self._wait(request, lambda: False)
        return StreamingResponse(self._listed(), media_type="application/json")

    async def _wait(self, request: Request, enough: Callable[[], bool]) -> None:
        """Wait until enough is known, or everything, or until the client has gone."""
        while not (enough() or self._bench.corpus.done or self._bench.closing):
            if await request.is_disconnected():
                raise HTTPException(503, "the client has gone")
            await asyncio.sleep(_PAUSE)

    async def _listed(self) -> AsyncIterator[bytes]:
        """Yield the list in pieces: it may have a million entries."""
        before = b"["
        for rows in _pieces(self._bench.listed()):
            yield before + b", ".join(rows)
            before = b", "
            await asyncio.sleep(0)
        yield b"[]" if before == b"[" else b"]"

    async def reviews(self, _request: Request) -> Response:
        return _table("reviews", self._bench.reviews.table())

    async def statistics(self, _request: Request) -> Response:
        return answer(self._bench.statistics())

    async def progress(self, _request: Request) -> Response:
        return StreamingResponse(self._progress(), media_type="application/x-ndjson")

    async def _progress(self) -> AsyncIterator[bytes]:
        """Yield a line for each document as soon as it is decided."""
        corpus, told_of = self._bench.corpus, 0
        while not self._bench.closing:
            is_last = corpus.done
            while told_of < len(corpus.decided):
                some = corpus.decided[told_of : told_of + _AT_ONCE]
                told_of += len(some)
                yield b"".join(json_bytes(self._bench.row(corpus[name])) + b"\n" for name in some)
            if is_last:
                remarks = self._bench.remarks()
                yield (
                    json_bytes({"done": True, "documents": told_of, **({"remarks": remarks} if remarks else {})})
                    + b"\n"
                )
                return
            await asyncio.sleep(_PAUSE)

    async def document(self, request: Request) -> Response:
        """Answer about one document: the rest of the address is its id, and perhaps what is asked."""
        name, action = _asked(request)
        actions = QUESTIONS if request.method in {"GET", "HEAD"} else ORDERS
        if action not in actions:
            is_known = action in QUESTIONS or action in ORDERS
            raise HTTPException(405 if is_known else 404)
        if action in WRITING and self._bench.setup.read_only:
            raise HTTPException(403, "this workbench is read-only: start it without --read-only to edit")
        body = await body_of(request) if request.method == "POST" else {}
        await self._wait(request, lambda: self._bench.corpus.knows(name))
        asked = Asked(self._bench, self._bench.corpus.one_name(name), request.query_params, body)
        try:
            return await self._answered(request, actions[action], asked)
        except KeyError as error:
            if error.args != (asked.document,):
                raise
            raise HTTPException(404, _NO_DOCUMENT) from None

    async def _answered(self, request: Request, action: Callable[[Asked], Response], asked: Asked) -> Response:
        """Answer in a thread. Its reasoning ends when the client has gone."""
        wanted = Wanted()
        # Cancelled when the server ends: nothing waits for a question that takes long.
        work = asyncio.ensure_future(
            to_thread.run_sync(self._bench.asked, action, asked, wanted, abandon_on_cancel=True)
        )
        try:
            while not (await asyncio.wait([work], timeout=_PAUSE))[0]:
                if await request.is_disconnected():
                    wanted.give_up()
            return work.result()
        finally:
            work.cancel()


def _pieces(rows: Iterator[dict[str, object]]) -> Iterator[list[bytes]]:
    while some := [json_bytes(row) for row in islice(rows, _AT_ONCE)]:
        yield some


def _asked(request: Request) -> tuple[str, str]:
    """Return the document's id and what is asked about it.

    The address is taken as it was sent: decoded, a slash in an id could not be told from one that ends it.
    """
    raw: bytes = request.scope["raw_path"]
    parts = raw.decode("ascii", "replace").removeprefix(f"{DOCUMENTS}/").split("/")
    if len(parts) > 2:
        raise HTTPException(404, _NO_DOCUMENT + "; a slash in an id is written %2F")
    try:
        return unquote(parts[0], errors="surrogatepass"), parts[1] if len(parts) == 2 else ""
    except UnicodeDecodeError:
        raise HTTPException(404, f"{_NO_DOCUMENT}; it is not UTF-8") from None


# ----------------------------------------------------------------------------------------------------
# What can be asked about a document, and done with it. Each function is called in a thread of its own.


class Asked(NamedTuple):
    """A request about one document."""

    bench: Workbench
    document: str
    query: QueryParams
    body: dict[str, Any]


def show(asked: Asked) -> Response:
    with asked.bench.document(asked.document) as document:
        return answer({**asked.bench.about(asked.document), **document.view()})


def pair(asked: Asked) -> Response:
    source, target = (_needed(asked.query, name, "the id of an entity") for name in ("source", "target"))
    with asked.bench.document(asked.document) as document:
        return answer(document.pair(source, target, asked.query.getlist("without")))


def repair(asked: Asked) -> Response:
    with asked.bench.document(asked.document) as document:
        return answer(document.repair())


def judge(asked: Asked) -> Response:
    changes = changes_from(asked.body, "revision")
    with asked.bench.document(asked.document) as document:
        return answer(document.judge(changes))


def edit(asked: Asked) -> Response:
    changes, revision = changes_from(asked.body, "revision"), _revision(asked.body)
    with asked.bench.document(asked.document) as document:
        document.require_revision(revision)
        return answer(document.edit(changes))


def undo(asked: Asked) -> Response:
    with asked.bench.document(asked.document) as document:
        document.require_revision(_revision(asked.body))
        return answer(document.undo())


def redo(asked: Asked) -> Response:
    with asked.bench.document(asked.document) as document:
        document.require_revision(_revision(asked.body))
        return answer(document.redo())


def save(asked: Asked) -> Response:
    if asked.body:
        raise UsageError("save takes no options: send {}")
    return answer(asked.bench.save(asked.document))


def compare(asked: Asked) -> Response:
    return answer(asked.bench.compare(asked.document))


def merge(asked: Asked) -> Response:
    asked.bench.merge(asked.document, asked.body, _revision(asked.body))
    return show(asked)


def discard(asked: Asked) -> Response:
    asked.bench.forget(asked.document, _revision(asked.body))
    return show(asked)


def differences(asked: Asked) -> Response:
    number, order = asked.query.get("number"), asked.query.get("order", "informative")
    if number is not None and not number.isdecimal():
        raise UsageError("number must be the number of a difference")
    with _third_version(asked) as document:
        return answer(document.differences(order) if number is None else document.difference(int(number)))


def agreement(asked: Asked) -> Response:
    with _third_version(asked) as document:
        sides, result = document.work.sides, document.session.document
    # Not while the document is held: the next decision need not wait for these figures.
    return answer(agreement_of(sides, result, asked.bench.setup.budget, document.between))


def log(asked: Asked) -> Response:
    """Answer with the log of decisions as a table."""
    with _third_version(asked) as document:
        rows = [LogEntry._fields, *document.work.log]
    lines = ("\t".join("" if cell is None else printable(str(cell)) for cell in row) + "\n" for row in rows)
    return _table(f"{asked.document}.decisions", "".join(lines))


def _table(name: str, text: str) -> Response:
    headers = {"content-disposition": f"attachment; filename*=UTF-8''{quote(name, safe='')}.tsv"}
    return Response(text.encode(), headers=headers, media_type="text/tab-separated-values; charset=utf-8")


def review(asked: Asked) -> Response:
    """Note that a document is reviewed, or not, with a note."""
    return answer(asked.bench.reviews.write(asked.bench.corpus.entry(asked.document).id, asked.body))


def take(asked: Asked) -> Response:
    number, side, order = side_from(asked.body)
    with _third_version(asked) as document:
        document.require_revision(_revision(asked.body))
        return answer(document.take(number, side, order))


def _third_version(asked: Asked) -> AbstractContextManager[ThirdVersion]:
    """Provide the document if two annotators are compared."""
    if not isinstance(asked.bench, Comparison):
        raise HTTPException(404, "nothing is compared: start the workbench with --compare")
    return asked.bench.third(asked.document)


def export(asked: Asked) -> Response:
    """Answer with the document as a file of another format, with its present links and comments."""
    format_name = _needed(asked.query, "format", f"a format: {', '.join(exports())}")
    with asked.bench.document(asked.document) as document:
        comments = document.session.comments if asked.query.get("comments") != "0" else {}
        file = exported(document.session.document, format_name, comments)
    headers = {"content-disposition": f"attachment; filename*=UTF-8''{quote(file.name, safe='')}"}
    return Response(file.data, headers=headers, media_type="application/octet-stream")


QUESTIONS: dict[str, Callable[[Asked], Response]] = {
    "": show,
    "pair": pair,
    "repair": repair,
    "three-way": compare,
    "export": export,
    "differences": differences,
    "agreement": agreement,
    "log": log,
}
ORDERS: dict[str, Callable[[Asked], Response]] = {
    "judge": judge,
    "edit": edit,
    "undo": undo,
    "redo": redo,
    "save": save,
    "three-way": merge,
    "discard": discard,
    "take": take,
    "review": review,
}
WRITING = frozenset(ORDERS) - {"judge"}
"""What a read-only workbench refuses."""


def _needed(query: QueryParams, name: str, what: str) -> str:
    found = query.get(name)
    if found is None:
        raise UsageError(f"the address needs {name}=..., {what}")
    return found


def _revision(body: Mapping[str, Any]) -> int | None:
    found = body.get("revision")
    if found is not None and (not isinstance(found, int) or isinstance(found, bool)):
        raise UsageError("revision must be a number")
    return found
