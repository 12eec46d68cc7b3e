"""An ML backend and a webhook of Label Studio. The protocol was observed with Label Studio 1.23.2.

    GET  /health     that the server is there
    POST /setup      a project announces itself
    POST /predict    links that follow from the annotation and are not stated, in labels of the project
    POST /webhook    an annotation was saved: it is judged; with ``notes`` the conflict is written on its regions
    GET  /verdicts   the verdicts on annotations, as JSON; GET / shows them as a page that renews itself

A note is ``meta.text`` of a region and begins with ``temporacle:``. Writing it makes Label Studio call the webhook
again; the note is then already there, so that nothing more is written. Events can come twice or out of order: an
annotation that is older than the one judged last is left alone.
"""

from __future__ import annotations

import asyncio
import html
import json
import threading
from collections import OrderedDict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from starlette.applications import Starlette
from starlette.background import BackgroundTask
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from temporacle import __version__
from temporacle.errors import TemporacleError
from temporacle.io import read_source
from temporacle.io.source import Source
from temporacle.model import Document, Link
from temporacle.results import DocumentVerdict
from temporacle.servers.door import Door, body_of, tell_of, worked_out
from temporacle.servers.sentences import Asked, known, said, suggested
from temporacle.web import answer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from starlette.requests import Request

    from temporacle.calendar.policy import Calendar
    from temporacle.checks import Check
    from temporacle.io.source import Options

VERSION = f"temporacle-{__version__}"
MARK = "temporacle:"
_KEPT = 1000  # verdicts
_SAVED = ("ANNOTATION_CREATED", "ANNOTATIONS_CREATED", "ANNOTATION_UPDATED")
_DELETED = ("ANNOTATIONS_DELETED", "ANNOTATION_DELETED")
_CALL_SECONDS = 10  # for Label Studio to answer

Results = list[dict[str, Any]]


def application(
    options: Options, *, seconds: float, notes: Notes | None = None, calendar: Calendar | None = None
) -> Starlette:
    """Return the server. ``seconds``: the time limit for each question. ``notes``: where to write notes, if at all."""
    desk = Desk(Asked(options, seconds, calendar), notes)
    turns = ThreadPoolExecutor(1)  # events are worked on one after the other, and predictions do not wait for them

    async def receive(body: dict[str, Any]) -> None:
        await asyncio.wrap_future(turns.submit(desk.receive, body))

    async def health(_: Request) -> Response:
        return answer({"status": "UP", "model_class": "Temporacle"})

    async def setup(request: Request) -> Response:
        desk.announced(_dictionary(await body_of(request)))
        return answer({"model_version": VERSION})

    async def predict(request: Request) -> Response:
        body = _dictionary(await body_of(request))
        return answer({"results": await worked_out(desk.predictions, body)})

    async def webhook(request: Request) -> Response:
        body = _dictionary(await body_of(request))
        received = answer({"status": "received"}, 202)
        received.background = BackgroundTask(receive, body)
        return received

    async def verdicts(_: Request) -> Response:
        return answer({"verdicts": desk.verdicts()})

    async def page(_: Request) -> HTMLResponse:
        return HTMLResponse(_page(desk.verdicts()).encode("utf-8", "replace"))  # half a character is none

    return Starlette(
        routes=[
            Route("/health", health),
            Route("/setup", setup, methods=["POST"]),
            Route("/predict", predict, methods=["POST"]),
            Route("/webhook", webhook, methods=["POST"]),
            Route("/verdicts", verdicts),
            Route("/", page),
        ]
    )


