"""EventFull and OmniTemp: one JSON object a file, with tokens, mentions of events, and pairs of mentions.

    {"tokens": ["The", "ferry", "left", "and", "docked", "."],
     "allMentions": [{"m_id": "1", "tokens": "left", "tokens_ids": [2]}, {"m_id": "2", "tokens": "docked", ...}],
     "allPairs": [{"_firstId": "1", "_secondId": "2", "_relation": "before/cause"}]}

The first part of a relation is temporal and compares start points, as in MATRES; the others are about cause or
coreference. They are kept, and written again. A pair without a relation waits for its annotator: it is not a link.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from temporacle.errors import InputError, UsageError, spelled
from temporacle.io.builder import DocumentBuilder
from temporacle.io.edit.places import inserted, items, removed, value_at, value_of, with_member, written_like
from temporacle.io.jsonl.document import others_in
from temporacle.io.rows import joined_spans, placed_words
from temporacle.io.tools.json_file import json_value, records, text_of
from temporacle.io.writers import entities_of
from temporacle.model import Action, Body, Entity, Extras, Kind, Remark
from temporacle.printing import shown
from temporacle.readings import canonical, load_reading

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from temporacle.io.edit.edits import Edits, Splice
    from temporacle.io.formats import Report
    from temporacle.io.source import Source
    from temporacle.model import Document, Link

_WAITING = frozenset({"", "UNKNOWN", "CANDIDATE"})  # what the tool writes before a pair is annotated
_OF_DOCUMENTS = frozenset({"allMentions", "allPairs"})  # tokens may hold blanks, so they are kept beside the text
_OF_MENTIONS = frozenset({"m_id", "tokens", "tokens_ids"})
_OF_PAIRS = frozenset({"_firstId", "_secondId", "_relation"})
_KEEPS_KEYS = frozenset({"eventfull", "jsonl"})  # formats whose further keys are those of EventFull, if there are any


def is_first_object(record: dict[str, Any]) -> bool:
    """Return whether an object is an annotation of EventFull, or a project of it, which the reader refuses by name."""
    return "allPairs" in record or "allMentions" in record or "main_doc" in record


def read(source: Source) -> Iterator[Document]:
    """Yield the one document of a file."""
    value = json_value(source)
    if type(value) is dict and "allPairs" not in value and "main_doc" in value:
        cure = "export the annotation from the tool and give that file"
        raise source.error("a project of EventFull, not an annotation", cure=cure)
    if type(value) is not dict or type(value.get("allPairs", [])) is not list:
        raise source.error("not EventFull", cure='expected {"tokens": [...], "allMentions": [...], "allPairs": [...]}')
    pairs = value.get("allPairs", [])
    builder = DocumentBuilder(source.name, source, "eventfull", source.reading("matres"))
    if "allPairs" not in value:
        builder.warn("no-links", 'the object has no "allPairs"; it is read as a document without links')
    tokens = [str(each) for each in value["tokens"]] if type(value.get("tokens")) is list else []
    mentions = _mentions(value.get("allMentions"), tokens, builder)
    if mentions is not None:
        builder.declared = dict.fromkeys(mentions)
    waiting = 0
    others: dict[str, dict[str, Any]] = {}
    for number, pair in enumerate(pairs, 1):
        name = f"p{number}"
        if type(pair) is not dict or not (pair.get("_relation") is None or type(pair["_relation"]) is str):
            builder.drop("bad-link", "a pair must be an object, and its _relation text", element=name)
            continue
        label, more = _parts(pair.get("_relation"))
        if canonical(label) in _WAITING:
            waiting += 1
            continue
        before = len(builder.links)
        first, second = (text_of(pair.get(key)) for key in ("_firstId", "_secondId"))
        builder.add_link(name, first, label, second, plain_case=False)
        own = others_in(pair, _OF_PAIRS) | ({"_relation": pair["_relation"]} if more else {})
        if own and len(builder.links) > before:
            others[name] = own
    if waiting:
        what = f"{waiting} pairs have" if waiting > 1 else "1 pair has"
        builder.warn("unanswered-pair", f"{what} no relation yet")
    text = " ".join(tokens) if tokens else None
    if mentions is None:
        mentions = {end: Entity(end, Kind.EVENT) for link in builder.links for end in (link.source, link.target)}
        builder.declared = dict.fromkeys(mentions)
    extras = Extras(others_in(value, _OF_DOCUMENTS), _of_mentions(value.get("allMentions")), others)
    yield builder.build(Body(tuple(mentions.values()), text, extras if any(extras[:3]) else None))


def _parts(relation: object) -> tuple[str, str]:
    """Return the temporal part of a relation and the rest.

    >>> _parts("before/cause"), _parts("equal"), _parts(None)
    (('before', 'cause'), ('equal', ''), ('', ''))
    """
    if type(relation) is not str:
        return "", ""
    label, _, more = relation.partition("/")
    return label.strip(), more


def _mentions(value: object, tokens: Sequence[str], builder: DocumentBuilder) -> dict[str, Entity] | None:
    """Return the mentions by id; None if the file does not list them."""
    if type(value) is not list:
        return None
    _, [places_of_words] = placed_words([tokens])
    found: dict[str, Entity] = {}
    for number, mention in enumerate(records(value), 1):
        name = text_of(mention.get("m_id"))
        if name is None:
            builder.warn("odd-entity", f"mention number {number} is left out: it has no m_id")
        elif builder.is_first(name, "mention without m_id"):
            places = mention.get("tokens_ids")
            if type(places) is not list or not all(type(k) is int and 0 <= k < len(tokens) for k in places):
                builder.warn("span-outside", "tokens_ids must be places in tokens; kept without a span", element=name)
                places = []
            spans = joined_spans(places, places_of_words)
            words = mention.get("tokens")
            found[name] = Entity(name, Kind.EVENT, words if type(words) is str else None, spans)
    return found


def _of_mentions(value: object) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for mention in records(value):
        name = text_of(mention.get("m_id"))
        if name is not None and (own := others_in(mention, _OF_MENTIONS)):
            found.setdefault(name, own)
    return found


# ----------------------------------------------------------------------------------------------------
# Writing.


def text(document: Document, report: Report) -> str:
    """Return the document as one JSON object. Times have no place there, nor have relations without a label."""
    keeps = document.format in _KEEPS_KEYS and document.extras is not None
    extras = document.extras if keeps and document.extras is not None else Extras({}, {}, {})
    everything = entities_of(document)
    events = {name: each for name, each in everything.items() if each.kind is not Kind.TIME and not each.is_dct}
    if lost := len(everything) - len(events):
        what = f"{lost} times have" if lost > 1 else "1 time has"
        report(Remark("times-not-written", f"{document.id}: {what} no place in an eventfull file"))
    if any(link.weight != 1 for link in document.links):
        report(Remark("no-weights", f"{document.id}: weights are not in the eventfull file"))
    labels = [_label(document, link) for link in document.links]
    words, starts = _words(document, extras, events)
    record = {
        "tokens": words,
        "allMentions": [
            {
                "tokens": each.text or name,
                "m_id": name,
                "tokens_ids": [k for k, at in enumerate(starts) if any(one <= at < two for one, two in each.spans)],
                **(extras.entities.get(name, {}) if keeps else {"eventIndex": index, "axisType": "main"}),
            }
            for index, (name, each) in enumerate(events.items())
        ],
        "allPairs": [
            _pair(link, label, extras.links.get(link.id, {}))
            for link, label in zip(document.links, labels, strict=True)
            if _can_be_written(document, link, label, events, report)
        ],
        **others_in(extras.document, frozenset({"tokens", "timeml"})),
    }
    try:
        return json.dumps(record, ensure_ascii=False, indent=2, allow_nan=False) + "\n"
    except (ValueError, RecursionError):
        raise InputError("holds values that JSON does not have, or nested too deeply", path=document.path) from None


def _can_be_written(
    document: Document, link: Link, label: str | None, events: Mapping[str, Entity], report: Report
) -> bool:
    """Return whether the format can express a link. Report why not."""
    if link.source not in events or link.target not in events:
        why = "a pair joins two events"
    elif label is None:
        cure = f"{spelled('labels', 'matres')} reads labels as ones of start points"
        why = f"no label of MATRES means {link.relation}; {cure}"
    else:
        return True
    message = f"document {shown(document.id)}: {link.said} is not written: {why}"
    report(Remark("not-written", message, link.line, link.id, Action.DROPPED))
    return False


def _pair(link: Link, label: str | None, others: Mapping[str, Any]) -> dict[str, Any]:
    _, more = _parts(others.get("_relation"))
    relation = f"{label}/{more}" if more else label
    return {"_firstId": link.source, "_secondId": link.target, **others, "_relation": relation}


def _label(document: Document, link: Link) -> str | None:
    """Return a label that is read as the same relation again: the link's own where that is one; None if none is."""
    if document.format == "eventfull":
        return link.label
    own = canonical(link.label)
    fitting = [label for label, meaning in load_reading("matres").labels.items() if meaning == link.relation]
    return (own if own in fitting else fitting[0]).lower() if fitting else None


