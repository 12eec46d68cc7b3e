"""Writes JSON Lines: documents with everything but the order of a file's markup."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from temporacle.errors import InputError
from temporacle.io.timex import ATTRIBUTES
from temporacle.io.writer_helpers import entities_of, relation_text, report_lost
from temporacle.model import Extras, Kind

if TYPE_CHECKING:
    from collections.abc import Mapping

    from temporacle.io.formats import Report
    from temporacle.model import Document, Entity, Link


_TEXTS = {"text": "text", "event_id": "event_id", "value": "value", "function": "function", **ATTRIBUTES}


def text(document: Document, report: Report) -> str:
    """Return the document as one line."""
    report_lost(document, report)
    extras = document.extras or Extras({}, {}, {})
    record: dict[str, Any] = {
        "document": document.id,
        "entities": [_entity(entity, extras.entities) for entity in entities_of(document).values()],
        "links": [_link(link, extras.links) for link in document.links],
    }
    if document.text is not None:
        record["text"] = document.text
    record.update(extras.document)
    try:
        return json.dumps(record, ensure_ascii=False, allow_nan=False) + "\n"
    except ValueError:  # some readers of JSON take them all the same
        raise InputError("holds NaN or Infinity, which JSON does not have", path=document.path) from None
    except RecursionError:
        raise InputError("holds values that are nested too deeply", path=document.path) from None


def _entity(entity: Entity, extras: Mapping[str, Mapping[str, Any]]) -> dict[str, Any] | str:
    record: dict[str, Any] = {"id": entity.id}
    if entity.is_dct:
        record["kind"] = "dct"
    elif entity.kind is not Kind.UNKNOWN:
        record["kind"] = entity.kind.value
    if entity.spans:
        record["start"], record["end"] = entity.spans[0][0], entity.spans[-1][1]
    if len(entity.spans) > 1:
        record["spans"] = entity.spans
    for key, field in _TEXTS.items():
        if (value := getattr(entity, field)) is not None:
            record[key] = value
    record.update(extras.get(entity.id, {}))
    return record if len(record) > 1 else entity.id


def _link(link: Link, extras: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    record: dict[str, Any] = {"source": link.source, "relation": relation_text(link), "target": link.target}
    if link.id:
        record = {"id": link.id, **record}
    if link.weight != 1:
        record["weight"] = link.weight
    if link.label and link.label != record["relation"]:
        record["label"] = link.label
    if link.task is not None:
        record["task"] = link.task
    record.update(extras.get(link.id, {}))
    return record
