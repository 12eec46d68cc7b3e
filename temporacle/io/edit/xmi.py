"""UIMA CAS in XMI: elements and lists of ids in attributes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from temporacle.io.edit.cas import plan
from temporacle.io.edit.cas_references import by_type_system, refuse_broken
from temporacle.io.edit.ids import FreeIds
from temporacle.io.edit.text import Splice
from temporacle.io.edit.xml_tags import blanks_before, element_like, markup, tags_of
from temporacle.io.source import Source
from temporacle.io.tools.cas import OFFSETS
from temporacle.io.tools.xmi import ARRAY, ID, VIEW, cas_of
from temporacle.io.xml import parse

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from lxml.etree import _Element

    from temporacle.io.edit.cas_plan import Plan
    from temporacle.io.edit.edits import Edits
    from temporacle.io.edit.xml_tags import Attribute, Tag
    from temporacle.io.tools.cas import Cas
    from temporacle.model import Document

_WORD = re.compile(r"\S+")


def splices(text: str, source: Source, documents: Sequence[Document], edits: Mapping[str, Edits]) -> list[Splice]:
    """Return the replacements to make in an XMI file."""
    root = parse(Source(source.path, source.data, source.options))
    stated = cas_of(root)
    children = list(root.iterchildren("*"))
    wanted = plan(source, stated, documents, edits, _free_ids(children, stated))
    if wanted.from_views:
        refuse_broken(by_type_system(source.path, stated.structures), wanted, wanted.from_views)
    tags = tags_of(root, markup(text))
    found = [tags[children[place]].removed(text) for place in wanted.gone]
    for (place, feature), ids in wanted.from_features.items():
        attribute = tags[children[place]].attribute(text, feature)
        if attribute is not None:
            found += _without(text, attribute, ids, with_attribute=(place, feature) not in wanted.to_features)
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
    return found + list(_added(text, [(element, tags[element]) for element in children], wanted))


def _free_ids(children: Sequence[_Element], stated: Cas) -> FreeIds:
    """Return the source of new ids. Ids that lists mention are not free, though nothing may have them."""
    views = (name for element in children for name in (element.get("members") or "").split())
    values = (value for each in stated.structures for key, value in each.features.items() if key not in OFFSETS)
    lists = (name for value in values for name in value.split() if name.isdigit())
    arrays = (name for names in stated.arrays.values() for name in names)
    ids = [name for element in children if (name := element.get(ID) or "").isdigit()]
    return FreeIds(ids, (*views, *lists, *arrays), usual="")


def _added(text: str, children: Sequence[tuple[_Element, Tag]], plan: Plan) -> Iterator[Splice]:
    """Yield the new elements, and their ids in lists."""
    for new in plan.new:
        element, tag = children[new.like]
        yield _behind(text, tag, {_id_name(text, tag): new.id, **new.features})
    by_id = {element.get(ID): tag for element, tag in children if element.tag == ARRAY}
    for array in plan.new_arrays.values():
        tag = by_id[array.like]
        yield _behind(text, tag, {_id_name(text, tag): array.id, "elements": " ".join(array.elements)})
        yield children[array.owner][1].with_attribute(text, array.feature, array.id)
    for (place, feature), names in plan.to_features.items():
        yield _with_ids(text, children[place][1], feature, names, gone=plan.from_features.get((place, feature), ()))
    for name, names in plan.to_arrays.items():
        yield _with_ids(text, by_id[name], "elements", names, gone=plan.from_arrays.get(name, ()))
    for element, tag in children:
        if element.tag == VIEW:
            present = set((element.get("members") or "").split())
            names = [each.id for each in plan.members if each.sofa == element.get("sofa") and each.like in present]
            if names:
                yield _with_ids(text, tag, "members", names, gone=plan.from_views)


def _id_name(text: str, tag: Tag) -> str:
    """Return the attribute of the id as the file writes it, with its prefix."""
    return next(each.name for each in tag.attributes(text) if each.name.rpartition(":")[2] == "id" and ":" in each.name)


def _behind(text: str, tag: Tag, values: Mapping[str, str]) -> Splice:
    return Splice(tag.end, tag.end, blanks_before(text, tag) + element_like(text, tag, values))


def _with_ids(text: str, tag: Tag, attribute: str, ids: Sequence[str], gone: Collection[str]) -> Splice:
    """Return a splice that puts ids at the end of a list; ``gone``: ids that are taken out of it at the same time."""
    there = tag.attribute(text, attribute)
    if there is None:
        return tag.with_attribute(text, attribute, " ".join(ids))
    value = text[there.value_start : there.value_end]
    stay = any(name not in gone for name in value.split())
    return Splice(there.value_end, there.value_end, (" " if stay else "") + " ".join(ids))


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
