"""A conflict as a chain of sentences that a person can follow.

Links whose hulls already contradict each other form a cycle of endpoints; each step says what one link says about two
of them. Where the contradiction lies in the alternatives that the links leave, there is no single cycle: the proof by
cases (``disjunctions.cases``) is shown in numbered sentences, each case with a cycle of its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from temporacle.errors import BudgetExceeded, InternalError
from temporacle.reasoner.algebra import CROSS_PAIRS, EQ, GT, LT, signs_of
from temporacle.reasoner.disjunctions.cases import refute
from temporacle.reasoner.network import Budget, Network
from temporacle.reasoner.points.cycles import CycleEdge, shortest_strict_cycle
from temporacle.results import ProofCycle, ProofSplit

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from temporacle.model import Link
    from temporacle.relation import Relation
    from temporacle.results import Fact, ProofEdge, ProofStep

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
        return _in_cases(network, texts)
    first = min(range(len(cycle)), key=lambda k: len(conflict) if (link := cycle[k].link) is None else link)
    turned = [*cycle[first:], *cycle[:first]]
    sentences = [_step(edge, network, names) for edge in turned]
    start = turned[0].from_point
    verb = _VERBS[start & 1]
    return [*sentences, f"so {names[start >> 1]} would {verb[:-1]} before it {verb}"]


# --- cases ------------------------------------------------------------------------------------------------------------

_MOST_CASES = 12  # of a proof that is shown whole
_MOST_BRANCHINGS, _SECONDS = 200, 2.0  # of the search for a proof; without one, the links are listed
_ATOM_VERBS = {
    "b": "is before",
    "m": "meets",
    "o": "overlaps",
    "fi": "is finished by",
    "di": "includes",
    "s": "starts",
    "=": "equals",
    "si": "is started by",
    "d": "is during",
    "f": "finishes",
    "oi": "is overlapped by",
    "mi": "is met by",
    "bi": "is after",
}


def _in_cases(network: Network, texts: Mapping[str, str]) -> list[str]:
    """Return a proof by cases. Of a long one, only the first step and the number of cases."""
    try:
        found = refute(network, Budget(_SECONDS), _MOST_BRANCHINGS)
    except BudgetExceeded:
        found = None
    if found is None:
        return [
            *(statement_of(link, texts) for link in network.links),
            "no choice among these alternatives fits together",
        ]
    cases = sum(isinstance(step, ProofCycle) for step in found.steps)
    story = _Cases(network, texts, found.steps)
    return story.told() if cases <= _MOST_CASES else story.in_short(cases)


class _Cases:
    """Tells a proof by cases. Each case but the last of a split is a supposition; the last one is what is left."""

    def __init__(self, network: Network, texts: Mapping[str, str], steps: Sequence[ProofStep]) -> None:
        self._network = network
        self._names = [named(name, texts) for name in network.entities]
        self._steps = steps
        self._masks = [mask for _, mask, _ in network.constraints]  # what each link still allows
        self._lines: list[str] = []

    def told(self) -> list[str]:
        """Return the whole proof."""
        self._story(0, "", "", 1)
        return [*self._lines, "No case is left."]

    def in_short(self, cases: int) -> list[str]:
        """Return its first step."""
        first = self._steps[0]
        if not isinstance(first, ProofSplit):
            raise InternalError("a proof of several cases does not begin with a split")
        options = " or ".join(self._says(first.link, relation) for relation, _ in first.cases)
        return [f"1. Either {options} ({place(self._network.links[first.link])}).", f"2. None holds, in {cases} cases."]

    def _story(self, number: int, opening: str, level: str, count: int) -> int:
        """Tell the step of a number behind an opening. Return the number of the next sentence on its level."""
        step = self._steps[number]
        if isinstance(step, ProofCycle):
            self._lines.append(f"{level}{count}. {opening}{self._contradiction(step)}")
            return count + 1
        *supposed, (left, rest) = sorted(step.cases, key=lambda case: self._size(case[1]))
        where = place(self._network.links[step.link])
        before = self._masks[step.link]
        for relation, follows in supposed:
            supposition = f"{opening}Suppose {self._says(step.link, relation)} ({where}). "
            self._masks[step.link] = int(relation)
            if isinstance(self._steps[follows], ProofCycle):
                self._story(follows, supposition, level, count)
            else:
                self._lines.append(f"{level}{count}. {supposition.rstrip()}")
                self._story(follows, "", f"{level}{count}.", 1)
            opening = ""
            count += 1
        self._masks[step.link] = int(left)
        said = f"{opening}So {self._says(step.link, left)} ({where}). " if supposed else opening
        count = self._story(rest, said, level, count)
        self._masks[step.link] = before
        return count

    def _size(self, number: int) -> int:
        """Return how many cases the step of a number has."""
        step = self._steps[number]
        return 1 if isinstance(step, ProofCycle) else sum(self._size(follows) for _, follows in step.cases)

    def _says(self, link: int, relation: Relation) -> str:
        source, _, target = self._network.constraints[link]
        verbs = " or ".join(_ATOM_VERBS[atom] for atom in relation.atoms)
        return f"{self._names[source]} {verbs} {self._names[target]}"

    def _contradiction(self, cycle: ProofCycle) -> str:
        """Return the steps of a cycle; the last one is that of a link, and the others contradict it."""
        edges = cycle.edges
        last = max(place for place, edge in enumerate(edges) if edge.link is not None)
        *others, against = map(self._step, (*edges[last + 1 :], *edges[: last + 1]))
        return f"Then {' and '.join(others)}, which contradicts that {against}." if others else f"But {against}."

    def _step(self, edge: ProofEdge) -> str:
        points = (self._point(edge.left), self._point(edge.right))
        if edge.link is None:
            return f"{self._names[points[0] >> 1]} starts before it ends"
        source, _, target = self._network.constraints[edge.link]
        said = (source, self._masks[edge.link], target)
        return link_step(self._network.links[edge.link], said, points, self._names, strict=edge.strict)

    def _point(self, name: str) -> int:
        entity, _, end = name.rpartition(".")
        return 2 * self._network.number(entity) + (end == "end")


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
