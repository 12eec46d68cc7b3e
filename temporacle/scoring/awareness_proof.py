"""The proof of a score by temporal awareness: every decision of the metric, with what shows it to be right.

    walk       of each side: why a link is a duplicate, vague, redundant, set aside or kept (``side``)
    verified   of each counted link: why the other side verifies it, or why not

What follows, or is impossible, has reasons (``reasoner.proofs.closure``) that rest on kept links only, and in a walk
only on earlier ones. What does not follow has a model of the kept links in which the link does not hold. A model leaves
out the entities that kept links do not connect with the two entities of the link.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from temporacle.errors import InternalError
from temporacle.model import Link
from temporacle.reasoner.algebra import ALL, atoms_in, converse, convex_hull
from temporacle.reasoner.network import Budget, Network
from temporacle.reasoner.oracle import Oracle
from temporacle.reasoner.points.growing import IncrementalClosure
from temporacle.reasoner.proofs.certificate import links_to_json
from temporacle.reasoner.proofs.closure import ReasonBook
from temporacle.relation import Relation, atom_holding
from temporacle.scoring.side import label_key

if TYPE_CHECKING:
    from collections.abc import Sequence

    from temporacle.model import Document
    from temporacle.reasoner.proofs.closure import Reason
    from temporacle.results import Witness
    from temporacle.scoring.awareness import AwarenessOptions
    from temporacle.scoring.side import Side

_TRIED = 20  # models that are looked through for one that serves again


class _Entry(NamedTuple):
    """A decision: its name, and reasons, the number of a link or model, or nothing."""

    name: str
    proof: list[Reason] | int | None = None


def prove_awareness(
    gold: Document, system: Document, options: AwarenessOptions, *, own_links: Sequence[Link]
) -> dict[str, Any]:
    """Return both sides of a certificate. ``own_links``: the system's links under its own names of entities."""
    budget = Budget.of_document(options.budget)
    key, answer = (SideProof(options.side(document, budget), budget) for document in (gold, system))
    verified = {"gold": answer.judged(key), "system": key.judged(answer)}
    return {
        "gold": key.to_json(gold.links, verified["gold"], answer),
        "system": answer.to_json(own_links, verified["system"], key),
    }


