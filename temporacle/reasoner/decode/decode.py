"""The best consistent labelling of a scored document, with a proof that it is the best.

    1  every pair takes its best label (argmax); if that is consistent, it is the optimum
    2  otherwise the document falls into parts that do not influence each other          problem
    3  each part is decoded by implicit hitting sets                                     PartDecoder
    4  why labels had to change; the next best labellings; margins

The labelling is consistent: it has a witness, which is checked. It is optimal: every conflict that was used is a
contradiction by itself, and no labelling that meets all of them has a higher value. Both can be checked by others
(``proofs.cheapest``).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

from temporacle.errors import BudgetExceeded, InternalError
from temporacle.reasoner.conflicts.conflicts import minimal_conflict
from temporacle.reasoner.decode.conflicts import ConflictFinder, smallest_conflicts
from temporacle.reasoner.decode.ranked import UNLABELLED, RankedPair, all_ranks, independent_parts
from temporacle.reasoner.judged import Judged, is_consistent
from temporacle.reasoner.network import Budget, Network
from temporacle.reasoner.optimise.choices import TooHard, cheapest, connected
from temporacle.reasoner.optimise.solver import Relaxed, first_of_equals, relaxed_by_cpsat

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from temporacle.model import Link
    from temporacle.reasoner.decode.ranked import Blocked, Conflict, Part, Ranks
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


# ----------------------------------------------------------------------------------------------------
# The best labellings of one part of a document, by implicit hitting sets.
#
# Every consistent labelling meets every conflict. So the cheapest labelling that meets the conflicts known so far costs
# no more than the best consistent one; if it is consistent, it is the best one.
#
#     conflicts = {}
#     repeat  labels = cheapest labelling that meets the conflicts                   choices, else CP-SAT
#             repeat  new = conflicts among the labels                               conflicts
#                     conflicts += new; move one pair of each to a label that is not blocked
#             until   the labels are consistent: a candidate
#             if nothing had to be moved: return it
#
# The inner loop collects many conflicts for each exact search, and gives a consistent labelling that is used if the
# time is over. What the labelling must differ from (``without``) is written as further conflicts.
#
# Reference: Davies and Bacchus (2011), "Solving MAXSAT by solving a sequence of simpler SAT instances".


# Conflicts looked at by branch and bound, about 50 microseconds each:
_PATIENCE = 5000  # before CP-SAT, which takes half a second to load, takes over
_LESS_PATIENCE = 500  # the same once it is loaded
_PATIENCE_OF_CHECK = 10_000  # when a bound of CP-SAT is looked at again
_SHARE = 0.2  # of the time, for a labelling where moving labels one by one finds none
_TOO_LONG = "the scores are too long to be compared exactly: round them"


class Labelling(NamedTuple):
    """A consistent labelling of a part, and what every such labelling costs at least."""

    cost: int
    ranks: Ranks
    lower: int
    reason: str | None = None  # why it is not known to be the best

    @property
    def is_best(self) -> bool:
        return self.lower == self.cost


class PartDecoder:
    """Finds labellings of one part. The conflicts it has found are kept for the next question."""

    def __init__(self, part: Part, pairs: Sequence[RankedPair], hard: Sequence[Link], budget: Budget) -> None:
        self.part = part
        self.used_solver = False
        self._costs = {number: pairs[number].costs for number in part.pairs}
        self._budget = budget
        self._finder = ConflictFinder(part, pairs, hard, budget)
        self.conflicts: list[Conflict] = list(self._finder.by_themselves())
        self._has_tried = False
        self._known: dict[tuple[tuple[int, ...], bool], Relaxed] = {}  # by the conflicts of a group

    def best(self, without: Sequence[Blocked] = (), *, any_will_do: bool = False) -> Labelling | None:
        """Return the best labelling that satisfies some further conditions, the first one at a tie; None if there is
        none.

        If the time is over, the best one found, with a bound. Raises BudgetExceeded if none was found.
        ``any_will_do`` saves the search for the first among equals.
        """
        found: Labelling | None = None
        lower = 0
        is_final = False
        try:
            if not without and not self._finder.is_convex:
                found = self._for_want_of_time()  # finding conflicts may take all the time there is
            while True:
                relaxed = self._relaxed(without, is_final=is_final)
                if relaxed is None:
                    return None
                lower = max(lower, relaxed.lower)
                candidate, is_new = self._mended(relaxed.ranks, without)
                is_first = not is_new and relaxed.is_cheapest
                if candidate is None and found is None and not without:
                    candidate = self._for_want_of_time()
                if candidate is not None and (found is None or candidate.cost < found.cost or is_first):
                    found = candidate
                if found is not None and found.cost < lower:
                    raise InternalError("a consistent labelling is cheaper than the bound")
                is_best = found is not None and found.cost == lower
                is_last = (is_best and any_will_do) or (not is_new and (is_final or not relaxed.is_cheapest))
                if found is not None and is_last:
                    if not is_best:
                        self._budget.check()  # else the solver could not tell the scores apart
                    elif self.used_solver:
                        self._look_again(found, without)
                    return found._replace(lower=lower, reason=None if is_best else _TOO_LONG)
                is_final = is_best or not is_new
        except BudgetExceeded as limit:
            found = found or (None if without else self._without_time())
            if found is None:
                raise
            lower = min(lower, found.cost)
            return found._replace(lower=lower, reason=None if lower == found.cost else str(limit))

    def several(self, count: int, best: Labelling) -> list[Labelling]:
        """Return up to the given number of labellings, best first, all different."""
        found = [best]
        while len(found) < count:
            without = [{pair: 1 << rank for pair, rank in each.ranks.items()} for each in found]
            following = self.best(without, any_will_do=True)
            if following is None:
                break
            if not following.is_best:
                raise BudgetExceeded(following.reason or "the next labelling is not known to be the best")
            found.append(following)
        return found

    def best_with_other(self, pair: int, best: Labelling) -> Labelling | None:
        """Return the best labelling in which a pair has another label than in a given one; None if it can have no
        other.
        """
        found = self.best([{pair: 1 << best.ranks[pair]}], any_will_do=True)
        if found is not None and not found.is_best:
            raise BudgetExceeded(found.reason or "the best labelling with another label is not known")
        return found

    # --- the cheapest labelling that meets the conflicts ----------------------------------------------------------

    def _relaxed(self, without: Sequence[Blocked], *, is_final: bool) -> Relaxed | None:
        """Group by group of conflicts that share pairs."""
        every: list[Blocked] = [conflict.blocked for conflict in self.conflicts] + list(without)
        total = Relaxed(0, 0, {})
        for group in connected(every):
            key = tuple(group), is_final
            known = None if without else self._known.get(key)
            found = known or self._of_group([every[number] for number in group], is_final=is_final)
            if found is None:
                return None
            if not without:
                self._known[key] = found
            total = Relaxed(total.lower + found.lower, total.cost + found.cost, {**total.ranks, **found.ranks})
        return total

    def _of_group(self, conflicts: Sequence[Blocked], *, is_final: bool) -> Relaxed | None:
        try:
            found = cheapest(self._costs, conflicts, _LESS_PATIENCE if self.used_solver else _PATIENCE)
            return None if found is None else Relaxed(found.cost, found.cost, found.ranks)
        except TooHard:
            self.used_solver = True
        relaxed = relaxed_by_cpsat(self._costs, conflicts, self._budget)
        if relaxed is None or not is_final or not relaxed.is_cheapest:
            return relaxed
        return relaxed._replace(ranks=first_of_equals(self._costs, conflicts, relaxed, self._budget))

    def _look_again(self, best: Labelling, without: Sequence[Blocked]) -> None:
        """Ask branch and bound whether there is a cheaper labelling than CP-SAT's, as far as it can tell in time."""
        every: list[Blocked] = [conflict.blocked for conflict in self.conflicts] + list(without)
        for group in connected(every):
            conflicts = [every[number] for number in group]
            cost = sum(self._costs[pair][best.ranks[pair]] for pair in {pair for each in conflicts for pair in each})
            try:
                cheaper = cheapest(self._costs, conflicts, _PATIENCE_OF_CHECK, at_most=cost - 1)
            except TooHard:
                continue
            if cheaper is not None:
                raise InternalError("CP-SAT called a labelling the cheapest, and there is a cheaper one")

    # --- candidates -----------------------------------------------------------------------------------------------

    def _for_want_of_time(self) -> Labelling | None:
        """Return some labelling in case the time runs out. This is tried once, and only if there is a time limit."""
        remaining = self._budget.remaining()
        if remaining is None or self._has_tried:
            return None
        self._has_tried = True
        found = self._finder.some_labelling(self._costs, Budget(_SHARE * max(remaining, 0.0)))
        if found is None:
            return None
        ranks = {number: found.get(number, 0) for number in self.part.pairs}
        if self._finder.find(ranks):
            raise InternalError("a labelling that the search found is not consistent")
        return self._labelling(ranks)

    def _labelling(self, ranks: Ranks) -> Labelling:
        return Labelling(sum(self._costs[number][rank] for number, rank in ranks.items()), ranks, 0)

    def _without_time(self) -> Labelling | None:
        """Return some consistent labelling after the time has run out, if that takes no search; None otherwise."""
        seconds, remaining = self._budget.seconds, self._budget.remaining()
        if not self._finder.is_convex or seconds is None or remaining is None:
            return None
        given = max(seconds, 0.0)
        taken = seconds - remaining
        self._finder.budget = Budget(given + _SHARE * given + _SHARE - taken)  # for all parts of a document together
        try:
            return self._mended({}, ())[0]
        except BudgetExceeded:
            return None
        finally:
            self._finder.budget = self._budget

    def _mended(self, ranks: Mapping[int, int], without: Sequence[Blocked]) -> tuple[Labelling | None, bool]:
        """Return a consistent labelling near a given one, and whether new conflicts were found."""
        trial = {number: ranks.get(number, 0) for number in self.part.pairs}
        left = {number: (1 << len(self._costs[number])) - 1 for number in trial}
        occurrences: Counter[int] = Counter()
        is_new = False
        while new := self._finder.find(trial):
            is_new = True
            for conflict in new:
                self.conflicts.append(conflict)
                if not conflict.blocked:
                    return None, True  # hard links alone
                self._move(conflict, trial, left, occurrences)
        if UNLABELLED in trial.values() or any(_breaks(trial, blocked) for blocked in without):
            return None, is_new
        return self._labelling(trial), is_new

    def _move(self, conflict: Conflict, trial: Ranks, left: Ranks, occurrences: Counter[int]) -> None:
        """Move the pair that costs least for each conflict it occurs in. A rank that was left is not taken again.

        If no pair has a rank to go to, the one that occurs most loses its label, and the search for conflicts goes on.
        """
        moves = []
        for pair, bits in conflict.blocked.items():
            occurrences[pair] += 1
            if allowed := left[pair] & ~bits:
                rank = (allowed & -allowed).bit_length() - 1
                extra = self._costs[pair][rank] - self._costs[pair][trial[pair]]
                moves.append((Fraction(extra, occurrences[pair]), pair, rank))
        if moves:
            _, pair, rank = min(moves)
            left[pair] &= ~conflict.blocked[pair]
            trial[pair] = rank
        else:
            trial[max(conflict.blocked, key=lambda pair: (occurrences[pair], -pair))] = UNLABELLED


