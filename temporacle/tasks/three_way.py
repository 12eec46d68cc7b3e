"""Three versions of a document: as it was opened (base), with my edits (mine), and as it is on the disk now (theirs).

Links are compared pair by pair of entities. A pair *clashes* if both sides changed it and do not mean the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from temporacle.errors import UsageError
from temporacle.io.edit.between import edits_between
from temporacle.tasks.pairs_of import Pair, by_pair, mean_the_same, pair_of, statements
from temporacle.tasks.session import Session

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from temporacle.model import Document, Link

Side: TypeAlias = Literal["mine", "theirs"]
Links: TypeAlias = "tuple[Link, ...]"


class Difference(NamedTuple):
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
    def differences(self) -> tuple[Difference, ...]:
        """Return the pairs that are not the same everywhere, in the order in which links mention them."""
        versions = [by_pair(document.links) for document in (self.base, self.mine, self.theirs)]
        found = []
        for pair in dict.fromkeys(pair for version in versions for pair in version):
            links = [tuple(version.get(pair, ())) for version in versions]
            if len({statements(each) for each in links}) > 1:
                ends = next(link.entities for side in links for link in side)
                found.append(Difference(*ends, *links))
        return tuple(found)

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison as the workbench sends it."""
        versions = {"base": self.base, "mine": self.mine, "theirs": self.theirs}
        links = {name: [link.to_dict() for link in document.links] for name, document in versions.items()}
        return {**links, "differences": [each.to_dict() for each in self.differences]}

    def rebased(
        self, take: Mapping[int, Side], comments: Mapping[str, str] | None = None, *, budget: float | None = None
    ) -> Session:
        """Return a session on their version with my changes on top of it.

        The changes are one step that can be undone. Notes at new links are another.

        ``take``: the side to take, by the number of a difference. Those that clash must be named; of the others the
        side counts that changed, and theirs if both changed to mean the same.
        ``comments``: my notes, by ids of my links.
        """
        links = [link._replace(id=str(number)) for number, link in enumerate(self._wanted(take))]  # of two versions
        noted = {link.said: comments[link.id] for link in self.mine.links if comments and link.id in comments}
        notes = {link.id: noted[link.said] for link in links if link.said in noted}
        edits = edits_between(self.theirs.links, links, notes)
        session = Session(self.theirs, budget=budget)
        if edits:
            new = session.edit(
                add=[(each.source, each.label, each.target) for each in edits.add],
                remove=edits.drop,
                relabel=edits.relabel,
                comment=edits.comment,
            )
            later = {name: each.comment for name, each in zip(new, edits.add, strict=True) if each.comment}
            if later:  # ids of new links are known only now
                session.edit(comment=later)
        return session

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
