"""Seeded graphs to try an implementation on. The same seed and number always give the same graph.

Families take turns, so that every stretch of cases has all of them; every second of the first 338 cases is one of the
169 compositions of two atoms, so that no entry of a composition table goes untried:

    empty          no links (the second case)
    composition    x r y, y s z
    planted        links that are true of hidden times: consistent
    random         relations drawn at will: often inconsistent
    cycle          a ring of links that contradicts itself, with something harmless beside it
    chain          what follows only through many steps
    separate       parts that have nothing to do with each other
    self-link      an entity linked to itself, truly or falsely
    duplicate      links said again, reversed, or contradicted
    dense          a disjunction on every pair, true of hidden times: where propagation falls short (any relations)
    large          dozens of entities, planted

Within a family sizes vary up to ``entities``. The order of links and their direction are random throughout.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from functools import cache
from itertools import chain, combinations, count, pairwise, product
from random import Random
from typing import TYPE_CHECKING, TypeAlias

from temporacle.audit.answers import (
    AuditSubject,
    Closed,
    ClosureAnswer,
    Failed,
    Failure,
    Graph,
    NoticedBy,
    SaidInconsistent,
    Vocabulary,
    entities_of,
    with_names,
)
from temporacle.audit.judge import combined
from temporacle.reasoner.algebra import ALL, RelationClass, classify, convex_hull
from temporacle.relation import ATOMS, EQUAL, Relation, atom_holding

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from temporacle.audit.answers import Triple


class Family(Enum):
    """The shapes that take turns."""

    EMPTY = "empty"
    COMPOSITION = "composition"
    PLANTED = "planted"
    RANDOM = "random"
    CYCLE = "cycle"
    CHAIN = "chain"
    SEPARATE = "separate"
    SELF_LINK = "self-link"
    DUPLICATE = "duplicate"
    DENSE = "dense"
    LARGE = "large"


@dataclass(frozen=True, slots=True)
class AuditCase:
    """A graph, and how to get it again."""

    number: int
    family: str
    links: Graph


@dataclass(frozen=True, slots=True)
class CasePlan:
    """Everything that decides which cases are generated."""

    cases: int = 400
    seed: int = 0
    vocabulary: Vocabulary = Vocabulary.ATOMIC
    entities: int = 6  # at most, except in large graphs and beside a cycle; 2 or more
    large: int = 30  # entities of the large graphs; 0: none, and no graph has more than ``entities``

    def case(self, number: int) -> AuditCase:
        """Return case ``number`` (from 1).

        Large graphs are rare, because they take the most time and shrink to small ones.
        """
        rng = Random(f"{self.seed}/{number}/{self.vocabulary.value}/{self.entities}/{self.large}")
        family = self._family(number)
        if family is Family.COMPOSITION:
            links = _composition(self.seed, number // 2)
        else:
            links = _Builder(rng, self).build(family)
        rng.shuffle(links)
        return AuditCase(number, family.value, tuple(_either_way(rng, link) for link in links))

    def _family(self, number: int) -> Family:
        if number == _EMPTY_CASE:
            return Family.EMPTY
        if number % 2 and number < _COMPOSED_BELOW and self.entities > 2:
            return Family.COMPOSITION
        if self.large and number % 50 == 0:
            return Family.LARGE
        turn = number // 2 if number < _COMPOSED_BELOW else number
        families = _IN_TURN if self.vocabulary is not Vocabulary.ANY else [*_IN_TURN, Family.DENSE]
        return families[turn % len(families)]

    def __iter__(self) -> Iterator[AuditCase]:
        return map(self.case, range(1, self.cases + 1))


_EMPTY_CASE = 2  # the first ones are in every run, however short
_COMPOSED_BELOW = 2 * len(ATOMS) ** 2
_APART = (Family.EMPTY, Family.COMPOSITION, Family.DENSE, Family.LARGE)
_IN_TURN = [family for family in Family if family not in _APART]


@cache
def _compositions(seed: int) -> list[tuple[str, str]]:
    pairs = list(product(ATOMS, ATOMS))
    Random(seed).shuffle(pairs)
    return pairs


def _composition(seed: int, position: int) -> list[Triple]:
    first, second = _compositions(seed)[position]
    return [("e0", Relation.of(first), "e1"), ("e1", Relation.of(second), "e2")]


def _either_way(rng: Random, link: Triple) -> Triple:
    source, relation, target = link
    return link if rng.random() < 0.5 else (target, relation.converse(), source)


@cache
def _convex_relations() -> tuple[Relation, ...]:
    return tuple(Relation(mask) for mask in range(1, ALL) if classify(mask) is RelationClass.CONVEX)


class _Builder:
    """Draws the links of one case."""

    def __init__(self, rng: Random, plan: CasePlan) -> None:
        self.rng = rng
        self.plan = plan
        self.names = [f"e{number}" for number in range(max(plan.entities, plan.large + 1))]
        rng.shuffle(self.names)

    def build(self, family: Family) -> list[Triple]:
        size = self.rng.randint(2, self.plan.entities)
        names = self.names[:size]
        match family:
            case Family.EMPTY:
                return []
            case Family.PLANTED:
                return self.planted(names)
            case Family.RANDOM:
                return self.random(names)
            case Family.CYCLE:
                return self.cycle(names)
            case Family.CHAIN:
                return self.planted(names, chain=True)
            case Family.SEPARATE:
                cut = self.rng.randint(1, size - 1)
                return [*self.planted(names[:cut]), *self.planted(names[cut:])] or self.planted(names)
            case Family.SELF_LINK:
                return self.self_link(names)
            case Family.DUPLICATE:
                return self.duplicate(names)
            case Family.DENSE:
                return self.planted(self.names[: self.plan.entities], every=True, wide=1.0)
            case Family.COMPOSITION | Family.LARGE:
                # Mostly atoms, as in documents: a large network of disjunctions only is another kind of problem.
                return self.planted(self.names[: self.plan.large], wide=0.1)

    def planted(
        self, names: Sequence[str], *, chain: bool = False, every: bool = False, wide: float = 0.7
    ) -> list[Triple]:
        """Return links that hold for random intervals. There are few time points, so that endpoints often coincide."""
        rng = self.rng
        last = max(3, len(names) + rng.randint(-1, 3))
        times = {}
        for name in names:
            start = rng.randrange(last)
            times[name] = (start, rng.randint(start + 1, last))
        pairs = list(combinations(names, 2)) if every else list(pairwise(names))
        if not chain and not every and len(names) > 1:
            for _ in range(rng.randint(0, len(names))):
                first, second = rng.sample(names, 2)
                pairs.append((first, second))
        return [(x, self.around(Relation.of(atom_holding(times[x], times[y])), wide), y) for x, y in pairs]

    def around(self, atom: Relation, wide: float) -> Relation:
        """Return a relation of the vocabulary that contains the atom, and with the given probability others too."""
        rng = self.rng
        if self.plan.vocabulary is Vocabulary.ATOMIC or rng.random() >= wide:
            return atom
        wider = atom | Relation.of(*rng.sample(ATOMS, rng.choice((1, 1, 2, 3))))
        return Relation(convex_hull(wider)) if self.plan.vocabulary is Vocabulary.CONVEX else wider

    def relation(self) -> Relation:
        """Return a random relation of the vocabulary; small ones are more likely."""
        rng = self.rng
        match self.plan.vocabulary:
            case Vocabulary.ATOMIC:
                return Relation.of(rng.choice(ATOMS))
            case Vocabulary.CONVEX:
                return rng.choice(_convex_relations())
            case Vocabulary.ANY:
                return Relation.of(*rng.sample(ATOMS, rng.choice((1, 1, 2, 2, 3, 4, 6))))

    def random(self, names: Sequence[str]) -> list[Triple]:
        rng = self.rng
        density = rng.choice((0.4, 0.6, 1.0))
        pairs = [(x, y) for i, x in enumerate(names) for y in names[i + 1 :] if rng.random() < density]
        return [(x, self.relation(), y) for x, y in pairs or [(names[0], names[1])]]

    def cycle(self, names: Sequence[str]) -> list[Triple]:
        """Return a contradictory ring x1 < x2 < ... < x1 of relations that put one start before the next, perhaps with
        one more link.
        """
        rng = self.rng
        rising = [Relation.of(atom) for atom in ("b", "m", "o", "di", "fi")]
        ring = [(x, rng.choice(rising), y) for x, y in zip(names, [*names[1:], names[0]], strict=True)]
        if rng.random() < 0.5 and len(names) < len(self.names):
            other = self.names[len(names)]
            ring.append((other, self.relation(), rng.choice(names)))
        return ring

    def self_link(self, names: Sequence[str]) -> list[Triple]:
        rng = self.rng
        about_itself = EQUAL if rng.random() < 0.5 else self.relation()
        name = rng.choice(names)
        return [*self.planted(names), (name, about_itself, name)]

    def duplicate(self, names: Sequence[str]) -> list[Triple]:
        rng = self.rng
        links = self.planted(names)
        for source, relation, target in rng.sample(links, rng.randint(1, min(2, len(links)))):
            kind = rng.random()
            if kind < 0.4:
                links.append((source, relation, target))
            elif kind < 0.7:
                links.append((target, relation.converse(), source))
            else:
                links.append((source, self.relation(), target))
        return links


@dataclass(frozen=True, slots=True)
class MediumPlan:
    """Graphs of 8 to 30 entities, for what small graphs do not reach: many open disjunctions, and a real search.

    Families take turns:

        document       planted links, mostly atoms, a third of them disjunctions
        disjunctions   planted disjunctions, several for each entity
        doubtful       the same with one link that ignores the hidden times
    """

    cases: int
    seed: int = 0
    vocabulary: Vocabulary = Vocabulary.ANY

    def case(self, number: int) -> AuditCase:
        """Return case ``number`` (from 1)."""
        rng = Random(f"medium {self.seed}/{number}/{self.vocabulary.value}")
        family = ("document", "disjunctions", "doubtful")[number % 3]
        size = rng.randint(*_MEDIUM)
        builder = _Builder(rng, CasePlan(vocabulary=self.vocabulary, entities=size, large=0))
        if family == "document":
            links = builder.planted(builder.names, wide=0.3)
        else:
            links = rng.sample(builder.planted(builder.names, every=True, wide=1.0), 3 * size)
        if family == "doubtful":
            place = rng.randrange(len(links))
            source, _, target = links[place]
            links[place] = (source, builder.relation(), target)
        rng.shuffle(links)
        return AuditCase(number, family, tuple(_either_way(rng, link) for link in links))

    def __iter__(self) -> Iterator[AuditCase]:
        return map(self.case, range(1, self.cases + 1))


_MEDIUM = (8, 30)  # entities


# ----------------------------------------------------------------------------------------------------
# Questions that must get the same answer. No oracle is needed: if two answers differ, one of them is wrong.
#
#     renaming     other names for the entities (in another order, some parts of each other, two alike but for case)
#     order        the same links in another order
#     reversal     each link seen from its other end
#     redundancy   each link said twice, the second time reversed
#     state        the same question after another one

Meaning: TypeAlias = "frozenset[tuple[tuple[str, str], int]] | str"
"""What an answer says, whatever the order and direction it says it in."""


def meaning(answer: ClosureAnswer, names: dict[str, str] | None = None) -> Meaning:
    """Return the meaning of an answer; answers that say the same have the same meaning.

    ``names`` translates entities back.
    """
    match answer:
        case Closed(claims):
            said = with_names(claims, names or {})
            return frozenset(
                (pair, mask) for pair, mask in combined(said).items() if mask != ALL and pair[0] != pair[1]
            )
        case SaidInconsistent():
            return "inconsistent"
        case Failed(how=how):
            return how.value
        case _:
            return "declined"


def reordered(graph: Graph) -> list[Graph]:
    """Return the links backwards, sorted, and shuffled by a fixed seed."""
    shuffled = list(graph)
    Random(len(graph)).shuffle(shuffled)
    ways = (graph[::-1], tuple(sorted(graph, key=lambda link: (link[0], link[2], int(link[1])))), tuple(shuffled))
    return [way for way in dict.fromkeys(ways) if way != graph]


def reversed_links(graph: Graph) -> Graph:
    """Return each link from its target's point of view."""
    return tuple((target, relation.converse(), source) for source, relation, target in graph)