def _words(document: Document, extras: Extras, events: Mapping[str, Entity]) -> tuple[list[str], list[int]]:
    """Return the words of a document and where each begins: its own, or its text cut at blanks and at mentions."""
    text = document.text or ""
    own = extras.document.get("tokens")
    words: list[str] = []
    starts: list[int] = []
    if type(own) is list and " ".join(map(str, own)) == text:
        words = [str(each) for each in own]
        _, [places] = placed_words([words])
        return words, [start for start, _ in places]
    start = 0
    for end in (*sorted({end for each in events.values() for span in each.spans for end in span}), len(text)):
        for word in text[start:end].split():
            start = text.index(word, start)
            words.append(word)
            starts.append(start)
            start += len(word)
        start = max(start, end)
    return words, starts


# ----------------------------------------------------------------------------------------------------
# Changes of a file.


def splices(text: str, source: Source, documents: Sequence[Document], edits: Mapping[str, Edits]) -> list[Splice]:
    """Return the replacements to make in the text of a file."""
    [document] = documents
    return list(_changes(text, source, document, edits[document.id]))


def _changes(text: str, source: Source, document: Document, edits: Edits) -> Iterator[Splice]:
    whole = value_at(text, 0)
    array = value_of(text, whole, "allPairs")
    if array is None:
        raise source.error("cannot be changed: it has no allPairs")
    places = items(text, array)
    pairs = {f"p{number}": place for number, place in enumerate(places, 1)}
    edits.require(pairs, document.id)
    gone = {list(pairs).index(name) for name in edits.drop}
    if gone:
        yield from removed(text, array, gone)
    for name, label in edits.relabel.items():
        value = pairs[name].of(text)
        if type(value) is not dict:
            raise UsageError(f"{name}: is not an object and cannot get a label")
        _, more = _parts(value.get("_relation"))
        temporal = label.strip().lower()
        yield with_member(text, pairs[name], "_relation", f"{temporal}/{more}" if more else temporal)
    if edits.add:
        ids = _ids(text, whole)
        new = [
            {
                "_firstId": ids.get(each.source, each.source),
                "_secondId": ids.get(each.target, each.target),
                "_relation": each.label.lower(),
            }
            for each in edits.add
        ]
        models = [place for place in places if type(place.of(text)) is dict]
        style = models[-1] if models else None
        yield inserted(text, array, [written_like(text, style, each) for each in new], gone=gone)


def _ids(text: str, whole: Any) -> dict[str | None, object]:
    """Return the ids of mentions as the file writes them: text or numbers."""
    mentions = value_of(text, whole, "allMentions")
    values = [] if mentions is None else records(mentions.of(text))
    return {text_of(each.get("m_id")): each.get("m_id") for each in values}
