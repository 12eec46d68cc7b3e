"""A conflict as a chain of sentences that a person can follow.

Links whose hulls already contradict each other form a cycle of endpoints; each step says what one link says about two
of them. Where the contradiction lies in the alternatives that the links leave, there is no single cycle, and the chain
says what each link says.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from temporacle.reasoner.algebra import CROSS_PAIRS, EQ, GT, LT, signs_of
from temporacle.reasoner.network import Network
from temporacle.reasoner.points.cycles import CycleEdge, shortest_strict_cycle

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from temporacle.model import Link
    from temporacle.results import Fact

_VERBS = ("starts", "ends")
NO_TEXTS: Mapping[str, str] = {}


def explain(conflict: Sequence[Link], texts: Mapping[str, str] = NO_TEXTS) -> list[str]:
    """Return one sentence for each step. ``texts`` has the words of entities, if they are known.

    >>> from temporacle.reasoner.network import Network
    >>> links = Network.of([("a", "BEFORE", "b"), ("b", "SIMULTANEOUS", "c"), ("c", "BEFORE", "a")]).links
    >>> for sentence in explain(links, {"a": "left"}): print(sentence)
    a "left" ends before b starts (l1)
    b starts before it ends
    b ends when c ends (l2)
    c ends before a "left" starts (l3)
    a "left" starts before it ends
    so a "left" would end before it ends
    """
    network = Network(conflict)
    names = [named(name, texts) for name in network.entities]
    cycle = shortest_strict_cycle(len(names), network.constraints)
    if cycle is None:
        return [*(statement_of(link, texts) for link in conflict), "no choice among these alternatives fits together"]
    first = min(range(len(cycle)), key=lambda k: len(conflict) if (link := cycle[k].link) is None else link)
    turned = [*cycle[first:], *cycle[:first]]
    sentences = [_step(edge, network, names) for edge in turned]
    start = turned[0].from_point
    verb = _VERBS[start & 1]
    return [*sentences, f"so {names[start >> 1]} would {verb[:-1]} before it {verb}"]


def place(link: Fact) -> str:
    """Return the place of a fact: its id and line."""
    return link.id if link.line is None else f"{link.id}, line {link.line}"


def named(name: str, texts: Mapping[str, str]) -> str:
    text = " ".join(texts.get(name, "").split())
    return f'{name} "{text if len(text) <= 40 else text[:39] + "…"}"' if text else name


def statement_of(link: Link, texts: Mapping[str, str]) -> str:
    return (
        f"{named(link.source, texts)} {link.label or link.relation} {named(link.target, texts)} "
        f"[{link.relation or 'nothing'}] ({place(link)})"
    )


def _step(edge: CycleEdge, network: Network, names: Sequence[str]) -> str:
    x, y = edge.from_point, edge.to_point
    if edge.link is None:
        return f"{names[x >> 1]} {_VERBS[x & 1]} before it ends"
    return link_step(network.links[edge.link], network.constraints[edge.link], (x, y), names, strict=edge.strict)


def link_step(
    link: Link, relation: tuple[int, int, int], points: tuple[int, int], names: Sequence[str], *, strict: bool
) -> str:
    """Return what a link says about two endpoints of entities ``names``. The first is not after the second."""
    left, right = (f"{names[point >> 1]} {_VERBS[point & 1]}" for point in points)
    if link.source == link.target:
        return f"{left} before {right}: {link.label or link.relation} with itself ({place(link)})"
    return f"{left} {_when(relation, points, strict=strict)} {right} ({place(link)})"


def _when(relation: tuple[int, int, int], between: tuple[int, int], *, strict: bool) -> str:
    """Return what the link says about two endpoints: before, when, or both."""
    source, mask, target = relation
    points = (2 * source, 2 * source + 1, 2 * target, 2 * target + 1)
    for (x, y), signs in zip(CROSS_PAIRS, signs_of(mask), strict=True):
        if {points[x], points[y]} == set(between):
            if signs == EQ:
                return "when"
            return "before" if signs in (LT, GT) else "before or when"
    return "before" if strict else "before or when"
