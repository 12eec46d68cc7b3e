"""The best consistent labelling of a scored document, with a proof that it is the best.

    1  every pair takes its best label (argmax); if that is consistent, it is the optimum
    2  otherwise the document falls into parts that do not influence each other          decodeproblem
    3  each part is decoded by implicit hitting sets                                     decodepart
    4  why labels had to change; the next best labellings; margins                       decodereasons, decodemore

The labelling is consistent: it has a witness, which is checked. It is optimal: every conflict that was used is a
contradiction by itself, and no labelling that meets all of them has a higher value. Both can be checked by others
(``proofs.optima``).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

from temporacle.errors import BudgetExceeded, InternalError
from temporacle.reasoner.conflicts.conflicts import minimal_conflict
from temporacle.reasoner.decode.conflicts import smallest_conflicts
from temporacle.reasoner.decode.parts import Labelling, PartDecoder, next_best, part_margins
from temporacle.reasoner.decode.problem import RankedPair, all_ranks, independent_parts
from temporacle.reasoner.judged import Judged, is_consistent
from temporacle.reasoner.network import Network

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from temporacle.model import Link
    from temporacle.reasoner.decode.problem import Conflict, Ranks
    from temporacle.reasoner.network import Budget
    from temporacle.results import Witness
    from temporacle.scored import Objective, ScoredDocument


class LabelChange(NamedTuple):
    """A pair that does not keep its best label."""

    pair: int
    rank: int
    because: tuple[Link, ...]  # a smallest conflict that its best label would be part of; empty: not known in time


class Alternative(NamedTuple):
    """Another labelling: its value, and the ranks of the pairs that differ from the best labelling."""

    value: int
    ranks: Ranks


@dataclass(frozen=True, slots=True)
class Decoded:
    """The best labelling that was found. Values are in units of ``scored``."""

    pairs: tuple[RankedPair, ...]
    ranks: Ranks
    value: int
    argmax: int  # value of the best label of every pair
    bound: int  # no consistent labelling has a higher value
    witness: Witness
    changes: tuple[LabelChange, ...] = ()
    conflicts: tuple[Conflict, ...] = ()  # that the bound rests on
    decided_by: str = "argmax"  # or search, or cpsat
    alternatives: tuple[Alternative, ...] | None = None  # None: not asked for, or not known
    margins: tuple[int | None, ...] | None = None  # by pair; None in it: the pair can have no other label
    undecided: dict[str, str] = field(default_factory=dict)  # what is not known, and why

    @property
    def optimal(self) -> bool:
        return self.value == self.bound

    def links(self) -> Iterator[Link]:
        """Return the pairs with their labels."""
        return (pair.link(self.ranks[number]) for number, pair in enumerate(self.pairs))


class Impossible(NamedTuple):
    """No labelling is consistent: these links, which say "one of its labels", contradict each other."""

    because: tuple[Link, ...]


def decode_document(
    document: ScoredDocument,
    objective: Objective,
    budget: Budget,
    *,
    alternatives: int = 1,
    margins: bool = False,
) -> Decoded | Impossible:
    """Return the labelling of highest value that is consistent with itself and with the hard links.

    ``alternatives``: how many of the next best labellings to find. ``margins``: what the value loses, for each pair, if
    that pair must have another label. Raises BudgetExceeded if the time is over before any labelling was found.
    """
    return _Decoding(document, objective, budget).run(alternatives, margins=margins)


class _Decoding:
    def __init__(self, document: ScoredDocument, objective: Objective, budget: Budget) -> None:
        self._pairs = tuple(RankedPair.of(pair, objective) for pair in document.pairs)
        self._hard = document.links
        self._budget = budget
        self._argmax = sum(pair.best for pair in self._pairs)

    def run(self, alternatives: int, *, margins: bool) -> Decoded | Impossible:
        ranks: Ranks = dict.fromkeys(range(len(self._pairs)), 0)
        judged = Judged(self._network(ranks), self._budget)
        if judged.is_consistent():
            decoded = Decoded(self._pairs, ranks, self._argmax, self._argmax, self._argmax, judged.witness())
            if not (alternatives or margins):
                return decoded
            decoders = self._decoders()
        else:
            decoders = self._decoders()
            by_size = sorted(decoders, key=lambda decoder: len(decoder.part.pairs))  # large parts may take all the time
            best = {decoder.part: decoder.best() for decoder in by_size}
            labellings = [best[decoder.part] for decoder in decoders]
            found = [labelling for labelling in labellings if labelling is not None]
            if len(found) < len(labellings):
                return self._impossible()
            decoded = self._optimum(decoders, found)
        return self._with_more(decoded, decoders, alternatives, margins=margins)

    def _network(self, ranks: Ranks) -> Network:
        return Network([*self._hard, *(pair.link(ranks[number]) for number, pair in enumerate(self._pairs))])

    def _decoders(self) -> list[PartDecoder]:
        parts = independent_parts(self._pairs, self._hard)
        return [PartDecoder(part, self._pairs, self._hard, self._budget) for part in parts]

    def _impossible(self) -> Impossible:
        """Return the reason why there is no labelling.

        There is one if and only if all links "one of its labels" can be true.
        """
        every = Network([*self._hard, *(pair.any_of(all_ranks(pair)) for pair in self._pairs)])
        if is_consistent(every, self._budget):
            raise InternalError("no labelling was found in a document that has one")
        return Impossible(minimal_conflict(every, self._budget))

    def _optimum(self, decoders: Sequence[PartDecoder], labellings: Sequence[Labelling]) -> Decoded:
        ranks = dict(sorted(item for each in labellings for item in each.ranks.items()))
        cost, lower = sum(each.cost for each in labellings), sum(each.lower for each in labellings)
        reasons = dict.fromkeys(each.reason for each in labellings if each.reason is not None)
        changes = []
        for decoder, labelling in zip(decoders, labellings, strict=True):
            reason = smallest_conflicts(decoder.part, self._pairs, self._hard, labelling.ranks, self._budget)
            changes += [LabelChange(pair, ranks[pair], because) for pair, because in reason.items()]
        return Decoded(
            self._pairs,
            ranks,
            self._argmax - cost,
            self._argmax,
            self._argmax - lower,
            Judged(self._network(ranks)).witness(),
            tuple(sorted(changes)),
            tuple(conflict for decoder in decoders for conflict in decoder.conflicts),
            "cpsat" if any(decoder.used_solver for decoder in decoders) else "search",
            undecided={"optimal": "; ".join(reasons)} if reasons else {},
        )

    def _with_more(
        self, decoded: Decoded, decoders: Sequence[PartDecoder], alternatives: int, *, margins: bool
    ) -> Decoded:
        if not decoded.optimal:
            wanted = {"alternatives": bool(alternatives), "margins": margins}
            missing = {name: "the optimum is not known" for name, is_wanted in wanted.items() if is_wanted}
            return replace(decoded, undecided=decoded.undecided | missing)
        best = [
            Labelling(sum(self._pairs[p].costs[r] for p, r in own.items()), own, 0)
            for decoder in decoders
            for own in ({pair: decoded.ranks[pair] for pair in decoder.part.pairs},)
        ]
        if alternatives:
            try:
                found = next_best(decoders, best, alternatives)
                others = tuple(Alternative(decoded.value - extra, ranks) for extra, ranks in found)
                decoded = replace(decoded, alternatives=others)
            except BudgetExceeded as limit:
                decoded = replace(decoded, undecided=decoded.undecided | {"alternatives": str(limit)})
        if margins:
            try:
                by_pair: dict[int, int | None] = {}
                for decoder, labelling in zip(decoders, best, strict=True):
                    by_pair |= part_margins(decoder, labelling)
                decoded = replace(decoded, margins=tuple(by_pair[pair] for pair in range(len(self._pairs))))
            except BudgetExceeded as limit:
                decoded = replace(decoded, undecided=decoded.undecided | {"margins": str(limit)})
        return decoded
