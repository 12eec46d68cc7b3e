"""UIMA CAS in JSON: items of arrays and members of objects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from temporacle.errors import UsageError
from temporacle.io.edit.cas import plan
from temporacle.io.edit.cas_references import Reference, refuse_broken
from temporacle.io.edit.ids import FreeIds
from temporacle.io.edit.json_text import (
    inserted,
    items,
    member,
    members,
    removed,
    value_at,
    value_of,
    with_member,
    without_member,
    written_like,
)
from temporacle.io.tools.cas_json import ELEMENTS, STRUCTURES, cas_of
from temporacle.io.tools.json_file import dictionary, records, text_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from temporacle.io.edit.cas_plan import NewStructure, Plan
    from temporacle.io.edit.edits import Edits
    from temporacle.io.edit.json_text import Value
    from temporacle.io.edit.text import Splice
    from temporacle.io.source import Source
    from temporacle.model import Document

_MEMBERS = "%MEMBERS"


def splices(text: str, source: Source, documents: Sequence[Document], edits: Mapping[str, Edits]) -> list[Splice]:
    """Return the replacements to make in a CAS JSON file."""
    whole = value_at(text, 0)
    array = value_of(text, whole, STRUCTURES)
    if array is None:
        return []
    structures = items(text, array)
    stated = [place.of(text) for place in structures]
    views = value_of(text, whole, "%VIEWS")
    lists = [] if views is None or text[views.start] != "{" else [each.value for each in members(text, views)]
    wanted = plan(source, cas_of(stated), documents, edits, _free_ids(text, stated, lists))
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
    for view in lists:
        found += _without(text, value_of(text, view, _MEMBERS), wanted.from_views)
    for value in wanted.values:
        if value.value is None:
            found += without_member(text, structures[value.place], value.feature)
        else:
            found.append(with_member(text, structures[value.place], value.feature, value.value))
    return found + list(_added(text, array, lists, by_id, wanted))


def _free_ids(text: str, stated: list[Any], views: Sequence[Value]) -> FreeIds:
    """Return the source of new ids. Ids that lists mention are not free, though nothing may have them."""
    structures = records(stated)
    names = [name for each in structures if (name := text_of(each.get("%ID")) or "").isdigit()]
    arrays = (name for each in structures if type(each.get(ELEMENTS)) is list for name in each[ELEMENTS])
    members_of = (value_of(text, view, _MEMBERS) for view in views)
    listed = (name for place in members_of if place is not None for name in place.of(text))
    references = (value for each in structures for key, value in each.items() if key.startswith("@"))
    mentioned = (*arrays, *listed, *references)
    return FreeIds(names, (str(name) for name in mentioned if type(name) in {int, str}), usual="")


def _added(
    text: str, array: Value, views: Sequence[Value], by_id: Mapping[str | None, Value], plan: Plan
) -> Iterator[Splice]:
    """Yield the new structures, and their ids in lists."""
    structures = items(text, array)
    numbers = {place: number for number, place in enumerate(structures)}
    written: dict[int, list[str]] = {}
    for new in plan.new:
        model = structures[new.like]
        written.setdefault(new.like, []).append(written_like(text, model, _record(model.of(text), new)))
    for new_array in plan.new_arrays.values():
        model = by_id[new_array.like]
        record = {**model.of(text), "%ID": int(new_array.id), ELEMENTS: list(map(int, new_array.elements))}
        written.setdefault(numbers[model], []).append(written_like(text, model, record))
        yield with_member(text, structures[new_array.owner], f"@{new_array.feature}", int(new_array.id))
    for place, each in written.items():
        yield inserted(text, array, each, gone=plan.gone, after=place)
    for (place, feature), names in plan.to_features.items():
        if len(names) > 1 or value_of(text, structures[place], f"@{feature}") is not None:
            raise UsageError(f"{feature} holds a single link in this file: add the links in the annotation tool")
        yield with_member(text, structures[place], f"@{feature}", int(names[0]))
    for name, names in plan.to_arrays.items():
        yield from _listed(text, value_of(text, by_id[name], ELEMENTS), names, plan.from_arrays.get(name, ()))
    for view in views:
        place_of_members = value_of(text, view, _MEMBERS)
        present = set() if place_of_members is None else set(map(str, place_of_members.of(text)))
        sofa = value_of(text, view, "%SOFA")
        names = [
            each.id
            for each in plan.members
            if each.like in present and sofa is not None and text_of(sofa.of(text)) == each.sofa
        ]
        yield from _listed(text, place_of_members, names, plan.from_views)


def _record(model: dict[str, Any], new: NewStructure) -> dict[str, Any]:
    """Return a structure with the keys of another one. Whole numbers stay numbers."""
    record: dict[str, Any] = {"%ID": int(new.id), "%TYPE": model["%TYPE"]}
    keys = {key.lstrip("@^"): key for key in model}
    for feature, value in new.features.items():
        key = keys.get(feature, feature)
        record[key] = int(value) if type(model.get(key)) is int else value
    return record


def _listed(text: str, array: Value | None, ids: Sequence[str], gone: Collection[str]) -> Iterator[Splice]:
    """Put ids at the end of an array; ``gone``: ids that are taken out of it at the same time."""
    if array is not None and ids:
        places = {number for number, item in enumerate(items(text, array)) if text_of(item.of(text)) in gone}
        yield inserted(text, array, ids, gone=places)


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
