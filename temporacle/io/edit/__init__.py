"""The smallest change of a file: links are added, taken out, relabelled or commented, and every other byte stays.

    Edits(drop={"l3"}, relabel={"l4": "AFTER"}, comment={"l5": "re-read this"})     what to do in one document
    Edits(add=[NewLink("ei1", "BEFORE", "ei2")])                                    links to add to it
    changed(source, {"d1": edits})                                                  the new bytes of the file

Each format has an editor (``Format.editor``): a function that finds the places of links in the file's text and returns
what to replace there. Here stands what they share: the edits, and the check that the new file says what the old one
said, but for what was asked.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from temporacle.errors import InputError, LabelError, UsageError
from temporacle.io.edit.edits import (
    NOTE,
    EditableText,
    Edits,
    NewLink,
    NoPlaceForNotesError,
    next_id,
    time_and_attribute,
    with_values,
)
from temporacle.io.formats import FORMATS, located
from temporacle.io.recognise import recognise
from temporacle.io.source import Source
from temporacle.model import Document, Unreadable
from temporacle.printing import first_of, shown
from temporacle.readings import canonical

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from temporacle.model import Link
    from temporacle.relation import Relation

__all__ = ["NOTE", "Edits", "NewLink", "changed", "editable", "next_id"]

# ----------------------------------------------------------------------------------------------------
# The new bytes of a file, checked before anyone gets them.

_NO_EDITS = Edits()
_WITH_VALUES = {"timeml", "tempeval1", "jsonl"}
_WITHOUT_NOTES = {"tsv", "csv", "umr", "eventfull", "doccano"}
_UNDECLARED = {"tsv", "csv", "jsonl", "umr"}  # a file may do without declarations: then entities are what links mention


def editable(format_name: str | None) -> bool:
    """Return whether files of a format can be changed in place."""
    return format_name in FORMATS and FORMATS[format_name].editor is not None


def changed(source: Source, edits: Mapping[str, Edits]) -> bytes:
    """Return the decompressed bytes of a file with the edits of its documents (by document id) applied.

    The new bytes are read again. InputError if they do not say the same as before, apart from the edits: then nothing
    of the result may be used. UsageError for a document or a link that the file does not have.
    """
    name = source.format = recognise(source)
    if not editable(name):
        names = ", ".join(entry.name for entry in FORMATS.values() if entry.editor is not None)
        raise UsageError(f"{source.path}: {name} files cannot be changed in place, only {names}; use convert")
    before = _documents(source, source.data)
    for document in edits.keys() - {each.id for each in before}:
        known = ", ".join(shown(each.id) for each in before[:10])
        raise UsageError(f"{source.path} has no document {shown(document)}; it has {known or 'none'}")
    for each in before:
        _require_statable(each, edits.get(each.id, _NO_EDITS))
        _require_times(source, each, edits.get(each.id, _NO_EDITS))
    if name in _WITHOUT_NOTES and any(each.has_notes for each in edits.values()):
        raise NoPlaceForNotesError(f"{source.path}: {name} files have no place for notes")
    text = EditableText(source)
    data = text.spliced(located(FORMATS[name].editor or "")(text.text, source, before, edits))
    try:
        after = _documents(source, data)
    except InputError as error:
        raise source.error(
            f"not changed: with these edits it could not be read again ({error.reason})",
            cure=f"a {name} file cannot hold every name; JSON Lines can",
        ) from error
    _require_the_same(source, before, after, edits)
    return data


def _require_statable(document: Document, edits: Edits) -> None:
    """Raise UsageError for a new link with an entity or a label that the document does not have."""
    if not edits.add:
        return
    known = set(document.entity_ids)
    for new in edits.add:
        unknown = [end for end in (new.source, new.target) if end not in known]
        if unknown and document.format not in _UNDECLARED:
            names = first_of(map(shown, document.entity_ids))
            reason = f"{new.said} cannot be added: document {shown(document.id)} has no entity {shown(unknown[0])}"
            raise UsageError(f"{reason}; its entities: {names}")
        _relation(document, new.label, new.said)


def _require_times(source: Source, document: Document, edits: Edits) -> None:
    """Raise UsageError for values that cannot be set: of entities that are not times, or in a format without values."""
    if not edits.values:
        return
    if document.format not in _WITH_VALUES:
        known = "TimeML and JSON Lines files"
        raise UsageError(f"{source.path}: values are set in {known} only, and this is {document.format}")
    times = [entity.id for entity in document.times]
    if unknown := [name for name in edits.values if time_and_attribute(name)[0] not in times]:
        names = first_of(map(shown, times))
        raise UsageError(f"document {shown(document.id)} has no time {shown(unknown[0])}; its times: {names}")
    if empty := [name for name, value in edits.values.items() if value is not None and not value.strip()]:
        raise UsageError(f"the new value of {empty[0]} is empty; give one such as 1998-02-09")


def _relation(document: Document, label: str, link: str) -> Relation:
    try:
        return document.reading.relation(label)
    except LabelError as error:
        raise UsageError(f"{link}: {error}") from None


def _documents(source: Source, data: bytes) -> list[Document]:
    """Return the readable documents."""
    again = Source(source.path, data, source.options, format=source.format)
    found = list(FORMATS[source.format or ""].reader()(again))
    for each in found:
        if isinstance(each, Unreadable) and len(found) == 1:
            raise each.error
    return [each for each in found if isinstance(each, Document)]


def _require_the_same(
    source: Source, before: list[Document], after: list[Document], edits: Mapping[str, Edits]
) -> None:
    after_by_id = {document.id: document for document in after}
    for document in before:
        new = after_by_id.get(document.id)
        wanted = edits.get(document.id, _NO_EDITS)
        if new is None:
            if document.text is None and wanted.drop.issuperset(link.id for link in document.links):
                continue  # in a table a document is its links
            raise _refused(source, document, "could not be read any more")
        if new.text != document.text:
            raise _refused(source, document, "would have another text")
        for remark in new.dropped:
            if (label := wanted.relabel.get(remark.element or "")) is not None:
                raise UsageError(f"{remark.element}: cannot have the label {shown(label)}: {remark.message}")
        mended = len(wanted.relabel.keys() - {link.id for link in document.links})  # could not be read before
        _require_same_entities(source, document, new, wanted, mended)
        expected, found = Counter(_stated(_expected(document, wanted))), Counter(_stated(new.links))
        if expected - found:
            raise _refused(source, document, "would have other links")
        if _more_than(found - expected, document, new, wanted) > mended:
            raise _refused(source, document, "would have more links")


def _more_than(surplus: Counter[tuple[object, ...]], document: Document, new: Document, edits: Edits) -> int:
    """Return how many links there are beyond the expected and the added ones. Raise UsageError if one is missing."""
    found = Counter(stated[:-1] for stated in surplus.elements())  # the file may give a new link a task
    for added in edits.add:
        stated = (added.source, _relation(document, added.label, added.said), added.target, canonical(added.label), 1)
        if not found[stated]:
            odd = [remark.sentence() for remark in new.dropped if remark not in document.dropped]
            reason = f": {odd[0]}" if odd else f" to a {document.format} file with its label as it is"
            raise UsageError(f"{added.said} cannot be added{reason}")
        found[stated] -= 1
    return found.total()


def _require_same_entities(source: Source, document: Document, new: Document, edits: Edits, mended: int) -> None:
    """Refuse a result with other entities.

    In files without declarations of entities, they come and go with links.
    """
    wanted = with_values(document, edits.values)
    old_entities = {entity.id: entity._replace(line=None) for entity in wanted.entities}
    new_entities = {entity.id: entity._replace(line=None) for entity in new.entities}
    lost, found = old_entities.keys() - new_entities.keys(), new_entities.keys() - old_entities.keys()
    new_ends = {end for link in edits.add for end in (link.source, link.target)}
    unlinked = {end for link in document.links if link.id in edits.drop for end in (link.source, link.target)}
    if lost - unlinked or len(found - new_ends) > 2 * mended:
        raise _refused(source, document, "would have other entities")
    if any(new_entities[name] != old_entities[name] for name in old_entities.keys() - lost):
        raise _refused(source, document, "would have changed entities")


def _expected(document: Document, edits: Edits) -> Iterable[Link]:
    """Yield the links expected after the edits, without relabelled links that could not be read before."""
    for link in document.links:
        if link.id in edits.drop:
            continue
        label = edits.relabel.get(link.id)
        if label is None:
            yield link
            continue
        yield link._replace(label=label.strip(), relation=_relation(document, label, link.id))


def _stated(links: Iterable[Link]) -> Iterable[tuple[object, ...]]:
    """Return what the links state, without their ids and lines: these may be positions in the file, which change.

    A file may spell all of its labels in lower case. An editor writes new ones like that, too.
    """
    return ((link.source, link.relation, link.target, canonical(link.label), link.weight, link.task) for link in links)


def _refused(source: Source, document: Document, why: str) -> InputError:
    return source.error(
        f"not changed: document {shown(document.id)} {why}", cure="change it by hand, and please report this file"
    )
