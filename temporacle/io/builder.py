"""Turns what a reader finds into a Document: one place for every rule about odd links and ids.

A reader declares entities, then adds links as it meets them. Labels are read here, links that cannot be used are
dropped here with a located remark, and nothing is dropped without one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from temporacle.errors import LabelError
from temporacle.model import Action, Body, Document, Link, Remark

if TYPE_CHECKING:
    from temporacle.io.source import Source
    from temporacle.readings import Reading


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
        self.links: list[Link] = []
        self.remarks: list[Remark] = []
        self._said_once: set[str] = set()

    def warn(self, code: str, message: str, *, line: int | None = None, element: str | None = None) -> None:
        self.remarks.append(Remark(code, message, line, element))

    def warn_once(self, code: str, message: str, *, line: int | None = None, element: str | None = None) -> None:
        """For what is odd about a file rather than about one link: said at its first occurrence only."""
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
        if not source or not target:
            missing = "source" if not source else "target"
            self.drop("missing-endpoint", f"the link has no {missing}", line=line, element=link_id)
            return
        if not label or not label.strip():
            self.drop("missing-label", "the link has no label", line=line, element=link_id)
            return
        try:
            relation = self.reading.relation(label)
        except LabelError as error:
            self.drop("unknown-label", str(error), line=line, element=link_id)
            return
        if plain_case and (stripped := label.strip()) != label:
            self.warn_once("label-blanks", f"label {label!r} read as {stripped!r}", line=line, element=link_id)
        for end in (source, target):
            if self.declared is not None and end not in self.declared and not self._keep(end, line, link_id):
                return
        self.links.append(Link(link_id, source, relation, target, label.strip(), line, weight, task))

    def _keep(self, end: str, line: int | None, link_id: str) -> bool:
        """Whether a link to an undeclared id is kept; says what was done."""
        if self.source.options.keep_unknown and self.declared is not None:
            self.declared[end] = None
            self.warn("dangling-id", f"{end!r} is not declared; kept without a span", line=line, element=link_id)
            return True
        self.drop("dangling-id", f"{end!r} is not declared in this document", line=line, element=link_id)
        return False

    def build(self, body: Body | Callable[[], Body] = Body()) -> Document:  # noqa: B008 - an immutable value
        """The finished document."""
        if self.declared is not None:
            ids: Iterable[str] = self.declared
        else:
            ids = dict.fromkeys(end for link in self.links for end in (link.source, link.target))
        return Document(
            id=self.document,
            links=tuple(self.links),
            entity_ids=tuple(ids),
            path=self.source.path,
            format=self.format_name,
            reading=self.reading.name,
            remarks=tuple(self.remarks),
            body=body,
        )
