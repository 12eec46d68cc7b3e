"""One side of a comparison: what a document states, what is counted of it, and the graph it makes.

The links are walked in document order (UzZaman & Allen 2011; the policy of TempEval-3, with complete inference):

    an exact duplicate                           is skipped
    a link that constrains nothing               is left out, or counted where the options say so
    a link entailed by the links kept so far     is redundant: dropped
    a link that contradicts them                 is set aside: counted, but no part of the graph
    any other                                    is kept: counted, and put into the graph

So what is counted depends on the order in which redundant links are listed. With ``Contradictions.REPAIR`` an optimal
repair of the whole document decides what is set aside, and the walk only drops what is redundant.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from temporacle.errors import InputError, InternalError
from temporacle.readings import canonical
from temporacle.reasoner.algebra import ALL, converse
from temporacle.reasoner.conflicts.repair import repair
from temporacle.reasoner.linkgraph import EngineGraph, GrowingGraph, graph_for
from temporacle.reasoner.network import Budget, Network
from temporacle.reasoner.oracle import Oracle
from temporacle.relation import EQUAL
from temporacle.results import Repair, Verdict
from temporacle.scoring.metric import Contradictions, Vague

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from temporacle.model import Document, Link
    from temporacle.reasoner.network import PairTable

_EQUAL = int(EQUAL)


class Side:
    """A document as the scorers see it.

    ``counted`` holds positions of links (kept, set aside, and vague ones where they count), ``kept`` and ``set_aside``
    the two parts, ``left_out`` how many links constrain nothing and are not counted.
    """

    def __init__(
        self,
        document: Document,
        budget: Budget,
        contradictions: Contradictions = Contradictions.SET_ASIDE,
        vague: Vague = Vague.IGNORE,
        engine: str = "exact",
    ) -> None:
        self.document = document
        self.engine = engine
        self.network = Network(document.links)
        self.graph = graph_for(self.network, budget, engine)
        self.counted: list[int] = []
        self.kept: list[int] = []
        self.set_aside: list[int] = []
        self.left_out = 0
        self._stated = set(self.network.constraints)
        budget.check()
        self._walk(contradictions, vague, budget)
        if self.set_aside and contradictions is Contradictions.REFUSE:
            link = document.links[self.set_aside[0]]
            raise InputError(
                "the document contradicts itself",
                path=document.path or document.id,
                line=link.line,
                element=link.id,
                cure="repair it first, or use contradictions set-aside or repair",
            )

    def _walk(self, contradictions: Contradictions, vague: Vague, budget: Budget) -> None:
        constraints = self.network.constraints
        repaired = contradictions is Contradictions.REPAIR
        dropped = self._repair(budget) if repaired else frozenset()
        if not dropped and not any(mask == ALL or source == target for source, mask, target in constraints):
            positions = self._distinct()  # every link is to be judged by those before it: the usual document
            self._count(positions, self.graph.walk(positions))
            return
        walked: list[int] = []
        verdicts: dict[int, Verdict | None] = {}
        last = -1  # entities are numbered in order of mention: a higher number is new
        for position in self._distinct():
            source, mask, target = constraints[position]
            is_news = source == target and source > last and mask & _EQUAL
            last = max(last, source, target)
            if mask == ALL and vague is Vague.IGNORE:
                self.left_out += 1
                continue
            walked.append(position)
            if position in dropped:
                verdicts[position] = Verdict.REFUTED
            elif mask != ALL and is_news:
                verdicts[position] = Verdict.OPEN
        asked = [each for each in walked if each not in verdicts and constraints[each][1] != ALL]
        verdicts.update(zip(asked, self.graph.walk(asked), strict=True))
        self._count(walked, [verdicts.get(position) for position in walked])

    def _count(self, positions: Sequence[int], verdicts: Sequence[Verdict | None]) -> None:
        """Sort links by their verdicts. None: the link constrains nothing, and is counted."""
        is_open, is_entailed, is_refuted = Verdict.OPEN, Verdict.ENTAILED, Verdict.REFUTED
        judged = list(zip(positions, verdicts, strict=True))
        self.counted = [position for position, verdict in judged if verdict is not is_entailed]
        self.kept = [position for position, verdict in judged if verdict is is_open]
        self.set_aside = [position for position, verdict in judged if verdict is is_refuted]

    def _distinct(self) -> Sequence[int]:
        """Return positions of the links without exact duplicates: same entities, direction and label."""
        constraints = self.network.constraints
        if len(self._stated) == len(constraints):
            return range(len(constraints))
        seen: dict[object, int] = {}
        for position, (constraint, link) in enumerate(zip(constraints, self.network.links, strict=True)):
            seen.setdefault((constraint, label_key(link.label)), position)
        return list(seen.values())

    def _repair(self, budget: Budget) -> frozenset[int]:
        """Return the positions of a lightest set of links whose removal makes the rest consistent.

        Duplicates take part: what is stated twice weighs twice, wherever it stands. Of equally good repairs the first
        is taken in an order that depends on what links say, not where they stand.
        """
        links = self.network.links
        order = sorted(range(len(links)), key=lambda position: _content(links[position]))
        numbered = [links[position]._replace(id=str(position)) for position in order]
        found = repair(Network(numbered), budget)
        # Nothing is protected, so there always is a repair.
        return frozenset(int(link.id) for link in found.dropped) if isinstance(found, Repair) else frozenset()

    # --- questions from the other side --------------------------------------------------------------------------------

    def link(self, position: int) -> Link:
        return self.network.links[position]

    def verified(self, other: Side) -> list[int]:
        """Return positions of the links counted on the other side that this side entails or states.

        To state is to have a link between the same entities with the same atoms, in either direction.
        """
        index, stated = self.network.index, self._stated
        number = [index.get(name, -1) for name in other.network.entities]
        constraints = other.network.constraints
        found = []
        asked: dict[int, tuple[int, int, int]] = {}
        for position in other.counted:
            source, mask, target = constraints[position]
            source, target = number[source], number[target]
            if source < 0 or target < 0:
                continue
            constraint = (source, mask, target)
            if constraint in stated or (target, converse(mask), source) in stated:
                found.append(position)
            elif mask != ALL:
                asked[position] = constraint
        answers = self.graph.entails_each(list(asked.values()))
        return found + [position for position, answer in zip(asked, answers, strict=True) if answer]

    def says(self, source: str, target: str) -> int | None:
        """Return the strongest relation of a pair; None if an entity is not mentioned here."""
        return self.says_each([(source, target)])[0]

    def says_each(self, pairs: Sequence[tuple[str, str]]) -> list[int | None]:
        """Return the strongest relation of each pair; None if an entity is not mentioned here."""
        index = self.network.index
        known = [(index[source], index[target]) for source, target in pairs if source in index and target in index]
        found = iter(self.graph.strongest_each(known))
        return [next(found) if source in index and target in index else None for source, target in pairs]

    @property
    def is_large(self) -> bool:
        """Return whether the document is large and has no disjunctions, so that it is judged without a closure."""
        return not isinstance(self.graph, GrowingGraph | EngineGraph)

    def kept_network(self, entities: Iterable[str] = ()) -> Network:
        """Return the kept links, over the entities mentioned here and some more."""
        kept = [self.network.links[position] for position in self.kept]
        return Network(kept, (*self.network.entities, *entities))

    def closed(self, entities: Iterable[str] = ()) -> PairTable:
        """Return the exact closure of the kept links, over the entities mentioned here and some more."""
        network = self.kept_network(entities)
        table = Oracle(network, budget=self.graph.budget, engine=self.engine).minimal_network()
        if table is None:  # cannot be: every kept link was judged against the others
            raise InternalError(f"{self.document.id}: the links that were kept contradict each other")
        return table


@lru_cache(maxsize=4096)
def label_key(label: str) -> str:
    """Return the label by which duplicates are recognised.

    Spelling does not matter, and DURING counts as SIMULTANEOUS.
    """
    name = canonical(label)
    return "SIMULTANEOUS" if name in {"DURING", "DURING_INV"} else name


def _content(link: Link) -> tuple[str, str, int, str]:
    """Return the statement of a link, the same for both directions."""
    if link.source <= link.target:
        return link.source, link.target, int(link.relation), link.label
    return link.target, link.source, converse(int(link.relation)), link.label
