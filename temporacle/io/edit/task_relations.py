"""New relations of Prodigy and doccano tasks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from temporacle.errors import UsageError
from temporacle.io.edit.ids import FreeIds
from temporacle.io.tools.json_file import dictionary, records, text_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from temporacle.io.edit.edits import NewLink

_SPAN_KEYS = ("start", "end", "token_start", "token_end", "label")


class ProdigyRelations:
    """The ends of relations of a task: a relation names a token of each span, and the span beside it."""

    def __init__(self, task: dict[str, Any]) -> None:
        relations = records(task.get("relations"))
        self._has_spans = not relations or any("head_span" in each or "child_span" in each for each in relations)
        self._spans: dict[str, dict[str, Any]] = {}
        tokens = [
            {**token, "token_start": token.get("id"), "token_end": token.get("id"), "label": None}
            for token in records(task.get("tokens"))
        ]
        beside = [dictionary(each.get(f"{end}_span")) for each in relations for end in ("head", "child")]
        for span in (*records(task.get("spans")), *beside, *tokens):
            self._spans.setdefault(f"{span.get('start')}-{span.get('end')}", span)

    def new(self, link: NewLink, label: str) -> dict[str, Any]:
        """Return a relation between two spans."""
        ends = {"head": self._span(link, link.source), "child": self._span(link, link.target)}
        record: dict[str, Any] = {end: span["token_end"] for end, span in ends.items()}
        if self._has_spans:
            record |= {
                f"{end}_span": {key: span[key] for key in _SPAN_KEYS if key in span} for end, span in ends.items()
            }
        return record | {"label": label}

    def _span(self, link: NewLink, entity: str) -> dict[str, Any]:
        found = self._spans.get(entity)
        if found is None or type(found.get("token_end")) is not int:
            raise UsageError(f"{link.said} cannot be added: the task does not say which tokens {entity} has")
        return found


class DoccanoRelations:
    """New relations of a doccano file. Ids of relations are numbers, each used once in a project."""

    def __init__(self, tasks: Sequence[dict[str, Any]]) -> None:
        found = [relation.get("id") for task in tasks for relation in records(task.get("relations"))]
        self._ids = FreeIds([str(each) for each in found if type(each) is int], usual="")

    def new(self, task: dict[str, Any], link: NewLink, label: str) -> dict[str, Any]:
        """Return a relation. Entities are named as the task names them, by a number or by a text."""
        names = {text_of(entity.get("id")): entity.get("id") for entity in records(task.get("entities"))}
        if unknown := [end for end in (link.source, link.target) if end not in names]:
            raise UsageError(f"{link.said} cannot be added: the task has no entity {unknown[0]}")
        return {
            "id": int(self._ids.give()),
            "from_id": names[link.source],
            "to_id": names[link.target],
            "type": label,
        }