@dataclass
class Notes:
    """The Label Studio server that notes are written to."""

    url: str
    token: str
    sent: int = 0

    def stored(self, annotation: int | str) -> dict[str, Any] | None:
        """Return an annotation as it is stored now, {} if it is gone, None if that cannot be found out."""
        status, body = self._asked("GET", annotation, None)
        if status == 404:
            return {}
        try:
            found = json.loads(body) if status == 200 else None
        except (ValueError, RecursionError):
            return None
        return found if isinstance(found, dict) and isinstance(found.get("result"), list) else None

    def write(self, annotation: int | str, results: Results) -> bool:
        """Replace the results of an annotation. Return whether that worked: it may have been deleted."""
        self.sent += 1
        return 200 <= self._asked("PATCH", annotation, {"result": results})[0] < 300

    def _asked(self, method: str, annotation: int | str, body: Any) -> tuple[int, bytes]:
        """Return status and body of the answer of Label Studio; status 0 if there is none."""
        from http.client import HTTPException
        from urllib.error import HTTPError
        from urllib.parse import quote
        from urllib.request import Request as Call
        from urllib.request import urlopen

        address = f"{self.url.rstrip('/')}/api/annotations/{quote(str(annotation), safe='')}/"
        kind = "Bearer" if self.token.count(".") == 2 else "Token"  # personal tokens are JWTs, older ones are not
        headers = {"Authorization": f"{kind} {self.token}", "Content-Type": "application/json"}
        data = None if body is None else json.dumps(body).encode()
        call = Call(address, data, headers, method=method)  # noqa: S310 - the user's
        try:
            with urlopen(call, timeout=_CALL_SECONDS) as answer:  # noqa: S310
                return answer.status, answer.read(Door.largest_body)
        except HTTPError as error:
            return error.code, b""
        except (OSError, HTTPException):
            return 0, b""


class _Judged(NamedTuple):
    """What there is to say about some results."""

    results: Results
    check: Check | None  # None: they make no document
    conflicts: list[str]
    noted: Results  # the results with the notes that they should have
    state: str  # equal for equal results, whatever their notes of ours say