def repeated(graph: Graph) -> Graph:
    """Return each link again, reversed."""
    return graph + reversed_links(graph)


_NASTY_NAMES = ("X11", "x11", "x111", "x1111", "x11111", "x111111")


def other_names(graph: Graph) -> dict[str, str]:
    """Return new names in the opposite alphabetical order; two differ in case only, some are parts of others."""
    names = sorted(entities_of(graph), reverse=True)
    return dict(zip(names, chain(_NASTY_NAMES, (f"x2{number:04}" for number in count())), strict=False))


def differing_variant(
    subject: AuditSubject, check: NoticedBy, graph: Graph, base: ClosureAnswer | None = None
) -> Graph | None:
    """Return a variant of the graph with a different answer; None if there is none. ``base`` saves asking again."""
    answer = subject.ask(graph)[0] if base is None else base
    said = meaning(answer)
    if said == "declined":
        return None
    return next(
        (variant for variant in _VARIANTS[check](graph) if _differs(subject, check, graph, variant, said)), None
    )


def _differs(subject: AuditSubject, check: NoticedBy, graph: Graph, variant: Graph, said: Meaning) -> bool:
    back = {new: old for old, new in other_names(graph).items()} if check is NoticedBy.RENAMING else None
    other = meaning(subject.ask(variant)[0], back)
    return other not in (said, "declined")


def answer_after(subject: AuditSubject, history: Graph, graph: Graph) -> ClosureAnswer | None:
    """Return the answer to a graph after another graph was asked; None if that one ended the process."""
    before, after = subject.ask(history, graph)
    gone = isinstance(before, Failed) and before.how in (Failure.DIED, Failure.TIMEOUT)
    return None if gone else after


_VARIANTS: dict[NoticedBy, Callable[[Graph], list[Graph]]] = {
    NoticedBy.RENAMING: lambda graph: [with_names(graph, other_names(graph))],
    NoticedBy.ORDER: reordered,
    NoticedBy.REVERSAL: lambda graph: [reversed_links(graph)],
    NoticedBy.REDUNDANCY: lambda graph: [repeated(graph)],
}
STATELESS_CHECKS = tuple(_VARIANTS)
