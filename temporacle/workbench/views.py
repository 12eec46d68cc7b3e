"""What the page shows of an open document, as JSON."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from temporacle.errors import BudgetExceeded, InternalError
from temporacle.model import Entity, Link
from temporacle.passages import excerpts_of
from temporacle.reasoner.explanation import explain
from temporacle.results import DocumentVerdict, Repair
from temporacle.tasks.session import Session
from temporacle.wording import Names, conflict_words, entities_of, in_text_order

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from temporacle.model import Document

_INCONSISTENT, _UNDECIDED = DocumentVerdict.INCONSISTENT.value, DocumentVerdict.UNDECIDED.value


def document_view(session: Session, budget: float) -> dict[str, Any]:
    """Return the parts of a document and the judgement of its links."""
    document = session.document
    texts = {entity.id: entity.text for entity in document.entities if entity.text}
    comments = session.comments
    verdict = session.verdict
    conflicts, unfinished = _conflicts(session) if verdict == _INCONSISTENT else ((), None)
    view: dict[str, Any] = {
        "format": document.format,
        "reading": document.reading.name,
        "labels": list(session.labels),
        "text": document.text,
        "entities": entity_rows(document),
        "links": [{**link.to_dict(texts), "comment": comments.get(link.id)} for link in document.links],
        "verdict": verdict,
        "conflicts": [link_rows(conflict, texts) for conflict in conflicts],
        "words": [in_words(conflict, document) for conflict in conflicts],
        "timeline": None if verdict == _UNDECIDED else timeline(session, budget),
        "warnings": [{**remark.to_dict(), "path": document.path} for remark in document.remarks],
    }
    return view if unfinished is None else {**view, "unfinished": unfinished}


def _conflicts(session: Session) -> tuple[Sequence[tuple[Link, ...]], str | None]:
    """Return the conflicts in text order, and why they are missing if time ran out."""
    try:
        found = session.conflicts
    except (BudgetExceeded, InternalError) as limit:
        return (), str(limit)
    excerpts = excerpts_of(session.document, entities_of(link for conflict in found for link in conflict))
    return [tuple(_links(in_text_order(conflict, excerpts))) for conflict in found], None


def link_rows(links: Iterable[Link], texts: Mapping[str, str]) -> list[dict[str, Any]]:
    return [link.to_dict(texts) for link in links]


def entity_rows(document: Document) -> list[dict[str, Any]]:
    """Return all entities: those that the file describes, and those that only links mention."""
    described = {entity.id: entity for entity in document.entities}
    mentioned = (end for link in document.links for end in link.entities)
    names = dict.fromkeys((*described, *document.entity_ids, *mentioned))
    length = len(document.text or "")
    return [_entity_row(described.get(name) or Entity(name), length) for name in names]


def _entity_row(entity: Entity, length: int) -> dict[str, Any]:
    places = [(start, end) for start, end in entity.spans if 0 <= start < end <= length]
    start, end = places[0] if places else (None, None)
    row = {"id": entity.id, "kind": entity.kind.value, "text": entity.text, "start": start, "end": end}
    return {**row, "dct": True} if entity.is_dct else row


def in_words(conflict: Sequence[Link], document: Document) -> str:
    """Return a conflict as ``temporacle check`` prints it, with the sentences of the text."""
    excerpts = excerpts_of(document, entities_of(conflict))
    words = conflict_words(conflict, explain(conflict, excerpts.texts), excerpts, Names(excerpts))
    lines = [words.headline, *(f"  {line}" for line in words.facts)]
    if words.quotations:
        lines += ["Text:", *(f"  {each.marked}" for each in words.quotations)]
    return "\n".join([*lines, "Why:", *(f"  {line}" for line in words.derivation)])


def timeline(session: Session, budget: float) -> dict[str, list[int]] | None:
    """Return times at which all links are true; of an inconsistent document, without the links of its repair.

    None if they could not be found in time.
    """
    try:
        times = session.witness()
        if times is None:
            repair = session.repair()
            if not isinstance(repair, Repair):
                return None
            gone = {link.id for link in repair.dropped}
            document = session.document
            kept = replace(document, links=tuple(link for link in document.links if link.id not in gone))
            times = Session(kept, budget=budget).witness()
    except (BudgetExceeded, InternalError):
        return None
    return None if times is None else {name: list(interval) for name, interval in times.items()}


def repair_view(session: Session) -> dict[str, Any]:
    """Return the links that a repair removes, and the conflicts that it resolves."""
    document = session.document
    texts = {entity.id: entity.text for entity in document.entities if entity.text}
    found = session.repair()
    dropped = _links(found.dropped) if isinstance(found, Repair) else []
    conflicts = session.conflicts if dropped else ()
    return {"repair": link_rows(dropped, texts), "conflicts": [link_rows(each, texts) for each in conflicts]}


def _links(facts: Iterable[object]) -> list[Link]:
    return [fact for fact in facts if isinstance(fact, Link)]