def _breaks(ranks: Mapping[int, int], blocked: Blocked) -> bool:
    return all(bits >> ranks[pair] & 1 for pair, bits in blocked.items())


# ----------------------------------------------------------------------------------------------------
# More about an optimum: the next best labellings, and how sure each label is.
#
# Parts do not influence each other. So the value of a labelling is the sum over the parts, the next best labellings are
# put together from the best ones of the parts, and the margin of a pair depends on its own part alone.


def next_best(decoders: Sequence[PartDecoder], best: Sequence[Labelling], count: int) -> list[tuple[int, Ranks]]:
    """Return the next best labellings after the best one: the additional cost of each, and the ranks of the pairs that
    differ.

    Raises BudgetExceeded if they are not all known in time.
    """
    sums: list[tuple[int, Ranks]] = [(0, {})]
    for decoder, own in zip(decoders, best, strict=True):
        found = decoder.several(count + 1, own)
        steps = [(each.cost - own.cost, _differing(own.ranks, each.ranks)) for each in found]
        together = [(before + more, {**ranks, **others}) for before, ranks in sums for more, others in steps]
        sums = sorted(together, key=lambda each: each[0])[: count + 1]  # stable: equal ones in a fixed order
    return sums[1:]


def part_margins(decoder: PartDecoder, best: Labelling) -> dict[int, int | None]:
    """Return, for each pair of a part, the loss of value if the pair must have another label; None if it can have no
    other.

    Raises BudgetExceeded if they are not all known in time.
    """
    margins: dict[int, int | None] = {}
    for pair in decoder.part.pairs:
        other = decoder.best_with_other(pair, best)
        margins[pair] = None if other is None else other.cost - best.cost
    return margins


def _differing(best: Ranks, other: Ranks) -> Ranks:
    return {pair: rank for pair, rank in other.items() if rank != best[pair]}
