"""What can be asked about a document, and done with it. Each function is called in a thread of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote

from starlette.exceptions import HTTPException
from starlette.responses import Response

from temporacle.errors import UsageError
from temporacle.tasks.saving import export as exported
from temporacle.tasks.saving import exports
from temporacle.workbench.adjudicating import Comparison
from temporacle.workbench.answers import answer
from temporacle.workbench.changes import changes_from
from temporacle.workbench.third import side_from

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from contextlib import AbstractContextManager

    from starlette.datastructures import QueryParams

    from temporacle.workbench.bench import Workbench
    from temporacle.workbench.third import ThirdVersion


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
    with _third_version(asked) as document:
        return answer(document.differences())


def take(asked: Asked) -> Response:
    number, side = side_from(asked.body)
    with _third_version(asked) as document:
        document.require_revision(_revision(asked.body))
        return answer(document.take(number, side))


def _third_version(asked: Asked) -> AbstractContextManager[ThirdVersion]:
    """Provide the document if two annotators are compared."""
    if not isinstance(asked.bench, Comparison):
        raise HTTPException(404, "nothing is compared: start the workbench with --compare FIRST SECOND")
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
