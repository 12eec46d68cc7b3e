"""TimeML and TempEval-1: TLINK elements.

A dropped link goes with the white space before it, unless that is part of the document's text. A note is an XML
comment directly behind the link.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from temporacle.errors import UsageError
from temporacle.io.edit.edits import NOTE, FreeIds, Splice, plain_note, time_and_attribute
from temporacle.io.edit.places import blanks_before, element_like, in_comment, markup, tags_of
from temporacle.io.source import Source
from temporacle.io.timeml.read import creation_times, declared_in, name_of, text_element, traced_tree
from temporacle.io.xml import parse, qualified

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from lxml.etree import _Element

    from temporacle.io.edit.edits import Edits, NewLink
    from temporacle.io.edit.places import Comment, Markup, Tag
    from temporacle.model import Document, Link

_READINGS = {"timeml": "timeml", "tempeval1": "tempeval"}


def splices(text: str, source: Source, documents: Sequence[Document], edits: Mapping[str, Edits]) -> list[Splice]:
    """Return the replacements in the text of a TimeML file."""
    name = source.format or "timeml"
    again = Source(source.path, source.data, source.options, format=name)
    root = parse(again)
    document, used = traced_tree(again, root, name, _READINGS[name])
    links = {link.id: element for link, element in zip(document.links, used, strict=True)}
    readable = set(used)
    for element in root.iter(qualified(root, "TLINK")):
        if element not in readable:  # it can be dropped, or fixed by another label
            links.setdefault(name_of(element, has_tasks=name == "tempeval1"), element)
    wanted = edits[documents[0].id]
    wanted.require(links, document.id)
    found = markup(text)
    tags = tags_of(root, found)
    notes = _notes(found.comments)
    inside = text_element(root)
    result: list[Splice] = []
    for link, element in links.items():
        result += _changes(text, link, tags[element], notes, wanted, is_in_text=_is_in(element, inside))
    if wanted.values:
        times = {element.get("tid"): tags[element] for element in reversed(list(root.iter(qualified(root, "TIMEX3"))))}
        for name, value in wanted.values.items():
            time, attribute = time_and_attribute(name)
            tag = times[time]
            if value is None:
                result += tag.without_attribute(text, attribute)
            else:
                result.append(tag.with_attribute(text, attribute, value))
    if wanted.add:
        result += NewElements(text, root, found, list(map(Stated, document.links, used))).splices(wanted.add)
    return result


def _changes(
    text: str, link: str, tag: Tag, notes: Mapping[int, Comment], edits: Edits, *, is_in_text: bool
) -> Iterator[Splice]:
    """Yield the changes to one link."""
    if link in edits.drop:
        yield tag.removed(text, with_blanks=not is_in_text)
    if (label := edits.relabel.get(link)) is not None:
        yield tag.with_attribute(text, "relType", label)
    end = tag.end
    while (note := notes.get(end)) is not None and edits.replaces(link):  # comments directly behind the link
        yield Splice(note.start, note.end)
        end = note.end
    if (comment := edits.comment.get(link)) is not None:
        yield Splice(tag.end, tag.end, f"<!-- {in_comment(plain_note(comment))} -->")


def _notes(comments: Sequence[Comment]) -> dict[int, Comment]:
    """Return Temporacle's notes by the place where they begin."""
    return {comment.start: comment for comment in comments if comment.content.lstrip().startswith(NOTE)}


def _is_in(element: _Element, other: _Element) -> bool:
    return any(above is other for above in element.iterancestors())


# ----------------------------------------------------------------------------------------------------
# New TLINK elements, written like the others of their file: names and order of attributes, quotes, blanks, ids.

_SOURCES = ("eventInstanceID", "timeID", "eventID", "from")
_TARGETS = ("relatedToEventInstance", "relatedToTime", "relatedToEvent", "to")
_USUAL = {"instance": 0, "time": 1, "event": 2}  # which of these names an entity of each kind has
_IDS = ("lid", "eid", "eiid", "tid", "sid")  # the DTD wants them all to be different
_OWN = frozenset((*_SOURCES, *_TARGETS, "lid", "relType", "task"))
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
            source, target = self._attribute(_SOURCES, new.source), self._attribute(_TARGETS, new.target)
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

    def _attribute(self, names: Sequence[str], entity: str) -> str:
        """Return the attribute that names an entity of this kind, as the last link with such an entity does."""
        kind = self._kinds.get(entity)
        if kind is None:
            raise UsageError(f"{entity} is not declared in the file: declare it first (EVENT, MAKEINSTANCE or TIMEX3)")
        return self._used.get((names, kind), names[_USUAL[kind]])

    @cached_property
    def _used(self) -> dict[tuple[Sequence[str], str | None], str]:
        """Return the attributes that links use for the kinds of entities, separately for sources and targets."""
        found: dict[tuple[Sequence[str], str | None], str] = {}
        for link, element in self._links:
            for names, entity in ((_SOURCES, link.source), (_TARGETS, link.target)):
                if (name := next((name for name in names if element.get(name) == entity), None)) is not None:
                    found[names, self._kinds.get(entity)] = name
        return found

    @cached_property
    def _models(self) -> dict[frozenset[str], _Element]:
        """Return the last link with each set of attributes, of those that a new link has."""
        return {frozenset(map(str, element.attrib)) & _OWN: element for _, element in self._links}

    def _task(self, new: NewLink) -> dict[str, str]:
        """Return the task of a new link in files that have tasks: that of links between entities of the same kinds."""
        if not self._tasks:
            return {}
        task = self._tasks.get(self._task_kinds(new))
        if task is None:
            raise UsageError(
                f"{new.said} cannot be added: no link of the file joins entities of these kinds, so its task is not"
                " known; add it by hand"
            )
        return {"task": task}

    @cached_property
    def _tasks(self) -> dict[frozenset[str], str]:
        """Return the tasks of links by the kinds of entities that they join."""
        return {self._task_kinds(link): link.task for link, _ in self._links if link.task is not None}

    def _task_kinds(self, link: Link | NewLink) -> frozenset[str]:
        return frozenset(
            "creation time" if end == self._dct else "time" if self._kinds.get(end) == "time" else "event"
            for end in (link.source, link.target)
        )

    def _written(self, values: dict[str, str], source: str, target: str, last: _Element) -> str:
        if not self._links:
            tag = self._tags[last]
            name = tag.name.removesuffix(tag.local_name) + "TLINK"
            return element_like(self._text, tag, values, name=name)
        model = self._models.get(frozenset(values), last)
        instead = {name: source for name in _SOURCES if model.get(name)}
        instead |= {name: target for name in _TARGETS if model.get(name)}
        return element_like(self._text, self._tags[model], values, instead=instead)
