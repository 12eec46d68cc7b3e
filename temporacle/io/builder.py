"""Turns what a reader finds into a Document: one place for every rule about odd links and ids.

A reader declares entities, then adds links as it meets them. Labels are read here, links that cannot be used are
dropped here with a located remark, and nothing is dropped without one. What is odd about links that are kept is said
by ``lint``.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import cache, lru_cache, partial
from operator import itemgetter
from typing import TYPE_CHECKING, Any, TypeGuard, TypeVar

from temporacle.errors import LabelError, spelled
from temporacle.model import Action, Body, Document, Entity, HowRead, Link, Remark
from temporacle.printing import LONGEST_NAME, shortened, shown
from temporacle.readings import OFFERED, canonical, load_reading
from temporacle.relation import EQUAL, Relation

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from temporacle.io.source import Source
    from temporacle.readings import Reading

_LINKS_BETWEEN_LOOKS = 4096  # at the clock
# Labels that are read, but not as everybody would expect: said once a file.
_ODD_LABELS = {
    "OVERLAP_BEFORE": Remark("overlap-order", "OVERLAP_BEFORE is read as BEFORE-OR-OVERLAP"),
    "OVERLAP_AFTER": Remark("overlap-order", "OVERLAP_AFTER is read as OVERLAP-OR-AFTER"),
    "MEASURE": Remark("measure", "MEASURE says how long something took, not when; the link constrains nothing"),
}


# A Link from a tuple of its fields, without the named tuple's own constructor: links are what most time goes into.
new_link: Callable[[tuple[object, ...]], Link] = partial(tuple.__new__, Link)


@lru_cache(maxsize=64)
def plain_labels(reading: Reading) -> dict[str, Relation]:
    """Return the labels of a reading that need no remark when they are spelled exactly as in the reading."""
    return {label: meaning for label, meaning in reading.labels.items() if label not in _ODD_LABELS}


def without_instance(first: str, number: int) -> Remark:
    """Return the remark on events of TimeML without an instance in a file that has instances."""
    count = f"{number} events have" if number > 1 else "1 event has"
    return Remark("event-without-instance", f"{count} no MAKEINSTANCE; named by the eid", element=first)


class DocumentBuilder:
    """Collects one document. ``declared`` None means that entities are whatever occurs in links."""

    def __init__(
        self, document: str, source: Source, format_name: str, reading: Reading, declared: Iterable[str] | None = None
    ) -> None:
        self.document = document
        self.source = source
        self.format_name = format_name
        self.reading = reading
        self.declared: dict[str, None] | None = None if declared is None else dict.fromkeys(declared)
        self.size = 0  # characters it takes in a file of many documents
        self.links: list[Link] = []
        self.remarks: list[Remark] = []
        self._said_once: set[str] = set()
        self._met: set[str] = set()  # ids whose declaration was looked at
        self._kept: list[str] = []  # undeclared ids that were kept nevertheless
        self._unknown: Counter[str] = Counter()  # labels that the reading does not know
        # Labels with nothing more to say about them: those spelled as the reading spells them, and those met before.
        self.relations = plain_labels(reading).copy()

    def warn(self, code: str, message: str, *, line: int | None = None, element: str | None = None) -> None:
        self.remarks.append(Remark(code, message, line, element))

    def warn_once(self, code: str, message: str, *, line: int | None = None, element: str | None = None) -> None:
        """Warn about something odd in a whole file rather than in one link: only at its first occurrence."""
        if code not in self._said_once:
            self._said_once.add(code)
            self.warn(code, message, line=line, element=element)

    def drop(self, code: str, message: str, *, line: int | None = None, element: str | None = None) -> None:
        self.remarks.append(Remark(code, message, line, element, Action.DROPPED))

    def is_first(self, name: str | None, what: str, *, line: int | None = None) -> TypeGuard[str]:
        """Return whether this is the first declaration of an id. If it is another one, or has no id, say so.

        ``what``: such as "event without eiid".
        """
        if not name:
            self.warn("missing-id", f"{what}: nothing can refer to it", line=line)
        elif name in self._met:
            message = f"{shown(name)} is declared twice; the first declaration counts"
            self.warn("duplicate-id", message, line=line, element=name)
        else:
            self._met.add(name)
            return True
        return False

    def note_dcts(self, names: Sequence[str], line: int | None) -> None:
        """Say that several times could be the creation time. ``line``: of the second."""
        if len(names) > 1:
            listed = ", ".join(names)
            message = f"{listed} could all be the document creation time; {names[0]} is taken"
            self.warn("several-dcts", message, line=line)

    def note_others(self, found: Counter[str]) -> None:
        """Say which relations are not temporal and were left out, by type, in the order of names."""
        if found:
            counted = ", ".join(f"{name} x{count}" for name, count in sorted(found.items()))
            self.warn("other-relations", "relations that are not temporal were left out", element=counted)

    def add_link(
        self,
        link_id: str,
        source: str | None,
        label: str | None,
        target: str | None,
        *,
        line: int | None = None,
        weight: float = 1,
        task: str | None = None,
        plain_case: bool = True,
    ) -> None:
        """Add a link, or drop it with a remark. ``plain_case=False``: the format writes lower case throughout."""
        relation = self.relations.get(label or "")
        declared = self.declared
        if relation is None or declared is None or source not in declared or target not in declared:
            relation = self._checked(link_id, source, label, target, line, plain_case=plain_case)
            if relation is None:
                return
            label = (label or "").strip()
        links = self.links
        links.append(new_link((link_id, source, relation, target, label, line, weight, task)))
        if not len(links) % _LINKS_BETWEEN_LOOKS:
            self.source.require_time()

    def _checked(
        self,
        link_id: str,
        source: str | None,
        label: str | None,
        target: str | None,
        line: int | None,
        *,
        plain_case: bool,
    ) -> Relation | None:
        """Return the relation of a link that needs a closer look; None if the link had to be dropped."""
        if not source or not target:
            missing = "source" if not source else "target"
            self.drop("missing-endpoint", f"the link has no {missing}", line=line, element=link_id)
            return None
        if not label or label.isspace():
            self.drop("missing-label", "the link has no label", line=line, element=link_id)
            return None
        relation = self.relations.get(label)
        if relation is None:
            relation = self._read_label(label, line, link_id, plain_case=plain_case)
        if relation is None or self.declared is None:
            return relation
        for end in (source, target):
            if end not in self.declared and not self._keep(end, line, link_id):
                return None
        return relation

    def _read_label(self, label: str, line: int | None, link_id: str, *, plain_case: bool) -> Relation | None:
        """Return the relation of a label at its first occurrence; None if the link had to be dropped."""
        try:
            relation = self.reading.relation(label)
        except LabelError as error:
            self._unknown[label] += 1
            self.drop("unknown-label", str(error), line=line, element=link_id)
            return None
        stripped = label.strip()
        if stripped != label:
            self.warn_once(
                "label-blanks", f"label {shown(label)} read as {shown(stripped)}", line=line, element=link_id
            )
        if plain_case and not self.reading.atoms and (upper := stripped.upper()) != stripped:
            self.warn_once("label-case", f"label {shown(stripped)} read as {shown(upper)}", line=line, element=link_id)
        if (odd := _ODD_LABELS.get(canonical(label))) is not None:
            self.warn_once(odd.code, odd.message, line=line, element=link_id)
        if stripped == label:
            self.relations[label] = relation
        return relation

    def _keep(self, end: str, line: int | None, link_id: str) -> bool:
        """Return whether a link to an undeclared id is kept, and add a remark that says what was done."""
        if self.source.options.keep_unknown and self.declared is not None:
            self.declared[end] = None
            self._kept.append(end)
            self.warn("dangling-id", f"{shown(end)} is not declared; kept without a span", line=line, element=link_id)
            return True
        self.drop("dangling-id", f"{shown(end)} is not declared in this document", line=line, element=link_id)
        return False

    def build(
        self,
        body: Body | Callable[[], Body] = Body(),  # noqa: B008 - an immutable value
        known_times: tuple[Entity, ...] | None = None,
    ) -> Document:
        """Return the finished document."""
        self.source.require_time()
        links = with_unique_ids(self.links)
        if self._unknown:
            self._name_a_better_reading()
        if self.declared is not None:
            ids: Iterable[str] = self.declared
        else:
            ids = dict.fromkeys(end for link in links for end in (link.source, link.target))
        return Document(
            id=self.document,
            links=tuple(links),
            entity_ids=tuple(ids),
            path=self.source.path,
            how_read=HowRead(self.format_name, self.reading, self.source.options.choices, self.source.options.mapping),
            remarks=(*self.remarks, *remarks_about(links)),
            body=partial(_with_kept, body, tuple(self._kept)) if self._kept else body,
            known_times=known_times,
        )

    def _name_a_better_reading(self) -> None:
        """Say at the first unknown label which built-in label set would read more links of this document."""
        used = Counter(link.label for link in self.links)

        def gain(name: str) -> int:
            other = load_reading(name)
            return sum(n for label, n in self._unknown.items() if other.knows(label)) - sum(
                n for label, n in used.items() if not other.knows(label)
            )

        best = max(OFFERED, key=gain)
        if (more := gain(best)) > 0:
            place = next(k for k, remark in enumerate(self.remarks) if remark.code == "unknown-label")
            what = f"{more} more links" if more > 1 else "1 more link"
            said, cure = self.remarks[place].message, f"give {spelled('labels', best)}"
            message = f"{said}; the label set {best} would read {what}: {cure}"
            self.remarks[place] = self.remarks[place]._replace(message=message)


def _with_kept(body: Body | Callable[[], Body], kept: tuple[str, ...]) -> Body:
    """Return the body with entities for ids that only links mention, unless the reader has made them."""
    found = body() if callable(body) else body
    described = {entity.id for entity in found.entities}
    return found._replace(entities=(*found.entities, *(Entity(name) for name in kept if name not in described)))


# ----------------------------------------------------------------------------------------------------
# Remarks on links of a document that can be read but are odd.
#
# Nothing is changed here but names: a contradiction is a result for the checker, never repaired by a reader.
#
#     duplicate-link       the same source, label and target again
#     self-link            an entity linked to itself by a relation that contains '=': no effect
#     self-contradiction   the same by any other relation: no interval can do that
#     contradictory-pair   links about one pair that share no atom; the remark names the earlier ones
#
# One pass over the links finds out whether there is anything to say; only then does a second one look for places.

Name = TypeVar("Name", str, bytes)  # of an entity

_id = itemgetter(0)
_relation = itemgetter(2)
_ends = itemgetter(1, 3)
_source, _target = itemgetter(1), itemgetter(3)
_short = partial(shortened, longest=LONGEST_NAME)


def with_unique_ids(links: Sequence[Link]) -> Sequence[Link]:
    """Return the links with unique ids. A repeated id gets its line, and a number if that is not enough."""
    if len(set(map(_id, links))) == len(links):
        return links
    taken = {link.id for link in links}
    met: set[str] = set()
    counts: dict[str, int] = {}  # the last number that a repeated id got
    result = []
    for link in links:
        name = link.id
        if name in met:
            has_line = link.line is None or link.id == f"line{link.line}"
            name = stem = link.id if has_line else f"{link.id}@{link.line}"
            while name in taken:
                counts[stem] = counts.get(stem, 1) + 1
                name = f"{stem}#{counts[stem]}"
            taken.add(name)
        met.add(name)
        result.append(link if name == link.id else Link(name, *link[1:]))  # a third of the time of _replace
    return result


def remarks_about(links: Sequence[Link]) -> tuple[Remark, ...]:
    """Return all remarks, in the order of the links. The time is linear in their number.

    >>> from temporacle.model import Link
    >>> [remark.code for remark in remarks_about([Link("l1", "a", EQUAL, "a"), Link("l2", "a", EQUAL, "a")])]
    ['self-link', 'self-link', 'duplicate-link']
    """
    repeated = repeated_pairs(list(map(_source, links)), list(map(_target, links)))
    return remarks_about_repeated([links[position] for position in repeated]) if repeated else ()


def remarks_about_repeated(links: Sequence[Link]) -> tuple[Remark, ...]:
    """Return remarks about those links of a document that ``repeated_pairs`` finds."""
    return () if _is_only_stated_both_ways(links) else tuple(_remarks(links))


def repeated_pairs(sources: Sequence[Name], targets: Sequence[Name]) -> list[int]:
    """Return the positions of links about a pair of entities that occurs more than once, and of self-links.

    Remarks are about these only.

    >>> repeated_pairs(["a", "b", "c", "d"], ["b", "c", "b", "d"])
    [1, 2, 3]
    """
    distinct = set(zip(sources, targets, strict=True))
    if len(distinct) == len(sources) and distinct.isdisjoint(zip(targets, sources, strict=True)):
        return []  # a self-link is its own reversal
    distinct.clear()  # the memory of a million tuples
    both_ways = [(one, other) if one < other else (other, one) for one, other in zip(sources, targets, strict=True)]
    uses = Counter(both_ways)
    return [place for place, pair in enumerate(both_ways) if uses[pair] > 1 or pair[0] == pair[1]]


def _is_only_stated_both_ways(links: Sequence[Link]) -> bool:
    """Return whether the only repeated pairs are stated once in each direction, by relations that fit."""
    stated: dict[tuple[str, str], Relation] = dict(zip(map(_ends, links), map(_relation, links), strict=True))
    if len(stated) < len(links):
        return False
    for (source, target), relation in stated.items():
        other = stated.get((target, source))
        if other is not None and (source == target or not _fit(relation, other)):
            return False
    return True


def _remarks(links: Iterable[Link]) -> Iterator[Remark]:
    stated: dict[tuple[str, str, str], Link] = {}
    pairs: dict[tuple[str, str], _Pair] = {}
    for link in links:
        if link.source == link.target:
            yield _about_self_link(link)
        first = stated.setdefault((link.source, link.label, link.target), link)
        if first is not link:
            message = f"{_name(link)} repeats {_placed(first)} and is counted once"
            yield Remark("duplicate-link", message, link.line, link.id)
        elif link.source != link.target:
            reversed_pair = pairs.get((link.target, link.source))
            pair = reversed_pair or pairs.setdefault((link.source, link.target), _Pair())
            if against := pair.narrow(link, is_reversed=reversed_pair is not None):
                others = " and ".join(map(_placed, against))
                said = f"{_said(link)}, but {' and '.join(map(_said, against))}"
                message = f"{_name(link)} contradicts {others}: {said}"
                yield Remark("contradictory-pair", message, link.line, link.id)


class _Pair:
    """The links between two entities, in one direction."""

    __slots__ = ("links", "possible")

    def __init__(self) -> None:
        self.possible: Relation | None = None
        self.links: list[tuple[Relation, Link]] = []

    def narrow(self, link: Link, *, is_reversed: bool) -> list[Link]:
        """Take another link into account. The earlier links that it contradicts, when nothing is left at first."""
        relation = _converse(link.relation) if is_reversed else link.relation
        before = self.possible
        self.possible = relation if before is None else relation & before
        against = self._against(relation) if before and not self.possible else []
        self.links.append((relation, link))
        return against

    def _against(self, left: Relation) -> list[Link]:
        """Return earlier links that leave no atom: one if one alone does, otherwise at most one for each atom, since
        each removes one.
        """
        found = []
        while left:
            relation, link = min(self.links, key=lambda each: len((each[0] & left).atoms))  # the first of the best
            left &= relation
            found.append(link)
        return found


def _name(link: Link) -> str:
    """Return a link as the subject of a sentence. One without an id is named by its number."""
    return f"link {link.id}" if link.id.isdigit() else _short(link.id)


def _placed(link: Link) -> str:
    return _name(link) if link.line is None or link.id == str(link.line) else f"{_name(link)} (line {link.line})"


def _said(link: Link) -> str:
    return " ".join(map(_short, (link.source, link.label or str(link.relation), link.target)))


@cache
def _fit(relation: Relation, of_reversed_pair: Relation) -> bool:
    return bool(relation & of_reversed_pair.converse())


@cache
def _converse(relation: Relation) -> Relation:
    return relation.converse()


def _about_self_link(link: Link) -> Remark:
    if link.relation & EQUAL:
        message = f"{_name(link)} links {_short(link.source)} to itself and has no effect"
        return Remark("self-link", message, link.line, link.id)
    message = f"{_name(link)} says {_said(link)}, which cannot be true"
    return Remark("self-contradiction", message, link.line, link.id)


# ----------------------------------------------------------------------------------------------------
# The attributes of TIMEX3, under the same names in every format.

_COMPACT_DATE = re.compile(r"([0-9]{4})([0-9]{2})([0-9]{2})")
# TIMEX3's names of those attributes that readers and writers treat alike, and the fields of an entity that hold them:
# the last ones, in this order.
ATTRIBUTES = {"type": "type", "mod": "mod", "beginPoint": "begin_point", "endPoint": "end_point"}


def with_attributes(entity: Entity, get: Callable[[str], str | None]) -> Entity:
    """Return the time with its type, mod, beginPoint and endPoint. ``get`` looks an attribute up; an empty one counts
    as missing.

    >>> from temporacle.model import Entity
    >>> with_attributes(Entity("t5"), {"type": "DURATION", "beginPoint": "t1", "endPoint": ""}.get).begin_point
    't1'
    """
    fields: dict[str, Any] = dict(zip(ATTRIBUTES.values(), further_of(get), strict=True))
    return entity._replace(**fields)


def further_of(get: Callable[[str], str | None]) -> list[str | None]:
    """Return the values of these attributes."""
    return [get(attribute) or None for attribute in ATTRIBUTES]


def iso_date(written: str) -> str:
    """Return a creation date as TIMEX3 writes it. Lists of creation dates leave out the hyphens.

    >>> iso_date("20200504"), iso_date("2020-05-04")
    ('2020-05-04', '2020-05-04')
    """
    compact = _COMPACT_DATE.fullmatch(written)
    return "-".join(compact.groups()) if compact else written
