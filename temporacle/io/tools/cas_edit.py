"""UIMA CAS: what to change for some edits, whatever the file is written in.

A link goes with its id in the list that holds it and in the members of its view; there only if no span has the same
id. A note goes to a string feature that the project declares (``comment`` of the mapping): of the relation, or of the
span that a link feature belongs to.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from temporacle.errors import InputError, UsageError
from temporacle.io.edit.edits import (
    EditableText,
    FreeIds,
    NoPlaceForNotesError,
    Splice,
    in_step,
    is_named,
    joined_notes,
    plain_note,
)
from temporacle.io.edit.places import (
    Value,
    blanks_before,
    cut_out,
    element_like,
    in_attribute,
    inserted,
    items,
    markup,
    member,
    members,
    removed,
    tags_of,
    value_at,
    value_of,
    with_member,
    without_member,
    written_like,
)
from temporacle.io.source import Options, Source
from temporacle.io.tools import cas
from temporacle.io.tools import mapping as names
from temporacle.io.tools.assembly import DOCTIMEREL, label_place
from temporacle.io.tools.cas import ARRAY, ELEMENTS, ID, OFFSETS, STRUCTURES, VIEW, json_cas, xmi_cas
from temporacle.io.tools.json_file import dictionary, records, text_of
from temporacle.io.tools.mapping import fits, mapping_of
from temporacle.io.xml import parse
from temporacle.printing import shown

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
    from collections.abc import Mapping as Table

    from lxml.etree import _Element

    from temporacle.io.edit.edits import Edits, NewLink
    from temporacle.io.edit.places import Attribute, Tag
    from temporacle.io.tools.cas import Cas
    from temporacle.io.tools.mapping import ToolMapping
    from temporacle.model import Document, Link


def plan(
    source: Source, found: cas.Cas, documents: Sequence[Document], edits: Mapping[str, Edits], ids: FreeIds
) -> CasPlan:
    """Return the changes to make in a file. ``ids``: gives ids to new structures."""
    mapping = mapping_of(source)
    parts = cas.Parts.of(found, mapping)
    result = CasPlan()
    for sofa, document in zip(found.sofas, documents, strict=True):
        if (wanted := edits.get(document.id)) is not None:
            _Planner(source, found, parts, result, ids).add(sofa, document, wanted)
    return result


class _Planner:
    """The edits of one document."""

    def __init__(self, source: Source, found: cas.Cas, parts: cas.Parts, result: CasPlan, ids: FreeIds) -> None:
        self.source = source
        self.ids = ids
        self.mapping = mapping_of(source)
        self.cas = found
        self.parts = parts
        self.plan = result
        self.span_places: dict[str, set[int]] = {}  # where spans of an id stand
        for each in (*parts.spans, *parts.relations):
            self.span_places.setdefault(each.id, set()).add(each.place)

    def add(self, sofa: cas.Sofa, document: Document, edits: Edits) -> None:
        spans = {span.id: span for span in reversed(self.parts.spans) if span.features.get("sofa") == sofa.id}
        doctimerels = {link.id: spans[link.source] for link in document.links if link.id.startswith(DOCTIMEREL)}
        stated = list(cas.relations_of(sofa, self.parts))
        others = [link for link in document.links if link.id not in doctimerels]
        links = in_step(others, stated, lambda each, link: is_named(link, each.arrow.id))
        for each in stated:
            links.setdefault(each.arrow.id, each)
        edits.require((*links, *doctimerels), document.id)
        for name, label in (*dict.fromkeys(edits.drop).items(), *edits.relabel.items()):
            if name in doctimerels:
                feature = self._doctimerel(doctimerels[name])
                self.plan.values.append(NewValue(doctimerels[name].place, feature, label))
            elif label is None:
                self._remove(links[name])
            else:
                attribute = label_place(self.mapping, links[name].arrow).attribute or "relType"
                self.plan.values.append(NewValue(links[name].structure.place, attribute, label))
        read = [(link, links[link.id]) for link in others]
        new = NewLinks(self.cas, sofa, self.mapping, self.plan, self.ids)
        noted = [new.add(each, spans, read) for each in edits.add]
        self._note(links, doctimerels, edits, list(zip(edits.add, noted, strict=True)))

    def _doctimerel(self, event: cas.Structure) -> str:
        rules = () if self.mapping is None else self.mapping.doctimerels
        for rule in rules:
            if fits(rule.type, event.type) and rule.feature in event.features:
                return rule.feature
        return names.attribute_named(event.features, names.DOCTIMEREL) or "docTimeRel"

    def _remove(self, link: cas.StatedStructure) -> None:
        name = link.structure.id
        self.plan.gone.add(link.structure.place)
        if link.found_in is not None:
            owner, feature = link.found_in.owner, link.found_in.feature
            value = owner.features[feature].strip()
            if value in self.cas.arrays:
                self.plan.from_arrays.setdefault(value, set()).add(name)
            else:
                self.plan.from_features.setdefault((owner.place, feature), set()).add(name)
        if self.span_places.get(name, set()) <= self.plan.gone and self.cas.others(name) is None:
            self.plan.from_views.add(name)

    def _note(
        self,
        links: Mapping[str, cas.StatedStructure],
        doctimerels: Mapping[str, cas.Structure],
        edits: Edits,
        new: Sequence[tuple[NewLink, cas.Structure | None]],
    ) -> None:
        """Plan the notes. ``new``: the spans that hold the notes of new links; None if a link holds its own."""
        feature = None if self.mapping is None else self.mapping.comment
        if feature is None:
            if edits.has_notes:
                raise NoPlaceForNotesError(
                    f"{self.source.path}: a CAS takes notes in a feature of the project only: name it in a mapping,"
                    ' such as comment = "note"'
                )
            return
        held: dict[int, tuple[cas.Structure, list[str]]] = {}
        for name, link in links.items():
            holder = link.structure if link.found_in is None else link.found_in.owner
            held.setdefault(holder.place, (holder, []))[1].append(name)
        for name, event in doctimerels.items():
            held.setdefault(event.place, (event, []))[1].append(name)
        for _, owner in new:
            if owner is not None:
                held.setdefault(owner.place, (owner, []))
        for place, (holder, names_held) in held.items():
            if place in self.plan.gone:
                continue
            before = holder.features.get(feature)
            added = (each for each, owner in new if owner is not None and owner.place == place)
            after = joined_notes(before, names_held, edits, added)
            if after != before:
                self.plan.values.append(NewValue(place, feature, after))


# ----------------------------------------------------------------------------------------------------
# New links of a CAS, written like another link of the document: as a relation, or in a list of the source span.
#
# Names of layers and features are those of a project, so without a link to imitate nothing is added.


class NewLinks:
    """Plans the new links of one text."""

    def __init__(
        self, found: cas.Cas, sofa: cas.Sofa, mapping: ToolMapping | None, plan: CasPlan, ids: FreeIds
    ) -> None:
        self._cas = found
        self._sofa = sofa
        self._mapping = mapping
        self._plan = plan
        self._ids = ids
        self._models: dict[str, list[tuple[Link, cas.StatedStructure]]] = {}  # by the type of the source

    def add(
        self, new: NewLink, spans: Table[str, cas.Structure], read: Sequence[tuple[Link, cas.StatedStructure]]
    ) -> cas.Structure | None:
        """Plan a link, and return the span that holds its note; None if it holds the note itself."""
        source, target = (spans.get(end) or self._cas.others(end) for end in (new.source, new.target))
        if source is None or target is None:
            missing = new.source if source is None else new.target
            raise UsageError(f"{new.said} cannot be added: {shown(missing)} is not an annotation of the file")
        link, model, label = self._model(new, source, read)
        name = self._ids.give()
        features = {} if label is None else {label: new.label}
        features[_end(model, link.target, label, cas.LINK_TARGET, cas.TARGET)] = new.target
        if model.found_in is None:
            features[_end(model, link.source, label, cas.SOURCE)] = new.source
            features |= {"sofa": self._sofa.id} | {key: target.features[key] for key in cas.OFFSETS}
            if new.comment and self._mapping is not None and self._mapping.comment is not None:
                features[self._mapping.comment] = plain_note(new.comment)
        else:
            self._list(name, source, model.found_in)
        self._plan.new.append(NewStructure(name, features, model.structure.place))
        self._plan.members.append(NewMember(self._sofa.id, name, model.structure.id))
        return None if model.found_in is None else source

    def _model(
        self, new: NewLink, source: cas.Structure, read: Sequence[tuple[Link, cas.StatedStructure]]
    ) -> tuple[Link, cas.StatedStructure, str | None]:
        """Return a link to imitate, and the feature of the label; None if the type of the link is its label."""
        if source.type not in self._models:  # another layer has other lists
            kinds = [(each, each[1].found_in) for each in reversed(read)]
            usable = [each for each, found_in in kinds if found_in is None or found_in.owner.type == source.type]
            self._models[source.type] = usable
        for link, stated in self._models[source.type]:
            try:
                label = label_place(self._mapping, stated.arrow).attribute
            except UsageError:  # the mapping gives it a fixed label
                label = None
            if label is not None or link.label == new.label:
                return link, stated, label
        raise UsageError(
            f"{new.said} cannot be added: the document has no link that starts from a {shown(source.type)} and shows"
            " how the project writes it; add the first one in the annotation tool"
        )

    def _list(self, name: str, owner: cas.Structure, like: cas.LinkList) -> None:
        """Plan to list a link in the link feature of its source."""
        place = owner.place, like.feature
        value = owner.features.get(like.feature, "").strip()
        other = like.owner.features[like.feature].strip()
        if value in self._cas.arrays:
            self._plan.to_arrays.setdefault(value, []).append(name)
        elif value or other not in self._cas.arrays:
            self._plan.to_features.setdefault(place, []).append(name)
        elif place in self._plan.new_arrays:
            self._plan.new_arrays[place].elements.append(name)
        else:
            self._plan.new_arrays[place] = NewArray(self._ids.give(), *place, [name], other)


def _end(model: cas.StatedStructure, entity: str, label: str | None, *usual: str) -> str:
    """Return the feature of a link that names one of its ends."""
    features = model.structure.features
    found = [key for key, value in features.items() if value == entity and key not in ("sofa", *cas.OFFSETS, label)]
    return next((key for key in usual if key in found), found[0])


# ----------------------------------------------------------------------------------------------------
# The changes of a CAS file, whatever it is written in.
#
# Structures are given by their places, things in lists by their ids.


class NewValue(NamedTuple):
    """A feature of a structure, given by its place, with another value; None takes it away."""

    place: int
    feature: str
    value: str | None


class NewStructure(NamedTuple):
    """A structure to add behind another one, and written like it."""

    id: str
    features: Mapping[str, str]
    like: int


class NewArray(NamedTuple):
    """An array to add for a list of links, in a file that keeps such lists in arrays."""

    id: str
    owner: int
    feature: str
    elements: list[str]
    like: str  # the id of another array


class NewMember(NamedTuple):
    """A structure to list in the view of a text, if the one that it is written like stands there."""

    sofa: str
    id: str
    like: str


@dataclass
class CasPlan:
    """The changes of a file."""

    gone: set[int] = field(default_factory=set)
    from_features: dict[tuple[int, str], set[str]] = field(default_factory=dict)
    from_arrays: dict[str, set[str]] = field(default_factory=dict)
    from_views: set[str] = field(default_factory=set)
    values: list[NewValue] = field(default_factory=list)
    new: list[NewStructure] = field(default_factory=list)
    to_features: dict[tuple[int, str], list[str]] = field(default_factory=dict)
    to_arrays: dict[str, list[str]] = field(default_factory=dict)
    new_arrays: dict[tuple[int, str], NewArray] = field(default_factory=dict)
    members: list[NewMember] = field(default_factory=list)


# ----------------------------------------------------------------------------------------------------
# Features of a CAS that refer to something that shall go: then the file is left alone, or it would break.
#
# In JSON a reference is marked. In XMI a number may be anything, so references are known only by the type system, if
# its file (``TypeSystem.xml``) stands beside the document.

_TYPE_SYSTEM = "TypeSystem.xml"
_VALUES = ("uima.cas.String", "uima.cas.Integer", "uima.cas.Float", "uima.cas.Boolean", "uima.cas.Double")
_MORE_VALUES = ("uima.cas.Long", "uima.cas.Short", "uima.cas.Byte")
_MOST_SUPERTYPES = 50


class CasReference(NamedTuple):
    """A feature that names another structure."""

    place: int
    owner: str
    feature: str
    target: str


def refuse_broken(references: Iterable[CasReference], plan: CasPlan, gone: Collection[str]) -> None:
    """Raise UsageError if a structure that stays refers to a removed one, except in the lists that are changed."""
    for each in references:
        is_changed = each.target in plan.from_features.get((each.place, each.feature), ())
        if each.target in gone and each.place not in plan.gone and not is_changed:
            raise UsageError(
                f"{each.target} cannot be removed: feature {each.feature} of {each.owner} refers to it;"
                " remove that in the annotation tool first"
            )


def by_type_system(source: Source, structures: Iterable[cas.Structure]) -> list[CasReference]:
    """Return the references in an XMI file, if its type system is available."""
    beside = Path(source.path).with_name(_TYPE_SYSTEM)
    if not beside.is_file():
        return []
    try:
        features = _reference_features(Source(str(beside), None, Options(confines=source.options.confines)))
    except InputError:
        return []
    found = []
    for each in structures:
        for feature, value in each.features.items():
            if feature in features.get(each.type, ()) and feature != "sofa":
                found += [CasReference(each.place, each.id, feature, target) for target in value.split()]
    return found


def _reference_features(source: Source) -> dict[str, set[str]]:
    """Return, by type, the features that refer to other structures, including those of its supertypes."""
    own: dict[str, set[str]] = {}
    above: dict[str, str] = {}
    for described in parse(source).iter("{*}typeDescription"):
        name = (described.findtext("{*}name") or "").strip()
        above[name] = (described.findtext("{*}supertypeName") or "").strip()
        own[name] = {
            (feature.findtext("{*}name") or "").strip()
            for feature in described.iter("{*}featureDescription")
            if (feature.findtext("{*}rangeTypeName") or "").strip() not in (*_VALUES, *_MORE_VALUES)
        }
    found = {}
    for name, stated in own.items():
        features, current = set(stated), name
        for _ in range(_MOST_SUPERTYPES):
            current = above.get(current, "")
            if current not in own:
                break
            features |= own[current]
        found[name] = features
    return found


# ----------------------------------------------------------------------------------------------------
# UIMA CAS in JSON: items of arrays and members of objects.

_MEMBERS = "%MEMBERS"


def json_splices(text: str, source: Source, documents: Sequence[Document], edits: Mapping[str, Edits]) -> list[Splice]:
    """Return the replacements to make in a CAS JSON file."""
    whole = value_at(text, 0)
    array = value_of(text, whole, STRUCTURES)
    if array is None:
        return []
    structures = items(text, array)
    stated = [place.of(text) for place in structures]
    views = value_of(text, whole, "%VIEWS")
    lists = [] if views is None or text[views.start] != "{" else [each.value for each in members(text, views)]
    wanted = plan(source, json_cas(stated), documents, edits, _free_json_ids(text, stated, lists))
    if wanted.from_views:
        refuse_broken(_references(stated), wanted, wanted.from_views)
    found = list(removed(text, array, wanted.gone)) if wanted.gone else []
    by_id = {text_of(dictionary(each).get("%ID")): place for each, place in zip(stated, structures, strict=True)}
    for name, ids in wanted.from_arrays.items():
        if name in by_id:
            found += _without_json(text, value_of(text, by_id[name], ELEMENTS), ids)
    for (place, feature), ids in wanted.from_features.items():
        if (held := member(text, structures[place], f"@{feature}")) is not None:
            is_list = text[held.value.start] == "["
            found += (
                _without_json(text, held.value, ids) if is_list else without_member(text, structures[place], held.key)
            )
    for view in lists:
        found += _without_json(text, value_of(text, view, _MEMBERS), wanted.from_views)
    for value in wanted.values:
        if value.value is None:
            found += without_member(text, structures[value.place], value.feature)
        else:
            found.append(with_member(text, structures[value.place], value.feature, value.value))
    return found + list(_added_json(text, array, lists, by_id, wanted))


def _free_json_ids(text: str, stated: list[Any], views: Sequence[Value]) -> FreeIds:
    """Return the source of new ids. Ids that lists mention are not free, though nothing may have them."""
    structures = records(stated)
    names = [name for each in structures if (name := text_of(each.get("%ID")) or "").isdigit()]
    arrays = (name for each in structures if type(each.get(ELEMENTS)) is list for name in each[ELEMENTS])
    members_of = (value_of(text, view, _MEMBERS) for view in views)
    listed = (name for place in members_of if place is not None for name in place.of(text))
    references = (value for each in structures for key, value in each.items() if key.startswith("@"))
    mentioned = (*arrays, *listed, *references)
    return FreeIds(names, (str(name) for name in mentioned if type(name) in {int, str}), usual="")


def _added_json(
    text: str, array: Value, views: Sequence[Value], by_id: Mapping[str | None, Value], plan: CasPlan
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
    for (place, feature), added in plan.to_features.items():
        if len(added) > 1 or value_of(text, structures[place], f"@{feature}") is not None:
            raise UsageError(f"{feature} holds a single link in this file: add the links in the annotation tool")
        yield with_member(text, structures[place], f"@{feature}", int(added[0]))
    for name, added in plan.to_arrays.items():
        yield from _listed(text, value_of(text, by_id[name], ELEMENTS), added, plan.from_arrays.get(name, ()))
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


def _references(stated: list[Any]) -> Iterator[CasReference]:
    for place, record in enumerate(stated):
        for key, value in dictionary(record).items():
            if key.startswith("@") and key != "@sofa" and (target := text_of(value)) is not None:
                yield CasReference(place, text_of(record.get("%ID")) or "", key[1:], target)


def _without_json(text: str, array: Value | None, ids: Collection[str]) -> Iterator[Splice]:
    if array is None or text[array.start] != "[":
        return
    gone = {number for number, item in enumerate(items(text, array)) if text_of(item.of(text)) in ids}
    if gone:
        yield from removed(text, array, gone)


# ----------------------------------------------------------------------------------------------------
# UIMA CAS in XMI: elements and lists of ids in attributes.

_WORD = re.compile(r"\S+")


def xmi_splices(text: str, source: Source, documents: Sequence[Document], edits: Mapping[str, Edits]) -> list[Splice]:
    """Return the replacements to make in an XMI file."""
    root = parse(Source(source.path, source.data, source.options))
    stated = xmi_cas(root)
    children = list(root.iterchildren("*"))
    wanted = plan(source, stated, documents, edits, _free_xmi_ids(children, stated))
    if wanted.from_views:
        refuse_broken(by_type_system(source, stated.structures), wanted, wanted.from_views)
    tags = tags_of(root, markup(text))
    found = [tags[children[place]].removed(text) for place in wanted.gone]
    for (place, feature), ids in wanted.from_features.items():
        attribute = tags[children[place]].attribute(text, feature)
        if attribute is not None:
            found += _without_xmi(text, attribute, ids, with_attribute=(place, feature) not in wanted.to_features)
    for element in children:
        gone: set[str] = set()
        if element.tag == ARRAY:
            gone = wanted.from_arrays.get(element.get(ID) or "", gone)
        elif element.tag == VIEW:
            gone = wanted.from_views
        attribute = tags[element].attribute(text, "elements", "members") if gone else None
        if attribute is not None:
            found += _without_xmi(text, attribute, gone, with_attribute=False)
    for value in wanted.values:
        tag = tags[children[value.place]]
        if value.value is None:
            found += tag.without_attribute(text, value.feature)
        else:
            found.append(tag.with_attribute(text, value.feature, value.value))
    return found + list(_added_xmi(text, [(element, tags[element]) for element in children], wanted))


class NewAnnotation(NamedTuple):
    """An annotation to add: its type, the id of the span that it covers, and its features."""

    type: str
    over: str
    features: Mapping[str, str]


def with_annotations(source: Source, annotations: Sequence[NewAnnotation]) -> bytes:
    """Return an XMI file with more annotations. Everything else stays byte for byte.

    An annotation over a span that the file does not have, or in a text without a view, is left out.
    """
    editable = EditableText(source)
    text = editable.text
    root = parse(Source(source.path, source.data, source.options))
    children = list(root.iterchildren("*"))
    tags = tags_of(root, markup(text))
    spans = {element.get(ID): element for element in reversed(children) if element.get("begin") is not None}
    views = {element.get("sofa"): tags[element] for element in reversed(children) if element.tag == VIEW}
    ids = _free_xmi_ids(children, xmi_cas(root))
    found: list[Splice] = []
    members: dict[str | None, list[str]] = {}
    for each in annotations:
        span = spans.get(each.over)
        view = None if span is None else views.get(span.get("sofa"))
        if span is None or view is None:
            continue
        name = ids.give()
        members.setdefault(span.get("sofa"), []).append(name)
        place = {key: span.get(key) or "" for key in ("sofa", "begin", "end")}
        prefix = _id_name(text, tags[span])
        written = _element(root, each.type, {prefix: name, **place, **each.features})
        found.append(Splice(view.start, view.start, written + (blanks_before(text, view) or "")))
    found += [_with_ids(text, views[sofa], "members", names, gone=()) for sofa, names in members.items()]
    return editable.spliced(found)


def _element(root: _Element, type_name: str, values: Mapping[str, str]) -> str:
    """Return an element of a type. Its namespace is declared on it, unless the file has a prefix for it."""
    package, _, name = type_name.rpartition(".")
    if not re.fullmatch(r"[A-Za-z_][\w.]*", type_name) or not all(re.fullmatch(r"(\w+:)?\w+", key) for key in values):
        raise UsageError(f"{shown(type_name)} and its features must be names of XML")
    namespace = f"http:///{package.replace('.', '/')}.ecore"
    prefix = next((key for key, value in root.nsmap.items() if key and value == namespace), None)
    declared = "" if prefix else f' xmlns:layer="{namespace}"'
    attributes = "".join(f' {key}="{in_attribute(value)}"' for key, value in values.items())
    return f"<{prefix or 'layer'}:{name}{declared}{attributes}/>"


def _free_xmi_ids(children: Sequence[_Element], stated: Cas) -> FreeIds:
    """Return the source of new ids. Ids that lists mention are not free, though nothing may have them."""
    views = (name for element in children for name in (element.get("members") or "").split())
    values = (value for each in stated.structures for key, value in each.features.items() if key not in OFFSETS)
    lists = (name for value in values for name in value.split() if name.isdigit())
    arrays = (name for names in stated.arrays.values() for name in names)
    ids = [name for element in children if (name := element.get(ID) or "").isdigit()]
    return FreeIds(ids, (*views, *lists, *arrays), usual="")


def _added_xmi(text: str, children: Sequence[tuple[_Element, Tag]], plan: CasPlan) -> Iterator[Splice]:
    """Yield the new elements, and their ids in lists."""
    for new in plan.new:
        element, tag = children[new.like]
        yield _behind(text, tag, {_id_name(text, tag): new.id, **new.features})
    by_id = {element.get(ID): tag for element, tag in children if element.tag == ARRAY}
    for array in plan.new_arrays.values():
        tag = by_id[array.like]
        yield _behind(text, tag, {_id_name(text, tag): array.id, "elements": " ".join(array.elements)})
        yield children[array.owner][1].with_attribute(text, array.feature, array.id)
    for (place, feature), added in plan.to_features.items():
        yield _with_ids(text, children[place][1], feature, added, gone=plan.from_features.get((place, feature), ()))
    for name, added in plan.to_arrays.items():
        yield _with_ids(text, by_id[name], "elements", added, gone=plan.from_arrays.get(name, ()))
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


def _without_xmi(text: str, attribute: Attribute, ids: Collection[str], *, with_attribute: bool) -> Iterator[Splice]:
    """Take ids out of a list: each with the blank before it, or behind it if none stays before it."""
    words = list(_WORD.finditer(text, attribute.value_start, attribute.value_end))
    gone = {number for number, word in enumerate(words) if word[0] in ids}
    if len(gone) < len(words):
        yield from cut_out([Value(*word.span()) for word in words], gone)
    elif gone:
        yield Splice(attribute.start if with_attribute else attribute.value_start, attribute.value_end + with_attribute)
