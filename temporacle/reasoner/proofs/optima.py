"""Certificates of optimal repairs: what is kept can be true, and nothing lighter can be dropped instead.

    witness      times at which all kept links hold
    conflicts    those that the bound rests on, each with a proof of its own
    parts        the proof that every set of links that hits these conflicts weighs at least as much (``bounds``)

docs/certificates.md has the form.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from temporacle.errors import InternalError
from temporacle.reasoner.conflicts.repair import whole_weights, with_conflicts
from temporacle.reasoner.decode.problem import RankedPair, all_ranks
from temporacle.reasoner.judged import Judged
from temporacle.reasoner.network import Network
from temporacle.reasoner.proofs.bounds import CoverProblem, OptionNames, conflicts_of, parts_form, prove_bound
from temporacle.reasoner.proofs.certificate import certify_conflict, model_of, proof_form, refutation_of, times_form
from temporacle.results import Certificate

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from temporacle.model import Link
    from temporacle.reasoner.conflicts.repair import GroundedRepair
    from temporacle.reasoner.decode.decode import Decoded
    from temporacle.reasoner.decode.problem import Conflict
    from temporacle.reasoner.network import Budget
    from temporacle.results import Fact
    from temporacle.scored import Objective, ScoredDocument

REPAIR_CLAIM = "repair"
_KEEP, _DROP = 0, 1
_OPTIONS = ("keep", "drop")


def certify_repair(network: Network, grounds: GroundedRepair, budget: Budget) -> Certificate:
    """Return a certificate of a repair. Raise BudgetExceeded if a proof is not found in time."""
    grounds = with_conflicts(network, grounds, budget)
    gone = set(grounds.dropped)
    kept = Network(link for number, link in enumerate(network.links) if number not in gone)
    model = model_of(kept, budget)
    if model is None:
        raise InternalError("a repaired document is not consistent")
    names = range(len(network.links))

    def proof(conflict: Sequence[int]) -> Any:
        return proof_form(refutation_of(network, budget, conflict)[1], names)

    form = repair_form(grounds, network.links, times_form(model), (lambda number: number, proof), budget)
    return Certificate(REPAIR_CLAIM, network.links, form=form)


def repair_form(
    grounds: GroundedRepair,
    facts: Sequence[Fact],
    witness: dict[str, list[int]],
    say: tuple[Callable[[int], Any], Callable[[Sequence[int]], Any]],
    budget: Budget,
) -> dict[str, Any]:
    """Return the fields of the certificate. ``say``: a fact's name in it, and the proof of a conflict."""
    name, proof = say
    if grounds.conflicts is None:
        raise InternalError("a certificate of a repair was asked for without its conflicts")
    found = grounds.conflicts
    weights, unit = whole_weights(facts)
    costs = {number: (0, weight) for number, weight in weights.items() if number not in grounds.protected}
    conflicts = [
        dict.fromkeys((number for number in conflict if number not in grounds.protected), 1 << _KEEP)
        for conflict in found
    ]
    chosen = dict.fromkeys(costs, _KEEP) | dict.fromkeys(grounds.dropped, _DROP)
    parts = prove_bound(CoverProblem(costs, conflicts), chosen, budget)
    used = conflicts_of(parts)
    names = OptionNames(
        {number: name(number) for number in costs},
        dict.fromkeys(costs, _OPTIONS),
        {conflict: place for place, conflict in enumerate(used)},
        unit,
    )
    return {
        "weights": [str(weight * unit) for weight in weights.values()],
        "protected": [name(number) for number in sorted(grounds.protected)],
        "dropped": [name(number) for number in grounds.dropped],
        "weight": str(sum(weights[number] for number in grounds.dropped) * unit),
        "witness": witness,
        "conflicts": [
            {
                "conflict": [name(number) for number in found[conflict]],
                "proof": proof(found[conflict]),
            }
            for conflict in used
        ],
        "parts": parts_form(parts, names),
    }


