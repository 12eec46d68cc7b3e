"""Compare versions of a document pair by pair of entities: what is agreed, and where they differ.

Pairs about which all mean the same are agreed, whatever the labels and the direction. The other versions are first put
into the words of the first: their entities (by ids, or by their places in the text) and their labels.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from temporacle.editing.history import declares_entities
from temporacle.editing.session import Session
from temporacle.errors import LabelError, UsageError
from temporacle.io.edit.edits import Edits, NewLink, changed_values
from temporacle.model import Body, Document, Entity, Link
from temporacle.printing import shown
from temporacle.relation import EVERYTHING, Relation
from temporacle.scoring.alignment import ids_look_aligned, with_common_names
from temporacle.scoring.metric import Align

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence

    from temporacle.calendar.policy import Calendar
    from temporacle.model import Remark
    from temporacle.readings import Reading

Links: TypeAlias = tuple[Link, ...]


class Difference(NamedTuple):
    """A pair of entities about which the sides do not all mean the same."""

    number: int  # in the order of the text
    source: str
    target: str
    sides: tuple[Links, ...]  # with labels and entities of the first document

    @property
    def pair(self) -> Pair:
        return pair_of(self.source, self.target)


class LeftOut(NamedTuple):
    """A link of another side that the first document cannot have."""

    link: Link
    why: str
    side: int  # from 0


@dataclass(frozen=True, slots=True)
class ComparedVersions:
    """Versions of a document, in the words of the first."""

    versions: tuple[Document, ...]  # with labels and entities of the first, without the links that are left out
    base: Document  # the first with the agreed links alone
    differences: tuple[Difference, ...]
    left_out: tuple[LeftOut, ...]
    warnings: tuple[Remark, ...]


def compared(versions: Sequence[Document], align: str | None = None) -> ComparedVersions:
    """Compare documents. ``align``: how to match entities, "ids" or "spans"; None: what the documents suggest."""
    first, *others = versions
    common = [
        with_common_names(first, each, suggested_alignment(first, each) if align is None else Align(align))
        for each in others
    ]
    entities = _entities(first, [each.system for each in common])
    left_out: list[LeftOut] = []
    own = [first]
    known = set(entities)
    for side, each in enumerate(common, 1):
        links = []
        for link in each.system.links:
            label = label_for(link, first.reading)
            why = _why_left_out(link, label, known, first)
            if why is not None:
                left_out.append(LeftOut(link, why, side))
            else:
                links.append(link._replace(label=label or ""))
        own.append(replace(each.system, links=tuple(links)))
    agreed, found = _agreed_and_different([each.links for each in own])
    differences = tuple(each._replace(number=number) for number, each in enumerate(_in_text_order(found, own)))
    body = first.body if declares_entities(first) else Body(tuple(map(Entity, entities)))
    base = replace(first, links=agreed, entity_ids=entities, body=body)
    warnings = tuple(dict.fromkeys(remark for each in common for remark in each.warnings))
    return ComparedVersions(tuple(own), base, differences, tuple(left_out), warnings)


def _why_left_out(link: Link, label: str | None, entities: set[str], first: Document) -> str | None:
    """Return why the first document cannot have a link of the second; None if it can."""
    if link.source == link.target:
        return "it links an entity to itself"
    for end in link.entities:
        if end not in entities:
            return f"the first document has no entity at the place of {shown(end.removeprefix('system:'))}"
    return f"label set {first.reading.name} has no label for {link.relation}" if label is None else None


def suggested_alignment(first: Document, second: Document) -> Align:
    """Return how to match entities: by ids, unless these stand for different things or few of them are in common."""
    places = {entity.id: entity.spans for entity in first.entities if entity.spans}
    others = {entity.id: entity.spans for entity in second.entities if entity.spans}
    if not places or not others:
        return Align.IDS
    is_same = all(places[name] == others[name] for name in places.keys() & others.keys())
    return Align.IDS if is_same and ids_look_aligned(first, second) else Align.SPANS


def _entities(first: Document, others: Iterable[Document]) -> tuple[str, ...]:
    """Return the entities of the third version: those of the first, and others only if it declares none."""
    own = (end for link in first.links for end in link.entities)
    more = () if declares_entities(first) else (end for each in others for link in each.links for end in link.entities)
    return tuple(dict.fromkeys((*first.entity_ids, *own, *more)))


def _agreed_and_different(sides: Sequence[Links]) -> tuple[Links, tuple[Difference, ...]]:
    """Return the agreed links, as the first side states them, and the differences.

    Links of an entity to itself are kept: they are not about a pair.
    """
    tables = [by_pair(links) for links in sides]
    agreed: set[Pair] = set()
    found: list[Difference] = []
    for pair in dict.fromkeys(pair for table in tables for pair in table):
        first, *others = stated = [tuple(table.get(pair, ())) for table in tables]
        if pair[0] == pair[1] or all(each and mean_the_same(first, each) for each in others):
            agreed.add(pair)
        else:
            ends = next(links[0].entities for links in stated if links)
            found.append(Difference(len(found), *ends, tuple(stated)))
    return tuple(link for link in sides[0] if pair_of(*link.entities) in agreed), tuple(found)


def _in_text_order(differences: Iterable[Difference], versions: Iterable[Document]) -> list[Difference]:
    """Return differences in the order in which a reader of the text meets the second of their entities."""
    places: dict[str, tuple[int, int]] = {}
    for entity in (entity for each in versions for entity in each.entities):
        if entity.spans:
            places.setdefault(entity.id, min(entity.spans))
        elif entity.is_dct:
            places.setdefault(entity.id, (-1, -1))
    unknown = (1 << 60, 0)

    def place(difference: Difference) -> list[tuple[int, int]]:
        return sorted((places.get(end, unknown) for end in difference.pair), reverse=True)

    return sorted(differences, key=place)


def label_for(link: Link, reading: Reading) -> str | None:
    """Return a label of a reading for the relation of a link: its own one, if it means the same; None if there is none.

    >>> from temporacle.model import Document
    >>> from temporacle.readings import load_reading
    >>> link = Document("d", [("a", "b", "c")]).links[0]
    >>> label_for(link, load_reading("timeml")), label_for(link, load_reading("allen"))
    ('BEFORE', 'b')
    """
    try:
        if reading.relation(link.label) == link.relation:
            return link.label
    except LabelError:
        pass
    named = next((label for label, relation in reading.labels.items() if relation == link.relation), None)
    return str(link.relation) if named is None and reading.atoms else named


# ----------------------------------------------------------------------------------------------------
# Links by the pair of entities that they join, whatever their direction, and what they mean together.

Pair: TypeAlias = tuple[str, str]
"""Two entities in the order of their names: one name for both directions."""


def pair_of(source: str, target: str) -> Pair:
    """Return the pair of two entities."""
    return (source, target) if source <= target else (target, source)


def by_pair(links: Iterable[Link]) -> dict[Pair, list[Link]]:
    """Return links by pair, in the order in which pairs are first mentioned."""
    found: dict[Pair, list[Link]] = {}
    for link in links:
        found.setdefault(pair_of(*link.entities), []).append(link)
    return found


def statements(links: Iterable[Link]) -> tuple[tuple[str, str, str], ...]:
    """Return what links state, word for word, without regard to order and ids."""
    return tuple(sorted((link.source, link.label, link.target) for link in links))


def meaning(links: Sequence[Link]) -> Relation | None:
    """Return the relation that links of one pair state together, in the direction of the pair; None without links.

    >>> from temporacle.model import Document
    >>> str(meaning(Document("d", [("b", "AFTER", "a")]).links))
    'b'
    """
    if not links:
        return None
    together = EVERYTHING
    for link in links:
        together &= link.relation if pair_of(*link.entities)[0] == link.source else link.relation.converse()
    return together


def mean_the_same(one: Sequence[Link], other: Sequence[Link]) -> bool:
    """Return whether links of one pair mean the same in two versions. Links that contradict each other mean nothing.

    >>> from temporacle.model import Document
    >>> mean_the_same(*(Document("d", [link]).links for link in [("a", "BEFORE", "b"), ("b", "AFTER", "a")]))
    True
    """
    return statements(one) == statements(other) or (meaning(one) == meaning(other) and bool(meaning(one)))


# ----------------------------------------------------------------------------------------------------
# Which links of two versions are the same. Links are matched by what they say; their ids do not matter.


class LinkChanges(NamedTuple):
    """The links in which two versions differ, in the order of the versions."""

    added: Links
    removed: Links
    relabelled: tuple[tuple[Link, Link], ...]  # same pair, another relation: before and after
    reworded: tuple[tuple[Link, Link], ...]  # same pair and relation, another label or direction

    @property
    def change_a_relation(self) -> bool:
        """Return whether a link states another relation than before."""
        return bool(self.added or self.removed or self.relabelled)


def link_changes(first: Iterable[Link], second: Iterable[Link]) -> LinkChanges:
    """Match the links of two versions: word for word, then by relation, then by pair of entities; each in their order.

    >>> from temporacle.model import Document
    >>> old = Document("d", [("a", "BEFORE", "b"), ("b", "BEFORE", "c"), ("c", "BEFORE", "d")])
    >>> new = Document("d", [("b", "AFTER", "a"), ("b", "MEETS", "c")])
    >>> found = link_changes(old.links, new.links)
    >>> [link.said for link in found.removed], [(a.said, b.said) for a, b in found.relabelled]
    (['c BEFORE d'], [('b BEFORE c', 'b MEETS c')])
    >>> [(a.said, b.said) for a, b in found.reworded]
    [('a BEFORE b', 'b AFTER a')]
    """
    before, after = tuple(first), tuple(second)
    left: dict[int, Link] = dict(enumerate(before))
    new: dict[int, Link] = dict(enumerate(after))
    _taken_out(left, new, lambda link: (link.source, link.label, link.target, link.relation))
    reworded = _taken_out(left, new, lambda link: (pair_of(*link.entities), meaning([link])))
    relabelled = _taken_out(left, new, lambda link: pair_of(*link.entities))
    return LinkChanges(tuple(new.values()), tuple(left.values()), relabelled, reworded)


def _taken_out(
    first: dict[int, Link], second: dict[int, Link], key: Callable[[Link], Hashable]
) -> tuple[tuple[Link, Link], ...]:
    """Take out links with equal keys, as many as there are on both sides, and return them in the order of the first."""
    waiting: dict[Hashable, list[int]] = {}
    for place in reversed(second):
        waiting.setdefault(key(second[place]), []).append(place)
    found = []
    for place, link in list(first.items()):
        if partners := waiting.get(key(link)):
            found.append((link, second.pop(partners.pop())))
            del first[place]
    return tuple(found)


# ----------------------------------------------------------------------------------------------------
# Three versions of a document: as it was opened (base), with my edits (mine), and as it is on the disk now (theirs).
#
# Links are compared pair by pair of entities. A pair *clashes* if both sides changed it and do not mean the same.

Side: TypeAlias = Literal["mine", "theirs"]


class Clash(NamedTuple):
    """A pair of entities whose links are not the same in all three versions."""

    source: str
    target: str
    base: Links
    mine: Links
    theirs: Links

    @property
    def is_changed_here(self) -> bool:
        return statements(self.mine) != statements(self.base)

    @property
    def is_changed_there(self) -> bool:
        return statements(self.theirs) != statements(self.base)

    @property
    def clash(self) -> bool:
        """Return whether both sides changed the pair in ways that do not mean the same."""
        return self.is_changed_here and self.is_changed_there and not mean_the_same(self.mine, self.theirs)

    def to_dict(self) -> dict[str, Any]:
        """Return the difference as the workbench sends it."""
        sides = {side: [link.to_dict() for link in getattr(self, side)] for side in ("base", "mine", "theirs")}
        return {"source": self.source, "target": self.target, **sides, "clash": self.clash}


@dataclass(frozen=True)
class ThreeWay:
    """The three versions and where they differ."""

    base: Document
    mine: Document
    theirs: Document

    @cached_property
    def differences(self) -> tuple[Clash, ...]:
        """Return the pairs that are not the same everywhere, in the order in which links mention them."""
        versions = [by_pair(document.links) for document in (self.base, self.mine, self.theirs)]
        found = []
        for pair in dict.fromkeys(pair for version in versions for pair in version):
            links = [tuple(version.get(pair, ())) for version in versions]
            if len({statements(each) for each in links}) > 1:
                ends = next(link.entities for side in links for link in side)
                found.append(Clash(*ends, *links))
        return tuple(found)

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison as the workbench sends it."""
        versions = {"base": self.base, "mine": self.mine, "theirs": self.theirs}
        links = {name: [link.to_dict() for link in document.links] for name, document in versions.items()}
        return {**links, "differences": [each.to_dict() for each in self.differences]}

    def rebased(
        self,
        take: Mapping[int, Side],
        comments: Mapping[str, str] | None = None,
        *,
        budget: float | None = None,
        calendar: Calendar | None = None,
    ) -> Session:
        """Return a session on their version with my changes on top of it.

        The changes are one step that can be undone. Notes at new links are another.

        ``take``: the side to take, by the number of a difference. Those that clash must be named; of the others the
        side counts that changed, and theirs if both changed to mean the same.
        ``comments``: my notes, by ids of my links. My values of times are kept; raise UsageError if theirs are others
        than before, too.
        """
        links = [link._replace(id=str(number)) for number, link in enumerate(self._wanted(take))]  # of two versions
        noted = {link.said: comments[link.id] for link in self.mine.links if comments and link.id in comments}
        notes = {link.id: noted[link.said] for link in links if link.said in noted}
        edits = edits_between(self.theirs.links, links, notes)
        values = self._values() if calendar is not None else {}
        session = Session(self.theirs, time_limit=budget, calendar=calendar)
        if edits or values:
            new = session.edit(
                add=[(each.source, each.label, each.target) for each in edits.add],
                remove=edits.drop,
                relabel=edits.relabel,
                comment=edits.comment,
                set_value=values,
            )
            later = {name: each.comment for name, each in zip(new, edits.add, strict=True) if each.comment}
            if later:  # ids of new links are known only now
                session.edit(comment=later)
        return session

    def _values(self) -> dict[str, str | None]:
        """Return my values that they do not have."""
        mine, theirs = changed_values(self.base, self.mine), changed_values(self.base, self.theirs)
        for name in mine.keys() & theirs.keys():
            if mine[name] != theirs[name]:
                said = " and ".join("nothing" if each[name] is None else str(each[name]) for each in (mine, theirs))
                raise UsageError(f"the value of {name} was changed here and in the file, to {said}: undo yours first")
        return {name: value for name, value in mine.items() if name not in theirs}

    def _wanted(self, take: Mapping[int, Side]) -> Iterable[Link]:
        """Yield the links of the merged version."""
        for number, side in take.items():
            if number not in range(len(self.differences)):
                raise UsageError(f"there is no difference {number}: the numbers are 0 to {len(self.differences) - 1}")
            if side not in {"mine", "theirs"}:
                raise UsageError(f"difference {number}: take mine or theirs, not {side!r:.40}")
        chosen: dict[Pair, Links] = {}
        for number, each in enumerate(self.differences):
            if each.clash and number not in take:
                raise UsageError(
                    f"difference {number} ({each.source}, {each.target}) was changed on both sides: take mine or theirs"
                )
            side = take.get(number, "theirs" if each.is_changed_there else "mine")
            chosen[pair_of(each.source, each.target)] = each.mine if side == "mine" else each.theirs
        for pair, links in by_pair(self.theirs.links).items():
            yield from chosen.pop(pair, tuple(links))
        for mine in chosen.values():
            yield from mine


