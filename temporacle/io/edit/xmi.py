"""UIMA CAS in XMI: elements and lists of ids in attributes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from temporacle.io.edit.cas import plan
from temporacle.io.edit.cas_references import by_type_system, refuse_broken
from temporacle.io.edit.text import Splice
from temporacle.io.edit.xml_tags import markup, tags_of
from temporacle.io.source import Source
from temporacle.io.tools.xmi import ARRAY, ID, VIEW, cas_of
from temporacle.io.xml import parse

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from temporacle.io.edit.edits import Edits
    from temporacle.io.edit.xml_tags import Attribute, Tag
    from temporacle.model import Document

_WORD = re.compile(r"\S+")


def splices(text: str, source: Source, documents: Sequence[Document], edits: Mapping[str, Edits]) -> list[Splice]:
    """Return the replacements to make in an XMI file."""
    root = parse(Source(source.path, source.data, source.options))
    stated = cas_of(root)
    wanted = plan(source, stated, documents, edits)
    if wanted.from_views:
        refuse_broken(by_type_system(source.path, stated.structures), wanted, wanted.from_views)
    tags = tags_of(root, markup(text))
    children = list(root.iterchildren("*"))
    found = [tags[children[place]].removed(text) for place in wanted.gone]
    for (place, feature), ids in wanted.from_features.items():
        attribute = tags[children[place]].attribute(text, feature)
        if attribute is not None:
            found += _without(text, attribute, ids, with_attribute=True)
    for element in children:
        gone: set[str] = set()
        if element.tag == ARRAY:
            gone = wanted.from_arrays.get(element.get(ID) or "", gone)
        elif element.tag == VIEW:
            gone = wanted.from_views
        attribute = tags[element].attribute(text, "elements", "members") if gone else None
        if attribute is not None:
            found += _without(text, attribute, gone, with_attribute=False)
    for value in wanted.values:
        found += _valued(text, tags[children[value.place]], value.feature, value.value)
    return found


def _without(text: str, attribute: Attribute, ids: Collection[str], *, with_attribute: bool) -> Iterator[Splice]:
    """Take ids out of a list: each with the blank before it, or behind it if none stays before it."""
    words = list(_WORD.finditer(text, attribute.value_start, attribute.value_end))
    if not any(word[0] in ids for word in words):
        return
    if all(word[0] in ids for word in words):
        if with_attribute:
            yield Splice(attribute.start, attribute.end)
        else:
            yield Splice(attribute.value_start, attribute.value_end)
        return
    one_stays = False
    for number, word in enumerate(words):
        if word[0] not in ids:
            one_stays = True
        elif one_stays:
            yield Splice(words[number - 1].end(), word.end())
        else:
            yield Splice(word.start(), words[number + 1].start())


def _valued(text: str, tag: Tag, feature: str, value: str | None) -> Iterator[Splice]:
    if value is not None:
        yield tag.with_attribute(text, feature, value)
    elif (attribute := tag.attribute(text, feature)) is not None:
        yield Splice(attribute.start, attribute.end)
