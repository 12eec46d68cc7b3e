"""MAVEN-ERE: JSON Lines, one document a line, with events, their mentions, time expressions and relations by type.

    {"id": "harbour", "tokens": [["The", "ferry", "left", "."]],
     "events": [{"id": "E1", "mention": [{"id": "m1", "trigger_word": "left", "sent_id": 0, "offset": [2, 3]}]}, ...],
     "TIMEX": [{"id": "T1", "mention": "dawn", "type": "TIME", "sent_id": 1, "offset": [4, 5]}],
     "temporal_relations": {"BEFORE": [["E1", "T1"]], "CONTAINS": []}}

A relation is one of events and holds for all of their mentions: an event is one entity, whose places are those of its
mentions. A relation that names a mention is one of its event. Lines of predictions have no events; there, entities are
what relations name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from temporacle.errors import InputError
from temporacle.io.builder import DocumentBuilder
from temporacle.io.jsonl.read import numbered_lines, parse_object
from temporacle.io.rows import placed_words, plain_entities, require_content, with_body
from temporacle.io.tools.json_file import records, text_of
from temporacle.model import Body, Entity, Kind, Unreadable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from temporacle.io.source import Source
    from temporacle.model import Document


def is_first_object(record: dict[str, Any]) -> bool:
    """Return whether an object is a document of MAVEN-ERE, or predictions for one."""
    return "id" in record and ("temporal_relations" in record or {"TIMEX", "tokens"} <= record.keys())


def read(source: Source) -> Iterator[Document | Unreadable]:
    """Yield the documents of a file."""
    require_content(source)
    for number, line in numbered_lines(source):
        name = f"{source.name}:{number}"
        try:
            record = parse_object(line, number, source)
            name = text_of(record.get("id")) or name
            yield _document(name, record, number, source)
        except InputError as error:
            yield Unreadable(name, source.path, error)


def _document(name: str, record: dict[str, Any], line: int, source: Source) -> Document:
    relations = record.get("temporal_relations") or {}
    if type(relations) is not dict or not all(type(pairs) is list for pairs in relations.values()):
        cure = 'write {"BEFORE": [["E1", "E2"], ...], ...}'
        raise source.error("temporal_relations must be an object of lists", line=line, cure=cure)
    builder = DocumentBuilder(name, source, "maven", source.reading("thyme"))
    body = None
    event_of: dict[str, str] = {}
    if "events" in record or "TIMEX" in record:
        places = _Places(record.get("tokens"))
        entities: dict[str, Entity] = {}
        for event in records(record.get("events")):
            mentions = records(event.get("mention"))
            own = text_of(event.get("id"))
            if builder.is_first(own, "event without id", line=line):
                spans = sorted({span for mention in mentions if (span := places.span(mention)) is not None})
                words = next((each["trigger_word"] for each in mentions if type(each.get("trigger_word")) is str), None)
                entities[own] = Entity(own, Kind.EVENT, words, tuple(spans))
            for mention in mentions if own else ():
                if (mentioned := text_of(mention.get("id"))) is not None:
                    event_of.setdefault(mentioned, own or "")
        for time in records(record.get("TIMEX")):
            own = text_of(time.get("id"))
            if builder.is_first(own, "time without id", line=line):
                span = places.span(time)
                words, kind = (time[key] if type(time.get(key)) is str else None for key in ("mention", "type"))
                entities[own] = Entity(own, Kind.TIME, words, () if span is None else (span,), type=kind)
        builder.declared = dict.fromkeys(entities)
        event_of = {mention: event for mention, event in event_of.items() if mention not in entities}
        body = Body(tuple(entities.values()), places.text)
    for label, pairs in relations.items():
        for number, pair in enumerate(pairs, 1):
            ends = [text_of(end) for end in pair] if type(pair) is list else []
            if len(ends) != 2:
                message = "a relation must be a list of two ids"
                builder.drop("bad-link", message, line=line, element=f"{label}:{number}")
                continue
            first, second = (event_of.get(end or "", end) for end in ends)
            builder.add_link(f"{label}:{number}", first, label, second, line=line)
    return with_body(builder.build(), plain_entities) if body is None else builder.build(body)


class _Places:
    """The text of a document, made of its tokens, and where each of them stands."""

    def __init__(self, sentences: object) -> None:
        lists = sentences if type(sentences) is list else []
        text, self._tokens = placed_words(map(str, each) if type(each) is list else () for each in lists)
        self.text = text if lists else None

    def span(self, mention: dict[str, Any]) -> tuple[int, int] | None:
        """Return the place of a mention; None if it has none in the text."""
        number, offset = mention.get("sent_id"), mention.get("offset")
        if type(number) is not int or not 0 <= number < len(self._tokens) or not _is_range(offset):
            return None
        tokens: Sequence[tuple[int, int]] = self._tokens[number]
        first, end = offset  # type: ignore[misc]
        return (tokens[first][0], tokens[end - 1][1]) if end <= len(tokens) else None


def _is_range(offset: object) -> bool:
    return (
        type(offset) is list
        and len(offset) == 2
        and all(type(each) is int for each in offset)
        and 0 <= offset[0] < offset[1]
    )