@dataclass
class Desk:
    """What the server knows: labels of projects, and the verdicts on the last annotations."""

    asked: Asked
    notes: Notes | None = None
    _labels: OrderedDict[str, tuple[str, ...]] = field(default_factory=OrderedDict)
    _verdicts: OrderedDict[str, dict[str, Any]] = field(default_factory=OrderedDict)
    _written: OrderedDict[str, str] = field(default_factory=OrderedDict)  # the state that notes were written for
    _gone: OrderedDict[str, None] = field(default_factory=OrderedDict)  # annotations that were deleted
    _lock: threading.Lock = field(default_factory=threading.Lock)  # held for a moment only

    def announced(self, body: dict[str, Any]) -> None:
        """Remember the labels of a project."""
        if labels := _relation_labels(body.get("schema")):
            self._remember(self._labels, _project(body), labels)

    def predictions(self, body: dict[str, Any]) -> list[dict[str, Any]]:
        """Return one prediction for each task: an empty one for a task that cannot be used."""
        labels = _relation_labels(body.get("label_config")) or self._labels.get(_project(body), ())
        params = _dictionary(body.get("params"))
        shown = _dictionary(params.get("context")).get("result")
        is_stored = "context" in params and not isinstance(shown, list)  # Label Studio keeps the answer and shows it
        found = []
        for task in body["tasks"] if isinstance(body.get("tasks"), list) else []:
            given = _dictionary(task)
            row: dict[str, Any] = {"result": [], "score": 1.0, "model_version": VERSION}
            try:
                results = _on_screen(shown, given) if isinstance(shown, list) else _stored(given)
                if (document := self._document(results)) is not None:
                    following = self._following(document, labels)
                    row["result"] = following + (_ends_of(following, results) if is_stored else [])
                    if document.skipped_links:
                        row["skipped_links"] = document.skipped_links
            except Exception as error:  # noqa: BLE001 - the tool gets its empty answer
                tell_of(error)
            found.append(row)
        return found

    def _following(self, document: Document, labels: Sequence[str]) -> Results:
        return [
            {
                "type": "relation",
                "from_id": each.source,
                "to_id": each.target,
                "direction": "right",
                "labels": [each.label],
            }
            for each in suggested(document, known(labels, document), self.asked)
        ]

    def receive(self, body: dict[str, Any]) -> None:
        """Judge an annotation that was saved, and write notes where they have changed."""
        action, stated = body.get("action"), body.get("annotations", body.get("annotation"))
        for each in map(_dictionary, stated if isinstance(stated, list) else [stated]):
            if _name(each.get("id")) is None:
                continue
            if action in _DELETED:
                self._forget(str(each["id"]))
            elif action in _SAVED and isinstance(each.get("result"), list):
                try:
                    self._take(each, body)
                except Exception as error:  # noqa: BLE001 - the next event may be better
                    tell_of(error)

    def _forget(self, name: str) -> None:
        """Remember that an annotation is gone: an event about it may come late."""
        with self._lock:
            self._verdicts.pop(name, None)
            self._written.pop(name, None)
        self._remember(self._gone, name, None)

    def _take(self, annotation: dict[str, Any], body: dict[str, Any]) -> None:
        name = str(annotation["id"])
        stated = str(annotation.get("updated_at") or "")
        if name in self._gone or stated < self._verdicts.get(name, {}).get("updated_at", ""):
            return  # an older event that came late
        judged_now = self._judged(annotation["result"])
        noted = None
        if self.notes is not None and judged_now.check is not None:
            if self._needs_notes(name, judged_now) and (stored := self.notes.stored(annotation["id"])) is not None:
                if not stored:
                    self._forget(name)
                    return
                # What is stored counts: notes on an older state would undo what was saved since.
                if stored["result"] != annotation["result"]:
                    annotation = {**annotation, **stored}
                    stated = str(stored.get("updated_at") or stated)
                    judged_now = self._judged(stored["result"])
            if self._needs_notes(name, judged_now):
                noted = self.notes.write(annotation["id"], judged_now.noted)
                if noted:
                    self._remember(self._written, name, judged_now.state)
            else:
                noted = True
                if judged_now.noted == judged_now.results:
                    self._written.pop(name, None)  # the notes are there: who removes them gets them again
        found = judged_now.check
        row = {
            "annotation": annotation["id"],
            "task": _name(annotation.get("task")) or _name(_dictionary(body.get("task")).get("id")),
            "project": _name(_dictionary(body.get("project")).get("id")) or _name(annotation.get("project")),
            "verdict": "unreadable" if found is None else found.verdict.value,
            "links": 0 if found is None else found.links,
            "skipped_links": {} if found is None else found.skipped_links,
            "conflicts": judged_now.conflicts,
            "updated_at": stated,
        }
        self._remember(self._verdicts, name, row if noted is None else row | {"noted": noted})

    def _needs_notes(self, name: str, judged_now: _Judged) -> bool:
        """Return whether notes have to be written. The same state is never written twice."""
        return judged_now.noted != judged_now.results and self._written.get(name) != judged_now.state

    def _judged(self, stated: list[Any]) -> _Judged:
        results: Results = [each for each in stated if isinstance(each, dict)]
        document = self._document(results)
        found = None if document is None else self.asked.judged(document)
        if document is None or found is None:
            return _Judged(results, None, [], results, "")
        conflicts = _in_words(document, found)
        notes = _notes_by_region(found, conflicts)
        state = json.dumps([_with_notes(results, {}), notes], sort_keys=True)
        return _Judged(results, found, conflicts, _with_notes(results, notes), state)

    def _document(self, results: Any) -> Document | None:
        """Return the document that some results make; None if they make none."""
        if not isinstance(results, list) or not results:
            return None
        task = {"id": 1, "data": {}, "annotations": [{"id": 1, "result": results}]}
        try:
            data = json.dumps([task]).encode("utf-8", "surrogatepass")
            found = next(
                read_source(Source("annotation", data, self.asked.options, format="label-studio", name="annotation"))
            )
        except (TemporacleError, StopIteration, RecursionError, ValueError):
            return None
        return found if isinstance(found, Document) else None

    def _remember(self, known_ones: OrderedDict[str, Any], name: str, value: Any) -> None:
        with self._lock:
            known_ones[name] = value
            known_ones.move_to_end(name)
            while len(known_ones) > _KEPT:
                known_ones.popitem(last=False)

    def verdicts(self) -> list[dict[str, Any]]:
        """Return the verdicts, the newest first."""
        with self._lock:
            return [dict(row) for row in reversed(self._verdicts.values())]


