"""Turns what a reader finds into a Document: one place for every rule about odd links and ids.

A reader declares entities, then adds links as it meets them. Labels are read here, links that cannot be used are
dropped here with a located remark, and nothing is dropped without one. What is odd about links that are kept is said
by ``lint``.
"""

from __future__ import annotations

from functools import lru_cache, partial
from typing import TYPE_CHECKING

from temporacle.errors import LabelError
from temporacle.io.lint import remarks_about, with_unique_ids
from temporacle.model import Action, Body, Document, Entity, HowRead, Link, Remark
from temporacle.printing import shown
from temporacle.readings import canonical

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from temporacle.io.source import Source
    from temporacle.readings import Reading
    from temporacle.relation import Relation

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
        self._kept: list[str] = []  # undeclared ids that were kept nevertheless
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
        self.links.append(new_link((link_id, source, relation, target, label, line, weight, task)))

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
        links = with_unique_ids(self.links)
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


def _with_kept(body: Body | Callable[[], Body], kept: tuple[str, ...]) -> Body:
    """Return the body with entities for ids that only links mention, unless the reader has made them."""
    found = body() if callable(body) else body
    described = {entity.id for entity in found.entities}
    return found._replace(entities=(*found.entities, *(Entity(name) for name in kept if name not in described)))
