"""UIMA CAS: what to change for some edits, whatever the file is written in.

A link goes with its id in the list that holds it and in the members of its view; there only if no span has the same
id. A note goes to a string feature that the project declares (``comment`` of the mapping): of the relation, or of the
span that a link feature belongs to.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from temporacle.io.edit.cas_new import NewLinks
from temporacle.io.edit.cas_plan import NewValue, Plan
from temporacle.io.edit.edits import NoPlaceForNotesError, in_step, is_named, joined_notes
from temporacle.io.tools import cas, names
from temporacle.io.tools.assembly import DOCTIMEREL, label_place
from temporacle.io.tools.mapping import fits, mapping_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from temporacle.io.edit.edits import Edits, NewLink
    from temporacle.io.edit.ids import FreeIds
    from temporacle.io.source import Source
    from temporacle.model import Document


def plan(
    source: Source, found: cas.Cas, documents: Sequence[Document], edits: Mapping[str, Edits], ids: FreeIds
) -> Plan:
    """Return the changes to make in a file. ``ids``: gives ids to new structures."""
    mapping = mapping_of(source)
    parts = cas.Parts.of(found, mapping)
    result = Plan()
    for sofa, document in zip(found.sofas, documents, strict=True):
        if (wanted := edits.get(document.id)) is not None:
            _Planner(source, found, parts, result, ids).add(sofa, document, wanted)
    return result


class _Planner:
    """The edits of one document."""

    def __init__(self, source: Source, found: cas.Cas, parts: cas.Parts, result: Plan, ids: FreeIds) -> None:
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
        for name in edits.drop:
            if name in doctimerels:
                feature = self._doctimerel(doctimerels[name])
                self.plan.values.append(NewValue(doctimerels[name].place, feature, None))
            else:
                self._remove(links[name])
        for name, label in edits.relabel.items():
            if name in doctimerels:
                feature = self._doctimerel(doctimerels[name])
                self.plan.values.append(NewValue(doctimerels[name].place, feature, label))
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

    def _remove(self, link: cas.Stated) -> None:
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
        links: Mapping[str, cas.Stated],
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
