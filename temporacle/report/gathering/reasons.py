"""Each link of one side put to the other side, with the reason for the answer.

    right    stated by a link, or entailed: by which links
    missed   a gold link that the system does not entail       wrong    a system link that gold does not entail
             because an entity is unknown, because the opposite follows (from which links), or because nothing decides:
             then a countermodel says where the two entities may lie

What is asked, and of which links, is exactly what temporal awareness counts.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from temporacle.errors import BudgetExceeded
from temporacle.reasoner.algebra import ALL, ANY, CROSS_PAIRS, EQ, GT, LT, RelationClass, classify, converse, mask_of
from temporacle.reasoner.between import LinksBetween
from temporacle.reasoner.conflicts import minimal_conflict
from temporacle.reasoner.network import Network
from temporacle.reasoner.oracle import Oracle
from temporacle.reasoner.pointgraph import hull_edges
from temporacle.relation import Relation
from temporacle.report.gathering.entities import link_row
from temporacle.report.values import limits
from temporacle.report.values.document import LinkStatus
from temporacle.report.values.systems import JudgedLink
from temporacle.wording import Names, in_words, statement

if TYPE_CHECKING:
    from collections.abc import Iterator

    from temporacle.model import Link
    from temporacle.reasoner.network import Budget
    from temporacle.scoring.annotation import Annotation


_NO_NAMES = Names()


def judged_links(
    key: Annotation, answer: Annotation, budget: Budget, names: Names = _NO_NAMES
) -> tuple[JudgedLink, ...]:
    """Return the judgements of the system about gold links, then of gold about system links.

    ``names``: names of entities in reasons.
    """
    return (
        *_judged(key, _OtherSide(answer, "system", budget, names), "gold", LinkStatus.MISSED),
        *_judged(answer, _OtherSide(key, "gold", budget, names), "system", LinkStatus.WRONG),
    )


def _judged(own: Annotation, witness: _OtherSide, side: str, failed: LinkStatus) -> Iterator[JudgedLink]:
    other = witness.annotation
    aside, verified = set(own.set_aside), set(other.verified(own))
    for number, position in enumerate(own.counted):
        link = own.link(position)
        holds = position in verified
        try:
            if number >= limits.EXPLAINED:
                reason = f"not explained: only the first {limits.EXPLAINED} links are"
            else:
                reason = witness.support(link) if holds else witness.objection(link)
        except BudgetExceeded as limit:
            reason = f"not explained: {limit}"
        if position in aside:
            reason = f"set aside, for it contradicts earlier links of its own side; {reason}"
        yield JudgedLink(link_row(link), side, LinkStatus.RIGHT if holds else failed, reason)


class _OtherSide:
    """Answers why a graph entails a link, or why not."""

    def __init__(self, annotation: Annotation, name: str, budget: Budget, names: Names) -> None:
        self.annotation = annotation
        self.names = names
        self.name = name
        self.budget = budget
        self.kept = [annotation.link(position) for position in annotation.kept]

    @cached_property
    def _between(self) -> LinksBetween:
        return LinksBetween(Network(self.kept))

    def support(self, link: Link) -> str:
        """Return the reason for a link that this side states or entails."""
        stating = next((each for each in self.annotation.network.links if _same(each, link)), None)
        if stating is not None:
            return f"stated by {self._named(stating)}"
        premises = self._premises(link)
        if not premises:
            return f"true of any entity that the {self.name} mentions"
        return f"entailed by {', '.join(map(self._named, premises))}"

    def objection(self, link: Link) -> str:
        """Return the reason for a link that this side does not verify."""
        unknown = [
            name for name in dict.fromkeys((link.source, link.target)) if name not in self.annotation.network.index
        ]
        if unknown:
            return f"the {self.name} has no link with {' and '.join(self.names[name] for name in unknown)}"
        strongest = Relation(self.annotation.says(link.source, link.target) or 0)
        others = strongest & ~link.relation
        if int(strongest) & int(link.relation) == 0:
            opposite = link._replace(relation=strongest)
            premises = ", ".join(map(self._named, self._premises(opposite)))
            source, target = self.names[link.source], self.names[link.target]
            if not premises:
                return f"contradicted: {source} is equal to itself"
            return f"contradicted: {in_words(source, strongest, target)}, entailed by {premises}"
        if not others:
            return "constrains nothing"
        return f"open: {self._countermodel(link, others)}"

    def _countermodel(self, link: Link, others: Relation) -> str:
        """Return times at which all links of this side hold and the link does not.

        Every atom of the strongest relation is possible, so the first one that the link excludes will do.
        """
        atom = Relation.of(others.atoms[0])
        world = Oracle([*self.kept, link._replace(relation=atom)], budget=self.budget).witness()
        (start, end), (other_start, other_end) = world[link.source], world[link.target]
        source, target = self.names[link.source], self.names[link.target]
        return (
            f"all links of the {self.name} hold with {source} from {start} to {end} and {target} "
            f"from {other_start} to {other_end}, where {in_words(source, atom, target)}"
        )

    def _named(self, link: Link) -> str:
        place = "" if link.line is None else f", line {link.line}"
        return f"{link.id} ({statement(link, self.names)}{place})"

    def _premises(self, link: Link) -> list[Link]:
        """Return links of this side from which an entailed link follows. They are enough together, and few.

        A convex relation is a conjunction of endpoint orderings. The opposite of an ordering is convex again, so a
        smallest conflict with it is a shortest cycle. For other relations the opposite is one disjunction.
        """
        mask = int(link.relation)
        if classify(mask) is RelationClass.CONVEX:
            opposites = [_reversed_edge(*edge) for edge in hull_edges(mask)]
        else:
            opposites = [ALL & ~mask]
        near = self._between.of(link.source, link.target)
        found: dict[int, Link] = {}
        for opposite in opposites:
            doubt = link._replace(relation=Relation(opposite))
            for premise in minimal_conflict(Network([*near, doubt]), self.budget):
                if premise is not doubt:
                    found[id(premise)] = premise
        return [each for each in near if id(each) in found]


def _reversed_edge(from_point: int, to_point: int, strict: bool) -> int:  # noqa: FBT001 - fields of an edge
    """Return the relation that says only that an order of two endpoints does not hold."""
    allowed = GT | EQ if strict else GT
    if (from_point, to_point) in CROSS_PAIRS:
        pair, signs = CROSS_PAIRS.index((from_point, to_point)), allowed
    else:
        pair, signs = CROSS_PAIRS.index((to_point, from_point)), LT | EQ if strict else LT
    start_start, start_end, end_start, end_end = (signs if k == pair else ANY for k in range(len(CROSS_PAIRS)))
    return mask_of((start_start, start_end, end_start, end_end))


def _same(one: Link, other: Link) -> bool:
    """Return whether two links say the same about the same pair, in either direction; a self-link has both."""
    ends = one.source, one.target
    return (ends == (other.source, other.target) and one.relation == other.relation) or (
        ends == (other.target, other.source) and converse(int(one.relation)) == int(other.relation)
    )
