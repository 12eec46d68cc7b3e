"""The links of a document while they are edited, with every step kept for undo and redo. Nothing here reasons."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from temporacle.errors import LabelError, UsageError
from temporacle.io.builder import with_unique_ids
from temporacle.io.edit.edits import Edits, NewLink, time_and_attribute, values_in, with_values
from temporacle.model import Entity, Kind, Link
from temporacle.printing import first_of, shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from temporacle.model import Document
    from temporacle.relation import Relation

    Triple = tuple[str, str, str]  # source, label, target

T = TypeVar("T")


class Step(NamedTuple):
    """One step of editing: for each id that it touches, what stands there before the step and what after it."""

    links: Mapping[str, tuple[Link | None, Link | None]]  # None: no such link
    comments: Mapping[str, tuple[str | None, str | None]]
    added: tuple[str, ...] = ()  # ids of new links
    entities: tuple[str, ...] = ()  # names of entities that no link had before
    values: Mapping[str, tuple[str | None, str | None]] = {}  # by the ids of values ("t3", "t5.beginPoint")

    def reversed(self) -> Step:
        return Step(_turned(self.links), _turned(self.comments), values=_turned(self.values))

    @property
    def touched(self) -> frozenset[str]:
        """Return the ids of the links that the step adds or gives another label."""
        return frozenset(name for name, (before, after) in self.links.items() if after not in {None, before})


def _turned(changes: Mapping[str, tuple[T, T]]) -> dict[str, tuple[T, T]]:
    return {name: (after, before) for name, (before, after) in changes.items()}


class History:
    """A document as it was opened, the links that stand now, and the steps between them.

    A document *declares* entities if it describes one or has one without links. New links then join these entities;
    in other documents, such as link tables, they may bring new ones.

    >>> from temporacle.model import Document
    >>> history = History(Document("ferry", [("left", "BEFORE", "docked")]))
    >>> history.take(history.step(add=[("docked", "AFTER", "left")]))
    >>> [link.id for link in history.links()]
    ['l1', 'l2']
    >>> history.undo().touched
    frozenset()
    >>> [link.id for link in history.links()]
    ['l1']
    """

    def __init__(self, opened: Document) -> None:
        links = with_unique_ids(opened.links)
        ends = dict.fromkeys(end for link in links for end in link.entities)
        self._entities = {**dict.fromkeys(opened.entity_ids), **ends}
        self._is_closed = declares_entities(opened)
        self.opened = replace(opened, links=tuple(links))
        self.comments: dict[str, str] = {}
        self.done: list[Step] = []
        self.undone: list[Step] = []
        self._original = {link.id: link for link in links}
        self._present = dict(self._original)
        self._ordered = tuple(links)  # what ``links`` returns until the next step
        self._document: Document | None = None  # what ``document`` returns until then
        self._places = {link.id: place for place, link in enumerate(links)}  # the order of links, removed ones included
        self.set_values: dict[str, str | None] = {}  # values that are not as they were opened, by their ids
        self._names = 1 + max((int(link.id[1:]) for link in links if _is_numbered(link.id)), default=0)
        self._added = 0  # by the steps that are done

    # --- what stands now --------------------------------------------------------------------------------------------

    @property
    def entities(self) -> tuple[str, ...]:
        """Return the entities of the document, those without links, too."""
        return tuple(self._entities)

    def links(self, step: Step | None = None) -> tuple[Link, ...]:
        """Return the links in order, as they stand now or would stand after a step."""
        if step is None:
            return self._ordered
        changed = {name: after for name, (_, after) in step.links.items()}
        places = self._places
        if not any(name in places for name in changed):  # new links are the last: thousands of others need no sorting
            return (*self._ordered, *filter(None, changed.values()))
        stands = filter(None, {**self._present, **changed}.values())
        return tuple(sorted(stands, key=lambda link: places.get(link.id, len(places))))

    def document(self, step: Step | None = None, entities: Iterable[str] = ()) -> Document:
        """Return the document as it stands now or would stand after a step, perhaps with more entities."""
        if step is None and not entities:
            self._document = self._document or self._made(None, ())
            return self._document
        return self._made(step, entities)

    def _made(self, step: Step | None, entities: Iterable[str]) -> Document:
        names = tuple(dict.fromkeys((*self._entities, *entities)))
        changed = replace(self.opened, links=self.links(step), entity_ids=names)
        values = {**self.set_values, **{name: after for name, (_, after) in (step.values if step else {}).items()}}
        return with_values(changed, values)

    @cached_property
    def _opened_values(self) -> dict[str, str | None]:
        """What times say, by ids: of a time its value ("t3"), and the times that it names ("t3.beginPoint")."""
        return {name: value for time in reversed(self.opened.times) for name, value in values_in(time).items()}

    def edits(self) -> Edits:
        """Return what differs from the document as it was opened."""
        original, present, comments = self._original, self._present, self.comments
        return Edits(
            drop=frozenset(original.keys() - present.keys()),
            relabel={
                name: present[name].label
                for name, link in original.items()
                if name in present and present[name].label != link.label
            },
            comment={name: text for name, text in comments.items() if name in original},
            add=tuple(
                NewLink(link.source, link.label, link.target, link.id, comments.get(link.id))
                for link in self.links()
                if link.id not in original
            ),
            values=dict(self.set_values),
        )

    # --- steps ------------------------------------------------------------------------------------------------------

    def step(
        self,
        add: Iterable[Triple] = (),
        remove: Iterable[str] = (),
        relabel: Mapping[str, str] | None = None,
        comment: Mapping[str, str] | None = None,
        set_value: Mapping[str, str | None] | None = None,
    ) -> Step:
        """Return the step that these changes are. Raise UsageError if they cannot be made."""
        gone = dict.fromkeys((remove,) if isinstance(remove, str) else remove)
        values = {name: (self._value(name), _value(name, new)) for name, new in (set_value or {}).items()}
        for name in [each for each in gone if each not in self._present]:
            if isinstance(name, str) and self._opened_values.get(name):
                del gone[name]
                values[name] = self._value(name), None
        relabel, comment = relabel or {}, comment or {}
        self.require((*gone, *relabel, *comment))
        if both := [name for name in (*relabel, *comment) if name in gone]:
            raise UsageError(f"link {shown(both[0])} cannot be removed and also relabelled or commented")
        links: dict[str, tuple[Link | None, Link | None]] = {name: (self._present[name], None) for name in gone}
        for name, label in relabel.items():
            before = self._present[name]
            links[name] = before, before._replace(relation=self.meaning(label), label=label)
        added = []
        names: dict[str, None] = {}
        for number, triple in enumerate(add, self._names + self._added):
            new = self._new_link(f"l{number}", triple)
            links[new.id] = None, new
            added.append(new.id)
            names.update(dict.fromkeys(end for end in new.entities if end not in self._entities))
        comments = {name: (self.comments.get(name), text or None) for name, text in comment.items()}
        comments.update((name, (self.comments[name], None)) for name in gone if name in self.comments)
        return Step(links, comments, tuple(added), tuple(names), values)

    def take(self, step: Step) -> None:
        """Make a step. What was undone before can no longer be redone."""
        self._forward(step)
        self.undone.clear()

    def undo(self) -> Step:
        """Take the last step back and return the step that this is."""
        if not self.done:
            raise UsageError("there is nothing to undo")
        step = self.done.pop()
        self.undone.append(step)
        back = step.reversed()
        self._apply(back)
        self._added -= len(step.added)
        for name in step.entities:
            del self._entities[name]
        return back

    def redo(self) -> Step:
        """Make the step again that was undone last, and return it."""
        if not self.undone:
            raise UsageError("there is nothing to redo")
        step = self.undone.pop()
        self._forward(step)
        return step

    def _forward(self, step: Step) -> None:
        self._apply(step)
        self._added += len(step.added)
        self._entities.update(dict.fromkeys(step.entities))
        self.done.append(step)

    def require(self, names: Iterable[str]) -> None:
        """Raise UsageError if there is no link of one of these ids."""
        for name in names:
            if not isinstance(name, str):
                raise UsageError(f"the id of a link must be a text, and {name!r:.80} is not")
            if name not in self._present:
                listed = first_of(self._present)
                raise UsageError(f"document {shown(self.opened.id)} has no link {shown(name)}; its links: {listed}")

    def _value(self, name: str) -> str | None:
        if name not in self._opened_values:
            listed = first_of([each for each in self._opened_values if time_and_attribute(each)[0] == each])
            raise UsageError(f"document {shown(self.opened.id)} has no time {shown(name)}; its times: {listed}")
        return self.set_values[name] if name in self.set_values else self._opened_values[name]

    def require_pair(self, source: str, target: str) -> None:
        """Raise UsageError unless these are two entities that the document has or may get."""
        for name in (source, target):
            self.require_entity(name)
        if source == target:
            raise UsageError(f"a pair needs two different entities, and both are {shown(source)}")

    def require_entity(self, name: str) -> None:
        """Raise UsageError if the document declares entities, but not this one."""
        if not isinstance(name, str) or not name.strip():
            raise UsageError(f"the name of an entity must be a text, and {name!r:.80} is not")
        if self._is_closed and name not in self._entities:
            listed = first_of(self._entities)
            raise UsageError(f"document {shown(self.opened.id)} has no entity {shown(name)}; its entities: {listed}")

    def meaning(self, label: str) -> Relation:
        """Return the relation of a label of the document's reading. Raise UsageError if it has none."""
        if not isinstance(label, str):
            raise UsageError(f"a label must be a text, and {label!r:.80} is not")
        try:
            return self.opened.reading.relation(label)
        except LabelError as error:
            raise UsageError(str(error)) from None

    def _new_link(self, name: str, triple: Triple) -> Link:
        if isinstance(triple, str) or len(triple) != 3:
            raise UsageError(f'a link to add is {triple!r:.80}: expected a triple such as ("left", "BEFORE", "docked")')
        source, label, target = triple
        self.require_entity(source)
        self.require_entity(target)
        return Link(name, source, self.meaning(label), target, label)

    def _apply(self, step: Step) -> None:
        self._ordered, self._document = self.links(step), None
        for name, (_, after) in step.links.items():
            self._places.setdefault(name, len(self._places))
            _put(self._present, name, after)
        for name, (_, text) in step.comments.items():
            _put(self.comments, name, text)
        for name, (_, value) in step.values.items():
            self.set_values[name] = value
            if value == self._opened_values[name]:
                del self.set_values[name]


def _value(name: str, new: str | None) -> str | None:
    if new is not None and not (isinstance(new, str) and new.strip()):
        raise UsageError(f"the new value of {shown(name)} is {new!r:.80}; give one such as 1998-02-09")
    if new is not None and time_and_attribute(name)[0] != name:
        raise UsageError(f"{shown(name)} names another time: it can be removed, not changed")
    return new and new.strip()


def _put(table: dict[str, T], name: str, value: T | None) -> None:
    if value is None:
        table.pop(name, None)
    else:
        table[name] = value


def declares_entities(document: Document) -> bool:
    """Return whether a document describes its entities, or has one without links. If so, links join these alone."""
    ends = {end for link in document.links for end in link.entities}
    return not ends.issuperset(document.entity_ids) or any(map(_is_described, document.entities))


def _is_described(entity: Entity) -> bool:
    """Return whether something is known of an entity beside its name and kind."""
    return entity._replace(kind=Kind.UNKNOWN) != Entity(entity.id)


def _is_numbered(name: str) -> bool:
    return re.fullmatch(r"l[0-9]{1,12}", name) is not None