def three_way(base: Document, mine: Document, theirs: Document) -> ThreeWay:
    """Compare three versions of a document.

    >>> from temporacle.model import Document
    >>> base = Document("d", [("a", "BEFORE", "b"), ("b", "BEFORE", "c")])
    >>> mine = Document("d", [("a", "AFTER", "b"), ("b", "BEFORE", "c")])
    >>> theirs = Document("d", [("a", "BEFORE", "b"), ("b", "AFTER", "c")])
    >>> merged = three_way(base, mine, theirs).rebased({})
    >>> [link.said for link in merged.document.links]
    ['a AFTER b', 'b AFTER c']
    """
    return ThreeWay(base, mine, theirs)


# ----------------------------------------------------------------------------------------------------
# The edits that lead from some links to others.

_NO_COMMENTS: Mapping[str, str] = MappingProxyType({})


def edits_between(before: Iterable[Link], after: Iterable[Link], comments: Mapping[str, str] = _NO_COMMENTS) -> Edits:
    """Return the edits that make the links before state what the links after state, as few as possible.

    Links are compared by what they state. Their ids only decide between equal ones, because in some formats an id is
    a position. A pair of entities that gets another label is relabelled. ``comments``: notes by ids of links after.
    No two links of one version have the same id.

    >>> from temporacle.model import Document
    >>> one = Document("d", [("a", "BEFORE", "b"), ("b", "BEFORE", "c")]).links
    >>> other = Document("d", [("b", "BEFORE", "c"), ("a", "AFTER", "b"), ("a", "BEFORE", "c")]).links
    >>> edits = edits_between(one, other)
    >>> edits.drop, edits.relabel, edits.add[0].said
    (frozenset(), {'l1': 'AFTER'}, 'a BEFORE c')
    """
    left, new = dict(enumerate(before)), dict(enumerate(after))
    same = [pair for key in (_same, _statement, _identity, _ends) for pair in _taken_out(left, new, key)]
    return Edits(
        drop=frozenset(link.id for link in left.values()),
        relabel={own.id: wanted.label for own, wanted in same if own.label != wanted.label},
        comment={own.id: comments[wanted.id] for own, wanted in same if wanted.id in comments},
        add=tuple(
            NewLink(link.source, link.label, link.target, link.id, comments.get(link.id)) for link in new.values()
        ),
    )


def _same(link: Link) -> Hashable:
    return link.id, link.source, link.label, link.target


def _statement(link: Link) -> Hashable:
    return link.source, link.label, link.target


def _identity(link: Link) -> Hashable:
    return link.id, link.source, link.target


def _ends(link: Link) -> Hashable:
    return link.source, link.target