def _dictionary(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _name(value: Any) -> int | str | None:
    """Return what can be the id of something."""
    return value if isinstance(value, int | str) else None


def _project(body: dict[str, Any]) -> str:
    """Return the id of a project: ``3`` of ``3.1794976258``."""
    return str(body.get("project")).partition(".")[0]


def _stored(task: dict[str, Any]) -> Any:
    """Return the results of the last annotation of a task that was not cancelled."""
    stated = task.get("annotations")
    counted = [
        each
        for each in (stated if isinstance(stated, list) else ())
        if isinstance(each, dict) and not each.get("was_cancelled")
    ]
    return counted[-1].get("result") if counted else None


def _on_screen(shown: list[Any], task: dict[str, Any]) -> list[Any]:
    """Return what is on the screen. The editor sends regions alone: their relations are in its draft, or stored."""
    if any(_dictionary(each).get("type") == "relation" for each in shown):
        return shown
    stated = task.get("drafts")
    drafts = [each for each in stated if isinstance(each, dict)] if isinstance(stated, list) else []
    newest = max(drafts, key=lambda each: str(each.get("updated_at"))).get("result") if drafts else _stored(task)
    regions = {str(_dictionary(each).get("id")) for each in shown}
    relations = (_dictionary(each) for each in (newest if isinstance(newest, list) else ()))
    return [*shown, *(each for each in relations if {str(each.get("from_id")), str(each.get("to_id"))} <= regions)]


def _ends_of(relations: Results, results: Any) -> Results:
    """Return the regions of some relations: the editor ends if a stored prediction has one without the other."""
    ends = {each[end] for each in relations for end in ("from_id", "to_id")}
    regions = (each for each in results or () if isinstance(each, dict) and each.get("type") != "relation")
    return [each for each in regions if str(each.get("id")) in ends]


def _relation_labels(config: Any) -> tuple[str, ...]:
    """Return the labels of relations that the configuration of a project declares."""
    if not isinstance(config, str) or "<Relation" not in config:
        return ()
    from temporacle.io.xml import parse

    try:
        root = parse(Source("label_config", config.encode("utf-8", "surrogatepass"), name="label_config"))
    except (TemporacleError, ValueError):
        return ()
    return tuple(dict.fromkeys(value for each in root.iter("Relation") if (value := each.get("value"))))


def _in_words(document: Document, found: Check) -> list[str]:
    if found.verdict is not DocumentVerdict.INCONSISTENT:
        return []
    return [said(document, conflict) for conflict in found.conflicts]


def _notes_by_region(found: Check, conflicts: list[str]) -> dict[str, str]:
    """Return the note of each region that takes part in a conflict."""
    notes: dict[str, list[str]] = {}
    for number, (conflict, words) in enumerate(zip(found.conflicts, conflicts, strict=False), 1):
        ends = (end for each in conflict if isinstance(each, Link) for end in (each.source, each.target))
        for region in dict.fromkeys(ends):
            notes.setdefault(region, []).append(f"conflict {number}: {words}")
    return {region: f"{MARK} {'; '.join(lines)}" for region, lines in notes.items()}


def _with_notes(results: Results, notes: dict[str, str]) -> Results:
    """Return results with notes on their regions, and without older notes of ours. Others' notes stay."""
    return [each if each.get("type") == "relation" else _with_note(each, notes) for each in results]


def _with_note(result: dict[str, Any], notes: dict[str, str]) -> dict[str, Any]:
    meta = _dictionary(result.get("meta"))
    stated = meta.get("text")
    lines = [stated] if isinstance(stated, str) else stated if isinstance(stated, list) else []
    kept = [line for line in lines if not (isinstance(line, str) and line.startswith(MARK))]
    note = notes.get(str(result.get("id")))
    wanted = [*kept, note] if note else kept
    if wanted == lines:
        return result
    rest = {key: value for key, value in meta.items() if key != "text"}
    meta = {**rest, "text": wanted} if wanted else rest
    without = {key: value for key, value in result.items() if key != "meta"}
    return {**without, "meta": meta} if meta else without


def _page(rows: list[dict[str, Any]]) -> str:
    """Return the page of verdicts. It has no script, and everything in it is escaped."""

    def cell(value: object) -> str:
        return f"<td>{html.escape('' if value is None else str(value))}</td>"

    body = "".join(
        "<tr>"
        + "".join(cell(row[key]) for key in ("project", "task", "annotation", "verdict"))
        + f"<td>{'<br>'.join(map(html.escape, row['conflicts']))}</td>"
        + cell(", ".join(f"{count} {code}" for code, count in row["skipped_links"].items()))
        + "</tr>"
        for row in rows
    )
    return (
        "<!doctype html><html lang=en><meta charset=utf-8><meta http-equiv=refresh content=5><title>Temporacle</title>"
        "<style>body{font:15px sans-serif;margin:2em}td,th{padding:.3em .8em;text-align:left;vertical-align:top;"
        "border-bottom:1px solid #ccc}</style><h1>Temporacle: verdicts on annotations</h1>"
        f"<p>{len(rows)} annotations judged. This page renews itself.</p><table><tr><th>project<th>task<th>annotation"
        f"<th>verdict<th>conflicts<th>skipped links</tr>{body}</table></html>"
    )
