"""UIMA CAS in JSON: items of arrays and members of objects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from temporacle.io.edit.cas import plan
from temporacle.io.edit.cas_references import Reference, refuse_broken
from temporacle.io.edit.json_text import (
    items,
    member,
    members,
    removed,
    value_at,
    value_of,
    with_member,
    without_member,
)
from temporacle.io.tools.cas_json import ELEMENTS, STRUCTURES, cas_of
from temporacle.io.tools.json_file import dictionary, text_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from temporacle.io.edit.edits import Edits
    from temporacle.io.edit.json_text import Value
    from temporacle.io.edit.text import Splice
    from temporacle.io.source import Source
    from temporacle.model import Document


def splices(text: str, source: Source, documents: Sequence[Document], edits: Mapping[str, Edits]) -> list[Splice]:
    """Return the replacements to make in a CAS JSON file."""
    whole = value_at(text, 0)
    array = value_of(text, whole, STRUCTURES)
    if array is None:
        return []
    structures = items(text, array)
    stated = [place.of(text) for place in structures]
    wanted = plan(source, cas_of(stated), documents, edits)
    if wanted.from_views:
        refuse_broken(_references(stated), wanted, wanted.from_views)
    found = list(removed(text, array, wanted.gone)) if wanted.gone else []
    by_id = {text_of(dictionary(each).get("%ID")): place for each, place in zip(stated, structures, strict=True)}
    for name, ids in wanted.from_arrays.items():
        if name in by_id:
            found += _without(text, value_of(text, by_id[name], ELEMENTS), ids)
    for (place, feature), ids in wanted.from_features.items():
        if (held := member(text, structures[place], f"@{feature}")) is not None:
            is_list = text[held.value.start] == "["
            found += _without(text, held.value, ids) if is_list else without_member(text, structures[place], held.key)
    views = value_of(text, whole, "%VIEWS")
    for view in members(text, views) if views is not None and text[views.start] == "{" else ():
        found += _without(text, value_of(text, view.value, "%MEMBERS"), wanted.from_views)
    for value in wanted.values:
        if value.value is None:
            found += without_member(text, structures[value.place], value.feature)
        else:
            found.append(with_member(text, structures[value.place], value.feature, value.value))
    return found


def _references(stated: list[Any]) -> Iterator[Reference]:
    for place, record in enumerate(stated):
        for key, value in dictionary(record).items():
            if key.startswith("@") and key != "@sofa" and (target := text_of(value)) is not None:
                yield Reference(place, text_of(record.get("%ID")) or "", key[1:], target)


def _without(text: str, array: Value | None, ids: Collection[str]) -> Iterator[Splice]:
    if array is None or text[array.start] != "[":
        return
    gone = {number for number, item in enumerate(items(text, array)) if text_of(item.of(text)) in ids}
    if gone:
        yield from removed(text, array, gone)
