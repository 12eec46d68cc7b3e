"""New TLINK elements, written like the others of their file: names and order of attributes, quotes, blanks, ids."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from temporacle.errors import UsageError
from temporacle.io.edit.edits import plain_note
from temporacle.io.edit.ids import FreeIds
from temporacle.io.edit.text import Splice
from temporacle.io.edit.xml_tags import blanks_before, element_like, in_comment, tags_of
from temporacle.io.timeml import creation_times, declared_in
from temporacle.io.timeml_body import text_element

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from lxml.etree import _Element

    from temporacle.io.edit.edits import NewLink
    from temporacle.io.edit.xml_tags import Markup
    from temporacle.model import Link

_SOURCES = ("eventInstanceID", "timeID", "eventID", "from")
_TARGETS = ("relatedToEventInstance", "relatedToTime", "relatedToEvent", "to")
_USUAL = {"instance": 0, "time": 1, "event": 2}  # which of these names an entity of each kind has
_IDS = ("lid", "eid", "eiid", "tid", "sid")  # the DTD wants them all to be different
_BEFORE_LINKS = {"MAKEINSTANCE", "SLINK", "ALINK"}


class Stated(NamedTuple):
    """A link of the document with its element."""

    link: Link
    element: _Element


class NewElements:
    """Writes the new links of a file."""

    def __init__(self, text: str, root: _Element, found: Markup, links: Sequence[Stated]) -> None:
        self._text = text
        self._root = root
        self._tags = tags_of(root, found)
        self._ends_of_comments = {comment.start: comment.end for comment in found.comments}
        self._links = links
        declared = declared_in(root)
        self._kinds = {
            **dict.fromkeys(declared.tids, "time"),
            **dict.fromkeys(declared.loose, "event"),
            **dict.fromkeys(declared.instances, "instance"),
        }
        self._dct = next((element.get("tid") for element in creation_times(root)), None)

    def splices(self, added: Iterable[NewLink]) -> Iterator[Splice]:
        """Yield the insertions: all of them behind the last link."""
        last = self._last()
        tag = self._tags[last]
        inside = text_element(self._root)
        is_in_text = any(above is inside for above in last.iterancestors())
        blanks = "" if is_in_text else blanks_before(self._text, tag)
        place = tag.end
        while place in self._ends_of_comments:  # what is said about that link stays with it
            place = self._ends_of_comments[place]
        elements = list(self._root.iter("*"))
        lids = [lid for element in elements if (lid := element.get("lid"))]
        ids = FreeIds(lids, (value for element in elements for name in _IDS if (value := element.get(name))))
        has_ids = not self._links or any(each.element.get("lid") for each in self._links)
        for new in added:
            source = self._attribute(_SOURCES, new.source, [(each.link.source, each.element) for each in self._links])
            target = self._attribute(_TARGETS, new.target, [(each.link.target, each.element) for each in self._links])
            values = {"lid": ids.give(new.id)} if has_ids else {}
            values |= {"relType": new.label, source: new.source, target: new.target, **self._task(new)}
            written = self._written(values, source, target, last)
            note = f"<!-- {in_comment(plain_note(new.comment))} -->" if new.comment else ""
            yield Splice(place, place, blanks + written + note)

    def _last(self) -> _Element:
        """Return the element that links are put behind: the last link, or else what links usually follow."""
        if self._links:
            return self._links[-1].element
        children = list(self._root.iterchildren("*"))
        usual = [each for each in children if str(each.tag).rpartition("}")[2] in _BEFORE_LINKS]
        return (usual or children)[-1]

    def _attribute(self, names: Sequence[str], entity: str, ends: Sequence[tuple[str, _Element]]) -> str:
        """Return the attribute that names an entity of this kind, as other links do."""
        kind = self._kinds.get(entity)
        if kind is None:
            raise UsageError(f"{entity} is not declared in the file: declare it first (EVENT, MAKEINSTANCE or TIMEX3)")
        for other, element in reversed(ends):
            if self._kinds.get(other) == kind:
                for name in names:
                    if element.get(name) == other:
                        return name
        return names[_USUAL[kind]]

    def _task(self, new: NewLink) -> dict[str, str]:
        """Return the task of a new link in files that have tasks: that of links between entities of the same kinds."""
        if all(each.link.task is None for each in self._links):
            return {}
        wanted = self._task_kinds(new)
        for each in reversed(self._links):
            if each.link.task is not None and self._task_kinds(each.link) == wanted:
                return {"task": each.link.task}
        raise UsageError(
            f"{new.said} cannot be added: no link of the file joins entities of these kinds, so its task is not known;"
            " add it by hand"
        )

    def _task_kinds(self, link: Link | NewLink) -> set[str]:
        return {
            "creation time" if end == self._dct else "time" if self._kinds.get(end) == "time" else "event"
            for end in (link.source, link.target)
        }

    def _written(self, values: dict[str, str], source: str, target: str, last: _Element) -> str:
        if not self._links:
            tag = self._tags[last]
            name = tag.name.removesuffix(tag.local_name) + "TLINK"
            return element_like(self._text, tag, values, name=name)
        elements = [each.element for each in reversed(self._links)]
        model = next((each for each in elements if all(each.get(name) for name in values)), elements[0])
        instead = {name: source for name in _SOURCES if model.get(name)}
        instead |= {name: target for name in _TARGETS if model.get(name)}
        return element_like(self._text, self._tags[model], values, instead=instead)