# ----------------------------------------------------------------------------------------------------
# Certificates of decodings: the labels can all be true, and no others are worth more.
#
#     witness      times at which the chosen labels and the hard links hold
#     conflicts    those that the bound rests on, each with a proof: its hard links, and "one of the blocked labels"
#     for
#                  each of its pairs, contradict each other
#     parts        the proof that every labelling that meets these conflicts loses at least as much (``bounds``)
#
# If no labelling is possible, the certificate has the claim inconsistent: its links are the hard ones, and "one of its
# labels" for each pair. docs/certificates.md has the form.

DECODE_CLAIM = "decode"


def certify_decoding(decoded: Decoded, hard: Sequence[Link], objective: Objective, budget: Budget) -> Certificate:
    """Return a certificate that a labelling is optimal. Raise BudgetExceeded if a proof is not found in time."""
    concerned = sorted({pair for conflict in decoded.conflicts for pair in conflict.blocked})
    problem = CoverProblem(
        {pair: decoded.pairs[pair].costs for pair in concerned}, [conflict.blocked for conflict in decoded.conflicts]
    )
    parts = prove_bound(problem, decoded.ranks, budget)
    used = conflicts_of(parts)
    names = OptionNames(
        {pair: pair for pair in concerned},
        {pair: range(len(decoded.pairs[pair].labels)) for pair in concerned},
        {conflict: place for place, conflict in enumerate(used)},
        Fraction(1),
    )
    form = {
        "objective": objective.value,
        "pairs": [_pair_form(pair, decoded.ranks[number]) for number, pair in enumerate(decoded.pairs)],
        "value": str(decoded.value),
        "witness": times_form(decoded.witness),
        "conflicts": [_conflict_form(decoded.conflicts[conflict], decoded, hard, budget) for conflict in used],
        "parts": parts_form(parts, names),
    }
    return Certificate(DECODE_CLAIM, tuple(hard), form=form)


def certify_impossible(scored: ScoredDocument, objective: Objective, budget: Budget) -> Certificate:
    """Return a certificate that no labelling is consistent."""
    pairs = [RankedPair.of(pair, objective) for pair in scored.pairs]
    return certify_conflict(Judged(Network([*scored.links, *(pair.any_of(all_ranks(pair)) for pair in pairs)]), budget))


def _pair_form(pair: RankedPair, chosen: int) -> dict[str, Any]:
    return {
        "id": pair.pair.id,
        "source": pair.pair.source,
        "target": pair.pair.target,
        "line": pair.pair.line,
        "labels": [
            [label.label, list(label.relation.atoms), str(Fraction(repr(label.score))), str(pair.best - cost)]
            for label, cost in zip(pair.labels, pair.costs, strict=True)
        ],
        "chosen": chosen,
    }


def _conflict_form(conflict: Conflict, decoded: Decoded, hard: Sequence[Link], budget: Budget) -> dict[str, Any]:
    """Return a conflict with its proof, in which the pairs are numbered after the hard links."""
    names = [*conflict.hard, *(len(hard) + pair for pair in conflict.blocked)]
    network = Network(conflict_links(conflict, decoded, hard))
    _, proof = refutation_of(network, budget, range(len(names)))
    return {
        "links": list(conflict.hard),
        "blocked": [
            [pair, [rank for rank in range(len(decoded.pairs[pair].labels)) if bits >> rank & 1]]
            for pair, bits in conflict.blocked.items()
        ],
        "proof": proof_form(proof, names),
    }


def conflict_links(conflict: Conflict, decoded: Decoded, hard: Sequence[Link]) -> list[Link]:
    """Return the links that contradict each other: hard ones, and "one of the blocked labels" for each pair."""
    widened = [decoded.pairs[pair].any_of(bits) for pair, bits in conflict.blocked.items()]
    return [*(hard[number] for number in conflict.hard), *widened]
