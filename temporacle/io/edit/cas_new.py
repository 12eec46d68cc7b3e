"""New links of a CAS, written like another link of the document: as a relation, or in a list of the source span.

Names of layers and features are those of a project, so without a link to imitate nothing is added.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from temporacle.errors import UsageError
from temporacle.io.edit.cas_plan import NewArray, NewMember, NewStructure
from temporacle.io.edit.edits import plain_note
from temporacle.io.tools import cas
from temporacle.io.tools.assembly import label_place
from temporacle.printing import shown

if TYPE_CHECKING:
    from collections.abc import Mapping as Table
    from collections.abc import Sequence

    from temporacle.io.edit.cas_plan import Plan
    from temporacle.io.edit.edits import NewLink
    from temporacle.io.edit.ids import FreeIds
    from temporacle.io.tools.mapping import Mapping
    from temporacle.model import Link


class NewLinks:
    """Plans the new links of one text."""

    def __init__(self, found: cas.Cas, sofa: cas.Sofa, mapping: Mapping | None, plan: Plan, ids: FreeIds) -> None:
        self._cas = found
        self._sofa = sofa
        self._mapping = mapping
        self._plan = plan
        self._ids = ids
        self._models: dict[str, list[tuple[Link, cas.Stated]]] = {}  # by the type of the source

    def add(
        self, new: NewLink, spans: Table[str, cas.Structure], read: Sequence[tuple[Link, cas.Stated]]
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
        self, new: NewLink, source: cas.Structure, read: Sequence[tuple[Link, cas.Stated]]
    ) -> tuple[Link, cas.Stated, str | None]:
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


def _end(model: cas.Stated, entity: str, label: str | None, *usual: str) -> str:
    """Return the feature of a link that names one of its ends."""
    features = model.structure.features
    found = [key for key, value in features.items() if value == entity and key not in ("sofa", *cas.OFFSETS, label)]
    return next((key for key in usual if key in found), found[0])
