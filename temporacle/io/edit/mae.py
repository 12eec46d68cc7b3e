"""MAE: tags with attributes. A note goes to an attribute that the mapping names (``comment``): the DTD must have it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from temporacle.errors import UsageError
from temporacle.io.edit.edits import NoPlaceForNotesError, joined_notes, plain_note
from temporacle.io.edit.ids import FreeIds
from temporacle.io.edit.text import Splice
from temporacle.io.edit.tool_forms import form_of
from temporacle.io.edit.xml_tags import blanks_before, element_like, markup, tags_of
from temporacle.io.source import Source
from temporacle.io.tools import names
from temporacle.io.tools.assembly import DOCTIMEREL, label_place
from temporacle.io.tools.mae import ENDS, arrow_of, child_called, ends_of, is_link_tag
from temporacle.io.tools.mapping import mapping_of
from temporacle.io.xml import parse

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from collections.abc import Mapping as Table

    from lxml.etree import _Element

    from temporacle.io.edit.edits import Edits, NewLink
    from temporacle.io.edit.xml_tags import Tag
    from temporacle.io.tools.mapping import Mapping
    from temporacle.model import Document


def splices(text: str, source: Source, documents: Sequence[Document], edits: Table[str, Edits]) -> list[Splice]:
    """Return the replacements to make in a MAE file."""
    root = parse(Source(source.path, source.data, source.options))
    document = documents[0]
    wanted = edits[document.id]
    mapping = mapping_of(source)
    tags = tags_of(root, markup(text))
    links: dict[str, _Element] = {}
    marks: dict[str, _Element] = {}
    repeated: list[tuple[str, _Element]] = []
    for tag in child_called(root, "TAGS").iterchildren("*"):
        if is_link_tag(tag) and arrow_of(tag).id in links:
            repeated.append((arrow_of(tag).id, tag))  # it would count without the first
        elif is_link_tag(tag):
            links[arrow_of(tag).id] = tag
        elif (own := tag.get("id")) is not None:
            marks.setdefault(own, tag)
    for link in document.links:
        if link.id.startswith(DOCTIMEREL):
            links[link.id] = marks[link.source]
    wanted.require(links, document.id)
    if wanted.has_notes and (mapping is None or mapping.comment is None):
        raise NoPlaceForNotesError(
            f"{source.path}: MAE takes notes in an attribute of the project only: name it in a mapping,"
            ' such as comment = "note"'
        )
    found: list[Splice] = [tags[tag].removed(text) for name, tag in repeated if name in wanted.drop]
    for name, element in links.items():
        found += _changes(text, name, (element, tags[element]), wanted, mapping)
    if mapping is not None and mapping.comment is not None:
        found += _notes(text, links, tags, wanted, mapping.comment)
    if wanted.add:
        read = [links[link.id] for link in document.links if not link.id.startswith(DOCTIMEREL)]
        taken = [str(tag.get("id")) for tag in child_called(root, "TAGS").iterchildren("*") if tag.get("id")]
        found += _added(text, wanted.add, (read, marks, taken), tags, mapping)
    return found


def _added(
    text: str,
    added: Sequence[NewLink],
    stated: tuple[Sequence[_Element], Table[str, _Element], Sequence[str]],
    tags: Table[_Element, Tag],
    mapping: Mapping | None,
) -> Iterator[Splice]:
    """Yield the tags of new links behind the last link, or else the last tag. ``stated``: links, marks, all ids."""
    links, marks, taken = stated
    last = links[-1] if links else list(marks.values())[-1]
    ids = FreeIds((arrow_of(element).id for element in links), taken, usual="TL")
    for new in added:
        form = form_of(new, mapping, arrow_of(last) if links else None, label_is_type=False)
        model = next((each for each in reversed(links) if each.tag == form.type), last)
        first, second = ends_of(model) if links else ENDS[0]
        ends = {form.source or first: new.source, form.target or second: new.target}
        values = {"id": ids.give(new.id)}
        for attribute, entity in ends.items():
            mark = marks.get(entity)
            if mark is None:
                raise UsageError(f"{new.said} cannot be added: no tag of the file has the id {entity}")
            values[attribute] = entity
            words = attribute.removesuffix("ID") + "Text"
            if not links or words in model.attrib:
                values[words] = mark.get("text") or ""
        if form.attribute is not None:
            values[form.attribute] = new.label
        if new.comment and mapping is not None and mapping.comment is not None:
            values[mapping.comment] = plain_note(new.comment)
        tag = tags[model]
        place = tags[last].end
        yield Splice(place, place, blanks_before(text, tags[last]) + element_like(text, tag, values, name=form.type))


def _changes(
    text: str, name: str, place: tuple[_Element, Tag], edits: Edits, mapping: Mapping | None
) -> Iterator[Splice]:
    element, tag = place
    if name.startswith(DOCTIMEREL):
        attributes = {str(key): str(value) for key, value in element.attrib.items()}
        rules = () if mapping is None else mapping.doctimerels
        features = [rule.feature for rule in rules if rule.feature in attributes]
        attribute = features[0] if features else names.attribute_named(attributes, names.DOCTIMEREL)
        there = None if attribute is None else tag.attribute(text, attribute)
        if there is not None and name in edits.drop:
            yield Splice(there.start, there.end)
        elif there is not None and name in edits.relabel:
            yield there.replaced(edits.relabel[name], text)
    elif name in edits.drop:
        yield tag.removed(text)
    elif (label := edits.relabel.get(name)) is not None:
        yield tag.with_attribute(text, label_place(mapping, arrow_of(element)).attribute or "type", label)


def _notes(
    text: str, links: dict[str, _Element], tags: dict[_Element, Tag], edits: Edits, attribute: str
) -> Iterator[Splice]:
    held: dict[_Element, list[str]] = {}
    for name, element in links.items():
        held.setdefault(element, []).append(name)
    for element, names_held in held.items():
        before = element.get(attribute)
        after = joined_notes(before, names_held, edits)
        there = tags[element].attribute(text, attribute)
        if after is not None and after != before:
            yield tags[element].with_attribute(text, attribute, after)
        elif after is None and before and there is not None:
            yield Splice(there.start, there.end)