class SideProof:
    """One side: its walk, and the evidence for what its kept links entail."""

    def __init__(self, annotation: Side, budget: Budget) -> None:
        self._annotation = annotation
        self._network = network = annotation.network
        self._budget = budget
        self._grounds = ReasonBook(network, budget, annotation.kept)
        self._models: list[Witness] = []
        self._general: list[int] = []  # numbers of models of all kept links
        self._kept: list[int] = []  # so far
        self._at: list[list[int]] = [[] for _ in network.entities]  # kept links of each entity, so far
        self._closure = IncrementalClosure(len(network.entities))
        self._is_convex = True
        self._positions: dict[tuple[int, int, int], int] = {}  # where each constraint is stated first
        self._walk = self._walked()

    def _walked(self) -> list[_Entry]:
        """Return an entry for each link."""
        kept, aside = set(self._annotation.kept), set(self._annotation.set_aside)
        seen: dict[object, int] = {}
        entries = []
        last = -1  # entities are numbered in order of mention
        for position, (constraint, link) in enumerate(zip(self._network.constraints, self._network.links, strict=True)):
            source, mask, target = constraint
            self._positions.setdefault(constraint, position)
            first = seen.setdefault((constraint, label_key(link.label)), position)
            if first < position:
                entries.append(_Entry("duplicate", first))
            elif mask == ALL:
                entries.append(_Entry("vague"))
            elif position in kept:
                is_news = source == target and source > last
                entries.append(_Entry("kept", None if is_news else self._model_against(source, mask, target)))
                self._keep(position)
            else:
                name, impossible = ("set-aside", mask) if position in aside else ("redundant", ALL & ~mask)
                entries.append(_Entry(name, self._reasons(source, impossible, target, position)))
            last = max(last, source, target)
        return entries

    def _keep(self, position: int) -> None:
        source, mask, target = self._network.constraints[position]
        self._kept.append(position)
        self._closure.add(source, mask, target)
        self._is_convex = self._is_convex and convex_hull(mask) == mask
        for entity in {source, target}:
            self._at[entity].append(position)

    # --- evidence -----------------------------------------------------------------------------------------------------

    def _reasons(self, source: int, impossible: int, target: int, before: int | None = None) -> list[Reason]:
        """Return reasons, from the links kept so far, that exclude some atoms of a pair."""
        hull = self._closure.relation(source, target)
        found = self._grounds.paths_for(source, hull, target, before) if impossible & ~hull else []
        if left := hull & impossible:
            names = self._network.entities
            premises = [(position, self._network.links[position]) for position in self._kept]
            found.append(self._grounds.derive(names[source], left, names[target], premises))
        return found

    def _model_against(self, source: int, mask: int, target: int) -> int:
        """Return the number of a new model of the kept links around a pair, in which it does not have the relation."""
        names = self._network.entities
        links = [self._network.links[position] for position in self._around(source, target)]
        left = self._closure.relation(source, target) & ~mask
        if self._is_convex and left:
            left = 1 << atoms_in(left)[0]  # each is possible, and one is quicker than several
        asked = Link("asked", names[source], Relation(left), names[target])
        world = Oracle(Network((*links, asked)), budget=self._budget)
        if not left or not world.is_consistent():
            raise InternalError("a link that was judged as open follows from others")
        self._models.append(world.witness())
        return len(self._models) - 1

    def _around(self, source: int, target: int) -> list[int]:
        """Return the kept links that are connected with two entities."""
        found: dict[int, None] = {}
        waiting = list(dict.fromkeys((source, target)))
        reached = set(waiting)
        for entity in waiting:  # grows while it is read
            for position in self._at[entity]:
                found[position] = None
                first, _, second = self._network.constraints[position]
                for other in (first, second):
                    if other not in reached:
                        reached.add(other)
                        waiting.append(other)
        return sorted(found)

    # --- the other side -----------------------------------------------------------------------------------------------

    def judged(self, other: SideProof) -> list[_Entry]:
        """Return an entry for each link that the other side counts."""
        verified = set(self._annotation.verified(other._annotation))
        return [self._judged(other._network.links[position], position in verified) for position in other._counted]

    @property
    def _counted(self) -> list[int]:
        return self._annotation.counted

    def _judged(self, link: Link, verified: bool) -> _Entry:  # noqa: FBT001
        index = self._network.index
        source, mask, target = index.get(link.source), int(link.relation), index.get(link.target)
        if source is None or target is None:
            return _Entry("unknown")
        stated = self._positions.get((source, mask, target))
        if stated is None:
            stated = self._positions.get((target, converse(mask), source))
        if stated is not None:
            return _Entry("stated", stated)
        if mask == ALL:
            return _Entry("vague")
        if verified:
            return _Entry("entailed", self._reasons(source, ALL & ~mask, target))
        return _Entry("open", self._general_model(link, source, target))

    def _general_model(self, link: Link, source: int, target: int) -> int:
        """Return the number of a model of all kept links in which a link of the other side does not hold."""
        atoms = link.relation.atoms
        for number in self._general[-_TRIED:]:
            model = self._models[number]
            times = model.get(link.source), model.get(link.target)
            if times[0] is not None and times[1] is not None and atom_holding(times[0], times[1]) not in atoms:
                return number
        number = self._model_against(source, int(link.relation), target)
        self._general.append(number)
        return number

    # --- the record ---------------------------------------------------------------------------------------------------

    def to_json(self, own_links: Sequence[Link], verified: list[_Entry], other: SideProof) -> dict[str, Any]:
        """Return the side of a certificate. Its counted links were judged by the other side."""
        kept = [self._network.links[position] for position in self._kept]
        witness = Oracle(Network(kept), budget=self._budget).witness()
        names = {
            own: common
            for mine, link in zip(own_links, self._network.links, strict=True)
            for own, common in ((mine.source, link.source), (mine.target, link.target))
            if own != common
        }
        self._grounds.settle()
        other._grounds.settle()
        return {
            **links_to_json(own_links),
            "names": [list(each) for each in names.items()],
            "walk": [_written(entry, self._grounds) for entry in self._walk],
            "witness": _times(witness),
            "models": [_times(model) for model in self._models],
            **self._grounds.to_json(),
            "verified": [_written(entry, other._grounds) for entry in verified],
        }


def _written(entry: _Entry, grounds: ReasonBook) -> list[Any]:
    if isinstance(entry.proof, list):
        return [entry.name, grounds.numbered(entry.proof)]
    return [entry.name] if entry.proof is None and entry.name != "kept" else [entry.name, entry.proof]


def _times(model: Witness) -> dict[str, list[int]]:
    return {name: list(times) for name, times in model.items()}
